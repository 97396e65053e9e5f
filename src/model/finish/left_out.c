/* model/finish/left_out.c - what passes drew into an input before, and is no part of the recording.
 *
 * Packets are left out as they are read, by their mark (model/trace/findings_mark.h). Findings that went through Chrome
 * JSON, or that an earlier version drew, have no mark, but a category: postfetto.PASS. Their events stay in the table,
 * without a phase, and make no slices. A track that has events of such categories and of no others is theirs with all
 * its events (ends have no category). Elsewhere only events go that are one slice each: an end would be left over.
 */
#include "base/list.h"
#include "model/trace/findings_mark.h"
#include "model/trace/trace.h"

enum { HAS_OURS = 1, HAS_OTHERS = 2 };

pf_status pf_trace_add_replaced(pf_trace *t, uint64_t from, uint64_t to, pf_bytes instead, pf_error *err)
{
    pf_replaced *last = t->replaced.count ? &t->replaced.list[t->replaced.count - 1] : NULL;
    if (last && last->to == from && !last->instead.len && !instead.len) {
        last->to = to;
        return PF_OK;
    }
    PF_TRY(PF_LIST_ROOM(&t->budget, t->replaced.list, t->replaced.count + 1, t->replaced.room, err));
    t->replaced.list[t->replaced.count++] = (pf_replaced){from, to, instead};
    return PF_OK;
}

/* Whether an event is of a category of ours; neighbours mostly have the same one, which `last` remembers. */
static bool is_ours(const pf_trace *t, uint32_t category, uint32_t *last, bool *last_is)
{
    if (category != *last) {
        *last = category;
        *last_is = pf_str_starts(pf_strings_get(&t->strings, category), PF_FINDINGS_CATEGORY);
    }
    return *last_is;
}

/* Whether some text begins as those categories do: where none does there is nothing to look for. */
static bool may_have_findings(const pf_trace *t)
{
    bool found = false;
    for (uint32_t i = 0; i < t->strings.count && !found; i++) {
        found = pf_str_starts(pf_strings_get(&t->strings, i), PF_FINDINGS_CATEGORY);
    }
    return found;
}

pf_status pf_trace_leave_out_findings(pf_trace *t, pf_error *err)
{
    const uint32_t *category = t->events.category, *track = t->events.track;
    if (!category || !may_have_findings(t)) {
        return PF_OK;
    }
    uint32_t last = 0;
    bool ours = false;
    uint8_t *has;
    PF_TRY(PF_LIST_NEW(&t->budget, has, t->tracks.count, err));
    for (uint32_t i = 0; i < t->events.count; i++) {
        if (category[i] && track[i] < t->tracks.count) {
            has[track[i]] |= is_ours(t, category[i], &last, &ours) ? HAS_OURS : HAS_OTHERS;
        }
    }
    for (uint32_t i = 0; i < t->events.count; i++) {
        uint8_t phase = t->events.phase[i];
        bool whole = phase == 'X' || phase == 'i' || phase == 'I';
        bool on_ours = track[i] < t->tracks.count && has[track[i]] == HAS_OURS;
        if (phase != 'M' && (on_ours || (whole && category[i] && is_ours(t, category[i], &last, &ours)))) {
            t->events.phase[i] = PF_PHASE_LEFT_OUT;
            pf_trace_count(t, PF_STAT_OWN_FINDINGS, PF_NOWHERE);
        }
    }
    PF_LIST_FREE(&t->budget, has, t->tracks.count);
    return PF_OK;
}
