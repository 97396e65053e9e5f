/* analyze/gpu/facts/gpu_facts.c - from a trace to facts, and what each input says about its rank. */
#include "analyze/gpu/facts/gpu_facts.h"

#include "base/str.h"
#include "postfetto/document.h"

/* {"rank": 3, ...}: anything else says nothing. */
static pf_status read_rank(pf_str text, gpu_rank *r, pf_error *err)
{
    pf_document *d = NULL;
    pf_error why = {.code = PF_OK, .offset = PF_NOWHERE, .packet = PF_NOWHERE};
    if (!text.ptr || pf_json_parse(text, NULL, &d, &why) != PF_OK) {
        return why.code == PF_ERR_MEMORY ? pf_fail(err, why.code, "%s", why.text) : PF_OK;
    }
    const pf_node *root = pf_document_root(d);
    const pf_node *rank = root && root->type == PF_NODE_OBJECT ? pf_node_get(root, "rank") : NULL;
    if (rank && rank->type == PF_NODE_INT) {
        r->known = true;
        r->rank = rank->as.i;
    }
    pf_document_free(d);
    return PF_OK;
}

pf_status pf_gpu_read_ranks(gpu_facts *g, pf_error *err)
{
    const pf_metadata *m = pf_trace_metadata(g->trace);
    g->rank_count = (uint32_t)pf_trace_input_count(g->trace);
    PF_TRY(PF_ARENA_NEW(g->arena, g->ranks, g->rank_count, err));
    for (uint32_t i = 0; i < m->count; i++) {
        if (pf_str_is(pf_trace_string(g->trace, m->name[i]), "json.distributedInfo") && m->input[i] < g->rank_count) {
            PF_TRY(read_rank(pf_trace_string(g->trace, m->text[i]), &g->ranks[m->input[i]], err));
        }
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
    PF_TRY(pf_gpu_read_ranks(g, err));
    return pf_pass_poll(ctx, err);
}

void pf_gpu_facts_free(gpu_facts *g)
{
    pf_arg_columns_free(g->args);
    g->args = NULL;
    pf_arena_free(&g->scratch);
}
