/* edit/merge/merge_rows.c - plain TrackEvents, without a walk along the roles of their fields.
 *
 * A row (perfetto/decode) is a packet whose fields are known: its time, its sequence, its track, at most one flow. What
 * they become is looked up once for all rows of a place, and holds until a packet comes that is more than an event.
 * Whatever is not as in most packets (a process that the service vouches for, a mark of a cut) leaves the row as it is,
 * and its packet goes the long way of inventory.c and rewrite.c. Both ways make the same result.
 */
#include <string.h>

#include "edit/merge/merge.h"

#include "perfetto/fields.h"

#define CUT_MARK "cut."
#define SIZE_MOST 0x3000u /* of a packet here, whose length takes two bytes at most, changed or not */
#define GROWS 64u         /* more bytes that a changed packet has at most */

enum {
    AT_TIME = PF_TAG_VARINT(PF_F_PACKET_TIMESTAMP),
    AT_SEQUENCE = PF_TAG_VARINT(PF_F_PACKET_SEQUENCE_ID),
    AT_FLAGS = PF_TAG_VARINT(PF_F_PACKET_SEQUENCE_FLAGS),
    AT_EVENT = PF_TAG_BYTES(PF_F_PACKET_TRACK_EVENT),
    ONE_FLOW = PF_ROW_ONE_FLOW | PF_ROW_ONE_END
};

/* What a place stands for, and what its ids become. */
typedef struct merge_place {
    pf_clock_known clock;
    uint32_t turn; /* of the input, in which this was found out */
    bool known;
    uint64_t sequence, uuid; /* uuid: of events that say one */
} merge_place;

typedef struct merge_known {
    merge_place place[PF_ROW_PLACES];
} merge_known;

static merge_place *place_of(const pf_rows *b, uint32_t row)
{
    return &((merge_known *)b->known)->place[b->place_of[row]];
}

/* Whether events on the track change nothing in what is known of tracks without a name. */
static bool is_listed(const merge_input *in, uint64_t uuid)
{
    uint32_t at = pf_map_get(&in->tracks, uuid);
    return at == MERGE_NAMED || (at != PF_NONE && in->nameless[at].used);
}

/* Looks up a place, whose ids are noted if the pass lists them. Nothing is known if anything is out of the ordinary. */
static pf_status look_up(merge *m, merge_input *in, const pf_row_place *p, bool copies, merge_place *k, pf_error *err)
{
    const merge_space *s = &m->space[in->space];
    const pf_sequence *q = pf_sequence_find(&in->sequences, p->sequence);
    uint32_t own = p->clock & PF_PLACE_CLOCK;
    uint64_t uuid = p->clock & PF_PLACE_HAS_UUID ? p->uuid : q ? q->track_uuid : 0;
    *k = (merge_place){.turn = in->turn, .clock = pf_clock_identity()};
    if (!q || !uuid || (p->clock & PF_PLACE_NEEDS_STATE && !q->valid) || !(copies || is_listed(in, uuid))) {
        return PF_OK;
    }
    uint32_t id = own ? own : q->clock_id ? q->clock_id : in->times.now.default_id;
    bool of_sequence = id >= PF_CLOCK_SEQUENCE_FIRST && id <= PF_CLOCK_SEQUENCE_LAST;
    k->known = id == 0 || pf_clocks_last(&in->times.now, (pf_clock_key){id, of_sequence ? p->sequence : 0}, &k->clock);
    if (copies) {
        k->sequence = pf_merge_id(s, MERGE_SEQUENCES, p->sequence);
        k->uuid = pf_merge_id(s, MERGE_TRACKS, p->uuid);
        return PF_OK;
    }
    PF_TRY(p->sequence ? pf_merge_note_id(m, in, MERGE_SEQUENCES, p->sequence, err) : PF_OK);
    return p->clock & PF_PLACE_HAS_UUID ? pf_merge_note_id(m, in, MERGE_TRACKS, uuid, err) : PF_OK;
}

/* The next row, and its time; false: it has to go the long way. */
static pf_status take_row(merge *m, merge_input *in, const pf_rows *b, uint32_t i, bool copies, int64_t *ts,
                          bool *taken, pf_error *err)
{
    uint32_t what = b->where[i].what;
    merge_place *k = place_of(b, i);
    *taken = what & PF_ROW_TYPE && (!(what & PF_ROW_HAS_FLOWS) || what & ONE_FLOW);
    if (*taken && k->turn != in->turn) {
        PF_TRY(look_up(m, in, &b->place[b->place_of[i]], copies, k, err));
    }
    *taken = *taken && k->known && pf_clock_peek_known(&k->clock, b->timestamp[i], ts) && *ts >= 0;
    k->turn -= !*taken; /* there may be more to find out after it */
    return PF_OK;
}

static uint32_t size_of_varint(uint64_t v)
{
    return (63 - (uint32_t)__builtin_clzll(v | 1)) / 7 + 1;
}

