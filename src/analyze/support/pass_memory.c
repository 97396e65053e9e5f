/* analyze/support/pass_memory.c - see pass_memory.h. */
#include "analyze/support/pass_memory.h"

void *pf_pass_array(pf_arena *arena, size_t n, size_t size, pf_error *err)
{
    size_t bytes;
    bool fits = !__builtin_mul_overflow(n, size, &bytes);
    void *p = fits ? pf_arena_alloc(arena, bytes ? bytes : 1) : NULL;
    if (!p) {
        pf_budget_refused(arena->budget, fits ? bytes : UINT64_MAX, err);
    }
    return p;
}

pf_str pf_pass_keep_buffer(pf_findings *f, pf_buffer *b)
{
    pf_str kept = {NULL, 0};
    if (b->failed) {
        pf_error err;
        pf_no_memory(&err);
        pf_findings_fail(f, &err);
    } else {
        kept = pf_findings_keep(f, (pf_str){b->data ? b->data : "", b->len});
    }
    pf_buffer_free(b);
    return kept;
}
