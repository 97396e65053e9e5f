/* read/tinygrad/timeline/tiny_records.c - which kernel a record of the device belongs to. Thread traces and counters
 * say the program and the number of an execution, not when it ran: the n-th execution of a program that left records is
 * the n-th range of that program on such a device. Fills tinygrad_record, by kernel, then by event. */
#include <stdlib.h>
#include <string.h>

#include "read/tinygrad/hardware/hardware.h"
#include "read/tinygrad/timeline/tiny_timeline.h"

typedef struct record {
    uint64_t program;            /* pf_hw_key of what it names */
    int64_t execution;           /* number of the execution */
    uint32_t event, first_event; /* first_event: of its execution */
    uint32_t run, range;
} record;

typedef struct record_list {
    pf_tiny_timeline *l;
    record *list;
    size_t count;
    uint64_t *ranges; /* name or key << 32 | row of tinygrad_event, ascending */
    size_t range_count;
} record_list;

/* ---- records ----------------------------------------------------------------------------------------------------- */

static void add_record(record_list *r, const pf_side_table *s, uint32_t row, unsigned event, unsigned kernel,
                       unsigned execution)
{
    uint32_t at = *pf_side_ref(s, event, row);
    bool again = r->count > 0 && r->list[r->count - 1].event == at; /* counters of one event */
    if (at >= r->l->first && !again) {
        uint64_t program = pf_hw_key(*pf_side_ref(s, kernel, row), *pf_side_number(s, kernel + 1, row));
        r->list[r->count++] = (record){program, *pf_side_number(s, execution, row), at, at, 0, PF_NONE};
    }
}

static void gather(record_list *r, const pf_side_table *streams, const pf_side_table *counters)
{
    for (uint32_t i = 0; i < streams->count; i++) {
        add_record(r, streams, i, STREAM_EVENT, STREAM_KERNEL, STREAM_EXECUTION);
    }
    for (uint32_t i = 0; i < counters->count; i++) {
        add_record(r, counters, i, PMC_EVENT, PMC_KERNEL, PMC_EXECUTION);
    }
}

