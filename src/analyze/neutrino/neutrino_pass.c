/* analyze/neutrino/neutrino_pass.c - `analyze neutrino` as data, and the run from side tables to findings. */
#include <inttypes.h>
#include <string.h>

#include "analyze/neutrino/neutrino_pass.h"
#include "analyze/neutrino/neutrino_steps.h"

enum { OPT_ONLY = 0, OPT_TIMER, OPT_CLOCK, OPT_PAGES, OPT_PICTURES, OPT_OPTIONS };

static const pf_option options[OPT_OPTIONS] = {
    [OPT_ONLY] = {.name = "only",
                  .type = PF_OPTION_SET,
                  .choices = "block_sched|dmat|gmem_bytes|tensorop|program_progress|multi|event_log|overhead|max_mem|"
                             "exposed_latency|robustness",
                  .value = "ANALYSIS,...",
                  .otherwise = "all that there is data for",
                  .help = "run these analyses only"},
    [OPT_TIMER] = {.name = "timer",
                   .type = PF_OPTION_CHOICE,
                   .choices = "sm|global",
                   .help = "clock of block records: that of each SM, or the global timer in ns",
                   .fallback = "sm"},
    [OPT_CLOCK] = {.name = "clock-ghz",
                   .type = PF_OPTION_REAL,
                   .help = "cycles of records in a nanosecond of the enriched trace",
                   .fallback = "1",
                   .unit = "GHz",
                   .within = ">0.."},
    [OPT_PAGES] = {.name = "page-table",
                   .type = PF_OPTION_FLAG,
                   .help = "write memory accesses by clock and page also where there are more than 4 million"},
    [OPT_PICTURES] = {.name = "pictures",
                      .type = PF_OPTION_FLAG,
                      .help = "draw reports as SVG and PNG, with the library cairo"},
};

static const char *const dialects[] = {"neutrino", "mixed", NULL};
static const pf_role roles[] = {
    {.name = "recording",
     .kind = PF_ROLE_TRACE,
     .least = 1,
     .want = PF_WANT_SLICES,
     .dialects = dialects,
     .help = "run directories, trees of them, or single files of one"},
};

/* ---- what is wrong ----------------------------------------------------------------------------------------------- */

/* A line for each fault that names the file and the field. */
static void show_faults(const neutrino_run *n)
{
    neutrino_view v = pf_neutrino_view(n->t, "neutrino_fault");
    for (uint32_t i = 0; i < v.count && i < 100; i++) {
        pf_str file = pf_neutrino_string(n->t, v, "file", i), field = pf_neutrino_string(n->t, v, "field", i);
        pf_str text = pf_neutrino_string(n->t, v, "text", i);
        pf_findings_show_line(n->f, PF_NOTICE, "%.*s: %.*s: %.*s", (int)file.len, file.ptr ? file.ptr : "",
                              (int)field.len, field.ptr ? field.ptr : "", (int)text.len, text.ptr ? text.ptr : "");
    }
    if (v.count > 100) {
        pf_findings_show_line(n->f, PF_NOTICE, "%" PRIu32 " more faults are in table neutrino_fault", v.count - 100);
    }
}

/* ---- sections ---------------------------------------------------------------------------------------------------- */

static pf_status analyse_sched(neutrino_run *n, const neutrino_records *r, pf_error *err)
{
    sched_result s;
    pf_status st = pf_sched_analyse(n, r, &s, err);
    if (st == PF_OK) {
        pf_node *root = pf_neutrino_root(n, PF_NODE_OBJECT);
        pf_sched_document(n, &s, root);
        pf_neutrino_report(n, "block_sched", r, root);
        pf_sched_tables(n, &s);
        pf_neutrino_print(n, s.line);
        bool good = pf_neutrino_add_fact(n, r, "blocks", r->blocks, true) &&
                    pf_neutrino_add_fact(n, r, "running_cycles", s.running, true) &&
                    pf_neutrino_add_fact(n, r, "scheduling_cycles", s.scheduling, true);
        st = good ? PF_OK : pf_budget_refused(n->arena->budget, sizeof(neutrino_fact), err);
        sched_residents residents;
        st = st == PF_OK ? pf_sched_count_residents(n, &s, &residents, err) : st;
        st = st == PF_OK && n->pictures ? pf_neutrino_draw_residents(n, r, &residents, err) : st;
        st = st == PF_OK && n->pictures ? pf_neutrino_draw_gaps(n, &s, err) : st;
        st = st == PF_OK && n->pictures ? pf_neutrino_draw_schedule(n, &s, err) : st;
    }
    pf_sched_free(n, &s);
    return st;
}

