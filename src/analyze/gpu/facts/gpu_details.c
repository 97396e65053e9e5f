/* analyze/gpu/facts/gpu_details.c - what arguments say of copies and collectives: read early with where an operation
 * runs (gpu_op_owners.c), and for all that do not compute once they are in order.
 */
#include "analyze/gpu/facts/gpu_facts.h"
#include "analyze/support/pass_memory.h"
#include "base/str.h"

/* The names are those of the torch profiler, in whose native traces numbers are texts. */
static const pf_arg_key keys[GPU_ARGS] = {
    [GPU_ARG_BYTES] = {.key = "bytes", .type = PF_ARG_INT, .from_text = true},
    [GPU_ARG_COLLECTIVE] = {.key = "Collective name", .type = PF_ARG_TEXT},
    [GPU_ARG_IN_ELEMENTS] = {.key = "In msg nelems", .type = PF_ARG_INT, .from_text = true},
    [GPU_ARG_OUT_ELEMENTS] = {.key = "Out msg nelems", .type = PF_ARG_INT, .from_text = true},
    [GPU_ARG_GROUP_SIZE] = {.key = "Group size", .type = PF_ARG_INT, .from_text = true},
    [GPU_ARG_GROUP] = {.key = "Process Group Name", .type = PF_ARG_TEXT},
    [GPU_ARG_MEMBERS] = {.key = "Process Group Ranks", .type = PF_ARG_TEXT},
    [GPU_ARG_TYPE] = {.key = "dtype", .type = PF_ARG_TEXT},
};

/* Names of most of those that do not compute; what is missed is read later. */
static bool has_details(pf_str name)
{
    return pf_str_starts(name, PF_STR("Mem")) || pf_gpu_is_communication(name);
}

const pf_early_args pf_gpu_early_details = {keys, GPU_ARGS, pf_gpu_is_placed, has_details, NULL, 0, NULL};

pf_status pf_gpu_details_read(const gpu_facts *g, pf_arena *arena, gpu_details *out, pf_error *err)
{
    const pf_arg_options options = {.jobs = 1, .cancel = g->ctx->cancel, .first_values = true};
    const uint32_t *event = pf_trace_slices(g->trace)->event;
    const gpu_ops *o = &g->ops;
    uint32_t *events, others = g->of_class[GPU_COMMUNICATION] + g->of_class[GPU_MEMORY];
    PF_TRY(PF_PASS_ARRAY(arena, others, events, err));
    if (others) {
        PF_TRY(PF_ARENA_NEW(arena, out->marked, (size_t)o->count / 64 + 1, err));
    }
    for (uint32_t i = 0, n = 0; n < others; i++) {
        out->marked[i / 64].before = i % 64 ? out->marked[i / 64].before : n;
        if (o->class[i] != GPU_COMPUTE) {
            out->marked[i / 64].bits |= 1ull << i % 64;
            events[n++] = event[gpu_slice(o, i)];
        }
    }
    return pf_arg_columns_read(g->trace, events, others, keys, GPU_ARGS, &options, &out->args, err);
}
