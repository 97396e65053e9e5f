/* edit/redact/redact_text.c - the options, and what becomes of a text by its role. */
#include "base/str.h"
#include "base/text/json_text.h"
#include "edit/redact/redact.h"

pf_status pf_redact_parse(const char *words, uint32_t *what, pf_error *err)
{
    static const char *const names[] = {"names", "args", "paths"};
    pf_str rest = pf_str_of(words);
    *what = 0;
    for (;;) {
        const char *comma = rest.len ? memchr(rest.ptr, ',', rest.len) : NULL;
        pf_str word = {rest.ptr, comma ? (size_t)(comma - rest.ptr) : rest.len};
        size_t i = 0;
        while (i < 3 && !pf_str_is(word, names[i])) {
            i++;
        }
        if (i == 3) {
            return pf_fail(err, PF_ERR_USAGE,
                           "\"%.*s\" is nothing that can be redacted; use names, args or paths, with commas",
                           (int)(word.len < 40 ? word.len : 40), word.ptr);
        }
        *what |= 1u << i;
        if (!comma) {
            return PF_OK;
        }
        rest = pf_str_from(rest, word.len + 1);
    }
}

bool pf_redact_is_number(pf_str text)
{
    if (text.len > 2 && text.len <= 18 && text.ptr[0] == '0' && text.ptr[1] == 'x') {
        size_t i = 2;
        while (i < text.len && pf_hex_value(text.ptr[i]) < 16) {
            i++;
        }
        return i == text.len;
    }
    return pf_json_is_number(text);
}

pf_status pf_redact_text(pf_redactor *r, pf_field_role role, pf_str text, pf_str *to, pf_error *err)
{
    static const uint8_t hashed_with[] = {[PF_ROLE_NAME] = PF_REDACT_NAMES,
                                          [PF_ROLE_VALUE] = PF_REDACT_ARGS,
                                          [PF_ROLE_PATH] = PF_REDACT_PATHS,
                                          [PF_ROLE_COMMAND] = UINT8_MAX,
                                          [PF_ROLE_PRIVATE] = UINT8_MAX};
    *to = text;
    if (role == PF_ROLE_VALUE && pf_redact_is_number(text)) {
        return PF_OK;
    }
    if (hashed_with[role] & r->o.what) {
        return pf_redact_whole(r, text, to, err);
    }
    return r->o.what & PF_REDACT_PATHS ? pf_redact_paths(r, text, to, err) : PF_OK;
}
