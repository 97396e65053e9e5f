/* model/trace/trace_tables.c - the rows that trace_tables.h describes, and the walks over them. */
#include "model/trace/trace_tables.h"

#include "base/sized.h"
#define AT(member) offsetof(pf_trace, member)
#define SIZE(member) sizeof *((pf_trace *)0)->member

/* What SQL has of a column. */
#define SQL(sql_name, sql_type, sql_flags) .name = sql_name, .type = (int)PF_COLUMN_##sql_type, .flags = sql_flags
#define ALWAYS PF_COLUMN_ALWAYS
#define FEW PF_COLUMN_FEW

/* Where the values lie. */
#define HIDDEN(table, member) .at = AT(table.member), .size = SIZE(table.member)
#define SHOWN(table, member) HIDDEN(table, member), .view = AT(table.view.member)
#define LATER(table, member) .later = true, HIDDEN(table, member)
#define OF_EVENT(member) .of = AT(events.member), .through = AT(slices.event)

static const pf_main_column events[] = {
    {SHOWN(events, ts)},
    {SHOWN(events, phase)},
    {SHOWN(events, name)},
    {SHOWN(events, track)},
    {LATER(events, dur), .view = AT(events.view.dur), .columns = AT(events.dur_columns)},
    {LATER(events, category), .view = AT(events.view.category), .columns = AT(events.category_columns)},
};

static const pf_main_column offsets[] = {{HIDDEN(offsets, event)}, {HIDDEN(offsets, offset)}};

static const pf_main_column args[] = {
    {HIDDEN(args, event)}, {HIDDEN(args, len)}, {HIDDEN(args, context)}, {HIDDEN(args, bytes)}};

static const pf_main_column slices[] = {
    {SQL("id", NUMBER, 0)},
    {SQL("ts", INT, PF_COLUMN_SORTED), OF_EVENT(ts), .view = AT(slices.view.event_ts)},
    {SQL("dur", INT, ALWAYS), SHOWN(slices, dur)},
    {SQL("track_id", ROW, 0), SHOWN(slices, track)},
    {SQL("category", TEXT, 0), OF_EVENT(category), .view = AT(slices.view.event_category)},
    {SQL("name", TEXT, 0), LATER(slices, name), OF_EVENT(name), .view = AT(slices.view.own_name)},
    {SQL("depth", ROW, 0), SHOWN(slices, depth)},
    {SQL("parent_id", ROW, FEW), SHOWN(slices, parent)},
    {SQL("arg_set_id", ARG_SET, 0)},
    {SQL("thread_ts", INT, 0), LATER(slices, thread_ts), .view = AT(slices.view.thread_ts)},
    {SQL("thread_dur", INT, 0), LATER(slices, thread_dur), .view = AT(slices.view.thread_dur)},
    {SQL("thread_instruction_count", INT, 0), LATER(slices, instruction_count),
     .view = AT(slices.view.thread_instruction_count)},
    {SQL("thread_instruction_delta", INT, 0), LATER(slices, instruction_delta),
     .view = AT(slices.view.thread_instruction_delta)},
    {SQL("cat", TEXT, PF_COLUMN_ALIAS), OF_EVENT(category)},
    {SQL("slice_id", NUMBER, PF_COLUMN_ALIAS)},
    {SHOWN(slices, event)},
    {SHOWN(slices, end_event)},
    {OF_EVENT(name), .view = AT(slices.view.event_name)},
};

static const pf_main_column counters[] = {
    {SQL("id", NUMBER, 0)},
    {SQL("ts", INT, PF_COLUMN_SORTED), SHOWN(counters, ts)},
    {SQL("track_id", ROW, 0), SHOWN(counters, track)},
    {SQL("value", REAL, 0), SHOWN(counters, value)},
    {SQL("arg_set_id", ARG_SET, 0)},
    {SHOWN(counters, event)},
};

static const pf_main_column flow_refs[] = {
    {HIDDEN(flow_refs, event)}, {HIDDEN(flow_refs, id)}, {HIDDEN(flow_refs, kind)}, {LATER(flow_refs, bound)}};

static const pf_main_column flows[] = {
    {SQL("id", NUMBER, 0)},
    {SQL("slice_out", ROW, FEW), SHOWN(flows, slice_out)},
    {SQL("slice_in", ROW, FEW), SHOWN(flows, slice_in)},
    {SQL("trace_id", INT, 0), SHOWN(flows, trace_id)}, /* ids beyond 2^63 wrap, as in Perfetto */
    {SQL("arg_set_id", ARG_SET, 0)},
    {LATER(flows, event), .view = AT(flows.view.event)},
};

