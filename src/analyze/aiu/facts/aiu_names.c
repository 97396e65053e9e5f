/* analyze/aiu/facts/aiu_names.c - texts of the pass, each once, and what a name says of its event.
 *
 * The names of device events end in what the device did: " DmaI", " Cmpt Prep", " Cmpt Exec", " DmaO". A name is looked
 * at once, whatever the number of its events.
 */
#include <string.h>

#include "analyze/aiu/facts/aiu_noted.h"
#include "model/trace/json_notes.h"

bool pf_aiu_contains(pf_str text, const char *word)
{
    return text.ptr && memmem(text.ptr, text.len, word, strlen(word));
}

bool pf_aiu_ends_in(pf_str text, const char *word)
{
    size_t len = strlen(word);
    return text.len >= len && memcmp(text.ptr + text.len - len, word, len) == 0;
}

bool pf_aiu_starts_with(pf_str text, const char *word)
{
    size_t len = strlen(word);
    return text.len >= len && memcmp(text.ptr, word, len) == 0;
}

bool pf_aiu_equals(pf_str text, const char *word)
{
    return text.len == strlen(word) && memcmp(text.ptr, word, text.len) == 0;
}

uint32_t pf_aiu_text(aiu_run *run, pf_str text)
{
    uint32_t id =
        pf_aiu_failed(run) ? PF_NONE : pf_strings_add(&run->texts, text.ptr ? text.ptr : "", text.len, &run->error);
    return id == PF_NONE ? 0 : id;
}

pf_str pf_aiu_text_of(const aiu_run *run, uint32_t id)
{
    return pf_strings_get(&run->texts, id);
}

uint32_t pf_aiu_pool_text(aiu_run *run, uint32_t trace_string)
{
    pf_str text = pf_trace_string(run->trace, trace_string);
    if (!text.ptr) {
        return 0;
    }
    uint32_t id = pf_map_get(&run->pool, trace_string);
    if (id == PF_NONE) {
        id = pf_aiu_text(run, text);
        pf_aiu_map(run, &run->pool, trace_string, id);
    }
    return id;
}

/* ---- what names say ---------------------------------------------------------------------------------------------- */

static const char *const op_words[AIU_OP_NONE] = {" DmaI", "Cmpt Prep", "Cmpt Exec", " DmaO"};

static aiu_name read_name(pf_str text)
{
    aiu_name n = {.flags = AIU_NAME_KNOWN, .ends = AIU_OP_NONE, .has = AIU_OP_NONE};
    for (unsigned op = AIU_OP_NONE; op-- > 0;) {
        n.ends = pf_aiu_ends_in(text, op_words[op]) ? (uint8_t)op : n.ends;
        n.has = pf_aiu_contains(text, op_words[op]) ? (uint8_t)op : n.has;
    }
    n.flags |= pf_aiu_contains(text, "Cmpt Exec") ? AIU_NAME_HAS_EXEC : 0;
    n.flags |= pf_aiu_contains(text, " Prep") ? AIU_NAME_PREP : 0;
    n.flags |= pf_aiu_contains(text, "SenRdma") ? AIU_NAME_SEN_RDMA : 0;
    n.flags |= pf_aiu_contains(text, "AIU Roundtrip") ? AIU_NAME_ROUNDTRIP : 0;
    return n;
}

const aiu_name *pf_aiu_name(aiu_run *run, uint32_t text)
{
    static const aiu_name no_name = {.flags = AIU_NAME_KNOWN, .ends = AIU_OP_NONE, .has = AIU_OP_NONE};
    uint32_t room = run->name_room;
    if (text >= room) {
        if (PF_LIST_ROOM(run->budget, run->names, run->texts.count, run->name_room, &run->error) != PF_OK) {
            return &no_name;
        }
        memset(run->names + room, 0, (run->name_room - room) * sizeof *run->names);
    }
    aiu_name *n = &run->names[text];
    if (!n->flags) {
        *n = read_name(pf_aiu_text_of(run, text));
    }
    return n;
}

/* ---- ids --------------------------------------------------------------------------------------------------------- */

pf_str pf_aiu_pid_text(aiu_run *run, int64_t id)
{
    if (id == AIU_ID_NONE) {
        return PF_STR("None");
    }
    if (id & AIU_ID_TEXT && id > 0) {
        return pf_aiu_text_of(run, (uint32_t)id);
    }
    return pf_findings_format(run->findings, "%lld", (long long)id);
}

