/* Sessions: temporary tables, what is refused, where errors are, limits. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support.h"

Test(session, perfetto_tables_and_views)
{
    session s = open_session();
    EXPECT_ROWS(&s, "CREATE PERFETTO TABLE t AS SELECT id FROM slice WHERE dur > 4; SELECT count(*) FROM t", "3\n");
    EXPECT_ROWS(&s, "CREATE PERFETTO VIEW v AS SELECT name FROM slice JOIN t USING(id); SELECT * FROM v ORDER BY 1",
                "a\nb\nb\n");
    EXPECT_ROWS(&s, "CREATE PERFETTO INDEX i ON t(id); SELECT id FROM t WHERE id = 4", "4\n");
    EXPECT_ROWS(&s,
                "CREATE OR REPLACE PERFETTO TABLE t(id INT, two STRING) AS SELECT 1 AS id, '2' AS two; "
                "SELECT * FROM t",
                "1|2\n");
    EXPECT_ROWS(&s, "CREATE OR REPLACE PERFETTO VIEW v AS SELECT 3; SELECT * FROM v", "3\n");
    EXPECT_ROWS(&s,
                "CREATE TABLE plain(a); INSERT INTO plain VALUES (5), (6); DELETE FROM plain WHERE a = 5; "
                "UPDATE plain SET a = a + 1; SELECT * FROM plain; ",
                "7\n");
    EXPECT_ROWS(&s, "ALTER TABLE plain RENAME TO other; DROP TABLE other; DROP VIEW v; SELECT 1", "1\n");
    cr_expect_str_eq(ask(&s, "SELECT * FROM v"), "error 1 14");
    close_session(&s);
}

/* A replacement that fails leaves the old table. */
Test(session, replacing_is_all_or_nothing)
{
    session s = open_session();
    EXPECT_ROWS(&s, "CREATE PERFETTO TABLE t AS SELECT 1 AS one; SELECT * FROM t", "1\n");
    cr_expect_str_eq(ask(&s, "CREATE OR REPLACE PERFETTO TABLE t AS SELECT nope"), "error 1 45");
    EXPECT_ROWS(&s, "SELECT one FROM t", "1\n");
    close_session(&s);
}

Test(session, error_positions)
{
    session s = open_session();
    cr_expect_str_eq(ask(&s, "SELECT nope FROM slice"), "error 1 7");
    cr_expect_str_eq(s.err.text, "no such column: nope");
    cr_expect_str_eq(ask(&s, "SELECT 1;\nSELECT 2;\n  SELECT FROM slice"), "error 1 29");
    cr_expect_str_eq(s.err.text, "near \"FROM\": syntax error");
    cr_expect_str_eq(ask(&s, "SELECT 1; CREATE TABLE t AS SELECT a FROM nope"), "error 1 42");
    cr_expect_str_eq(ask(&s, "CREATE PERFETTO TABLE t AS SELECT a FROM nope"), "error 1 41");
    cr_expect_str_eq(ask(&s, "SELECT 'open"), "error 1 7");
    cr_expect_str_eq(ask(&s, "SELECT 1; SELECT abs(-9223372036854775807 - 1)"), "error 1 10", "found while running");
    cr_expect_str_eq(s.err.text, "integer overflow");
    close_session(&s);
}

/* Statements before the wrong one have run. */
Test(session, runs_up_to_the_error)
{
    session s = open_session();
    cr_expect_str_eq(ask(&s, "CREATE TABLE t(a); SELECT nope; DROP TABLE t"), "error 1 26");
    EXPECT_ROWS(&s, "SELECT count(*) FROM t", "0\n");
    close_session(&s);
}

