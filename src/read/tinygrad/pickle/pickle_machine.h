/* read/tinygrad/pickle/pickle_machine.h - the machine, as the files of its opcodes see it. */
#pragma once

#include "base/map.h"
#include "read/tinygrad/pickle/pickle.h"

/* A growing array of row numbers. */
typedef struct pf_pickle_rows {
    uint32_t *row;
    size_t count, room;
} pf_pickle_rows;

typedef struct pf_pickle {
    pf_pickle_values *v;
    pf_budget *budget;
    const uint8_t *bytes;
    size_t len, at;       /* the next byte */
    pf_pickle_rows stack; /* values */
    pf_pickle_rows marks; /* depths of the stack at each open mark */
    pf_map memo;          /* index -> value, of those that are fetched somewhere */
    uint64_t memo_count;  /* entries put so far, remembered or not */
    uint32_t decimal;     /* the value of the class decimal.Decimal that was met last, or PF_NONE */
    size_t complete_at;   /* pf_pickle_next_complete, when last asked */
    bool stopped;
    uint64_t collect_at; /* so many values and items are worth looking through */
    pf_error *err;
} pf_pickle;

/* The most values that there can be at a time; rows have 32 bits. */
#define PF_PICKLE_VALUES_MAX 0x3fffffffu

static inline uint64_t pf_pickle_little_endian(const uint8_t *bytes, unsigned n)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < n; i++) {
        v |= (uint64_t)bytes[i] << (8 * i);
    }
    return v;
}

/* The opcodes: what runs them, and a small parameter of that; how long the argument is, fixed, or counted by so many
 * bytes; how many values are taken and left (FILL takes the one below the mark); what that does to the stack
 * (pickle_scan.c). */
/* clang-format off */
#define PF_PICKLE_OPCODES(X)                                                                                           \
    X(0x80, protocol, 0, 1, 0, 0, 0, NOTHING)                X(0x95, frame, 0, 8, 0, 0, 0, NOTHING)                    \
    X('.', stop, 0, 0, 0, 0, 0, END)                         X('(', mark, 0, 0, 0, 0, 0, OPEN)                         \
    X('0', pop, 0, 0, 0, 1, 0, DROP)                         X('1', pop, 1, 0, 0, 0, 0, FORGET)                        \
    X('2', dup, 0, 0, 0, 0, 0, COPY)                         X(0x94, memoize, 0, 0, 0, 1, 1, PLAIN)                    \
    X('q', memoize, 1, 1, 0, 1, 1, PLAIN)                    X('r', memoize, 4, 4, 0, 1, 1, PLAIN)                     \
    X('h', recall, 1, 1, 0, 0, 1, PLAIN)                     X('j', recall, 4, 4, 0, 0, 1, PLAIN)                      \
    X('N', constant, 0, 0, 0, 0, 1, PLAIN)                   X(0x88, constant, 2, 0, 0, 0, 1, PLAIN)                   \
    X(0x89, constant, 1, 0, 0, 0, 1, PLAIN)                  X('K', int, 1, 1, 0, 0, 1, PLAIN)                         \
    X('M', int, 2, 2, 0, 0, 1, PLAIN)                        X('J', int, 4, 4, 0, 0, 1, PLAIN)                         \
    X(0x8A, long, 1, 0, 1, 0, 1, PLAIN)                      X(0x8B, long, 4, 0, 4, 0, 1, PLAIN)                       \
    X('G', float, 0, 8, 0, 0, 1, PLAIN)                      X(0x8C, text, 1, 0, 1, 0, 1, PLAIN)                       \
    X('X', text, 4, 0, 4, 0, 1, PLAIN)                       X(0x8D, text, 8, 0, 8, 0, 1, PLAIN)                       \
    X('C', bytes, 1, 0, 1, 0, 1, PLAIN)                      X('B', bytes, 4, 0, 4, 0, 1, PLAIN)                       \
    X(0x8E, bytes, 8, 0, 8, 0, 1, PLAIN)                     X(0x96, bytes, 8, 0, 8, 0, 1, PLAIN)                      \
    X(']', empty, PF_PICKLE_LIST, 0, 0, 0, 1, PLAIN)         X(')', empty, PF_PICKLE_TUPLE, 0, 0, 0, 1, PLAIN)         \
    X('}', empty, PF_PICKLE_DICT, 0, 0, 0, 1, PLAIN)         X(0x8F, empty, PF_PICKLE_SET, 0, 0, 0, 1, PLAIN)          \
    X('t', gather, PF_PICKLE_TUPLE, 0, 0, 0, 1, GATHER)      X('l', gather, PF_PICKLE_LIST, 0, 0, 0, 1, GATHER)        \
    X('d', gather, PF_PICKLE_DICT, 0, 0, 0, 1, GATHER)       X(0x91, gather, PF_PICKLE_SET, 0, 0, 0, 1, GATHER)        \
    X(0x85, tuple, 1, 0, 0, 1, 1, PLAIN)                     X(0x86, tuple, 2, 0, 0, 2, 1, PLAIN)                      \
    X(0x87, tuple, 3, 0, 0, 3, 1, PLAIN)                     X('a', append, 1, 0, 0, 2, 1, PLAIN)                      \
    X('e', append, 0, 0, 0, 1, 1, FILL)                      X(0x90, append, 0, 0, 0, 1, 1, FILL)                      \
    X('s', set_item, 1, 0, 0, 3, 1, PLAIN)                   X('u', set_item, 0, 0, 0, 1, 1, FILL)                     \
    X('c', global, 0, 0, 0, 0, 1, PLAIN)                     X(0x93, global, 1, 0, 0, 2, 1, PLAIN)                     \
    X(0x81, call, 1, 0, 0, 2, 1, PLAIN)                      X('R', call, 1, 0, 0, 2, 1, PLAIN)                        \
    X(0x92, call, 2, 0, 0, 3, 1, PLAIN)                      X('b', build, 0, 0, 0, 2, 1, PLAIN)
