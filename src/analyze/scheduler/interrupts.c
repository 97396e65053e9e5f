/* analyze/scheduler/interrupts.c - slices of interrupts become a set of intervals for each cpu: counted, placed cpu by
 * cpu in the order in which they began, then merged in place, so that the sets of all cpus stay in one array. */
#include "analyze/scheduler/interrupts.h"

#include "analyze/support/pass_memory.h"
#include "base/str.h"
#include "model/trace/trace.h"

/* Cpus that are told apart. */
enum { MOST_CPUS = 65536 };

pf_status pf_cpu_tracks_read(const pf_trace *t, pf_arena *arena, pf_cpu_tracks *out, pf_error *err)
{
    const pf_row_args *a = pf_trace_row_args(t);
    uint32_t tracks = pf_trace_tracks(t)->count;
    out->cpus = 0;
    PF_TRY(PF_PASS_ARRAY(arena, tracks, out->cpu, err));
    for (uint32_t i = 0; i < tracks; i++) {
        out->cpu[i] = PF_NONE;
    }
    for (uint32_t i = 0; i < a->count; i++) {
        bool of_cpu = a->owner[i] == PF_OWNER_TRACK_DIMENSION && pf_str_is(pf_trace_string(t, a->key[i]), "cpu");
        if (of_cpu && a->row[i] < tracks && a->number[i] >= 0 && a->number[i] < MOST_CPUS) {
            uint32_t cpu = (uint32_t)a->number[i] + PF_UCPU_STEP * pf_trace_machine_of(t, PF_MACHINE_TRACKS, a->row[i]);
            out->cpu[a->row[i]] = cpu;
            out->cpus = cpu >= out->cpus ? cpu + 1 : out->cpus;
        }
    }
    return PF_OK;
}

/* The cpu of a slice that is an interrupt with an end; PF_NONE: it is none. */
static uint32_t cpu_of(const pf_trace *t, const pf_cpu_tracks *tracks, uint32_t slice)
{
    const pf_slices *s = pf_trace_slices(t);
    return s->dur[slice] > 0 && pf_is_interrupt(t, s->track[slice]) ? tracks->cpu[s->track[slice]] : PF_NONE;
}

/* Sets of all cpus, whose intervals are placed already, without the room that merging left. */
static void merge(pf_interrupts *out)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < out->cpus; k++) {
        uint32_t from = out->first[k];
        size_t left = pf_interval_union(out->set + from, out->first[k + 1] - from);
        memmove(out->set + n, out->set + from, left * sizeof *out->set);
        out->first[k] = n;
        pf_interval_sums(out->set + n, left, out->before + n + k);
        n += (uint32_t)left;
    }
    out->first[out->cpus] = n;
}

pf_status pf_interrupts_read(const pf_trace *t, const pf_cpu_tracks *tracks, pf_arena *arena, pf_interrupts *out,
                             pf_error *err)
{
    const pf_slices *s = pf_trace_slices(t);
    uint32_t cpus = out->cpus = tracks->cpus;
    PF_TRY(PF_ARENA_NEW(arena, out->first, (size_t)cpus + 2, err));
    for (uint32_t i = 0; i < s->count && cpus; i++) {
        uint32_t cpu = cpu_of(t, tracks, i);
        if (cpu != PF_NONE) {
            out->first[cpu + 2]++;
        }
    }
    for (uint32_t k = 2; k < cpus + 2; k++) {
        out->first[k] += out->first[k - 1];
    }
    PF_TRY(PF_PASS_ARRAY(arena, out->first[cpus + 1], out->set, err));
    PF_TRY(PF_PASS_ARRAY(arena, (size_t)out->first[cpus + 1] + cpus, out->before, err));
    for (uint32_t i = 0; i < s->count && out->first[cpus + 1]; i++) {
        uint32_t cpu = cpu_of(t, tracks, i);
        int64_t ts = cpu == PF_NONE ? 0 : pf_slice_ts(s, i), end;
        if (cpu != PF_NONE) {
            end = __builtin_add_overflow(ts, s->dur[i], &end) ? INT64_MAX : end;
            out->set[out->first[cpu + 1]++] = (pf_interval){ts, end};
        }
    }
    merge(out);
    return PF_OK;
}

uint64_t pf_interrupts_within(const pf_interrupts *all, uint32_t cpu, pf_interval time)
{
    uint32_t from = cpu < all->cpus ? all->first[cpu] : 0, n = cpu < all->cpus ? all->first[cpu + 1] - from : 0;
    return n ? pf_interval_within(all->set + from, all->before + from + cpu, n, time.start, time.end) : 0;
}
