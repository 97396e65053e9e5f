/* analyze/gpu/report/gpu_text.h - lengths, shares and names as people read them. */
#ifndef PF_ANALYZE_GPU_REPORT_GPU_TEXT_H
#define PF_ANALYZE_GPU_REPORT_GPU_TEXT_H

#include "analyze/gpu/facts/gpu.h"
#include "postfetto/findings.h"

/* "497.4 ms"; "23.8 %" of the whole ("-" of nothing); at most `most` bytes of a name, cut with "...". The texts live as
 * long as the findings. */
const char *pf_gpu_length_text(pf_findings *f, uint64_t ns);
const char *pf_gpu_share_text(pf_findings *f, uint64_t part, uint64_t whole);
const char *pf_gpu_short_name(pf_findings *f, pf_str name, size_t most);

/* "rank 3 GPU 0", "GPU 0", or, of several inputs without ranks, "input 2 GPU 0". */
pf_str pf_gpu_device_text(const gpu_facts *g, const gpu_device *d, pf_findings *f);

#endif
