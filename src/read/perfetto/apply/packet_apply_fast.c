/* read/perfetto/apply/packet_apply_fast.c - plain TrackEvents, in a straight line.
 *
 * Rows of plain events refer to the places and labels of their batch. What those stand for (sequence, track and clock;
 * strings) is looked up when the first row comes by, and holds until the lists begin anew or a packet comes that is
 * more than an event: only such packets change what was found. All that is left to do is to append the events, a
 * stretch of them column by column; arguments, flows and samples follow after each stretch, in the order of their
 * events. Where a place or label is not known, or the time is not at hand, the run ends before anything of that row has
 * changed, and its packet goes the long way of packet_apply.c and packet_event.c. Both ways give the same rows.
 */
#include <string.h>

#include "perfetto/fields.h"
#include "read/perfetto/apply/packet_apply.h"
#include "read/perfetto/args/packet_args.h"
#include "read/perfetto/event/draft.h"

#define STRETCH 1024u /* rows that are written at once: what is read and written of them stays in the first cache */

/* How the times of a place become those of the trace, and where its samples go. */
typedef struct known_place {
    uint32_t sequence; /* index */
    uint32_t counter;  /* state of the uuid */
    pf_clock_known clock;
} known_place;

typedef struct known_label {
    uint32_t name, category; /* string ids */
} known_label;

/* known.takes: 1 << type for each type of events that have all they need here; 0 = not known. */
enum {
    TAKES_SLICES = 1u << PF_EVENT_SLICE_BEGIN | 1u << PF_EVENT_SLICE_END | 1u << PF_EVENT_INSTANT,
    CONVERTS = 1u << 7
};

/* known.says */
enum { KNOWN = 1u << 0, CATEGORIZED = 1u << 1 };

/* What the places and labels of a batch stand for, as far as `turn` is that of the import. What is asked for every row
 * lies apart, close together. */
typedef struct pf_known {
    uint64_t turn;
    uint32_t specials;
    uint8_t takes[PF_ROW_PLACES], says[PF_ROW_LABELS];
    uint32_t track[PF_ROW_PLACES];   /* row */
    uint32_t context[PF_ROW_PLACES]; /* of arguments, as the trace keeps it; PF_NONE: without interned data */
    known_label label[PF_ROW_LABELS];
    known_place place[PF_ROW_PLACES];
    uint16_t
        special[PF_ROWS_MAX]; /* events just written that have arguments, flows or samples, counted from the first */
} pf_known;

bool pf_known_make(pf_rows *b)
{
    if (!b->known) {
        b->known = pf_alloc_zero(b->budget, 1, sizeof *b->known);
        b->known_bytes = b->known ? sizeof *b->known : 0;
    }
    return b->known;
}

/* The index of the sequence if it may be used, else PF_NONE. */
static uint32_t find_sequence(const pf_import *im, const pf_row_place *p)
{
    uint32_t index = pf_map_get(&im->sequences.by_id, p->sequence);
    const pf_sequence *q = index == PF_NONE ? NULL : &im->sequences.list[index];
    bool usable = q && q->begun && !q->left_out && !q->has_thread && (q->valid || !(p->clock & PF_PLACE_NEEDS_STATE));
    return usable ? index : PF_NONE;
}

/* False if its times are not at hand. */
static bool find_clock(const pf_import *im, const pf_row_place *p, const pf_sequence *q, pf_clock_known *clock)
{
    uint32_t own = p->clock & PF_PLACE_CLOCK, id = own ? own : q->clock_id ? q->clock_id : im->clocks.default_id;
    bool of_sequence = id >= PF_CLOCK_SEQUENCE_FIRST && id <= PF_CLOCK_SEQUENCE_LAST;
    *clock = pf_clock_identity();
    return id == 0 || pf_clocks_last(&im->clocks, (pf_clock_key){id, of_sequence ? p->sequence : 0}, clock);
}

