/* analyze/host/host_tables.c - the result tables: a row for each cpu, each of its frequencies and interrupts, each
 * process and thread, and the longest waits. */
#include "analyze/host/host.h"

#include "analyze/support/order_stats.h"
#include "base/str.h"
#include "model/trace/trace.h"

#define TIME(name) PF_REAL_COLUMN(name, 1, "us")
#define DELAYS PF_INT_COLUMN("delays", ""), TIME("delay_p50"), TIME("delay_p95"), TIME("delay_p99"), TIME("delay_most")
#define TIMES                                                                                                          \
    TIME("running"), PF_REAL_COLUMN("share", 2, "%"), TIME("ready"), TIME("preempted"), TIME("blocked"), TIME("io"),   \
        TIME("sleeping")

const pf_pass_table pf_host_tables[HOST_TABLES] = {
    PF_PASS_TABLE("host_cpus", "a cpu: what it ran, how long threads waited for it", PF_INT_COLUMN("cpu", ""),
                  TIME("running"), PF_REAL_COLUMN("share", 2, "%"), TIME("idle"), TIME("interrupts"),
                  PF_INT_COLUMN("runs", ""), DELAYS),
    PF_PASS_TABLE("host_frequencies", "a frequency of a cpu: for how long, while threads ran, while it was idle",
                  PF_INT_COLUMN("cpu", ""), PF_INT_COLUMN("frequency", "kHz"), TIME("time"),
                  PF_REAL_COLUMN("share", 2, "%"), TIME("running"), TIME("idle")),
    PF_PASS_TABLE("host_interrupts", "interrupts of a name on a cpu", PF_INT_COLUMN("cpu", ""), PF_TEXT_COLUMN("kind"),
                  PF_TEXT_COLUMN("name"), PF_INT_COLUMN("count", ""), TIME("total"), PF_REAL_COLUMN("share", 2, "%"),
                  TIME("longest"), PF_INT_COLUMN("longest_start", "ns")),
    PF_PASS_TABLE("host_processes", "a process: cpu time of its threads, shares of all cpus", PF_TEXT_COLUMN("process"),
                  PF_INT_COLUMN("pid", ""), PF_INT_COLUMN("threads", ""), TIMES, PF_INT_COLUMN("runs", "")),
    PF_PASS_TABLE("host_threads", "a thread: what it did, shares of one cpu", PF_TEXT_COLUMN("thread"),
                  PF_INT_COLUMN("tid", ""), PF_TEXT_COLUMN("process"), PF_INT_COLUMN("pid", ""), TIMES,
                  PF_INT_COLUMN("runs", ""), PF_INT_COLUMN("preemptions", ""), PF_INT_COLUMN("migrations", ""), DELAYS),
    PF_PASS_TABLE("host_waits", "the longest times without a cpu, by what the thread did first", PF_TEXT_COLUMN("wait"),
                  PF_TEXT_COLUMN("thread"), PF_INT_COLUMN("tid", ""), PF_TEXT_COLUMN("process"),
                  PF_INT_COLUMN("start", "ns"), TIME("length"), TIME("ready"), PF_TEXT_COLUMN("function"),
                  PF_TEXT_COLUMN("waker"), PF_INT_COLUMN("waker_tid", "")),
};

static pf_cell us(uint64_t ns)
{
    return pf_cell_real((double)ns / 1e3);
}

static pf_cell share(const host_facts *h, uint64_t ns, uint32_t cpus)
{
    double all = ((double)h->end - (double)h->start) * cpus;
    return pf_cell_real_if(all > 0, 100 * (double)ns / all);
}

static pf_cell text(const host_facts *h, uint32_t id)
{
    return pf_cell_text(pf_trace_string(h->t, id));
}

#define DELAY(d, i) pf_cell_real_if((d).count, (double)(d).at[i] / 1e3)
#define DELAY_CELLS(d)                                                                                                 \
    pf_cell_count((d).count), DELAY(d, 0), DELAY(d, 1), DELAY(d, 2), pf_cell_real_if((d).count, (double)(d).most / 1e3)
#define TIME_CELLS(h, t, cpus)                                                                                         \
    us((t)->time[PF_TASK_RUNNING]), share(h, (t)->time[PF_TASK_RUNNING], cpus), us((t)->time[PF_TASK_READY]),          \
        us((t)->time[PF_TASK_PREEMPTED]), us((t)->time[PF_TASK_BLOCKED]), us((t)->io), us((t)->time[PF_TASK_SLEEPING])

