/* Which ranks take part in which collectives, by the device slices that name one, and when: TS2 and TS5 in us. */

#include "aiu_support.h"

/* A slice of the device with these counters; group NULL: in none. */
static uint32_t add_part(aiu_facts_run *f, int64_t pid, const char *group, int64_t ts2, int64_t ts5)
{
    uint32_t e = add_device(f, "n", pid, 0, 1, (const int64_t[5]){0, ts2, ts2, ts2, ts5});
    f->run.events.group[e] = group ? text_of(f, group) : 0;
    return e;
}

static void expect_group(const aiu_facts_run *f, const aiu_groups *g, uint32_t i, const char *name, uint32_t members)
{
    pf_str is = pf_aiu_text_of(&f->run, g->name[i]);
    cr_expect(pf_str_is(is, name), "group %u is %.*s", i, (int)is.len, is.ptr);
    cr_expect_eq(g->members[i], members, "%s has %u members", name, g->members[i]);
}

static void expect_part(const aiu_groups *g, uint32_t rank, uint32_t group, double received, double sent, uint32_t last)
{
    const aiu_part *p = pf_aiu_part(g, rank, group);
    cr_assert(p, "rank %u in group %u", rank, group);
    cr_expect(p->rank == rank && p->group == group);
    cr_expect(p->received == received && p->sent == sent, "rank %u in group %u: %g %g", rank, group, p->received,
              p->sent);
    cr_expect_eq(p->last, last, "rank %u in group %u: event %u", rank, group, p->last);
}

/* Groups are those of the lowest rank first, in order of appearance. The last event is the first one with the largest
 * TS5. */
Test(aiu_groups, are_numbered_as_the_first_rank_meets_them)
{
    aiu_facts_run f;
    aiu_groups g;
    facts_open(&f, NULL);
    uint32_t e[] = {add_part(&f, 9, "c", 1, 2),  add_part(&f, 9, "b", 10, 20), add_part(&f, -3, "b", 7, 8),
                    add_part(&f, -3, "a", 4, 4), add_part(&f, 9, "b", 12, 20), add_part(&f, 9, "b", 11, 21),
                    add_part(&f, 2, "b", 0, 0),  add_part(&f, 2, "d", 5, 6)};
    add_part(&f, 4, NULL, 1, 2);
    uint32_t host = add_host(&f, "n", 5, 1, 0, 1);
    f.run.events.group[host] = text_of(&f, "b");
    uint32_t instant = add_part(&f, 6, "b", 1, 2);
    f.run.events.phase[instant] = 'i';
    cr_assert_eq(pf_aiu_groups_read(&f.run, &g), PF_OK);
    cr_expect(g.ranks == 3 && g.groups == 4 && g.parts == 6 && g.slices == 8, "%u %u %u %u", g.ranks, g.groups, g.parts,
              g.slices);
    cr_expect(g.pid[0] == -3 && g.pid[1] == 2 && g.pid[2] == 9);
    cr_expect_eq(pf_aiu_rank_of(&g, 9), 2);
    cr_expect_eq(pf_aiu_rank_of(&g, -3), 0);
    cr_expect_eq(pf_aiu_rank_of(&g, 4), PF_NONE);
    expect_group(&f, &g, 0, "b", 3);
    expect_group(&f, &g, 1, "a", 1);
    expect_group(&f, &g, 2, "c", 1);
    expect_group(&f, &g, 3, "d", 1);
    expect_part(&g, 2, 0, 12, 21, e[5]);
    expect_part(&g, 0, 0, 7, 8, e[2]);
    expect_part(&g, 1, 0, 0, 0, e[6]);
    expect_part(&g, 0, 1, 4, 4, e[3]);
    expect_part(&g, 2, 2, 1, 2, e[0]);
    expect_part(&g, 1, 3, 5, 6, e[7]);
    cr_expect_null(pf_aiu_part(&g, 1, 1));
    for (uint32_t i = 0; i < g.slices; i++) {
        cr_expect_eq(g.slice[i], e[i]);
        cr_expect_eq(g.pid[g.part[g.of[i]].rank], f.run.events.pid[e[i]]);
        cr_expect_eq(g.name[g.part[g.of[i]].group], f.run.events.group[e[i]]);
    }
    facts_close(&f);
}

