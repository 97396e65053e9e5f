/* analyze/opcmp/op_table.c - rows of all scenarios as one table, and what adds most to the error of the total.
 *
 * The error of the total is a sum of differences of both signs, so a kernel's contribution is judged by the size of its
 * difference against the sum of all sizes: kernels that are wrong in opposite directions do not hide each other.
 */
#include <math.h>
#include <stdlib.h>

#include "analyze/opcmp/opcmp.h"
#include "analyze/support/pass_memory.h"
#include "base/text/number.h"

static const pf_column columns[] = {
    {"scenario", PF_CELL_TEXT, 0, ""},
    {"kernel_type", PF_CELL_TEXT, 0, ""},
    {"operators", PF_CELL_TEXT, 0, ""},
    {"status", PF_CELL_TEXT, 0, ""},
    {"model_us", PF_CELL_REAL, 1, "us"},
    {"model_calls", PF_CELL_INT, 0, ""},
    {"measured_us", PF_CELL_REAL, 1, "us"},
    {"measured_calls", PF_CELL_INT, 0, ""},
    {"error_percent", PF_CELL_REAL, 1, "%"},
    {"calls_error_percent", PF_CELL_REAL, 1, "%"},
    {"difference_us", PF_CELL_REAL, 1, "us"},
    {"share_of_error_percent", PF_CELL_REAL, 1, "%"},
    {"share_of_time_percent", PF_CELL_REAL, 1, "%"},
};

static double difference(const opcmp_row *r)
{
    return r->model_us - r->measured_us;
}

static double sum_of_sizes(const opcmp_rows *rows)
{
    double sum = 0;
    for (size_t i = 0; i < rows->count; i++) {
        sum += fabs(difference(&rows->row[i]));
    }
    return sum;
}

static double percent(double part, double whole)
{
    return whole > 0 ? part / whole * 100 : 0;
}

static pf_str status_word(opcmp_status s)
{
    return s == OPCMP_NOT_MODELLED ? PF_STR("not modelled") : pf_opcmp_status_text(s);
}

pf_table_builder *pf_opcmp_table_new(pf_findings *f)
{
    return pf_table_new(f, PF_STR("Operators of the model against kernels of the device"), columns,
                        sizeof columns / sizeof *columns);
}

void pf_opcmp_table_add(pf_findings *f, pf_table_builder *table, const opcmp *c, pf_str scenario,
                        const opcmp_rows *rows)
{
    double sizes = sum_of_sizes(rows);
    for (size_t i = 0; i < rows->count; i++) {
        const opcmp_row *r = &rows->row[i];
        const pf_cell cells[] = {
            {.as.s = scenario},
            {.as.s = pf_strings_get(&c->texts, r->kernel)},
            {.as.s = pf_opcmp_functions(f, c, r->kernel)},
            {.as.s = status_word(r->status)},
            {.as.d = r->model_us},
            {.as.i = (int64_t)r->model_count},
            {.as.d = r->measured_us, .null = !r->per_pass},
            {.as.i = r->measured_count, .null = !r->per_pass},
            {.as.d = r->error_percent, .null = !r->has_error},
            {.as.d = r->count_error_percent, .null = !r->has_count_error},
            {.as.d = difference(r)},
            {.as.d = percent(fabs(difference(r)), sizes)},
            {.as.d = percent(r->measured_us, rows->measured_total)},
        };
        pf_table_row(f, table, cells);
    }
}

/* ---- contributors ------------------------------------------------------------------------------------------------ */

/* Rows that are equally wrong stay in their order. */
static int by_size(const void *x, const void *y)
{
    const opcmp_row *a = *(const opcmp_row *const *)x, *b = *(const opcmp_row *const *)y;
    double da = fabs(difference(a)), db = fabs(difference(b));
    return da != db ? (da < db ? 1 : -1) : (a > b) - (a < b);
}

/* One decimal, right-aligned, with a sign where it is wanted. */
static void put_real(pf_buffer *b, double v, bool sign, size_t width)
{
    char text[PF_FIXED_MAX];
    size_t len = pf_format_real_fixed(v, 1, text), used = len + (sign && v >= 0);
    pf_buffer_format(b, "%*s%s%.*s", (int)(width > used ? width - used : 0), "", sign && v >= 0 ? "+" : "", (int)len,
                     text);
}

void pf_opcmp_put_contributors(pf_buffer *b, opcmp *c, const opcmp_rows *rows, size_t most)
{
    pf_error err;
    double sizes = sum_of_sizes(rows), total = rows->model_total - rows->measured_total;
    const opcmp_row **sorted = pf_pass_array(&c->arena, rows->count, sizeof *sorted, &err);
    if (!sorted) {
        b->failed = true;
        return;
    }
    for (size_t i = 0; i < rows->count; i++) {
        sorted[i] = &rows->row[i];
    }
    qsort(sorted, rows->count, sizeof *sorted, by_size);
    pf_buffer_text(b, "\nThe total is ");
    put_real(b, total, true, 0);
    pf_buffer_text(b, " us off");
    if (rows->measured_total > 0) {
        pf_buffer_text(b, " (");
        put_real(b, percent(total, rows->measured_total), true, 0);
        pf_buffer_text(b, " %)");
    }
    pf_buffer_text(b, ". Most of it:\n");
    for (size_t i = 0; i < rows->count && i < most && fabs(difference(sorted[i])) > 0; i++) {
        pf_str name = pf_strings_get(&c->texts, sorted[i]->kernel);
        put_real(b, difference(sorted[i]), true, 12);
        pf_buffer_text(b, " us  ");
        put_real(b, percent(fabs(difference(sorted[i])), sizes), false, 5);
        pf_buffer_format(b, " %%  %.*s\n", PF_TEXT_ARG(name));
    }
}
