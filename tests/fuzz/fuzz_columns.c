/* fuzz_columns.c - tables of any values, NULLs and texts, written as Parquet and Arrow into memory and read back by
 * small readers of our own, which find what they need by the layout alone: the same values, and the size that was
 * planned. */
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/little_endian.h"
#include "wire/cursor.h"
#include "write/columns/arrow/arrow_ipc.h"
#include "write/columns/parquet/parquet.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define COLUMNS_MAX 8u
#define TEXTS 40u

#define MUST(condition)                                                                                                \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

/* ---- a table out of bytes ---------------------------------------------------------------------------------------- */

typedef struct bytes {
    const uint8_t *at;
    size_t left;
    uint64_t state; /* goes on where they end */
} bytes;

static uint64_t next(bytes *b)
{
    uint64_t v = b->left ? *b->at : b->state >> 56;
    b->at += b->left > 0;
    b->left -= b->left > 0;
    b->state = (b->state ^ v) * 6364136223846793005u + 1442695040888963407u;
    return v;
}

typedef struct made {
    pf_budget budget;
    pf_arena arena;
    pf_strings pool;
    pf_col cols[COLUMNS_MAX];
    pf_col_table table;
} made;

static void make_texts(made *m, bytes *b)
{
    char text[300];
    for (unsigned i = 0; i < TEXTS; i++) {
        size_t len = next(b) % (i % 8 == 0 ? sizeof text : 12);
        for (size_t k = 0; k < len; k++) {
            text[k] = (char)next(b);
        }
        MUST(pf_strings_add(&m->pool, text, len, NULL) != PF_NONE);
    }
}

static void make_column(made *m, bytes *b, pf_col *c, uint32_t rows)
{
    static const pf_col_source sources[] = {PF_COL_OF_UINT32, PF_COL_OF_INT64, PF_COL_OF_DOUBLE, PF_COL_OF_ID,
                                            PF_COL_OF_ROW,    PF_COL_OF_NULL,  PF_COL_OF_ID};
    static const pf_col_type types[] = {PF_COL_UINT32, PF_COL_INT64, PF_COL_DOUBLE, PF_COL_TEXT,
                                        PF_COL_UINT32, PF_COL_INT64, PF_COL_BINARY};
    size_t kind = next(b) % 7;
    uint64_t few = next(b), *wide;
    uint32_t *narrow;
    *c = (pf_col){.name = "column", .type = types[kind], .source = sources[kind], .pool = &m->pool};
    c->nullable = kind != 4 && (kind != 1 || few % 2) && (kind != 2 || few % 2);
    c->holes = c->nullable;
    MUST(PF_ARENA_NEW(&m->arena, wide, rows, NULL) == PF_OK && PF_ARENA_NEW(&m->arena, narrow, rows, NULL) == PF_OK);
    for (uint32_t i = 0; i < rows; i++) {
        uint64_t v = next(b), many = v << 56 | next(b) << 40 | next(b) << 20 | next(b);
        wide[i] = v % 4 == 0 ? (uint64_t)INT64_MIN : v % 4 == 1 ? v : many;
        narrow[i] = kind == 0 ? (v % 8 == 0   ? PF_NONE
                                 : v % 8 == 1 ? 0
                                              : (uint32_t)many)
                              : (uint32_t)(v * few >> 3) % m->pool.count;
        narrow[i] = kind != 0 && few < 16 ? 0 : narrow[i];
    }
    c->array = kind == 1 || kind == 2 ? (const void *)wide : narrow;
}

static void make_table(made *m, const uint8_t *data, size_t size)
{
    pf_limits limits = pf_limits_default();
    bytes b = {data, size, size * 31 + 7};
    limits.memory = 256 << 20;
    limits.hash_seed = 1;
    pf_budget_init(&m->budget, &limits);
    pf_arena_init(&m->arena, &m->budget);
    MUST(pf_strings_init(&m->pool, &m->budget, NULL) == PF_OK);
    make_texts(m, &b);
    m->table = (pf_col_table){.name = "t", .cols = m->cols, .count = 1 + next(&b) % COLUMNS_MAX};
    uint32_t rows = (uint32_t)(next(&b) << 4 | next(&b) >> 4), *chosen;
    rows = next(&b) == 7 ? rows * 16 : rows % 700;
    for (size_t i = 0; i < m->table.count; i++) {
        make_column(m, &b, &m->cols[i], rows);
    }
    m->table.rows = rows;
    if (next(&b) % 3 == 0) {
        MUST(PF_ARENA_NEW(&m->arena, chosen, rows, NULL) == PF_OK);
        for (uint32_t i = 0; i < rows / 2; i++) {
            chosen[i] = 2 * i + (uint32_t)next(&b) % 2;
        }
        pf_col_select(&m->table, chosen, rows / 2);
    }
}

