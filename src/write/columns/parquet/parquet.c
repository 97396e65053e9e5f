/* write/columns/parquet/parquet.c - see parquet.h. The metadata of a row group is Thrift as soon as the group is
 * written. */
#include "write/columns/parquet/parquet.h"

#include <stdio.h>
#include <string.h>

#include "base/list.h"
#include "write/columns/parquet/thrift.h"

static const char MAGIC[] = "PAR1";

enum { CODEC_ZSTD = 6 };

/* Parquet's types in the order of ours. Converted types are those of readers of before 2018, 0 is UTF8; -1: none. */
static const struct {
    int physical, converted;
} types[] = {[PF_COL_UINT32] = {1, 13}, [PF_COL_INT32] = {1, 17}, [PF_COL_INT64] = {2, 18},
             [PF_COL_DOUBLE] = {5, -1}, [PF_COL_TEXT] = {6, 0},   [PF_COL_BINARY] = {6, -1}};

pf_status pf_parquet_begin(pf_parquet *p, pf_parquet_sink put, void *ctx, pf_budget *budget, pf_error *err)
{
    *p = (pf_parquet){.put = put, .ctx = ctx, .budget = budget};
    PF_TRY(pf_parquet_pages_begin(p, err));
    return pf_parquet_put_bytes(p, MAGIC, 4, err);
}

void pf_parquet_free(pf_parquet *p)
{
    pf_parquet_pages_free(p);
    PF_LIST_FREE(p->budget, p->optional, p->columns);
    pf_buffer_free(&p->schema);
    pf_buffer_free(&p->group_metadata);
}

static void put_integer_type(pf_thrift *t, unsigned bits, bool is_signed)
{
    pf_thrift_begin(t, 10);
    pf_thrift_begin(t, 10);
    pf_thrift_number(t, 1, PF_THRIFT_I8, bits);
    pf_thrift_bool(t, 2, is_signed);
    pf_thrift_end(t);
    pf_thrift_end(t);
}

/* The elements of the list of columns, the root first. */
static pf_status describe_columns(pf_parquet *p, const pf_col_table *table, pf_error *err)
{
    pf_thrift t = {.out = &p->schema};
    p->columns = table->count;
    PF_TRY(PF_LIST_NEW(p->budget, p->optional, p->columns, err));
    pf_thrift_begin(&t, 0);
    pf_thrift_text(&t, 4, PF_STR("schema"));
    pf_thrift_number(&t, 5, PF_THRIFT_I32, (int64_t)table->count);
    pf_thrift_end(&t);
    for (size_t i = 0; i < table->count; i++) {
        const pf_col *c = &table->cols[i];
        p->optional[i] = c->nullable || pf_col_has_texts(c) || (!c->array && c->source > PF_COL_OF_ROW) ||
                         c->source == PF_COL_OF_NULL;
        pf_thrift_begin(&t, 0);
        pf_thrift_number(&t, 1, PF_THRIFT_I32, types[c->type].physical);
        pf_thrift_number(&t, 3, PF_THRIFT_I32, p->optional[i]);
        pf_thrift_text(&t, 4, (pf_str){c->name, strlen(c->name)});
        if (types[c->type].converted >= 0) {
            pf_thrift_number(&t, 6, PF_THRIFT_I32, types[c->type].converted);
        }
        if (c->type == PF_COL_TEXT) {
            pf_thrift_begin(&t, 10);
            pf_thrift_choice(&t, 1);
            pf_thrift_end(&t);
        } else if (c->type != PF_COL_BINARY && c->type != PF_COL_DOUBLE) {
            put_integer_type(&t, c->type == PF_COL_INT64 ? 64 : 32, c->type != PF_COL_UINT32);
        }
        pf_thrift_end(&t);
    }
    return p->schema.failed ? pf_no_memory(err) : PF_OK;
}

