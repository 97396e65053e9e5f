/* model/slices/processing_order.c - the order in which events are processed (docs/reference/perfetto.md, "Order of
 * events" and "JSON order").
 *
 * By time; between equal times in file order, but for the rules that Chrome's JSON has. The rules are those of an
 * input: in a trace of several each keeps its own, and at equal times the inputs follow each other in their order. A
 * trace that is in order needs no permutation: where times never decrease, only the ties are sorted, from the first
 * one on to which the rules apply. Otherwise two threads look for the earliest event out of order and sort, a half of
 * the events each, and the halves are merged; a stable sort has one result only.
 */
#include "base/arena.h"
#include "base/list.h"
#include "base/threads/threads.h"
#include "model/trace/row_sort.h"

#define WORTH 65536u /* rows from which on two threads sort */

/* Chrome's classes at equal times: ends, complete events of a length, everything else. */
static int class_of(const pf_trace *t, uint32_t row)
{
    uint8_t phase = t->events.phase[row];
    return phase == 'E' ? 0 : phase == 'X' && t->events.dur[row] > 0 ? 1 : 2;
}

/* What decides between events of equal times. Perfetto's engine sorts from the first event on that it finds out of
 * order, and only there do the classes apply: an event that is earlier than one before it, or, once a complete event
 * was seen, not later than the latest one before it. Everything before the earliest of these stays in file order. */
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

/* The first of the events [from, to) that is out of order in the sense of order_rule, or `to`. */
static uint32_t find_late(const pf_trace *t, uint32_t from, uint32_t to)
{
    int64_t latest = -1;
    bool complete = false;
    uint32_t i = from;
    for (; i < to; i++) {
        int64_t ts = time_of(t, i);
        complete |= t->events.phase[i] == 'X' && ts >= 0;
        if (ts >= 0 && (complete ? ts <= latest : ts < latest)) {
            break;
        }
        latest = ts > latest ? ts : latest;
    }
    return i;
}

/* The earliest time of events [from, to), or `time` if none is earlier. After an event out of order whatever is
 * earlier than that is out of order, too. */
static int64_t find_earlier(const pf_trace *t, uint32_t from, uint32_t to, int64_t time)
{
    for (uint32_t i = from; i < to; i++) {
        if (t->events.ts[i] < time && time_of(t, i) >= 0) {
            time = t->events.ts[i];
        }
    }
    return time;
}

/* Whether the rule leaves all events where they are, whose times never decrease. `first`: the first one of a tie to
 * which classes apply. */
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
    uint32_t late, middle, count;
    int64_t earlier; /* in the second half */
    bool ruled;      /* the rule is complete */
} sorting;

static void sort_from(const sorting *s, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++) {
        s->rows[i] = i;
    }
    pf_sort_rows_by(s->rows + from, s->scratch + from, to - from, after_by_class, &s->rule);
}

/* The next step of the second half. */
static void do_second_half(void *ctx, unsigned slot)
{
    sorting *s = ctx;
    if (s->ruled) {
        sort_from(s, s->middle, s->count);
    } else {
        uint32_t from = s->late > s->middle ? s->late : s->middle;
        s->earlier = find_earlier(s->rule.t, from, s->count, s->rule.classes_from);
    }
}

static void sort_with(sorting *s, pf_crew *crew)
{
    if (!s->ruled) {
        pf_crew_put(crew);
        int64_t earlier = find_earlier(s->rule.t, s->late, s->middle, s->rule.classes_from);
        pf_crew_take(crew);
        pf_crew_release(crew);
        s->rule.classes_from = earlier < s->earlier ? earlier : s->earlier;
        s->ruled = true;
    }
    pf_crew_put(crew);
    sort_from(s, 0, s->middle);
    pf_crew_take(crew);
}

static void sort_rows(sorting *s, pf_budget *budget)
{
    pf_crew *crew = budget->helped && s->count >= WORTH ? pf_crew_start(1, 1, do_second_half, s, budget) : NULL;
    if (!crew) {
        if (!s->ruled) {
            s->rule.classes_from = find_earlier(s->rule.t, s->late, s->count, s->rule.classes_from);
        }
        sort_from(s, 0, s->count);
        return;
    }
    sort_with(s, crew);
    pf_crew_stop(crew);
    pf_sort_merge(s->rows, s->middle, s->count - s->middle, s->scratch, after_by_class, &s->rule);
}

