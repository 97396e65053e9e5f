/* analyze/gpu/report/gpu_figures.c - figures over the tables, and the tables of the two heat maps: how late each rank
 * came to each collective, and how busy each device was over time. A heat map has so few cells that a page stays small:
 * neighbours share one.
 */
#include "analyze/gpu/report/gpu_report.h"

#include <inttypes.h>

#include "analyze/support/pass_memory.h"
#include "base/str.h"
#include "postfetto/figure.h"

enum { MOST_LINES = 200, MOST_COLUMNS = 100, MOST_CELLS = 10000, MOST_PANELS = 4 };

static pf_table_builder *new_table(const gpu_results *r, pf_str title, const pf_column *columns, size_t count)
{
    return pf_table_new(r->facts.f, title, columns, count);
}

static uint32_t columns_for(uint32_t lines)
{
    uint32_t most = MOST_CELLS / (lines ? lines : 1);
    return most < MOST_COLUMNS ? most : MOST_COLUMNS;
}

/* ---- busy over time ---------------------------------------------------------------------------------------------- */

/* How long a device, whose first start is `own` after that of all devices, was busy in windows of equal length from
 * there on. Each operation adds what lies after the ends of those before it. */
static void measure_windows(const gpu_facts *g, const gpu_device *d, uint64_t own, uint64_t window, uint64_t *busy)
{
    int64_t until = INT64_MIN;
    uint32_t at = 0;
    for (uint32_t i = d->first_op; i < d->first_op + d->op_count; i++) {
        uint64_t more = pf_interval_stretch(&until, g->ops.start[i], gpu_end(&g->ops, i));
        uint64_t end = own + ((uint64_t)until - (uint64_t)d->times.start);
        for (uint64_t from = end - more, to; more && from < end; from = to) {
            for (; window * (at + 1) <= from; at++) {
            }
            to = window * (at + 1) < end ? window * (at + 1) : end;
            busy[at] += to - from;
        }
    }
}

/* The row of a device. */
static void add_windows(const gpu_results *r, pf_table_builder *table, const gpu_device *d, int64_t first,
                        uint64_t window, uint32_t count)
{
    uint64_t own =
        (uint64_t)pf_gpu_common_time(&r->ranks, d->input, d->times.start) - (uint64_t)first; /* of the device's start */
    uint64_t busy[MOST_COLUMNS] = {0};
    measure_windows(&r->facts, d, own, window, busy);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t from = window * i, to = window * (i + 1);
        if (to > own && from < own + d->times.span) {
            const pf_cell cells[] = {pf_cell_text(d->label), pf_cell_count(from), pf_cell_count(to),
                                     pf_cell_real(100 * (double)busy[i] / (double)window)};
            pf_table_row(r->facts.f, table, cells);
        }
    }
}

static pf_table_builder *busy_table(const gpu_results *r)
{
    static const pf_column columns[] = {{"label", PF_CELL_TEXT, 0, ""},
                                        {"start_ns", PF_CELL_INT, 0, "ns"},
                                        {"end_ns", PF_CELL_INT, 0, "ns"},
                                        {"busy_percent", PF_CELL_REAL, 2, "%"}};
    const gpu_facts *g = &r->facts;
    uint32_t lines = g->device_count < MOST_LINES ? g->device_count : MOST_LINES, count = columns_for(lines);
    int64_t first = INT64_MAX, last = INT64_MIN;
    for (const gpu_device *d = g->devices; d < g->devices + lines; d++) {
        int64_t start = pf_gpu_common_time(&r->ranks, d->input, d->times.start),
                end = pf_gpu_common_time(&r->ranks, d->input, d->times.end);
        first = start < first ? start : first;
        last = end > last ? end : last;
    }
    uint64_t span = (uint64_t)last - (uint64_t)first, window = span / count + (span % count != 0);
    if (span == 0 || span > INT64_MAX / 2) {
        return NULL;
    }
    pf_table_builder *table = new_table(r, PF_STR("busy time in windows"), columns, sizeof columns / sizeof *columns);
    for (const gpu_device *d = g->devices; d < g->devices + lines; d++) {
        add_windows(r, table, d, first, window, count);
    }
    return table;
}

/* ---- lateness ---------------------------------------------------------------------------------------------------- */

/* How much later than the first rank each came to the collectives [from, to); the worst of them, by so many inputs in
 * a row. UINT64_MAX: to none. */
