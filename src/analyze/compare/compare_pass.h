/* analyze/compare/compare_pass.h - `compare A B` as a pass with two roles. */
#ifndef PF_ANALYZE_COMPARE_COMPARE_PASS_H
#define PF_ANALYZE_COMPARE_COMPARE_PASS_H

#include "postfetto/author/pass.h"

extern const pf_pass pf_pass_compare;

#endif
