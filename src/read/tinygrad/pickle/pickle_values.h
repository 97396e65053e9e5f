/* read/tinygrad/pickle/pickle_values.h - what a pickle holds, as rows of three side tables.
 *
 * A value is a row of tinygrad_value: what it is, a number or a text, and, where it has members, the first and last of
 * a chain of rows of tinygrad_item. Chains are what lists grow by in pieces while other values are made. Values are
 * shared as the pickle shares them; a hostile one may even hold itself, so whoever walks over values counts his steps.
 * Nothing of a class is known here: an object is its name, its arguments and its fields.
 *
 *     type              number                      text                 members
 *     none
 *     bool              0 or 1
 *     int               the integer                 its digits beyond 64 bits
 *     float             the bits of the double      as Python prints it
 *     decimal.N         its digits; N of them are after the point
 *     decimal                                       as it is written, where that is not just digits
 *     text                                          the text
 *     bytes             row of tinygrad_blob
 *     class             module.name
 *     object            module.name                 fields by name, or arguments without one
 *     list, tuple, set                              the items
 *     dict                                          the values with their keys
 */
#ifndef PF_READ_TINYGRAD_PICKLE_VALUES_H
#define PF_READ_TINYGRAD_PICKLE_VALUES_H

#include "postfetto/reader.h"
#include "postfetto/side_table.h"

typedef enum pf_pickle_type {
    PF_PICKLE_NONE = 0,
    PF_PICKLE_BOOL,
    PF_PICKLE_INT,
    PF_PICKLE_FLOAT,
    PF_PICKLE_TEXT,
    PF_PICKLE_BYTES,
    PF_PICKLE_CLASS,
    PF_PICKLE_OBJECT,
    PF_PICKLE_LIST,
    PF_PICKLE_TUPLE,
    PF_PICKLE_SET,
    PF_PICKLE_DICT,
    PF_PICKLE_DECIMAL,   /* with a text */
    PF_PICKLE_DECIMAL_0, /* with a number; so many digits after the point */
    PF_PICKLE_TYPES = PF_PICKLE_DECIMAL_0 + 10
} pf_pickle_type;

/* Small integers, none, false and true have one row each, made when first needed. */
enum { PF_PICKLE_SMALL = 256 };

typedef struct pf_pickle_values {
    pf_trace *t;
    pf_side_table *value, *item, *blob;
    uint32_t type[PF_PICKLE_TYPES]; /* string ids */
    uint32_t none, no, yes, small[PF_PICKLE_SMALL];
} pf_pickle_values;

/* The cells of a value. */
typedef struct pf_pickle_row {
    pf_pickle_type type;
    int64_t number;
    uint32_t text;        /* string id */
    uint32_t first, last; /* rows of tinygrad_item, or PF_NONE */
} pf_pickle_row;

pf_status pf_pickle_values_open(pf_pickle_values *v, pf_trace *t, pf_error *err);

/* Adds a value; *out is its row. */
pf_status pf_pickle_add(pf_pickle_values *v, const pf_pickle_row *row, uint32_t *out, pf_error *err);

/* The rows of integers, where small ones are shared, of none (both false), and of truth values. */
pf_status pf_pickle_add_int(pf_pickle_values *v, int64_t number, uint32_t *out, pf_error *err);
pf_status pf_pickle_add_none(pf_pickle_values *v, uint32_t *out, pf_error *err);
pf_status pf_pickle_add_bool(pf_pickle_values *v, bool truth, uint32_t *out, pf_error *err);

/* Appends a member to a value; key PF_NONE: without one. */
pf_status pf_pickle_append(pf_pickle_values *v, uint32_t to, uint32_t key, uint32_t member, pf_error *err);

/* Gives a value without members the chain of another one: fields of an object are the dict of its state. */
void pf_pickle_share_members(pf_pickle_values *v, uint32_t to, uint32_t from);

/* ---- looking at values ------------------------------------------------------------------------------------------- */

pf_pickle_type pf_pickle_type_of(const pf_pickle_values *v, uint32_t value);
pf_pickle_row pf_pickle_get(const pf_pickle_values *v, uint32_t value);
pf_str pf_pickle_text(const pf_pickle_values *v, uint32_t value);    /* TEXT, CLASS, OBJECT; else {NULL, 0} */
pf_bytes pf_pickle_bytes(const pf_pickle_values *v, uint32_t value); /* BYTES; else {NULL, 0} */

/* Walks over members: `for (uint32_t i = pf_pickle_first(v, list); i != PF_NONE; i = pf_pickle_next(v, i))`. */
uint32_t pf_pickle_first(const pf_pickle_values *v, uint32_t value);
uint32_t pf_pickle_next(const pf_pickle_values *v, uint32_t item);
uint32_t pf_pickle_key(const pf_pickle_values *v, uint32_t item); /* PF_NONE: has none */
uint32_t pf_pickle_member(const pf_pickle_values *v, uint32_t item);

/* The field of an object, or the value of a dict under that text; the last of several, PF_NONE if there is none. Only
 * so many members are looked at: no event has more fields, and a hostile file could have a large one looked at often.
 */
enum { PF_PICKLE_FIELDS = 64 };
uint32_t pf_pickle_field(const pf_pickle_values *v, uint32_t of, const char *name);

/* The text of a decimal: its digits with `after` of them after the point. Returns its length. */
size_t pf_pickle_print_decimal(int64_t digits, unsigned after, char text[32]);

/* The integer of an INT or BOOL; false if it is none, or beyond 64 bits. */
bool pf_pickle_int(const pf_pickle_values *v, uint32_t value, int64_t *out);

#endif
