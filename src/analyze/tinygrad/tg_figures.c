/* analyze/tinygrad/tg_figures.c - pictures of a profile: where kernels spend their time, how far they are from the best
 * of them (with estimates), what memory held over time and who held it at the peak, where waves waited, what was
 * counted. */
#include <math.h>

#include "analyze/tinygrad/tg_work.h"
#include "base/str.h"
#include "postfetto/figure.h"

enum { STEPS = 500 }; /* of memory over time, of a device */

/* A panel for each device, where there are several. */
static const char *by_device(const pf_table_builder *t)
{
    for (size_t i = 1; i < pf_table_rows(t); i++) {
        if (!pf_str_equal(pf_tg_cell(t, i, "device")->as.s, pf_tg_cell(t, 0, "device")->as.s)) {
            return "device";
        }
    }
    return NULL;
}

static double most(const pf_table_builder *t, const char *column)
{
    double v = 0;
    for (size_t i = 0; i < pf_table_rows(t); i++) {
        v = fmax(v, pf_tg_number(t, i, column));
    }
    return v;
}

static void add_kernels(const tg_work *w, pf_findings *f, const pf_table_builder *kernels)
{
    pf_pass_figure(f, &(pf_figure){.name = "tinygrad_kernels",
                                   .kind = PF_FIGURE_BARS,
                                   .title = PF_STR("Kernels that took longest"),
                                   .note = PF_STR("Over all runs. Share and cumulative: of the time of all "
                                                  "kernels, down to this one."),
                                   .table = kernels,
                                   .label = "kernel",
                                   .values = "total",
                                   .meanings = "compute",
                                   .tip = "device,runs,mean,longest,share,cumulative,operations",
                                   .rows = 20});
    if (w->l->estimated == 0) {
        return;
    }
    pf_pass_figure(
        f, &(pf_figure){.name = "tinygrad_roofline",
                        .kind = PF_FIGURE_SCATTER,
                        .title = PF_STR("How fast kernels are for the bytes that they move"),
                        .note = PF_STR("By the estimates. The roof is the best that any kernel here reached, of "
                                       "operations and of bytes, not the limit of the device."),
                        .table = kernels,
                        .label = "kernel",
                        .from = "intensity",
                        .values = "gflops",
                        .meanings = "compute",
                        .tip = "device,runs,total,memory",
                        .value_scale = PF_SCALE_LOG,
                        .from_scale = PF_SCALE_LOG,
                        .roof = most(kernels, "gflops"),
                        .slope = most(kernels, "memory")});
}

typedef struct memory {
    const tg_work *w;
    pf_findings *f;
    pf_table_builder *table;
} memory;

static void add_step(const memory *m, const tg_track *t, int64_t from, int64_t to, uint64_t held)
{
    if (held > 0 && to > from) {
        PF_TABLE_ROW(m->f, m->table, pf_cell_text(pf_tg_string(m->w->l->in, t->device)), pf_cell_int(from),
                     pf_cell_int(to), pf_cell_count(held));
    }
}

/* Between changes where they are few, else the most in each of as many equal steps as are drawn. */
static void list_device(const memory *m, const tg_track *t)
{
    int64_t start = m->w->l->start, first = t->changes[0].us, last = t->changes[t->count - 1].us;
    int64_t step = t->count <= STEPS ? 0 : (last - first) / STEPS + 1;
    uint64_t highest = 0;
    for (uint32_t i = 0; i < t->count; i++) {
        const tg_change *c = &t->changes[i];
        int64_t from = step ? c->us - (c->us - first) % step : c->us, to = from + step;
        if (i + 1 < t->count) {
            to = step ? c[1].us - (c[1].us - first) % step : c[1].us;
        }
        highest = step && highest > c->held ? highest : c->held;
        if (to > from) { /* the step ends; those up to the next change are as it left them */
            int64_t middle = step ? from + step : to;
            add_step(m, t, from - start, middle - start, highest);
            add_step(m, t, middle - start, to - start, c->held);
            highest = c->held;
        }
    }
}

static pf_table_builder *list_memory(const tg_work *w, pf_findings *f)
{
    static const pf_column columns[] = {{"device", PF_CELL_TEXT, 0, ""},
                                        {"from", PF_CELL_INT, 0, "us"},
                                        {"to", PF_CELL_INT, 0, "us"},
                                        {"held", PF_CELL_INT, 0, "bytes"}};
    const memory m = {w, f, pf_table_new(f, PF_STR("Memory over time"), columns, sizeof columns / sizeof *columns)};
    enum { DEVICES = 4 };
    for (uint32_t i = 0, devices = 0; m.table && i < w->l->track_count && devices < DEVICES; i++) {
        const tg_track *t = &w->l->tracks[w->l->layout[i]];
        if (t->kind == TG_MEMORY && t->count) {
            list_device(&m, t);
            devices++;
        }
    }
    return m.table;
}

