/* query/vtab/vtab.c - the SQLite side of a table: modules, cursors, cells.
 *
 * A cursor is a range of positions in a list of row numbers (or in the table itself); cells are read from the columns'
 * arrays at the moment SQLite asks for them, texts are handed over without a copy. Rows that filters refuse are stepped
 * over. A list jumps about in the arrays, and waiting for memory would be most of the time: so the cursor notes which
 * arrays SQLite reads and asks for the cells of a row some steps ahead of it.
 */

#include "base/buffer.h"
#include "base/list.h"
#include "query/vtab/plan.h"

#define AHEAD 24u
#define READ_MAX 4u
#define NOTED_MAX 32 /* bits of `noted` */

typedef struct table_handle {
    sqlite3_vtab base;
    pf_query *q;
    pf_data_table *table;
} table_handle;

typedef struct cursor {
    sqlite3_vtab_cursor base;
    pf_sql_scan scan;
    uint32_t at;
    bool desc, done;
    pf_sql_found own;              /* rows made for this scan */
    pf_data_values read[READ_MAX]; /* arrays that were read in this scan of a list, with the sizes of their cells */
    uint8_t size[READ_MAX];
    unsigned reads;
    uint32_t noted; /* their columns, a bit each */
} cursor;

/* What SQLite is told of a column, and the bytes of a cell that lies in an array. */
static const struct {
    const char *type;
    uint8_t size;
} SOURCES[] = {
    [PF_DATA_ROW] = {"INTEGER", 0},      [PF_DATA_INT64] = {"INTEGER", 8},  [PF_DATA_INT64_OR_NULL] = {"INTEGER", 8},
    [PF_DATA_UINT32] = {"INTEGER", 4},   [PF_DATA_REAL] = {"REAL", 8},      [PF_DATA_STRING] = {"TEXT", 4},
    [PF_DATA_KEY] = {"TEXT", 4},         [PF_DATA_BLOB] = {"BLOB", 0},      [PF_DATA_ZERO] = {"INTEGER", 0},
    [PF_DATA_NULL_INT] = {"INTEGER", 0}, [PF_DATA_NULL_TEXT] = {"TEXT", 0}, [PF_DATA_CALL_INT] = {"INTEGER", 0},
    [PF_DATA_CALL_TEXT] = {"TEXT", 0},   [PF_DATA_CALL_REAL] = {"REAL", 0},
};

static int table_connect(sqlite3 *db, void *q, int argc, const char *const *argv, sqlite3_vtab **out, char **error)
{
    static const char *const ARGUMENTS[] = {"argument", "second", "third"};
    /* A table's name is the module's argument, a function's that of the module. */
    const char *name = argc > 3 ? argv[3] : argv[0];
    pf_data_table *table = pf_data_find(&((pf_query *)q)->data, pf_str_of(name));
    if (!table) {
        *error = sqlite3_mprintf("no such table in a trace: %s", name);
        return SQLITE_ERROR;
    }
    const pf_data_spec *spec = table->spec;
    pf_buffer sql = {0};
    pf_buffer_text(&sql, "CREATE TABLE x(");
    for (size_t i = 0; i < spec->column_count; i++) {
        pf_buffer_text(&sql, i ? "," : "");
        pf_buffer_quoted(&sql, pf_str_of(spec->columns[i].name), '"'); /* it may come out of a file */
        pf_buffer_format(&sql, " %s", SOURCES[spec->columns[i].source].type);
    }
    for (unsigned i = 0; spec->finder && i < spec->finder->arguments && i < sizeof ARGUMENTS / sizeof *ARGUMENTS; i++) {
        pf_buffer_format(&sql, ",%s HIDDEN", ARGUMENTS[i]);
    }
    pf_buffer_text(&sql, ")");
    int rc = pf_sql_connect(db, &sql, sizeof(table_handle), out);
    if (rc == SQLITE_OK) {
        ((table_handle *)*out)->q = q;
        ((table_handle *)*out)->table = table;
    }
    return rc;
}

/* Remembers the failure for pf_query_run and reports it to SQLite. */
static int report(table_handle *handle, pf_error *err)
{
    handle->q->failure = *err;
    sqlite3_free(handle->base.zErrMsg);
    handle->base.zErrMsg = sqlite3_mprintf("%s", err->text);
    return SQLITE_ERROR;
}

static int table_best_index(sqlite3_vtab *vtab, sqlite3_index_info *info)
{
    table_handle *handle = (table_handle *)vtab;
    pf_error err = {0};
    pf_status st = pf_data_make(&handle->q->data, handle->table, info->colUsed, &err);
    return st == PF_OK ? pf_sql_plan(handle->table, info) : report(handle, &err);
}

PF_SQL_OPEN(cursor_open, cursor, .done = true);

