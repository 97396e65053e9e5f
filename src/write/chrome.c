/* chrome.c - the event table as Chrome JSON, one event a line, in the order of the table.
 *
 * What Chrome JSON has a word for is said as it was: phase, time, category, name, ids of processes and threads in their
 * own spelling, arguments with their types. Times are microseconds with at most three decimals, exact, since a time is a
 * whole number of nanoseconds; cycles are written as they are.
 *
 * A binary trace has no complete events. A begin whose end says nothing by itself (no name, no arguments) is written as
 * one: that is how recorders end slices, and how complete events were converted; an end with a name stays an event.
 * Tracks that are no thread's are threads of their own in JSON, with ids that no system gives (OWN_IDS and up) and the
 * track's name; operations of an async group are told apart by ids.
 *
 * Everything that needs a search is prepared in one pass before (events that are the ends of slices, spellings that a
 * conversion kept in attributes), so that writing is one pass over the events with memory for one of them.
 */
#include "write/chrome.h"

#include <stdio.h>
#include <string.h>

#include "base/map.h"
#include "base/number.h"
#include "model/trace.h"
#include "write/json_text.h"

/* Ids of tracks that are no thread's: 32 bits, as Perfetto wants them. */
#define OWN_IDS 0xf0000000u
#define FLUSH_BYTES (64u << 10)

typedef struct pf_chrome {
    const pf_trace *t;
    pf_sink *sink;
    pf_budget *budget;
    uint32_t events, slices, tracks;
    uint32_t *slice_of; /* event row -> the slice that it begins or ends, or PF_NONE */
    uint8_t *pair;      /* slice: its begin and end are written as one complete event */
    uint8_t *said;      /* track: introduced as a thread */
    uint32_t *share;    /* counter track: string id of the name of the events that it came from, or 0 */
    bool has_kept_ids;
    pf_map spelling; /* string id of an attribute postfetto.* -> its row in the metadata */
    pf_buffer out, nesting, key;
    char args_top;
    uint64_t written;
} pf_chrome;

static bool starts_with(pf_str s, pf_str prefix)
{
    return s.len >= prefix.len && memcmp(s.ptr, prefix.ptr, prefix.len) == 0;
}

static pf_str behind(pf_str s, pf_str prefix)
{
    return (pf_str){s.ptr + prefix.len, s.len - prefix.len};
}

/* ---- what is prepared -------------------------------------------------------------------------------------------- */

/* Whether an end event is told by its begin alone. */
static bool is_silent_end(const pf_trace *t, uint32_t row)
{
    const pf_events *e = pf_trace_events(t);
    if (e->name[row] || (e->category && e->category[row])) {
        return false;
    }
    uint32_t i = t->args.count ? pf_rows_lower_bound(t->args.event, t->args.count, row) : 0;
    return i >= t->args.count || t->args.event[i] != row;
}

static void find_pairs(pf_chrome *c)
{
    const pf_events *e = pf_trace_events(c->t);
    const pf_slices *s = pf_trace_slices(c->t);
    memset(c->slice_of, 0xff, (size_t)c->events * sizeof *c->slice_of);
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t begin = s->event[i], end = s->end_event[i];
        if (begin >= c->events) {
            continue;
        }
        c->slice_of[begin] = i;
        if (end < c->events) {
            c->slice_of[end] = i;
            c->pair[i] = e->phase[begin] == 'B' && e->phase[end] == 'E' && is_silent_end(c->t, end);
        }
    }
}

/* The spellings of ids that a conversion could not keep as numbers: postfetto.pid.PID and postfetto.tid.PID.TID. */
static bool find_spellings(pf_chrome *c)
{
    static const pf_str prefix = {"trace_attribute.postfetto.", 26};
    const pf_metadata *m = pf_trace_metadata(c->t);
    bool noted = true;
    for (uint32_t i = 0; i < m->count && noted; i++) {
        pf_str key = pf_trace_string(c->t, m->name[i]);
        if (starts_with(key, prefix) && m->text[i]) {
            noted = pf_map_set(&c->spelling, m->name[i], i);
        }
    }
    return noted;
}

