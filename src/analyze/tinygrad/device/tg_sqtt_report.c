/* analyze/tinygrad/device/tg_sqtt_report.c - sqtt.json: programs, and for each thread trace what its packets say. */
#include <stdio.h>

#include "analyze/tinygrad/device/tg_device_reports.h"

static void put_programs(tg_json *j, const tg_input *in)
{
    const tg_programs *p = &in->programs;
    const tg_codes *c = &in->codes;
    char tag[32];
    pf_tg_begin_object(j, "programs");
    for (uint32_t k = 0; k < p->count; k++) {
        if (p->code[k] == PF_NONE) {
            continue;
        }
        pf_str name = pf_tg_string(in, p->name[k]);
        int len = snprintf(tag, sizeof tag, "%lld", (long long)p->tag[k]);
        pf_tg_begin_object_named(j, p->tag[k] == INT64_MIN ? name : (pf_str){tag, (size_t)len});
        pf_tg_put_text(j, "name", name);
        pf_tg_put_int(j, "base", p->base[k]);
        pf_tg_begin_list(j, "code");
        for (uint32_t i = p->code[k]; i < c->count && c->program[i] == k; i++) {
            pf_tg_put_ints(j, 2, (const int64_t[]){c->pc[i], c->size[i]});
        }
        pf_tg_end(j);
        pf_tg_end(j);
    }
    pf_tg_end(j);
}

static void put_counts(tg_json *j, const tg_input *in, uint32_t stream)
{
    tg_rows s = pf_tg_rows_of(in->counts.stream, in->counts.count, stream);
    pf_tg_begin_object(j, "counts");
    for (uint32_t i = s.first; i < s.end; i++) {
        pf_tg_put_int_named(j, pf_tg_string(in, in->counts.kind[i]), in->counts.packets[i]);
    }
    pf_tg_end(j);
}

static void put_waves(tg_json *j, const tg_input *in, uint32_t stream)
{
    static const char *const keys[] = {"cu", "simd", "wave", "start", "end"};
    const tg_waves *w = &in->waves;
    tg_rows s = pf_tg_rows_of(w->stream, w->count, stream);
    pf_tg_begin_list(j, "waves");
    for (uint32_t i = s.first; i < s.end; i++) {
        uint32_t slot = w->slot[i];
        pf_tg_put_members(
            j, 5, keys,
            (const int64_t[]){in->slots.cu[slot], in->slots.simd[slot], in->slots.wave[slot], w->start[i], w->end[i]});
    }
    pf_tg_end(j);
    pf_tg_put_int(j, "waves_open", in->streams.waves_open[stream]);
    pf_tg_put_int(j, "waves_unmatched_end", in->streams.unmatched_ends[stream]);
    pf_tg_begin_object(j, "occupancy");
    pf_tg_put_int(j, "max_waves", in->streams.max_waves[stream]);
    pf_tg_put_int(j, "wave_cycles", in->streams.wave_cycles[stream]);
    pf_tg_end(j);
}

static void put_clock(tg_json *j, const tg_input *in, uint32_t stream)
{
    tg_rows s = pf_tg_rows_of(in->clock.stream, in->clock.count, stream);
    pf_tg_begin_list(j, "shader_clock_hz");
    for (uint32_t i = s.first; i < s.end; i++) {
        pf_tg_put_ints(j, 2, (const int64_t[]){in->clock.time[i], in->clock.hz[i]});
    }
    pf_tg_end(j);
}

static void put_instructions(tg_json *j, const tg_input *in, uint32_t stream)
{
    static const char *const keys[] = {"pc", "hits", "gap"};
    const tg_instructions *t = &in->instructions;
    tg_rows s = pf_tg_rows_of(t->stream, t->count, stream);
    pf_tg_begin_list(j, "inst_table");
    for (uint32_t i = s.first; i < s.end; i++) {
        pf_tg_put_members(j, 3, keys, (const int64_t[]){t->pc[i], t->hits[i], t->gap[i]});
    }
    pf_tg_end(j);
    pf_tg_put_int(j, "inst_count", in->streams.instructions[stream]);
}

/* Which wave issued what when, in the order of the packets. */
static void put_sequence(tg_json *j, const tg_input *in, uint32_t stream)
{
    const tg_unit_slices *t = &in->unit_slices;
    tg_rows s = pf_tg_rows_of(t->stream, t->count, stream);
    pf_tg_begin_list(j, "inst_seq");
    for (uint32_t i = s.first; i < s.end; i++) {
        if (t->pc[i] != INT64_MIN) {
            pf_str row = pf_tg_string(in, t->row[i]); /* "WAVE:7", as all that has a program counter */
            int64_t wave = row.len == 7 ? (row.ptr[5] - '0') * 10 + row.ptr[6] - '0' : row.ptr[5] - '0';
            pf_tg_put_ints(j, 3, (const int64_t[]){t->start[i], wave, t->pc[i]});
        }
    }
    pf_tg_end(j);
}

static void put_stream(tg_json *j, const tg_input *in, uint32_t i)
{
    const tg_streams *s = &in->streams;
    pf_tg_begin_object(j, NULL);
    pf_tg_put_int(j, "index", i);
    pf_tg_put_kernel(j, in, "kern", (tg_kernel){s->kernel[i], s->tag[i]});
    pf_tg_put_int(j, "se", s->se[i]);
    pf_tg_put(j, PF_STR("itrace"), (pf_value){.type = PF_VALUE_BOOL, .as.b = s->itrace[i] != 0});
    pf_tg_put_int(j, "exec_tag", s->exec_tag[i]);
    pf_tg_put_int(j, "bytes", s->bytes[i]);
    pf_tg_put_int(j, "packets", s->packets[i]);
    put_counts(j, in, i);
    pf_tg_put_int(j, "first_time", s->first_time[i]);
    pf_tg_put_int(j, "last_time", s->last_time[i]);
    pf_tg_put_int(j, "layout", s->layout[i]);
    put_waves(j, in, i);
    put_clock(j, in, i);
    if (s->itrace[i]) {
        put_instructions(j, in, i);
    }
    if (s->itrace[i] && s->slices[i] != INT64_MIN) {
        put_sequence(j, in, i);
        pf_tg_put_unit_timeline(j, in, i);
    }
    pf_tg_end(j);
}

pf_status pf_tg_visit_sqtt(const void *of, const pf_arg_visitor *v, pf_error *err)
{
    const tg_input *in = of;
    tg_json j = {v, err, PF_OK};
    pf_tg_begin_object(&j, NULL);
    uint32_t i = 0; /* the first device whose instruction set is known */
    while (i < in->programs.count && !in->programs.target[i]) {
        i++;
    }
    if (i < in->programs.count) {
        pf_tg_put_text(&j, "target", pf_tg_string(in, in->programs.target[i]));
    } else {
        pf_tg_put_null(&j, "target");
    }
    put_programs(&j, in);
    pf_tg_begin_list(&j, "events");
    for (i = 0; j.status == PF_OK && i < in->streams.count; i++) {
        put_stream(&j, in, i);
    }
    pf_tg_end(&j);
    pf_tg_end(&j);
    return j.status;
}