Test(session, refuses_what_leaves_the_trace)
{
    session s = open_session();
    char path[] = "/tmp/postfetto-query-XXXXXX", sql[256];
    int fd = mkstemp(path);
    cr_assert_geq(fd, 0);
    close(fd);
    unlink(path);
    const char *const with_path[][2] = {{"ATTACH '", "' AS x"},
                                        {"VACUUM INTO '", "'"},
                                        {"ATTACH 'file:", "' AS x"},
                                        {"PRAGMA temp_store_directory = '", "'"},
                                        {"SELECT load_extension('", "')"}};
    for (size_t i = 0; i < sizeof with_path / sizeof *with_path; i++) {
        snprintf(sql, sizeof sql, "%s%s%s", with_path[i][0], path, with_path[i][1]);
        cr_expect(strncmp(ask(&s, sql), "error 1", 7) == 0, "%s gives %s", sql, ask(&s, sql));
        cr_expect_neq(access(path, F_OK), 0, "%s made a file", sql);
    }
    const char *const others[] = {"DETACH main",
                                  "PRAGMA journal_mode = WAL",
                                  "PRAGMA writable_schema = 1",
                                  "PRAGMA temp_store = 1",
                                  "VACUUM",
                                  "INSERT INTO slice(ts) VALUES (1)",
                                  "DELETE FROM slice",
                                  "UPDATE process SET name = 'x'",
                                  "DROP TABLE slice",
                                  "DROP VIEW thread_slice",
                                  "CREATE VIRTUAL TABLE x USING fts5(a)",
                                  "CREATE VIRTUAL TABLE x USING postfetto(slice)",
                                  "CREATE TABLE main.x(a)",
                                  "CREATE TRIGGER x AFTER INSERT ON t BEGIN SELECT 1; END",
                                  "UPDATE sqlite_master SET sql = ''",
                                  "SELECT fts3_tokenizer('simple')",
                                  "ALTER TABLE slice RENAME TO x",
                                  "ANALYZE",
                                  "CREATE INDEX i ON slice(ts)"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        cr_expect(strncmp(ask(&s, others[i]), "error 1", 7) == 0, "%s gives %s", others[i], ask(&s, others[i]));
    }
    EXPECT_ROWS(&s, "SELECT count(*) FROM slice", "6\n");
    cr_expect_str_eq(ask(&s, "SELECT 1; ATTACH ':memory:' AS x"), "error 1 10");
    cr_expect_not_null(strstr(s.err.text, "ATTACH"));
    close_session(&s);
}

/* What is refused, by the part of the message that says it. What is allowed in the temporary database says nothing. */
Test(session, names_what_is_not_allowed)
{
    static const char *const REFUSED[][2] = {
        {"ATTACH ':memory:' AS x", "ATTACH (and VACUUM)"},
        {"VACUUM", "ATTACH (and VACUUM)"},
        {"DETACH main", "DETACH"},
        {"PRAGMA cache_size", "PRAGMA"},
        {"CREATE VIRTUAL TABLE temp.x USING fts5(a)", "CREATE VIRTUAL TABLE"},
        {"CREATE VIRTUAL TABLE temp.x USING postfetto(slice)", "CREATE VIRTUAL TABLE"},
        {"CREATE TEMP TRIGGER x AFTER INSERT ON mine BEGIN SELECT 1; END", "a statement of this kind"},
        {"INSERT INTO stats(name) VALUES ('x')", "changing a table of the trace"},
        {"DROP TABLE process", "changing a table of the trace"},
        {"DROP VIEW slices", "changing a table of the trace"}};
    session s = open_session();
    EXPECT_ROWS(&s, "CREATE TABLE mine(a); SELECT 1", "1\n");
    for (size_t i = 0; i < sizeof REFUSED / sizeof *REFUSED; i++) {
        char expected[160];
        snprintf(expected, sizeof expected, "%s is not allowed; a query can read the trace and make temporary tables",
                 REFUSED[i][1]);
        cr_expect_str_eq(ask(&s, REFUSED[i][0]), "error 1 0", "%s", REFUSED[i][0]);
        cr_expect_str_eq(s.err.text, expected, "%s: %s", REFUSED[i][0], s.err.text);
    }
    /* SQLite says it of functions in its own words. */
    static const char *const OUTWARD[] = {"load_extension('x')", "fts3_tokenizer('simple')",
                                          "Load_Extension('x', 'y')"};
    for (size_t i = 0; i < sizeof OUTWARD / sizeof *OUTWARD; i++) {
        char sql[64];
        snprintf(sql, sizeof sql, "SELECT %s", OUTWARD[i]);
        cr_expect(strncmp(ask(&s, sql), "error 1", 7) == 0, "%s", sql);
        cr_expect_not_null(strstr(s.err.text, "not authorized"), "%s: %s", sql, s.err.text);
    }
    static const char *const ALLOWED[] = {
        "BEGIN",
        "CREATE INDEX i ON mine(a)",
        "SAVEPOINT x",
        "CREATE VIEW v AS SELECT a FROM mine",
        "RELEASE x",
        "DROP VIEW v",
        "DROP INDEX i",
        "COMMIT",
        "ALTER TABLE mine ADD COLUMN b",
        "INSERT INTO mine VALUES (1, 2)",
        "UPDATE mine SET a = 2",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 3) SELECT i FROM n",
        "PRAGMA table_xinfo(slice)",
        "PRAGMA function_list",
        "PRAGMA Collation_List",
        "DELETE FROM mine",
        "DROP TABLE mine"};
    for (size_t i = 0; i < sizeof ALLOWED / sizeof *ALLOWED; i++) {
        cr_expect(strncmp(ask(&s, ALLOWED[i]), "error", 5) != 0, "%s: %s", ALLOWED[i], s.err.text);
    }
    close_session(&s);
}

