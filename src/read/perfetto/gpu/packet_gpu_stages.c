/* read/perfetto/gpu/packet_gpu_stages.c - render stages, in time order.
 *
 * Names apply from their time on: a stage shows the names that its queue, its stage and its Vulkan handles had when it
 * began. Interned names come from the sequence of the stage. A queue that nobody named yet shows its number, which is
 * replaced when the name comes.
 */
#include <stdio.h>

#include "base/list.h"
#include "perfetto/fields.h"
#include "read/perfetto/gpu/packet_gpu.h"

static pf_gpu_text read_text(pf_import *im, const Pf__Proto__GpuStageDescription *d)
{
    pf_gpu_text text = {.known = d->has_name};
    text.name = d->has_name ? pf_import_text(im, pf_text_of(d->name)) : 0;
    text.description = d->has_description ? pf_import_text(im, pf_text_of(d->description)) : 0;
    return text;
}

/* Sets the text with that number; those before it that were not named are unknown. */
static void set_text(pf_import *im, pf_gpu_texts *texts, uint32_t number, pf_gpu_text text)
{
    if (pf_import_failed(im) ||
        PF_LIST_ROOM(&im->t->budget, texts->list, (size_t)number + 1, texts->room, im->err) != PF_OK) {
        return;
    }
    for (; texts->count <= number; texts->count++) {
        texts->list[texts->count] = (pf_gpu_text){0};
    }
    texts->list[number] = text;
}

/* Names of queues by their position in this list. */
static void name_queue(pf_import *im, const Pf__Proto__GpuStageDescription *d, uint32_t gpu, uint32_t number)
{
    const pf_gpu_queue_key unnamed = {.gpu = gpu, .number = number};
    const pf_gpu_text text = read_text(im, d);
    if (!text.known) {
        return;
    }
    set_text(im, &im->gpu->queue_texts, number, text);
    if (pf_map_get(&im->gpu->unnamed, number) == 0) {
        pf_gpu_rename_queue(im, &unnamed, text.name, text.description);
        pf_import_put(im, &im->gpu->unnamed, number, 1);
    }
}

/* The deprecated specifications: names of queues, and of stages by their position in all such lists. Returns the
 * process id of their context, 0 if they have none. */
static uint32_t take_specifications(pf_import *im, const pf_field *specifications, uint32_t gpu)
{
    const Pf__Proto__GpuStageSpecifications *m =
        pf_import_unpack(im, &pf__proto__gpu_stage_specifications__descriptor, specifications);
    for (size_t i = 0; m && i < m->n_hw_queue; i++) {
        name_queue(im, m->hw_queue[i], gpu, (uint32_t)i);
    }
    for (size_t i = 0; m && i < m->n_stage; i++) {
        const pf_gpu_text text = read_text(im, m->stage[i]);
        if (text.known) {
            set_text(im, &im->gpu->stage_texts, im->gpu->stage_texts.count, text);
        }
    }
    return m && m->context_spec && m->context_spec->has_pid ? (uint32_t)m->context_spec->pid : 0;
}

static void take_object_name(pf_import *im, const pf_gpu_waiting *w)
{
    const pf_field message = {.bytes = w->bytes, .len = w->len};
    const Pf__Proto__VkDebugUtilsObjectName *m =
        pf_import_unpack(im, &pf__proto__vk_debug_utils_object_name__descriptor, &message);
    int kind = !m                                       ? PF_GPU_OBJECT_KINDS
               : m->object_type == PF_VK_COMMAND_BUFFER ? PF_GPU_COMMAND_BUFFERS
               : m->object_type == PF_VK_RENDER_PASS    ? PF_GPU_RENDER_PASSES
               : m->object_type == PF_VK_FRAMEBUFFER    ? PF_GPU_FRAMEBUFFERS
                                                        : PF_GPU_OBJECT_KINDS;
    if (kind != PF_GPU_OBJECT_KINDS) {
        pf_import_put(im, &im->gpu->objects[kind], m->object, pf_import_text(im, pf_text_of(m->object_name)));
    }
}

/* Name and description of an interned specification. */
static pf_gpu_text read_interned_text(pf_import *im, const pf_generation *g, uint64_t iid)
{
    pf_cursor c;
    pf_gpu_text text = {.known = pf_gpu_interned(im->t, g, PF_INTERN_GPU_SPECIFICATION, iid, &c)};
    if (text.known) {
        PF_CURSOR_FIELDS(f, c, PF_AT_BYTES(PF_F_GPU_SPEC_NAME), PF_AT_BYTES(PF_F_GPU_SPEC_DESCRIPTION));
        const pf_field *description = &f[PF_F_GPU_SPEC_DESCRIPTION];
        text.name = pf_import_text(im, pf_field_text_or_null(&f[PF_F_GPU_SPEC_NAME]));
        text.description = description->len ? pf_import_text(im, pf_field_text(description)) : 0;
    }
    return text;
}

