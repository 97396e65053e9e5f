/* event.c - one event object to one record.
 *
 * The object is read key by key: up to eight bytes behind a key's opening quote are loaded as one number and compared
 * with the known keys including their closing quote, so that a key costs one load and a branch that the processor
 * learns. Values of known keys are classified by their first byte; anything else is passed over by the scanner. Args are
 * passed over as well: where they lie is remembered, and that they keep to the limits is settled here, so that decoding
 * them later needs no checks of size.
 *
 * Later duplicates of a key replace earlier ones. A value of a type that a key does not know counts as absent, except
 * times, which become unusable.
 */
#include "read/chrome_json/event.h"

#include "base/number.h"
#include "read/chrome_json/decimal.h"
#include "read/chrome_json/hash.h"
#include "read/chrome_json/text.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "keys and digits are compared as little-endian words");

typedef enum event_key {
    KEY_OTHER = 0,
    KEY_PH,
    KEY_TS,
    KEY_DUR,
    KEY_PID,
    KEY_TID,
    KEY_NAME,
    KEY_CAT,
    KEY_ARGS,
    KEY_ID,
    KEY_S,
    KEY_ID2,
    KEY_BIND_ID,
    KEY_BP,
    KEY_TTS,
    KEY_TDUR,
    KEY_FLOW_IN,
    KEY_FLOW_OUT,
    KEY_ATTR
} event_key;

typedef struct event_parser {
    const pf_json_rules *rules;
    const uint8_t *end;
    pf_json_record *r;
    uint64_t lost_args, foreign;
} event_parser;

/* A value as the event sees it: its first byte decides. */
typedef struct event_value {
    enum { VALUE_TEXT, VALUE_WORD, VALUE_OBJECT, VALUE_ARRAY } type;
    const uint8_t *ptr; /* TEXT: between the quotes; OBJECT, ARRAY: with the brackets */
    size_t len;
    bool escaped;
    bool lost; /* OBJECT: beyond the limits */
    bool empty;
    enum { NUMBER_OTHER, NUMBER_WHOLE, NUMBER_THOUSANDTHS } exact; /* WORD: what `number` is, if anything */
    uint64_t number;
} event_value;

static inline uint64_t load8(const uint8_t *p)
{
    uint64_t w;
    memcpy(&w, p, 8);
    return w;
}

#define KEY2(a, b) ((uint64_t)(a) | (uint64_t)(b) << 8)
#define KEY4(a, b, c, d) (KEY2(a, b) | KEY2(c, d) << 16)

#define KEY8(a, b, c, d, e, f, g, h) (KEY4(a, b, c, d) | KEY4(e, f, g, h) << 32)

/* Keys that few events have; `w` is load8(p). */
static event_key rare_key(const uint8_t *p, uint64_t w, size_t *len)
{
    uint32_t w4 = (uint32_t)w;
    *len = 1;
    if ((w4 & 0xffff) == KEY2('s', '"')) {
        return KEY_S;
    }
    *len = 2;
    if ((w4 & 0xffffff) == KEY4('b', 'p', '"', 0)) {
        return KEY_BP;
    }
    *len = 3;
    if (w4 == KEY4('t', 't', 's', '"')) {
        return KEY_TTS;
    }
    if (w4 == KEY4('i', 'd', '2', '"')) {
        return KEY_ID2;
    }
    *len = 4;
    if (p[4] == '"' && (w4 == KEY4('t', 'd', 'u', 'r') || w4 == KEY4('a', 't', 't', 'r'))) {
        return w4 == KEY4('t', 'd', 'u', 'r') ? KEY_TDUR : KEY_ATTR;
    }
    *len = 7;
    if (w == KEY8('b', 'i', 'n', 'd', '_', 'i', 'd', '"')) {
        return KEY_BIND_ID;
    }
    if (w == KEY8('f', 'l', 'o', 'w', '_', 'i', 'n', '"')) {
        return KEY_FLOW_IN;
    }
    *len = 8;
    return w == KEY8('f', 'l', 'o', 'w', '_', 'o', 'u', 't') && p[8] == '"' ? KEY_FLOW_OUT : KEY_OTHER;
}

