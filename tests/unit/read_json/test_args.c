/* Arguments decoded on request, and the limits that drop them. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/chrome_json/apply/json_args.h"

static void expect_args(const char *object, const char *expected)
{
    char text[1024];
    snprintf(text, sizeof text, "[{\"ph\":\"B\",\"ts\":1,\"pid\":1,\"args\":%s}]", object);
    pf_trace *t = load(text);
    pf_buffer b = {0};
    describe_args(t, 0, &b);
    pf_buffer_put(&b, "", 1);
    cr_expect_str_eq(b.data, expected);
    pf_buffer_free(&b);
    pf_trace_free(t);
}

Test(args, values)
{
    expect_args("{}", "");
    expect_args("null", "");
    expect_args("\"text\"", "");
    expect_args("{\"a\":1,\"b\":-2.5,\"c\":true,\"d\":false,\"e\":null,\"f\":\"x\"}",
                " args.a=1 args.b=-2.5 real args.c=true args.d=false args.e=null args.f='x'");
    expect_args("{ \"x\" : 1 , \"l\" : [ 1 , { \"q\" : 2.5 } , [ 3 ] ] , \"o\" : { \"p\" : \"s\" } , \"em\" : { } }",
                " args.x=1 [args.l -=1 {- q=2.5 real end [- -=3 end end {args.o p='s' end {args.em end");
    expect_args("{\"k\\u0041\":\"v\\n\",\"{\":\"}\"}", " args.kA='v\n' args.{='}'");
    expect_args(
        "{\"min\":-9223372036854775808,\"max\":9223372036854775807,\"over\":9223372036854775808,\"huge\":1e999}",
        " args.min=-9223372036854775808 args.max=9223372036854775807 args.over=9.22337e+18 real args.huge=inf real");
    expect_args("{\"whole\":5.0,\"exp\":1e3}", " args.whole=5 real args.exp=1000 real");
    expect_args("{\"a\":0x10,\"b\":1.2.3,\"c\":-,\"d\":1e,\"e\":--1,\"f\":1e400,\"g\":-1.5E+999}",
                " args.a='0x10' args.b='1.2.3' args.c='-' args.d='1e' args.e='--1' args.f=inf real args.g=-inf real");
    expect_args("{\"\":1}", " args.=1");
    expect_args("{\"a\":1,}", " args.a=1");
}

Test(args, long_texts)
{
    enum { LEN = 5000 };
    char *text = malloc(LEN + 200);
    int n = sprintf(text, "[{\"ph\":\"B\",\"ts\":1,\"pid\":1,\"args\":{\"key\":\"");
    memset(text + n, 'y', LEN);
    memcpy(text + n, "\\u00e4", 6);
    int m = n + LEN;
    m += sprintf(text + m, "\"}}]");
    pf_trace *t = load_bytes(text, (size_t)m, NULL, 0, NULL);
    char *out = malloc(LEN);
    cr_expect_eq(pf_trace_arg_text(t, 0, PF_STR("key"), out, LEN), LEN - 4);
    cr_expect_eq(memcmp(out, "\xc3\xa4yyy", 5), 0);
    cr_expect_eq(out[LEN - 5], 'y');
    free(out);
    free(text);
    pf_trace_free(t);
}

/* Counts calls and checks that every begun level is ended. */
typedef struct balance {
    int open, lowest;
} balance;

static pf_status open_level(void *ctx, pf_str key, bool list)
{
    ((balance *)ctx)->open++;
    return PF_OK;
}

static pf_status close_level(void *ctx)
{
    balance *b = ctx;
    b->open--;
    b->lowest = b->open < b->lowest ? b->open : b->lowest;
    return PF_OK;
}

static pf_status ignore_value(void *ctx, pf_str key, const pf_value *v)
{
    return PF_OK;
}

Test(args, the_decoder_survives_every_cut_and_every_changed_byte)
{
    static const char object[] = "{\"a\":{\"b\":[1,\"x\\u00e4\",{\"c\":null}],\"d\":-1.5},\"e\":[[],{}]}";
    const size_t len = sizeof object - 1;
    static const char values[] = "\"\\{}[]:,x1\0\xff";
    balance b = {0};
    const pf_arg_visitor v = {&b, open_level, close_level, ignore_value, false};
    pf_error err;
    for (size_t n = 1; n <= len; n++) {
        /* Exact but for the NUL that the arena puts after a copy, so that a sanitizer sees one byte too many. */
        uint8_t *copy = calloc(1, n + 1);
        for (size_t at = 0; at < n; at++) {
            for (size_t c = 0; c < sizeof values - 1; c++) {
                memcpy(copy, object, n);
                copy[at] = (uint8_t)values[c];
                cr_assert_eq(pf_json_visit_object(copy, n, PF_STR("args."), &v, &err), PF_OK);
                cr_assert(b.open == 0 && b.lowest == 0, "unbalanced");
            }
        }
        free(copy);
    }
}

