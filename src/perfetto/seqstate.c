/* perfetto/seqstate.c - sequences: finding them, clearing them, defaults, interned data, running values. */
#include "perfetto/seqstate.h"

#include <string.h>

#include "perfetto/fields.h"
#include "wire/cursor.h"

void pf_sequences_init(pf_sequences *s, pf_budget *budget, pf_generations *generations, pf_strings *strings,
                       uint32_t kinds)
{
    *s = (pf_sequences){.budget = budget, .generations = generations, .strings = strings, .kinds = kinds};
    pf_map_init(&s->by_id, budget);
}

static void free_list(pf_budget *budget, pf_uuid_list *l)
{
    pf_release(budget, l->uuid, l->room * sizeof *l->uuid);
    *l = (pf_uuid_list){0};
}

void pf_sequences_free(pf_sequences *s)
{
    for (uint32_t i = 0; i < s->count; i++) {
        pf_sequence *q = &s->list[i];
        free_list(s->budget, &q->extra_uuids);
        free_list(s->budget, &q->extra_double_uuids);
        pf_map_free(&q->running);
        pf_release(s->budget, q->running_value, q->running_room * sizeof *q->running_value);
    }
    pf_release(s->budget, s->list, s->room * sizeof *s->list);
    pf_map_free(&s->by_id);
    *s = (pf_sequences){.budget = s->budget};
}

pf_sequence *pf_sequence_find_slow(pf_sequences *s, uint32_t id)
{
    uint32_t index = pf_map_get(&s->by_id, id);
    if (index == PF_NONE) {
        if (s->count == s->room) {
            uint32_t room = s->room ? s->room * 2 : 16;
            pf_sequence *list = pf_resize(s->budget, s->list, s->room * sizeof *list, room * sizeof *list);
            if (!list) {
                return NULL;
            }
            s->list = list;
            s->room = room;
        }
        index = s->count;
        if (!pf_map_set(&s->by_id, id, index)) {
            return NULL;
        }
        s->list[index] = (pf_sequence){.id = id};
        pf_map_init(&s->list[index].running, s->budget);
        s->count++;
    }
    s->last = index;
    return &s->list[index];
}

static void forget_differences(pf_sequence *q)
{
    q->has_reference = false;
    if (q->running_count) {
        pf_map_clear(&q->running);
        q->running_count = 0;
    }
}

static void forget_defaults(pf_sequence *q)
{
    q->clock_id = 0;
    q->track_uuid = 0;
    q->extra_uuids.count = 0;
    q->extra_double_uuids.count = 0;
}

void pf_sequence_clear(pf_sequence *q)
{
    q->valid = true;
    q->generation = NULL;
    forget_defaults(q);
    forget_differences(q);
}

void pf_sequence_lose(pf_sequence *q)
{
    q->valid = false;
    forget_differences(q);
}

static bool add_uuid(pf_budget *budget, pf_uuid_list *l, uint64_t uuid)
{
    if (l->count == l->room) {
        uint32_t room = l->room ? l->room * 2 : 8;
        uint64_t *list = pf_resize(budget, l->uuid, l->room * sizeof *list, room * sizeof *list);
        if (!list) {
            return false;
        }
        l->uuid = list;
        l->room = room;
    }
    l->uuid[l->count++] = uuid;
    return true;
}

/* One element, or a packed run of them. */
static bool add_uuids(pf_budget *budget, pf_uuid_list *l, const pf_field *f)
{
    if (pf_field_wire(f) == PF_WIRE_VARINT) {
        return add_uuid(budget, l, f->value);
    }
    const uint8_t *p = f->bytes, *end = f->bytes + f->len;
    uint64_t uuid;
    while (p < end && (p = pf_varint(p, end, &uuid))) {
        if (!add_uuid(budget, l, uuid)) {
            return false;
        }
    }
    return true;
}

