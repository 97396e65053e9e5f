/* read/perfetto/gpu/vulkan_memory.c - Vulkan memory events: rows of vulkan_memory_allocations, and counters of what is
 * in use.
 *
 * An event says that an object was created, destroyed or bound. The sums are those of all processes, by allocation
 * scope or memory type, but every process that changes one has a counter track of its own that shows it; so does
 * Perfetto. Events are taken in time order, their rows and samples carry the time that the event names itself.
 */
#include <stdio.h>

#include "base/list.h"
#include "base/str.h"
#include "perfetto/fields.h"
#include "read/perfetto/gpu/packet_gpu.h"

static const char *const SOURCES[] = {"UNSPECIFIED",       "DRIVER",     "DEVICE",
                                      "GPU_DEVICE_MEMORY", "GPU_BUFFER", "GPU_IMAGE"};
static const char *const OPERATIONS[] = {"UNSPECIFIED", "CREATE", "DESTROY", "BIND", "DESTROY_BOUND", "ANNOTATIONS"};
static const char *const SCOPES[] = {"UNSPECIFIED", "COMMAND", "OBJECT", "CACHE", "DEVICE", "INSTANCE"};

/* The name of a value, NULL if it has none. */
static const char *name_of(const char *const *names, uint64_t value)
{
    return value < 6 ? names[value] : NULL;
}

static void set_name(pf_import *im, uint32_t row, unsigned column, const char *name)
{
    *pf_side_ref(&im->t->sides.known[PF_SIDE_VULKAN_MEMORY], column, row) = name ? pf_import_word(im, name) : 0;
}

static void set_cells(pf_import *im, const pf_gpu_waiting *w, const pf_field *f, uint32_t row, uint32_t upid)
{
    static const struct {
        uint32_t field;
        unsigned column;
    } NUMBERS[] = {
        {PF_F_VK_MEMORY_DEVICE, PF_VULKAN_DEVICE},    {PF_F_VK_MEMORY_DEVICE_MEMORY, PF_VULKAN_DEVICE_MEMORY},
        {PF_F_VK_MEMORY_TYPE, PF_VULKAN_MEMORY_TYPE}, {PF_F_VK_MEMORY_HEAP, PF_VULKAN_HEAP},
        {PF_F_VK_MEMORY_OBJECT, PF_VULKAN_OBJECT},    {PF_F_VK_MEMORY_ADDRESS, PF_VULKAN_ADDRESS},
        {PF_F_VK_MEMORY_SIZE, PF_VULKAN_SIZE}};
    const pf_side_table *side = &im->t->sides.known[PF_SIDE_VULKAN_MEMORY];
    const pf_field *caller = &f[PF_F_VK_MEMORY_CALLER_IID];
    *pf_side_ref(side, PF_VULKAN_UPID, row) = upid;
    *pf_side_number(side, PF_VULKAN_TIMESTAMP, row) = (int64_t)f[PF_F_VK_MEMORY_TIMESTAMP].value;
    for (size_t i = 0; i < sizeof NUMBERS / sizeof *NUMBERS; i++) {
        if (f[NUMBERS[i].field].tag) {
            *pf_side_number(side, NUMBERS[i].column, row) = (int64_t)f[NUMBERS[i].field].value;
        }
    }
    if (caller->tag) {
        uint32_t id = pf_intern_get(w->generation, PF_INTERN_FUNCTION_NAME, caller->value);
        *pf_side_ref(side, PF_VULKAN_FUNCTION, row) = id == PF_NONE ? 0 : id;
    }
    set_name(im, row, PF_VULKAN_SOURCE, name_of(SOURCES, f[PF_F_VK_MEMORY_SOURCE].value));
    set_name(im, row, PF_VULKAN_OPERATION, name_of(OPERATIONS, f[PF_F_VK_MEMORY_OPERATION].value));
    if (f[PF_F_VK_MEMORY_SCOPE].tag) {
        set_name(im, row, PF_VULKAN_SCOPE, name_of(SCOPES, f[PF_F_VK_MEMORY_SCOPE].value));
    }
}

