/* model/slices/gpu_flows.h - arrows between GPU work and what submits it or waits for it (docs/reference/perfetto.md,
 * "GPU work"). */
#ifndef PF_MODEL_SLICES_GPU_FLOWS_H
#define PF_MODEL_SLICES_GPU_FLOWS_H

#include "model/trace/trace.h"

typedef struct pf_gpu_flows {
    pf_trace *t;
    /* By the id of GPU work: its latest slice, the latest slices that submit and await it, and the newest entry of
     * `after`: work that waits for it and found no slice yet. */
    pf_map work, submit, await, waiting;
    struct {
        uint32_t count, room;
        uint32_t *slice, *next;
        pf_columns columns;
    } after;
} pf_gpu_flows;

pf_status pf_gpu_flows_init(pf_gpu_flows *f, pf_trace *t, pf_error *err);
void pf_gpu_flows_free(pf_gpu_flows *f);

/* A slice takes part in the GPU work `id`, in one of the GPU kinds. */
pf_status pf_gpu_flows_add(pf_gpu_flows *f, uint64_t id, pf_flow_kind kind, uint32_t slice, pf_error *err);

#endif
