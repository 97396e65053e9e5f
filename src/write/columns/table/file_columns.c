/* write/columns/table/file_columns.c - filling columns, and the dictionaries of their texts.
 *
 * A block of rows is first read as 64-bit numbers with a byte for each that says whether it is there; then it is
 * narrowed and the bytes become bits. Blocks stay in the first cache. */
#include "write/columns/table/file_columns.h"

#include <string.h>

#include "base/list.h"

#define BLOCK 1024u
#define INFINITY_BITS 0x7ff0000000000000 /* what is more, but for the sign, is NaN */

typedef struct fill_block {
    int64_t raw[BLOCK];
    uint8_t there[BLOCK];
} fill_block;

/* Where the values of rows [from, from + n) lie; the array itself where that is the rows from `from` on. */
static const uint32_t *places(const pf_col *c, uint32_t from, uint32_t n, uint32_t *own)
{
    if (!c->rows && !c->through) {
        return NULL;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t row = c->rows ? c->rows[from + i] : from + i;
        own[i] = c->through ? c->through[row] : row;
    }
    return own;
}

#define READ(type, value, condition)                                                                                   \
    do {                                                                                                               \
        const type *array = c->array;                                                                                  \
        for (uint32_t i = 0; i < n; i++) {                                                                             \
            type v = array[at ? at[i] : from + i];                                                                     \
            b->there[i] = (condition);                                                                                 \
            b->raw[i] = b->there[i] ? (int64_t)(value) : 0;                                                            \
        }                                                                                                              \
    } while (0)

static void read_args(const pf_col *c, uint32_t from, uint32_t n, const uint32_t *at, fill_block *b)
{
    const pf_arg_store *s = c->array;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t row = at ? at[i] : from + i;
        uint8_t type = s->type[row];
        bool text = type == PF_VALUE_STRING || type == PF_VALUE_JSON, real = type == PF_VALUE_REAL;
        b->there[i] = c->type == PF_COL_TEXT     ? text && s->bits[row] != 0
                      : c->type == PF_COL_DOUBLE ? real
                                                 : !text && !real && type != PF_VALUE_NULL;
        b->raw[i] = b->there[i] ? (int64_t)s->bits[row] : 0;
        if (c->renumber) {
            b->raw[i] = c->renumber[b->raw[i]];
        }
    }
}

static void read_bits(const pf_col *c, uint32_t from, uint32_t n, const uint32_t *at, fill_block *b)
{
    const int64_t *array = c->array;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t row = at ? at[i] : from + i;
        b->there[i] = c->present[row >> 3] >> (row & 7) & 1;
        b->raw[i] = b->there[i] ? array[row] : 0;
    }
}

static void read_block(const pf_col *c, uint32_t from, uint32_t n, fill_block *b)
{
    uint32_t own[BLOCK];
    const uint32_t *at = places(c, from, n, own);
    pf_col_source source = c->array || c->source <= PF_COL_OF_ROW ? c->source : PF_COL_OF_NULL;
    switch (source) {
    case PF_COL_OF_NULL:
    case PF_COL_OF_ZERO:
        memset(b->raw, 0, n * sizeof *b->raw);
        memset(b->there, source == PF_COL_OF_ZERO, n);
        break;
    case PF_COL_OF_ROW:
        for (uint32_t i = 0; i < n; i++) {
            b->raw[i] = at ? at[i] : from + i;
            b->there[i] = 1;
        }
        break;
    case PF_COL_OF_INT64:
        READ(int64_t, v, !c->holes || v != INT64_MIN);
        break;
    case PF_COL_OF_UINT32:
        READ(uint32_t, c->renumber ? c->renumber[v] : v, v != PF_NONE);
        break;
    case PF_COL_OF_DOUBLE: /* its bits */
        READ(int64_t, v, !c->holes || (v & INT64_MAX) <= INFINITY_BITS);
        break;
    case PF_COL_OF_ID:
        READ(uint32_t, c->renumber ? c->renumber[v] : v, v != 0);
        break;
    case PF_COL_OF_BITS:
        read_bits(c, from, n, at, b);
        break;
    case PF_COL_OF_ARGS:
        read_args(c, from, n, at, b);
        break;
    }
}

