/* edit/redact/redact_json.c - texts in JSON, replaced where they stand.
 *
 * The bytes are gone through once, token by token, without a tree and without recursion: a string with a colon after it
 * is a key, and the depth counts brackets. That is enough to know what a string means, because only the keys
 * of its outermost object have a meaning of their own. All other bytes are copied. Whatever is no token of JSON ends
 * the walk: then the value is left out, since nobody knows what it says.
 */
#include "base/str.h"
#include "base/text/json_text.h"
#include "edit/redact/redact.h"

typedef struct json_walk {
    pf_str text;
    size_t at, begin; /* after the token, where it begins */
    unsigned depth;   /* of brackets around the token */
    bool is_key;
    pf_str key; /* the last one of the outermost object, between its quotes */
} json_walk;

typedef enum json_token { TOKEN_END, TOKEN_STRING, TOKEN_OTHER, TOKEN_BAD } json_token;

static bool is_bare(char c)
{
    return pf_is_alnum(c) || c == '-' || c == '+' || c == '.';
}

/* A number, or a word that is JSON or Python's kind of it. */
static json_token take_bare(json_walk *w)
{
    static const char *const words[] = {"true", "false", "null", "NaN", "Infinity", "-Infinity"};
    while (w->at < w->text.len && is_bare(w->text.ptr[w->at])) {
        w->at++;
    }
    pf_str word = {w->text.ptr + w->begin, w->at - w->begin};
    bool known = pf_is_digit(word.ptr[0]) || (word.len > 1 && word.ptr[0] == '-' && pf_is_digit(word.ptr[1]));
    for (size_t i = 1; i < word.len && known; i++) {
        known = pf_is_digit(word.ptr[i]) || strchr("-+.eE", word.ptr[i]);
    }
    for (size_t i = 0; i < sizeof words / sizeof *words && !known; i++) {
        known = pf_str_is(word, words[i]);
    }
    return known ? TOKEN_OTHER : TOKEN_BAD;
}

static size_t after_blanks(pf_str text, size_t at)
{
    while (at < text.len && pf_is_blank(text.ptr[at])) {
        at++;
    }
    return at;
}

static json_token take_string(json_walk *w)
{
    while (w->at < w->text.len && w->text.ptr[w->at] != '"') {
        w->at += w->text.ptr[w->at] == '\\' ? 2 : 1;
    }
    if (w->at >= w->text.len) {
        return TOKEN_BAD;
    }
    w->at++;
    size_t next = after_blanks(w->text, w->at);
    w->is_key = next < w->text.len && w->text.ptr[next] == ':';
    if (w->is_key && w->depth == 1) {
        w->key = (pf_str){w->text.ptr + w->begin + 1, w->at - w->begin - 2};
    }
    return TOKEN_STRING;
}

static json_token next_token(json_walk *w)
{
    w->begin = w->at = after_blanks(w->text, w->at);
    if (w->at >= w->text.len) {
        return w->depth ? TOKEN_BAD : TOKEN_END;
    }
    char c = w->text.ptr[w->at];
    if (is_bare(c)) {
        return take_bare(w);
    }
    w->at++;
    switch (c) {
    case '"':
        return take_string(w);
    case '{':
    case '[':
        w->depth++;
        return TOKEN_OTHER;
    case '}':
    case ']':
        return w->depth && w->depth-- ? TOKEN_OTHER : TOKEN_BAD;
    case ':':
    case ',':
        return TOKEN_OTHER;
    default:
        return TOKEN_BAD;
    }
}

/* The text between the quotes of the token. */
static pf_status string_of(pf_redactor *r, const json_walk *w, pf_str *text, pf_error *err)
{
    pf_str raw = {w->text.ptr + w->begin + 1, w->at - w->begin - 2};
    unsigned lone;
    *text = raw;
    if (raw.len && memchr(raw.ptr, '\\', raw.len)) {
        r->plain.len = 0;
        char *room = pf_buffer_room(&r->plain, raw.len);
        if (!room) {
            return pf_no_memory(err);
        }
        *text = (pf_str){room, pf_json_unescape((const uint8_t *)raw.ptr, raw.len, room, &lone)};
    }
    return PF_OK;
}

/* What the phase of an event says: its letter, 0 if there is none. */
static char phase_of(pf_str event)
{
    json_walk w = {.text = event};
    char phase = 0;
    json_token token;
    while ((token = next_token(&w)) != TOKEN_END && token != TOKEN_BAD) {
        if (token == TOKEN_STRING && !w.is_key && w.depth == 1 && pf_str_is(w.key, "ph") && w.at > w.begin + 2) {
            phase = w.text.ptr[w.begin + 1];
        }
    }
    return phase;
}

static bool has_only(pf_str text, const char *letters, size_t most)
{
    size_t i = 0;
    while (i < text.len && text.ptr[i] && strchr(letters, text.ptr[i])) {
        i++;
    }
    return i == text.len && i <= most;
}

static bool is_one_of(pf_str key, const char *const *keys)
{
    while (*keys && !pf_str_is(key, *keys)) {
        keys++;
    }
    return *keys;
}

/* What a text of an event means; PF_ROLE_DATA: it stays. Numbers may stand in texts, ids in hexadecimal ones without
 * 0x; the values of a counter may look like numbers and be none. A state of a thread is a letter or two, or Running. */
