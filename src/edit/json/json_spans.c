/* edit/json/json_spans.c - what a window gets of slices, complete events and values that reach into it.
 *
 * See json_survey.h: threads that remain, bits of begins and ends, and the events that are added. Which slices there
 * are is found out in json_survey.c.
 */
#include "edit/json/json_spans.h"

#include <math.h>
#include <stdlib.h>

#include "base/list.h"
#include "base/ordering.h"

/* The first window that begins after `ts`. */
uint32_t pf_json_first_after(const pf_json_survey *s, int64_t ts)
{
    uint32_t low = 0;
    PF_BISECT(low, s->windows, s->window[middle].from <= ts);
    return low;
}

pf_status pf_json_use(pf_json_survey *s, uint32_t window, uint32_t thread, pf_error *err)
{
    if (pf_json_is_used(s, window, thread)) {
        return PF_OK;
    }
    uint64_t key = (uint64_t)window << 32, process = PF_JSON_ANY_THREAD + s->who.thread[thread].process;
    PF_TRY(pf_map_put(&s->used, key | process, 1, err));
    return pf_map_put(&s->used, key | thread, 1, err);
}

/* Something of the thread lies in [ts, end]. */
pf_status pf_json_use_windows(pf_json_survey *s, uint32_t thread, int64_t ts, int64_t end, pf_error *err)
{
    for (uint32_t i = pf_json_first_after(s, end); i-- > 0;) {
        const pf_json_window *w = &s->window[i];
        if (ts < w->to && (end > w->from || ts >= w->from)) {
            PF_TRY(pf_json_use(s, i, thread, err));
        } else if (w->to <= ts) {
            break;
        }
    }
    return PF_OK;
}

/* Something of the thread needs both times in its window. */
pf_status pf_json_use_windows_of(pf_json_survey *s, uint32_t thread, int64_t ts, int64_t other, pf_error *err)
{
    int64_t first = ts < other ? ts : other, last = ts < other ? other : ts;
    uint32_t i = pf_json_first_after(s, first);
    return i && last < s->window[i - 1].to ? pf_json_use(s, i - 1, thread, err) : PF_OK;
}

pf_status pf_json_number_linked(pf_json_survey *s, uint64_t *number, pf_error *err)
{
    *number = s->linked++;
    size_t words = (size_t)(*number / 32 + 1), had = s->bit_words;
    PF_TRY(PF_LIST_ROOM(s->budget, s->bits, words, s->bit_words, err));
    if (s->bit_words > had) {
        memset(s->bits + had, 0, (s->bit_words - had) * sizeof *s->bits);
    }
    return PF_OK;
}

void pf_json_set_bits(pf_json_survey *s, uint64_t number, uint64_t bits)
{
    s->bits[number / 32] |= bits << (number % 32 * 2);
}

static pf_bytes bytes_of(const pf_json_survey *s, const pf_json_note *n)
{
    const pf_json_seen seen = {.bytes = n->bytes, .limit = s->limit};
    return n->len ? (pf_bytes){n->bytes, n->len} : pf_json_event_bytes(&seen);
}

static pf_status keep_text(pf_json_survey *s, pf_str *text, pf_error *err)
{
    *text =
        (pf_str){s->scratch.failed ? NULL : pf_arena_copy(&s->texts, s->scratch.data, s->scratch.len), s->scratch.len};
    return text->ptr ? PF_OK : pf_budget_refused(s->budget, s->scratch.len, err);
}

static pf_status put_clipped(pf_json_survey *s, pf_bytes event, bool other_args, const pf_json_clip *clip, pf_str *text,
                             pf_error *err)
{
    s->scratch.len = 0;
    pf_json_put_clipped(&s->scratch, event, other_args ? PF_STR(PF_JSON_OTHER_ARGS_KEY) : PF_STR("args"), clip);
    return keep_text(s, text, err);
}

