/* arg_columns.c - argument columns of traces from JSON, from packets and from memory. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/trace/trace.h"
#include "postfetto/postfetto.h"

static pf_trace *read_path(const char *path)
{
    pf_read_options o = pf_read_options_default();
    pf_trace *t = NULL;
    pf_error err = {0};
    cr_assert_eq(pf_read(&path, 1, &o, &t, &err), PF_OK, "%s", err.text);
    return t;
}

static pf_trace *read_text(const char *text)
{
    char path[] = "/tmp/pf_args_XXXXXX";
    int fd = mkstemp(path);
    cr_assert(fd >= 0);
    cr_assert_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    pf_trace *t = read_path(path);
    unlink(path);
    return t;
}

/* The same trace by way of a file of packets. */
static pf_trace *as_packets(const pf_trace *t)
{
    char folder[] = "/tmp/pf_args_XXXXXX", path[64];
    pf_error err = {0};
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/t.pftrace", folder);
    cr_assert_eq(pf_convert_pftrace(t, path, NULL, &err), PF_OK, "%s", err.text);
    pf_trace *packets = read_path(path);
    unlink(path);
    rmdir(folder);
    return packets;
}

static pf_arg_columns *columns(const pf_trace *t, const pf_arg_key *keys, size_t count, unsigned jobs)
{
    const pf_arg_options o = {.jobs = jobs};
    pf_arg_columns *c = NULL;
    pf_error err = {0};
    cr_assert_eq(pf_arg_columns_read(t, NULL, 0, keys, count, &o, &c, &err), PF_OK, "%s", err.text);
    return c;
}

static const char mixed[] =
    "[{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":1,\"name\":\"a\",\"args\":{\"correlation\":7,\"TS1\":\"560\","
    "\"o\":{\"k\":{\"n\":\"in\"},\"l\":[5,[6,{\"x\":8}]]},\"big\":18446744073709551615,\"r\":0.5,\"yes\":true}},\n"
    "{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":3,\"dur\":1,\"name\":\"b\"},\n"
    "{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":5,\"dur\":1,\"name\":\"c\",\"args\":{\"correlation\":-8,\"TS1\":"
    "\"0xc06c\","
    "\"o\":5,\"r\":3,\"o.k\":1,\"correlation2\":4,\"text\":\"in\",\"n\":\" -1.5 \"}},\n"
    "{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":7,\"dur\":1,\"name\":\"d\",\"args\":{\"correlation\":\"9\",\"TS1\":"
    "\"many\","
    "\"text\":12,\"big\":-1,\"r\":2.0,\"a.b\":4}}]";

static const pf_arg_key keys[] = {{"correlation", PF_ARG_INT, false},
                                  {"args.TS1", PF_ARG_UINT, true},
                                  {"o.k.n", PF_ARG_TEXT, false},
                                  {"debug.o.l[0]", PF_ARG_INT, false},
                                  {"o.l[1][1].x", PF_ARG_REAL, false},
                                  {"big", PF_ARG_UINT, false},
                                  {"r", PF_ARG_REAL, false},
                                  {"yes", PF_ARG_INT, false},
                                  {"text", PF_ARG_TEXT, false},
                                  {"n", PF_ARG_REAL, true},
                                  {"r", PF_ARG_INT, false},
                                  {"correlation", PF_ARG_INT, true},
                                  {"o", PF_ARG_INT, false},
                                  {"l", PF_ARG_INT, false},
                                  {"o.l[1]", PF_ARG_INT, false}};
enum { KEYS = sizeof keys / sizeof *keys };

/* Which rows (of a, b, c, d) have a value. */
static const char *const present[KEYS] = {"a.c.", "a.c.", "a...", "a...", "a...", "a...", "a.cd", "a...",
                                          "..c.", "..c.", "...d", "a.cd", "..c.", "....", "...."};

/* The rows of slices a to d: metadata events may stand between. */
static void find_rows(const pf_trace *t, uint32_t row[4])
{
    const pf_slices *s = pf_trace_slices(t);
    cr_assert_eq(s->count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        row[i] = s->event[i];
    }
}

