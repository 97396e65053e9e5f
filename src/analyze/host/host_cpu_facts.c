/* analyze/host/host_cpu_facts.c - at which frequency cpus ran, and which interrupts they served.
 *
 * Samples of a cpu's frequency become stretches, from each sample to the next one of that cpu or the end of the span.
 * What the cpu ran is laid over them: rows of sched of one cpu are apart and in order of time, as are its stretches, so
 * one walk over both is enough, with a place in the stretches for each cpu.
 */
#include <stdlib.h>

#include "analyze/host/host.h"
#include "analyze/support/pass_memory.h"
#include "base/map.h"
#include "base/ordering.h"
#include "model/trace/trace.h"

/* The number of a key, counted from `*count` on; PF_NONE: refused. */
static uint32_t number_of(pf_map *m, uint64_t key, uint32_t *count, pf_error *err)
{
    uint32_t at = pf_map_get(m, key);
    if (at == PF_NONE && pf_map_put(m, key, *count, err) == PF_OK) {
        at = (*count)++;
    }
    return at;
}

/* The cpu of a sample that is of its frequency; PF_NONE. */
static uint32_t cpu_of(const host_facts *h, uint32_t sample)
{
    uint32_t track = pf_trace_counters(h->t)->track[sample];
    return pf_trace_tracks(h->t)->type[track] == PF_TRACK_CPU_FREQUENCY ? h->tracks.cpu[track] : PF_NONE;
}

void pf_host_widen_by_cpus(host_facts *h)
{
    const pf_slices *s = pf_trace_slices(h->t);
    const pf_counters *c = pf_trace_counters(h->t);
    for (uint32_t i = 0; i < s->count; i++) {
        if (pf_is_interrupt(h->t, s->track[i]) && h->tracks.cpu[s->track[i]] != PF_NONE) {
            pf_host_widen(h, pf_slice_ts(s, i), s->dur[i]);
        }
    }
    for (uint32_t i = 0; i < c->count; i++) {
        if (cpu_of(h, i) != PF_NONE) {
            pf_host_widen(h, c->ts[i], 0);
        }
    }
}

/* Samples of frequencies cpu by cpu: those of cpu k are order[from[k]] to order[from[k + 1] - 1]. */
static pf_status order_samples(host_facts *h, uint32_t **order, pf_error *err)
{
    const pf_counters *c = pf_trace_counters(h->t);
    uint32_t *from, cpus = h->tracks.cpus;
    PF_TRY(PF_ARENA_NEW(h->ctx->arena, from, (size_t)cpus + 2, err));
    for (uint32_t i = 0; i < c->count && cpus; i++) {
        uint32_t cpu = cpu_of(h, i);
        if (cpu != PF_NONE) {
            from[cpu + 2]++;
        }
    }
    for (uint32_t k = 2; k < cpus + 2; k++) {
        from[k] += from[k - 1];
    }
    h->frequencies.from = from;
    h->frequencies.stretches = from[cpus + 1];
    PF_TRY(PF_PASS_ARRAY(h->ctx->arena, from[cpus + 1], *order, err));
    for (uint32_t i = 0; i < c->count && from[cpus + 1]; i++) {
        uint32_t cpu = cpu_of(h, i);
        if (cpu != PF_NONE) {
            (*order)[from[cpu + 1]++] = i;
        }
    }
    return PF_OK;
}

/* A frequency in kHz, as a table shows it. */
static int64_t kilohertz(double v)
{
    return v > 0 && v < 0x1p47 ? (int64_t)v : 0;
}

/* Stretches of all cpus; those outside of the span have no length. */
static pf_status make_stretches(host_facts *h, pf_map *numbers, const uint32_t *order, pf_error *err)
{
    const pf_counters *c = pf_trace_counters(h->t);
    host_frequencies *f = &h->frequencies;
    for (uint32_t k = 0; k < h->tracks.cpus; k++) {
        for (uint32_t i = f->from[k]; i < f->from[k + 1]; i++) {
            int64_t khz = kilohertz(c->value[order[i]]), start = c->ts[order[i]];
            int64_t end = i + 1 < f->from[k + 1] ? c->ts[order[i + 1]] : h->end;
            uint32_t of = number_of(numbers, (uint64_t)k << 48 | (uint64_t)khz, &f->count, err);
            if (of == PF_NONE) {
                return err->code;
            }
            start = start > h->start ? start : h->start;
            end = end < h->end ? end : h->end;
            end = end > start ? end : start;
            f->list[of].cpu = k;
            f->list[of].khz = khz;
            f->list[of].all += (uint64_t)(end - start);
            f->stretch[i] = (host_stretch){{start, end}, khz, of};
        }
    }
    return PF_OK;
}

