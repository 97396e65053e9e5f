/* base/options/option_words.h - what reading and checking of options share. */
#ifndef PF_BASE_OPTIONS_OPTION_WORDS_H
#define PF_BASE_OPTIONS_OPTION_WORDS_H

#include "postfetto/author/option.h"

/* `within` of an option, read. */
typedef struct pf_option_bounds {
    bool has_least, has_most;
    bool above; /* the least value itself is excluded */
    pf_option_value least, most;
} pf_option_bounds;

/* False if `within` is not well made or the option's type has no order. */
bool pf_option_limits(const pf_option *o, pf_option_bounds *b);

/* The place of a word among choices separated by '|'; -1 if it is none of them. */
int64_t pf_choice_index(const char *choices, const char *text, size_t len);

#endif
