/* edit/cut/cut.c - pf_cut: one part of an input. */
#include <stdlib.h>

#include "base/files/outfile.h"
#include "base/sized.h"
#include "edit/cut/cut_run.h"
#include "postfetto/edit.h"

void pf_cut_options_init(pf_cut_options *o, size_t size)
{
    const pf_cut_options all = {.size = size};
    pf_sized_give(o, size, &all, sizeof all);
}

static bool is_relative(const pf_edit_time *t)
{
    return t->base == PF_EDIT_FROM_START || t->base == PF_EDIT_FROM_END;
}

static int64_t sum(int64_t a, int64_t b)
{
    int64_t s;
    return __builtin_add_overflow(a, b, &s) ? (b < 0 ? INT64_MIN : INT64_MAX) : s;
}

static int64_t settle(const pf_edit_time *t, int64_t first, int64_t last, int64_t fallback)
{
    switch (t->base) {
    case PF_EDIT_TRACE_TIME:
        return t->ns;
    case PF_EDIT_FROM_START:
        return sum(first, t->ns);
    case PF_EDIT_FROM_END:
        return sum(last, -t->ns);
    default:
        return fallback;
    }
}

static pf_status set_window(pf_cut_run *run, int64_t first, int64_t last, pf_error *err)
{
    const pf_cut_options *o = run->ctx;
    pf_cut_part *part = run->parts;
    part->from = settle(&o->from, first, last, INT64_MIN);
    part->to = settle(&o->to, first, last, INT64_MAX);
    return part->from < part->to
               ? PF_OK
               : pf_fail(err, PF_ERR_USAGE, "the window from %lld to %lld ns is empty; --to has to be after --from",
                         (long long)part->from, (long long)part->to);
}

static void give_result(const pf_cut_run *run, pf_cut_result *result, pf_trace *t)
{
    const pf_cut_part *part = run->parts;
    const pf_cut_result all = {.from = part->from,
                               .to = part->to,
                               .packets = run->packets,
                               .kept = part->kept,
                               .changed = part->changed,
                               .added = part->added,
                               .begun = part->begun,
                               .ended = part->ended,
                               .bytes_in = pf_trace_input(t, 0)->plain_bytes,
                               .bytes = part->bytes,
                               .input = t,
                               .redacted = run->redacted,
                               .timed = part->timed};
    size_t size = result->size ? result->size : sizeof all;
    pf_sized_give(result, size, &all, sizeof all);
    result->size = size;
}

pf_status pf_cut(const char *path, const char *out, const pf_cut_options *options, pf_cut_result *result, pf_error *err)
{
    pf_error local = {.code = PF_OK};
    pf_cut_options o = pf_cut_options_default();
    if (options) {
        pf_sized_take(&o, sizeof o, options, options->size, PF_SIZED_UPTO(pf_cut_options, redact));
    }
    err = err ? err : &local;
    bool relative = is_relative(&o.from) || is_relative(&o.to);
    pf_cut_part part = {.path = out};
    pf_trace *t = NULL;
    pf_cut_run *run = calloc(1, sizeof *run);
    if (!run) {
        return pf_no_memory(err);
    }
    run->in = path;
    run->read = o.read ? *o.read : pf_read_options_default();
    run->write = pf_write_options_of(o.write);
    run->redact = o.redact;
    run->plan = relative ? set_window : NULL;
    run->wants_times = relative;
    run->from_first = o.from.base != PF_EDIT_FROM_END && o.to.base != PF_EDIT_FROM_END;
    run->ctx = &o;
    run->select = &o;
    run->parts = &part;
    run->count = 1;
    run->dry = pf_outfile_is_stream(out);
    pf_status st = relative ? PF_OK : set_window(run, 0, 0, err);
    st = st == PF_OK ? pf_cut_run_parts(run, &t, err) : st;
    if (st == PF_OK && result) {
        give_result(run, result, t);
    } else {
        pf_trace_free(t);
    }
    free(run);
    return st;
}
