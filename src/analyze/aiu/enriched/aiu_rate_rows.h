/* analyze/aiu/enriched/aiu_rate_rows.h - how many bytes move at each moment, where the trace itself has no such
 * counter. */
#ifndef PF_ANALYZE_AIU_ENRICHED_AIU_RATE_ROWS_H
#define PF_ANALYZE_AIU_ENRICHED_AIU_RATE_ROWS_H

#include "analyze/aiu/enriched/aiu_meetings.h"
#include "analyze/support/drawing.h"

/* Transfers with their bytes, by rank. */
typedef struct aiu_moves {
    struct pf_transfer *list;
    uint32_t *from; /* by rank (run->ranks); one more at the end */
} aiu_moves;

pf_status pf_aiu_moves_read(aiu_run *run, aiu_moves *out, pf_error *err);

/* A counter TransferBW of one rank, and Coll_Bandwidth of all; nothing where nothing moves. */
void pf_aiu_draw_moves(aiu_run *run, pf_drawing *d, const aiu_moves *m, uint32_t rank);
void pf_aiu_draw_collective_rates(aiu_run *run, pf_drawing *d, const aiu_meetings *m);

#endif
