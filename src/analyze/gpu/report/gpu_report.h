/* analyze/gpu/report/gpu_report.h - what a person gets: lines on the terminal, files in the report folder, drawings in
 * the trace. */
#pragma once

#include "analyze/gpu/host/gpu_host.h"
#include "analyze/gpu/kernels/gpu_flops.h"
#include "analyze/gpu/memory/gpu_memory.h"
#include "analyze/gpu/ranks/gpu_ranks.h"
#include "analyze/gpu/steps/gpu_steps.h"
#include "analyze/gpu/times/gpu_times.h"
#include "analyze/support/pass_tables.h"

/* What all steps found. */
typedef struct gpu_results {
    gpu_facts facts;
    gpu_step_facts steps;
    gpu_ranks ranks;
    gpu_gap_list gaps;
    pf_schedule scheduler;
    gpu_kernel_lists kernels;
    gpu_groups collectives; /* in of_details */
    gpu_operators operators;
    gpu_flops flops;
    gpu_peaks peaks;
    gpu_memory memory; /* empty where nobody asks for it */
    gpu_module_calls module_calls;
    uint32_t *operators_around; /* pf_gpu_operators_around; NULL where nothing is drawn */
    gpu_counter_samples counters;
    pf_table_builder *top_kernels; /* NULL: the table of kernels has them */
    gpu_shown_path *path;          /* by input */
    gpu_launches *launches;        /* by device */
    uint8_t *outermost;            /* pf_gpu_find_outermost */
    pf_arena host;                 /* of launches and the outermost */
    pf_arena of_operators, of_steps, of_details;
} gpu_results;

/* The kernels of several inputs together, r->top_kernels, where there are several; needs the table of kernels. */
pf_status pf_gpu_top_kernels(gpu_results *r, pf_error *err);

/* The table by falling numbers of a column where it has so many rows that people see the first ones alone, else as it
 * is. NULL: there is none, or it was refused. */
pf_table_builder *pf_gpu_largest_first(const gpu_results *r, unsigned table, const char *column);

/* Shows a row for each rank, under names that leave room for all. */
void pf_gpu_show_ranks(const gpu_results *r);

/* The device that was idle longest; there is one. */
uint32_t pf_gpu_most_idle(const gpu_facts *g);

/* A sentence and tables: why the GPU is idle. */
pf_status pf_gpu_summarise(const gpu_results *r, pf_error *err);

/* Figures over the tables, which are all made: of devices and ranks; of the host, memory, streams and counters. */
void pf_gpu_add_figures(const gpu_results *r);
void pf_gpu_add_host_figures(const gpu_results *r);

/* The document, and each table as CSV and Markdown. */
void pf_gpu_report(const gpu_results *r, const pf_node *document);

pf_status pf_gpu_draw(const gpu_results *r, pf_error *err);

/* ---- texts (gpu_text.c) ------------------------------------------------------------------------------------------ */

/* "497.4 ms"; "23.8 %" of the whole ("-" of nothing). The texts live as long as the findings. */
const char *pf_gpu_length_text(pf_findings *f, uint64_t ns);
const char *pf_gpu_share_text(pf_findings *f, uint64_t part, uint64_t whole);