/* Leaves the place unknown if one of these is. */
static void look_up_place(pf_import *im, const pf_rows *b, uint32_t i)
{
    const pf_row_place *p = &b->place[i];
    known_place *k = &b->known->place[i];
    k->sequence = find_sequence(im, p);
    const pf_sequence *q = k->sequence == PF_NONE ? NULL : &im->sequences.list[k->sequence];
    uint64_t uuid = !q ? 0 : p->clock & PF_PLACE_HAS_UUID ? p->uuid : q->track_uuid;
    k->counter = uuid ? pf_map_get(&im->tracks.by_uuid, uuid) : PF_NONE;
    const pf_uuid_track *s = k->counter == PF_NONE ? NULL : &im->tracks.list[k->counter];
    if (!s || s->row == PF_NONE || !find_clock(im, p, q, &k->clock)) {
        return;
    }
    bool is_counter = s->described && s->content == PF_CONTENT_COUNTER;
    b->known->track[i] = s->row;
    b->known->context[i] = q->generation ? q->generation->number * PF_DECODERS_MAX + im->decoders.event : PF_NONE;
    bool converts = !pf_clock_is_identity(&k->clock);
    b->known->takes[i] =
        (uint8_t)(TAKES_SLICES | (is_counter ? 1u << PF_EVENT_COUNTER : 0) | (converts ? CONVERTS : 0));
}

/* The string id of an interned text, PF_NONE if nothing defines it. */
static uint32_t find_text(const pf_sequence *q, pf_intern_kind kind, uint32_t iid)
{
    uint32_t id = q->generation ? pf_intern_get_dense(q->generation, kind, iid) : PF_NONE;
    return id == PF_NONE && q->generation ? pf_intern_get(q->generation, kind, iid) : id;
}

/* Leaves the label unknown if what it refers to is, or memory was refused: the long way will say so. */
static void look_up_label(pf_import *im, const pf_rows *b, const pf_sequence *q, uint32_t i)
{
    const pf_row_label *l = &b->label[i];
    known_label *k = &b->known->label[i];
    k->name = 0;
    k->category = l->category ? find_text(q, PF_INTERN_CATEGORY, l->category) : 0;
    if (k->category == PF_NONE) {
        return;
    }
    if (l->name_iid) {
        k->name = find_text(q, PF_INTERN_EVENT_NAME, l->name_iid);
    } else if (l->text) {
        k->name = pf_strings_add(&im->t->strings, (const char *)l->name, l->text - 1, im->err);
    }
    b->known->says[i] = k->name == PF_NONE ? 0 : k->category ? KNOWN | CATEGORIZED : KNOWN;
}

static inline bool is_known(const pf_rows *b, uint32_t i)
{
    return b->known->takes[b->place_of[i]] >> (b->where[i].what & PF_ROW_TYPE) & b->known->says[b->label_of[i]] & KNOWN;
}

/* Looks up what row i refers to. False if not all of it is known. */
static bool look_up(pf_import *im, const pf_rows *b, uint32_t i)
{
    uint32_t place = b->place_of[i], label = b->label_of[i];
    if (!(b->where[i].what & PF_ROW_TYPE)) {
        return false;
    }
    if (!b->known->takes[place]) {
        look_up_place(im, b, place);
    }
    if (b->known->takes[place] && !b->known->says[label]) {
        look_up_label(im, b, &im->sequences.list[b->known->place[place].sequence], label);
    }
    return is_known(b, i);
}

/* Counts rows from `from` on as long as all about them is known, and notes those that have more than a row; no more
 * than `room`. *takes, *says: what any of their places and labels has. */
static uint32_t count_known(pf_import *im, const pf_rows *b, uint32_t from, uint32_t room, uint32_t *takes,
                            uint32_t *says)
{
    const uint16_t *place_of = b->place_of + from, *label_of = b->label_of + from;
    const pf_row_where *where = b->where + from;
    const uint8_t *known_takes = b->known->takes, *known_says = b->known->says;
    uint16_t *specials = b->known->special;
    uint32_t n = 0, special = 0, all_takes = 0, all_says = 0;
    for (; n < room; n++) {
        uint32_t what = where[n].what, place = known_takes[place_of[n]], label = known_says[label_of[n]];
        if (__builtin_expect(!(place >> (what & PF_ROW_TYPE) & label & KNOWN), 0)) {
            if (!look_up(im, b, from + n)) {
                break;
            }
            place = known_takes[place_of[n]];
            label = known_says[label_of[n]];
        }
        all_takes |= place;
        all_says |= label;
        specials[special] = (uint16_t)n;
        special += what > PF_ROW_TYPE;
    }
    b->known->specials = special;
    *takes = all_takes;
    *says = all_says;
    return n;
}

/* The times of n rows. Returns in front of which it stopped: the long way may find another stretch of the clock.
 * `converts` is a constant in each of the two copies of this loop: false where all times are those of the trace. */
