/* analyze/pass/passes.h - the passes that are built in; those of `analyze` are rows of the table in passes.c. */
#pragma once

#include "analyze/pass/merge_rules.h"
#include "postfetto/author/pass.h"

extern const pf_pass pf_pass_aie, pf_pass_aiu, pf_pass_gpu, pf_pass_of_host, pf_pass_neutrino, pf_pass_tinygrad;
extern const pf_pass pf_pass_compare, pf_pass_opcmp;                               /* `compare A B`, `compare ops` */
extern const pf_pass pf_pass_aiu_merge, pf_pass_gpu_merge, pf_pass_neutrino_merge; /* `merge-reports` */

/* analyze.c: the pass that merges these partials, as the first one that can be read says; that of gpu if none can,
 * whose reading says why. */
const pf_pass *pf_merge_pass(const char *const *paths, size_t count);
