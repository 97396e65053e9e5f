/* cli/open/http_library.c - the functions by their names. */
#include "cli/open/http_library.h"

#include <dlfcn.h>
#include <string.h>

#define SONAME "libmicrohttpd.so.12"

/* A pointer to a function is not one to an object in C; POSIX says that they have one form. */
static bool find(void *handle, const char *name, void *member)
{
    void *found = dlsym(handle, name);
    memcpy(member, &found, sizeof found);
    return found != NULL;
}

pf_status pf_http_load(pf_http_library *lib, pf_error *err)
{
    *lib = (pf_http_library){.handle = dlopen(SONAME, RTLD_NOW | RTLD_LOCAL)};
    bool all = lib->handle != NULL;
#define FIND(name) all = all && find(lib->handle, "MHD_" #name, &lib->name);
    PF_HTTP_FUNCTIONS(FIND)
#undef FIND
    if (!all) {
        pf_http_unload(lib);
        return pf_fail(err, PF_ERR_OUTPUT, "%s cannot be loaded; install it (on Debian: apt install libmicrohttpd12)",
                       SONAME);
    }
    return PF_OK;
}

void pf_http_unload(pf_http_library *lib)
{
    if (lib->handle) {
        dlclose(lib->handle);
    }
    *lib = (pf_http_library){0};
}
