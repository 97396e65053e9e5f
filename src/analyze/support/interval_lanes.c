/* analyze/support/interval_lanes.c - interval partitioning with two heaps.
 *
 * One heap holds the lanes in use by the time they become free, the other the lanes that are free by number. An
 * interval first moves every lane that has become free by its start from the first heap to the second, then takes the
 * lowest free number, or a new lane if there is none. Each interval is pushed and popped once per heap.
 */
#include "analyze/support/intervals.h"

typedef struct lanes {
    pf_lane_slot *slot; /* heap arrays share the slots: busy_* is one heap, free_lane the other */
    uint32_t busy, free, count;
} lanes;

static void push_busy(lanes *l, int64_t until, uint32_t lane)
{
    uint32_t i = l->busy++;
    while (i > 0 && l->slot[(i - 1) / 2].busy_until > until) {
        l->slot[i].busy_until = l->slot[(i - 1) / 2].busy_until;
        l->slot[i].busy_lane = l->slot[(i - 1) / 2].busy_lane;
        i = (i - 1) / 2;
    }
    l->slot[i].busy_until = until;
    l->slot[i].busy_lane = lane;
}

static uint32_t pop_busy(lanes *l)
{
    uint32_t lane = l->slot[0].busy_lane;
    uint32_t n = --l->busy;
    int64_t until = l->slot[n].busy_until;
    uint32_t moved = l->slot[n].busy_lane;
    size_t i = 0;
    for (size_t child = 1; child < n; child = 2 * i + 1) {
        if (child + 1 < n && l->slot[child + 1].busy_until < l->slot[child].busy_until) {
            child++;
        }
        if (l->slot[child].busy_until >= until) {
            break;
        }
        l->slot[i].busy_until = l->slot[child].busy_until;
        l->slot[i].busy_lane = l->slot[child].busy_lane;
        i = child;
    }
    l->slot[i].busy_until = until;
    l->slot[i].busy_lane = moved;
    return lane;
}

static void push_free(lanes *l, uint32_t lane)
{
    uint32_t i = l->free++;
    while (i > 0 && l->slot[(i - 1) / 2].free_lane > lane) {
        l->slot[i].free_lane = l->slot[(i - 1) / 2].free_lane;
        i = (i - 1) / 2;
    }
    l->slot[i].free_lane = lane;
}

static uint32_t pop_free(lanes *l)
{
    uint32_t lane = l->slot[0].free_lane;
    uint32_t n = --l->free;
    uint32_t moved = l->slot[n].free_lane;
    size_t i = 0;
    for (size_t child = 1; child < n; child = 2 * i + 1) {
        if (child + 1 < n && l->slot[child + 1].free_lane < l->slot[child].free_lane) {
            child++;
        }
        if (l->slot[child].free_lane >= moved) {
            break;
        }
        l->slot[i].free_lane = l->slot[child].free_lane;
        i = child;
    }
    l->slot[i].free_lane = moved;
    return lane;
}

uint32_t pf_lanes_assign(const pf_interval *list, size_t n, uint32_t *lane, pf_lane_slot *scratch)
{
    lanes l = {.slot = scratch};
    for (size_t i = 0; i < n; i++) {
        while (l.busy && scratch[0].busy_until <= list[i].start) {
            push_free(&l, pop_busy(&l));
        }
        lane[i] = l.free ? pop_free(&l) : l.count++;
        push_busy(&l, list[i].end, lane[i]);
    }
    return l.count;
}
