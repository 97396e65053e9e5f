/* cli/pass/pass_roles.h - what a pass takes as input, read role by role. */
#ifndef PF_CLI_PASS_PASS_ROLES_H
#define PF_CLI_PASS_PASS_ROLES_H

#include "base/arena.h"
#include "cli/common/command.h"

typedef struct pf_cli_held pf_cli_held;

typedef struct pf_cli_roles {
    pf_cli_run *run;
    pf_pass_inputs *paths;
    pf_budget budget; /* of the arena, where patterns became names */
    pf_arena arena;
    pf_pass_files *files; /* by role */
    pf_cli_held **held;   /* by role and file: what is to be freed */
    uint32_t more_want;   /* tables of the main trace that writing and thresholds need */
    bool kept;            /* they need it after the pass is done with it */
} pf_cli_roles;

/* Finds out which files the roles of run->pass have, from its options and these operands. more_want and kept are set.
 */
int pf_cli_roles_find(pf_cli_run *run, pf_cli_roles *roles, const char *const *operands, size_t count);

/* Reads them, but for those that the pass asks for itself. The first trace of the first role is run->trace. */
int pf_cli_roles_read(pf_cli_roles *roles);

/* For pf_pass_context. */
pf_status pf_cli_roles_open(void *roles, size_t role, size_t file, uint32_t more, pf_pass_file *out, pf_error *err);
void pf_cli_roles_close(void *roles, size_t role, size_t file);

/* Frees all but run->trace; what --stats says of the traces is kept in the run. */
void pf_cli_roles_free(pf_cli_roles *roles);

#endif
