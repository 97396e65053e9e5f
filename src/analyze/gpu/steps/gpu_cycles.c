/* analyze/gpu/steps/gpu_cycles.c - point 4: without annotations, the pattern that the kernels repeat.
 *
 * A kernel that runs once in a cycle comes back after exactly one cycle's number of kernels; so does a run of k kernels
 * that is there once, which a step made of several layers has even where each kernel is there many times. So the
 * distances from each run of 1, 2, 4, ... kernels to the next run of the same names are counted, and the commonest (by
 * count times distance) are tried: for distance p the longest stretch in which every kernel is the one p places on. The
 * distance whose stretch covers most wins, the smaller one of two; three cycles are the least, two where they cover the
 * row and have a shorter pattern inside: a step of n layers counts, not its layers. A stretch may begin anywhere in a
 * cycle: cut is where the most idle time lies before the kernel, over all cycles together.
 */
#include <string.h>

#include "analyze/gpu/steps/gpu_steps.h"
#include "analyze/support/pass_memory.h"
#include "base/hash.h"
#include "model/trace/trace.h"

/* With LEAST_AROUND cycles a pattern that has another inside counts if it covers COVERED percent of the row. */
enum { MOST_TRIED = 64, LEAST_CYCLES = 3, LEAST_AROUND = 2, COVERED = 90 };

/* Kernels of one stream, in order. */
typedef struct kernel_row {
    const uint32_t *op; /* NULL: first, first + 1, ... */
    const uint32_t *name;
    uint32_t first, count;
} kernel_row;

static inline uint32_t kernel_at(const kernel_row *row, uint32_t at)
{
    return row->op ? row->op[at] : row->first + at;
}

/* The stream with the most kernels. */
static uint32_t busiest_stream(const gpu_facts *g, const gpu_rank *rank, uint32_t *most)
{
    uint32_t found = PF_NONE;
    *most = 0;
    for (uint32_t d = rank->first_device; d < rank->first_device + rank->device_count; d++) {
        const gpu_device *device = &g->devices[d];
        for (uint32_t i = device->first_stream; i < device->first_stream + device->stream_count; i++) {
            uint32_t n = g->of_class[GPU_MEMORY] ? 0 : g->streams[i].count;
            for (uint32_t k = 0; k < g->streams[i].count && g->of_class[GPU_MEMORY]; k++) {
                n += g->ops.class[gpu_op_by_stream(g, g->streams[i].first + k)] != GPU_MEMORY;
            }
            found = n > *most ? i : found;
            *most = n > *most ? n : *most;
        }
    }
    return found;
}

/* Where the stream's operations are kernels and next to each other, they are used as they are. */
static pf_status collect(const gpu_facts *g, const gpu_rank *rank, pf_arena *arena, kernel_row *row, pf_error *err)
{
    uint32_t most, stream = busiest_stream(g, rank, &most);
    *row = (kernel_row){.count = 0};
    if (stream != PF_NONE && !g->by_stream && most == g->streams[stream].count) {
        uint32_t first = g->streams[stream].first;
        *row = (kernel_row){.name = g->ops.name + first, .first = first, .count = most};
        return PF_OK;
    }
    uint32_t *op;
    uint32_t *name;
    PF_TRY(PF_PASS_ARRAY(arena, most, op, err));
    PF_TRY(PF_PASS_ARRAY(arena, most, name, err));
    for (uint32_t k = 0; stream != PF_NONE && k < g->streams[stream].count; k++) {
        uint32_t at = gpu_op_by_stream(g, g->streams[stream].first + k);
        if (g->ops.class[at] != GPU_MEMORY) {
            op[row->count] = at;
            name[row->count++] = g->ops.name[at];
        }
    }
    row->op = op;
    row->name = name;
    return PF_OK;
}

typedef struct distance {
    uint64_t weight;
    uint32_t length;
} distance;

static bool is_heavier(const distance *a, const distance *b)
{
    return a->weight != b->weight ? a->weight > b->weight : a->length < b->length;
}

/* Puts a distance into the list of the heaviest, if it belongs there. */
static size_t keep_heaviest(distance best[MOST_TRIED], size_t n, distance d)
{
    if (d.weight == 0 || (n == MOST_TRIED && !is_heavier(&d, &best[n - 1]))) {
        return n;
    }
    size_t at = n < MOST_TRIED ? n++ : n - 1;
    for (; at > 0 && is_heavier(&d, &best[at - 1]); at--) {
        best[at] = best[at - 1];
    }
    best[at] = d;
    return n;
}

/* Runs of kernels, by hashes of their names: runs taken for another cost nothing but a try. As long as the table is
 * large enough hashes are numbers of the runs, so that its entries lie close together. */
typedef struct kernel_runs {
    uint32_t *hash, count, length;
    uint64_t numbers; /* hashes are below this */
    uint32_t *last;   /* by hash & mask: the one met last, its place + 1 in the bits of the mask, in others its hash */
    uint32_t *times;  /* by distance: how often it was met */
    uint64_t *again;  /* a bit by place: its run is there again */
    uint32_t mask;
} kernel_runs;

