/* read/neutrino/toml_items.c - a reader of the TOML that probe definitions use (https://toml.io/en/v1.0.0: comments,
 * tables, bare and quoted keys, the four kinds of strings, integers, lists).
 *
 * The text is untrusted: every step looks at what is left of it first, lists inside lists are counted instead of
 * recursed into, and what is no TOML is refused with its line.
 */
#include "read/neutrino/neutrino_reading.h"

#include <string.h>

static bool at_end(const pf_toml *t)
{
    return t->at == t->end;
}

static char peek(const pf_toml *t)
{
    return at_end(t) ? '\n' : *t->at;
}

static bool at_quote(const pf_toml *t)
{
    return peek(t) == '"' || peek(t) == '\'';
}

static bool starts(const pf_toml *t, const char *word)
{
    return pf_str_starts((pf_str){t->at, (size_t)(t->end - t->at)}, pf_str_of(word));
}

static void skip_blanks(pf_toml *t)
{
    while (!at_end(t) && (*t->at == ' ' || *t->at == '\t' || *t->at == '\r')) {
        t->at++;
    }
}

static void skip_comment(pf_toml *t)
{
    if (peek(t) == '#') {
        while (!at_end(t) && *t->at != '\n') {
            t->at++;
        }
    }
}

/* Blanks, comments and line feeds. */
static void skip_lines(pf_toml *t)
{
    for (;;) {
        skip_blanks(t);
        skip_comment(t);
        if (at_end(t) || *t->at != '\n') {
            return;
        }
        t->at++;
        t->line++;
    }
}

static char unescaped(char c)
{
    static const char letters[] = "ntrbf", meant[] = "\n\t\r\b\f";
    const char *at = c ? strchr(letters, c) : NULL;
    return at ? meant[at - letters] : c;
}

/* The text without its escapes, those of characters by number (\u) as they are. A backslash is never the last one: it
 * and what follows were read together. */
static pf_str without_escapes(pf_toml *t, pf_str s)
{
    char *copy = memchr(s.ptr, '\\', s.len) ? pf_arena_copy(t->arena, s.ptr, s.len) : NULL;
    if (!copy) {
        return s;
    }
    size_t len = 0;
    for (size_t i = 0; i < s.len; i++) {
        bool escape = s.ptr[i] == '\\' && s.ptr[i + 1] != 'u' && s.ptr[i + 1] != 'U';
        i += escape;
        copy[len++] = escape ? unescaped(s.ptr[i]) : s.ptr[i];
    }
    return (pf_str){copy, len};
}

/* A string between marks of one or three quotes. */
static const char *read_string(pf_toml *t, pf_str *out)
{
    char quote = *t->at;
    const char *mark = quote == '"' ? "\"\"\"" : "'''";
    bool triple = starts(t, mark);
    mark += triple ? 0 : 2;
    t->at += strlen(mark);
    const char *from = t->at;
    while (!at_end(t) && !starts(t, mark) && (triple || *t->at != '\n')) {
        bool escape = quote == '"' && *t->at == '\\' && t->end - t->at > 1;
        t->line += *t->at == '\n' || (escape && t->at[1] == '\n');
        t->at += escape ? 2 : 1;
    }
    if (!starts(t, mark)) {
        return "a string is not closed";
    }
    *out = (pf_str){from, (size_t)(t->at - from)};
    *out = quote == '"' ? without_escapes(t, *out) : *out;
    t->at += strlen(mark);
    return NULL;
}

static bool is_bare(char c)
{
    return pf_is_alnum(c) || c == '_' || c == '-';
}

static pf_str read_word(pf_toml *t)
{
    const char *from = t->at;
    while (!at_end(t) && is_bare(*t->at)) {
        t->at++;
    }
    return (pf_str){from, (size_t)(t->at - from)};
}

/* a.b."c d": what stands before ']' or '='. */
static const char *read_path(pf_toml *t, pf_toml_item *item)
{
    for (;;) {
        pf_str word;
        skip_blanks(t);
        const char *fault = at_quote(t) ? read_string(t, &word) : (word = read_word(t), NULL);
        if (fault || word.len == 0) {
            return fault ? fault : "a name is missing";
        }
        if (item->path_count == PF_TOML_PATH_MAX) {
            return "a name has too many parts";
        }
        item->path[item->path_count++] = word;
        skip_blanks(t);
        if (peek(t) != '.') {
            return NULL;
        }
        t->at++;
    }
}

static bool closes_value(char c)
{
    return c == ',' || c == ']' || c == '}' || c == '\n' || c == '#';
}

/* A number, a date, true or false. */
static void read_bare_value(pf_toml *t, pf_toml_item *item)
{
    const char *from = t->at;
    while (!at_end(t) && !closes_value(*t->at)) {
        t->at++;
    }
    pf_str value = pf_str_trim((pf_str){from, (size_t)(t->at - from)});
    item->kind = pf_parse_int(value.ptr, value.len, &item->number) ? PF_TOML_INTEGER : PF_TOML_OTHER;
}

/* A list, over several lines if need be, or a table between braces: the texts of the first level are kept. */
static const char *read_brackets(pf_toml *t, pf_toml_item *item)
{
    size_t depth = 0;
    bool list = *t->at == '[';
    do {
        skip_lines(t);
        char c = peek(t);
        pf_str s;
        if (at_end(t)) {
            return "a list is not closed";
        }
        if (at_quote(t)) {
            const char *fault = read_string(t, &s);
            if (fault) {
                return fault;
            }
            if (depth == 1 && item->text_count++ < PF_TOML_LIST_MAX) {
                item->text[item->text_count - 1] = s;
            }
            continue;
        }
        depth += c == '[' || c == '{';
        depth -= c == ']' || c == '}';
        t->at++;
    } while (depth > 0);
    item->kind = list ? PF_TOML_LIST : PF_TOML_OTHER;
    return NULL;
}

static const char *read_value(pf_toml *t, pf_toml_item *item)
{
    if (at_quote(t)) {
        item->kind = PF_TOML_TEXT;
        item->text_count = 1;
        return read_string(t, &item->text[0]);
    }
    if (peek(t) == '[' || peek(t) == '{') {
        return read_brackets(t, item);
    }
    read_bare_value(t, item);
    return NULL;
}

static const char *read_entry(pf_toml *t, pf_toml_item *item)
{
    const char *fault = read_path(t, item);
    if (fault) {
        return fault;
    }
    if (peek(t) != '=') {
        return "an equals sign is missing";
    }
    t->at++;
    skip_blanks(t);
    return read_value(t, item);
}

static const char *read_table(pf_toml *t, pf_toml_item *item)
{
    unsigned brackets = starts(t, "[[") ? 2 : 1;
    t->at += brackets;
    item->kind = PF_TOML_TABLE;
    const char *fault = read_path(t, item);
    if (!fault && !starts(t, brackets == 2 ? "]]" : "]")) {
        fault = "a table's name is not closed";
    }
    t->at += fault ? 0 : brackets;
    return fault;
}

const char *pf_toml_next(pf_toml *t, pf_toml_item *item)
{
    skip_lines(t);
    *item = (pf_toml_item){.line = t->line};
    if (at_end(t)) {
        return NULL;
    }
    const char *fault = *t->at == '[' ? read_table(t, item) : read_entry(t, item);
    skip_blanks(t);
    skip_comment(t);
    return fault ? fault : !at_end(t) && *t->at != '\n' ? "something follows the value" : NULL;
}
