/* analyze/gpu/host/gpu_host_gaps.c - the tables of windows and of wakers. */
#include <inttypes.h>

#include "analyze/gpu/host/gpu_host.h"
#include "analyze/support/pass_memory.h"
#include "model/trace/trace.h"

bool pf_gpu_host_window_of(const gpu_facts *g, const gpu_listed_gap *gap, pf_interval *window)
{
    uint32_t call = gpu_call_of(g, gap->gap.after);
    *window = gap->gap.time;
    if (call == PF_NONE || gap->thread == PF_NONE) {
        return false;
    }
    window->end = g->calls.end[call] < window->end ? g->calls.end[call] : window->end;
    return window->start < window->end;
}

pf_str pf_gpu_host_thread_text(const gpu_facts *g, uint32_t thread)
{
    const pf_threads *t = pf_trace_threads(g->trace);
    pf_str name = pf_trace_string(g->trace, t->name[thread]);
    return name.len ? name : pf_findings_format(g->f, "tid %" PRId64, t->tid[thread]);
}

pf_str pf_gpu_host_wakers_text(const gpu_facts *g, const gpu_host_window *w)
{
    pf_buffer b = {.data = NULL};
    if (w->hops == 0) {
        return (pf_str){NULL, 0};
    }
    for (unsigned i = 0; i < w->hops; i++) {
        pf_str name = pf_gpu_host_thread_text(g, w->hop[i].thread);
        pf_buffer_text(&b, i ? " <- " : "");
        pf_buffer_text(&b, w->hop[i].irq == 1 ? "interrupt of " : "");
        pf_pass_put_name(&b, name.ptr ? name : PF_STR(""));
    }
    return pf_pass_keep_buffer(g->f, &b);
}

static pf_cell thread_cell(const gpu_facts *g, uint32_t thread)
{
    return pf_cell_text(thread == PF_NONE ? (pf_str){NULL, 0} : pf_gpu_host_thread_text(g, thread));
}

static bool is_lost(const gpu_host *h, const gpu_host_window *w)
{
    return h->lost || w->time[PF_TASK_UNKNOWN] > 0;
}

static void add_window(const gpu_host *h, const gpu_listed_gap *gap, pf_interval window, const gpu_host_window *w,
                       uint32_t slice)
{
    const gpu_facts *g = h->g;
    const gpu_device *d = &g->devices[gap->device];
    pf_str function = pf_trace_string(g->trace, w->function);
    GPU_ROW(g, GPU_TABLE_HOST_GAPS, GPU_DEVICE(g, d), pf_cell_int(window.start), pf_cell_int(window.end),
            pf_cell_count(pf_interval_length(window)), pf_cell_int(pf_trace_threads(g->trace)->tid[gap->thread]),
            thread_cell(g, gap->thread), pf_cell_text(pf_gpu_host_kind_name(w->verdict)),
            pf_cell_count(w->time[PF_TASK_RUNNING]), pf_cell_count(w->time[PF_TASK_READY]),
            pf_cell_count(w->time[PF_TASK_PREEMPTED]), pf_cell_count(w->time[PF_TASK_SLEEPING]),
            pf_cell_count(w->time[PF_TASK_BLOCKED]), pf_cell_count(w->time[PF_TASK_UNKNOWN]),
            pf_gpu_slice_cell(g, slice), thread_cell(g, w->taken_by), pf_cell_count(w->taken), pf_cell_text(function),
            pf_cell_text(pf_gpu_host_wakers_text(g, w)), pf_cell_int(is_lost(h, w)), pf_cell_text(d->label));
}

static void add_wakers(const gpu_facts *g, const gpu_listed_gap *gap, pf_interval window, const gpu_host_window *w)
{
    for (unsigned i = 0; i < w->hops; i++) {
        const gpu_host_hop *hop = &w->hop[i];
        GPU_ROW(g, GPU_TABLE_HOST_WAKERS, GPU_DEVICE(g, &g->devices[gap->device]), pf_cell_int(window.start),
                pf_cell_int(i + 1), pf_cell_int(pf_trace_threads(g->trace)->tid[hop->thread]),
                thread_cell(g, hop->thread), pf_cell_int(hop->at), pf_cell_int_if(hop->irq != PF_NONE, hop->irq),
                pf_cell_int_if(hop->woken, pf_cell_count(hop->blocked).as.i),
                pf_cell_int_if(hop->woken, pf_cell_count(hop->runnable).as.i));
    }
}

pf_status pf_gpu_host_tabulate(const gpu_host *h, const gpu_gap_list *gaps, pf_error *err)
{
    const gpu_facts *g = h->g;
    gpu_host_window *windows;
    gpu_under *under;
    pf_arena arena;
    uint32_t n = 0;
    if (h->states.count == 0) {
        return PF_OK;
    }
    pf_arena_init(&arena, g->arena->budget);
    pf_status st = PF_PASS_ARRAY(&arena, gaps->count, windows, err);
    st = st == PF_OK ? PF_PASS_ARRAY(&arena, gaps->count, under, err) : st;
    for (size_t i = 0; i < gaps->count && st == PF_OK; i++) {
        pf_interval window;
        if (pf_gpu_host_window_of(g, &gaps->list[i], &window)) {
            pf_gpu_host_look(h, gaps->list[i].thread, window, &windows[n]);
            const gpu_host_part *run = &windows[n].running;
            int64_t middle = run->time.start + (int64_t)(pf_interval_length(run->time) / 2);
            under[n++] =
                (gpu_under){run->place == PF_NONE ? PF_NONE : gaps->list[i].thread, GPU_UNDER_ANY, middle, PF_NONE};
        }
    }
    st = st == PF_OK ? pf_gpu_slices_under(g, under, n, &arena, err) : st;
    uint32_t lost = n = 0;
    for (size_t i = 0; i < gaps->count && st == PF_OK; i++) {
        pf_interval window;
        if (pf_gpu_host_window_of(g, &gaps->list[i], &window)) {
            lost += is_lost(h, &windows[n]);
            add_window(h, &gaps->list[i], window, &windows[n], under[n].slice);
            add_wakers(g, &gaps->list[i], window, &windows[n]);
            n++;
        }
    }
    if (lost) {
        pf_findings_show_line(g->f, PF_NOTICE,
                              "what the host did in %" PRIu32 " of %" PRIu32
                              " host-bound gaps is not all known: events of "
                              "the scheduler were lost, or not recorded then",
                              lost, n);
    }
    pf_arena_free(&arena);
    return st;
}
