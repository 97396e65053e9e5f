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
 * The entries of all queues are cut into pieces by times. So any thread may read what the parts of a piece hold
 * (parts.c) and merge it, ahead of the one that applies them. Which queue was in hand at its beginning is known once
 * the piece before it was merged; it decides the order of no more than the first entries, up to a time that one queue
 * alone has.
 */
#include "base/list.h"
#include "base/thread.h"
#include "base/threads/threads.h"
#include "read/perfetto/ftrace/ftrace.h"

#define PIECE 1024u       /* entries of the longest queue between two cuts */
#define WORTH_HELP 16384u /* entries of the longest queue from which on helpers pay */
#define HELPERS_MAX 15u
#define MOST_READ 4u /* times that an entry of a part is read */

/* An entry: its time + 1, from the beginning of the piece, and its queue. In front of a list of them is 0, after it the
 * largest number. */
typedef uint64_t item;
#define QUEUE_BITS 12u
#define SPAN (INT64_C(1) << (62 - QUEUE_BITS)) /* ns: the most between two cuts */
_Static_assert(PF_QUEUE_PACKETS *PF_FTRACE_CPUS + 2 < 1u << QUEUE_BITS, "a number of a queue has these bits");

typedef struct list {
    uint32_t at, count; /* at: of the item in front of it */
} list;

#define GUARDS 2u

typedef struct piece {
    pf_turns turns;
    int64_t from, until; /* times */
    bool is_last;        /* all that is left */
    char *entry;         /* those of parts */
    size_t entry_room;
    pf_sched_said *said;
    uint32_t said_room;
    pf_ftrace_bundle scratch;
    uint32_t *first; /* by queue: its first part, or entry */
    list *list;      /* room for all queues */
    item *items, *into;
    uint32_t item_room, into_room, turn_room;
    bool failed;
} piece;

struct pf_order {
    pf_budget *budget;
    const pf_ftrace *f;
    pf_crew *crew;
    int64_t *cut; /* times at which a piece ends and another one begins */
    uint32_t cuts, cut_room;
    uint32_t pieces; /* that were begun */
    uint32_t hand;   /* the queue of the last turn, or PF_NONE */
    bool holds;      /* a piece was taken and not given back */
    unsigned slots;
    piece slot[];
};

/* ---- the entries of a piece -------------------------------------------------------------------------------------- */

/* The first of the parts, or entries, that has a time from ts on: parts by their last one. */
static uint32_t lower_bound(const pf_ftrace_queue *q, int64_t ts)
{
    uint32_t low = 0, high = q->parts ? q->parts : q->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        bool before = (q->parts ? q->part[middle].last : pf_queue_time(q, middle)) < ts;
        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }
    return low;
}

static bool is_of_piece(const piece *k, int64_t ts)
{
    return k->is_last || ts < k->until;
}

/* What plain switches and wakings say; bytes up to `readable` may be looked at, if it is not NULL. */
static void read_said(piece *k, uint32_t *said, const pf_ftrace_event *e, uint32_t count, const uint8_t *readable)
{
    for (uint32_t i = 0; i < count; i++) {
        if (pf_event_is_sched(e[i].kind)) {
            pf_thread_will_write(k->said + *said + 6);
            pf_sched_read(&e[i], readable ? readable : e[i].body + e[i].len, &k->said[(*said)++]);
        }
    }
}

static int64_t time_at(const void *entry)
{
    int64_t ts;
    memcpy(&ts, entry, sizeof ts); /* each entry begins with it */
    return ts;
}

/* The parts of a queue that are of the piece, into memory for all their entries; *at goes after these. */
static bool read_parts(const pf_order *m, piece *k, uint32_t number, char **at, uint32_t *said)
{
    const pf_ftrace_queue *q = &m->f->queue[number];
    pf_queue_span *span = &k->turns.of[number];
    size_t size = pf_queue_entry_size(q->kind);
    char *into = *at;
    int64_t last = k->from;
    span->next = into;
    for (uint32_t i = k->first[number]; i < q->parts && is_of_piece(k, q->part[i].first); i++) {
        const pf_part *part = &q->part[i];
        char *end = into + part->count * size;
        if (!pf_part_read(m->f, q->kind, part, &k->scratch, into)) {
            return false;
        }
        for (; into < end && time_at(into) < k->from; into += size) { /* of the first one */
            span->next = into + size;
        }
        for (; into < end && !is_of_piece(k, time_at(end - size)); end -= size) {
        }
        uint32_t count = (uint32_t)((size_t)(end - into) / size);
        if (count && (time_at(into) < last || time_at(end - size) - k->from > SPAN)) { /* the file has changed */
            return false;
        }
        last = count ? time_at(end - size) : last;
        if (q->kind == PF_QUEUE_EVENTS) {
            read_said(k, said, (const void *)into, count, part->bytes + part->len + part->beyond);
        }
        span->count += count;
        into = end;
    }
    *at = into;
    return true;
}