static const pf_main_column processes[] = {
    {SQL("upid", NUMBER, 0)},
    {SQL("id", NUMBER, PF_COLUMN_ALIAS)},
    {SQL("pid", INT, ALWAYS), SHOWN(processes, pid)},
    {SQL("name", TEXT, 0), SHOWN(processes, name)},
    {SQL("start_ts", INT, 0), SHOWN(processes, start_ts)},
    {SQL("end_ts", INT, 0), SHOWN(processes, end_ts)},
    {SQL("parent_upid", ROW, 0), SHOWN(processes, parent_upid)},
    {SQL("uid", INT, 0), SHOWN(processes, uid)},
    {SQL("android_appid", MADE_INT, 0)},
    {SQL("android_user_id", MADE_INT, 0)},
    {SQL("cmdline", TEXT, PF_COLUMN_PLAIN), SHOWN(processes, cmdline)},
    {SQL("arg_set_id", ARG_SET, 0)},
    {SQL("machine_id", MADE_INT, 0)},
    {SQL("input_id", ROW, 0), SHOWN(processes, input)},
    {SHOWN(processes, kind)},
    {SHOWN(processes, text)},
    {SHOWN(processes, uuid)},
};

static const pf_main_column threads[] = {
    {SQL("utid", NUMBER, 0)},
    {SQL("id", NUMBER, PF_COLUMN_ALIAS)},
    {SQL("tid", INT, ALWAYS), SHOWN(threads, tid)},
    {SQL("name", TEXT, 0), SHOWN(threads, name)},
    {SQL("start_ts", INT, 0), SHOWN(threads, start_ts)},
    {SQL("end_ts", INT, 0), SHOWN(threads, end_ts)},
    {SQL("upid", ROW, 0), SHOWN(threads, upid)},
    {SQL("is_main_thread", MADE_INT, 0)},
    {SQL("is_idle", MADE_INT, 0)},
    {SQL("machine_id", MADE_INT, 0)},
    {SQL("arg_set_id", ARG_SET, 0)},
    {SHOWN(threads, is_main)},
    {SHOWN(threads, kind)},
    {SHOWN(threads, text)},
    {SHOWN(threads, uuid)},
    {HIDDEN(threads, next)},
};

static const pf_main_column tracks[] = {
    {SQL("id", NUMBER, 0)},
    {SQL("name", TEXT, 0), SHOWN(tracks, name)},
    {SQL("parent_id", ROW, 0), SHOWN(tracks, parent)},
    {SQL("source_arg_set_id", ARG_SET, 0)},
    {SQL("machine_id", MADE_INT, 0)},
    {SQL("type", MADE_TEXT, 0)},
    {SQL("dimension_arg_set_id", ARG_SET, 0)},
    {SQL("track_group_id", ROW, 0), SHOWN(tracks, group)},
    {SQL("event_type", MADE_TEXT, 0)},
    {SQL("counter_unit", TEXT, 0), SHOWN(tracks, unit)},
    {SQL("utid", ROW, 0), SHOWN(tracks, utid)},
    {SQL("upid", MADE_ROW, 0)}, /* of tracks that are no thread's */
    {SHOWN(tracks, type)},
    {SHOWN(tracks, used)},
    {SHOWN(tracks, upid)},
    {SHOWN(tracks, uuid)},
};

static const pf_main_column metadata[] = {
    {SQL("id", NUMBER, 0)},
    {SQL("name", TEXT, 0), SHOWN(metadata, name)},
    {SQL("key_type", MADE_TEXT, 0)},
    {SQL("int_value", MADE_INT, 0)},
    {SQL("str_value", TEXT, PF_COLUMN_PLAIN), SHOWN(metadata, text)},
    {SQL("machine_id", MADE_INT, 0)},
    {SQL("trace_id", ZERO, 0)},
    {SQL("input_id", ROW, 0), SHOWN(metadata, input)},
    {SHOWN(metadata, number)},
};

static const pf_main_column row_args[] = {
    {SHOWN(row_args, owner)}, {SHOWN(row_args, type)}, {SHOWN(row_args, row)},
    {SHOWN(row_args, key)},   {SHOWN(row_args, text)}, {SHOWN(row_args, number)},
};

static const pf_main_column clocks[] = {
    {SQL("id", NUMBER, 0)},
    {SQL("ts", INT, ALWAYS), SHOWN(clocks, ts)},
    {SQL("clock_id", INT, ALWAYS), SHOWN(clocks, clock_id)},
    {SQL("clock_name", TEXT, 0), SHOWN(clocks, clock_name)},
    {SQL("clock_value", INT, ALWAYS), SHOWN(clocks, clock_value)},
    {SQL("snapshot_id", ROW, 0), SHOWN(clocks, snapshot_id)},
    {SQL("machine_id", MADE_INT, 0)},
};

static const pf_main_column thread_times[] = {
    {HIDDEN(thread_times, event)},
    {HIDDEN(thread_times, ts)},
    {HIDDEN(thread_times, dur)},
    {HIDDEN(thread_times, instruction_count)},
    {HIDDEN(thread_times, instruction_delta)},
};

static const pf_main_column origins[] = {{HIDDEN(origins, event)}, {HIDDEN(origins, len)}, {HIDDEN(origins, bytes)}};

static const pf_main_column leftovers[] = {{HIDDEN(leftovers, of_document)},
                                           {HIDDEN(leftovers, input)},
                                           {HIDDEN(leftovers, place)},
                                           {HIDDEN(leftovers, text)}};

