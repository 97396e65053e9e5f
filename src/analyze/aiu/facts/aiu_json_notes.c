/* analyze/aiu/facts/aiu_json_notes.c - see aiu_json_notes.h. */
#include "analyze/aiu/facts/aiu_json_notes.h"

#include "model/trace/json_notes.h"
#include "model/trace/trace.h"

pf_status pf_aiu_note(aiu_run *run, uint32_t event, const aiu_noted *noted)
{
    aiu_noted_list *n = &run->noted;
    PF_TRY(AIU_ROOM(run, n->list, n->count + 1, n->room));
    n->list[n->count] = *noted;
    return pf_aiu_map(run, n->by_event, event, n->count++);
}

aiu_noted pf_aiu_noted(const aiu_run *run, uint32_t event)
{
    const aiu_noted nothing = {.samples = 0};
    const aiu_noted_list *n = &run->noted;
    uint32_t i = n->count ? pf_map_get(n->by_event, event) : PF_NONE;
    return i == PF_NONE ? nothing : n->list[i];
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

/* The end of the JSON value at `at`: the next comma or closing bracket outside of texts and brackets. */
static size_t value_end(pf_str json, size_t at)
{
    unsigned depth = 0;
    bool text = false;
    for (; at < json.len; at++) {
        char c = json.ptr[at];
        if (text) {
            at += c == '\\';
            text = c != '"';
        } else if (c == '"') {
            text = true;
        } else if (c == '{' || c == '[') {
            depth++;
        } else if (depth == 0 && (c == ',' || c == '}' || c == ']')) {
            break;
        } else {
            depth -= c == '}' || c == ']';
        }
    }
    return at < json.len ? at : json.len;
}

static size_t text_end(pf_str json, size_t at)
{
    for (at++; at < json.len && json.ptr[at] != '"'; at++) {
        at += json.ptr[at] == '\\';
    }
    return at < json.len ? at + 1 : json.len;
}

bool pf_aiu_next_member(pf_str json, size_t *at, pf_str *key, pf_str *value)
{
    size_t from = *at + 1;
    if (!json.ptr || from >= json.len || json.ptr[from] != '"') {
        return false;
    }
    size_t colon = text_end(json, from);
    size_t end = value_end(json, colon + 1);
    *key = (pf_str){json.ptr + from, colon - from};
    *value = end > colon + 1 ? (pf_str){json.ptr + colon + 1, end - colon - 1} : (pf_str){NULL, 0};
    *at = end;
    return true;
}

pf_str pf_aiu_noted_member(const aiu_run *run, uint32_t event, const char *key)
{
    pf_str json = pf_aiu_noted(run, event).json, name, value, found = {NULL, 0};
    size_t len = strlen(key);
    for (size_t at = 0; pf_aiu_next_member(json, &at, &name, &value);) {
        bool is = name.len == len + 2 && memcmp(name.ptr + 1, key, len) == 0;
        found = is ? value : found;
    }
    return found;
}

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

const pf_node *pf_aiu_noted_args(const pf_node *event)
{
    bool is = event->type == PF_NODE_OBJECT;
    const pf_node *args = is ? pf_node_get(event, "args") : NULL;
    args = args || !is ? args : pf_node_get(event, "attr");
    return args && args->type == PF_NODE_OBJECT ? args : NULL;
}

static pf_status visit_scalar(const pf_node *n, const pf_arg_visitor *v)
{
    pf_value value = {.type = PF_VALUE_NULL};
    switch (n->type) {
    case PF_NODE_BOOL:
        value = (pf_value){.type = PF_VALUE_BOOL, .as.b = n->as.b};
        break;
    case PF_NODE_INT:
        value = (pf_value){.type = PF_VALUE_INT, .as.i = n->as.i};
        break;
    case PF_NODE_REAL:
        value = (pf_value){.type = PF_VALUE_REAL, .as.d = n->as.d};
        break;
    case PF_NODE_TEXT:
        value = (pf_value){.type = PF_VALUE_STRING, .as.s = n->as.s};
        break;
    case PF_NODE_RAW:
        value = (pf_value){.type = PF_VALUE_JSON, .as.s = n->as.s};
        break;
    default:
        break;
    }
    return v->value(v->ctx, n->key, &value);
}

pf_status pf_aiu_visit_members(const pf_node *object, const pf_arg_visitor *v)
{
    enum { DEEPEST = 512 }; /* what pf_json_parse takes by default */
    const pf_node *after[DEEPEST + 1];
    const pf_node *n = object->first;
    size_t depth = 0;
    pf_status st = PF_OK;
    while (st == PF_OK && (n || depth)) {
        if (!n) {
            st = v->end(v->ctx);
            n = after[--depth];
        } else if (n->type != PF_NODE_LIST && n->type != PF_NODE_OBJECT) {
            st = visit_scalar(n, v);
            n = n->next;
        } else if (depth < DEEPEST) {
            st = v->begin(v->ctx, n->key, n->type == PF_NODE_LIST);
            after[depth++] = n->next;
            n = n->first;
        } else {
            n = n->next;
        }
    }
    return st;
}

/* ---- events of the input ----------------------------------------------------------------------------------------- */

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

int64_t pf_aiu_flow_id(const aiu_run *run, uint32_t event)
{
    uint32_t row = run->events.row[event];
    const pf_origin o = pf_origin_of(run->trace, row);
    if (o.member[PF_MEMBER_ID].form == PF_FORM_INTEGER) {
        return o.member[PF_MEMBER_ID].number;
    }
    if (o.member[PF_MEMBER_ID].form == PF_FORM_TEXT) {
        return 0; /* a text: the table numbers it as it likes */
    }
    uint32_t i = pf_rows_find(run->trace->flow_refs.event, run->trace->flow_refs.count, row, NULL);
    return i != PF_NONE ? (int64_t)run->trace->flow_refs.id[i] : 0;
}

bool pf_aiu_has_args(const aiu_run *run, uint32_t event)
{
    if (pf_aiu_noted(run, event).json.ptr) {
        return pf_aiu_noted_member(run, event, "args").ptr != NULL;
    }
    const pf_origin o = pf_origin_of(run->trace, run->events.row[event]);
    return o.member[PF_MEMBER_ARGS].form == PF_FORM_INTEGER;
}

/* ---- inputs ------------------------------------------------------------------------------------------------------ */

/* The value of {"NAME": value}, if that is what the text is. */
static pf_str member_called(pf_str object, const char *name)
{
    size_t len = strlen(name);
    bool is = object.len > len + 5 && memcmp(object.ptr, "{\"", 2) == 0 && memcmp(object.ptr + 2, name, len) == 0 &&
              memcmp(object.ptr + 2 + len, "\":", 2) == 0 && object.ptr[object.len - 1] == '}';
    return is ? (pf_str){object.ptr + len + 4, object.len - len - 5} : (pf_str){NULL, 0};
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
    for (uint32_t i = 0; i < t->leftovers.count; i++) {
        bool counts = t->leftovers.of_document[i] && t->leftovers.input[i] == input;
        pf_str value = counts ? member_called(t->leftovers.text[i], name + 5) : (pf_str){NULL, 0};
        if (value.ptr) {
            *there = true;
            return value;
        }
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
