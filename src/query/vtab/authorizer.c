/* query/vtab/authorizer.c - what a session may do: read everything, and make temporary tables and views in memory.
 *
 * SQLite asks the authorizer about every action when it compiles a statement. Databases cannot be attached (VACUUM INTO
 * attaches its target and falls under this), extensions not loaded, pragmas only ask. While a statement runs, a
 * progress handler compares SQLite's heap with the memory limit and asks whether the statement is still wanted.
 */
#include <string.h>

#include "query/session/memory.h"

#define OPERATIONS_PER_CHECK 50000
#define LONGEST_VALUE (256 << 20)
#define LONGEST_STATEMENT (16 << 20)

static int refuse(pf_query *q, const char *what)
{
    q->denied = what;
    return SQLITE_DENY;
}

static bool is_one_of(const char *name, const char *const *list)
{
    while (*list && sqlite3_stricmp(*list, name) != 0) {
        list++;
    }
    return *list != NULL;
}

/* Pragmas that tell something; they do so with an argument, too. */
static int check_pragma(pf_query *q, const char *name)
{
    static const char *const TELLING[] = {
        "table_info",  "table_xinfo",   "table_list",    "index_list",      "index_info",  "index_xinfo",
        "module_list", "function_list", "database_list", "compile_options", "pragma_list", "collation_list",
        NULL};
    return is_one_of(name, TELLING) ? SQLITE_OK : refuse(q, "PRAGMA");
}

static int check_function(pf_query *q, const char *name)
{
    static const char *const OUTWARD[] = {"load_extension", "fts3_tokenizer", "readfile", "writefile", "edit", NULL};
    return is_one_of(name, OUTWARD) ? refuse(q, "this function") : SQLITE_OK;
}

static int authorize(void *ctx, int action, const char *first, const char *second, const char *database,
                     const char *trigger)
{
    static const char *const JOINS[] = {"SPAN_JOIN", "SPAN_LEFT_JOIN", "SPAN_OUTER_JOIN", NULL};
    pf_query *q = ctx;
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
    case SQLITE_TRANSACTION:
    case SQLITE_SAVEPOINT:
    case SQLITE_CREATE_TEMP_TABLE:
    case SQLITE_CREATE_TEMP_VIEW:
    case SQLITE_CREATE_TEMP_INDEX:
    case SQLITE_DROP_TEMP_TABLE:
    case SQLITE_DROP_TEMP_VIEW:
    case SQLITE_DROP_TEMP_INDEX:
    case SQLITE_REINDEX:
        return SQLITE_OK;
    case SQLITE_FUNCTION:
        return check_function(q, second);
    case SQLITE_PRAGMA:
        return check_pragma(q, first);
    case SQLITE_ALTER_TABLE:
        return first && strcmp(first, "temp") == 0 ? SQLITE_OK : refuse(q, "changing a table of the trace");
    case SQLITE_INSERT:
    case SQLITE_UPDATE:
    case SQLITE_DELETE:
        if (action == SQLITE_UPDATE && strcmp(first, "sqlite_master") == 0) {
            return SQLITE_OK; /* SQLite declares a virtual table; to statements sqlite_master is read-only anyway */
        }
        return database && strcmp(database, "temp") == 0 ? SQLITE_OK : refuse(q, "changing a table of the trace");
    case SQLITE_ATTACH:
        return refuse(q, "ATTACH (and VACUUM)");
    case SQLITE_DETACH:
        return refuse(q, "DETACH");
    case SQLITE_CREATE_VTABLE:
    case SQLITE_DROP_VTABLE:
        return is_one_of(second, JOINS) && strcmp(database, "temp") == 0 ? SQLITE_OK
                                                                         : refuse(q, "CREATE VIRTUAL TABLE");
    default: /* dropping a table of the trace begins with a DELETE */
        return refuse(q, "a statement of this kind");
    }
}

static int check_run(void *ctx)
{
    return !pf_sql_affords(ctx, 0);
}

void pf_sql_restrict(pf_query *q)
{
    static const struct {
        int limit, value;
    } LIMITS[] = {
        {SQLITE_LIMIT_LENGTH, LONGEST_VALUE}, {SQLITE_LIMIT_SQL_LENGTH, LONGEST_STATEMENT},
        {SQLITE_LIMIT_ATTACHED, 0},           {SQLITE_LIMIT_TRIGGER_DEPTH, 1},
        {SQLITE_LIMIT_WORKER_THREADS, 0},     {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 4096},
    };
    for (size_t i = 0; i < sizeof LIMITS / sizeof *LIMITS; i++) {
        sqlite3_limit(q->db, LIMITS[i].limit, LIMITS[i].value);
    }
    sqlite3_db_config(q->db, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)NULL);
    sqlite3_db_config(q->db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, (int *)NULL);
    sqlite3_set_authorizer(q->db, authorize, q);
    sqlite3_progress_handler(q->db, OPERATIONS_PER_CHECK, check_run, q);
}
