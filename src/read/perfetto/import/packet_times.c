/* read/perfetto/import/packet_times.c - when a packet happened (docs/reference/perfetto.md, "Clocks").
 *
 * The clock of a packet is the one it names, else its sequence's default, else the default of the trace; without any
 * the time is taken as it is. Where no snapshot so far relates that clock to the trace clock, the event is appended
 * with a provisional time and noted; after the last packet, when all snapshots are known, its time is settled or it is
 * dropped.
 */
#include "base/list.h"
#include "perfetto/fields.h"
#include "read/perfetto/import/import.h"

/* A time of that clock could not be converted. */
static void count_failure(pf_import *im, pf_clock_key key, uint64_t offset)
{
    pf_trace_count(im->t, pf_clocks_knows(&im->clocks, key) ? PF_STAT_CLOCK_NO_PATH : PF_STAT_CLOCK_UNKNOWN, offset);
}

static pf_status convert(pf_import *im, pf_clock_key key, int64_t value, pf_moment *at)
{
    *at = (pf_moment){.ts = value, .clock = key};
    pf_clock_outcome outcome = pf_clocks_convert(&im->clocks, key, value, &at->ts);
    if (outcome != PF_CLOCK_OK) {
        at->ts = value;
        at->when = PF_WHEN_LATER;
    }
    return outcome == PF_CLOCK_NO_MEMORY ? pf_import_refuse(im, 1u << 12) : PF_OK;
}

pf_status pf_import_time(pf_import *im, const pf_record *r, const pf_sequence *q, pf_moment *at)
{
    if (!(r->has & PF_HAS_TIMESTAMP)) {
        *at = (pf_moment){.when = PF_WHEN_MISSING};
        return PF_OK;
    }
    uint32_t id = r->clock ? r->clock : q && q->clock_id ? q->clock_id : im->clocks.default_id;
    bool of_sequence = id >= PF_CLOCK_SEQUENCE_FIRST && id <= PF_CLOCK_SEQUENCE_LAST;
    if (id == 0) {
        *at = (pf_moment){.ts = (int64_t)r->timestamp, .when = PF_WHEN_KNOWN};
        return PF_OK;
    }
    if (of_sequence && !(r->has & PF_HAS_SEQUENCE)) {
        pf_import_count(im, r, PF_STAT_CLOCK_UNKNOWN);
        *at = (pf_moment){.when = PF_WHEN_MISSING};
        return PF_OK;
    }
    return convert(im, (pf_clock_key){id, of_sequence ? r->sequence : 0}, (int64_t)r->timestamp, at);
}

pf_status pf_import_monotonic(pf_import *im, int64_t ns, pf_moment *at)
{
    PF_TRY(convert(im, (pf_clock_key){PF_CLOCK_MONOTONIC, 0}, ns, at));
    if (at->when != PF_WHEN_KNOWN) {
        count_failure(im, (pf_clock_key){PF_CLOCK_MONOTONIC, 0}, PF_NOWHERE);
        at->when = PF_WHEN_KNOWN;
    }
    return PF_OK;
}

pf_status pf_import_defer(pf_import *im, const pf_record *r, const pf_moment *at, uint32_t event, uint32_t sample)
{
    pf_late *l = &im->late;
    PF_TRY(PF_LIST_ROOM(&im->t->budget, l->times, l->time_count + 1, l->time_room, im->err));
    l->times[l->time_count++] =
        (pf_deferred){event, sample, at->clock, at->ts, pf_import_offset(im, r), event != PF_NONE};
    return PF_OK;
}

void pf_import_add_event(pf_import *im, const pf_record *r, const pf_moment *at, pf_event *e)
{
    e->ts = pf_import_now(im, at);
    bool added = !pf_import_failed(im) && pf_trace_add_event(im->t, e, im->err) == PF_OK;
    if (added && e->ts < 0) {
        added = pf_trace_note_offset(im->t, pf_import_offset(im, r), im->err) == PF_OK;
    }
    if (added && at->when == PF_WHEN_LATER) {
        (void)pf_import_defer(im, r, at, im->t->events.count - 1, PF_NONE);
    }
}

void pf_import_add_sample(pf_import *im, const pf_record *r, const pf_moment *at, uint32_t track, double value)
{
    if (!(im->t->want & PF_WANT_COUNTERS)) {
        return;
    }
    int64_t ts = pf_import_now(im, at);
    bool added = !pf_import_failed(im) && pf_trace_add_sample(im->t, ts, value, track, PF_NONE, im->err) == PF_OK;
    if (added && at->when == PF_WHEN_LATER) {
        (void)pf_import_defer(im, r, at, PF_NONE, im->t->counters.count - 1);
    }
}

void pf_import_defer_packet(pf_import *im, uint32_t noted)
{
    if (im->late.time_count > noted) {
        im->late.times[noted].counts = true;
    }
}

void pf_import_retry(pf_import *im, pf_moment *at, uint64_t offset)
{
    if (!pf_import_failed(im) && convert(im, at->clock, at->ts, at) == PF_OK && at->when != PF_WHEN_KNOWN) {
        count_failure(im, at->clock, offset);
        pf_trace_count(im->t, PF_STAT_CLOCK_PACKET_LOSS, offset);
    }
}

bool pf_import_settle(pf_import *im, pf_moment *at, uint64_t offset)
{
    if (pf_import_failed(im) || convert(im, at->clock, at->ts, at) != PF_OK) {
        return false;
    }
    if (at->when != PF_WHEN_KNOWN) {
        count_failure(im, at->clock, offset);
    } else if (at->ts < 0) {
        pf_trace_count(im->t, PF_STAT_NEGATIVE_TS, offset);
    }
    return at->when == PF_WHEN_KNOWN && at->ts >= 0;
}

pf_status pf_import_settle_deferred(pf_import *im)
{
    pf_trace *t = im->t;
    for (uint32_t i = 0; i < im->late.time_count; i++) {
        const pf_deferred *d = &im->late.times[i];
        pf_moment at;
        PF_TRY(convert(im, d->clock, d->value, &at));
        bool known = at.when == PF_WHEN_KNOWN;
        if (d->event != PF_NONE) {
            t->events.ts[d->event] = at.ts;
            t->events.track[d->event] = known ? t->events.track[d->event] : PF_NONE;
            t->events.in_order = false;
        }
        if (d->sample != PF_NONE) {
            t->counters.ts[d->sample] = at.ts;
            t->counters.track[d->sample] = known ? t->counters.track[d->sample] : PF_NONE;
            t->counters.in_order = false;
        }
        im->moves.removes_events |= !known;
        if (!known && d->counts) {
            count_failure(im, d->clock, d->offset);
            pf_trace_count(t, PF_STAT_CLOCK_PACKET_LOSS, d->offset);
        }
    }
    return PF_OK;
}
