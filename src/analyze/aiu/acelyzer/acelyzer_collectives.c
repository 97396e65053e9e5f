/* analyze/aiu/acelyzer/acelyzer_collectives.c - the slices of collectives (-R) as acelyzer makes them: a slice begins
 * with the end of a kernel from the rank's queue, may be of negative length, and a rank without a kernel gets the times
 * of another one. */
#include <math.h>
#include <string.h>

#include "analyze/aiu/acelyzer/acelyzer.h"
#include "analyze/aiu/ranks/aiu_ranks.h"
#include "analyze/support/order_stats.h"

/* A rank of a collective: its first and its last transfer; PF_NONE. */
typedef struct taking_part {
    uint32_t first, last;
} taking_part;

typedef struct queues {
    aiu_run *run;
    const aiu_flows *f;
    aiu_rows kernels; /* that wait, by rank */
    uint32_t *next;   /* by rank: the place in them of the one that is taken next */
    uint32_t *at;     /* by event: the place in the order */
    uint32_t made;
    taking_part *part; /* room for one collective */
    int64_t *peer;     /* the same, twice: `peers` is those that all slices name */
    size_t peers;
    uint32_t *place;  /* of slices that were made: the place in the order of the event that they come after */
    bool chain, over; /* the first collective was a chain; no slices any more */
} queues;

static bool waits(aiu_run *run, uint32_t e)
{
    pf_str name = pf_aiu_text_of(run, run->events.name[e]);
    return run->events.row[e] != PF_NONE && pf_str_ends(name, PF_STR(" Cmpt Exec")) &&
           !pf_str_starts(name, PF_STR("AllReduce"));
}

/* The peers that an event names, and how many; NULL: they are only counted. */
static uint32_t take_peers(const queues *q, uint32_t e, int64_t *out)
{
    uint32_t n = 0;
    int64_t pid;
    pf_str text = pf_aiu_peers_of(q->run, e);
    for (size_t at = 0; pf_aiu_next_number(text, &at, &pid); n++) {
        if (out) {
            out[n] = pid;
        }
    }
    return n;
}

static void fill_queues(queues *q)
{
    aiu_run *run = q->run;
    for (uint32_t i = 0; i < q->f->slices; i++) {
        q->peers += take_peers(q, q->f->slice[i].event, NULL);
    }
    q->kernels = pf_aiu_rows_by_rank(run, waits);
    q->next = pf_aiu_scratch(run, run->ranks.count, sizeof *q->next);
    q->at = pf_aiu_scratch(run, run->events.count, sizeof *q->at);
    q->part = pf_aiu_scratch(run, q->f->slices, sizeof *q->part);
    q->place = pf_aiu_scratch(run, q->f->slices, sizeof *q->place);
    q->peer = pf_aiu_scratch(run, 2 * q->peers, sizeof *q->peer);
    for (uint32_t r = 0; q->peer && r < run->ranks.count; r++) {
        q->next[r] = q->kernels.first[r];
    }
    for (uint32_t i = 0; q->peer && i < run->alive; i++) {
        q->at[run->order[i]] = i;
    }
}

/* The peers that the slices of a collective name, ascending; returns how many. */
static uint32_t list_peers(queues *q, const aiu_collective *c)
{
    uint32_t n = 0, kept = 0;
    for (uint32_t s = c->first; s != PF_NONE; s = q->f->slice[s].next) {
        n += take_peers(q, q->f->slice[s].event, q->peer + n);
    }
    pf_sort_times(q->peer, n, q->peer + q->peers);
    for (uint32_t i = 0; i < n; i++) {
        q->peer[kept] = q->peer[i];
        kept += i + 1 == n || q->peer[i + 1] != q->peer[i];
    }
    return kept;
}

static bool has_arrows(const queues *q, const aiu_collective *c)
{
    bool any = false;
    for (uint32_t s = c->first; s != PF_NONE && !any; s = q->f->slice[s].next) {
        const aiu_sync_slice *slice = &q->f->slice[s];
        any = (slice->kind == AIU_SYNC_SINGLE || slice->kind == AIU_SYNC_SEGMENT) &&
              pf_aiu_receive_on(q->run, q->f, slice->set, slice->peer) != PF_NONE;
    }
    return any;
}

/* The first collective tells what all are: a chain, where the last rank sends to all. */
static bool is_chain(queues *q, const aiu_collective *c, uint32_t peers)
{
    for (uint32_t s = c->first; s != PF_NONE && !q->chain && !q->over; s = q->f->slice[s].next) {
        int64_t pid = q->run->events.pid[q->f->slice[s].event];
        bool multi = q->f->slice[s].kind == AIU_SYNC_MULTI && (pid == 0 || pid == (int64_t)peers - 1);
        q->over = multi && pid == 0;
        q->chain = multi && pid != 0;
    }
    for (uint32_t s = c->first; s != PF_NONE && q->over; s = q->f->slice[s].next) {
        pf_aiu_log(q->run, "WARNING", "FLOW: collectives that go as a tree get no slices");
    }
    if (!q->chain && !q->over) {
        q->over = true;
        pf_aiu_log(q->run, "WARNING", "FLOW: collectives of which no end of the ranks sends to all get no slices");
    }
    return q->chain;
}

