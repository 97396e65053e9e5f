/* read/tinygrad/profile/profile_calls.c - call stacks of traced calls. Thousands of calls come from the same lines, so
 * a stack is a row of tinygrad_call, its innermost frame, and each frame names the one that called it: stacks share
 * what they have in common. */
#include "read/tinygrad/profile/profile.h"

enum { DEEPEST = 512 }; /* frames of a stack that are kept, the innermost */

/* What a frame says: (file, line, function, code). */
typedef struct frame {
    uint32_t file, function, code; /* string ids */
    int64_t line;
    uint32_t caller;
} frame;

static bool is_row(const pf_side_table *s, uint32_t row, const frame *f)
{
    return *pf_side_ref(s, CALL_FILE, row) == f->file && *pf_side_ref(s, CALL_FUNCTION, row) == f->function &&
           *pf_side_ref(s, CALL_CODE, row) == f->code && *pf_side_number(s, CALL_LINE, row) == f->line &&
           *pf_side_ref(s, CALL_CALLER, row) == f->caller;
}

/* The row of a frame. Where two frames have one key, the second is added again whenever it comes. */
static pf_status add_frame(pf_tiny_profile *p, const frame *f, uint32_t *row)
{
    uint64_t key = pf_hash64(0x9e3779b97f4a7c15ull, (uint64_t)f->file << 32 | f->function);
    key = pf_hash64(key | 1, (uint64_t)f->code << 32 | f->caller);
    key = pf_hash64(key | 1, (uint64_t)f->line);
    *row = pf_map_get(&p->call_of, key);
    if (*row != PF_NONE && is_row(p->table[PF_TINY_CALL], *row, f)) {
        return PF_OK;
    }
    PF_TRY(pf_tiny_put(p, PF_TINY_CALL, PF_CELLS(f->file, f->line, f->function, f->code, f->caller)));
    *row = pf_tiny_last(p, PF_TINY_CALL);
    return pf_map_put(&p->call_of, key, *row, p->err);
}

static frame read_frame(pf_tiny_profile *p, uint32_t tuple, uint32_t caller)
{
    const pf_pickle_values *v = &p->values;
    frame f = {.caller = caller};
    f.file = pf_tiny_id(p, pf_pickle_text(v, pf_pickle_nth(v, tuple, 0)));
    f.line = pf_pickle_int(v, pf_pickle_nth(v, tuple, 1), &f.line) ? f.line : INT64_MIN;
    f.function = pf_tiny_id(p, pf_pickle_text(v, pf_pickle_nth(v, tuple, 2)));
    f.code = pf_tiny_id(p, pf_pickle_text(v, pf_pickle_nth(v, tuple, 3)));
    return f;
}

pf_status pf_tiny_add_stack(pf_tiny_profile *p, uint32_t stack, uint32_t *row)
{
    uint32_t tuples[DEEPEST], count = 0;
    *row = PF_NONE;
    for (uint32_t i = pf_pickle_first(&p->values, stack); i != PF_NONE && count < DEEPEST;
         i = pf_pickle_next(&p->values, i)) {
        tuples[count++] = pf_pickle_member(&p->values, i);
    }
    while (count) {
        const frame f = read_frame(p, tuples[--count], *row);
        PF_TRY(add_frame(p, &f, row));
    }
    return PF_OK;
}
