/* read/perfetto/gpu/gpu_args.c - the arguments of GPU events, decoded when somebody asks (docs/reference/perfetto.md,
 * "GPU work").
 *
 * The stored bytes are the event's message. A stage also has what was found out when its turn came (pf_gpu_stage):
 * its process, and the names of what its handles refer to, which are NULL texts where nobody named them.
 */
#include <stdio.h>

#include "base/str.h"
#include "perfetto/fields.h"
#include "read/perfetto/gpu/packet_gpu.h"

typedef struct sender {
    const pf_trace *t;
    const pf_generation *generation;
    const pf_arg_visitor *v;
    uint32_t left; /* values that may still be sent */
    pf_status st;
} sender;

pf_gpu_stages *pf_gpu_known_stages(const pf_trace *t)
{
    return pf_trace_decoder_state(t, pf_gpu_args);
}

void pf_gpu_read_stage(const uint8_t *bytes, size_t len, pf_field f[PF_STAGE_FIELDS])
{
    static const uint32_t tags[PF_STAGE_FIELDS] = {PF_AT_VARINT(PF_F_STAGE_EVENT_ID),
                                                   PF_AT_VARINT(PF_F_STAGE_DURATION),
                                                   PF_AT_VARINT(PF_F_STAGE_HW_QUEUE_ID),
                                                   PF_AT_VARINT(PF_F_STAGE_STAGE_ID),
                                                   PF_AT_VARINT(PF_F_STAGE_CONTEXT),
                                                   PF_AT_BYTES(PF_F_STAGE_SPECIFICATIONS),
                                                   PF_AT_VARINT(PF_F_STAGE_RENDER_TARGET),
                                                   PF_AT_VARINT(PF_F_STAGE_RENDER_PASS),
                                                   PF_AT_VARINT(PF_F_STAGE_SUBMISSION_ID),
                                                   PF_AT_VARINT(PF_F_STAGE_GPU_ID),
                                                   PF_AT_VARINT(PF_F_STAGE_COMMAND_BUFFER),
                                                   PF_AT_VARINT(PF_F_STAGE_HW_QUEUE_IID),
                                                   PF_AT_VARINT(PF_F_STAGE_STAGE_IID),
                                                   PF_AT_VARINT(PF_F_STAGE_RENDER_PASS_INSTANCE),
                                                   PF_AT_BYTES(PF_F_STAGE_NAME),
                                                   PF_AT_VARINT(PF_F_STAGE_KERNEL_IID),
                                                   PF_AT_VARINT(PF_F_STAGE_NAME_IID),
                                                   PF_AT_BYTES(PF_F_STAGE_LAUNCH)};
    pf_cursor_fields(pf_cursor_over(bytes, len), tags, f, PF_STAGE_FIELDS);
}

bool pf_gpu_interned(const pf_trace *t, const pf_generation *g, pf_intern_kind kind, uint64_t iid, pf_cursor *message)
{
    uint32_t id = pf_intern_get(g, kind, iid);
    pf_str entry = pf_strings_get(&t->strings, id == PF_NONE ? 0 : id);
    *message = pf_cursor_over((const uint8_t *)entry.ptr, entry.len);
    return entry.ptr != NULL;
}

static void send(sender *s, pf_str key, const pf_value *value)
{
    if (s->st == PF_OK && s->left) {
        s->left--;
        s->st = s->v->value(s->v->ctx, key, value);
    }
}

static void send_text(sender *s, const char *key, pf_str text)
{
    const pf_value value = {.type = PF_VALUE_STRING, .as.s = text};
    send(s, pf_str_of(key), &value);
}

static void send_id(sender *s, const char *key, uint32_t string)
{
    send_text(s, key, pf_strings_get(&s->t->strings, string));
}

static void send_number(sender *s, const char *key, pf_value_type type, uint64_t number)
{
    const pf_value value = {.type = type, .as.u = number};
    send(s, pf_str_of(key), &value);
}

/* A text that is there. */
static void send_field(sender *s, const char *key, const pf_field *text)
{
    if (text->tag) {
        send_text(s, key, pf_field_text(text));
    }
}

/* The text of an interned entry that has nothing else, {NULL, 0} if nothing defines it. */
static pf_str interned_text(const sender *s, pf_intern_kind kind, uint64_t iid)
{
    uint32_t id = pf_intern_get(s->generation, kind, iid);
    return pf_strings_get(&s->t->strings, id == PF_NONE ? 0 : id);
}

