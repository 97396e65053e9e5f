/* read/tinygrad/pickle/pickle_machine.h - the machine, as the files of its opcodes see it. */
#ifndef PF_READ_TINYGRAD_PICKLE_PICKLE_MACHINE_H
#define PF_READ_TINYGRAD_PICKLE_PICKLE_MACHINE_H

#include "base/map.h"
#include "read/tinygrad/pickle/pickle_values.h"

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

/* One opcode: PF_OK, or p->err was filled. `arg`: a small parameter of the table's row. */
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

/* Sets a mark; the height of the stack at the innermost one. */
pf_status pf_pickle_mark(pf_pickle *p);
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

pf_status pf_pickle_op_constant(pf_pickle *p, unsigned arg); /* none, true, false */
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

/* pickle_scalars.c: a decimal from its text. */
pf_status pf_pickle_add_decimal(pf_pickle *p, pf_str text, uint32_t *out);

#endif
