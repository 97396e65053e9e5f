/* edit/state/flow_links.c - see flow_links.h. */
#include "edit/state/flow_links.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/ordering.h"
#include "base/threads/threads.h"
#include "perfetto/fields.h"

#define PF_FLOWS_MAX (1u << 20)
#define OVER_MAX (1u << 16) /* flows that are over before the windows */
#define SAME_MAX 64u        /* slices of a flow that are looked at before all are known */

void pf_flows_init(pf_edit_flows *f, pf_budget *budget)
{
    *f = (pf_edit_flows){.budget = budget};
    pf_map_init(&f->by_id, budget);
}

void pf_flows_free(pf_edit_flows *f)
{
    pf_map_free(&f->by_id);
    PF_LIST_FREE(f->budget, f->list, f->room);
    PF_LIST_FREE(f->budget, f->known, f->known_room);
}

static bool lies_before(const pf_edit_flows *f, uint32_t slice)
{
    return f->list[slice].ts < f->from && f->list[slice].end <= f->from;
}

/* A place in the list: a new one, or that of a slice which no window needs any more, since the one after it lies before
 * them, too, or the flow is over. PF_NONE: there is no room. */
static pf_status find_place(pf_edit_flows *f, uint32_t last, uint32_t *place, pf_error *err)
{
    uint32_t before = last == PF_NONE ? PF_NONE : f->list[last].before;
    *place = PF_NONE;
    if (before != PF_NONE && f->list[last].step == PF_FLOW_ARRIVES && lies_before(f, last)) { /* it stays before */
        *place = last;
    } else if (before != PF_NONE && lies_before(f, last) && lies_before(f, before) &&
               f->list[before].step != PF_FLOW_ENDS) { /* the one before that does not run on to the last */
        *place = before;
        f->list[last].before = PF_NONE;
        f->list[last].step = f->list[last].step == PF_FLOW_STEPS ? PF_FLOW_BEGINS : f->list[last].step;
    } else if (f->count < PF_FLOWS_MAX && f->over < OVER_MAX) {
        PF_TRY(PF_LIST_ROOM(f->budget, f->list, f->count + 1, f->room, err));
        *place = f->count++;
    } else if (f->over) {
        do {
            f->spare = (f->spare + 1) % f->count;
        } while (!f->list[f->spare].over);
        *place = f->spare;
        f->over--;
    }
    return PF_OK;
}

/* The last slice of the flow so far; PF_NONE: none, or none that is at hand. */
static uint32_t find_last(const pf_edit_flows *f, uint64_t id, bool is_after)
{
    uint32_t recent = is_after ? f->recent[id % PF_FLOWS_RECENT] : 0;
    return recent && f->list[recent - 1].id == id ? recent - 1 : pf_map_get(&f->by_id, id);
}

/* A flow goes on at the slice, or ends there. */
static pf_status take_one(pf_edit_flows *f, uint64_t id, pf_flow_step step, const pf_flow_slice *slice,
                          pf_flow_use *use, pf_error *err)
{
    bool is_after = slice && slice->ts >= f->to;
    uint32_t last = find_last(f, id, is_after), place;
    if (!slice || (last != PF_NONE && f->list[last].ts >= f->to && slice->at >= f->list[last].at)) {
        return PF_OK;
    }
    bool is_over = step == PF_FLOW_ENDS && slice->ts < f->from && slice->end <= f->from && last != PF_NONE &&
                   f->list[last].step == PF_FLOW_GOES_ON && lies_before(f, last);
    place = last;
    PF_TRY(is_over ? PF_OK : find_place(f, last, &place, err));
    if (place == PF_NONE) {
        return PF_OK;
    }
    uint32_t before = place == last ? f->list[last].before : last;
    f->list[place] = *slice;
    f->list[place].id = id;
    f->list[place].step = step;
    f->list[place].before = before;
    f->list[place].after = f->list[place].next = PF_NONE;
    f->list[place].sibling = *use - 1;
    f->list[place].over = is_over;
    *use = 1 + place;
    if (is_over) {
        f->over++;
        pf_map_drop(&f->by_id, id);
    } else if (is_after) {
        f->recent[id % PF_FLOWS_RECENT] = 1 + place;
    }
    return is_over || is_after ? PF_OK : pf_map_put(&f->by_id, id, place, err);
}

pf_status pf_flows_take_id(pf_edit_flows *f, uint64_t id, pf_flow_step step, const pf_flow_slice *slice,
                           pf_flow_use *use, pf_error *err)
{
    *use = 0;
    return take_one(f, id, step, slice, use, err);
}

