/* edit/cut/cut_values.h - the counter values of an event: its own, and the extra ones of other counters.
 *
 * A value belongs to the window of its time, where the selection keeps its counter, whatever becomes of the event that
 * has it: it is taken out of one that is written without it (the end of a slice at the end of a window), and becomes an
 * event of its own where that is not written (the end of a slice at the start).
 *
 * Values of incremental counters are differences. What the input adds up to is known for each sequence and counter, and
 * so is what an output adds up to; where these differ, because events in between were left out, the next value that is
 * written makes up for it.
 */
#pragma once

#include "edit/cut/cutter.h"

enum { PF_EXTRA_MAX = 8, PF_VALUES_MAX = 1 + PF_EXTRA_MAX };

typedef struct pf_values {
    struct pf_value_of {
        uint32_t track;
        bool real, extra, kept; /* kept: by the selection */
        double written, sum;    /* as the event has it, and with all before it */
    } list[PF_VALUES_MAX];
    uint32_t count, extra; /* extra: ones with a uuid, also those that are not listed */
    bool refused;          /* the extra ones are wrong or too many: nobody takes the event */
    uint32_t window;       /* that they belong to; window_count: none */
    bool said;             /* their event was written in it */
} pf_values;

/* Reads and adds up the values of an event; own: the counter's track where the event is one of a counter, or PF_NONE.
 */
pf_status pf_values_read(pf_cutter *c, const pf_raw_packet *p, uint32_t own, uint32_t sequence, pf_values *v,
                         pf_error *err);

/* Finds their window. Windows that begin before ts begin on the counters of extra values, too. */
pf_status pf_values_settle(pf_cutter *c, pf_values *v, int64_t ts, pf_error *err);

/* Makes *event, which is written in a window, what it has to be there: without the values that are not said with it,
 * and with others where counters have another sum. *changed is set then. */
pf_status pf_values_change(pf_cutter *c, uint32_t window, uint32_t sequence, pf_values *v, pf_field *event,
                           bool *changed, pf_error *err);

/* The input is over: writes what windows begin with of a counter whose values are not in the order of time. */
pf_status pf_values_write_starts(pf_cutter *c, uint32_t track, pf_error *err);

/* After the event: writes what was not said with it; the values are the last of their counters. */
pf_status pf_values_note(pf_cutter *c, const pf_values *v, uint32_t sequence, int64_t ts, pf_error *err);
