/* analyze/aie/aie_reports.c - the files that the pass writes. Users have tools that read what the program before
 * postfetto wrote, so keys, their order and the spelling of every number are part of the contract. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analyze/aie/aie_document.h"
#include "analyze/aie/aie_steps.h"
#include "analyze/support/pass_memory.h"
#include "base/str.h"

static const pf_str in_list = {NULL, 0};

/* Of several captures each has files of its own: "NAME.index.json". */
static pf_str file_name(const aie_result *r, pf_str file, pf_findings *f)
{
    return r->name.len ? pf_pass_text(r->arena, f, "%.*s.%.*s", PF_TEXT_ARG(r->name), PF_TEXT_ARG(file)) : file;
}

static void report_json(const aie_result *r, pf_str file, const pf_node *root, bool announced, pf_findings *f)
{
    pf_findings_report_json(f, file_name(r, file, f), root, announced);
}

/* ---- one core ---------------------------------------------------------------------------------------------------- */

static void report_core(const aie_result *r, const aie_core *c, pf_findings *f)
{
    pf_node *o = pf_node_root(f, PF_NODE_OBJECT);
    pf_aie_add_pid(f, o, r->ctx->trace, c->upid);
    pf_node_add_text(f, o, PF_STR("tile_name"), c->tile);
    if (c->kernel_count) {
        pf_aie_add_median(f, o, PF_STR("median_kernel_duration_cycles"), c->median);
        pf_aie_add_length(f, o, PF_STR("lock_stall_boundary_count"), c->boundary_count);
    }
    pf_aie_add_length(f, o, PF_STR("detected_total_iterations"), c->iteration_count);
    pf_aie_add_length(f, o, PF_STR("expected_total_iterations"), c->expected_iterations);
    pf_node_add_text(f, o, PF_STR("mismatch_note"), c->note);
    pf_node *list = pf_node_add(f, o, PF_STR("iterations"), PF_NODE_LIST);
    for (size_t i = 0; i < c->iteration_count; i++) {
        pf_aie_add_iteration(f, pf_node_add(f, list, in_list, PF_NODE_OBJECT), c, i);
    }
    pf_aie_add_window(f, o, c);
    report_json(r, c->file, o, true, f);
}

/* ---- details.md -------------------------------------------------------------------------------------------------- */

/* Lengths are texts: they may exceed an int64 cell, and the file shows them as digits either way. */
static const pf_column details_columns[] = {
    {"Tile", PF_CELL_TEXT, 0, ""},   {"Iter", PF_CELL_INT, 0, ""},        {"Phase", PF_CELL_TEXT, 0, ""},
    {"Kernels", PF_CELL_INT, 0, ""}, {"Avg cycles", PF_CELL_REAL, 3, ""}, {"Min", PF_CELL_TEXT, 0, ""},
    {"Max", PF_CELL_TEXT, 0, ""},    {"Total span", PF_CELL_TEXT, 0, ""}, {"GMAC/s", PF_CELL_REAL, 3, ""},
};
enum { DETAILS_COLUMNS = sizeof details_columns / sizeof details_columns[0] };

static pf_str digits_of(uint64_t v, char text[24])
{
    return (pf_str){text, (size_t)snprintf(text, 24, "%" PRIu64, v)};
}

static void add_details_row(pf_findings *f, pf_table_builder *t, const aie_core *c, size_t i)
{
    const aie_iteration *it = &c->iterations[i];
    char shortest[24], longest[24], span[24];
    const pf_cell row[DETAILS_COLUMNS] = {
        {.as.s = c->tile},
        {.as.i = (int64_t)i},
        {.as.s = aie_phase(c, i)},
        {.as.i = (int64_t)it->calls.count},
        {.as.d = it->average},
        {.as.s = digits_of(it->shortest, shortest)},
        {.as.s = digits_of(it->longest, longest)},
        {.as.s = digits_of(it->span, span)},
        {.as.d = it->gmacs_per_second},
    };
    pf_table_row(f, t, row);
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
    pf_str title = pf_pass_text(r->arena, f, "[%.*s] M=%" PRId64 " K=%" PRId64 " N=%" PRId64, PF_TEXT_ARG(p->hwid),
                                p->M, p->K, p->N);
    pf_table_builder *t = pf_table_new(f, title, details_columns, DETAILS_COLUMNS);
    for (size_t i = 0; i < r->cores->count; i++) {
        const aie_core *c = &r->cores->core[i];
        for (size_t k = 0; k < c->iteration_count; k++) {
            add_details_row(f, t, c, k);
        }
    }
    pf_findings_report_markdown(f, file_name(r, PF_STR("details.md"), f), t, true);
    return true;
}

/* ---- index.json, aggregate_perf.json ----------------------------------------------------------------------------- */

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
    return pf_pass_text(r->arena, f, "%.*s%s%.*s", (int)len, dir, dir[len - 1] == '/' ? "" : "/", PF_TEXT_ARG(file));
}

static void report_index(const aie_result *r, bool details, pf_findings *f)
{
    const aie_parameters *p = r->parameters;
    const char *dir = r->ctx->report_dir;
    pf_node *o = pf_node_root(f, PF_NODE_OBJECT);
    pf_node_add_text(f, o, PF_STR("hwid"), p->hwid);
    pf_node_add_int(f, o, PF_STR("M"), p->M);
    pf_node_add_int(f, o, PF_STR("K"), p->K);
    pf_node_add_int(f, o, PF_STR("N"), p->N);
    pf_node_add_int(f, o, PF_STR("m"), p->m);
    pf_node_add_int(f, o, PF_STR("k"), p->k);
    pf_node_add_int(f, o, PF_STR("n"), p->n);
    pf_node_add_int(f, o, PF_STR("rows"), p->rows);
    pf_node_add_int(f, o, PF_STR("cols"), p->cols);
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
    pf_node_add_text(f, o, PF_STR("details_md"), details && dir ? details_path(r, f) : (pf_str){NULL, 0});
    report_json(r, PF_STR("index.json"), o, true, f);
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

void pf_aie_report(const aie_result *r, pf_findings *f)
{
    for (size_t i = 0; i < r->cores->count; i++) {
        report_core(r, &r->cores->core[i], f);
    }
    bool details = report_details(r, f);
    report_index(r, details, f);
    pf_node *aggregate = pf_node_root(f, PF_NODE_OBJECT);
    pf_aie_fill_aggregate(f, aggregate, r);
    report_json(r, PF_STR("aggregate_perf.json"), aggregate, true, f);
    pf_node *quality = pf_node_root(f, PF_NODE_LIST);
    pf_aie_fill_quality(f, quality, r);
    report_json(r, PF_STR("aie_quality.json"), quality, false, f);
}
