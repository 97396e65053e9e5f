/* analyze/aiu/ranks/aiu_collective_slices.c - a slice for each rank of a complete collective (-R).
 *
 * A slice is as long as the rank's stay. Under --compat it begins with the end of a kernel from the rank's queue, may
 * be of negative length, and a rank without a kernel gets the times of another one, as in the program before postfetto.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/aiu/ranks/aiu_members.h"
#include "analyze/support/pass_memory.h"

/* "{0, 1, 2, 3}" */
static pf_str list_pids(aiu_run *run, const int64_t *pid, uint32_t n)
{
    pf_buffer b = {0};
    for (uint32_t i = 0; i < n; i++) {
        pf_buffer_format(&b, "%s%lld", i ? ", " : "{", (long long)pid[i]);
    }
    pf_buffer_text(&b, "}");
    return pf_pass_keep_buffer(run->findings, &b);
}

/* The last number of a group's name, "0" without one. */
static pf_str number_of(pf_str name)
{
    size_t end = name.len;
    while (end && (name.ptr[end - 1] < '0' || name.ptr[end - 1] > '9')) {
        end--;
    }
    size_t start = end;
    while (start && name.ptr[start - 1] >= '0' && name.ptr[start - 1] <= '9') {
        start--;
    }
    return end > start ? (pf_str){name.ptr + start, end - start} : PF_STR("0");
}

/* What all slices of a collective say. */
typedef struct shared_args {
    pf_str group, peers, number;
    uint32_t name; /* text */
    uint64_t bytes, size;
    bool tree;
} shared_args;

static pf_status read_shared(aiu_run *run, const aiu_flows *f, uint32_t collective, const int64_t *pid, uint32_t n,
                             shared_args *out)
{
    const aiu_collective *c = &f->collective[collective];
    pf_str group = pf_aiu_text_of(run, run->events.group[f->slice[c->first].event]);
    pf_str number = number_of(group);
    bool numbered = number.ptr >= group.ptr && number.ptr < group.ptr + group.len;
    uint64_t bytes = pf_aiu_collective_bytes(run, f, c), most = UINT64_MAX / 2 / (n ? n : 1);
    *out = (shared_args){.group = group,
                         .peers = list_pids(run, pid, n),
                         .number = number,
                         .bytes = bytes,
                         .size = 2 * (uint64_t)(n - 1) * (bytes > most ? most : bytes)};
    pf_str name = pf_findings_format(run->findings, "%.*s%s", (int)group.len, group.ptr, numbered ? "" : "_0");
    out->name = pf_aiu_text(run, name);
    return out->name == PF_NONE ? run->error.code : PF_OK;
}

/* Every number with the text before it loses the number and an underscore between them; after a V it stays. */
static pf_str without_numbers(aiu_run *run, pf_str name)
{
    pf_buffer b = {0};
    for (size_t i = 0; i < name.len;) {
        size_t text = i;
        while (i < name.len && (name.ptr[i] < '0' || name.ptr[i] > '9')) {
            i++;
        }
        size_t digits = i;
        while (i < name.len && name.ptr[i] >= '0' && name.ptr[i] <= '9') {
            i++;
        }
        bool stays = digits == text || i == digits || name.ptr[digits - 1] == 'V';
        size_t end = stays ? i : name.ptr[digits - 1] == '_' ? digits - 1 : digits;
        pf_buffer_put(&b, name.ptr + text, end - text);
    }
    return pf_pass_keep_buffer(run->findings, &b);
}

/* A kernel's name as it will be shown. */
static pf_str kernel_name(aiu_run *run, uint32_t kernel)
{
    pf_str name = pf_aiu_text_of(run, run->events.name[kernel]);
    return run->set.keep_names || run->set.disable_tb ? name : without_numbers(run, name);
}

static pf_status add_args(aiu_run *run, uint32_t e, const shared_args *s, uint32_t kernel)
{
    pf_str bytes = pf_findings_format(run->findings, "%lluB", (unsigned long long)s->bytes);
    pf_status st = pf_aiu_add_text(run, e, PF_STR("CollGroup"), s->group);
    st = st == PF_OK ? pf_aiu_add_text(run, e, PF_STR("external id"), s->number) : st;
    st = st == PF_OK ? pf_aiu_add_text(run, e, PF_STR("bytes"), bytes) : st;
    st = st == PF_OK ? pf_aiu_add_text(run, e, PF_STR("peers"), s->peers) : st;
    st = st == PF_OK ? pf_aiu_add_int(run, e, PF_STR("Coll_data_size"), (int64_t)s->size) : st;
    pf_str type = s->tree ? PF_STR("tree") : PF_STR("chain");
    st = st == PF_OK ? pf_aiu_add_text(run, e, PF_STR("collective algorithm type"), type) : st;
    if (kernel != PF_NONE && st == PF_OK) {
        st = pf_aiu_add_text(run, e, PF_STR("rank group compute event"), kernel_name(run, kernel));
    }
    return st;
}

