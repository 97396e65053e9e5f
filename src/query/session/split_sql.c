/* query/session/split_sql.c - a SQL text as statements, with Perfetto's additions rewritten for SQLite.
 *
 * The tokenizer knows what may hide a semicolon: quotes of four kinds and comments of two. A statement is rewritten by
 * overwriting words with blanks ("CREATE PERFETTO TABLE" becomes "CREATE TEMP     TABLE"), so that a position that
 * SQLite reports is a position in the text of the user. Only a plain CREATE TABLE grows, by the word TEMP.
 */
#include "query/session/split_sql.h"

#include <sqlite3.h>
#include <string.h>

#include "base/budget.h"
#include "base/str.h"

static bool is_word(char c)
{
    return pf_is_alnum(c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

/* The place after blanks and comments; an open comment ends with the text. */
static size_t skip_blanks(pf_str sql, size_t at)
{
    while (at < sql.len) {
        char c = sql.ptr[at], following = at + 1 < sql.len ? sql.ptr[at + 1] : '\0';
        if (pf_is_blank(c)) {
            at++;
        } else if (c == '-' && following == '-') {
            const char *end = memchr(sql.ptr + at, '\n', sql.len - at);
            at = end ? (size_t)(end - sql.ptr) + 1 : sql.len;
        } else if (c == '/' && following == '*') {
            const char *end = memmem(sql.ptr + at + 2, sql.len - at - 2, "*/", 2);
            at = end ? (size_t)(end - sql.ptr) + 2 : sql.len;
        } else {
            break;
        }
    }
    return at;
}

/* The place after the closing quote; a doubled quote is part of the text, except in [...]. An open quote ends with the
 * text. */
static size_t skip_quoted(pf_str sql, size_t at)
{
    char quote = sql.ptr[at] == '[' ? ']' : sql.ptr[at];
    for (at++; at < sql.len; at++) {
        if (sql.ptr[at] != quote) {
            continue;
        }
        if (quote == ']' || at + 1 == sql.len || sql.ptr[at + 1] != quote) {
            return at + 1;
        }
        at++;
    }
    return sql.len;
}

pf_token pf_sql_token(pf_str sql, size_t at)
{
    at = skip_blanks(sql, at);
    if (at >= sql.len) {
        return (pf_token){PF_TOKEN_END, sql.len, sql.len};
    }
    char c = sql.ptr[at];
    if (c == '\'' || c == '"' || c == '`' || c == '[') {
        return (pf_token){PF_TOKEN_QUOTED, at, skip_quoted(sql, at)};
    }
    if (!is_word(c)) {
        return (pf_token){PF_TOKEN_PUNCT, at, at + 1};
    }
    size_t end = at;
    while (end < sql.len && is_word(sql.ptr[end])) {
        end++;
    }
    return (pf_token){PF_TOKEN_WORD, at, end};
}

bool pf_sql_is(pf_str sql, pf_token t, const char *word)
{
    return t.type != PF_TOKEN_QUOTED && t.end - t.start == strlen(word) &&
           sqlite3_strnicmp(sql.ptr + t.start, word, (int)(t.end - t.start)) == 0;
}

bool pf_sql_is_any(pf_str sql, pf_token t, const char *const *words)
{
    while (*words && !pf_sql_is(sql, t, *words)) {
        words++;
    }
    return *words != NULL;
}

unsigned pf_sql_depth(pf_str sql, pf_token t, unsigned before)
{
    before += pf_sql_is(sql, t, "(");
    return before - (before && pf_sql_is(sql, t, ")"));
}

size_t pf_sql_origin(const pf_sql_text *from, size_t offset)
{
    size_t end = 0, from_end = 0;
    for (size_t i = 0; i < from->span_count && from->spans[i].start <= offset; i++) {
        if (offset < from->spans[i].end) {
            return from->start + from->spans[i].from;
        }
        end = from->spans[i].end;
        from_end = from->spans[i].from_end;
    }
    return from->start + from_end + (offset - end);
}

size_t pf_sql_position(const pf_statement *s, size_t offset)
{
    if (offset >= s->added_at + s->added) {
        offset -= s->added;
    } else if (offset > s->added_at) {
        offset = s->added_at;
    }
    return pf_sql_origin(s->from, offset);
}

static void blank(pf_statement *s, size_t start, size_t end)
{
    for (size_t i = start; !s->text.failed && i < end; i++) {
        if (s->text.data[i] != '\n') {
            s->text.data[i] = ' ';
        }
    }
}

/* Makes room for `word` at a position of the original statement. */
static void insert(pf_statement *s, size_t at, const char *word)
{
    size_t len = strlen(word), old = s->text.len;
    s->added_at = at;
    s->added = len;
    pf_buffer_put(&s->text, word, len);
    if (!s->text.failed) {
        memmove(s->text.data + s->added_at + len, s->text.data + s->added_at, old - s->added_at);
        memcpy(s->text.data + s->added_at, word, len);
    }
}

/* After the name of a table or view a list of columns with Perfetto's types, which SQLite cannot read
 * (define/declared_columns.c does). */
static void take_schema(pf_str sql, pf_statement *s, pf_token name)
{
    pf_token open = pf_sql_token(sql, name.end);
    if (!pf_sql_is(sql, open, "(")) {
        return;
    }
    unsigned depth = 1;
    pf_token t = open;
    while (depth && t.type != PF_TOKEN_END) {
        t = pf_sql_token(sql, t.end);
        depth = pf_sql_depth(sql, t, depth);
    }
    if (depth == 0) {
        blank(s, open.start, t.end);
        s->name = name.start;
        s->declared = open.start;
    }
}

/* CREATE [OR REPLACE] PERFETTO kind ...: `word` is PERFETTO. */
static pf_status rewrite_perfetto(pf_str sql, pf_statement *s, pf_token create, pf_token word, pf_error *err)
{
    pf_token kind = pf_sql_token(sql, word.end), name = pf_sql_token(sql, kind.end);
    bool view = pf_sql_is(sql, kind, "VIEW"), function = pf_sql_is(sql, kind, "FUNCTION");
    if (function || pf_sql_is(sql, kind, "MACRO")) {
        s->kind = function ? PF_SQL_FUNCTION : PF_SQL_MACRO;
        s->definition = name.start;
        s->redefines = pf_sql_is(sql, pf_sql_token(sql, create.end), "OR");
        return PF_OK;
    }
    blank(s, create.end, word.end);
    if (pf_sql_is(sql, kind, "INDEX")) {
        return PF_OK; /* SQLite keeps an index where its table is */
    }
    if (!view && !pf_sql_is(sql, kind, "TABLE")) {
        return pf_fail_at(err, PF_ERR_USAGE, pf_sql_origin(s->from, kind.start),
                          "CREATE PERFETTO %.*s is not known here; make a table or a view of the query instead",
                          kind.end - kind.start > 40 ? 40 : (int)(kind.end - kind.start), sql.ptr + kind.start);
    }
    if (!s->text.failed) {
        memcpy(s->text.data + create.end, " TEMP", 5);
    }
    if (pf_sql_is(sql, pf_sql_token(sql, create.end), "OR")) {
        s->replaces = (pf_str){sql.ptr + name.start, name.end - name.start};
        s->replaces_view = view;
    }
    s->table = !view;
    take_schema(sql, s, name);
    return PF_OK;
}

static pf_status rewrite_create(pf_str sql, pf_statement *s, pf_token create, pf_error *err)
{
    pf_token word = pf_sql_token(sql, create.end);
    if (pf_sql_is(sql, word, "OR")) {
        pf_token replace = pf_sql_token(sql, word.end);
        word = pf_sql_is(sql, replace, "REPLACE") ? pf_sql_token(sql, replace.end) : replace;
    }
    if (pf_sql_is(sql, word, "PERFETTO")) {
        return rewrite_perfetto(sql, s, create, word, err);
    }
    if (pf_sql_is(sql, word, "TABLE") || pf_sql_is(sql, word, "VIEW")) {
        insert(s, create.end, " TEMP");
    }
    pf_token name = pf_sql_token(sql, pf_sql_token(sql, word.end).end);
    if (pf_sql_is(sql, word, "VIRTUAL") && pf_sql_is(sql, pf_sql_token(sql, name.end), "USING")) {
        insert(s, name.start, "temp.");
    }
    return PF_OK;
}

/* INCLUDE PERFETTO MODULE a.b.c, also with a star at the end: what it names is built in or does not exist. */
static pf_status check_include(pf_str sql, pf_statement *s, pf_token include, pf_error *err)
{
    pf_token perfetto = pf_sql_token(sql, include.end), module = pf_sql_token(sql, perfetto.end);
    s->kind = PF_SQL_NOTHING;
    if (pf_sql_is(sql, perfetto, "PERFETTO") && pf_sql_is(sql, module, "MODULE")) {
        pf_token name = pf_sql_token(sql, module.end), after = module;
        size_t start = name.start;
        do {
            name = pf_sql_token(sql, after.end);
            after = pf_sql_token(sql, name.end);
        } while (name.type == PF_TOKEN_WORD && pf_sql_is(sql, after, "."));
        if ((name.type == PF_TOKEN_WORD || pf_sql_is(sql, name, "*")) && after.type == PF_TOKEN_END) {
            s->include = (pf_str){sql.ptr + start, name.end - start};
            return PF_OK;
        }
    }
    return pf_fail_at(err, PF_ERR_USAGE, pf_sql_origin(s->from, include.start),
                      "expected INCLUDE PERFETTO MODULE and the name of a module");
}

static size_t end_of_statement(pf_str sql, size_t at)
{
    pf_token t;
    do {
        t = pf_sql_token(sql, at);
        at = t.end;
    } while (t.type != PF_TOKEN_END && !pf_sql_is(sql, t, ";"));
    return t.start;
}

size_t pf_sql_split(pf_str sql, size_t at, pf_sql_text *statement)
{
    size_t start = pf_sql_token(sql, at).start, end = end_of_statement(sql, at);
    *statement = (pf_sql_text){.text = {sql.ptr + start, end - start}, .start = start};
    return end < sql.len ? end + 1 : sql.len;
}

pf_status pf_sql_rewrite(const pf_sql_text *from, pf_statement *s, pf_error *err)
{
    pf_str sql = from->text;
    pf_token first = pf_sql_token(sql, 0);
    *s = (pf_statement){.from = from, .kind = sql.len ? PF_SQL_RUN : PF_SQL_NOTHING};
    const char *nul = sql.len ? memchr(sql.ptr, '\0', sql.len) : NULL;
    if (nul) {
        return pf_fail_at(err, PF_ERR_USAGE, pf_sql_origin(from, (size_t)(nul - sql.ptr)),
                          "a NUL byte in the SQL; remove it");
    }
    pf_buffer_put(&s->text, sql.ptr, sql.len);
    if (pf_sql_is(sql, first, "CREATE")) {
        PF_TRY(rewrite_create(sql, s, first, err));
    } else if (pf_sql_is(sql, first, "INCLUDE")) {
        PF_TRY(check_include(sql, s, first, err));
    }
    pf_buffer_put(&s->text, "", 1);
    if (s->text.failed) {
        return pf_no_memory(err);
    }
    return PF_OK;
}
