/* The link of `open`: names, origins, times, tracks that are pinned. */
#include <criterion/criterion.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/open/open.h"
#include "postfetto/read.h"
#include "scratch.h"

TestSuite(open_url, .init = scratch_enter, .fini = scratch_leave);

#define NINES "999999999999999999999999999999"
#define TENS "aaaaaaaaaa"

Test(open_url, names)
{
    static const char *const rows[][2] = {
        {"x.json", "x.pftrace"},
        {"a/b.c/x.json", "x.pftrace"},
        {"-", "trace.pftrace"},
        {"./-", "-.pftrace"},
        {"x", "x.pftrace"},
        {"", ".pftrace"},
        {"folder/", ".pftrace"},
        {"x.json.gz", "x.pftrace"},
        {"x.json.zst", "x.pftrace"},
        {"x.pftrace.zip", "x.pftrace"},
        {"x.perfetto-trace", "x.pftrace"},
        {"x.gz.json", "x.gz.pftrace"}, /* packed outside, not inside */
        {"x.JSON", "x.JSON.pftrace"},
        {".json", ".json.pftrace"}, /* an ending needs something before it */
        {"y.json", "y.pftrace"},
        {"json", "json.pftrace"},
        {"a b%c&d.json", "a_b_c_d.pftrace"},
        {TENS TENS TENS TENS TENS TENS TENS "a", TENS TENS TENS TENS TENS TENS TENS "a.pftrace"},
        {TENS TENS TENS TENS TENS TENS TENS "ab", TENS TENS TENS TENS TENS TENS TENS "a.pftrace"},
    };
    char out[PF_OPEN_NAME_MAX];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        pf_open_name(rows[i][0], false, out);
        cr_expect_str_eq(out, rows[i][1], "%s: %s", rows[i][0], out);
    }
    pf_open_name("x.pftrace.gz", true, out);
    cr_expect_str_eq(out, "x.pftrace.gz");
    pf_open_name(TENS TENS TENS TENS TENS TENS TENS "ab", true, out);
    cr_expect_str_eq(out, TENS TENS TENS TENS TENS TENS "aaaaaaaa.pftrace.gz", "79 characters and the end");
}

/* Letters, digits and three more stay; whatever else a name holds does not. */
Test(open_url, characters_of_names)
{
    char out[PF_OPEN_NAME_MAX];
    for (int c = 1; c < 256; c++) {
        bool stays = c < 128 && (isalnum(c) || c == '-' || c == '_' || c == '.');
        char path[] = {'x', (char)c, 'y', '\0'}, expected[] = {'x', stays ? (char)c : '_', 'y', '\0'};
        if (c != '/') {
            pf_open_name(path, false, out);
            cr_expect(strncmp(out, expected, 3) == 0 && strcmp(out + 3, ".pftrace") == 0, "%d: %s", c, out);
        }
    }
}

Test(open_url, origins)
{
    static const char *const rows[][2] = {
        {"https://ui.perfetto.dev", "https://ui.perfetto.dev"},
        {"https://ui.perfetto.dev/#!/viewer", "https://ui.perfetto.dev"},
        {"http://localhost:10000/", "http://localhost:10000"},
        {"http://[::1]:8080?a=b", "http://[::1]:8080"},
        {"http://a-b_c#d", "http://a-b_c"},
        {"http://", NULL},
        {"https:///path", NULL},
        {"http://?", NULL},
        {"ftp://a", NULL},
        {"ui.perfetto.dev", NULL},
        {"HTTP://a", NULL},
        {"http://a b/", NULL},
        {"http://user@host/", NULL},
        {"http://a\"/", NULL},
        {"", NULL},
    };
    char out[PF_OPEN_ORIGIN_MAX], url[300];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bool good = pf_open_origin(rows[i][0], out);
        cr_expect_eq(good, rows[i][1] != NULL, "%s", rows[i][0]);
        cr_expect(!good || strcmp(out, rows[i][1]) == 0, "%s: %s", rows[i][0], out);
    }
    for (size_t len = 255; len <= 256; len++) {
        memset(url, 'a', sizeof url);
        memcpy(url, "http://", 7);
        url[len] = '\0';
        cr_expect_eq(pf_open_origin(url, out), len == 255, "%zu", len);
    }
}

Test(open_url, times)
{
    static const struct {
        const char *text;
        double seconds; /* 0: refused */
    } rows[] = {
        {"90", 90},      {"90s", 90},    {"5m", 300}, {"2h", 7200},      {"500ms", 0.5}, {"1.5m", 90},
        {"1.25s", 1.25}, {"0.05", 0.05}, {"3.s", 3},  {"0.5ms", 5e-4},   {"168h", 6e5},  {"604800", 604800},
        {"604800.1", 0}, {"169h", 0},    {"0", 0},    {"0.0h", 0},       {"", 0},        {".5", 0},
        {"s", 0},        {"-1", 0},      {"+1", 0},   {"5x", 0},         {"5 s", 0},     {"5sm", 0},
        {"1.5.5", 0},    {"5M", 0},      {NINES, 0},  {"1.234m", 74.04},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double seconds = 0, expected = strcmp(rows[i].text, "168h") == 0 ? 604800 : rows[i].seconds;
        bool good = pf_open_seconds(rows[i].text, &seconds);
        cr_expect_eq(good, expected > 0, "%s", rows[i].text);
        cr_expect(!good || (seconds > expected * (1 - 1e-12) && seconds < expected * (1 + 1e-12)), "%s: %.17g",
                  rows[i].text, seconds);
    }
}

