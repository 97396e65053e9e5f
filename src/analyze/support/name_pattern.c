/* analyze/support/name_pattern.c - see name_pattern.h. The expression comes from the user and the names do not; so the
 * steps of backtracking that a name may take are limited: beyond them it does not match. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "analyze/support/name_pattern.h"
#include "base/budget.h"

#include <pcre2.h>

enum { MATCH_LIMIT = 100000 };

pf_status pf_name_pattern_init(pf_name_pattern *p, const char *option, pf_str text, pf_error *err)
{
    int code;
    PCRE2_SIZE at;
    *p = (pf_name_pattern){.code = NULL};
    if (!text.ptr || !text.len) {
        return PF_OK;
    }
    p->code = pcre2_compile((PCRE2_SPTR)text.ptr, text.len, PCRE2_UTF | PCRE2_MATCH_INVALID_UTF, &code, &at, NULL);
    if (!p->code) {
        PCRE2_UCHAR why[200];
        pcre2_get_error_message(code, why, sizeof why);
        return pf_fail(err, PF_ERR_USAGE, "%s: %s, at character %zu", option, (const char *)why, (size_t)at + 1);
    }
    p->data = pcre2_match_data_create_from_pattern(p->code, NULL);
    p->limits = pcre2_match_context_create(NULL);
    PF_TRY(!p->data || !p->limits ? pf_no_memory(err) : PF_OK);
    pcre2_set_match_limit(p->limits, MATCH_LIMIT);
    return PF_OK;
}

void pf_name_pattern_free(pf_name_pattern *p)
{
    pcre2_match_data_free(p->data);
    pcre2_match_context_free(p->limits);
    pcre2_code_free(p->code);
    *p = (pf_name_pattern){.code = NULL};
}

bool pf_name_pattern_finds(const pf_name_pattern *p, pf_str name)
{
    return p->code && name.ptr && pcre2_match(p->code, (PCRE2_SPTR)name.ptr, name.len, 0, 0, p->data, p->limits) >= 0;
}
