/* analyze/tinygrad/tg_work.c - kernels, copies and launches of all devices in one list by time, sums by name, and
 * iterations of a program that marks them: "train @ 0", "train @ 1", ... Each goes from its marker to the next one with
 * the same words before the number. A kernel belongs to the one in which it begins; sums come from running totals.
 *
 * What the host does itself (USER, TINY, GC) is no work of a device. A copy is what the profile calls so, or whatever
 * an engine for copies executes. */
#include "analyze/tinygrad/tg_work.h"

#include "base/ordering.h"
#include "base/str.h"
#include "model/trace/trace.h"

static tg_work_kind kind_of(const tg_input *in, uint32_t event)
{
    if (in->events.kind[event] == in->kinds.batch) {
        return TG_LAUNCH;
    }
    pf_str device = pf_tg_string(in, in->events.device[event]);
    bool engine = pf_str_find(device, PF_STR(":SDMA")) != SIZE_MAX || pf_str_find(device, PF_STR(":COPY")) != SIZE_MAX;
    return in->events.copy[event] == 1 || engine ? TG_COPY : TG_KERNEL;
}

typedef struct slice_list {
    const tg_slice **slice;
    size_t count;
    const int64_t *ts; /* by event */
} slice_list;

static bool is_after(const void *ctx, uint32_t a, uint32_t b)
{
    const slice_list *l = ctx;
    return l->ts[l->slice[a]->event] > l->ts[l->slice[b]->event];
}

/* What devices execute: `list` is NULL where it is only to be counted. */
static void collect(const tg_timeline *l, slice_list *list)
{
    for (uint32_t i = 0; i < l->track_count; i++) {
        const tg_track *t = &l->tracks[i];
        bool host = pf_tg_is(l->in, t->device, "USER") || pf_tg_is(l->in, t->device, "TINY") ||
                    pf_tg_is(l->in, t->device, "GC");
        bool work = t->kind == TG_SLICES && !host;
        for (uint32_t k = 0; work && list->slice && k < t->count; k++) {
            list->slice[list->count + k] = &t->slices[k];
        }
        list->count += work ? t->count : 0;
    }
}

/* The jobs of all devices by time. */
static pf_status list_jobs(const pf_pass_context *ctx, pf_arena *scratch, tg_work *w, pf_error *err)
{
    slice_list l = {.ts = w->l->in->events.ts};
    uint32_t *order;
    collect(w->l, &l);
    w->job_count = l.count;
    l.count = 0;
    w->jobs = pf_pass_alloc(ctx, w->job_count + 1, sizeof *w->jobs, err);
    PF_TRY(w->jobs ? PF_OK : err->code);
    PF_TRY(PF_ARENA_NEW(scratch, l.slice, w->job_count, err));
    PF_TRY(PF_ARENA_NEW(scratch, order, 2 * w->job_count, err));
    collect(w->l, &l);
    pf_order_rows(order, order + l.count, (uint32_t)l.count, is_after, &l);
    for (size_t i = 0; i < l.count; i++) {
        const tg_slice *s = l.slice[order[i]];
        w->jobs[i] = (tg_job){kind_of(w->l->in, s->event), s};
    }
    return PF_OK;
}

static void add_to(tg_group *g, const tg_timeline *l, const tg_job *j)
{
    const tg_input *in = l->in;
    double us = in->events.dur[j->slice->event];
    g->estimated &= j->slice->estimate != NULL;
    for (tg_amount i = TG_OPS; g->estimated && i < TG_AMOUNTS; i++) {
        g->amount[i] += pf_tg_amount(l, j->slice, i);
    }
    g->shortest = g->count == 0 || us < g->shortest ? us : g->shortest;
    g->longest = g->count == 0 || us > g->longest ? us : g->longest;
    g->total += us;
    uint32_t note = j->kind == TG_COPY ? pf_tg_find(in->notes.event, in->notes.count, j->slice->event) : PF_NONE;
    g->bytes += note != PF_NONE && in->notes.bytes[note] > 0 ? (double)in->notes.bytes[note] : 0;
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
    PF_TRY(!order || !w->groups ? pf_findings_status(f, err) : PF_OK);
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
            PF_TRY(pf_map_put(groups_of, key, g, err));
        }
        if (g != PF_NONE) {
            add_to(&groups[g], w->l, j);
        }
    }
    return sort_groups(f, groups, n, w, err);
}

/* The words before " @ NUMBER"; len 0 if the name is not of that form. */
static pf_str stem_of(pf_str name)
{
    size_t at = name.len;
    while (at > 0 && pf_is_digit(name.ptr[at - 1])) {
        at--;
    }
    bool marked = at < name.len && at > 3 && memcmp(name.ptr + at - 3, " @ ", 3) == 0;
    return (pf_str){name.ptr, marked ? at - 3 : 0};
}