static inline __attribute__((always_inline)) uint32_t write_times(pf_import *im, const pf_rows *b, uint32_t from,
                                                                  uint32_t n, bool converts)
{
    pf_trace *t = im->t;
    const uint64_t *timestamp = b->timestamp + from;
    const uint16_t *place_of = b->place_of + from;
    const known_place *places = b->known->place;
    int64_t *ts = t->events.ts + t->events.count, last = t->events.last_ts, latest = im->latest_ts;
    bool in_order = true;
    uint32_t i = 0;
    for (; i < n; i++) {
        int64_t at = (int64_t)timestamp[i];
        if (converts ? !pf_clock_convert_known(&places[place_of[i]].clock, timestamp[i], &at) : at < 0) {
            b->known->takes[place_of[i]] = 0;
            break;
        }
        ts[i] = at;
        in_order &= at >= last;
        last = at;
        latest = at > latest ? at : latest;
    }
    t->events.last_ts = last;
    t->events.in_order &= in_order;
    im->latest_ts = latest;
    return i;
}

/* All else of n rows. */
static void write_columns(pf_import *im, const pf_rows *b, uint32_t from, uint32_t n)
{
    static const uint8_t phases[] = {0, 'B', 'E', 'i', 'C'};
    const pf_trace *t = im->t;
    const uint16_t *place_of = b->place_of + from, *label_of = b->label_of + from;
    const pf_row_where *where = b->where + from;
    const known_label *labels = b->known->label;
    const uint32_t *tracks = b->known->track;
    uint32_t first = t->events.count, *name = t->events.name + first, *track = t->events.track + first;
    uint32_t *category = t->events.category ? t->events.category + first : NULL;
    uint8_t *phase = t->events.phase + first;
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < n; i++) {
        known_label label = labels[label_of[i]];
        name[i] = label.name;
        if (category) {
            category[i] = label.category;
        }
        track[i] = tracks[place_of[i]];
        phase[i] = phases[where[i].what & PF_ROW_TYPE];
        bytes += where[i].size;
    }
    im->inventory.packets[PF_F_PACKET_TRACK_EVENT] += n;
    im->inventory.bytes[PF_F_PACKET_TRACK_EVENT] += bytes;
}

/* Writes events for up to `want` rows as long as all about them is known. Returns how many; PF_NONE if memory was
 * refused. */
static uint32_t write_events(pf_import *im, const pf_rows *b, uint32_t from, uint32_t want)
{
    uint32_t takes, says;
    uint32_t n = count_known(im, b, from, want, &takes, &says);
    if (n == 0) {
        return 0;
    }
    uint32_t room = pf_trace_room_for_points(im->t, n, says & CATEGORIZED, im->err);
    if (room == 0) {
        return PF_NONE;
    }
    n = n < room ? n : room;
    n = takes & CONVERTS ? write_times(im, b, from, n, true) : write_times(im, b, from, n, false);
    write_columns(im, b, from, n);
    while (b->known->specials && b->known->special[b->known->specials - 1] >= n) {
        b->known->specials--;
    }
    return n;
}

static pf_status add_sample(pf_import *im, const pf_rows *b, uint32_t i, uint32_t event, uint64_t bits)
{
    const known_place *k = &b->known->place[b->place_of[i]];
    uint32_t track = im->t->events.track[event];
    bool is_int = b->where[i].what & PF_ROW_HAS_INT;
    double raw = is_int ? (double)(int64_t)bits : pf_bits_to_double(bits), value = 0;
    const pf_uuid_track *s = &im->tracks.list[k->counter];
    if (s->incremental) {
        PF_TRY(pf_values_scale(im, &im->sequences.list[k->sequence], k->counter, raw, &value));
    } else {
        value = pf_values_in_units(s, raw);
    }
    return im->t->want & PF_WANT_COUNTERS
               ? pf_trace_add_sample(im->t, im->t->events.ts[event], value, track, event, im->err)
               : PF_OK;
}

static pf_status keep_args(pf_import *im, const pf_rows *b, uint32_t i, uint32_t event, pf_sequence *q)
{
    const uint8_t *bytes = b->bytes + b->at[i] + b->where[i].event;
    uint32_t len = b->where[i].event_len;
    if (im->span.stable && q->generation && pf_perfetto_args_fit(im->t, bytes, len, q->generation->number)) {
        return pf_trace_add_lasting_args_of(im->t, event, bytes, len, im->decoders.event, q->generation->number,
                                            im->err);
    }
    const pf_record r = pf_rows_record(b, i, 0);
    return pf_event_keep_args(im, event, &r, q, PF_NONE);
}

