/* read/tinygrad/tracks/tiny_streams.c - thread traces as tracks: for each execution a group, in it the shader
 * engines, in those the traced unit's execution units, the number of waves and the clock, and below the number of waves
 * the waves themselves, a row for each SIMD (docs/reference/tinygrad.md, "As a trace").
 *
 * Drawn are whole streams, as long as what was drawn stays below --stream-rows. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "read/tinygrad/tracks/tiny_tracks.h"

enum { UNITS = 8, LANES = 16, RANK_WAVES = UNITS, RANK_CLOCK, OTHER_SIMDS = 255 };

#define MOST_NS (INT64_MAX / 4) /* of a time, and of a length, so that their sums are times */

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
    uint32_t upid, group, engine, occupancy_track; /* tracks of the execution, its shader engine and its waves */
    uint32_t kernel, kernels;                      /* the execution's range; how many were drawn */
    unit unit[UNITS];
    unsigned units;
    scale scale;
    int64_t left; /* rows that may still be drawn */
    uint8_t *linked;
} drawing;

/* The track of a wave slot. Those of a SIMD are one row, whose lanes are as many as there are waves at a time. */
static pf_status slot_track(drawing *d, unsigned cu, unsigned simd, unsigned wave, uint32_t *track)
{
    uint64_t row = (uint64_t)1 << 32 | cu << 8 | simd, key = (uint64_t)2 << 32 | cu << 16 | simd << 8 | wave;
    char name[64];
    *track = pf_map_get(&d->l->map, key);
    if (*track != PF_NONE) {
        return PF_OK;
    }
    bool others = simd == OTHER_SIMDS;
    snprintf(name, sizeof name, others ? "CU %u other SIMDs" : "CU %u SIMD %u", cu, simd);
    const pf_tiny_track k = {
        .type = PF_TRACK_PROCESS_EVENT,
        .upid = d->upid,
        .parent = d->occupancy_track,
        .name = pf_tiny_word(d->l->p, name),
        .description = others ? "What waves on SIMDs that were not traced issued (table tinygrad_sqtt_slice)."
                              : "Waves on this SIMD of this compute unit, from start to end, called after their slot "
                                "(table tinygrad_sqtt_wave). Inside the waves of a unit that was traced: what they "
                                "issued; on the host's clock issues of one nanosecond are one below the other.",
        .ranked = true,
        .rank = cu << 8 | simd,
        .packed = true,
        .first = pf_map_get(&d->l->map, row),
    };
    PF_TRY(pf_tiny_add_track(d->l, &k, &d->l->map, key, track));
    return k.first == PF_NONE ? pf_map_put(&d->l->map, row, *track, d->err) : PF_OK;
}

/* "ALUEXEC:0 VALU" is shown as "VALU": a row of that name, on whose first lane it does not overlap another slice. The
 * last lane takes what fits nowhere. */
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
        const pf_tiny_track k = {
            .type = PF_TRACK_PROCESS_EVENT,
            .upid = d->upid,
            .parent = d->engine,
            .name = pf_tiny_id(d->l->p, shown),
            .description = "What this unit of the traced compute unit executed, each for the cycles that its operation "
                           "takes; a flow leads to it from the wave that issued it (table tinygrad_sqtt_slice).",
            .ranked = true,
            .rank = i,
            .packed = true,
            .first = lane ? u->track[0] : PF_NONE,
        };
        PF_TRY(pf_tiny_add_track(d->l, &k, NULL, 0, &u->track[lane]));
        u->lanes++;
    }
    u->end[lane] = to;
    *track = u->track[lane];
    return PF_OK;
}

typedef struct span {
    uint32_t first, end;
} span;

static span rows_of(const pf_side_table *s, uint32_t stream)
{
    return (span){pf_tiny_first_of(s, 0, stream), pf_tiny_first_of(s, 0, stream + 1)};
}

/* Rounded down, so that what follows one another still does, and nothing seems to hold the next one. */
static int64_t length_of(const scale *s, int64_t cycles)
{
    double ns = (double)cycles * s->ns;
    if (ns >= (double)MOST_NS || ns <= -(double)MOST_NS) {
        return ns > 0 ? MOST_NS : -MOST_NS;
    }
    return s->ns == 1 ? cycles : (int64_t)ns;
}

