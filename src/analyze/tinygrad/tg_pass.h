/* analyze/tinygrad/tg_pass.h - the pass over profiles of tinygrad. */
#ifndef PF_ANALYZE_TINYGRAD_TG_PASS_H
#define PF_ANALYZE_TINYGRAD_TG_PASS_H

#include "postfetto/author/pass.h"

extern const pf_pass pf_pass_tinygrad;

#endif
