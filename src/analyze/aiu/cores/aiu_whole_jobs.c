/* analyze/aiu/cores/aiu_whole_jobs.c - jobs of logs with autopilot.
 *
 * Such a log gives the ideal cycles of a whole job, as Total. So the kernels of a job are taken together, however many
 * they are: their time is that of all, or from the first begin to the last end if that is less, as it is where they
 * overlap. Each rank has a counter of its own, which its jobs follow each other on.
 */
#include "analyze/aiu/cores/aiu_tables.h"

aiu_whole *pf_aiu_whole_jobs(aiu_run *run, const aiu_kernel_list *k, const uint32_t *choice)
{
    aiu_whole *jobs = pf_aiu_scratch(run, k->jobs, sizeof *jobs);
    for (uint32_t i = 0; i < k->count && jobs; i++) {
        uint32_t e = k->event[i];
        aiu_whole *w = &jobs[k->job[i]];
        const aiu_ideal *ideal = pf_aiu_find_ideal(&run->tables->table[choice[k->job[i]]], run->tables->total);
        double end = pf_aiu_end(run, e);
        w->first = w->any && w->first <= run->events.ts[e] ? w->first : run->events.ts[e];
        w->last = w->any && w->last >= end ? w->last : end;
        w->time += run->events.dur[e];
        w->ideal = ideal ? ideal->cycles / run->set.core : 0;
        w->rank = run->events.rank[e];
        w->pid = run->events.pid[e];
        w->any = true;
    }
    for (uint32_t i = 0; i < k->jobs && jobs; i++) {
        double span = jobs[i].last - jobs[i].first;
        jobs[i].time = jobs[i].time < span ? jobs[i].time : span;
    }
    return jobs;
}

/* What begins before the end of another one is cut. */
void pf_aiu_draw_jobs(aiu_run *run, const aiu_whole *jobs, uint32_t count, const uint32_t *choice)
{
    double *shown = pf_aiu_scratch(run, run->ranks.count, sizeof *shown); /* until when a job is drawn */
    for (size_t r = 0; r < run->ranks.count && shown; r++) {
        shown[r] = -1e300;
    }
    for (uint32_t i = 0; i < count && shown; i++) {
        const aiu_whole *w = &jobs[i];
        double *until = &shown[w->rank];
        double first = w->first < *until ? *until : w->first;
        if (run->tables->table[choice[i]].autopilot && w->last > first && w->time > 0) {
            *until = w->last;
            pf_aiu_add_plateau(run, AIU_SERIES_PT_ACTIVE, w->pid, first, w->last,
                               pf_aiu_shown_percent(run, w->ideal / w->time));
        }
    }
}
