/* analyze/gpu/draw/gpu_draw_cupti.c - counters of CUPTI's profiler: each has the value of a range for the length of the
 * range. The ranges of an input lie one after the other, as the profiler serialises kernels; where one begins before
 * the one before it ended, as in no trace of the profiler, the rest of it counts. */
#include "analyze/gpu/draw/gpu_drawing.h"
#include "analyze/support/pass_memory.h"

/* Counters of an input that are drawn. */
enum { MOST_COUNTERS = 256 };

static void begin_group(gpu_canvas *c, uint32_t input)
{
    const gpu_facts *g = &c->r->facts;
    pf_str rank = g->rank_count > 1 || g->ranks[input].known ? pf_gpu_rank_text(g, input, c->f) : PF_STR("");
    pf_overlay_track group = {
        .anchor = PF_ANCHOR_GLOBAL,
        .name = pf_findings_format(c->f, "%.*s%sCUPTI counters", PF_TEXT_ARG(rank), rank.len ? " " : ""),
        .description = PF_STR("Counters of kernels as CUPTI's profiler recorded them, during the range of each kernel. "
                              "The profiler serialises kernels: the lengths of ranges say nothing."),
        .rank = (int32_t)(g->device_count + 1 + c->memory->holding_count + input)};
    pf_drawing_group(&c->drawing, &group, PF_STR(""));
}

void pf_gpu_draw_cupti(gpu_canvas *c)
{
    const gpu_counter_samples *all = &c->r->counters;
    uint32_t track = PF_NONE, drawn = 0;
    int64_t until = 0;
    for (uint32_t i = 0; i < all->count; i++) {
        const gpu_counter_sample *s = &all->list[i];
        bool next = i == 0 || s->input != s[-1].input;
        if (next) {
            begin_group(c, s->input);
            drawn = 0;
        }
        if (next || s->counter != s[-1].counter) {
            track = drawn++ < MOST_COUNTERS
                        ? pf_drawing_counter(&c->drawing, pf_pass_short_name(c->f, all->names[s->counter], 120, "-"),
                                             "per range", NULL, "The value of this counter in the range of a kernel.")
                        : PF_NONE;
            until = s->time.start;
        }
        int64_t start = s->time.start > until ? s->time.start : until;
        if (track != PF_NONE && start < s->time.end) {
            pf_overlay_hold(c->f, track, start, s->time.end, s->value);
            until = s->time.end;
        }
    }
}
