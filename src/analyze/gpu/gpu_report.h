/* analyze/gpu/gpu_report.h - what a person gets: lines on the terminal, files in the report folder. */
#ifndef PF_ANALYZE_GPU_GPU_REPORT_H
#define PF_ANALYZE_GPU_GPU_REPORT_H

#include "analyze/gpu/gpu_tables.h"

void pf_gpu_summarise(const gpu_facts *g, const gpu_tables *t, pf_findings *f);

#endif
