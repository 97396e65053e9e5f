/* unit/edit/test_split.c - pf_split against pf_cut of the same windows, its index and its sums; what both refuse, and
 * what they say to programs that know fewer members of a struct. */
#include <criterion/criterion.h>

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cut_packets.h"
#include "scratch.h"

TestSuite(split, .init = scratch_enter, .fini = scratch_leave);

/* Times from 10 to 55, a counter, a slice over most of it. */
static void write_input(void)
{
    start();
    describe(7, 0, "lane");
    describe_counter(8, true);
    clear(1, 1, 0, 0);
    pf_writer_end(&w);
    begin(10, 1, 7, "a");
    count(12, 1, 8, 3);
    begin(20, 1, 7, "b");
    end(30, 1, 7);
    count(33, 1, 8, 4);
    end(40, 1, 7);
    named(55, PF_EVENT_INSTANT, 7, "i");
    write_file("in.pftrace");
}

/* The same, and what comes late in the file: ends of slices that windows had begun, begins before these, flows. In the
 * order of time 33 is the end of open, 35 that of late, and a has none. */
static void write_late_input(void)
{
    start();
    describe(7, 0, "lane");
    describe(9, 0, "other");
    begin(10, 1, 7, "a");
    event(11, 1, PF_EVENT_SLICE_BEGIN, 9);
    text(PF_F_EVENT_NAME, "from");
    pf_writer_fixed64(&w, PF_F_EVENT_FLOW_IDS, 99);
    done();
    chrome(14, 9, 's', PF_F_LEGACY_UNSCOPED_ID, 5);
    named(45, PF_EVENT_INSTANT, 7, "i");
    end(35, 2, 7);
    begin(12, 2, 7, "late");
    end(33, 2, 7);
    begin(13, 2, 7, "open");
    event(50, 1, PF_EVENT_INSTANT, 9);
    text(PF_F_EVENT_NAME, "to");
    pf_writer_fixed64(&w, PF_F_EVENT_TERMINATING_FLOW_IDS, 99);
    done();
    chrome(52, 9, 't', PF_F_LEGACY_UNSCOPED_ID, 5);
    end(55, 1, 9);
    begin(77, 1, 9, "last");
    chrome(78, 9, 't', PF_F_LEGACY_UNSCOPED_ID, 5);
    end(79, 1, 9);
    write_file("in.pftrace");
}

static void split(const pf_split_options *o, pf_split_result *r)
{
    pf_error err;
    *r = (pf_split_result){.size = sizeof *r};
    cr_assert_eq(pf_split("in.pftrace", "out", o, r, &err), PF_OK, "%s", err.text);
    pf_trace_free(r->input);
}

static void expect_index(const char *want)
{
    size_t len;
    char *index = read_file("out/index.json", &len);
    index[len] = '\0';
    cr_expect_str_eq(index, want);
    free(index);
}

/* Each part is the cut of its window; what a split says is what these say together. */
static void expect_cuts(const pf_split_result *r, const pf_split_window *windows, uint32_t count)
{
    pf_split_result sum = {.parts = count, .packets = r->packets};
    for (uint32_t i = 0; i < count; i++) {
        pf_cut_options o = pf_cut_options_default();
        char part[32];
        size_t len, part_len;
        snprintf(part, sizeof part, "out/part-%04u.pftrace", i + 1);
        pf_cut_result c = cut_file("in.pftrace", "cut.pftrace", &o, windows[i].from, windows[i].to);
        char *cut = read_file("cut.pftrace", &len), *of_split = read_file(part, &part_len);
        cr_expect(len == part_len && memcmp(cut, of_split, len) == 0, "part %u is no cut", i + 1);
        free(cut);
        free(of_split);
        sum.kept += c.kept;
        sum.changed += c.changed;
        sum.added += c.added;
        sum.begun += c.begun;
        sum.ended += c.ended;
        sum.bytes += c.bytes;
        sum.bytes_in = c.bytes_in;
        cr_expect_eq(c.packets, r->packets);
    }
    cr_expect(r->kept == sum.kept && r->changed == sum.changed && r->added == sum.added && r->begun == sum.begun);
    cr_expect(r->ended == sum.ended && r->bytes == sum.bytes && r->bytes_in == sum.bytes_in && r->parts == sum.parts);
}