/* Beyond so many accesses the table of pages is written only if it is asked for. */
#define PAGE_TABLE_MAX 4000000u

static pf_status report_dmat(neutrino_run *n, const dmat_result *d, const neutrino_records *r, pf_error *err)
{
    pf_node *root = pf_neutrino_root(n, PF_NODE_OBJECT);
    pf_dmat_document(n, d, root);
    pf_dmat_tables(n, d);
    pf_neutrino_report(n, "dmat", r, root);
    if (d->source->r && !pf_neutrino_add_fact(n, r, "accesses", d->used, true)) {
        return pf_budget_refused(n->arena->budget, sizeof(neutrino_fact), err);
    }
    if (!n->pages && d->records > PAGE_TABLE_MAX) {
        pf_findings_show_line(n->f, PF_INFO,
                              "%.*s: more than 4 million accesses; --page-table writes them by clock and page",
                              (int)d->source->name.len, d->source->name.ptr);
        return PF_OK;
    }
    pf_text *table = pf_text_new(n->f);
    pf_status st = pf_dmat_page_table(n, d, table, err);
    pf_findings_report_text(n->f, pf_neutrino_file(n, "page_reference", r, "tsv"), table, true);
    return st;
}

static pf_status analyse_accesses(neutrino_run *n, const dmat_source *s, const neutrino_records *r, pf_error *err)
{
    dmat_result d;
    pf_status st = pf_dmat_analyse(n, s, &d, err);
    st = st == PF_OK ? report_dmat(n, &d, r, err) : st;
    st = st == PF_OK && n->pictures ? pf_neutrino_draw_heat_map(n, &d, r, err) : st;
    pf_dmat_free(n, &d);
    return st;
}

static pf_status analyse_dmat(neutrino_run *n, const neutrino_records *r, pf_error *err)
{
    const dmat_source s = {.r = r, .run = r->run, .name = r->file};
    return analyse_accesses(n, &s, r, err);
}

/* The rows of each .dmat file follow each other. */
static pf_status analyse_pages(neutrino_run *n, pf_error *err)
{
    neutrino_view v = pf_neutrino_view(n->t, "neutrino_page");
    neutrino_group g = {.first = 0};
    pf_status st = PF_OK;
    while (st == PF_OK && pf_neutrino_next_group(n, v, &g)) {
        const dmat_source s = {.pages = v, .first = g.first, .count = g.past - g.first, .name = g.r.file};
        st = analyse_accesses(n, &s, &g.r, err);
    }
    return st;
}

typedef struct section_step {
    const char *kind;
    neutrino_analysis analysis;
    pf_status (*run)(neutrino_run *n, const neutrino_records *r, pf_error *err);
} section_step;

static const section_step section_steps[] = {{"block_sched", NEUTRINO_BLOCK_SCHED, analyse_sched},
                                             {"dmat", NEUTRINO_DMAT, analyse_dmat},
                                             {"gmem_bytes", NEUTRINO_GMEM_BYTES, pf_neutrino_gmem},
                                             {"tensorop", NEUTRINO_TENSOROP, pf_neutrino_tensorop},
                                             {"program_progress", NEUTRINO_PROGRESS, pf_neutrino_progress}};

static pf_status analyse_section(neutrino_run *n, const neutrino_records *r, pf_error *err)
{
    pf_status st = PF_OK;
    for (size_t k = 0; k < sizeof section_steps / sizeof *section_steps && st == PF_OK; k++) {
        const section_step *s = &section_steps[k];
        bool wanted = pf_neutrino_wants(n, s->analysis) && pf_neutrino_same(r->kind, s->kind);
        st = wanted && r->complete ? s->run(n, r, err) : PF_OK;
    }
    return st == PF_OK ? pf_findings_status(n->f, err) : st;
}

