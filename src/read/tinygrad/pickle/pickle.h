/* read/tinygrad/pickle/pickle.h - reads a pickle without executing anything, and what it holds meanwhile.
 *
 * A pickle is a program for a machine with a stack and a memo. This machine knows the opcodes that make data, of the
 * protocols 2 to 5; a class is a name, and calling one makes an object that holds the name and the arguments. Two calls
 * are data themselves: decimal.Decimal of a text, and _codecs.encode of a text as latin1, which is how protocol 2
 * writes bytes. Whatever is not known is an error with the opcode and its offset.
 *
 * Every length is compared with the bytes that are left before anything is done with it. Memory is that of the trace's
 * budget: per opcode at most one value and one place on the stack or in the memo; of an event only what later ones
 * share stays after it was handed over.
 *
 * A value is a row: what it is, a number or a text, and, where it has members, the first and last of a chain of items.
 * Chains are what lists grow by in pieces while other values are made; an item's row is always above that of the item
 * before it, so chains end. Values are shared as the pickle shares them; a hostile one may even hold itself, so whoever
 * walks over values counts his steps. Texts and bytes lie in the input. Nothing of a class is known here: an object is
 * its name, its arguments and its fields.
 *
 *     type               number                         text                         members
 *     none
 *     bool               0 or 1
 *     int                the integer                    its digits beyond 64 bits
 *     float              the bits of the double
 *     text, decimal      where it begins in the input   its length
 *     bytes              row of `blob`
 *     class                                             module.name
 *     object                                            module.name                  arguments, then fields by name
 *     list, tuple, set                                                               the items
 *     dict                                                                           the values with their keys
 *
 * What nobody can reach any more goes from time to time (pickle_collect.c), so that memory does not grow with the file.
 */
#pragma once

#include "base/arena.h"
#include "base/columns.h"
#include "base/strings.h"

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
    PF_PICKLE_DECIMAL
} pf_pickle_type;

/* A value. */
typedef struct pf_pickle_row {
    pf_pickle_type type;
    uint32_t text;
    union {
        int64_t number;
        struct {
            uint32_t first, last; /* OBJECT to DICT: items, or PF_NONE */
        };
    };
} pf_pickle_row;

typedef struct pf_pickle_item_row {
    uint32_t key, member, next;
} pf_pickle_item_row;

/* Small integers, none, false and true have one row each, made when first needed. */
enum { PF_PICKLE_SMALL = 256, PF_PICKLE_SHARED = PF_PICKLE_SMALL + 3 };

/* A bit for each of many; 0 beyond the bytes. */
typedef struct pf_pickle_bits {
    uint8_t *bit;
    size_t bytes;
} pf_pickle_bits;

typedef struct pf_pickle_values {
    pf_budget *budget;
    pf_bytes input;
    size_t op;        /* offset of the opcode that is executed, or was last */
    bool truncated;   /* the input ended before the pickle did; what was read is whole */
    pf_arena *arena;  /* for bytes that are not in the input as they are */
    pf_strings texts; /* names of classes, numbers as texts */
    struct {
        pf_pickle_row *row;
        uint32_t count, room;
        pf_columns columns;
    } value;
    struct {
        pf_pickle_item_row *row;
        uint32_t count, room;
        pf_columns columns;
    } item;
    struct {
        pf_bytes *bytes;
        uint32_t count, room;
        pf_columns columns;
    } blob;
    uint32_t shared[PF_PICKLE_SHARED]; /* small integers, none, false, true; PF_NONE: not made yet */
    struct {
        uint32_t value;
        size_t op;
    } * kept; /* values that stay (pf_pickle_keep), and the opcode at which they were kept */
    uint32_t kept_count, kept_room;
    uint64_t made;           /* values and items so far, those that went included */
    pf_pickle_bits fetched;  /* of the memo: indices that the input fetches (pickle_scan.c) */
    pf_pickle_bits complete; /* of the input: opcodes at which the items of a batch at the top are complete */
} pf_pickle_values;

/* The input lives as long as the values. */
pf_status pf_pickle_values_open(pf_pickle_values *v, pf_bytes input, pf_budget *budget, pf_arena *arena, pf_error *err);
void pf_pickle_values_close(pf_pickle_values *v);

/* Completes an error that the values were the cause of, such as a limit: with the opcode at `op` and the offset. One
 * that has an offset stays as it is, as does one that says nothing about the file. Returns st. */
