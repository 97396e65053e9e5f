/* edit/json/json_arrows.h - in which windows the ends of arrows are: those of their slices. */
#pragma once

#include "edit/json/json_survey.h"

/* An end of an arrow comes to its thread's lane, when those before it are on the stack: it takes the slice on top, or
 * waits for the next one. known: the stack is what it is in the engine; else the end has no slice. */
pf_status pf_json_bind_arrow(pf_json_survey *s, pf_json_lane *thread, uint32_t arrow, bool known, pf_error *err);

/* A slice was put on the stack of its lane: it takes the arrows that wait for it. */
pf_status pf_json_take_pending(pf_json_survey *s, pf_json_lane *thread, uint32_t slice, pf_error *err);

/* The end of an open slice is known: so are its arrows. PF_NONE: of what waits for a slice that never came. */
pf_status pf_json_resolve_arrows(pf_json_survey *s, uint32_t *chain, const pf_json_note *slice, int64_t end,
                                 pf_error *err);

/* All ends of the arrow are known, or the document is over. */
pf_status pf_json_settle_arrow(pf_json_survey *s, pf_json_lane *lane, pf_error *err);
