/* cli/common/package_options.h - the options of commands with SQL that say where modules are. */
#pragma once

#include "cli/options/options.h"
#include "postfetto/query.h"

typedef struct pf_cli_packages {
    pf_option_value added; /* a list of DIR[@NAME] */
    const char *library;   /* or NULL */
} pf_cli_packages;

/* Rows of a table of options whose settings have them as a member. */
#define PF_CLI_PACKAGE_OPTIONS(settings, member)                                                                       \
    {"add-sql-package",                                                                                                \
     0,                                                                                                                \
     PF_OPTION_PATH,                                                                                                   \
     offsetof(settings, member.added),                                                                                 \
     "DIR[@NAME]",                                                                                                     \
     NULL,                                                                                                             \
     NULL,                                                                                                             \
     "INCLUDE PERFETTO MODULE NAME.a.b reads DIR/a/b.sql; NAME is DIR's own without one",                              \
     .traits = PF_OPTION_REPEATABLE},                                                                                  \
    {                                                                                                                  \
        "override-stdlib", 0, PF_OPTION_PATH, offsetof(settings, member.library), "DIR", NULL, NULL,                   \
            "read the modules of Perfetto's standard library there; none of them is built in"                          \
    }

pf_status pf_cli_add_packages(const pf_cli_packages *p, pf_query *q, pf_error *err);
