/* read/perfetto/usual.c - usual TrackEvents, in a straight line.
 *
 * Rows of usual events refer to the places and labels of their batch. What those stand for (sequence, track and clock;
 * strings) is looked up when the first row comes by, and holds until the lists begin anew or a packet comes that is more
 * than an event: only such packets change what was found. All that is left to do for a row is its time and to
 * append it; what hangs on some of the events is attached behind a run of them, in their order. Where a place or label is
 * not known, or the time is not at hand, the run ends before anything of that row has changed, and its packet goes the
 * long way of apply.c and event.c. Both ways give the same rows.
 */
#include "perfetto/fields.h"
#include "read/perfetto/draft.h"

/* What a place stands for; known if `turn` is that of the import. */
typedef struct known_place {
    uint64_t turn;
    uint32_t takes;    /* 1 << type, for each type of events that have all they need here */
    uint32_t track;    /* row */
    uint32_t sequence; /* index */
    uint32_t counter;  /* state of the uuid */
    bool raw;          /* times are those of the trace, else `clock` says how they become that */
    pf_clock_known clock;
} known_place;

/* What a label stands for; known if `turn` is that of the import. */
typedef struct known_label {
    uint64_t turn;
    uint32_t name, category; /* string ids */
} known_label;

typedef struct pf_known {
    uint32_t specials;
    known_place place[PF_ROW_PLACES];
    known_label label[PF_ROW_LABELS];
    uint16_t special[PF_ROWS_MAX]; /* events just written that something hangs on, counted from the first of them */
} pf_known;

pf_known *pf_known_new(pf_budget *budget)
{
    return pf_alloc_zero(budget, 1, sizeof(pf_known));
}

void pf_known_free(pf_known *k, pf_budget *budget)
{
    pf_release(budget, k, sizeof *k);
}

/* The index of the sequence if it may be used, else PF_NONE. */
static uint32_t find_sequence(const pf_import *im, const pf_place *p)
{
    uint32_t index = pf_map_get(&im->sequences.by_id, p->sequence);
    const pf_sequence *q = index == PF_NONE ? NULL : &im->sequences.list[index];
    bool usable = q && q->begun && !q->has_thread && (q->valid || !(p->clock & PF_PLACE_NEEDS_STATE));
    return usable ? index : PF_NONE;
}

static bool find_clock(const pf_import *im, const pf_place *p, const pf_sequence *q, known_place *k)
{
    uint32_t own = p->clock & PF_PLACE_CLOCK, id = own ? own : q->clock_id ? q->clock_id : im->clocks.default_id;
    bool of_sequence = id >= PF_CLOCK_SEQUENCE_FIRST && id <= PF_CLOCK_SEQUENCE_LAST;
    k->raw = id == 0;
    return k->raw || pf_clocks_last(&im->clocks, (pf_clock_key){id, of_sequence ? p->sequence : 0}, &k->clock);
}

/* False if one of these is not known. */
static bool look_up_place(pf_import *im, const pf_place *p, known_place *k)
{
    k->turn = 0;
    k->sequence = find_sequence(im, p);
    const pf_sequence *q = k->sequence == PF_NONE ? NULL : &im->sequences.list[k->sequence];
    uint64_t uuid = !q ? 0 : p->clock & PF_PLACE_HAS_UUID ? p->uuid : q->track_uuid;
    k->counter = uuid ? pf_map_get(&im->tracks.by_uuid, uuid) : PF_NONE;
    const pf_uuid_track *s = k->counter == PF_NONE ? NULL : &im->tracks.list[k->counter];
    if (!s || s->row == PF_NONE || !find_clock(im, p, q, k)) {
        return false;
    }
    k->turn = im->turn;
    k->track = s->row;
    k->takes = 1u << PF_EVENT_SLICE_BEGIN | 1u << PF_EVENT_SLICE_END | 1u << PF_EVENT_INSTANT;
    k->takes |= s->described && s->content == PF_CONTENT_COUNTER ? 1u << PF_EVENT_COUNTER : 0;
    return true;
}

