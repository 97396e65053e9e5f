/* read/tinygrad/hardware/hardware_streams.c - thread traces: one stream after the other through the decoder. */
#include <string.h>

#include "read/tinygrad/hardware/hardware.h"

/* Packets decoded at a time; slices of one stream's timeline, as tinygrad's viewer limits them. */
enum { BATCH = 512, SLICES_MAX = 50000 };

static pf_status prepare(pf_hardware *h, pf_error *err)
{
    if (h->has_streams) {
        return PF_OK;
    }
    h->has_streams = true;
    pf_sqtt_build_tables(&h->sqtt);
    pf_status st = pf_hw_fill_words(h, err);
    st = st == PF_OK ? pf_sqtt_waves_init(&h->waves, &h->p->t->budget, err) : st;
    return st == PF_OK ? pf_sqtt_trace_init(&h->trace, &h->p->t->budget, SLICES_MAX, err) : st;
}

/* Once through the stream. */
static pf_status decode(pf_hardware *h, pf_bytes blob, bool traced, pf_error *err)
{
    pf_sqtt_packet packets[BATCH];
    pf_sqtt_decoder d;
    pf_sqtt_start(&d, &h->sqtt, blob);
    pf_sqtt_waves_restart(&h->waves);
    pf_status st = pf_sqtt_trace_restart(&h->trace, &h->code, err);
    for (size_t n; st == PF_OK && (n = pf_sqtt_next(&d, packets, BATCH)) > 0;) {
        st = pf_sqtt_waves_take(&h->waves, packets, n, err);
        st = st == PF_OK && traced ? pf_sqtt_trace_take(&h->trace, packets, n, err) : st;
    }
    return st;
}

static void set_totals(pf_hardware *h, uint32_t row, bool traced)
{
    const pf_sqtt_totals *t = &h->waves.total;
    const pf_sqtt_trace *trace = &h->trace;
    const struct {
        unsigned column;
        int64_t value;
    } cells[] = {
        {STREAM_PACKETS, (int64_t)t->packets},
        {STREAM_FIRST_TIME, t->packets ? t->first_time : INT64_MIN},
        {STREAM_LAST_TIME, t->packets ? t->last_time : INT64_MIN},
        {STREAM_LAYOUT, t->layout < 0 ? INT64_MIN : t->layout},
        {STREAM_WAVES_OPEN, (int64_t)t->open},
        {STREAM_UNMATCHED_ENDS, (int64_t)t->unmatched_ends},
        {STREAM_MOST_WAVES, pf_sqtt_most_open(&h->waves)},
        {STREAM_WAVE_CYCLES, t->wave_cycles},
        {STREAM_INSTRUCTIONS, traced ? (int64_t)trace->instructions : INT64_MIN},
        {STREAM_LOST_WAVES, traced ? (int64_t)trace->lost_waves : INT64_MIN},
        {STREAM_STRAYS, traced ? (int64_t)trace->strays : INT64_MIN},
    };
    for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++) {
        pf_hw_set(h, PF_HW_STREAM, cells[i].column, row, cells[i].value);
    }
}

static pf_status list_counts(pf_hardware *h, uint32_t stream, pf_error *err)
{
    pf_status st = PF_OK;
    for (unsigned k = 0; st == PF_OK && k < PF_SQTT_KINDS; k++) {
        uint64_t packets = h->waves.total.counts[k];
        uint32_t row;
        st = packets ? pf_hw_add_row(h, PF_HW_COUNT, &row, err) : PF_OK;
        if (packets && st == PF_OK) {
            pf_hw_refer(h, PF_HW_COUNT, COUNT_STREAM, row, stream);
            pf_hw_refer(h, PF_HW_COUNT, COUNT_KIND, row, h->kind_names[k]);
            pf_hw_set(h, PF_HW_COUNT, COUNT_PACKETS, row, (int64_t)packets);
        }
    }
    return st;
}

/* A stream's own cells; which program it is of. */
static pf_status add_stream(pf_hardware *h, uint32_t event, uint32_t object, pf_bytes blob, uint32_t *row,
                            pf_error *err)
{
    pf_status st = pf_hw_add_row(h, PF_HW_STREAM, row, err);
    if (st != PF_OK) {
        return st;
    }
    pf_hw_refer(h, PF_HW_STREAM, STREAM_EVENT, *row, event);
    pf_hw_set(h, PF_HW_STREAM, STREAM_SE, *row, pf_tiny_number(h->p, object, "se", INT64_MIN));
    pf_hw_set(h, PF_HW_STREAM, STREAM_ITRACE, *row, pf_tiny_number(h->p, object, "itrace", 0) != 0);
    pf_hw_set(h, PF_HW_STREAM, STREAM_EXECUTION, *row, pf_tiny_number(h->p, object, "exec_tag", 0));
    pf_hw_set(h, PF_HW_STREAM, STREAM_BYTES, *row, (int64_t)blob.len);
    return pf_hw_set_kernel(h, PF_HW_STREAM, STREAM_KERNEL, *row, object, err);
}

static uint32_t program_of(const pf_hardware *h, uint32_t stream)
{
    const pf_side_table *s = h->table[PF_HW_STREAM];
    return pf_map_get(&h->programs,
                      pf_hw_key(*pf_side_ref(s, STREAM_KERNEL, stream), *pf_side_number(s, STREAM_TAG, stream)));
}

static pf_status list_all(pf_hardware *h, uint32_t stream, pf_bytes blob, bool traced, pf_error *err)
{
    pf_status st = list_counts(h, stream, err);
    st = st == PF_OK ? pf_hw_list_waves(h, stream, err) : st;
    st = st == PF_OK ? pf_hw_list_levels(h, stream, err) : st;
    st = st == PF_OK ? pf_hw_list_packets(h, stream, blob, err) : st;
    if (st == PF_OK && traced) {
        st = pf_hw_list_instructions(h, stream, err);
        st = st == PF_OK ? pf_hw_list_slices(h, stream, err) : st;
    }
    return st;
}

pf_status pf_hw_read_stream(pf_hardware *h, uint32_t event, uint32_t object, pf_error *err)
{
    pf_bytes blob = pf_hw_bytes(h, object, "blob");
    uint32_t row;
    pf_status st = pf_hw_spend_stream(h, blob.len, err);
    st = st == PF_OK ? prepare(h, err) : st;
    st = st == PF_OK ? add_stream(h, event, object, blob, &row, err) : st;
    if (st != PF_OK) {
        return st;
    }
    bool traced = *pf_side_number(h->table[PF_HW_STREAM], STREAM_ITRACE, row);
    uint32_t program = program_of(h, row);
    pf_hw_refer(h, PF_HW_STREAM, STREAM_PROGRAM, row, program);
    st = pf_hw_open_code(h, program, err);
    st = st == PF_OK ? pf_hw_spend_code(h, h->code.text.len, err) : st;
    st = st == PF_OK ? decode(h, blob, traced, err) : st;
    if (st == PF_OK) {
        set_totals(h, row, traced);
        st = list_all(h, row, blob, traced, err);
    }
    return st;
}
