/* analyze/gpu/draw/gpu_draw_ranks.c - what ranks do together: collectives and a row for each rank in the group of all
 * ranks, and in that of each device what it waited for, or that others waited for it. A collective has the number of
 * its row in table gpu_stragglers everywhere.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "analyze/gpu/draw/gpu_drawing.h"
#include "analyze/support/pass_memory.h"
#include "base/ordering.h"

/* A time of a collective that is to be drawn. */
typedef struct rank_bar {
    pf_interval at;
    uint32_t collective;
} rank_bar;

typedef struct rank_bars {
    rank_bar *list;
    pf_interval *times;
    size_t count;
} rank_bars;

PF_ORDER(by_start, rank_bar, PF_UP(at.start), PF_UP(collective));

static pf_status make_bars(gpu_canvas *c, size_t room, rank_bars *out)
{
    *out = (rank_bars){.count = 0};
    PF_TRY(PF_PASS_ARRAY(c->drawing.arena, room, out->list, c->err));
    return PF_PASS_ARRAY(c->drawing.arena, room, out->times, c->err);
}

static void add_bar(rank_bars *b, int64_t start, int64_t end, uint32_t collective)
{
    start = start < INT64_MAX ? start : INT64_MAX - 1;
    b->list[b->count++] = (rank_bar){{start, end > start ? end : start + 1}, collective};
}

static void draw_bars(gpu_canvas *c, rank_bars *b, const char *what, const char *description,
                      void (*draw)(gpu_canvas *, uint32_t, const rank_bar *))
{
    const uint32_t *lane;
    if (b->count) {
        qsort(b->list, b->count, sizeof *b->list, by_start);
    }
    for (size_t i = 0; i < b->count; i++) {
        b->times[i] = b->list[i].at;
    }
    uint32_t track = pf_drawing_lanes(&c->drawing, what, description, b->times, b->count, &lane);
    for (size_t i = 0; i < b->count && track != PF_NONE; i++) {
        draw(c, track + lane[i], &b->list[i]);
    }
}

/* "12 all_reduce, rank 3 last". */
static pf_str bar_name(const gpu_canvas *c, uint32_t collective, const char *more, pf_str whose)
{
    const gpu_ranks *r = &c->r->ranks;
    pf_str kind = pf_gpu_collective_name(pf_gpu_series_of(r, pf_gpu_collective_at(r, collective)->series).kind);
    return pf_findings_format(c->f, "%" PRIu32 " %.*s%s%.*s", collective, PF_TEXT_ARG(kind), more, PF_TEXT_ARG(whose));
}

static void draw_collective(gpu_canvas *c, uint32_t track, const rank_bar *b)
{
    const gpu_ranks *r = &c->r->ranks;
    const gpu_collective *k = pf_gpu_collective_at(r, b->collective);
    pf_str last = k->behind ? pf_gpu_rank_text(&c->r->facts, k->last.input, c->f) : PF_STR("");
    pf_str more = k->behind ? pf_findings_format(c->f, "%.*s last", PF_TEXT_ARG(last)) : last;
    pf_overlay_slice(c->f, track, b->at.start, pf_drawing_length(pf_interval_length(b->at)),
                     bar_name(c, b->collective, k->behind ? ", " : "", more));
    pf_gpu_draw_cells(c, GPU_TABLE_STRAGGLERS, b->collective, 0);
}

/* A row for each rank: from the first start to the last end of its devices. */
static void draw_ranks(gpu_canvas *c)
{
    const gpu_facts *g = &c->r->facts;
    enum { DEVICES = 2 };
    if (g->rank_count < 2) {
        return;
    }
    pf_drawing rows = pf_drawing_inside(&c->drawing, "ranks", "What each rank did in all, and how its clock runs.");
    for (uint32_t i = 0; i < g->rank_count; i++) {
        const gpu_rank *rank = &g->ranks[i];
        int64_t start = INT64_MAX, end = INT64_MIN;
        for (uint32_t d = rank->first_device; d < rank->first_device + rank->device_count; d++) {
            start = g->devices[d].times.start < start ? g->devices[d].times.start : start;
            end = g->devices[d].times.end > end ? g->devices[d].times.end : end;
        }
        if (start > end) {
            continue;
        }
        pf_str label = pf_gpu_rank_text(g, i, c->f);
        uint32_t track = pf_drawing_slices(
            &rows, label.ptr ? label.ptr : "",
            "From the first start to the last end of its device events, in the clock of the first input. Arguments are "
            "the row of table gpu_ranks: times are sums over the devices of the rank.");
        pf_overlay_slice(c->f, track, pf_gpu_common_time(&c->r->ranks, i, start),
                         pf_drawing_length((uint64_t)end - (uint64_t)start), label);
        pf_gpu_draw_cells(c, GPU_TABLE_RANKS, i, DEVICES);
    }
}

