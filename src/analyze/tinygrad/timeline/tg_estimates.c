/* analyze/tinygrad/timeline/tg_estimates.c - what the compiler expects of kernels, from a file next to the profile.
 *
 * The profile itself does not say it. Kernels are called by their function in the profile and by their name with
 * colours in the viewer; a file may give both, or the name alone, which is then compared without its colours. */

#include "analyze/tinygrad/timeline/tg_formula.h"
#include "analyze/tinygrad/timeline/tg_timeline.h"
#include "base/budget.h"
#include "base/str.h"
#include "base/text/number.h"

static pf_status wrong(const pf_node *n, const char *path, pf_error *err)
{
    pf_fail(
        err, PF_ERR_INPUT,
        "line %u: an estimate needs \"ops\", \"mem\" and \"lds\", numbers or expressions of integers and variables, "
        "for instance {\"r_16\": {\"ops\": 4096, \"mem\": \"n*512\", \"lds\": 0}}",
        n->line);
    pf_error_in(err, path);
    return PF_ERR_INPUT;
}

/* An expression, or the graph of one; in memory of the findings. PF_ERR_INPUT is for the caller to explain. */
static pf_status read_formula(pf_str text, pf_findings *f, tg_amount which, tg_estimate *out, pf_error *err)
{
    tg_formula m = {.depth = 0};
    if (pf_str_starts(text, PF_STR("UOp("))) {
        pf_tg_read_graph(&m, text);
    } else {
        pf_tg_read_expression(&m, text);
    }
    bool refused = m.steps.failed;
    tg_step *steps = refused || m.wrong ? NULL : pf_findings_alloc(f, m.steps.len);
    if (steps) {
        memcpy(steps, m.steps.data, m.steps.len);
        out->formula[which].steps = steps;
        out->formula[which].count = m.steps.len / sizeof *steps;
    }
    pf_buffer_free(&m.steps);
    PF_TRY(refused ? pf_no_memory(err) : PF_OK);
    return m.wrong ? PF_ERR_INPUT : pf_findings_status(f, err);
}

/* A number, a text of one, or an expression. */
static pf_status read_amount(const pf_node *of, tg_amount which, pf_findings *f, tg_estimate *out, pf_error *err)
{
    static const char *const keys[TG_AMOUNTS] = {"ops", "mem", "lds"};
    const pf_node *n = pf_node_get(of, keys[which]);
    double *number = &out->amount[which];
    if (n && n->type == PF_NODE_INT) {
        *number = (double)n->as.i;
    } else if (n && n->type == PF_NODE_REAL) {
        *number = n->as.d;
    } else if (n && (n->type == PF_NODE_TEXT || n->type == PF_NODE_RAW)) {
        return pf_parse_real(n->as.s.ptr, n->as.s.len, number) ? PF_OK : read_formula(n->as.s, f, which, out, err);
    } else {
        return PF_ERR_INPUT;
    }
    return PF_OK;
}

pf_str pf_tg_plain(pf_findings *f, pf_str s)
{
    char *out = pf_findings_alloc(f, s.len + 1);
    return out ? (pf_str){out, pf_str_without_colours(s, out, s.len)} : (pf_str){NULL, 0};
}

static pf_status read_all(const tg_input *in, const pf_node *root, const char *path, tg_estimates *out, pf_error *err)
{
    pf_findings *f = in->f;
    tg_estimate *e = pf_findings_alloc(f, root->children * sizeof *e);
    uint32_t *ids = pf_findings_alloc(f, 2 * root->children * sizeof *ids);
    size_t n = 0;
    for (const pf_node *k = root->first; e && ids && k; k = k->next, n++) {
        pf_status st = k->type == PF_NODE_OBJECT ? PF_OK : PF_ERR_INPUT;
        e[n] = (tg_estimate){.name = k->key};
        for (tg_amount which = TG_OPS; st == PF_OK && which < TG_AMOUNTS; which++) {
            st = read_amount(k, which, f, &e[n], err);
        }
        if (st != PF_OK) {
            return st == PF_ERR_INPUT ? wrong(k, path, err) : st;
        }
        const pf_node *function = pf_node_get(k, "function_name");
        bool named = function && function->type == PF_NODE_TEXT;
        ids[2 * n] = pf_trace_find_string(in->t, k->key);
        ids[2 * n + 1] = pf_trace_find_string(in->t, named ? function->as.s : pf_tg_plain(f, k->key));
    }
    *out = (tg_estimates){n, e, ids};
    return pf_findings_status(f, err);
}

pf_status pf_tg_read_estimates(const tg_input *in, const pf_pass_file *file, tg_estimates *out, pf_error *err)
{
    pf_document *d;
    if (file->bytes.len > 1 && (unsigned char)file->bytes.ptr[0] == 0x80) {
        pf_fail(
            err, PF_ERR_INPUT,
            "a pickle is not an estimates file; if it is tinygrad's rewrites.pkl, make one of it: query it with SELECT "
            "json_group_object(name, json_object('ops', ops, 'mem', mem, 'lds', lds)) FROM tinygrad_compiled WHERE "
            "ops NOT NULL");
        pf_error_in(err, file->path);
        return err->code;
    }
    pf_status st = pf_json_parse(file->bytes, NULL, &d, err);
    if (st != PF_OK) {
        pf_error_in(err, file->path);
        return st;
    }
    pf_findings_adopt(in->f, d);
    const pf_node *root = pf_document_root(d);
    return root->type == PF_NODE_OBJECT ? read_all(in, root, file->path, out, err) : wrong(root, file->path, err);
}