static pf_status put_added(pf_json_survey *s, const pf_json_added *what, pf_str text, pf_error *err)
{
    PF_TRY(PF_LIST_ROOM(s->budget, s->added, s->added_count + 1, s->added_room, err));
    s->added[s->added_count] = *what;
    s->added[s->added_count].number = s->added_count;
    s->added[s->added_count++].text = text;
    return PF_OK;
}

pf_status pf_json_add(pf_json_survey *s, const pf_json_note *n, const pf_json_added *what, pf_json_clip clip,
                      pf_error *err)
{
    clip.moves = true;
    clip.cycles = s->cycles;
    pf_str text;
    PF_TRY(put_clipped(s, bytes_of(s, n), n->other_args, &clip, &text, err));
    return put_added(s, what, text, err);
}

/* An end of a slice that has none of its own. `event`: its begin. */
static pf_status add_end(pf_json_survey *s, pf_bytes event, uint8_t phase, const pf_json_added *what, pf_json_clip clip,
                         pf_error *err)
{
    pf_str text;
    clip.cycles = s->cycles;
    s->scratch.len = 0;
    pf_json_put_end(&s->scratch, event, phase, &clip);
    PF_TRY(keep_text(s, &text, err));
    return put_added(s, what, text, err);
}

/* The begin of a slice until `end`, for the windows that begin inside it. */
pf_status pf_json_add_begins(pf_json_survey *s, const pf_json_note *n, int64_t end, pf_error *err)
{
    for (uint32_t i = pf_json_first_after(s, n->ts); i < s->windows && s->window[i].from < end; i++) {
        const pf_json_added what = {.window = i,
                                    .thread = n->thread,
                                    .begins = true,
                                    .nests = n->phase == 'B',
                                    .ts = n->ts,
                                    .end = end,
                                    .order = n->number};
        PF_TRY(pf_json_add(s, n, &what,
                           (pf_json_clip){.ts = s->window[i].from, .dur = -1, .begins = true, .original = n->ts}, err));
    }
    return PF_OK;
}

/* The end of a slice, for the windows that end inside it. Without an end of its own it ends with the slice around it,
 * as an event at `seen` shows: for those in which that event is not, too. Where others lie on it at its end its own end
 * would come before them, so an end that fits none, at the window's end, stands for the event that shows it; one does
 * for all. */
static pf_status add_ends(pf_json_survey *s, const pf_json_note *n, const pf_json_ending *e, pf_error *err)
{
    const pf_json_note *own = e->own;
    int64_t end = e->end;
    for (uint32_t i = pf_json_first_after(s, end); i-- > 0;) {
        const pf_json_window *w = &s->window[i];
        bool clipped = n->ts < w->to && w->to < end;
        bool alien = e->tie && n->phase == 'B' && end < w->to && !e->alone;
        bool has_one = alien && *e->alien == i + 1;
        const pf_json_added what = {
            .window = i, .thread = n->thread, .tail = true, .ends = clipped, .ts = alien ? INT64_MAX : end};
        const pf_json_clip clip = {
            .ts = clipped || alien ? w->to : end, .dur = -1, .ends = clipped, .original_end = end, .alien = alien};
        if (clipped && own) {
            PF_TRY(pf_json_add(s, own, &what, clip, err));
        } else if (!own && !has_one && n->ts < w->to && w->from < end && (clipped || e->seen >= w->to || s->thins)) {
            *e->alien = alien ? i + 1 : *e->alien;
            PF_TRY(add_end(s, bytes_of(s, n), n->phase, &what, clip, err));
        } else if (w->to <= n->ts) {
            break;
        }
    }
    return PF_OK;
}

/* Whether a slice that ends where it begins does not end there by itself in its window: nothing that it ends with is in
 * that, and an end would come before it. */
static bool is_endless(const pf_json_survey *s, const pf_json_note *begin, const pf_json_ending *e)
{
    uint32_t w = pf_json_first_after(s, begin->ts);
    return !e->own && begin->phase == 'B' && begin->ts == e->end && w &&
           (e->alone || s->window[w - 1].from == begin->ts);
}

