/* unit/edit/test_cut_random.c - what a part of a random trace shows is what the whole shows in its window, as the
 * reader of the library tells both: slices clipped at the edges, each counter from its last value on. Sequences of all
 * kinds (clocks that count from packet to packet, times as differences, tracks by default, threads, events of Chrome),
 * of which none waits for another in the file. */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "cut_packets.h"
#include "scratch.h"

TestSuite(cut_random, .init = scratch_enter, .fini = scratch_leave);

enum { EVENTS = 600, SEQUENCES = 5, TRACKS = 3, DEEP = 5, NAMES = 6, US = 1000, REFERENCE_US = 6 };
enum { SUM = 90, REAL, PLAIN, EXTRA };

/* A sequence writes into a buffer of its own, which goes into the file from time to time. */
static struct sequence {
    pf_buffer packets;
    uint64_t last;          /* its clock */
    uint32_t depth[TRACKS]; /* open slices */
    uint64_t free_from;     /* complete events do not overlap */
} sequences[SEQUENCES + 1];

static bool late_values; /* some come after later ones */

static uint64_t random_state;
static uint64_t below(uint64_t n)
{
    random_state = pf_hash_next_seed(random_state);
    return (random_state >> 16) % n;
}

static uint64_t track_of(uint64_t sequence, uint64_t lane)
{
    return 10 * sequence + lane;
}

/* Names and where times count from; a clear in the middle of the trace, too. */
static void begin_sequence(uint64_t id, uint64_t ts)
{
    struct sequence *s = &sequences[id];
    uint64_t shift = below(NAMES);
    clear(id == 1 ? below(10) : ts, id, id == 1 ? 64 : 0, id < 3 ? track_of(id, 0) : 0);
    pf_writer_begin(&w, PF_F_PACKET_INTERNED_DATA);
    for (uint64_t i = 0; i < NAMES; i++) {
        char name[8];
        snprintf(name, sizeof name, "n%u", (unsigned)((i + shift) % NAMES));
        intern(i + 1, name);
    }
    pf_writer_end(&w);
    if (id >= 3) {
        pf_writer_begin(&w, PF_F_PACKET_THREAD_DESCRIPTOR);
        pf_writer_varint(&w, 1, 5);
        pf_writer_varint(&w, 2, id);
        pf_writer_varint(&w, REFERENCE_US, ts / US);
        done();
    } else if (id == 1) {
        pf_writer_begin(&w, PF_F_PACKET_CLOCK_SNAPSHOT);
        for (uint64_t i = 0; i < 2; i++) {
            pf_writer_begin(&w, PF_F_SNAPSHOT_CLOCKS);
            pf_writer_varint(&w, PF_F_CLOCK_ID, i ? 64 : PF_CLOCK_BOOTTIME);
            pf_writer_varint(&w, PF_F_CLOCK_TIMESTAMP, ts);
            pf_writer_varint(&w, PF_F_CLOCK_IS_INCREMENTAL, i);
            pf_writer_end(&w);
        }
        done();
    } else {
        pf_writer_end(&w);
    }
    s->last = ts;
}

/* An event of the sequence, open. Sequences 3 and 4 say nothing of a track. */
static void begin_event(uint64_t id, uint64_t lane, uint64_t ts, int type)
{
    struct sequence *s = &sequences[id];
    uint64_t track = id >= 3 || (id == 1 && lane == 0) ? 0 : track_of(id, lane);
    if (id == 3) { /* a time as a difference */
        pf_writer_begin(&w, PF_F_TRACE_PACKET);
        pf_writer_varint(&w, PF_F_PACKET_SEQUENCE_ID, id);
        pf_writer_begin(&w, PF_F_PACKET_TRACK_EVENT);
        pf_writer_varint(&w, PF_F_EVENT_TIMESTAMP_DELTA_US, (ts - s->last) / US);
        pf_writer_varint(&w, PF_F_EVENT_TYPE, (uint64_t)type);
    } else {
        event(id == 1 ? ts - s->last : ts, id, type, track);
    }
    s->last = ts;
}

static void put_name(uint64_t name)
{
    if (below(2)) {
        pf_writer_varint(&w, PF_F_EVENT_NAME_IID, name);
    } else {
        text(PF_F_EVENT_NAME, "n");
    }
}

/* Values of counters on an event of something else. */
static void put_extra(void)
{
    if (below(4) == 0) {
        pf_writer_varint(&w, PF_F_EVENT_EXTRA_COUNTER_TRACK_UUIDS, EXTRA);
        pf_writer_varint(&w, PF_F_EVENT_EXTRA_COUNTER_VALUES, below(1000));
    }
}

