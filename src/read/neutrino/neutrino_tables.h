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

/* Columns of tables that are read again, or filled cell by cell. */
enum { RUN_PATH = 0, RUN_PID, RUN_COMMAND, RUN_BACKEND, RUN_MAPS, RUN_PROCESS };
enum {
    LAUNCH_RUN = 0,
    LAUNCH_KERNEL,
    LAUNCH_TS,
    LAUNCH_GRID_X,
    LAUNCH_BLOCK_X = LAUNCH_GRID_X + 3,
    LAUNCH_SHARED = LAUNCH_BLOCK_X + 3,
    LAUNCH_PARAMS,
    LAUNCH_PROBE_MEM,
    LAUNCH_COUNT,
    LAUNCH_STATUS,
    LAUNCH_CODE,
    LAUNCH_PROLOGUE, /* then kernel, epilogue, original, impact */
    LAUNCH_FILE = LAUNCH_PROLOGUE + 5,
    LAUNCH_NAME,
    LAUNCH_SLICE_TS,
    LAUNCH_EVENT
};
enum { MEMORY_RUN = 0, MEMORY_CALL, MEMORY_RESULT, MEMORY_ADDRESS, MEMORY_BYTES, MEMORY_ALLOCATED, MEMORY_LAUNCH };
enum { KERNEL_FOLDER = 1, KERNEL_NAME, KERNEL_SECTIONS = KERNEL_NAME + 2 };

/* Registers all of them; `tables` has NEUTRINO_TABLES places. */
pf_status pf_neutrino_add_tables(pf_trace *t, pf_side_table **tables, pf_error *err);

#endif
