/* read/tinygrad/timeline/tiny_streams.c - thread traces as tracks: for each execution a group, in it the shader
 * engines, in those the SIMDs of the compute units with a lane for each wave slot, and next to them the traced unit's
 * execution units, the number of waves and the clock (docs/reference/tinygrad.md, "As a trace").
 *
 * Drawn are whole streams, as long as what was drawn stays below --stream-rows. */
#include <stdio.h>
#include <string.h>

#include "read/tinygrad/timeline/tiny_streams.h"

typedef struct span {
    uint32_t first, end;
} span;

static span rows_of(const pf_side_table *s, uint32_t stream)
{
    const uint32_t *column = s->count ? s->column[0] : NULL;
    return column ? (span){pf_rows_lower_bound(column, s->count, stream),
                           pf_rows_lower_bound(column, s->count, stream + 1)}
                  : (span){0, 0};
}

static int64_t time_of(const pf_tiny_scale *s, int64_t cycle)
{
    int64_t cycles = cycle - s->zero;
    return s->anchor + (s->ns == 1 ? cycles : (int64_t)((double)cycles * s->ns));
}

/* ---- waves ------------------------------------------------------------------------------------------------------- */

static const uint8_t nothing[1] = {0};

static pf_status add_event(pf_tiny_drawing *d, const pf_event *e, unsigned decoder, uint32_t row)
{
    pf_status st = e->track == PF_NONE ? d->err->code : pf_trace_add_event(d->t, e, d->err);
    return st == PF_OK && d->t->want & PF_WANT_ARGS
               ? pf_trace_add_lasting_args(d->t, nothing, sizeof nothing, decoder, row, d->err)
               : st;
}

static pf_status draw_waves(pf_tiny_drawing *d, uint32_t stream)
{
    span s = rows_of(d->waves, stream);
    uint32_t name;
    pf_status st = pf_trace_add_string(d->t, PF_STR("wave"), &name, d->err);
    for (uint32_t i = s.first; st == PF_OK && i < s.end; i++) {
        uint32_t slot = *pf_side_ref(d->waves, WAVE_SLOT, i);
        int64_t from = time_of(&d->scale, *pf_side_number(d->waves, WAVE_START, i)),
                to = time_of(&d->scale, *pf_side_number(d->waves, WAVE_END, i));
        pf_event e = {.phase = 'X', .ts = from, .dur = to > from ? to - from : 0, .name = name};
        e.track = pf_tiny_lane(d, (unsigned)*pf_side_number(d->slots, SLOT_CU, slot),
                               (unsigned)*pf_side_number(d->slots, SLOT_SIMD, slot),
                               (unsigned)*pf_side_number(d->slots, SLOT_WAVE, slot));
        st = add_event(d, &e, d->wave_decoder, i);
    }
    return st;
}

/* ---- issues and executions --------------------------------------------------------------------------------------- */

/* "WAVE:7" -> 7; -1: an execution unit. */
static int wave_number(pf_str row)
{
    if (row.len < 6 || row.len > 7 || memcmp(row.ptr, "WAVE:", 5) != 0) {
        return -1;
    }
    int number = row.ptr[5] - '0';
    return row.len == 7 ? number * 10 + row.ptr[6] - '0' : number;
}

/* The end of a wave is not drawn once more. */
static bool is_end(pf_str name)
{
    return name.ptr && memmem(name.ptr, name.len, "WAVEEND", 7);
}

static pf_status draw_slice(pf_tiny_drawing *d, span s, uint32_t i)
{
    pf_event e = {.phase = 'X', .name = *pf_side_ref(d->slices, SLICE_NAME, i)};
    int64_t start = *pf_side_number(d->slices, SLICE_START, i);
    uint32_t row = *pf_side_ref(d->slices, SLICE_ROW, i), link = *pf_side_ref(d->slices, SLICE_LINK, i);
    int wave = wave_number(pf_trace_string(d->t, row));
    if (wave >= 0 && is_end(pf_trace_string(d->t, e.name))) {
        return PF_OK;
    }
    e.ts = time_of(&d->scale, start);
    int64_t to = time_of(&d->scale, start + *pf_side_number(d->slices, SLICE_LENGTH, i));
    e.dur = to > e.ts ? to - e.ts : 0;
    e.track = wave >= 0 ? pf_tiny_lane(d, 0, 0, (unsigned)wave) : pf_tiny_unit_track(d, row, e.ts, to);
    pf_status st = add_event(d, &e, d->slice_decoder, i);
    uint64_t flow = link != PF_NONE ? link : d->linked[i - s.first] ? i : UINT64_MAX;
    if (st == PF_OK && flow != UINT64_MAX && d->t->want & PF_WANT_FLOWS) {
        st = pf_trace_add_event_flow(d->t, (uint64_t)1 << 40 | flow, PF_FLOW_FLOW, d->err);
    }
    return st;
}

