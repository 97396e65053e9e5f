/* model/flows/flows.c - from each flow id to the slice it was seen on last (docs/reference/perfetto.md, "Flows").
 *
 * Track event flows: the first slice with an id starts the flow, every further one gets an arrow from the one before; a
 * terminating id ends it, so that the id may be used again. Chrome's s/t/f flows say start, step and end themselves and
 * bind to the slice open at their time; an end may also wait for the next slice on its track. The two kinds do not
 * share ids.
 *
 * Unless an end waits, no slice depends on an id. Then the slice of each id is only noted while slices are built, which
 * two threads can do at once, and all ids are bound after the last slice, in the order of their events.
 *
 * By then all ids are known. Most programs count them up, perhaps on top of a number that all of them share: then the
 * bits in which ids differ are a small number themselves, and what belongs to an id lies at that place of a table.
 * Other ids are looked up in a map.
 */
#include "model/flows/flows.h"
#include "base/list.h"

/* Flow ids between the one at hand and the one whose place is fetched. */
#define AHEAD 8u

/* Most of a program's ids are bound in one loop, in a few instructions each. */
#define ALWAYS_INLINE inline __attribute__((always_inline))

#define PLACES_MAX 4u /* of a table of ids, for each id that an event has */

/* What the ids of Chrome's flows, or all others, have in common. */
static pf_flow_ids lay_out(const pf_trace *t, bool chrome)
{
    uint64_t ones = 0, zeros = 0; /* bits that are set in some id, that are not set in some id */
    pf_flow_ids ids = {0};
    for (uint32_t i = 0; i < t->flow_refs.count; i++) {
        bool counts = pf_flow_is_chrome(t->flow_refs.kind[i]) == chrome;
        uint64_t id = t->flow_refs.id[i], mask = 0 - (uint64_t)counts;
        ones |= id & mask;
        zeros |= ~id & mask;
        ids.count += counts;
    }
    ids.differ = ones & zeros;
    ids.shift = ids.differ ? (unsigned)__builtin_ctzll(ids.differ) : 0;
    uint64_t last = ids.differ >> ids.shift;
    ids.places = ids.count && last < PLACES_MAX * (uint64_t)ids.count && last < PF_NONE ? (uint32_t)last + 1 : 0;
    return ids;
}

/* Whether an end that binds to the next slice is among the ids. */
static bool any_waits(const pf_trace *t)
{
    bool waits = false;
    for (uint32_t i = 0; i < t->flow_refs.count; i++) {
        waits |= t->flow_refs.kind[i] == PF_FLOW_END_NEXT;
    }
    return waits;
}

/* Most ids are met twice. */
static void reserve(pf_map *map, const pf_flow_ids *ids)
{
    if (ids->count && !ids->places) {
        (void)pf_map_reserve(map, ids->count / 2); /* growing step by step says what is wrong, if it is */
    }
}

static pf_status init_tables(pf_flow_tracker *f, pf_error *err)
{
    pf_trace *t = f->t;
    reserve(&f->last.by_id, &f->last.ids);
    reserve(&f->chrome.place, &f->chrome.ids);
    PF_TRY(f->last.ids.places ? PF_LIST_NEW(&t->budget, f->last.slice, f->last.ids.places, err) : PF_OK);
    if (f->chrome.ids.count == 0) {
        return PF_OK;
    }
    f->chrome.count = f->chrome.ids.places ? f->chrome.ids.places : f->chrome.ids.count;
    PF_TRY(PF_LIST_NEW(&t->budget, f->chrome.flow, f->chrome.count, err));
    return t->flows.event ? PF_OK : PF_COLUMNS_ADD(&t->flows.columns, t->flows.event, err);
}

/* Events out of order ask for their ids in any order. */
static pf_status init_marks(pf_flow_tracker *f, bool ordered, pf_error *err)
{
    const pf_trace *t = f->t;
    uint32_t words = t->events.count / 64 + 1;
    if (t->flow_refs.count == 0 || !ordered) {
        return PF_OK;
    }
    f->marks.words = words;
    PF_TRY(PF_LIST_NEW(&f->t->budget, f->marks.has, words, err));
    PF_TRY(PF_LIST_NEW(&f->t->budget, f->marks.before, words, err));
    for (uint32_t word = 0, i = 0; word < words; word++) {
        f->marks.before[word] = i;
        for (; i < t->flow_refs.count && t->flow_refs.event[i] / 64 == word; i++) {
            f->marks.has[word] |= 1ull << t->flow_refs.event[i] % 64;
        }
    }
    return PF_OK;
}

