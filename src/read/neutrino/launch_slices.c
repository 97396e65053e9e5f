/* read/neutrino/launch_slices.c - the launches of a run on a timeline (docs/reference/neutrino.md, "Timeline").
 *
 * A run directory is a process. Its launches are slices on one track, with prologue, kernel and epilogue laid end to
 * end inside; a launch that was not probed has no time of its own and is an empty slice where the one before it ended.
 * Launches at the same time are on lanes next to that track, each with its own three parts. Memory is two counters:
 * what the probes took, and what was allocated when a launch came.
 */
#include <inttypes.h>
#include <math.h>

#include "read/chrome_json/apply/json_args.h"
#include "read/neutrino/neutrino_reading.h"

/* Beyond so many launches at the same time what does not fit is put on lanes slice by slice, as of any trace. */
#define LANES 64u

typedef struct launch_lane {
    uint32_t track;
    int64_t free; /* ns: from then on */
} launch_lane;

typedef struct sketch {
    neutrino_reading *n;
    pf_side_table *launch;
    launch_lane lane[LANES]; /* the first one is the thread's own track */
    uint32_t lanes;
    uint32_t upid, track, probe_memory, allocated; /* track: of the launch that is drawn */
    uint32_t name[3];                              /* prologue, kernel, epilogue */
    unsigned decoder;
    pf_buffer args;
    int64_t ready; /* ns: end of the launch before */
} sketch;

static uint32_t counter(sketch *k, const char *name, const char *description)
{
    neutrino_reading *n = k->n;
    const pf_value text = {.type = PF_VALUE_STRING, .as.s = pf_str_of(description)};
    const pf_track_row row = {.type = PF_TRACK_PROCESS_COUNTER,
                              .name = pf_neutrino_word(n, name),
                              .unit = pf_neutrino_word(n, "bytes"),
                              .upid = k->upid,
                              .utid = PF_NONE,
                              .parent = PF_NONE,
                              .group = PF_NONE};
    uint32_t track = pf_neutrino_track(n, &row);
    if (track != PF_NONE) {
        (void)PF_NEUTRINO_DO(
            n, pf_trace_add_row_arg(n->t, PF_OWNER_TRACK_SOURCE, track, PF_STR("description"), &text, n->err));
    }
    return track;
}

/* The lane that takes a launch: the first one that is free. */
static launch_lane *find_lane(sketch *k, int64_t ts)
{
    const pf_trace *t = k->n->t;
    uint32_t i = 0, home = k->lane[0].track;
    while (i < k->lanes && k->lane[i].free > ts) {
        i++;
    }
    if (i == LANES) {
        return &k->lane[0];
    }
    if (i == k->lanes && pf_neutrino_works(k->n)) {
        const pf_track_row row = {.type = PF_TRACK_THREAD_OVERLAP,
                                  .upid = t->tracks.upid[home],
                                  .utid = t->tracks.utid[home],
                                  .parent = PF_NONE,
                                  .group = i > 1 ? k->lane[1].track : t->tracks.count};
        k->lane[k->lanes++] = (launch_lane){pf_neutrino_track(k->n, &row), INT64_MIN};
    }
    return &k->lane[i < k->lanes ? i : 0];
}

/* A pid that a run before this one had already is that of another process: "105 (2)" is of run 2. */
static pf_status make_process(sketch *k, pf_ident *id)
{
    neutrino_reading *n = k->n;
    uint32_t known = n->t->processes.count;
    PF_TRY(pf_neutrino_made(n, &k->upid, pf_trace_process(n->t, id, n->err)));
    if (n->t->processes.count > known) {
        return PF_OK;
    }
    k->args.len = 0;
    pf_buffer_format(&k->args, "%" PRId64 " (%" PRIu32 ")", id->number, n->run);
    *id = (pf_ident){.kind = PF_ID_TEXT,
                     .spelling = PF_ID_TEXT,
                     .text = pf_neutrino_id(n, (pf_str){k->args.data, k->args.failed ? 0 : k->args.len})};
    return pf_neutrino_made(n, &k->upid, pf_trace_new_process(n->t, id, n->err));
}

