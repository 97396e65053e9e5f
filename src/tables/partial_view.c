/* tables/partial_view.c - see partial_view.h. */
#include "tables/partial_view.h"

#include <string.h>

#include "base/str.h"
#include "tables/partial_file.h"

static pf_status broken(const pf_partial_place *p, const char *what)
{
    return pf_fail_at(p->err, PF_ERR_INPUT, p->offset + p->at, PF_PARTIAL_DAMAGED, what);
}

/* The next `len` bytes; what follows them begins at a multiple of 8 of them all. */
static pf_status take(pf_partial_place *p, uint64_t len, const uint8_t **out)
{
    *out = p->bytes.ptr + p->at;
    if (len > p->bytes.len - p->at) {
        return broken(p, "a column is shorter than its rows");
    }
    p->at += (size_t)len;
    size_t padding = (PF_PARTIAL_ALIGNMENT - p->at % PF_PARTIAL_ALIGNMENT) % PF_PARTIAL_ALIGNMENT;
    p->at = padding > p->bytes.len - p->at ? p->bytes.len : p->at + padding;
    return PF_OK;
}

static uint32_t u32_at(const uint8_t *bytes, uint64_t i)
{
    uint32_t v;
    memcpy(&v, bytes + 4 * i, sizeof v);
    return v;
}

pf_status pf_partial_skip_head(pf_partial_place *p)
{
    const uint8_t *head = p->bytes.ptr + p->at;
    if (p->bytes.len - p->at < 8 || u32_at(head, 0) != UINT32_MAX) {
        return broken(p, "an Arrow message does not begin where it should");
    }
    return take(p, 8 + (uint64_t)u32_at(head, 1), &head);
}

static bool has_order(const pf_partial_texts *t)
{
    uint32_t end = u32_at(t->offsets, t->count), before = 0;
    for (uint32_t i = 0; i <= t->count; i++) {
        uint32_t at = u32_at(t->offsets, i);
        if (at < before || at > end) {
            return false;
        }
        before = at;
    }
    return true;
}

pf_status pf_partial_texts_open(pf_partial_texts *t, uint32_t count, pf_partial_place *p)
{
    t->count = count;
    PF_TRY(take(p, 4 * ((uint64_t)count + 1), &t->offsets));
    PF_TRY(take(p, u32_at(t->offsets, count), &t->texts));
    return has_order(t) ? PF_OK : broken(p, "strings overlap");
}

pf_status pf_partial_view_open(pf_partial_view *v, const pf_side_spec *spec, uint32_t rows, pf_partial_place *p)
{
    v->spec = spec;
    v->rows = rows;
    for (size_t i = 0; i < spec->column_count; i++) {
        PF_TRY(take(p, ((uint64_t)rows + 7) / 8, &v->column[i].bits));
        PF_TRY(take(p, (spec->columns[i].type == PF_COLUMN_TEXT ? 4 : 8) * (uint64_t)rows, &v->column[i].values));
    }
    return PF_OK;
}

pf_status pf_partial_view_check(const pf_partial_view *v, const pf_partial_place *p)
{
    for (size_t i = 0; i < v->spec->column_count; i++) {
        const pf_partial_column *c = &v->column[i];
        for (uint32_t row = 0; row < v->rows && v->spec->columns[i].type == PF_COLUMN_TEXT; row++) {
            uint32_t at = pf_partial_text_at(c, row);
            if (at != PF_NONE && at >= v->texts.count) {
                return broken(p, "a string is not in the dictionary");
            }
        }
    }
    return PF_OK;
}

pf_str pf_partial_string(const pf_partial_texts *t, uint32_t i)
{
    if (i >= t->count) {
        return (pf_str){NULL, 0};
    }
    uint32_t from = u32_at(t->offsets, i), to = u32_at(t->offsets, i + 1ull);
    return (pf_str){(const char *)t->texts + from, to - from};
}
