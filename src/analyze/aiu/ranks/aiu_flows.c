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
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "analyze/aiu/ranks/aiu_ranks.h"
#include "base/ordering.h"
#include "base/str.h"

PF_ORDER(compare_members, aiu_member, PF_UP(pid));

/* The slices of a collective as one member each, then those of one rank folded into one. */
static uint32_t list_members(const aiu_run *run, const aiu_flows *f, const aiu_collective *c, aiu_member *list)
{
    uint32_t n = 0, kept = 0;
    for (uint32_t s = c->first; s != PF_NONE; s = f->slice[s].next) {
        uint32_t e = f->slice[s].event, kind = f->slice[s].kind;
        double start = run->events.ts[e], end = pf_aiu_end(run, e), none = -INFINITY;
        list[n++] = (aiu_member){run->events.pid[e],
                                 start,
                                 end,
                                 kind == AIU_SYNC_RECEIVE ? end : none,
                                 kind == AIU_SYNC_MULTI ? end : none,
                                 end,
                                 PF_NONE,
                                 e};
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

static bool is_kernel(aiu_run *run, uint32_t e)
{
    return pf_aiu_is_slice(run, e) && !run->events.group[e] && run->events.row[e] != PF_NONE &&
           (pf_aiu_name(run, run->events.name[e])->flags & AIU_NAME_HAS_EXEC);
}

static aiu_key by_rank_and_end(const aiu_run *run, uint32_t e)
{
    return (aiu_key){run->events.rank[e], pf_aiu_end(run, e), e};
}

aiu_stay pf_aiu_stay_of(const aiu_run *run, const aiu_member *m)
{
    bool multicast = m->last_multicast > -INFINITY, both = multicast && !pf_aiu_rule(run, AIU_ONE_AT_A_TIME);
    double last = both ? fmax(m->last_multicast, m->last_receive) : multicast ? m->last_multicast : m->last_receive;
    return (aiu_stay){m->kernel == PF_NONE ? m->first_start : pf_aiu_end(run, m->kernel),
                      last > -INFINITY ? last : m->last_end};
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

aiu_exchange *pf_aiu_exchange(aiu_run *run)
{
    if (!run->exchange) {
        run->exchange = pf_aiu_alloc(run, 1, sizeof *run->exchange);
    }
    return run->exchange;
}

/* The last number of a group's name; none is "0", and added to the name of its slices. Peers: "{0, 1, 2, 3}". */
aiu_collective_args pf_aiu_collective_args(aiu_run *run, const aiu_flows *f, uint32_t collective, const int64_t *pid,
                                           uint32_t n)
{
    const aiu_collective *c = &f->collective[collective];
    pf_str group = pf_aiu_text_of(run, run->events.group[f->slice[c->first].event]), number = group;
    pf_buffer peers = {0};
    while (number.len && !pf_is_digit(number.ptr[number.len - 1])) {
        number.len--;
    }
    size_t start = number.len;
    while (start && pf_is_digit(number.ptr[start - 1])) {
        start--;
    }
    number = pf_str_from(number, start);
    for (uint32_t i = 0; i < n; i++) {
        pf_buffer_format(&peers, "%s%" PRId64, i ? ", " : "{", pid[i]);
    }
    pf_buffer_text(&peers, "}");
    uint64_t bytes = pf_aiu_collective_bytes(run, f, c);
    pf_str name = pf_findings_format(run->findings, "%.*s%s", PF_TEXT_ARG(group), number.len ? "" : "_0");
    return (aiu_collective_args){.group = group,
                                 .peers = pf_pass_keep_buffer(run->findings, &peers),
                                 .number = number.len ? number : PF_STR("0"),
                                 .name = pf_aiu_text(run, name),
                                 .bytes = bytes,
                                 .size = pf_aiu_moved_bytes(bytes, n)};
}

/* The text without its numbers and the underscores in front of them; a number after a V stays, as in V2. */
uint32_t pf_aiu_without_numbers(aiu_run *run, uint32_t name)
{
    pf_str text = pf_aiu_text_of(run, name);
    char *out = pf_aiu_scratch(run, text.len, 1);
    size_t len = 0;
    for (size_t i = 0; out && i < text.len;) {
        bool number = i && pf_is_digit(text.ptr[i]), kept = !number || text.ptr[i - 1] == 'V';
        while (!kept && len && out[len - 1] == '_') {
            len--;
        }
        do {
            out[len] = text.ptr[i++];
            len += kept;
        } while (number && i < text.len && pf_is_digit(text.ptr[i]));
    }
    return pf_aiu_text(run, (pf_str){out, len});
}

void pf_aiu_add_collective_slice(aiu_run *run, uint32_t transfer, aiu_stay at, const aiu_collective_args *s,
                                 uint32_t kernel)
{
    aiu_events *v = &run->events;
    bool stays = run->set.keep_names || run->set.disable_tb; /* a kernel's name as it will be shown */
    pf_str row = pf_findings_format(run->findings, "coll%" PRId64, v->pid[transfer]);
    pf_str bytes = pf_findings_format(run->findings, "%" PRIu64 "B", s->bytes);
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
        uint32_t name = stays ? v->name[kernel] : pf_aiu_without_numbers(run, v->name[kernel]);
        pf_aiu_add_text(run, e, PF_STR("rank group compute event"), pf_aiu_text_of(run, name));
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

static bool is_transfer(aiu_run *run, uint32_t e)
{
    return pf_aiu_is_slice(run, e) && pf_aiu_sync_key(pf_aiu_text_of(run, run->events.name[e])).ptr;
}

/* The size leaves the name, unless an argument says it too: acelyzer cannot make slices of collectives without it. */
void pf_aiu_cut_sizes(aiu_run *run, bool corrected)
{
    for (uint32_t i = 0, e; pf_aiu_next(run, is_transfer, &i, &e);) {
        if (!corrected || !(run->events.flags[e] & AIU_HAS_BYTES)) {
            run->events.name[e] = pf_aiu_replace(run, run->events.name[e], " [#B]", "", false);
        }
    }
}

/* One peer becomes a list of one. */
void pf_aiu_flow_names(aiu_run *run)
{
    aiu_events *v = &run->events;
    pf_aiu_cut_sizes(run, !pf_aiu_rule(run, AIU_UNCORRECTED) || run->set.build_coll);
    for (uint32_t i = 0, e; pf_aiu_next(run, is_transfer, &i, &e);) {
        if (v->peer[e] && !v->peers[e]) {
            v->peers[e] = v->peer[e];
            v->flags[e] |= AIU_PEER_LISTED;
            pf_aiu_add_text(run, e, PF_STR("Peers"), pf_aiu_text_of(run, v->peer[e]));
        }
    }
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
    late_pair *pair;
    uint32_t pairs;
    aiu_pairs at; /* two pids: the place in `pair` */
} arrows;

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
        uint32_t pair = pf_aiu_pair(run, &a->at, (uint64_t)v->pid[from], (uint64_t)v->pid[to]);
        a->pairs = pair < a->pairs ? a->pairs : pair + 1;
        a->pair[pair] = (late_pair){v->pid[from], v->pid[to], fmax(a->pair[pair].worst, start - end)};
        a->x->late++;
    }
}

PF_ORDER(compare_pairs, late_pair, PF_UP(from), PF_UP(to));

static void draw_arrows(aiu_run *run, const aiu_flows *f, aiu_exchange *x)
{
    arrows a = {.f = f, .x = x, .next_id = FIRST_ID, .at = pf_aiu_scratch_pairs(run)};
    bool shown = run->set.flow, theirs = pf_aiu_rule(run, AIU_OTHER_WORDS);
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
    if (x->late && shown) {
        pf_aiu_warn(run, "FLOW: Number of potential problems detected = ", x->late, "");
        pf_aiu_log(run, "RAW", "src  dst  recv_before_send");
        qsort(a.pair, a.pairs, sizeof *a.pair, compare_pairs);
    }
    for (uint32_t i = 0; i < a.pairs && shown; i++) {
        pf_aiu_log(run, "RAW", "%" PRId64 "  %" PRId64 "  %s", a.pair[i].from, a.pair[i].to,
                   pf_aiu_num(run, a.pair[i].worst));
    }
    pf_aiu_warn(run, "FLOW: Incomplete flow groups dropped = ", shown || !theirs ? f->dropped : 0,
                "  This can be caused by time-synchronization issues. You might try cmdline arg '-S'");
}

/* The kernel of a member's rank is the one whose end is the last that is not after that of the first transfer. */
aiu_exchange *pf_aiu_find_collectives(aiu_run *run)
{
    aiu_exchange *x = pf_aiu_exchange(run);
    if (!x || pf_aiu_flows_read(run, &x->flows) != PF_OK) {
        return NULL;
    }
    const aiu_flows *f = &x->flows;
    aiu_members *m = &x->members;
    draw_arrows(run, f, x);
    *m = (aiu_members){.list = pf_aiu_alloc(run, f->slices, sizeof *m->list)};
    m->from = pf_aiu_alloc(run, (size_t)f->collectives + 1, sizeof *m->from);
    for (uint32_t i = 0; i < f->collectives && m->from; i++) {
        const aiu_collective *c = &f->collective[i];
        m->count += c->complete ? list_members(run, f, c, m->list + m->count) : 0;
        m->from[i + 1] = m->count;
    }
    aiu_rows kernels = pf_aiu_rows(run, is_kernel);
    const aiu_key *keys = pf_aiu_keys(run, kernels, by_rank_and_end);
    for (uint32_t i = 0; i < m->count && keys; i++) {
        uint32_t rank = pf_map_get(run->ranks.by_pid, (uint64_t)m->list[i].pid);
        uint32_t before = pf_aiu_keys_before(keys, kernels.count, rank, m->list[i].first_end);
        m->list[i].kernel = before && keys[before - 1].first >= rank ? keys[before - 1].row : PF_NONE;
    }
    return pf_aiu_failed(run) ? NULL : x;
}

/* Slices of collectives in order of time. */
void pf_aiu_flows(aiu_run *run)
{
    const aiu_exchange *x = pf_aiu_find_collectives(run);
    if (!x || !run->set.build_coll || !run->set.flow) {
        return;
    }
    const aiu_members *m = &x->members;
    int64_t *pid = pf_aiu_scratch(run, m->count, sizeof *pid);
    for (uint32_t i = 0; pid && i < m->count; i++) {
        pid[i] = m->list[i].pid;
    }
    for (uint32_t i = 0; pid && i < x->flows.done_count; i++) {
        uint32_t done = x->flows.done[i], from = m->from[done], to = m->from[done + 1];
        aiu_collective_args args = pf_aiu_collective_args(run, &x->flows, done, pid + from, to - from);
        args.tree = from < to && m->list[from].last_multicast > -INFINITY;
        for (; from < to; from++) {
            const aiu_member *own = &m->list[from];
            pf_aiu_add_collective_slice(run, own->transfer, pf_aiu_stay_of(run, own), &args, own->kernel);
        }
    }
    pf_aiu_sort_by_time(run);
}