/* The names of the events that counters came from: a conversion lets such counters share their axis. */
static void find_shares(pf_chrome *c)
{
    const pf_row_args *a = pf_trace_row_args(c->t);
    uint32_t key = pf_trace_find_string(c->t, PF_STR("y_axis_share_key"));
    for (uint32_t i = 0; i < a->count && key != PF_NONE; i++) {
        if (a->owner[i] == PF_OWNER_TRACK_SOURCE && a->key[i] == key && a->row[i] < c->tracks) {
            c->share[a->row[i]] = a->text[i];
        }
    }
}

static void finish(pf_chrome *c)
{
    pf_release(c->budget, c->slice_of, c->slice_of ? ((size_t)c->events + 1) * sizeof *c->slice_of : 0);
    pf_release(c->budget, c->pair, c->pair ? (size_t)c->slices + 1 : 0);
    pf_release(c->budget, c->said, c->said ? (size_t)c->tracks + 1 : 0);
    pf_release(c->budget, c->share, c->share ? ((size_t)c->tracks + 1) * sizeof *c->share : 0);
    pf_map_free(&c->spelling);
    pf_buffer_free(&c->out);
    pf_buffer_free(&c->nesting);
    pf_buffer_free(&c->key);
}

static pf_status init(pf_chrome *c, const pf_trace *t, pf_sink *sink, pf_budget *budget, pf_error *err)
{
    *c = (pf_chrome){.t = t, .sink = sink, .budget = budget, .events = pf_trace_events(t)->count};
    c->slices = pf_trace_slices(t)->count;
    c->tracks = pf_trace_tracks(t)->count;
    c->has_kept_ids = pf_trace_find_string(t, PF_STR("trace_attribute.postfetto.version")) != PF_NONE;
    pf_map_init(&c->spelling, budget);
    c->slice_of = pf_alloc(budget, ((size_t)c->events + 1) * sizeof *c->slice_of);
    c->pair = pf_alloc_zero(budget, (size_t)c->slices + 1, 1);
    c->said = pf_alloc_zero(budget, (size_t)c->tracks + 1, 1);
    c->share = pf_alloc_zero(budget, (size_t)c->tracks + 1, sizeof *c->share);
    if (!c->slice_of || !c->pair || !c->said || !c->share || (c->has_kept_ids && !find_spellings(c))) {
        finish(c);
        return pf_budget_refused(budget, (uint64_t)c->events * sizeof *c->slice_of + c->slices, err);
    }
    find_pairs(c);
    find_shares(c);
    return PF_OK;
}

/* ---- members ----------------------------------------------------------------------------------------------------- */

static void put(pf_chrome *c, const char *text)
{
    pf_buffer_text(&c->out, text);
}

static void put_int(pf_chrome *c, int64_t v)
{
    pf_buffer_format(&c->out, "%lld", (long long)v);
}

/* ,"key":"text" unless there is no text. */
static void put_text_member(pf_chrome *c, const char *key, uint32_t string)
{
    pf_str text = pf_trace_string(c->t, string);
    if (text.ptr) {
        put(c, key);
        pf_json_put_text(&c->out, text);
    }
}

/* Nanoseconds as microseconds, without zeros at the end of the fraction. */
static void put_time(pf_chrome *c, const char *key, int64_t v)
{
    put(c, key);
    if (pf_trace_time_unit(c->t) == PF_UNIT_CYCLE) {
        put_int(c, v);
        return;
    }
    uint64_t magnitude = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
    unsigned rest = (unsigned)(magnitude % 1000);
    pf_buffer_format(&c->out, "%s%llu", v < 0 ? "-" : "", (unsigned long long)(magnitude / 1000));
    if (rest) {
        char digits[8];
        int len = snprintf(digits, sizeof digits, ".%03u", rest);
        while (digits[len - 1] == '0') {
            len--;
        }
        pf_buffer_put(&c->out, digits, (size_t)len);
    }
}

/* An id as the input spelled it. */
static void put_id(pf_chrome *c, const char *key, pf_id_kind kind, uint32_t text, int64_t number)
{
    if (kind == PF_ID_ABSENT) {
        return;
    }
    put(c, key);
    pf_str spelled = pf_trace_string(c->t, text);
    if (kind == PF_ID_TEXT) {
        pf_json_put_text(&c->out, spelled.ptr ? spelled : PF_STR(""));
    } else if (kind == PF_ID_REAL && spelled.len) {
        pf_buffer_put(&c->out, spelled.ptr, spelled.len);
    } else {
        put_int(c, number);
    }
}

/* The spelling that a conversion kept in `attribute`, with its kind in another one: int, real, absent, else a text. False
 * if there is none. */
