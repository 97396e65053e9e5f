/* analyze/gpu/report/gpu_report.c - what the terminal and the report page show: a sentence that answers why the GPU is
 * idle, tables, some lines; and the report files.
 *
 * With several devices the lines are about the one with the most idle time, which is named; the tables have all.
 */
#include "analyze/gpu/report/gpu_report.h"

#include <inttypes.h>

#include "analyze/gpu/ranks/gpu_across.h"
#include "base/str.h"
#include "base/text/number.h"
#include "model/findings/table_parts.h"

enum { NAME_ROOM = 60 };

static const pf_table *table_of(const gpu_results *r, size_t i)
{
    return pf_table_view(r->facts.table[i]);
}

static uint64_t count_of(const pf_table *t, size_t row, const char *column)
{
    int64_t v = pf_pass_cell(t, row, column)->as.i;
    return v < 0 ? 0 : (uint64_t)v;
}

static const char *name_of(pf_findings *f, const pf_table *t, size_t row, const char *column)
{
    return pf_pass_short_name(f, pf_pass_text(t, row, column), NAME_ROOM, "-");
}

/* The rows of the device's input, which lie next to each other, of a table in which they are all or a part. */
static gpu_rows rows_of_input(const gpu_results *r, unsigned table, const gpu_device *d)
{
    const pf_table_builder *t = r->facts.table[table];
    pf_str path = pf_str_of(r->facts.ranks[d->input].path);
    gpu_rows rows = {.t = pf_table_part(t, pf_table_parts(t) > 1 ? d->input : 0)};
    for (size_t i = 0; rows.t && i < rows.t->row_count; i++) {
        if (pf_str_equal(pf_pass_cell(rows.t, i, "input")->as.s, path)) {
            rows.from = rows.to ? rows.from : i;
            rows.to = i + 1;
        }
    }
    return rows;
}

uint32_t pf_gpu_most_idle(const gpu_facts *g)
{
    uint32_t found = 0;
    for (uint32_t i = 1; i < g->device_count; i++) {
        found = g->devices[i].times.idle > g->devices[found].times.idle ? i : found;
    }
    return found;
}

/* Of all devices together. */
static gpu_times sum_of(const gpu_facts *g)
{
    gpu_times all = {.start = 0};
    for (const gpu_device *d = g->devices; d < g->devices + g->device_count; d++) {
        pf_gpu_add_times(&all, &d->times);
    }
    return all;
}

/* The cause that takes most of the idle time. */
static const char *why_idle(const gpu_device *d)
{
    if (d->host >= d->waiting && d->host >= d->other) {
        return "mostly because the host launched too late";
    }
    return d->waiting >= d->other ? "mostly between kernels that were queued"
                                  : "mostly for reasons that the trace does not show (no launches recorded)";
}

/* The row of the longest gap of a device; `none` without one. */
static size_t longest_gap(const gpu_results *r, const gpu_device *d, size_t none)
{
    const pf_table *gaps = table_of(r, GPU_TABLE_GAPS);
    size_t i = 0;
    while (i < gaps->row_count && !(pf_str_equal(pf_pass_cell(gaps, i, "label")->as.s, d->label) &&
                                    pf_pass_cell(gaps, i, "device")->as.i == d->number)) {
        i++;
    }
    return i < gaps->row_count ? i : none;
}

/* ", thread M sleeping": what the scheduler says of the thread that ended a gap, if it knows. */
static const char *thread_text(const gpu_results *r, pf_findings *f, size_t gap)
{
    const pf_table *gaps = table_of(r, GPU_TABLE_GAPS), *host = table_of(r, GPU_TABLE_HOST_GAPS);
    size_t i = 0;
    while (i < host->row_count && (count_of(host, i, "start_ns") != count_of(gaps, gap, "start_ns") ||
                                   !pf_str_equal(pf_pass_text(host, i, "label"), pf_pass_text(gaps, gap, "label")))) {
        i++;
    }
    if (i == host->row_count || pf_str_is(pf_pass_text(host, i, "verdict"), "not known")) {
        return "";
    }
    const char *name = name_of(f, host, i, "thread_name"), *verdict = pf_pass_text(host, i, "verdict").ptr;
    bool says = strncmp(name, "thread ", strlen("thread ")) == 0; /* as profiles of torch call them */
    const char *text = pf_findings_format(f, ", %s%s %s", says ? "" : "thread ", name, verdict).ptr;
    return text ? text : "";
}

