/* analyze/gpu/report/gpu_host_figures.c - figures of what the host asked for: operators and their roofline, modules,
 * runtime calls, memory over time and at its peak; then streams and counters of CUPTI. Figures whose rows are not those
 * of one table, or have no label, get a table of their own.
 */
#include <inttypes.h>

#include "analyze/gpu/report/gpu_report.h"
#include "analyze/support/pass_memory.h"
#include "base/str.h"
#include "postfetto/figure.h"

/* Bars of a figure; points of memory over time; panels of devices. */
enum { MOST_BARS = 15, MOST_POINTS = 200, MOST_PANELS = 4, MOST_FOLDED = 512 };

/* Columns of gpu_module_tree from "calls" on. */
enum { CALLS, TOTAL, SELF, LAUNCHED, DEVICE, DEVICE_SELF, MODULE_SUMS };

#define LABEL PF_TEXT_COLUMN("label")
#define NS(name) PF_INT_COLUMN(name, "ns")
#define COUNT(name) PF_INT_COLUMN(name, "")
#define BYTES(name) PF_INT_COLUMN(name, "bytes")

static const pf_pass_table modules =
    PF_PASS_TABLE("modules", "modules with 1 % of the time or more, by their names without numbers", LABEL,
                  NS("device_self_ns"), NS("device_inside_ns"), NS("host_self_ns"), NS("host_inside_ns"),
                  COUNT("modules"), COUNT("calls"), COUNT("launched"));
static const pf_pass_table over_time = PF_PASS_TABLE("memory", "memory over time, the most in each window", LABEL,
                                                     NS("at_ns"), BYTES("allocated_bytes"), BYTES("reserved_bytes"));
static const pf_pass_table holders =
    PF_PASS_TABLE("holders", "what held memory at its peak", LABEL, BYTES("bytes"), COUNT("allocations"),
                  PF_REAL_COLUMN("share_percent", 2, "%"), PF_TEXT_COLUMN("python_function"));
static const pf_pass_table streams =
    PF_PASS_TABLE("streams", "what each stream did with its time", LABEL, NS("busy_ns"), NS("idle_host_bound_ns"),
                  NS("idle_kernel_wait_ns"), NS("idle_other_ns"), COUNT("events"));

static pf_table_builder *new_table(const gpu_results *r, const pf_pass_table *t)
{
    return pf_table_new(r->facts.f, pf_str_of(t->help), t->columns, t->column_count);
}

static bool has_device_time(const pf_table_builder *table, const char *column)
{
    const pf_table *t = pf_table_view(table);
    size_t i = 0;
    while (t && i < t->row_count && pf_pass_cell(t, i, column)->as.i == 0) {
        i++;
    }
    return t && i < t->row_count;
}

/* By their own time: those around them would have it once more. */
static void add_operators(const gpu_results *r)
{
    const pf_table_builder *all = r->facts.table[GPU_TABLE_OPERATORS];
    bool device = has_device_time(all, "device_self_ns");
    pf_str title =
        device ? PF_STR("Operators that kept GPUs busy longest") : PF_STR("Operators that kept the host busy longest");
    pf_pass_figure(
        r->facts.f,
        &(pf_figure){.name = "gpu_operators",
                     .kind = PF_FIGURE_BARS,
                     .title = title,
                     .note = PF_STR("Without the operators inside: what each launched itself, and its time on the "
                                    "host."),
                     .table = pf_pass_sorted(r->facts.f, all, device ? "device_self_ns" : "host_self_ns", false, title),
                     .label = "name",
                     .values = device ? "device_self_ns,host_self_ns" : "host_self_ns",
                     .value_names = device ? "device,host" : "host",
                     .meanings = device ? "compute,host" : "host",
                     .tip = "shapes,calls,launched_self,device_ns,host_ns",
                     .rows = MOST_BARS});
}