/* The track of a stage; PF_NONE if its queue is unknown. */
static uint32_t find_track(pf_import *im, const pf_gpu_waiting *w, const pf_field *f)
{
    const pf_gpu_texts *known = &im->gpu->queue_texts;
    const pf_field *iid = &f[PF_F_STAGE_HW_QUEUE_IID];
    uint32_t id = (uint32_t)f[PF_F_STAGE_HW_QUEUE_ID].value;
    pf_gpu_queue_key key = {.gpu = (uint32_t)f[PF_F_STAGE_GPU_ID].value, .number = id, .interned = iid->tag != 0};
    pf_gpu_text text = {0};
    int64_t dur = im->t->events.dur[w->event];
    if (iid->tag) {
        key.number = (uint32_t)iid->value;
        text = read_interned_text(im, w->generation, iid->value);
        if (!text.known) {
            return PF_NONE;
        }
    } else if (id < known->count && known->list[id].known) {
        text = known->list[id];
    }
    key.name = text.name;
    if (!text.known) {
        char title[40];
        int len = snprintf(title, sizeof title, "Unknown GPU Queue %u", id);
        text.name = pf_import_text(im, (pf_str){title, (size_t)len});
        if (pf_map_get(&im->gpu->unnamed, id) == PF_NONE) {
            pf_import_put(im, &im->gpu->unnamed, id, 0);
        }
    }
    int64_t end = dur < 0 ? w->ts : dur > INT64_MAX - w->ts ? INT64_MAX : w->ts + dur;
    return pf_gpu_stage_track(im, &key, text.name, text.description, w->ts, end);
}

/* Of the deprecated numbers, which are signed. */
static uint64_t stage_number(const pf_field *f)
{
    return (uint64_t)(int64_t)(int32_t)f[PF_F_STAGE_STAGE_ID].value;
}

static uint32_t find_name(pf_import *im, const pf_gpu_waiting *w, const pf_field *f)
{
    const pf_gpu_texts *known = &im->gpu->stage_texts;
    uint64_t number = stage_number(f);
    if (f[PF_F_STAGE_NAME_IID].tag) {
        uint32_t id = pf_intern_get(w->generation, PF_INTERN_EVENT_NAME, f[PF_F_STAGE_NAME_IID].value);
        return id == PF_NONE ? 0 : id;
    }
    if (f[PF_F_STAGE_NAME].tag) {
        return pf_import_text(im, pf_field_text(&f[PF_F_STAGE_NAME]));
    }
    if (f[PF_F_STAGE_STAGE_IID].tag) {
        return read_interned_text(im, w->generation, f[PF_F_STAGE_STAGE_IID].value).name;
    }
    if (number < known->count) {
        return known->list[number].name;
    }
    char text[48];
    int len = snprintf(text, sizeof text, "render stage(%llu)", (unsigned long long)number);
    return pf_import_text(im, (pf_str){text, (size_t)len});
}

/* The process whose context a stage ran in: that of the interned context, else of the specifications, else 0. */
static uint32_t find_process(pf_import *im, const pf_gpu_waiting *w, const pf_field *context, uint32_t pid)
{
    pf_cursor c;
    if (context->tag && pf_gpu_interned(im->t, w->generation, PF_INTERN_GRAPHICS_CONTEXT, context->value, &c)) {
        pid = (uint32_t)pf_cursor_last(c, PF_TAG_VARINT(PF_F_CONTEXT_PID)).value;
    }
    return pf_import_process(im, pid);
}

static void take_stage(pf_import *im, const pf_gpu_waiting *w, pf_gpu_stage *stages)
{
    static const uint32_t handles[PF_GPU_OBJECT_KINDS] = {[PF_GPU_COMMAND_BUFFERS] = PF_F_STAGE_COMMAND_BUFFER,
                                                          [PF_GPU_RENDER_PASSES] = PF_F_STAGE_RENDER_PASS,
                                                          [PF_GPU_FRAMEBUFFERS] = PF_F_STAGE_RENDER_TARGET};
    pf_trace *t = im->t;
    pf_gpu *g = im->gpu;
    pf_field f[PF_STAGE_FIELDS];
    pf_gpu_read_stage(w->bytes, w->len, f);
    const pf_field *context = &f[PF_F_STAGE_CONTEXT], *specifications = &f[PF_F_STAGE_SPECIFICATIONS];
    uint32_t gpu = (uint32_t)f[PF_F_STAGE_GPU_ID].value;
    uint32_t pid = specifications->tag ? take_specifications(im, specifications, gpu) : 0;
    if (context->tag) {
        pf_gpu_note_context(im, w->generation, context->value);
    }
    if (w->event == PF_NONE || pf_import_failed(im)) {
        return;
    }
    uint32_t track = t->events.track[w->event] = find_track(im, w, f);
    if (track == PF_NONE) {
        im->moves.removes_events = true;
        return;
    }
    pf_gpu_stage *stage = &stages[w->stage];
    stage->generation = w->generation;
    for (int kind = 0; kind < PF_GPU_OBJECT_KINDS; kind++) {
        uint32_t name = pf_map_get(&g->objects[kind], f[handles[kind]].value);
        stage->object[kind] = name == PF_NONE ? 0 : name;
    }
    if (f[PF_F_STAGE_STAGE_ID].tag && !f[PF_F_STAGE_STAGE_IID].tag && stage_number(f) < g->stage_texts.count) {
        stage->description = g->stage_texts.list[stage_number(f)].description;
    }
    t->events.name[w->event] = find_name(im, w, f);
    stage->upid = find_process(im, w, context, pid);
}

