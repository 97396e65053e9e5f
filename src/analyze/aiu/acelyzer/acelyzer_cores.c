/* analyze/aiu/acelyzer/acelyzer_cores.c - use of the cores as acelyzer has it.
 *
 * Its jobs are those of a file, whatever rank; each gets the table that fits best, of any log, and each kernel is
 * looked up in that table in the log of its own pid. With autopilot a kernel is held against the total of the whole
 * table, and a job is drawn when the next one of its log begins; what overlaps the job before is cut, or left out where
 * it ends first.
 */
#include <math.h>

#include "analyze/aiu/acelyzer/acelyzer.h"
#include "analyze/aiu/cores/aiu_tables.h"

#define NO_TIME 1e-9

/* A job with autopilot, from its first kernel on. */
typedef struct whole {
    double start, end, time, ideal;
    int64_t pid;
    uint32_t born; /* the how manieth that began; 0: none is open */
} whole;

/* What is drawn of a log. */
typedef struct drawn {
    uint32_t job; /* that kernels belong to now; PF_NONE */
    double until;
    uint64_t unknown;
} drawn;

typedef struct cores {
    aiu_run *run;
    aiu_tables *t;
    aiu_kernel_list k;
    uint32_t *choice; /* by job: table */
    whole *job;
    drawn *log;
    double (*rank)[3]; /* by rank: mean use of kernels that use the cores, their time, that of others */
    uint32_t born;
    bool zeros; /* samples of kernels that do not use the cores are kept */
} cores;

/* The table of a log that is the same as another one; PF_NONE: it has none. */
static uint32_t in_log(const aiu_tables *t, uint32_t log, uint32_t table)
{
    for (uint32_t i = 0; i < t->count; i++) {
        if (t->table[i].ended && t->table[i].log == log && pf_aiu_is_same_table(&t->table[i], &t->table[table])) {
            return i;
        }
    }
    return PF_NONE;
}

/* A sample of that many percent; more than 100 is said, and becomes 101. */
static void draw(cores *c, int64_t pid, double ts, double percent)
{
    if (percent > 100) {
        pf_aiu_log(c->run, "WARNING", "UTL: more than 100 percent: %s on %lld", pf_aiu_num(c->run, percent),
                   (long long)pid);
    }
    pf_aiu_add_sample(c->run, AIU_SERIES_PT_ACTIVE, pid, ts, pf_aiu_shown_percent(c->run, percent / 100), 0);
}

/* A job that is over: the zero that ends the one before it comes at its end, if no overlap swallows it. */
static void draw_job(cores *c, whole *w, bool last)
{
    drawn *d = &c->log[pf_aiu_log_of(c->t, w->pid)];
    double pending = d->until;
    bool overlaps = w->start <= pending;
    w->born = 0;
    if (overlaps && w->end < pending) {
        pf_aiu_log(c->run, "WARNING", "UTL: a job lies inside the one before; it is not drawn");
        return;
    }
    d->until = w->end;
    if (!overlaps && pending > 0) {
        draw(c, w->pid, pending, 0);
    }
    draw(c, w->pid, overlaps ? pending : w->start, w->ideal / w->time * 100);
    if (last) {
        draw(c, w->pid, w->end, 0);
    }
}

/* A kernel of a job with autopilot; the job before it is over. */
static void take_whole(cores *c, uint32_t e, uint32_t job, uint32_t log, double ideal)
{
    aiu_run *run = c->run;
    whole *w = &c->job[job];
    double ts = run->events.ts[e], end = pf_aiu_end(run, e), dur = run->events.dur[e];
    if (!w->born) {
        *w = (whole){ts, end, dur, ideal, run->events.pid[e], ++c->born};
    } else {
        if (ts < w->end) {
            pf_aiu_log(run, "WARNING", "UTL: kernels of a job overlap by %s us", pf_aiu_num(run, w->end - ts));
        }
        w->start = fmin(w->start, ts);
        w->end = fmax(w->end, end);
        w->time = fmin(w->time + dur, w->end - w->start);
    }
    uint32_t before = c->log[log].job;
    c->log[log].job = job;
    if (before != PF_NONE && before != job && c->job[before].born) {
        draw_job(c, &c->job[before], false);
    }
}

/* Those that are open in the end, in the order in which they began. What is too much is said again for each that
 * follows. */
