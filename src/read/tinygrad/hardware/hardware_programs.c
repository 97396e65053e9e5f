/* read/tinygrad/hardware/hardware_programs.c - what records say of their program and device, and how much of them is
 * still decoded and listed; programs and the instructions of those that were traced. */
#include <stdio.h>

#include "read/tinygrad/hardware/hardware.h"

pf_tiny_kernel pf_tiny_kernel_of(pf_tiny_profile *p, uint32_t object)
{
    int64_t tag = pf_tiny_number(p, object, "kern", INT64_MIN);
    return (pf_tiny_kernel){tag == INT64_MIN ? pf_tiny_id(p, pf_tiny_text(p, object, "kern")) : 0, tag};
}

uint64_t pf_tiny_kernel_key(uint32_t name, int64_t tag)
{
    return name ? (uint64_t)1 << 63 | name : (uint64_t)tag & ~((uint64_t)1 << 63);
}

int64_t pf_tiny_property(const pf_tiny_hardware *h, uint32_t event, const char *name, int64_t otherwise)
{
    uint32_t at = pf_map_get(&h->devices, *pf_tiny_ref_at(h->p, PF_TINY_EVENT, EVENT_DEVICE, event));
    return at == PF_NONE ? otherwise : pf_tiny_number(h->p, pf_tiny_props(h->p, at), name, otherwise);
}

pf_status pf_tiny_spend(const pf_tiny_hardware *h, uint64_t *left, uint64_t bytes)
{
    if (bytes > *left) {
        return pf_fail(h->p->err, PF_ERR_LIMIT,
                       "the pickle repeats its byte strings so often that decoding them would take many times the size "
                       "of the file; it is not a profile that tinygrad wrote");
    }
    *left -= bytes;
    return PF_OK;
}

bool pf_tiny_takes_rows(pf_tiny_hardware *h, pf_tiny_table table, uint64_t rows)
{
    uint32_t *left = &h->rows_left[table];
    bool fits = rows <= *left;
    *left = fits ? *left - (uint32_t)rows : 0;
    return fits;
}

/* 110501 is gfx1151: the last two parts are one hexadecimal digit each. */
static uint32_t target_id(const pf_tiny_hardware *h, uint32_t event)
{
    int64_t version = pf_tiny_property(h, event, "gfx_target_version", -1);
    char text[32];
    if (version < 0 || version > 999999) {
        return 0;
    }
    snprintf(text, sizeof text, "gfx%d%x%x", (int)(version / 10000), (unsigned)(version / 100 % 100),
             (unsigned)(version % 100));
    return pf_tiny_word(h->p, text);
}

pf_status pf_tiny_read_program(pf_tiny_hardware *h, uint32_t event, uint32_t object)
{
    pf_tiny_profile *p = h->p;
    int64_t tag = pf_tiny_number(p, object, "tag", INT64_MIN), base = pf_tiny_number(p, object, "base", INT64_MIN);
    pf_bytes lib = pf_tiny_bytes(p, object, "lib");
    uint32_t name = pf_tiny_id(p, pf_tiny_text(p, object, "name")), target = target_id(h, event);
    PF_TRY(pf_tiny_put(p, PF_TINY_PROGRAM,
                       PF_CELLS(event, name, tag, base, target, lib.ptr ? (int64_t)lib.len : INT64_MIN, PF_NONE,
                                pf_tiny_key_id(p, object))));
    uint64_t key = pf_tiny_kernel_key(tag == INT64_MIN ? name : 0, tag);
    return pf_map_put(&h->programs, key, pf_tiny_last(p, PF_TINY_PROGRAM), p->err);
}

/* The first time that a program's code is needed, its instructions are listed. */
static pf_status list_code(const pf_tiny_hardware *h, uint32_t program)
{
    const pf_amd_code *c = &h->code;
    uint32_t *first = pf_tiny_ref_at(h->p, PF_TINY_PROGRAM, PROGRAM_CODE, program);
    if (*first != PF_NONE) {
        return PF_OK;
    }
    for (uint32_t i = 0; i < c->dwords; i++) {
        if (c->size[i]) {
            int64_t pc = (int64_t)pf_amd_code_pc(c, i);
            PF_TRY(pf_tiny_put(h->p, PF_TINY_CODE, PF_CELLS(program, pc, c->size[i] * 4)));
            *first = *first == PF_NONE ? pf_tiny_last(h->p, PF_TINY_CODE) : *first;
        }
    }
    return PF_OK;
}

pf_status pf_tiny_open_code(pf_tiny_hardware *h, uint32_t program)
{
    if (program == h->code_of) {
        return PF_OK;
    }
    pf_amd_code_free(&h->code);
    h->code_of = program;
    if (program == PF_NONE) {
        return PF_OK;
    }
    uint32_t event = *pf_tiny_ref_at(h->p, PF_TINY_PROGRAM, PROGRAM_EVENT, program);
    pf_amd_isa isa = pf_amd_isa_of(pf_tiny_property(h, event, "gfx_target_version", 0));
    pf_bytes lib = pf_tiny_bytes(h->p, pf_tiny_event_object(h->p, event), "lib");
    PF_TRY(pf_tiny_spend(h, &h->code_bytes_left, lib.len));
    PF_TRY(pf_amd_code_open(&h->code, lib, isa, &h->p->t->budget, h->p->err));
    return list_code(h, program);
}
