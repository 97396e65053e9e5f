/* Event objects: keys, phases, times, instants, names. */
#include "support.h"

#include <stdio.h>
#include <string.h>

Test(events, all_columns)
{
    pf_trace *t = load("[{\"ph\":\"X\",\"ts\":1.5,\"dur\":2,\"pid\":7,\"tid\":8,\"name\":\"n\",\"cat\":\"c\"},"
                       "{\"dur\":0.25,\"cat\":\"d\",\"name\":\"m\",\"tid\":8,\"pid\":7,\"ts\":\"3\",\"ph\":\"X\"}]");
    const pf_events *e = pf_trace_events(t);
    cr_assert_eq(e->count, 2);
    cr_expect_eq(e->ts[0], 1500);
    cr_expect_eq(e->dur[0], 2000);
    cr_expect_eq(e->ts[1], 3000);
    cr_expect_eq(e->dur[1], 250);
    cr_expect(event_named(t, 0, "n") && event_named(t, 1, "m"));
    cr_expect(string_is(t, e->category[0], "c") && string_is(t, e->category[1], "d"));
    cr_expect_eq(e->track[0], e->track[1]);
    cr_expect_eq(pf_trace_time_unit(t), PF_UNIT_NS);
    cr_expect_str_eq(pf_trace_dialect(t), "chrome-json");
    pf_trace_free(t);
}

Test(events, the_last_of_two_equal_keys_wins)
{
    pf_trace *t =
        load("[{\"ph\":\"B\",\"name\":\"a\\u0041\",\"name\":\"b\",\"ts\":1,\"ts\":2,\"ph\":\"E\",\"pid\":\"x\","
             "\"pid\":3,\"args\":{\"k\":1},\"args\":{\"k\":2}}]");
    pf_buffer args = {0};
    describe_args(t, 0, &args);
    cr_expect_eq(pf_trace_events(t)->phase[0], 'E');
    cr_expect(event_named(t, 0, "b"));
    cr_expect_eq(ts_of(t, 0), 2000);
    cr_expect_eq(pf_trace_processes(t)->pid[upid_of(t, 0)], 3);
    cr_expect(args.len == strlen(" args.k=2") && memcmp(args.data, " args.k=2", args.len) == 0);
    pf_buffer_free(&args);
    pf_trace_free(t);
}

Test(events, escaped_keys_and_texts)
{
    pf_trace *t =
        load("[{\"\\u0070h\":\"\\u0042\",\"t\\u0073\":\"\\u0031\\u0032\",\"name\":\"\\u00e4\\ud83d\\ude00\",\"pid\":1},"
             "{\"ph\":\"B\",\"ts\":1,\"pid\":1,\"name\":\"\\ud800\"},"
             "{\"ph\":\"B\",\"ts\":1,\"pid\":1,\"name\":\"raw \n\t\x01 text\"}]");
    cr_assert_eq(pf_trace_events(t)->count, 3);
    cr_expect_eq(pf_trace_events(t)->phase[0], 'B');
    cr_expect_eq(ts_of(t, 0), 12000);
    cr_expect(event_named(t, 0, "\xc3\xa4\xf0\x9f\x98\x80"));
    cr_expect(event_named(t, 1, "\xed\xa0\x80"));
    cr_expect(event_named(t, 2, "raw \n\t\x01 text"));
    cr_expect_eq(stat_of(t, PF_STAT_JSON_BAD_VALUE), 1);
    pf_trace_free(t);
}