uint32_t pf_flow_tracker_seek(const pf_flow_tracker *f, uint32_t event, uint32_t *at)
{
    const pf_trace *t = f->t;
    if (!f->marks.has) {
        return pf_rows_seek(t->flow_refs.event, t->flow_refs.count, event, at);
    }
    uint64_t earlier = f->marks.has[event / 64] & ((1ull << event % 64) - 1);
    uint32_t i = f->marks.before[event / 64] + (uint32_t)__builtin_popcountll(earlier); /* each has one id at least */
    while (t->flow_refs.event[i] < event) {
        i++;
    }
    return i;
}

static pf_status init_bound(pf_flow_tracker *f, pf_error *err)
{
    pf_trace *t = f->t;
    uint32_t count = t->flow_refs.count;
    if (f->chrome.ids.count && t->events.has_complete) {
        /* Who writes Chrome's flows must know what they were bound to. */
        PF_TRY(PF_COLUMNS_ADD(&t->flow_refs.columns, t->flow_refs.bound, err));
        f->bound = any_waits(t) ? NULL : t->flow_refs.bound;
        return PF_OK;
    }
    if (count == 0 || any_waits(t)) {
        return PF_OK;
    }
    return PF_LIST_NEW(&f->t->budget, f->bound, count, err);
}

pf_status pf_flow_tracker_init(pf_flow_tracker *f, pf_trace *t, bool ordered, pf_error *err)
{
    *f = (pf_flow_tracker){.t = t};
    pf_map_init(&f->last.by_id, &t->budget);
    pf_map_init(&f->chrome.place, &t->budget);
    PF_TRY(pf_waiting_init(&f->wait, &t->budget, err));
    f->chrome.ids = lay_out(t, true);
    f->last.ids = lay_out(t, false);
    PF_TRY(init_tables(f, err));
    PF_TRY(init_marks(f, ordered, err));
    PF_TRY(init_bound(f, err));
    return pf_gpu_flows_init(&f->gpu, t, err);
}

void pf_flow_tracker_free(pf_flow_tracker *f)
{
    pf_budget *budget = &f->t->budget;
    pf_map_free(&f->last.by_id);
    pf_map_free(&f->chrome.place);
    PF_LIST_FREE(budget, f->last.slice, f->last.ids.places);
    PF_LIST_FREE(budget, f->chrome.flow, f->chrome.count);
    if (f->bound && f->bound != f->t->flow_refs.bound) {
        pf_release(budget, f->bound, f->t->flow_refs.count * sizeof *f->bound);
    }
    PF_LIST_FREE(budget, f->marks.has, f->marks.words);
    PF_LIST_FREE(budget, f->marks.before, f->marks.words);
    pf_waiting_free(&f->wait);
    pf_gpu_flows_free(&f->gpu);
}

/* Slices are forgotten by the value `ended`, since the map deletes nothing. */
static const uint32_t ended = PF_NONE - 1;

static uint32_t last_slice(const pf_flow_tracker *f, uint64_t id)
{
    if (f->last.slice) {
        return f->last.slice[pf_flow_ids_place(&f->last.ids, id)] - 1;
    }
    uint32_t slice = pf_map_get(&f->last.by_id, id);
    return slice == ended ? PF_NONE : slice;
}

/* slice: PF_NONE forgets the last one. */
static pf_status remember_slice(pf_flow_tracker *f, uint64_t id, uint32_t slice, pf_error *err)
{
    if (f->last.slice) {
        f->last.slice[pf_flow_ids_place(&f->last.ids, id)] = slice + 1;
        return PF_OK;
    }
    return pf_map_put(&f->last.by_id, id, slice == PF_NONE ? ended : slice, err);
}

/* event: as in pf_flows. */
static ALWAYS_INLINE pf_status add_arrow(pf_flow_tracker *f, uint32_t from, uint32_t to, uint64_t trace_id,
                                         uint32_t event, pf_error *err)
{
    const pf_trace *t = f->t;
    bool swapped = to < from && pf_built_ts(t, to) < pf_built_ts(t, from); /* slices lie in the order of their times */
    return pf_trace_add_arrow(f->t, swapped ? to : from, swapped ? from : to, trace_id, event, err);
}

