/* read/perfetto/gpu/gpu.c - GPU packets in file order: rows for what stands alone, a place in the queue for the rest.
 */
#include "base/list.h"
#include "perfetto/fields.h"
#include "read/perfetto/gpu/packet_gpu.h"

/* The last number that fits into the context of an argument range. */
#define CONTEXT_MAX (UINT32_MAX / PF_DECODERS_MAX)

_Static_assert(sizeof(((pf_gpu *)0)->maps) == offsetof(pf_gpu, stages), "all maps, and nothing else");

static void open_state(pf_import *im)
{
    pf_trace *t = im->t;
    pf_gpu *g = im->gpu = pf_alloc_zero(&t->budget, 1, sizeof *g);
    if (!g) {
        pf_import_refuse(im, sizeof *g);
        return;
    }
    g->log_track = g->vulkan_track = PF_NONE;
    g->first_ugpu = t->sides.known[PF_SIDE_GPU].count;
    g->first_row_arg = t->row_args.count;
    for (size_t i = 0; i < PF_GPU_MAPS; i++) {
        pf_map_init(&g->maps[i], &t->budget);
    }
    pf_gpu_stages *known = pf_gpu_known_stages(t);
    g->stages = known ? known : pf_arena_alloc(&t->arena, sizeof *known);
    if (!g->stages) {
        pf_import_refuse(im, sizeof *known);
        return;
    }
    *g->stages = known ? *known : (pf_gpu_stages){0};
    g->args = pf_trace_add_decoder(t, pf_gpu_args, g->stages);
    if (g->args == PF_NONE) {
        pf_trace_no_decoder(im->err);
    }
}

/* What is read next is of that time; false after an error. */
static bool open_at(pf_import *im, int64_t ts)
{
    if (!im->gpu) {
        open_state(im);
    }
    if (!pf_import_failed(im)) {
        im->gpu->now = ts;
    }
    return !pf_import_failed(im);
}

void pf_gpu_free(pf_import *im)
{
    pf_gpu *g = im->gpu;
    pf_budget *b = &im->t->budget;
    if (!g) {
        return;
    }
    for (size_t i = 0; i < PF_GPU_MAPS; i++) {
        pf_map_free(&g->maps[i]);
    }
    pf_gpu_free_queues(g, b);
    PF_LIST_FREE(b, g->counters, g->counter_room);
    PF_LIST_FREE(b, g->seen, g->seen_room);
    PF_LIST_FREE(b, g->sums, g->sum_room);
    PF_LIST_FREE(b, g->backwards, g->backward_room);
    PF_LIST_FREE(b, g->waiting, g->waiting_room);
    PF_LIST_FREE(b, g->queue_texts.list, g->queue_texts.room);
    PF_LIST_FREE(b, g->stage_texts.list, g->stage_texts.room);
    pf_release(b, g, sizeof *g);
    im->gpu = NULL;
}

uint32_t pf_gpu_seen(pf_import *im, uint32_t gpu, int64_t ts)
{
    return open_at(im, ts) ? pf_gpu_number(im, gpu) : PF_NONE;
}

pf_status pf_gpu_finish(pf_import *im)
{
    if (im->gpu) {
        pf_gpu_settle_counters(im);
        pf_gpu_settle_stages(im);
    }
    return im->err->code;
}

/* Appends an event with arguments of that context; the bytes are kept. */
static void add_event(pf_import *im, const pf_packet *p, pf_event *e, const uint8_t *args, uint32_t len,
                      uint32_t context)
{
    pf_trace *t = im->t;
    pf_import_add_event(im, p->r, p->at, e);
    if (pf_import_failed(im) || !(t->want & PF_WANT_ARGS)) {
        return;
    }
    if (len / 2 > t->budget.limits.keys || context > CONTEXT_MAX) {
        pf_import_count(im, p->r, PF_STAT_JSON_ARGS_DROPPED);
    } else {
        (void)pf_trace_add_args(t, args, len, im->gpu->args, context, false, im->err);
    }
}