pf_status pf_gpu_draw_collectives(gpu_canvas *c)
{
    const gpu_ranks *r = &c->r->ranks;
    rank_bars bars;
    PF_TRY(make_bars(c, r->collective_count, &bars));
    for (uint32_t i = 0; i < r->collective_count; i++) {
        const gpu_collective *k = pf_gpu_collective_at(r, i);
        int64_t start = INT64_MAX, end = INT64_MIN;
        for (const gpu_rank_part *p = r->parts + k->first; p < r->parts + k->first + k->count; p++) {
            int64_t own = pf_gpu_common_time(&c->r->ranks, p->input, p->end);
            start = p->start < start ? p->start : start;
            end = own > end ? own : end;
        }
        add_bar(&bars, start, end, i);
    }
    c->drawing.group_id = c->together;
    c->drawing.group = (pf_overlay_track){.anchor = PF_ANCHOR_GLOBAL};
    c->drawing.owner = PF_STR("");
    draw_bars(
        c, &bars, "collectives",
        "Collectives of several ranks, from the first start to the last end, in the clock of the first input that "
        "has any (table gpu_ranks says how far the others are from it). lost_ns: what all ranks waited for the "
        "last one. Arguments are the row of table gpu_stragglers.",
        draw_collective);
    draw_ranks(c);
    c->rank = c->drawing.rank;
    return PF_OK;
}

static void draw_wait(gpu_canvas *c, uint32_t track, const rank_bar *b)
{
    const gpu_ranks *r = &c->r->ranks;
    const gpu_collective *k = pf_gpu_collective_at(r, b->collective);
    pf_str last = k->behind ? pf_gpu_rank_text(&c->r->facts, k->last.input, c->f) : PF_STR("several ranks");
    pf_overlay_slice(c->f, track, b->at.start, pf_drawing_length(pf_interval_length(b->at)),
                     pf_findings_format(c->f, "waits for %.*s", PF_TEXT_ARG(last)));
    pf_overlay_arg_text(c->f, PF_STR("collective"), bar_name(c, b->collective, "", PF_STR("")));
    pf_gpu_draw_cells(c, GPU_TABLE_STRAGGLERS, b->collective, 0);
}

pf_status pf_gpu_draw_waits(gpu_canvas *c, uint32_t device)
{
    const gpu_facts *g = &c->r->facts;
    const gpu_ranks *r = &c->r->ranks;
    rank_bars bars;
    size_t room = 0;
    for (uint32_t i = 0; i < r->part_count; i++) {
        room += gpu_device_of(g, r->parts[i].op) == device;
    }
    PF_TRY(make_bars(c, room, &bars));
    for (uint32_t i = 0; i < r->collective_count; i++) {
        const gpu_collective *k = pf_gpu_collective_at(r, i);
        for (uint32_t p = k->first; p < k->first + k->count; p++) {
            uint64_t waited = (uint64_t)k->last_start - (uint64_t)r->parts[p].start;
            int64_t start = r->parts[p].began, end;
            if (gpu_device_of(g, r->parts[p].op) == device && waited && waited <= INT64_MAX &&
                !__builtin_add_overflow(start, (int64_t)waited, &end)) {
                add_bar(&bars, start, end, i);
            }
        }
    }
    draw_bars(
        c, &bars, "waits",
        "Where this rank waited in a collective for the rank that started last: from its own start to that of the "
        "last one, in estimated common time. Arguments are the row of table gpu_stragglers.",
        draw_wait);
    return PF_OK;
}

void pf_gpu_draw_stragglers(gpu_canvas *c, uint32_t device)
{
    const gpu_facts *g = &c->r->facts;
    const gpu_ranks *r = &c->r->ranks;
    uint32_t track = PF_NONE;
    for (uint32_t i = 0; i < r->collective_count; i++) {
        const gpu_collective *k = pf_gpu_collective_at(r, i);
        const gpu_rank_part *last = &k->last;
        if (gpu_device_of(g, last->op) != device || k->behind == 0) {
            continue;
        }
        if (track == PF_NONE) {
            track =
                pf_drawing_slices(&c->drawing, "stragglers",
                                  "Where this rank was the last to start a collective, in estimated common time: how "
                                  "much later than the one before. lost_ns: waiting of all others together; "
                                  "work_before_ns: compute time since its collective before.");
        }
        pf_str late = pf_findings_format(c->f, "%s", pf_gpu_length_text(c->f, k->behind));
        pf_overlay_instant(c->f, track, g->ops.start[last->op], bar_name(c, i, ", last by ", late));
        pf_gpu_draw_cells(c, GPU_TABLE_STRAGGLERS, i, 0);
        pf_overlay_arg_int(c->f, PF_STR("work_before_ns"), last->work);
    }
}
