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
} stack;

pf_status pf_pairs_add(pf_pairs *p, const pf_paired *event, pf_error *err)
{
    PF_TRY(PF_LIST_ROOM(p->budget, p->list, p->count + 1, p->room, err));
    p->list[p->count++] = *event;
    return PF_OK;
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
                inner->end = e->end;
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
        begin->end = end->ts;
        begin->other = end->number;
        end->end = begin->ts;
        end->other = begin->number;
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
    } else if (!crosses && s->depth < DEEPEST) {
        s->on[s->depth++] = e;
        s->finished += e->end != PF_STILL_OPEN;
    }
}

/* The place of an event in the order of time: they are listed by number. */
typedef struct place {
    uint64_t track;
    int64_t ts;
    uint32_t at;
} place;

PF_ORDER(by_time, place, PF_UP(track), PF_UP(ts), PF_UP(at));

static void pair_all(pf_pairs *p, const place *order, stack *s)
{
    for (uint32_t i = 0; i < p->count; i++) {
        if (i == 0 || order[i].track != order[i - 1].track) {
            s->depth = s->finished = 0;
        }
        take(s, &p->list[order[i].at]);
    }
}

pf_status pf_pairs_find(pf_pairs *p, int64_t least, pf_error *err)
{
    place *order = NULL;
    if (!p->count) {
        return PF_OK;
    }
    stack *s = pf_alloc(p->budget, sizeof *s);
    PF_TRY(s ? PF_OK : pf_budget_refused(p->budget, sizeof *s, err));
    pf_status st = PF_LIST_NEW(p->budget, order, p->count, err);
    if (st == PF_OK) {
        for (uint32_t i = 0; i < p->count; i++) {
            order[i] = (place){p->list[i].track, p->list[i].ts, i};
        }
        qsort(order, p->count, sizeof *order, by_time);
        pair_all(p, order, s);
    }
    PF_LIST_FREE(p->budget, order, order ? p->count : 0);
    pf_release(p->budget, s, sizeof *s);
    for (uint32_t i = 0; i < p->count; i++) {
        pf_paired *e = &p->list[i];
        e->left_out |= e->action != 'E' && (uint64_t)e->end - (uint64_t)e->ts < (uint64_t)least;
    }
    for (uint32_t i = 0; i < p->count; i++) {
        const pf_paired *e = &p->list[i];
        if (e->left_out && e->action == 'B' && pf_pairs_of(p, e->other)) {
            p->list[p->at].left_out = true;
        }
    }
    return st;
}

static bool is_of(const pf_pairs *p, uint32_t at, uint64_t number)
{
    return at < p->count && p->list[at].number == number;
}

const pf_paired *pf_pairs_of(pf_pairs *p, uint64_t number)
{
    uint32_t at = p->at + !is_of(p, p->at, number);
    if (!is_of(p, at, number)) {
        at = 0;
        PF_BISECT(at, p->count, p->list[middle].number < number);
    }
    p->at = at;
    return is_of(p, at, number) ? &p->list[at] : NULL;
}