/* The ranks of a collective in the order of their first transfers; returns how many. */
static uint32_t list_parts(queues *q, const aiu_collective *c, int64_t last)
{
    const aiu_events *v = &q->run->events;
    uint32_t n = 0;
    pf_map *by_pid = pf_aiu_scratch_map(q->run);
    for (uint32_t s = c->first; s != PF_NONE; s = q->f->slice[s].next) {
        uint32_t e = q->f->slice[s].event, kind = q->f->slice[s].kind;
        bool sends = kind == AIU_SYNC_SINGLE || kind == AIU_SYNC_SEGMENT, receives = kind == AIU_SYNC_RECEIVE;
        if (v->pid[e] == 0 ? sends : receives && v->pid[e] > 0) {
            uint32_t at = pf_aiu_number(q->run, by_pid, (uint64_t)v->pid[e]), *first = &q->part[at].first;
            *first = at < n && v->ts[e] >= v->ts[*first] ? *first : e;
            q->part[at].last = PF_NONE;
            n = at < n ? n : at + 1;
        }
    }
    for (uint32_t s = c->first; s != PF_NONE; s = q->f->slice[s].next) {
        uint32_t e = q->f->slice[s].event, kind = q->f->slice[s].kind, at = pf_map_get(by_pid, (uint64_t)v->pid[e]);
        if (at != PF_NONE &&
            (v->pid[e] < last ? kind == AIU_SYNC_RECEIVE : kind == AIU_SYNC_MULTI && v->pid[e] == last)) {
            uint32_t *latest = &q->part[at].last;
            *latest = *latest == PF_NONE || v->ts[e] > v->ts[*latest] ? e : *latest;
        }
    }
    return n;
}

/* Whether a rank has a kernel at that place of the queues that came before a collective. */
static bool has_kernel(const queues *q, const aiu_collective *c, uint32_t rank, uint32_t place)
{
    return place < q->kernels.first[rank + 1] && q->at[q->kernels.list[place]] <= c->at;
}

/* Kernels of a rank are taken until one begins after its first transfer and ends at about the same time: then the slice
 * begins. A rank without one has the times of the rank before it. */
static void take_collective(queues *q, uint32_t collective)
{
    enum { APART_US = 10000 };
    aiu_run *run = q->run;
    const aiu_collective *c = &q->f->collective[collective];
    uint32_t peers = list_peers(q, c), kernel = PF_NONE;
    aiu_stay at = {NAN, NAN};
    if (q->over || !has_arrows(q, c) || !is_chain(q, c, peers)) {
        return;
    }
    aiu_collective_args args = pf_aiu_collective_args(run, q->f, collective, q->peer, peers);
    uint32_t n = list_parts(q, c, (int64_t)peers - 1);
    for (const taking_part *p = q->part; p < q->part + n; p++) {
        uint32_t rank = run->events.rank[p->first];
        if (!has_kernel(q, c, rank, q->kernels.first[rank]) || p->last == PF_NONE) {
            continue;
        }
        for (bool found = false; !found && has_kernel(q, c, rank, q->next[rank]);) {
            kernel = q->kernels.list[q->next[rank]++];
            double end = pf_aiu_end(run, kernel);
            found =
                run->events.ts[kernel] > run->events.ts[p->first] && fabs(end - pf_aiu_end(run, p->first)) <= APART_US;
            at = found ? (aiu_stay){end, pf_aiu_end(run, p->last)} : at;
        }
        if (!isnan(at.start)) { /* where acelyzer ends */
            q->place[q->made++] = c->at;
            pf_aiu_add_collective_slice(run, p->first, at, &args, kernel);
        }
    }
}

/* The slices come after the event that showed their collective to be complete. Where there are none, nothing stops the
 * sizes from leaving the names. */
void pf_acelyzer_flows(aiu_run *run)
{
    const aiu_exchange *x = pf_aiu_find_collectives(run);
    if (!x || !run->set.build_coll || !run->set.flow) {
        return;
    }
    queues q = {.run = run, .f = &x->flows};
    fill_queues(&q);
    for (uint32_t i = 0; i < q.f->done_count && !pf_aiu_failed(run); i++) {
        take_collective(&q, q.f->done[i]);
    }
    if (!q.made && pf_aiu_rule(run, AIU_UNCORRECTED)) {
        pf_aiu_cut_sizes(run, false);
    }
    uint32_t *order = q.made ? pf_aiu_scratch(run, run->alive, sizeof *order) : NULL, n = 0, made = 0;
    uint32_t old = run->alive - q.made;
    for (uint32_t i = 0; order && i < old; i++) {
        order[n++] = run->order[i];
        while (made < q.made && q.place[made] <= i) {
            order[n++] = run->order[old + made++];
        }
    }
    if (order) {
        memcpy(run->order, order, (size_t)n * sizeof *order); /* those after the last event are where they belong */
    }
}
