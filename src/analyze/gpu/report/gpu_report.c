/* analyze/gpu/report/gpu_report.c - the summary on the terminal, which answers why the GPU is idle, and the report
 * files.
 *
 * With several devices the lines are about the one with the most idle time, which is named; the tables have all.
 */
#include "analyze/gpu/report/gpu_report.h"

#include <inttypes.h>
#include <string.h>

#include "base/str.h"
#include "base/text/number.h"

enum { NAME_ROOM = 60 };

static const pf_table *table_of(const gpu_results *r, size_t i)
{
    return pf_table_view(r->facts.table[i]);
}

static size_t column_of(const pf_table *t, const char *column)
{
    size_t c = 0;
    while (c + 1 < t->column_count && strcmp(t->columns[c].name, column) != 0) {
        c++;
    }
    return c;
}

/* The cell of a row by the name of its column. */
static const pf_cell *cell(const pf_table *t, size_t row, const char *column)
{
    return &t->cells[row * t->column_count + column_of(t, column)];
}

static uint64_t count_of(const pf_table *t, size_t row, const char *column)
{
    int64_t v = cell(t, row, column)->as.i;
    return v < 0 ? 0 : (uint64_t)v;
}

static const char *name_of(pf_findings *f, const pf_table *t, size_t row, const char *column)
{
    const pf_cell *c = cell(t, row, column);
    return pf_gpu_short_name(f, c->null ? (pf_str){NULL, 0} : c->as.s, NAME_ROOM);
}

/* The rows of the device's input, which lie next to each other: how many, and the first of them. */
static size_t rows_of_input(const gpu_results *r, const pf_table *t, const gpu_device *d, size_t *first)
{
    pf_str path = pf_str_of(pf_trace_input(r->facts.trace, d->input)->path);
    size_t n = 0;
    *first = 0;
    for (size_t i = 0; i < t->row_count; i++) {
        if (pf_str_equal(cell(t, i, "input")->as.s, path)) {
            *first = n++ ? *first : i;
        }
    }
    return n;
}