typedef struct input_rules {
    const pf_trace *t;
    const int64_t *classes_from; /* of each input */
} input_rules;

static bool after_by_input(const void *ctx, uint32_t a, uint32_t b)
{
    const input_rules *rules = ctx;
    const pf_trace *t = rules->t;
    if (t->events.ts[a] != t->events.ts[b]) {
        return t->events.ts[a] > t->events.ts[b];
    }
    uint32_t input_a = pf_trace_event_input(t, a), input_b = pf_trace_event_input(t, b);
    const order_rule rule = {.t = t, .classes_from = rules->classes_from[input_a]};
    return input_a != input_b ? input_a > input_b : after_by_class(&rule, a, b);
}

static void find_rules(const pf_trace *t, int64_t *classes_from)
{
    for (size_t i = 0; i < t->input_count; i++) {
        const pf_input *in = &t->inputs[i];
        uint32_t to = in->first_event + in->events, late = in->plain_ties ? to : find_late(t, in->first_event, to);
        classes_from[i] = late < to ? find_earlier(t, late, to, t->events.ts[late]) : INT64_MAX;
    }
}

static bool all_in_order(const input_rules *rules)
{
    uint32_t i = 1;
    while (i < rules->t->events.count && !after_by_input(rules, i - 1, i)) {
        i++;
    }
    return i >= rules->t->events.count;
}

static pf_status sort_inputs(const pf_trace *t, pf_arena *arena, uint32_t *rows, bool *sorted, pf_error *err)
{
    uint32_t n = t->events.count, *scratch;
    int64_t *classes_from;
    PF_TRY(PF_ARENA_NEW(arena, classes_from, t->input_count, err));
    const input_rules rules = {t, classes_from};
    find_rules(t, classes_from);
    for (uint32_t i = 0; i < n; i++) {
        rows[i] = i;
    }
    *sorted = t->events.in_order && all_in_order(&rules);
    if (!*sorted) {
        PF_TRY(PF_ARENA_NEW(arena, scratch, n, err));
        pf_sort_rows(rows, scratch, n, after_by_input, &rules);
    }
    return PF_OK;
}

static pf_status order_inputs(const pf_trace *t, pf_budget *budget, uint32_t **order, pf_error *err)
{
    pf_arena arena;
    bool sorted = false;
    PF_TRY(PF_LIST_NEW(budget, *order, t->events.count, err));
    pf_arena_init(&arena, budget);
    pf_status st = sort_inputs(t, &arena, *order, &sorted, err);
    pf_arena_free(&arena);
    if (st != PF_OK || sorted) {
        PF_LIST_FREE(budget, *order, t->events.count);
        *order = NULL;
    }
    return st;
}

/* Whether the events are still those of the inputs, one input after the other; those of a derived trace are not. */
static bool is_by_input(const pf_trace *t)
{
    uint32_t next = 0;
    for (size_t i = 0; i < t->input_count; i++) {
        if (t->inputs[i].first_event != next) {
            return false;
        }
        next += t->inputs[i].events;
    }
    return next == t->events.count;
}

pf_status pf_trace_event_order(const pf_trace *t, pf_budget *budget, uint32_t **order, pf_error *err)
{
    uint32_t n = t->events.count;
    size_t bytes = (size_t)n * sizeof(uint32_t);
    sorting s = {.rule = {.t = t, .classes_from = INT64_MAX}, .late = n, .middle = n / 2, .count = n};
    *order = NULL;
    if (t->input_count > 1 && t->events.has_complete && !t->events.plain_ties && is_by_input(t)) {
        return order_inputs(t, budget, order, err);
    }
    if (t->events.has_complete && !t->events.plain_ties) {
        s.late = find_late(t, 0, n);
    }
    if (s.late < n) {
        s.rule.classes_from = t->events.ts[s.late];
    }
    if (n == 0 || (t->events.in_order && (s.late == n || all_stay(&s.rule, s.late)))) {
        return PF_OK;
    }
    s.ruled = s.late == n || t->events.in_order; /* else what is earlier than the first late one counts, too */
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
