/* perfetto/decode/bundle.c - bundles of ftrace events to entries.
 *
 * The arrays of compact_sched are packed varints of equal count. How many there are is the number of bytes that end
 * one, which is counted first; so memory for the entries is taken once. The arrays are then read side by side, entry by
 * entry: where a number ends decides where the next one of its array begins, and the processor waits for several such
 * chains at once. Arrays of unequal length are damage: entries count as far as all of them go.
 *
 * A list whose entries are read later is only measured: its times are added up, of the other arrays it is known without
 * reading them that each number has an end.
 */
#include "perfetto/decode/bundle.h"

#include "base/list.h"
#include "base/thread.h"
#include "perfetto/decode/batch.h"
#include "perfetto/fields.h"

/* ---- compact_sched ----------------------------------------------------------------------------------------------- */

/* The varints in a packed list. */
static uint32_t count_varints(const pf_field *f)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->len; i++) {
        n += f->bytes[i] < 0x80;
    }
    return n;
}

/* Whether all numbers of a list that is not cut have at most four bytes. */
static bool is_short(const pf_field *f)
{
    uint8_t long_ones = 0;
    for (uint32_t i = 3; i < f->len; i++) {
        long_ones |= f->bytes[i] & f->bytes[i - 1] & f->bytes[i - 2] & f->bytes[i - 3];
    }
    return long_ones < 0x80;
}

static bool are_below(const pf_field *f, uint32_t most)
{
    uint8_t largest = 0;
    for (uint32_t i = 0; i < f->len; i++) {
        largest = f->bytes[i] > largest ? f->bytes[i] : largest;
    }
    return largest < most;
}

/* A list that is being read. Where it has as many bytes as numbers (`narrow`), each byte is one. */
typedef struct numbers {
    const uint8_t *at, *end;
    bool narrow;
} numbers;

static numbers numbers_of(const pf_field *f, uint32_t count)
{
    return (numbers){f->bytes, f->len ? f->bytes + f->len : f->bytes, f->len == count};
}

/* The next number of the list; false if it is malformed. near: fewer than 10 bytes may be left. */
static inline __attribute__((always_inline)) bool next_number(numbers *n, bool near, uint64_t *v)
{
    if (n->narrow) {
        *v = *n->at++;
        return true;
    }
    n->at = near ? pf_varint(n->at, n->end, v) : pf_varint_mixed(n->at, v);
    return n->at;
}

/* Lists by what they say. */
enum { TIMES = 0, WHY, PIDS, PRIOS, COMMS, LISTS }; /* why: prev_state of switches, target_cpu of wakings */

/* How entries are read: times alone; all of it, texts being one of so many; what was read or measured before. */
typedef enum read_form { MEASURES, CHECKS, MAPS } read_form;

typedef struct reading {
    bool wakes, measures; /* measures: it would do */
    uint32_t texts;
    const uint32_t *ids; /* what texts become, if that is known */
} reading;

/* Reads entries up to number `to`, or their times alone; false: damage comes first. */
static inline __attribute__((always_inline)) bool read_entries(pf_sched_list *l, numbers *n, uint32_t to, reading r,
                                                               read_form form, bool near)
{
    numbers times = n[TIMES], why = n[WHY], pids = n[PIDS], prios = n[PRIOS], comms = n[COMMS];
    uint64_t v[LISTS], ts = (uint64_t)l->last;
    bool fine = true;
    for (; l->count < to; l->count++) {
        fine = next_number(&times, near, &v[TIMES]) &&
               (form == MEASURES ||
                (next_number(&why, near, &v[WHY]) && next_number(&pids, near, &v[PIDS]) &&
                 next_number(&prios, near, &v[PRIOS]) && next_number(&comms, near, &v[COMMS]) && v[COMMS] < r.texts));
        if (!fine) {
            break;
        }
        l->ordered &= (int64_t)(ts + v[TIMES]) >= (int64_t)ts;
        ts += v[TIMES];
        if (form == MEASURES) {
            continue;
        }
        if (form == MAPS) {
            pf_thread_will_write(l->entry + l->count + 16);
        }
        l->entry[l->count] = (pf_sched_entry){.ts = (int64_t)ts,
                                              .pid = (int32_t)v[PIDS],
                                              .prio = (int32_t)v[PRIOS],
                                              .comm = form == MAPS ? r.ids[v[COMMS]] : (uint32_t)v[COMMS],
                                              .state = r.wakes ? 0 : (uint16_t)v[WHY],
                                              .cpu = r.wakes ? (int16_t)v[WHY] : 0};
    }
    n[TIMES] = times, n[WHY] = why, n[PIDS] = pids, n[PRIOS] = prios, n[COMMS] = comms;
    l->last = (int64_t)ts;
    return fine;
}

