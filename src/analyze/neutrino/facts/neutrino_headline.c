/* analyze/neutrino/facts/neutrino_headline.c - what came out, as one sentence with the numbers that matter most: that
 * of the first kind of analysis that there is data for. The numbers are those of the tables. */
#include <math.h>

#include "analyze/neutrino/facts/neutrino.h"
#include "analyze/support/pass_tables.h"

#define NAME_MOST 40u

/* A text of the row of a table; names that are too long for a sentence are cut. */
static const char *text_of(neutrino_run *n, const pf_table *t, size_t row, const char *column)
{
    return pf_pass_short_name(n->f, pf_pass_text(t, row, column), NAME_MOST, "a kernel");
}

/* "104.0 MB", or "2.3 million" of what has no unit. */
static const char *amount(neutrino_run *n, double v, bool bytes)
{
    static const char *const units[2][5] = {{"", " thousand", " million", " billion", " trillion"},
                                            {" bytes", " kB", " MB", " GB", " TB"}};
    unsigned unit = 0;
    while (v >= (bytes ? 1000 : 100000) && unit < 4) {
        v /= 1000;
        unit++;
    }
    return pf_pass_fixed(n->f, v, unit ? 1 : 0, units[bytes][unit]);
}

static const char *fixed(neutrino_run *n, double v, int decimals)
{
    return pf_pass_fixed(n->f, v, decimals, "");
}

static double least_of(const pf_table *t, const char *column, double sign)
{
    double least = INFINITY;
    for (size_t i = 0; i < t->row_count; i++) {
        least = fmin(least, sign * pf_pass_number(t, i, column));
    }
    return sign * least;
}

static void say_overhead(neutrino_run *n, const pf_table *t)
{
    const pf_table *registers = pf_table_view(n->tables[NEUTRINO_TABLE_REGISTERS]);
    const char *most = fixed(n, pf_pass_number(t, 0, "total_slowdown"), 2);
    const char *extra = registers ? fixed(n, pf_pass_sum(registers, "extra") / (double)registers->row_count, 1) : "";
    pf_findings_set_headline(n->f, "Kernels take %s to %s times as long with probes, %s on %s the longest%s%s%s.",
                             fixed(n, least_of(t, "total_slowdown", 1), 2), most, text_of(n, t, 0, "probe"),
                             text_of(n, t, 0, "op"), registers ? "; probes add " : "", extra,
                             registers ? " registers to a kernel on average" : "");
    pf_findings_add_highlight(n->f, "largest slowdown", "%sx", most);
    if (registers) {
        pf_findings_add_highlight(n->f, "extra registers", "%s", extra);
    }
    pf_findings_add_highlight(n->f, "runs", "%zu", t->row_count);
}

static void say_latency(neutrino_run *n, const pf_table *t)
{
    double profiler = least_of(t, "ncu_ratio", -1);
    const char *most = fixed(n, least_of(t, "neutrino_ratio", -1), 2);
    pf_findings_set_headline(n->f, "With Neutrino a launch takes %s to %s times as long as without%s%s%s.",
                             fixed(n, least_of(t, "neutrino_ratio", 1), 2), most,
                             isfinite(profiler) ? ", with Nsight Compute up to " : "",
                             isfinite(profiler) ? fixed(n, profiler, 2) : "", isfinite(profiler) ? " times" : "");
    pf_findings_add_highlight(n->f, "Neutrino, at most", "%sx", most);
    if (isfinite(profiler)) {
        pf_findings_add_highlight(n->f, "Nsight Compute, at most", "%sx", fixed(n, profiler, 2));
    }
}

static void say_schedule(neutrino_run *n, const pf_table *t)
{
    double gaps = pf_pass_number(t, 0, "exact_gap_share"), imbalance = pf_pass_number(t, 0, "imbalance");
    const char *share = isfinite(gaps) ? fixed(n, 100 * gaps, 1) : "0";
    const char *times = isfinite(imbalance) ? fixed(n, imbalance, 2) : "1";
    pf_findings_set_headline(
        n->f,
        "%s blocks of %s on %s SMs: %s %% of the time of slots is empty between blocks, the longest SM takes %s "
        "times the mean%s.",
        amount(n, pf_pass_number(t, 0, "blocks"), false), text_of(n, t, 0, "kernel"),
        amount(n, pf_pass_number(t, 0, "sms"), false), share, times, t->row_count > 1 ? " (the longest launch)" : "");
    pf_findings_add_highlight(n->f, "gaps between blocks", "%s %%", share);
    pf_findings_add_highlight(n->f, "longest SM over the mean", "%sx", times);
    if (t->row_count > 1) {
        pf_findings_add_highlight(n->f, "launches", "%zu", t->row_count);
    }
}

