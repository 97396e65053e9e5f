/* analyze/tinygrad/facts/tg_input.c - finds the side tables of a profile and their columns by name. */
#include "analyze/tinygrad/facts/tg_input.h"

#include "base/str.h"
#include "model/trace/trace.h"
#include "postfetto/read.h"

pf_status pf_tg_bind(const pf_trace *t, const tg_table *tables, size_t count, void *all, pf_error *err)
{
    for (size_t i = 0; i < count; i++) {
        const tg_table *table = &tables[i];
        PF_TRY(pf_side_bind(pf_trace_table(t, table->name), table->columns, table->count, (char *)all + table->member,
                            err));
    }
    return PF_OK;
}

static const tg_table tables[] = {
    TG_TABLE("tinygrad_profile", tg_input, profiles, TG_COLUMN(tg_profiles, generation)),
    TG_TABLE("tinygrad_event", tg_input, events, TG_COLUMN(tg_events, kind), TG_COLUMN(tg_events, device),
             TG_COLUMN(tg_events, name), TG_COLUMN(tg_events, ts), TG_COLUMN(tg_events, end), TG_COLUMN(tg_events, dur),
             TG_COLUMN(tg_events, copy), TG_COLUMN(tg_events, graph)),
    TG_TABLE("tinygrad_memory", tg_input, memory, TG_COLUMN(tg_memory, event), TG_COLUMN(tg_memory, action),
             TG_COLUMN(tg_memory, dtype), TG_COLUMN(tg_memory, buffer), TG_COLUMN(tg_memory, item_bytes),
             TG_COLUMN(tg_memory, items)),
    TG_TABLE("tinygrad_run", tg_input, runs, TG_COLUMN(tg_runs, event), TG_COLUMN(tg_runs, kernel),
             TG_COLUMN(tg_runs, metadata), TG_COLUMN(tg_runs, run)),
    TG_TABLE("tinygrad_run_buffer", tg_input, uses, TG_COLUMN(tg_uses, run), TG_COLUMN(tg_uses, buffer),
             TG_COLUMN(tg_uses, position), TG_COLUMN(tg_uses, mode)),
    TG_TABLE("tinygrad_variable", tg_input, variables, TG_COLUMN(tg_variables, run), TG_COLUMN(tg_variables, name),
             TG_COLUMN(tg_variables, value)),
    TG_TABLE("tinygrad_execution", tg_input, executions, TG_COLUMN(tg_executions, event),
             TG_COLUMN(tg_executions, run)),
    TG_TABLE("tinygrad_marker", tg_input, markers, TG_COLUMN(tg_markers, event), TG_COLUMN(tg_markers, name),
             TG_COLUMN(tg_markers, colour)),
    TG_TABLE("tinygrad_dependency", tg_input, dependencies, TG_COLUMN(tg_dependencies, before),
             TG_COLUMN(tg_dependencies, after)),
    TG_TABLE("tinygrad_note", tg_input, notes, TG_COLUMN(tg_notes, event), TG_COLUMN(tg_notes, returned),
             TG_COLUMN(tg_notes, stack), TG_AS(tg_notes, key, "profile_key"), TG_COLUMN(tg_notes, bytes)),
    TG_TABLE("tinygrad_call", tg_input, calls, TG_COLUMN(tg_calls, file), TG_COLUMN(tg_calls, function),
             TG_COLUMN(tg_calls, code), TG_COLUMN(tg_calls, caller), TG_COLUMN(tg_calls, line)),
    TG_TABLE("tinygrad_sample", tg_input, samples, TG_COLUMN(tg_samples, event), TG_COLUMN(tg_samples, digits),
             TG_COLUMN(tg_samples, value)),
    TG_TABLE("tinygrad_json", tg_input, jsons, TG_COLUMN(tg_jsons, key), TG_COLUMN(tg_jsons, json)),
};

pf_status pf_tg_open(tg_input *in, const pf_trace *t, pf_error *err)
{
    *in = (tg_input){.t = t};
    PF_TRY(pf_tg_bind(t, tables, sizeof tables / sizeof *tables, in, err));
    in->kinds = (tg_kinds){.range = pf_trace_find_string(t, PF_STR("range")),
                           .point = pf_trace_find_string(t, PF_STR("point")),
                           .entry = pf_trace_find_string(t, PF_STR("entry")),
                           .batch = pf_trace_find_string(t, PF_STR("batch"))};
    uint32_t generation = in->profiles.count ? in->profiles.generation[0] : 0;
    in->generation = pf_tg_is(in, generation, "dec25")   ? TG_DEC25
                     : pf_tg_is(in, generation, "mid26") ? TG_MID26
                                                         : TG_AUG26;
    for (uint32_t i = 0; i < in->events.count; i++) {
        in->event_count += in->events.kind[i] != in->kinds.entry && in->events.kind[i] != in->kinds.batch;
    }
    return PF_OK;
}

tg_rows pf_tg_rows_of(const uint32_t *column, uint32_t count, uint32_t value)
{
    return count ? (tg_rows){pf_rows_lower_bound(column, count, value), pf_rows_lower_bound(column, count, value + 1)}
                 : (tg_rows){0, 0};
}

uint32_t pf_tg_find(const uint32_t *column, uint32_t count, uint32_t value)
{
    uint32_t at = count ? pf_rows_lower_bound(column, count, value) : 0;
    return at < count && column[at] == value ? at : PF_NONE;
}

pf_str pf_tg_string(const tg_input *in, uint32_t id)
{
    return id == PF_NONE ? (pf_str){NULL, 0} : pf_trace_string(in->t, id);
}

bool pf_tg_is(const tg_input *in, uint32_t id, const char *text)
{
    return pf_str_is(pf_tg_string(in, id), text);
}

pf_status pf_tg_visit_events(const void *of, const pf_arg_visitor *v, pf_error *err)
{
    const tg_input *in = of;
    return pf_visit_input(in->t, 0, v, err);
}
