/* read/perfetto/event/counter_values.c - numbers that events carry: counter values, extra values, thread clocks.
 *
 * Values are scaled and summed up in file order, because a sequence sends the values of incremental counters as
 * differences (docs/reference/perfetto.md, "Counters"). Samples are added in front of their event. Thread time and
 * instruction count come in two ways, as legacy fields or as extra values of counters with these names; either way they
 * also go to the columns of the slice (6.2), and the legacy fields to counter tracks of the thread.
 */
#include <string.h>

#include "read/perfetto/event/draft.h"

#include "base/str.h"
#include "read/perfetto/import/packet_times.h"

/* ---- thread clocks of the legacy fields -------------------------------------------------------------------------- */

/* Adds a difference to a reference of the sequence, or takes the absolute value; wraps as int64. */
static int64_t advance(bool has_delta, uint64_t delta, uint64_t absolute, int64_t *reference)
{
    if (!has_delta) {
        return (int64_t)absolute;
    }
    *reference = (int64_t)((uint64_t)*reference + delta);
    return *reference;
}

/* The fields of thread clocks, times in nanoseconds. */
typedef struct clock_fields {
    bool has_time_delta, has_time, has_count_delta, has_count;
    uint64_t time_delta, time, count_delta, instructions;
} clock_fields;

static void read_clock_field(clock_fields *c, const pf_field *f)
{
    switch (f->tag) {
    case PF_TAG_VARINT(PF_F_EVENT_THREAD_TIME_DELTA_US):
        c->has_time_delta = true;
        c->time_delta = f->value * 1000;
        break;
    case PF_TAG_VARINT(PF_F_EVENT_THREAD_TIME_ABSOLUTE_US):
        c->has_time = true;
        c->time = f->value * 1000;
        break;
    case PF_TAG_VARINT(PF_F_EVENT_THREAD_INSTRUCTION_COUNT_DELTA):
        c->has_count_delta = true;
        c->count_delta = f->value;
        break;
    case PF_TAG_VARINT(PF_F_EVENT_THREAD_INSTRUCTION_COUNT_ABSOLUTE):
        c->has_count = true;
        c->instructions = f->value;
        break;
    default:
        break;
    }
}

void pf_values_read_clocks(pf_draft *d, bool *dropped)
{
    clock_fields k = {0};
    pf_cursor c = pf_cursor_over(d->r->event, d->r->event_len);
    pf_field f;
    while (pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        read_clock_field(&k, &f);
    }
    if ((k.has_time_delta || k.has_count_delta) && !d->q->has_reference) {
        pf_draft_count(d, k.has_time_delta ? PF_STAT_THREAD_TIME_SKIPPED : PF_STAT_INSTRUCTIONS_SKIPPED);
        *dropped = true;
        return;
    }
    if (k.has_time_delta || k.has_time) {
        d->thread.ts = advance(k.has_time_delta, k.time_delta, k.time, &d->q->reference_thread_ts);
    }
    if (k.has_count_delta || k.has_count) {
        d->thread.instruction_count =
            advance(k.has_count_delta, k.count_delta, k.instructions, &d->q->reference_instructions);
    }
}

/* ---- counter values ---------------------------------------------------------------------------------------------- */

