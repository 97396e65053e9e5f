/* read/tinygrad/timeline/tiny_samples.c - samples of program counters (PMA) as counters: how many samples found a warp
 * standing for each reason.
 *
 * Samples have no time, so a counter holds the sum of an execution from the start of its kernel to the end, and is 0
 * outside. Below the device is a group "PMA stalls", in it "all SMs" with the sums that the reports have, then each
 * multiprocessor that was sampled. Counters of one place share a scale: together they are the samples of the place.
 * That something was dropped is a note at the kernel. */
#include <stdio.h>
#include <string.h>

#include "read/tinygrad/counters/pma_samples.h"
#include "read/tinygrad/hardware/hardware.h"
#include "read/tinygrad/timeline/tiny_timeline.h"

/* Places of a device: all multiprocessors, then each one. */
enum { ALL = 0, PLACES = 1 + PF_PMA_UNITS, NOTES = PLACES, GROUP, WITHOUT_REASON = PF_PMA_REASONS };

typedef struct drawing {
    pf_tiny_timeline *l;
    pf_trace *t;
    const pf_side_table *streams, *stalls, *samples;
    uint32_t reasons[PF_PMA_REASONS]; /* string ids */
    uint32_t sums[PLACES][PF_PMA_REASONS];
    uint32_t kernel; /* the range that the sums are of, PF_NONE: none yet */
    uint32_t upid;   /* of its device */
    pf_map tracks;   /* upid, place and reason -> track */
    pf_error *err;
} drawing;

/* ---- tracks ------------------------------------------------------------------------------------------------------ */

static pf_status describe(drawing *d, uint32_t track, const char *key, const char *text)
{
    return pf_tiny_describe(d->l, track, key, text, d->err);
}

static pf_status rank(drawing *d, uint32_t track, int64_t number)
{
    const pf_value v = {.type = PF_VALUE_INT, .as.i = number};
    return pf_trace_add_row_arg(d->t, PF_OWNER_TRACK_SOURCE, track, PF_STR("sibling_order_rank"), &v, d->err);
}

static uint64_t key_of(const drawing *d, unsigned place, unsigned reason)
{
    return (uint64_t)d->upid << 16 | place << 4 | reason;
}

static uint32_t add_track(drawing *d, const pf_track_row *row, uint64_t key)
{
    uint32_t track = pf_trace_add_track(d->t, row, d->err);
    if (track != PF_NONE && !pf_map_set(&d->tracks, key, track)) {
        pf_budget_refused(&d->t->budget, 0, d->err);
        return PF_NONE;
    }
    return track;
}

/* A track of slices, or without any. */
static uint32_t named_track(drawing *d, uint64_t key, uint32_t parent, const char *name)
{
    pf_track_row row = {
        .type = PF_TRACK_PROCESS_EVENT, .upid = d->upid, .utid = PF_NONE, .parent = parent, .group = PF_NONE};
    pf_status st = pf_trace_add_string(d->t, (pf_str){name, strlen(name)}, &row.name, d->err);
    return st == PF_OK ? add_track(d, &row, key) : PF_NONE;
}

static uint32_t group_track(drawing *d)
{
    uint64_t key = key_of(d, GROUP, WITHOUT_REASON);
    uint32_t track = pf_map_get(&d->tracks, key);
    if (track != PF_NONE) {
        return track;
    }
    track = named_track(d, key, PF_NONE, "PMA stalls");
    pf_status st = track == PF_NONE ? d->err->code : describe(d, track, "child_ordering", "explicit");
    st = st == PF_OK
             ? describe(d, track, "description",
                        "Why warps stood, from samples of the program counter that the device took during a "
                        "kernel (PMA). Samples have no time: a value is the sum of an execution, from the start "
                        "of its kernel to the end.")
             : st;
    return st == PF_OK ? track : PF_NONE;
}

