/* list_tables [PAGE]: prints docs/reference/tables.md, made of the descriptors of all tables; with a page it says
 * whether that is what it would print (exit 1: no). What a column means is said by the table where it can say that
 * (side tables of readers), else by the list below; a column that nobody explains, or a line for one that is not there,
 * is an error. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/pass/passes.h"
#include "base/buffer.h"
#include "base/str.h"
#include "postfetto/author/reader.h"
#include "postfetto/query.h"
#include "write/columns/table/file_columns.h"

/* ---- what columns mean ------------------------------------------------------------------------------------------- */

/* "*": of every table that has no line of its own for the column. Of a name with a dot in front nothing but the table
 * is explained. */
static const struct {
    const char *table, *column, *text;
} MEANINGS[] = {
    {"*", "id", "number of the row, from 0"},
    {"*", "arg_set_id", "its arguments: rows of args with this arg_set_id"},
    {"*", "machine_id", "row of machine: where it was recorded"},
    {"*", "trace_id", "always 0"},
    {"*", "input_id", "row of trace_file: the input that it is from"},
    {"*", "name", "its name"},
    {"*", "category", "its category"},
    {"*", "track_id", "row of track"},
    {"*", "start_ts", "when it began, ns in trace time"},
    {"*", "end_ts", "when it ended, ns in trace time"},

    {"slice", "", "intervals and instants on tracks, in order of their begin; those of a track nest"},
    {"slice", "ts", "when it began, ns in trace time (or cycles, if that is what the trace counts)"},
    {"slice", "dur", "how long it was, in the same unit; 0: an instant, -1: it never ended"},
    {"slice", "depth", "slices around it on its track"},
    {"slice", "parent_id", "row of slice: the innermost one around it"},
    {"slice", "thread_ts", "the thread's own clock at the begin, ns"},
    {"slice", "thread_dur", "processor time of the thread meanwhile, ns"},
    {"slice", "thread_instruction_count", "instructions of the thread until the begin"},
    {"slice", "thread_instruction_delta", "instructions meanwhile"},
    {"slice", "cat", "category once more"},
    {"slice", "slice_id", "id once more"},

    {"counter", "", "samples of counters, in order of time"},
    {"counter", "ts", "when, ns in trace time"},
    {"counter", "value", "the value from then on"},

    {"flow", "", "flow arrows from one slice to another"},
    {"flow", "slice_out", "row of slice: where it begins"},
    {"flow", "slice_in", "row of slice: where it ends"},
    {"flow", "trace_id", "the id that the recording gave it"},

    {"process", "", "processes; row 0 is the idle one"},
    {"process", "upid", "number of the row, from 0: pids may be used again, or by several inputs"},
    {"process", "id", "upid once more"},
    {"process", "pid", "as the system, or the recording, numbers it"},
    {"process", "parent_upid", "row of process: its parent"},
    {"process", "uid", "the user that it ran for"},
    {"process", "android_appid", "uid modulo 100,000: the app on Android"},
    {"process", "android_user_id", "uid / 100,000: the user of the device on Android"},
    {"process", "cmdline", "its command line"},

    {"thread", "", "threads; row 0 is the idle one"},
    {"thread", "utid", "number of the row, from 0"},
    {"thread", "id", "utid once more"},
    {"thread", "tid", "as the system, or the recording, numbers it"},
    {"thread", "upid", "row of process: that it belongs to"},
    {"thread", "is_main_thread", "1 if its process has its number; NULL where the process is not known"},
    {"thread", "is_idle", "1 for row 0"},

    {"__intrinsic_track", "", "what slices, counters and states lie on: rows of a drawing"},
    {"__intrinsic_track", "id", "its number; tracks that nothing shows leave gaps"},
    {"__intrinsic_track", "parent_id", "row of track: that it is drawn below"},
    {"__intrinsic_track", "source_arg_set_id",
     "what the recording says of it (description, order, ...), as arg_set_id"},
    {"__intrinsic_track", "type", "what it is for: thread_execution, process_counter, ..."},
    {"__intrinsic_track", "dimension_arg_set_id", "what makes it one of its type (utid, gpu, ...), as arg_set_id"},
    {"__intrinsic_track", "track_group_id", "tracks with the same number are drawn as one"},
    {"__intrinsic_track", "event_type", "slice, counter or state: what lies on it"},
    {"__intrinsic_track", "counter_unit", "of a counter: its unit"},
    {"__intrinsic_track", "utid", "row of thread: whose track it is"},
    {"__intrinsic_track", "upid", "row of process: whose track it is; NULL of tracks of threads"},

    {"args", "", "arguments of rows of the other tables; those of a row are a set"},
    {"args", "arg_set_id", "the set, ascending"},
    {"args", "flat_key", "the key without the indices of lists: debug.sizes"},
    {"args", "key",
     "where it lies: debug.sizes[3]; arguments of JSON begin with args., those of track events with debug."},
    {"args", "int_value", "of an int, uint (beyond 2^63 negative), bool or pointer"},
    {"args", "string_value", "of a string, or of JSON text"},
    {"args", "real_value", "of a real"},
    {"args", "value_type", "int, uint, bool, pointer, real, string, json or null: which of the three it is in"},
    {"args", "display_value", "the value as text"},

    {"clock_snapshot", "", "what clocks showed at one moment, a row for each clock"},
    {"clock_snapshot", "ts", "the moment, ns in trace time"},
    {"clock_snapshot", "clock_id", "number of the clock"},
    {"clock_snapshot", "clock_name", "REALTIME, MONOTONIC, ...; NULL if it is not built in"},
    {"clock_snapshot", "clock_value", "what it showed, ns"},
    {"clock_snapshot", "snapshot_id", "rows with the same number are of one moment"},

    {"metadata", "", "facts of the recording by name"},
    {"metadata", "key_type", "single, or multi for names that have several rows"},
    {"metadata", "int_value", "the value of a number"},
    {"metadata", "str_value", "the value of a text"},

    {"stats", "", "faults and oddities that were met while reading, a row for each kind and input"},
    {"stats", "key", "number of the kind"},
    {"stats", "idx", "always NULL"},
    {"stats", "severity", "info, notice, data_loss or error"},
    {"stats", "source", "trace: the recording has it; analysis: reading did it"},
    {"stats", "value", "how often"},
    {"stats", "description", "what it means"},
    {"stats", "loss", "1 if data was lost"},

    {"trace_bounds", "", "first and last moment of the trace, one row"},

    {"__intrinsic_trace_file", "", "the inputs"},
    {"__intrinsic_trace_file", "parent_id", "always NULL"},
    {"__intrinsic_trace_file", "name", "its path"},
    {"__intrinsic_trace_file", "size", "bytes as stored"},
    {"__intrinsic_trace_file", "trace_type", "proto, json or another format"},
    {"__intrinsic_trace_file", "processing_order", "id once more"},
    {"__intrinsic_trace_file", "is_container", "always 0"},

    {"__intrinsic_cpu", "id", "ucpu once more"},
    {"__intrinsic_cpu", "ucpu", "the CPU"},
    {"__intrinsic_cpu", "cpu", "the CPU"},
    {"__intrinsic_cpu", "cluster_id", "CPUs that are alike have one in common; by capacity or highest frequency"},
    {"__intrinsic_cpu", "processor", "what the kernel calls it"},
    {"__intrinsic_cpu", "capacity", "against the fastest one, which has 1024; NULL: unknown"},
    {"cpu_available_frequencies", "cpu", "the CPU"},
    {"cpu_available_frequencies", "freq", "a frequency that it can have, kHz"},
    {"cpu_available_frequencies", "ucpu", "the CPU"},
    {"machine", "raw_id", "always 0"},
    {"machine", "sysname", "its system: Linux"},
    {"machine", "release", "of the system"},
    {"machine", "version", "of the system"},
    {"machine", "arch", "its processors: x86_64"},
    {"machine", "num_cpus", "how many of them"},
    {"machine", "android_build_fingerprint", "of the build of Android"},
    {"machine", "android_device_manufacturer", "who made the device"},
    {"machine", "android_sdk_version", "of Android"},
    {"machine", "system_ram_bytes", "its memory, bytes"},
    {"machine", "system_ram_gb", "its memory, GB"},

    {"__intrinsic_sched_slice", "ts", "when the cpu began to run the thread, ns in trace time"},
    {"__intrinsic_sched_slice", "dur", "for how long, ns; -1: the end is not known"},
    {"__intrinsic_sched_slice", "end_state", "why it stopped: R, R+ (another one was preferred), S, D, ..."},
    {"__intrinsic_sched_slice", "priority", "the kernel's; smaller numbers come first"},
    {"__intrinsic_sched_slice", "ucpu", "the cpu"},

    {"__intrinsic_thread_state", "ts", "when it began, ns in trace time"},
    {"__intrinsic_thread_state", "dur", "how long it was, ns; -1: the end is not known"},
    {"__intrinsic_thread_state", "state", "Running, R and R+ (it could run), S, D, I, X, Z, ..."},
    {"__intrinsic_thread_state", "io_wait", "1: it waited for a device"},
    {"__intrinsic_thread_state", "blocked_function", "where in the kernel it waited"},
    {"__intrinsic_thread_state", "irq_context", "1: an interrupt woke it"},
    {"__intrinsic_thread_state", "ucpu", "the cpu, while it runs"},

    {"__intrinsic_ftrace_event", "ts", "when, ns in trace time"},
    {"__intrinsic_ftrace_event", "common_flags", "of the kernel: interrupts off, in an interrupt, ..."},
    {"__intrinsic_ftrace_event", "ucpu", "the cpu that it happened on"},

    {"spurious_sched_wakeup", "ts", "when, ns in trace time"},
    {"spurious_sched_wakeup", "irq_context", "1: an interrupt woke it"},

    {"state", "ts", "when it began, ns in trace time"},
    {"state", "dur", "how long it was, ns; -1: until the end"},
    {"state", "value", "the state"},

    {"gpu", "ugpu", "id once more"},
    {"gpu", "gpu", "its number in the recording"},
    {"gpu", "vendor", "who made it"},
    {"gpu", "model", "its model"},
    {"gpu", "architecture", "its architecture"},
    {"gpu", "uuid", "its UUID in hexadecimal digits"},
    {"gpu", "pci_bdf", "its place on the PCI bus"},

    {"gpu_counter_group", "group_id", "number of the group in the recording"},
    {"gpu_counter_group", "track_id", "row of track: a counter in it"},
    {"gpu_counter_group", "description", "of the group"},

    {"__intrinsic_gpu_context", "context_id", "its number in the recording"},
    {"__intrinsic_gpu_context", "pid", "of the process that has it"},
    {"__intrinsic_gpu_context", "api", "OPEN_GL, VULKAN, OPEN_CL, CUDA or HIP"},

    {"vulkan_memory_allocations", "source", "what kind of memory: DRIVER, DEVICE, GPU_BUFFER, ..."},
    {"vulkan_memory_allocations", "operation", "CREATE, DESTROY, BIND, ..."},
    {"vulkan_memory_allocations", "timestamp", "when, as the packet says it"},
    {"vulkan_memory_allocations", "upid", "row of process"},
    {"vulkan_memory_allocations", "device", "handle of the device"},
    {"vulkan_memory_allocations", "device_memory", "handle of the memory"},
    {"vulkan_memory_allocations", "memory_type", "number of the type"},
    {"vulkan_memory_allocations", "heap", "number of the heap"},
    {"vulkan_memory_allocations", "function_name", "the function that was called"},
    {"vulkan_memory_allocations", "object_handle", "handle of the object"},
    {"vulkan_memory_allocations", "memory_address", "where it lies"},
    {"vulkan_memory_allocations", "memory_size", "bytes"},
    {"vulkan_memory_allocations", "scope", "how long it is meant to live: COMMAND, OBJECT, ..."},

    {"stack_profile_frame", "name", "the function"},
    {"stack_profile_frame", "mapping", "row of stack_profile_mapping: what it lies in"},
    {"stack_profile_frame", "rel_pc", "where in there"},
    {"stack_profile_frame", "symbol_set_id", "its source positions: rows of stack_profile_symbol"},
    {"stack_profile_frame", "deobfuscated_name", "always NULL"},

    {"stack_profile_callsite", "depth", "calls around it"},
    {"stack_profile_callsite", "parent_id", "row of stack_profile_callsite: that called it"},
    {"stack_profile_callsite", "frame_id", "row of stack_profile_frame"},

    {"__intrinsic_event_stack", "slice_id", "row of slice; NULL where the event neither begins nor ends one"},
    {"__intrinsic_event_stack", "callsite_id", "row of stack_profile_callsite: at the begin"},
    {"__intrinsic_event_stack", "end_callsite_id", "row of stack_profile_callsite: at the end"},
    {"__intrinsic_event_stack", "weight", "how much the stack counts, in the unit of its profile"},

    {"android_logs", "ts", "when, ns in trace time"},
    {"android_logs", "utid", "row of thread: who wrote it"},
    {"android_logs", "prio", "2 verbose, 3 debug, 4 info, 5 warning, 6 error, 7 fatal"},
    {"android_logs", "tag", "the part of the program, or where in its source"},
    {"android_logs", "msg", "the message"},

    {"stack_profile_mapping", "build_id", "of the file, in hexadecimal digits"},
    {"stack_profile_mapping", "exact_offset", "where in the file the mapping begins"},
    {"stack_profile_mapping", "start_offset", "where in the file its segment begins"},
    {"stack_profile_mapping", "start", "first address"},
    {"stack_profile_mapping", "end", "address after the last"},
    {"stack_profile_mapping", "load_bias", "what to take from an address before the file is asked"},
    {"stack_profile_mapping", "name", "path of the file"},

    {"stack_profile_symbol", "symbol_set_id", "the frame that they are of; several where functions were inlined"},
    {"stack_profile_symbol", "name", "the function"},
    {"stack_profile_symbol", "source_file", "its file"},
    {"stack_profile_symbol", "line_number", "the line"},
    {"stack_profile_symbol", "inlined", "always NULL"},
};
#define MEANINGS_COUNT (sizeof MEANINGS / sizeof *MEANINGS)

