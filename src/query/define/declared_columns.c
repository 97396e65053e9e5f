/* query/define/declared_columns.c - CREATE PERFETTO TABLE or VIEW t(column TYPE, ...) AS SELECT: whether the SELECT
 * gives these columns.
 *
 * As in Perfetto, columns are compared by their names, with case, in any order; a table's values by their types: texts
 * where STRING is declared, numbers where a number is. SQLite runs the statement without the list.
 */

#include "base/str.h"

#include "query/define/define.h"

static pf_status fail(const pf_statement *s, size_t at, pf_error *err, const char *what)
{
    return pf_fail_at(err, PF_ERR_USAGE, pf_sql_origin(s->from, at), "CREATE PERFETTO %s: %s",
                      s->table ? "TABLE" : "VIEW", what);
}

/* Names of columns: those that are declared, or those that a SELECT gives. */
typedef struct columns {
    const pf_parameters *list;
    sqlite3_stmt *select;
    size_t count;
} columns;

static pf_str name_at(const columns *c, size_t i)
{
    return c->list ? pf_parameter_at(c->list, i)->name : pf_sql_name_of(c->select, (int)i);
}

/* Whether one of the first `count` has the name. */
static bool have(const columns *c, size_t count, pf_str name)
{
    size_t i = 0;
    while (i < count && !pf_str_equal(name_at(c, i), name)) {
        i++;
    }
    return i < count;
}

/* Appends a name to a list that begins at `from` with `what`. */
static void complain(pf_buffer *b, size_t from, const char *what, pf_str name)
{
    if (b->len > from) {
        pf_buffer_text(b, ", ");
    } else {
        pf_buffer_text(b, from ? "; " : "");
        pf_buffer_text(b, what);
    }
    pf_buffer_put(b, name.ptr, name.len);
}

static void complain_of_missing(pf_buffer *b, const columns *of, const columns *in, const char *what)
{
    for (size_t i = 0, before = b->len; i < of->count; i++) {
        if (!have(in, in->count, name_at(of, i))) {
            complain(b, before, what, name_at(of, i));
        }
    }
}

/* What is wrong with the columns, or nothing. */
static void compare(const pf_parameters *list, sqlite3_stmt *select, pf_buffer *wrong)
{
    const columns declared = {list, NULL, list->count}, given = {NULL, select, (size_t)sqlite3_column_count(select)};
    complain_of_missing(wrong, &declared, &given, "the query does not give these declared columns: ");
    complain_of_missing(wrong, &given, &declared, "the query gives these columns, which are not declared: ");
    for (size_t i = 0, before = wrong->len; i < given.count || i < declared.count; i++) {
        bool twice = i < given.count && have(&given, i, name_at(&given, i));
        if (twice || (i < declared.count && have(&declared, i, name_at(&declared, i)))) {
            complain(wrong, before, "these columns are given twice: ", name_at(twice ? &given : &declared, i));
        }
    }
}

static pf_status check_types(const pf_statement *s, const pf_parameters *list, pf_error *err)
{
    for (size_t i = 0; i < list->count; i++) {
        pf_token kind = pf_parameter_at(list, i)->kind;
        const pf_sql_type *type = pf_sql_type_named(s->from->text.ptr, kind);
        if (!type) {
            return fail(s, kind.start, err, pf_sql_no_type);
        }
        if (s->table && (type->values == SQLITE_BLOB || !type->values)) {
            return fail(s, kind.start, err, "columns of tables cannot be of type BYTES, PROTO or ANY");
        }
    }
    return PF_OK;
}

static pf_status check_select(pf_query *q, const pf_statement *s, const pf_parameters *list, size_t from, pf_error *err)
{
    sqlite3_stmt *select = NULL;
    int rc = pf_sql_prepare(q, s->text.data + from, &select);
    if (rc != SQLITE_OK) {
        return pf_sql_failed_at(q, rc, s, from, err);
    }
    pf_buffer wrong = {0};
    compare(list, select, &wrong);
    bool good = wrong.len == 0;
    pf_buffer_put(&wrong, "", 1);
    pf_status st = wrong.failed ? pf_no_memory(err) : good ? PF_OK : fail(s, s->declared, err, wrong.data);
    pf_buffer_free(&wrong);
    sqlite3_finalize(select);
    return st;
}

