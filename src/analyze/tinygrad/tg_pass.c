/* analyze/tinygrad/tg_pass.c - `analyze tinygrad` as data, and the run from trace to findings. */
#include "analyze/pass/passes.h"

#include <inttypes.h>
#include <string.h>

#include "analyze/tinygrad/device/tg_device_reports.h"
#include "analyze/tinygrad/tg_work.h"

enum { OPT_ESTIMATES, OPTIONS };

static const pf_option options[OPTIONS] = {
    [OPT_ESTIMATES] = {.name = "estimates",
                       .type = PF_OPTION_PATH,
                       .help = "a JSON file with operations and bytes of each kernel: {name: {ops, mem, lds}}"},
};

enum { ROLE_PROFILE, ROLE_ESTIMATES, ROLES };

static const pf_role roles[ROLES] = {
    [ROLE_PROFILE] = {.name = "profile",
                      .kind = PF_ROLE_TRACE,
                      .least = 1,
                      .most = 1,
                      .want = PF_WANT_EVENTS,
                      .reader = "tinygrad",
                      .help = "a profile of tinygrad (profile.pkl)"},
    [ROLE_ESTIMATES] = {.name = "estimates",
                        .kind = PF_ROLE_DOCUMENT,
                        .most = 1,
                        .option = "estimates",
                        .option_only = true,
                        .help = "what the compiler expects of kernels"},
};

static bool fits(const pf_trace *t)
{
    return pf_trace_table(t, "tinygrad_event") != NULL;
}

/* Streams beyond --stream-rows: what is not in the reports is said. */
static void note_unlisted(const tg_input *in)
{
    const tg_streams *s = &in->streams;
    uint32_t packets = 0, slices = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        packets += s->packets[i] > 0 && s->first_packet[i] == PF_NONE;
        slices += s->itrace[i] && s->slices[i] == INT64_MIN;
    }
    if (packets || slices) {
        pf_findings_show_line(in->f, PF_INFO,
                              "of %u thread traces, %u have no packets_N.tsv and %u no timeline in sqtt.json: raise "
                              "--stream-rows for them",
                              s->count, packets, slices);
    }
}

/* Lengths of what is drawn of them are cycles. */
static void note_clocks(const tg_input *in, const pf_trace *t)
{
    for (size_t i = 0; i < pf_trace_stat_count(t); i++) {
        const pf_stat s = pf_trace_stat(t, i);
        if (s.count && strcmp(s.name, "postfetto_stream_clock_unknown") == 0) {
            pf_findings_show_line(in->f, PF_NOTICE,
                                  "%" PRIu64
                                  " of %u thread traces are drawn with a cycle as a nanosecond: neither they "
                                  "nor their device say the clock, so their lengths are not those of kernels",
                                  s.count, in->streams.count);
        }
    }
}

static pf_status report_device(const tg_input *in, bool listed, pf_error *err)
{
    if (in->counters.count) {
        pf_tg_report_document(in->f, "pmc.json", pf_tg_visit_pmc, in);
    }
    if (in->counters.count || in->streams.count) {
        pf_tg_report_document(in->f, "all_pmc.json", pf_tg_visit_executions, in);
    }
    if (in->samplings.count) {
        pf_tg_report_document(in->f, "pma.json", pf_tg_visit_pma, in);
    }
    if (in->streams.count == 0) {
        return pf_findings_status(in->f, err);
    }
    pf_tg_report_document(in->f, "sqtt.json", pf_tg_visit_sqtt, in);
    if (!listed) {
        return pf_findings_status(in->f, err);
    }
    note_unlisted(in);
    return pf_tg_report_packets(in, err);
}

static pf_status show(const tg_work *w, pf_findings *f, pf_error *err)
{
    pf_table_builder *table[PF_TG_TABLES];
    PF_TRY(pf_tg_summarise(w, f, table, err));
    const pf_table_builder *waits = pf_tg_list_waits(w, f, table[TG_INSTRUCTIONS], err);
    if (!waits) {
        return err->code;
    }
    pf_tg_show(w, f, table, waits);
    pf_tg_add_figures(w, f, table, waits);
    return pf_findings_status(f, err);
}

static pf_status run(const pf_pass_context *ctx, pf_findings *f, pf_error *err)
{
    const pf_side_table *profiles = pf_trace_table(ctx->trace, "tinygrad_profile");
    if (!profiles || profiles->count == 0) {
        return pf_fail(
            err, PF_ERR_INPUT,
            "this is tinygrad's rewrites.pkl, what its compiler did, and no profile: analyze profile.pkl, which "
            "lies next to it; sources and estimates of kernels: query it with SELECT * FROM tinygrad_compiled");
    }
    tg_input *in = pf_findings_alloc(f, sizeof *in);
    tg_timeline *l = pf_findings_alloc(f, sizeof *l);
    tg_estimates *estimates = pf_findings_alloc(f, sizeof *estimates);
    tg_work work;
    PF_TRY(!in || !l || !estimates ? pf_findings_status(f, err) : PF_OK);
    PF_TRY(pf_tg_open(in, ctx->trace, f, estimates, err));
    const pf_pass_files *given = &ctx->roles[ROLE_ESTIMATES];
    if (given->count) {
        PF_TRY(pf_tg_read_estimates(in, &given->files[0], estimates, err));
    }
    PF_TRY(pf_tg_build(ctx, in, l, err));
    if (given->count && l->estimated == 0) {
        pf_findings_show_line(f, PF_NOTICE,
                              "%s was not used: none of its %zu kernels is in the profile, which calls kernels as "
                              "tinygrad_kernels does; give names with colours, without, or \"function_name\"",
                              given->files[0].path, estimates->count);
    }
    if (in->event_count) {
        pf_tg_report_document(f, "events.json", pf_tg_visit_events, in);
        pf_tg_report_document(f, "profile.json", pf_tg_visit_timeline, l);
        PF_TRY(ctx->report_dir ? pf_tg_report_layout(ctx, l, err) : PF_OK);
        PF_TRY(pf_tg_sum(ctx, l, f, &work, err));
        PF_TRY(show(&work, f, err));
        if (!ctx->skip_overlay) {
            PF_TRY(pf_tg_draw(ctx, &work, f, err));
        }
    }
    note_clocks(in, ctx->trace);
    return report_device(in, ctx->report_dir != NULL, err);
}

const pf_pass pf_pass_tinygrad = {
    .name = "tinygrad",
    .summary = "kernels, copies, graphs and memory of a tinygrad profile",
    .description = "Reads a profile that tinygrad pickled, without executing anything of it, and shows its kernels, "
                   "copies, graphs, iterations between markers 'NAME @ N' and memory peaks with the buffers that made "
                   "them up; of what devices recorded themselves: waves, where they waited, stalls and counters. With "
                   "--report these are "
                   "CSV files and summary.json, and there are all events (events.json), the timeline that tinygrad's "
                   "viewer shows (profile.json, and profile.bin as it is served), thread traces (sqtt.json, "
                   "packets_N.tsv), counters (pmc.json, all_pmc.json) and samples (pma.json).",
    .example = "--estimates estimates.json",
    .example_input = "profile.pkl",
    .options = options,
    .option_count = OPTIONS,
    .roles = roles,
    .role_count = ROLES,
    .tables = pf_tg_tables,
    .table_count = PF_TG_TABLES,
    .reports_on_request = true,
    .fits = fits,
    .run = run,
    .finds = "event of a profile",
};
