/* read/chrome_json/apply/json_metadata.c - rows for the keys next to the events: json_metadata.MEMBER for the object
 * "metadata" (docs/reference/perfetto.md, "JSON document"), json.KEY for the others. The scanner was
 * over this text once already: keys and values follow each other without surprises. */
#include "read/chrome_json/apply/json_applier.h"

#include <stdio.h>

#include "base/str.h"
#include "base/text/json_text.h"
#include "base/text/number.h"
#include "read/chrome_json/apply/json_args.h"

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

/* Appends a text without its escapes. */
static pf_status put_decoded(pf_buffer *b, const char *text, size_t len, pf_error *err)
{
    unsigned lone = 0;
    size_t at = b->len;
    pf_buffer_put(b, text, len);
    PF_TRY(b->failed ? pf_no_memory(err) : PF_OK);
    b->len = at + pf_json_unescape((const uint8_t *)text, len, b->data + at, &lone);
    return PF_OK;
}

/* Texts are decoded after the name. */
static pf_status add_value(pf_trace *t, pf_buffer *name, pf_str value, pf_error *err)
{
    size_t len = name->len;
    if (*value.ptr != '"') {
        pf_str key = {name->data, len};
        return *value.ptr == '{' || *value.ptr == '[' ? pf_trace_add_metadata(t, key, value, 0, err)
                                                      : add_word(t, key, value.ptr, value.len, err);
    }
    PF_TRY(put_decoded(name, value.ptr + 1, value.len - 2, err));
    return pf_trace_add_metadata(t, (pf_str){name->data, len}, (pf_str){name->data + len, name->len - len}, 0, err);
}

/* Fills `name` with the prefix and the decoded key. */
static pf_status put_name(pf_buffer *name, const char *prefix, pf_str key, pf_error *err)
{
    name->len = 0;
    pf_buffer_text(name, prefix);
    return put_decoded(name, key.ptr, key.len, err);
}

static pf_status add_members(pf_trace *t, pf_buffer *name, pf_str object, pf_error *err)
{
    const uint8_t *p = (const uint8_t *)object.ptr + 1, *end = p - 1 + object.len;
    pf_json_member m;
    while (pf_json_next_member(&p, end, &m)) {
        PF_TRY(put_name(name, "json_metadata.", m.key, err));
        PF_TRY(add_value(t, name, m.value, err));
    }
    return PF_OK;
}

pf_status pf_json_add_metadata(pf_trace *t, pf_str key, pf_str value, pf_error *err)
{
    pf_buffer name = {0};
    pf_status st;
    if (pf_str_is(key, "metadata") && *value.ptr == '{') {
        st = add_members(t, &name, value, err);
    } else {
        st = put_name(&name, "json.", key, err);
        st = st == PF_OK ? add_value(t, &name, value, err) : st;
    }
    pf_buffer_free(&name);
    return st;
}
