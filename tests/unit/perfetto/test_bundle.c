/* What is known of lists of compact_sched and of events that are measured, next to the same ones read one by one:
 * arrays of random numbers, some of them unequal, out of order, too long or damaged; events, some of them incomplete,
 * of several messages or out of order. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "perfetto/decode/bundle.h"
#include "perfetto/fields.h"

enum { MOST = 300, BUNDLES = 5000, LISTS = 11, TEXTS = 40 };

static uint64_t state;

static uint64_t draw(uint64_t below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % below;
}

static size_t put_varint(uint8_t *to, uint64_t v)
{
    size_t n = 0;
    for (; v >= 0x80; v >>= 7) {
        to[n++] = (uint8_t)(v | 0x80);
    }
    to[n++] = (uint8_t)v;
    return n;
}

static size_t put_bytes(uint8_t *to, uint32_t field, const uint8_t *bytes, size_t len)
{
    size_t n = put_varint(to, field << 3 | 2);
    n += put_varint(to + n, len);
    memcpy(to + n, bytes, len);
    return n + len;
}

/* A list: small numbers mostly, of times larger ones. */
static size_t make_list(uint8_t *to, uint32_t field, uint32_t count, bool odd)
{
    bool is_time = field == PF_F_COMPACT_SWITCH_TIMESTAMP || field == PF_F_COMPACT_WAKING_TIMESTAMP;
    bool is_text = field == PF_F_COMPACT_SWITCH_NEXT_COMM || field == PF_F_COMPACT_WAKING_COMM;
    uint64_t below = is_time ? 1u << 20 : is_text ? TEXTS : draw(2) ? 128 : 4000;
    size_t n = 0;
    count += odd && draw(8) == 0 ? 1 : 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t v = is_time && i == 0 ? 1000000000000u : draw(below);
        n += put_varint(to + n, odd && draw(400) == 0 ? v << draw(40) | draw(2) << 63 : v);
    }
    if (odd && n && draw(16) == 0) {
        to[draw(n)] |= 0x80;
    }
    return n;
}

static size_t make_bundle(uint8_t *to)
{
    static uint8_t compact[LISTS * MOST * 11], list[MOST * 11];
    uint32_t counts[2] = {(uint32_t)draw(MOST), (uint32_t)draw(MOST)};
    bool odd = draw(2);
    size_t n = 0;
    for (uint32_t texts = TEXTS - (odd && draw(4) == 0); texts > 0; texts--) {
        n += put_bytes(compact + n, PF_F_COMPACT_TEXTS, (const uint8_t *)"comm", 4);
    }
    for (uint32_t field = PF_F_COMPACT_SWITCH_TIMESTAMP; field <= PF_F_COMPACT_WAKING_FLAGS; field++) {
        if (field != PF_F_COMPACT_TEXTS) {
            size_t len = make_list(list, field, counts[field >= PF_F_COMPACT_WAKING_TIMESTAMP], odd);
            n += put_bytes(compact + n, field, list, len);
        }
    }
    return put_bytes(to, PF_F_FTRACE_COMPACT_SCHED, compact, n);
}

/* What was measured is what is read; whole lists are read again, later and with other texts, as they were. */
static bool compare(const uint8_t *bytes, size_t len, unsigned list, const pf_sched_list *measured,
                    const pf_sched_list *read)
{
    pf_sched_entry entry[MOST + 1];
    uint32_t ids[TEXTS];
    cr_assert_eq(measured->damaged, read->damaged);
    cr_assert_eq(measured->count, read->count);
    if (read->count == 0) {
        return false;
    }
    cr_assert_eq(measured->ordered, read->ordered);
    cr_assert_eq(measured->first, read->entry[0].ts);
    cr_assert_eq(measured->last, read->entry[read->count - 1].ts);
    if (read->damaged) {
        return false;
    }
    for (uint32_t i = 0; i < TEXTS; i++) {
        ids[i] = 1000 + i;
    }
    pf_ftrace_bundle scratch = {.budget = NULL};
    const pf_sched_into into = {entry, read->count, -77, ids, TEXTS};
    cr_assert_eq(pf_ftrace_read_entries(bytes, len, list, &into, &scratch), read->ordered ? PF_OK : PF_ERR_INPUT);
    for (uint32_t i = 0; i < read->count; i++) {
        const pf_sched_entry *a = &entry[i], *b = &read->entry[i];
        cr_assert(a->ts == b->ts - 77 && a->pid == b->pid && a->prio == b->prio && a->comm == 1000 + b->comm &&
                  a->state == b->state && a->cpu == b->cpu);
    }
    pf_ftrace_bundle_free(&scratch);
    return measured->measured;
}

static void take_seed(void)
{
    const char *given = getenv("PF_SEED");
    state = given ? strtoull(given, NULL, 10) : pf_hash_random_seed();
    printf("bundle: seed %llu (PF_SEED repeats it)\n", (unsigned long long)state);
}

