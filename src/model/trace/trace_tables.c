/* model/trace/trace_tables.c - the main tables of a trace as data: where each lies in the trace, its columns, and where
 * the public view shows them. Making, forgetting and freeing the tables and setting the views are walks over this; a
 * new column is one row here and a member of the table's struct.
 *
 * A column has three kinds: of the table from the beginning; added later by whoever has the first value for it (LATER),
 * where it is listed for its view alone; or of another table and shown here too (BORROWED).
 */
#include <string.h>

#include "model/trace/trace.h"

typedef struct column_row {
    size_t at;   /* of the pointer to the array in the trace */
    size_t size; /* of a value; 0: the table is not made with this column */
    size_t view; /* of the pointer in the view, in the trace; 0: it is not shown */
} column_row;

typedef struct table_row {
    const char *name; /* in messages */
    size_t at, size;  /* the table's struct */
    size_t columns, count;
    size_t view_count; /* 0: it has no view */
    const column_row *column;
    size_t column_count;
} table_row;

#define AT(member) offsetof(pf_trace, member)
#define SIZE(member) sizeof *((pf_trace *)0)->member

#define SHOWN(table, name)                                                                                             \
    {                                                                                                                  \
        AT(table.name), SIZE(table.name), AT(table.view.name)                                                          \
    }
#define HIDDEN(table, name)                                                                                            \
    {                                                                                                                  \
        AT(table.name), SIZE(table.name), 0                                                                            \
    }
#define LATER(table, name, shown)                                                                                      \
    {                                                                                                                  \
        AT(table.name), 0, AT(table.view.shown)                                                                        \
    }
#define BORROWED(table, name, of, shown)                                                                               \
    {                                                                                                                  \
        AT(table.name), 0, AT(of.view.shown)                                                                           \
    }

static const column_row events[] = {SHOWN(events, ts),    SHOWN(events, phase),    SHOWN(events, name),
                                    SHOWN(events, track), LATER(events, dur, dur), LATER(events, category, category)};
static const column_row offsets[] = {HIDDEN(offsets, event), HIDDEN(offsets, offset)};
static const column_row args[] = {HIDDEN(args, event), HIDDEN(args, len), HIDDEN(args, context), HIDDEN(args, bytes)};
static const column_row slices[] = {SHOWN(slices, dur),
                                    SHOWN(slices, track),
                                    SHOWN(slices, depth),
                                    SHOWN(slices, parent),
                                    SHOWN(slices, event),
                                    SHOWN(slices, end_event),
                                    LATER(slices, name, own_name),
                                    LATER(slices, thread_ts, thread_ts),
                                    LATER(slices, thread_dur, thread_dur),
                                    LATER(slices, instruction_count, thread_instruction_count),
                                    LATER(slices, instruction_delta, thread_instruction_delta),
                                    BORROWED(events, ts, slices, event_ts),
                                    BORROWED(events, name, slices, event_name),
                                    BORROWED(events, category, slices, event_category)};
static const column_row counters[] = {SHOWN(counters, ts), SHOWN(counters, value), SHOWN(counters, track),
                                      SHOWN(counters, event)};
static const column_row flow_refs[] = {HIDDEN(flow_refs, event), HIDDEN(flow_refs, id), HIDDEN(flow_refs, kind)};
static const column_row flows[] = {SHOWN(flows, slice_out), SHOWN(flows, slice_in), SHOWN(flows, trace_id),
                                   LATER(flows, event, event)};
static const column_row processes[] = {
    SHOWN(processes, pid),         SHOWN(processes, start_ts), SHOWN(processes, kind),   SHOWN(processes, text),
    SHOWN(processes, name),        SHOWN(processes, uuid),     SHOWN(processes, end_ts), SHOWN(processes, uid),
    SHOWN(processes, parent_upid), SHOWN(processes, cmdline),  SHOWN(processes, input)};
static const column_row threads[] = {SHOWN(threads, tid),   SHOWN(threads, kind),  SHOWN(threads, is_main),
                                     SHOWN(threads, text),  SHOWN(threads, upid),  SHOWN(threads, name),
                                     SHOWN(threads, uuid),  HIDDEN(threads, next), SHOWN(threads, start_ts),
                                     SHOWN(threads, end_ts)};
