/* read/chrome_json/apply/json_args.c - decoding arguments when somebody asks for them.
 *
 * The text was passed over once when it was read, so brackets are balanced unless the input is damaged beyond what that
 * checks. The decoder keeps no stack: a text is a key exactly if a colon follows it, and the visitor knows from its own
 * begin and end calls where it is. All that is counted is the depth, so that every begun level is ended even where the
 * text stops short.
 */
#include "read/chrome_json/apply/json_args.h"

#include <math.h>
#include <stdlib.h>

#include "base/budget.h"
#include "base/str.h"
#include "base/text/json_text.h"
#include "base/text/number.h"
#include "json/scan/skip.h"

/* Decoded text in memory that grows to the longest one. */
typedef struct scratch {
    char *data;
    size_t cap;
    char inside[256];
} scratch;

typedef struct decoder {
    const uint8_t *p, *end;
    pf_str prefix;
    const pf_arg_visitor *v;
    pf_error *err;
    size_t depth; /* levels begun inside the object itself */
    scratch key, value;
} decoder;

static bool scratch_reserve(scratch *s, size_t len)
{
    if (!s->data) {
        s->data = s->inside;
        s->cap = sizeof s->inside;
    }
    if (len <= s->cap) {
        return true;
    }
    char *data = malloc(len);
    if (!data) {
        return false;
    }
    if (s->data != s->inside) {
        free(s->data);
    }
    s->data = data;
    s->cap = len;
    return true;
}

static void scratch_free(scratch *s)
{
    if (s->data != s->inside) {
        free(s->data);
    }
}

/* pf_json_string_end for memory that ends at `end`. */
static const uint8_t *string_end_exact(const uint8_t *p, const uint8_t *end, bool *escaped)
{
    const uint8_t *q = end - p > PF_SLOP ? pf_json_string_end(p, end - PF_SLOP, escaped) : NULL;
    if (q) {
        return q;
    }
    *escaped = false;
    return pf_json_string_end_plain(p, end, escaped);
}

/* The text from after its opening quote up to its closing one, prefixed, into s. */
static inline pf_status take_text(const decoder *d, scratch *s, pf_str prefix, const uint8_t *text, const uint8_t *q,
                                  bool escaped, pf_str *out)
{
    size_t len = (size_t)(q - text);
    if (!escaped && prefix.len == 0) {
        *out = (pf_str){(const char *)text, len};
        return PF_OK;
    }
    PF_TRY(scratch_reserve(s, prefix.len + len) ? PF_OK : pf_no_memory(d->err));
    unsigned lone = 0;
    if (prefix.len > 0) {
        memcpy(s->data, prefix.ptr, prefix.len);
    }
    if (escaped) {
        len = pf_json_unescape(text, len, s->data + prefix.len, &lone);
    } else {
        memcpy(s->data + prefix.len, text, len);
    }
    *out = (pf_str){s->data, prefix.len + len};
    return PF_OK;
}

pf_value pf_json_word_value(const char *p, size_t len)
{
    pf_value v = {.type = PF_VALUE_REAL};
    if (pf_parse_int(p, len, &v.as.i)) {
        v.type = PF_VALUE_INT;
    } else if (pf_parse_real_like_perfetto(p, len, &v.as.d)) {
        v.type = PF_VALUE_REAL;
    } else if ((len == 4 && memcmp(p, "true", 4) == 0) || (len == 5 && memcmp(p, "false", 5) == 0)) {
        v.type = PF_VALUE_BOOL;
        v.as.b = len == 4;
    } else if (len == 3 && memcmp(p, "NaN", 3) == 0) {
        v.as.d = NAN;
    } else if ((len == 8 && memcmp(p, "Infinity", 8) == 0) || (len == 9 && memcmp(p, "-Infinity", 9) == 0)) {
        v.as.d = len == 8 ? INFINITY : -INFINITY;
    } else if (*p != '-' && !pf_is_digit(*p)) {
        v.type = PF_VALUE_NULL;
    } else if (!pf_parse_real_or_infinity(p, len, &v.as.d)) {
        v.type = PF_VALUE_STRING;
        v.as.s = (pf_str){p, len};
    }
    if (v.type == PF_VALUE_REAL) {
        v.spelling = (pf_str){p, len};
    }
    return v;
}

