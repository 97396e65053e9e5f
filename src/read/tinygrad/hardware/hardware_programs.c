/* read/tinygrad/hardware/hardware_programs.c - programs and the instructions of those that were traced. */
#include <stdio.h>
#include <string.h>

#include "read/tinygrad/hardware/hardware.h"

/* 110501 is gfx1151: the last two parts are one hexadecimal digit each. */
static pf_status set_target(pf_hardware *h, uint32_t row, uint32_t event, pf_error *err)
{
    int64_t version = pf_hw_property(h, event, "gfx_target_version", -1);
    char text[32];
    if (version < 0 || version > 999999) {
        return PF_OK;
    }
    snprintf(text, sizeof text, "gfx%d%x%x", (int)(version / 10000), (unsigned)(version / 100 % 100),
             (unsigned)(version % 100));
    return pf_hw_word(h, PF_HW_PROGRAM, PROGRAM_TARGET, row, text, err);
}

pf_status pf_hw_read_program(pf_hardware *h, uint32_t event, uint32_t object, pf_error *err)
{
    uint32_t row;
    pf_status st = pf_hw_add_row(h, PF_HW_PROGRAM, &row, err);
    if (st != PF_OK) {
        return st;
    }
    int64_t tag = pf_tiny_number(h->p, object, "tag", INT64_MIN);
    pf_bytes lib = pf_hw_bytes(h, object, "lib");
    pf_hw_refer(h, PF_HW_PROGRAM, PROGRAM_EVENT, row, event);
    pf_hw_set(h, PF_HW_PROGRAM, PROGRAM_TAG, row, tag);
    pf_hw_set(h, PF_HW_PROGRAM, PROGRAM_BASE, row, pf_tiny_number(h->p, object, "base", INT64_MIN));
    pf_hw_set(h, PF_HW_PROGRAM, PROGRAM_BYTES, row, lib.ptr ? (int64_t)lib.len : INT64_MIN);
    st = pf_hw_text(h, PF_HW_PROGRAM, PROGRAM_NAME, row, pf_tiny_text(h->p, object, "name"), err);
    st = st == PF_OK ? set_target(h, row, event, err) : st;
    st = st == PF_OK ? pf_hw_set_key(h, PF_HW_PROGRAM, PROGRAM_KEY, row, object, err) : st;
    uint32_t name = *pf_side_ref(h->table[PF_HW_PROGRAM], PROGRAM_NAME, row);
    if (st == PF_OK && !pf_map_set(&h->programs, pf_hw_key(tag == INT64_MIN ? name : 0, tag), row)) {
        return pf_budget_refused(&h->p->t->budget, 0, err);
    }
    return st;
}

/* The first time that a program's code is needed, its instructions are listed. */
static pf_status list_code(pf_hardware *h, uint32_t program, pf_error *err)
{
    const pf_amd_code *c = &h->code;
    uint32_t *first = pf_side_ref(h->table[PF_HW_PROGRAM], PROGRAM_CODE, program);
    if (*first != PF_NONE || !c->dwords) {
        return PF_OK;
    }
    uint32_t count = 0, row;
    for (size_t i = 0; i < c->dwords; i++) {
        count += c->size[i] != 0;
    }
    pf_side_table *code = h->table[PF_HW_CODE];
    pf_status st = count ? pf_side_add_rows(code, count, &row, err) : PF_OK;
    if (st != PF_OK || !count) {
        return st;
    }
    *first = row;
    for (size_t i = 0; i < c->dwords; i++) {
        if (c->size[i]) {
            *pf_side_ref(code, CODE_PROGRAM, row) = program;
            *pf_side_number(code, CODE_PC, row) = (int64_t)pf_amd_code_pc(c, (uint32_t)i);
            *pf_side_number(code, CODE_SIZE, row++) = c->size[i] * 4;
        }
    }
    return PF_OK;
}

pf_status pf_hw_open_code(pf_hardware *h, uint32_t program, pf_error *err)
{
    if (program == h->code_of) {
        return PF_OK;
    }
    pf_amd_code_free(&h->code);
    h->code_of = program;
    if (program == PF_NONE) {
        return PF_OK;
    }
    uint32_t event = *pf_side_ref(h->table[PF_HW_PROGRAM], PROGRAM_EVENT, program);
    uint32_t object = pf_tiny_event_object(h->p, event);
    pf_amd_isa isa = pf_amd_isa_of(pf_hw_property(h, event, "gfx_target_version", 0));
    pf_bytes lib = pf_hw_bytes(h, object, "lib");
    pf_status st = pf_hw_spend_code(h, lib.len, err);
    st = st == PF_OK ? pf_amd_code_open(&h->code, lib, isa, &h->p->t->budget, err) : st;
    return st == PF_OK ? list_code(h, program, err) : st;
}