static void add_roofline(const gpu_results *r)
{
    const gpu_peaks *p = &r->peaks;
    bool roof = p->tflops > 0 && p->gbs > 0;
    pf_pass_figure(
        r->facts.f,
        &(pf_figure){.name = "gpu_roofline",
                     .kind = PF_FIGURE_SCATTER,
                     .title = PF_STR("How fast matmul, convolution and attention are for the bytes they move"),
                     .note = roof ? PF_STR("The roof is that of --peak-tflops and --peak-gbs.")
                                  : PF_STR("--peak-tflops and --peak-gbs draw the roof of the device."),
                     .table = r->facts.table[GPU_TABLE_FLOPS],
                     .label = "name",
                     .from = "intensity",
                     .values = "tflop_per_s",
                     .meaning = "kind",
                     .tip = "shapes,type,calls,device_ns,flop,bytes,peak_percent",
                     .value_scale = PF_SCALE_LOG,
                     .from_scale = PF_SCALE_LOG,
                     .roof = roof ? p->tflops : 0,
                     .slope = roof ? p->gbs / 1e3 : 0});
}

/* Nodes of the tree whose names, and those of the modules around them, differ in their numbers only. */
typedef struct folded_module {
    pf_str name;                        /* "Linear" of "nn.Module: Linear_3" */
    uint32_t parent, depth;             /* parent: its place, or PF_NONE */
    bool put;                           /* into the table */
    int64_t sums[MODULE_SUMS], modules; /* modules: how many nodes */
} folded_module;

typedef struct folded_tree {
    folded_module *list;
    uint32_t count;
    double whole;
} folded_tree;

static pf_str folded_name(pf_str name)
{
    const pf_str word = PF_STR("nn.Module: ");
    size_t end = name.len;
    while (end > word.len && name.ptr[end - 1] >= '0' && name.ptr[end - 1] <= '9') {
        end--;
    }
    bool numbered = end < name.len && end > word.len + 1 && name.ptr[end - 1] == '_';
    return (pf_str){name.ptr + word.len, (numbered ? end - 1 : name.len) - word.len};
}

/* PF_NONE: there are too many. */
static uint32_t fold(folded_tree *tree, uint32_t parent, pf_str name)
{
    uint32_t at = 0;
    while (at < tree->count && (tree->list[at].parent != parent || !pf_str_equal(tree->list[at].name, name))) {
        at++;
    }
    if (at == MOST_FOLDED) {
        return PF_NONE;
    }
    if (at == tree->count) {
        tree->list[tree->count++] = (folded_module){
            .name = name, .parent = parent, .depth = parent == PF_NONE ? 0 : tree->list[parent].depth + 1};
    }
    return at;
}

/* The tree of the first input that has one; `of` is the column of the whole. false: memory was refused. */
static bool fold_tree(const gpu_results *r, const pf_table *t, const char *of, folded_tree *tree)
{
    uint32_t *place = pf_findings_alloc(r->facts.f, t->row_count * sizeof *place);
    tree->list = pf_findings_alloc(r->facts.f, MOST_FOLDED * sizeof *tree->list);
    for (size_t i = 0; place && tree->list && i < t->row_count; i++) {
        const pf_cell *parent = pf_pass_cell(t, i, "parent");
        if (!pf_str_equal(t->cells[i * t->column_count].as.s, t->cells[0].as.s)) {
            break;
        }
        bool lost = !parent->null && place[parent->as.i] == PF_NONE; /* the module around it has no place */
        place[i] = lost ? PF_NONE
                        : fold(tree, parent->null ? PF_NONE : place[parent->as.i],
                               folded_name(pf_pass_cell(t, i, "name")->as.s));
        tree->whole += parent->null ? (double)pf_pass_cell(t, i, of)->as.i : 0;
        for (unsigned k = 0; place[i] != PF_NONE && k < MODULE_SUMS; k++) {
            tree->list[place[i]].sums[k] += t->cells[i * t->column_count + pf_pass_column(t, "calls") + k].as.i;
        }
        if (place[i] != PF_NONE) {
            tree->list[place[i]].modules++;
        }
    }
    return place && tree->list;
}

static void put_module(const gpu_results *r, pf_table_builder *table, const folded_module *m)
{
    static const char marks[] = "- - - - - - - - ";
    const uint32_t most = (sizeof marks - 1) / 2;
    pf_str label = pf_findings_format(r->facts.f, "%.*s%.*s", (int)(2 * (m->depth < most ? m->depth : most)), marks,
                                      PF_TEXT_ARG(m->name));
    const int64_t *s = m->sums;
    PF_TABLE_ROW(r->facts.f, table, pf_cell_text(label), pf_cell_int(s[DEVICE_SELF]),
                 pf_cell_int(s[DEVICE] - s[DEVICE_SELF]), pf_cell_int(s[SELF]), pf_cell_int(s[TOTAL] - s[SELF]),
                 pf_cell_int(m->modules), pf_cell_int(s[CALLS]), pf_cell_int(s[LAUNCHED]));
}

