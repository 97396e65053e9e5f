/* What people look at first of `compare`: the sentence, the tables and the figures, of a result that is made by hand.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "analyze/compare/compare.h"
#include "base/str.h"
#include "postfetto/figure.h"

enum { NAMES = 20, ITERATIONS = 5 };

/* Self times of both sides; the rest are a ns longer, and one of them 3 ns shorter. */
static const struct {
    const char *name;
    double base, now;
    compare_verdict verdict;
} made[] = {{"equal", 100, 100, COMPARE_SAME},  {"gemm", 4e6, 5.2e6, COMPARE_SLOWER},
            {"norm", 9e5, 3e5, COMPARE_FASTER}, {"arrived", 0, 2e6, COMPARE_NEW},
            {"left", 7e5, 0, COMPARE_VANISHED}, {"maybe", 1e6, 1.1e6, COMPARE_UNSURE},
            {"short", 103, 100, COMPARE_UNSURE}};
enum { MADE = sizeof made / sizeof *made };

typedef struct result {
    compare c;
    compare_result r;
    compare_row rows[NAMES];
    compare_calls calls[2];
    int64_t start[2][ITERATIONS + 1];
    compare_side side[2];
    pf_findings *f;
} result;

static compare_measure measure(double base, double now, double low, double high, compare_verdict verdict)
{
    return (compare_measure){true, base, now, now / base, {low, high, 5, true, true}, verdict};
}

static void make(result *o, compare_verdict verdict, uint64_t gate)
{
    const compare_options options = {.tolerance = 0.01, .seed = 1};
    pf_error err;
    memset(o, 0, sizeof *o);
    o->f = pf_findings_new(NULL);
    cr_assert_eq(pf_compare_begin(&o->c, &options, NULL, &err), PF_OK);
    o->r = (compare_result){
        .rows = o->rows, .count = NAMES, .base_files = 1, .now_files = 1, .verdict = verdict, .gate = gate};
    for (uint32_t i = 0; i < NAMES; i++) {
        char name[] = "other a";
        name[sizeof name - 2] = (char)('a' + i);
        const char *text = i < MADE ? made[i].name : name;
        compare_row *row = &o->rows[i];
        row->name = pf_strings_add(&o->c.names, text, strlen(text), &err);
        row->self = i < MADE ? measure(made[i].base, made[i].now, 0.9, 1.4, made[i].verdict)
                             : measure(50, 51, 0.9, 1.1, COMPARE_UNSURE);
        row->self.known = row->self.base > 0 && row->self.now > 0;
        row->self.interval.known = row->self.known;
        row->base.calls = row->self.base > 0 ? 2 : 0;
        row->now.calls = row->self.now > 0 ? 2 : 0;
        o->r.whole.base += row->self.base;
        o->r.whole.now += row->self.now;
    }
    o->r.whole = measure(o->r.whole.base, o->r.whole.now, 1.1, 1.9, COMPARE_SLOWER);
    for (unsigned s = 0; s < 2; s++) {
        for (uint32_t k = 0; k <= ITERATIONS; k++) {
            o->start[s][k] = (int64_t)k * (s ? 1200 : 1000) + 77;
        }
        o->calls[s] = (compare_calls){.iterations = ITERATIONS, .start = o->start[s]};
        o->side[s] = (compare_side){&o->calls[s], 1};
    }
    o->r.iterations = ITERATIONS;
    cr_assert_eq(pf_compare_sort_self(&o->c, &o->r, &err), PF_OK);
}

static void end(result *o)
{
    pf_findings_free(o->f);
    pf_compare_end(&o->c);
}

static void expect_headline(result *o, const char *text)
{
    pf_compare_headline(o->f, &o->c, &o->r, PF_UNIT_NS);
    cr_expect_str_eq(pf_findings_headline(o->f), text);
    end(o);
}