static void expect_mixed(const pf_trace *t, const char *const *expected)
{
    uint32_t row[4];
    pf_arg_columns *c = columns(t, keys, KEYS, 1);
    find_rows(t, row);
    for (size_t k = 0; k < KEYS; k++) {
        const pf_arg_column *column = pf_arg_column_at(c, k);
        uint32_t found = 0;
        for (uint32_t i = 0; i < 4; i++) {
            cr_expect_eq(pf_arg_has(column, row[i]), expected[k][i] != '.', "key %zu (%s), event %c", k, keys[k].key,
                         'a' + i);
            found += expected[k][i] != '.';
        }
        cr_expect_eq(column->found, found, "key %zu", k);
    }
    cr_expect_eq(pf_arg_column_at(c, 0)->values.i[row[0]], 7);
    cr_expect_eq(pf_arg_column_at(c, 0)->values.i[row[2]], -8);
    cr_expect_eq(pf_arg_column_at(c, 1)->values.u[row[0]], 560);
    cr_expect_eq(pf_arg_column_at(c, 1)->values.u[row[2]], 0xc06c);
    cr_expect_eq(pf_arg_column_at(c, 3)->values.i[row[0]], 5);
    cr_expect_eq(pf_arg_column_at(c, 4)->values.d[row[0]], 8);
    cr_expect_eq(pf_arg_column_at(c, 5)->values.u[row[0]], UINT64_MAX);
    cr_expect_eq(pf_arg_column_at(c, 6)->values.d[row[0]], 0.5);
    cr_expect_eq(pf_arg_column_at(c, 6)->values.d[row[2]], 3);
    cr_expect_eq(pf_arg_column_at(c, 7)->values.i[row[0]], 1);
    cr_expect_eq(pf_arg_column_at(c, 9)->values.d[row[2]], -1.5);
    cr_expect_eq(pf_arg_column_at(c, 10)->values.i[row[3]], 2);
    cr_expect_eq(pf_arg_column_at(c, 11)->values.i[row[3]], 9);
    cr_expect_eq(pf_arg_column_at(c, 12)->values.i[row[2]], 5);
    uint32_t in = pf_arg_column_at(c, 2)->values.text[row[0]];
    cr_expect_eq(pf_arg_column_at(c, 8)->values.text[row[2]], in, "equal texts, equal ids");
    pf_str s = pf_arg_columns_text(c, in);
    cr_expect(s.len == 2 && memcmp(s.ptr, "in", 2) == 0);
    cr_expect_eq(pf_arg_columns_text_count(c), 1);
    pf_arg_columns_free(c);
}

Test(arg_columns, of_json)
{
    const char *expected[KEYS];
    pf_trace *t = read_text(mixed);
    memcpy(expected, present, sizeof expected);
    expected[10] = "..cd"; /* 3 and 2.0 */
    expect_mixed(t, expected);
    pf_trace_free(t);
}

Test(arg_columns, of_packets)
{
    const char *expected[KEYS];
    pf_trace *t = read_text(mixed), *packets = as_packets(t);
    memcpy(expected, present, sizeof expected);
    expected[10] = "..cd";
    expected[5] = "...."; /* packets made from JSON have a number beyond int64 as a real */
    pf_trace_free(t);
    uint32_t row[4];
    find_rows(packets, row);
    pf_arg_columns *c = columns(packets, keys, KEYS, 2);
    for (size_t k = 0; k < KEYS; k++) {
        for (uint32_t i = 0; i < 4 && k != 5; i++) {
            cr_expect_eq(pf_arg_has(pf_arg_column_at(c, k), row[i]), expected[k][i] != '.', "key %zu (%s), event %c", k,
                         keys[k].key, 'a' + i);
        }
    }
    cr_expect_eq(pf_arg_column_at(c, 0)->values.i[row[2]], -8);
    cr_expect_eq(pf_arg_column_at(c, 1)->values.u[row[2]], 0xc06c);
    cr_expect_eq(pf_arg_column_at(c, 4)->values.d[row[0]], 8);
    pf_arg_columns_free(c);
    pf_trace_free(packets);
}

/* A dot in a key is a dot of the way, too. */
Test(arg_columns, dots_in_keys)
{
    const pf_arg_key dotted[] = {{"o.k", PF_ARG_INT, false}, {"a.b", PF_ARG_INT, false}};
    uint32_t row[4];
    pf_trace *t = read_text(mixed);
    pf_arg_columns *c = columns(t, dotted, 2, 1);
    find_rows(t, row);
    cr_expect_eq(pf_arg_column_at(c, 0)->values.i[row[2]], 1);
    cr_expect_eq(pf_arg_column_at(c, 0)->found, 1);
    cr_expect_eq(pf_arg_column_at(c, 1)->values.i[row[3]], 4);
    pf_arg_columns_free(c);
    pf_trace_free(t);
}

