/* analyze/aiu/outputs/aiu_outputs.h - what a run writes: its files, and the lines of its log. */
#pragma once

#include "analyze/aiu/enriched/aiu_enriched.h"

/* The file at -o, after or while `report` makes the reports. */
pf_status pf_aiu_write_files(aiu_run *run, aiu_report *report);

/* The statistics: STEM_summary.csv and so on, STEM being "out" of "dir/out.pt.trace.json". */
pf_status pf_aiu_write_stats(aiu_run *run);

/* The events after a stage as a file next to the output (-I). */
void pf_aiu_write_stage(aiu_run *run, const char *stage, unsigned number);

/* The report tables (aiu_report_tables.c). */
enum { AIU_TABLES = 12 };
extern const pf_pass_table pf_aiu_tables[AIU_TABLES];

/* Fills them and shows the rows that matter most, what came out in a sentence, and figures. */
pf_status pf_aiu_report(aiu_run *run);

/* aiu_figures.c: what is said and drawn of the tables. */
typedef struct aiu_report_set {
    pf_table_builder *kernels, *ranks, *jobs, *iterations, *categories, *gaps, *host_gaps, *collectives;
    aiu_collective_costs costs;
} aiu_report_set;
void pf_aiu_set_headline(aiu_run *run, const aiu_report_set *set);
void pf_aiu_add_figures(aiu_run *run, const aiu_report_set *set);

/* Lines of the log, as far as --loglevel wants them. */
void pf_aiu_show_log(aiu_run *run);
