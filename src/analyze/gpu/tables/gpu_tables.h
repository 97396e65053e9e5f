/* analyze/gpu/tables/gpu_tables.h - every result as rows of a table, from which JSON, CSV, Markdown and SQL are made.
 */
#ifndef PF_ANALYZE_GPU_TABLES_GPU_TABLES_H
#define PF_ANALYZE_GPU_TABLES_GPU_TABLES_H

#include "analyze/gpu/facts/gpu.h"

enum {
    GPU_TABLE_DEVICES,
    GPU_TABLE_STREAMS,
    GPU_TABLE_CONCURRENCY,
    GPU_TABLE_KERNELS,
    GPU_TABLE_MEMCPY,
    GPU_TABLE_COLLECTIVES,
    GPU_TABLE_OPERATORS,
    GPU_TABLE_MODULES,
    GPU_TABLE_THREADS,
    GPU_TABLE_LAUNCHES,
    GPU_TABLE_QUEUE,
    GPU_TABLE_GAPS,
    GPU_TABLE_SYNCS,
    GPU_TABLE_STEPS,
    GPU_TABLE_STEP_SUMMARY,
    GPU_TABLE_CRITICAL_PATH,
    GPU_TABLE_CRITICAL_PATH_SHARE,
    GPU_TABLE_RANKS,
    GPU_TABLE_STRAGGLERS,
    GPU_TABLES
};

extern const pf_pass_table pf_gpu_tables[GPU_TABLES];

/* The tables of a run, by number. */
typedef struct gpu_tables {
    pf_table_builder *table[GPU_TABLES];
} gpu_tables;

void pf_gpu_tables_make(gpu_tables *t, pf_findings *f);

/* The cells from "events" to "exposed_communication_ns"; returns the cell after them. */
pf_cell *pf_gpu_put_times(pf_cell *at, uint64_t events, const gpu_times *t);

/* "input" and "rank", with which every row begins. */
pf_cell pf_gpu_input_cell(const gpu_facts *g, uint32_t input);
pf_cell pf_gpu_rank_cell(const gpu_facts *g, uint32_t input);

/* The name of a slice; null for PF_NONE. */
pf_cell pf_gpu_slice_cell(const gpu_facts *g, uint32_t slice);

/* Fills the tables of devices, streams and concurrency. */
void pf_gpu_tabulate_devices(const gpu_facts *g, gpu_tables *t, pf_findings *f);

/* The document of --json; its schema as a text. */
pf_node *pf_gpu_document(const gpu_facts *g, const gpu_tables *t, pf_findings *f);
const pf_node *pf_gpu_schema(pf_findings *f);

#endif