static const column_row tracks[] = {SHOWN(tracks, type), SHOWN(tracks, used),  SHOWN(tracks, name),
                                    SHOWN(tracks, upid), SHOWN(tracks, utid),  SHOWN(tracks, parent),
                                    SHOWN(tracks, unit), SHOWN(tracks, group), SHOWN(tracks, uuid)};
static const column_row metadata[] = {SHOWN(metadata, name), SHOWN(metadata, text), SHOWN(metadata, number),
                                      SHOWN(metadata, input)};
static const column_row row_args[] = {SHOWN(row_args, owner), SHOWN(row_args, type), SHOWN(row_args, row),
                                      SHOWN(row_args, key),   SHOWN(row_args, text), SHOWN(row_args, number)};
static const column_row clocks[] = {SHOWN(clocks, ts), SHOWN(clocks, clock_id), SHOWN(clocks, clock_value),
                                    SHOWN(clocks, clock_name), SHOWN(clocks, snapshot_id)};
static const column_row thread_times[] = {HIDDEN(thread_times, event), HIDDEN(thread_times, ts),
                                          HIDDEN(thread_times, dur), HIDDEN(thread_times, instruction_count),
                                          HIDDEN(thread_times, instruction_delta)};
static const column_row origins[] = {HIDDEN(origins, event), HIDDEN(origins, len), HIDDEN(origins, bytes)};
static const column_row leftovers[] = {HIDDEN(leftovers, of_document), HIDDEN(leftovers, text)};

#define TABLE(member, name, view_count)                                                                                \
    {                                                                                                                  \
        name, AT(member), sizeof((pf_trace *)0)->member, AT(member.columns), AT(member.count), view_count, member,     \
            sizeof member / sizeof *member                                                                             \
    }
#define PUBLIC(member, name) TABLE(member, name, AT(member.view.count))
#define PRIVATE(member, name) TABLE(member, name, 0)

static const table_row tables[] = {
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
    PUBLIC(row_args, "arguments"),
    PUBLIC(clocks, "clock_snapshot"),
    PRIVATE(thread_times, "thread times"),
    PRIVATE(origins, "event origins"),
    PRIVATE(leftovers, "leftovers"),
};
#define TABLES (sizeof tables / sizeof *tables)

static void *member(pf_trace *t, size_t at)
{
    return (char *)t + at;
}

static pf_status init_table(pf_trace *t, const table_row *table, pf_error *err)
{
    pf_columns *columns = member(t, table->columns);
    pf_status st = PF_OK;
    memset(member(t, table->at), 0, table->size);
    pf_columns_init(columns, &t->budget, table->name);
    for (size_t i = 0; i < table->column_count && st == PF_OK; i++) {
        const column_row *c = &table->column[i];
        st = c->size ? pf_columns_add(columns, member(t, c->at), c->size, err) : PF_OK;
    }
    return st;
}

pf_status pf_trace_init_tables(pf_trace *t, pf_error *err)
{
    pf_status st = PF_OK;
    for (size_t i = 0; i < TABLES && st == PF_OK; i++) {
        st = init_table(t, &tables[i], err);
    }
    return st;
}

void pf_trace_free_tables(pf_trace *t)
{
    for (size_t i = 0; i < TABLES; i++) {
        pf_columns_free(member(t, tables[i].columns));
    }
}

static void set_view(pf_trace *t, const table_row *table)
{
    if (table->view_count) {
        memcpy(member(t, table->view_count), member(t, table->count), sizeof(uint32_t));
    }
    for (size_t i = 0; i < table->column_count; i++) {
        const column_row *c = &table->column[i];
        if (c->view) {
            memcpy(member(t, c->view), member(t, c->at), sizeof(void *));
        }
    }
}

void pf_trace_set_views(pf_trace *t)
{
    for (size_t i = 0; i < TABLES; i++) {
        set_view(t, &tables[i]);
    }
}
