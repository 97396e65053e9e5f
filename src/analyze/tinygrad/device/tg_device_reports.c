/* analyze/tinygrad/device/tg_device_reports.c - the reports of what the device recorded, as far as a profile has any.
 */
#include "analyze/tinygrad/device/tg_device_reports.h"

/* Streams beyond --stream-rows: what is not in the reports is said. */
static void note_unlisted(const tg_input *in)
{
    const tg_streams *s = &in->streams;
    uint32_t packets = 0, slices = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        packets += s->packets[i] > 0 && s->first_packet[i] == PF_NONE;
        slices += s->itrace[i] && s->slices[i] == INT64_MIN;
    }
    if (packets || slices) {
        pf_findings_show_line(in->f, PF_INFO,
                              "of %u thread traces, %u have no packets_N.tsv and %u no timeline in sqtt.json: raise "
                              "--stream-rows for them",
                              s->count, packets, slices);
    }
}

pf_status pf_tg_report_device(const tg_input *in, pf_error *err)
{
    if (in->counters.count) {
        pf_tg_report_document(in->f, "pmc.json", pf_tg_visit_pmc, in);
    }
    if (in->counters.count || in->streams.count) {
        pf_tg_report_document(in->f, "all_pmc.json", pf_tg_visit_executions, in);
    }
    if (in->samplings.count) {
        pf_tg_report_document(in->f, "pma.json", pf_tg_visit_pma, in);
    }
    if (in->streams.count == 0) {
        return pf_findings_status(in->f, err);
    }
    pf_tg_report_document(in->f, "sqtt.json", pf_tg_visit_sqtt, in);
    note_unlisted(in);
    return pf_tg_report_packets(in, err);
}
