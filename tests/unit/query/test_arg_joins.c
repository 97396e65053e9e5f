/* How statements with joins over arguments are rewritten, written out by hand: what is put in, where, and what stays as
 * it came. A rewritten statement gives the rows of the other one. */
#include <stdio.h>
#include <string.h>

#include "query/session/session.h"
#include "support.h"

#define A "extract_arg(a.arg_set_id, 'args.x')"
#define B "extract_arg(b.arg_set_id, 'args.k')"
/* What makes a set of the one findable by the other. */
#define LOOKUP                                                                                                         \
    " AND b.arg_set_id IN (SELECT peer FROM __intrinsic_arg_peers(a.arg_set_id,'args.x','args.k'))"                    \
    " AND a.arg_set_id IN (SELECT peer FROM __intrinsic_arg_peers(b.arg_set_id,'args.k','args.x'))"
#define FROM "SELECT a.id FROM slice a JOIN slice b "

typedef struct statement {
    const char *sql, *rewritten; /* NULL: stays */
} statement;

static const statement STATEMENTS[] = {
    {FROM "ON " A " = " B, FROM "ON " A " = " B LOOKUP},
    {FROM "ON " A " == " B, FROM "ON " A " == " B LOOKUP},
    {FROM "WHERE " A "=" B, FROM "WHERE " A "=" B LOOKUP},
    {"SELECT a.id FROM slice a, slice b WHERE " A " = " B, "SELECT a.id FROM slice a, slice b WHERE " A " = " B LOOKUP},
    {FROM "ON Extract_Arg(a.\"arg_set_id\", 'args.x') = " B,
     FROM "ON Extract_Arg(a.\"arg_set_id\", 'args.x') = " B
          " AND b.arg_set_id IN (SELECT peer FROM __intrinsic_arg_peers(a.\"arg_set_id\",'args.x','args.k'))"
          " AND a.\"arg_set_id\" IN (SELECT peer FROM __intrinsic_arg_peers(b.arg_set_id,'args.k','args.x'))"},
    /* joined by AND, before and after */
    {FROM "ON a.id < b.id AND " A " = " B, FROM "ON a.id < b.id AND " A " = " B LOOKUP},
    {FROM "ON " A " = " B " AND a.id < b.id", FROM "ON " A " = " B LOOKUP " AND a.id < b.id"},
    {FROM "ON (a.id < 5 OR b.id < 5) AND " A " = " B, FROM "ON (a.id < 5 OR b.id < 5) AND " A " = " B LOOKUP},
    {FROM "ON " A " = " B " WHERE a.id > 1", FROM "ON " A " = " B LOOKUP " WHERE a.id > 1"},
    {FROM "ON " A " = " B " LEFT JOIN thread", FROM "ON " A " = " B LOOKUP " LEFT JOIN thread"},
    {FROM "ON " A " = " B " ORDER BY 1", FROM "ON " A " = " B LOOKUP " ORDER BY 1"},
    {FROM "ON " A " = " B " GROUP BY 1", FROM "ON " A " = " B LOOKUP " GROUP BY 1"},
    {FROM "ON " A " = " B " LIMIT 1", FROM "ON " A " = " B LOOKUP " LIMIT 1"},
    {FROM "ON " A " = " B " UNION SELECT 1", FROM "ON " A " = " B LOOKUP " UNION SELECT 1"},
    /* in parentheses */
    {FROM "ON (" A " = " B ")", FROM "ON (" A " = " B LOOKUP ")"},
    {FROM "ON ((" A " = " B "))", FROM "ON ((" A " = " B LOOKUP "))"},
    {FROM "WHERE (" A " = " B ") AND 1", FROM "WHERE (" A " = " B LOOKUP ") AND 1"},
    {FROM "WHERE 1 AND (" A " = " B ")", FROM "WHERE 1 AND (" A " = " B LOOKUP ")"},
    {FROM "ON NOT (" A " = " B ")", NULL},
    {FROM "ON (" A " = " B ") IS NULL", NULL},
    {FROM "ON 1 = (" A " = " B ")", NULL},
    {FROM "ON (1 OR (" A " = " B "))", NULL},
    {"SELECT (" A " = " B ") FROM slice a JOIN slice b", NULL},
    /* where false and NULL are not the same, or something else takes part */
    {FROM "ON NOT " A " = " B, NULL},
    {FROM "ON " A " = " B " OR a.id = 1", NULL},
    {FROM "ON a.id = 1 OR " A " = " B, NULL},
    {FROM "ON a.id = 1 OR a.id = 2 AND " A " = " B, NULL},
    {FROM "ON NOT a.id = 1 AND " A " = " B, NULL},
    {FROM "ON a.id BETWEEN 1 AND " A " = " B, NULL},
    {FROM "ON " A " = " B " COLLATE NOCASE", NULL},
    {FROM "ON " A " = " B " + 1", NULL},
    {FROM "ON 1 + " A " = " B, NULL},
    {FROM "ON CASE WHEN " A " = " B " THEN 1 END", NULL},
    {FROM "ON " A " < " B, NULL},
    {FROM "ON " A " = b.id AND " B " = a.id", NULL},
    {"SELECT a.id, " A " = " B " FROM slice a JOIN slice b", NULL},
    {A " = " B " JOIN", NULL},
    /* other forms of the call */
    {FROM "ON extract_arg(arg_set_id, 'args.x') = " B, NULL},
    {FROM "ON extract_arg(a.arg_set_id, \"args.x\") = " B, NULL},
    {FROM "ON extract_arg(a.arg_set_id, 'args.' || 'x') = " B, NULL},
    {FROM "ON extract_arg('a'.arg_set_id, 'args.x') = " B, NULL},
    {FROM "ON extract_arg(a, 'args.x') = " B, NULL},
    {FROM "ON " A " = extract_arg(b.arg_set_id, 'args.k'", NULL},
    {FROM "ON " A " =", NULL},
    {FROM "ON " A ") = " B, NULL},
    /* one call, no comparison */
    {FROM "ON " A " = b.id", NULL},
    {"SELECT " A ", " B " FROM slice a JOIN slice b", NULL},
    {"SELECT 1", NULL},
    {"", NULL},
    /* two comparisons */
    {FROM "ON " A " = " B " AND " A " = " B, FROM "ON " A " = " B LOOKUP " AND " A " = " B LOOKUP},
    /* made tables: a common table is made first, of a subquery all rows are */
    {"WITH t AS (SELECT extract_arg(arg_set_id, 'x') AS x FROM slice), "
     "u AS (SELECT extract_arg(arg_set_id, 'y') AS y FROM slice) SELECT 1 FROM t JOIN u ON x = y",
     "WITH t AS MATERIALIZED  (SELECT extract_arg(arg_set_id, 'x') AS x FROM slice), "
     "u AS MATERIALIZED  (SELECT extract_arg(arg_set_id, 'y') AS y FROM slice) SELECT 1 FROM t JOIN u ON x = y"},
    {"SELECT 1 FROM (SELECT extract_arg(arg_set_id, 'x') AS x FROM slice) JOIN (SELECT extract_arg(arg_set_id, 'y') "
     "AS y FROM slice) ON x = y",
     "SELECT 1 FROM (SELECT extract_arg(arg_set_id, 'x') AS x FROM slice\nLIMIT -1) JOIN (SELECT "
     "extract_arg(arg_set_id, 'y') AS y FROM slice\nLIMIT -1) ON x = y"},
    {"WITH t AS (SELECT extract_arg(s, 'x') x, 1 FROM u), v AS (SELECT extract_arg(s, 'y') y FROM u) SELECT 1 FROM t "
     "JOIN v ON x = y",
     "WITH t AS MATERIALIZED  (SELECT extract_arg(s, 'x') x, 1 FROM u), v AS MATERIALIZED  (SELECT extract_arg(s, 'y') "
     "y FROM u) SELECT 1 FROM t JOIN v ON x = y"},
    {"SELECT 1 FROM a, (SELECT extract_arg(s, 'x') AS x FROM t LIMIT 3), (SELECT extract_arg(s, 'y') FROM t) WHERE 1 = "
     "1",
     NULL},
    {"SELECT 1 FROM a, (SELECT extract_arg(s, f('x', 1)) AS x, extract_arg(s, 'y') FROM t) WHERE 1 = 1",
     "SELECT 1 FROM a, (SELECT extract_arg(s, f('x', 1)) AS x, extract_arg(s, 'y') FROM t\nLIMIT -1) WHERE 1 = 1"},
    {"SELECT 1 FROM a JOIN b WHERE 1 = (SELECT extract_arg(s, 'x') AS x FROM t WHERE extract_arg(s, 'y'))", NULL},
    {"SELECT extract_arg(s, 'x') AS x, extract_arg(s, 'y') FROM (SELECT 1 = 1 FROM t), u", NULL},
    {"SELECT 1 FROM (SELECT extract_arg(s, 'x') AS x, extract_arg(s, 'y') AS y FROM t JOIN u ON 1 = 1", NULL},
};