static pf_status analyse_sections(neutrino_run *n, pf_error *err)
{
    neutrino_records r;
    pf_status st = PF_OK;
    for (uint32_t i = 0; st == PF_OK && pf_neutrino_records_at(n, i, &r); i++) {
        st = analyse_section(n, &r, err);
        uint64_t all = r.complete;
        st = st == PF_OK ? pf_neutrino_passed(n, &r, all, &(uint64_t){0}, err) : st;
    }
    return st == PF_OK && pf_neutrino_wants(n, NEUTRINO_DMAT) ? analyse_pages(n, err) : st;
}

/* The rows of each CSV follow each other. */
static pf_status analyse_latencies(neutrino_run *n, pf_error *err)
{
    neutrino_view v = pf_neutrino_view(n->t, "neutrino_latency");
    neutrino_group g = {.first = 0};
    pf_status st = PF_OK;
    while (st == PF_OK && pf_neutrino_next_group(n, v, &g)) {
        pf_neutrino_latencies(n, v, &g);
        st = n->pictures ? pf_neutrino_draw_latencies(n, v, &g, err) : PF_OK;
    }
    return st;
}

static pf_status analyse_runs(neutrino_run *n, pf_error *err)
{
    if (pf_neutrino_wants(n, NEUTRINO_EVENT_LOG)) {
        pf_neutrino_launches(n);
    }
    if (pf_neutrino_wants(n, NEUTRINO_OVERHEAD)) {
        pf_neutrino_overhead(n);
    }
    if (pf_neutrino_wants(n, NEUTRINO_MAX_MEM)) {
        pf_neutrino_max_memory(n);
    }
    if (pf_neutrino_wants(n, NEUTRINO_EXPOSED_LATENCY)) {
        return analyse_latencies(n, err);
    }
    return PF_OK;
}

/* ---- several sections in one document ---------------------------------------------------------------------------- */

/* What is known of a section's records; fields of other kinds are NULL. */
typedef struct section_sums {
    pf_cell running, scheduling, bytes;
} section_sums;

static pf_status sum_blocks(neutrino_run *n, const neutrino_records *r, pf_node *root, section_sums *sums,
                            pf_error *err)
{
    sched_result s;
    pf_status st = pf_sched_analyse(n, r, &s, err);
    if (st == PF_OK) {
        sums->running = pf_neutrino_cell(s.running);
        sums->scheduling = pf_neutrino_cell(s.scheduling);
        if (!pf_node_get(root, "block_sched")) {
            pf_sched_document(n, &s, pf_neutrino_put_object(n, root, "block_sched"));
        }
        if (!pf_neutrino_wants(n, NEUTRINO_BLOCK_SCHED)) {
            pf_neutrino_print(n, s.line);
        }
    }
    pf_sched_free(n, &s);
    return st;
}

static pf_status sum_bytes(neutrino_run *n, const neutrino_records *r, pf_node *root, section_sums *sums, pf_error *err)
{
    uint64_t sum[2];
    pf_status st = pf_neutrino_add_gmem(n, r, sum, NULL, err);
    if (st == PF_OK) {
        sums->bytes = pf_neutrino_cell(sum[0] + sum[1]);
        if (!pf_node_get(root, "gmem_bytes")) {
            pf_neutrino_put_u64(n, root, "gmem_bytes", sum[0] + sum[1]);
        }
    }
    return st;
}

/* The document has the first section of each kind, the table all sections. */
static pf_status put_section(neutrino_run *n, const neutrino_records *r, uint32_t number, pf_node *root, pf_error *err)
{
    section_sums sums = {{.null = true}, {.null = true}, {.null = true}};
    pf_status st = PF_OK;
    if (pf_neutrino_same(r->kind, "block_sched")) {
        st = sum_blocks(n, r, root, &sums, err);
    } else if (pf_neutrino_same(r->kind, "gmem_bytes")) {
        st = sum_bytes(n, r, root, &sums, err);
    }
    const pf_cell row[] = {{.as.s = r->file},
                           {.as.i = number},
                           {.as.s = r->map},
                           {.as.s = r->kind},
                           pf_neutrino_cell(r->units),
                           pf_neutrino_cell(r->complete),
                           pf_neutrino_cell(r->offset),
                           pf_neutrino_cell(r->stored_offset),
                           sums.running,
                           sums.scheduling,
                           sums.bytes};
    if (st == PF_OK) {
        pf_table_row(n->f, pf_neutrino_report_table(n, NEUTRINO_TABLE_MULTI), row);
    }
    return st;
}

