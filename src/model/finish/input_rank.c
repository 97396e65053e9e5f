/* model/finish/input_rank.c - which rank of a run an input is, as PyTorch's profiler notes it. */
#include "base/str.h"
#include "model/trace/trace.h"
#include "postfetto/document.h"

/* {"rank": 3, ...}: anything else says nothing. */
static pf_status read_rank(pf_str text, int64_t *rank, pf_error *err)
{
    pf_document *d = NULL;
    pf_error why = {.code = PF_OK, .offset = PF_NOWHERE, .packet = PF_NOWHERE};
    if (!text.ptr || pf_json_parse(text, NULL, &d, &why) != PF_OK) {
        return why.code == PF_ERR_MEMORY ? pf_fail(err, why.code, "%s", why.text) : PF_OK;
    }
    const pf_node *root = pf_document_root(d);
    const pf_node *n = root && root->type == PF_NODE_OBJECT ? pf_node_get(root, "rank") : NULL;
    *rank = n && n->type == PF_NODE_INT ? n->as.i : *rank;
    pf_document_free(d);
    return PF_OK;
}

pf_status pf_trace_input_ranks(const pf_trace *t, int64_t *ranks, pf_error *err)
{
    const pf_metadata *m = pf_trace_metadata(t);
    for (size_t i = 0; i < t->input_count; i++) {
        ranks[i] = INT64_MIN;
    }
    for (uint32_t i = 0; i < m->count; i++) {
        if (m->input[i] < t->input_count && pf_str_is(pf_trace_string(t, m->name[i]), "json.distributedInfo")) {
            PF_TRY(read_rank(pf_trace_string(t, m->text[i]), &ranks[m->input[i]], err));
        }
    }
    return PF_OK;
}
