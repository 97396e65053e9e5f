/* read/perfetto/gpu/gpu_tracks.c - the tracks of GPUs, made on first use and keyed by what Perfetto keys them by.
 *
 * A hardware queue is a group of lanes. Stages come in time order, so "the first lane whose last stage has ended" is
 * the lowest number among the idle lanes: lanes that ended by now move from the heap of busy lanes, which is ordered by
 * end, to the heap of idle ones, which is ordered by number.
 */
#include <string.h>

#include "perfetto/fields.h"
#include "read/perfetto/gpu/packet_gpu.h"

static pf_status no_memory(pf_import *im, size_t bytes)
{
    return pf_budget_refused(&im->t->budget, bytes, im->err);
}

static pf_status remember(pf_import *im, pf_map *map, uint64_t key, uint32_t value)
{
    return pf_map_set(map, key, value) ? PF_OK : no_memory(im, 1u << 12);
}

/* ---- arguments of tracks ----------------------------------------------------------------------------------------- */

static pf_status add_number(pf_import *im, uint32_t row, const char *key, uint32_t number)
{
    const pf_value v = {.type = PF_VALUE_INT, .as.i = number};
    return pf_trace_add_row_arg(im->t, PF_OWNER_TRACK_DIMENSION, row, (pf_str){key, strlen(key)}, &v, im->err);
}

static pf_status add_text(pf_import *im, pf_owner owner, uint32_t row, const char *key, pf_str text)
{
    const pf_value v = {.type = PF_VALUE_STRING, .as.s = text};
    return pf_trace_add_row_arg(im->t, owner, row, (pf_str){key, strlen(key)}, &v, im->err);
}

static pf_status describe(pf_import *im, uint32_t row, pf_str text)
{
    return add_text(im, PF_OWNER_TRACK_SOURCE, row, "description", text);
}

static pf_status add_gpu(pf_import *im, uint32_t row, uint32_t gpu)
{
    uint32_t ugpu;
    pf_status st = pf_gpu_number(im, gpu, &ugpu);
    st = st == PF_OK ? add_number(im, row, "ugpu", ugpu) : st;
    return st == PF_OK ? add_number(im, row, "gpu", gpu) : st;
}

/* ---- single tracks and counters ---------------------------------------------------------------------------------- */

static pf_status add_track(pf_import *im, pf_track_row *row, const char *name, uint32_t *made)
{
    if (name) {
        row->name = pf_strings_add(&im->t->strings, name, strlen(name), im->err);
    }
    *made = row->name == PF_NONE ? PF_NONE : pf_trace_add_track(im->t, row, im->err);
    return *made == PF_NONE ? im->err->code : PF_OK;
}

#define GLOBAL .upid = PF_NONE, .utid = PF_NONE, .parent = PF_NONE, .group = PF_NONE

pf_status pf_gpu_single_track(pf_import *im, pf_track_type type, const char *name, uint32_t *row)
{
    pf_track_row r = {.type = type, GLOBAL};
    return *row != PF_NONE ? PF_OK : add_track(im, &r, name, row);
}

pf_status pf_gpu_memory_track(pf_import *im, uint32_t gpu, uint32_t pid, uint32_t *row)
{
    pf_map *tracks = &im->gpu->memory_tracks[pid != 0];
    pf_track_row r = {.type = pid ? PF_TRACK_PROCESS_GPU_MEMORY : PF_TRACK_GPU_MEMORY, GLOBAL};
    uint64_t key = gpu;
    if (pid) {
        r.upid = pf_uuid_process(im->t, pid, im->err);
        if (r.upid == PF_NONE) {
            return im->err->code;
        }
        key = (uint64_t)gpu << 32 | r.upid;
    }
    *row = pf_map_get(tracks, key);
    if (*row != PF_NONE) {
        return PF_OK;
    }
    r.unit = pf_strings_add(&im->t->strings, "bytes", 5, im->err);
    pf_status st = r.unit == PF_NONE ? im->err->code : add_track(im, &r, "GPU Memory", row);
    st = st == PF_OK ? add_gpu(im, *row, gpu) : st;
    return st == PF_OK ? remember(im, tracks, key, *row) : st;
}