/* Cells for the process of a thread; null where it is not known. */
static pf_cell process_name(const host_facts *h, uint32_t upid)
{
    return upid == PF_NONE ? pf_cell_text((pf_str){NULL, 0}) : text(h, pf_trace_processes(h->t)->name[upid]);
}

static pf_cell process_pid(const host_facts *h, uint32_t upid)
{
    return pf_cell_int_if(upid != PF_NONE, upid == PF_NONE ? 0 : pf_trace_processes(h->t)->pid[upid]);
}

static void add_cpus(const host_facts *h, pf_findings *f, pf_table_builder *t)
{
    for (uint32_t i = 0; i < h->cpus; i++) {
        const host_cpu *c = &h->cpu[i];
        if (c->row != PF_NONE) {
            PF_TABLE_ROW(f, t, pf_cell_int(i), us(c->running), share(h, c->running, 1), us(c->idle),
                         us(pf_interrupts_within(&h->interrupts, i, (pf_interval){INT64_MIN, INT64_MAX})),
                         pf_cell_count(c->runs), DELAY_CELLS(c->delays));
        }
    }
}

static void add_frequencies(const host_facts *h, pf_findings *f, pf_table_builder *t)
{
    for (uint32_t i = 0; i < h->frequencies.count; i++) {
        const host_frequency *own = &h->frequencies.list[i];
        if (own->all) {
            PF_TABLE_ROW(f, t, pf_cell_int(own->cpu), pf_cell_int(own->khz), us(own->all), share(h, own->all, 1),
                         us(own->running), us(own->idle));
        }
    }
}

static void add_interrupts(const host_facts *h, pf_findings *f, pf_table_builder *t)
{
    for (uint32_t i = 0; i < h->interrupt_count; i++) {
        const host_interrupt *own = &h->interrupt[i];
        PF_TABLE_ROW(f, t, pf_cell_int(own->cpu), pf_cell_text(own->soft ? PF_STR("softirq") : PF_STR("irq")),
                     text(h, own->name), pf_cell_int(own->count), us(own->total), share(h, own->total, 1),
                     us(own->longest), pf_cell_int(own->longest_at));
    }
}

static void add_process(const host_facts *h, pf_findings *f, pf_table_builder *t, uint32_t upid, const host_task *sum,
                        uint32_t threads)
{
    PF_TABLE_ROW(f, t, process_name(h, upid), process_pid(h, upid), pf_cell_count(threads),
                 TIME_CELLS(h, sum, h->cpus_seen), pf_cell_count(sum->runs));
}

static void add_thread(const host_facts *h, pf_findings *f, pf_table_builder *t, uint32_t utid)
{
    const host_task *of = &h->thread[utid];
    const pf_threads *threads = pf_trace_threads(h->t);
    uint32_t upid = threads->upid[utid];
    PF_TABLE_ROW(f, t, text(h, threads->name[utid]), pf_cell_int(threads->tid[utid]), process_name(h, upid),
                 process_pid(h, upid), TIME_CELLS(h, of, 1), pf_cell_count(of->runs), pf_cell_count(of->preemptions),
                 pf_cell_count(of->migrations), DELAY_CELLS(of->delays));
}

static void add_wait(const host_facts *h, pf_findings *f, pf_table_builder *t, const host_wait *w)
{
    static const char *const kinds[PF_TASK_KINDS] = {"", "ready", "preempted", "sleeping", "blocked", "other", "other"};
    const pf_threads *threads = pf_trace_threads(h->t);
    const pf_task_states *s = &h->states;
    uint32_t utid = s->utid[w->run], waker = s->waker[w->ready];
    pf_task_kind last = pf_host_kind(h, w->ready);
    bool was_ready = last == PF_TASK_READY || last == PF_TASK_PREEMPTED;
    PF_TABLE_ROW(f, t, pf_cell_text(pf_str_of(kinds[pf_host_kind(h, w->off)])), text(h, threads->name[utid]),
                 pf_cell_int(threads->tid[utid]), process_name(h, threads->upid[utid]), pf_cell_int(s->ts[w->off]),
                 us(w->length), us(was_ready ? (uint64_t)s->dur[w->ready] : 0), text(h, s->function[w->off]),
                 waker == PF_NONE ? pf_cell_text((pf_str){NULL, 0}) : text(h, threads->name[waker]),
                 pf_cell_int_if(waker != PF_NONE, waker == PF_NONE ? 0 : threads->tid[waker]));
}

