/* analyze/aiu/facts/aiu_json_notes.c - what an event, or an input, says in JSON beyond its rows
 * (model/trace/json_notes.h). */
#include "analyze/aiu/facts/aiu_parts.h"

#include "base/str.h"
#include "model/trace/json_notes.h"

char pf_aiu_scope(const aiu_run *run, uint32_t event)
{
    const pf_tracks *tracks = pf_trace_tracks(run->trace);
    uint32_t row = pf_aiu_trace_row(run, event);
    uint32_t track = row == PF_NONE ? PF_NONE : pf_trace_events(run->trace)->track[row];
    if (track >= tracks->count) {
        return 't';
    }
    uint8_t type = tracks->type[track];
    bool packets = !run->jobs[run->events.job[event]].json;
    bool global = type == PF_TRACK_JSON_GLOBAL_INSTANTS || (packets && tracks->upid[track] == PF_NONE);
    bool process = type == PF_TRACK_JSON_PROCESS_INSTANTS || packets;
    return tracks->utid[track] != PF_NONE ? 't' : global ? 'g' : process ? 'p' : 't';
}

int64_t pf_aiu_flow_id(const aiu_run *run, uint32_t event)
{
    uint32_t row = run->events.row[event];
    if (run->parts) {
        return run->parts->flow[row];
    }
    const pf_origin o = pf_origin_of(run->trace, row);
    if (o.member[PF_MEMBER_ID].form == PF_FORM_INTEGER) {
        return o.member[PF_MEMBER_ID].number;
    }
    bool text = o.member[PF_MEMBER_ID].form == PF_FORM_TEXT; /* the table numbers it as it likes */
    uint32_t i = text ? PF_NONE : pf_rows_find(run->trace->flow_refs.event, run->trace->flow_refs.count, row, NULL);
    return i != PF_NONE ? (int64_t)run->trace->flow_refs.id[i] : 0;
}

bool pf_aiu_has_args(const aiu_run *run, uint32_t event)
{
    const pf_origin o = pf_origin_of(run->trace, run->events.row[event]);
    return o.member[PF_MEMBER_ARGS].form == PF_FORM_INTEGER;
}

pf_str pf_aiu_said_by_input(const aiu_run *run, uint32_t input, const char *name, bool *there)
{
    const pf_trace *t = run->trace;
    const pf_metadata *m = pf_trace_metadata(t);
    const pf_input *in = pf_trace_input(t, input);
    *there = false;
    for (uint32_t i = in->first_metadata; i < in->first_metadata + in->metadata && i < m->count; i++) {
        if (pf_str_is(pf_trace_string(t, m->name[i]), name)) {
            *there = true;
            return pf_trace_string(t, m->text[i]);
        }
    }
    for (uint32_t i = 0; i < t->leftovers.count; i++) { /* null has no metadata */
        *there |= t->leftovers.of_document[i] && t->leftovers.input[i] == input &&
                  pf_str_is(pf_document_member_name(t->leftovers.text[i]), name + strlen("json."));
    }
    return (pf_str){NULL, 0};
}

bool pf_aiu_parse(const aiu_run *run, pf_str text, pf_document **d)
{
    pf_error err = {.offset = PF_NOWHERE, .packet = PF_NOWHERE};
    pf_status st = pf_json_parse(text, NULL, d, &err);
    if (st == PF_ERR_MEMORY) {
        pf_findings_fail(run->findings, &err);
    }
    return st == PF_OK;
}
