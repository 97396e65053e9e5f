/* Samples of V8's profiler and the bounds. The expected values are those of Perfetto's engine v55.3. */
#include "support.h"

#include <stdio.h>
#include <string.h>

#define ROW "[{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":1000,\"dur\":100,\"name\":\"a\"},"
#define PROFILE(start) P("Profile", "\"0x1\"", "\"startTime\":" start)
#define P(name, id, data)                                                                                              \
    "{\"ph\":\"P\",\"pid\":1,\"tid\":2,\"ts\":500,\"name\":\"" name "\",\"id\":" id ",\"args\":{\"data\":{" data "}}}"
#define CHUNK(samples, deltas) P("ProfileChunk", "\"0x1\"", NODES(samples) ",\"timeDeltas\":[" deltas "]")
#define NODES(samples)                                                                                                 \
    "\"cpuProfile\":{\"nodes\":[{\"id\":1,\"callFrame\":{\"functionName\":\"(root)\",\"codeType\":[3,{\"id\":9}]}},"   \
    "{\"id\":2,\"parent\":1}],\"samples\":[" samples "]}"

static void expect_bounds(const char *text, int64_t start, int64_t end)
{
    pf_trace *t = load(text);
    int64_t from, to;
    pf_trace_bounds(t, &from, &to);
    cr_expect_eq(from, start, "%s begins at %lld", text, (long long)from);
    cr_expect_eq(to, end, "%s ends at %lld", text, (long long)to);
    pf_trace_free(t);
}

Test(profiles, samples_count)
{
    expect_bounds(ROW PROFILE("500") "," CHUNK("2,1,2", "100,200,5000") "]", 600000, 5800000);
    expect_bounds(ROW PROFILE("500") "," CHUNK("2", "3000") "," CHUNK("1,2", "100,-700") "]", 1000000, 3600000);
    expect_bounds(ROW PROFILE("500.5") "," CHUNK("1", "4000.75") "]", 1000000, 4500000);
    expect_bounds(ROW PROFILE("500") "," PROFILE("9000") "," CHUNK("2", "4000") "]", 1000000, 13000000);
    expect_bounds(ROW PROFILE("500") "," CHUNK("2", "-400") "]", 100000, 1100000);
    expect_bounds(ROW P("Profile", "1", "\"startTime\":500") "," CHUNK("2", "4000") "]", 1000000, 4500000);
}

Test(profiles, unknown_nodes_pass_the_time)
{
    expect_bounds(ROW PROFILE("500") "," CHUNK("2,77,2", "100,200,5000") "]", 600000, 5800000);
    expect_bounds(ROW PROFILE("500") "," CHUNK("2,77", "4000,5000") "]", 1000000, 4500000);
    expect_bounds(ROW PROFILE("500") "," CHUNK("9", "4000") "]", 1000000, 1100000);
    expect_bounds(
        ROW PROFILE("500") "," P("ProfileChunk", "\"0x1\"",
                                 "\"cpuProfile\":{\"nodes\":[{\"id\":2,\"parent\":1},{\"id\":1}],\"samples\":[2]},"
                                 "\"timeDeltas\":[4000]") "]",
        1000000, 1100000);
}

Test(profiles, what_is_no_sample_does_not_count)
{
    expect_bounds(ROW PROFILE("500") "]", 1000000, 1100000);
    expect_bounds(ROW CHUNK("2", "4000") "," PROFILE("500") "]", 1000000, 1100000);
    expect_bounds(ROW PROFILE("\"500\"") "," CHUNK("2", "4000") "]", 1000000, 1100000);
    expect_bounds(ROW PROFILE("500") "," CHUNK("2,1,2", "4000") "]", 1000000, 1100000);
    expect_bounds(ROW PROFILE("500") "," CHUNK("2", "4000,3000") "]", 1000000, 1100000);
    expect_bounds(ROW PROFILE("500") "," CHUNK("\"2\"", "4000") "]", 1000000, 1100000);
    expect_bounds(ROW PROFILE("500") "," CHUNK("2", "\"4000\"") "]", 1000000, 1100000);
    expect_bounds(ROW PROFILE("500") "," P("ProfileChunk", "\"0x2\"", NODES("2") ",\"timeDeltas\":[4000]") "]", 1000000,
                  1100000);
    expect_bounds(ROW PROFILE("-5000") "," CHUNK("2", "4000") "]", 1000000, 1100000);
    expect_bounds(ROW PROFILE("9e17") "," CHUNK("2,2", "9223372036854775807,9223372036854775807") "]", 1000000,
                  1100000);
}

