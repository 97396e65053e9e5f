/* What is pushed down gives the same rows as a scan by SQLite itself: a cast of a column to its own type (or a unary
 * plus, where types agree) hides it from the table. Random conditions on a random trace, with values of every type, in
 * and out of range. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

typedef struct dice {
    uint64_t state;
} dice;

static unsigned roll(dice *d, unsigned sides)
{
    d->state = d->state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(d->state >> 33) % sides;
}

/* 1,200 events on 7 thread tracks: nested X events, instants, begins without end; 12 names, some categories, arguments,
 * many equal times. Counters on a few tracks. */
static session random_session(dice *d)
{
    session s = {.t = pf_trace_new(NULL, PF_WANT_TABLES, NULL)};
    uint32_t tracks[7];
    for (int i = 0; i < 7; i++) {
        tracks[i] = add_thread_track(s.t, 100 + i / 3, 200 + i);
    }
    int64_t ts = 50;
    for (int i = 0; i < 1200; i++) {
        char name[2] = {(char)((roll(d, 2) ? 'a' : 'A') + (char)roll(d, 6)), '\0'};
        unsigned kind = roll(d, 8);
        ts += roll(d, 3);
        add_event(s.t, tracks[roll(d, 7)],
                  kind == 0   ? 'i'
                  : kind == 1 ? 'B'
                  : kind == 2 ? 'E'
                              : 'X',
                  ts, roll(d, 40), roll(d, 10) ? name : NULL, roll(d, 3) ? NULL : "cat");
        if (kind != 2 && roll(d, 2)) {
            add_args(s.t, roll(d, 2) ? 1 : 2);
        }
        if (roll(d, 4) == 0) {
            cr_assert_eq(pf_trace_add_sample(s.t, ts, roll(d, 5), tracks[roll(d, 3)], PF_NONE, NULL), PF_OK);
        }
    }
    cr_assert_eq(pf_trace_finish(s.t, NULL), PF_OK);
    cr_assert_eq(pf_query_open(s.t, &s.q, &s.err), PF_OK);
    return s;
}

static char *copy_rows(session *s, const char *sql)
{
    char *text = strdup(rows_of(s, sql));
    cr_assert(strncmp(text, "error", 5) != 0, "%s: %s", sql, s->err.text);
    return text;
}

/* Both queries give the same rows in the same order. */
static void expect_same(session *s, const char *pushed, const char *hidden)
{
    char *a = copy_rows(s, pushed), *b = copy_rows(s, hidden);
    cr_expect_str_eq(a, b, "%s\ndiffers from\n%s", pushed, hidden);
    free(a);
    free(b);
}

/* One condition; `hide` puts the column into a cast. */
static void condition(dice *d, char *out, size_t room, bool hide)
{
    static const char *const COLUMNS[] = {"id",    "ts",  "track_id", "parent_id", "name",  "category", "arg_set_id",
                                          "rowid", "cat", "slice_id", "dur",       "depth", "dur",      "thread_dur"};
    static const char *const PATTERNS[] = {
        "LIKE 'A'",     "LIKE '%'",   "LIKE '_'",   "LIKE ''",      "GLOB 'a'",
        "GLOB '[a-c]'", "GLOB '*'",   "GLOB ''",    "LIKE NULL",    "LIKE 5",
        "GLOB '5'",     "GLOB x'61'", "LIKE 'cA%'", "NOT LIKE 'a'", "LIKE '!a' ESCAPE '!'"};
    static const char *const OPS[] = {"=", "<", "<=", ">", ">=", "IS", "=", "="};
    static const char *const ODD[] = {"NULL",
                                      "'x'",
                                      "''",
                                      "-1",
                                      "1e300",
                                      "-1e300",
                                      "9223372036854775807",
                                      "-9223372036854775808",
                                      "x'00'",
                                      "'7'",
                                      "3.5",
                                      "4.0",
                                      "4294967295",
                                      "4294967296",
                                      "9.3e18",
                                      "' 3 '"};
    const char *column = COLUMNS[roll(d, sizeof COLUMNS / sizeof *COLUMNS)];
    bool text = column[0] == 'n' || column[0] == 'c';
    char value[32], left[48];
    snprintf(left, sizeof left, hide ? "CAST(%s AS %s)" : "%s", column, text ? "TEXT" : "INTEGER");
    if (roll(d, 4) == 0) {
        snprintf(value, sizeof value, "%s", ODD[roll(d, sizeof ODD / sizeof *ODD)]);
    } else if (text) {
        snprintf(value, sizeof value, "'%c'", 'a' + (int)roll(d, 6));
    } else {
        unsigned most = strcmp(column, "track_id") == 0 ? 8 : column[0] == 'd' ? 40 : 1300;
        snprintf(value, sizeof value, roll(d, 5) ? "%u" : "%u.5", roll(d, most));
    }
    switch (roll(d, 11)) {
    case 0:
        snprintf(out, room, "%s IS NULL", left);
        break;
    case 8:
        snprintf(out, room, "%s IS NOT NULL", left);
        break;
    case 9:
        snprintf(out, room, "%s %s", left, PATTERNS[roll(d, sizeof PATTERNS / sizeof *PATTERNS)]);
        break;
    case 10:
        snprintf(out, room, "%s = id %% 9", left);
        break;
    case 1:
        snprintf(out, room, "%s IN (%s, %s, 'b', 3)", left, value, text ? "'a'" : "5");
        break;
    case 2:
        snprintf(out, room, "%s BETWEEN %s AND 700", left, value);
        break;
    case 3:
        snprintf(out, room, "%s = %s COLLATE NOCASE", left, value);
        break;
    default:
        snprintf(out, room, "%s %s %s", left, OPS[roll(d, sizeof OPS / sizeof *OPS)], value);
        break;
    }
}

