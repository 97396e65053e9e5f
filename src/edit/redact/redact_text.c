/* edit/redact/redact_text.c - what becomes of a text by its role. */
#include "base/str.h"
#include "base/text/json_text.h"
#include "edit/redact/redact.h"

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

/* A command line in one text: word by word, because readers take the first one for the name of the process. */
static pf_status redact_words(pf_redactor *r, pf_str text, pf_str *to, pf_error *err)
{
    r->text.len = 0;
    for (size_t at = 0; at < text.len;) {
        const char *blank = memchr(text.ptr + at, ' ', text.len - at);
        pf_str word = {text.ptr + at, blank ? (size_t)(blank - text.ptr) - at : text.len - at}, hash;
        PF_TRY(pf_redact_whole(r, word, &hash, err));
        pf_buffer_put(&r->text, hash.ptr, hash.len);
        pf_buffer_put(&r->text, " ", blank != NULL);
        at += word.len + (blank != NULL);
    }
    *to = (pf_str){r->text.data, r->text.len};
    return r->text.failed ? pf_no_memory(err) : PF_OK;
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
    if (role == PF_ROLE_COMMAND && text.len && memchr(text.ptr, ' ', text.len)) {
        return redact_words(r, text, to, err);
    }
    if (hashed_with[role] & r->o.what) {
        return pf_redact_whole(r, text, to, err);
    }
    return r->o.what & PF_REDACT_PATHS ? pf_redact_paths(r, text, to, err) : PF_OK;
}
