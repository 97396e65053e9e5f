/* analyze/host/host_draw.c - what is drawn: use of the cpus and of the queue, interrupts and frequencies over time, and
 * the longest waits of threads that did not choose to wait: a sleep of minutes says nothing.
 *
 * Counters are means over a thousandth of the span, so that the drawing of an hour is as small as that of a
 * second.
 */
#include "analyze/host/host.h"
#include "analyze/support/drawing.h"
#include "analyze/support/pass_memory.h"
#include "model/trace/trace.h"

enum { BUCKETS = 1000 };

typedef struct means {
    int64_t width;
    uint64_t running[BUCKETS], ready[BUCKETS], interrupts[BUCKETS];
    uint64_t clocked[BUCKETS]; /* time of cpus whose frequency is known, */
    double cycles[BUCKETS];    /* and by their frequency, kHz ns */
} means;

/* Adds an interval, as far as it is in the span, to the buckets that it touches; and khz for its length to cycles. */
static void spread(const host_facts *h, means *m, uint64_t *bucket, pf_interval of, int64_t khz)
{
    int64_t to = of.end < h->end ? of.end : h->end;
    for (int64_t at = of.start > h->start ? of.start : h->start, end; at < to; at = end) {
        uint64_t i = (uint64_t)(at - h->start) / (uint64_t)m->width;
        end = h->start + (int64_t)(i + 1) * m->width;
        end = end < to ? end : to;
        bucket[i] += (uint64_t)(end - at);
        m->cycles[i] += khz ? (double)(end - at) * (double)khz : 0;
    }
}

static void add_means(const host_facts *h, means *m)
{
    const pf_task_states *s = &h->states;
    for (uint32_t i = 0; i < s->count; i++) {
        pf_task_kind kind = pf_host_kind(h, i);
        if (kind == PF_TASK_RUNNING || kind == PF_TASK_READY || kind == PF_TASK_PREEMPTED) {
            int64_t end = pf_host_end(h, s->ts[i], s->dur[i], h->thread[s->utid[i]].row == i);
            spread(h, m, kind == PF_TASK_RUNNING ? m->running : m->ready, (pf_interval){s->ts[i], end}, 0);
        }
    }
    for (uint32_t i = 0; i < h->interrupts.first[h->interrupts.cpus]; i++) {
        spread(h, m, m->interrupts, h->interrupts.set[i], 0);
    }
    for (uint32_t i = 0; i < h->frequencies.stretches; i++) {
        spread(h, m, m->clocked, h->frequencies.stretch[i].time, h->frequencies.stretch[i].khz);
    }
}

/* Of the cpus whose frequency is known. */
static void draw_frequency(const host_facts *h, pf_findings *f, uint32_t track, const means *m)
{
    size_t i = 0;
    for (int64_t from = h->start, to; from < h->end; from = to, i++) {
        to = h->end - from > m->width ? from + m->width : h->end;
        double mean = m->clocked[i] ? m->cycles[i] / (double)m->clocked[i] : 0;
        pf_overlay_hold(f, track, from, to, pf_overlay_derived(mean / 1e3));
    }
}

static void draw_mean(const host_facts *h, pf_findings *f, uint32_t track, int64_t width, const uint64_t *bucket,
                      double unit)
{
    size_t i = 0;
    for (int64_t from = h->start, to; from < h->end; from = to) {
        to = h->end - from > width ? from + width : h->end;
        double mean = (double)bucket[i++] / (double)(to - from);
        pf_overlay_hold(f, track, from, to, pf_overlay_derived(mean * unit));
    }
}

static bool starts_after(const void *ctx, uint32_t a, uint32_t b)
{
    const pf_interval *time = ctx;
    return time[a].start > time[b].start;
}

