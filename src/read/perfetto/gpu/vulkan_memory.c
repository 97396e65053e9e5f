/* read/perfetto/gpu/vulkan_memory.c - Vulkan memory events: rows of vulkan_memory_allocations, and counters of what is
 * in use.
 *
 * An event says that an object was created, destroyed or bound. The sums are those of all processes, by allocation
 * scope or memory type, but every process that changes one has a counter track of its own that shows it; so does
 * Perfetto. Events are taken in time order, their rows and samples carry the time that the event names itself.
 */
#include <stdio.h>
#include <string.h>

#include "perfetto/fields.h"
#include "read/perfetto/gpu/packet_gpu.h"

typedef struct memory_event {
    uint64_t number[PF_VK_MEMORY_FIELDS];
    bool has[PF_VK_MEMORY_FIELDS];
} memory_event;

static pf_status no_memory(pf_import *im)
{
    return pf_budget_refused(&im->t->budget, 1u << 12, im->err);
}

static memory_event read_event(const uint8_t *bytes, size_t len)
{
    memory_event e = {0};
    pf_cursor c = pf_cursor_over(bytes, len);
    pf_field f;
    while (pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        uint32_t field = pf_field_number(&f);
        bool fixed = field == PF_F_VK_MEMORY_ADDRESS || field == PF_F_VK_MEMORY_DEVICE ||
                     field == PF_F_VK_MEMORY_DEVICE_MEMORY || field == PF_F_VK_MEMORY_OBJECT;
        if (field < PF_VK_MEMORY_FIELDS && f.tag == (fixed ? PF_TAG_FIXED64(field) : PF_TAG_VARINT(field))) {
            e.number[field] = f.value;
            e.has[field] = true;
        }
    }
    return e;
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

static const char *const SOURCES[] = {"UNSPECIFIED",       "DRIVER",     "DEVICE",
                                      "GPU_DEVICE_MEMORY", "GPU_BUFFER", "GPU_IMAGE"};
static const char *const OPERATIONS[] = {"UNSPECIFIED", "CREATE", "DESTROY", "BIND", "DESTROY_BOUND", "ANNOTATIONS"};
static const char *const SCOPES[] = {"UNSPECIFIED", "COMMAND", "OBJECT", "CACHE", "DEVICE", "INSTANCE"};

/* The name of a value, NULL if it has none. */
static const char *name_of(const char *const *names, uint64_t value)
{
    return value < 6 ? names[value] : NULL;
}

static pf_status set_name(pf_import *im, uint32_t row, unsigned column, const char *name)
{
    uint32_t id = name ? pf_strings_add(&im->t->strings, name, strlen(name), im->err) : 0;
    *pf_side_ref(&im->t->sides.known[PF_SIDE_VULKAN_MEMORY], column, row) = id == PF_NONE ? 0 : id;
    return id == PF_NONE ? im->err->code : PF_OK;
}

/* ---- the row ----------------------------------------------------------------------------------------------------- */

static pf_status set_cells(pf_import *im, const pf_gpu_waiting *w, const memory_event *e, uint32_t row, uint32_t upid)
{
    static const struct {
        uint32_t field;
        unsigned column;
    } NUMBERS[] = {
        {PF_F_VK_MEMORY_DEVICE, PF_VULKAN_DEVICE},    {PF_F_VK_MEMORY_DEVICE_MEMORY, PF_VULKAN_DEVICE_MEMORY},
        {PF_F_VK_MEMORY_TYPE, PF_VULKAN_MEMORY_TYPE}, {PF_F_VK_MEMORY_HEAP, PF_VULKAN_HEAP},
        {PF_F_VK_MEMORY_OBJECT, PF_VULKAN_OBJECT},    {PF_F_VK_MEMORY_ADDRESS, PF_VULKAN_ADDRESS},
        {PF_F_VK_MEMORY_SIZE, PF_VULKAN_SIZE}};
    pf_side_table *side = &im->t->sides.known[PF_SIDE_VULKAN_MEMORY];
    *pf_side_ref(side, PF_VULKAN_UPID, row) = upid;
    *pf_side_number(side, PF_VULKAN_TIMESTAMP, row) = (int64_t)e->number[PF_F_VK_MEMORY_TIMESTAMP];
    for (size_t i = 0; i < sizeof NUMBERS / sizeof *NUMBERS; i++) {
        if (e->has[NUMBERS[i].field]) {
            *pf_side_number(side, NUMBERS[i].column, row) = (int64_t)e->number[NUMBERS[i].field];
        }
    }
    if (e->has[PF_F_VK_MEMORY_CALLER_IID]) {
        uint32_t id = pf_intern_get(w->generation, PF_INTERN_FUNCTION_NAME, e->number[PF_F_VK_MEMORY_CALLER_IID]);
        *pf_side_ref(side, PF_VULKAN_FUNCTION, row) = id == PF_NONE ? 0 : id;
    }
    pf_status st = set_name(im, row, PF_VULKAN_SOURCE, name_of(SOURCES, e->number[PF_F_VK_MEMORY_SOURCE]));
    if (st == PF_OK) {
        st = set_name(im, row, PF_VULKAN_OPERATION, name_of(OPERATIONS, e->number[PF_F_VK_MEMORY_OPERATION]));
    }
    return st == PF_OK && e->has[PF_F_VK_MEMORY_SCOPE]
               ? set_name(im, row, PF_VULKAN_SCOPE, name_of(SCOPES, e->number[PF_F_VK_MEMORY_SCOPE]))
               : st;
}

/* One annotation: an interned key, and a number or an interned text. */
static pf_status add_annotation(pf_import *im, const pf_gpu_waiting *w, uint32_t row, pf_cursor c)
{
    uint64_t key_iid = 0, text_iid = 0, number = 0, bits = 0;
    bool has_number = false, has_real = false, has_text = false;
    pf_field f;
    while (pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        if (f.tag == PF_TAG_VARINT(PF_F_VK_ANNOTATION_KEY_IID)) {
            key_iid = f.value;
        } else if (f.tag == PF_TAG_VARINT(PF_F_VK_ANNOTATION_INT)) {
            has_number = true;
            number = f.value;
        } else if (f.tag == PF_TAG_FIXED64(PF_F_VK_ANNOTATION_DOUBLE)) {
            has_real = true;
            bits = f.value;
        } else if (f.tag == PF_TAG_VARINT(PF_F_VK_ANNOTATION_STRING_IID)) {
            has_text = true;
            text_iid = f.value;
        }
    }
    if (!has_number && !has_real && !has_text) {
        return PF_OK;
    }
    uint32_t key = pf_intern_get(w->generation, PF_INTERN_VULKAN_KEY, key_iid);
    if (key == PF_NONE || key == 0) {
        pf_trace_count(im->t, PF_STAT_INTERNED_ERRORS, w->offset);
        return PF_OK;
    }
    pf_value v = {.type = PF_VALUE_INT, .as.i = (int64_t)number};
    if (!has_number && has_real) {
        v = (pf_value){.type = PF_VALUE_REAL, .as.d = pf_bits_to_double(bits)};
    } else if (!has_number) {
        uint32_t text = pf_intern_get(w->generation, PF_INTERN_VULKAN_KEY, text_iid);
        v = (pf_value){.type = PF_VALUE_STRING, .as.s = pf_strings_get(&im->t->strings, text == PF_NONE ? 0 : text)};
    }
    return pf_trace_add_row_arg(im->t, PF_OWNER_VULKAN_MEMORY, row, pf_strings_get(&im->t->strings, key), &v, im->err);
}

/* ---- counters ---------------------------------------------------------------------------------------------------- */

/* What a counter sums up; the values are parts of keys. */
typedef enum memory_kind { OF_SCOPE = 1, ALLOCATED, BOUND } memory_kind;

/* The kind of counter that the event changes, 0 if none; *sign is how. */
static int kind_of(const memory_event *e, int *sign)
{
    uint64_t source = e->number[PF_F_VK_MEMORY_SOURCE], operation = e->number[PF_F_VK_MEMORY_OPERATION];
    bool binds = source == PF_VK_GPU_BUFFER || source == PF_VK_GPU_IMAGE;
    uint64_t more = binds ? PF_VK_BIND : PF_VK_CREATE, less = binds ? PF_VK_DESTROY_BOUND : PF_VK_DESTROY;
    *sign = operation == more ? 1 : -1;
    if (operation != more && operation != less) {
        return 0;
    }
    if (source == PF_VK_DRIVER) {
        uint64_t scope = e->number[PF_F_VK_MEMORY_SCOPE];
        return scope > 0 && scope < 6 ? OF_SCOPE : 0;
    }
    return binds ? BOUND : source == PF_VK_GPU_DEVICE_MEMORY ? ALLOCATED : 0;
}

static pf_status add_track(pf_import *im, int kind, uint32_t what, uint32_t upid, uint32_t *row)
{
    static const pf_track_type TYPES[] = {[OF_SCOPE] = PF_TRACK_VULKAN_DRIVER_MEMORY,
                                          [ALLOCATED] = PF_TRACK_VULKAN_ALLOCATED,
                                          [BOUND] = PF_TRACK_VULKAN_BOUND};
    pf_trace *t = im->t;
    char name[64];
    int len = kind == OF_SCOPE ? snprintf(name, sizeof name, "vulkan.mem.driver.scope.%s", SCOPES[what])
                               : snprintf(name, sizeof name, "vulkan.mem.device.memory.type.%u.%s", what,
                                          kind == BOUND ? "bind" : "allocation");
    const pf_track_row r = {.type = TYPES[kind],
                            .name = pf_strings_add(&t->strings, name, (size_t)len, im->err),
                            .upid = upid,
                            .utid = PF_NONE,
                            .parent = PF_NONE,
                            .group = PF_NONE};
    *row = r.name == PF_NONE ? PF_NONE : pf_trace_add_track(t, &r, im->err);
    if (*row == PF_NONE) {
        return im->err->code;
    }
    pf_value v = {.type = PF_VALUE_INT, .as.i = what};
    pf_str key = PF_STR("vulkan_memory_type");
    if (kind == OF_SCOPE) {
        v = (pf_value){.type = PF_VALUE_STRING, .as.s = {SCOPES[what], strlen(SCOPES[what])}};
        key = PF_STR("vulkan_allocation_scope");
    }
    return pf_trace_add_row_arg(t, PF_OWNER_TRACK_DIMENSION, *row, key, &v, im->err);
}

/* The place of a sum, made with 0. */
static int64_t *find_sum(pf_import *im, uint64_t key)
{
    pf_gpu *g = im->gpu;
    uint32_t index = pf_map_get(&g->memory_sums, key);
    if (index != PF_NONE) {
        return &g->sums[index];
    }
    if (g->sum_count == g->sum_room) {
        uint32_t room = g->sum_room ? g->sum_room * 2 : 16;
        int64_t *sums = pf_resize(&im->t->budget, g->sums, g->sum_room * sizeof *sums, (size_t)room * sizeof *sums);
        if (!sums) {
            return NULL;
        }
        g->sums = sums;
        g->sum_room = room;
    }
    if (!pf_map_set(&g->memory_sums, key, g->sum_count)) {
        return NULL;
    }
    g->sums[g->sum_count] = 0;
    return &g->sums[g->sum_count++];
}

static pf_status count_memory(pf_import *im, const pf_gpu_waiting *w, const memory_event *e, uint32_t upid)
{
    int sign, kind = kind_of(e, &sign);
    int64_t ts = (int64_t)e->number[PF_F_VK_MEMORY_TIMESTAMP];
    if (!kind || !(im->t->want & PF_WANT_COUNTERS)) {
        return PF_OK;
    }
    uint32_t what = (uint32_t)e->number[kind == OF_SCOPE ? PF_F_VK_MEMORY_SCOPE : PF_F_VK_MEMORY_TYPE];
    int64_t *sum = find_sum(im, (uint64_t)kind << 32 | what);
    if (!sum) {
        return no_memory(im);
    }
    uint64_t size = e->number[PF_F_VK_MEMORY_SIZE];
    *sum = (int64_t)(sign > 0 ? (uint64_t)*sum + size : (uint64_t)*sum - size);
    if (ts < 0) {
        pf_trace_count(im->t, PF_STAT_NEGATIVE_TS, w->offset);
        return PF_OK;
    }
    const struct {
        uint32_t kind, what, upid;
    } parts = {(uint32_t)kind, what, upid};
    uint32_t key = pf_strings_add(&im->legacy.keys, (const char *)&parts, sizeof parts, im->err);
    uint32_t row = key == PF_NONE ? PF_NONE : pf_map_get(&im->gpu->vulkan_tracks, key);
    pf_status st = key == PF_NONE ? im->err->code : PF_OK;
    if (st == PF_OK && row == PF_NONE) {
        st = add_track(im, kind, what, upid, &row);
        st = st != PF_OK || pf_map_set(&im->gpu->vulkan_tracks, key, row) ? st : no_memory(im);
    }
    return st == PF_OK ? pf_trace_add_sample(im->t, ts, (double)*sum, row, PF_NONE, im->err) : st;
}

pf_status pf_gpu_take_vulkan_memory(pf_import *im, const pf_gpu_waiting *w)
{
    const memory_event e = read_event(w->bytes, w->len);
    uint32_t upid = pf_uuid_process(im->t, (int32_t)e.number[PF_F_VK_MEMORY_PID], im->err);
    if (upid == PF_NONE) {
        return im->err->code;
    }
    pf_status st = pf_side_add_row(&im->t->sides.known[PF_SIDE_VULKAN_MEMORY], im->err);
    uint32_t row = st == PF_OK ? im->t->sides.known[PF_SIDE_VULKAN_MEMORY].count - 1 : 0;
    st = st == PF_OK ? set_cells(im, w, &e, row, upid) : st;
    pf_cursor c = pf_cursor_over(w->bytes, w->len);
    pf_field f;
    while (st == PF_OK && pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        if (f.tag == PF_TAG_BYTES(PF_F_VK_MEMORY_ANNOTATIONS)) {
            st = add_annotation(im, w, row, pf_field_cursor(&f));
        }
    }
    return st == PF_OK ? count_memory(im, w, &e, upid) : st;
}
