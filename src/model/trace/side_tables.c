/* model/trace/side_tables.c - side tables and their rows, the known ones as data. Memory for the
 * columns is set up by the first row, so that a table without rows costs nothing. */
#include "model/trace/side_tables.h"

#include <math.h>
#include <string.h>

#include "base/list.h"
#include "model/trace/trace.h"

#define INT(name)                                                                                                      \
    {                                                                                                                  \
        name, PF_COLUMN_INT, NULL, NULL, NULL, 0                                                                       \
    }
#define TEXT(name)                                                                                                     \
    {                                                                                                                  \
        name, PF_COLUMN_TEXT, NULL, NULL, NULL, 0                                                                      \
    }
#define ROW(name, of)                                                                                                  \
    {                                                                                                                  \
        name, PF_COLUMN_ROW, NULL, of, NULL, 0                                                                         \
    }
#define OTHER(name, type, flags)                                                                                       \
    {                                                                                                                  \
        name, (pf_column_type)type, NULL, NULL, NULL, flags                                                            \
    }

static const pf_side_column machine[] = {OTHER("raw_id", PF_COLUMN_MADE_INT, 0),
                                         TEXT("name"),
                                         TEXT("sysname"),
                                         TEXT("release"),
                                         TEXT("version"),
                                         TEXT("arch"),
                                         INT("num_cpus"),
                                         TEXT("android_build_fingerprint"),
                                         TEXT("android_device_manufacturer"),
                                         INT("android_sdk_version"),
                                         INT("system_ram_bytes"),
                                         INT("system_ram_gb")};
static const pf_side_column state[] = {OTHER("ts", PF_COLUMN_INT, PF_COLUMN_SORTED),
                                       INT("dur"),
                                       ROW("track_id", "track"),
                                       TEXT("category"),
                                       TEXT("value"),
                                       OTHER("event", PF_COLUMN_ROW, PF_COLUMN_HIDDEN),
                                       OTHER("arg_set_id", PF_COLUMN_ARG_SET, 0)};
static const pf_side_column gpu[] = {OTHER("ugpu", PF_COLUMN_NUMBER, 0),
                                     INT("gpu"),
                                     TEXT("name"),
                                     TEXT("vendor"),
                                     TEXT("model"),
                                     TEXT("architecture"),
                                     TEXT("uuid"),
                                     TEXT("pci_bdf"),
                                     OTHER("machine_id", PF_COLUMN_MADE_INT, 0),
                                     OTHER("arg_set_id", PF_COLUMN_ARG_SET, 0)};
static const pf_side_column gpu_group[] = {INT("group_id"), ROW("track_id", "track"), TEXT("name"),
                                           TEXT("description")};
static const pf_side_column gpu_context[] = {INT("context_id"), INT("pid"), TEXT("api")};
static const pf_side_column vulkan[] = {OTHER("arg_set_id", PF_COLUMN_ARG_SET, 0),
                                        TEXT("source"),
                                        TEXT("operation"),
                                        INT("timestamp"),
                                        ROW("upid", "process"),
                                        INT("device"),
                                        INT("device_memory"),
                                        INT("memory_type"),
                                        INT("heap"),
                                        TEXT("function_name"),
                                        INT("object_handle"),
                                        INT("memory_address"),
                                        INT("memory_size"),
                                        TEXT("scope")};
static const pf_side_column frame[] = {TEXT("name"),
                                       ROW("mapping", "stack_profile_mapping"),
                                       INT("rel_pc"),
                                       INT("symbol_set_id"),
                                       OTHER("deobfuscated_name", PF_COLUMN_NULL_TEXT, 0),
                                       TEXT("category")};
static const pf_side_column callsite[] = {INT("depth"), ROW("parent_id", "stack_profile_callsite"),
                                          ROW("frame_id", "stack_profile_frame")};
static const pf_side_column event_stack[] = {ROW("slice_id", "slice"),
                                             ROW("callsite_id", "stack_profile_callsite"),
                                             ROW("end_callsite_id", "stack_profile_callsite"),
                                             OTHER("weight", PF_COLUMN_REAL, 0),
                                             OTHER("event", PF_COLUMN_ROW, PF_COLUMN_HIDDEN),
                                             OTHER("text", PF_COLUMN_TEXT, PF_COLUMN_HIDDEN),
                                             OTHER("end_text", PF_COLUMN_TEXT, PF_COLUMN_HIDDEN)};
