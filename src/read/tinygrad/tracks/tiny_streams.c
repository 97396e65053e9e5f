/* read/tinygrad/tracks/tiny_streams.c - thread traces as tracks: for each execution a group, in it the shader
 * engines, in those the SIMDs of the compute units with a lane for each wave slot, and next to them the traced unit's
 * execution units, the number of waves and the clock (docs/reference/tinygrad.md, "As a trace").
 *
 * Drawn are whole streams, as long as what was drawn stays below --stream-rows. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "read/tinygrad/tracks/tiny_tracks.h"

enum { UNITS = 8, LANES = 16 };

/* An execution unit: rows of slices that do not overlap. */
typedef struct unit {
    uint32_t name; /* string id of the row */
    uint32_t track[LANES];
    int64_t end[LANES];
    unsigned lanes;
} unit;

/* How cycles become times. */
typedef struct scale {
    int64_t anchor, zero; /* ns; cycles */
    double ns;            /* of a cycle; 1 exactly where cycles are drawn */
} scale;

typedef struct drawing {
    pf_tiny_tracks *l;
    pf_trace *t;
    pf_error *err;
    const pf_side_table *streams, *waves, *slots, *slices, *occupancy, *clock;
    unsigned wave_decoder, slice_decoder;
    uint32_t upid, group, engine; /* tracks of the execution and its shader engine */
    uint32_t kernel;              /* the execution's range */
    unit unit[UNITS];
    unsigned units;
    scale scale;
    int64_t left; /* rows that may still be drawn */
    uint8_t *linked;
} drawing;

/* ---- tracks, each made when it is first needed ------------------------------------------------------------------- */

static pf_status add_track(drawing *d, uint32_t parent, uint32_t name, pf_map *map, uint64_t key, uint32_t *track)
{
    const pf_tiny_track k = {.type = PF_TRACK_PROCESS_EVENT, .upid = d->upid, .parent = parent, .name = name};
    return pf_tiny_add_track(d->l, &k, map, key, track);
}

/* The lane of a wave slot, below its SIMD. */
static pf_status lane_of(drawing *d, unsigned cu, unsigned simd, unsigned wave, uint32_t *track)
{
    uint64_t simd_key = (uint64_t)1 << 32 | cu << 8 | simd, key = (uint64_t)2 << 32 | cu << 16 | simd << 8 | wave;
    char name[64];
    *track = pf_map_get(&d->l->map, key);
    if (*track != PF_NONE) {
        return PF_OK;
    }
    uint32_t parent = pf_map_get(&d->l->map, simd_key);
    if (parent == PF_NONE) {
        snprintf(name, sizeof name, "CU %u SIMD %u", cu, simd);
        PF_TRY(add_track(d, d->engine, pf_tiny_word(d->l->p, name), &d->l->map, simd_key, &parent));
    }
    snprintf(name, sizeof name, "wave %u", wave);
    return add_track(d, parent, pf_tiny_word(d->l->p, name), &d->l->map, key, track);
}

/* "ALUEXEC:0 VALU" is shown as "VALU": a row of that name on which the slice does not overlap another one. The last row
 * takes what fits nowhere. */