pf_status pf_json_settle(pf_json_survey *s, pf_json_note *begin, const pf_json_ending *e, pf_error *err)
{
    const pf_json_note *own = e->own;
    int64_t end = e->end, dur;
    if (__builtin_sub_overflow(end, begin->ts, &dur)) {
        dur = INT64_MAX;
    }
    begin->dropped |= dur < s->least_dur;
    if (begin->dropped) {
        pf_json_set_bits(s, begin->number, PF_JSON_DROPPED);
        pf_json_set_bits(s, own ? own->number : begin->number, PF_JSON_DROPPED);
        return PF_OK;
    }
    pf_json_set_bits(s, begin->number, is_endless(s, begin, e) ? PF_JSON_MARKED : 0);
    if (own) {
        pf_json_set_bits(s, own->number, dur > 0 ? PF_JSON_MARKED : 0);
        PF_TRY(own->thread == begin->thread ? PF_OK : pf_json_use_windows(s, own->thread, begin->ts, end, err));
    }
    PF_TRY(pf_json_use_windows(s, begin->thread, begin->ts, end, err));
    PF_TRY(pf_json_add_begins(s, begin, end, err));
    return add_ends(s, begin, e, err);
}

/* By window; head before tail. At the head what began first, then what is longest, so that a slice comes before those
 * in it; at the tail what ends first. */
PF_ORDER(by_place, pf_json_added, PF_UP(window), PF_UP(tail), PF_UP(ts), PF_DOWN(dur), PF_UP(order), PF_UP(number));

/* What was put off comes last: a cut of the cut has it among the events. */
static int64_t form_of_head(const pf_json_added *a)
{
    return a->put_off ? INT64_MAX : -a->length;
}

/* The same as they are written, so that a cut of the cut has them so: at the head complete events come first, the
 * longest before the others, at the tail they come last, those that end with the window after the others. */
static int by_form(const void *a, const void *b)
{
    const pf_json_added *x = a, *y = b;
    if (x->window != y->window || x->tail != y->tail) {
        return by_place(a, b);
    }
    int64_t one = !x->tail ? form_of_head(x) : x->dur ? x->ts + x->length : INT64_MIN;
    int64_t two = !y->tail ? form_of_head(y) : y->dur ? y->ts + y->length : INT64_MIN;
    return one != two ? (one < two ? -1 : 1) : by_place(a, b);
}

/* What Perfetto's engine reads: microseconds, as a double. */
static int64_t as_read(int64_t ns)
{
    int64_t us = ns / 1000;
    return (int64_t)floor(((double)us + (double)(ns % 1000) / 1000.0) * 1000.0 + 0.5);
}

/* The event, until the window's end, ends with the one around it, `last`, or before it, also as the engine reads both,
 * which leaves out what does not. */
static pf_status fit_end(pf_json_survey *s, pf_json_added *a, int64_t start, const pf_json_added *last, pf_error *err)
{
    int64_t from = s->window[a->window].from, outer = last->ts > from ? last->ts : from;
    int64_t length = outer + last->length - start, read_end = as_read(outer) + as_read(last->length);
    length = length < a->length ? length : a->length;
    int64_t over = as_read(start) + as_read(length) - read_end;
    length -= over > 0 ? over : 0;
    if (length == a->length) {
        return PF_OK;
    }
    a->length = length > 0 ? length : 0;
    const pf_json_clip clip = {.moves = true, .ts = start, .dur = a->length};
    return put_clipped(s, (pf_bytes){(const uint8_t *)a->text.ptr, a->text.len}, false, &clip, &a->text, err);
}

