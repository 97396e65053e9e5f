/* query/functions/made_table.c - tables made by functions, and __intrinsic_table_ptr(pointer), which shows one.
 *
 * Its columns c0, c1, ... are bound by conditions: WHERE __intrinsic_table_ptr_bind(c0, 'name') makes c0 the column of
 * that name. SQLite hands such a condition down as a constraint, since the table has a form of the function of its own;
 * the function by itself is only an error. */
#include "query/functions/made_table.h"

#include <string.h>

#include "query/session/memory.h"

const char pf_sql_made_tag[] = "TABLE";

bool pf_sql_made_column(pf_sql_made *m, const char *name)
{
    m->name[m->columns] = m->columns < PF_SQL_MADE_COLUMNS ? sqlite3_mprintf("%s", name) : NULL;
    return m->name[m->columns] && ++m->columns;
}

pf_sql_made *pf_sql_made_new(pf_query *q, const char *const *names, unsigned count)
{
    pf_sql_made *m = pf_sql_zeros(q, 1, sizeof *m);
    if (m) {
        m->q = q;
    }
    for (unsigned i = 0; m && i < count; i++) {
        if (!pf_sql_made_column(m, names[i])) {
            pf_sql_made_free(m);
            return NULL;
        }
    }
    return m;
}

pf_sql_made_cell *pf_sql_made_row(pf_sql_made *m)
{
    if (!pf_sql_grow(m->q, (void **)&m->cell, m->rows, &m->room, sizeof *m->cell * m->columns)) {
        return NULL;
    }
    pf_sql_made_cell *row = &m->cell[m->rows++ * m->columns];
    for (unsigned i = 0; i < m->columns; i++) {
        row[i] = (pf_sql_made_cell){SQLITE_NULL, {0}};
    }
    return row;
}

const char *pf_sql_made_text(pf_sql_made *m, const char *text)
{
    char *copy = PF_SQL_ROOM(m->q, m->text, m->texts, m->text_room) ? sqlite3_mprintf("%s", text) : NULL;
    if (copy) {
        m->text[m->texts++] = copy;
    }
    return copy;
}

pf_sql_made_cell pf_sql_made_value(pf_sql_made *m, sqlite3_value *v)
{
    pf_sql_made_cell cell = {sqlite3_value_type(v), {0}};
    switch (cell.type) {
    case SQLITE_INTEGER:
        cell.as.i = sqlite3_value_int64(v);
        break;
    case SQLITE_FLOAT:
        cell.as.d = sqlite3_value_double(v);
        break;
    case SQLITE_NULL:
        break;
    default:
        cell.type = SQLITE_TEXT;
        cell.as.text = pf_sql_made_text(m, (const char *)sqlite3_value_text(v));
        break;
    }
    return cell;
}

void pf_sql_made_free(void *made)
{
    pf_sql_made *m = made;
    for (unsigned i = 0; m && i < m->columns; i++) {
        sqlite3_free(m->name[i]);
    }
    for (uint64_t i = 0; m && i < m->texts; i++) {
        sqlite3_free(m->text[i]);
    }
    if (m) {
        sqlite3_free(m->text);
        sqlite3_free(m->cell);
    }
    sqlite3_free(m);
}

void pf_sql_made_return(sqlite3_context *ctx, pf_sql_made *m, bool fine)
{
    if (!fine) {
        pf_sql_made_free(m);
    }
    if (m && fine) {
        sqlite3_result_pointer(ctx, m, pf_sql_made_tag, pf_sql_made_free);
    } else {
        sqlite3_result_error_nomem(ctx);
    }
}

bool pf_sql_made_name_columns(pf_sql_made *m, sqlite3_value *list)
{
    const char *text = (const char *)sqlite3_value_text(list);
    for (const char *at = text ? text : ""; *at;) {
        at += strspn(at, "(), \t\n");
        size_t len = strcspn(at, "(), \t\n");
        char *name = len ? sqlite3_mprintf("%.*s", (int)len, at) : NULL;
        bool fine = !len || (name && pf_sql_made_column(m, name));
        sqlite3_free(name);
        if (!fine) {
            return false;
        }
        at += len;
    }
    return true;
}