/* Where there is an AllReduce others do not count; equal TS5 keep the first event. */
Test(aiu_groups, are_those_called_all_reduce)
{
    aiu_facts_run f;
    aiu_groups g;
    facts_open(&f, NULL);
    cr_assert_eq(pf_aiu_groups_read(&f.run, &g), PF_OK);
    cr_expect(g.ranks == 0 && g.groups == 0 && g.parts == 0 && g.slices == 0);
    cr_expect_eq(pf_aiu_rank_of(&g, 0), PF_NONE);
    add_part(&f, 0, "Reduce_1", 1, 2);
    uint32_t first = add_part(&f, 1, "x AllReduce_1", 3, 9);
    add_part(&f, 1, "x AllReduce_1", 5, 9);
    add_part(&f, 2, "Gather_1", 1, 2);
    cr_assert_eq(pf_aiu_groups_read(&f.run, &g), PF_OK);
    cr_expect(g.ranks == 1 && g.groups == 1 && g.parts == 1 && g.slices == 2);
    expect_group(&f, &g, 0, "x AllReduce_1", 1);
    expect_part(&g, 0, 0, 5, 9, first);
    facts_close(&f);
}

/* a and c have both ranks, b and d one. */
Test(aiu_groups, in_common_have_all_ranks)
{
    static const struct {
        const char *compat;
        bool lack;
        pf_status status;
        uint32_t count;
    } cases[] = {{"none", true, PF_OK, 2},
                 {"none", false, PF_OK, 2},
                 {"acelyzer", true, PF_ERR_USAGE, 0},
                 {"acelyzer", false, PF_OK, 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const options[] = {"compat", cases[i].compat, NULL};
        aiu_facts_run f;
        aiu_groups g;
        uint32_t list[4] = {9, 9, 9, 9}, count = 9;
        facts_open(&f, options);
        add_part(&f, 0, "a", 1, 2);
        if (cases[i].lack) {
            add_part(&f, 0, "b", 1, 2);
            add_part(&f, 1, "d", 1, 2);
        }
        add_part(&f, 0, "c", 1, 2);
        add_part(&f, 1, "c", 1, 2);
        add_part(&f, 1, "a", 1, 2);
        cr_assert_eq(pf_aiu_groups_read(&f.run, &g), PF_OK);
        cr_expect_eq(pf_aiu_groups_common(&f.run, &g, list, &count), cases[i].status, "case %zu", i);
        cr_expect_eq(count, cases[i].count, "case %zu", i);
        if (count) {
            cr_expect(list[0] == 0 && list[1] == (cases[i].lack ? 2u : 1u), "case %zu", i);
        } else {
            cr_expect_str_eq(f.run.error.text,
                             "collective b has no events on some rank; give -M to keep the clocks of the "
                             "ranks as they are");
        }
        cr_expect_eq(f.run.log.count, count && cases[i].lack ? 1u : 0u);
        cr_expect_eq(logged(&f, "MP SYNC: 2 of 4 collectives lack a rank and do not count for the clocks"),
                     count && cases[i].lack);
        facts_close(&f);
    }
}

/* Equal times keep their order, and what was dropped is gone. */
Test(aiu_groups, slices_are_sorted_by_time_alone)
{
    static const double ts[] = {30, 10, 20, 10, 5, 10};
    static const uint32_t expected[] = {4, 1, 5, 2, 0};
    aiu_facts_run f;
    facts_open(&f, NULL);
    for (uint32_t i = 0; i < 6; i++) {
        add_host(&f, "n", 0, 1, ts[i], i);
    }
    f.run.events.flags[3] |= AIU_DROPPED;
    cr_assert_eq(pf_aiu_sort_by_time(&f.run), PF_OK);
    cr_assert_eq(f.run.alive, 5);
    for (uint32_t i = 0; i < 5; i++) {
        cr_expect_eq(f.run.order[i], expected[i], "%u", f.run.order[i]);
    }
    facts_close(&f);
}
