/* read/perfetto/gpu/gpu.c - GPU packets in file order: rows for what stands alone, a place in the queue for the rest.
 */
#include "read/perfetto/gpu/packet_gpu.h"

#include <string.h>

#include "perfetto/fields.h"
#include "read/perfetto/import/packet_times.h"

/* The last number that fits into the context of an argument range. */
#define CONTEXT_MAX (UINT32_MAX / PF_DECODERS_MAX)

static pf_status no_memory(pf_import *im, size_t bytes)
{
    return pf_budget_refused(&im->t->budget, bytes, im->err);
}

/* ---- the state --------------------------------------------------------------------------------------------------- */

static pf_gpu_stages *share_stages(pf_trace *t)
{
    pf_gpu_stages *stages = pf_gpu_known_stages(t);
    if (!stages) {
        stages = pf_arena_alloc(&t->arena, sizeof *stages);
        if (stages) {
            *stages = (pf_gpu_stages){0};
        }
    }
    return stages;
}

#define MAPS 16

static pf_map *map_of(pf_gpu *g, size_t i)
{
    pf_map *const maps[MAPS] = {&g->numbers,     &g->memory_tracks[0], &g->memory_tracks[1], &g->counter_tracks,
                                &g->counter_ids, &g->descriptors,      &g->queue_index,      &g->objects[0],
                                &g->objects[1],  &g->objects[2],       &g->unnamed,          &g->contexts,
                                &g->grouped,     &g->described,        &g->memory_sums,      &g->vulkan_tracks};
    return maps[i];
}

static pf_status open_state(pf_import *im)
{
    pf_trace *t = im->t;
    pf_gpu *g = pf_alloc_zero(&t->budget, 1, sizeof *g);
    if (!g) {
        return no_memory(im, sizeof *g);
    }
    im->gpu = g;
    g->log_track = g->vulkan_track = PF_NONE;
    g->first_ugpu = t->sides.known[PF_SIDE_GPU].count;
    g->first_row_arg = t->row_args.count;
    for (size_t i = 0; i < MAPS; i++) {
        pf_map_init(map_of(g, i), &t->budget);
    }
    g->stages = share_stages(t);
    if (!g->stages) {
        return no_memory(im, sizeof *g->stages);
    }
    g->args = pf_trace_add_decoder(t, pf_gpu_args, g->stages);
    return g->args == PF_NONE ? pf_trace_no_decoder(im->err) : PF_OK;
}

void pf_gpu_free(pf_import *im)
{
    pf_gpu *g = im->gpu;
    pf_budget *b = &im->t->budget;
    if (!g) {
        return;
    }
    for (size_t i = 0; i < MAPS; i++) {
        pf_map_free(map_of(g, i));
    }
    for (uint32_t i = 0; i < g->queue_count; i++) {
        pf_release(b, g->queues[i].lanes, g->queues[i].lane_room * sizeof *g->queues[i].lanes);
    }
    pf_release(b, g->queues, g->queue_room * sizeof *g->queues);
    pf_release(b, g->counters, g->counter_room * sizeof *g->counters);
    pf_release(b, g->seen, g->seen_room * sizeof *g->seen);
    pf_release(b, g->sums, g->sum_room * sizeof *g->sums);
    pf_release(b, g->backwards, g->backward_room * sizeof *g->backwards);
    pf_release(b, g->waiting, g->waiting_room * sizeof *g->waiting);
    pf_release(b, g->queue_texts.list, g->queue_texts.room * sizeof *g->queue_texts.list);
    pf_release(b, g->stage_texts.list, g->stage_texts.room * sizeof *g->stage_texts.list);
    pf_release(b, g, sizeof *g);
    im->gpu = NULL;
}

pf_status pf_gpu_finish(pf_import *im)
{
    if (!im->gpu) {
        return PF_OK;
    }
    pf_status st = pf_gpu_settle_counters(im);
    st = st == PF_OK ? pf_gpu_settle_stages(im) : st;
    return st == PF_OK ? pf_gpu_settle_numbers(im) : st;
}

/* ---- rows and what waits ----------------------------------------------------------------------------------------- */

