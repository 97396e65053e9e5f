/* analyze/tinygrad/device/dv_executions.c - all_pmc.json: a row for each execution with counters: kernel, duration,
 * sums.
 *
 * Counters do not say when their execution ran. The n-th execution of a kernel that left counters or thread traces is
 * the n-th range of that kernel on the device. */
#include <stdlib.h>
#include <string.h>

#include "analyze/tinygrad/device/dv_reports.h"

/* What belongs to one execution: the kernel and the number of the execution say which. */
typedef struct execution {
    dv_kernel kernel;
    int64_t number;
    uint32_t run;      /* how many of the same kernel came before it */
    uint32_t event;    /* the first that belongs to it */
    uint32_t counters; /* row of tinygrad_pmc, PF_NONE: none */
} execution;

typedef struct execution_list {
    const dv_input *d;
    execution *list;
    size_t count;
    uint64_t *ranges; /* of device ranges: name or key << 32 | event, ascending */
    size_t range_count;
} execution_list;

/* ---- executions -------------------------------------------------------------------------------------------------- */

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
    return x->event < y->event ? -1 : x->event > y->event;
}

static int compare_events(const void *a, const void *b)
{
    const execution *x = a, *y = b;
    return x->event < y->event ? -1 : x->event > y->event;
}

static bool same_execution(const execution *a, const execution *b)
{
    return pf_dv_same_kernel(a->kernel, b->kernel) && a->number == b->number;
}

static void gather(execution_list *l)
{
    const dv_streams *s = &l->d->streams;
    const dv_counters *c = &l->d->counters;
    for (uint32_t i = 0; i < s->count; i++) {
        l->list[l->count++] = (execution){{s->kernel[i], s->tag[i]}, s->execution[i], 0, s->event[i], PF_NONE};
    }
    for (dv_span at = {0, 0}; at.end < c->count;) {
        at = pf_dv_counters_at(l->d, at.end);
        l->list[l->count++] = (execution){
            {c->kernel[at.first], c->tag[at.first]}, c->execution[at.first], 0, c->event[at.first], at.first};
    }
}

/* One entry for each execution, at its first event, with its first counters. */
static void merge(execution_list *l)
{
    size_t n = 0;
    qsort(l->list, l->count, sizeof *l->list, compare_executions);
    for (size_t i = 0; i < l->count; i++) {
        execution *last = n ? &l->list[n - 1] : NULL;
        if (last && same_execution(last, &l->list[i])) {
            last->counters = last->counters == PF_NONE ? l->list[i].counters : last->counters;
        } else {
            l->list[n++] = l->list[i];
        }
    }
    l->count = n;
}

/* Numbers the executions of each kernel in the order of the file: once sorted by kernel and event, then by event. */
static int compare_runs(const void *a, const void *b)
{
    const execution *x = a, *y = b;
    if (x->kernel.name != y->kernel.name) {
        return x->kernel.name < y->kernel.name ? -1 : 1;
    }
    if (x->kernel.tag != y->kernel.tag) {
        return x->kernel.tag < y->kernel.tag ? -1 : 1;
    }
    return compare_events(a, b);
}

static void number_runs(execution_list *l)
{
    qsort(l->list, l->count, sizeof *l->list, compare_runs);
    for (size_t i = 1; i < l->count; i++) {
        bool same = pf_dv_same_kernel(l->list[i].kernel, l->list[i - 1].kernel);
        l->list[i].run = same ? l->list[i - 1].run + 1 : 0;
    }
    qsort(l->list, l->count, sizeof *l->list, compare_events);
}

/* ---- durations --------------------------------------------------------------------------------------------------- */

static int compare_keys(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static bool on_device(const tg_input *in, uint32_t event)
{
    pf_str device = pf_tg_string(in, in->events.device[event]);
    return device.len >= 3 && memcmp(device.ptr, "AMD", 3) == 0;
}

/* Ranges by name, and by key where they have one. */
static void gather_ranges(execution_list *l)
{
    const tg_input *in = l->d->in;
    for (uint32_t i = 0; i < in->events.count; i++) {
        if (in->events.kind[i] != in->kinds.range || !on_device(in, i)) {
            continue;
        }
        uint32_t note = pf_tg_find(in->notes.event, in->notes.count, i);
        l->ranges[l->range_count++] = (uint64_t)in->events.name[i] << 32 | i;
        if (note != PF_NONE && in->notes.key[note]) {
            l->ranges[l->range_count++] = (uint64_t)in->notes.key[note] << 32 | i;
        }
    }
    qsort(l->ranges, l->range_count, sizeof *l->ranges, compare_keys);
}

/* The n-th range of that name or key; PF_NONE. */
static uint32_t nth_range(const execution_list *l, uint32_t name, uint32_t n)
{
    size_t from = 0, to = l->range_count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (l->ranges[middle] < (uint64_t)name << 32) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    from += n;
    return name && from < l->range_count && l->ranges[from] >> 32 == name ? (uint32_t)l->ranges[from] : PF_NONE;
}

static uint32_t range_of(const execution_list *l, const execution *e)
{
    const dv_programs *p = &l->d->programs;
    uint32_t program = pf_dv_program(l->d, e->kernel);
    uint32_t found = program != PF_NONE ? nth_range(l, p->key[program], e->run) : PF_NONE;
    uint32_t name = program != PF_NONE ? p->name[program] : e->kernel.name;
    return found != PF_NONE ? found : nth_range(l, name, e->run);
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
    uint32_t range = range_of(l, e);
    pf_dv_list(j, NULL);
    pf_dv_text(j, NULL, pf_dv_kernel_name(l->d, e->kernel));
    if (range == PF_NONE) {
        pf_dv_null(j, NULL);
    } else {
        pf_dv_real(j, NULL, l->d->in->events.dur[range]);
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
    merge(l);
    number_runs(l);
    gather_ranges(l);
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
    l.list = malloc(((size_t)d->streams.count + d->counters.count + 1) * sizeof *l.list);
    l.ranges = malloc((2 * (size_t)d->in->events.count + 1) * sizeof *l.ranges);
    if (l.list && l.ranges) {
        put_all(&j, &l);
    } else {
        j.status = pf_fail(err, PF_ERR_MEMORY, "no memory for all_pmc.json");
    }
    free(l.list);
    free(l.ranges);
    return j.status;
}
