/* model/finish/finish_trace.c - what is left to do when all rows are there: counters in the order of time, slices and
 * states, the bounds, the views. */
#include <string.h>

#include "model/trace/thread_states.h"
#include "model/trace/trace.h"

/* A lazily added column ends where its last value was written: later rows are zero. */
static pf_status complete_column(pf_columns *c, uint32_t count, uint32_t *room, pf_error *err)
{
    return c->count && *room < count ? pf_columns_grow(c, count, room, err) : PF_OK;
}

static bool is_later(const void *ctx, uint32_t a, uint32_t b)
{
    const int64_t *ts = ctx;
    return ts[a] > ts[b];
}

/* dst[i] = column[order[i]] through scratch, for one column. */
static void permute(void *column, size_t size, const uint32_t *order, uint32_t count, uint8_t *scratch)
{
    const uint8_t *from = column;
    for (uint32_t i = 0; i < count; i++) {
        memcpy(scratch + i * size, from + order[i] * size, size);
    }
    memcpy(column, scratch, count * size);
}

static pf_status sort_counters(pf_trace *t, pf_error *err)
{
    uint32_t n = t->counters.count;
    if (t->counters.in_order || n == 0) {
        return PF_OK;
    }
    size_t bytes = (size_t)n * sizeof(uint32_t);
    uint32_t *order = pf_alloc(&t->budget, bytes);
    uint8_t *scratch = order ? pf_alloc(&t->budget, (size_t)n * 8) : NULL;
    if (!scratch) {
        pf_release(&t->budget, order, bytes);
        return pf_budget_refused(&t->budget, (uint64_t)n * 12, err);
    }
    pf_order_rows(order, (uint32_t *)(void *)scratch, n, is_later, t->counters.ts);
    permute(t->counters.ts, sizeof *t->counters.ts, order, n, scratch);
    permute(t->counters.value, sizeof *t->counters.value, order, n, scratch);
    permute(t->counters.track, sizeof *t->counters.track, order, n, scratch);
    permute(t->counters.event, sizeof *t->counters.event, order, n, scratch);
    t->counters.in_order = true;
    pf_release(&t->budget, scratch, (size_t)n * 8);
    pf_release(&t->budget, order, bytes);
    return PF_OK;
}

/* The schedulers of several inputs or machines, each of which is in the order of time. States are made of the rows as
 * they came. */
static pf_status sort_sched(pf_trace *t, pf_error *err)
{
    const pf_side_table *s = &t->sides.known[PF_SIDE_SCHED];
    const int64_t *ts = s->column[PF_SCHED_TS];
    uint32_t n = s->count, i = 1;
    if (t->input_count < 2 && t->machine_spans == 0) {
        return PF_OK;
    }
    while (i < n && ts[i - 1] <= ts[i]) {
        i++;
    }
    if (i >= n) {
        return PF_OK;
    }
    PF_TRY(pf_trace_make_thread_states(t, PF_STATE_COLUMNS, err));
    size_t bytes = (size_t)n * sizeof(int64_t);
    uint32_t *order = pf_alloc(&t->budget, bytes);
    uint8_t *scratch = order ? pf_alloc(&t->budget, bytes) : NULL;
    if (scratch) {
        pf_order_rows(order, order + n, n, is_later, ts);
        for (size_t c = 0; c < s->spec->column_count; c++) {
            permute(s->column[c], s->spec->columns[c].type == PF_COLUMN_INT ? 8 : 4, order, n, scratch);
        }
    }
    pf_release(&t->budget, scratch, scratch ? bytes : 0);
    pf_release(&t->budget, order, order ? bytes : 0);
    return scratch ? PF_OK : pf_budget_refused(&t->budget, 2 * bytes, err);
}

static void widen(int64_t *start, int64_t *end, bool *any, int64_t from, int64_t to)
{
    *start = !*any || from < *start ? from : *start;
    *end = !*any || to > *end ? to : *end;
    *any = true;
}

/* docs/reference/perfetto.md, "Bounds". Without derived tables the events stand in for them. */
static void find_bounds(pf_trace *t)
{
    bool any = t->covered.any;
    int64_t start = t->covered.from, end = t->covered.to;
    if (t->slices.count) {
        widen(&start, &end, &any, t->slices.start, t->slices.end);
    }
    pf_side_table *states = &t->sides.known[PF_SIDE_STATE];
    for (uint32_t i = 0; i < states->count; i++) {
        int64_t from = *pf_side_number(states, PF_STATE_TS, i), dur = *pf_side_number(states, PF_STATE_DUR, i);
        widen(&start, &end, &any, from, from + (dur > 0 ? dur : 0));
    }
    if (t->counters.count) { /* they are sorted */
        widen(&start, &end, &any, t->counters.ts[0], t->counters.ts[t->counters.count - 1]);
    }
    if (!(t->want & PF_WANT_SLICES)) {
        for (uint32_t i = 0; i < t->events.count; i++) {
            uint8_t phase = t->events.phase[i];
            if (phase != 'M' && !(phase & PF_PHASE_BAD_TS)) {
                int64_t dur = phase == 'X' && t->events.dur[i] > 0 ? t->events.dur[i] : 0;
                widen(&start, &end, &any, t->events.ts[i], t->events.ts[i] + dur);
            }
        }
    }
    t->start_ts = start;
    t->end_ts = any && end == start ? start + 1 : end;
}

/* What the inputs have in common. */
static void settle_inputs(pf_trace *t)
{
    bool cycles = true;
    for (size_t i = 0; i < t->input_count; i++) {
        const char *dialect = t->inputs[i].dialect;
        if (!dialect) {
            return; /* made without a reader */
        }
        cycles &= t->inputs[i].unit == PF_UNIT_CYCLE;
        t->dialect = i == 0 || strcmp(t->dialect, dialect) == 0 ? dialect : "mixed";
    }
    t->unit = t->input_count > 0 ? cycles ? PF_UNIT_CYCLE : PF_UNIT_NS : t->unit;
}

pf_status pf_trace_finish(pf_trace *t, pf_error *err)
{
    pf_trace_release_reader(t);
    settle_inputs(t);
    PF_TRY(complete_column(&t->events.dur_columns, t->events.count, &t->events.dur_room, err));
    PF_TRY(complete_column(&t->events.category_columns, t->events.count, &t->events.category_room, err));
    if (t->leaves_findings) {
        PF_TRY(pf_trace_leave_out_findings(t, err));
    }
    PF_TRY(sort_counters(t, err));
    PF_TRY(sort_sched(t, err));
    /* Next to a scheduler also for those that want events alone: interrupts are slices. */
    if (t->want & PF_WANT_SLICES || t->sides.known[PF_SIDE_SCHED].count) {
        PF_TRY(pf_trace_build_slices(t, err));
        PF_TRY(t->has_states ? pf_trace_build_states(t, err) : PF_OK);
        pf_trace_place_stacks(t);
    }
    PF_TRY(t->want & PF_WANT_LATE_STATES ? PF_OK : pf_trace_make_thread_states(t, PF_STATE_COLUMNS, err));
    find_bounds(t);
    pf_trace_set_views(t);
    return PF_OK;
}
