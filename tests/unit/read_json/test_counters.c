/* Counter events: a sample per entry of args. */
#include "support.h"

#include <string.h>

static bool counter_named(const pf_trace *t, uint32_t row, const char *name)
{
    return string_is(t, pf_trace_tracks(t)->name[pf_trace_counters(t)->track[row]], name);
}

Test(counters, samples_in_order)
{
    pf_trace *t =
        load("[{\"ph\":\"C\",\"ts\":1,\"pid\":3,\"name\":\"mem\",\"args\":{\"used\":5,\"fr\\u0065e\":\"2.5\"}},"
             "{\"ph\":\"C\",\"ts\":2,\"pid\":3,\"name\":\"mem\",\"args\":{\"used\":-7.25}},"
             "{\"ph\":\"C\",\"ts\":3,\"pid\":4,\"name\":\"mem\",\"args\":{\"used\":1}},"
             "{\"ph\":\"C\",\"ts\":4,\"pid\":3,\"name\":\"mem\",\"id\":\"x\",\"args\":{\"used\":1}},"
             "{\"ph\":\"C\",\"ts\":5,\"pid\":3,\"name\":\"mem\",\"id\":7,\"args\":{\"used\":2}},"
             "{\"ph\":\"C\",\"ts\":6,\"pid\":3,\"name\":\"mem\",\"id\":\"\",\"args\":{\"used\":3}}]");
    const pf_counters *c = pf_trace_counters(t);
    cr_assert_eq(c->count, 7);
    cr_expect_eq(c->track[6], c->track[0], "an empty id does not count");
    cr_expect(counter_named(t, 0, "mem used") && counter_named(t, 1, "mem free"));
    cr_expect(c->value[0] == 5 && c->value[1] == 2.5 && c->value[2] == -7.25);
    cr_expect_eq(c->ts[2], 2000);
    cr_expect_eq(c->track[2], c->track[0]);
    cr_expect_neq(c->track[3], c->track[0], "another process");
    cr_expect(counter_named(t, 4, "mem id: x used"));
    cr_expect_eq(c->track[5], c->track[0], "an integer id does not count");
    cr_expect_eq(pf_trace_tracks(t)->type[c->track[0]], PF_TRACK_JSON_COUNTER);
    cr_expect_eq(pf_trace_processes(t)->pid[pf_trace_tracks(t)->upid[c->track[0]]], 3);
    cr_expect_eq(c->event[5], 4);
    cr_expect_eq(stat_of(t, PF_STAT_JSON_PARSER_FAILURE), 0);
    pf_trace_free(t);
}

Test(counters, hexadecimal_texts)
{
    pf_trace *t =
        load("[{\"ph\":\"C\",\"ts\":1,\"pid\":3,\"name\":\"m\",\"args\":{\"a\":\"0x1f\",\"b\":\"0XFFFFFFFFFFFFFFFF\","
             "\"c\":\"0x\",\"d\":\"0x12345678901234567\",\"e\":\"x10\",\"f\":\"0x1g\"}}]");
    cr_assert_eq(pf_trace_counters(t)->count, 2);
    cr_expect_eq(pf_trace_counters(t)->value[0], 31);
    cr_expect_eq(pf_trace_counters(t)->value[1], 0x1p64);
    cr_expect_eq(stat_of(t, PF_STAT_JSON_PARSER_FAILURE), 4);
    pf_trace_free(t);
}

Test(counters, entries_that_are_no_numbers)
{
    pf_trace *t = load("[{\"ph\":\"C\",\"ts\":1,\"pid\":3,\"name\":\"m\",\"args\":{\"a\":null,\"b\":true,\"c\":"
                       "\"text\",\"d\":{\"x\":1},"
                       "\"e\":[1,2],\"f\":NaN,\"g\":8}},"
                       "{\"ph\":\"C\",\"ts\":1,\"pid\":3,\"name\":\"m\"},"
                       "{\"ph\":\"C\",\"ts\":1,\"pid\":3,\"name\":\"m\",\"args\":{}},"
                       "{\"ph\":\"C\",\"ts\":\"bad\",\"pid\":3,\"name\":\"m\",\"args\":{\"g\":1}}]");
    cr_expect_eq(pf_trace_counters(t)->count, 1);
    cr_expect_eq(pf_trace_counters(t)->value[0], 8);
    cr_expect_eq(stat_of(t, PF_STAT_JSON_PARSER_FAILURE), 7);
    cr_expect_eq(pf_trace_events(t)->count, 4);
    pf_trace_free(t);
}

Test(counters, only_when_wanted)
{
    static const char text[] = "[{\"ph\":\"C\",\"ts\":1,\"pid\":3,\"name\":\"m\",\"args\":{\"a\":1}}]";
    pf_read_options o = pf_read_options_default();
    o.want = PF_WANT_EVENTS;
    pf_trace *t = load_bytes(text, sizeof text - 1, &o, 0, NULL);
    cr_expect_eq(pf_trace_counters(t)->count, 0);
    cr_expect_eq(pf_trace_events(t)->count, 1);
    pf_trace_free(t);
}
