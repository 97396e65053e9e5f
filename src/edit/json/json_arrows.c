/* edit/json/json_arrows.c - see json_arrows.h.
 *
 * Perfetto's engine ties an end of an arrow to the slice on top of its thread's stack, or (`f` without "bp": "e") to
 * the next one there. So an end is where its slice is: left out with it, and at the window's start where the slice is
 * open there, if another end is in the window too. The slice of an end is known when it comes, the end of that slice
 * perhaps later: until then the arrow waits on a chain of the slice's note. An end without a slice is where its time
 * is. Where an arrow comes from outside the first step in the window becomes its start.
 */
#include "edit/json/json_arrows.h"

#include "edit/json/json_spans.h"

#define SEARCH_MAX 4096u /* other ends that a step looks at */

/* The first window that the end comes after, while its slice is on top where that ends; PF_NONE: none. */
static uint32_t first_tail(const pf_json_survey *s, const pf_json_note *end)
{
    return s->tails.count ? pf_map_get(&s->tails, end->number) : PF_NONE;
}

static bool is_in(const pf_json_survey *s, const pf_json_note *end, uint32_t window)
{
    const pf_json_window *w = &s->window[window];
    return !end->dropped && (end->ts < w->to || first_tail(s, end) <= window) &&
           (end->bound ? end->end : end->ts) >= w->from;
}

/* Windows next to each other: from `first` on, before `end`. */
typedef struct range {
    uint32_t first, end;
} range;

/* Those in which an end of an arrow is. */
static range windows_of(const pf_json_survey *s, const pf_json_note *end)
{
    uint32_t last = pf_json_first_after(s, end->bound ? end->end : end->ts), i = last;
    while (i > 0 && is_in(s, end, i - 1)) {
        i--;
    }
    return i < last ? (range){i, last} : (range){0, 0};
}

/* Whether the arrow of an end in that window has an end outside of it; all: the windows that have all of its ends. */
static bool is_outside(const range *all, uint32_t window)
{
    return window < all->first || window >= all->end;
}

static bool comes_before(const pf_json_note *a, const pf_json_note *b)
{
    return a->ts < b->ts || (a->ts == b->ts && a->number < b->number);
}

/* Whether another end is in the window: for one that waits for its slice the start, or a step after one, since
 * otherwise the engine draws it from any slice. */
static bool has_other(const pf_json_survey *s, const pf_json_lane *lane, uint32_t end, uint32_t window)
{
    const pf_json_note *note = s->lanes.note, *start = NULL, *step = NULL;
    bool any = false;
    for (uint32_t i = lane->top; i != PF_NONE && !any; i = note[i].below) {
        bool in = i != end && is_in(s, &note[i], window);
        any = in && (!note[end].next || note[i].phase == 's');
        start = note[i].phase == 's' && (!start || comes_before(&note[i], start)) ? &note[i] : start;
        step = in && note[i].phase == 't' && (!step || comes_before(step, &note[i])) ? &note[i] : step;
    }
    return any || (start && step && comes_before(start, step));
}

/* Whether a step is the first of its arrow in the window, and the start is not in it. */
static bool starts_in(const pf_json_survey *s, const pf_json_lane *lane, uint32_t step, uint32_t window)
{
    const pf_json_note *note = s->lanes.note, *n = &note[step];
    bool outside = false;
    uint32_t i = n->phase == 't' && n->below != PF_NONE ? n->below : lane->top;
    for (uint32_t k = 0; n->phase == 't' && i != step && k < SEARCH_MAX; k++) {
        bool moves = note[i].phase != 'f' && comes_before(&note[i], n);
        if (moves && is_in(s, &note[i], window)) {
            return false;
        }
        outside |= moves && note[i].phase == 's';
        i = note[i].below != PF_NONE ? note[i].below : lane->top;
    }
    return outside;
}

/* For windows that begin between the end's time and the end of its slice. */
static pf_status add_heads(pf_json_survey *s, const pf_json_lane *lane, uint32_t end, const range *all, pf_error *err)
{
    const pf_json_note *n = &s->lanes.note[end];
    for (uint32_t i = pf_json_first_after(s, n->ts); i < s->windows && s->window[i].from <= n->end; i++) {
        if (!has_other(s, lane, end, i)) {
            continue;
        }
        const pf_json_added what = {.window = i, .thread = n->thread, .nests = true, .ts = n->ts, .order = n->number};
        const pf_json_clip clip = {.ts = s->window[i].from,
                                   .dur = -1,
                                   .begins = true,
                                   .original = n->ts,
                                   .outside = is_outside(all, i),
                                   .phase = starts_in(s, lane, end, i) ? 's' : 0};
        s->lanes.lane[n->category].moved = true;
        PF_TRY(pf_json_add(s, n, &what, clip, err));
    }
    return PF_OK;
}

/* For windows that end before the end's time. */
static pf_status add_tails(pf_json_survey *s, const pf_json_lane *lane, uint32_t end, const range *all, pf_error *err)
{
    const pf_json_note *n = &s->lanes.note[end];
    for (uint32_t i = first_tail(s, n); i < s->windows && s->window[i].to <= n->ts; i++) {
        const pf_json_added what = {.window = i, .thread = n->thread, .tail = true, .ts = n->ts, .order = n->number};
        const pf_json_clip clip = {.ts = s->window[i].to - 1,
                                   .dur = -1,
                                   .ends = true,
                                   .original_end = n->ts,
                                   .outside = is_outside(all, i),
                                   .phase = starts_in(s, lane, end, i) ? 's' : 0};
        PF_TRY(is_in(s, n, i) && has_other(s, lane, end, i) ? pf_json_add(s, n, &what, clip, err) : PF_OK);
    }
    return PF_OK;
}

