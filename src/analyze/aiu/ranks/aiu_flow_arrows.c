/* analyze/aiu/ranks/aiu_flow_arrows.c - arrows from sends to receives of complete collectives (--flow).
 *
 * Every send to one rank has an arrow to the receive of its set on that rank, from the begin of the one to the end of
 * the other. Where the receive ends before the send begins, the clocks of the two ranks are not right; such arrows are
 * counted, and the largest lateness of each pair of ranks is shown.
 */
#include <stdio.h>
#include <stdlib.h>

#include "analyze/aiu/ranks/aiu_members.h"
#include "base/text/number.h"

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
    uint32_t pairs, room;
    pf_map at;
} arrows;

static pf_status note_late(aiu_run *run, arrows *a, int64_t from, int64_t to, double by)
{
    uint32_t ids[2] = {0, 0};
    const int64_t pids[2] = {from, to};
    for (int i = 0; i < 2; i++) {
        char text[24];
        int len = snprintf(text, sizeof text, "%lld", (long long)pids[i]);
        ids[i] = pf_aiu_text(run, (pf_str){text, (size_t)len});
        if (ids[i] == PF_NONE) {
            return run->error.code;
        }
    }
    uint64_t key = (uint64_t)ids[0] << 32 | ids[1];
    uint32_t at = pf_map_get(&a->at, key);
    a->late++;
    if (at == PF_NONE) {
        at = a->pairs++;
        a->pair[at] = (late_pair){from, to, by};
        return pf_map_set(&a->at, key, at) ? PF_OK : pf_budget_refused(run->budget, 64, &run->error);
    }
    a->pair[at].worst = by > a->pair[at].worst ? by : a->pair[at].worst;
    return PF_OK;
}

static pf_status draw(aiu_run *run, arrows *a, const aiu_sync_slice *send)
{
    const aiu_events *v = &run->events;
    uint32_t at = pf_aiu_receive_on(run, a->f, send->set, send->peer);
    if (at == PF_NONE) {
        return PF_OK;
    }
    uint32_t from = send->event, to = a->f->slice[at].event;
    uint32_t key = a->f->set[send->set].key, group = v->group[from];
    double start = v->ts[from], end = pf_aiu_end(run, to) - BEFORE_END_US;
    int64_t id = a->next_id++;
    a->x->arrow[a->x->arrows++] = (aiu_arrow_pair){from, to};
    pf_status st =
        !run->set.flow ? PF_OK : pf_aiu_add_arrow(run, 's', start, v->pid[from], v->tid[from], id, key, group);
    st = st == PF_OK && run->set.flow ? pf_aiu_add_arrow(run, 'f', end, v->pid[to], v->tid[to], id, key, group) : st;
    return st == PF_OK && start > end ? note_late(run, a, v->pid[from], v->pid[to], start - end) : st;
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
        char digits[PF_NUMBER_MAX];
        size_t len = pf_format_real(a->pair[i].worst, digits);
        pf_aiu_log(run, "RAW", "%lld  %lld  %.*s", (long long)a->pair[i].from, (long long)a->pair[i].to, (int)len,
                   digits);
    }
}

pf_status pf_aiu_flow_arrows(aiu_run *run, const aiu_flows *f, aiu_exchange *x)
{
    arrows a = {.f = f, .x = x, .next_id = FIRST_ID};
    pf_map_init(&a.at, run->budget);
    a.pair = pf_pass_alloc(run->ctx, (size_t)f->slices + 1, sizeof *a.pair, &run->error);
    x->arrow = a.pair ? pf_pass_alloc(run->ctx, (size_t)f->slices + 1, sizeof *x->arrow, &run->error) : NULL;
    pf_status st = x->arrow ? PF_OK : run->error.code;
    for (uint32_t i = 0; i < f->done_count && st == PF_OK; i++) {
        for (uint32_t s = f->collective[f->done[i]].first; s != PF_NONE && st == PF_OK; s = f->slice[s].next) {
            aiu_sync_kind kind = f->slice[s].kind;
            if (kind == AIU_SYNC_SINGLE || kind == AIU_SYNC_SEGMENT) {
                st = draw(run, &a, &f->slice[s]);
            }
        }
    }
    x->late = a.late;
    show_late(run, &a);
    if (f->dropped && (run->set.flow || run->set.compat == AIU_WANT)) {
        pf_aiu_log(run, "WARNING",
                   "FLOW: Incomplete flow groups dropped = %u  This can be caused by time-synchronization issues. You "
                   "might try cmdline arg '-S'",
                   f->dropped);
    }
    pf_map_free(&a.at);
    return st;
}