static inline void mark(uint64_t *again, uint32_t at)
{
    again[at / 64] |= 1ull << at % 64;
}

/* Counts the distances of single kernels. Strings: names are below this. *several: as below. */
static pf_status runs_of_one(const kernel_row *row, uint32_t strings, pf_arena *arena, kernel_runs *r, bool *several,
                             pf_error *err)
{
    struct {
        uint32_t number, after; /* from 1 on; the place that it was last met at, + 1 */
    } * names;
    uint32_t seen = 0;
    *several = false;
    *r = (kernel_runs){.count = row->count, .length = 1, .numbers = 1};
    while (r->mask < row->count) {
        r->mask = 2 * r->mask + 1;
    }
    PF_TRY(PF_PASS_ARRAY(arena, row->count, r->hash, err));
    PF_TRY(PF_PASS_ARRAY(arena, (size_t)r->mask + 1, r->last, err));
    PF_TRY(PF_ARENA_NEW(arena, r->times, (size_t)row->count + 1, err));
    PF_TRY(PF_ARENA_NEW(arena, r->again, (size_t)row->count / 64 + 2, err)); /* the last one stays 0 */
    PF_TRY(PF_ARENA_NEW(arena, names, strings, err));
    for (uint32_t i = 0; i < row->count; i++) {
        uint32_t name = row->name[i], after = names[name].after, apart = after ? i + 1 - after : 0;
        names[name].number = after ? names[name].number : (uint32_t)r->numbers++;
        names[name].after = i + 1;
        r->hash[i] = names[name].number;
        if (apart) {
            r->times[apart]++;
            mark(r->again, i);
            mark(r->again, after - 1);
        }
        *several |= apart && seen && apart != seen;
        seen = apart ? apart : seen;
    }
    return PF_OK;
}

/* Counts the distance from the run at `at` to the one before it of the same hash. The bits of the hash are compared
 * first: whether an entry is empty is harder to foretell. Returns the distance, 0 where there is none. */
static inline uint32_t count_run(const kernel_runs *r, uint32_t at)
{
    uint32_t hash = r->hash[at], *last = &r->last[hash & r->mask], met = *last, after = met & r->mask, apart = 0;
    *last = (hash & ~r->mask) | (at + 1);
    if (((met ^ hash) & ~r->mask) == 0 && after) {
        apart = at + 1 - after;
        r->times[apart]++;
        mark(r->again, at);
        mark(r->again, after - 1);
    }
    return apart;
}

/* The bits of the 64 places from `at` on: of those whose two halves are both there again. */
static uint64_t may_be_again(const kernel_runs *r, uint32_t at, uint32_t count)
{
    uint32_t second = at + r->length;
    uint64_t bits = r->again[second / 64] >> second % 64;
    bits |= second % 64 ? r->again[second / 64 + 1] << (64 - second % 64) : 0;
    return bits & r->again[at / 64] & (count - at < 64 ? (1ull << (count - at)) - 1 : ~0ull);
}

/* Each run becomes twice as long. It may be there again where both halves are; others need no hash. The 64 places
 * before are counted meanwhile, so that their entries of the table are there by then. Returns whether several distances
 * were met: longer runs may tell more. */
static bool double_runs(kernel_runs *runs)
{
    const kernel_runs r = *runs; /* which no byte that is written may be a part of */
    const uint32_t length = r.length, count = r.count - length;
    const bool fits = r.numbers < UINT32_MAX && r.numbers * r.numbers <= r.mask;
    uint32_t seen = 0, differing = 0;
    uint64_t before = 0;
    memset(r.last, 0, (fits ? r.numbers * r.numbers : (size_t)r.mask + 1) * sizeof *r.last);
    for (uint32_t at = 0; at < count || before; at += 64) {
        uint64_t may = at < count ? may_be_again(&r, at, count) : 0;
        r.again[at / 64] = 0;
        for (uint64_t left = may; left; left &= left - 1) {
            uint32_t i = at + (uint32_t)__builtin_ctzll(left);
            uint64_t first = r.hash[i], second = r.hash[i + length];
            r.hash[i] = (uint32_t)(fits ? first * r.numbers + second : pf_hash64(0, first << 32 | second));
            __builtin_prefetch(&r.last[r.hash[i] & r.mask], 1);
        }
        for (; before; before &= before - 1) {
            uint32_t apart = count_run(&r, at - 64 + (uint32_t)__builtin_ctzll(before));
            seen = seen ? seen : apart;
            differing |= apart ? apart ^ seen : 0;
        }
        before = may;
    }
    runs->count = count;
    runs->length = 2 * length;
    runs->numbers = fits ? r.numbers * r.numbers : UINT64_MAX;
    return differing;
}

