/* analyze/tinygrad/device/dv_executions.c - all_pmc.json: a row for each execution with counters: kernel, duration,
 * sums. Which range an execution is, and so how long it took, is in tinygrad_record. */
#include <stdlib.h>
#include <string.h>

#include "analyze/tinygrad/device/dv_reports.h"

/* The kernel and the number of the execution say what belongs together; the first counters count. */
typedef struct execution {
    dv_kernel kernel;
    int64_t number;
    uint32_t event;
    uint32_t counters; /* row of tinygrad_pmc, PF_NONE: an earlier one has the same execution */
    uint32_t range;    /* of the kernel; PF_NONE: not known */
} execution;

typedef struct execution_list {
    const dv_input *d;
    execution *list; /* by event */
    size_t count;
} execution_list;

/* ---- executions -------------------------------------------------------------------------------------------------- */

static int compare_events(const void *a, const void *b)
{
    const execution *x = a, *y = b;
    return x->event < y->event ? -1 : x->event > y->event;
}

static int compare_executions(const void *a, const void *b)
{
    const execution *x = a, *y = b;
    if (x->kernel.name != y->kernel.name) {
        return x->kernel.name < y->kernel.name ? -1 : 1;
    }
    if (x->kernel.tag != y->kernel.tag) {
        return x->kernel.tag < y->kernel.tag ? -1 : 1;
    }
    if (x->number != y->number) {
        return x->number < y->number ? -1 : 1;
    }
    return compare_events(a, b);
}

static void gather(execution_list *l)
{
    const dv_counters *c = &l->d->counters;
    for (dv_span at = {0, 0}; at.end < c->count;) {
        at = pf_dv_counters_at(l->d, at.end);
        l->list[l->count++] = (execution){
            {c->kernel[at.first], c->tag[at.first]}, c->execution[at.first], c->event[at.first], at.first, PF_NONE};
    }
}

static void drop_repeated(execution_list *l)
{
    execution *list = l->list;
    qsort(list, l->count, sizeof *list, compare_executions);
    for (size_t i = 1; i < l->count; i++) {
        if (pf_dv_same_kernel(list[i].kernel, list[i - 1].kernel) && list[i].number == list[i - 1].number) {
            list[i].counters = PF_NONE;
        }
    }
    qsort(list, l->count, sizeof *list, compare_events);
}

static void find_ranges(execution_list *l)
{
    const pf_side_table *s = pf_trace_table(l->d->in->t, "tinygrad_record");
    const uint32_t *kernel = pf_dv_column(s, "kernel"), *event = pf_dv_column(s, "event");
    for (uint32_t i = 0; s && i < s->count; i++) {
        const execution wanted = {.event = event[i]};
        execution *found = bsearch(&wanted, l->list, l->count, sizeof wanted, compare_events);
        if (found) {
            found->range = kernel[i];
        }
    }
}

/* ---- the document ------------------------------------------------------------------------------------------------ */

static void put_metric(dv_json *j, const dv_input *d, dv_span s, const char *counter)
{
    char text[32];
    pf_str shown = pf_dv_utilisation(d, s, counter, text);
    if (shown.ptr) {
        pf_dv_text(j, NULL, shown);
    }
}

static void put_row(dv_json *j, const execution_list *l, const execution *e)
{
    const dv_counters *c = &l->d->counters;
    dv_span s = pf_dv_counters_at(l->d, e->counters);
    pf_dv_list(j, NULL);
    pf_dv_text(j, NULL, pf_dv_kernel_name(l->d, e->kernel));
    if (e->range == PF_NONE) {
        pf_dv_null(j, NULL);
    } else {
        pf_dv_real(j, NULL, l->d->in->events.dur[e->range]);
    }
    for (uint32_t i = s.first; i < s.end; i++) {
        pf_dv_wide(j, NULL, c->sum[i], c->digits[i] ? pf_tg_string(l->d->in, c->digits[i]) : (pf_str){NULL, 0});
    }
    put_metric(j, l->d, s, "SQ_INSTS_VALU");
    put_metric(j, l->d, s, "SQ_INSTS_SALU");
    pf_dv_close(j);
}

enum { COLUMNS_MAX = 256 };

/* The names of all counters, each where it is first met. */
static void put_columns(dv_json *j, const execution_list *l)
{
    const dv_counters *c = &l->d->counters;
    uint32_t seen[COLUMNS_MAX];
    unsigned count = 0;
    bool valu = false, salu = false;
    char text[32];
    pf_dv_list(j, "cols");
    pf_dv_word(j, NULL, "Kernel");
    pf_dv_word(j, NULL, "Duration");
    for (size_t i = 0; i < l->count; i++) {
        if (l->list[i].counters == PF_NONE) {
            continue;
        }
        dv_span s = pf_dv_counters_at(l->d, l->list[i].counters);
        valu |= pf_dv_utilisation(l->d, s, "SQ_INSTS_VALU", text).ptr != NULL;
        salu |= pf_dv_utilisation(l->d, s, "SQ_INSTS_SALU", text).ptr != NULL;
        for (uint32_t row = s.first; row < s.end; row++) {
            unsigned at = 0;
            while (at < count && seen[at] != c->name[row]) {
                at++;
            }
            if (at == count && count < COLUMNS_MAX) {
                seen[count++] = c->name[row];
                pf_dv_text(j, NULL, pf_tg_string(l->d->in, c->name[row]));
            }
        }
    }
    if (valu) {
        pf_dv_word(j, NULL, "VALU utilization");
    }
    if (salu) {
        pf_dv_word(j, NULL, "SALU utilization");
    }
    pf_dv_close(j);
}

static void put_all(dv_json *j, execution_list *l)
{
    gather(l);
    drop_repeated(l);
    find_ranges(l);
    pf_dv_object(j, NULL);
    put_columns(j, l);
    pf_dv_list(j, "rows");
    for (size_t i = 0; i < l->count; i++) {
        if (l->list[i].counters != PF_NONE) {
            put_row(j, l, &l->list[i]);
        }
    }
    pf_dv_close(j);
    pf_dv_close(j);
}

pf_status pf_dv_visit_executions(const void *of, const pf_arg_visitor *v, pf_error *err)
{
    const dv_input *d = of;
    dv_json j = {v, PF_OK};
    execution_list l = {.d = d};
    l.list = malloc(((size_t)d->counters.count + 1) * sizeof *l.list);
    if (l.list) {
        put_all(&j, &l);
    } else {
        j.status = pf_fail(err, PF_ERR_MEMORY, "no memory for all_pmc.json");
    }
    free(l.list);
    return j.status;
}
