/* Async operations: b, e and n on tracks of their own (docs/reference/perfetto.md). What is expected was read off
 * Perfetto's own engine (shared/tools/tp_query) for the same events. */
#include "support.h"

#include <stdio.h>
#include <string.h>

static void expect_slice(const pf_trace *t, uint32_t row, int64_t ts, int64_t dur, uint32_t depth, const char *name,
                         const char *track)
{
    const pf_slices *s = pf_trace_slices(t);
    cr_assert_lt(row, s->count);
    cr_expect_eq(pf_slice_ts(s, row), ts, "row %u: ts %lld", row, (long long)pf_slice_ts(s, row));
    cr_expect_eq(s->dur[row], dur, "row %u: dur %lld", row, (long long)s->dur[row]);
    cr_expect_eq(s->depth[row], depth, "row %u: depth %u", row, s->depth[row]);
    if (name) {
        cr_expect(string_is(t, pf_slice_name(s, row), name), "row %u is not %s", row, name);
    } else {
        cr_expect_eq(pf_slice_name(s, row), 0, "row %u has a name", row);
    }
    uint32_t track_name = pf_trace_tracks(t)->name[s->track[row]];
    if (track) {
        cr_expect(string_is(t, track_name, track), "row %u is not on %s", row, track);
    } else {
        cr_expect_eq(track_name, 0, "the track of row %u has a name", row);
    }
}

Test(async, an_operation_nests_on_a_track_of_its_own)
{
    pf_trace *t = load("[{\"ph\":\"b\",\"name\":\"as\",\"cat\":\"c\",\"pid\":1,\"tid\":2,\"ts\":50,\"id\":\"x\"},"
                       "{\"ph\":\"n\",\"name\":\"in\",\"cat\":\"c\",\"pid\":1,\"tid\":2,\"ts\":52,\"id\":\"x\"},"
                       "{\"ph\":\"e\",\"name\":\"as\",\"cat\":\"c\",\"pid\":9,\"tid\":3,\"ts\":55,\"id\":\"x\"},"
                       "{\"ph\":\"b\",\"cat\":\"c\",\"pid\":1,\"tid\":2,\"ts\":60,\"id\":\"y\"},"
                       "{\"ph\":\"n\",\"cat\":\"c\",\"pid\":1,\"tid\":2,\"ts\":61,\"id\":\"y\"}]");
    cr_assert_eq(pf_trace_slices(t)->count, 4);
    expect_slice(t, 0, 50000, 5000, 0, "as", "as");
    expect_slice(t, 1, 52000, 0, 1, "in", "as");
    expect_slice(t, 2, 60000, -1, 0, "[No name]", NULL);
    expect_slice(t, 3, 61000, 0, 1, NULL, NULL);
    const pf_tracks *tracks = pf_trace_tracks(t);
    uint32_t track = pf_trace_slices(t)->track[0];
    cr_expect_eq(tracks->type[track], PF_TRACK_LEGACY_ASYNC_GLOBAL);
    cr_expect_eq(tracks->upid[track], PF_NONE);
    cr_expect_eq(pf_trace_events(t)->phase[0], 'b', "the letter of the file is kept");
    pf_trace_free(t);
}

Test(async, category_and_kind_of_id_tell_operations_apart)
{
    /* Four operations of one name run at once: four lanes of one group. */
    pf_trace *t = load("[{\"ph\":\"b\",\"name\":\"w\",\"cat\":\"c\",\"pid\":1,\"ts\":60,\"id\":7},"
                       "{\"ph\":\"b\",\"name\":\"w\",\"cat\":\"d\",\"pid\":1,\"ts\":61,\"id\":7},"
                       "{\"ph\":\"b\",\"name\":\"w\",\"cat\":\"c\",\"pid\":1,\"ts\":62,\"id\":\"7\"},"
                       "{\"ph\":\"b\",\"name\":\"w\",\"cat\":\"c\",\"pid\":1,\"ts\":63,\"id\":\"\\u0038\"},"
                       "{\"ph\":\"e\",\"name\":\"w\",\"cat\":\"c\",\"pid\":1,\"ts\":70,\"id\":\"8\"}]");
    const pf_slices *s = pf_trace_slices(t);
    const pf_tracks *tracks = pf_trace_tracks(t);
    cr_assert_eq(s->count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        cr_expect_eq(s->depth[i], 0);
        cr_expect_eq(tracks->group[s->track[i]], tracks->group[s->track[0]]);
        cr_expect_eq(s->dur[i], i == 3 ? 7000 : -1);
        for (uint32_t k = 0; k < i; k++) {
            cr_expect_neq(s->track[i], s->track[k]);
        }
    }
    pf_trace_free(t);
}

