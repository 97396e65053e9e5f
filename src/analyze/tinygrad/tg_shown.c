/* analyze/tinygrad/tg_shown.c - what people see of a profile first: a sentence, three numbers, and on the terminal the
 * tables that have rows, with the columns that fit. All numbers are those of the tables. */

#include "analyze/tinygrad/tg_work.h"
#include "base/str.h"
#include "model/trace/trace.h"

/* The row with the largest number; there must be rows. */
static size_t largest(const pf_table_builder *t, const char *column)
{
    size_t at = 0;
    for (size_t i = 1; i < pf_table_rows(t); i++) {
        at = pf_tg_number(t, i, column) > pf_tg_number(t, at, column) ? i : at;
    }
    return at;
}

/* "4.7 us", "12.3 kB" */
static const char *amount(pf_findings *f, double v, const char *const units[4])
{
    unsigned unit = 0;
    for (; v >= 999.95 && unit < 3; unit++) {
        v /= 1000;
    }
    return pf_pass_fixed(f, v, strcmp(units[unit], " bytes") == 0 ? 0 : 1, units[unit]);
}

static const char *length(pf_findings *f, double us)
{
    static const char *const units[] = {" us", " ms", " s", " thousand s"};
    return amount(f, us, units);
}

static const char *size(pf_findings *f, double bytes)
{
    static const char *const units[] = {" bytes", " kB", " MB", " GB"};
    return amount(f, bytes, units);
}

/* A text of a table; what is too long for a sentence is cut. */
static const char *text(pf_findings *f, const pf_table_builder *t, size_t row, const char *column)
{
    return pf_pass_short_name(f, pf_pass_text(pf_table_view(t), row, column), 40, "?");
}

/* What kernels waited for: by the samples, else by the thread traces. */
static const char *why(pf_findings *f, pf_table_builder *const table[PF_TG_TABLES], const pf_table_builder *waits)
{
    const pf_table_builder *stalls = table[TG_STALLS];
    size_t row = pf_table_rows(stalls) ? largest(stalls, "samples") : 0;
    pf_str out = {"", 0};
    if (pf_table_rows(stalls)) {
        out = pf_findings_format(f, "; most samples of %s are %s (%s)", text(f, stalls, row, "kernel"),
                                 text(f, stalls, row, "reason"),
                                 pf_pass_fixed(f, pf_tg_number(stalls, row, "share"), 1, " %"));
    } else if (pf_table_rows(waits)) {
        out = pf_findings_format(f, "; traced waves of %s waited longest at %s (%s of their cycles)",
                                 text(f, waits, 0, "kernel"), text(f, waits, 0, "pc"),
                                 pf_pass_fixed(f, pf_tg_number(waits, 0, "share"), 1, " %"));
    }
    return out.ptr ? out.ptr : "";
}

static const char *copied(pf_findings *f, const pf_table_builder *copies)
{
    double n = pf_pass_sum(pf_table_view(copies), "runs"), us = pf_pass_sum(pf_table_view(copies), "total");
    pf_str out = n > 0
                     ? pf_findings_format(f, "; %lld cop%s took %s", (long long)n, n == 1 ? "y" : "ies", length(f, us))
                     : PF_STR("");
    return out.ptr ? out.ptr : "";
}

static const char *held(pf_findings *f, const pf_table_builder *peaks)
{
    pf_str out = PF_STR("");
    if (pf_table_rows(peaks)) {
        size_t row = largest(peaks, "peak");
        out = pf_findings_format(f, "; %s held %s at most", text(f, peaks, row, "device"),
                                 size(f, pf_tg_number(peaks, row, "peak")));
    }
    return out.ptr ? out.ptr : "";
}

static void set_headline(pf_findings *f, pf_table_builder *const table[PF_TG_TABLES], const pf_table_builder *waits)
{
    const pf_table_builder *kernels = table[TG_KERNELS];
    const char *copies = copied(f, table[TG_COPIES]), *memory = held(f, table[TG_PEAKS]);
    double runs = pf_pass_sum(pf_table_view(kernels), "runs");
    if (pf_table_rows(kernels)) {
        pf_findings_set_headline(f, "%lld kernel run%s took %s, %s on %s %s of it%s%s%s.", (long long)runs,
                                 runs == 1 ? "" : "s", length(f, pf_pass_sum(pf_table_view(kernels), "total")),
                                 text(f, kernels, 0, "kernel"), text(f, kernels, 0, "device"),
                                 pf_pass_fixed(f, pf_tg_number(kernels, 0, "share"), 1, " %"), why(f, table, waits),
                                 copies, memory);
        return;
    }
    pf_findings_set_headline(f, "The profile has no timed kernel%s%s%s.", why(f, table, waits), copies, memory);
}