static bool set_event_defaults(pf_sequences *s, pf_sequence *q, pf_cursor c)
{
    pf_field f;
    q->track_uuid = 0;
    q->extra_uuids.count = 0;
    q->extra_double_uuids.count = 0;
    while (pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        switch (f.tag) {
        case PF_TAG_VARINT(PF_F_EVENT_DEFAULTS_TRACK_UUID):
            q->track_uuid = f.value;
            break;
        case PF_TAG_VARINT(PF_F_EVENT_DEFAULTS_EXTRA_COUNTER_TRACK_UUIDS):
        case PF_TAG_BYTES(PF_F_EVENT_DEFAULTS_EXTRA_COUNTER_TRACK_UUIDS):
            if (!add_uuids(s->budget, &q->extra_uuids, &f)) {
                return false;
            }
            break;
        case PF_TAG_VARINT(PF_F_EVENT_DEFAULTS_EXTRA_DOUBLE_COUNTER_TRACK_UUIDS):
        case PF_TAG_BYTES(PF_F_EVENT_DEFAULTS_EXTRA_DOUBLE_COUNTER_TRACK_UUIDS):
            if (!add_uuids(s->budget, &q->extra_double_uuids, &f)) {
                return false;
            }
            break;
        default:
            break;
        }
    }
    return true;
}

bool pf_sequence_set_defaults(pf_sequences *s, pf_sequence *q, const uint8_t *bytes, size_t len)
{
    pf_cursor c = pf_cursor_over(bytes, len);
    pf_field f;
    forget_defaults(q);
    while (pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        if (f.tag == PF_TAG_VARINT(PF_F_DEFAULTS_TIMESTAMP_CLOCK_ID)) {
            q->clock_id = (uint32_t)f.value;
        } else if (f.tag == PF_TAG_BYTES(PF_F_DEFAULTS_TRACK_EVENT) && !set_event_defaults(s, q, pf_field_cursor(&f))) {
            return false;
        }
    }
    return true;
}

pf_generation *pf_sequence_generation(pf_sequences *s, pf_sequence *q)
{
    if (!q->generation) {
        q->generation = pf_generation_add(s->generations);
    }
    return q->generation;
}

/* The kind of an InternedData field, or -1. */
static int kind_of(uint32_t tag)
{
    switch (tag) {
    case PF_TAG_BYTES(PF_F_INTERNED_EVENT_CATEGORIES):
        return PF_INTERN_CATEGORY;
    case PF_TAG_BYTES(PF_F_INTERNED_EVENT_NAMES):
        return PF_INTERN_EVENT_NAME;
    case PF_TAG_BYTES(PF_F_INTERNED_DEBUG_ANNOTATION_NAMES):
        return PF_INTERN_ANNOTATION_NAME;
    case PF_TAG_BYTES(PF_F_INTERNED_DEBUG_ANNOTATION_STRING_VALUES):
        return PF_INTERN_ANNOTATION_STRING;
    case PF_TAG_BYTES(PF_F_INTERNED_SOURCE_LOCATIONS):
        return PF_INTERN_SOURCE_LOCATION;
    case PF_TAG_BYTES(PF_F_INTERNED_LOG_MESSAGE_BODY):
        return PF_INTERN_LOG_BODY;
    case PF_TAG_BYTES(PF_F_INTERNED_CORRELATION_ID_STR):
        return PF_INTERN_CORRELATION_ID;
    case PF_TAG_BYTES(PF_F_INTERNED_COMPUTE_ARG_NAMES):
        return PF_INTERN_COMPUTE_ARG_NAME;
    case PF_TAG_BYTES(PF_F_INTERNED_FUNCTION_NAMES):
        return PF_INTERN_FUNCTION_NAME;
    case PF_TAG_BYTES(PF_F_INTERNED_VULKAN_MEMORY_KEYS):
        return PF_INTERN_VULKAN_KEY;
    case PF_TAG_BYTES(PF_F_INTERNED_BUILD_IDS):
        return PF_INTERN_BUILD_ID;
    case PF_TAG_BYTES(PF_F_INTERNED_MAPPING_PATHS):
        return PF_INTERN_MAPPING_PATH;
    case PF_TAG_BYTES(PF_F_INTERNED_SOURCE_PATHS):
        return PF_INTERN_SOURCE_PATH;
    case PF_TAG_BYTES(PF_F_INTERNED_FRAMES):
        return PF_INTERN_FRAME;
    case PF_TAG_BYTES(PF_F_INTERNED_CALLSTACKS):
        return PF_INTERN_CALLSTACK;
    case PF_TAG_BYTES(PF_F_INTERNED_MAPPINGS):
        return PF_INTERN_MAPPING;
    case PF_TAG_BYTES(PF_F_INTERNED_COMPUTE_KERNELS):
        return PF_INTERN_COMPUTE_KERNEL;
    case PF_TAG_BYTES(PF_F_INTERNED_GRAPHICS_CONTEXTS):
        return PF_INTERN_GRAPHICS_CONTEXT;
    case PF_TAG_BYTES(PF_F_INTERNED_GPU_SPECIFICATIONS):
        return PF_INTERN_GPU_SPECIFICATION;
    case PF_TAG_BYTES(PF_F_INTERNED_GPU_COUNTER_DESCRIPTORS):
        return PF_INTERN_GPU_COUNTER_DESCRIPTOR;
    default:
        return -1;
    }
}

