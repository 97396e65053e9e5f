/* model/finish/slice_call_stacks.c - the callstacks of events become those of slices.
 *
 * A reader notes stacks by events, in order of their rows. A slice has the stack of the event that began it, and at its
 * end the one of the event that ended it, in a row of its own.
 */
#include "model/trace/trace.h"

static uint32_t find(pf_side_table *s, uint32_t event)
{
    const uint32_t *events = pf_side_ref(s, PF_EVENT_STACK_EVENT, 0);
    uint32_t at = pf_rows_lower_bound(events, s->count, event);
    return at < s->count && events[at] == event ? at : PF_NONE;
}

void pf_trace_place_stacks(pf_trace *t)
{
    pf_side_table *s = &t->sides.known[PF_SIDE_EVENT_STACK];
    for (uint32_t i = 0; i < t->slices.count && s->count; i++) {
        uint32_t begin = find(s, t->slices.event[i]);
        uint32_t end = t->slices.end_event[i] == t->slices.event[i] ? PF_NONE : find(s, t->slices.end_event[i]);
        if (begin != PF_NONE) {
            *pf_side_ref(s, PF_EVENT_STACK_SLICE, begin) = i;
        }
        if (end != PF_NONE) {
            *pf_side_ref(s, PF_EVENT_STACK_SLICE, end) = i;
            *pf_side_ref(s, PF_EVENT_STACK_END_SITE, end) = *pf_side_ref(s, PF_EVENT_STACK_SITE, end);
            *pf_side_ref(s, PF_EVENT_STACK_SITE, end) = PF_NONE;
        }
    }
}
