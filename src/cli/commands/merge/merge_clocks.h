/* cli/commands/merge/merge_clocks.h - where the inputs of `merge` go on one time axis: what options say and traces
 * show. */
#pragma once

#include "cli/common/command.h"
#include "postfetto/edit.h"

typedef struct merge_settings {
    pf_cli_settings common;
    pf_option_value offsets; /* of --offset: FILE=TIME */
    const char *align, *manifest;
    bool align_collectives, compress, machines;
} merge_settings;

/* The operand that is called so, by its path or by the name of its file; operand_count: none or several. */
size_t pf_cli_merge_find(const pf_cli_run *run, const char *name, size_t len);

/* Adds what --offset says to the inputs, which are the operands of the run. */
pf_status pf_cli_merge_offsets(pf_cli_run *run, pf_merge_input *inputs);

/* Moves them so that the first slice of each whose name fits --align begins at the same time. */
pf_status pf_cli_merge_align(pf_cli_run *run, pf_merge_input *inputs);

/* Gives them the clock of the first one by collectives. Where that would make the times no better, says so and leaves
 * run->code at a finding. */
pf_status pf_cli_merge_align_collectives(pf_cli_run *run, pf_merge_input *inputs);
