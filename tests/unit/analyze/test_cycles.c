/* Cycles in rows of symbols against the rule tried out at every place, and by hand. */
#include <criterion/criterion.h>
#include <string.h>

#include "analyze/support/cycles.h"

#define MOST 60

/* As the rule is written: after each symbol, every rest in front from the smallest on. */
static bool find_by_trying(const uint32_t *w, size_t n, size_t least, pf_cycle *out)
{
    for (size_t end = least; end <= n; end++) {
        for (size_t p = 0; p < end / 3; p++) {
            size_t h = (end - p) / 2;
            if ((end - p) % 2 == 0 && memcmp(w + p, w + p + h, h * sizeof *w) == 0) {
                *out = (pf_cycle){p, h};
                return true;
            }
        }
    }
    return false;
}

static size_t symbols_of(const char *text, uint32_t *w)
{
    size_t n = strlen(text);
    for (size_t i = 0; i < n; i++) {
        w[i] = (uint32_t)text[i];
    }
    return n;
}

Test(cycles, are_those_of_the_rule)
{
    uint64_t x = 88172645463325252ull;
    int found = 0;
    for (int round = 0; round < 200000; round++) {
        uint32_t w[MOST];
        uint64_t hashes[MOST + 1];
        size_t n = (size_t)round % (MOST + 1), period = 1 + (size_t)round % 13;
        for (size_t i = 0; i < n; i++) {
            x ^= x << 13, x ^= x >> 7, x ^= x << 17;
            bool repeat = round % 2 && i >= period + (size_t)round % 7 && x % 64;
            w[i] = repeat ? w[i - period] : (uint32_t)(x >> 20) % (2 + (uint32_t)round % 4);
        }
        pf_cycle wanted = {0, 0}, got = {0, 0};
        bool there = find_by_trying(w, n, 10, &wanted);
        cr_assert_eq(pf_cycle_find(w, n, 10, hashes, &got), there, "round %d", round);
        cr_assert(got.first == wanted.first && got.length == wanted.length, "round %d: %zu+%zu, not %zu+%zu", round,
                  got.first, got.length, wanted.first, wanted.length);
        found += there;
    }
    cr_assert_gt(found, 10000);
}

Test(cycles, are_found_after_a_start_and_counted_with_gaps)
{
    uint32_t w[MOST], borders[MOST], starts[MOST];
    uint64_t hashes[MOST + 1];
    size_t n = symbols_of("xyabcdefabcdefabcdefzabcabcdefabcde", w);
    pf_cycle cycle;
    cr_assert(pf_cycle_find(w, n, 10, hashes, &cycle));
    cr_assert_eq(cycle.first, 2);
    cr_assert_eq(cycle.length, 6);
    const uint32_t wanted[] = {2, 8, 14, 24};
    cr_assert_eq(pf_cycle_occurrences(w, n, cycle, borders, starts), 4);
    cr_assert_arr_eq(starts, wanted, sizeof wanted);
}

Test(cycles, are_not_where_nothing_repeats)
{
    uint32_t w[MOST];
    uint64_t hashes[MOST + 1];
    pf_cycle cycle;
    cr_assert_not(pf_cycle_find(w, symbols_of("abcdefghijklmnop", w), 10, hashes, &cycle));
    cr_assert_not(pf_cycle_find(w, symbols_of("abab", w), 10, hashes, &cycle));
    cr_assert_not(pf_cycle_find(w, 0, 10, hashes, &cycle));
}

/* The longest row that ends late costs no more than its logarithm per symbol: a million symbols, one odd one out. */
Test(cycles, of_a_long_row)
{
    enum { LONG = 1000000 };
    uint32_t *w = calloc(LONG, sizeof *w);
    uint64_t *hashes = calloc(LONG + 1, sizeof *hashes);
    for (uint32_t i = 0; i < LONG; i++) {
        w[i] = i < LONG / 2 ? i % 1000 == 999 ? i : 1 : w[i - LONG / 2];
    }
    w[0] = 7;
    w[1] = 8;
    w[LONG / 2] = 7;
    w[LONG / 2 + 1] = 8;
    pf_cycle cycle;
    cr_assert(pf_cycle_find(w, LONG, 2000000, hashes, &cycle) == false);
    cr_assert(pf_cycle_find(w, LONG, 10, hashes, &cycle));
    cr_assert_lt(cycle.first + 2 * cycle.length, 30);
    free(w);
    free(hashes);
}

/* The first that ends, then what follows it: rows of two symbols, whose starts are ends of others all the time. */
Test(cycles, occurrences_are_those_of_trying)
{
    uint64_t x = 88172645463325252ull;
    size_t several = 0;
    for (int round = 0; round < 20000; round++) {
        uint32_t w[MOST], borders[MOST], starts[MOST], wanted[MOST];
        size_t n = 20 + (size_t)round % (MOST - 20), found = 0;
        const pf_cycle cycle = {.first = (size_t)round % 5, .length = 1 + (size_t)round % 9};
        for (size_t i = 0; i < n; i++) {
            x ^= x << 13, x ^= x >> 7, x ^= x << 17;
            w[i] = (uint32_t)(x >> 20) % 2;
        }
        for (size_t at = cycle.first; at + cycle.length <= n;) {
            bool same = memcmp(w + at, w + cycle.first, cycle.length * sizeof *w) == 0;
            if (same) {
                wanted[found++] = (uint32_t)at;
            }
            at += same ? cycle.length : 1;
        }
        cr_assert_eq(pf_cycle_occurrences(w, n, cycle, borders, starts), found, "round %d", round);
        cr_assert_arr_eq(starts, wanted, found * sizeof *wanted, "round %d", round);
        several += found > 2;
    }
    cr_assert_gt(several, 1000);
}
