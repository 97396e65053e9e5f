/* query/report_tables.c - tables of a pass as tables of the session. They are small: their rows are copied into
 * temporary tables. */

#include "query/session/session.h"

static void put_name(pf_buffer *sql, const char *name)
{
    pf_buffer_quoted(sql, pf_str_of(name), '"');
}

static const char *type_name(pf_cell_type type)
{
    return type == PF_CELL_INT ? "INTEGER" : type == PF_CELL_REAL ? "REAL" : "TEXT";
}

/* Makes both statements; the second one inserts a row. */
static void write_statements(pf_buffer *create, pf_buffer *insert, const char *name, const pf_table *table)
{
    pf_buffer_text(create, "CREATE TEMP TABLE ");
    put_name(create, name);
    pf_buffer_text(insert, "INSERT INTO temp.");
    put_name(insert, name);
    for (size_t c = 0; c < table->column_count; c++) {
        pf_buffer_text(create, c ? ", " : "(");
        put_name(create, table->columns[c].name);
        pf_buffer_format(create, " %s", type_name(table->columns[c].type));
        pf_buffer_text(insert, c ? ", ?" : " VALUES (?");
    }
    pf_buffer_put(create, ")", 2);
    pf_buffer_put(insert, ")", 2);
}

static int bind_cell(sqlite3_stmt *stmt, int at, pf_cell_type type, const pf_cell *cell)
{
    if (cell->null) {
        return sqlite3_bind_null(stmt, at);
    }
    switch (type) {
    case PF_CELL_INT:
        return sqlite3_bind_int64(stmt, at, cell->as.i);
    case PF_CELL_REAL:
        return sqlite3_bind_double(stmt, at, cell->as.d);
    case PF_CELL_TEXT:
        break;
    }
    return sqlite3_bind_text64(stmt, at, cell->as.s.ptr ? cell->as.s.ptr : "", cell->as.s.len, SQLITE_STATIC,
                               SQLITE_UTF8);
}

static int insert_rows(sqlite3_stmt *stmt, const pf_table *table)
{
    int rc = SQLITE_OK;
    for (size_t row = 0; rc == SQLITE_OK && row < table->row_count; row++) {
        for (size_t c = 0; rc == SQLITE_OK && c < table->column_count; c++) {
            rc = bind_cell(stmt, (int)c + 1, table->columns[c].type, &table->cells[row * table->column_count + c]);
        }
        rc = rc == SQLITE_OK ? sqlite3_step(stmt) : rc;
        rc = rc == SQLITE_DONE ? sqlite3_reset(stmt) : rc;
    }
    return rc;
}

pf_status pf_query_add_table(pf_query *q, const char *name, const pf_table *table, pf_error *err)
{
    pf_buffer create = {0}, insert = {0};
    sqlite3_stmt *stmt = NULL;
    write_statements(&create, &insert, name, table);
    int rc = create.failed || insert.failed ? SQLITE_NOMEM : sqlite3_exec(q->db, create.data, NULL, NULL, NULL);
    rc = rc == SQLITE_OK ? sqlite3_prepare_v2(q->db, insert.data, -1, &stmt, NULL) : rc;
    rc = rc == SQLITE_OK ? insert_rows(stmt, table) : rc;
    pf_status st = PF_OK;
    if ((rc & 0xff) == SQLITE_NOMEM) {
        st = pf_no_memory(err);
    } else if (rc != SQLITE_OK) {
        st = pf_fail(err, PF_ERR_USAGE, "table %s: %s", name, sqlite3_errmsg(q->db));
    }
    sqlite3_finalize(stmt);
    pf_buffer_free(&create);
    pf_buffer_free(&insert);
    return st;
}
