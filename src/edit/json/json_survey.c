/* edit/json/json_survey.c - see json_survey.h.
 *
 * Events are paired while they are read, as Perfetto's engine does it (model/slices/stack_rule.h): notes of begins and
 * complete events lie on the stack of their lane until they are over. When the end of a slice is known, be it its own
 * or that of the slice around it, it is known which edges of windows it crosses, and what has to be added there. So
 * memory holds what is open. Of lanes with begins whose events are out of order, as writers of accelerators like to
 * leave them, all notes are kept in a second pass and paired at its end, in order of time; at equal times ends come
 * first, then complete events, the longest first. Complete events alone need order only for arrows (json_arrows.c).
 */
#include "edit/json/json_survey.h"

#include <stdlib.h>

#include "base/list.h"
#include "base/ordering.h"
#include "edit/json/json_arrows.h"
#include "edit/json/json_spans.h"

pf_status pf_json_survey_init(pf_json_survey *s, pf_budget *budget, pf_error *err)
{
    *s = (pf_json_survey){.budget = budget};
    pf_json_lanes_init(&s->lanes, budget);
    pf_map_init(&s->used, budget);
    pf_map_init(&s->begun, budget);
    pf_map_init(&s->tails, budget);
    pf_map_init(&s->profiles, budget);
    pf_map_init(&s->early_by_number, budget);
    pf_arena_init(&s->texts, budget);
    return pf_json_who_init(&s->who, budget, err);
}

void pf_json_survey_free(pf_json_survey *s)
{
    pf_json_who_free(&s->who);
    pf_json_lanes_free(&s->lanes);
    pf_map_free(&s->used);
    pf_map_free(&s->begun);
    pf_map_free(&s->tails);
    pf_map_free(&s->profiles);
    pf_map_free(&s->early_by_number);
    PF_LIST_FREE(s->budget, s->early, s->early_room);
    PF_LIST_FREE(s->budget, s->profile, s->profile_room);
    pf_arena_free(&s->texts);
    pf_buffer_free(&s->scratch);
    PF_LIST_FREE(s->budget, s->bits, s->bit_words);
    PF_LIST_FREE(s->budget, s->added, s->added_room);
}

#define DEEPEST 512u /* slices of a stack; the engine leaves out others, as the reader does */
#define NO_LENGTH (-1)
#define PASSES_MAX 3u /* the second one sorts lanes, one more knows what ends early in these */

static void push(pf_json_survey *s, pf_json_lane *lane, uint32_t note)
{
    s->lanes.note[note].below = lane->top;
    lane->top = note;
    lane->depth++;
    lane->finished += s->lanes.note[note].end < INT64_MAX;
    lane->begun = s->lanes.note[note].ts;
}

static void pop(pf_json_survey *s, pf_json_lane *lane)
{
    uint32_t top = lane->top;
    lane->top = s->lanes.note[top].below;
    lane->depth--;
    lane->finished -= s->lanes.note[top].end < INT64_MAX;
    pf_json_drop_note(&s->lanes, top);
}

/* A complete event ends with what is around it. */
static pf_status note_early(pf_json_survey *s, uint64_t number, const pf_json_ending *ending, bool alone, pf_error *err)
{
    uint32_t at = pf_map_get(&s->early_by_number, number);
    if (at == PF_NONE) {
        at = s->early_count;
        PF_TRY(PF_LIST_ROOM(s->budget, s->early, at + 1, s->early_room, err));
        PF_TRY(pf_map_put(&s->early_by_number, number, at, err));
        s->early[s->early_count++] = (pf_json_early){0};
    }
    pf_json_early *e = &s->early[at];
    s->early_differs |= e->pass + 1 != s->pass || e->end != ending->end;
    s->early_seen++;
    *e = (pf_json_early){ending->end, ending->seen, ending->tie, alone, s->pass};
    return PF_OK;
}

/* Whether it is an end that fits none, which an earlier cut put at its window's end: it belongs there. */
static bool is_alien(const pf_json_survey *s, const pf_json_note *n)
{
    return n->phase == 'E' && n->category == s->alien && !s->thins;
}