Test(events, unusable_times_are_kept_and_counted)
{
    static const char *const values[] = {"null",      "true", "\"soon\"", "{}",    "[1]",     "NaN",
                                         "-Infinity", "\"\"", "1e30",     "12abc", "\"1 2\"", "9999999999999999999"};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        char text[256];
        int n = snprintf(text, sizeof text,
                         "[ {\"ph\":\"B\",\"ts\":%s,\"pid\":1,\"name\":\"a\"},{\"ph\":\"E\",\"ts\":5,\"pid\":1}]",
                         values[i]);
        pf_trace *t = load_bytes(text, (size_t)n, NULL, 0, NULL);
        const pf_events *e = pf_trace_events(t);
        cr_assert_eq(e->count, 2, "%s", values[i]);
        cr_expect_eq(e->phase[0], 'B' | PF_PHASE_BAD_TS, "%s", values[i]);
        cr_expect_eq(e->ts[0], 0);
        cr_expect_eq(e->phase[1], 'E');
        cr_expect_eq(stat_of(t, PF_STAT_JSON_TOKENIZER_FAILURE), 1);
        cr_expect_eq(stat_offset_of(t, PF_STAT_JSON_TOKENIZER_FAILURE), 2);
        cr_expect_eq(pf_trace_event_offset(t, 0), 2);
        cr_expect_eq(pf_trace_event_offset(t, 1), PF_NOWHERE);
        pf_trace_free(t);
    }
}

Test(events, missing_times)
{
    pf_trace *t = load(
        "[{\"ph\":\"B\",\"pid\":1},{\"ph\":\"M\",\"pid\":1,\"name\":\"x\"},{\"ph\":\"M\",\"pid\":1,\"ts\":\"bad\"}]");
    const pf_events *e = pf_trace_events(t);
    cr_assert_eq(e->count, 3);
    cr_expect_eq(e->phase[0], 'B' | PF_PHASE_BAD_TS);
    cr_expect_eq(e->phase[1], 'M');
    cr_expect_eq(e->phase[2], 'M');
    cr_expect_eq(stat_of(t, PF_STAT_JSON_TOKENIZER_FAILURE), 1);
    pf_trace_free(t);
}

Test(events, durations)
{
    pf_trace *t = load("[{\"ph\":\"X\",\"ts\":1,\"pid\":1},"
                       "{\"ph\":\"X\",\"ts\":1,\"dur\":null,\"pid\":1},"
                       "{\"ph\":\"X\",\"ts\":1,\"dur\":\"50a\",\"pid\":1},"
                       "{\"ph\":\"X\",\"ts\":1,\"dur\":-1,\"pid\":1},"
                       "{\"ph\":\"X\",\"ts\":1,\"dur\":\"50.5\",\"pid\":1},"
                       "{\"ph\":\"E\",\"ts\":1,\"dur\":null,\"pid\":1},"
                       "{\"ph\":\"X\",\"ts\":1,\"dur\":\"0x10\",\"tts\":\"0xA\",\"tdur\":true,\"pid\":1},"
                       "{\"ph\":\"X\",\"ts\":\"0Xffffffffff\",\"dur\":2,\"tts\":\"\",\"pid\":1}]");
    const pf_events *e = pf_trace_events(t);
    cr_assert_eq(e->count, 8);
    cr_expect(e->dur[0] == -1 && e->dur[1] == -1 && e->dur[2] == -1 && e->dur[3] == -1);
    cr_expect_eq(e->dur[4], 50500);
    cr_expect_eq(e->dur[6], 16000);
    cr_expect_eq(e->ts[7], 1099511627775000);
    cr_expect_eq(pf_trace_slices(t)->count, 3, "a thread clock that cannot be used does not cost the slice");
    cr_expect_eq(stat_of(t, PF_STAT_JSON_PARSER_FAILURE), 1, "missing");
    cr_expect_eq(stat_of(t, PF_STAT_JSON_TOKENIZER_FAILURE), 5, "unusable");
    cr_expect_eq(stat_of(t, PF_STAT_SLICE_NEGATIVE_DURATION), 1);
    pf_trace_free(t);
}