Test(compare_tables, headline)
{
    static result o;
    make(&o, COMPARE_SLOWER, COMPARE_GATE_ALL);
    o.r.whole = measure(100, 150, 1.1, 1.9, COMPARE_SLOWER);
    expect_headline(&o,
                    "Slower: self time of all names +50.0 % (+10.0 to +90.0 % with 99 % confidence); largest cause: "
                    "arrived, +2.0 ms of its own, new");
    make(&o, COMPARE_FASTER, COMPARE_GATE_DEVICE | COMPARE_GATE_STEP);
    o.r.measure[COMPARE_OF_DEVICE] = measure(100, 90, 0.85, 0.95, COMPARE_FASTER);
    o.r.measure[COMPARE_OF_STEP] = measure(100, 80, 0.75, 0.85, COMPARE_FASTER);
    expect_headline(
        &o, "Faster: device busy time per step -10.0 % (-15.0 to -5.0 % with 99 % confidence), period of a step "
            "-20.0 %"); /* no name is of a device */
    make(&o, COMPARE_FASTER, COMPARE_GATE_HOST);
    o.r.measure[COMPARE_OF_HOST] = measure(100, 90, 0.85, 0.95, COMPARE_FASTER);
    expect_headline(
        &o, "Faster: self time on the host -10.0 % (-15.0 to -5.0 % with 99 % confidence); largest cause: left, "
            "-700.0 us of its own, vanished");
    make(&o, COMPARE_UNSURE, COMPARE_GATE_NAMES);
    o.r.whole.interval.known = false;
    o.r.whole.ratio = 1;
    o.rows[1].now.calls = 40;
    o.rows[3].self.now = 0.1;
    o.r.by_self[0] = &o.rows[1];
    expect_headline(
        &o, "Unsure: self time of all names +0.0 %; largest change: gemm, +1.2 ms of its own in 40 calls, 2 in the "
            "base");
    make(&o, COMPARE_SLOWER, COMPARE_GATE_DEVICE | COMPARE_GATE_STEP);
    o.r.measure[COMPARE_OF_DEVICE] = measure(100, 100, 0.99, 1.01, COMPARE_SAME);
    o.r.measure[COMPARE_OF_STEP] = measure(100, 120, 1.1, 1.3, COMPARE_SLOWER);
    o.r.changed = 0;
    expect_headline(
        &o, "Slower: period of a step +20.0 % (+10.0 to +30.0 % with 99 % confidence), device busy time per step "
            "+0.0 %");
}

Test(compare_tables, a_long_name_loses_its_middle)
{
    static result o;
    char name[200];
    pf_error err;
    memset(name, 'n', sizeof name);
    memcpy(name + 43, "\xc3\xa9", 2); /* where it is cut */
    memcpy(name + 180 - 1, "\xc3\xa9", 2);
    make(&o, COMPARE_SLOWER, COMPARE_GATE_ALL);
    o.rows[3].name = pf_strings_add(&o.c.names, name, sizeof name, &err);
    pf_compare_headline(o.f, &o.c, &o.r, PF_UNIT_CYCLE);
    const char *found = strstr(pf_findings_headline(o.f), "cause: ");
    cr_assert_not_null(found);
    cr_expect_eq(strncmp(found + 7, name, 43), 0);
    cr_expect_eq(strncmp(found + 7 + 43, "...", 3), 0);
    cr_expect_eq(strncmp(found + 7 + 46, name + 181, 19), 0);
    cr_expect_str_eq(found + 7 + 46 + 19, ", +2000000 cycles of its own, new");
    end(&o);
}

static double number(const pf_table *t, size_t row, size_t column)
{
    const pf_cell *cell = &t->cells[row * t->column_count + column];
    return cell->null ? NAN : t->columns[column].type == PF_CELL_INT ? (double)cell->as.i : cell->as.d;
}

static bool text_is(const pf_table *t, size_t row, size_t column, const char *text)
{
    return pf_str_is(t->cells[row * t->column_count + column].as.s, text);
}

