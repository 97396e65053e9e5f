/* Functions of graphs and trees. What Perfetto's engine answers is compared in tests/conformance/definitions; here are
 * small cases by hand, random graphs against a slow second computation, what is refused, and large graphs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "support.h"

#define BIND(column, name) "__intrinsic_table_ptr_bind(" column ", '" name "')"
#define TWO(name) BIND("c0", "node_id") " AND " BIND("c1", name)
#define SEARCH(how, edges, starts)                                                                                     \
    "__intrinsic_table_ptr(__intrinsic_" how "((SELECT __intrinsic_graph_agg(column1, column2) FROM (" edges           \
    ")), (SELECT __intrinsic_array_agg(column1) FROM (" starts ")))) WHERE " TWO("parent_node_id")

/* ---- by hand ----------------------------------------------------------------------------------------------------- */

/* 0 -1-> 1 -5-> 3, 0 -2-> 2 -1-> 3: the weights of edges by which nodes are found add up in the order 0, 1, 3, 2. */
Test(graphs, weights)
{
    session s = open_session();
    ask(&s, "CREATE TABLE e(a, b, w); INSERT INTO e VALUES (0, 1, 1), (0, 2, 2), (1, 3, 5), (2, 3, 1);"
            "CREATE TABLE r(root, bound); INSERT INTO r VALUES (0, 4), (2, 9), (0, 100), (3, 0)");
#define FOUND(over)                                                                                                    \
    "SELECT c0, c1, c2 FROM __intrinsic_table_ptr(__intrinsic_weight_bounded((SELECT repeatedfield(a) FROM e), "       \
    "(SELECT repeatedfield(b) FROM e), (SELECT repeatedfield(w) FROM e), (SELECT repeatedfield(root) FROM r), "        \
    "(SELECT repeatedfield(bound) FROM r), " over                                                                      \
    ")) WHERE " BIND("c0", "root_node_id") " AND " BIND("c1", "node_id") " AND " BIND("c2", "parent_node_id")
#define REST "2|2|-\n2|3|2\n0|0|-\n0|1|0\n0|3|1\n0|2|0\n3|3|-\n"
    EXPECT_ROWS(&s, FOUND("0"), "0|0|-\n0|1|0\n" REST);
    EXPECT_ROWS(&s, FOUND("1"), "0|0|-\n0|1|0\n0|3|1\n" REST);
    ask(&s, "DELETE FROM e");
    EXPECT_ROWS(&s, FOUND("1"), "");
    close_session(&s);
}

Test(graphs, trees)
{
    session s = open_session();
    ask(&s, "CREATE TABLE t(i, p, size, native, n); INSERT INTO t VALUES "
            "(5, 9, 1, 10, 1), (9, 1, 2, 20, 1), (1, NULL, 4, NULL, 1), (7, 1, 8, 40, 2)");
#define TREE                                                                                                           \
    "(SELECT __intrinsic_tree_from_table('id', i, 'parent_id', p, 'size', size, 'native', native, 'n', n) FROM t)"
    EXPECT_ROWS(&s,
                "SELECT c0, c1, c2, c3, c4 FROM __intrinsic_table_ptr(__intrinsic_tree_to_table(" TREE
                ")) WHERE " BIND("c0", "_tree_id") " AND " BIND("c1", "_tree_parent_id") " AND " BIND(
                    "c2", "id") " AND " BIND("c3", "parent_id") " AND " BIND("c4", "native"),
                "0|-|1|-|-\n1|0|9|1|20\n2|1|5|9|10\n3|0|7|1|40\n");
    EXPECT_ROWS(
        &s,
        "SELECT c0, c1, c2, c3, c4, c5 FROM __intrinsic_table_ptr(__intrinsic_tree_dominator_summary(" TREE
        ")) WHERE " BIND("c0", "id") " AND " BIND("c1", "idom_id") " AND " BIND(
            "c2",
            "dominated_obj_count") " AND " BIND("c3",
                                                "dominated_size_bytes") " AND " BIND("c4",
                                                                                     "dominated_native_"
                                                                                     "size_"
                                                                                     "bytes") " AND " BIND("c5",
                                                                                                           "depth"),
        "1|-|5|15|70|1\n9|1|2|3|30|2\n5|9|1|1|10|3\n7|1|2|8|40|2\n");
    close_session(&s);
}

/* Thread 1 waits from 0 to 10 for node 2 of thread 2, which had waited from 3 to 6 for node 3 of thread 3 and before
 * that ran as node 4; node 5 has no waker, so its wait is its own; node 6 says that it woke itself. */
