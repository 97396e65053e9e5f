/* write/chrome/chrome.c - the event table as Chrome JSON, one event a line, in the order of the table.
 *
 * The events of a JSON document are written as they were (chrome_event.c). Those of a binary trace need what takes a
 * search; it is prepared in one pass before: which events are the ends of slices. Writing is then one pass over the
 * events with memory for one of them.
 *
 * Counters of a binary trace follow the events, a sample an event, unless a conversion of JSON says otherwise
 * (model/trace/json_samples.c).
 *
 * The runs of each cpu come last (chrome_cpus.c).
 *
 * Events that have no row (model/trace/json_notes.h, leftovers) come first: most are the names that a document begins
 * with. Where a conversion says the places of events in their document, they all come in that order.
 */
#include "write/chrome/chrome_event.h"

#include "base/str.h"
#include "base/text/json_text.h"
#include "write/file/shared_pids.h"

#define OWN_PIDS ((int64_t)1 << 30) /* of processes whose pid another input has */

#define FLUSH_BYTES (64u << 10)

typedef struct chrome_file {
    pf_chrome c;
    pf_sink *sink;
    pf_status failed; /* the first failure, after which nothing is written any more; *err says which */
    pf_error *err;
} chrome_file;

/* Begins and silent ends may be complete events, but where a conversion of JSON had none. */
static void find_pairs(pf_chrome *c)
{
    const pf_events *e = pf_trace_events(c->t);
    const pf_slices *s = pf_trace_slices(c->t);
    bool pairs = !c->from_json || pf_trace_is_converted(c->t, true);
    uint32_t hint = 0;
    memset(c->slice_of, 0xff, (size_t)c->events * sizeof *c->slice_of);
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t begin = s->event[i], end = s->end_event[i];
        if (begin >= c->events) {
            continue;
        }
        c->slice_of[begin] = i;
        if (end < c->events) {
            c->slice_of[end] = i;
            c->pair[i] =
                pairs && e->phase[begin] == 'B' && e->phase[end] == 'E' && pf_trace_end_is_silent(c->t, end, &hint);
        }
    }
}

/* Pids that several inputs have are kept apart. */
static pf_status number_processes(pf_chrome *c, pf_error *err)
{
    pf_shared_pids shared;
    PF_TRY(pf_shared_pids_init(&shared, c->t, c->budget, err));
    pf_status st = pf_shared_pids_number(&shared, OWN_PIDS, &c->pid, err);
    c->processes = shared.count;
    pf_shared_pids_free(&shared);
    return st;
}

static pf_status prepare(pf_chrome *c, pf_error *err)
{
    PF_TRY(number_processes(c, err));
    if (c->exact) {
        return PF_OK;
    }
    PF_TRY(PF_ARENA_NEW(&c->arena, c->slice_of, c->events, err));
    PF_TRY(PF_ARENA_NEW(&c->arena, c->pair, c->slices, err));
    PF_TRY(PF_ARENA_NEW(&c->arena, c->said, c->tracks, err));
    find_pairs(c);
    return pf_json_samples_init(&c->samples, c->t, c->budget, err);
}

/* A sample: whole numbers are written as such, unless JSON had them as reals. */
static void put_number(pf_chrome *c, double v, bool is_real)
{
    const pf_value value = {.type = PF_VALUE_REAL, .as.d = v};
    if (!is_real && v >= -0x1p53 && v <= 0x1p53 && v == (double)(int64_t)v) {
        pf_chrome_put_int(c, (int64_t)v);
    } else {
        pf_chrome_put_scalar(c, &value);
    }
}

static void put_series(pf_chrome *c, uint32_t i, const pf_origin *o)
{
    pf_str name, series;
    pf_json_samples_name(&c->samples, pf_trace_counters(c->t)->track[i], &name, &series);
    pf_json_put_text(&c->out, series);
    pf_chrome_put(c, ":");
    put_number(c, pf_trace_counters(c->t)->value[i], pf_json_samples_real(o));
}

/* An event with the sample and those that join it; *i is moved to the last of them. */
static void put_sample(pf_chrome *c, uint32_t *i)
{
    const pf_counters *k = pf_trace_counters(c->t);
    uint32_t track = k->track[*i];
    const pf_origin o = pf_json_samples_note(&c->samples, *i);
    pf_str name, series;
    size_t before = c->out.len;
    if (o.hidden) {
        return;
    }
    pf_chrome_put(c, c->written++ ? ",\n" : "\n");
    if (o.whole.ptr && pf_json_put_value(&c->out, o.whole, c->budget->limits.depth)) {
        return;
    }
    c->out.len = before;
    c->written--;
    pf_json_samples_name(&c->samples, track, &name, &series);
    pf_chrome_begin(c, 'C');
    pf_chrome_put(c, ",\"name\":");
    pf_json_put_text(&c->out, name);
    pf_chrome_put_said(c, &o, PF_MEMBER_CATEGORY, ",\"cat\":");
    pf_chrome_put_place(c, track, PF_CHROME_AS_IT_IS, &o);
    pf_chrome_put_time(c, ",\"ts\":", k->ts[*i]);
    pf_chrome_put(c, ",\"args\":{");
    put_series(c, *i, &o);
    while (*i + 1 < k->count && k->ts[*i + 1] == k->ts[*i]) {
        pf_origin next;
        if (!pf_json_samples_joins(&c->samples, *i + 1, &next)) {
            break;
        }
        ++*i;
        pf_chrome_put(c, ",");
        put_series(c, *i, &next);
    }
    pf_chrome_put(c, "}");
    if (o.more.ptr) {
        pf_json_put_members(&c->out, o.more, c->budget->limits.depth);
    }
    pf_chrome_put(c, "}");
}

