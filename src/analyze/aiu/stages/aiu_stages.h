/* analyze/aiu/stages/aiu_stages.h - the stages of `analyze aiu` in their order.
 *
 * Each is a function over the facts, in a file of its own or with its neighbours: aiu_stage_NAME.c. The names are those
 * of the program before postfetto, so that its profiles (-P) mean the same here. Some of its stages only kept its
 * stream of events in shape; they have no function, and are listed because profiles name them.
 */
#ifndef PF_ANALYZE_AIU_STAGES_AIU_STAGES_H
#define PF_ANALYZE_AIU_STAGES_AIU_STAGES_H

#include "analyze/aiu/facts/aiu_facts.h"

typedef pf_status (*aiu_stage_run)(aiu_run *run);

/* What a stage needs besides its place in the profile. */
typedef struct aiu_stage {
    aiu_stage_run run;                       /* NULL: nothing to do */
    bool (*wanted)(const aiu_settings *set); /* NULL: always */
} aiu_stage;

enum { AIU_STAGES = 57 };
extern const pf_stage pf_aiu_stages[AIU_STAGES];      /* names, for lists and --skip-stage */
extern const aiu_stage pf_aiu_stage_runs[AIU_STAGES]; /* parallel */

/* Which stages run: by options, the profile (-P, a document or NULL), and what --skip-stage left. */
pf_status pf_aiu_choose_stages(aiu_run *run, const pf_node *profile, bool *on);

/* Whether a stage of that name is on, the first one of several. */
bool pf_aiu_stage_on(const aiu_run *run, const char *name);

/* The functions of the stages. */
pf_status pf_aiu_normalise_first(aiu_run *run);
pf_status pf_aiu_normalise_second(aiu_run *run);
pf_status pf_aiu_check_events(aiu_run *run);
pf_status pf_aiu_map_threads(aiu_run *run);
pf_status pf_aiu_to_wallclock(aiu_run *run);
pf_status pf_aiu_tighten(aiu_run *run);
pf_status pf_aiu_count_preps(aiu_run *run);
pf_status pf_aiu_recombine_hosts(aiu_run *run);
pf_status pf_aiu_check_sequence(aiu_run *run);
pf_status pf_aiu_resolve_overlaps(aiu_run *run);
pf_status pf_aiu_collect_iterations(aiu_run *run);
pf_status pf_aiu_extract_power(aiu_run *run);
pf_status pf_aiu_compute_power(aiu_run *run);
pf_status pf_aiu_calculate_stats(aiu_run *run);
pf_status pf_aiu_keep_types(aiu_run *run);
pf_status pf_aiu_hide_device_times(aiu_run *run);
pf_status pf_aiu_refine_names(aiu_run *run);
pf_status pf_aiu_refine_lightly(aiu_run *run);
pf_status pf_aiu_hide_all_times(aiu_run *run);
pf_status pf_aiu_align_jobs(aiu_run *run);
pf_status pf_aiu_drop_globals(aiu_run *run);
pf_status pf_aiu_power_stats(aiu_run *run);
pf_status pf_aiu_split_slices(aiu_run *run);
pf_status pf_aiu_remove_ids(aiu_run *run);

#endif
