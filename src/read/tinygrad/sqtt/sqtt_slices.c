/* read/tinygrad/sqtt/sqtt_slices.c - issues and executions as slices. */
#include "read/tinygrad/sqtt/sqtt_trace.h"

#include <string.h>

/* Values of column `kind`: how an issue is executed. */
enum { PLAIN = 0, TRANSCENDENTAL, PRODUCT_ROW, PRODUCT_VALU };

const char *pf_sqtt_row_name(unsigned row)
{
    static const char *const names[] = {"ALUEXEC:0 SALU", "ALUEXEC:0 VALU",  "ALUEXEC:0 TFU",
                                        "ALUEXEC:0 WMMA", "VMEMEXEC:0 VMEM", "VMEMEXEC:0 LDS"};
    return row >= PF_SQTT_WAVES && row < PF_SQTT_ROWS ? names[row - PF_SQTT_WAVES] : NULL;
}

void pf_sqtt_slices_restart(pf_sqtt_slices *s)
{
    s->count = 0;
    memset(s->in_row, 0, sizeof s->in_row);
    memset(s->first, 0xff, sizeof s->first);
    memset(s->barrier, 0xff, sizeof s->barrier);
}

pf_status pf_sqtt_slices_init(pf_sqtt_slices *s, pf_budget *budget, uint32_t limit, pf_error *err)
{
    *s = (pf_sqtt_slices){.limit = limit};
    pf_sqtt_slices_restart(s);
    pf_columns_init(&s->columns, budget, "SQTT slices");
    PF_TRY(PF_COLUMNS_ADD(&s->columns, s->start, err));
    PF_TRY(PF_COLUMNS_ADD(&s->columns, s->length, err));
    PF_TRY(PF_COLUMNS_ADD(&s->columns, s->name, err));
    PF_TRY(PF_COLUMNS_ADD(&s->columns, s->instruction, err));
    PF_TRY(PF_COLUMNS_ADD(&s->columns, s->link, err));
    PF_TRY(PF_COLUMNS_ADD(&s->columns, s->index, err));
    PF_TRY(PF_COLUMNS_ADD(&s->columns, s->next, err));
    PF_TRY(PF_COLUMNS_ADD(&s->columns, s->row, err));
    PF_TRY(PF_COLUMNS_ADD(&s->columns, s->code, err));
    PF_TRY(PF_COLUMNS_ADD(&s->columns, s->cycles, err));
    return PF_COLUMNS_ADD(&s->columns, s->kind, err);
}

/* A row for a slice; PF_NONE in *at: the limit is reached. */
static pf_status add(pf_sqtt_slices *s, unsigned row, int64_t start, int64_t length, uint32_t *at, pf_error *err)
{
    *at = PF_NONE;
    if (s->count >= s->limit) {
        return PF_OK;
    }
    PF_TRY(pf_columns_room(&s->columns, (uint64_t)s->count + 1, &s->room, err));
    uint32_t i = s->count++;
    s->start[i] = start;
    s->length[i] = length;
    s->instruction[i] = s->link[i] = s->next[i] = PF_NONE;
    s->index[i] = s->in_row[row]++;
    s->row[i] = (uint8_t)row;
    *at = i;
    return PF_OK;
}

pf_status pf_sqtt_slices_issue(pf_sqtt_slices *s, const pf_sqtt_issue *issue, pf_error *err)
{
    uint32_t at, *barrier = &s->barrier[issue->wave];
    PF_TRY(add(s, issue->wave, issue->time, 1, &at, err));
    if (*barrier != PF_NONE) { /* which the next packet of a wave ends */
        s->length[*barrier] = (int64_t)((uint64_t)issue->time - (uint64_t)s->start[*barrier]);
        *barrier = PF_NONE;
    }
    if (at == PF_NONE) {
        return PF_OK;
    }
    s->name[at] = issue->name;
    s->code[at] = issue->code;
    s->instruction[at] = issue->instruction;
    s->cycles[at] = issue->cycles;
    s->kind[at] = issue->product == 1     ? PRODUCT_ROW
                  : issue->product == 2   ? PRODUCT_VALU
                  : issue->transcendental ? TRANSCENDENTAL
                                          : PLAIN;
    if (issue->unit != PF_SQTT_UNIT_NONE) { /* it waits for the unit */
        bool first = s->first[issue->unit] == PF_NONE;
        *(first ? &s->first[issue->unit] : &s->next[s->last[issue->unit]]) = at;
        s->last[issue->unit] = at;
    }
    if (issue->barrier) {
        *barrier = at;
    }
    return PF_OK;
}

