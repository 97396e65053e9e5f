/* analyze/aiu/enriched/aiu_rate_rows.c - counters of moving bytes, out of transfers that say how many they carry. */
#include "analyze/aiu/enriched/aiu_rate_rows.h"

#include "analyze/aiu/enriched/aiu_enriched.h"
#include "analyze/support/byte_rates.h"

static bool moves(aiu_run *run, uint32_t e)
{
    const aiu_events *v = &run->events;
    if (!pf_aiu_is_slice(run, e) || !pf_aiu_is_device(run, e) || !v->bytes[e] || !(v->flags[e] & AIU_HAS_BYTES)) {
        return false;
    }
    unsigned op = pf_aiu_name(run, v->name[e])->has;
    return (op == AIU_OP_DMAI || op == AIU_OP_DMAO) &&
           pf_aiu_nanoseconds(run, pf_aiu_end(run, e)) > pf_aiu_nanoseconds(run, v->ts[e]);
}

pf_status pf_aiu_moves_read(aiu_run *run, aiu_moves *out, pf_error *err)
{
    uint32_t total = 0;
    out->from = pf_pass_alloc(run->ctx, (size_t)run->ranks.count + 2, sizeof *out->from, err);
    for (uint32_t i = 0; out->from && i < run->alive; i++) {
        bool counts = moves(run, run->order[i]);
        out->from[run->events.rank[run->order[i]] + 1] += counts;
        total += counts;
    }
    out->list = out->from ? pf_pass_alloc(run->ctx, (size_t)total + 1, sizeof *out->list, err) : NULL;
    uint32_t *next = out->list ? pf_pass_alloc(run->ctx, (size_t)run->ranks.count + 1, sizeof *next, err) : NULL;
    if (!next) {
        return err->code;
    }
    for (uint32_t r = 0; r < run->ranks.count; r++) {
        out->from[r + 1] += out->from[r];
        next[r] = out->from[r];
    }
    for (uint32_t i = 0; i < run->alive; i++) {
        uint32_t e = run->order[i];
        if (moves(run, e)) {
            out->list[next[run->events.rank[e]]++] =
                (pf_transfer){pf_aiu_nanoseconds(run, run->events.ts[e]), pf_aiu_nanoseconds(run, pf_aiu_end(run, e)),
                              run->events.bytes[e]};
        }
    }
    return PF_OK;
}

/* The steps of transfers as samples of a new counter. */
static pf_status draw_rates(aiu_run *run, pf_drawing *d, const char *name, const char *description,
                            const pf_transfer *list, uint32_t n, pf_error *err)
{
    size_t room = 2 * (size_t)n + 1;
    pf_rate_step *steps = pf_pass_alloc(run->ctx, room, sizeof *steps, err);
    pf_rate_scratch scratch = {.edges = steps ? pf_pass_alloc(run->ctx, room, sizeof(int64_t), err) : NULL};
    scratch.order = scratch.edges ? pf_pass_alloc(run->ctx, room, sizeof(uint32_t), err) : NULL;
    scratch.spare = scratch.order ? pf_pass_alloc(run->ctx, room, sizeof(uint32_t), err) : NULL;
    if (!scratch.spare) {
        return err->code;
    }
    size_t count = pf_byte_rates(list, n, steps, &scratch);
    uint32_t track = count ? pf_drawing_counter(d, name, "GB/s", NULL, description) : PF_NONE;
    for (size_t i = 0; i < count; i++) {
        pf_overlay_sample(run->findings, track, steps[i].ts, pf_overlay_derived(steps[i].rate));
    }
    return PF_OK;
}

void pf_aiu_draw_moves(aiu_run *run, pf_drawing *d, const aiu_moves *m, uint32_t rank)
{
    pf_error err = {0};
    uint32_t from = m->from[rank], n = m->from[rank + 1] - from;
    if (n && draw_rates(run, d, "TransferBW",
                        "Bytes that move into and out of the device at a moment: each transfer's bytes over its time, "
                        "added up.",
                        m->list + from, n, &err) != PF_OK) {
        pf_findings_fail(run->findings, &err);
    }
}

void pf_aiu_draw_collective_rates(aiu_run *run, pf_drawing *d, const aiu_meetings *m)
{
    pf_error err = {0};
    uint32_t n = 0;
    pf_transfer *list = pf_pass_alloc(run->ctx, (size_t)m->count + 1, sizeof *list, &err);
    for (uint32_t i = 0; list && i < m->count; i++) {
        if (m->list[i].rate_told && m->list[i].end > m->list[i].start && m->list[i].moved) {
            list[n++] = (pf_transfer){m->list[i].start, m->list[i].end, m->list[i].moved};
        }
    }
    if (!list || (n && draw_rates(run, d, "Coll_Bandwidth",
                                  "Bytes between ranks, 2 * (ranks - 1) * payload, over the time of the collective.",
                                  list, n, &err) != PF_OK)) {
        pf_findings_fail(run->findings, &err);
    }
}
