/* read/tinygrad/profile/plain_values.c - a walk over a value and what it holds.
 *
 * The containers that are open are on a stack of its own: for each the member that is due. Depth and number of values
 * are bounded, for values are shared and may even hold themselves. */
#include "read/tinygrad/profile/profile.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "postfetto/write.h"

enum { DEEPEST = 128 };

typedef struct frame {
    uint32_t item; /* the member that is due, or PF_NONE */
    bool object;   /* members have keys, or are arguments first */
    bool arguments;
} frame;

typedef struct walk {
    const pf_pickle_values *values;
    const pf_arg_visitor *v;
    pf_error *err;
    uint64_t *budget;
    frame open[DEEPEST];
    unsigned depth;
} walk;

static const pf_str no_key = {NULL, 0};

uint64_t pf_tiny_plain_budget(const pf_pickle_values *v)
{
    return 1000000 + 100 * v->made;
}

static pf_status refuse(walk *w, const char *why)
{
    return pf_fail(w->err, PF_ERR_LIMIT, "%s; this is not a profile that tinygrad wrote", why);
}

static pf_status put_text(walk *w, pf_str key, pf_str text)
{
    return w->v->value(w->v->ctx, key, &(pf_value){.type = PF_VALUE_STRING, .as.s = text.ptr ? text : PF_STR("")});
}

/* {"bytes": length, "sha256": hash} */
static pf_status put_bytes(walk *w, pf_str key, pf_bytes b)
{
    char hash[65];
    const pf_value length = {.type = PF_VALUE_UINT, .as.u = b.len};
    pf_sha256(b.ptr, b.len, hash);
    PF_TRY(w->v->begin(w->v->ctx, key, false));
    PF_TRY(w->v->value(w->v->ctx, PF_STR("bytes"), &length));
    PF_TRY(put_text(w, PF_STR("sha256"), (pf_str){hash, 64}));
    return w->v->end(w->v->ctx);
}

/* {"decimal": text} */
static pf_status put_decimal(walk *w, pf_str key, uint32_t value)
{
    PF_TRY(w->v->begin(w->v->ctx, key, false));
    PF_TRY(put_text(w, PF_STR("decimal"), pf_pickle_spelling(w->values, value)));
    return w->v->end(w->v->ctx);
}

static pf_status put_number(walk *w, pf_str key, uint32_t value)
{
    pf_pickle_row row = pf_pickle_get(w->values, value);
    pf_value v = {.type = PF_VALUE_INT, .as.i = row.number, .spelling = pf_pickle_spelling(w->values, value)};
    if (row.type == PF_PICKLE_BOOL) {
        v = (pf_value){.type = PF_VALUE_BOOL, .as.b = row.number != 0};
    } else if (row.type == PF_PICKLE_FLOAT) {
        v.type = PF_VALUE_REAL;
        memcpy(&v.as.d, &row.number, sizeof v.as.d);
    }
    return w->v->value(w->v->ctx, key, &v);
}

/* Classes whose fields are shown. Objects of the compiler are not: they have no place on a time axis. */
static bool is_known(pf_str class)
{
    static const char *const known[] = {"TracingKey", "DType", "Metadata", "PMCSample"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (pf_str_is(class, known[i])) {
            return true;
        }
    }
    return class.len > 7 && pf_str_starts(class, PF_STR("Profile"));
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
    uint32_t first = is_known(pf_tiny_class(w->values, value)) ? pf_pickle_first(w->values, value) : PF_NONE;
    PF_TRY(w->v->begin(w->v->ctx, key, false));
    PF_TRY(put_text(w, PF_STR("object"), pf_pickle_text(w->values, value)));
    PF_TRY(push(w, first, true));
    if (first != PF_NONE && pf_pickle_key(w->values, first) == PF_NONE) {
        w->open[w->depth - 1].arguments = true;
        PF_TRY(w->v->begin(w->v->ctx, PF_STR("args"), true));
    }
    return PF_OK;
}

