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

/* A slice that is to be drawn; `of` and `part` say what it shows to whoever draws it. */
typedef struct aiu_bar {
    pf_interval at;
    uint32_t of, part;
} aiu_bar;
typedef void aiu_draw_bar(void *ctx, uint32_t track, const aiu_bar *bar);

/* Rows "OWNER WHAT", on which bars that overlap are apart; `draw` puts each on its track. Ascending by start. */
void pf_aiu_draw_bars(aiu_run *run, pf_drawing *d, const char *what, const char *description, const aiu_bar *list,
                      uint32_t n, aiu_draw_bar *draw, void *ctx);
void pf_aiu_draw_slice(pf_findings *f, uint32_t track, pf_interval at, pf_str name);

/* Jobs, iterations and categories of a rank (aiu_draw_work.c). */
void pf_aiu_draw_work(aiu_run *run, pf_drawing *d, const aiu_rank_jobs *jobs, uint32_t rank);

/* How many bytes move at each moment (aiu_byte_counters.c): a counter TransferBW of one rank, out of the events that
 * pf_aiu_moves_bytes counts, and Coll_Bandwidth of all; nothing where nothing moves. */
bool pf_aiu_moves_bytes(aiu_run *run, uint32_t event);
void pf_aiu_draw_moved_bytes(aiu_run *run, pf_drawing *d, const aiu_rank_events *moves, uint32_t rank);
void pf_aiu_draw_collective_rates(aiu_run *run, pf_drawing *d, const aiu_collective_costs *c);

#endif
