/* analyze/opcmp/op_rows.c - both sides become rows: the differences are computed, rounded to one decimal, and the rows
 * sorted by the larger of the two rounded times; rows that are equal in that stay in the order of their names. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/opcmp/opcmp.h"
#include "analyze/support/pass_memory.h"
#include "base/str.h"
#include "base/text/number.h"

pf_str pf_opcmp_status_text(opcmp_status s)
{
    static const pf_str texts[] = {
        {"TC\xe6\x9c\xaa\xe5\xbb\xba\xe6\xa8\xa1", 11}, {"MISS", 4}, {"HIT", 3}, {"PARTIAL", 7}};
    return texts[s];
}

/* The double nearest to v's value with one decimal, as printing and reading it back gives. */
static double round1(double v)
{
    char text[PF_FIXED_MAX];
    double r;
    size_t len = isfinite(v) ? pf_format_real_fixed(v, 1, text) : 0;
    return len && pf_parse_real(text, len, &r) ? r : v;
}

static opcmp_row make_row(const opcmp_kernel *k, uint32_t id, double passes)
{
    opcmp_row r = {.kernel = id, .per_pass = passes > 0};
    double model = k->model_total, count = (double)k->count;
    double measured = r.per_pass ? k->measured_total / passes : 0;
    double measured_count = r.per_pass ? (double)k->measured_count / passes : 0;
    r.status = !k->modelled           ? OPCMP_NOT_MODELLED
               : k->hits && k->misses ? OPCMP_PARTIAL
               : k->hits              ? OPCMP_HIT
                                      : OPCMP_MISS;
    r.has_error = measured > 0;
    r.has_count_error = measured_count > 0;
    r.model_us = round1(model);
    r.measured_us = round1(measured);
    r.error_percent = r.has_error ? round1((model - measured) / measured * 100) : 0;
    r.count_error_percent = r.has_count_error ? round1((count - measured_count) / measured_count * 100) : 0;
    r.model_count = k->count;
    double whole = nearbyint(measured_count);
    r.measured_count = whole >= 0x1p62 ? INT64_MAX : (int64_t)whole;
    return r;
}

static double larger_time(const opcmp_row *r)
{
    return r->measured_us > r->model_us ? r->measured_us : r->model_us;
}

static int by_time(const void *x, const void *y, void *ctx)
{
    const opcmp *c = ctx;
    const opcmp_row *a = x, *b = y;
    double ta = larger_time(a), tb = larger_time(b);
    return ta != tb ? (ta < tb ? 1 : -1)
                    : pf_str_compare(pf_strings_get(&c->texts, a->kernel), pf_strings_get(&c->texts, b->kernel));
}

pf_status pf_opcmp_compare(opcmp *c, double passes, opcmp_rows *out, pf_error *err)
{
    *out = (opcmp_rows){.count = 0};
    PF_TRY(PF_PASS_ARRAY(&c->arena, c->room, out->row, err));
    for (uint32_t i = 0; i < c->room; i++) {
        if (c->kernels[i].modelled || c->kernels[i].measured) {
            out->row[out->count++] = make_row(&c->kernels[i], i, passes);
        }
    }
    qsort_r(out->row, out->count, sizeof *out->row, by_time, c);
    for (size_t i = 0; i < out->count; i++) {
        out->model_total += out->row[i].model_us;
        out->measured_total += out->row[i].measured_us;
    }
    return PF_OK;
}