/* What lies on a finished slice ends with it, as an event at `seen` shows; all of them are over. */
static pf_status end_with(pf_json_survey *s, pf_json_lane *lane, uint32_t note, int64_t seen, pf_error *err)
{
    pf_json_note *list = s->lanes.note;
    const pf_json_ending e = {.end = list[note].end,
                              .seen = seen,
                              .tie = lane->begun == list[note].end,
                              .alone = list[note].dropped,
                              .alien = &lane->alien};
    uint32_t open = 0; /* begins that are kept */
    for (uint32_t i = lane->top; i != note; i = list[i].below) {
        open += list[i].end == INT64_MAX && !list[i].dropped;
    }
    while (lane->top != note) {
        pf_json_note *n = &s->lanes.note[lane->top];
        open -= n->end == INT64_MAX && !n->dropped;
        bool early = n->action == PF_JSON_COMPLETE && n->end > e.end;
        PF_TRY(n->end == INT64_MAX ? pf_json_settle(s, n, &e, err) : PF_OK);
        PF_TRY(early ? note_early(s, n->number, &e, e.alone || !open, err) : PF_OK);
        PF_TRY(pf_json_resolve_arrows(s, &n->arrows, n, e.end, err));
        pop(s, lane);
    }
    pop(s, lane);
    return PF_OK;
}

/* Takes off what is over when an event comes. *crosses: it would cross the end of what it lies on. */
static pf_status settle_stack(pf_json_survey *s, pf_json_lane *lane, const pf_json_note *event, bool *crosses,
                              pf_error *err)
{
    int64_t ts = event->ts, length = event->end < INT64_MAX ? event->end - ts : NO_LENGTH;
    bool open = false;
    *crosses = false;
    for (uint32_t i = lane->top, below; i != PF_NONE && lane->finished && !*crosses; i = below) {
        const pf_json_note *n = &s->lanes.note[i];
        bool touches = n->end == ts && (n->end != n->ts || length != 0);
        below = n->below;
        if (n->end == INT64_MAX) {
            open = true;
        } else if (open && n->end < ts) {
            open = false;
            PF_TRY(end_with(s, lane, i, ts - is_alien(s, event), err));
        } else if (!open && (n->end < ts || touches)) {
            pop(s, lane);
        } else if (!open) {
            *crosses = length > 0 && (uint64_t)length > (uint64_t)n->end - (uint64_t)ts;
        }
    }
    return PF_OK;
}

/* Whether the end may end the slice: pf_event_fits, of the stack rule, for notes. */
static bool fits(const pf_json_note *begin, const pf_json_note *end)
{
    return begin->end == INT64_MAX && (!end->name || end->name == begin->name) &&
           (!end->category || end->category == begin->category);
}

/* Whether an end that fits none might close a complete event that its window clips, which may become a begin there. */
static bool is_stray(const pf_json_survey *s, const pf_json_lane *lane, const pf_json_note *end)
{
    uint32_t w = pf_json_first_after(s, end->ts), i = w ? lane->top : PF_NONE;
    while (i != PF_NONE && (s->lanes.note[i].action != PF_JSON_COMPLETE || s->lanes.note[i].end < end->ts ||
                            s->lanes.note[i].ts > s->window[w - 1].from)) {
        i = s->lanes.note[i].below;
    }
    return i != PF_NONE;
}

static pf_status end_slice(pf_json_survey *s, pf_json_lane *lane, const pf_json_note *end, pf_error *err)
{
    pf_json_lanes *l = &s->lanes;
    uint32_t begin = lane->top;
    while (begin != PF_NONE && !fits(&l->note[begin], end)) {
        begin = l->note[begin].below;
    }
    if (begin != PF_NONE) {
        pf_json_note *n = &l->note[begin];
        PF_TRY(pf_json_settle(s, n, &(pf_json_ending){.own = end, .end = end->ts, .seen = end->ts}, err));
        PF_TRY(pf_json_resolve_arrows(s, &n->arrows, n, end->ts, err));
        n->end = end->ts;
        lane->finished++;
        if (begin == lane->top) {
            pop(s, lane);
        }
        return PF_OK;
    }
    if (s->thins || (!is_alien(s, end) && is_stray(s, lane, end))) {
        pf_json_set_bits(s, end->number, PF_JSON_DROPPED);
        return PF_OK;
    }
    pf_json_set_bits(s, end->number, is_alien(s, end) ? PF_JSON_MARKED : 0);
    return pf_json_use_windows(s, end->thread, end->ts - is_alien(s, end), end->ts, err);
}

