/* analyze/opcmp/opcmp_pass.h - `compare ops` as a pass. */
#ifndef PF_ANALYZE_OPCMP_OPCMP_PASS_H
#define PF_ANALYZE_OPCMP_OPCMP_PASS_H

#include "postfetto/author/pass.h"

extern const pf_pass pf_pass_opcmp;

#endif
