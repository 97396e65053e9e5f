/* analyze/support/interval_depth.c - one walk over sorted starts and sorted ends: a start opens an interval, an end
 * closes one, and which one does not matter. What happens at one time makes one step. */
#include "analyze/support/interval_depth.h"

#include <string.h>

size_t pf_interval_depth(const int64_t *starts, const int64_t *ends, size_t n, pf_depth_step *out)
{
    size_t s = 0, e = 0, steps = 0;
    uint32_t open = 0;
    while (e < n) {
        int64_t ts = s < n && starts[s] < ends[e] ? starts[s] : ends[e];
        for (; s < n && starts[s] == ts; s++) {
            open++;
        }
        for (; e < n && ends[e] == ts; e++) {
            open--;
        }
        uint32_t before = steps ? out[steps - 1].open : 0;
        if (open != before) {
            out[steps++] = (pf_depth_step){ts, open};
        }
    }
    return steps;
}

uint32_t pf_depth_most(const pf_depth_step *steps, size_t n)
{
    uint32_t most = 0;
    for (size_t i = 0; i < n; i++) {
        most = steps[i].open > most ? steps[i].open : most;
    }
    return most;
}

void pf_depth_times(const pf_depth_step *steps, size_t n, uint64_t *time)
{
    memset(time, 0, ((size_t)pf_depth_most(steps, n) + 1) * sizeof *time);
    for (size_t i = 0; i + 1 < n; i++) {
        time[steps[i].open] += (uint64_t)steps[i + 1].ts - (uint64_t)steps[i].ts;
    }
}
