/* analyze/aiu/acelyzer/acelyzer_forms.h - what users of acelyzer read, as texts that belong to the findings: the trace
 * as JSON, slices as a table, statistics. Names and places of the files are given in outputs/. NULL where the run
 * failed.
 */
#ifndef PF_ANALYZE_AIU_ACELYZER_ACELYZER_FORMS_H
#define PF_ANALYZE_AIU_ACELYZER_ACELYZER_FORMS_H

#include "analyze/aiu/facts/aiu_facts.h"
#include "base/buffer.h"

/* The trace as JSON (acelyzer_json.c): the events that are alive, counters and arrows, by time. */
typedef struct acelyzer_json_form {
    pf_str trace_name;
    bool with_head; /* deviceProperties and other members of the inputs */
    bool one_rank;  /* only what is of the worker `rank` */
    int64_t rank;
    bool stage; /* the state after a stage (-I) */
} acelyzer_json_form;
pf_text *pf_acelyzer_json(aiu_run *run, const acelyzer_json_form *form);
uint64_t pf_acelyzer_exported(const aiu_run *run);

/* Moves what was gathered into a text once it is more than so many bytes, and looks whether the run was cancelled. */
enum { ACELYZER_PIECE = 1 << 20 };
void pf_acelyzer_pass_on(aiu_run *run, pf_text *text, pf_buffer *gathered, size_t least);

/* Slices as a table (acelyzer_pddf.c): -f pddf, or -o X.txt. */
pf_text *pf_acelyzer_pddf(aiu_run *run);

/* Statistics (acelyzer_stats.c): of kernels, run->kernels being there, and what part of a rank's time its kernels and
 * its collectives take, NULL where the options ask for none. */
pf_text *pf_acelyzer_kernel_summary(aiu_run *run);
pf_text *pf_acelyzer_rank_activity(aiu_run *run);
pf_text *pf_acelyzer_step_times(aiu_run *run);
pf_text *pf_acelyzer_collective_stats(aiu_run *run);

/* Time and ideal cycles of kernels by category (acelyzer_categories.c); NULL without any. */
typedef struct acelyzer_category_texts {
    pf_text *csv, *txt;
    uint32_t logs; /* that something was counted for */
} acelyzer_category_texts;
acelyzer_category_texts pf_acelyzer_categories(aiu_run *run);

#endif
