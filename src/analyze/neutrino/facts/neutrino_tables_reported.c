/* analyze/neutrino/facts/neutrino_tables_reported.c - the tables that the pass reports: for SQL, thresholds and CSV. */
#include "analyze/neutrino/facts/neutrino.h"

static const pf_column sched[] = {{"file", PF_CELL_TEXT, 0, ""},
                                  {"kernel", PF_CELL_TEXT, 0, ""},
                                  {"blocks", PF_CELL_INT, 0, ""},
                                  {"sms", PF_CELL_INT, 0, ""},
                                  {"running", PF_CELL_INT, 0, "cycles"},
                                  {"scheduling", PF_CELL_INT, 0, "cycles"},
                                  {"gap_share", PF_CELL_REAL, 4, ""},
                                  {"exact_gap_share", PF_CELL_REAL, 4, ""},
                                  {"imbalance", PF_CELL_REAL, 4, ""},
                                  {"span_max", PF_CELL_INT, 0, "cycles"},
                                  {"span_mean", PF_CELL_REAL, 1, "cycles"},
                                  {"blocks_per_sm_min", PF_CELL_INT, 0, ""},
                                  {"blocks_per_sm_max", PF_CELL_INT, 0, ""},
                                  {"tail_max", PF_CELL_INT, 0, "cycles"},
                                  {"idle_tail", PF_CELL_INT, 0, "ns"}};
static const pf_column sm[] = {{"file", PF_CELL_TEXT, 0, ""},          {"sm", PF_CELL_INT, 0, ""},
                               {"blocks", PF_CELL_INT, 0, ""},         {"slots", PF_CELL_INT, 0, ""},
                               {"max_resident", PF_CELL_INT, 0, ""},   {"gap_sum", PF_CELL_INT, 0, "cycles"},
                               {"gap_count", PF_CELL_INT, 0, ""},      {"gap_max", PF_CELL_INT, 0, "cycles"},
                               {"work_sum", PF_CELL_INT, 0, "cycles"}, {"busy", PF_CELL_INT, 0, "cycles"},
                               {"span", PF_CELL_INT, 0, "cycles"},     {"idle", PF_CELL_INT, 0, "cycles"},
                               {"tail", PF_CELL_INT, 0, "cycles"},     {"compat_gap", PF_CELL_INT, 0, "cycles"}};
static const pf_column dmat[] = {{"file", PF_CELL_TEXT, 0, ""},       {"records", PF_CELL_INT, 0, ""},
                                 {"used", PF_CELL_INT, 0, ""},        {"zero_slots", PF_CELL_INT, 0, ""},
                                 {"invalid", PF_CELL_INT, 0, ""},     {"pages", PF_CELL_INT, 0, ""},
                                 {"page_groups", PF_CELL_INT, 0, ""}, {"max_clock", PF_CELL_INT, 0, "cycles"}};
static const pf_column tensor[] = {{"file", PF_CELL_TEXT, 0, ""},
                                   {"tensor", PF_CELL_TEXT, 0, ""},
                                   {"accesses", PF_CELL_INT, 0, ""},
                                   {"cells", PF_CELL_INT, 0, ""}};
static const pf_column gmem[] = {{"file", PF_CELL_TEXT, 0, ""},
                                 {"kernel", PF_CELL_TEXT, 0, ""},
                                 {"sync_bytes", PF_CELL_INT, 0, "bytes"},
                                 {"async_bytes", PF_CELL_INT, 0, "bytes"},
                                 {"gmem_bytes", PF_CELL_INT, 0, "bytes"}};
static const pf_column tensorop[] = {{"file", PF_CELL_TEXT, 0, ""},
                                     {"kernel", PF_CELL_TEXT, 0, ""},
                                     {"total", PF_CELL_INT, 0, ""},
                                     {"max", PF_CELL_INT, 0, ""}};
static const pf_column progress[] = {{"file", PF_CELL_TEXT, 0, ""},
                                     {"kernel", PF_CELL_TEXT, 0, ""},
                                     {"threads", PF_CELL_INT, 0, ""},
                                     {"samples", PF_CELL_INT, 0, ""},
                                     {"first", PF_CELL_INT, 0, "cycles"},
                                     {"last", PF_CELL_INT, 0, "cycles"},
                                     {"rate", PF_CELL_REAL, -1, "samples/cycle"}};
static const pf_column overhead[] = {{"op", PF_CELL_TEXT, 0, ""},
                                     {"probe", PF_CELL_TEXT, 0, ""},
                                     {"launches", PF_CELL_INT, 0, ""},
                                     {"impact_mean", PF_CELL_REAL, 4, ""},
                                     {"impact_geomean", PF_CELL_REAL, 4, ""},
                                     {"impact_max", PF_CELL_REAL, 4, ""},
                                     {"total_slowdown", PF_CELL_REAL, 4, ""},
                                     {"extra_registers_mean", PF_CELL_REAL, 2, ""}};
static const pf_column registers[] = {{"op", PF_CELL_TEXT, 0, ""},     {"probe", PF_CELL_TEXT, 0, ""},
                                      {"kernel", PF_CELL_TEXT, 0, ""}, {"pruned", PF_CELL_INT, 0, ""},
                                      {"probed", PF_CELL_INT, 0, ""},  {"extra", PF_CELL_INT, 0, ""}};
static const pf_column max_mem[] = {{"model", PF_CELL_TEXT, 0, ""},
                                    {"test", PF_CELL_TEXT, 0, ""},
                                    {"original", PF_CELL_INT, 0, "bytes"},
                                    {"probe", PF_CELL_INT, 0, "bytes"}};
