/* analyze/tinygrad/device/tg_pmc_report.c - pmc.json: for each execution its counters, as the viewer shows them and as
 * plain values. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyze/tinygrad/device/tg_device_reports.h"
#include "base/text/number.h"

enum { XCC, INSTANCES, SE, SA, WGP, DIMS };

static int64_t dimension(const tg_counters *c, uint32_t counter, int which)
{
    const int64_t *const of[DIMS] = {c->xcc, c->instances, c->se, c->sa, c->wgp};
    return of[which][counter];
}

tg_rows pf_tg_counters_at(const tg_input *in, uint32_t first)
{
    uint32_t end = first + 1;
    while (end < in->counters.count && in->counters.event[end] == in->counters.event[first]) {
        end++;
    }
    return (tg_rows){first, end};
}

static uint32_t counter_named(const tg_input *in, tg_rows s, const char *name)
{
    uint32_t found = PF_NONE;
    for (uint32_t i = s.first; i < s.end; i++) {
        found = pf_tg_is(in, in->counters.name[i], name) ? i : found;
    }
    return found;
}

tg_exact pf_tg_sum_of(const tg_input *in, int64_t v, uint32_t digits)
{
    pf_str text = digits ? pf_tg_string(in, digits) : (pf_str){NULL, 0};
    tg_exact value = text.ptr || v < 0 ? 0 : (tg_exact)v;
    for (size_t i = 0; i < text.len; i++) {
        value = value * 10 + (tg_exact)(text.ptr[i] - '0');
    }
    return value;
}

static tg_exact largest_value(const tg_input *in, uint32_t counter)
{
    const tg_counters *c = &in->counters;
    tg_exact most = 0;
    for (int64_t i = 0; i < c->values[counter]; i++) {
        uint32_t row = c->first_value[counter] + (uint32_t)i;
        tg_exact v = pf_tg_sum_of(in, in->values.value[row], in->values.digits[row]);
        most = v > most ? v : most;
    }
    return most;
}

/* The nearest double: the quotient has many more bits than that, the last of which says that there is a rest. */
static double mean_of(tg_exact sum, uint64_t count)
{
    int shift = 0;
    for (; sum && sum >> 120 == 0; shift++) {
        sum <<= 1;
    }
    return ldexp((double)(sum / count | (sum % count != 0)), -shift);
}

const tg_metric pf_tg_metrics[PF_TG_METRICS] = {{"VALU utilization", "SQ_INSTS_VALU"},
                                                {"SALU utilization", "SQ_INSTS_SALU"}};

pf_str pf_tg_utilisation(const tg_input *in, tg_rows counters, unsigned metric, char text[32])
{
    const tg_counters *c = &in->counters;
    uint32_t instructions = counter_named(in, counters, pf_tg_metrics[metric].counter),
             active = counter_named(in, counters, "GRBM_GUI_ACTIVE");
    if (in->generation == TG_DEC25 || instructions == PF_NONE || active == PF_NONE || c->values[instructions] == 0) {
        return (pf_str){NULL, 0};
    }
    tg_exact cycles = 4 * largest_value(in, active);
    if (cycles == 0) {
        return (pf_str){NULL, 0};
    }
    double mean =
        mean_of(pf_tg_sum_of(in, c->sum[instructions], c->sum_digits[instructions]), (uint64_t)c->values[instructions]);
    char number[PF_FIXED_MAX];
    size_t len = pf_format_real_fixed(100 * mean / (double)cycles, 1, number);
    len = len < 30 ? len : 30;
    memcpy(text, number, len);
    text[len] = '%';
    return (pf_str){text, len + 1};
}

static void put_value(tg_json *j, const tg_input *in, uint32_t counter, int64_t i)
{
    uint32_t row = in->counters.first_value[counter] + (uint32_t)i;
    pf_tg_put_wide(j, in, NULL, in->values.value[row], in->values.digits[row]);
}

static void put_columns(tg_json *j, const tg_input *in, uint32_t counter)
{
    static const char *const first[] = {"XCC", "INST", "SE", "SA"};
    int64_t units = in->generation == TG_DEC25 ? 0 : in->counters.wgp[counter];
    char name[32];
    pf_tg_begin_list(j, "cols");
    for (size_t i = 0; i < 4; i++) {
        pf_tg_put_word(j, NULL, first[i]);
    }
    for (int64_t i = 0; i < units && in->counters.values[counter]; i++) {
        snprintf(name, sizeof name, "WGP:%lld", (long long)i);
        pf_tg_put_word(j, NULL, name);
    }
    if (in->generation == TG_DEC25) {
        pf_tg_put_word(j, NULL, "WGP");
        pf_tg_put_word(j, NULL, "Value");
    }
    pf_tg_end(j);
}

