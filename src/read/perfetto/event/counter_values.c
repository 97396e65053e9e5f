/* read/perfetto/event/counter_values.c - numbers that events carry: counter values, extra values, thread clocks.
 *
 * Values are scaled and summed up in file order, because a sequence sends the values of incremental counters as
 * differences (docs/reference/perfetto.md, "Counters"). Samples are added in front of their event. Thread time and
 * instruction count come in two ways, as legacy fields or as extra values of counters with these names; either way they
 * also go to the columns of the slice (6.2), and the legacy fields to counter tracks of the thread.
 */
#include "base/str.h"
#include "read/perfetto/event/draft.h"

/* A clock from two fields in multiples of `unit`: the difference to a reference of the sequence if there is one, else
 * the absolute value; it wraps as int64. INT64_MIN where both are absent. */
static int64_t read_clock(const pf_field *difference, const pf_field *absolute, uint64_t unit, int64_t *reference)
{
    if (!difference->tag) {
        return absolute->tag ? (int64_t)(absolute->value * unit) : INT64_MIN;
    }
    *reference = (int64_t)((uint64_t)*reference + difference->value * unit);
    return *reference;
}

void pf_values_read_clocks(pf_draft *d, bool *dropped)
{
    PF_CURSOR_FIELDS(f, pf_cursor_over(d->r->event, d->r->event_len), PF_AT_VARINT(PF_F_EVENT_THREAD_TIME_DELTA_US),
                     PF_AT_VARINT(PF_F_EVENT_THREAD_TIME_ABSOLUTE_US),
                     PF_AT_VARINT(PF_F_EVENT_THREAD_INSTRUCTION_COUNT_DELTA),
                     PF_AT_VARINT(PF_F_EVENT_THREAD_INSTRUCTION_COUNT_ABSOLUTE));
    const pf_field *time = &f[PF_F_EVENT_THREAD_TIME_DELTA_US];
    const pf_field *count = &f[PF_F_EVENT_THREAD_INSTRUCTION_COUNT_DELTA];
    if ((time->tag || count->tag) && !d->q->has_reference) {
        pf_draft_count(d, time->tag ? PF_STAT_THREAD_TIME_SKIPPED : PF_STAT_INSTRUCTIONS_SKIPPED);
        *dropped = true;
        return;
    }
    d->thread.ts = read_clock(time, &f[PF_F_EVENT_THREAD_TIME_ABSOLUTE_US], 1000, &d->q->reference_thread_ts);
    d->thread.instruction_count =
        read_clock(count, &f[PF_F_EVENT_THREAD_INSTRUCTION_COUNT_ABSOLUTE], 1, &d->q->reference_instructions);
}

pf_status pf_values_scale(pf_import *im, pf_sequence *q, uint32_t state, double raw, double *value)
{
    const pf_uuid_track *s = &im->tracks.list[state];
    *value = pf_values_in_units(s, raw);
    if (s->incremental && !pf_sequence_add(&im->sequences, q, s->uuid, *value, value)) {
        return pf_import_refuse(im, 1u << 12);
    }
    return PF_OK;
}

/* The state of a counter's uuid, which must have been described; PF_NONE if there is none. */
static uint32_t find_counter(const pf_draft *d, uint64_t uuid)
{
    uint32_t state = pf_map_get(&d->im->tracks.by_uuid, uuid);
    const pf_uuid_track *s = state == PF_NONE ? NULL : &d->im->tracks.list[state];
    return s && s->described && s->content == PF_CONTENT_COUNTER ? state : PF_NONE;
}

pf_status pf_values_read_counter(pf_draft *d, bool *dropped)
{
    const pf_record *r = d->r;
    uint64_t uuid = r->has & PF_HAS_UUID ? r->track_uuid : d->q->track_uuid;
    pf_stat_id fault = uuid == 0 && !(r->has & PF_HAS_UUID)       ? PF_STAT_COUNTER_NO_TRACK
                       : !(r->has & (PF_HAS_INT | PF_HAS_DOUBLE)) ? PF_STAT_COUNTER_NO_VALUE
                                                                  : PF_STAT_COUNT;
    if (fault == PF_STAT_COUNT) {
        uint32_t state = find_counter(d, uuid);
        if (state != PF_NONE) {
            double raw = r->has & PF_HAS_INT ? (double)(int64_t)r->value : pf_bits_to_double(r->value);
            d->has_value = true;
            return pf_values_scale(d->im, d->q, state, raw, &d->value);
        }
        fault = PF_STAT_COUNTER_BAD_TRACK;
    }
    pf_draft_count(d, fault);
    *dropped = true;
    return PF_OK;
}