/* Asserts that a sample at 4500 us counts, or that none does. Quotes are written as ' in `events`. */
static void expect_sample(const char *events, bool counts)
{
    char text[1024];
    int len = snprintf(text, sizeof text, "%s%s]", ROW, events);
    cr_assert(len > 0 && (size_t)len < sizeof text);
    for (char *c = text; *c; c++) {
        *c = *c == '\'' ? '"' : *c;
    }
    expect_bounds(text, 1000000, counts ? 4500000 : 1100000);
}

#define EVENT(pid, ts, name, id, args)                                                                                 \
    "{'ph':'P','pid':" pid ",'tid':2," ts "'name':'" name "','id':" id ",'args':{" args "}}"
#define TS "'ts':500,"
#define BEGUN(id) EVENT("1", TS, "Profile", id, "'data':{'startTime':500}") ","
#define ONE_SAMPLE "'data':{'cpuProfile':{'nodes':[{'id':2}],'samples':[2]},'timeDeltas':[4000]}"

Test(profiles, ids_are_numbers_or_hexadecimal_digits)
{
    static const struct {
        const char *profile, *chunk;
        bool same;
    } cases[] = {{"'0X1'", "'0x1'", true},
                 {"'1'", "'0x1'", true},
                 {"'0xAf'", "175", true},
                 {"'aF'", "'0xAF'", true},
                 {"'0x09'", "9", true},
                 {"'0x0'", "0", true},
                 {"'0xffffffffffffffff'", "'0xffffffffffffffff'", true},
                 {"-1", "-1", true},
                 {"-1", "'0xffffffffffffffff'", true},
                 {"'0x1'", "'0x2'", false},
                 {"'0x10'", "10", false},
                 {"''", "''", false},
                 {"'0x1g'", "'0x1g'", false},
                 {"'0x1@'", "'0x1@'", false},
                 {"'0x1:'", "'0x1:'", false},
                 {"'0x1`'", "'0x1`'", false},
                 {"'0x1/'", "'0x1/'", false},
                 {"1.5", "1.5", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char events[512];
        snprintf(events, sizeof events,
                 EVENT("1", TS, "Profile", "%s", "'data':{'startTime':500}") "," EVENT("1", TS, "ProfileChunk", "%s",
                                                                                       ONE_SAMPLE),
                 cases[i].profile, cases[i].chunk);
        expect_sample(events, cases[i].same);
    }
}

Test(profiles, a_chunk_finds_the_profile_of_its_process)
{
    expect_sample(BEGUN("1") EVENT("2", TS, "ProfileChunk", "1", ONE_SAMPLE), false);
    expect_sample(BEGUN("1") EVENT("2", TS, "Profile", "1",
                                   "'data':{'startTime':-9000}") "," EVENT("1", TS, "ProfileChunk", "1", ONE_SAMPLE),
                  true);
    expect_sample(EVENT("1", TS, "Profile", "2", "'data':{'startTime':1}") "," BEGUN("1")
                      EVENT("1", TS, "ProfileChunk", "1", ONE_SAMPLE),
                  true);
}

Test(profiles, events_without_a_time_or_arguments_say_nothing)
{
    expect_sample(
        EVENT("1", "", "Profile", "1", "'data':{'startTime':500}") "," EVENT("1", TS, "ProfileChunk", "1", ONE_SAMPLE),
        false);
    expect_sample(BEGUN("1") EVENT("1", "", "ProfileChunk", "1", ONE_SAMPLE), false);
    expect_sample(BEGUN("1") EVENT("1", TS, "ProfileChunk", "1", ""), false);
    expect_sample(
        BEGUN("1") EVENT("1", TS, "Profile", "1", "'data':{'x':1}") "," EVENT("1", TS, "ProfileChunk", "1", ONE_SAMPLE),
        true);
    expect_sample(BEGUN("1") EVENT("1", TS, "Profile", "1",
                                   "'data':{'startTime':'7'}") "," EVENT("1", TS, "ProfileChunk", "1", ONE_SAMPLE),
                  true);
}

Test(profiles, nodes_are_whole_numbers_below_known_ones)
{
    static const struct {
        const char *nodes, *sample;
        bool counts;
    } cases[] = {{"[{'id':2}]", "2", true},
                 {"[{'id':0}]", "0", true},
                 {"[{'id':4294967295}]", "4294967295", true},
                 {"[{'id':2147483648}]", "2147483648", true},
                 {"[{'id':-1}]", "-1", false},
                 {"[{'id':'2'}]", "2", false},
                 {"[{'id':2,'parent':'77'}]", "2", true},
                 {"[{'id':2,'parent':77}]", "2", false},
                 {"[{'id':2,'parent':2}]", "2", false},
                 {"[{'id':1},{'id':2,'parent':1}]", "2", true},
                 {"[{'parent':1}]", "2", false},
                 {"[{'id':1},{'parent':1},{'id':2}]", "2", true},
                 {"[{'id':1},{'id':2,'parent':77},{'id':3}]", "3", true},
                 {"[{'id':1},{'id':3}]", "2", false},
                 {"[{'callFrame':{'id':2}}]", "2", false},
                 {"[{'id':2,'callFrame':{'id':3,'parent':77}}]", "2", true},
                 {"{'x':{'id':2}}", "2", false},
                 {"{'id':2}", "2", false},
                 {"[[{'id':2}]]", "2", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char events[512];
        snprintf(events, sizeof events,
                 BEGUN("1") EVENT("1", TS, "ProfileChunk", "1",
                                  "'data':{'cpuProfile':{'nodes':%s,'samples':[%s]},'timeDeltas':[4000]}"),
                 cases[i].nodes, cases[i].sample);
        expect_sample(events, cases[i].counts);
    }
}

Test(profiles, parents_are_those_of_the_same_profile)
{
    static const char other[] = EVENT("1", TS, "Profile", "2", "'data':{'startTime':500}") "," EVENT(
        "1", TS, "ProfileChunk", "2", "'data':{'cpuProfile':{'nodes':[{'id':7}],'samples':[7]},'timeDeltas':[500]}");
    char events[1024];
    for (int mine = 0; mine < 2; mine++) {
        snprintf(events, sizeof events,
                 BEGUN("1") "%s," EVENT("1", TS, "ProfileChunk", "%d",
                                        "'data':{'cpuProfile':{'nodes':[{'id':8,'parent':7}],'samples':[8]},"
                                        "'timeDeltas':[%d]}"),
                 other, 1 + mine, mine ? 3500 : 4000);
        expect_sample(events, mine);
    }
}

Test(profiles, members_count_only_where_they_belong)
{
    static const struct {
        const char *args;
        bool counts;
    } cases[] = {{"'data':{'timeDeltas':[4000],'cpuProfile':{'nodes':[{'id':2}],'samples':[2]}}", true},
                 {"'data':{'cpuProfile':{'samples':[2],'nodes':[{'id':2}]},'timeDeltas':[4000]}", true},
                 {"'data':{'cpuProfile':{'nodes':[{'id':2}],'samples':[2],'timeDeltas':[4000]}}", false},
                 {"'data':{'cpuProfile':{'nodes':[{'id':2}]},'samples':[2],'timeDeltas':[4000]}", false},
                 {"'data':{'cpuProfile':{'other':[{'id':2}],'samples':[2]},'timeDeltas':[4000]}", false},
                 {"'data':{'cpuProfile':[{'nodes':[{'id':2}],'samples':[2]}],'timeDeltas':[4000]}", false},
                 {"'data':[{'cpuProfile':{'nodes':[{'id':2}],'samples':[2]},'timeDeltas':[4000]}]", false},
                 {"'date':{'cpuProfile':{'nodes':[{'id':2}],'samples':[2]},'timeDeltas':[4000]}", false},
                 {"'x':{'data':{'cpuProfile':{'nodes':[{'id':2}],'samples':[2]},'timeDeltas':[4000]}}", false},
                 {"'data':{'cpuProfile':{'nodes':[{'id':2}],'samples':[[2]]},'timeDeltas':[4000]}", false},
                 {"'data':{'cpuProfile':{'nodes':[{'id':2}],'samples':[2,[]]},'timeDeltas':[4000]}", false},
                 {"'data':{'cpuProfile':{'nodes':[{'id':2}],'samples':[{'a':2}]},'timeDeltas':[4000]}", false},
                 {"'data':{'cpuProfile':{'nodes':[{'id':2}],'samples':[null]},'timeDeltas':[4000]}", false},
                 {"'data':{'cpuProfile':{'nodes':[{'id':2}],'samples':[2]},'timeDeltas':[null]}", false},
                 {"'data':{'cpuProfile':{'nodes':[{'id':2}],'samples':[2]},'timeDeltas':[true]}", false},
                 {"'data':{'cpuProfile':{'nodes':[{'id':2}],'samples':[2]},'timeDeltas':[4000.9]}", true},
                 {"'data':{'x':{'startTime':0,'timeDeltas':[1]},'cpuProfile':{'nodes':[{'id':2}],'samples':[2]},"
                  "'timeDeltas':[4000]}",
                  true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char events[512];
        snprintf(events, sizeof events, BEGUN("1") EVENT("1", TS, "ProfileChunk", "1", "%s"), cases[i].args);
        expect_sample(events, cases[i].counts);
    }
    expect_sample(EVENT("1", TS, "Profile", "1", "'data':{'x':{'startTime':500}}") "," EVENT("1", TS, "ProfileChunk",
                                                                                             "1", ONE_SAMPLE),
                  false);
    expect_sample(EVENT("1", TS, "Profile", "1",
                        "'data':{'startTime':9,'startTime':500}") "," EVENT("1", TS, "ProfileChunk", "1", ONE_SAMPLE),
                  true);
}

Test(profiles, times_end_where_nanoseconds_do)
{
    expect_bounds(ROW PROFILE("100") "," CHUNK("2", "-100") "]", 0, 1100000);
    expect_bounds(ROW PROFILE("100") "," CHUNK("2,2", "-101,1") "]", 0, 1100000);
    expect_bounds(ROW PROFILE("-1") "," CHUNK("2", "0") "]", 1000000, 1100000);
    expect_bounds(ROW PROFILE("0") "," CHUNK("2,2", "9223372036854775,1") "]", 1000000, 9223372036854775000);
}

Test(profiles, many_samples_in_a_chunk)
{
    pf_buffer samples = {0}, deltas = {0}, text = {0};
    for (int i = 0; i < 300; i++) {
        pf_buffer_text(&samples, i ? ",2" : "2");
        pf_buffer_text(&deltas, i ? ",10" : "10");
    }
    pf_buffer_format(&text, ROW PROFILE("500") "," CHUNK("%.*s", "%.*s") "]", (int)samples.len, samples.data,
                     (int)deltas.len, deltas.data);
    pf_buffer_put(&text, "", 1);
    expect_bounds(text.data, 510000, 3500000); /* 500 us and 300 times 10 us */
    pf_buffer_free(&samples);
    pf_buffer_free(&deltas);
    pf_buffer_free(&text);
}
