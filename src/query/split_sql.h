/* query/split_sql.h - statements of a SQL text, and what Perfetto's own statements become. */
#ifndef PF_QUERY_SPLIT_SQL_H
#define PF_QUERY_SPLIT_SQL_H

#include "base/buffer.h"
#include "postfetto/base.h"

typedef enum pf_token_type {
    PF_TOKEN_END,
    PF_TOKEN_WORD,   /* keyword, name, number */
    PF_TOKEN_QUOTED, /* '...', "...", `...`, [...] */
    PF_TOKEN_PUNCT   /* any other byte */
} pf_token_type;

typedef struct pf_token {
    pf_token_type type;
    size_t start, end; /* bytes of the text */
} pf_token;

/* The next token at or behind `at`; blanks and comments are skipped. */
pf_token pf_sql_token(pf_str sql, size_t at);

/* One statement for SQLite. `text` ends with a NUL and has the length of the original statement, plus `added` bytes
 * at `added_at` (offsets in the statement), so that positions can be told in the original. */
typedef struct pf_statement {
    size_t start, end; /* in the whole text, without the semicolon */
    bool empty;        /* nothing to run: blanks, or an INCLUDE */
    pf_buffer text;
    size_t added_at, added;
    pf_str include;  /* INCLUDE PERFETTO MODULE: the name of the module; else {NULL, 0} */
    pf_str replaces; /* CREATE OR REPLACE: the quoted or bare name of what is dropped first; else {NULL, 0} */
    bool replaces_view;
} pf_statement;

/* The statement at `at`; *next is where the following one begins. Errors: PF_ERR_USAGE with the position of a statement
 * of Perfetto's that has no counterpart here, PF_ERR_MEMORY. Free `text` in any case. */
pf_status pf_sql_statement(pf_str sql, size_t at, pf_statement *s, size_t *next, pf_error *err);

/* A position in s->text as a position in the whole text. */
size_t pf_sql_position(const pf_statement *s, size_t offset);

#endif
