/* analyze/opcmp/python_literal.c - a reader of Python literals: texts, numbers, True and False in lists and tuples,
 * with comments and blanks between them. What has bytes, None, a set or a dict in it is no list of pairs of texts and
 * numbers, so that these are not read.
 *
 * There is no recursion: open containers are a stack of small frames, as deep as Python's own parser goes. A frame
 * knows its kind, how many items it has had, and what may come next. Of the values themselves only those that make up
 * the wanted list of pairs are kept: items at depth 2 of a list at depth 1.
 */
#include "analyze/opcmp/opcmp.h"

#include <stdlib.h>

#include "base/list.h"
#include "base/str.h"
#include "base/text/number.h"
#include "base/text/utf8.h"

#define DEPTH_MAX 200

/* What a value is, as far as anybody asks. */
typedef enum kind { NOTHING, TEXT, NUMBER, OTHER, PAIR } kind;

typedef struct frame {
    char close;              /* the bracket that ends it */
    bool comma;              /* a comma came after the last value */
    bool may_take;           /* a value may come */
    size_t items;            /* values so far */
    kind first, second, all; /* of a container: kinds of items 1 and 2; of a list at depth 1: PAIR if all are pairs */
} frame;

typedef struct parser {
    const char *p, *end;
    frame stack[DEPTH_MAX];
    size_t depth;
    pf_literal_pairs *out;
    pf_literal_pair pair; /* the one in hand */
    bool done, wanted;    /* the outermost value is complete; it is a list of pairs */
} parser;

/* Python's blanks: a vertical tab is none. */
static bool is_python_blank(char c)
{
    return pf_is_blank(c) && c != '\v';
}

static void skip_blanks(parser *s)
{
    while (s->p < s->end && (is_python_blank(*s->p) || *s->p == '#')) {
        if (*s->p != '#') {
            s->p++;
            continue;
        }
        while (s->p < s->end && *s->p != '\n') {
            s->p++;
        }
    }
}

static void put_code(pf_buffer *b, uint32_t code)
{
    char c[4];
    pf_buffer_put(b, c, pf_utf8_put(code, c));
}

/* Digits of an escape: exactly `least`, or for octal ones up to `most`. */
static bool take_code(parser *s, unsigned base, int least, int most, uint32_t *code)
{
    int n = 0;
    *code = 0;
    for (; n < most && s->p < s->end && pf_hex_value(*s->p) < base; n++) {
        *code = *code * base + pf_hex_value(*s->p++);
    }
    return n >= least;
}

/* After a backslash. */
static bool take_escape(parser *s)
{
    static const char names[] = "abfnrtv\\'\"", values[] = "\a\b\f\n\r\t\v\\'\"";
    pf_buffer *b = &s->out->text;
    char c = *s->p;
    const char *at = c ? strchr(names, c) : NULL;
    uint32_t code;
    if (at) {
        s->p++;
        pf_buffer_put(b, &values[at - names], 1);
    } else if (c == '\n') {
        s->p++;
    } else if (c >= '0' && c <= '7') {
        take_code(s, 8, 1, 3, &code);
        put_code(b, code);
    } else if (c == 'x' || c == 'u' || c == 'U') {
        int n = c == 'x' ? 2 : c == 'u' ? 4 : 8;
        s->p++;
        if (!take_code(s, 16, n, n, &code) || code > 0x10FFFF) {
            return false;
        }
        put_code(b, code);
    } else if (c == 'N') {
        return false; /* names of characters are not known here */
    } else {
        pf_buffer_text(b, "\\");
    }
    return true;
}

/* One quoted text after its prefix; its content is appended. */
static bool take_quoted(parser *s, bool raw)
{
    char quote = *s->p;
    size_t n = s->end - s->p >= 3 && s->p[1] == quote && s->p[2] == quote ? 3 : 1;
    for (s->p += n; s->p < s->end;) {
        char c = *s->p;
        if (c == quote && (n == 1 || (s->end - s->p >= 3 && s->p[1] == quote && s->p[2] == quote))) {
            s->p += n;
            return true;
        }
        if (c == '\n' && n == 1) {
            return false;
        }
        s->p++;
        if (c != '\\' || s->p == s->end) {
            pf_buffer_put(&s->out->text, &c, 1);
        } else if (raw) {
            pf_buffer_put(&s->out->text, s->p - 1, 2);
            s->p++;
        } else if (!take_escape(s)) {
            return false;
        }
    }
    return false;
}

