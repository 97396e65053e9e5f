/* analyze/aiu/launches/aiu_stage_launches.c - launch_flow_collect, launch_flow_create_missing: arrows of torch traces
 * from a launch to its kernels, and from the last of them to the host's wait.
 *
 * What belongs together has one correlation, in one input. The profiler draws one arrow for each launch, which ends at
 * its first transfer; the others are added here. The arrow to the wait starts at the end of the last kernel that is
 * over by then; without one where the first event of the correlation does.
 */
#include <string.h>

#include "analyze/aiu/launches/aiu_launches.h"
#include "postfetto/arg_columns.h"

/* One correlation. */
typedef struct launch {
    uint32_t source; /* the event that begins its arrow, PF_NONE */
    double wait_end, last;
    int64_t wait_pid, wait_tid, last_pid, last_tid;
    bool has_wait, odd;
} launch;

typedef struct launches {
    aiu_run *run;
    launch *list;
    uint32_t count, room;
    pf_map by_id;
    uint32_t *kernel, *of; /* kernels in order, and their launches */
    uint32_t kernels;
    uint32_t *correlated; /* events whose correlations were read */
    const pf_arg_columns *columns;
    uint64_t ignored, inconsistent;
    int64_t highest;
} launches;

/* The launch of a correlation, which begins where event e does if it is new. */
static launch *launch_of(launches *l, uint32_t e, int64_t id)
{
    const aiu_events *v = &l->run->events;
    uint64_t input = l->run->set.compat == AIU_WANT ? (uint64_t)v->job[e] << 48 : 0, key = input ^ (uint64_t)id;
    uint32_t at = pf_map_get(&l->by_id, key);
    if (at != PF_NONE) {
        return &l->list[at];
    }
    void *list = l->list;
    pf_status st = pf_aiu_grow(l->run, &list, &l->room, l->count + 1, sizeof *l->list);
    l->list = list;
    if (st != PF_OK) {
        return NULL;
    }
    if (!pf_map_set(&l->by_id, key, l->count)) {
        pf_budget_refused(l->run->budget, l->count * sizeof *l->list, &l->run->error);
        return NULL;
    }
    l->list[l->count] = (launch){.source = PF_NONE, .last = v->ts[e], .last_pid = v->pid[e], .last_tid = v->tid[e]};
    return &l->list[l->count++];
}

/* ---- collecting -------------------------------------------------------------------------------------------------- */

static void take_wait(launches *l, launch *q, uint32_t e)
{
    q->wait_end = pf_aiu_end(l->run, e);
    q->wait_pid = l->run->events.pid[e];
    q->wait_tid = l->run->events.tid[e];
    q->has_wait = true;
    q->odd |= l->run->set.compat == AIU_WANT && q->last > q->wait_end;
}

/* A kernel that ends after the wait is no part of it. The program before postfetto takes one that ends before another
 * one for such a kernel as well, and its launch for inconsistent where no wait came before it. */
static void take_kernel(launches *l, launch *q, uint32_t e)
{
    bool want = l->run->set.compat == AIU_WANT;
    double last = pf_aiu_end(l->run, e) - 0.001, until = q->has_wait ? q->wait_end : last;
    l->kernel[l->kernels] = e;
    l->of[l->kernels++] = (uint32_t)(q - l->list);
    if (last <= until && last > q->last) {
        q->last = last;
        q->last_pid = l->run->events.pid[e];
        q->last_tid = l->run->events.tid[e];
    } else {
        l->ignored += !want || last > until;
    }
    bool late = !want && q->last > until;
    l->inconsistent += late;
    q->odd |= late;
}

static pf_status take_slice(launches *l, uint32_t e, uint32_t i)
{
    const pf_arg_column *c = pf_arg_column_at(l->columns, 0);
    int64_t id = pf_arg_has(c, i) ? c->values.i[i] : 0;
    pf_str name = pf_aiu_text_of(l->run, l->run->events.name[e]);
    const char *word = name.len ? memmem(name.ptr, name.len, "Launch", 6) : NULL;
    bool source = word && pf_aiu_contains((pf_str){word, (size_t)(name.ptr + name.len - word)}, "ControlBlock");
    bool wait = !source && pf_aiu_contains(name, "ScheduleWait");
    bool kernel = !source && !wait && pf_aiu_equals(pf_aiu_text_of(l->run, l->run->events.cat[e]), "kernel");
    if (id <= 0 || !(source || wait || kernel)) {
        return PF_OK;
    }
    l->highest = id > l->highest ? id : l->highest;
    launch *q = launch_of(l, e, id);
    if (q && wait) {
        take_wait(l, q, e);
    } else if (q && kernel) {
        take_kernel(l, q, e);
    }
    return q ? PF_OK : l->run->error.code;
}

