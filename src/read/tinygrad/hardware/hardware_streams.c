/* read/tinygrad/hardware/hardware_streams.c - thread traces: one stream after the other through the decoder. */
#include "read/tinygrad/hardware/hardware.h"

/* Packets decoded at a time; slices of one stream's timeline, as tinygrad's viewer limits them. */
enum { BATCH = 512, SLICES_MAX = 50000 };

static pf_status prepare(pf_tiny_hardware *h)
{
    if (h->has_streams) {
        return PF_OK;
    }
    h->has_streams = true;
    pf_sqtt_build_tables(&h->sqtt);
    PF_TRY(pf_tiny_add_dictionary(h));
    PF_TRY(pf_sqtt_waves_init(&h->waves, &h->p->t->budget, h->p->err));
    return pf_sqtt_trace_init(&h->trace, &h->p->t->budget, SLICES_MAX, h->p->err);
}

/* Decodes a stream into h->waves and, where instructions are traced, h->trace. */
static pf_status decode(pf_tiny_hardware *h, pf_bytes blob, bool traced)
{
    pf_sqtt_packet packets[BATCH];
    pf_sqtt_decoder d;
    pf_sqtt_start(&d, &h->sqtt, blob);
    pf_sqtt_waves_restart(&h->waves);
    PF_TRY(pf_sqtt_trace_restart(&h->trace, &h->code, h->p->err));
    for (size_t n; (n = pf_sqtt_next(&d, packets, BATCH)) > 0;) {
        PF_TRY(pf_sqtt_waves_take(&h->waves, packets, n, h->p->err));
        PF_TRY(traced ? pf_sqtt_trace_take(&h->trace, packets, n, h->p->err) : PF_OK);
    }
    return PF_OK;
}

static pf_status list_counts(const pf_tiny_hardware *h, uint32_t stream)
{
    const uint64_t *counts = h->waves.total.counts;
    for (unsigned k = 0; k < PF_SQTT_KINDS; k++) {
        PF_TRY(counts[k] ? pf_tiny_put(h->p, PF_TINY_COUNT, PF_CELLS(stream, h->kind_names[k], (int64_t)counts[k]))
                         : PF_OK);
    }
    return PF_OK;
}

/* What was decoded of a stream, for the cells of its row. */
static pf_status add_stream(pf_tiny_hardware *h, uint32_t event, uint32_t object, pf_tiny_kernel kernel, pf_bytes blob,
                            bool traced)
{
    const pf_sqtt_totals *t = &h->waves.total;
    const pf_sqtt_trace *trace = &h->trace;
    int64_t se = pf_tiny_number(h->p, object, "se", INT64_MIN), execution = pf_tiny_number(h->p, object, "exec_tag", 0);
    int64_t first = t->packets ? t->first_time : INT64_MIN, last = t->packets ? t->last_time : INT64_MIN;
    int64_t layout = t->layout < 0 ? INT64_MIN : t->layout;
    int64_t instructions = traced ? (int64_t)trace->instructions : INT64_MIN;
    int64_t lost = traced ? (int64_t)trace->lost_waves : INT64_MIN,
            strays = traced ? (int64_t)trace->strays : INT64_MIN;
    return pf_tiny_put(h->p, PF_TINY_STREAM,
                       PF_CELLS(event, kernel.name, kernel.tag, h->code_of, se, traced, execution, (int64_t)blob.len,
                                (int64_t)t->packets, first, last, layout, (int64_t)t->open, (int64_t)t->unmatched_ends,
                                pf_sqtt_most_open(&h->waves), t->wave_cycles, instructions, lost, strays, PF_NONE,
                                INT64_MIN));
}

pf_status pf_tiny_read_stream(pf_tiny_hardware *h, uint32_t event, uint32_t object)
{
    pf_bytes blob = pf_tiny_bytes(h->p, object, "blob");
    bool traced = pf_tiny_number(h->p, object, "itrace", 0) != 0;
    PF_TRY(pf_tiny_spend(h, &h->stream_bytes_left, blob.len));
    PF_TRY(prepare(h));
    pf_tiny_kernel kernel = pf_tiny_kernel_of(h->p, object);
    PF_TRY(pf_tiny_open_code(h, pf_map_get(&h->programs, pf_tiny_kernel_key(kernel.name, kernel.tag))));
    PF_TRY(pf_tiny_spend(h, &h->code_bytes_left, h->code.text.len));
    PF_TRY(decode(h, blob, traced));
    PF_TRY(add_stream(h, event, object, kernel, blob, traced));
    uint32_t row = pf_tiny_last(h->p, PF_TINY_STREAM);
    PF_TRY(list_counts(h, row));
    PF_TRY(pf_tiny_list_waves(h, row));
    PF_TRY(pf_tiny_list_levels(h, row));
    PF_TRY(pf_tiny_list_packets(h, row, blob));
    PF_TRY(traced ? pf_tiny_list_instructions(h, row) : PF_OK);
    return traced ? pf_tiny_list_slices(h, row) : PF_OK;
}
