/* read/perfetto/args/legacy_json_args.c - legacy_json_value: an argument given as JSON text.
 *
 * Text that is no JSON gives nothing at all, so it is checked first: an automaton over its tokens, with a stack of the
 * open brackets. Then the decoder of Chrome JSON visits it as the only member of an object, and a visitor in between
 * puts the argument's own key in the place of that member's, keeps to the limits and leaves nulls out.
 */
#include <string.h>

#include "base/str.h"
#include "read/chrome_json/apply/json_args.h"
#include "read/perfetto/args/args_walker.h"

/* ---- the check --------------------------------------------------------------------------------------------------- */

/* What may come next. */
typedef enum expecting { VALUE, VALUE_OR_END, KEY, KEY_OR_END, COLON, COMMA_OR_END, NOTHING } expecting;

static size_t skip_space(const char *p, size_t len, size_t i)
{
    while (i < len && (p[i] == ' ' || p[i] == '\t' || p[i] == '\n' || p[i] == '\r')) {
        i++;
    }
    return i;
}

/* The end of a string that begins at i; 0 if it has none. */
static size_t string_end(const char *p, size_t len, size_t i)
{
    for (i++; i < len; i++) {
        if (p[i] == '\\') {
            i++;
        } else if (p[i] == '"') {
            return i + 1;
        }
    }
    return 0;
}

/* The end of one or more digits; 0 if there are none at i. */
static size_t digits_end(const char *p, size_t len, size_t i)
{
    size_t start = i;
    while (i < len && pf_is_digit(p[i])) {
        i++;
    }
    return i > start ? i : 0;
}

/* The end of a number; 0 if there is none at i. */
static size_t number_end(const char *p, size_t len, size_t i)
{
    i = digits_end(p, len, i + (i < len && p[i] == '-'));
    if (i && i < len && p[i] == '.') {
        i = digits_end(p, len, i + 1);
    }
    if (i && i < len && (p[i] == 'e' || p[i] == 'E')) {
        i++;
        i = digits_end(p, len, i + (i < len && (p[i] == '+' || p[i] == '-')));
    }
    return i;
}

/* The end of a value that is no object and no array; 0 if there is none at i. */
static size_t scalar_end(const char *p, size_t len, size_t i)
{
    static const char *const words[] = {"true", "false", "null"};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        size_t n = strlen(words[k]);
        if (len - i >= n && memcmp(p + i, words[k], n) == 0) {
            return i + n;
        }
    }
    return p[i] == '"' ? string_end(p, len, i) : number_end(p, len, i);
}

static expecting after_value(const pf_buffer *open)
{
    return open->len ? COMMA_OR_END : NOTHING;
}

/* Takes the token at *i. False if it may not stand there. */
static bool take_token(const char *p, size_t len, size_t *i, expecting *next, pf_buffer *open)
{
    char c = p[*i], top = open->len ? open->data[open->len - 1] : 0;
    bool may_end = *next == VALUE_OR_END || *next == KEY_OR_END || *next == COMMA_OR_END;
    if (may_end && top && c == (top == '{' ? '}' : ']')) {
        open->len--;
        *next = after_value(open);
        ++*i;
        return true;
    }
    switch (*next) {
    case VALUE:
    case VALUE_OR_END:
        if (c == '{' || c == '[') {
            pf_buffer_put(open, &c, 1);
            *next = c == '{' ? KEY_OR_END : VALUE_OR_END;
            ++*i;
            return true;
        }
        *i = scalar_end(p, len, *i);
        *next = after_value(open);
        return *i != 0;
    case KEY:
    case KEY_OR_END:
        *i = c == '"' ? string_end(p, len, *i) : 0;
        *next = COLON;
        return *i != 0;
    case COLON:
        *next = VALUE;
        ++*i;
        return c == ':';
    case COMMA_OR_END:
        *next = top == '{' ? KEY : VALUE;
        ++*i;
        return c == ',';
    default:
        return false;
    }
}

static bool is_json(pf_str text, pf_buffer *open)
{
    expecting next = VALUE;
    size_t i = skip_space(text.ptr, text.len, 0);
    while (i < text.len) {
        if (!take_token(text.ptr, text.len, &i, &next, open)) {
            return false;
        }
        i = skip_space(text.ptr, text.len, i);
    }
    return next == NOTHING && !open->failed;
}

/* ---- the visit --------------------------------------------------------------------------------------------------- */

typedef struct visit {
    pf_walker *w;
    pf_str key;     /* of the argument */
    uint32_t depth; /* levels open inside the text */
} visit;

static pf_str key_of(const visit *s, pf_str key)
{
    return s->depth ? key : s->key;
}

/* Elements of a list take an index whatever is in them. */
static pf_str key_of_level(const visit *s, pf_str key)
{
    key = key_of(s, key);
    return key.ptr ? key : PF_STR("");
}

static pf_status open_level(visit *s, pf_str key, pf_status (*begin)(void *ctx, pf_str key))
{
    pf_str shown = key_of_level(s, key);
    if (s->w->depth + s->depth >= s->w->t->budget.limits.depth) {
        return pf_walker_too_much(s->w, "--max-depth");
    }
    s->depth++;
    return begin(s->w->v->ctx, shown);
}

static pf_status begin_object(void *ctx, pf_str key)
{
    visit *s = ctx;
    return open_level(s, key, s->w->v->begin_object);
}

static pf_status begin_array(void *ctx, pf_str key)
{
    visit *s = ctx;
    return open_level(s, key, s->w->v->begin_array);
}

static pf_status end_level(void *ctx)
{
    visit *s = ctx;
    s->depth--;
    return s->w->v->end(s->w->v->ctx);
}

static pf_status take_value(void *ctx, pf_str key, const pf_value *value)
{
    visit *s = ctx;
    return value->type == PF_VALUE_NULL ? PF_OK : pf_walker_send(s->w, key_of(s, key), value);
}

pf_status pf_walker_json(pf_walker *w, pf_str key, pf_str json)
{
    visit s = {.w = w, .key = key};
    const pf_arg_visitor visitor = {&s, begin_object, begin_array, end_level, take_value, false};
    pf_buffer *b = &w->text;
    b->len = 0;
    if (!is_json(json, b)) {
        return b->failed ? pf_budget_refused(&w->t->budget, json.len, w->err) : PF_OK;
    }
    b->len = 0;
    pf_buffer_text(b, "{\"\":");
    pf_buffer_put(b, json.ptr, json.len);
    pf_buffer_put(b, "}", 2); /* with a NUL after it, which the decoder may read */
    if (b->failed) {
        return pf_budget_refused(&w->t->budget, json.len, w->err);
    }
    return pf_json_visit_object((const uint8_t *)b->data, b->len - 1, (pf_str){NULL, 0}, &visitor, w->err);
}