/* `p` stands behind the opening quote. *len is the key's length if it is a known one without escapes. */
static inline event_key known_key(const uint8_t *p, size_t *len)
{
    uint64_t w = load8(p);
    uint32_t w4 = (uint32_t)w;
    uint32_t w3 = w4 & 0xffffff;
    *len = 2;
    switch (w3) {
    case KEY4('p', 'h', '"', 0):
        return KEY_PH;
    case KEY4('t', 's', '"', 0):
        return KEY_TS;
    case KEY4('i', 'd', '"', 0):
        return KEY_ID;
    default:
        break;
    }
    *len = 3;
    switch (w4) {
    case KEY4('p', 'i', 'd', '"'):
        return KEY_PID;
    case KEY4('t', 'i', 'd', '"'):
        return KEY_TID;
    case KEY4('d', 'u', 'r', '"'):
        return KEY_DUR;
    case KEY4('c', 'a', 't', '"'):
        return KEY_CAT;
    default:
        break;
    }
    *len = 4;
    if (w4 == KEY4('n', 'a', 'm', 'e') && p[4] == '"') {
        return KEY_NAME;
    }
    if (w4 == KEY4('a', 'r', 'g', 's') && p[4] == '"') {
        return KEY_ARGS;
    }
    return rare_key(p, w, len);
}

/* A key written with escapes may still be a known one. */
static event_key escaped_key(const uint8_t *p, size_t len)
{
    char plain[64 + 8] = {0};
    if (len >= 64) {
        return KEY_OTHER;
    }
    unsigned lone = 0;
    size_t n = pf_json_unescape(p, len, plain, &lone);
    plain[n] = '"';
    size_t known = 0;
    event_key key = known_key((const uint8_t *)plain, &known);
    return known == n ? key : KEY_OTHER;
}

static void set_text(pf_json_text *t, const event_value *v, uint16_t *flags, uint16_t escaped_flag)
{
    *flags &= (uint16_t)~escaped_flag;
    *t = (pf_json_text){0};
    if (v->type != VALUE_TEXT || v->len > UINT32_MAX) {
        return;
    }
    t->ptr = v->ptr;
    t->len = (uint32_t)v->len;
    if (v->escaped) {
        *flags |= escaped_flag;
    } else if (v->len <= PF_JSON_SHORT_TEXT) {
        pf_json_words words = pf_json_load_words(v->ptr, v->len);
        t->hash = pf_json_hash_words(&words, v->len);
    }
}

/* The first byte of a text, its escape undone. */
static uint8_t first_letter(const event_value *v)
{
    if (v->type != VALUE_TEXT || v->len == 0) {
        return 0;
    }
    uint8_t c = v->ptr[0];
    if (c == '\\') {
        char plain[16] = {0};
        unsigned lone = 0;
        pf_json_unescape(v->ptr, v->len < 12 ? v->len : 12, plain, &lone);
        c = (uint8_t)plain[0];
    }
    return c < 0x80 ? c : '?';
}

static bool read_time(const pf_json_rules *rules, const event_value *v, int64_t *out)
{
    *out = 0;
    if (v->type == VALUE_WORD) {
        if (v->exact == NUMBER_WHOLE) {
            *out = (int64_t)(rules->cycles ? v->number : v->number * 1000);
            return true;
        }
        if (v->exact == NUMBER_THOUSANDTHS && !rules->cycles) {
            *out = (int64_t)v->number;
            return true;
        }
        return pf_json_scale_decimal(v->ptr, v->len, rules->cycles ? 0 : 3, rules->cycles, out);
    }
    if (v->type != VALUE_TEXT) {
        return false;
    }
    char plain[128];
    const uint8_t *p = v->ptr;
    size_t len = v->len;
    if (v->escaped) {
        if (len > sizeof plain) {
            return false;
        }
        unsigned lone = 0;
        len = pf_json_unescape(p, len, plain, &lone);
        p = (const uint8_t *)plain;
    }
    uint64_t hex;
    if (rules->cycles) {
        return pf_json_integer_text(p, len, out);
    }
    if (pf_json_hex_text(p, len, &hex)) {
        *out = hex <= INT64_MAX / 1000 ? (int64_t)hex * 1000 : 0;
        return hex <= INT64_MAX / 1000;
    }
    return pf_json_scale_decimal(p, len, 3, false, out);
}

