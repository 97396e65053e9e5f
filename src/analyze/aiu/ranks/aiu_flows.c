/* analyze/aiu/ranks/aiu_flows.c - the steps of --flow: names and peers of transfers, arrows between ranks, and complete
 * collectives: who took part, and a slice for each rank (-R).
 *
 * A rank comes to a collective when the kernel ends whose result it sends: the last one that ended before the first of
 * its transfers did. It is there until it has received the last piece, or until its own multicast is over.
 *
 * Every send to one rank has an arrow to the receive of its set on that rank, from the begin of the one to the end of
 * the other. Where the receive ends before the send begins, the clocks of the two ranks are not right; such arrows are
 * counted, and the largest lateness of each pair of ranks is shown. Collectives are found even where no arrows are
 * wanted, for the reports of our own. */
#include <math.h>
#include <stdlib.h>

#include "analyze/aiu/ranks/aiu_ranks.h"
#include "base/ordering.h"
#include "base/str.h"

static void note(const aiu_run *run, const aiu_sync_slice *s, aiu_member *m)
{
    double end = pf_aiu_end(run, s->event);
    m->first_start = fmin(m->first_start, run->events.ts[s->event]);
    m->first_end = fmin(m->first_end, end);
    m->last_end = fmax(m->last_end, end);
    m->last_receive = s->kind == AIU_SYNC_RECEIVE ? fmax(m->last_receive, end) : m->last_receive;
    m->last_multicast = s->kind == AIU_SYNC_MULTI ? fmax(m->last_multicast, end) : m->last_multicast;
}

PF_ORDER(compare_members, aiu_member, PF_UP(pid));

/* The slices of a collective as one member each, then those of one rank folded into one. */
static uint32_t list_members(const aiu_run *run, const aiu_flows *f, const aiu_collective *c, aiu_member *list)
{
    uint32_t n = 0, kept = 0;
    for (uint32_t s = c->first; s != PF_NONE; s = f->slice[s].next) {
        list[n] = (aiu_member){.pid = run->events.pid[f->slice[s].event],
                               .first_start = INFINITY,
                               .first_end = INFINITY,
                               .last_receive = -INFINITY,
                               .last_multicast = -INFINITY,
                               .last_end = -INFINITY,
                               .kernel = PF_NONE,
                               .transfer = f->slice[s].event};
        note(run, &f->slice[s], &list[n++]);
    }
    qsort(list, n, sizeof *list, compare_members);
    for (uint32_t i = 0; i < n; i++) {
        if (kept == 0 || list[kept - 1].pid != list[i].pid) {
            list[kept++] = list[i];
            continue;
        }
        aiu_member *m = &list[kept - 1];
        m->first_start = fmin(m->first_start, list[i].first_start);
        m->first_end = fmin(m->first_end, list[i].first_end);
        m->last_end = fmax(m->last_end, list[i].last_end);
        m->last_receive = fmax(m->last_receive, list[i].last_receive);
        m->last_multicast = fmax(m->last_multicast, list[i].last_multicast);
    }
    return kept;
}

static void list_all(aiu_run *run, const aiu_flows *f, aiu_members *m)
{
    m->list = pf_aiu_alloc(run, f->slices, sizeof *m->list);
    m->from = pf_aiu_alloc(run, (size_t)f->collectives + 1, sizeof *m->from);
    for (uint32_t i = 0; i < f->collectives && m->from; i++) {
        const aiu_collective *c = &f->collective[i];
        m->count += c->complete ? list_members(run, f, c, m->list + m->count) : 0;
        m->from[i + 1] = m->count;
    }
}

static bool is_kernel(aiu_run *run, uint32_t e)
{
    return pf_aiu_is_slice(run, e) && !run->events.group[e] && run->events.row[e] != PF_NONE &&
           (pf_aiu_name(run, run->events.name[e])->flags & AIU_NAME_HAS_EXEC);
}

static aiu_key by_rank_and_end(const aiu_run *run, uint32_t e)
{
    return (aiu_key){run->events.rank[e], pf_aiu_end(run, e), e};
}

