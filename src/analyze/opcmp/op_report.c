/* analyze/opcmp/op_report.c - the rows of a comparison as the program before printed them, and as its document.
 *
 * Widths of columns count code points. The error of the total is a sum of differences of both signs, so a kernel's
 * contribution is judged by the size of its difference against the sum of all sizes: kernels that are wrong in opposite
 * directions do not hide each other.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/opcmp/opcmp.h"
#include "analyze/support/pass_memory.h"
#include "base/ordering.h"
#include "base/text/number.h"

enum { SHOWN = 15, LINE = 115, NAME_WIDTH = 35, STATUS_WIDTH = 6 };

static size_t code_points(pf_str s)
{
    size_t n = 0;
    for (size_t i = 0; i < s.len; i++) {
        n += (s.ptr[i] & 0xC0) != 0x80;
    }
    return n;
}

static void pad(pf_buffer *b, size_t width, size_t used)
{
    for (; used < width; used++) {
        pf_buffer_put(b, " ", 1);
    }
}

static void put_left(pf_buffer *b, pf_str s, size_t width)
{
    pf_buffer_put(b, s.ptr, s.len);
    pad(b, width, code_points(s));
}

/* One decimal, right-aligned, with a sign where it is wanted. */
static void put_real(pf_buffer *b, double v, bool sign, size_t width)
{
    char text[1 + PF_FIXED_MAX] = "+";
    bool plus = sign && v >= 0;
    size_t len = plus + pf_format_real_fixed(v, 1, text + plus);
    pf_buffer_format(b, "%*.*s", (int)width, (int)len, text);
}

static void put_rule(pf_buffer *b, char c)
{
    char line[LINE + 1];
    memset(line, c, LINE);
    line[LINE] = '\n';
    pf_buffer_put(b, line, sizeof line);
}

static void put_header(pf_buffer *b, pf_str name)
{
    pf_buffer_text(b, "\n");
    put_rule(b, '=');
    pf_buffer_put(b, name.ptr, name.len);
    pf_buffer_text(b, " \xe2\x80\x94 TC vs Profiling per-forward\n");
    put_rule(b, '=');
    pf_buffer_text(
        b,
        "kernel_type                               TC(\xce\xbcs)    TC\xe6\xac\xa1\xe6\x95\xb0     Prof(\xce\xbcs)   "
        "Prof\xe6\xac\xa1\xe6\x95\xb0      \xe5\xbb\xb6\xe8\xbf\x9f\xe8\xaf\xaf\xe5\xb7\xae      "
        "\xe6\xac\xa1\xe6\x95\xb0\xe8\xaf\xaf\xe5\xb7\xae   Prof\xe5\x8d\xa0\xe6\xaf\x94 \xe7\x8a\xb6\xe6\x80\x81    "
        "\n");
    put_rule(b, '-');
}

static void put_row(pf_buffer *b, pf_str name, const opcmp_row *r, double total)
{
    put_left(b, name, NAME_WIDTH);
    pf_buffer_text(b, " ");
    put_real(b, r->model_us, false, 12);
    pf_buffer_format(b, " %7llu ", (unsigned long long)r->model_count);
    put_real(b, r->measured_us, false, 12);
    pf_buffer_format(b, " %8lld ", (long long)r->measured_count);
    put_real(b, r->error_percent, false, 8);
    pf_buffer_text(b, "% ");
    put_real(b, r->count_error_percent, false, 8);
    pf_buffer_text(b, "% ");
    put_real(b, total > 0 ? r->measured_us / total * 100 : 0, false, 7);
    pf_buffer_text(b, "% ");
    put_left(b, pf_opcmp_status_text(r->status), STATUS_WIDTH);
    pf_buffer_text(b, "\n");
}

void pf_opcmp_put_table(pf_buffer *b, const opcmp *c, pf_str name, const opcmp_rows *rows)
{
    put_header(b, name);
    for (size_t i = 0; i < rows->count && i < SHOWN; i++) {
        put_row(b, pf_strings_get(&c->texts, rows->row[i].kernel), &rows->row[i], rows->measured_total);
    }
    put_left(b, PF_STR("TOTAL"), NAME_WIDTH);
    pf_buffer_text(b, " ");
    put_real(b, rows->model_total, false, 12);
    pad(b, 9, 0);
    put_real(b, rows->measured_total, false, 12);
    pf_buffer_text(b, "\n");
}

