/* edit/state/epochs.h - what the packets of a sequence mean, as far as the input has said it.
 *
 * Everything that one packet says and later ones build on is an epoch: interned entries since the last clear, defaults,
 * the thread of the sequence, its own clocks. An epoch does not change but for entries that are added; another clear,
 * other defaults, another thread begin a new one. So whoever keeps a packet for later keeps its epoch with it, and can
 * have it said again when the packet is written (state/out_state.h). Epochs and their parts are counted references.
 */
#pragma once

#include "base/arena.h"
#include "base/map.h"
#include "edit/packets/packet_stream.h"
#include "perfetto/clock.h"
#include "perfetto/seqstate.h"

/* A field that is said again as it was. */
typedef struct pf_blob {
    uint32_t refs;
    uint32_t field, len;
    uint8_t bytes[];
} pf_blob;

/* NULL if memory was refused. */
pf_blob *pf_blob_new(pf_budget *b, const pf_field *f);
void pf_blob_drop(pf_budget *b, pf_blob *blob); /* NULL is nothing */
static inline pf_blob *pf_blob_keep(pf_blob *blob)
{
    if (blob) {
        blob->refs++;
    }
    return blob;
}
bool pf_blob_is(const pf_blob *blob, const pf_field *f);

/* An entry of interned data: the whole field of the list that it is in. */
typedef struct pf_interned {
    const uint8_t *bytes;
    uint32_t len, field;
} pf_interned;

/* The entries since a clear. */
typedef struct pf_entries {
    uint32_t refs;
    bool cleared; /* there was one */
    pf_interned *list;
    uint32_t count, room;
    pf_map by_iid;
    pf_arena arena; /* entries of packets that are not stable */
} pf_entries;

typedef struct pf_epoch {
    uint32_t refs;
    pf_entries *entries;
    pf_blob *defaults, *mark, *thread, *snapshot; /* NULL: none */
} pf_epoch;

static inline pf_epoch *pf_epoch_keep(pf_epoch *e)
{
    e->refs++;
    return e;
}
void pf_epoch_drop(pf_budget *b, pf_epoch *e); /* NULL is nothing */

/* The index of the entry of InternedData's list `field`, or PF_NONE. */
uint32_t pf_entries_find(const pf_entries *e, uint32_t field, uint64_t iid);

/* A clock of the sequence's own. */
typedef struct pf_own_clock {
    uint32_t id;
    bool incremental;
    int64_t running, base; /* in its ticks: now, and at its last snapshot */
} pf_own_clock;

#define PF_OWN_CLOCKS 4

typedef struct pf_in_sequence {
    uint32_t id, machine;
    pf_epoch *epoch;
    pf_own_clock clock[PF_OWN_CLOCKS];
    uint32_t clocks;
    uint32_t known_id, known_version; /* of the conversion at hand: its clock, and of which snapshots */
    pf_clock_known known;
    uint64_t last_uuid; /* track found last, and its index */
    uint32_t last_track;
} pf_in_sequence;

/* All sequences of an input. The state of the i-th is state.list[i], its other half list[i]. */
typedef struct pf_in {
    pf_budget *budget;
    pf_sequences state;
    pf_in_sequence *list;
    uint32_t count, room;
    pf_map by_id; /* machine and id */
    uint32_t last;
} pf_in;

void pf_in_init(pf_in *in, pf_budget *budget);
void pf_in_free(pf_in *in);

/* Takes what the envelope says: loss, clear, defaults, interned data. *index: the sequence; PF_NONE: it has none. */
pf_status pf_in_apply(pf_in *in, const pf_raw_packet *p, uint32_t *index, pf_error *err);

/* Takes the thread of a descriptor (thread_descriptor or a track descriptor, the field f with `thread` inside). */
pf_status pf_in_set_thread(pf_in *in, uint32_t index, const pf_field *f, pf_cursor thread, pf_error *err);

/* What a thread descriptor says: whose sequence it is, and what delta times count from. */
void pf_in_read_thread(pf_sequence *q, pf_cursor thread);

/* Takes a snapshot that has clocks of the sequence. */
pf_status pf_in_set_snapshot(pf_in *in, uint32_t index, const pf_field *f, pf_error *err);

/* The clock, or NULL. */
pf_own_clock *pf_in_clock(pf_in *in, uint32_t index, uint32_t id);
