/* read/perfetto/track/relocate.h - events and samples that turn out to belong to another track row, or to none.
 *
 * What a uuid stands for may be known only at the end of the file. The rows of events and samples are then moved in one
 * pass: `moved` says for each track row where its events go. An event whose own track is PF_NONE is removed by the same
 * pass, which renumbers whatever refers to events.
 */
#ifndef PF_READ_PERFETTO_TRACK_RELOCATE_H
#define PF_READ_PERFETTO_TRACK_RELOCATE_H

#include "model/trace/trace.h"

typedef struct pf_moves {
    pf_trace *t;
    uint32_t first_event, first_sample; /* earlier rows belong to other inputs */
    bool removes_events;                /* some event's track is PF_NONE */
    struct pf_move {
        uint32_t to;      /* PF_NONE = its events vanish; */
        pf_stat_id fault; /* each of them counts as that */
    } * moved;            /* by track row, of the budget; NULL while nothing moves */
    uint32_t moved_room;
} pf_moves;

/* What becomes of the events of track row `row`. */
pf_status pf_moves_set(pf_moves *m, uint32_t row, struct pf_move move, pf_error *err);

/* Applies everything; counts the events of removed tracks as errors. */
pf_status pf_moves_apply(pf_moves *m, pf_error *err);

/* Thread clocks count on tracks of threads only; which tracks are of threads is known when all moves were applied. */
void pf_moves_drop_thread_times(pf_moves *m);

#endif
