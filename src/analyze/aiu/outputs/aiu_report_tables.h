/* analyze/aiu/outputs/aiu_report_tables.h - the report tables of `analyze aiu`: what SQL and thresholds see. */
#ifndef PF_ANALYZE_AIU_OUTPUTS_AIU_REPORT_TABLES_H
#define PF_ANALYZE_AIU_OUTPUTS_AIU_REPORT_TABLES_H

#include "analyze/aiu/facts/aiu_facts.h"

enum {
    AIU_TABLE_COLLECTIVES,
    AIU_TABLE_ARRIVALS,
    AIU_TABLE_OVERLAP,
    AIU_TABLE_CLOCKS,
    AIU_TABLE_KERNELS,
    AIU_TABLE_RANKS,
    AIU_TABLE_JOBS,
    AIU_TABLE_ITERATIONS,
    AIU_TABLE_CATEGORIES,
    AIU_TABLES
};
extern const pf_pass_table pf_aiu_tables[AIU_TABLES];

/* One of them, also as a list of the document under its name without "aiu_". NULL: refused, which the findings say. */
pf_table_builder *pf_aiu_table_new(aiu_run *run, unsigned which);

/* Fills the tables about single ranks, and shows that of ranks, and the longest rows of kernels and categories. */
pf_status pf_aiu_report_tables(aiu_run *run);

/* Those about several ranks (aiu_rank_tables.c), and shows what they say in short. */
pf_status pf_aiu_report_ranks(aiu_run *run);

#endif