Test(pushdown, random_conditions)
{
    dice d = {1};
    session s = random_session(&d);
    static const char *const ORDERS[] = {"id",
                                         "id DESC",
                                         "ts, id",
                                         "ts DESC, id DESC",
                                         "name, id",
                                         "track_id, ts, id",
                                         "parent_id, id",
                                         "arg_set_id, id",
                                         "category, id",
                                         "track_id, id DESC",
                                         "name DESC, id",
                                         "name, depth, id",
                                         "depth, name, track_id, id",
                                         "track_id, category, ts, id",
                                         "dur, id"};
    for (int i = 0; i < 3000; i++) {
        if (i % 20 == 0) { /* a session that has looked for nothing yet and has no index */
            pf_query_free(s.q);
            cr_assert_eq(pf_query_open(s.t, &s.q, &s.err), PF_OK);
        }
        char where[2][3][128] = {{""}}, sql[2][1024];
        unsigned count = 1 + roll(&d, 3), order = roll(&d, sizeof ORDERS / sizeof *ORDERS);
        for (unsigned k = 0; k < count; k++) {
            dice before = d;
            condition(&before, where[0][k], sizeof where[0][k], false);
            condition(&d, where[1][k], sizeof where[1][k], true);
        }
        for (int k = 0; k < 2; k++) {
            int len =
                snprintf(sql[k], sizeof sql[k], "SELECT id FROM slice WHERE %s%s%s%s%s ORDER BY %s", where[k][0],
                         count > 1 ? " AND " : "", where[k][1], count > 2 ? " AND " : "", where[k][2], ORDERS[order]);
            cr_assert(len > 0 && (size_t)len < sizeof sql[k]);
        }
        expect_same(&s, sql[0], sql[1]);
    }
    close_session(&s);
}