Test(events, phases)
{
    pf_trace *t = load("[{\"ph\":\"Xyz\",\"ts\":1,\"dur\":1,\"pid\":1},{\"ph\":\"I\",\"ts\":1,\"pid\":1},{\"ph\":\"R\","
                       "\"ts\":1,\"pid\":1},"
                       "{\"ph\":\"Q\",\"ts\":1,\"pid\":1},{\"ph\":\"\xc3\xa4\",\"ts\":1,\"pid\":1},"
                       "{\"ph\":\"\",\"ts\":1},{\"ph\":7,\"ts\":1},{\"name\":\"no phase\"},{}]");
    const pf_events *e = pf_trace_events(t);
    cr_assert_eq(e->count, 5);
    cr_expect_eq(memcmp(e->phase, "XiiQ?", 5), 0);
    cr_expect_eq(stat_of(t, PF_STAT_JSON_UNKNOWN_PHASE), 2);
    cr_expect_eq(stat_of(t, PF_STAT_JSON_TOKENIZER_FAILURE), 3);
    pf_trace_free(t);
}

Test(events, instants_have_scopes)
{
    pf_trace *t =
        load("[{\"ph\":\"i\",\"ts\":1,\"pid\":1,\"tid\":2,\"s\":\"g\"},{\"ph\":\"i\",\"ts\":1,\"pid\":3,\"s\":\"g\"},"
             "{\"ph\":\"i\",\"ts\":1,\"pid\":1,\"tid\":2,\"s\":\"p\"},{\"ph\":\"i\",\"ts\":1,\"pid\":1,\"tid\":9,\"s\":"
             "\"p\"},"
             "{\"ph\":\"i\",\"ts\":1,\"pid\":3,\"s\":\"p\"},"
             "{\"ph\":\"i\",\"ts\":1,\"pid\":1,\"tid\":2,\"s\":\"t\"},{\"ph\":\"i\",\"ts\":1,\"pid\":1,\"tid\":2}]");
    const uint32_t *track = pf_trace_events(t)->track;
    const uint8_t *type = pf_trace_tracks(t)->type;
    cr_expect_eq(track[0], track[1]);
    cr_expect_eq(type[track[0]], PF_TRACK_JSON_GLOBAL_INSTANTS);
    cr_expect_eq(track[2], track[3]);
    cr_expect_neq(track[2], track[4]);
    cr_expect_eq(type[track[2]], PF_TRACK_JSON_PROCESS_INSTANTS);
    cr_expect_eq(track[5], track[6]);
    cr_expect_eq(type[track[5]], PF_TRACK_THREAD_EXECUTION);
    pf_trace_free(t);
}

Test(events, empty_names_are_null)
{
    pf_trace *t = load(
        "[{\"ph\":\"B\",\"ts\":1,\"pid\":1,\"name\":\"\",\"cat\":\"\"},{\"ph\":\"B\",\"ts\":1,\"pid\":1,\"name\":5}]");
    cr_expect_eq(pf_trace_events(t)->name[0], 0);
    cr_expect_eq(pf_trace_events(t)->name[1], 0);
    cr_expect_null(pf_trace_events(t)->category);
    pf_trace_free(t);
}

