/* analyze/aiu/launches/aiu_stage_launches.c - launch_flow_collect, launch_flow_create_missing: arrows of torch traces
 * from a launch to its kernels, and from the last of them to the host's wait.
 *
 * What belongs together has one correlation. The profiler draws one arrow for each launch, which ends at its first
 * transfer; the others are added here.
 */
#include <string.h>

#include "analyze/aiu/launches/aiu_launches.h"
#include "postfetto/arg_columns.h"

/* One correlation. */
typedef struct launch {
    int64_t id;
    uint32_t source; /* the event that begins its arrow, PF_NONE */
    double wait_end, last;
    int64_t wait_pid, wait_tid, last_pid, last_tid;
    bool has_wait, has_last, odd;
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
    uint64_t ignored;
    int64_t highest;
} launches;

static launch *launch_of(launches *l, int64_t id, pf_error *err)
{
    uint32_t at = pf_map_get(&l->by_id, (uint64_t)id);
    if (at != PF_NONE) {
        return &l->list[at];
    }
    if (l->count == l->room) {
        uint32_t room = l->room ? l->room * 2 : 256;
        launch *grown = pf_pass_alloc(l->run->ctx, room, sizeof *grown, err);
        if (!grown) {
            return NULL;
        }
        if (l->count) {
            memcpy(grown, l->list, l->count * sizeof *grown);
        }
        l->list = grown;
        l->room = room;
    }
    if (!pf_map_set(&l->by_id, (uint64_t)id, l->count)) {
        pf_budget_refused(l->run->budget, l->count * sizeof *l->list, err);
        return NULL;
    }
    l->list[l->count] = (launch){.id = id, .source = PF_NONE};
    return &l->list[l->count++];
}

/* ---- collecting -------------------------------------------------------------------------------------------------- */

static void take_wait(launches *l, launch *q, uint32_t e)
{
    q->wait_end = pf_aiu_end(l->run, e);
    q->wait_pid = l->run->events.pid[e];
    q->wait_tid = l->run->events.tid[e];
    q->has_wait = true;
    q->odd |= q->has_last && q->last > q->wait_end;
}

static void take_kernel(launches *l, launch *q, uint32_t e)
{
    double end = pf_aiu_end(l->run, e);
    l->kernel[l->kernels] = e;
    l->of[l->kernels++] = (uint32_t)(q - l->list);
    if (q->has_wait && end > q->wait_end) {
        l->ignored++;
    } else if (!q->has_last || end - 0.001 > q->last) {
        q->last = end - 0.001;
        q->last_pid = l->run->events.pid[e];
        q->last_tid = l->run->events.tid[e];
        q->has_last = true;
    }
}

static pf_status take_slice(launches *l, uint32_t e, uint32_t i, pf_error *err)
{
    const pf_arg_column *c = pf_arg_column_at(l->columns, 0);
    int64_t id = pf_arg_has(c, i) ? c->values.i[i] : 0;
    bool wait = pf_aiu_contains(pf_aiu_text_of(l->run, l->run->events.name[e]), "ScheduleWait");
    bool kernel = pf_aiu_equals(pf_aiu_text_of(l->run, l->run->events.cat[e]), "kernel");
    if (id <= 0 || !(wait || kernel)) {
        return PF_OK;
    }
    l->highest = id > l->highest ? id : l->highest;
    launch *q = launch_of(l, id, err);
    if (q && wait) {
        take_wait(l, q, e);
    } else if (q) {
        take_kernel(l, q, e);
    }
    return q ? PF_OK : err->code;
}

static pf_status take_source(launches *l, uint32_t e, pf_error *err)
{
    int64_t id = pf_aiu_flow_id(l->run, e);
    launch *q = id > 0 ? launch_of(l, id, err) : NULL;
    if (q) {
        q->source = e;
    }
    return q || id <= 0 ? PF_OK : err->code;
}

static pf_status walk(launches *l, uint32_t slices, pf_error *err)
{
    const aiu_events *v = &l->run->events;
    pf_status st = PF_OK;
    uint32_t at = 0;
    for (uint32_t i = 0; i < l->run->alive && st == PF_OK; i++) {
        uint32_t e = l->run->order[i];
        if (at < slices && l->correlated[at] == e) {
            st = take_slice(l, e, at++, err);
        } else if (v->phase[e] == 's' && v->flags[e] & AIU_TORCH) {
            st = take_source(l, e, err);
        }
    }
    return st;
}

static pf_status collect(launches *l, pf_error *err)
{
    static const pf_arg_key key = {.key = "correlation", .type = PF_ARG_INT, .from_text = true};
    aiu_run *run = l->run;
    uint32_t n = 0, *memory = pf_pass_alloc(run->ctx, 4 * (size_t)run->alive + 4, sizeof *memory, err);
    if (!memory) {
        return err->code;
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
    pf_status st = pf_arg_columns_read(run->trace, rows, n, &key, 1, NULL, &c, err);
    l->columns = c;
    st = st == PF_OK ? walk(l, n, err) : st;
    pf_arg_columns_free(c);
    return st;
}

/* ---- arrows ------------------------------------------------------------------------------------------------------ */

static pf_status arrow(launches *l, const launch *q, int64_t id, double from, int64_t pid, int64_t tid, double to,
                       int64_t to_pid, int64_t to_tid, pf_error *err)
{
    aiu_run *run = l->run;
    uint32_t name = run->events.name[q->source], cat = run->events.cat[q->source];
    pf_status st = pf_aiu_add_arrow(run, 's', from, pid, tid, id, name, cat, err);
    return st == PF_OK ? pf_aiu_add_arrow(run, 'f', to, to_pid, to_tid, id, name, cat, err) : st;
}

static pf_status draw(launches *l, pf_error *err)
{
    const aiu_events *v = &l->run->events;
    int64_t id = l->highest;
    pf_status st = PF_OK;
    for (uint32_t i = 0; i < l->kernels && st == PF_OK; i++) {
        const launch *q = &l->list[l->of[i]];
        uint32_t s = q->source, k = l->kernel[i];
        if (s != PF_NONE) {
            st = arrow(l, q, ++id, v->ts[s], v->pid[s], v->tid[s], v->ts[k], v->pid[k], v->tid[k], err);
        }
    }
    for (uint32_t i = 0; i < l->count && st == PF_OK; i++) {
        launch *q = &l->list[i];
        if (q->source != PF_NONE && !q->has_last) { /* no kernel ended before the wait did: the launch itself */
            q->last = v->ts[q->source];
            q->last_pid = v->pid[q->source];
            q->last_tid = v->tid[q->source];
        }
        if (q->source != PF_NONE && q->has_wait && !q->odd) {
            st = arrow(l, q, ++id, q->last, q->last_pid, q->last_tid, q->wait_end, q->wait_pid, q->wait_tid, err);
        }
    }
    return st;
}

pf_status pf_aiu_draw_launches(aiu_run *run, pf_error *err)
{
    launches l = {.run = run};
    if (!run->any_torch) {
        return PF_OK;
    }
    pf_map_init(&l.by_id, run->budget);
    pf_status st = collect(&l, err);
    st = st == PF_OK ? draw(&l, err) : st;
    pf_map_free(&l.by_id);
    if (l.ignored) {
        pf_aiu_log(run, "WARNING", "FLOWS: Ignored %llu events with timestamp after schedule wait",
                   (unsigned long long)l.ignored);
    }
    return st;
}
