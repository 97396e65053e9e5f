/* perfetto/seqstate.c - sequences: finding them, clearing them, defaults, interned data, running values. */
#include "perfetto/seqstate.h"

#include "base/list.h"
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
    PF_LIST_FREE(budget, l->uuid, l->room);
    *l = (pf_uuid_list){0};
}

void pf_sequences_free(pf_sequences *s)
{
    for (uint32_t i = 0; i < s->count; i++) {
        pf_sequence *q = &s->list[i];
        free_list(s->budget, &q->extra_uuids);
        free_list(s->budget, &q->extra_double_uuids);
        pf_map_free(&q->running);
        PF_LIST_FREE(s->budget, q->running_value, q->running_room);
    }
    PF_LIST_FREE(s->budget, s->list, s->room);
    pf_map_free(&s->by_id);
    *s = (pf_sequences){.budget = s->budget};
}

pf_sequence *pf_sequence_find_slow(pf_sequences *s, uint32_t id)
{
    uint32_t index = pf_map_get(&s->by_id, id);
    if (index == PF_NONE) {
        index = s->count;
        if (PF_LIST_ROOM(s->budget, s->list, index + 1, s->room, NULL) != PF_OK || !pf_map_set(&s->by_id, id, index)) {
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

/* False if memory was refused. */
static bool set_uuids(pf_budget *budget, pf_uuid_list *l, pf_cursor c, uint32_t field)
{
    pf_numbers uuids = pf_numbers_of(c, field, false);
    uint64_t uuid;
    l->count = 0;
    while (pf_numbers_next(&uuids, &uuid)) {
        if (PF_LIST_ROOM(budget, l->uuid, l->count + 1, l->room, NULL) != PF_OK) {
            return false;
        }
        l->uuid[l->count++] = uuid;
    }
    return true;
}

static bool set_event_defaults(pf_sequences *s, pf_sequence *q, pf_cursor c)
{
    q->track_uuid = pf_cursor_last(c, PF_TAG_VARINT(PF_F_EVENT_DEFAULTS_TRACK_UUID)).value;
    return set_uuids(s->budget, &q->extra_uuids, c, PF_F_EVENT_DEFAULTS_EXTRA_COUNTER_TRACK_UUIDS) &&
           set_uuids(s->budget, &q->extra_double_uuids, c, PF_F_EVENT_DEFAULTS_EXTRA_DOUBLE_COUNTER_TRACK_UUIDS);
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
static int kind_of(const pf_field *f)
{
    static const uint8_t kinds[] = {
        /* + 1 */
        [PF_F_INTERNED_EVENT_CATEGORIES] = 1 + PF_INTERN_CATEGORY,
        [PF_F_INTERNED_EVENT_NAMES] = 1 + PF_INTERN_EVENT_NAME,
        [PF_F_INTERNED_DEBUG_ANNOTATION_NAMES] = 1 + PF_INTERN_ANNOTATION_NAME,
        [PF_F_INTERNED_DEBUG_ANNOTATION_STRING_VALUES] = 1 + PF_INTERN_ANNOTATION_STRING,
        [PF_F_INTERNED_SOURCE_LOCATIONS] = 1 + PF_INTERN_SOURCE_LOCATION,
        [PF_F_INTERNED_LOG_MESSAGE_BODY] = 1 + PF_INTERN_LOG_BODY,
        [PF_F_INTERNED_CORRELATION_ID_STR] = 1 + PF_INTERN_CORRELATION_ID,
        [PF_F_INTERNED_COMPUTE_ARG_NAMES] = 1 + PF_INTERN_COMPUTE_ARG_NAME,
        [PF_F_INTERNED_FUNCTION_NAMES] = 1 + PF_INTERN_FUNCTION_NAME,
        [PF_F_INTERNED_VULKAN_MEMORY_KEYS] = 1 + PF_INTERN_VULKAN_KEY,
        [PF_F_INTERNED_BUILD_IDS] = 1 + PF_INTERN_BUILD_ID,
        [PF_F_INTERNED_MAPPING_PATHS] = 1 + PF_INTERN_MAPPING_PATH,
        [PF_F_INTERNED_SOURCE_PATHS] = 1 + PF_INTERN_SOURCE_PATH,
        [PF_F_INTERNED_KERNEL_SYMBOLS] = 1 + PF_INTERN_KERNEL_SYMBOL,
        [PF_F_INTERNED_FRAMES] = 1 + PF_INTERN_FRAME,
        [PF_F_INTERNED_CALLSTACKS] = 1 + PF_INTERN_CALLSTACK,
        [PF_F_INTERNED_MAPPINGS] = 1 + PF_INTERN_MAPPING,
        [PF_F_INTERNED_COMPUTE_KERNELS] = 1 + PF_INTERN_COMPUTE_KERNEL,
        [PF_F_INTERNED_GRAPHICS_CONTEXTS] = 1 + PF_INTERN_GRAPHICS_CONTEXT,
        [PF_F_INTERNED_GPU_SPECIFICATIONS] = 1 + PF_INTERN_GPU_SPECIFICATION,
        [PF_F_INTERNED_GPU_COUNTER_DESCRIPTORS] = 1 + PF_INTERN_GPU_COUNTER_DESCRIPTOR,
    };
    uint32_t number = pf_field_number(f);
    return pf_field_wire(f) == PF_WIRE_BYTES && number < sizeof kinds ? kinds[number] - 1 : -1;
}

static pf_status intern_entry(pf_sequences *s, pf_generation *g, pf_intern_kind kind, const pf_field *entry,
                              uint64_t *without_iid, pf_error *err)
{
    PF_CURSOR_FIELDS(f, pf_field_cursor(entry), PF_AT_VARINT(PF_F_ENTRY_IID), PF_AT_BYTES(PF_F_ENTRY_TEXT));
    if (!f[PF_F_ENTRY_IID].tag) { /* a written 0 is one */
        ++*without_iid;
        return PF_OK;
    }
    if (!(s->kinds >> kind & 1)) {
        return PF_OK;
    }
    bool whole = kind == PF_INTERN_SOURCE_LOCATION || kind >= PF_INTERN_COMPUTE_KERNEL;
    const pf_field *text = whole ? entry : &f[PF_F_ENTRY_TEXT];
    uint32_t id = text->tag ? pf_strings_add(s->strings, (const char *)text->bytes, text->len, err) : 0;
    if (id == PF_NONE) {
        return err ? err->code : PF_ERR_MEMORY;
    }
    return pf_intern_set(s->generations, g, kind, f[PF_F_ENTRY_IID].value, id)
               ? PF_OK
               : pf_budget_refused(s->budget, 4096, err);
}

pf_status pf_sequence_intern(pf_sequences *s, pf_sequence *q, const uint8_t *bytes, size_t len, uint64_t *without_iid,
                             pf_error *err)
{
    pf_generation *g = pf_sequence_generation(s, q);
    PF_TRY(g ? PF_OK : pf_budget_refused(s->budget, sizeof *g, err));
    pf_cursor c = pf_cursor_over(bytes, len);
    pf_field f;
    while (pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        int kind = kind_of(&f);
        if (kind >= 0) {
            PF_TRY(intern_entry(s, g, (pf_intern_kind)kind, &f, without_iid, err));
        }
    }
    return PF_OK;
}

bool pf_sequence_add(pf_sequences *s, pf_sequence *q, uint64_t track_uuid, double difference, double *sum)
{
    uint32_t index = pf_map_get(&q->running, track_uuid);
    if (index == PF_NONE) {
        index = q->running_count;
        if (PF_LIST_ROOM(s->budget, q->running_value, index + 1, q->running_room, NULL) != PF_OK ||
            !pf_map_set(&q->running, track_uuid, index)) {
            return false;
        }
        q->running_value[index] = 0;
        q->running_count++;
    }
    *sum = q->running_value[index] += difference;
    return true;
}