/* Objects and lists that are stepped over: long stretches without a bracket, brackets and quotes in texts, and an end
 * at every place of a stretch. */
Test(arg_columns, of_members_after_long_containers)
{
    const pf_arg_key key = {"last", PF_ARG_INT, false};
    for (int pad = 0; pad < 40; pad++) {
        char text[512];
        snprintf(
            text, sizeof text,
            "[{\"ph\":\"i\",\"pid\":1,\"tid\":1,\"ts\":1,\"name\":\"a\",\"args\":{\"first\":[1%*s,2,3,[4],"
            "5555555555555555555,"
            "6666666666666666,{\"last\":7,\"t\":\"]}{\\\"[\"},777777777777777777777],\"o\":{\"last\":8,\"x\":%*s9},"
            "\"last\":10}}]",
            pad, "", pad, "");
        pf_trace *t = read_text(text);
        pf_arg_columns *c = columns(t, &key, 1, 1);
        cr_assert(pf_arg_has(pf_arg_column_at(c, 0), 0), "%d", pad);
        cr_expect_eq(pf_arg_column_at(c, 0)->values.i[0], 10, "%d: %lld", pad,
                     (long long)pf_arg_column_at(c, 0)->values.i[0]);
        pf_arg_columns_free(c);
        pf_trace_free(t);
    }
}

/* A later value replaces an earlier one of its key, also one that the column cannot hold. */
Test(arg_columns, the_last_value_counts)
{
    const pf_arg_key two[] = {{"k", PF_ARG_INT, false}, {"l", PF_ARG_INT, false}};
    pf_trace *t = read_text("[{\"ph\":\"i\",\"pid\":1,\"tid\":1,\"ts\":1,\"name\":\"a\","
                            "\"args\":{\"k\":1,\"l\":1,\"k\":2,\"l\":{}}}]");
    pf_arg_columns *c = columns(t, two, 2, 1);
    cr_expect(pf_arg_has(pf_arg_column_at(c, 0), 0));
    cr_expect_eq(pf_arg_column_at(c, 0)->values.i[0], 2);
    cr_expect_not(pf_arg_has(pf_arg_column_at(c, 1), 0));
    pf_arg_columns_free(c);
    pf_trace_free(t);
}

/* Many pieces, filled by some threads: values by number, texts of every piece, a chosen order with repetitions. */
static pf_trace *large(uint32_t count)
{
    pf_builder *b = pf_builder_new(NULL);
    uint32_t track = pf_build_track(b, &(pf_build_track_row){.name = PF_STR("all")});
    pf_trace *t = NULL;
    for (uint32_t i = 0; i < count; i++) {
        char text[16];
        pf_build_instant(b, track, i, PF_STR("x"));
        if (i % 3 == 0) {
            continue;
        }
        pf_build_arg_int(b, PF_STR("i"), i);
        pf_build_arg_text(b, PF_STR("t"), (pf_str){text, (size_t)snprintf(text, sizeof text, "%u", i % 1000)});
    }
    cr_assert_eq(pf_builder_finish(b, &t, NULL), PF_OK);
    pf_builder_free(b);
    return t;
}

/* With first_values the first usable value stays; keys in another order, and what only begins like a key, count as they
 * should from one event to the next. */
Test(arg_columns, the_first_value_counts_on_request)
{
    pf_trace *json = read_text(
        "[{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":1,\"args\":{\"k\":1,\"l\":2,\"k\":3,\"g\":4}},\n"
        "{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":2,\"dur\":1,\"args\":{\"k\":\"x\",\"l\":-5,\"k\":6,\"g\":[7]}},\n"
        "{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":3,\"dur\":1,\"args\":{\"kk\":12,\"l\": 8,\"k\":9,\"g\":[10,11]}}]");
    pf_trace *both[] = {json, as_packets(json)};
    const pf_arg_key wanted[] = {{"k", PF_ARG_INT, false}, {"l", PF_ARG_INT, false}, {"g[0]", PF_ARG_INT, false}};
    const int64_t k[] = {1, 6, 9}, l[] = {2, -5, 8}, g[] = {0, 7, 10};
    for (int way = 0; way < 2; way++) {
        const pf_arg_options o = {.jobs = 1, .first_values = true};
        pf_arg_columns *c = NULL;
        pf_error err = {0};
        const uint32_t chosen[] = {0, 1, 2};
        cr_assert_eq(pf_arg_columns_read(both[way], chosen, 3, wanted, 3, &o, &c, &err), PF_OK, "%s", err.text);
        for (uint32_t row = 0; row < 3; row++) {
            cr_expect_eq(pf_arg_column_at(c, 0)->values.i[row], k[row], "way %d row %u", way, row);
            cr_expect_eq(pf_arg_column_at(c, 1)->values.i[row], l[row], "way %d row %u", way, row);
            cr_expect_eq(pf_arg_column_at(c, 2)->values.i[row], g[row], "way %d row %u", way, row);
        }
        cr_expect_eq(pf_arg_has(pf_arg_column_at(c, 2), 0), false);
        pf_arg_columns_free(c);
        pf_trace_free(both[way]);
    }
}

