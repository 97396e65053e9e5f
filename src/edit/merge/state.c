/* edit/merge/state.c - the state of an input while its packets go by: what its sequences have set up, and its clocks.
 *
 * A packet says its time in a clock: the one that it names, else its sequence's default, else the one that snapshots
 * made the default. Two inputs may read the same clock on two machines, so only one of them can keep its snapshots;
 * times of the others become times of the result, which the first input's clocks define. That is also how offset and
 * drift get into every packet, however it counts its time: incremental clocks, clocks of a sequence, the microseconds
 * of old events.
 *
 * How a packet comes to its time is said in edit/state/moments.h.
 */
#include "edit/merge/merge.h"

#include <math.h>

#include "perfetto/fields.h"

enum { THREAD_REFERENCE_US = 6 };

void pf_merge_state_init(merge *m, merge_input *in)
{
    pf_times_init(&in->times, &m->budget);
    pf_map_init(&in->tracks, &m->budget);
    pf_sequences_init(&in->sequences, &m->budget, m->generations, &m->texts, 1u << PF_INTERN_EVENT_NAME);
}

void pf_merge_state_again(merge *m, merge_input *in)
{
    pf_times_again(&in->times);
    pf_sequences_free(&in->sequences);
    pf_sequences_init(&in->sequences, &m->budget, NULL, NULL, 0);
}

void pf_merge_state_free(merge_input *in)
{
    pf_times_free(&in->times);
    pf_map_free(&in->tracks);
    pf_sequences_free(&in->sequences);
}

static pf_status time_of_event(merge_input *in, const pf_raw_packet *p, pf_sequence *q, merge_moment *at, pf_error *err)
{
    PF_CURSOR_FIELDS(f, pf_field_cursor(&p->content), PF_AT_VARINT(PF_F_EVENT_TIMESTAMP_DELTA_US),
                     PF_AT_VARINT(PF_F_EVENT_TIMESTAMP_ABSOLUTE_US));
    bool delta = f[PF_F_EVENT_TIMESTAMP_DELTA_US].tag;
    int64_t us = (int64_t)f[delta ? PF_F_EVENT_TIMESTAMP_DELTA_US : PF_F_EVENT_TIMESTAMP_ABSOLUTE_US].value, ns;
    if ((!delta && us == 0) || (delta && !(q && q->has_reference))) {
        return PF_OK;
    }
    if (__builtin_mul_overflow(us, (int64_t)1000, &ns) ||
        __builtin_add_overflow(ns, delta ? q->reference_ts : 0, &ns)) {
        return PF_OK;
    }
    if (delta) {
        q->reference_ts = ns;
    }
    at->legacy = true;
    at->when = PF_TIME_KNOWN;
    return pf_times_monotonic(&in->times, ns, &at->ts, err);
}

/* Events of its sequence have a track, and differences of their times a beginning. */
static void take_thread(pf_sequence *q, pf_field thread)
{
    q->has_thread = q->has_reference = true;
    q->reference_ts =
        (int64_t)(pf_cursor_last(pf_field_cursor(&thread), PF_TAG_VARINT(THREAD_REFERENCE_US)).value * 1000);
}

bool pf_merge_describes(const pf_raw_packet *p)
{
    return p->data == PF_F_PACKET_TRACK_DESCRIPTOR || p->data == PF_F_PACKET_PROCESS_TREE ||
           p->data == PF_F_PACKET_PROCESS_DESCRIPTOR || p->data == PF_F_PACKET_THREAD_DESCRIPTOR;
}

static void cover(merge_input *in, const pf_raw_packet *p, int64_t ts)
{
    if (!pf_merge_describes(p)) {
        in->first = !in->timed || ts < in->first ? ts : in->first;
        in->timed = true;
    }
    bool stage = p->data == PF_F_PACKET_GPU_RENDER_STAGE_EVENT &&
                 !pf_cursor_last(pf_field_cursor(&p->content), PF_TAG_BYTES(PF_F_STAGE_SPECIFICATIONS)).tag;
    if (p->data == PF_F_PACKET_TRACK_EVENT || stage) { /* all parts say specifications, at their own time */
        in->first_event = !in->has_events || ts < in->first_event ? ts : in->first_event;
        in->last_event = !in->has_events || ts > in->last_event ? ts : in->last_event;
        in->has_events = true;
    }
}

pf_sequence *pf_merge_sequence(merge_input *in, const pf_raw_packet *p)
{
    return p->has & PF_PACKET_SEQUENCE ? pf_sequence_find(&in->sequences, p->sequence) : NULL;
}

