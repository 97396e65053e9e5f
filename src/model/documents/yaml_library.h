/* model/documents/yaml_library.h - libyaml, loaded when there is YAML to read. */
#pragma once

#include <yaml.h>

#include "postfetto/base.h"

/* X(name) for the functions that are used; each becomes a member that is called like the function. */
#define PF_YAML_FUNCTIONS(X)                                                                                           \
    X(document_delete)                                                                                                 \
    X(document_get_node)                                                                                               \
    X(document_get_root_node)                                                                                          \
    X(event_delete)                                                                                                    \
    X(parser_delete)                                                                                                   \
    X(parser_initialize)                                                                                               \
    X(parser_load)                                                                                                     \
    X(parser_parse)                                                                                                    \
    X(parser_set_encoding)                                                                                             \
    X(parser_set_input_file)                                                                                           \
    X(parser_set_input_string)

typedef struct pf_yaml_library {
    void *handle;
#define PF_YAML_MEMBER(name) __typeof__(&yaml_##name) name;
    PF_YAML_FUNCTIONS(PF_YAML_MEMBER)
#undef PF_YAML_MEMBER
} pf_yaml_library;

/* PF_ERR_INPUT, with what to install, where the library is missing. pf_yaml_unload is legal after a failure, too. */
pf_status pf_yaml_load(pf_yaml_library *yaml, pf_error *err);
void pf_yaml_unload(pf_yaml_library *yaml);