static bool name_columns(pf_sql_made *m, int argc, sqlite3_value **argv)
{
    bool named = argc > 0 && argc % 2 == 0;
    for (int i = 0; i < argc && named; i += 2) {
        const char *name = (const char *)sqlite3_value_text(argv[i]);
        named = name && pf_sql_made_column(m, name);
    }
    return named;
}

void pf_sql_made_step(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    pf_sql_made *m = pf_sql_state(ctx, sizeof *m);
    if (!m) {
        return;
    }
    m->q = pf_sql_session(ctx);
    if (!m->columns && !name_columns(m, argc, argv)) {
        sqlite3_result_error(ctx, "expected a name and a value of each of up to 32 columns", -1);
        return;
    }
    pf_sql_made_cell *row = (unsigned)argc == 2 * m->columns ? pf_sql_made_row(m) : NULL;
    bool fine = row != NULL;
    for (int i = 1; i < argc && fine; i += 2) {
        if (sqlite3_value_type(argv[i]) == SQLITE_BLOB) {
            sqlite3_result_error(ctx, "a column cannot have blobs", -1);
            return;
        }
        row[i / 2] = pf_sql_made_value(m, argv[i]);
        fine = row[i / 2].type != SQLITE_TEXT || row[i / 2].as.text;
    }
    if (!fine) {
        sqlite3_result_error_nomem(ctx);
    }
}

enum { BINDS = SQLITE_INDEX_CONSTRAINT_FUNCTION };

typedef struct cursor {
    sqlite3_vtab_cursor base;
    const pf_sql_made *made;
    uint64_t row;
    int column[PF_SQL_MADE_COLUMNS]; /* of the made table, or -1 */
} cursor;

static int table_connect(sqlite3 *db, void *q, int argc, const char *const *argv, sqlite3_vtab **out, char **error)
{
    pf_buffer sql = {0};
    pf_buffer_text(&sql, "CREATE TABLE x(");
    for (unsigned i = 0; i < PF_SQL_MADE_COLUMNS; i++) {
        pf_buffer_format(&sql, "c%u,", i);
    }
    pf_buffer_text(&sql, "made HIDDEN)");
    return pf_sql_connect(db, &sql, sizeof(sqlite3_vtab), out);
}

static int table_best_index(sqlite3_vtab *vtab, sqlite3_index_info *info)
{
    char columns[PF_SQL_MADE_COLUMNS + 1];
    int bound = 0, pointer = -1;
    for (int i = 0; i < info->nConstraint; i++) {
        int column = info->aConstraint[i].iColumn;
        bool binds = info->aConstraint[i].op == BINDS,
             is_pointer = info->aConstraint[i].op == SQLITE_INDEX_CONSTRAINT_EQ && column == PF_SQL_MADE_COLUMNS;
        if ((binds || is_pointer) && !info->aConstraint[i].usable) {
            return SQLITE_CONSTRAINT;
        }
        pointer = is_pointer ? i : pointer;
        if (!binds) {
            continue;
        }
        if (bound == PF_SQL_MADE_COLUMNS || memchr(columns, 'a' + column, (size_t)bound)) {
            vtab->zErrMsg = sqlite3_mprintf("Duplicate bound column");
            return SQLITE_ERROR;
        }
        columns[bound++] = (char)('a' + column);
        info->aConstraintUsage[i].argvIndex = bound + 1;
        info->aConstraintUsage[i].omit = 1;
    }
    if (pointer < 0 || bound == 0) {
        vtab->zErrMsg =
            sqlite3_mprintf("%s", pointer < 0 ? "tab parameter is NULL" : "At least one column must be bound");
        return pointer < 0 ? SQLITE_CONSTRAINT : SQLITE_ERROR;
    }
    info->aConstraintUsage[pointer].argvIndex = 1;
    info->aConstraintUsage[pointer].omit = 1;
    info->idxStr = sqlite3_mprintf("%.*s", bound, columns);
    info->needToFreeIdxStr = 1;
    info->estimatedCost = 1e4;
    info->estimatedRows = 10000;
    return info->idxStr ? SQLITE_OK : SQLITE_NOMEM;
}

