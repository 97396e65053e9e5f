/* analyze/host/host_pass.c - `analyze host` as data, and the run from trace to findings. */
#include "analyze/host/host.h"
#include "analyze/pass/passes.h"
#include "analyze/support/pass_memory.h"
#include "base/str.h"
#include "postfetto/figure.h"
#include "postfetto/side_table.h"

enum { OPT_WAITS, OPTIONS };
static const pf_option options[OPTIONS] = {
    [OPT_WAITS] = {.name = "waits",
                   .type = PF_OPTION_INT,
                   .value = "N",
                   .fallback = "20",
                   .within = "0..1000",
                   .help = "how many of the longest waits of each kind are listed"},
};

static const pf_role roles[] = {
    {.name = "trace",
     .kind = PF_ROLE_TRACE,
     .least = 1,
     .most = 1, /* cpus of one number are one cpu */
     .want = PF_WANT_EVENTS | PF_WANT_SLICES | PF_WANT_COUNTERS,
     .help = "a trace with the scheduler's events (ftrace: sched_switch, sched_waking), as tracebox records them; of "
             "several, merge makes one"},
};

static const char *milliseconds(pf_findings *f, double us)
{
    return pf_pass_fixed(f, us / 1e3, us < 1e5 ? 3 : 1, " ms");
}

static void say_interrupts(const host_facts *h, pf_findings *f, pf_table_builder *const table[HOST_TABLES])
{
    const pf_table *interrupts = pf_table_view(table[HOST_INTERRUPTS]);
    const char *most = "";
    uint64_t served = 0;
    for (uint32_t k = 0; k < h->interrupts.cpus; k++) {
        served += pf_interrupts_within(&h->interrupts, k, (pf_interval){INT64_MIN, INT64_MAX});
    }
    if (served) {
        pf_str name = pf_pass_text(interrupts, 0, "name");
        most = pf_findings_format(f, ", most of it %s", pf_pass_short_name(f, name, 40, "of no name")).ptr;
    }
    pf_findings_add_highlight(f, "interrupts", "%s", milliseconds(f, (double)served / 1e3));
    pf_findings_set_headline(f, "No scheduler was recorded; %u cpu%s served interrupts %s in %s%s.", h->cpus_seen,
                             h->cpus_seen == 1 ? "" : "s", milliseconds(f, (double)served / 1e3),
                             milliseconds(f, ((double)h->end - (double)h->start) / 1e3), most);
}

static void set_headline(const host_facts *h, pf_findings *f, pf_table_builder *const table[HOST_TABLES])
{
    const pf_table *processes = pf_table_view(table[HOST_PROCESSES]);
    double span = ((double)h->end - (double)h->start) / 1e3;
    double busy = span > 0 ? pf_pass_sum(pf_table_view(table[HOST_CPUS]), "running") / span / h->cpus_seen * 100 : 0;
    const char *most = "", *delay = "";
    if (processes && processes->row_count) {
        pf_str who = pf_pass_text(processes, 0, "process");
        most = pf_findings_format(f, "; %s used most of it (%s of all)",
                                  pf_pass_short_name(f, who, 40, "threads of no known process"),
                                  pf_pass_fixed(f, pf_pass_number(processes, 0, "share"), 1, " %"))
                   .ptr;
    }
    if (h->delays.count) {
        delay = pf_findings_format(f, "; threads that were ready ran after %s (median), %s (99 %%)",
                                   milliseconds(f, (double)h->delays.at[0] / 1e3),
                                   milliseconds(f, (double)h->delays.at[2] / 1e3))
                    .ptr;
        pf_findings_add_highlight(f, "delay, 99 %", "%s", milliseconds(f, (double)h->delays.at[2] / 1e3));
    }
    pf_findings_add_highlight(f, "cpu use", "%s", pf_pass_fixed(f, busy, 1, " %"));
    pf_findings_set_headline(f, "%u cpu%s ran threads %s of %s%s%s.", h->cpus_seen, h->cpus_seen == 1 ? "" : "s",
                             pf_pass_fixed(f, busy, 1, " %"), milliseconds(f, span), most ? most : "",
                             delay ? delay : "");
}

static void show(const host_facts *h, pf_findings *f, pf_table_builder *const table[HOST_TABLES])
{
    static const char *const columns[HOST_TABLES] = {
        [HOST_CPUS] = "cpu,running,share,runs,delay_p50,delay_p95,delay_p99",
        [HOST_FREQUENCIES] = "cpu,frequency,time,share,running,idle",
        [HOST_INTERRUPTS] = "cpu,kind,name,count,total,share,longest",
        [HOST_PROCESSES] = "process,pid,threads,running,share,ready,preempted,blocked",
        [HOST_THREADS] = "thread,tid,process,running,share,ready,migrations,delay_p50,delay_p99",
        [HOST_WAITS] = "wait,thread,tid,start,length,ready,function,waker",
    };
    for (unsigned i = 0; i < HOST_TABLES; i++) {
        pf_pass_show(f, table[i], columns[i]);
    }
    (pf_host_has_scheduler(h) ? set_headline : say_interrupts)(h, f, table);
}