static void put_slice_or_instant(uint64_t id, uint64_t lane, uint64_t ts)
{
    struct sequence *s = &sequences[id];
    uint32_t *depth = &s->depth[lane];
    bool ends = *depth && (*depth == DEEP || below(2));
    if (below(8) == 0) {
        begin_event(id, lane, ts, PF_EVENT_INSTANT);
        text(PF_F_EVENT_NAME, "i");
    } else if (ends) {
        begin_event(id, lane, ts, PF_EVENT_SLICE_END);
        --*depth;
        if (below(6) == 0) { /* it may fit one further out, or none */
            text(PF_F_EVENT_NAME, below(2) ? "n" : "n1");
        }
    } else {
        begin_event(id, lane, ts, PF_EVENT_SLICE_BEGIN);
        put_name(1 + below(NAMES));
        ++*depth;
    }
    if (id == 2) {
        put_extra();
    }
    done();
}

static void put_value(uint64_t ts)
{
    uint64_t counter = SUM + below(3);
    event(ts, 2, PF_EVENT_COUNTER, counter);
    if (counter == REAL) {
        pf_writer_double(&w, PF_F_EVENT_DOUBLE_COUNTER_VALUE, (double)below(1000) / 2);
    } else {
        pf_writer_varint(&w, PF_F_EVENT_COUNTER_VALUE, below(1000));
    }
    done();
}

/* An event of Chrome: complete, or the begin or end of an operation. */
static void put_chrome(uint64_t id, uint64_t ts)
{
    struct sequence *s = &sequences[id];
    uint64_t operation = below(TRACKS), dur = below(4) * 40;
    bool complete = id == 4, ends = s->depth[operation] > 0;
    if (complete && ts < s->free_from) {
        return;
    }
    begin_event(id, 0, ts, 0);
    text(PF_F_EVENT_NAME, "chrome");
    text(PF_F_EVENT_CATEGORIES, "c");
    pf_writer_begin(&w, PF_F_EVENT_LEGACY_EVENT);
    pf_writer_varint(&w, PF_F_LEGACY_PHASE, complete ? 'X' : ends ? 'e' : 'b');
    if (complete) {
        pf_writer_varint(&w, PF_F_LEGACY_DURATION_US, dur);
        s->free_from = ts + dur * US;
    } else {
        pf_writer_varint(&w, PF_F_LEGACY_GLOBAL_ID, operation);
        s->depth[operation] = !ends;
    }
    pf_writer_end(&w);
    done();
}

/* Packets of a sequence go on in its buffer. */
static void switch_to(uint64_t id)
{
    bytes = sequences[id].packets;
}
static void leave(uint64_t id)
{
    sequences[id].packets = bytes;
}

static uint64_t write_trace(uint64_t seed)
{
    pf_buffer file = {0};
    uint64_t ts = 10 * US;
    random_state = seed;
    late_values = below(2);
    memset(sequences, 0, sizeof sequences);
    pf_buffer_free(&bytes);
    pf_writer_init(&w, &bytes);
    for (uint64_t id = 1; id <= 2; id++) {
        for (uint64_t lane = 0; lane < TRACKS; lane++) {
            char name[] = {'t', (char)('0' + id), (char)('a' + lane), '\0'};
            describe(track_of(id, lane), 0, name);
        }
    }
    describe_counter(SUM, true);
    describe_counter(REAL, false);
    describe_counter(PLAIN, false);
    describe_counter(EXTRA, false);
    file = bytes;
    for (uint64_t i = 0; i < EVENTS; i++) {
        uint64_t id = 1 + below(SEQUENCES), lane = below(TRACKS);
        ts += below(4) * 10 * US;
        switch_to(id);
        if (!sequences[id].last || (id == 1 && below(80) == 0)) {
            begin_sequence(id, ts);
        }
        if (id == 2 && lane == 2) {
            put_value(late_values && below(4) == 0 ? below(ts / US) * US : ts);
        } else if (id >= 4) {
            put_chrome(id, ts);
        } else {
            put_slice_or_instant(id, id == 3 ? 0 : lane, ts);
        }
        leave(id);
        for (uint64_t k = 1; k <= SEQUENCES && (i + 1 == EVENTS || below(30) == 0); k++) {
            pf_buffer_put(&file, sequences[k].packets.data, sequences[k].packets.len);
            sequences[k].packets.len = 0;
        }
    }
    for (uint64_t k = 1; k <= SEQUENCES; k++) {
        pf_buffer_free(&sequences[k].packets);
    }
    bytes = file;
    write_file("in.pftrace");
    return ts;
}