/* Reads all of them; near the end of the bytes, `near` entries, less may be looked at. */
static inline __attribute__((always_inline)) bool read_all(pf_sched_list *l, numbers *n, uint32_t count, uint32_t near,
                                                           reading r, read_form form)
{
    return read_entries(l, n, count - near, r, form, false) && read_entries(l, n, count, r, form, true);
}

static inline uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Reads as many entries as the shortest of the lists has; unequal ones are damage, and so is a text that the table does
 * not have. While ten numbers are left, so are ten bytes, also in the list that is the last one in `all`. */
static inline __attribute__((always_inline)) pf_status read_list(pf_ftrace_bundle *b, pf_sched_list *l,
                                                                 const pf_field *const *lists, const pf_field *all,
                                                                 reading r, pf_error *err)
{
    uint32_t least_count = UINT32_MAX, most = 0, near = 0;
    uint64_t first = 0;
    numbers n[LISTS];
    l->count = 0;
    l->damaged = false;
    l->ordered = true;
    l->last = b->shift;
    for (size_t i = 0; i < LISTS; i++) {
        uint32_t count = lists[i]->tag ? count_varints(lists[i]) : 0;
        bool cut = lists[i]->tag && lists[i]->len && lists[i]->bytes[lists[i]->len - 1] >= 0x80;
        n[i] = numbers_of(lists[i], count);
        bool is_last = all->bytes + all->len - n[i].end < PF_VARINT_MAX;
        l->damaged |= cut;
        least_count = least(least_count, count);
        most = count > most ? count : most;
        near = is_last && !n[i].narrow ? PF_VARINT_MAX : near;
        r.measures = r.measures && (i == TIMES || n[i].narrow || (i != COMMS && is_short(lists[i])));
    }
    l->damaged |= least_count != most;
    least_count = r.ids ? least(least_count, l->room) : least_count; /* the caller's, also if the file has changed */
    l->measured = r.measures && !l->damaged && are_below(lists[COMMS], r.texts);
    (void)(least_count && pf_varint(n[TIMES].at, n[TIMES].end, &first));
    l->first = (int64_t)first;
    PF_TRY(l->measured ? PF_OK : PF_LIST_ROOM(b->budget, l->entry, least_count, l->room, err));
    near = least(least_count, near);
    l->damaged |= !(l->measured ? read_all(l, n, least_count, near, r, MEASURES)
                    : r.ids     ? read_all(l, n, least_count, near, r, MAPS)
                                : read_all(l, n, least_count, near, r, CHECKS));
    return PF_OK;
}

static pf_status read_switches(pf_ftrace_bundle *b, const pf_field *f, const pf_field *all, reading r, pf_error *err)
{
    const pf_field *const lists[] = {[TIMES] = &f[PF_F_COMPACT_SWITCH_TIMESTAMP],
                                     [WHY] = &f[PF_F_COMPACT_SWITCH_PREV_STATE],
                                     [PIDS] = &f[PF_F_COMPACT_SWITCH_NEXT_PID],
                                     [PRIOS] = &f[PF_F_COMPACT_SWITCH_NEXT_PRIO],
                                     [COMMS] = &f[PF_F_COMPACT_SWITCH_NEXT_COMM]};
    return read_list(b, &b->switches, lists, all, r, err);
}

/* Flags are not there in older recordings, or only of the first wakings: the others have none. */
static pf_status read_wakings(pf_ftrace_bundle *b, const pf_field *f, const pf_field *all, reading r, pf_error *err)
{
    const pf_field *const lists[] = {[TIMES] = &f[PF_F_COMPACT_WAKING_TIMESTAMP],
                                     [WHY] = &f[PF_F_COMPACT_WAKING_TARGET_CPU],
                                     [PIDS] = &f[PF_F_COMPACT_WAKING_PID],
                                     [PRIOS] = &f[PF_F_COMPACT_WAKING_PRIO],
                                     [COMMS] = &f[PF_F_COMPACT_WAKING_COMM]};
    const pf_field *flags = &f[PF_F_COMPACT_WAKING_FLAGS];
    pf_sched_list *l = &b->wakings;
    r.wakes = true;
    PF_TRY(read_list(b, l, lists, all, r, err));
    uint32_t count = flags->tag && !l->measured ? count_varints(flags) : 0;
    uint64_t v;
    numbers n = numbers_of(flags, count);
    for (uint32_t i = 0; i < l->count && i < count && next_number(&n, true, &v); i++) {
        l->entry[i].state = (uint16_t)v;
    }
    return PF_OK;
}