/* A counter is shown even if it has no sample. */
pf_status pf_gpu_counter_track(pf_import *im, uint32_t gpu, uint32_t name, uint32_t unit, pf_str description,
                               uint32_t *row)
{
    pf_map *tracks = &im->gpu->counter_tracks;
    uint64_t key = (uint64_t)gpu << 32 | name;
    *row = pf_map_get(tracks, key);
    if (*row != PF_NONE) {
        return PF_OK;
    }
    pf_track_row r = {.type = PF_TRACK_GPU_COUNTER, .name = name, .unit = unit, GLOBAL};
    pf_status st = add_track(im, &r, NULL, row);
    if (st != PF_OK) {
        return st;
    }
    im->t->tracks.used[*row] = 1;
    st = add_gpu(im, *row, gpu);
    st = st == PF_OK ? add_text(im, PF_OWNER_TRACK_DIMENSION, *row, "name", pf_strings_get(&im->t->strings, name)) : st;
    st = st == PF_OK ? describe(im, *row, description) : st;
    return st == PF_OK ? remember(im, tracks, key, *row) : st;
}

/* ---- queues ------------------------------------------------------------------------------------------------------ */

static uint64_t hash_of(const pf_gpu *g, const pf_gpu_queue *q)
{
    uint64_t hash = pf_hash_add(g->queue_index.budget->seed, (uint64_t)q->gpu << 32 | q->number);
    return pf_hash_add(hash, (uint64_t)q->name << 1 | q->interned);
}

static bool is_same(const pf_gpu_queue *a, const pf_gpu_queue *b)
{
    return a->gpu == b->gpu && a->number == b->number && a->name == b->name && a->interned == b->interned;
}

/* The index of the queue, or PF_NONE. */
static uint32_t find_queue(const pf_gpu *g, const pf_gpu_queue *key)
{
    uint32_t i = pf_map_get(&g->queue_index, hash_of(g, key));
    while (i != PF_NONE && !is_same(&g->queues[i], key)) {
        i = g->queues[i].next;
    }
    return i;
}

static pf_status add_queue(pf_import *im, const pf_gpu_queue *key, uint32_t *index)
{
    pf_gpu *g = im->gpu;
    if (g->queue_count == g->queue_room) {
        uint32_t room = g->queue_room ? g->queue_room * 2 : 16;
        pf_gpu_queue *list =
            room ? pf_resize(&im->t->budget, g->queues, g->queue_room * sizeof *list, (size_t)room * sizeof *list)
                 : NULL;
        if (!list) {
            return no_memory(im, (size_t)room * sizeof *list);
        }
        g->queues = list;
        g->queue_room = room;
    }
    uint64_t hash = hash_of(g, key);
    *index = g->queue_count++;
    g->queues[*index] = (pf_gpu_queue){.gpu = key->gpu,
                                       .number = key->number,
                                       .name = key->name,
                                       .interned = key->interned,
                                       .next = pf_map_get(&g->queue_index, hash)};
    return remember(im, &g->queue_index, hash, *index);
}

/* ---- lanes ------------------------------------------------------------------------------------------------------- */

static void swap(uint32_t *a, uint32_t *b)
{
    uint32_t t = *a;
    *a = *b;
    *b = t;
}

static void push_idle(pf_gpu_queue *q, uint32_t number)
{
    pf_gpu_lane *h = q->lanes;
    uint32_t i = q->idle_count++;
    h[i].idle = number;
    for (; i > 0 && h[(i - 1) / 2].idle > h[i].idle; i = (i - 1) / 2) {
        swap(&h[i].idle, &h[(i - 1) / 2].idle);
    }
}

static uint32_t pop_idle(pf_gpu_queue *q)
{
    pf_gpu_lane *h = q->lanes;
    uint32_t lowest = h[0].idle, i = 0;
    h[0].idle = h[--q->idle_count].idle;
    for (;;) {
        uint32_t least = i, left = 2 * i + 1, right = left + 1;
        least = left < q->idle_count && h[left].idle < h[least].idle ? left : least;
        least = right < q->idle_count && h[right].idle < h[least].idle ? right : least;
        if (least == i) {
            return lowest;
        }
        swap(&h[i].idle, &h[least].idle);
        i = least;
    }
}

static void swap_busy(pf_gpu_lane *a, pf_gpu_lane *b)
{
    int64_t end = a->end;
    a->end = b->end;
    b->end = end;
    swap(&a->busy, &b->busy);
}

static void push_busy(pf_gpu_queue *q, uint32_t number, int64_t end)
{
    pf_gpu_lane *h = q->lanes;
    uint32_t i = q->busy_count++;
    h[i].busy = number;
    h[i].end = end;
    for (; i > 0 && h[(i - 1) / 2].end > h[i].end; i = (i - 1) / 2) {
        swap_busy(&h[i], &h[(i - 1) / 2]);
    }
}

