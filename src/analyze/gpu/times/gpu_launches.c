/* analyze/gpu/times/gpu_launches.c - point 3: how long launches took, what waited, and the depth of each device's queue
 * over time, in windows of equal length, so that the table stays small however long the trace is
 * (docs/reference/gpu.md, "Launches").
 */
#include "analyze/gpu/times/gpu_times.h"
#include "analyze/support/order_stats.h"
#include "analyze/support/pass_memory.h"

typedef struct launch_room {
    int64_t *delays, *waits, *scratch;
    uint64_t *device_time; /* by call; NULL: none launched more than one operation */
} launch_room;

static int64_t difference(int64_t a, int64_t b)
{
    int64_t d;
    return !__builtin_sub_overflow(a, b, &d) ? d : a > b ? INT64_MAX : INT64_MIN;
}

/* Every operation: how long it waited. The first of each call: the delay of the launch, and whether the launch took
 * longer than all the work that it launched. */
static void measure(const gpu_facts *g, const gpu_device *d, const launch_room *r, gpu_launches *n)
{
    size_t delays = 0, waits = 0;
    *n = (gpu_launches){0};
    for (uint32_t i = d->first_op; i < d->first_op + d->op_count; i++) {
        uint32_t call = gpu_call_of(g, i);
        if (call == PF_NONE) {
            n->without_call++;
            continue;
        }
        r->waits[waits++] = difference(g->ops.start[i], g->calls.end[call]);
        if (g->calls.first_op[call] != i) {
            continue;
        }
        uint64_t length = (uint64_t)g->calls.end[call] - (uint64_t)g->calls.start[call];
        uint64_t launched = r->device_time ? r->device_time[call] : gpu_length(&g->ops, i);
        r->delays[delays++] = difference(g->ops.start[i], g->calls.start[call]);
        n->graphs += g->calls.ops[call] > 1;
        n->shorter += launched < length;
        n->shorter_time += launched < length ? launched : 0;
    }
    n->delays = pf_gpu_signed_stats(r->delays, delays, r->scratch);
    n->waits = pf_gpu_signed_stats(r->waits, waits, r->scratch);
}

#define SPREAD(s)                                                                                                      \
    pf_cell_int_if((s)->count > 0, (s)->mean), pf_cell_int_if((s)->count > 0, (s)->median),                            \
        pf_cell_int_if((s)->count > 0, (s)->p95), pf_cell_int_if((s)->count > 0, (s)->least),                          \
        pf_cell_int_if((s)->count > 0, (s)->most)

/* The time that operations wait, added up, and how many wait at most. */
static double measure_queue(const gpu_device *d, uint32_t *most)
{
    gpu_queue_walk w = pf_gpu_queue_walk(&d->queue);
    double area = 0;
    *most = 0;
    while (w.more) {
        int64_t at = w.next.ts;
        pf_gpu_queue_go(&w, at, at);
        *most = w.open > *most ? w.open : *most;
        if (w.more) {
            area += (double)w.open * (double)((uint64_t)w.next.ts - (uint64_t)at);
        }
    }
    return area;
}

static bool has_graphs(const gpu_facts *g)
{
    uint32_t i = 0;
    while (i < g->calls.count && g->calls.ops[i] < 2) {
        i++;
    }
    return i < g->calls.count;
}

/* What each call launched, added up. */
static pf_status add_device_time(const gpu_facts *g, pf_arena *scratch, uint64_t **out, pf_error *err)
{
    PF_TRY(PF_ARENA_NEW(scratch, *out, g->calls.count, err));
    for (uint32_t i = 0; i < g->ops.count; i++) {
        uint32_t call = gpu_call_of(g, i);
        if (call != PF_NONE) {
            (*out)[call] = gpu_plus((*out)[call], gpu_length(&g->ops, i));
        }
    }
    return PF_OK;
}

