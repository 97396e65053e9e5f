/* read/tinygrad/tracks/tiny_streams.h - drawing thread traces: tracks and the scale of time of the stream in hand. */
#ifndef PF_READ_TINYGRAD_TRACKS_TINY_STREAMS_H
#define PF_READ_TINYGRAD_TRACKS_TINY_STREAMS_H

#include "read/tinygrad/tracks/tiny_tracks.h"

enum { PF_TINY_UNITS = 8, PF_TINY_LANES = 16 };

/* An execution unit: rows of slices that do not overlap. */
typedef struct pf_tiny_unit {
    uint32_t name; /* string id of the row */
    uint32_t track[PF_TINY_LANES];
    int64_t end[PF_TINY_LANES];
    unsigned lanes;
} pf_tiny_unit;

/* How cycles become times. */
typedef struct pf_tiny_scale {
    int64_t anchor, zero; /* ns; cycles */
    double ns;            /* of a cycle; 1 exactly where cycles are drawn */
} pf_tiny_scale;

typedef struct pf_tiny_drawing {
    pf_tiny_tracks *l;
    pf_trace *t;
    pf_error *err;
    const pf_side_table *streams, *waves, *slots, *slices, *occupancy, *clock;
    unsigned wave_decoder, slice_decoder;
    uint32_t upid, group, engine; /* tracks of the execution and its shader engine */
    uint32_t kernel;              /* the execution's range */
    pf_map tracks;                /* slots of the engine -> tracks */
    pf_tiny_unit unit[PF_TINY_UNITS];
    unsigned units;
    pf_tiny_scale scale;
    int64_t left; /* rows that may still be drawn */
    uint8_t *linked;
} pf_tiny_drawing;

/* tiny_stream_tracks.c: a track of events of the process. */
pf_status pf_tiny_add_group(pf_tiny_drawing *d, uint32_t parent, const char *name, uint32_t *track);

/* The lane of a wave slot, below its SIMD. */
pf_status pf_tiny_lane(pf_tiny_drawing *d, unsigned cu, unsigned simd, unsigned wave, uint32_t *track);

/* "ALUEXEC:0 VALU" is shown as "VALU": a row of that name on which the slice does not overlap another one. The last row
 * takes what fits nowhere. */
pf_status pf_tiny_unit_track(pf_tiny_drawing *d, uint32_t name, int64_t from, int64_t to, uint32_t *track);

#endif
