/* analyze/aiu/steps/aiu_power.c - device events carry an accumulated charge; what it grew by, over the time between two
 * events of a rank, is power.
 *
 * power_ts4 samples at the end of events and gives watts; power_ts3 samples at the begin of the kernel step and gives
 * charge per cycle of the step, a series for each kind of event.
 *
 * The charge is a counter of 32 bits, and so is the clock. Where a lap more of the one would still be a power that a
 * card can have, or the other may have done a whole one, nothing can be told of an interval, and nothing is; that is so
 * from a second on. What was more than a card can have is no power either. Both are drawn as 0.
 *
 * With --power-stats each sample of power holds until the next one of its rank. These intervals are cut by the union of
 * the rank's kernels, and what falls on either side, while kernels run and while none does, is weighed by its length.
 */
#include <inttypes.h>
#include <string.h>

#include "analyze/aiu/steps/aiu_steps.h"
#include "analyze/support/pass_tables.h"

/* Watts are 12 V times charge in 1/512 of an ampere and us. */
#define VOLTS 12.0
#define CHARGES_PER_AMPERE 512.0
#define WATTS_MAX 100.0

typedef struct powering {
    aiu_run *run;
    bool ts3, any; /* any: power is told of every interval, by the host's clock */
    aiu_key *key;
    uint32_t count, taken;
    uint64_t written, bad, unknown;
    double longest; /* us, of those that are unknown */
} powering;

static bool is_sampled(const powering *p, uint32_t e)
{
    aiu_run *run = p->run;
    uint32_t flags = run->events.flags[e], need = AIU_HAS_POWER | AIU_ON_CLOCK;
    return pf_aiu_is_slice(run, e) && (flags & need) == need &&
           !(pf_aiu_name(run, run->events.name[e])->flags & AIU_NAME_PREP) && (p->ts3 || run->events.dur[e] > 0.1);
}

/* When a sample was taken, on the host's clock. */
static double time_of(const powering *p, const aiu_key *k)
{
    return pf_aiu_ts_all(p->run, k->row, p->ts3 ? 3 : 4);
}

/* All samples in order of the device's counter; for acelyzer rank after rank, as they appear. It counts one more for
 * each rank, of charge 0, which it leaves out again. */
static void collect(powering *p)
{
    aiu_run *run = p->run;
    bool grouped = pf_aiu_rule(run, AIU_BY_THREAD);
    uint32_t *seen = pf_aiu_scratch(run, run->ranks.count, sizeof *seen), ranks = 0;
    p->key = pf_aiu_scratch(run, run->alive, sizeof *p->key);
    for (uint32_t i = 0; i < run->alive && p->key; i++) {
        uint32_t e = run->order[i];
        if (is_sampled(p, e)) {
            double at = p->ts3 ? (double)run->events.tsx[2][e] : pf_aiu_ts_all(run, e, 4);
            uint32_t *own = &seen[run->events.rank[e]];
            p->taken += 1 + (!p->ts3 && !*own);
            *own = *own ? *own : ++ranks;
            p->key[p->count++] = grouped ? (aiu_key){*own, at, e} : (aiu_key){at, 0, e};
        }
    }
    if (p->key) {
        pf_aiu_sort_keys(run, p->key, p->count);
    }
    for (uint32_t i = 0; i < p->count && grouped; i++) {
        p->key[i].first = p->key[i].second;
    }
}

static uint64_t charge_between(const powering *p, uint32_t a, uint32_t b)
{
    const aiu_events *e = &p->run->events;
    bool wraps = !pf_aiu_rule(p->run, AIU_EQUALS_LATE) ? e->power[a] > e->power[b] : e->power[a] >= e->power[b];
    return (uint64_t)e->power[b] - e->power[a] + (wraps ? (uint64_t)1 << 32 : 0);
}

static double watts_of(double charge, double us)
{
    return VOLTS * charge / CHARGES_PER_AMPERE / us;
}

/* Unknown: a lap of a counter could hide in the interval. */
static void put_watts(powering *p, const aiu_key *a, const aiu_key *b)
{
    aiu_run *run = p->run;
    const aiu_events *v = &run->events;
    aiu_energy *rank = &run->rank_energy[v->rank[b->row]];
    double charge = (double)charge_between(p, a->row, b->row), lap = 4294967296.0;
    bool own = !p->any && v->rank[a->row] == v->rank[b->row], apart = v->job[a->row] != v->job[b->row];
    double length =
        own ? pf_aiu_device_time(run, b->row, 4) - pf_aiu_device_time(run, a->row, 4) : time_of(p, b) - time_of(p, a);
    double watts = length > 0 ? watts_of(charge, length) : 0, us = length > 0 ? length : 0;
    bool wraps = length > lap / run->set.soc || (length > 0 && watts_of(charge + lap, length) <= WATTS_MAX);
    bool bad = watts > WATTS_MAX, unknown = !p->any && length > 0 && wraps, withheld = (bad || unknown) && !p->any;
    watts = bad || unknown ? 0 : watts;
    p->written++;
    p->bad += bad;
    p->unknown += unknown;
    p->longest = unknown && length > p->longest ? length : p->longest;
    rank->withheld += withheld;
    rank->sum += watts * us;
    rank->time += withheld ? 0 : us;
    run->energy[b->row] += !withheld ? watts * us : apart ? (double)INFINITY : (double)NAN;
    pf_aiu_add_sample(run, AIU_SERIES_POWER4, v->pid[a->row], time_of(p, a), watts, 0);
}

