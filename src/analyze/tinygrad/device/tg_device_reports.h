/* analyze/tinygrad/device/tg_device_reports.h - what `analyze tinygrad` says of the device's own records. */
#pragma once

#include "analyze/tinygrad/timeline/tg_timeline.h"
#include "base/budget.h"

/* tg_sqtt_report.c: sqtt.json; tg_unit_timeline.c: its member `timeline`. */
pf_status pf_tg_visit_sqtt(const void *of, const pf_arg_visitor *v, pf_error *err);
void pf_tg_put_unit_timeline(tg_json *j, const tg_input *in, uint32_t stream);

/* tg_packets.c: packets_N.tsv for each stream whose packets are listed. */
pf_status pf_tg_report_packets(const tg_input *in, pf_error *err);

/* tg_pmc_report.c: pmc.json; tg_executions.c: all_pmc.json. */
pf_status pf_tg_visit_pmc(const void *of, const pf_arg_visitor *v, pf_error *err);
pf_status pf_tg_visit_executions(const void *of, const pf_arg_visitor *v, pf_error *err);

/* The counters of one event are rows first .. end - 1 of tinygrad_pmc. */
tg_rows pf_tg_counters_at(const tg_input *in, uint32_t first);
/* A value or sum, which `digits` (a string id, 0: none) holds where it is beyond 63 bits. */
__extension__ typedef unsigned __int128 tg_exact;
tg_exact pf_tg_sum_of(const tg_input *in, int64_t v, uint32_t digits);
/* "14.9%": how busy a unit was, by the instructions that it counted; {NULL, 0} if the counters do not say. */
enum { PF_TG_METRICS = 2 };
typedef struct tg_metric {
    const char *name, *counter;
} tg_metric;
extern const tg_metric pf_tg_metrics[PF_TG_METRICS];
pf_str pf_tg_utilisation(const tg_input *in, tg_rows counters, unsigned metric, char text[32]);

/* tg_pma_report.c: pma.json */
pf_status pf_tg_visit_pma(const void *of, const pf_arg_visitor *v, pf_error *err);

/* ---- tg_device_tables.c: tables for thresholds in SQL, as CSV, for the terminal ---------------------------------- */

enum { PF_TG_WAVES = 0, PF_TG_INSTRUCTIONS, PF_TG_STALLS, PF_TG_COUNTERS, PF_TG_DEVICE_TABLES };

/* table: PF_TG_DEVICE_TABLES builders; exact: the counters once more, with all digits. */
pf_status pf_tg_fill_tables(const tg_input *in, pf_budget *budget, pf_table_builder *const *table,
                            pf_table_builder *exact, pf_error *err);
