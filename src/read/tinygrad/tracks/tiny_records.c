/* read/tinygrad/tracks/tiny_records.c - what belongs to a kernel.
 *
 * The host notes an execution when it submits it, the device a range when it runs; nothing but device and name joins
 * the two, so the n-th range of a name on a device is the n-th execution of that name there.
 *
 * Thread traces, counters and samples say the program and the number of an execution, not when it ran: the n-th
 * execution of a program that left records is the n-th range of that program on such a device. Fills tinygrad_record,
 * by kernel, then by event. */
#include <stdlib.h>

#include "base/ordering.h"
#include "read/tinygrad/hardware/hardware.h"
#include "read/tinygrad/tracks/tiny_tracks.h"

/* ---- executions of the host ---------------------------------------------------------------------------------------
 */

/* A device and a name, as the number of a queue: l->map. */
typedef struct queues {
    uint32_t count;
    uint32_t *next; /* by queue: the execution that is due, as row of tinygrad_run */
    uint32_t *last;
    uint32_t *after; /* by row of tinygrad_run - first_run: the execution after it in its queue */
    uint32_t first_run;
} queues;

/* The key of a device and a name without colours. */
static pf_status key_of(pf_tiny_tracks *l, uint32_t event, uint32_t name, uint64_t *key)
{
    uint32_t plain;
    PF_TRY(pf_tiny_plain_name(l, name, &plain));
    *key = (uint64_t)pf_tiny_event_ref(l, EVENT_DEVICE, event) << 32 | plain;
    return PF_OK;
}

static pf_status enqueue(pf_tiny_tracks *l, queues *q, uint32_t run)
{
    const pf_side_table *runs = l->p->table[PF_TINY_RUN];
    uint64_t key;
    PF_TRY(key_of(l, *pf_side_ref(runs, RUN_EVENT, run), *pf_side_ref(runs, RUN_KERNEL, run), &key));
    uint32_t n = pf_map_get(&l->map, key);
    if (n == PF_NONE) {
        n = q->count++;
        PF_TRY(pf_map_put(&l->map, key, n, l->p->err));
        q->next[n] = run;
    } else {
        q->after[q->last[n] - q->first_run] = run;
    }
    q->last[n] = run;
    q->after[run - q->first_run] = PF_NONE;
    return PF_OK;
}

static pf_status match(pf_tiny_tracks *l, queues *q, uint32_t event)
{
    uint64_t key;
    PF_TRY(key_of(l, event, pf_tiny_event_ref(l, EVENT_NAME, event), &key));
    uint32_t n = pf_map_get(&l->map, key);
    if (n == PF_NONE || q->next[n] == PF_NONE) {
        return PF_OK;
    }
    PF_TRY(pf_tiny_put(l->p, PF_TINY_EXECUTION, PF_CELLS(event, q->next[n])));
    q->next[n] = q->after[q->next[n] - q->first_run];
    return PF_OK;
}

pf_status pf_tiny_match_runs(pf_tiny_tracks *l)
{
    const pf_side_table *runs = l->p->table[PF_TINY_RUN];
    queues q = {.first_run = pf_tiny_first_of(runs, RUN_EVENT, l->first)};
    uint32_t count = runs->count - q.first_run;
    PF_TRY(PF_ARENA_NEW(&l->arena, q.next, 3 * (size_t)count, l->p->err));
    q.last = q.next + count;
    q.after = q.last + count;
    for (uint32_t i = 0; i < count; i++) {
        PF_TRY(enqueue(l, &q, q.first_run + i));
    }
    for (uint32_t i = l->first; count && i < l->first + l->count; i++) {
        uint32_t kind = pf_tiny_event_ref(l, EVENT_KIND, i);
        bool ranged = kind == l->p->kinds[PF_TINY_KIND_RANGE] || kind == l->p->kinds[PF_TINY_KIND_ENTRY];
        PF_TRY(ranged ? match(l, &q, i) : PF_OK);
    }
    return PF_OK;
}

/* Devices that leave records: thread traces and counters, samples. */
typedef enum vendor { AMD = 0, NV, VENDORS } vendor;
static const char *const vendor_names[VENDORS] = {"AMD", "NV"};