/* Where not all lists are wanted, they were read before: texts are not looked at again. */
static pf_status read_compact(pf_ftrace_bundle *b, const pf_field *compact, unsigned lists, const uint8_t *readable,
                              pf_error *err)
{
    static const uint32_t tags[] = {
        PF_AT_BYTES(PF_F_COMPACT_SWITCH_TIMESTAMP), PF_AT_BYTES(PF_F_COMPACT_SWITCH_PREV_STATE),
        PF_AT_BYTES(PF_F_COMPACT_SWITCH_NEXT_PID),  PF_AT_BYTES(PF_F_COMPACT_SWITCH_NEXT_PRIO),
        PF_AT_BYTES(PF_F_COMPACT_SWITCH_NEXT_COMM), PF_AT_BYTES(PF_F_COMPACT_WAKING_TIMESTAMP),
        PF_AT_BYTES(PF_F_COMPACT_WAKING_PID),       PF_AT_BYTES(PF_F_COMPACT_WAKING_TARGET_CPU),
        PF_AT_BYTES(PF_F_COMPACT_WAKING_PRIO),      PF_AT_BYTES(PF_F_COMPACT_WAKING_COMM),
        PF_AT_BYTES(PF_F_COMPACT_WAKING_FLAGS)};
    pf_cursor c = pf_field_cursor(compact);
    pf_field f, last[PF_TAG_COUNT(tags)] = {{0}};
    bool whole = (lists & PF_BUNDLE_ALL) == PF_BUNDLE_ALL;
    reading r = {.measures = lists & PF_BUNDLE_MEASURED,
                 .texts = whole    ? 0
                          : b->ids ? b->id_count
                                   : UINT32_MAX,
                 .ids = b->ids};
    while (pf_cursor_next_within(&c, readable, &f) == PF_NEXT_FIELD) {
        uint32_t number = pf_field_number(&f);
        if (f.tag == PF_TAG_BYTES(PF_F_COMPACT_TEXTS) && whole) {
            PF_TRY(PF_LIST_ROOM(b->budget, b->comm, r.texts + 1, b->comm_room, err));
            b->comm[r.texts++] = pf_field_text(&f);
        } else if (number < PF_TAG_COUNT(tags) && tags[number] == f.tag) {
            last[number] = f;
        }
    }
    b->comm_count = whole ? r.texts : 0;
    PF_TRY(lists & PF_BUNDLE_SWITCHES ? read_switches(b, last, compact, r, err) : PF_OK);
    return lists & PF_BUNDLE_WAKINGS ? read_wakings(b, last, compact, r, err) : PF_OK;
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

/* The time of the event that is counted next. */
static inline void note_time(pf_ftrace_bundle *b, int64_t ts)
{
    pf_event_group *g = &b->group[b->groups - 1];
    b->events_first = b->event_count ? b->events_first : ts;
    b->events_ordered &= ts >= b->events_last || b->event_count == 0;
    b->events_last = g->last_ts = ts;
    g->first_ts = b->event_count == g->first ? ts : g->first_ts;
}

#define PLAIN_READ 64 /* bytes that are looked at: more than four tags, four numbers and a length */

/* An event as nearly all are: its time, who ran, maybe flags, one message. False: it is to be read field by field. */
static inline bool read_plain_event(pf_ftrace_bundle *b, const pf_field *event, const uint8_t *readable)
{
    const uint8_t *p = event->bytes, *end = p + event->len;
    uint64_t ts = 0, tid = 0, flags = 0, tag = 0, len = 0;
    if (readable - p < PLAIN_READ || *p != PF_TAG_VARINT(PF_F_FTRACE_EVENT_TIMESTAMP)) {
        return false;
    }
    p = pf_varint_slop(p + 1, &ts);
    if (!p || *p != PF_TAG_VARINT(PF_F_FTRACE_EVENT_PID)) {
        return false;
    }
    p = pf_varint_mixed(p + 1, &tid);
    if (p && *p == PF_TAG_VARINT(PF_F_FTRACE_EVENT_FLAGS)) {
        p = pf_varint_slop(p + 1, &flags);
    }
    p = p ? pf_varint_mixed(p, &tag) : NULL;
    p = p ? pf_varint_slop(p, &len) : NULL;
    if (!p || (tag & 7) != PF_WIRE_BYTES || tag >> 3 == 0 || tag >> 3 > PF_FIELD_NUMBER_MAX || p > end ||
        len != (uint64_t)(end - p)) {
        return false;
    }
    ts += (uint64_t)b->shift;
    if (b->event_count < b->kept) {
        if (PF_LIST_ROOM(b->budget, b->event, b->event_count + 1, b->event_room, NULL) != PF_OK) {
            return false;
        }
        pf_thread_will_write(b->event + b->event_count + 10);
        b->event[b->event_count] = (pf_ftrace_event){.ts = (int64_t)ts,
                                                     .body = p,
                                                     .len = (uint32_t)len,
                                                     .kind = (uint32_t)(tag >> 3),
                                                     .tid = (uint32_t)tid,
                                                     .flags = (uint32_t)flags,
                                                     .bundle = b->number};
    }
    note_time(b, (int64_t)ts);
    b->event_count++;
    return true;
}

/* Every message in the event is an event of its own; they share what is said of all. */
static pf_status read_event(pf_ftrace_bundle *b, const pf_field *event, const uint8_t *readable, pf_error *err)
{
    pf_cursor c = pf_field_cursor(event);
    pf_field f;
    uint32_t first = b->event_count, count = first;
    pf_ftrace_event all = {.ts = 0};
    bool timed = false, has_tid = false;
    while (pf_cursor_next_within(&c, readable, &f) == PF_NEXT_FIELD) {
        if (f.tag == PF_TAG_VARINT(PF_F_FTRACE_EVENT_TIMESTAMP)) {
            all.ts = (int64_t)(f.value + (uint64_t)b->shift);
            timed = true;
        } else if (f.tag == PF_TAG_VARINT(PF_F_FTRACE_EVENT_PID)) {
            all.tid = (uint32_t)f.value;
            has_tid = true;
        } else if (f.tag == PF_TAG_VARINT(PF_F_FTRACE_EVENT_FLAGS)) {
            all.flags = (uint32_t)f.value;
        } else if (pf_field_wire(&f) == PF_WIRE_BYTES) {
            if (count < b->kept) {
                PF_TRY(PF_LIST_ROOM(b->budget, b->event, count + 1, b->event_room, err));
                b->event[count] =
                    (pf_ftrace_event){.body = f.bytes, .len = f.len, .kind = pf_field_number(&f), .bundle = b->number};
            }
            count++;
        }
    }
    b->untimed += !timed;
    b->unnamed += timed && count == first;
    for (uint32_t i = first; i < count && i < b->kept; i++) {
        b->event[i].ts = all.ts;
        b->event[i].tid = all.tid;
        b->event[i].flags = all.flags;
    }
    if (timed && has_tid && count > first) {
        note_time(b, all.ts);
        b->event_count = count;
    }
    return PF_OK;
}

static pf_status begin_group(pf_ftrace_bundle *b, const uint8_t *at, pf_error *err)
{
    PF_TRY(PF_LIST_ROOM(b->budget, b->group, b->groups + 1, b->group_room, err));
    b->group[b->groups++] = (pf_event_group){.at = at, .first = b->event_count};
    return PF_OK;
}

/* ---- the bundle -------------------------------------------------------------------------------------------------- */

/* f: by number, the last fields that say something of all. */
static void take_head(pf_ftrace_bundle *b, const pf_field *f)
{
    const pf_field *start = f[PF_F_FTRACE_PREVIOUS_END].tag ? &f[PF_F_FTRACE_PREVIOUS_END] : &f[PF_F_FTRACE_LAST_READ];
    b->has_cpu = f[PF_F_FTRACE_CPU].tag != 0;
    b->cpu = (uint32_t)f[PF_F_FTRACE_CPU].value;
    b->lost_events = f[PF_F_FTRACE_LOST_EVENTS].tag && f[PF_F_FTRACE_LOST_EVENTS].value;
    b->clock = f[PF_F_FTRACE_CLOCK].tag ? (uint32_t)f[PF_F_FTRACE_CLOCK].value : 0;
    b->has_pair = f[PF_F_FTRACE_TIMESTAMP].tag && f[PF_F_FTRACE_BOOT_TIMESTAMP].tag;
    b->pair_ftrace = (int64_t)f[PF_F_FTRACE_TIMESTAMP].value;
    b->pair_boot = (int64_t)f[PF_F_FTRACE_BOOT_TIMESTAMP].value;
    b->has_start = start->tag != 0;
    b->start = (int64_t)start->value;
    b->has_descriptors = f[PF_F_FTRACE_DESCRIPTORS].tag != 0;
}

/* The next field: nearly all are events of fewer than 128 bytes. */
static inline pf_next next_field(pf_cursor *c, const uint8_t *readable, pf_field *f)
{
    const uint8_t *p = c->at;
    if (c->end - p >= 2 && *p == PF_TAG_BYTES(PF_F_FTRACE_EVENT) && p[1] < 0x80 && c->end - p - 2 >= p[1]) {
        *f = (pf_field){.tag = *p, .len = p[1], .bytes = p + 2};
        c->at = p + 2 + p[1];
        return PF_NEXT_FIELD;
    }
    return pf_cursor_next_within(c, readable, f);
}

pf_status pf_ftrace_decode_lists(const uint8_t *bytes, size_t len, unsigned lists, pf_ftrace_bundle *b, pf_error *err)
{
    static const uint32_t tags[] = {PF_AT_VARINT(PF_F_FTRACE_CPU),          PF_AT_VARINT(PF_F_FTRACE_LOST_EVENTS),
                                    PF_AT_BYTES(PF_F_FTRACE_COMPACT_SCHED), PF_AT_VARINT(PF_F_FTRACE_CLOCK),
                                    PF_AT_VARINT(PF_F_FTRACE_TIMESTAMP),    PF_AT_VARINT(PF_F_FTRACE_BOOT_TIMESTAMP),
                                    PF_AT_VARINT(PF_F_FTRACE_LAST_READ),    PF_AT_VARINT(PF_F_FTRACE_PREVIOUS_END),
                                    PF_AT_BYTES(PF_F_FTRACE_DESCRIPTORS)};
    pf_cursor c = pf_cursor_over(bytes, len);
    const uint8_t *readable = c.end + b->beyond;
    pf_field f, last[PF_TAG_COUNT(tags)] = {{0}};
    b->switches.count = b->wakings.count = b->comm_count = b->event_count = b->untimed = b->unnamed = b->groups = 0;
    b->switches.damaged = b->wakings.damaged = b->switches.measured = b->wakings.measured = false;
    b->events_ordered = true;
    b->kept = lists & PF_BUNDLE_MEASURED ? 0 : b->lent ? b->event_room : UINT32_MAX;
    for (const uint8_t *at = c.at; next_field(&c, readable, &f) == PF_NEXT_FIELD; at = c.at) {
        uint32_t number = pf_field_number(&f);
        if (f.tag == PF_TAG_BYTES(PF_F_FTRACE_EVENT)) {
            bool begins = b->groups == 0 || b->event_count - b->group[b->groups - 1].first >= PF_EVENT_GROUP;
            PF_TRY(begins ? begin_group(b, at, err) : PF_OK);
            PF_TRY((lists & PF_BUNDLE_EVENTS) == 0 || read_plain_event(b, &f, readable)
                       ? PF_OK
                       : read_event(b, &f, readable, err));
        } else if (number < PF_TAG_COUNT(tags) && tags[number] == f.tag) {
            last[number] = f;
        }
    }
    take_head(b, last);
    const pf_field *compact = &last[PF_F_FTRACE_COMPACT_SCHED];
    return compact->tag ? read_compact(b, compact, lists, readable, err) : PF_OK;
}

pf_status pf_ftrace_read_entries(const uint8_t *bytes, size_t len, unsigned list, const pf_sched_into *into,
                                 pf_ftrace_bundle *b)
{
    pf_sched_list *l = list == PF_BUNDLE_SWITCHES ? &b->switches : &b->wakings;
    const pf_sched_list own = *l;
    b->shift = into->shift;
    b->ids = into->ids;
    b->id_count = into->id_count;
    l->entry = into->entry;
    l->room = into->count;
    pf_status st = pf_ftrace_decode_lists(bytes, len, list, b, NULL);
    st = st == PF_OK && (l->count != into->count || !l->ordered) ? PF_ERR_INPUT : st; /* the file has changed */
    *l = own;
    b->shift = 0;
    b->ids = NULL;
    return st;
}

pf_status pf_ftrace_read_events(const uint8_t *bytes, size_t len, const pf_events_into *into, pf_ftrace_bundle *b)
{
    pf_ftrace_event *own = b->event;
    uint32_t room = b->event_room;
    b->event = into->event;
    b->event_room = into->count;
    b->number = into->bundle;
    b->shift = into->shift;
    b->beyond = into->beyond;
    b->lent = true;
    pf_status st = pf_ftrace_decode_lists(bytes, len, PF_BUNDLE_EVENTS, b, NULL);
    st = st == PF_OK && (b->event_count != into->count || !b->events_ordered) ? PF_ERR_INPUT : st;
    b->event = own;
    b->event_room = room;
    b->event_count = b->beyond = b->number = 0;
    b->shift = 0;
    b->lent = false;
    return st;
}

void pf_ftrace_bundle_free(pf_ftrace_bundle *b)
{
    PF_LIST_FREE(b->budget, b->switches.entry, b->switches.room);
    PF_LIST_FREE(b->budget, b->wakings.entry, b->wakings.room);
    PF_LIST_FREE(b->budget, b->comm, b->comm_room);
    PF_LIST_FREE(b->budget, b->event, b->event_room);
    PF_LIST_FREE(b->budget, b->group, b->group_room);
    *b = (pf_ftrace_bundle){.budget = b->budget};
}

/* ---- bundles of a batch ------------------------------------------------------------------------------------------ */

static bool is_bundle(const pf_record *r)
{
    return r->kind == PF_RECORD_OTHER && r->data == PF_F_PACKET_FTRACE_EVENTS;
}

/* Room for `count` bundles; new ones are empty. */
static bool make_room(pf_rows *b, uint32_t count)
{
    uint32_t room = b->bundle_room;
    if (PF_LIST_ROOM(b->budget, b->bundle, count, b->bundle_room, NULL) != PF_OK) {
        return false;
    }
    for (; room < b->bundle_room; room++) {
        b->bundle[room] = (pf_ftrace_bundle){.budget = b->budget};
    }
    return true;
}

void pf_rows_decode_bundles(pf_rows *b)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < b->records; i++) {
        count += is_bundle(&b->record[i]);
    }
    if (count == 0 || !make_room(b, count)) {
        return;
    }
    count = 0;
    for (uint32_t i = 0; i < b->records; i++) {
        pf_record *r = &b->record[i];
        if (is_bundle(r)) {
            const pf_field data =
                pf_cursor_last(pf_cursor_over(r->packet, r->packet_len), PF_TAG_BYTES(PF_F_PACKET_FTRACE_EVENTS));
            pf_ftrace_bundle *made = &b->bundle[count++];
            r->bundle =
                pf_ftrace_decode_lists(data.bytes, data.len, PF_BUNDLE_ALL | PF_BUNDLE_MEASURED, made, NULL) == PF_OK
                    ? made
                    : NULL;
        }
    }
}

void pf_rows_free_bundles(pf_rows *b)
{
    for (uint32_t i = 0; i < b->bundle_room; i++) {
        pf_ftrace_bundle_free(&b->bundle[i]);
    }
    PF_LIST_FREE(b->budget, b->bundle, b->bundle_room);
    b->bundle = NULL;
    b->bundle_room = 0;
}

pf_sched_entry pf_ftrace_switch_of(const pf_ftrace_event *e, pf_str *comm)
{
    enum { PREV_STATE = 4, NEXT_COMM = 5, NEXT_PID = 6, NEXT_PRIO = 7 };
    PF_CURSOR_FIELDS(f, pf_cursor_over(e->body, e->len), PF_AT_VARINT(PREV_STATE), PF_AT_BYTES(NEXT_COMM),
                     PF_AT_VARINT(NEXT_PID), PF_AT_VARINT(NEXT_PRIO));
    *comm = pf_field_text(&f[NEXT_COMM]);
    return (pf_sched_entry){.ts = e->ts,
                            .pid = (int32_t)f[NEXT_PID].value,
                            .prio = (int32_t)f[NEXT_PRIO].value,
                            .state = (uint16_t)f[PREV_STATE].value};
}
