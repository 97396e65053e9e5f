/* write/columns/arrow/arrow_ipc.c - a table as Arrow IPC: planning all that is not a value, then writing. */
#include "write/columns/arrow/arrow_ipc.h"

#include <string.h>

#include "base/list.h"
#include "write/columns/arrow/arrow_flat.h"

#define ALIGNMENT 64u
#define FILL_ROWS 4096u
#define MAGIC "ARROW1"
#define BESIDES 3u /* pieces that are not of a column: the schema, the batch, the end */

/* Numbers of Arrow's. */
enum { VERSION_5 = 4, HEADER_SCHEMA = 1, HEADER_DICTIONARY, HEADER_BATCH };
enum { TYPE_INT = 2, TYPE_REAL = 3, TYPE_BINARY = 4, TYPE_UTF8 = 5 };
enum { PRECISION_DOUBLE = 2 };

static uint64_t aligned(uint64_t n)
{
    return (n + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static bool has_dictionary(const pf_arrow *a, const pf_arrow_column *c)
{
    return pf_col_has_texts(c->col) && !(a->flags & PF_ARROW_PLAIN);
}

static void put_int_type(pf_buffer *b, size_t from, uint64_t bits, bool has_sign)
{
    size_t at[2];
    const pf_flat_field fields[] = {{4, bits}, {1, has_sign}};
    pf_flat_table(b, from, fields, 2, at);
}

static void put_type(pf_buffer *b, size_t from, pf_col_type type)
{
    size_t at[1];
    const pf_flat_field real[] = {{2, PRECISION_DOUBLE}};
    switch (type) {
    case PF_COL_UINT32:
    case PF_COL_INT32:
        put_int_type(b, from, 32, type == PF_COL_INT32);
        break;
    case PF_COL_INT64:
        put_int_type(b, from, 64, true);
        break;
    case PF_COL_DOUBLE:
        pf_flat_table(b, from, real, 1, at);
        break;
    case PF_COL_TEXT:
    case PF_COL_BINARY:
        pf_flat_table(b, from, NULL, 0, at);
        break;
    }
}

static void put_field(pf_buffer *b, size_t from, const pf_arrow *a, const pf_arrow_column *c, uint64_t dictionary)
{
    static const uint8_t types[] = {
        [PF_COL_UINT32] = TYPE_INT,  [PF_COL_INT32] = TYPE_INT, [PF_COL_INT64] = TYPE_INT,
        [PF_COL_DOUBLE] = TYPE_REAL, [PF_COL_TEXT] = TYPE_UTF8, [PF_COL_BINARY] = TYPE_BINARY};
    enum { NAME, NULLABLE, TYPE_KIND, TYPE, DICTIONARY, CHILDREN, FIELDS };
    size_t at[FIELDS], inner[2], none;
    pf_flat_field fields[] = {
        [NAME] = PF_FLAT_POINTER, [NULLABLE] = {1, c->col->nullable}, [TYPE_KIND] = {1, types[c->col->type]},
        [TYPE] = PF_FLAT_POINTER, [DICTIONARY] = PF_FLAT_ABSENT,      [CHILDREN] = PF_FLAT_POINTER};
    fields[DICTIONARY].size = has_dictionary(a, c) ? 4 : 0;
    pf_flat_table(b, from, fields, FIELDS, at);
    pf_flat_string(b, at[NAME], c->col->name);
    put_type(b, at[TYPE], c->col->type);
    if (has_dictionary(a, c)) {
        const pf_flat_field encoding[] = {{8, dictionary}, PF_FLAT_POINTER};
        pf_flat_table(b, at[DICTIONARY], encoding, 2, inner);
        put_int_type(b, inner[1], 32, true);
    }
    pf_flat_pointers(b, at[CHILDREN], 0, &none);
}

static void put_schema(pf_buffer *b, size_t from, const pf_arrow *a)
{
    size_t at[2], field;
    uint64_t dictionaries = 0;
    const pf_flat_field fields[] = {{2, 0}, PF_FLAT_POINTER};
    pf_flat_table(b, from, fields, 2, at);
    pf_flat_pointers(b, at[1], a->columns, &field);
    for (size_t i = 0; i < a->columns; i++, field += 4) {
        put_field(b, field, a, &a->column[i], dictionaries);
        dictionaries += has_dictionary(a, &a->column[i]);
    }
}

static size_t begin_message(pf_buffer *b, uint64_t kind, uint64_t body)
{
    enum { VERSION, KIND, HEADER, BODY, FIELDS };
    size_t at[FIELDS];
    const pf_flat_field fields[] = {{2, VERSION_5}, {1, kind}, PF_FLAT_POINTER, {8, body}};
    pf_flat_table(b, PF_FLAT_ROOT, fields, FIELDS, at);
    return at[HEADER];
}

static void put_u32(pf_buffer *b, uint32_t v)
{
    const char bytes[] = {(char)v, (char)(v >> 8), (char)(v >> 16), (char)(v >> 24)};
    pf_buffer_put(b, bytes, sizeof bytes);
}

static void put_zeros(pf_buffer *b, size_t count)
{
    for (size_t i = 0; i < count && !b->failed; i++) {
        pf_buffer_put(b, "", 1);
    }
}

/* Takes the flatbuffer, with its prefix, and padding so that a body begins at a multiple of 64 of the file. */
static pf_status add_message(pf_arrow *a, pf_buffer *message, uint64_t body, pf_error *err)
{
    uint64_t end = aligned(a->size + 8 + message->len);
    a->block[a->pieces] = (pf_arrow_block){(int64_t)a->size, (int32_t)(end - a->size), 0, (int64_t)body};
    put_u32(&a->heads, UINT32_MAX);
    put_u32(&a->heads, (uint32_t)(end - a->size - 8));
    pf_buffer_put(&a->heads, message->data, message->len);
    put_zeros(&a->heads, end - a->size - 8 - message->len);
    a->head_end[a->pieces++] = a->heads.len;
    a->size = end + body;
    bool failed = message->failed || a->heads.failed;
    pf_buffer_free(message);
    return failed ? pf_no_memory(err) : PF_OK;
}

/* The next buffer of a body. */
static void lay(pf_arrow_buffer *buffer, uint64_t *body, uint64_t len)
{
    *buffer = (pf_arrow_buffer){(int64_t)*body, (int64_t)len};
    *body = aligned(*body + len);
}

static void put_batch(pf_buffer *b, size_t from, uint64_t rows, const void *nodes, size_t node_count,
                      const pf_arrow_buffer *buffers, size_t count)
{
    size_t at[3];
    const pf_flat_field fields[] = {{8, rows}, PF_FLAT_POINTER, PF_FLAT_POINTER};
    pf_flat_table(b, from, fields, 3, at);
    pf_flat_structs(b, at[1], nodes, sizeof(int64_t[2]), node_count);
    pf_flat_structs(b, at[2], buffers, sizeof *buffers, count);
}

static pf_status add_dictionary(pf_arrow *a, const pf_arrow_column *c, uint64_t number, pf_error *err)
{
    pf_buffer b = {0};
    pf_arrow_buffer buffers[3];
    size_t at[2];
    uint64_t body = 0;
    const int64_t node[] = {c->texts.count, 0};
    lay(&buffers[0], &body, 0);
    lay(&buffers[1], &body, ((uint64_t)c->texts.count + 1) * sizeof(int32_t));
    lay(&buffers[2], &body, c->texts.bytes);
    const pf_flat_field fields[] = {{8, number}, PF_FLAT_POINTER};
    pf_flat_table(&b, begin_message(&b, HEADER_DICTIONARY, body), fields, 2, at);
    put_batch(&b, at[1], c->texts.count, node, 1, buffers, 3);
    return add_message(a, &b, body, err);
}

static size_t buffers_of(const pf_arrow *a, const pf_arrow_column *c)
{
    return pf_col_has_texts(c->col) && !has_dictionary(a, c) ? 3 : 2;
}

static pf_status add_batch(pf_arrow *a, pf_error *err)
{
    pf_buffer b = {0};
    uint64_t rows = a->table->rows, body = 0;
    int64_t(*nodes)[2];
    pf_arrow_buffer *buffers;
    size_t count = 0;
    PF_TRY(PF_LIST_NEW(a->budget, nodes, a->columns, err));
    pf_status st = PF_LIST_NEW(a->budget, buffers, 3 * a->columns, err);
    for (size_t i = 0; i < a->columns && st == PF_OK; i++) {
        const pf_arrow_column *c = &a->column[i];
        nodes[i][0] = (int64_t)rows;
        nodes[i][1] = c->nulls;
        lay(&buffers[count++], &body, c->bits ? (rows + 7) / 8 : 0);
        if (buffers_of(a, c) == 3) {
            lay(&buffers[count++], &body, (rows + 1) * sizeof(int32_t));
            lay(&buffers[count++], &body, c->bytes);
        } else {
            lay(&buffers[count++], &body, rows * pf_col_width(c->col->type));
        }
    }
    if (st == PF_OK) {
        put_batch(&b, begin_message(&b, HEADER_BATCH, body), rows, nodes, a->columns, buffers, count);
        st = add_message(a, &b, body, err);
    }
    PF_LIST_FREE(a->budget, nodes, a->columns);
    PF_LIST_FREE(a->budget, buffers, 3 * a->columns);
    return st;
}

/* The end mark, and what follows it in a file. */
static pf_status add_end(pf_arrow *a, pf_error *err)
{
    pf_buffer footer = {0};
    size_t before = a->heads.len;
    if (a->flags & PF_ARROW_OPEN) {
        return PF_OK;
    }
    put_u32(&a->heads, UINT32_MAX);
    put_u32(&a->heads, 0);
    if (!(a->flags & PF_ARROW_STREAM)) {
        enum { FOOTER_VERSION, SCHEMA, DICTIONARIES, BATCHES, FIELDS };
        size_t at[FIELDS], last = a->pieces - 1; /* the pieces are the schema, dictionaries, the batch */
        const pf_flat_field fields[] = {{2, VERSION_5}, PF_FLAT_POINTER, PF_FLAT_POINTER, PF_FLAT_POINTER};
        pf_flat_table(&footer, PF_FLAT_ROOT, fields, FIELDS, at);
        put_schema(&footer, at[SCHEMA], a);
        pf_flat_structs(&footer, at[DICTIONARIES], a->block + 1, sizeof *a->block, last - 1);
        pf_flat_structs(&footer, at[BATCHES], a->block + last, sizeof *a->block, 1);
        pf_buffer_put(&a->heads, footer.data, footer.len);
        put_u32(&a->heads, (uint32_t)footer.len);
        pf_buffer_put(&a->heads, MAGIC, sizeof MAGIC - 1);
    }
    a->head_end[a->pieces++] = a->heads.len;
    a->size += a->heads.len - before;
    bool failed = footer.failed || a->heads.failed;
    pf_buffer_free(&footer);
    return failed ? pf_no_memory(err) : PF_OK;
}

/* The bits of a column, its NULLs, and the bytes of plain texts. */
static pf_status look(pf_arrow *a, pf_arrow_column *c, pf_error *err)
{
    uint64_t values[FILL_ROWS];
    uint32_t rows = a->table->rows;
    const uint32_t *ids = (const uint32_t *)values;
    bool plain = pf_col_has_texts(c->col) && !has_dictionary(a, c);
    if (c->col->nullable) {
        PF_TRY(PF_LIST_NEW(a->budget, c->bits, ((size_t)rows + 7) / 8, err));
    }
    for (uint32_t from = 0; from < rows && (c->bits || plain); from += FILL_ROWS) {
        uint32_t n = rows - from < FILL_ROWS ? rows - from : FILL_ROWS;
        c->nulls += pf_col_fill(c->col, from, n, values, c->bits ? c->bits + from / 8 : NULL);
        for (uint32_t i = 0; plain && i < n; i++) {
            c->bytes += pf_strings_get(c->col->pool, ids[i]).len;
        }
    }
    return PF_OK;
}

pf_status pf_arrow_check_texts(const pf_col_table *table, const pf_col *c, uint64_t bytes, pf_error *err)
{
    return bytes <= INT32_MAX ? PF_OK
                              : pf_fail(err, PF_ERR_LIMIT,
                                        "the strings of %s.%s are more than the 2 GiB that an Arrow column holds here",
                                        table->name, c->name);
}

static pf_status plan_column(pf_arrow *a, pf_arrow_column *c, pf_error *err)
{
    PF_TRY(look(a, c, err));
    if (has_dictionary(a, c)) {
        PF_TRY(pf_col_dictionary_make(&c->texts, c->col, a->table->rows, a->budget, err));
    }
    return pf_arrow_check_texts(a->table, c->col, c->texts.bytes + c->bytes, err);
}

pf_status pf_arrow_plan(pf_arrow *a, const pf_col_table *table, unsigned flags, pf_budget *budget, pf_error *err)
{
    pf_buffer b = {0};
    uint64_t number = 0;
    *a = (pf_arrow){.table = table, .flags = flags, .budget = budget};
    PF_TRY(PF_LIST_NEW(budget, a->column, table->count, err));
    a->columns = table->count;
    PF_TRY(PF_LIST_NEW(budget, a->head_end, table->count + BESIDES, err));
    PF_TRY(PF_LIST_NEW(budget, a->block, table->count + BESIDES, err));
    if (!(flags & PF_ARROW_STREAM)) {
        pf_buffer_put(&a->heads, MAGIC "\0", sizeof MAGIC + 1);
        a->size = a->heads.len;
    }
    for (size_t i = 0; i < a->columns; i++) {
        a->column[i].col = &table->cols[i];
        PF_TRY(plan_column(a, &a->column[i], err));
    }
    if (!(flags & PF_ARROW_MORE)) {
        put_schema(&b, begin_message(&b, HEADER_SCHEMA, 0), a);
        PF_TRY(add_message(a, &b, 0, err));
    }
    for (size_t i = 0; i < a->columns; i++) {
        if (has_dictionary(a, &a->column[i])) {
            PF_TRY(add_dictionary(a, &a->column[i], number++, err));
        }
    }
    PF_TRY(add_batch(a, err));
    return add_end(a, err);
}

void pf_arrow_free(pf_arrow *a)
{
    for (size_t i = 0; i < a->columns; i++) {
        pf_col_dictionary_free(&a->column[i].texts);
        PF_LIST_FREE(a->budget, a->column[i].bits, a->column[i].bits ? ((size_t)a->table->rows + 7) / 8 : 0);
    }
    PF_LIST_FREE(a->budget, a->column, a->columns);
    PF_LIST_FREE(a->budget, a->head_end, a->head_end ? a->columns + BESIDES : 0);
    PF_LIST_FREE(a->budget, a->block, a->block ? a->columns + BESIDES : 0);
    pf_buffer_free(&a->heads);
    *a = (pf_arrow){0};
}

typedef struct writer {
    const pf_arrow *a;
    pf_arrow_sink put;
    void *ctx;
    pf_error *err;
    char *room; /* texts are gathered there */
    size_t len;
} writer;

#define ROOM (FILL_ROWS * sizeof(uint64_t))

static pf_status pad(writer *w, uint64_t len)
{
    static const char zeros[ALIGNMENT] = {0};
    size_t more = aligned(len) - len;
    return more ? w->put(w->ctx, zeros, more, w->err) : PF_OK;
}

static pf_status flush(writer *w)
{
    size_t len = w->len;
    w->len = 0;
    return len ? w->put(w->ctx, w->room, len, w->err) : PF_OK;
}

static pf_status gather(writer *w, pf_str text)
{
    if (text.len > ROOM - w->len) {
        PF_TRY(flush(w));
    }
    if (text.len > ROOM) {
        return w->put(w->ctx, text.ptr, text.len, w->err);
    }
    if (text.len) {
        memcpy(w->room + w->len, text.ptr, text.len);
        w->len += text.len;
    }
    return PF_OK;
}

static pf_status gather_offset(writer *w, int32_t offset)
{
    return gather(w, (pf_str){(const char *)&offset, sizeof offset});
}

static pf_status write_dictionary(writer *w, const pf_col_dictionary *d)
{
    int32_t end = 0;
    PF_TRY(gather_offset(w, 0));
    for (uint32_t i = 0; i < d->count; i++) {
        end += (int32_t)d->pool->len[d->ids[i]];
        PF_TRY(gather_offset(w, end));
    }
    PF_TRY(flush(w));
    PF_TRY(pad(w, ((uint64_t)d->count + 1) * sizeof end));
    for (uint32_t i = 0; i < d->count; i++) {
        PF_TRY(gather(w, pf_strings_get(d->pool, d->ids[i])));
    }
    PF_TRY(flush(w));
    return pad(w, d->bytes);
}

/* All values of a column, block by block, unless they lie in the trace as they are. */
static pf_status write_values(writer *w, const pf_arrow_column *c)
{
    uint64_t rows = w->a->table->rows, bytes = rows * pf_col_width(c->col->type);
    const pf_col *col = c->col;
    bool whole = col->array && !col->rows && !col->through && !col->nullable && !col->renumber;
    if (whole && (col->source == PF_COL_OF_INT64 || col->source == PF_COL_OF_DOUBLE) && pf_col_width(col->type) == 8) {
        PF_TRY(w->put(w->ctx, col->array, bytes, w->err));
        return pad(w, bytes);
    }
    for (uint32_t from = 0; from < rows; from += FILL_ROWS) {
        uint32_t n = rows - from < FILL_ROWS ? (uint32_t)rows - from : FILL_ROWS;
        pf_col_fill(col, from, n, w->room, NULL);
        if (has_dictionary(w->a, c)) {
            pf_col_dictionary_apply(&c->texts, (uint32_t *)(void *)w->room, n);
        }
        PF_TRY(w->put(w->ctx, w->room, n * pf_col_width(col->type), w->err));
    }
    return pad(w, bytes);
}

static pf_status write_plain_texts(writer *w, const pf_arrow_column *c)
{
    uint32_t ids[FILL_ROWS], rows = w->a->table->rows;
    int32_t end = 0;
    PF_TRY(gather_offset(w, 0));
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t from = 0; from < rows; from += FILL_ROWS) {
            uint32_t n = rows - from < FILL_ROWS ? rows - from : FILL_ROWS;
            pf_col_fill(c->col, from, n, ids, NULL);
            for (uint32_t i = 0; i < n; i++) {
                pf_str text = pf_strings_get(c->col->pool, ids[i]);
                end += pass ? 0 : (int32_t)text.len;
                PF_TRY(pass ? gather(w, text) : gather_offset(w, end));
            }
        }
        PF_TRY(flush(w));
        PF_TRY(pad(w, pass ? c->bytes : ((uint64_t)rows + 1) * sizeof end));
    }
    return PF_OK;
}

