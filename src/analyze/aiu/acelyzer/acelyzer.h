/* analyze/aiu/acelyzer/acelyzer.h - what imitates acelyzer 1.2.0, IBM's own analyzer, with --compat, and what our users
 * know from it. docs/conformance-aiu.md says how far they are the same. Nothing of ours calls what is here but the pass
 * itself, and outputs/ for the texts, which users of ours read as well. */
#pragma once

#include "analyze/aiu/steps/aiu_steps.h"
#include "base/buffer.h"

/* The order in which our steps run; their names are what profiles (-P), --stages and --skip-stage say. */
enum { ACELYZER_STAGES = 57 };
extern const pf_stage pf_acelyzer_stages[ACELYZER_STAGES]; /* names, for lists and --skip-stage */
extern aiu_step *const pf_acelyzer_steps[ACELYZER_STAGES]; /* ours; NULL: nothing */

/* What a stage of that place does in this run; NULL: nothing. */
aiu_step *pf_acelyzer_step(const aiu_run *run, size_t stage);

/* Which stages run: by options, the profile (-P, a document or NULL), and what --skip-stage left. */
pf_status pf_acelyzer_choose_stages(aiu_run *run, const pf_node *profile, bool *on);

/* ---- steps of which its results differ from ours in more than a line --------------------------------------------- */

/* In place of the steps of our own that are called pf_aiu_... */
aiu_step pf_acelyzer_count_preps, pf_acelyzer_use_cores, pf_acelyzer_flows, pf_acelyzer_collective_bandwidth,
    pf_acelyzer_group_bandwidth;

/* ---- texts, which belong to the findings; NULL where the run failed ---------------------------------------------- */

/* The trace as JSON (acelyzer_json.c): the events that are alive, counters and arrows, by time. */
typedef struct acelyzer_json_form {
    pf_str trace_name;
    bool with_head; /* deviceProperties and other members of the inputs */
    bool one_rank;  /* only what is of the worker `rank` */
    int64_t rank;
    bool stage; /* the state after a stage (-I) */
} acelyzer_json_form;
pf_text *pf_acelyzer_json(aiu_run *run, const acelyzer_json_form *form);
uint64_t pf_acelyzer_exported(aiu_run *run);

/* Moves what was gathered into a text once it is more than so many bytes, and looks whether the run was cancelled. */
enum { ACELYZER_PIECE = 1 << 20 };
void pf_acelyzer_pass_on(aiu_run *run, pf_text *text, pf_buffer *gathered, size_t least);

/* Slices as a table (acelyzer_stats.c): -f pddf, or -o X.txt. */
pf_text *pf_acelyzer_pddf(aiu_run *run);

/* Statistics (acelyzer_stats.c): of kernels, run->kernels being there, and what part of a rank's time its kernels and
 * its collectives take, NULL where the options ask for none. */
pf_text *pf_acelyzer_kernel_summary(aiu_run *run);
pf_text *pf_acelyzer_rank_activity(aiu_run *run);
pf_text *pf_acelyzer_step_times(aiu_run *run);
pf_text *pf_acelyzer_collective_stats(aiu_run *run);

/* Time and ideal cycles of kernels by category; NULL without any. */
typedef struct acelyzer_category_texts {
    pf_text *csv, *txt;
    uint32_t logs; /* that something was counted for */
} acelyzer_category_texts;
acelyzer_category_texts pf_acelyzer_categories(aiu_run *run);
