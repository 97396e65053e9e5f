/* read/tinygrad/tracks/tiny_stream_tracks.c - the tracks of a thread trace, each made when it is first needed. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "read/tinygrad/tracks/tiny_streams.h"

static pf_status add_track(pf_tiny_drawing *d, uint32_t parent, uint32_t name, pf_map *map, uint64_t key,
                           uint32_t *track)
{
    const pf_tiny_track k = {.type = PF_TRACK_PROCESS_EVENT, .upid = d->upid, .parent = parent, .name = name};
    return pf_tiny_add_track(d->l, &k, map, key, track);
}

pf_status pf_tiny_add_group(pf_tiny_drawing *d, uint32_t parent, const char *name, uint32_t *track)
{
    return add_track(d, parent, pf_tiny_word(d->l->p, name), NULL, 0, track);
}

pf_status pf_tiny_lane(pf_tiny_drawing *d, unsigned cu, unsigned simd, unsigned wave, uint32_t *track)
{
    uint64_t simd_key = (uint64_t)1 << 32 | cu << 8 | simd, key = (uint64_t)2 << 32 | cu << 16 | simd << 8 | wave;
    char name[64];
    *track = pf_map_get(&d->tracks, key);
    if (*track != PF_NONE) {
        return PF_OK;
    }
    uint32_t parent = pf_map_get(&d->tracks, simd_key);
    if (parent == PF_NONE) {
        snprintf(name, sizeof name, "CU %u SIMD %u", cu, simd);
        PF_TRY(add_track(d, d->engine, pf_tiny_word(d->l->p, name), &d->tracks, simd_key, &parent));
    }
    snprintf(name, sizeof name, "wave %u", wave);
    return add_track(d, parent, pf_tiny_word(d->l->p, name), &d->tracks, key, track);
}

/* The reader names fewer units than there is room for. */
static pf_tiny_unit *unit_named(pf_tiny_drawing *d, uint32_t name)
{
    unsigned i = 0;
    while (i < d->units && d->unit[i].name != name) {
        i++;
    }
    assert(i < PF_TINY_UNITS);
    if (i == d->units) {
        d->unit[d->units++] = (pf_tiny_unit){.name = name};
    }
    return &d->unit[i];
}

pf_status pf_tiny_unit_track(pf_tiny_drawing *d, uint32_t name, int64_t from, int64_t to, uint32_t *track)
{
    pf_tiny_unit *u = unit_named(d, name);
    unsigned lane = 0;
    while (lane < u->lanes && u->end[lane] > from && lane + 1 < PF_TINY_LANES) {
        lane++;
    }
    if (lane == u->lanes) {
        pf_str text = pf_trace_string(d->t, name);
        const char *blank = memchr(text.ptr, ' ', text.len);
        pf_str shown = blank ? pf_str_from(text, (size_t)(blank + 1 - text.ptr)) : text;
        PF_TRY(add_track(d, d->engine, pf_tiny_id(d->l->p, shown), NULL, 0, &u->track[lane]));
        u->lanes++;
    }
    u->end[lane] = to;
    *track = u->track[lane];
    return PF_OK;
}