static uint32_t idlest(const gpu_facts *g)
{
    uint32_t found = 0;
    for (uint32_t i = 1; i < g->device_count; i++) {
        found = g->devices[i].times.idle > g->devices[found].times.idle ? i : found;
    }
    return found;
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

static void show_times(const gpu_results *r, const gpu_device *d, pf_findings *f)
{
    const gpu_times *t = &d->times;
    pf_str name = pf_gpu_device_text(&r->facts, d, f);
    pf_findings_show_line(f, PF_INFO, "%s%s: busy %s of %s (%s)%s", r->facts.device_count > 1 ? "most idle: " : "",
                          name.ptr ? name.ptr : "", pf_gpu_length_text(f, t->busy), pf_gpu_length_text(f, t->span),
                          pf_gpu_share_text(f, t->busy, t->span),
                          r->facts.device_count > 1 ? "; all devices: --json or --report" : "");
    pf_findings_show_line(f, PF_INFO, "  compute %s, communication %s (%s of it exposed), memcpy and memset %s",
                          pf_gpu_length_text(f, t->in_class[GPU_COMPUTE]),
                          pf_gpu_length_text(f, t->in_class[GPU_COMMUNICATION]), pf_gpu_length_text(f, t->exposed),
                          pf_gpu_length_text(f, t->in_class[GPU_MEMORY]));
}

/* The cause that takes most of the idle time, as a sentence. */
static const char *verdict(const gpu_device *d)
{
    if (d->times.idle == 0) {
        return "never idle";
    }
    if (d->host >= d->waiting && d->host >= d->other) {
        return "mostly because the host launched too late";
    }
    return d->waiting >= d->other ? "mostly between kernels that were queued"
                                  : "mostly for reasons that the trace does not show (no launches recorded)";
}

static void show_idle(const gpu_results *r, const gpu_device *d, pf_findings *f)
{
    const gpu_times *t = &d->times;
    const pf_table *gaps = table_of(r, GPU_TABLE_GAPS);
    pf_findings_show_line(f, PF_INFO, "idle %s (%s), %s: host-bound %s, kernel wait %s, other %s",
                          pf_gpu_length_text(f, t->idle), pf_gpu_share_text(f, t->idle, t->span), verdict(d),
                          pf_gpu_length_text(f, d->host), pf_gpu_length_text(f, d->waiting),
                          pf_gpu_length_text(f, d->other));
    size_t i, n = rows_of_input(r, gaps, d, &i), end = i + n;
    while (i < end && cell(gaps, i, "device")->as.i != d->number) {
        i++;
    }
    if (i < end) {
        pf_findings_show_line(f, PF_INFO, "  longest gap %s (%s), host in %s, python in %s",
                              pf_gpu_length_text(f, count_of(gaps, i, "length_ns")), name_of(f, gaps, i, "cause"),
                              name_of(f, gaps, i, "host_operator"), name_of(f, gaps, i, "python_function"));
    }
}

static void show_launches(const gpu_results *r, uint32_t device, pf_findings *f)
{
    const pf_table *t = table_of(r, GPU_TABLE_LAUNCHES), *syncs = table_of(r, GPU_TABLE_SYNCS);
    uint64_t calls = 0, blocked = 0;
    size_t first, n = rows_of_input(r, syncs, &r->facts.devices[device], &first);
    for (size_t i = first; i < first + n; i++) {
        calls += count_of(syncs, i, "calls");
        blocked += count_of(syncs, i, "total_ns");
    }
    pf_findings_show_line(f, PF_INFO,
                          "launches: %" PRIu64 ", median delay %s; %" PRIu64
                          " take longer than their kernel; at most %" PRIu64 " queued",
                          count_of(t, device, "launches"), pf_gpu_length_text(f, count_of(t, device, "delay_median")),
                          count_of(t, device, "shorter_than_launch"), count_of(t, device, "queue_depth_max"));
    if (calls) {
        pf_findings_show_line(f, PF_INFO, "blocking calls: %" PRIu64 ", %s in total, longest %s", calls,
                              pf_gpu_length_text(f, blocked), name_of(f, syncs, first, "name"));
    }
}

static void show_work(const gpu_results *r, const gpu_device *d, pf_findings *f)
{
    const pf_table *k = table_of(r, GPU_TABLE_KERNELS), *c = table_of(r, GPU_TABLE_COLLECTIVES);
    size_t at, n = rows_of_input(r, k, d, &at);
    if (n) {
        double share = cell(k, at, "share_percent")->as.d;
        pf_findings_show_line(f, PF_INFO, "kernels: %zu names, largest %s: %s in %" PRIu64 " calls, %s of all", n,
                              name_of(f, k, at, "name"), pf_gpu_length_text(f, count_of(k, at, "total_ns")),
                              count_of(k, at, "calls"), pf_gpu_share_text(f, (uint64_t)(share * 1e6), 100000000));
    }
    if (rows_of_input(r, c, d, &at)) {
        pf_str size = cell(c, at, "bytes")->null ? PF_STR("unknown size")
                                                 : pf_findings_format(f, "%" PRIu64 " bytes", count_of(c, at, "bytes"));
        pf_findings_show_line(f, PF_INFO, "collectives: largest %s of %s: %s in %" PRIu64 " calls",
                              name_of(f, c, at, "kind"), size.ptr ? size.ptr : "",
                              pf_gpu_length_text(f, count_of(c, at, "total_ns")), count_of(c, at, "calls"));
    }
}

/* Device events that no step launched, which are worth a word where there are any. */
static const char *outside_text(const gpu_results *r, uint32_t device, pf_findings *f)
{
    uint64_t n = r->steps.counts[device].outside;
    const char *text = n ? pf_findings_format(f, ", %" PRIu64 " device events in none", n).ptr : NULL;
    return text ? text : "";
}

/* A throughput, if there is one. */
static const char *rate_text(const gpu_results *r, uint32_t input, const gpu_device_steps *own, double amount,
                             const char *unit, pf_findings *f)
{
    double rate = pf_gpu_throughput(&r->steps, input, &own->steady, amount);
    char number[PF_FIXED_MAX];
    pf_format_real_fixed(rate, rate < 100 ? 3 : 0, number);
    const char *text = rate > 0 ? pf_findings_format(f, ", %s %s", number, unit).ptr : NULL;
    return text ? text : "";
}

/* device: PF_NONE, where the input has none. */
static void show_steps(const gpu_results *r, uint32_t input, uint32_t device, pf_findings *f)
{
    const gpu_steps *s = &r->steps.of_input[input];
    const gpu_device_steps *own = pf_gpu_steps_of(&r->facts, &r->steps, input, device);
    bool pattern = s->source == GPU_STEP_PATTERN;
    if (s->count == 0 && !r->steps.by_name) {
        pf_findings_show_line(f, PF_INFO, "no steps: no annotation ProfilerStep#N, and kernels that repeat no pattern");
    } else if (s->count) {
        pf_findings_show_line(f, PF_INFO, "%s%s%s: %" PRIu32 ", %" PRIu64 " steady, median %s (%s)%s%s%s",
                              pattern ? "" : "steps (", pf_gpu_step_source_name(s->source).ptr, pattern ? "" : ")",
                              s->count, own->steady.count, pf_gpu_length_text(f, own->steady.median),
                              pf_gpu_step_length_name(own).ptr, rate_text(r, input, own, r->steps.items, "items/s", f),
                              rate_text(r, input, own, r->steps.flops / 1e12, "TFLOP/s", f),
                              device == PF_NONE ? "" : outside_text(r, device, f));
    }
}

/* What the path of the step whose pieces are in the table is made of, on the device. */
static void show_path(const gpu_results *r, const gpu_device *d, pf_findings *f)
{
    static const char *const classes[] = {"compute", "communication", "memory", "launch", "host", "waiting"};
    const pf_table *path = table_of(r, GPU_TABLE_CRITICAL_PATH), *t = table_of(r, GPU_TABLE_CRITICAL_PATH_SHARE);
    size_t piece, row, n = rows_of_input(r, t, d, &row);
    if (!rows_of_input(r, path, d, &piece)) {
        return;
    }
    int64_t step = cell(path, piece, "step")->as.i;
    for (size_t end = row + n - 1; row < end; row++) {
        if (cell(t, row, "device")->as.i == d->number && cell(t, row, "step")->as.i == step) {
            break;
        }
    }
    size_t first = column_of(t, "compute_percent");
    pf_str text = PF_STR("");
    for (size_t i = 0; i < sizeof classes / sizeof *classes && text.ptr; i++) {
        double share = t->cells[row * t->column_count + first + i].as.d;
        if (share >= 0.05) {
            text = pf_findings_format(f, "%s%s%s %s", text.ptr, text.len ? ", " : "", classes[i],
                                      pf_gpu_share_text(f, (uint64_t)(share * 1e6), 100000000));
        }
    }
    pf_findings_show_line(f, PF_INFO, "critical path of step %" PRId64 ": %s", step, text.ptr ? text.ptr : "");
}

static void show_ranks(const gpu_results *r, pf_findings *f)
{
    const gpu_ranks *k = &r->ranks;
    uint32_t worst = 0;
    uint64_t apart = 0;
    if (k->collective_count == 0) {
        return;
    }
    for (uint32_t i = 0; i < r->facts.rank_count; i++) {
        uint64_t offset = (uint64_t)(k->rank[i].clock_offset < 0 ? -k->rank[i].clock_offset : k->rank[i].clock_offset);
        worst = k->rank[i].caused > k->rank[worst].caused ? i : worst;
        apart = offset > apart ? offset : apart;
    }
    const gpu_rank *rank = &r->facts.ranks[worst];
    pf_findings_show_line(f, PF_INFO,
                          "ranks: %s %" PRId64 " was last in %" PRIu64 " of %" PRIu32
                          " collectives and cost the others %s; clocks differ by up to %s",
                          rank->known ? "rank" : "input", rank->known ? rank->rank : (int64_t)worst,
                          k->rank[worst].last, k->collective_count, pf_gpu_length_text(f, k->rank[worst].caused),
                          pf_gpu_length_text(f, apart));
}

#define DEVICE_EVENT "device event (kernel, memcpy, memset, GPU render stage)"

/* The first row of a table of the host: the time that it took itself, and with what it called. */
static void show_first(pf_findings *f, const char *what, const pf_table *t, const char *self, const char *all)
{
    if (t->row_count) {
        pf_findings_show_line(f, PF_INFO, "%s: %zu names, largest %s: self %s, total %s in %" PRIu64 " calls", what,
                              t->row_count, name_of(f, t, 0, "name"), pf_gpu_length_text(f, count_of(t, 0, self)),
                              pf_gpu_length_text(f, count_of(t, 0, all)), count_of(t, 0, "calls"));
    }
}

/* Of a trace without device events. */
static void show_host(const gpu_results *r, pf_findings *f)
{
    const pf_table *o = table_of(r, GPU_TABLE_OPERATORS), *m = table_of(r, GPU_TABLE_MODULES),
                   *t = table_of(r, GPU_TABLE_THREADS);
    if (t->row_count == 0) {
        pf_pass_nothing(r->facts.ctx, f, DEVICE_EVENT,
                        ", and no host operators, python functions, annotations or runtime calls: no profiler of GPUs "
                        "wrote this trace");
        return;
    }
    pf_pass_nothing(r->facts.ctx, f, DEVICE_EVENT, ": the host alone was recorded; these are its numbers");
    show_first(f, "operators", o, "host_self_ns", "host_ns");
    show_first(f, "modules", m, "self_ns", "total_ns");
    pf_findings_show_line(f, PF_INFO, "threads: %zu, busiest %s (%" PRId64 "): busy %s of %s, in operators %s",
                          t->row_count, name_of(f, t, 0, "thread_name"), cell(t, 0, "thread")->as.i,
                          pf_gpu_length_text(f, count_of(t, 0, "busy_ns")),
                          pf_gpu_length_text(f, count_of(t, 0, "end_ns") - count_of(t, 0, "start_ns")),
                          pf_gpu_length_text(f, count_of(t, 0, "operator_ns")));
    uint32_t input = 0;
    while (input + 1 < r->facts.rank_count && r->steps.of_input[input].count == 0) {
        input++;
    }
    show_steps(r, input, PF_NONE, f);
}

void pf_gpu_summarise(const gpu_results *r)
{
    const gpu_facts *g = &r->facts;
    pf_findings *f = g->f;
    if (g->unusable) {
        pf_findings_show_line(f, PF_NOTICE, "%" PRIu32 " device events have no end and are left out", g->unusable);
    }
    if (g->device_count == 0) {
        show_host(r, f);
        return;
    }
    uint32_t device = idlest(g);
    const gpu_device *d = &g->devices[device];
    show_times(r, d, f);
    show_idle(r, d, f);
    show_launches(r, device, f);
    show_work(r, d, f);
    show_steps(r, d->input, device, f);
    show_path(r, d, f);
    show_ranks(r, f);
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

void pf_gpu_report(const gpu_results *r, const pf_node *document)
{
    pf_findings *f = r->facts.f;
    static const pf_json_style style = {.utf8 = true, .final_newline = true};
    pf_findings_add_report(
        f, &(pf_report){.file = PF_STR("gpu.json"), .root = document, .json = &style, .announced = true});
    for (size_t i = 0; i < GPU_TABLES; i++) {
        const char *name = pf_gpu_tables[i].name;
        pf_findings_report_csv(f, pf_findings_format(f, "%s.csv", name), r->facts.table[i], true);
        pf_findings_add_report(f, &(pf_report){.file = pf_findings_format(f, "%s.md", name),
                                               .form = PF_REPORT_MARKDOWN,
                                               .table = r->facts.table[i],
                                               .announced = true});
    }
}
