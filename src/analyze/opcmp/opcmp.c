/* analyze/opcmp/opcmp.c - what a comparison holds. */
#include "analyze/opcmp/opcmp.h"

#include <string.h>

#include "base/list.h"
#include "base/str.h"

pf_status pf_opcmp_begin(opcmp *c, const pf_limits *limits, pf_error *err)
{
    *c = (opcmp){.strict = false};
    pf_budget_init(&c->budget, limits);
    pf_arena_init(&c->arena, &c->budget);
    return pf_strings_init(&c->texts, &c->budget, err);
}

void pf_opcmp_end(opcmp *c)
{
    PF_LIST_FREE(&c->budget, c->kernels, c->room);
    PF_LIST_FREE(&c->budget, c->parts, c->part_room);
    PF_LIST_FREE(&c->budget, c->order, c->order_room);
    pf_strings_free(&c->texts);
    pf_arena_free(&c->arena);
    pf_budget_end(&c->budget);
    *c = (opcmp){.strict = false};
}

opcmp_kernel *pf_opcmp_kernel(opcmp *c, uint32_t id, pf_error *err)
{
    uint32_t known = c->room;
    if (PF_LIST_ROOM(&c->budget, c->kernels, (size_t)id + 1, c->room, err) != PF_OK) {
        return NULL;
    }
    if (c->room > known) {
        memset(c->kernels + known, 0, (c->room - known) * sizeof *c->kernels);
    }
    return &c->kernels[id];
}

/* "16,5120" out of "\"16,5120;5120,768\"" or "[[16, 5120]]", without blanks; the length. */
static size_t first_shape(pf_str s, char *out, size_t room)
{
    size_t i = 0, n = 0;
    while (i < s.len && strchr("\"[( \t", s.ptr[i])) {
        i++;
    }
    for (; i < s.len && n < room && !strchr(";])\"", s.ptr[i]); i++) {
        if (s.ptr[i] != ' ' && s.ptr[i] != '\t') {
            out[n++] = s.ptr[i];
        }
    }
    return n;
}

uint32_t pf_opcmp_shaped(opcmp *c, pf_str type, pf_str shapes, pf_error *err)
{
    char shape[128];
    size_t n = first_shape(shapes, shape, sizeof shape);
    bool plain = n == 0 || shape[0] < '0' || shape[0] > '9' || pf_str_starts(type, PF_STR("hcom_"));
    char *text = plain ? NULL : pf_alloc(&c->budget, type.len + n + 3);
    if (!text) {
        return plain ? pf_strings_add(&c->texts, type.ptr, type.len, err)
                     : (pf_budget_refused(&c->budget, type.len + n + 3, err), PF_NONE);
    }
    memcpy(text, type.ptr, type.len);
    text[type.len] = ' ';
    text[type.len + 1] = '[';
    memcpy(text + type.len + 2, shape, n);
    text[type.len + 2 + n] = ']';
    uint32_t id = pf_strings_add(&c->texts, text, type.len + n + 3, err);
    pf_release(&c->budget, text, type.len + n + 3);
    return id;
}
