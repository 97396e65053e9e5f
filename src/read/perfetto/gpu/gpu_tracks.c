/* read/perfetto/gpu/gpu_tracks.c - the tracks of GPUs, made on first use and keyed by what Perfetto keys them by.
 *
 * A hardware queue is a group of lanes. Stages come in time order, so "the first lane whose last stage has ended" is
 * the lowest number among the idle lanes: lanes that ended by now move from the heap of busy lanes, which is ordered by
 * end, to the heap of idle ones, which is ordered by number.
 */
#include "base/list.h"
#include "read/perfetto/gpu/packet_gpu.h"

/* What a track is known by. */
static void add_text(pf_import *im, uint32_t row, const char *key, pf_str text)
{
    pf_import_arg_text(im, PF_OWNER_TRACK_DIMENSION, row, key, text);
}

static void add_number(pf_import *im, uint32_t row, const char *key, uint32_t number)
{
    pf_import_arg_int(im, PF_OWNER_TRACK_DIMENSION, row, key, number);
}

static void add_gpu(pf_import *im, uint32_t row, uint32_t gpu)
{
    add_number(im, row, "ugpu", pf_gpu_number(im, gpu));
    add_number(im, row, "gpu", gpu);
}

uint32_t pf_gpu_single_track(pf_import *im, pf_track_type type, const char *name, uint32_t *row)
{
    if (*row == PF_NONE) {
        *row = pf_import_track(im, type, pf_import_word(im, name), PF_NONE);
    }
    return *row;
}

uint32_t pf_gpu_memory_track(pf_import *im, uint32_t gpu, uint32_t upid)
{
    bool owned = upid != PF_NONE;
    pf_map *tracks = &im->gpu->memory_tracks[owned];
    uint64_t key = owned ? (uint64_t)gpu << 32 | upid : gpu;
    uint32_t row = pf_map_get(tracks, key);
    if (row != PF_NONE) {
        return row;
    }
    uint32_t unit = pf_import_word(im, "bytes"), name = pf_import_word(im, "GPU Memory");
    row = pf_import_track(im, owned ? PF_TRACK_PROCESS_GPU_MEMORY : PF_TRACK_GPU_MEMORY, name, upid);
    if (row != PF_NONE) {
        im->t->tracks.unit[row] = unit;
        add_gpu(im, row, gpu);
        pf_import_put(im, tracks, key, row);
    }
    return row;
}

/* A counter is shown even if it has no sample. */
uint32_t pf_gpu_counter_track(pf_import *im, uint32_t gpu, uint32_t name, uint32_t unit, pf_str description)
{
    uint64_t key = (uint64_t)gpu << 32 | name;
    uint32_t row = pf_map_get(&im->gpu->counter_tracks, key);
    if (row != PF_NONE) {
        return row;
    }
    row = pf_import_track(im, PF_TRACK_GPU_COUNTER, name, PF_NONE);
    if (row != PF_NONE) {
        im->t->tracks.unit[row] = unit;
        im->t->tracks.used[row] = 1;
        add_gpu(im, row, gpu);
        add_text(im, row, "name", pf_strings_get(&im->t->strings, name));
        pf_import_arg_text(im, PF_OWNER_TRACK_SOURCE, row, "description", description);
        pf_import_put(im, &im->gpu->counter_tracks, key, row);
    }
    return row;
}

/* Puts a slot into the heap, for which there is room. */
static void push(pf_gpu_heap *h, pf_gpu_slot slot)
{
    uint32_t i = h->count++;
    for (; i > 0 && h->list[(i - 1) / 2].key > slot.key; i = (i - 1) / 2) {
        h->list[i] = h->list[(i - 1) / 2];
    }
    h->list[i] = slot;
}

/* Takes the slot with the least key out of a heap that has one. Returns its lane. */
static uint32_t pop(pf_gpu_heap *h)
{
    const pf_gpu_slot least = h->list[0], last = h->list[--h->count];
    uint32_t i = 0;
    for (uint32_t next; (next = 2 * i + 1) < h->count; i = next) {
        next += next + 1 < h->count && h->list[next + 1].key < h->list[next].key;
        if (last.key <= h->list[next].key) {
            break;
        }
        h->list[i] = h->list[next];
    }
    h->list[i] = last;
    return least.lane;
}