static pf_status unit_track(drawing *d, uint32_t name, int64_t from, int64_t to, uint32_t *track)
{
    unsigned i = 0, lane = 0;
    while (i < d->units && d->unit[i].name != name) {
        i++;
    }
    assert(i < UNITS); /* the reader names fewer units than there is room for */
    unit *u = &d->unit[i];
    if (i == d->units) {
        d->unit[d->units++] = (unit){.name = name};
    }
    while (lane < u->lanes && u->end[lane] > from && lane + 1 < LANES) {
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

/* ---- rows of a stream -------------------------------------------------------------------------------------------- */

typedef struct span {
    uint32_t first, end;
} span;

static span rows_of(const pf_side_table *s, uint32_t stream)
{
    return (span){pf_tiny_first_of(s, 0, stream), pf_tiny_first_of(s, 0, stream + 1)};
}

static int64_t time_of(const scale *s, int64_t cycle)
{
    int64_t cycles = cycle - s->zero;
    return s->anchor + (s->ns == 1 ? cycles : (int64_t)((double)cycles * s->ns));
}

/* ---- waves ------------------------------------------------------------------------------------------------------- */

static pf_status draw_waves(drawing *d, uint32_t stream)
{
    span s = rows_of(d->waves, stream);
    uint32_t name = pf_tiny_word(d->l->p, "wave");
    for (uint32_t i = s.first; i < s.end; i++) {
        uint32_t slot = *pf_side_ref(d->waves, WAVE_SLOT, i);
        int64_t from = time_of(&d->scale, *pf_side_number(d->waves, WAVE_START, i)),
                to = time_of(&d->scale, *pf_side_number(d->waves, WAVE_END, i));
        pf_event e = {.phase = 'X', .ts = from, .dur = to > from ? to - from : 0, .name = name};
        PF_TRY(lane_of(d, (unsigned)*pf_side_number(d->slots, SLOT_CU, slot),
                       (unsigned)*pf_side_number(d->slots, SLOT_SIMD, slot),
                       (unsigned)*pf_side_number(d->slots, SLOT_WAVE, slot), &e.track));
        PF_TRY(pf_tiny_draw_event(d->l, &e, d->wave_decoder, i));
    }
    return d->l->p->text_status;
}

/* ---- issues and executions --------------------------------------------------------------------------------------- */

/* "WAVE:7" -> 7; -1: an execution unit. */
static int wave_number(pf_str row)
{
    if (row.len < 6 || row.len > 7 || !pf_str_starts(row, PF_STR("WAVE:"))) {
        return -1;
    }
    int number = row.ptr[5] - '0';
    return row.len == 7 ? number * 10 + row.ptr[6] - '0' : number;
}

static pf_status draw_slice(drawing *d, span s, uint32_t i)
{
    pf_event e = {.phase = 'X', .name = *pf_side_ref(d->slices, SLICE_NAME, i)};
    int64_t start = *pf_side_number(d->slices, SLICE_START, i);
    uint32_t row = *pf_side_ref(d->slices, SLICE_ROW, i), link = *pf_side_ref(d->slices, SLICE_LINK, i);
    int wave = wave_number(pf_trace_string(d->t, row));
    if (wave >= 0 && pf_str_find(pf_trace_string(d->t, e.name), PF_STR("WAVEEND")) != SIZE_MAX) {
        return PF_OK; /* the end of a wave is not drawn once more */
    }
    e.ts = time_of(&d->scale, start);
    int64_t to = time_of(&d->scale, start + *pf_side_number(d->slices, SLICE_LENGTH, i));
    e.dur = to > e.ts ? to - e.ts : 0;
    PF_TRY(wave >= 0 ? lane_of(d, 0, 0, (unsigned)wave, &e.track) : unit_track(d, row, e.ts, to, &e.track));
    PF_TRY(pf_tiny_draw_event(d->l, &e, d->slice_decoder, i));
    uint64_t flow = link != PF_NONE ? link : d->linked[i - s.first] ? i : UINT64_MAX;
    return flow != UINT64_MAX && d->t->want & PF_WANT_FLOWS
               ? pf_trace_add_event_flow(d->t, (uint64_t)1 << 40 | flow, PF_FLOW_FLOW, d->err)
               : PF_OK;
}

static pf_status draw_slices(drawing *d, uint32_t stream)
{
    span s = rows_of(d->slices, stream);
    pf_arena_reset(&d->l->arena);
    PF_TRY(PF_ARENA_NEW(&d->l->arena, d->linked, s.end - s.first, d->err));
    for (uint32_t i = s.first; i < s.end; i++) {
        uint32_t link = *pf_side_ref(d->slices, SLICE_LINK, i);
        if (link >= s.first && link < s.end) {
            d->linked[link - s.first] = 1;
        }
    }
    for (uint32_t i = s.first; i < s.end; i++) {
        PF_TRY(draw_slice(d, s, i));
    }
    return PF_OK;
}

/* ---- counters ---------------------------------------------------------------------------------------------------- */

typedef struct level {
    const char *name, *unit, *description;
} level;

static const level waves_level = {"waves", "waves",
                                  "Waves that were open on this shader engine (table tinygrad_sqtt_occupancy)."};
static const level clock_level = {"shader clock", "Hz",
                                  "The shader clock between two markers of the stream (table tinygrad_sqtt_clock)."};

static pf_status draw_level(drawing *d, const pf_side_table *s, uint32_t stream, const level *v)
{
    span rows = rows_of(s, stream);
    uint32_t track = PF_NONE;
    if (rows.first < rows.end) {
        const pf_tiny_track k = {.type = PF_TRACK_PROCESS_COUNTER,
                                 .upid = d->upid,
                                 .parent = d->engine,
                                 .name = pf_tiny_word(d->l->p, v->name),
                                 .unit = v->unit,
                                 .detail = {{"description", v->description}, {"y_axis_share_key", v->name}}};
        PF_TRY(pf_tiny_add_track(d->l, &k, NULL, 0, &track));
    }
    for (uint32_t i = rows.first; i < rows.end; i++) {
        int64_t ts = time_of(&d->scale, *pf_side_number(s, LEVEL_TIME, i));
        PF_TRY(pf_trace_add_sample(d->t, ts, (double)*pf_side_number(s, LEVEL_VALUE, i), track, PF_NONE, d->err));
    }
    return PF_OK;
}

/* ---- streams ----------------------------------------------------------------------------------------------------- */

/* Cycles and seconds between markers give the mean clock; 0: there are none. */
static double mean_clock(const drawing *d, uint32_t stream)
{
    span s = rows_of(d->clock, stream);
    double cycles = 0, seconds = 0;
    for (uint32_t i = s.first + 1; i < s.end; i++) {
        double part = (double)(*pf_side_number(d->clock, LEVEL_TIME, i) - *pf_side_number(d->clock, LEVEL_TIME, i - 1));
        double hz = (double)*pf_side_number(d->clock, LEVEL_VALUE, i);
        cycles += hz > 0 ? part : 0;
        seconds += hz > 0 ? part / hz : 0;
    }
    return seconds > 0 ? cycles / seconds : 0;
}

static int64_t first_wave(const drawing *d, uint32_t stream)
{
    span s = rows_of(d->waves, stream);
    int64_t first = INT64_MAX;
    for (uint32_t i = s.first; i < s.end; i++) {
        int64_t start = *pf_side_number(d->waves, WAVE_START, i);
        first = start < first ? start : first;
    }
    return first;
}

/* On the host's clock the first wave is at the start of the kernel, else the first packet is. */
static void set_scale(drawing *d, uint32_t stream)
{
    int64_t first_packet = *pf_side_number(d->streams, STREAM_FIRST_TIME, stream);
    d->scale = (scale){pf_tiny_event_int(d->l, EVENT_TS, d->kernel), first_packet, 1};
    double hz = d->l->p->host_clock ? mean_clock(d, stream) : 0;
    int64_t wave = hz > 0 ? first_wave(d, stream) : INT64_MAX;
    if (wave != INT64_MAX) {
        d->scale.zero = wave;
        d->scale.ns = 1e9 / hz;
    }
}

/* "SQTT r_32_32_16_2 n1": the execution that the streams are of. */
static pf_status open_group(drawing *d, uint32_t record)
{
    char text[256];
    uint32_t plain;
    PF_TRY(pf_tiny_plain_name(d->l, pf_tiny_event_ref(d->l, EVENT_NAME, d->kernel), &plain));
    pf_str name = pf_trace_string(d->t, plain);
    long long run = *pf_tiny_int_at(d->l->p, PF_TINY_RECORD, RECORD_RUN, record);
    snprintf(text, sizeof text, "SQTT %.*s n%lld", (int)(name.len < 200 ? name.len : 200), name.ptr ? name.ptr : "",
             run + 1);
    PF_TRY(pf_tiny_process(d->l, pf_tiny_event_ref(d->l, EVENT_DEVICE, d->kernel), &d->upid));
    return add_track(d, PF_NONE, pf_tiny_word(d->l->p, text), NULL, 0, &d->group);
}

static int64_t rows_to_draw(const drawing *d, uint32_t stream)
{
    const pf_side_table *const tables[] = {d->waves, d->slices, d->occupancy, d->clock};
    int64_t rows = 0;
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        span s = rows_of(tables[i], stream);
        rows += s.end - s.first;
    }
    return rows;
}

static pf_status draw_stream(drawing *d, uint32_t stream)
{
    uint32_t want = d->t->want;
    char name[32];
    snprintf(name, sizeof name, "SE %lld", (long long)*pf_side_number(d->streams, STREAM_SE, stream));
    d->units = 0;
    pf_map_clear(&d->l->map);
    PF_TRY(add_track(d, d->group, pf_tiny_word(d->l->p, name), NULL, 0, &d->engine));
    set_scale(d, stream);
    if (want & (PF_WANT_EVENTS | PF_WANT_SLICES | PF_WANT_FLOWS | PF_WANT_ARGS)) {
        PF_TRY(draw_waves(d, stream));
        PF_TRY(draw_slices(d, stream));
    }
    if (want & PF_WANT_COUNTERS) {
        PF_TRY(draw_level(d, d->occupancy, stream, &waves_level));
        PF_TRY(draw_level(d, d->clock, stream, &clock_level));
    }
    return PF_OK;
}

/* The stream of a record, if it is one, with the group that it belongs to. */
static pf_status draw_record(drawing *d, uint32_t record)
{
    const pf_side_table *records = d->l->p->table[PF_TINY_RECORD];
    uint32_t event = *pf_side_ref(records, RECORD_EVENT, record), kernel = *pf_side_ref(records, RECORD_KERNEL, record);
    uint32_t stream = pf_tiny_first_of(d->streams, STREAM_EVENT, event);
    if (stream == d->streams->count || *pf_side_ref(d->streams, STREAM_EVENT, stream) != event) {
        return PF_OK;
    }
    int64_t rows = rows_to_draw(d, stream);
    if (rows == 0 || rows > d->left) {
        d->left = rows ? 0 : d->left;
        return PF_OK;
    }
    d->left -= rows;
    if (kernel != d->kernel) {
        d->kernel = kernel;
        PF_TRY(open_group(d, record));
    }
    return draw_stream(d, stream);
}

pf_status pf_tiny_draw_streams(pf_tiny_tracks *l)
{
    pf_side_table **table = l->p->table;
    drawing d = {.l = l,
                 .t = l->t,
                 .err = l->p->err,
                 .streams = table[PF_TINY_STREAM],
                 .waves = table[PF_TINY_WAVE],
                 .slots = table[PF_TINY_SLOT],
                 .slices = table[PF_TINY_SLICE],
                 .occupancy = table[PF_TINY_OCCUPANCY],
                 .clock = table[PF_TINY_CLOCK],
                 .kernel = PF_NONE,
                 .left = l->p->stream_rows};
    if (d.streams->count == 0) {
        return PF_OK;
    }
    d.wave_decoder = pf_trace_add_decoder(l->t, pf_tiny_decode_wave, NULL);
    d.slice_decoder = pf_trace_add_decoder(l->t, pf_tiny_decode_slice, NULL);
    if (d.wave_decoder == PF_NONE || d.slice_decoder == PF_NONE) {
        return pf_trace_no_decoder(d.err);
    }
    for (uint32_t i = l->first_record; i < table[PF_TINY_RECORD]->count; i++) {
        PF_TRY(draw_record(&d, i));
    }
    return PF_OK;
}
