/* model/sides.h - side tables: rare things that few traces have, in tables of one shape.
 *
 * A side table is described by its columns' kinds alone, so that a new one is a line of data. Cells are written and read
 * as arrays, like those of the main tables: int64 for NUMBER (INT64_MIN = NULL), uint32 for TEXT (string ids, 0 = NULL)
 * and for ROW (rows of other tables, PF_NONE = NULL).
 */
#ifndef PF_MODEL_SIDES_H
#define PF_MODEL_SIDES_H

#include "base/columns.h"

typedef enum pf_side_id {
    PF_SIDE_STATE = 0,     /* derived from events, in time order */
    PF_SIDE_MACHINE,       /* at most one row */
    PF_SIDE_GPU,           /* row = ugpu */
    PF_SIDE_GPU_GROUP,     /* groups of GPU counters */
    PF_SIDE_GPU_CONTEXT,   /* graphics contexts */
    PF_SIDE_VULKAN_MEMORY, /* Vulkan memory events */
    PF_SIDE_LOG,           /* log messages of events, in time order */
    PF_SIDE_STACK_FRAME,
    PF_SIDE_MAPPING,     /* what frames lie in */
    PF_SIDE_SYMBOL,      /* source positions of frames */
    PF_SIDE_CALLSITE,    /* a frame, called from another callsite */
    PF_SIDE_EVENT_STACK, /* where events were when they began or ended, in order of their rows */
    PF_SIDE_COUNT
} pf_side_id;

/* The columns of each table, in order. */
enum {
    PF_STATE_TS = 0,
    PF_STATE_DUR, /* -1: still on */
    PF_STATE_TRACK,
    PF_STATE_CATEGORY,
    PF_STATE_VALUE,
    PF_STATE_EVENT
};
enum {
    PF_MACHINE_SYSNAME = 0,
    PF_MACHINE_RELEASE,
    PF_MACHINE_VERSION,
    PF_MACHINE_ARCH,
    PF_MACHINE_NAME,
    PF_MACHINE_CPUS,
    PF_MACHINE_FINGERPRINT,
    PF_MACHINE_MANUFACTURER,
    PF_MACHINE_SDK,
    PF_MACHINE_RAM_BYTES,
    PF_MACHINE_RAM_GB
};
enum { PF_GPU_NUMBER = 0, PF_GPU_NAME, PF_GPU_VENDOR, PF_GPU_MODEL, PF_GPU_ARCHITECTURE, PF_GPU_UUID, PF_GPU_PCI };
enum { PF_GPU_GROUP_ID = 0, PF_GPU_GROUP_TRACK, PF_GPU_GROUP_NAME, PF_GPU_GROUP_DESCRIPTION };
enum { PF_GPU_CONTEXT_ID = 0, PF_GPU_CONTEXT_PID, PF_GPU_CONTEXT_API };
enum {
    PF_VULKAN_SOURCE = 0,
    PF_VULKAN_OPERATION,
    PF_VULKAN_TIMESTAMP,
    PF_VULKAN_UPID,
    PF_VULKAN_DEVICE,
    PF_VULKAN_DEVICE_MEMORY,
    PF_VULKAN_MEMORY_TYPE,
    PF_VULKAN_HEAP,
    PF_VULKAN_FUNCTION,
    PF_VULKAN_OBJECT,
    PF_VULKAN_ADDRESS,
    PF_VULKAN_SIZE,
    PF_VULKAN_SCOPE
};

enum { PF_LOG_TS = 0, PF_LOG_UTID, PF_LOG_PRIORITY, PF_LOG_TAG, PF_LOG_MESSAGE };
enum {
    PF_STACK_FRAME_NAME = 0,
    PF_STACK_FRAME_CATEGORY,
    PF_STACK_FRAME_MAPPING,
    PF_STACK_FRAME_PC,
    PF_STACK_FRAME_SYMBOLS
};
enum {
    PF_MAPPING_BUILD_ID = 0,
    PF_MAPPING_EXACT_OFFSET,
    PF_MAPPING_START_OFFSET,
    PF_MAPPING_START,
    PF_MAPPING_END,
    PF_MAPPING_LOAD_BIAS,
    PF_MAPPING_NAME
};
enum { PF_SYMBOL_SET = 0, PF_SYMBOL_NAME, PF_SYMBOL_FILE, PF_SYMBOL_LINE };
enum { PF_CALLSITE_DEPTH = 0, PF_CALLSITE_PARENT, PF_CALLSITE_FRAME };
enum {
    PF_EVENT_STACK_EVENT = 0,
    PF_EVENT_STACK_SLICE, /* set by pf_trace_finish; NULL: the event neither begins nor ends a slice */
    PF_EVENT_STACK_SITE,
    PF_EVENT_STACK_END_SITE,
    PF_EVENT_STACK_TEXT, /* as the event says it, until all frames are known */
    PF_EVENT_STACK_END_TEXT,
    PF_EVENT_STACK_WEIGHT /* the bits of a double */
};

#define PF_SIDE_COLUMNS_MAX 13

typedef struct pf_side {
    uint32_t count, room;
    void *column[PF_SIDE_COLUMNS_MAX]; /* int64_t or uint32_t, by the kind of the column */
    pf_columns columns;
} pf_side;

/* Makes all tables, without rows. */
pf_status pf_sides_init(pf_side *sides, pf_budget *budget, pf_error *err);
void pf_sides_free(pf_side *sides);

/* A new row of NULLs: its number is count - 1 afterwards. */
pf_status pf_side_add(pf_side *sides, pf_side_id id, pf_error *err);

/* Cells of a row. */
static inline int64_t *pf_side_number(pf_side *s, unsigned column, uint32_t row)
{
    return (int64_t *)s->column[column] + row;
}

static inline uint32_t *pf_side_ref(pf_side *s, unsigned column, uint32_t row)
{
    return (uint32_t *)s->column[column] + row;
}

#endif
