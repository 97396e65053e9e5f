/* read/perfetto/gpu/gpu_args.c - the arguments of GPU events, decoded when somebody asks (docs/reference/perfetto.md,
 * "GPU work").
 *
 * The stored bytes are the event's message. A stage also has what was found out when its turn came (pf_gpu_stage):
 * its process, and the names of what its handles refer to, which are NULL texts where nobody named them.
 */
#include <stdio.h>
#include <string.h>

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
    for (unsigned i = 0; i < PF_DECODERS_MAX; i++) {
        if (t->decoder[i] == pf_gpu_args) {
            return t->decoder_state[i];
        }
    }
    return NULL;
}

/* ---- sending ----------------------------------------------------------------------------------------------------- */

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
    send(s, (pf_str){key, strlen(key)}, &value);
}

static void send_id(sender *s, const char *key, uint32_t string)
{
    send_text(s, key, pf_strings_get(&s->t->strings, string));
}

static void send_number(sender *s, const char *key, pf_value_type type, uint64_t number)
{
    const pf_value value = {.type = type, .as.u = number};
    send(s, (pf_str){key, strlen(key)}, &value);
}

/* The text of an interned entry that has nothing else, {NULL, 0} if nothing defines it. */
static pf_str interned_text(const sender *s, pf_intern_kind kind, uint64_t iid)
{
    uint32_t id = pf_intern_get(s->generation, kind, iid);
    return pf_strings_get(&s->t->strings, id == PF_NONE ? 0 : id);
}

/* ---- compute kernels --------------------------------------------------------------------------------------------- */

/* An ExtraComputeArg; the first kind of value present in the order int, uint, double, interned text, text counts. */
typedef struct compute_arg {
    pf_field name_iid, name, value;
    uint8_t best; /* the kind of value */
} compute_arg;

static void read_compute_arg(compute_arg *a, const pf_field *f)
{
    static const uint8_t RANKS[] = {[PF_F_COMPUTE_ARG_INT] = 1,
                                    [PF_F_COMPUTE_ARG_UINT] = 2,
                                    [PF_F_COMPUTE_ARG_DOUBLE] = 3,
                                    [PF_F_COMPUTE_ARG_STRING_IID] = 4,
                                    [PF_F_COMPUTE_ARG_STRING] = 5};
    switch (f->tag) {
    case PF_TAG_VARINT(PF_F_COMPUTE_ARG_NAME_IID):
        a->name_iid = *f;
        break;
    case PF_TAG_BYTES(PF_F_COMPUTE_ARG_NAME):
        a->name = *f;
        break;
    case PF_TAG_VARINT(PF_F_COMPUTE_ARG_INT):
    case PF_TAG_VARINT(PF_F_COMPUTE_ARG_UINT):
    case PF_TAG_FIXED64(PF_F_COMPUTE_ARG_DOUBLE):
    case PF_TAG_VARINT(PF_F_COMPUTE_ARG_STRING_IID):
    case PF_TAG_BYTES(PF_F_COMPUTE_ARG_STRING):
        if (RANKS[pf_field_number(f)] <= a->best) {
            a->best = RANKS[pf_field_number(f)];
            a->value = *f;
        }
        break;
    default:
        break;
    }
}

static void send_compute_arg(sender *s, pf_cursor c)
{
    compute_arg a = {.best = UINT8_MAX};
    pf_field f;
    while (pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        read_compute_arg(&a, &f);
    }
    pf_str key = a.name_iid.tag ? interned_text(s, PF_INTERN_COMPUTE_ARG_NAME, a.name_iid.value)
                 : a.name.bytes ? pf_field_text(&a.name)
                                : (pf_str){NULL, 0};
    if (!key.ptr || !a.value.tag) {
        return;
    }
    static const pf_value_type types[] = {PF_VALUE_NULL, PF_VALUE_INT,    PF_VALUE_UINT,
                                          PF_VALUE_REAL, PF_VALUE_STRING, PF_VALUE_STRING};
    pf_value v = {.type = types[a.best], .as.u = a.value.value};
    if (v.type == PF_VALUE_STRING) {
        v.as.s = a.value.bytes ? pf_field_text(&a.value) : interned_text(s, PF_INTERN_ANNOTATION_STRING, a.value.value);
        if (!v.as.s.ptr) {
            return;
        }
    }
    send(s, key, &v);
}

