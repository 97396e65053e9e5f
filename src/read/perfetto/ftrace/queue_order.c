/* read/perfetto/ftrace/queue_order.c - which queue the next entry comes from.
 *
 * All queues are sorted by time. Again and again the queue whose first time is least is taken (of equal ones that of
 * the lowest number), and its entries count as long as none of the other queues has an earlier one. So at equal times a
 * queue that is in hand goes on. In other words: entries are in the order of time and, at equal times, of queues; but
 * where several queues have one time, the queue that the entry in front of it came from is first.
 *
 * Queues are merged in pairs of neighbours, what comes out in pairs again. A pair is merged from both ends at once,
 * without a jump that depends on times: two chains of steps for the processor, none of which has to be guessed.
 *
 * The entries of all queues are cut into pieces, at times that one queue alone has: there it does not matter which
 * queue was in hand. So any thread may merge a piece, ahead of the one that applies them.
 */
#include "base/list.h"
#include "base/threads/threads.h"
#include "read/perfetto/ftrace/ftrace.h"

#define PIECE 512u        /* entries of the longest queue between two cuts */
#define WORTH_HELP 16384u /* entries of the longest queue from which on helpers pay */
#define HELPERS_MAX 15u

/* An entry. In front of a list of them is one of key 0, after it one of the largest key. */
typedef struct item {
    uint64_t key; /* its time + 1 */
    uint64_t queue;
} item;

typedef struct list {
    uint32_t at, count; /* at: of the item in front of it */
} list;

#define GUARDS 2u

typedef struct piece {
    const pf_ftrace *f;
    uint32_t *at, *to; /* by queue: its entries */
    list *list;        /* room for all queues */
    item *from, *into;
    uint32_t item_room, into_room;
    uint16_t *order; /* queues */
    uint32_t count, order_room;
    bool failed;
} piece;

struct pf_order {
    pf_budget *budget;
    const pf_ftrace *f;
    pf_crew *crew;
    uint32_t longest; /* queue */
    uint32_t *cut;    /* by queue: entries in front of it were put into pieces */
    bool all;         /* of them */
    bool holds;       /* a piece was taken and not given back */
    unsigned slots;
    piece slot[];
};

/* ---- merging ----------------------------------------------------------------------------------------------------- */

static void guard(item *items, list l)
{
    items[l.at].key = 0;
    items[l.at + l.count + 1].key = UINT64_MAX;
}

/* Lists of all queues that have entries in the piece; how many. */
static uint32_t begin(const piece *k)
{
    uint32_t lists = 0, at = 0;
    for (uint32_t q = 0; q < k->f->queues; q++) {
        const list l = {at, k->to[q] - k->at[q]};
        const char *entry = k->f->queue[q].of.any;
        size_t size = pf_queue_entry_size(k->f->queue[q].kind);
        for (uint32_t i = 0; i < l.count; i++) {
            int64_t ts;
            memcpy(&ts, entry + (k->at[q] + i) * size, sizeof ts);
            k->from[at + 1 + i] = (item){(uint64_t)ts + 1, q};
        }
        if (l.count) {
            guard(k->from, l);
            k->list[lists++] = l;
            at += l.count + GUARDS;
        }
    }
    return lists;
}

/* b or a, by a mask: compilers make a jump of a condition. */
static inline item either(const item *a, const item *b, bool second)
{
    return a[(b - a) & -(ptrdiff_t)second];
}

static inline void take_least(const item **a, const item **b, item **to)
{
    bool second = (*b)->key < (*a)->key;
    *(*to)++ = either(*a, *b, second);
    *a += !second;
    *b += second;
}

static inline void take_greatest(const item **a, const item **b, item **to)
{
    bool second = (*a)->key <= (*b)->key;
    *(*to)-- = either(*a, *b, second);
    *a -= !second;
    *b -= second;
}

/* Two neighbours into one list, at the place of the first. */
static list merge_two(const item *from, list a, list b, item *into)
{
    const list l = {a.at, a.count + b.count};
    const item *first_a = from + a.at + 1, *first_b = from + b.at + 1;
    const item *last_a = from + a.at + a.count, *last_b = from + b.at + b.count;
    item *first = into + l.at + 1, *last = into + l.at + l.count;
    for (uint32_t i = l.count / 2; i > 0; i--) {
        take_least(&first_a, &first_b, &first);
        take_greatest(&last_a, &last_b, &last);
    }
    if (l.count % 2) {
        take_least(&first_a, &first_b, &first);
    }
    guard(into, l);
    return l;
}

static void merge_lists(piece *k, uint32_t lists)
{
    while (lists > 1) {
        uint32_t made = 0;
        for (uint32_t i = 0; i + 1 < lists; i += 2) {
            k->list[made++] = merge_two(k->from, k->list[i], k->list[i + 1], k->into);
        }
        if (lists % 2) {
            const list l = k->list[lists - 1];
            memcpy(k->into + l.at, k->from + l.at, (l.count + GUARDS) * sizeof *k->into);
            k->list[made++] = l;
        }
        item *into = k->into;
        k->into = k->from;
        k->from = into;
        lists = made;
    }
}

