/* Budgets, arenas, columns: growth keeps contents, limits hold, everything is given back. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "base/arena.h"
#include "base/columns.h"
#include "base/map.h"
#include "base/strings.h"

static pf_limits limited(uint64_t memory)
{
    pf_limits l = pf_limits_default();
    l.memory = memory;
    return l;
}

Test(budget, counts_peak_and_refuses_beyond_the_limit)
{
    pf_limits l = limited(1000);
    pf_budget b;
    pf_budget_init(&b, &l);
    void *p = pf_alloc(&b, 600);
    cr_assert_not_null(p);
    cr_expect_null(pf_alloc(&b, 401));
    cr_expect_eq(b.used, 600);
    p = pf_resize(&b, p, 600, 1000);
    cr_assert_not_null(p);
    cr_expect_null(pf_resize(&b, p, 1000, 1001));
    pf_error err;
    cr_expect_eq(pf_budget_refused(&b, 1, &err), PF_ERR_LIMIT);
    cr_expect_not_null(strstr(err.text, "--max-memory"));
    pf_release(&b, p, 1000);
    cr_expect_eq(b.used, 0);
    cr_expect_eq(b.peak, 1000);
    cr_expect_null(pf_alloc_zero(&b, SIZE_MAX / 2, 4));
    cr_expect_eq(b.used, 0);
}

Test(arena, memory_is_aligned_stays_and_is_given_back)
{
    pf_budget b;
    pf_budget_init(&b, NULL);
    pf_arena a;
    pf_arena_init(&a, &b);
    char *first = pf_arena_copy(&a, "first", 5);
    for (size_t i = 1; i < 3000; i++) {
        char *p = pf_arena_alloc(&a, i);
        cr_assert_not_null(p);
        cr_assert_eq((uintptr_t)p % 8, 0);
        memset(p, (int)i, i);
    }
    char *large = pf_arena_alloc(&a, 5u << 20);
    memset(large, 1, 5u << 20);
    char *after = pf_arena_copy(&a, "", 0);
    cr_expect_str_eq(first, "first");
    cr_expect_str_eq(after, "");
    cr_expect_null(pf_arena_alloc(&a, SIZE_MAX - 3));
    pf_arena_free(&a);
    cr_expect_eq(b.used, 0);
}

/* After a reset the same blocks serve again, whatever the order; none that is far too large does. */
Test(arena, blocks_serve_again_after_a_reset)
{
    pf_budget b;
    pf_budget_init(&b, NULL);
    pf_arena a;
    pf_arena_init(&a, &b);
    char *wide = pf_arena_alloc(&a, 3000000), *wider = pf_arena_alloc(&a, 5000000);
    memset(wide, 1, 3000000);
    memset(wider, 2, 5000000);
    uint64_t used = b.used;
    pf_arena_reset(&a);
    cr_expect_eq(pf_arena_alloc(&a, 2900000), wide);
    cr_expect_eq(pf_arena_alloc(&a, 4000000), wider);
    cr_expect_eq(b.used, used);
    char *another = pf_arena_alloc(&a, 2000000);
    memset(another, 3, 2000000);
    cr_expect(b.used > used + 1999999);
    pf_arena_reset(&a);
    pf_arena_reset(&a);
    char *narrow = pf_arena_alloc(&a, 600000);
    memset(narrow, 4, 600000);
    cr_expect(narrow != wide && narrow != wider && narrow != another);
    pf_arena_free(&a);
    cr_expect_eq(b.used, 0);
}

