/* analyze/aiu/enriched/aiu_enriched.h - the trace that shows what a run found.
 *
 * The recorded slices stand in it where the stages put them: each rank has a process for its device and one for its
 * host. What the stages made is drawn as findings: counters, collectives, waits.
 */
#ifndef PF_ANALYZE_AIU_ENRICHED_AIU_ENRICHED_H
#define PF_ANALYZE_AIU_ENRICHED_AIU_ENRICHED_H

#include "analyze/aiu/enriched/aiu_measures.h"
#include "analyze/support/drawing.h"
#include "postfetto/build.h"

/* Makes tables, files and lines of a run in its findings. */
typedef pf_status aiu_report(aiu_run *run);

typedef struct aiu_enriched {
    aiu_run *run;
    aiu_report *report;
    pf_builder *b;
    pf_trace *made;    /* once it is */
    pf_map anchors;    /* pid as shown -> upid, if the input has it */
    pf_map processes;  /* pid as shown -> upid, as they are made */
    pf_map tids;       /* tid -> number */
    pf_map threads;    /* upid and number of the tid -> track */
    pf_map arrow_from; /* event -> number of the arrow, from 1 on */
    bool refused;      /* memory for one of the last four, or what they are of */
    aiu_key *ends;     /* where arrows end that wait for their time; their rows are arrows */
    uint32_t end_count, next_end;
} aiu_enriched;

/* The trace; meanwhile `report` is called once, and then the drawings are put into the findings. NULL: the run failed.
 */
pf_trace *pf_aiu_enriched(aiu_run *run, aiu_report *report);

/* Of anchors: the process is one that the builder makes. */
#define AIU_MADE (PF_NONE - 1)

/* The process that an event or a counter of that pid is shown in, PF_NONE without one. */
static inline uint32_t pf_aiu_process_of(const aiu_enriched *x, int64_t pid)
{
    uint32_t upid = pf_map_get(&x->anchors, (uint64_t)pid);
    return upid == AIU_MADE ? pf_map_get(&x->processes, (uint64_t)pid) : upid;
}

/* ---- what is drawn next to the recorded events ------------------------------------------------------------------- */

/* Groups for all ranks and for each: collectives, waits, counters (aiu_draw_ranks.c). */
void pf_aiu_draw_ranks(aiu_enriched *x);

/* ---- aiu_draw_counters.c ----------------------------------------------------------------------------------------- */

/* The pid of counters of no single rank. */
#define AIU_ALL_RANKS (-1)

/* The samples of one counter: order[from, to), ascending by time. */
typedef struct aiu_counter {
    int64_t pid;
    uint32_t label, from, to;
    uint8_t series;
} aiu_counter;

typedef struct aiu_counters {
    aiu_run *run;
    pf_drawing *d;
    aiu_counter *list;
    uint32_t count, room;
    uint32_t *order;  /* samples */
    double *last_end; /* by rank, us: of its device slices */
    aiu_rows moves;   /* by rank: transfers that say how many bytes they carry */
} aiu_counters;

void pf_aiu_counters_read(aiu_run *run, pf_drawing *d, aiu_counters *out);

/* The counters of a pid. Where none of them says how many bytes move at each moment, transfers do (TransferBW), and
 * collectives for all ranks (Coll_Bandwidth); nothing where nothing moves. */
void pf_aiu_draw_counters(aiu_counters *c, int64_t pid, const aiu_collective_costs *costs);

#endif
