/* read/tinygrad/hardware/hardware_lists.c - the rows of one thread trace: waves, levels, instructions, slices, packets.
 */
#include <stdio.h>
#include <string.h>

#include "read/tinygrad/hardware/hardware.h"

enum { BATCH = 512 };

/* ---- waves ------------------------------------------------------------------------------------------------------- */

static pf_status slot_row(pf_hardware *h, unsigned cu, unsigned simd, unsigned wave, uint32_t *row, pf_error *err)
{
    uint64_t key = (uint64_t)cu << 16 | simd << 8 | wave;
    *row = pf_map_get(&h->slots, key);
    if (*row != PF_NONE) {
        return PF_OK;
    }
    pf_status st = pf_hw_add_row(h, PF_HW_SLOT, row, err);
    if (st != PF_OK) {
        return st;
    }
    pf_hw_set(h, PF_HW_SLOT, SLOT_CU, *row, cu);
    pf_hw_set(h, PF_HW_SLOT, SLOT_SIMD, *row, simd);
    pf_hw_set(h, PF_HW_SLOT, SLOT_WAVE, *row, wave);
    return pf_map_set(&h->slots, key, *row) ? PF_OK : pf_budget_refused(&h->p->t->budget, 0, err);
}

static pf_status add_traced(pf_hardware *h, uint32_t wave, const pf_sqtt_traced_wave *sum, pf_error *err)
{
    uint32_t row;
    pf_status st = pf_hw_add_row(h, PF_HW_TRACED_WAVE, &row, err);
    if (st == PF_OK) {
        pf_hw_refer(h, PF_HW_TRACED_WAVE, TRACED_WAVE, row, wave);
        pf_hw_set(h, PF_HW_TRACED_WAVE, TRACED_INSTRUCTIONS, row, (int64_t)sum->instructions);
        pf_hw_set(h, PF_HW_TRACED_WAVE, TRACED_WAIT, row, sum->wait);
        pf_hw_set(h, PF_HW_TRACED_WAVE, TRACED_LOST, row, sum->lost);
    }
    return st;
}

/* The traced unit's waves are in both lists in the same order. */
pf_status pf_hw_list_waves(pf_hardware *h, uint32_t stream, pf_error *err)
{
    const pf_sqtt_wave_table *w = &h->waves.waves;
    uint32_t row, traced = 0;
    pf_status st = w->count ? pf_side_add_rows(h->table[PF_HW_WAVE], w->count, &row, err) : PF_OK;
    for (uint32_t i = 0; st == PF_OK && i < w->count; i++, row++) {
        uint32_t slot;
        st = slot_row(h, w->cu[i], w->simd[i], w->wave[i], &slot, err);
        pf_hw_refer(h, PF_HW_WAVE, WAVE_STREAM, row, stream);
        pf_hw_refer(h, PF_HW_WAVE, WAVE_SLOT, row, slot);
        pf_hw_set(h, PF_HW_WAVE, WAVE_START, row, w->start[i]);
        pf_hw_set(h, PF_HW_WAVE, WAVE_END, row, w->end[i]);
        if (st == PF_OK && w->cu[i] == 0 && w->simd[i] == 0 && traced < h->trace.ended_count) {
            st = add_traced(h, row, &h->trace.ended[traced++], err);
        }
    }
    return st;
}

static pf_status list_level(pf_hardware *h, pf_hw_table table, const pf_sqtt_level_table *levels, uint32_t stream,
                            pf_error *err)
{
    uint32_t row;
    pf_status st = levels->count ? pf_side_add_rows(h->table[table], levels->count, &row, err) : PF_OK;
    for (uint32_t i = 0; st == PF_OK && i < levels->count; i++, row++) {
        pf_hw_refer(h, table, LEVEL_STREAM, row, stream);
        pf_hw_set(h, table, LEVEL_TIME, row, levels->time[i]);
        pf_hw_set(h, table, LEVEL_VALUE, row, levels->value[i]);
    }
    return st;
}

/* How many waves are open follows from the waves, so it is listed as far as rows are left. */
pf_status pf_hw_list_levels(pf_hardware *h, uint32_t stream, pf_error *err)
{
    const pf_sqtt_level_table *open = &h->waves.occupancy;
    uint32_t *left = &h->rows_left[PF_HW_OCCUPANCY];
    bool fits = open->count <= *left;
    *left -= fits ? open->count : *left;
    pf_status st = fits ? list_level(h, PF_HW_OCCUPANCY, open, stream, err) : PF_OK;
    return st == PF_OK ? list_level(h, PF_HW_CLOCK, &h->waves.clock, stream, err) : st;
}

/* ---- instructions ------------------------------------------------------------------------------------------------ */

pf_status pf_hw_list_instructions(pf_hardware *h, uint32_t stream, pf_error *err)
{
    pf_status st = PF_OK;
    for (uint32_t i = 0; st == PF_OK && i < h->code.dwords; i++) {
        const pf_sqtt_sum *sum = &h->trace.sums[i];
        uint32_t row;
        if (sum->hits == 0) {
            continue;
        }
        st = pf_hw_add_row(h, PF_HW_INSTRUCTION, &row, err);
        if (st == PF_OK) {
            pf_hw_refer(h, PF_HW_INSTRUCTION, INSTRUCTION_STREAM, row, stream);
            pf_hw_set(h, PF_HW_INSTRUCTION, INSTRUCTION_PC, row, (int64_t)pf_amd_code_pc(&h->code, i));
            pf_hw_set(h, PF_HW_INSTRUCTION, INSTRUCTION_HITS, row, (int64_t)sum->hits);
            pf_hw_set(h, PF_HW_INSTRUCTION, INSTRUCTION_GAP, row, sum->gap);
            pf_hw_set(h, PF_HW_INSTRUCTION, INSTRUCTION_WAIT, row, sum->wait);
        }
    }
    return st;
}

