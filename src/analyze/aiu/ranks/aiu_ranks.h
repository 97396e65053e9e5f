/* analyze/aiu/ranks/aiu_ranks.h - what several ranks have to do with each other: their clocks, their transfers, their
 * collectives.
 *
 * A collective is what device slices with the same CollGroup do on several ranks. All ranks take part at one time,
 * which is what their clocks are aligned by; each step of it is a sync set, of which one rank sends and others receive.
 * The rules are in docs/reference/aiu-ranks.md.
 */
#ifndef PF_ANALYZE_AIU_RANKS_AIU_RANKS_H
#define PF_ANALYZE_AIU_RANKS_AIU_RANKS_H

#include "analyze/aiu/facts/aiu_facts.h"
#include "base/buffer.h"

/* ---- aiu_groups.c: who takes part in which group ----------------------------------------------------------------- */

/* What a rank did in a group. */
typedef struct aiu_part {
    uint32_t rank, group;
    double received, sent; /* us of device time: the largest TS2 and TS5 */
    uint32_t last;         /* the event with that TS5 */
} aiu_part;

typedef struct aiu_groups {
    uint32_t ranks, groups, parts, slices;
    int64_t *pid;      /* by rank, ascending */
    uint32_t *name;    /* by group: its text; those of the first rank in order of appearance, then the others */
    uint32_t *members; /* by group: how many ranks take part */
    aiu_part *part;    /* in order of appearance */
    uint32_t *slice;   /* the events, in their order */
    uint32_t *of;      /* parallel: the part of each */
    pf_map at;         /* pf_aiu_part */
} aiu_groups;

/* Of device slices with a CollGroup; if there are groups called AllReduce, of these alone. */
pf_status pf_aiu_groups_read(aiu_run *run, aiu_groups *g);
void pf_aiu_groups_free(aiu_groups *g);
const aiu_part *pf_aiu_part(const aiu_groups *g, uint32_t rank, uint32_t group); /* NULL: it takes no part */
uint32_t pf_aiu_rank_of(const aiu_groups *g, int64_t pid);                       /* PF_NONE: it has no group */

/* The groups in which all ranks take part, in their order. For acelyzer a rank that is missing in one is refused. */
pf_status pf_aiu_groups_common(aiu_run *run, const aiu_groups *g, uint32_t *list, uint32_t *count);

/* Whether -S would leave less between ranks at the ends of collectives than moving device times by `shift` does; says
 * so in the log. Not where counters would have to differ by more than 1 % for it. */
bool pf_aiu_rate_fits_better(aiu_run *run, const aiu_groups *g, uint32_t *group, uint32_t groups, const double *shift);

int pf_aiu_compare_pids(const void *a, const void *b); /* for qsort */

/* ---- steps ------------------------------------------------------------------------------------------------------- */

void pf_aiu_sync_first(aiu_run *run);           /* clocks by the first receive of collectives */
void pf_aiu_sync_rate(aiu_run *run);            /* clocks by offset and rate */
void pf_aiu_sequences(aiu_run *run);            /* slices of one transfer become one */
void pf_aiu_flow_names(aiu_run *run);           /* names and peers of transfers */
void pf_aiu_flows(aiu_run *run);                /* collectives: arrows between ranks, members, slices */
void pf_aiu_group_bandwidth(aiu_run *run);      /* bandwidth without slices of collectives */
void pf_aiu_collective_bandwidth(aiu_run *run); /* with them */

/* Gives a collective slice the name, category and process that viewers of torch traces know (aiu_collective_slices.c).
 */
void pf_aiu_show_collective(aiu_run *run, uint32_t event);

#endif