/* Adds a row of sched to the frequencies that its cpu had meanwhile. */
static void add_run(host_facts *h, uint32_t row, uint32_t *place)
{
    const pf_cpu_runs *s = &h->sched;
    host_frequencies *f = &h->frequencies;
    uint32_t cpu = s->ucpu[row], last = f->from[cpu + 1];
    int64_t start = s->ts[row], end = pf_host_end(h, start, s->dur[row], h->cpu[cpu].row == row);
    bool idle = pf_trace_threads(h->t)->tid[s->utid[row]] == 0;
    while (place[cpu] < last && f->stretch[place[cpu]].time.end <= start) {
        place[cpu]++;
    }
    for (uint32_t i = place[cpu]; i < last && f->stretch[i].time.start < end; i++) {
        const pf_interval *t = &f->stretch[i].time;
        int64_t from = t->start > start ? t->start : start, to = t->end < end ? t->end : end;
        *(idle ? &f->list[f->stretch[i].of].idle : &f->list[f->stretch[i].of].running) +=
            to > from ? (uint64_t)(to - from) : 0;
    }
}

PF_ORDER(by_cpu_and_frequency, host_frequency, PF_UP(cpu), PF_UP(khz));

static pf_status read_frequencies(host_facts *h, pf_arena *scratch, pf_map *numbers, pf_error *err)
{
    host_frequencies *f = &h->frequencies;
    uint32_t *order, *place;
    PF_TRY(order_samples(h, &order, err));
    PF_TRY(PF_ARENA_NEW(h->ctx->arena, f->list, (size_t)f->stretches + 1, err));
    PF_TRY(PF_PASS_ARRAY(h->ctx->arena, f->stretches, f->stretch, err));
    PF_TRY(make_stretches(h, numbers, order, err));
    PF_TRY(PF_PASS_ARRAY(scratch, h->tracks.cpus, place, err));
    for (uint32_t k = 0; k < h->tracks.cpus; k++) {
        place[k] = f->from[k];
    }
    for (uint32_t i = 0; i < h->sched.count && f->stretches; i++) {
        if (h->sched.ucpu[i] < h->tracks.cpus) {
            add_run(h, i, place);
        }
    }
    return PF_OK;
}

static void add_interrupt(host_interrupt *own, int64_t ts, int64_t dur)
{
    uint64_t length = dur > 0 ? (uint64_t)dur : 0;
    own->longest_at = own->count == 0 || length > own->longest ? ts : own->longest_at;
    own->longest = length > own->longest ? length : own->longest;
    own->total += length;
    own->count++;
}

static pf_status read_interrupts(host_facts *h, pf_map *numbers, pf_error *err)
{
    const pf_slices *s = pf_trace_slices(h->t);
    uint32_t room = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t track = s->track[i], name = pf_slice_name(s, i), cpu = h->tracks.cpu[track];
        if (cpu == PF_NONE || !pf_is_interrupt(h->t, track)) {
            continue;
        }
        bool soft = pf_trace_tracks(h->t)->type[track] == PF_TRACK_CPU_SOFTIRQ;
        PF_TRY(PF_ARENA_ROOM(h->ctx->arena, h->interrupt, h->interrupt_count + 1, room, err));
        uint32_t known = h->interrupt_count;
        uint32_t at = number_of(numbers, (uint64_t)name << 32 | cpu << 1 | soft, &h->interrupt_count, err);
        if (at == PF_NONE) {
            return err->code;
        }
        if (at == known) {
            h->interrupt[at] = (host_interrupt){.cpu = cpu, .name = name, .soft = soft};
        }
        add_interrupt(&h->interrupt[at], pf_slice_ts(s, i), s->dur[i]);
    }
    return PF_OK;
}

/* The most time first, then by cpu and name: names are numbered as they come. */
PF_ORDER(by_time, host_interrupt, PF_DOWN(total), PF_UP(cpu), PF_UP(soft), PF_UP(name));

pf_status pf_host_read_cpus(host_facts *h, pf_error *err)
{
    pf_map frequencies, interrupts;
    pf_arena scratch;
    PF_TRY(pf_interrupts_read(h->t, &h->tracks, h->ctx->arena, &h->interrupts, err));
    for (uint32_t k = 0; k < h->interrupts.cpus && !pf_host_has_scheduler(h); k++) {
        h->cpus_seen += h->interrupts.first[k + 1] > h->interrupts.first[k];
    }
    pf_arena_init(&scratch, h->ctx->arena->budget);
    pf_map_init(&frequencies, h->ctx->arena->budget);
    pf_map_init(&interrupts, h->ctx->arena->budget);
    pf_status st = read_frequencies(h, &scratch, &frequencies, err);
    st = st == PF_OK ? read_interrupts(h, &interrupts, err) : st;
    pf_map_free(&interrupts);
    pf_map_free(&frequencies);
    pf_arena_free(&scratch);
    if (st == PF_OK && h->frequencies.count) {
        qsort(h->frequencies.list, h->frequencies.count, sizeof *h->frequencies.list, by_cpu_and_frequency);
    }
    if (st == PF_OK && h->interrupt_count) {
        qsort(h->interrupt, h->interrupt_count, sizeof *h->interrupt, by_time);
    }
    return st;
}