/* A duration in ns of an event; -1 (counted) where it is negative. */
static int64_t read_duration(pf_import *im, const pf_packet *p, uint64_t duration)
{
    if (duration > INT64_MAX) {
        pf_import_count(im, p->r, PF_STAT_SLICE_NEGATIVE_DURATION);
        return -1;
    }
    return (int64_t)duration;
}

/* The generation that the iids of a packet refer to; the empty one outside of any sequence. NULL after an error. */
static const pf_generation *generation_of(pf_import *im, pf_sequence *q)
{
    const pf_generation *g = q ? pf_sequence_generation(&im->sequences, q) : im->sequences.generations->list[0];
    if (!g) {
        pf_import_refuse(im, sizeof *g);
    }
    return g;
}

/* A message of the packet waits for its turn in the order of time. */
static void wait_for_turn(pf_import *im, const pf_packet *p, pf_gpu_waiting w, const pf_field *message)
{
    pf_gpu *g = im->gpu;
    w.bytes = w.bytes ? w.bytes : pf_import_keep(im, message);
    w.len = message->len;
    w.ts = p->at->ts;
    w.clock = p->at->clock;
    w.later = p->at->when == PF_WHEN_LATER;
    w.offset = pf_import_offset(im, p->r);
    if (!pf_import_failed(im) &&
        PF_LIST_ROOM(&im->t->budget, g->waiting, g->waiting_count + 1, g->waiting_room, im->err) == PF_OK) {
        g->waiting[g->waiting_count++] = w;
    }
}

/* The flows of a stage: what it is, and what it waits for. */
static pf_status add_stage_flows(pf_import *im, uint64_t event_id, const pf_field *data)
{
    pf_cursor c = pf_field_cursor(data);
    pf_field f;
    PF_TRY(pf_trace_add_event_flow(im->t, event_id, PF_FLOW_GPU_STAGE, im->err));
    while (pf_cursor_next_of(&c, PF_TAG_VARINT(PF_F_STAGE_EVENT_WAIT_IDS), &f)) {
        PF_TRY(pf_trace_add_event_flow(im->t, f.value, PF_FLOW_GPU_AFTER, im->err));
    }
    return PF_OK;
}

/* The row of a stage has no track yet: 0 stands for one, since PF_NONE would mean that its time is unknown. */
static void take_stage(pf_import *im, const pf_packet *p)
{
    pf_gpu *g = im->gpu;
    pf_field f[PF_STAGE_FIELDS];
    pf_gpu_read_stage(p->data.bytes, p->data.len, f);
    if (!f[PF_F_STAGE_EVENT_ID].tag && !f[PF_F_STAGE_SPECIFICATIONS].tag && !f[PF_F_STAGE_CONTEXT].tag) {
        return;
    }
    pf_gpu_waiting w = {.event = PF_NONE, .generation = generation_of(im, p->q)};
    w.bytes = pf_import_keep(im, &p->data);
    if (f[PF_F_STAGE_EVENT_ID].tag) {
        pf_event row = {.phase = 'X', .dur = read_duration(im, p, f[PF_F_STAGE_DURATION].value)};
        w.stage = g->stage_count++;
        add_event(im, p, &row, w.bytes, p->data.len, PF_GPU_ARGS_STAGE + g->stages->count + w.stage);
        if (!pf_import_failed(im) && im->t->want & PF_WANT_FLOWS) {
            (void)add_stage_flows(im, f[PF_F_STAGE_EVENT_ID].value, &p->data);
        }
        w.event = im->t->events.count - 1;
    }
    wait_for_turn(im, p, w, &p->data);
}

static void take_log(pf_import *im, const pf_packet *p)
{
    static const char *const severities[] = {"UNSPECIFIED", "VERBOSE", "DEBUG", "INFO", "WARNING", "ERROR"};
    uint64_t severity = pf_cursor_last(pf_field_cursor(&p->data), PF_TAG_VARINT(PF_F_GPU_LOG_SEVERITY)).value;
    pf_event row = {.phase = 'i', .track = pf_gpu_single_track(im, PF_TRACK_GPU_LOG, "GPU Log", &im->gpu->log_track)};
    row.name = pf_import_word(im, severity < PF_TAG_COUNT(severities) ? severities[severity] : "UNKNOWN_SEVERITY");
    add_event(im, p, &row, pf_import_keep(im, &p->data), p->data.len, PF_GPU_ARGS_LOG);
}