/* " (longest gap 15.0 us, host in aten::add, python in train)", as far as that is known. */
static const char *gap_text(const gpu_results *r, const gpu_device *d, pf_findings *f)
{
    const pf_table *gaps = table_of(r, GPU_TABLE_GAPS);
    size_t i = longest_gap(r, d, SIZE_MAX);
    if (i == SIZE_MAX) {
        return "";
    }
    bool host = !pf_pass_cell(gaps, i, "host_operator")->null, python = !pf_pass_cell(gaps, i, "python_function")->null;
    const char *text =
        pf_findings_format(f, " (longest gap %s%s%s%s%s%s)", pf_gpu_length_text(f, count_of(gaps, i, "length_ns")),
                           host ? ", host in " : "", host ? name_of(f, gaps, i, "host_operator") : "",
                           python ? ", python in " : "", python ? name_of(f, gaps, i, "python_function") : "",
                           thread_text(r, f, i))
            .ptr;
    return text ? text : "";
}

/* "; for delays of rank 3 the others waited 7.0 us, in 5 of 8 collectives" */
static const char *late_text(const gpu_results *r, pf_findings *f)
{
    const gpu_ranks *k = &r->ranks;
    uint32_t worst = 0;
    if (k->collective_count == 0) {
        return "";
    }
    for (uint32_t i = 1; i < r->facts.rank_count; i++) {
        worst = k->rank[i].cost > k->rank[worst].cost ? i : worst;
    }
    if (k->rank[worst].cost == 0) {
        return "";
    }
    pf_str rank = pf_gpu_rank_text(&r->facts, worst, f);
    const char *text =
        pf_findings_format(f, "; for delays of %s the others waited %s, in %" PRIu64 " of %" PRIu32 " collectives",
                           rank.ptr ? rank.ptr : "", pf_gpu_length_text(f, k->rank[worst].cost), k->rank[worst].delayed,
                           k->collective_count)
            .ptr;
    return text ? text : "";
}

static void set_headline(const gpu_results *r, const gpu_device *d, pf_findings *f)
{
    const gpu_facts *g = &r->facts;
    const gpu_times all = sum_of(g);
    const char *label = d->label.ptr ? d->label.ptr : "";
    const char *idle = "never idle";
    if (d->times.idle) {
        idle = pf_findings_format(f, "%s%s%s %s, %s%s", g->device_count > 1 ? "most idle was " : "idle",
                                  g->device_count > 1 ? label : "", g->device_count > 1 ? "," : "",
                                  pf_gpu_length_text(f, d->times.idle), why_idle(d), gap_text(r, d, f))
                   .ptr;
    }
    const char *exposed = "";
    if (all.exposed > all.span / 20) {
        exposed = pf_findings_format(f, ", %s exposed communication", pf_gpu_share_text(f, all.exposed, all.span)).ptr;
    }
    if (g->device_count == 1) {
        pf_findings_set_headline(f, "%s was busy %s of %s%s; %s%s", label, pf_gpu_share_text(f, all.busy, all.span),
                                 pf_gpu_length_text(f, all.span), exposed ? exposed : "", idle ? idle : "",
                                 late_text(r, f));
    } else {
        pf_findings_set_headline(f, "%" PRIu32 " GPUs were busy %s of their time%s; %s%s", g->device_count,
                                 pf_gpu_share_text(f, all.busy, all.span), exposed ? exposed : "", idle ? idle : "",
                                 late_text(r, f));
    }
}