static pf_status draw_slices(pf_tiny_drawing *d, uint32_t stream)
{
    span s = rows_of(d->slices, stream);
    size_t bytes = s.end - s.first;
    d->linked = pf_alloc_zero(&d->t->budget, bytes, 1);
    if (!d->linked) {
        return pf_budget_refused(&d->t->budget, bytes, d->err);
    }
    for (uint32_t i = s.first; i < s.end; i++) {
        uint32_t link = *pf_side_ref(d->slices, SLICE_LINK, i);
        if (link >= s.first && link < s.end) {
            d->linked[link - s.first] = 1;
        }
    }
    pf_status st = PF_OK;
    for (uint32_t i = s.first; st == PF_OK && i < s.end; i++) {
        st = draw_slice(d, s, i);
    }
    pf_release(&d->t->budget, d->linked, bytes);
    return st;
}

/* ---- counters ---------------------------------------------------------------------------------------------------- */

typedef struct level {
    const char *name, *unit, *description;
} level;

static const level waves_level = {"waves", "waves",
                                  "Waves that were open on this shader engine (table tinygrad_sqtt_occupancy)."};
static const level clock_level = {"shader clock", "Hz",
                                  "The shader clock between two markers of the stream (table tinygrad_sqtt_clock)."};

static pf_status draw_level(pf_tiny_drawing *d, const pf_side_table *s, uint32_t stream, const level *v)
{
    span rows = rows_of(s, stream);
    uint32_t track = rows.first < rows.end ? pf_tiny_add_counter(d, v->name, v->unit) : PF_NONE;
    if (track == PF_NONE) {
        return rows.first < rows.end ? d->err->code : PF_OK;
    }
    pf_status st = pf_tiny_describe(d->l, track, "description", v->description, d->err);
    st = st == PF_OK ? pf_tiny_describe(d->l, track, "y_axis_share_key", v->name, d->err) : st;
    for (uint32_t i = rows.first; st == PF_OK && i < rows.end; i++) {
        int64_t ts = time_of(&d->scale, *pf_side_number(s, LEVEL_TIME, i));
        st = pf_trace_add_sample(d->t, ts, (double)*pf_side_number(s, LEVEL_VALUE, i), track, PF_NONE, d->err);
    }
    return st;
}

/* ---- streams ----------------------------------------------------------------------------------------------------- */

/* Cycles and seconds between markers give the mean clock; 0: there are none. */
static double mean_clock(const pf_tiny_drawing *d, uint32_t stream)
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

static int64_t first_wave(const pf_tiny_drawing *d, uint32_t stream)
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
static void set_scale(pf_tiny_drawing *d, uint32_t stream)
{
    int64_t first_packet = *pf_side_number(d->streams, STREAM_FIRST_TIME, stream);
    d->scale = (pf_tiny_scale){*pf_side_number(d->l->p->table[PF_TINY_EVENT], EVENT_TS, d->kernel), first_packet, 1};
    double hz = d->l->p->host_clock ? mean_clock(d, stream) : 0;
    int64_t wave = hz > 0 ? first_wave(d, stream) : INT64_MAX;
    if (wave != INT64_MAX) {
        d->scale.zero = wave;
        d->scale.ns = 1e9 / hz;
    }
}

/* "SQTT r_32_32_16_2 n1": the execution that the streams are of. */
static pf_status open_group(pf_tiny_drawing *d, uint32_t record)
{
    const pf_side_table *events = d->l->p->table[PF_TINY_EVENT];
    char text[256];
    uint32_t plain;
    pf_status st = pf_tiny_plain_name(d->l, *pf_side_ref(events, EVENT_NAME, d->kernel), &plain, d->err);
    if (st != PF_OK) {
        return st;
    }
    pf_str name = pf_trace_string(d->t, plain);
    int len = snprintf(text, sizeof text, "SQTT %.*s n%lld", (int)(name.len < 200 ? name.len : 200),
                       name.ptr ? name.ptr : "", (long long)*pf_side_number(d->l->p->records, RECORD_RUN, record) + 1);
    d->upid = pf_tiny_process(d->l, *pf_side_ref(events, EVENT_DEVICE, d->kernel), d->err);
    d->group = d->upid == PF_NONE ? PF_NONE
                                  : pf_tiny_add_track(d, PF_TRACK_PROCESS_EVENT, PF_NONE, (pf_str){text, (size_t)len});
    return d->group == PF_NONE ? d->err->code : PF_OK;
}