Test(split, parts_are_cuts_of_their_windows_and_named_in_the_index)
{
    static const pf_split_window windows[] = {
        {10, 30, "one \"1\""}, {20, 60, NULL}, {20, 28, "in it"}, {30, 35, NULL}, {100, 200, NULL}};
    pf_split_options o = pf_split_options_default();
    pf_split_result r;
    write_input();
    o.windows = windows;
    o.window_count = 5;
    split(&o, &r);
    cr_expect_eq(r.packets, 10);
    expect_cuts(&r, windows, 5);
    expect_index(
        "{\n  \"schema_version\": 1,\n  \"parts\": [\n"
        "    {\"file\": \"part-0001.pftrace\", \"start_ns\": 10, \"end_ns\": 30, \"name\": \"one \\\"1\\\"\"},\n"
        "    {\"file\": \"part-0002.pftrace\", \"start_ns\": 20, \"end_ns\": 60},\n"
        "    {\"file\": \"part-0003.pftrace\", \"start_ns\": 20, \"end_ns\": 28, \"name\": \"in it\"},\n"
        "    {\"file\": \"part-0004.pftrace\", \"start_ns\": 30, \"end_ns\": 35},\n"
        "    {\"file\": \"part-0005.pftrace\", \"start_ns\": 100, \"end_ns\": 200}\n  ]\n}\n");
    o.window_count = 0;
    split(&o, &r);
    cr_expect_eq(r.parts, 0);
    expect_index("{\n  \"schema_version\": 1,\n  \"parts\": []\n}\n");
}

/* From the first time on; the last part ends after the last time, which is 46 ns of all. */
Test(split, parts_of_one_length_end_with_the_trace)
{
    static const struct {
        int64_t every;
        uint32_t parts, count;
        pf_split_window windows[4];
    } cases[] = {{25, 0, 2, {{10, 35, NULL}, {35, 56, NULL}}},
                 {23, 0, 2, {{10, 33, NULL}, {33, 56, NULL}}},
                 {45, 0, 2, {{10, 55, NULL}, {55, 56, NULL}}},
                 {46, 0, 1, {{10, 56, NULL}}},
                 {1000, 0, 1, {{10, 56, NULL}}},
                 {0, 2, 2, {{10, 33, NULL}, {33, 56, NULL}}},
                 {0, 3, 3, {{10, 26, NULL}, {26, 42, NULL}, {42, 56, NULL}}},
                 {0, 1, 1, {{10, 56, NULL}}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pf_split_options o = pf_split_options_default();
        pf_split_result r;
        write_input();
        o.every = cases[i].every;
        o.parts = cases[i].parts;
        split(&o, &r);
        expect_cuts(&r, cases[i].windows, cases[i].count);
    }
}

Test(split, what_comes_late_in_the_file_is_right_in_all_windows)
{
    static const pf_split_window windows[] = {{15, 20, NULL}, {20, 34, NULL}, {34, 36, NULL}, {40, 60, NULL}};
    static const char *const want[] = {"from 15 5 other\n", "from 20 14 other\n", "from 34 2 other\n",
                                       "from 40 15 other\n"};
    pf_split_options o = pf_split_options_default();
    pf_split_result r;
    write_late_input();
    o.windows = windows;
    o.window_count = 4;
    split(&o, &r);
    for (uint32_t i = 0; i < 4; i++) {
        char part[32];
        pf_buffer got = {0};
        snprintf(part, sizeof part, "out/part-%04u.pftrace", i + 1);
        show(part, &got);
        pf_buffer_put(&got, "", 1);
        cr_expect_not_null(strstr(got.data, want[i]), "%s", got.data);
        cr_expect_eq(strstr(got.data, "late") != NULL, i < 3, "%s", got.data);
        cr_expect_not_null(strstr(got.data, "a "), "%s", got.data);
        cr_expect_eq(strstr(got.data, "open") != NULL, i < 2, "%s", got.data);
        pf_buffer_free(&got);
    }
    expect_cuts(&r, windows, 4);
}

/* More than are open at a time. In the second group a step of a flow is in the window of the number that has the flow's
 * beginning in the first one. */
Test(split, more_parts_than_a_pass_writes_are_written)
{
    pf_split_options o = pf_split_options_default();
    pf_split_window windows[93];
    pf_split_result r;
    write_late_input();
    for (int64_t i = 0; i < 93; i++) {
        windows[i] = (pf_split_window){i - 9, i - 8, NULL};
    }
    o.windows = windows;
    o.window_count = 93;
    split(&o, &r);
    expect_cuts(&r, windows, 93);
}

Test(split, what_says_no_parts_or_too_many_is_refused)
{
    static const pf_split_window empty[] = {{10, 20, NULL}, {30, 30, NULL}}, order[] = {{10, 20, NULL}, {9, 30, NULL}};
    const struct {
        pf_split_options o;
        const char *text;
    } cases[] = {
        {{.size = sizeof(pf_split_options)}, "a split needs a length"},
        {{.size = sizeof(pf_split_options), .every = 5, .parts = 2}, "a split needs a length"},
        {{.size = sizeof(pf_split_options), .every = 5, .by_process = true}, "a split needs a length"},
        {{.size = sizeof(pf_split_options), .windows = empty, .window_count = 2}, "window 2 of a split is empty"},
        {{.size = sizeof(pf_split_options), .windows = order, .window_count = 2}, "window 2 of a split is empty"},
        {{.size = sizeof(pf_split_options), .windows = empty, .window_count = PF_SPLIT_PARTS_MAX + 1},
         "100001 parts are more than 100000"}};
    write_input();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pf_error err;
        cr_expect_eq(pf_split("in.pftrace", "out", &cases[i].o, NULL, &err), PF_ERR_USAGE);
        cr_expect_not_null(strstr(err.text, cases[i].text), "%s", err.text);
    }
    cr_expect_eq(pf_split("in.pftrace", "out", &cases[0].o, NULL, NULL), PF_ERR_USAGE); /* and who wants no text */
}