/* The kernel of each member's rank whose end is the last that is not after that of the first transfer. */
static void find_kernels(aiu_run *run, aiu_members *m)
{
    aiu_rows kernels = pf_aiu_rows(run, is_kernel);
    const aiu_key *keys = pf_aiu_keys(run, kernels, by_rank_and_end);
    for (uint32_t i = 0; i < m->count && keys; i++) {
        uint32_t rank = pf_map_get(run->ranks.by_pid, (uint64_t)m->list[i].pid);
        uint32_t before = pf_aiu_keys_before(keys, kernels.count, rank, m->list[i].first_end);
        m->list[i].kernel = before && keys[before - 1].first >= rank ? keys[before - 1].row : PF_NONE;
    }
}

aiu_stay pf_aiu_stay_of(const aiu_run *run, const aiu_member *m)
{
    bool multicast = m->last_multicast > -INFINITY;
    double end = multicast ? m->last_multicast : m->last_receive > -INFINITY ? m->last_receive : m->last_end;
    double start = m->kernel == PF_NONE ? m->first_start : pf_aiu_end(run, m->kernel);
    if (!pf_aiu_rule(run, AIU_ONE_AT_A_TIME) && multicast) {
        end = fmax(end, m->last_receive);
    }
    return (aiu_stay){start, end};
}

uint64_t pf_aiu_collective_bytes(const aiu_run *run, const aiu_flows *f, const aiu_collective *c)
{
    for (uint32_t s = c->first; s != PF_NONE; s = f->slice[s].next) {
        if (run->events.flags[f->slice[s].event] & AIU_HAS_BYTES) {
            return run->events.bytes[f->slice[s].event];
        }
    }
    return 0;
}

static void read_members(aiu_run *run, const aiu_flows *f, aiu_members *out)
{
    *out = (aiu_members){.count = 0};
    list_all(run, f, out);
    find_kernels(run, out);
}

aiu_exchange *pf_aiu_exchange(aiu_run *run)
{
    if (!run->exchange) {
        run->exchange = pf_aiu_alloc(run, 1, sizeof *run->exchange);
    }
    return run->exchange;
}

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
    while (end && !pf_is_digit(name.ptr[end - 1])) {
        end--;
    }
    size_t start = end;
    while (start && pf_is_digit(name.ptr[start - 1])) {
        start--;
    }
    return end > start ? (pf_str){name.ptr + start, end - start} : PF_STR("0");
}

aiu_collective_args pf_aiu_collective_args(aiu_run *run, const aiu_flows *f, uint32_t collective, const int64_t *pid,
                                           uint32_t n)
{
    const aiu_collective *c = &f->collective[collective];
    pf_str group = pf_aiu_text_of(run, run->events.group[f->slice[c->first].event]);
    pf_str number = number_of(group);
    bool numbered = number.ptr >= group.ptr && number.ptr < group.ptr + group.len;
    uint64_t bytes = pf_aiu_collective_bytes(run, f, c), most = UINT64_MAX / 2 / (n ? n : 1);
    pf_str name = pf_findings_format(run->findings, "%.*s%s", PF_TEXT_ARG(group), numbered ? "" : "_0");
    return (aiu_collective_args){.group = group,
                                 .peers = list_pids(run, pid, n),
                                 .number = number,
                                 .name = pf_aiu_text(run, name),
                                 .bytes = bytes,
                                 .size = 2 * (uint64_t)(n - 1) * (bytes > most ? most : bytes)};
}

/* The text without its numbers and the underscores in front of them; a number after a V stays, as in V2. */
uint32_t pf_aiu_without_numbers(aiu_run *run, uint32_t name)
{
    pf_str text = pf_aiu_text_of(run, name);
    char *out = pf_aiu_scratch(run, text.len, 1);
    size_t len = 0;
    for (size_t i = 0; out && i < text.len;) {
        if (!pf_is_digit(text.ptr[i]) || i == 0) {
            out[len++] = text.ptr[i++];
            continue;
        }
        bool kept = text.ptr[i - 1] == 'V';
        while (!kept && len && out[len - 1] == '_') {
            len--;
        }
        for (; i < text.len && pf_is_digit(text.ptr[i]); i++) {
            if (kept) {
                out[len++] = text.ptr[i];
            }
        }
    }
    return pf_aiu_text(run, (pf_str){out, len});
}