static const pf_main_column stat_values[] = {{HIDDEN(stat_values, kind)},
                                             {HIDDEN(stat_values, idx)},
                                             {HIDDEN(stat_values, input)},
                                             {HIDDEN(stat_values, value)}};

#define TABLE(member, name, view_count)                                                                                \
    {                                                                                                                  \
        name, AT(member), sizeof((pf_trace *)0)->member, AT(member.columns), AT(member.count), view_count, member,     \
            sizeof member / sizeof *member                                                                             \
    }
#define PUBLIC(member, name) TABLE(member, name, AT(member.view.count))
#define PRIVATE(member, name) TABLE(member, name, 0)

static const pf_main_table tables[] = {
    PUBLIC(events, "event"),
    PRIVATE(offsets, "event offsets"),
    PRIVATE(args, "arguments"),
    PUBLIC(slices, "slice"),
    PUBLIC(counters, "counter"),
    PRIVATE(flow_refs, "event flows"),
    PUBLIC(flows, "flow"),
    PUBLIC(processes, "process"),
    PUBLIC(threads, "thread"),
    PUBLIC(tracks, "track"),
    PUBLIC(metadata, "metadata"),
    PUBLIC(row_args, "row arguments"),
    PUBLIC(clocks, "clock_snapshot"),
    PRIVATE(thread_times, "thread times"),
    PRIVATE(origins, "event origins"),
    PRIVATE(leftovers, "leftovers"),
    PRIVATE(stat_values, "values of stats"),
};
#define TABLES (sizeof tables / sizeof *tables)

const pf_main_table *pf_main_table_at(size_t i)
{
    return i < TABLES ? &tables[i] : NULL;
}

const pf_main_table *pf_main_table_named(const char *name)
{
    size_t i = 0;
    while (i < TABLES && strcmp(tables[i].name, name) != 0) {
        i++;
    }
    return pf_main_table_at(i);
}

static void *member(pf_trace *t, size_t at)
{
    return (char *)t + at;
}

static pf_status init_table(pf_trace *t, const pf_main_table *table, pf_error *err)
{
    pf_columns *columns = member(t, table->columns);
    memset(member(t, table->at), 0, table->size);
    pf_columns_init(columns, &t->budget, table->name);
    for (size_t i = 0; i < table->column_count; i++) {
        const pf_main_column *c = &table->column[i];
        PF_TRY(c->at && !c->later ? pf_columns_add(columns, member(t, c->at), c->size, err) : PF_OK);
        if (c->columns) {
            pf_columns_init(member(t, c->columns), &t->budget, table->name);
        }
    }
    return PF_OK;
}

pf_status pf_trace_init_tables(pf_trace *t, pf_error *err)
{
    for (size_t i = 0; i < TABLES; i++) {
        PF_TRY(init_table(t, &tables[i], err));
    }
    return PF_OK;
}

void pf_trace_free_tables(pf_trace *t)
{
    for (size_t i = 0; i < TABLES; i++) {
        pf_columns_free(member(t, tables[i].columns));
        for (size_t k = 0; k < tables[i].column_count; k++) {
            if (tables[i].column[k].columns) {
                pf_columns_free(member(t, tables[i].column[k].columns));
            }
        }
    }
}

static void set_view(pf_trace *t, const pf_main_table *table)
{
    if (table->view_count) {
        memcpy(member(t, table->view_count), member(t, table->count), sizeof(uint32_t));
    }
    for (size_t i = 0; i < table->column_count; i++) {
        const pf_main_column *c = &table->column[i];
        if (c->view) {
            memcpy(member(t, c->view), member(t, c->at ? c->at : c->of), sizeof(void *));
        }
    }
}

void pf_trace_set_views(pf_trace *t)
{
    for (size_t i = 0; i < TABLES; i++) {
        set_view(t, &tables[i]);
    }
}

uint32_t pf_main_rows(const pf_trace *t, const pf_main_table *table)
{
    uint32_t rows;
    memcpy(&rows, (const char *)t + table->count, sizeof rows);
    return rows;
}

const void *pf_main_array(const pf_trace *t, size_t place)
{
    const void *array = NULL;
    if (place) {
        memcpy(&array, (const char *)t + place, sizeof array);
    }
    return array;
}

/* The cells of a row, of the columns that are there. */
static uint64_t row_bytes(const pf_trace *t, const pf_main_table *table)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < table->column_count; i++) {
        const pf_main_column *c = &table->column[i];
        bytes += pf_main_array(t, c->at) ? c->size : 0;
    }
    return bytes;
}

bool pf_trace_table_size_get(const pf_trace *t, size_t i, pf_table_size *out, size_t size)
{
    const pf_side_table *s = i < TABLES ? NULL : pf_sides_at(&t->sides, i - TABLES);
    pf_table_size found;
    if (i < TABLES) {
        uint32_t rows = pf_main_rows(t, &tables[i]);
        found = (pf_table_size){tables[i].name, rows, rows * row_bytes(t, &tables[i])};
    } else if (s) {
        found = (pf_table_size){s->spec->name, s->count, s->count * pf_side_row_bytes(s)};
    } else {
        return false;
    }
    pf_sized_give(out, size, &found, sizeof found);
    return true;
}