/* The process and its main thread, which is called "launches". */
static void add_process(sketch *k, int64_t pid, pf_str command)
{
    neutrino_reading *n = k->n;
    pf_ident id = {.kind = PF_ID_INT, .spelling = PF_ID_INT, .number = pid >= 0 ? pid : 0};
    uint32_t name = pf_neutrino_id(n, command.ptr ? command : PF_STR("Neutrino run"));
    uint32_t thread = pf_neutrino_word(n, "launches"), utid;
    if (PF_NEUTRINO_DO(n, make_process(k, &id)) &&
        PF_NEUTRINO_DO(n, pf_neutrino_made(n, &utid, pf_trace_thread(n->t, k->upid, &id, n->err)))) {
        *pf_side_ref(n->table[NEUTRINO_RUN], RUN_PROCESS, n->run) = k->upid;
        n->t->processes.name[k->upid] = name;
        n->t->threads.name[utid] = thread;
        n->status = pf_neutrino_made(n, &k->lane[0].track, pf_trace_thread_track(n->t, utid, n->err));
        k->lane[0].free = INT64_MIN;
        k->lanes = 1;
    }
}

static void begin(sketch *k, int64_t pid, pf_str command)
{
    add_process(k, pid, command);
    k->name[0] = pf_neutrino_word(k->n, "prologue");
    k->name[1] = pf_neutrino_word(k->n, "kernel");
    k->name[2] = pf_neutrino_word(k->n, "epilogue");
    k->probe_memory =
        counter(k, "probe memory (bytes)", "device memory that the probes of a launch take while it runs");
    k->allocated = counter(k, "allocated device memory",
                           "device memory that the program has when a launch begins, from its calls in the log");
    k->decoder = pf_trace_add_decoder(k->n->t, pf_json_decode_args, NULL);
}

/* A number, or the three of a shape. */
static void put_numbers(sketch *k, const char *key, uint32_t row, unsigned column, unsigned count)
{
    if (*pf_side_number(k->launch, column, row) != INT64_MIN) {
        pf_buffer_format(&k->args, ",\"%s\":%s", key, count > 1 ? "[" : "");
        for (unsigned i = 0; i < count; i++) {
            pf_buffer_text(&k->args, i ? "," : "");
            pf_buffer_int(&k->args, *pf_side_number(k->launch, column + i, row));
        }
        pf_buffer_text(&k->args, count > 1 ? "]" : "");
    }
}

static void put_real(sketch *k, const char *key, uint32_t row, unsigned column)
{
    double v = *pf_side_real(k->launch, column, row);
    char text[PF_NUMBER_MAX];
    if (isfinite(v)) {
        pf_buffer_format(&k->args, ",\"%s\":%.*s", key, (int)pf_format_real(v, text), text);
    }
}

static pf_str cell_text(sketch *k, uint32_t row, unsigned column)
{
    return pf_trace_string(k->n->t, *pf_side_ref(k->launch, column, row));
}

/* Status and parameters are our own words and numbers, symbols letters and digits: nothing in them needs an escape. */
static void make_args(sketch *k, uint32_t row)
{
    static const char *const times[] = {"prologue_ms", "kernel_ms", "epilogue_ms", "original_ms", "impact"};
    pf_str status = cell_text(k, row, LAUNCH_STATUS), params = cell_text(k, row, LAUNCH_PARAMS);
    k->args.len = 0;
    pf_buffer_format(&k->args, "{\"status\":\"%.*s\"", (int)status.len, status.ptr ? status.ptr : "");
    put_numbers(k, "grid", row, LAUNCH_GRID_X, 3);
    put_numbers(k, "block", row, LAUNCH_BLOCK_X, 3);
    put_numbers(k, "shared", row, LAUNCH_SHARED, 1);
    if (params.ptr) {
        pf_buffer_text(&k->args, ",\"params\":");
        pf_buffer_put(&k->args, params.ptr, params.len);
    }
    put_numbers(k, "probe_mem", row, LAUNCH_PROBE_MEM, 1);
    put_numbers(k, "code", row, LAUNCH_CODE, 1);
    for (unsigned i = 0; i < 5; i++) {
        put_real(k, times[i], row, LAUNCH_PROLOGUE + i);
    }
    if (*pf_side_ref(k->launch, LAUNCH_NAME, row) != *pf_side_ref(k->launch, LAUNCH_KERNEL, row)) {
        pf_str symbol = cell_text(k, row, LAUNCH_KERNEL);
        pf_buffer_format(&k->args, ",\"symbol\":\"%.*s\"", (int)symbol.len, symbol.ptr);
    }
    pf_buffer_text(&k->args, "}");
}