typedef struct page {
    pf_buffer text;
    bool used[MEANINGS_COUNT];
    bool failed;
} page;

static const char *meaning(page *p, const char *table, const char *column)
{
    for (int general = 0; general < 2; general++) {
        for (size_t i = 0; i < MEANINGS_COUNT; i++) {
            if (strcmp(MEANINGS[i].table, general ? "*" : table) == 0 && strcmp(MEANINGS[i].column, column) == 0) {
                p->used[i] = true;
                return MEANINGS[i].text;
            }
        }
    }
    return NULL;
}

static void complain(page *p, const char *what, const char *table, const char *column)
{
    fprintf(stderr, "%s: %s.%s; see tests/columns/list_tables.c\n", what, table, column);
    p->failed = true;
}

/* ---- tables of traces -------------------------------------------------------------------------------------------- */

/* A cell of a table of the page. */
static void put_cell(page *p, const char *text)
{
    for (; *text; text++) {
        pf_buffer_text(&p->text, *text == '|' ? "\\|" : (char[]){*text, '\0'});
    }
}

static const char *type_of(const pf_col *c)
{
    static const char *const NAMES[] = {
        [PF_COL_UINT32] = "uint32", [PF_COL_INT32] = "int32", [PF_COL_INT64] = "int64",
        [PF_COL_DOUBLE] = "double", [PF_COL_TEXT] = "text",   [PF_COL_BINARY] = "binary"};
    return NAMES[c->type];
}

