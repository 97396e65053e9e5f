/* model/slices/async_lanes.c - tracks of one name whose slices are packed into lanes.
 *
 * Async tracks of one group (equal name and parent) share lanes: a begin takes the lane that its track owns, else the
 * first lane nobody uses (the idle lanes of a group form a heap), else a new one.
 */
#include "model/slices/slices.h"

/* Joins two heaps of lanes, the one with the lowest number on top: a skew heap, each step of the way down the right
 * sides swaps the children, which keeps those sides short on the average. */
static uint32_t join_heaps(pf_stack *stacks, uint32_t a, uint32_t b)
{
    uint32_t top = PF_NONE, *place = &top;
    while (a != PF_NONE && b != PF_NONE) {
        uint32_t low = stacks[a].number < stacks[b].number ? a : b;
        b = low == a ? b : a;
        a = stacks[low].right;
        *place = low;
        stacks[low].right = stacks[low].left;
        place = &stacks[low].left;
    }
    *place = a != PF_NONE ? a : b;
    return top;
}

static void queue_idle(pf_slice_builder *b, pf_stack *group, uint32_t lane)
{
    pf_stack *l = &b->stacks[lane];
    l->queued = true;
    l->left = l->right = PF_NONE;
    group->idle = join_heaps(b->stacks, group->idle, lane);
}

/* The first lane of the group that nobody uses, or PF_NONE. Lanes stay in the heap while their owners use them again;
 * those in use are dropped here. */
static uint32_t free_lane(pf_slice_builder *b, pf_stack *group)
{
    while (group->idle != PF_NONE && b->stacks[group->idle].nest) {
        pf_stack *l = &b->stacks[group->idle];
        l->queued = false;
        group->idle = join_heaps(b->stacks, l->left, l->right);
    }
    return group->idle;
}

/* A lane is a track row: that of the async track that opens it, or a new one if that row is a lane already. */
static uint32_t open_lane(pf_slice_builder *b, uint32_t track, uint32_t group)
{
    pf_trace *t = b->t;
    uint32_t lane = track;
    if (b->stacks[track].owner != PF_NONE) {
        const pf_track_row r = {.type = t->tracks.type[group],
                                .name = t->tracks.name[group],
                                .upid = t->tracks.upid[group],
                                .utid = t->tracks.utid[group],
                                .parent = t->tracks.parent[group],
                                .group = group,
                                .uuid = t->tracks.uuid[track]};
        lane = pf_trace_add_track(t, &r, b->err);
        if (lane == PF_NONE || pf_slices_cover_tracks(b) != PF_OK) {
            return PF_NONE;
        }
    }
    pf_stack *g = &b->stacks[group];
    g->first_lane = g->lanes ? g->first_lane : lane;
    b->stacks[lane].number = g->lanes++;
    return lane;
}

/* The lane for the next event of an async track: the one it owns, else a free one, else a new one. A track of instants
 * keeps to itself: it takes no other's lane, and nobody takes its. */
static uint32_t lane_of(pf_slice_builder *b, uint32_t track, bool alone)
{
    uint32_t group = b->t->tracks.group[track], lane = b->stacks[track].lane;
    if (lane != PF_NONE && b->stacks[lane].owner == track) {
        return lane;
    }
    lane = alone ? PF_NONE : free_lane(b, &b->stacks[group]);
    if (lane == PF_NONE) {
        lane = open_lane(b, track, group);
    }
    if (lane != PF_NONE) {
        b->stacks[lane].owner = track;
        b->stacks[track].lane = lane;
    }
    return lane;
}

/* The lane of its async group that takes the event. */
uint32_t pf_lane_for(pf_slice_builder *b, uint8_t action, uint32_t track)
{
    bool alone = action == 'i' && b->t->tracks.type[track] == PF_TRACK_ATRACE_NAMED;
    uint32_t lane = lane_of(b, track, alone);
    if (lane != PF_NONE) {
        pf_stack *l = &b->stacks[lane];
        l->nest += action == 'B' || (alone && !l->nest);
        l->nest -= action == 'E' && l->nest > 0;
        if (!l->nest && !l->queued) {
            queue_idle(b, &b->stacks[b->t->tracks.group[track]], lane);
        }
    }
    return lane;
}

void pf_lanes_hold_back(pf_slice_builder *b)
{
    pf_trace *t = b->t;
    for (uint32_t i = 0; i < t->tracks.count; i++) {
        if (t->tracks.used[i] && pf_is_async(t, i)) {
            b->stacks[i].known = true;
            t->tracks.used[i] = 0;
        }
    }
}

void pf_lanes_adopt(pf_slice_builder *b)
{
    pf_trace *t = b->t;
    for (uint32_t i = 0; i < t->tracks.count; i++) {
        uint32_t *first = b->stacks[i].known ? &b->stacks[t->tracks.group[i]].first_lane : NULL;
        if (first && *first == PF_NONE) {
            t->tracks.used[i] = 1;
            *first = i;
        }
    }
    for (uint32_t i = 0; i < t->tracks.count; i++) {
        uint32_t parent = t->tracks.parent[i];
        if (parent != PF_NONE && pf_is_async(t, parent) && b->stacks[t->tracks.group[parent]].first_lane != PF_NONE) {
            t->tracks.parent[i] = b->stacks[t->tracks.group[parent]].first_lane;
        }
    }
}
