/* analyze/aiu/ranks/aiu_flows.c - the stages of --flow: names and peers of transfers, then arrows and collectives.
 *
 * Every send to one rank has an arrow to the receive of its set on that rank, from the begin of the one to the end of
 * the other. Where the receive ends before the send begins, the clocks of the two ranks are not right; such arrows are
 * counted, and the largest lateness of each pair of ranks is shown. Collectives are found even where no arrows are
 * wanted, for the reports of our own.
 */
#include <stdlib.h>

#include "analyze/aiu/ranks/aiu_ranks.h"
#include "base/str.h"

static void cut_size(aiu_run *run, uint32_t e)
{
    run->events.name[e] = pf_aiu_replace(run, run->events.name[e], " [#B]", "", false);
}

/* One peer is a list of one. */
static void list_peer(aiu_run *run, uint32_t e)
{
    aiu_events *v = &run->events;
    if (v->peer[e] && !v->peers[e]) {
        v->peers[e] = v->peer[e];
        v->flags[e] |= AIU_PEER_LISTED;
        pf_aiu_add_text(run, e, PF_STR("Peers"), pf_aiu_text_of(run, v->peer[e]));
    }
}

static bool is_transfer(aiu_run *run, uint32_t e)
{
    return pf_aiu_is_slice(run, e) && pf_aiu_sync_key(pf_aiu_text_of(run, run->events.name[e])).ptr;
}

/* The size leaves the name, unless an argument says it too: acelyzer cannot make slices of collectives without it. */
static bool has_size_in_name(aiu_run *run, uint32_t e)
{
    return is_transfer(run, e) && !(run->events.flags[e] & AIU_HAS_BYTES);
}

void pf_aiu_cut_sizes(aiu_run *run, bool corrected)
{
    pf_aiu_each(run, corrected ? has_size_in_name : is_transfer, cut_size);
}

void pf_aiu_flow_names(aiu_run *run)
{
    pf_aiu_cut_sizes(run, !pf_aiu_rule(run, AIU_UNCORRECTED) || run->set.build_coll);
    pf_aiu_each(run, is_transfer, list_peer);
}

/* ---- arrows ------------------------------------------------------------------------------------------------------ */

#define FIRST_ID 1000001
#define BEFORE_END_US 0.001

typedef struct late_pair {
    int64_t from, to;
    double worst; /* us */
} late_pair;

typedef struct arrows {
    const aiu_flows *f;
    aiu_exchange *x;
    int64_t next_id;
    uint64_t late;
    late_pair *pair;
    uint32_t pairs;
    aiu_pairs at; /* two pids: the place in `pair` */
} arrows;

static void note_late(aiu_run *run, arrows *a, int64_t from, int64_t to, double by)
{
    uint32_t at = pf_aiu_pair(run, &a->at, (uint64_t)from, (uint64_t)to);
    a->late++;
    if (at == a->pairs) {
        a->pair[a->pairs++] = (late_pair){from, to, by};
    }
    a->pair[at].worst = by > a->pair[at].worst ? by : a->pair[at].worst;
}

static void draw(aiu_run *run, arrows *a, const aiu_sync_slice *send)
{
    const aiu_events *v = &run->events;
    uint32_t at = pf_aiu_receive_on(run, a->f, send->set, send->peer);
    if (at == PF_NONE) {
        return;
    }
    uint32_t from = send->event, to = a->f->slice[at].event;
    uint32_t key = a->f->set[send->set].key, group = v->group[from];
    double start = v->ts[from], end = pf_aiu_end(run, to) - BEFORE_END_US;
    int64_t id = a->next_id++;
    a->x->arrow[a->x->arrows++] = (aiu_arrow_pair){from, to};
    if (run->set.flow) {
        pf_aiu_add_arrow(run, 's', start, v->pid[from], v->tid[from], id, key, group);
        pf_aiu_add_arrow(run, 'f', end, v->pid[to], v->tid[to], id, key, group);
    }
    if (start > end) {
        note_late(run, a, v->pid[from], v->pid[to], start - end);
    }
}

static int compare_pairs(const void *a, const void *b)
{
    const late_pair *x = a, *y = b;
    return x->from != y->from ? (x->from > y->from) - (x->from < y->from) : (x->to > y->to) - (x->to < y->to);
}

static void show_late(aiu_run *run, arrows *a)
{
    if (!a->late || !run->set.flow) {
        return;
    }
    pf_aiu_log(run, "WARNING", "FLOW: Number of potential problems detected = %llu", (unsigned long long)a->late);
    pf_aiu_log(run, "RAW", "src  dst  recv_before_send");
    qsort(a->pair, a->pairs, sizeof *a->pair, compare_pairs);
    for (uint32_t i = 0; i < a->pairs; i++) {
        pf_aiu_log(run, "RAW", "%lld  %lld  %s", (long long)a->pair[i].from, (long long)a->pair[i].to,
                   pf_aiu_num(run, a->pair[i].worst));
    }
}

static void draw_arrows(aiu_run *run, const aiu_flows *f, aiu_exchange *x)
{
    arrows a = {.f = f, .x = x, .next_id = FIRST_ID};
    pf_aiu_pairs_init(&a.at, run->budget);
    a.pair = pf_aiu_scratch(run, f->slices, sizeof *a.pair);
    x->arrow = pf_aiu_alloc(run, f->slices, sizeof *x->arrow);
    for (uint32_t i = 0; i < f->done_count && x->arrow; i++) {
        for (uint32_t s = f->collective[f->done[i]].first; s != PF_NONE; s = f->slice[s].next) {
            aiu_sync_kind kind = f->slice[s].kind;
            if (kind == AIU_SYNC_SINGLE || kind == AIU_SYNC_SEGMENT) {
                draw(run, &a, &f->slice[s]);
            }
        }
    }
    x->late = a.late;
    show_late(run, &a);
    if (f->dropped && (run->set.flow || !pf_aiu_rule(run, AIU_OTHER_WORDS))) {
        pf_aiu_log(run, "WARNING",
                   "FLOW: Incomplete flow groups dropped = %u  This can be caused by time-synchronization issues. You "
                   "might try cmdline arg '-S'",
                   f->dropped);
    }
    pf_aiu_pairs_free(&a.at);
}

/* ---- the step ---------------------------------------------------------------------------------------------------- */

aiu_exchange *pf_aiu_find_collectives(aiu_run *run)
{
    aiu_exchange *x = pf_aiu_exchange(run);
    if (x) {
        pf_aiu_flows_read(run, &x->flows);
        pf_aiu_flows_free(&x->flows);
    }
    if (!pf_aiu_failed(run)) {
        draw_arrows(run, &x->flows, x);
        pf_aiu_members_read(run, &x->flows, &x->members);
    }
    return pf_aiu_failed(run) ? NULL : x;
}

/* Slices of collectives in order of time. */
void pf_aiu_flows(aiu_run *run)
{
    const aiu_exchange *x = pf_aiu_find_collectives(run);
    if (x && run->set.build_coll && run->set.flow) {
        pf_aiu_collective_slices(run, &x->flows, &x->members);
        pf_aiu_sort_by_time(run);
    }
}
