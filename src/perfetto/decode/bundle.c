/* perfetto/decode/bundle.c - bundles of ftrace events to entries.
 *
 * The arrays of compact_sched are packed varints of equal count. How many there are is the number of bytes that end
 * one, which is counted first; so memory for the entries is taken once, and each array is then written into its member
 * of all entries. Arrays of unequal length are damage: entries count as far as all of them go.
 */
#include "perfetto/decode/bundle.h"

#include "base/list.h"
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

/* A place for the n-th number of a list: a member of an entry. */
typedef struct member {
    size_t at, size;
    bool sums; /* numbers are differences */
} member;

static inline __attribute__((always_inline)) void put_member(uint8_t *entry, member m, uint64_t v)
{
    if (m.size == 8) {
        memcpy(entry + m.at, &v, 8);
    } else if (m.size == 4) {
        const uint32_t cell = (uint32_t)v;
        memcpy(entry + m.at, &cell, 4);
    } else {
        const uint16_t cell = (uint16_t)v;
        memcpy(entry + m.at, &cell, 2);
    }
}

/* Writes the first `count` numbers into that member of the entries. Returns how many could be read. */
static inline __attribute__((always_inline)) uint32_t fill(const pf_field *f, pf_sched_entry *entry, uint32_t count,
                                                           member m)
{
    const uint8_t *p = f->bytes, *end = p ? p + f->len : p; /* a list that is not there */
    uint64_t v, sum = 0;
    uint32_t i = 0;
    for (; i < count && p && end - p >= PF_VARINT_MAX; i++) {
        p = pf_varint_slop(p, &v);
        sum = m.sums ? sum + v : v;
        put_member((uint8_t *)&entry[i], m, sum);
    }
    for (; i < count && p; i++) {
        p = pf_varint(p, end, &v);
        sum = m.sums ? sum + v : v;
        put_member((uint8_t *)&entry[i], m, sum);
    }
    return p || i == 0 ? i : i - 1;
}

#define MEMBER(name) ((member){offsetof(pf_sched_entry, name), sizeof((pf_sched_entry *)0)->name, false})
#define TIMES ((member){offsetof(pf_sched_entry, ts), 8, true})

static inline uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Ends the list at the first entry whose text is not in the table. */
static void check_texts(pf_sched_list *l, uint32_t texts)
{
    uint32_t i = 0;
    while (i < l->count && l->entry[i].comm < texts) {
        i++;
    }
    l->damaged |= i < l->count;
    l->count = i;
}

/* Room for as many entries as the shortest of the lists has; unequal ones are damage. */
static pf_status begin_list(pf_budget *budget, pf_sched_list *l, const pf_field *const *lists, size_t n, pf_error *err)
{
    uint32_t least_count = UINT32_MAX, most = 0;
    l->count = 0;
    l->damaged = false;
    for (size_t i = 0; i < n; i++) {
        uint32_t count = lists[i]->tag ? count_varints(lists[i]) : 0;
        bool cut = lists[i]->tag && lists[i]->len && lists[i]->bytes[lists[i]->len - 1] >= 0x80;
        l->damaged |= cut;
        least_count = least(least_count, count);
        most = count > most ? count : most;
    }
    l->damaged |= least_count != most;
    PF_TRY(PF_LIST_ROOM(budget, l->entry, least_count, l->room, err));
    l->count = least_count;
    return PF_OK;
}

#define FILL(field, name)                                                                                              \
    do {                                                                                                               \
        uint32_t read = fill(field, l->entry, l->count, name);                                                         \
        l->damaged |= read < l->count;                                                                                 \
        l->count = read;                                                                                               \
    } while (0)

static pf_status read_switches(pf_ftrace_bundle *b, const pf_field *f, pf_error *err)
{
    const pf_field *const lists[] = {&f[PF_F_COMPACT_SWITCH_TIMESTAMP], &f[PF_F_COMPACT_SWITCH_PREV_STATE],
                                     &f[PF_F_COMPACT_SWITCH_NEXT_PID], &f[PF_F_COMPACT_SWITCH_NEXT_PRIO],
                                     &f[PF_F_COMPACT_SWITCH_NEXT_COMM]};
    pf_sched_list *l = &b->switches;
    PF_TRY(begin_list(b->budget, l, lists, sizeof lists / sizeof *lists, err));
    FILL(lists[0], TIMES);
    FILL(lists[1], MEMBER(state));
    FILL(lists[2], MEMBER(pid));
    FILL(lists[3], MEMBER(prio));
    FILL(lists[4], MEMBER(comm));
    check_texts(l, b->comm_count);
    return PF_OK;
}

/* Flags are not there in older recordings, or only of the first wakings: the others have none. */
static pf_status read_wakings(pf_ftrace_bundle *b, const pf_field *f, pf_error *err)
{
    const pf_field *const lists[] = {&f[PF_F_COMPACT_WAKING_TIMESTAMP], &f[PF_F_COMPACT_WAKING_PID],
                                     &f[PF_F_COMPACT_WAKING_TARGET_CPU], &f[PF_F_COMPACT_WAKING_PRIO],
                                     &f[PF_F_COMPACT_WAKING_COMM]};
    const pf_field *flags = &f[PF_F_COMPACT_WAKING_FLAGS];
    pf_sched_list *l = &b->wakings;
    PF_TRY(begin_list(b->budget, l, lists, sizeof lists / sizeof *lists, err));
    FILL(lists[0], TIMES);
    FILL(lists[1], MEMBER(pid));
    FILL(lists[2], MEMBER(cpu));
    FILL(lists[3], MEMBER(prio));
    FILL(lists[4], MEMBER(comm));
    check_texts(l, b->comm_count);
    uint32_t i = flags->tag ? fill(flags, l->entry, least(l->count, count_varints(flags)), MEMBER(state)) : 0;
    for (; i < l->count; i++) {
        l->entry[i].state = 0;
    }
    return PF_OK;
}