static const pf_side_column *side_column(const pf_side_spec *spec, const char *name)
{
    for (size_t i = 0; spec && i < spec->column_count; i++) {
        if (strcmp(spec->columns[i].name, name) == 0) {
            return &spec->columns[i];
        }
    }
    return NULL;
}

static void put_column(page *p, const char *table, const pf_side_spec *side, const char *name, const pf_col *c)
{
    const pf_side_column *s = side_column(side, name);
    const char *text = s && s->help ? s->help : s && s->of ? NULL : meaning(p, table, name);
    text = text || !s ? text : meaning(p, table, name);
    pf_buffer_format(&p->text, "| `%s` | %s%s | ", name, c ? type_of(c) : "SQL alone", c && c->nullable ? "?" : "");
    if (text) {
        put_cell(p, text);
        if (s && s->help && s->unit && *s->unit) {
            pf_buffer_text(&p->text, ", ");
            put_cell(p, s->unit);
        }
    } else if (s && s->of) {
        pf_buffer_format(&p->text, "row of %s", s->of);
    } else {
        complain(p, "nobody says what this column means", table, name);
    }
    pf_buffer_text(&p->text, " |\n");
}

static void put_table(page *p, pf_col_trace *s, pf_data_table *table, const pf_side_spec *side)
{
    pf_error err;
    pf_col_table files;
    const pf_data_spec *spec = table->spec;
    if (pf_col_table_of(s, table, &files, &err) != PF_OK) {
        complain(p, err.text, spec->name, "");
        return;
    }
    const char *text = side ? side->help : meaning(p, spec->name, "");
    pf_buffer_format(&p->text, "\n### %s\n", files.name);
    if (!text) {
        complain(p, "nobody says what this table is", spec->name, "");
        return;
    }
    pf_buffer_format(&p->text, "%c%s.", *text >= 'a' && *text <= 'z' ? *text - 'a' + 'A' : *text, text + 1);
    pf_buffer_format(&p->text, strcmp(spec->name, files.name) ? " In SQL: `%s`.\n" : "\n", spec->name);
    pf_buffer_text(&p->text, "\n| column | type | meaning |\n|---|---|---|\n");
    for (size_t i = 0; i < spec->column_count; i++) {
        put_column(p, spec->name, side, spec->columns[i].name, pf_col_named(&files, spec->columns[i].name));
    }
}