static const pf_column latency[] = {{"file", PF_CELL_TEXT, 0, ""},           {"probe", PF_CELL_TEXT, 0, ""},
                                    {"ncu_ratio", PF_CELL_REAL, 2, ""},      {"neutrino_ratio", PF_CELL_REAL, 2, ""},
                                    {"prologue_share", PF_CELL_REAL, 4, ""}, {"kernel_share", PF_CELL_REAL, 4, ""},
                                    {"epilogue_share", PF_CELL_REAL, 4, ""}};

static const pf_column launches[] = {{"run", PF_CELL_TEXT, 0, ""},           {"kernel", PF_CELL_TEXT, 0, ""},
                                     {"ts", PF_CELL_INT, 0, "ns"},           {"blocks", PF_CELL_INT, 0, ""},
                                     {"threads", PF_CELL_INT, 0, ""},        {"shared", PF_CELL_INT, 0, "bytes"},
                                     {"probe_mem", PF_CELL_INT, 0, "bytes"}, {"status", PF_CELL_TEXT, 0, ""},
                                     {"prologue_ms", PF_CELL_REAL, 6, "ms"}, {"kernel_ms", PF_CELL_REAL, 6, "ms"},
                                     {"epilogue_ms", PF_CELL_REAL, 6, "ms"}, {"original_ms", PF_CELL_REAL, 6, "ms"},
                                     {"impact", PF_CELL_REAL, 6, ""}};

static const pf_column multi[] = {{"file", PF_CELL_TEXT, 0, ""},
                                  {"section", PF_CELL_INT, 0, ""},
                                  {"map", PF_CELL_TEXT, 0, ""},
                                  {"kind", PF_CELL_TEXT, 0, ""},
                                  {"units", PF_CELL_INT, 0, ""},
                                  {"complete_units", PF_CELL_INT, 0, ""},
                                  {"true_offset", PF_CELL_INT, 0, "bytes"},
                                  {"header_offset", PF_CELL_INT, 0, "bytes"},
                                  {"running", PF_CELL_INT, 0, "cycles"},
                                  {"scheduling", PF_CELL_INT, 0, "cycles"},
                                  {"gmem_bytes", PF_CELL_INT, 0, "bytes"}};

static const pf_column residents[] = {{"file", PF_CELL_TEXT, 0, ""},     {"kernel", PF_CELL_TEXT, 0, ""},
                                      {"part", PF_CELL_TEXT, 0, ""},     {"begin", PF_CELL_INT, 0, "cycles"},
                                      {"end", PF_CELL_INT, 0, "cycles"}, {"resident_blocks", PF_CELL_REAL, 3, ""}};

#define TABLE(name, help, columns)                                                                                     \
    {                                                                                                                  \
        name, help, columns, sizeof columns / sizeof *columns                                                          \
    }

const pf_pass_table pf_neutrino_report_tables[NEUTRINO_REPORT_TABLES] = {
    [NEUTRINO_TABLE_SCHED] = TABLE("neutrino_sched", "block scheduling of each launch", sched),
    [NEUTRINO_TABLE_SM] = TABLE("neutrino_sm", "block scheduling of each SM", sm),
    [NEUTRINO_TABLE_DMAT] = TABLE("neutrino_dmat", "memory accesses of each launch", dmat),
    [NEUTRINO_TABLE_TENSOR] = TABLE("neutrino_tensor_accesses", "accesses of each tensor", tensor),
    [NEUTRINO_TABLE_GMEM] = TABLE("neutrino_gmem", "global memory bytes of each launch", gmem),
    [NEUTRINO_TABLE_TENSOROP] = TABLE("neutrino_tensorops", "tensor operations of each launch", tensorop),
    [NEUTRINO_TABLE_PROGRESS] = TABLE("neutrino_progress", "sampled progress of each launch", progress),
    [NEUTRINO_TABLE_OVERHEAD] = TABLE("neutrino_overhead", "slowdown by operator and probe", overhead),
    [NEUTRINO_TABLE_REGISTERS] = TABLE("neutrino_registers", "registers with and without probes", registers),
    [NEUTRINO_TABLE_MAX_MEM] = TABLE("neutrino_max_mem", "largest memory by model and test", max_mem),
    [NEUTRINO_TABLE_LATENCY] = TABLE("neutrino_exposed_latency", "exposed latency of each probe", latency),
    [NEUTRINO_TABLE_LAUNCHES] = TABLE("neutrino_launches", "launches of all logs", launches),
    [NEUTRINO_TABLE_MULTI] = TABLE("neutrino_multi", "sections of the first trace that has several", multi),
    [NEUTRINO_TABLE_RESIDENTS] = TABLE("neutrino_residents", "resident blocks over the time of each launch", residents),
};

void pf_neutrino_tabulate(neutrino_run *n, unsigned table, const pf_cell *row)
{
    const pf_pass_table *t = &pf_neutrino_report_tables[table];
    if (!n->tables[table]) {
        pf_table_builder *b = pf_table_new_named(n->f, t->name, pf_str_of(t->help), t->columns, t->column_count);
        n->tables[table] = b;
        pf_findings_report_csv(n->f, pf_findings_format(n->f, "%s.csv", t->name), b, true);
    }
    pf_table_row(n->f, n->tables[table], row);
}

void pf_neutrino_show_tables(neutrino_run *n)
{
    for (unsigned i = 0; i < NEUTRINO_TABLE_RESIDENTS; i++) { /* which is a curve */
        const pf_table *t = pf_table_view(n->tables[i]);
        size_t more = t && t->row_count > NEUTRINO_SHOWN ? t->row_count - NEUTRINO_SHOWN : 0;
        pf_findings_show_first(n->f, n->tables[i], NEUTRINO_SHOWN);
        if (more) {
            pf_findings_show_line(n->f, PF_INFO, "%zu more rows are in %s.csv", more, t->name);
        }
    }
}