/* The order that a table promises is the order that SQLite would make. */
Test(pushdown, order_and_groups)
{
    dice d = {2};
    session s = random_session(&d);
    static const char *const COLUMNS[] = {"id",        "ts",         "track_id", "name",      "category",
                                          "parent_id", "arg_set_id", "dur",      "thread_dur"};
    for (size_t i = 0; i < sizeof COLUMNS / sizeof *COLUMNS; i++) {
        static const char *const PAIRS[][2] = {
            {"SELECT %s FROM slice ORDER BY %s", "SELECT %s FROM slice ORDER BY +%s"},
            {"SELECT %s FROM slice ORDER BY %s DESC", "SELECT %s FROM slice ORDER BY +%s DESC"},
            {"SELECT %s FROM slice ORDER BY %s LIMIT 7", "SELECT %s FROM slice ORDER BY +%s LIMIT 7"},
            {"SELECT %s FROM slice ORDER BY %s DESC LIMIT 100 OFFSET 30",
             "SELECT %s FROM slice ORDER BY +%s DESC LIMIT 100 OFFSET 30"},
            {"SELECT %s FROM slice ORDER BY %s DESC, dur, thread_dur DESC LIMIT 33",
             "SELECT %s FROM slice ORDER BY +%s DESC, +dur, +thread_dur DESC LIMIT 33"},
            {"SELECT DISTINCT %s FROM slice ORDER BY %s", "SELECT DISTINCT +%s FROM slice ORDER BY +%s"},
            {"SELECT x FROM (SELECT DISTINCT %s AS x FROM slice) ORDER BY +x",
             "SELECT x FROM (SELECT DISTINCT +%s AS x FROM slice) ORDER BY +x"},
            {"SELECT count(*), count(x), min(x), max(x) FROM (SELECT DISTINCT %s AS x FROM slice)",
             "SELECT count(*), count(x), min(x), max(x) FROM (SELECT DISTINCT +%s AS x FROM slice)"},
            {"SELECT count(*) FROM (SELECT DISTINCT %s, depth FROM slice WHERE %s >= 3)",
             "SELECT count(*) FROM (SELECT DISTINCT +%s, depth FROM slice WHERE +%s >= 3)"},
            {"SELECT %s AS x, count(*), sum(dur), min(id), max(ts) FROM slice GROUP BY %s ORDER BY +x",
             "SELECT %s AS x, count(*), sum(dur), min(id), max(ts) FROM slice GROUP BY +%s ORDER BY +x"},
            {"SELECT %s AS x, ts FROM slice WHERE dur > 5 GROUP BY %s, ts ORDER BY 1, 2",
             "SELECT %s AS x, ts FROM slice WHERE dur > 5 GROUP BY +%s, +ts ORDER BY 1, 2"},
            {"SELECT %s FROM slice WHERE ts > 300 AND ts < 900 ORDER BY %s LIMIT 7 OFFSET 3",
             "SELECT %s FROM slice WHERE +ts > 300 AND +ts < 900 ORDER BY +%s LIMIT 7 OFFSET 3"},
        };
        for (size_t k = 0; k < sizeof PAIRS / sizeof *PAIRS; k++) {
            char sql[2][256];
            for (int n = 0; n < 2; n++) {
                size_t len = 0;
                for (const char *p = PAIRS[k][n]; *p && len < sizeof sql[n] - 1; p++) {
                    if (p[0] == '%' && p[1] == 's') {
                        len += (size_t)snprintf(sql[n] + len, sizeof sql[n] - len, "%s", COLUMNS[i]);
                        p++;
                    } else {
                        sql[n][len++] = *p;
                    }
                }
                sql[n][len] = '\0';
            }
            expect_same(&s, sql[0], sql[1]);
        }
    }
    close_session(&s);
}