/* Where each queue begins, and room for all that it has; false: memory was refused. */
static bool find_entries(const pf_order *m, piece *k)
{
    uint64_t entries = 0, bytes = 0, events = 0;
    for (uint32_t i = 0; i < m->f->queues; i++) {
        const pf_ftrace_queue *q = &m->f->queue[i];
        uint32_t first = lower_bound(q, k->from), end = k->is_last ? q->count : lower_bound(q, k->until);
        uint64_t count = q->parts ? 0 : end - first;
        for (uint32_t j = first; j < q->parts && is_of_piece(k, q->part[j].first); j++) {
            count += q->part[j].count;
        }
        k->first[i] = first;
        k->turns.of[i] = (pf_queue_span){.count = q->parts ? 0 : (uint32_t)count};
        bytes += q->parts ? count * pf_queue_entry_size(q->kind) : 0;
        events += q->kind == PF_QUEUE_EVENTS ? count : 0;
        entries += count;
    }
    uint64_t items = entries + (uint64_t)GUARDS * m->f->queues;
    return PF_LIST_ROOM(m->budget, k->entry, bytes, k->entry_room, NULL) == PF_OK &&
           PF_LIST_ROOM(m->budget, k->said, events, k->said_room, NULL) == PF_OK &&
           PF_LIST_ROOM(m->budget, k->items, items, k->item_room, NULL) == PF_OK &&
           PF_LIST_ROOM(m->budget, k->into, items, k->into_room, NULL) == PF_OK &&
           PF_LIST_ROOM(m->budget, k->turns.queue, entries, k->turn_room, NULL) == PF_OK;
}

/* The entries of all queues that are of the piece; false: memory was refused. */
static bool read_entries(const pf_order *m, piece *k)
{
    bool fine = find_entries(m, k);
    char *into = k->entry;
    uint32_t said = 0;
    for (uint32_t i = 0; i < m->f->queues && fine; i++) {
        const pf_ftrace_queue *q = &m->f->queue[i];
        pf_queue_span *span = &k->turns.of[i];
        span->said = k->said ? k->said + said : NULL; /* of pieces without events there are none */
        if (q->parts) {
            fine = read_parts(m, k, i, &into, &said);
        } else if (span->count) {
            span->next = (const char *)q->of.any + k->first[i] * pf_queue_entry_size(q->kind);
            if (q->kind == PF_QUEUE_EVENTS) {
                read_said(k, &said, span->next, span->count, NULL);
            }
        }
    }
    return fine;
}

/* ---- merging ----------------------------------------------------------------------------------------------------- */

static inline uint32_t queue_of(item i)
{
    return i & ((1u << QUEUE_BITS) - 1);
}

static void guard(item *items, list l)
{
    items[l.at] = 0;
    items[l.at + l.count + 1] = UINT64_MAX;
}

/* Lists of all queues that have entries in the piece; how many. */
static uint32_t begin(const pf_ftrace *f, const piece *k)
{
    uint32_t lists = 0, at = 0;
    for (uint32_t q = 0; q < f->queues; q++) {
        const list l = {at, k->turns.of[q].count};
        const char *entry = k->turns.of[q].next;
        size_t size = pf_queue_entry_size(f->queue[q].kind);
        for (uint32_t i = 0; i < l.count; i++) {
            k->items[at + 1 + i] = (uint64_t)(time_at(entry + i * size) - k->from + 1) << QUEUE_BITS | q;
        }
        if (l.count) {
            guard(k->items, l);
            k->list[lists++] = l;
            at += l.count + GUARDS;
        }
    }
    return lists;
}

static inline void take_least(const item **a, const item **b, item **to)
{
    const item of_a = **a, of_b = **b;
    bool second = of_b < of_a;
    *(*to)++ = second ? of_b : of_a;
    *a += !second;
    *b += second;
}

static inline void take_greatest(const item **a, const item **b, item **to)
{
    const item of_a = **a, of_b = **b;
    bool second = of_a <= of_b;
    *(*to)-- = second ? of_b : of_a;
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
            k->list[made++] = merge_two(k->items, k->list[i], k->list[i + 1], k->into);
        }
        if (lists % 2) {
            const list l = k->list[lists - 1];
            memcpy(k->into + l.at, k->items + l.at, (l.count + GUARDS) * sizeof *k->into);
            k->list[made++] = l;
        }
        item *into = k->into;
        k->into = k->items;
        k->items = into;
        lists = made;
    }
}

