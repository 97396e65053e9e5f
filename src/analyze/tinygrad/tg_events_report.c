/* analyze/tinygrad/tg_events_report.c - events.json: every event of the profile plainly, in the order of the file. */
#include "analyze/tinygrad/tg_input.h"

pf_status pf_tg_visit_events(const void *of, const pf_arg_visitor *v, pf_error *err)
{
    const tg_input *in = of;
    const pf_str no_key = {NULL, 0};
    uint64_t budget = pf_tg_budget(in);
    pf_status st = v->begin_array(v->ctx, no_key);
    for (uint32_t i = 0; st == PF_OK && i < in->events.count; i++) {
        if (in->events.kind[i] != in->kinds.entry && in->events.kind[i] != in->kinds.batch) {
            st = pf_tg_visit(in, no_key, in->events.object[i], &budget, v, err);
        }
    }
    return st;
}
