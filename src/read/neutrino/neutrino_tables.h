/* read/neutrino/neutrino_tables.h - the side tables that a Neutrino recording fills, and their columns
 * (docs/reference/neutrino.md, "Tables"). */
#ifndef PF_READ_NEUTRINO_NEUTRINO_TABLES_H
#define PF_READ_NEUTRINO_NEUTRINO_TABLES_H

#include "postfetto/side_table.h"

typedef enum neutrino_table_id {
    NEUTRINO_RUN = 0, /* a run directory, or the file that stands for one */
    NEUTRINO_LAUNCH,  /* a kernel launch of the log */
    NEUTRINO_MEMORY,  /* an allocation or release of device memory */
    NEUTRINO_KERNEL,  /* a folder of kernel/ */
    NEUTRINO_TENSOR,  /* a line of tensor.trace */
    NEUTRINO_MAP,     /* a map that a probe definition, kernel.info or --map declares */
    NEUTRINO_TRACE,   /* a binary trace */
    NEUTRINO_SECTION, /* a section of one: its records as bytes */
    NEUTRINO_FIELD,   /* a field of a section's records */
    NEUTRINO_FAULT,   /* what is wrong with a file */
    NEUTRINO_STDOUT,  /* a stdout.log of a max-memory run */
    NEUTRINO_LATENCY, /* a row of a latency CSV */
    NEUTRINO_PAGE,    /* an entry of a .dmat file */
    NEUTRINO_BLOCK,   /* records, where they are wanted (PF_WANT_RECORDS) */
    NEUTRINO_ACCESS,
    NEUTRINO_BYTES,
    NEUTRINO_TENSOROP,
    NEUTRINO_SAMPLE,
    NEUTRINO_VALUE,
    NEUTRINO_TABLES
} neutrino_table_id;

enum { RUN_PATH = 0, RUN_PID, RUN_COMMAND, RUN_BACKEND, RUN_MAPS, RUN_PROCESS };
enum {
    LAUNCH_RUN = 0,
    LAUNCH_KERNEL,
    LAUNCH_TS,
    LAUNCH_GRID_X,
    LAUNCH_GRID_Y,
    LAUNCH_GRID_Z,
    LAUNCH_BLOCK_X,
    LAUNCH_BLOCK_Y,
    LAUNCH_BLOCK_Z,
    LAUNCH_SHARED,
    LAUNCH_PARAMS,
    LAUNCH_PROBE_MEM,
    LAUNCH_COUNT,
    LAUNCH_STATUS,
    LAUNCH_CODE,
    LAUNCH_PROLOGUE,
    LAUNCH_KERNEL_MS,
    LAUNCH_EPILOGUE,
    LAUNCH_ORIGINAL,
    LAUNCH_IMPACT,
    LAUNCH_FILE,
    LAUNCH_NAME,
    LAUNCH_SLICE_TS,
    LAUNCH_EVENT
};
enum { MEMORY_RUN = 0, MEMORY_CALL, MEMORY_RESULT, MEMORY_ADDRESS, MEMORY_BYTES, MEMORY_ALLOCATED, MEMORY_LAUNCH };
enum {
    KERNEL_RUN = 0,
    KERNEL_FOLDER,
    KERNEL_NAME,
    KERNEL_PARAMS,
    KERNEL_SECTIONS,
    KERNEL_PROBED,
    KERNEL_PRUNED,
    KERNEL_WRITTEN
};
enum {
    TENSOR_RUN = 0,
    TENSOR_TS,
    TENSOR_SHAPE,
    TENSOR_BYTES,
    TENSOR_ADDRESS,
    TENSOR_NAME,
    TENSOR_FUNCTION,
    TENSOR_PLACE
};
enum { MAP_RUN = 0, MAP_NAME, MAP_LEVEL, MAP_BYTES, MAP_CAPACITY, MAP_FIELDS };
enum {
    TRACE_RUN = 0,
    TRACE_LAUNCH,
    TRACE_FILE,
    TRACE_SECONDS,
    TRACE_LAYOUT,
    TRACE_WARP,
    TRACE_BYTES,
    TRACE_GRID_X,
    TRACE_GRID_Y,
    TRACE_GRID_Z,
    TRACE_BLOCK_X,
    TRACE_BLOCK_Y,
    TRACE_BLOCK_Z,
    TRACE_SHARED,
    TRACE_SECTIONS
};
enum {
    SECTION_TRACE = 0,
    SECTION_NUMBER,
    SECTION_MAP,
    SECTION_KIND,
    SECTION_LEVEL,
    SECTION_UNITS,
    SECTION_UNITS_PER_BLOCK,
    SECTION_UNIT_BYTES,
    SECTION_RECORD_BYTES,
    SECTION_CAPACITY,
    SECTION_OFFSET,
    SECTION_STORED_OFFSET,
    SECTION_COMPLETE_UNITS,
    SECTION_DATA
};
enum { FIELD_SECTION = 0, FIELD_NAME, FIELD_OFFSET, FIELD_BYTES };
enum { FAULT_FILE = 0, FAULT_FIELD, FAULT_FATAL, FAULT_TEXT };
enum { STDOUT_FOLDER = 0, STDOUT_MAX_MEMORY };
enum {
    LATENCY_FILE = 0,
    LATENCY_PROBE,
    LATENCY_ORIGINAL,
    LATENCY_NCU,
    LATENCY_NEUTRINO,
    LATENCY_PROLOGUE,
    LATENCY_KERNEL,
    LATENCY_EPILOGUE
};
enum { PAGE_FILE = 0, PAGE_CLOCK, PAGE_PAGE, PAGE_COUNT };
enum { BLOCK_SECTION = 0, BLOCK_BLOCK, BLOCK_X, BLOCK_Y, BLOCK_Z, BLOCK_START, BLOCK_ELAPSED, BLOCK_SM, BLOCK_WARPS };
enum { ACCESS_SECTION = 0, ACCESS_BLOCK, ACCESS_THREAD, ACCESS_CLOCK, ACCESS_ADDRESS };
enum { BYTES_SECTION = 0, BYTES_BLOCK, BYTES_THREAD, BYTES_SYNC, BYTES_ASYNC };
enum { TENSOROP_SECTION = 0, TENSOROP_BLOCK, TENSOROP_THREAD, TENSOROP_COUNT };
enum { SAMPLE_SECTION = 0, SAMPLE_BLOCK, SAMPLE_THREAD, SAMPLE_NUMBER, SAMPLE_CLOCK };
enum { VALUE_SECTION = 0, VALUE_BLOCK, VALUE_UNIT, VALUE_RECORD, VALUE_FIELD, VALUE_VALUE };

/* Registers all of them; `tables` has NEUTRINO_TABLES places. */
pf_status pf_neutrino_add_tables(pf_trace *t, pf_side_table **tables, pf_error *err);

/* Whether a table holds single records, which are many. */
static inline bool pf_neutrino_is_bulk(neutrino_table_id id)
{
    return id >= NEUTRINO_BLOCK;
}

#endif