static void bind_alone(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    sqlite3_result_error(ctx, "__intrinsic_table_ptr_bind should not be called from the global scope", -1);
}

/* SQLite asks again about conditions beyond the first sixteen. */
static void is_bound(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    sqlite3_result_int(ctx, 1);
}

static int table_find_function(sqlite3_vtab *vtab, int argc, const char *name,
                               void (**function)(sqlite3_context *, int, sqlite3_value **), void **data)
{
    *function = is_bound;
    return argc == 2 && sqlite3_stricmp(name, "__intrinsic_table_ptr_bind") == 0 ? BINDS : 0;
}

PF_SQL_OPEN(cursor_open, cursor, .made = NULL);

static int cursor_close(sqlite3_vtab_cursor *base)
{
    sqlite3_free(base);
    return SQLITE_OK;
}

static int refuse(sqlite3_vtab *vtab, const char *what, const char *name)
{
    sqlite3_free(vtab->zErrMsg);
    vtab->zErrMsg = sqlite3_mprintf(what, name);
    return SQLITE_ERROR;
}

static int cursor_filter(sqlite3_vtab_cursor *base, int plan, const char *columns, int argc, sqlite3_value **argv)
{
    cursor *c = (cursor *)base;
    c->made = sqlite3_value_pointer(argv[0], pf_sql_made_tag);
    c->row = 0;
    if (!c->made) {
        return refuse(base->pVtab, "tab parameter is NULL", "");
    }
    for (unsigned i = 0; i < PF_SQL_MADE_COLUMNS; i++) {
        c->column[i] = -1;
    }
    for (int i = 1; i < argc; i++) {
        const char *name = (const char *)sqlite3_value_text(argv[i]);
        unsigned k = 0;
        while (name && k < c->made->columns && strcmp(c->made->name[k], name) != 0) {
            k++;
        }
        if (!name || k == c->made->columns) {
            return refuse(base->pVtab, "column '%s' does not exist in table", name ? name : "");
        }
        c->column[columns[i - 1] - 'a'] = (int)k;
    }
    for (int i = 0; i + 1 < argc; i++) {
        if (c->column[i] < 0) {
            return refuse(base->pVtab, "Bound columns are not dense", "");
        }
    }
    return SQLITE_OK;
}

static int cursor_next(sqlite3_vtab_cursor *base)
{
    ((cursor *)base)->row++;
    return SQLITE_OK;
}

static int cursor_eof(sqlite3_vtab_cursor *base)
{
    const cursor *c = (const cursor *)base;
    return c->row >= c->made->rows;
}

static int cursor_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid)
{
    *rowid = (sqlite3_int64)((cursor *)base)->row;
    return SQLITE_OK;
}

static int cursor_column(sqlite3_vtab_cursor *base, sqlite3_context *ctx, int i)
{
    const cursor *c = (const cursor *)base;
    if (i >= PF_SQL_MADE_COLUMNS || c->column[i] < 0) {
        return SQLITE_OK;
    }
    const pf_sql_made_cell *cell = &c->made->cell[c->row * c->made->columns + (uint64_t)c->column[i]];
    if (cell->type == SQLITE_INTEGER) {
        sqlite3_result_int64(ctx, cell->as.i);
    } else if (cell->type == SQLITE_FLOAT) {
        sqlite3_result_double(ctx, cell->as.d);
    } else if (cell->type == SQLITE_TEXT) {
        sqlite3_result_text(ctx, cell->as.text, -1, SQLITE_TRANSIENT);
    }
    return SQLITE_OK;
}

int pf_sql_add_made_tables(pf_query *q)
{
    static const pf_sql_call CALLS[] = {{"__intrinsic_table_ptr_bind", 2, bind_alone}};
    static const sqlite3_module MODULE = PF_SQL_MODULE(table, cursor, NULL, pf_sql_disconnect, table_find_function);
    int rc = pf_sql_add_calls(q, CALLS, sizeof CALLS / sizeof *CALLS);
    return rc == SQLITE_OK ? sqlite3_create_module(q->db, "__intrinsic_table_ptr", &MODULE, q) : rc;
}
