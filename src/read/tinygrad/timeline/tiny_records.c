/* read/tinygrad/timeline/tiny_records.c - which kernel a record of the device belongs to. Thread traces, counters and
 * samples say the program and the number of an execution, not when it ran: the n-th execution of a program that left
 * records is the n-th range of that program on such a device. Fills tinygrad_record, by kernel, then by event. */
#include <stdlib.h>
#include <string.h>

#include "read/tinygrad/hardware/hardware.h"
#include "read/tinygrad/timeline/tiny_timeline.h"

/* Devices that leave records: thread traces and counters, samples. */
typedef enum vendor { AMD = 0, NV, VENDORS } vendor;
static const char *const vendor_names[VENDORS] = {"AMD", "NV"};

typedef struct record {
    uint64_t program;   /* pf_hw_key of what it names */
    uint32_t key, name; /* of the range, where the record itself says them */
    vendor of;
    int64_t execution;           /* number of the execution */
    uint32_t event, first_event; /* first_event: of its execution */
    uint32_t run, range;
} record;

/* Name or key << 32 | row of tinygrad_event, ascending. */
typedef struct range_list {
    uint64_t *at;
    size_t count;
} range_list;

typedef struct record_list {
    pf_tiny_timeline *l;
    record *list;
    size_t count;
    range_list ranges[VENDORS];
} record_list;

/* ---- records ----------------------------------------------------------------------------------------------------- */

static void add_record(record_list *r, const pf_side_table *s, uint32_t row, unsigned event, unsigned kernel,
                       unsigned execution)
{
    uint32_t at = *pf_side_ref(s, event, row);
    bool again = r->count > 0 && r->list[r->count - 1].event == at; /* counters of one event */
    if (at >= r->l->first && !again) {
        uint64_t program = pf_hw_key(*pf_side_ref(s, kernel, row), *pf_side_number(s, kernel + 1, row));
        r->list[r->count++] = (record){.program = program,
                                       .name = *pf_side_ref(s, kernel, row),
                                       .execution = *pf_side_number(s, execution, row),
                                       .event = at,
                                       .first_event = at,
                                       .range = PF_NONE};
    }
}

/* Samples name their range as well as the program does: by key, or by name. */
static void add_samples(record_list *r, const pf_side_table *s, uint32_t row)
{
    size_t before = r->count;
    add_record(r, s, row, PMA_EVENT, PMA_KERNEL, PMA_EXECUTION);
    if (r->count > before) {
        record *one = &r->list[before];
        one->of = NV;
        one->key = *pf_side_ref(s, PMA_KEY, row);
        one->program = one->key ? pf_hw_key(one->key, 0) : one->program;
    }
}

static void gather(record_list *r, const pf_side_table *streams, const pf_side_table *counters,
                   const pf_side_table *samples)
{
    for (uint32_t i = 0; i < streams->count; i++) {
        add_record(r, streams, i, STREAM_EVENT, STREAM_KERNEL, STREAM_EXECUTION);
    }
    for (uint32_t i = 0; i < counters->count; i++) {
        add_record(r, counters, i, PMC_EVENT, PMC_KERNEL, PMC_EXECUTION);
    }
    for (uint32_t i = 0; i < samples->count; i++) {
        add_samples(r, samples, i);
    }
}

static int order(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int by_program(const record *x, const record *y)
{
    int d = order(x->of, y->of);
    return d ? d : order(x->program, y->program);
}

static int by_execution(const void *a, const void *b)
{
    const record *x = a, *y = b;
    int d = by_program(x, y);
    d = d ? d : order((uint64_t)x->execution, (uint64_t)y->execution);
    return d ? d : order(x->event, y->event);
}

static int by_first_event(const void *a, const void *b)
{
    const record *x = a, *y = b;
    int d = by_program(x, y);
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
        bool same = by_program(&list[i], &list[i - 1]) == 0 && list[i].execution == list[i - 1].execution;
        list[i].first_event = same ? list[i - 1].first_event : list[i].event;
    }
    qsort(list, r->count, sizeof *list, by_first_event);
    for (size_t i = 1; i < r->count; i++) {
        bool same = by_program(&list[i], &list[i - 1]) == 0;
        list[i].run = same ? list[i - 1].run + (list[i].first_event != list[i - 1].first_event) : 0;
    }
}

/* ---- ranges ------------------------------------------------------------------------------------------------------ */

static int by_number(const void *a, const void *b)
{
    return order(*(const uint64_t *)a, *(const uint64_t *)b);
}

