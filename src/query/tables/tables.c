/* query/tables/tables.c - the tables as data: names, columns, where the values lie. Column order and meaning are those
 * of Perfetto's trace processor (docs/reference/perfetto.md, "Tables"). What is the same rows in another shape is a
 * view (views.c). */
#include <stdio.h>
#include <string.h>

#include "query/tables/sql_columns.h"

#include "base/str.h"

static void set_int(pf_query_cell *cell, int64_t v)
{
    cell->type = PF_VALUE_INT;
    cell->as.i = v;
}

static void set_text(pf_query_cell *cell, const char *text)
{
    cell->type = PF_VALUE_STRING;
    cell->as.s = (pf_str){text, strlen(text)};
}

static void set_str(pf_query_cell *cell, pf_str s)
{
    cell->type = PF_VALUE_STRING;
    cell->as.s = s;
}

/* ---- slice ------------------------------------------------------------------------------------------------------- */

#define SLICE(column, kind, set, member) ARRAY(column, kind, set, pf_sql_slices, s.member)
#define OF_EVENT(column, kind, set, member) THROUGH(column, kind, set, pf_sql_slices, s.member, s.event)
#define SLICE_COLUMNS                                                                                                  \
    ROW_NUMBER("id"), OF_EVENT("ts", INT64, PF_SQL_SORTED, event_ts), SLICE("dur", INT64, 0, dur),                     \
        SLICE("track_id", UINT32, PF_SQL_INDEX, track), OF_EVENT("category", STRING, PF_SQL_INDEX, event_category),    \
        THROUGH("name", STRING, PF_SQL_INDEX, pf_sql_slices, name, name_of),                                           \
        SLICE("depth", UINT32, PF_SQL_INDEX, depth), SLICE("parent_id", UINT32, PF_SQL_INDEX | PF_SQL_FEW, parent),    \
        ARRAY("arg_set_id", UINT32, ARG_SET, pf_sql_slices, arg_set), SLICE("thread_ts", INT64_OR_NULL, 0, thread_ts), \
        SLICE("thread_dur", INT64_OR_NULL, 0, thread_dur),                                                             \
        SLICE("thread_instruction_count", INT64_OR_NULL, 0, thread_instruction_count),                                 \
        SLICE("thread_instruction_delta", INT64_OR_NULL, 0, thread_instruction_delta)

static const pf_sql_column SLICES[] = {SLICE_COLUMNS, OF_EVENT("cat", STRING, PF_SQL_INDEX, event_category),
                                       ROW_NUMBER("slice_id")};
static const pf_sql_column SLICES_OF_CALL[] = {SLICE_COLUMNS};

static pf_status open_slices(pf_query *q, pf_sql_table *table, pf_error *err)
{
    const pf_slices *s = pf_trace_slices(q->trace);
    q->slices.s = *s;
    q->slices.name = s->own_name ? s->own_name : s->event_name;
    q->slices.name_of = s->own_name ? NULL : s->event;
    table->base = &q->slices;
    table->rows = q->slices.s.count;
    return PF_OK;
}

static pf_status load_slices(pf_query *q, pf_sql_table *table, pf_error *err)
{
    return pf_sql_args_load(q, err);
}

/* ---- counter ----------------------------------------------------------------------------------------------------- */

static const pf_sql_column COUNTERS[] = {
    ROW_NUMBER("id"),
    ARRAY("ts", INT64, PF_SQL_SORTED, pf_sql_counters, c.ts),
    ARRAY("track_id", UINT32, PF_SQL_INDEX, pf_sql_counters, c.track),
    ARRAY("value", REAL, 0, pf_sql_counters, c.value),
    ARRAY("arg_set_id", UINT32, ARG_SET, pf_sql_counters, arg_set),
};

static pf_status open_counters(pf_query *q, pf_sql_table *table, pf_error *err)
{
    q->counters.c = *pf_trace_counters(q->trace);
    table->base = &q->counters;
    table->rows = q->counters.c.count;
    return PF_OK;
}

/* ---- flow ----------------------------------------------------------------------------------------------------------
 */

