/* edit/json/json_copy.c - see json_copy.h.
 *
 * An output is the document again: the members before the events, the list of events, the members after it.
 */
#include "edit/json/json_copy.h"

#include <stdlib.h>

#include "base/str.h"
#include "output/sink.h"

typedef struct output {
    pf_json_part *part;
    const pf_json_window *window;
    pf_sink sink;
    bool open;
    bool object; /* a document with members, else a list */
    bool events; /* one was written */
} output;

typedef struct copy {
    pf_json_survey *s;
    const pf_json_document *d;
    pf_write_options options;
    output *outputs;
    uint32_t count;
    bool begun;      /* the outputs are open */
    bool in_events;  /* the list of events has begun */
    uint64_t linked; /* begins, ends and ends of arrows so far */
    uint64_t completes;
    pf_buffer after; /* members that follow the events */
    pf_buffer scratch;
} copy;

static void put(output *o, const void *bytes, size_t len)
{
    o->part->bytes += len;
    pf_sink_put(&o->sink, bytes, len);
}

static void put_text(output *o, const char *text)
{
    put(o, text, strlen(text));
}

static pf_status put_event(output *o, const void *bytes, size_t len, pf_error *err)
{
    pf_str event = {bytes, len};
    if (o->part->redact) {
        PF_TRY(pf_redact_json(o->part->redact, PF_REDACT_EVENT, PF_STR(""), event, &event, err));
    }
    if (event.ptr) {
        put_text(o, o->events ? ",\n" : "[\n");
        put(o, event.ptr, event.len);
        o->events = true;
    }
    return PF_OK;
}

static void put_all(copy *c, const char *text)
{
    for (uint32_t i = 0; i < c->count; i++) {
        put_text(&c->outputs[i], text);
    }
}

static pf_status begin(copy *c, pf_error *err)
{
    c->begun = true;
    for (uint32_t i = 0; i < c->count; i++) {
        output *o = &c->outputs[i];
        PF_TRY(pf_sink_open(&o->sink, c->d->trace, o->part->path, &c->options, err));
        o->open = true;
        if (pf_sink_wants_gzip(o->part->path)) {
            pf_sink_begin_member(&o->sink);
        }
        o->object = c->d->object;
        put_text(o, o->object ? "{" : "");
    }
    return PF_OK;
}

static bool belongs(const copy *c, const output *o, uint32_t thread)
{
    return o->part->process == PF_NONE || c->s->who.thread[thread].process == o->part->process;
}

/* What was open before, or is still open: the survey's, for the head or the tail of an output. */
static pf_status put_added(const copy *c, output *o, bool tail, pf_error *err)
{
    for (uint32_t i = 0; i < c->s->added_count; i++) {
        const pf_json_added *a = &c->s->added[i];
        if (a->window != o->part->window || a->tail != tail || !belongs(c, o, a->thread)) {
            continue;
        }
        PF_TRY(put_event(o, a->text.ptr, a->text.len, err));
        o->part->added++;
        o->part->begun += a->begins;
        o->part->ended += a->ends;
    }
    return PF_OK;
}

static pf_status begin_events(copy *c, pf_error *err)
{
    PF_TRY(c->begun ? PF_OK : begin(c, err));
    c->in_events = true;
    if (c->d->object) {
        put_all(c, "\"traceEvents\": ");
    }
    for (uint32_t i = 0; i < c->count; i++) {
        PF_TRY(put_added(c, &c->outputs[i], false, err));
    }
    return PF_OK;
}

static pf_status see_entry(void *ctx, pf_str key, pf_str value, pf_error *err)
{
    copy *c = ctx;
    PF_TRY(c->begun ? PF_OK : begin(c, err));
    PF_TRY(c->in_events || !c->d->events ? PF_OK : begin_events(c, err));
    if (c->outputs->part->redact) {
        PF_TRY(pf_redact_json(c->outputs->part->redact, PF_REDACT_MEMBER, key, value, &value, err));
    }
    if (!value.ptr) {
        return PF_OK;
    }
    pf_buffer text = {0}, *to = c->in_events ? &c->after : &text;
    pf_buffer_text(to, c->in_events ? ",\n\"" : "\"");
    pf_buffer_put(to, key.ptr, key.len);
    pf_buffer_text(to, "\": ");
    pf_buffer_put(to, value.ptr, value.len);
    pf_buffer_text(to, c->in_events ? "" : ",\n");
    for (uint32_t i = 0; i < c->count && text.len; i++) {
        put(&c->outputs[i], text.data, text.len);
    }
    bool refused = to->failed || c->after.len > c->s->budget->limits.memory;
    pf_buffer_free(&text);
    return refused ? pf_budget_refused(c->s->budget, value.len, err) : PF_OK;
}