/* The entries from i on that have its time: those of the queue in hand come first, then those of the others by number.
 * Where they end. */
static inline uint32_t order_ties(const piece *k, uint32_t i, uint32_t hand)
{
    const item *sorted = k->items + 1;
    uint16_t *queue = k->turns.queue;
    uint32_t end = i, of_hand = 0, to = i;
    do {
        of_hand += queue_of(sorted[end]) == hand;
        queue[end] = (uint16_t)queue_of(sorted[end]);
    } while (sorted[++end] >> QUEUE_BITS == sorted[i] >> QUEUE_BITS);
    if (of_hand == 0 || end - i == 1) {
        return end;
    }
    for (; to < i + of_hand; to++) {
        queue[to] = (uint16_t)hand;
    }
    for (uint32_t from = i; from < end; from++) {
        if (queue_of(sorted[from]) != hand) {
            queue[to++] = (uint16_t)queue_of(sorted[from]);
        }
    }
    return end;
}

/* The order of the first entries as the queue in hand in front of them makes it: up to a time that one queue has. */
static void order_first(const piece *k, uint32_t hand)
{
    bool several = true;
    for (uint32_t i = 0, end; i < k->turns.count && several; i = end) {
        end = order_ties(k, i, i ? k->turns.queue[i - 1] : hand);
        several = queue_of(k->items[i + 1]) != queue_of(k->items[end]); /* in the order of queues */
    }
}

static void merge_piece(void *ctx, unsigned slot)
{
    pf_order *m = ctx;
    piece *k = &m->slot[slot];
    k->turns.count = 0;
    k->failed = !read_entries(m, k);
    for (uint32_t i = 0; i < m->f->queues && !k->failed; i++) {
        k->turns.count += k->turns.of[i].count;
    }
    if (k->turns.count == 0) {
        return;
    }
    merge_lists(k, begin(m->f, k));
    for (uint32_t i = 0; i < k->turns.count;) {
        i = order_ties(k, i, i ? k->turns.queue[i - 1] : PF_NONE);
    }
}

/* ---- pieces ------------------------------------------------------------------------------------------------------ */

static uint64_t entries_of(const pf_ftrace_queue *q)
{
    return q->count + q->in_parts;
}

static const pf_ftrace_queue *find_longest(const pf_ftrace *f)
{
    const pf_ftrace_queue *longest = f->queue;
    for (uint32_t i = 1; i < f->queues; i++) {
        longest = entries_of(&f->queue[i]) > entries_of(longest) ? &f->queue[i] : longest;
    }
    return longest;
}

static int64_t last_time(const pf_ftrace_queue *q)
{
    return q->parts ? q->part[q->parts - 1].last : q->count ? pf_queue_time(q, q->count - 1) : 0;
}

static int64_t last_cut(const pf_order *m)
{
    return m->cuts ? m->cut[m->cuts - 1] : 0;
}

static pf_status add_cut(pf_order *m, int64_t ts, pf_error *err)
{
    PF_TRY(PF_LIST_ROOM(m->budget, m->cut, m->cuts + 1, m->cut_room, err));
    m->cut[m->cuts++] = ts;
    return PF_OK;
}

/* No piece is longer, up to ts. */
static pf_status cut_spans(pf_order *m, int64_t ts, pf_error *err)
{
    while (ts - last_cut(m) > SPAN) {
        PF_TRY(add_cut(m, last_cut(m) + SPAN, err));
    }
    return PF_OK;
}

/* Cuts where a part or entry of the longest queue begins, so that it has some in each piece. */
static pf_status find_cuts(pf_order *m, const pf_ftrace_queue *q, pf_error *err)
{
    uint32_t entries = 0, all = q->parts ? q->parts : q->count;
    for (uint32_t i = 0; i < all; i++) {
        int64_t ts = q->parts ? q->part[i].first : pf_queue_time(q, i);
        PF_TRY(cut_spans(m, ts, err));
        if (entries >= PIECE && ts > last_cut(m)) {
            PF_TRY(add_cut(m, ts, err));
            entries = 0;
        }
        entries += q->parts ? q->part[i].count : 1;
    }
    for (uint32_t i = 0; i < m->f->queues; i++) {
        PF_TRY(cut_spans(m, last_time(&m->f->queue[i]), err));
    }
    return PF_OK;
}

/* Whether the parts of a queue lie in so many pieces that reading them in each would take too long. */
static bool are_cut_often(const pf_order *m, const pf_ftrace_queue *q)
{
    uint64_t read = 0, most = MOST_READ * q->in_parts;
    uint32_t first = 0;
    for (uint32_t i = 0; i < q->parts && read <= most; i++) {
        while (first < m->cuts && m->cut[first] <= q->part[i].first) {
            first++;
        }
        read += q->part[i].count;
        for (uint32_t j = first; j < m->cuts && m->cut[j] <= q->part[i].last && read <= most; j++) {
            read += q->part[i].count;
        }
    }
    return read > most;
}