static void find_lateness(const gpu_ranks *r, uint32_t from, uint32_t to, uint64_t late[MOST_LINES], uint32_t share)
{
    for (uint32_t i = 0; i < MOST_LINES; i++) {
        late[i] = UINT64_MAX;
    }
    for (uint32_t i = from; i < to; i++) {
        const gpu_collective *c = pf_gpu_collective_at(r, i);
        for (const gpu_rank_part *p = r->parts + c->first; p < r->parts + c->first + c->count; p++) {
            uint64_t own = c->spread - ((uint64_t)c->last_start - (uint64_t)p->start);
            uint64_t *line = &late[p->input / share];
            *line = *line == UINT64_MAX || own > *line ? own : *line;
        }
    }
}

static pf_table_builder *lateness_table(const gpu_results *r)
{
    static const pf_column columns[] = {{"rank", PF_CELL_TEXT, 0, ""},
                                        {"collective", PF_CELL_INT, 0, ""},
                                        {"next_collective", PF_CELL_INT, 0, ""},
                                        {"late_ns", PF_CELL_INT, 0, "ns"}};
    const gpu_facts *g = &r->facts;
    uint32_t share = (g->rank_count + MOST_LINES - 1) / MOST_LINES, lines = (g->rank_count + share - 1) / share;
    uint32_t count = r->ranks.collective_count;
    uint64_t late[MOST_LINES];
    pf_str name[MOST_LINES];
    if (count == 0 || r->ranks.dropped) {
        return NULL;
    }
    pf_table_builder *table =
        new_table(r, PF_STR("how late each rank arrived at collectives"), columns, sizeof columns / sizeof *columns);
    for (uint32_t i = 0; i < lines; i++) {
        uint32_t last = (i + 1) * share < g->rank_count ? (i + 1) * share - 1 : g->rank_count - 1;
        pf_str from = pf_gpu_rank_text(g, i * share, g->f), to = pf_gpu_rank_text(g, last, g->f);
        name[i] = share == 1 ? from : pf_findings_format(g->f, "%.*s to %.*s", PF_TEXT_ARG(from), PF_TEXT_ARG(to));
    }
    uint32_t step = (count - 1) / columns_for(lines) + 1;
    for (uint32_t from = 0; from < count; from += step) {
        uint32_t to = count - from < step ? count : from + step;
        find_lateness(&r->ranks, from, to, late, share);
        for (uint32_t i = 0; i < lines; i++) {
            const pf_cell cells[] = {pf_cell_text(name[i]), pf_cell_int(from), pf_cell_int(to),
                                     pf_cell_int_if(late[i] <= INT64_MAX, (int64_t)late[i])};
            pf_table_row(g->f, table, cells);
        }
    }
    return table;
}

/* ---- figures ----------------------------------------------------------------------------------------------------- */

/* What a device did with its time: the parts, what the legend calls them, what they mean. */
#define PARTS "compute_ns,exposed_communication_ns,exposed_memcpy_ns,"
#define PART_NAMES "compute,exposed communication,memcpy,"
#define PART_MEANINGS "compute,communication,memcpy,"

/* Whether busy_table says how busy devices were: few enough of them, whose operations are there. */
static bool is_measured(const gpu_results *r)
{
    return r->facts.ops.count && (r->facts.rank_count < 2 || r->facts.device_count <= MOST_LINES);
}

/* What devices of all ranks did over time, and how busy they were where busy_table does not. */
static void add_maps(const gpu_results *r)
{
    static const struct {
        const char *name, *title, *values;
    } maps[] = {{"gpu_busy", "How busy each GPU was over time", "busy_percent"},
                {"gpu_communication", "When each GPU communicated", "communication_percent"},
                {"gpu_exposed", "When each GPU communicated and computed nothing", "exposed_communication_percent"}};
    const gpu_facts *g = &r->facts;
    const pf_table *t = pf_table_view(g->table[GPU_TABLE_RANK_MAP]);
    pf_str note = PF_STR("By a hundred windows of the time of all, clocks aligned.");
    if (t && t->row_count && pf_pass_cell(t, 0, "devices")->as.i > 1) {
        note =
            pf_findings_format(g->f, "%" PRIu32 " GPUs: a line is the mean of %" PRId64 " in the order of their ranks.",
                               g->device_count, pf_pass_cell(t, 0, "devices")->as.i);
    }
    for (size_t i = is_measured(r) ? 1 : 0; i < sizeof maps / sizeof *maps; i++) {
        bool any = i == 0 || pf_table_rows(g->table[GPU_TABLE_COLLECTIVES]);
        pf_pass_figure(g->f, &(pf_figure){.name = maps[i].name,
                                          .kind = PF_FIGURE_HEAT_MAP,
                                          .title = pf_str_of(maps[i].title),
                                          .note = note,
                                          .table = any ? g->table[GPU_TABLE_RANK_MAP] : NULL,
                                          .label = "label",
                                          .from = "start_ns",
                                          .to = "end_ns",
                                          .values = maps[i].values,
                                          .tip = "devices",
                                          .most = 100,
                                          .rows = MOST_LINES});
    }
}

