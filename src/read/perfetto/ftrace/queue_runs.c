/* read/perfetto/ftrace/queue_runs.c - which queue the next entries come from.
 *
 * All queues are sorted by time. Again and again the queue whose first time is least is taken (of equal ones that of
 * the lowest number), and its entries count as long as none of the other queues has an earlier one. So at equal times a
 * queue that is in hand goes on.
 *
 * The entries of all queues are cut into pieces, at times that one queue alone has: there it does not matter which
 * queue was in hand. So any thread may merge a piece, ahead of the one that applies them.
 */
#include "base/list.h"
#include "base/threads/threads.h"
#include "read/perfetto/ftrace/ftrace.h"

#define PIECE 2048u       /* entries of the longest queue between two cuts */
#define WORTH_HELP 16384u /* entries of the longest queue from which on helpers pay */
#define HELPERS_MAX 15u

/* The first entry of a queue. */
typedef struct head {
    int64_t ts;
    uint64_t queue; /* its number */
} head;

#define NOBODY ((head){INT64_MAX, UINT64_MAX})

/* Queues play in pairs, and the winners again, until one is left. Each game keeps who lost it; so once the queue that
 * won has another head, only the games on its way up are played again. */
typedef struct piece {
    const pf_ftrace *f;
    uint32_t *at, *to; /* by queue: the entries that are left */
    head *lost;        /* by game: that above game i is i / 2, the last one 1 */
    pf_run *run;
    uint32_t runs, run_room;
    bool failed;
} piece;

struct pf_run_merge {
    pf_budget *budget;
    const pf_ftrace *f;
    pf_crew *crew;
    uint32_t longest; /* queue */
    uint32_t places;  /* a power of two; place p plays in game (places + p) / 2 first */
    uint32_t *cut;    /* by queue: entries in front of it were put into pieces */
    bool all;         /* of them */
    bool holds;       /* a piece was taken and not given back */
    unsigned slots;
    piece slot[];
};

/* ---- the tournament ---------------------------------------------------------------------------------------------- */

static inline bool is_before(head a, head b)
{
    return (a.ts < b.ts) | ((a.ts == b.ts) & (a.queue < b.queue));
}

/* The head of the queue that won became `h`: who wins now. */
static inline head replay(head *lost, uint32_t places, uint32_t place, head h)
{
    for (uint32_t game = (places + place) / 2; game > 0; game /= 2) {
        const head other = lost[game];
        bool loses = is_before(other, h);
        lost[game] = (head){loses ? h.ts : other.ts, loses ? h.queue : other.queue};
        h = (head){loses ? other.ts : h.ts, loses ? other.queue : h.queue};
    }
    return h;
}

/* The least time of all heads but the winner's: it beat the second in one of its games. */
static inline int64_t second_time(const head *lost, uint32_t places, uint32_t place)
{
    int64_t ts = INT64_MAX;
    for (uint32_t game = (places + place) / 2; game > 0; game /= 2) {
        ts = lost[game].ts < ts ? lost[game].ts : ts;
    }
    return ts;
}

static head head_of(const piece *k, uint32_t queue)
{
    bool plays = queue < k->f->queues && k->at[queue] < k->to[queue];
    return plays ? (head){pf_queue_time(&k->f->queue[queue], k->at[queue]), queue} : NOBODY;
}

/* All heads at their places; the winner. */
static head begin(const piece *k, uint32_t places)
{
    head *winner = k->lost + places; /* the lower half of it is that of the games */
    for (uint32_t i = 0; i < places; i++) {
        winner[places + i] = head_of(k, i);
    }
    for (uint32_t game = places - 1; game > 0; game--) {
        head a = winner[2 * game], b = winner[2 * game + 1];
        bool first = is_before(a, b);
        winner[game] = first ? a : b;
        k->lost[game] = first ? b : a;
    }
    return winner[1];
}

static void merge_piece(void *ctx, unsigned slot)
{
    const pf_run_merge *m = ctx;
    piece *k = &((pf_run_merge *)ctx)->slot[slot];
    head next = begin(k, m->places);
    for (k->runs = 0; next.queue != NOBODY.queue; k->runs++) {
        uint32_t number = (uint32_t)next.queue, first = k->at[number], at = first + 1, to = k->to[number];
        const pf_ftrace_queue *q = &m->f->queue[number];
        int64_t until = second_time(k->lost, m->places, number);
        if (PF_LIST_ROOM(m->budget, k->run, k->runs + 1, k->run_room, NULL) != PF_OK) {
            k->failed = true;
            return;
        }
        while (at < to && pf_queue_time(q, at) <= until) {
            at++;
        }
        k->run[k->runs] = (pf_run){number, at - first};
        k->at[number] = at;
        next = replay(k->lost, m->places, number, head_of(k, number));
    }
}