static const pf_side_column logs[] = {INT("ts"), ROW("utid", "thread"), INT("prio"), TEXT("tag"), TEXT("msg")};
static const pf_side_column mapping[] = {TEXT("build_id"), INT("exact_offset"), INT("start_offset"), INT("start"),
                                         INT("end"),       INT("load_bias"),    TEXT("name")};
static const pf_side_column symbol[] = {INT("symbol_set_id"), TEXT("name"), TEXT("source_file"), INT("line_number"),
                                        OTHER("inlined", PF_COLUMN_NULL_INT, 0)};
static const pf_side_column cpu[] = {INT("ucpu"),
                                     INT("cpu"),
                                     INT("cluster_id"),
                                     TEXT("processor"),
                                     OTHER("machine_id", PF_COLUMN_MADE_INT, 0),
                                     INT("capacity"),
                                     OTHER("arg_set_id", PF_COLUMN_ARG_SET, 0)};
static const pf_side_column cpu_frequency[] = {INT("cpu"), INT("freq"), INT("ucpu")};

/* Rows by the million: numbers that are small and not negative are rows, which take half the bytes of an integer. */
static const pf_side_column sched[] = {OTHER("ts", PF_COLUMN_INT, PF_COLUMN_SORTED),
                                       INT("dur"),
                                       ROW("utid", "thread"),
                                       TEXT("end_state"),
                                       INT("priority"),
                                       ROW("ucpu", NULL)};
static const pf_side_column thread_state[] = {INT("ts"),
                                              INT("dur"),
                                              ROW("utid", "thread"),
                                              TEXT("state"),
                                              ROW("io_wait", NULL),
                                              TEXT("blocked_function"),
                                              ROW("waker_utid", "thread"),
                                              ROW("waker_id", "__intrinsic_thread_state"),
                                              ROW("irq_context", NULL),
                                              ROW("ucpu", NULL)};
static const pf_side_column spurious[] = {INT("ts"), ROW("thread_state_id", "__intrinsic_thread_state"),
                                          ROW("irq_context", NULL), ROW("utid", "thread"), ROW("waker_utid", "thread")};

static const pf_side_column ftrace_event[] = {INT("ts"),
                                              TEXT("name"),
                                              ROW("utid", "thread"),
                                              OTHER("arg_set_id", PF_COLUMN_ARG_SET, 0),
                                              ROW("common_flags", NULL),
                                              ROW("ucpu", NULL)};

#define SPEC(name, help, columns)                                                                                      \
    {                                                                                                                  \
        name, help, columns, sizeof columns / sizeof *columns                                                          \
    }

static const pf_side_spec specs[PF_SIDE_COUNT] = {
    [PF_SIDE_MACHINE] = SPEC("machine", "the machine that recorded the trace", machine),
    [PF_SIDE_STATE] = SPEC("state", "states of tracks", state),
    [PF_SIDE_GPU] = SPEC("gpu", "GPUs", gpu),
    [PF_SIDE_GPU_GROUP] = SPEC("gpu_counter_group", "groups of GPU counters", gpu_group),
    [PF_SIDE_GPU_CONTEXT] = SPEC("__intrinsic_gpu_context", "graphics contexts", gpu_context),
    [PF_SIDE_VULKAN_MEMORY] = SPEC("vulkan_memory_allocations", "Vulkan memory events", vulkan),
    [PF_SIDE_STACK_FRAME] = SPEC("stack_profile_frame", "frames of call stacks", frame),
    [PF_SIDE_CALLSITE] = SPEC("stack_profile_callsite", "frames and what called them", callsite),
    [PF_SIDE_EVENT_STACK] = SPEC("__intrinsic_event_stack", "call stacks of events", event_stack),
    [PF_SIDE_LOG] = SPEC("android_logs", "log messages", logs),
    [PF_SIDE_MAPPING] = SPEC("stack_profile_mapping", "what frames lie in", mapping),
    [PF_SIDE_SYMBOL] = SPEC("stack_profile_symbol", "source positions of frames", symbol),
    [PF_SIDE_CPU] = SPEC("__intrinsic_cpu", "CPUs in the order in which they came up", cpu),
    [PF_SIDE_CPU_FREQUENCY] = SPEC("cpu_available_frequencies", "frequencies (kHz) that CPUs can have", cpu_frequency),
    [PF_SIDE_SCHED] = SPEC("__intrinsic_sched_slice", "what each cpu ran", sched),
    [PF_SIDE_THREAD_STATE] = SPEC("__intrinsic_thread_state", "what threads did or waited for", thread_state),
    [PF_SIDE_SPURIOUS] = SPEC("spurious_sched_wakeup", "wakeups of threads that were not asleep", spurious),
    [PF_SIDE_FTRACE_EVENT] = SPEC("__intrinsic_ftrace_event", "events of the kernel, on request", ftrace_event),
};

