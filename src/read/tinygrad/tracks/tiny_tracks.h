/* read/tinygrad/tracks/tiny_tracks.h - from the side tables of a profile to processes, threads, slices, counters and
 * flows (docs/reference/tinygrad.md, "As a trace").
 *
 * A device is a process whose threads are its engines: compute, copy, SDMA 0, graph. USER, TINY and GC are threads of
 * one process for the host. Rows of tinygrad_event become events in their order. */
#pragma once

#include "read/tinygrad/profile/profile.h"

typedef struct pf_tiny_tracks {
    pf_tiny_profile *p;
    pf_trace *t;
    uint32_t first, count; /* rows of tinygrad_event that are this profile's */
    pf_map track_of;       /* 2 * string id of a device's name, + 1 for copies -> its track */
    pf_map process_of;     /* string id of a process's name -> its upid */
    pf_map plain_of;       /* string id of a name -> the same without colours */
    int64_t next_pid;
    uint32_t *event_of; /* row of tinygrad_event - first -> row of table event, PF_NONE: it has none */
    unsigned decoder;
    uint32_t first_record; /* row of tinygrad_record */
    pf_arena arena;        /* of a step */
    pf_map map;            /* likewise: what a step numbers or looks up */
} pf_tiny_tracks;

/* Cells of tinygrad_event. */
static inline uint32_t pf_tiny_event_ref(const pf_tiny_tracks *l, unsigned column, uint32_t event)
{
    return *pf_tiny_ref_at(l->p, PF_TINY_EVENT, column, event);
}

static inline int64_t pf_tiny_event_int(const pf_tiny_tracks *l, unsigned column, uint32_t event)
{
    return *pf_tiny_int_at(l->p, PF_TINY_EVENT, column, event);
}

/* The time from one to the other; 0: that is not later. */
static inline int64_t pf_tiny_between(int64_t from, int64_t to)
{
    int64_t ns;
    return to <= from ? 0 : __builtin_sub_overflow(to, from, &ns) ? INT64_MAX : ns;
}

/* How many items an allocation, a row of tinygrad_memory, counts for. */
static inline int64_t pf_tiny_items(const pf_side_table *memory, uint32_t row)
{
    const int64_t most = INT64_C(1000000000000), items = *pf_side_number(memory, MEMORY_ITEMS, row);
    return items < 0 ? 0 : items > most ? most : items;
}

/* The first row of a table whose column of events ascends that belongs to `first` or a later event. */
static inline uint32_t pf_tiny_first_of(const pf_side_table *s, unsigned column, uint32_t first)
{
    return s->count ? pf_rows_lower_bound(s->column[column], s->count, first) : 0;
}

/* All functions that return a status fill the error of the profile. */

/* tiny_tracks.c: everything below, as far as the trace wants it. */
pf_status pf_tiny_draw(pf_tiny_profile *p, uint32_t first_event);

/* ---- tiny_places.c ----------------------------------------------------------------------------------------------- */

/* A track, as Perfetto's descriptors say it. */
typedef struct pf_tiny_track {
    pf_track_type type;
    uint32_t upid, parent;   /* PF_NONE: none */
    uint32_t name;           /* string id */
    const char *unit;        /* of a counter */
    const char *description; /* what it shows, from what */
    const char *scale;       /* of a counter: those that say the same share a scale; NULL: its own */
    bool ordered;            /* its children are shown by their ranks */
    bool ranked;             /* among its siblings, by `rank` */
    int64_t rank;
    bool packed;    /* siblings of one row are shown as one, their slices packed into lanes: */
    uint32_t first; /* the first of them, PF_NONE: this one */
} pf_tiny_track;

/* Ranks of the tracks below a device: groups of thread traces from 0 on, as they were executed, then these. */
enum { PF_TINY_RANK_STALLS = 1 << 29, PF_TINY_RANK_COUNTERS, PF_TINY_RANK_MEMORY };

/* Adds it; where `tracks` is not NULL, that map has it under `key` from then on. */
pf_status pf_tiny_add_track(pf_tiny_tracks *l, const pf_tiny_track *k, pf_map *tracks, uint64_t key, uint32_t *track);

/* A counter that has the value from the start of a kernel to its end, and 0 from then on. */
pf_status pf_tiny_hold(pf_tiny_tracks *l, uint32_t kernel, double value, uint32_t track);

/* An event whose arguments a decoder knows by the row of a side table. */
pf_status pf_tiny_draw_event(pf_tiny_tracks *l, const pf_event *e, unsigned decoder, uint32_t row);

/* A name without the escape sequences that colour it. */
pf_status pf_tiny_plain_name(pf_tiny_tracks *l, uint32_t name, uint32_t *plain);

/* The process that a device belongs to, and the track that shows what it executes. */
pf_status pf_tiny_process(pf_tiny_tracks *l, uint32_t device, uint32_t *upid);
pf_status pf_tiny_device_track(pf_tiny_tracks *l, uint32_t device, bool copy, uint32_t *track);

/* ---- the rest ---------------------------------------------------------------------------------------------------- */

/* tiny_records.c: which execution each kernel slice is, in table tinygrad_execution: the n-th one of a name on
 * a device is the n-th that was submitted there. */
pf_status pf_tiny_match_runs(pf_tiny_tracks *l);

/* tiny_slices.c */
pf_status pf_tiny_draw_slices(pf_tiny_tracks *l);
pf_status pf_tiny_draw_dependencies(pf_tiny_tracks *l);

/* tiny_memory.c: memory of devices and their buffers; tiny_counters.c: devices that are counters, hardware counters. */
pf_status pf_tiny_draw_memory(pf_tiny_tracks *l);
pf_status pf_tiny_draw_lines(pf_tiny_tracks *l);
pf_status pf_tiny_draw_device_counters(pf_tiny_tracks *l);

/* tiny_records.c: which kernel each record of the device belongs to, in tinygrad_record. */
pf_status pf_tiny_match_records(pf_tiny_tracks *l);

/* tiny_samples.c: why warps stood; tiny_streams.c: waves, instructions, executions, occupancy, clock. */
pf_status pf_tiny_draw_samples(pf_tiny_tracks *l);
pf_status pf_tiny_draw_streams(pf_tiny_tracks *l);

/* tiny_args.c: what a slice, a buffer, a wave, and an issue or an execution say, looked up in the side tables when
 * somebody asks; context: row of tinygrad_event, _memory, _sqtt_wave, _sqtt_slice. */
pf_status pf_tiny_decode_args(const pf_trace *t, const uint8_t *bytes, size_t len, uint32_t context,
                              const pf_arg_visitor *v, pf_error *err);
pf_status pf_tiny_decode_buffer(const pf_trace *t, const uint8_t *bytes, size_t len, uint32_t context,
                                const pf_arg_visitor *v, pf_error *err);
pf_status pf_tiny_decode_wave(const pf_trace *t, const uint8_t *bytes, size_t len, uint32_t context,
                              const pf_arg_visitor *v, pf_error *err);
pf_status pf_tiny_decode_slice(const pf_trace *t, const uint8_t *bytes, size_t len, uint32_t context,
                               const pf_arg_visitor *v, pf_error *err);