/* Each module, then those inside of it, the one with most of the time first. */
static pf_table_builder *modules_table(const gpu_results *r, const pf_table *t, bool device)
{
    unsigned sum = device ? DEVICE : TOTAL;
    folded_tree tree = {.count = 0};
    pf_table_builder *table = new_table(r, &modules);
    uint32_t at = PF_NONE, next;
    bool done = !fold_tree(r, t, device ? "device_ns" : "total_ns", &tree);
    while (!done) {
        next = PF_NONE;
        for (uint32_t i = 0; i < tree.count; i++) {
            const folded_module *m = &tree.list[i];
            bool fits = m->parent == at && !m->put && (double)m->sums[sum] * 100 >= tree.whole && m->sums[sum] > 0;
            next = fits && (next == PF_NONE || m->sums[sum] > tree.list[next].sums[sum]) ? i : next;
        }
        if (next != PF_NONE) {
            tree.list[next].put = true;
            put_module(r, table, &tree.list[next]);
        }
        done = next == PF_NONE && at == PF_NONE;
        at = next != PF_NONE ? next : at == PF_NONE ? PF_NONE : tree.list[at].parent;
    }
    return table;
}

static void add_modules(const gpu_results *r)
{
    const pf_table_builder *tree = r->facts.table[GPU_TABLE_MODULE_TREE];
    bool device = has_device_time(tree, "device_ns");
    if (!pf_table_rows(tree)) {
        return;
    }
    pf_pass_figure(
        r->facts.f,
        &(pf_figure){.name = "gpu_modules",
                     .kind = PF_FIGURE_STACKED,
                     .title = device ? PF_STR("What modules kept GPUs busy") : PF_STR("Where the host was in modules"),
                     .note = PF_STR("Those inside another one are below it, with a dash more; modules whose names "
                                    "differ in numbers are one row; less than 1 % of the time is left out."),
                     .table = modules_table(r, pf_table_view(tree), device),
                     .label = "label",
                     .values = device ? "device_self_ns,device_inside_ns" : "host_self_ns,host_inside_ns",
                     .value_names = "itself,modules inside",
                     .meanings = device ? "compute,other" : "host,other",
                     .tip = "modules,calls,launched,host_self_ns,host_inside_ns"});
}

static void add_runtime(const gpu_results *r)
{
    pf_str title = PF_STR("Calls of the runtime that took the host longest");
    pf_pass_figure(r->facts.f, &(pf_figure){.name = "gpu_runtime",
                                            .kind = PF_FIGURE_BARS,
                                            .title = title,
                                            .table = pf_pass_sorted(r->facts.f, r->facts.table[GPU_TABLE_RUNTIME],
                                                                    "total_ns", false, title),
                                            .label = "name",
                                            .values = "total_ns",
                                            .meanings = "host",
                                            .tip = "calls,share_percent,mean_ns,max_ns,launched",
                                            .rows = MOST_BARS});
}

static pf_str holding_label(const gpu_results *r, const gpu_holding *h)
{
    const gpu_memory_row *first = &r->memory.rows[h->order[0]];
    return h->device != PF_NONE ? r->facts.devices[h->device].label
           : first->type > 0    ? pf_findings_format(r->facts.f, "device %" PRId64, first->number)
                                : PF_STR("host");
}

/* The most in each of windows of equal length. */
static void add_points(const gpu_results *r, pf_table_builder *table, const gpu_holding *h)
{
    const gpu_memory_row *rows = r->memory.rows;
    int64_t first = rows[h->order[0]].ts, most[2] = {-1, -1};
    uint64_t span = (uint64_t)rows[h->order[h->count - 1]].ts - (uint64_t)first, window = span / MOST_POINTS + 1;
    pf_str label = holding_label(r, h);
    for (uint32_t i = 0; i < h->count; i++) {
        const gpu_memory_row *row = &rows[h->order[i]];
        uint64_t at = ((uint64_t)row->ts - (uint64_t)first) / window;
        uint64_t after =
            i + 1 < h->count ? ((uint64_t)rows[h->order[i + 1]].ts - (uint64_t)first) / window : UINT64_MAX;
        for (unsigned k = 0; k < 2; k++) {
            most[k] = row->bytes[k] > most[k] ? row->bytes[k] : most[k];
        }
        if (at != after) {
            PF_TABLE_ROW(r->facts.f, table, pf_cell_text(label), pf_cell_count(at * window),
                         pf_cell_int_if(most[0] >= 0, most[0]), pf_cell_int_if(most[1] >= 0, most[1]));
            most[0] = most[1] = -1;
        }
    }
}

