/* analyze/neutrino/facts/neutrino_tables_reported.c - the tables that the pass reports: for SQL, thresholds and CSV. */
#include "analyze/neutrino/facts/neutrino.h"
#include "analyze/pass/merge_rules.h"
#include "analyze/support/pass_tables.h"

#define TEXT PF_TEXT_COLUMN
#define INT PF_INT_COLUMN
#define REAL PF_REAL_COLUMN

const pf_pass_table pf_neutrino_report_tables[NEUTRINO_REPORT_TABLES] = {
    [NEUTRINO_TABLE_SCHED] =
        PF_PASS_TABLE("neutrino_sched", "block scheduling of each launch", TEXT("file"), TEXT("kernel"),
                      INT("blocks", ""), INT("sms", ""), INT("running", "cycles"), INT("scheduling", "cycles"),
                      REAL("gap_share", 4, ""), REAL("exact_gap_share", 4, ""), REAL("imbalance", 4, ""),
                      INT("span_max", "cycles"), REAL("span_mean", 1, "cycles"), INT("blocks_per_sm_min", ""),
                      INT("blocks_per_sm_max", ""), INT("tail_max", "cycles"), INT("idle_tail", "ns")),
    [NEUTRINO_TABLE_SM] =
        PF_PASS_TABLE("neutrino_sm", "block scheduling of each SM", TEXT("file"), INT("sm", ""), INT("blocks", ""),
                      INT("slots", ""), INT("max_resident", ""), INT("gap_sum", "cycles"), INT("gap_count", ""),
                      INT("gap_max", "cycles"), INT("work_sum", "cycles"), INT("busy", "cycles"), INT("span", "cycles"),
                      INT("idle", "cycles"), INT("tail", "cycles"), INT("compat_gap", "cycles")),
    [NEUTRINO_TABLE_DMAT] =
        PF_PASS_TABLE("neutrino_dmat", "memory accesses of each launch", TEXT("file"), INT("records", ""),
                      INT("used", ""), INT("zero_slots", ""), INT("invalid", ""), INT("pages", ""),
                      INT("page_groups", ""), INT("max_clock", "cycles")),
    [NEUTRINO_TABLE_TENSOR] = PF_PASS_TABLE("neutrino_tensor_accesses", "accesses of each tensor", TEXT("file"),
                                            TEXT("tensor"), INT("accesses", ""), INT("cells", "")),
    [NEUTRINO_TABLE_GMEM] =
        PF_PASS_TABLE("neutrino_gmem", "global memory bytes of each launch", TEXT("file"), TEXT("kernel"),
                      INT("sync_bytes", "bytes"), INT("async_bytes", "bytes"), INT("gmem_bytes", "bytes")),
    [NEUTRINO_TABLE_TENSOROP] = PF_PASS_TABLE("neutrino_tensorops", "tensor operations of each launch", TEXT("file"),
                                              TEXT("kernel"), INT("total", ""), INT("max", "")),
    [NEUTRINO_TABLE_PROGRESS] = PF_PASS_TABLE(
        "neutrino_progress", "sampled progress of each launch", TEXT("file"), TEXT("kernel"), INT("threads", ""),
        INT("samples", ""), INT("first", "cycles"), INT("last", "cycles"), REAL("rate", -1, "samples/cycle")),
    [NEUTRINO_TABLE_OVERHEAD] =
        PF_PASS_TABLE("neutrino_overhead", "slowdown by operator and probe", TEXT("op"), TEXT("probe"),
                      INT("launches", ""), REAL("impact_mean", 4, ""), REAL("impact_geomean", 4, ""),
                      REAL("impact_max", 4, ""), REAL("total_slowdown", 4, ""), REAL("extra_registers_mean", 2, "")),
    [NEUTRINO_TABLE_REGISTERS] =
        PF_PASS_TABLE("neutrino_registers", "registers with and without probes", TEXT("op"), TEXT("probe"),
                      TEXT("kernel"), INT("pruned", ""), INT("probed", ""), INT("extra", "")),
    [NEUTRINO_TABLE_MAX_MEM] = PF_PASS_TABLE("neutrino_max_mem", "largest memory by model and test", TEXT("model"),
                                             TEXT("test"), INT("original", "bytes"), INT("probe", "bytes")),
    [NEUTRINO_TABLE_LATENCY] =
        PF_PASS_TABLE("neutrino_exposed_latency", "exposed latency of each probe", TEXT("file"), TEXT("probe"),
                      REAL("ncu_ratio", 2, ""), REAL("neutrino_ratio", 2, ""), REAL("prologue_share", 4, ""),
                      REAL("kernel_share", 4, ""), REAL("epilogue_share", 4, "")),
    [NEUTRINO_TABLE_LAUNCHES] =
        PF_PASS_TABLE("neutrino_launches", "launches of all logs", TEXT("run"), TEXT("kernel"), INT("ts", "ns"),
                      INT("blocks", ""), INT("threads", ""), INT("shared", "bytes"), INT("probe_mem", "bytes"),
                      TEXT("status"), REAL("prologue_ms", 6, "ms"), REAL("kernel_ms", 6, "ms"),
                      REAL("epilogue_ms", 6, "ms"), REAL("original_ms", 6, "ms"), REAL("impact", 6, "")),
    [NEUTRINO_TABLE_KERNELS] = PF_PASS_TABLE(
        "neutrino_kernel_times", "launches by kernel, the longest time first", TEXT("kernel"), INT("launches", ""),
        INT("measured", ""), REAL("prologue_ms", 6, "ms"), REAL("kernel_ms", 6, "ms"), REAL("epilogue_ms", 6, "ms"),
        REAL("original_ms", 6, "ms"), INT("probe_mem", "bytes")),
    [NEUTRINO_TABLE_MULTI] =
        PF_PASS_TABLE("neutrino_multi", "sections of the first trace that has several", TEXT("file"),
                      INT("section", ""), TEXT("map"), TEXT("kind"), INT("units", ""), INT("complete_units", ""),
                      INT("true_offset", "bytes"), INT("header_offset", "bytes"), INT("running", "cycles"),
                      INT("scheduling", "cycles"), INT("gmem_bytes", "bytes")),
    [NEUTRINO_TABLE_RESIDENTS] = PF_PASS_TABLE("neutrino_residents", "resident blocks over the time of each launch",
                                               TEXT("file"), TEXT("kernel"), TEXT("part"), INT("begin", "cycles"),
                                               INT("end", "cycles"), REAL("resident_blocks", 3, "")),
    [NEUTRINO_TABLE_GAPS] =
        PF_PASS_TABLE("neutrino_gaps", "gaps between blocks of each launch by their length", TEXT("file"),
                      TEXT("kernel"), INT("from", "cycles"), INT("to", "cycles"), INT("gaps", "")),
};

