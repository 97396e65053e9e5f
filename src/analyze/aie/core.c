/* analyze/aie/core.c - one core after the other: lists of times become kernels, iterations and shares.
 *
 * The steps, each a function below: sort the lists; pair entries with exits (by the nearest entry, and unless that
 * counts as the source program does, to see where the two disagree); make intervals of stalls and vector instructions;
 * cut the kernels into iterations at long lock stalls; measure each iteration. The working arrays are shared by all
 * cores and sized for the largest.
 *
 * Doubles are computed in the order in which the specification writes them; lengths and sums stay integers.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analyze/aie/aie.h"
#include "analyze/support/pass_memory.h"

/* Room for the longest list of any core, in every array. */
typedef struct workspace {
    pf_arena *arena; /* for what stays */
    int64_t *times;
    uint64_t *lengths, *scratch;
    pf_interval *pairs;
    pf_interval *any[2]; /* room for the stalls of all kinds of one core, or its entries */
} workspace;

static pf_status prepare(workspace *w, const aie_cores *cores, pf_arena *arena, pf_arena *scratch, pf_error *err)
{
    size_t longest = 0, stalls = 0;
    for (size_t i = 0; i < cores->count; i++) {
        const aie_core *c = &cores->core[i];
        size_t sum = 0, entries = c->list[AIE_ENTRIES].count;
        for (unsigned l = 0; l < AIE_LISTS; l++) {
            longest = c->list[l].count > longest ? c->list[l].count : longest;
        }
        for (unsigned k = 0; k < AIE_STALL_KINDS; k++) {
            sum += c->list[AIE_KIND_BEGINS(k)].count;
        }
        sum = sum > entries ? sum : entries;
        stalls = sum > stalls ? sum : stalls;
    }
    *w = (workspace){.arena = arena};
    PF_TRY(PF_PASS_ARRAY(scratch, longest, w->times, err));
    PF_TRY(PF_PASS_ARRAY(scratch, longest, w->lengths, err));
    PF_TRY(PF_PASS_ARRAY(scratch, longest, w->scratch, err));
    PF_TRY(PF_PASS_ARRAY(scratch, longest, w->pairs, err));
    PF_TRY(PF_PASS_ARRAY(scratch, stalls, w->any[0], err));
    return PF_PASS_ARRAY(scratch, stalls, w->any[1], err);
}

/* A copy of n intervals that stays. */
static pf_status keep(const workspace *w, const pf_interval *list, size_t n, pf_interval **copy, pf_error *err)
{
    PF_TRY(PF_PASS_ARRAY(w->arena, n, *copy, err));
    memcpy(*copy, list, n * sizeof **copy);
    return PF_OK;
}

static uint64_t at_least(uint64_t least, uint64_t v)
{
    return v > least ? v : least;
}

/* The gap within which a pulse repeats another one. */
static uint64_t gap_of(const aie_parameters *p, double median)
{
    return at_least(1, pf_truncate_length(p->duplicate_fraction * median));
}

/* The pairing of the program before postfetto: pair every entry with the first exit after it, take the median length of
 * these pairs, drop pulses that follow another one within a quarter of it, pair again so that the pairs are apart. */
static size_t pair_compatible(const aie_parameters *p, aie_core *c, workspace *w)
{
    aie_list *entries = &c->list[AIE_ENTRIES], *exits = &c->list[AIE_EXITS];
    size_t n = pf_pair_first_end(entries->time, entries->count, exits->time, exits->count, w->pairs);
    uint64_t whole = 1;
    if (n) {
        pf_median m = pf_pairs_median(w->pairs, n, w->lengths, w->scratch);
        whole = at_least(1, m.whole ? m.length : pf_truncate_length(m.value));
    }
    uint64_t gap = gap_of(p, (double)whole);
    entries->count = pf_pulses_thin(entries->time, entries->count, gap);
    exits->count = pf_pulses_thin(exits->time, exits->count, gap);
    return pf_pair_apart(entries->time, entries->count, exits->time, exits->count, w->pairs);
}

/* --pairing nearest: a first walk without a gap shows how long a kernel is. */
static size_t pair_nearest(const aie_parameters *p, aie_core *c, workspace *w, pf_interval *pairs)
{
    const aie_list *entries = &c->list[AIE_ENTRIES], *exits = &c->list[AIE_EXITS];
    size_t n = pf_pair_nearest(entries->time, entries->count, exits->time, exits->count, 0, pairs, NULL);
    uint64_t gap = n ? gap_of(p, pf_pairs_median(pairs, n, w->lengths, w->scratch).value) : 1;
    return pf_pair_nearest(entries->time, entries->count, exits->time, exits->count, gap, pairs, &c->pairing);
}