static int64_t rows_to_draw(const pf_tiny_drawing *d, uint32_t stream)
{
    const pf_side_table *const tables[] = {d->waves, d->slices, d->occupancy, d->clock};
    int64_t rows = 0;
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        span s = rows_of(tables[i], stream);
        rows += s.end - s.first;
    }
    return rows;
}

static pf_status draw_stream(pf_tiny_drawing *d, uint32_t stream)
{
    uint32_t want = d->t->want;
    int64_t se = *pf_side_number(d->streams, STREAM_SE, stream);
    char name[32];
    int len = snprintf(name, sizeof name, "SE %lld", (long long)se);
    d->units = 0;
    pf_map_clear(&d->tracks);
    d->engine = pf_tiny_add_track(d, PF_TRACK_PROCESS_EVENT, d->group, (pf_str){name, (size_t)len});
    if (d->engine == PF_NONE) {
        return d->err->code;
    }
    set_scale(d, stream);
    pf_status st = PF_OK;
    if (want & (PF_WANT_EVENTS | PF_WANT_SLICES | PF_WANT_FLOWS | PF_WANT_ARGS)) {
        st = draw_waves(d, stream);
        st = st == PF_OK ? draw_slices(d, stream) : st;
    }
    if (want & PF_WANT_COUNTERS) {
        st = st == PF_OK ? draw_level(d, d->occupancy, stream, &waves_level) : st;
        st = st == PF_OK ? draw_level(d, d->clock, stream, &clock_level) : st;
    }
    return st;
}

/* The stream of a record, if it is one, with the group that it belongs to. */
static pf_status draw_record(pf_tiny_drawing *d, uint32_t record)
{
    const pf_side_table *records = d->l->p->records;
    uint32_t event = *pf_side_ref(records, RECORD_EVENT, record);
    uint32_t stream = pf_rows_lower_bound(d->streams->column[STREAM_EVENT], d->streams->count, event);
    uint32_t kernel = *pf_side_ref(records, RECORD_KERNEL, record);
    if (stream == d->streams->count || *pf_side_ref(d->streams, STREAM_EVENT, stream) != event) {
        return PF_OK;
    }
    int64_t rows = rows_to_draw(d, stream);
    if (rows == 0 || rows > d->left) {
        d->left = rows ? 0 : d->left;
        return PF_OK;
    }
    d->left -= rows;
    pf_status st = PF_OK;
    if (kernel != d->kernel) {
        d->kernel = kernel;
        st = open_group(d, record);
    }
    return st == PF_OK ? draw_stream(d, stream) : st;
}

pf_status pf_tiny_draw_streams(pf_tiny_timeline *l, pf_error *err)
{
    pf_trace *t = l->t;
    pf_tiny_drawing d = {.l = l, .t = t, .kernel = PF_NONE, .left = l->p->stream_rows, .err = err};
    d.streams = pf_trace_table(t, "tinygrad_sqtt");
    d.waves = pf_trace_table(t, "tinygrad_sqtt_wave");
    d.slots = pf_trace_table(t, "tinygrad_sqtt_slot");
    d.slices = pf_trace_table(t, "tinygrad_sqtt_slice");
    d.occupancy = pf_trace_table(t, "tinygrad_sqtt_occupancy");
    d.clock = pf_trace_table(t, "tinygrad_sqtt_clock");
    if (d.streams->count == 0) {
        return PF_OK;
    }
    d.wave_decoder = pf_trace_add_decoder(t, pf_tiny_decode_wave, NULL);
    d.slice_decoder = pf_trace_add_decoder(t, pf_tiny_decode_slice, NULL);
    if (d.wave_decoder == PF_NONE || d.slice_decoder == PF_NONE) {
        return pf_trace_no_decoder(err);
    }
    pf_map_init(&d.tracks, &t->budget);
    pf_status st = PF_OK;
    for (uint32_t i = l->first_record; st == PF_OK && i < l->p->records->count; i++) {
        st = draw_record(&d, i);
    }
    pf_map_free(&d.tracks);
    return st;
}