/* One kind of extra values (int or double) of an event. */
typedef struct extra_kind {
    uint32_t values, uuids; /* field numbers */
    bool real;
    const pf_uuid_list *defaults; /* uuids of the sequence, where the event has none */
} extra_kind;

/* Adds a value that belongs to the counter `uuid`. *fault is what is wrong with it, if anything is. */
static pf_status add_extra(pf_draft *d, double raw, uint64_t uuid, pf_stat_id *fault)
{
    pf_extras *e = d->extra;
    if (e->count == PF_EXTRA_VALUES_MAX) {
        *fault = PF_STAT_EXTRA_TOO_MANY;
        return PF_OK;
    }
    uint32_t state = find_counter(d, uuid);
    if (state == PF_NONE) {
        *fault = PF_STAT_EXTRA_BAD_TRACK;
        return PF_OK;
    }
    e->state[e->count] = state;
    pf_status st = pf_values_scale(d->im, d->q, state, raw, &e->value[e->count]);
    e->count++;
    return st;
}

/* Pairs the values of one kind with their uuids: the event's own, as far as they can matter, or those of the sequence.
 */
static pf_status pair_extras(pf_draft *d, const extra_kind *k, pf_stat_id *fault)
{
    const pf_cursor event = pf_cursor_over(d->r->event, d->r->event_len);
    pf_numbers uuids = pf_numbers_of(event, k->uuids, false), values = pf_numbers_of(event, k->values, k->real);
    uint64_t own[PF_EXTRA_VALUES_MAX] = {0}, uuid, bits;
    uint32_t own_count = 0;
    while (pf_numbers_next(&uuids, &uuid)) {
        if (own_count < PF_EXTRA_VALUES_MAX) {
            own[own_count] = uuid;
        }
        own_count++;
    }
    const uint64_t *uuid_of = own_count ? own : k->defaults->uuid;
    uint32_t uuid_count = own_count ? own_count : k->defaults->count;
    for (uint32_t n = 0; *fault == PF_STAT_COUNT && pf_numbers_next(&values, &bits); n++) {
        if (n >= uuid_count) {
            *fault = uuid_count ? PF_STAT_EXTRA_MISMATCH : PF_STAT_EXTRA_NO_TRACKS;
            return PF_OK;
        }
        double raw = k->real ? pf_bits_to_double(bits) : (double)(int64_t)bits;
        PF_TRY(add_extra(d, raw, n < PF_EXTRA_VALUES_MAX ? uuid_of[n] : 0, fault));
    }
    return PF_OK;
}

/* Counters with the names of the thread clocks set these. */
static void take_clock(pf_draft *d, uint32_t state, double value)
{
    const pf_uuid_track *s = &d->im->tracks.list[state];
    const pf_str name = pf_strings_get(&d->im->t->strings, s->name);
    bool unnamed = !name.ptr;
    if (!(value >= -0x1p63 && value < 0x1p63)) {
        return;
    }
    if (unnamed ? s->counter_type == PF_COUNTER_THREAD_TIME_NS : pf_str_is(name, "thread_time")) {
        d->thread.ts = (int64_t)value;
    } else if (unnamed ? s->counter_type == PF_COUNTER_THREAD_INSTRUCTION_COUNT
                       : pf_str_is(name, "thread_instruction_count")) {
        d->thread.instruction_count = (int64_t)value;
    }
}

