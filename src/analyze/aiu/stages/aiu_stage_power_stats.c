/* analyze/aiu/stages/aiu_stage_power_stats.c - analyze_power_statistics: power while kernels run, and while none does.
 *
 * Each sample of power holds until the next one of its rank. These intervals are cut by the union of the rank's
 * kernels, and what falls on either side is weighed by its length.
 */
#include <string.h>

#include "analyze/aiu/stages/aiu_kernel_stats.h"
#include "analyze/aiu/stages/aiu_stages.h"
#include "analyze/support/pass_memory.h"
#include "base/buffer.h"
#include "base/text/number.h"

typedef struct piece {
    double watts, length;
} piece;

typedef struct pieces {
    piece *list;
    uint32_t count, room;
    pf_budget *budget;
    bool refused;
} pieces;

static void add(pieces *p, double watts, double length)
{
    if (!(length > 0)) {
        return;
    }
    if (p->count == p->room) {
        uint32_t room = p->room ? p->room * 2 : 256;
        piece *grown = pf_resize(p->budget, p->list, p->room * sizeof *grown, room * sizeof *grown);
        if (!grown) {
            p->refused = true;
            return;
        }
        p->list = grown;
        p->room = room;
    }
    p->list[p->count++] = (piece){watts, length};
}

/* ---- samples and kernels ----------------------------------------------------------------------------------------- */

/* Which samples and kernels count: those of one rank, or all together as the program before postfetto has it.
 */
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

static pf_status collect(scope *s)
{
    aiu_run *run = s->run;
    s->sample = pf_pass_alloc(run->ctx, (size_t)run->samples.count + 1, sizeof *s->sample, &run->error);
    s->kernel = s->sample ? pf_pass_alloc(run->ctx, (size_t)run->alive + 1, sizeof *s->kernel, &run->error) : NULL;
    if (!s->kernel) {
        return run->error.code;
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
    /* The program before postfetto takes rank after rank. */
    pf_status st = s->all ? PF_OK : pf_aiu_sort_keys(run, s->sample, s->samples);
    return st == PF_OK ? pf_aiu_sort_keys(run, s->kernel, s->kernels) : st;
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
            add(without, watts, from - at);
            add(with, watts, to - from);
            at = to > at ? to : at;
        }
        add(without, watts, end - at);
    }
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

typedef struct powers {
    double least, most, mean, median, total_mean, total, busy;
} powers;

/* Weighed by length; the median is the first power at which half of the time is reached. */
static pf_status measure(aiu_run *run, const pieces *p, powers *out)
{
    aiu_key *keys = pf_pass_alloc(run->ctx, (size_t)p->count + 1, sizeof *keys, &run->error);
    uint32_t n = 0;
    double energy = 0, reached = 0;
    *out = (powers){0};
    for (uint32_t i = 0; i < p->count && keys; i++) {
        out->total += p->list[i].length;
        energy += p->list[i].watts * p->list[i].length;
        if (p->list[i].watts > 0) {
            out->busy += p->list[i].length;
            keys[n++] = (aiu_key){p->list[i].watts, 0, i};
        }
    }
    pf_status st = keys ? pf_aiu_sort_keys(run, keys, n) : run->error.code;
    bool found = false;
    for (uint32_t i = 0; i < n && st == PF_OK && !found; i++) {
        reached += p->list[keys[i].row].length;
        found = reached >= out->busy / 2;
        out->median = keys[i].first;
    }
    if (st == PF_OK && n) {
        out->least = keys[0].first;
        out->most = keys[n - 1].first;
        out->mean = energy / out->busy;
        out->total_mean = energy / out->total;
    }
    return st;
}

static void put(pf_buffer *b, const char *before, double v, const char *after)
{
    char digits[PF_FIXED_MAX];
    pf_buffer_text(b, before);
    pf_buffer_put(b, digits, pf_format_real_fixed(v, 2, digits));
    pf_buffer_text(b, after);
}

static pf_status report(const scope *s, const char *which, const pieces *p)
{
    powers w;
    pf_buffer b = {0};
    pf_status st = measure(s->run, p, &w);
    if (st != PF_OK) {
        return st;
    }
    if (s->all && !p->count) {
        return pf_aiu_log(s->run, "INFO", "%s: No data", which);
    }
    if (!s->all) {
        pf_str pid = pf_aiu_pid_text(s->run, s->run->ranks.pid[s->rank]);
        pf_buffer_format(&b, "[%.*s] ", (int)pid.len, pid.ptr);
    }
    pf_buffer_text(&b, which);
    put(&b, ": min_non_zero=", w.least, "W");
    put(&b, ", max=", w.most, "W");
    put(&b, ", mean_non_zero=", w.mean, "W");
    put(&b, ", median_non_zero=", w.median, "W");
    put(&b, ", avg_total=", w.total_mean, "W");
    put(&b, " (time-weighted, dur_total=", w.total, s->all ? "ms" : "us");
    put(&b, ", dur_non_zero=", w.busy, s->all ? "ms)" : "us)");
    pf_aiu_log_text(s->run, "INFO", pf_pass_keep_buffer(s->run->findings, &b));
    return PF_OK;
}

static pf_status analyze(scope *s)
{
    pieces with = {.budget = s->run->budget}, without = with;
    pf_status st = collect(s);
    bool any = !s->all;
    for (uint32_t i = 1; i < s->samples && !any; i++) {
        any = s->sample[i].first > s->sample[i - 1].first;
    }
    if (st == PF_OK && (s->samples < 2 || !any)) {
        return s->all || s->samples
                   ? pf_aiu_log(s->run, "WARNING", "Insufficient power data (need at least 2 samples) for statistics")
                   : PF_OK;
    }
    if (st == PF_OK) {
        unite(s);
        cut(s, &with, &without);
        st = with.refused || without.refused ? pf_budget_refused(s->run->budget, 0, &s->run->error) : PF_OK;
    }
    st = st == PF_OK ? report(s, "Power with kernels", &with) : st;
    st = st == PF_OK ? report(s, "Power without kernels", &without) : st;
    pf_release(s->run->budget, with.list, with.room * sizeof *with.list);
    pf_release(s->run->budget, without.list, without.room * sizeof *without.list);
    return st;
}

pf_status pf_aiu_power_stats(aiu_run *run)
{
    enum { RANKS_MAX = 1024 };
    scope all = {.run = run, .all = true};
    if (run->set.compat != AIU_WANT) {
        return analyze(&all);
    }
    pf_status st = PF_OK;
    for (uint32_t r = 0; r < run->ranks.count && r < RANKS_MAX && st == PF_OK; r++) {
        scope one = {.run = run, .rank = r};
        st = analyze(&one);
    }
    return st;
}