static void draw_wait(const host_facts *h, pf_findings *f, uint32_t track, const host_wait *w)
{
    const pf_threads *threads = pf_trace_threads(h->t);
    const pf_task_states *s = &h->states;
    uint32_t utid = s->utid[w->run], waker = s->waker[w->ready];
    pf_str name = pf_trace_string(h->t, threads->name[utid]), function = pf_trace_string(h->t, s->function[w->off]);
    pf_str state = pf_trace_string(h->t, s->state[w->off]);
    pf_overlay_slice(f, track, s->ts[w->off], (int64_t)w->length,
                     pf_findings_format(f, "%.*s %lld", PF_TEXT_ARG(name), (long long)threads->tid[utid]));
    pf_overlay_arg_text(f, PF_STR("state"), state);
    if (function.len) {
        pf_overlay_arg_text(f, PF_STR("function"), function);
    }
    if (waker != PF_NONE) {
        pf_overlay_arg_text(f, PF_STR("waker"), pf_trace_string(h->t, threads->name[waker]));
        pf_overlay_arg_int(f, PF_STR("waker_tid"), threads->tid[waker]);
        pf_overlay_arg_int(f, PF_STR("ready_ns"), s->dur[w->ready]);
    }
}

/* The waits of a kind as rows of slices, by their starts. */
static pf_status draw_waits(const host_facts *h, pf_drawing *d, pf_task_kind kind, const char *what,
                            const char *description, pf_error *err)
{
    const host_waits *w = &h->waits[kind];
    const uint32_t *lane;
    uint32_t *order;
    pf_interval *time, *sorted;
    PF_TRY(PF_PASS_ARRAY(d->arena, w->count, time, err));
    PF_TRY(PF_PASS_ARRAY(d->arena, w->count, sorted, err));
    PF_TRY(PF_ARENA_NEW(d->arena, order, 2 * (size_t)w->count + 1, err));
    for (uint32_t i = 0; i < w->count; i++) {
        int64_t start = h->states.ts[w->wait[i].off];
        order[i] = i;
        time[i] = (pf_interval){start, start + (int64_t)w->wait[i].length};
    }
    pf_sort_rows(order, order + w->count, w->count, starts_after, time);
    for (uint32_t i = 0; i < w->count; i++) {
        sorted[i] = time[order[i]];
    }
    uint32_t first = pf_drawing_lanes(d, what, description, sorted, w->count, &lane);
    for (uint32_t i = 0; i < w->count && first != PF_NONE; i++) {
        draw_wait(h, d->f, first + lane[i], &w->wait[order[i]]);
    }
    return PF_OK;
}

pf_status pf_host_draw(const host_facts *h, pf_findings *f, pf_error *err)
{
    means *m;
    pf_drawing d = {.f = f, .arena = h->ctx->arena};
    const pf_overlay_track group = {
        .anchor = PF_ANCHOR_GLOBAL,
        .anchor_id = PF_NONE,
        .name = PF_STR("host"),
        .description =
            PF_STR("What the scheduler of this machine did, computed by postfetto. Counters are means over a "
                   "thousandth of the recording.")};
    PF_TRY(PF_ARENA_NEW(d.arena, m, 1, err));
    m->width = (h->end - h->start + BUCKETS - 1) / BUCKETS;
    m->width = m->width > 0 ? m->width : 1;
    add_means(h, m);
    pf_drawing_group(&d, &group, PF_STR("host"));
    if (pf_host_has_scheduler(h)) {
        draw_mean(h, f, pf_drawing_counter(&d, "cpu use", "%", NULL, "Time that threads ran / time of all cpus."),
                  m->width, m->running, 100.0 / (h->cpus_seen ? h->cpus_seen : 1));
        draw_mean(h, f,
                  pf_drawing_counter(&d, "ready threads", "threads", NULL,
                                     "How many threads could have run and had no cpu, on average."),
                  m->width, m->ready, 1);
    }
    if (h->interrupt_count) {
        draw_mean(
            h, f,
            pf_drawing_counter(&d, "interrupts", "%", NULL, "Time that cpus served interrupts / time of all cpus."),
            m->width, m->interrupts, 100.0 / (h->cpus_seen ? h->cpus_seen : 1));
    }
    if (h->frequencies.count) {
        draw_frequency(
            h, f, pf_drawing_counter(&d, "frequency", "MHz", NULL, "Mean of the cpus whose frequency is known."), m);
    }
    PF_TRY(
        draw_waits(h, &d, PF_TASK_BLOCKED, "longest blocked", "The longest waits that began in the kernel (D).", err));
    PF_TRY(draw_waits(h, &d, PF_TASK_PREEMPTED, "longest preempted",
                      "The longest waits for a cpu that another thread took.", err));
    return pf_findings_status(f, err);
}