static const pf_sql_column FLOWS[] = {
    ROW_NUMBER("id"),
    ARRAY("slice_out", UINT32, PF_SQL_INDEX | PF_SQL_FEW, pf_sql_flows, f.slice_out),
    ARRAY("slice_in", UINT32, PF_SQL_INDEX | PF_SQL_FEW, pf_sql_flows, f.slice_in),
    ARRAY("trace_id", INT64_OR_NULL, 0, pf_sql_flows, f.trace_id), /* ids beyond 2^63 wrap, as in Perfetto */
    ARRAY("arg_set_id", UINT32, ARG_SET, pf_sql_flows, arg_set),
};

static pf_status open_flows(pf_query *q, pf_sql_table *table, pf_error *err)
{
    q->flows.f = *pf_trace_flows(q->trace);
    table->base = &q->flows;
    table->rows = q->flows.f.count;
    return PF_OK;
}

/* ---- process, thread --------------------------------------------------------------------------------------------- */

#define PROCESS(column, kind, set, member) ARRAY(column, kind, set, pf_sql_processes, p.member)

#define ANDROID_USER_UIDS 100000 /* each user of a device has that many uids */

static void process_android(pf_query *q, uint32_t row, bool user, pf_query_cell *cell)
{
    int64_t uid = pf_trace_processes(q->trace)->uid[row];
    if (uid >= 0) {
        set_int(cell, user ? uid / ANDROID_USER_UIDS : uid % ANDROID_USER_UIDS);
    }
}

static void process_android_appid(pf_query *q, uint32_t row, pf_query_cell *cell)
{
    process_android(q, row, false, cell);
}

static void process_android_user(pf_query *q, uint32_t row, pf_query_cell *cell)
{
    process_android(q, row, true, cell);
}

static const pf_sql_column PROCESSES[] = {
    ROW_NUMBER("upid"),
    ROW_NUMBER("id"),
    PROCESS("pid", INT64, 0, pid),
    PROCESS("name", STRING, PF_SQL_INDEX, name),
    PROCESS("start_ts", INT64_OR_NULL, 0, start_ts),
    PROCESS("end_ts", INT64_OR_NULL, 0, end_ts),
    PROCESS("parent_upid", UINT32, PF_SQL_INDEX, parent_upid),
    PROCESS("uid", INT64_OR_NULL, 0, uid),
    CALL_INT("android_appid", process_android_appid),
    CALL_INT("android_user_id", process_android_user),
    PROCESS("cmdline", STRING, 0, cmdline),
    ARRAY("arg_set_id", UINT32, ARG_SET, pf_sql_processes, arg_set),
    ZERO("machine_id"),
    PROCESS("input_id", UINT32, PF_SQL_INDEX, input),
};

static pf_status open_processes(pf_query *q, pf_sql_table *table, pf_error *err)
{
    q->processes.p = *pf_trace_processes(q->trace);
    table->base = &q->processes;
    table->rows = q->processes.p.count;
    return PF_OK;
}

/* Makes the argument sets of everything that is no event. */
static pf_status load_row_args(pf_query *q, pf_sql_table *table, pf_error *err)
{
    pf_status st = pf_sql_row_args_load(q, err);
    pf_sql_find(q, PF_STR("args"))->rows = q->args.count;
    return st;
}

static void thread_is_main(pf_query *q, uint32_t row, pf_query_cell *cell)
{
    const pf_threads *t = pf_trace_threads(q->trace);
    if (t->upid[row] != PF_NONE) {
        set_int(cell, t->is_main[row]);
    }
}

static void thread_is_idle(pf_query *q, uint32_t row, pf_query_cell *cell)
{
    set_int(cell, row == 0);
}

#define THREAD(column, kind, set, member) ARRAY(column, kind, set, pf_sql_threads, t.member)

