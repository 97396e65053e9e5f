/* write/perfetto/write_tracks.h - the tracks of a trace as descriptors, written on first use. */
#ifndef PF_WRITE_PERFETTO_WRITE_TRACKS_H
#define PF_WRITE_PERFETTO_WRITE_TRACKS_H

#include "write/perfetto/write_identity.h"

typedef struct pf_track_writer {
    pf_identity *who;
    pf_packets *packets;
    pf_arena arena;
    uint8_t *said;            /* by track row */
    uint32_t *share;          /* by track row: string id of the name of the events that a counter comes from, or 0 */
    uint32_t *description;    /* by track row: string id, or 0 */
    uint8_t *ranked, *orders; /* by track row: it has a rank; its children are shown by theirs */
    int32_t *rank;
    uint32_t count;
} pf_track_writer;

pf_status pf_track_writer_init(pf_track_writer *w, pf_identity *who, pf_packets *packets, pf_error *err);
void pf_track_writer_free(pf_track_writer *w);

/* The uuid for events on track row `track`. */
uint64_t pf_track_writer_uuid(pf_track_writer *w, uint32_t track);

/* A lane next to thread track `home` for complete events that do not nest there; `number` distinguishes lanes. */
uint64_t pf_track_writer_lane(pf_track_writer *w, uint32_t home, uint32_t number);

#endif
