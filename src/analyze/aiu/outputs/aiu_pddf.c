/* analyze/aiu/outputs/aiu_pddf.c - slices as a table of text (-f pddf, or -o X.txt). */
#include <string.h>

#include "analyze/aiu/outputs/aiu_outputs.h"
#include "base/buffer.h"
#include "base/text/number.h"

/* Six digits after the point, with an exponent of two digits at least. */
static void put_exponent(pf_buffer *b, double v)
{
    char digits[PF_FIXED_MAX];
    int exponent = 0;
    double scaled = v < 0 ? -v : v;
    for (; scaled >= 10 && exponent < 400; exponent++) {
        scaled /= 10;
    }
    for (; scaled > 0 && scaled < 1 && exponent > -400; exponent--) {
        scaled *= 10;
    }
    size_t len = pf_format_real_fixed(scaled, 6, digits);
    if (len > 1 && digits[1] == '0') { /* 9.9999999 became 10.000000 */
        len = pf_format_real_fixed(1, 6, digits);
        exponent++;
    }
    pf_buffer_text(b, v < 0 ? "-" : "");
    pf_buffer_put(b, digits, len);
    pf_buffer_format(b, "e%c%02d", exponent < 0 ? '-' : '+', exponent < 0 ? -exponent : exponent);
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

static double share_of(const aiu_run *run, uint32_t e)
{
    for (uint32_t x = run->events.extra[e]; x != PF_NONE; x = run->extras.list[x].next) {
        if (pf_aiu_equals(pf_aiu_text_of(run, run->extras.list[x].key), "pt_active")) {
            return run->extras.list[x].as.d;
        }
    }
    return 0;
}

static void put_slice(aiu_run *run, uint32_t e, pf_buffer *b)
{
    const aiu_events *v = &run->events;
    const char *class = v->flags[e] & AIU_HAS_CLASS ? pf_aiu_class_name(v->class[e]) : "UNKNOWN";
    pf_buffer_text(b, " ");
    put_text(b, pf_aiu_pid_text(run, v->flags[e] & AIU_TORCH ? run->jobs[v->job[e]].rank : v->pid[e]));
    put_exponent(b, v->ts[e] + run->origin);
    pf_buffer_text(b, " ");
    put_fixed(b, v->dur[e]);
    pf_buffer_text(b, " ");
    put_text(b, pf_aiu_text_of(run, v->cat[e]));
    put_text(b, pf_aiu_text_of(run, v->name[e]));
    put_text(b, (pf_str){class, strlen(class)});
    put_text(b, run->jobs[v->job[e]].name);
    if (v->flags[e] & AIU_HAS_BYTES) {
        pf_buffer_decimal(b, v->bytes[e]);
    } else {
        pf_buffer_text(b, "0.0");
    }
    pf_buffer_text(b, " ");
    put_fixed(b, share_of(run, e));
    pf_buffer_text(b, "\n");
}

pf_text *pf_aiu_pddf(aiu_run *run, pf_error *err)
{
    pf_text *t = pf_text_new(run->findings);
    pf_buffer b = {0};
    pf_status st = pf_aiu_sort_global(run);
    uint32_t slices = 0;
    for (uint32_t i = 0; i < run->alive; i++) {
        slices += pf_aiu_is_slice(run, run->order[i]);
    }
    pf_buffer_text(&b, slices || run->set.compat == AIU_WANT
                           ? " Rank Timestamp Duration Category Event Name Event CLass Job Size PT_Active\n"
                           : "Empty DataFrame\nColumns: [Rank, Timestamp, Duration, Category, Event Name, Event CLass, "
                             "Job, Size, PT_Active]\nIndex: []\n");
    for (uint32_t i = 0; i < run->alive && st == PF_OK; i++) {
        if (pf_aiu_is_slice(run, run->order[i])) {
            put_slice(run, run->order[i], &b);
        }
        if (b.len > 1 << 20) {
            pf_text_put(run->findings, t, (pf_str){b.data, b.len});
            b.len = 0;
            st = pf_pass_poll(run->ctx, err);
        }
    }
    pf_text_put(run->findings, t, (pf_str){b.data ? b.data : "", b.failed ? 0 : b.len});
    if (b.failed) {
        st = pf_fail(err, PF_ERR_MEMORY, "the system refused memory for the table of slices");
    }
    pf_buffer_free(&b);
    return st == PF_OK ? t : NULL;
}
