/* analyze/aiu/enriched/aiu_draw_counters.c - counters of ranks: those that stages made, and of moving bytes, out of
 * transfers that say how many they carry, where the trace itself has no such counter. */
#include <string.h>

#include "analyze/aiu/enriched/aiu_enriched.h"
#include "base/ordering.h"
#include "model/trace/trace.h"

static bool same_counter(const aiu_samples *s, uint32_t a, uint32_t b)
{
    return s->pid[a] == s->pid[b] && s->series[a] == s->series[b] && s->label[a] == s->label[b];
}

/* The order of samples: by counter, then by time; as they were made at equal times. */
static bool sample_after(const void *ctx, uint32_t a, uint32_t b)
{
    const aiu_samples *s = ctx;
    if (!same_counter(s, a, b)) {
        return s->pid[a] != s->pid[b]         ? s->pid[a] > s->pid[b]
               : s->series[a] != s->series[b] ? s->series[a] > s->series[b]
                                              : s->label[a] > s->label[b];
    }
    return s->ts[a] > s->ts[b] || (!(s->ts[a] < s->ts[b]) && a > b);
}

/* Whether an event is a transfer that takes time and says how many bytes it carries. */
static bool moves_bytes(aiu_run *run, uint32_t e)
{
    const aiu_events *v = &run->events;
    if (!pf_aiu_is_device_slice(run, e) || !v->bytes[e] || !(v->flags[e] & AIU_HAS_BYTES)) {
        return false;
    }
    unsigned op = pf_aiu_name(run, v->name[e])->has;
    return (op == AIU_OP_DMAI || op == AIU_OP_DMAO) &&
           pf_aiu_nanoseconds(run, pf_aiu_end(run, e)) > pf_aiu_nanoseconds(run, v->ts[e]);
}

void pf_aiu_counters_read(aiu_run *run, pf_drawing *d, aiu_counters *w)
{
    const aiu_samples *s = &run->samples;
    *w = (aiu_counters){.run = run, .d = d, .moves = pf_aiu_rows_by_rank(run, moves_bytes)};
    w->last_end = pf_aiu_alloc(run, (size_t)run->ranks.count + 1, sizeof *w->last_end);
    for (uint32_t i = 0, e; w->last_end && pf_aiu_next(run, pf_aiu_is_device_slice, &i, &e);) {
        w->last_end[run->events.rank[e]] = fmax(w->last_end[run->events.rank[e]], pf_aiu_end(run, e));
    }
    uint32_t *scratch = pf_aiu_alloc(run, 2 * (size_t)s->count + 1, sizeof *scratch);
    if (scratch) {
        w->order = scratch + s->count;
        pf_order_rows(w->order, scratch, s->count, sample_after, s);
    }
    for (uint32_t i = 0; scratch && i < s->count; i++) {
        uint32_t sample = w->order[i];
        if (i == 0 || !same_counter(s, w->order[i - 1], sample)) {
            if (AIU_ROOM(run, w->list, w->count + 1, w->room)) {
                return;
            }
            w->list[w->count++] = (aiu_counter){s->pid[sample], s->label[sample], i, i, s->series[sample]};
        }
        w->list[w->count - 1].to = i + 1;
    }
}

/* Samples of one series and owner; several owners, or several kinds of one series, are drawn on one scale. */
static void draw_counter(aiu_counters *w, const aiu_counter *c)
{
    const aiu_samples *s = &w->run->samples;
    const aiu_series_facts *facts = pf_aiu_series(c->series);
    pf_str label = pf_aiu_text_of(w->run, c->label); /* "Power DmaI" */
    pf_str kind = label.len > strlen(facts->name) ? pf_str_from(label, strlen(facts->name)) : (pf_str){"", 0};
    pf_str what = pf_findings_format(w->d->f, "%s%s%.*s", facts->row, kind.len ? " " : "", PF_TEXT_ARG(kind));
    if (!what.ptr) {
        return;
    }
    uint32_t track = pf_drawing_counter(w->d, what.ptr, facts->unit, facts->row, facts->description);
    uint32_t rank = pf_map_get(w->run->ranks.by_pid, (uint64_t)c->pid);
    for (uint32_t i = c->from; i < c->to; i++) {
        double value = s->value[w->order[i]];
        pf_overlay_sample(w->d->f, track, pf_aiu_nanoseconds(w->run, s->ts[w->order[i]]),
                          facts->whole ? value : pf_overlay_derived(value));
    }
    /* What a power sample says holds for an interval; the last one of a rank ends with the rank's last slice. */
    if (c->series == AIU_SERIES_POWER4 && rank != PF_NONE && w->last_end[rank] > s->ts[w->order[c->to - 1]]) {
        pf_overlay_sample(w->d->f, track, pf_aiu_nanoseconds(w->run, w->last_end[rank]), 0);
    }
}