Test(graphs, critical_path)
{
    session s = open_session();
    ask(&s, "CREATE TABLE n(id, utid, ts, dur, idle, waker, prev); INSERT INTO n VALUES (1, 1, 10, 5, 10, 2, NULL), "
            "(2, 2, 6, 4, 3, 3, 4), (3, 3, 2, 4, NULL, NULL, NULL), (4, 2, 0, 3, NULL, NULL, NULL), "
            "(5, 2, 20, 2, 8, NULL, 2), (6, 6, 30, 1, 9, 6, 6);"
            "CREATE TABLE r(root); INSERT INTO r VALUES (1), (5), (6), (7)");
    EXPECT_ROWS(
        &s,
        "SELECT c0, c1, c2, c3, c4, c5, c6 FROM __intrinsic_table_ptr(__intrinsic_critical_path_walk((SELECT "
        "__intrinsic_wakeup_graph_agg(id, utid, ts, dur, idle, waker, prev) FROM n), (SELECT "
        "__intrinsic_array_agg(root) FROM r))) WHERE " BIND("c0", "root_id") " AND " BIND("c1", "depth") " AND " BIND(
            "c2", "ts") " AND " BIND("c3", "dur") " AND " BIND("c4",
                                                               "blocker_id") " AND "
                                                                             "" BIND("c5", "blocker_utid") " AND " BIND(
                                                                                 "c6", "parent_id") " ORDER BY c0, c2",
        "1|1|0|3|4|2|1\n1|2|3|3|3|3|1\n1|1|6|4|2|2|1\n1|0|10|5|1|1|1\n"
        "5|0|12|8|5|2|5\n5|0|20|2|5|2|5\n6|0|30|1|6|6|6\n");
    close_session(&s);
}

/* ---- random graphs ----------------------------------------------------------------------------------------------- */

enum { NODES = 12 };

typedef struct edges {
    bool to[NODES][NODES];
} edges;

/* What `root` reaches without going through `without`. */
static void reach(const edges *e, int root, int without, bool *reached)
{
    memset(reached, 0, NODES * sizeof *reached);
    reached[root] = root != without;
    for (int round = 0; round < NODES; round++) {
        for (int a = 0; a < NODES; a++) {
            for (int b = 0; b < NODES; b++) {
                reached[b] |= reached[a] && e->to[a][b] && b != without;
            }
        }
    }
}

/* The dominator that all others dominate: the one that itself has the most. */
static int dominator_of(const edges *e, int node)
{
    bool reached[NODES], dominates[NODES] = {false};
    int best = -1, most = -1;
    for (int d = 0; d < NODES; d++) {
        reach(e, 0, d, reached);
        dominates[d] = d != node && !reached[node];
    }
    for (int d = 0; d < NODES; d++) {
        int count = 0;
        for (int other = 0; dominates[d] && other < NODES; other++) {
            reach(e, 0, other, reached);
            count += !reached[d];
        }
        if (dominates[d] && count > most) {
            best = d;
            most = count;
        }
    }
    return best;
}

static void compare_dominators(session *s, const edges *e, unsigned seed)
{
    bool reached[NODES];
    char expected[1024] = "";
    size_t len = 0;
    reach(e, 0, -1, reached);
    for (int i = 0; i < NODES; i++) {
        int d = i && reached[i] ? dominator_of(e, i) : -1;
        if (reached[i]) {
            len += (size_t)snprintf(expected + len, sizeof expected - len, d < 0 ? "%d|-\n" : "%d|%d\n", i, d);
        }
    }
    if (len > 4) { /* the root alone is refused */
        const char *rows = rows_of(s, "SELECT c0, c1 FROM __intrinsic_table_ptr((SELECT __intrinsic_dominator_tree(a, "
                                      "b, 0) FROM e)) WHERE " TWO("dominator_node_id") " ORDER BY c0");
        cr_assert_str_eq(rows, expected, "seed %u gives:\n%s", seed, rows);
    }
}

Test(graphs, random_dominators)
{
    unsigned seed = (unsigned)time(NULL);
    printf("dominators: seed %u\n", seed);
    session s = open_session();
    ask(&s, "CREATE TABLE e(a, b)");
    for (unsigned round = 0; round < 60; round++, seed++) {
        edges e = {0};
        srand(seed);
        ask(&s, "DELETE FROM e");
        for (int i = 0, count = 2 + rand() % 30; i < count; i++) {
            char sql[64];
            int a = rand() % NODES, b = rand() % NODES;
            e.to[a][b] = true;
            snprintf(sql, sizeof sql, "INSERT INTO e VALUES (%d, %d), (0, 0)", a, b);
            ask(&s, sql);
        }
        compare_dominators(&s, &e, seed);
    }
    close_session(&s);
}

/* ---- refusals and sizes ------------------------------------------------------------------------------------------ */

#define COUNT "SELECT count(*) FROM "
#define SCAN(which, edges, sql)                                                                                        \
    COUNT "__intrinsic_table_ptr(__intrinsic_graph_" which                                                             \
          "((SELECT __intrinsic_graph_agg(column1, column2) FROM (" edges                                              \
          ")), (SELECT __intrinsic_row_dataframe_agg('id', 1, 'v', 'text')), '" sql                                    \
          "', '(v)')) WHERE " BIND("c0", "id")
