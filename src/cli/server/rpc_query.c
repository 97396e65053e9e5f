/* cli/server/rpc_query.c - a query as messages.
 *
 * All statements run; the rows of the last one are the answer. They go out in batches of whole rows: of each cell its
 * type, and of each type the values in the order of their cells, texts joined with a NUL after each. A batch ends
 * with the row that makes it too large, so that neither side ever holds more than one. The first message also has
 * the names of the columns, and the last one the end of it all, a failure included.
 */

#include "base/text/utf8.h"
#include "cli/server/rpc.h"
#include "cli/terminal/terminal.h"
#include "query/session/split_sql.h"
#include "wire/cursor.h"
#include "wire/writer.h"

enum { ARGS_SQL = 1 };
enum {
    RESULT_COLUMN = 1,
    RESULT_ERROR = 2,
    RESULT_BATCH = 3,
    RESULT_STATEMENTS = 4,
    RESULT_OUTPUTS = 5,
    RESULT_LAST_SQL = 6,
    RESULT_MS = 7
};
enum { BATCH_TYPES = 1, BATCH_VARINTS = 2, BATCH_DOUBLES = 3, BATCH_BLOB = 4, BATCH_TEXTS = 5, BATCH_LAST = 6 };
enum { CELL_NULL = 1, CELL_VARINT = 2, CELL_DOUBLE = 3, CELL_TEXT = 4, CELL_BLOB = 5 };

#define BATCH_CELLS 50000
#define BATCH_BYTES 131072
#define NEAR 500u     /* bytes on either side of a wrong place that are shown */
#define BATCH_BASE 16 /* bytes of a batch without cells, as the limit counts them */

typedef struct answer {
    const pf_rpc_reply *reply;
    double started;
    size_t statements, outputs;
    pf_str last;                                     /* statement */
    pf_buffer names;                                 /* fields of the first message; empty later on */
    bool begun;                                      /* the first message was sent */
    pf_buffer types, varints, doubles, blobs, texts; /* of the batch in hand */
    size_t bytes;                                    /* of it, as the limit counts them */
    pf_buffer message, clean;
    pf_buffer warnings; /* which nobody sees who does not read the server's messages: part of a failure */
    pf_rpc *rpc;
} answer;

static pf_str text_of(const pf_buffer *b)
{
    return (pf_str){b->len ? b->data : "", b->len};
}

static void put_list(pf_writer *w, uint32_t field, pf_buffer *values, bool always)
{
    if (values->len || always) {
        pf_writer_bytes(w, field, text_of(values).ptr, values->len);
    }
    w->failed |= values->failed;
    values->len = 0;
}

static void put_batch(answer *a, pf_writer *w, bool last)
{
    pf_writer_begin(w, RESULT_BATCH);
    put_list(w, BATCH_TEXTS, &a->texts, true);
    put_list(w, BATCH_TYPES, &a->types, false);
    put_list(w, BATCH_VARINTS, &a->varints, false);
    put_list(w, BATCH_DOUBLES, &a->doubles, false);
    pf_writer_raw(w, text_of(&a->blobs).ptr, a->blobs.len);
    w->failed |= a->blobs.failed;
    a->blobs.len = 0;
    if (last) {
        pf_writer_varint(w, BATCH_LAST, 1);
    }
    pf_writer_end(w);
    a->bytes = BATCH_BASE;
}

/* Sends what is in hand; failure: of the query, in the last message, or NULL. */
static pf_status send(answer *a, bool last, const pf_buffer *failure)
{
    pf_writer w;
    a->message.len = 0;
    pf_writer_init(&w, &a->message);
    if (!a->begun) {
        pf_writer_raw(&w, text_of(&a->names).ptr, a->names.len);
        pf_writer_varint(&w, RESULT_STATEMENTS, a->statements);
        pf_writer_varint(&w, RESULT_OUTPUTS, a->outputs);
        pf_str sql = pf_utf8_clean(a->last, &a->clean);
        pf_writer_bytes(&w, RESULT_LAST_SQL, sql.ptr, sql.len);
        a->begun = true;
    }
    put_batch(a, &w, last);
    if (failure) {
        pf_str text = pf_utf8_clean(text_of(failure), &a->clean);
        pf_writer_bytes(&w, RESULT_ERROR, text.ptr, text.len);
    }
    pf_writer_double(&w, RESULT_MS, 1e3 * (pf_cli_now() - a->started));
    pf_status st =
        w.failed || a->clean.failed ? PF_ERR_MEMORY : a->reply->send(a->reply->ctx, a->message.data, a->message.len);
    pf_writer_free(&w);
    return st;
}

