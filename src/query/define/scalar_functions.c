/* query/define/scalar_functions.c - calls of functions that return a value: the first row's, NULL where there is none.
 *
 * The rules are Perfetto's: arguments have the declared type or are NULL, an integer is no DOUBLE; a second row is an
 * error; what is returned is not converted to the declared type.
 */
#include "query/define/define.h"

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
            fail(ctx, pf_sql_function_problem(f, what), SQLITE_ERROR);
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
            problem = pf_sql_function_problem(f, "the SELECT of this function returns more than one row");
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