char pf_aiu_scope(const aiu_run *run, uint32_t event)
{
    const pf_tracks *tracks = pf_trace_tracks(run->trace);
    uint32_t row = run->events.row[event];
    pf_str said = pf_aiu_noted_member(run, event, "s");
    uint32_t track = row == PF_NONE ? PF_NONE : pf_trace_events(run->trace)->track[row];
    if (said.len == 3 || track >= tracks->count) {
        return said.len == 3 ? said.ptr[1] : 't';
    }
    uint8_t type = tracks->type[track];
    bool packets = !run->jobs[run->events.job[event]].json;
    bool global = type == PF_TRACK_JSON_GLOBAL_INSTANTS || (packets && tracks->upid[track] == PF_NONE);
    bool process = type == PF_TRACK_JSON_PROCESS_INSTANTS || packets;
    return tracks->utid[track] != PF_NONE ? 't' : global ? 'g' : process ? 'p' : 't';
}

pf_status pf_aiu_set_async_id(aiu_run *run, uint32_t event, int64_t id)
{
    return pf_aiu_map(run, &run->async_ids, event, (uint32_t)id);
}

int64_t pf_aiu_flow_id(const aiu_run *run, uint32_t event)
{
    uint32_t row = run->events.row[event], lo = 0, hi = run->trace->flow_refs.count;
    pf_str note = pf_trace_origin(run->trace, row);
    const pf_origin o = pf_origin_read((const uint8_t *)note.ptr, note.len);
    if (o.member[PF_MEMBER_ID].form == PF_FORM_INTEGER) {
        return o.member[PF_MEMBER_ID].number;
    }
    if (o.member[PF_MEMBER_ID].form == PF_FORM_TEXT) {
        return 0; /* a text: the table numbers it as it likes */
    }
    const uint32_t *events = run->trace->flow_refs.event;
    while (lo < hi) {
        uint32_t middle = lo + (hi - lo) / 2;
        if (events[middle] < row) {
            lo = middle + 1;
        } else {
            hi = middle;
        }
    }
    bool there = lo < run->trace->flow_refs.count && events[lo] == row;
    return there ? (int64_t)run->trace->flow_refs.id[lo] : 0;
}

bool pf_aiu_has_args(const aiu_run *run, uint32_t event)
{
    uint32_t row = run->events.row[event];
    if (pf_aiu_noted(run, event).json.ptr) {
        return pf_aiu_noted_member(run, event, "args").ptr != NULL;
    }
    pf_str note = row == PF_NONE ? (pf_str){NULL, 0} : pf_trace_origin(run->trace, row);
    const pf_origin o = pf_origin_read((const uint8_t *)note.ptr, note.len);
    return o.member[PF_MEMBER_ARGS].form == PF_FORM_INTEGER;
}

unsigned pf_aiu_step(aiu_run *run, uint32_t e)
{
    unsigned op = pf_aiu_name(run, run->events.name[e])->has;
    if (op != AIU_OP_NONE || !(run->events.flags[e] & AIU_TORCH) || run->set.compat != AIU_WANT) {
        return op;
    }
    pf_str name = pf_aiu_text_of(run, run->events.name[e]);
    return pf_aiu_equals(pf_aiu_text_of(run, run->events.cat[e]), "kernel") ? AIU_OP_EXEC
           : pf_aiu_contains(name, "(HtoD)")                                ? AIU_OP_DMAI
           : pf_aiu_contains(name, "(DtoH)")                                ? AIU_OP_DMAO
                                                                            : AIU_OP_NONE;
}

bool pf_aiu_is_second_view(const aiu_run *run, uint32_t e)
{
    uint32_t rank = run->events.rank[e];
    return run->events.flags[e] & AIU_TORCH && rank < run->twice_count && run->twice[rank];
}

bool pf_aiu_is_kernel(aiu_run *run, uint32_t e)
{
    if (!pf_aiu_is_slice(run, e) || pf_aiu_is_second_view(run, e)) {
        return false;
    }
    if (pf_aiu_name(run, run->events.name[e])->flags & AIU_NAME_HAS_EXEC) {
        return true;
    }
    return run->set.compat == AIU_WANT && run->events.flags[e] & AIU_TORCH &&
           pf_aiu_equals(pf_aiu_text_of(run, run->events.cat[e]), "kernel");
}

bool pf_aiu_stage_on(const aiu_run *run, const char *name)
{
    for (size_t i = 0; i < run->stage_count; i++) {
        if (strcmp(run->stages[i].name, name) == 0) {
            return run->on[i];
        }
    }
    return false;
}
