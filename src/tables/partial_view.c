/* tables/partial_view.c - see partial_view.h. */
#include "tables/partial_view.h"

#include <string.h>

#include "base/str.h"
#include "tables/partial_file.h"

#define ALIGNMENT 64u

typedef struct place {
    pf_bytes member;
    size_t at;
    uint64_t offset;
    pf_error *err;
} place;

static pf_status broken(const place *p, const char *what)
{
    return pf_fail_at(p->err, PF_ERR_INPUT, p->offset + p->at, PF_PARTIAL_DAMAGED, what);
}

/* The next `len` bytes of the member; what follows them begins at a multiple of 64 of it. */
static pf_status take(place *p, uint64_t len, const uint8_t **out)
{
    *out = p->member.ptr + p->at;
    if (len > p->member.len - p->at) {
        return broken(p, "a column is shorter than its rows");
    }
    p->at += (size_t)len;
    size_t padding = (ALIGNMENT - p->at % ALIGNMENT) % ALIGNMENT;
    p->at = padding > p->member.len - p->at ? p->member.len : p->at + padding;
    return PF_OK;
}

static uint32_t u32_at(const uint8_t *bytes, uint64_t i)
{
    uint32_t v;
    memcpy(&v, bytes + 4 * i, sizeof v);
    return v;
}

/* Goes over the head of a message to its body. */
static pf_status skip_head(place *p)
{
    const uint8_t *head = p->member.ptr + p->at;
    if (p->member.len - p->at < 8 || u32_at(head, 0) != UINT32_MAX) {
        return broken(p, "an Arrow message does not begin where it should");
    }
    return take(p, 8 + (uint64_t)u32_at(head, 1), &head);
}

pf_status pf_partial_view_open(pf_partial_view *v, const pf_side_spec *spec, uint32_t rows, const uint32_t *texts,
                               pf_bytes member, uint64_t offset, pf_error *err)
{
    enum { MAGIC_BYTES = 8 };
    place p = {member, member.len < MAGIC_BYTES ? member.len : MAGIC_BYTES, offset, err};
    v->spec = spec;
    v->rows = rows;
    PF_TRY(skip_head(&p)); /* the schema */
    for (size_t i = 0; i < spec->column_count; i++) {
        pf_partial_column *c = &v->column[i];
        if (spec->columns[i].type == PF_COLUMN_TEXT) {
            c->strings = texts[i];
            PF_TRY(skip_head(&p));
            PF_TRY(take(&p, 4 * ((uint64_t)texts[i] + 1), &c->offsets));
            PF_TRY(take(&p, u32_at(c->offsets, texts[i]), &c->texts));
        }
    }
    PF_TRY(skip_head(&p));
    for (size_t i = 0; i < spec->column_count; i++) {
        PF_TRY(take(&p, ((uint64_t)rows + 7) / 8, &v->column[i].bits));
        PF_TRY(take(&p, (spec->columns[i].type == PF_COLUMN_TEXT ? 4 : 8) * (uint64_t)rows, &v->column[i].values));
    }
    return PF_OK;
}

static bool has_order(const pf_partial_column *c)
{
    uint32_t end = u32_at(c->offsets, c->strings), before = 0;
    for (uint32_t i = 0; i <= c->strings; i++) {
        uint32_t at = u32_at(c->offsets, i);
        if (at < before || at > end) {
            return false;
        }
        before = at;
    }
    return true;
}

pf_status pf_partial_view_check(const pf_partial_view *v, uint64_t offset, pf_error *err)
{
    const place p = {.offset = offset, .err = err};
    for (size_t i = 0; i < v->spec->column_count; i++) {
        const pf_partial_column *c = &v->column[i];
        if (v->spec->columns[i].type != PF_COLUMN_TEXT) {
            continue;
        }
        if (!has_order(c)) {
            return broken(&p, "strings of a column overlap");
        }
        for (uint32_t row = 0; row < v->rows; row++) {
            uint32_t at = pf_partial_text_at(c, row);
            if (at != PF_NONE && at >= c->strings) {
                return broken(&p, "a string is not in the dictionary of its column");
            }
        }
    }
    return PF_OK;
}

pf_str pf_partial_string(const pf_partial_column *c, uint32_t i)
{
    if (i >= c->strings) {
        return (pf_str){NULL, 0};
    }
    uint32_t from = u32_at(c->offsets, i), to = u32_at(c->offsets, i + 1ull);
    return (pf_str){(const char *)c->texts + from, to - from};
}
