/* cli/hook/config/hook_thresholds.h - which step of a hook judges which threshold.
 *
 * A threshold may ask for the tables of the trace and the report tables of one pass. The hook reads no trace, so a
 * child judges: the first pass that runs and has the tables, else `query` on the trace alone. What nothing that runs
 * can answer measured nothing, which is a finding. That every threshold can be answered by some pass is checked before
 * any work starts.
 */
#ifndef PF_CLI_HOOK_CONFIG_HOOK_THRESHOLDS_H
#define PF_CLI_HOOK_CONFIG_HOOK_THRESHOLDS_H

#include "cli/hook/config/hook_config.h"
#include "postfetto/base.h"

/* PF_ERR_USAGE for a threshold that neither the trace nor any pass (of those configured; all, where none is) can
 * answer, and for
 * --junit and --annotations without thresholds. */
pf_status pf_hook_thresholds_check(const pf_hook_config *c, pf_error *err);

/* The index in `passes` of the first pass with running[i] that can answer `text`; `count` if the trace alone can; -1,
 * with what is missing in err, if nothing can. */
int64_t pf_hook_threshold_judge(const char *text, const pf_hook_passes *passes, const bool *running, pf_error *err);

#endif
