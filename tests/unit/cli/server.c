/* Whom the server answers, and what it says of a trace and of failures: hosts, origins, places in SQL. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "cli/server/server.h"
#include "scratch.h"
#include "wire/cursor.h"
#include "wire/writer.h"

TestSuite(server, .init = scratch_enter, .fini = scratch_leave);

Test(server, hosts)
{
    static const struct {
        const char *address, *host;
        bool known;
    } rows[] = {
        {"localhost", NULL, true},
        {"localhost", "localhost", true},
        {"localhost", "LocalHost:9001", true},
        {"localhost", "127.0.0.1:1", true},
        {"localhost", "[::1]", true},
        {"localhost", "[::1]:9001", true},
        {"localhost", "", false},
        {"localhost", ":9001", false},
        {"localhost", "[", false},
        {"localhost", "localhost.evil.example", false},
        {"localhost", "127.0.0.2", false},
        {"localhost", "10.0.0.1", false},
        {"10.0.0.1", "10.0.0.1:9001", true},
        {"10.0.0.1", "10.0.0.2:9001", false},
        {"0.0.0.0", "10.0.0.2:9001", true},
        {"::", "[fe80::1]:9001", true},
        {"0.0.0.0", "evil.example", false},
        {"0.0.0.0", "1.2.3.4.evil.example", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const pf_server s = {.address = rows[i].address};
        cr_expect_eq(pf_server_knows_host(&s, rows[i].host), rows[i].known, "%s at %s",
                     rows[i].host ? rows[i].host : "no host", rows[i].address);
    }
}

Test(server, origins)
{
    static const struct {
        const char *more, *origin;
        bool allowed;
    } rows[] = {
        {NULL, "https://ui.perfetto.dev", true},
        {NULL, "HTTPS://UI.PERFETTO.DEV", true},
        {NULL, "http://localhost:10000", true},
        {NULL, "http://127.0.0.1:10000", true},
        {NULL, "http://ui.perfetto.dev", false},
        {NULL, "https://ui.perfetto.dev:444", false},
        {NULL, "https://ui.perfetto.dev.evil.example", false},
        {NULL, "https://evil.example/https://ui.perfetto.dev", false},
        {NULL, "null", false},
        {NULL, "", false},
        {"", "", false},
        {" , ,", "", false},
        {"https://a.example, http://b.example:8080", "http://b.example:8080", true},
        {"https://a.example, http://b.example:8080", "https://ui.perfetto.dev", true},
        {"https://a.example, http://b.example:8080", "https://a.example, http://b.example:8080", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const pf_server s = {.address = "localhost", .origins = rows[i].more};
        cr_expect_eq(pf_server_allows(&s, rows[i].origin), rows[i].allowed, "'%s'", rows[i].origin);
    }
}

/* ---- answers ----------------------------------------------------------------------------------------------------- */

static pf_rpc rpc_of(const char *trace)
{
    pf_rpc r = {.read = pf_read_options_default(), .write = pf_write_options_default(), .scratch = "."};
    pf_error err;
    r.read.jobs = 1;
    cr_assert_eq(pf_rpc_open(&r, NULL, &err), PF_OK);
    pf_rpc_receive(&r, trace, strlen(trace) / 2);
    pf_rpc_receive(&r, trace + strlen(trace) / 2, strlen(trace) - strlen(trace) / 2);
    return r;
}

static pf_status keep(void *ctx, const void *bytes, size_t len)
{
    pf_buffer_put(ctx, bytes, len);
    return PF_OK;
}

/* The text of the failure; "" without one. */
static char *failure_of(pf_rpc *r, const char *sql)
{
    static const volatile int go_on = 0;
    pf_buffer args = {0}, all = {0};
    pf_writer w;
    const pf_rpc_reply reply = {&all, keep, &go_on};
    pf_writer_init(&w, &args);
    pf_writer_bytes(&w, 1, sql, strlen(sql));
    pf_rpc_query(r, (pf_bytes){(const uint8_t *)args.data, args.len}, &reply);
    pf_field f = pf_cursor_last(pf_cursor_over((const uint8_t *)all.data, all.len), PF_TAG_BYTES(2));
    char *text = strndup(pf_field_text(&f).ptr, f.len);
    pf_buffer_free(&args);
    pf_buffer_free(&all);
    return text;
}

static void expect_failure(pf_rpc *r, const char *sql, const char *expected)
{
    char *text = failure_of(r, sql);
    cr_expect_str_eq(text, expected, "%s: %s", sql, text);
    free(text);
}

Test(server, failures)
{
    pf_rpc r = rpc_of("[{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":9,\"name\":\"a\"}]");
    expect_failure(&r, "select 1", "the trace is not complete; notify_eof comes after its last piece");
    pf_rpc_finish(&r);
    expect_failure(&r, "select name from slice", "");
    expect_failure(&r, "", "No valid SQL to run");
    expect_failure(&r, " -- only this\n;;", "No valid SQL to run");
    expect_failure(&r, "select 1;\n\nselect\n  x from slice;",
                   "Traceback (most recent call last):\n  File \"stdin\" line 4 col 3\n      x from slice;\n"
                   "      ^\nno such column: x");
    expect_failure(&r, "create table t as select 1 as a; select a from t", "");
    pf_rpc_restore(&r);
    expect_failure(&r, "select a from t",
                   "Traceback (most recent call last):\n  File \"stdin\" line 1 col 15\n    select a from t\n"
                   "                  ^\nno such table: t");
    pf_rpc_receive(&r, "nonsense", 8);
    pf_rpc_finish(&r);
    char *text = failure_of(&r, "select 1");
    cr_expect(strncmp(text, "the trace that was sent is not a trace", 38) == 0, "%s", text);
    free(text);
    pf_rpc_close(&r);
}