static void send_compute_args(sender *s, pf_cursor c, uint32_t tag)
{
    pf_field f;
    while (s->st == PF_OK && s->left && pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        if (f.tag == tag) {
            send_compute_arg(s, pf_field_cursor(&f));
        }
    }
}

static void send_kernel(sender *s, uint64_t iid)
{
    static const char *const keys[] = {"kernel_name", "kernel_demangled_name", "arch"};
    pf_cursor c;
    pf_field f, texts[3] = {0};
    if (!pf_gpu_interned(s->t, s->generation, PF_INTERN_COMPUTE_KERNEL, iid, &c)) {
        return;
    }
    pf_cursor args = c;
    while (pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        if (f.tag == PF_TAG_BYTES(PF_F_KERNEL_NAME)) {
            texts[0] = f;
        } else if (f.tag == PF_TAG_BYTES(PF_F_KERNEL_DEMANGLED_NAME)) {
            texts[1] = f;
        } else if (f.tag == PF_TAG_BYTES(PF_F_KERNEL_ARCH)) {
            texts[2] = f;
        }
    }
    for (int i = 0; i < 3; i++) {
        if (texts[i].bytes) {
            send_text(s, keys[i], pf_field_text(&texts[i]));
        }
    }
    send_compute_args(s, args, PF_TAG_BYTES(PF_F_KERNEL_ARGS));
}

static void send_dimensions(sender *s, const pf_field *dim3, const char *const keys[3])
{
    pf_cursor c = pf_field_cursor(dim3);
    pf_field f, axes[3] = {0};
    while (dim3->bytes && pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        if (pf_field_wire(&f) == PF_WIRE_VARINT && pf_field_number(&f) <= 3) {
            axes[pf_field_number(&f) - 1] = f;
        }
    }
    for (int i = 0; i < 3; i++) {
        if (axes[i].tag) {
            send_number(s, keys[i], PF_VALUE_UINT, (uint32_t)axes[i].value);
        }
    }
}

static void send_launch(sender *s, const pf_field *launch)
{
    static const char *const grid_keys[3] = {"launch.grid_size.x", "launch.grid_size.y", "launch.grid_size.z"};
    static const char *const group_keys[3] = {"launch.workgroup_size.x", "launch.workgroup_size.y",
                                              "launch.workgroup_size.z"};
    pf_cursor c = pf_field_cursor(launch);
    pf_field f, grid = {0}, group = {0};
    while (pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        if (f.tag == PF_TAG_BYTES(PF_F_LAUNCH_GRID_SIZE)) {
            grid = f;
        } else if (f.tag == PF_TAG_BYTES(PF_F_LAUNCH_WORKGROUP_SIZE)) {
            group = f;
        }
    }
    send_dimensions(s, &grid, grid_keys);
    send_dimensions(s, &group, group_keys);
    send_compute_args(s, pf_field_cursor(launch), PF_TAG_BYTES(PF_F_LAUNCH_ARGS));
}

/* ---- render stages ----------------------------------------------------------------------------------------------- */

/* Category and description of the stage's specification. */
static void send_specification(sender *s, const pf_gpu_stage_event *e, const pf_gpu_stage *stage)
{
    pf_cursor c;
    pf_field f;
    if (e->has_stage_iid && pf_gpu_interned(s->t, s->generation, PF_INTERN_GPU_SPECIFICATION, e->stage_iid, &c)) {
        pf_str description = {NULL, 0};
        int64_t category = 0;
        while (pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
            if (f.tag == PF_TAG_BYTES(PF_F_GPU_SPEC_DESCRIPTION)) {
                description = pf_field_text(&f);
            } else if (f.tag == PF_TAG_VARINT(PF_F_GPU_SPEC_CATEGORY)) {
                category = (int32_t)f.value;
            }
        }
        send_number(s, "render_stage_category", PF_VALUE_INT, (uint64_t)category);
        send_text(s, "description", description);
    } else if (stage->description) {
        send_id(s, "description", stage->description);
    }
}