/* Others: rows of each input, out of its pieces. */
const pf_merge_rule pf_neutrino_merge_rules[NEUTRINO_REPORT_TABLES] = {
    [NEUTRINO_TABLE_OVERHEAD] = {PF_MERGE_ANEW, "neutrino_part_launch", NULL},
    [NEUTRINO_TABLE_REGISTERS] = {PF_MERGE_ANEW, "neutrino_part_kernel", NULL},
    [NEUTRINO_TABLE_MAX_MEM] = {PF_MERGE_ANEW, "neutrino_part_stdout", NULL},
    [NEUTRINO_TABLE_LATENCY] = {PF_MERGE_ANEW, "neutrino_part_latency", NULL},
    [NEUTRINO_TABLE_LAUNCHES] = {PF_MERGE_ANEW, "neutrino_part_run, neutrino_part_launch", NULL},
    [NEUTRINO_TABLE_KERNELS] = {PF_MERGE_ANEW, "neutrino_part_launch", NULL},
    [NEUTRINO_TABLE_MULTI] = {PF_MERGE_ANEW, "neutrino_part_section, neutrino_part_pieces", NULL},
};

void pf_neutrino_tabulate(neutrino_run *n, unsigned table, const pf_cell *row)
{
    const pf_pass_table *t = &pf_neutrino_report_tables[table];
    if (!n->tables[table]) {
        pf_table_builder *b = pf_table_new_named(n->f, t->name, pf_str_of(t->help), t->columns, t->column_count);
        n->tables[table] = b;
        pf_findings_report_csv(n->f, pf_findings_format(n->f, "%s.csv", t->name), b, true);
    }
    pf_neutrino_keep_row(n, table, t->name);
    pf_table_row(n->f, n->tables[table], row);
}
