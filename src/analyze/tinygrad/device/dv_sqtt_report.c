/* analyze/tinygrad/device/dv_sqtt_report.c - sqtt.json: programs, and for each thread trace what its packets say. */
#include <stdio.h>

#include "analyze/tinygrad/device/dv_reports.h"

void pf_dv_kernel(dv_json *j, const dv_input *d, const char *key, dv_kernel k)
{
    if (k.name) {
        pf_dv_text(j, key, pf_tg_string(d->in, k.name));
    } else {
        pf_dv_int(j, key, k.tag);
    }
}

dv_kernel pf_dv_stream_kernel(const dv_input *d, uint32_t stream)
{
    return (dv_kernel){d->streams.kernel[stream], d->streams.tag[stream]};
}

/* ---- programs ---------------------------------------------------------------------------------------------------- */

static void put_program(dv_json *j, const dv_input *d, uint32_t program)
{
    const dv_programs *p = &d->programs;
    char tag[32];
    pf_str name = pf_tg_string(d->in, p->name[program]);
    int len = snprintf(tag, sizeof tag, "%lld", (long long)p->tag[program]);
    pf_dv_object_named(j, p->tag[program] == INT64_MIN ? name : (pf_str){tag, (size_t)len});
    pf_dv_text(j, "name", name);
    pf_dv_int(j, "base", p->base[program]);
    pf_dv_list(j, "code");
    for (uint32_t i = p->code[program]; i < p->code_count && p->code_program[i] == program; i++) {
        pf_dv_list(j, NULL);
        pf_dv_int(j, NULL, p->pc[i]);
        pf_dv_int(j, NULL, p->size[i]);
        pf_dv_close(j);
    }
    pf_dv_close(j);
    pf_dv_close(j);
}

static void put_programs(dv_json *j, const dv_input *d)
{
    pf_dv_object(j, "programs");
    for (uint32_t i = 0; i < d->programs.count; i++) {
        if (d->programs.code[i] != PF_NONE) {
            put_program(j, d, i);
        }
    }
    pf_dv_close(j);
}

/* ---- streams ----------------------------------------------------------------------------------------------------- */

static void put_counts(dv_json *j, const dv_input *d, uint32_t stream)
{
    dv_span s = pf_dv_span(d->counts.stream, d->counts.count, stream);
    pf_dv_object(j, "counts");
    for (uint32_t i = s.first; i < s.end; i++) {
        pf_dv_int_named(j, pf_tg_string(d->in, d->counts.kind[i]), d->counts.packets[i]);
    }
    pf_dv_close(j);
}

static void put_waves(dv_json *j, const dv_input *d, uint32_t stream)
{
    const dv_waves *w = &d->waves;
    dv_span s = pf_dv_span(w->stream, w->count, stream);
    pf_dv_list(j, "waves");
    for (uint32_t i = s.first; i < s.end; i++) {
        uint32_t slot = w->slot[i];
        pf_dv_object(j, NULL);
        pf_dv_int(j, "cu", w->cu[slot]);
        pf_dv_int(j, "simd", w->simd[slot]);
        pf_dv_int(j, "wave", w->wave[slot]);
        pf_dv_int(j, "start", w->start[i]);
        pf_dv_int(j, "end", w->end[i]);
        pf_dv_close(j);
    }
    pf_dv_close(j);
    pf_dv_int(j, "waves_open", d->streams.waves_open[stream]);
    pf_dv_int(j, "waves_unmatched_end", d->streams.unmatched_ends[stream]);
    pf_dv_object(j, "occupancy");
    pf_dv_int(j, "max_waves", d->streams.max_waves[stream]);
    pf_dv_int(j, "wave_cycles", d->streams.wave_cycles[stream]);
    pf_dv_close(j);
}

static void put_clock(dv_json *j, const dv_input *d, uint32_t stream)
{
    dv_span s = pf_dv_span(d->clock.stream, d->clock.count, stream);
    pf_dv_list(j, "shader_clock_hz");
    for (uint32_t i = s.first; i < s.end; i++) {
        pf_dv_list(j, NULL);
        pf_dv_int(j, NULL, d->clock.time[i]);
        pf_dv_int(j, NULL, d->clock.value[i]);
        pf_dv_close(j);
    }
    pf_dv_close(j);
}

