/* analyze/compare/places.c - which slices count, and whether they are of the host or of a device.
 *
 * Names and categories are judged once each, by their string ids.
 */
#include <string.h>

#include "analyze/compare/compare.h"
#include "analyze/support/pass_memory.h"
#include "model/trace/trace.h"

/* What a text is, as a category or as a name. */
enum { OUR_CATEGORY = 1, PROFILER_SPAN = 2 };

/* "PyTorch Profiler (0)": a slice around all that was recorded. */
static bool is_profiler_span(pf_str name)
{
    pf_str begin = PF_STR("PyTorch Profiler (");
    size_t at = begin.len;
    if (!pf_str_starts(name, begin)) {
        return false;
    }
    while (at < name.len && pf_is_digit(name.ptr[at])) {
        at++;
    }
    return at > begin.len && at + 1 == name.len && name.ptr[at] == ')';
}

/* It has an end and is no instant. */
static bool has_length(const pf_events *e, const pf_slices *s, uint32_t i)
{
    uint8_t phase = e->phase[s->event[i]];
    return s->dur[i] >= 0 && phase != 'i' && phase != 'I' && phase != 'R' && phase != 'n' && phase != PF_PHASE_STATE;
}

pf_status pf_compare_find_places(compare *c, const pf_trace *t, const uint8_t *on_device, uint8_t **out, pf_error *err)
{
    const pf_slices *s = pf_trace_slices(t);
    uint32_t strings = t->strings.count;
    uint8_t *text = pf_alloc(&c->budget, strings);
    *out = text ? pf_pass_array(&c->arena, s->count, sizeof **out, err) : NULL;
    if (!*out) {
        pf_release(&c->budget, text, text ? strings : 0);
        return text ? err->code : pf_budget_refused(&c->budget, strings, err);
    }
    for (uint32_t id = 0; id < strings; id++) {
        pf_str words = pf_trace_string(t, id);
        text[id] = pf_compare_is_ours(words) ? OUR_CATEGORY : is_profiler_span(words) ? PROFILER_SPAN : 0;
    }
    for (uint32_t i = 0; i < s->count; i++) {
        bool left_out = !has_length(pf_trace_events(t), s, i) || text[pf_slice_category(s, i)] == OUR_CATEGORY ||
                        text[pf_slice_name(s, i)] == PROFILER_SPAN;
        (*out)[i] = left_out ? COMPARE_LEFT_OUT : on_device && on_device[i] ? COMPARE_DEVICE : COMPARE_HOST;
    }
    pf_release(&c->budget, text, strings);
    return PF_OK;
}