static pf_status end_events(copy *c, pf_error *err)
{
    PF_TRY(c->in_events ? PF_OK : begin_events(c, err));
    for (uint32_t i = 0; i < c->count; i++) {
        output *o = &c->outputs[i];
        PF_TRY(put_added(c, o, true, err));
        if (!o->object && !o->events) {
            put_text(o, "{\"traceEvents\": []}\n"); /* nobody takes an empty list for a trace */
        } else {
            put_text(o, o->events ? "\n]" : "[]");
            put(o, c->after.data, c->after.len);
            put_text(o, o->object ? "}\n" : "\n");
        }
        if (pf_sink_wants_gzip(o->part->path)) {
            pf_sink_end_member(&o->sink);
        }
    }
    return PF_OK;
}

/* An event that was read, and what is known of it. */
typedef struct event {
    const pf_json_seen *seen;
    pf_json_action action;
    uint32_t thread;
    int64_t start; /* of what it builds on */
    int64_t end;   /* of a complete one */
    const pf_json_early *early;
    bool dropped, marked, starts; /* the survey's bits */
    pf_bytes bytes;               /* len 0: not looked for yet */
} event;

static bool is_inside(const pf_json_window *w, int64_t ts)
{
    return ts >= w->from && ts < w->to;
}

/* Metadata stay with their thread, or with their process. */
static bool describes_remaining(const copy *c, const event *e, uint32_t window)
{
    pf_str name = pf_json_name_of(e->seen->piece, e->seen->r);
    uint32_t process = c->s->who.thread[e->thread].process;
    return pf_json_is_used(c->s, window,
                           pf_str_starts(name, PF_STR("thread_")) ? e->thread : PF_JSON_ANY_THREAD + process);
}

static bool is_wanted(const copy *c, const output *o, const event *e)
{
    const pf_json_record *r = e->seen->r;
    const pf_json_window *w = o->window;
    if (e->dropped || !belongs(c, o, e->thread)) {
        return false;
    }
    if (e->action == PF_JSON_ABOUT) {
        return describes_remaining(c, e, o->part->window);
    }
    if (!(r->flags & PF_JSON_HAS_TS)) {
        return w->from == INT64_MIN && w->to == INT64_MAX;
    }
    bool at_end = e->action == PF_JSON_END && e->marked;
    if (e->action == PF_JSON_COMPLETE && e->end > r->ts) {
        return r->ts > w->from && e->end < w->to; /* others are at the head or tail */
    }
    return at_end ? r->ts > w->from && r->ts <= w->to : is_inside(w, r->ts) && is_inside(w, e->start);
}

/* Whether a complete event has to be made shorter: where nothing in the output ends it before its time. */
static bool ends_early(const copy *c, const pf_json_window *w, const pf_json_early *e)
{
    return e && (e->alone || e->end <= w->from || (!e->tie && (c->s->thins || e->seen >= w->to)));
}

static pf_status write_event(copy *c, output *o, event *e, pf_error *err)
{
    bool ends = ends_early(c, o->window, e->early);
    e->bytes = e->bytes.len ? e->bytes : pf_json_event_bytes(e->seen);
    o->part->kept++;
    if (!ends && (e->action == PF_JSON_END || !e->marked)) {
        return put_event(o, e->bytes.ptr, e->bytes.len, err);
    }
    bool other = e->seen->r->flags & PF_JSON_OTHER_ARGS;
    int64_t ts = e->seen->r->ts;
    const pf_json_clip clip = {.moves = ends,
                               .ts = ts,
                               .dur = ends ? e->end - ts : 0,
                               .cycles = c->s->cycles,
                               .phase = e->starts                    ? 's'
                                        : e->action == PF_JSON_BEGIN ? 'X'
                                                                     : 0,
                               .outside = e->action == PF_JSON_ARROW};
    c->scratch.len = 0;
    pf_json_put_clipped(&c->scratch, e->bytes, other ? PF_STR(PF_JSON_OTHER_ARGS_KEY) : PF_STR("args"), &clip);
    if (c->scratch.failed) {
        return pf_no_memory(err);
    }
    o->part->changed++;
    return put_event(o, c->scratch.data, c->scratch.len, err);
}