Test(bundle, measured_lists_are_those_that_are_read)
{
    static uint8_t bytes[LISTS * MOST * 12];
    take_seed();
    pf_ftrace_bundle measured = {.budget = NULL}, read = {.budget = NULL};
    uint32_t alike = 0;
    for (uint32_t i = 0; i < BUNDLES; i++) {
        size_t len = make_bundle(bytes);
        cr_assert_eq(pf_ftrace_decode(bytes, len, &read, NULL), PF_OK);
        cr_assert_eq(pf_ftrace_decode_lists(bytes, len, PF_BUNDLE_ALL | PF_BUNDLE_MEASURED, &measured, NULL), PF_OK);
        cr_assert_not(read.switches.measured || read.wakings.measured);
        alike += compare(bytes, len, PF_BUNDLE_SWITCHES, &measured.switches, &read.switches);
        alike += compare(bytes, len, PF_BUNDLE_WAKINGS, &measured.wakings, &read.wakings);
    }
    cr_assert_gt(alike, BUNDLES / 2);
    pf_ftrace_bundle_free(&measured);
    pf_ftrace_bundle_free(&read);
}

/* An event: a time, a thread and a message, mostly. */
static size_t make_event(uint8_t *to, uint64_t ts, bool odd)
{
    uint8_t body[400];
    size_t n = 0;
    uint64_t messages = odd && draw(20) == 0 ? draw(4) : 1;
    if (!odd || draw(20)) {
        n += put_varint(body + n, PF_F_FTRACE_EVENT_TIMESTAMP << 3);
        n += put_varint(body + n, ts);
    }
    if (!odd || draw(20)) {
        n += put_varint(body + n, PF_F_FTRACE_EVENT_PID << 3);
        n += put_varint(body + n, draw(100000));
    }
    for (; messages > 0; messages--) {
        n += put_bytes(body + n, (uint32_t)draw(2) ? 4 : 20, (const uint8_t *)"\x08\x01 and so on and so on", draw(22));
    }
    n -= odd && draw(100) == 0;
    return put_bytes(to, PF_F_FTRACE_EVENT, body, n);
}

/* Events of a bundle that follow each other as parts take them: the same as those that were read before. */
static void compare_events(const uint8_t *bytes, size_t len, const pf_ftrace_bundle *read)
{
    pf_ftrace_event event[MOST * 4];
    pf_ftrace_bundle scratch = {.budget = NULL};
    for (int more = -1; more <= 1; more++) {
        uint32_t count = read->event_count + (uint32_t)more;
        const pf_events_into into = {event, count, 7, 1000, 0};
        bool fits = more == 0 && read->events_ordered;
        pf_status st = count > MOST * 4 ? PF_ERR_INPUT : pf_ftrace_read_events(bytes, len, &into, &scratch);
        cr_assert_eq(st, fits ? PF_OK : PF_ERR_INPUT);
        for (uint32_t i = 0; fits && i < count; i++) {
            const pf_ftrace_event *a = &event[i], *b = &read->event[i];
            cr_assert(a->ts == b->ts + 1000 && a->body == b->body && a->len == b->len && a->kind == b->kind &&
                      a->tid == b->tid && a->flags == b->flags && a->bundle == 7);
        }
    }
    pf_ftrace_bundle_free(&scratch);
}

Test(bundle, measured_events_are_those_that_are_read)
{
    static uint8_t bytes[MOST * 420];
    take_seed();
    pf_ftrace_bundle measured = {.budget = NULL}, read = {.budget = NULL};
    uint32_t ordered = 0;
    for (uint32_t i = 0; i < BUNDLES / 5; i++) {
        bool odd = draw(2);
        uint64_t ts = 1000000000000u;
        size_t len = 0;
        for (uint64_t events = draw(MOST); events > 0; events--) {
            ts += odd && draw(1000) == 0 ? (uint64_t)-5 : draw(100000);
            len += make_event(bytes + len, ts, odd);
        }
        cr_assert_eq(pf_ftrace_decode(bytes, len, &read, NULL), PF_OK);
        cr_assert_eq(pf_ftrace_decode_lists(bytes, len, PF_BUNDLE_ALL | PF_BUNDLE_MEASURED, &measured, NULL), PF_OK);
        cr_assert(measured.event_count == read.event_count && measured.events_ordered == read.events_ordered &&
                  measured.untimed == read.untimed && measured.unnamed == read.unnamed &&
                  measured.groups == read.groups);
        for (uint32_t g = 0, end; g < read.groups; g++) {
            const pf_event_group *group = &measured.group[g];
            end = g + 1 < read.groups ? read.group[g + 1].first : read.event_count;
            cr_assert(group->at == read.group[g].at && group->first == read.group[g].first);
            cr_assert(end == group->first ||
                      (group->first_ts == read.event[group->first].ts && group->last_ts == read.event[end - 1].ts));
        }
        if (read.event_count) {
            cr_assert(measured.events_first == read.event[0].ts &&
                      measured.events_last == read.event[read.event_count - 1].ts);
            compare_events(bytes, len, &read);
        }
        ordered += read.events_ordered;
    }
    cr_assert(ordered > BUNDLES / 20 && ordered < BUNDLES / 5);
    pf_ftrace_bundle_free(&measured);
    pf_ftrace_bundle_free(&read);
}