static int64_t time_of(const scale *s, int64_t cycle)
{
    return s->anchor + length_of(s, cycle - s->zero);
}

static pf_status draw_waves(drawing *d, uint32_t stream)
{
    span s = rows_of(d->waves, stream);
    char name[32];
    for (uint32_t i = s.first; i < s.end; i++) {
        uint32_t slot = *pf_side_ref(d->waves, WAVE_SLOT, i);
        unsigned wave = (unsigned)*pf_side_number(d->slots, SLOT_WAVE, slot);
        int64_t from = time_of(&d->scale, *pf_side_number(d->waves, WAVE_START, i)),
                to = time_of(&d->scale, *pf_side_number(d->waves, WAVE_END, i));
        snprintf(name, sizeof name, "%u wave", wave);
        pf_event e = {.phase = 'X', .ts = from, .dur = pf_tiny_between(from, to), .name = pf_tiny_word(d->l->p, name)};
        PF_TRY(slot_track(d, (unsigned)*pf_side_number(d->slots, SLOT_CU, slot),
                          (unsigned)*pf_side_number(d->slots, SLOT_SIMD, slot), wave, &e.track));
        PF_TRY(pf_tiny_draw_event(d->l, &e, d->wave_decoder, i));
    }
    return d->l->p->text_status;
}

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
    pf_str name = pf_trace_string(d->t, e.name);
    if (wave >= 0 && pf_str_find(name, PF_STR("WAVEEND")) != SIZE_MAX) {
        return PF_OK; /* the end of a wave is not drawn once more */
    }
    e.ts = time_of(&d->scale, start);
    int64_t cycles = *pf_side_number(d->slices, SLICE_LENGTH, i);
    e.dur = cycles > 0 ? length_of(&d->scale, cycles) : 0;
    unsigned simd = pf_str_starts(name, PF_STR("OTHER_")) ? OTHER_SIMDS : 0;
    PF_TRY(wave >= 0 ? slot_track(d, 0, simd, (unsigned)wave, &e.track)
                     : unit_track(d, row, e.ts, e.ts + e.dur, &e.track));
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

static pf_status level_track(drawing *d, const char *name, const char *measure, const char *description, int64_t rank,
                             uint32_t *track)
{
    const pf_tiny_track k = {.type = PF_TRACK_PROCESS_COUNTER,
                             .upid = d->upid,
                             .parent = d->engine,
                             .name = pf_tiny_word(d->l->p, name),
                             .unit = measure,
                             .description = description,
                             .scale = name,
                             .ordered = true,
                             .ranked = true,
                             .rank = rank};
    return pf_tiny_add_track(d->l, &k, NULL, 0, track);
}

static pf_status draw_level(drawing *d, const pf_side_table *s, uint32_t stream, uint32_t track)
{
    span rows = rows_of(s, stream);
    for (uint32_t i = rows.first; i < rows.end && d->t->want & PF_WANT_COUNTERS; i++) {
        int64_t ts = time_of(&d->scale, *pf_side_number(s, LEVEL_TIME, i));
        PF_TRY(pf_trace_add_sample(d->t, ts, (double)*pf_side_number(s, LEVEL_VALUE, i), track, PF_NONE, d->err));
    }
    return PF_OK;
}

/* A clock that was measured once is in the description of the engine. */
static pf_status draw_clock(drawing *d, uint32_t stream)
{
    span rows = rows_of(d->clock, stream);
    uint32_t track;
    if (rows.end - rows.first < 2) {
        return PF_OK;
    }
    PF_TRY(level_track(d, "shader clock", "Hz",
                       "The shader clock between two markers of the stream, drawn at the second one as tinygrad's "
                       "viewer does: a step says what was before it (table tinygrad_sqtt_clock).",
                       RANK_CLOCK, &track));
    return draw_level(d, d->clock, stream, track);
}

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

