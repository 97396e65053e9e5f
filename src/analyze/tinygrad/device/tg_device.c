/* analyze/tinygrad/device/tg_device.c - finds the tables and their columns by name. */
#include "analyze/tinygrad/device/tg_device.h"

static const tg_table tables[] = {
    TG_TABLE("tinygrad_program", tg_device, programs, TG_COLUMN(tg_programs, name), TG_COLUMN(tg_programs, target),
             TG_COLUMN(tg_programs, code), TG_COLUMN(tg_programs, tag), TG_COLUMN(tg_programs, base)),
    TG_TABLE("tinygrad_code", tg_device, codes, TG_COLUMN(tg_codes, program), TG_COLUMN(tg_codes, pc),
             TG_COLUMN(tg_codes, size)),
    TG_TABLE("tinygrad_sqtt", tg_device, streams, TG_COLUMN(tg_streams, event), TG_COLUMN(tg_streams, kernel),
             TG_COLUMN(tg_streams, program), TG_COLUMN(tg_streams, first_packet), TG_COLUMN(tg_streams, tag),
             TG_COLUMN(tg_streams, se), TG_COLUMN(tg_streams, itrace), TG_COLUMN(tg_streams, exec_tag),
             TG_COLUMN(tg_streams, bytes), TG_COLUMN(tg_streams, packets), TG_COLUMN(tg_streams, first_time),
             TG_COLUMN(tg_streams, last_time), TG_COLUMN(tg_streams, layout), TG_COLUMN(tg_streams, waves_open),
             TG_COLUMN(tg_streams, unmatched_ends), TG_COLUMN(tg_streams, max_waves),
             TG_COLUMN(tg_streams, wave_cycles), TG_COLUMN(tg_streams, instructions), TG_COLUMN(tg_streams, lost_waves),
             TG_COLUMN(tg_streams, slices)),
    TG_TABLE("tinygrad_sqtt_count", tg_device, counts, TG_COLUMN(tg_counts, stream), TG_COLUMN(tg_counts, kind),
             TG_COLUMN(tg_counts, packets)),
    TG_TABLE("tinygrad_sqtt_packet", tg_device, packets, TG_COLUMN(tg_packets, kind), TG_COLUMN(tg_packets, time),
             TG_COLUMN(tg_packets, raw)),
    TG_TABLE("tinygrad_sqtt_field", tg_device, fields, TG_COLUMN(tg_fields, kind), TG_COLUMN(tg_fields, field),
             TG_COLUMN(tg_fields, words), TG_COLUMN(tg_fields, high), TG_COLUMN(tg_fields, low),
             TG_COLUMN(tg_fields, shift)),
    TG_TABLE("tinygrad_sqtt_word", tg_device, words, TG_COLUMN(tg_words, words), TG_COLUMN(tg_words, name),
             TG_COLUMN(tg_words, code)),
    TG_TABLE("tinygrad_sqtt_wave", tg_device, waves, TG_COLUMN(tg_waves, stream), TG_COLUMN(tg_waves, slot),
             TG_COLUMN(tg_waves, start), TG_COLUMN(tg_waves, end)),
    TG_TABLE("tinygrad_sqtt_slot", tg_device, slots, TG_COLUMN(tg_slots, cu), TG_COLUMN(tg_slots, simd),
             TG_COLUMN(tg_slots, wave)),
    TG_TABLE("tinygrad_sqtt_occupancy", tg_device, occupancy, TG_COLUMN(tg_levels, stream), TG_COLUMN(tg_levels, time),
             TG_AS(tg_levels, value, "waves")),
    TG_TABLE("tinygrad_sqtt_clock", tg_device, clock, TG_COLUMN(tg_levels, stream), TG_COLUMN(tg_levels, time),
             TG_AS(tg_levels, value, "hz")),
    TG_TABLE("tinygrad_sqtt_instruction", tg_device, instructions, TG_COLUMN(tg_instructions, stream),
             TG_COLUMN(tg_instructions, pc), TG_COLUMN(tg_instructions, hits), TG_COLUMN(tg_instructions, gap),
             TG_COLUMN(tg_instructions, wait)),
    TG_TABLE("tinygrad_sqtt_slice", tg_device, slices, TG_COLUMN(tg_unit_slices, stream),
             TG_COLUMN(tg_unit_slices, row), TG_COLUMN(tg_unit_slices, name), TG_COLUMN(tg_unit_slices, link),
             TG_COLUMN(tg_unit_slices, start), TG_COLUMN(tg_unit_slices, length), TG_COLUMN(tg_unit_slices, pc),
             TG_COLUMN(tg_unit_slices, index)),
    TG_TABLE("tinygrad_pmc", tg_device, counters, TG_COLUMN(tg_pmc, event), TG_COLUMN(tg_pmc, kernel),
             TG_COLUMN(tg_pmc, name), TG_COLUMN(tg_pmc, block), TG_COLUMN(tg_pmc, tag), TG_COLUMN(tg_pmc, exec_tag),
             TG_COLUMN(tg_pmc, offset), TG_COLUMN(tg_pmc, size), TG_COLUMN(tg_pmc, sum), TG_COLUMN(tg_pmc, values),
             TG_AS(tg_pmc, reg, "register"), TG_AS(tg_pmc, digits, "sum_digits"), TG_AS(tg_pmc, first, "first_value"),
             TG_AS(tg_pmc, dims[0], "xcc"), TG_AS(tg_pmc, dims[1], "instances"), TG_AS(tg_pmc, dims[2], "se"),
             TG_AS(tg_pmc, dims[3], "sa"), TG_AS(tg_pmc, dims[4], "wgp")),
    TG_TABLE("tinygrad_pmc_value", tg_device, values, TG_COLUMN(tg_pmc_values, value),
             TG_COLUMN(tg_pmc_values, digits)),
    TG_TABLE("tinygrad_pma", tg_device, pma, TG_COLUMN(tg_pma, event), TG_COLUMN(tg_pma, kernel),
             TG_COLUMN(tg_pma, first_sample), TG_COLUMN(tg_pma, tag), TG_COLUMN(tg_pma, exec_tag),
             TG_COLUMN(tg_pma, sm_version), TG_COLUMN(tg_pma, bytes), TG_COLUMN(tg_pma, samples),
             TG_COLUMN(tg_pma, dropped)),
    TG_TABLE("tinygrad_pma_stall", tg_device, stalls, TG_COLUMN(tg_stalls, stream), TG_COLUMN(tg_stalls, reason),
             TG_COLUMN(tg_stalls, pc), TG_COLUMN(tg_stalls, samples)),
    TG_TABLE("tinygrad_pma_sample", tg_device, samples, TG_COLUMN(tg_pma_samples, gpc), TG_COLUMN(tg_pma_samples, tpc),
             TG_COLUMN(tg_pma_samples, sm), TG_COLUMN(tg_pma_samples, pc), TG_COLUMN(tg_pma_samples, reason),
             TG_COLUMN(tg_pma_samples, key), TG_COLUMN(tg_pma_samples, wave), TG_COLUMN(tg_pma_samples, active)),
    TG_TABLE("tinygrad_record", tg_device, records, TG_COLUMN(tg_records, kernel), TG_COLUMN(tg_records, event)),
};