/* A slice of the rank that a transfer is of. */
static pf_status add_slice(aiu_run *run, uint32_t transfer, aiu_stay at, const shared_args *s, uint32_t kernel)
{
    aiu_events *v = &run->events;
    pf_str row = pf_findings_format(run->findings, "coll%lld", (long long)v->pid[transfer]);
    uint32_t tid = pf_aiu_text(run, row), e = tid == PF_NONE ? PF_NONE : pf_aiu_add_event(run, 'X');
    if (e == PF_NONE) {
        return run->error.code;
    }
    v->flags[e] = AIU_REAL_COLL;
    v->pid[e] = v->pid[transfer];
    v->rank[e] = v->rank[transfer];
    v->job[e] = v->job[transfer];
    v->tid[e] = AIU_ID_TEXT | (int64_t)tid;
    v->ts[e] = at.start;
    v->dur[e] = at.end - at.start;
    v->name[e] = s->name;
    v->bytes[e] = s->size;
    return add_args(run, e, s, kernel);
}

static pf_status add_slices(aiu_run *run, const aiu_flows *f, const aiu_members *m, uint32_t collective)
{
    shared_args shared;
    uint32_t from = m->from[collective], n = m->from[collective + 1] - from;
    int64_t *pid = pf_pass_alloc(run->ctx, (size_t)n + 1, sizeof *pid, &run->error);
    if (!pid) {
        return run->error.code;
    }
    for (uint32_t i = 0; i < n; i++) {
        pid[i] = m->list[from + i].pid;
    }
    pf_status st = read_shared(run, f, collective, pid, n, &shared);
    shared.tree = n && m->list[from].last_multicast > -INFINITY;
    for (uint32_t i = 0; i < n && st == PF_OK; i++) {
        const aiu_member *own = &m->list[from + i];
        st = add_slice(run, own->transfer, pf_aiu_stay_of(run, own), &shared, own->kernel);
    }
    return st;
}

pf_status pf_aiu_collective_slices(aiu_run *run, const aiu_flows *f, const aiu_members *m)
{
    pf_status st = PF_OK;
    for (uint32_t i = 0; i < f->done_count && st == PF_OK; i++) {
        st = add_slices(run, f, m, f->done[i]);
    }
    return st;
}

/* ---- as in the program before postfetto -------------------------------------------------------------------------- */

/* A kernel that waits, in the queue of its rank. */
typedef struct waiting {
    uint32_t event, at, next; /* the place in the order; PF_NONE at the end */
} waiting;

typedef struct rank_queue {
    uint32_t first, last, next; /* of the kernels; the next one to be taken */
} rank_queue;

/* A rank of a collective: its first and its last transfer; PF_NONE. */
typedef struct taking_part {
    uint32_t first, last;
} taking_part;

typedef struct queues {
    aiu_run *run;
    const aiu_flows *f;
    waiting *kernel;
    rank_queue *queue;
    uint32_t kernels, count, made;
    pf_map by_pid;
    taking_part *part; /* room for one collective */
    int64_t *peer;     /* the same */
    uint32_t *place;   /* of slices that were made: the place in the order of the event that they come after */
    bool chain, over;  /* the first collective was a chain; no slices any more */
} queues;

static bool waits(const aiu_run *run, uint32_t e)
{
    pf_str name = pf_aiu_text_of(run, run->events.name[e]);
    return run->events.row[e] != PF_NONE && pf_aiu_ends_in(name, " Cmpt Exec") &&
           !pf_aiu_starts_with(name, "AllReduce");
}

