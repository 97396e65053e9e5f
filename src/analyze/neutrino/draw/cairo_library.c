/* analyze/neutrino/draw/cairo_library.c - see the header. */
#include "analyze/neutrino/draw/cairo_library.h"

#include <dlfcn.h>
#include <stdio.h>

/* A function by its name; the way around a conversion that C does not have. */
static bool find(void *handle, const char *name, void *function)
{
    char symbol[64];
    snprintf(symbol, sizeof symbol, "cairo_%s", name);
    *(void **)function = dlsym(handle, symbol);
    return *(void **)function != NULL;
}

pf_status pf_cairo_open(pf_cairo *k, pf_error *err)
{
    bool good = true;
    void *library = dlopen("libcairo.so.2", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        return pf_fail(err, PF_ERR_INPUT, "pictures need the library libcairo.so.2; install it (Debian: libcairo2)");
    }
#define X(name) good = good && find(library, #name, &k->name);
    PF_CAIRO_FUNCTIONS(X)
#undef X
    if (!good) {
        return pf_fail(err, PF_ERR_INPUT, "libcairo.so.2 lacks a function; install cairo 1.16 or later");
    }
    return PF_OK;
}