/* The event of a note comes to the stack of its lane; a slice stays there for its end. */
static pf_status stack_slice(pf_json_survey *s, pf_json_lane *lane, uint32_t note, pf_error *err)
{
    const pf_json_note *n = &s->lanes.note[note];
    bool crosses;
    PF_TRY(settle_stack(s, lane, n, &crosses, err));
    if (n->action != PF_JSON_END && !crosses && lane->depth < DEEPEST) {
        push(s, lane, note);
        return pf_json_take_pending(s, lane, note, err);
    }
    PF_TRY(n->action == PF_JSON_END ? end_slice(s, lane, n, err) : PF_OK);
    PF_TRY(n->action == PF_JSON_BEGIN ? pf_json_use_windows(s, n->thread, n->ts, n->ts, err) : PF_OK);
    pf_json_drop_note(&s->lanes, note);
    return PF_OK;
}

static pf_status stack_event(pf_json_survey *s, pf_json_lane *lane, uint32_t note, pf_error *err)
{
    const pf_json_note *n = &s->lanes.note[note];
    uint32_t arrow = n->arrows, top = lane->top;
    int64_t ts = n->ts;
    if (n->action == PF_JSON_ARROW) {
        pf_json_drop_note(&s->lanes, note);
        return pf_json_bind_arrow(s, lane, arrow, true, err);
    }
    PF_TRY(stack_slice(s, lane, note, err));
    lane->since = lane->top != top ? ts : lane->since;
    return PF_OK;
}

/* The place of an event among those of its time, where the engine sorts them. */
static int64_t rank_of(uint8_t phase, uint8_t action, int64_t dur)
{
    return phase == 'E' ? INT64_MIN : action == PF_JSON_COMPLETE ? INT64_MAX - dur : INT64_MAX;
}

/* The engine sorts from the earliest event on that is out of order; once there was a complete event, one of the same
 * time as an earlier one is that, too (model/slices/processing_order.c). */
static void note_order(pf_json_survey *s, const pf_json_record *r)
{
    if (r->flags & PF_JSON_HAS_TS && r->ts >= 0) {
        s->has_complete |= r->phase == 'X';
        bool late = s->has_complete ? r->ts <= s->latest : r->ts < s->latest;
        s->ranks_from = late && r->ts < s->ranks_from ? r->ts : s->ranks_from;
        s->latest = r->ts > s->latest ? r->ts : s->latest;
    }
}

/* Notes when an event comes; false if its lane cannot be stacked in this pass. */
static bool keeps_order(pf_json_lane *lane, const pf_json_record *r, pf_json_action action)
{
    int64_t rank = rank_of(r->phase, action, r->dur);
    lane->begins |= action == PF_JSON_BEGIN || action == PF_JSON_END;
    lane->arrows |= action == PF_JSON_ARROW;
    bool tie = r->ts == lane->latest;
    lane->events += lane->events < UINT32_MAX;
    lane->late |= r->ts < lane->latest;
    lane->inverted = tie && rank < lane->rank && r->ts > lane->inverted ? r->ts : lane->inverted;
    lane->rank = tie && lane->rank > rank ? lane->rank : rank;
    lane->latest = r->ts;
    return !lane->late || lane->sorts;
}

static pf_status chain_or_stack(pf_json_survey *s, uint32_t at, uint32_t note, pf_error *err)
{
    pf_json_lane *lane = &s->lanes.lane[at];
    if (!lane->sorts) {
        return stack_event(s, lane, note, err);
    }
    s->lanes.note[note].below = lane->top;
    lane->top = note;
    return PF_OK;
}