/* Integers and integral reals are one kind of id, compared by value; the spelling is kept where it was not an integer. */
static void read_number_id(const event_value *v, pf_json_id *id)
{
    double d = 0;
    if (pf_json_scale_decimal(v->ptr, v->len, 0, true, &id->number)) {
        const uint8_t *p = v->ptr;
        size_t i = *p == '-';
        while (i < v->len && p[i] >= '0' && p[i] <= '9') {
            i++;
        }
        if (i == v->len) {
            id->kind = PF_JSON_ID_INT;
            return;
        }
    }
    if (v->len <= UINT32_MAX && pf_parse_real((const char *)v->ptr, v->len, &d)) {
        id->kind = PF_JSON_ID_REAL;
        id->ptr = v->ptr;
        id->len = (uint32_t)v->len;
    }
}

static void read_id(event_parser *e, const event_value *v, pf_json_id *id)
{
    *id = (pf_json_id){.kind = PF_JSON_ID_ABSENT};
    if (v->type == VALUE_WORD && v->exact == NUMBER_WHOLE) {
        id->kind = PF_JSON_ID_INT;
        id->number = (int64_t)v->number;
    } else if (v->type == VALUE_TEXT && v->len <= UINT32_MAX) {
        *id = (pf_json_id){.ptr = v->ptr, .len = (uint32_t)v->len, .kind = PF_JSON_ID_TEXT, .escaped = v->escaped};
    } else if (v->type == VALUE_WORD) {
        uint8_t c = v->ptr[0];
        if (c == 't' || c == 'f') {
            id->kind = PF_JSON_ID_INT;
            id->number = c == 't';
        } else if (c != 'n') {
            read_number_id(v, id);
            e->foreign += id->kind == PF_JSON_ID_ABSENT && c >= '0' && c <= '9';
        }
    } else {
        e->foreign++;
    }
}

static void set_args(event_parser *e, const event_value *v)
{
    pf_json_record *r = e->r;
    r->args = (pf_json_text){0};
    r->flags &= (uint16_t) ~(PF_JSON_ARGS_EMPTY | PF_JSON_ARGS_LOST);
    if (v->type != VALUE_OBJECT) {
        return;
    }
    if (v->empty) {
        r->flags |= PF_JSON_ARGS_EMPTY;
    } else if (v->lost || v->len > UINT32_MAX) {
        r->flags |= PF_JSON_ARGS_LOST;
    } else {
        r->args = (pf_json_text){v->ptr, (uint32_t)v->len, 0};
    }
}

static void set_flag(pf_json_record *r, uint16_t flag, bool on)
{
    r->flags = (uint16_t)(on ? r->flags | flag : r->flags & ~flag);
}

/* A time that may be absent, but not unusable. */
static void take_time(event_parser *e, uint16_t has, uint16_t bad, const event_value *v, int64_t *out)
{
    bool ok = read_time(e->rules, v, out);
    set_flag(e->r, has, ok);
    set_flag(e->r, bad, !ok);
}

static bool is_true(const event_value *v)
{
    return v->type == VALUE_WORD && v->len == 4 && memcmp(v->ptr, "true", 4) == 0;
}

static void set_id2(pf_json_record *r, const event_value *v)
{
    bool usable = v->type == VALUE_OBJECT && !v->empty && !v->lost && v->len <= UINT32_MAX;
    r->id2 = usable ? (pf_json_text){v->ptr, (uint32_t)v->len, 0} : (pf_json_text){0};
}

static void take_rare_key(event_parser *e, event_key key, const event_value *v)
{
    pf_json_record *r = e->r;
    switch (key) {
    case KEY_ID:
        read_id(e, v, &r->id);
        break;
    case KEY_ID2:
        set_id2(r, v);
        break;
    case KEY_BIND_ID:
        read_id(e, v, &r->bind_id);
        break;
    case KEY_BP:
        set_flag(r, PF_JSON_BIND_ENCLOSING, first_letter(v) == 'e');
        break;
    case KEY_TTS:
        take_time(e, PF_JSON_HAS_TTS, PF_JSON_BAD_TTS, v, &r->tts);
        break;
    case KEY_TDUR:
        take_time(e, PF_JSON_HAS_TDUR, PF_JSON_BAD_TDUR, v, &r->tdur);
        break;
    case KEY_FLOW_IN:
        set_flag(r, PF_JSON_FLOW_IN, is_true(v));
        break;
    case KEY_FLOW_OUT:
        set_flag(r, PF_JSON_FLOW_OUT, is_true(v));
        break;
    case KEY_ATTR:
        set_flag(r, PF_JSON_HAS_ATTR, v->type == VALUE_OBJECT);
        break;
    default:
        break;
    }
}