/* Whether the end lies in a window in which its slice is not, or nothing that it waits for. */
static bool is_lost(const pf_json_survey *s, const pf_json_lane *lane, uint32_t end)
{
    const pf_json_note *n = &s->lanes.note[end];
    uint32_t w = pf_json_first_after(s, n->ts);
    return w && n->ts < s->window[w - 1].to && (!is_in(s, n, w - 1) || (n->next && !has_other(s, lane, end, w - 1)));
}

static pf_status settle_end(pf_json_survey *s, const pf_json_lane *lane, uint32_t end, const range *all, pf_error *err)
{
    const pf_json_note *n = &s->lanes.note[end];
    bool lost = is_lost(s, lane, end);
    uint32_t w = pf_json_first_after(s, n->ts);
    bool outside = w && is_outside(all, w - 1), starts = outside && starts_in(s, lane, end, w - 1);
    s->lanes.lane[n->category].moved |= lost;
    unsigned kept = starts ? PF_JSON_STARTS : outside ? PF_JSON_MARKED : 0;
    pf_json_set_bits(s, n->number, n->dropped || lost ? PF_JSON_DROPPED : kept);
    if (n->dropped) {
        return PF_OK;
    }
    if (n->bound) {
        PF_TRY(add_tails(s, lane, end, all, err));
        return add_heads(s, lane, end, all, err);
    }
    return lost ? PF_OK : pf_json_use_windows(s, n->thread, n->ts, n->ts, err);
}

pf_status pf_json_settle_arrow(pf_json_survey *s, pf_json_lane *lane, pf_error *err)
{
    pf_json_lanes *l = &s->lanes;
    range all = {0, UINT32_MAX}, any = {UINT32_MAX, 0};
    for (uint32_t i = lane->top; i != PF_NONE; i = l->note[i].below) {
        range own = windows_of(s, &l->note[i]);
        all = (range){own.first > all.first ? own.first : all.first, own.end < all.end ? own.end : all.end};
        any = (range){own.first < any.first ? own.first : any.first, own.end > any.end ? own.end : any.end};
    }
    for (uint32_t i = lane->top; i != PF_NONE; i = l->note[i].below) {
        l->lane[l->note[i].category].crosses |= all.first != any.first || all.end != any.end;
        PF_TRY(settle_end(s, lane, i, &all, err));
    }
    for (uint32_t i = lane->top, below; i != PF_NONE; i = below) {
        below = l->note[i].below;
        pf_json_drop_note(l, i);
    }
    lane->top = PF_NONE;
    lane->ends = 0;
    return PF_OK;
}

/* The slice of an end is known, until `until`; NULL: it has none. */
static pf_status resolve(pf_json_survey *s, uint32_t arrow, const pf_json_note *slice, int64_t until, pf_error *err)
{
    pf_json_note *end = &s->lanes.note[arrow];
    pf_json_lane *lane = &s->lanes.lane[end->name];
    if (slice) {
        end->bound = true;
        end->dropped = slice->dropped;
        end->end = until - (until > slice->ts && until < INT64_MAX);
    }
    return --lane->depth == 0 && lane->ends == 3 ? pf_json_settle_arrow(s, lane, err) : PF_OK;
}

pf_status pf_json_resolve_arrows(pf_json_survey *s, uint32_t *chain, const pf_json_note *slice, int64_t end,
                                 pf_error *err)
{
    for (uint32_t i = *chain, next; i != PF_NONE; i = next) {
        next = s->lanes.note[i].arrows;
        PF_TRY(resolve(s, i, slice, end, err));
    }
    *chain = PF_NONE;
    return PF_OK;
}

pf_status pf_json_take_pending(pf_json_survey *s, pf_json_lane *thread, uint32_t slice, pf_error *err)
{
    pf_json_note *n = &s->lanes.note[slice];
    if (n->end < INT64_MAX) {
        return pf_json_resolve_arrows(s, &thread->pending, n, n->end, err);
    }
    n->arrows = thread->pending;
    thread->pending = PF_NONE;
    return PF_OK;
}

/* An end comes to its slice, which is on top since some time. */
static pf_status note_tail(pf_json_survey *s, const pf_json_note *end, int64_t since, pf_error *err)
{
    uint32_t i = pf_json_first_after(s, since);
    i -= i && s->window[i - 1].to > since;
    return i < s->windows && s->window[i].to <= end->ts ? pf_map_put(&s->tails, end->number, i, err) : PF_OK;
}

pf_status pf_json_bind_arrow(pf_json_survey *s, pf_json_lane *thread, uint32_t arrow, bool known, pf_error *err)
{
    pf_json_note *end = &s->lanes.note[arrow], *top = NULL;
    uint32_t *chain = known && end->next ? &thread->pending : NULL;
    if (known && !end->next && thread->top != PF_NONE) {
        PF_TRY(note_tail(s, end, thread->since, err));
        top = &s->lanes.note[thread->top];
        chain = top->end == INT64_MAX ? &top->arrows : NULL;
    }
    if (!chain) {
        return resolve(s, arrow, top, top ? top->end : 0, err);
    }
    end->arrows = *chain;
    *chain = arrow;
    return PF_OK;
}
