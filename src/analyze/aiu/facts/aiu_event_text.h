/* analyze/aiu/facts/aiu_event_text.h - events, counters and arrows as text, as they are now. Where
 * memory is refused for that the run fails. */
#ifndef PF_ANALYZE_AIU_FACTS_AIU_EVENT_TEXT_H
#define PF_ANALYZE_AIU_FACTS_AIU_EVENT_TEXT_H

#include "analyze/aiu/facts/aiu_facts.h"
#include "base/buffer.h"

/* How an event is spelled: as JSON, or as Python prints a dictionary. */
typedef enum aiu_spelling { AIU_SPELL_JSON, AIU_SPELL_PYTHON } aiu_spelling;

void pf_aiu_put_event(aiu_run *run, uint32_t event, aiu_spelling spelling, pf_buffer *out);
void pf_aiu_put_sample(aiu_run *run, uint32_t sample, pf_buffer *out);
void pf_aiu_put_arrow(aiu_run *run, uint32_t arrow, pf_buffer *out);

/* An event as Python prints a dictionary, for lines of the log. */
pf_str pf_aiu_event_text(aiu_run *run, uint32_t event);

#endif
