/* The sort of rows against qsort with the row number as the last word, which makes any sort a stable one. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "model/trace/trace.h"

enum { MOST = 3000 };

static int64_t keys[MOST];
static uint64_t state;

static uint32_t chance(uint32_t below)
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(state >> 33) % below;
}

static bool after(const void *ctx, uint32_t a, uint32_t b)
{
    const int64_t *k = ctx;
    return k[a] > k[b];
}

static int by_key_and_row(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    if (keys[x] != keys[y]) {
        return keys[x] < keys[y] ? -1 : 1;
    }
    return x < y ? -1 : x > y;
}

static void expect_sorted(const char *what, uint32_t count)
{
    static uint32_t rows[MOST], scratch[MOST], expected[MOST];
    for (uint32_t i = 0; i < count; i++) {
        rows[i] = expected[i] = i;
    }
    qsort(expected, count, sizeof *expected, by_key_and_row);
    pf_sort_rows(rows, scratch, count, after, keys);
    for (uint32_t i = 0; i < count; i++) {
        cr_assert_eq(rows[i], expected[i], "%s, %u rows: place %u", what, count, i);
    }
}

/* All small numbers of rows, then larger ones further and further apart. */
static uint32_t next_count(uint32_t n)
{
    return n < 130 ? n + 1 : n + n / 10;
}

Test(sort, rows_in_order_and_in_reverse)
{
    for (uint32_t n = 0; n < MOST; n = next_count(n)) {
        for (uint32_t i = 0; i < n; i++) {
            keys[i] = i / 3;
        }
        expect_sorted("ascending", n);
        for (uint32_t i = 0; i < n; i++) {
            keys[i] = -(int64_t)(i / 3);
        }
        expect_sorted("descending", n);
        for (uint32_t i = 0; i < n; i++) {
            keys[i] = 7;
        }
        expect_sorted("equal", n);
    }
}

Test(sort, rows_a_little_late)
{
    for (uint32_t n = 0; n < MOST; n = next_count(n)) {
        for (uint32_t i = 0; i < n; i++) {
            keys[i] = chance(16) ? i : (int64_t)i - chance(70);
        }
        expect_sorted("late", n);
    }
}

Test(sort, runs_side_by_side)
{
    for (uint32_t n = 0; n < MOST; n = next_count(n)) {
        for (uint32_t width = 1; width < 2000; width = width * 3 + 1) {
            for (uint32_t i = 0; i < n; i++) {
                keys[i] = i % width * 4 + chance(5);
            }
            expect_sorted("runs", n);
        }
    }
}

Test(sort, rows_anywhere)
{
    for (uint32_t n = 0; n < MOST; n = next_count(n)) {
        uint32_t range = 1 + chance(2 * n + 1);
        for (uint32_t i = 0; i < n; i++) {
            keys[i] = chance(range);
        }
        expect_sorted("random", n);
        keys[0] = 1u << 30;
        keys[n ? n - 1 : 0] = -1;
        expect_sorted("random, ends swapped", n);
    }
}
