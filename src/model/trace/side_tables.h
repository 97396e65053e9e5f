/* model/trace/side_tables.h - the side tables that every trace has: rare things that Perfetto has tables for. Where
 * they differ from what others register (postfetto/side_table.h) is in columns without cells, so that their shape in
 * SQL is Perfetto's. */
#pragma once

#include "base/arena.h"
#include "base/columns.h"
#include "postfetto/side_table.h"

/* Types of columns without cells. */
enum {
    PF_COLUMN_NUMBER = 16, /* the row number once more */
    PF_COLUMN_ZERO,
    PF_COLUMN_NULL_INT,
    PF_COLUMN_NULL_TEXT,
    PF_COLUMN_ARG_SET,  /* the set of the row's arguments */
    PF_COLUMN_MADE_INT, /* made of other columns by whoever shows the table */
    PF_COLUMN_MADE_TEXT,
    PF_COLUMN_MADE_ROW
};

/* Flags that columns of the main tables have besides the public ones. */
enum {
    PF_COLUMN_ALWAYS = 1u << 8, /* INT: never NULL */
    PF_COLUMN_FEW = 1u << 9,    /* ROW: each value has few rows */
    PF_COLUMN_PLAIN = 1u << 10, /* TEXT: nobody looks for a row by its value */
    PF_COLUMN_ALIAS = 1u << 11  /* another column once more, by a name that Perfetto has, too */
};

typedef enum pf_side_id {
    PF_SIDE_MACHINE = 0,   /* at most one row */
    PF_SIDE_STATE,         /* derived from events, in time order */
    PF_SIDE_GPU,           /* row = ugpu */
    PF_SIDE_GPU_GROUP,     /* groups of GPU counters */
    PF_SIDE_GPU_CONTEXT,   /* graphics contexts */
    PF_SIDE_VULKAN_MEMORY, /* Vulkan memory events */
    PF_SIDE_STACK_FRAME,
    PF_SIDE_CALLSITE,    /* a frame, called from another callsite */
    PF_SIDE_EVENT_STACK, /* where events were when they began or ended, in order of their rows */
    PF_SIDE_LOG,         /* log messages of events, in time order */
    PF_SIDE_MAPPING,     /* what frames lie in */
    PF_SIDE_SYMBOL,      /* source positions of frames */
    PF_SIDE_CPU,         /* CPUs that came up */
    PF_SIDE_CPU_FREQUENCY,
    PF_SIDE_SCHED, /* what each cpu ran */
    PF_SIDE_THREAD_STATE,
    PF_SIDE_SPURIOUS,     /* wakeups of threads that were not asleep */
    PF_SIDE_FTRACE_EVENT, /* on request */
    PF_SIDE_COUNT
} pf_side_id;

