/* read/tinygrad/tracks/tiny_tracks.c - the steps from side tables to tracks. */
#include "read/tinygrad/tracks/tiny_tracks.h"

#include <string.h>

#include "base/list.h"

/* Each step has an arena and a map of its own, which are gone after it. */
static const struct {
    uint32_t want; /* one of these; 0: always */
    pf_status (*draw)(pf_tiny_tracks *l);
} steps[] = {
    {0, pf_tiny_match_runs},
    {0, pf_tiny_match_records},
    {PF_WANT_EVENTS | PF_WANT_SLICES | PF_WANT_FLOWS | PF_WANT_ARGS, pf_tiny_draw_slices},
    {PF_WANT_FLOWS, pf_tiny_draw_dependencies},
    {PF_WANT_COUNTERS | PF_WANT_EVENTS | PF_WANT_SLICES | PF_WANT_ARGS, pf_tiny_draw_memory},
    {PF_WANT_COUNTERS, pf_tiny_draw_lines},
    {PF_WANT_COUNTERS, pf_tiny_draw_device_counters},
    {0, pf_tiny_draw_samples},
    {0, pf_tiny_draw_streams},
};

static pf_status draw(pf_tiny_tracks *l)
{
    pf_status st = PF_OK;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && !st; i++) {
        if (!steps[i].want || l->t->want & steps[i].want) {
            pf_arena_init(&l->arena, &l->t->budget);
            pf_map_init(&l->map, &l->t->budget);
            st = steps[i].draw(l);
            pf_map_free(&l->map);
            pf_arena_free(&l->arena);
        }
    }
    return st;
}

pf_status pf_tiny_draw(pf_tiny_profile *p, uint32_t first_event)
{
    pf_budget *budget = &p->t->budget;
    pf_tiny_tracks l = {.p = p, .t = p->t, .first = first_event, .next_pid = 1};
    l.count = p->table[PF_TINY_EVENT]->count - first_event;
    l.decoder = pf_trace_add_decoder(p->t, pf_tiny_decode_args, NULL);
    PF_TRY(l.decoder == PF_NONE ? pf_trace_no_decoder(p->err) : PF_OK);
    PF_TRY(PF_LIST_NEW(budget, l.event_of, l.count, p->err));
    memset(l.event_of, 0xFF, l.count * sizeof *l.event_of);
    pf_map_init(&l.track_of, budget);
    pf_map_init(&l.process_of, budget);
    pf_map_init(&l.plain_of, budget);
    pf_status st = draw(&l);
    pf_map_free(&l.track_of);
    pf_map_free(&l.process_of);
    pf_map_free(&l.plain_of);
    PF_LIST_FREE(budget, l.event_of, l.count);
    return st;
}