static void send_extra_data(sender *s, pf_cursor c)
{
    pf_field f, part;
    while (s->st == PF_OK && s->left && pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        if (f.tag != PF_TAG_BYTES(PF_F_STAGE_EXTRA_DATA)) {
            continue;
        }
        pf_cursor datum = pf_field_cursor(&f);
        pf_str name = {NULL, 0};
        pf_value value = {.type = PF_VALUE_STRING};
        while (pf_cursor_next(&datum, &part) == PF_NEXT_FIELD) {
            if (part.tag == PF_TAG_BYTES(PF_F_STAGE_EXTRA_NAME)) {
                name = pf_field_text(&part);
            } else if (part.tag == PF_TAG_BYTES(PF_F_STAGE_EXTRA_VALUE)) {
                value.as.s = pf_field_text(&part);
            }
        }
        if (name.ptr) {
            send(s, name, &value);
        }
    }
}

/* The set bits of the masks as a list of numbers, 64 to a mask. */
typedef struct subpasses {
    char text[256];
    size_t len;
    uint32_t masks; /* read so far */
} subpasses;

static void add_mask(subpasses *l, uint64_t mask)
{
    uint32_t first = l->masks++ * 64;
    for (; mask && l->len + 12 < sizeof l->text; mask &= mask - 1) {
        uint32_t bit = first + (uint32_t)__builtin_ctzll(mask);
        l->len += (size_t)snprintf(l->text + l->len, sizeof l->text - l->len, l->len ? ",%u" : "%u", bit);
    }
}

/* NULL if there is no mask; what does not fit into the text is left out. */
static void send_subpasses(sender *s, pf_cursor c)
{
    subpasses list = {.len = 0};
    pf_field f;
    while (pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        if (f.tag == PF_TAG_VARINT(PF_F_STAGE_SUBPASS_MASK)) {
            add_mask(&list, f.value);
        } else if (f.tag == PF_TAG_BYTES(PF_F_STAGE_SUBPASS_MASK)) {
            const uint8_t *p = f.bytes, *end = f.bytes + f.len;
            uint64_t mask;
            while (p < end && (p = pf_varint(p, end, &mask))) {
                add_mask(&list, mask);
            }
        }
    }
    send_text(s, "render_subpasses", list.masks ? (pf_str){list.text, list.len} : (pf_str){NULL, 0});
}

static void send_stage(sender *s, const uint8_t *bytes, size_t len, const pf_gpu_stage *stage)
{
    const pf_gpu_stage_event e = pf_gpu_read_stage(bytes, len);
    char text[32];
    send_specification(s, &e, stage);
    if (e.has_kernel) {
        send_kernel(s, e.kernel_iid);
    }
    if (e.launch.bytes) {
        send_launch(s, &e.launch);
    }
    if (e.render_pass_instance) {
        int n = snprintf(text, sizeof text, "rp:#%llu", (unsigned long long)e.render_pass_instance);
        send_text(s, "correlation_id", (pf_str){text, (size_t)n});
    }
    send_extra_data(s, pf_cursor_over(bytes, len));
    send_number(s, "context_id", PF_VALUE_UINT, e.context);
    send_number(s, "render_target", PF_VALUE_UINT, e.handle[PF_GPU_FRAMEBUFFERS]);
    send_id(s, "render_target_name", stage->object[PF_GPU_FRAMEBUFFERS]);
    send_number(s, "render_pass", PF_VALUE_UINT, e.handle[PF_GPU_RENDER_PASSES]);
    send_id(s, "render_pass_name", stage->object[PF_GPU_RENDER_PASSES]);
    send_subpasses(s, pf_cursor_over(bytes, len));
    send_number(s, "command_buffer", PF_VALUE_UINT, e.handle[PF_GPU_COMMAND_BUFFERS]);
    send_id(s, "command_buffer_name", stage->object[PF_GPU_COMMAND_BUFFERS]);
    send_number(s, "submission_id", PF_VALUE_INT, e.submission);
    send_number(s, "hw_queue_id", PF_VALUE_UINT, e.has_queue_iid ? e.queue_iid : e.queue_id);
    send_number(s, "upid", PF_VALUE_INT, stage->upid);
}