pf_status pf_values_scale(pf_import *im, pf_sequence *q, uint32_t state, double raw, double *value)
{
    const pf_uuid_track *s = &im->tracks.list[state];
    *value = pf_values_in_units(s, raw);
    if (s->incremental && !pf_sequence_add(&im->sequences, q, s->uuid, *value, value)) {
        return pf_budget_refused(&im->t->budget, 1u << 12, im->err);
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

/* ---- extra values ------------------------------------------------------------------------------------------------ */

/* One kind of extra values (int or double) of an event. */
typedef struct extra_kind {
    uint32_t values, uuids; /* field numbers */
    bool real;
    const pf_uuid_list *defaults; /* uuids of the sequence, where the event has none */
} extra_kind;

/* The event's own uuids, as far as they can matter; their full number. */
static uint32_t own_uuids(const pf_draft *d, uint32_t field, uint64_t own[PF_EXTRA_VALUES_MAX])
{
    pf_cursor c = pf_cursor_over(d->r->event, d->r->event_len);
    pf_field f;
    uint32_t count = 0;
    while (pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        if (f.tag == PF_TAG_VARINT(field)) {
            if (count < PF_EXTRA_VALUES_MAX) {
                own[count] = f.value;
            }
            count++;
        } else if (f.tag == PF_TAG_BYTES(field)) { /* packed */
            const uint8_t *p = f.bytes, *end = p + f.len;
            uint64_t uuid;
            while (p < end && (p = pf_varint(p, end, &uuid))) {
                if (count < PF_EXTRA_VALUES_MAX) {
                    own[count] = uuid;
                }
                count++;
            }
        }
    }
    return count;
}

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

/* Pairs the values of one kind with their uuids. */
static pf_status pair_extras(pf_draft *d, const extra_kind *k, pf_stat_id *fault)
{
    uint64_t own[PF_EXTRA_VALUES_MAX] = {0};
    uint32_t own_count = own_uuids(d, k->uuids, own);
    const uint64_t *uuids = own_count ? own : k->defaults->uuid;
    uint32_t uuid_count = own_count ? own_count : k->defaults->count, n = 0;
    pf_cursor c = pf_cursor_over(d->r->event, d->r->event_len);
    pf_field f;
    pf_status st = PF_OK;
    while (st == PF_OK && *fault == PF_STAT_COUNT && pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        bool packed = f.tag == PF_TAG_BYTES(k->values);
        if (!packed && f.tag != (k->real ? PF_TAG_FIXED64(k->values) : PF_TAG_VARINT(k->values))) {
            continue;
        }
        const uint8_t *p = f.bytes, *end = packed ? p + f.len : NULL;
        uint64_t bits = f.value;
        do {
            if (packed && k->real) {
                if (end - p < 8) {
                    break;
                }
                bits = pf_load64(p);
                p += 8;
            } else if (packed && !(p < end && (p = pf_varint(p, end, &bits)))) {
                break;
            }
            if (n >= uuid_count) {
                *fault = uuid_count ? PF_STAT_EXTRA_MISMATCH : PF_STAT_EXTRA_NO_TRACKS;
                break;
            }
            double raw = k->real ? pf_bits_to_double(bits) : (double)(int64_t)bits;
            st = add_extra(d, raw, n < PF_EXTRA_VALUES_MAX ? uuids[n] : 0, fault);
            n++;
        } while (packed && st == PF_OK && *fault == PF_STAT_COUNT);
    }
    return st;
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
    pf_status st = pair_extras(d, &ints, &fault);
    if (st == PF_OK && fault == PF_STAT_COUNT) {
        st = pair_extras(d, &doubles, &fault);
    }
    if (fault != PF_STAT_COUNT) {
        pf_draft_count(d, fault);
        *dropped = true;
    }
    return st;
}

/* ---- samples ----------------------------------------------------------------------------------------------------- */

pf_status pf_values_add_sample(pf_draft *d, uint32_t track, double value, uint32_t event)
{
    pf_import *im = d->im;
    if (!(im->t->want & PF_WANT_COUNTERS) || d->row.ts < 0 || d->row.phase & PF_PHASE_BAD_TS) {
        return PF_OK;
    }
    pf_status st = pf_trace_add_sample(im->t, d->row.ts, value, track, event, im->err);
    return st == PF_OK && d->at.when == PF_WHEN_LATER
               ? pf_import_defer(im, d->r, &d->at, PF_NONE, im->t->counters.count - 1)
               : st;
}

/* The legacy counter track of the thread for one of its clocks. */
static pf_status clock_track(pf_draft *d, bool instructions, uint32_t *track)
{
    pf_import *im = d->im;
    pf_trace *t = im->t;
    static const char *const names[] = {"thread_time", "thread_instruction_count"};
    uint64_t key = 2 * (uint64_t)d->utid + instructions;
    *track = pf_map_get(&im->legacy.clock_tracks, key);
    if (*track != PF_NONE) {
        return PF_OK;
    }
    const pf_track_row row = {
        .type = instructions ? PF_TRACK_THREAD_INSTRUCTIONS : PF_TRACK_THREAD_TIME,
        .name = pf_strings_add(&t->strings, names[instructions], strlen(names[instructions]), im->err),
        .upid = t->threads.upid[d->utid],
        .utid = d->utid,
        .parent = PF_NONE,
        .group = PF_NONE};
    *track = row.name == PF_NONE ? PF_NONE : pf_trace_add_track(t, &row, im->err);
    if (*track == PF_NONE) {
        return im->err->code;
    }
    return pf_map_set(&im->legacy.clock_tracks, key, *track) ? PF_OK : pf_budget_refused(&t->budget, 1u << 12, im->err);
}

static pf_status add_clock_sample(pf_draft *d, bool instructions, int64_t value)
{
    uint32_t track = PF_NONE;
    if (value == INT64_MIN) {
        return PF_OK;
    }
    pf_status st = clock_track(d, instructions, &track);
    return st == PF_OK ? pf_values_add_sample(d, track, (double)value, PF_NONE) : st;
}

pf_status pf_values_add_samples(pf_draft *d)
{
    pf_status st = PF_OK;
    if (d->utid != PF_NONE && d->r->has & PF_HAS_DELTAS) {
        st = add_clock_sample(d, false, d->thread.ts);
        st = st == PF_OK ? add_clock_sample(d, true, d->thread.instruction_count) : st;
    }
    for (uint32_t i = 0; d->extra && i < d->extra->count && st == PF_OK; i++) {
        uint32_t track = pf_uuid_track_row(&d->im->tracks, d->extra->state[i], d->im->err);
        st = track == PF_NONE ? d->im->err->code : pf_values_add_sample(d, track, d->extra->value[i], PF_NONE);
        take_clock(d, d->extra->state[i], d->extra->value[i]);
    }
    return st;
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