typedef struct record {
    uint64_t program;   /* pf_tiny_kernel_key of what it names */
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
    pf_tiny_tracks *l;
    record *list;
    size_t count;
    range_list ranges[VENDORS];
} record_list;

/* The tables that have them, with columns of the event, the program (a text, then a number) and the execution. */
static const struct {
    pf_tiny_table table;
    unsigned event, kernel, execution;
} sources[] = {{PF_TINY_STREAM, STREAM_EVENT, STREAM_KERNEL, STREAM_EXECUTION},
               {PF_TINY_PMC, PMC_EVENT, PMC_KERNEL, PMC_EXECUTION},
               {PF_TINY_PMA, PMA_EVENT, PMA_KERNEL, PMA_EXECUTION}};
enum { SOURCES = sizeof sources / sizeof sources[0] };

/* Samples name their range as well as the program does: by key, or by name. Counters of one event are one record. */
static void add_record(record_list *r, unsigned source, uint32_t row)
{
    const pf_side_table *s = r->l->p->table[sources[source].table];
    uint32_t at = *pf_side_ref(s, sources[source].event, row), name = *pf_side_ref(s, sources[source].kernel, row);
    bool samples = sources[source].table == PF_TINY_PMA;
    if (at < r->l->first || (r->count > 0 && r->list[r->count - 1].event == at)) {
        return;
    }
    uint32_t key = samples ? *pf_side_ref(s, PMA_KEY, row) : 0;
    int64_t tag = *pf_side_number(s, sources[source].kernel + 1, row);
    r->list[r->count++] = (record){.program = key ? pf_tiny_kernel_key(key, 0) : pf_tiny_kernel_key(name, tag),
                                   .key = key,
                                   .name = name,
                                   .of = samples ? NV : AMD,
                                   .execution = *pf_side_number(s, sources[source].execution, row),
                                   .event = at,
                                   .first_event = at,
                                   .range = PF_NONE};
}

PF_ORDER(by_execution, record, PF_UP(of), PF_UP(program), PF_COMPARE((uint64_t)x->execution, (uint64_t)y->execution),
         PF_UP(event));
PF_ORDER(by_first_event, record, PF_UP(of), PF_UP(program), PF_UP(first_event), PF_UP(event));
PF_ORDER(by_range, record, PF_UP(range), PF_UP(event));

static bool same_program(const record *a, const record *b)
{
    return a->of == b->of && a->program == b->program;
}

/* Numbers the executions of each program in the order of their first records. */
static void number_runs(record_list *r)
{
    record *list = r->list;
    qsort(list, r->count, sizeof *list, by_execution);
    for (size_t i = 1; i < r->count; i++) {
        bool same = same_program(&list[i], &list[i - 1]) && list[i].execution == list[i - 1].execution;
        list[i].first_event = same ? list[i - 1].first_event : list[i].event;
    }
    qsort(list, r->count, sizeof *list, by_first_event);
    for (size_t i = 1; i < r->count; i++) {
        bool same = same_program(&list[i], &list[i - 1]);
        list[i].run = same ? list[i - 1].run + (list[i].first_event != list[i - 1].first_event) : 0;
    }
}

PF_ORDER(by_number, uint64_t, PF_COMPARE(*x, *y));

/* Adds a range where its device leaves records. */
static void add_range(record_list *r, uint32_t event, uint32_t name)
{
    pf_str device = pf_trace_string(r->l->t, pf_tiny_event_ref(r->l, EVENT_DEVICE, event));
    for (unsigned i = 0; i < VENDORS; i++) {
        if (pf_str_starts(device, pf_str_of(vendor_names[i]))) {
            r->ranges[i].at[r->ranges[i].count++] = (uint64_t)name << 32 | event;
            return;
        }
    }
}

static bool is_ended_range(const pf_tiny_tracks *l, uint32_t event)
{
    return pf_tiny_event_ref(l, EVENT_KIND, event) == l->p->kinds[PF_TINY_KIND_RANGE] &&
           pf_tiny_event_int(l, EVENT_END, event) != INT64_MIN;
}