#define TREE_OF(values)                                                                                                \
    "SELECT __intrinsic_tree_from_table('id', column1, 'parent_id', column2, 'v', 'x') FROM (VALUES " values ")"

Test(graphs, refusals)
{
    session s = open_session();
    static const struct {
        const char *sql, *says;
    } REFUSED[] = {
        {COUNT SEARCH("dfs", "VALUES (-1, 0)", "VALUES (0)"), "integers from 0"},
        {COUNT SEARCH("bfs", "VALUES (0, 4294967295)", "VALUES (0)"), "integers from 0"},
        {COUNT SEARCH("bfs", "VALUES (0, 1)", "VALUES (-1)"), "integers from 0"},
        {COUNT SEARCH("bfs", "VALUES (0, 1)", "VALUES (1), ('a')"), "of one type"},
        {SCAN("scan", "VALUES (1, 2)", "(SELECT -1 AS id, v FROM $table)"), "integers from 0"},
        {SCAN("scan", "VALUES (1, 2)", "(SELECT id, x''00'' AS v FROM $table)"), "blobs"},
        {SCAN("scan", "VALUES (1, 2)", "(SELECT 1 AS id, 2 AS v)"), "does not read $table"},
        {SCAN("scan", "VALUES (1, 2)", "(SELECT id FROM $table)"), "other columns"},
        {SCAN("scan", "VALUES (1, 2)", "(SELECT nothing!(1) FROM $table)"), "nothing"},
        {SCAN("aggregating_scan", "VALUES (1, 2), (2, 3), (3, 2)", "(SELECT id, v FROM $table)"), "a circle"},
        {SCAN("aggregating_scan", "VALUES (1, 1)", "(SELECT id, v FROM $table)"), "a circle"},
        {TREE_OF("(1, NULL), (1, NULL)"), "occurs twice"},
        {TREE_OF("(1, 2), (2, 1)"), "below itself"},
        {TREE_OF("(1, 2)"), "not the id of a row"},
        {TREE_OF("(1, 'a')"), "not the id of a row"},
        {TREE_OF("(NULL, NULL)"), "ids are integers"},
        {"SELECT __intrinsic_tree_from_table('id', 1)", "id and parent_id"},
        {"SELECT __intrinsic_tree_from_table('id', 1, 'p')", "a name and a value"},
        {"SELECT __intrinsic_tree_from_table('id', 1, 'parent_id', x'00')", "blobs"},
        {"SELECT __intrinsic_tree_dominator_summary((" TREE_OF("(1, NULL)") "))", "self_size"},
        {"SELECT __intrinsic_structural_tree_partition(column1, column2, 1) FROM (VALUES (0, NULL), (1, 0), (1, 0))",
         "occurs twice"},
        {"SELECT __intrinsic_weight_bounded(NULL, NULL, NULL, x'0000000000000000', NULL, 1)", "none is NULL"},
        {"SELECT __intrinsic_critical_path_walk(__intrinsic_wakeup_graph_agg(-1, 1, 1, 1, 1, 1, 1), NULL)",
         "integers from 0"},
    };
    for (size_t i = 0; i < sizeof REFUSED / sizeof *REFUSED; i++) {
        ask(&s, REFUSED[i].sql);
        cr_expect(strstr(s.err.text, REFUSED[i].says), "%s: %s", REFUSED[i].sql, s.err.text);
    }
    close_session(&s);
}

/* A node with the largest id takes 16 GB for a graph, and a scan of a circle never ends. */
Test(graphs, memory)
{
    session s = open_session();
    s.t->budget.limits.memory = 300 << 20;
    static const char *const LARGE[] = {
        COUNT SEARCH("dfs", "VALUES (0, 4294967294)", "VALUES (0)"),
        COUNT SEARCH("bfs", "VALUES (0, 1)", "VALUES (4294967294)"),
        SCAN("scan", "VALUES (1, 2), (2, 2), (2, 2)", "(SELECT * FROM $table)"),
        "SELECT __intrinsic_structural_tree_partition(1, NULL, 4294967294)",
        "SELECT __intrinsic_wakeup_graph_agg(4294967294, 1, 1, 1, 1, 1, 1)",
        COUNT "__intrinsic_table_ptr(__intrinsic_interval_intersect((SELECT "
              "__intrinsic_interval_tree_intervals_agg(value, 1, 9) FROM n), (SELECT "
              "__intrinsic_interval_tree_intervals_agg(value, 1, 9) FROM n), '()')) WHERE " BIND("c0", "ts"),
    };
    ask(&s, "CREATE TABLE n AS WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < "
            "20000) SELECT value FROM n");
    for (size_t i = 0; i < sizeof LARGE / sizeof *LARGE; i++) {
        ask(&s, LARGE[i]);
        cr_expect(strstr(s.err.text, "--max-memory"), "%s: %s", LARGE[i], s.err.text);
    }
    EXPECT_ROWS(&s, "SELECT 1", "1\n");
    close_session(&s);
}

