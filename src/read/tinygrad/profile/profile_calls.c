/* read/tinygrad/profile/profile_calls.c - call stacks of traced calls. Thousands of calls come from the same lines, so
 * a stack is a row of tinygrad_call, its innermost frame, and each frame names the one that called it: stacks share
 * what they have in common. */
#include <string.h>

#include "read/tinygrad/profile/profile.h"

enum { DEEPEST = 512 }; /* frames of a stack that are kept, the innermost */

/* What a frame says: (file, line, function, code). */
typedef struct frame {
    uint32_t file, function, code; /* string ids */
    int64_t line;
    uint32_t caller;
} frame;

static uint64_t key_of(const frame *f)
{
    uint64_t key = pf_hash64(0x9e3779b97f4a7c15ull, (uint64_t)f->file << 32 | f->function);
    key = pf_hash64(key | 1, (uint64_t)f->code << 32 | f->caller);
    return pf_hash64(key | 1, (uint64_t)f->line);
}

static bool is_row(const pf_side_table *s, uint32_t row, const frame *f)
{
    return *pf_side_ref(s, CALL_FILE, row) == f->file && *pf_side_ref(s, CALL_FUNCTION, row) == f->function &&
           *pf_side_ref(s, CALL_CODE, row) == f->code && *pf_side_number(s, CALL_LINE, row) == f->line &&
           *pf_side_ref(s, CALL_CALLER, row) == f->caller;
}

/* The row of a frame. Where two frames have one key, the second is added again whenever it comes. */
static pf_status add_frame(pf_tiny_profile *p, const frame *f, uint32_t *row, pf_error *err)
{
    const pf_side_table *s = p->table[PF_TINY_CALL];
    uint64_t key = key_of(f);
    *row = pf_map_get(&p->call_of, key);
    if (*row != PF_NONE && is_row(s, *row, f)) {
        return PF_OK;
    }
    pf_status st = pf_tiny_add_row(p, PF_TINY_CALL, row, err);
    if (st != PF_OK) {
        return st;
    }
    pf_tiny_set_ref(p, PF_TINY_CALL, CALL_FILE, *row, f->file);
    pf_tiny_set_ref(p, PF_TINY_CALL, CALL_FUNCTION, *row, f->function);
    pf_tiny_set_ref(p, PF_TINY_CALL, CALL_CODE, *row, f->code);
    pf_tiny_set_ref(p, PF_TINY_CALL, CALL_CALLER, *row, f->caller);
    pf_tiny_set_number(p, PF_TINY_CALL, CALL_LINE, *row, f->line);
    return pf_map_set(&p->call_of, key, *row) ? PF_OK : pf_budget_refused(&p->t->budget, 0, err);
}

static pf_status read_frame(const pf_tiny_profile *p, uint32_t tuple, frame *f, pf_error *err)
{
    uint32_t *const texts[] = {&f->file, NULL, &f->function, &f->code};
    uint32_t i = pf_pickle_first(&p->values, tuple);
    pf_status st = PF_OK;
    f->line = INT64_MIN;
    for (unsigned part = 0; st == PF_OK && part < 4 && i != PF_NONE; part++, i = pf_pickle_next(&p->values, i)) {
        uint32_t member = pf_pickle_member(&p->values, i);
        if (texts[part]) {
            st = pf_trace_add_string(p->t, pf_pickle_text(&p->values, member), texts[part], err);
        } else if (!pf_pickle_int(&p->values, member, &f->line)) {
            f->line = INT64_MIN;
        }
    }
    return st;
}

pf_status pf_tiny_add_stack(pf_tiny_profile *p, uint32_t stack, uint32_t *row, pf_error *err)
{
    uint32_t tuples[DEEPEST], count = 0;
    pf_status st = PF_OK;
    *row = PF_NONE;
    for (uint32_t i = pf_pickle_first(&p->values, stack); i != PF_NONE && count < DEEPEST;
         i = pf_pickle_next(&p->values, i)) {
        tuples[count++] = pf_pickle_member(&p->values, i);
    }
    while (st == PF_OK && count) {
        frame f = {.caller = *row};
        st = read_frame(p, tuples[--count], &f, err);
        st = st == PF_OK ? add_frame(p, &f, row, err) : st;
    }
    return st;
}