pf_status pf_sql_check_columns(pf_query *q, const pf_statement *s, pf_error *err)
{
    pf_parameters list;
    size_t at;
    if (!s->declared) {
        return PF_OK;
    }
    const char *complaint = pf_parameters_parse(s->from->text, s->declared, &list, &at);
    pf_status st = complaint == pf_prototype_no_memory ? pf_no_memory(err)
                   : complaint                         ? fail(s, at, err, complaint)
                                                       : check_types(s, &list, err);
    pf_token as = pf_sql_token(s->from->text, at);
    if (st == PF_OK && pf_sql_is(s->from->text, as, "AS")) { /* if not, SQLite says so */
        st = check_select(q, s, &list, as.end, err);
    }
    pf_buffer_free(&list.bytes);
    return st;
}

/* SELECT of one row: for each column the kind of a value that is not of its type, or NULL. */
static void ask_for_strangers(const pf_statement *s, const pf_parameters *list, pf_buffer *sql)
{
    pf_token table = pf_sql_token(s->from->text, s->name);
    for (size_t i = 0; i < list->count; i++) {
        const pf_parameter *p = pf_parameter_at(list, i);
        const pf_sql_type *type = pf_sql_type_named(s->from->text.ptr, p->kind);
        const char *fitting = type->values == SQLITE_TEXT ? "'text'" : "'integer','real'";
        int len = (int)p->name.len;
        pf_buffer_format(sql, "%s max(CASE WHEN typeof(\"%.*s\") NOT IN ('null',%s) THEN typeof(\"%.*s\") END)",
                         i ? "," : "SELECT", len, p->name.ptr, fitting, len, p->name.ptr);
    }
    pf_buffer_format(sql, " FROM temp.%.*s", (int)(table.end - table.start), s->from->text.ptr + table.start);
}

static pf_status find_stranger(sqlite3_stmt *row, const pf_statement *s, const pf_parameters *list, pf_error *err)
{
    for (size_t i = 0; i < list->count; i++) {
        const pf_parameter *p = pf_parameter_at(list, i);
        const unsigned char *found = sqlite3_column_text(row, (int)i);
        if (found) {
            return pf_fail_at(
                err, PF_ERR_USAGE, pf_sql_origin(s->from, p->kind.start),
                "CREATE PERFETTO TABLE: column %.*s is declared as %s, but one of its values is of type %s",
                (int)p->name.len, p->name.ptr, pf_sql_type_named(s->from->text.ptr, p->kind)->name,
                (const char *)found);
        }
    }
    return PF_OK;
}

static pf_status check_values(pf_query *q, const pf_statement *s, const pf_parameters *list, pf_error *err)
{
    pf_buffer sql = {0};
    sqlite3_stmt *row = NULL;
    ask_for_strangers(s, list, &sql);
    int rc = sql.failed ? SQLITE_NOMEM : sqlite3_prepare_v2(q->db, sql.data, (int)sql.len, &row, NULL);
    rc = rc == SQLITE_OK ? sqlite3_step(row) : rc;
    pf_status st = sql.failed         ? pf_no_memory(err)
                   : rc == SQLITE_ROW ? find_stranger(row, s, list, err)
                                      : pf_sql_failed_at(q, rc, s, s->name, err);
    sqlite3_finalize(row);
    pf_buffer_free(&sql);
    return st;
}

pf_status pf_sql_check_values(pf_query *q, const pf_statement *s, pf_error *err)
{
    pf_parameters list;
    size_t at;
    if (!s->declared || !s->table) {
        return PF_OK;
    }
    const char *complaint = pf_parameters_parse(s->from->text, s->declared, &list, &at);
    pf_status st = complaint == pf_prototype_no_memory ? pf_no_memory(err)
                   : complaint                         ? fail(s, at, err, complaint)
                                                       : check_values(q, s, &list, err);
    pf_buffer_free(&list.bytes);
    return st;
}
