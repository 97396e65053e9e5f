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
    int64_t pid;
    bool all;
    aiu_key *sample, *kernel; /* first: begin; second: watts, or the end */
    uint32_t samples, kernels;
} scope;

static bool is_kernel(aiu_run *run, uint32_t e)
{
    return pf_aiu_is_slice(run, e) && pf_aiu_name(run, run->events.name[e])->flags & AIU_NAME_HAS_EXEC;
}

static aiu_key key_of(const aiu_run *run, uint32_t e)
{
    return (aiu_key){run->events.ts[e], pf_aiu_end(run, e), e};
}

static aiu_key sample_key(const aiu_run *run, uint32_t i)
{
    return (aiu_key){run->samples.ts[i], run->samples.value[i], i};
}

/* Samples of power; `rank` has room for the rank of each. */
static aiu_rows list_samples(aiu_run *run, uint32_t *rank)
{
    const aiu_samples *all = &run->samples;
    aiu_rows rows = {.list = pf_aiu_scratch(run, all->count, sizeof *rows.list)};
    for (uint32_t i = 0; i < all->count && rows.list; i++) {
        uint32_t own = pf_map_get(&run->ranks.by_pid, (uint64_t)all->pid[i]);
        rank[i] = own == PF_NONE ? run->ranks.count : own;
        rows.list[rows.count] = i;
        rows.count += all->series[i] == AIU_SERIES_POWER4;
    }
    return rows;
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

static void cut(const scope *s, pieces *with, pieces *without)
{
    for (uint32_t i = 0, first = 0; i + 1 < s->samples; i++) {
        double at = s->sample[i].first, end = s->sample[i + 1].first, watts = s->sample[i].second;
        first = i && at < s->sample[i - 1].first ? 0 : first; /* of another rank, for acelyzer */
        while (first < s->kernels && s->kernel[first].second <= at) {
            first++;
        }
        for (uint32_t n = first; n < s->kernels && s->kernel[n].first < end && at < end; n++) {
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
        pf_str pid = pf_aiu_pid_text(s->run, s->pid);
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

static void analyze(scope *s)
{
    pieces with = {0}, without = {0};
    bool any = !s->all;
    for (uint32_t i = 1; i < s->samples && !any; i++) {
        any = s->sample[i].first > s->sample[i - 1].first;
    }
    if (s->samples < 2 || !any) {
        if (s->all || s->samples) {
            pf_aiu_log(s->run, "WARNING", "Insufficient power data (need at least 2 samples) for statistics");
        }
        return;
    }
    unite(s);
    cut(s, &with, &without);
    report(s, "Power with kernels", &with);
    report(s, "Power without kernels", &without);
}

/* The rows of a group. */
static aiu_rows rows_of(aiu_rows rows, uint32_t group)
{
    uint32_t from = rows.first[group];
    return (aiu_rows){.list = rows.list + from, .count = rows.first[group + 1] - from};
}

void pf_aiu_power_stats(aiu_run *run)
{
    enum { RANKS_MAX = 1024 };
    bool all = pf_aiu_rule(run, AIU_BY_THREAD);
    uint32_t ranks = run->ranks.count, count = all ? 1 : ranks < RANKS_MAX ? ranks : RANKS_MAX;
    uint32_t *rank = pf_aiu_scratch(run, run->samples.count, sizeof *rank);
    aiu_rows samples = list_samples(run, rank), kernels = pf_aiu_rows(run, is_kernel);
    aiu_rows of_rank = pf_aiu_rows_by(run, samples, rank, ranks + 1);
    aiu_rows on_rank = pf_aiu_rows_by(run, kernels, run->events.rank, ranks);
    for (uint32_t r = 0; r < count && on_rank.first; r++) {
        samples = all ? samples : rows_of(of_rank, r);
        kernels = all ? kernels : rows_of(on_rank, r);
        scope s = {run, all ? 0 : run->ranks.pid[r], all, NULL, NULL, samples.count, kernels.count};
        s.sample = pf_aiu_keys(run, samples, sample_key);
        for (uint32_t i = 0; all && s.sample && i < samples.count; i++) { /* acelyzer takes rank after rank */
            s.sample[i] = sample_key(run, samples.list[i]);
        }
        s.kernel = pf_aiu_keys(run, kernels, key_of);
        if (s.kernel) {
            analyze(&s);
        }
    }
}
