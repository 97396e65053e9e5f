/* analyze/gpu/facts/gpu_facts.c - from a trace to facts, and what each input says about its rank. */
#include "analyze/gpu/facts/gpu_facts.h"

#include "model/trace/trace.h"

/* What each input says about itself, and its ranges of devices, operations and calls. */
static pf_status read_ranks(gpu_facts *g, pf_error *err)
{
    int64_t *ranks;
    g->rank_count = (uint32_t)pf_trace_input_count(g->trace);
    PF_TRY(PF_ARENA_NEW(g->arena, g->ranks, g->rank_count, err));
    PF_TRY(PF_ARENA_NEW(&g->scratch, ranks, g->rank_count, err));
    PF_TRY(pf_trace_input_ranks(g->trace, ranks, err));
    for (uint32_t i = 0; i < g->rank_count; i++) {
        g->ranks[i].path = pf_trace_input(g->trace, i)->path;
        g->ranks[i].known = ranks[i] != INT64_MIN;
        g->ranks[i].rank = g->ranks[i].known ? ranks[i] : 0;
    }
    for (uint32_t d = 0; d < g->device_count; d++) {
        gpu_rank *r = &g->ranks[g->devices[d].input];
        r->first_device = r->device_count ? r->first_device : d;
        r->first_op = r->device_count++ ? r->first_op : g->devices[d].first_op;
        r->op_count += g->devices[d].op_count;
    }
    for (uint32_t i = 0; i < g->calls.count; i++) {
        gpu_rank *r = &g->ranks[g->calls.input ? g->calls.input[i] : 0];
        r->first_call = r->call_count++ ? r->first_call : i;
    }
    return PF_OK;
}

pf_status pf_gpu_facts_read(gpu_facts *g, pf_error *err)
{
    const pf_pass_context *ctx = g->ctx;
    gpu_listed l = {.number = NULL};
    g->trace = ctx->trace;
    g->arena = ctx->arena;
    pf_arena_init(&g->scratch, ctx->arena->budget);
    if (pf_trace_time_unit(ctx->trace) != PF_UNIT_NS) {
        return pf_fail(err, PF_ERR_INPUT, "times are cycles, but gpu measures in ns; it reads traces of GPUs");
    }
    PF_TRY(pf_gpu_classify(g, err));
    if (g->has_stages) {
        PF_TRY(pf_gpu_classify_by_arguments(g, true, err));
    }
    if (g->of_kind[GPU_SLICE_KERNEL] + g->of_kind[GPU_SLICE_COPY] + g->of_kind[GPU_SLICE_FILL] == 0) {
        PF_TRY(pf_gpu_classify_by_arguments(g, false, err));
    }
    PF_TRY(pf_gpu_read_ops(g, &l, err));
    PF_TRY(pf_gpu_read_calls(g, &l, err));
    pf_arena_reset(&g->scratch);
    PF_TRY(read_ranks(g, err));
    return pf_pass_poll(ctx, err);
}

void pf_gpu_facts_free(gpu_facts *g)
{
    pf_arg_columns_free(g->details.args);
    g->details.args = NULL;
    pf_arena_free(&g->scratch);
}
