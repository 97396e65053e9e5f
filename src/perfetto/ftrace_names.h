/* perfetto/ftrace_names.h - names of ftrace events and of their members, and who a print is of. */
#pragma once

#include "postfetto/base.h"

/* type: i and u for integers with and without a sign, s for texts, k for the number of a kernel symbol; 0: it is not
 * known. */
typedef struct pf_ftrace_member {
    char type;
    pf_str name;
} pf_ftrace_member;

/* What an event is called, {NULL, 0} if its number is not known. */
pf_str pf_ftrace_name(uint32_t kind);

pf_ftrace_member pf_ftrace_find_member(uint32_t kind, uint32_t field);

/* The pid in what a program wrote into ftrace ("B|1234|name"), 0: there is none; *rest: what follows it. */
uint64_t pf_ftrace_print_pid(pf_str print, pf_str *rest);
