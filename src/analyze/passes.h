/* analyze/passes.h - what passes share about their options. */
#ifndef PF_ANALYZE_PASSES_H
#define PF_ANALYZE_PASSES_H

#include "base/arena.h"
#include "postfetto/pass.h"

/* All options as "name=value name=value ...", in table order; options without a value as "name=". Text out of the
 * arena; {NULL, 0} if refused. */
pf_str pf_pass_parameters(const pf_pass *p, const pf_option_value *values, pf_arena *arena);

/* The same as members of an object; options without a value are null. */
void pf_pass_add_parameters(const pf_pass *p, const pf_option_value *values, pf_findings *f, pf_node *object);

#endif