/* So that they are in order where names are sorted. The first one is refused here before it is written. */
Test(split, numbers_of_parts_have_the_digits_that_all_of_them_need)
{
    static const struct {
        uint32_t parts;
        const char *first;
    } cases[] = {
        {9999, "out/part-0001.pftrace"}, {10000, "out/part-00001.pftrace"}, {100000, "out/part-000001.pftrace"}};
    start();
    begin(1, 1, 7, "long");
    end(1000000, 1, 7);
    write_file("in.pftrace");
    cr_assert_eq(mkdir("out", 0700), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const pf_split_options o = {.size = sizeof o, .parts = cases[i].parts};
        pf_error err;
        cr_assert_eq(mkdir(cases[i].first, 0700), 0);
        cr_expect_eq(pf_split("in.pftrace", "out", &o, NULL, &err), PF_ERR_OUTPUT);
        cr_expect(strstr(err.file, cases[i].first) || strstr(err.text, cases[i].first), "%s: %s", err.file, err.text);
    }
}

/* Of a process and its threads; what belongs to none is in no part. */
Test(split, processes_are_parts)
{
    enum { PROCESS = 3, THREAD = 4 };
    pf_split_options o = pf_split_options_default();
    pf_split_result r;
    start();
    for (uint64_t i = 1; i <= 3; i++) {
        pf_writer_begin(&w, PF_F_TRACE_PACKET);
        pf_writer_begin(&w, PF_F_PACKET_TRACK_DESCRIPTOR);
        pf_writer_varint(&w, 1, i);
        pf_writer_begin(&w, i == 1 ? PROCESS : THREAD);
        pf_writer_varint(&w, 1, i == 3 ? 6 : 5);
        if (i == 1) {
            text(6, "five");
        } else {
            pf_writer_varint(&w, 2, i);
        }
        pf_writer_end(&w);
        done();
        begin(10 + i, 1, i, (char[]){(char)('a' + i), '\0'});
        end(20 + i, 1, i);
    }
    describe(7, 0, "lane");
    named(50, PF_EVENT_INSTANT, 7, "nobody's");
    describe_owner(9, PROCESS, 7, 0, 1, NULL);
    named(15, PF_EVENT_INSTANT, 9, "e");
    write_file("in.pftrace");
    o.by_process = true;
    split(&o, &r);
    cr_expect_eq(r.parts, 3);
    static const char *const want[] = {"b 11 10 \nc 12 10 \n", "d 13 10 \n", "e 15 0 \n"};
    for (int i = 0; i < 3; i++) {
        char path[] = "out/part-0001.pftrace";
        pf_buffer got = {0};
        path[12] = (char)('1' + i);
        show(path, &got);
        pf_buffer_put(&got, "", 1);
        cr_expect_str_eq(got.data, want[i]);
        pf_buffer_free(&got);
    }
    expect_index("{\n  \"schema_version\": 1,\n  \"parts\": [\n"
                 "    {\"file\": \"part-0001.pftrace\", \"start_ns\": 11, \"end_ns\": 51, \"name\": \"five\"},\n"
                 "    {\"file\": \"part-0002.pftrace\", \"start_ns\": 11, \"end_ns\": 51},\n"
                 "    {\"file\": \"part-0003.pftrace\", \"start_ns\": 11, \"end_ns\": 51}\n  ]\n}\n");
}

