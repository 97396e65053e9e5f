/* read/perfetto/gpu/packet_gpu_stages.c - render stages, in time order.
 *
 * Names apply from their time on: a stage shows the names that its queue, its stage and its Vulkan handles had when it
 * began. Interned names come from the sequence of the stage. A queue that nobody named yet shows its number, which is
 * replaced when the name comes.
 */
#include <stdio.h>
#include <string.h>

#include "perfetto/fields.h"
#include "read/perfetto/gpu/packet_gpu.h"
#include "read/perfetto/import/packet_times.h"

static pf_status no_memory(pf_import *im, size_t bytes)
{
    return pf_budget_refused(&im->t->budget, bytes, im->err);
}

/* What one field says. */
static void take_field(pf_gpu_stage_event *e, const pf_field *f)
{
    switch (f->tag) {
    case PF_TAG_VARINT(PF_F_STAGE_EVENT_ID):
        e->has_event_id = true;
        e->event_id = f->value;
        break;
    case PF_TAG_VARINT(PF_F_STAGE_DURATION):
        e->duration = f->value;
        break;
    case PF_TAG_VARINT(PF_F_STAGE_HW_QUEUE_ID):
        e->queue_id = (uint32_t)f->value;
        break;
    case PF_TAG_VARINT(PF_F_STAGE_STAGE_ID):
        e->has_stage_id = true;
        e->stage_id = (uint64_t)(int64_t)(int32_t)f->value;
        break;
    case PF_TAG_VARINT(PF_F_STAGE_CONTEXT):
        e->has_context = true;
        e->context = f->value;
        break;
    case PF_TAG_BYTES(PF_F_STAGE_SPECIFICATIONS):
        e->specifications = *f;
        break;
    case PF_TAG_VARINT(PF_F_STAGE_RENDER_TARGET):
        e->handle[PF_GPU_FRAMEBUFFERS] = f->value;
        break;
    case PF_TAG_VARINT(PF_F_STAGE_RENDER_PASS):
        e->handle[PF_GPU_RENDER_PASSES] = f->value;
        break;
    case PF_TAG_VARINT(PF_F_STAGE_COMMAND_BUFFER):
        e->handle[PF_GPU_COMMAND_BUFFERS] = f->value;
        break;
    case PF_TAG_VARINT(PF_F_STAGE_SUBMISSION_ID):
        e->submission = (uint32_t)f->value;
        break;
    case PF_TAG_VARINT(PF_F_STAGE_GPU_ID):
        e->gpu = (uint32_t)f->value;
        break;
    case PF_TAG_VARINT(PF_F_STAGE_HW_QUEUE_IID):
        e->has_queue_iid = true;
        e->queue_iid = f->value;
        break;
    case PF_TAG_VARINT(PF_F_STAGE_STAGE_IID):
        e->has_stage_iid = true;
        e->stage_iid = f->value;
        break;
    case PF_TAG_VARINT(PF_F_STAGE_RENDER_PASS_INSTANCE):
        e->render_pass_instance = f->value;
        break;
    case PF_TAG_BYTES(PF_F_STAGE_NAME):
        e->has_name = true;
        e->name = (pf_str){(const char *)f->bytes, f->len};
        break;
    case PF_TAG_VARINT(PF_F_STAGE_NAME_IID):
        e->has_name_iid = true;
        e->name_iid = f->value;
        break;
    case PF_TAG_VARINT(PF_F_STAGE_KERNEL_IID):
        e->has_kernel = true;
        e->kernel_iid = f->value;
        break;
    case PF_TAG_BYTES(PF_F_STAGE_LAUNCH):
        e->launch = *f;
        break;
    default:
        break;
    }
}

pf_gpu_stage_event pf_gpu_read_stage(const uint8_t *bytes, size_t len)
{
    pf_gpu_stage_event e = {0};
    pf_cursor c = pf_cursor_over(bytes, len);
    pf_field f;
    while (pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        take_field(&e, &f);
    }
    return e;
}