/* An ExtraComputeArg; the first kind of value present in the order int, uint, double, interned text, text counts. */
static void send_compute_arg(sender *s, pf_cursor c)
{
    static const struct {
        uint32_t field;
        pf_value_type type;
    } KINDS[] = {{PF_F_COMPUTE_ARG_INT, PF_VALUE_INT},
                 {PF_F_COMPUTE_ARG_UINT, PF_VALUE_UINT},
                 {PF_F_COMPUTE_ARG_DOUBLE, PF_VALUE_REAL},
                 {PF_F_COMPUTE_ARG_STRING_IID, PF_VALUE_STRING},
                 {PF_F_COMPUTE_ARG_STRING, PF_VALUE_STRING}};
    PF_CURSOR_FIELDS(f, c, PF_AT_VARINT(PF_F_COMPUTE_ARG_NAME_IID), PF_AT_BYTES(PF_F_COMPUTE_ARG_NAME),
                     PF_AT_VARINT(PF_F_COMPUTE_ARG_INT), PF_AT_VARINT(PF_F_COMPUTE_ARG_UINT),
                     PF_AT_FIXED64(PF_F_COMPUTE_ARG_DOUBLE), PF_AT_BYTES(PF_F_COMPUTE_ARG_STRING),
                     PF_AT_VARINT(PF_F_COMPUTE_ARG_STRING_IID));
    const pf_field *name_iid = &f[PF_F_COMPUTE_ARG_NAME_IID];
    pf_str key = name_iid->tag ? interned_text(s, PF_INTERN_COMPUTE_ARG_NAME, name_iid->value)
                               : pf_field_text_or_null(&f[PF_F_COMPUTE_ARG_NAME]);
    size_t kind = 0;
    while (kind < PF_TAG_COUNT(KINDS) && !f[KINDS[kind].field].tag) {
        kind++;
    }
    if (!key.ptr || kind == PF_TAG_COUNT(KINDS)) {
        return;
    }
    const pf_field *value = &f[KINDS[kind].field];
    pf_value v = {.type = KINDS[kind].type, .as.u = value->value};
    if (v.type == PF_VALUE_STRING) {
        v.as.s = value->bytes ? pf_field_text(value) : interned_text(s, PF_INTERN_ANNOTATION_STRING, value->value);
    }
    if (v.type != PF_VALUE_STRING || v.as.s.ptr) {
        send(s, key, &v);
    }
}

static void send_compute_args(sender *s, pf_cursor c, uint32_t tag)
{
    pf_field f;
    while (s->st == PF_OK && s->left && pf_cursor_next_of(&c, tag, &f)) {
        send_compute_arg(s, pf_field_cursor(&f));
    }
}

static void send_kernel(sender *s, uint64_t iid)
{
    pf_cursor c;
    if (!pf_gpu_interned(s->t, s->generation, PF_INTERN_COMPUTE_KERNEL, iid, &c)) {
        return;
    }
    PF_CURSOR_FIELDS(f, c, PF_AT_BYTES(PF_F_KERNEL_NAME), PF_AT_BYTES(PF_F_KERNEL_DEMANGLED_NAME),
                     PF_AT_BYTES(PF_F_KERNEL_ARCH));
    send_field(s, "kernel_name", &f[PF_F_KERNEL_NAME]);
    send_field(s, "kernel_demangled_name", &f[PF_F_KERNEL_DEMANGLED_NAME]);
    send_field(s, "arch", &f[PF_F_KERNEL_ARCH]);
    send_compute_args(s, c, PF_TAG_BYTES(PF_F_KERNEL_ARGS));
}

static void send_dimensions(sender *s, const pf_field *dim3, const char *const keys[3])
{
    PF_CURSOR_FIELDS(f, pf_field_cursor(dim3), PF_AT_VARINT(1), PF_AT_VARINT(2), PF_AT_VARINT(3));
    for (int i = 0; i < 3; i++) {
        if (f[i + 1].tag) {
            send_number(s, keys[i], PF_VALUE_UINT, (uint32_t)f[i + 1].value);
        }
    }
}