static void put_number_bound(pf_thrift *t, unsigned field, uint64_t v, size_t width)
{
    char bytes[8];
    for (size_t i = 0; i < width; i++) {
        bytes[i] = (char)(v >> 8 * i);
    }
    pf_thrift_text(t, field, (pf_str){bytes, width});
}

/* Zeros have no sign among bounds: the least one is -0, the greatest one +0. */
static void put_real_bound(pf_thrift *t, unsigned field, double v, double zero)
{
    uint64_t bits;
    v = v == 0 ? zero : v;
    memcpy(&bits, &v, sizeof bits);
    put_number_bound(t, field, bits, 8);
}

static void put_statistics(pf_thrift *t, const pf_parquet_chunk *k)
{
    pf_col_type type = k->col->type;
    pf_thrift_begin(t, 12);
    pf_thrift_number(t, 3, PF_THRIFT_I64, k->nulls);
    if (!k->bounded || k->unordered) {
        pf_thrift_end(t);
        return;
    }
    if (pf_col_has_texts(k->col)) {
        pf_thrift_text(t, 5, k->last);
        pf_thrift_text(t, 6, k->first);
    } else if (type == PF_COL_DOUBLE) {
        put_real_bound(t, 5, k->high, 0.0);
        put_real_bound(t, 6, k->low, -0.0);
    } else {
        put_number_bound(t, 5, (uint64_t)k->greatest, pf_col_width(type));
        put_number_bound(t, 6, (uint64_t)k->least, pf_col_width(type));
    }
    pf_thrift_bool(t, 7, true); /* they are values, not cut ones */
    pf_thrift_bool(t, 8, true);
    pf_thrift_end(t);
}

static void put_chunk_metadata(pf_thrift *t, const pf_parquet_chunk *k, uint32_t rows, uint64_t end)
{
    pf_str name = {k->col->name, strlen(k->col->name)};
    bool dictionary = k->encoding == PF_PARQUET_RLE_DICTIONARY;
    pf_thrift_begin(t, 0);
    pf_thrift_number(t, 2, PF_THRIFT_I64, 0);
    pf_thrift_begin(t, 3);
    pf_thrift_number(t, 1, PF_THRIFT_I32, types[k->col->type].physical);
    pf_thrift_list(t, 2, PF_THRIFT_I32, dictionary ? 3 : 2);
    pf_thrift_number(t, 0, PF_THRIFT_I32, PF_PARQUET_PLAIN);
    pf_thrift_number(t, 0, PF_THRIFT_I32, PF_PARQUET_RLE);
    if (dictionary) {
        pf_thrift_number(t, 0, PF_THRIFT_I32, PF_PARQUET_RLE_DICTIONARY);
    }
    pf_thrift_list(t, 3, PF_THRIFT_TEXT, 1);
    pf_thrift_text(t, 0, name);
    pf_thrift_number(t, 4, PF_THRIFT_I32, CODEC_ZSTD);
    pf_thrift_number(t, 5, PF_THRIFT_I64, rows);
    pf_thrift_number(t, 6, PF_THRIFT_I64, (int64_t)k->plain);
    pf_thrift_number(t, 7, PF_THRIFT_I64, (int64_t)(end - k->start));
    pf_thrift_number(t, 9, PF_THRIFT_I64, (int64_t)k->data);
    if (dictionary) {
        pf_thrift_number(t, 11, PF_THRIFT_I64, (int64_t)k->start);
    }
    put_statistics(t, k);
    pf_thrift_end(t);
    pf_thrift_end(t);
}

/* Columns that never descend, each for itself, are in order one after the other, too, whichever comes first: id last,
 * since everything is in its order. */
static void put_sorting(pf_thrift *t, const pf_col_table *table)
{
    size_t count = 0;
    for (size_t i = 0; i < table->count; i++) {
        count += table->cols[i].sorted;
    }
    if (count == 0) {
        return;
    }
    pf_thrift_list(t, 4, PF_THRIFT_STRUCT, count);
    for (size_t i = table->count; i-- > 0;) {
        if (table->cols[i].sorted) {
            pf_thrift_begin(t, 0);
            pf_thrift_number(t, 1, PF_THRIFT_I32, (int64_t)i);
            pf_thrift_bool(t, 2, false); /* descending */
            pf_thrift_bool(t, 3, false); /* NULLs first */
            pf_thrift_end(t);
        }
    }
}

