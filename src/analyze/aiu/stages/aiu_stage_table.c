/* analyze/aiu/stages/aiu_stage_table.c - the stages in their order, and what each needs to run. */
#include "analyze/aiu/classes/aiu_classes.h"
#include "analyze/aiu/cores/aiu_tables.h"
#include "analyze/aiu/launches/aiu_launches.h"
#include "analyze/aiu/ranks/aiu_ranks.h"
#include "analyze/aiu/stages/aiu_stages.h"

#define WANTED(name, condition)                                                                                        \
    static bool name(const aiu_settings *s)                                                                            \
    {                                                                                                                  \
        return condition;                                                                                              \
    }

WANTED(wants_ts_fix, s->ts_fix)
WANTED(wants_async_mode, s->overlap == AIU_OVERLAP_ASYNC)
WANTED(wants_tid_mode, s->overlap == AIU_OVERLAP_TID)
WANTED(wants_split, s->split)
WANTED(wants_sync_v1, !s->no_sync && !s->sync_v2)
WANTED(wants_sync_v2, !s->no_sync && (s->sync_v2 || s->align_auto))
WANTED(wants_preps, s->counters &AIU_COUNT_PREPS)
WANTED(wants_drop_globals, s->drop_globals)
WANTED(wants_power, s->counters &(AIU_COUNT_POWER3 | AIU_COUNT_POWER4))
WANTED(wants_power_stats, s->power_stats &&wants_power(s))
WANTED(wants_bandwidth, s->counters &AIU_COUNT_BANDWIDTH)
WANTED(wants_utilisation, s->has_log && (s->counters & AIU_COUNT_UTILISATION))
WANTED(wants_summarize, s->summarize)
WANTED(wants_flow, s->flow)
WANTED(wants_collectives, s->flow || s->compat == AIU_WANT)
WANTED(wants_bw_v1, !s->build_coll && (s->counters & AIU_COUNT_COLL_BW))
WANTED(wants_bw_v2, s->build_coll && (s->counters & AIU_COUNT_COLL_BW))
WANTED(wants_stats, !s->no_stats)
WANTED(wants_keep_types, s->keep_types.ptr != NULL)
WANTED(wants_refine, !s->disable_tb)
WANTED(wants_stats_v2, s->build_coll && !s->no_stats)

const pf_stage pf_aiu_stages[AIU_STAGES] = {
    {"drop_timestamp_reversed_events", NULL, "slices of negative length go"},
    {"create_slice_from_BE", NULL, "begins and ends become slices"},
    {"normalize_phase1", NULL, "limits and filter, names, counters of 32 bits"},
    {"frequency_align_collect", "flex_ts_fix", "where device events of a job lie on the host's clock"},
    {"pipeline_barrier", NULL, NULL},
    {"frequency_align_apply", "flex_ts_fix", "device events move into the round trip of their job"},
    {"normalize_phase2", NULL, "counters grow beyond 32 bits; clock of the counters"},
    {"event_sanity_checks", NULL, "what lacks a time or a name goes"},
    {"remove_ids_from_name", NULL, "request ids leave the names"},
    {"map_tid_to_range", NULL, "thread ids become short"},
    {"cycle_count_to_wallclock", NULL, "device slices get their length from cycles"},
    {"tighten_hts_by_instr_type", NULL, "and that of their own step"},
    {"tripple_phased_events", "split_events", "slices of no known step become three"},
    {"mp_sync_tight_v1", NULL, "clocks of ranks, by the first receive of collectives"},
    {"mp_ts_calibration_v2", "mp_sync_v2", "clocks of ranks, by offset and rate"},
    {"queueing_counter", NULL, "queued kernels become a counter"},
    {"drop_global_events", "drop_globals", "what belongs to no rank goes"},
    {"recombine_cpu_events", NULL, "host slices share a thread"},
    {"sort_events", NULL, NULL},
    {"assert_ts_sequence", NULL, NULL},
    {"detect_partial_overlap_tids", NULL, "slices that overlap in part are found"},
    {"pipeline_barrier", NULL, NULL},
    {"detect_partial_overlap_events", NULL, "and moved, dropped or shifted"},
    {"assert_ts_sequence", NULL, NULL},
    {"collect_iteration_stats", NULL, "repeating kernels are iterations"},
    {"extract_power_event", NULL, "charges of device slices"},
    {"sort_events", NULL, NULL},
    {"compute_power", NULL, "power between them"},
    {"analyze_power_statistics", "power-stats", "power with and without kernels"},
    {"extract_data_transfer_event", "counter", NULL},
    {"compute_bandwidth", "counter", NULL},
    {"compute_utilization_fingerprints", "compiler_log", "which table of ideal cycles is a job's"},
    {"assert_ts_sequence", NULL, NULL},
    {"communication_event_collection", "comm_summarize_seq", "slices of a communication sequence"},
    {"pipeline_barrier", NULL, NULL},
    {"communication_event_apply", "comm_summarize_seq", "become one"},
    {"compute_utilization", "compiler_log", "use of the cores, categories"},
    {"sort_events", NULL, NULL},
    {"assert_global_ts_sequence", NULL, NULL},
    {"launch_flow_collect", NULL, "launches, kernels and waits"},
    {"event_categorizer", NULL, "what each slice does"},
    {"pipeline_barrier", NULL, NULL},
    {"event_categorizer_update", NULL, "the same between the kernels of a job"},
    {"launch_flow_create_missing", NULL, "arrows from launches to kernels to waits"},
    {"flow_prepare_event_data", "flow", "groups and peers of collectives"},
    {"flow_extraction", "flow", "arrows between ranks, slices of collectives"},
    {"mp_calc_bw_v2", "build_coll_event", "bandwidth of collective slices"},
    {"mp_calc_bw", NULL, "bandwidth of collectives"},
    {"calculate_stats", NULL, "kernels in numbers"},
    {"processing_filter", "filter", "phases that were not asked for go"},
    {"flow_data_cleanup", NULL, NULL},
    {"cleanup_copy_of_device_ts", NULL, NULL},
    {"tb_refinement_intrusive", NULL, "names without numbers, categories, processes"},
    {"tb_refinement_lightweight", NULL, "hosts and devices apart"},
    {"cycle_count_conversion_cleanup", NULL, NULL},
    {"calculate_stats_v2", "build_coll_event", "times of collectives"},
    {"sort_events", NULL, NULL},
};