/* Several columns, which are ordered like one after the other. */
Test(pushdown, groups_of_columns)
{
    dice d = {4};
    session s = random_session(&d);
    static const char *const COLUMNS[] = {"track_id",  "name",       "category", "depth",
                                          "parent_id", "arg_set_id", "dur",      "thread_dur"};
    enum { COUNT = sizeof COLUMNS / sizeof *COLUMNS };
    for (unsigned i = 0; i < COUNT * COUNT * COUNT * 2; i++) {
        const char *a = COLUMNS[i % COUNT], *b = COLUMNS[i / COUNT % COUNT], *c = COLUMNS[i / COUNT / COUNT % COUNT];
        const char *where = i & 1 ? "WHERE dur > 7 AND name LIKE 'a'" : "";
        const char *hidden = i & 1 ? "WHERE +dur > 7 AND CAST(name AS TEXT) LIKE 'a'" : "";
        char sql[2][512];
        const char *last = i >= COUNT * COUNT * COUNT ? c : "id";
        snprintf(sql[0], sizeof sql[0],
                 "SELECT %s AS x, %s AS y, %s AS z, count(*), sum(dur), min(id) FROM slice %s GROUP BY %s, %s, %s "
                 "ORDER BY 1, 2, 3",
                 a, b, last, where, a, b, last);
        snprintf(sql[1], sizeof sql[1],
                 "SELECT %s AS x, %s AS y, %s AS z, count(*), sum(dur), min(id) FROM slice %s GROUP BY +%s, +%s, +%s "
                 "ORDER BY 1, 2, 3",
                 a, b, last, hidden, a, b, last);
        expect_same(&s, sql[0], sql[1]);
        const char *way[3];
        for (unsigned k = 0; k < 3; k++) {
            way[k] = i * 5 % 7 >> k & 1 ? " DESC" : "";
        }
        snprintf(sql[0], sizeof sql[0], "SELECT id FROM slice %s ORDER BY %s%s, %s%s, %s%s, id", where, a, way[0], b,
                 way[1], last, way[2]);
        snprintf(sql[1], sizeof sql[1], "SELECT id FROM slice %s ORDER BY +%s%s, +%s%s, +%s%s, id", hidden, a, way[0],
                 b, way[1], last, way[2]);
        expect_same(&s, sql[0], sql[1]);
    }
    for (unsigned i = 0; i < 8; i++) {
        char sql[2][128];
        for (unsigned k = 0; k < 2; k++) {
            snprintf(sql[k], sizeof sql[k],
                     "SELECT value, id FROM counter ORDER BY %svalue%s, %strack_id%s, id LIMIT %u", k ? "+" : "",
                     i & 1 ? " DESC" : "", k ? "+" : "", i & 2 ? " DESC" : "", i & 4 ? 11 : 1000000);
        }
        expect_same(&s, sql[0], sql[1]);
    }
    /* Two orders of one table at a time, each walked while the other is in use. */
    expect_same(
        &s,
        "SELECT x.n, y.n FROM (SELECT name, depth, count(*) AS n FROM slice GROUP BY name, depth) x JOIN (SELECT "
        "depth, name, count(*) AS n FROM slice GROUP BY depth, name) y USING(name, depth) ORDER BY 1, 2",
        "SELECT n, n FROM (SELECT +name, +depth, count(*) AS n FROM slice WHERE name IS NOT NULL GROUP BY 1, 2) "
        "ORDER BY 1, 2");
    close_session(&s);
}

/* Rows lie in the order of times and row numbers. Times are not unique: what follows them decides among equal ones. */
Test(pushdown, orders_that_begin_with_a_sorted_column)
{
    dice d = {9};
    session s = random_session(&d);
    static const char *const FIRST[] = {"ts", "id", "ts, ts"}, *const SECOND[] = {"name", "dur", "ts", "id",
                                                                                  "track_id"};
    for (unsigned i = 0; i < 3 * 5 * 4; i++) {
        const char *first = FIRST[i % 3], *second = SECOND[i / 3 % 5], *desc = i & 1 ? " DESC" : "",
                   *other = i / 15 & 1 ? " DESC" : "";
        char sql[2][256];
        snprintf(sql[0], sizeof sql[0], "SELECT ts, %s FROM slice ORDER BY %s%s, %s%s", second, first, desc, second,
                 other);
        snprintf(sql[1], sizeof sql[1],
                 "SELECT +ts, +%s FROM (SELECT ts + 0 AS ts, id + 0 AS id, dur + 0 AS dur, name "
                 "|| '' AS name, track_id + 0 AS track_id FROM slice) ORDER BY %s%s, %s%s",
                 second, first, desc, second, other);
        expect_same(&s, sql[0], sql[1]);
    }
    close_session(&s);
}

/* More texts than verdicts are remembered; every row is in, and nothing else. */
Test(pushdown, patterns_over_many_texts)
{
    session s = {.t = pf_trace_new(NULL, PF_WANT_TABLES, NULL)};
    uint32_t track = add_thread_track(s.t, 1, 2);
    for (int i = 0; i < 3000; i++) {
        char name[16];
        snprintf(name, sizeof name, "N%d", i * 7919 % 1500);
        add_event(s.t, track, 'i', i, 0, name, NULL);
    }
    cr_assert_eq(pf_trace_finish(s.t, NULL), PF_OK);
    cr_assert_eq(pf_query_open(s.t, &s.q, &s.err), PF_OK);
    EXPECT_ROWS(&s, "SELECT count(*) FROM slice WHERE name LIKE 'n%'", "3000\n");
    EXPECT_ROWS(&s, "SELECT count(*) FROM slice WHERE name GLOB 'n*'", "0\n");
    EXPECT_ROWS(&s, "SELECT count(*), count(DISTINCT name) FROM slice WHERE name LIKE '%9'", "300|150\n");
    EXPECT_ROWS(&s, "SELECT count(*) FROM slice WHERE name GLOB 'N[0-4]?[0-9]' AND name LIKE '%0'", "80\n");
    expect_same(&s, "SELECT id FROM slice WHERE name LIKE '%3%' ORDER BY id DESC",
                "SELECT id FROM slice WHERE CAST(name AS TEXT) LIKE '%3%' ORDER BY id DESC");
    char sql[8192];
    snprintf(sql, sizeof sql, "SELECT id FROM slice WHERE name LIKE '%04100d'", 7);
    cr_expect_str_eq(strtok((char *)(uintptr_t)ask(&s, sql), " "), "error");
    cr_expect_not_null(strstr(s.err.text, "pattern too complex"), "%s", s.err.text);
    EXPECT_ROWS(&s, "SELECT count(*) FROM slice", "3000\n");
    close_session(&s);
}