/* The arrays of tables without rows. */
static void *const no_cells[PF_SIDE_COLUMNS_MAX];

static void **no_arrays(void)
{
    return (void **)(uintptr_t)no_cells;
}

static size_t cell_size(const pf_side_column *c)
{
    switch (c->type) {
    case PF_COLUMN_INT:
    case PF_COLUMN_REAL:
        return sizeof(int64_t);
    case PF_COLUMN_TEXT:
    case PF_COLUMN_ROW:
        return sizeof(uint32_t);
    case PF_COLUMN_BLOB:
        return sizeof(pf_bytes);
    }
    return 0;
}

size_t pf_side_row_bytes(const pf_side_table *s)
{
    size_t bytes = 0;
    for (size_t c = 0; c < s->spec->column_count; c++) {
        bytes += cell_size(&s->spec->columns[c]);
    }
    return bytes;
}

/* The columns and the pointers to them lie in one piece of memory. */
static size_t store_bytes(const pf_side_spec *spec)
{
    return sizeof(pf_columns) + spec->column_count * sizeof(void *);
}

void pf_side_init(pf_side_table *s, const pf_side_spec *spec, pf_budget *budget)
{
    *s = (pf_side_table){.spec = spec, .column = no_arrays(), .budget = budget};
}

void pf_sides_init(pf_side_tables *s, pf_budget *budget)
{
    *s = (pf_side_tables){.count = 0};
    for (size_t i = 0; i < PF_SIDE_COUNT; i++) {
        pf_side_init(&s->known[i], &specs[i], budget);
    }
}

void pf_side_clear(pf_side_table *s)
{
    if (s->grow) {
        pf_columns_free(s->grow);
        pf_release(s->budget, s->grow, store_bytes(s->spec));
    }
    s->grow = NULL;
    s->column = no_arrays();
    s->count = s->room = 0;
}

void pf_sides_free(pf_side_tables *s)
{
    for (size_t i = 0; i < PF_SIDE_COUNT; i++) {
        pf_side_clear(&s->known[i]);
    }
    for (size_t i = 0; i < s->count; i++) {
        pf_side_clear(s->added[i]);
    }
    PF_LIST_FREE(s->known[0].budget, s->added, s->room);
    s->added = NULL;
    s->count = s->room = 0;
}

const pf_side_table *pf_sides_at(const pf_side_tables *s, size_t i)
{
    return i < PF_SIDE_COUNT ? &s->known[i] : i - PF_SIDE_COUNT < s->count ? s->added[i - PF_SIDE_COUNT] : NULL;
}

/* UINT32_MAX: all, however many there are. */
static bool is_of(uint32_t columns, size_t c)
{
    return columns == UINT32_MAX || (c < 32 && columns >> c & 1);
}

static pf_status add_columns(const pf_side_table *s, uint32_t columns, pf_error *err)
{
    for (size_t c = 0; c < s->spec->column_count; c++) {
        size_t size = cell_size(&s->spec->columns[c]);
        PF_TRY(size && is_of(columns, c) ? pf_columns_add(s->grow, &s->column[c], size, err) : PF_OK);
    }
    return PF_OK;
}

static pf_status set_up(pf_side_table *s, uint32_t columns, pf_error *err)
{
    size_t bytes = store_bytes(s->spec);
    s->grow = pf_alloc_zero(s->budget, 1, bytes);
    PF_TRY(s->grow ? PF_OK : pf_budget_refused(s->budget, bytes, err));
    s->column = (void **)(s->grow + 1);
    pf_columns_init(s->grow, s->budget, s->spec->name);
    return add_columns(s, columns, err);
}

/* All columns or none: whoever goes on after a refusal asks again. */
static pf_status make_room(pf_side_table *s, uint64_t rows, pf_error *err)
{
    pf_status st = s->grow ? PF_OK : set_up(s, UINT32_MAX, err);
    if (st != PF_OK) {
        pf_side_clear(s);
        return st;
    }
    return rows > s->room ? pf_columns_grow(s->grow, rows, &s->room, err) : PF_OK;
}

