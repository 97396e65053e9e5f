/* query/define/function_bodies.c - the statements that are the bodies of functions. */
#include "query/define/define.h"

#define DEPTH_MAX 200 /* bodies that run inside of each other */

sqlite3_stmt *pf_sql_function_compile(pf_sql_function *f, int *rc)
{
    sqlite3_stmt *body = NULL;
    *rc = pf_sql_prepare(f->q, f->text + f->prototype.body, &body);
    return body;
}

char *pf_sql_function_problem(pf_sql_function *f, const char *what)
{
    const pf_str *name = &f->prototype.name;
    bool inner = f->q->blamed;
    f->q->blamed = true;
    return inner ? sqlite3_mprintf("%s", what) : sqlite3_mprintf("%.*s: %s", (int)name->len, name->ptr, what);
}

/* Of two parameters with one name the last one counts. Variables that are no parameters are NULL. */
static int bind(const pf_sql_function *f, sqlite3_stmt *body, int argc, sqlite3_value **argv)
{
    int rc = SQLITE_OK, variables = sqlite3_bind_parameter_count(body);
    for (int at = 1; at <= variables && rc == SQLITE_OK; at++) {
        const char *name = sqlite3_bind_parameter_name(body, at);
        int i = name ? argc : 0;
        while (i-- > 0) {
            pf_str parameter = pf_parameter_at(&f->prototype.parameters, (size_t)i)->name;
            if (pf_str_is(parameter, name + 1)) {
                rc = sqlite3_bind_value(body, at, argv[i]);
                break;
            }
        }
    }
    return rc;
}

sqlite3_stmt *pf_sql_function_start(pf_sql_function *f, int argc, sqlite3_value **argv, char **problem)
{
    int rc = SQLITE_OK;
    sqlite3_stmt *body = f->idle_count ? f->idle[--f->idle_count] : pf_sql_function_compile(f, &rc);
    rc = body ? bind(f, body, argc, argv) : rc;
    if (rc != SQLITE_OK || !body) {
        *problem = pf_sql_function_problem(f, sqlite3_errmsg(f->q->db));
        sqlite3_finalize(body);
        return NULL;
    }
    return body;
}

int pf_sql_function_step(pf_sql_function *f, sqlite3_stmt *body, char **problem)
{
    if (f->q->depth == DEPTH_MAX) {
        *problem =
            pf_sql_function_problem(f, "too many functions call each other; does one call itself without an end?");
        return SQLITE_ERROR;
    }
    f->q->depth++;
    int rc = sqlite3_step(body);
    f->q->depth--;
    if (rc != SQLITE_ROW && rc != SQLITE_DONE) {
        *problem = pf_sql_function_problem(f, sqlite3_errmsg(f->q->db));
    }
    return rc;
}

void pf_sql_function_stop(pf_sql_function *f, sqlite3_stmt *body)
{
    if (body && f->idle_count < PF_SQL_IDLE) {
        sqlite3_reset(body);
        sqlite3_clear_bindings(body);
        f->idle[f->idle_count++] = body;
    } else {
        sqlite3_finalize(body);
    }
}

void pf_sql_functions_close(pf_query *q)
{
    for (pf_sql_function *f = q->functions; f; f = f->next) {
        while (f->idle_count) {
            sqlite3_finalize(f->idle[--f->idle_count]);
        }
    }
}
