/* read/tinygrad/timeline/tiny_stream_tracks.c - the tracks of a thread trace, each made when it is first needed. */
#include <stdio.h>
#include <string.h>

#include "read/tinygrad/timeline/tiny_streams.h"

uint32_t pf_tiny_add_track(pf_tiny_drawing *d, pf_track_type type, uint32_t parent, pf_str name)
{
    pf_track_row row = {.type = type, .upid = d->upid, .utid = PF_NONE, .parent = parent, .group = PF_NONE};
    pf_status st = pf_trace_add_string(d->t, name, &row.name, d->err);
    return st == PF_OK ? pf_trace_add_track(d->t, &row, d->err) : PF_NONE;
}

uint32_t pf_tiny_add_counter(pf_tiny_drawing *d, const char *name, const char *unit)
{
    pf_track_row row = {
        .type = PF_TRACK_PROCESS_COUNTER, .upid = d->upid, .utid = PF_NONE, .parent = d->engine, .group = PF_NONE};
    pf_status st = pf_trace_add_string(d->t, (pf_str){name, strlen(name)}, &row.name, d->err);
    st = st == PF_OK ? pf_trace_add_string(d->t, (pf_str){unit, strlen(unit)}, &row.unit, d->err) : st;
    return st == PF_OK ? pf_trace_add_track(d->t, &row, d->err) : PF_NONE;
}

/* A track whose name ends in a number. */
static uint32_t add_numbered(pf_tiny_drawing *d, uint32_t parent, const char *word, unsigned number)
{
    char text[64];
    int len = snprintf(text, sizeof text, "%s %u", word, number);
    return pf_tiny_add_track(d, PF_TRACK_PROCESS_EVENT, parent, (pf_str){text, (size_t)len});
}

static uint32_t add_simd(pf_tiny_drawing *d, unsigned cu, unsigned simd)
{
    char text[64];
    int len = snprintf(text, sizeof text, "CU %u SIMD %u", cu, simd);
    return pf_tiny_add_track(d, PF_TRACK_PROCESS_EVENT, d->engine, (pf_str){text, (size_t)len});
}

static uint32_t remember(pf_tiny_drawing *d, uint64_t key, uint32_t track)
{
    if (track != PF_NONE && !pf_map_set(&d->tracks, key, track)) {
        pf_budget_refused(&d->t->budget, 0, d->err);
        return PF_NONE;
    }
    return track;
}

uint32_t pf_tiny_lane(pf_tiny_drawing *d, unsigned cu, unsigned simd, unsigned wave)
{
    uint64_t simd_key = (uint64_t)1 << 32 | cu << 8 | simd, key = (uint64_t)2 << 32 | cu << 16 | simd << 8 | wave;
    uint32_t lane = pf_map_get(&d->tracks, key), parent = pf_map_get(&d->tracks, simd_key);
    if (lane != PF_NONE) {
        return lane;
    }
    if (parent == PF_NONE) {
        parent = remember(d, simd_key, add_simd(d, cu, simd));
    }
    return parent == PF_NONE ? PF_NONE : remember(d, key, add_numbered(d, parent, "wave", wave));
}

static pf_tiny_unit *unit_named(pf_tiny_drawing *d, uint32_t name)
{
    for (unsigned i = 0; i < d->units; i++) {
        if (d->unit[i].name == name) {
            return &d->unit[i];
        }
    }
    if (d->units == PF_TINY_UNITS) {
        return NULL;
    }
    d->unit[d->units] = (pf_tiny_unit){.name = name};
    return &d->unit[d->units++];
}

uint32_t pf_tiny_unit_track(pf_tiny_drawing *d, uint32_t name, int64_t from, int64_t to)
{
    pf_tiny_unit *u = unit_named(d, name);
    pf_str text = pf_trace_string(d->t, name);
    const char *blank = memchr(text.ptr, ' ', text.len);
    pf_str shown = blank ? (pf_str){blank + 1, text.len - (size_t)(blank + 1 - text.ptr)} : text;
    unsigned lane = 0;
    while (u && lane < u->lanes && u->end[lane] > from && lane + 1 < PF_TINY_LANES) {
        lane++;
    }
    if (u && lane == u->lanes) {
        u->track[u->lanes++] = pf_tiny_add_track(d, PF_TRACK_PROCESS_EVENT, d->engine, shown);
    }
    if (!u || u->track[lane] == PF_NONE) {
        return PF_NONE;
    }
    u->end[lane] = to;
    return u->track[lane];
}
