/* analyze/tinygrad/facts/tg_input.c - finds the side tables of a profile and their columns by name. */
#include "analyze/tinygrad/facts/tg_input.h"

#include <string.h>

const void *pf_tg_column(const pf_side_table *s, const char *name)
{
    uint32_t i = s ? pf_side_column_named(s, name) : PF_NONE;
    return i == PF_NONE || s->count == 0 ? NULL : s->column[i];
}

uint32_t pf_tg_bind(const pf_trace *t, const char *table, const tg_binding *bindings, size_t count, void *columns)
{
    const pf_side_table *s = pf_trace_table(t, table);
    for (size_t i = 0; i < count; i++) {
        const void *column = pf_tg_column(s, bindings[i].column);
        memcpy((char *)columns + bindings[i].member, &column, sizeof column);
    }
    return s ? s->count : 0;
}

static const tg_binding event_columns[] = {
    TG_COLUMN(tg_events, kind), TG_COLUMN(tg_events, device), TG_COLUMN(tg_events, name), TG_COLUMN(tg_events, ts),
    TG_COLUMN(tg_events, end),  TG_COLUMN(tg_events, dur),    TG_COLUMN(tg_events, copy), TG_COLUMN(tg_events, graph)};
static const tg_binding memory_columns[] = {TG_COLUMN(tg_memory, event),      TG_COLUMN(tg_memory, action),
                                            TG_COLUMN(tg_memory, dtype),      TG_COLUMN(tg_memory, buffer),
                                            TG_COLUMN(tg_memory, item_bytes), TG_COLUMN(tg_memory, items)};
static const tg_binding run_columns[] = {TG_COLUMN(tg_runs, event), TG_COLUMN(tg_runs, kernel),
                                         TG_COLUMN(tg_runs, metadata), TG_COLUMN(tg_runs, run)};
static const tg_binding use_columns[] = {TG_AS(tg_runs, use_run, "run"), TG_AS(tg_runs, use_buffer, "buffer"),
                                         TG_AS(tg_runs, use_position, "position"), TG_AS(tg_runs, use_mode, "mode")};
static const tg_binding variable_columns[] = {TG_COLUMN(tg_variables, run), TG_COLUMN(tg_variables, name),
                                              TG_COLUMN(tg_variables, value)};
static const tg_binding execution_columns[] = {TG_COLUMN(tg_executions, event), TG_COLUMN(tg_executions, run)};
static const tg_binding marker_columns[] = {TG_COLUMN(tg_markers, event), TG_COLUMN(tg_markers, name),
                                            TG_COLUMN(tg_markers, colour)};
static const tg_binding dependency_columns[] = {TG_COLUMN(tg_dependencies, before), TG_COLUMN(tg_dependencies, after)};
static const tg_binding note_columns[] = {TG_COLUMN(tg_notes, event), TG_COLUMN(tg_notes, returned),
                                          TG_COLUMN(tg_notes, stack), TG_AS(tg_notes, key, "profile_key"),
                                          TG_COLUMN(tg_notes, bytes)};
static const tg_binding call_columns[] = {TG_COLUMN(tg_calls, file), TG_COLUMN(tg_calls, function),
                                          TG_COLUMN(tg_calls, code), TG_COLUMN(tg_calls, caller),
                                          TG_COLUMN(tg_calls, line)};
static const tg_binding sample_columns[] = {TG_COLUMN(tg_samples, event), TG_COLUMN(tg_samples, digits),
                                            TG_COLUMN(tg_samples, value)};
static const tg_binding json_columns[] = {TG_COLUMN(tg_jsons, key), TG_COLUMN(tg_jsons, json)};

static void bind_all(tg_input *in)
{
    const pf_trace *t = in->t;
    in->events.count = TG_BIND(t, "tinygrad_event", event_columns, &in->events);
    in->memory.count = TG_BIND(t, "tinygrad_memory", memory_columns, &in->memory);
    in->runs.count = TG_BIND(t, "tinygrad_run", run_columns, &in->runs);
    in->runs.use_count = TG_BIND(t, "tinygrad_run_buffer", use_columns, &in->runs);
    in->variables.count = TG_BIND(t, "tinygrad_variable", variable_columns, &in->variables);
    in->executions.count = TG_BIND(t, "tinygrad_execution", execution_columns, &in->executions);
    in->markers.count = TG_BIND(t, "tinygrad_marker", marker_columns, &in->markers);
    in->dependencies.count = TG_BIND(t, "tinygrad_dependency", dependency_columns, &in->dependencies);
    in->notes.count = TG_BIND(t, "tinygrad_note", note_columns, &in->notes);
    in->calls.count = TG_BIND(t, "tinygrad_call", call_columns, &in->calls);
    in->samples.count = TG_BIND(t, "tinygrad_sample", sample_columns, &in->samples);
    in->jsons.count = TG_BIND(t, "tinygrad_json", json_columns, &in->jsons);
}

static uint32_t find_id(const pf_trace *t, const char *text)
{
    return pf_trace_find_string(t, (pf_str){text, strlen(text)});
}

static void open_kinds(tg_kinds *k, const pf_trace *t)
{
    *k = (tg_kinds){.range = find_id(t, "range"),
                    .point = find_id(t, "point"),
                    .graph = find_id(t, "graph"),
                    .entry = find_id(t, "entry"),
                    .batch = find_id(t, "batch"),
                    .device = find_id(t, "device"),
                    .program = find_id(t, "program"),
                    .sqtt = find_id(t, "sqtt"),
                    .pmc = find_id(t, "pmc"),
                    .pma = find_id(t, "pma")};
}

void pf_tg_open(tg_input *in, const pf_trace *t)
{
    *in = (tg_input){.t = t};
    bind_all(in);
    open_kinds(&in->kinds, t);
    const uint32_t *generation = pf_tg_column(pf_trace_table(t, "tinygrad_profile"), "generation");
    bool first = generation && pf_tg_is(in, generation[0], "dec25");
    bool second = generation && pf_tg_is(in, generation[0], "mid26");
    in->generation = first ? TG_DEC25 : second ? TG_MID26 : TG_AUG26;
    for (uint32_t i = 0; i < in->events.count; i++) {
        in->event_count += in->events.kind[i] != in->kinds.entry && in->events.kind[i] != in->kinds.batch;
    }
}

uint32_t pf_tg_find(const uint32_t *events, uint32_t count, uint32_t event)
{
    uint32_t from = 0, to = count;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (events[middle] < event) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return from < count && events[from] == event ? from : PF_NONE;
}

pf_str pf_tg_string(const tg_input *in, uint32_t id)
{
    return id == PF_NONE ? (pf_str){NULL, 0} : pf_trace_string(in->t, id);
}

bool pf_tg_is(const tg_input *in, uint32_t id, const char *text)
{
    pf_str s = pf_tg_string(in, id);
    return s.ptr && s.len == strlen(text) && memcmp(s.ptr, text, s.len) == 0;
}
