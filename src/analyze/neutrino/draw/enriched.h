/* analyze/neutrino/draw/enriched.h - the recording with what was found as a trace (docs/reference/neutrino.md,
 * "Enriched trace"). */
#ifndef PF_ANALYZE_NEUTRINO_DRAW_ENRICHED_H
#define PF_ANALYZE_NEUTRINO_DRAW_ENRICHED_H

#include "analyze/neutrino/dmat/dmat.h"
#include "analyze/neutrino/sched/block_sched.h"
#include "base/strings.h"
#include "postfetto/build.h"

typedef struct enriched {
    const neutrino_run *n;
    pf_builder *b;
    pf_strings tracks; /* what they are, as bytes: an SM of a process, a slot of an SM, a counter */
    uint32_t *track;   /* by its id */
    uint32_t room;
    pf_error error;  /* code PF_OK: memory was there for all of them */
    uint32_t *facts; /* by launch: its first fact, or PF_NONE */
    uint64_t flows;  /* ids given out */
    pf_str category; /* of slices that are ours */
} enriched;

/* Where the records of a section lie in time. */
typedef struct enriched_place {
    const neutrino_records *r;
    uint32_t upid;
    int64_t anchor; /* ns: the start of the kernel */
    double ns;      /* of a cycle */
} enriched_place;

enum { TRACK_SM = 1, TRACK_SLOT, TRACK_RESIDENT, TRACK_ALL_RESIDENT, TRACK_GROUP, TRACK_TENSOR, TRACK_VALUE };

/* A track by what it is; made by `row` when it is first asked for. PF_NONE: memory was refused. */
uint32_t pf_enriched_track(enriched *e, uint32_t upid, uint32_t kind, uint64_t key, const pf_build_track_row *row);

static inline int64_t pf_enriched_time(const enriched_place *p, uint64_t cycles)
{
    double ns = (double)cycles * p->ns;
    return p->anchor + (ns < 4e18 ? (int64_t)(ns + 0.5) : (int64_t)4e18);
}

pf_status pf_enriched_blocks(enriched *e, const enriched_place *p, pf_error *err);
pf_status pf_enriched_accesses(enriched *e, const enriched_place *p, pf_error *err);

/* Makes the trace and hands it to the findings. */
pf_status pf_neutrino_enrich(const neutrino_run *n, pf_error *err);

#endif
