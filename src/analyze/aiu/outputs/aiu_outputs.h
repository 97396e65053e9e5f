/* analyze/aiu/outputs/aiu_outputs.h - the outputs of a run. */
#ifndef PF_ANALYZE_AIU_OUTPUTS_AIU_OUTPUTS_H
#define PF_ANALYZE_AIU_OUTPUTS_AIU_OUTPUTS_H

#include "analyze/aiu/enriched/aiu_enriched.h"

/* The trace as the program before postfetto writes it (aiu_json.c): the events that are alive, counters and arrows,
 * by time. `pids`: only those; NULL: all. */
typedef struct aiu_json_form {
    pf_str trace_name;
    bool with_head; /* deviceProperties and other members of the inputs */
    bool one_rank;  /* only what is of the worker `rank` */
    int64_t rank;
    bool stage; /* the state after a stage (-I) */
} aiu_json_form;
pf_text *pf_aiu_json(aiu_run *run, const aiu_json_form *form, pf_error *err);
uint64_t pf_aiu_exported(const aiu_run *run);

/* The files (aiu_files.c), after or while `report` makes the reports, and the common stem of both: "out" of
 * "dir/out.pt.trace.json". */
pf_status pf_aiu_write_files(aiu_run *run, aiu_report *report, pf_error *err);
pf_str pf_aiu_stem(aiu_run *run);
pf_str pf_aiu_last_part(const char *path); /* without folders */

/* Files of ranks (aiu_workers.c). Whether an event, or what a stage made of a pid (PF_NONE), is of a rank's file. */
pf_status pf_aiu_write_workers(aiu_run *run, pf_error *err);
bool pf_aiu_is_of_worker(const aiu_run *run, uint32_t event, int64_t pid, int64_t rank);

/* The events after a stage as a file next to the output (-I). */
pf_status pf_aiu_write_stage(aiu_run *run, const char *stage, unsigned number, pf_error *err);

/* out_summary.csv, out_active.csv, out_ts_analysis.csv (aiu_stats_files.c). */
void pf_aiu_write_stats(aiu_run *run);
pf_status pf_aiu_write_collective_stats(aiu_run *run, pf_error *err); /* aiu_collective_stats.c */

/* out_categories.csv and .txt (aiu_categories_file.c). */
void pf_aiu_write_categories(aiu_run *run);

/* Slices as a table (aiu_pddf.c). */
pf_text *pf_aiu_pddf(aiu_run *run, pf_error *err);

/* Lines of the log, as far as --loglevel wants them. */
void pf_aiu_show_log(aiu_run *run);

#endif