static void draw_rest(cores *c)
{
    whole **open = pf_aiu_scratch(c->run, (size_t)c->born + 1, sizeof *open);
    uint64_t full = 0;
    for (uint32_t j = 0; j < c->k.jobs && open; j++) {
        open[c->job[j].born] = &c->job[j];
    }
    for (uint32_t born = 1; born <= c->born && open; born++) {
        for (uint64_t i = 0; open[born] && i < full; i++) {
            pf_aiu_log(c->run, "WARNING", "UTL: more than 100 percent: again");
        }
        if (open[born]) {
            uint64_t before = c->run->overfull += full;
            draw_job(c, open[born], true);
            full += c->run->overfull - before;
        }
    }
}

static void draw_kernel(cores *c, uint32_t e, double use)
{
    aiu_run *run = c->run;
    double *sum = c->rank[run->events.rank[e]], dur = run->events.dur[e];
    double percent = 100 * use > 100 ? 101 : 100 * use;
    if (use > 0 || c->zeros) {
        draw(c, run->events.pid[e], run->events.ts[e], 100 * use);
    }
    if (use > 0) {
        sum[1] += dur;
        sum[0] += (percent - sum[0]) * (dur / sum[1]);
        draw(c, run->events.pid[e], pf_aiu_end(run, e), 0);
    } else {
        sum[2] += dur;
    }
}

/* In the table of categories Total counts twice. */
static void take_kernel(cores *c, uint32_t i)
{
    aiu_run *run = c->run;
    uint32_t e = c->k.event[i], job = c->k.job[i], log = pf_aiu_log_of(c->t, run->events.pid[e]);
    uint32_t table = log == PF_NONE || c->choice[job] == PF_NONE ? PF_NONE : in_log(c->t, log, c->choice[job]);
    if (table == PF_NONE) {
        return; /* acelyzer aborts */
    }
    bool whole_job = c->t->log[log].autopilot;
    const aiu_ideal *row = pf_aiu_find_ideal(&c->t->table[table], whole_job ? c->t->kernel : c->k.name[i]);
    double us = row ? row->cycles * (1 / run->set.core) : 0, dur = run->events.dur[e];
    double use = fabs(dur) > NO_TIME ? fabs(us / dur) : 0;
    uint32_t category = row ? row->category : pf_aiu_text(run, PF_STR("other"));
    aiu_use *u = pf_aiu_use_of(run, run->events.rank[e], table);
    c->log[log].unknown += !row;
    if (u) {
        pf_aiu_add_time(run, u, category, dur, us);
        pf_aiu_add_time(run, u, c->t->total, dur, us);
    }
    pf_aiu_show_category(run, e, category);
    if (whole_job) {
        take_whole(c, e, job, log, us);
    } else {
        draw_kernel(c, e, use);
    }
    if (use > 0) {
        run->events.flags[e] |= AIU_CORE_USED;
        pf_aiu_add_real(run, e, PF_STR("pt_active"), use);
    }
}

void pf_acelyzer_use_cores(aiu_run *run)
{
    cores c = {.run = run, .t = run->tables, .zeros = !run->stats_on};
    if (!c.t || c.t->count == 0 || pf_aiu_list_kernels(run, &c.k) != PF_OK) {
        return;
    }
    c.choice = pf_aiu_scratch(run, c.k.jobs, sizeof *c.choice);
    c.job = pf_aiu_scratch(run, c.k.jobs, sizeof *c.job);
    c.log = pf_aiu_scratch(run, c.t->logs, sizeof *c.log);
    c.rank = pf_aiu_scratch(run, run->ranks.count, sizeof *c.rank);
    if (!c.rank) {
        return;
    }
    for (uint32_t i = 0; i < c.t->logs; i++) {
        c.log[i].job = PF_NONE;
    }
    pf_aiu_choose_tables(run, &c.k, c.choice);
    for (uint32_t i = 0; i < c.k.count; i++) {
        take_kernel(&c, i);
    }
    draw_rest(&c);
    for (uint32_t r = 0; r < run->ranks.count && !c.zeros; r++) {
        const double *sum = c.rank[r], all = sum[1] + sum[2];
        if (all > 0) {
            pf_aiu_log_use(run, r, sum[0], sum[0] * (sum[1] / all), sum[1], sum[2]);
        }
    }
    for (uint32_t i = 0; i < c.t->logs; i++) {
        pf_aiu_log_unknown(run, c.log[i].unknown, "");
    }
    pf_aiu_warn(run, "UTL: ", run->overfull, " samples are of more than 100 percent");
}
