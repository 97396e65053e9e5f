/* edit/cut/cut.c - pf_cut: the passes over an input.
 *
 * One pass is enough where the window is given in times of the trace, all clocks are known when they are needed and no
 * end comes late. Times from the start or the end take a pass of their own, which only looks at times; a pass that
 * finds out that it should have known more is run again, knowing it, and its output is thrown away. What cannot be
 * thrown away (a pipe) is written by the last pass alone: passes before it go without an output.
 */
#include <stdio.h>
#include <string.h>

#include "base/files/outfile.h"
#include "base/sized.h"
#include "edit/cut/cutter.h"
#include "edit/json/json_cut.h"
#include "postfetto/edit.h"

typedef struct cut {
    const char *path;
    const pf_cut_options *o;
    pf_read_options read;
    pf_write_options write;
    pf_budget budget;
    pf_cutter cutter;
    pf_cut_window window;
    pf_sink sink;
    bool bounds;       /* the pass only looks at times */
    bool dry;          /* it writes nothing */
    bool open;         /* the sink is */
    pf_json_part json; /* what a cut of Chrome JSON wrote, */
    uint64_t events;   /* of so many events */
} cut;

void pf_cut_options_init(pf_cut_options *o, size_t size)
{
    const pf_cut_options all = {.size = size};
    pf_sized_give(o, size, &all, sizeof all);
}

/* ---- the window -------------------------------------------------------------------------------------------------- */

static bool is_relative(const pf_edit_time *t)
{
    return t->base == PF_EDIT_FROM_START || t->base == PF_EDIT_FROM_END;
}

static int64_t sum(int64_t a, int64_t b)
{
    int64_t s;
    return __builtin_add_overflow(a, b, &s) ? (b < 0 ? INT64_MIN : INT64_MAX) : s;
}

static int64_t settle(const cut *c, const pf_edit_time *t, int64_t fallback)
{
    switch (t->base) {
    case PF_EDIT_TRACE_TIME:
        return t->ns;
    case PF_EDIT_FROM_START:
        return sum(c->cutter.first, t->ns);
    case PF_EDIT_FROM_END:
        return sum(c->cutter.last, -t->ns);
    default:
        return fallback;
    }
}

static pf_status set_window(cut *c, pf_error *err)
{
    c->window.from = settle(c, &c->o->from, INT64_MIN);
    c->window.to = settle(c, &c->o->to, INT64_MAX);
    return c->window.from < c->window.to
               ? PF_OK
               : pf_fail(err, PF_ERR_USAGE, "the window from %lld to %lld ns is empty; --to has to be after --from",
                         (long long)c->window.from, (long long)c->window.to);
}

/* ---- passes ------------------------------------------------------------------------------------------------------ */

static pf_status open_output(cut *c, const pf_trace *t, pf_error *err)
{
    PF_TRY(pf_sink_open(&c->sink, t, c->path, &c->write, err));
    c->open = true;
    if (c->write.gzip || pf_sink_wants_gzip(c->path)) {
        return pf_sink_begin_member(&c->sink);
    }
    if (c->write.compress_packets) {
        pf_sink_begin_bundles(&c->sink, 0);
    }
    return PF_OK;
}

/* Throws away what a pass wrote. */
static void drop_output(cut *c)
{
    pf_error ignored;
    if (c->open) {
        (void)pf_sink_close(&c->sink, PF_ERR_CANCELLED, &ignored);
    }
    c->open = false;
}

static void free_window(cut *c)
{
    pf_out_free(&c->window.out);
    pf_tracks_said_free(&c->window.said, &c->budget);
    const int64_t from = c->window.from, to = c->window.to;
    c->window = (pf_cut_window){.from = from, .to = to};
}

static pf_status begin_pass(void *ctx, pf_trace *t, pf_error *err)
{
    cut *c = ctx;
    c->cutter.windows = &c->window;
    c->cutter.window_count = !c->bounds;
    if (c->bounds) {
        return PF_OK;
    }
    if (!c->dry) {
        PF_TRY(open_output(c, t, err));
    }
    return pf_out_init(&c->window.out, &c->budget, c->dry ? NULL : &c->sink, err);
}

static pf_status take_packet(void *ctx, const pf_raw_packet *p, pf_error *err)
{
    cut *c = ctx;
    return pf_cutter_packet(&c->cutter, p, err);
}

/* A trace has a packet at least. */
static pf_status write_nothing(pf_out *o, pf_error *err)
{
    const pf_in_sequence own = {.id = PF_EDIT_SEQUENCE};
    pf_out_begin(o, &own);
    pf_writer_varint(&o->writer, PF_F_PACKET_SEQUENCE_FLAGS, PF_SEQ_STATE_CLEARED);
    return pf_out_end(o, err);
}