/* The string id of an interned text, PF_NONE if nothing defines it. */
static uint32_t find_text(const pf_sequence *q, pf_intern_kind kind, uint32_t iid)
{
    uint32_t id = q->generation ? pf_intern_get_dense(q->generation, kind, iid) : PF_NONE;
    return id == PF_NONE && q->generation ? pf_intern_get(q->generation, kind, iid) : id;
}

/* False if the label is not known, or memory was refused: the long way will say so. */
static bool look_up_label(pf_import *im, const pf_sequence *q, const pf_label *l, known_label *k)
{
    k->turn = 0;
    k->name = 0;
    k->category = l->category ? find_text(q, PF_INTERN_CATEGORY, l->category) : 0;
    if (k->category == PF_NONE) {
        return false;
    }
    if (l->name_iid) {
        k->name = find_text(q, PF_INTERN_EVENT_NAME, l->name_iid);
    } else if (l->text) {
        k->name = pf_strings_add(&im->t->strings, (const char *)l->name, l->text - 1, im->err);
    }
    k->turn = k->name == PF_NONE ? 0 : im->turn;
    return k->name != PF_NONE;
}

/* Whether all that the row refers to is known. */
static inline bool is_known(pf_import *im, pf_rows *b, const pf_row *row)
{
    known_place *place = &b->known->place[row->place];
    known_label *label = &b->known->label[row->label];
    if (__builtin_expect(place->turn != im->turn, 0) && !look_up_place(im, &b->place[row->place], place)) {
        return false;
    }
    return place->takes >> (row->what & PF_ROW_TYPE) & 1 &&
           (__builtin_expect(label->turn == im->turn, 1) ||
            look_up_label(im, &im->sequences.list[place->sequence], &b->label[row->label], label));
}

/* Writes events for rows as long as all about them is known; no more than `room`. Returns how many; *uncategorized: it stopped
 * in front of the first one with a category. */
static uint32_t write_events(pf_import *im, pf_rows *b, uint32_t from, uint32_t room, bool *uncategorized)
{
    static const uint8_t phases[] = {0, 'B', 'E', 'i', 'C'};
    pf_trace *t = im->t;
    pf_known *known = b->known;
    uint32_t row_of_first = t->events.count, n = 0, special = 0;
    int64_t *ts = t->events.ts + row_of_first, last = t->events.last_ts, latest = im->latest_ts;
    uint32_t *name = t->events.name + row_of_first, *track = t->events.track + row_of_first;
    uint32_t *category = t->events.category ? t->events.category + row_of_first : NULL;
    uint8_t *phase = t->events.phase + row_of_first;
    uint64_t bytes = 0;
    bool in_order = true;
    for (; n < room && is_known(im, b, &b->row[from + n]); n++) {
        const pf_row *row = &b->row[from + n];
        known_place *place = &known->place[row->place];
        const known_label *label = &known->label[row->label];
        int64_t at = (int64_t)row->timestamp;
        if (category) {
            category[n] = label->category;
        } else if (label->category) {
            *uncategorized = true;
            break;
        }
        if (place->raw ? at < 0 : !pf_clock_convert_known(&place->clock, row->timestamp, &at)) {
            place->turn = 0; /* the long way may find another stretch */
            break;
        }
        ts[n] = at;
        name[n] = label->name;
        track[n] = place->track;
        phase[n] = phases[row->what & PF_ROW_TYPE];
        known->special[special] = (uint16_t)n;
        special += (row->what & (PF_ROW_HAS_ARGS | PF_ROW_HAS_FLOWS | PF_ROW_HAS_VALUE)) != 0;
        in_order &= at >= last;
        last = at;
        latest = at > latest ? at : latest;
        bytes += row->size;
    }
    if (category && n < room) {
        category[n] = 0;
    }
    known->specials = special;
    t->events.last_ts = last;
    t->events.in_order &= in_order;
    im->latest_ts = latest;
    im->inventory.packets[PF_F_PACKET_TRACK_EVENT] += n;
    im->inventory.bytes[PF_F_PACKET_TRACK_EVENT] += bytes;
    return n;
}