/* Compressed as a whole, packet by packet, by its name, or not at all. */
Test(split, outputs_have_the_form_that_is_asked_for)
{
    static const char *const marks[] = {"\x1f\x8b", "\x92\x03", "\x1f\x8b", "\x0a"};
    const char *path = "cut.pftrace";
    pf_error err;
    write_input();
    for (int form = 0; form < 4; form++) {
        pf_write_options write = pf_write_options_default();
        pf_cut_options o = pf_cut_options_default();
        pf_buffer got = {0};
        size_t len;
        write.sync = false;
        write.gzip = form == 0;
        write.compress_packets = form == 1;
        o.write = &write;
        path = form == 2 ? "cut.pftrace.gz" : path;
        cr_assert_eq(pf_cut("in.pftrace", path, &o, NULL, &err), PF_OK);
        show(path, &got);
        pf_buffer_put(&got, "", 1);
        cr_expect_str_eq(got.data, "a 10 30 lane\nb 20 10 lane\ni 55 0 lane\n12 3\n33 7\n");
        char *all = read_file(path, &len);
        cr_expect(memmem(all, form == 3 ? 1 : 8, marks[form], strlen(marks[form])), "%d", form);
        free(all);
        pf_buffer_free(&got);
        path = "cut.pftrace";
    }
    cr_expect_eq(pf_cut("in.pftrace", "cut.json.gz", NULL, NULL, &err), PF_ERR_USAGE);
    pf_write_options write = pf_write_options_default();
    pf_split_options o = pf_split_options_default();
    pf_split_result r;
    write.gzip = true;
    o.write = &write;
    o.parts = 1;
    split(&o, &r);
    cr_expect_eq(system("gzip -t out/part-0001.pftrace.gz"), 0);
}

/* The first one of two, which did not know what comes late. */
Test(split, a_pass_that_is_thrown_away_leaves_nothing_and_counts_nothing)
{
    const pf_redact_options redact = {.what = PF_REDACT_NAMES};
    uint64_t written = 0;
    pf_write_options write = pf_write_options_default();
    pf_cut_options o = pf_cut_options_default();
    pf_cut_result r[2];
    write.sync = false;
    write.written = &written;
    o.write = &write;
    o.redact = &redact;
    write_late_input();
    r[0] = cut_file("in.pftrace", "cut.pftrace", &o, 40, 60);
    cr_expect_eq(written, r[0].bytes);
    cr_expect_eq(system("test \"$(ls)\" = \"cut.pftrace\nin.pftrace\""), 0);
    r[1] = cut_file("cut.pftrace", "again.pftrace", &o, 40, 60); /* in which nothing does */
    cr_expect_eq(r[0].redacted.texts, r[1].redacted.texts);
}

/* Where nobody gives a key, one is made for all passes: a name is the same in all parts. */
Test(split, a_name_is_hashed_alike_in_all_parts_and_in_the_index)
{
    static const pf_split_window windows[] = {{10, 30, "a"}, {15, 35, "a"}};
    const pf_redact_options redact = {.what = PF_REDACT_NAMES};
    pf_split_options o = pf_split_options_default();
    pf_buffer first = {0}, second = {0};
    pf_split_result r;
    size_t len;
    write_input();
    o.windows = windows;
    o.window_count = 2;
    o.redact = &redact;
    split(&o, &r);
    show("out/part-0001.pftrace", &first);
    show("out/part-0002.pftrace", &second);
    size_t name = strcspn(first.data, " ");
    cr_expect(name > 1 && strcspn(second.data, " ") == name && memcmp(first.data, second.data, name) == 0);
    char *index = read_file("out/index.json", &len), *at = memmem(index, len, first.data, name);
    cr_expect(at && memmem(at + 1, len - (size_t)(at + 1 - index), first.data, name), "both windows are called so");
    cr_expect(r.redacted.texts > 4);
    free(index);
    pf_buffer_free(&first);
    pf_buffer_free(&second);
}

/* In two passes, as the windows overlap: a packet of a kind that nobody knows and one with such a field, at 10 and 20.
 */
