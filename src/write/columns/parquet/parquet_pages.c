/* write/columns/parquet/parquet_pages.c - the pages of a column: levels, values, dictionaries, bounds.
 *
 * Levels and numbers of a dictionary are runs: varint(n << 1) and a value, or varint(groups << 1 | 1) and groups of 8
 * bit-packed values, lowest bits first. The bits that pf_col_fill makes are such groups already. */
#include <math.h>

#include "base/list.h"
#include "wire/writer.h"
#include "write/columns/parquet/parquet.h"
#include "write/columns/parquet/thrift.h"

#define LEVEL 3                    /* of zstd */
#define DICTIONARY_MAX (1u << 20)  /* bytes */
#define TEXTS_OF_PAGE (1u << 20)   /* bytes from which on a page of texts ends */
#define PAGE_MAX ((size_t)1 << 30) /* bytes: a page has 31 bits for its size */
#define BOUND_MAX 64u              /* bytes of a text that is kept as a bound */

struct pf_parquet_page {
    union {
        uint32_t u32[PF_PARQUET_PAGE];
        int32_t i32[PF_PARQUET_PAGE];
        int64_t i64[PF_PARQUET_PAGE];
        double real[PF_PARQUET_PAGE];
    } values;
    uint8_t bits[PF_PARQUET_PAGE / 8];
};

pf_status pf_parquet_pages_begin(pf_parquet *p, pf_error *err)
{
    PF_TRY(PF_LIST_NEW(p->budget, p->page, 1, err));
    p->zstd = ZSTD_createCCtx();
    p->dictionary.budget = p->budget;
    return p->zstd ? PF_OK : pf_no_memory(err);
}

void pf_parquet_pages_free(pf_parquet *p)
{
    PF_LIST_FREE(p->budget, p->page, p->page ? 1 : 0);
    ZSTD_freeCCtx(p->zstd);
    pf_col_dictionary_free(&p->dictionary);
    pf_buffer_free(&p->body);
    pf_buffer_free(&p->packed);
    pf_buffer_free(&p->head);
}

pf_status pf_parquet_put_bytes(pf_parquet *p, const void *bytes, size_t len, pf_error *err)
{
    p->at += len;
    return p->put(p->ctx, bytes, len, err);
}

/* The body as a page of so many values (or rows), with a header. */
static pf_status put_page(pf_parquet *p, pf_parquet_chunk *k, bool dictionary, uint32_t values, pf_error *err)
{
    if (p->body.len > PAGE_MAX) {
        return pf_fail(err, PF_ERR_LIMIT, "a page of the column %s would be larger than 1 GiB; leave it out",
                       k->col->name);
    }
    size_t bound = ZSTD_compressBound(p->body.len);
    p->packed.len = p->head.len = 0;
    char *packed = p->body.failed ? NULL : pf_buffer_room(&p->packed, bound);
    size_t len = packed ? ZSTD_compressCCtx(p->zstd, packed, bound, p->body.data, p->body.len, LEVEL) : 0;
    pf_thrift t = {.out = &p->head};
    pf_thrift_begin(&t, 0);
    pf_thrift_number(&t, 1, PF_THRIFT_I32, dictionary ? 2 : 0);
    pf_thrift_number(&t, 2, PF_THRIFT_I32, (int64_t)p->body.len);
    pf_thrift_number(&t, 3, PF_THRIFT_I32, (int64_t)len);
    pf_thrift_begin(&t, dictionary ? 7 : 5);
    pf_thrift_number(&t, 1, PF_THRIFT_I32, values);
    pf_thrift_number(&t, 2, PF_THRIFT_I32, dictionary ? PF_PARQUET_PLAIN : k->encoding);
    if (!dictionary) {
        pf_thrift_number(&t, 3, PF_THRIFT_I32, PF_PARQUET_RLE); /* of levels */
        pf_thrift_number(&t, 4, PF_THRIFT_I32, PF_PARQUET_RLE); /* of lists, which there are none of */
    }
    pf_thrift_end(&t);
    pf_thrift_end(&t);
    PF_TRY(!packed || ZSTD_isError(len) || p->head.failed ? pf_no_memory(err) : PF_OK);
    k->plain += p->head.len + p->body.len;
    p->body.len = 0;
    PF_TRY(pf_parquet_put_bytes(p, p->head.data, p->head.len, err));
    return pf_parquet_put_bytes(p, packed, len, err);
}

