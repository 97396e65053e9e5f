/* read/tinygrad/tracks/tiny_tracks.c - the steps from side tables to tracks. */
#include "read/tinygrad/tracks/tiny_tracks.h"

#include <string.h>

static pf_status draw(pf_tiny_tracks *l)
{
    uint32_t want = l->t->want;
    PF_TRY(pf_tiny_match_runs(l));
    l->first_record = l->p->table[PF_TINY_RECORD]->count;
    PF_TRY(pf_tiny_match_records(l));
    if (want & (PF_WANT_EVENTS | PF_WANT_SLICES | PF_WANT_FLOWS | PF_WANT_ARGS)) {
        PF_TRY(pf_tiny_draw_slices(l));
        PF_TRY(want & PF_WANT_FLOWS ? pf_tiny_draw_dependencies(l) : PF_OK);
    }
    if (want & PF_WANT_COUNTERS) {
        PF_TRY(pf_tiny_draw_memory(l));
        PF_TRY(pf_tiny_draw_lines(l));
        PF_TRY(pf_tiny_draw_device_counters(l));
    }
    PF_TRY(pf_tiny_draw_samples(l));
    return pf_tiny_draw_streams(l);
}

pf_status pf_tiny_draw(pf_tiny_profile *p, uint32_t first_event)
{
    pf_budget *budget = &p->t->budget;
    pf_tiny_tracks l = {.p = p, .t = p->t, .first = first_event, .next_pid = 1};
    l.count = p->table[PF_TINY_EVENT]->count - first_event;
    l.decoder = pf_trace_add_decoder(p->t, pf_tiny_decode_args, NULL);
    if (l.decoder == PF_NONE) {
        return pf_trace_no_decoder(p->err);
    }
    size_t bytes = 2 * (size_t)l.count * sizeof *l.event_of;
    l.event_of = pf_alloc(budget, bytes);
    if (!l.event_of) {
        return pf_budget_refused(budget, bytes, p->err);
    }
    memset(l.event_of, 0xFF, bytes);
    l.run_of = l.event_of + l.count;
    pf_map_init(&l.track_of, budget);
    pf_map_init(&l.process_of, budget);
    pf_map_init(&l.plain_of, budget);
    pf_status st = draw(&l);
    pf_map_free(&l.track_of);
    pf_map_free(&l.process_of);
    pf_map_free(&l.plain_of);
    pf_release(budget, l.event_of, bytes);
    return st;
}
