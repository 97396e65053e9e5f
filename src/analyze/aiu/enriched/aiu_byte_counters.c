/* analyze/aiu/enriched/aiu_byte_counters.c - counters of moving bytes, out of transfers that say how many they carry,
 * where the trace itself has no such counter. */
#include "analyze/aiu/enriched/aiu_enriched.h"
#include "analyze/support/byte_rates.h"

bool pf_aiu_moves_bytes(aiu_run *run, uint32_t e)
{
    const aiu_events *v = &run->events;
    if (!pf_aiu_is_slice(run, e) || !pf_aiu_is_device(run, e) || !v->bytes[e] || !(v->flags[e] & AIU_HAS_BYTES)) {
        return false;
    }
    unsigned op = pf_aiu_name(run, v->name[e])->has;
    return (op == AIU_OP_DMAI || op == AIU_OP_DMAO) &&
           pf_aiu_nanoseconds(run, pf_aiu_end(run, e)) > pf_aiu_nanoseconds(run, v->ts[e]);
}

/* The steps of n transfers as samples of a new counter. */
static void draw_rates(aiu_run *run, pf_drawing *d, const char *name, const char *description, const pf_transfer *list,
                       uint32_t n)
{
    size_t room = 2 * (size_t)n + 1;
    pf_rate_step *steps = pf_aiu_alloc(run, room, sizeof *steps);
    pf_rate_scratch scratch = {.edges = pf_aiu_alloc(run, room, sizeof *scratch.edges),
                               .order = pf_aiu_alloc(run, room, sizeof *scratch.order),
                               .spare = pf_aiu_alloc(run, room, sizeof *scratch.spare)};
    size_t count = scratch.spare ? pf_byte_rates(list, n, steps, &scratch) : 0;
    uint32_t track = count ? pf_drawing_counter(d, name, "GB/s", NULL, description) : PF_NONE;
    for (size_t i = 0; i < count; i++) {
        pf_overlay_sample(run->findings, track, steps[i].ts, pf_overlay_derived(steps[i].rate));
    }
}

void pf_aiu_draw_moved_bytes(aiu_run *run, pf_drawing *d, const aiu_rank_events *moves, uint32_t rank)
{
    uint32_t from = moves->from[rank], n = moves->from[rank + 1] - from;
    pf_transfer *list = pf_aiu_alloc(run, (size_t)n + 1, sizeof *list);
    for (uint32_t i = 0; list && i < n; i++) {
        uint32_t e = moves->event[from + i];
        pf_interval at = pf_aiu_interval(run, run->events.ts[e], pf_aiu_end(run, e));
        list[i] = (pf_transfer){at.start, at.end, run->events.bytes[e]};
    }
    draw_rates(run, d, "TransferBW",
               "Bytes that move into and out of the device at a moment: each transfer's bytes over its time, added up.",
               list, n);
}

void pf_aiu_draw_collective_rates(aiu_run *run, pf_drawing *d, const aiu_collective_costs *c)
{
    uint32_t n = 0;
    pf_transfer *list = pf_aiu_alloc(run, (size_t)c->count + 1, sizeof *list);
    for (uint32_t i = 0; list && i < c->count; i++) {
        const aiu_collective_cost *own = &c->list[i];
        if (own->rate_known && own->end > own->start && own->moved) {
            list[n++] = (pf_transfer){own->start, own->end, own->moved};
        }
    }
    draw_rates(run, d, "Coll_Bandwidth",
               "Bytes between ranks, 2 * (ranks - 1) * payload, over the time of the collective.", list, n);
}
