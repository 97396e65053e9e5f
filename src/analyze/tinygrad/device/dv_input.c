/* analyze/tinygrad/device/dv_input.c - finds the tables and their columns by name. */
#include "analyze/tinygrad/device/dv_input.h"

static const tg_binding program_columns[] = {TG_COLUMN(dv_programs, name), TG_COLUMN(dv_programs, target),
                                             TG_COLUMN(dv_programs, code), TG_COLUMN(dv_programs, tag),
                                             TG_COLUMN(dv_programs, base)};
static const tg_binding code_columns[] = {TG_AS(dv_programs, code_program, "program"), TG_COLUMN(dv_programs, pc),
                                          TG_COLUMN(dv_programs, size)};
static const tg_binding stream_columns[] = {TG_COLUMN(dv_streams, event),
                                            TG_COLUMN(dv_streams, kernel),
                                            TG_COLUMN(dv_streams, program),
                                            TG_COLUMN(dv_streams, first_packet),
                                            TG_COLUMN(dv_streams, tag),
                                            TG_COLUMN(dv_streams, se),
                                            TG_COLUMN(dv_streams, itrace),
                                            TG_AS(dv_streams, execution, "exec_tag"),
                                            TG_COLUMN(dv_streams, bytes),
                                            TG_COLUMN(dv_streams, packets),
                                            TG_COLUMN(dv_streams, first_time),
                                            TG_COLUMN(dv_streams, last_time),
                                            TG_COLUMN(dv_streams, layout),
                                            TG_COLUMN(dv_streams, waves_open),
                                            TG_COLUMN(dv_streams, unmatched_ends),
                                            TG_COLUMN(dv_streams, max_waves),
                                            TG_COLUMN(dv_streams, wave_cycles),
                                            TG_COLUMN(dv_streams, instructions),
                                            TG_COLUMN(dv_streams, lost_waves),
                                            TG_COLUMN(dv_streams, slices)};
static const tg_binding slot_columns[] = {TG_COLUMN(dv_waves, cu), TG_COLUMN(dv_waves, simd),
                                          TG_COLUMN(dv_waves, wave)};
static const tg_binding wave_columns[] = {TG_COLUMN(dv_waves, stream), TG_COLUMN(dv_waves, slot),
                                          TG_COLUMN(dv_waves, start), TG_COLUMN(dv_waves, end)};
static const tg_binding traced_columns[] = {TG_AS(dv_waves, traced, "wave"),
                                            TG_AS(dv_waves, traced_instructions, "instructions"),
                                            TG_AS(dv_waves, traced_wait, "wait")};
static const tg_binding occupancy_columns[] = {TG_COLUMN(dv_levels, stream), TG_COLUMN(dv_levels, time),
                                               TG_AS(dv_levels, value, "waves")};
static const tg_binding clock_columns[] = {TG_COLUMN(dv_levels, stream), TG_COLUMN(dv_levels, time),
                                           TG_AS(dv_levels, value, "hz")};
static const tg_binding count_columns[] = {TG_COLUMN(dv_counts, stream), TG_COLUMN(dv_counts, kind),
                                           TG_COLUMN(dv_counts, packets)};
static const tg_binding packet_columns[] = {TG_COLUMN(dv_packets, kind), TG_COLUMN(dv_packets, time),
                                            TG_COLUMN(dv_packets, raw)};
static const tg_binding instruction_columns[] = {TG_COLUMN(dv_instructions, stream), TG_COLUMN(dv_instructions, pc),
                                                 TG_COLUMN(dv_instructions, hits), TG_COLUMN(dv_instructions, gap),
                                                 TG_COLUMN(dv_instructions, wait)};
static const tg_binding slice_columns[] = {TG_COLUMN(dv_slices, stream), TG_COLUMN(dv_slices, row),
                                           TG_COLUMN(dv_slices, name),   TG_COLUMN(dv_slices, link),
                                           TG_COLUMN(dv_slices, start),  TG_COLUMN(dv_slices, length),
                                           TG_COLUMN(dv_slices, pc),     TG_COLUMN(dv_slices, index)};
