/* analyze/aiu/ranks/aiu_collective_slices.c - a slice for each rank of a complete collective (-R).
 *
 * A rank is in a collective from the end of the kernel whose result it sends until it has received the last piece; the
 * rank that multicasts, until that is over. So a slice begins at the last end of a kernel of its own that is not after
 * the rank's first transfer ended, which is never after the slice's end.
 *
 * The program before postfetto remembers the collective that a rank last had a transfer to one other rank in, and takes
 * the kernel that came last while it did. The first rank has no such transfer before its kernel, so it gets a kernel
 * that ran after the collective, and slices of negative length; without such a kernel, times of the last rank. --compat
 * does the same.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/aiu/ranks/aiu_flow_groups.h"

/* A rank in a collective; times in us. */
typedef struct member {
    int64_t pid;
    double first_start, first_end, last_receive, last_multicast, last_end;
    uint32_t kernel; /* event, PF_NONE */
} member;

typedef struct builder {
    const aiu_flows *f;
    member *list;
    uint32_t *from; /* by collective: its members are list[from[c], from[c + 1]) */
    uint32_t count;
    aiu_key *kernel; /* rank, end, event */
    uint32_t kernels;
    pf_map ranks;  /* pid -> number of the rank */
    uint32_t *now; /* by rank: the collective that it last had a transfer in, under --compat */
    uint32_t rank_count;
} builder;

/* ---- members ----------------------------------------------------------------------------------------------------- */

static void note(const aiu_run *run, const aiu_sync_slice *s, member *m)
{
    double end = pf_aiu_end(run, s->event);
    m->first_start = fmin(m->first_start, run->events.ts[s->event]);
    m->first_end = fmin(m->first_end, end);
    m->last_end = fmax(m->last_end, end);
    m->last_receive = s->kind == AIU_SYNC_RECEIVE ? fmax(m->last_receive, end) : m->last_receive;
    m->last_multicast = s->kind == AIU_SYNC_MULTI ? fmax(m->last_multicast, end) : m->last_multicast;
}

static int compare_members(const void *a, const void *b)
{
    const member *x = a, *y = b;
    return (x->pid > y->pid) - (x->pid < y->pid);
}

/* The slices of a collective as one member each, then those of one rank folded into one. */
static uint32_t list_members(const aiu_run *run, builder *b, const aiu_collective *c, member *list)
{
    uint32_t n = 0, kept = 0;
    for (uint32_t s = c->first; s != PF_NONE; s = b->f->slice[s].next) {
        list[n] = (member){
            run->events.pid[b->f->slice[s].event], INFINITY, INFINITY, -INFINITY, -INFINITY, -INFINITY, PF_NONE};
        note(run, &b->f->slice[s], &list[n++]);
    }
    qsort(list, n, sizeof *list, compare_members);
    for (uint32_t i = 0; i < n; i++) {
        if (kept == 0 || list[kept - 1].pid != list[i].pid) {
            list[kept++] = list[i];
            continue;
        }
        member *m = &list[kept - 1];
        m->first_start = fmin(m->first_start, list[i].first_start);
        m->first_end = fmin(m->first_end, list[i].first_end);
        m->last_end = fmax(m->last_end, list[i].last_end);
        m->last_receive = fmax(m->last_receive, list[i].last_receive);
        m->last_multicast = fmax(m->last_multicast, list[i].last_multicast);
    }
    return kept;
}

static member *member_of(const builder *b, uint32_t collective, int64_t pid)
{
    member key = {.pid = pid};
    uint32_t from = b->from[collective], n = b->from[collective + 1] - from;
    return n ? bsearch(&key, b->list + from, n, sizeof key, compare_members) : NULL;
}

static pf_status prepare(aiu_run *run, builder *b, pf_error *err)
{
    b->list = pf_pass_alloc(run->ctx, b->f->slices + 1, sizeof *b->list, err);
    b->from = b->list ? pf_pass_alloc(run->ctx, b->f->collectives + 1, sizeof *b->from, err) : NULL;
    if (!b->from) {
        return err->code;
    }
    for (uint32_t i = 0; i < b->f->collectives; i++) {
        const aiu_collective *c = &b->f->collective[i];
        b->from[i] = b->count;
        b->count += c->complete ? list_members(run, b, c, b->list + b->count) : 0;
    }
    b->from[b->f->collectives] = b->count;
    return PF_OK;
}

/* ---- the kernel before ------------------------------------------------------------------------------------------- */

static bool is_kernel(aiu_run *run, uint32_t e)
{
    return pf_aiu_is_slice(run, e) && !run->events.group[e] && run->events.row[e] != PF_NONE &&
           (pf_aiu_name(run, run->events.name[e])->flags & AIU_NAME_HAS_EXEC);
}

/* The number of a pid among those that have kernels or transfers. */
static uint32_t rank_of(aiu_run *run, builder *b, int64_t pid, pf_error *err)
{
    uint32_t rank = pf_map_get(&b->ranks, (uint64_t)pid);
    if (rank == PF_NONE) {
        rank = b->rank_count++;
        if (!pf_map_set(&b->ranks, (uint64_t)pid, rank)) {
            pf_budget_refused(run->budget, 64, err);
            return PF_NONE;
        }
    }
    return rank;
}

