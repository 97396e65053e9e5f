/* Every damaged JSON of fixtures/bad: which events are found, what is counted and where, alone and with a second
 * thread. The expectations were worked out by hand; a place is given by the bytes that stand there. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "model/trace/fault_counts.h"
#include "postfetto/read.h"

typedef struct bad_file {
    const char *name;
    const char *events; /* names, each followed by a blank */
    struct {
        const char *kind;
        uint64_t count;
        const char *at; /* the first place in the file where this text stands */
    } damage[3];
} bad_file;

#define SYNTAX "postfetto_json_syntax"
#define CUT "postfetto_json_truncated"
#define TIMES "json_tokenizer_failure"
#define LACKS "json_parser_failure"
#define ODD "postfetto_json_bad_value"

static const bad_file files[] = {
    {"truncated_event", "first second ", {{CUT, 1, "{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":30"}}},
    {"truncated_object", "first second third ", {{CUT, 1, NULL}}},
    {"missing_brace", "first second ", {{SYNTAX, 1, "{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":20"}}},
    {"missing_bracket_in_args", "first second ", {{SYNTAX, 1, "}},\n{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":20"}}},
    {"unescaped_quote", "first second ", {{SYNTAX, 1, "hello\" to all"}}},
    {"unescaped_quotes", "first second third ", {{SYNTAX, 4, "quote\"}"}}},
    {"unterminated_text", "first second third ", {{SYNTAX, 1, "ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":20"}}},
    {"bad_durations",
     "first missing text negative ",
     {{TIMES, 1, "{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":30"},
      {LACKS, 1, "{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":20"},
      {"slice_negative_duration", 1, "{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":40"}}},
    {"bad_times", "first null missing text huge ", {{TIMES, 4, "{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":null"}}},
    {"bad_thread_clock", "first second ", {{TIMES, 2, "{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":10"}}},
    {"no_phase", "first ", {{TIMES, 2, "{\"name\":\"no phase\""}}},
    {"non_object_elements", "first second ", {{SYNTAX, 4, "12, \"text\""}}},
    {"deep_args", "deep second ", {{"postfetto_args_dropped", 1, "{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":10"}}},
    {"control_characters", "two\nlines\ttab bell \x07 escape \x1b[0m delete \x7f ", {{NULL, 0, NULL}}},
    {"lone_surrogate",
     "half \xed\xa0\xbd of a pair \xf0\x9f\x98\x80 whole ",
     {{ODD, 1, "{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":10"}}},
    {"not_a_number", "nan second ", {{ODD, 2, "{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":10"}}},
    {"long_numbers", "first far second ", {{TIMES, 1, "{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":1111"}}},
    {"duplicate_keys", "first ", {{NULL, 0, NULL}}},
    {"double_comma", "first second ", {{SYNTAX, 1, ",\n{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":20"}}},
    {"missing_comma", "first second ", {{NULL, 0, NULL}}},
    {"log_line", "first second third ", {{SYNTAX, 1, "WARNING"}}},
    {"log_before", "first second ", {{SYNTAX, 1, "Starting"}}},
    {"trailing_bytes", "first second ", {{SYNTAX, 1, "end of"}}},
    {"two_documents", "first second ", {{"postfetto_json_documents", 1, "{\"traceEvents\""}}},
    {"cut_runs", "first second third ", {{SYNTAX, 2, "ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":20"}}},
    {"bare_events", "first second ", {{SYNTAX, 1, "{\"ph\""}}},
    {"lost_bracket_outside", "first second ", {{SYNTAX, 1, "\"traceEvents\""}}},
    {"byte_order_mark", "first second ", {{NULL, 0, NULL}}},
    {"invalid_utf8", "caf\xe9 \xe9\xe9second ", {{NULL, 0, NULL}}},
};

static pf_buffer slurp(const char *path)
{
    pf_buffer b = {0};
    FILE *f = fopen(path, "rb");
    cr_assert_not_null(f, "%s", path);
    char piece[4096];
    for (size_t n; (n = fread(piece, 1, sizeof piece, f)) > 0;) {
        pf_buffer_put(&b, piece, n);
    }
    fclose(f);
    pf_buffer_put(&b, "", 1);
    cr_assert_not(b.failed);
    return b;
}

static void expect_events(const pf_trace *t, const bad_file *file)
{
    pf_buffer names = {0};
    const pf_events *e = pf_trace_events(t);
    for (uint32_t i = 0; i < e->count; i++) {
        pf_str s = pf_trace_string(t, e->name[i]);
        pf_buffer_put(&names, s.ptr, s.len);
        pf_buffer_put(&names, " ", 1);
    }
    pf_buffer_put(&names, "", 1);
    cr_expect_str_eq(names.data, file->events, "%s: %s", file->name, names.data);
    pf_buffer_free(&names);
}

static void expect_damage(const pf_trace *t, const bad_file *file, const char *text, size_t len)
{
    size_t kinds = 0;
    for (size_t i = 0; i < pf_trace_stat_count(t); i++) {
        pf_stat s = pf_trace_stat(t, i);
        if (s.count == 0) {
            continue;
        }
        size_t k = 0;
        while (k < 3 && file->damage[k].kind && strcmp(file->damage[k].kind, s.name) != 0) {
            k++;
        }
        cr_assert(k < 3 && file->damage[k].kind, "%s: %s is not expected", file->name, s.name);
        const char *at = file->damage[k].at ? strstr(text, file->damage[k].at) : text + len;
        cr_assert_not_null(at, "%s: %s", file->name, file->damage[k].at);
        cr_expect_eq(s.count, file->damage[k].count, "%s: %s %lu", file->name, s.name, (unsigned long)s.count);
        cr_expect_eq(s.first_offset, (uint64_t)(at - text), "%s: %s at %lu, not %ld", file->name, s.name,
                     (unsigned long)s.first_offset, (long)(at - text));
        kinds++;
    }
    size_t expected = 0;
    while (expected < 3 && file->damage[expected].kind) {
        expected++;
    }
    cr_expect_eq(kinds, expected, "%s", file->name);
}

Test(bad_json, events_and_damage_of_every_file)
{
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[512];
        snprintf(path, sizeof path, PF_FIXTURES "/bad/%s.json", files[i].name);
        pf_buffer text = slurp(path);
        for (unsigned jobs = 1; jobs <= 2; jobs++) {
            const char *paths[] = {path};
            pf_read_options o = pf_read_options_default();
            pf_error err = {0};
            pf_trace *t = NULL;
            o.jobs = jobs;
            cr_assert_eq(pf_read(paths, 1, &o, &t, &err), PF_OK, "%s: %s", path, err.text);
            expect_events(t, &files[i]);
            expect_damage(t, &files[i], text.data, text.len - 1);
            pf_trace_free(t);
        }
        pf_buffer_free(&text);
    }
}

/* A disk that filled up, or a machine that went down: the file has its size, but its end was never written. */
Test(bad_json, zeros_behind)
{
    const char *paths[] = {PF_FIXTURES "/bad/nothing_but_zeros_behind.json"};
    pf_error err = {0};
    pf_trace *t = NULL;
    cr_assert_eq(pf_read(paths, 1, NULL, &t, &err), PF_OK, "%s", err.text);
    cr_expect_eq(pf_trace_events(t)->count, 2);
    pf_buffer text = slurp(paths[0]);
    for (size_t i = 0; i < pf_trace_stat_count(t); i++) {
        pf_stat s = pf_trace_stat(t, i);
        cr_expect(s.count == 0 || (strcmp(s.name, SYNTAX) == 0 && s.count == 1), "%s", s.name);
        cr_expect(s.count == 0 || s.first_offset == strlen(text.data));
    }
    pf_buffer_free(&text);
    pf_trace_free(t);
}

Test(bad_json, wide_text_is_refused_with_advice)
{
    const char *paths[] = {PF_FIXTURES "/bad/utf16.json"};
    pf_error err = {0};
    pf_trace *t = NULL;
    cr_expect_eq(pf_read(paths, 1, NULL, &t, &err), PF_ERR_INPUT);
    cr_expect_not_null(strstr(err.text, "iconv -f UTF-16 -t UTF-8"));
}

/* What the later duplicate of a key says counts, and long numbers are exact. */
Test(bad_json, values_of_odd_events)
{
    const char *paths[] = {PF_FIXTURES "/bad/duplicate_keys.json", PF_FIXTURES "/bad/long_numbers.json"};
    pf_error err = {0};
    pf_trace *t = NULL;
    char text[8];
    cr_assert_eq(pf_read(paths, 2, NULL, &t, &err), PF_OK, "%s", err.text);
    const pf_slices *s = pf_trace_slices(t);
    cr_assert_eq(s->count, 3);
    cr_expect(pf_slice_ts(s, 0) == 10000 && pf_slice_ts(s, 1) == 10000 && pf_slice_ts(s, 2) == 20000);
    cr_expect(s->dur[0] == 5000 && s->dur[1] == 5000 && s->dur[2] == 5000);
    cr_expect_eq(pf_trace_processes(t)->count, 3, "the idle one, and pid 1 of each input");
    cr_expect_eq(pf_trace_arg_text(t, 0, PF_STR("a"), text, sizeof text), PF_NOWHERE);
    pf_trace_free(t);
}