static bool put_kept(pf_chrome *c, const char *key, const char *attribute)
{
    if (!c->has_kept_ids) {
        return false;
    }
    char kind_key[128];
    const pf_metadata *m = pf_trace_metadata(c->t);
    uint32_t name = pf_trace_find_string(c->t, (pf_str){attribute, strlen(attribute)});
    uint32_t row = name == PF_NONE ? PF_NONE : pf_map_get(&c->spelling, name);
    if (row == PF_NONE) {
        return false;
    }
    int len = snprintf(kind_key, sizeof kind_key, "trace_attribute.postfetto.kind.%s",
                       attribute + sizeof "trace_attribute.postfetto." - 1);
    uint32_t kind_name = pf_trace_find_string(c->t, (pf_str){kind_key, (size_t)len});
    uint32_t kind_row = kind_name == PF_NONE ? PF_NONE : pf_map_get(&c->spelling, kind_name);
    pf_str kind = kind_row == PF_NONE ? PF_STR("text") : pf_trace_string(c->t, m->text[kind_row]);
    pf_str text = pf_trace_string(c->t, m->text[row]);
    double real;
    bool number = (kind.ptr[0] == 'i' || kind.ptr[0] == 'r') && pf_parse_real(text.ptr, text.len, &real);
    if (kind.len == 6 && kind.ptr[0] == 'a') {
        return true;
    }
    put(c, key);
    if (number) {
        pf_buffer_put(&c->out, text.ptr, text.len);
    } else {
        pf_json_put_text(&c->out, text);
    }
    return true;
}

static void put_pid(pf_chrome *c, uint32_t upid)
{
    const pf_processes *p = pf_trace_processes(c->t);
    char attribute[96];
    snprintf(attribute, sizeof attribute, "trace_attribute.postfetto.pid.%lld", (long long)p->pid[upid]);
    if (!put_kept(c, ",\"pid\":", attribute)) {
        put_id(c, ",\"pid\":", p->kind[upid], p->text[upid], p->pid[upid]);
    }
}

static void put_tid(pf_chrome *c, uint32_t utid)
{
    const pf_threads *th = pf_trace_threads(c->t);
    char attribute[96];
    long long pid = th->upid[utid] == PF_NONE ? 0 : pf_trace_processes(c->t)->pid[th->upid[utid]];
    snprintf(attribute, sizeof attribute, "trace_attribute.postfetto.tid.%lld.%lld", pid, (long long)th->tid[utid]);
    if (!put_kept(c, ",\"tid\":", attribute)) {
        put_id(c, ",\"tid\":", th->kind[utid], th->text[utid], th->tid[utid]);
    }
}

/* ---- arguments --------------------------------------------------------------------------------------------------- */

/* Top-level keys come with the prefix that Perfetto shows. */
static pf_str plain_key(const pf_chrome *c, pf_str key)
{
    static const pf_str prefixes[] = {{"args.", 5}, {"debug.", 6}};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes && c->nesting.len == 0; i++) {
        if (starts_with(key, prefixes[i])) {
            return behind(key, prefixes[i]);
        }
    }
    return key;
}

/* A key that Perfetto changed, as it was: a conversion keeps it in an attribute. */
static pf_str kept_key(pf_chrome *c, pf_str key)
{
    static const char prefix[] = "trace_attribute.postfetto.key.";
    if (!c->has_kept_ids || !key.ptr || !memchr(key.ptr, '_', key.len)) {
        return key;
    }
    c->key.len = 0;
    pf_buffer_put(&c->key, prefix, sizeof prefix - 1);
    pf_buffer_put(&c->key, key.ptr, key.len);
    uint32_t name = c->key.failed ? PF_NONE : pf_trace_find_string(c->t, (pf_str){c->key.data, c->key.len});
    uint32_t row = name == PF_NONE ? PF_NONE : pf_map_get(&c->spelling, name);
    return row == PF_NONE ? key : pf_trace_string(c->t, pf_trace_metadata(c->t)->text[row]);
}

/* The comma between members, and the key inside objects. nesting: a byte per open container, 'a' or 'o', in capitals
 * once it has a member. */
