/* base/text/demangle.c - see the header. */
#include "base/text/demangle.h"

#include <stdlib.h>

#include "base/library.h"
#include "base/str.h"

#define NAMES_MAX 4096u /* that are asked for; a process has fewer kernels */
#define NAME_MAX_BYTES 1024u
#define REPEATS_MAX 20u  /* n of them make a name at most 1.44^n times as long */
#define PACK_REPEATS 12u /* what an expansion of a pack counts for */
#define RESULT_MAX 16384u

static char *no_library(const char *name, char *buffer, size_t *length, int *status)
{
    *status = -1;
    return NULL;
}

/* Whether the name is one of the linker's, and of a length that is bounded. */
static bool is_bounded(const char *name, size_t len)
{
    unsigned repeats = 0;
    for (size_t i = 0; i < len; i++) {
        char c = name[i], next = name[i + 1];
        if (!pf_is_alnum(c) && c != '_' && c != '.' && c != '$') {
            return false;
        }
        bool numbered = next == '_' || pf_is_digit(next) || (next >= 'A' && next <= 'Z');
        repeats += (c == 'S' || c == 'T') && numbered;
        repeats += (c == 'D' || c == 's') && next == 'p' ? PACK_REPEATS : 0;
    }
    return repeats <= REPEATS_MAX;
}

static bool load(pf_demangler *d)
{
    if (!d->call) {
        d->library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
        if (!d->library || !pf_library_find(d->library, "__cxa_demangle", &d->call)) {
            d->call = no_library;
        }
    }
    return d->asked++ < NAMES_MAX;
}

char *pf_demangle(pf_demangler *d, pf_str name)
{
    char text[NAME_MAX_BYTES + 1];
    int status;
    if (name.len < 3 || name.len > NAME_MAX_BYTES || memcmp(name.ptr, "_Z", 2) != 0) {
        return NULL;
    }
    memcpy(text, name.ptr, name.len);
    text[name.len] = '\0';
    char *result = is_bounded(text, name.len) && load(d) ? d->call(text, NULL, NULL, &status) : NULL;
    if (result && strlen(result) > RESULT_MAX) {
        free(result);
        return NULL;
    }
    return result;
}
