/* analyze/tinygrad/device/dv_executions.c - all_pmc.json: a row for each execution with counters: kernel, duration,
 * sums. Which range an execution is, and so how long it took, is in tinygrad_record. */
#include <stdlib.h>
#include <string.h>

#include "analyze/tinygrad/device/dv_reports.h"

/* The kernel and the number of the execution say what belongs together; the first counters count. */
typedef struct execution {
    dv_kernel kernel;
    int64_t number;
    uint32_t event, first_event; /* first_event: the execution's first record of any kind, which says its place */
    uint32_t counters;           /* row of tinygrad_pmc, PF_NONE: a thread trace, or an earlier one has the execution */
    uint32_t range;              /* of the kernel; PF_NONE: not known */
} execution;

typedef struct execution_list {
    const dv_input *d;
    execution *list; /* by first event */
    size_t count;
} execution_list;

/* ---- executions -------------------------------------------------------------------------------------------------- */

static int compare_events(const void *a, const void *b)
{
    const execution *x = a, *y = b;
    return x->event < y->event ? -1 : x->event > y->event;
}

static int compare_places(const void *a, const void *b)
{
    const execution *x = a, *y = b;
    return x->first_event < y->first_event ? -1 : x->first_event > y->first_event;
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
        l->list[l->count++] = (execution){.kernel = {c->kernel[at.first], c->tag[at.first]},
                                          .number = c->execution[at.first],
                                          .event = c->event[at.first],
                                          .counters = at.first,
                                          .range = PF_NONE};
    }
    const dv_streams *s = &l->d->streams;
    for (uint32_t i = 0; i < s->count; i++) {
        l->list[l->count++] = (execution){.kernel = {s->kernel[i], s->tag[i]},
                                          .number = s->execution[i],
                                          .event = s->event[i],
                                          .counters = PF_NONE,
                                          .range = PF_NONE};
    }
}

static void keep_first(execution_list *l)
{
    execution *list = l->list;
    qsort(list, l->count, sizeof *list, compare_executions);
    bool counted = false;
    for (size_t i = 0; i < l->count; i++) {
        bool same =
            i > 0 && pf_dv_same_kernel(list[i].kernel, list[i - 1].kernel) && list[i].number == list[i - 1].number;
        list[i].first_event = same ? list[i - 1].first_event : list[i].event;
        counted = same && counted;
        list[i].counters = counted ? PF_NONE : list[i].counters;
        counted |= list[i].counters != PF_NONE;
    }
    qsort(list, l->count, sizeof *list, compare_events);
}

static void find_ranges(execution_list *l)
{
    const pf_side_table *s = pf_trace_table(l->d->in->t, "tinygrad_record");
    const uint32_t *kernel = pf_tg_column(s, "kernel"), *event = pf_tg_column(s, "event");
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

/* With colours, where an estimate tells how the viewer shows the kernel. */
static pf_str shown_name(const dv_input *d, dv_kernel k)
{
    uint32_t program = pf_dv_program(d, k), id = program == PF_NONE ? k.name : d->programs.name[program];
    for (size_t i = 0; id && i < d->estimates->count; i++) {
        if (d->estimates->ids[2 * i] == id || d->estimates->ids[2 * i + 1] == id) {
            return d->estimates->estimate[i].name;
        }
    }
    return pf_dv_kernel_name(d, k);
}

static void put_row(dv_json *j, const execution_list *l, const execution *e)
{
    const dv_counters *c = &l->d->counters;
    dv_span s = pf_dv_counters_at(l->d, e->counters);
    pf_dv_list(j, NULL);
    pf_dv_text(j, NULL, shown_name(l->d, e->kernel));
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

/* A counter of an execution, in the order of the rows. */
typedef struct met {
    uint32_t name, at, row;
} met;

static int compare_met(const void *a, const void *b)
{
    const met *x = a, *y = b;
    if (x->name != y->name) {
        return x->name < y->name ? -1 : 1;
    }
    return x->at < y->at ? -1 : x->at > y->at;
}

/* Marks the rows of tinygrad_pmc whose names are first met there; NULL: no memory. */
static bool *first_met(const execution_list *l)
{
    const dv_counters *c = &l->d->counters;
    met *all = malloc(((size_t)c->count + 1) * sizeof *all);
    bool *first = calloc((size_t)c->count + 1, sizeof *first);
    uint32_t count = 0;
    for (size_t i = 0; all && i < l->count; i++) {
        dv_span s = l->list[i].counters == PF_NONE ? (dv_span){0, 0} : pf_dv_counters_at(l->d, l->list[i].counters);
        for (uint32_t row = s.first; row < s.end; row++, count++) {
            all[count] = (met){c->name[row], count, row};
        }
    }
    if (all && first) {
        qsort(all, count, sizeof *all, compare_met);
    }
    for (uint32_t i = 0; all && first && i < count; i++) {
        first[all[i].row] = i == 0 || all[i].name != all[i - 1].name;
    }
    if (!all) {
        free(first);
        first = NULL;
    }
    free(all);
    return first;
}

/* A metric's column, where it is first met. */
static void put_metric_column(dv_json *j, const dv_input *d, dv_span s, const char *counter, const char *name,
                              bool *there)
{
    char text[32];
    if (!*there && pf_dv_utilisation(d, s, counter, text).ptr) {
        pf_dv_word(j, NULL, name);
        *there = true;
    }
}

/* The names of all counters and metrics, each where it is first met. */
static void put_columns(dv_json *j, const execution_list *l, const bool *first)
{
    bool valu = false, salu = false;
    pf_dv_list(j, "cols");
    pf_dv_word(j, NULL, "Kernel");
    pf_dv_word(j, NULL, "Duration");
    for (size_t i = 0; i < l->count; i++) {
        if (l->list[i].counters == PF_NONE) {
            continue;
        }
        dv_span s = pf_dv_counters_at(l->d, l->list[i].counters);
        for (uint32_t row = s.first; row < s.end; row++) {
            if (first[row]) {
                pf_dv_text(j, NULL, pf_tg_string(l->d->in, l->d->counters.name[row]));
            }
        }
        put_metric_column(j, l->d, s, "SQ_INSTS_VALU", "VALU utilization", &valu);
        put_metric_column(j, l->d, s, "SQ_INSTS_SALU", "SALU utilization", &salu);
    }
    pf_dv_close(j);
}

static void put_all(dv_json *j, execution_list *l, const bool *first)
{
    pf_dv_object(j, NULL);
    put_columns(j, l, first);
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
    bool *first = NULL;
    l.list = malloc(((size_t)d->counters.count + d->streams.count + 1) * sizeof *l.list);
    if (l.list) {
        gather(&l);
        keep_first(&l);
        find_ranges(&l);
        qsort(l.list, l.count, sizeof *l.list, compare_places);
        first = first_met(&l);
    }
    if (first) {
        put_all(&j, &l, first);
    } else {
        j.status = pf_fail(err, PF_ERR_MEMORY, "no memory for all_pmc.json");
    }
    free(first);
    free(l.list);
    return j.status;
}