static void drop_own_rows(cursor *c)
{
    PF_LIST_FREE(((table_handle *)c->base.pVtab)->q->data.budget, c->own.row, c->own.room);
    c->own = (pf_sql_found){0};
}

static int cursor_close(sqlite3_vtab_cursor *base)
{
    drop_own_rows((cursor *)base);
    pf_sql_scan_free(((table_handle *)base->pVtab)->q, &((cursor *)base)->scan);
    sqlite3_free(base);
    return SQLITE_OK;
}

static pf_status start_call(cursor *c, table_handle *handle, sqlite3_value **arguments, pf_error *err)
{
    drop_own_rows(c);
    if (sqlite3_value_numeric_type(arguments[0]) == SQLITE_INTEGER) {
        int64_t first = sqlite3_value_int64(arguments[0]);
        PF_TRY(handle->table->spec->finder->call(handle->q, first, arguments, &c->own, err));
    }
    c->scan.list = c->own.row;
    c->scan.first = 0;
    c->scan.last = c->own.count;
    return PF_OK;
}

/* With DISTINCT the cursor goes to the next group that has rows. */
static void skip_empty_groups(cursor *c)
{
    const pf_sql_index *x = c->scan.distinct;
    while (c->at < x->groups && x->offset[c->at] == x->offset[c->at + 1]) {
        c->at++;
    }
    c->done = c->at == x->groups;
}

/* Asks for the cells of the row some steps ahead. Inline, because gcc leaves out calls of a function without a result
 * and without effects, and a prefetch counts as none. */
static inline __attribute__((always_inline)) void look_ahead(const cursor *c)
{
    if (c->reads && c->scan.last - c->at > AHEAD) {
        bool twice = c->scan.last - c->at > 2 * AHEAD;
        uint32_t row = c->scan.list[c->at + AHEAD], later = twice ? c->scan.list[c->at + 2 * AHEAD] : row;
        for (unsigned i = 0; i < c->reads; i++) {
            const pf_data_values *v = &c->read[i];
            __builtin_prefetch((const char *)v->array + (size_t)pf_data_place(v, row) * c->size[i]);
            if (v->through) {
                __builtin_prefetch(&v->through[later]);
            }
        }
    }
}

static inline void step(cursor *c)
{
    if (c->desc) {
        c->done = c->at == c->scan.first;
        c->at--;
    } else {
        c->done = ++c->at >= c->scan.last;
        look_ahead(c);
    }
}

/* Goes on to the next row that the filters let pass, this one included. */
static inline void skip_refused(cursor *c)
{
    const pf_sql_scan *scan = &c->scan;
    if (!scan->list && !c->desc && !c->done) {
        c->at = pf_sql_filters_next(scan->filters, c->at, scan->last);
        c->done = c->at == scan->last;
        return;
    }
    while (!c->done && !pf_sql_filters_pass(scan->filters, scan->list ? scan->list[c->at] : c->at)) {
        step(c);
    }
}

static int cursor_filter(sqlite3_vtab_cursor *base, int plan, const char *operators, int argc, sqlite3_value **argv)
{
    cursor *c = (cursor *)base;
    table_handle *handle = (table_handle *)base->pVtab;
    pf_error err = {0};
    pf_status st;
    if (handle->table->spec->finder) {
        st = start_call(c, handle, argv, &err);
    } else {
        st = pf_sql_scan_start(handle->q, handle->table, plan, operators, argv, &c->scan, &err);
    }
    if (st != PF_OK) {
        return report(handle, &err);
    }
    c->reads = c->noted = 0;
    c->desc = plan & PF_PLAN_DESC;
    c->done = c->scan.first >= c->scan.last;
    c->at = c->desc && !c->done ? c->scan.last - 1 : c->scan.first;
    if (c->scan.distinct) {
        skip_empty_groups(c);
    } else if (c->scan.filters && c->scan.filters->count) {
        skip_refused(c);
    }
    return SQLITE_OK;
}

static int cursor_next(sqlite3_vtab_cursor *base)
{
    cursor *c = (cursor *)base;
    if (c->scan.distinct) {
        c->at++;
        skip_empty_groups(c);
        return SQLITE_OK;
    }
    step(c);
    if (c->scan.filters && c->scan.filters->count) {
        skip_refused(c);
    }
    return SQLITE_OK;
}

static int cursor_eof(sqlite3_vtab_cursor *base)
{
    return ((cursor *)base)->done;
}

static uint32_t row_of(const cursor *c)
{
    uint32_t at = c->scan.distinct ? c->scan.distinct->offset[c->at] : c->at;
    return c->scan.list ? c->scan.list[at] : at;
}

static int cursor_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid)
{
    *rowid = row_of((cursor *)base);
    return SQLITE_OK;
}