/* ---- logs and submissions ---------------------------------------------------------------------------------------- */

static void send_log(sender *s, pf_cursor c)
{
    pf_field f, tag = {0}, message = {0};
    while (pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        if (f.tag == PF_TAG_BYTES(PF_F_GPU_LOG_TAG)) {
            tag = f;
        } else if (f.tag == PF_TAG_BYTES(PF_F_GPU_LOG_MESSAGE)) {
            message = f;
        }
    }
    if (tag.bytes) {
        send_text(s, "tag", pf_field_text(&tag));
    }
    if (message.bytes) {
        send_text(s, "message", pf_field_text(&message));
    }
}

/* The next command buffer; `run` holds what is left of a packed list. */
static bool next_buffer(pf_cursor *c, pf_cursor *run, uint64_t *buffer)
{
    pf_field f;
    for (;;) {
        if (run->at < run->end) {
            const uint8_t *next = pf_varint(run->at, run->end, buffer);
            run->at = next ? next : run->end;
            if (next) {
                return true;
            }
        } else if (pf_cursor_next(c, &f) != PF_NEXT_FIELD) {
            return false;
        } else if (f.tag == PF_TAG_VARINT(PF_F_SUBMIT_COMMAND_BUFFERS)) {
            *buffer = f.value;
            return true;
        } else if (f.tag == PF_TAG_BYTES(PF_F_SUBMIT_COMMAND_BUFFERS)) {
            *run = pf_field_cursor(&f);
        }
    }
}

/* The first buffer alone, then all of them as a list. */
static void send_buffers(sender *s, pf_cursor c)
{
    pf_cursor run = {NULL, NULL};
    uint64_t buffer;
    if (!next_buffer(&c, &run, &buffer)) {
        return;
    }
    send_number(s, "command_buffer", PF_VALUE_UINT, buffer);
    s->st = s->st == PF_OK ? s->v->begin_array(s->v->ctx, PF_STR("command_buffers")) : s->st;
    do {
        const pf_value value = {.type = PF_VALUE_UINT, .as.u = buffer};
        send(s, (pf_str){NULL, 0}, &value);
    } while (s->st == PF_OK && s->left && next_buffer(&c, &run, &buffer));
    s->st = s->st == PF_OK ? s->v->end(s->v->ctx) : s->st;
}

static void send_submit(sender *s, const uint8_t *bytes, size_t len)
{
    uint32_t pid = 0, tid = 0, submission = 0;
    pf_cursor c = pf_cursor_over(bytes, len);
    pf_field f;
    while (pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        if (f.tag == PF_TAG_VARINT(PF_F_SUBMIT_PID)) {
            pid = (uint32_t)f.value;
        } else if (f.tag == PF_TAG_VARINT(PF_F_SUBMIT_TID)) {
            tid = (uint32_t)f.value;
        } else if (f.tag == PF_TAG_VARINT(PF_F_SUBMIT_SUBMISSION_ID)) {
            submission = (uint32_t)f.value;
        }
    }
    send_number(s, "pid", PF_VALUE_INT, pid);
    send_number(s, "tid", PF_VALUE_INT, tid);
    send_buffers(s, pf_cursor_over(bytes, len));
    send_number(s, "submission_id", PF_VALUE_INT, submission);
}

/* ---- the decoder ------------------------------------------------------------------------------------------------- */

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
        send_submit(&s, bytes, len);
    } else {
        const pf_gpu_stage *stage = find_stage(t, context - PF_GPU_ARGS_STAGE);
        if (stage) {
            s.generation = stage->generation;
            send_stage(&s, bytes, len, stage);
        }
    }
    return s.st;
}
