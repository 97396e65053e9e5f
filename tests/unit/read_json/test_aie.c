/* The AIE dialect: recognised by process names, times in exact cycles (docs/reference/aie.md). */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/support/dialect.h"

Test(aie, names_that_give_it_away)
{
    static const struct {
        const char *name;
        bool aie;
    } cases[] = {{"core_trace for tile2,1", true},
                 {"core_trace", true},
                 {"Emulator: core_trace for tile3,2", true},
                 {"core_trace for design for tile2,3", true},
                 {"mem_trace for tile2,0", true},
                 {"shim_trace for tile0,0", true},
                 {"memtile_trace for tile1,0", true},
                 {"my_core_trace for tile2,1", false},
                 {"core_traces", false},
                 {"core_trace_reader", false},
                 {"coredump for tile", false},
                 {"Core_Trace", false},
                 {"python", false},
                 {"core_trac", false},
                 {"", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pf_str name = {cases[i].name, strlen(cases[i].name)};
        const pf_dialect *shown = pf_dialect_of_process(name);
        cr_expect_eq(shown ? strcmp(shown->name, "aie") == 0 : false, cases[i].aie, "%s", cases[i].name);
    }
}

#define NAME "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":0,\"args\":{\"name\":\"core_trace for tile2,1\"}}"

Test(aie, cycles_are_exact)
{
    static const struct {
        const char *ts;
        int64_t cycles;
    } good[] = {{"200523", 200523},
                {"46121.999", 46121},
                {"-46121.999", -46121},
                {"\"62115\"", 62115},
                {"\" +62115 \"", 62115},
                {"\"-1\"", -1},
                {"9007199254740993", 9007199254740993},
                {"1234567890123456789", 1234567890123456789},
                {"-9223372036854775808", INT64_MIN},
                {"9007199254740993.75", 9007199254740993},
                {"1.2345e3", 1234},
                {"\"\\u0031\\u0032\"", 12}};
    static const char *const bad[] = {"\"12.5\"", "\"1e3\"", "null", "true", "9223372036854775808",
                                      "\"soon\"", "{}",      "NaN"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        char text[512];
        snprintf(text, sizeof text, "[" NAME ",{\"ph\":\"B\",\"pid\":0,\"tid\":1,\"ts\":%s}]", good[i].ts);
        pf_trace *t = load(text);
        cr_expect_eq(pf_trace_time_unit(t), PF_UNIT_CYCLE);
        cr_expect_str_eq(pf_trace_dialect(t), "aie");
        cr_expect_eq(ts_of(t, 1), good[i].cycles, "%s gives %lld", good[i].ts, (long long)ts_of(t, 1));
        cr_expect_eq(pf_trace_events(t)->phase[1], 'B');
        pf_trace_free(t);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[512];
        snprintf(text, sizeof text, "[" NAME ",{\"ph\":\"B\",\"pid\":0,\"tid\":1,\"ts\":%s}]", bad[i]);
        pf_trace *t = load(text);
        cr_expect_eq(pf_trace_events(t)->phase[1], 'B' | PF_PHASE_BAD_TS, "%s", bad[i]);
        cr_expect_eq(pf_trace_event_offset(t, 1), 1 + strlen(NAME ","), "%s", bad[i]);
        pf_trace_free(t);
    }
}

Test(aie, late_names_read_everything_again)
{
    pf_trace *t = load("[{\"ph\":\"B\",\"pid\":0,\"tid\":1,\"ts\":7},{\"ph\":\"B\",\"pid\":0,\"tid\":1}," NAME
                       ",{\"ph\":\"E\",\"pid\":0,\"tid\":1,\"ts\":8.5}]");
    cr_expect_eq(pf_trace_events(t)->count, 4);
    cr_expect_eq(ts_of(t, 0), 7);
    cr_expect_eq(ts_of(t, 3), 8);
    cr_expect_eq(stat_of(t, PF_STAT_JSON_TOKENIZER_FAILURE), 1);
    cr_expect_eq(pf_trace_time_unit(t), PF_UNIT_CYCLE);
    pf_trace_free(t);
}

Test(aie, names_behind_many_metadata_events)
{
    pf_buffer b = {0};
    pf_buffer_text(&b, "[");
    for (int i = 0; i < 2000; i++) {
        pf_buffer_format(
            &b, "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":0,\"tid\":%d,\"args\":{\"name\":\"t%d\"}},\n", i, i);
    }
    pf_buffer_text(&b, NAME ",{\"ph\":\"B\",\"pid\":0,\"tid\":1,\"ts\":9}]");
    pf_trace *t = load_bytes(b.data, b.len, NULL, 0, NULL);
    cr_expect_eq(pf_trace_events(t)->count, 2002);
    cr_expect_eq(ts_of(t, 2001), 9);
    cr_expect_eq(pf_trace_threads(t)->count, 2001 + 1);
    pf_buffer_free(&b);
    pf_trace_free(t);
}

Test(aie, forced_and_forbidden)
{
    pf_trace *t = load_aie("[{\"ph\":\"B\",\"pid\":0,\"tid\":1,\"ts\":7}]");
    cr_expect_eq(ts_of(t, 0), 7);
    cr_expect_eq(pf_trace_time_unit(t), PF_UNIT_CYCLE);
    pf_trace_free(t);
    pf_read_options o = pf_read_options_default();
    o.dialect = "chrome-json";
    static const char text[] = "[" NAME ",{\"ph\":\"B\",\"pid\":0,\"tid\":1,\"ts\":7}]";
    t = load_bytes(text, sizeof text - 1, &o, 0, NULL);
    cr_expect_eq(ts_of(t, 1), 7000);
    cr_expect_eq(pf_trace_time_unit(t), PF_UNIT_NS);
    pf_trace_free(t);
}

Test(aie, only_process_names_count)
{
    pf_trace *t =
        load("[{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":0,\"args\":{\"name\":\"core_trace for tile2,1\"}},"
             "{\"ph\":\"B\",\"name\":\"process_name\",\"pid\":0,\"ts\":7,\"args\":{\"name\":\"core_trace\"}}]");
    cr_expect_eq(pf_trace_time_unit(t), PF_UNIT_NS);
    cr_expect_eq(ts_of(t, 1), 7000);
    pf_trace_free(t);
}
