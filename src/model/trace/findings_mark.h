/* model/trace/findings_mark.h - the mark of what this program draws into traces.
 *
 * Findings are no part of a recording: a pass that reads a trace with findings in it leaves them out, and one that
 * draws into it again replaces its own. They are known by a mark, the name of their pass, in the first packet of their
 * sequence, which holds from there until the sequence begins anew; packets outside of sequences carry it each for
 * itself. Perfetto knows nothing of the field and skips it.
 *
 * A mark proves nothing: anybody can write one. It concerns the packets of its own sequence alone, and who reads is
 * told what was left out.
 */
#pragma once

#include "base/str.h"

#define PF_FINDINGS_MARK_MAX 80u

/* How categories of what passes draw begin. */
#define PF_FINDINGS_CATEGORY PF_STR("postfetto.")

/* Metadata of traces that were read without findings: a row for each mark (the pass, and the number of its sequence),
 * and the attributes of those findings that are replaced. */
#define PF_FINDINGS_LEFT_OUT PF_STR("findings_left_out")
#define PF_FINDINGS_ATTRIBUTE PF_STR("findings_attribute.")

/* Whether the text may be the name of a pass. */
static inline bool pf_is_findings_mark(pf_str text)
{
    bool good = text.len > 0 && text.len <= PF_FINDINGS_MARK_MAX;
    for (size_t i = 0; i < text.len && good; i++) {
        char c = text.ptr[i];
        good = pf_is_alnum(c) || c == '_' || c == '-' || c == '.';
    }
    return good;
}
