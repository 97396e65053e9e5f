/* read/perfetto/track/uuids.h - what a track uuid stands for (docs/reference/perfetto.md, "Track resolution").
 *
 * An event names its track by a uuid; a descriptor, which may come later in the file, says what it is. So every uuid
 * has a state here from its first mention on, and, once an event refers to it, a row of the trace's track table. The
 * rows of thread tracks are those of the threads; all others are filled in at the end of the file, when every
 * descriptor is known: scope, parent, name, the group of merging siblings.
 */
#pragma once

#include "model/trace/trace.h"
#include "track_descriptor.pb-c.h"

/* ---- relocate.c -------------------------------------------------------------------------------------------------- */

/* Events and samples that turn out to belong to another track row, or to none.
 *
 * What a uuid stands for may be known only at the end of the file. The rows of events and samples are then moved in one
 * pass: `moved` says for each track row where its events go. An event whose own track is PF_NONE is removed by the same
 * pass, which renumbers whatever refers to events. */
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

/* ---- uuids.c ----------------------------------------------------------------------------------------------------- */

typedef enum pf_uuid_scope { PF_SCOPE_PLAIN = 0, PF_SCOPE_PROCESS, PF_SCOPE_THREAD } pf_uuid_scope;
typedef enum pf_uuid_content { PF_CONTENT_SLICES = 0, PF_CONTENT_COUNTER, PF_CONTENT_STATE } pf_uuid_content;

/* How siblings differ, when they merge by key. */
typedef enum pf_key_kind { PF_KEY_NONE = 0, PF_KEY_TEXT, PF_KEY_NUMBER } pf_key_kind;

typedef struct pf_uuid_track {
    uint64_t uuid, parent;
    int64_t pid, tid; /* of PROCESS and THREAD */
    int64_t unit_multiplier;
    uint64_t key;                                            /* merge by key: string id or number */
    uint32_t row;                                            /* of table track, or PF_NONE */
    uint32_t upid, utid;                                     /* of PROCESS and THREAD, or PF_NONE */
    uint32_t name, categories, unit, share_key, description; /* string ids */
    uint32_t sequence;                                       /* of the first packet that needed the row */
    int64_t passed_at; /* earliest event that named it, but stands on another track; INT64_MAX = none */
    uint32_t passed_name;
    uint32_t descriptions;                 /* accepted descriptors */
    int32_t rank;                          /* sibling_order_rank */
    bool orders_processes, orders_threads; /* uuid 0: ranks of processes and threads are explicit */
    uint8_t scope, content, merge, key_kind, counter_type, child_ordering;
    bool has_rank, described, incremental, own_track; /* own_track: disallow_merging_with_system_tracks */
    bool filled, broken;                              /* the row is; the hierarchy is, so no event of it counts */
    bool known_before;                                /* by a track below: so it borrows no name */
} pf_uuid_track;

typedef struct pf_uuid_tracks {
    pf_trace *t;
    pf_error *err; /* holds the first error; what returns PF_NONE has filled it */
    pf_uuid_track *list;
    uint32_t count, room;
    pf_map by_uuid;
    uint32_t sequence; /* of the packet in hand */
} pf_uuid_tracks;

void pf_uuid_tracks_init(pf_uuid_tracks *u, pf_trace *t, pf_error *err);
void pf_uuid_tracks_free(pf_uuid_tracks *u);

/* The index of the uuid's state, made on first mention; PF_NONE if memory was refused. */
uint32_t pf_uuid_track_find(pf_uuid_tracks *u, uint64_t uuid);

uint32_t pf_uuid_track_make_row(pf_uuid_tracks *u, uint32_t index);

/* The track row of a state, made on first use; PF_NONE if refused. */
static inline uint32_t pf_uuid_track_row(pf_uuid_tracks *u, uint32_t index)
{
    uint32_t row = u->list[index].row;
    return row != PF_NONE ? row : pf_uuid_track_make_row(u, index);
}

/* The process and thread that the track of a state belongs to (or PF_NONE), as far as the descriptors so far say; false
 * if further ones may say more. */
bool pf_uuid_track_owner(const pf_uuid_tracks *u, uint32_t index, uint32_t *upid, uint32_t *utid);

/* Takes a descriptor: *index is its state, PF_NONE if the descriptor was refused (and counted). *conflict: because it
 * does not agree with an earlier one; it still describes its process and thread. */
pf_status pf_uuid_track_describe(pf_uuid_tracks *u, const Pf__Proto__TrackDescriptor *d, uint64_t offset,
                                 uint32_t *index, bool *conflict);

/* Rows of process `pid` and thread (pid, tid), found or added; PF_NONE if refused. Number 0 is the idle one. */
uint32_t pf_uuid_process(pf_trace *t, int64_t pid, pf_error *err);
uint32_t pf_uuid_thread(pf_trace *t, int64_t pid, int64_t tid, pf_error *err);
uint32_t pf_uuid_main_thread(pf_trace *t, uint32_t upid, pf_error *err);

/* All descriptors are known: whether the parents of a state do not lead to a root, and why. */
bool pf_uuid_track_is_broken(pf_uuid_tracks *u, uint32_t index, pf_stat_id *fault);

/* unnamed_tracks.c: all descriptors and events are known: tracks without a name take that of an event. */
pf_status pf_names_borrow(pf_uuid_tracks *u, const pf_moves *moves);

/* merged_siblings.c: marks the rows of merging siblings as one group, named by the row that was made first. */
pf_status pf_lanes_group(pf_uuid_tracks *u);

/* All descriptors are known: fills the track rows, groups siblings that merge, notes the moves. */
pf_status pf_uuid_tracks_finish(pf_uuid_tracks *u, pf_moves *moves);