static void send_launch(sender *s, const pf_field *launch)
{
    static const char *const grid_keys[3] = {"launch.grid_size.x", "launch.grid_size.y", "launch.grid_size.z"};
    static const char *const group_keys[3] = {"launch.workgroup_size.x", "launch.workgroup_size.y",
                                              "launch.workgroup_size.z"};
    pf_cursor c = pf_field_cursor(launch);
    const pf_field grid = pf_cursor_last(c, PF_TAG_BYTES(PF_F_LAUNCH_GRID_SIZE));
    const pf_field group = pf_cursor_last(c, PF_TAG_BYTES(PF_F_LAUNCH_WORKGROUP_SIZE));
    send_dimensions(s, &grid, grid_keys);
    send_dimensions(s, &group, group_keys);
    send_compute_args(s, c, PF_TAG_BYTES(PF_F_LAUNCH_ARGS));
}

/* Category and description of the stage's specification. */
static void send_specification(sender *s, const pf_field *iid, const pf_gpu_stage *stage)
{
    pf_cursor c;
    if (iid->tag && pf_gpu_interned(s->t, s->generation, PF_INTERN_GPU_SPECIFICATION, iid->value, &c)) {
        const pf_field category = pf_cursor_last(c, PF_TAG_VARINT(PF_F_GPU_SPEC_CATEGORY));
        const pf_field description = pf_cursor_last(c, PF_TAG_BYTES(PF_F_GPU_SPEC_DESCRIPTION));
        send_number(s, "render_stage_category", PF_VALUE_INT, (uint64_t)(int64_t)(int32_t)category.value);
        send_text(s, "description", pf_field_text_or_null(&description));
    } else if (stage->description) {
        send_id(s, "description", stage->description);
    }
}

static void send_extra_data(sender *s, pf_cursor c)
{
    pf_field f;
    while (s->st == PF_OK && s->left && pf_cursor_next_of(&c, PF_TAG_BYTES(PF_F_STAGE_EXTRA_DATA), &f)) {
        PF_CURSOR_FIELDS(part, pf_field_cursor(&f), PF_AT_BYTES(PF_F_STAGE_EXTRA_NAME),
                         PF_AT_BYTES(PF_F_STAGE_EXTRA_VALUE));
        if (part[PF_F_STAGE_EXTRA_NAME].tag) {
            const pf_value value = {.type = PF_VALUE_STRING,
                                    .as.s = pf_field_text_or_null(&part[PF_F_STAGE_EXTRA_VALUE])};
            send(s, pf_field_text(&part[PF_F_STAGE_EXTRA_NAME]), &value);
        }
    }
}

/* The set bits of the masks as a list of numbers, 64 to a mask. NULL if there is no mask; what does not fit into the
 * text is left out. */
static void send_subpasses(sender *s, pf_cursor c)
{
    char text[256];
    size_t len = 0;
    uint32_t masks = 0;
    uint64_t mask;
    for (pf_numbers l = pf_numbers_of(c, PF_F_STAGE_SUBPASS_MASK, false); pf_numbers_next(&l, &mask); masks++) {
        for (; mask && len + 12 < sizeof text; mask &= mask - 1) {
            uint32_t bit = masks * 64 + (uint32_t)__builtin_ctzll(mask);
            len += (size_t)snprintf(text + len, sizeof text - len, len ? ",%u" : "%u", bit);
        }
    }
    send_text(s, "render_subpasses", masks ? (pf_str){text, len} : (pf_str){NULL, 0});
}

static void send_stage(sender *s, const uint8_t *bytes, size_t len, const pf_gpu_stage *stage)
{
    char text[32];
    pf_field f[PF_STAGE_FIELDS];
    pf_gpu_read_stage(bytes, len, f);
    uint64_t queue =
        f[PF_F_STAGE_HW_QUEUE_IID].tag ? f[PF_F_STAGE_HW_QUEUE_IID].value : (uint32_t)f[PF_F_STAGE_HW_QUEUE_ID].value;
    send_specification(s, &f[PF_F_STAGE_STAGE_IID], stage);
    if (f[PF_F_STAGE_KERNEL_IID].tag) {
        send_kernel(s, f[PF_F_STAGE_KERNEL_IID].value);
    }
    if (f[PF_F_STAGE_LAUNCH].tag) {
        send_launch(s, &f[PF_F_STAGE_LAUNCH]);
    }
    if (f[PF_F_STAGE_RENDER_PASS_INSTANCE].value) {
        int n = snprintf(text, sizeof text, "rp:#%llu", (unsigned long long)f[PF_F_STAGE_RENDER_PASS_INSTANCE].value);
        send_text(s, "correlation_id", (pf_str){text, (size_t)n});
    }
    send_extra_data(s, pf_cursor_over(bytes, len));
    send_number(s, "context_id", PF_VALUE_UINT, f[PF_F_STAGE_CONTEXT].value);
    send_number(s, "render_target", PF_VALUE_UINT, f[PF_F_STAGE_RENDER_TARGET].value);
    send_id(s, "render_target_name", stage->object[PF_GPU_FRAMEBUFFERS]);
    send_number(s, "render_pass", PF_VALUE_UINT, f[PF_F_STAGE_RENDER_PASS].value);
    send_id(s, "render_pass_name", stage->object[PF_GPU_RENDER_PASSES]);
    send_subpasses(s, pf_cursor_over(bytes, len));
    send_number(s, "command_buffer", PF_VALUE_UINT, f[PF_F_STAGE_COMMAND_BUFFER].value);
    send_id(s, "command_buffer_name", stage->object[PF_GPU_COMMAND_BUFFERS]);
    send_number(s, "submission_id", PF_VALUE_INT, (uint32_t)f[PF_F_STAGE_SUBMISSION_ID].value);
    send_number(s, "hw_queue_id", PF_VALUE_UINT, queue);
    send_number(s, "upid", PF_VALUE_INT, stage->upid);
}