/* Notes first, then all multiprocessors, then each one. */
static uint32_t place_track(drawing *d, unsigned place)
{
    uint64_t key = key_of(d, place, WITHOUT_REASON);
    uint32_t track = pf_map_get(&d->tracks, key), group = track == PF_NONE ? group_track(d) : PF_NONE;
    const pf_pma_sample unit = {.unit = (uint16_t)(place - 1)};
    char name[64] = "notes";
    if (track != PF_NONE || group == PF_NONE) {
        return track;
    }
    if (place == ALL) {
        snprintf(name, sizeof name, "all SMs");
    } else if (place < PLACES) {
        snprintf(name, sizeof name, "GPC %u TPC %u SM %u", pf_pma_gpc(&unit), pf_pma_tpc(&unit), pf_pma_sm(&unit));
    }
    track = named_track(d, key, group, name);
    pf_status st = track == PF_NONE ? d->err->code : rank(d, track, place == NOTES ? 0 : place + 1);
    st = st == PF_OK ? describe(d, track, "description",
                                place == NOTES ? "What is wrong with the samples of a kernel."
                                : place == ALL ? "Samples of all multiprocessors by reason, the sums of table "
                                                 "tinygrad_pma_stall."
                                               : "Samples of one multiprocessor by reason, counted in table "
                                                 "tinygrad_pma_sample.")
                     : st;
    return st == PF_OK ? track : PF_NONE;
}

static uint32_t counter_track(drawing *d, unsigned place, unsigned reason)
{
    uint64_t key = key_of(d, place, reason);
    uint32_t track = pf_map_get(&d->tracks, key), parent = track == PF_NONE ? place_track(d, place) : PF_NONE;
    if (track != PF_NONE || parent == PF_NONE) {
        return track;
    }
    pf_track_row row = {.type = PF_TRACK_PROCESS_COUNTER,
                        .name = d->reasons[reason],
                        .upid = d->upid,
                        .utid = PF_NONE,
                        .parent = parent,
                        .group = PF_NONE};
    pf_status st = pf_trace_add_string(d->t, PF_STR("samples"), &row.unit, d->err);
    track = st == PF_OK ? add_track(d, &row, key) : PF_NONE;
    st = track == PF_NONE ? d->err->code : describe(d, track, "y_axis_share_key", "PMA samples");
    st = st == PF_OK ? describe(d, track, "description",
                                reason == PF_PMA_NONE ? "Samples that found a warp issuing, over its kernel."
                                                      : "Samples that found a warp standing for this reason, over its "
                                                        "kernel.")
                     : st;
    return st == PF_OK ? track : PF_NONE;
}

/* ---- sums -------------------------------------------------------------------------------------------------------- */

static unsigned reason_of(const drawing *d, uint32_t name)
{
    unsigned i = 0;
    while (i + 1 < PF_PMA_REASONS && d->reasons[i] != name) {
        i++;
    }
    return i;
}

/* What the stream says of all multiprocessors, and, where its samples are listed, of each one. */
static void sum_stream(drawing *d, uint32_t stream)
{
    const pf_side_table *l = d->stalls, *s = d->samples;
    uint32_t first = *pf_side_ref(d->streams, PMA_FIRST_SAMPLE, stream);
    int64_t count = first == PF_NONE ? 0 : *pf_side_number(d->streams, PMA_SAMPLES, stream);
    uint32_t i = l->count ? pf_rows_lower_bound(l->column[STALL_STREAM], l->count, stream) : 0;
    for (; i < l->count && *pf_side_ref(l, STALL_STREAM, i) == stream; i++) {
        d->sums[ALL][reason_of(d, *pf_side_ref(l, STALL_REASON, i))] += (uint32_t)*pf_side_number(l, STALL_SAMPLES, i);
    }
    for (uint32_t k = first; (int64_t)k - first < count; k++) {
        unsigned unit = (unsigned)*pf_side_number(s, SAMPLE_GPC, k) << 5 |
                        (unsigned)*pf_side_number(s, SAMPLE_TPC, k) << 1 | (unsigned)*pf_side_number(s, SAMPLE_SM, k);
        d->sums[1 + unit % PF_PMA_UNITS][reason_of(d, *pf_side_ref(s, SAMPLE_REASON, k))]++;
    }
}

/* ---- an execution ------------------------------------------------------------------------------------------------ */

static pf_status draw_counters(drawing *d, int64_t from, int64_t to)
{
    pf_status st = PF_OK;
    for (unsigned i = 0; st == PF_OK && i < PLACES * PF_PMA_REASONS; i++) {
        unsigned place = i / PF_PMA_REASONS, reason = i % PF_PMA_REASONS;
        uint32_t sum = d->sums[place][reason], track = sum ? counter_track(d, place, reason) : 0;
        if (track == PF_NONE) {
            return d->err->code;
        }
        st = sum ? pf_trace_add_sample(d->t, from, sum, track, PF_NONE, d->err) : PF_OK;
        st = sum && st == PF_OK ? pf_trace_add_sample(d->t, to, 0, track, PF_NONE, d->err) : st;
    }
    return st;
}

