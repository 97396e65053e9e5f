/* analyze/neutrino/pass.c - `analyze neutrino` as data, and the run from side tables to findings. */
#include <inttypes.h>
#include <string.h>

#include "analyze/neutrino/neutrino_steps.h"

enum { OPT_ONLY = 0, OPT_TIMER, OPT_OPTIONS };

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
        pf_neutrino_report(n, pf_neutrino_file(n, "block_sched", r, "json"), root);
        pf_sched_tables(n, &s);
        pf_neutrino_print(n, s.line);
    }
    pf_sched_free(n, &s);
    return st;
}

typedef struct section_step {
    const char *kind;
    neutrino_analysis analysis;
    pf_status (*run)(neutrino_run *n, const neutrino_records *r, pf_error *err);
} section_step;

static const section_step section_steps[] = {{"block_sched", NEUTRINO_BLOCK_SCHED, analyse_sched}};

static pf_status analyse_sections(neutrino_run *n, pf_error *err)
{
    neutrino_records r;
    pf_status st = PF_OK;
    for (uint32_t i = 0; st == PF_OK && pf_neutrino_records_at(n, i, &r); i++) {
        for (size_t k = 0; k < sizeof section_steps / sizeof *section_steps && st == PF_OK; k++) {
            const section_step *s = &section_steps[k];
            bool wanted = pf_neutrino_wants(n, s->analysis) && pf_neutrino_same(r.kind, s->kind);
            st = wanted && r.complete ? s->run(n, &r, err) : PF_OK;
        }
        if (pf_findings_status(n->f, err) != PF_OK) {
            return err->code;
        }
    }
    return st;
}

/* ---- the row ----------------------------------------------------------------------------------------------------- */

static pf_status run(const pf_pass_context *ctx, pf_findings *f, pf_error *err)
{
    const pf_option_value *v = ctx->values;
    neutrino_run n = {.ctx = ctx, .t = ctx->trace, .f = f, .arena = ctx->arena, .ghz = 1};
    n.only = v[OPT_ONLY].set ? v[OPT_ONLY].u : 0;
    n.global_timer = v[OPT_TIMER].i == 1;
    pf_node *summary = pf_node_root(f, PF_NODE_OBJECT);
    pf_node_add_int(f, summary, PF_STR("schema_version"), 1);
    pf_findings_set_summary(f, summary);
    show_faults(&n);
    return analyse_sections(&n, err);
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
    .options = options,
    .option_count = OPT_OPTIONS,
    .roles = roles,
    .role_count = sizeof roles / sizeof *roles,
    .tables = pf_neutrino_report_tables,
    .table_count = NEUTRINO_REPORT_TABLES,
    .fits = fits,
    .run = run,
};
