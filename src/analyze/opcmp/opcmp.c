/* analyze/opcmp/opcmp.c - what a comparison holds, and how both sides become rows: the differences are computed,
 * rounded to one decimal, and the rows sorted by the larger of the two rounded times; rows that are equal in that stay
 * in the order of their names. */
#include "analyze/opcmp/opcmp.h"

#include <math.h>
#include <stdlib.h>

#include "analyze/support/pass_memory.h"
#include "base/list.h"
#include "base/str.h"
#include "base/text/number.h"

pf_status pf_opcmp_begin(opcmp *c, const pf_limits *limits, pf_error *err)
{
    *c = (opcmp){.strict = false};
    pf_budget_init(&c->budget, limits);
    pf_arena_init(&c->arena, &c->budget);
    return pf_strings_init(&c->texts, &c->budget, err);
}

void pf_opcmp_end(opcmp *c)
{
    PF_LIST_FREE(&c->budget, c->kernels, c->room);
    PF_LIST_FREE(&c->budget, c->parts, c->part_room);
    PF_LIST_FREE(&c->budget, c->order, c->order_room);
    pf_strings_free(&c->texts);
    pf_arena_free(&c->arena);
    pf_budget_end(&c->budget);
    *c = (opcmp){.strict = false};
}

opcmp_kernel *pf_opcmp_kernel(opcmp *c, uint32_t id, pf_error *err)
{
    uint32_t known = c->room;
    if (PF_LIST_ROOM(&c->budget, c->kernels, (size_t)id + 1, c->room, err) != PF_OK) {
        return NULL;
    }
    if (c->room > known) {
        memset(c->kernels + known, 0, (c->room - known) * sizeof *c->kernels);
    }
    return &c->kernels[id];
}

/* "16,5120" out of "\"16,5120;5120,768\"" or "[[16, 5120]]", without blanks; the length. */
static size_t first_shape(pf_str s, char *out, size_t room)
{
    size_t i = 0, n = 0;
    while (i < s.len && strchr("\"[( \t", s.ptr[i])) {
        i++;
    }
    for (; i < s.len && n < room && !strchr(";])\"", s.ptr[i]); i++) {
        if (s.ptr[i] != ' ' && s.ptr[i] != '\t') {
            out[n++] = s.ptr[i];
        }
    }
    return n;
}

pf_status pf_opcmp_shaped(opcmp *c, pf_str type, pf_str shapes, uint32_t *id, pf_error *err)
{
    char shape[128];
    pf_buffer b = {0};
    size_t n = first_shape(shapes, shape, sizeof shape);
    if (n == 0 || !pf_is_digit(shape[0]) || pf_str_starts(type, PF_STR("hcom_"))) {
        return pf_strings_put(&c->texts, type, id, err);
    }
    pf_buffer_put(&b, type.ptr, type.len);
    pf_buffer_text(&b, " [");
    pf_buffer_put(&b, shape, n);
    pf_buffer_text(&b, "]");
    pf_status st = b.failed ? pf_no_memory(err) : pf_strings_put(&c->texts, (pf_str){b.data, b.len}, id, err);
    pf_buffer_free(&b);
    return st;
}

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
    r.status = !k->count ? OPCMP_NOT_MODELLED : !k->hits ? OPCMP_MISS : k->hits < k->count ? OPCMP_PARTIAL : OPCMP_HIT;
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
        if (c->kernels[i].count || c->kernels[i].measured_count) {
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
