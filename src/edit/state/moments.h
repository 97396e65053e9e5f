/* edit/state/moments.h - when a packet happened: the clock that it names, its sequence's, or the trace's
 * (docs/reference/perfetto.md, "Clocks").
 *
 * Snapshots count in file order. A time of a clock that none relates to the trace clock so far is not known in the
 * first pass over an input; a second one has the snapshots of the first.
 */
#pragma once

#include "edit/state/epochs.h"
#include "perfetto/clock.h"

typedef enum pf_when { PF_TIME_KNOWN, PF_TIME_NONE, PF_TIME_UNKNOWN } pf_when;

typedef struct pf_times {
    pf_clocks now;
    pf_clocks all; /* of the pass before, to its end */
    bool has_all;
    uint64_t unknown; /* times that were not known */
} pf_times;

void pf_times_init(pf_times *t, pf_budget *budget);
void pf_times_free(pf_times *t);

/* Another pass begins. */
void pf_times_again(pf_times *t);

/* Takes the content of a clock_snapshot. *own: it has clocks of the sequence. */
pf_status pf_times_snapshot(pf_times *t, const pf_raw_packet *p, bool *own, pf_error *err);

/* The time of a packet; q: the state of its sequence, or NULL. PF_ERR_MEMORY or PF_ERR_LIMIT. */
pf_status pf_times_of(pf_times *t, const pf_raw_packet *p, const pf_sequence *q, pf_when *when, int64_t *ts,
                      pf_error *err);

/* The same for a packet of a sequence, which remembers what the conversion found: most times are at hand then. */
pf_status pf_times_in(pf_times *t, const pf_raw_packet *p, const pf_sequence *q, pf_in_sequence *s, pf_when *when,
                      int64_t *ts, pf_error *err);

/* A time of CLOCK_MONOTONIC, as legacy events have them; as it is where it cannot be converted. */
pf_status pf_times_monotonic(pf_times *t, int64_t ns, int64_t *ts, pf_error *err);

/* A time of a clock that all sequences share. Where no snapshot came by, BOOTTIME is the trace's. */
pf_status pf_times_of_clock(pf_times *t, uint32_t clock, int64_t ns, pf_when *when, int64_t *ts, pf_error *err);

/* The clock that a packet has to name to have a time of the trace; 0: none. */
uint32_t pf_times_clock(const pf_times *t, const pf_epoch *epoch);
