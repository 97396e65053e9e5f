/* query/functions/regexp.c - regular expressions by PCRE2, in UTF-8 where the text is UTF-8 and by bytes where it is
 * not.
 *
 * Patterns and texts come from strangers, so a match may not run away: PCRE2 counts its backtracking steps and gives up
 * beyond a limit, which is an error of the query and not an endless loop.
 */
#include "query/functions/regexp.h"

#include <stdio.h>
#include <stdlib.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#define MATCH_LIMIT 1000000u
#define HEAP_LIMIT_KIB 16384u
#define QUANTIFIER_MAX 65535u /* PCRE2's */

struct pf_regexp {
    pcre2_code *code;
    pcre2_match_data *match;
    pcre2_match_context *context;
    bool caseless;
};

static uint32_t config(uint32_t what)
{
    uint32_t value = 0;
    pcre2_config(what, &value);
    return value;
}

/* Why a pattern cannot be compiled; PCRE2's own words do not name its limits. A compiled pattern is as large as what
 * its links reach: of 2, 3 or 4 bytes. */
static void explain(int code, char problem[PF_REGEXP_PROBLEM])
{
    uint32_t link = config(PCRE2_CONFIG_LINKSIZE), kib = link < 3 ? 1u << 6 : link == 3 ? 1u << 14 : 1u << 20;
    if (code == PCRE2_ERROR_PATTERN_TOO_LARGE) {
        snprintf(problem, PF_REGEXP_PROBLEM,
                 "the pattern is larger than %u KiB when compiled, which is the limit; simplify it", kib);
    } else if (code == PCRE2_ERROR_PARENTHESES_NEST_TOO_DEEP) {
        snprintf(problem, PF_REGEXP_PROBLEM,
                 "more than %u brackets inside of each other, which is the limit; simplify the pattern",
                 config(PCRE2_CONFIG_PARENSLIMIT));
    } else if (code == PCRE2_ERROR_QUANTIFIER_TOO_BIG) {
        snprintf(problem, PF_REGEXP_PROBLEM, "a number in {} is larger than %u, which is the limit", QUANTIFIER_MAX);
    } else {
        pcre2_get_error_message(code, (PCRE2_UCHAR *)problem, PF_REGEXP_PROBLEM);
    }
}

pf_regexp *pf_regexp_new(pf_str pattern, bool caseless, char problem[PF_REGEXP_PROBLEM])
{
    int code = PCRE2_ERROR_NOMEMORY;
    PCRE2_SIZE at = 0;
    uint32_t options = PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_DOLLAR_ENDONLY | (caseless ? PCRE2_CASELESS : 0);
    pf_regexp *re = calloc(1, sizeof *re);
    if (re) {
        re->caseless = caseless;
        re->code = pcre2_compile((PCRE2_SPTR)pattern.ptr, pattern.len, options, &code, &at, NULL);
    }
    if (re && re->code) {
        re->match = pcre2_match_data_create_from_pattern(re->code, NULL);
        re->context = pcre2_match_context_create(NULL);
    }
    if (!re || !re->match || !re->context) {
        explain(re && re->code ? PCRE2_ERROR_NOMEMORY : code, problem);
        pf_regexp_free(re);
        return NULL;
    }
    pcre2_set_match_limit(re->context, MATCH_LIMIT);
    pcre2_set_depth_limit(re->context, MATCH_LIMIT);
    pcre2_set_heap_limit(re->context, HEAP_LIMIT_KIB);
    return re;
}

int pf_regexp_find(pf_regexp *re, pf_str text, size_t from, char problem[PF_REGEXP_PROBLEM])
{
    PCRE2_SPTR bytes = (PCRE2_SPTR)(text.ptr ? text.ptr : "");
    int rc = pcre2_match(re->code, bytes, text.len, from, 0, re->match, re->context);
    if (rc >= 0 || rc == PCRE2_ERROR_NOMATCH) {
        return rc >= 0;
    }
    if (rc == PCRE2_ERROR_HEAPLIMIT) {
        snprintf(problem, PF_REGEXP_PROBLEM, "a match needs more than %u MiB, which is the limit; simplify the pattern",
                 HEAP_LIMIT_KIB / 1024);
    } else if (rc == PCRE2_ERROR_MATCHLIMIT || rc == PCRE2_ERROR_DEPTHLIMIT) {
        snprintf(problem, PF_REGEXP_PROBLEM,
                 "a match takes more than %u steps, which is the limit; simplify the pattern", MATCH_LIMIT);
    } else {
        pcre2_get_error_message(rc, (PCRE2_UCHAR *)problem, PF_REGEXP_PROBLEM);
    }
    return -1;
}

bool pf_regexp_is_caseless(const pf_regexp *re)
{
    return re->caseless;
}

size_t pf_regexp_groups(const pf_regexp *re)
{
    uint32_t groups = 0;
    pcre2_pattern_info(re->code, PCRE2_INFO_CAPTURECOUNT, &groups);
    return groups;
}

pf_str pf_regexp_group(const pf_regexp *re, pf_str text, size_t group)
{
    const PCRE2_SIZE *ends = pcre2_get_ovector_pointer(re->match);
    bool took_part = ends[2 * group] != PCRE2_UNSET && ends[2 * group] <= ends[2 * group + 1];
    return took_part ? (pf_str){text.ptr + ends[2 * group], ends[2 * group + 1] - ends[2 * group]} : PF_STR("");
}

void pf_regexp_free(pf_regexp *re)
{
    if (re) {
        pcre2_match_context_free(re->context);
        pcre2_match_data_free(re->match);
        pcre2_code_free(re->code);
        free(re);
    }
}
