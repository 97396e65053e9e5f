/* analyze/aiu/facts/aiu_said.c - what an input says next to its events: a metadata row of the trace, or what a
 * conversion kept of the document. */
#include <string.h>

#include "analyze/aiu/facts/aiu_facts.h"
#include "model/trace/trace.h"

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
        if (pf_aiu_equals(pf_trace_string(t, m->name[i]), name)) {
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
