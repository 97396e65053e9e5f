/* read/tinygrad/timeline/tiny_timeline.c - the steps from side tables to a timeline. */
#include "read/tinygrad/timeline/tiny_timeline.h"

#include <string.h>

static pf_status make_rows(pf_tiny_timeline *l, uint32_t **rows, pf_error *err)
{
    size_t bytes = (size_t)l->count * sizeof **rows;
    *rows = pf_alloc(&l->t->budget, bytes);
    if (!*rows) {
        return pf_budget_refused(&l->t->budget, bytes, err);
    }
    memset(*rows, 0xFF, bytes);
    return PF_OK;
}

static void release_rows(pf_tiny_timeline *l, uint32_t *rows)
{
    pf_release(&l->t->budget, rows, (size_t)l->count * sizeof *rows);
}

static pf_status draw(pf_tiny_timeline *l, pf_error *err)
{
    uint32_t want = l->t->want;
    bool events = want & (PF_WANT_EVENTS | PF_WANT_SLICES | PF_WANT_FLOWS | PF_WANT_ARGS);
    pf_status st = make_rows(l, &l->event_of, err);
    st = st == PF_OK ? make_rows(l, &l->run_of, err) : st;
    st = st == PF_OK ? pf_tiny_match_runs(l, err) : st;
    l->first_record = l->p->records->count;
    st = st == PF_OK ? pf_tiny_match_records(l, err) : st;
    st = st == PF_OK && events ? pf_tiny_draw_slices(l, err) : st;
    st = st == PF_OK && events && want & PF_WANT_FLOWS ? pf_tiny_draw_dependencies(l, err) : st;
    if (st == PF_OK && want & PF_WANT_COUNTERS) {
        st = pf_tiny_draw_memory(l, err);
        st = st == PF_OK ? pf_tiny_draw_lines(l, err) : st;
        st = st == PF_OK ? pf_tiny_draw_device_counters(l, err) : st;
    }
    st = st == PF_OK ? pf_tiny_draw_samples(l, err) : st;
    return st == PF_OK ? pf_tiny_draw_streams(l, err) : st;
}

pf_status pf_tiny_draw(pf_tiny_profile *p, uint32_t first_event, pf_error *err)
{
    pf_tiny_timeline l = {.p = p, .t = p->t, .first = first_event, .next_pid = 1};
    l.count = p->table[PF_TINY_EVENT]->count - first_event;
    l.decoder = pf_trace_add_decoder(p->t, pf_tiny_decode_args, NULL);
    if (l.decoder == PF_NONE) {
        return pf_trace_no_decoder(err);
    }
    pf_map_init(&l.track_of, &p->t->budget);
    pf_map_init(&l.process_of, &p->t->budget);
    pf_map_init(&l.plain_of, &p->t->budget);
    pf_status st = draw(&l, err);
    pf_map_free(&l.track_of);
    pf_map_free(&l.process_of);
    pf_map_free(&l.plain_of);
    release_rows(&l, l.event_of);
    release_rows(&l, l.run_of);
    return st;
}
