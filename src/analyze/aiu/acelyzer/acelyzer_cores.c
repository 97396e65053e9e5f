/* analyze/aiu/acelyzer/acelyzer_cores.c - use of the cores as acelyzer has it.
 *
 * Its jobs are those of a file, whatever rank; each gets the table that fits best, of any log, and each kernel is
 * looked up in that table in the log of its own pid. With autopilot a kernel is held against the total of the whole
 * table, and a job is drawn when the next one of its log begins; what overlaps the job before is cut, or left out where
 * it ends first. Tables are matched twice, the second time the chosen ones against all; both count in the warning.
 */
#include <math.h>

#include "analyze/aiu/acelyzer/acelyzer.h"
#include "analyze/aiu/cores/aiu_tables.h"

enum { FIRST_NAMES = 30 };
#define CERTAIN 0.8
#define APART 0.2
#define NO_TIME 1e-9

/* What is compared: of a job, or of a table. */
typedef struct facts {
    const uint32_t *name;
    uint32_t names, count;
    double time;
} facts;

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

/* ---- tables and jobs --------------------------------------------------------------------------------------------- */

static facts of_table(const aiu_table *t)
{
    return (facts){t->listed, t->listed_count, t->lines, t->sum};
}

static bool has_run(const facts *in, const facts *of)
{
    for (uint32_t from = 0; from + of->names <= in->names; from++) {
        uint32_t n = 0;
        while (n < of->names && in->name[from + n] == of->name[n]) {
            n++;
        }
        if (n == of->names) {
            return true;
        }
    }
    return false;
}

static double similarity(const facts *a, const facts *table)
{
    if (a->count > table->count || table->count == 0 || table->time > a->time || !(a->time > 0)) {
        return 0;
    }
    return (has_run(table, a) ? 0.5 : 0.25) + 0.5 * ((double)a->count / (double)table->count) +
           0.5 * (table->time / a->time);
}

/* The table most like it, the first of several; whether that is uncertain. */
static uint32_t choose(const aiu_tables *t, const facts *f, bool *unsure)
{
    double best = -1, second = -1;
    uint32_t choice = PF_NONE;
    for (uint32_t i = 0; i < t->count; i++) {
        facts other = of_table(&t->table[i]);
        double s = t->table[i].ended ? similarity(f, &other) : -1;
        if (s > best) {
            second = best;
            best = s;
            choice = i;
        } else if (s > second) {
            second = s;
        }
    }
    *unsure = choice != PF_NONE && (best < CERTAIN || (second >= 0 && best - second <= APART));
    return choice;
}

/* The log of a pid: its number where there are several. PF_NONE: it has none. */
static uint32_t log_of(const aiu_tables *t, int64_t pid)
{
    return t->logs < 2 ? 0 : pid >= 0 && pid < t->logs ? (uint32_t)pid : PF_NONE;
}

static void choose_tables(cores *c)
{
    aiu_run *run = c->run;
    facts *f = pf_aiu_scratch(run, c->k.jobs, sizeof *f);
    uint32_t *names = pf_aiu_scratch(run, (size_t)c->k.jobs * FIRST_NAMES, sizeof *names), uncertain = 0;
    for (uint32_t i = 0; names && i < c->k.count; i++) {
        facts *j = &f[c->k.job[i]];
        uint32_t log = log_of(c->t, run->events.pid[c->k.event[i]]);
        uint32_t *own = names + (size_t)c->k.job[i] * FIRST_NAMES;
        j->name = own;
        if (j->names < FIRST_NAMES) {
            own[j->names++] = log != PF_NONE && c->t->log[log].autopilot ? c->t->kernel : c->k.name[i];
        }
        j->count++;
        j->time += run->events.dur[c->k.event[i]];
    }
    for (uint32_t i = 0; names && i < c->k.jobs; i++) {
        bool unsure = false, again = false;
        c->choice[i] = choose(c->t, &f[i], &unsure);
        if (c->choice[i] != PF_NONE) {
            facts chosen = of_table(&c->t->table[c->choice[i]]);
            choose(c->t, &chosen, &again);
        }
        uncertain += (uint32_t)unsure + again;
    }
    pf_aiu_log_uncertain(run, uncertain);
}

/* The table of a log that has the names and the time of another one; PF_NONE: it has none. */
static uint32_t in_log(const aiu_tables *t, uint32_t log, uint32_t table)
{
    facts wanted = of_table(&t->table[table]);
    for (uint32_t i = 0; i < t->count; i++) {
        facts f = of_table(&t->table[i]);
        if (t->table[i].ended && t->table[i].log == log && f.time == wanted.time && f.names == wanted.names &&
            has_run(&f, &wanted)) {
            return i;
        }
    }
    return PF_NONE;
}