/* Whose device an event is on; VENDORS: one that leaves no records. */
static vendor vendor_of(const pf_tiny_timeline *l, uint32_t event)
{
    pf_str device = pf_trace_string(l->t, *pf_side_ref(l->p->table[PF_TINY_EVENT], EVENT_DEVICE, event));
    unsigned i = 0;
    while (i < VENDORS && (device.len < strlen(vendor_names[i]) ||
                           memcmp(device.ptr, vendor_names[i], strlen(vendor_names[i])) != 0)) {
        i++;
    }
    return (vendor)i;
}

static void add_range(record_list *r, uint32_t event, uint32_t name)
{
    vendor of = vendor_of(r->l, event);
    if (of < VENDORS) {
        r->ranges[of].at[r->ranges[of].count++] = (uint64_t)name << 32 | event;
    }
}

/* Ranges of devices that leave records and were ended, by name, and by key where they have one. */
static void gather_ranges(record_list *r)
{
    const pf_tiny_timeline *l = r->l;
    const pf_side_table *events = l->p->table[PF_TINY_EVENT], *notes = l->p->table[PF_TINY_NOTE];
    for (uint32_t i = l->first, note = 0; i < l->first + l->count; i++) {
        bool ended = *pf_side_number(events, EVENT_END, i) != INT64_MIN;
        while (note < notes->count && *pf_side_ref(notes, NOTE_EVENT, note) < i) {
            note++;
        }
        bool traced = note < notes->count && *pf_side_ref(notes, NOTE_EVENT, note) == i &&
                      *pf_side_ref(notes, NOTE_KEY, note) == 0; /* a TracingKey, which is no kernel's name */
        if (ended && !traced && *pf_side_ref(events, EVENT_KIND, i) == l->p->kinds[PF_TINY_RANGE]) {
            add_range(r, i, *pf_side_ref(events, EVENT_NAME, i));
        }
    }
    for (uint32_t i = 0; i < notes->count; i++) {
        uint32_t event = *pf_side_ref(notes, NOTE_EVENT, i), key = *pf_side_ref(notes, NOTE_KEY, i);
        bool range = *pf_side_ref(events, EVENT_KIND, event) == l->p->kinds[PF_TINY_RANGE] &&
                     *pf_side_number(events, EVENT_END, event) != INT64_MIN;
        if (event >= l->first && key && range) {
            add_range(r, event, key);
        }
    }
    for (unsigned i = 0; i < VENDORS; i++) {
        qsort(r->ranges[i].at, r->ranges[i].count, sizeof *r->ranges[i].at, by_number);
    }
}

static uint32_t nth_range(const range_list *r, uint32_t name, uint32_t n)
{
    size_t from = 0, to = r->count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (r->at[middle] < (uint64_t)name << 32) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    from += n;
    return name && from < r->count && r->at[from] >> 32 == name ? (uint32_t)r->at[from] : PF_NONE;
}

/* The program that a record names, by its key or, where it has none, by its name. */
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
        uint32_t names[4] = {0, 0, one->key, one->name};
        if (row != PF_NONE) {
            names[0] = *pf_side_ref(programs, PROGRAM_KEY, row);
            names[1] = names[0] ? 0 : *pf_side_ref(programs, PROGRAM_NAME, row);
        }
        names[3] = names[0] || names[2] ? 0 : names[3];
        for (unsigned k = 0; k < 4 && one->range == PF_NONE; k++) {
            one->range = nth_range(&r->ranges[one->of], names[k], one->run);
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
                        *counters = pf_trace_table(l->t, "tinygrad_pmc"),
                        *samples = pf_trace_table(l->t, "tinygrad_pma");
    pf_budget *budget = &l->t->budget;
    record_list r = {.l = l};
    size_t rows = (size_t)streams->count + counters->count + samples->count, list_bytes = rows * sizeof *r.list;
    size_t ranges = (size_t)l->count + l->p->table[PF_TINY_NOTE]->count;
    size_t range_bytes = VENDORS * ranges * sizeof *r.ranges[0].at;
    if (rows == 0) {
        return PF_OK;
    }
    r.list = pf_alloc(budget, list_bytes);
    uint64_t *numbers = pf_alloc(budget, range_bytes);
    pf_status st = r.list && numbers ? PF_OK : pf_budget_refused(budget, list_bytes + range_bytes, err);
    if (st == PF_OK) {
        for (unsigned i = 0; i < VENDORS; i++) {
            r.ranges[i].at = numbers + i * ranges;
        }
        gather(&r, streams, counters, samples);
        number_runs(&r);
        gather_ranges(&r);
        st = find_ranges(&r, pf_trace_table(l->t, "tinygrad_program"), err);
        st = st == PF_OK ? write_table(&r, l->p->records, err) : st;
    }
    pf_release(budget, r.list, list_bytes);
    pf_release(budget, numbers, range_bytes);
    return st;
}