static pf_status put_group(pf_parquet *p, const pf_col_table *table, uint32_t from, uint32_t rows, pf_error *err)
{
    pf_thrift t = {.out = &p->group_metadata};
    uint64_t start = p->at, plain = 0;
    pf_thrift_begin(&t, 0);
    pf_thrift_list(&t, 1, PF_THRIFT_STRUCT, table->count);
    for (size_t i = 0; i < table->count; i++) {
        pf_parquet_chunk k = {.col = &table->cols[i], .optional = p->optional[i]};
        PF_TRY(pf_parquet_put_chunk(p, &k, from, rows, err));
        put_chunk_metadata(&t, &k, rows, p->at);
        plain += k.plain;
    }
    pf_thrift_number(&t, 2, PF_THRIFT_I64, (int64_t)plain);
    pf_thrift_number(&t, 3, PF_THRIFT_I64, rows);
    put_sorting(&t, table);
    pf_thrift_number(&t, 5, PF_THRIFT_I64, (int64_t)start);
    pf_thrift_number(&t, 6, PF_THRIFT_I64, (int64_t)(p->at - start));
    pf_thrift_end(&t);
    p->rows += rows;
    p->groups++;
    return p->group_metadata.failed ? pf_no_memory(err) : PF_OK;
}

pf_status pf_parquet_put(pf_parquet *p, const pf_col_table *rows, pf_error *err)
{
    PF_TRY(p->schema.len == 0 ? describe_columns(p, rows, err) : PF_OK);
    if (rows->count != p->columns) {
        return pf_fail(err, PF_ERR_INTERNAL, "the columns of a table changed on the way into a file");
    }
    for (uint64_t from = 0; from < rows->rows; from += PF_PARQUET_GROUP) {
        uint64_t left = rows->rows - from;
        uint32_t n = left < PF_PARQUET_GROUP ? (uint32_t)left : PF_PARQUET_GROUP;
        PF_TRY(put_group(p, rows, (uint32_t)from, n, err));
    }
    return PF_OK;
}

pf_status pf_parquet_end(pf_parquet *p, pf_error *err)
{
    pf_buffer b = {0};
    pf_thrift t = {.out = &b};
    char name[64];
    snprintf(name, sizeof name, "postfetto version %s", pf_version());
    pf_thrift_begin(&t, 0);
    pf_thrift_number(&t, 1, PF_THRIFT_I32, 2);
    pf_thrift_list(&t, 2, PF_THRIFT_STRUCT, p->columns + 1);
    pf_buffer_put(&b, p->schema.data, p->schema.len);
    pf_thrift_number(&t, 3, PF_THRIFT_I64, (int64_t)p->rows);
    pf_thrift_list(&t, 4, PF_THRIFT_STRUCT, p->groups);
    pf_buffer_put(&b, p->group_metadata.data, p->group_metadata.len);
    pf_thrift_text(&t, 6, (pf_str){name, strlen(name)});
    pf_thrift_list(&t, 7, PF_THRIFT_STRUCT, p->columns);
    for (size_t i = 0; i < p->columns; i++) {
        pf_thrift_begin(&t, 0);
        pf_thrift_choice(&t, 1); /* by the type */
        pf_thrift_end(&t);
    }
    pf_thrift_end(&t);
    size_t len = b.len;
    for (unsigned i = 0; i < 4; i++) {
        pf_buffer_put(&b, (char[]){(char)(len >> 8 * i)}, 1);
    }
    pf_buffer_put(&b, MAGIC, 4);
    pf_status st = b.failed ? pf_no_memory(err) : pf_parquet_put_bytes(p, b.data, b.len, err);
    pf_buffer_free(&b);
    return st;
}