/* "aten::mm in Linear_3". */
static void add_holder(const gpu_results *r, pf_table_builder *table, const pf_table *t, size_t row)
{
    pf_str before = PF_STR("before the recording"), none = {NULL, 0};
    const pf_cell *op = pf_pass_cell(t, row, "operator"), *python = pf_pass_cell(t, row, "python_function");
    const pf_cell *module = pf_pass_cell(t, row, "module");
    const pf_str word = PF_STR("nn.Module: ");
    pf_str inside = !module->null  ? (pf_str){module->as.s.ptr + word.len, module->as.s.len - word.len}
                    : python->null ? none
                                   : python->as.s;
    bool recorded = pf_str_equal(pf_pass_cell(t, row, "allocated")->as.s, PF_STR("recorded"));
    pf_str label = op->null ? PF_STR("no operator") : op->as.s;
    label =
        inside.ptr ? pf_findings_format(r->facts.f, "%.*s in %.*s", PF_TEXT_ARG(label), PF_TEXT_ARG(inside)) : label;
    PF_TABLE_ROW(r->facts.f, table, pf_cell_text(recorded ? label : before), *pf_pass_cell(t, row, "bytes"),
                 *pf_pass_cell(t, row, "allocations"), *pf_pass_cell(t, row, "share_percent"), *python);
}

static int64_t peak_of(const gpu_results *r, const gpu_holding *h)
{
    return pf_pass_cell(pf_table_view(r->facts.table[GPU_TABLE_MEMORY]), (size_t)(h - r->memory.holdings), "peak_bytes")
        ->as.i;
}

/* Of devices, where there are any. */
static void add_memory(const gpu_results *r)
{
    const gpu_memory *m = &r->memory;
    const gpu_holding *end = m->holdings + m->holding_count, *largest = NULL;
    bool device = false;
    uint32_t panels = 0;
    for (const gpu_holding *h = m->holdings; h < end; h++) {
        device |= m->rows[h->order[0]].type > 0;
    }
    pf_table_builder *table = new_table(r, &over_time), *held = new_table(r, &holders);
    for (const gpu_holding *h = m->holdings; h < end; h++) {
        if (!device || m->rows[h->order[0]].type > 0) {
            add_points(r, table, h);
            largest = !largest || peak_of(r, h) > peak_of(r, largest) ? h : largest;
            panels++;
        }
    }
    if (!largest) {
        return;
    }
    for (uint32_t i = 0; i < largest->holder_count; i++) {
        add_holder(r, held, pf_table_view(r->facts.table[GPU_TABLE_MEMORY_HOLDERS]), largest->first_holder + i);
    }
    pf_str whose = holding_label(r, largest);
    pf_pass_figure(r->facts.f, &(pf_figure){.name = "gpu_memory",
                                            .kind = PF_FIGURE_LINE,
                                            .title = PF_STR("Memory of the framework's allocator over time"),
                                            .note = PF_STR("From the first allocation on; of each window the most."),
                                            .table = table,
                                            .panel = panels > 1 ? "label" : NULL,
                                            .panel_only = panels > MOST_PANELS ? whose : (pf_str){NULL, 0},
                                            .from = "at_ns",
                                            .values = "allocated_bytes,reserved_bytes",
                                            .value_names = "allocated,reserved",
                                            .mark = panels > 1 ? 0 : (double)peak_of(r, largest),
                                            .mark_name = PF_STR("peak"),
                                            .rows = (size_t)panels * (MOST_POINTS + 1)});
    pf_pass_figure(
        r->facts.f,
        &(pf_figure){.name = "gpu_memory_holders",
                     .kind = PF_FIGURE_BARS,
                     .title =
                         pf_findings_format(r->facts.f, "What held memory of %.*s at its peak", PF_TEXT_ARG(whose)),
                     .note = PF_STR("By the operator, and the module or python function, that had it allocated."),
                     .table = held,
                     .label = "label",
                     .values = "bytes",
                     .meanings = "memory",
                     .tip = "allocations,share_percent,python_function",
                     .rows = MOST_BARS});
}

