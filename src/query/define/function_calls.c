/* query/define/function_calls.c - the statements that are the bodies of functions, and calls of functions that return a
 * value: the first row's, NULL where there is none.
 *
 * The rules are Perfetto's: arguments have the declared type or are NULL, an integer is no DOUBLE; a second row is an
 * error; what is returned is not converted to the declared type.
 */
#include "query/define/define.h"

#define DEPTH_MAX 200 /* bodies that run inside of each other */

sqlite3_stmt *pf_sql_function_compile(pf_sql_function *f, int *rc)
{
    sqlite3_stmt *body = NULL;
    *rc = pf_sql_prepare(f->q, f->text + f->prototype.body, &body);
    return body;
}

/* The text of a problem, with the name of the function where it arose. */
static char *problem_of(pf_sql_function *f, const char *what)
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
        *problem = problem_of(f, sqlite3_errmsg(f->q->db));
        sqlite3_finalize(body);
        return NULL;
    }
    return body;
}

int pf_sql_function_step(pf_sql_function *f, sqlite3_stmt *body, char **problem)
{
    if (f->q->depth == DEPTH_MAX) {
        *problem = problem_of(f, "too many functions call each other; does one call itself without an end?");
        return SQLITE_ERROR;
    }
    f->q->depth++;
    int rc = sqlite3_step(body);
    f->q->depth--;
    if (rc != SQLITE_ROW && rc != SQLITE_DONE) {
        *problem = problem_of(f, sqlite3_errmsg(f->q->db));
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

static const char *name_of_value(int type)
{
    return type == SQLITE_INTEGER ? "an integer"
           : type == SQLITE_FLOAT ? "a real"
           : type == SQLITE_TEXT  ? "a text"
                                  : "a blob";
}

/* A failure of SQLite itself, such as memory, keeps its code. */
static void fail(sqlite3_context *ctx, char *problem, int rc)
{
    if (problem) {
        sqlite3_result_error(ctx, problem, -1);
    }
    if (!problem || (rc & 0xff) != SQLITE_ERROR) {
        sqlite3_result_error_code(ctx, problem ? rc : SQLITE_NOMEM);
    }
    sqlite3_free(problem);
}

static bool check_arguments(sqlite3_context *ctx, pf_sql_function *f, int argc, sqlite3_value **argv)
{
    for (int i = 0; i < argc; i++) {
        const pf_parameter *p = pf_parameter_at(&f->prototype.parameters, (size_t)i);
        const pf_sql_type *declared = pf_sql_type_named(f->text, p->kind);
        int type = sqlite3_value_type(argv[i]);
        if (declared->values && type != declared->values && type != SQLITE_NULL) {
            char what[128];
            sqlite3_snprintf(sizeof what, what, "argument %d is %s, not of type %s", i + 1, name_of_value(type),
                             declared->name);
            fail(ctx, problem_of(f, what), SQLITE_ERROR);
            return false;
        }
    }
    return true;
}

static void call(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    pf_sql_function *f = sqlite3_user_data(ctx);
    char *problem = NULL;
    if (!check_arguments(ctx, f, argc, argv)) {
        return;
    }
    sqlite3_stmt *body = pf_sql_function_start(f, argc, argv, &problem);
    int rc = body ? pf_sql_function_step(f, body, &problem) : sqlite3_errcode(f->q->db);
    if (rc == SQLITE_ROW) {
        sqlite3_result_value(ctx, sqlite3_column_value(body, 0));
        rc = pf_sql_function_step(f, body, &problem);
        if (rc == SQLITE_ROW) {
            rc = SQLITE_ERROR;
            problem = problem_of(f, "the SELECT of this function returns more than one row");
        }
    }
    if (rc != SQLITE_DONE) {
        fail(ctx, problem, rc);
    }
    pf_sql_function_stop(f, body);
}

static int set(pf_sql_function *f, void (*function)(sqlite3_context *, int, sqlite3_value **))
{
    const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
    return sqlite3_create_function(f->q->db, f->name, (int)f->prototype.parameters.count, flags, f, function, NULL,
                                   NULL);
}

int pf_sql_add_scalar(pf_sql_function *f)
{
    return set(f, call);
}

int pf_sql_remove_scalar(pf_sql_function *f)
{
    return set(f, NULL);
}