pf_status pf_tg_open_device(tg_device *d, const tg_input *in, const tg_estimates *estimates, pf_findings *f,
                            pf_error *err)
{
    *d = (tg_device){.in = in, .f = f, .estimates = estimates};
    return pf_tg_bind(in->t, tables, sizeof tables / sizeof *tables, d, err);
}

/* ---- looking ----------------------------------------------------------------------------------------------------- */

bool pf_tg_same_kernel(tg_kernel a, tg_kernel b)
{
    return a.name == b.name && a.tag == b.tag;
}

uint32_t pf_tg_program_of(const tg_device *d, tg_kernel k)
{
    const tg_programs *p = &d->programs;
    for (uint32_t i = p->count; i > 0; i--) {
        bool numbered = p->tag[i - 1] != INT64_MIN;
        if (numbered ? p->tag[i - 1] == k.tag : k.name && p->name[i - 1] == k.name) {
            return i - 1;
        }
    }
    return PF_NONE;
}

pf_str pf_tg_kernel_name(const tg_device *d, tg_kernel k)
{
    uint32_t program = pf_tg_program_of(d, k);
    if (program != PF_NONE) {
        return pf_tg_string(d->in, d->programs.name[program]);
    }
    return k.name ? pf_tg_string(d->in, k.name) : pf_findings_format(d->f, "%lld", (long long)k.tag);
}