/* Whether the streams of two rows are of one device. */
static bool is_of_same(const pf_table *t, size_t a, size_t b)
{
    return b < t->row_count && pf_pass_cell(t, a, "device")->as.i == pf_pass_cell(t, b, "device")->as.i &&
           pf_str_equal(pf_pass_cell(t, a, "input")->as.s, pf_pass_cell(t, b, "input")->as.s);
}

/* Of devices with several. */
static void add_streams(const gpu_results *r)
{
    const gpu_facts *g = &r->facts;
    const pf_table *t = pf_table_view(g->table[GPU_TABLE_STREAMS]);
    pf_table_builder *table = new_table(r, &streams);
    const gpu_device *d = g->devices;
    for (size_t i = 0; t && i < t->row_count; i++) {
        const pf_cell *name = pf_pass_cell(t, i, "stream_name");
        d += i && !is_of_same(t, i, i - 1); /* rows are in the order of devices, each of which has some */
        pf_str own = name->null ? pf_findings_format(g->f, "stream %" PRId64, pf_pass_cell(t, i, "stream")->as.i)
                                : pf_findings_format(g->f, "stream %.*s", PF_TEXT_ARG(name->as.s));
        if (is_of_same(t, i, i - 1) || is_of_same(t, i, i + 1)) {
            own = g->device_count > 1 ? pf_findings_format(g->f, "%.*s %.*s", PF_TEXT_ARG(d->label), PF_TEXT_ARG(own))
                                      : own;
            PF_TABLE_ROW(g->f, table, pf_cell_text(own), *pf_pass_cell(t, i, "busy_ns"),
                         *pf_pass_cell(t, i, "idle_host_bound_ns"), *pf_pass_cell(t, i, "idle_kernel_wait_ns"),
                         *pf_pass_cell(t, i, "idle_other_ns"), *pf_pass_cell(t, i, "events"));
        }
    }
    pf_pass_figure(r->facts.f,
                   &(pf_figure){.name = "gpu_streams",
                                .kind = PF_FIGURE_STACKED,
                                .title = PF_STR("What each stream did with its time"),
                                .note = PF_STR("Idle: without operations of its own, whatever other streams did."),
                                .table = table,
                                .label = "label",
                                .values = "busy_ns,idle_host_bound_ns,idle_kernel_wait_ns,idle_other_ns",
                                .value_names = "busy,idle: host-bound,idle: kernel wait,idle: other",
                                .meanings = "busy,host,waiting,idle",
                                .tip = "events"});
}

/* What is 0 says nothing. */
static void add_counters(const gpu_results *r)
{
    const pf_table *t = pf_table_view(r->facts.table[GPU_TABLE_COUNTERS]);
    pf_table_builder *counted = t ? pf_table_new(r->facts.f, t->title, t->columns, t->column_count) : NULL;
    for (size_t i = 0; counted && i < t->row_count; i++) {
        double sum = pf_pass_cell(t, i, "sum")->as.d;
        if (sum < 0 || sum > 0) {
            pf_table_row(r->facts.f, counted, &t->cells[i * t->column_count]);
        }
    }
    pf_str title = PF_STR("What CUPTI's profiler counted, by kernel");
    pf_pass_figure(r->facts.f, &(pf_figure){.name = "gpu_counters",
                                            .kind = PF_FIGURE_BARS,
                                            .title = title,
                                            .table = pf_pass_sorted(r->facts.f, counted, "sum", false, title),
                                            .label = "name",
                                            .panel = "counter",
                                            .values = "sum",
                                            .tip = "ranges,mean,min,max",
                                            .rows = 5});
}

void pf_gpu_add_host_figures(const gpu_results *r)
{
    add_operators(r);
    add_roofline(r);
    add_modules(r);
    add_runtime(r);
    add_memory(r);
    add_streams(r);
    add_counters(r);
}
