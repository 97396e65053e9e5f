/* analyze/support/name_pattern.h - a Perl regular expression of the user's, asked about names. */
#pragma once

#include "postfetto/base.h"

typedef struct pf_name_pattern {
    void *code, *data, *limits; /* NULL: none was given */
} pf_name_pattern;

/* `option` names it in errors ("--compute"); an empty or absent text is no expression. Free also what was refused. */
pf_status pf_name_pattern_init(pf_name_pattern *p, const char *option, pf_str text, pf_error *err);
void pf_name_pattern_free(pf_name_pattern *p);

/* Whether it matches somewhere in the name; never without an expression. */
bool pf_name_pattern_finds(const pf_name_pattern *p, pf_str name);
