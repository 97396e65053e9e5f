/* model/trace.c - life of a trace, its views and its look-ups; building rows is in build.c, deriving tables in slices.c. */
#include "model/trace.h"

#include <stdlib.h>
#include <string.h>

typedef struct column_spec {
    void **base;
    size_t size;
} column_spec;

static pf_status init_table(pf_columns *c, pf_budget *budget, const char *name, const column_spec *specs, size_t count,
                            pf_error *err)
{
    pf_columns_init(c, budget, name);
    pf_status st = PF_OK;
    for (size_t i = 0; i < count && st == PF_OK; i++) {
        st = pf_columns_add(c, specs[i].base, specs[i].size, err);
    }
    return st;
}

#define COLUMN(pointer)                                                                                                \
    {                                                                                                                  \
        (void **)&(pointer), sizeof *(pointer)                                                                         \
    }
#define INIT_TABLE(table, name, ...)                                                                                   \
    init_table(&t->table.columns, &t->budget, name, (const column_spec[]){__VA_ARGS__},                                \
               sizeof((const column_spec[]){__VA_ARGS__}) / sizeof(column_spec), err)

static pf_status init_event_tables(pf_trace *t, pf_error *err)
{
    pf_status st = INIT_TABLE(events, "event", COLUMN(t->events.ts), COLUMN(t->events.phase), COLUMN(t->events.name),
                              COLUMN(t->events.track));
    pf_columns_init(&t->events.dur_columns, &t->budget, "event");
    pf_columns_init(&t->events.category_columns, &t->budget, "event");
    t->events.in_order = true;
    t->events.last_ts = INT64_MIN;
    t->counters.in_order = true;
    t->counters.last_ts = INT64_MIN;
    if (st == PF_OK) {
        st = INIT_TABLE(offsets, "event offsets", COLUMN(t->offsets.event), COLUMN(t->offsets.offset));
    }
    if (st == PF_OK) {
        st = INIT_TABLE(args, "arguments", COLUMN(t->args.event), COLUMN(t->args.len), COLUMN(t->args.context),
                        COLUMN(t->args.bytes));
    }
    if (st == PF_OK) {
        st = INIT_TABLE(slices, "slice", COLUMN(t->slices.dur), COLUMN(t->slices.track), COLUMN(t->slices.depth),
                        COLUMN(t->slices.parent), COLUMN(t->slices.event), COLUMN(t->slices.end_event));
    }
    if (st == PF_OK) {
        st = INIT_TABLE(counters, "counter", COLUMN(t->counters.ts), COLUMN(t->counters.value),
                        COLUMN(t->counters.track), COLUMN(t->counters.event));
    }
    if (st == PF_OK) {
        st = INIT_TABLE(flow_refs, "event flows", COLUMN(t->flow_refs.event), COLUMN(t->flow_refs.id),
                        COLUMN(t->flow_refs.kind));
    }
    if (st == PF_OK) {
        st =
            INIT_TABLE(flows, "flow", COLUMN(t->flows.slice_out), COLUMN(t->flows.slice_in), COLUMN(t->flows.trace_id));
    }
    return st;
}