Test(arg_columns, pieces_and_threads)
{
    enum { COUNT = 200000 };
    const pf_arg_key two[] = {{"i", PF_ARG_INT, false}, {"t", PF_ARG_TEXT, false}};
    pf_trace *t = large(COUNT);
    for (unsigned jobs = 1; jobs <= 4; jobs++) {
        pf_arg_columns *c = columns(t, two, 2, jobs);
        const pf_arg_column *number = pf_arg_column_at(c, 0), *text = pf_arg_column_at(c, 1);
        cr_expect_eq(number->found, COUNT - (COUNT + 2) / 3);
        cr_expect_eq(pf_arg_columns_text_count(c), 1000);
        uint32_t wrong = 0;
        for (uint32_t i = 0; i < COUNT; i++) {
            bool has = i % 3 != 0;
            pf_str s = pf_arg_columns_text(c, text->values.text[i]);
            wrong += pf_arg_has(number, i) != has || pf_arg_has(text, i) != has;
            wrong += has && (number->values.i[i] != i || (uint32_t)strtoul(s.ptr, NULL, 10) != i % 1000);
        }
        cr_expect_eq(wrong, 0, "%u jobs", jobs);
        cr_expect_eq(text->values.text[1], 1);
        cr_expect_eq(text->values.text[2], 2, "ids in order of appearance");
        pf_arg_columns_free(c);
    }
    pf_trace_free(t);
}

Test(arg_columns, of_chosen_events)
{
    const pf_arg_key one[] = {{"i", PF_ARG_INT, false}};
    const uint32_t events[] = {50, 3, 4, 50, 1};
    pf_trace *t = large(100);
    pf_arg_columns *c = NULL;
    pf_error err = {0};
    cr_assert_eq(pf_arg_columns_read(t, events, 5, one, 1, NULL, &c, &err), PF_OK);
    const pf_arg_column *k = pf_arg_column_at(c, 0);
    cr_expect_eq(k->found, 4);
    cr_expect_not(pf_arg_has(k, 1));
    for (uint32_t i = 0; i < 5; i++) {
        cr_expect(!pf_arg_has(k, i) || k->values.i[i] == events[i]);
    }
    pf_arg_columns_free(c);
    const uint32_t beyond[] = {100};
    cr_expect_eq(pf_arg_columns_read(t, beyond, 1, one, 1, NULL, &c, &err), PF_ERR_USAGE);
    cr_expect_null(c);
    pf_trace_free(t);
}

Test(arg_columns, misuse_limits_and_cancel)
{
    const pf_arg_key empty[] = {{"args.", PF_ARG_INT, false}}, one[] = {{"i", PF_ARG_INT, false}};
    const volatile int cancel = 1;
    const pf_arg_options cancelled = {.cancel = &cancel};
    pf_trace *t = large(100000);
    pf_arg_columns *c = NULL;
    pf_error err = {0};
    uint64_t before, now, peak;
    pf_trace_memory(t, &before, &peak);
    cr_expect_eq(pf_arg_columns_read(t, NULL, 0, empty, 1, NULL, &c, &err), PF_ERR_USAGE);
    cr_expect_eq(pf_arg_columns_read(t, NULL, 0, one, PF_ARG_KEYS_MAX + 1, NULL, &c, &err), PF_ERR_USAGE);
    cr_expect_eq(pf_arg_columns_read(t, NULL, 0, one, 1, &cancelled, &c, &err), PF_ERR_CANCELLED);
    cr_expect_null(c);
    pf_trace_memory(t, &now, &peak);
    cr_expect_eq(now, before, "a failure leaves nothing behind");
    cr_expect_eq(pf_arg_columns_read(t, NULL, 0, NULL, 0, NULL, &c, &err), PF_OK);
    pf_arg_columns_free(c);
    pf_trace_free(t);
}

