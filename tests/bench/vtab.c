/* vtab.c - what SQLite's interface for tables that are not its own costs by itself: the least that a question to any of
 * our tables can take.
 *
 *     bench_vtab ROWS SQL     SQL over a table t(a, b, c) of two arrays of int64 and 192 names by b, whose functions do
 *                             nothing else
 *
 * Prints one line of JSON: the seconds of the statement and its rows.
 */
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define NAMES 192

typedef struct columns {
    sqlite3_vtab base;
    int64_t *value[2];
    char name[NAMES][16];
    sqlite3_int64 rows;
} columns;

typedef struct cursor {
    sqlite3_vtab_cursor base;
    sqlite3_int64 at;
} cursor;

static int connect(sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **out, char **problem)
{
    (void)argc, (void)argv, (void)problem;
    columns *c = malloc(sizeof *c);
    if (!c) {
        return SQLITE_NOMEM;
    }
    *c = *(const columns *)aux;
    *out = &c->base;
    return sqlite3_declare_vtab(db, "CREATE TABLE t(a INTEGER, b INTEGER, c TEXT)");
}

static int disconnect(sqlite3_vtab *table)
{
    free(table);
    return SQLITE_OK;
}

static int best_index(sqlite3_vtab *table, sqlite3_index_info *info)
{
    info->estimatedCost = (double)((const columns *)table)->rows;
    return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor **out)
{
    (void)table;
    cursor *c = calloc(1, sizeof *c);
    *out = &c->base;
    return c ? SQLITE_OK : SQLITE_NOMEM;
}

static int close_cursor(sqlite3_vtab_cursor *c)
{
    free(c);
    return SQLITE_OK;
}

static int filter(sqlite3_vtab_cursor *c, int number, const char *text, int argc, sqlite3_value **argv)
{
    (void)number, (void)text, (void)argc, (void)argv;
    ((cursor *)c)->at = 0;
    return SQLITE_OK;
}

static int next(sqlite3_vtab_cursor *c)
{
    ((cursor *)c)->at++;
    return SQLITE_OK;
}

static int at_end(sqlite3_vtab_cursor *c)
{
    return ((cursor *)c)->at >= ((const columns *)c->pVtab)->rows;
}

static int column(sqlite3_vtab_cursor *c, sqlite3_context *ctx, int i)
{
    const columns *all = (const columns *)c->pVtab;
    int64_t value = all->value[i != 0][((cursor *)c)->at];
    if (i == 2) {
        sqlite3_result_text(ctx, all->name[(uint64_t)value % NAMES], 14, SQLITE_STATIC);
    } else {
        sqlite3_result_int64(ctx, value);
    }
    return SQLITE_OK;
}

static int rowid(sqlite3_vtab_cursor *c, sqlite3_int64 *out)
{
    *out = ((cursor *)c)->at;
    return SQLITE_OK;
}

static const sqlite3_module MODULE = {.iVersion = 1,
                                      .xConnect = connect,
                                      .xBestIndex = best_index,
                                      .xDisconnect = disconnect,
                                      .xOpen = open_cursor,
                                      .xClose = close_cursor,
                                      .xFilter = filter,
                                      .xNext = next,
                                      .xEof = at_end,
                                      .xColumn = column,
                                      .xRowid = rowid};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int run(columns *all, const char *sql)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *statement = NULL;
    unsigned long rows = 0;
    sqlite3_open_v2(":memory:", &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
    sqlite3_create_module(db, "t", &MODULE, all);
    double start = now();
    int rc = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
    while (rc == SQLITE_OK || rc == SQLITE_ROW) {
        rows += rc == SQLITE_ROW;
        rc = sqlite3_step(statement);
    }
    printf("{\"seconds\": %.6f, \"rows\": %lu}\n", now() - start, rows);
    if (rc != SQLITE_DONE) {
        fprintf(stderr, "bench_vtab: %s\n", sqlite3_errmsg(db));
    }
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return rc == SQLITE_DONE ? 0 : 1;
}

int main(int argc, char **argv)
{
    columns all = {.rows = argc == 3 ? strtoll(argv[1], NULL, 10) : 0};
    if (all.rows <= 0) {
        fputs("usage: bench_vtab ROWS SQL\n", stderr);
        return 2;
    }
    for (unsigned k = 0; k < NAMES; k++) {
        snprintf(all.name[k], sizeof all.name[k], "operation %04u", k);
    }
    for (unsigned k = 0; k < 2; k++) {
        all.value[k] = malloc((size_t)all.rows * sizeof *all.value[k]);
        for (sqlite3_int64 i = 0; all.value[k] && i < all.rows; i++) {
            all.value[k][i] = k == 0 ? i * 1000 : (int64_t)((uint32_t)i * 2654435761u >> 12) % 997;
        }
    }
    int rc = all.value[0] && all.value[1] ? run(&all, argv[2]) : 1;
    free(all.value[0]);
    free(all.value[1]);
    return rc;
}
