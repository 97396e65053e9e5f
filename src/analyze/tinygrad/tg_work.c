/* analyze/tinygrad/tg_work.c - kernels, copies and launches of all devices in one list by time, and sums by name.
 *
 * What the host does itself (USER, TINY, GC) is no work of a device. A copy is what the profile calls so, or whatever
 * an engine for copies executes. */
#include "analyze/tinygrad/tg_work.h"

#include "base/arena.h"
#include "base/map.h"
#include "base/str.h"
#include "model/trace/trace.h"

static bool is_host(const tg_input *in, uint32_t device)
{
    return pf_tg_is(in, device, "USER") || pf_tg_is(in, device, "TINY") || pf_tg_is(in, device, "GC");
}

static tg_work_kind kind_of(const tg_input *in, const tg_track *t, uint32_t event)
{
    if (is_host(in, t->device)) {
        return TG_HOST;
    }
    if (in->events.kind[event] == in->kinds.batch) {
        return TG_LAUNCH;
    }
    pf_str device = pf_tg_string(in, t->device);
    bool engine = pf_str_find(device, PF_STR(":SDMA")) != SIZE_MAX || pf_str_find(device, PF_STR(":COPY")) != SIZE_MAX;
    return in->events.copy[event] == 1 || engine ? TG_COPY : TG_KERNEL;
}

/* ---- jobs -------------------------------------------------------------------------------------------------------- */

static bool is_after(const void *ctx, uint32_t a, uint32_t b)
{
    const tg_job *jobs = ctx;
    return jobs[a].ts > jobs[b].ts;
}

static size_t count_slices(const tg_timeline *l)
{
    size_t n = 0;
    for (uint32_t i = 0; i < l->track_count; i++) {
        n += l->tracks[i].kind == TG_SLICES ? l->tracks[i].count : 0;
    }
    return n;
}

static void collect(const tg_timeline *l, tg_job *jobs, size_t *count)
{
    const tg_events *e = &l->in->events;
    for (uint32_t i = 0; i < l->track_count; i++) {
        const tg_track *t = &l->tracks[i];
        for (uint32_t k = 0; t->kind == TG_SLICES && k < t->count; k++) {
            uint32_t event = t->slices[k].event;
            tg_work_kind kind = kind_of(l->in, t, event);
            if (kind != TG_HOST) {
                jobs[(*count)++] = (tg_job){kind, &t->slices[k], e->ts[event], e->dur[event]};
            }
        }
    }
}

/* Puts jobs[order[i]] at place i, along the cycles of the permutation; `order` is used up. */
static void permute(tg_job *jobs, uint32_t *order, size_t n)
{
    for (uint32_t start = 0; start < n; start++) {
        tg_job first = jobs[start];
        uint32_t at = start;
        while (order[at] != start) {
            uint32_t from = order[at];
            jobs[at] = jobs[from];
            order[at] = at;
            at = from;
        }
        jobs[at] = first;
        order[at] = at;
    }
}

/* The jobs of all devices by time. */
static pf_status list_jobs(const pf_pass_context *ctx, tg_work *w, pf_error *err)
{
    size_t room = count_slices(w->l) + 1, n = 0;
    w->jobs = pf_pass_alloc(ctx, room, sizeof *w->jobs, err);
    uint32_t *order = w->jobs ? pf_alloc(w->budget, 2 * room * sizeof *order) : NULL;
    if (!order) {
        return w->jobs ? pf_budget_refused(w->budget, 2 * room * sizeof *order, err) : err->code;
    }
    collect(w->l, w->jobs, &n);
    pf_order_rows(order, order + room, (uint32_t)n, is_after, w->jobs);
    permute(w->jobs, order, n);
    pf_release(w->budget, order, 2 * room * sizeof *order);
    w->job_count = n;
    return PF_OK;
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

/* The bytes of a copy, which later generations note; 0: unknown. */
static double bytes_of(const tg_input *in, const tg_slice *s)
{
    const tg_notes *n = &in->notes;
    uint32_t note = pf_tg_find(n->event, n->count, s->event);
    return note != PF_NONE && n->bytes[note] > 0 ? (double)n->bytes[note] : 0;
}

static void add_to(tg_group *g, const tg_timeline *l, const tg_job *j)
{
    const tg_input *in = l->in;
    g->estimated &= j->slice->estimate != NULL;
    for (tg_amount i = TG_OPS; g->estimated && i < TG_AMOUNTS; i++) {
        g->amount[i] += pf_tg_amount(l, j->slice, i);
    }
    g->shortest = g->count == 0 || j->us < g->shortest ? j->us : g->shortest;
    g->longest = g->count == 0 || j->us > g->longest ? j->us : g->longest;
    g->total += j->us;
    g->bytes += j->kind == TG_COPY ? bytes_of(in, j->slice) : 0;
    g->count++;
    uint32_t row = pf_tg_find(in->executions.event, in->executions.count, j->slice->event);
    if (!g->operations.ptr && row != PF_NONE) {
        g->operations = pf_tg_string(in, in->runs.metadata[in->executions.run[row]]);
    }
}

static bool is_smaller(const void *ctx, uint32_t a, uint32_t b)
{
    const tg_group *groups = ctx;
    return groups[a].total < groups[b].total;
}

static pf_status sort_groups(pf_findings *f, tg_group *groups, size_t n, tg_work *w, pf_error *err)
{
    uint32_t *order = pf_findings_alloc(f, 2 * n * sizeof *order);
    w->groups = pf_findings_alloc(f, n * sizeof *w->groups);
    if (!order || !w->groups) {
        return pf_findings_status(f, err);
    }
    pf_order_rows(order, order + n, (uint32_t)n, is_smaller, groups);
    for (size_t i = 0; i < n; i++) {
        w->groups[i] = groups[order[i]];
    }
    w->group_count = n;
    return PF_OK;
}

static pf_status group_jobs(pf_findings *f, tg_work *w, pf_map *groups_of, tg_group *groups, pf_error *err)
{
    const tg_input *in = w->l->in;
    size_t n = 0;
    for (size_t i = 0; i < w->job_count; i++) {
        const tg_job *j = &w->jobs[i];
        uint32_t event = j->slice->event, device = in->events.device[event];
        uint64_t key = (uint64_t)device << 32 | in->events.name[event];
        uint32_t g = j->kind == TG_LAUNCH ? PF_NONE : pf_map_get(groups_of, key);
        if (j->kind != TG_LAUNCH && g == PF_NONE) {
            g = (uint32_t)n++;
            groups[g] = (tg_group){.kind = j->kind, .device = device, .estimated = true};
            groups[g].name = pf_tg_plain(f, pf_tg_slice_name(w->l, j->slice));
            if (!pf_map_set(groups_of, key, g)) {
                return pf_no_memory(err);
            }
        }
        if (g != PF_NONE) {
            add_to(&groups[g], w->l, j);
        }
    }
    return sort_groups(f, groups, n, w, err);
}

pf_status pf_tg_sum(const pf_pass_context *ctx, const tg_timeline *l, pf_findings *f, tg_work *out, pf_error *err)
{
    *out = (tg_work){.l = l, .budget = ctx->arena->budget};
    PF_TRY(list_jobs(ctx, out, err));
    tg_group *groups = pf_pass_alloc(ctx, out->job_count, sizeof *groups, err);
    if (!groups) {
        return err->code;
    }
    pf_map groups_of;
    pf_map_init(&groups_of, ctx->arena->budget);
    pf_status st = group_jobs(f, out, &groups_of, groups, err);
    pf_map_free(&groups_of);
    PF_TRY(st);
    return pf_tg_find_iterations(ctx, f, out, err);
}