static void add_figures(pf_findings *f, pf_table_builder *const table[HOST_TABLES])
{
    const pf_figure figures[] = {
        {.name = "host_cpus",
         .kind = PF_FIGURE_BARS,
         .title = PF_STR("Use of each cpu"),
         .table = table[HOST_CPUS],
         .label = "cpu",
         .values = "share",
         .most = 100},
        {.name = "host_frequencies",
         .kind = PF_FIGURE_STACKED,
         .title = PF_STR("How long each cpu had which frequency (kHz)"),
         .table = table[HOST_FREQUENCIES],
         .label = "frequency",
         .panel = "cpu",
         .values = "running,idle",
         .meanings = "compute,idle",
         .tip = "time,share"},
        {.name = "host_interrupts",
         .kind = PF_FIGURE_BARS,
         .title = PF_STR("Interrupts that took cpus longest"),
         .table = table[HOST_INTERRUPTS],
         .label = "name",
         .values = "total",
         .tip = "cpu,kind,count,longest",
         .rows = 15},
        {.name = "host_threads",
         .kind = PF_FIGURE_STACKED,
         .title = PF_STR("What the busiest threads did when they did not sleep"),
         .table = table[HOST_THREADS],
         .label = "thread",
         .values = "running,ready,preempted,blocked",
         .meanings = "compute,other,slower,idle",
         .tip = "tid,process,migrations"},
    };
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        pf_pass_figure(f, &figures[i]);
    }
}

/* The document: the span, delays of all threads, and every table. */
static void conclude(const host_facts *h, pf_findings *f, pf_table_builder *const table[HOST_TABLES])
{
    static const char *const names[HOST_PERCENTS] = {"p50_us", "p95_us", "p99_us"};
    pf_node *root = pf_node_root(f, PF_NODE_OBJECT), *delays;
    pf_node_add_int(f, root, PF_STR("schema_version"), 1);
    pf_node_add_text(f, root, PF_STR("pass"), PF_STR("host"));
    pf_node_add_int(f, root, PF_STR("start_ns"), h->start);
    pf_node_add_int(f, root, PF_STR("end_ns"), h->end);
    delays = pf_node_add(f, root, PF_STR("delays"), PF_NODE_OBJECT);
    pf_node_add_int(f, delays, PF_STR("count"), h->delays.count);
    for (unsigned i = 0; i < HOST_PERCENTS && h->delays.count; i++) {
        pf_node_add_real(f, delays, pf_str_of(names[i]), (double)h->delays.at[i] / 1e3);
    }
    for (unsigned i = 0; i < HOST_TABLES; i++) {
        pf_str name = pf_str_of(pf_host_tables[i].name);
        pf_node_add_rows(f, root, name, table[i], 0);
        if (h->ctx->report_dir) {
            pf_findings_report_csv(f, pf_findings_format(f, "%.*s.csv", PF_TEXT_ARG(name)), table[i], true);
        }
    }
    pf_findings_set_summary(f, root);
    if (h->ctx->report_dir) {
        pf_findings_report_json(f, PF_STR("host.json"), root, true);
    }
}

static pf_status run(const pf_pass_context *ctx, pf_findings *f, pf_error *err)
{
    host_facts h = {.ctx = ctx, .t = ctx->trace};
    pf_table_builder *table[HOST_TABLES];
    PF_TRY(pf_host_read(&h, (uint32_t)ctx->values[OPT_WAITS].i, err));
    if (h.start > h.end) {
        pf_pass_nothing(ctx, f, "switch of a scheduler",
                        "; record the ftrace events sched/sched_switch and sched/sched_waking, as in "
                        "docs/recipes/perfetto.md");
        return PF_OK;
    }
    PF_TRY(pf_host_read_cpus(&h, err));
    PF_TRY(pf_host_tabulate(&h, f, table, err));
    conclude(&h, f, table);
    show(&h, f, table);
    add_figures(f, table);
    if (ctx->skip_overlay) {
        return PF_OK;
    }
    pf_findings_attribute_text(f, PF_STR("postfetto.parameters"), pf_pass_parameters(&pf_pass_of_host, ctx->values, f));
    return pf_host_draw(&h, f, err);
}

static bool fits(const pf_trace *t)
{
    const pf_side_table *sched = pf_trace_table(t, "__intrinsic_sched_slice");
    const pf_slices *s = pf_trace_slices(t);
    bool any = sched && sched->count > 0;
    for (uint32_t i = 0; i < pf_trace_tracks(t)->count && s->count && !any; i++) {
        any = pf_is_interrupt(t, i);
    }
    return any;
}

const pf_pass pf_pass_of_host = {
    .name = "host",
    .summary = "what the machine did: use of its cpus by processes and threads, waits for a cpu, longest waits",
    .description =
        "Reads the scheduler's events of a Linux or Android trace. Times of threads are the sums of their rows in "
        "thread_state: running; ready (R after a wakeup) and preempted (R+, or R without a wakeup); blocked (D), of "
        "which io waits for a device; sleeping (S, I). A delay is the time for which a thread was ready right before "
        "it ran; p50, p95 and p99 go by rank. A wait lasts from the end of a run of a thread to its next run, and is "
        "of the kind that it began as. The idle thread (tid 0) is neither use nor a run. Shares of threads are of one "
        "cpu, those of processes of all that occur. Frequencies count from each sample to the next one of the cpu; "
        "interrupts "
        "inside of others count for both names; both are listed without a scheduler, too. docs/reference/host.md has "
        "the queries.",
    .example = "--waits 5",
    .example_input = "capture.pftrace",
    .options = options,
    .option_count = OPTIONS,
    .roles = roles,
    .role_count = sizeof roles / sizeof *roles,
    .tables = pf_host_tables,
    .table_count = HOST_TABLES,
    .reports_on_request = true,
    .fits = fits,
    .run = run,
};
