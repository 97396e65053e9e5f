/* json/fast/json_dispatch.c - which of the hot loops this machine runs. */
#include "json/scan/json_event.h"

pf_json_hot_loop pf_json_read_events_plain;
#if defined(__x86_64__)
pf_json_hot_loop pf_json_read_events_sse2, pf_json_read_events_avx2;

static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
}
#endif

static bool always(void)
{
    return true;
}

static const pf_json_kernel kernels[] = {
#if defined(__x86_64__)
    {"avx2", has_avx2, pf_json_read_events_avx2},
    {"sse2", always, pf_json_read_events_sse2}, /* every x86-64 has it */
#endif
    {"plain", always, pf_json_read_events_plain},
};

const pf_json_kernel *pf_json_kernels(size_t *count)
{
    *count = sizeof kernels / sizeof *kernels;
    return kernels;
}

const pf_json_kernel *pf_json_best_kernel(void)
{
    const pf_json_kernel *k = kernels;
    while (!k->works()) {
        k++;
    }
    return k;
}
