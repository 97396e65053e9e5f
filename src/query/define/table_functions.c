/* query/define/table_functions.c - functions that RETURNS TABLE(...): SQLite's table-valued functions.
 *
 * Such a table has the declared columns and a hidden one for each argument, in_NAME; a query gives the arguments as
 * name(1, 2) or as in_NAME = 1. The rows are those of the body with these arguments, one at a time.
 */
#include "query/define/define.h"
#include "query/vtab/plan.h"

typedef struct function_table {
    sqlite3_vtab base;
    pf_sql_function *f;
} function_table;

typedef struct function_cursor {
    sqlite3_vtab_cursor base;
    sqlite3_stmt *body;
    int rc; /* of the last step */
    sqlite3_int64 row;
} function_cursor;

static void put_columns(pf_buffer *sql, const pf_sql_function *f, const pf_parameters *list, bool hidden)
{
    for (size_t i = 0; i < list->count; i++) {
        const pf_parameter *p = pf_parameter_at(list, i);
        pf_buffer_text(sql, hidden || i ? ", \"" : "\"");
        pf_buffer_text(sql, hidden ? "in_" : "");
        pf_buffer_put(sql, p->name.ptr, p->name.len);
        pf_buffer_format(sql, "\" %s%s", pf_sql_type_named(f->text, p->kind)->declared, hidden ? " HIDDEN" : "");
    }
}

static int table_connect(sqlite3 *db, void *f, int argc, const char *const *argv, sqlite3_vtab **out, char **problem)
{
    const pf_prototype *p = &((pf_sql_function *)f)->prototype;
    pf_buffer sql = {0};
    pf_buffer_text(&sql, "CREATE TABLE x(");
    put_columns(&sql, f, &p->columns, false);
    put_columns(&sql, f, &p->parameters, true);
    pf_buffer_text(&sql, ")");
    int rc = pf_sql_connect(db, &sql, sizeof(function_table), out);
    if (rc == SQLITE_OK) {
        ((function_table *)*out)->f = f;
    }
    return rc;
}

static int table_best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
    const pf_prototype *p = &((function_table *)base)->f->prototype;
    info->estimatedCost = 1000;
    return pf_sql_plan_arguments(info, (int)p->columns.count, (int)p->parameters.count) ? SQLITE_OK : SQLITE_CONSTRAINT;
}

PF_SQL_OPEN(cursor_open, function_cursor, .rc = SQLITE_DONE);

static pf_sql_function *function_of(sqlite3_vtab_cursor *base)
{
    return ((function_table *)base->pVtab)->f;
}

static void stop(function_cursor *c)
{
    if (c->body) {
        pf_sql_function_stop(function_of(&c->base), c->body);
    }
    c->body = NULL;
    c->rc = SQLITE_DONE;
}

static int cursor_close(sqlite3_vtab_cursor *base)
{
    stop((function_cursor *)base);
    sqlite3_free(base);
    return SQLITE_OK;
}

static int fail(function_cursor *c, char *problem, int rc)
{
    sqlite3_free(c->base.pVtab->zErrMsg);
    c->base.pVtab->zErrMsg = problem;
    return problem ? rc : SQLITE_NOMEM;
}

static int cursor_next(sqlite3_vtab_cursor *base)
{
    function_cursor *c = (function_cursor *)base;
    char *problem = NULL;
    c->rc = pf_sql_function_step(function_of(base), c->body, &problem);
    c->row++;
    return c->rc == SQLITE_ROW || c->rc == SQLITE_DONE ? SQLITE_OK : fail(c, problem, c->rc);
}

static int cursor_filter(sqlite3_vtab_cursor *base, int plan, const char *text, int argc, sqlite3_value **argv)
{
    function_cursor *c = (function_cursor *)base;
    char *problem = NULL;
    stop(c);
    c->row = 0;
    c->body = pf_sql_function_start(function_of(base), argc, argv, &problem);
    return c->body ? cursor_next(base) : fail(c, problem, SQLITE_ERROR);
}

static int cursor_eof(sqlite3_vtab_cursor *base)
{
    return ((function_cursor *)base)->rc != SQLITE_ROW;
}

/* The hidden columns were conditions; they read as NULL. */
static int cursor_column(sqlite3_vtab_cursor *base, sqlite3_context *ctx, int i)
{
    const function_cursor *c = (function_cursor *)base;
    if ((size_t)i < function_of(base)->prototype.columns.count) {
        sqlite3_result_value(ctx, sqlite3_column_value(c->body, i));
    }
    return SQLITE_OK;
}

static int cursor_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid)
{
    *rowid = ((function_cursor *)base)->row - 1;
    return SQLITE_OK;
}

int pf_sql_add_table_function(pf_sql_function *f)
{
    static const sqlite3_module FUNCTION = PF_SQL_MODULE(table, cursor, NULL, pf_sql_disconnect, NULL);
    return sqlite3_create_module(f->q->db, f->name, &FUNCTION, f);
}
