/* query/session/split_sql.h - statements of a SQL text, and what Perfetto's own statements become. */
#pragma once

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

/* The next token at or after `at`; blanks and comments are skipped. */
pf_token pf_sql_token(pf_str sql, size_t at);

/* A part of a text that macros have written: `start` to `end` stand for one place of the text of the user. */
typedef struct pf_sql_span {
    size_t start, end, from, from_end;
} pf_sql_span;

/* A statement without its semicolon, before it is rewritten, and where it came from. */
typedef struct pf_sql_text {
    pf_str text;
    size_t start;             /* in the whole text of the user */
    const pf_sql_span *spans; /* in order; none: the text is the user's own */
    size_t span_count;
} pf_sql_text;

/* What a statement defines for later statements. */
typedef enum pf_sql_kind { PF_SQL_RUN, PF_SQL_NOTHING, PF_SQL_FUNCTION, PF_SQL_MACRO } pf_sql_kind;

/* One statement for SQLite. `text` ends with a NUL and has the length of the original statement, plus `added` bytes
 * at `added_at`, so that positions can be given in the original. */
typedef struct pf_statement {
    const pf_sql_text *from;
    pf_sql_kind kind; /* PF_SQL_NOTHING: blanks, or an INCLUDE */
    pf_buffer text;
    size_t added_at, added;
    pf_str include;  /* INCLUDE PERFETTO MODULE: the name of the module; else {NULL, 0} */
    pf_str replaces; /* CREATE OR REPLACE: the quoted or bare name of what is dropped first; else {NULL, 0} */
    bool replaces_view;
    size_t name;     /* CREATE PERFETTO TABLE or VIEW with a list of columns: where its name and */
    size_t declared; /* the list are in `from`; 0 without one */
    bool table;
    size_t definition; /* of a function or macro: where its name is in `text` */
    bool redefines;    /* and whether there may be one with this name */
} pf_statement;

/* The statement at `at`, from its first token to its semicolon; returns where the following one begins. */
size_t pf_sql_split(pf_str sql, size_t at, pf_sql_text *statement);

/* What SQLite is to run. Errors: PF_ERR_USAGE with the position of a statement of Perfetto's that has no counterpart
 * here, PF_ERR_MEMORY. Free `text` in any case; `from` must outlive the statement. */
pf_status pf_sql_rewrite(const pf_sql_text *from, pf_statement *s, pf_error *err);

/* A position in a statement, or in s->text, as a position in the whole text. */
size_t pf_sql_origin(const pf_sql_text *from, size_t offset);
size_t pf_sql_position(const pf_statement *s, size_t offset);

/* Whether a token is this word or sign; case does not matter. */
bool pf_sql_is(pf_str sql, pf_token t, const char *word);

/* Whether it is one of several, NULL after the last. */
bool pf_sql_is_any(pf_str sql, pf_token t, const char *const *words);

/* How many parentheses are open after a token. */
unsigned pf_sql_depth(pf_str sql, pf_token t, unsigned before);
