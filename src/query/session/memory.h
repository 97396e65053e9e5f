/* query/session/memory.h - memory of SQLite's for what functions make, within the session's bound.
 *
 * SQLite's own work is compared with the bound every so many steps (vtab/authorizer.c); a function may take much in one
 * step, so it asks before it takes. */
#pragma once

#include "query/session/session.h"

/* Whether the session may have `bytes` more and its statement is still wanted; if not, q->failure says why. */
bool pf_sql_affords(pf_query *q, uint64_t bytes);

/* A list with room for one more entry; false: no memory. */
bool pf_sql_grow(pf_query *q, void **list, uint64_t count, uint64_t *room, size_t size);
#define PF_SQL_ROOM(q, list, count, room) pf_sql_grow((q), (void **)&(list), (count), &(room), sizeof *(list))

/* Zeros, which sqlite3_free frees; NULL: no memory. */
void *pf_sql_zeros(pf_query *q, uint64_t count, size_t size);

/* The state of an aggregate, zeros at its first row. NULL: no memory, and the statement fails. */
void *pf_sql_state(sqlite3_context *ctx, size_t size);

/* The same where the rows end, NULL if there were none: it is the caller's then. */
void *pf_sql_take_state(sqlite3_context *ctx);

/* Gives it to the statement, as a pointer of the kind `tag`: a struct that owns one list, its first member. */
void pf_sql_result_list(sqlite3_context *ctx, const char *tag);

/* temporary_files.c: files that nobody else knows, so that there is nothing to lock or to synchronize, and that have no
 * control of their own. The other functions are of the file that says so. */
int pf_sql_file_nothing(sqlite3_file *file, int what);
int pf_sql_file_control(sqlite3_file *file, int what, void *value);
int pf_sql_file_zero(sqlite3_file *file);
int pf_sql_file_unlocked(sqlite3_file *file, int *locked);
#define PF_SQL_FILE(file)                                                                                              \
    {                                                                                                                  \
        .iVersion = 1, .xClose = file##_close, .xRead = file##_read, .xWrite = file##_write,                           \
        .xTruncate = file##_truncate, .xSync = pf_sql_file_nothing, .xFileSize = file##_size,                          \
        .xLock = pf_sql_file_nothing, .xUnlock = pf_sql_file_nothing, .xCheckReservedLock = pf_sql_file_unlocked,      \
        .xFileControl = pf_sql_file_control, .xSectorSize = pf_sql_file_zero,                                          \
        .xDeviceCharacteristics = pf_sql_file_zero,                                                                    \
    }