/* ---- slices ------------------------------------------------------------------------------------------------------ */

/* String ids of the rows, made when a row is first met. */
static pf_status row_name(pf_hardware *h, unsigned row, uint32_t *id, pf_error *err)
{
    char text[32];
    const char *name = pf_sqtt_row_name(row);
    if (!name) {
        snprintf(text, sizeof text, "WAVE:%u", row);
        name = text;
    }
    return pf_trace_add_string(h->p->t, (pf_str){name, strlen(name)}, id, err);
}

static pf_status set_slice_name(pf_hardware *h, uint32_t row, const char *name, unsigned code, pf_error *err)
{
    char text[32];
    if (!name) {
        snprintf(text, sizeof text, "0x%02x", code);
        name = text;
    }
    return pf_hw_word(h, PF_HW_SLICE, SLICE_NAME, row, name, err);
}

static pf_status set_slice(pf_hardware *h, uint32_t first, uint32_t i, pf_error *err)
{
    const pf_sqtt_slices *s = &h->trace.slices;
    uint32_t row = first + i, code = s->instruction[i], link = s->link[i];
    int64_t pc = code == PF_NONE ? INT64_MIN : (int64_t)pf_amd_code_pc(&h->code, code);
    pf_hw_set(h, PF_HW_SLICE, SLICE_START, row, s->start[i]);
    pf_hw_set(h, PF_HW_SLICE, SLICE_LENGTH, row, s->length[i]);
    pf_hw_set(h, PF_HW_SLICE, SLICE_PC, row, pc);
    pf_hw_refer(h, PF_HW_SLICE, SLICE_LINK, row, link == PF_NONE ? PF_NONE : first + link);
    pf_hw_set(h, PF_HW_SLICE, SLICE_INDEX, row, s->index[i]);
    return set_slice_name(h, row, s->name[i], s->code[i], err);
}

pf_status pf_hw_list_slices(pf_hardware *h, uint32_t stream, pf_error *err)
{
    const pf_sqtt_slices *s = &h->trace.slices;
    uint32_t rows[PF_SQTT_ROWS] = {0}, first;
    if (s->count > h->rows_left[PF_HW_SLICE]) {
        h->rows_left[PF_HW_SLICE] = 0;
        return PF_OK;
    }
    h->rows_left[PF_HW_SLICE] -= s->count;
    pf_hw_set(h, PF_HW_STREAM, STREAM_SLICES, stream, s->count);
    pf_status st = s->count ? pf_side_add_rows(h->table[PF_HW_SLICE], s->count, &first, err) : PF_OK;
    for (uint32_t i = 0; st == PF_OK && i < s->count; i++) {
        uint32_t *name = &rows[s->row[i]];
        st = *name ? PF_OK : row_name(h, s->row[i], name, err);
        pf_hw_refer(h, PF_HW_SLICE, SLICE_STREAM, first + i, stream);
        pf_hw_refer(h, PF_HW_SLICE, SLICE_ROW, first + i, *name);
        st = st == PF_OK ? set_slice(h, first, i, err) : st;
    }
    return st;
}

/* ---- packets ----------------------------------------------------------------------------------------------------- */

static void set_packets(pf_hardware *h, uint32_t stream, uint32_t row, const pf_sqtt_packet *packets, size_t count)
{
    for (size_t i = 0; i < count; i++, row++) {
        pf_hw_refer(h, PF_HW_PACKET, PACKET_STREAM, row, stream);
        pf_hw_set(h, PF_HW_PACKET, PACKET_TIME, row, packets[i].time);
        pf_hw_refer(h, PF_HW_PACKET, PACKET_KIND, row, h->kind_names[packets[i].kind]);
        pf_hw_set(h, PF_HW_PACKET, PACKET_RAW, row, (int64_t)packets[i].raw);
    }
}

/* Decodes once more: how many packets there are decides whether they are listed. */
pf_status pf_hw_list_packets(pf_hardware *h, uint32_t stream, pf_bytes blob, pf_error *err)
{
    uint64_t count = h->waves.total.packets;
    pf_sqtt_packet packets[BATCH];
    pf_sqtt_decoder d;
    uint32_t row;
    if (count == 0 || count > h->rows_left[PF_HW_PACKET]) {
        h->rows_left[PF_HW_PACKET] = count ? 0 : h->rows_left[PF_HW_PACKET];
        return PF_OK;
    }
    pf_status st = pf_side_add_rows(h->table[PF_HW_PACKET], (uint32_t)count, &row, err);
    if (st != PF_OK) {
        return st;
    }
    h->rows_left[PF_HW_PACKET] -= (uint32_t)count;
    pf_hw_refer(h, PF_HW_STREAM, STREAM_FIRST_PACKET, stream, row);
    pf_sqtt_start(&d, &h->sqtt, blob);
    for (size_t n; (n = pf_sqtt_next(&d, packets, BATCH)) > 0; row += (uint32_t)n) {
        set_packets(h, stream, row, packets, n);
    }
    return PF_OK;
}