Test(open_url, links)
{
    static const char *const uis[] = {"https://a.b", "https://a.b/", "https://a.b///"};
    pf_buffer none = {0}, commands = {0};
    pf_buffer_text(&commands, "[{\"a\":\"^(x|y z)\"}]\xc3\xa4");
    for (size_t i = 0; i < 3; i++) {
        pf_buffer b = {0};
        pf_open_url(&b, uis[i], "x.pftrace", &none);
        pf_buffer_put(&b, "", 1);
        cr_expect_str_eq(b.data, "https://a.b/#!/?url=http://127.0.0.1:9001/x.pftrace&referrer=open_trace_in_ui");
        pf_buffer_free(&b);
    }
    pf_buffer b = {0};
    pf_open_url(&b, "https://a.b/c/", "x", &commands);
    pf_buffer_put(&b, "", 1);
    cr_expect_str_eq(b.data,
                     "https://a.b/c/#!/?url=http://127.0.0.1:9001/x&referrer=open_trace_in_ui&startupCommands="
                     "%5B%7B%22a%22%3A%22%5E%28x%7Cy%20z%29%22%7D%5D%C3%A4",
                     "%s", b.data);
    pf_buffer_free(&b);
    pf_buffer_free(&commands);
}

/* What is pinned of a trace: the commands, or "" if there is nothing. */
static void expect_pinned(const char *events, const char *wanted)
{
    const char *path = "t.json";
    pf_read_options o = pf_read_options_default();
    pf_error err = {0};
    pf_trace *t = NULL;
    pf_buffer commands = {0};
    scratch_write(path, events);
    cr_assert_eq(pf_read(&path, 1, &o, &t, &err), PF_OK, "%s", err.text);
    cr_assert_eq(pf_open_pin(t, &commands, &err), PF_OK, "%s", err.text);
    pf_buffer_put(&commands, "", 1);
    cr_expect_str_eq(commands.data, wanted, "%s", commands.data);
    pf_buffer_free(&commands);
    pf_trace_free(t);
}

#define ROW(cat, name, id, ts)                                                                                         \
    "{\"ph\":\"b\",\"cat\":\"" cat "\",\"name\":\"" name "\",\"id\":" id ",\"pid\":1,\"ts\":" ts "},"                  \
    "{\"ph\":\"e\",\"cat\":\"" cat "\",\"name\":\"" name "\",\"id\":" id ",\"pid\":1,\"ts\":9}"

/* Asynchronous slices lie on tracks that are called like them. A backslash before what a pattern would not take as it
 * is; JSON doubles it. */
Test(open_url, tracks_that_are_pinned)
{
    expect_pinned("[" ROW("other", "a", "1", "1") "]", "");
    expect_pinned(
        "[" ROW("postfetto.x", "one", "1", "1") "," ROW("postfetto", "no", "2", "2") "," ROW(
            "postfetto.y", "a.b (c) [d] {e} 1+1 x*y? p|q $ ^ u/v \\\\ w-z", "3", "3") "]",
        "[{\"id\":\"dev.perfetto.PinTracksByRegex\",\"args\":[\"^(one|a\\\\.b \\\\(c\\\\) \\\\[d\\\\] \\\\{e\\\\} "
        "1\\\\+1 x\\\\*y\\\\? p\\\\|q \\\\$ \\\\^ u\\\\/v \\\\\\\\ w-z)$\"]}]");
}

/* 32 tracks, the first ones; a bar between two of them. */
Test(open_url, more_tracks_than_a_screen_has_room_for)
{
    pf_buffer events = {0}, wanted = {0};
    pf_buffer_text(&wanted, "[{\"id\":\"dev.perfetto.PinTracksByRegex\",\"args\":[\"^(");
    for (int i = 0; i < 34; i++) {
        pf_buffer_format(&events,
                         "%c{\"ph\":\"b\",\"cat\":\"postfetto.x\",\"name\":\"t%02d\",\"id\":%d,\"pid\":1,\"ts\":%d},"
                         "{\"ph\":\"e\",\"cat\":\"postfetto.x\",\"name\":\"t%02d\",\"id\":%d,\"pid\":1,\"ts\":99}",
                         i ? ',' : '[', i, i + 1, i, i, i + 1);
        if (i < 32) {
            pf_buffer_format(&wanted, "%st%02d", i ? "|" : "", i);
        }
    }
    pf_buffer_put(&events, "]", 2);
    pf_buffer_put(&wanted, ")$\"]}]", 7);
    expect_pinned(events.data, wanted.data);
    pf_buffer_free(&events);
    pf_buffer_free(&wanted);
}
