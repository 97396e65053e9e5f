/* analyze/tinygrad/tg_pass.c - `analyze tinygrad` as data, and the run from trace to findings. */
#include "analyze/tinygrad/tg_pass.h"

#include <string.h>

#include "analyze/tinygrad/tg_input.h"

static const pf_role roles[] = {
    {.name = "profile",
     .kind = PF_ROLE_TRACE,
     .least = 1,
     .most = 1,
     .want = PF_WANT_EVENTS,
     .reader = "tinygrad",
     .help = "a profile of tinygrad (profile.pkl)"},
};

static bool fits(const pf_trace *t)
{
    return pf_trace_table(t, "tinygrad_event") != NULL;
}

static pf_status run(const pf_pass_context *ctx, pf_findings *f, pf_error *err)
{
    tg_input *in = pf_findings_alloc(f, sizeof *in);
    if (!in) {
        return pf_findings_status(f, err);
    }
    pf_tg_open(in, ctx->trace);
    if (in->event_count) {
        pf_findings_add_report(f, &(pf_report){.file = PF_STR("events.json"),
                                               .form = PF_REPORT_JSON_STREAM,
                                               .announced = true,
                                               .visit = pf_tg_visit_events,
                                               .of = in});
    }
    return pf_findings_status(f, err);
}

const pf_pass pf_pass_tinygrad = {
    .name = "tinygrad",
    .summary = "kernels, copies, graphs and memory of a tinygrad profile",
    .description = "Reads a profile that tinygrad pickled, without executing anything of it, and reports every event.",
    .roles = roles,
    .role_count = sizeof roles / sizeof *roles,
    .fits = fits,
    .run = run,
};
