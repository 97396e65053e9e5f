/* Random columns filled in blocks against each row by itself, read from what the column was made of; their dictionaries
 * against the first rows that have a text; and the size that is planned for Arrow against the bytes that come. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "write/columns/arrow/arrow_ipc.h"

enum { VALUES = 3000, TEXTS = 40, ROUNDS = 150 };

static uint64_t state;
static int64_t ints[VALUES];
static double reals[VALUES];
static uint32_t numbers[VALUES], ids[VALUES], rows_of[VALUES], through[VALUES], renumber[TEXTS + 1];
static uint8_t present[VALUES / 8 + 1];

static uint32_t below(uint32_t n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 33) % n;
}

static void make_values(void)
{
    static const int64_t edges[] = {INT64_MIN, INT64_MAX, INT64_MIN + 1, 0, -1};
    static const uint64_t real_edges[] = {0x7ff8000000000000, 0xfff8000000000001, 0x7ff0000000000000,
                                          0xfff0000000000000, 0x8000000000000000, 1};
    for (uint32_t i = 0; i < VALUES; i++) {
        ints[i] = below(3) ? (int64_t)below(1000) - 500 : edges[below(5)];
        reals[i] = below(1000) / 8.0;
        if (below(3) == 0) {
            memcpy(&reals[i], &real_edges[below(6)], sizeof reals[i]);
        }
        numbers[i] = below(4) ? below(TEXTS + 1) : PF_NONE;
        ids[i] = below(TEXTS + 1);
        through[i] = below(VALUES);
        rows_of[i] = below(VALUES);
    }
    for (uint32_t i = 0; i < sizeof present; i++) {
        present[i] = (uint8_t)below(256);
    }
    for (uint32_t i = 0; i <= TEXTS; i++) {
        renumber[i] = 1 + below(TEXTS);
    }
}

static pf_col a_column(const pf_strings *pool)
{
    static const pf_col kinds[] = {
        {.name = "null", .type = PF_COL_INT64, .source = PF_COL_OF_NULL, .nullable = true},
        {.name = "zero", .type = PF_COL_INT32, .source = PF_COL_OF_ZERO},
        {.name = "row", .type = PF_COL_UINT32, .source = PF_COL_OF_ROW},
        {.name = "int", .type = PF_COL_INT64, .source = PF_COL_OF_INT64, .array = ints},
        {.name = "number", .type = PF_COL_UINT32, .source = PF_COL_OF_UINT32, .array = numbers, .nullable = true},
        {.name = "real", .type = PF_COL_DOUBLE, .source = PF_COL_OF_DOUBLE, .array = reals},
        {.name = "text", .type = PF_COL_TEXT, .source = PF_COL_OF_ID, .array = ids, .nullable = true},
        {.name = "bits", .type = PF_COL_INT64, .source = PF_COL_OF_BITS, .array = ints, .nullable = true}};
    pf_col c = kinds[below(sizeof kinds / sizeof *kinds)];
    c.present = present;
    c.pool = pool;
    c.holes = below(2);
    c.nullable |= c.holes;
    c.rows = below(2) ? rows_of : NULL;
    c.through = below(2) ? through : NULL;
    c.renumber = below(2) ? renumber : NULL;
    return c;
}

/* One row by itself: whether it has a value, and its bits. */
static bool value_of(const pf_col *c, uint32_t row, uint64_t *v)
{
    row = c->rows ? rows_of[row] : row;
    row = c->through ? through[row] : row;
    *v = 0;
    switch (c->source) {
    case PF_COL_OF_ZERO:
        return true;
    case PF_COL_OF_ROW:
        *v = row;
        return true;
    case PF_COL_OF_INT64:
        *v = (uint64_t)ints[row];
        return !c->holes || ints[row] != INT64_MIN;
    case PF_COL_OF_DOUBLE:
        memcpy(v, &reals[row], sizeof *v);
        return !c->holes || reals[row] == reals[row];
    case PF_COL_OF_UINT32:
        if (numbers[row] == PF_NONE) {
            return false;
        }
        *v = c->renumber ? renumber[numbers[row]] : numbers[row];
        return true;
    case PF_COL_OF_ID:
        *v = c->renumber && ids[row] ? renumber[ids[row]] : ids[row];
        return ids[row] != 0;
    case PF_COL_OF_BITS:
        *v = (uint64_t)ints[row];
        return present[row / 8] & 1 << row % 8;
    default:
        return false;
    }
}

