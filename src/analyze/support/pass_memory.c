/* analyze/support/pass_memory.c - see pass_memory.h. */
#include "analyze/support/pass_memory.h"

/* Bytes of a name that a sentence has room for: its start and its end. */
enum { NAME_START = 44, NAME_END = 20 };

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

void pf_pass_put_name(pf_buffer *b, pf_str name)
{
    size_t start = NAME_START, end = name.len > NAME_END ? name.len - NAME_END : 0;
    if (end <= start + 3) {
        pf_buffer_put(b, name.ptr, name.len);
        return;
    }
    while (start > 0 && (name.ptr[start] & 0xC0) == 0x80) {
        start--;
    }
    while (end < name.len && (name.ptr[end] & 0xC0) == 0x80) {
        end++;
    }
    pf_buffer_put(b, name.ptr, start);
    pf_buffer_text(b, "...");
    pf_buffer_put(b, name.ptr + end, name.len - end);
}