static pf_status take_state(merge *m, merge_input *in, const pf_raw_packet *p, pf_sequence *q, pf_error *err)
{
    if (p->has & PF_PACKET_CLEARED) {
        pf_sequence_clear(q);
    } else if (p->has & PF_PACKET_DROPPED) {
        pf_sequence_lose(q);
    }
    if (p->defaults.tag && !pf_sequence_set_defaults(&in->sequences, q, p->defaults.bytes, p->defaults.len)) {
        return pf_budget_refused(&m->budget, p->defaults.len, err);
    }
    uint64_t without_iid = 0;
    PF_TRY(p->interned.tag && in->sequences.kinds
               ? pf_sequence_intern(&in->sequences, q, p->interned.bytes, p->interned.len, &without_iid, err)
               : PF_OK);
    pf_field thread = {.tag = 0};
    if (p->data == PF_F_PACKET_TRACK_DESCRIPTOR) {
        thread = pf_cursor_last(pf_field_cursor(&p->content), PF_TAG_BYTES(MERGE_TRACK_THREAD));
    } else if (p->data == PF_F_PACKET_THREAD_DESCRIPTOR) {
        thread = p->content;
    }
    if (thread.tag && q->valid) {
        take_thread(q, thread);
    }
    return PF_OK;
}

pf_status pf_merge_take(merge *m, merge_input *in, const pf_raw_packet *p, merge_moment *at, pf_error *err)
{
    bool own;
    *at = (merge_moment){.when = PF_TIME_NONE};
    pf_sequence *q = pf_merge_sequence(in, p);
    if (!q && p->has & PF_PACKET_SEQUENCE) {
        return pf_budget_refused(&m->budget, sizeof *q, err);
    }
    if (q) {
        PF_TRY(take_state(m, in, p, q, err));
    }
    if (p->data == PF_F_PACKET_CLOCK_SNAPSHOT) {
        return pf_times_snapshot(&in->times, p, &own, err);
    }
    if (p->has & PF_PACKET_NEEDS_STATE && !(q && q->valid)) {
        return PF_OK;
    }
    PF_TRY(pf_times_of(&in->times, p, q, &at->when, &at->ts, err));
    if (p->data == PF_F_PACKET_TRACK_EVENT) {
        PF_TRY(time_of_event(in, p, q, at, err));
    }
    if (at->when == PF_TIME_KNOWN) {
        cover(in, p, at->ts);
    }
    return PF_OK;
}

int64_t pf_merge_place(const merge_input *in, int64_t ts)
{
    const pf_merge_input *g = in->given;
    double drift = g->drift_ppb / 1e9;
    double late = g->drift_ppb == 0 ? 0 : ((double)ts - (double)g->at_ns) * (drift / (1 + drift));
    return (int64_t)((uint64_t)ts + (uint64_t)g->offset_ns - (uint64_t)llround(fmax(-4e18, fmin(4e18, late))));
}

/* What a clock of the result shows at a time of it: the reading that is converted to that time. */
static bool read_back(merge *m, uint32_t clock, int64_t ts, int64_t *value)
{
    *value = ts;
    if (m->input[0].rewritten) {
        return clock == PF_CLOCK_BOOTTIME;
    }
    for (int i = 0; i < 3; i++) {
        int64_t there;
        if (pf_clocks_convert(&m->input[0].times.all, (pf_clock_key){clock, 0}, *value, &there) != PF_CLOCK_OK) {
            return false;
        }
        *value = (int64_t)((uint64_t)*value + ((uint64_t)ts - (uint64_t)there));
    }
    return true;
}

bool pf_merge_lacks_real(const merge *m, const merge_input *in)
{
    const pf_clock_key real = {PF_CLOCK_REALTIME, 0};
    const merge_input *first = &m->input[0];
    bool alone = m->o->machines && in->space > 0;
    return in->rewritten && pf_clocks_knows(&in->times.all, real) &&
           (alone || first->rewritten || !pf_clocks_knows(&first->times.all, real));
}

int64_t pf_merge_place_clock(merge *m, merge_input *in, uint32_t clock, int64_t value)
{
    int64_t ts, back;
    if (!in->rewritten) {
        return value;
    }
    if (pf_clocks_convert(&in->times.all, (pf_clock_key){clock, 0}, value, &ts) != PF_CLOCK_OK) {
        ts = value;
    }
    if ((m->o->machines && in->space > 0) || (clock == PF_CLOCK_REALTIME && pf_merge_lacks_real(m, in))) {
        return pf_merge_place(in, ts); /* another machine has no snapshots: the engine takes readings for times */
    }
    return read_back(m, clock, pf_merge_place(in, ts), &back) ? back : value;
}

bool pf_merge_place_boot(merge *m, merge_input *in, uint32_t clock, int64_t value, int64_t *boot)
{
    int64_t ts;
    if (pf_clocks_convert(&in->times.all, (pf_clock_key){clock, 0}, value, &ts) != PF_CLOCK_OK) {
        return false;
    }
    *boot = pf_merge_place(in, ts);
    return (m->o->machines && in->space > 0) || read_back(m, PF_CLOCK_BOOTTIME, *boot, boot);
}