static void add_device_figures(const gpu_results *r)
{
    pf_findings *f = r->facts.f;
    pf_findings_add_figure(
        f, &(pf_figure){.name = "gpu_devices",
                        .kind = PF_FIGURE_STACKED,
                        .title = PF_STR("What each GPU did with its time"),
                        .note = PF_STR("Idle: host-bound, when nothing was queued; kernel wait, when something was."),
                        .table = r->facts.table[GPU_TABLE_DEVICES],
                        .label = "label",
                        .values = PARTS "idle_host_bound_ns,idle_kernel_wait_ns,idle_other_ns",
                        .value_names = PART_NAMES "idle: host-bound,idle: kernel wait,idle: other",
                        .meanings = PART_MEANINGS "host,waiting,idle",
                        .tip = "busy_percent"});
    if (is_measured(r)) {
        pf_findings_add_figure(f, &(pf_figure){.name = "gpu_busy",
                                               .kind = PF_FIGURE_HEAT_MAP,
                                               .title = PF_STR("How busy each GPU was over time"),
                                               .table = busy_table(r),
                                               .label = "label",
                                               .from = "start_ns",
                                               .to = "end_ns",
                                               .values = "busy_percent",
                                               .most = 100,
                                               .rows = MOST_LINES});
    }
    add_maps(r);
}

/* Of more devices than fit below each other the one that was idle longest stands for all. */
static void add_step_figure(const gpu_results *r)
{
    pf_findings *f = r->facts.f;
    bool many = r->facts.device_count > MOST_PANELS;
    pf_str own = r->facts.devices[pf_gpu_most_idle(&r->facts)].label;
    pf_findings_add_figure(
        f, &(pf_figure){.name = "gpu_steps",
                        .kind = PF_FIGURE_STACKED,
                        .title = many ? pf_findings_format(f, "What %.*s did in steps", PF_TEXT_ARG(own))
                                      : PF_STR("What GPUs did in steps"),
                        .note = PF_STR("From the first to the last device event of each step, or cycle of a pattern."),
                        .table = r->facts.table[GPU_TABLE_STEPS],
                        .label = "step",
                        .panel = r->facts.device_count > 1 ? "label" : NULL,
                        .panel_only = many ? own : (pf_str){NULL, 0},
                        .values = PARTS "idle_ns",
                        .value_names = PART_NAMES "idle",
                        .meanings = PART_MEANINGS "idle",
                        .tip = "mark,period_ns,busy_percent"});
}

/* ---- ranks ------------------------------------------------------------------------------------------------------- */

static const pf_pass_table rank_clocks = PF_PASS_TABLE(
    "clocks", "how far the clock of each rank is ahead of the first one", PF_TEXT_COLUMN("label"),
    PF_INT_COLUMN("clock_line_offset", "ns"), PF_INT_COLUMN("least_ns", "ns"), PF_INT_COLUMN("most_ns", "ns"),
    PF_INT_COLUMN("clock_uncertainty", "ns"), PF_REAL_COLUMN("drift_ppb", 3, "ppb"));

/* With both ends of what the uncertainty leaves. */
static void put_clock(const gpu_results *r, const pf_table *t, uint32_t i, pf_table_builder *clocks)
{
    const pf_cell *at = pf_pass_cell(t, i, "clock_line_offset"), *by = pf_pass_cell(t, i, "clock_uncertainty");
    int64_t least, most;
    if (!at->null && !by->null && !__builtin_sub_overflow(at->as.i, by->as.i, &least) &&
        !__builtin_add_overflow(at->as.i, by->as.i, &most)) {
        PF_TABLE_ROW(r->facts.f, clocks, *pf_pass_cell(t, i, "label"), *at, pf_cell_int(least), pf_cell_int(most), *by,
                     *pf_pass_cell(t, i, "drift_ppb"));
    }
}

