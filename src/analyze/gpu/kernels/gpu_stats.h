/* analyze/gpu/kernels/gpu_stats.h - lengths in numbers, and names without what differs between versions of one kernel.
 */
#ifndef PF_ANALYZE_GPU_KERNELS_GPU_STATS_H
#define PF_ANALYZE_GPU_KERNELS_GPU_STATS_H

#include "analyze/gpu/facts/gpu.h"

/* All in ns. The mean and the median of an even count are rounded to the nearest integer, halves up. p95 is the
 * smallest length that at least 95 % of all are not above. */
typedef struct gpu_stats {
    uint64_t count, total, mean, median, p95, least, most;
} gpu_stats;

/* Of n lengths; zeros for none. `scratch` has room for n. A total beyond int64 is INT64_MAX. */
gpu_stats pf_gpu_stats(const uint64_t *lengths, size_t n, uint64_t *scratch);

/* The same of differences that may be negative. */
typedef struct gpu_signed_stats {
    uint64_t count;
    int64_t mean, median, p95, least, most;
} gpu_signed_stats;
gpu_signed_stats pf_gpu_signed_stats(const int64_t *values, size_t n, int64_t *scratch);

/* The name with what stands between < and > left out, and every run of digits as one '#'. `out` has room for name.len.
 * Returns the length. A '<' or '>' of an operator ("operator<<", "->") is no bracket. */
size_t pf_gpu_fold_name(pf_str name, char *out);

#endif