Test(pushdown, joins)
{
    dice d = {3};
    session s = random_session(&d);
    expect_same(&s, "SELECT a.id, b.id FROM slice a JOIN slice b ON b.id = a.parent_id ORDER BY 1, 2",
                "SELECT a.id, b.id FROM slice a JOIN slice b ON +b.id = +a.parent_id ORDER BY 1, 2");
    expect_same(
        &s, "SELECT a.id, b.id FROM slice a LEFT JOIN slice b ON b.parent_id = a.id AND b.ts > a.ts ORDER BY 1, 2",
        "SELECT a.id, b.id FROM slice a LEFT JOIN slice b ON +b.parent_id = a.id AND +b.ts > a.ts ORDER BY 1, 2");
    expect_same(&s,
                "SELECT th.tid, count(*) FROM slice s JOIN thread_track t ON t.id = s.track_id JOIN thread th "
                "USING(utid) GROUP BY th.tid",
                "SELECT th.tid, count(*) FROM slice s JOIN thread_track t ON +t.id = +s.track_id JOIN thread th ON "
                "+th.utid = +t.utid GROUP BY +th.tid");
    expect_same(&s,
                "SELECT s.id, a.key FROM slice s JOIN args a USING(arg_set_id) WHERE a.key = 'args.l[1].q' ORDER BY 1",
                "SELECT s.id, a.key FROM slice s JOIN args a ON +a.arg_set_id = +s.arg_set_id WHERE +a.key = "
                "'args.l[1].q' ORDER BY 1");
    expect_same(&s, "SELECT c.id FROM counter c WHERE c.track_id = 1 AND c.ts >= 100 ORDER BY c.ts DESC, c.id DESC",
                "SELECT c.id FROM counter c WHERE +c.track_id = 1 AND +c.ts >= 100 ORDER BY +c.ts DESC, +c.id DESC");
    close_session(&s);
}

/* Values that SQLite converts or that have another type than the column, on either side of a join. */
Test(pushdown, conversions)
{
    session s = open_session();
    EXPECT_ROWS(&s, "SELECT id FROM slice WHERE ts = '12'", "1\n2\n");
    EXPECT_ROWS(&s, "SELECT id FROM slice WHERE ts = 12.0 AND track_id = 0.0", "1\n");
    EXPECT_ROWS(&s, "SELECT count(*) FROM slice WHERE ts < 'x'", "6\n");
    EXPECT_ROWS(&s, "SELECT count(*) FROM slice WHERE track_id = 'x' OR ts = 12.5 OR parent_id = -1", "0\n");
    EXPECT_ROWS(&s,
                "CREATE TABLE t(n TEXT, i INTEGER, x); INSERT INTO t VALUES ('1', 1, '1'); "
                "SELECT s.id FROM t JOIN slice s ON s.id = t.n",
                "1\n");
    EXPECT_ROWS(&s, "SELECT s.id FROM t JOIN slice s ON s.id = t.x", "1\n");
    EXPECT_ROWS(&s, "SELECT count(*) FROM t JOIN slice s ON s.name = t.i", "0\n");
    EXPECT_ROWS(&s, "SELECT id FROM slice WHERE name = 'B' COLLATE NOCASE", "1\n4\n");
    EXPECT_ROWS(&s, "SELECT id FROM slice WHERE name = 'B'", "");
    EXPECT_ROWS(&s, "SELECT id FROM slice WHERE category IS 'c1'", "0\n");
    EXPECT_ROWS(&s, "SELECT count(*) FROM slice WHERE category IS NOT 'c1'", "5\n");
    close_session(&s);
}

