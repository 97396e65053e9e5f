/* Samples of V8's profiler and the bounds. The expected values are those of Perfetto's engine v55.3. */
#include "support.h"

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
