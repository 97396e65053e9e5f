/* read/tinygrad/tracks/tiny_samples.c - samples of program counters (PMA) as counters: how many samples found a warp
 * standing for each reason.
 *
 * Samples have no time, so a counter holds the sum of an execution from the start of its kernel to the end, and is 0
 * outside. Where one execution alone was sampled its sums are arguments of its slice, as all are, and no counters.
 * Below the device is a group "PMA stalls", in it "all SMs" with the sums that the reports have, then each
 * multiprocessor that was sampled. Counters of one place share a scale: together they are the samples of the place.
 * That something was dropped is a note at the kernel. */
#include <stdio.h>

#include "read/tinygrad/counters/counters.h"
#include "read/tinygrad/tracks/tiny_tracks.h"

/* Places of a device: all multiprocessors, then each one. */
enum { ALL = 0, PLACES = 1 + PF_PMA_UNITS, NOTES = PLACES, GROUP, WITHOUT_REASON = PF_PMA_REASONS };

typedef struct drawing {
    pf_tiny_tracks *l;
    pf_trace *t;
    const pf_side_table *streams, *stalls, *samples;
    uint32_t reasons[PF_PMA_REASONS]; /* string ids */
    uint32_t sums[PLACES][PF_PMA_REASONS];
    uint32_t kernel;   /* the range that the sums are of, PF_NONE: none yet */
    uint32_t upid;     /* of its device */
    pf_map executions; /* upid -> 1, 2: so many executions were sampled, or more */
} drawing;

/* The key of a place, or of a counter there, in the map of tracks; whether it has its track already. */
static bool has_track(const drawing *d, unsigned place, unsigned reason, uint64_t *key, uint32_t *track)
{
    *key = (uint64_t)d->upid << 16 | place << 4 | reason;
    *track = pf_map_get(&d->l->map, *key);
    return *track != PF_NONE;
}

static pf_status group_track(drawing *d, uint32_t *track)
{
    uint64_t key;
    if (has_track(d, GROUP, WITHOUT_REASON, &key, track)) {
        return PF_OK;
    }
    const pf_tiny_track k = {
        .type = PF_TRACK_PROCESS_EVENT,
        .upid = d->upid,
        .parent = PF_NONE,
        .name = pf_tiny_word(d->l->p, "PMA stalls"),
        .description = "Why warps stalled, from samples of the program counter that the device took during a kernel "
                       "(PMA). Samples have no time: a value is the sum of an execution, from the start of its kernel "
                       "to the end.",
        .ordered = true,
        .ranked = true,
        .rank = PF_TINY_RANK_STALLS,
    };
    return pf_tiny_add_track(d->l, &k, &d->l->map, key, track);
}

/* Notes first, then all multiprocessors, then each one. */
static pf_status place_track(drawing *d, unsigned place, uint32_t *track)
{
    const pf_pma_sample unit = {.unit = (uint16_t)(place - 1)};
    uint64_t key;
    char name[64];
    if (has_track(d, place, WITHOUT_REASON, &key, track)) {
        return PF_OK;
    }
    pf_tiny_track k = {
        .type = PF_TRACK_PROCESS_EVENT,
        .upid = d->upid,
        .ranked = true,
        .rank = place == NOTES ? 0 : place + 1,
        .description = place == NOTES ? "What is wrong with the samples of a kernel."
                       : place == ALL
                           ? "Samples of all multiprocessors by reason, the sums of table tinygrad_pma_stall."
                           : "Samples of one multiprocessor by reason, counted in table tinygrad_pma_sample.",
    };
    PF_TRY(group_track(d, &k.parent));
    snprintf(name, sizeof name, "GPC %u TPC %u SM %u", pf_pma_gpc(&unit), pf_pma_tpc(&unit), pf_pma_sm(&unit));
    k.name = pf_tiny_word(d->l->p, place == NOTES ? "notes" : place == ALL ? "all SMs" : name);
    return pf_tiny_add_track(d->l, &k, &d->l->map, key, track);
}

static pf_status counter_track(drawing *d, unsigned place, unsigned reason, uint32_t *track)
{
    uint64_t key;
    if (has_track(d, place, reason, &key, track)) {
        return PF_OK;
    }
    pf_tiny_track k = {
        .type = PF_TRACK_PROCESS_COUNTER,
        .upid = d->upid,
        .name = d->reasons[reason],
        .unit = "samples",
        .scale = "PMA samples",
        .description = reason == PF_PMA_NONE ? "Samples that found a warp issuing, over its kernel."
                                             : "Samples that found a warp stalled for this reason, over its kernel.",
    };
    PF_TRY(place_track(d, place, &k.parent));
    return pf_tiny_add_track(d->l, &k, &d->l->map, key, track);
}

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
    uint32_t i = pf_tiny_first_of(l, STALL_STREAM, stream);
    for (; i < l->count && *pf_side_ref(l, STALL_STREAM, i) == stream; i++) {
        d->sums[ALL][reason_of(d, *pf_side_ref(l, STALL_REASON, i))] += (uint32_t)*pf_side_number(l, STALL_SAMPLES, i);
    }
    for (uint32_t k = first; (int64_t)k - first < count; k++) {
        unsigned unit = (unsigned)*pf_side_number(s, SAMPLE_GPC, k) << 5 |
                        (unsigned)*pf_side_number(s, SAMPLE_TPC, k) << 1 | (unsigned)*pf_side_number(s, SAMPLE_SM, k);
        d->sums[1 + unit % PF_PMA_UNITS][reason_of(d, *pf_side_ref(s, SAMPLE_REASON, k))]++;
    }
}