static void take_memory(pf_import *im, const pf_gpu_waiting *w)
{
    const pf_field message = {.bytes = w->bytes, .len = w->len};
    const Pf__Proto__GpuMemTotalEvent *m = pf_import_unpack(im, &pf__proto__gpu_mem_total_event__descriptor, &message);
    double size = m ? (double)m->size : 0;
    uint32_t upid = m && m->pid ? pf_import_process(im, m->pid) : PF_NONE;
    uint32_t row = m ? pf_gpu_memory_track(im, m->gpu_id, upid) : PF_NONE;
    if (!pf_import_failed(im)) {
        (void)pf_trace_add_sample(im->t, w->ts, size, row, PF_NONE, im->err);
    }
}

/* Sets the time of a packet that waits; false if it has none, or one before time zero: then it does not count. */
static bool settle_time(pf_import *im, pf_gpu_waiting *w)
{
    pf_trace *t = im->t;
    bool counts = true;
    if (w->event != PF_NONE) {
        counts = t->events.track[w->event] != PF_NONE;
        w->ts = t->events.ts[w->event];
    } else if (w->later) {
        pf_moment at = {.ts = w->ts, .clock = w->clock, .when = PF_WHEN_LATER};
        pf_import_retry(im, &at, w->offset);
        counts = at.when == PF_WHEN_KNOWN;
        w->ts = at.ts;
    }
    if (counts && w->ts < 0) {
        pf_trace_count(t, PF_STAT_NEGATIVE_TS, w->offset);
        counts = false;
        if (w->event != PF_NONE) {
            t->events.track[w->event] = PF_NONE;
            im->moves.removes_events = true;
        }
    }
    return counts;
}

static bool after(const void *ctx, uint32_t a, uint32_t b)
{
    const pf_gpu_waiting *w = ctx;
    return w[a].ts > w[b].ts;
}

/* Zeroed room for the stages of this input, in front of those of earlier ones. NULL after an error. */
static pf_gpu_stage *add_block(pf_import *im)
{
    pf_gpu *g = im->gpu;
    uint8_t *bytes;
    if (PF_ARENA_NEW(&im->t->arena, bytes, sizeof(struct pf_gpu_stage_block) + g->stage_count * sizeof(pf_gpu_stage),
                     im->err) != PF_OK) {
        return NULL;
    }
    struct pf_gpu_stage_block *block = (struct pf_gpu_stage_block *)(void *)bytes;
    block->next = g->stages->blocks;
    block->first = g->stages->count;
    block->count = g->stage_count;
    g->stages->blocks = block;
    g->stages->count += g->stage_count;
    return block->stage;
}

static void take_turn(pf_import *im, const pf_gpu_waiting *w, pf_gpu_stage *stages)
{
    im->gpu->now = w->ts;
    switch (w->turn) {
    case PF_GPU_TURN_NAME:
        take_object_name(im, w);
        break;
    case PF_GPU_TURN_MEMORY:
        take_memory(im, w);
        break;
    case PF_GPU_TURN_VULKAN_MEMORY:
        pf_gpu_take_vulkan_memory(im, w);
        break;
    default:
        take_stage(im, w, stages);
    }
}

void pf_gpu_settle_stages(pf_import *im)
{
    pf_gpu *g = im->gpu;
    pf_budget *b = &im->t->budget;
    size_t room = 2 * (size_t)g->waiting_count;
    uint32_t *order, n = 0;
    if (!room || pf_import_failed(im) || PF_LIST_NEW(b, order, room, im->err) != PF_OK) {
        return;
    }
    pf_gpu_stage *stages = add_block(im);
    for (uint32_t i = 0; i < g->waiting_count && !pf_import_failed(im); i++) {
        if (settle_time(im, &g->waiting[i])) {
            order[n++] = i;
        }
    }
    pf_sort_rows(order, order + g->waiting_count, n, after, g->waiting);
    for (uint32_t i = 0; i < n && !pf_import_failed(im); i++) {
        take_turn(im, &g->waiting[order[i]], stages);
    }
    PF_LIST_FREE(b, order, room);
}
