/* Statements: where they end, what Perfetto's own become, and that positions survive the rewriting. */
#include <stdio.h>
#include <string.h>

#include "query/session/split_sql.h"
#include "support.h"

/* The texts that SQLite would get, joined by "~"; "error OFFSET" if the splitter refuses. */
static const char *statements(const char *sql, char *out, size_t room)
{
    pf_str text = {sql, strlen(sql)};
    pf_error err;
    out[0] = '\0';
    for (size_t at = 0; at < text.len;) {
        pf_statement s;
        pf_sql_text from;
        at = pf_sql_split(text, at, &from);
        pf_status st = pf_sql_rewrite(&from, &s, &err);
        size_t len = strlen(out);
        if (st != PF_OK) {
            snprintf(out, room, "error %llu", (unsigned long long)err.offset);
            pf_buffer_free(&s.text);
            return out;
        }
        if (s.kind != PF_SQL_NOTHING) {
            snprintf(out + len, room - len, "%s%s", len ? "~" : "", s.text.data);
        }
        pf_buffer_free(&s.text);
    }
    return out;
}

#define EXPECT_STATEMENTS(sql, expected)                                                                               \
    do {                                                                                                               \
        char out[512];                                                                                                 \
        cr_expect_str_eq(statements(sql, out, sizeof out), expected, "%s gives:\n%s", sql, out);                       \
    } while (0)

Test(split, where_statements_end)
{
    EXPECT_STATEMENTS("", "");
    EXPECT_STATEMENTS(" ;; -- nothing\n ; /* ; */ ", "");
    EXPECT_STATEMENTS("SELECT 1", "SELECT 1");
    EXPECT_STATEMENTS("SELECT 1;SELECT 2;", "SELECT 1~SELECT 2");
    EXPECT_STATEMENTS("SELECT ';' , \";\", `;`, [;] ; SELECT 2", "SELECT ';' , \";\", `;`, [;] ~SELECT 2");
    EXPECT_STATEMENTS("SELECT 'it''s; fine'; SELECT 2", "SELECT 'it''s; fine'~SELECT 2");
    EXPECT_STATEMENTS("SELECT 1 -- no; end\n + 1; SELECT 2", "SELECT 1 -- no; end\n + 1~SELECT 2");
    EXPECT_STATEMENTS("SELECT 1 /* no; end */ + 1; SELECT 2", "SELECT 1 /* no; end */ + 1~SELECT 2");
    EXPECT_STATEMENTS("SELECT 5-3/2*1;", "SELECT 5-3/2*1");
}

Test(split, open_ends)
{
    EXPECT_STATEMENTS("SELECT 'open; SELECT 2", "SELECT 'open; SELECT 2");
    EXPECT_STATEMENTS("SELECT [open; SELECT 2", "SELECT [open; SELECT 2");
    EXPECT_STATEMENTS("SELECT 1 /* open; SELECT 2", "SELECT 1 /* open; SELECT 2");
    EXPECT_STATEMENTS("-- open; SELECT 2", "");
    EXPECT_STATEMENTS("'", "'");
    EXPECT_STATEMENTS("/", "/");
    EXPECT_STATEMENTS("-", "-");
}

Test(split, perfetto_statements)
{
    EXPECT_STATEMENTS("CREATE PERFETTO TABLE t AS SELECT 1", "CREATE TEMP     TABLE t AS SELECT 1");
    EXPECT_STATEMENTS("create perfetto view v as select 1;", "create TEMP     view v as select 1");
    EXPECT_STATEMENTS("CREATE OR REPLACE PERFETTO TABLE t AS SELECT 1",
                      "CREATE TEMP                TABLE t AS SELECT 1");
    EXPECT_STATEMENTS("CREATE PERFETTO TABLE t(a INT, -- one)\n b STRING) AS SELECT 1 AS a, 2 AS b",
                      "CREATE TEMP     TABLE t               \n           AS SELECT 1 AS a, 2 AS b");
    EXPECT_STATEMENTS("CREATE PERFETTO INDEX i ON t(a)", "CREATE          INDEX i ON t(a)");
    EXPECT_STATEMENTS("CREATE /* c */ PERFETTO TABLE t AS SELECT 1", "CREATE TEMP             TABLE t AS SELECT 1");
    EXPECT_STATEMENTS("SELECT 1; CREATE PERFETTO NOPE m(x Expr) RETURNS Expr AS 1", "error 26");
    EXPECT_STATEMENTS("CREATE PERFETTO", "error 15");
}

Test(split, plain_tables_become_temporary)
{
    EXPECT_STATEMENTS("CREATE TABLE t(a, b)", "CREATE TEMP TABLE t(a, b)");
    EXPECT_STATEMENTS("CREATE VIEW v AS SELECT 1", "CREATE TEMP VIEW v AS SELECT 1");
    EXPECT_STATEMENTS("CREATE TEMP TABLE t(a)", "CREATE TEMP TABLE t(a)");
    EXPECT_STATEMENTS("CREATE INDEX i ON t(a)", "CREATE INDEX i ON t(a)");
}

