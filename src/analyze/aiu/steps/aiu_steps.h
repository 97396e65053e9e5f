/* analyze/aiu/steps/aiu_steps.h - the steps of `analyze aiu`, in the order of the work.
 *
 * Each is a function over the facts that changes events in place. acelyzer/ lists them as stages, under the names that
 * acelyzer has for them: what -P, --skip-stage and --stages name. An error is remembered by the run.
 */
#ifndef PF_ANALYZE_AIU_STEPS_AIU_STEPS_H
#define PF_ANALYZE_AIU_STEPS_AIU_STEPS_H

#include "analyze/aiu/facts/aiu_facts.h"

typedef void (*aiu_step)(aiu_run *run);

/* Which events count, and how they are named. */
void pf_aiu_normalise(aiu_run *run);
void pf_aiu_apply_filters(aiu_run *run); /* of it: drops slices that --event_filter finds */
void pf_aiu_remove_ids(aiu_run *run);

/* Cycle counters of 32 bits grow, and become times. */
void pf_aiu_align_jobs(aiu_run *run);
void pf_aiu_grow_counters(aiu_run *run);
void pf_aiu_check_events(aiu_run *run);
void pf_aiu_map_threads(aiu_run *run);
void pf_aiu_to_wallclock(aiu_run *run);
void pf_aiu_tighten(aiu_run *run);
void pf_aiu_split_slices(aiu_run *run);

/* Clocks of ranks: ranks/. */

/* Queues, threads of hosts, slices that overlap. */
void pf_aiu_count_preps(aiu_run *run);
/* The slices of kernels of a rank that wait: their begins (second 1), in order, and their ends (second 0). */
typedef void aiu_count_queue(aiu_run *run, aiu_key *edges, uint32_t count, int64_t pid);
void pf_aiu_count_queues(aiu_run *run, aiu_count_queue *count);
void pf_aiu_drop_globals(aiu_run *run);
void pf_aiu_recombine_hosts(aiu_run *run);
void pf_aiu_check_sequence(aiu_run *run);
void pf_aiu_resolve_overlaps(aiu_run *run);

/* Iterations and power. */
void pf_aiu_collect_iterations(aiu_run *run);
void pf_aiu_extract_power(aiu_run *run);
void pf_aiu_compute_power(aiu_run *run);
void pf_aiu_power_stats(aiu_run *run);

/* Use of the cores: cores/. Transfers between ranks: ranks/. */

/* What each slice does, and the arrows from launches to kernels. */
void pf_aiu_collect_launches(aiu_run *run);
void pf_aiu_classify(aiu_run *run);
void pf_aiu_classify_between(aiu_run *run);
void pf_aiu_draw_launches(aiu_run *run);

/* Kernels in numbers; how events are shown. */
void pf_aiu_calculate_stats(aiu_run *run);
void pf_aiu_keep_types(aiu_run *run);
void pf_aiu_hide_device_times(aiu_run *run);
void pf_aiu_refine_names(aiu_run *run);
void pf_aiu_refine_lightly(aiu_run *run);
void pf_aiu_hide_all_times(aiu_run *run);

#endif
