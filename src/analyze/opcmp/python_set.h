/* analyze/opcmp/python_set.h - the order in which Python prints a set of integers, for a message that lists one. */
#ifndef PF_ANALYZE_OPCMP_PYTHON_SET_H
#define PF_ANALYZE_OPCMP_PYTHON_SET_H

#include "postfetto/base.h"

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