static pf_status init_identity_tables(pf_trace *t, pf_error *err)
{
    pf_status st = INIT_TABLE(processes, "process", COLUMN(t->processes.pid), COLUMN(t->processes.start_ts),
                              COLUMN(t->processes.kind), COLUMN(t->processes.text), COLUMN(t->processes.name),
                              COLUMN(t->processes.uuid), COLUMN(t->processes.end_ts), COLUMN(t->processes.uid),
                              COLUMN(t->processes.parent_upid), COLUMN(t->processes.cmdline));
    for (size_t i = 0; i < 3; i++) {
        pf_map_init(&t->processes.by_key[i], &t->budget);
    }
    pf_map_init(&t->threads.by_key, &t->budget);
    pf_map_init(&t->tracks.by_thread, &t->budget);
    t->processes.absent = PF_NONE;
    t->processes.next_synthetic = 1ll << 32;
    if (st == PF_OK) {
        st = INIT_TABLE(threads, "thread", COLUMN(t->threads.tid), COLUMN(t->threads.kind), COLUMN(t->threads.is_main),
                        COLUMN(t->threads.text), COLUMN(t->threads.upid), COLUMN(t->threads.name),
                        COLUMN(t->threads.uuid), COLUMN(t->threads.next), COLUMN(t->threads.start_ts),
                        COLUMN(t->threads.end_ts));
    }
    if (st == PF_OK) {
        st = INIT_TABLE(tracks, "track", COLUMN(t->tracks.type), COLUMN(t->tracks.used), COLUMN(t->tracks.name),
                        COLUMN(t->tracks.upid), COLUMN(t->tracks.utid), COLUMN(t->tracks.parent),
                        COLUMN(t->tracks.unit), COLUMN(t->tracks.group), COLUMN(t->tracks.uuid));
    }
    if (st == PF_OK) {
        st = INIT_TABLE(metadata, "metadata", COLUMN(t->metadata.name), COLUMN(t->metadata.text),
                        COLUMN(t->metadata.number));
    }
    if (st == PF_OK) {
        st = INIT_TABLE(row_args, "arguments", COLUMN(t->row_args.owner), COLUMN(t->row_args.type),
                        COLUMN(t->row_args.row), COLUMN(t->row_args.key), COLUMN(t->row_args.text),
                        COLUMN(t->row_args.number));
    }
    if (st == PF_OK) {
        st = INIT_TABLE(clocks, "clock_snapshot", COLUMN(t->clocks.ts), COLUMN(t->clocks.clock_id),
                        COLUMN(t->clocks.clock_value), COLUMN(t->clocks.clock_name), COLUMN(t->clocks.snapshot_id));
    }
    if (st == PF_OK) {
        st = INIT_TABLE(thread_times, "thread times", COLUMN(t->thread_times.event), COLUMN(t->thread_times.ts),
                        COLUMN(t->thread_times.dur), COLUMN(t->thread_times.instruction_count),
                        COLUMN(t->thread_times.instruction_delta));
    }
    if (st == PF_OK) {
        st = INIT_TABLE(origins, "event origins", COLUMN(t->origins.event), COLUMN(t->origins.len),
                        COLUMN(t->origins.bytes));
    }
    if (st == PF_OK) {
        st = INIT_TABLE(leftovers, "leftovers", COLUMN(t->leftovers.of_document), COLUMN(t->leftovers.text));
    }
    pf_map_init(&t->said_tids, &t->budget);
    return st;
}

/* Row 0 of process and thread: the idle process and thread that Perfetto always lists. */
static pf_status add_idle_rows(pf_trace *t, pf_error *err)
{
    pf_status st = pf_columns_grow(&t->processes.columns, 1, &t->processes.room, err);
    if (st == PF_OK) {
        st = pf_columns_grow(&t->threads.columns, 1, &t->threads.room, err);
    }
    if (st == PF_OK) {
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
    }
    return st;
}

static pf_status init_tables(pf_trace *t, pf_error *err)
{
    pf_status st = pf_strings_init(&t->strings, &t->budget, err);
    if (st == PF_OK) {
        st = init_event_tables(t, err);
    }
    if (st == PF_OK) {
        st = init_identity_tables(t, err);
    }
    if (st == PF_OK) {
        st = pf_sides_init(t->sides, &t->budget, err);
    }
    if (st == PF_OK) {
        st = add_idle_rows(t, err);
    }
    return st;
}

static void free_tables(pf_trace *t)
{
    pf_columns *all[] = {&t->events.columns,       &t->events.dur_columns, &t->events.category_columns,
                         &t->offsets.columns,      &t->args.columns,       &t->slices.columns,
                         &t->counters.columns,     &t->processes.columns,  &t->threads.columns,
                         &t->tracks.columns,       &t->metadata.columns,   &t->flow_refs.columns,
                         &t->flows.columns,        &t->row_args.columns,   &t->clocks.columns,
                         &t->thread_times.columns, &t->origins.columns,    &t->leftovers.columns};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        pf_columns_free(all[i]);
    }
    for (size_t i = 0; i < 3; i++) {
        pf_map_free(&t->processes.by_key[i]);
    }
    pf_sides_free(t->sides);
    pf_map_free(&t->threads.by_key);
    pf_map_free(&t->tracks.by_thread);
    pf_map_free(&t->said_tids);
    pf_strings_free(&t->strings);
}