/* Entries after the last exit: calls that were running when the trace ended. */
static uint64_t open_kernels(const aie_core *c)
{
    const aie_list *entries = &c->list[AIE_ENTRIES], *exits = &c->list[AIE_EXITS];
    uint64_t n = 0;
    while (n < entries->count &&
           (exits->count == 0 || entries->time[entries->count - 1 - n] > exits->time[exits->count - 1])) {
        n++;
    }
    return n;
}

/* Keeps the earlier one. */
static void note_place(int64_t *place, int64_t ts)
{
    *place = ts < *place ? ts : *place;
}

static int64_t first_outside(const pf_interval *pairs, size_t n, uint64_t lo, uint64_t hi)
{
    size_t i = 0;
    while (i < n && pf_interval_length(pairs[i]) >= lo && pf_interval_length(pairs[i]) <= hi) {
        i++;
    }
    return i < n ? pairs[i].start : INT64_MAX;
}

/* Leaves the outliers out; what they were is noted only of the pairs that count. */
static size_t keep_usual(const aie_parameters *p, aie_core *c, workspace *w, pf_interval *pairs, size_t n, bool counts)
{
    if (n == 0) {
        return 0;
    }
    pf_median m = pf_pairs_median(pairs, n, w->lengths, w->scratch);
    uint64_t lo = at_least(1, pf_truncate_length(p->outlier_low * m.value));
    uint64_t hi = at_least(lo + 1, pf_truncate_length(p->outlier_high * m.value));
    int64_t outside = first_outside(pairs, n, lo, hi);
    size_t kept = pf_pairs_window(pairs, n, lo, hi);
    if (counts) {
        c->first_discarded = kept < n ? outside : c->first_discarded;
        c->discarded_pairs = n - kept;
        c->usual_low = lo;
        c->usual_high = hi;
        c->median = kept < n ? pf_pairs_median(pairs, kept, w->lengths, w->scratch) : m;
    }
    return kept;
}

/* How many of the kernels are not among the others; both ascend. */
static size_t count_others(const pf_interval *kernels, size_t n, const pf_interval *others, size_t other_count)
{
    size_t same = 0;
    for (size_t i = 0, k = 0; i < n; i++) {
        while (k < other_count && others[k].start < kernels[i].start) {
            k++;
        }
        same += k < other_count && others[k].start == kernels[i].start && others[k].end == kernels[i].end;
    }
    return n - same;
}

/* Both pairings always run, the nearest first: the other one thins the lists out. */
static pf_status find_kernels(const aie_parameters *p, aie_core *c, workspace *w, pf_error *err)
{
    uint64_t open = open_kernels(c);
    if (open) {
        note_place(&c->first_open, c->list[AIE_ENTRIES].time[c->list[AIE_ENTRIES].count - open]);
    }
    c->open_intervals += open;
    pf_interval *nearest = w->any[0]; /* stalls are united later */
    c->nearest_count = keep_usual(p, c, w, nearest, pair_nearest(p, c, w, nearest), p->nearest);
    const pf_interval *pairs = nearest;
    c->kernel_count = c->nearest_count;
    if (!p->nearest) {
        c->kernel_count = keep_usual(p, c, w, w->pairs, pair_compatible(p, c, w), true);
        c->other_kernels = count_others(w->pairs, c->kernel_count, nearest, c->nearest_count);
        pairs = w->pairs;
    }
    return keep(w, pairs, c->kernel_count, &c->kernels, err);
}

static pf_status label(const aie_parameters *p, aie_core *c, workspace *w, pf_error *err)
{
    uint64_t detected = c->iteration_count;
    uint64_t warmup = (uint64_t)p->warmup, iterations = (uint64_t)p->iterations;
    c->expected_iterations = warmup + iterations;
    c->perf_start = warmup < detected ? warmup : detected;
    c->perf_end = iterations < detected - c->perf_start ? c->perf_start + iterations : detected;
    char text[200];
    int len = 0;
    if (c->kernel_count == 0) {
        len = snprintf(text, sizeof text, "No valid kernel pairs detected after robust filtering.");
    } else if (detected < c->expected_iterations) {
        len =
            snprintf(text, sizeof text,
                     "Detected %" PRIu64 " iterations but expected %" PRIu64 ". Proceeding with available iterations.",
                     detected, c->expected_iterations);
    } else if (detected > c->expected_iterations) {
        len = snprintf(text, sizeof text,
                       "Detected %" PRIu64 " iterations but expected %" PRIu64 ". Truncating to first %" PRIu64
                       " iterations for phase labeling.",
                       detected, c->expected_iterations, c->expected_iterations);
    } else {
        return PF_OK;
    }
    c->note = (pf_str){pf_arena_copy(w->arena, text, (size_t)len), (size_t)len};
    return c->note.ptr ? PF_OK : pf_budget_refused(w->arena->budget, (size_t)len, err);
}

