/* edit/cut/cut_run.c - see cut_run.h.
 *
 * One pass is enough where the windows are given in times of the trace, all clocks are known when they are needed, no
 * end comes late, names come before what is selected by them, and there are few parts. Times from the start or the end
 * take a pass of their own, which only looks at times; a pass that finds out that it should have known more is run
 * again, knowing it, and its output is thrown away. What cannot be thrown away (a pipe) is written by the last pass
 * alone: passes before it go without an output.
 *
 * Times from the start alone, and parts of one length, need no such pass: the beginning of the input says what the
 * first time is, and about how many parts there are. They are written, and those that nothing lies in are thrown away.
 * Where an earlier time comes, or a later one than the last part's, the pass ends there, and one that looks at all
 * times begins.
 */
#include "edit/cut/cut_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/files/outfile.h"
#include "base/list.h"
#include "base/str.h"
#include "edit/cut/cut_source.h"
#include "edit/digest/row_digest.h"
#include "perfetto/fields.h"

#define PIECES_BYTES ((size_t)4 << 20) /* of all outputs that are open, each as often as it has pieces under way */

static pf_status open_output(const pf_cut_run *run, pf_cut_part *part, const pf_trace *t, pf_error *err)
{
    pf_str name = pf_str_of(part->path);
    name.len -= pf_str_ends(name, PF_STR(".gz")) ? 3 : 0;
    if (pf_str_ends(name, PF_STR(".json"))) {
        return pf_fail(
            err, PF_ERR_USAGE,
            "the part of a Perfetto trace is one, which '%.200s' is not called; end it in .pftrace, of which "
            "'postfetto convert' makes Chrome JSON",
            part->path);
    }
    PF_TRY(pf_sink_open(&part->sink, t, part->path, &run->write, err));
    part->open = true;
    size_t share = PIECES_BYTES / run->group;
    part->sink.enough = share < part->sink.enough ? share : part->sink.enough;
    if (run->write.gzip || pf_sink_wants_gzip(part->path)) {
        return pf_sink_begin_member(&part->sink);
    }
    if (run->write.compress_packets) {
        pf_sink_begin_bundles(&part->sink, 0);
    }
    return PF_OK;
}

/* Puts the outputs of the group in place if st is PF_OK, else throws them away. */
static pf_status close_outputs(pf_cut_run *run, pf_status st, pf_error *err)
{
    for (uint32_t i = 0; i < run->group; i++) {
        pf_cut_part *part = &run->parts[run->at + i];
        if (part->open) {
            part->open = false;
            st = pf_sink_close(&part->sink, st, err);
        }
    }
    return st;
}

static void drop_outputs(pf_cut_run *run)
{
    pf_error ignored;
    bool wrote = run->group > 0 && run->parts[run->at].open;
    (void)close_outputs(run, PF_ERR_CANCELLED, &ignored);
    if (wrote && run->write.written) {
        *run->write.written = run->written_before;
    }
    for (uint32_t i = 0; i < PF_CUT_OUTPUTS; i++) {
        pf_out_free(&run->windows[i].out);
        pf_tracks_said_free(&run->windows[i].said, &run->budget);
        PF_LIST_FREE(&run->budget, run->windows[i].marks, run->windows[i].mark_room);
        run->windows[i] = (pf_cut_window){0};
    }
}

static pf_status begin_pass(void *ctx, pf_trace *t, pf_error *err)
{
    pf_cut_run *run = ctx;
    if (run->plan && !run->wants_times && !run->planned) {
        run->planned = true;
        PF_TRY(run->plan(run, 0, 0, err));
    }
    uint32_t left = run->count - run->at, most = run->plan_processes ? 1 : PF_CUT_OUTPUTS;
    if (run->plan_processes && !run->bounds && left) {
        pf_cut_take_process(run);
    }
    run->source = 1;
    run->group = run->bounds ? 0 : left < most ? left : most;
    bool lists = run->cutter.pairing == PF_PAIRING_LISTS;
    run->cutter.windows = run->windows;
    run->cutter.window_count = lists ? 0 : run->group;
    run->redactor.result = run->redacted; /* forgets a pass that was thrown away */
    run->cutter.marks_later = true;
    run->written_before = run->write.written ? *run->write.written : 0;
    for (uint32_t i = 0; i < run->group; i++) {
        pf_cut_part *part = &run->parts[run->at + i];
        run->windows[i] = (pf_cut_window){.from = part->from, .to = part->to, .stage = part->from};
        if (!run->silent && !lists) {
            PF_TRY(open_output(run, part, t, err));
        }
        PF_TRY(pf_out_init(&run->windows[i].out, &run->budget, part->open ? &part->sink : NULL, err));
        run->windows[i].out.redact = run->redact ? &run->redactor : NULL;
        run->cutter.marks_later &= !run->redact && part->open && pf_sink_is_readable(&part->sink);
    }
    if (run->group) {
        run->cutter.flows.from = run->windows[0].from;
        run->cutter.flows.to = run->windows[run->group - 1].to;
    }
    return PF_OK;
}