pf_trace *pf_trace_new(const pf_limits *limits, uint32_t want, pf_error *err)
{
    pf_trace *t = calloc(1, sizeof *t);
    if (!t) {
        pf_fail(err, PF_ERR_MEMORY, "the system refused memory for a trace");
        return NULL;
    }
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
    memset(&t->events, 0, sizeof t->events);
    memset(&t->offsets, 0, sizeof t->offsets);
    memset(&t->args, 0, sizeof t->args);
    memset(&t->slices, 0, sizeof t->slices);
    memset(&t->counters, 0, sizeof t->counters);
    memset(&t->flow_refs, 0, sizeof t->flow_refs);
    memset(&t->flows, 0, sizeof t->flows);
    memset(&t->processes, 0, sizeof t->processes);
    memset(&t->threads, 0, sizeof t->threads);
    memset(&t->tracks, 0, sizeof t->tracks);
    memset(&t->metadata, 0, sizeof t->metadata);
    memset(&t->row_args, 0, sizeof t->row_args);
    memset(&t->clocks, 0, sizeof t->clocks);
    memset(&t->thread_times, 0, sizeof t->thread_times);
    memset(&t->origins, 0, sizeof t->origins);
    memset(&t->leftovers, 0, sizeof t->leftovers);
    memset(t->stat_count, 0, sizeof t->stat_count);
    memset(t->decoder, 0, sizeof t->decoder);
    memset(t->checker, 0, sizeof t->checker);
    t->unnamed_slice = 0;
    t->has_states = false;
    memset(&t->beside, 0, sizeof t->beside);
    t->unit = PF_UNIT_NS;
    return init_tables(t, err);
}

void pf_trace_free(pf_trace *t)
{
    if (!t) {
        return;
    }
    free_tables(t);
    for (size_t i = 0; i < t->input_count; i++) {
        pf_file_close(&t->files[i]);
    }
    pf_arena_free(&t->arena);
    free(t);
}

/* ---- views ------------------------------------------------------------------------------------------------------- */

static void set_event_views(pf_trace *t)
{
    t->events.view = (pf_events){
        .count = t->events.count,
        .ts = t->events.ts,
        .dur = t->events.dur,
        .phase = t->events.phase,
        .name = t->events.name,
        .category = t->events.category,
        .track = t->events.track,
    };
    t->slices.view = (pf_slices){
        .count = t->slices.count,
        .dur = t->slices.dur,
        .track = t->slices.track,
        .depth = t->slices.depth,
        .parent = t->slices.parent,
        .event = t->slices.event,
        .end_event = t->slices.end_event,
        .thread_ts = t->slices.thread_ts,
        .thread_dur = t->slices.thread_dur,
        .thread_instruction_count = t->slices.instruction_count,
        .thread_instruction_delta = t->slices.instruction_delta,
        .event_ts = t->events.ts,
        .event_name = t->events.name,
        .event_category = t->events.category,
        .own_name = t->slices.name,
    };
    t->counters.view = (pf_counters){
        .count = t->counters.count,
        .ts = t->counters.ts,
        .value = t->counters.value,
        .track = t->counters.track,
        .event = t->counters.event,
    };
    t->flows.view = (pf_flows){
        .count = t->flows.count,
        .slice_out = t->flows.slice_out,
        .slice_in = t->flows.slice_in,
        .trace_id = t->flows.trace_id,
        .event = t->flows.event,
    };
}

static void set_identity_views(pf_trace *t)
{
    t->processes.view = (pf_processes){
        .count = t->processes.count,
        .pid = t->processes.pid,
        .kind = t->processes.kind,
        .text = t->processes.text,
        .name = t->processes.name,
        .start_ts = t->processes.start_ts,
        .uuid = t->processes.uuid,
        .end_ts = t->processes.end_ts,
        .uid = t->processes.uid,
        .parent_upid = t->processes.parent_upid,
        .cmdline = t->processes.cmdline,
    };
    t->threads.view = (pf_threads){
        .count = t->threads.count,
        .tid = t->threads.tid,
        .kind = t->threads.kind,
        .text = t->threads.text,
        .upid = t->threads.upid,
        .name = t->threads.name,
        .is_main = t->threads.is_main,
        .uuid = t->threads.uuid,
        .start_ts = t->threads.start_ts,
        .end_ts = t->threads.end_ts,
    };
    t->tracks.view = (pf_tracks){
        .count = t->tracks.count,
        .type = t->tracks.type,
        .name = t->tracks.name,
        .upid = t->tracks.upid,
        .utid = t->tracks.utid,
        .parent = t->tracks.parent,
        .unit = t->tracks.unit,
        .group = t->tracks.group,
        .uuid = t->tracks.uuid,
        .used = t->tracks.used,
    };
    t->metadata.view = (pf_metadata){
        .count = t->metadata.count,
        .name = t->metadata.name,
        .text = t->metadata.text,
        .number = t->metadata.number,
    };
    t->row_args.view = (pf_row_args){
        .count = t->row_args.count,
        .owner = t->row_args.owner,
        .row = t->row_args.row,
        .key = t->row_args.key,
        .type = t->row_args.type,
        .number = t->row_args.number,
        .text = t->row_args.text,
    };
    t->clocks.view = (pf_clock_snapshots){
        .count = t->clocks.count,
        .ts = t->clocks.ts,
        .clock_id = t->clocks.clock_id,
        .clock_name = t->clocks.clock_name,
        .clock_value = t->clocks.clock_value,
        .snapshot_id = t->clocks.snapshot_id,
    };
}

