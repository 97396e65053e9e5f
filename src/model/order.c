/* model/order.c - the order in which events are processed (specs/perfetto.md 6.1 and 7.3).
 *
 * By time; between equal times in file order, but for the rules that Chrome's JSON has. A trace that is in order needs no
 * permutation.
 */
#include "model/sort.h"

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

/* Whether any event is out of order in the sense of order_rule, and the earliest time of those. */
static bool find_classes(const pf_trace *t, int64_t *from)
{
    bool complete = false, any = false, found = false;
    int64_t latest = 0;
    for (uint32_t i = 0; i < t->events.count; i++) {
        uint8_t phase = t->events.phase[i];
        int64_t ts = t->events.ts[i];
        if (phase & PF_PHASE_BAD_TS || ts < 0) {
            continue;
        }
        complete |= phase == 'X';
        if (any && (ts < latest || (complete && ts == latest))) {
            *from = !found || ts < *from ? ts : *from;
            found = true;
        } else {
            latest = ts;
            any = true;
        }
    }
    return found;
}

pf_status pf_trace_event_order(const pf_trace *t, pf_budget *budget, uint32_t **order, pf_error *err)
{
    uint32_t n = t->events.count;
    size_t bytes = (size_t)n * sizeof(uint32_t);
    order_rule rule = {.t = t, .classes_from = INT64_MAX};
    *order = NULL;
    bool classes = t->events.has_complete && !t->events.plain_ties && find_classes(t, &rule.classes_from);
    if (n == 0 || (t->events.in_order && !classes)) {
        return PF_OK;
    }
    uint32_t *rows = pf_alloc(budget, bytes), *scratch = rows ? pf_alloc(budget, bytes) : NULL;
    if (!scratch) {
        pf_release(budget, rows, bytes);
        return pf_budget_refused(budget, 2 * bytes, err);
    }
    for (uint32_t i = 0; i < n; i++) {
        rows[i] = i;
    }
    pf_sort_rows_by(rows, scratch, n, after_by_class, &rule);
    pf_release(budget, scratch, bytes);
    *order = rows;
    return PF_OK;
}