pf_status pf_pickle_name_opcode(const pf_pickle_values *v, size_t op, pf_status st, pf_error *err);

/* Forgets all values, to read the same input again. */
void pf_pickle_values_clear(pf_pickle_values *v);

/* Adds a value without members, and one that has none yet; *out is its row. */
pf_status pf_pickle_add(pf_pickle_values *v, pf_pickle_type type, int64_t number, uint32_t text, uint32_t *out,
                        pf_error *err);
pf_status pf_pickle_add_empty(pf_pickle_values *v, pf_pickle_type type, uint32_t text, uint32_t *out, pf_error *err);

/* The row of a shared value: a small integer, or PF_PICKLE_SMALL + 0 none, 1 false, 2 true. */
pf_status pf_pickle_add_shared(pf_pickle_values *v, unsigned which, uint32_t *out, pf_error *err);
pf_status pf_pickle_add_bytes(pf_pickle_values *v, pf_bytes bytes, uint32_t *out, pf_error *err);

/* Appends a member to a value; key PF_NONE: without one. */
pf_status pf_pickle_append(pf_pickle_values *v, uint32_t to, uint32_t key, uint32_t member, pf_error *err);

/* A value that is to stay until the end, and its row then or now: rows change when others go. *handle is its name. */
pf_status pf_pickle_keep(pf_pickle_values *v, uint32_t value, uint32_t *handle, pf_error *err);

/* Reads the pickle at the beginning of the values' input. The items of a list at its top are handed to `item` as they
 * come, and then taken out of it, so that they can go; a value is to be read in the call only, or to be kept.
 * *top is the value that is left. Polls *cancel (may be NULL). PF_ERR_INPUT with an offset; PF_ERR_LIMIT,
 * PF_ERR_MEMORY, PF_ERR_CANCELLED, and what `item` returns. Where the input ends too early it is an error, v->truncated
 * says so, and the items that are complete have been handed over. */
typedef pf_status (*pf_pickle_item)(void *ctx, uint32_t value, pf_error *err);
pf_status pf_pickle_read(pf_pickle_values *v, pf_pickle_item item, void *ctx, const volatile int *cancel, uint32_t *top,
                         pf_error *err);

/* ---- looking at values; PF_NONE is a value that is not there ----------------------------------------------------- */

pf_pickle_type pf_pickle_type_of(const pf_pickle_values *v, uint32_t value);
static inline pf_pickle_row pf_pickle_get(const pf_pickle_values *v, uint32_t value)
{
    return v->value.row[value];
}
pf_str pf_pickle_text(const pf_pickle_values *v, uint32_t value);    /* TEXT, CLASS, OBJECT; else {NULL, 0} */
pf_bytes pf_pickle_bytes(const pf_pickle_values *v, uint32_t value); /* BYTES; else {NULL, 0} */

/* Digits of an INT beyond 64 bits, a DECIMAL as written; else {NULL, 0}. */
pf_str pf_pickle_spelling(const pf_pickle_values *v, uint32_t value);

/* Walks over members: `for (uint32_t i = pf_pickle_first(v, list); i != PF_NONE; i = pf_pickle_next(v, i))`. */
static inline bool pf_pickle_has_members(pf_pickle_type type)
{
    return type >= PF_PICKLE_OBJECT && type <= PF_PICKLE_DICT;
}
uint32_t pf_pickle_first(const pf_pickle_values *v, uint32_t value);
static inline uint32_t pf_pickle_next(const pf_pickle_values *v, uint32_t item)
{
    return v->item.row[item].next;
}
static inline uint32_t pf_pickle_key(const pf_pickle_values *v, uint32_t item) /* PF_NONE: has none */
{
    return v->item.row[item].key;
}
static inline uint32_t pf_pickle_member(const pf_pickle_values *v, uint32_t item)
{
    return v->item.row[item].member;
}
uint32_t pf_pickle_nth(const pf_pickle_values *v, uint32_t of, unsigned n); /* from 0; PF_NONE: it has fewer */

/* The field of an object, or the value of a dict under that text; the last of several, PF_NONE if there is none. Only
 * so many members are read: no event has more fields, and a hostile file could have a large one read often.
 */
enum { PF_PICKLE_FIELDS = 64 };
uint32_t pf_pickle_field(const pf_pickle_values *v, uint32_t of, const char *name);

/* The integer of an INT or BOOL; false if it is none, or beyond 64 bits. */
bool pf_pickle_int(const pf_pickle_values *v, uint32_t value, int64_t *out);
