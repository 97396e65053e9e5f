/* analyze/gpu/ranks/gpu_rank_map.c - what all devices did over time, in a table that stays small: lines of devices by
 * windows of time.
 *
 * The range of all inputs, and how far their clocks are apart, is known when all are read. So each device is measured
 * in windows of its own time first, which a partial keeps; these are spread evenly over the windows that all share.
 * Shares are taken of what lies before a time, so that sums stay exact.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "analyze/gpu/ranks/gpu_across.h"
#include "analyze/gpu/times/gpu_times.h"
#include "analyze/support/order_stats.h"
#include "analyze/support/pass_memory.h"
#include "base/ordering.h"

enum { LINES = 100, COLUMNS = 100 };

static uint64_t window_of(const gpu_device *d)
{
    return ((uint64_t)d->times.end - (uint64_t)d->times.start) / GPU_WINDOWS + 1;
}

/* Adds a set of intervals of a device to a member of its windows, which the first one has at `sums`. */
static void add_set(const gpu_device *d, const pf_interval *set, size_t n, uint64_t *sums)
{
    const size_t members = sizeof(gpu_window) / sizeof *sums;
    uint64_t window = window_of(d);
    for (size_t i = 0; i < n; i++) {
        uint64_t from = (uint64_t)set[i].start - (uint64_t)d->times.start, end = from + pf_interval_length(set[i]);
        for (uint64_t to; from < end; from = to) {
            uint64_t left = window - from % window;
            to = end - from < left ? end : from + left;
            sums[from / window * members] += to - from;
        }
    }
}

static pf_status measure(gpu_facts *g, const gpu_device *d, gpu_window *windows, pf_error *err)
{
    gpu_set all, compute, communication;
    pf_interval *exposed;
    PF_TRY(pf_gpu_unite(g, d, GPU_CLASSES, &g->scratch, &all, err));
    PF_TRY(pf_gpu_unite(g, d, GPU_COMPUTE, &g->scratch, &compute, err));
    PF_TRY(pf_gpu_unite(g, d, GPU_COMMUNICATION, &g->scratch, &communication, err));
    PF_TRY(PF_PASS_ARRAY(&g->scratch, compute.count + communication.count, exposed, err));
    size_t n = pf_interval_without(communication.list, communication.count, compute.list, compute.count, exposed);
    add_set(d, all.list, all.count, &windows->busy);
    add_set(d, communication.list, communication.count, &windows->communication);
    add_set(d, exposed, n, &windows->exposed);
    pf_arena_reset(&g->scratch);
    return PF_OK;
}

pf_status pf_gpu_measure_windows(gpu_facts *g, gpu_ranks *r, pf_error *err)
{
    PF_TRY(PF_ARENA_NEW(g->arena, r->windows, (size_t)g->device_count * GPU_WINDOWS, err));
    for (uint32_t i = 0; i < g->device_count; i++) {
        PF_TRY(measure(g, &g->devices[i], r->windows + (size_t)i * GPU_WINDOWS, err));
    }
    return PF_OK;
}

typedef struct map_cell {
    uint64_t time; /* of its devices */
    gpu_window did;
} map_cell;

typedef struct map_device {
    const gpu_rank *rank;
    const gpu_device *device;
    const gpu_window *windows;
    int64_t start; /* in the clock of the reference */
} map_device;

typedef struct rank_map {
    map_device *devices;   /* in the order of the lines */
    uint32_t count, share; /* share: devices of a line */
    int64_t first;
    uint64_t window;
    map_cell *cells; /* of the line at hand */
} rank_map;

static int by_rank(const void *a, const void *b)
{
    const map_device *x = a, *y = b;
    int order = PF_COMPARE(y->rank->known, x->rank->known);
    order = order ? order : PF_COMPARE(x->rank->rank, y->rank->rank);
    return order ? order : PF_COMPARE(x->device, y->device);
}

/* What of a value that lies evenly over `length` is before `at` of it. */
static uint64_t before(uint64_t value, uint64_t at, uint64_t length)
{
    return length ? (uint64_t)((pf_wide)value * at / length) : 0;
}

/* A window of a device, [from, from + length) after the first start of all. */
static void spread(const rank_map *m, uint64_t from, uint64_t length, const gpu_window *did)
{
    for (uint64_t at = 0, to; at < length; at = to) {
        uint64_t column = (from + at) / m->window, left = m->window - (from + at) % m->window;
        bool inside = column < COLUMNS; /* else a clock is beyond all times */
        map_cell *c = &m->cells[inside ? column : COLUMNS - 1];
        to = inside && length - at > left ? at + left : length;
        c->time += to - at;
        c->did.busy += before(did->busy, to, length) - before(did->busy, at, length);
        c->did.communication += before(did->communication, to, length) - before(did->communication, at, length);
        c->did.exposed += before(did->exposed, to, length) - before(did->exposed, at, length);
    }
}