static char warnings[512];

static void keep_warning(void *ctx, const char *text)
{
    ++*(int *)ctx;
    snprintf(warnings, sizeof warnings, "%s", text);
}

/* The modules that the views here stand for, and others, whose names may be long. */
Test(session, modules)
{
    static const struct {
        const char *name;
        bool built_in;
    } MODULES[] = {{"prelude", true},
                   {"prelude.after_eof.tables", true},
                   {"slices.with_context", true},
                   {"slices.with_contexts", false},
                   {"slices.with_contex", false},
                   {"slices", false},
                   {"preludes", false},
                   {"preludes.x", false},
                   {"prelud", false},
                   {"a.prelude", false}};
    session s = open_session();
    int count = 0;
    pf_query_set_warning(s.q, keep_warning, &count);
    for (size_t i = 0; i < sizeof MODULES / sizeof *MODULES; i++) {
        char sql[128], expected[256];
        count = 0;
        snprintf(sql, sizeof sql, "INCLUDE PERFETTO MODULE %s; SELECT 1", MODULES[i].name);
        snprintf(expected, sizeof expected,
                 "the module %s is not built in; tables, views, functions and macros that it would make are missing, "
                 "unless --override-stdlib or --add-sql-package says where it is",
                 MODULES[i].name);
        EXPECT_ROWS(&s, sql, "1\n");
        count = 0;
        ask(&s, sql);
        cr_expect_eq(count, MODULES[i].built_in ? 0 : 1, "%s", MODULES[i].name);
        cr_expect(MODULES[i].built_in || strcmp(warnings, expected) == 0, "%s", warnings);
    }
    char name[130], sql[256];
    memset(name, 'm', 129);
    name[129] = '\0';
    snprintf(sql, sizeof sql, "INCLUDE PERFETTO MODULE %s; SELECT 2", name);
    EXPECT_ROWS(&s, sql, "2\n");
    name[100] = '\0';
    cr_expect_eq(strncmp(warnings + 11, name, 100), 0);
    cr_expect_eq(strncmp(warnings + 111, " is not built in", 16), 0, "%s", warnings);
    pf_query_set_warning(s.q, NULL, NULL);
    EXPECT_ROWS(&s, "INCLUDE PERFETTO MODULE unknown; SELECT 3", "3\n");
    close_session(&s);
}

Test(session, telling_pragmas)
{
    session s = open_session();
    EXPECT_ROWS(&s, "SELECT name, type FROM pragma_table_info('counter')",
                "id|INTEGER\nts|INTEGER\ntrack_id|INTEGER\nvalue|REAL\narg_set_id|INTEGER\n");
    EXPECT_ROWS(&s, "SELECT name FROM sqlite_master WHERE name IN ('slice', 'thread_slice', 'android_logs') ORDER BY 1",
                "android_logs\nslice\nthread_slice\n");
    close_session(&s);
}

/* The text of any byte, and cells of every type. */
Test(session, cells)
{
    session s = open_session();
    EXPECT_ROWS(&s, "SELECT NULL, -9223372036854775808, 0.1, 'tex\"t', x'414243', ''",
                "-|-9223372036854775808|0.1|tex\"t|ABC|\n");
    cr_expect_str_eq(ask(&s, "SELECT 1 AS one, 2 AS \"t w o\""), "one|t w o\n1|2\n");
    cr_expect_str_eq(ask(&s, "-- nothing"), "");
    cr_expect_str_eq(ask(&s, "CREATE TABLE none(a)"), "", "no names where there are no columns");
    cr_expect_str_eq(ask(&s, "SELECT a AS b FROM none"), "b\n", "and names without rows");
    close_session(&s);
}

typedef struct stopper {
    int rows;
    pf_status names, row;
} stopper;

static pf_status stop_names(void *ctx, size_t count, const pf_str *names)
{
    return ((stopper *)ctx)->names;
}

static pf_status stop_row(void *ctx, size_t count, const pf_query_cell *cells)
{
    stopper *s = ctx;
    return ++s->rows == 2 ? s->row : PF_OK;
}

