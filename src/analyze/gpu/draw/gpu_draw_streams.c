/* analyze/gpu/draw/gpu_draw_streams.c - why each stream of a device was idle: a row for each that has gaps. Of one
 * stream alone the row of the device says it.
 */
#include <inttypes.h>

#include "analyze/gpu/draw/gpu_drawing.h"
#include "analyze/support/pass_memory.h"

static uint32_t add_row(gpu_canvas *c, pf_drawing *rows, const gpu_stream *s)
{
    pf_str name = s->name.ptr ? pf_findings_format(c->f, "stream %.*s", PF_TEXT_ARG(s->name))
                              : pf_findings_format(c->f, "stream %" PRId64, s->number);
    return pf_drawing_slices(rows, name.ptr ? name.ptr : "",
                             "Times of 1 us or more without operations of this stream, by their main cause, as in gaps "
                             "of the device; the device may run those of other streams.");
}

pf_status pf_gpu_draw_streams(gpu_canvas *c, const gpu_device *d)
{
    const gpu_facts *g = &c->r->facts;
    pf_drawing rows = {.f = NULL};
    for (uint32_t i = d->first_stream; d->stream_count > 1 && i < d->first_stream + d->stream_count; i++) {
        gpu_gap_walk walk;
        uint32_t track = PF_NONE;
        PF_TRY(pf_gpu_stream_gap_walk(g, &g->streams[i], c->drawing.arena, &walk, c->err));
        walk.least = GPU_LEAST_GAP;
        for (gpu_gap gap; pf_gpu_next_gap(&walk, &gap);) {
            if (!rows.f) {
                rows = pf_drawing_inside(&c->drawing, "streams",
                                         "Idle time of each stream, as table gpu_streams has it in all.");
            }
            track = track == PF_NONE ? add_row(c, &rows, &g->streams[i]) : track;
            pf_gpu_draw_gap(c, track, &gap);
        }
    }
    return PF_OK;
}