pf_status pf_gpu_launches_find(const gpu_facts *g, pf_arena *scratch, pf_arena *arena, gpu_launches **out,
                               pf_error *err)
{
    launch_room r = {.device_time = NULL};
    PF_TRY(PF_PASS_ARRAY(arena, g->device_count, *out, err));
    for (uint32_t i = 0; i < g->device_count && g->calls.count == 0; i++) {
        (*out)[i] = (gpu_launches){.without_call = g->devices[i].op_count};
    }
    if (g->calls.count == 0) {
        return PF_OK;
    }
    PF_TRY(PF_PASS_ARRAY(scratch, g->ops.count, r.delays, err));
    PF_TRY(PF_PASS_ARRAY(scratch, g->ops.count, r.waits, err));
    PF_TRY(PF_PASS_ARRAY(scratch, g->ops.count, r.scratch, err));
    if (has_graphs(g)) {
        PF_TRY(add_device_time(g, scratch, &r.device_time, err));
    }
    for (uint32_t i = 0; i < g->device_count; i++) {
        measure(g, &g->devices[i], &r, &(*out)[i]);
    }
    pf_arena_reset(scratch);
    return PF_OK;
}

void pf_gpu_launches_tabulate(const gpu_facts *g, const gpu_launches *launches)
{
    for (uint32_t i = 0; i < g->device_count; i++) {
        const gpu_device *d = &g->devices[i];
        const gpu_launches *n = &launches[i];
        uint32_t most;
        double area = measure_queue(d, &most);
        GPU_ROW(g, GPU_TABLE_LAUNCHES, GPU_DEVICE(g, d), pf_cell_count(n->delays.count), pf_cell_count(n->graphs),
                pf_cell_count(n->without_call), SPREAD(&n->delays), SPREAD(&n->waits), pf_cell_count(n->shorter),
                pf_cell_count(n->shorter_time), pf_cell_real_if(d->times.span > 0, area / (double)d->times.span),
                pf_cell_count(most), pf_cell_count(d->host), pf_cell_count(d->waiting), pf_cell_count(d->other));
    }
}

/* Windows of a device, and in all. */
enum { MOST_OF_DEVICE = 100, MOST_WINDOWS = 10000 };

typedef struct queue_window {
    pf_interval time;
    pf_wide area; /* depth times time */
    uint64_t empty;
    uint32_t most;
} queue_window;

/* The window from `start` to `end`, where the walk is when it begins. */
static queue_window measure_window(gpu_queue_walk *w, int64_t start, int64_t end)
{
    queue_window out = {.time = {start, end}};
    for (int64_t at = start, to; at < end; at = to) {
        to = pf_gpu_queue_go(w, at, end);
        uint64_t length = (uint64_t)to - (uint64_t)at;
        out.area += (pf_wide)length * w->open;
        out.empty += w->open ? 0 : length;
        out.most = w->open > out.most ? w->open : out.most;
    }
    return out;
}

static bool has_calls(const gpu_facts *g, const gpu_device *d)
{
    uint32_t at = d->first_op, end = d->first_op + d->op_count;
    while (at < end && gpu_call_of(g, at) == PF_NONE) {
        at++;
    }
    return at < end;
}

/* From the first operation queued, or started, to the last end. */
static void add_windows(const gpu_facts *g, const gpu_device *d, uint64_t windows)
{
    gpu_queue_walk w = pf_gpu_queue_walk(&d->queue);
    int64_t from = w.more && w.next.ts < d->times.start ? w.next.ts : d->times.start;
    uint64_t whole = (uint64_t)d->times.end - (uint64_t)from, length = whole / windows + (whole % windows != 0);
    whole = has_calls(g, d) ? whole : 0;
    for (uint64_t at = 0, end; at < whole; at = end) {
        end = whole - at < length ? whole : at + length;
        const queue_window v = measure_window(&w, (int64_t)((uint64_t)from + at), (int64_t)((uint64_t)from + end));
        GPU_ROW(g, GPU_TABLE_QUEUE, GPU_DEVICE(g, d), pf_cell_int(v.time.start), pf_cell_int(v.time.end),
                pf_cell_count(v.empty), pf_cell_real_if(true, (double)v.area / (double)pf_interval_length(v.time)),
                pf_cell_count(v.most));
    }
}

void pf_gpu_queue(const gpu_facts *g)
{
    for (uint32_t i = 0; i < g->device_count; i++) {
        uint64_t devices = g->ranks[g->devices[i].input].device_count,
                 windows = devices > MOST_WINDOWS / MOST_OF_DEVICE ? MOST_WINDOWS / devices : MOST_OF_DEVICE;
        add_windows(g, &g->devices[i], windows ? windows : 1);
    }
}
