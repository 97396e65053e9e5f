/* analyze/aie/aie_reports.c - the files that the pass writes. Users have tools that read what the program before
 * postfetto wrote, so keys, their order and the spelling of every number are part of the contract. */
#include <inttypes.h>

#include "analyze/aie/aie.h"
#include "analyze/support/pass_memory.h"
#include "base/str.h"

static const pf_str in_list = {NULL, 0};

/* Of several captures each has files of its own: "NAME.index.json". */
static pf_str file_name(const aie_result *r, pf_str file, pf_findings *f)
{
    return r->name.len ? pf_findings_format(f, "%.*s.%.*s", PF_TEXT_ARG(r->name), PF_TEXT_ARG(file)) : file;
}

static void report_json(const aie_result *r, pf_str file, const pf_node *root, bool announced, pf_findings *f)
{
    pf_findings_report_json(f, file_name(r, file, f), root, announced);
}

#define TEXT PF_TEXT_COLUMN
#define REAL(name) PF_REAL_COLUMN(name, 3, "")

/* Lengths are texts: they may exceed an int64 cell, and the file shows them as digits either way. */
static const pf_pass_table details =
    PF_PASS_TABLE("details", "", TEXT("Tile"), PF_INT_COLUMN("Iter", ""), TEXT("Phase"), PF_INT_COLUMN("Kernels", ""),
                  REAL("Avg cycles"), TEXT("Min"), TEXT("Max"), TEXT("Total span"), REAL("GMAC/s"));

static pf_cell digits_of(pf_findings *f, uint64_t v)
{
    return pf_cell_text(pf_findings_format(f, "%" PRIu64, v));
}

static void add_details_row(pf_findings *f, pf_table_builder *t, const aie_core *c, size_t i)
{
    const aie_iteration *it = &c->iterations[i];
    PF_TABLE_ROW(f, t, pf_cell_text(c->tile), pf_cell_count(i), pf_cell_text(aie_phase(c, i)),
                 pf_cell_count(it->calls.count), pf_cell_real_if(true, it->average), digits_of(f, it->shortest),
                 digits_of(f, it->longest), digits_of(f, it->span), pf_cell_real_if(true, it->gmacs_per_second));
}

/* False if there is nothing to write: no core has an iteration. */
static bool report_details(const aie_result *r, pf_findings *f)
{
    const aie_parameters *p = r->parameters;
    bool any = false;
    for (size_t i = 0; i < r->cores->count; i++) {
        any = any || r->cores->core[i].iteration_count;
    }
    if (!any) {
        return false;
    }
    pf_str title =
        pf_findings_format(f, "[%.*s] M=%" PRId64 " K=%" PRId64 " N=%" PRId64, PF_TEXT_ARG(p->hwid), p->M, p->K, p->N);
    pf_table_builder *t = pf_table_new(f, title, details.columns, details.column_count);
    for (size_t i = 0; i < r->cores->count; i++) {
        const aie_core *c = &r->cores->core[i];
        for (size_t k = 0; k < c->iteration_count; k++) {
            add_details_row(f, t, c, k);
        }
    }
    pf_findings_report_markdown(f, file_name(r, PF_STR("details.md"), f), t, true);
    return true;
}

/* The path of details.md as the source program's path library spells it, and as the `[write]` line has it: the folder
 * "." and slashes at the end vanish. */
static pf_str details_path(const aie_result *r, pf_findings *f)
{
    const char *dir = r->ctx->report_dir;
    size_t len = strlen(dir);
    while (len > 1 && dir[len - 1] == '/') {
        len--;
    }
    pf_str file = file_name(r, PF_STR("details.md"), f);
    if (len == 0 || (len == 1 && dir[0] == '.')) {
        return file;
    }
    return pf_findings_format(f, "%.*s%s%.*s", (int)len, dir, dir[len - 1] == '/' ? "" : "/", PF_TEXT_ARG(file));
}

static void report_index(const aie_result *r, bool detailed, pf_findings *f)
{
    const aie_parameters *p = r->parameters;
    const char *dir = r->ctx->report_dir;
    pf_node *o = pf_node_root(f, PF_NODE_OBJECT);
    pf_node_add_text(f, o, PF_STR("hwid"), p->hwid);
    const struct {
        const char *key;
        int64_t value;
    } sizes[] = {{"M", p->M}, {"K", p->K}, {"N", p->N},       {"m", p->m},
                 {"k", p->k}, {"n", p->n}, {"rows", p->rows}, {"cols", p->cols}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        pf_node_add_int(f, o, pf_str_of(sizes[i].key), sizes[i].value);
    }
    pf_node_add_text(f, o, PF_STR("input_path"), pf_str_of(r->ctx->input_path));
    pf_node_add_text(f, o, PF_STR("output_dir"), dir ? pf_str_of(*dir ? dir : ".") : (pf_str){NULL, 0});
    pf_node_add_int(f, o, PF_STR("warmup"), p->warmup);
    pf_node_add_int(f, o, PF_STR("iterations"), p->iterations);
    pf_node_add_real(f, o, PF_STR("clock_GHz"), p->clock_ghz);
    pf_node *notes = pf_node_add(f, o, PF_STR("notes"), PF_NODE_LIST);
    for (size_t i = 0; i < r->cores->count; i++) {
        if (r->cores->core[i].note.ptr) {
            pf_node_add_text(f, notes, in_list, r->cores->core[i].note);
        }
    }
    pf_node_add_text(f, o, PF_STR("details_md"), detailed && dir ? details_path(r, f) : (pf_str){NULL, 0});
    report_json(r, PF_STR("index.json"), o, true, f);
}

void pf_aie_report(const aie_result *r, pf_findings *f)
{
    for (size_t i = 0; i < r->cores->count; i++) {
        const aie_core *c = &r->cores->core[i];
        pf_node *core = pf_node_root(f, PF_NODE_OBJECT);
        pf_aie_add_core(f, core, r, c, false);
        report_json(r, c->file, core, true, f);
    }
    report_index(r, report_details(r, f), f);
    pf_node *aggregate = pf_node_root(f, PF_NODE_OBJECT);
    pf_aie_fill_aggregate(f, aggregate, r);
    report_json(r, PF_STR("aggregate_perf.json"), aggregate, true, f);
    pf_node *quality = pf_node_root(f, PF_NODE_LIST);
    pf_aie_fill_quality(f, quality, r);
    report_json(r, PF_STR("aie_quality.json"), quality, false, f);
}
