/* analyze/tinygrad/device/dv_input.c - finds the tables and their columns by name. */
#include "analyze/tinygrad/device/dv_input.h"

const void *pf_dv_column(const pf_side_table *s, const char *name)
{
    uint32_t i = s ? pf_side_column_named(s, name) : PF_NONE;
    return i == PF_NONE || s->count == 0 ? NULL : s->column[i];
}

#define COLUMN(name) pf_dv_column(s, name)

static const pf_side_table *open_table(const dv_input *d, const char *name, uint32_t *count)
{
    const pf_side_table *s = pf_trace_table(d->in->t, name);
    *count = s ? s->count : 0;
    return s;
}

static void open_programs(dv_input *d)
{
    dv_programs *p = &d->programs;
    const pf_side_table *s = open_table(d, "tinygrad_program", &p->count);
    p->name = COLUMN("name");
    p->target = COLUMN("target");
    p->code = COLUMN("code");
    p->tag = COLUMN("tag");
    p->base = COLUMN("base");
    s = open_table(d, "tinygrad_code", &p->code_count);
    p->code_program = COLUMN("program");
    p->pc = COLUMN("pc");
    p->size = COLUMN("size");
}

static void open_streams(dv_input *d)
{
    dv_streams *t = &d->streams;
    const pf_side_table *s = open_table(d, "tinygrad_sqtt", &t->count);
    *t = (dv_streams){.count = t->count,
                      .event = COLUMN("event"),
                      .kernel = COLUMN("kernel"),
                      .program = COLUMN("program"),
                      .first_packet = COLUMN("first_packet"),
                      .tag = COLUMN("tag"),
                      .se = COLUMN("se"),
                      .itrace = COLUMN("itrace"),
                      .execution = COLUMN("exec_tag"),
                      .bytes = COLUMN("bytes"),
                      .packets = COLUMN("packets"),
                      .first_time = COLUMN("first_time"),
                      .last_time = COLUMN("last_time"),
                      .layout = COLUMN("layout"),
                      .waves_open = COLUMN("waves_open"),
                      .unmatched_ends = COLUMN("unmatched_ends"),
                      .max_waves = COLUMN("max_waves"),
                      .wave_cycles = COLUMN("wave_cycles"),
                      .instructions = COLUMN("instructions"),
                      .lost_waves = COLUMN("lost_waves"),
                      .slices = COLUMN("slices")};
}

static void open_waves(dv_input *d)
{
    dv_waves *w = &d->waves;
    uint32_t slots;
    const pf_side_table *s = open_table(d, "tinygrad_sqtt_slot", &slots);
    w->cu = COLUMN("cu");
    w->simd = COLUMN("simd");
    w->wave = COLUMN("wave");
    s = open_table(d, "tinygrad_sqtt_wave", &w->count);
    w->stream = COLUMN("stream");
    w->slot = COLUMN("slot");
    w->start = COLUMN("start");
    w->end = COLUMN("end");
    s = open_table(d, "tinygrad_sqtt_traced_wave", &w->traced_count);
    w->traced = COLUMN("wave");
    w->traced_instructions = COLUMN("instructions");
    w->traced_wait = COLUMN("wait");
}

static void open_levels(dv_input *d, dv_levels *l, const char *table, const char *value)
{
    const pf_side_table *s = open_table(d, table, &l->count);
    l->stream = COLUMN("stream");
    l->time = COLUMN("time");
    l->value = COLUMN(value);
}

static void open_lists(dv_input *d)
{
    const pf_side_table *s = open_table(d, "tinygrad_sqtt_count", &d->counts.count);
    d->counts = (dv_counts){d->counts.count, COLUMN("stream"), COLUMN("kind"), COLUMN("packets")};
    s = open_table(d, "tinygrad_sqtt_packet", &d->packets.count);
    d->packets = (dv_packets){d->packets.count, COLUMN("kind"), COLUMN("time"), COLUMN("raw")};
    s = open_table(d, "tinygrad_sqtt_instruction", &d->instructions.count);
    d->instructions = (dv_instructions){d->instructions.count, COLUMN("stream"), COLUMN("pc"),
                                        COLUMN("hits"),        COLUMN("gap"),    COLUMN("wait")};
    s = open_table(d, "tinygrad_sqtt_slice", &d->slices.count);
    d->slices = (dv_slices){.count = d->slices.count,
                            .stream = COLUMN("stream"),
                            .row = COLUMN("row"),
                            .name = COLUMN("name"),
                            .link = COLUMN("link"),
                            .start = COLUMN("start"),
                            .length = COLUMN("length"),
                            .pc = COLUMN("pc"),
                            .index = COLUMN("index")};
}

