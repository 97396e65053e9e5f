/* edit/cut/cut_values.h - the counter values of an event: its own, and the extra ones of other counters.
 *
 * Values of incremental counters are differences. What the input adds up to is known for each sequence and counter, and
 * so is what an output adds up to; where these differ, because events in between were left out, the next value that is
 * written makes up for it.
 */
#ifndef PF_EDIT_CUT_CUT_VALUES_H
#define PF_EDIT_CUT_CUT_VALUES_H

#include "edit/cut/cutter.h"

#define PF_VALUES_MAX 9 /* its own, and as many extra ones as Perfetto reads */

typedef struct pf_values {
    struct pf_value_of {
        uint32_t track;
        bool real, extra;
        double written, sum; /* as the event has it, and with all before it */
    } list[PF_VALUES_MAX];
    uint32_t count;
} pf_values;

/* Reads and adds up the values of an event; own: the counter's track where the event is one of a counter, or PF_NONE.
 */
pf_status pf_values_read(pf_cutter *c, const pf_raw_packet *p, uint32_t own, uint32_t sequence, pf_values *v,
                         pf_error *err);

/* Windows that begin before ts begin on the counters of extra values, too. */
pf_status pf_values_settle(pf_cutter *c, const pf_values *v, int64_t ts, pf_error *err);

/* The values are the last of their counters. */
void pf_values_note(pf_cutter *c, const pf_values *v, uint32_t sequence, int64_t ts);

/* Makes *event what it has to be in an output whose counters have another sum; *changed is set then. */
pf_status pf_values_change(pf_cutter *c, pf_out *o, uint32_t sequence, const pf_values *v, pf_field *event,
                           bool *changed, pf_error *err);

#endif