static pf_status split(const aie_parameters *p, aie_core *c, workspace *w, pf_error *err)
{
    if (c->kernel_count == 0) {
        return PF_OK;
    }
    c->threshold = p->stall_factor * c->median.value;
    c->boundary_count = pf_iteration_boundaries(c->stalls[AIE_LOCK], c->stall_count[AIE_LOCK], c->threshold, w->times);
    pf_iteration *parts;
    PF_TRY(PF_PASS_ARRAY(w->arena, c->boundary_count + 1, parts, err));
    size_t n = pf_iteration_split(c->kernels, c->kernel_count, w->times, c->boundary_count, parts);
    if (p->drop_empty) {
        n = pf_iteration_drop_empty(parts, n);
    }
    PF_TRY(PF_PASS_ARRAY(w->arena, n, c->iterations, err));
    c->iteration_count = n;
    for (size_t i = 0; i < n; i++) {
        c->iterations[i] = (aie_iteration){.calls = parts[i]};
    }
    return PF_OK;
}

static void measure(const aie_parameters *p, const aie_core *c, aie_iteration *it)
{
    if (it->calls.count == 0) {
        return;
    }
    const pf_interval *calls = c->kernels + it->calls.first;
    pf_wide sum = 0;
    it->shortest = UINT64_MAX;
    for (size_t i = 0; i < it->calls.count; i++) {
        uint64_t length = pf_interval_length(calls[i]);
        sum += length;
        it->shortest = length < it->shortest ? length : it->shortest;
        it->longest = length > it->longest ? length : it->longest;
    }
    it->average = pf_divide_exact(sum, it->calls.count);
    it->first_start = calls[0].start;
    it->last_end = calls[it->calls.count - 1].end;
    it->span = pf_interval_length((pf_interval){it->first_start, it->last_end});
    it->gmacs_per_second = p->macs_per_core * p->clock_ghz / (double)it->span;
    it->utilisation_percent = 100 * (p->macs_per_core / (double)it->span) / p->peak_macs_per_cycle;
}

/* The intervals of a kind, in w->pairs; how many there are. */
static size_t pair_kind(aie_core *c, workspace *w, unsigned kind)
{
    const aie_list *b = &c->list[AIE_KIND_BEGINS(kind)], *e = &c->list[AIE_KIND_ENDS(kind)];
    size_t n = pf_pair_first_end(b->time, b->count, e->time, e->count, w->pairs);
    c->open_intervals += b->count - n;
    if (n < b->count) {
        note_place(&c->first_open, b->time[n]); /* begins without an end are the last ones */
    }
    return n;
}

static pf_status find_stalls(aie_core *c, workspace *w, pf_error *err)
{
    for (unsigned k = 0; k < AIE_STALL_KINDS; k++) {
        size_t n = c->stall_count[k] = pair_kind(c, w, k);
        c->stalls_repaired =
            c->stalls_repaired || n != c->list[AIE_KIND_BEGINS(k)].count || n != c->list[AIE_KIND_ENDS(k)].count;
        PF_TRY(keep(w, w->pairs, n, &c->stalls[k], err));
    }
    return PF_OK;
}

/* From the separate stalls of each kind to what the kind covers. */
static void unite_stalls(aie_core *c)
{
    for (unsigned k = 0; k < AIE_STALL_KINDS; k++) {
        size_t n = pf_interval_union(c->stalls[k], c->stall_count[k]);
        c->stalls_repaired = c->stalls_repaired || n < c->stall_count[k];
        c->stall_count[k] = n;
    }
}

/* The time between iterations that have kernels; kernels are apart. */
static pf_status find_gaps(aie_core *c, workspace *w, pf_error *err)
{
    PF_TRY(PF_PASS_ARRAY(w->arena, c->iteration_count, c->gaps, err));
    size_t before = SIZE_MAX;
    for (size_t i = 0; i < c->iteration_count; i++) {
        const aie_iteration *it = &c->iterations[i];
        if (it->calls.count == 0) {
            continue;
        }
        if (before != SIZE_MAX) {
            pf_interval time = {c->iterations[before].last_end, it->first_start};
            c->gaps[c->gap_count++] = (aie_gap){.before = before, .after = i, .time = time};
        }
        before = i;
    }
    return PF_OK;
}

