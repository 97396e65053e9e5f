/* cli/thresholds/threshold_sql.c - "true" alone helps nobody: a threshold is reported with the values that made it so.
 *
 * The condition is the first column of the query. It is taken apart by its tokens: at AND and OR, and each part at its
 * comparison; what is compared, if it is no literal, becomes a further column of the same query, so that it is computed
 * over the same rows. No grammar is needed for that. A wrong guess gives SQL that does not compile, and then the query
 * runs as it was written.
 */
#include "cli/thresholds/thresholds.h"

#include "base/str.h"
#include "query/session/split_sql.h"

#define PARTS_MAX 16

typedef struct range {
    size_t start, end; /* bytes of the text */
} range;

/* The next token before `end`. */
static pf_token next(pf_str sql, size_t at, size_t end)
{
    return pf_sql_token((pf_str){sql.ptr, end}, at);
}

/* Without blanks at both ends. */
static range without_blanks(pf_str sql, range r)
{
    r.start = next(sql, r.start, r.end).start;
    while (r.end > r.start && strchr(" \t\r\n", sql.ptr[r.end - 1])) {
        r.end--;
    }
    return r;
}

/* Whether one pair of parentheses holds the whole range. */
static bool is_enclosed(pf_str sql, range r)
{
    unsigned depth = 0;
    pf_token t = next(sql, r.start, r.end);
    if (!pf_sql_is(sql, t, "(")) {
        return false;
    }
    for (; t.type != PF_TOKEN_END; t = next(sql, t.end, r.end)) {
        depth = pf_sql_depth(sql, t, depth);
        if (depth == 0) {
            return next(sql, t.end, r.end).type == PF_TOKEN_END;
        }
    }
    return false;
}

/* Without enclosing parentheses (but not those of a subquery) and NOT in front. */
static range unwrapped(pf_str sql, range r)
{
    static const char *const QUERY[] = {"SELECT", "WITH", "VALUES", NULL};
    for (r = without_blanks(sql, r);; r = without_blanks(sql, r)) {
        pf_token first = next(sql, r.start, r.end);
        if (pf_sql_is(sql, first, "NOT")) {
            r.start = first.end;
        } else if (is_enclosed(sql, r) && !pf_sql_is_any(sql, next(sql, first.end, r.end), QUERY)) {
            r = (range){first.end, r.end - 1};
        } else {
            return r;
        }
    }
}

static bool is_literal(pf_str sql, range r)
{
    pf_token t = next(sql, r.start, r.end);
    if (pf_sql_is(sql, t, "-") || pf_sql_is(sql, t, "+")) {
        t = next(sql, t.end, r.end);
    }
    char c = t.type == PF_TOKEN_END ? '0' : sql.ptr[t.start];
    bool number = pf_is_digit(c) || c == '.',
         constant = c == '\'' || pf_sql_is(sql, t, "NULL") || pf_sql_is(sql, t, "TRUE") || pf_sql_is(sql, t, "FALSE");
    for (t = next(sql, t.end, r.end); number && t.type != PF_TOKEN_END; t = next(sql, t.end, r.end)) {
        c = sql.ptr[t.start]; /* the tokens of 1.5e-3 */
        number = pf_is_digit(c) || c == '.' || c == 'e' || c == 'E' || c == '-' || c == '+';
    }
    return number || (constant && t.type == PF_TOKEN_END);
}

static void add_operand(pf_str sql, range r, pf_cli_operands *out)
{
    r = without_blanks(sql, r);
    if (r.end > r.start && out->count < PF_CLI_OPERANDS_MAX && !is_literal(sql, r)) {
        out->text[out->count++] = (pf_str){sql.ptr + r.start, r.end - r.start};
    }
}

/* The bytes of a comparison that begins with this token; 0 if none does. */
static size_t comparison(pf_str sql, pf_token t, size_t end)
{
    char c = sql.ptr[t.start], following = t.end < end ? sql.ptr[t.end] : '\0';
    bool shift = (c == '<' || c == '>') && following == c,
         arrow = c == '>' && t.start > 0 && sql.ptr[t.start - 1] == '-';
    if (t.type != PF_TOKEN_PUNCT || shift || arrow || (t.start > 0 && c == sql.ptr[t.start - 1] && c != '=')) {
        return 0;
    }
    if (c == '<' || c == '>') {
        return following == '=' || (c == '<' && following == '>') ? 2 : 1;
    }
    if (c == '=') {
        return following == '=' ? 2 : 1;
    }
    return c == '!' && following == '=' ? 2 : 0;
}

/* A part without AND and OR: what is compared in it. */
static void add_compared(pf_str sql, range r, pf_cli_operands *out)
{
    static const char *const WORDS[] = {"IS",      "IN",  "LIKE",   "GLOB",    "REGEXP", "MATCH",
                                        "BETWEEN", "NOT", "ISNULL", "NOTNULL", NULL};
    unsigned depth = 0;
    pf_token t = next(sql, r.start, r.end);
    bool open = !pf_sql_is(sql, t, "CASE");
    for (; open && t.type != PF_TOKEN_END; t = next(sql, t.end, r.end)) {
        depth = pf_sql_depth(sql, t, depth);
        size_t len = depth == 0 ? comparison(sql, t, r.end) : 0;
        if (len || (depth == 0 && t.start > r.start && pf_sql_is_any(sql, t, WORDS))) {
            add_operand(sql, (range){r.start, t.start}, out);
            if (len) {
                add_operand(sql, (range){t.start + len, r.end}, out);
            }
            return;
        }
    }
    add_operand(sql, r, out);
}