static void put_u32(pf_buffer *b, uint32_t v)
{
    const uint8_t bytes[4] = {(uint8_t)v, (uint8_t)(v >> 8), (uint8_t)(v >> 16), (uint8_t)(v >> 24)};
    pf_buffer_put(b, bytes, sizeof bytes);
}

static void put_varint(pf_buffer *b, uint64_t v)
{
    uint8_t bytes[PF_VARINT_MAX];
    pf_buffer_put(b, bytes, (size_t)(pf_store_varint(bytes, v) - bytes));
}

/* Which of the n rows have a value, `present` of them. */
static void put_levels(pf_buffer *b, const uint8_t *bits, uint32_t n, uint32_t present)
{
    uint8_t run[PF_VARINT_MAX + 1], *end;
    bool mixed = present != 0 && present != n;
    end = pf_store_varint(run, mixed ? (n + 7) / 8 << 1 | 1 : n << 1);
    if (!mixed) {
        *end++ = present != 0;
    }
    put_u32(b, (uint32_t)(end - run) + (mixed ? (n + 7) / 8 : 0));
    pf_buffer_put(b, run, (size_t)(end - run));
    pf_buffer_put(b, bits, mixed ? (n + 7) / 8 : 0);
}

/* Numbers below `count`: how many bits each has, and one run. */
static void put_numbers(pf_buffer *b, const uint32_t *v, uint32_t n, uint32_t count)
{
    unsigned width = count > 2 ? 32u - (unsigned)__builtin_clz(count - 1) : 1, filled = 0;
    uint32_t same = 1, whole = (n + 7) / 8 * 8;
    uint64_t bits = 0;
    while (same < n && v[same] == v[0]) {
        same++;
    }
    pf_buffer_put(b, (char[]){(char)width}, 1);
    if (same >= n) {
        put_varint(b, (uint64_t)n << 1);
        pf_buffer_put(b, (char[]){(char)v[0], (char)(v[0] >> 8), (char)(v[0] >> 16)}, n ? (width + 7) / 8 : 0);
        return;
    }
    put_varint(b, whole / 8 << 1 | 1);
    size_t len = (size_t)whole / 8 * width;
    char *out = pf_buffer_room(b, len);
    for (uint32_t i = 0; out && i < whole; i++) {
        bits |= (uint64_t)(i < n ? v[i] : 0) << filled;
        for (filled += width; filled >= 8; filled -= 8, bits >>= 8) {
            *out++ = (char)bits;
        }
    }
    b->len += out ? len : 0;
}

static void put_text(pf_parquet *p, const pf_parquet_chunk *k, uint32_t id)
{
    pf_str s = pf_strings_get(k->col->pool, id);
    put_u32(&p->body, (uint32_t)s.len);
    pf_buffer_put(&p->body, s.ptr, s.len);
}

static int compare(pf_str a, pf_str b)
{
    int order = memcmp(a.ptr, b.ptr, a.len < b.len ? a.len : b.len);
    return order ? order : (a.len > b.len) - (a.len < b.len);
}

static void bound_texts(pf_parquet_chunk *k, const pf_col_dictionary *d)
{
    for (uint32_t i = 0; i < d->count; i++) {
        pf_str s = pf_strings_get(d->pool, d->ids[i]);
        k->first = i == 0 || compare(s, k->first) < 0 ? s : k->first;
        k->last = i == 0 || compare(s, k->last) > 0 ? s : k->last;
    }
    k->bounded = d->count > 0 && k->first.len <= BOUND_MAX && k->last.len <= BOUND_MAX;
}

/* How many of the rows fit in a page of texts: a multiple of 8, or all. */
static uint32_t fitting(const pf_strings *pool, const uint32_t *ids, uint32_t n)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (i > 0 && i % 8 == 0 && bytes >= TEXTS_OF_PAGE) {
            return i;
        }
        bytes += ids[i] ? pool->len[ids[i]] : 0;
    }
    return n;
}

