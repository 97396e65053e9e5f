/* Sets of intervals against a line of booleans, and by hand. */
#include <criterion/criterion.h>

#include "analyze/support/intervals.h"

#define LINE 64
#define MOST 12

typedef struct random_state {
    uint64_t x;
} random_state;

static uint64_t next_random(random_state *r)
{
    r->x ^= r->x << 13;
    r->x ^= r->x >> 7;
    r->x ^= r->x << 17;
    return r->x;
}

static size_t random_list(random_state *r, pf_interval *list)
{
    size_t n = next_random(r) % (MOST + 1);
    for (size_t i = 0; i < n; i++) {
        int64_t start = (int64_t)(next_random(r) % (LINE - 1));
        list[i] = (pf_interval){start, start + 1 + (int64_t)(next_random(r) % (uint64_t)(LINE - start))};
        list[i].end = list[i].end > LINE ? LINE : list[i].end;
    }
    return n;
}

static void paint(const pf_interval *list, size_t n, bool *line)
{
    for (size_t i = 0; i < LINE; i++) {
        line[i] = false;
    }
    for (size_t k = 0; k < n; k++) {
        for (int64_t i = list[k].start; i < list[k].end; i++) {
            line[i] = true;
        }
    }
}

static void expect_set(const pf_interval *set, size_t n, const bool *line, const char *what)
{
    bool found[LINE];
    paint(set, n, found);
    for (size_t i = 0; i < LINE; i++) {
        cr_assert_eq(found[i], line[i], "%s at %zu", what, i);
    }
    for (size_t i = 0; i < n; i++) {
        cr_assert_lt(set[i].start, set[i].end, "%s", what);
        cr_assert(i == 0 || set[i - 1].end <= set[i].start, "%s", what);
    }
}

Test(interval_sets, agree_with_a_painted_line)
{
    random_state r = {88172645463325252ull};
    for (int round = 0; round < 5000; round++) {
        pf_interval a[MOST], b[MOST], scratch[MOST];
        bool line_a[LINE], line_b[LINE];
        size_t na = random_list(&r, a), nb = random_list(&r, b);
        paint(a, na, line_a);
        paint(b, nb, line_b);
        uint64_t common = 0, total = 0;
        for (size_t i = 0; i < LINE; i++) {
            common += line_a[i] && line_b[i];
            total += line_a[i];
        }
        na = pf_interval_set_make(a, na, scratch);
        nb = pf_interval_set_make(b, nb, scratch);
        expect_set(a, na, line_a, "set");
        expect_set(b, nb, line_b, "set");
        cr_assert_eq(pf_interval_total(a, na), total);
        cr_assert_eq(pf_interval_common(a, na, b, nb), common);
    }
}

Test(interval_sets, reach_both_ends_of_the_line)
{
    pf_interval all = {INT64_MIN, INT64_MAX}, hole = {-1, 1};
    cr_assert_eq(pf_interval_total(&all, 1), UINT64_MAX);
    cr_assert_eq(pf_interval_common(&all, 1, &hole, 1), 2);
}
