/* analyze/aiu/enriched/aiu_rank_events.c - slices of a kind by the rank that they are of. */
#include "analyze/aiu/enriched/aiu_measures.h"

void pf_aiu_rank_events_read(aiu_run *run, aiu_counts *counts, aiu_rank_events *out)
{
    uint32_t total = 0, ranks = run->ranks.count;
    uint32_t *from = pf_aiu_alloc(run, (size_t)ranks + 2, sizeof *from);
    for (uint32_t i = 0; from && i < run->alive; i++) {
        uint32_t e = run->order[i];
        if (counts(run, e)) {
            from[run->events.rank[e] + 2]++;
            total++;
        }
    }
    out->event = pf_aiu_alloc(run, (size_t)total + 1, sizeof *out->event);
    out->from = from;
    if (!out->event) {
        return;
    }
    for (uint32_t r = 0; r < ranks; r++) {
        from[r + 2] += from[r + 1]; /* where the events of rank r + 1 begin, one place too far to the right */
    }
    for (uint32_t i = 0; i < run->alive; i++) {
        uint32_t e = run->order[i];
        if (counts(run, e)) {
            out->event[from[run->events.rank[e] + 1]++] = e;
        }
    }
}
