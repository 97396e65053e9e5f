/* reports.c - the files of specs/aie.md, key by key in their order, and aie_quality.json.
 *
 * The pieces that the --json summary repeats (iterations, aggregate, quality) fill an object or a list that the caller
 * made, so both documents say the same.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/aie/aie.h"
#include "base/number.h"

static const pf_str in_list = {NULL, 0};

/* ---- values ------------------------------------------------------------------------------------------------------ */

void aie_add_length(pf_findings *f, pf_node *parent, pf_str key, uint64_t v)
{
    if (v <= INT64_MAX) {
        pf_node_add_int(f, parent, key, (int64_t)v);
        return;
    }
    char text[24];
    int len = snprintf(text, sizeof text, "%" PRIu64, v);
    pf_node *n = pf_node_add_text(f, parent, key, (pf_str){text, (size_t)len});
    if (n) {
        n->type = PF_NODE_RAW;
    }
}

void aie_add_median(pf_findings *f, pf_node *parent, pf_str key, pf_median m)
{
    if (m.whole) {
        aie_add_length(f, parent, key, m.length);
    } else {
        pf_node_add_real(f, parent, key, m.value);
    }
}

/* A pid that is written as a number but no int64: an integer stays as it is, a real is printed as a double. */
static void add_number(pf_findings *f, pf_node *parent, pf_str text)
{
    size_t digits = 0;
    for (size_t i = text.len && text.ptr[0] == '-'; i < text.len; i++) {
        digits += text.ptr[i] >= '0' && text.ptr[i] <= '9';
    }
    if (text.len && digits + (text.ptr[0] == '-') == text.len) {
        pf_node *n = pf_node_add_text(f, parent, PF_STR("pid"), text);
        if (n) {
            n->type = PF_NODE_RAW;
        }
        return;
    }
    double v = 0;
    if (!pf_parse_real(text.ptr, text.len, &v)) {
        v = strtod(text.ptr, NULL); /* beyond the range of doubles */
    }
    pf_node_add_real(f, parent, PF_STR("pid"), v);
}

void aie_add_pid(pf_findings *f, pf_node *parent, const pf_trace *t, uint32_t upid)
{
    const pf_processes *p = pf_trace_processes(t);
    switch (p->kind[upid]) {
    case PF_ID_TEXT:
        pf_node_add_text(f, parent, PF_STR("pid"), pf_trace_string(t, p->text[upid]));
        break;
    case PF_ID_REAL:
        add_number(f, parent, pf_trace_string(t, p->text[upid]));
        break;
    case PF_ID_ABSENT:
        pf_node_add(f, parent, PF_STR("pid"), PF_NODE_NULL);
        break;
    default:
        pf_node_add_int(f, parent, PF_STR("pid"), p->pid[upid]);
    }
}

static pf_str text_of(const char *s)
{
    return (pf_str){s, strlen(s)};
}

/* ---- one core ---------------------------------------------------------------------------------------------------- */

void aie_add_iteration(pf_findings *f, pf_node *object, const aie_core *c, size_t i)
{
    const aie_iteration *it = &c->iterations[i];
    aie_add_length(f, object, PF_STR("num_kernels"), it->calls.count);
    pf_node_add_real(f, object, PF_STR("avg_duration_cycles"), it->average);
    aie_add_length(f, object, PF_STR("min_duration_cycles"), it->shortest);
    aie_add_length(f, object, PF_STR("max_duration_cycles"), it->longest);
    aie_add_length(f, object, PF_STR("total_span_cycles"), it->span);
    if (it->calls.count) {
        pf_node_add_int(f, object, PF_STR("first_start"), it->first_start);
        pf_node_add_int(f, object, PF_STR("last_end"), it->last_end);
    } else {
        pf_node_add(f, object, PF_STR("first_start"), PF_NODE_NULL);
        pf_node_add(f, object, PF_STR("last_end"), PF_NODE_NULL);
    }
    pf_node_add_real(f, object, PF_STR("gmacs_per_second"), it->gmacs_per_second);
    aie_add_length(f, object, PF_STR("iteration_index"), i);
    pf_node_add_text(f, object, PF_STR("phase"), text_of(aie_phase(c, i)));
}

void aie_add_window(pf_findings *f, pf_node *parent, const aie_core *c)
{
    pf_node *window = pf_node_add(f, parent, PF_STR("performance_window"), PF_NODE_LIST);
    for (size_t i = c->perf_start; i < c->perf_end; i++) {
        aie_add_length(f, window, in_list, i);
    }
}