/* Whether a packet has no more fields than its row says. */
static bool is_plain(const pf_rows *b, uint32_t i)
{
    const pf_row_where *w = &b->where[i];
    const pf_row_place *p = &b->place[b->place_of[i]];
    uint32_t size = pf_row_header(w) + 1 + size_of_varint(w->event_len) + w->event_len + 1 +
                    size_of_varint(b->timestamp[i]) + 1 + size_of_varint(p->sequence) +
                    (p->clock & PF_PLACE_NEEDS_STATE ? 2 : 0) + (p->clock & PF_PLACE_CLOCK ? 3 : 0);
    return size == w->size;
}

static void widen(merge_range *r, uint64_t id)
{
    r->least = !r->seen || id < r->least ? id : r->least;
    r->most = !r->seen || id > r->most ? id : r->most;
    r->seen = true;
}

static pf_status list_rows(merge *m, merge_input *in, const pf_rows *b, pf_rows_at *at, pf_error *err)
{
    int64_t first = INT64_MAX, last = INT64_MIN, ts;
    uint32_t from = at->row;
    for (bool taken = true; at->row < b->count; at->row++) {
        uint32_t i = at->row, what = b->where[i].what;
        PF_TRY(take_row(m, in, b, i, false, &ts, &taken, err));
        if (!taken || !is_plain(b, i)) {
            break;
        }
        if (what & PF_ROW_HAS_FLOWS) {
            widen(&m->space[in->number].range[MERGE_FLOWS], b->value[at->value]);
        }
        pf_clock_run_known(&place_of(b, i)->clock, ts);
        at->value += (what & PF_ROW_HAS_VALUE) != 0;
        first = ts < first ? ts : first;
        last = ts > last ? ts : last;
    }
    if (at->row > from) {
        in->first = !in->timed || first < in->first ? first : in->first;
        in->first_event = !in->has_events || first < in->first_event ? first : in->first_event;
        in->last_event = !in->has_events || last > in->last_event ? last : in->last_event;
        in->timed = in->has_events = true;
    }
    return PF_OK;
}

/* A row in hand. */
typedef struct row {
    const merge_space *space;
    const merge_place *place;
    const uint8_t *from, *end; /* its packet's content */
    int64_t ts;
    bool has_uuid, has_flow;
    bool changed;
} row;

/* A message was written after a byte for its length; returns its end, which moves where that takes two. */
static uint8_t *end_message(uint8_t *length, uint8_t *end)
{
    size_t len = (size_t)(end - length - 1);
    if (len >= 0x80) {
        memmove(length + 2, length + 1, len);
        end++;
    }
    pf_store_varint(length, len);
    return end;
}

/* The event from p on, after its tag; NULL: it is out of the ordinary. */
static uint8_t *put_event(row *r, uint8_t *out, const uint8_t *p, const uint8_t *end)
{
    uint8_t *length = out++;
    while (p < end) {
        const uint8_t *from = p;
        uint64_t tag, id;
        p = pf_varint_slop(p, &tag);
        const uint8_t *value = p;
        p = p ? pf_skip_value(p, end, tag) : NULL;
        if (!p || p > end) {
            return NULL;
        }
        size_t copied = (size_t)(p - from);
        memcpy(out, from, copied);
        if (tag == PF_TAG_VARINT(PF_F_EVENT_TRACK_UUID) && pf_varint_slop(value, &id)) {
            copied = (size_t)(pf_store_varint(out + 1, r->place->uuid) - out);
            r->changed |= id != r->place->uuid;
        } else if (tag == PF_TAG_FIXED64(PF_F_EVENT_FLOW_IDS) ||
                   tag == PF_TAG_FIXED64(PF_F_EVENT_TERMINATING_FLOW_IDS)) {
            id = pf_merge_ranged(r->space, MERGE_FLOWS, pf_load64(value));
            memcpy(out + copied - sizeof id, &id, sizeof id);
            r->changed |= id != pf_load64(value);
        }
        out += copied;
    }
    return end_message(length, out);
}

/* A field with a number, which becomes `to`. */
static uint8_t *put_number(row *r, uint8_t *out, uint8_t tag, uint64_t from, uint64_t to)
{
    r->changed |= from != to;
    *out = tag;
    return pf_store_varint(out + 1, to);
}