/* What the driver says that the clock of the execution's device is at most; 0: it does not. */
static double highest_clock(const drawing *d)
{
    const pf_tiny_profile *p = d->l->p;
    uint32_t n = pf_map_get(&p->device_of, pf_tiny_event_ref(d->l, EVENT_DEVICE, d->kernel));
    int64_t mhz = n == PF_NONE ? 0 : p->devices[n].highest_mhz;
    return mhz > 0 && mhz < 100000 ? (double)mhz * 1e6 : 0;
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

/* The clock of a stream, and where it is from. */
typedef struct stream_clock {
    double hz; /* 0: nothing says it */
    bool recorded;
} stream_clock;

/* On the host's clock the first wave is at the start of the kernel, else the first packet is. */
static stream_clock set_scale(drawing *d, uint32_t stream)
{
    int64_t first_packet = *pf_side_number(d->streams, STREAM_FIRST_TIME, stream), wave = first_wave(d, stream);
    double hz = mean_clock(d, stream);
    stream_clock c = {hz > 0 ? hz : highest_clock(d), hz > 0};
    int64_t start = pf_tiny_event_int(d->l, EVENT_TS, d->kernel);
    d->scale = (scale){length_of(&(scale){.ns = 1}, start), first_packet, 1};
    if (d->l->p->host_clock && wave != INT64_MAX) {
        d->scale.zero = wave;
        d->scale.ns = c.hz > 0 ? 1e9 / c.hz : 1;
        if (c.hz == 0) {
            pf_trace_count(d->t, PF_STAT_STREAM_CLOCK, PF_NOWHERE);
        }
    }
    return c;
}

/* The shader engine of a stream, with what its times mean. */
static pf_status engine_track(drawing *d, uint32_t stream)
{
    stream_clock c = set_scale(d, stream);
    char name[32], clock[128] = "neither the stream nor the device says the clock, so lengths are not the host's",
                   text[384];
    int64_t se = *pf_side_number(d->streams, STREAM_SE, stream);
    snprintf(name, sizeof name, "SE %lld", (long long)se);
    if (c.hz > 0) {
        snprintf(clock, sizeof clock, "the %s is %lld MHz%s", c.recorded ? "mean shader clock" : "highest engine clock",
                 (long long)(c.hz * 1e-6 + 0.5),
                 c.recorded ? "" : ", by what the driver says; the stream has no markers, and may have run slower");
    }
    snprintf(text, sizeof text, "What one shader engine recorded of itself. %s: %s. %s",
             d->scale.ns == 1 ? "1 ns on the axis = 1 cycle" : "Cycles are scaled to the host's time", clock,
             d->l->p->host_clock ? "The first wave begins where the kernel does." : "Time 0 is the first packet's.");
    const pf_tiny_track k = {.type = PF_TRACK_PROCESS_EVENT,
                             .upid = d->upid,
                             .parent = d->group,
                             .name = pf_tiny_word(d->l->p, name),
                             .description = text,
                             .ordered = true,
                             .ranked = true,
                             .rank = se};
    PF_TRY(pf_tiny_add_track(d->l, &k, NULL, 0, &d->engine));
    return level_track(d, "waves", "waves",
                       "Waves that are open on this shader engine (table tinygrad_sqtt_occupancy); below it the waves "
                       "of each SIMD.",
                       RANK_WAVES, &d->occupancy_track);
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
    const pf_tiny_track k = {
        .type = PF_TRACK_PROCESS_EVENT,
        .upid = d->upid,
        .parent = PF_NONE,
        .name = pf_tiny_word(d->l->p, text),
        .description = "Thread traces (SQTT) of one execution of a kernel, those of its shader engines: waves, what "
                       "the traced compute unit issued and executed, and the clock.",
        .ordered = true,
        .ranked = true,
        .rank = d->kernels++,
    };
    return pf_tiny_add_track(d->l, &k, NULL, 0, &d->group);
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
    d->units = 0;
    pf_map_clear(&d->l->map);
    PF_TRY(engine_track(d, stream));
    if (d->t->want & (PF_WANT_EVENTS | PF_WANT_SLICES | PF_WANT_FLOWS | PF_WANT_ARGS)) {
        PF_TRY(draw_waves(d, stream));
        PF_TRY(draw_slices(d, stream));
    }
    PF_TRY(draw_level(d, d->occupancy, stream, d->occupancy_track));
    return draw_clock(d, stream);
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
    PF_TRY(d.wave_decoder == PF_NONE || d.slice_decoder == PF_NONE ? pf_trace_no_decoder(d.err) : PF_OK);
    for (uint32_t i = l->first_record; i < table[PF_TINY_RECORD]->count; i++) {
        PF_TRY(draw_record(&d, i));
    }
    return PF_OK;
}