static pf_status take_packet(void *ctx, const pf_raw_packet *p, pf_error *err)
{
    pf_cut_run *run = ctx;
    run->source += pf_packet_mix(p->timestamp, p->whole_len);
    run->is_part |=
        p->data == PF_F_PACKET_TRACE_ATTRIBUTES && memmem(p->bytes, p->len, PF_CUT_SOURCE, sizeof PF_CUT_SOURCE - 1);
    return pf_cutter_packet(&run->cutter, p, err);
}

static pf_status take_rows(void *ctx, pf_rows *rows, pf_rows_at *at, uint64_t number, uint32_t has, pf_error *err)
{
    pf_cut_run *run = ctx;
    uint32_t from = at->row;
    PF_TRY(pf_cutter_rows(&run->cutter, rows, at, number, has & PF_PACKET_STABLE, err));
    run->source += pf_cutter_rows_source(rows, from, at->row);
    return PF_OK;
}

/* Each part says which trace it is a part of, so that none is empty. */
static pf_status say_source(pf_cut_run *run, pf_error *err)
{
    enum { ATTRIBUTE = 1, KEY = 1, TEXT = 3 };
    char text[20];
    snprintf(text, sizeof text, "%016" PRIx64, run->source);
    for (uint32_t i = 0; i < run->group && !run->is_part; i++) {
        pf_out *o = &run->windows[i].out;
        pf_out_begin(o, NULL);
        pf_writer_begin(&o->writer, PF_F_PACKET_TRACE_ATTRIBUTES);
        pf_writer_begin(&o->writer, ATTRIBUTE);
        pf_writer_bytes(&o->writer, KEY, PF_CUT_SOURCE, sizeof PF_CUT_SOURCE - 1);
        pf_writer_bytes(&o->writer, TEXT, text, strlen(text));
        pf_writer_end(&o->writer);
        pf_writer_end(&o->writer);
        o->added++;
        PF_TRY(pf_out_end(o, err));
    }
    return PF_OK;
}

/* With `strict` damage is an error before an output is put in place. */
static pf_status judge(const pf_cut_run *run, const pf_trace *t, pf_error *err)
{
    for (size_t i = 0; run->read.strict && i < pf_trace_stat_count(t); i++) {
        pf_stat s = pf_trace_stat(t, i);
        if (s.count > 0 && s.loss) {
            return pf_fail_at(err, PF_ERR_DAMAGED, s.first_offset,
                              "%s: %llu (%s); without --strict this is only counted", s.name,
                              (unsigned long long)s.count, s.description);
        }
    }
    return PF_OK;
}

/* Of parts that were guessed, those after the last time. */
static void drop_empty_parts(pf_cut_run *run)
{
    pf_error ignored;
    bool guessed = run->guessed && run->every;
    for (; guessed && run->group > run->cutter.window_count; run->count--) {
        pf_cut_part *part = &run->parts[--run->group];
        part->open = false;
        (void)pf_sink_complete(&part->sink, &ignored);
        if (run->write.written) {
            *run->write.written -= part->sink.file.written;
        }
        (void)pf_sink_close(&part->sink, PF_ERR_CANCELLED, &ignored);
    }
    if (guessed) {
        run->parts[run->count - 1].to = run->cutter.last + 1;
    }
}

/* The outputs of the group are complete. */
static pf_status finish_group(pf_cut_run *run, pf_error *err)
{
    drop_empty_parts(run);
    for (uint32_t i = 0; i < run->group; i++) {
        pf_cut_window *w = &run->windows[i];
        pf_cut_part *part = &run->parts[run->at + i];
        PF_TRY(pf_cutter_write_marks(&run->cutter, w, err));
        part->kept = w->out.kept;
        part->changed = w->out.changed;
        part->added = w->out.added;
        bool misses = !run->cutter.any || part->from > run->cutter.last || part->to <= run->cutter.first;
        part->timed = misses ? 0 : w->out.kept - w->out.general + w->out.placed;
        part->begun = w->begun;
        part->ended = w->ended;
        part->bytes = w->out.bytes;
    }
    run->packets = run->cutter.packets;
    run->redacted = run->redactor.result;
    PF_TRY(close_outputs(run, PF_OK, err));
    run->at += run->group;
    run->group = 0;
    pf_cutter_next_windows(&run->cutter);
    return PF_OK;
}