static void add_memory(const tg_work *w, pf_findings *f, const pf_table_builder *holders)
{
    const pf_table_builder *held = list_memory(w, f);
    if (!pf_table_rows(held)) {
        return;
    }
    pf_pass_figure(f, &(pf_figure){.name = "tinygrad_memory",
                                   .kind = PF_FIGURE_STRIP,
                                   .title = PF_STR("What devices held in memory"),
                                   .note = PF_STR("Where changes are many, the most in each step of time."),
                                   .table = held,
                                   .label = "device",
                                   .from = "from",
                                   .to = "to",
                                   .values = "held",
                                   .meanings = "memory"});
    pf_pass_figure(f, &(pf_figure){.name = "tinygrad_holders",
                                   .kind = PF_FIGURE_BARS,
                                   .title = PF_STR("Buffers that held memory at the peak"),
                                   .table = holders,
                                   .label = "name",
                                   .panel = by_device(holders),
                                   .values = "size",
                                   .meanings = "memory",
                                   .tip = "since,until,users,kernels",
                                   .rows = 20});
    pf_pass_figure(f, &(pf_figure){.name = "tinygrad_buffers",
                                   .kind = PF_FIGURE_GANTT,
                                   .title = PF_STR("How long these buffers were there"),
                                   .table = holders,
                                   .label = "name",
                                   .panel = by_device(holders),
                                   .from = "since",
                                   .to = "until",
                                   .meanings = "memory",
                                   .tip = "size,users,kernels",
                                   .rows = 20});
}

static void add_iterations(pf_findings *f, const pf_table_builder *iterations)
{
    pf_pass_figure(f, &(pf_figure){.name = "tinygrad_iterations",
                                   .kind = PF_FIGURE_BARS,
                                   .title = PF_STR("How long iterations took"),
                                   .note = PF_STR("From a marker 'NAME @ N' to the next one."),
                                   .table = iterations,
                                   .label = "iteration",
                                   .values = "length",
                                   .meanings = "total",
                                   .tip = "kernels,kernel_time,copies,copy_time"});
}

static void add_recorded(pf_findings *f, pf_table_builder *const table[PF_TG_TABLES], const pf_table_builder *waits)
{
    pf_pass_figure(f, &(pf_figure){.name = "tinygrad_waits",
                                   .kind = PF_FIGURE_BARS,
                                   .title = PF_STR("Instructions at which waves waited longest"),
                                   .note = PF_STR("Cycles of all traced waves at waits, barriers, sleeps and "
                                                  "nops, by the address of the instruction."),
                                   .table = waits,
                                   .label = "pc",
                                   .panel = "kernel",
                                   .values = "wait",
                                   .meanings = "waiting",
                                   .tip = "hits,mean_wait,share",
                                   .rows = 20});
    pf_pass_figure(f, &(pf_figure){.name = "tinygrad_stalls",
                                   .kind = PF_FIGURE_BARS,
                                   .title = PF_STR("Why warps stalled"),
                                   .note = PF_STR("Samples of the program counter by reason; NONE: issuing."),
                                   .table = table[TG_STALLS],
                                   .label = "reason",
                                   .panel = "kernel",
                                   .values = "samples",
                                   .meanings = "stall",
                                   .tip = "share"});
    pf_pass_figure(f, &(pf_figure){.name = "tinygrad_counters",
                                   .kind = PF_FIGURE_BARS,
                                   .title = PF_STR("What hardware counters counted"),
                                   .note = PF_STR("The mean of the executions of a kernel."),
                                   .table = table[TG_COUNTERS],
                                   .label = "counter",
                                   .panel = "kernel",
                                   .values = "mean",
                                   .meanings = "total",
                                   .value_scale = PF_SCALE_LOG,
                                   .tip = "executions,total"});
}

void pf_tg_add_figures(const tg_work *w, pf_findings *f, pf_table_builder *const table[PF_TG_TABLES],
                       const pf_table_builder *waits)
{
    add_kernels(w, f, table[TG_KERNELS]);
    add_iterations(f, table[TG_ITERATIONS]);
    add_memory(w, f, table[TG_HOLDERS]);
    add_recorded(f, table, waits);
}