static void hand_over(chrome_file *f, bool all)
{
    if (f->failed == PF_OK && f->c.out.failed) {
        f->failed = pf_no_memory(f->err);
    }
    if (f->failed == PF_OK && (all || f->c.out.len >= FLUSH_BYTES)) {
        f->failed = pf_sink_put(f->sink, f->c.out.data, f->c.out.len);
        f->c.out.len = 0;
        if (f->failed != PF_OK && f->err) {
            *f->err = f->sink->error;
        }
    }
}

/* An event without a row. */
static void put_leftover(chrome_file *f, uint32_t i)
{
    const pf_trace *t = f->c.t;
    size_t before = f->c.out.len;
    if (t->leftovers.of_document[i]) {
        return;
    }
    pf_chrome_put(&f->c, f->c.written ? ",\n" : "\n");
    if (pf_json_put_value(&f->c.out, t->leftovers.text[i], t->budget.limits.depth)) {
        f->c.written++;
    } else {
        f->c.out.len = before;
    }
    hand_over(f, false);
}

static void put_row(chrome_file *f, uint32_t row)
{
    f->sink->row++;
    f->failed = pf_trace_is_sample(f->c.t, row) ? PF_OK : pf_chrome_put_event(&f->c, row, f->err);
    hand_over(f, false);
}

/* Thread clocks of JSON are counters in a binary trace; their events tell them. */
static bool is_clock(const pf_chrome *c, uint32_t track)
{
    uint8_t type = pf_trace_tracks(c->t)->type[track];
    return c->from_json && (type == PF_TRACK_THREAD_TIME || type == PF_TRACK_THREAD_INSTRUCTIONS);
}

/* Sample *i and those that join it; *i is moved to the last of them. */
static void put_samples(chrome_file *f, uint32_t *i)
{
    const pf_counters *k = pf_trace_counters(f->c.t);
    uint32_t row = k->event[*i]; /* a counter event of JSON tells its samples itself */
    bool told = row < f->c.events && pf_trace_events(f->c.t)->phase[row] == 'C' && !pf_trace_is_sample(f->c.t, row);
    bool written = f->c.exact || told;
    if (!written && !is_clock(&f->c, k->track[*i])) {
        put_sample(&f->c, i);
    }
    hand_over(f, false);
}

static void put_in_turn(chrome_file *f)
{
    const pf_trace *t = f->c.t;
    for (uint32_t i = 0; i < t->leftovers.count && f->failed == PF_OK; i++) {
        put_leftover(f, i);
    }
    for (uint32_t row = 0; row < f->c.events && f->failed == PF_OK; row++) {
        put_row(f, row);
    }
    for (uint32_t i = 0; i < pf_trace_counters(t)->count && f->failed == PF_OK; i++) {
        put_samples(f, &i);
    }
    pf_chrome_name_cpus(&f->c);
    for (uint32_t i = 0; i < t->sides.known[PF_SIDE_SCHED].count && f->failed == PF_OK; i++) {
        pf_chrome_put_run(&f->c, i);
        hand_over(f, false);
    }
}

static bool is_placed_after(const void *place, uint32_t a, uint32_t b)
{
    return ((const uint32_t *)place)[a] > ((const uint32_t *)place)[b];
}

/* Whether a conversion of one document said the places of events: then it says those that events without a row had. */
static bool is_placed(const pf_trace *t)
{
    bool said = false;
    for (uint32_t i = 0; i < t->leftovers.count && !said && pf_trace_input_count(t) == 1; i++) {
        said = t->leftovers.place[i] != PF_NONE;
    }
    return said;
}

/* The places of leftovers, rows and samples, one after the other, PF_NONE for what stands for another event. */
static pf_status find_places(const pf_chrome *c, uint32_t *place, pf_error *err)
{
    const pf_trace *t = c->t;
    const pf_counters *k = pf_trace_counters(t);
    uint32_t left = t->leftovers.count, said;
    for (uint32_t i = 0; i < left; i++) {
        place[i] = t->leftovers.place[i] == PF_NONE ? 0 : t->leftovers.place[i];
    }
    PF_TRY(pf_trace_json_places(t, 0, c->budget, place + left, &said, err));
    for (uint32_t i = 0; i < k->count; i++) {
        place[left + c->events + i] = k->event[i] < c->events ? place[left + k->event[i]] : PF_NONE;
    }
    return PF_OK;
}