Test(split, what_redaction_leaves_out_of_parts_is_added_up)
{
    static const pf_split_window windows[] = {{10, 30, NULL}, {15, 35, NULL}};
    const pf_redact_options redact = {.what = PF_REDACT_NAMES};
    pf_split_options o = pf_split_options_default();
    pf_split_result r;
    start();
    describe(7, 0, "lane");
    for (uint64_t ts = 10; ts < 30; ts += 10) {
        packet(ts, 1);
        text(37, "of an unknown kind");
        pf_writer_end(&w);
        event(ts, 1, PF_EVENT_INSTANT, 7);
        text(9000, "an extension");
        done();
    }
    write_file("in.pftrace");
    o.windows = windows;
    o.window_count = 2;
    o.redact = &redact;
    split(&o, &r);
    cr_expect(r.redacted.packets == 3 && r.redacted.parts == 3);
}

/* A program may know fewer members of a result, want none at all, or say no size. */
Test(split, results_are_as_long_as_the_program_knows_them)
{
    pf_cut_options o = pf_cut_options_default();
    pf_split_options s = pf_split_options_default();
    pf_cut_result r, all = {.size = 0};
    pf_split_result sums, known = {.size = 0};
    pf_error err;
    write_input();
    cr_expect_eq(pf_cut("in.pftrace", "cut.pftrace", NULL, NULL, NULL), PF_OK);
    cr_assert_eq(pf_cut("in.pftrace", "cut.pftrace", &o, &all, &err), PF_OK);
    cr_expect(all.size == sizeof all && all.packets == 10 && all.kept == 7 && all.timed == 7 && all.bytes_in &&
              all.bytes);
    cr_expect(all.from == INT64_MIN && all.to == INT64_MAX && all.input);
    pf_trace_free(all.input);
    for (int64_t from = 12; from < 200; from += 100) { /* where nothing is but what is said of the whole */
        cr_expect_eq(cut_file("in.pftrace", "cut.pftrace", &o, from, from + 1).timed, from < 100 ? 3 : 0);
    }
    memset(&r, 7, sizeof r);
    r.size = offsetof(pf_cut_result, redacted);
    cr_assert_eq(pf_cut("in.pftrace", "cut.pftrace", &o, &r, &err), PF_OK);
    cr_expect(r.size == offsetof(pf_cut_result, redacted) && r.packets == 10 && r.timed == 0x0707070707070707);
    pf_trace_free(r.input);
    s.parts = 2;
    cr_assert_eq(pf_split("in.pftrace", "out", &s, &known, &err), PF_OK);
    cr_expect(known.size == sizeof known && known.parts == 2);
    pf_trace_free(known.input);
    memset(&sums, 7, sizeof sums);
    sums.size = offsetof(pf_split_result, redacted);
    cr_assert_eq(pf_split("in.pftrace", "out", &s, &sums, &err), PF_OK);
    cr_expect(sums.size == offsetof(pf_split_result, redacted) && sums.packets == 10);
    cr_expect_eq(sums.redacted.texts, 0x0707070707070707);
    pf_trace_free(sums.input);
}

/* Windows that count from the start or the end, as far as there are times. */
Test(split, windows_of_cuts_that_are_empty_are_refused_and_others_reach_as_far_as_they_can)
{
    static const struct {
        pf_edit_time from, to;
        int64_t first, last; /* first > last: refused */
    } cases[] = {{{PF_EDIT_FROM_START, 5}, {PF_EDIT_FROM_END, 5}, 15, 50},
                 {{PF_EDIT_FROM_END, 15}, {PF_EDIT_NO_TIME, 0}, 40, INT64_MAX},
                 {{PF_EDIT_NO_TIME, 0}, {PF_EDIT_FROM_START, INT64_MAX}, INT64_MIN, INT64_MAX},
                 {{PF_EDIT_TRACE_TIME, 20}, {PF_EDIT_FROM_START, 10}, 1, 0},
                 {{PF_EDIT_TRACE_TIME, 20}, {PF_EDIT_TRACE_TIME, 20}, 1, 0},
                 {{PF_EDIT_TRACE_TIME, 20}, {PF_EDIT_TRACE_TIME, 21}, 20, 21}};
    write_input();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pf_cut_options o = pf_cut_options_default();
        pf_cut_result r = {.size = sizeof r};
        pf_error err;
        bool refused = cases[i].first > cases[i].last;
        o.from = cases[i].from;
        o.to = cases[i].to;
        pf_status st = pf_cut("in.pftrace", "cut.pftrace", &o, &r, &err);
        cr_assert_eq(st, refused ? PF_ERR_USAGE : PF_OK, "%zu", i);
        cr_expect(refused || (r.from == cases[i].first && r.to == cases[i].last), "%zu: %lld to %lld", i,
                  (long long)r.from, (long long)r.to);
        cr_expect(!refused || strstr(err.text, "is empty"));
        pf_trace_free(refused ? NULL : r.input);
    }
}