static void put_trace(page *p, pf_col_trace *s, const pf_trace *t, size_t own)
{
    for (size_t i = 0; i < s->data.table_count; i++) {
        pf_data_table *table = &s->data.tables[i];
        const pf_side_table *side = pf_trace_table(t, table->spec->name);
        if (i == own) {
            pf_buffer_text(&p->text,
                           "\n## Side tables of formats\nTraces of these formats have them. Runs of Neutrino have "
                           "tables of their own besides, a column for each field of their probes.\n");
        }
        put_table(p, s, table, side ? side->spec : NULL);
    }
}

/* ---- views, passes ----------------------------------------------------------------------------------------------- */

static pf_status put_view(void *ctx, size_t count, const pf_query_cell *cells)
{
    page *p = ctx;
    if (count == 2 && cells[0].type == PF_VALUE_STRING && cells[1].type == PF_VALUE_STRING) {
        pf_buffer_format(&p->text, "| `%.*s` | %.*s |\n", (int)cells[0].as.s.len, cells[0].as.s.ptr,
                         (int)cells[1].as.s.len, cells[1].as.s.ptr);
    }
    return PF_OK;
}

static pf_status put_views(page *p, const pf_trace *t, pf_error *err)
{
    pf_query *q;
    pf_query_sink sink = {p, NULL, put_view};
    pf_buffer_text(&p->text, "\n## Views\nIn SQL alone: the tables above in another shape, and those without rows that "
                             "scripts for Perfetto join.\n\n| view | columns |\n|---|---|\n");
    PF_TRY(pf_query_open(t, &q, err));
    pf_status st =
        pf_query_run(q,
                     PF_STR("SELECT v.name, group_concat(c.name, ', ') FROM (SELECT name FROM sqlite_master WHERE "
                            "type = 'view' ORDER BY name) v, pragma_table_info(v.name) c GROUP BY v.name"),
                     &sink, err);
    pf_query_free(q);
    return st;
}