static void draw_moved_bytes(aiu_counters *w, uint32_t rank)
{
    aiu_run *run = w->run;
    const aiu_rows *moves = &w->moves;
    const char *row = pf_aiu_series(AIU_SERIES_TRANSFER_BW)->row;
    uint32_t from = moves->first[rank], n = moves->first[rank + 1] - from;
    pf_transfer *list = pf_aiu_alloc(run, (size_t)n + 1, sizeof *list);
    for (uint32_t i = 0; list && i < n; i++) {
        uint32_t e = moves->list[from + i];
        pf_interval at = pf_aiu_interval(run, run->events.ts[e], pf_aiu_end(run, e));
        list[i] = (pf_transfer){at.start, at.end, run->events.bytes[e]};
    }
    const pf_drawn_rate drawn = {row, row,
                                 "Bytes that move into and out of the device at a moment: each transfer's bytes over "
                                 "its time, added up.",
                                 NULL, 1};
    pf_drawing_rates(w->d, &drawn, list, list ? n : 0);
}

void pf_aiu_draw_collective_rates(aiu_counters *w, const aiu_collective_costs *c)
{
    const aiu_series_facts *facts = pf_aiu_series(AIU_SERIES_COLL_BW);
    uint32_t n = 0;
    pf_transfer *list = pf_aiu_alloc(w->run, (size_t)c->count + 1, sizeof *list);
    for (uint32_t i = 0; list && i < c->count; i++) {
        const aiu_collective_cost *own = &c->list[i];
        if (own->rate_known && own->end > own->start && own->moved) {
            list[n++] = (pf_transfer){own->start, own->end, own->moved};
        }
    }
    const pf_drawn_rate drawn = {facts->row, NULL, facts->description, NULL, 1};
    pf_drawing_rates(w->d, &drawn, list, n);
}

/* The rank of a pid that moves bytes; PF_NONE: it is none, or moves none. */
static uint32_t moving_rank(const aiu_counters *w, int64_t pid)
{
    uint32_t rank = pf_map_get(w->run->ranks.by_pid, (uint64_t)pid);
    bool any = rank != PF_NONE && w->moves.first && w->moves.first[rank + 1] > w->moves.first[rank];
    return any ? rank : PF_NONE;
}

/* The first counter that is not of a smaller pid. */
static uint32_t first_of(const aiu_counters *w, int64_t pid)
{
    uint32_t from = 0;
    PF_BISECT(from, w->count, w->list[middle].pid < pid);
    return from;
}

void pf_aiu_draw_counters(aiu_counters *w, aiu_series series, int64_t pid)
{
    bool found = false;
    for (uint32_t i = first_of(w, pid); i < w->count && w->list[i].pid == pid; i++) {
        if (w->list[i].series == series) {
            draw_counter(w, &w->list[i]);
            found = true;
        }
    }
    if (!found && series == AIU_SERIES_TRANSFER_BW && moving_rank(w, pid) != PF_NONE) {
        draw_moved_bytes(w, moving_rank(w, pid));
    }
}

bool pf_aiu_has_counters(const aiu_counters *w, int64_t pid)
{
    uint32_t at = first_of(w, pid);
    return moving_rank(w, pid) != PF_NONE || (at < w->count && w->list[at].pid == pid);
}
