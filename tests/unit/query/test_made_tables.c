/* Tables that functions make: intervals that overlap, by hand; what is refused; partitions by text, on which the engine
 * at hand gives up. What it answers is compared in tests/conformance/definitions. */
#include <string.h>

#include "support.h"

#define ROWS(table, more)                                                                                              \
    "(SELECT __intrinsic_interval_tree_intervals_agg(id, ts, dur" more ") FROM (SELECT * FROM " table " ORDER BY ts))"
#define BIND(column, name) "__intrinsic_table_ptr_bind(" column ", '" name "')"
#define INTERSECT(columns, tables, parts)                                                                              \
    "SELECT " columns " FROM __intrinsic_table_ptr(__intrinsic_interval_intersect(" tables ", '(" parts ")')) WHERE "

static session open_intervals(void)
{
    session s = open_session();
    ask(&s, "CREATE TABLE a(id, ts, dur, p); INSERT INTO a VALUES (1,0,10,'x'), (2,20,10,'y'), (3,5,0,'x');"
            "CREATE TABLE b(id, ts, dur, p); INSERT INTO b VALUES (7,5,20,'x'), (8,100,5,'x'), (6,5,0,NULL)");
    return s;
}

Test(made_tables, overlaps)
{
    session s = open_intervals();
    EXPECT_ROWS(&s,
                INTERSECT("c0, c1, c2, c3", ROWS("a", "") "," ROWS("b", ""), "") BIND("c0", "ts") " AND " BIND(
                    "c1", "dur") " AND " BIND("c2", "id_0") " AND " BIND("c3", "id_1") " ORDER BY 1, 3, 4",
                "5|0|1|6\n5|5|1|7\n5|0|3|6\n5|0|3|7\n20|5|2|7\n");
    EXPECT_ROWS(&s,
                INTERSECT("c0, c1, c2, c3, c4", ROWS("a", ", 'p', p") "," ROWS("b", ", 'p', p"), "p")
                    BIND("c0", "ts") " AND " BIND("c1", "dur") " AND " BIND("c2", "id_0") " AND " BIND(
                        "c3", "id_1") " AND " BIND("c4", "p") " ORDER BY 1, 3, 4",
                "5|5|1|7|x\n5|0|3|7|x\n");
    EXPECT_ROWS(&s,
                INTERSECT("c0, c1",
                          ROWS("a", ", 'p', p") ", (SELECT __intrinsic_interval_tree_intervals_agg(1, 2, 3, "
                                                "'p', 4) WHERE 0)",
                          "p") BIND("c0", "ts") " AND " BIND("c1", "p"),
                "");
    close_session(&s);
}

/* A span of the second table without length that begins where one of the first ends, which the engine loses; a view in
 * the place of a side that reads the join; strings as partitions; only these tables can be made and dropped. */
Test(made_tables, span_joins)
{
    session s = open_session();
    ask(&s,
        "CREATE TABLE a AS SELECT 2 AS ts, 12 AS dur, 'x' AS x; CREATE TABLE b AS SELECT 14 AS ts, 0 AS dur, 'y' AS "
        "y; CREATE VIRTUAL TABLE j USING SPAN_OUTER_JOIN(a, b)");
    EXPECT_ROWS(&s, "SELECT * FROM j", "2|12|x|-\n14|0|-|y\n");
    EXPECT_ROWS(&s, "SELECT ts FROM j WHERE y = 'y' AND ts > 13", "14\n");
    ask(&s, "DROP TABLE b; CREATE VIEW b AS SELECT ts, dur, y FROM j");
    ask(&s, "SELECT * FROM j");
    cr_expect(strstr(s.err.text, "this table joins itself"), "%s", s.err.text);
    ask(&s,
        "CREATE TABLE c AS SELECT 1 AS ts, 1 AS dur, 't' AS p; CREATE TABLE d AS SELECT 1 AS ts, 1 AS dur, 't' AS p;"
        "CREATE VIRTUAL TABLE k USING SPAN_JOIN(c PARTITIONED p, d PARTITIONED p); SELECT * FROM k");
    cr_expect(strstr(s.err.text, "partition is not an INT column"), "%s", s.err.text);
    cr_expect_str_eq(ask(&s, "DROP TABLE j; SELECT 1 AS v"), "v\n1\n");
    ask(&s, "CREATE VIRTUAL TABLE f USING postfetto(slice)");
    cr_expect(strstr(s.err.text, "CREATE VIRTUAL TABLE is not allowed"), "%s", s.err.text);
    ask(&s, "DROP TABLE slice");
    cr_expect(strstr(s.err.text, "not allowed"), "%s", s.err.text);
    close_session(&s);
}

Test(made_tables, refusals)
{
    session s = open_intervals();
    static const struct {
        const char *sql, *says;
    } REFUSED[] = {
        {"SELECT __intrinsic_interval_tree_intervals_agg(1, column1, 1) FROM (VALUES (2), (1))", "sorted by ts"},
        {"SELECT __intrinsic_interval_tree_intervals_agg(1, 1, -1)", "non negative duration"},
        {"SELECT __intrinsic_interval_tree_intervals_agg(1, -1, 1)", "not negative"},
        {"SELECT __intrinsic_interval_tree_intervals_agg(1, 1)", "expected id, ts, dur"},
        {"SELECT __intrinsic_interval_intersect(" ROWS("a", ", 'p', NULL") ", '(p)')", "unknown type in column 0"},
        {"SELECT __intrinsic_interval_intersect(" ROWS("a", ", 'p', p") ", " ROWS("a", "") ", '()')", "different"},
        {"SELECT c0 FROM __intrinsic_table_ptr(NULL) WHERE " BIND("c0", "ts"), "tab parameter is NULL"},
        {INTERSECT("c0", ROWS("a", ""), "") BIND("c0", "nothing"), "column 'nothing' does not exist in table"},
        {INTERSECT("c1", ROWS("a", ""), "") BIND("c1", "ts"), "not dense"},
        {INTERSECT("c0", ROWS("a", ""), "") BIND("c0", "ts") " AND " BIND("c0", "dur"), "Duplicate bound column"},
        {INTERSECT("c0", ROWS("a", ""), "") "1", "At least one column must be bound"},
        {"SELECT " BIND("1", "ts"), "should not be called from the global scope"},
        {"SELECT __intrinsic_counter_intervals('lagging', 1, NULL)", "only 'leading'"},
        {"SELECT hash(1.5)", "integers and strings"},
    };
    for (size_t i = 0; i < sizeof REFUSED / sizeof *REFUSED; i++) {
        ask(&s, REFUSED[i].sql);
        cr_expect(strstr(s.err.text, REFUSED[i].says), "%s: %s", REFUSED[i].sql, s.err.text);
    }
    EXPECT_ROWS(&s, "SELECT hash('a'), hash() = -3750763034362895579, demangle('_Z3foov')",
                "-5808556873153909620|1|foo()\n");
    close_session(&s);
}