static void take_submit(pf_import *im, const pf_packet *p, const pf_field *submit)
{
    uint64_t duration = pf_cursor_last(pf_field_cursor(submit), PF_TAG_VARINT(PF_F_SUBMIT_DURATION_NS)).value;
    pf_event row = {.phase = 'X', .dur = read_duration(im, p, duration)};
    row.track = pf_gpu_single_track(im, PF_TRACK_VULKAN_EVENTS, "Vulkan Events", &im->gpu->vulkan_track);
    row.name = pf_import_word(im, "vkQueueSubmit");
    add_event(im, p, &row, pf_import_keep(im, submit), submit->len, PF_GPU_ARGS_SUBMIT);
}

/* The name of an object, a queue submission, or both. */
static void take_vulkan(pf_import *im, const pf_packet *p)
{
    const pf_field name = pf_cursor_last(pf_field_cursor(&p->data), PF_TAG_BYTES(PF_F_VULKAN_OBJECT_NAME));
    const pf_field submit = pf_cursor_last(pf_field_cursor(&p->data), PF_TAG_BYTES(PF_F_VULKAN_QUEUE_SUBMIT));
    if (name.tag) {
        wait_for_turn(im, p, (pf_gpu_waiting){.event = PF_NONE, .turn = PF_GPU_TURN_NAME}, &name);
    }
    if (submit.tag) {
        take_submit(im, p, &submit);
    }
}

/* A packet that has its turn in time. */
static void take_timed(pf_import *im, const pf_packet *p)
{
    pf_gpu_waiting w = {.event = PF_NONE, .turn = PF_GPU_TURN_MEMORY};
    switch (p->r->data) {
    case PF_F_PACKET_GPU_RENDER_STAGE_EVENT:
        take_stage(im, p);
        break;
    case PF_F_PACKET_GPU_LOG:
        take_log(im, p);
        break;
    case PF_F_PACKET_VULKAN_API_EVENT:
        take_vulkan(im, p);
        break;
    case PF_F_PACKET_VULKAN_MEMORY_EVENT:
        w.turn = PF_GPU_TURN_VULKAN_MEMORY;
        w.generation = generation_of(im, p->q);
        wait_for_turn(im, p, w, &p->data);
        break;
    default:
        if (im->t->want & PF_WANT_COUNTERS) {
            wait_for_turn(im, p, w, &p->data);
        }
    }
}

/* One without a time happened when the packet before it did; one whose time is of no use does not count. */
void pf_gpu_packet(pf_import *im, const pf_packet *p)
{
    const pf_moment now = {.ts = im->latest_ts, .when = PF_WHEN_KNOWN};
    if (!open_at(im, pf_import_now(im, p->at))) {
        return;
    }
    if (p->r->data == PF_F_PACKET_GPU_COUNTER_EVENT) {
        pf_gpu_counter_event(im, p);
    } else if (p->r->data == PF_F_PACKET_GPU_INFO) {
        pf_gpu_info(im, p);
    } else if (p->at->when != PF_WHEN_MISSING) {
        take_timed(im, p);
    } else if (!(p->r->has & PF_HAS_TIMESTAMP)) {
        take_timed(im, &(pf_packet){p->r, p->data, p->q, &now});
    }
}

pf_status pf_gpu_correlate(pf_import *im, uint32_t event, const pf_field *correlation)
{
    pf_cursor c = pf_field_cursor(correlation);
    pf_field f;
    while (im->t->want & PF_WANT_FLOWS && pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        if (f.tag == PF_TAG_VARINT(PF_F_CORRELATION_SUBMISSION_IDS)) {
            PF_TRY(pf_trace_add_flow_of(im->t, event, f.value, PF_FLOW_GPU_SUBMIT, im->err));
        } else if (f.tag == PF_TAG_VARINT(PF_F_CORRELATION_WAIT_IDS)) {
            PF_TRY(pf_trace_add_flow_of(im->t, event, f.value, PF_FLOW_GPU_AWAIT, im->err));
        }
    }
    return PF_OK;
}
