/* analyze/neutrino/facts/neutrino_shown.c - what people see first: tables with the rows that matter most at their
 * beginning, and of several columns those that fit a terminal. Reports keep the order of files. */
#include <string.h>

#include "analyze/neutrino/facts/neutrino.h"
#include "analyze/support/pass_tables.h"

typedef struct shown_table {
    unsigned table;
    const char *title, *by; /* the column whose largest values come first; NULL: as the report has them */
    const char *columns;    /* the first one is left out where all rows have the same */
} shown_table;

/* In order of importance. */
static const shown_table shown[] = {
    {NEUTRINO_TABLE_OVERHEAD, "slowdown by operator and probe, the worst first", "total_slowdown",
     "op,probe,launches,total_slowdown,impact_geomean,impact_max,extra_registers_mean"},
    {NEUTRINO_TABLE_REGISTERS, "registers with and without probes, the most extra ones first", "extra",
     "op,probe,kernel,pruned,probed,extra"},
    {NEUTRINO_TABLE_LATENCY, "exposed latency of each probe, the longest first", "neutrino_ratio",
     "file,probe,neutrino_ratio,ncu_ratio,prologue_share,kernel_share,epilogue_share"},
    {NEUTRINO_TABLE_MAX_MEM, "largest memory by model and test, the most for probes first", "probe",
     "model,test,probe,original"},
    {NEUTRINO_TABLE_SCHED, "block scheduling of each launch, the longest first", "span_max",
     "file,kernel,blocks,sms,exact_gap_share,imbalance,span_max,tail_max"},
    {NEUTRINO_TABLE_SM, "block scheduling of each SM, the longest first", "span",
     "file,sm,blocks,slots,span,busy,idle,tail,gap_sum"},
    {NEUTRINO_TABLE_DMAT, "memory accesses of each launch, the most first", "used",
     "file,used,zero_slots,pages,page_groups,max_clock"},
    {NEUTRINO_TABLE_TENSOR, "accesses of each tensor, the most first", "accesses", "file,tensor,accesses,cells"},
    {NEUTRINO_TABLE_GMEM, "global memory bytes of each launch, the most first", "gmem_bytes",
     "file,kernel,gmem_bytes,sync_bytes,async_bytes"},
    {NEUTRINO_TABLE_TENSOROP, "tensor operations of each launch, the most first", "total", "file,kernel,total,max"},
    {NEUTRINO_TABLE_PROGRESS, "sampled progress of each launch, the most samples first", "samples",
     "file,kernel,threads,samples,rate"},
    {NEUTRINO_TABLE_KERNELS, NULL, NULL, "kernel,launches,measured,kernel_ms,prologue_ms,epilogue_ms,probe_mem"},
    {NEUTRINO_TABLE_LAUNCHES, "launches of all logs, the longest kernel first", "kernel_ms",
     "run,kernel,blocks,threads,status,kernel_ms,prologue_ms,epilogue_ms"},
    {NEUTRINO_TABLE_MULTI, NULL, NULL, "file,section,map,kind,units,running,scheduling,gmem_bytes"},
};

#define RANKED_MAX 100000u /* rows */

pf_table_builder *pf_neutrino_ranked(neutrino_run *n, unsigned table)
{
    const pf_pass_table *t = &pf_neutrino_report_tables[table];
    size_t i = 0;
    while (shown[i].table != table) {
        i++;
    }
    if (!n->ranked[table] && n->tables[table]) {
        n->ranked[table] =
            shown[i].by ? pf_table_new(n->f, pf_str_of(shown[i].title), t->columns, t->column_count) : n->tables[table];
    }
    return n->ranked[table];
}

void pf_neutrino_rank_tables(neutrino_run *n)
{
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        pf_table_builder *to = pf_neutrino_ranked(n, shown[i].table);
        if (shown[i].by && to) {
            pf_pass_sort_into(n->f, to, n->tables[shown[i].table], shown[i].by, false, RANKED_MAX);
        }
    }
}

/* Rows come file by file, or run by run. */
static bool first_column_varies(const pf_table *t)
{
    const pf_cell *first = t->cells, *last = &t->cells[(t->row_count - 1) * t->column_count];
    return !pf_str_equal(first->as.s, last->as.s);
}

/* Launches without times, or of which each is of another kernel, say no more than the kernels do. */
static bool is_said(const pf_table *launches, const pf_table *kernels)
{
    bool measured = false;
    for (size_t i = 0; i < kernels->row_count; i++) {
        measured = measured || pf_pass_number(kernels, i, "measured") > 0;
    }
    return !measured || launches->row_count == kernels->row_count;
}

void pf_neutrino_show_tables(neutrino_run *n)
{
    const pf_table *kernels = pf_table_view(n->tables[NEUTRINO_TABLE_KERNELS]);
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        const pf_table *t = pf_table_view(n->tables[shown[i].table]);
        bool said = shown[i].table == NEUTRINO_TABLE_LAUNCHES && kernels && is_said(t, kernels);
        if (t && t->row_count && !said) {
            const char *comma = strchr(shown[i].columns, ',');
            bool one_file = strncmp(shown[i].columns, "file", 4) == 0 || strncmp(shown[i].columns, "run", 3) == 0;
            one_file = one_file && !first_column_varies(t);
            pf_findings_show_columns(n->f, pf_neutrino_ranked(n, shown[i].table),
                                     one_file ? comma + 1 : shown[i].columns);
        }
    }
}
