/* read/perfetto/decode/legacy_fields.c - the fields of legacy_event, and what its phase, scope and ids mean by
 * themselves (docs/reference/perfetto.md, "Legacy events"). */
#include "read/perfetto/decode/legacy_fields.h"

#include <string.h>

#include "perfetto/fields.h"
#include "postfetto/trace.h"

static void read_id(pf_legacy *l, const pf_field *f)
{
    switch (f->tag) {
    case PF_TAG_VARINT(PF_F_LEGACY_UNSCOPED_ID):
        l->unscoped_id = f->value;
        l->has_unscoped_id = true;
        break;
    case PF_TAG_VARINT(PF_F_LEGACY_GLOBAL_ID):
        l->global_id = f->value;
        l->has_global_id = true;
        break;
    case PF_TAG_VARINT(PF_F_LEGACY_LOCAL_ID):
        l->local_id = f->value;
        l->has_local_id = true;
        break;
    case PF_TAG_BYTES(PF_F_LEGACY_ID_SCOPE):
        l->id_scope = (pf_str){(const char *)f->bytes, f->len};
        break;
    case PF_TAG_VARINT(PF_F_LEGACY_BIND_ID):
        l->bind_id = f->value;
        l->has_bind_id = true;
        break;
    case PF_TAG_VARINT(PF_F_LEGACY_BIND_TO_ENCLOSING):
        l->bind_to_enclosing = f->value != 0;
        break;
    case PF_TAG_VARINT(PF_F_LEGACY_FLOW_DIRECTION):
        l->direction = (uint32_t)f->value;
        break;
    default:
        break;
    }
}

static void read_field(pf_legacy *l, const pf_field *f)
{
    switch (f->tag) {
    case PF_TAG_VARINT(PF_F_LEGACY_NAME_IID):
        l->name_iid = f->value;
        break;
    case PF_TAG_VARINT(PF_F_LEGACY_PHASE):
        l->phase =
            (int32_t)f->value > 0 && (int32_t)f->value < 0x80 && f->value != PF_PHASE_STATE ? (uint32_t)f->value : '?';
        break;
    case PF_TAG_VARINT(PF_F_LEGACY_DURATION_US):
        l->duration_us = (int64_t)f->value;
        break;
    case PF_TAG_VARINT(PF_F_LEGACY_THREAD_DURATION_US):
        l->thread_duration_us = (int64_t)f->value;
        break;
    case PF_TAG_VARINT(PF_F_LEGACY_THREAD_INSTRUCTION_DELTA):
        l->instruction_delta = (int64_t)f->value;
        break;
    case PF_TAG_VARINT(PF_F_LEGACY_INSTANT_EVENT_SCOPE):
        l->scope = (uint32_t)f->value;
        break;
    case PF_TAG_VARINT(PF_F_LEGACY_PID_OVERRIDE):
        l->pid = (int32_t)f->value;
        l->has_pid = true;
        break;
    case PF_TAG_VARINT(PF_F_LEGACY_TID_OVERRIDE):
        l->tid = (int32_t)f->value;
        l->has_tid = true;
        break;
    default:
        read_id(l, f);
    }
}

pf_legacy pf_legacy_read(const uint8_t *event, size_t len)
{
    pf_legacy l = {0};
    pf_cursor c = pf_cursor_over(event, len), inner = {NULL, NULL};
    pf_field f;
    while (pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        if (f.tag == PF_TAG_BYTES(PF_F_EVENT_LEGACY_EVENT)) {
            inner = pf_field_cursor(&f);
        }
    }
    while (pf_cursor_next(&inner, &f) == PF_NEXT_FIELD) {
        read_field(&l, &f);
    }
    return l;
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