/* The fields of the packet, changed; NULL: it has one that is out of the ordinary. */
static uint8_t *put_fields(row *r, uint8_t *out)
{
    bool walks = r->has_uuid || (r->has_flow && r->space->range[MERGE_FLOWS].add);
    uint64_t v;
    for (const uint8_t *p = r->from, *from = p; p < r->end; from = p) {
        uint8_t tag = *p;
        bool clock = tag == (uint8_t)(PF_TAG_VARINT(PF_F_PACKET_TIMESTAMP_CLOCK_ID) | 0x80) &&
                     p[1] == PF_TAG_VARINT(PF_F_PACKET_TIMESTAMP_CLOCK_ID) >> 7;
        p = pf_varint_slop(p + 1 + clock, &v);
        if (!p) {
            return NULL;
        }
        if (clock) {
            r->changed = true;
        } else if (tag == AT_TIME) {
            out = put_number(r, out, tag, v, (uint64_t)r->ts);
        } else if (tag == AT_SEQUENCE) {
            out = put_number(r, out, tag, v, r->place->sequence);
        } else if (tag == AT_FLAGS) {
            out = put_number(r, out, tag, v, v);
        } else if (tag != AT_EVENT) {
            return NULL;
        } else if (walks) {
            *out++ = tag;
            out = put_event(r, out, p, p + v);
            p += v;
        } else {
            p += v;
            memcpy(out, from, (size_t)(p - from));
            out += p - from;
        }
        if (!out) {
            return NULL;
        }
    }
    return out;
}

/* The packet of row i with its new time and ids, among those to be written. False: it goes the long way. */
static bool change_row(merge *m, merge_input *in, const pf_rows *b, uint32_t i, int64_t ts)
{
    const pf_row_where *w = &b->where[i];
    const merge_space *s = &m->space[in->space];
    const merge_place *k = place_of(b, i);
    const uint8_t *whole = b->bytes + b->at[i];
    uint64_t uuid = b->place[b->place_of[i]].uuid;
    row r = {.space = s,
             .place = k,
             .from = whole + pf_row_header(w),
             .end = whole + w->size,
             .ts = pf_merge_place(in, ts),
             .has_uuid = b->place[b->place_of[i]].clock & PF_PLACE_HAS_UUID && k->uuid != uuid,
             .has_flow = w->what & PF_ROW_HAS_FLOWS};
    uint8_t *start = w->size < SIZE_MOST ? (uint8_t *)pf_buffer_room(&m->rows, w->size + GROWS) : NULL;
    uint8_t *out = start ? put_fields(&r, start + 2) : NULL;
    if (!out) {
        return false;
    }
    if (m->named_clock) {
        r.changed = true;
        out = pf_store_varint(out, PF_TAG_VARINT(PF_F_PACKET_TIMESTAMP_CLOCK_ID));
        out = pf_store_varint(out, m->named_clock);
    }
    *start = PF_TAG_BYTES(PF_F_TRACE_PACKET);
    m->rows.len += (size_t)(end_message(start + 1, out) - start);
    m->result->changed += r.changed;
    return true;
}

/* The packet as it is. */
static bool copy_row(merge *m, const pf_rows *b, uint32_t i)
{
    pf_buffer_put(&m->rows, b->bytes + b->at[i], b->where[i].size);
    return !m->rows.failed;
}

/* Whether the event may have a mark of a cut, which is taken out or joined. */
static bool may_be_marked(const merge *m, const merge_input *in, const pf_rows *b, uint32_t i)
{
    const pf_row_where *w = &b->where[i];
    return m->space[in->space].parts > 1 && w->what & PF_ROW_HAS_ARGS &&
           memmem(b->bytes + b->at[i] + w->event, w->event_len, CUT_MARK, sizeof CUT_MARK - 1);
}

static pf_status copy_rows(merge *m, merge_input *in, const pf_rows *b, pf_rows_at *at, pf_error *err)
{
    uint32_t from = at->row;
    int64_t ts;
    bool changes = in->rewritten || in->space > 0, taken = in->carry_count == 0 && !(m->o->machines && in->space > 0);
    m->rows.len = 0;
    for (; taken && at->row < b->count; at->row += taken) {
        uint32_t i = at->row;
        PF_TRY(take_row(m, in, b, i, true, &ts, &taken, err));
        taken = taken && !may_be_marked(m, in, b, i) && (changes ? change_row(m, in, b, i, ts) : copy_row(m, b, i));
        if (taken) {
            pf_clock_run_known(&place_of(b, i)->clock, ts);
            at->value += (b->where[i].what & PF_ROW_HAS_VALUE) != 0;
        }
    }
    m->result->packets += at->row - from;
    m->result->bytes += m->rows.len;
    return m->rows.len ? pf_sink_put(&m->sink, m->rows.data, m->rows.len) : PF_OK;
}

pf_status pf_merge_rows(merge *m, merge_input *in, pf_rows *b, pf_rows_at *at, bool copies, pf_error *err)
{
    if (!b->known) {
        b->known = pf_alloc_zero(b->budget, 1, sizeof(merge_known));
        b->known_bytes = b->known ? sizeof(merge_known) : 0;
    }
    if (!b->known) {
        return pf_budget_refused(b->budget, sizeof(merge_known), err);
    }
    in->turn += at->row == 0 && b->renewed;
    return copies ? copy_rows(m, in, b, at, err) : list_rows(m, in, b, at, err);
}