/* A kernel's name as it will be shown. */
static pf_str kernel_name(aiu_run *run, uint32_t kernel)
{
    uint32_t name = run->events.name[kernel];
    bool stays = run->set.keep_names || run->set.disable_tb;
    return pf_aiu_text_of(run, stays ? name : pf_aiu_without_numbers(run, name));
}

void pf_aiu_add_collective_slice(aiu_run *run, uint32_t transfer, aiu_stay at, const aiu_collective_args *s,
                                 uint32_t kernel)
{
    aiu_events *v = &run->events;
    pf_str row = pf_findings_format(run->findings, "coll%lld", (long long)v->pid[transfer]);
    pf_str bytes = pf_findings_format(run->findings, "%lluB", (unsigned long long)s->bytes);
    uint32_t tid = pf_aiu_text(run, row), e = pf_aiu_add_event(run, 'X');
    if (e == PF_NONE) {
        return;
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
    pf_aiu_add_text(run, e, PF_STR("CollGroup"), s->group);
    pf_aiu_add_text(run, e, PF_STR("external id"), s->number);
    pf_aiu_add_text(run, e, PF_STR("bytes"), bytes);
    pf_aiu_add_text(run, e, PF_STR("peers"), s->peers);
    pf_aiu_add_int(run, e, PF_STR("Coll_data_size"), (int64_t)s->size);
    pf_aiu_add_text(run, e, PF_STR("collective algorithm type"), s->tree ? PF_STR("tree") : PF_STR("chain"));
    if (kernel != PF_NONE) {
        pf_aiu_add_text(run, e, PF_STR("rank group compute event"), kernel_name(run, kernel));
    }
}

static void add_collective_slices(aiu_run *run, const aiu_flows *f, const aiu_members *m)
{
    int64_t *pid = pf_aiu_scratch(run, m->count, sizeof *pid);
    for (uint32_t i = 0; pid && i < m->count; i++) {
        pid[i] = m->list[i].pid;
    }
    for (uint32_t i = 0; pid && i < f->done_count; i++) {
        uint32_t from = m->from[f->done[i]], to = m->from[f->done[i] + 1];
        aiu_collective_args args = pf_aiu_collective_args(run, f, f->done[i], pid + from, to - from);
        args.tree = from < to && m->list[from].last_multicast > -INFINITY;
        for (; from < to; from++) {
            const aiu_member *own = &m->list[from];
            pf_aiu_add_collective_slice(run, own->transfer, pf_aiu_stay_of(run, own), &args, own->kernel);
        }
    }
}

void pf_aiu_show_collective(aiu_run *run, uint32_t event)
{
    aiu_events *v = &run->events;
    aiu_extra original = {.type = AIU_EXTRA_TEXT, .as.text = v->name[event]};
    v->cat[event] = pf_aiu_text(run, PF_STR("user_annotation"));
    v->flags[event] |= AIU_HOST_PID;
    if (!run->set.keep_names || pf_aiu_rule(run, AIU_OTHER_NAMES)) {
        v->name[event] = pf_aiu_text(run, PF_STR("gloo:all_reduce"));
        pf_aiu_add_extra(run, event, PF_STR("orig_name"), original);
    }
}

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

PF_ORDER(compare_pairs, late_pair, PF_UP(from), PF_UP(to));

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
    arrows a = {.f = f, .x = x, .next_id = FIRST_ID, .at = pf_aiu_scratch_pairs(run)};
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
}

aiu_exchange *pf_aiu_find_collectives(aiu_run *run)
{
    aiu_exchange *x = pf_aiu_exchange(run);
    if (x) {
        pf_aiu_flows_read(run, &x->flows);
    }
    if (!pf_aiu_failed(run)) {
        draw_arrows(run, &x->flows, x);
        read_members(run, &x->flows, &x->members);
    }
    return pf_aiu_failed(run) ? NULL : x;
}

/* Slices of collectives in order of time. */
void pf_aiu_flows(aiu_run *run)
{
    const aiu_exchange *x = pf_aiu_find_collectives(run);
    if (x && run->set.build_coll && run->set.flow) {
        add_collective_slices(run, &x->flows, &x->members);
        pf_aiu_sort_by_time(run);
    }
}