static uint32_t pack(const fill_block *b, uint32_t n, uint8_t *bits)
{
    uint32_t there = 0;
    for (uint32_t i = 0; i < n; i++) {
        there += b->there[i];
    }
    for (uint32_t i = 0; bits && i < n; i += 8) {
        uint8_t byte = 0;
        for (uint32_t k = 0; k < 8 && i + k < n; k++) {
            byte |= (uint8_t)(b->there[i + k] << k);
        }
        bits[i >> 3] = byte;
    }
    return n - there;
}

uint32_t pf_col_fill(const pf_col *c, uint32_t from, uint32_t n, void *values, uint8_t *bits)
{
    fill_block b;
    uint32_t nulls = 0;
    for (uint32_t done = 0; done < n; done += BLOCK) {
        uint32_t rows = n - done < BLOCK ? n - done : BLOCK;
        read_block(c, from + done, rows, &b);
        nulls += pack(&b, rows, bits ? bits + (done >> 3) : NULL);
        if (pf_col_width(c->type) == 8) {
            memcpy((int64_t *)values + done, b.raw, rows * sizeof *b.raw);
        } else {
            uint32_t *narrow = (uint32_t *)values + done;
            for (uint32_t i = 0; i < rows; i++) {
                narrow[i] = (uint32_t)b.raw[i];
            }
        }
    }
    return nulls;
}

static pf_status add(pf_col_dictionary *d, uint32_t id, pf_error *err)
{
    PF_TRY(PF_LIST_ROOM(d->budget, d->ids, d->count + 1, d->room, err));
    d->ids[d->count++] = id;
    d->number[id] = d->count;
    d->bytes += d->pool->len[id];
    return PF_OK;
}

static pf_status make_empty(pf_col_dictionary *d, const pf_strings *pool, pf_error *err)
{
    uint32_t numbers = pool ? pool->count : 0;
    for (uint32_t i = 0; i < d->count; i++) {
        d->number[d->ids[i]] = 0;
    }
    d->pool = pool;
    d->count = d->nulls = 0;
    d->bytes = 0;
    if (numbers > d->numbers) {
        PF_LIST_FREE(d->budget, d->number, d->numbers);
        d->numbers = 0;
        PF_TRY(PF_LIST_NEW(d->budget, d->number, numbers, err));
        d->numbers = numbers;
    }
    return PF_OK;
}

pf_status pf_col_dictionary_refill(pf_col_dictionary *d, const pf_col *c, uint32_t from, uint32_t n, pf_error *err)
{
    uint32_t ids[BLOCK];
    PF_TRY(make_empty(d, c->pool, err));
    for (uint32_t done = 0; done < n; done += BLOCK) {
        uint32_t rows = n - done < BLOCK ? n - done : BLOCK;
        d->nulls += pf_col_fill(c, from + done, rows, ids, NULL);
        for (uint32_t i = 0; i < rows; i++) {
            PF_TRY(ids[i] && !d->number[ids[i]] ? add(d, ids[i], err) : PF_OK);
        }
    }
    return PF_OK;
}

pf_status pf_col_dictionary_make(pf_col_dictionary *d, const pf_col *c, uint32_t rows, pf_budget *budget, pf_error *err)
{
    *d = (pf_col_dictionary){.budget = budget};
    return pf_col_dictionary_refill(d, c, 0, rows, err);
}

pf_status pf_col_dictionary_whole(pf_col_dictionary *d, const pf_strings *pool, pf_budget *budget, pf_error *err)
{
    *d = (pf_col_dictionary){.budget = budget};
    PF_TRY(make_empty(d, pool, err));
    for (uint32_t id = 1; id < pool->count; id++) {
        PF_TRY(add(d, id, err));
    }
    return PF_OK;
}

void pf_col_dictionary_free(pf_col_dictionary *d)
{
    PF_LIST_FREE(d->budget, d->number, d->numbers);
    PF_LIST_FREE(d->budget, d->ids, d->room);
    *d = (pf_col_dictionary){0};
}

void pf_col_dictionary_apply(const pf_col_dictionary *d, uint32_t *ids, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        ids[i] = ids[i] ? d->number[ids[i]] - 1 : 0;
    }
}
