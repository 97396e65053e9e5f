/* query/session/arg_joins.c - joins over arguments, without a look at every pair of rows.
 *
 * SQLite makes no index for "extract_arg(a.arg_set_id, 'x') = extract_arg(b.arg_set_id, 'x')", and joins of two tables
 * of a PyTorch trace by their correlation would compare hundreds of millions of pairs. Statements are therefore
 * rewritten before they are compiled:
 *
 *   - such a comparison gets two companions that are true wherever it is and that are looked up by an index: the set of
 *     b is among those whose argument equals that of a's set, and the other way round. Only where it is a condition of
 *     ON or WHERE by itself or joined by AND: there it does not matter that they are false where it is NULL.
 *   - a common table or subquery that gives an argument a name is not folded into the statement but made first, so that
 *     SQLite makes an index on the name, as it does for any made table. Only in statements that compare something.
 *
 * What the rewriting does not understand stays as it was, and a text that does not compile is compiled as it came.
 */
#include <string.h>

#include "query/session/session.h"
#include "query/session/split_sql.h"

#define TOKENS_MAX 4096u
#define INSERTIONS_MAX 64u

typedef struct insertion {
    size_t at;
    pf_buffer text;
} insertion;

typedef struct rewriter {
    pf_str sql;
    pf_token *token;
    size_t count;
    insertion list[INSERTIONS_MAX];
    size_t insertions;
} rewriter;

static bool is(const rewriter *r, size_t i, const char *word)
{
    return i < r->count && pf_sql_is(r->sql, r->token[i], word);
}

static bool is_any(const rewriter *r, size_t i, const char *const *words)
{
    return i < r->count && pf_sql_is_any(r->sql, r->token[i], words);
}

static bool is_word(const rewriter *r, size_t i)
{
    return i < r->count && (r->token[i].type == PF_TOKEN_WORD ||
                            (r->token[i].type == PF_TOKEN_QUOTED && r->sql.ptr[r->token[i].start] == '"'));
}

static pf_str text_of(const rewriter *r, size_t from, size_t to)
{
    return (pf_str){r->sql.ptr + r->token[from].start, r->token[to].end - r->token[from].start};
}

/* The partner of a parenthesis: forwards of '(', backwards of ')'. r->count if there is none. */
static size_t partner(const rewriter *r, size_t i)
{
    bool forwards = is(r, i, "(");
    unsigned depth = 0;
    while (i < r->count) { /* backwards, i wraps around below 0 */
        depth += is(r, i, forwards ? "(" : ")") ? 1u : 0u;
        depth -= is(r, i, forwards ? ")" : "(") ? 1u : 0u;
        if (depth == 0) {
            return i;
        }
        i = forwards ? i + 1 : i - 1;
    }
    return r->count;
}

static pf_buffer *insert_at(rewriter *r, size_t at)
{
    if (r->insertions == INSERTIONS_MAX) {
        return NULL;
    }
    r->list[r->insertions] = (insertion){.at = at};
    return &r->list[r->insertions++].text;
}

/* extract_arg ( ALIAS . COLUMN , 'KEY' ), eight tokens from i on. */
static bool is_extraction(const rewriter *r, size_t i)
{
    return i + 8 <= r->count && is(r, i, "extract_arg") && is(r, i + 1, "(") && is_word(r, i + 2) &&
           is(r, i + 3, ".") && is_word(r, i + 4) && is(r, i + 5, ",") && r->token[i + 6].type == PF_TOKEN_QUOTED &&
           r->sql.ptr[r->token[i + 6].start] == '\'' && is(r, i + 7, ")");
}

#define EXTRACTION 8u

/* Whether the tokens [from, to] are a condition by themselves of an ON or WHERE, or one of several joined by AND. */
static bool is_condition(const rewriter *r, size_t from, size_t to)
{
    static const char *const AFTER[] = {"AND",   "GROUP",  "ORDER",     "LIMIT",   "WHERE", "JOIN",
                                        "LEFT",  "INNER",  "CROSS",     "NATURAL", "RIGHT", "FULL",
                                        "UNION", "EXCEPT", "INTERSECT", "WINDOW",  ")",     NULL};
    static const char *const SPOILS[] = {"NOT", "OR", "CASE", "BETWEEN", "SELECT", "THEN", "WHEN", "ELSE", NULL};
    if (from == 0 || (to + 1 < r->count && !is_any(r, to + 1, AFTER))) {
        return false;
    }
    for (size_t i = from - 1;; i--) {
        if (is(r, i, "ON") || is(r, i, "WHERE")) {
            return true;
        }
        if (is(r, i, "(")) {
            size_t close = partner(r, i);
            return i > 0 && close < r->count && close > to &&
                   (is(r, i - 1, "ON") || is(r, i - 1, "WHERE") || is(r, i - 1, "AND") || is(r, i - 1, "(")) &&
                   is_condition(r, i, close);
        }
        if (is(r, i, ")")) {
            i = partner(r, i);
        }
        if (i == 0 || i >= r->count || is_any(r, i, SPOILS) || (i == from - 1 && !is(r, i, "AND"))) {
            return false;
        }
    }
}

