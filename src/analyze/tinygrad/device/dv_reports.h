/* analyze/tinygrad/device/dv_reports.h - what `analyze tinygrad` says of the device's own records. */
#ifndef PF_ANALYZE_TINYGRAD_DV_REPORTS_H
#define PF_ANALYZE_TINYGRAD_DV_REPORTS_H

#include "analyze/tinygrad/device/dv_input.h"
#include "analyze/tinygrad/device/dv_json.h"

/* Adds all reports, as far as the profile has what they are about. */
pf_status pf_dv_report(const dv_input *d, pf_findings *f, pf_error *err);

/* The kernel as documents name it: its text or its number. */
void pf_dv_kernel(dv_json *j, const dv_input *d, const char *key, dv_kernel k);
dv_kernel pf_dv_stream_kernel(const dv_input *d, uint32_t stream);

/* dv_sqtt_report.c: sqtt.json; dv_timeline.c: its member `timeline`. */
pf_status pf_dv_visit_sqtt(const void *of, const pf_arg_visitor *v, pf_error *err);
void pf_dv_timeline(dv_json *j, const dv_input *d, uint32_t stream);

/* dv_packets.c: packets_N.tsv for each stream whose packets are listed. */
pf_status pf_dv_report_packets(const dv_input *d, pf_findings *f, pf_error *err);

/* dv_pmc_report.c: pmc.json; dv_executions.c: all_pmc.json. */
pf_status pf_dv_visit_pmc(const void *of, const pf_arg_visitor *v, pf_error *err);
pf_status pf_dv_visit_executions(const void *of, const pf_arg_visitor *v, pf_error *err);

/* The counters of one event are rows first .. end - 1 of tinygrad_pmc. */
dv_span pf_dv_counters_at(const dv_input *d, uint32_t first);
/* A value or sum, which `digits` (a string id, 0: none) holds where it is beyond 63 bits. */
__extension__ typedef unsigned __int128 dv_wide;
dv_wide pf_dv_number(const dv_input *d, int64_t v, uint32_t digits);
/* "14.9%": how busy a unit was; {NULL, 0} if the counters do not say. */
pf_str pf_dv_utilisation(const dv_input *d, dv_span counters, const char *counter, char text[32]);

/* dv_pma_report.c: pma.json */
pf_status pf_dv_visit_pma(const void *of, const pf_arg_visitor *v, pf_error *err);

#endif