const aiu_stage pf_aiu_stage_runs[AIU_STAGES] = {
    {NULL, NULL},                               /* drop_timestamp_reversed_events */
    {NULL, NULL},                               /* create_slice_from_BE */
    {pf_aiu_normalise_first, NULL},             /* normalize_phase1 */
    {NULL, wants_ts_fix},                       /* frequency_align_collect */
    {NULL, NULL},                               /* pipeline_barrier */
    {pf_aiu_align_jobs, wants_ts_fix},          /* frequency_align_apply */
    {pf_aiu_normalise_second, NULL},            /* normalize_phase2 */
    {pf_aiu_check_events, NULL},                /* event_sanity_checks */
    {pf_aiu_remove_ids, wants_async_mode},      /* remove_ids_from_name */
    {pf_aiu_map_threads, NULL},                 /* map_tid_to_range */
    {pf_aiu_to_wallclock, NULL},                /* cycle_count_to_wallclock */
    {pf_aiu_tighten, NULL},                     /* tighten_hts_by_instr_type */
    {pf_aiu_split_slices, wants_split},         /* tripple_phased_events */
    {pf_aiu_sync_first, wants_sync_v1},         /* mp_sync_tight_v1 */
    {pf_aiu_sync_rate, wants_sync_v2},          /* mp_ts_calibration_v2 */
    {pf_aiu_count_preps, wants_preps},          /* queueing_counter */
    {pf_aiu_drop_globals, wants_drop_globals},  /* drop_global_events */
    {pf_aiu_recombine_hosts, NULL},             /* recombine_cpu_events */
    {pf_aiu_sort_threads, NULL},                /* sort_events */
    {pf_aiu_check_sequence, NULL},              /* assert_ts_sequence */
    {NULL, wants_tid_mode},                     /* detect_partial_overlap_tids */
    {NULL, wants_tid_mode},                     /* pipeline_barrier#2 */
    {pf_aiu_resolve_overlaps, NULL},            /* detect_partial_overlap_events */
    {pf_aiu_check_sequence, NULL},              /* assert_ts_sequence#2 */
    {pf_aiu_collect_iterations, NULL},          /* collect_iteration_stats */
    {pf_aiu_extract_power, wants_power},        /* extract_power_event */
    {NULL, wants_power},                        /* sort_events#2 */
    {pf_aiu_compute_power, wants_power},        /* compute_power */
    {pf_aiu_power_stats, wants_power_stats},    /* analyze_power_statistics */
    {NULL, wants_bandwidth},                    /* extract_data_transfer_event */
    {NULL, wants_bandwidth},                    /* compute_bandwidth */
    {pf_aiu_read_tables, wants_utilisation},    /* compute_utilization_fingerprints */
    {pf_aiu_check_sequence, NULL},              /* assert_ts_sequence#3 */
    {NULL, wants_summarize},                    /* communication_event_collection */
    {NULL, NULL},                               /* pipeline_barrier#3 */
    {pf_aiu_sequences, wants_summarize},        /* communication_event_apply */
    {pf_aiu_use_cores, wants_utilisation},      /* compute_utilization */
    {pf_aiu_sort_global, NULL},                 /* sort_events#3 */
    {NULL, NULL},                               /* assert_global_ts_sequence */
    {pf_aiu_collect_launches, NULL},            /* launch_flow_collect */
    {pf_aiu_classify, NULL},                    /* event_categorizer */
    {NULL, NULL},                               /* pipeline_barrier#4 */
    {pf_aiu_classify_between, NULL},            /* event_categorizer_update */
    {pf_aiu_draw_launches, NULL},               /* launch_flow_create_missing */
    {pf_aiu_flow_names, wants_flow},            /* flow_prepare_event_data */
    {pf_aiu_flows, wants_collectives},          /* flow_extraction */
    {pf_aiu_collective_bandwidth, wants_bw_v2}, /* mp_calc_bw_v2 */
    {pf_aiu_group_bandwidth, wants_bw_v1},      /* mp_calc_bw */
    {pf_aiu_calculate_stats, wants_stats},      /* calculate_stats */
    {pf_aiu_keep_types, wants_keep_types},      /* processing_filter */
    {NULL, NULL},                               /* flow_data_cleanup */
    {pf_aiu_hide_device_times, NULL},           /* cleanup_copy_of_device_ts */
    {pf_aiu_refine_names, wants_refine},        /* tb_refinement_intrusive */
    {pf_aiu_refine_lightly, NULL},              /* tb_refinement_lightweight */
    {pf_aiu_hide_all_times, NULL},              /* cycle_count_conversion_cleanup */
    {NULL, wants_stats_v2},                     /* calculate_stats_v2 */
    {pf_aiu_sort_global, NULL},                 /* sort_events#4 */
};
