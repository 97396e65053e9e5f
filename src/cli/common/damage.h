/* cli/common/damage.h - the fault counters of a trace, as messages and as JSON. */
#ifndef PF_CLI_COMMON_DAMAGE_H
#define PF_CLI_COMMON_DAMAGE_H

#include "cli/common/command.h"

/* Adds "damage": a list with one object for each counter that is not zero, the worst severity first. */
void pf_cli_add_damage(pf_findings *f, pf_node *parent, const pf_trace *t);

/* The i-th counter that is not zero, the worst severity first; false after the last. Of one input, or of all. */
bool pf_cli_damage(const pf_trace *t, size_t i, pf_stat *out);
bool pf_cli_damage_of(const pf_trace *t, size_t input, size_t i, pf_stat *out);

/* A warning for each counter of severity error or data_loss, with -v a note for every other one. */
void pf_cli_warn_of_damage(pf_cli_run *run);

#endif