Test(events, names_of_every_length_are_told_apart)
{
    /* 1..80 letters, twice each: equal names share an id, others do not. */
    pf_buffer b = {0};
    pf_buffer_text(&b, "[");
    for (int round = 0; round < 2; round++) {
        for (int len = 1; len <= 80; len++) {
            pf_buffer_format(&b, "{\"ph\":\"B\",\"ts\":1,\"pid\":1,\"name\":\"%.*s\"},", len,
                             "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
        }
    }
    pf_trace *t = load_bytes(b.data, b.len, NULL, 0, NULL);
    const pf_events *e = pf_trace_events(t);
    cr_assert_eq(e->count, 160);
    for (uint32_t i = 0; i < 80; i++) {
        cr_expect_eq(pf_trace_string(t, e->name[i]).len, i + 1);
        cr_expect_eq(e->name[i], e->name[i + 80]);
    }
    pf_buffer_free(&b);
    pf_trace_free(t);
}

Test(events, process_and_thread_names)
{
    pf_trace *t = load(
        "[{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":5,\"args\":{\"name\":\"first\"}},"
        "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":5,\"args\":{\"x\":{\"name\":\"no\"},\"name\":\"second\"}},"
        "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":5,\"args\":{\"name\":\"\"}},"
        "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":5,\"args\":{\"name\":7}},"
        "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":5},"
        "{\"ph\":\"B\",\"name\":\"process_name\",\"pid\":5,\"ts\":1,\"args\":{\"name\":\"not a name\"}},"
        "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":5,\"tid\":6,\"args\":{\"name\":\"worker\"}}]");
    cr_expect(string_is(t, pf_trace_processes(t)->name[upid_of(t, 0)], "second"));
    cr_expect(string_is(t, pf_trace_threads(t)->name[utid_of(t, 6)], "worker"));
    char name[16];
    cr_expect_eq(pf_trace_arg_text(t, 1, PF_STR("name"), name, sizeof name), 6);
    cr_expect_eq(memcmp(name, "second", 6), 0);
    pf_trace_free(t);
}

/* The last one in time counts, among equal times the last one in the file; an event without a time is at 0. Perfetto's
 * engine gives the same names and places. */
Test(events, the_latest_metadata_event_counts)
{
#define NAME(name, more) "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":5,\"args\":{\"name\":\"" name "\"}" more "}"
    static const char *const texts[] = {
        "[" NAME("A", ",\"ts\":100") "," NAME("B", "") "]",
        "[" NAME("A", ",\"ts\":5") "," NAME("B", ",\"ts\":3") "]",
        "[" NAME("B", ",\"ts\":5") "," NAME("A", ",\"ts\":5") "]",
        "[" NAME("B", "") "," NAME("A", ",\"ts\":0") "]",
        "[" NAME("B", "") "," NAME("A", ",\"ts\":7") "," NAME("C", ",\"ts\":6") "]",
        "[" NAME("A", "") "," NAME("B", ",\"ts\":-5") "]",
        "[" NAME("A", ",\"ts\":1") "," NAME("B", ",\"ts\":\"soon\"") "]",
        "[" NAME("A", ",\"ts\":1") "," NAME("", ",\"ts\":2") "]",
    };
#undef NAME
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        pf_trace *t = load(texts[i]);
        cr_expect(string_is(t, pf_trace_processes(t)->name[upid_of(t, 0)], "A"), "%s", texts[i]);
        pf_trace_free(t);
    }
    pf_trace *t = load("[{\"ph\":\"M\",\"name\":\"thread_sort_index\",\"pid\":1,\"ts\":9,\"args\":{\"sort_index\":3}},"
                       "{\"ph\":\"M\",\"name\":\"thread_sort_index\",\"pid\":1,\"args\":{\"sort_index\":4}}]");
    cr_assert_eq(t->row_args.count, 1);
    cr_expect_eq(t->row_args.number[0], 3);
    pf_trace_free(t);
}

Test(events, args_of_metadata_are_always_kept)
{
    static const char text[] =
        "[{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":5,\"args\":{\"name\":\"p\"}},"
        "{\"ph\":\"B\",\"ts\":1,\"pid\":5,\"args\":{\"a\":1}},{\"ph\":\"E\",\"ts\":1,\"pid\":5,\"args\":{}}]";
    pf_read_options o = pf_read_options_default();
    o.want = PF_WANT_EVENTS;
    pf_trace *t = load_bytes(text, sizeof text - 1, &o, 0, NULL);
    cr_expect_eq(t->args.count, 1);
    pf_trace_free(t);
    t = load(text);
    cr_expect_eq(t->args.count, 2);
    pf_trace_free(t);
}

#define NO_PLACE (INT64_MIN + 7)

