/* query/session/session.c - what a session knows by name, and what its tables and functions share. */
#include "query/session/session.h"

pf_sql_table *pf_sql_find(pf_query *q, pf_str name)
{
    for (size_t i = 0; i < q->table_count; i++) {
        if (pf_str_is(name, q->tables[i].spec->name)) {
            return &q->tables[i];
        }
    }
    return NULL;
}

pf_status pf_sql_load(pf_query *q, pf_sql_table *table, pf_error *err)
{
    if (table->loaded || !table->spec->load) {
        return PF_OK;
    }
    PF_TRY(table->spec->load(q, err));
    table->loaded = true;
    return PF_OK;
}

void pf_sql_result(sqlite3_context *ctx, const pf_query_cell *cell, sqlite3_destructor_type lives)
{
    if (cell->type == PF_VALUE_INT) {
        sqlite3_result_int64(ctx, cell->as.i);
    } else if (cell->type == PF_VALUE_REAL) {
        sqlite3_result_double(ctx, cell->as.d);
    } else if (cell->type == PF_VALUE_STRING && cell->as.s.ptr) {
        sqlite3_result_text64(ctx, cell->as.s.ptr, cell->as.s.len, lives, SQLITE_UTF8);
    }
}

int pf_sql_disconnect(sqlite3_vtab *table)
{
    sqlite3_free(table);
    return SQLITE_OK;
}

int pf_sql_add_calls(pf_query *q, const pf_sql_call *list, size_t count)
{
    int rc = SQLITE_OK;
    for (size_t i = 0; i < count && rc == SQLITE_OK; i++) {
        int flags = SQLITE_UTF8 | SQLITE_INNOCUOUS | (list[i].call ? SQLITE_DETERMINISTIC : 0);
        rc = sqlite3_create_function(q->db, list[i].name, list[i].arguments, flags, q, list[i].call, list[i].step,
                                     list[i].final);
    }
    return rc;
}