Test(async, local_ids_belong_to_their_process)
{
    pf_trace *t = load("[{\"ph\":\"b\",\"name\":\"a\",\"pid\":1,\"ts\":1,\"id2\":{\"local\":\"0x1\"}},"
                       "{\"ph\":\"b\",\"name\":\"a\",\"pid\":2,\"ts\":2,\"id2\":{\"local\":\"0x1\"}},"
                       "{\"ph\":\"e\",\"name\":\"a\",\"pid\":1,\"ts\":3,\"id2\":{\"local\":\"0x1\"}},"
                       "{\"ph\":\"b\",\"name\":\"g\",\"pid\":1,\"ts\":4,\"id2\":{\"global\":5}},"
                       "{\"ph\":\"e\",\"name\":\"g\",\"pid\":2,\"ts\":5,\"id\":5}]");
    const pf_tracks *tracks = pf_trace_tracks(t);
    cr_assert_eq(pf_trace_slices(t)->count, 3);
    expect_slice(t, 0, 1000, 2000, 0, "a", "a");
    expect_slice(t, 1, 2000, -1, 0, "a", "a");
    expect_slice(t, 2, 4000, 1000, 0, "g", "g");
    uint32_t first = pf_trace_slices(t)->track[0], second = pf_trace_slices(t)->track[1];
    cr_expect_eq(tracks->type[first], PF_TRACK_LEGACY_ASYNC_PROCESS);
    cr_expect_neq(tracks->upid[first], tracks->upid[second]);
    cr_expect_eq(tracks->upid[first], upid_of(t, 0));
    pf_trace_free(t);
}

Test(async, the_earliest_event_names_the_track)
{
    pf_trace *t = load("[{\"ph\":\"b\",\"name\":\"late\",\"pid\":1,\"ts\":9,\"id\":1},"
                       "{\"ph\":\"b\",\"name\":\"early\",\"pid\":1,\"ts\":2,\"id\":1},"
                       "{\"ph\":\"e\",\"name\":\"end\",\"pid\":1,\"ts\":1,\"id\":2},"
                       "{\"ph\":\"b\",\"name\":\"begin\",\"pid\":1,\"ts\":3,\"id\":2},"
                       "{\"ph\":\"n\",\"pid\":1,\"ts\":4,\"id\":3},"
                       "{\"ph\":\"b\",\"name\":\"named\",\"pid\":1,\"ts\":5,\"id\":3}]");
    cr_assert_eq(pf_trace_slices(t)->count, 5);
    expect_slice(t, 0, 2000, -1, 0, "early", "early");
    expect_slice(t, 1, 3000, -1, 0, "begin", "end");
    expect_slice(t, 3, 5000, -1, 0, "named", "named");
    expect_slice(t, 4, 9000, -1, 1, "late", "early");
    pf_trace_free(t);
}

Test(async, what_lacks_an_id_or_a_process_is_counted_and_kept)
{
    pf_trace *t =
        load("[{\"ph\":\"b\",\"name\":\"a\",\"pid\":1,\"ts\":1},"
             "{\"ph\":\"b\",\"name\":\"a\",\"pid\":1,\"ts\":1,\"id\":null,\"id2\":{\"other\":1,\"x\":{\"local\":2}}},"
             "{\"ph\":\"b\",\"name\":\"a\",\"ts\":1,\"id\":4},"
             "{\"ph\":\"S\",\"name\":\"a\",\"pid\":1,\"ts\":1,\"id\":4}]");
    cr_expect_eq(pf_trace_events(t)->count, 4);
    cr_expect_eq(pf_trace_slices(t)->count, 0);
    cr_expect_eq(stat_of(t, PF_STAT_JSON_PARSER_FAILURE), 3);
    pf_trace_free(t);
}

/* A begin with the id below, and an end with each of these: which ends it takes. As in Perfetto's engine v55.3. */
Test(async, ids_of_every_form)
{
    static const char *const ends[] = {"'id2':{'local':'0x7'}", "'id2':{'global':'0x7'}", "'id':'0x7'", "'id':'0x9'"};
    static const struct {
        const char *id, *takes; /* a letter for each end, NULL: it is no operation */
    } cases[] = {
        {"'id2':{'local':'0x7'}", "1000"},
        {"'id2':{'local':'7'}", "0000"},
        {"'id2':{'local':7}", "0000"},
        {"'id2':{'local':''}", "0000"},
        {"'id2':{'global':'0x7'}", "0110"},
        {"'id2':{'global':7}", "0000"},
        {"'id2':{'local':'0x7','global':'0x7'}", "0110"},
        {"'id2':{'global':'0x7','local':'0x7'}", "0110"},
        {"'id2':{'local':'0x8','local':'0x7'}", "1000"},
        {"'id':'0x9','id2':{'local':'0x7'}", "0001"},
        {"'id2':{'local':'0x7'},'id':'0x9'", "0001"},
        {"'id2':{}", NULL},
        {"'id2':{'x':'0x7'}", NULL},
        {"'id2':{'x':{'local':'0x7'}}", NULL},
        {"'id2':{'local':{'a':1}}", NULL},
        {"'id2':{'local':null}", NULL},
        {"'id2':{'local':true}", NULL},
        {"'id2':{'local':7.0}", NULL},
        {"'id2':'0x7'", NULL},
        {"'id2':[{'local':'0x7'}]", NULL},
    };
#define EVENT(phase, ts) "{'ph':'" phase "','ts':" ts ",'pid':1,'tid':1,'name':'n','cat':'c',%s}"
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (size_t k = 0; k < 4; k++) {
            char text[512];
            snprintf(text, sizeof text, "[" EVENT("b", "1") "," EVENT("e", "5") "]", cases[i].id, ends[k]);
            for (char *c = text; *c; c++) {
                *c = *c == '\'' ? '"' : *c;
            }
            pf_trace *t = load(text);
            const pf_slices *s = pf_trace_slices(t);
            cr_expect_eq(s->count, cases[i].takes != NULL, "%s", text);
            cr_expect(s->count == 0 || s->dur[0] == (cases[i].takes && cases[i].takes[k] == '1' ? 4000 : -1), "%s",
                      text);
            pf_trace_free(t);
        }
    }
}