static void put_varint(pf_buffer *b, uint64_t v)
{
    uint8_t bytes[PF_VARINT_MAX];
    pf_buffer_put(b, bytes, (size_t)(pf_store_varint(bytes, v) - bytes));
}

static void put_double(pf_buffer *b, double v)
{
    uint64_t bits;
    uint8_t bytes[sizeof bits];
    memcpy(&bits, &v, sizeof bits);
    for (unsigned i = 0; i < sizeof bits; i++) {
        bytes[i] = (uint8_t)(bits >> (8 * i));
    }
    pf_buffer_put(b, bytes, sizeof bytes);
}

/* As far as its first NUL. */
static void put_text(answer *a, pf_str text)
{
    text.len = strnlen(text.ptr, text.len);
    text = pf_utf8_clean(text, &a->clean);
    pf_buffer_put(&a->texts, text.ptr, text.len);
    pf_buffer_put(&a->texts, "", 1);
}

static void put_cell(answer *a, const pf_query_cell *cell)
{
    char type = CELL_NULL;
    if (cell->type == PF_VALUE_INT) {
        type = CELL_VARINT;
        put_varint(&a->varints, (uint64_t)cell->as.i);
    } else if (cell->type == PF_VALUE_REAL) {
        type = CELL_DOUBLE;
        put_double(&a->doubles, cell->as.d);
    } else if (cell->type == PF_VALUE_STRING && cell->blob) {
        pf_writer w;
        type = CELL_BLOB;
        pf_writer_init(&w, &a->blobs);
        pf_writer_bytes(&w, BATCH_BLOB, cell->as.s.ptr, cell->as.s.len);
        pf_writer_free(&w);
    } else if (cell->type == PF_VALUE_STRING) {
        type = CELL_TEXT;
        put_text(a, cell->as.s);
    }
    pf_buffer_put(&a->types, &type, 1);
}

/* What a cell takes of a batch. */
static size_t weight_of(const pf_query_cell *cell)
{
    switch (cell->type) {
    case PF_VALUE_INT:
        return 4;
    case PF_VALUE_REAL:
        return 8;
    case PF_VALUE_STRING:
        return cell->as.s.len + (cell->blob ? 4 : 5);
    default:
        return 0;
    }
}

static pf_status take_row(void *ctx, size_t count, const pf_query_cell *cells)
{
    answer *a = ctx;
    if (a->types.len && (a->types.len + count > BATCH_CELLS || a->bytes > BATCH_BYTES)) {
        PF_TRY(send(a, false, NULL));
    }
    for (size_t i = 0; i < count; i++) {
        a->bytes += weight_of(&cells[i]);
        put_cell(a, &cells[i]);
    }
    if (a->bytes > a->rpc->read.limits.memory / 4) { /* which are here, in a message and on their way */
        return PF_ERR_LIMIT;
    }
    return PF_OK;
}

static pf_status take_columns(void *ctx, size_t count, const pf_str *names)
{
    answer *a = ctx;
    pf_writer w;
    pf_writer_init(&w, &a->names);
    for (size_t i = 0; i < count; i++) {
        pf_str name = pf_utf8_clean(names[i], &a->clean);
        pf_writer_bytes(&w, RESULT_COLUMN, name.ptr, name.len);
    }
    a->outputs++;
    pf_status st = w.failed ? PF_ERR_MEMORY : PF_OK;
    pf_writer_free(&w);
    return st;
}

static pf_status count_columns(void *ctx, size_t count, const pf_str *names)
{
    ((answer *)ctx)->outputs++;
    return PF_OK;
}

static pf_status discard_row(void *ctx, size_t count, const pf_query_cell *cells)
{
    return PF_OK;
}

static void warn(void *ctx, const char *text)
{
    answer *a = ctx;
    pf_buffer_format(&a->warnings, "\nwarning: %s", text);
    if (a->rpc->warn) {
        a->rpc->warn(a->rpc->ctx, text);
    }
}

/* The words of Perfetto's engine around a message of SQLite: the line of the text, of a long one what is near, and a
 * mark under the place. */
