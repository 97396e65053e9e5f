/* analyze/aiu/aiu.h - `analyze aiu` as a row of the table of passes. */
#ifndef PF_ANALYZE_AIU_AIU_H
#define PF_ANALYZE_AIU_AIU_H

#include "postfetto/author/pass.h"

extern const pf_pass pf_pass_aiu;

#endif
