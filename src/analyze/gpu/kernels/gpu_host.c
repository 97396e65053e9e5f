/* analyze/gpu/kernels/gpu_host.c - what the host did, device or not: modules of the network by name, and threads.
 *
 * One walk over the slices, which are in order of time. A module is a python function whose name begins with
 * "nn.Module: "; its own time is what lies in no module directly inside of it. A thread is busy in the union of its
 * slices: as they come in order, it is enough to remember how far each thread is covered.
 */
#include <stdlib.h>

#include "analyze/gpu/kernels/gpu_kernels.h"
#include "analyze/support/pass_memory.h"
#include "base/map.h"
#include "base/ordering.h"
#include "base/str.h"
#include "model/trace/trace.h"

typedef struct host_module {
    uint32_t input, name;
    uint64_t calls;
    int64_t total, self;
} host_module;

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
    uint8_t *is_module; /* verdicts */
    pf_map module_of;   /* input and name */
    host_module *modules;
    uint32_t module_count;
    host_thread *threads; /* by thread, then those of tracks without one; several tracks may be of one thread */
} host;

static bool names_module(pf_str name)
{
    const pf_str word = PF_STR("nn.Module: ");
    return name.len > word.len && pf_str_starts(name, word);
}

static bool is_module(const host *h, uint32_t slice)
{
    return h->g->kind[slice] == GPU_SLICE_PYTHON &&
           gpu_name_is(h->g, h->is_module, pf_slice_name(pf_trace_slices(h->g->trace), slice), names_module);
}

static uint64_t module_key(const host *h, uint32_t slice, uint32_t input)
{
    return (uint64_t)input << 32 | pf_slice_name(pf_trace_slices(h->g->trace), slice);
}

static bool add_module(host *h, uint32_t slice, uint32_t input, int64_t length)
{
    const pf_slices *s = pf_trace_slices(h->g->trace);
    uint64_t key = module_key(h, slice, input);
    uint32_t row = pf_map_get(&h->module_of, key), around = s->parent[slice];
    if (row == PF_NONE) {
        row = h->module_count++;
        h->modules[row] = (host_module){.input = input, .name = pf_slice_name(s, slice)};
        if (!pf_map_set(&h->module_of, key, row)) {
            return false;
        }
    }
    h->modules[row].calls++;
    h->modules[row].total += length;
    h->modules[row].self += length;
    while (around != PF_NONE && around < slice && !is_module(h, around)) {
        around = s->parent[around] < around ? s->parent[around] : PF_NONE;
    }
    if (around != PF_NONE && around < slice) {
        h->modules[pf_map_get(&h->module_of, module_key(h, around, input))].self -= length;
    }
    return true;
}

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

static bool walk(host *h)
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
        if (is_module(h, i) && !add_module(h, i, input, s->dur[i])) {
            return false;
        }
    }
    return true;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static int by_self(const void *a, const void *b)
{
    const host_module *x = a, *y = b;
    int order = PF_COMPARE(x->input, y->input);
    order = order ? order : PF_COMPARE(y->self, x->self);
    return order ? order : PF_COMPARE(x->name, y->name);
}

static int by_busy(const void *a, const void *b)
{
    const host_thread *x = a, *y = b;
    int order = PF_COMPARE(x->input, y->input);
    order = order ? order : PF_COMPARE(y->busy.time, x->busy.time);
    return order ? order : PF_COMPARE(x->track, y->track);
}

static void put_modules(const host *h)
{
    for (const host_module *m = h->modules; m < h->modules + h->module_count; m++) {
        GPU_ROW(h->g, GPU_TABLE_MODULES, GPU_WHOSE(h->g, m->input), pf_cell_text(pf_trace_string(h->g->trace, m->name)),
                pf_cell_count(m->calls), pf_cell_int(m->total), pf_cell_int(m->self));
    }
}

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

pf_status pf_gpu_host(gpu_facts *g, pf_error *err)
{
    uint32_t strings = g->trace->strings.count;
    size_t most = (size_t)pf_trace_threads(g->trace)->count + pf_trace_tracks(g->trace)->count;
    uint64_t names = (uint64_t)strings * g->rank_count, functions = g->of_kind[GPU_SLICE_PYTHON];
    host h = {.g = g};
    PF_TRY(PF_ARENA_NEW(&g->scratch, h.is_module, strings, err));
    PF_TRY(PF_ARENA_NEW(&g->scratch, h.threads, most, err));
    PF_TRY(PF_PASS_ARRAY(&g->scratch, names < functions ? names : functions, h.modules, err));
    pf_map_init(&h.module_of, g->arena->budget);
    bool ok = walk(&h);
    if (ok) {
        qsort(h.modules, h.module_count, sizeof *h.modules, by_self);
        put_modules(&h);
        put_threads(&h, most);
    }
    pf_map_free(&h.module_of);
    pf_arena_reset(&g->scratch);
    return ok ? PF_OK : pf_budget_refused(g->arena->budget, 64, err);
}