/* flow_ids and terminating_flow_ids of a track event. */
static ALWAYS_INLINE pf_status track_event_flow(pf_flow_tracker *f, uint64_t id, bool terminate, uint32_t slice,
                                                pf_error *err)
{
    uint32_t from = last_slice(f, id);
    if (slice == PF_NONE || (terminate && from == PF_NONE)) {
        return PF_OK;
    }
    PF_TRY(from == PF_NONE ? PF_OK : add_arrow(f, from, slice, id, PF_NONE, err));
    return remember_slice(f, id, terminate ? PF_NONE : slice, err);
}

/* Finds the place of a Chrome flow and numbers it if it is new. */
static ALWAYS_INLINE pf_status chrome_place(pf_flow_tracker *f, uint32_t event, uint64_t id, uint32_t *place,
                                            pf_error *err)
{
    *place = f->chrome.ids.places ? pf_flow_ids_place(&f->chrome.ids, id) : pf_map_get(&f->chrome.place, id);
    if (*place == PF_NONE) {
        *place = f->chrome.next_number;
        PF_TRY(pf_map_put(&f->chrome.place, id, *place, err));
    }
    pf_chrome_flow *flow = &f->chrome.flow[*place];
    if (flow->number == 0) {
        flow->number = ++f->chrome.next_number;
        flow->event = event;
    }
    return PF_OK;
}

/* A start, step or end (event `at`) at the slice `open` of a flow last seen on `from`. Arrows show `id` and `event`.
 * *last is set where that changes. */
static ALWAYS_INLINE pf_status bind_flow(pf_flow_tracker *f, uint32_t at, uint32_t from, uint64_t id, uint32_t event,
                                         pf_flow_kind kind, uint32_t open, uint32_t *last, pf_error *err)
{
    if (open == PF_NONE) {
        pf_trace_count_event(f->t, PF_STAT_FLOW_NO_SLICE, at);
        return PF_OK;
    }
    if (kind == PF_FLOW_START) {
        if (from != PF_NONE) {
            pf_trace_count_event(f->t, PF_STAT_FLOW_DUPLICATE, at);
            return PF_OK;
        }
        *last = open;
        return PF_OK;
    }
    if (from == PF_NONE) {
        pf_trace_count_event(f->t, kind == PF_FLOW_STEP ? PF_STAT_FLOW_STEP_NO_START : PF_STAT_FLOW_END_NO_START, at);
        return PF_OK;
    }
    *last = kind == PF_FLOW_STEP ? open : *last;
    return add_arrow(f, from, open, id, event, err);
}

static ALWAYS_INLINE pf_status chrome_flow(pf_flow_tracker *f, uint32_t ref, uint32_t open, pf_error *err)
{
    pf_flow_kind kind = f->t->flow_refs.kind[ref];
    uint32_t place = 0, event = f->t->flow_refs.event[ref];
    PF_TRY(chrome_place(f, event, f->t->flow_refs.id[ref], &place, err));
    if (kind == PF_FLOW_END_NEXT) {
        return pf_waiting_add(&f->wait, pf_trace_home_track(f->t, f->t->events.track[event]), ref, err);
    }
    pf_chrome_flow *flow = &f->chrome.flow[place];
    uint32_t last = flow->last - 1;
    PF_TRY(bind_flow(f, event, last, flow->number - 1, flow->event, kind, open, &last, err));
    flow->last = last + 1;
    return PF_OK;
}

/* bind_id: an id that track event flows may have, too. */
static pf_status bind_slice(pf_flow_tracker *f, uint32_t event, uint64_t id, pf_flow_kind kind, uint32_t slice,
                            pf_error *err)
{
    uint32_t last = PF_NONE;
    if (slice == PF_NONE) {
        return PF_OK;
    }
    PF_TRY(bind_flow(f, event, last_slice(f, id), id, PF_NONE, PF_FLOW_START + (kind - PF_FLOW_BIND_START), slice,
                     &last, err));
    return last != PF_NONE ? remember_slice(f, id, last, err) : PF_OK;
}

/* The ids of the events to come, in file order, lie all over the memory. */
static ALWAYS_INLINE void fetch_place(const pf_flow_tracker *f, uint32_t ref)
{
    uint64_t id = f->t->flow_refs.id[ref];
    if (pf_flow_is_chrome(f->t->flow_refs.kind[ref])) {
        if (f->chrome.ids.places) {
            __builtin_prefetch(&f->chrome.flow[pf_flow_ids_place(&f->chrome.ids, id)]);
        } else {
            pf_map_prefetch(&f->chrome.place, id);
        }
    } else if (f->last.slice) {
        __builtin_prefetch(&f->last.slice[pf_flow_ids_place(&f->last.ids, id)]);
    } else {
        pf_map_prefetch(&f->last.by_id, id);
    }
}