/* Sums of the first n jobs, by n. */
static tg_sum *add_up(const pf_pass_context *ctx, const tg_work *w, pf_error *err)
{
    tg_sum *t = pf_pass_alloc(ctx, w->job_count + 1, sizeof *t, err);
    for (size_t i = 0; t && i < w->job_count; i++) {
        const tg_job *j = &w->jobs[i];
        bool kernel = j->kind == TG_KERNEL, copy = j->kind == TG_COPY;
        double us = w->l->in->events.dur[j->slice->event];
        t[i + 1] = (tg_sum){t[i].kernels + kernel, t[i].copies + copy, t[i].kernel_us + (kernel ? us : 0),
                            t[i].copy_us + (copy ? us : 0)};
    }
    return t;
}

/* The first job that does not begin before `ts`. */
static size_t first_from(const tg_work *w, int64_t ts)
{
    size_t from = 0;
    PF_BISECT(from, w->job_count, w->l->in->events.ts[w->jobs[middle].slice->event] < ts);
    return from;
}

/* A marker of an iteration. */
typedef struct mark {
    uint32_t stem; /* number of the stem, as they appear */
    pf_str words, name;
    int64_t ts;
} mark;

static bool is_mark_after(const void *ctx, uint32_t a, uint32_t b)
{
    const mark *m = ctx;
    return m[a].stem != m[b].stem ? m[a].stem > m[b].stem : m[a].ts > m[b].ts;
}

/* Markers with a stem; stems are numbered by the hash table of their words. */
static pf_status find_marks(const tg_input *in, pf_strings *stems, mark *marks, size_t *count, pf_error *err)
{
    const tg_markers *m = &in->markers;
    for (uint32_t i = 0; i < m->count; i++) {
        pf_str name = pf_tg_string(in, m->name[i]), words = name.ptr ? stem_of(name) : name;
        if (words.len) {
            uint32_t stem = pf_strings_add(stems, words.ptr, words.len, err);
            PF_TRY(stem == PF_NONE ? err->code : PF_OK);
            marks[(*count)++] = (mark){stem, words, name, in->events.ts[m->event[i]]};
        }
    }
    return PF_OK;
}

static void make_iterations(tg_work *w, const mark *marks, const uint32_t *order, size_t n, const tg_sum *t)
{
    for (size_t i = 0; i + 1 < n; i++) {
        const mark *a = &marks[order[i]], *b = &marks[order[i + 1]];
        if (a->stem == b->stem) {
            tg_iteration *it = &w->iterations[w->iteration_count++];
            const tg_sum *from = &t[first_from(w, a->ts)], *to = &t[b->ts > a->ts ? first_from(w, b->ts) : 0];
            *it = (tg_iteration){.stem = a->words, .label = a->name, .from = a->ts, .to = b->ts};
            if (b->ts > a->ts) {
                it->sum = (tg_sum){to->kernels - from->kernels, to->copies - from->copies,
                                   to->kernel_us - from->kernel_us, to->copy_us - from->copy_us};
            }
        }
    }
}

static pf_status find_iterations(const pf_pass_context *ctx, pf_findings *f, tg_work *w, pf_error *err)
{
    size_t room = (size_t)w->l->in->markers.count + 1, n = 0;
    mark *marks = pf_pass_alloc(ctx, room, sizeof *marks, err);
    uint32_t *order = pf_pass_alloc(ctx, 2 * room, sizeof *order, err);
    tg_sum *t = add_up(ctx, w, err);
    pf_strings stems;
    if (!marks || !order || !t || pf_strings_init(&stems, ctx->arena->budget, err) != PF_OK) {
        return err->code;
    }
    pf_status st = find_marks(w->l->in, &stems, marks, &n, err);
    pf_strings_free(&stems);
    PF_TRY(st);
    w->iterations = pf_findings_alloc(f, room * sizeof *w->iterations);
    PF_TRY(w->iterations ? PF_OK : pf_findings_status(f, err));
    pf_order_rows(order, order + room, (uint32_t)n, is_mark_after, marks);
    make_iterations(w, marks, order, n, t);
    return PF_OK;
}

pf_status pf_tg_sum(const pf_pass_context *ctx, const tg_timeline *l, pf_findings *f, tg_work *out, pf_error *err)
{
    *out = (tg_work){.l = l, .budget = ctx->arena->budget};
    pf_arena scratch;
    pf_arena_init(&scratch, out->budget);
    pf_status st = list_jobs(ctx, &scratch, out, err);
    pf_arena_free(&scratch);
    PF_TRY(st);
    tg_group *groups = pf_pass_alloc(ctx, out->job_count, sizeof *groups, err);
    PF_TRY(groups ? PF_OK : err->code);
    pf_map groups_of;
    pf_map_init(&groups_of, ctx->arena->budget);
    st = group_jobs(f, out, &groups_of, groups, err);
    pf_map_free(&groups_of);
    PF_TRY(st);
    return find_iterations(ctx, f, out, err);
}