static void say_accesses(neutrino_run *n, const pf_table *t)
{
    const pf_table *tensors = pf_table_view(pf_neutrino_ranked(n, NEUTRINO_TABLE_TENSOR));
    double all = pf_pass_sum(t, "used");
    const char *accesses = amount(n, all, false), *pages = amount(n, pf_pass_sum(t, "pages"), false);
    if (tensors && tensors->row_count) {
        double share = 100 * pf_pass_number(tensors, 0, "accesses") / pf_pass_sum(tensors, "accesses");
        pf_findings_set_headline(n->f, "%s memory accesses to %s pages of 64 KiB; %s has %s %% of them.", accesses,
                                 pages, text_of(n, tensors, 0, "tensor"), fixed(n, share, 1));
    } else {
        pf_findings_set_headline(n->f, "%s memory accesses to %s pages of 64 KiB.", accesses, pages);
    }
    pf_findings_add_highlight(n->f, "accesses", "%s", accesses);
    pf_findings_add_highlight(n->f, "pages", "%s", pages);
}

static void say_memory(neutrino_run *n, const pf_table *t)
{
    const char *most = amount(n, pf_pass_number(t, 0, "probe"), true);
    pf_findings_set_headline(n->f, "Probes take up to %s of memory, %s on %s the most, which takes %s without them.",
                             most, text_of(n, t, 0, "test"), text_of(n, t, 0, "model"),
                             amount(n, pf_pass_number(t, 0, "original"), true));
    pf_findings_add_highlight(n->f, "memory of probes, at most", "%s", most);
}

static void say_bytes(neutrino_run *n, const pf_table *t)
{
    double all = pf_pass_sum(t, "gmem_bytes");
    const char *bytes = amount(n, all, true);
    pf_findings_set_headline(n->f, "Threads moved %s of global memory, %s %% of it asynchronously; %s the most.", bytes,
                             fixed(n, all > 0 ? 100 * pf_pass_sum(t, "async_bytes") / all : 0, 1),
                             text_of(n, t, 0, "kernel"));
    pf_findings_add_highlight(n->f, "global memory", "%s", bytes);
}

static void say_operations(neutrino_run *n, const pf_table *t)
{
    const char *all = amount(n, pf_pass_sum(t, "total"), false);
    pf_findings_set_headline(n->f, "Threads ran %s tensor operations, %s in one thread at most; %s the most.", all,
                             amount(n, least_of(t, "max", -1), false), text_of(n, t, 0, "kernel"));
    pf_findings_add_highlight(n->f, "tensor operations", "%s", all);
}

static void say_progress(neutrino_run *n, const pf_table *t)
{
    double rate = pf_pass_number(t, 0, "rate");
    const char *samples = amount(n, pf_pass_sum(t, "samples"), false);
    pf_findings_set_headline(n->f, "%s threads took %s samples of their progress%s%s%s.",
                             amount(n, pf_pass_sum(t, "threads"), false), samples, rate > 0 ? ", one in " : "",
                             rate > 0 ? amount(n, 1 / rate, false) : "", rate > 0 ? " cycles" : "");
    pf_findings_add_highlight(n->f, "samples", "%s", samples);
}

static void say_kernels(neutrino_run *n, const pf_table *t)
{
    double launches = pf_pass_sum(t, "launches"), measured = pf_pass_sum(t, "measured"),
           time = pf_pass_sum(t, "kernel_ms");
    double share = time > 0 ? 100 * pf_pass_number(t, 0, "kernel_ms") / time : 0;
    pf_findings_set_headline(n->f, "%s launches of %zu kernel%s, %s of them measured%s%s%s%s%s.",
                             amount(n, launches, false), t->row_count, t->row_count > 1 ? "s" : "",
                             amount(n, measured, false), share > 0 ? "; " : "",
                             share > 0 ? text_of(n, t, 0, "kernel") : "", share > 0 ? " takes " : "",
                             share > 0 ? fixed(n, share, 1) : "", share > 0 ? " % of the kernel time" : "");
    pf_findings_add_highlight(n->f, "launches", "%s", amount(n, launches, false));
    pf_findings_add_highlight(n->f, "measured", "%s", amount(n, measured, false));
}

void pf_neutrino_say_headline(neutrino_run *n)
{
    static const struct {
        unsigned table;
        void (*say)(neutrino_run *n, const pf_table *t);
    } kinds[] = {{NEUTRINO_TABLE_OVERHEAD, say_overhead},   {NEUTRINO_TABLE_LATENCY, say_latency},
                 {NEUTRINO_TABLE_MAX_MEM, say_memory},      {NEUTRINO_TABLE_SCHED, say_schedule},
                 {NEUTRINO_TABLE_DMAT, say_accesses},       {NEUTRINO_TABLE_GMEM, say_bytes},
                 {NEUTRINO_TABLE_TENSOROP, say_operations}, {NEUTRINO_TABLE_PROGRESS, say_progress},
                 {NEUTRINO_TABLE_KERNELS, say_kernels}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const pf_table *t = n->tables[kinds[i].table] ? pf_table_view(pf_neutrino_ranked(n, kinds[i].table)) : NULL;
        if (t && t->row_count) {
            kinds[i].say(n, t);
            return;
        }
    }
}