/* Arguments, flows and the sample of the event of row i; value: that of the row, if it has one. */
static pf_status attach(pf_import *im, const pf_rows *b, uint32_t i, uint32_t event, uint64_t value)
{
    const known_place *place = &b->known->place[b->place_of[i]];
    uint32_t want = im->t->want, what = b->where[i].what;
    bool is_counter = (what & PF_ROW_TYPE) == PF_EVENT_COUNTER;
    if (is_counter) {
        PF_TRY(add_sample(im, b, i, event, value));
    }
    if (what & PF_ROW_HAS_ARGS && want & PF_WANT_ARGS) {
        PF_TRY(keep_args(im, b, i, event, &im->sequences.list[place->sequence]));
    }
    if (is_counter || !(what & PF_ROW_HAS_FLOWS) || !(want & PF_WANT_FLOWS)) {
        return PF_OK;
    }
    if (what & (PF_ROW_ONE_FLOW | PF_ROW_ONE_END)) {
        pf_flow_kind kind = what & PF_ROW_ONE_FLOW ? PF_FLOW_FLOW : PF_FLOW_TERMINATE;
        return pf_trace_add_flow_of(im->t, event, value, kind, im->err);
    }
    const pf_record r = pf_rows_record(b, i, 0);
    return pf_arrows_add_ids(im, event, &r);
}

/* Attaches arguments to events that have nothing else, from special i on. Returns the first that it did not take. */
static uint32_t attach_args(pf_import *im, const pf_rows *b, uint32_t row, uint32_t i)
{
    pf_trace *t = im->t;
    const pf_known *known = b->known;
    uint32_t specials = im->span.stable && t->want & PF_WANT_ARGS ? known->specials : 0;
    uint32_t count = t->args.count, room = t->args.room, first = t->events.count;
    uint32_t *event = t->args.event, *len = t->args.len, *context = t->args.context;
    const uint8_t **bytes = t->args.bytes;
    for (; i < specials && count < room; i++) {
        uint32_t offset = known->special[i], of = known->context[b->place_of[row + offset]];
        pf_row_where w = b->where[row + offset];
        if ((w.what & ~(uint32_t)PF_ROW_TYPE) != PF_ROW_HAS_ARGS || of == PF_NONE ||
            !pf_perfetto_args_are_small(t, w.event_len)) {
            break;
        }
        event[count] = first + offset;
        bytes[count] = b->bytes + b->at[row + offset] + w.event;
        len[count] = w.event_len;
        context[count++] = of;
    }
    t->args.count = count;
    return i;
}

/* Attaches arguments, flows and samples of the n events that were written. */
static pf_status attach_all(pf_import *im, const pf_rows *b, uint32_t n, pf_rows_at *at)
{
    pf_trace *t = im->t;
    uint32_t first = t->events.count, specials = b->known->specials;
    for (uint32_t i = attach_args(im, b, at->row, 0); i < specials;) {
        uint32_t offset = b->known->special[i];
        PF_TRY(attach(im, b, at->row + offset, first + offset, b->value[at->value]));
        at->value += (b->where[at->row + offset].what & PF_ROW_HAS_VALUE) != 0;
        i = attach_args(im, b, at->row, i + 1);
    }
    t->events.count = first + n;
    at->row += n;
    return PF_OK;
}

/* After what is listed nothing is known. */
static void forget(pf_rows *b, uint64_t turn)
{
    memset(b->known->takes, 0, b->renewed ? PF_ROW_PLACES : b->places);
    memset(b->known->says, 0, b->renewed ? PF_ROW_LABELS : b->labels);
    b->known->turn = turn;
}

pf_status pf_import_rows_fast(pf_import *im, pf_rows *b, pf_rows_at *at)
{
    bool more = im->about.machine == 0 && !(im->t->want & PF_WANT_OFFSETS);
    if (b->known->turn != im->turn) {
        forget(b, im->turn);
    }
    while (more && at->row < b->count) {
        uint32_t left = b->count - at->row, want = left < STRETCH ? left : STRETCH;
        uint32_t n = write_events(im, b, at->row, want);
        if (n == PF_NONE) {
            return im->err->code;
        }
        PF_TRY(attach_all(im, b, n, at));
        more = n == want;
    }
    return PF_OK;
}