/* A way of 300,000 nodes: nothing calls itself. */
Test(graphs, long_ways)
{
    session s = open_session();
    ask(&s, "CREATE TABLE e AS WITH RECURSIVE n(value) AS (SELECT 0 UNION ALL SELECT value + 1 FROM n WHERE value < "
            "299999) SELECT value AS a, value + 1 AS b FROM n");
    EXPECT_ROWS(
        &s, "SELECT count(*), max(c1) FROM " SEARCH("dfs", "SELECT a AS column1, b AS column2 FROM e", "VALUES (0)"),
        "300001|299999\n");
    EXPECT_ROWS(&s,
                "SELECT count(*), sum(c0 - c1) FROM __intrinsic_table_ptr((SELECT __intrinsic_dominator_tree(a, b, 0) "
                "FROM e)) WHERE " TWO("dominator_node_id"),
                "300001|300000\n");
    EXPECT_ROWS(&s,
                "SELECT count(*) FROM __intrinsic_table_ptr((SELECT __intrinsic_structural_tree_partition(b, "
                "nullif(a, 0), 1) FROM e)) WHERE " TWO("parent_node_id"),
                "300000\n");
    EXPECT_ROWS(
        &s,
        "SELECT count(*) FROM __intrinsic_table_ptr(__intrinsic_tree_to_table((SELECT "
        "__intrinsic_tree_from_table('id', a, 'parent_id', iif(b < 300000, b, NULL)) FROM e))) WHERE " BIND("c0", "id"),
        "300000\n");
    EXPECT_ROWS(
        &s,
        "SELECT count(*), max(c1) FROM __intrinsic_table_ptr(__intrinsic_graph_aggregating_scan((SELECT "
        "__intrinsic_graph_agg(a, b) FROM e WHERE a < 3000), (SELECT __intrinsic_row_dataframe_agg('id', 0, "
        "'v', 0)), '(SELECT id, v + 1 AS v FROM $table)', '(v)')) WHERE " BIND("c0", "id") " AND " BIND("c1", "v"),
        "3001|3000\n");
    close_session(&s);
}

/* Values of every kind for every argument: whatever is answered, nothing breaks. */
Test(graphs, values_of_every_kind)
{
    static const char *const VALUES[] = {"NULL",
                                         "-9223372036854775807 - 1",
                                         "3",
                                         "1e300",
                                         "'a'",
                                         "x'0102030405060708'",
                                         "(SELECT __intrinsic_graph_agg(1, 2))",
                                         "(SELECT __intrinsic_array_agg(1))"};
    static const struct {
        const char *name;
        int arguments;
    } FUNCTIONS[] = {{"graph_agg", 2},
                     {"array_agg", 1},
                     {"dfs", 2},
                     {"bfs", 2},
                     {"weight_bounded", 6},
                     {"dominator_tree", 3},
                     {"row_dataframe_agg", 4},
                     {"graph_scan", 4},
                     {"graph_aggregating_scan", 4},
                     {"tree_from_table", 4},
                     {"tree_to_table", 1},
                     {"tree_dominator_summary", 1},
                     {"structural_tree_partition", 3},
                     {"wakeup_graph_agg", 7},
                     {"critical_path_walk", 2},
                     {"strip_hex", 2},
                     {"regexp_extract", 2},
                     {"regexp_replace_simple", 3}};
    enum { KINDS = sizeof VALUES / sizeof *VALUES };
    unsigned seed = (unsigned)time(NULL);
    printf("values: seed %u\n", seed);
    srand(seed);
    session s = open_session();
    for (size_t f = 0; f < sizeof FUNCTIONS / sizeof *FUNCTIONS; f++) {
        for (int round = 0; round < 80; round++) {
            char sql[512];
            int len = snprintf(sql, sizeof sql, "SELECT __intrinsic_%s(", FUNCTIONS[f].name);
            for (int i = 0; i < FUNCTIONS[f].arguments; i++) {
                len += snprintf(sql + len, sizeof sql - (size_t)len, "%s%s", i ? ", " : "", VALUES[rand() % KINDS]);
            }
            snprintf(sql + len, sizeof sql - (size_t)len, ") IS NULL AS v");
            const char *answer = ask(&s, sql);
            cr_expect(strcmp(answer, "v\n0\n") == 0 || strcmp(answer, "v\n1\n") == 0 || s.err.text[0], "%s: %s", sql,
                      answer);
        }
    }
    close_session(&s);
}
