/* Sorting of rows by two keys against the plain way, which puts each into its place: disorder of every kind, many ties.
 */
#include <stdlib.h>

#include "aiu_support.h"

enum { MOST = 400 };

static uint32_t next(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static void insert(aiu_key *list, uint32_t count, aiu_key key)
{
    uint32_t at = count;
    for (; at > 0 &&
           (key.first < list[at - 1].first || (key.first == list[at - 1].first && key.second < list[at - 1].second));
         at--) {
        list[at] = list[at - 1];
    }
    list[at] = key;
}

/* In order but for steps back of at most `far`; with `runs`, so many ascending runs one after the other. */
static void sort_and_compare(aiu_facts_run *f, uint32_t count, uint32_t far, uint32_t runs, uint32_t *state)
{
    aiu_key *keys = malloc((count + !count) * sizeof *keys), expected[MOST]; /* exactly as large, for the sanitizers */
    for (uint32_t i = 0; i < count; i++) {
        uint32_t place = i % (count / runs + 1);
        double first = place / 3 - (far ? next(state) % far : 0);
        keys[i] = (aiu_key){first, next(state) % 3, i};
        insert(expected, i, keys[i]);
    }
    cr_assert_eq(pf_aiu_sort_keys(&f->run, keys, count), PF_OK);
    for (uint32_t i = 0; i < count; i++) {
        cr_assert_eq(keys[i].row, expected[i].row, "%u of %u, far %u, runs %u", i, count, far, runs);
        cr_assert_eq(keys[i].first, expected[i].first);
        cr_assert_eq(keys[i].second, expected[i].second);
    }
    free(keys);
}

Test(aiu_sort, is_stable_whatever_the_disorder)
{
    static const uint32_t distances[] = {0, 1, 2, 20, 40, 1000};
    uint32_t state = 20261123;
    aiu_facts_run f;
    facts_open(&f, NULL);
    for (uint32_t count = 0; count < MOST; count += count < 40 ? 1 : 37) {
        for (size_t d = 0; d < sizeof distances / sizeof *distances; d++) {
            for (uint32_t runs = 1; runs < 6; runs++) {
                sort_and_compare(&f, count, distances[d], runs, &state);
            }
        }
    }
    facts_close(&f);
}

/* Longer slices first where they begin together, dropped ones go. */
Test(aiu_sort, of_events_is_by_time_and_length)
{
    aiu_facts_run f;
    facts_open(&f, NULL);
    static const double times[][2] = {{5, 1}, {1, 2}, {5, 3}, {1, 2}, {0, 9}, {5, 1}, {7, 0}};
    for (size_t i = 0; i < 7; i++) {
        add_host(&f, "h", 0, 1, times[i][0], times[i][1]);
    }
    f.run.events.flags[4] |= AIU_DROPPED;
    cr_assert_eq(pf_aiu_sort_global(&f.run), PF_OK);
    static const uint32_t order[] = {1, 3, 2, 0, 5, 6};
    cr_assert_eq(f.run.alive, 6);
    cr_assert_arr_eq(f.run.order, order, sizeof order);
    facts_close(&f);
}
