/* analyze/aiu/cores/aiu_cores_compat.c - compute_utilization as the program before postfetto has it (--compat).
 *
 * Its jobs are those of a file, whatever rank; each gets the table that fits best, of any log, and each kernel is
 * looked up in that table in the log of its own pid. With autopilot a kernel is held against the total of the whole
 * table, and a job is drawn when the next one of its log begins; what overlaps the job before is cut, or left out where
 * it ends first. Tables are matched twice, the second time the chosen ones against all; both count in the warning.
 */
#include <math.h>

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

static pf_status choose_tables(cores *c)
{
    aiu_run *run = c->run;
    size_t jobs = (size_t)c->k.jobs + 1;
    facts *f = pf_pass_alloc(run->ctx, jobs, sizeof *f, &run->error);
    uint32_t *names = f ? pf_pass_alloc(run->ctx, jobs * FIRST_NAMES, sizeof *names, &run->error) : NULL;
    uint32_t uncertain = 0;
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
    if (uncertain) {
        pf_aiu_log(run, "WARNING", "UTL: Detected uncertain Ideal Cycles table match for %u jobs: {%u}", uncertain,
                   uncertain);
    }
    return names ? PF_OK : run->error.code;
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
static pf_status draw(cores *c, int64_t pid, double ts, double percent)
{
    aiu_run *run = c->run;
    if (percent > 100) {
        pf_str as = pf_aiu_real(run, percent);
        pf_aiu_log(run, "WARNING", "UTL: more than 100 percent: %.*s on %lld", (int)as.len, as.ptr, (long long)pid);
    }
    return pf_aiu_add_sample(run, AIU_SERIES_PT_ACTIVE, pid, ts, pf_aiu_shown_percent(run, percent / 100), 0);
}

/* A job that is over: the zero that ends the one before it comes at its end, if no overlap swallows it. */
static pf_status draw_job(cores *c, whole *w, bool last)
{
    aiu_run *run = c->run;
    drawn *d = &c->log[log_of(c->t, w->pid)];
    double percent = w->ideal / w->time * 100, start = w->start, pending = d->until;
    bool overlaps = start <= pending;
    w->born = 0;
    if (overlaps && w->end < pending) {
        return pf_aiu_log(run, "WARNING", "UTL: a job lies inside the one before; it is not drawn");
    }
    d->until = w->end;
    pf_status st = overlaps || !(pending > 0) ? PF_OK : draw(c, w->pid, pending, 0);
    st = st == PF_OK ? draw(c, w->pid, overlaps ? pending : start, percent) : st;
    return st == PF_OK && last ? draw(c, w->pid, w->end, 0) : st;
}

/* A kernel of a job with autopilot; the job before it is over. */
static pf_status take_whole(cores *c, uint32_t e, uint32_t job, uint32_t log, double ideal)
{
    aiu_run *run = c->run;
    whole *w = &c->job[job];
    drawn *d = &c->log[log];
    double ts = run->events.ts[e], end = pf_aiu_end(run, e), dur = run->events.dur[e];
    if (!w->born) {
        *w = (whole){ts, end, dur, ideal, run->events.pid[e], ++c->born};
    } else {
        if (ts < w->end) {
            pf_str by = pf_aiu_real(run, w->end - ts);
            pf_aiu_log(run, "WARNING", "UTL: kernels of a job overlap by %.*s us", (int)by.len, by.ptr);
        }
        w->start = w->start < ts ? w->start : ts;
        w->end = w->end > end ? w->end : end;
        w->time += dur;
        w->time = w->time < w->end - w->start ? w->time : w->end - w->start;
    }
    uint32_t before = d->job;
    d->job = job;
    bool over = before != PF_NONE && before != job && c->job[before].born;
    return over ? draw_job(c, &c->job[before], false) : PF_OK;
}

/* Those that are open in the end, in the order in which they began. What is too much is said again for each that
 * follows. */
static pf_status draw_rest(cores *c)
{
    whole **open = pf_pass_alloc(c->run->ctx, (size_t)c->born + 1, sizeof *open, &c->run->error);
    pf_status st = open ? PF_OK : c->run->error.code;
    uint64_t full = 0;
    for (uint32_t j = 0; j < c->k.jobs && open; j++) {
        open[c->job[j].born] = &c->job[j];
    }
    for (uint32_t born = 1; born <= c->born && st == PF_OK; born++) {
        if (!open[born]) {
            continue;
        }
        for (uint64_t i = 0; i < full && st == PF_OK; i++) {
            st = pf_aiu_log(c->run, "WARNING", "UTL: more than 100 percent: again");
        }
        c->run->overfull += full;
        uint64_t before = c->run->overfull;
        st = st == PF_OK ? draw_job(c, open[born], true) : st;
        full += c->run->overfull - before;
    }
    return st;
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

static pf_status set_category(cores *c, uint32_t e, uint32_t category)
{
    if (c->run->events.cat[e]) {
        return pf_aiu_add_text(c->run, e, PF_STR("user_cat"), pf_aiu_text_of(c->run, category));
    }
    c->run->events.cat[e] = category;
    return PF_OK;
}

/* In the table of categories, where Total counts twice. */
static pf_status account(cores *c, uint32_t e, uint32_t table, uint32_t category, double us)
{
    double time = c->run->events.dur[e];
    aiu_use *u = pf_aiu_use_of(c->run, c->run->events.rank[e], table);
    pf_status st = u ? pf_aiu_add_time(c->run, u, category, time, us) : c->run->error.code;
    return st == PF_OK ? pf_aiu_add_time(c->run, u, c->t->total, time, us) : st;
}

static pf_status draw_kernel(cores *c, uint32_t e, double use)
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
    pf_status st = use > 0 || c->zeros ? draw(c, run->events.pid[e], run->events.ts[e], 100 * use) : PF_OK;
    return st == PF_OK && use > 0 ? draw(c, run->events.pid[e], pf_aiu_end(run, e), 0) : st;
}

static pf_status take_kernel(cores *c, uint32_t i)
{
    aiu_run *run = c->run;
    uint32_t e = c->k.event[i], job = c->k.job[i], log = log_of(c->t, run->events.pid[e]);
    uint32_t table = log == PF_NONE || c->choice[job] == PF_NONE ? PF_NONE : in_log(c->t, log, c->choice[job]);
    if (table == PF_NONE) {
        return PF_OK; /* the program before postfetto aborts */
    }
    bool whole_job = c->t->log[log].autopilot;
    const aiu_ideal *row = pf_aiu_find_ideal(&c->t->table[table], whole_job ? c->t->kernel : c->k.name[i]);
    double us = row ? row->cycles * (1 / run->set.core) : 0, dur = run->events.dur[e];
    double use = fabs(dur) > NO_TIME ? fabs(us / dur) : 0;
    uint32_t category = row ? row->category : pf_aiu_text(run, PF_STR("other"));
    if (category == PF_NONE) {
        return run->error.code;
    }
    c->log[log].unknown += !row;
    pf_status st = account(c, e, table, category, us);
    st = st == PF_OK ? set_category(c, e, category) : st;
    if (st == PF_OK) {
        st = whole_job ? take_whole(c, e, job, log, us) : draw_kernel(c, e, use);
    }
    if (st == PF_OK && use > 0) {
        run->events.flags[e] |= AIU_CORE_USED;
        st = pf_aiu_add_real(run, e, PF_STR("pt_active"), use);
    }
    return st;
}

/* ---- the log ----------------------------------------------------------------------------------------------------- */

static void report_rank(aiu_run *run, uint32_t rank, const double sum[3])
{
    pf_str pid = pf_aiu_pid_text(run, run->ranks.pid[rank]);
    double all = sum[1] + sum[2];
    pf_str busy = pf_aiu_real(run, pf_aiu_round(sum[0], 3));
    pf_str mean = pf_aiu_real(run, pf_aiu_round(sum[0] * (sum[1] / all), 3));
    pf_str mm = pf_aiu_real(run, sum[1]), sf = pf_aiu_real(run, sum[2]);
    pf_str a = pf_aiu_real(run, pf_aiu_round(100 * sum[1] / all, 2));
    pf_str b = pf_aiu_real(run, pf_aiu_round(100 * sum[2] / all, 2));
    pf_aiu_log(run, "INFO",
               "UTL: pid=%.*s: avg_mm_util=%.*s, avg_util=%.*s, t_mm=%.*s, t_sf=%.*s, ratio_mm/sf=%.*s:%.*s",
               (int)pid.len, pid.ptr, (int)busy.len, busy.ptr, (int)mean.len, mean.ptr, (int)mm.len, mm.ptr,
               (int)sf.len, sf.ptr, (int)a.len, a.ptr, (int)b.len, b.ptr);
}

static void report(cores *c)
{
    for (uint32_t r = 0; r < c->run->ranks.count; r++) {
        if (c->rank[r][1] + c->rank[r][2] > 0 && !c->zeros) {
            report_rank(c->run, r, c->rank[r]);
        }
    }
    for (uint32_t i = 0; i < c->t->logs; i++) {
        if (c->log[i].unknown) {
            pf_aiu_log(c->run, "WARNING",
                       "UTL: Found %llu Events without a matching kernel category and accounted for 'other'",
                       (unsigned long long)c->log[i].unknown);
        }
    }
    if (c->run->overfull) {
        pf_aiu_log(c->run, "WARNING", "UTL: %llu samples are of more than 100 percent",
                   (unsigned long long)c->run->overfull);
    }
}

pf_status pf_aiu_use_cores_compat(aiu_run *run)
{
    cores c = {.run = run, .t = run->tables, .zeros = !run->stats_on};
    pf_status st = pf_aiu_list_kernels(run, &c.k);
    size_t jobs = (size_t)c.k.jobs + 1;
    c.choice = st == PF_OK ? pf_pass_alloc(run->ctx, jobs, sizeof *c.choice, &run->error) : NULL;
    c.job = c.choice ? pf_pass_alloc(run->ctx, jobs, sizeof *c.job, &run->error) : NULL;
    c.log = c.job ? pf_pass_alloc(run->ctx, (size_t)c.t->logs + 1, sizeof *c.log, &run->error) : NULL;
    c.rank = c.log ? pf_pass_alloc(run->ctx, (size_t)run->ranks.count + 1, sizeof *c.rank, &run->error) : NULL;
    if (!c.rank) {
        return run->error.code;
    }
    for (uint32_t i = 0; i < c.t->logs; i++) {
        c.log[i].job = PF_NONE;
    }
    st = choose_tables(&c);
    for (uint32_t i = 0; i < c.k.count && st == PF_OK; i++) {
        st = take_kernel(&c, i);
    }
    st = st == PF_OK ? draw_rest(&c) : st;
    report(&c);
    return st;
}