static uint32_t pop_busy(pf_gpu_queue *q)
{
    pf_gpu_lane *h = q->lanes;
    uint32_t first = h[0].busy, i = 0;
    q->busy_count--;
    h[0].busy = h[q->busy_count].busy;
    h[0].end = h[q->busy_count].end;
    for (;;) {
        uint32_t least = i, left = 2 * i + 1, right = left + 1;
        least = left < q->busy_count && h[left].end < h[least].end ? left : least;
        least = right < q->busy_count && h[right].end < h[least].end ? right : least;
        if (least == i) {
            return first;
        }
        swap_busy(&h[i], &h[least]);
        i = least;
    }
}

static pf_status add_lane_args(pf_import *im, const pf_gpu_queue *q, uint32_t row, uint32_t number,
                               uint32_t description)
{
    pf_strings *strings = &im->t->strings;
    pf_str source = q->interned ? PF_STR("iid") : PF_STR("id");
    pf_status st = add_gpu(im, row, q->gpu);
    st = st == PF_OK ? add_text(im, PF_OWNER_TRACK_DIMENSION, row, "render_stage_source", source) : st;
    st = st == PF_OK ? add_number(im, row, "hwqueue_id", q->number) : st;
    st = st == PF_OK ? add_text(im, PF_OWNER_TRACK_DIMENSION, row, "hwqueue_name", pf_strings_get(strings, q->name))
                     : st;
    st = st == PF_OK ? add_number(im, row, "track_compressor_idx", number) : st;
    return st == PF_OK && description ? describe(im, row, pf_strings_get(strings, description)) : st;
}

static pf_status add_lane(pf_import *im, pf_gpu_queue *q, uint32_t title, uint32_t description)
{
    if (q->lane_count == q->lane_room) {
        uint32_t room = q->lane_room ? q->lane_room * 2 : 4;
        pf_gpu_lane *lanes =
            room ? pf_resize(&im->t->budget, q->lanes, q->lane_room * sizeof *lanes, (size_t)room * sizeof *lanes)
                 : NULL;
        if (!lanes) {
            return no_memory(im, (size_t)room * sizeof *lanes);
        }
        q->lanes = lanes;
        q->lane_room = room;
    }
    uint32_t number = q->lane_count, row;
    pf_track_row r = {.type = PF_TRACK_GPU_RENDER_STAGE, .name = title, GLOBAL};
    r.group = number ? q->lanes[0].row : im->t->tracks.count;
    pf_status st = add_track(im, &r, NULL, &row);
    st = st == PF_OK ? add_lane_args(im, q, row, number, description) : st;
    if (st == PF_OK) {
        q->lanes[number].row = row;
        q->lane_count++;
        push_idle(q, number);
    }
    return st;
}

pf_status pf_gpu_stage_track(pf_import *im, const pf_gpu_queue *key, uint32_t title, uint32_t description, int64_t ts,
                             int64_t end, uint32_t *row)
{
    pf_status st = PF_OK;
    uint32_t index = find_queue(im->gpu, key);
    if (index == PF_NONE) {
        st = add_queue(im, key, &index);
        if (st != PF_OK) {
            return st;
        }
    }
    pf_gpu_queue *q = &im->gpu->queues[index];
    while (q->busy_count && q->lanes[0].end <= ts) {
        push_idle(q, pop_busy(q));
    }
    if (!q->idle_count) {
        st = add_lane(im, q, title, description);
    }
    if (st == PF_OK) {
        uint32_t number = pop_idle(q);
        push_busy(q, number, end);
        *row = q->lanes[number].row;
    }
    return st;
}

pf_status pf_gpu_rename_queue(pf_import *im, const pf_gpu_queue *key, uint32_t title, uint32_t description)
{
    uint32_t index = find_queue(im->gpu, key);
    pf_status st = index == PF_NONE ? add_queue(im, key, &index) : PF_OK;
    if (st != PF_OK) {
        return st;
    }
    pf_gpu_queue *q = &im->gpu->queues[index];
    if (!q->lane_count) {
        st = add_lane(im, q, title, 0);
        if (st != PF_OK) {
            return st;
        }
        im->t->tracks.used[q->lanes[0].row] = 1;
    }
    im->t->tracks.name[q->lanes[0].row] = title;
    return describe(im, q->lanes[0].row, pf_strings_get(&im->t->strings, description));
}