/* The quick way through JSON finds what a walk over all arguments finds, whatever the text is. */
static const char *const odd_args[] = {"{}",
                                       "{ \"k\" : 1 , \"l\" : [ 1 , { \"k\" : 5 } ] }",
                                       "{\"k\":\"a\\\"b\",\"l\":\"\\u0041}\"}",
                                       "{\"\\u006b\":3,\"l\":4}",
                                       "{\"x\":\"}{][\",\"y\":[[],{},\"]\",[{\"z\":[1,2]}]],\"k\":7,\"l\":-0.5e1}",
                                       "{\"k\":null,\"l\":true}",
                                       "{\"kk\":1,\"m\":{\"k\":{\"l\":9,\"k\":[[2],[3,4]]}},\"l\":1e400}",
                                       "{\"k\":NaN,\"l\":0x10,\"m.k.l\":2}",
                                       "{\"\":1,\"k\":\"12\",\"l\":\"\"}",
                                       "{\"k\":12345678901234567890,\"l\":18446744073709551616}"};

Test(arg_columns, both_ways_through_json_agree)
{
    enum { CASES = sizeof odd_args / sizeof *odd_args };
    static const pf_arg_key some[] = {{"k", PF_ARG_INT, false},      {"k", PF_ARG_TEXT, false},
                                      {"l", PF_ARG_REAL, true},      {"l", PF_ARG_TEXT, false},
                                      {"m.k.l", PF_ARG_INT, false},  {"m.k.k[1][1]", PF_ARG_INT, false},
                                      {"k", PF_ARG_UINT, true},      {"y[3][0].z[1]", PF_ARG_INT, false},
                                      {"l[1].k", PF_ARG_INT, false}, {"x", PF_ARG_TEXT, false}};
    enum { SOME = sizeof some / sizeof *some };
    char text[4096] = "[";
    size_t len = 1;
    for (int i = 0; i < CASES; i++) {
        len += (size_t)snprintf(text + len, sizeof text - len,
                                "%s{\"ph\":\"i\",\"pid\":1,\"tid\":1,\"ts\":%d,\"name\":\"a\",\"args\":%s}",
                                i ? "," : "", i, odd_args[i]);
    }
    snprintf(text + len, sizeof text - len, "]");
    pf_trace *t = read_text(text);
    pf_arg_columns *quick = columns(t, some, SOME, 1);
    memset(t->finder, 0, sizeof t->finder);
    pf_arg_columns *plain = columns(t, some, SOME, 1);
    for (size_t k = 0; k < SOME; k++) {
        const pf_arg_column *a = pf_arg_column_at(quick, k), *b = pf_arg_column_at(plain, k);
        for (uint32_t row = 0; row < CASES; row++) {
            cr_expect_eq(pf_arg_has(a, row), pf_arg_has(b, row), "key %zu (%s) of %s", k, some[k].key, odd_args[row]);
            bool same = a->type == PF_ARG_TEXT ? a->values.text[row] == b->values.text[row]
                                               : a->values.u[row] == b->values.u[row];
            cr_expect(same || !pf_arg_has(a, row), "key %zu (%s) of %s", k, some[k].key, odd_args[row]);
        }
    }
    cr_expect_eq(pf_arg_column_at(quick, 0)->values.i[1], 1);
    cr_expect_eq(pf_arg_column_at(quick, 8)->values.i[1], 5);
    cr_expect_eq(pf_arg_column_at(quick, 5)->values.i[6], 4);
    cr_expect_eq(pf_arg_column_at(quick, 7)->values.i[4], 2);
    cr_expect_eq(pf_arg_column_at(quick, 0)->values.i[3], 3);
    cr_expect_eq(pf_arg_column_at(quick, 6)->values.u[9], 12345678901234567890u);
    pf_arg_columns_free(quick);
    pf_arg_columns_free(plain);
    pf_trace_free(t);
}