static pf_status collect_kernels(aiu_run *run, builder *b, pf_error *err)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < run->alive; i++) {
        n += is_kernel(run, run->order[i]);
    }
    b->kernel = pf_pass_alloc(run->ctx, n + 1, sizeof *b->kernel, err);
    if (!b->kernel) {
        return err->code;
    }
    for (uint32_t i = 0; i < run->alive; i++) {
        uint32_t e = run->order[i];
        if (is_kernel(run, e)) {
            uint32_t rank = rank_of(run, b, run->events.pid[e], err);
            if (rank == PF_NONE) {
                return err->code;
            }
            b->kernel[b->kernels++] = (aiu_key){rank, pf_aiu_end(run, e), e};
        }
    }
    return pf_aiu_sort_keys(run, b->kernel, b->kernels, err);
}

/* The kernel of a rank whose end is the last that is not after `time`. */
static uint32_t kernel_before(const builder *b, uint32_t rank, double time)
{
    uint32_t low = 0, high = b->kernels;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const aiu_key *k = &b->kernel[middle];
        if (k->first < rank || (k->first <= rank && k->second <= time)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low && b->kernel[low - 1].first >= rank ? b->kernel[low - 1].row : PF_NONE;
}

static pf_status find_kernels(aiu_run *run, builder *b, pf_error *err)
{
    pf_status st = collect_kernels(run, b, err);
    for (uint32_t i = 0; i < b->count && st == PF_OK; i++) {
        uint32_t rank = pf_map_get(&b->ranks, (uint64_t)b->list[i].pid);
        b->list[i].kernel = rank == PF_NONE ? PF_NONE : kernel_before(b, rank, b->list[i].first_end);
    }
    return st;
}

/* The same as the program before postfetto finds it: in one walk over slices and transfers. */
static pf_status find_kernels_by_transfer(aiu_run *run, builder *b, pf_error *err)
{
    const aiu_flows *f = b->f;
    b->now = pf_pass_alloc(run->ctx, (size_t)run->alive + 1, sizeof *b->now, err);
    pf_status st = b->now ? PF_OK : err->code;
    for (uint32_t i = 0, s = 0; i < run->alive && st == PF_OK; i++) {
        uint32_t e = run->order[i];
        bool transfer = s < f->slices && f->slice[s].event == e;
        if (!transfer && !is_kernel(run, e)) {
            continue;
        }
        uint32_t known = b->rank_count, rank = rank_of(run, b, run->events.pid[e], err);
        if (rank == PF_NONE) {
            return err->code;
        }
        b->now[rank] = rank == known ? PF_NONE : b->now[rank];
        if (transfer) {
            const aiu_sync_set *set = &f->set[f->slice[s++].set];
            b->now[rank] = set->is_multicast ? b->now[rank] : set->collective;
        } else if (b->now[rank] != PF_NONE) {
            member *m = member_of(b, b->now[rank], run->events.pid[e]);
            if (m) {
                m->kernel = e;
            }
        }
    }
    return st;
}

/* ---- slices ------------------------------------------------------------------------------------------------------ */

typedef struct span {
    double ts, dur;
} span;

static span span_of(const aiu_run *run, const member *m)
{
    bool multicast = m->last_multicast > -INFINITY;
    double end = multicast ? m->last_multicast : m->last_receive > -INFINITY ? m->last_receive : m->last_end;
    double start = m->kernel == PF_NONE ? m->first_start : pf_aiu_end(run, m->kernel);
    if (run->set.compat == AIU_WANT && multicast) {
        end = fmax(end, m->last_receive);
    }
    return (span){start, end - start};
}

/* The payload of a collective: of its first transfer that says it. */
static uint64_t bytes_of(const aiu_run *run, const aiu_flows *f, const aiu_collective *c)
{
    for (uint32_t s = c->first; s != PF_NONE; s = f->slice[s].next) {
        if (run->events.flags[f->slice[s].event] & AIU_HAS_BYTES) {
            return run->events.bytes[f->slice[s].event];
        }
    }
    return 0;
}

/* "{0, 1, 2, 3}" */
static pf_str list_pids(aiu_run *run, const member *list, uint32_t n)
{
    pf_buffer b = {0};
    for (uint32_t i = 0; i < n; i++) {
        pf_buffer_format(&b, "%s%lld", i ? ", " : "{", (long long)list[i].pid);
    }
    pf_buffer_text(&b, "}");
    pf_str kept = b.failed ? PF_STR("{}") : pf_findings_keep(run->findings, (pf_str){b.data, b.len});
    pf_buffer_free(&b);
    return kept;
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

static pf_status read_shared(aiu_run *run, const builder *b, uint32_t collective, shared_args *out, pf_error *err)
{
    const aiu_collective *c = &b->f->collective[collective];
    uint32_t from = b->from[collective], n = b->from[collective + 1] - from;
    pf_str group = pf_aiu_text_of(run, run->events.group[b->f->slice[c->first].event]);
    pf_str number = number_of(group);
    bool numbered = number.ptr >= group.ptr && number.ptr < group.ptr + group.len;
    uint64_t bytes = bytes_of(run, b->f, c), most = UINT64_MAX / 2 / (n ? n : 1);
    *out = (shared_args){.group = group,
                         .peers = list_pids(run, b->list + from, n),
                         .number = number,
                         .bytes = bytes,
                         .size = 2 * (uint64_t)(n - 1) * (bytes > most ? most : bytes),
                         .tree = b->list[from].last_multicast > -INFINITY};
    pf_str name = pf_findings_format(run->findings, "%.*s%s", (int)group.len, group.ptr, numbered ? "" : "_0");
    out->name = pf_aiu_text(run, name, err);
    return out->name == PF_NONE ? err->code : PF_OK;
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
    pf_str kept = b.failed ? name : pf_findings_keep(run->findings, (pf_str){b.data, b.len});
    pf_buffer_free(&b);
    return kept;
}

/* A kernel's name as it will be shown. */
static pf_str kernel_name(aiu_run *run, uint32_t kernel)
{
    pf_str name = pf_aiu_text_of(run, run->events.name[kernel]);
    return run->set.keep_names || run->set.disable_tb ? name : without_numbers(run, name);
}

static pf_status add_args(aiu_run *run, uint32_t e, const shared_args *s, uint32_t kernel, pf_error *err)
{
    pf_str bytes = pf_findings_format(run->findings, "%lluB", (unsigned long long)s->bytes);
    pf_status st = pf_aiu_add_text(run, e, PF_STR("CollGroup"), s->group, err);
    st = st == PF_OK ? pf_aiu_add_text(run, e, PF_STR("external id"), s->number, err) : st;
    st = st == PF_OK ? pf_aiu_add_text(run, e, PF_STR("bytes"), bytes, err) : st;
    st = st == PF_OK ? pf_aiu_add_text(run, e, PF_STR("peers"), s->peers, err) : st;
    st = st == PF_OK ? pf_aiu_add_int(run, e, PF_STR("Coll_data_size"), (int64_t)s->size, err) : st;
    pf_str type = s->tree ? PF_STR("tree") : PF_STR("chain");
    st = st == PF_OK ? pf_aiu_add_text(run, e, PF_STR("collective algorithm type"), type, err) : st;
    if (kernel != PF_NONE && st == PF_OK) {
        st = pf_aiu_add_text(run, e, PF_STR("rank group compute event"), kernel_name(run, kernel), err);
    }
    return st;
}

static pf_status add_slice(aiu_run *run, const member *m, span at, const shared_args *s, uint32_t kernel, pf_error *err)
{
    aiu_events *v = &run->events;
    pf_str row = pf_findings_format(run->findings, "coll%lld", (long long)m->pid);
    uint32_t tid = pf_aiu_text(run, row, err), e = tid == PF_NONE ? PF_NONE : pf_aiu_add_event(run, 'X', err);
    if (e == PF_NONE) {
        return err->code;
    }
    v->flags[e] = AIU_REAL_COLL;
    v->pid[e] = m->pid;
    v->tid[e] = AIU_ID_TEXT | (int64_t)tid;
    v->ts[e] = at.ts;
    v->dur[e] = at.dur;
    v->name[e] = s->name;
    v->bytes[e] = s->size;
    return add_args(run, e, s, kernel, err);
}

/* The first rank without a kernel has what the last one has; any other has what the one before it has. */
static uint32_t substitute(const builder *b, uint32_t from, uint32_t n, uint32_t i)
{
    for (uint32_t steps = 0; steps < n && b->list[from + i].kernel == PF_NONE; steps++) {
        i = (i + n - 1) % n;
    }
    return i;
}

static pf_status add_slices(aiu_run *run, const builder *b, uint32_t collective, pf_error *err)
{
    shared_args shared;
    uint32_t from = b->from[collective], n = b->from[collective + 1] - from;
    pf_status st = read_shared(run, b, collective, &shared, err);
    if (shared.tree && run->set.compat != AIU_WANT) {
        return st;
    }
    for (uint32_t i = 0; i < n && st == PF_OK; i++) {
        uint32_t like = run->set.compat == AIU_WANT ? i : substitute(b, from, n, i);
        const member *m = &b->list[from + like];
        st = add_slice(run, &b->list[from + i], span_of(run, m), &shared, m->kernel, err);
    }
    return st;
}

pf_status pf_aiu_collective_slices(aiu_run *run, const aiu_flows *f, pf_error *err)
{
    builder b = {.f = f};
    pf_map_init(&b.ranks, run->budget);
    pf_status st = prepare(run, &b, err);
    if (st == PF_OK) {
        st = run->set.compat == AIU_WANT ? find_kernels(run, &b, err) : find_kernels_by_transfer(run, &b, err);
    }
    for (uint32_t i = 0; i < f->done_count && st == PF_OK; i++) {
        st = add_slices(run, &b, f->done[i], err);
    }
    pf_map_free(&b.ranks);
    return st;
}