/* Ranges of devices that leave records and were ended, by name, and by key where they have one. */
static void gather_ranges(record_list *r)
{
    const pf_tiny_tracks *l = r->l;
    const pf_side_table *notes = l->p->table[PF_TINY_NOTE];
    uint32_t first = pf_tiny_first_of(notes, NOTE_EVENT, l->first);
    for (uint32_t i = l->first, note = first; i < l->first + l->count; i++) {
        bool noted = note < notes->count && *pf_side_ref(notes, NOTE_EVENT, note) == i;
        bool traced = noted && *pf_side_ref(notes, NOTE_KEY, note) == 0; /* a TracingKey, which is no kernel's name */
        note += noted;
        if (!traced && is_ended_range(l, i)) {
            add_range(r, i, pf_tiny_event_ref(l, EVENT_NAME, i));
        }
    }
    for (uint32_t i = first; i < notes->count; i++) {
        uint32_t event = *pf_side_ref(notes, NOTE_EVENT, i), key = *pf_side_ref(notes, NOTE_KEY, i);
        if (key && is_ended_range(l, event)) {
            add_range(r, event, key);
        }
    }
    for (unsigned i = 0; i < VENDORS; i++) {
        qsort(r->ranges[i].at, r->ranges[i].count, sizeof *r->ranges[i].at, by_number);
    }
}

static uint32_t nth_range(const range_list *r, uint32_t name, uint32_t n)
{
    size_t from = 0;
    PF_BISECT(from, r->count, r->at[middle] < (uint64_t)name << 32);
    from += n;
    return name && from < r->count && r->at[from] >> 32 == name ? (uint32_t)r->at[from] : PF_NONE;
}

/* The programs of the profile by what records call them. */
static pf_status map_programs(pf_tiny_tracks *l)
{
    const pf_side_table *programs = l->p->table[PF_TINY_PROGRAM];
    for (uint32_t i = pf_tiny_first_of(programs, PROGRAM_EVENT, l->first); i < programs->count; i++) {
        int64_t tag = *pf_side_number(programs, PROGRAM_TAG, i);
        uint32_t name = tag == INT64_MIN ? *pf_side_ref(programs, PROGRAM_NAME, i) : 0;
        PF_TRY(pf_map_put(&l->map, pf_tiny_kernel_key(name, tag), i, l->p->err));
    }
    return PF_OK;
}

/* The range of a record: by the key of its program or, where that has none, by the name; else by what it says itself.
 */
static void find_range(const record_list *r, record *one)
{
    const pf_side_table *programs = r->l->p->table[PF_TINY_PROGRAM];
    uint32_t row = pf_map_get(&r->l->map, one->program);
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

static pf_status make_room(record_list *r)
{
    size_t records = 0, ranges = (size_t)r->l->count + r->l->p->table[PF_TINY_NOTE]->count;
    for (unsigned i = 0; i < SOURCES; i++) {
        records += r->l->p->table[sources[i].table]->count;
    }
    PF_TRY(PF_ARENA_NEW(&r->l->arena, r->list, records, r->l->p->err));
    for (unsigned i = 0; records && i < VENDORS; i++) {
        PF_TRY(PF_ARENA_NEW(&r->l->arena, r->ranges[i].at, ranges, r->l->p->err));
    }
    return PF_OK;
}

/* Records whose kernel is not known are left out; they come last. */
pf_status pf_tiny_match_records(pf_tiny_tracks *l)
{
    record_list r = {.l = l};
    l->first_record = l->p->table[PF_TINY_RECORD]->count;
    PF_TRY(make_room(&r));
    for (unsigned source = 0; source < SOURCES; source++) {
        for (uint32_t i = 0; i < l->p->table[sources[source].table]->count; i++) {
            add_record(&r, source, i);
        }
    }
    if (r.count == 0) {
        return PF_OK;
    }
    number_runs(&r);
    gather_ranges(&r);
    PF_TRY(map_programs(l));
    for (size_t i = 0; i < r.count; i++) {
        find_range(&r, &r.list[i]);
    }
    qsort(r.list, r.count, sizeof *r.list, by_range);
    for (size_t i = 0; i < r.count && r.list[i].range != PF_NONE; i++) {
        const record *one = &r.list[i];
        PF_TRY(pf_tiny_put(l->p, PF_TINY_RECORD, PF_CELLS(one->range, one->event, one->run)));
    }
    return PF_OK;
}
