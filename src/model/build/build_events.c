/* model/build/build_events.c - events of a trace that is built: they are gathered in b->next until the next one begins
 * (builder.h). */

#include "model/build/builder.h"
#include "model/trace/json_notes.h"

static void put_flows(pf_builder *b)
{
    const pf_build_flow_ref *refs = (const void *)b->flows.data;
    for (size_t i = 0; i < b->flows.len / sizeof *refs && b->error.code == PF_OK; i++) {
        pf_trace_add_event_flow(b->t, refs[i].id, refs[i].kind, &b->error);
    }
}

void pf_builder_commit(pf_builder *b)
{
    pf_build_next *n = &b->next;
    if (!n->any) {
        return;
    }
    n->any = false;
    if (!pf_builder_open(b) || pf_trace_add_event(b->t, &n->event, &b->error) != PF_OK) {
        return;
    }
    if (b->args.len) {
        pf_trace_add_args(b->t, (const uint8_t *)b->args.data, b->args.len, b->decoder, 0, true, &b->error);
    }
    if (n->copied != PF_NONE && b->error.code == PF_OK) {
        pf_builder_copy_rest(b, n->copied, &n->event);
    }
    if (b->flows.len) {
        put_flows(b);
    }
}

uint32_t pf_builder_begin(pf_builder *b, const pf_event *e)
{
    pf_builder_commit(b);
    if (!pf_builder_open(b)) {
        return PF_NONE;
    }
    b->next = (pf_build_next){.any = true, .event = *e, .copied = PF_NONE, .counter = PF_NONE};
    b->args.len = 0;
    b->flows.len = 0;
    return b->t->events.count;
}

/* Whether slices or, with `counter`, samples can be on the track. */
static bool check_track(pf_builder *b, uint32_t track, bool counter)
{
    if (!pf_builder_open(b)) {
        return false;
    }
    if (track >= b->t->tracks.count) {
        pf_builder_fail(b, "something is on track %u; there are %u tracks", track, b->t->tracks.count);
    } else if (pf_track_type_is_counter(b->t->tracks.type[track]) != counter) {
        pf_builder_fail(b,
                        counter ? "a sample is on track %u, which is not a counter"
                                : "an event is on track %u, which is a counter; counters have samples",
                        track);
    }
    return b->error.code == PF_OK;
}

static bool check_length(pf_builder *b, int64_t ts, int64_t dur)
{
    if (dur < 0 || (ts > 0 && dur > INT64_MAX - ts)) {
        pf_builder_fail(b, "a slice at %lld has the duration %lld, which is negative or too long", (long long)ts,
                        (long long)dur);
    }
    return b->error.code == PF_OK;
}

static uint32_t add(pf_builder *b, uint8_t phase, uint32_t track, int64_t ts, int64_t dur, pf_str name)
{
    pf_event e = {.phase = phase, .track = track, .ts = ts, .dur = dur, .name = pf_builder_name(b, name)};
    return check_track(b, track, false) ? pf_builder_begin(b, &e) : PF_NONE;
}

uint32_t pf_build_slice(pf_builder *b, uint32_t track, int64_t ts, int64_t dur, pf_str name)
{
    return pf_builder_open(b) && check_length(b, ts, dur) ? add(b, 'X', track, ts, dur, name) : PF_NONE;
}

uint32_t pf_build_begin(pf_builder *b, uint32_t track, int64_t ts, pf_str name)
{
    return add(b, 'B', track, ts, 0, name);
}

uint32_t pf_build_end(pf_builder *b, uint32_t track, int64_t ts)
{
    return add(b, 'E', track, ts, 0, (pf_str){NULL, 0});
}

uint32_t pf_build_instant(pf_builder *b, uint32_t track, int64_t ts, pf_str name)
{
    return add(b, 'i', track, ts, 0, name);
}

void pf_build_sample(pf_builder *b, uint32_t track, int64_t ts, double value)
{
    pf_builder_commit(b);
    if (check_track(b, track, true)) {
        pf_trace_add_sample(b->t, ts, value, track, PF_NONE, &b->error);
    }
}

/* Whether there is an event to say something about. */
static bool has_event(pf_builder *b)
{
    if (pf_builder_open(b) && !b->next.any) {
        pf_builder_fail(b, "something is said about an event, but none was added before it");
    }
    return pf_builder_open(b);
}

static void change(pf_builder *b, pf_member member)
{
    b->next.changed |= 1u << member;
}

