/* analyze/aiu/facts/aiu_json_notes.h - what an event, or an input, says in JSON beyond its rows
 * (model/trace/json_notes.h). */
#pragma once

#include "analyze/aiu/facts/aiu_facts.h"
#include "postfetto/document.h"

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
