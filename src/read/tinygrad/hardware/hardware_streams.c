/* read/tinygrad/hardware/hardware_streams.c - thread traces: one stream after the other through the decoder, and the
 * rows of each: waves, levels, instructions, slices, packets. */
#include <stdio.h>

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

static pf_status slot_row(pf_tiny_hardware *h, unsigned cu, unsigned simd, unsigned wave, uint32_t *row)
{
    uint64_t key = (uint64_t)cu << 16 | simd << 8 | wave;
    *row = pf_map_get(&h->slots, key);
    if (*row != PF_NONE) {
        return PF_OK;
    }
    PF_TRY(pf_tiny_put(h->p, PF_TINY_SLOT, PF_CELLS(cu, simd, wave)));
    *row = pf_tiny_last(h->p, PF_TINY_SLOT);
    return pf_map_put(&h->slots, key, *row, h->p->err);
}

/* The traced unit's waves are in both lists in the same order. */
static pf_status list_waves(pf_tiny_hardware *h, uint32_t stream)
{
    const pf_sqtt_wave_table *w = &h->waves.waves;
    uint32_t slot, traced = 0;
    for (uint32_t i = 0; i < w->count; i++) {
        PF_TRY(slot_row(h, w->cu[i], w->simd[i], w->wave[i], &slot));
        PF_TRY(pf_tiny_put(h->p, PF_TINY_WAVE, PF_CELLS(stream, slot, w->start[i], w->end[i])));
        if (w->cu[i] == 0 && w->simd[i] == 0 && traced < h->trace.ended_count) {
            const pf_sqtt_traced_wave *sum = &h->trace.ended[traced++];
            PF_TRY(pf_tiny_put(
                h->p, PF_TINY_TRACED_WAVE,
                PF_CELLS(pf_tiny_last(h->p, PF_TINY_WAVE), (int64_t)sum->instructions, sum->wait, sum->lost)));
        }
    }
    return PF_OK;
}

static pf_status list_level(pf_tiny_hardware *h, pf_tiny_table table, const pf_sqtt_level_table *l, uint32_t stream)
{
    for (uint32_t i = 0; i < l->count; i++) {
        PF_TRY(pf_tiny_put(h->p, table, PF_CELLS(stream, l->time[i], l->value[i])));
    }
    return PF_OK;
}

static pf_status list_instructions(pf_tiny_hardware *h, uint32_t stream)
{
    for (uint32_t i = 0; i < h->code.dwords; i++) {
        const pf_sqtt_sum *sum = &h->trace.sums[i];
        if (sum->hits) {
            int64_t pc = (int64_t)pf_amd_code_pc(&h->code, i);
            PF_TRY(
                pf_tiny_put(h->p, PF_TINY_INSTRUCTION, PF_CELLS(stream, pc, (int64_t)sum->hits, sum->gap, sum->wait)));
        }
    }
    return PF_OK;
}

/* The name of a row of the timeline, made when a slice is first met there. */
static uint32_t row_name(pf_tiny_hardware *h, unsigned row, uint32_t names[PF_SQTT_ROWS])
{
    const char *name = pf_sqtt_row_name(row);
    char text[32];
    snprintf(text, sizeof text, "WAVE:%u", row);
    names[row] = names[row] ? names[row] : pf_tiny_word(h->p, name ? name : text);
    return names[row];
}

static pf_status list_slices(pf_tiny_hardware *h, uint32_t stream)
{
    const pf_sqtt_slices *s = &h->trace.slices;
    uint32_t names[PF_SQTT_ROWS] = {0}, first = h->p->table[PF_TINY_SLICE]->count;
    if (!pf_tiny_takes_rows(h, PF_TINY_SLICE, s->count)) {
        return PF_OK;
    }
    *pf_tiny_int_at(h->p, PF_TINY_STREAM, STREAM_SLICES, stream) = s->count;
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t code = s->instruction[i], link = s->link[i], row = row_name(h, s->row[i], names);
        char number[32];
        snprintf(number, sizeof number, "0x%02x", s->code[i]);
        uint32_t name = pf_tiny_word(h->p, s->name[i] ? s->name[i] : number);
        int64_t pc = code == PF_NONE ? INT64_MIN : (int64_t)pf_amd_code_pc(&h->code, code);
        PF_TRY(pf_tiny_put(h->p, PF_TINY_SLICE,
                           PF_CELLS(stream, row, name, s->start[i], s->length[i], pc,
                                    link == PF_NONE ? PF_NONE : first + link, s->index[i])));
    }
    return PF_OK;
}

/* Decodes once more: how many packets there are decides whether they are listed. */
static pf_status list_packets(pf_tiny_hardware *h, uint32_t stream, pf_bytes blob)
{
    uint64_t count = h->waves.total.packets;
    pf_side_table *table = h->p->table[PF_TINY_PACKET];
    pf_sqtt_packet packets[BATCH];
    pf_sqtt_decoder d;
    uint32_t row;
    if (count == 0 || !pf_tiny_takes_rows(h, PF_TINY_PACKET, count)) {
        return PF_OK;
    }
    PF_TRY(pf_side_add_rows(table, (uint32_t)count, &row, h->p->err));
    *pf_tiny_ref_at(h->p, PF_TINY_STREAM, STREAM_FIRST_PACKET, stream) = row;
    pf_sqtt_start(&d, &h->sqtt, blob);
    for (size_t n; (n = pf_sqtt_next(&d, packets, BATCH)) > 0;) {
        for (size_t i = 0; i < n; i++, row++) {
            const pf_sqtt_packet *p = &packets[i];
            *pf_side_ref(table, PACKET_STREAM, row) = stream;
            *pf_side_number(table, PACKET_TIME, row) = p->time;
            *pf_side_ref(table, PACKET_KIND, row) = h->kind_names[p->kind];
            *pf_side_number(table, PACKET_RAW, row) = (int64_t)p->raw;
        }
    }
    return PF_OK;
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
    for (unsigned k = 0; k < PF_SQTT_KINDS; k++) {
        const int64_t packets = (int64_t)h->waves.total.counts[k];
        PF_TRY(packets ? pf_tiny_put(h->p, PF_TINY_COUNT, PF_CELLS(row, h->kind_names[k], packets)) : PF_OK);
    }
    PF_TRY(list_waves(h, row));
    /* how many waves are open follows from the waves, so it is listed as far as rows are left */
    bool fits = pf_tiny_takes_rows(h, PF_TINY_OCCUPANCY, h->waves.occupancy.count);
    PF_TRY(fits ? list_level(h, PF_TINY_OCCUPANCY, &h->waves.occupancy, row) : PF_OK);
    PF_TRY(list_level(h, PF_TINY_CLOCK, &h->waves.clock, row));
    PF_TRY(list_packets(h, row, blob));
    PF_TRY(traced ? list_instructions(h, row) : PF_OK);
    return traced ? list_slices(h, row) : PF_OK;
}