/* A little more than what the times and bytes so far come to; false: that is more than a pass can write. */
static bool guess_last(pf_cut_run *run, double share)
{
    const double more = 1.25;
    const pf_cutter *c = &run->cutter;
    run->first = c->first;
    run->last = INT64_MAX;
    if (!run->every) {
        return run->guessed = c->any;
    }
    double parts = (double)((uint64_t)c->last - (uint64_t)c->first) / share * more / (double)run->every + 1;
    int64_t length;
    run->guessed = c->any && parts < PF_CUT_OUTPUTS && !__builtin_mul_overflow((int64_t)parts, run->every, &length) &&
                   !__builtin_add_overflow(c->first, length - 1, &run->last);
    return run->guessed;
}

/* The looking at times is over as soon as windows can be guessed, the writing when they were guessed wrong. */
static bool is_over(void *ctx, double share)
{
    pf_cut_run *run = ctx;
    const pf_cutter *c = &run->cutter;
    if (run->guessed) {
        return c->any && (c->first < run->first || c->last > run->last);
    }
    return run->bounds && run->from_first && !c->selection.durations && guess_last(run, share);
}

/* Parts of one length that were guessed are those that have something in them; *right: they are the right ones. */
static void count_parts(pf_cut_run *run, bool *right)
{
    pf_cutter *c = &run->cutter;
    *right = c->any && c->first == run->first && c->last <= run->last;
    while (*right && run->every && c->windows[c->window_count - 1].from > c->last) {
        c->window_count--;
    }
}

static pf_status begin_cutter(pf_cut_run *run, pf_error *err)
{
    PF_TRY(pf_cutter_init(&run->cutter, &run->budget, err));
    run->cutter.jobs = run->read.jobs ? run->read.jobs : 2;
    return run->select           ? pf_cutter_select(&run->cutter, run->select, err)
           : run->plan_processes ? pf_cut_select_processes(run, err)
                                 : PF_OK;
}

/* A pass that guesses is over, or it is known that one guessed wrong. */
static pf_status begin_anew(pf_cut_run *run, pf_error *err)
{
    drop_outputs(run);
    PF_TRY(run->bounds ? run->plan(run, run->first, run->last, err) : PF_OK);
    run->from_first = run->guessed = run->bounds;
    run->bounds = !run->bounds;
    pf_cutter_free(&run->cutter);
    return begin_cutter(run, err);
}

static pf_status end_pass(void *ctx, pf_trace *t, bool *again, pf_error *err)
{
    pf_cut_run *run = ctx;
    bool right = run->cutter.pairing == PF_PAIRING_LISTS;
    if (right) {
        run->cutter.window_count = run->group;
    } else if (run->guessed && !run->bounds) {
        count_parts(run, &right);
    }
    if (run->guessed && !right) {
        *again = true;
        return begin_anew(run, err);
    }
    if (run->bounds) {
        PF_TRY(run->plan_processes ? pf_cut_plan_processes(run, err) : PF_OK);
        PF_TRY(run->plan ? run->plan(run, run->cutter.first, run->cutter.last, err) : PF_OK);
    } else {
        PF_TRY(pf_cutter_end(&run->cutter, err));
        PF_TRY(say_source(run, err));
    }
    bool wants = pf_cutter_wants_again(&run->cutter);
    if (!run->bounds && !wants && !run->silent) {
        PF_TRY(judge(run, t, err));
        PF_TRY(finish_group(run, err));
    }
    *again = run->at < run->count;
    drop_outputs(run);
    run->silent = run->silent && (run->bounds || wants);
    run->bounds = false;
    return *again ? pf_cutter_again(&run->cutter, err) : PF_OK;
}

static void take_results(pf_cut_part *part, const pf_json_part *from)
{
    part->kept = from->kept;
    part->changed = from->changed;
    part->added = from->added;
    part->timed = from->kept + from->added;
    part->begun = from->begun;
    part->ended = from->ended;
    part->bytes = from->bytes;
}

static pf_status write_document(pf_cut_run *run, const pf_json_source *from, pf_json_window *windows,
                                pf_json_part *parts, pf_trace **t, pf_error *err)
{
    for (uint32_t i = 0; i < run->count; i++) {
        windows[i] = (pf_json_window){run->parts[i].from, run->parts[i].to};
        parts[i] = (pf_json_part){.path = run->parts[i].path, .window = i, .process = PF_NONE};
        parts[i].redact = run->redact ? &run->redactor : NULL;
    }
    pf_json_job job = {.select = run->cutter.selection.active ? run->select : NULL,
                       .write = &run->write,
                       .windows = windows,
                       .window_count = run->count,
                       .parts = parts,
                       .part_count = run->count};
    bool packets = run->count == 1 && pf_json_wants_packets(parts->path);
    PF_TRY(packets ? pf_json_cut_to_packets(&job, from, t, err) : pf_json_cut(&job, from, t, err));
    run->packets = job.events;
    run->redacted = run->redactor.result;
    for (uint32_t i = 0; i < run->count; i++) {
        take_results(&run->parts[i], &parts[i]);
    }
    return PF_OK;
}

