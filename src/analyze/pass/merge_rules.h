/* analyze/pass/merge_rules.h - how a report table over several inputs comes out of their partials: merges go by it,
 * docs/reference/tables.md says it. */
#pragma once

#include "postfetto/author/option.h"

/* Nothing is estimated: what adds up, or is a quantile, is computed of values that partials keep. */
typedef enum pf_merge_how {
    PF_MERGE_ROWS,    /* rows are of one input each: those of all, in the order of the inputs' paths */
    PF_MERGE_LARGEST, /* likewise, but of all of them the largest by column `of` */
    PF_MERGE_ABOUT,   /* likewise, but those about the rows of table `of` that are left */
    PF_MERGE_ANEW     /* computed, as by a run over all inputs, of the tables `of`, whose rows are of one input each */
} pf_merge_how;

typedef struct pf_merge_rule {
    pf_merge_how how;
    const char *of;
    const char *adjusted; /* columns that say another thing where there are more inputs; NULL: none */
} pf_merge_rule;

/* By table of the pass. */
extern const pf_merge_rule pf_gpu_merge_rules[], pf_neutrino_merge_rules[];

/* What is known of the partials of a pass (pf_pass.partials). */
typedef struct pf_pass_partials {
    const struct pf_pass *merge; /* `merge-reports`; NULL: the pass takes partials in the place of traces */
    pf_merge_rule rule;          /* of all tables */
    const pf_merge_rule *rules;  /* by table; NULL: they have one */
    /* What is asked early of the arguments of a trace of which only a partial is written, by the options of the pass;
     * then others may not be kept (model/args/early_args.h). NULL, or the answer is: as always. */
    const struct pf_early_args *(*early_args)(const pf_option_value *values);
} pf_pass_partials;

/* passes.c: how a table of the pass is merged; NULL: the pass writes no partials. */
const pf_merge_rule *pf_pass_merge_rule(const struct pf_pass *p, size_t table);