/* Plans: an equality goes through its index, free orders need no sorter. */
Test(pushdown, is_used)
{
    session s = open_session();
    static const char *const UNSORTED[] = {
        "SELECT * FROM slice ORDER BY ts DESC",
        "SELECT * FROM slice ORDER BY id LIMIT 3",
        "SELECT name, count(*) FROM slice GROUP BY name",
        "SELECT track_id, max(dur) FROM slice GROUP BY track_id",
        "SELECT * FROM slice ORDER BY name, ts",
        "SELECT * FROM counter WHERE track_id = 5 ORDER BY ts",
        "SELECT name, depth FROM slice GROUP BY 1, 2",
        "SELECT id FROM slice ORDER BY depth, track_id, name, ts, id",
        "SELECT name FROM slice WHERE dur > 3 GROUP BY 1",
        "SELECT id FROM slice ORDER BY name DESC, depth, ts",
        "SELECT name FROM slice ORDER BY dur DESC, depth",
        "SELECT id FROM counter ORDER BY value",
    };
    for (size_t i = 0; i < sizeof UNSORTED / sizeof *UNSORTED; i++) {
        char sql[128];
        snprintf(sql, sizeof sql, "EXPLAIN QUERY PLAN %s", UNSORTED[i]);
        cr_expect_null(strstr(rows_of(&s, sql), "TEMP B-TREE"), "%s gives %s", sql, rows_of(&s, sql));
    }
    /* Groups come without a sorter, whatever order they are put in afterwards. */
    const char *totals =
        rows_of(&s, "EXPLAIN QUERY PLAN SELECT name, sum(dur) d FROM slice GROUP BY name ORDER BY d DESC");
    cr_expect_null(strstr(totals, "FOR GROUP BY"), "%s", totals);
    /* dur is column 2, name column 5: conditions that are tested row by row. */
    cr_expect_not_null(strstr(rows_of(&s, "EXPLAIN QUERY PLAN SELECT * FROM slice WHERE dur > 3"), "INDEX 0:C>f"));
    cr_expect_not_null(
        strstr(rows_of(&s, "EXPLAIN QUERY PLAN SELECT * FROM slice WHERE name LIKE 'a%'"), "INDEX 0:Fkf"));
    cr_expect_null(strstr(rows_of(&s, "EXPLAIN QUERY PLAN SELECT * FROM slice WHERE dur IN (1, 2)"), "INDEX 0:C"));
    /* A text that the statement says is not read again to be compared. */
    cr_expect_null(strstr(rows_of(&s, "EXPLAIN SELECT count(*) FROM slice WHERE name = 'a'"), "VColumn"));
    cr_expect_not_null(strstr(rows_of(&s, "EXPLAIN SELECT count(*) FROM slice s WHERE name = category"), "VColumn"));
    /* Mode 1 is an equality; the column number + 1 stands from bit 8 on. */
    cr_expect_not_null(strstr(rows_of(&s, "EXPLAIN QUERY PLAN SELECT * FROM slice WHERE track_id = 1"), "INDEX 1025:"));
    cr_expect_not_null(strstr(rows_of(&s, "EXPLAIN QUERY PLAN SELECT * FROM slice WHERE name = 'a'"), "INDEX 1537:"));
    close_session(&s);
}

/* SQLite 3.40 says "grouped" where the rows must come in the order of an ORDER BY too. */
Test(pushdown, groups_in_descending_order)
{
    session s = open_session();
    EXPECT_ROWS(&s, "SELECT name, count(*) FROM slice GROUP BY name ORDER BY name DESC", "x|1\ni|1\ng|1\nb|2\na|1\n");
    EXPECT_ROWS(&s, "SELECT name, count(*) FROM slice GROUP BY name ORDER BY name", "a|1\nb|2\ng|1\ni|1\nx|1\n");
    EXPECT_ROWS(&s, "SELECT track_id, count(*) FROM slice GROUP BY track_id ORDER BY track_id DESC", "3|1\n1|1\n0|4\n");
    EXPECT_ROWS(&s, "SELECT DISTINCT name FROM slice ORDER BY name DESC", "x\ni\ng\nb\na\n");
    close_session(&s);
}