static void take_key(event_parser *e, event_key key, const event_value *v)
{
    pf_json_record *r = e->r;
    switch (key) {
    case KEY_PH:
        r->phase = first_letter(v);
        break;
    case KEY_TS:
        set_flag(r, PF_JSON_HAS_TS, read_time(e->rules, v, &r->ts));
        break;
    case KEY_DUR:
        take_time(e, PF_JSON_HAS_DUR, PF_JSON_BAD_DUR, v, &r->dur);
        break;
    case KEY_PID:
        read_id(e, v, &r->pid);
        break;
    case KEY_TID:
        read_id(e, v, &r->tid);
        break;
    case KEY_NAME:
        set_text(&r->name, v, &r->flags, PF_JSON_NAME_ESCAPED);
        break;
    case KEY_CAT:
        set_text(&r->category, v, &r->flags, PF_JSON_CATEGORY_ESCAPED);
        break;
    case KEY_ARGS:
        set_args(e, v);
        break;
    case KEY_S:
        r->scope = first_letter(v);
        break;
    case KEY_OTHER:
        break;
    default:
        take_rare_key(e, key, v);
        break;
    }
}

/* An object or array, passed over. */
static pf_json_scan_result read_container(event_parser *e, const uint8_t **at, event_value *v)
{
    const uint8_t *p = *at;
    v->ptr = p;
    v->type = *p == '{' ? VALUE_OBJECT : VALUE_ARRAY;
    if (p[1] == '}' && p + 1 < e->end && *p == '{') {
        *at = p + 2;
        v->len = 2;
        v->empty = true;
        return PF_JSON_DONE;
    }
    pf_json_scan scan;
    pf_json_scan_start(&scan);
    pf_json_scan_result result = pf_json_scan_value(&scan, at, e->end);
    v->len = (size_t)(*at - p);
    v->empty = scan.values == 0;
    v->lost = scan.deepest > e->rules->depth || scan.values > e->rules->keys;
    e->foreign += scan.foreign;
    return result;
}

static inline uint8_t digit_value(uint8_t c)
{
    return (uint8_t)(c - '0');
}

/* How many of the eight bytes are digits before the first that is not. */
static inline unsigned digit_run(uint64_t w)
{
    uint64_t t = w ^ 0x3030303030303030ull;
    uint64_t other = ((t + 0x7676767676767676ull) | t) & 0x8080808080808080ull;
    return other ? (unsigned)__builtin_ctzll(other) / 8 : 8;
}

/* The number that the first n bytes, all digits, say: pairs, fours and eights of digits at once. 0 < n <= 8. */
static inline uint64_t digit_number(uint64_t w, unsigned n)
{
    w = (w ^ 0x3030303030303030ull) << (64 - 8 * n);
    w = (w * 10 + (w >> 8)) & 0x00ff00ff00ff00ffull;
    w = (w * 100 + (w >> 16)) & 0x0000ffff0000ffffull;
    return (w * 10000 + (w >> 32)) & 0xffffffffull;
}

