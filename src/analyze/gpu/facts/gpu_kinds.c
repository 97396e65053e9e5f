/* analyze/gpu/facts/gpu_kinds.c - what a slice is, by its category: kernel, copy, runtime call, operator, annotation.
 *
 * Categories are few and slices many. So each category is judged once, when it is first met, and its verdict kept in a
 * table by string id.
 */
#include <string.h>

#include "analyze/gpu/facts/gpu.h"
#include "analyze/support/pass_memory.h"
#include "model/trace/trace.h"

static bool is_text(pf_str s, const char *text)
{
    return s.len == strlen(text) && memcmp(s.ptr, text, s.len) == 0;
}

static bool ends_with(pf_str s, const char *end)
{
    size_t len = strlen(end);
    return s.len >= len && memcmp(s.ptr + s.len - len, end, len) == 0;
}

static gpu_slice_kind kind_of(pf_str category)
{
    static const struct {
        const char *category;
        gpu_slice_kind kind;
    } known[] = {
        {"kernel", GPU_SLICE_KERNEL},
        {"gpu_memcpy", GPU_SLICE_COPY},
        {"gpu_memset", GPU_SLICE_FILL},
        {"cpu_op", GPU_SLICE_OPERATOR},
        {"python_function", GPU_SLICE_PYTHON},
        {"user_annotation", GPU_SLICE_ANNOTATION},
        {"gpu_user_annotation", GPU_SLICE_DEVICE_ANNOTATION},
    };
    if (!category.ptr) {
        return GPU_SLICE_OTHER;
    }
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (is_text(category, known[i].category)) {
            return known[i].kind;
        }
    }
    return ends_with(category, "_runtime") || ends_with(category, "_driver") ? GPU_SLICE_CALL : GPU_SLICE_OTHER;
}

pf_status pf_gpu_classify(gpu_facts *g, pf_error *err)
{
    const pf_slices *s = pf_trace_slices(g->trace);
    const uint8_t *type = pf_trace_tracks(g->trace)->type;
    uint32_t strings = g->trace->strings.count;
    uint8_t *verdict = pf_pass_array(&g->scratch, strings, 1, err); /* kind + 1; 0: not judged yet */
    g->kind = verdict ? pf_pass_array(g->arena, s->count, 1, err) : NULL;
    if (!g->kind) {
        return err->code;
    }
    memset(verdict, 0, strings);
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t category = pf_slice_category(s, i);
        if (!verdict[category]) {
            verdict[category] = (uint8_t)(1 + kind_of(pf_trace_string(g->trace, category)));
        }
        bool stage = type[s->track[i]] == PF_TRACK_GPU_RENDER_STAGE;
        g->has_stages = g->has_stages || stage;
        g->kind[i] = stage ? GPU_SLICE_KERNEL : (uint8_t)(verdict[category] - 1);
        g->of_kind[g->kind[i]]++;
    }
    pf_arena_reset(&g->scratch);
    return PF_OK;
}
