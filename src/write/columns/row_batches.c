/* write/columns/row_batches.c - rows become columns: an array for each column that has a value, a bit for each row that
 * has one. Arrays are made when the first value comes, grow with the first batch and serve all of them. */
#include "write/columns/row_batches.h"

#include "base/list.h"
#include "base/str.h"
#include "base/text/utf8.h"

#define BATCH_BYTES (64u << 20)  /* of numbers, and of texts */
#define BATCH_SPELLED (1u << 30) /* with the longest text of SQLite less than 2 GiB */

typedef struct pf_row_column {
    const char *name;
    pf_value_type type;     /* INT, REAL or STRING; NULL as long as it is not known */
    pf_value_type declared; /* the same */
    bool blob;              /* STRING */
    bool late;              /* the first batch had no value */
    int64_t *numbers;       /* INT; REAL: bits. NULL: there was no value; likewise */
    uint32_t *ids;          /* STRING */
    uint8_t *present;       /* of numbers, a bit for each row */
    uint32_t room, bytes;   /* of numbers or ids; of present */
} row_column;

/* How many of the first `count` columns have the name. */
static size_t count_named(const row_column *columns, size_t count, const char *name)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        found += pf_is_same_name(columns[i].name, name);
    }
    return found;
}

static pf_status copy_text(pf_row_batches *b, pf_str text, const char **copy, pf_error *err)
{
    pf_buffer clean = {0};
    text = pf_utf8_clean(text, &clean);
    *copy = clean.failed ? NULL : pf_arena_copy(&b->arena, text.ptr, text.len);
    pf_status st = *copy ? PF_OK : clean.failed ? pf_no_memory(err) : pf_budget_refused(b->budget, text.len, err);
    pf_buffer_free(&clean);
    return st;
}

static pf_status name_column(pf_row_batches *b, size_t i, pf_str name, pf_error *err)
{
    const char *own;
    PF_TRY(copy_text(b, name, &own, err));
    b->columns[i].name = own;
    for (size_t n = count_named(b->columns, i, own); count_named(b->columns, i, b->columns[i].name) > 0;) {
        pf_buffer numbered = {0};
        pf_buffer_format(&numbered, "%s_%zu", own, ++n);
        pf_status st = numbered.failed ? pf_no_memory(err)
                                       : copy_text(b, (pf_str){numbered.data, numbered.len}, &b->columns[i].name, err);
        pf_buffer_free(&numbered);
        PF_TRY(st);
    }
    return PF_OK;
}

pf_status pf_row_batches_begin(pf_row_batches *b, size_t count, const pf_str *names, const pf_value_type *types,
                               pf_budget *budget, pf_row_batch_put put, void *ctx, pf_error *err)
{
    size_t most = (BATCH_BYTES / sizeof(int64_t) / (count ? count : 1)) & ~(size_t)7;
    *b = (pf_row_batches){.put = put, .ctx = ctx, .budget = budget, .rows = {.name = "query", .count = count}};
    b->most = most < PF_ROW_BATCH ? (uint32_t)most : PF_ROW_BATCH;
    b->first_most = (uint32_t)most;
    pf_arena_init(&b->arena, budget);
    if (most == 0) {
        return pf_fail(err, PF_ERR_LIMIT, "a result of %zu columns is too wide; select fewer", count);
    }
    PF_TRY(pf_strings_init(&b->texts, budget, err));
    PF_TRY(PF_ARENA_NEW(&b->arena, b->columns, count, err));
    PF_TRY(PF_ARENA_NEW(&b->arena, b->rows.cols, count, err));
    for (size_t i = 0; i < count; i++) {
        b->columns[i].declared = types ? types[i] : PF_VALUE_NULL;
        b->unknown += b->columns[i].declared == PF_VALUE_NULL;
        PF_TRY(name_column(b, i, names[i], err));
    }
    return PF_OK;
}

static const char *kind_of(pf_value_type type, bool blob)
{
    return type == PF_VALUE_INT ? "an integer" : type == PF_VALUE_REAL ? "a real" : blob ? "a blob" : "a text";
}