/* One annotation: an interned key, and a number or an interned text. */
static void add_annotation(pf_import *im, const pf_gpu_waiting *w, uint32_t row, pf_cursor c)
{
    PF_CURSOR_FIELDS(f, c, PF_AT_VARINT(PF_F_VK_ANNOTATION_KEY_IID), PF_AT_VARINT(PF_F_VK_ANNOTATION_INT),
                     PF_AT_FIXED64(PF_F_VK_ANNOTATION_DOUBLE), PF_AT_VARINT(PF_F_VK_ANNOTATION_STRING_IID));
    const pf_field *integer = &f[PF_F_VK_ANNOTATION_INT], *real = &f[PF_F_VK_ANNOTATION_DOUBLE];
    const pf_field *text_iid = &f[PF_F_VK_ANNOTATION_STRING_IID];
    if (!integer->tag && !real->tag && !text_iid->tag) {
        return;
    }
    uint32_t key = pf_intern_get(w->generation, PF_INTERN_VULKAN_KEY, f[PF_F_VK_ANNOTATION_KEY_IID].value);
    if (key == PF_NONE || key == 0) {
        pf_trace_count(im->t, PF_STAT_INTERNED_ERRORS, w->offset);
        return;
    }
    pf_value v = {.type = PF_VALUE_INT, .as.i = (int64_t)integer->value};
    if (!integer->tag && real->tag) {
        v = (pf_value){.type = PF_VALUE_REAL, .as.d = pf_bits_to_double(real->value)};
    } else if (!integer->tag) {
        uint32_t text = pf_intern_get(w->generation, PF_INTERN_VULKAN_KEY, text_iid->value);
        v = (pf_value){.type = PF_VALUE_STRING, .as.s = pf_strings_get(&im->t->strings, text == PF_NONE ? 0 : text)};
    }
    pf_import_arg(im, PF_OWNER_VULKAN_MEMORY, row, pf_strings_get(&im->t->strings, key), v);
}

/* What a counter sums up; the values are parts of keys. */
typedef enum memory_kind { OF_SCOPE = 1, ALLOCATED, BOUND } memory_kind;

/* The kind of counter that the event changes, 0 if none; *sign is how. */
static int kind_of(const pf_field *f, int *sign)
{
    uint64_t source = f[PF_F_VK_MEMORY_SOURCE].value, operation = f[PF_F_VK_MEMORY_OPERATION].value;
    bool binds = source == PF_VK_GPU_BUFFER || source == PF_VK_GPU_IMAGE;
    uint64_t more = binds ? PF_VK_BIND : PF_VK_CREATE, less = binds ? PF_VK_DESTROY_BOUND : PF_VK_DESTROY;
    *sign = operation == more ? 1 : -1;
    if (operation != more && operation != less) {
        return 0;
    }
    if (source == PF_VK_DRIVER) {
        uint64_t scope = f[PF_F_VK_MEMORY_SCOPE].value;
        return scope > 0 && scope < 6 ? OF_SCOPE : 0;
    }
    return binds ? BOUND : source == PF_VK_GPU_DEVICE_MEMORY ? ALLOCATED : 0;
}

/* The track of a sum as a process shows it, made on first use. */
static uint32_t find_track(pf_import *im, int kind, uint32_t what, uint32_t upid)
{
    static const pf_track_type TYPES[] = {[OF_SCOPE] = PF_TRACK_VULKAN_DRIVER_MEMORY,
                                          [ALLOCATED] = PF_TRACK_VULKAN_ALLOCATED,
                                          [BOUND] = PF_TRACK_VULKAN_BOUND};
    const uint32_t parts[] = {(uint32_t)kind, what, upid};
    uint32_t key = pf_import_key(im, parts, sizeof parts), row = pf_map_get(&im->gpu->vulkan_tracks, key);
    char name[64];
    if (row != PF_NONE) {
        return row;
    }
    int len = kind == OF_SCOPE ? snprintf(name, sizeof name, "vulkan.mem.driver.scope.%s", SCOPES[what])
                               : snprintf(name, sizeof name, "vulkan.mem.device.memory.type.%u.%s", what,
                                          kind == BOUND ? "bind" : "allocation");
    row = pf_import_track(im, TYPES[kind], pf_import_text(im, (pf_str){name, (size_t)len}), upid);
    if (kind == OF_SCOPE) {
        const char *scope = SCOPES[what];
        pf_import_arg_text(im, PF_OWNER_TRACK_DIMENSION, row, "vulkan_allocation_scope", pf_str_of(scope));
    } else {
        pf_import_arg_int(im, PF_OWNER_TRACK_DIMENSION, row, "vulkan_memory_type", what);
    }
    pf_import_put(im, &im->gpu->vulkan_tracks, key, row);
    return row;
}

