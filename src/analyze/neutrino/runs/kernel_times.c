/* analyze/neutrino/runs/kernel_times.c - the launches of all logs by kernel: how many there are, what they took and
 * what their probes added, the kernel with the longest time first. */
#include <math.h>
#include <stdlib.h>

#include "analyze/neutrino/facts/neutrino.h"
#include "analyze/support/pass_memory.h"
#include "base/ordering.h"

typedef struct kernel_times {
    uint32_t name;  /* string id */
    uint32_t place; /* its place among those that were launched first */
    int64_t launches, measured, probe_mem;
    double ms[3], original;
} kernel_times;

static void add_launch(const neutrino_launches *v, uint32_t row, kernel_times *k)
{
    k->launches++;
    k->measured += isfinite(v->ms[1][row]);
    k->probe_mem = v->probe_mem[row] > k->probe_mem ? v->probe_mem[row] : k->probe_mem;
    k->original += isfinite(v->original[row]) ? v->original[row] : 0;
    for (unsigned i = 0; i < 3; i++) {
        k->ms[i] += isfinite(v->ms[i][row]) ? v->ms[i][row] : 0;
    }
}

PF_ORDER(longest_first, kernel_times, PF_DOWN(ms[1]), PF_DOWN(launches), PF_UP(place));

static pf_status gather(neutrino_run *n, pf_map *known, pf_error *err)
{
    const neutrino_launches *v = &n->launches;
    kernel_times *list;
    uint32_t count = 0;
    PF_TRY(PF_PASS_ARRAY(n->arena, v->count, list, err));
    for (uint32_t i = 0; i < v->count; i++) {
        uint32_t at = pf_map_get(known, v->name[i]);
        if (at == PF_NONE) {
            at = count++;
            list[at] = (kernel_times){.name = v->name[i], .place = at, .probe_mem = INT64_MIN};
            PF_TRY(pf_map_put(known, v->name[i], at, err));
        }
        add_launch(v, i, &list[at]);
    }
    qsort(list, count, sizeof *list, longest_first);
    for (uint32_t i = 0; i < count; i++) {
        const kernel_times *k = &list[i];
        bool any = k->measured > 0;
        PF_NEUTRINO_ROW(n, NEUTRINO_TABLE_KERNELS, pf_cell_text(pf_trace_string(n->t, k->name)),
                        pf_cell_int(k->launches), pf_cell_int(k->measured), pf_cell_real_if(any, k->ms[0]),
                        pf_cell_real_if(any, k->ms[1]), pf_cell_real_if(any, k->ms[2]),
                        pf_cell_real_if(k->original > 0, k->original),
                        pf_cell_int_if(k->probe_mem != INT64_MIN, k->probe_mem));
    }
    return PF_OK;
}

pf_status pf_neutrino_kernel_times(neutrino_run *n, pf_error *err)
{
    pf_map known; /* string id of a name -> its place in the list */
    pf_map_init(&known, n->arena->budget);
    pf_status st = gather(n, &known, err);
    pf_map_free(&known);
    return st;
}
