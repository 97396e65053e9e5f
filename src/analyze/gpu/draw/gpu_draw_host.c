/* analyze/gpu/draw/gpu_draw_host.c - a row below the gaps: what the thread of each late call did meanwhile, by the
 * scheduler. */
#include "analyze/gpu/draw/gpu_drawing.h"

void pf_gpu_draw_host(gpu_canvas *c, const gpu_listed_gap *gaps, size_t count)
{
    const pf_schedule *schedule = &c->r->scheduler;
    uint32_t track = PF_NONE;
    pf_interval window;
    for (size_t i = 0; i < count && schedule->states.count; i++) {
        if (pf_gpu_host_window_of(&c->r->facts, schedule, &gaps[i], &window)) {
            track = track == PF_NONE ? pf_drawing_slices(&c->drawing, "host", pf_schedule_row) : track;
            pf_schedule_draw(schedule, track, gaps[i].thread, window, 0);
        }
    }
}
