/* analyze/aiu/acelyzer/acelyzer_bandwidth.c - how fast collectives move data, as acelyzer has it: windows are closed as
 * slices of collectives come; without such slices, the size is that of the first send. */
#include <math.h>

#include "analyze/aiu/acelyzer/acelyzer.h"
#include "analyze/aiu/ranks/aiu_ranks.h"

/* What acelyzer knows as slices of collectives come, one collective after the other. */
typedef struct arrivals {
    aiu_run *run;
    aiu_window *list;
    uint32_t *slices; /* by window: how many came */
    uint32_t count;
    pf_map *by_name; /* windows that wait for slices; PF_NONE: none */
    pf_map *closed;  /* names of those that are done -> the gap they come after */
    uint32_t gap, open;
    double end; /* of the last one that is done; NAN */
} arrivals;

static void close_window(arrivals *a, uint32_t name, aiu_window w)
{
    if (w.start > a->end) {
        pf_aiu_add_sample(a->run, AIU_SERIES_COLL_BW, AIU_BANDWIDTH_PID, a->end, 0, 0);
        a->gap++;
        a->open = 0;
    }
    double value = pf_aiu_gigabytes_per_second(w.bytes, w.end - w.start);
    pf_aiu_add_sample(a->run, AIU_SERIES_COLL_BW, AIU_BANDWIDTH_PID, w.start, value, 0);
    a->open += pf_map_get(a->closed, name) != a->gap;
    a->end = w.end;
    pf_aiu_map(a->run, a->closed, name, a->gap);
    pf_aiu_map(a->run, a->by_name, name, PF_NONE);
}

/* The last slice of a collective comes when as many came as it says peers. False: acelyzer ends there, at two
 * collectives of a name at the same time. */
static bool take_slice(arrivals *a, uint32_t e)
{
    const aiu_events *v = &a->run->events;
    uint32_t at = pf_map_get(a->by_name, v->name[e]), peers = 1;
    bool late = v->ts[e] < a->end;
    if (late && pf_map_get(a->closed, v->name[e]) == a->gap) {
        return false;
    }
    pf_aiu_warn_concurrent(a->run, false, late);
    if (at == PF_NONE) {
        a->list[a->count] = (aiu_window){v->ts[e], pf_aiu_end(a->run, e), (double)v->bytes[e]};
        a->slices[a->count] = 1;
        pf_aiu_map(a->run, a->by_name, v->name[e], a->count++);
        return true;
    }
    const aiu_extra *said = pf_aiu_find_extra(a->run, e, PF_STR("peers"));
    pf_str list = said ? pf_aiu_text_of(a->run, said->as.text) : PF_STR("");
    for (size_t i = 0; i < list.len; i++) {
        peers += list.ptr[i] == ',';
    }
    a->list[at].start = fmin(a->list[at].start, v->ts[e]);
    a->list[at].end = fmax(a->list[at].end, pf_aiu_end(a->run, e));
    if (++a->slices[at] == peers) {
        close_window(a, v->name[e], a->list[at]);
    }
    return true;
}

void pf_acelyzer_collective_bandwidth(aiu_run *run)
{
    arrivals a = {.run = run, .end = NAN, .by_name = pf_aiu_scratch_map(run), .closed = pf_aiu_scratch_map(run)};
    uint32_t count = pf_aiu_count_built(run), e = 0;
    a.list = pf_aiu_scratch(run, count, sizeof *a.list);
    a.slices = pf_aiu_scratch(run, count, sizeof *a.slices);
    while (a.slices && e < run->events.count && (!pf_aiu_is_built(run, e) || take_slice(&a, e))) {
        e++;
    }
    if (a.open) {
        pf_aiu_add_sample(run, AIU_SERIES_COLL_BW, AIU_BANDWIDTH_PID, a.end, 0, 0);
    }
    pf_aiu_warn_concurrent(run, a.open > 1, 0);
}

/* The size is that of the first send, what ended before the first slice is the last one of all. False: it stops there,
 * at another collective than an all-reduce. */
static bool look_at(aiu_run *run, aiu_guess *g, uint32_t e)
{
    const aiu_events *v = &run->events;
    pf_str name = pf_aiu_text_of(run, v->name[e]), group = pf_aiu_text_of(run, v->group[e]);
    if (pf_aiu_contains(group, "AllReduce_all_reduce_")) {
        g->begin = g->under_way ? g->begin : g->before;
        g->under_way = true;
        if (!g->sized && pf_aiu_contains(name, "SenRdmaSend") && v->flags[e] & AIU_HAS_BYTES) {
            g->bytes = (double)v->bytes[e];
            g->sized = true;
        }
        g->receives += pf_aiu_contains(name, "SenRdmaRecv");
    } else if (g->under_way && g->sized && g->receives > g->ranks - 1 && !v->group[e] &&
               pf_aiu_contains(name, " Cmpt Exec")) {
        pf_aiu_add_guess(run, g);
        g->sized = false;
        g->bytes = 0;
        g->receives = 0;
    } else if (g->under_way && g->sized && pf_aiu_contains(group, "AllGather")) {
        return false;
    }
    g->before = pf_aiu_end(run, e);
    return true;
}

/* The uncorrected one draws nothing. Ranks are all pids, whatever has them. */
void pf_acelyzer_group_bandwidth(aiu_run *run)
{
    uint32_t n = 0;
    aiu_key *keys = pf_aiu_rule(run, AIU_UNCORRECTED) ? NULL : pf_aiu_by_end(run, &n);
    pf_map *pids = pf_aiu_scratch_map(run);
    pf_aiu_pids(run, false, pids);
    aiu_guess g = {.before = keys && n ? keys[n - 1].first : NAN, .ranks = pids->count};
    for (uint32_t i = 0; keys && i < n && look_at(run, &g, keys[i].row); i++) {
    }
    pf_aiu_reverse(run);
}
