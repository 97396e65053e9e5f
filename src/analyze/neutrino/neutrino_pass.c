/* analyze/neutrino/neutrino_pass.c - `analyze neutrino` as data, and the run from side tables to findings. */
#include <inttypes.h>

#include "analyze/neutrino/draw/figures.h"
#include "analyze/neutrino/partial/neutrino_partial.h"
#include "analyze/pass/partials.h"
#include "analyze/pass/passes.h"
#include "analyze/support/pass_memory.h"

enum { OPT_ONLY = 0, OPT_TIMER, OPT_CLOCK, OPT_PAGES, OPT_PARTIAL, OPT_OPTIONS };

static const pf_option options[OPT_OPTIONS] = {
    [OPT_ONLY] = {"only", 0, PF_OPTION_SET, 0, "ANALYSIS,...",
                  "block_sched|dmat|gmem_bytes|tensorop|program_progress|multi|event_log|overhead|max_mem|"
                  "exposed_latency|robustness",
                  "all that there is data for", "run these analyses only"},
    [OPT_TIMER] = {"timer", 0, PF_OPTION_CHOICE, 0, NULL, "sm|global", NULL,
                   "clock of block records: that of each SM, or the global timer in ns", .fallback = "sm"},
    [OPT_CLOCK] = {"clock-ghz", 0, PF_OPTION_REAL, 0, NULL, NULL, NULL,
                   "cycles of records in a nanosecond of the enriched trace", .fallback = "1", .unit = "GHz",
                   .within = ">0.."},
    [OPT_PAGES] = {"page-table", 0, PF_OPTION_FLAG, 0, NULL, NULL, NULL,
                   "write memory accesses by clock and page also where there are more than 4 million"},
    [OPT_PARTIAL] = {.name = "partial",
                     .type = PF_OPTION_PATH,
                     .value = "OUT.pfr",
                     .help = "write what this one input contributes to a run over more, for 'postfetto "
                             "merge-reports'"},
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

/* A line for each fault that names the file and the field. */
static void show_faults(const neutrino_run *n)
{
    const neutrino_faults *v = &n->faults;
    for (uint32_t i = 0; i < v->count && i < 100; i++) {
        pf_str file = pf_neutrino_string(n, v->file, i), field = pf_neutrino_string(n, v->field, i);
        pf_str text = pf_neutrino_string(n, v->text, i);
        pf_findings_show_line(n->f, PF_NOTICE, "%.*s: %.*s: %.*s", PF_TEXT_ARG(file), PF_TEXT_ARG(field),
                              PF_TEXT_ARG(text));
    }
    if (v->count > 100) {
        pf_findings_show_line(n->f, PF_NOTICE, "%" PRIu32 " more faults are in table neutrino_fault", v->count - 100);
    }
}

static pf_status report_sched(neutrino_run *n, const neutrino_records *r, sched_result *s, pf_error *err)
{
    pf_node *root = pf_node_root(n->f, PF_NODE_OBJECT);
    sched_residents residents;
    PF_TRY(pf_sched_analyse(n, r, s, err));
    pf_sched_document(n, s, root);
    pf_neutrino_report(n, "block_sched", r, root);
    pf_sched_tables(n, s);
    pf_neutrino_print(n, s->line);
    pf_neutrino_add_fact(n, r, "blocks", r->blocks, true);
    pf_neutrino_add_fact(n, r, "running_cycles", s->running, true);
    pf_neutrino_add_fact(n, r, "scheduling_cycles", s->scheduling, true);
    PF_TRY(pf_sched_count_residents(n, s, &residents, err));
    return pf_neutrino_sched_figures(n, s, &residents, err);
}

static pf_status analyse_sched(neutrino_run *n, const neutrino_records *r, pf_error *err)
{
    sched_result s;
    pf_status st = report_sched(n, r, &s, err);
    pf_sched_free(n, &s);
    return st;
}

/* Beyond so many accesses the table of pages is written only if it is asked for. */
#define PAGE_TABLE_MAX 4000000u

static pf_status report_dmat(neutrino_run *n, const dmat_source *s, const neutrino_records *r, dmat_result *d,
                             pf_error *err)
{
    pf_node *root = pf_node_root(n->f, PF_NODE_OBJECT);
    PF_TRY(pf_dmat_analyse(n, s, d, err));
    pf_dmat_document(n, d, root);
    pf_dmat_tables(n, d);
    pf_neutrino_report(n, "dmat", r, root);
    if (s->r) {
        pf_neutrino_add_fact(n, r, "accesses", d->used, true);
    }
    if (n->page_table || d->records <= PAGE_TABLE_MAX) {
        pf_text *table = pf_text_new(n->f);
        PF_TRY(pf_dmat_page_table(n, d, table, err));
        pf_neutrino_report_tsv(n, "page_reference", r, table);
    } else {
        pf_neutrino_say(n, pf_findings_format(
                               n->f, "%.*s: more than 4 million accesses; --page-table writes them by clock and page",
                               PF_TEXT_ARG(s->name)));
    }
    return pf_neutrino_dmat_figure(n, d, r, err);
}

static pf_status analyse_accesses(neutrino_run *n, const dmat_source *s, const neutrino_records *r, pf_error *err)
{
    dmat_result d;
    pf_status st = report_dmat(n, s, r, &d, err);
    pf_dmat_free(n, &d);
    return st;
}

static pf_status analyse_dmat(neutrino_run *n, const neutrino_records *r, pf_error *err)
{
    return analyse_accesses(n, &(dmat_source){.r = r, .run = r->run, .name = r->file}, r, err);
}

/* The rows of each .dmat file follow each other. No run has its tensors. */
static pf_status analyse_pages(neutrino_run *n, pf_error *err)
{
    neutrino_group g = {.r = {.nth = n->dmat_sections, .of_kind = n->dmat_sections}};
    while (pf_neutrino_next_group(n, n->pages.file, n->pages.count, &g)) {
        const dmat_source s = {.first = g.first, .count = g.past - g.first, .run = PF_NONE, .name = g.r.file};
        bool merge = pf_neutrino_is_merge(n);
        uint32_t unit =
            n->sections.count + (merge ? g.first : g.r.nth - n->dmat_sections); /* a partial has a row of each file */
        pf_neutrino_begin_unit(n, unit);
        PF_TRY(merge ? pf_neutrino_report_pieces(n, unit, &g.r, err) : analyse_accesses(n, &s, &g.r, err));
    }
    pf_neutrino_begin_unit(n, PF_NONE);
    return PF_OK;
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
    for (size_t k = 0; k < sizeof section_steps / sizeof *section_steps; k++) {
        const section_step *s = &section_steps[k];
        if (r->complete && pf_neutrino_wants(n, s->analysis) && pf_str_is(r->kind, s->kind)) {
            PF_TRY(s->run(n, r, err));
        }
    }
    PF_TRY(pf_findings_status(n->f, err));
    return pf_neutrino_passed(n, r, r->complete, &(uint64_t){0}, err);
}

static pf_status analyse_sections(neutrino_run *n, pf_error *err)
{
    neutrino_records r;
    for (uint32_t i = 0; pf_neutrino_records_at(n, i, &r); i++) {
        pf_neutrino_begin_unit(n, i);
        PF_TRY(pf_neutrino_is_merge(n) ? pf_neutrino_report_pieces(n, i, &r, err) : analyse_section(n, &r, err));
    }
    pf_neutrino_begin_unit(n, PF_NONE);
    return pf_neutrino_wants(n, NEUTRINO_DMAT) ? analyse_pages(n, err) : PF_OK;
}

static pf_status analyse_runs(neutrino_run *n, pf_error *err)
{
    neutrino_group g = {.first = 0};
    if (pf_neutrino_wants(n, NEUTRINO_EVENT_LOG)) {
        pf_neutrino_launches(n);
        PF_TRY(pf_neutrino_kernel_times(n, err));
    }
    if (pf_neutrino_wants(n, NEUTRINO_OVERHEAD)) {
        pf_neutrino_overhead(n);
    }
    if (pf_neutrino_wants(n, NEUTRINO_MAX_MEM)) {
        pf_neutrino_max_memory(n);
    }
    pf_neutrino_run_figures(n);
    /* The rows of each CSV follow each other. */
    while (pf_neutrino_wants(n, NEUTRINO_EXPOSED_LATENCY) &&
           pf_neutrino_next_group(n, n->latencies.file, n->latencies.count, &g)) {
        pf_neutrino_latencies(n, &g);
        pf_neutrino_latency_figure(n, &g);
    }
    return PF_OK;
}

/* What the document has of a section's records. */
static pf_status sum_blocks(neutrino_run *n, const neutrino_records *r, pf_node *sums, pf_error *err)
{
    sched_result s;
    pf_status st = pf_sched_analyse(n, r, &s, err);
    if (st == PF_OK) {
        pf_sched_document(n, &s, pf_neutrino_put(n, sums, "block_sched", PF_NODE_OBJECT));
    }
    pf_sched_free(n, &s);
    return st;
}

static pf_status sum_bytes(neutrino_run *n, const neutrino_records *r, pf_node *sums, pf_error *err)
{
    uint64_t sum[2];
    PF_TRY(pf_neutrino_add_gmem(n, r, sum, NULL, err));
    pf_neutrino_put_u64(n, sums, "gmem_bytes", sum[0] + sum[1]);
    return PF_OK;
}

static pf_status sum_section(neutrino_run *n, const neutrino_records *r, pf_node **sums, pf_error *err)
{
    if (pf_neutrino_is_merge(n)) {
        return pf_neutrino_read_sums(n, r->section, sums, err);
    }
    *sums = pf_node_root(n->f, PF_NODE_OBJECT);
    PF_TRY(pf_str_is(r->kind, "block_sched")  ? sum_blocks(n, r, *sums, err)
           : pf_str_is(r->kind, "gmem_bytes") ? sum_bytes(n, r, *sums, err)
                                              : PF_OK);
    pf_neutrino_begin_unit(n, r->section);
    pf_neutrino_keep_document(n, NEUTRINO_SUMS, PF_STR(""), *sums);
    pf_neutrino_begin_unit(n, PF_NONE);
    return PF_OK;
}

static const pf_node *member(const pf_node *object, const char *key)
{
    return object && object->type == PF_NODE_OBJECT ? pf_node_get(object, key) : NULL;
}

/* As pf_cell_count. */
static pf_cell count_cell(const pf_node *n)
{
    return n && n->type == PF_NODE_INT ? pf_cell_int(n->as.i) : n ? pf_cell_int(INT64_MAX) : (pf_cell){.null = true};
}

/* The document has the first section of each kind, the table all sections. */
static pf_status put_section(neutrino_run *n, const neutrino_records *r, uint32_t number, pf_node *root, pf_error *err)
{
    pf_node *sums;
    PF_TRY(sum_section(n, r, &sums, err));
    const pf_node *compat = member(member(sums, "block_sched"), "compat"), *line = member(compat, "line");
    for (const pf_node *c = sums ? sums->first : NULL; c && root; c = c->next) {
        bool there = false;
        for (const pf_node *k = root->first; k; k = k->next) {
            there |= pf_str_equal(k->key, c->key);
        }
        if (!there) {
            pf_node_copy(n->f, root, c->key, c);
        }
    }
    if (line && line->type == PF_NODE_TEXT && !pf_neutrino_wants(n, NEUTRINO_BLOCK_SCHED)) {
        pf_neutrino_print(n, line->as.s);
    }
    PF_NEUTRINO_ROW(n, NEUTRINO_TABLE_MULTI, {.as.s = r->file}, pf_cell_int(number), {.as.s = r->map},
                    {.as.s = r->kind}, pf_cell_count(r->units), pf_cell_count(r->complete), pf_cell_count(r->offset),
                    pf_cell_count(r->stored_offset), count_cell(member(compat, "running")),
                    count_cell(member(compat, "scheduling")), count_cell(member(sums, "gmem_bytes")));
    return PF_OK;
}

/* The sections of the first trace that has several, and where they lie. */
static pf_status analyse_multi(neutrino_run *n, pf_error *err)
{
    const neutrino_sections *s = &n->sections;
    neutrino_records r;
    uint32_t first = 0;
    while (first + 1 < s->count && s->trace[first + 1] != s->trace[first]) {
        first++;
    }
    if (first + 1 >= s->count) {
        return PF_OK;
    }
    pf_node *root = pf_node_root(n->f, PF_NODE_OBJECT);
    pf_node *right = pf_node_root(n->f, PF_NODE_LIST), *stored = pf_node_root(n->f, PF_NODE_LIST);
    for (uint32_t i = first; pf_neutrino_records_at(n, i, &r) && r.trace == s->trace[first]; i++) {
        PF_TRY(put_section(n, &r, i - first, root, err));
        pf_neutrino_put_u64(n, right, NULL, r.offset);
        pf_neutrino_put_u64(n, stored, NULL, r.stored_offset);
    }
    pf_node_copy(n->f, root, PF_STR("true_offsets"), right);
    pf_node_copy(n->f, root, PF_STR("header_offsets"), stored);
    pf_neutrino_report(n, "multi", NULL, root);
    return PF_OK;
}

static pf_status analyse(neutrino_run *n, pf_error *err)
{
    PF_TRY(analyse_runs(n, err));
    PF_TRY(analyse_sections(n, err));
    return pf_neutrino_wants(n, NEUTRINO_MULTI) ? analyse_multi(n, err) : PF_OK;
}

static neutrino_run begin(const pf_pass_context *ctx, pf_findings *f, neutrino_parts *parts)
{
    const pf_option_value *v = ctx->values;
    return (neutrino_run){.ctx = ctx,
                          .t = ctx->trace,
                          .f = f,
                          .arena = ctx->arena,
                          .only = v[OPT_ONLY].set ? v[OPT_ONLY].u : 0,
                          .global_timer = v[OPT_TIMER].i == 1,
                          .page_table = v[OPT_PAGES].b,
                          .ghz = v[OPT_CLOCK].d,
                          .scaled = v[OPT_CLOCK].set,
                          .parts = parts};
}

/* Of recordings and of partials. */
static pf_status report(neutrino_run *n, pf_error *err)
{
    pf_findings *f = n->f;
    pf_node *summary = pf_node_root(f, PF_NODE_OBJECT);
    pf_node_add_int(f, summary, PF_STR("schema_version"), 1);
    pf_findings_set_summary(f, summary);
    PF_TRY(pf_neutrino_begin(n, err));
    show_faults(n);
    pf_status st = analyse(n, err);
    if (n->printed > NEUTRINO_LINES) {
        pf_findings_show_line(f, PF_INFO, "%" PRIu32 " more result lines are in the tables and in --json",
                              n->printed - NEUTRINO_LINES);
    }
    pf_neutrino_kernel_figure(n);
    pf_neutrino_rank_tables(n);
    pf_neutrino_say_headline(n);
    pf_neutrino_show_tables(n);
    return st;
}

static pf_status run(const pf_pass_context *ctx, pf_findings *f, pf_error *err)
{
    neutrino_parts parts = {.keeps = ctx->values[OPT_PARTIAL].set, .unit = PF_NONE};
    neutrino_run n = begin(ctx, f, parts.keeps ? &parts : NULL);
    PF_TRY(pf_neutrino_bind(&n, err));
    PF_TRY(parts.keeps ? pf_neutrino_begin_parts(&n, err) : PF_OK);
    PF_TRY(report(&n, err));
    PF_TRY(ctx->output ? pf_neutrino_enrich(&n, err) : PF_OK);
    return parts.keeps ? pf_neutrino_add_parts(&n, err) : PF_OK;
}

static pf_status merge(const pf_pass_context *ctx, bool partial, pf_findings *f, pf_error *err)
{
    neutrino_parts parts = {.keeps = partial, .unit = PF_NONE};
    neutrino_run n = begin(ctx, f, &parts);
    PF_TRY(pf_neutrino_read_parts(&n, err));
    PF_TRY(report(&n, err));
    if (pf_findings_report_count(f) == 0 && (!partial || ctx->report_dir)) {
        return pf_fail(err, PF_ERR_INPUT,
                       "no partial has anything that an analysis reads; 'postfetto analyze neutrino' says what the "
                       "inputs hold");
    }
    return partial ? pf_neutrino_add_parts(&n, err) : PF_OK;
}

/* With the options of the partials, which were judged when they were written. */
static pf_status run_merge(const pf_pass_context *ctx, pf_findings *f, pf_error *err)
{
    pf_option_value values[OPT_OPTIONS];
    pf_pass_context own = *ctx;
    own.values = values;
    pf_status st = pf_partials_options(ctx, &pf_pass_neutrino, values, err);
    st = st == PF_OK ? merge(&own, ctx->values[PF_MERGE_OPT_PARTIAL].set, f, err) : st;
    pf_options_release(values, OPT_OPTIONS);
    return st;
}

static bool fits(const pf_trace *t)
{
    return pf_trace_table(t, "neutrino_run") != NULL;
}

static const pf_pass_partials of_partials = {.merge = &pf_pass_neutrino_merge, .rules = pf_neutrino_merge_rules};

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
    .reports_on_request = true,
    .fits = fits,
    .run = run,
    .finds = "record or launch that an analysis reads",
    .partials = &of_partials,
};

const pf_pass pf_pass_neutrino_merge = {
    .name = "neutrino",
    .summary = "what partials of 'analyze neutrino' say together",
    .options = pf_partials_merge_options,
    .option_count = PF_MERGE_OPTIONS,
    .roles = &pf_partials_role,
    .role_count = 1,
    .tables = pf_neutrino_report_tables,
    .table_count = NEUTRINO_REPORT_TABLES,
    .reports_on_request = true,
    .run = run_merge,
};
