/* model/documents/yaml_library.c - see the header. */
#include "model/documents/yaml_library.h"

#include "base/library.h"

#define SONAME "libyaml-0.so.2"

pf_status pf_yaml_load(pf_yaml_library *yaml, pf_error *err)
{
    *yaml = (pf_yaml_library){.handle = dlopen(SONAME, RTLD_NOW | RTLD_LOCAL)};
    bool all = yaml->handle != NULL;
#define FIND(name) all = all && pf_library_find(yaml->handle, "yaml_" #name, &yaml->name);
    PF_YAML_FUNCTIONS(FIND)
#undef FIND
    return all ? PF_OK
               : pf_fail(err, PF_ERR_INPUT, "%s cannot be loaded; install it (on Debian: apt install libyaml-0-2)",
                         SONAME);
}

void pf_yaml_unload(pf_yaml_library *yaml)
{
    if (yaml->handle) {
        dlclose(yaml->handle);
    }
}
