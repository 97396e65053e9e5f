/* edit/json/json_survey.c - see json_survey.h.
 *
 * Events are paired while they are read: a note of each begin waits in its lane for the end, then it is known which
 * edges of windows the slice crosses, and what has to be added there. So memory holds what is open. Of lanes whose
 * events are out of order, as writers of accelerators like to leave them, all notes are kept in a second pass and
 * paired at its end, in order of time; at equal times ends come first, as in Perfetto's engine.
 */
#include "edit/json/json_survey.h"

#include <stdlib.h>

#include "base/list.h"
#include "base/str.h"

pf_status pf_json_survey_init(pf_json_survey *s, pf_budget *budget, pf_error *err)
{
    *s = (pf_json_survey){.budget = budget};
    pf_json_lanes_init(&s->lanes, budget);
    pf_map_init(&s->used, budget);
    pf_map_init(&s->complete, budget);
    pf_map_init(&s->replaced, budget);
    pf_map_init(&s->profiles, budget);
    pf_arena_init(&s->texts, budget);
    return pf_json_who_init(&s->who, budget, err);
}

void pf_json_survey_free(pf_json_survey *s)
{
    pf_json_who_free(&s->who);
    pf_json_lanes_free(&s->lanes);
    pf_map_free(&s->used);
    pf_map_free(&s->complete);
    pf_map_free(&s->replaced);
    pf_map_free(&s->profiles);
    PF_LIST_FREE(s->budget, s->profile, s->profile_room);
    pf_arena_free(&s->texts);
    pf_buffer_free(&s->scratch);
    PF_LIST_FREE(s->budget, s->bits, s->bit_words);
    PF_LIST_FREE(s->budget, s->added, s->added_room);
}

/* ---- windows ----------------------------------------------------------------------------------------------------- */