static void put_rule(page *p, const pf_merge_rule *r)
{
    static const char *const HOW[] = {[PF_MERGE_ROWS] = "rows of each input",
                                      [PF_MERGE_LARGEST] = "the largest of all by ",
                                      [PF_MERGE_ABOUT] = "those about the rows of ",
                                      [PF_MERGE_ANEW] = "anew, of "};
    pf_buffer_format(&p->text, " | %s", HOW[r->how]);
    for (const char *c = r->of ? r->of : ""; *c; c += strcspn(c, " ") + (c[strcspn(c, " ")] == ' ')) {
        int len = (int)strcspn(c, ", ");
        pf_buffer_format(&p->text, "`%.*s`%s", len, c, c[len] ? ", " : "");
    }
    if (r->adjusted) {
        pf_buffer_format(&p->text, "; adjusted: %s", r->adjusted);
    }
}

static void put_passes(page *p)
{
    static const char *const TYPES[] = {[PF_CELL_INT] = "int64", [PF_CELL_REAL] = "double", [PF_CELL_TEXT] = "text"};
    pf_buffer_text(
        &p->text,
        "\n## Tables of passes\n`query --pass NAME` adds them to a trace, `analyze NAME --tables DIR` writes them as "
        "files.\nAll columns may be NULL; what they mean is on the page of the pass. How tables of more inputs come "
        "out "
        "of their\n[partials](partial.md#tables) is said where the pass writes any.\n");
    for (size_t i = 0; i < pf_pass_count(); i++) {
        const pf_pass *pass = pf_pass_at(i);
        bool merges = pf_pass_merge_rule(pass, 0) != NULL;
        pf_buffer_format(&p->text, "\n### Pass %s\n\n| table | a row is | columns |%s\n|---|---|---|%s\n", pass->name,
                         merges ? " of partials |" : "", merges ? "---|" : "");
        for (size_t k = 0; k < pass->table_count; k++) {
            const pf_pass_table *t = &pass->tables[k];
            pf_buffer_format(&p->text, "| `%s` | ", t->name);
            put_cell(p, t->help);
            for (size_t c = 0; c < t->column_count; c++) {
                const pf_column *column = &t->columns[c];
                pf_buffer_format(&p->text, "%s`%s` %s", c ? ", " : " | ", column->name, TYPES[column->type]);
                if (column->unit && *column->unit) {
                    pf_buffer_text(&p->text, " ");
                    put_cell(p, column->unit);
                }
            }
            if (merges) {
                put_rule(p, pf_pass_merge_rule(pass, k));
            }
            pf_buffer_text(&p->text, " |\n");
        }
    }
}