/* ---- what is shown ----------------------------------------------------------------------------------------------- */

typedef struct window {
    int64_t from, to, least; /* least: of slices */
} window;

/* Lines of slices and values that the window has, in the order of their text. whole: they are to be clipped to it. */
static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void put_lines(pf_buffer *b, pf_buffer *lines)
{
    size_t count = 0;
    char **line = malloc((lines->len + 1) * sizeof *line);
    pf_buffer_put(lines, "", 1);
    for (char *at = strtok(lines->data, "\n"); at; at = strtok(NULL, "\n")) {
        line[count++] = at;
    }
    qsort(line, count, sizeof *line, by_text);
    for (size_t i = 0; i < count; i++) {
        pf_buffer_format(b, "%s\n", line[i]);
    }
    free(line);
    pf_buffer_free(lines);
    pf_buffer_put(b, "", 1);
}

/* Whether the window has the slice; *ts: from then on. */
static bool shows(const pf_trace *t, uint32_t slice, const window *x, int64_t *ts)
{
    const pf_slices *s = pf_trace_slices(t);
    const pf_str name = pf_trace_string(t, pf_trace_events(t)->name[s->event[slice]]);
    int64_t begin = pf_trace_events(t)->ts[s->event[slice]], dur = s->dur[slice];
    int64_t end = dur < 0 ? INT64_MAX : begin + dur;
    *ts = begin > x->from ? begin : x->from;
    return begin < x->to && (end > x->from || begin >= x->from) && (dur < 0 || dur >= x->least || name.ptr[0] == 'i');
}

static void show_slices(const pf_trace *t, const window *x, pf_buffer *lines)
{
    const pf_slices *s = pf_trace_slices(t);
    for (uint32_t i = 0; i < s->count; i++) {
        pf_str name = pf_trace_string(t, pf_trace_events(t)->name[s->event[i]]);
        pf_str track = pf_trace_string(t, pf_trace_tracks(t)->name[s->track[i]]);
        int64_t begin = pf_trace_events(t)->ts[s->event[i]], dur = s->dur[i], ts;
        if (!shows(t, i, x, &ts)) {
            continue;
        }
        int64_t end = dur < 0 ? ts - 1 : begin + dur < x->to ? begin + dur : x->to;
        pf_buffer_format(lines, "%.*s %lld %lld %.*s\n", (int)name.len, name.ptr, (long long)ts, (long long)(end - ts),
                         (int)track.len, track.len ? track.ptr : "");
    }
}

static void show_values(const pf_trace *t, const window *x, pf_buffer *lines)
{
    const pf_counters *c = pf_trace_counters(t);
    for (uint32_t i = 0; i < c->count; i++) {
        int64_t ts = c->ts[i];
        bool last = ts < x->from;
        for (uint32_t k = 0; k < c->count && last; k++) { /* another one after it, up to the start */
            last = c->track[k] != c->track[i] || c->ts[k] > x->from || c->ts[k] < ts || (c->ts[k] == ts && k <= i);
        }
        if (ts < x->to && (ts >= x->from || last)) {
            pf_buffer_format(lines, "%lld %g\n", (long long)(ts > x->from ? ts : x->from), c->value[i]);
        }
    }
}

static void show_window(const char *path, const window *x, pf_buffer *b)
{
    pf_buffer lines = {0};
    pf_trace *t;
    pf_error err;
    pf_read_options o = pf_read_options_default();
    cr_assert_eq(pf_read(&path, 1, &o, &t, &err), PF_OK, "%s", err.text);
    show_slices(t, x, &lines);
    show_values(t, x, &lines);
    put_lines(b, &lines);
    pf_trace_free(t);
}

static void compare(const char *whole, const char *path, const window *x, uint64_t seed)
{
    pf_buffer want = {0}, got = {0};
    const window all = {x->from, x->to, 0};
    show_window(whole, x, &want);
    show_window(path, &all, &got);
    cr_expect_str_eq(got.data, want.data, "seed %llu, window %lld to %lld, %lld", (unsigned long long)seed,
                     (long long)x->from, (long long)x->to, (long long)x->least);
    pf_buffer_free(&want);
    pf_buffer_free(&got);
}

