/* base/library.h - functions of a library that is loaded when it is needed.
 *
 * What few runs need is no dependency of the program: a library that is linked costs every run its pages. */
#pragma once

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

/* Stores the address of a function in `member`, a pointer to a function; false, and NULL stored, where the library has
 * none of the name. A pointer to a function is not one to an object in C; POSIX says that they have one form. */
static inline bool pf_library_find(void *library, const char *name, void *member)
{
    void *found = dlsym(library, name);
    memcpy(member, &found, sizeof found);
    return found != NULL;
}