/* The entries from i on that have its time: those of the queue in front come first. Where they end. */
static uint32_t take_ties(uint16_t *order, const item *items, uint32_t i)
{
    uint32_t end = i, to = i, hand = i ? order[i - 1] : UINT32_MAX;
    for (; items[end].key == items[i].key; end++) {
        if (items[end].queue == hand) {
            order[to++] = (uint16_t)hand;
        }
    }
    for (uint32_t from = i; from < end; from++) {
        if (items[from].queue != hand) {
            order[to++] = (uint16_t)items[from].queue;
        }
    }
    return end;
}

static void merge_piece(void *ctx, unsigned slot)
{
    pf_order *m = ctx;
    piece *k = &m->slot[slot];
    uint64_t entries = 0;
    for (uint32_t q = 0; q < k->f->queues; q++) {
        entries += k->to[q] - k->at[q];
    }
    uint64_t items = entries + (uint64_t)GUARDS * k->f->queues;
    k->failed = PF_LIST_ROOM(m->budget, k->from, items, k->item_room, NULL) != PF_OK ||
                PF_LIST_ROOM(m->budget, k->into, items, k->into_room, NULL) != PF_OK ||
                PF_LIST_ROOM(m->budget, k->order, entries, k->order_room, NULL) != PF_OK;
    k->count = k->failed ? 0 : (uint32_t)entries;
    if (k->count == 0) {
        return;
    }
    merge_lists(k, begin(k));
    const item *sorted = k->from + 1;
    for (uint32_t i = 0; i < k->count;) {
        k->order[i] = (uint16_t)sorted[i].queue;
        i = sorted[i].key == sorted[i + 1].key ? take_ties(k->order, sorted, i) : i + 1;
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
static bool cut_at(const pf_order *m, int64_t ts, uint32_t *to)
{
    uint32_t have = 0;
    for (uint32_t i = 0; i < m->f->queues; i++) {
        const pf_ftrace_queue *q = &m->f->queue[i];
        to[i] = lower_bound(q, m->cut[i], ts);
        have += to[i] < q->count && pf_queue_time(q, to[i]) == ts;
    }
    return have == 1;
}

static void plan(pf_order *m)
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

static bool start(pf_order *m, unsigned jobs)
{
    const pf_ftrace *f = m->f;
    for (uint32_t i = 1; i < f->queues; i++) {
        m->longest = f->queue[i].count > f->queue[m->longest].count ? i : m->longest;
    }
    bool whole = PF_LIST_NEW(m->budget, m->cut, f->queues, NULL) == PF_OK;
    for (unsigned i = 0; i < m->slots; i++) {
        piece *k = &m->slot[i];
        k->f = f;
        whole = whole && PF_LIST_NEW(m->budget, k->at, f->queues, NULL) == PF_OK &&
                PF_LIST_NEW(m->budget, k->to, f->queues, NULL) == PF_OK &&
                PF_LIST_NEW(m->budget, k->list, f->queues, NULL) == PF_OK;
    }
    m->crew = whole ? pf_crew_start(jobs - 1, m->slots, merge_piece, m, m->budget) : NULL;
    return m->crew;
}

pf_order *pf_order_start(const pf_ftrace *f, unsigned jobs, pf_budget *budget)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < f->queues; i++) {
        most = f->queue[i].count > most ? f->queue[i].count : most;
    }
    jobs = most < WORTH_HELP ? 1 : jobs == 0 ? 2 : jobs > HELPERS_MAX ? HELPERS_MAX + 1 : jobs;
    unsigned slots = 2 * jobs;
    pf_order *m = pf_alloc_zero(budget, 1, sizeof *m + slots * sizeof *m->slot);
    if (m) {
        m->budget = budget;
        m->f = f;
        m->slots = slots;
        if (!start(m, jobs)) {
            pf_order_stop(m);
            m = NULL;
        }
    }
    return m;
}

void pf_order_stop(pf_order *m)
{
    if (!m) {
        return;
    }
    pf_crew_stop(m->crew);
    for (unsigned i = 0; i < m->slots; i++) {
        PF_LIST_FREE(m->budget, m->slot[i].at, m->f->queues);
        PF_LIST_FREE(m->budget, m->slot[i].to, m->f->queues);
        PF_LIST_FREE(m->budget, m->slot[i].list, m->f->queues);
        PF_LIST_FREE(m->budget, m->slot[i].from, m->slot[i].item_room);
        PF_LIST_FREE(m->budget, m->slot[i].into, m->slot[i].into_room);
        PF_LIST_FREE(m->budget, m->slot[i].order, m->slot[i].order_room);
    }
    PF_LIST_FREE(m->budget, m->cut, m->f->queues);
    pf_release(m->budget, m, sizeof *m + m->slots * sizeof *m->slot);
}

bool pf_order_next(pf_order *m, const uint16_t **queues, uint32_t *count)
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
    *queues = k->order;
    *count = k->count;
    return !k->failed;
}