static void open_counters(dv_input *d)
{
    static const char *const dims[] = {"xcc", "instances", "se", "sa", "wgp"};
    dv_counters *c = &d->counters;
    const pf_side_table *s = open_table(d, "tinygrad_pmc", &c->count);
    *c = (dv_counters){.count = c->count,
                       .event = COLUMN("event"),
                       .kernel = COLUMN("kernel"),
                       .name = COLUMN("name"),
                       .block = COLUMN("block"),
                       .reg = COLUMN("register"),
                       .digits = COLUMN("sum_digits"),
                       .first = COLUMN("first_value"),
                       .tag = COLUMN("tag"),
                       .execution = COLUMN("exec_tag"),
                       .offset = COLUMN("offset"),
                       .size = COLUMN("size"),
                       .sum = COLUMN("sum"),
                       .values = COLUMN("values")};
    for (size_t i = 0; i < 5; i++) {
        c->dims[i] = COLUMN(dims[i]);
    }
    s = pf_trace_table(d->in->t, "tinygrad_pmc_value");
    c->value = COLUMN("value");
    c->value_digits = COLUMN("digits");
}

static void open_samples(dv_input *d)
{
    dv_samples *p = &d->samples;
    const pf_side_table *s = open_table(d, "tinygrad_pma", &p->count);
    p->event = COLUMN("event");
    p->kernel = COLUMN("kernel");
    p->first = COLUMN("first_sample");
    p->tag = COLUMN("tag");
    p->execution = COLUMN("exec_tag");
    p->sm_version = COLUMN("sm_version");
    p->bytes = COLUMN("bytes");
    p->samples = COLUMN("samples");
    p->dropped = COLUMN("dropped");
    s = open_table(d, "tinygrad_pma_stall", &p->stall_count);
    p->stall_stream = COLUMN("stream");
    p->stall_pc = COLUMN("pc");
    p->stall_reason = COLUMN("reason");
    p->stall_samples = COLUMN("samples");
    s = pf_trace_table(d->in->t, "tinygrad_pma_sample");
    p->gpc = COLUMN("gpc");
    p->tpc = COLUMN("tpc");
    p->sm = COLUMN("sm");
    p->pc = COLUMN("pc");
    p->reason = COLUMN("reason");
    p->key = COLUMN("key");
    p->wave = COLUMN("wave");
    p->active = COLUMN("active");
}

void pf_dv_open(dv_input *d, const tg_input *in, const tg_estimates *estimates, pf_findings *f)
{
    *d = (dv_input){.in = in, .f = f, .estimates = estimates};
    open_programs(d);
    open_streams(d);
    open_waves(d);
    open_levels(d, &d->occupancy, "tinygrad_sqtt_occupancy", "waves");
    open_levels(d, &d->clock, "tinygrad_sqtt_clock", "hz");
    open_lists(d);
    open_counters(d);
    open_samples(d);
}

/* ---- looking ----------------------------------------------------------------------------------------------------- */

static uint32_t first_not_below(const uint32_t *column, uint32_t count, uint64_t value)
{
    uint32_t from = 0, to = count;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (column[middle] < value) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return from;
}

dv_span pf_dv_span(const uint32_t *column, uint32_t count, uint32_t value)
{
    return (dv_span){first_not_below(column, count, value), first_not_below(column, count, (uint64_t)value + 1)};
}

bool pf_dv_same_kernel(dv_kernel a, dv_kernel b)
{
    return a.name == b.name && a.tag == b.tag;
}

uint32_t pf_dv_program(const dv_input *d, dv_kernel k)
{
    const dv_programs *p = &d->programs;
    for (uint32_t i = p->count; i > 0; i--) {
        bool numbered = p->tag[i - 1] != INT64_MIN;
        if (numbered ? p->tag[i - 1] == k.tag : k.name && p->name[i - 1] == k.name) {
            return i - 1;
        }
    }
    return PF_NONE;
}

pf_str pf_dv_kernel_name(const dv_input *d, dv_kernel k)
{
    uint32_t program = pf_dv_program(d, k);
    if (program != PF_NONE) {
        return pf_tg_string(d->in, d->programs.name[program]);
    }
    return k.name ? pf_tg_string(d->in, k.name) : pf_findings_format(d->f, "%lld", (long long)k.tag);
}
