/* analyze/host/host_facts.c - one walk over what cpus ran, one over what threads did.
 *
 * Rows are in the order in which they began, of all threads mixed; each thread remembers its last row and the first one
 * since it ran last. A run that begins ends a delay (if the row in front of it is one in which the thread was ready)
 * and a wait (all since its last run). Delays are collected with their thread and cpu, then sorted three times: in all,
 * and for each thread and cpu after a counting sort by it.
 */
#include "analyze/host/host.h"

#include "analyze/support/order_stats.h"
#include "analyze/support/pass_memory.h"
#include "model/trace/trace.h"

static void widen(host_facts *h, uint32_t count, const int64_t *ts, const int64_t *dur)
{
    for (uint32_t i = 0; i < count; i++) {
        pf_host_widen(h, ts[i], dur[i]);
    }
}

static void add_run(host_facts *h, uint32_t row, bool last)
{
    const pf_cpu_runs *s = &h->sched;
    host_cpu *c = &h->cpu[s->ucpu[row]];
    uint64_t length = (uint64_t)(pf_host_end(h, s->ts[row], s->dur[row], last) - s->ts[row]);
    bool idle = pf_trace_threads(h->t)->tid[s->utid[row]] == 0;
    c->idle += idle ? length : 0;
    c->running += idle ? 0 : length;
    c->runs += !idle;
}

static pf_status read_cpus(host_facts *h, pf_error *err)
{
    const pf_cpu_runs *s = &h->sched;
    for (uint32_t i = 0; i < s->count; i++) {
        h->cpus = s->ucpu[i] >= h->cpus ? s->ucpu[i] + 1 : h->cpus;
    }
    for (uint32_t i = 0; i < h->states.count; i++) {
        uint32_t cpu = h->states.ucpu[i];
        h->cpus = cpu != PF_NONE && cpu >= h->cpus ? cpu + 1 : h->cpus;
    }
    PF_TRY(PF_PASS_ARRAY(h->ctx->arena, h->cpus, h->cpu, err));
    for (uint32_t i = 0; i < h->cpus; i++) {
        h->cpu[i] = (host_cpu){.row = PF_NONE};
    }
    for (uint32_t i = 0; i < s->count; i++) {
        host_cpu *c = &h->cpu[s->ucpu[i]];
        if (c->row != PF_NONE) {
            add_run(h, c->row, false);
        }
        c->row = i;
    }
    for (uint32_t i = 0; i < h->cpus; i++) {
        if (h->cpu[i].row != PF_NONE) {
            add_run(h, h->cpu[i].row, true);
            h->cpus_seen++;
        }
    }
    return PF_OK;
}

/* Delays as they end. */
typedef struct delay_list {
    uint64_t *length;
    uint32_t *utid, *cpu;
    uint32_t count;
} delay_list;

static void keep_wait(host_waits *w, host_wait wait)
{
    uint32_t at = w->count;
    if (at == w->most && (at == 0 || w->wait[at - 1].length >= wait.length)) {
        return;
    }
    w->count += at < w->most;
    for (at = w->count - 1; at > 0 && w->wait[at - 1].length < wait.length; at--) {
        w->wait[at] = w->wait[at - 1];
    }
    w->wait[at] = wait;
}

static void add_state(host_facts *h, uint32_t row, bool last)
{
    const pf_task_states *s = &h->states;
    host_task *t = &h->thread[s->utid[row]];
    pf_task_kind kind = pf_host_kind(h, row);
    uint64_t length = (uint64_t)(pf_host_end(h, s->ts[row], s->dur[row], last) - s->ts[row]);
    t->time[kind] += length;
    t->io += kind == PF_TASK_BLOCKED && s->io_wait[row] == 1 ? length : 0;
    t->preemptions += kind == PF_TASK_PREEMPTED;
}

static void begin_run(host_facts *h, uint32_t row, delay_list *delays)
{
    const pf_task_states *s = &h->states;
    host_task *t = &h->thread[s->utid[row]];
    pf_task_kind before = t->row == PF_NONE ? PF_TASK_UNKNOWN : pf_host_kind(h, t->row);
    if ((before == PF_TASK_READY || before == PF_TASK_PREEMPTED) && s->dur[t->row] >= 0) {
        delays->length[delays->count] = (uint64_t)s->dur[t->row];
        delays->utid[delays->count] = s->utid[row];
        delays->cpu[delays->count++] = s->ucpu[row];
    }
    if (t->off != PF_NONE && !t->lost && s->ts[row] >= s->ts[t->off]) {
        keep_wait(&h->waits[pf_host_kind(h, t->off)],
                  (host_wait){(uint64_t)(s->ts[row] - s->ts[t->off]), t->off, t->row, row});
    }
    t->migrations += t->cpu != PF_NONE && t->cpu != s->ucpu[row];
    t->cpu = s->ucpu[row];
    t->runs++;
    t->off = PF_NONE;
    t->lost = false;
}