Test(arg_joins, statements)
{
    session s = open_session();
    for (size_t i = 0; i < sizeof STATEMENTS / sizeof *STATEMENTS; i++) {
        pf_buffer out = {0};
        const char *sql = STATEMENTS[i].sql;
        pf_sql_rewrite_arg_joins(s.q, (pf_str){sql, strlen(sql)}, &out);
        if (STATEMENTS[i].rewritten) {
            cr_expect(out.len > 0, "%s stays", sql);
            cr_expect_str_eq(out.len ? out.data : "", STATEMENTS[i].rewritten);
        } else {
            cr_expect_eq(out.len, 0, "%s becomes %s", sql, out.len ? out.data : "");
        }
        pf_buffer_free(&out);
    }
    close_session(&s);
}

static pf_buffer many_comparisons(unsigned count)
{
    pf_buffer sql = {0};
    pf_buffer_text(&sql, FROM "ON " A " = " B);
    for (unsigned i = 1; i < count; i++) {
        pf_buffer_text(&sql, " AND " A " = " B);
    }
    pf_buffer_put(&sql, "", 1);
    return sql;
}

/* 64 places are kept, and 4096 tokens: what is longer runs as it came, or with the first 64 rewritten. The statement
 * has 9 tokens and 18 for each comparison. */