static void put_charge(powering *p, const aiu_key *a, const aiu_key *b)
{
    static const char *const kinds[] = {"DmaI", "DmaO", "AllGather", "AllReduce", "Cmpt Exec"};
    aiu_run *run = p->run;
    pf_str name = pf_aiu_text_of(run, run->events.name[a->row]);
    int64_t cycles = run->events.tsx[2][b->row] - run->events.tsx[2][a->row], pid = run->events.pid[a->row];
    double rate = cycles > 0 ? (double)charge_between(p, a->row, b->row) / (double)cycles : 0;
    size_t kind = 0;
    while (kind < sizeof kinds / sizeof *kinds && !pf_aiu_contains(name, kinds[kind])) {
        kind++;
    }
    const char *said = kind < sizeof kinds / sizeof *kinds ? kinds[kind] : "Other";
    uint32_t label = pf_aiu_text(run, pf_findings_format(run->findings, "Power %s", said));
    p->written++;
    pf_aiu_add_sample(run, AIU_SERIES_POWER3, pid, time_of(p, a), pf_aiu_round(rate, 3), label);
    pf_aiu_add_sample(run, AIU_SERIES_POWER3, pid, time_of(p, b) - 0.001, 0, label);
}

/* Steps that follow each other at once, which -k leaves out. */
static bool is_skipped(powering *p, uint32_t a, uint32_t b)
{
    aiu_run *run = p->run;
    unsigned x = pf_aiu_name(run, run->events.name[a])->has, y = pf_aiu_name(run, run->events.name[b])->has;
    return run->set.skip_power &&
           ((x == AIU_OP_EXEC && (y == AIU_OP_EXEC || y == AIU_OP_DMAI)) || (x == AIU_OP_DMAO && y == AIU_OP_DMAI));
}

static void walk(powering *p, uint32_t *last)
{
    const aiu_events *e = &p->run->events;
    for (uint32_t i = 0; i < p->count; i++) {
        uint32_t *before = &last[e->rank[p->key[i].row]];
        const aiu_key *b = &p->key[i], *a = *before == PF_NONE ? b : &p->key[*before];
        bool first = *before == PF_NONE || e->power[a->row] == 0;
        bool counts = !first && e->power[b->row] != 0 && b->first != a->first && !is_skipped(p, a->row, b->row);
        if (counts) {
            (p->ts3 ? put_charge : put_watts)(p, a, b);
        }
        *before = first || counts ? i : *before;
    }
}

/* What acelyzer puts into the trace until the next stage: a sample for each charge, and of each rank one of 0 before
 * it. Files of stages (-I) show them. */
void pf_aiu_extract_power(aiu_run *run)
{
    const powering p = {.run = run};
    const aiu_events *v = &run->events;
    bool shown = pf_aiu_rule(run, AIU_CHARGES) && run->set.intermediate && run->set.counters & AIU_COUNT_POWER4;
    bool *seen = shown ? pf_aiu_scratch(run, run->ranks.count, sizeof *seen) : NULL;
    run->charges = run->samples.count;
    for (uint32_t i = 0, e; seen && pf_aiu_next(run, pf_aiu_is_any_slice, &i, &e);) {
        bool sampled = is_sampled(&p, e);
        for (unsigned n = seen[v->rank[e]] ? 4 : 3; sampled && n <= 4; n++) {
            double charge = n == 4 ? (double)v->power[e] : 0;
            pf_aiu_add_sample(run, AIU_SERIES_CHARGE, v->pid[e], pf_aiu_ts_all(run, e, n), charge, v->name[e]);
        }
        seen[v->rank[e]] |= sampled;
    }
}