static pf_status put(void *ctx, const void *piece, size_t len, pf_error *err)
{
    pf_buffer_put(ctx, piece, len);
    return PF_OK;
}

/* One cell as it must come back. */
typedef struct cell {
    bool there;
    uint64_t number;
    pf_str text;
} cell;

static cell cell_of(const pf_col *c, uint32_t row)
{
    uint64_t values[8] = {0};
    uint8_t bits;
    pf_col_fill(c, row & ~7u, 1 + (row & 7), values, &bits);
    cell out = {.there = bits >> (row & 7) & 1};
    out.number = pf_col_width(c->type) == 8 ? values[row & 7] : ((uint32_t *)values)[row & 7];
    out.text = pf_col_has_texts(c) ? pf_strings_get(c->pool, (uint32_t)out.number) : (pf_str){NULL, 0};
    return out;
}

/* ---- Arrow: the body, whose layout follows from the columns -------------------------------------------------------
 */

static size_t aligned(size_t n)
{
    return (n + 63) / 64 * 64;
}

static void check_arrow(const made *m)
{
    pf_arrow a;
    pf_buffer out = {0};
    pf_error err;
    const pf_col_table *t = &m->table;
    MUST(pf_arrow_plan(&a, t, 0, (pf_budget *)&m->budget, &err) == PF_OK &&
         pf_arrow_write(&a, put, &out, &err) == PF_OK);
    MUST(out.len == a.size && memcmp(out.data + out.len - 6, "ARROW1", 6) == 0);
    const uint8_t *file = (const uint8_t *)out.data;
    size_t piece = 1, last = 1, at;
    for (size_t i = 0; i < t->count; i++) {
        last += pf_col_has_texts(&t->cols[i]);
    }
    at = (size_t)(a.block[last].at + a.block[last].head);
    for (size_t i = 0; i < t->count; i++) {
        const pf_col *c = &t->cols[i];
        const uint8_t *bits = file + at, *texts = file + a.block[piece].at + a.block[piece].head;
        at += aligned(c->nullable ? ((size_t)t->rows + 7) / 8 : 0);
        size_t width = pf_col_width(c->type), count = a.column[i].texts.count;
        for (uint32_t row = 0; row < t->rows; row++) {
            cell want = cell_of(c, row);
            uint64_t got = pf_little_number(file + at + row * width, width);
            MUST(!c->nullable || (bits[row >> 3] >> (row & 7) & 1) == want.there);
            if (!pf_col_has_texts(c)) {
                MUST(got == want.number);
            } else if (want.there) {
                uint32_t from = pf_little_u32(texts + 4 * got), end = pf_little_u32(texts + 4 * got + 4);
                MUST(got < count && end - from == want.text.len);
                MUST(memcmp(texts + aligned(4 * (count + 1)) + from, want.text.ptr, want.text.len) == 0);
            }
        }
        at += aligned(t->rows * width);
        piece += pf_col_has_texts(c);
    }
    pf_arrow_free(&a);
    pf_buffer_free(&out);
}

/* ---- Parquet: page after page ------------------------------------------------------------------------------------ */

typedef struct page {
    uint64_t kind, plain, packed, values, encoding;
    uint8_t *body;
} page;

/* The fields of a struct that are numbers, by number; another struct in field 5 or 7 likewise. */
static const uint8_t *read_struct(const uint8_t *p, const uint8_t *end, uint64_t *out, uint64_t *inner)
{
    unsigned field = 0;
    while (*p) {
        field += *p >> 4;
        unsigned type = *p++ & 15;
        if (type == 12) {
            p = read_struct(p, end, inner, NULL);
        } else {
            uint64_t v;
            MUST((p = pf_varint(p, end, &v)));
            out[field] = v >> 1;
        }
    }
    return p + 1;
}

static const uint8_t *read_page(const uint8_t *p, const uint8_t *end, page *out)
{
    uint64_t head[16] = {0}, inner[16] = {0};
    p = read_struct(p, end, head, inner);
    *out = (page){head[1], head[2], head[3], inner[1], inner[2], malloc(head[2] + 16)};
    MUST(out->body && ZSTD_decompress(out->body, out->plain, p, out->packed) == out->plain);
    return p + out->packed;
}

