/* read/chrome_json/apply/json_counter.c - counter events: each entry of args is a sample of a counter of its own, named
 * after the event, the event's id where that is a text, and the entry. Samples are numbers or texts that are numbers.
 *
 * Most have one entry, a number of few digits, and this is read at once: it is the same number in the same way as
 * pf_parse_real_like_perfetto, where whole numbers and powers of ten are exact. */
#include <math.h>

#include "base/text/number.h"
#include "read/chrome_json/apply/json_applier.h"
#include "read/chrome_json/apply/json_args.h"
#include "json/scan/words.h"

typedef struct counter_event {
    pf_json_applier *a;
    const pf_json_record *r;
    uint32_t upid, row;
    pf_str name, id;
} counter_event;

static bool sample_value(const pf_value *v, double *out)
{
    uint64_t hex;
    switch (v->type) {
    case PF_VALUE_INT:
        *out = (double)v->as.i;
        return true;
    case PF_VALUE_REAL:
        *out = v->as.d;
        return isfinite(v->as.d);
    case PF_VALUE_STRING:
        if (pf_json_hex_text((const uint8_t *)v->as.s.ptr, v->as.s.len, &hex)) {
            *out = (double)hex;
            return true;
        }
        return pf_parse_real(v->as.s.ptr, v->as.s.len, out);
    default:
        return false;
    }
}

static char *append(char *at, pf_str s)
{
    if (s.len) {
        memcpy(at, s.ptr, s.len);
    }
    return at + s.len;
}

/* The track of one entry, made on first use. */
static uint32_t counter_track(counter_event *c, pf_str entry)
{
    pf_json_applier *a = c->a;
    const pf_str infix = c->id.ptr ? PF_STR(" id: ") : (pf_str){NULL, 0};
    size_t len = c->name.len + infix.len + c->id.len + 1 + entry.len;
    char *text = pf_json_scratch(a, len);
    if (!text) {
        return PF_NONE;
    }
    char *at = append(append(append(text, c->name), infix), c->id);
    *at = ' ';
    append(at + 1, entry);
    uint32_t name = pf_json_string(a, (pf_str){text, len});
    if (name == PF_NONE) {
        return PF_NONE;
    }
    uint64_t key = (uint64_t)c->upid << 32 | name;
    uint32_t track = pf_map_get(&a->counters, key);
    if (track != PF_NONE) {
        return track;
    }
    const pf_track_row row = {.type = PF_TRACK_JSON_COUNTER,
                              .name = name,
                              .upid = c->upid,
                              .utid = PF_NONE,
                              .parent = PF_NONE,
                              .group = PF_NONE};
    track = pf_json_track(a, &row);
    pf_json_put(a, &a->counters, key, track);
    return track;
}

static pf_status add_sample(counter_event *c, pf_str entry, double value)
{
    uint32_t track = counter_track(c, entry);
    pf_error *err = c->a->err;
    return track == PF_NONE ? err->code : pf_trace_add_sample(c->a->t, c->r->ts, value, track, c->row, err);
}

static pf_status sample(void *ctx, pf_str key, const pf_value *value)
{
    counter_event *c = ctx;
    double d = 0;
    if (!key.ptr || !value || !sample_value(value, &d)) {
        pf_trace_count(c->a->t, PF_STAT_JSON_PARSER_FAILURE, pf_json_offset(c->a->piece, c->r));
        return PF_OK;
    }
    return add_sample(c, key, d);
}

enum { EXACT_DIGITS = 15 };

/* Digits from p on as a number; NULL if there are none or too many. */
static const uint8_t *read_digits(const uint8_t *p, const uint8_t *end, uint64_t *number)
{
    const uint8_t *start = p;
    for (*number = 0; p < end && *p >= '0' && *p <= '9' && p - start <= EXACT_DIGITS; p++) {
        *number = *number * 10 + (uint64_t)(*p - '0');
    }
    return p > start && p - start <= EXACT_DIGITS ? p : NULL;
}

/* `{"key":number}`, and whether the args are that. */
static bool only_number(const pf_json_text *args, pf_str *key, double *value)
{
    static const double powers[EXACT_DIGITS + 1] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                    1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    const uint8_t *p = args->ptr + 1, *end = args->ptr + args->len - 1, *close;
    uint64_t whole, fraction;
    if (args->len < 6 || *p != '"') {
        return false;
    }
    for (close = p + 1; close < end && *close != '"' && *close != '\\'; close++) {
    }
    if (end - close < 3 || close[0] != '"' || close[1] != ':') {
        return false;
    }
    *key = (pf_str){(const char *)p + 1, (size_t)(close - p - 1)};
    p = close + 2 + (close[2] == ' ');
    bool negative = *p == '-';
    p = read_digits(p + negative, end, &whole);
    if (p && p < end && *p == '.') {
        const uint8_t *point = p;
        p = read_digits(p + 1, end, &fraction);
        *value = p ? (double)whole + (double)fraction / powers[p - point - 1] : 0;
    } else {
        *value = (double)whole;
        negative = negative && whole > 0; /* integers have one zero */
    }
    *value = negative ? -*value : *value;
    return p == end;
}

void pf_json_apply_counter(pf_json_applier *a, const pf_json_record *r, uint32_t upid, uint32_t name)
{
    pf_json_text args = pf_json_args_of(a->piece, r);
    const pf_json_id id = pf_json_id_of(a->piece, r);
    counter_event c = {
        .a = a, .r = r, .upid = upid, .row = a->t->events.count - 1, .name = pf_strings_get(&a->t->strings, name)};
    pf_str key;
    double value;
    if (!args.ptr) {
        if (!(r->flags & (PF_JSON_ARGS_EMPTY | PF_JSON_ARGS_LOST))) {
            pf_trace_count(a->t, PF_STAT_JSON_PARSER_FAILURE, pf_json_offset(a->piece, r));
        }
        return;
    }
    if (id.kind == PF_JSON_ID_TEXT && id.len) {
        const pf_json_text text = {id.ptr, id.len, id.escaped};
        uint32_t known = pf_json_intern(a, &text, pf_json_offset(a->piece, r));
        if (known == PF_NONE) {
            return;
        }
        c.id = pf_strings_get(&a->t->strings, known);
    }
    if (only_number(&args, &key, &value)) {
        add_sample(&c, key, value);
    } else {
        pf_json_visit_members(args.ptr, args.len, sample, &c, a->err);
    }
}