static pf_status fill_queues(queues *q)
{
    aiu_run *run = q->run;
    uint32_t peers = 1;
    for (uint32_t i = 0; i < q->f->slices; i++) {
        int64_t pid;
        pf_str text = pf_aiu_peers_of(run, q->f->slice[i].event);
        for (size_t at = 0; pf_aiu_next_number(text, &at, &pid);) {
            peers++;
        }
    }
    q->kernel = pf_pass_alloc(run->ctx, (size_t)run->alive + 1, sizeof *q->kernel, &run->error);
    q->queue = q->kernel ? pf_pass_alloc(run->ctx, (size_t)run->ranks.count + 1, sizeof *q->queue, &run->error) : NULL;
    q->part = q->queue ? pf_pass_alloc(run->ctx, (size_t)q->f->slices + 1, sizeof *q->part, &run->error) : NULL;
    q->place = q->part ? pf_pass_alloc(run->ctx, (size_t)q->f->slices + 1, sizeof *q->place, &run->error) : NULL;
    q->peer = q->place ? pf_pass_alloc(run->ctx, peers, sizeof *q->peer, &run->error) : NULL;
    for (uint32_t i = 0; i < run->alive && q->peer; i++) {
        uint32_t e = run->order[i], at = q->kernels;
        if (!waits(run, e)) {
            continue;
        }
        uint32_t rank = pf_map_get(&q->by_pid, (uint64_t)run->events.pid[e]);
        if (rank == PF_NONE) {
            rank = q->count++;
            q->queue[rank] = (rank_queue){at, at, at};
            if (!pf_map_set(&q->by_pid, (uint64_t)run->events.pid[e], rank)) {
                return pf_budget_refused(run->budget, 64, &run->error);
            }
        }
        q->kernel[q->queue[rank].last].next = at;
        q->queue[rank].last = at;
        q->kernel[q->kernels++] = (waiting){e, i, PF_NONE};
    }
    return q->peer ? PF_OK : run->error.code;
}

