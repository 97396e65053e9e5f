/* base/text/demangle.h - names of C++ as they are written, by libstdc++, which is loaded when the first one comes. */
#pragma once

#include "postfetto/base.h"

typedef struct pf_demangler {
    char *(*call)(const char *name, char *buffer, size_t *length, int *status);
    void *library;
    unsigned asked; /* so many names so far */
} pf_demangler;

/* The name that the linker's one stands for; malloc'd. NULL: it is none, the library is not there, or what it stands
 * for might be very long: substitutions repeat what is before them, so that a short name can stand for gigabytes. */
char *pf_demangle(pf_demangler *d, pf_str name);