/* ---- pieces ------------------------------------------------------------------------------------------------------ */

/* The first entry from `from` on that is not before the time. */
static uint32_t lower_bound(const pf_ftrace_queue *q, uint32_t from, int64_t ts)
{
    uint32_t low = from, high = q->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        bool before = pf_queue_time(q, middle) < ts;
        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }
    return low;
}

/* Where a piece ends that begins at the last cut; false if several queues have that time. */
static bool cut_at(const pf_run_merge *m, int64_t ts, uint32_t *to)
{
    uint32_t have = 0;
    for (uint32_t i = 0; i < m->f->queues; i++) {
        const pf_ftrace_queue *q = &m->f->queue[i];
        to[i] = lower_bound(q, m->cut[i], ts);
        have += to[i] < q->count && pf_queue_time(q, to[i]) == ts;
    }
    return have == 1;
}

static void plan(pf_run_merge *m)
{
    const pf_ftrace_queue *q = &m->f->queue[m->longest];
    while (!m->all && pf_crew_room(m->crew) > 0) {
        piece *k = &m->slot[pf_crew_next(m->crew)];
        uint64_t end = (uint64_t)m->cut[m->longest] + PIECE;
        while (end < q->count && !cut_at(m, pf_queue_time(q, (uint32_t)end), k->to)) {
            end += PIECE;
        }
        m->all = end >= q->count;
        for (uint32_t i = 0; i < m->f->queues; i++) {
            k->at[i] = m->cut[i];
            m->cut[i] = k->to[i] = m->all ? m->f->queue[i].count : k->to[i];
        }
        pf_crew_put(m->crew);
    }
}

static bool start(pf_run_merge *m, unsigned jobs)
{
    const pf_ftrace *f = m->f;
    for (uint32_t i = 1; i < f->queues; i++) {
        m->longest = f->queue[i].count > f->queue[m->longest].count ? i : m->longest;
    }
    for (m->places = 2; m->places < f->queues;) {
        m->places *= 2;
    }
    bool whole = PF_LIST_NEW(m->budget, m->cut, f->queues, NULL) == PF_OK;
    for (unsigned i = 0; i < m->slots; i++) {
        piece *k = &m->slot[i];
        k->f = f;
        whole = whole && PF_LIST_NEW(m->budget, k->at, f->queues, NULL) == PF_OK &&
                PF_LIST_NEW(m->budget, k->to, f->queues, NULL) == PF_OK &&
                PF_LIST_NEW(m->budget, k->lost, (size_t)m->places * 3, NULL) == PF_OK;
    }
    m->crew = whole ? pf_crew_start(jobs - 1, m->slots, merge_piece, m, m->budget) : NULL;
    return m->crew;
}

pf_run_merge *pf_runs_start(const pf_ftrace *f, unsigned jobs, pf_budget *budget)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < f->queues; i++) {
        most = f->queue[i].count > most ? f->queue[i].count : most;
    }
    jobs = most < WORTH_HELP ? 1 : jobs == 0 ? 2 : jobs > HELPERS_MAX ? HELPERS_MAX + 1 : jobs;
    unsigned slots = 2 * jobs;
    pf_run_merge *m = pf_alloc_zero(budget, 1, sizeof *m + slots * sizeof *m->slot);
    if (m) {
        m->budget = budget;
        m->f = f;
        m->slots = slots;
        if (!start(m, jobs)) {
            pf_runs_stop(m);
            m = NULL;
        }
    }
    return m;
}

void pf_runs_stop(pf_run_merge *m)
{
    if (!m) {
        return;
    }
    pf_crew_stop(m->crew);
    for (unsigned i = 0; i < m->slots; i++) {
        PF_LIST_FREE(m->budget, m->slot[i].at, m->f->queues);
        PF_LIST_FREE(m->budget, m->slot[i].to, m->f->queues);
        PF_LIST_FREE(m->budget, m->slot[i].lost, (size_t)m->places * 3);
        PF_LIST_FREE(m->budget, m->slot[i].run, m->slot[i].run_room);
    }
    PF_LIST_FREE(m->budget, m->cut, m->f->queues);
    pf_release(m->budget, m, sizeof *m + m->slots * sizeof *m->slot);
}

bool pf_runs_next(pf_run_merge *m, const pf_run **runs, uint32_t *count)
{
    if (m->holds) {
        pf_crew_release(m->crew);
        m->holds = false;
    }
    plan(m);
    *count = 0;
    if (pf_crew_pending(m->crew) == 0) {
        return true;
    }
    const piece *k = &m->slot[pf_crew_take(m->crew)];
    m->holds = true;
    *runs = k->run;
    *count = k->runs;
    return !k->failed;
}