static int compare_pids(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The peers that the slices of a collective name, ascending; returns how many. */
static uint32_t list_peers(queues *q, const aiu_collective *c)
{
    uint32_t n = 0, kept = 0;
    for (uint32_t s = c->first; s != PF_NONE; s = q->f->slice[s].next) {
        pf_str text = pf_aiu_peers_of(q->run, q->f->slice[s].event);
        for (size_t at = 0; pf_aiu_next_number(text, &at, &q->peer[n]);) {
            n++;
        }
    }
    qsort(q->peer, n, sizeof *q->peer, compare_pids);
    for (uint32_t i = 0; i < n; i++) {
        q->peer[kept] = q->peer[i];
        kept += i + 1 == n || q->peer[i + 1] != q->peer[i];
    }
    return kept;
}

static bool has_arrows(const queues *q, const aiu_collective *c)
{
    for (uint32_t s = c->first; s != PF_NONE; s = q->f->slice[s].next) {
        const aiu_sync_slice *slice = &q->f->slice[s];
        bool sends = slice->kind == AIU_SYNC_SINGLE || slice->kind == AIU_SYNC_SEGMENT;
        if (sends && pf_aiu_receive_on(q->run, q->f, slice->set, slice->peer) != PF_NONE) {
            return true;
        }
    }
    return false;
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
    pf_map by_pid;
    uint32_t n = 0;
    pf_map_init(&by_pid, q->run->budget);
    for (int ends = 0; ends < 2; ends++) {
        for (uint32_t s = c->first; s != PF_NONE; s = q->f->slice[s].next) {
            uint32_t e = q->f->slice[s].event, kind = q->f->slice[s].kind;
            uint32_t at = pf_map_get(&by_pid, (uint64_t)v->pid[e]);
            bool sends = kind == AIU_SYNC_SINGLE || kind == AIU_SYNC_SEGMENT, receives = kind == AIU_SYNC_RECEIVE;
            if (!ends && (v->pid[e] == 0 ? sends : receives && v->pid[e] > 0)) {
                if (at == PF_NONE && pf_map_set(&by_pid, (uint64_t)v->pid[e], n)) {
                    q->part[n++] = (taking_part){e, PF_NONE};
                } else if (at != PF_NONE && v->ts[e] < v->ts[q->part[at].first]) {
                    q->part[at].first = e;
                }
            } else if (ends && at != PF_NONE &&
                       (v->pid[e] < last ? receives : kind == AIU_SYNC_MULTI && v->pid[e] == last)) {
                uint32_t *latest = &q->part[at].last;
                *latest = *latest == PF_NONE || v->ts[e] > v->ts[*latest] ? e : *latest;
            }
        }
    }
    pf_map_free(&by_pid);
    return n;
}

/* Takes kernels of a rank until one begins after its first transfer and ends at about the same time: then the slice
 * begins. A rank without one has the times of the rank before it. */
static void take_kernels(queues *q, const aiu_collective *c, const taking_part *p, rank_queue *own, aiu_stay *at,
                         uint32_t *kernel)
{
    enum { APART_US = 10000 };
    const aiu_run *run = q->run;
    bool found = false;
    while (!found && own->next != PF_NONE && q->kernel[own->next].at <= c->at) {
        *kernel = q->kernel[own->next].event;
        own->next = q->kernel[own->next].next;
        double end = pf_aiu_end(run, *kernel);
        found = run->events.ts[*kernel] > run->events.ts[p->first] && fabs(end - pf_aiu_end(run, p->first)) <= APART_US;
        *at = found ? (aiu_stay){end, pf_aiu_end(run, p->last)} : *at;
    }
}

static pf_status take_collective(queues *q, uint32_t collective)
{
    const aiu_collective *c = &q->f->collective[collective];
    uint32_t peers = list_peers(q, c), kernel = PF_NONE;
    shared_args shared;
    aiu_stay at = {NAN, NAN};
    if (q->over || !has_arrows(q, c) || !is_chain(q, c, peers)) {
        return PF_OK;
    }
    pf_status st = read_shared(q->run, q->f, collective, q->peer, peers, &shared);
    uint32_t n = list_parts(q, c, (int64_t)peers - 1);
    for (uint32_t i = 0; i < n && st == PF_OK; i++) {
        const taking_part *p = &q->part[i];
        uint32_t rank = pf_map_get(&q->by_pid, (uint64_t)q->run->events.pid[p->first]);
        if (rank == PF_NONE || q->kernel[q->queue[rank].first].at > c->at || p->last == PF_NONE) {
            continue;
        }
        take_kernels(q, c, p, &q->queue[rank], &at, &kernel);
        if (!isnan(at.start)) { /* where the other program ends */
            q->place[q->made++] = c->at;
            st = add_slice(q->run, p->first, at, &shared, kernel);
        }
    }
    return st;
}

/* The slices come after the event that showed their collective to be complete. */
static pf_status put_in_order(queues *q)
{
    aiu_run *run = q->run;
    uint32_t *order = pf_pass_alloc(run->ctx, (size_t)run->alive + 1, sizeof *order, &run->error), n = 0;
    uint32_t old = run->alive - q->made, made = 0;
    for (uint32_t i = 0; order && i < old; i++) {
        order[n++] = run->order[i];
        while (made < q->made && q->place[made] <= i) {
            order[n++] = run->order[old + made++];
        }
    }
    if (order) {
        memcpy(run->order, order, (size_t)n * sizeof *order); /* those after the last event are where they belong */
    }
    return order ? PF_OK : run->error.code;
}

pf_status pf_aiu_queued_slices(aiu_run *run, const aiu_flows *f, uint32_t *made)
{
    queues q = {.run = run, .f = f};
    pf_map_init(&q.by_pid, run->budget);
    pf_status st = fill_queues(&q);
    for (uint32_t i = 0; i < f->done_count && st == PF_OK; i++) {
        st = take_collective(&q, f->done[i]);
    }
    st = st == PF_OK && q.made ? put_in_order(&q) : st;
    pf_map_free(&q.by_pid);
    *made = q.made;
    return st;
}

/* ---- how they are shown ------------------------------------------------------------------------------------------ */

pf_status pf_aiu_show_collective(aiu_run *run, uint32_t event)
{
    aiu_events *v = &run->events;
    aiu_extra original = {.type = AIU_EXTRA_TEXT, .as.text = v->name[event]};
    uint32_t name = pf_aiu_text(run, PF_STR("gloo:all_reduce"));
    uint32_t cat = name == PF_NONE ? PF_NONE : pf_aiu_text(run, PF_STR("user_annotation"));
    if (cat == PF_NONE) {
        return run->error.code;
    }
    bool keeps = run->set.keep_names && run->set.compat == AIU_WANT;
    v->cat[event] = cat;
    v->name[event] = keeps ? v->name[event] : name;
    v->flags[event] |= AIU_HOST_PID;
    return keeps ? PF_OK : pf_aiu_add_extra(run, event, PF_STR("orig_name"), original);
}
