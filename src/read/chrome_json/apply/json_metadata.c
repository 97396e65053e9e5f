/* read/chrome_json/apply/json_metadata.c - rows for the keys next to the events: json_metadata.MEMBER for the object
 * "metadata" (docs/reference/perfetto.md, "JSON document"), json.KEY for the others. The members are walked with the
 * scanner, which was over this text once already: keys and values follow each other without surprises. */
#include "read/chrome_json/apply/json_metadata.h"

#include <stdio.h>

#include "base/buffer.h"
#include "base/text/escapes.h"
#include "base/text/number.h"
#include "read/chrome_json/scan/skip.h"

/* Adds a row for a bare word: a number or true or false; null adds nothing. */
static pf_status add_word(pf_trace *t, pf_str name, const char *p, size_t len, pf_error *err)
{
    int64_t i = 0;
    double d = 0;
    if (pf_parse_int(p, len, &i)) {
        return pf_trace_add_metadata(t, name, (pf_str){NULL, 0}, i, err);
    }
    if (pf_parse_real(p, len, &d)) {
        if (d >= -0x1p63 && d < 0x1p63 && d == (double)(int64_t)d) {
            return pf_trace_add_metadata(t, name, (pf_str){NULL, 0}, (int64_t)d, err);
        }
        char text[PF_NUMBER_MAX];
        size_t n = pf_format_real_short(d, text);
        return pf_trace_add_metadata(t, name, (pf_str){text, n}, 0, err);
    }
    if (*p == 't' || *p == 'f') {
        return pf_trace_add_metadata(t, name, (pf_str){NULL, 0}, *p == 't', err);
    }
    return PF_OK;
}

/* The value in [p, q); texts are decoded after the name. */
static pf_status add_value(pf_trace *t, pf_buffer *name, const uint8_t *p, const uint8_t *q, pf_error *err)
{
    size_t name_len = name->len;
    size_t len = (size_t)(q - p);
    if (*p != '"') {
        pf_str key = {name->data, name_len};
        return *p == '{' || *p == '[' ? pf_trace_add_metadata(t, key, (pf_str){(const char *)p, len}, 0, err)
                                      : add_word(t, key, (const char *)p, len, err);
    }
    unsigned lone = 0;
    pf_buffer_put(name, p + 1, len - 2);
    if (name->failed) {
        return pf_no_memory(err);
    }
    size_t n = pf_json_unescape(p + 1, len - 2, name->data + name_len, &lone);
    return pf_trace_add_metadata(t, (pf_str){name->data, name_len}, (pf_str){name->data + name_len, n}, 0, err);
}

/* Fills `name` with the prefix and the decoded key. */
static pf_status put_name(pf_buffer *name, const char *prefix, const uint8_t *key, size_t len, pf_error *err)
{
    unsigned lone = 0;
    name->len = 0;
    pf_buffer_text(name, prefix);
    size_t at = name->len;
    pf_buffer_put(name, key, len);
    if (name->failed) {
        return pf_no_memory(err);
    }
    name->len = at + pf_json_unescape(key, len, name->data + at, &lone);
    return PF_OK;
}

static pf_status add_entry(pf_trace *t, pf_buffer *name, const uint8_t **at, const uint8_t *end, pf_error *err)
{
    bool escaped = false;
    const uint8_t *key = *at + 1;
    const uint8_t *q = pf_json_string_end(key, end, &escaped);
    if (!q) {
        *at = end;
        return PF_OK;
    }
    PF_TRY(put_name(name, "json_metadata.", key, (size_t)(q - key), err));
    const uint8_t *p = pf_json_skip_space(q + 1, end);
    p = pf_json_skip_space(p + 1, end);
    pf_json_scan scan;
    pf_json_scan_start(&scan);
    q = p;
    if (p >= end || pf_json_scan_value(&scan, &q, end) != PF_JSON_DONE) {
        *at = end;
        return PF_OK;
    }
    *at = q;
    return add_value(t, name, p, q, err);
}

static pf_status add_members(pf_trace *t, pf_buffer *name, const pf_json_text *object, pf_error *err)
{
    const uint8_t *p = object->ptr + 1;
    const uint8_t *end = object->ptr + object->len;
    while (p < end) {
        p = pf_json_skip_space(p, end);
        if (p < end && *p == '"') {
            PF_TRY(add_entry(t, name, &p, end, err));
        } else {
            p += p < end;
        }
    }
    return PF_OK;
}

pf_status pf_json_add_metadata(pf_trace *t, const pf_json_text *key, const pf_json_text *value, pf_error *err)
{
    pf_buffer name = {0};
    pf_status st;
    if (key->len == 8 && memcmp(key->ptr, "metadata", 8) == 0 && *value->ptr == '{') {
        st = add_members(t, &name, value, err);
    } else {
        st = put_name(&name, "json.", key->ptr, key->len, err);
        st = st == PF_OK ? add_value(t, &name, value->ptr, value->ptr + value->len, err) : st;
    }
    pf_buffer_free(&name);
    return st;
}