static void result_string(sqlite3_context *ctx, const pf_strings *pool, uint32_t id)
{
    if (id) {
        pf_str s = pf_strings_get(pool, id);
        sqlite3_result_text64(ctx, s.ptr, s.len, SQLITE_STATIC, SQLITE_UTF8);
    }
}

/* A cell of this array was read: the next ones will be. */
static void note_read(cursor *c, int column, pf_data_values values, pf_data_source source)
{
    if (c->reads < READ_MAX && column < NOTED_MAX && SOURCES[source].size && !(c->noted >> column & 1)) {
        c->noted |= 1u << column;
        c->read[c->reads] = values;
        c->size[c->reads++] = SOURCES[source].size;
    }
}

static void result_blob(sqlite3_context *ctx, pf_bytes bytes)
{
    if (bytes.ptr) {
        sqlite3_result_blob64(ctx, bytes.ptr, bytes.len, SQLITE_STATIC);
    }
}

static void result_array(sqlite3_context *ctx, const pf_query *q, const pf_data_column *column, const void *array,
                         uint32_t row)
{
    switch (column->source) {
    case PF_DATA_INT64:
        sqlite3_result_int64(ctx, ((const int64_t *)array)[row]);
        break;
    case PF_DATA_INT64_OR_NULL:
        if (((const int64_t *)array)[row] != INT64_MIN) {
            sqlite3_result_int64(ctx, ((const int64_t *)array)[row]);
        }
        break;
    case PF_DATA_UINT32:
        if (((const uint32_t *)array)[row] != PF_NONE) {
            sqlite3_result_int64(ctx, ((const uint32_t *)array)[row]);
        }
        break;
    case PF_DATA_REAL:
        sqlite3_result_double(ctx, ((const double *)array)[row]);
        break;
    case PF_DATA_KEY:
        result_string(ctx, &q->data.args.keys, ((const uint32_t *)array)[row]);
        break;
    case PF_DATA_BLOB:
        result_blob(ctx, ((const pf_bytes *)array)[row]);
        break;
    default:
        result_string(ctx, &q->data.trace->strings, ((const uint32_t *)array)[row]);
        break;
    }
}

/* Cells that lie in no array. */
static int result_other(sqlite3_context *ctx, pf_query *q, const pf_data_column *column, uint32_t row)
{
    pf_query_cell cell;
    switch (column->source) {
    case PF_DATA_ROW:
        sqlite3_result_int64(ctx, row);
        break;
    case PF_DATA_ZERO:
        sqlite3_result_int64(ctx, 0);
        break;
    case PF_DATA_NULL_INT:
    case PF_DATA_NULL_TEXT:
        break;
    default:
        cell = column->make(&q->data, row, column->offset);
        pf_sql_result(ctx, &cell, column->flags & PF_DATA_COPY ? SQLITE_TRANSIENT : SQLITE_STATIC);
        break;
    }
    return SQLITE_OK;
}

static int cursor_column(sqlite3_vtab_cursor *base, sqlite3_context *ctx, int i)
{
    cursor *c = (cursor *)base;
    table_handle *handle = (table_handle *)base->pVtab;
    pf_data_table *table = handle->table;
    if (i >= (int)table->spec->column_count) {
        return SQLITE_OK; /* the argument of a function */
    }
    const pf_data_column *column = &table->spec->columns[i];
    uint32_t row = row_of(c);
    if (!pf_data_is_array(column->source)) {
        return result_other(ctx, handle->q, column, row);
    }
    if ((column->flags & PF_DATA_LAZY) && !table->loaded) {
        pf_error err = {0};
        if (pf_data_load(&handle->q->data, table, &err) != PF_OK) {
            return report(handle, &err);
        }
    }
    pf_data_values values = pf_data_values_of(table, column);
    if (values.array) {
        result_array(ctx, handle->q, column, values.array, pf_data_place(&values, row));
        if (c->scan.list) {
            note_read(c, i, values, column->source);
        }
    }
    return SQLITE_OK;
}

static const sqlite3_module TABLES = PF_SQL_MODULE(table, cursor, table_connect, pf_sql_disconnect, NULL);
static const sqlite3_module FUNCTIONS = PF_SQL_MODULE(table, cursor, NULL, pf_sql_disconnect, NULL);

int pf_sql_add_modules(pf_query *q)
{
    int rc = sqlite3_create_module(q->db, "postfetto", &TABLES, q);
    for (size_t i = 0; i < q->data.table_count && rc == SQLITE_OK; i++) {
        if (q->data.tables[i].spec->finder) {
            rc = sqlite3_create_module(q->db, q->data.tables[i].spec->name, &FUNCTIONS, q);
        }
    }
    return rc;
}