/* The length of the prefix of a text, r or u in any case, if a quote follows; else -1. */
static int prefix_of(const parser *s, bool *raw)
{
    *raw = *s->p == 'r' || *s->p == 'R';
    int n = *raw || *s->p == 'u' || *s->p == 'U';
    return s->end - s->p > n && (s->p[n] == '\'' || s->p[n] == '"') ? n : -1;
}

/* Texts next to each other are one. */
static kind take_text(parser *s)
{
    bool raw;
    int n = prefix_of(s, &raw);
    s->pair.name = s->out->text.len;
    while (n >= 0) {
        s->p += n;
        if (!take_quoted(s, raw)) {
            return NOTHING;
        }
        skip_blanks(s);
        n = s->p < s->end ? prefix_of(s, &raw) : -1;
    }
    s->pair.name_len = s->out->text.len - s->pair.name;
    return TEXT;
}

static bool is_word_byte(char c)
{
    return pf_is_alnum(c) || c == '_' || c == '.';
}

static unsigned base_of(const char *text, size_t len)
{
    int letter = len > 2 && text[0] == '0' ? text[1] | 32 : 0;
    return letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 10;
}

/* A number without underscores; 0x, 0o and 0b are integers. */
static bool read_number(const char *text, size_t len, double *v)
{
    unsigned base = base_of(text, len);
    if (base == 10) {
        bool whole = true, zeros = true;
        for (size_t i = 0; i < len; i++) {
            whole &= pf_is_digit(text[i]);
            zeros &= text[i] == '0';
        }
        return !(whole && len > 1 && text[0] == '0' && !zeros) && pf_parse_real_or_infinity(text, len, v);
    }
    *v = 0;
    for (size_t i = 2; i < len; i++) {
        if (pf_hex_value(text[i]) >= base) {
            return false;
        }
        *v = *v * base + pf_hex_value(text[i]);
    }
    return true;
}

static kind take_number(parser *s)
{
    char text[400];
    text[0] = '\0';
    size_t len = 0;
    double sign = 1, v;
    if (*s->p == '+' || *s->p == '-') { /* one: literal_eval takes no sign of a signed number */
        sign = *s->p++ == '-' ? -1 : 1;
        skip_blanks(s);
    }
    for (char before = 0; s->p < s->end; before = *s->p++) {
        char c = *s->p;
        bool exponent_sign =
            (c == '+' || c == '-') && (before == 'e' || before == 'E') && !(len > 1 && (text[1] | 32) == 'x');
        if (!is_word_byte(c) && !exponent_sign) {
            break;
        }
        if (c == '_') {
            bool between = before && before != '_' && s->p + 1 < s->end && pf_hex_value(s->p[1]) < 16;
            if (!between) {
                return NOTHING;
            }
            continue;
        }
        if (len == sizeof text) {
            return NOTHING;
        }
        text[len++] = c;
    }
    if (len == 0 || !(pf_is_digit(text[0]) || text[0] == '.') || !read_number(text, len, &v)) {
        return NOTHING;
    }
    s->pair.value = sign * v;
    return NUMBER;
}

static kind take_word(parser *s)
{
    size_t n = 0;
    while (s->p + n < s->end && is_word_byte(s->p[n])) {
        n++;
    }
    pf_str word = {s->p, n};
    s->p += n;
    s->pair.value = n == 4;
    return pf_str_is(word, "True") || pf_str_is(word, "False") ? NUMBER : NOTHING;
}

static void keep_pair(parser *s)
{
    pf_literal_pairs *out = s->out;
    if (PF_LIST_ROOM(NULL, out->pair, out->count + 1, out->room, NULL) == PF_OK) {
        out->pair[out->count++] = s->pair;
    } else {
        out->failed = true;
    }
}

