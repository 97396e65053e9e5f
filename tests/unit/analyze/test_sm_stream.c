/* The blocks of one SM as they stream by, against slots that are searched one by one. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "analyze/neutrino/sched/block_sched.h"

enum { BLOCKS = 3000 };

typedef struct expected {
    uint64_t slots, gap_sum, gap_max, gap_count, idle, span, tail, work, bins[SM_GAP_BINS];
} expected;

static uint64_t next_random(uint64_t *x)
{
    *x ^= *x << 13;
    *x ^= *x >> 7;
    *x ^= *x << 17;
    return *x;
}

/* Blocks that start together stay in the order of the file. */
static void sort_by_start(sched_block *list, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        sched_block b = list[i];
        size_t at = i;
        for (; at > 0 && list[at - 1].start > b.start; at--) {
            list[at] = list[at - 1];
        }
        list[at] = b;
    }
}

static int by_value(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

static unsigned bin_of(uint64_t gap)
{
    unsigned bin = 0;
    for (; gap; gap /= 2) {
        bin++;
    }
    return bin;
}

/* A block takes the free slot with the latest end; all slots are looked at. list is in the order of starts. */
static expected by_search(const sched_block *list, size_t count)
{
    static uint64_t slot[BLOCKS], ends[BLOCKS];
    expected e = {0};
    uint64_t covered = list[0].start;
    for (size_t i = 0; i < count; i++) {
        size_t best = SIZE_MAX;
        for (size_t k = 0; k < e.slots; k++) {
            best = slot[k] <= list[i].start && (best == SIZE_MAX || slot[k] > slot[best]) ? k : best;
        }
        if (best == SIZE_MAX) {
            best = e.slots++;
        } else {
            uint64_t gap = list[i].start - slot[best];
            e.gap_sum += gap;
            e.gap_count++;
            e.gap_max = gap > e.gap_max ? gap : e.gap_max;
            e.bins[bin_of(gap)]++;
        }
        slot[best] = ends[i] = list[i].end;
        e.idle += list[i].start > covered ? list[i].start - covered : 0;
        covered = list[i].end > covered ? list[i].end : covered;
        e.work += list[i].end - list[i].start;
    }
    qsort(ends, count, sizeof *ends, by_value);
    e.span = ends[count - 1] - list[0].start;
    e.tail = ends[count - 1] - ends[count - e.slots];
    return e;
}

static void expect_equal(const sched_sm *sm, const expected *e)
{
    cr_assert_eq(sm->sweep.slots, e->slots);
    cr_assert_eq(sm->sweep.gap_sum, e->gap_sum);
    cr_assert_eq(sm->sweep.gap_max, e->gap_max);
    cr_assert_eq(pf_sm_gap_count(&sm->sweep), e->gap_count);
    cr_assert_eq(sm->sweep.idle, e->idle);
    cr_assert_eq(pf_sm_span(&sm->sweep), e->span);
    cr_assert_eq(sm->tail, e->tail);
    cr_assert_eq(sm->work, e->work);
    cr_assert_arr_eq(sm->sweep.bins, e->bins, sizeof e->bins);
}

/* Puts blocks up to `late` places away from the order of their starts. */
static void mix(sched_block *list, size_t count, size_t late, uint64_t *random)
{
    for (size_t i = 0; late && i + late < count; i += late + 1) {
        size_t other = i + next_random(random) % (late + 1);
        sched_block b = list[i];
        list[i] = list[other];
        list[other] = b;
    }
}

static void check(const sched_block *list, size_t count)
{
    static sched_block sorted[BLOCKS];
    pf_budget budget;
    pf_budget_init(&budget, NULL);
    sched_sm *sm = calloc(1, sizeof *sm);
    cr_assert(sm);
    sm->sweep.budget = &budget;
    for (size_t i = 0; i < count; i++) {
        cr_assert(pf_sched_add(sm, &list[i]));
        sorted[i] = list[i];
    }
    cr_assert(pf_sched_finish(sm));
    cr_assert_not(sm->again);
    sort_by_start(sorted, count);
    expected e = by_search(sorted, count);
    expect_equal(sm, &e);
    pf_sched_free_sm(sm);
    cr_assert_eq(budget.used, 0);
    free(sm);
}

/* `resident`: about how many blocks run at once. Times are multiples of `grain`, so that many are equal. */
static void fill(sched_block *list, size_t count, uint64_t resident, uint64_t grain, uint64_t *random)
{
    uint64_t start = next_random(random) % 1000;
    for (size_t i = 0; i < count; i++) {
        start += next_random(random) % 3 * grain;
        uint64_t length = next_random(random) % (2 * resident) * grain;
        list[i] = (sched_block){start, start + length};
    }
}

Test(sm_stream, agrees_with_a_search_of_all_slots)
{
    static const uint64_t resident[] = {1, 2, 5, 8, 12, 25, 40, 200}, grain[] = {1, 1000, (uint64_t)1 << 50};
    static const size_t counts[] = {1, 2, 95, 127, 128, 129, 300, BLOCKS};
    uint64_t random = 88172645463325252ull;
    for (unsigned round = 0; round < 8 * 8 * 3; round++) {
        sched_block list[BLOCKS];
        size_t count = counts[round / 8 % 8];
        fill(list, count, resident[round % 8], grain[round / 64], &random);
        mix(list, count, round % 4 * 5, &random);
        check(list, count);
    }
}

/* All 32 slots of the window, then one more; ends in the order of the starts and against it. */
Test(sm_stream, goes_on_when_a_window_is_full)
{
    for (size_t resident = 31; resident <= 34; resident++) {
        for (int falling = 0; falling < 2; falling++) {
            sched_block list[400];
            for (size_t i = 0; i < 400; i++) {
                uint64_t wave = i / resident * 10000, nth = i % resident;
                list[i] = (sched_block){wave + nth, wave + 5000 + (falling ? 100 - nth : nth)};
            }
            check(list, 400);
        }
    }
}

/* A gap of more than half of all times, and an end that no time is after. */
Test(sm_stream, counts_the_longest_times)
{
    sched_block list[] = {{1, 2}, {UINT64_MAX - 5, UINT64_MAX}, {UINT64_MAX - 4, UINT64_MAX - 1}};
    check(list, 3);
}

Test(sm_stream, marks_an_sm_with_a_block_at_the_end_of_time_or_far_out_of_order)
{
    static const sched_block last = {UINT64_MAX, UINT64_MAX}, early = {0, 1};
    for (int which = 0; which < 2; which++) {
        pf_budget budget;
        pf_budget_init(&budget, NULL);
        sched_sm *sm = calloc(1, sizeof *sm);
        cr_assert(sm);
        sm->sweep.budget = &budget;
        for (uint64_t i = 0; i < 200; i++) {
            const sched_block b = {10 * i + 5, 10 * i + 9};
            cr_assert(pf_sched_add(sm, &b));
        }
        cr_assert(pf_sched_add(sm, which ? &last : &early));
        cr_assert(pf_sched_finish(sm));
        cr_assert(sm->again);
        cr_assert_eq(sm->exact_blocks, 201);
        pf_sched_free_sm(sm);
        free(sm);
    }
}