/* The flow that a legacy event binds to its slice, in a direction. */
static pf_status take_bound(pf_edit_flows *f, const pf_field *event, const pf_flow_slice *slice, pf_flow_use *use,
                            pf_error *err)
{
    static const pf_flow_step steps[] = {PF_FLOW_ARRIVES, PF_FLOW_BEGINS, PF_FLOW_STEPS}; /* in, out, both */
    const pf_field legacy = pf_cursor_last(pf_field_cursor(event), PF_TAG_BYTES(PF_F_EVENT_LEGACY_EVENT));
    PF_CURSOR_FIELDS(l, pf_field_cursor(&legacy), PF_AT_VARINT(PF_F_LEGACY_BIND_ID),
                     PF_AT_VARINT(PF_F_LEGACY_FLOW_DIRECTION));
    uint64_t direction = l[PF_F_LEGACY_FLOW_DIRECTION].value - 1;
    bool bound = l[PF_F_LEGACY_BIND_ID].tag && direction < sizeof steps / sizeof *steps;
    return bound ? take_one(f, l[PF_F_LEGACY_BIND_ID].value, steps[direction], slice, use, err) : PF_OK;
}

pf_status pf_flows_take(pf_edit_flows *f, const pf_field *event, const pf_flow_slice *slice, pf_flow_use *use,
                        pf_error *err)
{
    static const uint8_t fields[] = {PF_F_EVENT_FLOW_IDS, PF_F_EVENT_FLOW_IDS_OLD, PF_F_EVENT_TERMINATING_FLOW_IDS,
                                     PF_F_EVENT_TERMINATING_FLOW_IDS_OLD};
    uint64_t id;
    *use = 0;
    PF_TRY(take_bound(f, event, slice, use, err));
    for (uint32_t i = 0; i < sizeof fields; i++) {
        pf_numbers ids = pf_numbers_of(pf_field_cursor(event), fields[i], i % 2 == 0);
        while (pf_numbers_next(&ids, &id)) {
            PF_TRY(take_one(f, id, i >= 2 ? PF_FLOW_ENDS : PF_FLOW_GOES_ON, slice, use, err));
        }
    }
    return PF_OK;
}

void pf_flows_end(pf_edit_flows *f, pf_flow_use use, int64_t end)
{
    for (uint32_t i = use - 1; i != PF_NONE; i = f->list[i].sibling) {
        f->list[i].end = end;
    }
}

static int by_time(const void *a, const void *b)
{
    const pf_flow_slice *x = *(const pf_flow_slice *const *)a, *y = *(const pf_flow_slice *const *)b;
    int order = PF_COMPARE(x->id, y->id);
    order = order ? order : PF_COMPARE(x->at, y->at);
    return order ? order : PF_COMPARE(x->number, y->number);
}

/* Two threads link: each the flows of a half of the ids. */
static uint64_t half_of(uint64_t id)
{
    return id * 0x9e3779b97f4a7c15u >> 63;
}

/* Runs along the slices in the order of ids and times. */
static void link_all(pf_flow_slice *list, pf_flow_slice **sorted, uint32_t count)
{
    pf_flow_slice *last = NULL, *tail = NULL;
    for (uint32_t i = 0; i < count; i++) {
        pf_flow_slice *s = sorted[i];
        s->next = i + 1 < count && sorted[i + 1]->id == s->id ? (uint32_t)(sorted[i + 1] - list) : PF_NONE;
        last = last && last->id == s->id ? last : NULL;
        if (last && last->number != s->number && s->step != PF_FLOW_BEGINS) {
            tail->after = (uint32_t)(s - list);
            s->before = (uint32_t)(last - list);
            tail = s;
        }
        bool moves =
            s->step == PF_FLOW_GOES_ON || (s->step == PF_FLOW_BEGINS && !last) || (s->step == PF_FLOW_STEPS && last);
        last = s->step == PF_FLOW_ENDS ? NULL : moves ? s : last;
        tail = moves ? s : tail;
    }
}

/* Links the slices that have an id of this half which a slice of the windows has. Nobody asks for the links of others.
 */
static pf_status link_ours(pf_edit_flows *f, uint64_t half, pf_flow_slice **sorted, pf_error *err)
{
    pf_map ids;
    pf_status st = PF_OK;
    uint32_t count = 0;
    pf_map_init(&ids, f->budget);
    for (uint32_t i = 0; i < f->count && st == PF_OK; i++) {
        const pf_flow_slice *s = &f->list[i];
        st = half_of(s->id) == half && pf_flow_lies_in(s, f->from, f->to) ? pf_map_put(&ids, s->id, 0, err) : PF_OK;
    }
    for (uint32_t i = 0; i < f->count && st == PF_OK && ids.count; i++) {
        if (half_of(f->list[i].id) == half && pf_map_get(&ids, f->list[i].id) != PF_NONE) {
            sorted[count++] = &f->list[i];
        }
    }
    if (count) {
        qsort(sorted, count, sizeof *sorted, by_time);
        link_all(f->list, sorted, count);
    }
    pf_map_free(&ids);
    return st;
}

