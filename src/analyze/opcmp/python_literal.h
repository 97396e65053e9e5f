/* analyze/opcmp/python_literal.h - durations of sub-kernels as a performance model writes them: the text of a Python
 * list of pairs, "[('MatMulV2', 22.77), ('hcom_allReduce_', 8.29)]". */
#ifndef PF_ANALYZE_OPCMP_PYTHON_LITERAL_H
#define PF_ANALYZE_OPCMP_PYTHON_LITERAL_H

#include "base/buffer.h"
#include "postfetto/base.h"

typedef struct pf_literal_pair {
    size_t name, name_len; /* in pf_literal_pairs.text */
    double value;
} pf_literal_pair;

typedef struct pf_literal_pairs {
    pf_literal_pair *pair;
    size_t count, room;
    pf_buffer text;
    bool failed; /* memory was refused */
} pf_literal_pairs;

/* Reads a literal as Python's ast.literal_eval does and returns whether it is a list with something in it whose items
 * are all lists or tuples of a text and a number. Pairs that were there are dropped. */
bool pf_literal_read_pairs(pf_str text, pf_literal_pairs *out);
void pf_literal_free(pf_literal_pairs *p);

/* ---- python_set.c ------------------------------------------------------------------------------------------------ */

typedef struct pf_python_set {
    struct pf_python_slot {
        bool used;
        int64_t key;
        uint32_t value;
    } * slots; /* in the order of printing */
    size_t mask, count;
} pf_python_set;

/* Adds a key that is not there yet. Refused memory leaves it out. */
void pf_python_set_add(pf_python_set *s, int64_t key, uint32_t value);
void pf_python_set_free(pf_python_set *s);

#endif