void pf_build_category(pf_builder *b, pf_str category)
{
    uint32_t id = pf_builder_name(b, category);
    if (has_event(b)) {
        b->next.event.category = id;
        change(b, PF_MEMBER_CATEGORY);
    }
}

void pf_build_flow(pf_builder *b, uint64_t id, bool last)
{
    if (has_event(b)) {
        const pf_build_flow_ref ref = {id, last ? PF_FLOW_TERMINATE : PF_FLOW_FLOW};
        pf_buffer_put(&b->flows, &ref, sizeof ref);
        if (b->flows.failed) {
            pf_no_memory(&b->error);
        }
    }
}

void pf_build_set_ts(pf_builder *b, int64_t ts)
{
    if (has_event(b) &&
        (b->next.event.phase != 'X' || b->next.event.dur < 0 || check_length(b, ts, b->next.event.dur))) {
        b->next.event.ts = ts;
        b->next.event.phase &= (uint8_t)~PF_PHASE_BAD_TS;
        change(b, PF_MEMBER_TS);
    }
}

void pf_build_set_dur(pf_builder *b, int64_t dur)
{
    if (!has_event(b) || !check_length(b, b->next.event.ts, dur)) {
        return;
    }
    if (b->next.event.phase != 'X') {
        pf_builder_fail(b, "a duration is given to an event that is not a whole slice; move its end instead");
        return;
    }
    b->next.event.dur = dur;
    change(b, PF_MEMBER_DUR);
}

void pf_build_set_name(pf_builder *b, pf_str name)
{
    uint32_t id = pf_builder_name(b, name);
    if (has_event(b)) {
        b->next.event.name = id;
        change(b, PF_MEMBER_NAME);
    }
}

void pf_build_set_track(pf_builder *b, uint32_t track)
{
    if (!has_event(b)) {
        return;
    }
    bool sampled = (b->next.event.phase & ~PF_PHASE_BAD_TS) == 'C';
    if (!check_track(b, track, sampled)) {
        return;
    }
    if (sampled) {
        b->next.counter = track;
    }
    if (!sampled || pf_track_type_is_counter(b->t->tracks.type[b->next.event.track])) {
        b->next.event.track = track;
    }
    change(b, PF_MEMBER_PID);
    change(b, PF_MEMBER_TID);
    change(b, PF_MEMBER_ID);
    change(b, PF_MEMBER_SCOPE);
}

void pf_build_drop_flows(pf_builder *b)
{
    if (has_event(b)) {
        b->next.drops_flows = true;
        b->flows.len = 0;
    }
}

static bool check_source(pf_builder *b, uint32_t from, uint32_t to)
{
    if (pf_builder_open(b) && !b->source) {
        pf_builder_fail(b, "an event is to be copied, but the trace is not derived from another one");
    } else if (pf_builder_open(b) && (from > to || to > b->source->events.count)) {
        pf_builder_fail(b, "events %u to %u are to be copied; the source has %u", from, to, b->source->events.count);
    }
    return pf_builder_open(b);
}

static uint32_t copy(pf_builder *b, uint32_t row)
{
    const pf_events *s = &b->source->events.view;
    const pf_event e = {.phase = s->phase[row],
                        .ts = s->ts[row],
                        .dur = s->phase[row] == 'X' ? s->dur[row] : 0,
                        .name = s->name[row],
                        .category = s->category ? s->category[row] : 0,
                        .track = s->track[row]};
    uint32_t made = pf_builder_begin(b, &e);
    b->next.copied = row;
    return made;
}

uint32_t pf_build_copy_event(pf_builder *b, uint32_t row)
{
    return check_source(b, row, row < UINT32_MAX ? row + 1 : row) ? copy(b, row) : PF_NONE;
}

void pf_build_copy_events(pf_builder *b, uint32_t from, uint32_t to)
{
    bool good = check_source(b, from, to);
    for (uint32_t row = from; good && row < to && b->error.code == PF_OK; row++) {
        copy(b, row);
    }
}

void pf_build_copy_samples(pf_builder *b)
{
    pf_builder_commit(b);
    if (!check_source(b, 0, 0)) {
        return;
    }
    const pf_counters *k = &b->source->counters.view;
    for (uint32_t i = 0; i < k->count && b->error.code == PF_OK; i++) {
        if (k->event[i] == PF_NONE) {
            pf_trace_add_sample(b->t, k->ts[i], k->value[i], k->track[i], PF_NONE, &b->error);
        }
    }
}