Test(arg_joins, long_statements)
{
    session s = open_session();
    static const struct {
        unsigned comparisons, lookups;
    } EXPECTED[] = {{64, 64}, {65, 64}, {227, 64}, {228, 0}};
    for (size_t i = 0; i < sizeof EXPECTED / sizeof *EXPECTED; i++) {
        pf_buffer sql = many_comparisons(EXPECTED[i].comparisons), out = {0};
        unsigned lookups = 0;
        pf_sql_rewrite_arg_joins(s.q, (pf_str){sql.data, sql.len - 1}, &out);
        for (const char *at = out.len ? out.data : ""; (at = strstr(at, " AND b.arg_set_id IN")); at++) {
            lookups++;
        }
        cr_expect_eq(lookups, EXPECTED[i].lookups, "%u comparisons: %u", EXPECTED[i].comparisons, lookups);
        pf_buffer_free(&sql);
        pf_buffer_free(&out);
    }
    close_session(&s);
}

/* ---- sets by the value of an argument ---------------------------------------------------------------------------- */

/* One argument debug.v of each type and of values that are equal or nearly so; two have none, one a null. */
static pf_status decode_value(const pf_trace *t, const uint8_t *bytes, size_t len, uint32_t context,
                              const pf_arg_visitor *v, pf_error *err)
{
    static const pf_value VALUES[] = {
        {.type = PF_VALUE_INT, .as.i = 7},
        {.type = PF_VALUE_REAL, .as.d = 7.0},
        {.type = PF_VALUE_UINT, .as.u = 7},
        {.type = PF_VALUE_REAL, .as.d = 7.5},
        {.type = PF_VALUE_STRING, .as.s = {"7", 1}},
        {.type = PF_VALUE_JSON, .as.s = {"7", 1}},
        {.type = PF_VALUE_NULL},
        {.type = PF_VALUE_REAL, .as.d = -0x1p63},
        {.type = PF_VALUE_INT, .as.i = INT64_MIN},
        {.type = PF_VALUE_REAL, .as.d = 0x1p63},
        {.type = PF_VALUE_REAL, .as.d = 0x1p63},
        {.type = PF_VALUE_BOOL, .as.b = true},
        {.type = PF_VALUE_INT, .as.i = 1},
        {.type = PF_VALUE_REAL, .as.d = 7.5},
        {.type = PF_VALUE_STRING, .as.s = {"seven", 5}},
        {.type = PF_VALUE_REAL, .as.d = 0.0},
        {.type = PF_VALUE_REAL, .as.d = -0.0},
    };
    const pf_value number = {.type = PF_VALUE_INT, .as.i = bytes[0]};
    v->value(v->ctx, PF_STR("debug.n"), &number); /* keeps the sets apart */
    return bytes[0] < sizeof VALUES / sizeof *VALUES ? v->value(v->ctx, PF_STR("debug.v"), &VALUES[bytes[0]]) : PF_OK;
}