/* The sections of the first trace that has several, and where they lie. */
static pf_status analyse_multi(neutrino_run *n, pf_error *err)
{
    neutrino_records r, next;
    uint32_t first = 0;
    while (pf_neutrino_records_at(n, first, &r) &&
           !(pf_neutrino_records_at(n, first + 1, &next) && next.trace == r.trace)) {
        first++;
    }
    if (!pf_neutrino_records_at(n, first, &next)) {
        return PF_OK;
    }
    pf_node *root = pf_neutrino_root(n, PF_NODE_OBJECT), *places = pf_neutrino_root(n, PF_NODE_OBJECT);
    pf_node *right = pf_neutrino_put_list(n, places, "true_offsets");
    pf_node *stored = pf_neutrino_put_list(n, places, "header_offsets");
    pf_status st = PF_OK;
    for (uint32_t i = first; st == PF_OK && pf_neutrino_records_at(n, i, &r) && r.trace == next.trace; i++) {
        st = put_section(n, &r, i - first, root, err);
        pf_neutrino_put_u64(n, right, NULL, r.offset);
        pf_neutrino_put_u64(n, stored, NULL, r.stored_offset);
    }
    pf_node_copy(n->f, root, PF_STR("true_offsets"), right);
    pf_node_copy(n->f, root, PF_STR("header_offsets"), stored);
    pf_neutrino_report(n, "multi", NULL, root);
    return st;
}

/* ---- the row ----------------------------------------------------------------------------------------------------- */

static pf_status run(const pf_pass_context *ctx, pf_findings *f, pf_error *err)
{
    const pf_option_value *v = ctx->values;
    neutrino_run n = {.ctx = ctx, .t = ctx->trace, .f = f, .arena = ctx->arena};
    n.only = v[OPT_ONLY].set ? v[OPT_ONLY].u : 0;
    n.global_timer = v[OPT_TIMER].i == 1;
    n.pages = v[OPT_PAGES].b;
    n.pictures = v[OPT_PICTURES].b;
    n.ghz = v[OPT_CLOCK].d;
    pf_node *summary = pf_node_root(f, PF_NODE_OBJECT);
    pf_node_add_int(f, summary, PF_STR("schema_version"), 1);
    pf_findings_set_summary(f, summary);
    show_faults(&n);
    pf_status st = pf_neutrino_count_kinds(&n, err);
    st = st == PF_OK ? analyse_runs(&n, err) : st;
    st = st == PF_OK ? analyse_sections(&n, err) : st;
    st = st == PF_OK && pf_neutrino_wants(&n, NEUTRINO_MULTI) ? analyse_multi(&n, err) : st;
    pf_neutrino_show_tables(&n);
    return st == PF_OK && ctx->output ? pf_neutrino_enrich(&n, err) : st;
}

static bool fits(const pf_trace *t)
{
    return pf_trace_table(t, "neutrino_run") != NULL;
}

const pf_pass pf_pass_neutrino = {
    .name = "neutrino",
    .summary = "block scheduling, memory accesses, costs and memory of GPU kernels that Neutrino probed",
    .description =
        "Reads recordings of Neutrino's probes (run directories, trees of them or single files) and runs every "
        "analysis that there is data for. Results are printed as Neutrino's own scripts print them; reports "
        "are JSON, CSV and tables for thresholds.",
    .example = "--only block_sched",
    .example_input = "Apr24_231539_1860003/",
    .options = options,
    .option_count = OPT_OPTIONS,
    .roles = roles,
    .role_count = sizeof roles / sizeof *roles,
    .tables = pf_neutrino_report_tables,
    .table_count = NEUTRINO_REPORT_TABLES,
    .derives = true,
    .fits = fits,
    .run = run,
    .finds = "record or launch that an analysis reads",
};