static pf_status end_pass(void *ctx, pf_trace *t, bool *again, pf_error *err)
{
    cut *c = ctx;
    (void)t;
    if (c->bounds) {
        PF_TRY(set_window(c, err));
    } else {
        PF_TRY(pf_cutter_end(&c->cutter, err));
        PF_TRY(c->window.out.bytes ? PF_OK : write_nothing(&c->window.out, err));
    }
    bool wants = pf_cutter_wants_again(&c->cutter);
    *again = c->bounds || wants || c->dry;
    if (*again) {
        drop_output(c);
        free_window(c);
        c->dry = c->dry && (c->bounds || wants);
        c->bounds = false;
        return pf_cutter_again(&c->cutter, err);
    }
    return PF_OK;
}

/* ---- Chrome JSON ------------------------------------------------------------------------------------------------- */

/* The cut of a document; *t: its trace, unless the document is being read by the caller. */
static pf_status cut_document(cut *c, const pf_json_source *from, pf_trace **t, pf_error *err)
{
    if (c->bounds) {
        PF_TRY(pf_json_bounds(from, &c->cutter.first, &c->cutter.last, err));
        PF_TRY(set_window(c, err));
    }
    const pf_json_window window = {c->window.from, c->window.to};
    c->json = (pf_json_part){.path = c->path, .process = PF_NONE};
    pf_json_job job = {.write = &c->write, .windows = &window, .window_count = 1, .parts = &c->json, .part_count = 1};
    pf_status st =
        pf_json_wants_packets(c->path) ? pf_json_cut_to_packets(&job, from, t, err) : pf_json_cut(&job, from, t, err);
    c->events = job.events;
    return st;
}

static pf_status take_document(void *ctx, const pf_json_source *from, pf_error *err)
{
    pf_trace *of_reading;
    return cut_document(ctx, from, &of_reading, err);
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static void give_result(const cut *c, pf_cut_result *result, pf_trace *t)
{
    const pf_out *o = &c->window.out;
    const pf_json_part *json = &c->json;
    pf_cut_result all = {.from = c->window.from,
                         .to = c->window.to,
                         .packets = c->cutter.packets,
                         .kept = o->kept,
                         .changed = o->changed,
                         .added = o->added,
                         .begun = c->window.begun,
                         .ended = c->window.ended,
                         .bytes_in = pf_trace_input(t, 0)->plain_bytes,
                         .bytes = o->bytes,
                         .input = t};
    if (json->path) {
        all.packets = c->events;
        all.kept = json->kept;
        all.changed = json->changed;
        all.added = json->added;
        all.begun = json->begun;
        all.ended = json->ended;
        all.bytes = json->bytes;
    }
    size_t size = result->size ? result->size : sizeof all;
    pf_sized_give(result, size, &all, sizeof all);
    result->size = size;
}

static pf_status run(cut *c, const char *path, pf_cut_result *result, pf_error *err)
{
    const pf_packet_handler handler = {begin_pass, take_packet, end_pass, c};
    pf_json_notice json = {.take = take_document, .ctx = c, .stream = pf_outfile_is_stream(path)};
    pf_trace *t = NULL;
    pf_json_notice_init(&json);
    pf_status st = pf_packets_walk(path, &c->read, &handler, &json.reader, &t, err);
    if (st == PF_OK && json.seen && !json.stream) {
        pf_trace_free(t);
        st = cut_document(c, &(pf_json_source){.path = path, .read = &c->read}, &t, err);
    }
    if (c->open) {
        c->open = false;
        st = pf_sink_close(&c->sink, st, err);
    }
    if (st == PF_OK && result) {
        give_result(c, result, t);
    } else {
        pf_trace_free(t);
    }
    return st;
}

pf_status pf_cut(const char *path, const char *out, const pf_cut_options *options, pf_cut_result *result, pf_error *err)
{
    pf_error local = {.code = PF_OK};
    pf_cut_options o = pf_cut_options_default();
    if (options) {
        pf_sized_take(&o, sizeof o, options, options->size, PF_SIZED_UPTO(pf_cut_options, write));
    }
    err = err ? err : &local;
    cut c = {.path = out,
             .o = &o,
             .read = o.read ? *o.read : pf_read_options_default(),
             .write = pf_write_options_of(o.write),
             .bounds = is_relative(&o.from) || is_relative(&o.to),
             .dry = pf_outfile_is_stream(out)};
    pf_budget_init(&c.budget, &c.read.limits);
    pf_status st = pf_cutter_init(&c.cutter, &c.budget, err);
    st = st == PF_OK && !c.bounds ? set_window(&c, err) : st;
    st = st == PF_OK ? run(&c, path, result, err) : st;
    drop_output(&c);
    free_window(&c);
    pf_cutter_free(&c.cutter);
    pf_budget_end(&c.budget);
    return st;
}
