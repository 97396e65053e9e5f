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

/* Sums of the first n jobs, by n. */
static tg_sum *add_up(const pf_pass_context *ctx, const tg_work *w, pf_error *err)
{
    tg_sum *t = pf_pass_alloc(ctx, w->job_count + 1, sizeof *t, err);
    for (size_t i = 0; t && i < w->job_count; i++) {
        const tg_job *j = &w->jobs[i];
        bool kernel = j->kind == TG_KERNEL, copy = j->kind == TG_COPY;
        t[i + 1] = (tg_sum){t[i].kernels + kernel, t[i].copies + copy, t[i].kernel_us + (kernel ? j->us : 0),
                            t[i].copy_us + (copy ? j->us : 0)};
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

pf_status pf_tg_find_iterations(const pf_pass_context *ctx, pf_findings *f, tg_work *w, pf_error *err)
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
    if (!w->iterations) {
        return pf_findings_status(f, err);
    }
    pf_order_rows(order, order + room, (uint32_t)n, is_after, marks);
    make_iterations(w, marks, order, n, t);
    return PF_OK;
}
