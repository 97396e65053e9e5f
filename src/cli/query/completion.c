/* cli/query/completion.c - the names that a session has, asked for with SQL each time, since statements make new ones.
 */
#include "cli/query/completion.h"

#include <ctype.h>
#include <strings.h>

#include "base/str.h"

/* In order, each after a blank. */
static const char KEYWORDS[] =
    " ALL AND AS ASC BETWEEN BY CASE CAST CREATE CROSS DESC DISTINCT DROP ELSE END EXCEPT EXISTS EXPLAIN FILTER FROM "
    "FUNCTION GLOB GROUP HAVING IN INCLUDE INNER INTERSECT IS ISNULL JOIN LEFT LIKE LIMIT MACRO MODULE NOT NOTNULL "
    "NULL OFFSET ON OR ORDER OUTER OVER PARTITION PERFETTO QUERY PLAN RANGE RECURSIVE REGEXP RETURNS ROWS SELECT TABLE "
    "TEMP THEN UNION USING VALUES VIEW VIRTUAL WHEN WHERE WINDOW WITH ";
static const char COMMANDS[] = " .help .quit .schema .tables ";

typedef struct search {
    pf_str typed;
    pf_buffer *out;
} search;

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool fits(const search *s, pf_str word)
{
    return word.len > s->typed.len && strncasecmp(word.ptr, s->typed.ptr, s->typed.len) == 0;
}

static pf_status offer(void *ctx, size_t count, const pf_query_cell *cells)
{
    const search *s = ctx;
    if (count == 1 && cells[0].type == PF_VALUE_STRING && fits(s, cells[0].as.s)) {
        pf_buffer_put(s->out, cells[0].as.s.ptr, cells[0].as.s.len);
        pf_buffer_put(s->out, "", 1);
    }
    return PF_OK;
}

static void offer_listed(const search *s, const char *list)
{
    bool lower = s->typed.len && islower((unsigned char)s->typed.ptr[0]);
    for (const char *at = list + 1; *at;) {
        pf_str word = {at, pf_str_find(pf_str_of(at), PF_STR(" "))};
        for (size_t i = 0; fits(s, word) && i <= word.len; i++) {
            char c = i < word.len ? word.ptr[i] : '\0';
            c = lower ? (char)tolower((unsigned char)c) : c;
            pf_buffer_put(s->out, &c, 1);
        }
        at += word.len + 1;
    }
}

size_t pf_cli_complete_sql(void *ctx, pf_str text, pf_buffer *out)
{
    size_t begin = text.len;
    while (begin > 0 && is_name(text.ptr[begin - 1])) {
        begin--;
    }
    search s = {{text.ptr + begin, text.len - begin}, out};
    pf_query_sink sink = {&s, NULL, offer};
    bool dot = begin > 0 && text.ptr[begin - 1] == '.';
    size_t table = begin - dot;
    while (table > 0 && is_name(text.ptr[table - 1])) {
        table--;
    }
    if (dot && begin == 1) {
        s.typed = text;
        offer_listed(&s, COMMANDS);
    } else if (dot) {
        pf_buffer sql = {0};
        pf_buffer_format(&sql, "SELECT name FROM pragma_table_info('%.*s')", (int)(begin - 1 - table),
                         text.ptr + table);
        size_t before = out->len;
        pf_query_run(ctx, (pf_str){sql.data, sql.failed ? 0 : sql.len}, &sink, NULL);
        pf_buffer_free(&sql);
        if (out->len == before) { /* another name of a table */
            pf_query_run(ctx, PF_STR("SELECT DISTINCT c.name FROM pragma_table_list m, pragma_table_info(m.name) c"),
                         &sink, NULL);
        }
    } else {
        pf_query_run(ctx,
                     PF_STR("SELECT name FROM pragma_table_list UNION SELECT c.name FROM pragma_table_list m, "
                            "pragma_table_info(m.name) c UNION SELECT name FROM pragma_function_list "
                            "WHERE name GLOB '[a-z]*' AND name NOT IN ('like', 'glob', 'regexp') ORDER BY 1"),
                     &sink, NULL);
        offer_listed(&s, KEYWORDS);
    }
    return s.typed.len;
}