static const pf_sql_column THREADS[] = {
    ROW_NUMBER("utid"),
    ROW_NUMBER("id"),
    THREAD("tid", INT64, 0, tid),
    THREAD("name", STRING, PF_SQL_INDEX, name),
    THREAD("start_ts", INT64_OR_NULL, 0, start_ts),
    THREAD("end_ts", INT64_OR_NULL, 0, end_ts),
    THREAD("upid", UINT32, PF_SQL_INDEX, upid),
    CALL_INT("is_main_thread", thread_is_main),
    CALL_INT("is_idle", thread_is_idle),
    ZERO("machine_id"),
    ARRAY("arg_set_id", UINT32, ARG_SET, pf_sql_threads, arg_set),
};

static pf_status open_threads(pf_query *q, pf_sql_table *table, pf_error *err)
{
    q->threads.t = *pf_trace_threads(q->trace);
    table->base = &q->threads;
    table->rows = q->threads.t.count;
    return PF_OK;
}

/* ---- track ------------------------------------------------------------------------------------------------------- */

static void track_type(pf_query *q, uint32_t row, pf_query_cell *cell)
{
    set_text(cell, pf_track_type_name((pf_track_type)q->tracks.t.type[row]));
}

static void track_event_type(pf_query *q, uint32_t row, pf_query_cell *cell)
{
    pf_track_type type = (pf_track_type)q->tracks.t.type[row];
    bool state = type == PF_TRACK_THREAD_STATE || type == PF_TRACK_PROCESS_STATE || type == PF_TRACK_GLOBAL_STATE;
    set_text(cell, state ? "state" : pf_track_type_is_counter(type) ? "counter" : "slice");
}

#define TRACK(column, kind, set, member) ARRAY(column, kind, set, pf_sql_tracks, member)

static const pf_sql_column TRACKS[] = {
    ROW_NUMBER("id"),
    TRACK("name", STRING, PF_SQL_INDEX, t.name),
    TRACK("parent_id", UINT32, PF_SQL_INDEX, t.parent),
    TRACK("source_arg_set_id", UINT32, ARG_SET, source),
    ZERO("machine_id"),
    CALL_TEXT("type", track_type),
    TRACK("dimension_arg_set_id", UINT32, ARG_SET, dimension),
    TRACK("track_group_id", UINT32, PF_SQL_INDEX, t.group),
    CALL_TEXT("event_type", track_event_type),
    TRACK("counter_unit", STRING, PF_SQL_INDEX, t.unit),
    TRACK("utid", UINT32, PF_SQL_INDEX, t.utid),
    TRACK("upid", UINT32, PF_SQL_INDEX, upid),
};

static pf_status open_tracks(pf_query *q, pf_sql_table *table, pf_error *err)
{
    pf_status st = pf_sql_tracks_open(q, err);
    table->base = &q->tracks;
    table->rows = q->tracks.t.count;
    table->visible = q->tracks.visible;
    table->visible_count = q->tracks.visible_count;
    return st;
}

/* ---- args -------------------------------------------------------------------------------------------------------- */

static const char *const VALUE_TYPES[] = {
    [PF_VALUE_NULL] = "null", [PF_VALUE_BOOL] = "bool",     [PF_VALUE_INT] = "int",         [PF_VALUE_UINT] = "uint",
    [PF_VALUE_REAL] = "real", [PF_VALUE_STRING] = "string", [PF_VALUE_POINTER] = "pointer", [PF_VALUE_JSON] = "json"};

static void arg_int(pf_query *q, uint32_t row, pf_query_cell *cell)
{
    uint8_t type = q->args.type[row];
    if (type == PF_VALUE_BOOL || type == PF_VALUE_INT || type == PF_VALUE_UINT || type == PF_VALUE_POINTER) {
        set_int(cell, (int64_t)q->args.bits[row]);
    }
}

static void arg_text(pf_query *q, uint32_t row, pf_query_cell *cell)
{
    uint8_t type = q->args.type[row];
    if (type == PF_VALUE_STRING || type == PF_VALUE_JSON) {
        set_str(cell, pf_strings_get(&q->args.texts, (uint32_t)q->args.bits[row]));
    }
}

static double arg_double(const pf_query *q, uint32_t row)
{
    double d;
    memcpy(&d, &q->args.bits[row], sizeof d);
    return d;
}

