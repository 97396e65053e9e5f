/* analyze/compare/compare_headline.c - what came out, in a sentence: the verdict, what of the gate it follows from and
 * how sure that is, and the name whose self time has most to do with it.
 */
#include <math.h>

#include "analyze/compare/compare.h"
#include "analyze/support/pass_memory.h"
#include "base/text/number.h"

/* What a ratio is above or below 1, in percent, with its sign. */
static void put_change(pf_buffer *b, double ratio)
{
    char text[PF_FIXED_MAX];
    double percent = (ratio - 1) * 100;
    pf_buffer_text(b, signbit(percent) ? "" : "+");
    pf_buffer_put(b, text, pf_format_real_fixed(percent, 1, text));
}

static void put_measure(pf_buffer *b, const compare_result *r, const compare_measure *m, bool sure)
{
    pf_buffer_format(b, "%s ", pf_compare_measure_text(r, m));
    put_change(b, m->ratio);
    pf_buffer_text(b, " %");
    if (sure && m->interval.known) {
        pf_buffer_text(b, " (");
        put_change(b, m->interval.low);
        pf_buffer_text(b, " to ");
        put_change(b, m->interval.high);
        pf_buffer_text(b, " % with 99 % confidence)");
    }
}

/* The largest change of self time that goes the way of the verdict, of a name that is where the measure is. */
static const compare_row *find_cause(const compare *c, const compare_result *r, const compare_measure *m)
{
    bool slower = r->verdict == COMPARE_SLOWER, faster = r->verdict == COMPARE_FASTER;
    for (uint32_t i = 0; i < r->changed; i++) {
        const compare_row *row = r->by_self[i];
        bool longer = row->self.now > row->self.base, device = pf_compare_is_device_row(c, row->name);
        bool there = m == &r->measure[COMPARE_OF_DEVICE] ? device : m != &r->measure[COMPARE_OF_HOST] || !device;
        if (there && (!slower || longer) && (!faster || !longer)) {
            return row;
        }
    }
    return NULL;
}

static void put_cause(pf_buffer *b, const compare_result *r, const compare *c, const compare_row *row,
                      pf_time_unit unit)
{
    bool cause = r->verdict == COMPARE_SLOWER || r->verdict == COMPARE_FASTER;
    pf_buffer_text(b, cause ? "; largest cause: " : "; largest change: ");
    pf_pass_put_name(b, pf_compare_row_text(c, row->name));
    pf_buffer_text(b, ", ");
    pf_compare_put_length(b, row->self.now - row->self.base, unit, true);
    pf_buffer_text(b, " of its own");
    if (row->base.calls == 0 || row->now.calls == 0) {
        pf_buffer_text(b, row->base.calls ? ", vanished" : ", new");
    } else if (row->base.calls * r->now_files != row->now.calls * r->base_files) {
        pf_buffer_format(b, " in %llu calls, %llu in the base", (unsigned long long)row->now.calls,
                         (unsigned long long)row->base.calls);
    }
}

/* What the verdict follows from: the first part of the gate that has it; `other`: the first other one. */
static const compare_measure *find_measure(const compare_result *r, const compare_measure **other)
{
    const compare_measure *parts[COMPARE_MEASURES + 1] = {NULL}, *found = NULL;
    unsigned count = 0;
    for (unsigned k = 0; k <= COMPARE_MEASURES; k++) {
        const compare_measure *m = k < COMPARE_MEASURES ? &r->measure[k] : &r->whole;
        if (r->gate & (uint64_t)COMPARE_GATE_DEVICE << k && (k == COMPARE_MEASURES || m->known)) {
            parts[count++] = m;
            found = found || m->verdict != r->verdict ? found : m;
        }
    }
    found = found ? found : count ? parts[0] : &r->whole;
    *other = count && parts[0] != found ? parts[0] : count > 1 && parts[1] != found ? parts[1] : NULL;
    return found;
}

static void add_highlights(pf_findings *f, const compare_result *r)
{
    static const char *const labels[] = {"device", "step", "host", "self time"};
    uint32_t slower = 0;
    for (unsigned k = 0, shown = 0; k <= COMPARE_MEASURES && shown < 2; k++) {
        const compare_measure *m = k < COMPARE_MEASURES ? &r->measure[k] : &r->whole;
        if (m->known) {
            pf_buffer b = {0};
            put_change(&b, m->ratio);
            pf_str text = pf_pass_keep_buffer(f, &b);
            pf_findings_add_highlight(f, labels[k], "%.*s %%", PF_TEXT_ARG(text));
            shown++;
        }
    }
    for (uint32_t i = 0; i < r->count; i++) {
        slower += r->rows[i].self.verdict == COMPARE_SLOWER;
    }
    pf_findings_add_highlight(f, "names slower by self time", "%u of %u", slower, r->count);
}

void pf_compare_headline(pf_findings *f, const compare *c, const compare_result *r, pf_time_unit unit)
{
    static const char *const words[] = {[COMPARE_SAME] = "No change",
                                        [COMPARE_SLOWER] = "Slower",
                                        [COMPARE_FASTER] = "Faster",
                                        [COMPARE_UNSURE] = "Unsure"};
    const compare_measure *other, *m = find_measure(r, &other);
    const compare_row *row = find_cause(c, r, m);
    pf_buffer b = {0};
    pf_buffer_format(&b, "%s: ", words[r->verdict]);
    put_measure(&b, r, m, true);
    if (other) {
        pf_buffer_text(&b, ", ");
        put_measure(&b, r, other, false);
    }
    if (row) {
        put_cause(&b, r, c, row, unit);
    }
    pf_str text = pf_pass_keep_buffer(f, &b);
    pf_findings_set_headline(f, "%.*s", PF_TEXT_ARG(text));
    add_highlights(f, r);
}