/* Where the first part of a condition ends at an AND or OR; the AND of BETWEEN is none. */
static pf_token first_joint(pf_str sql, range r)
{
    static const char *const JOINTS[] = {"AND", "OR", NULL};
    unsigned depth = 0;
    bool between = false;
    for (pf_token t = next(sql, r.start, r.end);; t = next(sql, t.end, r.end)) {
        depth = pf_sql_depth(sql, t, depth);
        if (t.type == PF_TOKEN_END || pf_sql_is(sql, t, "CASE")) {
            return (pf_token){PF_TOKEN_END, r.end, r.end};
        }
        if (depth == 0 && pf_sql_is_any(sql, t, JOINTS) && !(between && pf_sql_is(sql, t, "AND"))) {
            return t;
        }
        between = depth ? between : pf_sql_is(sql, t, "BETWEEN") || (between && !pf_sql_is(sql, t, "AND"));
    }
}

static void find_operands(pf_str sql, range whole, pf_cli_operands *out)
{
    range part[PARTS_MAX] = {whole};
    for (size_t count = 1; count > 0;) {
        range r = unwrapped(sql, part[--count]);
        pf_token joint = first_joint(sql, r);
        if (joint.type == PF_TOKEN_END || count + 2 > PARTS_MAX) {
            add_compared(sql, r, out);
        } else {
            part[count++] = (range){joint.end, r.end};
            part[count++] = (range){r.start, joint.start};
        }
    }
}

/* Where the first column of a SELECT ends, its alias included; *condition is the column without it. */
static size_t end_of_column(pf_str sql, size_t start, range *condition)
{
    static const char *const CLAUSES[] = {"FROM",  "WHERE", "GROUP",     "HAVING", "WINDOW", "ORDER",
                                          "LIMIT", "UNION", "INTERSECT", "EXCEPT", ",",      NULL};
    unsigned depth = 0;
    bool distinct = false;
    *condition = (range){start, sql.len};
    for (pf_token t = next(sql, start, sql.len);; t = next(sql, t.end, sql.len)) {
        depth = pf_sql_depth(sql, t, depth);
        bool from_of_operator = distinct && pf_sql_is(sql, t, "FROM"); /* IS DISTINCT FROM */
        if (t.type == PF_TOKEN_END || (depth == 0 && !from_of_operator && pf_sql_is_any(sql, t, CLAUSES))) {
            condition->end = condition->end < t.start ? condition->end : t.start;
            return t.start;
        }
        if (depth == 0 && pf_sql_is(sql, t, "AS")) {
            condition->end = t.start;
        }
        distinct = pf_sql_is(sql, t, "DISTINCT");
    }
}

static bool has_semicolon(pf_str sql)
{
    pf_token t = pf_sql_token(sql, 0);
    while (t.type != PF_TOKEN_END && !pf_sql_is(sql, t, ";")) {
        t = pf_sql_token(sql, t.end);
    }
    return t.type != PF_TOKEN_END;
}

/* The SELECT after the common tables of a WITH. */
static pf_token main_select(pf_str sql, pf_token t)
{
    for (unsigned depth = 0; t.type != PF_TOKEN_END && (depth || !pf_sql_is(sql, t, "SELECT"));
         t = next(sql, t.end, sql.len)) {
        depth = pf_sql_depth(sql, t, depth);
    }
    return t;
}

static void put_columns(pf_buffer *out, const pf_cli_operands *operands)
{
    for (size_t i = 0; i < operands->count; i++) {
        pf_buffer_text(out, ", (");
        pf_buffer_put(out, operands->text[i].ptr, operands->text[i].len);
        pf_buffer_text(out, "\n)"); /* a comment may end the operand */
    }
}

void pf_cli_threshold_sql(pf_str text, pf_buffer *plain, pf_buffer *explained, pf_cli_operands *operands)
{
    static const char *const STATEMENTS[] = {"SELECT", "WITH", "VALUES", "CREATE", "INCLUDE", NULL};
    range whole = without_blanks(text, (range){0, text.len});
    while (whole.end > whole.start && text.ptr[whole.end - 1] == ';') {
        whole = without_blanks(text, (range){whole.start, whole.end - 1});
    }
    pf_str sql = {text.ptr, whole.end};
    pf_token first = next(sql, whole.start, sql.len);
    *operands = (pf_cli_operands){0};
    if (pf_sql_is(sql, first, "WITH")) {
        first = main_select(sql, first);
    }
    if (pf_sql_is(sql, first, "SELECT") && !has_semicolon(sql)) {
        static const char *const QUANTITIES[] = {"DISTINCT", "ALL", NULL};
        pf_token quantity = next(sql, first.end, sql.len);
        range condition;
        size_t end =
            end_of_column(sql, pf_sql_is_any(sql, quantity, QUANTITIES) ? quantity.end : first.end, &condition);
        find_operands(sql, condition, operands);
        pf_buffer_put(explained, sql.ptr, end);
        put_columns(explained, operands);
        pf_buffer_text(explained, " ");
        pf_buffer_put(explained, sql.ptr + end, sql.len - end);
        pf_buffer_put(explained, "", 1);
    } else if (!pf_sql_is_any(sql, next(sql, whole.start, sql.len), STATEMENTS)) {
        find_operands(sql, whole, operands);
        pf_buffer_text(explained, "SELECT (");
        pf_buffer_put(explained, sql.ptr, sql.len);
        pf_buffer_text(explained, "\n)");
        put_columns(explained, operands);
        pf_buffer_put(explained, "", 1);
        pf_buffer_text(plain, "SELECT (");
        pf_buffer_put(plain, sql.ptr, sql.len);
        pf_buffer_put(plain, "\n)", 3);
        return;
    }
    pf_buffer_put(plain, sql.ptr, sql.len);
    pf_buffer_put(plain, "", 1);
}