#define VALUE_COUNT 19

static session open_values(void)
{
    session s = {.t = pf_trace_new(NULL, PF_WANT_TABLES, NULL)};
    uint32_t track = add_thread_track(s.t, 1, 1);
    unsigned decoder = pf_trace_add_decoder(s.t, decode_value, NULL);
    for (uint8_t i = 0; i < VALUE_COUNT; i++) {
        add_event(s.t, track, 'i', i, 0, "n", NULL);
        cr_assert_eq(pf_trace_add_args(s.t, &i, 1, decoder, 0, true, NULL), PF_OK);
    }
    cr_assert_eq(pf_trace_finish(s.t, NULL), PF_OK);
    cr_assert_eq(pf_query_open(s.t, &s.q, &s.err), PF_OK);
    return s;
}

/* Equal as SQL's "=" has it: 7, 7.0 and an unsigned 7 are one, "7" is another, a null is like nothing. */
static const char EQUAL_PAIRS[] =
    "0|0\n0|1\n0|2\n1|0\n1|1\n1|2\n2|0\n2|1\n2|2\n3|3\n3|13\n4|4\n4|5\n5|4\n5|5\n7|7\n7|8\n"
    "8|7\n8|8\n9|9\n9|10\n10|9\n10|10\n11|11\n11|12\n12|11\n12|12\n13|3\n13|13\n14|14\n"
    "15|15\n15|16\n16|15\n16|16\n";

Test(arg_joins, values_of_every_type)
{
    session s = open_values();
    EXPECT_ROWS(&s,
                "SELECT a.id, b.id FROM slice a JOIN slice b ON extract_arg(a.arg_set_id, 'debug.v') + 0 IS NOT NULL "
                "AND extract_arg(a.arg_set_id, 'debug.v') = extract_arg(b.arg_set_id, 'debug.v') ORDER BY 1, 2",
                EQUAL_PAIRS);
    EXPECT_ROWS(&s,
                "SELECT a.id, b.id FROM slice a, __intrinsic_arg_peers(a.arg_set_id, 'debug.v', 'debug.v') p JOIN "
                "slice b ON b.arg_set_id = p.peer ORDER BY 1, 2",
                EQUAL_PAIRS);
    close_session(&s);
}

