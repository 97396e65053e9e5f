/* test_lane_tree.c - the tree against a walk over all lanes, and the steps of its searches. */
#include <criterion/criterion.h>

#include "model/slices/slices.h"

enum { LANES = 200 };

static uint32_t next(uint32_t *state)
{
    return (*state = *state * 1664525u + 1013904223u) >> 8;
}

Test(lane_tree, finds_what_a_walk_finds)
{
    pf_budget budget;
    pf_lane_tree l;
    int64_t limit[LANES];
    uint32_t state = 5;
    pf_budget_init(&budget, NULL);
    pf_lane_tree_init(&l, &budget);
    cr_assert_eq(pf_lane_tree_fit(&l, 1), PF_NONE);
    cr_assert_eq(pf_lane_tree_over(&l, 1), PF_NONE);
    for (unsigned i = 0; i < 20000; i++) {
        if (l.count < LANES && i % 50 == 0) {
            cr_assert(pf_lane_tree_add(&l));
            limit[l.count - 1] = INT64_MAX;
        }
        uint32_t lane = next(&state) % l.count, fit = 0, over = 0;
        limit[lane] = next(&state) % 9 ? next(&state) % 1000 : INT64_MAX;
        pf_lane_tree_set(&l, lane, limit[lane]);
        int64_t wanted = next(&state) % 1100;
        for (fit = 0; fit < l.count && limit[fit] < wanted; fit++) {
        }
        for (over = 0; over < l.count && limit[over] > wanted - 900; over++) {
        }
        cr_assert_eq(pf_lane_tree_fit(&l, wanted), fit < l.count ? fit : PF_NONE);
        cr_assert_eq(pf_lane_tree_over(&l, wanted - 900), over < l.count ? over : PF_NONE);
    }
    pf_lane_tree_free(&l);
    cr_assert_eq(atomic_load(&budget.used), 0);
}

/* A lane fits what ends where its limit is, and is over then. */
Test(lane_tree, limits_belong_to_both)
{
    pf_budget budget;
    pf_lane_tree l;
    pf_budget_init(&budget, NULL);
    pf_lane_tree_init(&l, &budget);
    for (uint32_t lanes = 1; lanes <= 9; lanes++) { /* 4, 8 and 16 leaves */
        cr_assert(pf_lane_tree_add(&l));
        uint64_t steps = l.steps, levels = lanes <= 4 ? 2 : lanes <= 8 ? 3 : 4;
        pf_lane_tree_fit(&l, 10);
        cr_expect_eq(l.steps - steps, levels);
        pf_lane_tree_set(&l, 0, 10);
        cr_expect_eq(l.steps - steps, 2 * levels);
        pf_lane_tree_over(&l, 10);
        cr_expect_eq(l.steps - steps, 3 * levels);
        for (uint32_t i = 0; i < lanes; i++) {
            pf_lane_tree_set(&l, i, 10 + i);
        }
        for (uint32_t i = 0; i < lanes; i++) {
            cr_expect_eq(pf_lane_tree_fit(&l, 10 + i), i, "of %u", lanes);
        }
        cr_expect_eq(pf_lane_tree_fit(&l, 10 + lanes), PF_NONE);
        cr_expect_eq(pf_lane_tree_over(&l, 10), 0);
        cr_expect_eq(pf_lane_tree_over(&l, 9), PF_NONE);
        for (uint32_t i = 0; i < lanes; i++) {
            pf_lane_tree_set(&l, i, 100 - i);
        }
        for (uint32_t i = 0; i < lanes; i++) {
            cr_expect_eq(pf_lane_tree_over(&l, 100 - i), i, "of %u", lanes);
        }
        cr_expect_eq(pf_lane_tree_over(&l, 100 - lanes), PF_NONE);
        cr_expect_eq(pf_lane_tree_fit(&l, 100), 0);
        cr_expect_eq(pf_lane_tree_fit(&l, 101), PF_NONE);
    }
    pf_lane_tree_free(&l);
    cr_expect_eq(atomic_load(&budget.used), 0);
}

/* n complete events that overlap without nesting, each on a lane of its own. */
static uint64_t climb_stairs(uint32_t n)
{
    pf_budget budget;
    pf_lane_tree l;
    pf_budget_init(&budget, NULL);
    pf_lane_tree_init(&l, &budget);
    for (uint32_t i = 0; i < n; i++) {
        int64_t end = (int64_t)i + n + 1;
        cr_assert_eq(pf_lane_tree_over(&l, i), PF_NONE);
        cr_assert_eq(pf_lane_tree_fit(&l, end), PF_NONE);
        cr_assert(pf_lane_tree_add(&l));
        pf_lane_tree_set(&l, i, end);
    }
    for (uint32_t i = 0; i < n; i++) { /* all are over, one after the other */
        cr_assert_eq(pf_lane_tree_over(&l, (int64_t)i + n + 1), i);
        pf_lane_tree_set(&l, i, INT64_MAX);
    }
    uint64_t steps = l.steps;
    pf_lane_tree_free(&l);
    return steps;
}

Test(lane_tree, steps_grow_like_the_lanes_times_the_levels)
{
    cr_assert_leq(climb_stairs(1u << 12), 5ull * (1u << 12) * 13);
    cr_assert_leq(climb_stairs(1u << 13), 5ull * (1u << 13) * 14);
}

Test(lane_tree, refused_memory_leaves_it_as_it_was)
{
    pf_limits limits = pf_limits_default();
    pf_budget budget;
    pf_lane_tree l;
    limits.memory = 1000;
    pf_budget_init(&budget, &limits);
    pf_lane_tree_init(&l, &budget);
    while (pf_lane_tree_add(&l)) {
    }
    cr_assert_gt(l.count, 0);
    cr_assert_eq(pf_lane_tree_fit(&l, 5), 0);
    pf_lane_tree_free(&l);
    cr_assert_eq(atomic_load(&budget.used), 0);
}
