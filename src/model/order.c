/* model/order.c - the order in which events are processed (specs/perfetto.md 6.1 and 7.3).
 *
 * By time; between equal times in file order, but for the rules that Chrome's JSON has. A trace that is in order needs no
 * permutation: where times never decrease, only the ties are looked at, from the first one on to which the rules apply.
 * Otherwise two threads sort a half of the events each, which then are merged; a stable sort has one result only.
 */
#include "base/crew.h"
#include "model/sort.h"

#define WORTH 65536u /* rows from which on two threads sort */

/* Chrome's classes at equal times: ends, complete events of a length, everything else. */
static int class_of(const pf_trace *t, uint32_t row)
{
    uint8_t phase = t->events.phase[row];
    return phase == 'E' ? 0 : phase == 'X' && t->events.dur[row] > 0 ? 1 : 2;
}

/* What decides between events of equal times. Perfetto's engine sorts from the first event on that it finds out of order,
 * and only there do the classes apply: an event that is earlier than one before it, or, once a complete event was
 * seen, not later than the latest one before it. Everything before the earliest of these stays in file order. */
typedef struct order_rule {
    const pf_trace *t;
    int64_t classes_from;
} order_rule;

static inline bool after_by_class(const void *ctx, uint32_t a, uint32_t b)
{
    const order_rule *rule = ctx;
    const pf_trace *t = rule->t;
    int64_t ts = t->events.ts[a];
    if (ts != t->events.ts[b]) {
        return ts > t->events.ts[b];
    }
    if (ts < rule->classes_from) {
        return false;
    }
    int class_a = class_of(t, a), class_b = class_of(t, b);
    if (class_a != class_b) {
        return class_a > class_b;
    }
    return class_a == 1 && t->events.dur[a] < t->events.dur[b];
}

/* The time of the row, or -1 if it does not count. */
static inline int64_t time_of(const pf_trace *t, uint32_t row)
{
    return t->events.phase[row] & PF_PHASE_BAD_TS ? -1 : t->events.ts[row];
}

/* Whether any event is out of order in the sense of order_rule, and the earliest time of those. *first: the first of them. */
static bool find_classes(const pf_trace *t, int64_t *from, uint32_t *first)
{
    const uint32_t count = t->events.count;
    int64_t latest = -1;
    bool complete = false;
    uint32_t i = 0;
    for (; i < count; i++) {
        int64_t ts = time_of(t, i);
        complete |= t->events.phase[i] == 'X' && ts >= 0;
        if (ts >= 0 && (complete ? ts <= latest : ts < latest)) {
            break;
        }
        latest = ts > latest ? ts : latest;
    }
    if (i == count) {
        return false;
    }
    *first = i;
    *from = t->events.ts[i];
    for (i = t->events.in_order ? count : i; i < count; i++) {
        if (t->events.ts[i] < *from && time_of(t, i) >= 0) { /* one was later: it is out of order, too */
            *from = t->events.ts[i];
        }
    }
    return true;
}

/* Whether the rule leaves all events where they are, whose times never decrease. `first`: the first one of a tie to which
 * classes apply. */
static bool all_stay(const order_rule *rule, uint32_t first)
{
    const pf_trace *t = rule->t;
    while (first > 1 && t->events.ts[first - 1] == t->events.ts[first]) {
        first--;
    }
    uint32_t i = first ? first : 1;
    while (i < t->events.count && !after_by_class(rule, i - 1, i)) {
        i++;
    }
    return i >= t->events.count;
}

typedef struct sorting {
    order_rule rule;
    uint32_t *rows, *scratch;
    uint32_t middle, count;
} sorting;

static void sort_from(const sorting *s, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++) {
        s->rows[i] = i;
    }
    pf_sort_rows_by(s->rows + from, s->scratch + from, to - from, after_by_class, &s->rule);
}

static void sort_second_half(void *ctx, unsigned slot)
{
    const sorting *s = ctx;
    (void)slot;
    sort_from(s, s->middle, s->count);
}

static void sort_rows(sorting *s, pf_budget *budget)
{
    pf_crew *crew = budget->helped && s->count >= WORTH ? pf_crew_start(1, 1, sort_second_half, s, budget) : NULL;
    if (!crew) {
        sort_from(s, 0, s->count);
        return;
    }
    pf_crew_put(crew);
    sort_from(s, 0, s->middle);
    pf_crew_take(crew);
    pf_crew_stop(crew);
    pf_sort_merge(s->rows, s->middle, s->count - s->middle, s->scratch, after_by_class, &s->rule);
}

pf_status pf_trace_event_order(const pf_trace *t, pf_budget *budget, uint32_t **order, pf_error *err)
{
    uint32_t n = t->events.count;
    size_t bytes = (size_t)n * sizeof(uint32_t);
    sorting s = {.rule = {.t = t, .classes_from = INT64_MAX}, .middle = n / 2, .count = n};
    uint32_t first = 0;
    *order = NULL;
    bool classes = t->events.has_complete && !t->events.plain_ties && find_classes(t, &s.rule.classes_from, &first);
    if (n == 0 || (t->events.in_order && (!classes || all_stay(&s.rule, first)))) {
        return PF_OK;
    }
    s.rows = pf_alloc(budget, bytes);
    s.scratch = s.rows ? pf_alloc(budget, bytes) : NULL;
    if (!s.scratch) {
        pf_release(budget, s.rows, bytes);
        return pf_budget_refused(budget, 2 * bytes, err);
    }
    sort_rows(&s, budget);
    pf_release(budget, s.scratch, bytes);
    *order = s.rows;
    return PF_OK;
}
