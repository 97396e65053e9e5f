/* model/trace/trace.c - life of a trace and its look-ups; adding rows is in trace_rows.c, deriving tables in
 * slices.c. */
#include "model/trace/trace.h"
#include "model/trace/thread_states.h"

#include "base/files/fingerprint.h"
#include "base/list.h"

#include <stdlib.h>
#include <string.h>

/* Row 0 of process and thread: the idle process and thread that Perfetto always lists. */
static pf_status add_idle_rows(pf_trace *t, pf_error *err)
{
    PF_TRY(pf_columns_grow(&t->processes.columns, 1, &t->processes.room, err));
    PF_TRY(pf_columns_grow(&t->threads.columns, 1, &t->threads.room, err));
    t->processes.start_ts[0] = INT64_MIN;
    t->processes.end_ts[0] = INT64_MIN;
    t->processes.uid[0] = INT64_MIN;
    t->processes.parent_upid[0] = PF_NONE;
    t->processes.count = 1;
    t->threads.start_ts[0] = INT64_MIN;
    t->threads.end_ts[0] = INT64_MIN;
    t->threads.is_main[0] = 1;
    t->threads.next[0] = PF_NONE;
    t->threads.count = 1;
    return PF_OK;
}

static pf_status init_tables(pf_trace *t, pf_error *err)
{
    PF_TRY(pf_strings_init(&t->strings, &t->budget, err));
    PF_TRY(pf_trace_init_tables(t, err));
    t->events.in_order = true;
    t->events.last_ts = INT64_MIN;
    t->counters.in_order = true;
    t->counters.last_ts = INT64_MIN;
    t->processes.next_synthetic = 1ll << 32;
    pf_map_init(&t->threads.by_key, &t->budget);
    pf_map_init(&t->tracks.by_thread, &t->budget);
    pf_map_init(&t->said_tids, &t->budget);
    pf_sides_init(&t->sides, &t->budget);
    PF_TRY(pf_trace_init_groups(t, err));
    return add_idle_rows(t, err);
}

static void free_tables(pf_trace *t)
{
    if (t->early) {
        t->release_early(t);
    }
    pf_trace_free_tables(t);
    pf_trace_free_groups(t);
    PF_LIST_FREE(&t->budget, t->machines, t->machine_room);
    t->machines = NULL;
    t->machine_spans = t->machine_room = 0;
    pf_trace_free_thread_states(t);
    pf_sides_free(&t->sides);
    pf_map_free(&t->threads.by_key);
    pf_map_free(&t->tracks.by_thread);
    pf_map_free(&t->said_tids);
    pf_strings_free(&t->strings);
}

pf_trace *pf_trace_new(const pf_limits *limits, uint32_t want, pf_error *err)
{
    pf_trace *t = calloc(1, sizeof *t);
    if (!t) {
        pf_no_memory(err);
        return NULL;
    }
    atomic_init(&t->holders, 1);
    pf_budget_init(&t->budget, limits);
    pf_arena_init(&t->arena, &t->budget);
    t->want = want;
    t->dialect = "unknown";
    if (init_tables(t, err) != PF_OK) {
        pf_trace_free(t);
        return NULL;
    }
    return t;
}

pf_status pf_trace_restart(pf_trace *t, pf_error *err)
{
    free_tables(t);
    memset(t->stat_count, 0, sizeof t->stat_count);
    t->faults = NULL;
    t->places = NULL;
    t->input = t->machine = 0;
    t->flow_salt = 0;
    memset(t->decoder, 0, sizeof t->decoder);
    memset(t->checker, 0, sizeof t->checker);
    memset(t->finder, 0, sizeof t->finder);
    t->own_args = 0;
    t->replaced.count = 0;
    t->unnamed_slice = 0;
    t->has_states = false;
    memset(&t->covered, 0, sizeof t->covered);
    t->unit = PF_UNIT_NS;
    return init_tables(t, err);
}

void pf_trace_release_reader(pf_trace *t)
{
    if (t->reader_memory) {
        t->release_reader(t);
    }
}

void pf_trace_free(pf_trace *t)
{
    while (t && atomic_fetch_sub_explicit(&t->holders, 1, memory_order_acq_rel) == 1) {
        pf_trace *source = (pf_trace *)(uintptr_t)t->source; /* it was held by this trace */
        pf_trace_release_reader(t);
        free_tables(t);
        for (size_t i = 0; t->files && i < t->input_count; i++) {
            pf_file_close(&t->files[i]);
        }
        for (pf_kept *k = t->kept; k; k = k->next) {
            pf_file_close(&k->file);
            pf_file_close(&k->plain);
            pf_release(&t->budget, k->memory, k->room);
        }
        PF_LIST_FREE(&t->budget, t->replaced.list, t->replaced.room);
        pf_arena_free(&t->arena);
        pf_budget_end(&t->budget);
        free(t);
        t = source;
    }
}

pf_time_unit pf_trace_time_unit(const pf_trace *t)
{
    return t->unit;
}

const char *pf_trace_dialect(const pf_trace *t)
{
    return t->dialect;
}

size_t pf_trace_input_count(const pf_trace *t)
{
    return t->input_count;
}

const pf_input *pf_trace_input(const pf_trace *t, size_t i)
{
    return &t->inputs[i];
}

void pf_trace_hash_input(const pf_trace *t, size_t input, char hex[33])
{
    const pf_input *in = pf_trace_input(t, input);
    const pf_file *f = t->files ? &t->files[input] : NULL;
    if (f && f->data == in->stored && f->size == in->stored_bytes) {
        pf_fingerprint_file(f, hex);
    } else {
        pf_fingerprint(in->stored, in->stored ? (size_t)in->stored_bytes : 0, hex);
    }
}

pf_str pf_trace_string(const pf_trace *t, uint32_t id)
{
    return pf_strings_get(&t->strings, id);
}

uint32_t pf_trace_find_string(const pf_trace *t, pf_str text)
{
    return pf_strings_find(&t->strings, text.ptr, text.len);
}

#define VIEW(type, name, table)                                                                                        \
    const type *pf_trace_##name(const pf_trace *t)                                                                     \
    {                                                                                                                  \
        return &t->table.view;                                                                                         \
    }
VIEW(pf_events, events, events)
VIEW(pf_slices, slices, slices)
VIEW(pf_counters, counters, counters)
VIEW(pf_flows, flows, flows)
VIEW(pf_processes, processes, processes)
VIEW(pf_threads, threads, threads)
VIEW(pf_tracks, tracks, tracks)
VIEW(pf_metadata, metadata, metadata)
VIEW(pf_row_args, row_args, row_args)
VIEW(pf_clock_snapshots, clock_snapshots, clocks)

void pf_trace_bounds(const pf_trace *t, int64_t *start, int64_t *end)
{
    *start = t->start_ts;
    *end = t->end_ts;
}

void pf_trace_memory(const pf_trace *t, uint64_t *now, uint64_t *peak)
{
    *now = atomic_load_explicit(&t->budget.used, memory_order_relaxed);
    *peak = atomic_load_explicit(&t->budget.peak, memory_order_relaxed);
}