static pf_status see_event(void *ctx, const pf_json_seen *seen, pf_error *err)
{
    copy *c = ctx;
    event e = {.seen = seen, .action = pf_json_action_of(seen->r)};
    if (!c->in_events) {
        PF_TRY(begin_events(c, err));
    }
    if (pf_json_is_linked(e.action)) {
        uint64_t number = c->linked++;
        unsigned bits = pf_json_bits(c->s, number);
        e.dropped = bits == PF_JSON_DROPPED;
        e.marked = bits & PF_JSON_MARKED;
        e.starts = bits == PF_JSON_STARTS;
    } else if (e.action == PF_JSON_COMPLETE) {
        e.early = pf_json_early_of(c->s, ++c->completes);
        e.end = e.early ? e.early->end : seen->r->ts + seen->r->dur;
        e.dropped = e.end - seen->r->ts < c->s->least_dur;
    }
    PF_TRY(pf_json_who_is(&c->s->who, seen, &e.thread, err));
    bool taken =
        pf_json_is_linked(e.action) || e.action == PF_JSON_ABOUT || pf_json_takes(c->s, seen, e.action, e.thread);
    PF_TRY(pf_json_start_of(c->s, seen, c->s->who.thread[e.thread].process, &taken, &e.start, err));
    e.dropped |= !taken;
    for (uint32_t i = 0; i < c->count; i++) {
        if (is_wanted(c, &c->outputs[i], &e)) {
            PF_TRY(write_event(c, &c->outputs[i], &e, err));
            if (c->outputs[i].sink.seen != PF_OK) {
                *err = c->outputs[i].sink.error;
                return err->code;
            }
        }
    }
    return PF_OK;
}

/* One pass over the document. */
static pf_status copy_group(copy *c, const pf_json_source *from, pf_json_part *parts, bool last, pf_json_document *d,
                            pf_error *err)
{
    const pf_json_visitor visitor = {.ctx = c, .event = see_event, .entry = see_entry, .counts = last};
    for (uint32_t i = 0; i < c->count; i++) {
        c->outputs[i] = (output){.part = &parts[i], .window = &c->s->window[parts[i].window]};
    }
    c->d = d;
    c->begun = c->in_events = false;
    c->linked = c->completes = 0;
    c->after.len = 0;
    pf_status st = pf_json_walk(from, &visitor, d, err);
    st = st == PF_OK ? end_events(c, err) : st;
    for (uint32_t i = 0; i < c->count; i++) {
        if (c->outputs[i].open) {
            pf_status closed = pf_sink_close(&c->outputs[i].sink, st, err);
            st = st == PF_OK ? closed : st;
        }
    }
    return st;
}

pf_status pf_json_copy(pf_json_survey *s, const pf_json_source *from, const pf_write_options *o, pf_json_part *parts,
                       uint32_t count, pf_json_document *d, pf_error *err)
{
    copy c = {.s = s, .options = pf_write_options_of(o)};
    c.outputs = calloc(PF_JSON_OUTPUTS, sizeof *c.outputs);
    pf_status st = c.outputs ? PF_OK : pf_no_memory(err);
    for (uint32_t i = 0; i < count && st == PF_OK; i += c.count) {
        c.count = count - i < PF_JSON_OUTPUTS ? count - i : PF_JSON_OUTPUTS;
        pf_json_document_end(d);
        st = copy_group(&c, from, parts + i, i + c.count == count, d, err);
    }
    free(c.outputs);
    pf_buffer_free(&c.after);
    pf_buffer_free(&c.scratch);
    return st;
}