/* The parts of the run become those of the job. */
static pf_status take_processes(pf_json_job *job, const pf_json_found *found, uint32_t count, pf_error *err)
{
    pf_cut_run *run = job->ctx;
    PF_TRY(run->plan_processes(run, found, count, err));
    PF_TRY(PF_LIST_NEW(&run->budget, job->parts, count, err));
    job->part_count = count;
    for (uint32_t i = 0; i < count; i++) {
        job->parts[i] = (pf_json_part){.path = run->parts[i].path, .process = (uint32_t)found[i].number};
        job->parts[i].redact = run->redact ? &run->redactor : NULL;
    }
    return PF_OK;
}

static pf_status cut_processes(pf_cut_run *run, const pf_json_source *from, pf_trace **t, pf_error *err)
{
    const pf_json_window all = {INT64_MIN, INT64_MAX};
    pf_json_job job = {.write = &run->write, .windows = &all, .window_count = 1, .plan = take_processes, .ctx = run};
    pf_status st = pf_json_cut(&job, from, t, err);
    run->packets = job.events;
    run->redacted = run->redactor.result;
    for (uint32_t i = 0; i < job.part_count; i++) {
        take_results(&run->parts[i], &job.parts[i]);
    }
    PF_LIST_FREE(&run->budget, job.parts, job.part_count);
    return st;
}

/* The parts of a document; *t: its trace, unless the document is being read by the caller. */
static pf_status cut_document(pf_cut_run *run, const pf_json_source *from, pf_trace **t, pf_error *err)
{
    int64_t first = 0, last = 0;
    pf_json_window *windows = NULL;
    pf_json_part *parts = NULL;
    run->json = true;
    if (run->plan_processes) {
        return cut_processes(run, from, t, err);
    }
    PF_TRY(run->wants_times ? pf_json_bounds(from, &first, &last, err) : PF_OK);
    PF_TRY(run->plan ? run->plan(run, first, last, err) : PF_OK);
    uint32_t count = run->count;
    pf_status st = PF_LIST_NEW(&run->budget, windows, count, err);
    st = st == PF_OK ? PF_LIST_NEW(&run->budget, parts, count, err) : st;
    st = st == PF_OK ? write_document(run, from, windows, parts, t, err) : st;
    PF_LIST_FREE(&run->budget, windows, windows ? count : 0);
    PF_LIST_FREE(&run->budget, parts, parts ? count : 0);
    return st;
}

static pf_status take_document(void *ctx, const pf_json_source *from, pf_error *err)
{
    pf_trace *of_reading;
    return cut_document(ctx, from, &of_reading, err);
}

static pf_status walk(pf_cut_run *run, pf_trace **t, pf_error *err)
{
    const pf_packet_handler handler = {.begin = begin_pass,
                                       .packet = take_packet,
                                       .rows = take_rows,
                                       .digest = pf_cutter_digest,
                                       .over = is_over,
                                       .end = end_pass,
                                       .ctx = run};
    pf_json_notice json = {.take = take_document, .ctx = run, .stream = pf_outfile_is_stream(run->in)};
    pf_json_notice_init(&json);
    run->silent = run->dry;
    PF_TRY(begin_cutter(run, err));
    run->bounds = (run->plan && run->wants_times) || run->plan_processes || run->cutter.selection.durations;
    PF_TRY(pf_packets_walk(run->in, &run->read, &handler, &json.reader, t, err));
    if (json.seen && !json.stream) {
        pf_trace_free(*t);
        *t = NULL;
        return cut_document(run, &(pf_json_source){.path = run->in, .read = &run->read}, t, err);
    }
    return PF_OK;
}

pf_status pf_cut_run_parts(pf_cut_run *run, pf_trace **t, pf_error *err)
{
    *t = NULL;
    pf_budget_init(&run->budget, &run->read.limits);
    pf_status st = run->redact ? pf_redactor_init(&run->redactor, run->redact, &run->budget, err) : PF_OK;
    st = st == PF_OK ? walk(run, t, err) : st;
    drop_outputs(run);
    if (run->redact) {
        pf_redactor_free(&run->redactor);
    }
    pf_cutter_free(&run->cutter);
    pf_budget_end(&run->budget);
    return st;
}
