/* analyze/tinygrad/tg_values.c - walks over the values of a profile, as far as reports show them.
 *
 * A walk keeps the containers that are open on a stack of its own: for each the member that is due. Depth and number of
 * values are bounded, for values are shared and may even hold themselves. */
#include <stdio.h>
#include <string.h>

#include "analyze/tinygrad/tg_input.h"
#include "base/sha256.h"

enum { DEEPEST = 128, FIELDS_MAX = 64 };

static pf_str type_of(const tg_input *in, uint32_t value)
{
    return pf_tg_string(in, in->values.type[value]);
}

static bool is(pf_str s, const char *text)
{
    return s.ptr && s.len == strlen(text) && memcmp(s.ptr, text, s.len) == 0;
}

/* ---- looking ----------------------------------------------------------------------------------------------------- */

uint32_t pf_tg_field(const tg_input *in, uint32_t of, const char *name)
{
    uint32_t found = PF_NONE;
    unsigned left = FIELDS_MAX;
    for (uint32_t i = of < in->values.count ? in->values.first[of] : PF_NONE; i < in->values.item_count && left;
         i = in->values.next[i], left--) {
        found = is(pf_tg_text(in, in->values.key[i]), name) ? in->values.member[i] : found;
    }
    return found;
}

pf_str pf_tg_text(const tg_input *in, uint32_t value)
{
    bool text = value < in->values.count && is(type_of(in, value), "text");
    return text ? pf_tg_string(in, in->values.text[value]) : (pf_str){NULL, 0};
}

bool pf_tg_int(const tg_input *in, uint32_t value, int64_t *out)
{
    bool number = value < in->values.count && is(type_of(in, value), "int") && in->values.text[value] == 0;
    *out = number ? in->values.number[value] : 0;
    return number;
}

uint64_t pf_tg_budget(const tg_input *in)
{
    return 1000000 + 100ull * ((uint64_t)in->values.count + in->values.item_count);
}

/* ---- leaves ------------------------------------------------------------------------------------------------------ */

typedef struct frame {
    uint32_t item; /* the member that is due, or PF_NONE */
    bool object;   /* members have keys, or are arguments first */
    bool arguments;
} frame;

typedef struct walk {
    const tg_input *in;
    const pf_arg_visitor *v;
    pf_error *err;
    uint64_t *budget;
    frame open[DEEPEST];
    unsigned depth;
} walk;

static const pf_str no_key = {NULL, 0};

static pf_status put_text(walk *w, pf_str key, pf_str text)
{
    return w->v->value(w->v->ctx, key, &(pf_value){.type = PF_VALUE_STRING, .as.s = text.ptr ? text : PF_STR("")});
}

static pf_status put_int(walk *w, pf_str key, int64_t v)
{
    return w->v->value(w->v->ctx, key, &(pf_value){.type = PF_VALUE_INT, .as.i = v});
}

/* {"bytes": length, "sha256": hash} */
static pf_status put_bytes(walk *w, pf_str key, uint32_t value)
{
    uint64_t row = (uint64_t)w->in->values.number[value];
    pf_bytes b = row < w->in->values.blob_count ? w->in->values.blob[row] : (pf_bytes){NULL, 0};
    char hash[65];
    pf_sha256(b.ptr, b.len, hash);
    pf_status st = w->v->begin_object(w->v->ctx, key);
    st = st == PF_OK ? put_int(w, PF_STR("bytes"), (int64_t)b.len) : st;
    st = st == PF_OK ? put_text(w, PF_STR("sha256"), (pf_str){hash, 64}) : st;
    return st == PF_OK ? w->v->end(w->v->ctx) : st;
}

/* The digits with the point at its place. */
static size_t print_decimal(int64_t digits, unsigned after, char text[40])
{
    uint64_t left = digits < 0 ? 0 - (uint64_t)digits : (uint64_t)digits;
    char reversed[40];
    size_t n = 0, at = 0;
    for (unsigned i = 0; left || i <= after; i++, left /= 10) {
        if (i == after && after) {
            reversed[n++] = '.';
        }
        reversed[n++] = (char)('0' + left % 10);
    }
    text[at] = '-';
    at += digits < 0;
    while (n) {
        text[at++] = reversed[--n];
    }
    return at;
}

/* {"decimal": text} */
static pf_status put_decimal(walk *w, pf_str key, uint32_t value)
{
    pf_str type = type_of(w->in, value);
    char text[40];
    pf_str shown = pf_tg_string(w->in, w->in->values.text[value]);
    if (type.len == sizeof "decimal.0" - 1) {
        shown = (pf_str){text, print_decimal(w->in->values.number[value], (unsigned)(type.ptr[8] - '0'), text)};
    }
    pf_status st = w->v->begin_object(w->v->ctx, key);
    st = st == PF_OK ? put_text(w, PF_STR("decimal"), shown) : st;
    return st == PF_OK ? w->v->end(w->v->ctx) : st;
}

static pf_status put_number(walk *w, pf_str key, uint32_t value, pf_str type)
{
    pf_value v = {.type = PF_VALUE_INT, .as.i = w->in->values.number[value]};
    if (is(type, "bool")) {
        v = (pf_value){.type = PF_VALUE_BOOL, .as.b = v.as.i != 0};
    } else if (is(type, "float")) {
        v.type = PF_VALUE_REAL;
        memcpy(&v.as.d, &w->in->values.number[value], sizeof v.as.d);
    } else {
        v.spelling = pf_tg_string(w->in, w->in->values.text[value]);
    }
    return w->v->value(w->v->ctx, key, &v);
}

