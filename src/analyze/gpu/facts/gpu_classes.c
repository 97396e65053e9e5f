/* analyze/gpu/facts/gpu_classes.c - what a kernel does, by its name: communication or compute.
 *
 * What libraries of collectives call themselves counts wherever it stands, arguments and namespaces included. The words
 * for collectives count in the kernel's own name only, because compute kernels have them in their template arguments
 * (a softmax with <..., BlockAllReduce>): what stands in <> and () is left out, and so are '_' and '-', which programs
 * put between the words or not. Kernels that Triton's compilers name after the operators fused in them begin with
 * "triton_" and only compute.
 */
#include <string.h>

#include "analyze/gpu/facts/gpu_facts.h"
#include "analyze/support/name_pattern.h"
#include "base/str.h"
#include "model/trace/trace.h"

/* NVIDIA, AMD, Huawei and Intel; MSCCL and MSCCL++, NVSHMEM; DeepEP (dispatch and combine of experts, a namespace). */
static const char *const libraries[] = {"nccl", "rccl", "hccl", "oneccl", "msccl", "nvshmem", "deep_ep", "deepep"};

/* Kernels of vLLM, SGLang, AITER, FlashInfer, TensorRT-LLM and of PyTorch's symmetric memory. */
static const char *const collectives[] = {"allreduce", "allgather",         "reducescatter", "alltoall",   "all2all",
                                          "multimem",  "crossdevicereduce", "quickreduce",   "userbuffers"};

enum { LETTERS = 512 };

/* The first LETTERS letters in lower case; `own`: without '_', '-' and what stands in brackets. */
static size_t letters_of(pf_str name, bool own, char out[LETTERS])
{
    size_t n = 0, depth = 0;
    for (size_t i = 0; i < name.len && n < LETTERS; i++) {
        char c = name.ptr[i];
        bool open = own && (c == '<' || c == '('), close = own && (c == '>' || c == ')');
        depth += open;
        depth -= close && depth > 0;
        if (depth == 0 && !close && !(own && (c == '_' || c == '-'))) {
            out[n++] = pf_lower(c);
        }
    }
    return n;
}

static bool has_one(pf_str name, bool own, const char *const *words, size_t count)
{
    char letters[LETTERS];
    size_t len = letters_of(name, own, letters);
    for (size_t i = 0; i < count; i++) {
        if (memmem(letters, len, words[i], strlen(words[i]))) {
            return true;
        }
    }
    return false;
}

bool pf_gpu_is_communication(pf_str name)
{
    return has_one(name, false, libraries, sizeof libraries / sizeof *libraries) ||
           (!pf_str_starts(name, PF_STR("triton_")) &&
            has_one(name, true, collectives, sizeof collectives / sizeof *collectives));
}

/* The expressions of the user. */
typedef struct said_classes {
    pf_name_pattern communication, compute;
} said_classes;

static gpu_class class_of(const said_classes *said, pf_str name)
{
    if (pf_name_pattern_finds(&said->communication, name)) {
        return GPU_COMMUNICATION;
    }
    return !pf_name_pattern_finds(&said->compute, name) && pf_gpu_is_communication(name) ? GPU_COMMUNICATION
                                                                                         : GPU_COMPUTE;
}

/* Names are judged once each: their verdicts are kept by string id. */
static pf_status judge(gpu_facts *g, const said_classes *said, pf_error *err)
{
    const gpu_ops o = g->ops; /* which no byte that is written may be a part of */
    const uint8_t *kind = g->kind;
    uint32_t strings = g->trace->strings.count;
    uint8_t *verdict; /* gpu_class + 1; 0: not judged yet */
    PF_TRY(PF_ARENA_NEW(&g->scratch, verdict, strings, err));
    PF_TRY(PF_ARENA_NEW(g->arena, g->collective, strings, err));
    uint32_t communication = 0, memory = 0;
    for (uint32_t i = 0; i < o.count; i++) {
        uint8_t *v = &verdict[o.name[i]];
        if (!*v) {
            *v = (uint8_t)(1 + class_of(said, pf_trace_string(g->trace, o.name[i])));
        }
        uint8_t class = kind[gpu_slice(&o, i)] == GPU_SLICE_KERNEL ? *v - 1 : GPU_MEMORY;
        communication += class == GPU_COMMUNICATION;
        memory += class == GPU_MEMORY;
        o.class[i] = class;
    }
    g->of_class[GPU_COMMUNICATION] = communication;
    g->of_class[GPU_MEMORY] = memory;
    g->of_class[GPU_COMPUTE] = o.count - communication - memory;
    return PF_OK;
}

pf_status pf_gpu_classify_ops(gpu_facts *g, pf_error *err)
{
    said_classes said = {.compute = {.code = NULL}};
    pf_status st = pf_name_pattern_init(&said.communication, "--communication", g->communication, err);
    st = st == PF_OK ? pf_name_pattern_init(&said.compute, "--compute", g->compute, err) : st;
    st = st == PF_OK ? judge(g, &said, err) : st;
    pf_name_pattern_free(&said.communication);
    pf_name_pattern_free(&said.compute);
    return st;
}