static void arg_real(pf_query *q, uint32_t row, pf_query_cell *cell)
{
    if (q->args.type[row] == PF_VALUE_REAL) {
        cell->type = PF_VALUE_REAL;
        cell->as.d = arg_double(q, row);
    }
}

static void arg_type(pf_query *q, uint32_t row, pf_query_cell *cell)
{
    set_text(cell, VALUE_TYPES[q->args.type[row]]);
}

static void arg_display(pf_query *q, uint32_t row, pf_query_cell *cell)
{
    uint64_t bits = q->args.bits[row];
    char *out = q->scratch;
    size_t room = sizeof q->scratch;
    switch (q->args.type[row]) {
    case PF_VALUE_STRING:
    case PF_VALUE_JSON:
        arg_text(q, row, cell);
        return;
    case PF_VALUE_INT:
        snprintf(out, room, "%lld", (long long)bits);
        break;
    case PF_VALUE_UINT:
        snprintf(out, room, "%llu", (unsigned long long)bits);
        break;
    case PF_VALUE_POINTER:
        snprintf(out, room, "0x%llx", (unsigned long long)bits);
        break;
    case PF_VALUE_BOOL:
        snprintf(out, room, "%s", bits ? "true" : "false");
        break;
    case PF_VALUE_REAL:
        sqlite3_snprintf((int)room, out, "%!.15g", arg_double(q, row));
        break;
    default:
        return;
    }
    set_text(cell, out);
}

static const pf_sql_column ARGS[] = {
    ROW_NUMBER("id"),
    ARRAY("arg_set_id", UINT32, PF_SQL_SORTED, pf_arg_store, set),
    ARRAY("flat_key", KEY, PF_SQL_INDEX, pf_arg_store, flat_key),
    ARRAY("key", KEY, PF_SQL_INDEX, pf_arg_store, key),
    CALL_INT("int_value", arg_int),
    CALL_TEXT("string_value", arg_text),
    CALL_REAL("real_value", arg_real),
    CALL_TEXT("value_type", arg_type),
    {"display_value", PF_SQL_CALL_TEXT, PF_SQL_COPY, 0, arg_display, 0},
};

static pf_status open_args(pf_query *q, pf_sql_table *table, pf_error *err)
{
    table->base = &q->args;
    return pf_arg_store_init(&q->args, q->budget, err);
}

pf_status pf_sql_args_load(pf_query *q, pf_error *err)
{
    pf_status st = pf_sql_row_args_load(q, err);
    if (st == PF_OK) {
        st = pf_arg_store_load_events(&q->args, q->trace, err);
    }
    q->slices.arg_set = q->args.slice_set;
    q->counters.arg_set = q->args.counter_set;
    q->flows.arg_set = q->args.flow_set;
    q->sides[PF_SIDE_STATE]->arg_set = q->args.state_set;
    pf_sql_find(q, PF_STR("args"))->rows = q->args.count;
    return st;
}

/* ---- what describes the trace ------------------------------------------------------------------------------------ */

static void metadata_number(pf_query *q, uint32_t row, pf_query_cell *cell)
{
    const pf_metadata *m = pf_trace_metadata(q->trace);
    if (m->text[row] == 0) {
        set_int(cell, m->number[row]);
    }
}

/* Some names have a row for each value. */
static void metadata_kind(pf_query *q, uint32_t row, pf_query_cell *cell)
{
    static const char *const MULTI[] = {"all_data_source_flushed_ns", "slow_start_data_source"};
    pf_str name = pf_trace_string(q->trace, pf_trace_metadata(q->trace)->name[row]);
    bool multi = false;
    for (size_t i = 0; i < COUNT(MULTI); i++) {
        multi |= pf_str_is(name, MULTI[i]);
    }
    set_text(cell, multi ? "multi" : "single");
}