static void read_states(host_facts *h, delay_list *delays)
{
    const pf_task_states *s = &h->states;
    for (uint32_t i = 0; i < s->count; i++) {
        host_task *t = &h->thread[s->utid[i]];
        if (t->row != PF_NONE) {
            add_state(h, t->row, false);
        }
        if (pf_host_kind(h, i) == PF_TASK_RUNNING && s->ucpu[i] != PF_NONE) {
            begin_run(h, i, delays);
        } else {
            t->off = t->off == PF_NONE && t->runs ? i : t->off;
            t->lost |= s->dur[i] < 0;
        }
        t->row = i;
    }
    for (uint32_t i = 0; i < h->threads; i++) {
        if (h->thread[i].row != PF_NONE) {
            add_state(h, h->thread[i].row, true);
        }
    }
}

static host_delays delays_of(uint64_t *length, uint32_t count, uint64_t *scratch)
{
    static const unsigned percent[HOST_PERCENTS] = {50, 95, 99};
    host_delays d = {.count = count};
    if (count) {
        pf_sort_lengths(length, count, scratch);
        for (unsigned i = 0; i < HOST_PERCENTS; i++) {
            d.at[i] = length[((uint64_t)count * percent[i] + 99) / 100 - 1];
        }
        d.most = length[count - 1];
    }
    return d;
}

/* The delays of each of `groups` numbers, into the member `out` + group * size. */
static pf_status group_delays(const host_facts *h, const delay_list *d, const uint32_t *group, uint32_t groups,
                              host_delays *out, size_t size, pf_error *err)
{
    pf_arena arena;
    uint64_t *sorted, *scratch;
    uint32_t *from;
    pf_arena_init(&arena, h->ctx->arena->budget);
    pf_status st = PF_PASS_ARRAY(&arena, d->count, sorted, err);
    st = st == PF_OK ? PF_PASS_ARRAY(&arena, d->count, scratch, err) : st;
    st = st == PF_OK ? PF_ARENA_NEW(&arena, from, (size_t)groups + 2, err) : st;
    if (st == PF_OK) {
        for (uint32_t i = 0; i < d->count; i++) {
            from[group[i] + 2]++;
        }
        for (uint32_t i = 2; i < groups + 2; i++) {
            from[i] += from[i - 1];
        }
        for (uint32_t i = 0; i < d->count; i++) {
            sorted[from[group[i] + 1]++] = d->length[i];
        }
        for (uint32_t i = 0; i < groups; i++) {
            *(host_delays *)((char *)out + i * size) = delays_of(sorted + from[i], from[i + 1] - from[i], scratch);
        }
    }
    pf_arena_free(&arena);
    return st;
}

static pf_status read_threads(host_facts *h, pf_arena *scratch, pf_error *err)
{
    delay_list d = {.count = 0};
    uint64_t *spare;
    PF_TRY(PF_PASS_ARRAY(scratch, h->states.count, d.length, err));
    PF_TRY(PF_PASS_ARRAY(scratch, h->states.count, d.utid, err));
    PF_TRY(PF_PASS_ARRAY(scratch, h->states.count, d.cpu, err));
    read_states(h, &d);
    if (h->threads) {
        PF_TRY(group_delays(h, &d, d.utid, h->threads, &h->thread->delays, sizeof *h->thread, err));
    }
    if (h->cpus) {
        PF_TRY(group_delays(h, &d, d.cpu, h->cpus, &h->cpu->delays, sizeof *h->cpu, err));
    }
    PF_TRY(PF_PASS_ARRAY(scratch, d.count, spare, err));
    h->delays = delays_of(d.length, d.count, spare);
    return PF_OK;
}

pf_status pf_host_read(host_facts *h, uint32_t longest, pf_error *err)
{
    PF_TRY(pf_scheduler_read(h->t, &h->sched, &h->states, err));
    h->start = INT64_MAX;
    h->end = INT64_MIN;
    widen(h, h->sched.count, h->sched.ts, h->sched.dur);
    widen(h, h->states.count, h->states.ts, h->states.dur);
    PF_TRY(pf_cpu_tracks_read(h->t, h->ctx->arena, &h->tracks, err));
    if (!pf_host_has_scheduler(h)) {
        pf_host_widen_by_cpus(h);
    }
    PF_TRY(read_cpus(h, err));
    h->threads = pf_trace_threads(h->t)->count;
    PF_TRY(PF_PASS_ARRAY(h->ctx->arena, h->threads, h->thread, err));
    for (uint32_t i = 0; i < h->threads; i++) {
        h->thread[i] = (host_task){.row = PF_NONE, .off = PF_NONE, .cpu = PF_NONE};
    }
    for (unsigned i = 0; i < PF_TASK_KINDS; i++) {
        h->waits[i].most = longest;
        PF_TRY(PF_PASS_ARRAY(h->ctx->arena, longest, h->waits[i].wait, err));
    }
    pf_arena scratch;
    pf_arena_init(&scratch, h->ctx->arena->budget);
    pf_status st = read_threads(h, &scratch, err);
    pf_arena_free(&scratch);
    return st;
}
