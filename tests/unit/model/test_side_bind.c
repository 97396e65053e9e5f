/* Columns of side tables bound by name to a struct, and rows written at once. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "model/trace/side_tables.h"
#include "model/trace/trace.h"

typedef struct beats {
    uint32_t count;
    const int64_t *ts;
    const double *rate;
    const uint32_t *name, *slice;
    const pf_bytes *bytes;
} beats;

static const pf_side_binding bindings[] = {PF_SIDE_MEMBER(beats, ts, "ts"), PF_SIDE_MEMBER(beats, rate, "rate"),
                                           PF_SIDE_MEMBER(beats, name, "name"), PF_SIDE_MEMBER(beats, slice, "of"),
                                           PF_SIDE_MEMBER(beats, bytes, "bytes")};
enum { BINDINGS = sizeof bindings / sizeof *bindings };

static const pf_side_column columns[] = {{"name", PF_COLUMN_TEXT, NULL, NULL, NULL, 0},
                                         {"of", PF_COLUMN_ROW, NULL, "slice", NULL, 0},
                                         {"bytes", PF_COLUMN_BLOB, NULL, NULL, NULL, 0},
                                         {"rate", PF_COLUMN_REAL, NULL, NULL, NULL, 0},
                                         {"ts", PF_COLUMN_INT, NULL, NULL, NULL, 0}};
static const pf_side_spec spec = {"beat", "beats", columns, sizeof columns / sizeof *columns};

static pf_error err;

static pf_trace *new_trace(pf_side_table **s)
{
    pf_trace *t = pf_trace_new(NULL, PF_WANT_TABLES, &err);
    cr_assert_eq(pf_trace_add_table(t, &spec, s, &err), PF_OK, "%s", err.text);
    return t;
}

Test(side_bind, columns_of_all_types)
{
    pf_side_table *s;
    pf_trace *t = new_trace(&s);
    beats b;
    uint32_t id, row;
    cr_assert_eq(pf_trace_add_string(t, PF_STR("one"), &id, &err), PF_OK);
    cr_assert_eq(pf_side_put(s, (const int64_t[]){id, 7, 1, pf_side_bits(-1.5), INT64_MAX}, &row, &err), PF_OK);
    cr_expect_eq(row, 0);
    cr_assert_eq(pf_side_put(s, (const int64_t[]){0, PF_NONE, 0, pf_side_bits(NAN), INT64_MIN}, &row, &err), PF_OK);
    cr_expect_eq(row, 1);
    *pf_side_blob(s, 2, 1) = (pf_bytes){(const uint8_t *)"abc", 3};
    cr_assert_eq(pf_side_bind(pf_trace_table(t, "beat"), bindings, BINDINGS, &b, &err), PF_OK, "%s", err.text);
    cr_assert_eq(b.count, 2);
    cr_expect(b.ts[0] == INT64_MAX && b.ts[1] == INT64_MIN);
    cr_expect(b.rate[0] == -1.5 && isnan(b.rate[1]));
    cr_expect(b.name[0] == id && b.name[1] == 0);
    cr_expect(b.slice[0] == 7 && b.slice[1] == PF_NONE);
    cr_expect(b.bytes[0].ptr == NULL && b.bytes[1].len == 3);
    pf_side_set_row(s, 1, (const int64_t[]){id, 0, 0, pf_side_bits(0.25), -1});
    cr_expect(b.ts[1] == -1 && b.rate[1] == 0.25 && b.name[1] == id && b.slice[1] == 0 && b.bytes[1].ptr == NULL);
    pf_trace_free(t);
}

Test(side_bind, no_table_and_no_rows)
{
    pf_side_table *s;
    pf_trace *t = new_trace(&s);
    beats b;
    memset(&b, 1, sizeof b);
    cr_expect_eq(pf_side_bind(pf_trace_table(t, "other"), bindings, BINDINGS, &b, &err), PF_OK);
    cr_expect(b.count == 0 && !b.ts && !b.rate && !b.name && !b.slice && !b.bytes);
    memset(&b, 1, sizeof b);
    cr_expect_eq(pf_side_bind(s, bindings, BINDINGS, &b, NULL), PF_OK);
    cr_expect(b.count == 0 && !b.ts && !b.rate && !b.name && !b.slice && !b.bytes);
    pf_trace_free(t);
}

Test(side_bind, wrong_columns)
{
    static const struct {
        pf_side_binding binding;
        const char *text;
    } wrong[] = {
        {PF_SIDE_MEMBER(beats, ts, "TS"), "table beat has no column 'TS' of integers, which is needed here; it was "
                                          "filled by another program or release"},
        {PF_SIDE_MEMBER(beats, ts, "rate"), "table beat has no column 'rate' of integers, which is needed here; it "
                                            "was filled by another program or release"},
        {PF_SIDE_MEMBER(beats, rate, "ts"), "table beat has no column 'ts' of reals, which is needed here; it was "
                                            "filled by another program or release"},
        {PF_SIDE_MEMBER(beats, name, "ts"),
         "table beat has no column 'ts' of strings or rows, which is needed here; it "
         "was filled by another program or release"},
        {PF_SIDE_MEMBER(beats, bytes, "name"), "table beat has no column 'name' of bytes, which is needed here; it was "
                                               "filled by another program or release"},
    };
    pf_side_table *s;
    pf_trace *t = new_trace(&s);
    beats b;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        cr_expect_eq(pf_side_bind(s, &wrong[i].binding, 1, &b, &err), PF_ERR_INPUT);
        cr_expect_str_eq(err.text, wrong[i].text);
        cr_expect_eq(pf_side_bind(s, &wrong[i].binding, 1, &b, NULL), PF_ERR_INPUT);
    }
    pf_trace_free(t);
}