static pf_status take_source(launches *l, uint32_t e)
{
    int64_t id = pf_aiu_flow_id(l->run, e);
    launch *q = id > 0 ? launch_of(l, e, id) : NULL;
    if (q) {
        q->source = e;
    }
    return q || id <= 0 ? PF_OK : l->run->error.code;
}

static pf_status walk(launches *l, uint32_t slices)
{
    const aiu_events *v = &l->run->events;
    pf_status st = PF_OK;
    uint32_t at = 0;
    for (uint32_t i = 0; i < l->run->alive && st == PF_OK; i++) {
        uint32_t e = l->run->order[i];
        if (at < slices && l->correlated[at] == e) {
            st = take_slice(l, e, at++);
        } else if (v->phase[e] == 's' && v->flags[e] & AIU_TORCH) {
            st = take_source(l, e);
        }
    }
    return st;
}

static pf_status collect(launches *l)
{
    static const pf_arg_key key = {.key = "correlation", .type = PF_ARG_INT, .from_text = true};
    aiu_run *run = l->run;
    uint32_t n = 0, *memory = pf_pass_alloc(run->ctx, 4 * (size_t)run->alive + 4, sizeof *memory, &run->error);
    if (!memory) {
        return run->error.code;
    }
    uint32_t *rows = memory + run->alive + 1;
    l->correlated = memory;
    l->kernel = rows + run->alive + 1;
    l->of = l->kernel + run->alive + 1;
    for (uint32_t i = 0; i < run->alive; i++) {
        uint32_t e = run->order[i];
        if (pf_aiu_is_slice(run, e) && run->events.flags[e] & AIU_TORCH && run->events.row[e] != PF_NONE) {
            l->correlated[n] = e;
            rows[n++] = run->events.row[e];
        }
    }
    pf_arg_columns *c = NULL;
    pf_status st = pf_arg_columns_read(run->trace, rows, n, &key, 1, NULL, &c, &run->error);
    l->columns = c;
    st = st == PF_OK ? walk(l, n) : st;
    pf_arg_columns_free(c);
    return st;
}

/* ---- arrows ------------------------------------------------------------------------------------------------------ */

static pf_status arrow(launches *l, const launch *q, int64_t id, double from, int64_t pid, int64_t tid, double to,
                       int64_t to_pid, int64_t to_tid)
{
    aiu_run *run = l->run;
    uint32_t name = run->events.name[q->source], cat = run->events.cat[q->source];
    pf_status st = pf_aiu_add_arrow(run, 's', from, pid, tid, id, name, cat);
    return st == PF_OK ? pf_aiu_add_arrow(run, 'f', to, to_pid, to_tid, id, name, cat) : st;
}

static pf_status draw(launches *l)
{
    const aiu_events *v = &l->run->events;
    int64_t id = l->highest > l->run->flow_ids ? l->highest : l->run->flow_ids;
    bool skips = l->run->set.compat != AIU_WANT; /* all that is inconsistent */
    pf_status st = PF_OK;
    for (uint32_t i = 0; i < l->kernels && st == PF_OK; i++) {
        const launch *q = &l->list[l->of[i]];
        uint32_t s = q->source, k = l->kernel[i];
        if (s != PF_NONE && !(skips && q->odd)) {
            st = arrow(l, q, ++id, v->ts[s], v->pid[s], v->tid[s], v->ts[k], v->pid[k], v->tid[k]);
        }
    }
    for (uint32_t i = 0; i < l->count && st == PF_OK; i++) {
        const launch *q = &l->list[i];
        if (q->source != PF_NONE && q->has_wait && !q->odd) {
            st = arrow(l, q, ++id, q->last, q->last_pid, q->last_tid, q->wait_end, q->wait_pid, q->wait_tid);
        }
    }
    return st;
}

pf_status pf_aiu_collect_launches(aiu_run *run)
{
    run->collects_launches = true;
    return PF_OK;
}

pf_status pf_aiu_draw_launches(aiu_run *run)
{
    launches l = {.run = run};
    if (!run->any_torch || !run->collects_launches) {
        return PF_OK;
    }
    pf_map_init(&l.by_id, run->budget);
    pf_status st = collect(&l);
    st = st == PF_OK ? draw(&l) : st;
    pf_map_free(&l.by_id);
    if (l.ignored) {
        pf_aiu_log(run, "WARNING", "FLOWS: Ignored %llu events with timestamp after schedule wait",
                   (unsigned long long)l.ignored);
    }
    if (l.inconsistent) {
        pf_aiu_log(run, "WARNING",
                   "FLOWS: Detected %llu timestamp inconsistencies, skipped flow creation for affected iterations",
                   (unsigned long long)l.inconsistent);
    }
    return st;
}
