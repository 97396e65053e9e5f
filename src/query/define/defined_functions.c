/* query/define/defined_functions.c - CREATE PERFETTO FUNCTION.
 *
 * A body is compiled when the function is defined, so that a fault in it is found there, and again only when more calls
 * run at the same time than statements are ready (a function that calls itself). Functions that were replaced live as
 * long as the session: a statement that still runs may use them.
 */
#include "base/str.h"
#include "query/define/define.h"

#include <string.h>

#define NAME_MAX_BYTES 255

static pf_status fail(const pf_statement *s, size_t at, pf_error *err, const char *what)
{
    return pf_fail_at(err, PF_ERR_USAGE, pf_sql_position(s, at), "CREATE PERFETTO FUNCTION: %s", what);
}

static pf_status check_types(const pf_sql_function *f, const pf_parameters *list, const pf_statement *s, pf_error *err)
{
    for (size_t i = 0; i < list->count; i++) {
        pf_token kind = pf_parameter_at(list, i)->kind;
        if (!pf_sql_type_named(f->text, kind)) {
            return fail(s, kind.start, err, pf_sql_no_type);
        }
    }
    return PF_OK;
}

static pf_status check_prototype(const pf_sql_function *f, const pf_statement *s, pf_error *err)
{
    const pf_prototype *p = &f->prototype;
    size_t most = (size_t)sqlite3_limit(f->q->db, SQLITE_LIMIT_FUNCTION_ARG, -1);
    size_t columns = (size_t)sqlite3_limit(f->q->db, SQLITE_LIMIT_COLUMN, -1);
    if (p->name.len > NAME_MAX_BYTES || p->parameters.count > most ||
        p->parameters.count + p->columns.count > columns) {
        return fail(s, s->definition, err, "the name is too long, or there are too many arguments or columns");
    }
    PF_TRY(check_types(f, &p->parameters, s, err));
    PF_TRY(check_types(f, &p->columns, s, err));
    if (!p->table && !pf_sql_type_named(f->text, p->returns)) {
        return fail(s, p->returns.start, err, pf_sql_no_type);
    }
    return PF_OK;
}

static bool has_row(pf_query *q, const char *sql, pf_str name, int count)
{
    sqlite3_stmt *stmt = NULL;
    bool found = false;
    if (sqlite3_prepare_v2(q->db, sql, -1, &stmt, NULL) == SQLITE_OK) {
        sqlite3_bind_text64(stmt, 1, name.ptr, name.len, SQLITE_STATIC, SQLITE_UTF8);
        if (sqlite3_bind_parameter_count(stmt) > 1) {
            sqlite3_bind_int(stmt, 2, count);
        }
        found = sqlite3_step(stmt) == SQLITE_ROW;
    }
    sqlite3_finalize(stmt);
    return found;
}

/* SQLite's own functions may be replaced, Perfetto's functions and the tables of the trace not. */
static bool is_built_in(const pf_sql_function *f)
{
    static const char FUNCTIONS[] =
        "SELECT 1 FROM pragma_function_list WHERE NOT builtin AND name = ?1 COLLATE NOCASE AND narg IN (?2, -1)";
    static const char TABLES[] = "SELECT 1 FROM pragma_table_list WHERE name = ?1 COLLATE NOCASE UNION ALL "
                                 "SELECT 1 FROM pragma_module_list WHERE name = ?1 COLLATE NOCASE";
    return has_row(f->q, f->prototype.table ? TABLES : FUNCTIONS, f->prototype.name,
                   (int)f->prototype.parameters.count);
}

static pf_sql_function *find(const pf_sql_function *like)
{
    const pf_prototype *p = &like->prototype;
    pf_sql_function *f = like->q->functions;
    while (f && (f->replaced || f->prototype.table != p->table || f->prototype.name.len != p->name.len ||
                 (!p->table && f->prototype.parameters.count != p->parameters.count) ||
                 sqlite3_strnicmp(f->prototype.name.ptr, p->name.ptr, (int)p->name.len) != 0)) {
        f = f->next;
    }
    return f;
}

static const char *check_columns(const pf_sql_function *f, sqlite3_stmt *body)
{
    const pf_parameters *columns = &f->prototype.columns;
    int count = sqlite3_column_count(body);
    if (!f->prototype.table) {
        return count == 1 ? NULL : "a function returns one column";
    }
    if ((size_t)count != columns->count) {
        return "RETURNS TABLE names as many columns as the SELECT has";
    }
    for (int i = 0; i < count; i++) {
        pf_str declared = pf_parameter_at(columns, (size_t)i)->name;
        if (!pf_str_equal(pf_sql_name_of(body, i), declared)) {
            return "RETURNS TABLE names the columns as the SELECT names them";
        }
    }
    return NULL;
}

static const char *check_body(const pf_sql_function *f, sqlite3_stmt *body)
{
    static const char *const QUERIES[] = {"SELECT", "WITH", "VALUES", NULL};
    pf_str text = {f->text, f->prototype.body_end};
    pf_token first = pf_sql_token(text, f->prototype.body);
    if (!pf_sql_is_any(text, first, QUERIES)) {
        return "after AS comes a SELECT";
    }
    for (int i = 1; body && i <= sqlite3_bind_parameter_count(body); i++) {
        const char *name = sqlite3_bind_parameter_name(body, i);
        if (!name || name[0] != '$') {
            return "variables begin with $";
        }
    }
    if (body && !sqlite3_stmt_readonly(body)) {
        return "after AS comes a SELECT";
    }
    return body ? check_columns(f, body) : NULL;
}

