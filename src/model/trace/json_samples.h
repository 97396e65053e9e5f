/* model/trace/json_samples.h - which counter events of Chrome JSON the samples of a conversion were.
 *
 * A counter event of JSON has a name and a series for each of its arguments. In a binary trace each series is a counter
 * of its own, called by both, and all series of one event share an axis, which has the name of the event. What else the
 * event said is a note of its first sample (model/trace/json_notes.h); a note holds for the later samples of its
 * counter as well, until there is another one, because a counter's events are much alike. Samples that one event had
 * stand next to each other: all but the first have a note that they join it.
 */
#ifndef PF_MODEL_TRACE_JSON_SAMPLES_H
#define PF_MODEL_TRACE_JSON_SAMPLES_H

#include "model/trace/json_notes.h"

typedef struct pf_json_samples {
    const pf_trace *t;
    pf_budget *budget;
    uint32_t tracks;
    uint32_t *share; /* by counter track: string id of the name of the events that it came from, or 0 */
    uint32_t *habit; /* by counter track: event whose note holds for its samples, or PF_NONE */
} pf_json_samples;

pf_status pf_json_samples_init(pf_json_samples *s, const pf_trace *t, pf_budget *budget, pf_error *err);
void pf_json_samples_free(pf_json_samples *s);

/* What the note of sample i says, or the one that holds for its counter. Samples have to be asked for in their order.
 */
pf_origin pf_json_samples_note(pf_json_samples *s, uint32_t i);

/* The note of sample i if it joins the event of the sample before it; otherwise nothing has been asked. */
bool pf_json_samples_joins(pf_json_samples *s, uint32_t i, pf_origin *note);

/* The name of a counter, split where a conversion says that the event's name ends. Other counters have a name of their
 * own, and their unit is the series. */
void pf_json_samples_name(const pf_json_samples *s, uint32_t track, pf_str *name, pf_str *series);

/* Whether a sample of that note is a real, though its value may be a whole number. */
static inline bool pf_json_samples_real(const pf_origin *note)
{
    return note->member[PF_MEMBER_ARGS].form == PF_FORM_INTEGER;
}

#endif