static pf_status intern_entry(pf_sequences *s, pf_generation *g, pf_intern_kind kind, const pf_field *entry,
                              uint64_t *without_iid, pf_error *err)
{
    pf_cursor c = pf_field_cursor(entry);
    pf_field f;
    uint64_t iid = 0;
    bool has_iid = false; /* it may be a written 0 */
    const uint8_t *text = NULL;
    size_t len = 0;
    while (pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        if (f.tag == PF_TAG_VARINT(PF_F_ENTRY_IID)) {
            has_iid = true;
            iid = f.value;
        } else if (f.tag == PF_TAG_BYTES(PF_F_ENTRY_TEXT)) {
            text = f.bytes;
            len = f.len;
        }
    }
    if (!has_iid) {
        ++*without_iid;
        return PF_OK;
    }
    if (!(s->kinds >> kind & 1)) {
        return PF_OK;
    }
    if (kind == PF_INTERN_SOURCE_LOCATION || kind >= PF_INTERN_COMPUTE_KERNEL) {
        text = entry->bytes;
        len = entry->len;
    }
    uint32_t id = text ? pf_strings_add(s->strings, (const char *)text, len, err) : 0;
    if (id == PF_NONE) {
        return err ? err->code : PF_ERR_MEMORY;
    }
    return pf_intern_set(s->generations, g, kind, iid, id) ? PF_OK : pf_budget_refused(s->budget, 4096, err);
}

pf_status pf_sequence_intern(pf_sequences *s, pf_sequence *q, const uint8_t *bytes, size_t len, uint64_t *without_iid,
                             pf_error *err)
{
    pf_generation *g = pf_sequence_generation(s, q);
    if (!g) {
        return pf_budget_refused(s->budget, sizeof *g, err);
    }
    pf_cursor c = pf_cursor_over(bytes, len);
    pf_field f;
    while (pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        int kind = kind_of(f.tag);
        if (kind >= 0) {
            pf_status st = intern_entry(s, g, (pf_intern_kind)kind, &f, without_iid, err);
            if (st != PF_OK) {
                return st;
            }
        }
    }
    return PF_OK;
}

bool pf_sequence_add(pf_sequences *s, pf_sequence *q, uint64_t track_uuid, double difference, double *sum)
{
    uint32_t index = pf_map_get(&q->running, track_uuid);
    if (index == PF_NONE) {
        if (q->running_count == q->running_room) {
            uint32_t room = q->running_room ? q->running_room * 2 : 8;
            double *v = pf_resize(s->budget, q->running_value, q->running_room * sizeof *v, room * sizeof *v);
            if (!v) {
                return false;
            }
            q->running_value = v;
            q->running_room = room;
        }
        index = q->running_count;
        if (!pf_map_set(&q->running, track_uuid, index)) {
            return false;
        }
        q->running_value[index] = 0;
        q->running_count++;
    }
    *sum = q->running_value[index] += difference;
    return true;
}
