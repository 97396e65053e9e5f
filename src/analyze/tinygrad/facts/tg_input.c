/* analyze/tinygrad/facts/tg_input.c - finds the side tables of a profile and their columns by name. */
#include "analyze/tinygrad/facts/tg_input.h"

#include <string.h>

static const void *column(const pf_side_table *s, const char *name)
{
    uint32_t i = s ? pf_side_column_named(s, name) : PF_NONE;
    return i == PF_NONE || s->count == 0 ? NULL : s->column[i];
}

static uint32_t rows(const pf_side_table *s)
{
    return s ? s->count : 0;
}

static void open_events(tg_events *e, const pf_side_table *s)
{
    *e = (tg_events){.count = rows(s),
                     .kind = column(s, "kind"),
                     .device = column(s, "device"),
                     .name = column(s, "name"),
                     .ts = column(s, "ts"),
                     .end = column(s, "end"),
                     .dur = column(s, "dur"),
                     .copy = column(s, "copy"),
                     .graph = column(s, "graph")};
}

static void open_points(tg_input *in)
{
    const pf_side_table *s = pf_trace_table(in->t, "tinygrad_memory");
    in->memory = (tg_memory){.count = rows(s),
                             .event = column(s, "event"),
                             .action = column(s, "action"),
                             .dtype = column(s, "dtype"),
                             .buffer = column(s, "buffer"),
                             .item_bytes = column(s, "item_bytes"),
                             .items = column(s, "items")};
    const pf_side_table *use = pf_trace_table(in->t, "tinygrad_run_buffer");
    s = pf_trace_table(in->t, "tinygrad_run");
    in->runs = (tg_runs){.count = rows(s),
                         .event = column(s, "event"),
                         .kernel = column(s, "kernel"),
                         .metadata = column(s, "metadata"),
                         .run = column(s, "run"),
                         .use_count = rows(use),
                         .use_run = column(use, "run"),
                         .use_buffer = column(use, "buffer"),
                         .use_position = column(use, "position"),
                         .use_mode = column(use, "mode")};
    s = pf_trace_table(in->t, "tinygrad_variable");
    in->variables = (tg_variables){rows(s), column(s, "run"), column(s, "name"), column(s, "value")};
    s = pf_trace_table(in->t, "tinygrad_execution");
    in->executions = (tg_executions){rows(s), column(s, "event"), column(s, "run")};
    s = pf_trace_table(in->t, "tinygrad_marker");
    in->markers = (tg_markers){rows(s), column(s, "event"), column(s, "name"), column(s, "colour")};
}

static void open_notes(tg_input *in)
{
    const pf_side_table *s = pf_trace_table(in->t, "tinygrad_note");
    in->notes = (tg_notes){.count = rows(s),
                           .event = column(s, "event"),
                           .returned = column(s, "returned"),
                           .stack = column(s, "stack"),
                           .key = column(s, "profile_key"),
                           .bytes = column(s, "bytes")};
    s = pf_trace_table(in->t, "tinygrad_call");
    in->calls = (tg_calls){.count = rows(s),
                           .file = column(s, "file"),
                           .function = column(s, "function"),
                           .code = column(s, "code"),
                           .caller = column(s, "caller"),
                           .line = column(s, "line")};
    s = pf_trace_table(in->t, "tinygrad_sample");
    in->samples = (tg_samples){rows(s), column(s, "event"), column(s, "digits"), column(s, "value")};
    s = pf_trace_table(in->t, "tinygrad_json");
    in->jsons = (tg_jsons){rows(s), column(s, "key"), column(s, "json")};
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
    open_events(&in->events, pf_trace_table(t, "tinygrad_event"));
    const pf_side_table *s = pf_trace_table(t, "tinygrad_dependency");
    in->dependencies = (tg_dependencies){rows(s), column(s, "before"), column(s, "after")};
    open_points(in);
    open_notes(in);
    open_kinds(&in->kinds, t);
    s = pf_trace_table(t, "tinygrad_profile");
    const uint32_t *generation = column(s, "generation");
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
