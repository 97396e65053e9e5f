/* cli/commands/merge/merge_manifest.h - inputs of `merge` that a file lists, with their names and times. */
#pragma once

#include "cli/common/command.h"
#include "postfetto/edit.h"

typedef struct pf_cli_manifest {
    const char *path; /* NULL: there is none, and nothing is to be done */
    pf_document *document;
    const pf_node *files;
    char **inputs; /* paths that it gave to a run without operands, else NULL; */
    size_t count;
} pf_cli_manifest;

/* Reads it; its files become the operands of a run that has none. pf_cli_manifest_free must follow. */
pf_status pf_cli_manifest_read(pf_cli_run *run, pf_cli_manifest *m, const char *path);

/* Names the inputs, which are the operands, and adds to their offsets. */
pf_status pf_cli_manifest_apply(pf_cli_run *run, const pf_cli_manifest *m, pf_merge_input *inputs);

void pf_cli_manifest_free(pf_cli_run *run, pf_cli_manifest *m);
