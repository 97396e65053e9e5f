/* analyze/support/pass_memory.c - see pass_memory.h. */
#include "analyze/support/pass_memory.h"

#include <stdarg.h>
#include <stdio.h>

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

pf_str pf_pass_text(pf_arena *arena, pf_findings *f, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    int len = vsnprintf(NULL, 0, format, ap);
    va_end(ap);
    pf_error err;
    char *text = len < 0 ? NULL : pf_pass_array(arena, (size_t)len + 1, 1, &err);
    if (!text) {
        if (len < 0) {
            pf_fail(&err, PF_ERR_LIMIT, "a name is too long to be printed; shorten it");
        }
        pf_findings_fail(f, &err);
        return (pf_str){NULL, 0};
    }
    va_start(ap, format);
    vsnprintf(text, (size_t)len + 1, format, ap);
    va_end(ap);
    return (pf_str){text, (size_t)len};
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
