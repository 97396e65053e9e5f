/* read/tinygrad/profile/plain_values.h - values of a pickle as a document. */
#ifndef PF_READ_TINYGRAD_PROFILE_PLAIN_VALUES_H
#define PF_READ_TINYGRAD_PROFILE_PLAIN_VALUES_H

#include "postfetto/trace.h"
#include "read/tinygrad/pickle/pickle_values.h"

/* Visits a value as JSON has it: decimals as {"decimal": text}, bytes as their length and hash, objects of known
 * classes with their fields, others as their name. `budget` is what is left of the values that one document may show:
 * values are shared, and a small file may hold one that is astronomically large when it is written out. PF_ERR_LIMIT:
 * beyond it, or nested too deep. */
pf_status pf_plain_visit(const pf_pickle_values *v, pf_str key, uint32_t value, uint64_t *budget,
                         const pf_arg_visitor *visitor, pf_error *err);

/* A budget for a document about everything in the values. */
uint64_t pf_plain_budget(const pf_pickle_values *v);

/* The value as JSON text, which the caller frees; one that is too large is {NULL, 0}. */
pf_status pf_plain_text(const pf_pickle_values *v, uint32_t value, char **text, size_t *len, pf_error *err);

#endif