static const pf_sql_column METADATA[] = {
    ROW_NUMBER("id"),
    ARRAY("name", STRING, PF_SQL_INDEX, pf_metadata, name),
    CALL_TEXT("key_type", metadata_kind),
    CALL_INT("int_value", metadata_number),
    ARRAY("str_value", STRING, 0, pf_metadata, text),
    ZERO("machine_id"),
    ZERO("trace_id"),
    ARRAY("input_id", UINT32, PF_SQL_INDEX, pf_metadata, input),
};

static pf_status open_metadata(pf_query *q, pf_sql_table *table, pf_error *err)
{
    table->base = pf_trace_metadata(q->trace);
    table->rows = pf_trace_metadata(q->trace)->count;
    return PF_OK;
}

#define CLOCK(column, kind, set, member) ARRAY(column, kind, set, pf_clock_snapshots, member)

static const pf_sql_column CLOCKS[] = {
    ROW_NUMBER("id"),
    CLOCK("ts", INT64, 0, ts),
    CLOCK("clock_id", INT64, 0, clock_id),
    CLOCK("clock_name", STRING, PF_SQL_INDEX, clock_name),
    CLOCK("clock_value", INT64, 0, clock_value),
    CLOCK("snapshot_id", UINT32, PF_SQL_INDEX, snapshot_id),
    ZERO("machine_id"),
};

static pf_status open_clocks(pf_query *q, pf_sql_table *table, pf_error *err)
{
    table->base = pf_trace_clock_snapshots(q->trace);
    table->rows = pf_trace_clock_snapshots(q->trace)->count;
    return PF_OK;
}

/* The faults of the first input, then those of the next, and so on. */
static pf_stat stat_at(const pf_query *q, uint32_t row)
{
    size_t kinds = pf_trace_stat_count(q->trace);
    return pf_trace_input_stat(q->trace, row / kinds, row % kinds);
}

static void stat_key(pf_query *q, uint32_t row, pf_query_cell *cell)
{
    set_int(cell, (int64_t)(row % pf_trace_stat_count(q->trace)));
}

static void stat_input(pf_query *q, uint32_t row, pf_query_cell *cell)
{
    set_int(cell, (int64_t)(row / pf_trace_stat_count(q->trace)));
}

static void stat_name(pf_query *q, uint32_t row, pf_query_cell *cell)
{
    set_text(cell, stat_at(q, row).name);
}

static void stat_severity(pf_query *q, uint32_t row, pf_query_cell *cell)
{
    set_text(cell, pf_severity_name(stat_at(q, row).severity));
}

static void stat_source(pf_query *q, uint32_t row, pf_query_cell *cell)
{
    set_text(cell, stat_at(q, row).source);
}

static void stat_loss(pf_query *q, uint32_t row, pf_query_cell *cell)
{
    set_int(cell, stat_at(q, row).loss);
}

static void stat_value(pf_query *q, uint32_t row, pf_query_cell *cell)
{
    set_int(cell, (int64_t)stat_at(q, row).count);
}

static void stat_description(pf_query *q, uint32_t row, pf_query_cell *cell)
{
    set_text(cell, stat_at(q, row).description);
}

static const pf_sql_column STATS[] = {
    ROW_NUMBER("id"),
    CALL_TEXT("name", stat_name),
    CALL_INT("key", stat_key),
    NULL_INT("idx"),
    CALL_TEXT("severity", stat_severity),
    CALL_TEXT("source", stat_source),
    CALL_INT("value", stat_value),
    CALL_TEXT("description", stat_description),
    ZERO("machine_id"),
    ZERO("trace_id"),
    CALL_INT("loss", stat_loss),
    CALL_INT("input_id", stat_input),
};

static pf_status open_stats(pf_query *q, pf_sql_table *table, pf_error *err)
{
    size_t inputs = pf_trace_input_count(q->trace);
    table->rows = (uint32_t)(pf_trace_stat_count(q->trace) * (inputs ? inputs : 1));
    return PF_OK;
}

static void bounds_start(pf_query *q, uint32_t row, pf_query_cell *cell)
{
    int64_t start, end;
    pf_trace_bounds(q->trace, &start, &end);
    set_int(cell, start);
}

