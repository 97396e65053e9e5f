/* edit/tracks/slice_ends.c - see slice_ends.h. */
#include "edit/tracks/slice_ends.h"

#include <stdlib.h>

#include "base/list.h"
#include "base/ordering.h"
#include "edit/tracks/tracks.h"

#define DEEPEST 512u /* the engine leaves out what lies deeper */

/* The slices of a track that are not over, outermost first. */
typedef struct stack {
    pf_paired *on[DEEPEST];
    uint32_t depth, finished; /* finished: whose end is known */
    int64_t least;            /* shorter ones are left out */
} stack;

pf_status pf_pairs_add(pf_pairs *p, const pf_paired *event, pf_error *err)
{
    PF_TRY(PF_LIST_ROOM(p->budget, p->list, p->count + 1, p->room, err));
    p->list[p->count++] = *event;
    p->late += event->late;
    return PF_OK;
}

/* When a slice ends is known. */
static void know_end(const stack *s, pf_paired *e, int64_t end)
{
    e->end = end;
    e->left_out |= (uint64_t)end - (uint64_t)e->ts < (uint64_t)s->least;
}

static void pop(stack *s)
{
    s->finished -= s->on[--s->depth]->end != PF_STILL_OPEN;
}

/* Takes off what is over when something comes at ts. What is open on a slice ends with it, which only shows when
 * something later comes. */
static void settle(stack *s, int64_t ts)
{
    bool open = false; /* something above slice i */
    for (uint32_t i = s->depth; i-- > 0 && s->finished;) {
        const pf_paired *e = s->on[i];
        if (e->end == PF_STILL_OPEN) {
            open = true;
        } else if (i + 1 == s->depth && e->end <= ts) {
            pop(s);
        } else if (open && e->end < ts) {
            while (s->depth > i + 1) {
                pf_paired *inner = s->on[s->depth - 1];
                pop(s);
                know_end(s, inner, e->end);
                inner->seen = ts;
            }
            pop(s);
            open = false;
        }
    }
}

/* The innermost open slice that the end fits; NULL: none. */
static pf_paired *find_open(const stack *s, const pf_paired *end, uint32_t *place)
{
    for (uint32_t i = s->depth; i-- > 0;) {
        pf_paired *e = s->on[i];
        bool named = !end->name || !e->name || end->name == e->name;
        if (e->end == PF_STILL_OPEN && named && (!end->category || end->category == e->category)) {
            *place = i;
            return e;
        }
    }
    return NULL;
}

static void close_one(stack *s, pf_paired *end)
{
    uint32_t place;
    pf_paired *begin = find_open(s, end, &place);
    if (begin) {
        know_end(s, begin, end->ts);
        begin->other = end->number;
        end->end = begin->ts;
        end->other = begin->number;
        end->left_out = begin->left_out;
        begin->paired = end->paired = true;
        s->finished++;
        if (place + 1 == s->depth) {
            pop(s);
        }
    }
}

static void take(stack *s, pf_paired *e)
{
    settle(s, e->ts);
    const pf_paired *top = s->depth ? s->on[s->depth - 1] : NULL;
    bool crosses = e->action == 'X' && top && top->end < e->end;
    if (e->action == 'E') {
        close_one(s, e);
        return;
    }
    know_end(s, e, e->end);
    if (!crosses && s->depth < DEEPEST) {
        s->on[s->depth++] = e;
        s->finished += e->end != PF_STILL_OPEN;
    }
}

/* An event that came late. */
typedef struct place {
    int64_t ts;
    uint32_t track, at;
} place;

PF_ORDER(by_time, place, PF_UP(track), PF_UP(ts), PF_UP(at));

/* Their places, in the order of time on each track: start[track] of those that came in it, in `order`, and the others.
 */
static void sort(const pf_pairs *p, uint32_t tracks, uint32_t *start, uint32_t *order, place *late)
{
    uint32_t others = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        const pf_paired *e = &p->list[i];
        if (e->late) {
            late[others++] = (place){e->ts, e->track, i};
        } else {
            start[e->track + 1]++;
        }
    }
    if (others) {
        qsort(late, others, sizeof *late, by_time);
    }
    for (uint32_t t = 1; t < tracks; t++) {
        start[t] += start[t - 1];
    }
    for (uint32_t i = 0; i < p->count; i++) {
        if (!p->list[i].late) {
            order[start[p->list[i].track]++] = i; /* which becomes the start of the next track */
        }
    }
}

static void pair_all(const pf_pairs *p, uint32_t tracks, const uint32_t *start, const uint32_t *order,
                     const place *late, stack *s)
{
    const place *end = late + p->late;
    for (uint32_t t = 0, i = 0; t < tracks; t++) {
        s->depth = s->finished = 0;
        while (i < start[t] || (late < end && late->track == t)) {
            const pf_paired *e = &p->list[order[i]];
            bool comes = late < end && late->track == t &&
                         (i == start[t] || late->ts < e->ts || (late->ts == e->ts && late->at < order[i]));
            take(s, &p->list[comes ? late++->at : order[i++]]);
        }
    }
}

pf_status pf_pairs_find(pf_pairs *p, uint32_t tracks, int64_t least, bool (*keeps)(const void *ctx, const pf_paired *e),
                        const void *ctx, pf_error *err)
{
    uint32_t *start = NULL, *order = NULL, rest = 0;
    place *late = NULL;
    stack *s = pf_alloc(p->budget, sizeof *s);
    pf_status st = s ? PF_OK : pf_budget_refused(p->budget, sizeof *s, err);
    st = st == PF_OK ? PF_LIST_NEW(p->budget, start, tracks + 1, err) : st;
    st = st == PF_OK ? PF_LIST_NEW(p->budget, order, p->count + 1, err) : st;
    st = st == PF_OK ? PF_LIST_NEW(p->budget, late, p->late + 1, err) : st;
    if (st == PF_OK) {
        s->least = least;
        sort(p, tracks, start, order, late);
        pair_all(p, tracks, start, order, late, s);
    }
    PF_LIST_FREE(p->budget, late, p->late + 1);
    PF_LIST_FREE(p->budget, order, p->count + 1);
    PF_LIST_FREE(p->budget, start, tracks + 1);
    pf_release(p->budget, s, sizeof *s);
    for (uint32_t i = 0; i < p->count && st == PF_OK; i++) {
        p->list[rest] = p->list[i];
        rest += keeps(ctx, &p->list[rest]);
    }
    p->count = rest;
    p->late = p->at = 0;
    return st;
}

const pf_paired *pf_pairs_of(pf_pairs *p, uint64_t number)
{
    bool passed = p->at && p->list[p->at - 1].number >= number;
    if (passed || (p->at < p->count && p->list[p->at].number < number)) {
        p->at = 0;
        PF_BISECT(p->at, p->count, p->list[middle].number < number);
    }
    return p->at < p->count && p->list[p->at].number == number ? &p->list[p->at] : NULL;
}