/* Compiles the body; its first statement is kept. */
static pf_status try_body(pf_sql_function *f, const pf_statement *s, pf_error *err)
{
    const char *wrong = check_body(f, NULL);
    int rc = SQLITE_OK;
    sqlite3_stmt *body = wrong ? NULL : pf_sql_function_compile(f, &rc);
    if (!wrong && !body) {
        return pf_sql_failed_at(f->q, rc, s, f->prototype.body, err);
    }
    wrong = wrong ? wrong : check_body(f, body);
    if (wrong) {
        sqlite3_finalize(body);
        return fail(s, f->prototype.body, err, wrong);
    }
    pf_sql_function_stop(f, body);
    return PF_OK;
}

/* A function is callable before its body is compiled, because it may call itself; a table is not. */
static pf_status install(pf_sql_function *f, pf_sql_function *old, const pf_statement *s, pf_error *err)
{
    pf_sql_functions_close(f->q);
    int rc = f->prototype.table ? SQLITE_OK : pf_sql_add_scalar(f);
    pf_status st = rc == SQLITE_OK ? try_body(f, s, err) : pf_sql_failed_at(f->q, rc, s, s->definition, err);
    if (st == PF_OK && f->prototype.table) {
        rc = pf_sql_add_table_function(f);
        st = rc == SQLITE_OK ? PF_OK : pf_sql_failed_at(f->q, rc, s, s->definition, err);
    } else if (st != PF_OK && !f->prototype.table) {
        old ? pf_sql_add_scalar(old) : pf_sql_remove_scalar(f);
    }
    f->replaced = st != PF_OK;
    if (st == PF_OK && old) {
        old->replaced = true;
    }
    f->next = f->q->functions;
    f->q->functions = f;
    return st;
}

pf_sql_function *pf_sql_definition_new(pf_query *q, const pf_statement *s, pf_error *err)
{
    pf_sql_function *f = sqlite3_malloc64(sizeof *f);
    char *text = f ? sqlite3_malloc64(s->text.len) : NULL;
    if (!text) {
        sqlite3_free(f);
        pf_no_memory(err);
        return NULL;
    }
    *f = (pf_sql_function){.q = q, .text = memcpy(text, s->text.data, s->text.len)};
    return f;
}

void pf_sql_definition_free(pf_sql_function *f)
{
    pf_prototype_free(&f->prototype);
    sqlite3_free(f->text);
    sqlite3_free(f);
}

static pf_status parse(pf_sql_function *f, size_t len, const pf_statement *s, pf_error *err)
{
    size_t at;
    const char *wrong = pf_prototype_parse((pf_str){f->text, len}, s->definition, &f->prototype, &at);
    return wrong == pf_prototype_no_memory ? pf_no_memory(err) : wrong ? fail(s, at, err, wrong) : PF_OK;
}

/* DELEGATES TO g becomes AS SELECT g($a, ...). */
static pf_status parse_delegate(pf_sql_function *f, const pf_statement *s, pf_error *err)
{
    pf_buffer sql = {0};
    pf_buffer_put(&sql, f->text, f->prototype.body);
    pf_buffer_format(&sql, "AS SELECT %.*s(", (int)f->prototype.delegate.len, f->prototype.delegate.ptr);
    for (size_t i = 0; i < f->prototype.parameters.count; i++) {
        pf_str name = pf_parameter_at(&f->prototype.parameters, i)->name;
        pf_buffer_format(&sql, "%s$%.*s", i ? ", " : "", (int)name.len, name.ptr);
    }
    pf_buffer_put(&sql, ")", 2);
    char *text = sql.failed ? NULL : sqlite3_malloc64(sql.len);
    if (text) {
        memcpy(text, sql.data, sql.len);
        pf_prototype_free(&f->prototype);
        sqlite3_free(f->text);
        f->text = text;
    }
    pf_status st = text ? parse(f, sql.len - 1, s, err) : pf_no_memory(err);
    pf_buffer_free(&sql);
    return st;
}

static pf_status define(pf_sql_function *f, const pf_statement *s, pf_error *err)
{
    PF_TRY(parse(f, s->text.len - 1, s, err));
    PF_TRY(f->prototype.delegate.ptr ? parse_delegate(f, s, err) : PF_OK);
    PF_TRY(check_prototype(f, s, err));
    f->text[f->prototype.body_end] = '\0';
    f->name = f->text + (f->prototype.name.ptr - f->text);
    f->name[f->prototype.name.len] = '\0'; /* what stood there has been read */
    pf_sql_function *old = find(f);
    if (old && !s->redefines) {
        return fail(s, s->definition, err, "this function exists; CREATE OR REPLACE replaces it");
    }
    if (!old && is_built_in(f)) {
        return fail(s, s->definition, err, "a built-in function or a table has this name");
    }
    return install(f, old, s, err);
}

pf_status pf_sql_define_function(pf_query *q, const pf_statement *s, pf_error *err)
{
    pf_sql_function *f = pf_sql_definition_new(q, s, err);
    pf_status st = f ? define(f, s, err) : PF_ERR_MEMORY;
    if (f && q->functions != f) {
        pf_sql_definition_free(f);
    }
    return st;
}

void pf_sql_definitions_free(pf_query *q)
{
    pf_sql_function **const lists[] = {&q->functions, &q->macros};
    for (size_t i = 0; i < 2; i++) {
        while (*lists[i]) {
            pf_sql_function *f = *lists[i];
            *lists[i] = f->next;
            pf_sql_definition_free(f);
        }
    }
}