static pf_status link_half(pf_edit_flows *f, uint64_t half, pf_error *err)
{
    pf_flow_slice **sorted = NULL;
    PF_TRY(PF_LIST_NEW(f->budget, sorted, f->count, err));
    pf_status st = link_ours(f, half, sorted, err);
    PF_LIST_FREE(f->budget, sorted, f->count);
    return st;
}

static pf_status link_even(void *flows, pf_error *err)
{
    return link_half(flows, 0, err);
}

static pf_status link_odd(void *flows, pf_error *err)
{
    return link_half(flows, 1, err);
}

pf_status pf_flows_link(pf_edit_flows *f, unsigned jobs, bool *same, pf_error *err)
{
    const pf_task halves[] = {{link_even, f}, {link_odd, f}};
    *same = f->count == f->known_count;
    for (uint32_t i = 0; i < f->count; i++) {
        f->list[i].before = PF_NONE;
        *same = *same && f->known[i].number == f->list[i].number && f->known[i].ts == f->list[i].ts &&
                f->known[i].end == f->list[i].end;
    }
    pf_status st = f->count ? pf_tasks_run(halves, 2, jobs, f->budget, err) : PF_OK;
    PF_LIST_FREE(f->budget, f->known, f->known_room);
    f->known = f->list;
    f->known_count = f->count;
    f->known_room = f->room;
    f->list = NULL;
    f->count = f->room = f->spare = f->over = 0;
    pf_map_clear(&f->by_id);
    memset(f->recent, 0, sizeof f->recent);
    return st;
}

uint64_t pf_flows_order(const pf_edit_flows *f, pf_flow_use use, int64_t from, int64_t to)
{
    const pf_flow_slice *same[SAME_MAX];
    uint64_t order = 0;
    for (uint32_t i = use - 1; i != PF_NONE; i = f->list[i].sibling) {
        uint32_t count = 0, at = pf_map_get(&f->by_id, f->list[i].id);
        for (; at != PF_NONE && count < SAME_MAX; at = f->list[at].before) {
            same[count++] = &f->list[at];
        }
        qsort(same, count, sizeof *same, by_time);
        for (uint32_t k = 1; k < count; k++) {
            uint64_t known = pf_flow_order(same[k - 1], same[k], from, to);
            order = known > order ? known : order;
        }
    }
    return order;
}

/* The same of one of a slice. */
static bool stops(const pf_edit_flows *f, const pf_flow_slice *s, int64_t from, int64_t to)
{
    bool is_over = false;
    uint32_t i = s->step == PF_FLOW_GOES_ON ? s->next : PF_NONE;
    for (; i != PF_NONE && !pf_flow_lies_in(&f->known[i], from, to); i = f->known[i].next) {
        is_over |= f->known[i].step == PF_FLOW_ENDS;
    }
    return is_over && i != PF_NONE;
}

pf_status pf_flows_find_stopping(const pf_edit_flows *f, pf_flow_use use, bool ended, int64_t from, int64_t to,
                                 pf_map *ids, pf_error *err)
{
    const pf_flow_slice *list = ended ? f->known : f->list;
    for (uint32_t i = use - 1; i != PF_NONE; i = list[i].sibling) {
        bool known = i < f->known_count && f->known[i].number == list[i].number;
        if (known && stops(f, &f->known[i], from, to)) {
            PF_TRY(pf_map_put(ids, f->known[i].id, 0, err));
        }
    }
    return PF_OK;
}

bool pf_flows_ran_out(const pf_edit_flows *f, pf_flow_use use, int64_t from, int64_t to, uint64_t *id)
{
    for (uint32_t i = use - 1; i != PF_NONE; i = f->known[i].sibling) {
        if (pf_flow_runs_out(f, &f->known[i], from, to)) {
            *id = f->known[i].id;
            return true;
        }
    }
    return false;
}

bool pf_flows_run_out(const pf_edit_flows *f, pf_flow_use use, int64_t from, int64_t to, uint64_t *id)
{
    for (uint32_t i = use - 1; i != PF_NONE; i = f->list[i].sibling) {
        const pf_flow_slice *s = i < f->known_count ? &f->known[i] : NULL;
        if (s && s->number == f->list[i].number && pf_flow_runs_out(f, s, from, to)) {
            *id = s->id;
            return true;
        }
    }
    return false;
}
