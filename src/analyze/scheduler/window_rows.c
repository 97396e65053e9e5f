/* analyze/scheduler/window_rows.c - windows of threads as rows of tables, and as slices. */
#include <inttypes.h>

#include "analyze/scheduler/thread_windows.h"
#include "analyze/support/drawing.h"
#include "analyze/support/pass_memory.h"
#include "base/str.h"
#include "model/trace/trace.h"

static pf_str kind_name(pf_task_kind kind)
{
    static const char *const names[] = {"running", "runnable", "preempted", "sleeping",
                                        "blocked", "blocked",  "not known"};
    return pf_str_of(names[kind]);
}

/* "python", or "tid 4711". The text lives as long as the findings. */
static pf_str thread_text(const pf_schedule *s, uint32_t thread)
{
    const pf_threads *t = pf_trace_threads(s->t);
    pf_str name = pf_trace_string(s->t, t->name[thread]);
    return name.len ? name : pf_findings_format(s->f, "tid %" PRId64, t->tid[thread]);
}

/* "worker <- interrupt of loader": who ended the longest wait, who woke that one, ...; {NULL, 0}: nobody is known. */
static pf_str wakers_text(const pf_schedule *s, const pf_thread_window *w)
{
    pf_buffer b = {.data = NULL};
    if (w->hops == 0) {
        return (pf_str){NULL, 0};
    }
    for (unsigned i = 0; i < w->hops; i++) {
        pf_str name = thread_text(s, w->hop[i].thread);
        pf_buffer_text(&b, i ? " <- " : "");
        pf_buffer_text(&b, w->hop[i].irq == 1 ? "interrupt of " : "");
        pf_pass_put_name(&b, name.ptr ? name : PF_STR(""));
    }
    return pf_pass_keep_buffer(s->f, &b);
}

bool pf_schedule_lost(const pf_schedule *s, const pf_thread_window *w)
{
    return s->lost || w->time[PF_TASK_UNKNOWN] > 0;
}

void pf_schedule_say_lost(const pf_schedule *s, uint32_t lost, uint32_t of)
{
    if (lost) {
        pf_findings_show_line(s->f, PF_NOTICE,
                              "what the host did in %" PRIu32 " of %" PRIu32
                              " host-bound gaps is not all known: events of the scheduler were lost or not recorded "
                              "then, or its clock is another one (docs/recipes/perfetto.md)",
                              lost, of);
    }
}

static pf_cell thread_cell(const pf_schedule *s, uint32_t thread)
{
    return pf_cell_text(thread == PF_NONE ? (pf_str){NULL, 0} : thread_text(s, thread));
}

static pf_cell tid_cell(const pf_schedule *s, uint32_t thread)
{
    return pf_cell_int(pf_trace_threads(s->t)->tid[thread]);
}

void pf_schedule_window_cells(const pf_schedule *s, uint32_t thread, pf_interval window, const pf_thread_window *w,
                              pf_str slice, pf_cell *out)
{
    *out++ = pf_cell_int(window.start);
    *out++ = pf_cell_int(window.end);
    *out++ = pf_cell_count(pf_interval_length(window));
    *out++ = tid_cell(s, thread);
    *out++ = thread_cell(s, thread);
    *out++ = pf_cell_text(kind_name(w->verdict));
    for (unsigned kind = 0; kind < PF_TASK_KINDS; kind++) {
        if (kind != PF_TASK_STOPPED) { /* which count as blocked */
            *out++ = pf_cell_count(w->time[kind]);
        }
    }
    *out++ = pf_cell_count(w->interrupts);
    *out++ = pf_cell_text(slice);
    *out++ = thread_cell(s, w->taken_by);
    *out++ = pf_cell_count(w->taken);
    *out++ = pf_cell_text(pf_trace_string(s->t, w->function));
    *out++ = pf_cell_text(wakers_text(s, w));
    *out = pf_cell_int(pf_schedule_lost(s, w));
}

void pf_schedule_waker_cells(const pf_schedule *s, pf_interval window, const pf_thread_window *w, unsigned number,
                             pf_cell *out)
{
    const pf_thread_hop *hop = &w->hop[number];
    *out++ = pf_cell_int(window.start);
    *out++ = pf_cell_int(number + 1);
    *out++ = tid_cell(s, hop->thread);
    *out++ = thread_cell(s, hop->thread);
    *out++ = pf_cell_int(hop->at);
    *out++ = pf_cell_int_if(hop->irq != PF_NONE, hop->irq);
    *out++ = pf_cell_int_if(hop->woken, pf_cell_count(hop->blocked).as.i);
    *out = pf_cell_int_if(hop->woken, pf_cell_count(hop->runnable).as.i);
}

const char pf_schedule_row[] =
    "What the thread of the call that ended a gap did until the call was done, by the scheduler: the longest of its "
    "states, and each state inside. runnable: woken, without a cpu; preempted: its cpu was taken; cpu_taken_by: who "
    "ran there longest meanwhile; interrupt_ns: that cpu served interrupts; wakers: who ended the longest wait, who "
    "woke that one, and so on.";

static void put_text(const pf_schedule *s, const char *key, pf_str text)
{
    if (text.len) {
        pf_overlay_arg_text(s->f, pf_str_of(key), text);
    }
}

static void put_taker(const pf_schedule *s, uint32_t thread, uint64_t taken)
{
    if (thread != PF_NONE) {
        put_text(s, "cpu_taken_by", thread_text(s, thread));
        pf_overlay_arg_int(s->f, PF_STR("cpu_taken_ns"), pf_drawing_length(taken));
    }
}

void pf_schedule_draw(const pf_schedule *s, uint32_t track, uint32_t thread, pf_interval window, int64_t later)
{
    pf_thread_window w;
    pf_thread_part part;
    pf_schedule_look(s, thread, window, &w);
    pf_overlay_slice(s->f, track, window.start + later, pf_drawing_length(pf_interval_length(window)),
                     kind_name(w.verdict));
    put_text(s, "thread", thread_text(s, thread));
    put_taker(s, w.taken_by, w.taken);
    if (w.interrupts) {
        pf_overlay_arg_int(s->f, PF_STR("interrupt_ns"), pf_drawing_length(w.interrupts));
    }
    put_text(s, "blocked_function", pf_trace_string(s->t, w.function));
    put_text(s, "wakers", wakers_text(s, &w));
    for (pf_thread_walk walk = pf_schedule_walk(s, thread, window); pf_schedule_next(&walk, &part);) {
        uint64_t taken;
        uint32_t taker = pf_schedule_taker(s, &part, &taken);
        pf_overlay_slice(s->f, track, part.time.start + later, pf_drawing_length(pf_interval_length(part.time)),
                         kind_name(part.kind));
        put_taker(s, taker, taken);
    }
}