static void check_fill(const pf_col *c, uint32_t from, uint32_t n)
{
    static uint64_t values[VALUES];
    uint8_t bits[VALUES / 8 + 1];
    uint32_t nulls = 0;
    uint32_t got = pf_col_fill(c, from, n, values, bits);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t want, have = pf_col_width(c->type) == 8 ? values[i] : ((const uint32_t *)values)[i];
        bool there = value_of(c, from + i, &want);
        nulls += !there;
        cr_assert_eq(bits[i / 8] >> i % 8 & 1, there, "%s, row %u", c->name, from + i);
        cr_assert_eq(have, there ? want : 0, "%s, row %u", c->name, from + i);
    }
    cr_assert_eq(got, nulls, "%s", c->name);
}

static void check_dictionary(const pf_col *c, uint32_t rows, pf_budget *budget)
{
    uint32_t order[TEXTS + 1] = {0}, count = 0, nulls = 0, filled[VALUES];
    pf_error err;
    pf_col_dictionary d;
    cr_assert_eq(pf_col_dictionary_make(&d, c, rows, budget, &err), PF_OK);
    pf_col_fill(c, 0, rows, filled, NULL);
    pf_col_dictionary_apply(&d, filled, rows);
    for (uint32_t row = 0; row < rows; row++) {
        uint64_t id;
        if (!value_of(c, row, &id)) {
            nulls++;
            cr_assert_eq(filled[row], 0);
            continue;
        }
        if (!order[id]) {
            order[id] = ++count;
        }
        cr_assert_eq(filled[row], order[id] - 1);
        cr_assert_eq(d.ids[filled[row]], id);
    }
    cr_assert(d.count == count && d.nulls == nulls);
    pf_col_dictionary_free(&d);
}

static pf_status add_up(void *ctx, const void *bytes, size_t len, pf_error *err)
{
    (void)bytes;
    (void)err;
    *(uint64_t *)ctx += len;
    return PF_OK;
}

static void check_size(const pf_col_table *t, unsigned flags, pf_budget *budget)
{
    pf_error err;
    pf_arrow a;
    uint64_t put = 0;
    cr_assert_eq(pf_arrow_plan(&a, t, flags, budget, &err), PF_OK);
    cr_assert_eq(pf_arrow_write(&a, add_up, &put, &err), PF_OK);
    cr_assert_eq(put, a.size, "%llu bytes, not %llu", (unsigned long long)put, (unsigned long long)a.size);
    pf_arrow_free(&a);
}

Test(fill, random_columns)
{
    pf_budget budget;
    pf_strings pool;
    pf_error err;
    uint64_t seed = (uint64_t)time(NULL) | 1;
    state = seed * 0x9e3779b97f4a7c15;
    printf("fill: seed %llu\n", (unsigned long long)seed);
    pf_budget_init(&budget, NULL);
    cr_assert_eq(pf_strings_init(&pool, &budget, &err), PF_OK);
    for (uint32_t i = 1; i <= TEXTS; i++) {
        char text[16];
        int len = snprintf(text, sizeof text, "t%u", i * i);
        cr_assert_eq(pf_strings_add(&pool, text, (size_t)len, &err), i);
    }
    for (int round = 0; round < ROUNDS; round++) {
        pf_col cols[5];
        pf_col_table t = {.name = "t", .rows = below(8) ? below(VALUES + 1) : 0, .count = below(6), .cols = cols};
        make_values();
        for (size_t i = 0; i < t.count; i++) {
            cols[i] = a_column(&pool);
            uint32_t from = below(t.rows / 8 + 1) * 8;
            check_fill(&cols[i], 0, t.rows);
            check_fill(&cols[i], from, below(t.rows - from + 1));
            if (pf_col_has_texts(&cols[i])) {
                check_dictionary(&cols[i], t.rows, &budget);
            }
        }
        check_size(&t, 0, &budget);
        check_size(&t, PF_ARROW_STREAM, &budget);
        check_size(&t, PF_ARROW_STREAM | PF_ARROW_PLAIN, &budget);
    }
    pf_strings_free(&pool);
    pf_budget_end(&budget);
}
