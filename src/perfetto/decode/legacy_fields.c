/* perfetto/decode/legacy_fields.c - the fields of legacy_event, and what its phase, scope and ids mean by
 * themselves (docs/reference/perfetto.md, "Legacy events"). */
#include "perfetto/decode/packet.h"

#include <string.h>

#include "perfetto/fields.h"
#include "postfetto/trace.h"

pf_legacy pf_legacy_read(const uint8_t *event, size_t len)
{
    const pf_field legacy = pf_cursor_last(pf_cursor_over(event, len), PF_TAG_BYTES(PF_F_EVENT_LEGACY_EVENT));
    PF_CURSOR_FIELDS(f, pf_field_cursor(&legacy), PF_AT_VARINT(PF_F_LEGACY_NAME_IID), PF_AT_VARINT(PF_F_LEGACY_PHASE),
                     PF_AT_VARINT(PF_F_LEGACY_DURATION_US), PF_AT_VARINT(PF_F_LEGACY_THREAD_DURATION_US),
                     PF_AT_VARINT(PF_F_LEGACY_UNSCOPED_ID), PF_AT_BYTES(PF_F_LEGACY_ID_SCOPE),
                     PF_AT_VARINT(PF_F_LEGACY_BIND_ID), PF_AT_VARINT(PF_F_LEGACY_LOCAL_ID),
                     PF_AT_VARINT(PF_F_LEGACY_GLOBAL_ID), PF_AT_VARINT(PF_F_LEGACY_BIND_TO_ENCLOSING),
                     PF_AT_VARINT(PF_F_LEGACY_FLOW_DIRECTION), PF_AT_VARINT(PF_F_LEGACY_INSTANT_EVENT_SCOPE),
                     PF_AT_VARINT(PF_F_LEGACY_PID_OVERRIDE), PF_AT_VARINT(PF_F_LEGACY_TID_OVERRIDE),
                     PF_AT_VARINT(PF_F_LEGACY_THREAD_INSTRUCTION_DELTA));
    int32_t phase = (int32_t)f[PF_F_LEGACY_PHASE].value;
    bool known = phase > 0 && phase < 0x80 && f[PF_F_LEGACY_PHASE].value != PF_PHASE_STATE;
    const pf_field *scope = &f[PF_F_LEGACY_ID_SCOPE];
    return (pf_legacy){.name_iid = f[PF_F_LEGACY_NAME_IID].value,
                       .duration_us = (int64_t)f[PF_F_LEGACY_DURATION_US].value,
                       .thread_duration_us = (int64_t)f[PF_F_LEGACY_THREAD_DURATION_US].value,
                       .instruction_delta = (int64_t)f[PF_F_LEGACY_THREAD_INSTRUCTION_DELTA].value,
                       .unscoped_id = f[PF_F_LEGACY_UNSCOPED_ID].value,
                       .global_id = f[PF_F_LEGACY_GLOBAL_ID].value,
                       .local_id = f[PF_F_LEGACY_LOCAL_ID].value,
                       .bind_id = f[PF_F_LEGACY_BIND_ID].value,
                       .id_scope = {(const char *)scope->bytes, scope->len},
                       .phase = !f[PF_F_LEGACY_PHASE].tag ? 0
                                : known                   ? (uint32_t)f[PF_F_LEGACY_PHASE].value
                                                          : '?',
                       .scope = (uint32_t)f[PF_F_LEGACY_INSTANT_EVENT_SCOPE].value,
                       .direction = (uint32_t)f[PF_F_LEGACY_FLOW_DIRECTION].value,
                       .pid = (int32_t)f[PF_F_LEGACY_PID_OVERRIDE].value,
                       .tid = (int32_t)f[PF_F_LEGACY_TID_OVERRIDE].value,
                       .has_pid = f[PF_F_LEGACY_PID_OVERRIDE].tag,
                       .has_tid = f[PF_F_LEGACY_TID_OVERRIDE].tag,
                       .has_unscoped_id = f[PF_F_LEGACY_UNSCOPED_ID].tag,
                       .has_global_id = f[PF_F_LEGACY_GLOBAL_ID].tag,
                       .has_local_id = f[PF_F_LEGACY_LOCAL_ID].tag,
                       .has_bind_id = f[PF_F_LEGACY_BIND_ID].tag,
                       .bind_to_enclosing = f[PF_F_LEGACY_BIND_TO_ENCLOSING].value};
}