/* Runs of numbers of `width` bits. */
static void read_runs(const uint8_t *p, const uint8_t *end, unsigned width, uint32_t *out, uint32_t n)
{
    for (uint32_t i = 0; i < n;) {
        uint64_t head;
        MUST((p = pf_varint(p, end, &head)));
        if (head & 1) {
            for (uint64_t k = 0; k < (head >> 1) * 8; k++) {
                uint64_t bit = k * width, v = pf_little_number(p + bit / 8, 5) >> bit % 8;
                if (i < n) {
                    out[i++] = (uint32_t)(v & ((1ull << width) - 1));
                }
            }
            p += (head >> 1) * width;
        } else {
            for (uint64_t k = 0; k < head >> 1 && i < n; k++) {
                out[i++] = (uint32_t)pf_little_number(p, (width + 7) / 8);
            }
            p += (width + 7) / 8;
        }
    }
}

static pf_str read_text(const uint8_t **p)
{
    uint32_t len = pf_little_u32(*p);
    pf_str s = {(const char *)*p + 4, len};
    *p += 4 + len;
    return s;
}

static void check_value(const pf_col *c, cell want, uint64_t number, pf_str text)
{
    if (!pf_col_has_texts(c)) {
        MUST(number == want.number);
    } else {
        MUST(text.len == want.text.len && memcmp(text.ptr, want.text.ptr, text.len) == 0);
    }
}

/* The rows [from, from + n) of a column, which is a chunk. */
static const uint8_t *check_chunk(const uint8_t *p, const uint8_t *end, const pf_col *c, bool optional, uint32_t from,
                                  uint32_t n)
{
    page dictionary = {0}, d;
    pf_str *words = NULL;
    uint32_t *present = malloc(sizeof *present * (n + 8)), *number = malloc(sizeof *number * (n + 8));
    MUST(present && number);
    for (uint32_t done = 0; done < n; done += (uint32_t)d.values) {
        p = read_page(p, end, &d);
        if (d.kind == 2) {
            dictionary = d;
            words = calloc(d.values + 1, sizeof *words);
            const uint8_t *w = d.body;
            for (uint64_t i = 0; words && i < d.values; i++) {
                words[i] = read_text(&w);
            }
            d.values = 0;
            continue;
        }
        const uint8_t *v = d.body, *stop = d.body + d.plain;
        MUST(d.values && d.values <= n - done);
        if (optional) {
            uint32_t len = pf_little_u32(v);
            read_runs(v + 4, v + 4 + len, 1, present, (uint32_t)d.values);
            v += 4 + len;
        }
        uint32_t count = 0, at = 0;
        for (uint32_t i = 0; i < d.values; i++) {
            present[i] = optional ? present[i] : 1;
            count += present[i];
        }
        if (d.encoding == 8) {
            MUST(words);
            read_runs(v + 1, stop, *v, number, count);
        }
        for (uint32_t i = 0; i < d.values; i++) {
            cell want = cell_of(c, from + done + i);
            MUST(want.there == present[i] || !optional);
            if (present[i]) {
                size_t width = pf_col_width(c->type);
                bool texts = pf_col_has_texts(c);
                pf_str text = !texts ? (pf_str){NULL, 0} : d.encoding == 8 ? words[number[at]] : read_text(&v);
                check_value(c, want, texts ? 0 : pf_little_number(v + at * width, width), text);
                at++;
            }
        }
        free(d.body);
    }
    free(dictionary.body);
    free(words);
    free(present);
    free(number);
    return p;
}

static void check_parquet(const made *m)
{
    pf_parquet p;
    pf_buffer out = {0};
    pf_error err;
    const pf_col_table *t = &m->table;
    MUST(pf_parquet_begin(&p, put, &out, (pf_budget *)&m->budget, &err) == PF_OK &&
         pf_parquet_put(&p, t, &err) == PF_OK);
    MUST(pf_parquet_end(&p, &err) == PF_OK && memcmp(out.data, "PAR1", 4) == 0);
    const uint8_t *at = (const uint8_t *)out.data + 4, *end = (const uint8_t *)out.data + out.len;
    for (uint32_t from = 0; from < t->rows; from += PF_PARQUET_GROUP) {
        uint32_t n = t->rows - from < PF_PARQUET_GROUP ? t->rows - from : PF_PARQUET_GROUP;
        for (size_t i = 0; i < t->count; i++) {
            at = check_chunk(at, end, &t->cols[i], p.optional[i], from, n);
        }
    }
    MUST(memcmp(end - 4, "PAR1", 4) == 0 && at + pf_little_u32(end - 8) + 8 == end);
    pf_parquet_free(&p);
    pf_buffer_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    made m;
    make_table(&m, data, size);
    check_arrow(&m);
    check_parquet(&m);
    pf_strings_free(&m.pool);
    pf_arena_free(&m.arena);
    pf_budget_end(&m.budget);
    return 0;
}