static void put_member(pf_chrome *c, pf_str key)
{
    pf_str name = kept_key(c, plain_key(c, key));
    char *top = c->nesting.len ? &c->nesting.data[c->nesting.len - 1] : &c->args_top;
    if (*top == 'A' || *top == 'O') {
        put(c, ",");
    } else {
        if (top == &c->args_top) {
            put(c, ",\"args\":{");
        }
        *top = (char)(*top - 'a' + 'A');
    }
    if (*top == 'O') {
        pf_json_put_text(&c->out, name.ptr ? name : PF_STR(""));
        put(c, ":");
    }
}

static pf_status on_object(void *ctx, pf_str key)
{
    pf_chrome *c = ctx;
    put_member(c, key);
    put(c, "{");
    pf_buffer_put(&c->nesting, "o", 1);
    return c->nesting.failed ? PF_ERR_MEMORY : PF_OK;
}

static pf_status on_array(void *ctx, pf_str key)
{
    pf_chrome *c = ctx;
    put_member(c, key);
    put(c, "[");
    pf_buffer_put(&c->nesting, "a", 1);
    return c->nesting.failed ? PF_ERR_MEMORY : PF_OK;
}

static pf_status on_end(void *ctx)
{
    pf_chrome *c = ctx;
    if (c->nesting.len) {
        char top = c->nesting.data[--c->nesting.len];
        put(c, top == 'a' || top == 'A' ? "]" : "}");
    }
    return PF_OK;
}

/* A number whose text reads back to it the way that Chrome JSON is read, here and in Perfetto. */
static void put_real(pf_chrome *c, double v)
{
    char text[PF_NUMBER_MAX];
    pf_buffer_put(&c->out, text, pf_format_real_like_perfetto(v, text));
}

static void put_scalar(pf_chrome *c, const pf_value *v)
{
    switch (v->type) {
    case PF_VALUE_NULL:
        put(c, "null");
        break;
    case PF_VALUE_BOOL:
        put(c, v->as.b ? "true" : "false");
        break;
    case PF_VALUE_INT:
        put_int(c, v->as.i);
        break;
    case PF_VALUE_UINT:
    case PF_VALUE_POINTER:
        pf_buffer_format(&c->out, "%llu", (unsigned long long)v->as.u);
        break;
    case PF_VALUE_REAL:
        if (v->as.d - v->as.d == 0) {
            put_real(c, v->as.d);
        } else { /* JSON has no words for them */
            pf_json_put_text(&c->out, v->as.d != v->as.d ? PF_STR("NaN")
                                      : v->as.d > 0      ? PF_STR("Infinity")
                                                         : PF_STR("-Infinity"));
        }
        break;
    case PF_VALUE_STRING:
    case PF_VALUE_JSON:
        pf_json_put_text(&c->out, v->as.s);
        break;
    }
}

static pf_status on_value(void *ctx, pf_str key, const pf_value *v)
{
    pf_chrome *c = ctx;
    put_member(c, key);
    put_scalar(c, v);
    return c->out.failed ? PF_ERR_MEMORY : PF_OK;
}