/* The names that changed, by how much; the figures go over the same numbers. */
Test(compare_tables, tables_and_figures)
{
    static const char *const names[] = {"arrived", "gemm", "left", "norm", "maybe", "short"};
    static const double changes[] = {2e6, 1.2e6, -7e5, -6e5, 1e5, -3};
    static result o;
    make(&o, COMPARE_SLOWER, COMPARE_GATE_ALL);
    pf_compare_tell(o.f, &o.c, &o.r, &o.side[0], &o.side[1], PF_UNIT_NS);
    const pf_table *t = pf_findings_table_named(o.f, "compare_self");
    cr_assert_eq(t->row_count, NAMES - 1, "what is equal is left out");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        cr_expect(text_is(t, i, 0, names[i]) && number(t, i, 3) == changes[i], "row %zu", i);
    }
    t = pf_findings_table_named(o.f, "compare_verdicts");
    cr_assert_eq(t->row_count, 1);
    cr_expect(text_is(t, 0, 0, "self time of all names") && text_is(t, 0, 1, "slower") && text_is(t, 0, 7, "yes"));
    t = pf_findings_table_named(o.f, "compare_iterations");
    cr_assert_eq(t->row_count, ITERATIONS);
    for (size_t k = 0; k < ITERATIONS; k++) {
        cr_expect(number(t, k, 0) == (double)k && number(t, k, 1) == 1 && number(t, k, 2) == 1000 &&
                  number(t, k, 3) == 1200 && number(t, k, 4) == 200 && number(t, k, 5) == 1.2);
    }

    cr_assert_eq(pf_findings_figure_count(o.f), 4);
    const pf_figure *figure = pf_findings_figure(o.f, 0);
    cr_expect_eq(figure->kind, PF_FIGURE_WATERFALL);
    t = pf_table_view(figure->table);
    cr_assert_eq(t->row_count, 12 + 1 + 1, "the largest, all others, all together");
    cr_expect(text_is(t, 0, 1, "new") && text_is(t, 1, 1, "slower") && text_is(t, 2, 1, "gone") &&
              text_is(t, 3, 1, "faster"));
    cr_expect(text_is(t, 12, 0, "7 others that took longer") && number(t, 12, 2) == 7);
    double sum = 0;
    for (size_t i = 0; i < 13; i++) {
        sum += number(t, i, 2);
    }
    cr_expect(text_is(t, 13, 1, "total") && number(t, 13, 2) == sum, "%g", number(t, 13, 2) - sum);
    figure = pf_findings_figure(o.f, 1);
    cr_expect_eq(figure->kind, PF_FIGURE_INTERVALS);
    cr_expect_eq(figure->value_scale, PF_SCALE_LINEAR);
    t = pf_table_view(figure->table);
    cr_assert_eq(t->row_count, 1 + NAMES - 1 - 2, "the whole, and names that both sides have");
    cr_expect(text_is(t, 1, 1, "gemm") && number(t, 1, 3) == 1.3 && number(t, 1, 4) == 0.9 && number(t, 1, 5) == 1.4);
    figure = pf_findings_figure(o.f, 2);
    cr_expect_eq(figure->kind, PF_FIGURE_LINE);
    t = pf_table_view(pf_findings_figure(o.f, 3)->table);
    cr_assert_eq(t->row_count, 2);
    cr_expect(text_is(t, 0, 0, "arrived") && number(t, 0, 2) == 2e6 && text_is(t, 1, 0, "left") &&
              number(t, 1, 2) == -7e5);
    end(&o);
}

/* Runs in cycles say so; of many iterations neighbours are one row; a far interval is on a logarithmic scale. */
Test(compare_tables, cycles_and_many_iterations)
{
    enum { MANY = 2500 };
    static int64_t start[MANY + 1];
    static result o;
    make(&o, COMPARE_SLOWER, COMPARE_GATE_ALL);
    for (int64_t k = 0; k <= MANY; k++) {
        start[k] = k * k;
    }
    o.calls[0].start = o.calls[1].start = start;
    o.r.iterations = MANY;
    o.rows[1].self.interval.high = 9;
    pf_compare_tell(o.f, &o.c, &o.r, &o.side[0], &o.side[1], PF_UNIT_CYCLE);
    const pf_table *t = pf_findings_table_named(o.f, "compare_iterations");
    cr_assert_eq(t->row_count, 1000);
    double count = 0, sum = 0;
    for (size_t i = 0; i < 1000; i++) {
        count += number(t, i, 1);
        sum += number(t, i, 1) * number(t, i, 2);
    }
    cr_expect_eq(count, MANY);
    cr_expect_float_eq(sum, (double)MANY * MANY, 1e-6);
    cr_expect_str_eq(t->columns[2].unit, "cycles");
    cr_expect_str_eq(t->columns[2].name, "base_ns");
    cr_expect(pf_str_is(pf_findings_figure(o.f, 2)->unit, "cycles"));
    cr_expect_eq(pf_findings_figure(o.f, 1)->value_scale, PF_SCALE_LOG);
    end(&o);
}

/* Of runs that are equal nothing is drawn but the ratios of the whole, if these are known. */
Test(compare_tables, nothing_changed)
{
    for (int known = 0; known < 2; known++) {
        static result o;
        make(&o, COMPARE_SAME, COMPARE_GATE_ALL);
        o.r.changed = 0;
        o.r.iterations = 1;
        o.r.whole.interval.known = known;
        pf_compare_tell(o.f, &o.c, &o.r, &o.side[0], &o.side[1], PF_UNIT_NS);
        cr_expect_eq(pf_findings_figure_count(o.f), (size_t)known);
        cr_expect_eq(pf_findings_shown_count(o.f), 1, "the verdicts alone");
        end(&o);
    }
}