/* The n commonest distances, in `best`. */
static pf_status common_distances(const kernel_row *row, uint32_t strings, pf_arena *arena, distance best[MOST_TRIED],
                                  size_t *n, pf_error *err)
{
    kernel_runs r;
    bool several;
    *n = 0;
    PF_TRY(runs_of_one(row, strings, arena, &r, &several, err));
    while (several && r.length < r.count / 2) {
        several = double_runs(&r);
    }
    for (uint32_t i = 1; i <= row->count; i++) {
        if (r.times[i]) {
            *n = keep_heaviest(best, *n, (distance){(uint64_t)r.times[i] * i, i});
        }
    }
    return PF_OK;
}

typedef struct stretch {
    uint32_t first, count, period; /* count: kernels in it */
} stretch;

static bool repeats(const kernel_row *row, uint32_t at, uint32_t period)
{
    return row->name[at] == row->name[at + period];
}

/* The longest stretch that repeats with this period, if it has `cycles` cycles. A stretch of that length, and one
 * longer than the best so far, repeats at its last place, too: so that place is tried first, and what lies before a
 * place that does not repeat is skipped unseen. */
static stretch longest_stretch(const kernel_row *row, uint32_t period, uint32_t cycles)
{
    stretch best = {0, 0, period};
    uint64_t places = row->count > period ? row->count - period : 0;
    uint64_t need = (uint64_t)(cycles - 1) * period; /* places that repeat */
    for (uint64_t from = 0; from + need <= places;) {
        uint64_t at = from + need;
        while (at > from && repeats(row, (uint32_t)(at - 1), period)) {
            at--;
        }
        if (at > from) {
            from = at;
            continue;
        }
        uint64_t end = from + need;
        while (end < places && repeats(row, (uint32_t)end, period)) {
            end++;
        }
        best = (stretch){(uint32_t)from, (uint32_t)(end - from + period), period};
        need = end - from + 1;
        from = end;
    }
    return best;
}

static bool is_better(const stretch *a, const stretch *b)
{
    return a->count > b->count || (a->count == b->count && a->period < b->period);
}

static stretch best_stretch(const kernel_row *row, const distance *tried, size_t n)
{
    stretch best = {0, 0, 1};
    for (size_t i = 0; i < n; i++) {
        stretch s = longest_stretch(row, tried[i].length, LEAST_CYCLES);
        best = s.period && is_better(&s, &best) ? s : best;
    }
    const uint32_t inside = best.count ? best.period : UINT32_MAX;
    for (size_t i = 0; i < n; i++) {
        stretch s = tried[i].length > inside ? longest_stretch(row, tried[i].length, LEAST_AROUND) : best;
        bool covers = (uint64_t)s.count * 100 >= (uint64_t)row->count * COVERED;
        best = covers && is_better(&s, &best) ? s : best;
    }
    return best;
}

static uint32_t best_cut(const gpu_facts *g, const kernel_row *row, const stretch *s, uint64_t *idle)
{
    /* Of two cycles none may be lost. */
    uint32_t best = 0, cuts = s->count / s->period > LEAST_AROUND ? s->period : s->count % s->period + 1;
    for (uint32_t i = 0, place = 0; i < s->count; i++, place = place + 1 < s->period ? place + 1 : 0) {
        uint32_t at = s->first + i;
        int64_t start = g->ops.start[kernel_at(row, at)], end = at ? gpu_end(&g->ops, kernel_at(row, at - 1)) : start;
        idle[place] += start > end ? (uint64_t)start - (uint64_t)end : 0;
    }
    for (uint32_t i = 1; i < cuts; i++) {
        best = idle[i] > idle[best] ? i : best;
    }
    return best;
}

/* A cycle lasts until the next kernel of the row starts, the last one of the row until it ends. */
static void cut_steps(const gpu_facts *g, const kernel_row *row, const stretch *s, uint32_t cut, gpu_steps *out)
{
    out->count = 0;
    for (uint32_t at = s->first + cut; at + s->period <= s->first + s->count; at += s->period) {
        uint32_t next = at + s->period;
        int64_t start = g->ops.start[kernel_at(row, at)], end = gpu_end(&g->ops, kernel_at(row, next - 1));
        end = next < row->count ? g->ops.start[kernel_at(row, next)] : end;
        if (end > start) {
            out->list[out->count] = (gpu_step){.time = {start, end}, .number = out->count, .slice = PF_NONE};
            out->count++;
        }
    }
    out->source = GPU_STEP_PATTERN;
}

pf_status pf_gpu_find_cycles(gpu_facts *g, const gpu_rank *rank, gpu_steps *out, pf_error *err)
{
    kernel_row row = {.count = 0};
    distance tried[MOST_TRIED] = {{0}};
    uint64_t *idle;
    size_t n;
    PF_TRY(collect(g, rank, &g->scratch, &row, err));
    PF_TRY(common_distances(&row, g->trace->strings.count, &g->scratch, tried, &n, err));
    stretch s = best_stretch(&row, tried, n);
    PF_TRY(PF_ARENA_NEW(&g->scratch, idle, s.period, err));
    PF_TRY(PF_PASS_ARRAY(g->arena, s.count / s.period + 1, out->list, err));
    cut_steps(g, &row, &s, best_cut(g, &row, &s, idle), out);
    pf_arena_reset(&g->scratch);
    return PF_OK;
}