/* ,"args":{...} of an event, if it has any. */
static pf_status put_args(pf_chrome *c, uint32_t row, pf_error *err)
{
    const pf_arg_visitor visitor = {c, on_object, on_array, on_end, on_value};
    c->nesting.len = 0;
    c->args_top = 'o';
    pf_status st = pf_trace_visit_args(c->t, row, &visitor, err);
    while (c->nesting.len) { /* damage inside may have ended the walk early */
        on_end(c);
    }
    put(c, c->args_top == 'O' ? "}" : "");
    return c->nesting.failed ? pf_fail(err, PF_ERR_MEMORY, "the system refused memory for the arguments of an event")
                             : st;
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

static bool is_async(const pf_tracks *tr, uint32_t track)
{
    return tr->group[track] != PF_NONE && tr->type[track] != PF_TRACK_THREAD_OVERLAP;
}

/* Whether JSON must show the track as a thread of its own. Tracks beside a thread are lanes of it in our conversions. */
static bool is_own_thread(const pf_chrome *c, uint32_t track)
{
    const pf_tracks *tr = pf_trace_tracks(c->t);
    pf_track_type type = tr->type[track];
    bool lane = type == PF_TRACK_THREAD_OVERLAP || (type == PF_TRACK_THREAD_EVENT && c->has_kept_ids);
    return type != PF_TRACK_THREAD_EXECUTION && !lane && !pf_track_type_is_counter(type);
}

/* pid and tid of the events of a track. */
static void put_place(pf_chrome *c, uint32_t track, bool own_thread)
{
    const pf_tracks *tr = pf_trace_tracks(c->t);
    if (tr->upid[track] != PF_NONE) {
        put_pid(c, tr->upid[track]);
    } else if (own_thread) {
        pf_buffer_format(&c->out, ",\"pid\":%u", OWN_IDS);
    }
    if (own_thread) {
        pf_buffer_format(&c->out, ",\"tid\":%u", OWN_IDS + track);
    } else if (tr->utid[track] != PF_NONE) {
        put_tid(c, tr->utid[track]);
    }
}

static void begin_event(pf_chrome *c, char phase)
{
    put(c, c->written++ ? ",\n{\"ph\":\"" : "\n{\"ph\":\"");
    char text[] = {phase, '"'};
    pf_buffer_put(&c->out, text, sizeof text);
}

/* Names the thread that stands for a track, before its first event. */
static void introduce(pf_chrome *c, uint32_t track)
{
    const pf_tracks *tr = pf_trace_tracks(c->t);
    pf_str name = pf_trace_string(c->t, tr->name[track]);
    if (c->said[track]) {
        return;
    }
    c->said[track] = 1;
    begin_event(c, 'M');
    put(c, ",\"name\":\"thread_name\"");
    put_place(c, track, true);
    put(c, ",\"args\":{\"name\":");
    pf_json_put_text(&c->out, name.ptr ? name : PF_STR("track"));
    put(c, "}}");
}

/* The id of an async operation: the number of its track row, or the uuid that a binary trace gave it. */
static void put_async_id(pf_chrome *c, uint32_t track)
{
    const pf_tracks *tr = pf_trace_tracks(c->t);
    uint64_t id = tr->uuid[track] ? tr->uuid[track] : track;
    pf_buffer_format(&c->out, tr->upid[track] != PF_NONE ? ",\"id2\":{\"local\":\"0x%llx\"}" : ",\"id\":\"0x%llx\"",
                     (unsigned long long)id);
}

static void put_flow(pf_chrome *c, uint32_t row)
{
    uint32_t i = pf_rows_lower_bound(c->t->flow_refs.event, c->t->flow_refs.count, row);
    for (; i < c->t->flow_refs.count && c->t->flow_refs.event[i] == row; i++) {
        long long id = (long long)c->t->flow_refs.id[i];
        switch ((pf_flow_kind)c->t->flow_refs.kind[i]) {
        case PF_FLOW_START:
        case PF_FLOW_STEP:
        case PF_FLOW_END_NEXT:
            pf_buffer_format(&c->out, ",\"id\":%lld", id);
            break;
        case PF_FLOW_END:
            pf_buffer_format(&c->out, ",\"id\":%lld,\"bp\":\"e\"", id);
            break;
        case PF_FLOW_BIND_START:
            pf_buffer_format(&c->out, ",\"bind_id\":\"0x%llx\",\"flow_out\":true", id);
            break;
        case PF_FLOW_BIND_STEP:
            pf_buffer_format(&c->out, ",\"bind_id\":\"0x%llx\",\"flow_in\":true,\"flow_out\":true", id);
            break;
        case PF_FLOW_BIND_END:
            pf_buffer_format(&c->out, ",\"bind_id\":\"0x%llx\",\"flow_in\":true", id);
            break;
        case PF_FLOW_FLOW:
            pf_buffer_format(&c->out, ",\"bind_id\":\"0x%llx\",\"flow_in\":true,\"flow_out\":true", id);
            break;
        case PF_FLOW_TERMINATE:
            pf_buffer_format(&c->out, ",\"bind_id\":\"0x%llx\",\"flow_in\":true", id);
            break;
        case PF_FLOW_GPU_STAGE:
        case PF_FLOW_GPU_AFTER:
        case PF_FLOW_GPU_SUBMIT:
        case PF_FLOW_GPU_AWAIT:
            break; /* Chrome's format has no form for GPU work */
        }
    }
}

static void put_thread_time(pf_chrome *c, uint32_t row, uint32_t slice, char phase)
{
    const pf_slices *s = pf_trace_slices(c->t);
    uint32_t i = pf_rows_lower_bound(c->t->thread_times.event, c->t->thread_times.count, row);
    if (i >= c->t->thread_times.count || c->t->thread_times.event[i] != row || c->t->thread_times.ts[i] == INT64_MIN) {
        return;
    }
    put_time(c, ",\"tts\":", c->t->thread_times.ts[i]);
    int64_t dur = c->t->thread_times.dur[i];
    if (dur == INT64_MIN && slice != PF_NONE && s->thread_dur) {
        dur = s->thread_dur[slice];
    }
    if (phase == 'X' && dur != INT64_MIN) {
        put_time(c, ",\"tdur\":", dur);
    }
}

/* The letter that says in JSON what the event is; 0: nothing by itself. */
static char letter_of(const pf_chrome *c, uint32_t row, uint32_t slice)
{
    const pf_events *e = pf_trace_events(c->t);
    const pf_tracks *tr = pf_trace_tracks(c->t);
    uint8_t phase = e->phase[row] & (uint8_t)~PF_PHASE_BAD_TS;
    bool paired = slice != PF_NONE && c->pair[slice];
    if (is_async(tr, e->track[row])) {
        return phase == 'B' ? 'b' : phase == 'E' ? 'e' : phase == 'i' || phase == 'I' ? 'n' : (char)phase;
    }
    if (paired) {
        return phase == 'B' ? 'X' : 0;
    }
    return phase == PF_PHASE_STATE ? 0 : (char)phase; /* Chrome has no word for states */
}

static pf_status put_event(pf_chrome *c, uint32_t row, pf_error *err)
{
    const pf_events *e = pf_trace_events(c->t);
    const pf_slices *s = pf_trace_slices(c->t);
    const pf_tracks *tr = pf_trace_tracks(c->t);
    uint32_t slice = c->slice_of[row], track = e->track[row];
    char letter = letter_of(c, row, slice);
    bool instant = letter == 'i' || letter == 'I' || letter == 'R', async = is_async(tr, track);
    bool own = !instant && !async && is_own_thread(c, track);
    bool told = async && slice != PF_NONE; /* both ends of an operation must say the same */
    if (letter == 0) {
        return PF_OK;
    }
    if (own) {
        introduce(c, track);
    }
    begin_event(c, letter);
    put_text_member(c, ",\"name\":", told ? s->name[slice] : e->name[row]);
    put_text_member(c, ",\"cat\":", told ? s->category[slice] : e->category ? e->category[row] : 0);
    put_place(c, track, own);
    if (!(e->phase[row] & PF_PHASE_BAD_TS)) {
        put_time(c, ",\"ts\":", e->ts[row]);
    }
    if (letter == 'X') {
        int64_t dur = e->phase[row] == 'X' ? e->dur[row] : s->dur[slice];
        if (dur >= 0) {
            put_time(c, ",\"dur\":", dur);
        }
    }
    put_thread_time(c, row, slice, letter);
    if (async) {
        put_async_id(c, track);
    }
    if (instant) {
        put(c, tr->utid[track] != PF_NONE   ? ",\"s\":\"t\""
               : tr->upid[track] != PF_NONE ? ",\"s\":\"p\""
                                            : ",\"s\":\"g\"");
    }
    put_flow(c, row);
    pf_status st = put_args(c, row, err);
    put(c, "}");
    return st;
}

/* ---- counters ---------------------------------------------------------------------------------------------------- */

/* A sample: whole numbers are written as such. */
static void put_number(pf_chrome *c, double v)
{
    const pf_value value = {.type = PF_VALUE_REAL, .as.d = v};
    if (v >= -0x1p53 && v <= 0x1p53 && v == (double)(int64_t)v) {
        put_int(c, (int64_t)v);
    } else {
        put_scalar(c, &value);
    }
}

/* A counter of a binary trace. Its name is split where a conversion says that the event's name ends. */
static void put_sample(pf_chrome *c, uint32_t i)
{
    const pf_counters *k = pf_trace_counters(c->t);
    const pf_tracks *tr = pf_trace_tracks(c->t);
    uint32_t track = k->track[i];
    pf_str name = pf_trace_string(c->t, tr->name[track]), unit = pf_trace_string(c->t, tr->unit[track]);
    pf_str series = unit.len ? unit : PF_STR("value"), event = pf_trace_string(c->t, c->share[track]);
    if (event.ptr && starts_with(name, event) && name.len > event.len && name.ptr[event.len] == ' ') {
        series = (pf_str){name.ptr + event.len + 1, name.len - event.len - 1};
        name = event;
    }
    begin_event(c, 'C');
    put(c, ",\"name\":");
    pf_json_put_text(&c->out, name.ptr ? name : PF_STR("counter"));
    put_place(c, track, false);
    put_time(c, ",\"ts\":", k->ts[i]);
    put(c, ",\"args\":{");
    pf_json_put_text(&c->out, series);
    put(c, ":");
    put_number(c, k->value[i]);
    put(c, "}}");
}

/* Whether the event row says its samples itself, as counter events of JSON do. */
static bool tells_samples(const pf_trace *t, uint32_t row)
{
    const pf_events *e = pf_trace_events(t);
    return e->phase[row] == 'C' && !pf_track_type_is_counter(pf_trace_tracks(t)->type[e->track[row]]);
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

static pf_status hand_over(pf_chrome *c, bool all, pf_error *err)
{
    pf_status st = PF_OK;
    if (c->out.failed) {
        return pf_fail(err, PF_ERR_MEMORY, "the system refused memory for an event");
    }
    if (all || c->out.len >= FLUSH_BYTES) {
        st = pf_sink_put(c->sink, c->out.data, c->out.len);
        c->out.len = 0;
    }
    if (st != PF_OK && err) {
        *err = c->sink->error;
    }
    return st;
}

static pf_status put_events(pf_chrome *c, pf_error *err)
{
    const pf_events *e = pf_trace_events(c->t);
    const pf_tracks *tr = pf_trace_tracks(c->t);
    pf_status st = PF_OK;
    for (uint32_t row = 0; row < e->count && st == PF_OK; row++) {
        bool sample = e->phase[row] == 'C' && pf_track_type_is_counter(tr->type[e->track[row]]);
        st = sample ? PF_OK : put_event(c, row, err);
        st = st == PF_OK ? hand_over(c, false, err) : st;
    }
    return st;
}

static pf_status put_samples(pf_chrome *c, pf_error *err)
{
    const pf_counters *k = pf_trace_counters(c->t);
    pf_status st = PF_OK;
    for (uint32_t i = 0; i < k->count && st == PF_OK; i++) {
        if (k->event[i] >= c->events || !tells_samples(c->t, k->event[i])) {
            put_sample(c, i);
            st = hand_over(c, false, err);
        }
    }
    return st;
}

/* What the input says about itself, our own attributes left out. */
static void put_metadata(pf_chrome *c)
{
    static const pf_str attribute = {"trace_attribute.", 16}, json = {"json_metadata.", 14}, own = {"postfetto.", 10};
    const pf_metadata *m = pf_trace_metadata(c->t);
    bool any = false;
    for (uint32_t i = 0; i < m->count; i++) {
        pf_str key = pf_trace_string(c->t, m->name[i]);
        if (starts_with(key, attribute)) {
            key = behind(key, attribute);
        } else if (starts_with(key, json)) {
            key = behind(key, json);
        } else {
            continue;
        }
        if (starts_with(key, own)) {
            continue;
        }
        put(c, any ? "," : ",\n\"metadata\":{");
        any = true;
        pf_json_put_text(&c->out, key);
        put(c, ":");
        if (m->text[i]) {
            pf_json_put_text(&c->out, pf_trace_string(c->t, m->text[i]));
        } else {
            put_int(c, m->number[i]);
        }
    }
    put(c, any ? "}" : "");
}

static pf_status put_file(pf_chrome *c, pf_error *err)
{
    put(c, "{\"traceEvents\":[");
    pf_status st = put_events(c, err);
    st = st == PF_OK ? put_samples(c, err) : st;
    if (st == PF_OK) {
        put(c, "\n],\n\"displayTimeUnit\":\"ns\"");
        put_metadata(c);
        put(c, "}\n");
        st = hand_over(c, true, err);
    }
    return st;
}

pf_status pf_chrome_write(const pf_trace *t, pf_sink *sink, pf_budget *budget, pf_error *err)
{
    const uint32_t need = PF_WANT_EVENTS | PF_WANT_COUNTERS | PF_WANT_ARGS | PF_WANT_SLICES;
    pf_chrome c;
    if ((t->want & need) != need) {
        return pf_fail(err, PF_ERR_USAGE,
                       "the trace was read without the tables that a conversion needs; ask for events, counters, "
                       "arguments and slices");
    }
    pf_status st = init(&c, t, sink, budget, err);
    if (st == PF_OK) {
        st = put_file(&c, err);
        finish(&c);
    }
    return st;
}