/* The place of a sum, made with 0; NULL after an error. */
static int64_t *find_sum(pf_import *im, uint64_t key)
{
    pf_gpu *g = im->gpu;
    uint32_t index = pf_map_get(&g->memory_sums, key);
    if (index == PF_NONE && !pf_import_failed(im) &&
        PF_LIST_ROOM(&im->t->budget, g->sums, g->sum_count + 1, g->sum_room, im->err) == PF_OK) {
        index = g->sum_count++;
        g->sums[index] = 0;
        pf_import_put(im, &g->memory_sums, key, index);
    }
    return pf_import_failed(im) ? NULL : &g->sums[index];
}

static void count_memory(pf_import *im, const pf_gpu_waiting *w, const pf_field *f, uint32_t upid)
{
    int sign, kind = kind_of(f, &sign);
    int64_t ts = (int64_t)f[PF_F_VK_MEMORY_TIMESTAMP].value;
    if (!kind || !(im->t->want & PF_WANT_COUNTERS)) {
        return;
    }
    uint32_t what = (uint32_t)f[kind == OF_SCOPE ? PF_F_VK_MEMORY_SCOPE : PF_F_VK_MEMORY_TYPE].value;
    uint64_t size = f[PF_F_VK_MEMORY_SIZE].value;
    int64_t *sum = find_sum(im, (uint64_t)kind << 32 | what);
    if (!sum) {
        return;
    }
    *sum = (int64_t)(sign > 0 ? (uint64_t)*sum + size : (uint64_t)*sum - size);
    if (ts < 0) {
        pf_trace_count(im->t, PF_STAT_NEGATIVE_TS, w->offset);
        return;
    }
    uint32_t row = find_track(im, kind, what, upid);
    if (!pf_import_failed(im)) {
        (void)pf_trace_add_sample(im->t, ts, (double)*sum, row, PF_NONE, im->err);
    }
}

void pf_gpu_take_vulkan_memory(pf_import *im, const pf_gpu_waiting *w)
{
    pf_cursor c = pf_cursor_over(w->bytes, w->len);
    PF_CURSOR_FIELDS(
        f, c, PF_AT_VARINT(PF_F_VK_MEMORY_SOURCE), PF_AT_VARINT(PF_F_VK_MEMORY_OPERATION),
        PF_AT_VARINT(PF_F_VK_MEMORY_TIMESTAMP), PF_AT_VARINT(PF_F_VK_MEMORY_PID), PF_AT_FIXED64(PF_F_VK_MEMORY_ADDRESS),
        PF_AT_VARINT(PF_F_VK_MEMORY_SIZE), PF_AT_VARINT(PF_F_VK_MEMORY_CALLER_IID), PF_AT_VARINT(PF_F_VK_MEMORY_SCOPE),
        PF_AT_FIXED64(PF_F_VK_MEMORY_DEVICE), PF_AT_FIXED64(PF_F_VK_MEMORY_DEVICE_MEMORY),
        PF_AT_VARINT(PF_F_VK_MEMORY_TYPE), PF_AT_VARINT(PF_F_VK_MEMORY_HEAP), PF_AT_FIXED64(PF_F_VK_MEMORY_OBJECT));
    uint32_t upid = pf_import_process(im, (int32_t)f[PF_F_VK_MEMORY_PID].value);
    uint32_t row = pf_import_side_row(im, PF_SIDE_VULKAN_MEMORY);
    if (row == PF_NONE) {
        return;
    }
    set_cells(im, w, f, row, upid);
    for (pf_field a; pf_cursor_next_of(&c, PF_TAG_BYTES(PF_F_VK_MEMORY_ANNOTATIONS), &a);) {
        add_annotation(im, w, row, pf_field_cursor(&a));
    }
    count_memory(im, w, f, upid);
}