static int order(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int by_execution(const void *a, const void *b)
{
    const record *x = a, *y = b;
    int d = order(x->program, y->program);
    d = d ? d : order((uint64_t)x->execution, (uint64_t)y->execution);
    return d ? d : order(x->event, y->event);
}

static int by_first_event(const void *a, const void *b)
{
    const record *x = a, *y = b;
    int d = order(x->program, y->program);
    d = d ? d : order(x->first_event, y->first_event);
    return d ? d : order(x->event, y->event);
}

static int by_range(const void *a, const void *b)
{
    const record *x = a, *y = b;
    int d = order(x->range, y->range);
    return d ? d : order(x->event, y->event);
}

/* Numbers the executions of each program in the order of their first records. */
static void number_runs(record_list *r)
{
    record *list = r->list;
    qsort(list, r->count, sizeof *list, by_execution);
    for (size_t i = 1; i < r->count; i++) {
        bool same = list[i].program == list[i - 1].program && list[i].execution == list[i - 1].execution;
        list[i].first_event = same ? list[i - 1].first_event : list[i].event;
    }
    qsort(list, r->count, sizeof *list, by_first_event);
    for (size_t i = 1; i < r->count; i++) {
        bool same = list[i].program == list[i - 1].program;
        list[i].run = same ? list[i - 1].run + (list[i].first_event != list[i - 1].first_event) : 0;
    }
}

/* ---- ranges ------------------------------------------------------------------------------------------------------ */

static int by_number(const void *a, const void *b)
{
    return order(*(const uint64_t *)a, *(const uint64_t *)b);
}

static bool has_records(const pf_tiny_timeline *l, uint32_t event)
{
    pf_str device = pf_trace_string(l->t, *pf_side_ref(l->p->table[PF_TINY_EVENT], EVENT_DEVICE, event));
    return device.len >= 3 && memcmp(device.ptr, "AMD", 3) == 0;
}

/* Ranges of devices that leave records, by name, and by key where they have one. */
static void gather_ranges(record_list *r)
{
    const pf_tiny_timeline *l = r->l;
    const pf_side_table *events = l->p->table[PF_TINY_EVENT], *notes = l->p->table[PF_TINY_NOTE];
    for (uint32_t i = l->first; i < l->first + l->count; i++) {
        if (*pf_side_ref(events, EVENT_KIND, i) == l->p->kinds[PF_TINY_RANGE] && has_records(l, i)) {
            r->ranges[r->range_count++] = (uint64_t)*pf_side_ref(events, EVENT_NAME, i) << 32 | i;
        }
    }
    for (uint32_t i = 0; i < notes->count; i++) {
        uint32_t event = *pf_side_ref(notes, NOTE_EVENT, i), key = *pf_side_ref(notes, NOTE_KEY, i);
        if (event >= l->first && key && has_records(l, event)) {
            r->ranges[r->range_count++] = (uint64_t)key << 32 | event;
        }
    }
    qsort(r->ranges, r->range_count, sizeof *r->ranges, by_number);
}

static uint32_t nth_range(const record_list *r, uint32_t name, uint32_t n)
{
    size_t from = 0, to = r->range_count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (r->ranges[middle] < (uint64_t)name << 32) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    from += n;
    return name && from < r->range_count && r->ranges[from] >> 32 == name ? (uint32_t)r->ranges[from] : PF_NONE;
}

/* The program that a record names, by its key and by its name. */
static pf_status find_ranges(record_list *r, const pf_side_table *programs, pf_error *err)
{
    pf_map rows;
    pf_status st = PF_OK;
    pf_map_init(&rows, &r->l->t->budget);
    for (uint32_t i = 0; st == PF_OK && i < programs->count; i++) {
        int64_t tag = *pf_side_number(programs, PROGRAM_TAG, i);
        uint32_t name = tag == INT64_MIN ? *pf_side_ref(programs, PROGRAM_NAME, i) : 0;
        bool own = *pf_side_ref(programs, PROGRAM_EVENT, i) >= r->l->first;
        st = !own || pf_map_set(&rows, pf_hw_key(name, tag), i) ? PF_OK : pf_budget_refused(&r->l->t->budget, 0, err);
    }
    for (size_t i = 0; st == PF_OK && i < r->count; i++) {
        record *one = &r->list[i];
        uint32_t row = pf_map_get(&rows, one->program);
        one->range = row == PF_NONE ? PF_NONE : nth_range(r, *pf_side_ref(programs, PROGRAM_KEY, row), one->run);
        if (row != PF_NONE && one->range == PF_NONE) {
            one->range = nth_range(r, *pf_side_ref(programs, PROGRAM_NAME, row), one->run);
        }
    }
    pf_map_free(&rows);
    return st;
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

/* Records whose kernel is not known are left out; they come last. */
static pf_status write_table(record_list *r, pf_side_table *s, pf_error *err)
{
    size_t known = 0;
    uint32_t row;
    qsort(r->list, r->count, sizeof *r->list, by_range);
    while (known < r->count && r->list[known].range != PF_NONE) {
        known++;
    }
    pf_status st = known ? pf_side_add_rows(s, (uint32_t)known, &row, err) : PF_OK;
    for (size_t i = 0; st == PF_OK && i < known; i++, row++) {
        *pf_side_ref(s, RECORD_KERNEL, row) = r->list[i].range;
        *pf_side_ref(s, RECORD_EVENT, row) = r->list[i].event;
        *pf_side_number(s, RECORD_RUN, row) = r->list[i].run;
    }
    return st;
}

pf_status pf_tiny_match_records(pf_tiny_timeline *l, pf_error *err)
{
    const pf_side_table *streams = pf_trace_table(l->t, "tinygrad_sqtt"),
                        *counters = pf_trace_table(l->t, "tinygrad_pmc");
    pf_side_table *records = l->p->records;
    pf_budget *budget = &l->t->budget;
    record_list r = {.l = l};
    size_t rows = (size_t)streams->count + counters->count + 1, list_bytes = rows * sizeof *r.list;
    size_t range_bytes = ((size_t)l->count + l->p->table[PF_TINY_NOTE]->count + 1) * sizeof *r.ranges;
    if (rows == 1) {
        return PF_OK;
    }
    r.list = pf_alloc(budget, list_bytes);
    r.ranges = pf_alloc(budget, range_bytes);
    pf_status st = r.list && r.ranges ? PF_OK : pf_budget_refused(budget, list_bytes + range_bytes, err);
    if (st == PF_OK) {
        gather(&r, streams, counters);
        number_runs(&r);
        gather_ranges(&r);
        st = find_ranges(&r, pf_trace_table(l->t, "tinygrad_program"), err);
        st = st == PF_OK ? write_table(&r, records, err) : st;
    }
    pf_release(budget, r.list, r.list ? list_bytes : 0);
    pf_release(budget, r.ranges, r.ranges ? range_bytes : 0);
    return st;
}
