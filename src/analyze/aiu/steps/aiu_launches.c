/* analyze/aiu/steps/aiu_launches.c - arrows of torch traces
 * from a launch to its kernels, and from the last of them to the host's wait.
 *
 * What belongs together has one correlation, in one input. The profiler draws one arrow for each launch, which ends at
 * its first transfer; the others are added here. The arrow to the wait starts at the end of the last kernel that is
 * over by then; without one where the first event of the correlation does.
 */
#include "analyze/aiu/steps/aiu_steps.h"
#include "base/str.h"

/* One correlation. */
typedef struct launch {
    uint32_t source, wait; /* the event that begins its arrow, and the host's wait; PF_NONE */
    uint32_t event;        /* the last kernel that counts; before that the first event */
    double last;           /* us: where the arrow to the wait begins */
    bool odd;
} launch;

typedef struct launches {
    aiu_run *run;
    launch *list;
    uint32_t count, room;
    pf_map *by_id;
    uint32_t *kernel, *of; /* kernels in order, and their launches */
    uint32_t kernels;
    uint64_t ignored, inconsistent;
    int64_t highest;
} launches;

/* The launch of a correlation, which begins where event e does if it is new; NULL: the run failed. */
static launch *launch_of(launches *l, uint32_t e, int64_t id)
{
    const aiu_events *v = &l->run->events;
    uint64_t input = pf_aiu_rule(l->run, AIU_ONE_FILE) ? 0 : (uint64_t)v->job[e] << 48, key = input ^ (uint64_t)id;
    uint32_t at = pf_map_get(l->by_id, key);
    if (at == PF_NONE) {
        if (AIU_ROOM(l->run, l->list, l->count + 1, l->room) != PF_OK ||
            pf_aiu_map(l->run, l->by_id, key, l->count) != PF_OK) {
            return NULL;
        }
        at = l->count++;
        l->list[at] = (launch){PF_NONE, PF_NONE, e, v->ts[e], false};
    }
    return &l->list[at];
}

/* A kernel that ends after the wait is no part of it. Acelyzer takes one that ends before another
 * one for such a kernel as well, and its launch for inconsistent where no wait came before it. */
static void take_kernel(launches *l, launch *q, uint32_t e)
{
    bool want = !pf_aiu_rule(l->run, AIU_WAITS_LAST);
    double last = pf_aiu_end(l->run, e) - 0.001, until = q->wait == PF_NONE ? last : pf_aiu_end(l->run, q->wait);
    l->kernel[l->kernels] = e;
    l->of[l->kernels++] = (uint32_t)(q - l->list);
    if (last <= until && last > q->last) {
        q->last = last;
        q->event = e;
    } else {
        l->ignored += !want || last > until;
    }
    bool late = !want && q->last > until;
    l->inconsistent += late;
    q->odd |= late;
}

static void take_slice(launches *l, uint32_t e, int64_t id)
{
    aiu_run *run = l->run;
    const aiu_events *v = &run->events;
    bool source = pf_aiu_name(run, v->name[e])->flags & AIU_NAME_LAUNCH;
    bool wait = !source && pf_aiu_contains(pf_aiu_text_of(run, v->name[e]), "ScheduleWait");
    bool kernel = !source && !wait && pf_str_is(pf_aiu_text_of(run, v->cat[e]), "kernel");
    if (id <= 0 || !(source || wait || kernel)) {
        return;
    }
    l->highest = id > l->highest ? id : l->highest;
    launch *q = launch_of(l, e, id);
    if (q && wait) {
        q->wait = e;
        q->odd |= !pf_aiu_rule(run, AIU_WAITS_LAST) && q->last > pf_aiu_end(run, e);
    } else if (q && kernel) {
        take_kernel(l, q, e);
    }
}

static void collect(launches *l)
{
    aiu_run *run = l->run;
    const int64_t *correlation = pf_aiu_correlations(run);
    l->kernel = pf_aiu_scratch(run, run->alive, sizeof *l->kernel);
    l->of = pf_aiu_scratch(run, run->alive, sizeof *l->of);
    for (uint32_t i = 0; i < run->alive && l->of; i++) {
        uint32_t e = run->order[i];
        if (pf_aiu_is_torch_slice(run, e)) {
            take_slice(l, e, correlation[e]);
        } else if (run->events.phase[e] == 's' && run->events.flags[e] & AIU_TORCH) {
            int64_t id = pf_aiu_flow_id(run, e);
            launch *q = id > 0 ? launch_of(l, e, id) : NULL;
            if (q) {
                q->source = e;
            }
        }
    }
}

/* From a time of one event to a time of another one. */
static void arrow(launches *l, const launch *q, int64_t id, uint32_t from, double begin, uint32_t to, double end)
{
    const aiu_events *v = &l->run->events;
    uint32_t name = v->name[q->source], cat = v->cat[q->source];
    pf_aiu_add_arrow(l->run, 's', begin, v->pid[from], v->tid[from], id, name, cat);
    pf_aiu_add_arrow(l->run, 'f', end, v->pid[to], v->tid[to], id, name, cat);
}

static void draw(launches *l)
{
    const double *ts = l->run->events.ts;
    int64_t id = l->highest > l->run->flow_ids ? l->highest : l->run->flow_ids;
    bool skips = pf_aiu_rule(l->run, AIU_WAITS_LAST); /* all that is inconsistent */
    for (uint32_t i = 0; i < l->kernels; i++) {
        const launch *q = &l->list[l->of[i]];
        if (q->source != PF_NONE && !(skips && q->odd)) {
            arrow(l, q, ++id, q->source, ts[q->source], l->kernel[i], ts[l->kernel[i]]);
        }
    }
    for (uint32_t i = 0; i < l->count; i++) {
        const launch *q = &l->list[i];
        if (q->source != PF_NONE && q->wait != PF_NONE && !q->odd) {
            arrow(l, q, ++id, q->event, q->last, q->wait, pf_aiu_end(l->run, q->wait));
        }
    }
}

/* Without the other step it changes nothing. */
void pf_aiu_collect_launches(aiu_run *run)
{
    run->collects_launches = true;
}

void pf_aiu_draw_launches(aiu_run *run)
{
    launches l = {.run = run, .by_id = pf_aiu_scratch_map(run)};
    if (run->any_torch && run->collects_launches) {
        collect(&l);
        draw(&l);
        pf_aiu_warn(run, "FLOWS: Ignored ", l.ignored, " events with timestamp after schedule wait");
        pf_aiu_warn(run, "FLOWS: Detected ", l.inconsistent,
                    " timestamp inconsistencies, skipped flow creation for affected iterations");
    }
}
