/* write/chrome/json_raw.c - see json_raw.h.
 *
 * The text is read token by token; what may come next follows from the container that is open and from what came before
 * in it. Open containers are a stack of bytes, '{' or '['. Texts are taken apart into characters and escaped by the
 * same function as all others, so that quotes, control characters and broken bytes inside cannot change the structure.
 */
#include "write/chrome/json_raw.h"

#include <string.h>

#include "base/str.h"
#include "base/text/json_text.h"
#include "base/text/utf8.h"

typedef enum due { DUE_VALUE, DUE_VALUE_OR_END, DUE_KEY, DUE_KEY_OR_END, DUE_COMMA_OR_END, DUE_NOTHING } due;

typedef struct walk {
    const char *p, *end;
    pf_buffer *out;
    pf_buffer open, text;
    size_t depth;
    due due;
} walk;

static const char *digits(const char *p, const char *end)
{
    while (p < end && *p >= '0' && *p <= '9') {
        p++;
    }
    return p;
}

bool pf_json_is_number(pf_str text)
{
    const char *p = text.ptr, *end = text.ptr + text.len, *q;
    p += p < end && *p == '-';
    q = digits(p, end);
    if (q == p || (*p == '0' && q - p > 1)) {
        return false;
    }
    if (q < end && *q == '.') {
        p = q + 1;
        q = digits(p, end);
        if (q == p) {
            return false;
        }
    }
    if (q < end && (*q == 'e' || *q == 'E')) {
        p = q + 1;
        p += p < end && (*p == '+' || *p == '-');
        q = digits(p, end);
        if (q == p) {
            return false;
        }
    }
    return q == end;
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;
}

/* The unit of the escape "\uXXXX" at p, or -1. */
static int32_t escaped_unit(const char *p, const char *end)
{
    int32_t unit = 0;
    if (end - p < 6 || p[0] != '\\' || p[1] != 'u') {
        return -1;
    }
    for (int i = 2; i < 6; i++) {
        int digit = hex_digit(p[i]);
        if (digit < 0) {
            return -1;
        }
        unit = unit << 4 | digit;
    }
    return unit;
}

/* One escape at w->p into w->text. Two that are one character become its two surrogates, which are escaped as the
 * character is. */
static void take_escape(walk *w)
{
    static const char codes[] = "b\bf\fn\nr\rt\t";
    int32_t unit = escaped_unit(w->p, w->end);
    if (unit >= 0) {
        char bytes[4];
        w->p += 6;
        pf_buffer_put(&w->text, bytes, pf_utf8_put((uint32_t)unit, bytes));
        return;
    }
    char c = w->p[1];
    const char *code = c ? strchr(codes, c) : NULL;
    pf_buffer_put(&w->text, code && (code - codes) % 2 == 0 ? code + 1 : &c, 1);
    w->p += 2;
}

/* The text whose opening quote is at w->p. False if it has no end. */
static bool take_text(walk *w)
{
    w->text.len = 0;
    w->p++;
    while (w->p < w->end && *w->p != '"') {
        if (*w->p == '\\' && w->end - w->p >= 2) {
            take_escape(w);
        } else {
            const char *run = w->p++;
            while (w->p < w->end && *w->p != '"' && *w->p != '\\') {
                w->p++;
            }
            pf_buffer_put(&w->text, run, (size_t)(w->p - run));
        }
    }
    if (w->p >= w->end) {
        return false;
    }
    w->p++;
    pf_json_put_text(w->out, (pf_str){w->text.data ? w->text.data : "", w->text.len});
    return true;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void skip_blanks(walk *w)
{
    while (w->p < w->end && is_blank(*w->p)) {
        w->p++;
    }
}

/* What may follow a value. */
static void value_done(walk *w)
{
    w->due = w->open.len ? DUE_COMMA_OR_END : DUE_NOTHING;
}

static bool take_word(walk *w)
{
    static const char *const words[] = {"true", "false", "null", "NaN", "Infinity", "-Infinity"};
    const char *start = w->p;
    while (w->p < w->end && !is_blank(*w->p) && !strchr(",:{}[]\"", *w->p)) {
        w->p++;
    }
    pf_str word = {start, (size_t)(w->p - start)};
    bool known = pf_json_is_number(word);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        known |= pf_str_is(word, words[i]);
    }
    if (known) {
        pf_buffer_put(w->out, word.ptr, word.len);
    } else {
        pf_json_put_text(w->out, word);
    }
    value_done(w);
    return word.len > 0;
}

static bool take_value(walk *w)
{
    char c = *w->p;
    if (c == '{' || c == '[') {
        if (w->open.len >= w->depth) {
            return false;
        }
        w->p++;
        pf_buffer_put(w->out, &c, 1);
        pf_buffer_put(&w->open, &c, 1);
        w->due = c == '{' ? DUE_KEY_OR_END : DUE_VALUE_OR_END;
        return !w->open.failed;
    }
    if (c != '"') {
        return take_word(w);
    }
    bool taken = take_text(w);
    value_done(w);
    return taken;
}

static bool take_key(walk *w)
{
    if (*w->p != '"' || !take_text(w)) {
        return false;
    }
    skip_blanks(w);
    if (w->p >= w->end || *w->p != ':') {
        return false;
    }
    w->p++;
    pf_buffer_put(w->out, ":", 1);
    w->due = DUE_VALUE;
    return true;
}

static bool take_token(walk *w)
{
    char c = *w->p;
    char top = w->open.len ? w->open.data[w->open.len - 1] : 0;
    bool may_end = w->due == DUE_KEY_OR_END || w->due == DUE_VALUE_OR_END || w->due == DUE_COMMA_OR_END;
    if (may_end && c == (top == '{' ? '}' : ']')) {
        w->p++;
        w->open.len--;
        pf_buffer_put(w->out, &c, 1);
        value_done(w);
        return true;
    }
    switch (w->due) {
    case DUE_VALUE:
    case DUE_VALUE_OR_END:
        return take_value(w);
    case DUE_KEY:
    case DUE_KEY_OR_END:
        return take_key(w);
    case DUE_COMMA_OR_END:
        w->p++;
        pf_buffer_put(w->out, ",", 1);
        w->due = top == '{' ? DUE_KEY : DUE_VALUE;
        return c == ',';
    case DUE_NOTHING:
        break;
    }
    return false;
}

bool pf_json_put_value(pf_buffer *b, pf_str text, size_t depth)
{
    walk w = {.p = text.ptr, .end = text.ptr + text.len, .out = b, .depth = depth};
    size_t before = b->len;
    bool good = text.len > 0;
    for (skip_blanks(&w); good && w.p < w.end; skip_blanks(&w)) {
        good = take_token(&w);
    }
    b->failed = b->failed || w.open.failed || w.text.failed;
    good = good && w.due == DUE_NOTHING && !b->failed;
    pf_buffer_free(&w.open);
    pf_buffer_free(&w.text);
    if (!good) {
        b->len = before;
    }
    return good;
}

bool pf_json_put_members(pf_buffer *b, pf_str object, size_t depth)
{
    size_t before = b->len;
    if (!pf_json_put_value(b, object, depth) || b->failed || b->data[before] != '{') {
        b->len = before;
        return false;
    }
    b->len--;
    if (b->len == before + 1) {
        b->len = before;
    } else {
        b->data[before] = ',';
    }
    return true;
}
