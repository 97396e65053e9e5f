/* The parts of `compare`: folded names, verdicts, cells, numbers of a row, what is drawn, the order of rows. By hand;
 * cells also by going over the calls one by one. Intervals as such are tested by tests/compare/intervals.py. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "analyze/compare/compare.h"
#include "base/str.h"

Test(compare, names_without_what_differs_from_call_to_call)
{
    static const struct {
        const char *name, *usual, *folded;
    } cases[] = {{"ProfilerStep#12", "ProfilerStep#*", "ProfilerStep#*"},
                 {"step 12", "step *", "step *"},
                 {"step 12 ", "step 12 ", "step * "},
                 {"step  0", "step  *", "step  *"},
                 {"12", "12", "*"},
                 {"#12x3", "#*x3", "#*x*"},
                 {"a12b3", "a12b3", "a*b*"},
                 {"k 1 2", "k 1 *", "k * *"},
                 {"0x1F", "0x*", "0x*"},
                 {"0x0", "0x*", "0x*"},
                 {"at 0xABCDEFabcdef0123456789g", "at 0x*g", "at 0x*g"},
                 {"g0x1", "g0x*", "g0x*"},
                 {"a0x1", "a0x1", "a*x*"},
                 {"F0x1", "F0x1", "F*x*"},
                 {"10x1", "10x1", "*x*"},
                 {"0x", "0x", "*x"},
                 {"0xg", "0xg", "*xg"},
                 {"0X1", "0X1", "*X*"},
                 {"0x1 2", "0x* *", "0x* *"},
                 {"#0x1", "#0x*", "#0x*"},
                 {"09/:", "09/:", "*/:"},
                 {"0x@", "0x@", "*x@"},
                 {"0xG`", "0xG`", "*xG`"},
                 {"module.py(1743): _call_impl", "module.py(*): _call_impl", "module.py(*): _call_impl"},
                 {"a.py(1)", "a.py(*)", "a.py(*)"},
                 {"<string>(2): main", "<string>(*): main", "<string>(*): main"},
                 {"a.py(1) b", "a.py(1) b", "a.py(*) b"},
                 {"a.pyc(1): b", "a.pyc(1): b", "a.pyc(*): b"},
                 {"a.py(1x): b", "a.py(1x): b", "a.py(*x): b"},
                 {"a.py1): b", "a.py1): b", "a.py*): b"},
                 {"f(1): b", "f(1): b", "f(*): b"},
                 {"(1)", "(1)", "(*)"},
                 {"", "", ""}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *expected[] = {cases[i].usual, cases[i].name, cases[i].folded};
        for (int names = COMPARE_NAMES_USUAL; names <= COMPARE_NAMES_FOLDED; names++) {
            char out[64];
            size_t n = pf_compare_normalise((compare_names)names, pf_str_of(cases[i].name), out);
            cr_expect(pf_str_equal((pf_str){out, n}, pf_str_of(expected[names])), "%s in mode %d: %.*s", cases[i].name,
                      names, (int)n, out);
        }
    }
}