static pf_status stop(void *ctx, pf_str key, const pf_value *v)
{
    ++*(int *)ctx;
    return PF_ERR_CANCELLED;
}

Test(args, a_visitor_can_stop)
{
    int calls = 0;
    const pf_arg_visitor v = {&calls, open_level, close_level, stop, false};
    pf_error err;
    static const char object[] = "{\"a\":1,\"b\":2}";
    cr_expect_eq(pf_json_visit_object((const uint8_t *)object, sizeof object - 1, PF_STR("args."), &v, &err),
                 PF_ERR_CANCELLED);
    cr_expect_eq(calls, 1);
}

/* ---- limits ------------------------------------------------------------------------------------------------------ */

/* Whether an event keeps args `open` x n + middle + `close` x n. */
static bool keeps(const char *open, size_t n, const char *middle, const char *close, const pf_limits *limits)
{
    pf_buffer b = {0};
    pf_buffer_text(&b, "[{\"ph\":\"B\",\"ts\":1,\"pid\":1,\"args\":{");
    for (size_t i = 0; i < n; i++) {
        pf_buffer_text(&b, open);
    }
    pf_buffer_text(&b, middle);
    for (size_t i = 0; i < n; i++) {
        pf_buffer_text(&b, close);
    }
    pf_buffer_text(&b, "}},{\"ph\":\"E\",\"ts\":2,\"pid\":1}]");
    pf_read_options o = pf_read_options_default();
    o.limits = *limits;
    pf_trace *t = load_bytes(b.data, b.len, &o, 0, NULL);
    cr_assert_eq(pf_trace_events(t)->count, 2);
    cr_assert_eq(stat_of(t, PF_STAT_JSON_SYNTAX), 0);
    bool kept = t->args.count == 1;
    cr_assert_eq(stat_of(t, PF_STAT_JSON_ARGS_DROPPED), kept ? 0 : 1);
    cr_assert(kept || stat_offset_of(t, PF_STAT_JSON_ARGS_DROPPED) == 1);
    pf_buffer_free(&b);
    pf_trace_free(t);
    return kept;
}

Test(limits, depth)
{
    pf_limits limits = pf_limits_default();
    cr_expect(keeps("\"a\":{", 511, "\"b\":1", "}", &limits), "512 levels with the args object itself");
    cr_expect_not(keeps("\"a\":{", 512, "\"b\":1", "}", &limits));
    cr_expect_not(keeps("\"a\":{", 100000, "\"b\":1", "}", &limits));
    limits.depth = 3;
    cr_expect(keeps("\"a\":{", 2, "\"b\":1", "}", &limits));
    cr_expect_not(keeps("\"a\":{", 3, "\"b\":1", "}", &limits));
    limits.depth = 5000;
    cr_expect(keeps("\"a\":{", 4999, "\"b\":1", "}", &limits));
    cr_expect_not(keeps("\"a\":{", 5000, "\"b\":1", "}", &limits));
}

Test(limits, keys)
{
    pf_limits limits = pf_limits_default();
    cr_expect(keeps("\"a\":1,", 65535, "\"b\":1", "", &limits));
    cr_expect_not(keeps("\"a\":1,", 65536, "\"b\":1", "", &limits));
    limits.keys = 4;
    cr_expect(keeps("", 0, "\"a\":[1,2,3]", "", &limits));
    cr_expect_not(keeps("", 0, "\"a\":[1,2,3,4]", "", &limits));
}

Test(limits, rows)
{
    static const char text[] =
        "[{\"ph\":\"B\",\"ts\":1,\"pid\":1},{\"ph\":\"B\",\"ts\":1,\"pid\":1},{\"ph\":\"B\",\"ts\":1,\"pid\":1},"
        "{\"ph\":\"B\",\"ts\":1,\"pid\":1},{\"ph\":\"B\",\"ts\":1,\"pid\":1}]";
    pf_read_options o = pf_read_options_default();
    pf_status st;
    o.limits.rows = 4;
    pf_trace_free(load_bytes(text, sizeof text - 1, &o, 0, &st));
    cr_expect_eq(st, PF_ERR_LIMIT);
    o.limits.rows = 5;
    pf_trace_free(load_bytes(text, sizeof text - 1, &o, 0, &st));
    cr_expect_eq(st, PF_OK);
}

Test(limits, memory)
{
    pf_buffer b = {0};
    pf_buffer_text(&b, "[");
    for (int i = 0; i < 20000; i++) {
        pf_buffer_format(&b, "{\"ph\":\"B\",\"ts\":%d,\"pid\":1,\"name\":\"a name that occurs only once: %d\"},", i, i);
    }
    pf_read_options o = pf_read_options_default();
    pf_status st;
    o.limits.memory = 3u << 20;
    pf_trace_free(load_bytes(b.data, b.len, &o, 0, &st));
    cr_expect_eq(st, PF_ERR_LIMIT);
    pf_buffer_free(&b);
}
