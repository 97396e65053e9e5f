/* query/define/prototype.h - name(parameter KIND, ...) RETURNS ... AS body: what defines a function or a macro.
 *
 * A function without a table may have DELEGATES TO name in the place of AS and its body. */
#pragma once

#include "base/buffer.h"
#include "query/session/split_sql.h"

typedef struct pf_parameter {
    pf_str name;
    pf_token kind; /* its first word */
} pf_parameter;

typedef struct pf_parameters {
    pf_buffer bytes;
    size_t count;
} pf_parameters;

/* Everything points into the text that was parsed. */
typedef struct pf_prototype {
    pf_str name;
    pf_parameters parameters, columns; /* columns: of RETURNS TABLE(...) */
    bool table;
    pf_token returns; /* the kind of the result, or TABLE */
    size_t body;      /* from here to body_end, without blanks or comments around it */
    size_t body_end;
    pf_str delegate; /* DELEGATES TO: the name; the body begins where that stands, and has no end */
} pf_prototype;

/* What is wrong where memory was refused: an error of memory, not of the text. */
extern const char pf_prototype_no_memory[];

const pf_parameter *pf_parameter_at(const pf_parameters *p, size_t i);

/* Parses a text from the name on. Returns NULL, or what was expected at *at. Free the prototype in any case. */
const char *pf_prototype_parse(pf_str text, size_t from, pf_prototype *p, size_t *at);

/* Parses (name KIND, ...) from its bracket on. Returns NULL, with *at after the list, or what was expected at *at.
 * Free the bytes in any case. */
const char *pf_parameters_parse(pf_str text, size_t from, pf_parameters *p, size_t *at);

void pf_prototype_free(pf_prototype *p);

/* A type of Perfetto's SQL: its first name, what SQLite declares, and the values that it has (0: any). */
typedef struct pf_sql_type {
    const char *name, *declared;
    int values;
} pf_sql_type;

const pf_sql_type *pf_sql_type_named(const char *text, pf_token name); /* NULL: there is none */
extern const char pf_sql_no_type[];                                    /* which types there are */
