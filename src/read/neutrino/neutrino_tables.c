/* read/neutrino/neutrino_tables.c - the specs of the side tables. */
#include "read/neutrino/neutrino_reading.h"

#define COLUMN(name, type, unit, help)                                                                                 \
    {                                                                                                                  \
        name, PF_COLUMN_##type, unit, NULL, help, 0                                                                    \
    }
#define ROW(name, of)                                                                                                  \
    {                                                                                                                  \
        name, PF_COLUMN_ROW, NULL, of, NULL, 0                                                                         \
    }
#define PLAIN(name, type) COLUMN(name, type, NULL, NULL)

#define SPEC(name, help, ...)                                                                                          \
    {                                                                                                                  \
        name, help, (const pf_side_column[]){__VA_ARGS__},                                                             \
            sizeof((const pf_side_column[]){__VA_ARGS__}) / sizeof(pf_side_column)                                     \
    }

static const pf_side_spec specs[NEUTRINO_TABLES] = {
    [NEUTRINO_RUN] =
        SPEC("neutrino_run", "run directories", COLUMN("path", TEXT, NULL, "the folder, from the input's path on"),
             PLAIN("pid", INT), PLAIN("command", TEXT),
             COLUMN("backend", TEXT, NULL, "cuda or hip, as the log's calls are named"),
             COLUMN("maps", TEXT, NULL, "what the maps were read from"), ROW("process", "process")),
    [NEUTRINO_LAUNCH] = SPEC(
        "neutrino_launch", "kernel launches of the log", ROW("run", "neutrino_run"), PLAIN("kernel", TEXT),
        COLUMN("ts", INT, "ns", "wall clock; NULL where the launch was not probed"), PLAIN("grid_x", INT),
        PLAIN("grid_y", INT), PLAIN("grid_z", INT), PLAIN("block_x", INT), PLAIN("block_y", INT), PLAIN("block_z", INT),
        COLUMN("shared", INT, "bytes", NULL), COLUMN("params", TEXT, NULL, "raw parameter values as a JSON list"),
        COLUMN("probe_mem", INT, "bytes", NULL),
        COLUMN("counted", INT, NULL, "what the counting launch of a dynamic map found"),
        COLUMN("status", TEXT, NULL, "ok, failed or backup (not probed)"), COLUMN("code", INT, NULL, "of a failure"),
        COLUMN("prologue_ms", REAL, "ms", NULL), COLUMN("kernel_ms", REAL, "ms", NULL),
        COLUMN("epilogue_ms", REAL, "ms", NULL),
        COLUMN("original_ms", REAL, "ms", "benchmark mode: the kernel without probes"),
        COLUMN("impact", REAL, NULL, "benchmark mode: kernel over original"),
        COLUMN("file", TEXT, NULL, "the trace, as the log names it"),
        COLUMN("name", TEXT, NULL, "of the kernel, as it is written in C++"),
        COLUMN("slice_ts", INT, "ns", "where the launch is shown: ts, or the end of the launch before it"),
        {"event", PF_COLUMN_INT, NULL, NULL, "row of the launch's slice in the table of events", PF_COLUMN_HIDDEN}),
    [NEUTRINO_MEMORY] =
        SPEC("neutrino_memory", "device memory that was allocated and released", ROW("run", "neutrino_run"),
             PLAIN("call", TEXT), PLAIN("result", INT),
             COLUMN("address", INT, NULL, "the 64 bits of the device pointer"), COLUMN("bytes", INT, "bytes", NULL),
             COLUMN("allocated", INT, "bytes", "in use after the call"), ROW("launch", "neutrino_launch")),
    [NEUTRINO_KERNEL] = SPEC("neutrino_kernel", "kernels that were probed", ROW("run", "neutrino_run"),
                             PLAIN("folder", TEXT), PLAIN("name", TEXT), PLAIN("params", INT), PLAIN("sections", INT),
                             COLUMN("probed_registers", INT, NULL, "that ptxas used with probes"),
                             COLUMN("pruned_registers", INT, NULL, "and without"),
                             COLUMN("written", TEXT, NULL, "the name as it is written in C++")),
    [NEUTRINO_TENSOR] = SPEC("neutrino_tensor", "tensors and where they lie", ROW("run", "neutrino_run"),
                             PLAIN("ts", INT), PLAIN("shape", TEXT), COLUMN("bytes", INT, "bytes", NULL),
                             PLAIN("address", INT), PLAIN("name", TEXT), PLAIN("function", TEXT), PLAIN("place", TEXT)),
    [NEUTRINO_MAP] =
        SPEC("neutrino_map", "maps that probes fill", ROW("run", "neutrino_run"), PLAIN("name", TEXT),
             COLUMN("level", TEXT, NULL, "warp or thread"), COLUMN("bytes", INT, "bytes", "of a record"),
             COLUMN("capacity", INT, "records", "of a unit; NULL: dynamic or not known"), PLAIN("fields", TEXT)),
    [NEUTRINO_TRACE] = SPEC(
        "neutrino_trace", "binary traces", ROW("run", "neutrino_run"), ROW("launch", "neutrino_launch"),
        PLAIN("file", TEXT), COLUMN("seconds", REAL, "s", "since the driver was initialised, from the file's name"),
        COLUMN("layout", TEXT, NULL, "v0, v1, v2 or hip"), COLUMN("warp", INT, "threads", "lanes of a warp"),
        COLUMN("bytes", INT, "bytes", NULL), PLAIN("grid_x", INT), PLAIN("grid_y", INT), PLAIN("grid_z", INT),
        PLAIN("block_x", INT), PLAIN("block_y", INT), PLAIN("block_z", INT), COLUMN("shared", INT, "bytes", NULL),
        PLAIN("sections", INT)),
    [NEUTRINO_SECTION] =
        SPEC("neutrino_section", "sections of binary traces", ROW("trace", "neutrino_trace"),
             COLUMN("number", INT, NULL, "from 0"), PLAIN("map", TEXT),
             COLUMN("kind", TEXT, NULL,
                    "what its fields make it: block_sched, dmat, gmem_bytes, tensorop, program_progress"),
             COLUMN("level", TEXT, NULL, "warp or thread"),
             COLUMN("units", INT, NULL, "warps or threads of the launch"), PLAIN("units_per_block", INT),
             COLUMN("unit_bytes", INT, "bytes", NULL), COLUMN("record_bytes", INT, "bytes", NULL),
             COLUMN("capacity", INT, "records", "of a unit"), COLUMN("offset", INT, "bytes", "where the data is"),
             COLUMN("stored_offset", INT, "bytes", "where the section header says it is"),
             COLUMN("complete_units", INT, NULL, "whose data is all there"),
             COLUMN("data", BLOB, "bytes", "the complete units")),
    [NEUTRINO_FIELD] = SPEC("neutrino_field", "fields of the records of a section", ROW("section", "neutrino_section"),
                            PLAIN("name", TEXT), COLUMN("offset", INT, "bytes", "in the record"),
                            COLUMN("bytes", INT, "bytes", "4 or 8, not signed")),
    [NEUTRINO_FAULT] = SPEC("neutrino_fault", "what is wrong with a file", PLAIN("file", TEXT), PLAIN("field", TEXT),
                            COLUMN("fatal", INT, NULL, "1: nothing of the file could be used"), PLAIN("text", TEXT)),
    [NEUTRINO_STDOUT] = SPEC("neutrino_stdout", "what programs said of their memory", PLAIN("folder", TEXT),
                             COLUMN("max_memory", INT, "bytes", "of its first line 'max memory:'")),
    [NEUTRINO_LATENCY] =
        SPEC("neutrino_latency", "latencies with and without profilers", PLAIN("file", TEXT), PLAIN("probe", TEXT),
             PLAIN("original", REAL), PLAIN("ncu", REAL), PLAIN("neutrino", REAL), PLAIN("prologue", REAL),
             PLAIN("kernel", REAL), PLAIN("epilogue", REAL)),
    [NEUTRINO_PAGE] = SPEC("neutrino_page", "accesses of a page at a clock, of .dmat files", PLAIN("file", TEXT),
                           COLUMN("clock", INT, "cycles", NULL), PLAIN("page", INT), PLAIN("count", INT)),
    [NEUTRINO_BLOCK] =
        SPEC("neutrino_block", "when and where blocks ran", ROW("section", "neutrino_section"),
             COLUMN("block", INT, NULL, "x + y*gridX + z*gridX*gridY"), PLAIN("x", INT), PLAIN("y", INT),
             PLAIN("z", INT), COLUMN("start", INT, "cycles", "of its first warp, on the clock of its SM"),
             COLUMN("elapsed", INT, "cycles", "of its first warp"), PLAIN("sm", INT),
             COLUMN("warps", INT, NULL, "with a record that is not all zero")),
    [NEUTRINO_ACCESS] =
        SPEC("neutrino_access", "memory accesses", ROW("section", "neutrino_section"), PLAIN("block", INT),
             PLAIN("thread", INT), COLUMN("clock", INT, "cycles", "since the thread's start"), PLAIN("address", INT)),
    [NEUTRINO_BYTES] =
        SPEC("neutrino_bytes", "bytes that threads moved", ROW("section", "neutrino_section"), PLAIN("block", INT),
             PLAIN("thread", INT), COLUMN("sync_bytes", INT, "bytes", NULL), COLUMN("async_bytes", INT, "bytes", NULL)),
    [NEUTRINO_TENSOROP] = SPEC("neutrino_tensorop", "tensor operations of threads", ROW("section", "neutrino_section"),
                               PLAIN("block", INT), PLAIN("thread", INT), PLAIN("count", INT)),
    [NEUTRINO_SAMPLE] =
        SPEC("neutrino_sample", "sampled clocks of threads", ROW("section", "neutrino_section"), PLAIN("block", INT),
             PLAIN("thread", INT), PLAIN("sample", INT), COLUMN("clock", INT, "cycles", NULL)),
    [NEUTRINO_VALUE] =
        SPEC("neutrino_value", "records of maps of other kinds, value by value", ROW("section", "neutrino_section"),
             PLAIN("block", INT), PLAIN("unit", INT), PLAIN("record", INT), PLAIN("field", TEXT), PLAIN("value", INT)),
};

pf_status pf_neutrino_add_tables(pf_trace *t, pf_side_table **tables, pf_error *err)
{
    for (size_t i = 0; i < NEUTRINO_TABLES; i++) {
        PF_TRY(pf_trace_add_table(t, &specs[i], &tables[i], err));
    }
    return PF_OK;
}