/* A packet without a time happened when the packet before it did; one whose time is of no use does not count. */
static bool find_time(const pf_import *im, const pf_record *r, const pf_moment *at, pf_moment *when)
{
    *when = *at;
    if (at->when == PF_WHEN_MISSING && !(r->has & PF_HAS_TIMESTAMP)) {
        *when = (pf_moment){.ts = im->latest_ts, .when = PF_WHEN_KNOWN};
    }
    return when->when != PF_WHEN_MISSING;
}

/* Bytes that live as long as the trace, NULL if memory was refused. */
static const uint8_t *keep_bytes(pf_import *im, const pf_field *f)
{
    return im->span.stable ? f->bytes : (const uint8_t *)pf_arena_copy(&im->t->arena, (const char *)f->bytes, f->len);
}

/* Appends an event with arguments of that context. */
static pf_status add_event(pf_import *im, const pf_record *r, const pf_moment *when, pf_event *e, const uint8_t *args,
                           uint32_t len, uint32_t context)
{
    pf_trace *t = im->t;
    e->ts = when->when == PF_WHEN_KNOWN ? when->ts : im->latest_ts;
    pf_status st = pf_trace_add_event(t, e, im->err);
    if (st == PF_OK && e->ts < 0) {
        st = pf_trace_note_offset(t, pf_import_offset(im, r), im->err);
    }
    if (st == PF_OK && t->want & PF_WANT_ARGS) {
        if (len / 2 > t->budget.limits.keys || context > CONTEXT_MAX) {
            pf_trace_count(t, PF_STAT_JSON_ARGS_DROPPED, pf_import_offset(im, r));
        } else {
            st = pf_trace_add_args(t, args, len, im->gpu->args, context, false, im->err);
        }
    }
    return st == PF_OK && when->when == PF_WHEN_LATER ? pf_import_defer(im, r, when, t->events.count - 1, PF_NONE) : st;
}

/* The generation that the iids of a packet refer to; the empty one outside of any sequence. */
static const pf_generation *generation_of(pf_import *im, pf_sequence *q)
{
    return q ? pf_sequence_generation(&im->sequences, q) : im->sequences.generations->list[0];
}

static pf_status wait_for_turn(pf_import *im, const pf_record *r, const pf_moment *when, pf_gpu_waiting *w)
{
    pf_gpu *g = im->gpu;
    if (g->waiting_count == g->waiting_room) {
        uint32_t room = g->waiting_room ? g->waiting_room * 2 : 256;
        pf_gpu_waiting *list =
            room ? pf_resize(&im->t->budget, g->waiting, g->waiting_room * sizeof *list, (size_t)room * sizeof *list)
                 : NULL;
        if (!list) {
            return no_memory(im, (size_t)room * sizeof *list);
        }
        g->waiting = list;
        g->waiting_room = room;
    }
    w->ts = when->ts;
    w->clock = when->clock;
    w->later = when->when == PF_WHEN_LATER;
    w->offset = pf_import_offset(im, r);
    g->waiting[g->waiting_count++] = *w;
    return PF_OK;
}

/* ---- packets ----------------------------------------------------------------------------------------------------- */

/* The flows of a stage: what it is, and what it waits for. */
static pf_status add_stage_flows(pf_import *im, const pf_gpu_stage_event *e, const pf_field *data)
{
    pf_trace *t = im->t;
    if (!(t->want & PF_WANT_FLOWS)) {
        return PF_OK;
    }
    pf_status st = pf_trace_add_event_flow(t, e->event_id, PF_FLOW_GPU_STAGE, im->err);
    pf_cursor c = pf_field_cursor(data);
    pf_field f;
    while (st == PF_OK && pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        if (f.tag == PF_TAG_VARINT(PF_F_STAGE_EVENT_WAIT_IDS)) {
            st = pf_trace_add_event_flow(t, f.value, PF_FLOW_GPU_AFTER, im->err);
        }
    }
    return st;
}