pf_str pf_opcmp_functions(pf_findings *f, const opcmp *c, uint32_t kernel)
{
    pf_buffer b = {0};
    const opcmp_kernel *k = &c->kernels[kernel];
    for (unsigned i = 0; i < k->functions; i++) {
        pf_str name = pf_strings_get(&c->texts, k->function[i]);
        pf_buffer_text(&b, i ? ", " : "");
        pf_buffer_put(&b, name.ptr, name.len);
    }
    return pf_pass_keep_buffer(f, &b);
}

/* Numbers that stand for "there is none" are integers; so op-comparison wrote them. */
static void add_real(pf_findings *f, pf_node *o, pf_str key, double v, bool is_real)
{
    if (is_real) {
        pf_node_add_real(f, o, key, v);
    } else {
        pf_node_add_int(f, o, key, 0);
    }
}

void pf_opcmp_add_rows(pf_findings *f, pf_node *document, const opcmp *c, pf_str name, const opcmp_rows *rows)
{
    pf_node *list = pf_node_add(f, document, name, PF_NODE_LIST);
    for (size_t i = 0; i < rows->count; i++) {
        const opcmp_row *r = &rows->row[i];
        pf_node *o = pf_node_add(f, list, (pf_str){NULL, 0}, PF_NODE_OBJECT);
        pf_node_add_text(f, o, PF_STR("kernel_type"), pf_strings_get(&c->texts, r->kernel));
        pf_node_add_text(f, o, PF_STR("tc_funcs"), pf_opcmp_functions(f, c, r->kernel));
        add_real(f, o, PF_STR("tc_total_us"), r->model_us, r->status != OPCMP_NOT_MODELLED);
        pf_node_add_int(f, o, PF_STR("tc_count"), (int64_t)r->model_count);
        add_real(f, o, PF_STR("prof_per_fwd_us"), r->measured_us, r->per_pass);
        pf_node_add_int(f, o, PF_STR("prof_count"), r->measured_count);
        add_real(f, o, PF_STR("error_pct"), r->error_percent, r->has_error);
        add_real(f, o, PF_STR("count_error_pct"), r->count_error_percent, r->has_count_error);
        pf_node_add_text(f, o, PF_STR("status"), pf_opcmp_status_text(r->status));
    }
}

/* Rows that are equally wrong stay in their order. */
PF_ORDER(by_size, opcmp_row *const, PF_COMPARE(fabs(pf_opcmp_difference(*y)), fabs(pf_opcmp_difference(*x))),
         PF_COMPARE(*x, *y));

const opcmp_row **pf_opcmp_sorted(opcmp *c, const opcmp_rows *rows, pf_error *err)
{
    const opcmp_row **sorted = pf_pass_array(&c->arena, rows->count, sizeof *sorted, err);
    for (size_t i = 0; sorted && i < rows->count; i++) {
        sorted[i] = &rows->row[i];
    }
    if (sorted) {
        qsort(sorted, rows->count, sizeof *sorted, by_size);
    }
    return sorted;
}

double pf_opcmp_sum_of_sizes(const opcmp_rows *rows)
{
    double sum = 0;
    for (size_t i = 0; i < rows->count; i++) {
        sum += fabs(pf_opcmp_difference(&rows->row[i]));
    }
    return sum;
}

void pf_opcmp_put_contributors(pf_buffer *b, opcmp *c, const opcmp_rows *rows, size_t most)
{
    pf_error err;
    double sizes = pf_opcmp_sum_of_sizes(rows), total = rows->model_total - rows->measured_total;
    const opcmp_row **sorted = pf_opcmp_sorted(c, rows, &err);
    if (!sorted) {
        b->failed = true;
        return;
    }
    pf_buffer_text(b, "\nThe total is ");
    put_real(b, total, true, 0);
    pf_buffer_text(b, " us off");
    if (rows->measured_total > 0) {
        pf_buffer_text(b, " (");
        put_real(b, pf_opcmp_percent(total, rows->measured_total), true, 0);
        pf_buffer_text(b, " %)");
    }
    pf_buffer_text(b, ". Most of it:\n");
    for (size_t i = 0; i < rows->count && i < most && fabs(pf_opcmp_difference(sorted[i])) > 0; i++) {
        pf_str name = pf_strings_get(&c->texts, sorted[i]->kernel);
        put_real(b, pf_opcmp_difference(sorted[i]), true, 12);
        pf_buffer_text(b, " us  ");
        put_real(b, pf_opcmp_percent(fabs(pf_opcmp_difference(sorted[i])), sizes), false, 5);
        pf_buffer_format(b, " %%  %.*s\n", PF_TEXT_ARG(name));
    }
}