static void bounds_end(pf_query *q, uint32_t row, pf_query_cell *cell)
{
    int64_t start, end;
    pf_trace_bounds(q->trace, &start, &end);
    set_int(cell, end);
}

static const pf_sql_column BOUNDS[] = {CALL_INT("start_ts", bounds_start), CALL_INT("end_ts", bounds_end)};

static pf_status open_one_row(pf_query *q, pf_sql_table *table, pf_error *err)
{
    table->rows = 1;
    return PF_OK;
}

static void file_name(pf_query *q, uint32_t row, pf_query_cell *cell)
{
    set_text(cell, pf_trace_input(q->trace, row)->path);
}

static void file_size(pf_query *q, uint32_t row, pf_query_cell *cell)
{
    set_int(cell, (int64_t)pf_trace_input(q->trace, row)->stored_bytes);
}

static void file_type(pf_query *q, uint32_t row, pf_query_cell *cell)
{
    const char *format = pf_trace_input(q->trace, row)->format;
    set_text(cell, strcmp(format, "perfetto") == 0 ? "proto" : strcmp(format, "chrome-json") == 0 ? "json" : format);
}

static const pf_sql_column FILES[] = {
    ROW_NUMBER("id"),
    NULL_INT("parent_id"),
    CALL_TEXT("name", file_name),
    CALL_INT("size", file_size),
    CALL_TEXT("trace_type", file_type),
    ROW_NUMBER("processing_order"),
    ZERO("is_container"),
};

static pf_status open_files(pf_query *q, pf_sql_table *table, pf_error *err)
{
    table->rows = (uint32_t)pf_trace_input_count(q->trace);
    return PF_OK;
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

#define PLAIN(name, columns, open)                                                                                     \
    {                                                                                                                  \
        name, columns, COUNT(columns), open, NULL, false, NULL                                                         \
    }

const pf_sql_spec pf_sql_specs[] = {
    {"slice", SLICES, COUNT(SLICES), open_slices, load_slices, false, NULL},
    {"counter", COUNTERS, COUNT(COUNTERS), open_counters, load_slices, false, NULL},
    {"flow", FLOWS, COUNT(FLOWS), open_flows, load_slices, false, NULL},
    {"process", PROCESSES, COUNT(PROCESSES), open_processes, load_row_args, false, NULL},
    {"thread", THREADS, COUNT(THREADS), open_threads, load_row_args, false, NULL},
    {"__intrinsic_track", TRACKS, COUNT(TRACKS), open_tracks, load_row_args, false, NULL},
    {"args", ARGS, COUNT(ARGS), open_args, load_slices, true, NULL},
    PLAIN("clock_snapshot", CLOCKS, open_clocks),
    PLAIN("metadata", METADATA, open_metadata),
    PLAIN("stats", STATS, open_stats),
    PLAIN("trace_bounds", BOUNDS, open_one_row),
    PLAIN("__intrinsic_trace_file", FILES, open_files),
    {"ancestor_slice", SLICES_OF_CALL, COUNT(SLICES_OF_CALL), open_slices, load_slices, false, pf_sql_ancestors},
    {"descendant_slice", SLICES_OF_CALL, COUNT(SLICES_OF_CALL), open_slices, load_slices, false, pf_sql_descendants},
    {"following_flow", FLOWS, COUNT(FLOWS), open_flows, load_slices, false, pf_sql_following},
    {"preceding_flow", FLOWS, COUNT(FLOWS), open_flows, load_slices, false, pf_sql_preceding},
    {"directly_connected_flow", FLOWS, COUNT(FLOWS), open_flows, load_slices, false, pf_sql_connected},
};
const size_t pf_sql_spec_count = COUNT(pf_sql_specs);

pf_sql_table *pf_sql_find(pf_query *q, pf_str name)
{
    for (size_t i = 0; i < q->table_count; i++) {
        const char *known = q->tables[i].spec->name;
        if (strlen(known) == name.len && memcmp(known, name.ptr, name.len) == 0) {
            return &q->tables[i];
        }
    }
    return NULL;
}
