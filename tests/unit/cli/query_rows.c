/* Result rows for a terminal, as CSV and as JSON. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/query/query_output.h"
#include "scratch.h"

TestSuite(query_rows, .init = scratch_enter, .fini = scratch_leave);

#define INT(v)                                                                                                         \
    {                                                                                                                  \
        .type = PF_VALUE_INT, .as.i = (v)                                                                              \
    }
#define REAL(v)                                                                                                        \
    {                                                                                                                  \
        .type = PF_VALUE_REAL, .as.d = (v)                                                                             \
    }
#define TEXT(v)                                                                                                        \
    {                                                                                                                  \
        .type = PF_VALUE_STRING, .as.s = { v, sizeof(v) - 1 }                                                          \
    }
#define NONE                                                                                                           \
    {                                                                                                                  \
        .type = PF_VALUE_NULL                                                                                          \
    }

/* Two results, of three columns and of one, as they are written. */
static void expect_written(pf_cli_rows_format format, size_t screen, uint64_t memory, pf_status status,
                           const char *wanted)
{
    static const pf_str three[] = {{"name", 4}, {"an \"int\"", 8}, {"mixed\n", 6}}, one[] = {{"real", 4}};
    const pf_query_cell first[][3] = {
        {TEXT("a text with some words in it"), INT(-5), REAL(0.5)},
        {TEXT("say \"b\""), NONE, INT(12)},
        {NONE, INT(123456), TEXT("x")},
    };
    const pf_query_cell second[][1] = {{REAL(1.0)}, {NONE}, {INT(2)}, {REAL(INFINITY)}};
    pf_outfile file;
    pf_error err = {0};
    uint64_t written = 0;
    pf_limits limits = pf_limits_default();
    pf_cli_rows r;
    limits.memory = memory ? memory : limits.memory;
    cr_assert_eq(pf_outfile_open(&file, "rows", &err), PF_OK, "%s", err.text);
    pf_cli_rows_start(&r, format, &file, &limits, &written, &err);
    r.screen = screen;
    r.name = (pf_str){"n", 1};
    pf_query_sink sink = pf_cli_rows_sink(&r);
    pf_status st = sink.columns(sink.ctx, 3, three);
    for (size_t i = 0; i < 3 && st == PF_OK; i++) {
        st = sink.row(sink.ctx, 3, first[i]);
    }
    r.name = (pf_str){NULL, 0};
    st = st == PF_OK ? sink.columns(sink.ctx, 1, one) : st;
    for (size_t i = 0; i < 4 && st == PF_OK; i++) {
        st = sink.row(sink.ctx, 1, second[i]);
    }
    st = st == PF_OK ? pf_cli_rows_end(&r) : st;
    pf_cli_rows_free(&r);
    cr_expect_eq(st, status, "%s", err.text);
    if (st == PF_OK) {
        char got[2048] = "";
        cr_assert_eq(pf_outfile_commit(&file, true, &err), PF_OK, "%s", err.text);
        int fd = open("rows", O_RDONLY);
        ssize_t n = read(fd, got, sizeof got - 1);
        close(fd);
        cr_expect_eq((uint64_t)n, written, "the bytes are counted");
        cr_expect_str_eq(got, wanted, "%s", got);
    } else {
        pf_outfile_abort(&file);
        cr_expect_str_eq(err.text, wanted, "%s", err.text);
    }
}

Test(query_rows, csv)
{
    expect_written(PF_CLI_CSV, 0, 0, PF_OK,
                   "\"name\",\"an \"\"int\"\"\",\"mixed\n\"\n\"a text with some words in it\",-5,0.5\n"
                   "\"say \"\"b\"\"\",,12\n,123456,\"x\"\n\n\"real\"\n1.0\nNULL\n2\ninf\n");
}

Test(query_rows, json)
{
    expect_written(PF_CLI_JSON, 0, 0, PF_OK,
                   "{\n  \"schema_version\": 1,\n  \"results\": [\n"
                   "    {\"name\": \"n\", \"columns\": [\"name\", \"an \\\"int\\\"\", \"mixed\\n\"], \"rows\": [\n"
                   "      [\"a text with some words in it\", -5, 0.5],\n"
                   "      [\"say \\\"b\\\"\", null, 12],\n"
                   "      [null, 123456, \"x\"]\n"
                   "    ]},\n"
                   "    {\"columns\": [\"real\"], \"rows\": [\n"
                   "      [1.0],\n      [null],\n      [2],\n      [null]\n"
                   "    ]}\n  ]\n}\n");
}

Test(query_rows, table)
{
    expect_written(PF_CLI_TABLE, 0, 0, PF_OK,
                   "name                          an \"int\"  mixed?\n"
                   "a text with some words in it        -5  0.5\n"
                   "say \"b\"                              -  12\n"
                   "-                               123456  x\n"
                   "\nreal\n 1.0\n   -\n 2.0\n inf\n");
    expect_written(PF_CLI_TABLE, 40, 0, PF_OK,
                   "name                    an \"int\"  mixed?\n"
                   "a text wit...rds in it        -5  0.5\n"
                   "say \"b\"                        -  12\n"
                   "-                         123456  x\n"
                   "\nreal\n 1.0\n   -\n 2.0\n inf\n");
}

Test(query_rows, a_table_beyond_the_memory)
{
    expect_written(PF_CLI_TABLE, 0, 64, PF_ERR_LIMIT,
                   "the table is too large; use --format csv, or raise --max-memory");
}