pf_status pf_values_read_extras(pf_draft *d, bool *dropped)
{
    const extra_kind ints = {PF_F_EVENT_EXTRA_COUNTER_VALUES, PF_F_EVENT_EXTRA_COUNTER_TRACK_UUIDS, false,
                             &d->q->extra_uuids};
    const extra_kind doubles = {PF_F_EVENT_EXTRA_DOUBLE_COUNTER_VALUES, PF_F_EVENT_EXTRA_DOUBLE_COUNTER_TRACK_UUIDS,
                                true, &d->q->extra_double_uuids};
    pf_stat_id fault = PF_STAT_COUNT;
    d->extra->count = 0;
    PF_TRY(pair_extras(d, &ints, &fault));
    if (fault == PF_STAT_COUNT) {
        PF_TRY(pair_extras(d, &doubles, &fault));
    }
    if (fault != PF_STAT_COUNT) {
        pf_draft_count(d, fault);
        *dropped = true;
    }
    return PF_OK;
}

pf_status pf_values_add_sample(pf_draft *d, uint32_t track, double value, uint32_t event)
{
    pf_import *im = d->im;
    if (!(im->t->want & PF_WANT_COUNTERS) || d->row.ts < 0 || d->row.phase & PF_PHASE_BAD_TS) {
        return PF_OK;
    }
    PF_TRY(pf_trace_add_sample(im->t, d->row.ts, value, track, event, im->err));
    return d->at.when == PF_WHEN_LATER ? pf_import_defer(im, d->r, &d->at, PF_NONE, im->t->counters.count - 1) : PF_OK;
}

/* A sample on the legacy counter track of the thread for one of its clocks, which is made on first use. */
static pf_status add_clock_sample(pf_draft *d, bool instructions, int64_t value)
{
    pf_import *im = d->im;
    uint64_t key = 2 * (uint64_t)d->utid + instructions;
    uint32_t track = pf_map_get(&im->legacy.clock_tracks, key);
    if (value == INT64_MIN) {
        return PF_OK;
    }
    if (track == PF_NONE) {
        uint32_t name = pf_import_word(im, instructions ? "thread_instruction_count" : "thread_time");
        track = pf_import_track(im, instructions ? PF_TRACK_THREAD_INSTRUCTIONS : PF_TRACK_THREAD_TIME, name,
                                im->t->threads.upid[d->utid]);
        pf_import_put(im, &im->legacy.clock_tracks, key, track);
        if (pf_import_failed(im)) {
            return im->err->code;
        }
        im->t->tracks.utid[track] = d->utid;
    }
    return pf_values_add_sample(d, track, (double)value, PF_NONE);
}

pf_status pf_values_add_samples(pf_draft *d)
{
    if (d->utid != PF_NONE && d->r->has & PF_HAS_DELTAS) {
        PF_TRY(add_clock_sample(d, false, d->thread.ts));
        PF_TRY(add_clock_sample(d, true, d->thread.instruction_count));
    }
    for (uint32_t i = 0; d->extra && i < d->extra->count; i++) {
        uint32_t track = pf_uuid_track_row(&d->im->tracks, d->extra->state[i]);
        if (track == PF_NONE) {
            return d->im->err->code;
        }
        PF_TRY(pf_values_add_sample(d, track, d->extra->value[i], PF_NONE));
        take_clock(d, d->extra->state[i], d->extra->value[i]);
    }
    return PF_OK;
}

pf_status pf_values_add_thread_time(pf_draft *d)
{
    pf_thread_time time = d->thread;
    const pf_legacy *l = d->legacy;
    bool has_ts = time.ts != INT64_MIN, has_count = time.instruction_count != INT64_MIN;
    uint8_t phase = d->row.phase;
    if ((phase != 'B' && phase != 'E' && phase != 'X' && phase != 'i') || (d->utid == PF_NONE && d->scope_known)) {
        return PF_OK;
    }
    if (phase == 'i') { /* nothing passes in an instant */
        time.dur = has_ts ? 0 : INT64_MIN;
        time.instruction_delta = has_count ? 0 : INT64_MIN;
    } else if (phase == 'X') {
        time.dur = has_ts ? (int64_t)((uint64_t)l->thread_duration_us * 1000) : INT64_MIN;
        time.instruction_delta = has_count ? l->instruction_delta : INT64_MIN;
    } else if (phase == 'E') {
        time.instruction_delta = 0;
    }
    return pf_trace_add_thread_time(d->im->t, &time, d->im->err);
}