/* The row of a stage has no track yet: 0 stands for one, since PF_NONE would mean that its time is unknown. */
static pf_status take_stage(pf_import *im, const pf_record *r, const pf_field *data, pf_sequence *q,
                            const pf_moment *when)
{
    pf_gpu *g = im->gpu;
    const pf_gpu_stage_event e = pf_gpu_read_stage(data->bytes, data->len);
    if (!e.has_event_id && !e.specifications.bytes && !e.has_context) {
        return PF_OK;
    }
    pf_gpu_waiting w = {.len = data->len, .event = PF_NONE};
    w.generation = generation_of(im, q);
    w.bytes = keep_bytes(im, data);
    if (!w.generation || !w.bytes) {
        return no_memory(im, data->len);
    }
    if (e.has_event_id) {
        bool negative = e.duration > INT64_MAX;
        pf_event row = {.phase = 'X', .dur = negative ? -1 : (int64_t)e.duration};
        if (negative) {
            pf_trace_count(im->t, PF_STAT_SLICE_NEGATIVE_DURATION, pf_import_offset(im, r));
        }
        w.stage = g->stage_count++;
        pf_status st = add_event(im, r, when, &row, w.bytes, w.len, PF_GPU_ARGS_STAGE + g->stages->count + w.stage);
        st = st == PF_OK ? add_stage_flows(im, &e, data) : st;
        if (st != PF_OK) {
            return st;
        }
        w.event = im->t->events.count - 1;
    }
    return wait_for_turn(im, r, when, &w);
}

static pf_status take_log(pf_import *im, const pf_record *r, const pf_field *data, const pf_moment *when)
{
    static const char *const severities[] = {"UNSPECIFIED", "VERBOSE", "DEBUG", "INFO", "WARNING", "ERROR"};
    uint64_t severity = 0;
    pf_cursor c = pf_field_cursor(data);
    pf_field f;
    while (pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        severity = f.tag == PF_TAG_VARINT(PF_F_GPU_LOG_SEVERITY) ? f.value : severity;
    }
    const char *name = severity < sizeof severities / sizeof *severities ? severities[severity] : "UNKNOWN_SEVERITY";
    pf_status st = pf_gpu_single_track(im, PF_TRACK_GPU_LOG, "GPU Log", &im->gpu->log_track);
    const uint8_t *bytes = keep_bytes(im, data);
    if (st != PF_OK || !bytes) {
        return st != PF_OK ? st : no_memory(im, data->len);
    }
    pf_event row = {.phase = 'i', .track = im->gpu->log_track};
    row.name = pf_strings_add(&im->t->strings, name, strlen(name), im->err);
    return row.name == PF_NONE ? im->err->code : add_event(im, r, when, &row, bytes, data->len, PF_GPU_ARGS_LOG);
}

static pf_status take_submit(pf_import *im, const pf_record *r, const pf_field *submit, const pf_moment *when)
{
    uint64_t duration = 0;
    pf_cursor c = pf_field_cursor(submit);
    pf_field f;
    while (pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        duration = f.tag == PF_TAG_VARINT(PF_F_SUBMIT_DURATION_NS) ? f.value : duration;
    }
    bool negative = duration > INT64_MAX;
    if (negative) {
        pf_trace_count(im->t, PF_STAT_SLICE_NEGATIVE_DURATION, pf_import_offset(im, r));
    }
    pf_status st = pf_gpu_single_track(im, PF_TRACK_VULKAN_EVENTS, "Vulkan Events", &im->gpu->vulkan_track);
    const uint8_t *bytes = keep_bytes(im, submit);
    if (st != PF_OK || !bytes) {
        return st != PF_OK ? st : no_memory(im, submit->len);
    }
    pf_event row = {.phase = 'X', .dur = negative ? -1 : (int64_t)duration, .track = im->gpu->vulkan_track};
    row.name = pf_strings_add(&im->t->strings, "vkQueueSubmit", 13, im->err);
    return row.name == PF_NONE ? im->err->code : add_event(im, r, when, &row, bytes, submit->len, PF_GPU_ARGS_SUBMIT);
}

/* The name of an object, a queue submission, or both. */
static pf_status take_vulkan(pf_import *im, const pf_record *r, const pf_field *data, const pf_moment *when)
{
    pf_field f, name = {0}, submit = {0};
    pf_cursor c = pf_field_cursor(data);
    while (pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        if (f.tag == PF_TAG_BYTES(PF_F_VULKAN_OBJECT_NAME)) {
            name = f;
        } else if (f.tag == PF_TAG_BYTES(PF_F_VULKAN_QUEUE_SUBMIT)) {
            submit = f;
        }
    }
    pf_status st = PF_OK;
    if (name.bytes) {
        pf_gpu_waiting w = {
            .bytes = keep_bytes(im, &name), .len = name.len, .event = PF_NONE, .turn = PF_GPU_TURN_NAME};
        st = w.bytes ? wait_for_turn(im, r, when, &w) : no_memory(im, name.len);
    }
    return st == PF_OK && submit.bytes ? take_submit(im, r, &submit, when) : st;
}