static const uint64_t power_of_ten[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

/* The usual numbers: up to 15 digits, perhaps up to three more behind a point. Sets v->exact and v->number and returns
 * the byte behind; if a number goes on there, it is not one of these. */
static inline const uint8_t *read_digits(const uint8_t *p, event_value *v)
{
    uint64_t w = load8(p);
    unsigned n = digit_run(w);
    uint64_t number = digit_number(w, n);
    p += n;
    if (n == 8) {
        w = load8(p);
        n = digit_run(w);
        if (n == 8) {
            return p;
        }
        number = n ? number * power_of_ten[n] + digit_number(w, n) : number;
        p += n;
    }
    v->exact = NUMBER_WHOLE;
    v->number = number;
    if (*p == '.') {
        w = load8(p + 1);
        n = digit_run(w);
        if (n == 0 || n > 3) {
            return p;
        }
        p += n + 1;
        v->exact = NUMBER_THOUSANDTHS;
        v->number = number * 1000 + digit_number(w, n) * power_of_ten[3 - n];
    }
    return p;
}

static inline pf_json_scan_result read_value(event_parser *e, const uint8_t **at, event_value *v)
{
    const uint8_t *p = *at;
    v->escaped = v->empty = v->lost = false;
    v->exact = NUMBER_OTHER;
    if (*p == '"') {
        const uint8_t *q = pf_json_string_end(p + 1, e->end, &v->escaped);
        if (!q) {
            return PF_JSON_MORE;
        }
        v->type = VALUE_TEXT;
        v->ptr = p + 1;
        v->len = (size_t)(q - v->ptr);
        *at = q + 1;
        return PF_JSON_DONE;
    }
    if (*p == '{' || *p == '[') {
        return read_container(e, at, v);
    }
    const uint8_t *q = digit_value(*p) <= 9 ? read_digits(p, v) : p;
    if (pf_json_word_byte[*q]) {
        v->exact = NUMBER_OTHER;
        q = pf_json_word_end(p, e->end);
    }
    if (q >= e->end) {
        return PF_JSON_MORE;
    }
    if (q == p) {
        return PF_JSON_BAD;
    }
    v->type = VALUE_WORD;
    v->ptr = p;
    v->len = (size_t)(q - p);
    *at = q;
    if (*p > '9' || *p < '0') {
        e->foreign += pf_json_word_is_foreign(p, v->len);
    }
    return PF_JSON_DONE;
}

/* `"key" : value`; *at stands on the opening quote. */
static inline pf_json_scan_result read_member(event_parser *e, const uint8_t **at)
{
    const uint8_t *p = *at + 1;
    const uint8_t *end = e->end;
    size_t len = 0;
    event_key key = known_key(p, &len);
    if (key == KEY_OTHER || p + len >= end) {
        bool escaped = false;
        const uint8_t *q = pf_json_string_end(p, end, &escaped);
        if (!q) {
            return PF_JSON_MORE;
        }
        len = (size_t)(q - p);
        key = escaped ? escaped_key(p, len) : key;
    }
    p = pf_json_skip_space(p + len + 1, end);
    *at = p;
    if (p == end) {
        return PF_JSON_MORE;
    }
    if (*p != ':') {
        return PF_JSON_BAD;
    }
    p = pf_json_skip_space(p + 1, end);
    *at = p;
    if (p == end) {
        return PF_JSON_MORE;
    }
    event_value v;
    pf_json_scan_result result = read_value(e, at, &v);
    if (result == PF_JSON_DONE) {
        take_key(e, key, &v);
    }
    return result;
}

static void start_record(pf_json_record *r, uint64_t offset)
{
    r->offset = offset;
    r->pid.number = r->tid.number = 0;
    r->pid.kind = r->tid.kind = r->id.kind = r->bind_id.kind = PF_JSON_ID_ABSENT;
    r->name.ptr = r->category.ptr = r->args.ptr = r->id2.ptr = NULL;
    r->name.len = r->category.len = 0;
    r->flags = 0;
    r->phase = r->scope = 0;
}

static void note_faults(const event_parser *e, pf_json_faults *faults)
{
    const pf_json_record *r = e->r;
    if (r->flags & PF_JSON_ARGS_LOST) {
        pf_json_fault(faults, PF_STAT_JSON_ARGS_DROPPED, r->offset);
    }
    if (e->foreign) {
        pf_json_fault(faults, PF_STAT_JSON_BAD_VALUE, r->offset);
        faults->count[PF_STAT_JSON_BAD_VALUE] += e->foreign - 1;
    }
}

pf_json_scan_result pf_json_read_event(const pf_json_rules *rules, const uint8_t *window, uint64_t window_offset,
                                       const uint8_t **at, const uint8_t *end, pf_json_record *r, bool *empty,
                                       pf_json_faults *faults)
{
    const uint8_t *start = *at;
    const uint8_t *p = start + 1;
    event_parser e = {.rules = rules, .end = end, .r = r};
    start_record(r, window_offset + (uint64_t)(start - window));
    *empty = true;
    for (;;) {
        p = pf_json_skip_space(p, end);
        if (p == end) {
            return PF_JSON_MORE;
        }
        if (*p == '}') {
            break;
        }
        pf_json_scan_result result = *p == '"' ? read_member(&e, &p) : PF_JSON_BAD;
        if (result == PF_JSON_DONE) {
            *empty = false;
            p = pf_json_skip_space(p, end);
            result = p == end ? PF_JSON_MORE : *p == ',' || *p == '}' ? PF_JSON_DONE : PF_JSON_BAD;
        }
        if (result == PF_JSON_MORE) {
            return result;
        }
        if (result == PF_JSON_BAD) {
            *at = p;
            return result;
        }
        p += *p == ',';
    }
    note_faults(&e, faults);
    *at = p + 1;
    return PF_JSON_DONE;
}
