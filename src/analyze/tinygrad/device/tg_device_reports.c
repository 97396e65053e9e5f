/* analyze/tinygrad/device/tg_device_reports.c - the reports of what the device recorded, as far as a profile has any.
 */
#include "analyze/tinygrad/device/tg_device_reports.h"

static void add(pf_findings *f, const char *file, pf_status (*visit)(const void *, const pf_arg_visitor *, pf_error *),
                const tg_device *d)
{
    pf_findings_add_report(f, &(pf_report){.file = pf_findings_format(f, "%s", file),
                                           .form = PF_REPORT_JSON_STREAM,
                                           .announced = true,
                                           .visit = visit,
                                           .of = d});
}

/* Streams beyond --stream-rows: what is not in the reports is said. */
static void note_unlisted(const tg_device *d, pf_findings *f)
{
    const tg_streams *s = &d->streams;
    uint32_t packets = 0, slices = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        packets += s->packets[i] > 0 && s->first_packet[i] == PF_NONE;
        slices += s->itrace[i] && s->slices[i] == INT64_MIN;
    }
    if (packets || slices) {
        pf_findings_show_line(f, PF_INFO,
                              "of %u thread traces, %u have no packets_N.tsv and %u no timeline in sqtt.json: raise "
                              "--stream-rows for them",
                              s->count, packets, slices);
    }
}

pf_status pf_tg_report_device(const tg_device *d, pf_findings *f, pf_error *err)
{
    if (d->counters.count) {
        add(f, "pmc.json", pf_tg_visit_pmc, d);
    }
    if (d->counters.count || d->streams.count) {
        add(f, "all_pmc.json", pf_tg_visit_executions, d);
    }
    if (d->pma.count) {
        add(f, "pma.json", pf_tg_visit_pma, d);
    }
    if (d->streams.count == 0) {
        return pf_findings_status(f, err);
    }
    add(f, "sqtt.json", pf_tg_visit_sqtt, d);
    note_unlisted(d, f);
    return pf_tg_report_packets(d, f, err);
}
