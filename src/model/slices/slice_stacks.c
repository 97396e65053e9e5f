/* model/slices/slice_stacks.c - a stack for each track, also for those that come up while slices are added. */
#include "model/slices/slices.h"

pf_status pf_slices_cover_tracks(pf_slice_builder *b)
{
    if (b->t->tracks.count > b->stack_room) {
        PF_TRY(pf_columns_grow(&b->columns, b->t->tracks.count, &b->stack_room, b->err));
    }
    for (; b->stack_count < b->t->tracks.count; b->stack_count++) {
        uint32_t home = pf_trace_home_track(b->t, b->stack_count);
        b->stacks[b->stack_count] = (pf_stack){.chain.top = PF_NONE,
                                               .overlap = PF_NONE,
                                               .lane = PF_NONE,
                                               .owner = PF_NONE,
                                               .left = PF_NONE,
                                               .right = PF_NONE,
                                               .first_lane = PF_NONE,
                                               .idle = PF_NONE,
                                               .home = home,
                                               .async = pf_is_async(b->t, home),
                                               .special = home != b->stack_count || pf_is_async(b->t, home)};
    }
    return PF_OK;
}