/* A row for each shader array with a column per workgroup processor; the first generation has a row for each value. */
static void put_rows(tg_json *j, const tg_input *in, uint32_t counter)
{
    bool single = in->generation == TG_DEC25;
    int64_t values = in->counters.values[counter], width = single ? 1 : in->counters.wgp[counter], place[DIMS];
    pf_tg_begin_list(j, "rows");
    for (int64_t i = 0; i < values; i += width) {
        int64_t left = i; /* where value number i was counted: XCC, INST, SE, SA, WGP */
        for (int k = DIMS - 1; k >= 0; k--) {
            place[k] = left % dimension(&in->counters, counter, k);
            left /= dimension(&in->counters, counter, k);
        }
        pf_tg_begin_list(j, NULL);
        for (int k = 0; k < (single ? DIMS : WGP); k++) {
            pf_tg_put_int(j, NULL, place[k]);
        }
        for (int64_t k = 0; k < width; k++) {
            put_value(j, in, counter, i + k);
        }
        pf_tg_end(j);
    }
    pf_tg_end(j);
}

static void put_table(tg_json *j, const tg_input *in, tg_rows s)
{
    const tg_counters *c = &in->counters;
    char text[32];
    pf_tg_begin_object(j, "table");
    pf_tg_begin_list(j, "rows");
    for (uint32_t i = s.first; i < s.end; i++) {
        pf_tg_begin_list(j, NULL);
        pf_tg_put_text(j, NULL, pf_tg_string(in, c->name[i]));
        pf_tg_put_wide(j, in, NULL, c->sum[i], c->sum_digits[i]);
        pf_tg_begin_object(j, NULL);
        put_columns(j, in, i);
        put_rows(j, in, i);
        pf_tg_end(j);
        pf_tg_end(j);
    }
    for (unsigned i = 0; i < PF_TG_METRICS; i++) {
        pf_str shown = pf_tg_utilisation(in, s, i, text);
        if (shown.ptr) {
            pf_tg_begin_list(j, NULL);
            pf_tg_put_word(j, NULL, pf_tg_metrics[i].name);
            pf_tg_put_text(j, NULL, shown);
            pf_tg_end(j);
        }
    }
    pf_tg_end(j);
    pf_tg_begin_list(j, "cols");
    pf_tg_put_word(j, NULL, "Name");
    pf_tg_put_word(j, NULL, "Sum");
    pf_tg_end(j);
    pf_tg_end(j);
}

static void put_flat(tg_json *j, const tg_input *in, uint32_t counter)
{
    const tg_counters *c = &in->counters;
    pf_tg_begin_object(j, NULL);
    pf_tg_put_text(j, "name", pf_tg_string(in, c->name[counter]));
    pf_tg_put_text(j, "block", pf_tg_string(in, c->block[counter]));
    pf_tg_begin_list(j, "dims");
    for (int k = 0; k < DIMS; k++) {
        pf_tg_put_int(j, NULL, dimension(c, counter, k));
    }
    pf_tg_end(j);
    pf_tg_put_int(j, "off", c->offset[counter]);
    pf_tg_put_int(j, "size", c->size[counter]);
    pf_tg_put_text(j, "reg", pf_tg_string(in, c->reg[counter]));
    pf_tg_put_wide(j, in, "sum", c->sum[counter], c->sum_digits[counter]);
    pf_tg_begin_list(j, "values");
    for (int64_t i = 0; i < c->values[counter]; i++) {
        put_value(j, in, counter, i);
    }
    pf_tg_end(j);
    pf_tg_end(j);
}

pf_status pf_tg_visit_pmc(const void *of, const pf_arg_visitor *v, pf_error *err)
{
    const tg_input *in = of;
    const tg_counters *c = &in->counters;
    tg_json j = {v, err, PF_OK};
    pf_tg_begin_list(&j, NULL);
    for (tg_rows s = {0, 0}; j.status == PF_OK && s.end < c->count;) {
        s = pf_tg_counters_at(in, s.end);
        pf_tg_begin_object(&j, NULL);
        pf_tg_put_kernel(&j, in, "kern", (tg_kernel){c->kernel[s.first], c->tag[s.first]});
        pf_tg_put_int(&j, "exec_tag", c->exec_tag[s.first]);
        pf_tg_put_text(&j, "device", pf_tg_string(in, in->events.device[c->event[s.first]]));
        put_table(&j, in, s);
        pf_tg_begin_list(&j, "flat");
        for (uint32_t i = s.first; i < s.end; i++) {
            put_flat(&j, in, i);
        }
        pf_tg_end(&j);
        pf_tg_end(&j);
    }
    pf_tg_end(&j);
    return j.status;
}