static void put_instructions(dv_json *j, const dv_input *d, uint32_t stream)
{
    const dv_instructions *t = &d->instructions;
    dv_span s = pf_dv_span(t->stream, t->count, stream);
    pf_dv_list(j, "inst_table");
    for (uint32_t i = s.first; i < s.end; i++) {
        pf_dv_object(j, NULL);
        pf_dv_int(j, "pc", t->pc[i]);
        pf_dv_int(j, "hits", t->hits[i]);
        pf_dv_int(j, "gap", t->gap[i]);
        pf_dv_close(j);
    }
    pf_dv_close(j);
    pf_dv_int(j, "inst_count", d->streams.instructions[stream]);
}

/* "WAVE:7" -> 7. All that has a program counter is on such a row. */
static int64_t wave_of(pf_str row)
{
    int64_t wave = row.ptr[5] - '0';
    return row.len == 7 ? wave * 10 + row.ptr[6] - '0' : wave;
}

/* Which wave issued what when, in the order of the packets. */
static void put_sequence(dv_json *j, const dv_input *d, uint32_t stream)
{
    const dv_slices *t = &d->slices;
    dv_span s = pf_dv_span(t->stream, t->count, stream);
    pf_dv_list(j, "inst_seq");
    for (uint32_t i = s.first; i < s.end; i++) {
        if (t->pc[i] != INT64_MIN) {
            pf_dv_list(j, NULL);
            pf_dv_int(j, NULL, t->start[i]);
            pf_dv_int(j, NULL, wave_of(pf_tg_string(d->in, t->row[i])));
            pf_dv_int(j, NULL, t->pc[i]);
            pf_dv_close(j);
        }
    }
    pf_dv_close(j);
}

static void put_stream(dv_json *j, const dv_input *d, uint32_t i)
{
    const dv_streams *s = &d->streams;
    pf_dv_object(j, NULL);
    pf_dv_int(j, "index", i);
    pf_dv_kernel(j, d, "kern", pf_dv_stream_kernel(d, i));
    pf_dv_int(j, "se", s->se[i]);
    pf_dv_bool(j, "itrace", s->itrace[i] != 0);
    pf_dv_int(j, "exec_tag", s->execution[i]);
    pf_dv_int(j, "bytes", s->bytes[i]);
    pf_dv_int(j, "packets", s->packets[i]);
    put_counts(j, d, i);
    pf_dv_int(j, "first_time", s->first_time[i]);
    pf_dv_int(j, "last_time", s->last_time[i]);
    pf_dv_int(j, "layout", s->layout[i]);
    put_waves(j, d, i);
    put_clock(j, d, i);
    if (s->itrace[i]) {
        put_instructions(j, d, i);
    }
    if (s->itrace[i] && s->slices[i] != INT64_MIN) {
        put_sequence(j, d, i);
        pf_dv_timeline(j, d, i);
    }
    pf_dv_close(j);
}

/* The first device whose instruction set is known. */
static pf_str target_of(const dv_input *d)
{
    for (uint32_t i = 0; i < d->programs.count; i++) {
        if (d->programs.target[i]) {
            return pf_tg_string(d->in, d->programs.target[i]);
        }
    }
    return (pf_str){NULL, 0};
}

pf_status pf_dv_visit_sqtt(const void *of, const pf_arg_visitor *v, pf_error *err)
{
    (void)err;
    const dv_input *d = of;
    dv_json j = {v, PF_OK};
    pf_str target = target_of(d);
    pf_dv_object(&j, NULL);
    if (target.ptr) {
        pf_dv_text(&j, "target", target);
    } else {
        pf_dv_null(&j, "target");
    }
    put_programs(&j, d);
    pf_dv_list(&j, "events");
    for (uint32_t i = 0; j.status == PF_OK && i < d->streams.count; i++) {
        put_stream(&j, d, i);
    }
    pf_dv_close(&j);
    pf_dv_close(&j);
    return j.status;
}
