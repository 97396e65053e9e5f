/* write/columns/arrow/arrow_ipc.c - a table as Arrow IPC: planning all that is not a value, then writing. */
#include "write/columns/arrow/arrow_ipc.h"

#include <string.h>

#include "base/list.h"
#include "write/columns/arrow/arrow_flat.h"

#define ALIGNMENT 64u
#define LEAST_ALIGNMENT 8u
#define FILL_ROWS 4096u
#define MAGIC "ARROW1"
#define BESIDES 4u /* pieces that are not of a column: the schema, the dictionary of all, the batch, the end */

/* Numbers of Arrow's. */
enum { VERSION_5 = 4, HEADER_SCHEMA = 1, HEADER_DICTIONARY, HEADER_BATCH };
enum { TYPE_INT = 2, TYPE_REAL, TYPE_BINARY, TYPE_UTF8, TYPE_LIST = 12, TYPE_STRUCT };
enum { PRECISION_DOUBLE = 2 };

static uint64_t aligned(const pf_arrow *a, uint64_t n)
{
    uint64_t to = a->lists ? LEAST_ALIGNMENT : ALIGNMENT;
    return (n + to - 1) / to * to;
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

enum { NAME, NULLABLE, TYPE_KIND, TYPE, DICTIONARY, CHILDREN, FIELD_PARTS };

/* A field but for its type, its dictionary, if it has one, and its children. */
static void put_named(pf_buffer *b, size_t from, const char *name, bool nullable, uint8_t type, bool dictionary,
                      size_t at[FIELD_PARTS])
{
    pf_flat_field fields[] = {[NAME] = PF_FLAT_POINTER, [NULLABLE] = {1, nullable},     [TYPE_KIND] = {1, type},
                              [TYPE] = PF_FLAT_POINTER, [DICTIONARY] = PF_FLAT_POINTER, [CHILDREN] = PF_FLAT_POINTER};
    fields[DICTIONARY].size = dictionary ? 4 : 0;
    pf_flat_table(b, from, fields, FIELD_PARTS, at);
    pf_flat_string(b, at[NAME], name);
}

static void put_field(pf_buffer *b, size_t from, const pf_arrow *a, const pf_arrow_column *c, uint64_t dictionary)
{
    static const uint8_t types[] = {
        [PF_COL_UINT32] = TYPE_INT,  [PF_COL_INT32] = TYPE_INT, [PF_COL_INT64] = TYPE_INT,
        [PF_COL_DOUBLE] = TYPE_REAL, [PF_COL_TEXT] = TYPE_UTF8, [PF_COL_BINARY] = TYPE_BINARY};
    size_t at[FIELD_PARTS], inner[2], none;
    put_named(b, from, c->col->name, c->col->nullable, types[c->col->type], has_dictionary(a, c), at);
    put_type(b, at[TYPE], c->col->type);
    if (has_dictionary(a, c)) {
        const pf_flat_field encoding[] = {{8, dictionary}, PF_FLAT_POINTER};
        pf_flat_table(b, at[DICTIONARY], encoding, 2, inner);
        put_int_type(b, inner[1], 32, true);
    }
    pf_flat_pointers(b, at[CHILDREN], 0, &none);
}

/* A field with children and nothing of its own; *child gets the place of the first. */
static void put_parent(pf_buffer *b, size_t from, const char *name, uint8_t type, size_t children, size_t *child)
{
    size_t at[FIELD_PARTS], none;
    put_named(b, from, name, false, type, false, at);
    pf_flat_table(b, at[TYPE], NULL, 0, &none);
    pf_flat_pointers(b, at[CHILDREN], children, child);
}

/* A list of rows for each table; the dictionary of all texts has number 0. */
static void put_lists(pf_buffer *b, size_t field, const pf_arrow *a)
{
    size_t item, child;
    for (size_t t = 0, i = 0; t < a->lists; t++, field += 4) {
        put_parent(b, field, a->table[t].name, TYPE_LIST, 1, &item);
        put_parent(b, item, "item", TYPE_STRUCT, a->table[t].count, &child);
        for (size_t end = i + a->table[t].count; i < end; i++, child += 4) {
            put_field(b, child, a, &a->column[i], 0);
        }
    }
}

static void put_schema(pf_buffer *b, size_t from, const pf_arrow *a)
{
    size_t at[2], field;
    uint64_t dictionaries = 0;
    const pf_flat_field fields[] = {{2, 0}, PF_FLAT_POINTER};
    pf_flat_table(b, from, fields, 2, at);
    pf_flat_pointers(b, at[1], a->lists ? a->lists : a->columns, &field);
    put_lists(b, field, a);
    for (size_t i = 0; i < a->columns && !a->lists; i++, field += 4) {
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
    uint64_t end = aligned(a, a->size + 8 + message->len);
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
static void lay(const pf_arrow *a, pf_arrow_buffer *buffer, uint64_t *body, uint64_t len)
{
    *buffer = (pf_arrow_buffer){(int64_t)*body, (int64_t)len};
    *body = aligned(a, *body + len);
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

static pf_status add_dictionary(pf_arrow *a, const pf_col_dictionary *d, uint64_t number, pf_error *err)
{
    pf_buffer b = {0};
    pf_arrow_buffer buffers[3];
    size_t at[2];
    uint64_t body = 0;
    const int64_t node[] = {d->count, 0};
    lay(a, &buffers[0], &body, 0);
    lay(a, &buffers[1], &body, ((uint64_t)d->count + 1) * sizeof(int32_t));
    lay(a, &buffers[2], &body, d->bytes);
    const pf_flat_field fields[] = {{8, number}, PF_FLAT_POINTER};
    pf_flat_table(&b, begin_message(&b, HEADER_DICTIONARY, body), fields, 2, at);
    put_batch(&b, at[1], d->count, node, 1, buffers, 3);
    return add_message(a, &b, body, err);
}

static size_t buffers_of(const pf_arrow *a, const pf_arrow_column *c)
{
    return pf_col_has_texts(c->col) && !has_dictionary(a, c) ? 3 : 2;
}

/* The parts of a batch, one after the other. */
typedef struct parts {
    int64_t (*nodes)[2];
    pf_arrow_buffer *buffers;
    size_t nodes_count, count;
    uint64_t body;
} parts;

static void add_node(parts *p, uint64_t rows, uint32_t nulls)
{
    p->nodes[p->nodes_count][0] = (int64_t)rows;
    p->nodes[p->nodes_count++][1] = nulls;
}

static void add_column(const pf_arrow *a, const pf_arrow_column *c, parts *p)
{
    uint64_t rows = c->rows;
    add_node(p, rows, c->nulls);
    lay(a, &p->buffers[p->count++], &p->body, c->bits ? (rows + 7) / 8 : 0);
    if (buffers_of(a, c) == 3) {
        lay(a, &p->buffers[p->count++], &p->body, (rows + 1) * sizeof(int32_t));
        lay(a, &p->buffers[p->count++], &p->body, c->bytes);
    } else {
        lay(a, &p->buffers[p->count++], &p->body, rows * pf_col_width(c->col->type));
    }
}

/* A list of all rows of a table, and the struct of its columns. */
static void add_list(const pf_arrow *a, const pf_col_table *table, parts *p)
{
    add_node(p, 1, 0);
    lay(a, &p->buffers[p->count++], &p->body, 0);
    lay(a, &p->buffers[p->count++], &p->body, 2 * sizeof(int32_t));
    add_node(p, table->rows, 0);
    lay(a, &p->buffers[p->count++], &p->body, 0);
}

static pf_status add_batch(pf_arrow *a, pf_error *err)
{
    pf_buffer b = {0};
    parts p = {.count = 0};
    size_t most = a->columns + 2 * a->lists;
    PF_TRY(PF_LIST_NEW(a->budget, p.nodes, most, err));
    pf_status st = PF_LIST_NEW(a->budget, p.buffers, 3 * most, err);
    for (size_t t = 0, i = 0; t < (a->lists ? a->lists : 1) && st == PF_OK; t++) {
        if (a->lists) {
            add_list(a, &a->table[t], &p);
        }
        for (size_t end = i + a->table[t].count; i < end; i++) {
            add_column(a, &a->column[i], &p);
        }
    }
    if (st == PF_OK) {
        put_batch(&b, begin_message(&b, HEADER_BATCH, p.body), a->lists ? 1 : a->table->rows, p.nodes, p.nodes_count,
                  p.buffers, p.count);
        st = add_message(a, &b, p.body, err);
    }
    PF_LIST_FREE(a->budget, p.nodes, most);
    PF_LIST_FREE(a->budget, p.buffers, 3 * most);
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
    uint32_t rows = c->rows;
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
    if (has_dictionary(a, c) && a->lists) {
        c->texts = a->texts;
    } else if (has_dictionary(a, c)) {
        PF_TRY(pf_col_dictionary_make(&c->texts, c->col, c->rows, a->budget, err));
    }
    return pf_arrow_check_texts(a->table, c->col, c->texts.bytes + c->bytes, err);
}

/* Of one table, or of a->lists. */
static pf_status plan(pf_arrow *a, pf_error *err)
{
    pf_buffer b = {0};
    uint64_t number = 0;
    size_t tables = a->lists ? a->lists : 1, columns = 0;
    for (size_t i = 0; i < tables; i++) {
        columns += a->table[i].count;
    }
    PF_TRY(PF_LIST_NEW(a->budget, a->column, columns, err));
    a->columns = columns;
    PF_TRY(PF_LIST_NEW(a->budget, a->head_end, columns + BESIDES, err));
    PF_TRY(PF_LIST_NEW(a->budget, a->block, columns + BESIDES, err));
    if (!(a->flags & PF_ARROW_STREAM)) {
        pf_buffer_put(&a->heads, MAGIC "\0", sizeof MAGIC + 1);
        a->size = a->heads.len;
    }
    for (size_t t = 0, i = 0; t < tables; t++) {
        for (size_t c = 0; c < a->table[t].count; c++, i++) {
            a->column[i].col = &a->table[t].cols[c];
            a->column[i].rows = a->table[t].rows;
            PF_TRY(plan_column(a, &a->column[i], err));
        }
    }
    if (!(a->flags & PF_ARROW_MORE)) {
        put_schema(&b, begin_message(&b, HEADER_SCHEMA, 0), a);
        PF_TRY(add_message(a, &b, 0, err));
    }
    PF_TRY(a->lists ? add_dictionary(a, &a->texts, 0, err) : PF_OK);
    for (size_t i = 0; i < a->columns && !a->lists; i++) {
        if (has_dictionary(a, &a->column[i])) {
            PF_TRY(add_dictionary(a, &a->column[i].texts, number++, err));
        }
    }
    PF_TRY(add_batch(a, err));
    return add_end(a, err);
}

pf_status pf_arrow_plan(pf_arrow *a, const pf_col_table *table, unsigned flags, pf_budget *budget, pf_error *err)
{
    *a = (pf_arrow){.table = table, .flags = flags, .budget = budget};
    return plan(a, err);
}

pf_status pf_arrow_plan_lists(pf_arrow *a, const pf_col_table *tables, size_t count, const pf_strings *texts,
                              pf_budget *budget, pf_error *err)
{
    *a = (pf_arrow){.table = tables, .lists = count, .flags = PF_ARROW_STREAM, .budget = budget};
    PF_TRY(pf_col_dictionary_whole(&a->texts, texts, budget, err));
    return plan(a, err);
}

void pf_arrow_free(pf_arrow *a)
{
    for (size_t i = 0; i < a->columns; i++) {
        if (!a->lists) {
            pf_col_dictionary_free(&a->column[i].texts);
        }
        PF_LIST_FREE(a->budget, a->column[i].bits, a->column[i].bits ? ((size_t)a->column[i].rows + 7) / 8 : 0);
    }
    pf_col_dictionary_free(&a->texts);
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
    size_t more = aligned(w->a, len) - len;
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
    uint64_t rows = c->rows, bytes = rows * pf_col_width(c->col->type);
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
    uint32_t ids[FILL_ROWS], rows = c->rows;
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

static pf_status write_column(writer *w, const pf_arrow_column *c)
{
    uint64_t bits = ((uint64_t)c->rows + 7) / 8;
    if (c->bits && bits) {
        PF_TRY(w->put(w->ctx, c->bits, bits, w->err));
        PF_TRY(pad(w, bits));
    }
    return buffers_of(w->a, c) == 3 ? write_plain_texts(w, c) : write_values(w, c);
}

static pf_status write_batch(writer *w)
{
    const pf_arrow *a = w->a;
    for (size_t t = 0, i = 0; t < (a->lists ? a->lists : 1); t++) {
        const int32_t offsets[] = {0, (int32_t)a->table[t].rows};
        PF_TRY(a->lists ? w->put(w->ctx, offsets, sizeof offsets, w->err) : PF_OK);
        for (size_t end = i + a->table[t].count; i < end; i++) {
            PF_TRY(write_column(w, &a->column[i]));
        }
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
        if (a->lists) {
            PF_TRY(piece == 1 ? write_dictionary(w, &a->texts) : write_batch(w));
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
