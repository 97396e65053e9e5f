/* analyze/gpu/draw/gpu_draw_host.c - a row below the gaps: what the thread of each late call did meanwhile, by the
 * scheduler. A slice for the window, with what table gpu_host_gaps says of it, and its parts inside.
 */
#include "analyze/gpu/draw/gpu_drawing.h"
#include "base/str.h"

static void put_text(gpu_canvas *c, const char *key, pf_str text)
{
    if (text.len) {
        pf_overlay_arg_text(c->f, pf_str_of(key), text);
    }
}

static void put_taker(gpu_canvas *c, uint32_t thread, uint64_t taken)
{
    if (thread != PF_NONE) {
        put_text(c, "cpu_taken_by", pf_gpu_host_thread_text(&c->r->facts, thread));
        pf_overlay_arg_int(c->f, PF_STR("cpu_taken_ns"), pf_drawing_length(taken));
    }
}

static void draw_window(gpu_canvas *c, uint32_t track, uint32_t thread, pf_interval window)
{
    const gpu_host *h = &c->r->scheduler;
    gpu_host_window w;
    gpu_host_part part;
    pf_gpu_host_look(h, thread, window, &w);
    pf_overlay_slice(c->f, track, window.start, pf_drawing_length(pf_interval_length(window)),
                     pf_gpu_host_kind_name(w.verdict));
    put_text(c, "thread", pf_gpu_host_thread_text(&c->r->facts, thread));
    put_taker(c, w.taken_by, w.taken);
    put_text(c, "blocked_function", pf_trace_string(c->r->facts.trace, w.function));
    put_text(c, "wakers", pf_gpu_host_wakers_text(&c->r->facts, &w));
    for (gpu_host_walk walk = pf_gpu_host_walk(h, thread, window); pf_gpu_host_next(&walk, &part);) {
        uint64_t taken;
        uint32_t taker = pf_gpu_host_taker(h, &part, &taken);
        pf_overlay_slice(c->f, track, part.time.start, pf_drawing_length(pf_interval_length(part.time)),
                         pf_gpu_host_kind_name(part.kind));
        put_taker(c, taker, taken);
    }
}

void pf_gpu_draw_host(gpu_canvas *c, const gpu_listed_gap *gaps, size_t count)
{
    uint32_t track = PF_NONE;
    pf_interval window;
    for (size_t i = 0; i < count && c->r->scheduler.states.count; i++) {
        if (!pf_gpu_host_window_of(&c->r->facts, &gaps[i], &window)) {
            continue;
        }
        track = track == PF_NONE
                    ? pf_drawing_slices(&c->drawing, "host",
                                        "What the thread of the call that ended a gap did until the call was done, by "
                                        "the scheduler: the longest of its states, and each state inside. runnable: "
                                        "woken, without a cpu; preempted: its cpu was taken; cpu_taken_by: who ran "
                                        "there longest meanwhile; wakers: who ended the longest wait, who woke that "
                                        "one, and so on.")
                    : track;
        draw_window(c, track, gaps[i].thread, window);
    }
}
