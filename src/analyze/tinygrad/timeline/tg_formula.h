/* analyze/tinygrad/timeline/tg_formula.h - estimates that are expressions: of a kernel whose shape has variables. */
#pragma once

#include "base/buffer.h"

__extension__ typedef __int128 tg_wide; /* sizes multiply quickly */

/* What a step does to a stack of integers. Those from NEGATE on take as many as pf_tg_operands says and leave one. */
typedef enum tg_operation {
    TG_VALUE,
    TG_VARIABLE,
    TG_NO_VALUE, /* an operation that we do not compute */
    TG_DROP,
    TG_KEEP, /* copies the top into a slot */
    TG_AGAIN,
    TG_NEGATE,
    TG_ADD,
    TG_SUBTRACT,
    TG_MULTIPLY,
    TG_FLOOR_QUOTIENT,
    TG_FLOOR_REST,
    TG_CUT_QUOTIENT,
    TG_CUT_REST,
    TG_MAXIMUM,
    TG_SHIFT_LEFT,
    TG_SHIFT_RIGHT,
    TG_AND,
    TG_XOR,
    TG_OR,
    TG_LESS,
    TG_UNEQUAL,
    TG_CHOOSE, /* value, condition, other value */
    TG_WHERE,  /* condition, value, other value */
    TG_OPERATIONS
} tg_operation;

/* How an operation is written: by a sign between its operands, as a function, as a node of a graph. A sign that begins
 * like another one comes before it. */
typedef struct tg_operation_words {
    const char *sign, *function, *node[2];
    unsigned char strength; /* how strongly Python binds */
} tg_operation_words;
extern const tg_operation_words pf_tg_operations[TG_OPERATIONS];

typedef struct tg_step {
    tg_operation op;
    uint32_t slot;
    union {
        struct {
            uint64_t low; /* of a tg_wide, which needs more alignment than findings give */
            int64_t high;
        } value;
        pf_str name;
    } of;
} tg_step;

enum { TG_SLOTS = 2048, TG_DEEPEST = 256 };

/* An expression in postfix order, being made of its text: as it is written down (tg_formula.c), or as tinygrad prints
 * the graph of it (tg_graph_text.c). */
typedef struct tg_formula {
    pf_buffer steps;
    unsigned depth; /* values on the stack after them */
    bool wrong;     /* no such expression, or nested too deep */
} tg_formula;

void pf_tg_emit(tg_formula *m, tg_step step);
tg_step pf_tg_constant(tg_wide v);
unsigned pf_tg_operands(tg_operation op);
void pf_tg_read_expression(tg_formula *m, pf_str text);
void pf_tg_read_graph(tg_formula *m, pf_str text);

/* Finds a variable's value; false if it has none. */
typedef bool (*tg_variable)(const void *ctx, pf_str name, int64_t *out);

/* False where there is no value: a variable is unknown, a divisor 0, a result beyond 126 bits. */
bool pf_tg_compute(const tg_step *steps, size_t count, tg_variable variable, const void *ctx, double *out);