/* With `helped` another thread touches pages ahead, also of mappings that have moved meanwhile. */
static void grow_far(bool helped)
{
    pf_budget b;
    pf_budget_init(&b, NULL);
    if (helped) {
        pf_budget_help(&b);
    }
    pf_columns c;
    int64_t *wide;
    uint8_t *narrow;
    uint32_t *late, room = 0;
    pf_error err;
    pf_columns_init(&c, &b, "t");
    cr_assert_eq(pf_columns_add(&c, (void **)&wide, sizeof *wide, &err), PF_OK);
    cr_assert_eq(pf_columns_add(&c, (void **)&narrow, sizeof *narrow, &err), PF_OK);
    for (uint32_t i = 0; i < 300000; i++) {
        if (i == room) {
            cr_assert_eq(pf_columns_grow(&c, i + 1, &room, &err), PF_OK);
            cr_assert_gt(room, i);
        }
        cr_assert_eq(wide[i], 0);
        wide[i] = -(int64_t)i;
        narrow[i] = (uint8_t)i;
    }
    cr_assert_eq(pf_columns_add(&c, (void **)&late, sizeof *late, &err), PF_OK);
    for (uint32_t i = 0; i < 300000; i++) {
        cr_assert(wide[i] == -(int64_t)i && narrow[i] == (uint8_t)i && late[i] == 0);
    }
    cr_expect_leq(b.used, 300000ull * 13 * 17 / 16 + (64u << 10) + 13, "charged more than a step ahead");
    cr_expect_eq(pf_budget_prefaulter(&b) != NULL, helped);
    pf_columns_free(&c);
    pf_budget_end_help(&b);
    cr_expect_eq(b.used, 0);
    cr_expect_null(wide);
}

Test(columns, rows_survive_growth_and_new_rows_are_zero)
{
    grow_far(false);
}

Test(columns, a_thread_that_touches_ahead_changes_nothing)
{
    for (int i = 0; i < 20; i++) {
        grow_far(true);
    }
}

/* Address space of this process, in bytes. */
static size_t mapped_bytes(void)
{
    unsigned long pages = 0;
    FILE *f = fopen("/proc/self/statm", "re");
    cr_assert_not_null(f);
    cr_assert_eq(fscanf(f, "%lu", &pages), 1);
    fclose(f);
    return pages * 4096;
}

/* Under `ulimit -v` a table grows to what it needs where there is no room for more: 70,000 rows of 8 bytes need 560 kB;
 * sixteen times the 65,536 rows before them would be 8 MB. */
Test(columns, grow_where_address_space_is_short)
{
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
    cr_skip_test("sanitizers map more than any limit");
#endif
    pf_budget b;
    pf_columns c;
    pf_error err;
    uint32_t room = 0;
    uint64_t *wide;
    pf_budget_init(&b, NULL);
    pf_columns_init(&c, &b, "t");
    cr_assert_eq(pf_columns_add(&c, (void **)&wide, sizeof *wide, &err), PF_OK);
    cr_assert_eq(pf_columns_grow(&c, 1, &room, &err), PF_OK);
    wide[0] = 42;
    struct rlimit least = {mapped_bytes() + (4u << 20), RLIM_INFINITY};
    cr_assert_eq(setrlimit(RLIMIT_AS, &least), 0);
    cr_assert_eq(pf_columns_grow(&c, 70000, &room, &err), PF_OK);
    cr_expect_geq(room, 70000);
    cr_expect_eq(wide[0], 42);
    cr_expect_eq(wide[69999], 0);
    pf_columns_free(&c);
}

/* 70,000 rows of 8 bytes lie in a reservation of 8 MiB, sixteen times 65,536 rows. */
Test(columns, give_back_what_they_reserved)
{
    pf_budget b;
    pf_columns c;
    pf_error err;
    uint32_t room = 0;
    uint64_t *wide;
    pf_budget_init(&b, NULL);
    pf_columns_init(&c, &b, "t");
    cr_assert_eq(pf_columns_add(&c, (void **)&wide, sizeof *wide, &err), PF_OK);
    pf_columns_trim(&c); /* nothing yet */
    cr_assert_eq(pf_columns_grow(&c, 65536, &room, &err), PF_OK);
    cr_assert_eq(pf_columns_grow(&c, 70000, &room, &err), PF_OK);
    wide[room - 1] = 42;
    size_t before = mapped_bytes();
    pf_columns_trim(&c);
    cr_expect_geq(before, mapped_bytes() + (7u << 20));
    uint32_t last = room - 1;
    cr_assert_eq(pf_columns_grow(&c, 200000, &room, &err), PF_OK);
    cr_expect(wide[last] == 42 && wide[last + 1] == 0 && wide[199999] == 0);
    pf_columns_free(&c);
    cr_expect_eq(b.used, 0);
}

