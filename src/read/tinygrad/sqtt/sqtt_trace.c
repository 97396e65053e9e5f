/* read/tinygrad/sqtt/sqtt_trace.c - follows the program counters of the traced unit's waves (CU 0, SIMD 0). */
#include "read/tinygrad/sqtt/sqtt_trace.h"

#include <string.h>

#include "base/list.h"
#include "read/tinygrad/sqtt/sqtt_waves.h"

enum { OP_JUMP = 3, OP_JUMP_NO = 4 };

pf_status pf_sqtt_trace_init(pf_sqtt_trace *t, pf_budget *budget, uint32_t slice_limit, pf_error *err)
{
    *t = (pf_sqtt_trace){.budget = budget};
    return pf_sqtt_slices_init(&t->slices, budget, slice_limit, err);
}

void pf_sqtt_trace_free(pf_sqtt_trace *t)
{
    PF_LIST_FREE(t->budget, t->sums, t->sum_count);
    PF_LIST_FREE(t->budget, t->ended, t->ended_room);
    pf_columns_free(&t->slices.columns);
}

pf_status pf_sqtt_trace_restart(pf_sqtt_trace *t, const pf_amd_code *code, pf_error *err)
{
    PF_LIST_FREE(t->budget, t->sums, t->sum_count);
    t->sums = NULL;
    t->sum_count = 0;
    PF_TRY(code->dwords ? PF_LIST_NEW(t->budget, t->sums, code->dwords, err) : PF_OK);
    t->sum_count = code->dwords;
    t->code = code;
    t->ended_count = 0;
    t->instructions = t->lost_waves = t->strays = 0;
    memset(t->wave, 0, sizeof t->wave);
    pf_sqtt_slices_restart(&t->slices);
    return PF_OK;
}

/* Gives up the place of a wave that has one. */
static void lose(pf_sqtt_trace *t, pf_sqtt_wave_state *w)
{
    w->sum.lost = true;
    t->lost_waves++;
    w->instruction = PF_NONE;
}

/* Notes that the wave issues the instruction it stands at. */
static uint32_t count_issue(pf_sqtt_trace *t, pf_sqtt_wave_state *w, int64_t time)
{
    uint32_t at = w->instruction;
    int64_t gap = w->started ? (int64_t)((uint64_t)time - (uint64_t)w->time) : 0;
    w->started = true;
    w->time = time;
    if (at == PF_NONE) {
        return at;
    }
    int64_t wait = (t->code->flags[at] & PF_AMD_WAIT) && gap > 0 ? gap - 1 : 0;
    t->sums[at].hits++;
    t->sums[at].gap += gap;
    t->sums[at].wait += wait;
    t->instructions++;
    w->sum.instructions++;
    w->sum.wait += wait;
    return at;
}

/* The instruction `offset` bytes after the end of the one the wave stands at. */
static void advance(pf_sqtt_trace *t, pf_sqtt_wave_state *w, int64_t offset)
{
    uint32_t at = w->instruction;
    if (at != PF_NONE) {
        uint64_t pc = pf_amd_code_pc(t->code, at) + t->code->size[at] * 4u + (uint64_t)offset;
        w->instruction = pf_amd_code_at(t->code, pc);
        if (w->instruction == PF_NONE) {
            lose(t, w);
        }
    }
}

/* One issue of a wave: the instruction, and on to the next. operation: of an INST packet, else -1. */
static uint32_t step_wave(pf_sqtt_trace *t, unsigned wave, int64_t time, int operation)
{
    pf_sqtt_wave_state *w = &t->wave[wave];
    if (!w->alive) {
        t->strays++;
        return PF_NONE;
    }
    while (w->instruction != PF_NONE && (t->code->flags[w->instruction] & PF_AMD_SILENT)) {
        advance(t, w, 0);
    }
    bool jump = operation == OP_JUMP || operation == OP_JUMP_NO;
    if (w->instruction != PF_NONE && (t->code->flags[w->instruction] & PF_AMD_BRANCH) && !jump) {
        lose(t, w);
    }
    uint32_t at = count_issue(t, w, time);
    advance(t, w, at != PF_NONE && operation == OP_JUMP ? pf_amd_code_jump(t->code, at) : 0);
    return at;
}

static pf_status end_wave(pf_sqtt_trace *t, const pf_sqtt_packet *p, unsigned wave, pf_error *err)
{
    pf_sqtt_wave_state *w = &t->wave[wave];
    pf_sqtt_issue issue = {p->time, pf_sqtt_kinds[p->kind].name, PF_NONE, (uint8_t)wave, .cycles = 1};
    if (w->alive) {
        issue.instruction = count_issue(t, w, p->time);
        PF_TRY(PF_LIST_ROOM(t->budget, t->ended, t->ended_count + 1, t->ended_room, err));
        t->ended[t->ended_count++] = w->sum;
        w->alive = false;
    }
    return pf_sqtt_slices_issue(&t->slices, &issue, err);
}