/* Joins by int_value go through an index; inside of CASE they cannot. Both give the same rows, whatever is compared. */
Test(arg_joins, numbers_are_looked_up)
{
    session s = open_values();
    static const char *const ON[] = {"a.int_value = b.int_value AND a.key = b.key",
                                     "a.int_value = b.int_value AND a.id < b.id",
                                     "a.int_value IS b.int_value AND b.key = 'debug.v'",
                                     "a.int_value = b.real_value",
                                     "a.string_value = b.int_value",
                                     "a.int_value IN (7, b.int_value, NULL, 7.5, '7')",
                                     "a.int_value = 7 AND b.int_value IS NULL"};
    EXPECT_ROWS(&s,
                "SELECT count(*) FROM args a JOIN args b ON a.int_value = b.int_value AND a.key = 'debug.v' AND b.key "
                "= a.key",
                "9\n"); /* 7 as int and unsigned: 4, true and 1: 4, INT64_MIN: 1 */
    for (size_t i = 0; i < sizeof ON / sizeof *ON; i++) {
        char direct[256], cased[256];
        snprintf(direct, sizeof direct, "SELECT a.id, b.id FROM args a JOIN args b ON %s ORDER BY 1, 2", ON[i]);
        snprintf(cased, sizeof cased,
                 "SELECT a.id, b.id FROM args a JOIN args b ON CASE WHEN %s THEN 1 END ORDER BY 1, 2", ON[i]);
        pf_buffer rows = {0};
        pf_buffer_text(&rows, rows_of(&s, cased));
        pf_buffer_put(&rows, "", 1);
        cr_expect(rows.len > 1, "%s gives no rows", cased);
        EXPECT_ROWS(&s, direct, rows.data);
        pf_buffer_free(&rows);
    }
    close_session(&s);
}

/* The function by itself: rows have the numbers of the sets, what is no set or has no such argument gives none, and all
 * three arguments are needed. Keys of JSON and of the binary format stand for each other. */
Test(arg_joins, peers)
{
    session s = open_values();
    EXPECT_ROWS(&s,
                "SELECT p.rowid, b.id FROM slice a, __intrinsic_arg_peers(a.arg_set_id, 'debug.v', 'args.v') p JOIN "
                "slice b ON b.arg_set_id = p.peer WHERE a.id = 2 ORDER BY 2",
                "1|0\n3|1\n5|2\n");
    EXPECT_ROWS(&s,
                "SELECT b.id FROM slice a, __intrinsic_arg_peers(a.arg_set_id, 'debug.n', 'debug.v') p JOIN slice b ON "
                "b.arg_set_id = p.peer WHERE a.id = 7 ORDER BY 1",
                "0\n1\n2\n");
    static const char *const NOTHING[] = {"NULL, 'debug.v', 'debug.v'", "'0', 'debug.v', 'debug.v'",
                                          "0, 'debug.w', 'debug.v'",    "0, 'debug.v', 'debug.w'",
                                          "-1, 'debug.v', 'debug.v'",   "99999, 'debug.v', 'debug.v'",
                                          "0, NULL, 'debug.v'",         "0, 'debug.v', NULL"};
    for (size_t i = 0; i < sizeof NOTHING / sizeof *NOTHING; i++) {
        char sql[128];
        snprintf(sql, sizeof sql, "SELECT count(*) FROM __intrinsic_arg_peers(%s)", NOTHING[i]);
        EXPECT_ROWS(&s, sql, "0\n");
    }
    cr_expect_str_eq(ask(&s, "SELECT * FROM __intrinsic_arg_peers(0, 'debug.v')"), "error 1 0");
    cr_expect_str_eq(ask(&s, "SELECT * FROM __intrinsic_arg_peers"), "error 1 0");
    cr_expect_str_eq(ask(&s, "SELECT * FROM __intrinsic_arg_peers(0, 'debug.v', 'debug.v', 1)"), "error 1 0");
    cr_expect_not_null(strstr(s.err.text, "max 3"), "%s", s.err.text);
    close_session(&s);
}

/* More keys than are kept sorted at a time, each asked again after it had to make room. */
Test(arg_joins, many_keys)
{
    session s = open_values();
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned i = 0; i < 20; i++) {
            char sql[192];
            snprintf(sql, sizeof sql,
                     "SELECT count(*) FROM slice a, __intrinsic_arg_peers(a.arg_set_id, 'debug.v', 'debug.%s%.*s') "
                     "WHERE a.id = 0",
                     i == 7 ? "v" : "w", (int)(i == 7 ? 0 : i), "abcdefghijklmnopqrst");
            EXPECT_ROWS(&s, sql, i == 7 ? "3\n" : "0\n");
        }
    }
    close_session(&s);
}