/* clang-format on */

/* One opcode: PF_OK, or p->err was filled. `arg`: the parameter of its row. */
typedef pf_status (*pf_pickle_op)(pf_pickle *p, unsigned arg);

/* ---- pickle_stack.c ---------------------------------------------------------------------------------------------- */

/* Errors at the opcode, or where bytes or stack ran out. */
pf_status pf_pickle_refuse(pf_pickle *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The next n bytes, which are then consumed; an error if they are not there. */
pf_status pf_pickle_take(pf_pickle *p, uint64_t n, const uint8_t **out);

/* A number of `width` bytes, little endian; such a length, then as many bytes. */
pf_status pf_pickle_take_number(pf_pickle *p, unsigned width, uint64_t *out);
pf_status pf_pickle_take_counted(pf_pickle *p, unsigned width, pf_bytes *out);

/* Adds a value and pushes it. */
pf_status pf_pickle_make(pf_pickle *p, pf_pickle_type type, int64_t number, uint32_t text);
pf_status pf_pickle_push(pf_pickle *p, uint32_t value);
pf_status pf_pickle_pop(pf_pickle *p, uint32_t *value); /* not below the innermost mark */
pf_status pf_pickle_peek(pf_pickle *p, uint32_t *value);

/* The height of the stack at the innermost mark. */
static inline size_t pf_pickle_floor(const pf_pickle *p)
{
    return p->marks.count ? p->marks.row[p->marks.count - 1] : 0;
}

/* The values above the innermost mark: their number, and where they begin on the stack. Closes the mark; the caller
 * sets the stack's count back to *from once it is done. */
pf_status pf_pickle_above_mark(pf_pickle *p, size_t *from, size_t *count);

pf_status pf_pickle_remember(pf_pickle *p, uint64_t index, uint32_t value);

/* pickle_scan.c: fills v->fetched and v->complete; whether an entry of the memo is fetched anywhere; the next
 * opcode before which all above the first mark are items of the list at the top that nothing will change. */
pf_status pf_pickle_scan(pf_pickle_values *v, pf_error *err);
bool pf_pickle_is_fetched(const pf_pickle *p, uint64_t index);
size_t pf_pickle_next_complete(const pf_pickle *p);

/* pickle_collect.c: lets go of what nobody can reach, where that is worth it. Rows of values change. */
pf_status pf_pickle_collect(pf_pickle *p);

/* The id of a text that is not in the input. */
pf_status pf_pickle_add_text(pf_pickle *p, pf_str text, uint32_t *id);

/* ---- the opcodes ------------------------------------------------------------------------------------------------- */

pf_status pf_pickle_op_mark(pf_pickle *p, unsigned arg);
pf_status pf_pickle_op_constant(pf_pickle *p, unsigned arg); /* arg: 0 none, 1 false, 2 true */
pf_status pf_pickle_op_int(pf_pickle *p, unsigned arg);      /* arg: bytes, 1 2 4 */
pf_status pf_pickle_op_long(pf_pickle *p, unsigned arg);     /* arg: bytes of its length */
pf_status pf_pickle_op_float(pf_pickle *p, unsigned arg);
pf_status pf_pickle_op_text(pf_pickle *p, unsigned arg);  /* arg: bytes of its length */
pf_status pf_pickle_op_bytes(pf_pickle *p, unsigned arg); /* likewise */

pf_status pf_pickle_op_empty(pf_pickle *p, unsigned arg);  /* arg: a pf_pickle_type */
pf_status pf_pickle_op_gather(pf_pickle *p, unsigned arg); /* arg: the type; from a mark */
pf_status pf_pickle_op_tuple(pf_pickle *p, unsigned arg);  /* arg: how many, 1 2 3 */
pf_status pf_pickle_op_append(pf_pickle *p, unsigned arg); /* arg: 1 one, 0 all above the mark */
pf_status pf_pickle_op_set_item(pf_pickle *p, unsigned arg);

pf_status pf_pickle_op_global(pf_pickle *p, unsigned arg); /* arg: 0 lines of text, 1 from the stack */
pf_status pf_pickle_op_call(pf_pickle *p, unsigned arg);   /* arg: how many arguments, 1 2 */
pf_status pf_pickle_op_build(pf_pickle *p, unsigned arg);