static pf_status draw_note(drawing *d, uint32_t stream, int64_t ts)
{
    int64_t dropped = *pf_side_number(d->streams, PMA_DROPPED, stream);
    char text[64];
    pf_event e = {.phase = 'i', .ts = ts};
    int len = snprintf(text, sizeof text, "samples dropped (%lld packets say so)", (long long)dropped);
    if (dropped == 0) {
        return PF_OK;
    }
    pf_status st = pf_trace_add_string(d->t, (pf_str){text, (size_t)len}, &e.name, d->err);
    e.track = st == PF_OK ? place_track(d, NOTES) : PF_NONE;
    return e.track == PF_NONE ? d->err->code : pf_trace_add_event(d->t, &e, d->err);
}

/* The sums of the kernel in hand, which are 0 again then. */
static pf_status draw_kernel(drawing *d)
{
    const pf_side_table *events = d->l->p->table[PF_TINY_EVENT];
    if (d->kernel == PF_NONE || !(d->t->want & PF_WANT_COUNTERS)) {
        return PF_OK;
    }
    int64_t from = *pf_side_number(events, EVENT_TS, d->kernel), to = *pf_side_number(events, EVENT_END, d->kernel);
    pf_status st = draw_counters(d, from, to > from ? to : from);
    memset(d->sums, 0, sizeof d->sums);
    return st;
}

/* Adds the samples of a record, if it has any; records come by kernel. */
static pf_status add_record(drawing *d, uint32_t record)
{
    const pf_side_table *records = d->l->p->records, *events = d->l->p->table[PF_TINY_EVENT];
    uint32_t event = *pf_side_ref(records, RECORD_EVENT, record), kernel = *pf_side_ref(records, RECORD_KERNEL, record);
    uint32_t stream = pf_rows_lower_bound(d->streams->column[PMA_EVENT], d->streams->count, event);
    if (stream == d->streams->count || *pf_side_ref(d->streams, PMA_EVENT, stream) != event) {
        return PF_OK;
    }
    pf_status st = kernel != d->kernel ? draw_kernel(d) : PF_OK;
    if (st == PF_OK && kernel != d->kernel) {
        d->kernel = kernel;
        d->upid = pf_tiny_process(d->l, *pf_side_ref(events, EVENT_DEVICE, kernel), d->err);
        st = d->upid == PF_NONE ? d->err->code : PF_OK;
    }
    if (st == PF_OK && d->t->want & PF_WANT_EVENTS) {
        st = draw_note(d, stream, *pf_side_number(events, EVENT_TS, kernel));
    }
    sum_stream(d, stream);
    return st;
}

static pf_status draw_all(drawing *d)
{
    pf_status st = PF_OK;
    for (unsigned i = 0; st == PF_OK && i < PF_PMA_REASONS; i++) {
        const char *name = pf_pma_reason_name((pf_pma_reason)i);
        st = pf_trace_add_string(d->t, (pf_str){name, strlen(name)}, &d->reasons[i], d->err);
    }
    for (uint32_t i = d->l->first_record; st == PF_OK && i < d->l->p->records->count; i++) {
        st = add_record(d, i);
    }
    return st == PF_OK ? draw_kernel(d) : st;
}

pf_status pf_tiny_draw_samples(pf_tiny_timeline *l, pf_error *err)
{
    const pf_side_table *streams = pf_trace_table(l->t, "tinygrad_pma");
    if (streams->count == 0) {
        return PF_OK;
    }
    drawing *d = pf_alloc_zero(&l->t->budget, 1, sizeof *d);
    if (!d) {
        return pf_budget_refused(&l->t->budget, sizeof *d, err);
    }
    d->l = l;
    d->t = l->t;
    d->err = err;
    d->kernel = PF_NONE;
    d->streams = streams;
    d->stalls = pf_trace_table(l->t, "tinygrad_pma_stall");
    d->samples = pf_trace_table(l->t, "tinygrad_pma_sample");
    pf_map_init(&d->tracks, &l->t->budget);
    pf_status st = draw_all(d);
    pf_map_free(&d->tracks);
    pf_release(&l->t->budget, d, sizeof *d);
    return st;
}
