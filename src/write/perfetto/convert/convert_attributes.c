/* write/perfetto/convert/convert_attributes.c - what an output says about itself: trace attributes. */
#include "base/str.h"
#include "write/perfetto/convert/converter.h"

/* Attributes that every file of ours says itself; spellings of ids are those of its rows (pf_identity_attributes). */
static bool is_ours(pf_str key)
{
    return pf_str_is(key, "postfetto.version") || pf_str_is(key, "postfetto.time_unit") ||
           pf_str_starts(key, PF_STR("postfetto.pid.")) || pf_str_starts(key, PF_STR("postfetto.tid.")) ||
           pf_str_starts(key, PF_STR("postfetto.kind."));
}

/* Attributes of the input, and what Chrome JSON calls metadata, are kept; what this file says itself is not repeated.
 */
static void copy_metadata(const pf_identity *who, pf_packets *packets)
{
    const pf_str attribute = PF_STR("trace_attribute."), json = PF_STR("json_metadata.");
    const pf_metadata *m = pf_trace_metadata(who->t);
    for (uint32_t i = 0; i < m->count; i++) {
        pf_str key = pf_trace_string(who->t, m->name[i]);
        if (pf_str_starts(key, attribute)) {
            key.ptr += attribute.len;
            key.len -= attribute.len;
            if (is_ours(key)) {
                continue;
            }
        } else if (!pf_str_starts(key, json)) {
            continue;
        }
        pf_packets_attribute(packets, key, pf_trace_string(who->t, m->text[i]), m->number[i]);
    }
}

static bool has_metadata(const pf_trace *t, pf_str key)
{
    const pf_metadata *m = pf_trace_metadata(t);
    uint32_t name = pf_trace_find_string(t, key);
    for (uint32_t i = 0; i < m->count; i++) {
        if (m->name[i] == name) {
            return true;
        }
    }
    return false;
}

void pf_convert_attributes(const pf_identity *who, pf_packets *packets)
{
    const char *version = pf_version();
    pf_packets_attribute(packets, PF_STR("postfetto.version"), pf_str_of(version), 0);
    bool said = who->in_place && has_metadata(who->t, PF_STR("trace_attribute.postfetto.time_unit"));
    if (pf_trace_time_unit(who->t) == PF_UNIT_CYCLE && !said) {
        pf_packets_attribute(packets, PF_STR("postfetto.time_unit"), PF_STR("cycle"), 0);
    }
    if (!who->in_place) {
        if (who->names_follow) {
            pf_packets_attribute(packets, PF_STR("postfetto.source"), PF_STR("chrome-json"), 0);
        }
        if (who->names_follow && who->t->events.has_complete) {
            pf_packets_attribute(packets, PF_STR("postfetto.complete"), PF_STR("pairs"), 0);
        }
        pf_identity_attributes(who, packets);
        copy_metadata(who, packets);
    }
}