/* The field with a short tag at p, whose value or length is *value; returns where the next one begins, NULL if it is of
 * another form. */
static const uint8_t *pass_field(const uint8_t *p, const uint8_t *end, uint8_t *value)
{
    uint8_t tag = *p++;
    *value = *p;
    if (tag >= 0x80 || p >= end || ((tag & 7) == PF_WIRE_BYTES && *value >= 0x80)) {
        return NULL;
    }
    if ((tag & 7) == PF_WIRE_BYTES) {
        return *value < end - p ? p + 1 + *value : NULL;
    }
    while (p < end && *p >= 0x80) {
        p++;
    }
    return (tag & 7) == PF_WIRE_VARINT && p < end ? p + 1 : NULL;
}

static bool is_flow_step(const uint8_t *p, const uint8_t *end, uint32_t *flow)
{
    uint8_t value = 0, phase = 0;
    uint64_t ids = 0, id = 0;
    for (const uint8_t *at = p; p && p < end; at = p) {
        p = *at == PF_TAG_VARINT(PF_F_LEGACY_BIND_ID) ? NULL : pass_field(p, end, &value);
        phase = *at == PF_TAG_VARINT(PF_F_LEGACY_PHASE) ? value : phase;
        if (p && (*at == PF_TAG_VARINT(PF_F_LEGACY_UNSCOPED_ID) || *at == PF_TAG_VARINT(PF_F_LEGACY_LOCAL_ID) ||
                  *at == PF_TAG_VARINT(PF_F_LEGACY_GLOBAL_ID))) {
            p = pf_varint(at + 1, p, &id);
            ids ^= id;
        }
    }
    *flow = pf_flow_mix(ids) | (phase == 's' ? PF_FLOW_BEGIN : 0);
    return p && (phase == 's' || phase == 't' || phase == 'f');
}

bool pf_record_is_flow_step(const pf_record *r, uint32_t *flow)
{
    const uint32_t needs = PF_HAS_TIMESTAMP | PF_HAS_SEQUENCE | PF_HAS_LEGACY;
    const uint32_t may = needs | PF_HAS_UUID | PF_HAS_CATEGORY;
    uint32_t steps = 0;
    if (r->kind != PF_RECORD_EVENT || (r->has & needs) != needs || r->has & ~may || r->clock > 0x7f ||
        r->packet_len > UINT16_MAX - UINT8_MAX) {
        return false;
    }
    const uint8_t *p = r->event, *end = p + r->event_len;
    for (const uint8_t *at = p; p && p < end; at = p) {
        uint8_t value = 0;
        p = pass_field(p, end, &value);
        if (p && *at == PF_TAG_BYTES(PF_F_EVENT_LEGACY_EVENT)) {
            steps += is_flow_step(at + 2, p, flow) ? 1 : 2;
        }
    }
    return p && steps == 1;
}

bool pf_legacy_is_async(uint32_t phase)
{
    return phase && phase < 0x80 && strchr("benSTpF", (int)phase);
}

bool pf_legacy_is_wide(const pf_legacy *l, bool has_process)
{
    bool wide = l->scope == PF_LEGACY_SCOPE_GLOBAL || (l->scope == PF_LEGACY_SCOPE_PROCESS && has_process);
    return wide && (l->phase == 'i' || l->phase == 'I');
}

bool pf_legacy_async_id(const pf_legacy *l, uint64_t *id, bool *local)
{
    *local = !l->has_unscoped_id && !l->has_global_id;
    *id = l->has_unscoped_id ? l->unscoped_id : l->has_global_id ? l->global_id : l->local_id;
    return l->has_unscoped_id || l->has_global_id || l->has_local_id;
}
