/* tables/table_list.c - the tables as data. Most have the columns of a table of the trace (model_tables.c); here are
 * the few columns that are made of others, and the tables that the model has not: arguments, faults, bounds, files.
 * Column order and meaning are those of Perfetto's trace processor (docs/reference/perfetto.md, "Tables"). What is the
 * same rows in another shape is a view (query/session/views.c). */
#include <sqlite3.h>

#include "base/str.h"
#include "tables/data.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Columns: an array of a structure, cells that a function makes, cells that lie nowhere. */
#define ARRAY(name, kind, set, type, member)                                                                           \
    {                                                                                                                  \
        name, PF_DATA_##kind, set, offsetof(type, member), NULL, 0                                                     \
    }
#define CALL(name, kind, make, which)                                                                                  \
    {                                                                                                                  \
        name, PF_DATA_CALL_##kind, 0, which, make, 0                                                                   \
    }
#define SIMPLE(name, kind)                                                                                             \
    {                                                                                                                  \
        name, PF_DATA_##kind, 0, 0, NULL, 0                                                                            \
    }

static pf_query_cell integer(int64_t v)
{
    return (pf_query_cell){.type = PF_VALUE_INT, .as.i = v};
}

static pf_query_cell text(const char *text)
{
    return (pf_query_cell){.type = PF_VALUE_STRING, .as.s = pf_str_of(text)};
}

static const pf_query_cell null = {.type = PF_VALUE_NULL};

#define ANDROID_USER_UIDS 100000 /* each user of a device has that many uids */

enum {
    APP_ID,
    USER_ID,
    IS_MAIN,
    IS_IDLE,
    TRACK_TYPE,
    EVENT_TYPE,
    KEY_TYPE,
    NUMBER,
    RAW_ID,
    CPU_MACHINE,
    MACHINE /* and the others of pf_machine_rows */
};

static const struct {
    const char *table, *column;
} MADE[] = {
    [APP_ID] = {"process", "android_appid"},
    [USER_ID] = {"process", "android_user_id"},
    [IS_MAIN] = {"thread", "is_main_thread"},
    [IS_IDLE] = {"thread", "is_idle"},
    [TRACK_TYPE] = {"track", "type"},
    [EVENT_TYPE] = {"track", "event_type"},
    [KEY_TYPE] = {"metadata", "key_type"},
    [NUMBER] = {"metadata", "int_value"},
    [RAW_ID] = {"machine", "raw_id"},
    [CPU_MACHINE] = {"__intrinsic_cpu", "machine_id"},
    [MACHINE + PF_MACHINE_PROCESSES] = {"process", "machine_id"},
    [MACHINE + PF_MACHINE_THREADS] = {"thread", "machine_id"},
    [MACHINE + PF_MACHINE_TRACKS] = {"track", "machine_id"},
    [MACHINE + PF_MACHINE_METADATA] = {"metadata", "machine_id"},
    [MACHINE + PF_MACHINE_CLOCKS] = {"clock_snapshot", "machine_id"},
    [MACHINE + PF_MACHINE_GPUS] = {"gpu", "machine_id"},
};

/* Some names of metadata have a row for each value. */
static bool has_many(pf_str name)
{
    return pf_str_is(name, "all_data_source_flushed_ns") || pf_str_is(name, "slow_start_data_source");
}

static pf_query_cell made_cell(pf_data *d, uint32_t row, size_t which)
{
    const pf_threads *threads = pf_trace_threads(d->trace);
    const pf_metadata *m = pf_trace_metadata(d->trace);
    int64_t uid;
    pf_track_type type;
    switch (which) {
    case APP_ID:
    case USER_ID:
        uid = pf_trace_processes(d->trace)->uid[row];
        return uid < 0 ? null : integer(which == USER_ID ? uid / ANDROID_USER_UIDS : uid % ANDROID_USER_UIDS);
    case IS_MAIN:
        return threads->upid[row] == PF_NONE ? null : integer(threads->is_main[row]);
    case IS_IDLE:
        return integer(pf_trace_is_idle(d->trace, row));
    case RAW_ID:
        return integer(pf_trace_machine_raw_id(d->trace, row));
    case CPU_MACHINE:
        return integer(*pf_side_number(&d->trace->sides.known[PF_SIDE_CPU], PF_CPU_UCPU, row) / PF_UCPU_STEP);
    case KEY_TYPE:
        return text(has_many(pf_trace_string(d->trace, m->name[row])) ? "multi" : "single");
    case NUMBER:
        return m->text[row] ? null : integer(m->number[row]);
    default:
        break;
    }
    if (which >= MACHINE) {
        return integer(pf_trace_machine_of(d->trace, (pf_machine_rows)(which - MACHINE), row));
    }
    type = (pf_track_type)pf_trace_tracks(d->trace)->type[row];
    bool state = type == PF_TRACK_THREAD_STATE || type == PF_TRACK_PROCESS_STATE || type == PF_TRACK_GLOBAL_STATE;
    return text(which == TRACK_TYPE              ? pf_track_type_name(type)
                : state                          ? "state"
                : pf_track_type_is_counter(type) ? "counter"
                                                 : "slice");
}

