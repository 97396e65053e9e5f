/* model/args/arg_columns.h - argument columns as those see them who fill them (the public view is
 * postfetto/arg_columns.h).
 *
 * Rows are filled in pieces, by several threads: all of a piece is written by one of them. Texts get ids of the piece
 * first, which the owner replaces in the order of the pieces; so ids do not depend on who was faster.
 */
#pragma once

#include <string.h>

#include "base/str.h"
#include "base/strings.h"
#include "model/trace/trace.h"
#include "postfetto/arg_columns.h"

/* A key without the prefix of tables. */
typedef struct pf_arg_wanted {
    pf_str key;
    pf_arg_type type;
    bool from_text;
} pf_arg_wanted;

/* What may be wanted, by the names of the first level: a bit per key. */
typedef struct pf_arg_names {
    uint64_t by_first[256]; /* the first character; an empty name is no candidate */
    uint64_t by_length;     /* lengths that a wanted name can have: bit 63 for all from there on */
} pf_arg_names;

struct pf_arg_columns {
    pf_budget *budget; /* the trace's */
    uint32_t rows;
    size_t count, words; /* columns; words of present bits of each */
    unsigned levels;     /* containers that the longest way goes into, plus one */
    size_t text_bytes;
    pf_arg_wanted *wanted;
    pf_arg_names names;
    char *text; /* of the keys */
    pf_arg_column *column;
    pf_strings strings;
};

/* A member of the arguments of an earlier event, for a format whose events often have the same ones in a row: the text
 * as it was written, from the end of the value before up to its own value. Events of one category have the same members
 * more often than those next to each other, so there is a set of members for several categories. */
enum { PF_ARG_ALIKE = 24, PF_ARG_ALIKE_BYTES = 32, PF_ARG_ALIKE_SETS = 8 };
typedef struct pf_arg_alike {
    uint8_t text[PF_ARG_ALIKE_BYTES];
    uint8_t len;    /* 0: not known */
    uint8_t column; /* the one column, of integers, that the value is for; PF_ARG_KEYS_MAX: none, or not so simple */
    uint8_t name_at, name_len; /* the key in the text */
    uint64_t keys;             /* that are wanted of the name, or of what is inside */
} pf_arg_alike;

/* The arguments of an earlier event as text, for a format whose events have other numbers and little else: all digits
 * are zeros here. They reach to the byte after the last value that is wanted, or to the end of the arguments. */
enum { PF_ARG_SHAPE_LEAST = 16, PF_ARG_SHAPE_MOST = 448, PF_ARG_SHAPE_VALUES = 4, PF_ARG_SHAPE_PATIENCE = 8 };
typedef struct pf_arg_shape {
    uint8_t kinds[PF_ARG_SHAPE_MOST];
    uint16_t len;     /* 0: none are known */
    uint8_t patience; /* for how many more events that are others they stay as they are */
    uint8_t values;
    bool whole;
    struct {
        uint16_t at;
        uint8_t digits, column; /* a column of integers */
    } value[PF_ARG_SHAPE_VALUES];
} pf_arg_shape;

/* The bytes of an earlier event, for a format of tags, lengths and numbers of one byte or more: the bits that make up
 * its structure. They reach to the last value that is wanted, or to the end. */
enum { PF_ARG_LAYOUTS = 16, PF_ARG_LAYOUT_BYTES = 160 };
typedef struct pf_arg_layout {
    uint64_t mask[PF_ARG_LAYOUT_BYTES / 8], bits[PF_ARG_LAYOUT_BYTES / 8]; /* of words; the last ends with the bytes */
    const void *names;                                                     /* what ids of names stand for */
    uint16_t len;                                                          /* 0: none is known */
    bool whole;
    uint8_t patience, values;
    struct {
        uint8_t at, size, column; /* a column of integers */
    } value[PF_ARG_SHAPE_VALUES];
} pf_arg_layout;

/* The keys that an interned name is for; id: that of the string, plus 1. */
enum { PF_ARG_NAMED = 64 };
typedef struct pf_arg_named {
    uint32_t id;
    uint64_t keys;
} pf_arg_named;

/* Whether the wanted keys are all names of values on the first level, for a format that has a quick way to these. */
typedef enum pf_arg_simple { PF_ARG_SIMPLE_UNKNOWN = 0, PF_ARG_SIMPLE, PF_ARG_NOT_SIMPLE } pf_arg_simple;

/* Rows of a piece at most: some tenths of a millisecond of work; whole words of present bits. */
enum { PF_ARG_PIECE_ROWS = 4096 };