pf_status pf_side_add_rows(pf_side_table *s, uint32_t rows, uint32_t *first, pf_error *err)
{
    PF_TRY(make_room(s, (uint64_t)s->count + rows, err));
    *first = s->count;
    s->count += rows;
    return PF_OK;
}

pf_status pf_side_add_columns(pf_side_table *s, uint32_t columns, pf_error *err)
{
    pf_status st = s->grow ? add_columns(s, columns, err) : set_up(s, columns, err);
    if (st != PF_OK && s->grow) {
        pf_side_drop_columns(s, columns);
    }
    return st;
}

void pf_side_drop_columns(pf_side_table *s, uint32_t columns)
{
    for (size_t c = 0; c < s->spec->column_count; c++) {
        if (is_of(columns, c)) {
            pf_columns_drop(s->grow, &s->column[c]);
        }
    }
}

pf_status pf_side_add_row(pf_side_table *s, pf_error *err)
{
    uint32_t row = s->count;
    if (row == s->room) {
        PF_TRY(make_room(s, (uint64_t)row + 1, err));
    }
    for (unsigned c = 0; c < s->spec->column_count; c++) {
        switch (s->spec->columns[c].type) {
        case PF_COLUMN_INT:
            *pf_side_number(s, c, row) = INT64_MIN;
            break;
        case PF_COLUMN_REAL:
            *pf_side_real(s, c, row) = NAN;
            break;
        case PF_COLUMN_TEXT:
            *pf_side_ref(s, c, row) = 0;
            break;
        case PF_COLUMN_BLOB:
            *pf_side_blob(s, c, row) = (pf_bytes){NULL, 0};
            break;
        case PF_COLUMN_ROW:
            *pf_side_ref(s, c, row) = PF_NONE;
            break;
        }
    }
    s->count++;
    return PF_OK;
}

void pf_side_set_row(pf_side_table *s, uint32_t row, const int64_t *cells)
{
    for (unsigned c = 0; c < s->spec->column_count; c++) {
        switch (s->spec->columns[c].type) {
        case PF_COLUMN_INT:
            *pf_side_number(s, c, row) = cells[c];
            break;
        case PF_COLUMN_REAL:
            memcpy(pf_side_real(s, c, row), &cells[c], sizeof(double));
            break;
        case PF_COLUMN_TEXT:
        case PF_COLUMN_ROW:
            *pf_side_ref(s, c, row) = (uint32_t)cells[c];
            break;
        case PF_COLUMN_BLOB:
            *pf_side_blob(s, c, row) = (pf_bytes){NULL, 0};
            break;
        }
    }
}

pf_status pf_side_put(pf_side_table *s, const int64_t *cells, uint32_t *row, pf_error *err)
{
    PF_TRY(pf_side_add_rows(s, 1, row, err));
    pf_side_set_row(s, *row, cells);
    return PF_OK;
}

pf_status pf_side_copy(pf_side_table *s, const pf_side_table *from, pf_error *err)
{
    PF_TRY(from->count ? make_room(s, from->count, err) : PF_OK);
    if (from->count) {
        PF_TRY(pf_columns_copy(s->grow, from->grow, from->count, &s->room, err));
        s->count = from->count;
    }
    return PF_OK;
}

pf_status pf_side_copy_row(pf_side_table *s, const pf_side_table *from, uint32_t row, pf_error *err)
{
    uint32_t to = 0;
    PF_TRY(pf_side_add_rows(s, 1, &to, err));
    for (size_t c = 0; c < s->spec->column_count; c++) {
        size_t size = cell_size(&s->spec->columns[c]);
        if (size) {
            memcpy((uint8_t *)s->column[c] + to * size, (const uint8_t *)from->column[c] + row * size, size);
        }
    }
    return PF_OK;
}

/* Whether the bytes lie in the file; then they are dropped. */
static bool drop_in(const pf_file *f, pf_bytes b)
{
    uintptr_t from = (uintptr_t)f->data, at = (uintptr_t)b.ptr;
    bool inside = f->data && at >= from && at - from <= f->size && b.len <= f->size - (at - from);
    if (inside) {
        pf_file_drop(f, at - from, at - from + b.len);
    }
    return inside;
}

void pf_trace_drop_bytes(const pf_trace *t, pf_bytes bytes)
{
    for (size_t i = 0; i < t->input_count; i++) {
        if (drop_in(&t->files[i], bytes)) {
            return;
        }
    }
    for (const pf_kept *k = t->kept; k; k = k->next) {
        if (drop_in(&k->file, bytes) || drop_in(&k->plain, bytes)) {
            return;
        }
    }
}
