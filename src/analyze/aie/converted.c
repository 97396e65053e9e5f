/* analyze/aie/converted.c - see converted.h.
 *
 * A conversion keeps what the analysis must know in notes (model/trace/json_notes.h): names of processes, and events
 * before time 0, have no packet that says all of them; complete events are begins and ends that are no pulses; and the
 * order of the document decides in which order cores are listed. Notes are bytes of the input: what is no event there
 * is none here.
 */
#include "analyze/aie/converted.h"

#include <string.h>

#include "analyze/support/pass_memory.h"
#include "base/map.h"
#include "base/str.h"
#include "model/trace/json_notes.h"
#include "postfetto/document.h"

/* Rows whose events are said elsewhere, or are of another phase, lose their names; ends get none from their begins. */
static void strip_names(const pf_trace *t, const pf_input *in, uint32_t *names)
{
    const pf_events *e = pf_trace_events(t);
    uint32_t to = in->first_event + in->events;
    memcpy(names + in->first_event, e->name + in->first_event, in->events * sizeof *names);
    for (uint32_t i = 0; i < t->origins.count; i++) {
        uint32_t row = t->origins.event[i];
        const pf_origin o = pf_origin_read(t->origins.bytes[i], t->origins.len[i]);
        bool other = o.member[PF_MEMBER_PHASE].form && (o.member[PF_MEMBER_PHASE].form != PF_FORM_INTEGER ||
                                                        o.member[PF_MEMBER_PHASE].number != e->phase[row]);
        if (row >= in->first_event && row < to && (o.hidden || o.completes || other)) {
            names[row] = 0;
        }
    }
}

/* Whether names are not as in the table: notes of descriptors aside, few traces have any. */
static bool must_strip(const pf_trace *t, const uint32_t *names)
{
    const pf_events *e = pf_trace_events(t);
    bool must = names != e->name;
    for (uint32_t i = 0; i < t->origins.count && !must; i++) {
        must = e->phase[t->origins.event[i]] != 'M';
    }
    return must;
}

static pf_status keep_text(pf_arena *scratch, const pf_node *n, pf_str *out, pf_error *err)
{
    if (n && n->type == PF_NODE_TEXT) {
        char *copy;
        PF_TRY(PF_PASS_ARRAY(scratch, n->as.s.len + 1, copy, err));
        memcpy(copy, n->as.s.ptr, n->as.s.len);
        *out = (pf_str){copy, n->as.s.len};
    }
    return PF_OK;
}

static pf_status take_event(const pf_node *root, pf_arena *scratch, aie_noted *out, pf_error *err)
{
    const pf_node *phase = pf_node_get(root, "ph"), *args = pf_node_get(root, "args");
    out->phase = phase && phase->type == PF_NODE_TEXT && phase->as.s.len ? phase->as.s.ptr[0] : 0;
    PF_TRY(keep_text(scratch, pf_node_get(root, "name"), &out->name, err));
    bool named = out->phase == 'M' && args && args->type == PF_NODE_OBJECT;
    return named ? keep_text(scratch, pf_node_get(args, "name"), &out->process, err) : PF_OK;
}

static pf_status take_leftovers(const pf_trace *t, uint32_t input, const pf_map *upid_of, pf_arena *scratch,
                                aie_converted *out, pf_error *err)
{
    pf_status st = PF_OK;
    for (uint32_t i = 0; i < t->leftovers.count && st == PF_OK; i++) {
        uint32_t upid = t->leftovers.input[i] == input ? pf_map_get(upid_of, (uint64_t)t->leftovers.pid[i]) : PF_NONE;
        pf_document *d = NULL;
        pf_error why;
        if (t->leftovers.of_document[i] || upid == PF_NONE) {
            continue;
        }
        int64_t ts = t->leftovers.ts[i];
        aie_noted noted = {
            .upid = upid, .input = input, .place = t->leftovers.place[i], .timed = ts != INT64_MIN, .ts = ts};
        if (pf_json_parse(t->leftovers.text[i], NULL, &d, &why) != PF_OK) {
            st = why.code == PF_ERR_MEMORY ? pf_fail(err, why.code, "%s", why.text) : PF_OK;
        } else if (pf_document_root(d)->type == PF_NODE_OBJECT) {
            st = take_event(pf_document_root(d), scratch, &noted, err);
            out->list[out->count++] = noted;
        }
        pf_document_free(d);
    }
    return st;
}

static pf_status read_input(const pf_trace *t, uint32_t input, pf_arena *scratch, aie_converted *out, uint32_t *names,
                            pf_error *err)
{
    const pf_processes *p = pf_trace_processes(t);
    uint32_t said;
    pf_map upid_of;
    bool ok = true;
    if (names) {
        strip_names(t, pf_trace_input(t, input), names);
    }
    pf_map_init(&upid_of, scratch->budget);
    for (uint32_t upid = 0; upid < p->count && ok; upid++) {
        ok = p->input[upid] != input || pf_map_set(&upid_of, (uint64_t)p->pid[upid], upid);
    }
    pf_status st = ok ? PF_OK : pf_budget_refused(scratch->budget, p->count, err);
    st = st == PF_OK ? pf_trace_json_places(t, input, scratch->budget, out->place, &said, err) : st;
    st = st == PF_OK ? take_leftovers(t, input, &upid_of, scratch, out, err) : st;
    pf_map_free(&upid_of);
    return st;
}

pf_status pf_aie_read_notes(const pf_trace *t, pf_arena *scratch, aie_converted *out, pf_error *err)
{
    size_t events = pf_trace_events(t)->count, inputs = pf_trace_input_count(t);
    *out = (aie_converted){0};
    PF_TRY(pf_trace_end_names(t, scratch, &out->names, err));
    if (t->leftovers.count == 0) {
        return PF_OK;
    }
    bool strips = must_strip(t, out->names);
    uint32_t *names = strips ? pf_pass_array(scratch, events, sizeof *names, err) : NULL;
    if ((strips && !names) || !(out->place = pf_pass_array(scratch, events, sizeof *out->place, err)) ||
        !(out->list = pf_pass_array(scratch, t->leftovers.count, sizeof *out->list, err))) {
        return err->code;
    }
    if (names) {
        memcpy(names, out->names, events * sizeof *names);
        out->names = names;
    }
    for (uint32_t i = 0; i < inputs; i++) {
        PF_TRY(pf_trace_input(t, i)->converted ? read_input(t, i, scratch, out, names, err) : PF_OK);
    }
    return PF_OK;
}
