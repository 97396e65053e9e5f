/* analyze/aiu/acelyzer/acelyzer_pddf.c - slices as a table of text, as pandas prints it (-f pddf, or -o X.txt). */
#include "analyze/aiu/acelyzer/acelyzer.h"
#include "base/buffer.h"
#include "base/str.h"
#include "base/text/number.h"

static void put_exponent(pf_buffer *b, double v)
{
    char digits[PF_NUMBER_MAX];
    pf_buffer_put(b, digits, pf_format_real_exponent(v, digits));
}

static void put_fixed(pf_buffer *b, double v)
{
    char digits[PF_FIXED_MAX];
    pf_buffer_put(b, digits, pf_format_real_fixed(v, 6, digits));
}

static void put_text(pf_buffer *b, pf_str s)
{
    pf_buffer_put(b, s.ptr ? s.ptr : "", s.len);
    pf_buffer_text(b, " ");
}

static void put_slice(aiu_run *run, uint32_t e, pf_buffer *b)
{
    const aiu_events *v = &run->events;
    const aiu_job *job = &run->jobs[v->job[e]];
    const aiu_extra *used = pf_aiu_find_extra(run, e, PF_STR("pt_active"));
    pf_buffer_text(b, " ");
    put_text(b, pf_aiu_pid_text(run, v->flags[e] & AIU_TORCH ? job->rank : v->pid[e]));
    put_exponent(b, v->ts[e] + run->origin);
    pf_buffer_text(b, " ");
    put_fixed(b, v->dur[e]);
    pf_buffer_text(b, " ");
    put_text(b, pf_aiu_text_of(run, v->cat[e]));
    put_text(b, pf_aiu_text_of(run, v->name[e]));
    put_text(b, pf_str_of(v->flags[e] & AIU_HAS_CLASS ? pf_aiu_class_name(v->class[e]) : "UNKNOWN"));
    put_text(b, job->name);
    if (v->flags[e] & AIU_HAS_BYTES) {
        pf_buffer_decimal(b, v->bytes[e]);
    } else {
        pf_buffer_text(b, "0.0");
    }
    pf_buffer_text(b, " ");
    put_fixed(b, used ? used->as.d : 0);
    pf_buffer_text(b, "\n");
}

pf_text *pf_acelyzer_pddf(aiu_run *run)
{
    pf_text *t = pf_text_new(run->findings);
    pf_buffer b = {0};
    uint32_t slices = 0;
    pf_aiu_sort_global(run);
    for (uint32_t i = 0; i < run->alive; i++) {
        slices += pf_aiu_is_slice(run, run->order[i]);
    }
    pf_buffer_text(&b, slices || !pf_aiu_rule(run, AIU_OWN_FORMS)
                           ? " Rank Timestamp Duration Category Event Name Event CLass Job Size PT_Active\n"
                           : "Empty DataFrame\nColumns: [Rank, Timestamp, Duration, Category, Event Name, Event CLass, "
                             "Job, Size, PT_Active]\nIndex: []\n");
    for (uint32_t i = 0; i < run->alive && !pf_aiu_failed(run); i++) {
        if (pf_aiu_is_slice(run, run->order[i])) {
            put_slice(run, run->order[i], &b);
            pf_acelyzer_pass_on(run, t, &b, ACELYZER_PIECE);
        }
    }
    pf_acelyzer_pass_on(run, t, &b, 0);
    pf_buffer_free(&b);
    return pf_aiu_failed(run) ? NULL : t;
}
