/* analyze/gpu/steps/gpu_step_names.c - point 4: steps by annotation. Names are judged once each, by a pattern of PCRE2
 * or as ProfilerStep#N. Annotations of the host count; those on the device only where the host has none. */
#include "analyze/gpu/steps/gpu_steps.h"
#include "analyze/support/name_pattern.h"
#include "base/str.h"
#include "model/trace/trace.h"

typedef struct matcher {
    pf_name_pattern pattern; /* none: ProfilerStep#N */
    uint8_t *verdict;        /* by string id: 0 unknown, 1 no, 2 yes */
} matcher;

/* N of "ProfilerStep#N", -1 for anything else. */
static int64_t profiler_step(pf_str name)
{
    const pf_str word = PF_STR("ProfilerStep#");
    int64_t number = 0;
    if (name.len <= word.len || name.len > word.len + 18 || !pf_str_starts(name, word)) {
        return -1;
    }
    for (size_t i = word.len; i < name.len; i++) {
        if (!pf_is_digit(name.ptr[i])) {
            return -1;
        }
        number = number * 10 + (name.ptr[i] - '0');
    }
    return number;
}

static bool matches(matcher *m, const pf_trace *t, uint32_t id)
{
    if (!m->verdict[id]) {
        pf_str name = pf_trace_string(t, id);
        bool yes = m->pattern.code ? pf_name_pattern_finds(&m->pattern, name) : profiler_step(name) >= 0;
        m->verdict[id] = yes ? 2 : 1;
    }
    return m->verdict[id] == 2;
}

/* Whether a slice can be a step: nothing that ran on the device, no runtime call. Render stages never are. */
static bool may_be_step(uint8_t kind, bool by_pattern)
{
    return kind == GPU_SLICE_ANNOTATION || kind == GPU_SLICE_DEVICE_ANNOTATION ||
           (by_pattern && (kind == GPU_SLICE_OPERATOR || kind == GPU_SLICE_PYTHON || kind == GPU_SLICE_OTHER));
}

/* A step that the input at hand has. Those on the device count only while the host has none. */
static pf_status add_step(gpu_facts *g, uint32_t slice, int64_t number, gpu_steps *out, pf_error *err)
{
    const pf_slices *s = pf_trace_slices(g->trace);
    bool on_device = g->kind[slice] == GPU_SLICE_DEVICE_ANNOTATION, first = out->count == 0;
    int64_t ts = pf_slice_ts(s, slice), end;
    if (s->dur[slice] <= 0 || __builtin_add_overflow(ts, s->dur[slice], &end) ||
        (on_device && !first && out->source == GPU_STEP_ANNOTATION)) {
        return PF_OK;
    }
    if (first || (!on_device && out->source == GPU_STEP_DEVICE_ANNOTATION)) {
        out->count = 0;
        out->source = on_device ? GPU_STEP_DEVICE_ANNOTATION : GPU_STEP_ANNOTATION;
    }
    PF_TRY(PF_ARENA_ROOM(g->arena, out->list, out->count + 1, out->room, err));
    out->list[out->count] = (gpu_step){{ts, end}, number < 0 ? (int64_t)out->count : number, slice};
    out->count++;
    return PF_OK;
}

static pf_status find(gpu_facts *g, matcher *m, gpu_steps *out, pf_error *err)
{
    const pf_slices *s = pf_trace_slices(g->trace);
    bool many = g->rank_count > 1, by_pattern = m->pattern.code != NULL;
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t name = pf_slice_name(s, i);
        if (may_be_step(g->kind[i], by_pattern) && matches(m, g->trace, name)) {
            uint32_t input = many ? pf_trace_event_input(g->trace, s->event[i]) : 0;
            int64_t number = by_pattern ? -1 : profiler_step(pf_trace_string(g->trace, name));
            PF_TRY(add_step(g, i, number, &out[input], err));
        }
    }
    return PF_OK;
}

static pf_status by_name(gpu_facts *g, pf_str pattern, gpu_steps *out, pf_error *err)
{
    matcher m = {.verdict = NULL};
    uint32_t strings = g->trace->strings.count;
    if (!pattern.len && g->of_kind[GPU_SLICE_ANNOTATION] + g->of_kind[GPU_SLICE_DEVICE_ANNOTATION] == 0) {
        return PF_OK;
    }
    PF_TRY(PF_ARENA_NEW(&g->scratch, m.verdict, strings, err));
    pf_status st = pf_name_pattern_init(&m.pattern, "--step-annotation", pattern, err);
    st = st == PF_OK ? find(g, &m, out, err) : st;
    pf_name_pattern_free(&m.pattern);
    pf_arena_reset(&g->scratch);
    return st;
}

pf_status pf_gpu_find_steps(gpu_facts *g, pf_str pattern, gpu_steps **out, pf_error *err)
{
    PF_TRY(PF_ARENA_NEW(g->arena, *out, g->rank_count, err));
    PF_TRY(by_name(g, pattern, *out, err));
    bool detect = !pattern.ptr || !pattern.len;
    for (uint32_t i = 0; i < g->rank_count && detect; i++) {
        if ((*out)[i].count == 0) {
            PF_TRY(pf_gpu_find_cycles(g, &g->ranks[i], &(*out)[i], err));
        }
    }
    return PF_OK;
}
