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
    *k = (pf_cairo){.handle = dlopen("libcairo.so.2", RTLD_NOW | RTLD_LOCAL)};
    if (!k->handle) {
        return pf_fail(err, PF_ERR_INPUT, "pictures need the library libcairo.so.2; install it (Debian: libcairo2)");
    }
#define X(name) good = good && find(k->handle, #name, &k->name);
    PF_CAIRO_FUNCTIONS(X)
#undef X
    if (!good) {
        pf_cairo_close(k);
        return pf_fail(err, PF_ERR_INPUT, "libcairo.so.2 lacks a function; install cairo 1.16 or later");
    }
    return PF_OK;
}

/* The library stays loaded: fonts that it has read are the process's, and cannot be given up one by one. */
void pf_cairo_close(pf_cairo *k)
{
    k->handle = NULL;
}
