/* analyze/gpu/times/gpu_queue.c - point 3: the depth of each device's queue over time, in windows of equal length, so
 * that the table stays small however long the trace is (docs/reference/gpu.md, "Launches").
 */
#include "analyze/gpu/times/gpu_times.h"
#include "analyze/support/order_stats.h"

/* Windows of a device, and in all. */
enum { MOST_OF_DEVICE = 100, MOST_WINDOWS = 10000 };

/* Where the walk over the steps of the queue is. */
typedef struct queue_walk {
    const gpu_device *device;
    size_t next;   /* step */
    uint32_t open; /* before it */
} queue_walk;

typedef struct queue_window {
    pf_interval time;
    pf_wide area; /* depth times time */
    uint64_t empty;
    uint32_t most;
} queue_window;

/* The window from `start` to `end`, where the walk is when it begins. */
static queue_window measure_window(queue_walk *w, int64_t start, int64_t end)
{
    const gpu_device *d = w->device;
    queue_window out = {.time = {start, end}};
    for (int64_t at = start, to; at < end; at = to) {
        for (; w->next < d->queue_count && d->queue[w->next].ts <= at; w->next++) {
            w->open = d->queue[w->next].open;
        }
        to = w->next < d->queue_count && d->queue[w->next].ts < end ? d->queue[w->next].ts : end;
        uint64_t length = (uint64_t)to - (uint64_t)at;
        out.area += (pf_wide)length * w->open;
        out.empty += w->open ? 0 : length;
        out.most = w->open > out.most ? w->open : out.most;
    }
    return out;
}

static void add_row(const gpu_facts *g, const gpu_device *d, const queue_window *w, gpu_tables *t, pf_findings *f)
{
    const pf_cell row[] = {pf_gpu_input_cell(g, d->input),
                           pf_gpu_rank_cell(g, d->input),
                           pf_cell_int(d->number),
                           pf_cell_int(w->time.start),
                           pf_cell_int(w->time.end),
                           pf_cell_count(w->empty),
                           pf_cell_real_if(true, (double)w->area / (double)pf_interval_length(w->time)),
                           pf_cell_count(w->most)};
    pf_table_row(f, t->table[GPU_TABLE_QUEUE], row);
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
static void add_device(const gpu_facts *g, const gpu_device *d, uint64_t windows, gpu_tables *t, pf_findings *f)
{
    int64_t from = d->queue_count && d->queue[0].ts < d->times.start ? d->queue[0].ts : d->times.start;
    uint64_t whole = (uint64_t)d->times.end - (uint64_t)from, length = whole / windows + (whole % windows != 0);
    queue_walk w = {.device = d};
    whole = has_calls(g, d) ? whole : 0;
    for (uint64_t at = 0, end; at < whole; at = end) {
        end = whole - at < length ? whole : at + length;
        const queue_window window = measure_window(&w, (int64_t)((uint64_t)from + at), (int64_t)((uint64_t)from + end));
        add_row(g, d, &window, t, f);
    }
}

void pf_gpu_queue(const gpu_facts *g, gpu_tables *t, pf_findings *f)
{
    uint64_t windows =
        g->device_count > MOST_WINDOWS / MOST_OF_DEVICE ? MOST_WINDOWS / g->device_count : MOST_OF_DEVICE;
    for (uint32_t i = 0; i < g->device_count; i++) {
        add_device(g, &g->devices[i], windows ? windows : 1, t, f);
    }
}