/* Decides whether the texts have a dictionary, and writes it. */
static pf_status put_dictionary(pf_parquet *p, pf_parquet_chunk *k, uint32_t from, uint32_t n, pf_error *err)
{
    pf_col_dictionary *d = &p->dictionary;
    PF_TRY(pf_col_dictionary_refill(d, k->col, from, n, err));
    bound_texts(k, d);
    if (d->count == n - d->nulls || d->bytes + 4 * (uint64_t)d->count > DICTIONARY_MAX) {
        return PF_OK;
    }
    k->encoding = PF_PARQUET_RLE_DICTIONARY;
    for (uint32_t i = 0; i < d->count; i++) {
        put_text(p, k, d->ids[i]);
    }
    return put_page(p, k, true, d->count, err);
}

#define BOUNDS(array, type, least, greatest)                                                                           \
    do {                                                                                                               \
        type low = (array)[0], high = (array)[0];                                                                      \
        for (uint32_t i = 1; i < n; i++) {                                                                             \
            low = (array)[i] < low ? (array)[i] : low;                                                                 \
            high = (array)[i] > high ? (array)[i] : high;                                                              \
        }                                                                                                              \
        (least) = k->bounded && (least) < low ? (least) : low;                                                         \
        (greatest) = k->bounded && (greatest) > high ? (greatest) : high;                                              \
    } while (0)

static void bound_numbers(pf_parquet_chunk *k, const struct pf_parquet_page *page, uint32_t n)
{
    if (n == 0) {
        return;
    }
    switch (k->col->type) {
    case PF_COL_UINT32:
        BOUNDS(page->values.u32, uint32_t, k->least, k->greatest);
        break;
    case PF_COL_INT32:
        BOUNDS(page->values.i32, int32_t, k->least, k->greatest);
        break;
    case PF_COL_INT64:
        BOUNDS(page->values.i64, int64_t, k->least, k->greatest);
        break;
    default:
        BOUNDS(page->values.real, double, k->low, k->high);
        for (uint32_t i = 0; i < n; i++) {
            k->unordered |= isnan(page->values.real[i]);
        }
    }
    k->bounded = true;
}

/* Moves the values of the rows that have one to the front; returns how many. */
static uint32_t close_gaps(struct pf_parquet_page *page, size_t width, uint32_t n)
{
    uint32_t present = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (width == 8) {
            page->values.i64[present] = page->values.i64[i];
        } else {
            page->values.u32[present] = page->values.u32[i];
        }
        present += page->bits[i >> 3] >> (i & 7) & 1;
    }
    return present;
}

pf_status pf_parquet_put_chunk(pf_parquet *p, pf_parquet_chunk *k, uint32_t from, uint32_t n, pf_error *err)
{
    struct pf_parquet_page *page = p->page;
    size_t width = pf_col_width(k->col->type);
    bool texts = pf_col_has_texts(k->col);
    k->start = p->at;
    k->encoding = PF_PARQUET_PLAIN;
    PF_TRY(texts ? put_dictionary(p, k, from, n, err) : PF_OK);
    k->data = p->at;
    for (uint32_t done = 0, rows; done < n; done += rows) {
        rows = n - done < PF_PARQUET_PAGE ? n - done : PF_PARQUET_PAGE;
        uint32_t nulls = pf_col_fill(k->col, from + done, rows, page->values.u32, page->bits), present = rows;
        if (texts && k->encoding == PF_PARQUET_PLAIN) {
            rows = fitting(k->col->pool, page->values.u32, rows);
        }
        if (k->optional) {
            present = nulls ? close_gaps(page, width, rows) : rows;
            put_levels(&p->body, page->bits, rows, present);
            k->nulls += rows - present;
        }
        if (!texts) {
            bound_numbers(k, page, present);
            pf_buffer_put(&p->body, page->values.u32, present * width);
        } else if (k->encoding == PF_PARQUET_PLAIN) {
            for (uint32_t i = 0; i < present; i++) {
                put_text(p, k, page->values.u32[i]);
            }
        } else {
            pf_col_dictionary_apply(&p->dictionary, page->values.u32, present);
            put_numbers(&p->body, page->values.u32, present, p->dictionary.count);
        }
        PF_TRY(put_page(p, k, false, rows, err));
    }
    return PF_OK;
}