static pf_status read_compact(pf_ftrace_bundle *b, const pf_field *compact, pf_error *err)
{
    pf_cursor c = pf_field_cursor(compact);
    pf_field text;
    PF_CURSOR_FIELDS(f, c, PF_AT_BYTES(PF_F_COMPACT_SWITCH_TIMESTAMP), PF_AT_BYTES(PF_F_COMPACT_SWITCH_PREV_STATE),
                     PF_AT_BYTES(PF_F_COMPACT_SWITCH_NEXT_PID), PF_AT_BYTES(PF_F_COMPACT_SWITCH_NEXT_PRIO),
                     PF_AT_BYTES(PF_F_COMPACT_SWITCH_NEXT_COMM), PF_AT_BYTES(PF_F_COMPACT_WAKING_TIMESTAMP),
                     PF_AT_BYTES(PF_F_COMPACT_WAKING_PID), PF_AT_BYTES(PF_F_COMPACT_WAKING_TARGET_CPU),
                     PF_AT_BYTES(PF_F_COMPACT_WAKING_PRIO), PF_AT_BYTES(PF_F_COMPACT_WAKING_COMM),
                     PF_AT_BYTES(PF_F_COMPACT_WAKING_FLAGS));
    while (pf_cursor_next_of(&c, PF_TAG_BYTES(PF_F_COMPACT_TEXTS), &text)) {
        PF_TRY(PF_LIST_ROOM(b->budget, b->comm, b->comm_count + 1, b->comm_room, err));
        b->comm[b->comm_count++] = pf_field_text(&text);
    }
    PF_TRY(read_switches(b, f, err));
    return read_wakings(b, f, err);
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

/* Every message in the event is an event of its own; they share what is said of all. */
static pf_status read_event(pf_ftrace_bundle *b, const pf_field *event, pf_error *err)
{
    pf_cursor c = pf_field_cursor(event);
    pf_field f;
    uint32_t first = b->event_count;
    pf_ftrace_event all = {.ts = 0};
    bool timed = false, has_tid = false;
    while (pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        if (f.tag == PF_TAG_VARINT(PF_F_FTRACE_EVENT_TIMESTAMP)) {
            all.ts = (int64_t)f.value;
            timed = true;
        } else if (f.tag == PF_TAG_VARINT(PF_F_FTRACE_EVENT_PID)) {
            all.tid = (uint32_t)f.value;
            has_tid = true;
        } else if (f.tag == PF_TAG_VARINT(PF_F_FTRACE_EVENT_FLAGS)) {
            all.flags = (uint32_t)f.value;
        } else if (pf_field_wire(&f) == PF_WIRE_BYTES) {
            PF_TRY(PF_LIST_ROOM(b->budget, b->event, b->event_count + 1, b->event_room, err));
            b->event[b->event_count++] = (pf_ftrace_event){.body = f.bytes, .len = f.len, .kind = pf_field_number(&f)};
        }
    }
    b->untimed += !timed;
    b->unnamed += timed && b->event_count == first;
    for (uint32_t i = first; i < b->event_count; i++) {
        b->event[i].ts = all.ts;
        b->event[i].tid = all.tid;
        b->event[i].flags = all.flags;
    }
    b->event_count = timed && has_tid ? b->event_count : first;
    return PF_OK;
}

/* ---- the bundle -------------------------------------------------------------------------------------------------- */

static void begin_bundle(pf_ftrace_bundle *b, pf_cursor c)
{
    PF_CURSOR_FIELDS(f, c, PF_AT_VARINT(PF_F_FTRACE_CPU), PF_AT_VARINT(PF_F_FTRACE_LOST_EVENTS),
                     PF_AT_VARINT(PF_F_FTRACE_CLOCK), PF_AT_VARINT(PF_F_FTRACE_TIMESTAMP),
                     PF_AT_VARINT(PF_F_FTRACE_BOOT_TIMESTAMP), PF_AT_VARINT(PF_F_FTRACE_LAST_READ),
                     PF_AT_VARINT(PF_F_FTRACE_PREVIOUS_END));
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
    b->switches.count = b->wakings.count = b->comm_count = b->event_count = b->untimed = b->unnamed = 0;
    b->switches.damaged = b->wakings.damaged = b->has_descriptors = false;
}

pf_status pf_ftrace_decode(const uint8_t *bytes, size_t len, pf_ftrace_bundle *b, pf_error *err)
{
    pf_cursor c = pf_cursor_over(bytes, len);
    pf_field f, compact = {0};
    begin_bundle(b, c);
    while (pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        if (f.tag == PF_TAG_BYTES(PF_F_FTRACE_EVENT)) {
            PF_TRY(read_event(b, &f, err));
        } else if (f.tag == PF_TAG_BYTES(PF_F_FTRACE_COMPACT_SCHED)) {
            compact = f;
        }
        b->has_descriptors |= f.tag == PF_TAG_BYTES(PF_F_FTRACE_DESCRIPTORS);
    }
    return compact.tag ? read_compact(b, &compact, err) : PF_OK;
}

void pf_ftrace_bundle_free(pf_ftrace_bundle *b)
{
    PF_LIST_FREE(b->budget, b->switches.entry, b->switches.room);
    PF_LIST_FREE(b->budget, b->wakings.entry, b->wakings.room);
    PF_LIST_FREE(b->budget, b->comm, b->comm_room);
    PF_LIST_FREE(b->budget, b->event, b->event_room);
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
            r->bundle = pf_ftrace_decode(data.bytes, data.len, made, NULL) == PF_OK ? made : NULL;
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