static pf_status add_sample(pf_import *im, const known_place *k, uint64_t bits, bool is_int)
{
    uint32_t event = im->t->events.count - 1;
    double raw = is_int ? (double)(int64_t)bits : pf_bits_to_double(bits), value = 0;
    const pf_uuid_track *s = &im->tracks.list[k->counter];
    pf_status st = PF_OK;
    if (s->incremental) {
        st = pf_values_scale(im, &im->sequences.list[k->sequence], k->counter, raw, &value);
    } else {
        value = pf_values_in_units(s, raw);
    }
    return st == PF_OK && im->t->want & PF_WANT_COUNTERS
               ? pf_trace_add_sample(im->t, im->t->events.ts[event], value, k->track, event, im->err)
               : st;
}

static pf_status keep_args(pf_import *im, const pf_rows *b, uint32_t i, pf_sequence *q)
{
    const pf_row *row = &b->row[i];
    const uint8_t *event = b->bytes + row->at + row->event;
    if (im->span.stable && q->generation && pf_perfetto_args_fit(im->t, event, row->event_len, q->generation->number)) {
        return pf_trace_add_lasting_args(im->t, event, row->event_len, im->event_args, q->generation->number, im->err);
    }
    const pf_record r = pf_rows_record(b, i, 0);
    return pf_event_keep_args(im, &r, q, PF_NONE);
}

/* What hangs on the event added last, that of row i; value: that of the row, if it has one. */
static pf_status attach(pf_import *im, const pf_rows *b, uint32_t i, uint64_t value)
{
    const pf_row *row = &b->row[i];
    const known_place *place = &b->known->place[row->place];
    uint32_t want = im->t->want;
    bool is_counter = (row->what & PF_ROW_TYPE) == PF_EVENT_COUNTER;
    pf_status st = is_counter ? add_sample(im, place, value, row->what & PF_ROW_HAS_INT) : PF_OK;
    if (st == PF_OK && row->what & PF_ROW_HAS_ARGS && want & PF_WANT_ARGS) {
        st = keep_args(im, b, i, &im->sequences.list[place->sequence]);
    }
    if (st != PF_OK || is_counter || !(row->what & PF_ROW_HAS_FLOWS) || !(want & PF_WANT_FLOWS)) {
        return st;
    }
    if (row->what & (PF_ROW_ONE_FLOW | PF_ROW_ONE_END)) {
        pf_flow_kind kind = row->what & PF_ROW_ONE_FLOW ? PF_FLOW_FLOW : PF_FLOW_TERMINATE;
        return pf_trace_add_event_flow(im->t, value, kind, im->err);
    }
    const pf_record r = pf_rows_record(b, i, 0);
    return pf_arrows_add_ids(im, &r);
}

/* Attaches what hangs on the n events that were written. */
static pf_status attach_all(pf_import *im, const pf_rows *b, uint32_t n, pf_rows_at *at)
{
    pf_trace *t = im->t;
    uint32_t first = t->events.count;
    pf_status st = PF_OK;
    for (uint32_t i = 0; i < b->known->specials && st == PF_OK; i++) {
        uint32_t offset = b->known->special[i];
        t->events.count = first + offset + 1;
        st = attach(im, b, at->row + offset, b->value[at->value]);
        at->value += (b->row[at->row + offset].what & PF_ROW_HAS_VALUE) != 0;
    }
    t->events.count = first + n;
    at->row += n;
    return st;
}

pf_status pf_import_usual(pf_import *im, pf_rows *b, pf_rows_at *at)
{
    bool more = im->machine == 0, uncategorized = false;
    pf_status st = PF_OK;
    while (st == PF_OK && more && at->row < b->count && b->row[at->row].what & PF_ROW_TYPE) {
        uint32_t want = b->count - at->row - (b->records - at->record);
        uint32_t room = pf_trace_room_for_points(im->t, want, uncategorized, im->err);
        if (room == 0) {
            return im->err->code;
        }
        uncategorized = false;
        uint32_t n = write_events(im, b, at->row, room, &uncategorized);
        st = attach_all(im, b, n, at);
        more = n == room || uncategorized;
    }
    return st;
}
