/* analyze/tinygrad/device/tg_pma_report.c - pma.json: how often warps stood at which instruction, and why. */
#include "analyze/tinygrad/device/tg_device_reports.h"

enum { REASONS_MAX = 32 }; /* the reader tells fewer apart */

static void put_totals(tg_json *j, const tg_input *in, tg_rows s)
{
    const tg_stalls *t = &in->stalls;
    uint32_t reason[REASONS_MAX];
    int64_t samples[REASONS_MAX] = {0};
    unsigned count = 0;
    for (uint32_t i = s.first; i < s.end; i++) {
        unsigned at = 0;
        while (at < count && reason[at] != t->reason[i]) {
            at++;
        }
        count += at == count;
        reason[at] = t->reason[i];
        samples[at] += t->samples[i];
    }
    pf_tg_begin_object(j, "stall_totals");
    for (unsigned i = 0; i < count; i++) {
        pf_tg_put_int_named(j, pf_tg_string(in, reason[i]), samples[i]);
    }
    pf_tg_end(j);
}

/* By program counter, then by the name of the reason. */
static void put_stalls(tg_json *j, const tg_input *in, tg_rows s)
{
    const tg_stalls *t = &in->stalls;
    pf_tg_begin_list(j, "by_pc");
    for (uint32_t i = s.first; i < s.end; i++) {
        pf_tg_begin_list(j, NULL);
        pf_tg_put_int(j, NULL, t->pc[i]);
        pf_tg_put_text(j, NULL, pf_tg_string(in, t->reason[i]));
        pf_tg_put_int(j, NULL, t->samples[i]);
        pf_tg_end(j);
    }
    pf_tg_end(j);
}

static void put_samples(tg_json *j, const tg_input *in, uint32_t stream)
{
    const tg_samples *t = &in->samples;
    uint32_t first = in->samplings.first_sample[stream];
    if (first == PF_NONE && in->samplings.samples[stream]) {
        return;
    }
    pf_tg_begin_list(j, "rows_gpc_tpc_sm_pc_reason_key_wave_active");
    for (uint32_t i = first; i - first < (uint64_t)in->samplings.samples[stream]; i++) {
        pf_tg_begin_list(j, NULL);
        pf_tg_put_int(j, NULL, t->gpc[i]);
        pf_tg_put_int(j, NULL, t->tpc[i]);
        pf_tg_put_int(j, NULL, t->sm[i]);
        pf_tg_put_int(j, NULL, t->pc[i]);
        pf_tg_put_text(j, NULL, pf_tg_string(in, t->reason[i]));
        pf_tg_put_int(j, NULL, t->key[i]);
        pf_tg_put_int(j, NULL, t->wave[i]);
        pf_tg_put_int(j, NULL, t->active[i]);
        pf_tg_end(j);
    }
    pf_tg_end(j);
}

pf_status pf_tg_visit_pma(const void *of, const pf_arg_visitor *v, pf_error *err)
{
    const tg_input *in = of;
    const tg_samplings *t = &in->samplings;
    tg_json j = {v, err, PF_OK};
    pf_tg_begin_list(&j, NULL);
    for (uint32_t i = 0; j.status == PF_OK && i < t->count; i++) {
        tg_rows s = pf_tg_rows_of(in->stalls.stream, in->stalls.count, i);
        pf_tg_begin_object(&j, NULL);
        pf_tg_put_kernel(&j, in, "kern", (tg_kernel){t->kernel[i], t->tag[i]});
        pf_tg_put_int(&j, "sm_version", t->sm_version[i]);
        pf_tg_put_int(&j, "bytes", t->bytes[i]);
        pf_tg_put_int(&j, "samples", t->samples[i]);
        put_totals(&j, in, s);
        put_stalls(&j, in, s);
        put_samples(&j, in, i);
        pf_tg_end(&j);
    }
    pf_tg_end(&j);
    return j.status;
}