/* The percentage of [lo, hi) that a union covers. */
static double percent_of(const pf_interval *covering, size_t n, size_t *cursor, int64_t lo, int64_t hi)
{
    uint64_t length = pf_interval_length((pf_interval){lo, hi});
    return length ? 100 * pf_divide_exact(pf_interval_covered(covering, n, cursor, lo, hi), length) : 0.0;
}

/* Sets stalled.percent[which] of every iteration and every gap. */
static void measure_cover(aie_core *c, const pf_interval *covering, size_t n, unsigned which)
{
    size_t cursor = 0;
    for (size_t i = 0; i < c->iteration_count; i++) {
        aie_iteration *it = &c->iterations[i];
        it->stalled.percent[which] = percent_of(covering, n, &cursor, it->first_start, it->last_end);
    }
    cursor = 0;
    for (size_t i = 0; i < c->gap_count; i++) {
        aie_gap *gap = &c->gaps[i];
        gap->stalled.percent[which] = percent_of(covering, n, &cursor, gap->time.start, gap->time.end);
    }
}

/* What each kind of stall covers of every iteration and gap, and what all kinds cover together. */
static void measure_stalls(aie_core *c, workspace *w)
{
    pf_interval *any = w->any[0], *spare = w->any[1];
    size_t any_count = 0;
    for (unsigned k = 0; k < AIE_STALL_KINDS; k++) {
        if (c->stall_count[k] == 0) {
            continue;
        }
        measure_cover(c, c->stalls[k], c->stall_count[k], k);
        pf_interval_merge(any, any_count, c->stalls[k], c->stall_count[k], spare);
        any_count = pf_interval_union(spare, any_count + c->stall_count[k]);
        pf_interval *swap = any;
        any = spare;
        spare = swap;
    }
    measure_cover(c, any, any_count, AIE_ANY_STALL);
}

static void measure_vector(aie_core *c, workspace *w)
{
    size_t n = pf_interval_union(w->pairs, pair_kind(c, w, AIE_VECTOR)), cursor = 0;
    for (size_t i = 0; i < c->iteration_count; i++) {
        aie_iteration *it = &c->iterations[i];
        uint64_t covered = 0, sum = 0; /* kernels are apart: their sum is a length too */
        for (size_t k = 0; k < it->calls.count; k++) {
            pf_interval call = c->kernels[it->calls.first + k];
            covered += pf_interval_covered(w->pairs, n, &cursor, call.start, call.end);
            sum += pf_interval_length(call);
        }
        it->vector_percent = sum ? 100 * pf_divide_exact(covered, sum) : 0.0;
    }
}

bool pf_aie_stalled_at(const aie_core *c, int64_t now, size_t next[AIE_STALL_KINDS], unsigned *set, int64_t *until)
{
    bool more = false;
    *set = 0;
    *until = INT64_MAX;
    for (unsigned k = 0; k < AIE_STALL_KINDS; k++) {
        while (next[k] < c->stall_count[k] && c->stalls[k][next[k]].end <= now) {
            next[k]++;
        }
        if (next[k] == c->stall_count[k]) {
            continue;
        }
        pf_interval stall = c->stalls[k][next[k]];
        int64_t change = stall.start <= now ? stall.end : stall.start;
        *set |= stall.start <= now ? 1u << k : 0;
        *until = change < *until ? change : *until;
        more = true;
    }
    return more;
}

static pf_status analyse_core(const aie_parameters *p, aie_core *c, workspace *w, pf_error *err)
{
    for (unsigned l = 0; l < AIE_LISTS; l++) {
        pf_sort_times(c->list[l].time, c->list[l].count, w->times);
        if (c->list[l].count) {
            note_place(&c->first_time, c->list[l].time[0]);
        }
    }
    PF_TRY(find_stalls(c, w, err));
    PF_TRY(find_kernels(p, c, w, err));
    PF_TRY(split(p, c, w, err));
    PF_TRY(label(p, c, w, err));
    for (size_t i = 0; i < c->iteration_count; i++) {
        measure(p, c, &c->iterations[i]);
    }
    unite_stalls(c);
    PF_TRY(find_gaps(c, w, err));
    measure_stalls(c, w);
    measure_vector(c, w);
    return PF_OK;
}

pf_status pf_aie_analyse(const aie_parameters *p, aie_cores *cores, pf_arena *arena, pf_arena *scratch, pf_error *err)
{
    workspace w;
    PF_TRY(prepare(&w, cores, arena, scratch, err));
    for (size_t i = 0; i < cores->count; i++) {
        PF_TRY(analyse_core(p, &cores->core[i], &w, err));
        memset(cores->core[i].list, 0, sizeof cores->core[i].list); /* they die with the scratch arena */
    }
    return PF_OK;
}