static pf_status take_operation(pf_sqtt_trace *t, const pf_sqtt_packet *p, unsigned wave, unsigned code, pf_error *err)
{
    const char *name = pf_sqtt_operation(p->family, code);
    pf_sqtt_issue issue = {p->time, name, PF_NONE, (uint8_t)wave, (uint8_t)code, .cycles = 1};
    bool traced = p->family != PF_SQTT_CDNA;
    if (traced && !(name && pf_sqtt_is_other(name))) {
        issue.instruction = step_wave(t, wave, p->time, (int)code);
    }
    if (name && traced) {
        issue.unit = pf_sqtt_unit_of(name);
        issue.cycles = (uint8_t)pf_sqtt_cycles_of(name);
        issue.product = strncmp(name, "WMMA", 4) == 0;
        issue.transcendental = strncmp(name, "VALUT", 5) == 0;
        issue.barrier = strcmp(name, "BARRIER") == 0 || strcmp(name, "BARRIER_SIGNAL") == 0;
    }
    return pf_sqtt_slices_issue(&t->slices, &issue, err);
}

/* A vector instruction without an operation code. RDNA3 traces its matrix products so, and how long they take follows
 * from their operands. */
static pf_status take_vector(pf_sqtt_trace *t, const pf_sqtt_packet *p, pf_error *err)
{
    unsigned wave = pf_sqtt_bits(p->raw, 11, 7);
    pf_sqtt_issue issue = {p->time,           "VALUINST", step_wave(t, wave, p->time, -1), (uint8_t)wave, 0,
                           PF_SQTT_UNIT_VALU, 1};
    unsigned flags = issue.instruction == PF_NONE ? 0 : t->code->flags[issue.instruction];
    if (flags & PF_AMD_WMMA) {
        issue.name = flags & PF_AMD_INT4 ? "WMMA_VALU_16" : "WMMA_VALU_32";
        issue.cycles = flags & PF_AMD_INT4 ? 16 : 32;
        issue.product = 2;
    }
    return pf_sqtt_slices_issue(&t->slices, &issue, err);
}

static pf_status take_immediate(pf_sqtt_trace *t, int64_t time, unsigned wave, uint32_t instruction, pf_error *err)
{
    const pf_sqtt_issue issue = {time, "IMMEDIATE", instruction, (uint8_t)wave, .cycles = 1};
    return pf_sqtt_slices_issue(&t->slices, &issue, err);
}

/* One instruction of each wave in the mask; these may be the ones that are silent elsewhere. */
static pf_status take_mask(pf_sqtt_trace *t, const pf_sqtt_packet *p, pf_error *err)
{
    unsigned mask = pf_sqtt_bits(p->raw, 23, 8);
    for (unsigned wave = 0; wave < 16; wave++) {
        pf_sqtt_wave_state *w = &t->wave[wave];
        if (mask >> wave & 1) {
            uint32_t at = PF_NONE;
            if (w->alive) {
                at = count_issue(t, w, p->time);
                advance(t, w, 0);
            } else {
                t->strays++;
            }
            PF_TRY(take_immediate(t, p->time, wave, at, err));
        }
    }
    return PF_OK;
}

static pf_status take_packet(pf_sqtt_trace *t, const pf_sqtt_packet *p, pf_error *err)
{
    pf_sqtt_slot slot;
    uint64_t r = p->raw;
    unsigned wave;
    switch (p->kind) {
    case PF_SQTT_INST:
        return take_operation(t, p, pf_sqtt_bits(r, 12, 8), pf_sqtt_bits(r, 19, 13), err);
    case PF_SQTT_INST_RDNA4:
        return take_operation(t, p, pf_sqtt_bits(r, 11, 7), pf_sqtt_bits(r, 19, 12), err);
    case PF_SQTT_CDNA_INST:
        return pf_sqtt_bits(r, 10, 9) ? PF_OK
                                      : take_operation(t, p, pf_sqtt_bits(r, 8, 5), pf_sqtt_bits(r, 15, 11), err);
    case PF_SQTT_VALUINST:
        return take_vector(t, p, err);
    case PF_SQTT_IMMEDIATE:
        wave = pf_sqtt_bits(r, 11, 7);
        return take_immediate(t, p->time, wave, step_wave(t, wave, p->time, -1), err);
    case PF_SQTT_IMMEDIATE_MASK:
        return take_mask(t, p, err);
    case PF_SQTT_ALUEXEC:
    case PF_SQTT_VMEMEXEC:
        return pf_sqtt_slices_execute(&t->slices, p, err);
    case PF_SQTT_WAVERDY:
        return pf_sqtt_slices_ready(&t->slices, p, err);
    default:
        break;
    }
    bool starts = pf_sqtt_wave_start(p, &slot), ends = pf_sqtt_wave_end(p, &slot);
    if (slot.cu || slot.simd || !(starts || ends)) {
        return PF_OK;
    }
    if (ends) {
        return end_wave(t, p, slot.wave, err);
    }
    /* CDNA does not say enough to follow the program counter */
    bool known = p->family != PF_SQTT_CDNA && t->code->dwords;
    t->wave[slot.wave] = (pf_sqtt_wave_state){.alive = true, .instruction = known ? 0 : PF_NONE};
    return PF_OK;
}

pf_status pf_sqtt_trace_take(pf_sqtt_trace *t, const pf_sqtt_packet *packets, size_t count, pf_error *err)
{
    for (size_t i = 0; i < count; i++) {
        PF_TRY(take_packet(t, &packets[i], err));
    }
    return PF_OK;
}
