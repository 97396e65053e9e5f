/* analyze/aiu/cores/aiu_table_choice.c - which table of ideal cycles a job belongs to.
 *
 * A log may have a table for each graph that was compiled, and nothing says which job ran which. So tables are scored
 * by what kernels show: whether the first names follow each other in the table, how many of its rows the job has, and
 * how much of the time its cycles would explain. More kernels than rows, or more cycles than time, exclude a table.
 */
#include "analyze/aiu/cores/aiu_tables.h"

enum { FIRST_NAMES = 30, TABLE_NAMES = 500 };
#define CERTAIN 0.8
#define APART 0.2

/* What is known of a job. */
typedef struct job_facts {
    uint32_t count, names;
    uint32_t first[FIRST_NAMES];
    uint32_t log; /* of its rank */
    double time;
} job_facts;

static bool is_run(const aiu_table *t, const job_facts *j)
{
    uint32_t rows = t->count < TABLE_NAMES ? t->count : TABLE_NAMES;
    for (uint32_t from = 0; from + j->names <= rows; from++) {
        uint32_t n = 0;
        while (n < j->names && t->row[from + n].name == j->first[n]) {
            n++;
        }
        if (n == j->names) {
            return true;
        }
    }
    return false;
}

static double score(const aiu_table *t, const job_facts *j)
{
    double s = is_run(t, j) ? 0.5 : 0.25;
    s = j->count > t->count || t->count == 0 ? 0 : s + 0.5 * (double)j->count / (double)t->count;
    return t->sum > j->time || !(j->time > 0) ? 0 : s + 0.5 * t->sum / j->time;
}

/* The best table, of the rank's own log where several are; true if another one is near, or it is not good. */
static bool choose(const aiu_tables *t, const job_facts *j, uint32_t *choice)
{
    double best = -1, second = -1;
    for (uint32_t i = 0; i < t->count; i++) {
        double s = score(&t->table[i], j);
        bool own = s == best && t->table[i].log == j->log && t->table[*choice].log != j->log;
        if (s > best || own) {
            second = best;
            best = s;
            *choice = i;
        } else if (s > second) {
            second = s;
        }
    }
    return best < CERTAIN || best - second < APART;
}

void pf_aiu_choose_tables(aiu_run *run, const aiu_kernel_list *k, uint32_t *choice)
{
    job_facts *jobs = pf_aiu_scratch(run, k->jobs, sizeof *jobs);
    uint32_t uncertain = 0;
    for (uint32_t i = 0; i < k->count && jobs; i++) {
        job_facts *j = &jobs[k->job[i]];
        int64_t pid = run->events.pid[k->event[i]];
        bool own = pid >= 0 && pid < run->tables->logs;
        j->log = own ? (uint32_t)pid : PF_NONE;
        j->count++;
        j->time += run->events.dur[k->event[i]];
        if (j->names < FIRST_NAMES) {
            j->first[j->names++] = k->name[i];
        }
    }
    for (uint32_t i = 0; i < k->jobs && jobs; i++) {
        uncertain += choose(run->tables, &jobs[i], &choice[i]);
    }
    pf_aiu_log_uncertain(run, uncertain);
}

void pf_aiu_log_uncertain(aiu_run *run, uint32_t jobs)
{
    if (jobs) {
        pf_aiu_log(run, "WARNING", "UTL: Detected uncertain Ideal Cycles table match for %u jobs: {%u}", jobs, jobs);
    }
}