static pf_status draw_note(drawing *d, uint32_t stream, int64_t ts)
{
    int64_t dropped = *pf_side_number(d->streams, PMA_DROPPED, stream);
    char text[64];
    pf_event e = {.phase = 'i', .ts = ts};
    if (dropped == 0) {
        return PF_OK;
    }
    snprintf(text, sizeof text, "samples dropped (%lld packets say so)", (long long)dropped);
    e.name = pf_tiny_word(d->l->p, text);
    PF_TRY(place_track(d, NOTES, &e.track));
    return pf_trace_add_event(d->t, &e, d->l->p->err);
}

/* Draws the sums of d->kernel and sets them to 0. */
static pf_status draw_kernel(drawing *d)
{
    if (d->kernel == PF_NONE || !(d->t->want & PF_WANT_COUNTERS)) {
        return PF_OK;
    }
    bool drawn = pf_map_get(&d->executions, d->upid) == 2;
    for (unsigned i = 0; i < PLACES * PF_PMA_REASONS; i++) {
        uint32_t *sum = &d->sums[i / PF_PMA_REASONS][i % PF_PMA_REASONS], track;
        if (*sum && drawn) {
            PF_TRY(counter_track(d, i / PF_PMA_REASONS, i % PF_PMA_REASONS, &track));
            PF_TRY(pf_tiny_hold(d->l, d->kernel, *sum, track));
        }
        *sum = 0;
    }
    return PF_OK;
}

/* Adds the samples of a record. */
static pf_status add_record(drawing *d, uint32_t stream, uint32_t kernel)
{
    if (kernel != d->kernel) {
        PF_TRY(draw_kernel(d));
        d->kernel = kernel;
        PF_TRY(pf_tiny_process(d->l, pf_tiny_event_ref(d->l, EVENT_DEVICE, kernel), &d->upid));
    }
    if (d->t->want & PF_WANT_EVENTS) {
        PF_TRY(draw_note(d, stream, pf_tiny_event_int(d->l, EVENT_TS, kernel)));
    }
    sum_stream(d, stream);
    return PF_OK;
}

/* Counts the execution that a record is of, once. */
static pf_status count_record(drawing *d, uint32_t stream, uint32_t kernel)
{
    if (kernel == d->kernel) {
        return PF_OK;
    }
    d->kernel = kernel;
    PF_TRY(pf_tiny_process(d->l, pf_tiny_event_ref(d->l, EVENT_DEVICE, kernel), &d->upid));
    uint32_t known = pf_map_get(&d->executions, d->upid);
    return pf_map_put(&d->executions, d->upid, known == PF_NONE ? 1 : 2, d->l->p->err);
}

/* Records come by kernel; those without samples are others'. */
static pf_status for_records(drawing *d, pf_status (*visit)(drawing *d, uint32_t stream, uint32_t kernel))
{
    const pf_side_table *records = d->l->p->table[PF_TINY_RECORD];
    d->kernel = PF_NONE;
    for (uint32_t i = d->l->first_record; i < records->count; i++) {
        uint32_t event = *pf_side_ref(records, RECORD_EVENT, i);
        uint32_t stream = pf_tiny_first_of(d->streams, PMA_EVENT, event);
        if (stream < d->streams->count && *pf_side_ref(d->streams, PMA_EVENT, stream) == event) {
            PF_TRY(visit(d, stream, *pf_side_ref(records, RECORD_KERNEL, i)));
        }
    }
    return PF_OK;
}

static pf_status draw(drawing *d)
{
    PF_TRY(for_records(d, count_record));
    PF_TRY(for_records(d, add_record));
    return draw_kernel(d);
}

pf_status pf_tiny_draw_samples(pf_tiny_tracks *l)
{
    pf_tiny_profile *p = l->p;
    drawing *d;
    if (p->table[PF_TINY_PMA]->count == 0) {
        return PF_OK;
    }
    PF_TRY(PF_ARENA_NEW(&l->arena, d, 1, p->err));
    d->l = l;
    d->t = l->t;
    d->streams = p->table[PF_TINY_PMA];
    d->stalls = p->table[PF_TINY_PMA_STALL];
    d->samples = p->table[PF_TINY_PMA_SAMPLE];
    for (unsigned i = 0; i < PF_PMA_REASONS; i++) {
        d->reasons[i] = pf_tiny_word(p, pf_pma_reason_name((pf_pma_reason)i));
    }
    pf_map_init(&d->executions, &l->t->budget);
    pf_status st = draw(d);
    pf_map_free(&d->executions);
    return st == PF_OK ? p->text_status : st;
}