/* A receiver ends the query with its own status. */
Test(session, receiver_stops)
{
    session s = open_session();
    stopper stop = {0, PF_OK, PF_ERR_OUTPUT};
    const pf_query_sink sink = {&stop, stop_names, stop_row};
    cr_expect_eq(pf_query_run(s.q, PF_STR("SELECT id FROM slice; SELECT 1"), &sink, &s.err), PF_ERR_OUTPUT);
    cr_expect_eq(stop.rows, 2);
    stop = (stopper){0, PF_ERR_CANCELLED, PF_OK};
    cr_expect_eq(pf_query_run(s.q, PF_STR("SELECT id FROM slice"), &sink, &s.err), PF_ERR_CANCELLED);
    cr_expect_eq(stop.rows, 0);
    EXPECT_ROWS(&s, "SELECT count(*) FROM slice", "6\n");
    close_session(&s);
}

/* A flag ends a statement that never gives a row; once it is 0 again, the session goes on. */
Test(session, cancelled)
{
    session s = open_session();
    volatile int flag = 2;
    pf_query_set_cancel(s.q, &flag);
    cr_expect_str_eq(ask(&s, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"),
                     "error 7 -1");
    flag = 0;
    EXPECT_ROWS(&s, "SELECT count(*) FROM slice", "6\n");
    close_session(&s);
}

/* A query that grows without end meets --max-memory. */
Test(session, memory_limit)
{
    pf_limits limits = pf_limits_default();
    limits.memory = 64 << 20;
    session s = {.t = pf_trace_new(&limits, PF_WANT_TABLES, NULL)};
    cr_assert_eq(pf_trace_finish(s.t, NULL), PF_OK);
    cr_assert_eq(pf_query_open(s.t, &s.q, &s.err), PF_OK);
    const char *endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) ";
    char sql[512];
    snprintf(sql, sizeof sql,
             "%sSELECT max(x) FROM (SELECT printf('%%0100d', i) AS x, i FROM n ORDER BY x, -i LIMIT -1)", endless);
    cr_expect_eq(strncmp(ask(&s, sql), "error 4", 7), 0, "%s", s.err.text);
    snprintf(sql, sizeof sql, "CREATE TABLE big AS %s SELECT printf('%%0100d', i) AS x FROM n", endless);
    cr_expect_eq(strncmp(ask(&s, sql), "error 4", 7), 0, "%s", s.err.text);
    cr_expect_not_null(strstr(s.err.text, "--max-memory"));
    EXPECT_ROWS(&s, "SELECT 1", "1\n");
    close_session(&s);
}

/* What is larger than SQLite's caches goes through temporary files: what is sorted, a table, the way back from it. */
Test(session, temporary_files)
{
    session s = open_session();
    EXPECT_ROWS(&s,
                "CREATE TABLE t AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 149999) "
                "SELECT i * 7919 % 150001 AS x, printf('%020d', i) AS text FROM n; "
                "SELECT count(*), sum(ok) FROM (SELECT x > lag(x, 1, -1) OVER () AS ok FROM (SELECT x FROM t ORDER BY "
                "x, text LIMIT -1))",
                "150000|150000\n");
    EXPECT_ROWS(&s,
                "SAVEPOINT here; UPDATE t SET x = -x - 1, text = text || text; INSERT INTO t SELECT * FROM t; ROLLBACK "
                "TO here; "
                "RELEASE here; SELECT count(*), min(x) >= 0, max(length(text)), count(DISTINCT text) FROM t",
                "150000|1|20|150000\n");
    EXPECT_ROWS(&s, "DROP TABLE t; SELECT count(*) FROM slice", "6\n");
    close_session(&s);
}

/* Everything that a session takes from the trace's budget goes back. */
Test(session, gives_its_memory_back)
{
    session s = open_session();
    uint64_t before, after, peak;
    pf_query_free(s.q);
    pf_trace_memory(s.t, &before, &peak);
    cr_assert_eq(pf_query_open(s.t, &s.q, &s.err), PF_OK);
    cr_expect_str_eq(ask(&s, "SELECT name, count(arg_set_id) FROM slice GROUP BY name LIMIT 1"),
                     "name|count(arg_set_id)\na|1\n");
    cr_expect_str_eq(ask(&s, "SELECT count(*) FROM descendant_slice(0)"), "count(*)\n3\n");
    pf_query_free(s.q);
    s.q = NULL;
    pf_trace_memory(s.t, &after, &peak);
    cr_expect_eq(before, after);
    cr_expect_gt(peak, after);
    close_session(&s);
}

