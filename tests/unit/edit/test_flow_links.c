/* unit/edit/test_flow_links.c - the list of slices that have flows. */
#include <criterion/criterion.h>

#include "edit/state/flow_links.h"

/* The list of slices is full of flows that are over when the window comes. */
Test(cut_flows, flows_that_are_over_make_room)
{
    enum { FLOWS = (1 << 20) + 1000 };
    pf_edit_flows f;
    pf_budget budget;
    pf_error err;
    pf_flow_use use[3];
    bool same;
    pf_budget_init(&budget, NULL);
    pf_flows_init(&f, &budget);
    f.from = 2 * FLOWS;
    f.to = 3 * FLOWS;
    for (int64_t i = 0; i < 2 * FLOWS; i++) {
        const pf_flow_slice s = {.number = (uint64_t)i, .at = i, .ts = i, .end = i};
        pf_flow_step step = i % 2 ? PF_FLOW_ENDS : PF_FLOW_GOES_ON;
        cr_assert_eq(pf_flows_take_id(&f, (uint64_t)i / 2, step, &s, use, &err), PF_OK);
    }
    for (int64_t i = 0; i < 3; i++) { /* two in the window, one after it */
        int64_t ts = f.from + i * FLOWS / 2;
        const pf_flow_slice s = {.number = (uint64_t)ts, .at = ts, .ts = ts, .end = ts};
        cr_assert_eq(pf_flows_take_id(&f, 7, PF_FLOW_GOES_ON, &s, &use[i], &err), PF_OK);
        cr_assert(use[i]);
    }
    uint64_t id = 0;
    cr_assert_eq(pf_flows_link(&f, 2, &same, &err), PF_OK);
    cr_expect(!pf_flows_ran_out(&f, use[0], f.from, f.to, &id));
    cr_expect(pf_flows_ran_out(&f, use[1], f.from, f.to, &id) && id == 7);
    pf_flows_free(&f);
    pf_budget_end(&budget);
}