void pf_aiu_compute_power(aiu_run *run)
{
    powering p = {.run = run, .ts3 = run->set.counters & AIU_COUNT_POWER3, .any = pf_aiu_rule(run, AIU_ANY_POWER)};
    uint32_t *last = pf_aiu_scratch(run, run->ranks.count, sizeof *last);
    run->energy = pf_aiu_alloc(run, (size_t)run->events.count + 1, sizeof *run->energy);
    run->rank_energy = pf_aiu_alloc(run, (size_t)run->ranks.count + 1, sizeof *run->rank_energy);
    run->samples.count = pf_aiu_stage_on(run, "extract_power_event") ? run->charges : run->samples.count;
    for (uint32_t r = 0; r < run->ranks.count && last; r++) {
        last[r] = PF_NONE;
    }
    collect(&p);
    walk(&p, last);
    run->power_written = p.written;
    run->power_taken = p.taken;
    pf_aiu_warn(run, "PEC encountered ", p.bad, " bad power events set to 0.0W. Enable DEBUG (-D 3) to display.");
    if (p.unknown) {
        pf_aiu_log(run, "WARNING",
                   "PEC: %" PRIu64 " intervals between samples of charge are so long (at most %s s) that a counter may "
                   "wrap around unseen: no power is reported for them, no energy for what they are part of",
                   p.unknown, pf_aiu_rounded(run, p.longest / 1e6, 3));
    }
}

/* So many W for so many us. */
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

/* Which samples and kernels count: those of one rank, or all together for acelyzer. */
typedef struct scope {
    aiu_run *run;
    uint32_t rank;
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
        uint32_t own = pf_map_get(run->ranks.by_pid, (uint64_t)all->pid[i]);
        rank[i] = own == PF_NONE ? run->ranks.count : own;
        rows.list[rows.count] = i;
        rows.count += all->series[i] == AIU_SERIES_POWER4;
    }
    return rows;
}

/* Kernels that overlap are one. */
static void cut(scope *s, pieces *with, pieces *without)
{
    aiu_key *kernel = s->kernel;
    uint32_t kernels = 0;
    for (uint32_t i = 0; i < s->kernels; i++) {
        if (kernels && kernel[i].first <= kernel[kernels - 1].second) {
            kernel[kernels - 1].second = fmax(kernel[kernels - 1].second, kernel[i].second);
        } else {
            kernel[kernels++] = kernel[i];
        }
    }
    for (uint32_t i = 0, first = 0; i + 1 < s->samples; i++) {
        double at = s->sample[i].first, end = s->sample[i + 1].first, watts = s->sample[i].second;
        first = i && at < s->sample[i - 1].first ? 0 : first; /* of another rank, for acelyzer */
        while (first < kernels && kernel[first].second <= at) {
            first++;
        }
        for (uint32_t n = first; n < kernels && kernel[n].first < end && at < end; n++) {
            double from = fmax(kernel[n].first, at), to = fmin(kernel[n].second, end);
            add(s->run, without, watts, from - at);
            add(s->run, with, watts, to - from);
            at = fmax(at, to);
        }
        add(s->run, without, watts, end - at);
    }
}

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

static void report(const scope *s, const char *which, const pieces *p)
{
    powers w = measure(s->run, p);
    pf_findings *f = s->run->findings;
    const char *unit = s->all ? "ms" : "us";
    pf_str pid = s->all ? PF_STR("") : pf_findings_format(f, "[%s] ", pf_aiu_rank_name(s->run, s->rank));
    if (s->all && !p->count) {
        pf_aiu_log(s->run, "INFO", "%s: No data", which);
        return;
    }
    pf_aiu_log(s->run, "INFO",
               "%.*s%s: min_non_zero=%s, max=%s, mean_non_zero=%s, median_non_zero=%s, avg_total=%s (time-weighted, "
               "dur_total=%s, dur_non_zero=%s)",
               PF_TEXT_ARG(pid), which, pf_pass_fixed(f, w.least, 2, "W"), pf_pass_fixed(f, w.most, 2, "W"),
               pf_pass_fixed(f, w.mean, 2, "W"), pf_pass_fixed(f, w.median, 2, "W"),
               pf_pass_fixed(f, w.total_mean, 2, "W"), pf_pass_fixed(f, w.total, 2, unit),
               pf_pass_fixed(f, w.busy, 2, unit));
}

static void analyze(scope *s)
{
    pieces with = {0}, without = {0};
    bool any = !s->all;
    for (uint32_t i = 1; i < s->samples && !any; i++) {
        any = s->sample[i].first > s->sample[i - 1].first;
    }
    if (s->samples >= 2 && any) {
        cut(s, &with, &without);
        report(s, "Power with kernels", &with);
        report(s, "Power without kernels", &without);
    } else if (s->all || s->samples) {
        pf_aiu_log(s->run, "WARNING", "Insufficient power data (need at least 2 samples) for statistics");
    }
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
        scope s = {run, r, all, NULL, NULL, samples.count, kernels.count};
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