/* ---- samples ----------------------------------------------------------------------------------------------------- */

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
    drawn *d = &c->log[log_of(c->t, w->pid)];
    double percent = w->ideal / w->time * 100, start = w->start, pending = d->until;
    bool overlaps = start <= pending;
    w->born = 0;
    if (overlaps && w->end < pending) {
        pf_aiu_log(c->run, "WARNING", "UTL: a job lies inside the one before; it is not drawn");
        return;
    }
    d->until = w->end;
    if (!overlaps && pending > 0) {
        draw(c, w->pid, pending, 0);
    }
    draw(c, w->pid, overlaps ? pending : start, percent);
    if (last) {
        draw(c, w->pid, w->end, 0);
    }
}

/* A kernel of a job with autopilot; the job before it is over. */
static void take_whole(cores *c, uint32_t e, uint32_t job, uint32_t log, double ideal)
{
    aiu_run *run = c->run;
    whole *w = &c->job[job];
    drawn *d = &c->log[log];
    double ts = run->events.ts[e], end = pf_aiu_end(run, e), dur = run->events.dur[e];
    if (!w->born) {
        *w = (whole){ts, end, dur, ideal, run->events.pid[e], ++c->born};
    } else {
        if (ts < w->end) {
            pf_aiu_log(run, "WARNING", "UTL: kernels of a job overlap by %s us", pf_aiu_num(run, w->end - ts));
        }
        w->start = w->start < ts ? w->start : ts;
        w->end = w->end > end ? w->end : end;
        w->time += dur;
        w->time = w->time < w->end - w->start ? w->time : w->end - w->start;
    }
    uint32_t before = d->job;
    d->job = job;
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
        if (!open[born]) {
            continue;
        }
        for (uint64_t i = 0; i < full; i++) {
            pf_aiu_log(c->run, "WARNING", "UTL: more than 100 percent: again");
        }
        c->run->overfull += full;
        uint64_t before = c->run->overfull;
        draw_job(c, open[born], true);
        full += c->run->overfull - before;
    }
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

/* In the table of categories, where Total counts twice. */
static void account(cores *c, uint32_t e, uint32_t table, uint32_t category, double us)
{
    double time = c->run->events.dur[e];
    aiu_use *u = pf_aiu_use_of(c->run, c->run->events.rank[e], table);
    if (u) {
        pf_aiu_add_time(c->run, u, category, time, us);
        pf_aiu_add_time(c->run, u, c->t->total, time, us);
    }
}

static void draw_kernel(cores *c, uint32_t e, double use)
{
    aiu_run *run = c->run;
    double *sum = c->rank[run->events.rank[e]], dur = run->events.dur[e];
    double percent = 100 * use > 100 ? 101 : 100 * use;
    if (use > 0) {
        sum[1] += dur;
        sum[0] += (percent - sum[0]) * (dur / sum[1]);
    } else {
        sum[2] += dur;
    }
    if (use > 0 || c->zeros) {
        draw(c, run->events.pid[e], run->events.ts[e], 100 * use);
    }
    if (use > 0) {
        draw(c, run->events.pid[e], pf_aiu_end(run, e), 0);
    }
}

static void take_kernel(cores *c, uint32_t i)
{
    aiu_run *run = c->run;
    uint32_t e = c->k.event[i], job = c->k.job[i], log = log_of(c->t, run->events.pid[e]);
    uint32_t table = log == PF_NONE || c->choice[job] == PF_NONE ? PF_NONE : in_log(c->t, log, c->choice[job]);
    if (table == PF_NONE) {
        return; /* acelyzer aborts */
    }
    bool whole_job = c->t->log[log].autopilot;
    const aiu_ideal *row = pf_aiu_find_ideal(&c->t->table[table], whole_job ? c->t->kernel : c->k.name[i]);
    double us = row ? row->cycles * (1 / run->set.core) : 0, dur = run->events.dur[e];
    double use = fabs(dur) > NO_TIME ? fabs(us / dur) : 0;
    uint32_t category = row ? row->category : pf_aiu_text(run, PF_STR("other"));
    c->log[log].unknown += !row;
    account(c, e, table, category, us);
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

static void report(cores *c)
{
    for (uint32_t r = 0; r < c->run->ranks.count && !c->zeros; r++) {
        const double *sum = c->rank[r], all = sum[1] + sum[2];
        if (all > 0) {
            pf_aiu_log_use(c->run, r, sum[0], sum[0] * (sum[1] / all), sum[1], sum[2]);
        }
    }
    for (uint32_t i = 0; i < c->t->logs; i++) {
        pf_aiu_log_unknown(c->run, c->log[i].unknown, (pf_str){"", 0});
    }
    if (c->run->overfull) {
        pf_aiu_log(c->run, "WARNING", "UTL: %llu samples are of more than 100 percent",
                   (unsigned long long)c->run->overfull);
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
    choose_tables(&c);
    for (uint32_t i = 0; i < c.k.count; i++) {
        take_kernel(&c, i);
    }
    draw_rest(&c);
    report(&c);
}