/* ---- the page ---------------------------------------------------------------------------------------------------- */

/* The lines are those of the page. */
/* clang-format off */
static const char INTRODUCTION[] =
    "# Tables\n"
    "\n"
    "What `query` sees, and what `convert --to parquet` and `--to arrow` write: a file `TABLE.parquet` or `TABLE.arrow` for\n"
    "each table. This page is made of the tables' own descriptions (`tests/columns/list_tables.c`).\n"
    "\n"
    "Types are those of the files; `?` marks columns that may have NULLs. In SQL, whole numbers are INTEGER, doubles REAL,\n"
    "strings TEXT and bytes BLOB. Spark reads uint32 as bigint. What is not UTF-8 in a text becomes\n"
    "U+FFFD.\n"
    "\n"
    "## Results of queries\n"
    "`query --format arrow` writes an Arrow IPC stream (`.arrows`), `--format parquet` a Parquet file, in batches of up to\n"
    "122,880 rows; either holds one result, and `-d DIR` writes one for each section. SQL has a type for each value, a file\n"
    "one for each column:\n"
    "\n"
    "| values of the first batch | column |\n"
    "|---|---|\n"
    "| integers | int64 |\n"
    "| reals, integers among them if a double holds them exactly | double |\n"
    "| strings | text |\n"
    "| blobs, strings among them | binary |\n"
    "| none | as the column of the table is declared; else the batch waits for one (64 MiB of rows), then text |\n"
    "\n"
    "Any other mixture, and a value that comes later and does not fit, ends the query with its row and column;\n"
    "`CAST(... AS REAL)` or `AS TEXT` gives the column one type. All columns may have NULLs. SQL has no NaN (it is NULL) but\n"
    "infinities. Of columns with equal names (`ts` and `TS` are) each but the first gets `_2`, `_3`, ...: the first that is free.\n"
    "\n"
    "## Tables of every trace\n"
    "The columns are those of Perfetto's trace processor, in its order; `loss` and `input_id` are ours.\n";