static void report_core(const aie_result *r, const aie_core *c, pf_findings *f)
{
    pf_node *o = pf_node_root(f, PF_NODE_OBJECT);
    aie_add_pid(f, o, r->ctx->trace, c->upid);
    pf_node_add_text(f, o, PF_STR("tile_name"), c->tile);
    if (c->kernel_count) {
        aie_add_median(f, o, PF_STR("median_kernel_duration_cycles"), c->median);
        aie_add_length(f, o, PF_STR("lock_stall_boundary_count"), c->boundary_count);
    }
    aie_add_length(f, o, PF_STR("detected_total_iterations"), c->iteration_count);
    aie_add_length(f, o, PF_STR("expected_total_iterations"), c->expected_iterations);
    pf_node_add_text(f, o, PF_STR("mismatch_note"), c->note);
    pf_node *list = pf_node_add(f, o, PF_STR("iterations"), PF_NODE_LIST);
    for (size_t i = 0; i < c->iteration_count; i++) {
        aie_add_iteration(f, pf_node_add(f, list, in_list, PF_NODE_OBJECT), c, i);
    }
    aie_add_window(f, o, c);
    pf_findings_report_json(f, c->file, o, true);
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
        {.as.s = text_of(aie_phase(c, i))},
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
    pf_str title =
        aie_text(r, f, "[%.*s] M=%" PRId64 " K=%" PRId64 " N=%" PRId64, AIE_TEXT_ARG(p->hwid), p->M, p->K, p->N);
    pf_table_builder *t = pf_table_new(f, title, details_columns, DETAILS_COLUMNS);
    for (size_t i = 0; i < r->cores->count; i++) {
        const aie_core *c = &r->cores->core[i];
        for (size_t k = 0; k < c->iteration_count; k++) {
            add_details_row(f, t, c, k);
        }
    }
    pf_findings_report_markdown(f, PF_STR("details.md"), t, true);
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
    if (len == 0 || (len == 1 && dir[0] == '.')) {
        return PF_STR("details.md");
    }
    return aie_text(r, f, "%.*s%sdetails.md", (int)len, dir, dir[len - 1] == '/' ? "" : "/");
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
    pf_node_add_text(f, o, PF_STR("input_path"), text_of(r->ctx->input_path));
    pf_node_add_text(f, o, PF_STR("output_dir"), dir ? text_of(*dir ? dir : ".") : (pf_str){NULL, 0});
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
    pf_findings_report_json(f, PF_STR("index.json"), o, true);
}

static void fill_common(pf_findings *f, pf_node *o, const aie_common *c)
{
    aie_add_length(f, o, PF_STR("iteration_index"), c->index);
    aie_add_length(f, o, PF_STR("runtime_cycles"), c->runtime);
    pf_node_add_real(f, o, PF_STR("gmacs_per_second"), c->gmacs_per_second);
}

void aie_fill_aggregate(pf_findings *f, pf_node *o, const aie_result *r)
{
    const aie_aggregate *a = r->aggregate;
    if (a->count == 0) {
        pf_node_add_text(f, o, PF_STR("note"),
                         r->cores->count ? PF_STR("No common perf iterations across all cores.")
                                         : PF_STR("No cores to aggregate."));
        return;
    }
    pf_node *considered = pf_node_add(f, o, PF_STR("iterations_considered"), PF_NODE_LIST);
    for (size_t i = 0; i < a->count; i++) {
        aie_add_length(f, considered, in_list, a->iteration[i].index);
    }
    aie_add_length(f, o, PF_STR("count"), a->count);
    pf_node *average = pf_node_add(f, o, PF_STR("average"), PF_NODE_OBJECT);
    pf_node_add_real(f, average, PF_STR("runtime_cycles"), a->average_runtime);
    pf_node_add_real(f, average, PF_STR("gmacs_per_second"), a->average_gmacs_per_second);
    fill_common(f, pf_node_add(f, o, PF_STR("best"), PF_NODE_OBJECT), &a->iteration[a->best]);
    fill_common(f, pf_node_add(f, o, PF_STR("worst"), PF_NODE_OBJECT), &a->iteration[a->worst]);
    pf_node *each = pf_node_add(f, o, PF_STR("per_iteration"), PF_NODE_LIST);
    for (size_t i = 0; i < a->count; i++) {
        fill_common(f, pf_node_add(f, each, in_list, PF_NODE_OBJECT), &a->iteration[i]);
    }
    pf_node_add_text(f, o, PF_STR("note"), PF_STR("Only iterations present on all cores are considered."));
}

/* ---- aie_quality.json -------------------------------------------------------------------------------------------- */

static void add_count(pf_findings *f, pf_node *o, pf_str key, bool known, uint64_t v)
{
    if (known) {
        aie_add_length(f, o, key, v);
    } else {
        pf_node_add(f, o, key, PF_NODE_NULL);
    }
}

void aie_fill_quality(pf_findings *f, pf_node *list, const aie_result *r)
{
    bool known = r->parameters->nearest;
    for (size_t i = 0; i < r->cores->count; i++) {
        const aie_core *c = &r->cores->core[i];
        pf_node *o = pf_node_add(f, list, in_list, PF_NODE_OBJECT);
        aie_add_pid(f, o, r->ctx->trace, c->upid);
        pf_node_add_text(f, o, PF_STR("tile_name"), c->tile);
        aie_add_length(f, o, PF_STR("open_intervals"), c->open_intervals);
        add_count(f, o, PF_STR("lost_entries"), known, c->pairing.lost_entries);
        add_count(f, o, PF_STR("lost_exits"), known, c->pairing.lost_exits);
        add_count(f, o, PF_STR("duplicate_entries"), known, c->pairing.duplicate_entries);
        add_count(f, o, PF_STR("duplicate_exits"), known, c->pairing.duplicate_exits);
        aie_add_length(f, o, PF_STR("discarded_pairs"), c->discarded_pairs);
    }
}

void aie_report(const aie_result *r, pf_findings *f)
{
    for (size_t i = 0; i < r->cores->count; i++) {
        report_core(r, &r->cores->core[i], f);
    }
    bool details = report_details(r, f);
    report_index(r, details, f);
    pf_node *aggregate = pf_node_root(f, PF_NODE_OBJECT);
    aie_fill_aggregate(f, aggregate, r);
    pf_findings_report_json(f, PF_STR("aggregate_perf.json"), aggregate, true);
    pf_node *quality = pf_node_root(f, PF_NODE_LIST);
    aie_fill_quality(f, quality, r);
    pf_findings_report_json(f, PF_STR("aie_quality.json"), quality, false);
}