/* One per cent: from 1 / 1.01 to 1.01 nothing has changed. */
Test(compare, verdicts)
{
    const double most = 1 + 0.01, least = 1 / most, above = nextafter(most, 2), below = nextafter(least, 0);
    const struct {
        bool known;
        double ratio, low, high;
        const char *verdict;
    } cases[] = {{false, 1, 0, 0, "same"},       {false, most, 0, 0, "same"},       {false, above, 0, 0, "unsure"},
                 {false, least, 0, 0, "same"},   {false, below, 0, 0, "unsure"},    {true, 1, above, 2, "slower"},
                 {true, 1, most, 2, "unsure"},   {true, 1, 0.5, below, "faster"},   {true, 1, 0.5, least, "unsure"},
                 {true, 9, least, most, "same"}, {true, 1, least, above, "unsure"}, {true, 1, below, most, "unsure"},
                 {true, 1, 0.5, 2, "unsure"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const compare_interval interval = {.low = cases[i].low, .high = cases[i].high, .known = cases[i].known};
        cr_expect_str_eq(pf_compare_verdict_text(pf_compare_judge(cases[i].ratio, &interval, 0.01)), cases[i].verdict,
                         "case %zu", i);
    }
    cr_expect_str_eq(pf_compare_verdict_text(COMPARE_NEW), "new");
    cr_expect_str_eq(pf_compare_verdict_text(COMPARE_VANISHED), "vanished");
}

/* ---- cells ------------------------------------------------------------------------------------------------------- */

enum { ROWS = 2, CALLS_MAX = 200, FILES_MAX = 100 };

/* A file whose rows have as many calls as `calls` says. Call k of row r in file f takes 1000 f + 100 r + k + 1, and
 * half of it itself; its iteration is k - 1, of the first call none. */
typedef struct file {
    uint32_t first[ROWS + 2], iteration[CALLS_MAX];
    uint64_t length[CALLS_MAX], own[CALLS_MAX];
} file;

static file files[FILES_MAX];
static compare_calls calls[FILES_MAX];

static uint64_t length_of(size_t f, uint32_t row, uint32_t k)
{
    return 2 * (1000 * f + 100 * row + k + 1);
}

static compare_side make_side(size_t count, const uint32_t (*of)[ROWS])
{
    for (size_t f = 0; f < count; f++) {
        uint32_t n = 0;
        for (uint32_t row = 0; row < ROWS; row++) {
            files[f].first[row] = n;
            for (uint32_t k = 0; k < of[f][row]; k++, n++) {
                files[f].length[n] = length_of(f, row, k);
                files[f].own[n] = files[f].length[n] / 2;
                files[f].iteration[n] = k ? k - 1 : PF_NONE;
            }
        }
        files[f].first[ROWS] = files[f].first[ROWS + 1] = n;
        calls[f] = (compare_calls){.count = n,
                                   .rows = ROWS,
                                   .first = files[f].first,
                                   .length = files[f].length,
                                   .own = files[f].own,
                                   .iteration = files[f].iteration};
    }
    return (compare_side){calls, count};
}

/* Each call in turn: that of number `unit` of `units` is in cell unit * cells / units. */
static void expect_cells(const compare_side *side, const uint32_t (*of)[ROWS], uint32_t row, compare_samples samples,
                         uint32_t iterations, uint32_t count)
{
    compare_cells found;
    double total[COMPARE_CELLS] = {0};
    uint64_t n = 0, number = 0;
    bool any = false;
    for (size_t f = 0; f < side->count; f++) {
        n += of[f][row];
    }
    for (size_t f = 0; f < side->count; f++) {
        for (uint32_t k = 0; k < of[f][row]; k++, number++) {
            uint64_t unit = samples == COMPARE_FILES ? f : samples == COMPARE_ITERATIONS ? k - 1 : number;
            uint64_t units = samples == COMPARE_FILES ? side->count : samples == COMPARE_ITERATIONS ? iterations : n;
            bool in = samples != COMPARE_ITERATIONS || (k > 0 && k - 1 < iterations);
            total[in ? unit * count / units : 0] += in ? (double)length_of(f, row, k) : 0;
            any |= in && samples == COMPARE_ITERATIONS;
        }
    }
    cr_assert_eq(pf_compare_row_calls(side, row), n);
    cr_expect_eq(pf_compare_row_cells(side, row, samples, iterations, &found), any);
    cr_assert_eq(found.count, count, "%u cells", found.count);
    for (uint32_t i = 0; i < count; i++) {
        cr_expect_float_eq(found.total[i], total[i] / (double)side->count, 1e-9, "cell %u: %g", i, found.total[i]);
        cr_expect_float_eq(found.own[i], total[i] / 2 / (double)side->count, 1e-9, "cell %u: %g", i, found.own[i]);
    }
}

Test(compare, cells_of_one_file)
{
    static const uint32_t of[][ROWS] = {{3, 100}};
    const compare_side side = make_side(1, of);
    expect_cells(&side, of, 0, COMPARE_CALLS, 0, 3);
    expect_cells(&side, of, 1, COMPARE_CALLS, 0, 64);
    expect_cells(&side, of, 1, COMPARE_ITERATIONS, 99, 64);
    expect_cells(&side, of, 1, COMPARE_ITERATIONS, 64, 64);
    expect_cells(&side, of, 1, COMPARE_ITERATIONS, 10, 10);
    expect_cells(&side, of, 0, COMPARE_ITERATIONS, 200, 64);
    compare_cells none;
    cr_expect_not(pf_compare_row_cells(&side, 1, COMPARE_ITERATIONS, 0, &none));
    cr_expect_eq(none.count, 0);
    cr_expect_not(pf_compare_row_cells(&side, ROWS, COMPARE_CALLS, 0, &none)); /* a name of a later file */
    cr_expect_eq(none.count, 0);
}

Test(compare, cells_of_several_files)
{
    static const uint32_t of[][ROWS] = {{5, 50}, {0, 30}, {2, 1}};
    const compare_side side = make_side(3, of);
    for (uint32_t row = 0; row < ROWS; row++) {
        expect_cells(&side, of, row, COMPARE_FILES, 0, 3);
        expect_cells(&side, of, row, COMPARE_CALLS, 0, row ? 64 : 7);
    }
    static uint32_t many[FILES_MAX][ROWS];
    for (size_t f = 0; f < FILES_MAX; f++) {
        many[f][1] = 1 + f % 3;
    }
    const compare_side all = make_side(FILES_MAX, (const uint32_t(*)[ROWS])many);
    expect_cells(&all, (const uint32_t(*)[ROWS])many, 1, COMPARE_FILES, 0, 64);
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

/* A row of the lengths 1 to n in an order that is none, in `count` files; each call has 3 for itself. */
static void expect_numbers(uint32_t n, size_t count, double median, uint64_t p95)
{
    uint64_t length[CALLS_MAX], own[CALLS_MAX];
    uint32_t first[FILES_MAX][3];
    for (uint32_t i = 0; i < n; i++) {
        length[i] = (i * 37 % n) + 1;
        own[i] = 3;
    }
    for (size_t f = 0; f < count; f++) {
        first[f][0] = (uint32_t)(n * f / count);
        first[f][1] = first[f][2] = (uint32_t)(n * (f + 1) / count);
        calls[f] = (compare_calls){.rows = 1, .first = first[f], .length = length, .own = own};
    }
    const compare_side side = {calls, count};
    compare_numbers found;
    pf_budget budget;
    pf_error err;
    pf_budget_init(&budget, NULL);
    uint64_t total = (uint64_t)n * (n + 1) / 2;
    cr_assert_eq(pf_compare_row_numbers(&side, 0, 4 * (double)total, &budget, &found, &err), PF_OK);
    cr_expect_eq(found.calls, n);
    cr_expect_eq(found.total, total, "%u: %llu", n, (unsigned long long)found.total);
    cr_expect_eq(found.own, 3 * (uint64_t)n);
    cr_expect_eq(found.mean, (double)total / n);
    cr_expect_eq(found.median, median, "%u in %zu: %g", n, count, found.median);
    cr_expect_eq(found.p95, p95, "%u in %zu: %llu", n, count, (unsigned long long)found.p95);
    cr_expect_eq(found.share, 25);
    cr_assert_eq(pf_compare_row_numbers(&side, 0, 0, &budget, &found, &err), PF_OK);
    cr_expect_eq(found.share, 0);
    pf_budget_end(&budget);
}

/* p95: the smallest length that 95 of 100 calls do not exceed. */
Test(compare, numbers_of_a_row)
{
    static const struct {
        uint32_t n;
        double median;
        uint64_t p95;
    } cases[] = {{1, 1, 1},      {2, 1.5, 2},  {3, 2, 3},      {10, 5.5, 10},   {19, 10, 19},
                 {20, 10.5, 19}, {21, 11, 20}, {40, 20.5, 38}, {100, 50.5, 95}, {101, 51, 96}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        expect_numbers(cases[i].n, 1, cases[i].median, cases[i].p95);
        expect_numbers(cases[i].n, 2, cases[i].median, cases[i].p95);
        expect_numbers(cases[i].n, 7, cases[i].median, cases[i].p95);
    }
    const compare_side none = {calls, 0};
    compare_numbers found;
    pf_error err;
    cr_assert_eq(pf_compare_row_numbers(&none, 0, 1, NULL, &found, &err), PF_OK);
    cr_expect_eq(found.calls, 0);
    cr_expect_eq(found.mean, 0);
}

/* ---- what is drawn ----------------------------------------------------------------------------------------------- */

static compare_cells cells_of(uint32_t n, double total, double own)
{
    compare_cells c = {.count = n};
    for (uint32_t i = 0; i < n; i++) {
        c.total[i] = total;
        c.own[i] = own;
    }
    return c;
}

/* Cells that are all alike leave no doubt; what is drawn adds to what was drawn for rows before. */
Test(compare, cells_that_are_alike)
{
    static compare_whole whole;
    for (int paired = 0; paired < 2; paired++) {
        const compare_cells base = cells_of(3, 10, 4), now = cells_of(paired ? 3 : 5, 30, 6);
        whole.base[0] = whole.now[COMPARE_DRAWS - 1] = 1000;
        whole.base[COMPARE_DRAWS - 1] = whole.now[0] = 0;
        compare_interval i = pf_compare_bootstrap(&base, &now, paired, 1, &whole);
        double ratio = paired ? 3 : 5;
        cr_expect(i.known);
        cr_expect_eq(i.samples, 3);
        cr_expect_eq(i.paired, paired);
        cr_expect_float_eq(i.low, ratio, 1e-12);
        cr_expect_float_eq(i.high, ratio, 1e-12);
        cr_expect_eq(whole.base[0], 1012);
        cr_expect_eq(whole.base[COMPARE_DRAWS - 1], 12);
        cr_expect_eq(whole.now[0], paired ? 18 : 30);
        cr_expect_eq(whole.now[COMPARE_DRAWS - 1], 1000 + (paired ? 18 : 30));
    }
}

/* Below three cells, or without any time on a side, nothing is known: the change may as well be none, or thrice. */
Test(compare, too_few_cells)
{
    static const struct {
        uint32_t base, now;
        double was, is;
    } cases[] = {{2, 3, 10, 12}, {3, 2, 10, 12},  {0, 3, 10, 12}, {3, 3, 0, 12},
                 {3, 3, 10, 0},  {2, 2, 10, 100}, {2, 2, 100, 10}};
    static compare_whole whole;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const compare_cells base = cells_of(cases[c].base, cases[c].was, cases[c].was),
                            now = cells_of(cases[c].now, cases[c].is, cases[c].is);
        memset(&whole, 0, sizeof whole);
        compare_interval i = pf_compare_bootstrap(&base, &now, true, 7, &whole);
        cr_expect_not(i.known, "case %zu", c);
        cr_expect_eq(i.samples, cases[c].base < cases[c].now ? cases[c].base : cases[c].now);
        cr_expect(i.paired);
        double was = cases[c].base * cases[c].was, is = cases[c].now * cases[c].is, change = is - was, least = is,
               most = is;
        for (unsigned d = 0; d < COMPARE_DRAWS; d++) {
            cr_assert_eq(whole.base[d], was);
            least = whole.now[d] < least ? whole.now[d] : least;
            most = whole.now[d] > most ? whole.now[d] : most;
        }
        bool both = was > 0 && is > 0;
        double from = both ? fmax(0, was + change * (change > 0 ? -1 : 3)) : is,
               to = both ? was + change * (change > 0 ? 3 : -1) : is, slack = both ? fabs(change) * 0.02 : 0;
        cr_expect(least >= from && least <= from + slack, "case %zu: from %g, not %g", c, least, from);
        cr_expect(most <= to && most >= to - slack, "case %zu: to %g, not %g", c, most, to);
    }
}

Test(compare, the_whole)
{
    static compare_whole whole;
    for (unsigned d = 0; d < COMPARE_DRAWS; d++) {
        whole.base[d] = 10;
        whole.now[d] = d < 5 ? 5 : d < 10 ? 40 : 20; /* the fifth smallest of 1000, and the fifth largest */
    }
    compare_interval i = pf_compare_bootstrap_whole(&whole, 2, 0, false);
    cr_expect(i.known);
    cr_expect_float_eq(i.low, 0.5, 1e-12);
    cr_expect_float_eq(i.high, 4, 1e-12);
    whole.now[0] = whole.now[5] = 20;
    i = pf_compare_bootstrap_whole(&whole, 2, 0, false);
    cr_expect_float_eq(i.low, 2, 1e-12);
    cr_expect_float_eq(i.high, 2, 1e-12);
    cr_expect_not(pf_compare_bootstrap_whole(&whole, 0, 0, false).known);
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

typedef struct row_lengths {
    const char *name;
    uint64_t base, now; /* of a single call, 0: there is none */
} row_lengths;

enum { NAMES = 8 };

/* A run; ids of names begin with 1. */
typedef struct made_run {
    uint32_t first[NAMES + 3], iteration[3 * NAMES];
    uint64_t length[3 * NAMES], own[3 * NAMES];
    compare_calls calls;
} made_run;

/* A call of each name that has a length, `times` over, each of which takes 1 for itself. */
static void make_run(made_run *out, const row_lengths *rows, bool now, uint32_t times)
{
    uint32_t n = 0;
    out->first[0] = 0;
    for (uint32_t i = 0; i < NAMES; i++) {
        uint64_t v = now ? rows[i].now : rows[i].base;
        out->first[i + 1] = n;
        for (uint32_t k = 0; v && k < times; k++, n++) {
            out->length[n] = v;
            out->own[n] = 1;
            out->iteration[n] = k;
        }
    }
    out->first[NAMES + 1] = out->first[NAMES + 2] = n;
    out->calls = (compare_calls){.count = n,
                                 .rows = NAMES + 1,
                                 .first = out->first,
                                 .length = out->length,
                                 .own = out->own,
                                 .iteration = out->iteration,
                                 .busy = 1000};
}

static void begin(compare *c, const row_lengths *rows, unsigned jobs)
{
    pf_error err;
    const compare_options options = {.tolerance = 0.01, .seed = 1, .jobs = jobs};
    cr_assert_eq(pf_compare_begin(c, &options, NULL, &err), PF_OK);
    for (uint32_t i = 0; i < NAMES; i++) {
        cr_assert_eq(pf_strings_add(&c->names, rows[i].name, strlen(rows[i].name), &err), i + 1);
    }
}

static const row_lengths changed[NAMES] = {{"same", 50, 50},      {"up", 100, 130}, {"down", 130, 100},
                                           {"larger", 500, 530},  {"gone", 200, 0}, {"new", 0, 300},
                                           {"also up", 100, 130}, {"none", 0, 0}};

/* Rows by the size of the difference, then by the base's total, then as they appear. Single calls say nothing for
 * certain. */
Test(compare, order_of_rows)
{
    static const struct {
        const char *name, *verdict;
        double delta, ratio;
    } expected[] = {{"new", "new", 300, 0},
                    {"gone", "vanished", -200, 0},
                    {"larger", "unsure", 30, 530. / 500},
                    {"down", "unsure", -30, 100. / 130},
                    {"up", "unsure", 30, 1.3},
                    {"also up", "unsure", 30, 1.3},
                    {"same", "same", 0, 1}};
    static made_run base, now;
    for (unsigned jobs = 0; jobs < 20; jobs += 19) {
        compare c;
        compare_result r;
        pf_error err;
        begin(&c, changed, jobs);
        make_run(&base, changed, false, 1);
        make_run(&now, changed, true, 1);
        const compare_side sides[] = {{&base.calls, 1}, {&now.calls, 1}};
        cr_assert_eq(pf_compare_sides(&c, &sides[0], &sides[1], &r, &err), PF_OK);
        cr_assert_eq(r.count, sizeof expected / sizeof *expected);
        for (uint32_t i = 0; i < r.count; i++) {
            const compare_row *row = &r.rows[i];
            cr_expect(pf_str_equal(pf_strings_get(&c.names, row->name), pf_str_of(expected[i].name)), "row %u", i);
            cr_expect_str_eq(pf_compare_verdict_text(row->verdict), expected[i].verdict, "row %u", i);
            cr_expect_eq(row->delta, expected[i].delta, "row %u: %g", i, row->delta);
            cr_expect_float_eq(row->ratio, expected[i].ratio, 1e-12, "row %u: %g", i, row->ratio);
            cr_expect_eq(row->interval.paired, row->base.calls && row->now.calls, "row %u", i);
        }
        cr_expect_eq(r.base_own, 6);
        cr_expect_eq(r.now_own, 6);
        cr_expect_eq(r.whole.now, r.whole.base);
        cr_expect_eq(r.whole.ratio, 1);
        cr_expect_eq(r.rows[6].base.share, 5); /* 50 of 1000 */
        pf_compare_end(&c);
        pf_compare_end(&c); /* once more is nothing */
    }
}

/* What is drawn at random, by how many files and iterations there are; calls are paired where both runs have as many.
 */
Test(compare, samples)
{
    static const struct {
        size_t base, now;
        uint32_t iterations[2], calls[2];
        compare_samples samples;
        uint32_t count;
        bool paired;
    } cases[] = {
        {1, 1, {0, 0}, {3, 3}, COMPARE_CALLS, 3, true},      {1, 1, {0, 0}, {2, 3}, COMPARE_CALLS, 2, false},
        {1, 1, {3, 3}, {3, 3}, COMPARE_ITERATIONS, 3, true}, {1, 1, {2, 3}, {3, 3}, COMPARE_CALLS, 3, true},
        {1, 1, {3, 2}, {3, 3}, COMPARE_CALLS, 3, true},      {1, 1, {9, 4}, {3, 3}, COMPARE_ITERATIONS, 4, true},
        {1, 2, {3, 3}, {3, 3}, COMPARE_CALLS, 3, false},     {2, 2, {3, 3}, {3, 3}, COMPARE_CALLS, 6, false},
        {2, 1, {3, 3}, {2, 3}, COMPARE_CALLS, 3, false},     {3, 2, {3, 3}, {3, 3}, COMPARE_CALLS, 6, false},
        {2, 3, {3, 3}, {3, 3}, COMPARE_CALLS, 6, false},     {3, 3, {3, 3}, {1, 1}, COMPARE_FILES, 3, false}};
    static made_run runs[2];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        compare c;
        compare_result r;
        pf_error err;
        compare_calls both[2][3];
        begin(&c, changed, 1);
        for (int now = 0; now < 2; now++) {
            make_run(&runs[now], changed, now, cases[i].calls[now]);
            runs[now].calls.iterations = cases[i].iterations[now];
            for (size_t f = 0; f < 3; f++) {
                both[now][f] = runs[now].calls;
            }
        }
        const compare_side sides[] = {{both[0], cases[i].base}, {both[1], cases[i].now}};
        cr_assert_eq(pf_compare_sides(&c, &sides[0], &sides[1], &r, &err), PF_OK);
        cr_expect_eq(r.samples, cases[i].samples, "case %zu", i);
        const compare_interval *interval = &r.rows[r.count - 1].interval;
        cr_expect_eq(interval->samples, cases[i].count, "case %zu: %u", i, interval->samples);
        cr_expect_eq(interval->paired, cases[i].paired, "case %zu", i);
        cr_expect_eq(r.base_files, cases[i].base);
        cr_expect_eq(r.now_files, cases[i].now);
        pf_compare_end(&c);
    }
}
