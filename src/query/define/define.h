/* query/define/define.h - functions and macros that a session's statements define. */
#pragma once

#include <sqlite3.h>

#include "query/define/prototype.h"
#include "query/session/session.h"

/* ---- definitions ------------------------------------------------------------------------------------------------- */

#define PF_SQL_IDLE 8

/* A function or macro. */
typedef struct pf_sql_function {
    struct pf_sql_function *next;
    pf_query *q;
    char *text; /* of the definition; the prototype points into it */
    char *name; /* of a function, in the text */
    pf_prototype prototype;
    bool replaced;                   /* or never installed: not found any more */
    sqlite3_stmt *idle[PF_SQL_IDLE]; /* compiled bodies that nobody runs */
    size_t idle_count;
} pf_sql_function;

/* With a copy of the statement's text. NULL: memory was refused. */
pf_sql_function *pf_sql_definition_new(pf_query *q, const pf_statement *s, pf_error *err);
void pf_sql_definition_free(pf_sql_function *f);

/* All functions and macros, after the database is closed. */
void pf_sql_definitions_free(pf_query *q);

/* ---- macros ------------------------------------------------------------------------------------------------------ */

/* CREATE PERFETTO MACRO. */
pf_status pf_sql_define_macro(pf_query *q, const pf_statement *s, pf_error *err);

/* built_in_macros.c: macros that work on the tokens of their arguments. NULL: none has the name. */
typedef struct pf_sql_built_in pf_sql_built_in;
const pf_sql_built_in *pf_sql_built_in_find(pf_str name);

/* Appends what a call with these arguments stands for; NULL, or what is wrong. */
#define PF_SQL_BUILT_IN_ARGUMENTS 128
const char *pf_sql_built_in_write(const pf_sql_built_in *b, const pf_str *argument, size_t count, pf_buffer *out);

/* A text in which macros were called. */
typedef struct pf_sql_expansion {
    pf_buffer text;
    pf_buffer spans;
} pf_sql_expansion;

/* Puts what macros stand for in the place of their calls. If there are none, *x stays empty; else `statement` is what
 * *x holds from then on. Errors: PF_ERR_USAGE with the position of a call, PF_ERR_LIMIT. Free *x in any case. */
pf_status pf_sql_expand(const pf_query *q, pf_sql_text *statement, pf_sql_expansion *x, pf_error *err);
void pf_sql_expansion_free(pf_sql_expansion *x);

/* ---- functions --------------------------------------------------------------------------------------------------- */

/* CREATE PERFETTO FUNCTION. */
pf_status pf_sql_define_function(pf_query *q, const pf_statement *s, pf_error *err);

/* Before the database is closed: ends the compiled bodies that nobody runs. */
void pf_sql_functions_close(pf_query *q);

/* function_calls.c: compiles a body; NULL with an SQLite code in *rc. */
sqlite3_stmt *pf_sql_function_compile(pf_sql_function *f, int *rc);

/* A compiled body with the arguments bound; stop takes it back, also NULL. On failure NULL and a text in *problem,
 * which sqlite3_free frees and which is NULL where memory was refused. */
sqlite3_stmt *pf_sql_function_start(pf_sql_function *f, int argc, sqlite3_value **argv, char **problem);
void pf_sql_function_stop(pf_sql_function *f, sqlite3_stmt *body);

/* One step of a body: SQLITE_ROW, SQLITE_DONE, or an error with its text. */
int pf_sql_function_step(pf_sql_function *f, sqlite3_stmt *body, char **problem);

/* function_calls.c, table_functions.c: make it callable, or callable no more. They return an SQLite code. */
int pf_sql_add_scalar(pf_sql_function *f);
int pf_sql_remove_scalar(pf_sql_function *f);
int pf_sql_add_table_function(pf_sql_function *f);

/* ---- columns ----------------------------------------------------------------------------------------------------- */

/* The list of columns that a statement declares, if it does, against those of its SELECT; and, when the table is there,
 * against its values. Errors: PF_ERR_USAGE, which names the columns. */
pf_status pf_sql_check_columns(pf_query *q, const pf_statement *s, pf_error *err);
pf_status pf_sql_check_values(pf_query *q, const pf_statement *s, pf_error *err);