/* Rows [from, to) and who fills them. */
typedef struct pf_arg_piece {
    const pf_arg_columns *columns;
    const pf_trace *t;
    const uint32_t *events; /* or NULL */
    uint32_t from, to;
    uint32_t row; /* being filled */
    bool first_values;
    bool unnamed;     /* the row has an argument whose name nothing defines yet */
    uint32_t missing; /* keys of the row that have no value yet; counted with first_values */
    pf_strings strings;
    pf_status status;
    pf_error error;
    uint32_t *ways; /* arg_search.c: room for what is matched on each level */
    pf_arg_alike alike[PF_ARG_ALIKE_SETS][PF_ARG_ALIKE];
    pf_arg_shape shape[PF_ARG_ALIKE_SETS];
    pf_arg_layout layout[PF_ARG_LAYOUTS];
    pf_arg_named named[PF_ARG_NAMED];
    const void
        *ids_of; /* the names whose small ids were looked up: a bit for each in ids_known, what it is for in ids */
    uint64_t ids_known, ids[PF_ARG_NAMED];
    pf_arg_simple simple;
    const struct pf_early_store *early;      /* what was read early (early_args.h), or NULL */
    const uint8_t *source;                   /* by key: its place there */
    uint64_t filled[PF_ARG_PIECE_ROWS / 64]; /* a bit per row, from `from` on: was taken from there */
} pf_arg_piece;

/* arg_values.c: the value is the row's under key `key`, in place of an earlier one (unless first_values); it may be
 * none that the column holds. NULL: something else was found under the key. */
void pf_arg_put(pf_arg_piece *p, size_t key, const pf_value *v);

/* The id of a text in the piece, whose table is made for the first one: most pieces have none. PF_NONE: p->status. */
uint32_t pf_arg_text_id(pf_arg_piece *p, pf_str text);

/* The same for an integer below 2^63 and a column of integers, as most wanted values are: no way round by a value of
 * any type. False where the row has a value already; then nothing was put. */
static inline bool pf_arg_put_integer(pf_arg_piece *p, unsigned key, uint64_t number)
{
    const pf_arg_column *c = &p->columns->column[key];
    uint64_t bit = 1ull << p->row % 64, *word = (uint64_t *)(uintptr_t)&c->present[p->row / 64];
    if (*word & bit) {
        return false;
    }
    ((int64_t *)(uintptr_t)c->values.i)[p->row] = (int64_t)number;
    *word |= bit;
    p->missing -= p->first_values;
    return true;
}

/* Whether nothing more is to be found in the row. */
static inline bool pf_arg_complete(const pf_arg_piece *p)
{
    return p->first_values && p->missing == 0;
}

/* Whether a key of the first level can be wanted, itself or for what is inside its value. */
static inline uint64_t pf_arg_candidates(const pf_arg_columns *c, pf_str name)
{
    size_t length = name.len < 63 ? name.len : 63;
    return name.len && c->names.by_length >> length & 1 ? c->names.by_first[(uint8_t)name.ptr[0]] : 0;
}

/* Whether key `k` is called so, or its way begins with the name. */
static inline bool pf_arg_is(const pf_arg_columns *c, unsigned k, pf_str name)
{
    pf_str key = c->wanted[k].key;
    return pf_str_equal(key, name);
}

static inline bool pf_arg_leads_into(const pf_arg_columns *c, unsigned k, pf_str name)
{
    pf_str key = c->wanted[k].key;
    return key.len > name.len && (key.ptr[name.len] == '.' || key.ptr[name.len] == '[') &&
           memcmp(key.ptr, name.ptr, name.len) == 0;
}

/* Columns of `rows` rows without values; *out is for pf_arg_columns_free, whatever is returned. */
pf_status pf_arg_columns_make(const pf_trace *t, uint32_t rows, const pf_arg_key *keys, size_t count,
                              pf_arg_columns **out, pf_error *err);

/* Of pf_arg_piece.ways, which begins as zeros. */
static inline size_t pf_arg_way_bytes(const pf_arg_columns *c)
{
    return (c->levels + 1) * (c->count + 1) * sizeof(uint32_t);
}

/* arg_search.c: visits the arguments of an event and puts those that are wanted. `index` is a row of t->args. */
pf_status pf_arg_search(pf_arg_piece *p, uint32_t index);

/* The same by the format's quick way alone: PF_ERR_DAMAGED, and nothing is known of the row, where that does not do. */
pf_status pf_arg_search_quick(pf_arg_piece *p, uint32_t index);