static pf_status fit_ends(pf_json_survey *s, pf_error *err)
{
    for (uint32_t i = 0; i < s->added_count && !s->cycles; i++) {
        pf_json_added *a = &s->added[i];
        const pf_json_window *w = &s->window[a->window];
        uint64_t key = (uint64_t)a->window << 32 | a->thread;
        if (!a->dur || a->ts + a->dur < w->to) {
            continue;
        }
        uint32_t last = pf_map_get(&s->begun, key);
        PF_TRY(last == PF_NONE ? PF_OK : fit_end(s, a, a->ts > w->from ? a->ts : w->from, &s->added[last], err));
        PF_TRY(pf_map_put(&s->begun, key, i, err));
    }
    pf_map_clear(&s->begun);
    return PF_OK;
}

/* Makes the complete event a begin, and adds the end. */
static pf_status open_complete(pf_json_survey *s, uint32_t at, pf_error *err)
{
    pf_json_added *a = &s->added[at];
    const pf_json_clip open = {.phase = 'B', .dur = -1}, end = {.ts = s->window[a->window].from + a->length,
                                                                .has_tts = a->thread_end != INT64_MIN,
                                                                .tts = a->thread_end};
    const pf_json_added last = {.window = a->window, .thread = a->thread, .tail = true, .ts = end.ts};
    pf_bytes event = {(const uint8_t *)a->text.ptr, a->text.len};
    a->length = 0;
    PF_TRY(put_clipped(s, event, false, &open, &a->text, err));
    return add_end(s, event, 'B', &last, end, err);
}

/* Whether an arrow begins or ends at a slice by its bind_id. */
static bool binds(const pf_json_added *a)
{
    return !a->tail && memmem(a->text.ptr, a->text.len, "\"bind_id\"", 9);
}

/* The complete event ends after the begin that it lies on, which no begin can do: it stays one, and begins 1 ns later.
 */
static pf_status put_off(pf_json_survey *s, pf_json_added *a, pf_error *err)
{
    const pf_json_clip clip = {.moves = true, .ts = s->window[a->window].from + 1, .dur = a->length - 1};
    a->put_off = true;
    return put_clipped(s, (pf_bytes){(const uint8_t *)a->text.ptr, a->text.len}, false, &clip, &a->text, err);
}

/* At equal times Perfetto's engine takes complete events for the parents of what only begins. So what lies on a begin
 * at the window's start becomes begins and ends; so does what may be the end of an arrow from a slice that began
 * before. */
static pf_status open_completes(pf_json_survey *s, pf_error *err)
{
    pf_json_added *list = s->added;
    uint32_t count = s->added_count;
    for (uint32_t i = 0; i < count; i++) {
        pf_json_added *a = &list[i];
        uint64_t key = (uint64_t)a->window << 32 | a->thread, arrows = (uint64_t)a->window << 32 | UINT32_MAX;
        uint32_t soonest = pf_map_get(&s->begun, key); /* to end */
        bool bound = binds(a), on_begin = soonest != PF_NONE;
        bool opens = a->nests && a->dur && (on_begin || (bound && pf_map_get(&s->begun, arrows) != PF_NONE));
        a->end = a->dur ? s->window[a->window].from + a->length : a->end ? a->end : INT64_MAX;
        PF_TRY(bound ? pf_map_put(&s->begun, arrows, 1, err) : PF_OK);
        if (opens && on_begin && list[soonest].end < a->end && !s->cycles) {
            PF_TRY(put_off(s, a, err));
        } else if (a->nests && (!a->dur || opens)) {
            bool sooner = !on_begin || a->end < list[soonest].end;
            PF_TRY(sooner ? pf_map_put(&s->begun, key, i, err) : PF_OK);
            PF_TRY(opens ? open_complete(s, i, err) : PF_OK);
            list = s->added;
        }
    }
    return PF_OK;
}

pf_status pf_json_arrange(pf_json_survey *s, pf_error *err)
{
    if (s->added_count) {
        qsort(s->added, s->added_count, sizeof *s->added, by_place);
        PF_TRY(fit_ends(s, err));
        PF_TRY(open_completes(s, err));
        qsort(s->added, s->added_count, sizeof *s->added, by_form);
    }
    return PF_OK;
}
