/* json/scan/json_event.c - any event object, member by member.
 *
 * Values are classified by their first byte; what no key asks for is passed over by the scanner. Args are passed over
 * as well: where they lie is remembered, and that they keep to the limits is settled here, so that decoding them later
 * needs no checks of size.
 *
 * Later duplicates of a key replace earlier ones. A value of a type that a key does not know counts as absent, except
 * times, which become unusable.
 */
#include "json/scan/json_event.h"

#include "base/text/json_text.h"
#include "base/text/number.h"
#include "json/scan/words.h"

/* A value as the event sees it: its first byte decides. */
typedef struct event_value {
    enum { VALUE_TEXT, VALUE_WORD, VALUE_OBJECT, VALUE_ARRAY } type;
    const uint8_t *ptr; /* TEXT: between the quotes; OBJECT, ARRAY: with the brackets */
    size_t len;
    bool escaped;
    bool lost; /* OBJECT: beyond the limits */
    bool empty;
    bool exact; /* WORD: it is `number`, of which `decimals` digits stand after the point */
    unsigned decimals;
    uint64_t number;
} event_value;

pf_json_key pf_json_rare_key(const uint8_t *p, size_t *len)
{
    static const struct {
        const char *text;
        pf_json_key key;
    } rare[] = {{"s\"", PF_JSON_KEY_S},
                {"bp\"", PF_JSON_KEY_BP},
                {"sf\"", PF_JSON_KEY_STACK},
                {"esf\"", PF_JSON_KEY_STACK},
                {"tts\"", PF_JSON_KEY_TTS},
                {"id2\"", PF_JSON_KEY_ID2},
                {"tdur\"", PF_JSON_KEY_TDUR},
                {"stack\"", PF_JSON_KEY_STACK},
                {"estack\"", PF_JSON_KEY_STACK},
                {"bind_id\"", PF_JSON_KEY_BIND_ID},
                {"flow_in\"", PF_JSON_KEY_FLOW_IN},
                {"flow_out\"", PF_JSON_KEY_FLOW_OUT}};
    for (size_t i = 0; i < sizeof rare / sizeof *rare; i++) {
        if (*p == (uint8_t)rare[i].text[0] && memcmp(p, rare[i].text, strlen(rare[i].text)) == 0) {
            *len = strlen(rare[i].text) - 1;
            return rare[i].key;
        }
    }
    return PF_JSON_KEY_OTHER;
}

void pf_json_rules_set_args_key(pf_json_rules *rules, pf_str key)
{
    uint8_t text[8] = {'"'};
    rules->args_key = key;
    rules->args_word = rules->args_mask = 0;
    if (key.len && key.len + 3 <= sizeof text) {
        memcpy(text + 1, key.ptr, key.len);
        text[1 + key.len] = '"';
        text[2 + key.len] = ':';
        memcpy(&rules->args_word, text, sizeof text);
        rules->args_mask = ~0ull >> (64 - 8 * (key.len + 3));
    }
}

/* A key that is none of the known ones. */
static pf_json_key unknown_key(const pf_json_rules *rules, const void *key, size_t len)
{
    bool same = len && len == rules->args_key.len && memcmp(key, rules->args_key.ptr, len) == 0;
    return same ? PF_JSON_KEY_OTHER_ARGS : PF_JSON_KEY_OTHER;
}

/* A key written with escapes may still be a known one. */
static pf_json_key escaped_key(const pf_json_rules *rules, const uint8_t *p, size_t len)
{
    char plain[64 + 8] = {0};
    if (len >= 64) {
        return PF_JSON_KEY_OTHER;
    }
    unsigned lone = 0;
    size_t n = pf_json_unescape(p, len, plain, &lone);
    plain[n] = '"';
    size_t known = 0;
    pf_json_key key = pf_json_known_key((const uint8_t *)plain, &known);
    return key != PF_JSON_KEY_OTHER && known == n ? key : unknown_key(rules, plain, n);
}