Test(columns, one_that_is_dropped_gives_its_memory_back)
{
    pf_budget b;
    pf_budget_init(&b, NULL);
    pf_columns c;
    int64_t *wide;
    uint32_t *narrow, room = 0;
    pf_error err;
    pf_columns_init(&c, &b, "t");
    cr_assert_eq(pf_columns_add(&c, (void **)&wide, sizeof *wide, &err), PF_OK);
    cr_assert_eq(pf_columns_add(&c, (void **)&narrow, sizeof *narrow, &err), PF_OK);
    cr_assert_eq(pf_columns_grow(&c, 100000, &room, &err), PF_OK);
    narrow[99999] = 7;
    uint64_t before = b.used;
    pf_columns_drop(&c, (void **)&wide);
    pf_columns_drop(&c, (void **)&wide); /* it is none of them any more */
    cr_expect_null(wide);
    cr_expect_eq(before - b.used, (uint64_t)room * sizeof *wide);
    cr_assert_eq(pf_columns_grow(&c, 2 * (uint64_t)room, &room, &err), PF_OK);
    cr_expect(narrow[99999] == 7 && narrow[room - 1] == 0);
    pf_columns_free(&c);
    cr_expect_eq(b.used, 0);
}

Test(columns, row_limit_is_exact_and_names_its_flag)
{
    pf_limits l = pf_limits_default();
    l.rows = 5000;
    pf_budget b;
    pf_budget_init(&b, &l);
    pf_columns c;
    uint32_t *v, room = 0;
    pf_error err;
    pf_columns_init(&c, &b, "slice");
    cr_assert_eq(pf_columns_add(&c, (void **)&v, sizeof *v, &err), PF_OK);
    cr_expect_eq(pf_columns_grow(&c, 5000, &room, &err), PF_OK);
    cr_expect_eq(room, 5000);
    cr_expect_eq(pf_columns_grow(&c, 5001, &room, &err), PF_ERR_LIMIT);
    cr_expect_not_null(strstr(err.text, "--max-rows"));
    cr_expect_not_null(strstr(err.text, "slice"));
    pf_columns_free(&c);
}

Test(columns, memory_limit_leaves_the_table_usable)
{
    pf_limits l = limited(100000);
    pf_budget b;
    pf_budget_init(&b, &l);
    pf_columns c;
    uint64_t *v;
    uint32_t room = 0, n = 0;
    pf_error err;
    pf_columns_init(&c, &b, "slice");
    cr_assert_eq(pf_columns_add(&c, (void **)&v, sizeof *v, &err), PF_OK);
    uint64_t rows = (100000 - b.used) / sizeof *v;
    while (n < room || pf_columns_grow(&c, n + 1, &room, &err) == PF_OK) {
        v[n] = n;
        n++;
    }
    cr_expect_eq(n, rows, "every row under the limit is usable: %u", n);
    cr_expect_eq(err.code, PF_ERR_LIMIT);
    cr_expect_eq(v[n - 1], n - 1);
    pf_columns_free(&c);
    cr_expect_eq(b.used, 0);
}

