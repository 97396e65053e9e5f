/* analyze/gpu/kernels/gpu_threads.c - what threads of the host did, device or not.
 *
 * One walk over the slices, which are in order of time. A thread is busy in the union of its slices: as they come in
 * order, it is enough to remember how far each thread is covered.
 */
#include <stdlib.h>

#include "analyze/gpu/kernels/gpu_kernels.h"
#include "base/ordering.h"
#include "model/trace/trace.h"

/* Time in which slices of a thread run; `until`: how far it is counted. */
typedef struct host_cover {
    uint64_t time;
    int64_t until;
} host_cover;

typedef struct host_thread {
    uint32_t track, input;
    uint64_t events;
    int64_t start, end;
    host_cover busy, operators;
} host_thread;

typedef struct host {
    gpu_facts *g;
    host_thread *threads; /* by thread, then those of tracks without one; several tracks may be of one thread */
} host;

static host_thread *thread_of(const host *h, uint32_t track)
{
    uint32_t utid = pf_trace_tracks(h->g->trace)->utid[track];
    return &h->threads[utid != PF_NONE ? utid : pf_trace_threads(h->g->trace)->count + track];
}

static void add_to_thread(host_thread *t, uint32_t track, uint32_t input, uint8_t kind, int64_t start, int64_t end)
{
    if (t->events++ == 0) {
        *t = (host_thread){track, input, 1, start, end, {0, INT64_MIN}, {0, INT64_MIN}};
    }
    t->end = end > t->end ? end : t->end;
    t->busy.time += pf_interval_stretch(&t->busy.until, start, end);
    if (kind == GPU_SLICE_OPERATOR || kind == GPU_SLICE_CALL) {
        t->operators.time += pf_interval_stretch(&t->operators.until, start, end);
    }
}

static void walk(host *h)
{
    const pf_trace *t = h->g->trace;
    const pf_slices *s = pf_trace_slices(t);
    bool many = pf_trace_input_count(t) > 1;
    for (uint32_t i = 0; i < s->count; i++) {
        uint8_t kind = h->g->kind[i];
        int64_t start = pf_slice_ts(s, i), end;
        if (kind < GPU_SLICE_CALL || kind > GPU_SLICE_ANNOTATION || s->dur[i] < 0 ||
            __builtin_add_overflow(start, s->dur[i], &end)) {
            continue;
        }
        uint32_t input = many ? pf_trace_event_input(t, s->event[i]) : 0;
        add_to_thread(thread_of(h, s->track[i]), s->track[i], input, kind, start, end);
    }
}

PF_ORDER(by_busy, host_thread, PF_UP(input), PF_DOWN(busy.time), PF_UP(track));

static void put_thread(const gpu_facts *g, const host_thread *th)
{
    const pf_threads *threads = pf_trace_threads(g->trace);
    const pf_processes *p = pf_trace_processes(g->trace);
    uint32_t utid = pf_trace_tracks(g->trace)->utid[th->track], upid = utid == PF_NONE ? PF_NONE : threads->upid[utid];
    pf_str name = {NULL, 0};
    if (utid != PF_NONE) {
        name = pf_trace_string(g->trace, threads->kind[utid] == PF_ID_INT ? threads->name[utid] : threads->text[utid]);
    }
    GPU_ROW(g, GPU_TABLE_THREADS, GPU_WHOSE(g, th->input),
            pf_cell_int_if(upid != PF_NONE, upid != PF_NONE ? p->pid[upid] : 0),
            pf_cell_int_if(utid != PF_NONE, utid != PF_NONE ? threads->tid[utid] : 0), pf_cell_text(name),
            pf_cell_count(th->events), pf_cell_int(th->start), pf_cell_int(th->end), pf_cell_count(th->busy.time),
            pf_cell_count(th->operators.time));
}

static void put_threads(host *h, size_t most)
{
    uint32_t n = 0;
    for (size_t i = 0; i < most; i++) {
        if (h->threads[i].events) {
            h->threads[n++] = h->threads[i];
        }
    }
    qsort(h->threads, n, sizeof *h->threads, by_busy);
    for (uint32_t i = 0; i < n; i++) {
        put_thread(h->g, &h->threads[i]);
    }
}

pf_status pf_gpu_threads(gpu_facts *g, pf_error *err)
{
    size_t most = (size_t)pf_trace_threads(g->trace)->count + pf_trace_tracks(g->trace)->count;
    host h = {.g = g};
    PF_TRY(PF_ARENA_NEW(&g->scratch, h.threads, most, err));
    walk(&h);
    put_threads(&h, most);
    pf_arena_reset(&g->scratch);
    return PF_OK;
}
