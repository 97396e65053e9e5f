/* read/perfetto/gpu/gpu_fields.c - the fields of a render stage, and interned messages that are kept whole. */
#include "perfetto/fields.h"
#include "read/perfetto/gpu/packet_gpu.h"

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

uint64_t pf_gpu_handle(const pf_field f[PF_STAGE_FIELDS], int kind)
{
    static const uint32_t fields[PF_GPU_OBJECT_KINDS] = {[PF_GPU_COMMAND_BUFFERS] = PF_F_STAGE_COMMAND_BUFFER,
                                                         [PF_GPU_RENDER_PASSES] = PF_F_STAGE_RENDER_PASS,
                                                         [PF_GPU_FRAMEBUFFERS] = PF_F_STAGE_RENDER_TARGET};
    return f[fields[kind]].value;
}

bool pf_gpu_interned(const pf_trace *t, const pf_generation *g, pf_intern_kind kind, uint64_t iid, pf_cursor *message)
{
    uint32_t id = pf_intern_get(g, kind, iid);
    pf_str entry = pf_strings_get(&t->strings, id == PF_NONE ? 0 : id);
    *message = pf_cursor_over((const uint8_t *)entry.ptr, entry.len);
    return entry.ptr != NULL;
}