Test(strings, ids_are_stable_unique_and_byte_exact)
{
    pf_budget b;
    pf_budget_init(&b, NULL);
    pf_strings s;
    pf_error err;
    cr_assert_eq(pf_strings_init(&s, &b, &err), PF_OK);
    uint32_t empty = pf_strings_add(&s, "", 0, &err);
    uint32_t nul = pf_strings_add(&s, "a\0b", 3, &err);
    uint32_t a = pf_strings_add(&s, "a", 1, &err);
    cr_expect(empty != 0 && nul != a && a != empty);
    for (int i = 0; i < 50000; i++) {
        char text[16];
        int len = snprintf(text, sizeof text, "name %d", i);
        uint32_t id = pf_strings_add(&s, text, (size_t)len, &err);
        cr_assert_eq(id, pf_strings_find(&s, text, (size_t)len));
    }
    cr_expect_eq(s.count, 50004);
    cr_expect_eq(pf_strings_add(&s, "a\0b", 3, &err), nul);
    cr_expect_eq(pf_strings_get(&s, nul).len, 3);
    cr_expect_null(pf_strings_get(&s, 0).ptr);
    cr_expect_not_null(pf_strings_get(&s, empty).ptr);
    cr_expect_eq(pf_strings_find(&s, "no such text", 12), PF_NONE);
    pf_strings_free(&s);
    cr_expect_eq(b.used, 0);
}

Test(strings, refusal_is_an_error_not_a_crash)
{
    pf_limits l = limited(200000);
    pf_budget b;
    pf_budget_init(&b, &l);
    pf_strings s;
    pf_error err;
    cr_assert_eq(pf_strings_init(&s, &b, &err), PF_OK);
    uint32_t id = 0;
    for (int i = 0; id != PF_NONE && i < 100000; i++) {
        char text[64];
        int len = snprintf(text, sizeof text, "a fairly long name with number %d", i);
        id = pf_strings_add(&s, text, (size_t)len, &err);
    }
    cr_expect_eq(id, PF_NONE);
    cr_expect_eq(err.code, PF_ERR_LIMIT);
    pf_strings_free(&s);
    cr_expect_eq(b.used, 0);
}

Test(map, holds_what_was_set)
{
    pf_budget b;
    pf_budget_init(&b, NULL);
    pf_map m;
    pf_map_init(&m, &b);
    cr_expect_eq(pf_map_get(&m, 5), PF_NONE);
    for (uint64_t i = 0; i < 20000; i++) {
        cr_assert(pf_map_set(&m, i << 40 | i, (uint32_t)i));
    }
    cr_assert(pf_map_set(&m, 0, 77));
    cr_expect_eq(m.count, 20000);
    cr_expect_eq(pf_map_get(&m, 0), 77);
    for (uint64_t i = 1; i < 20000; i++) {
        cr_assert_eq(pf_map_get(&m, i << 40 | i), i);
    }
    cr_expect_eq(pf_map_get(&m, UINT64_MAX), PF_NONE);
    pf_map_clear(&m);
    cr_expect_eq(pf_map_get(&m, 0), PF_NONE);
    pf_map_free(&m);
    cr_expect_eq(b.used, 0);
}

Test(map, makes_memory_for_entries_to_come)
{
    pf_budget b;
    pf_limits limits = pf_limits_default();
    limits.memory = 1 << 20;
    pf_budget_init(&b, &limits);
    pf_map m;
    pf_map_init(&m, &b);
    cr_assert(pf_map_set(&m, 7, 8));
    cr_assert(pf_map_reserve(&m, 10000));
    uint64_t used = b.used;
    for (uint64_t i = 0; i < 10000; i++) {
        cr_assert(pf_map_set(&m, i * 7919, (uint32_t)i));
    }
    cr_expect_eq(b.used, used, "it grew");
    cr_expect_eq(pf_map_get(&m, 7), 8);
    cr_expect_eq(pf_map_get(&m, 9999 * 7919), 9999);
    cr_expect_not(pf_map_reserve(&m, 1 << 20), "more than the limit");
    cr_expect_eq(b.used, used);
    cr_expect_eq(pf_map_get(&m, 7919), 1);
    pf_map_free(&m);
    cr_expect_eq(b.used, 0);
}