static pf_status begin(walk *w, pf_str key, uint32_t value)
{
    if ((*w->budget)-- == 0) {
        return refuse(w, "the pickle repeats its values so often that a report would grow beyond all bounds");
    }
    pf_pickle_type type = pf_pickle_type_of(w->values, value);
    switch (type) {
    case PF_PICKLE_NONE:
        return w->v->value(w->v->ctx, key, &(pf_value){.type = PF_VALUE_NULL});
    case PF_PICKLE_BOOL:
    case PF_PICKLE_INT:
    case PF_PICKLE_FLOAT:
        return put_number(w, key, value);
    case PF_PICKLE_TEXT:
    case PF_PICKLE_CLASS:
        return put_text(w, key, pf_pickle_text(w->values, value));
    case PF_PICKLE_BYTES:
        return put_bytes(w, key, pf_pickle_bytes(w->values, value));
    case PF_PICKLE_OBJECT:
        return begin_object(w, key, value);
    case PF_PICKLE_LIST:
    case PF_PICKLE_TUPLE:
    case PF_PICKLE_SET:
    case PF_PICKLE_DICT:
        PF_TRY(w->v->begin(w->v->ctx, key, type != PF_PICKLE_DICT));
        return push(w, pf_pickle_first(w->values, value), type == PF_PICKLE_DICT);
    default:
        return put_decimal(w, key, value);
    }
}

/* The next member of the innermost container, or its end. */
static pf_status step(walk *w)
{
    frame *f = &w->open[w->depth - 1];
    uint32_t item = f->item;
    char digits[24];
    int64_t number;
    if (item == PF_NONE) {
        w->depth--;
        if (f->arguments) {
            PF_TRY(w->v->end(w->v->ctx));
        }
        return w->v->end(w->v->ctx);
    }
    uint32_t key = pf_pickle_key(w->values, item);
    if (f->arguments && key != PF_NONE) {
        f->arguments = false;
        return w->v->end(w->v->ctx);
    }
    f->item = pf_pickle_next(w->values, item);
    if (!f->object || f->arguments) {
        return begin(w, no_key, pf_pickle_member(w->values, item));
    }
    pf_str text = pf_pickle_text(w->values, key); /* integers as digits */
    if (!text.ptr && pf_pickle_int(w->values, key, &number)) {
        text = (pf_str){digits, (size_t)snprintf(digits, sizeof digits, "%lld", (long long)number)};
    }
    return begin(w, text.ptr ? text : PF_STR(""), pf_pickle_member(w->values, item));
}

pf_status pf_tiny_plain_visit(const pf_pickle_values *v, pf_str key, uint32_t value, uint64_t *budget,
                              const pf_arg_visitor *visitor, pf_error *err)
{
    walk w = {.values = v, .v = visitor, .err = err, .budget = budget};
    PF_TRY(begin(&w, key, value));
    while (w.depth) {
        PF_TRY(step(&w));
    }
    return PF_OK;
}

typedef struct one_value {
    const pf_pickle_values *v;
    uint32_t value;
} one_value;

static pf_status visit_one(const void *of, const pf_arg_visitor *v, pf_error *err)
{
    const one_value *one = of;
    uint64_t budget = 100000;
    return pf_tiny_plain_visit(one->v, no_key, one->value, &budget, v, err);
}

pf_status pf_tiny_plain_text(const pf_pickle_values *v, uint32_t value, char **text, size_t *len, pf_error *err)
{
    const one_value one = {v, value};
    const pf_report r = {.form = PF_REPORT_JSON_STREAM, .visit = visit_one, .of = &one};
    pf_status st = pf_format_report(&r, text, len, err);
    if (st == PF_ERR_LIMIT) {
        *text = NULL;
        *len = 0;
        st = PF_OK;
    }
    return st;
}