/* Says why a value has no place in its column. */
static pf_status misfit(const pf_row_batches *b, const row_column *c, const pf_query_cell *cell, pf_error *err)
{
    bool text = cell->type == PF_VALUE_STRING || c->type == PF_VALUE_STRING;
    unsigned long long row = b->done + b->rows.rows + 1;
    const char *is = kind_of(cell->type, cell->blob), *other = kind_of(c->type, c->blob);
    if (c->late) {
        return pf_fail(err, PF_ERR_USAGE,
                       "row %llu, column %.80s: %s in a column that is NULL for so long that its type became that of "
                       "%s; ORDER BY it DESC, or select the rows IS NOT NULL, so that a value comes first",
                       row, c->name, is, other);
    }
    return pf_fail(err, PF_ERR_USAGE,
                   "row %llu, column %.80s: %s in a column that began with %s; CAST(... AS %s) gives it one type", row,
                   c->name, is, other, text ? "TEXT" : "REAL");
}

static bool is_exact(int64_t v)
{
    return (v >= -(1ll << 53) && v <= 1ll << 53) || ((double)v < 0x1p63 && (int64_t)(double)v == v);
}

static int64_t bits_of(double v)
{
    int64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

/* The integers of a column become reals; false if one of them cannot. */
static bool widen(const row_column *c, uint32_t rows)
{
    for (uint32_t i = 0; i < rows; i++) {
        if (!is_exact(c->numbers[i])) {
            return false;
        }
    }
    for (uint32_t i = 0; i < rows; i++) {
        c->numbers[i] = bits_of((double)c->numbers[i]);
    }
    return true;
}

/* The type of the column with one more value: the first one says it, and within the first batch the next ones may
 * widen it. False: there is no such type. */
static bool admit(pf_row_batches *b, row_column *c, const pf_query_cell *cell)
{
    bool blob = cell->type == PF_VALUE_STRING && cell->blob;
    if (c->type == PF_VALUE_NULL) {
        c->type = cell->type;
        c->blob = blob;
        b->unknown -= c->declared == PF_VALUE_NULL;
    } else if (c->type == PF_VALUE_INT && cell->type == PF_VALUE_REAL) {
        bool wider = !b->typed && widen(c, b->rows.rows);
        c->type = wider ? PF_VALUE_REAL : PF_VALUE_INT;
        return wider;
    } else if (c->type == PF_VALUE_REAL && cell->type == PF_VALUE_INT) {
        return is_exact(cell->as.i);
    } else if (c->type != cell->type || (blob && !c->blob && b->typed)) {
        return false;
    }
    c->blob |= blob;
    return true;
}

static pf_status add_text(pf_row_batches *b, const row_column *c, const pf_query_cell *cell, pf_error *err)
{
    pf_buffer clean = {0};
    pf_str text = cell->blob ? cell->as.s : pf_utf8_clean(cell->as.s, &clean);
    uint32_t before = b->texts.count;
    uint32_t id = clean.failed ? PF_NONE : pf_strings_add(&b->texts, text.ptr, text.len, err);
    pf_status st = clean.failed ? pf_no_memory(err) : id == PF_NONE ? err->code : PF_OK;
    b->text_bytes += b->texts.count > before ? text.len : 0;
    b->spelled += text.len;
    c->ids[b->rows.rows] = st == PF_OK ? id : 0;
    pf_buffer_free(&clean);
    return st;
}

/* Room for one more row in the arrays that the column has by its type; what is in front of a first value is NULL. */
static pf_status make_room(const pf_row_batches *b, row_column *c, pf_error *err)
{
    const uint32_t row = b->rows.rows, bytes = c->bytes;
    bool first = !c->ids && !c->numbers;
    if (c->type == PF_VALUE_STRING) {
        PF_TRY(PF_LIST_ROOM(b->budget, c->ids, row + 1, c->room, err));
        memset(c->ids, 0, first ? row * sizeof *c->ids : 0);
        return PF_OK;
    }
    PF_TRY(PF_LIST_ROOM(b->budget, c->numbers, row + 1, c->room, err));
    memset(c->numbers, 0, first ? row * sizeof *c->numbers : 0);
    PF_TRY(PF_LIST_ROOM(b->budget, c->present, row / 8 + 1, c->bytes, err));
    memset(c->present + bytes, 0, c->bytes - bytes);
    return PF_OK;
}

static pf_status add_cell(pf_row_batches *b, row_column *c, const pf_query_cell *cell, pf_error *err)
{
    uint32_t row = b->rows.rows;
    if (cell->type == PF_VALUE_NULL) {
        PF_TRY(c->ids || c->numbers ? make_room(b, c, err) : PF_OK);
        if (c->numbers) {
            c->numbers[row] = 0;
            c->present[row >> 3] &= (uint8_t) ~(1u << (row & 7));
        } else if (c->ids) {
            c->ids[row] = 0;
        }
        return PF_OK;
    }
    PF_TRY(admit(b, c, cell) ? PF_OK : misfit(b, c, cell, err));
    PF_TRY(make_room(b, c, err));
    if (c->type == PF_VALUE_STRING) {
        return add_text(b, c, cell, err);
    }
    c->numbers[row] = c->type == PF_VALUE_INT      ? cell->as.i
                      : cell->type == PF_VALUE_INT ? bits_of((double)cell->as.i)
                                                   : bits_of(cell->as.d);
    c->present[row >> 3] |= (uint8_t)(1u << (row & 7));
    return PF_OK;
}

/* The column in the rows from `from`, a multiple of 8, on. */
static void show(const pf_row_batches *b, row_column *c, uint32_t from, pf_col *out)
{
    c->late |= c->type == PF_VALUE_NULL;
    c->type = c->type ? c->type : c->declared ? c->declared : PF_VALUE_STRING;
    bool text = c->type == PF_VALUE_STRING;
    *out = (pf_col){.name = c->name,
                    .type = !text     ? c->type == PF_VALUE_INT ? PF_COL_INT64 : PF_COL_DOUBLE
                            : c->blob ? PF_COL_BINARY
                                      : PF_COL_TEXT,
                    .nullable = true,
                    .source = text ? PF_COL_OF_ID : PF_COL_OF_BITS,
                    .array = c->ids       ? c->ids + from
                             : c->numbers ? (const void *)(c->numbers + from)
                                          : NULL,
                    .present = c->present ? c->present + from / 8 : NULL,
                    .pool = text ? &b->texts : NULL};
}

/* The rows from `from` on become the first ones. */
static void keep_rest(const pf_row_batches *b, uint32_t from)
{
    const size_t rows = b->rows.rows;
    for (size_t i = 0; i < b->rows.count; i++) {
        const row_column *c = &b->columns[i];
        if (c->ids) {
            memmove(c->ids, c->ids + from, rows * sizeof *c->ids);
        } else if (c->numbers) {
            memmove(c->numbers, c->numbers + from, rows * sizeof *c->numbers);
            memmove(c->present, c->present + from / 8, (rows + 7) / 8);
        }
    }
}

/* Puts whole batches, several where it was waited for a value, or all rows. */
static pf_status put_batches(pf_row_batches *b, bool all, pf_error *err)
{
    const uint32_t rows = b->rows.rows;
    uint32_t from = 0;
    do {
        for (size_t i = 0; i < b->rows.count; i++) {
            show(b, &b->columns[i], from, &b->rows.cols[i]);
        }
        b->rows.rows = rows - from < b->most ? rows - from : b->most;
        PF_TRY(b->put(b->ctx, &b->rows, err));
        from += b->rows.rows;
    } while (rows - from >= (all ? 1 : b->most));
    b->typed = true;
    b->unknown = 0;
    b->done += from;
    b->rows.rows = rows - from;
    keep_rest(b, from);
    if (b->rows.rows) {
        return PF_OK; /* they have their texts still */
    }
    b->text_bytes = b->spelled = 0;
    pf_strings_free(&b->texts);
    return pf_strings_init(&b->texts, b->budget, err);
}

pf_status pf_row_batches_add(pf_row_batches *b, const pf_query_cell *cells, pf_error *err)
{
    for (size_t i = 0; i < b->rows.count; i++) {
        PF_TRY(add_cell(b, &b->columns[i], &cells[i], err));
    }
    b->rows.rows++;
    bool long_texts = b->text_bytes >= BATCH_BYTES || b->spelled >= BATCH_SPELLED;
    return long_texts || b->rows.rows >= (b->unknown ? b->first_most : b->most) ? put_batches(b, long_texts, err)
                                                                                : PF_OK;
}

pf_status pf_row_batches_end(pf_row_batches *b, pf_error *err)
{
    return b->rows.rows > 0 || !b->typed ? put_batches(b, true, err) : PF_OK;
}

void pf_row_batches_free(pf_row_batches *b)
{
    for (size_t i = 0; b->columns && i < b->rows.count; i++) {
        row_column *c = &b->columns[i];
        PF_LIST_FREE(b->budget, c->numbers, c->room);
        PF_LIST_FREE(b->budget, c->ids, c->room);
        PF_LIST_FREE(b->budget, c->present, c->bytes);
    }
    pf_strings_free(&b->texts);
    pf_arena_free(&b->arena);
    *b = (pf_row_batches){0};
}