bool pf_data_make_column(const char *table, pf_data_column *column)
{
    for (size_t i = 0; i < COUNT(MADE); i++) {
        if (strcmp(MADE[i].table, table) == 0 && strcmp(MADE[i].column, column->name) == 0) {
            column->make = made_cell;
            column->offset = i;
        }
    }
    return column->make != NULL;
}

static const char *const VALUE_TYPES[] = {
    [PF_VALUE_NULL] = "null", [PF_VALUE_BOOL] = "bool",     [PF_VALUE_INT] = "int",         [PF_VALUE_UINT] = "uint",
    [PF_VALUE_REAL] = "real", [PF_VALUE_STRING] = "string", [PF_VALUE_POINTER] = "pointer", [PF_VALUE_JSON] = "json"};

enum { ARG_TYPE = PF_VALUE_JSON + 1, ARG_DISPLAY }; /* besides the types of values, each of which has a column */
enum { ARGS_OF_SLICE = 4 };                         /* about as many */

static pf_query_cell display(pf_data *d, uint32_t row, pf_query_cell cell)
{
    unsigned long long bits = d->args.bits[row];
    char *out = d->scratch;
    int room = sizeof d->scratch;
    switch (d->args.type[row]) {
    case PF_VALUE_INT:
        return text(sqlite3_snprintf(room, out, "%lld", cell.as.i));
    case PF_VALUE_UINT:
        return text(sqlite3_snprintf(room, out, "%llu", bits));
    case PF_VALUE_POINTER:
        return text(sqlite3_snprintf(room, out, "0x%llx", bits));
    case PF_VALUE_BOOL:
        return text(bits ? "true" : "false");
    case PF_VALUE_REAL:
        return text(sqlite3_snprintf(room, out, "%!.15g", cell.as.d));
    default:
        return cell;
    }
}

/* int_value, which is asked for most. */
static pf_query_cell arg_number(pf_data *d, uint32_t row, size_t which)
{
    (void)which;
    pf_value_type type = d->args.type[row];
    bool other = type == PF_VALUE_NULL || type == PF_VALUE_REAL || type == PF_VALUE_STRING || type == PF_VALUE_JSON;
    return other ? null : (pf_query_cell){.type = PF_VALUE_INT, .as.i = (int64_t)d->args.bits[row]};
}

static pf_query_cell arg_cell(pf_data *d, uint32_t row, size_t which)
{
    pf_query_cell cell = pf_arg_cell(&d->args, row);
    if (which == ARG_TYPE) {
        return text(VALUE_TYPES[d->args.type[row]]);
    }
    return which == ARG_DISPLAY ? display(d, row, cell) : cell.type == (pf_value_type)which ? cell : null;
}

pf_str pf_data_arg_text(pf_data *d, uint32_t row)
{
    return display(d, row, pf_arg_cell(&d->args, row)).as.s;
}

static const pf_data_column ARGS[] = {
    SIMPLE("id", ROW),
    ARRAY("arg_set_id", UINT32, PF_DATA_SORTED, pf_arg_store, set),
    ARRAY("flat_key", KEY, PF_DATA_INDEX, pf_arg_store, flat_key),
    ARRAY("key", KEY, PF_DATA_INDEX, pf_arg_store, key),
    {"int_value", PF_DATA_CALL_INT, PF_DATA_LOOKUP | PF_DATA_FEW, 0, arg_number, 0},
    CALL("string_value", TEXT, arg_cell, PF_VALUE_STRING),
    CALL("real_value", REAL, arg_cell, PF_VALUE_REAL),
    CALL("value_type", TEXT, arg_cell, ARG_TYPE),
    {"display_value", PF_DATA_CALL_TEXT, PF_DATA_COPY | PF_DATA_AGAIN, ARG_DISPLAY, arg_cell, 0},
};

static pf_status open_args(pf_data *d, pf_data_table *table, pf_error *err)
{
    uint64_t expected = (uint64_t)ARGS_OF_SLICE * pf_trace_slices(d->trace)->count;
    table->base = &d->args;
    table->expected = expected < UINT32_MAX ? (uint32_t)expected : UINT32_MAX;
    return pf_arg_store_init(&d->args, d->budget, err);
}

enum {
    STAT_NAME,
    STAT_KEY,
    STAT_IDX,
    STAT_SEVERITY,
    STAT_SOURCE,
    STAT_VALUE,
    STAT_DESCRIPTION,
    STAT_MACHINE,
    STAT_LOSS,
    STAT_INPUT
};

static uint32_t counted_rows(const pf_trace *t)
{
    size_t inputs = pf_trace_input_count(t);
    return (uint32_t)(PF_STAT_COUNTED * (inputs ? inputs : 1));
}