/* A value is complete: it becomes an item of the innermost container, or is the whole. */
static bool add_value(parser *s, kind k)
{
    if (s->depth == 0) {
        s->done = true;
        return true;
    }
    frame *f = &s->stack[s->depth - 1];
    if (!f->may_take) {
        return false;
    }
    f->may_take = false;
    f->comma = false;
    f->items++;
    f->first = f->items == 1 ? k : f->first;
    f->second = f->items == 2 ? k : f->second;
    f->all = k == PAIR ? f->all : OTHER;
    if (k == PAIR && s->depth == 1) {
        keep_pair(s);
    }
    return true;
}

static bool open_container(parser *s, char c)
{
    if (s->depth == DEPTH_MAX || (s->depth > 0 && !s->stack[s->depth - 1].may_take)) {
        return false;
    }
    s->p++;
    s->stack[s->depth++] = (frame){.close = c == '[' ? ']' : ')', .may_take = true, .all = PAIR};
    return true;
}

/* What the container that ends is: parentheses around one value without a comma are that value. */
static bool close_container(parser *s)
{
    frame f = s->stack[s->depth - 1];
    s->p++;
    s->depth--;
    bool grouped = f.close == ')' && f.items == 1 && !f.comma;
    bool pair = f.items == 2 && f.first == TEXT && f.second == NUMBER;
    if (s->depth == 0) {
        s->wanted = f.items > 0 && f.all == PAIR;
    }
    return add_value(s, grouped ? f.first : pair ? PAIR : OTHER);
}

static bool take_comma(parser *s, frame *f)
{
    if (f->may_take) {
        return false;
    }
    s->p++;
    f->comma = f->may_take = true;
    return true;
}

static bool take_scalar(parser *s)
{
    bool raw;
    char c = *s->p;
    bool number = c == '-' || c == '+' || c == '.' || pf_is_digit(c);
    kind k = prefix_of(s, &raw) >= 0 ? take_text(s) : number ? take_number(s) : take_word(s);
    return k != NOTHING && add_value(s, k);
}

static bool step(parser *s)
{
    frame *f = s->depth ? &s->stack[s->depth - 1] : NULL;
    char c = *s->p;
    if (f && c == f->close) {
        return close_container(s);
    }
    if (f && c == ',') {
        return take_comma(s, f);
    }
    return c == '[' || c == '(' ? open_container(s, c) : take_scalar(s);
}

/* Passes over lines with nothing but blanks and comments. */
static void skip_lines(parser *s)
{
    for (const char *p = s->p; p < s->end && (is_python_blank(*p) || *p == '#');) {
        const char *end = memchr(p, '\n', (size_t)(s->end - p));
        while (*p != '#' && *p != '\n' && is_python_blank(*p) && p + 1 < s->end) {
            p++;
        }
        if (!end || (*p != '#' && *p != '\n')) {
            return;
        }
        s->p = p = end + 1;
    }
}

bool pf_literal_read_pairs(pf_str text, pf_literal_pairs *out)
{
    parser s; /* of its stack only the frames that are open are ever set */
    s.p = text.ptr;
    s.end = text.ptr + text.len;
    s.depth = 0;
    s.out = out;
    s.pair = (pf_literal_pair){0};
    s.done = s.wanted = false;
    out->count = 0;
    out->text.len = 0;
    while (s.p < s.end && (*s.p == ' ' || *s.p == '\t')) {
        s.p++;
    }
    skip_lines(&s);
    if (s.p == s.end || *s.p != '[') {
        return false; /* only a list can be what is wanted */
    }
    for (skip_blanks(&s); s.p < s.end && !s.done; skip_blanks(&s)) {
        if (!step(&s)) {
            return false;
        }
    }
    return s.done && s.p == s.end && s.wanted && !out->failed && !out->text.failed;
}

void pf_literal_free(pf_literal_pairs *p)
{
    free(p->pair);
    pf_buffer_free(&p->text);
    *p = (pf_literal_pairs){.count = 0};
}
