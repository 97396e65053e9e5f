/* query/functions/regexp.h - regular expressions (PCRE2's syntax, which contains that of RE2), found anywhere in a
 * text. */
#pragma once

#include "postfetto/base.h"

typedef struct pf_regexp pf_regexp;

/* Room for a message about a pattern or a match. */
#define PF_REGEXP_PROBLEM 160

/* NULL on failure; `problem` then says why. `caseless`: A and a are the same. */
pf_regexp *pf_regexp_new(pf_str pattern, bool caseless, char problem[PF_REGEXP_PROBLEM]);

bool pf_regexp_is_caseless(const pf_regexp *re);

/* How many groups a pattern has. */
size_t pf_regexp_groups(const pf_regexp *re);

/* A group of what pf_regexp_find has just found, 0 for all of it; empty if it took no part. */
pf_str pf_regexp_group(const pf_regexp *re, pf_str text, size_t group);

/* 1 if the pattern is found from a byte on, 0 if not, -1 if the match was given up (too many steps); `problem` then
 * says why. */
int pf_regexp_find(pf_regexp *re, pf_str text, size_t from, char problem[PF_REGEXP_PROBLEM]);

void pf_regexp_free(pf_regexp *re);
