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
    double model = k->modelled ? k->model_total : 0, count = (double)k->count;
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

/* A row and what it is sorted by. */
typedef struct sorted {
    pf_str name;
    double key;
    opcmp_row row;
} sorted;

static int by_key(const void *x, const void *y)
{
    const sorted *a = x, *b = y;
    return a->key != b->key ? (a->key < b->key ? 1 : -1) : pf_str_compare(a->name, b->name);
}

pf_status pf_opcmp_compare(opcmp *c, double passes, opcmp_rows *out, pf_error *err)
{
    size_t n = 0;
    *out = (opcmp_rows){.count = 0};
    for (uint32_t i = 0; i < c->room; i++) {
        n += c->kernels[i].modelled || c->kernels[i].measured;
    }
    sorted *s = pf_pass_array(&c->arena, n, sizeof *s, err);
    out->row = s ? pf_pass_array(&c->arena, n, sizeof *out->row, err) : NULL;
    if (!out->row) {
        return err->code;
    }
    n = 0;
    for (uint32_t i = 0; i < c->room; i++) {
        if (c->kernels[i].modelled || c->kernels[i].measured) {
            opcmp_row r = make_row(&c->kernels[i], i, passes);
            double key = r.measured_us > r.model_us ? r.measured_us : r.model_us;
            s[n++] = (sorted){pf_strings_get(&c->texts, i), key, r};
        }
    }
    qsort(s, n, sizeof *s, by_key);
    for (size_t i = 0; i < n; i++) {
        out->row[i] = s[i].row;
        out->model_total += s[i].row.model_us;
        out->measured_total += s[i].row.measured_us;
    }
    out->count = n;
    return PF_OK;
}