/* Numbers in quotes and without, each in a column of its own: what the quick way takes, and what it leaves. */
Test(arg_columns, integers_in_quotes_agree_both_ways)
{
    static const char *const values[] = {"\"12\"",
                                         "12",
                                         "\"007\"",
                                         "\"\"",
                                         "\"123456789012345678\"",
                                         "\"0\"",
                                         "0",
                                         "\"12x\"",
                                         "\" 7\"",
                                         "\"1234567890123456789\"",
                                         "\"-3\"",
                                         "-3",
                                         "\"0x1f\"",
                                         "\"1.0\"",
                                         "\"18446744073709551615\"",
                                         "\"1\\u0032\"",
                                         "1.5",
                                         "\"1.5\"",
                                         "true",
                                         "18446744073709551615",
                                         "[12]",
                                         "{\"a\":1}",
                                         "\"123456789012345678901\""};
    static const uint64_t expected[] = {12, 12, 7, 0, 123456789012345678, 0, 0, 0, 7, 1234567890123456789};
    static const bool there[] = {true, true, true, false, true, true, true, false, true, true};
    enum { VALUES = sizeof values / sizeof *values, KNOWN = sizeof there / sizeof *there };
    char text[8192] = "[";
    size_t len = 1;
    for (int i = 0; i < VALUES; i++) {
        len += (size_t)snprintf(
            text + len, sizeof text - len,
            "%s{\"ph\":\"i\",\"pid\":1,\"tid\":1,\"ts\":%d,\"name\":\"a\",\"args\":{\"k\":%s,\"z\":1}}", i ? "," : "",
            i, values[i]);
    }
    snprintf(text + len, sizeof text - len, "]");
    pf_trace *t = read_text(text);
    const pf_args_finder finder = t->finder[0];
    for (int type = PF_ARG_INT; type <= PF_ARG_UINT; type++) {
        for (int from_text = 0; from_text < 2; from_text++) {
            const pf_arg_key key = {"k", (pf_arg_type)type, from_text};
            pf_arg_columns *quick = columns(t, &key, 1, 1);
            t->finder[0] = NULL;
            pf_arg_columns *plain = columns(t, &key, 1, 1);
            t->finder[0] = finder;
            const pf_arg_column *a = pf_arg_column_at(quick, 0), *b = pf_arg_column_at(plain, 0);
            for (uint32_t row = 0; row < VALUES; row++) {
                cr_expect_eq(pf_arg_has(a, row), pf_arg_has(b, row), "%s", values[row]);
                cr_expect(a->values.u[row] == b->values.u[row] || !pf_arg_has(a, row), "%s", values[row]);
                bool known = from_text && row < KNOWN;
                cr_expect(!known || pf_arg_has(a, row) == there[row], "%s", values[row]);
                cr_expect(!known || !there[row] || a->values.u[row] == expected[row], "%s", values[row]);
            }
            pf_arg_columns_free(quick);
            pf_arg_columns_free(plain);
        }
    }
    pf_trace_free(t);
}

/* Values that nobody wants, of events of several categories, between those that are wanted. */
Test(arg_columns, of_members_between_others)
{
    static const char *const values[] = {"1",        "-0.5e1",
                                         "1e+5",     "true",
                                         "null",     "12345678901234567890123456789",
                                         "\"\"",     "\"k\\\"}\"",
                                         "[1,2]",    "[[],{\"k\":9},\"]\"]",
                                         " 7 ",      "{\"k\":9,\"l\":[9]}",
                                         "\"}]\"",   "\"a text of more than sixteen bytes, \\\\\"",
                                         "0.000001", "{}"};
    enum { VALUES = sizeof values / sizeof *values, EVENTS = VALUES * VALUES };
    static const pf_arg_key wanted[] = {{"k", PF_ARG_INT, false}, {"l", PF_ARG_INT, false}};
    static char text[EVENTS * 256];
    size_t len = (size_t)snprintf(text, sizeof text, "[");
    for (int i = 0; i < EVENTS; i++) {
        len += (size_t)snprintf(text + len, sizeof text - len,
                                "%s{\"ph\":\"i\",\"pid\":1,\"tid\":1,\"ts\":%d,\"name\":\"a\",\"cat\":\"c%d\",\"args\":"
                                "{\"z\":%s,\"k\":%d,\"y\":%s,\"l\":%d,\"x\":0}}",
                                i ? "," : "", i, i % 11, values[i % VALUES], i, values[i / VALUES], i + 1000);
    }
    snprintf(text + len, sizeof text - len, "]");
    pf_trace *t = read_text(text);
    pf_arg_columns *c = columns(t, wanted, 2, 1);
    for (uint32_t row = 0; row < EVENTS; row++) {
        for (uint32_t k = 0; k < 2; k++) {
            const pf_arg_column *column = pf_arg_column_at(c, k);
            cr_expect(pf_arg_has(column, row), "%s of event %u", wanted[k].key, row);
            cr_expect_eq(column->values.i[row], row + k * 1000, "%s of event %u", wanted[k].key, row);
        }
    }
    pf_arg_columns_free(c);
    pf_trace_free(t);
}