static const tg_binding counter_columns[] = {TG_COLUMN(dv_counters, event),
                                             TG_COLUMN(dv_counters, kernel),
                                             TG_COLUMN(dv_counters, name),
                                             TG_COLUMN(dv_counters, block),
                                             TG_AS(dv_counters, reg, "register"),
                                             TG_AS(dv_counters, digits, "sum_digits"),
                                             TG_AS(dv_counters, first, "first_value"),
                                             TG_COLUMN(dv_counters, tag),
                                             TG_AS(dv_counters, execution, "exec_tag"),
                                             TG_AS(dv_counters, dims[0], "xcc"),
                                             TG_AS(dv_counters, dims[1], "instances"),
                                             TG_AS(dv_counters, dims[2], "se"),
                                             TG_AS(dv_counters, dims[3], "sa"),
                                             TG_AS(dv_counters, dims[4], "wgp"),
                                             TG_COLUMN(dv_counters, offset),
                                             TG_COLUMN(dv_counters, size),
                                             TG_COLUMN(dv_counters, sum),
                                             TG_COLUMN(dv_counters, values)};
static const tg_binding value_columns[] = {TG_COLUMN(dv_counters, value), TG_AS(dv_counters, value_digits, "digits")};
static const tg_binding pma_columns[] = {TG_COLUMN(dv_samples, event),
                                         TG_COLUMN(dv_samples, kernel),
                                         TG_AS(dv_samples, first, "first_sample"),
                                         TG_COLUMN(dv_samples, tag),
                                         TG_AS(dv_samples, execution, "exec_tag"),
                                         TG_COLUMN(dv_samples, sm_version),
                                         TG_COLUMN(dv_samples, bytes),
                                         TG_COLUMN(dv_samples, samples),
                                         TG_COLUMN(dv_samples, dropped)};
static const tg_binding stall_columns[] = {TG_AS(dv_samples, stall_stream, "stream"), TG_AS(dv_samples, stall_pc, "pc"),
                                           TG_AS(dv_samples, stall_reason, "reason"),
                                           TG_AS(dv_samples, stall_samples, "samples")};
static const tg_binding sample_columns[] = {TG_COLUMN(dv_samples, gpc),    TG_COLUMN(dv_samples, tpc),
                                            TG_COLUMN(dv_samples, sm),     TG_COLUMN(dv_samples, pc),
                                            TG_COLUMN(dv_samples, reason), TG_COLUMN(dv_samples, key),
                                            TG_COLUMN(dv_samples, wave),   TG_COLUMN(dv_samples, active)};

void pf_dv_open(dv_input *d, const tg_input *in, const tg_estimates *estimates, pf_findings *f)
{
    const pf_trace *t = in->t;
    *d = (dv_input){.in = in, .f = f, .estimates = estimates};
    d->programs.count = TG_BIND(t, "tinygrad_program", program_columns, &d->programs);
    d->programs.code_count = TG_BIND(t, "tinygrad_code", code_columns, &d->programs);
    d->streams.count = TG_BIND(t, "tinygrad_sqtt", stream_columns, &d->streams);
    TG_BIND(t, "tinygrad_sqtt_slot", slot_columns, &d->waves);
    d->waves.count = TG_BIND(t, "tinygrad_sqtt_wave", wave_columns, &d->waves);
    d->waves.traced_count = TG_BIND(t, "tinygrad_sqtt_traced_wave", traced_columns, &d->waves);
    d->occupancy.count = TG_BIND(t, "tinygrad_sqtt_occupancy", occupancy_columns, &d->occupancy);
    d->clock.count = TG_BIND(t, "tinygrad_sqtt_clock", clock_columns, &d->clock);
    d->counts.count = TG_BIND(t, "tinygrad_sqtt_count", count_columns, &d->counts);
    d->packets.count = TG_BIND(t, "tinygrad_sqtt_packet", packet_columns, &d->packets);
    d->instructions.count = TG_BIND(t, "tinygrad_sqtt_instruction", instruction_columns, &d->instructions);
    d->slices.count = TG_BIND(t, "tinygrad_sqtt_slice", slice_columns, &d->slices);
    d->counters.count = TG_BIND(t, "tinygrad_pmc", counter_columns, &d->counters);
    TG_BIND(t, "tinygrad_pmc_value", value_columns, &d->counters);
    d->samples.count = TG_BIND(t, "tinygrad_pma", pma_columns, &d->samples);
    d->samples.stall_count = TG_BIND(t, "tinygrad_pma_stall", stall_columns, &d->samples);
    TG_BIND(t, "tinygrad_pma_sample", sample_columns, &d->samples);
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