/* The faults of the first input, then those of the next, and so on; then what has values. */
static pf_query_cell stat_cell(pf_data *d, uint32_t row, size_t which)
{
    const pf_trace *t = d->trace;
    uint32_t counted = counted_rows(t), at = row - counted, idx = row < counted ? PF_NONE : t->stat_values.idx[at];
    size_t key = row < counted ? row % PF_STAT_COUNTED : t->stat_values.kind[at];
    size_t input = row < counted ? row / PF_STAT_COUNTED : t->stat_values.input[at];
    uint32_t machine = row < counted ? 0 : pf_trace_machine_of(t, PF_MACHINE_STATS, at);
    const pf_stat s = pf_trace_input_stat(t, input, key);
    const pf_query_cell cells[] = {[STAT_NAME] = text(s.name),
                                   [STAT_KEY] = integer((int64_t)key),
                                   [STAT_IDX] = idx == PF_NONE ? null : integer(idx),
                                   [STAT_SEVERITY] = text(pf_severity_name(s.severity)),
                                   [STAT_SOURCE] = text(s.source),
                                   [STAT_VALUE] = integer(row < counted ? (int64_t)s.count : t->stat_values.value[at]),
                                   [STAT_DESCRIPTION] = text(s.description),
                                   [STAT_MACHINE] = integer(machine),
                                   [STAT_LOSS] = integer(s.loss),
                                   [STAT_INPUT] = integer((int64_t)input)};
    return cells[which];
}

static const pf_data_column STATS[] = {
    SIMPLE("id", ROW),
    CALL("name", TEXT, stat_cell, STAT_NAME),
    CALL("key", INT, stat_cell, STAT_KEY),
    CALL("idx", INT, stat_cell, STAT_IDX),
    CALL("severity", TEXT, stat_cell, STAT_SEVERITY),
    CALL("source", TEXT, stat_cell, STAT_SOURCE),
    CALL("value", INT, stat_cell, STAT_VALUE),
    CALL("description", TEXT, stat_cell, STAT_DESCRIPTION),
    CALL("machine_id", INT, stat_cell, STAT_MACHINE),
    SIMPLE("trace_id", ZERO),
    CALL("loss", INT, stat_cell, STAT_LOSS),
    CALL("input_id", INT, stat_cell, STAT_INPUT),
};

static pf_status open_stats(pf_data *d, pf_data_table *table, pf_error *err)
{
    table->rows = counted_rows(d->trace) + d->trace->stat_values.count;
    return PF_OK;
}

static pf_query_cell bound_cell(pf_data *d, uint32_t row, size_t which)
{
    int64_t bounds[2];
    pf_trace_bounds(d->trace, &bounds[0], &bounds[1]);
    return integer(bounds[which]);
}

static const pf_data_column BOUNDS[] = {CALL("start_ts", INT, bound_cell, 0), CALL("end_ts", INT, bound_cell, 1)};

static pf_status open_one_row(pf_data *d, pf_data_table *table, pf_error *err)
{
    table->rows = 1;
    return PF_OK;
}

enum { FILE_NAME, FILE_SIZE, FILE_TYPE };

static pf_query_cell file_cell(pf_data *d, uint32_t row, size_t which)
{
    const pf_input *in = pf_trace_input(d->trace, row);
    const char *type = in->format;
    type = strcmp(type, "perfetto") == 0 ? "proto" : strcmp(type, "chrome-json") == 0 ? "json" : type;
    const pf_query_cell cells[] = {
        [FILE_NAME] = text(in->path), [FILE_SIZE] = integer((int64_t)in->stored_bytes), [FILE_TYPE] = text(type)};
    return cells[which];
}

static const pf_data_column FILES[] = {
    SIMPLE("id", ROW),
    SIMPLE("parent_id", NULL_INT),
    CALL("name", TEXT, file_cell, FILE_NAME),
    CALL("size", INT, file_cell, FILE_SIZE),
    CALL("trace_type", TEXT, file_cell, FILE_TYPE),
    SIMPLE("processing_order", ROW),
    SIMPLE("is_container", ZERO),
};

static pf_status open_files(pf_data *d, pf_data_table *table, pf_error *err)
{
    table->rows = (uint32_t)pf_trace_input_count(d->trace);
    return PF_OK;
}

#define OWN(list) .columns = list, .column_count = COUNT(list)

const pf_data_spec pf_data_specs[] = {
    {.name = "slice", .of = "slice", .load = pf_data_args_load},
    {.name = "counter", .of = "counter", .load = pf_data_args_load},
    {.name = "flow", .of = "flow", .load = pf_data_args_load},
    {.name = "process", .of = "process", .load = pf_data_row_args_load},
    {.name = "thread", .of = "thread", .load = pf_data_row_args_load},
    {.name = "__intrinsic_track", .of = "track", .open = pf_data_tracks_open, .load = pf_data_row_args_load},
    {.name = "args", OWN(ARGS), .open = open_args, .load = pf_data_args_load, .lazy_rows = true},
    {.name = "clock_snapshot", .of = "clock_snapshot"},
    {.name = "metadata", .of = "metadata"},
    {.name = "stats", OWN(STATS), .open = open_stats},
    {.name = "trace_bounds", OWN(BOUNDS), .open = open_one_row},
    {.name = "__intrinsic_trace_file", OWN(FILES), .open = open_files},
};
const size_t pf_data_spec_count = COUNT(pf_data_specs);