static void send_log(sender *s, pf_cursor c)
{
    const pf_field tag = pf_cursor_last(c, PF_TAG_BYTES(PF_F_GPU_LOG_TAG));
    const pf_field message = pf_cursor_last(c, PF_TAG_BYTES(PF_F_GPU_LOG_MESSAGE));
    send_field(s, "tag", &tag);
    send_field(s, "message", &message);
}

/* The first buffer alone, then all of them as a list. */
static void send_buffers(sender *s, pf_cursor c)
{
    pf_numbers l = pf_numbers_of(c, PF_F_SUBMIT_COMMAND_BUFFERS, false);
    uint64_t buffer;
    if (!pf_numbers_next(&l, &buffer)) {
        return;
    }
    send_number(s, "command_buffer", PF_VALUE_UINT, buffer);
    s->st = s->st == PF_OK ? s->v->begin(s->v->ctx, PF_STR("command_buffers"), true) : s->st;
    do {
        const pf_value value = {.type = PF_VALUE_UINT, .as.u = buffer};
        send(s, (pf_str){NULL, 0}, &value);
    } while (s->st == PF_OK && s->left && pf_numbers_next(&l, &buffer));
    s->st = s->st == PF_OK ? s->v->end(s->v->ctx) : s->st;
}

static void send_submit(sender *s, pf_cursor c)
{
    PF_CURSOR_FIELDS(f, c, PF_AT_VARINT(PF_F_SUBMIT_PID), PF_AT_VARINT(PF_F_SUBMIT_TID),
                     PF_AT_VARINT(PF_F_SUBMIT_SUBMISSION_ID));
    send_number(s, "pid", PF_VALUE_INT, (uint32_t)f[PF_F_SUBMIT_PID].value);
    send_number(s, "tid", PF_VALUE_INT, (uint32_t)f[PF_F_SUBMIT_TID].value);
    send_buffers(s, c);
    send_number(s, "submission_id", PF_VALUE_INT, (uint32_t)f[PF_F_SUBMIT_SUBMISSION_ID].value);
}

static const pf_gpu_stage *find_stage(const pf_trace *t, uint32_t number)
{
    const pf_gpu_stages *stages = pf_gpu_known_stages(t);
    const struct pf_gpu_stage_block *b = stages ? stages->blocks : NULL;
    while (b && (number < b->first || number - b->first >= b->count)) {
        b = b->next;
    }
    return b && b->stage[number - b->first].generation ? &b->stage[number - b->first] : NULL;
}

pf_status pf_gpu_args(const pf_trace *t, const uint8_t *bytes, size_t len, uint32_t context, const pf_arg_visitor *v,
                      pf_error *err)
{
    sender s = {.t = t, .v = v, .left = t->budget.limits.keys};
    if (context == PF_GPU_ARGS_LOG) {
        send_log(&s, pf_cursor_over(bytes, len));
    } else if (context == PF_GPU_ARGS_SUBMIT) {
        send_submit(&s, pf_cursor_over(bytes, len));
    } else {
        const pf_gpu_stage *stage = find_stage(t, context - PF_GPU_ARGS_STAGE);
        if (stage) {
            s.generation = stage->generation;
            send_stage(&s, bytes, len, stage);
        }
    }
    return s.st;
}
