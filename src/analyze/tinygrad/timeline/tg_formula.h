/* analyze/tinygrad/timeline/tg_formula.h - estimates that are expressions: of a kernel whose shape has variables. */
#ifndef PF_ANALYZE_TINYGRAD_TIMELINE_TG_FORMULA_H
#define PF_ANALYZE_TINYGRAD_TIMELINE_TG_FORMULA_H

#include "postfetto/base.h"

typedef enum tg_formula_status { TG_FORMULA_KNOWN = 0, TG_FORMULA_NO_VALUE, TG_FORMULA_WRONG } tg_formula_status;

/* Finds a variable's value; false if it has none. */
typedef bool (*tg_variable)(const void *ctx, pf_str name, int64_t *out);

/* Integers and names, + - * // % as Python has them, parentheses, max(a, b), cdiv(a, b) and cmod(a, b), which cut
 * towards zero. WRONG: no such expression, nested too deep; NO_VALUE: a variable is unknown, a divisor 0, a result
 * beyond 126 bits. */
tg_formula_status pf_tg_formula(pf_str text, tg_variable variable, const void *ctx, double *out);

#endif