static pf_json_text view_text(const event_value *v)
{
    bool usable = v->type == VALUE_TEXT && v->len <= UINT32_MAX;
    return usable ? (pf_json_text){v->ptr, (uint32_t)v->len, v->escaped} : (pf_json_text){0};
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
        if (v->exact && (v->decimals == 0 || !rules->cycles)) {
            *out = (int64_t)(rules->cycles ? v->number : v->number * pf_json_power_of_ten[3 - v->decimals]);
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

/* Integers and integral reals are one kind of id, compared by value; the spelling is kept where it was not an integer.
 */
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

static void read_id(pf_json_event *e, const event_value *v, pf_json_id *id)
{
    *id = (pf_json_id){.kind = PF_JSON_ID_ABSENT};
    if (v->type == VALUE_WORD && v->exact && v->decimals == 0) {
        id->kind = PF_JSON_ID_INT;
        id->number = (int64_t)v->number;
    } else if (v->type == VALUE_TEXT && v->len <= UINT32_MAX) {
        *id = (pf_json_id){.ptr = v->ptr, .len = (uint32_t)v->len, .kind = PF_JSON_ID_TEXT, .escaped = v->escaped};
    } else if (v->type == VALUE_WORD) {
        uint8_t c = v->ptr[0];
        if (c == 't' || c == 'f') {
            id->kind = PF_JSON_ID_INT;
            id->number = c == 't';
            e->flags |= PF_JSON_ODD;
        } else if (c != 'n') {
            read_number_id(v, id);
            e->foreign += id->kind == PF_JSON_ID_ABSENT && c >= '0' && c <= '9';
        }
    } else {
        e->foreign++;
    }
    e->flags |= id->kind == PF_JSON_ID_ABSENT ? PF_JSON_ODD : 0;
}

static void set_args(pf_json_event *e, const event_value *v)
{
    e->args = (pf_json_text){0};
    e->flags &= (uint16_t) ~(PF_JSON_ARGS_EMPTY | PF_JSON_ARGS_LOST | PF_JSON_OTHER_ARGS);
    if (v->type != VALUE_OBJECT) {
        e->flags |= PF_JSON_ODD;
        return;
    }
    if (v->empty) {
        e->flags |= PF_JSON_ARGS_EMPTY;
    } else if (v->lost || v->ptr + v->len - e->start > PF_JSON_EVENT_MAX) {
        e->flags |= PF_JSON_ARGS_LOST;
    } else {
        e->args = (pf_json_text){v->ptr, (uint32_t)v->len, false};
    }
}

static void set_flag(pf_json_event *e, uint16_t flag, bool on)
{
    e->flags = (uint16_t)(on ? e->flags | flag : e->flags & ~flag);
}

/* An object under the dialect's own key is the event's args unless it has some. */
static void set_other_args(pf_json_event *e, const event_value *v)
{
    bool has_args = e->args.ptr || e->flags & (PF_JSON_ARGS_EMPTY | PF_JSON_ARGS_LOST);
    e->flags |= PF_JSON_ODD;
    if (v->type != VALUE_OBJECT || (has_args && !(e->flags & PF_JSON_OTHER_ARGS))) {
        return;
    }
    if (!v->empty) {
        set_args(e, v);
    }
    e->flags |= PF_JSON_OTHER_ARGS;
}

/* What most events do not have, or not so. */
static void note_odd(pf_json_event *e, bool odd)
{
    e->flags |= odd ? PF_JSON_ODD : 0;
}

/* Whether the time read is not what was written: cycles are whole numbers. */
static bool is_cut(const pf_json_rules *rules, const event_value *v)
{
    return rules->cycles && !(v->exact && v->decimals == 0);
}

/* A time that may be absent, but not unusable. */
static void take_time(pf_json_event *e, uint16_t has, uint16_t bad, const event_value *v, int64_t *out)
{
    bool ok = read_time(e->rules, v, out);
    set_flag(e, has, ok);
    set_flag(e, bad, !ok);
    note_odd(e, !ok || is_cut(e->rules, v));
}

static bool is_true(const event_value *v)
{
    return v->type == VALUE_WORD && v->len == 4 && memcmp(v->ptr, "true", 4) == 0;
}

static pf_json_text view_object(const event_value *v)
{
    bool usable = v->type == VALUE_OBJECT && !v->empty && !v->lost && v->len <= UINT32_MAX;
    return usable ? (pf_json_text){v->ptr, (uint32_t)v->len, false} : (pf_json_text){0};
}

static void take_rare_key(pf_json_event *e, pf_json_key key, const event_value *v)
{
    pf_json_rare *rare = pf_json_event_rare(e);
    switch (key) {
    case PF_JSON_KEY_ID:
        read_id(e, v, &rare->id);
        break;
    case PF_JSON_KEY_ID2:
        rare->id2 = view_object(v);
        note_odd(e, true);
        break;
    case PF_JSON_KEY_BIND_ID:
        read_id(e, v, &rare->bind_id);
        note_odd(e, true);
        break;
    case PF_JSON_KEY_TTS:
        take_time(e, PF_JSON_HAS_TTS, PF_JSON_BAD_TTS, v, &rare->tts);
        break;
    case PF_JSON_KEY_TDUR:
        take_time(e, PF_JSON_HAS_TDUR, PF_JSON_BAD_TDUR, v, &rare->tdur);
        break;
    default:
        break;
    }
}

static void take_key(pf_json_event *e, pf_json_key key, const event_value *v)
{
    switch (key) {
    case PF_JSON_KEY_PH:
        e->phase = first_letter(v);
        note_odd(e, v->len != 1);
        break;
    case PF_JSON_KEY_TS:
        set_flag(e, PF_JSON_HAS_TS, read_time(e->rules, v, &e->ts));
        note_odd(e, !(e->flags & PF_JSON_HAS_TS) || is_cut(e->rules, v));
        break;
    case PF_JSON_KEY_DUR:
        take_time(e, PF_JSON_HAS_DUR, PF_JSON_BAD_DUR, v, &e->dur);
        set_flag(e, PF_JSON_ROUNDED_DUR, !(v->type == VALUE_WORD && v->exact));
        break;
    case PF_JSON_KEY_PID:
        read_id(e, v, &e->pid);
        break;
    case PF_JSON_KEY_TID:
        read_id(e, v, &e->tid);
        break;
    case PF_JSON_KEY_NAME:
        e->name = view_text(v);
        note_odd(e, e->name.len == 0);
        break;
    case PF_JSON_KEY_CAT:
        e->category = view_text(v);
        note_odd(e, e->category.len == 0);
        break;
    case PF_JSON_KEY_ARGS:
        set_args(e, v);
        break;
    case PF_JSON_KEY_S:
        e->scope = first_letter(v);
        note_odd(e, v->type != VALUE_TEXT || v->len != 1);
        break;
    case PF_JSON_KEY_BP:
        set_flag(e, PF_JSON_BIND_ENCLOSING, first_letter(v) == 'e');
        note_odd(e, v->len != 1 || !(e->flags & PF_JSON_BIND_ENCLOSING));
        break;
    case PF_JSON_KEY_FLOW_IN:
        set_flag(e, PF_JSON_FLOW_IN, is_true(v));
        note_odd(e, true);
        break;
    case PF_JSON_KEY_FLOW_OUT:
        set_flag(e, PF_JSON_FLOW_OUT, is_true(v));
        note_odd(e, true);
        break;
    case PF_JSON_KEY_OTHER_ARGS:
        set_other_args(e, v);
        break;
    case PF_JSON_KEY_STACK:
        set_flag(e, PF_JSON_HAS_STACK, true);
        note_odd(e, true);
        break;
    case PF_JSON_KEY_OTHER:
        note_odd(e, true);
        break;
    default:
        take_rare_key(e, key, v);
        break;
    }
}

/* An object or array, passed over. */
static pf_json_scan_result read_container(pf_json_event *e, const uint8_t **at, event_value *v)
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

static pf_json_scan_result read_value(pf_json_event *e, const uint8_t **at, event_value *v)
{
    const uint8_t *p = *at;
    v->escaped = v->empty = v->lost = v->exact = false;
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
    const uint8_t *q = pf_json_read_decimal(p, &v->number, &v->decimals);
    v->exact = q && !pf_json_word_byte[*q];
    if (!v->exact) {
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

pf_json_scan_result pf_json_read_member(pf_json_event *e, const uint8_t **at)
{
    const uint8_t *p = *at + 1;
    const uint8_t *end = e->end;
    size_t len = 0;
    pf_json_key key = pf_json_known_key(p, &len);
    if (key == PF_JSON_KEY_OTHER || p + len >= end) {
        bool escaped = false;
        const uint8_t *q = pf_json_string_end(p, end, &escaped);
        if (!q) {
            return PF_JSON_MORE;
        }
        len = (size_t)(q - p);
        key = escaped ? escaped_key(e->rules, p, len) : key == PF_JSON_KEY_OTHER ? unknown_key(e->rules, p, len) : key;
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

pf_json_scan_result pf_json_read_event(const pf_json_rules *rules, const uint8_t **at, const uint8_t *end,
                                       pf_json_event *e, bool *empty)
{
    const uint8_t *p = *at + 1;
    pf_json_event_start(e, rules, *at, end);
    *empty = true;
    for (;;) {
        p = pf_json_skip_space(p, end);
        if (p == end) {
            return PF_JSON_MORE;
        }
        if (*p == '}') {
            break;
        }
        pf_json_scan_result result = *p == '"' ? pf_json_read_member(e, &p) : PF_JSON_BAD;
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
    *at = p + 1;
    return PF_JSON_DONE;
}