static pf_status write_batch(writer *w)
{
    uint64_t bits = ((uint64_t)w->a->table->rows + 7) / 8;
    for (size_t i = 0; i < w->a->columns; i++) {
        const pf_arrow_column *c = &w->a->column[i];
        if (c->bits && bits) {
            PF_TRY(w->put(w->ctx, c->bits, bits, w->err));
            PF_TRY(pad(w, bits));
        }
        PF_TRY(buffers_of(w->a, c) == 3 ? write_plain_texts(w, c) : write_values(w, c));
    }
    return PF_OK;
}

static pf_status write_pieces(writer *w)
{
    const pf_arrow *a = w->a;
    size_t from = 0, dictionary = 0, piece = 0;
    for (; piece < a->pieces; piece++) {
        PF_TRY(w->put(w->ctx, a->heads.data + from, a->head_end[piece] - from, w->err));
        from = a->head_end[piece];
        bool schema = piece == 0 && !(a->flags & PF_ARROW_MORE),
             end = piece + 1 == a->pieces && !(a->flags & PF_ARROW_OPEN);
        if (schema || end) {
            continue;
        }
        while (dictionary < a->columns && !has_dictionary(a, &a->column[dictionary])) {
            dictionary++;
        }
        PF_TRY(dictionary < a->columns ? write_dictionary(w, &a->column[dictionary].texts) : write_batch(w));
        dictionary++;
    }
    return PF_OK;
}

pf_status pf_arrow_write(const pf_arrow *a, pf_arrow_sink put, void *ctx, pf_error *err)
{
    writer w = {.a = a, .put = put, .ctx = ctx, .err = err};
    PF_TRY(PF_LIST_NEW(a->budget, w.room, ROOM, err));
    pf_status st = write_pieces(&w);
    PF_LIST_FREE(a->budget, w.room, ROOM);
    return st;
}

pf_status pf_arrow_put_batch(const pf_col_table *rows, bool first, pf_arrow_sink put, void *ctx, pf_budget *budget,
                             pf_error *err)
{
    pf_arrow a;
    unsigned flags = PF_ARROW_STREAM | PF_ARROW_PLAIN | PF_ARROW_OPEN | (first ? 0 : PF_ARROW_MORE);
    pf_status st = pf_arrow_plan(&a, rows, flags, budget, err);
    st = st == PF_OK ? pf_arrow_write(&a, put, ctx, err) : st;
    pf_arrow_free(&a);
    return st;
}

pf_status pf_arrow_put_end(pf_arrow_sink put, void *ctx, pf_error *err)
{
    return put(ctx, "\xff\xff\xff\xff\0\0\0", 8, err);
}