static void put_place(pf_buffer *b, pf_str sql, uint64_t offset)
{
    size_t at = offset < sql.len ? (size_t)offset : sql.len, from = at, to = at, line = 1;
    while (from > 0 && sql.ptr[from - 1] != '\n') {
        from--;
    }
    while (to < sql.len && sql.ptr[to] != '\n') {
        to++;
    }
    for (size_t i = 0; i < from; i++) {
        line += sql.ptr[i] == '\n';
    }
    pf_buffer_format(b, "Traceback (most recent call last):\n  File \"stdin\" line %zu col %zu\n    ", line,
                     at - from + 1);
    from = at - from > NEAR ? at - NEAR : from;
    to = to - at > NEAR ? at + NEAR : to;
    pf_buffer_put(b, sql.ptr + from, to - from);
    pf_buffer_format(b, "\n    %*s\n", (int)(at - from + 1), "^");
}

static void put_failure(const answer *a, pf_str sql, pf_status st, const pf_error *err, pf_buffer *b)
{
    if (st == PF_ERR_CANCELLED) {
        pf_buffer_text(b, __atomic_load_n(a->reply->cancel, __ATOMIC_RELAXED) == PF_RPC_OVERDUE
                              ? "the query took longer than --query-timeout allows; ask for less, or start the server "
                                "with more"
                              : "cancelled");
        return;
    }
    if (st == PF_ERR_USAGE && err->offset != PF_NOWHERE && sql.len) {
        put_place(b, sql, err->offset);
    } else if (err->offset != PF_NOWHERE) {
        pf_buffer_format(b, "at byte %llu: ", (unsigned long long)err->offset);
    }
    pf_buffer_text(b, err->text[0]          ? err->text
                      : st == PF_ERR_MEMORY ? "out of memory"
                                            : "a row needs more memory than --max-memory allows; ask for parts of it");
    pf_buffer_put(b, a->warnings.data, a->warnings.len);
}

/* Counts the statements; *last: where the last one begins. */
static void find_last(answer *a, pf_str sql, size_t *last)
{
    for (size_t at = 0; at < sql.len;) {
        pf_sql_text s;
        size_t next = pf_sql_split(sql, at, &s);
        if (s.text.len) {
            a->statements++;
            a->last = s.text;
            *last = at;
        }
        at = next;
    }
}

static pf_status run(pf_rpc *r, answer *a, pf_str sql, pf_error *err)
{
    const pf_query_sink before = {a, count_columns, discard_row}, sink = {a, take_columns, take_row};
    size_t last = 0;
    if (!r->query) {
        *err = r->failure;
        return r->failure.code != PF_OK
                   ? r->failure.code
                   : pf_fail(err, PF_ERR_INPUT, "the trace is not complete; notify_eof comes after its last piece");
    }
    find_last(a, sql, &last);
    if (!sql.ptr) {
        return pf_fail(err, PF_ERR_LIMIT, "the SQL is too long: a statement may have 16 MiB; send it in parts");
    }
    if (!a->statements) {
        return pf_fail(err, PF_ERR_INPUT, "No valid SQL to run");
    }
    pf_query_set_cancel(r->query, a->reply->cancel);
    pf_query_set_warning(r->query, warn, a);
    pf_status st = pf_query_run(r->query, (pf_str){sql.ptr, last}, &before, err);
    if (st == PF_OK) {
        st = pf_query_run(r->query, (pf_str){sql.ptr + last, sql.len - last}, &sink, err);
        err->offset += st != PF_OK && err->offset != PF_NOWHERE ? last : 0;
    }
    pf_query_set_cancel(r->query, NULL);
    pf_query_set_warning(r->query, NULL, NULL);
    return st;
}

void pf_rpc_query(pf_rpc *r, pf_bytes args, const pf_rpc_reply *reply)
{
    answer a = {.rpc = r, .reply = reply, .started = pf_cli_now(), .last = PF_STR(""), .bytes = BATCH_BASE};
    pf_error err = {.offset = PF_NOWHERE, .packet = PF_NOWHERE};
    const pf_field f = pf_cursor_last(pf_cursor_over(args.ptr, args.len), PF_TAG_BYTES(ARGS_SQL));
    pf_str sql = args.ptr ? pf_field_text(&f) : (pf_str){NULL, 0};
    pf_buffer failure = {0};
    pf_status st = run(r, &a, sql, &err);
    if (st != PF_OK) {
        put_failure(&a, r->query ? sql : PF_STR(""), st, &err, &failure);
    }
    (void)send(&a, true, st != PF_OK ? &failure : NULL);
    pf_buffer *const buffers[] = {&a.names, &a.types,   &a.varints, &a.doubles,  &a.blobs,
                                  &a.texts, &a.message, &a.clean,   &a.warnings, &failure};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) {
        pf_buffer_free(buffers[i]);
    }
}