bool pf_gpu_interned(const pf_trace *t, const pf_generation *g, pf_intern_kind kind, uint64_t iid, pf_cursor *message)
{
    uint32_t id = pf_intern_get(g, kind, iid);
    pf_str entry = pf_strings_get(&t->strings, id == PF_NONE ? 0 : id);
    *message = pf_cursor_over((const uint8_t *)entry.ptr, entry.len);
    return entry.ptr != NULL;
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* The string id of a text, 0 if it is absent. */
static pf_status add_text(pf_import *im, bool has, const void *data, size_t len, uint32_t *id)
{
    *id = has ? pf_strings_add(&im->t->strings, len ? data : "", len, im->err) : 0;
    return *id == PF_NONE ? im->err->code : PF_OK;
}

static pf_status read_text(pf_import *im, const Pf__Proto__GpuStageDescription *d, pf_gpu_text *text)
{
    pf_status st = add_text(im, d->has_name, d->name.data, d->name.len, &text->name);
    text->known = d->has_name;
    return st == PF_OK ? add_text(im, d->has_description, d->description.data, d->description.len, &text->description)
                       : st;
}

/* Room for `count` texts; new ones are unknown. */
static pf_status cover(pf_import *im, pf_gpu_texts *texts, uint32_t count)
{
    uint32_t room = texts->room ? texts->room : 16;
    while (room < count) {
        room *= 2;
    }
    if (room > texts->room) {
        pf_gpu_text *list =
            pf_resize(&im->t->budget, texts->list, texts->room * sizeof *list, (size_t)room * sizeof *list);
        if (!list) {
            return no_memory(im, (size_t)room * sizeof *list);
        }
        texts->list = list;
        texts->room = room;
    }
    for (; texts->count < count; texts->count++) {
        texts->list[texts->count] = (pf_gpu_text){0};
    }
    return PF_OK;
}

/* Names of queues by their position in this list. */
static pf_status name_queue(pf_import *im, const Pf__Proto__GpuStageDescription *d, uint32_t gpu, uint32_t number)
{
    pf_gpu_texts *texts = &im->gpu->queue_texts;
    const pf_gpu_queue unnamed = {.gpu = gpu, .number = number};
    pf_gpu_text text;
    pf_status st = read_text(im, d, &text);
    if (st != PF_OK || !text.known) {
        return st;
    }
    st = number < texts->count ? PF_OK : cover(im, texts, number + 1);
    if (st != PF_OK) {
        return st;
    }
    texts->list[number] = text;
    if (pf_map_get(&im->gpu->unnamed, number) != 0) {
        return PF_OK;
    }
    st = pf_gpu_rename_queue(im, &unnamed, text.name, text.description);
    return st != PF_OK || pf_map_set(&im->gpu->unnamed, number, 1) ? st : no_memory(im, 1u << 12);
}

/* Names of stages by their position in all such lists. */
static pf_status name_stage(pf_import *im, const Pf__Proto__GpuStageDescription *d)
{
    pf_gpu_texts *texts = &im->gpu->stage_texts;
    pf_gpu_text text;
    pf_status st = read_text(im, d, &text);
    if (st != PF_OK || !text.known) {
        return st;
    }
    st = cover(im, texts, texts->count + 1);
    if (st == PF_OK) {
        texts->list[texts->count - 1] = text;
    }
    return st;
}

/* The deprecated specifications; *pid is that of their context, if they have one. */
static pf_status take_specifications(pf_import *im, const pf_gpu_stage_event *e, uint32_t *pid)
{
    const Pf__Proto__GpuStageSpecifications *m = (const Pf__Proto__GpuStageSpecifications *)pf_cold_unpack(
        &im->cold, &pf__proto__gpu_stage_specifications__descriptor, e->specifications.bytes, e->specifications.len,
        im->err);
    pf_status st = m ? PF_OK : im->err->code;
    for (size_t i = 0; m && i < m->n_hw_queue && st == PF_OK; i++) {
        st = name_queue(im, m->hw_queue[i], e->gpu, (uint32_t)i);
    }
    for (size_t i = 0; m && i < m->n_stage && st == PF_OK; i++) {
        st = name_stage(im, m->stage[i]);
    }
    if (m && m->context_spec && m->context_spec->has_pid) {
        *pid = (uint32_t)m->context_spec->pid;
    }
    return st;
}

static pf_status take_object_name(pf_import *im, const pf_gpu_waiting *w)
{
    const Pf__Proto__VkDebugUtilsObjectName *m = (const Pf__Proto__VkDebugUtilsObjectName *)pf_cold_unpack(
        &im->cold, &pf__proto__vk_debug_utils_object_name__descriptor, w->bytes, w->len, im->err);
    if (!m) {
        return im->err->code;
    }
    int kind = m->object_type == PF_VK_COMMAND_BUFFER ? PF_GPU_COMMAND_BUFFERS
               : m->object_type == PF_VK_RENDER_PASS  ? PF_GPU_RENDER_PASSES
               : m->object_type == PF_VK_FRAMEBUFFER  ? PF_GPU_FRAMEBUFFERS
                                                      : PF_GPU_OBJECT_KINDS;
    if (kind == PF_GPU_OBJECT_KINDS) {
        return PF_OK;
    }
    uint32_t name;
    pf_status st = add_text(im, true, m->object_name.data, m->object_name.len, &name);
    return st != PF_OK || pf_map_set(&im->gpu->objects[kind], m->object, name) ? st : no_memory(im, 1u << 12);
}

/* ---- one stage --------------------------------------------------------------------------------------------------- */

/* Name and description of an interned specification, string ids; false if nothing defines it. */
static pf_status read_interned_text(pf_import *im, const pf_generation *g, uint64_t iid, pf_gpu_text *text)
{
    pf_cursor c;
    pf_field f, name = {0}, description = {0};
    *text = (pf_gpu_text){.known = pf_gpu_interned(im->t, g, PF_INTERN_GPU_SPECIFICATION, iid, &c)};
    while (text->known && pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        if (f.tag == PF_TAG_BYTES(PF_F_GPU_SPEC_NAME)) {
            name = f;
        } else if (f.tag == PF_TAG_BYTES(PF_F_GPU_SPEC_DESCRIPTION)) {
            description = f;
        }
    }
    pf_status st = add_text(im, name.bytes, name.bytes, name.len, &text->name);
    return st == PF_OK ? add_text(im, description.len, description.bytes, description.len, &text->description) : st;
}

/* The track of a stage; *row is PF_NONE if its queue is unknown. */
static pf_status find_track(pf_import *im, const pf_gpu_waiting *w, const pf_gpu_stage_event *e, uint32_t *row)
{
    const pf_gpu_texts *known = &im->gpu->queue_texts;
    pf_gpu_queue key = {.gpu = e->gpu, .number = e->queue_id, .interned = e->has_queue_iid};
    pf_gpu_text text = {0};
    pf_status st = PF_OK;
    int64_t dur = im->t->events.dur[w->event];
    *row = PF_NONE;
    if (e->has_queue_iid) {
        key.number = (uint32_t)e->queue_iid;
        st = read_interned_text(im, w->generation, e->queue_iid, &text);
        if (st != PF_OK || !text.known) {
            return st;
        }
    } else if (e->queue_id < known->count && known->list[e->queue_id].known) {
        text = known->list[e->queue_id];
    }
    key.name = text.name;
    if (!text.known) {
        char title[40];
        int len = snprintf(title, sizeof title, "Unknown GPU Queue %u", e->queue_id);
        st = add_text(im, true, title, (size_t)len, &text.name);
        if (pf_map_get(&im->gpu->unnamed, e->queue_id) == PF_NONE && !pf_map_set(&im->gpu->unnamed, e->queue_id, 0)) {
            return no_memory(im, 1u << 12);
        }
    }
    int64_t end = dur < 0 ? w->ts : dur > INT64_MAX - w->ts ? INT64_MAX : w->ts + dur;
    return st == PF_OK ? pf_gpu_stage_track(im, &key, text.name, text.description, w->ts, end, row) : st;
}

static pf_status find_name(pf_import *im, const pf_gpu_waiting *w, const pf_gpu_stage_event *e, uint32_t *name)
{
    const pf_gpu_texts *known = &im->gpu->stage_texts;
    *name = 0;
    if (e->has_name_iid) {
        uint32_t id = pf_intern_get(w->generation, PF_INTERN_EVENT_NAME, e->name_iid);
        *name = id == PF_NONE ? 0 : id;
        return PF_OK;
    }
    if (e->has_name) {
        return add_text(im, true, e->name.ptr, e->name.len, name);
    }
    if (e->has_stage_iid) {
        pf_gpu_text text;
        pf_status st = read_interned_text(im, w->generation, e->stage_iid, &text);
        *name = text.name;
        return st;
    }
    if (e->stage_id < known->count) {
        *name = known->list[e->stage_id].name;
        return PF_OK;
    }
    char text[48];
    int len = snprintf(text, sizeof text, "render stage(%llu)", (unsigned long long)e->stage_id);
    return add_text(im, true, text, (size_t)len, name);
}

/* The process whose context a stage ran in: that of the interned context, else of the specifications, else 0. */
static pf_status find_process(pf_import *im, const pf_gpu_waiting *w, const pf_gpu_stage_event *e, uint32_t pid,
                              uint32_t *upid)
{
    pf_cursor c;
    pf_field f;
    if (e->has_context && pf_gpu_interned(im->t, w->generation, PF_INTERN_GRAPHICS_CONTEXT, e->context, &c)) {
        pid = 0;
        while (pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
            pid = f.tag == PF_TAG_VARINT(PF_F_CONTEXT_PID) ? (uint32_t)f.value : pid;
        }
    }
    *upid = pf_uuid_process(im->t, pid, im->err);
    return *upid == PF_NONE ? im->err->code : PF_OK;
}

static pf_status take_stage(pf_import *im, const pf_gpu_waiting *w, pf_gpu_stage *stage)
{
    pf_trace *t = im->t;
    pf_gpu *g = im->gpu;
    const pf_gpu_stage_event e = pf_gpu_read_stage(w->bytes, w->len);
    uint32_t pid = 0;
    pf_status st = e.specifications.bytes ? take_specifications(im, &e, &pid) : PF_OK;
    st = st == PF_OK && e.has_context ? pf_gpu_note_context(im, w->generation, e.context) : st;
    if (st != PF_OK || w->event == PF_NONE) {
        return st;
    }
    st = find_track(im, w, &e, &t->events.track[w->event]);
    if (st != PF_OK || t->events.track[w->event] == PF_NONE) {
        im->moves.removes_events = true;
        return st;
    }
    stage->generation = w->generation;
    for (int kind = 0; kind < PF_GPU_OBJECT_KINDS; kind++) {
        uint32_t name = pf_map_get(&g->objects[kind], e.handle[kind]);
        stage->object[kind] = name == PF_NONE ? 0 : name;
    }
    if (e.has_stage_id && !e.has_stage_iid && e.stage_id < g->stage_texts.count) {
        stage->description = g->stage_texts.list[e.stage_id].description;
    }
    st = find_name(im, w, &e, &t->events.name[w->event]);
    return st == PF_OK ? find_process(im, w, &e, pid, &stage->upid) : st;
}

static pf_status take_memory(pf_import *im, const pf_gpu_waiting *w)
{
    const Pf__Proto__GpuMemTotalEvent *m = (const Pf__Proto__GpuMemTotalEvent *)pf_cold_unpack(
        &im->cold, &pf__proto__gpu_mem_total_event__descriptor, w->bytes, w->len, im->err);
    uint32_t row;
    if (!m) {
        return im->err->code;
    }
    double size = (double)m->size;
    pf_status st = pf_gpu_memory_track(im, m->gpu_id, m->pid, &row);
    return st == PF_OK ? pf_trace_add_sample(im->t, w->ts, size, row, PF_NONE, im->err) : st;
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

/* Sets the time of a packet that waits; false if it has none, or one before time zero: then it does not count. */
static pf_status settle_time(pf_import *im, pf_gpu_waiting *w, bool *counts)
{
    pf_trace *t = im->t;
    *counts = true;
    if (w->event != PF_NONE) {
        *counts = t->events.track[w->event] != PF_NONE;
        w->ts = t->events.ts[w->event];
    } else if (w->later) {
        pf_moment at = {.ts = w->ts, .clock = w->clock};
        pf_status st = pf_import_retry(im, &at, w->offset);
        if (st != PF_OK) {
            return st;
        }
        *counts = at.when == PF_WHEN_KNOWN;
        w->ts = at.ts;
    }
    if (*counts && w->ts < 0) {
        pf_trace_count(t, PF_STAT_NEGATIVE_TS, w->offset);
        *counts = false;
        if (w->event != PF_NONE) {
            t->events.track[w->event] = PF_NONE;
            im->moves.removes_events = true;
        }
    }
    return PF_OK;
}

static bool after(const void *ctx, uint32_t a, uint32_t b)
{
    const pf_gpu_waiting *w = ctx;
    return w[a].ts > w[b].ts;
}

static pf_status add_block(pf_import *im, pf_gpu_stage **stages)
{
    pf_gpu *g = im->gpu;
    size_t bytes = sizeof(struct pf_gpu_stage_block) + g->stage_count * sizeof(pf_gpu_stage);
    struct pf_gpu_stage_block *block = pf_arena_alloc(&im->t->arena, bytes);
    if (!block) {
        return no_memory(im, bytes);
    }
    memset(block, 0, bytes);
    block->next = g->stages->blocks;
    block->first = g->stages->count;
    block->count = g->stage_count;
    g->stages->blocks = block;
    g->stages->count += g->stage_count;
    *stages = block->stage;
    return PF_OK;
}

static pf_status take_turn(pf_import *im, const pf_gpu_waiting *w, pf_gpu_stage *stages)
{
    im->gpu->now = w->ts;
    switch (w->turn) {
    case PF_GPU_TURN_NAME:
        return take_object_name(im, w);
    case PF_GPU_TURN_MEMORY:
        return take_memory(im, w);
    case PF_GPU_TURN_VULKAN_MEMORY:
        return pf_gpu_take_vulkan_memory(im, w);
    default:
        return take_stage(im, w, w->event == PF_NONE ? NULL : &stages[w->stage]);
    }
}

static pf_status take_in_order(pf_import *im, uint32_t *order, uint32_t *scratch)
{
    pf_gpu *g = im->gpu;
    pf_gpu_stage *stages = NULL;
    uint32_t n = 0;
    pf_status st = add_block(im, &stages);
    for (uint32_t i = 0; i < g->waiting_count && st == PF_OK; i++) {
        bool counts;
        st = settle_time(im, &g->waiting[i], &counts);
        if (counts) {
            order[n++] = i;
        }
    }
    if (st == PF_OK) {
        pf_sort_rows(order, scratch, n, after, g->waiting);
    }
    for (uint32_t i = 0; i < n && st == PF_OK; i++) {
        st = take_turn(im, &g->waiting[order[i]], stages);
    }
    return st;
}

pf_status pf_gpu_settle_stages(pf_import *im)
{
    pf_budget *b = &im->t->budget;
    size_t bytes = im->gpu->waiting_count * sizeof(uint32_t);
    if (!im->gpu->waiting_count) {
        return PF_OK;
    }
    uint32_t *order = pf_alloc(b, bytes), *scratch = order ? pf_alloc(b, bytes) : NULL;
    pf_status st = scratch ? take_in_order(im, order, scratch) : no_memory(im, 2 * bytes);
    pf_release(b, scratch, bytes);
    pf_release(b, order, bytes);
    return st;
}
