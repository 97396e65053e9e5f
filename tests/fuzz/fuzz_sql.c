/* fuzz_sql.c - any text as SQL, after two macros and two functions that it may call: no crash, no leak, no hang. A
 * statement is given up after a while, so that one that never ends costs little; an error lies inside of the text. */
#include <string.h>

#include "memory_file.h"
#include "postfetto/query.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static pf_status take_columns(void *ctx, size_t count, const pf_str *names)
{
    return PF_OK;
}

static pf_status take_row(void *ctx, size_t count, const pf_query_cell *cells)
{
    return PF_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char TRACE[] = "[{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":9,\"name\":\"a\"}]";
    static const char DEFINITIONS[] = "CREATE PERFETTO MACRO m(x Expr) RETURNS Expr AS ($x);"
                                      "CREATE PERFETTO MACRO n(x Expr, y Expr) RETURNS Expr AS $y+m!($x);"
                                      "CREATE PERFETTO FUNCTION f(x ANY) RETURNS INT AS SELECT $x;"
                                      "CREATE PERFETTO FUNCTION g(x INT) RETURNS TABLE(y INT) AS SELECT $x AS y;";
    const pf_query_sink sink = {NULL, take_columns, take_row};
    const volatile int cancel = 1;
    int fd = memory_file((const uint8_t *)TRACE, sizeof TRACE - 1);
    pf_trace *t = read_memory_file(fd, MEMORY, 1, NULL);
    pf_query *q;
    pf_error err;
    if (!t || pf_query_open(t, &q, &err) != PF_OK ||
        pf_query_run(q, (pf_str){DEFINITIONS, sizeof DEFINITIONS - 1}, &sink, &err) != PF_OK) {
        abort();
    }
    pf_query_set_cancel(q, &cancel);
    pf_status st = pf_query_run(q, (pf_str){(const char *)data, size}, &sink, &err);
    if (st == PF_ERR_USAGE && err.offset > size) {
        abort();
    }
    pf_query_free(q);
    pf_trace_free(t);
    close(fd);
    return 0;
}