/* A lazily added column ends where its last value was written: later rows are zero. */
static pf_status complete_column(pf_columns *c, uint32_t count, uint32_t *room, pf_error *err)
{
    return c->count && *room < count ? pf_columns_grow(c, count, room, err) : PF_OK;
}

static bool counter_after(const void *ctx, uint32_t a, uint32_t b)
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
    for (uint32_t i = 0; i < n; i++) {
        order[i] = i;
    }
    pf_sort_rows(order, (uint32_t *)(void *)scratch, n, counter_after, t->counters.ts);
    permute(t->counters.ts, sizeof *t->counters.ts, order, n, scratch);
    permute(t->counters.value, sizeof *t->counters.value, order, n, scratch);
    permute(t->counters.track, sizeof *t->counters.track, order, n, scratch);
    permute(t->counters.event, sizeof *t->counters.event, order, n, scratch);
    t->counters.in_order = true;
    pf_release(&t->budget, scratch, (size_t)n * 8);
    pf_release(&t->budget, order, bytes);
    return PF_OK;
}

static void widen(int64_t *start, int64_t *end, bool *any, int64_t from, int64_t to)
{
    *start = !*any || from < *start ? from : *start;
    *end = !*any || to > *end ? to : *end;
    *any = true;
}

/* specs/perfetto.md 4.5. Without derived tables the events stand in for them. */
static void find_bounds(pf_trace *t)
{
    bool any = t->beside.any;
    int64_t start = t->beside.from, end = t->beside.to;
    if (t->slices.count) {
        widen(&start, &end, &any, t->slices.start, t->slices.end);
    }
    pf_side *states = &t->sides[PF_SIDE_STATE];
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

pf_status pf_trace_finish(pf_trace *t, pf_error *err)
{
    pf_status st = complete_column(&t->events.dur_columns, t->events.count, &t->events.dur_room, err);
    if (st == PF_OK) {
        st = complete_column(&t->events.category_columns, t->events.count, &t->events.category_room, err);
    }
    if (st == PF_OK) {
        st = sort_counters(t, err);
    }
    if (st == PF_OK && (t->want & PF_WANT_SLICES)) {
        st = pf_trace_build_slices(t, err);
        st = st == PF_OK && t->has_states ? pf_trace_build_states(t, err) : st;
        pf_trace_place_stacks(t);
    }
    if (st == PF_OK) {
        find_bounds(t);
        set_event_views(t);
        set_identity_views(t);
    }
    return st;
}

/* ---- accessors --------------------------------------------------------------------------------------------------- */

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

pf_str pf_trace_string(const pf_trace *t, uint32_t id)
{
    return pf_strings_get(&t->strings, id);
}

uint32_t pf_trace_find_string(const pf_trace *t, pf_str text)
{
    return pf_strings_find(&t->strings, text.ptr, text.len);
}

const pf_events *pf_trace_events(const pf_trace *t)
{
    return &t->events.view;
}

const pf_slices *pf_trace_slices(const pf_trace *t)
{
    return &t->slices.view;
}

const pf_counters *pf_trace_counters(const pf_trace *t)
{
    return &t->counters.view;
}

const pf_flows *pf_trace_flows(const pf_trace *t)
{
    return &t->flows.view;
}

const pf_processes *pf_trace_processes(const pf_trace *t)
{
    return &t->processes.view;
}

const pf_threads *pf_trace_threads(const pf_trace *t)
{
    return &t->threads.view;
}

const pf_tracks *pf_trace_tracks(const pf_trace *t)
{
    return &t->tracks.view;
}

const pf_metadata *pf_trace_metadata(const pf_trace *t)
{
    return &t->metadata.view;
}

const pf_row_args *pf_trace_row_args(const pf_trace *t)
{
    return &t->row_args.view;
}

const pf_clock_snapshots *pf_trace_clock_snapshots(const pf_trace *t)
{
    return &t->clocks.view;
}

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
