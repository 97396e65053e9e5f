/* model/documents/json_parse.c - JSON to nodes.
 *
 * One loop over the text with an explicit stack. What may come next is a state: a value, a key, or what follows a
 * value. A value is read where it begins by its first byte; a string is found by its closing quote, checked on the way,
 * and unescaped in one go if it has escapes.
 */

#include "base/str.h"
#include "base/text/json_text.h"
#include "base/text/number.h"
#include "model/documents/documents.h"

typedef enum json_state {
    JSON_VALUE,       /* a value must follow */
    JSON_FIRST_VALUE, /* a value, or the end of the list */
    JSON_KEY,         /* a key must follow */
    JSON_FIRST_KEY,   /* a key, or the end of the object */
    JSON_AFTER,       /* a comma or the end of the container */
    JSON_DONE         /* nothing but blanks */
} json_state;

typedef struct json_parser {
    pf_maker maker;
    const char *text;
    size_t len, at;
    size_t line_start;
    uint32_t line;
    json_state state;
    pf_str key; /* of the next value; ptr NULL in lists */
} json_parser;

static void skip_blanks(json_parser *p)
{
    for (; p->at < p->len; p->at++) {
        char c = p->text[p->at];
        if (c == '\n') {
            p->line++;
            p->line_start = p->at + 1;
        } else if (c != ' ' && c != '\t' && c != '\r') {
            break;
        }
    }
}

static pf_node *add(json_parser *p, pf_node_type type, size_t start)
{
    pf_node *n = pf_maker_add(&p->maker, type, p->line, (uint32_t)(start - p->line_start + 1));
    if (n) {
        n->key = p->key;
        p->key = (pf_str){NULL, 0};
    }
    return n;
}

static json_state after_value(const json_parser *p)
{
    return p->maker.depth ? JSON_AFTER : JSON_DONE;
}

/* Bytes of the escape at `at`, 0 if there is no such escape. */
static size_t escape_length(const json_parser *p, size_t at)
{
    if (at + 1 >= p->len || !p->text[at + 1] || !strchr("\"\\/bfnrtu", p->text[at + 1])) {
        return 0;
    }
    if (p->text[at + 1] != 'u') {
        return 2;
    }
    if (at + 6 > p->len) {
        return 0;
    }
    for (size_t i = at + 2; i < at + 6; i++) {
        if (pf_hex_value(p->text[i]) > 15) {
            return 0;
        }
    }
    return 6;
}

/* The string whose opening quote is at p->at; p->at moves past its closing quote. */
static pf_status read_string(json_parser *p, pf_str *out)
{
    size_t start = ++p->at, at = start;
    bool escaped = false;
    for (; at < p->len && p->text[at] != '"';) {
        if ((uint8_t)p->text[at] < 0x20) {
            return pf_maker_refuse(&p->maker, at, "a control character in a string must be written as an escape");
        }
        size_t step = p->text[at] == '\\' ? escape_length(p, at) : 1;
        if (step == 0) {
            return pf_maker_refuse(&p->maker, at, "this is not a JSON escape");
        }
        escaped |= p->text[at] == '\\';
        at += step;
    }
    if (at >= p->len) {
        return pf_maker_refuse(&p->maker, start - 1, "the string that begins here never ends");
    }
    p->at = at + 1;
    *out = pf_maker_keep(&p->maker, p->text + start, at - start);
    if (escaped && out->ptr) {
        unsigned lone = 0;
        char *text = (char *)(uintptr_t)out->ptr;
        out->len = pf_json_unescape((const uint8_t *)p->text + start, at - start, text, &lone);
        text[out->len] = '\0';
    }
    return p->maker.error.code;
}

static pf_status read_number(json_parser *p)
{
    bool whole;
    size_t start = p->at, end = pf_json_number_end((pf_str){p->text, p->len}, start, &whole);
    if (end == 0) {
        return pf_maker_refuse(&p->maker, start, "this is not a JSON number");
    }
    pf_node *n = add(p, PF_NODE_RAW, start);
    PF_TRY(n ? PF_OK : p->maker.error.code);
    p->at = end;
    p->state = after_value(p);
    if (whole && pf_parse_int(p->text + start, end - start, &n->as.i)) {
        n->type = PF_NODE_INT;
    } else if (!whole && pf_parse_real(p->text + start, end - start, &n->as.d)) {
        n->type = PF_NODE_REAL;
    } else {
        n->as.s = pf_maker_keep(&p->maker, p->text + start, end - start);
    }
    return p->maker.error.code;
}