static pf_field_role role_in_event(const json_walk *w, char phase, pf_str text)
{
    static const char *const letters[] = {"ph", "s", "bp", NULL};
    static const char *const times[] = {"ts", "dur", "tts", "tdur", NULL};
    static const char *const ids[] = {"id", "id2", "pid", "tid", "scope", "bind_id", "sf", "esf", NULL};
    static const char *const names[] = {"name", "cat", "cname", "stack", "estack", NULL};
    static const char *const args[] = {"args", "attr", NULL};
    if (is_one_of(w->key, letters)) {
        return text.len < 4 ? PF_ROLE_DATA : PF_ROLE_PRIVATE; /* of which the first letter counts */
    }
    if (is_one_of(w->key, times)) {
        return pf_redact_is_number(text) ? PF_ROLE_DATA : PF_ROLE_PRIVATE;
    }
    if (is_one_of(w->key, ids)) {
        bool number = pf_redact_is_number(text) || has_only(text, "0123456789abcdefABCDEF", 16);
        return number ? PF_ROLE_DATA : PF_ROLE_NAME;
    }
    if (is_one_of(w->key, args)) {
        bool value = phase == 'C' && has_only(text, "0123456789+-.eE", 40);
        return value ? PF_ROLE_DATA : phase == 'M' ? PF_ROLE_NAME : PF_ROLE_VALUE;
    }
    bool state = phase == 'T' && pf_str_is(w->key, "name") && (text.len < 3 || pf_str_is(text, "Running"));
    return state ? PF_ROLE_DATA : is_one_of(w->key, names) ? PF_ROLE_NAME : PF_ROLE_PRIVATE;
}

static pf_field_role role_of(const json_walk *w, pf_redact_place place, pf_str key, char phase, pf_str text)
{
    if (w->is_key) {
        return PF_ROLE_KEY;
    }
    if (place == PF_REDACT_EVENT) {
        return role_in_event(w, phase, text);
    }
    bool stays = pf_str_is(key, "displayTimeUnit") || (pf_str_is(key, "stackFrames") && pf_redact_is_number(text));
    return stays ? PF_ROLE_DATA : place == PF_REDACT_MEMBER ? PF_ROLE_PRIVATE : PF_ROLE_VALUE;
}

/* Categories of one event stand in one text, with commas between them. */
static pf_status redact_categories(pf_redactor *r, pf_str text, pf_buffer *out, bool *changed, pf_error *err)
{
    for (size_t at = 0; at <= text.len;) {
        const char *comma = memchr(text.ptr + at, ',', text.len - at);
        size_t end = comma ? (size_t)(comma - text.ptr) : text.len;
        pf_str one = {text.ptr + at, end - at}, to;
        PF_TRY(pf_redact_text(r, PF_ROLE_NAME, one, &to, err));
        *changed = *changed || to.ptr != one.ptr;
        pf_buffer_put(out, ",", at > 0);
        pf_buffer_put(out, to.ptr, to.len);
        at = end + 1;
    }
    return PF_OK;
}

/* Appends the string at hand, or what becomes of it. */
static pf_status put_string(pf_redactor *r, const json_walk *w, pf_field_role role, pf_str text, pf_buffer *out,
                            pf_error *err)
{
    pf_str to = text;
    bool changed = false;
    if (role == PF_ROLE_NAME && pf_str_is(w->key, "cat") && !w->is_key) {
        r->pieces.len = 0;
        PF_TRY(redact_categories(r, text, &r->pieces, &changed, err));
        to = (pf_str){r->pieces.data, r->pieces.len};
    } else if (role != PF_ROLE_DATA) {
        PF_TRY(pf_redact_text(r, role, text, &to, err));
        changed = to.ptr != text.ptr;
    }
    if (changed) {
        r->result.texts++;
        pf_json_put_utf8(out, to);
    } else {
        pf_buffer_put(out, w->text.ptr + w->begin, w->at - w->begin);
    }
    return PF_OK;
}

pf_status pf_redact_json(pf_redactor *r, pf_redact_place place, pf_str key, pf_str value, pf_str *out, pf_error *err)
{
    json_walk w = {.text = value};
    char phase = place == PF_REDACT_EVENT ? phase_of(value) : 0;
    json_token token;
    r->json.len = 0;
    do {
        size_t before = w.at;
        pf_str text;
        token = next_token(&w);
        pf_buffer_put(&r->json, value.ptr + before, w.begin - before); /* blanks */
        if (token == TOKEN_STRING) {
            PF_TRY(string_of(r, &w, &text, err));
            PF_TRY(put_string(r, &w, role_of(&w, place, key, phase, text), text, &r->json, err));
        } else if (token == TOKEN_OTHER) {
            pf_buffer_put(&r->json, value.ptr + w.begin, w.at - w.begin);
        }
    } while (token == TOKEN_STRING || token == TOKEN_OTHER);
    r->result.parts += token == TOKEN_BAD && place != PF_REDACT_ARGUMENT;
    *out = token == TOKEN_END ? (pf_str){r->json.data, r->json.len} : (pf_str){NULL, 0};
    return r->json.failed || r->pieces.failed ? pf_no_memory(err) : PF_OK;
}
