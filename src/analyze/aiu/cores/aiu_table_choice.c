/* analyze/aiu/cores/aiu_table_choice.c - which table of ideal cycles a job belongs to.
 *
 * A log may have a table for each graph that was compiled, and nothing says which job ran which. So tables are scored
 * by what kernels show: whether the first names follow each other in the table, how many of its rows the job has, and
 * how much of the time its cycles would explain. More kernels than rows, or more cycles than time, exclude a table.
 *
 * Acelyzer takes no table that does not end, the first one of several that are as good, and matches twice, the second
 * time the chosen tables against all; both count in the warning.
 */
#include "analyze/aiu/cores/aiu_tables.h"

enum { FIRST_NAMES = 30 };
#define CERTAIN 0.8
#define APART 0.2

/* What is compared: of a job, or of a table. */
typedef struct facts {
    const uint32_t *name;
    uint32_t names, count;
    double time;
    uint32_t log;
} facts;

static facts of_table(const aiu_table *t)
{
    return (facts){t->listed, t->listed_count, t->lines, t->sum, t->log};
}

bool pf_aiu_is_same_table(const aiu_table *a, const aiu_table *b)
{
    return a->sum == b->sum && a->listed_count == b->listed_count &&
           (!a->listed_count || memcmp(a->listed, b->listed, a->listed_count * sizeof *a->listed) == 0);
}

uint32_t pf_aiu_log_of(const aiu_tables *t, int64_t pid)
{
    return t->logs < 2 ? 0 : pid >= 0 && pid < t->logs ? (uint32_t)pid : PF_NONE;
}

/* Whether the names of a job follow each other in a table; how many of its rows it has; how much time they explain. */
static double score(const facts *table, const facts *job, bool theirs)
{
    bool more = job->count > table->count || table->count == 0, follow = false;
    if (table->time > job->time || !(job->time > 0) || (more && theirs)) {
        return 0;
    }
    for (uint32_t from = 0; !more && from + job->names <= table->names && !follow; from++) {
        follow = !job->names || memcmp(table->name + from, job->name, job->names * sizeof *job->name) == 0;
    }
    double s = more ? 0 : (follow ? 0.5 : 0.25) + 0.5 * (double)job->count / (double)table->count;
    return s + 0.5 * table->time / job->time;
}

/* The best table, of the rank's own log where several are; true if another one is near, or it is not good. */
static bool choose(const aiu_run *run, const facts *job, uint32_t *choice)
{
    const aiu_tables *t = run->tables;
    bool theirs = pf_aiu_rule(run, AIU_TABLES_END);
    double best = -1, second = -1;
    *choice = PF_NONE;
    for (uint32_t i = 0; i < t->count; i++) {
        facts table = of_table(&t->table[i]);
        double s = theirs && !t->table[i].ended ? -1 : score(&table, job, theirs);
        bool own = !theirs && s == best && table.log == job->log && t->table[*choice].log != job->log;
        if (s > best || own) {
            second = best;
            best = s;
            *choice = i;
        } else if (s > second) {
            second = s;
        }
    }
    return *choice != PF_NONE && (best < CERTAIN || best - second < APART || (theirs && best - second == APART));
}

/* What is known of each job; NULL: the run failed. */
static facts *read_jobs(aiu_run *run, const aiu_kernel_list *k)
{
    const aiu_tables *t = run->tables;
    facts *jobs = pf_aiu_scratch(run, k->jobs, sizeof *jobs);
    uint32_t *names = pf_aiu_scratch(run, (size_t)k->jobs * FIRST_NAMES, sizeof *names);
    for (uint32_t i = 0; i < k->count && names; i++) {
        facts *j = &jobs[k->job[i]];
        uint32_t *own = names + (size_t)k->job[i] * FIRST_NAMES;
        j->name = own;
        j->log = pf_aiu_log_of(t, run->events.pid[k->event[i]]);
        if (j->names < FIRST_NAMES) {
            bool whole = pf_aiu_rule(run, AIU_TABLES_END) && j->log != PF_NONE && t->log[j->log].autopilot;
            own[j->names++] = whole ? t->kernel : k->name[i];
        }
        j->count++;
        j->time += run->events.dur[k->event[i]];
    }
    return names ? jobs : NULL;
}

void pf_aiu_choose_tables(aiu_run *run, const aiu_kernel_list *k, uint32_t *choice)
{
    facts *jobs = read_jobs(run, k);
    uint32_t uncertain = 0, other;
    for (uint32_t i = 0; i < k->jobs && jobs; i++) {
        uncertain += choose(run, &jobs[i], &choice[i]);
        if (choice[i] != PF_NONE && pf_aiu_rule(run, AIU_TABLES_END)) {
            facts chosen = of_table(&run->tables->table[choice[i]]);
            uncertain += choose(run, &chosen, &other);
        }
    }
    if (uncertain) {
        pf_aiu_log(run, "WARNING", "UTL: Detected uncertain Ideal Cycles table match for %u jobs: {%u}", uncertain,
                   uncertain);
    }
}
