/* query/tables/tables.c - the tables as data. Most have the columns of a table of the trace (model_tables.c); here are
 * the few columns that are made of others, and the tables that only a query has: arguments, faults, bounds, files.
 * Column order and meaning are those of Perfetto's trace processor (docs/reference/perfetto.md, "Tables"). What is the
 * same rows in another shape is a view (views.c). */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "query/tables/event_args.h"
#include "query/tables/model_tables.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Columns: an array of a structure, cells that a function makes, cells that lie nowhere. */
#define ARRAY(name, kind, set, type, member)                                                                           \
    {                                                                                                                  \
        name, PF_SQL_##kind, set, offsetof(type, member), NULL, 0                                                      \
    }
#define CALL(name, kind, get)                                                                                          \
    {                                                                                                                  \
        name, PF_SQL_CALL_##kind, 0, 0, get, 0                                                                         \
    }
#define SIMPLE(name, kind)                                                                                             \
    {                                                                                                                  \
        name, PF_SQL_##kind, 0, 0, NULL, 0                                                                             \
    }

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

/* ---- columns of the trace's tables that are made of others ------------------------------------------------------- */

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

static void track_type(pf_query *q, uint32_t row, pf_query_cell *cell)
{
    set_text(cell, pf_track_type_name((pf_track_type)pf_trace_tracks(q->trace)->type[row]));
}

static void track_event_type(pf_query *q, uint32_t row, pf_query_cell *cell)
{
    pf_track_type type = (pf_track_type)pf_trace_tracks(q->trace)->type[row];
    bool state = type == PF_TRACK_THREAD_STATE || type == PF_TRACK_PROCESS_STATE || type == PF_TRACK_GLOBAL_STATE;
    set_text(cell, state ? "state" : pf_track_type_is_counter(type) ? "counter" : "slice");
}

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

static const struct {
    const char *table, *column;
    pf_sql_get get;
} GETTERS[] = {
    {"process", "android_appid", process_android_appid},
    {"process", "android_user_id", process_android_user},
    {"thread", "is_main_thread", thread_is_main},
    {"thread", "is_idle", thread_is_idle},
    {"track", "type", track_type},
    {"track", "event_type", track_event_type},
    {"metadata", "key_type", metadata_kind},
    {"metadata", "int_value", metadata_number},
};

pf_sql_get pf_sql_getter(const char *table, const char *column)
{
    for (size_t i = 0; i < COUNT(GETTERS); i++) {
        if (strcmp(GETTERS[i].table, table) == 0 && strcmp(GETTERS[i].column, column) == 0) {
            return GETTERS[i].get;
        }
    }
    return NULL;
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
    SIMPLE("id", ROW),
    ARRAY("arg_set_id", UINT32, PF_SQL_SORTED, pf_arg_store, set),
    ARRAY("flat_key", KEY, PF_SQL_INDEX, pf_arg_store, flat_key),
    ARRAY("key", KEY, PF_SQL_INDEX, pf_arg_store, key),
    CALL("int_value", INT, arg_int),
    CALL("string_value", TEXT, arg_text),
    CALL("real_value", REAL, arg_real),
    CALL("value_type", TEXT, arg_type),
    {"display_value", PF_SQL_CALL_TEXT, PF_SQL_COPY, 0, arg_display, 0},
};

static pf_status open_args(pf_query *q, pf_sql_table *table, pf_error *err)
{
    table->base = &q->args;
    return pf_arg_store_init(&q->args, q->budget, err);
}

pf_status pf_sql_args_load(pf_query *q, pf_error *err)
{
    PF_TRY(pf_sql_row_args_load(q, err));
    PF_TRY(pf_arg_store_load_events(&q->args, q->trace, err));
    pf_sql_set_cells(q, "slice", "arg_set_id", q->args.slice_set);
    pf_sql_set_cells(q, "counter", "arg_set_id", q->args.counter_set);
    pf_sql_set_cells(q, "flow", "arg_set_id", q->args.flow_set);
    pf_sql_set_cells(q, "state", "arg_set_id", q->args.state_set);
    pf_sql_find(q, PF_STR("args"))->rows = q->args.count;
    return PF_OK;
}

/* ---- stats, bounds, files ---------------------------------------------------------------------------------------- */

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
    SIMPLE("id", ROW),
    CALL("name", TEXT, stat_name),
    CALL("key", INT, stat_key),
    SIMPLE("idx", NULL_INT),
    CALL("severity", TEXT, stat_severity),
    CALL("source", TEXT, stat_source),
    CALL("value", INT, stat_value),
    CALL("description", TEXT, stat_description),
    SIMPLE("machine_id", ZERO),
    SIMPLE("trace_id", ZERO),
    CALL("loss", INT, stat_loss),
    CALL("input_id", INT, stat_input),
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

static const pf_sql_column BOUNDS[] = {CALL("start_ts", INT, bounds_start), CALL("end_ts", INT, bounds_end)};

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
    SIMPLE("id", ROW),
    SIMPLE("parent_id", NULL_INT),
    CALL("name", TEXT, file_name),
    CALL("size", INT, file_size),
    CALL("trace_type", TEXT, file_type),
    SIMPLE("processing_order", ROW),
    SIMPLE("is_container", ZERO),
};

static pf_status open_files(pf_query *q, pf_sql_table *table, pf_error *err)
{
    table->rows = (uint32_t)pf_trace_input_count(q->trace);
    return PF_OK;
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

static pf_status load_event_args(pf_query *q, pf_sql_table *table, pf_error *err)
{
    return pf_sql_args_load(q, err);
}

/* Makes the argument sets of everything that is no event. */
static pf_status load_row_args(pf_query *q, pf_sql_table *table, pf_error *err)
{
    PF_TRY(pf_sql_row_args_load(q, err));
    pf_sql_find(q, PF_STR("args"))->rows = q->args.count;
    return PF_OK;
}

#define OWN(list) .columns = list, .column_count = COUNT(list)

const pf_sql_spec pf_sql_specs[] = {
    {.name = "slice", .of = "slice", .load = load_event_args},
    {.name = "counter", .of = "counter", .load = load_event_args},
    {.name = "flow", .of = "flow", .load = load_event_args},
    {.name = "process", .of = "process", .load = load_row_args},
    {.name = "thread", .of = "thread", .load = load_row_args},
    {.name = "__intrinsic_track", .of = "track", .open = pf_sql_tracks_open, .load = load_row_args},
    {.name = "args", OWN(ARGS), .open = open_args, .load = load_event_args, .lazy_rows = true},
    {.name = "clock_snapshot", .of = "clock_snapshot"},
    {.name = "metadata", .of = "metadata"},
    {.name = "stats", OWN(STATS), .open = open_stats},
    {.name = "trace_bounds", OWN(BOUNDS), .open = open_one_row},
    {.name = "__intrinsic_trace_file", OWN(FILES), .open = open_files},
    {.name = "ancestor_slice", .of = "slice", .load = load_event_args, .call = pf_sql_ancestors},
    {.name = "descendant_slice", .of = "slice", .load = load_event_args, .call = pf_sql_descendants},
    {.name = "following_flow", .of = "flow", .load = load_event_args, .call = pf_sql_following},
    {.name = "preceding_flow", .of = "flow", .load = load_event_args, .call = pf_sql_preceding},
    {.name = "directly_connected_flow", .of = "flow", .load = load_event_args, .call = pf_sql_connected},
};
const size_t pf_sql_spec_count = COUNT(pf_sql_specs);
