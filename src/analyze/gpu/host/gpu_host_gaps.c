/* analyze/gpu/host/gpu_host_gaps.c - the tables of windows and of wakers. */
#include "analyze/gpu/host/gpu_host.h"
#include "analyze/support/pass_memory.h"
#include "model/trace/trace.h"

static bool has_states(const pf_schedule *h, uint32_t thread)
{
    return h->by_thread.first[thread + 1] > h->by_thread.first[thread];
}

void pf_gpu_host_note_inputs(gpu_facts *g, const pf_schedule *h)
{
    const uint32_t *upid = pf_trace_threads(g->trace)->upid, *input = pf_trace_processes(g->trace)->input;
    g->ranks[0].scheduled = g->rank_count == 1;
    for (uint32_t i = 0; h->states.count && i < h->by_thread.of; i++) {
        if (has_states(h, i) && upid[i] != PF_NONE && input[upid[i]] < g->rank_count) {
            g->ranks[input[upid[i]]].scheduled = true;
        }
    }
}

/* Whether the scheduler of some input knows the thread that ended a gap, or the others of its input. */
static bool is_scheduled(const gpu_facts *g, const pf_schedule *h, const gpu_listed_gap *gap)
{
    return g->ranks[g->devices[gap->device].input].scheduled || has_states(h, gap->thread);
}

bool pf_gpu_host_window_of(const gpu_facts *g, const pf_schedule *h, const gpu_listed_gap *gap, pf_interval *window)
{
    uint32_t call = gpu_call_of(g, gap->gap.after);
    *window = gap->gap.time;
    if (call == PF_NONE || gap->thread == PF_NONE || !is_scheduled(g, h, gap)) {
        return false;
    }
    window->end = g->calls.end[call] < window->end ? g->calls.end[call] : window->end;
    return window->start < window->end;
}

static void add_window(const gpu_facts *g, const pf_schedule *h, const gpu_listed_gap *gap, pf_interval window,
                       const pf_thread_window *w, uint32_t slice)
{
    const gpu_device *d = &g->devices[gap->device];
    pf_cell cells[] = {GPU_DEVICE(g, d), [3 + PF_WINDOW_CELLS] = pf_cell_text(d->label)};
    pf_schedule_window_cells(h, gap->thread, window, w, pf_gpu_slice_cell(g, slice).as.s, cells + 3);
    pf_table_row(g->f, g->table[GPU_TABLE_HOST_GAPS], cells);
    for (unsigned i = 0; i < w->hops; i++) {
        pf_cell hop[3 + PF_WAKER_CELLS] = {GPU_DEVICE(g, d)};
        pf_schedule_waker_cells(h, window, w, i, hop + 3);
        pf_table_row(g->f, g->table[GPU_TABLE_HOST_WAKERS], hop);
    }
}

pf_status pf_gpu_host_tabulate(const gpu_facts *g, const pf_schedule *h, const gpu_gap_list *gaps, pf_error *err)
{
    pf_thread_window *windows;
    gpu_under *under;
    pf_arena arena;
    uint32_t n = 0, strange = 0;
    if (h->states.count == 0) {
        return PF_OK;
    }
    pf_arena_init(&arena, g->arena->budget);
    pf_status st = PF_PASS_ARRAY(&arena, gaps->count, windows, err);
    st = st == PF_OK ? PF_PASS_ARRAY(&arena, gaps->count, under, err) : st;
    for (size_t i = 0; i < gaps->count && st == PF_OK; i++) {
        pf_interval window;
        strange += gaps->list[i].thread != PF_NONE && !is_scheduled(g, h, &gaps->list[i]);
        if (pf_gpu_host_window_of(g, h, &gaps->list[i], &window)) {
            pf_schedule_look(h, gaps->list[i].thread, window, &windows[n]);
            const pf_thread_part *run = &windows[n].running;
            int64_t middle = run->time.start + (int64_t)(pf_interval_length(run->time) / 2);
            under[n++] =
                (gpu_under){run->place == PF_NONE ? PF_NONE : gaps->list[i].thread, GPU_UNDER_ANY, middle, PF_NONE};
        }
    }
    st = st == PF_OK ? pf_gpu_slices_under(g, under, n, err) : st;
    uint32_t lost = n = 0;
    for (size_t i = 0; i < gaps->count && st == PF_OK; i++) {
        pf_interval window;
        if (pf_gpu_host_window_of(g, h, &gaps->list[i], &window)) {
            lost += pf_schedule_lost(h, &windows[n]);
            add_window(g, h, &gaps->list[i], window, &windows[n], under[n].slice);
            n++;
        }
    }
    pf_schedule_say_lost(h, lost, n);
    if (n == 0 && strange) {
        pf_findings_show_line(g->f, PF_NOTICE,
                              "the scheduler knows no thread that launched something; postfetto merge puts the "
                              "capture of a machine to a trace of it, with --merge-pids (docs/recipes/perfetto.md)");
    }
    pf_arena_free(&arena);
    return st;
}
