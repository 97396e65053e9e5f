/* model/slices/overlap_lanes.c - where complete events go that do not fit on their track.
 *
 * A complete event that crosses the end of an open slice cannot be stacked: it moves to an overlap lane, a track of its
 * own in the thread's lane group, the first one on which it nests. Lanes hold complete events of some length only, so
 * what is on top of a lane decides; lane_tree.c finds the first lane that takes the event.
 */
#include "base/list.h"
#include "model/slices/slices.h"

static pf_overlap *add_overlap(pf_slice_builder *b, uint32_t home)
{
    if (PF_LIST_ROOM(&b->t->budget, b->overlaps, b->overlap_count + 1, b->overlap_room, b->err) != PF_OK) {
        return NULL;
    }
    pf_overlap *o = &b->overlaps[b->overlap_count];
    *o = (pf_overlap){0};
    pf_lane_tree_init(&o->tree, &b->t->budget);
    b->stacks[home].overlap = b->overlap_count++;
    return o;
}

/* A new lane, whose track is a sibling of `home`; PF_NONE if refused. */
static uint32_t add_lane(pf_slice_builder *b, pf_overlap *o, uint32_t home)
{
    pf_trace *t = b->t;
    const pf_track_row r = {.type = PF_TRACK_THREAD_OVERLAP,
                            .name = t->tracks.name[home],
                            .upid = t->tracks.upid[home],
                            .utid = t->tracks.utid[home],
                            .parent = t->tracks.parent[home],
                            .group = o->tree.count ? o->row[0] : t->tracks.count};
    if (PF_LIST_ROOM(&t->budget, o->row, o->tree.count + 1, o->room, b->err) != PF_OK) {
        return PF_NONE;
    }
    uint32_t row = pf_trace_add_track(t, &r, b->err);
    if (row == PF_NONE || pf_slices_cover_tracks(b) != PF_OK) {
        return PF_NONE;
    }
    o->row[o->tree.count] = row;
    if (!pf_lane_tree_add(&o->tree)) {
        pf_budget_refused(&t->budget, 2 * o->tree.leaves * sizeof(int64_t), b->err);
        return PF_NONE;
    }
    return o->tree.count - 1;
}

static int64_t limit_of(const pf_slice_builder *b, uint32_t row)
{
    uint32_t top = b->stacks[row].chain.top;
    return top == PF_NONE ? INT64_MAX : pf_built_ts(b->t, top) + b->t->slices.dur[top];
}

/* Pops what is over on all lanes. */
static void pop_over(const pf_slice_builder *b, pf_overlap *o, int64_t ts)
{
    const pf_slice_rows c = pf_slice_rows_of(b->t);
    for (uint32_t lane; (lane = pf_lane_tree_over(&o->tree, ts)) != PF_NONE;) {
        pf_chain_pop(&c, &b->stacks[o->row[lane]].chain);
        pf_lane_tree_set(&o->tree, lane, limit_of(b, o->row[lane]));
    }
}

uint32_t pf_overlap_lane(pf_slice_builder *b, uint32_t home, uint32_t event)
{
    const pf_trace *t = b->t;
    int64_t ts = t->events.ts[event], dur = t->events.dur[event];
    uint32_t known = b->stacks[home].overlap;
    pf_overlap *o = known == PF_NONE ? add_overlap(b, home) : &b->overlaps[known];
    if (!o) {
        return PF_NONE;
    }
    pop_over(b, o, ts);
    uint32_t lane = pf_lane_tree_fit(&o->tree, ts + dur);
    o->lane = lane == PF_NONE ? add_lane(b, o, home) : lane;
    return o->lane == PF_NONE ? PF_NONE : o->row[o->lane];
}

void pf_overlap_taken(pf_slice_builder *b, uint32_t home)
{
    pf_overlap *o = &b->overlaps[b->stacks[home].overlap];
    pf_lane_tree_set(&o->tree, o->lane, limit_of(b, o->row[o->lane]));
}

void pf_overlaps_free(pf_slice_builder *b)
{
    for (uint32_t i = 0; i < b->overlap_count; i++) {
        pf_overlap *o = &b->overlaps[i];
        pf_lane_tree_free(&o->tree);
        PF_LIST_FREE(&b->t->budget, o->row, o->room);
    }
    PF_LIST_FREE(&b->t->budget, b->overlaps, b->overlap_room);
    b->overlaps = NULL;
    b->overlap_count = b->overlap_room = 0;
}
