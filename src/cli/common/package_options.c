/* cli/common/package_options.c - folders with modules of SQL, from the command line to a session. */
#include "cli/common/package_options.h"

#include <stdlib.h>
#include <string.h>

/* DIR or DIR@NAME; a folder may have a sign @ in its name. */
static pf_status add(const char *given, pf_query *q, pf_error *err)
{
    const char *at = strrchr(given, '@'), *name = at && !strchr(at, '/') ? at + 1 : NULL;
    char *dir = name ? strndup(given, (size_t)(at - given)) : strdup(given);
    if (!dir) {
        return pf_fail(err, PF_ERR_MEMORY, "out of memory");
    }
    pf_status st = pf_query_add_package(q, dir, name, err);
    free(dir);
    return st;
}

pf_status pf_cli_add_packages(const pf_cli_packages *p, pf_query *q, pf_error *err)
{
    PF_TRY(p->library ? pf_query_add_library(q, p->library, err) : PF_OK);
    for (size_t i = 0; i < p->added.count; i++) {
        PF_TRY(add(p->added.all[i].s.ptr, q, err));
    }
    return PF_OK;
}
