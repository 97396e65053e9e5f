/* Counter events: a sample per entry of args. */
#include <string.h>

#include "base/buffer.h"
#include "support.h"

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

/* Alone in the args, where most numbers are read at once, and besides another entry, where none is. */
static void put_both_ways(pf_buffer *b, unsigned ts, const char *number)
{
    pf_buffer_format(b, "{\"ph\":\"C\",\"ts\":%u,\"pid\":3,\"name\":\"m\",\"args\":{\"a\":%s}},", 2 * ts, number);
    pf_buffer_format(b, "{\"ph\":\"C\",\"ts\":%u,\"pid\":3,\"name\":\"m\",\"args\":{\"a\": %s,\"b\":1}},", 2 * ts + 1,
                     number);
}

static void expect_both_ways(const pf_trace *t)
{
    const pf_counters *c = pf_trace_counters(t);
    cr_assert(c->count > 0 && c->count % 3 == 0);
    for (uint32_t i = 0; i < c->count; i += 3) {
        cr_expect(c->event[i] + 1 == c->event[i + 1] && c->track[i] == c->track[i + 1] &&
                      memcmp(&c->value[i], &c->value[i + 1], sizeof *c->value) == 0,
                  "event %u: %a, %a", c->event[i], c->value[i], c->value[i + 1]);
    }
}

Test(counters, a_number_alone_is_the_one_it_is_beside_others)
{
    static const char *const odd[] = {"0",
                                      "-0",
                                      "-0.0",
                                      "007",
                                      "00.50",
                                      "1e3",
                                      "-2.5e-3",
                                      "0.1",
                                      "0.3",
                                      "-9.95",
                                      "123456789012345",
                                      "1234567890123456",
                                      "0.123456789012345",
                                      "0.1234567890123456",
                                      "999999999999999.999999999999999",
                                      "18446744073709551616",
                                      "1.7976931348623157e308"};
    pf_buffer b = {0};
    uint32_t random = 1;
    pf_buffer_text(&b, "[");
    for (unsigned i = 0; i < 4000; i++) {
        char text[64];
        size_t len = 0;
        random = random * 1664525u + 1013904223u;
        unsigned wholes = 1 + (random >> 8) % 17, fractions = (random >> 16) % 17;
        text[len] = '-';
        len += random >> 31;
        for (unsigned k = 0; k < wholes + fractions; k++) {
            random = random * 1664525u + 1013904223u;
            text[len] = '.';
            len += k == wholes;
            text[len++] = (char)('0' + (random >> 8) % 10);
        }
        text[len] = '\0';
        put_both_ways(&b, i, i < sizeof odd / sizeof *odd ? odd[i] : text);
    }
    pf_buffer_format(&b, "{}]%c", 0);
    cr_assert_not(b.failed);
    pf_trace *t = load(b.data);
    cr_expect_eq(pf_trace_counters(t)->count, 3 * 4000);
    cr_expect_eq(stat_of(t, PF_STAT_JSON_PARSER_FAILURE), 0);
    expect_both_ways(t);
    pf_trace_free(t);
    pf_buffer_free(&b);
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