/* An end of an arrow comes to two lanes: the arrow's, and its thread's, since it needs a slice there. */
static pf_status see_arrow(pf_json_survey *s, const pf_json_seen *e, uint32_t thread, uint32_t note, pf_error *err)
{
    pf_json_lanes *l = &s->lanes;
    uint32_t arrow, at, place;
    PF_TRY(pf_json_lane_of(l, e, PF_JSON_ARROW, thread, s->who.thread[thread].process, &arrow, err));
    PF_TRY(pf_json_thread_lane(l, thread, &at, err));
    pf_json_lane *lane = &l->lane[arrow];
    l->note[note].name = arrow;
    l->note[note].category = at;
    l->note[note].next = e->r->phase == 'f' && !(e->r->flags & PF_JSON_BIND_ENCLOSING);
    l->note[note].below = lane->top;
    lane->top = note;
    lane->depth++;
    lane->ends |= e->r->phase == 's' ? 1 : e->r->phase == 'f' ? 2 : 0;
    bool known = keeps_order(&l->lane[at], e->r, PF_JSON_ARROW);
    if (!known || !l->lane[at].sorts) {
        return pf_json_bind_arrow(s, &l->lane[at], note, known, err);
    }
    PF_TRY(pf_json_note_times(l, e, PF_JSON_ARROW, thread, &place, err));
    l->note[place].arrows = note;
    return chain_or_stack(s, at, place, err);
}

static pf_status see_linked(pf_json_survey *s, const pf_json_seen *e, pf_json_action action, uint32_t thread,
                            pf_error *err)
{
    pf_json_lanes *l = &s->lanes;
    uint64_t number;
    uint32_t at, note;
    PF_TRY(pf_json_number_linked(s, &number, err));
    bool taken = pf_json_takes(s, e, action, thread);
    bool own = !taken && action != PF_JSON_END && pf_json_takes_place(s, e, thread);
    if (!(e->r->flags & PF_JSON_HAS_TS) || (!taken && !own)) {
        pf_json_set_bits(s, number, taken ? 0 : PF_JSON_DROPPED);
        return PF_OK;
    }
    if (action != PF_JSON_ARROW) {
        PF_TRY(pf_json_lane_of(l, e, action, thread, s->who.thread[thread].process, &at, err));
        if (!keeps_order(&l->lane[at], e->r, action)) {
            return PF_OK;
        }
    }
    PF_TRY(pf_json_note_event(l, e, action, thread, &note, err));
    l->note[note].number = number;
    l->note[note].dropped = !taken;
    return action == PF_JSON_ARROW ? see_arrow(s, e, thread, note, err) : chain_or_stack(s, at, note, err);
}

/* Complete events, instants and the begins of their thread lie on one stack. */
static pf_status stack_whole(pf_json_survey *s, const pf_json_seen *e, pf_json_action action, uint32_t thread,
                             bool taken, pf_error *err)
{
    pf_json_lanes *l = &s->lanes;
    uint8_t phase = e->r->phase;
    bool complete = action == PF_JSON_COMPLETE;
    uint32_t at, note;
    if (!complete && ((phase != 'i' && phase != 'I' && phase != 'R') || (e->r->scope && e->r->scope != 't'))) {
        return PF_OK;
    }
    PF_TRY(pf_json_thread_lane(l, thread, &at, err));
    if (!keeps_order(&l->lane[at], e->r, action)) {
        return PF_OK;
    }
    PF_TRY(pf_json_note_times(l, e, action, thread, &note, err));
    l->note[note].end = e->r->ts + (complete ? e->r->dur : 0);
    l->note[note].number = s->completes;
    l->note[note].dropped = !taken || (complete && e->r->dur < s->least_dur);
    return chain_or_stack(s, at, note, err);
}

/* What the thread's clock shows at the end of a complete event; INT64_MIN: it does not say. */
static int64_t thread_end(const pf_json_seen *e)
{
    const pf_json_rare *rare = pf_json_rare_of(e->piece, e->r);
    int64_t end;
    bool said = (e->r->flags & PF_JSON_HAS_TTS) && (e->r->flags & PF_JSON_HAS_TDUR);
    return said && !__builtin_add_overflow(rare->tts, rare->tdur, &end) ? end : INT64_MIN;
}

