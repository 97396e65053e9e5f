/* analyze/tinygrad/device/tg_executions.c - all_pmc.json: a row for each execution with counters: kernel, duration,
 * sums. Which range an execution is, and so how long it took, is in tinygrad_record. */
#include <stdlib.h>

#include "analyze/tinygrad/device/tg_device_reports.h"
#include "base/budget.h"
#include "model/trace/trace.h"

/* The kernel and the number of the execution say what belongs together; the first counters count. */
typedef struct execution {
    tg_kernel kernel;
    int64_t number;
    uint32_t event, first_event; /* first_event: the execution's first record of any kind, which says its place */
    uint32_t counters;           /* row of tinygrad_pmc, PF_NONE: a thread trace, or an earlier one has the execution */
    uint32_t range;              /* of the kernel; PF_NONE: not known */
} execution;

typedef struct execution_list {
    const tg_input *in;
    execution *list; /* by first event */
    size_t count;
} execution_list;

/* ---- executions -------------------------------------------------------------------------------------------------- */

static int order(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int compare_events(const void *a, const void *b)
{
    const execution *x = a, *y = b;
    return order(x->event, y->event);
}

static int compare_places(const void *a, const void *b)
{
    const execution *x = a, *y = b;
    return order(x->first_event, y->first_event);
}

static int compare_executions(const void *a, const void *b)
{
    const execution *x = a, *y = b;
    int d = order(x->kernel.name, y->kernel.name);
    d = d ? d : order(x->kernel.tag, y->kernel.tag);
    d = d ? d : order(x->number, y->number);
    return d ? d : compare_events(a, b);
}

static void gather(execution_list *l)
{
    const tg_counters *c = &l->in->counters;
    const tg_streams *s = &l->in->streams;
    for (tg_rows at = {0, 0}; at.end < c->count;) {
        at = pf_tg_counters_at(l->in, at.end);
        l->list[l->count++] = (execution){.kernel = {c->kernel[at.first], c->tag[at.first]},
                                          .number = c->exec_tag[at.first],
                                          .event = c->event[at.first],
                                          .counters = at.first,
                                          .range = PF_NONE};
    }
    for (uint32_t i = 0; i < s->count; i++) {
        l->list[l->count++] = (execution){.kernel = {s->kernel[i], s->tag[i]},
                                          .number = s->exec_tag[i],
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
            i > 0 && pf_tg_same_kernel(list[i].kernel, list[i - 1].kernel) && list[i].number == list[i - 1].number;
        list[i].first_event = same ? list[i - 1].first_event : list[i].event;
        counted = same && counted;
        list[i].counters = counted ? PF_NONE : list[i].counters;
        counted |= list[i].counters != PF_NONE;
    }
    qsort(list, l->count, sizeof *list, compare_events);
}

static void find_ranges(execution_list *l)
{
    const tg_records *t = &l->in->records;
    for (uint32_t i = 0; i < t->count; i++) {
        const execution wanted = {.event = t->event[i]};
        execution *found = bsearch(&wanted, l->list, l->count, sizeof wanted, compare_events);
        if (found) {
            found->range = t->kernel[i];
        }
    }
}

/* ---- the document ------------------------------------------------------------------------------------------------ */

/* With colours, where an estimate tells how the viewer shows the kernel. */
static pf_str shown_name(const tg_input *in, tg_kernel k)
{
    uint32_t program = pf_tg_program_of(in, k), id = program == PF_NONE ? k.name : in->programs.name[program];
    for (size_t i = 0; id && i < in->estimates->count; i++) {
        if (in->estimates->ids[2 * i] == id || in->estimates->ids[2 * i + 1] == id) {
            return in->estimates->estimate[i].name;
        }
    }
    return pf_tg_kernel_name(in, k);
}

static void put_row(tg_json *j, const execution_list *l, const execution *e)
{
    const tg_counters *c = &l->in->counters;
    tg_rows s = pf_tg_counters_at(l->in, e->counters);
    char text[32];
    pf_tg_begin_list(j, NULL);
    pf_tg_put_text(j, NULL, shown_name(l->in, e->kernel));
    if (e->range == PF_NONE) {
        pf_tg_put_null(j, NULL);
    } else {
        pf_tg_put_real(j, NULL, l->in->events.dur[e->range]);
    }
    for (uint32_t i = s.first; i < s.end; i++) {
        pf_tg_put_wide(j, l->in, NULL, c->sum[i], c->sum_digits[i]);
    }
    for (unsigned i = 0; i < PF_TG_METRICS; i++) {
        pf_str shown = pf_tg_utilisation(l->in, s, i, text);
        if (shown.ptr) {
            pf_tg_put_text(j, NULL, shown);
        }
    }
    pf_tg_end(j);
}

/* The names of all counters and metrics, each where it is first met; seen: by string id. */
static void put_columns(tg_json *j, const execution_list *l, bool *seen)
{
    bool metric_seen[PF_TG_METRICS] = {false};
    char text[32];
    pf_tg_begin_list(j, "cols");
    pf_tg_put_word(j, NULL, "Kernel");
    pf_tg_put_word(j, NULL, "Duration");
    for (size_t i = 0; i < l->count; i++) {
        uint32_t first = l->list[i].counters;
        tg_rows s = first == PF_NONE ? (tg_rows){0, 0} : pf_tg_counters_at(l->in, first);
        for (uint32_t row = s.first; row < s.end; row++) {
            uint32_t name = l->in->counters.name[row];
            if (!seen[name]) {
                seen[name] = true;
                pf_tg_put_text(j, NULL, pf_tg_string(l->in, name));
            }
        }
        for (unsigned k = 0; k < PF_TG_METRICS; k++) {
            if (!metric_seen[k] && pf_tg_utilisation(l->in, s, k, text).ptr) {
                metric_seen[k] = true;
                pf_tg_put_word(j, NULL, pf_tg_metrics[k].name);
            }
        }
    }
    pf_tg_end(j);
}

pf_status pf_tg_visit_executions(const void *of, const pf_arg_visitor *v, pf_error *err)
{
    const tg_input *in = of;
    tg_json j = {v, err, PF_OK};
    execution_list l = {.in = in};
    l.list = malloc(((size_t)in->counters.count + in->streams.count + 1) * sizeof *l.list);
    bool *seen = calloc(in->t->strings.count, sizeof *seen);
    if (l.list && seen) {
        gather(&l);
        keep_first(&l);
        find_ranges(&l);
        qsort(l.list, l.count, sizeof *l.list, compare_places);
        pf_tg_begin_object(&j, NULL);
        put_columns(&j, &l, seen);
        pf_tg_begin_list(&j, "rows");
        for (size_t i = 0; i < l.count; i++) {
            if (l.list[i].counters != PF_NONE) {
                put_row(&j, &l, &l.list[i]);
            }
        }
        pf_tg_end(&j);
        pf_tg_end(&j);
    } else {
        j.status = pf_no_memory(err);
    }
    free(seen);
    free(l.list);
    return j.status;
}
