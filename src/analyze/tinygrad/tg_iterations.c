/* analyze/tinygrad/tg_iterations.c - iterations of a program that marks them: "train @ 0", "train @ 1", ... Each goes
 * from its marker to the next one with the same words before the number. A kernel belongs to the one in which it
 * begins; sums come from running totals over the kernels by time. */
#include <string.h>

#include "analyze/tinygrad/tg_work.h"
#include "base/arena.h"
#include "base/str.h"
#include "base/strings.h"
#include "model/trace/trace.h"

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

/* Totals of the first n jobs. */
typedef struct totals {
    uint64_t kernels, copies;
    double kernel_us, copy_us;
} totals;

static totals *add_up(const pf_pass_context *ctx, const tg_work *w, pf_error *err)
{
    totals *t = pf_pass_alloc(ctx, w->job_count + 1, sizeof *t, err);
    for (size_t i = 0; t && i < w->job_count; i++) {
        const tg_job *j = &w->jobs[i];
        t[i + 1] = t[i];
        t[i + 1].kernels += j->kind == TG_KERNEL;
        t[i + 1].copies += j->kind == TG_COPY;
        t[i + 1].kernel_us += j->kind == TG_KERNEL ? j->us : 0;
        t[i + 1].copy_us += j->kind == TG_COPY ? j->us : 0;
    }
    return t;
}

/* The first job that does not begin before `ts`. */
static size_t first_from(const tg_work *w, int64_t ts)
{
    size_t from = 0, to = w->job_count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (w->jobs[middle].ts < ts) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return from;
}

static void count_jobs(const tg_work *w, const totals *t, tg_iteration *it)
{
    const totals *a = &t[first_from(w, it->from)], *b = &t[first_from(w, it->to)];
    if (it->to > it->from) {
        it->kernels = b->kernels - a->kernels;
        it->copies = b->copies - a->copies;
        it->kernel_us = b->kernel_us - a->kernel_us;
        it->copy_us = b->copy_us - a->copy_us;
    }
}

/* ---- markers ----------------------------------------------------------------------------------------------------- */

/* A marker of an iteration. */
typedef struct mark {
    uint32_t stem; /* number of the stem, as they appear */
    pf_str words, name;
    int64_t ts;
} mark;

static bool is_after(const void *ctx, uint32_t a, uint32_t b)
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
            if (stem == PF_NONE) {
                return err->code;
            }
            marks[(*count)++] = (mark){stem, words, name, in->events.ts[m->event[i]]};
        }
    }
    return PF_OK;
}

static void make_iterations(tg_work *w, const mark *marks, const uint32_t *order, size_t n, const totals *t)
{
    for (size_t i = 0; i + 1 < n; i++) {
        const mark *a = &marks[order[i]], *b = &marks[order[i + 1]];
        if (a->stem == b->stem) {
            tg_iteration *it = &w->iterations[w->iteration_count++];
            *it = (tg_iteration){.stem = a->words, .label = a->name, .from = a->ts, .to = b->ts};
            count_jobs(w, t, it);
        }
    }
}

pf_status pf_tg_find_iterations(const pf_pass_context *ctx, pf_findings *f, tg_work *w, pf_error *err)
{
    size_t room = (size_t)w->l->in->markers.count + 1, n = 0;
    mark *marks = pf_pass_alloc(ctx, room, sizeof *marks, err);
    uint32_t *order = pf_pass_alloc(ctx, 2 * room, sizeof *order, err);
    totals *t = add_up(ctx, w, err);
    pf_strings stems;
    if (!marks || !order || !t || pf_strings_init(&stems, ctx->arena->budget, err) != PF_OK) {
        return err->code;
    }
    pf_status st = find_marks(w->l->in, &stems, marks, &n, err);
    pf_strings_free(&stems);
    PF_TRY(st);
    w->iterations = pf_findings_alloc(f, room * sizeof *w->iterations);
    if (!w->iterations) {
        return pf_findings_status(f, err);
    }
    pf_order_rows(order, order + room, (uint32_t)n, is_after, marks);
    make_iterations(w, marks, order, n, t);
    return PF_OK;
}