/* The first three that there are. */
static void add_highlights(const gpu_results *r, uint32_t device, pf_findings *f)
{
    const gpu_times all = sum_of(&r->facts);
    const gpu_device *d = &r->facts.devices[device];
    const gpu_stats *steady = &r->steps.devices[device].steady;
    size_t gap = longest_gap(r, d, SIZE_MAX);
    pf_findings_add_highlight(f, "busy", "%s", pf_gpu_share_text(f, all.busy, all.span));
    if (all.in_class[GPU_COMMUNICATION]) {
        pf_findings_add_highlight(f, "exposed communication", "%s", pf_gpu_share_text(f, all.exposed, all.span));
    }
    if (steady->count) {
        pf_findings_add_highlight(f, pf_gpu_has_cycles(&r->steps, d->input) ? "median cycle" : "median step", "%s",
                                  pf_gpu_length_text(f, steady->median));
    }
    if (gap != SIZE_MAX && !(steady->count && all.in_class[GPU_COMMUNICATION])) {
        pf_findings_add_highlight(f, "longest gap", "%s",
                                  pf_gpu_length_text(f, count_of(table_of(r, GPU_TABLE_GAPS), gap, "length_ns")));
    }
}

static bool any(const gpu_facts *g, uint64_t (*of)(const gpu_times *))
{
    const gpu_device *d = g->devices, *end = d + g->device_count;
    while (d < end && of(&d->times) == 0) {
        d++;
    }
    return d < end;
}

static uint64_t communication_of(const gpu_times *t)
{
    return t->in_class[GPU_COMMUNICATION];
}

/* Whether some row has a value. */
static bool is_known(const gpu_results *r, unsigned table, const char *column)
{
    const pf_table *t = table_of(r, table);
    size_t i = 0;
    while (i < t->row_count && pf_pass_cell(t, i, column)->null) {
        i++;
    }
    return i < t->row_count;
}

/* Shows columns of a table that has rows. */
static void show(const gpu_results *r, unsigned table, const char *columns)
{
    if (pf_table_row_count(r->facts.table[table]) && columns) {
        pf_findings_show_columns(r->facts.f, r->facts.table[table], columns);
    }
}

/* The same, its largest rows first. */
static void show_largest(const gpu_results *r, unsigned table, const char *column, const char *columns)
{
    const pf_table_builder *shown = pf_gpu_largest_first(r, table, column);
    if (table_of(r, table)->row_count && shown && columns) {
        pf_findings_show_columns(r->facts.f, shown, columns);
    }
}

static void show_host_gaps(const gpu_results *r, pf_findings *f, bool many)
{
    static const char *const known[] = {"running_slice", "cpu_taken_by", "blocked_function", "wakers"};
    const char *columns = many ? "label,length_ns,thread_name,verdict" : "length_ns,thread_name,verdict";
    for (size_t i = 0; i < sizeof known / sizeof *known && columns; i++) {
        columns = is_known(r, GPU_TABLE_HOST_GAPS, known[i]) ? pf_findings_format(f, "%s,%s", columns, known[i]).ptr
                                                             : columns;
    }
    show(r, GPU_TABLE_HOST_GAPS, columns);
}

