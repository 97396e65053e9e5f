/* analyze/aiu/facts/aiu_json_notes.h - events of which a conversion of JSON says more than a row of table event can.
 *
 * A Perfetto trace has no metadata events, none without a time and none that end before they begin: what a conversion
 * met of that kind travels as JSON text (model/trace/json_notes.h). And it has no counter events, but samples. Both are
 * events of the store as if the JSON itself had been read; what else they say is found here.
 */
#ifndef PF_ANALYZE_AIU_FACTS_AIU_JSON_NOTES_H
#define PF_ANALYZE_AIU_FACTS_AIU_JSON_NOTES_H

#include "analyze/aiu/facts/aiu_facts.h"
#include "postfetto/document.h"

typedef struct aiu_noted {
    pf_str json;              /* the whole event; {NULL, 0}: its row says it */
    uint32_t sample, samples; /* of table counter, which are its arguments */
} aiu_noted;

/* Says more of an event, once. */
pf_status pf_aiu_note(aiu_run *run, uint32_t event, const aiu_noted *noted);

/* What was said of an event; all zero if nothing was. */
aiu_noted pf_aiu_noted(const aiu_run *run, uint32_t event);

/* A member of an event's JSON text as it is written; {NULL, 0} without one, or without a text. */
pf_str pf_aiu_noted_member(const aiu_run *run, uint32_t event, const char *key);

/* The arguments of an event, NULL without such an object. */
const pf_node *pf_aiu_noted_args(const pf_node *event);

/* Visits the children of an object as the arguments of a row are visited. */
pf_status pf_aiu_visit_members(const pf_node *object, const pf_arg_visitor *v);

/* The members of a JSON object as they are written, one after the other: *at is 0 at first. The key is quoted. */
bool pf_aiu_next_member(pf_str json, size_t *at, pf_str *key, pf_str *value);

/* The number that joins a flow event of the input with others, as the input has it. */
int64_t pf_aiu_flow_id(const aiu_run *run, uint32_t event);

/* Whether the input gives an event arguments, if only an empty object. */
bool pf_aiu_has_args(const aiu_run *run, uint32_t event);

/* What an input says next to its events under a name ("json.NAME"), and whether it says that. */
pf_str pf_aiu_said_by_input(const aiu_run *run, uint32_t input, const char *name, bool *there);

/* Whether a text is JSON; without memory for it the pass fails in the end. */
bool pf_aiu_parse(const aiu_run *run, pf_str text, pf_document **d);

/* The letter of an instant's scope: g, p or t. */
char pf_aiu_scope(const aiu_run *run, uint32_t event);

#endif
