/* analyze/gpu/facts/gpu_kinds.c - what a slice is, by its category: kernel, copy, runtime call, operator, annotation.
 *
 * Categories are few and slices many. So each category is judged once, when it is first met, and its verdict kept in a
 * table by string id.
 */
#include "analyze/gpu/facts/gpu.h"
#include "analyze/support/pass_memory.h"
#include "base/str.h"
#include "base/threads/threads.h"
#include "model/trace/trace.h"

gpu_slice_kind pf_gpu_kind_of(pf_str category)
{
    static const struct {
        const char *category;
        gpu_slice_kind kind;
    } known[] = {
        {"kernel", GPU_SLICE_KERNEL}, /* of kineto: CUDA, ROCm, XPU, PrivateUse1, and memcpy and memset of these */
        {"gpu_memcpy", GPU_SLICE_COPY},
        {"gpu_memset", GPU_SLICE_FILL},
        {"mtia_ccp_events", GPU_SLICE_KERNEL},
        {"mtia_workloadd", GPU_SLICE_KERNEL},
        {"hpu_op", GPU_SLICE_KERNEL},
        {"kernel_dispatch", GPU_SLICE_KERNEL}, /* of rocprofv3 */
        {"memory_copy", GPU_SLICE_COPY},
        {"cpu_op", GPU_SLICE_OPERATOR},
        {"python_function", GPU_SLICE_PYTHON},
        {"user_annotation", GPU_SLICE_ANNOTATION},
        {"gpu_user_annotation", GPU_SLICE_DEVICE_ANNOTATION},
    };
    if (!category.ptr) {
        return GPU_SLICE_OTHER;
    }
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (pf_str_is(category, known[i].category)) {
            return known[i].kind;
        }
    }
    return pf_str_ends(category, PF_STR("_runtime")) || pf_str_ends(category, PF_STR("_driver")) ? GPU_SLICE_CALL
                                                                                                 : GPU_SLICE_OTHER;
}

bool pf_gpu_is_call(pf_str category)
{
    return pf_gpu_kind_of(category) == GPU_SLICE_CALL;
}

bool pf_gpu_is_placed(pf_str category)
{
    return gpu_is_device_kind((uint8_t)pf_gpu_kind_of(category)) || pf_gpu_is_call(category);
}

/* Slices [from, to). */
typedef struct kinds_part {
    const gpu_facts *g;
    uint32_t from, to;
    uint8_t *verdict; /* by string id: kind + 1; 0: not judged yet */
    uint32_t of_kind[GPU_SLICE_KINDS];
    bool has_stages;
} kinds_part;

/* Counts in a part of its own, because the parts lie next to each other and each is another thread's. */
static pf_status classify_part(void *ctx, pf_error *err)
{
    kinds_part p = *(const kinds_part *)ctx;
    const pf_trace *t = p.g->trace;
    const pf_slices *s = pf_trace_slices(t);
    const uint8_t *type = pf_trace_tracks(t)->type;
    uint8_t *kind = p.g->kind;
    for (uint32_t i = p.from; i < p.to; i++) {
        uint8_t *verdict = &p.verdict[pf_slice_category(s, i)];
        if (!*verdict) {
            *verdict = (uint8_t)(1 + pf_gpu_kind_of(pf_trace_string(t, pf_slice_category(s, i))));
        }
        bool stage = type[s->track[i]] == PF_TRACK_GPU_RENDER_STAGE;
        p.has_stages = p.has_stages || stage;
        kind[i] = stage ? GPU_SLICE_KERNEL : (uint8_t)(*verdict - 1);
        p.of_kind[kind[i]]++;
    }
    *(kinds_part *)ctx = p;
    return PF_OK;
}

pf_status pf_gpu_classify(gpu_facts *g, pf_error *err)
{
    uint32_t strings = g->trace->strings.count, slices = pf_trace_slices(g->trace)->count;
    kinds_part part[] = {{.g = g, .to = slices / 2}, {.g = g, .from = slices / 2, .to = slices}};
    const pf_task tasks[] = {{classify_part, &part[0]}, {classify_part, &part[1]}};
    enum { PARTS = sizeof part / sizeof *part };
    uint8_t *verdicts;
    PF_TRY(PF_ARENA_NEW(&g->scratch, verdicts, PARTS * (size_t)strings, err));
    PF_TRY(PF_PASS_ARRAY(g->arena, slices, g->kind, err));
    part[0].verdict = verdicts;
    part[1].verdict = verdicts + strings;
    pf_status st = pf_tasks_run(tasks, PARTS, pf_gpu_jobs(g), g->arena->budget, err);
    for (unsigned p = 0; p < PARTS; p++) {
        g->has_stages = g->has_stages || part[p].has_stages;
        for (unsigned k = 0; k < GPU_SLICE_KINDS; k++) {
            g->of_kind[k] += part[p].of_kind[k];
        }
    }
    pf_arena_reset(&g->scratch);
    return st;
}