/* A complete event for the head of an output, or for its tail; a note of it is made for the first such window. */
static pf_status add_complete(pf_json_survey *s, const pf_json_seen *e, int64_t end, uint32_t thread, uint32_t window,
                              uint32_t *note, pf_error *err)
{
    const pf_json_window *w = &s->window[window];
    int64_t ts = e->r->ts, from = w->from > ts ? w->from : ts, to = end < w->to ? end : w->to;
    bool tail = ts > w->from;
    const pf_json_added what = {.window = window,
                                .thread = thread,
                                .tail = tail,
                                .begins = from > ts,
                                .ends = to < end,
                                .nests = !tail,
                                .ts = ts,
                                .dur = end - ts,
                                .length = to - from,
                                .thread_end = thread_end(e)};
    const pf_json_clip clip = {
        .ts = from, .dur = to - from, .begins = from > ts, .ends = to < end, .original = ts, .original_end = end};
    if (*note == PF_NONE) {
        PF_TRY(pf_json_note_event(&s->lanes, e, PF_JSON_COMPLETE, thread, note, err));
    }
    return pf_json_add(s, &s->lanes.note[*note], &what, clip, err);
}

/* To the head comes what is open where the window begins or begins there, to the tail what is open where it ends or
 * ends there: clipped, they are equally long, and in order of their original lengths the parents come first. */
static pf_status see_complete(pf_json_survey *s, const pf_json_seen *e, uint32_t thread, pf_error *err)
{
    const pf_json_early *early = pf_json_early_of(s, s->completes);
    int64_t ts = e->r->ts, end = early ? early->end : ts + e->r->dur;
    uint32_t note = PF_NONE;
    pf_status st = PF_OK;
    if (end - ts < s->least_dur) {
        return PF_OK;
    }
    PF_TRY(pf_json_use_windows(s, thread, ts, end, err));
    for (uint32_t i = pf_json_first_after(s, end - (end > ts)); i-- > 0 && st == PF_OK;) {
        const pf_json_window *w = &s->window[i];
        if (ts < w->to && (ts <= w->from ? end > w->from : end >= w->to)) {
            st = add_complete(s, e, end, thread, i, &note, err);
        } else if (w->to <= ts) {
            break;
        }
    }
    if (note != PF_NONE) {
        pf_json_drop_note(&s->lanes, note);
    }
    return st;
}

/* Of the values between the begins of two windows the last one stays; one at a window's begin is what that has. */
static pf_status see_sample(pf_json_survey *s, const pf_json_seen *e, uint32_t thread, pf_error *err)
{
    pf_json_lanes *l = &s->lanes;
    uint32_t window = pf_json_first_after(s, e->r->ts - (e->r->ts > INT64_MIN)), at, note;
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
    s->completes += action == PF_JSON_COMPLETE;
    note_order(s, e->r);
    PF_TRY(pf_json_who_is(&s->who, e, &thread, err));
    cover(&s->who.process[s->who.thread[thread].process], e->r, action);
    if (pf_json_is_linked(action)) {
        return see_linked(s, e, action, thread, err);
    }
    bool taken = pf_json_takes(s, e, action, thread);
    uint32_t process = s->who.thread[thread].process;
    if (e->r->flags & PF_JSON_HAS_TS && pf_json_takes_place(s, e, thread)) {
        PF_TRY(stack_whole(s, e, action, thread, taken, err));
    }
    PF_TRY(pf_json_start_of(s, e, process, &taken, &start, err));
    PF_TRY(pf_json_note_profile(s, e, process, taken, err));
    if (!(e->r->flags & PF_JSON_HAS_TS) || action == PF_JSON_ABOUT || !taken) {
        return PF_OK;
    }
    if (action == PF_JSON_COMPLETE) {
        return see_complete(s, e, thread, err);
    }
    PF_TRY(pf_json_use_windows_of(s, thread, start, e->r->ts, err));
    return action == PF_JSON_SAMPLE ? see_sample(s, e, thread, err) : PF_OK;
}

PF_ORDER(by_time, pf_json_note, PF_UP(ts), PF_UP(end), PF_UP(number));

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
            sorted[count].end = l->note[i].ts < s->ranks_from
                                    ? 0
                                    : rank_of(l->note[i].phase, l->note[i].action, l->note[i].end - l->note[i].ts);
            sorted[count].number = UINT64_MAX - count; /* the latest comes first in the chain */
            sorted[count++].below = i;
        }
    }
    if (st == PF_OK && count) {
        qsort(sorted, count, sizeof *sorted, by_time);
    }
    l->lane[lane].top = st == PF_OK ? PF_NONE : l->lane[lane].top;
    for (i = 0; i < count && st == PF_OK; i++) {
        st = stack_event(s, &l->lane[lane], sorted[i].below, err);
    }
    PF_LIST_FREE(s->budget, sorted, room);
    return st;
}