void pf_gpu_free_queues(pf_gpu *g, pf_budget *b)
{
    for (uint32_t i = 0; i < g->queue_count; i++) {
        PF_LIST_FREE(b, g->queues[i].rows, g->queues[i].lane_room);
        PF_LIST_FREE(b, g->queues[i].idle.list, g->queues[i].idle.room);
        PF_LIST_FREE(b, g->queues[i].busy.list, g->queues[i].busy.room);
    }
    PF_LIST_FREE(b, g->queues, g->queue_room);
}

/* The queue known by that key, made on first use; NULL after an error. */
static pf_gpu_queue *find_queue(pf_import *im, const pf_gpu_queue_key *key)
{
    pf_gpu *g = im->gpu;
    uint32_t number = pf_import_key(im, key, sizeof *key), index = pf_map_get(&g->queue_index, number);
    if (index == PF_NONE && !pf_import_failed(im) &&
        PF_LIST_ROOM(&im->t->budget, g->queues, g->queue_count + 1, g->queue_room, im->err) == PF_OK) {
        index = g->queue_count++;
        g->queues[index] = (pf_gpu_queue){.key = *key};
        pf_import_put(im, &g->queue_index, number, index);
    }
    return pf_import_failed(im) ? NULL : &g->queues[index];
}

static pf_status make_room(pf_import *im, pf_gpu_queue *q)
{
    pf_budget *b = &im->t->budget;
    PF_TRY(PF_LIST_ROOM(b, q->rows, q->lane_count + 1, q->lane_room, im->err));
    PF_TRY(PF_LIST_ROOM(b, q->idle.list, q->lane_count + 1, q->idle.room, im->err));
    return PF_LIST_ROOM(b, q->busy.list, q->lane_count + 1, q->busy.room, im->err);
}

/* One more lane, which is idle. */
static void add_lane(pf_import *im, pf_gpu_queue *q, uint32_t title, uint32_t description)
{
    const pf_strings *strings = &im->t->strings;
    uint32_t number = q->lane_count;
    if (make_room(im, q) != PF_OK) {
        return;
    }
    uint32_t row = pf_import_track(im, PF_TRACK_GPU_RENDER_STAGE, title, PF_NONE);
    if (row == PF_NONE) {
        return;
    }
    im->t->tracks.group[row] = number ? q->rows[0] : row;
    add_gpu(im, row, q->key.gpu);
    add_text(im, row, "render_stage_source", q->key.interned ? PF_STR("iid") : PF_STR("id"));
    add_number(im, row, "hwqueue_id", q->key.number);
    add_text(im, row, "hwqueue_name", pf_strings_get(strings, q->key.name));
    add_number(im, row, "track_compressor_idx", number);
    if (description) {
        pf_import_arg_text(im, PF_OWNER_TRACK_SOURCE, row, "description", pf_strings_get(strings, description));
    }
    q->rows[q->lane_count++] = row;
    push(&q->idle, (pf_gpu_slot){number, number});
}

uint32_t pf_gpu_stage_track(pf_import *im, const pf_gpu_queue_key *key, uint32_t title, uint32_t description,
                            int64_t ts, int64_t end)
{
    pf_gpu_queue *q = find_queue(im, key);
    while (q && q->busy.count && q->busy.list[0].key <= ts) {
        uint32_t number = pop(&q->busy);
        push(&q->idle, (pf_gpu_slot){number, number});
    }
    if (q && !q->idle.count) {
        add_lane(im, q, title, description);
    }
    if (pf_import_failed(im)) {
        return PF_NONE;
    }
    uint32_t number = pop(&q->idle);
    push(&q->busy, (pf_gpu_slot){end, number});
    return q->rows[number];
}

void pf_gpu_rename_queue(pf_import *im, const pf_gpu_queue_key *key, uint32_t title, uint32_t description)
{
    pf_gpu_queue *q = find_queue(im, key);
    bool is_new = q && !q->lane_count;
    if (is_new) {
        add_lane(im, q, title, 0);
    }
    if (pf_import_failed(im)) {
        return;
    }
    im->t->tracks.used[q->rows[0]] |= is_new;
    im->t->tracks.name[q->rows[0]] = title;
    pf_import_arg_text(im, PF_OWNER_TRACK_SOURCE, q->rows[0], "description",
                       pf_strings_get(&im->t->strings, description));
}
