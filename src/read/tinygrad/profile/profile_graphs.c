/* read/tinygrad/profile/profile_graphs.c - launches of graphs: a row for the launch, one for each entry, and one for
 * the launch as a range of its own ("batch") on the device of its first entry. Entries name their times, and the
 * entries that they wait for, by number. */
#include <stdio.h>
#include <string.h>

#include "read/tinygrad/profile/profile.h"

typedef struct graph {
    pf_tiny_profile *p;
    uint32_t row, object;
    pf_tiny_time *times;
    uint32_t time_count;
    uint32_t *entries; /* rows of tinygrad_event; PF_NONE: an entry without times */
    uint32_t entry_count;
    pf_tiny_span all;
    bool any; /* entry that is in `all` */
} graph;

static uint32_t count_members(const pf_pickle_values *v, uint32_t value)
{
    uint32_t n = 0;
    for (uint32_t i = pf_pickle_first(v, value); i != PF_NONE; i = pf_pickle_next(v, i)) {
        n++;
    }
    return n;
}

static pf_status add_entry(graph *g, uint32_t entry)
{
    pf_tiny_profile *p = g->p;
    int64_t from = pf_tiny_number(p, entry, "st_id", -1), to = pf_tiny_number(p, entry, "en_id", -1);
    g->entries[g->entry_count++] = PF_NONE;
    if (from < 0 || to < 0 || from >= g->time_count || to >= g->time_count) {
        p->skipped++;
        return PF_OK;
    }
    pf_tiny_span s = {g->times[from], g->times[to], pf_tiny_number(p, entry, "is_copy", 0)};
    PF_TRY(pf_tiny_add_timed(p, PF_TINY_KIND_ENTRY, entry, &s, g->row));
    g->entries[g->entry_count - 1] = pf_tiny_last(p, PF_TINY_EVENT);
    const pf_tiny_time least = s.from < s.to ? s.from : s.to, most = s.from < s.to ? s.to : s.from;
    g->all.from = !g->any || least < g->all.from ? least : g->all.from;
    g->all.to = !g->any || most > g->all.to ? most : g->all.to;
    g->any = true;
    return PF_OK;
}

/* Lists of numbers of entries, one list for each entry. */
static pf_status add_dependencies(graph *g)
{
    const pf_pickle_values *v = &g->p->values;
    uint32_t list = pf_pickle_first(v, pf_pickle_field(v, g->object, "deps"));
    int64_t number;
    for (uint32_t n = 0; list != PF_NONE && n < g->entry_count; n++, list = pf_pickle_next(v, list)) {
        uint32_t i = pf_pickle_first(v, pf_pickle_member(v, list)), after = g->entries[n];
        for (; i != PF_NONE; i = pf_pickle_next(v, i)) {
            bool known = pf_pickle_int(v, pf_pickle_member(v, i), &number) && number >= 0 && number < g->entry_count;
            uint32_t before = known ? g->entries[number] : PF_NONE;
            if (after != PF_NONE && before != PF_NONE) {
                PF_TRY(pf_tiny_put(g->p, PF_TINY_DEPENDENCY, PF_CELLS(before, after)));
            }
        }
    }
    return PF_OK;
}

/* The device of the first entry without what follows a colon. */
static pf_status add_batch(graph *g)
{
    pf_tiny_profile *p = g->p;
    uint32_t first = PF_NONE;
    char device[256], name[32];
    for (uint32_t i = 0; i < g->entry_count && first == PF_NONE; i++) {
        first = g->entries[i];
    }
    if (first == PF_NONE) {
        return PF_OK;
    }
    pf_str base = pf_trace_string(p->t, *pf_tiny_ref_at(p, PF_TINY_EVENT, EVENT_DEVICE, first));
    const char *colon = base.ptr ? memchr(base.ptr, ':', base.len) : NULL;
    size_t len = colon ? (size_t)(colon - base.ptr) : base.len;
    snprintf(device, sizeof device, "%.*s Graph", (int)(len < 200 ? len : 200), base.ptr ? base.ptr : "");
    snprintf(name, sizeof name, "batched %u", g->entry_count);
    uint32_t on = pf_tiny_word(p, device);
    return pf_tiny_add_span(p, PF_TINY_KIND_BATCH, on, pf_tiny_word(p, name), &g->all, g->row);
}

pf_status pf_tiny_read_graph(pf_tiny_profile *p, uint32_t object)
{
    const pf_pickle_values *v = &p->values;
    graph g = {.p = p, .object = object};
    uint32_t times = pf_pickle_field(v, object, "sigs"), entries = pf_pickle_field(v, object, "ents");
    PF_TRY(pf_tiny_add_event(p, PF_TINY_KIND_GRAPH, PF_NONE, INT64_MIN));
    g.row = pf_tiny_last(p, PF_TINY_EVENT);
    pf_arena_reset(&p->arena);
    PF_TRY(PF_ARENA_NEW(&p->arena, g.times, count_members(v, times), p->err));
    PF_TRY(PF_ARENA_NEW(&p->arena, g.entries, count_members(v, entries), p->err));
    for (uint32_t i = pf_pickle_first(v, times); i != PF_NONE; i = pf_pickle_next(v, i)) {
        pf_tiny_read_time(p, pf_pickle_member(v, i), &g.times[g.time_count++]);
    }
    for (uint32_t i = pf_pickle_first(v, entries); i != PF_NONE; i = pf_pickle_next(v, i)) {
        PF_TRY(add_entry(&g, pf_pickle_member(v, i)));
    }
    PF_TRY(add_batch(&g));
    return add_dependencies(&g);
}