/* clang-format on */

static pf_status make(page *p, pf_trace *t, pf_col_trace *s, pf_error *err)
{
    pf_buffer_text(&p->text, INTRODUCTION);
    size_t own = 0;
    PF_TRY(pf_trace_finish(t, err));
    PF_TRY(pf_col_trace_open(s, t, err));
    own = s->data.table_count;
    pf_col_trace_close(s);
    for (size_t i = 0; i < pf_reader_count(); i++) {
        PF_TRY(pf_reader_add_tables(pf_reader_at(i), t, err));
    }
    PF_TRY(pf_col_trace_open(s, t, err));
    put_trace(p, s, t, own);
    put_passes(p);
    PF_TRY(put_views(p, t, err));
    for (size_t i = 0; i < MEANINGS_COUNT; i++) {
        if (!p->used[i]) {
            complain(p, "no such column", MEANINGS[i].table, MEANINGS[i].column);
        }
    }
    return p->text.failed ? PF_ERR_MEMORY : PF_OK;
}

static int compare(const page *p, const char *path)
{
    FILE *file = fopen(path, "rb");
    char *bytes = malloc(p->text.len + 1);
    size_t len = file && bytes ? fread(bytes, 1, p->text.len + 1, file) : 0;
    bool equal = file && len == p->text.len && memcmp(bytes, p->text.data, len) == 0;
    if (!equal) {
        fprintf(stderr,
                "%s is not what the tables say; make it anew: build/dev/tests/list_tables > docs/reference/tables.md\n",
                path);
    }
    if (file) {
        fclose(file);
    }
    free(bytes);
    return equal ? 0 : 1;
}

int main(int argc, char **argv)
{
    static page p;
    pf_error err = {.text = ""};
    pf_col_trace s = {.arena.budget = NULL};
    pf_trace *t = pf_trace_new(NULL, PF_WANT_TABLES, &err);
    pf_status st = t ? make(&p, t, &s, &err) : err.code;
    int code = 1;
    if (st != PF_OK) {
        fprintf(stderr, "%s\n", err.text);
    } else if (argc > 1) {
        code = compare(&p, argv[1]);
    } else {
        fwrite(p.text.data, 1, p.text.len, stdout);
        code = 0;
    }
    pf_col_trace_close(&s);
    pf_trace_free(t);
    pf_buffer_free(&p.text);
    return p.failed ? 1 : code;
}