/* Milliseconds to nanoseconds, 0 where there are none. */
static int64_t ns_of(double ms)
{
    return isfinite(ms) && ms > 0 && ms < 9e9 ? llrint(ms * 1e6) : 0;
}

static void add_slice(sketch *k, int64_t ts, int64_t dur, uint32_t name)
{
    pf_event e = {.phase = 'X', .ts = ts, .dur = dur, .name = name, .track = k->track};
    (void)PF_NEUTRINO_DO(k->n, pf_trace_add_event(k->n->t, &e, k->n->err));
}

static void draw_parts(sketch *k, uint32_t row, int64_t ts)
{
    for (unsigned i = 0; i < 3; i++) {
        double ms = *pf_side_real(k->launch, LAUNCH_PROLOGUE + i, row);
        if (isfinite(ms)) {
            add_slice(k, ts, ns_of(ms), k->name[i]);
            ts += ns_of(ms);
        }
    }
}

static void sample(sketch *k, uint32_t track, int64_t ts, int64_t v)
{
    if (v != INT64_MIN && k->n->t->want & PF_WANT_COUNTERS) {
        (void)PF_NEUTRINO_DO(k->n, pf_trace_add_sample(k->n->t, ts, (double)v, track, PF_NONE, k->n->err));
    }
}

/* The memory that was in use when the launch came: after the last call before it. */
static void draw_memory(sketch *k, uint32_t row, int64_t ts, int64_t end, uint32_t *call)
{
    const pf_side_table *m = k->n->table[NEUTRINO_MEMORY];
    int64_t in_use = INT64_MIN, probe = *pf_side_number(k->launch, LAUNCH_PROBE_MEM, row);
    for (; *call < m->count && *pf_side_ref(m, MEMORY_LAUNCH, *call) == row; (*call)++) {
        in_use = *pf_side_number(m, MEMORY_ALLOCATED, *call);
    }
    sample(k, k->allocated, ts, in_use);
    sample(k, k->probe_memory, ts, probe);
    sample(k, k->probe_memory, end, probe == INT64_MIN ? probe : 0);
}

static void draw_launch(sketch *k, uint32_t row, uint32_t *call)
{
    neutrino_reading *n = k->n;
    int64_t ts = *pf_side_number(k->launch, LAUNCH_TS, row), length = 0;
    ts = ts == INT64_MIN ? k->ready : ts;
    for (unsigned i = 0; i < 3; i++) {
        length += ns_of(*pf_side_real(k->launch, LAUNCH_PROLOGUE + i, row));
    }
    length = ts > INT64_MAX - length ? 0 : length;
    *pf_side_number(k->launch, LAUNCH_SLICE_TS, row) = ts;
    k->ready = ts + length > k->ready ? ts + length : k->ready;
    launch_lane *lane = find_lane(k, ts);
    k->track = lane->track;
    lane->free = ts + length > lane->free ? ts + length : lane->free;
    *pf_side_number(k->launch, LAUNCH_EVENT, row) = n->t->events.count;
    add_slice(k, ts, length, *pf_side_ref(k->launch, LAUNCH_NAME, row));
    if (n->t->want & PF_WANT_ARGS) {
        make_args(k, row);
        pf_neutrino_args(n, &k->args, k->decoder);
    }
    draw_parts(k, row, ts);
    draw_memory(k, row, ts, ts + length, call);
}

/* The first time of the run: launches before it that have none are shown there. */
static int64_t first_ts(const pf_side_table *launch, uint32_t row)
{
    for (; row < launch->count; row++) {
        if (*pf_side_number(launch, LAUNCH_TS, row) != INT64_MIN) {
            return *pf_side_number(launch, LAUNCH_TS, row);
        }
    }
    return 0;
}

void pf_neutrino_draw_launches(neutrino_reading *n, int64_t pid, pf_str command)
{
    sketch k = {.n = n, .launch = n->table[NEUTRINO_LAUNCH]};
    const pf_side_table *memory = n->table[NEUTRINO_MEMORY];
    uint32_t call = 0;
    while (call < memory->count && *pf_side_ref(memory, MEMORY_RUN, call) != n->run) {
        call++;
    }
    k.ready = first_ts(k.launch, n->first_launch);
    begin(&k, pid, command);
    for (uint32_t row = n->first_launch; row < k.launch->count && pf_neutrino_works(n); row++) {
        draw_launch(&k, row, &call);
    }
    pf_buffer_free(&k.args);
}