/* Where process or thread 7 is to be shown after these events of phase M. Quotes are written as ', and the kind as @.
 */
static int64_t place_after(const char *events, bool process)
{
    pf_buffer b = {0};
    pf_buffer_text(&b, "[");
    for (const char *c = events; *c; c++) {
        pf_buffer_put(&b, *c == '\'' ? "\"" : c, *c != '@');
        pf_buffer_text(&b, *c != '@' ? "" : process ? "process" : "thread");
    }
    pf_buffer_put(&b, "]", 2);
    const char *text = b.data;
    pf_trace *t = load(text);
    const pf_row_args *a = pf_trace_row_args(t);
    int64_t place = NO_PLACE;
    uint32_t found = 0;
    for (uint32_t i = 0; i < a->count; i++) {
        bool mine = a->owner[i] == (process ? PF_OWNER_PROCESS : PF_OWNER_THREAD) &&
                    string_is(t, a->key[i], process ? "process_sort_index_hint" : "thread_sort_index_hint");
        int64_t number = process ? pf_trace_processes(t)->pid[a->row[i]] : pf_trace_threads(t)->tid[a->row[i]];
        if (mine && number == 7) {
            place = a->number[i];
            found++;
        }
    }
    cr_expect_leq(found, 1, "%s", text);
    pf_trace_free(t);
    pf_buffer_free(&b);
    return place;
}

#define PLACE(ts, value) "{'ph':'M','pid':7,'tid':7,'name':'@_sort_index'" ts ",'args':{" value "}}"
#define AT(ts, place) PLACE(",'ts':" ts, "'sort_index':" place)

/* Fractions are cut off. The latest event counts, of equal times the last one. As in Perfetto's engine v55.3. */
Test(events, places_of_processes_and_threads)
{
    static const struct {
        const char *events;
        int64_t place;
    } cases[] = {
        {PLACE("", "'sort_index':5"), 5},
        {PLACE("", "'sort_index':0"), 0},
        {PLACE("", "'sort_index':-3"), -3},
        {PLACE("", "'sort_index':2.9"), 2},
        {PLACE("", "'sort_index':-2.9"), -2},
        {PLACE("", "'sort_index':-0.5"), 0},
        {PLACE("", "'sort_index':9223372036854775807"), INT64_MAX},
        {PLACE("", "'sort_index':-9223372036854775808"), INT64_MIN},
        {PLACE("", "'sort_index':'7'"), NO_PLACE},
        {PLACE("", "'sort_index':true"), NO_PLACE},
        {PLACE("", "'sort_index':null"), NO_PLACE},
        {PLACE("", "'sort_index':{}"), NO_PLACE},
        {PLACE("", "'sort_index':[1]"), NO_PLACE},
        {PLACE("", "'x':{'sort_index':4}"), NO_PLACE},
        {PLACE("", "'sort_index':1,'sort_index':2"), 2},
        {AT("5", "1") "," AT("6", "2"), 2},
        {AT("6", "1") "," AT("5", "2"), 1},
        {AT("6", "1") "," AT("6", "2"), 2},
        {PLACE("", "'sort_index':1") "," PLACE("", "'sort_index':2"), 2},
        {AT("6", "1") "," PLACE("", "'sort_index':2"), 1},
        {AT("-5", "1"), NO_PLACE},
        {PLACE("", "'sort_index':1") "," AT("-5", "2"), 1},
        {AT("0", "1") "," AT("0", "2"), 2},
        {AT("3", "1") "," AT("9", "2") "," AT("5", "3"), 2},
        {AT("9", "1") "," AT("3", "2") "," AT("5", "3"), 1},
        {AT("3", "1") "," AT("9", "'x'") "," AT("5", "3"), 3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (int process = 0; process < 2; process++) {
            cr_expect_eq(place_after(cases[i].events, process), cases[i].place, "%s", cases[i].events);
        }
    }
}