/* The first window that begins after `ts`. */
static uint32_t first_after(const pf_json_survey *s, int64_t ts)
{
    uint32_t low = 0, high = s->windows;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (s->window[middle].from > ts) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

static pf_status use(pf_json_survey *s, uint32_t window, uint32_t thread, pf_error *err)
{
    if (pf_json_is_used(s, window, thread)) {
        return PF_OK;
    }
    uint64_t key = (uint64_t)window << 32, process = PF_JSON_ANY_THREAD + s->who.thread[thread].process;
    PF_TRY(pf_map_put(&s->used, key | process, 1, err));
    return pf_map_put(&s->used, key | thread, 1, err);
}

/* Something of the thread lies in [ts, end]. */
static pf_status use_windows(pf_json_survey *s, uint32_t thread, int64_t ts, int64_t end, pf_error *err)
{
    for (uint32_t i = first_after(s, end); i-- > 0;) {
        const pf_json_window *w = &s->window[i];
        if (ts < w->to && (end > w->from || ts >= w->from)) {
            PF_TRY(use(s, i, thread, err));
        } else if (s->disjoint && w->to <= ts) {
            break;
        }
    }
    return PF_OK;
}

/* Something of the thread needs both times in its window. */
static pf_status use_windows_of(pf_json_survey *s, uint32_t thread, int64_t ts, int64_t other, pf_error *err)
{
    int64_t first = ts < other ? ts : other, last = ts < other ? other : ts;
    for (uint32_t i = first_after(s, first); i-- > 0;) {
        if (last < s->window[i].to) {
            PF_TRY(use(s, i, thread, err));
        } else if (s->disjoint) {
            break;
        }
    }
    return PF_OK;
}

/* ---- bits -------------------------------------------------------------------------------------------------------- */

enum { DROPPED = 1, MARKED = 2 };

static pf_status number_linked(pf_json_survey *s, uint64_t *number, pf_error *err)
{
    *number = s->linked++;
    size_t words = (size_t)(*number / 32 + 1), had = s->bit_words;
    PF_TRY(PF_LIST_ROOM(s->budget, s->bits, words, s->bit_words, err));
    if (s->bit_words > had) {
        memset(s->bits + had, 0, (s->bit_words - had) * sizeof *s->bits);
    }
    return PF_OK;
}

static void set_bits(pf_json_survey *s, uint64_t number, uint64_t bits)
{
    s->bits[number / 32] |= bits << (number % 32 * 2);
}

/* ---- what is added ----------------------------------------------------------------------------------------------- */

static pf_bytes bytes_of(const pf_json_survey *s, const pf_json_note *n)
{
    const pf_json_seen seen = {.bytes = n->bytes, .limit = s->limit};
    return n->len ? (pf_bytes){n->bytes, n->len} : pf_json_event_bytes(&seen);
}

static pf_status put_clipped(pf_json_survey *s, pf_bytes event, bool other_args, const pf_json_clip *clip, pf_str *text,
                             pf_error *err)
{
    s->scratch.len = 0;
    pf_json_put_clipped(&s->scratch, event, other_args ? PF_STR(PF_JSON_OTHER_ARGS_KEY) : PF_STR("args"), clip);
    *text =
        (pf_str){s->scratch.failed ? NULL : pf_arena_copy(&s->texts, s->scratch.data, s->scratch.len), s->scratch.len};
    return text->ptr ? PF_OK : pf_budget_refused(s->budget, s->scratch.len, err);
}

static pf_status add(pf_json_survey *s, const pf_json_note *n, const pf_json_added *what, pf_json_clip clip,
                     pf_error *err)
{
    clip.moves = true;
    clip.cycles = s->cycles;
    pf_str text;
    PF_TRY(put_clipped(s, bytes_of(s, n), n->other_args, &clip, &text, err));
    PF_TRY(PF_LIST_ROOM(s->budget, s->added, s->added_count + 1, s->added_room, err));
    s->added[s->added_count] = *what;
    s->added[s->added_count].number = s->added_count;
    s->added[s->added_count++].text = text;
    return PF_OK;
}

/* The begin of a slice until `end`, for the windows that begin inside it. `last`: the event; NULL: it has none. */
static pf_status add_begins(pf_json_survey *s, const pf_json_note *n, int64_t end, const pf_json_note *last,
                            pf_error *err)
{
    for (uint32_t i = first_after(s, n->ts); i < s->windows && s->window[i].from < end; i++) {
        const pf_json_added what = {.window = i,
                                    .thread = n->thread,
                                    .begins = true,
                                    .nests = n->phase == 'B',
                                    .bounded = last && last->plain,
                                    .other_args = n->other_args,
                                    .ts = n->ts,
                                    .end = end,
                                    .linked = last ? last->number : 0};
        PF_TRY(add(s, n, &what, (pf_json_clip){.ts = s->window[i].from, .dur = -1, .begins = true, .original = n->ts},
                   err));
    }
    return PF_OK;
}

/* The end of the slice [begin, end), for the windows that end inside it; where its own event `n` comes later than it
 * ends, for those that end before that too, so that it does not last for ever there. */
static pf_status add_ends(pf_json_survey *s, const pf_json_note *n, int64_t begin, int64_t end, pf_error *err)
{
    for (uint32_t i = first_after(s, n->ts); i-- > 0;) {
        const pf_json_window *w = &s->window[i];
        bool clipped = begin < w->to && w->to < end;
        if (clipped || (end < n->ts && w->to >= end && w->to <= n->ts && w->from < end && begin < w->to)) {
            const pf_json_added what = {
                .window = i, .thread = n->thread, .tail = true, .ends = clipped, .ts = n->ts, .linked = n->number};
            const pf_json_clip clip = {.ts = clipped ? w->to : end, .dur = -1, .ends = clipped, .original_end = end};
            PF_TRY(add(s, n, &what, clip, err));
        } else if (s->disjoint && w->to <= begin) {
            break;
        }
    }
    return PF_OK;
}

/* ---- begins, ends, arrows ---------------------------------------------------------------------------------------- */

/* When a slice ends whose own end is `end`. */
static int64_t end_of(const pf_json_note *begin, const pf_json_note *end)
{
    return begin->closed < end->ts ? begin->closed : end->ts;
}

/* A slice is known: the notes of its begin and its end. */
static pf_status settle(pf_json_survey *s, const pf_json_note *begin, const pf_json_note *end, pf_error *err)
{
    int64_t last = end_of(begin, end), dur;
    if (__builtin_sub_overflow(last, begin->ts, &dur)) {
        dur = INT64_MAX;
    }
    if (begin->dropped || dur < s->least_dur) {
        set_bits(s, begin->number, DROPPED);
        set_bits(s, end->number, DROPPED);
        return PF_OK;
    }
    set_bits(s, end->number, dur > 0 && last == end->ts ? MARKED : 0);
    PF_TRY(use_windows(s, begin->thread, begin->ts, last, err));
    PF_TRY(end->thread == begin->thread ? PF_OK : use_windows(s, end->thread, begin->ts, last, err));
    PF_TRY(last == end->ts ? PF_OK : use_windows(s, end->thread, end->ts, end->ts, err));
    PF_TRY(add_begins(s, begin, last, end, err));
    return add_ends(s, end, begin->ts, last, err);
}

/* A begin waits, an end finds its begin. */
static pf_status pair(pf_json_survey *s, uint32_t lane, uint32_t note, pf_error *err)
{
    pf_json_lanes *l = &s->lanes;
    if (l->note[note].action == PF_JSON_BEGIN) {
        l->note[note].below = l->lane[lane].top;
        l->lane[lane].top = note;
        return PF_OK;
    }
    uint32_t begin = pf_json_take_begin(l, lane, note);
    pf_status st = PF_OK;
    if (begin != PF_NONE) {
        st = settle(s, &l->note[begin], &l->note[note], err);
        pf_json_drop_note(l, begin);
    } else if (s->least_dur > 0 || (s->select && (s->select->category.keep_count || s->select->category.drop_count))) {
        set_bits(s, l->note[note].number, DROPPED);
    } else {
        st = use_windows(s, l->note[note].thread, l->note[note].ts, l->note[note].ts, err);
    }
    pf_json_drop_note(l, note);
    return st;
}

/* The windows in which an end of an arrow lies, as a number that is the same for the same windows. */
static uint64_t windows_of(const pf_json_survey *s, int64_t ts)
{
    uint64_t all = 0;
    for (uint32_t i = first_after(s, ts); i-- > 0;) {
        if (ts < s->window[i].to) {
            all = pf_hash_add(all, i);
        } else if (s->disjoint) {
            break;
        }
    }
    return all;
}

/* All ends of an arrow are there, or the document is over. */
static void settle_arrow(pf_json_survey *s, pf_json_lane *lane)
{
    pf_json_lanes *l = &s->lanes;
    bool outside = false;
    for (uint32_t i = lane->top; i != PF_NONE; i = l->note[i].below) {
        outside |= windows_of(s, l->note[i].ts) != windows_of(s, l->note[lane->top].ts);
    }
    for (uint32_t i = lane->top, below; i != PF_NONE; i = below) {
        below = l->note[i].below;
        set_bits(s, l->note[i].number, outside ? MARKED : 0);
        pf_json_drop_note(l, i);
    }
    lane->top = PF_NONE;
    lane->ends = 0;
}

static pf_status see_linked(pf_json_survey *s, const pf_json_seen *e, pf_json_action action, uint32_t thread,
                            pf_error *err)
{
    pf_json_lanes *l = &s->lanes;
    uint64_t number;
    uint32_t at, note;
    PF_TRY(number_linked(s, &number, err));
    bool taken = pf_json_takes(s, e, action, thread);
    bool own = !taken && action == PF_JSON_BEGIN && pf_json_takes_place(s, e, thread);
    if (!(e->r->flags & PF_JSON_HAS_TS) || (!taken && !own)) {
        set_bits(s, number, taken ? 0 : DROPPED);
        return PF_OK;
    }
    PF_TRY(action == PF_JSON_ARROW ? use_windows(s, thread, e->r->ts, e->r->ts, err) : PF_OK);
    PF_TRY(pf_json_lane_of(l, e, action, thread, s->who.thread[thread].process, &at, err));
    PF_TRY(pf_json_note_event(l, e, action, thread, &note, err));
    l->note[note].number = number;
    l->note[note].dropped = !taken;
    pf_json_lane *lane = &l->lane[at];
    if (action != PF_JSON_ARROW && !lane->sorts) {
        lane->late |= e->r->ts < lane->latest;
        lane->latest = e->r->ts;
        return pair(s, at, note, err);
    }
    l->note[note].below = lane->top;
    lane->top = note;
    lane->ends |= e->r->phase == 's' ? 1 : e->r->phase == 'f' ? 2 : 0;
    if (action == PF_JSON_ARROW && lane->ends == 3) {
        settle_arrow(s, lane);
    }
    return PF_OK;
}

/* ---- complete events, samples ------------------------------------------------------------------------------------ */

/* A complete event that crosses an edge of the window; a note of it is made for the first such window. */
static pf_status add_complete(pf_json_survey *s, const pf_json_seen *e, uint32_t thread, uint32_t window,
                              uint32_t *note, pf_error *err)
{
    const pf_json_window *w = &s->window[window];
    int64_t ts = e->r->ts, end = ts + e->r->dur, from = ts < w->from ? w->from : ts, to = end < w->to ? end : w->to;
    const pf_json_added what = {
        .window = window, .thread = thread, .begins = from > ts, .ends = to < end, .ts = ts, .dur = e->r->dur};
    const pf_json_clip clip = {
        .ts = from, .dur = to - from, .begins = from > ts, .ends = to < end, .original = ts, .original_end = end};
    if (*note == PF_NONE) {
        PF_TRY(pf_json_note_event(&s->lanes, e, PF_JSON_COMPLETE, thread, note, err));
    }
    return add(s, &s->lanes.note[*note], &what, clip, err);
}

static pf_status see_complete(pf_json_survey *s, const pf_json_seen *e, uint32_t thread, pf_error *err)
{
    int64_t ts = e->r->ts, end = ts + e->r->dur;
    uint32_t note = PF_NONE;
    pf_status st = PF_OK;
    if (e->r->dur < s->least_dur) {
        return PF_OK;
    }
    PF_TRY(use_windows(s, thread, ts, end, err));
    for (uint32_t i = first_after(s, end - (end > ts)); i-- > 0 && st == PF_OK;) {
        const pf_json_window *w = &s->window[i];
        if (ts <= w->from) {
            PF_TRY(pf_map_put(&s->complete, (uint64_t)i << 32 | thread, true, err));
        }
        if (ts < w->to && (ts < w->from || end > w->to)) {
            st = add_complete(s, e, thread, i, &note, err);
        } else if (s->disjoint && w->to <= ts) {
            break;
        }
    }
    if (note != PF_NONE) {
        pf_json_drop_note(&s->lanes, note);
    }
    return st;
}

/* Of the values between the begins of two windows the last one stays. */
static pf_status see_sample(pf_json_survey *s, const pf_json_seen *e, uint32_t thread, pf_error *err)
{
    pf_json_lanes *l = &s->lanes;
    uint32_t window = first_after(s, e->r->ts), at, note;
    if (window == s->windows) {
        return PF_OK;
    }
    PF_TRY(pf_json_lane_of(l, e, PF_JSON_SAMPLE, thread, s->who.thread[thread].process, &at, err));
    uint32_t *place = &l->lane[at].top;
    while (*place != PF_NONE && l->note[*place].number > window) {
        place = &l->note[*place].below;
    }
    uint32_t below = *place;
    if (below != PF_NONE && l->note[below].number == window) {
        if (l->note[below].ts > e->r->ts) {
            return PF_OK;
        }
        *place = l->note[below].below;
        pf_json_drop_note(l, below);
        below = *place;
    }
    /* making a note may move the others */
    bool top = place == &l->lane[at].top;
    size_t offset = top ? 0 : (size_t)((const char *)place - (const char *)l->note);
    PF_TRY(pf_json_note_event(l, e, PF_JSON_SAMPLE, thread, &note, err));
    place = top ? &l->lane[at].top : (uint32_t *)((char *)l->note + offset);
    l->note[note].number = window;
    l->note[note].below = below;
    *place = note;
    return PF_OK;
}

static void cover(pf_json_one *process, const pf_json_record *r, pf_json_action action)
{
    if (r->flags & PF_JSON_HAS_TS && action != PF_JSON_ABOUT) {
        int64_t end = action == PF_JSON_COMPLETE ? r->ts + r->dur : r->ts;
        process->first = r->ts < process->first ? r->ts : process->first;
        process->last = end > process->last ? end : process->last;
    }
}

static pf_status see_event(void *ctx, const pf_json_seen *e, pf_error *err)
{
    pf_json_survey *s = ctx;
    pf_json_action action = pf_json_action_of(e->r);
    uint32_t thread;
    int64_t start;
    s->limit = e->limit;
    s->cycles = e->cycles;
    PF_TRY(pf_json_who_is(&s->who, e, &thread, err));
    cover(&s->who.process[s->who.thread[thread].process], e->r, action);
    if (pf_json_is_linked(action)) {
        return see_linked(s, e, action, thread, err);
    }
    bool taken = pf_json_takes(s, e, action, thread);
    uint32_t process = s->who.thread[thread].process;
    PF_TRY(pf_json_note_profile(s, e, process, taken, err));
    if (!(e->r->flags & PF_JSON_HAS_TS) || action == PF_JSON_ABOUT || !taken) {
        return PF_OK;
    }
    if (action == PF_JSON_COMPLETE) {
        return see_complete(s, e, thread, err);
    }
    PF_TRY(pf_json_start_of(s, e, process, &start, err));
    PF_TRY(use_windows_of(s, thread, start, e->r->ts, err));
    return action == PF_JSON_SAMPLE ? see_sample(s, e, thread, err) : PF_OK;
}

/* ---- the end of the document ------------------------------------------------------------------------------------- */

static int by_time(const void *a, const void *b)
{
    const pf_json_note *x = a, *y = b;
    if (x->ts != y->ts) {
        return x->ts < y->ts ? -1 : 1;
    }
    if (x->action != y->action) {
        return x->action == PF_JSON_END ? -1 : 1;
    }
    return x->number < y->number ? -1 : x->number > y->number;
}

/* Pairs the events of a lane that were kept for that. They are put into the notes again in order of time. */
static pf_status pair_late(pf_json_survey *s, uint32_t lane, pf_error *err)
{
    pf_json_lanes *l = &s->lanes;
    pf_json_note *sorted = NULL;
    uint32_t count = 0, room = 0, i = l->lane[lane].top;
    pf_status st = PF_OK;
    for (; i != PF_NONE && st == PF_OK; i = l->note[i].below) {
        st = PF_LIST_ROOM(s->budget, sorted, count + 1, room, err);
        if (st == PF_OK) {
            sorted[count] = l->note[i];
            sorted[count++].below = i;
        }
    }
    if (st == PF_OK && count) {
        qsort(sorted, count, sizeof *sorted, by_time);
    }
    l->lane[lane].top = st == PF_OK ? PF_NONE : l->lane[lane].top;
    for (i = 0; i < count && st == PF_OK; i++) {
        st = pair(s, lane, sorted[i].below, err);
    }
    PF_LIST_FREE(s->budget, sorted, room);
    return st;
}

/* What is never ended, from the innermost on: there are begins for all windows after it. */
static pf_status add_endless(pf_json_survey *s, const pf_json_lane *lane, pf_error *err)
{
    for (uint32_t i = lane->top; i != PF_NONE; i = s->lanes.note[i].below) {
        const pf_json_note *n = &s->lanes.note[i];
        if (n->dropped) {
            set_bits(s, n->number, DROPPED);
        } else {
            PF_TRY(use_windows(s, n->thread, n->ts, n->closed, err));
            PF_TRY(add_begins(s, n, n->closed, NULL, err));
        }
    }
    return PF_OK;
}

/* A counter's value stays until the next one. */
static pf_status add_samples(pf_json_survey *s, const pf_json_lane *lane, pf_error *err)
{
    uint32_t end = s->windows;
    for (uint32_t i = lane->top; i != PF_NONE; i = s->lanes.note[i].below) {
        const pf_json_note *n = &s->lanes.note[i];
        for (uint32_t w = (uint32_t)n->number; w < end; w++) {
            const pf_json_added what = {.window = w, .thread = n->thread, .ts = n->ts};
            PF_TRY(use(s, w, n->thread, err));
            PF_TRY(add(s, n, &what, (pf_json_clip){.ts = s->window[w].from, .dur = -1}, err));
        }
        end = (uint32_t)n->number;
    }
    return PF_OK;
}

/* By window; head before tail. At the head what began first, then what is longest; at the tail what ends first. */
static int by_place(const void *a, const void *b)
{
    const pf_json_added *x = a, *y = b;
    if (x->window != y->window) {
        return x->window < y->window ? -1 : 1;
    }
    if (x->tail != y->tail) {
        return x->tail ? 1 : -1;
    }
    if (x->ts != y->ts) {
        return x->ts < y->ts ? -1 : 1;
    }
    if (x->dur != y->dur) {
        return x->dur > y->dur ? -1 : 1;
    }
    return x->number < y->number ? -1 : x->number > y->number;
}

static uint64_t replaced_key(const pf_json_survey *s, uint32_t window, uint64_t end)
{
    return pf_hash_add(pf_hash_add(s->budget->seed, window), end);
}

bool pf_json_is_replaced(const pf_json_survey *s, uint32_t window, uint64_t end)
{
    return pf_map_get(&s->replaced, replaced_key(s, window, end)) != PF_NONE;
}

/* Makes the begin a complete event, which ends with the window at the latest. */
static pf_status complete_begin(pf_json_survey *s, pf_json_added *a, pf_error *err)
{
    const pf_json_window *w = &s->window[a->window];
    int64_t to = a->end < w->to ? a->end : w->to;
    const pf_json_clip clip = {.moves = true,
                               .ts = w->from,
                               .dur = to - w->from,
                               .begins = true,
                               .ends = to < a->end,
                               .original = a->ts,
                               .original_end = a->end,
                               .complete = true,
                               .cycles = s->cycles};
    pf_bytes event = {(const uint8_t *)a->text.ptr, a->text.len};
    PF_TRY(pf_map_put(&s->replaced, replaced_key(s, a->window, a->linked), 1, err));
    a->ends = clip.ends;
    return put_clipped(s, event, a->other_args, &clip, &a->text, err);
}

/* At equal times Perfetto's engine takes complete events for the parents of what only begins. So where one lies at the
 * window's start the slices that are open there become complete events too, the outermost first, as far as they can:
 * one without an end, or whose end has arguments, stays a begin, and what lies in it. */
static pf_status complete_begins(pf_json_survey *s, pf_error *err)
{
    for (uint32_t i = 0; i < s->added_count; i++) {
        pf_json_added *a = &s->added[i];
        uint64_t key = (uint64_t)a->window << 32 | a->thread;
        if (a->nests && pf_map_get(&s->complete, key) == true) {
            PF_TRY(a->bounded ? complete_begin(s, a, err) : pf_map_put(&s->complete, key, false, err));
        }
    }
    return PF_OK;
}

static pf_status finish(pf_json_survey *s, pf_error *err)
{
    for (uint32_t i = 0; i < s->lanes.count; i++) {
        pf_json_lane *lane = &s->lanes.lane[i];
        if (lane->action == PF_JSON_ARROW) {
            settle_arrow(s, lane);
        } else if (lane->action == PF_JSON_SAMPLE) {
            PF_TRY(add_samples(s, lane, err));
        } else {
            PF_TRY(lane->sorts ? pair_late(s, i, err) : PF_OK);
            PF_TRY(add_endless(s, lane, err));
        }
    }
    if (s->added_count) {
        qsort(s->added, s->added_count, sizeof *s->added, by_place);
    }
    return complete_begins(s, err);
}

static pf_status run_once(pf_json_survey *s, const pf_json_source *from, pf_error *err)
{
    const pf_json_visitor visitor = {.ctx = s, .event = see_event};
    pf_json_document d;
    s->linked = 0;
    s->added_count = 0;
    pf_map_clear(&s->complete);
    pf_map_clear(&s->replaced);
    pf_map_clear(&s->profiles);
    s->profile_count = 0;
    pf_arena_reset(&s->texts);
    if (s->bit_words) {
        memset(s->bits, 0, s->bit_words * sizeof *s->bits);
    }
    PF_TRY(pf_json_walk(from, &visitor, &d, err));
    pf_status st = finish(s, err);
    pf_json_document_end(&d);
    return st;
}

static pf_status see_name(void *ctx, const pf_json_seen *e, pf_error *err)
{
    pf_json_survey *s = ctx;
    uint32_t thread;
    return pf_json_who_is(&s->who, e, &thread, err);
}

/* Names may come after what they name. */
static pf_status find_names(pf_json_survey *s, const pf_json_source *from, pf_error *err)
{
    const pf_json_visitor visitor = {.ctx = s, .event = see_name};
    pf_json_document d;
    PF_TRY(pf_json_walk(from, &visitor, &d, err));
    pf_json_document_end(&d);
    return PF_OK;
}

pf_status pf_json_survey_run(pf_json_survey *s, const pf_json_source *from, pf_error *err)
{
    s->has_places = s->select && pf_filters_have_places(s->select);
    PF_TRY(s->has_places ? find_names(s, from, err) : PF_OK);
    s->disjoint = true;
    for (uint32_t i = 1; i < s->windows; i++) {
        s->disjoint &= s->window[i - 1].to <= s->window[i].from;
    }
    PF_TRY(run_once(s, from, err));
    return pf_json_lanes_restart(&s->lanes) ? run_once(s, from, err) : PF_OK;
}
