/* analyze/aiu/steps/aiu_power_stats.c - power while kernels run, and while none does.
 *
 * Each sample of power holds until the next one of its rank. These intervals are cut by the union of the rank's
 * kernels, and what falls on either side is weighed by its length.
 */
#include "analyze/aiu/steps/aiu_steps.h"
#include "base/text/number.h"

typedef struct piece {
    double watts, length;
} piece;

typedef struct pieces {
    piece *list;
    uint32_t count, room;
} pieces;

static void add(aiu_run *run, pieces *p, double watts, double length)
{
    if (length > 0 && AIU_ROOM(run, p->list, p->count + 1, p->room) == PF_OK) {
        p->list[p->count++] = (piece){watts, length};
    }
}

/* ---- samples and kernels ----------------------------------------------------------------------------------------- */

/* Which samples and kernels count: those of one rank, or all together for acelyzer. */
typedef struct scope {
    aiu_run *run;
    bool all;
    uint32_t rank;
    aiu_key *sample, *kernel; /* first: begin; second: watts, or the end */
    uint32_t samples, kernels;
} scope;

static bool is_in(const scope *s, int64_t pid)
{
    return s->all || s->run->ranks.pid[s->rank] == pid;
}

static void collect(scope *s)
{
    aiu_run *run = s->run;
    s->sample = pf_aiu_scratch(run, run->samples.count, sizeof *s->sample);
    s->kernel = pf_aiu_scratch(run, run->alive, sizeof *s->kernel);
    if (!s->kernel) {
        return;
    }
    for (uint32_t i = 0; i < run->samples.count; i++) {
        if (run->samples.series[i] == AIU_SERIES_POWER4 && is_in(s, run->samples.pid[i])) {
            s->sample[s->samples++] = (aiu_key){run->samples.ts[i], run->samples.value[i], i};
        }
    }
    for (uint32_t i = 0; i < run->alive; i++) {
        uint32_t e = run->order[i];
        if (pf_aiu_is_slice(run, e) && is_in(s, run->events.pid[e]) &&
            pf_aiu_name(run, run->events.name[e])->flags & AIU_NAME_HAS_EXEC) {
            s->kernel[s->kernels++] = (aiu_key){run->events.ts[e], pf_aiu_end(run, e), e};
        }
    }
    if (!s->all) { /* acelyzer takes rank after rank */
        pf_aiu_sort_keys(run, s->sample, s->samples);
    }
    pf_aiu_sort_keys(run, s->kernel, s->kernels);
}

/* Merges kernels that overlap. */
static void unite(scope *s)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->kernels; i++) {
        if (kept && s->kernel[i].first <= s->kernel[kept - 1].second) {
            double end = s->kernel[i].second;
            s->kernel[kept - 1].second = end > s->kernel[kept - 1].second ? end : s->kernel[kept - 1].second;
        } else {
            s->kernel[kept++] = s->kernel[i];
        }
    }
    s->kernels = kept;
}

/* The first kernel that ends later than that. */
static uint32_t first_after(const scope *s, double at)
{
    uint32_t lo = 0, hi = s->kernels;
    while (lo < hi) {
        uint32_t middle = lo + (hi - lo) / 2;
        if (s->kernel[middle].second <= at) {
            lo = middle + 1;
        } else {
            hi = middle;
        }
    }
    return lo;
}

static void cut(const scope *s, pieces *with, pieces *without)
{
    for (uint32_t i = 0; i + 1 < s->samples; i++) {
        double at = s->sample[i].first, end = s->sample[i + 1].first, watts = s->sample[i].second;
        for (uint32_t n = first_after(s, at); n < s->kernels && s->kernel[n].first < end && at < end; n++) {
            double from = s->kernel[n].first > at ? s->kernel[n].first : at;
            double to = s->kernel[n].second < end ? s->kernel[n].second : end;
            add(s->run, without, watts, from - at);
            add(s->run, with, watts, to - from);
            at = to > at ? to : at;
        }
        add(s->run, without, watts, end - at);
    }
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

typedef struct powers {
    double least, most, mean, median, total_mean, total, busy;
} powers;

/* Weighed by length; the median is the first power at which half of the time is reached. */
static powers measure(aiu_run *run, const pieces *p)
{
    aiu_key *keys = pf_aiu_scratch(run, p->count, sizeof *keys);
    uint32_t n = 0;
    double energy = 0, reached = 0;
    powers out = {0};
    for (uint32_t i = 0; i < p->count && keys; i++) {
        out.total += p->list[i].length;
        energy += p->list[i].watts * p->list[i].length;
        if (p->list[i].watts > 0) {
            out.busy += p->list[i].length;
            keys[n++] = (aiu_key){p->list[i].watts, 0, i};
        }
    }
    if (n == 0 || pf_aiu_sort_keys(run, keys, n) != PF_OK) {
        return out;
    }
    for (uint32_t i = 0; i < n && (i == 0 || reached < out.busy / 2); i++) {
        reached += p->list[keys[i].row].length;
        out.median = keys[i].first;
    }
    out.least = keys[0].first;
    out.most = keys[n - 1].first;
    out.mean = energy / out.busy;
    out.total_mean = energy / out.total;
    return out;
}

static void put(pf_buffer *b, const char *before, double v, const char *after)
{
    char digits[PF_FIXED_MAX];
    pf_buffer_text(b, before);
    pf_buffer_put(b, digits, pf_format_real_fixed(v, 2, digits));
    pf_buffer_text(b, after);
}

static void report(const scope *s, const char *which, const pieces *p)
{
    powers w = measure(s->run, p);
    pf_buffer b = {0};
    if (s->all && !p->count) {
        pf_aiu_log(s->run, "INFO", "%s: No data", which);
        return;
    }
    if (!s->all) {
        pf_str pid = pf_aiu_pid_text(s->run, s->run->ranks.pid[s->rank]);
        pf_buffer_format(&b, "[%.*s] ", PF_TEXT_ARG(pid));
    }
    pf_buffer_text(&b, which);
    put(&b, ": min_non_zero=", w.least, "W");
    put(&b, ", max=", w.most, "W");
    put(&b, ", mean_non_zero=", w.mean, "W");
    put(&b, ", median_non_zero=", w.median, "W");
    put(&b, ", avg_total=", w.total_mean, "W");
    put(&b, " (time-weighted, dur_total=", w.total, s->all ? "ms" : "us");
    put(&b, ", dur_non_zero=", w.busy, s->all ? "ms)" : "us)");
    pf_aiu_log_buffer(s->run, &b);
}

static void analyze(aiu_run *run, bool all, uint32_t rank)
{
    scope s = {.run = run, .all = all, .rank = rank};
    pieces with = {0}, without = {0};
    bool any = !all;
    collect(&s);
    for (uint32_t i = 1; i < s.samples && !any; i++) {
        any = s.sample[i].first > s.sample[i - 1].first;
    }
    if (s.samples < 2 || !any) {
        if (all || s.samples) {
            pf_aiu_log(run, "WARNING", "Insufficient power data (need at least 2 samples) for statistics");
        }
        return;
    }
    unite(&s);
    cut(&s, &with, &without);
    report(&s, "Power with kernels", &with);
    report(&s, "Power without kernels", &without);
}

void pf_aiu_power_stats(aiu_run *run)
{
    enum { RANKS_MAX = 1024 };
    uint32_t count = pf_acelyzer(run) ? 1 : run->ranks.count < RANKS_MAX ? run->ranks.count : RANKS_MAX;
    for (uint32_t r = 0; r < count; r++) {
        analyze(run, pf_acelyzer(run), r);
        pf_arena_reset(&run->scratch);
    }
}