/* The columns of each table, in order. */
enum {
    PF_MACHINE_RAW_ID = 0,
    PF_MACHINE_NAME,
    PF_MACHINE_SYSNAME,
    PF_MACHINE_RELEASE,
    PF_MACHINE_VERSION,
    PF_MACHINE_ARCH,
    PF_MACHINE_CPUS,
    PF_MACHINE_FINGERPRINT,
    PF_MACHINE_MANUFACTURER,
    PF_MACHINE_SDK,
    PF_MACHINE_RAM_BYTES,
    PF_MACHINE_RAM_GB
};
enum {
    PF_STATE_TS = 0,
    PF_STATE_DUR, /* -1: still on */
    PF_STATE_TRACK,
    PF_STATE_CATEGORY,
    PF_STATE_VALUE,
    PF_STATE_EVENT,
    PF_STATE_ARGS
};
enum {
    PF_GPU_UGPU = 0,
    PF_GPU_NUMBER,
    PF_GPU_NAME,
    PF_GPU_VENDOR,
    PF_GPU_MODEL,
    PF_GPU_ARCHITECTURE,
    PF_GPU_UUID,
    PF_GPU_PCI,
    PF_GPU_MACHINE,
    PF_GPU_ARGS
};
enum { PF_GPU_GROUP_ID = 0, PF_GPU_GROUP_TRACK, PF_GPU_GROUP_NAME, PF_GPU_GROUP_DESCRIPTION };
enum { PF_GPU_CONTEXT_ID = 0, PF_GPU_CONTEXT_PID, PF_GPU_CONTEXT_API };
enum {
    PF_VULKAN_ARGS = 0,
    PF_VULKAN_SOURCE,
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
enum {
    PF_STACK_FRAME_NAME = 0,
    PF_STACK_FRAME_MAPPING,
    PF_STACK_FRAME_PC,
    PF_STACK_FRAME_SYMBOLS,
    PF_STACK_FRAME_DEOBFUSCATED,
    PF_STACK_FRAME_CATEGORY
};
enum { PF_CALLSITE_DEPTH = 0, PF_CALLSITE_PARENT, PF_CALLSITE_FRAME };
enum {
    PF_EVENT_STACK_SLICE = 0, /* set by pf_trace_finish; NULL: the event neither begins nor ends a slice */
    PF_EVENT_STACK_SITE,
    PF_EVENT_STACK_END_SITE,
    PF_EVENT_STACK_WEIGHT,
    PF_EVENT_STACK_EVENT,
    PF_EVENT_STACK_TEXT, /* as the event says it, until all frames are known */
    PF_EVENT_STACK_END_TEXT
};
enum { PF_LOG_TS = 0, PF_LOG_UTID, PF_LOG_PRIORITY, PF_LOG_TAG, PF_LOG_MESSAGE };
enum {
    PF_MAPPING_BUILD_ID = 0,
    PF_MAPPING_EXACT_OFFSET,
    PF_MAPPING_START_OFFSET,
    PF_MAPPING_START,
    PF_MAPPING_END,
    PF_MAPPING_LOAD_BIAS,
    PF_MAPPING_NAME
};
enum {
    PF_CPU_UCPU = 0, /* the CPU as no other machine has it */
    PF_CPU_NUMBER,
    PF_CPU_CLUSTER,
    PF_CPU_PROCESSOR,
    PF_CPU_MACHINE,
    PF_CPU_CAPACITY,
    PF_CPU_ARGS,
    PF_CPU_COLUMNS
};
enum { PF_SYMBOL_SET = 0, PF_SYMBOL_NAME, PF_SYMBOL_FILE, PF_SYMBOL_LINE, PF_SYMBOL_INLINED };

enum { PF_SCHED_TS = 0, PF_SCHED_DUR, PF_SCHED_UTID, PF_SCHED_END_STATE, PF_SCHED_PRIORITY, PF_SCHED_UCPU };
enum {
    PF_THREAD_STATE_TS = 0,
    PF_THREAD_STATE_DUR,
    PF_THREAD_STATE_UTID,
    PF_THREAD_STATE_STATE,
    PF_THREAD_STATE_IO_WAIT,
    PF_THREAD_STATE_BLOCKED,
    PF_THREAD_STATE_WAKER_UTID,
    PF_THREAD_STATE_WAKER_ID,
    PF_THREAD_STATE_IRQ,
    PF_THREAD_STATE_UCPU
};
enum {
    PF_FTRACE_EVENT_TS = 0,
    PF_FTRACE_EVENT_NAME,
    PF_FTRACE_EVENT_UTID,
    PF_FTRACE_EVENT_ARGS,
    PF_FTRACE_EVENT_FLAGS,
    PF_FTRACE_EVENT_UCPU
};
enum { PF_SPURIOUS_TS = 0, PF_SPURIOUS_STATE, PF_SPURIOUS_IRQ, PF_SPURIOUS_UTID, PF_SPURIOUS_WAKER };

/* All side tables of a trace. */
typedef struct pf_side_tables {
    pf_side_table known[PF_SIDE_COUNT]; /* by pf_side_id */
    pf_side_table **added;              /* the others */
    size_t count, room;
} pf_side_tables;

#define PF_UCPU_STEP 4096u /* a ucpu is a CPU and that many for each machine before its own */

/* Makes a table without rows. */
void pf_side_init(pf_side_table *s, const pf_side_spec *spec, pf_budget *budget);

/* Makes the known tables, without rows; memory for cells comes with the first row. */
void pf_sides_init(pf_side_tables *s, pf_budget *budget);
void pf_sides_free(pf_side_tables *s);

/* All tables, the known ones first; NULL after the last. */
const pf_side_table *pf_sides_at(const pf_side_tables *s, size_t i);

/* The bytes that the cells of a row take. */
size_t pf_side_row_bytes(const pf_side_table *s);

/* A table that has no rows yet gets these columns only, a bit each; later they, without values, are added to those that
 * it has. Other columns stay NULL. */
pf_status pf_side_add_columns(pf_side_table *s, uint32_t columns, pf_error *err);
void pf_side_drop_columns(pf_side_table *s, uint32_t columns);
void pf_side_clear(pf_side_table *s); /* no rows, no columns */

/* Fills an empty table with the rows of one that has the same columns. */
pf_status pf_side_copy(pf_side_table *s, const pf_side_table *from, pf_error *err);

/* Copies one row of a table that has the same columns to the end of `s`. */
pf_status pf_side_copy_row(pf_side_table *s, const pf_side_table *from, uint32_t row, pf_error *err);

/* Writes all cells of a row, a number for each column: INT the value, REAL its bits (pf_side_bits), TEXT and ROW the
 * id; BLOB cells become NULL whatever it is. */
void pf_side_set_row(pf_side_table *s, uint32_t row, const int64_t *cells);

/* Appends a row, whose cells the caller writes: where rows come by the million. */
static inline pf_status pf_side_next_row(pf_side_table *s, uint32_t *row, pf_error *err)
{
    *row = s->count;
    if (__builtin_expect(s->count == s->room, 0)) {
        return pf_side_add_rows(s, 1, row, err);
    }
    s->count++;
    return PF_OK;
}

/* Appends a row with these cells. */
pf_status pf_side_put(pf_side_table *s, const int64_t *cells, uint32_t *row, pf_error *err);

static inline int64_t pf_side_bits(double v)
{
    union {
        double real;
        int64_t bits;
    } cell = {v};
    return cell.bits;
}