static void plan(pf_order *m)
{
    while (m->pieces <= m->cuts && pf_crew_room(m->crew) > 0) {
        piece *k = &m->slot[pf_crew_next(m->crew)];
        k->from = m->pieces ? m->cut[m->pieces - 1] : 0;
        k->is_last = m->pieces == m->cuts;
        k->until = k->is_last ? INT64_MAX : m->cut[m->pieces];
        m->pieces++;
        pf_crew_put(m->crew);
    }
}

/* False after an error. */
static bool start(pf_import *im, pf_order *m, unsigned jobs, const pf_ftrace_queue *longest)
{
    pf_ftrace *f = im->ftrace;
    bool fine = find_cuts(m, longest, im->err) == PF_OK;
    for (uint32_t i = 0; i < f->queues && fine; i++) {
        fine = !are_cut_often(m, &f->queue[i]) || pf_parts_expand(im, &f->queue[i]);
    }
    for (unsigned i = 0; i < m->slots && fine; i++) {
        piece *k = &m->slot[i];
        k->scratch.budget = m->budget;
        fine = PF_LIST_NEW(m->budget, k->turns.of, f->queues, im->err) == PF_OK &&
               PF_LIST_NEW(m->budget, k->first, f->queues, im->err) == PF_OK &&
               PF_LIST_NEW(m->budget, k->list, f->queues, im->err) == PF_OK;
    }
    m->crew = fine ? pf_crew_start(jobs - 1, m->slots, merge_piece, m, m->budget) : NULL;
    if (fine && !m->crew) {
        pf_import_refuse(im, sizeof *m);
    }
    return m->crew;
}

pf_order *pf_order_start(pf_import *im)
{
    const pf_ftrace_queue *longest = find_longest(im->ftrace);
    unsigned jobs = im->o->jobs;
    jobs = entries_of(longest) < WORTH_HELP ? 1 : jobs == 0 ? 2 : jobs > HELPERS_MAX ? HELPERS_MAX + 1 : jobs;
    unsigned slots = 2 * jobs;
    size_t size = sizeof(pf_order) + slots * sizeof(piece);
    pf_order *m = pf_import_failed(im) ? NULL : pf_alloc_zero(&im->t->budget, 1, size);
    if (!m) {
        pf_import_refuse(im, size);
        return NULL;
    }
    m->budget = &im->t->budget;
    m->f = im->ftrace;
    m->slots = slots;
    m->hand = PF_NONE;
    if (!start(im, m, jobs, longest)) {
        pf_order_stop(m);
        return NULL;
    }
    return m;
}

static void free_piece(pf_budget *budget, piece *k, uint32_t queues)
{
    PF_LIST_FREE(budget, k->turns.of, queues);
    PF_LIST_FREE(budget, k->turns.queue, k->turn_room);
    PF_LIST_FREE(budget, k->entry, k->entry_room);
    PF_LIST_FREE(budget, k->said, k->said_room);
    PF_LIST_FREE(budget, k->first, queues);
    PF_LIST_FREE(budget, k->list, queues);
    PF_LIST_FREE(budget, k->items, k->item_room);
    PF_LIST_FREE(budget, k->into, k->into_room);
    pf_ftrace_bundle_free(&k->scratch);
}

void pf_order_stop(pf_order *m)
{
    if (!m) {
        return;
    }
    pf_crew_stop(m->crew);
    for (unsigned i = 0; i < m->slots; i++) {
        free_piece(m->budget, &m->slot[i], m->f->queues);
    }
    PF_LIST_FREE(m->budget, m->cut, m->cut_room);
    pf_release(m->budget, m, sizeof *m + m->slots * sizeof *m->slot);
}

/* The next piece, instead of the one in hand; NULL: there is none. */
static piece *next_piece(pf_order *m)
{
    if (m->holds) {
        pf_crew_release(m->crew);
    }
    plan(m);
    m->holds = pf_crew_pending(m->crew) > 0;
    return m->holds ? &m->slot[pf_crew_take(m->crew)] : NULL;
}

const pf_turns *pf_order_next(pf_order *m)
{
    static const pf_turns none = {.count = 0};
    const piece *k = next_piece(m);
    while (k && !k->failed && k->turns.count == 0) {
        k = next_piece(m);
    }
    if (!k || k->failed) {
        return k ? NULL : &none;
    }
    order_first(k, m->hand);
    m->hand = k->turns.queue[k->turns.count - 1];
    return &k->turns;
}