static void show_tables(const gpu_results *r, pf_findings *f)
{
    const gpu_facts *g = &r->facts;
    bool communicates = any(g, communication_of), many = g->device_count > 1, ranks = g->rank_count > 1;
    if (ranks) {
        show(r, GPU_TABLE_RANK_COSTS,
             is_known(r, GPU_TABLE_RANK_COSTS, "step") ? "label,cost_ns,share_percent,step,kind,cause,name,more_ns"
                                                       : "label,cost_ns,share_percent,kind,cause,name,more_ns");
        pf_gpu_show_ranks(r);
    }
    show_largest(r, GPU_TABLE_DEVICES, "idle_ns",
                 pf_findings_format(f, "label,busy_percent,idle_ns,idle_cause,span_ns,compute_ns%s%s",
                                    communicates ? ",exposed_communication_ns" : "",
                                    any(g, gpu_exposed_memcpy) ? ",exposed_memcpy_ns" : "")
                     .ptr);
    if (many) {
        show_largest(r, GPU_TABLE_STEP_SUMMARY, "median_ns",
                     pf_findings_format(f, "label,steps,warm_up,outliers,median_ns,busy_percent%s%s%s",
                                        communicates ? ",exposed_communication_percent" : "",
                                        r->steps.items > 0 ? ",items_per_second" : "",
                                        r->steps.flops > 0 ? ",flops_per_second" : "")
                         .ptr);
    } else {
        show(r, GPU_TABLE_STEPS,
             pf_findings_format(f, "step,mark,period_ns,busy_percent,compute_ns%s,idle_ns%s",
                                communicates ? ",exposed_communication_ns" : "",
                                is_known(r, GPU_TABLE_STEPS, "lag_ns") ? ",lag_ns" : "")
                 .ptr);
    }
    if (r->top_kernels) {
        pf_findings_show_table(f, r->top_kernels);
    } else {
        show(r, GPU_TABLE_KERNELS, "name,class,calls,total_ns,share_percent,mean_ns");
    }
    if (r->peaks.tflops > 0 || r->peaks.gbs > 0) {
        show(r, GPU_TABLE_FLOPS,
             ranks ? "rank,name,shapes,calls,device_ns,tflop_per_s,peak_percent,bound"
                   : "name,shapes,calls,device_ns,tflop_per_s,bandwidth_gb_per_s,peak_percent,bound");
    }
    show(r, GPU_TABLE_GAPS,
         pf_findings_format(f, "%slength_ns,cause%s%s,after", many ? "label," : "",
                            is_known(r, GPU_TABLE_GAPS, "host_operator") ? ",host_operator" : "",
                            is_known(r, GPU_TABLE_GAPS, "python_function") ? ",python_function" : "")
             .ptr);
    show_host_gaps(r, f, many);
    show(r, GPU_TABLE_COLLECTIVES,
         ranks ? "rank,kind,bytes,calls,total_ns,mean_ns,bus_bandwidth_gb_per_s"
               : "kind,bytes,ranks,calls,total_ns,mean_ns,bus_bandwidth_gb_per_s");
}

/* " on rank 3 GPU 0" where there are several devices. */
static const char *whose_text(const gpu_results *r, uint32_t device, pf_findings *f)
{
    pf_str label = r->facts.devices[device].label;
    bool many = r->facts.device_count > 1 && label.ptr;
    const char *text = many ? pf_findings_format(f, " on %s", label.ptr).ptr : "";
    return text ? text : "";
}