/* Wherever the memory limit strikes, the failure is reported, nothing is kept, and the trace can be asked again. */
Test(session, every_refusal)
{
    session s = open_session();
    uint64_t before, after, peak;
    unsigned refused = 0, failed = 0, fine = 0;
    pf_query_free(s.q);
    s.q = NULL;
    pf_trace_memory(s.t, &before, &peak);
    uint64_t unlimited = s.t->budget.limits.memory;
    for (uint64_t more = 0; more < 4 << 20 && fine < 3; more += more / 8 + 64) {
        s.t->budget.limits.memory = before + more;
        if (pf_query_open(s.t, &s.q, &s.err) == PF_OK) {
            static const char *const SQL[] = {"SELECT extract_arg(arg_set_id, 'args.x') FROM slice",
                                              "SELECT name, count(*) FROM slice WHERE track_id = 0 GROUP BY name",
                                              "SELECT id FROM descendant_slice(0)"};
            bool good = true;
            for (size_t i = 0; i < sizeof SQL / sizeof *SQL; i++) {
                const char *result = ask(&s, SQL[i]);
                bool answered = strncmp(result, "error", 5) != 0;
                cr_expect(answered || strncmp(result, "error 4", 7) == 0, "%s", result);
                good &= answered;
            }
            failed += !good;
            fine += good;
        } else {
            cr_expect_eq(s.err.code, PF_ERR_LIMIT);
            cr_expect_null(s.q);
            refused++;
        }
        pf_query_free(s.q);
        s.q = NULL;
        pf_trace_memory(s.t, &after, &peak);
        cr_assert_eq(before, after, "%llu bytes more", (unsigned long long)more);
    }
    s.t->budget.limits.memory = unlimited;
    cr_expect_gt(refused, 0);
    cr_expect_gt(failed, 0);
    cr_expect_eq(fine, 3);
    close_session(&s);
}

Test(session, empty_trace)
{
    session s = {.t = pf_trace_new(NULL, PF_WANT_TABLES, NULL)};
    cr_assert_eq(pf_trace_finish(s.t, NULL), PF_OK);
    cr_assert_eq(pf_query_open(s.t, &s.q, &s.err), PF_OK);
    EXPECT_ROWS(&s, "SELECT count(*) FROM slice WHERE name = 'a' AND track_id = 0 AND ts > 5", "0\n");
    EXPECT_ROWS(&s, "SELECT name, count(*) FROM slice GROUP BY name", "");
    EXPECT_ROWS(&s, "SELECT count(*), max(arg_set_id) FROM args", "0|-\n");
    EXPECT_ROWS(&s, "SELECT id FROM descendant_slice(0)", "");
    EXPECT_ROWS(&s, "SELECT count(*) FROM track", "0\n");
    EXPECT_ROWS(&s, "SELECT trace_dur(), extract_arg(0, 'x')", "0|-\n");
    close_session(&s);
}

/* What a sink is told while it receives the names. */
typedef struct declared {
    pf_query *q;
    pf_value_type types[8];
    bool blobs[8];
} declared;

static pf_status note_types(void *ctx, size_t count, const pf_str *names)
{
    declared *d = ctx;
    for (size_t i = 0; names && i < count && i < 8; i++) {
        d->types[i] = pf_query_declared_type(d->q, i);
    }
    return PF_OK;
}

static pf_status note_blobs(void *ctx, size_t count, const pf_query_cell *cells)
{
    declared *d = ctx;
    for (size_t i = 0; i < count && i < 8; i++) {
        d->blobs[i] = cells[i].type == PF_VALUE_STRING && cells[i].blob;
    }
    return PF_OK;
}

Test(session, declared_types_and_blobs)
{
    session s = open_session();
    declared d = {.q = s.q};
    pf_query_sink sink = {&d, note_types, note_blobs};
    const pf_value_type expected[] = {PF_VALUE_INT, PF_VALUE_STRING, PF_VALUE_REAL, PF_VALUE_NULL, PF_VALUE_NULL};
    pf_str sql = PF_STR("SELECT s.dur, s.name, c.value, s.dur + 1, x'00ff' FROM slices s LEFT JOIN counters c LIMIT 1");
    cr_expect_eq(pf_query_run(s.q, sql, &sink, &s.err), PF_OK, "%s", s.err.text);
    cr_expect_arr_eq(d.types, expected, sizeof expected);
    cr_expect(d.blobs[4] && !d.blobs[0] && !d.blobs[1]);
    cr_expect_eq(pf_query_declared_type(s.q, 0), PF_VALUE_NULL);
    close_session(&s);
}
