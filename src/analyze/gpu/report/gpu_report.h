/* analyze/gpu/report/gpu_report.h - what a person gets: lines on the terminal, files in the report folder, drawings in
 * the trace. */
#ifndef PF_ANALYZE_GPU_REPORT_GPU_REPORT_H
#define PF_ANALYZE_GPU_REPORT_GPU_REPORT_H

#include "analyze/gpu/kernels/gpu_kernels.h"
#include "analyze/gpu/kernels/gpu_operators.h"
#include "analyze/gpu/ranks/gpu_ranks.h"
#include "analyze/gpu/steps/gpu_steps.h"
#include "analyze/gpu/tables/gpu_tables.h"
#include "analyze/gpu/times/gpu_times.h"

/* What all steps found. */
typedef struct gpu_results {
    gpu_facts facts;
    gpu_steps *steps; /* by input */
    gpu_step_ops step_ops;
    gpu_device_steps *device_steps; /* of pf_gpu_measure_steps */
    gpu_step_facts step_facts;
    gpu_ranks ranks;
    gpu_gap_list gaps;
    gpu_kernel_lists kernels;
    gpu_operators operators;
    gpu_launches *launches; /* by device */
    uint8_t *outermost;     /* pf_gpu_find_outermost */
    pf_arena host;          /* of the last two */
    gpu_tables tables;
} gpu_results;

/* About ten lines: why the GPU is idle. */
void pf_gpu_summarise(const gpu_results *r, pf_findings *f);

/* The document, and each table as CSV and Markdown. */
void pf_gpu_report(const gpu_results *r, pf_findings *f, const pf_node *document);

pf_status pf_gpu_draw(const gpu_results *r, pf_findings *f, pf_error *err);

#endif