/* What is never ended, from the innermost on: there are begins for all windows after it. */
static pf_status add_endless(pf_json_survey *s, pf_json_lane *lane, pf_error *err)
{
    for (uint32_t i = lane->top; i != PF_NONE; i = s->lanes.note[i].below) {
        pf_json_note *n = &s->lanes.note[i];
        if (n->end == INT64_MAX && n->dropped) {
            pf_json_set_bits(s, n->number, PF_JSON_DROPPED);
        } else if (n->end == INT64_MAX) {
            PF_TRY(pf_json_use_windows(s, n->thread, n->ts, INT64_MAX, err));
            PF_TRY(pf_json_add_begins(s, n, INT64_MAX, err));
        }
        PF_TRY(pf_json_resolve_arrows(s, &n->arrows, n, INT64_MAX, err));
    }
    return pf_json_resolve_arrows(s, &lane->pending, NULL, 0, err);
}

/* A counter's value stays until the next one. */
static pf_status add_samples(pf_json_survey *s, const pf_json_lane *lane, pf_error *err)
{
    uint32_t end = s->windows;
    for (uint32_t i = lane->top; i != PF_NONE; i = s->lanes.note[i].below) {
        const pf_json_note *n = &s->lanes.note[i];
        uint32_t w = (uint32_t)n->number;
        for (; w < end && s->window[w].from == n->ts; w++) {
        }
        for (; w < end; w++) {
            const pf_json_added what = {.window = w, .thread = n->thread, .ts = n->ts};
            PF_TRY(pf_json_use(s, w, n->thread, err));
            PF_TRY(pf_json_add(s, n, &what, (pf_json_clip){.ts = s->window[w].from, .dur = -1}, err));
        }
        end = (uint32_t)n->number;
    }
    return PF_OK;
}

static pf_status finish(pf_json_survey *s, pf_error *err)
{
    for (uint32_t i = 0; i < s->lanes.count; i++) {
        pf_json_lane *lane = &s->lanes.lane[i];
        if (lane->action == PF_JSON_SAMPLE) {
            PF_TRY(add_samples(s, lane, err));
        } else if (lane->action != PF_JSON_ARROW) {
            PF_TRY(lane->sorts ? pair_late(s, i, err) : PF_OK);
            PF_TRY(add_endless(s, lane, err));
        }
    }
    for (uint32_t i = 0; i < s->lanes.count; i++) {
        pf_json_lane *lane = &s->lanes.lane[i];
        PF_TRY(lane->action == PF_JSON_ARROW ? pf_json_settle_arrow(s, lane, err) : PF_OK);
    }
    return pf_json_arrange(s, err);
}

static pf_status run_once(pf_json_survey *s, const pf_json_source *from, pf_error *err)
{
    const pf_json_visitor visitor = {.ctx = s, .event = see_event};
    pf_json_document d;
    s->linked = s->completes = 0;
    s->pass++;
    s->early_known = s->early_seen;
    s->early_seen = 0;
    s->early_differs = false;
    s->added_count = 0;
    pf_map_clear(&s->used);
    pf_map_clear(&s->begun);
    pf_map_clear(&s->tails);
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
    s->thins = s->least_dur > 0 || (s->select && (s->select->category.keep_count || s->select->category.drop_count));
    PF_TRY(s->has_places ? find_names(s, from, err) : PF_OK);
    s->who.named = s->has_places;
    s->ranks_from = INT64_MAX;
    s->latest = INT64_MIN;
    PF_TRY(pf_json_hash_word(s->budget->seed, PF_STR(PF_JSON_ALIEN), &s->alien, err));
    for (bool again = true; again && s->pass < PASSES_MAX;) {
        PF_TRY(run_once(s, from, err));
        again = pf_json_lanes_restart(&s->lanes, s->ranks_from, s->thins) && s->pass == 1;
        again |= s->early_differs || s->early_seen != s->early_known;
    }
    return PF_OK;
}
