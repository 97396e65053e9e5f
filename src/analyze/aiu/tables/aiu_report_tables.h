/* analyze/aiu/tables/aiu_report_tables.h - the report tables of `analyze aiu` about single ranks; those about several
 * are in enriched/. */
#ifndef PF_ANALYZE_AIU_TABLES_AIU_REPORT_TABLES_H
#define PF_ANALYZE_AIU_TABLES_AIU_REPORT_TABLES_H

#include "analyze/aiu/facts/aiu_facts.h"

enum {
    AIU_KERNEL_COLUMNS = 12,
    AIU_RANK_COLUMNS = 12,
    AIU_JOB_COLUMNS = 12,
    AIU_ITERATION_COLUMNS = 8,
    AIU_CATEGORY_COLUMNS = 8
};
extern const pf_column pf_aiu_kernel_columns[AIU_KERNEL_COLUMNS];
extern const pf_column pf_aiu_rank_columns[AIU_RANK_COLUMNS];
extern const pf_column pf_aiu_job_columns[AIU_JOB_COLUMNS];
extern const pf_column pf_aiu_iteration_columns[AIU_ITERATION_COLUMNS];
extern const pf_column pf_aiu_category_columns[AIU_CATEGORY_COLUMNS];

/* Their rows of the pass's table of tables. */
#define AIU_OWN_TABLES                                                                                                 \
    {"aiu_kernels", "kernels of a rank that share a name", pf_aiu_kernel_columns, AIU_KERNEL_COLUMNS},                 \
        {"aiu_ranks", "a rank: how long it computed, at which power", pf_aiu_rank_columns, AIU_RANK_COLUMNS},          \
        {"aiu_jobs", "a job of a rank: busy and idle time, throughput", pf_aiu_job_columns, AIU_JOB_COLUMNS},          \
        {"aiu_iterations", "an iteration of a rank's loop", pf_aiu_iteration_columns, AIU_ITERATION_COLUMNS},          \
    {                                                                                                                  \
        "aiu_categories", "kernels of a rank by category of operation", pf_aiu_category_columns, AIU_CATEGORY_COLUMNS  \
    }
enum { AIU_OWN_TABLE_COUNT = 5 };

/* A report table of the pass, also as a list of the document under its name without "aiu_". NULL: refused, which the
 * findings say. */
pf_table_builder *pf_aiu_table_new(aiu_run *run, const pf_pass_table *t);

/* A job of a rank; times in us. */
typedef struct aiu_job_row {
    uint32_t rank, job, kernels;
    double start, end, busy, energy;
} aiu_job_row;
pf_status pf_aiu_jobs_read(aiu_run *run, aiu_job_row **out, uint32_t *count, pf_error *err);

/* Fills the tables, and shows that of ranks, and the longest rows of kernels and categories. */
pf_status pf_aiu_report_tables(aiu_run *run, pf_error *err);

#endif