/* ---- containers -------------------------------------------------------------------------------------------------- */

/* Classes whose fields are shown. Objects of the compiler are not: they have no place on a time axis. */
static bool is_known(pf_str class)
{
    static const char *const known[] = {"TracingKey", "DType", "Metadata", "PMCSample"};
    const char *dot = class.ptr ? memrchr(class.ptr, '.', class.len) : NULL;
    pf_str last = dot ? (pf_str){dot + 1, class.len - (size_t)(dot + 1 - class.ptr)} : class;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (is(last, known[i])) {
            return true;
        }
    }
    return last.len > 7 && memcmp(last.ptr, "Profile", 7) == 0;
}

static pf_status refuse(walk *w, const char *why)
{
    pf_fail(w->err, PF_ERR_LIMIT, "%s; this is not a profile that tinygrad wrote", why);
    pf_error_in(w->err, pf_trace_input(w->in->t, 0)->path);
    return PF_ERR_LIMIT;
}

static pf_status push(walk *w, uint32_t item, bool object)
{
    if (w->depth == DEEPEST) {
        return refuse(w, "the values of an event are nested deeper than 128");
    }
    w->open[w->depth++] = (frame){.item = item, .object = object};
    return PF_OK;
}

static pf_status begin_object(walk *w, pf_str key, uint32_t value)
{
    pf_str class = pf_tg_string(w->in, w->in->values.text[value]);
    bool shown = is_known(class);
    pf_status st = w->v->begin_object(w->v->ctx, key);
    st = st == PF_OK ? put_text(w, PF_STR("object"), class) : st;
    st = st == PF_OK ? push(w, shown ? w->in->values.first[value] : PF_NONE, true) : st;
    uint32_t first = w->in->values.first[value];
    if (st == PF_OK && shown && first != PF_NONE && w->in->values.key[first] == PF_NONE) {
        w->open[w->depth - 1].arguments = true;
        st = w->v->begin_array(w->v->ctx, PF_STR("args"));
    }
    return st;
}

static pf_status begin(walk *w, pf_str key, uint32_t value)
{
    pf_str type = type_of(w->in, value);
    if ((*w->budget)-- == 0) {
        return refuse(w, "the pickle repeats its values so often that a report would grow beyond all bounds");
    }
    if (is(type, "object")) {
        return begin_object(w, key, value);
    }
    if (is(type, "dict")) {
        pf_status st = w->v->begin_object(w->v->ctx, key);
        return st == PF_OK ? push(w, w->in->values.first[value], true) : st;
    }
    if (is(type, "list") || is(type, "tuple") || is(type, "set")) {
        pf_status st = w->v->begin_array(w->v->ctx, key);
        return st == PF_OK ? push(w, w->in->values.first[value], false) : st;
    }
    if (is(type, "none")) {
        return w->v->value(w->v->ctx, key, &(pf_value){.type = PF_VALUE_NULL});
    }
    if (is(type, "text") || is(type, "class")) {
        return put_text(w, key, pf_tg_string(w->in, w->in->values.text[value]));
    }
    if (is(type, "bytes")) {
        return put_bytes(w, key, value);
    }
    return type.len >= 7 && memcmp(type.ptr, "decimal", 7) == 0 ? put_decimal(w, key, value)
                                                                : put_number(w, key, value, type);
}

/* A key as a text: texts as they are, integers as digits. */
static pf_str key_text(const walk *w, uint32_t key, char digits[24])
{
    pf_str text = pf_tg_text(w->in, key);
    int64_t number;
    if (!text.ptr && pf_tg_int(w->in, key, &number)) {
        text = (pf_str){digits, (size_t)snprintf(digits, 24, "%lld", (long long)number)};
    }
    return text.ptr ? text : PF_STR("");
}

/* The next member of the innermost container, or its end. */
static pf_status step(walk *w)
{
    frame *f = &w->open[w->depth - 1];
    uint32_t item = f->item;
    char digits[24];
    if (item >= w->in->values.item_count) {
        w->depth--;
        pf_status st = f->arguments ? w->v->end(w->v->ctx) : PF_OK;
        return st == PF_OK ? w->v->end(w->v->ctx) : st;
    }
    uint32_t key = w->in->values.key[item];
    if (f->arguments && key != PF_NONE) {
        f->arguments = false;
        return w->v->end(w->v->ctx);
    }
    f->item = w->in->values.next[item];
    bool named = f->object && !f->arguments;
    return begin(w, named ? key_text(w, key, digits) : no_key, w->in->values.member[item]);
}

pf_status pf_tg_visit(const tg_input *in, pf_str key, uint32_t value, uint64_t *budget, const pf_arg_visitor *v,
                      pf_error *err)
{
    walk w = {.in = in, .v = v, .err = err, .budget = budget};
    if (value >= in->values.count) {
        return v->value(v->ctx, key, &(pf_value){.type = PF_VALUE_NULL});
    }
    pf_status st = begin(&w, key, value);
    while (st == PF_OK && w.depth) {
        st = step(&w);
    }
    return st;
}

bool pf_tg_is_filled(const tg_input *in, uint32_t value)
{
    return value < in->values.count && in->values.first[value] != PF_NONE;
}
