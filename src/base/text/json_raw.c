/* base/text/json_raw.c - JSON text of somebody else, written so that it is JSON.
 *
 * The text is read token by token; what may come next follows from the container that is open and from what came before
 * in it. Open containers are a stack of bytes, '{' or '['. Texts are unescaped and escaped anew by the same functions
 * as all others, so that quotes, control characters and broken bytes inside cannot change the structure. A check is the
 * same walk without an output.
 */
#include "base/text/json_text.h"

#include "base/str.h"
#include "base/text/number.h"

typedef enum due { DUE_VALUE, DUE_VALUE_OR_END, DUE_KEY, DUE_KEY_OR_END, DUE_COMMA_OR_END, DUE_NOTHING } due;

typedef struct walk {
    const char *p, *end;
    pf_buffer *out; /* NULL: nothing is written, and words that are no JSON are refused */
    pf_buffer open, text;
    size_t depth;
    due due;
} walk;

bool pf_json_is_number(pf_str text)
{
    bool whole;
    size_t end = pf_json_number_end(text, 0, &whole);
    return end > 0 && end == text.len;
}

static void put(const walk *w, const char *bytes, size_t len)
{
    if (w->out) {
        pf_buffer_put(w->out, bytes, len);
    }
}

/* The text whose opening quote is at w->p. False if it has no end. */
static bool take_text(walk *w)
{
    const char *start = ++w->p;
    unsigned lone = 0;
    while (w->p < w->end && *w->p != '"') {
        w->p += *w->p == '\\' && w->end - w->p >= 2 ? 2 : 1;
    }
    if (w->p >= w->end) {
        return false;
    }
    size_t len = (size_t)(w->p++ - start);
    if (!w->out) {
        return true;
    }
    w->text.len = 0;
    char *text = pf_buffer_room(&w->text, len + 1);
    if (text) {
        pf_json_put_text(w->out, (pf_str){text, pf_json_unescape((const uint8_t *)start, len, text, &lone)});
    }
    return text != NULL;
}

static bool is_json_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void skip_blanks(walk *w)
{
    while (w->p < w->end && is_json_blank(*w->p)) {
        w->p++;
    }
}

/* What may follow a value. */
static void value_done(walk *w)
{
    w->due = w->open.len ? DUE_COMMA_OR_END : DUE_NOTHING;
}

/* A number that may have zeros in front. */
static bool is_number_with_zeros(pf_str word)
{
    word = pf_str_starts(word, PF_STR("-")) ? pf_str_from(word, 1) : word;
    while (word.len > 1 && word.ptr[0] == '0' && pf_is_digit(word.ptr[1])) {
        word = pf_str_from(word, 1);
    }
    return word.len && pf_is_digit(word.ptr[0]) && pf_json_is_number(word);
}

static bool take_word(walk *w)
{
    static const char *const words[] = {"true", "false", "null", "NaN", "Infinity", "-Infinity"};
    const char *start = w->p;
    while (w->p < w->end && !is_json_blank(*w->p) && !strchr(",:{}[]\"", *w->p)) {
        w->p++;
    }
    pf_str word = {start, (size_t)(w->p - start)};
    bool known = w->out ? pf_json_is_number(word) : is_number_with_zeros(word);
    for (size_t i = 0; i < (w->out ? sizeof words / sizeof *words : 3); i++) {
        known |= pf_str_is(word, words[i]);
    }
    if (known) {
        put(w, word.ptr, word.len);
    } else if (w->out) {
        pf_json_put_text(w->out, word);
    }
    value_done(w);
    return word.len > 0 && (known || w->out);
}

static bool take_value(walk *w)
{
    char c = *w->p;
    if (c == '{' || c == '[') {
        if (w->open.len >= w->depth) {
            return false;
        }
        w->p++;
        put(w, &c, 1);
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
    put(w, ":", 1);
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
        put(w, &c, 1);
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
        put(w, ",", 1);
        w->due = top == '{' ? DUE_KEY : DUE_VALUE;
        return c == ',';
    case DUE_NOTHING:
        break;
    }
    return false;
}

/* Whether the text is one value; *failed: memory was refused. */
static bool walk_value(pf_str text, size_t depth, pf_buffer *out, bool *failed)
{
    walk w = {.p = text.ptr, .end = text.ptr + text.len, .out = out, .depth = depth};
    bool good = text.len > 0;
    for (skip_blanks(&w); good && w.p < w.end; skip_blanks(&w)) {
        good = take_token(&w);
    }
    *failed = *failed || w.open.failed || w.text.failed;
    pf_buffer_free(&w.open);
    pf_buffer_free(&w.text);
    return good && w.due == DUE_NOTHING && !*failed;
}

bool pf_json_is_value(pf_str text, bool *no_memory)
{
    *no_memory = false;
    return walk_value(text, SIZE_MAX, NULL, no_memory);
}

bool pf_json_put_value(pf_buffer *b, pf_str text, size_t depth)
{
    size_t before = b->len;
    bool good = walk_value(text, depth, b, &b->failed);
    b->len = good ? b->len : before;
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