static void show_launches(const gpu_results *r, uint32_t device, pf_findings *f)
{
    const pf_table *t = table_of(r, GPU_TABLE_LAUNCHES);
    const gpu_rows syncs = rows_of_input(r, GPU_TABLE_SYNCS, &r->facts.devices[device]);
    uint64_t calls = 0, blocked = 0;
    for (size_t i = syncs.from; i < syncs.to; i++) {
        calls += count_of(syncs.t, i, "calls");
        blocked += count_of(syncs.t, i, "total_ns");
    }
    if (count_of(t, device, "launches")) {
        pf_findings_show_line(f, PF_INFO,
                              "launches%s: %" PRIu64 ", median delay %s; %" PRIu64
                              " take longer than their kernel; at most %" PRIu64 " queued",
                              whose_text(r, device, f), count_of(t, device, "launches"),
                              pf_gpu_length_text(f, count_of(t, device, "delay_median")),
                              count_of(t, device, "shorter_than_launch"), count_of(t, device, "queue_depth_max"));
    }
    if (calls) {
        pf_findings_show_line(f, PF_INFO, "blocking calls%s: %" PRIu64 ", %s in total, longest %s",
                              whose_text(r, device, f), calls, pf_gpu_length_text(f, blocked),
                              name_of(f, syncs.t, syncs.from, "name"));
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
    if (s->count == 0 && !r->steps.by_name) {
        pf_findings_show_line(f, PF_INFO, "no steps: no annotation ProfilerStep#N, and kernels that repeat no pattern");
    } else if (s->count) {
        pf_findings_show_line(f, PF_INFO, "%s (%s)%s: %" PRIu32 ", %" PRIu64 " steady, median %s (%s)%s%s%s",
                              pf_gpu_has_cycles(&r->steps, input) ? "cycles" : "steps",
                              pf_gpu_step_source_name(s->source).ptr, device == PF_NONE ? "" : whose_text(r, device, f),
                              s->count, own->steady.count, pf_gpu_length_text(f, own->steady.median),
                              pf_gpu_step_length_name(own).ptr, rate_text(r, input, own, r->steps.items, "items/s", f),
                              rate_text(r, input, own, r->steps.flops / 1e12, "TFLOP/s", f),
                              device == PF_NONE ? "" : outside_text(r, device, f));
    }
}

/* What the path of the step whose pieces are in the table is made of, on the device. */
static void show_path(const gpu_results *r, uint32_t device, pf_findings *f)
{
    const gpu_device *d = &r->facts.devices[device];
    static const char *const classes[] = {"compute", "communication", "memory", "launch", "host", "waiting"};
    const gpu_rows path = rows_of_input(r, GPU_TABLE_CRITICAL_PATH, d);
    if (path.to == path.from) {
        return;
    }
    int64_t step = pf_pass_cell(path.t, path.from, "step")->as.i;
    const gpu_rows shares = rows_of_input(r, GPU_TABLE_CRITICAL_PATH_SHARE, d);
    const pf_table *t = shares.t;
    size_t row = shares.from;
    if (shares.to == shares.from) {
        return;
    }
    while (row + 1 < shares.to &&
           !(pf_pass_cell(t, row, "device")->as.i == d->number && pf_pass_cell(t, row, "step")->as.i == step)) {
        row++;
    }
    size_t first = pf_pass_column(t, "compute_percent");
    pf_str text = PF_STR("");
    for (size_t i = 0; i < sizeof classes / sizeof *classes && text.ptr; i++) {
        double share = t->cells[row * t->column_count + first + i].as.d;
        if (share >= 0.05) {
            text = pf_findings_format(f, "%s%s%s %s", text.ptr, text.len ? ", " : "", classes[i],
                                      pf_gpu_share_text(f, (uint64_t)(share * 1e6), 100000000));
        }
    }
    pf_findings_show_line(f, PF_INFO, "critical path of %s %" PRId64 "%s: %s",
                          pf_gpu_has_cycles(&r->steps, d->input) ? "cycle" : "step", step, whose_text(r, device, f),
                          text.ptr ? text.ptr : "");
}

#define DEVICE_EVENT "device event (kernel, memcpy, memset, GPU render stage)"

/* Of a trace without device events. */
static void show_host(const gpu_results *r, pf_findings *f)
{
    const pf_table *t = table_of(r, GPU_TABLE_THREADS);
    if (t->row_count == 0) {
        pf_pass_nothing(r->facts.ctx, f, DEVICE_EVENT,
                        ", and no host operators, python functions, annotations or runtime calls: no profiler of GPUs "
                        "wrote this trace");
        return;
    }
    pf_pass_nothing(r->facts.ctx, f, DEVICE_EVENT, ": the host alone was recorded; these are its numbers");
    uint64_t span = count_of(t, 0, "end_ns") - count_of(t, 0, "start_ns");
    pf_findings_set_headline(f, "No device events; the busiest of %zu threads, %s (%" PRId64 "), was busy %s of %s",
                             t->row_count, name_of(f, t, 0, "thread_name"), pf_pass_cell(t, 0, "thread")->as.i,
                             pf_gpu_share_text(f, count_of(t, 0, "busy_ns"), span), pf_gpu_length_text(f, span));
    show(r, GPU_TABLE_THREADS, "thread,thread_name,busy_ns,operator_ns,events");
    show(r, GPU_TABLE_OPERATORS, "name,calls,host_self_ns,host_ns");
    show(r, GPU_TABLE_MODULES, "name,calls,self_ns,total_ns");
    uint32_t input = 0;
    while (input + 1 < r->facts.rank_count && r->steps.of_input[input].count == 0) {
        input++;
    }
    show_steps(r, input, PF_NONE, f);
}

pf_status pf_gpu_summarise(const gpu_results *r, pf_error *err)
{
    const gpu_facts *g = &r->facts;
    pf_findings *f = g->f;
    if (g->unusable) {
        pf_findings_show_line(f, PF_NOTICE, "%" PRIu32 " device events have no end and are left out", g->unusable);
    }
    if (g->device_count == 0) {
        show_host(r, f);
        return PF_OK;
    }
    uint32_t device = pf_gpu_most_idle(g);
    set_headline(r, &g->devices[device], f);
    add_highlights(r, device, f);
    show_tables(r, f);
    show_launches(r, device, f);
    show_steps(r, g->devices[device].input, device, f);
    show_path(r, device, f);
    return PF_OK;
}

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