Test(split, include)
{
    EXPECT_STATEMENTS("INCLUDE PERFETTO MODULE slices.with_context; SELECT 1", "SELECT 1");
    EXPECT_STATEMENTS("include perfetto module a.*;", "");
    EXPECT_STATEMENTS("INCLUDE PERFETTO MODULE *;", "");
    EXPECT_STATEMENTS("SELECT 1; INCLUDE PERFETTO;", "error 10");
    EXPECT_STATEMENTS("INCLUDE PERFETTO MODULE a b;", "error 0");
    EXPECT_STATEMENTS("INCLUDE PERFETTO MODULE a.;", "error 0");
    EXPECT_STATEMENTS("INCLUDE PERFETTO TABLE a;", "error 0");
    EXPECT_STATEMENTS("INCLUDE MODULE a;", "error 0");
    EXPECT_STATEMENTS("INCLUDE OTHER MODULE a;", "error 0");
    EXPECT_STATEMENTS("INCLUDE PERFETTO MODULE;", "error 0");
}

/* Offsets in the text for SQLite, and where they lie in the user's. */
Test(split, positions)
{
    const char *sql = "  CREATE TABLE t AS SELECT nope";
    pf_statement s;
    pf_sql_text from;
    pf_sql_split((pf_str){sql, strlen(sql)}, 0, &from);
    cr_assert_eq(pf_sql_rewrite(&from, &s, NULL), PF_OK);
    cr_expect_eq(pf_sql_position(&s, 0), 2);
    cr_expect_eq(pf_sql_position(&s, 9), 8, "inside of what was added");
    cr_expect_eq(pf_sql_position(&s, (size_t)(strstr(s.text.data, "nope") - s.text.data)),
                 (size_t)(strstr(sql, "nope") - sql));
    pf_buffer_free(&s.text);
}

Test(split, nul_bytes_are_refused)
{
    const char sql[] = "SELECT 1; SELECT \0 2";
    pf_statement s;
    pf_sql_text from;
    pf_error err;
    size_t next = pf_sql_split((pf_str){sql, sizeof sql - 1}, 0, &from);
    cr_assert_eq(pf_sql_rewrite(&from, &s, &err), PF_OK);
    pf_buffer_free(&s.text);
    pf_sql_split((pf_str){sql, sizeof sql - 1}, next, &from);
    cr_expect_eq(pf_sql_rewrite(&from, &s, &err), PF_ERR_USAGE);
    cr_expect_eq(err.offset, 17);
    pf_buffer_free(&s.text);
}

/* The tokens of a text, joined by "|"; 'q' stands before what is quoted, '.' before punctuation. */
static const char *tokens(pf_str sql, char *out, size_t room)
{
    size_t len = 0;
    out[0] = '\0';
    for (pf_token t = pf_sql_token(sql, 0); t.type != PF_TOKEN_END; t = pf_sql_token(sql, t.end)) {
        len += (size_t)snprintf(out + len, room - len, "%s%s%.*s", len ? "|" : "",
                                t.type == PF_TOKEN_QUOTED  ? "q"
                                : t.type == PF_TOKEN_PUNCT ? "."
                                                           : "",
                                (int)(t.end - t.start), sql.ptr + t.start);
    }
    return out;
}

Test(split, tokens)
{
    static const char *const CASES[][2] = {
        {"SELECT a_1,b$2 FROM t", "SELECT|a_1|.,|b$2|FROM|t"},
        {"azAZ09_$", "azAZ09_$"},
        {"a@b`c`", "a|.@|b|q`c`"},
        {"a/b:c[d]e{f}", "a|./|b|.:|c|q[d]|e|.{|f|.}"},
        {"\xc3\xa4 = \x80\xff", "\xc3\xa4|.=|\x80\xff"},
        {"1.5e-3", "1|..|5e|.-|3"},
        {" \t\n\v\f\r a \x0e b \b", "a|.\x0e|b|.\b"},
        {"'it''s' \"a\"\"b\" `c``d` [e]]", "q'it''s'|q\"a\"\"b\"|q`c``d`|q[e]|.]"},
        {"'a'b'c'", "q'a'|b|q'c'"},
        {"'a\"b' \"c'd\" [e'f]", "q'a\"b'|q\"c'd\"|q[e'f]"},
        {"'' \"\" [] ``", "q''|q\"\"|q[]|q``"},
        {"a--b\nc--d", "a|c"},
        {"a-b - -c", "a|.-|b|.-|.-|c"},
        {"a/*b*/c/**/d/*/e*/f/*g", "a|c|d|f"},
        {"a/ *b*/", "a|./|.*|b|.*|./"},
        {"-- x\n/* y */ -- z", ""},
        {"'open", "q'open"},
        {"'open''", "q'open''"},
        {"x'", "x|q'"},
        {"a!=b<>c||d", "a|.!|.=|b|.<|.>|c|.||.||d"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        char out[256];
        cr_expect_str_eq(tokens((pf_str){CASES[i][0], strlen(CASES[i][0])}, out, sizeof out), CASES[i][1],
                         "%s gives %s", CASES[i][0], out);
    }
    pf_token t = pf_sql_token(PF_STR("ab  "), 2);
    cr_expect(t.type == PF_TOKEN_END && t.start == 4 && t.end == 4);
    cr_expect(pf_sql_is(PF_STR("Select"), pf_sql_token(PF_STR("Select"), 0), "SELECT"));
    cr_expect_not(pf_sql_is(PF_STR("Selec"), pf_sql_token(PF_STR("Selec"), 0), "SELECT"));
    cr_expect_not(pf_sql_is(PF_STR("SELECTS"), pf_sql_token(PF_STR("SELECTS"), 0), "SELECT"));
    cr_expect_not(pf_sql_is(PF_STR("[]"), pf_sql_token(PF_STR("[]"), 0), "[]"), "what is quoted is no word");
}