/* A text: a key, which stays pending, or a value. */
static pf_status step_text(decoder *d, pf_str *key, bool *more)
{
    bool escaped = false;
    const uint8_t *text = d->p + 1, *q = string_end_exact(text, d->end, &escaped);
    *more = q != NULL;
    if (!q) {
        return PF_OK;
    }
    const uint8_t *next = pf_json_skip_space(q + 1, d->end);
    if (next < d->end && *next == ':') {
        d->p = next + 1;
        return take_text(d, &d->key, d->depth ? (pf_str){NULL, 0} : d->prefix, text, q, escaped, key);
    }
    pf_value v = {.type = PF_VALUE_STRING};
    d->p = q + 1;
    pf_status st = take_text(d, &d->value, (pf_str){NULL, 0}, text, q, escaped, &v.as.s);
    st = st == PF_OK ? d->v->value(d->v->ctx, *key, &v) : st;
    *key = (pf_str){NULL, 0};
    return st;
}

/* One token that is no comma; *more is false where the object is over or damaged. `key` is the pending key. */
static pf_status step(decoder *d, pf_str *key, bool *more)
{
    pf_status st = PF_OK;
    uint8_t c = *d->p;
    if (c == '{' || c == '[') {
        d->p++;
        d->depth++;
        st = d->v->begin(d->v->ctx, *key, c == '[');
    } else if (c == '}' || c == ']') {
        *more = d->depth > 0;
        if (*more) {
            d->p++;
            d->depth--;
            st = d->v->end(d->v->ctx);
        }
    } else if (c == '"') {
        return step_text(d, key, more);
    } else {
        const uint8_t *q = pf_json_word_end(d->p, d->end);
        *more = q > d->p;
        if (*more) {
            const pf_value v = pf_json_word_value((const char *)d->p, (size_t)(q - d->p));
            d->p = q;
            st = d->v->value(d->v->ctx, *key, &v);
        }
    }
    *key = (pf_str){NULL, 0};
    return st;
}

pf_status pf_json_visit_object(const uint8_t *bytes, size_t len, pf_str prefix, const pf_arg_visitor *v, pf_error *err)
{
    decoder d = {.p = bytes + 1, .end = bytes + len, .prefix = prefix, .v = v, .err = err};
    pf_str key = {NULL, 0};
    pf_status st = PF_OK;
    bool more = len > 0;
    while (st == PF_OK && more) {
        d.p = pf_json_skip_space(d.p, d.end);
        if (d.p == d.end) {
            break;
        }
        if (*d.p == ',') {
            d.p++;
            continue;
        }
        st = step(&d, &key, &more);
    }
    for (; st == PF_OK && d.depth > 0; d.depth--) {
        st = v->end(v->ctx);
    }
    scratch_free(&d.key);
    scratch_free(&d.value);
    return st;
}

typedef struct first_level {
    pf_arg_depth level;
    pf_json_member_taker *take;
    void *ctx;
} first_level;

static pf_status enter(void *ctx, pf_str key, bool list)
{
    first_level *f = ctx;
    return f->level.depth++ ? PF_OK : f->take(f->ctx, key, NULL);
}

static pf_status take_member(void *ctx, pf_str key, const pf_value *v)
{
    const first_level *f = ctx;
    return f->level.depth ? PF_OK : f->take(f->ctx, key, v);
}

pf_status pf_json_visit_members(const void *text, size_t len, pf_json_member_taker *take, void *ctx, pf_error *err)
{
    first_level f = {.take = take, .ctx = ctx};
    const pf_arg_visitor visitor = {&f, enter, pf_arg_leave, take_member, false};
    return pf_json_visit_object(text, len, (pf_str){NULL, 0}, &visitor, err);
}

pf_status pf_json_decode_args(const pf_trace *t, const uint8_t *bytes, size_t len, uint32_t context,
                              const pf_arg_visitor *v, pf_error *err)
{
    return pf_json_visit_object(bytes, len, PF_STR("args."), v, err);
}