static pf_status take_memory(pf_import *im, const pf_record *r, const pf_field *data, const pf_moment *when)
{
    pf_gpu_waiting w = {.bytes = keep_bytes(im, data), .len = data->len, .event = PF_NONE, .turn = PF_GPU_TURN_MEMORY};
    if (!(im->t->want & PF_WANT_COUNTERS)) {
        return PF_OK;
    }
    return w.bytes ? wait_for_turn(im, r, when, &w) : no_memory(im, data->len);
}

static pf_status take_vulkan_memory(pf_import *im, const pf_record *r, const pf_field *data, pf_sequence *q,
                                    const pf_moment *when)
{
    pf_gpu_waiting w = {.len = data->len, .event = PF_NONE, .turn = PF_GPU_TURN_VULKAN_MEMORY};
    w.generation = generation_of(im, q);
    w.bytes = keep_bytes(im, data);
    return w.bytes && w.generation ? wait_for_turn(im, r, when, &w) : no_memory(im, data->len);
}

pf_status pf_gpu_packet(pf_import *im, const pf_record *r, const pf_field *data, pf_sequence *q, const pf_moment *at,
                        bool *taken)
{
    *taken = r->data == PF_F_PACKET_GPU_COUNTER_EVENT || r->data == PF_F_PACKET_GPU_RENDER_STAGE_EVENT ||
             r->data == PF_F_PACKET_GPU_LOG || r->data == PF_F_PACKET_VULKAN_API_EVENT ||
             r->data == PF_F_PACKET_GPU_MEM_TOTAL_EVENT || r->data == PF_F_PACKET_GPU_INFO ||
             r->data == PF_F_PACKET_VULKAN_MEMORY_EVENT;
    pf_status st = *taken && !im->gpu ? open_state(im) : PF_OK;
    if (!*taken || st != PF_OK) {
        return st;
    }
    im->gpu->now = at->when == PF_WHEN_KNOWN ? at->ts : im->latest_ts;
    if (r->data == PF_F_PACKET_GPU_COUNTER_EVENT) {
        return pf_gpu_counter_event(im, r, data, q, at);
    }
    if (r->data == PF_F_PACKET_GPU_INFO) {
        return pf_gpu_info(im, data);
    }
    pf_moment when;
    if (!find_time(im, r, at, &when)) {
        return PF_OK;
    }
    switch (r->data) {
    case PF_F_PACKET_GPU_RENDER_STAGE_EVENT:
        return take_stage(im, r, data, q, &when);
    case PF_F_PACKET_GPU_LOG:
        return take_log(im, r, data, &when);
    case PF_F_PACKET_VULKAN_API_EVENT:
        return take_vulkan(im, r, data, &when);
    case PF_F_PACKET_VULKAN_MEMORY_EVENT:
        return take_vulkan_memory(im, r, data, q, &when);
    default:
        return take_memory(im, r, data, &when);
    }
}

pf_status pf_gpu_correlate(pf_import *im, uint32_t event, const pf_field *correlation)
{
    pf_status st = PF_OK;
    pf_cursor c = pf_field_cursor(correlation);
    pf_field f;
    while (st == PF_OK && im->t->want & PF_WANT_FLOWS && pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        if (f.tag == PF_TAG_VARINT(PF_F_CORRELATION_SUBMISSION_IDS)) {
            st = pf_trace_add_flow_of(im->t, event, f.value, PF_FLOW_GPU_SUBMIT, im->err);
        } else if (f.tag == PF_TAG_VARINT(PF_F_CORRELATION_WAIT_IDS)) {
            st = pf_trace_add_flow_of(im->t, event, f.value, PF_FLOW_GPU_AWAIT, im->err);
        }
    }
    return st;
}