/* Name and row of the executions of each unit. */
static const struct {
    const char *name;
    uint8_t row;
} units[PF_SQTT_UNITS] = {
    [PF_SQTT_UNIT_SALU] = {"SALU", PF_SQTT_ROW_SALU},         [PF_SQTT_UNIT_VALU] = {"VALU", PF_SQTT_ROW_VALU},
    [PF_SQTT_UNIT_VMEM] = {"VMEM", PF_SQTT_ROW_VMEM},         [PF_SQTT_UNIT_LDS] = {"LDS", PF_SQTT_ROW_LDS},
    [PF_SQTT_UNIT_VMEM_ALT] = {"VMEM_ALT", PF_SQTT_ROW_VMEM}, [PF_SQTT_UNIT_LDS_ALT] = {"LDS_ALT", PF_SQTT_ROW_LDS},
};

/* The row and, in *name, the word for an execution of what was issued as `kind`. */
static unsigned row_for(unsigned unit, unsigned kind, const char **name)
{
    *name = units[unit].name;
    if (unit != PF_SQTT_UNIT_VALU || kind == PLAIN) {
        return units[unit].row;
    }
    if (kind == TRANSCENDENTAL) {
        return PF_SQTT_ROW_TFU;
    }
    *name = "VALU_WMMA";
    return kind == PRODUCT_ROW ? PF_SQTT_ROW_WMMA : PF_SQTT_ROW_VALU;
}

/* The time of a packet is the last cycle of vector arithmetic, and the first of anything else. */
static pf_status execute(pf_sqtt_slices *s, int64_t time, unsigned unit, pf_error *err)
{
    uint32_t issue = s->first[unit], at;
    unsigned cycles = issue == PF_NONE ? 1 : s->cycles[issue];
    const char *name;
    unsigned row = row_for(unit, issue == PF_NONE ? (unsigned)PLAIN : s->kind[issue], &name);
    bool ends = row == PF_SQTT_ROW_VALU || row == PF_SQTT_ROW_WMMA;
    PF_TRY(add(s, row, ends ? (int64_t)((uint64_t)time - cycles) : time, cycles, &at, err));
    if (at == PF_NONE) {
        return PF_OK;
    }
    s->name[at] = name;
    s->link[at] = issue;
    if (issue != PF_NONE) {
        s->first[unit] = s->next[issue];
    }
    return PF_OK;
}

pf_status pf_sqtt_slices_execute(pf_sqtt_slices *s, const pf_sqtt_packet *p, pf_error *err)
{
    static const uint8_t memory[] = {PF_SQTT_UNIT_LDS, PF_SQTT_UNIT_LDS_ALT, PF_SQTT_UNIT_VMEM, PF_SQTT_UNIT_VMEM_ALT};
    unsigned source = pf_sqtt_bits(p->raw, 7, 6);
    if (p->kind == PF_SQTT_VMEMEXEC) {
        return execute(s, p->time, memory[source], err);
    }
    if (source & 2) {
        PF_TRY(execute(s, p->time, PF_SQTT_UNIT_VALU, err));
    }
    return (source & 1) ? execute(s, p->time, PF_SQTT_UNIT_SALU, err) : PF_OK;
}

pf_status pf_sqtt_slices_ready(pf_sqtt_slices *s, const pf_sqtt_packet *p, pf_error *err)
{
    unsigned mask = pf_sqtt_bits(p->raw, 23, 8);
    for (unsigned wave = 0; wave < 16; wave++) {
        if ((mask >> wave & 1) && s->barrier[wave] != PF_NONE) {
            const pf_sqtt_issue issue = {p->time, "WAVERDY", PF_NONE, (uint8_t)wave, .cycles = 1};
            PF_TRY(pf_sqtt_slices_issue(s, &issue, err));
        }
    }
    return PF_OK;
}
