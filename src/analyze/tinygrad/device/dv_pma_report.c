/* analyze/tinygrad/device/dv_pma_report.c - pma.json: how often warps stood at which instruction, and why. */
#include "analyze/tinygrad/device/dv_reports.h"

enum { REASONS_MAX = 32 }; /* the reader tells fewer apart */

typedef struct reason_sums {
    uint32_t reason[REASONS_MAX];
    int64_t samples[REASONS_MAX];
    unsigned count;
} reason_sums;

static void add_reason(reason_sums *sums, uint32_t reason, int64_t samples)
{
    unsigned at = 0;
    while (at < sums->count && sums->reason[at] != reason) {
        at++;
    }
    if (at == sums->count) {
        sums->reason[sums->count] = reason;
        sums->samples[sums->count++] = 0;
    }
    sums->samples[at] += samples;
}

static void put_totals(dv_json *j, const dv_input *d, dv_span s)
{
    const dv_samples *t = &d->samples;
    reason_sums sums = {.count = 0};
    for (uint32_t i = s.first; i < s.end; i++) {
        add_reason(&sums, t->stall_reason[i], t->stall_samples[i]);
    }
    pf_dv_object(j, "stall_totals");
    for (unsigned i = 0; i < sums.count; i++) {
        pf_dv_int_named(j, pf_tg_string(d->in, sums.reason[i]), sums.samples[i]);
    }
    pf_dv_close(j);
}

/* By program counter, then by the name of the reason. */
static void put_stalls(dv_json *j, const dv_input *d, dv_span s)
{
    const dv_samples *t = &d->samples;
    pf_dv_list(j, "by_pc");
    for (uint32_t i = s.first; i < s.end; i++) {
        pf_dv_list(j, NULL);
        pf_dv_int(j, NULL, t->stall_pc[i]);
        pf_dv_text(j, NULL, pf_tg_string(d->in, t->stall_reason[i]));
        pf_dv_int(j, NULL, t->stall_samples[i]);
        pf_dv_close(j);
    }
    pf_dv_close(j);
}

static void put_samples(dv_json *j, const dv_input *d, uint32_t stream)
{
    const dv_samples *t = &d->samples;
    uint32_t first = t->first[stream];
    if (first == PF_NONE && t->samples[stream]) {
        return;
    }
    pf_dv_list(j, "rows_gpc_tpc_sm_pc_reason_key_wave_active");
    for (uint32_t i = first; i - first < (uint64_t)t->samples[stream]; i++) {
        pf_dv_list(j, NULL);
        pf_dv_int(j, NULL, t->gpc[i]);
        pf_dv_int(j, NULL, t->tpc[i]);
        pf_dv_int(j, NULL, t->sm[i]);
        pf_dv_int(j, NULL, t->pc[i]);
        pf_dv_text(j, NULL, pf_tg_string(d->in, t->reason[i]));
        pf_dv_int(j, NULL, t->key[i]);
        pf_dv_int(j, NULL, t->wave[i]);
        pf_dv_int(j, NULL, t->active[i]);
        pf_dv_close(j);
    }
    pf_dv_close(j);
}

pf_status pf_dv_visit_pma(const void *of, const pf_arg_visitor *v, pf_error *err)
{
    (void)err;
    const dv_input *d = of;
    const dv_samples *t = &d->samples;
    dv_json j = {v, PF_OK};
    pf_dv_list(&j, NULL);
    for (uint32_t i = 0; j.status == PF_OK && i < t->count; i++) {
        dv_span s = pf_dv_span(t->stall_stream, t->stall_count, i);
        pf_dv_object(&j, NULL);
        pf_dv_kernel(&j, d, "kern", (dv_kernel){t->kernel[i], t->tag[i]});
        pf_dv_int(&j, "sm_version", t->sm_version[i]);
        pf_dv_int(&j, "bytes", t->bytes[i]);
        pf_dv_int(&j, "samples", t->samples[i]);
        put_totals(&j, d, s);
        put_stalls(&j, d, s);
        put_samples(&j, d, i);
        pf_dv_close(&j);
    }
    pf_dv_close(&j);
    return j.status;
}