static void add_device(const rank_map *m, const map_device *d)
{
    uint64_t own = (uint64_t)d->start - (uint64_t)m->first, window = window_of(d->device);
    uint64_t length = (uint64_t)d->device->times.end - (uint64_t)d->device->times.start;
    for (uint32_t k = 0; k < GPU_WINDOWS && window * k < length; k++) {
        uint64_t left = length - window * k;
        spread(m, own + window * k, left < window ? left : window, &d->windows[k]);
    }
}

static pf_str label_of(const gpu_facts *g, const map_device *first, const map_device *last)
{
    if (first == last) {
        return first->device->label;
    }
    pf_str from = pf_gpu_rank_text(g, first->device->input, g->f), to = pf_gpu_rank_text(g, last->device->input, g->f);
    return pf_findings_format(g->f, "%.*s to %.*s", PF_TEXT_ARG(from), PF_TEXT_ARG(to));
}

static void add_line(const gpu_facts *g, const rank_map *m, uint32_t line)
{
    uint32_t from = line * m->share, to = m->count - from < m->share ? m->count : from + m->share;
    const map_device *first = &m->devices[from], *last = &m->devices[to - 1];
    pf_str label = label_of(g, first, last);
    for (uint32_t i = 0; i < COLUMNS; i++) {
        m->cells[i] = (map_cell){.time = 0};
    }
    for (uint32_t i = from; i < to; i++) {
        add_device(m, &m->devices[i]);
    }
    for (uint32_t i = 0; i < COLUMNS; i++) {
        const map_cell *c = &m->cells[i];
        double whole = c->time ? (double)c->time : 1;
        if (c->time) {
            GPU_ROW(g, GPU_TABLE_RANK_MAP, pf_cell_count(line), pf_gpu_rank_cell(g, first->device->input),
                    pf_gpu_rank_cell(g, last->device->input), pf_cell_count(to - from), pf_cell_count(m->window * i),
                    pf_cell_count(m->window * (i + 1)), pf_cell_count(c->time), pf_cell_count(c->did.busy),
                    pf_cell_count(c->did.communication), pf_cell_count(c->did.exposed),
                    pf_cell_real(100 * (double)c->did.busy / whole),
                    pf_cell_real(100 * (double)c->did.communication / whole),
                    pf_cell_real(100 * (double)c->did.exposed / whole), pf_cell_text(label));
        }
    }
}

/* The devices in the order of their ranks, and the range that all are in; 0 if that is too long. */
static uint64_t arrange(const gpu_facts *g, const gpu_ranks *r, rank_map *m)
{
    int64_t last = INT64_MIN;
    m->first = INT64_MAX;
    for (uint32_t i = 0; i < g->device_count; i++) {
        const gpu_device *d = &g->devices[i];
        int64_t offset = r->rank[d->input].clock_offset, start = pf_gpu_difference(d->times.start, offset);
        int64_t end = pf_gpu_difference(d->times.end, offset);
        m->devices[i] = (map_device){&g->ranks[d->input], d, r->windows + (size_t)i * GPU_WINDOWS, start};
        m->first = start < m->first ? start : m->first;
        last = end > last ? end : last;
        if (d->times.end < d->times.start) {
            return 0;
        }
    }
    qsort(m->devices, g->device_count, sizeof *m->devices, by_rank);
    uint64_t range = (uint64_t)last - (uint64_t)m->first;
    return range < INT64_MAX / 2 ? range : 0;
}

pf_status pf_gpu_tabulate_map(gpu_facts *g, const gpu_ranks *r, pf_error *err)
{
    rank_map m = {.count = g->device_count, .share = (g->device_count + LINES - 1) / LINES};
    if (g->rank_count < 2 || !r->windows || m.count == 0) {
        return PF_OK;
    }
    PF_TRY(PF_PASS_ARRAY(&g->scratch, m.count, m.devices, err));
    PF_TRY(PF_PASS_ARRAY(&g->scratch, COLUMNS, m.cells, err));
    uint64_t range = arrange(g, r, &m);
    m.window = range / COLUMNS + (range % COLUMNS != 0);
    for (uint32_t line = 0; range && line * m.share < m.count; line++) {
        add_line(g, &m, line);
    }
    pf_arena_reset(&g->scratch);
    return PF_OK;
}
