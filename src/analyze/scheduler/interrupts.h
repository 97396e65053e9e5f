/* analyze/scheduler/interrupts.h - interrupts and frequencies by cpu: tracks of one cpu, and when it served interrupts.
 */
#pragma once

#include "analyze/support/intervals.h"
#include "base/arena.h"
#include "postfetto/trace.h"

/* The cpu of each track that the system's events keep for a cpu; PF_NONE: of none. cpus: one more than the highest. */
typedef struct pf_cpu_tracks {
    uint32_t *cpu, cpus;
} pf_cpu_tracks;

pf_status pf_cpu_tracks_read(const pf_trace *t, pf_arena *arena, pf_cpu_tracks *out, pf_error *err);

/* Whether slices of a track are interrupts. */
static inline bool pf_is_interrupt(const pf_trace *t, uint32_t track)
{
    uint8_t type = pf_trace_tracks(t)->type[track];
    return type == PF_TRACK_CPU_IRQ || type == PF_TRACK_CPU_SOFTIRQ;
}

/* When each cpu served interrupts of either kind: the set of cpu k is set[first[k]] to set[first[k + 1] - 1], and
 * before[first[k] + k + i] the length of its first i intervals. Those without an end are left out. */
typedef struct pf_interrupts {
    uint32_t cpus, *first;
    pf_interval *set;
    uint64_t *before;
} pf_interrupts;

pf_status pf_interrupts_read(const pf_trace *t, const pf_cpu_tracks *tracks, pf_arena *arena, pf_interrupts *out,
                             pf_error *err);

/* How long a cpu served interrupts in a time; 0 for one that is not known. */
uint64_t pf_interrupts_within(const pf_interrupts *all, uint32_t cpu, pf_interval time);
