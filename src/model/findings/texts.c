/* model/findings/texts.c - texts that a pass writes piece by piece. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/list.h"
#include "base/text/number.h"
#include "model/findings/findings.h"

pf_text *pf_text_new(pf_findings *f)
{
    pf_text *t = pf_findings_alloc(f, sizeof *t);
    if (t) {
        t->next = f->texts;
        f->texts = t;
    }
    return t;
}

/* Room for `more` bytes and a NUL after them; NULL, and the failure noted, if refused. */
static char *room_for(pf_findings *f, pf_text *t, size_t more)
{
    if (!t || f->error.code != PF_OK) {
        return NULL;
    }
    pf_error err;
    if (PF_LIST_ROOM(&f->budget, t->data, t->len + more + 1, t->room, &err) != PF_OK) {
        pf_findings_fail(f, &err);
        return NULL;
    }
    return t->data + t->len;
}

void pf_text_put(pf_findings *f, pf_text *t, pf_str bytes)
{
    char *at = room_for(f, t, bytes.len);
    if (at && bytes.len) {
        memcpy(at, bytes.ptr, bytes.len);
        t->len += bytes.len;
        t->data[t->len] = '\0';
    }
}

void pf_text_format(pf_findings *f, pf_text *t, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int len = vsnprintf(NULL, 0, format, list);
    va_end(list);
    char *at = len < 0 ? NULL : room_for(f, t, (size_t)len);
    if (at) {
        va_start(list, format);
        vsnprintf(at, (size_t)len + 1, format, list);
        va_end(list);
        t->len += (size_t)len;
    }
}

void pf_text_put_real(pf_findings *f, pf_text *t, double v, int decimals, size_t width)
{
    char text[PF_FIXED_MAX];
    size_t len = decimals < 0 ? pf_format_real(v, text) : pf_format_real_fixed(v, decimals, text);
    for (size_t i = len; i < width; i++) {
        pf_text_put(f, t, PF_STR(" "));
    }
    pf_text_put(f, t, (pf_str){text, len});
}

pf_str pf_text_view(const pf_text *t)
{
    return t && t->data ? (pf_str){t->data, t->len} : PF_STR("");
}
