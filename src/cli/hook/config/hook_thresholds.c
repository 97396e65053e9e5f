/* cli/hook/config/hook_thresholds.c - which step of a hook judges which threshold.
 *
 * A threshold may ask for the tables of the trace and the report tables of one pass. The hook reads no trace, so a
 * child judges: the first pass that runs and has the tables, else `query` on the trace alone. What nothing that runs
 * can answer measured nothing, which is a finding. That every threshold can be answered by some pass is checked before
 * any work starts. */
#include "cli/hook/config/hook_config.h"

#include "cli/thresholds/thresholds.h"
#include "postfetto/author/pass.h"

static bool suits(const char *text, const pf_pass *pass, pf_error *err)
{
    const pf_limits limits = pf_limits_default();
    *err = (pf_error){.offset = PF_NOWHERE, .packet = PF_NOWHERE};
    return pf_cli_threshold_try(text, pass, &limits, err) == PF_OK;
}

/* The error of the last try is that of the first configured pass, whose tables were probably meant. */
static bool any_suits(const pf_hook_config *c, const char *text, pf_error *err)
{
    if (suits(text, NULL, err)) {
        return true;
    }
    for (size_t i = 0; c->passes.count == 0 && i < pf_pass_count(); i++) {
        if (suits(text, pf_pass_at(i), err)) {
            return true;
        }
    }
    for (size_t i = c->passes.count; i-- > 0;) {
        if (suits(text, pf_pass_find(c->passes.at[i].name), err)) {
            return true;
        }
    }
    return false;
}

pf_status pf_hook_thresholds_check(const pf_hook_config *c, pf_error *err)
{
    if (c->fail_if.count == 0 && (c->junit || c->annotations)) {
        return pf_fail(err, PF_ERR_USAGE, "--annotations and --junit tell of thresholds; add --fail-if");
    }
    for (size_t i = 0; i < c->fail_if.count; i++) {
        pf_error why;
        const char *text = c->fail_if.word[i];
        if (!any_suits(c, text, &why)) {
            return pf_fail(err, why.code, "--fail-if '%.200s': %s", text, why.text);
        }
    }
    return PF_OK;
}

int64_t pf_hook_threshold_judge(const char *text, const pf_hook_passes *passes, const bool *running, pf_error *err)
{
    for (size_t i = 0; i < passes->count; i++) {
        if (running[i] && suits(text, pf_pass_find(passes->at[i].name), err)) {
            return (int64_t)i;
        }
    }
    return suits(text, NULL, err) ? (int64_t)passes->count : -1;
}