static void add_to(host_task *sum, const host_task *t)
{
    for (unsigned i = 0; i < PF_TASK_KINDS; i++) {
        sum->time[i] += t->time[i];
    }
    sum->io += t->io;
    sum->runs += t->runs;
}

/* Processes by the time of their threads, the largest first; threads without a process are a row of their own. */
static pf_status add_processes(const host_facts *h, pf_findings *f, pf_table_builder *t, pf_arena *scratch,
                               pf_error *err)
{
    const pf_threads *threads = pf_trace_threads(h->t);
    uint32_t n = pf_trace_processes(h->t)->count + 1, *order, *spare, *count;
    int64_t *key;
    host_task *sum;
    PF_TRY(PF_ARENA_NEW(scratch, sum, n, err));
    PF_TRY(PF_ARENA_NEW(scratch, count, n, err));
    PF_TRY(PF_ARENA_NEW(scratch, key, n, err));
    PF_TRY(PF_ARENA_NEW(scratch, order, 2 * (size_t)n, err));
    spare = order + n;
    for (uint32_t i = 0; i < h->threads; i++) {
        uint32_t at = threads->upid[i] == PF_NONE ? n - 1 : threads->upid[i];
        add_to(&sum[at], &h->thread[i]);
        count[at] += h->thread[i].row != PF_NONE;
        key[at] -= (int64_t)h->thread[i].time[PF_TASK_RUNNING];
    }
    pf_sort_order(key, n, order, spare);
    for (uint32_t i = 0; i < n; i++) {
        if (count[order[i]]) {
            add_process(h, f, t, order[i] == n - 1 ? PF_NONE : order[i], &sum[order[i]], count[order[i]]);
        }
    }
    return PF_OK;
}

static pf_status add_threads(const host_facts *h, pf_findings *f, pf_table_builder *t, pf_arena *scratch, pf_error *err)
{
    uint32_t *order;
    int64_t *key;
    PF_TRY(PF_ARENA_NEW(scratch, key, h->threads, err));
    PF_TRY(PF_ARENA_NEW(scratch, order, 2 * (size_t)h->threads, err));
    for (uint32_t i = 0; i < h->threads; i++) {
        key[i] = -(int64_t)h->thread[i].time[PF_TASK_RUNNING];
    }
    pf_sort_order(key, h->threads, order, order + h->threads);
    for (uint32_t i = 0; i < h->threads; i++) {
        if (h->thread[order[i]].row != PF_NONE) {
            add_thread(h, f, t, order[i]);
        }
    }
    return PF_OK;
}

pf_status pf_host_tabulate(const host_facts *h, pf_findings *f, pf_table_builder *table[HOST_TABLES], pf_error *err)
{
    static const pf_task_kind waits[] = {PF_TASK_BLOCKED, PF_TASK_PREEMPTED, PF_TASK_SLEEPING};
    for (unsigned i = 0; i < HOST_TABLES; i++) {
        const pf_pass_table *t = &pf_host_tables[i];
        table[i] = pf_table_new_named(f, t->name, pf_str_of(t->help), t->columns, t->column_count);
    }
    add_cpus(h, f, table[HOST_CPUS]);
    add_frequencies(h, f, table[HOST_FREQUENCIES]);
    add_interrupts(h, f, table[HOST_INTERRUPTS]);
    pf_arena scratch;
    pf_arena_init(&scratch, h->ctx->arena->budget);
    pf_status st = add_processes(h, f, table[HOST_PROCESSES], &scratch, err);
    st = st == PF_OK ? add_threads(h, f, table[HOST_THREADS], &scratch, err) : st;
    pf_arena_free(&scratch);
    for (unsigned k = 0; k < sizeof waits / sizeof *waits; k++) {
        for (uint32_t i = 0; i < h->waits[waits[k]].count; i++) {
            add_wait(h, f, table[HOST_WAITS], &h->waits[waits[k]].wait[i]);
        }
    }
    return st == PF_OK ? pf_findings_status(f, err) : st;
}
