/* perfetto/clock.h - from the clock of a packet to the clock of the trace (docs/reference/perfetto.md, "Clocks").
 *
 * A snapshot reads several clocks at one instant. Snapshots of the same clocks form a series; within a series a time of
 * one clock becomes a time of another by the offset at the last snapshot before it (no interpolation). Clocks that
 * share no series are related over up to four hops through series that overlap. The trace clock is what a snapshot
 * names as primary, else the boot clock; it is fixed by the first conversion.
 */
#pragma once

#include "base/map.h"

#define PF_CLOCK_HOPS 4
#define PF_CLOCK_FAR 255 /* distance of a clock without a path */

/* Bounds for hostile input, far above what recordings hold; what exceeds one is an invalid snapshot. */
#define PF_CLOCKS_PER_SNAPSHOT 32
#define PF_CLOCK_SERIES_MAX 16384
#define PF_CLOCKS_BACKWARDS_MAX 64

/* Clocks 64 to 127 belong to a sequence; for all others sequence is 0. */
typedef struct pf_clock_key {
    uint32_t id, sequence;
} pf_clock_key;

typedef struct pf_clock_reading {
    pf_clock_key clock;
    uint64_t timestamp;
    uint64_t unit; /* ns per tick; 0 = 1 */
    bool incremental;
} pf_clock_reading;

/* What a conversion found: times of the clock (in ns) from `from` up to `to` (not included) are off by `shift`, until
 * the next snapshot. */
typedef struct pf_clock_stretch {
    int64_t from, to, shift;
    uint32_t version; /* of pf_clocks; 0 = nothing was found yet */
} pf_clock_stretch;

typedef struct pf_clock {
    pf_clock_key key;
    int64_t unit, running; /* running: value of an incremental clock */
    bool incremental;
    bool backwards;   /* it ran backwards: no source of conversions any more */
    uint8_t distance; /* hops to the trace clock, or PF_CLOCK_FAR */
    uint32_t next;    /* the clock that the first hop leads to, and where both stand in which series */
    uint32_t series;
    uint16_t from, to;
    uint32_t members; /* first entry of its list of memberships, or PF_NONE */
    pf_clock_stretch last;
} pf_clock;

typedef struct pf_clock_member {
    uint32_t series, next; /* next: of the same clock, or PF_NONE */
} pf_clock_member;

typedef struct pf_clock_series {
    uint32_t clocks[PF_CLOCKS_PER_SNAPSHOT];
    uint32_t width;
    uint32_t next_same; /* another series with the same hash, or PF_NONE */
    uint32_t count;     /* snapshots */
    int64_t *ns;        /* count x width */
    uint32_t room;      /* numbers */
} pf_clock_series;

/* A conversion that is at hand: of values that become times t with t - from < span, in unsigned numbers; their trace
 * times are t + shift and not negative. */
typedef struct pf_clock_known {
    uint64_t unit, from, span, shift;
    int64_t *running; /* of an incremental clock, else NULL */
} pf_clock_known;

typedef struct pf_clocks {
    pf_budget *budget;
    pf_clock *list;
    uint32_t count, room;
    pf_map by_key;
    pf_clock_series *series;
    uint32_t series_count, series_room;
    pf_map by_list; /* hash of the list of clocks -> series */
    pf_clock_member *members;
    uint32_t member_count, member_room;
    uint32_t *work; /* clocks whose neighbours are to be visited again */
    uint32_t work_count, work_room;
    uint32_t backwards_count;
    bool stale;          /* distances are to be computed anew */
    uint32_t default_id; /* clock of packets that name none; 0 = their times are raw */
    uint32_t trace_id;   /* the trace clock */
    bool converted;      /* the trace clock cannot change any more */
    bool claimed;        /* a snapshot said what the trace clock is */
    bool refused;        /* memory was: no conversion works any more */
    int64_t lead;        /* what trace times on this machine are ahead of those of the trace */
    uint32_t snapshots;  /* taken so far, good or not, also the one that is made up for the boot clock */
    uint32_t version;    /* of what conversions find */
} pf_clocks;

typedef enum pf_clock_outcome {
    PF_CLOCK_OK = 0,
    PF_CLOCK_INVALID, /* a snapshot that contradicts earlier ones, or lists a clock twice */
    PF_CLOCK_NO_PATH,
    PF_CLOCK_NO_MEMORY
} pf_clock_outcome;

void pf_clocks_init(pf_clocks *c, pf_budget *budget);
void pf_clocks_free(pf_clocks *c);

/* Takes a snapshot; primary is the id of the trace clock, 0 if the snapshot names none. */
pf_clock_outcome pf_clocks_snapshot(pf_clocks *c, const pf_clock_reading *readings, size_t count, uint32_t primary);

/* The name of a clock that every system has, or NULL. */
const char *pf_clock_name(uint32_t id);

/* Whether a snapshot listed the clock. */
bool pf_clocks_knows(const pf_clocks *c, pf_clock_key key);

/* *ns becomes the trace time of `value`, which counts in the clock's own unit. */
pf_clock_outcome pf_clocks_convert(pf_clocks *c, pf_clock_key key, int64_t value, int64_t *ns);

/* What the last conversion of that clock found; false if there is none that still holds. It holds until the next
 * snapshot. */
bool pf_clocks_last(const pf_clocks *c, pf_clock_key key, pf_clock_known *k);

/* From now on all times become less by that much: those of a machine whose clocks are ahead of the trace's. */
void pf_clocks_set_lead(pf_clocks *c, int64_t lead);

/* Values that are trace times as they are. */
static inline pf_clock_known pf_clock_identity(void)
{
    return (pf_clock_known){.unit = 1, .span = (uint64_t)INT64_MAX + 1};
}

static inline bool pf_clock_is_identity(const pf_clock_known *k)
{
    return k->unit == 1 && !k->running && !k->shift && !k->from && k->span >= INT64_MAX;
}

/* What pf_clocks_convert would make of a value, without any effect; false: the answer is not known. */
static inline bool pf_clock_peek_known(const pf_clock_known *k, uint64_t value, int64_t *ns)
{
    uint64_t t = value * k->unit + (k->running ? (uint64_t)*k->running : 0);
    *ns = (int64_t)(t + k->shift);
    return t - k->from < k->span;
}

/* A clock that runs has come to that answer. */
static inline void pf_clock_run_known(const pf_clock_known *k, int64_t ns)
{
    if (k->running) {
        *k->running = (int64_t)((uint64_t)ns - k->shift);
    }
}

/* The same as pf_clocks_convert where the answer is one that is known; false, without any effect, where it is not. */
static inline bool pf_clock_convert_known(const pf_clock_known *k, uint64_t value, int64_t *ns)
{
    int64_t at;
    if (!pf_clock_peek_known(k, value, &at)) {
        return false;
    }
    *ns = at;
    pf_clock_run_known(k, at);
    return true;
}