static void add_highlights(pf_findings *f, pf_table_builder *const table[PF_TG_TABLES])
{
    const pf_table_builder *kernels = table[TG_KERNELS], *copies = table[TG_COPIES], *peaks = table[TG_PEAKS];
    if (pf_table_rows(kernels)) {
        pf_findings_add_highlight(f, "kernels", "%s", length(f, pf_pass_sum(pf_table_view(kernels), "total")));
    }
    if (pf_table_rows(copies)) {
        pf_findings_add_highlight(f, "copies", "%s", length(f, pf_pass_sum(pf_table_view(copies), "total")));
    }
    if (pf_table_rows(peaks)) {
        pf_findings_add_highlight(f, "most memory", "%s", size(f, pf_tg_number(peaks, largest(peaks, "peak"), "peak")));
    }
}

static bool waits_less(const void *ctx, uint32_t a, uint32_t b)
{
    const pf_table_builder *t = ctx;
    return pf_tg_cell(t, a, "wait")->as.i < pf_tg_cell(t, b, "wait")->as.i;
}

/* Cycles between the instructions of a row's kernel: rows of a kernel are one after the other. */
static double cycles_of(const pf_table_builder *t, size_t row)
{
    const pf_str kernel = pf_tg_cell(t, row, "kernel")->as.s;
    double cycles = 0;
    for (size_t i = 0; i < pf_table_rows(t); i++) {
        cycles += pf_str_equal(pf_tg_cell(t, i, "kernel")->as.s, kernel) ? pf_tg_number(t, i, "gap") : 0;
    }
    return cycles;
}

pf_table_builder *pf_tg_list_waits(const tg_work *w, pf_findings *f, const pf_table_builder *instructions,
                                   pf_error *err)
{
    static const pf_column columns[] = {{"kernel", PF_CELL_TEXT, 0, ""},
                                        {"pc", PF_CELL_TEXT, 0, ""},
                                        {"hits", PF_CELL_INT, 0, ""},
                                        {"wait", PF_CELL_INT, 0, "cycles"},
                                        {"mean_wait", PF_CELL_REAL, 1, "cycles"},
                                        {"share", PF_CELL_REAL, 2, "%"}};
    enum { MOST = 40 };
    size_t n = pf_table_rows(instructions);
    pf_arena scratch;
    uint32_t *order;
    pf_table_builder *t = pf_table_new(f, PF_STR("Instructions at which waves waited longest"), columns,
                                       sizeof columns / sizeof *columns);
    pf_arena_init(&scratch, w->budget);
    if (pf_findings_status(f, err) != PF_OK || PF_ARENA_NEW(&scratch, order, 2 * n, err) != PF_OK) {
        pf_arena_free(&scratch);
        return NULL;
    }
    pf_order_rows(order, order + n, (uint32_t)n, waits_less, instructions);
    for (size_t i = 0; i < n && i < MOST && pf_tg_cell(instructions, order[i], "wait")->as.i > 0; i++) {
        const pf_cell *wait = pf_tg_cell(instructions, order[i], "wait");
        const pf_cell *hits = pf_tg_cell(instructions, order[i], "hits");
        const pf_str pc = pf_findings_format(f, "0x%llx", (long long)pf_tg_cell(instructions, order[i], "pc")->as.i);
        double cycles = (double)wait->as.i;
        PF_TABLE_ROW(f, t, *pf_tg_cell(instructions, order[i], "kernel"), pf_cell_text(pc), *hits, *wait,
                     pf_cell_real(cycles / (double)hits->as.i),
                     pf_cell_real(100 * cycles / cycles_of(instructions, order[i])));
    }
    pf_arena_free(&scratch);
    return t;
}

/* Whether some kernel has the names of its operations. */
static bool names_operations(const pf_table_builder *kernels)
{
    size_t i = 0;
    while (i < pf_table_rows(kernels) && pf_tg_cell(kernels, i, "operations")->null) {
        i++;
    }
    return i < pf_table_rows(kernels);
}

void pf_tg_show(const tg_work *w, pf_findings *f, pf_table_builder *const table[PF_TG_TABLES],
                const pf_table_builder *waits)
{
    const char *kernels = w->l->estimated ? "kernel,device,runs,total,share,mean,longest,gflops,memory"
                          : names_operations(table[TG_KERNELS])
                              ? "kernel,device,runs,total,share,mean,longest,operations"
                              : "kernel,device,runs,total,share,mean,longest";
    const struct {
        const pf_table_builder *table;
        const char *columns;
    } shown[] = {
        {table[TG_KERNELS], kernels},
        {table[TG_ITERATIONS], "iteration,start,length,kernels,kernel_time,copies,copy_time"},
        {table[TG_COPIES], "copy,device,runs,total,mean,longest,bytes,rate"},
        {table[TG_GRAPHS], "graph,device,start,length,entries,dependencies,work"},
        {table[TG_PEAKS], "device,peak,at,buffers"},
        {table[TG_HOLDERS], "name,device,size,users,kernels"},
        {table[TG_WAVES], "kernel,se,waves,mean,longest,most_at_once,clock"},
        {waits, "kernel,pc,hits,wait,mean_wait,share"},
        {table[TG_STALLS], "kernel,reason,samples,share"},
        {table[TG_COUNTERS], "kernel,counter,executions,total,mean"},
    };
    set_headline(f, table, waits);
    add_highlights(f, table);
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        pf_pass_show(f, shown[i].table, shown[i].columns);
    }
}