/* Binds an id to the slice of its event, or to what is open. */
static ALWAYS_INLINE pf_status bind_id(pf_flow_tracker *f, uint32_t ref, uint32_t slice, pf_error *err)
{
    const pf_trace *t = f->t;
    uint64_t id = t->flow_refs.id[ref];
    pf_flow_kind kind = t->flow_refs.kind[ref];
    if (t->flow_refs.count - ref > AHEAD) {
        fetch_place(f, ref + AHEAD);
    }
    if (kind == PF_FLOW_FLOW || kind == PF_FLOW_TERMINATE) {
        return track_event_flow(f, id, kind == PF_FLOW_TERMINATE, slice, err);
    }
    if (kind >= PF_FLOW_GPU_STAGE) {
        return slice == PF_NONE ? PF_OK : pf_gpu_flows_add(&f->gpu, id, kind, slice, err);
    }
    return pf_flow_is_chrome(kind) ? chrome_flow(f, ref, slice, err)
                                   : bind_slice(f, t->flow_refs.event[ref], id, kind, slice, err);
}

pf_status pf_flow_tracker_event(pf_flow_tracker *f, uint32_t event, uint32_t slice, uint32_t open, pf_error *err)
{
    const pf_trace *t = f->t;
    if (f->bound) {
        pf_flow_tracker_note(f, event, slice, open, &f->at);
        return PF_OK;
    }
    for (uint32_t i = pf_flow_tracker_first(f, event, &f->at); i < t->flow_refs.count && t->flow_refs.event[i] == event;
         i++) {
        uint32_t own = pf_flow_is_chrome(t->flow_refs.kind[i]) ? open : slice;
        if (t->flow_refs.bound) {
            t->flow_refs.bound[i] = t->flow_refs.kind[i] == PF_FLOW_END_NEXT ? 0 : pf_flow_bound(own);
        }
        PF_TRY(bind_id(f, i, own, err));
    }
    return PF_OK;
}

static ALWAYS_INLINE pf_status bind_noted(pf_flow_tracker *f, uint32_t ref, pf_error *err)
{
    return f->bound[ref] ? bind_id(f, ref, f->bound[ref] - pf_flow_bound(0), err) : PF_OK;
}

pf_status pf_flow_tracker_finish(pf_flow_tracker *f, const uint32_t *order, uint32_t to, pf_error *err)
{
    const pf_trace *t = f->t;
    uint32_t count = f->bound ? t->flow_refs.count : 0, i = f->finished, ref = f->at;
    if (!order) {
        for (; i < count && t->flow_refs.event[i] < to; i++) {
            PF_TRY(bind_noted(f, i, err));
        }
    }
    for (; order && count && i < to; i++) {
        uint32_t event = order[i];
        if (f->marks.has[event / 64] >> event % 64 & 1) {
            for (ref = pf_flow_tracker_first(f, event, &ref); ref < count && t->flow_refs.event[ref] == event; ref++) {
                PF_TRY(bind_noted(f, ref, err));
            }
        }
    }
    f->finished = i;
    return PF_OK;
}

pf_status pf_flow_tracker_release(pf_flow_tracker *f, uint32_t track, uint32_t slice, pf_error *err)
{
    for (uint32_t i = pf_waiting_take(&f->wait, track), place = 0; i != PF_NONE; i = f->wait.next[i]) {
        uint32_t ref = f->wait.item[i], event = f->t->flow_refs.event[ref];
        if (f->t->flow_refs.bound) {
            f->t->flow_refs.bound[ref] = pf_flow_bound(slice);
        }
        PF_TRY(chrome_place(f, event, f->t->flow_refs.id[ref], &place, err));
        const pf_chrome_flow *flow = &f->chrome.flow[place];
        if (flow->last == 0) {
            pf_trace_count_event(f->t, PF_STAT_FLOW_END_NO_START, flow->event);
        } else {
            PF_TRY(add_arrow(f, flow->last - 1, slice, flow->number - 1, flow->event, err));
        }
    }
    return PF_OK;
}
