/* read/perfetto/usual.c - the usual TrackEvent, in a straight line.
 *
 * Nearly all packets of a large trace are begins, ends, instants and counter values on tracks and sequences that are
 * known, with names that were interned. For them every question of apply.c and event.c has an answer that is at hand: the
 * sequence, the uuid and the clock in tables of what was looked up last, the names in the dense arrays of their
 * generation. This file answers these questions and appends the row; on the first answer that is not at hand it steps
 * back, before anything has changed, and the packet goes the long way. Both ways give the same rows.
 */
#include "perfetto/fields.h"
#include "read/perfetto/draft.h"

/* Records are fetched this far ahead: another thread wrote them. */
#define AHEAD 6

/* The string id of an interned text; false if the long way has to look for it. */
static inline bool find_text(const pf_sequence *q, pf_intern_kind kind, uint64_t iid, uint32_t *id)
{
    *id = q->generation ? pf_intern_get_dense(q->generation, kind, iid) : PF_NONE;
    return *id != PF_NONE;
}

/* The sequence of the packet, if it may be used. */
static inline pf_sequence *find_sequence(pf_import *im, const pf_record *r)
{
    pf_sequence *q = pf_sequence_known(&im->sequences, r->sequence);
    bool usable = q && q->begun && !q->has_thread && (q->valid || !(r->sequence_flags & PF_SEQ_NEEDS_STATE));
    return usable ? q : NULL;
}

/* The track's row, PF_NONE if it is not at hand. */
static inline uint32_t find_track(const pf_import *im, const pf_record *r, const pf_sequence *q)
{
    uint64_t uuid = r->has & PF_HAS_UUID ? r->track_uuid : q->track_uuid;
    return uuid ? pf_uuid_track_known_row(&im->tracks, uuid) : PF_NONE;
}

/* The state of a counter's uuid, PF_NONE if it is none or the event has no value. */
static uint32_t find_counter(const pf_import *im, const pf_record *r, const pf_sequence *q)
{
    uint32_t state = pf_uuid_track_known(&im->tracks, r->has & PF_HAS_UUID ? r->track_uuid : q->track_uuid);
    const pf_uuid_track *s = &im->tracks.list[state];
    return s->described && s->content == PF_CONTENT_COUNTER && r->has & (PF_HAS_INT | PF_HAS_DOUBLE) ? state : PF_NONE;
}

static inline bool find_names(pf_import *im, const pf_record *r, const pf_sequence *q, pf_event *row)
{
    row->name = row->category = 0;
    if (r->has & PF_HAS_CATEGORY && !find_text(q, PF_INTERN_CATEGORY, r->category, &row->category)) {
        return false;
    }
    if (r->name_iid) {
        return find_text(q, PF_INTERN_EVENT_NAME, r->name_iid, &row->name);
    }
    if (r->has & PF_HAS_NAME) {
        row->name = pf_strings_add(&im->t->strings, (const char *)r->name, r->name_len, im->err);
    }
    return row->name != PF_NONE; /* out of memory: the long way will say so */
}

/* The last question, since a conversion may move the clock. */
static inline bool find_time(pf_import *im, const pf_record *r, const pf_sequence *q, int64_t *ts)
{
    uint32_t id = r->clock ? r->clock : q->clock_id ? q->clock_id : im->clocks.default_id;
    if (id == 0) {
        *ts = (int64_t)r->timestamp;
        return *ts >= 0;
    }
    bool of_sequence = id >= PF_CLOCK_SEQUENCE_FIRST && id <= PF_CLOCK_SEQUENCE_LAST;
    const pf_clock_key key = {id, of_sequence ? r->sequence : 0};
    return pf_clocks_convert_known(&im->clocks, key, (int64_t)r->timestamp, ts);
}

static pf_status add_counter(pf_import *im, const pf_record *r, pf_sequence *q, uint32_t state, const pf_event *given)
{
    const pf_event copy = *given, *row = &copy; /* the caller's stays in registers */
    double raw = r->has & PF_HAS_INT ? (double)(int64_t)r->value : pf_bits_to_double(r->value), value = 0;
    pf_status st = pf_values_scale(im, q, state, raw, &value);
    st = st == PF_OK ? pf_trace_add_event(im->t, row, im->err) : st;
    return st == PF_OK && im->t->want & PF_WANT_COUNTERS
               ? pf_trace_add_sample(im->t, row->ts, value, row->track, im->t->events.count - 1, im->err)
               : st;
}

/* What hangs on the row added last. */
static pf_status attach(pf_import *im, const pf_record *r, pf_sequence *q)
{
    uint32_t want = im->t->want;
    pf_status st = PF_OK;
    if (r->has & PF_HAS_ARGS && want & PF_WANT_ARGS) {
        st = im->span.stable && q->generation &&
                     pf_perfetto_args_fit(im->t, r->event, r->event_len, q->generation->number)
                 ? pf_trace_add_lasting_args(im->t, r->event, r->event_len, im->event_args, q->generation->number,
                                             im->err)
                 : pf_event_keep_args(im, r, q, PF_NONE);
    }
    if (st != PF_OK || !(r->has & PF_HAS_FLOWS) || r->type == PF_EVENT_COUNTER || !(want & PF_WANT_FLOWS)) {
        return st;
    }
    if (r->has & (PF_HAS_ONE_FLOW | PF_HAS_ONE_END)) {
        pf_flow_kind kind = r->has & PF_HAS_ONE_FLOW ? PF_FLOW_FLOW : PF_FLOW_TERMINATE;
        return pf_trace_add_event_flow(im->t, r->value, kind, im->err);
    }
    return pf_arrows_add_ids(im, r);
}

size_t pf_import_usual(pf_import *im, const pf_record *records, size_t count, pf_status *st)
{
    static const uint8_t phases[] = {0, 'B', 'E', 'i', 'C'};
    uint64_t bytes = 0;
    int64_t latest = im->latest_ts;
    size_t n = 0;
    *st = PF_OK;
    while (n < count && *st == PF_OK && records[n].kind == PF_RECORD_USUAL && im->machine == 0) {
        const pf_record *r = &records[n];
        uint32_t counter = PF_NONE;
        pf_event row = {0};
        __builtin_prefetch((const char *)(r + AHEAD));
        pf_sequence *q = find_sequence(im, r);
        row.track = q ? find_track(im, r, q) : PF_NONE;
        if (row.track != PF_NONE && r->type == PF_EVENT_COUNTER) {
            counter = find_counter(im, r, q);
            row.track = counter == PF_NONE ? PF_NONE : row.track;
        }
        if (row.track == PF_NONE || !find_names(im, r, q, &row) || !find_time(im, r, q, &row.ts)) {
            break;
        }
        n++;
        bytes += r->header + r->packet_len;
        latest = row.ts > latest ? row.ts : latest;
        if (__builtin_expect(r->type == PF_EVENT_COUNTER, 0)) {
            row.phase = 'C';
            *st = add_counter(im, r, q, counter, &row);
        } else {
            *st = pf_trace_add_point(im->t, row.ts, phases[r->type], row.name, row.category, row.track, im->err);
        }
        if (r->has & (PF_HAS_ARGS | PF_HAS_FLOWS) && *st == PF_OK) {
            *st = attach(im, r, q);
        }
    }
    im->latest_ts = latest;
    im->inventory.packets[PF_F_PACKET_TRACK_EVENT] += n;
    im->inventory.bytes[PF_F_PACKET_TRACK_EVENT] += bytes;
    return n;
}