Test(cut_random, a_part_shows_what_the_whole_shows_in_its_window)
{
    const char *given = getenv("POSTFETTO_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 10) : pf_hash_random_seed();
    for (uint64_t r = seed; r < seed + 8; r++) {
        int64_t end = (int64_t)write_trace(r);
        int64_t first = (int64_t)below((uint64_t)end / US) * US, second = first + (1 + (int64_t)below(500)) * US;
        const pf_split_window windows[] = {
            {first, second, NULL}, {second, second + end / 8, NULL}, {end - 90 * US, end, NULL}};
        pf_cut_options o = pf_cut_options_default();
        pf_split_options s = pf_split_options_default();
        pf_error err;
        o.min_dur = (int64_t)below(3) * 30 * US;
        cut_file("in.pftrace", "cut.pftrace", &o, first, second);
        compare("in.pftrace", "cut.pftrace", &(window){first, second, o.min_dur}, r);
        s.windows = windows;
        s.window_count = second + end / 8 < end - 90 * US ? 3 : 2;
        cr_assert_eq(pf_split("in.pftrace", ".", &s, NULL, &err), PF_OK, "%s", err.text);
        compare("in.pftrace", "part-0001.pftrace", &(window){first, second, 0}, r);
        compare("in.pftrace", "part-0002.pftrace", &(window){second, windows[1].to, 0}, r);
        if (s.window_count == 3) {
            compare("in.pftrace", "part-0003.pftrace", &(window){windows[2].from, end, 0}, r);
        }
    }
}

/* ---- Chrome JSON ------------------------------------------------------------------------------------------------- */

/* Arrows between slices that the window both has, whatever their direction, which is that of the begins. */
static pf_buffer list_flows(const char *path, const window *x)
{
    pf_buffer lines = {0}, sorted = {0};
    pf_trace *t;
    pf_error err;
    pf_read_options o = pf_read_options_default();
    cr_assert_eq(pf_read(&path, 1, &o, &t, &err), PF_OK, "%s", err.text);
    const pf_flows *f = pf_trace_flows(t);
    for (uint32_t i = 0; i < f->count; i++) {
        int64_t ts;
        uint32_t ends[] = {f->slice_out[i], f->slice_in[i]};
        char name[2][16];
        for (int k = 0; k < 2; k++) {
            pf_str s = pf_trace_string(t, pf_trace_events(t)->name[pf_trace_slices(t)->event[ends[k]]]);
            snprintf(name[k], sizeof name[k], "%.*s", (int)s.len, s.ptr);
        }
        bool up = strcmp(name[0], name[1]) < 0;
        if (shows(t, ends[0], x, &ts) && shows(t, ends[1], x, &ts)) {
            pf_buffer_format(&lines, "%s %s\n", name[!up], name[up]);
        }
    }
    pf_trace_free(t);
    put_lines(&sorted, &lines);
    return sorted;
}

/* Whether each line of one is one of the other, both sorted. */
static bool has_all(const char *lines, const char *some)
{
    while (*some) {
        size_t len = strcspn(some, "\n") + 1;
        while (*lines && strncmp(lines, some, len) != 0) {
            lines += strcspn(lines, "\n") + 1;
        }
        if (!*lines) {
            return false;
        }
        lines += len;
        some += len;
    }
    return true;
}

enum { BEGINS = 1, COMPLETE, OPERATIONS, VALUES, THREADS = VALUES };

/* Begins and ends, complete events, operations, values, a thread each, in order on each; arrows up to a time. In us. */
static void write_json(const char *path, uint64_t seed, uint64_t arrows_until)
{
    pf_buffer file = {0}, lines[THREADS + 1] = {{0}};
    uint64_t ts = 10, ends[DEEP + 1] = {0}, arrow = 0;
    uint32_t begun = 0, deep = 0, open = 0;
    bool pending = false, over = false; /* over: the last complete event, which is on top until the next one comes */
    random_state = seed;
    pf_buffer_text(&file, "[");
    for (uint64_t i = 0; i < EVENTS; i++) {
        uint64_t thread = 1 + below(THREADS), id = below(3);
        pf_buffer *b = &lines[thread];
        ts += 1 + below(4);
        while (deep && ends[deep] <= ts) {
            over = true;
            deep--;
        }
        pf_buffer_format(b, "{\"pid\":1,\"tid\":%u,\"ts\":%llu,", (unsigned)thread, (unsigned long long)ts);
        if ((thread == BEGINS ? begun : thread == COMPLETE && !over ? deep : 0) && below(3) == 0) {
            arrow += !pending;
            const char *phase = ts >= arrows_until ? "n" : pending ? "f" : "s";
            pf_buffer_format(b, "\"ph\":\"%s\",\"bp\":\"e\",\"id\":%llu,\"cat\":\"k\",\"name\":\"f\"},\n", phase,
                             (unsigned long long)arrow);
            pending = !pending;
        } else if (thread == BEGINS && begun && (begun == DEEP || below(2))) {
            pf_buffer_text(b, "\"ph\":\"E\"},\n");
            begun--;
        } else if (thread == BEGINS) {
            pf_buffer_format(b, "\"ph\":\"B\",\"name\":\"b%u\"},\n", (unsigned)i);
            begun++;
        } else if (thread == COMPLETE) {
            uint64_t most = deep ? ends[deep] - ts : 90, dur = below((most < 90 ? most : 90) + 1);
            pf_buffer_format(b, "\"ph\":\"X\",\"dur\":%u,\"name\":\"x%u\"},\n", (unsigned)dur, (unsigned)i);
            over = dur == 0 || deep == DEEP;
            if (dur && deep < DEEP) {
                ends[++deep] = ts + dur;
            }
        } else if (thread == OPERATIONS && below(6) == 0) {
            pf_buffer_format(b, "\"ph\":\"i\",\"name\":\"i%u\"},\n", (unsigned)i);
        } else if (thread == OPERATIONS) {
            bool is_open = open >> id & 1;
            pf_buffer_format(b, "\"ph\":\"%s\",\"cat\":\"k\",\"id\":%u,\"name\":\"o%u\"},\n", is_open ? "e" : "b",
                             (unsigned)id, (unsigned)id);
            open ^= 1u << id;
        } else {
            pf_buffer_format(b, "\"ph\":\"C\",\"name\":\"c%u\",\"args\":{\"v\":%u}},\n", (unsigned)id, (unsigned)i);
        }
        for (uint64_t k = 1; k <= THREADS && (i + 1 == EVENTS || below(30) == 0); k++) {
            pf_buffer_put(&file, lines[k].data, lines[k].len);
            lines[k].len = 0;
        }
    }
    for (uint64_t k = 1; k <= THREADS; k++) {
        pf_buffer_free(&lines[k]);
    }
    pf_buffer_text(&file, "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"args\":{\"name\":\"p\"}}]");
    pf_buffer_put(&file, "", 1);
    scratch_write(path, file.data);
    pf_buffer_free(&file);
}

/* Arrows that lie before the window's end are in the part; others may be, where they are on what is open there. */
static void compare_flows(const window *x, uint64_t seed)
{
    const window all = {x->from, x->to, 0};
    pf_buffer most = list_flows("in.json", x), least = list_flows("before.json", x), got = list_flows("cut.json", &all);
    cr_expect(has_all(most.data, got.data), "seed %llu: %s", (unsigned long long)seed, got.data);
    cr_expect(has_all(got.data, least.data), "seed %llu: %s", (unsigned long long)seed, got.data);
    pf_buffer_free(&most);
    pf_buffer_free(&least);
    pf_buffer_free(&got);
}

Test(cut_random, a_part_of_json_shows_what_the_whole_shows_in_its_window)
{
    const char *given = getenv("POSTFETTO_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 10) : pf_hash_random_seed();
    for (uint64_t r = seed; r < seed + 8; r++) {
        pf_write_options quick = pf_write_options_default();
        pf_cut_options o = pf_cut_options_default();
        pf_cut_result result = {.size = sizeof result};
        pf_error err;
        random_state = r + 99;
        window x = {(int64_t)below(1400) * US, 0, (int64_t)below(3) * 5 * US};
        x.to = x.from + (1 + (int64_t)below(500)) * US;
        write_json("in.json", r, UINT64_MAX);
        write_json("before.json", r, (uint64_t)x.to / US);
        quick.sync = false;
        o.write = &quick;
        o.min_dur = x.least;
        o.from = (pf_edit_time){PF_EDIT_TRACE_TIME, x.from};
        o.to = (pf_edit_time){PF_EDIT_TRACE_TIME, x.to};
        cr_assert_eq(pf_cut("in.json", "cut.json", &o, &result, &err), PF_OK, "%s", err.text);
        pf_trace_free(result.input);
        compare("in.json", "cut.json", &x, r);
        compare_flows(&x, r);
    }
}