static void put_by_place(chrome_file *f)
{
    const pf_trace *t = f->c.t;
    uint32_t left = t->leftovers.count, rows = f->c.events, count = left + rows + pf_trace_counters(t)->count;
    uint32_t *place, *order;
    f->failed = PF_ARENA_NEW(&f->c.arena, place, 3 * (size_t)count, f->err);
    f->failed = f->failed == PF_OK ? find_places(&f->c, place, f->err) : f->failed;
    if (f->failed != PF_OK) {
        return;
    }
    order = place + count;
    pf_order_rows(order, order + count, count, is_placed_after, place);
    for (uint32_t n = 0; n < count && f->failed == PF_OK && place[order[n]] != PF_NONE; n++) {
        uint32_t i = order[n], sample = i - left - rows;
        if (i < left) {
            put_leftover(f, i);
        } else if (i < left + rows) {
            put_row(f, i - left);
        } else {
            put_samples(f, &sample);
        }
    }
}

/* Whether the document has a member; `begin` is how an object with it begins: {"name" */
static bool has_leftover(const pf_trace *t, pf_str begin)
{
    for (uint32_t i = 0; i < t->leftovers.count; i++) {
        if (t->leftovers.of_document[i] && pf_str_starts(t->leftovers.text[i], begin)) {
            return true;
        }
    }
    return false;
}

/* What the input says about itself, our own attributes left out. */
static void put_metadata(pf_chrome *c)
{
    static const pf_str attribute = {"trace_attribute.", 16}, json = {"json_metadata.", 14}, own = {"postfetto.", 10};
    const pf_metadata *m = pf_trace_metadata(c->t);
    bool any = false;
    for (uint32_t i = 0; i < m->count; i++) {
        pf_str key = pf_trace_string(c->t, m->name[i]);
        if (pf_str_starts(key, attribute)) {
            key = pf_str_from(key, attribute.len);
        } else if (pf_str_starts(key, json)) {
            key = pf_str_from(key, json.len);
        } else {
            continue;
        }
        if (pf_str_starts(key, own)) {
            continue;
        }
        pf_chrome_put(c, any ? "," : ",\n\"metadata\":{");
        any = true;
        pf_json_put_text(&c->out, key);
        pf_chrome_put(c, ":");
        if (m->text[i]) {
            pf_json_put_text(&c->out, pf_trace_string(c->t, m->text[i]));
        } else {
            pf_chrome_put_int(c, m->number[i]);
        }
    }
    pf_chrome_put(c, any ? "}" : "");
}

/* A member of the document on a line of its own, as the events have. */
static void put_member(pf_chrome *c, pf_str object)
{
    size_t before = c->out.len;
    pf_json_put_members(&c->out, object, c->t->budget.limits.depth);
    if (c->out.len > before && !c->out.failed) {
        pf_buffer_put(&c->out, "\n", 1);
        memmove(c->out.data + before + 2, c->out.data + before + 1, c->out.len - before - 2);
        c->out.data[before + 1] = '\n';
    }
}

static void put_members(chrome_file *f)
{
    const pf_trace *t = f->c.t;
    pf_document_members members;
    pf_document_members_init(&members, t, f->c.budget);
    for (uint32_t i = 0; i < t->leftovers.count && f->failed == PF_OK; i++) {
        pf_str object = t->leftovers.of_document[i] ? pf_document_member(&members, i) : (pf_str){NULL, 0};
        if (object.ptr) {
            put_member(&f->c, object);
            hand_over(f, false);
        }
    }
    pf_document_members_free(&members);
}

/* What stands after the events. */
static void put_document(chrome_file *f)
{
    const pf_trace *t = f->c.t;
    pf_chrome_put(&f->c, "\n]");
    put_members(f);
    if (!f->c.from_json && !has_leftover(t, PF_STR("{\"displayTimeUnit\""))) {
        pf_chrome_put(&f->c, ",\n\"displayTimeUnit\":\"ns\"");
    }
    if (!has_leftover(t, PF_STR("{\"metadata\""))) {
        put_metadata(&f->c);
    }
    pf_chrome_put(&f->c, "}\n");
    hand_over(f, true);
}

static void put_file(chrome_file *f)
{
    pf_chrome_put(&f->c, "{\"traceEvents\":[");
    f->sink->rows = f->c.events;
    if (is_placed(f->c.t)) {
        put_by_place(f);
    } else {
        put_in_turn(f);
    }
    put_document(f);
}

pf_status pf_chrome_write(const pf_trace *t, pf_sink *sink, pf_budget *budget, pf_error *err)
{
    const uint32_t need = PF_WANT_EVENTS | PF_WANT_COUNTERS | PF_WANT_ARGS | PF_WANT_SLICES;
    chrome_file f = {.sink = sink, .err = err};
    if ((t->want & need) != need) {
        return pf_fail(err, PF_ERR_USAGE,
                       "the trace was read without the tables that a conversion needs; ask for events, counters, "
                       "arguments and slices");
    }
    pf_chrome_start(&f.c, t, budget);
    f.failed = prepare(&f.c, err);
    if (f.failed == PF_OK) {
        put_file(&f);
    }
    pf_chrome_free(&f.c);
    return f.failed;
}