static void put_companion(const rewriter *r, pf_buffer *b, size_t looked_up, size_t known)
{
    pf_str set = text_of(r, looked_up + 2, looked_up + 4), other = text_of(r, known + 2, known + 4);
    pf_str key = text_of(r, looked_up + 6, looked_up + 6), other_key = text_of(r, known + 6, known + 6);
    pf_buffer_text(b, " AND ");
    pf_buffer_put(b, set.ptr, set.len);
    pf_buffer_text(b, " IN (SELECT peer FROM __intrinsic_arg_peers(");
    pf_buffer_put(b, other.ptr, other.len);
    pf_buffer_text(b, ",");
    pf_buffer_put(b, other_key.ptr, other_key.len);
    pf_buffer_text(b, ",");
    pf_buffer_put(b, key.ptr, key.len);
    pf_buffer_text(b, "))");
}

static void rewrite_comparisons(rewriter *r)
{
    for (size_t i = 0; i < r->count; i++) {
        size_t second = i + EXTRACTION + 1;
        second += is(r, second, "=") ? 1u : 0u; /* == */
        if (!is_extraction(r, i) || !is(r, i + EXTRACTION, "=") || !is_extraction(r, second) ||
            !is_condition(r, i, second + EXTRACTION - 1)) {
            continue;
        }
        pf_buffer *b = insert_at(r, r->token[second + EXTRACTION - 1].end);
        if (b) {
            put_companion(r, b, second, i);
            put_companion(r, b, i, second);
        }
        i = second + EXTRACTION - 1;
    }
}

/* Whether the query between two parentheses gives an argument a name. */
static bool names_argument(const rewriter *r, size_t open, size_t close)
{
    static const char *const AFTER[] = {",", "FROM", NULL};
    for (size_t i = open + 1; i < close; i++) {
        size_t end = is(r, i, "extract_arg") && is(r, i + 1, "(") ? partner(r, i + 1) : r->count;
        if (end < close && (is(r, end + 1, "AS") || (is_word(r, end + 1) && is_any(r, end + 2, AFTER)))) {
            return true;
        }
    }
    return false;
}

static bool has_word(const rewriter *r, size_t from, size_t to, const char *word)
{
    while (from < to && !is(r, from, word)) {
        from++;
    }
    return from < to;
}

static void rewrite_made_tables(rewriter *r)
{
    static const char *const SOURCES[] = {"FROM", "JOIN", ",", NULL};
    for (size_t i = 1; i + 1 < r->count; i++) {
        size_t close = is(r, i, "(") && is(r, i + 1, "SELECT") ? partner(r, i) : r->count;
        if (close >= r->count || !names_argument(r, i, close)) {
            continue;
        }
        if (is(r, i - 1, "AS")) {
            pf_buffer *b = insert_at(r, r->token[i - 1].end);
            if (b) {
                pf_buffer_text(b, " MATERIALIZED ");
            }
        } else if (is_any(r, i - 1, SOURCES) && !has_word(r, i, close, "LIMIT")) {
            pf_buffer *b = insert_at(r, r->token[close].start);
            if (b) {
                pf_buffer_text(b, "\nLIMIT -1"); /* keeps SQLite from folding it in */
            }
        }
    }
}

static bool take_tokens(rewriter *r, pf_str sql)
{
    size_t comparisons = 0, names = 0;
    r->sql = sql;
    for (pf_token t = pf_sql_token(sql, 0); t.type != PF_TOKEN_END; t = pf_sql_token(sql, t.end)) {
        if (r->count == TOKENS_MAX) {
            return false;
        }
        r->token[r->count++] = t;
        names += is(r, r->count - 1, "extract_arg") ? 1u : 0u;
        comparisons += is(r, r->count - 1, "=") ? 1u : 0u;
    }
    return names > 1 && comparisons > 0;
}

static void put_rewritten(rewriter *r, pf_buffer *out)
{
    size_t from = 0;
    while (r->insertions > 0) {
        insertion *next = NULL;
        for (size_t i = 0; i < r->insertions; i++) {
            next = !next || r->list[i].at < next->at ? &r->list[i] : next;
        }
        pf_buffer_put(out, r->sql.ptr + from, next->at - from);
        pf_buffer_put(out, next->text.data, next->text.len);
        out->failed = out->failed || next->text.failed;
        from = next->at;
        pf_buffer_free(&next->text);
        *next = r->list[--r->insertions];
    }
    pf_buffer_put(out, r->sql.ptr + from, r->sql.len - from);
    pf_buffer_put(out, "", 1);
}

void pf_sql_rewrite_arg_joins(pf_query *q, pf_str sql, pf_buffer *out)
{
    rewriter r = {0};
    size_t bytes = TOKENS_MAX * sizeof *r.token;
    if (!sql.ptr || !memmem(sql.ptr, sql.len, "xtract_", 7)) {
        return;
    }
    r.token = pf_alloc(q->data.budget, bytes);
    if (!r.token) {
        return;
    }
    if (take_tokens(&r, sql)) {
        rewrite_comparisons(&r);
        rewrite_made_tables(&r);
    }
    if (r.insertions > 0) {
        put_rewritten(&r, out);
    }
    pf_release(q->data.budget, r.token, bytes);
}