static void add_rank_figures(const gpu_results *r)
{
    pf_findings *f = r->facts.f;
    const pf_table *t = pf_table_view(r->facts.table[GPU_TABLE_RANKS]);
    if (r->facts.rank_count < 2 || !t) {
        return;
    }
    pf_table_builder *clocks =
        pf_table_new(f, pf_str_of(rank_clocks.help), rank_clocks.columns, rank_clocks.column_count);
    for (uint32_t i = 0; i < t->row_count; i++) {
        put_clock(r, t, i, clocks);
    }
    pf_findings_add_figure(f, &(pf_figure){.name = "gpu_ranks",
                                           .kind = PF_FIGURE_STACKED,
                                           .title = PF_STR("What the GPUs of each rank did with their time"),
                                           .table = r->facts.table[GPU_TABLE_RANKS],
                                           .label = "label",
                                           .values = PARTS "idle_ns",
                                           .value_names = PART_NAMES "idle",
                                           .meanings = PART_MEANINGS "idle",
                                           .tip = "median_step_ns,waited_ns,caused_ns"});
    pf_pass_figure(f, &(pf_figure){.name = "gpu_rank_costs",
                                   .kind = PF_FIGURE_BARS,
                                   .title = PF_STR("Whose delays the others waited for"),
                                   .note = PF_STR("The sum over all others, and over all collectives."),
                                   .table = r->facts.table[GPU_TABLE_RANK_COSTS],
                                   .label = "label",
                                   .values = "cost_ns",
                                   .tip = "collectives,step,kind,cause,name,more_ns",
                                   .rows = 15});
    pf_pass_figure(f, &(pf_figure){.name = "gpu_step_spread",
                                   .kind = PF_FIGURE_LINE,
                                   .title = PF_STR("What steps took over all ranks, without waiting in collectives"),
                                   .note = PF_STR("The period of a step less exposed communication."),
                                   .table = r->facts.table[GPU_TABLE_STEP_SPREAD],
                                   .from = "step",
                                   .values = "work_max,work_p95,work_median,work_min",
                                   .value_names = "longest,95 %,median,shortest",
                                   .tip = "most_work_rank,period_max,longest_rank"});
    if (pf_table_rows(clocks) > 1) {
        pf_findings_add_figure(f, &(pf_figure){.name = "gpu_clocks",
                                               .kind = PF_FIGURE_INTERVALS,
                                               .title = PF_STR("How far the clock of each rank is ahead of the first"),
                                               .note = PF_STR("At one moment, and how far off that may be; clocks "
                                                              "drift, too."),
                                               .table = clocks,
                                               .label = "label",
                                               .values = "clock_line_offset",
                                               .from = "least_ns",
                                               .to = "most_ns",
                                               .tip = "clock_uncertainty,drift_ppb"});
    }
}

static void add_step_and_kernel_figures(const gpu_results *r)
{
    const gpu_facts *g = &r->facts;
    if (pf_table_rows(g->table[GPU_TABLE_STEPS])) {
        add_step_figure(r);
    }
    pf_pass_figure(g->f, &(pf_figure){.name = "gpu_kernels",
                                      .kind = PF_FIGURE_BARS,
                                      .title = PF_STR("Kernels that took longest"),
                                      .table = r->top_kernels ? r->top_kernels : g->table[GPU_TABLE_KERNELS],
                                      .label = "name",
                                      .values = "total_ns",
                                      .meaning = "class",
                                      .tip = "calls,share_percent,mean_ns",
                                      .rows = 15});
}

/* Longest gaps, and how late ranks were. */
static void add_last_figures(const gpu_results *r)
{
    const gpu_facts *g = &r->facts;
    pf_pass_figure(g->f, &(pf_figure){.name = "gpu_gaps",
                                      .kind = PF_FIGURE_STACKED,
                                      .title = PF_STR("Longest gaps, by the operation that ended them"),
                                      .table = g->table[GPU_TABLE_GAPS],
                                      .label = "after",
                                      .values = "host_bound_ns,kernel_wait_ns,other_ns",
                                      .value_names = "host-bound,kernel wait,other",
                                      .meanings = "host,waiting,idle",
                                      .tip = "label,before,host_operator,python_function",
                                      .rows = 15});
    pf_findings_add_figure(g->f, &(pf_figure){.name = "gpu_lateness",
                                              .kind = PF_FIGURE_HEAT_MAP,
                                              .title = PF_STR("How late each rank arrived at each collective"),
                                              .note = PF_STR("After the first rank, clocks aligned; of collectives "
                                                             "that share a cell the latest."),
                                              .table = lateness_table(r),
                                              .label = "rank",
                                              .from = "collective",
                                              .to = "next_collective",
                                              .values = "late_ns",
                                              .rows = MOST_LINES});
}

void pf_gpu_add_figures(const gpu_results *r)
{
    bool device = r->facts.device_count > 0;
    if (device) {
        add_device_figures(r);
        add_rank_figures(r);
        add_step_and_kernel_figures(r);
    }
    pf_gpu_add_host_figures(r);
    if (device) {
        add_last_figures(r);
    }
}