static pf_status read_word(json_parser *p)
{
    static const struct {
        const char *word;
        pf_node_type type;
        bool value;
    } words[] = {{"null", PF_NODE_NULL, false}, {"true", PF_NODE_BOOL, true}, {"false", PF_NODE_BOOL, false}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        pf_str word = pf_str_of(words[i].word);
        if (pf_str_starts((pf_str){p->text + p->at, p->len - p->at}, word)) {
            pf_node *n = add(p, words[i].type, p->at);
            if (n) {
                n->as.b = words[i].value;
                p->at += word.len;
                p->state = after_value(p);
            }
            return p->maker.error.code;
        }
    }
    return pf_maker_refuse(&p->maker, p->at, "a value is expected here");
}

static pf_status open_container(json_parser *p, pf_node_type type)
{
    pf_node *n = add(p, type, p->at++);
    p->state = type == PF_NODE_LIST ? JSON_FIRST_VALUE : JSON_FIRST_KEY;
    return n ? pf_maker_open(&p->maker, n) : p->maker.error.code;
}

static pf_status close_container(json_parser *p)
{
    pf_maker_close(&p->maker);
    p->at++;
    p->state = after_value(p);
    return PF_OK;
}

static pf_status read_value(json_parser *p)
{
    char c = p->text[p->at];
    if (c == '{' || c == '[') {
        return open_container(p, c == '[' ? PF_NODE_LIST : PF_NODE_OBJECT);
    }
    if (c == '"') {
        size_t start = p->at;
        pf_str text;
        PF_TRY(read_string(p, &text));
        pf_node *n = add(p, PF_NODE_TEXT, start);
        if (n) {
            n->as.s = text;
        }
        p->state = after_value(p);
        return p->maker.error.code;
    }
    return c == '-' || pf_is_digit(c) ? read_number(p) : read_word(p);
}

static pf_status read_key(json_parser *p)
{
    if (p->text[p->at] != '"') {
        return pf_maker_refuse(&p->maker, p->at, "a name in double quotes is expected here");
    }
    PF_TRY(read_string(p, &p->key));
    skip_blanks(p);
    if (p->at == p->len || p->text[p->at] != ':') {
        return pf_maker_refuse(&p->maker, p->at, "a ':' is expected here");
    }
    p->at++;
    p->state = JSON_VALUE;
    return PF_OK;
}

static pf_status read_after(json_parser *p)
{
    const pf_node *open = pf_maker_container(&p->maker);
    bool list = open->type == PF_NODE_LIST;
    if (p->text[p->at] == (list ? ']' : '}')) {
        return close_container(p);
    }
    if (p->text[p->at] != ',') {
        return pf_maker_refuse(&p->maker, p->at,
                               list ? "a ',' or ']' is expected here" : "a ',' or '}' is expected here");
    }
    p->at++;
    p->state = list ? JSON_VALUE : JSON_KEY;
    return PF_OK;
}

/* One step: blanks, then what the state asks for. */
static pf_status step(json_parser *p)
{
    char c = p->text[p->at];
    switch (p->state) {
    case JSON_FIRST_VALUE:
        return c == ']' ? close_container(p) : read_value(p);
    case JSON_VALUE:
        return read_value(p);
    case JSON_FIRST_KEY:
        return c == '}' ? close_container(p) : read_key(p);
    case JSON_KEY:
        return read_key(p);
    case JSON_AFTER:
        return read_after(p);
    case JSON_DONE:
        break;
    }
    return pf_maker_refuse(&p->maker, p->at, "the document ends before this");
}

pf_status pf_json_parse(pf_str text, const pf_parse_limits *limits, pf_document **out, pf_error *err)
{
    json_parser p = {.text = text.ptr, .len = text.len, .line = 1, .state = JSON_VALUE};
    pf_status st = pf_maker_begin(&p.maker, text, limits);
    if (pf_str_starts(text, PF_STR("\xef\xbb\xbf"))) {
        p.at = p.line_start = 3;
    }
    skip_blanks(&p);
    while (st == PF_OK && p.at < p.len) {
        st = step(&p);
        skip_blanks(&p);
    }
    if (st == PF_OK && p.state != JSON_DONE) {
        pf_maker_refuse(&p.maker, p.len,
                        p.maker.document->root ? "the document ends in its middle" : "there is nothing in it");
    }
    return pf_maker_end(&p.maker, out, err);
}
