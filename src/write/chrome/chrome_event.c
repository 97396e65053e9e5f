/* write/chrome/chrome_event.c - one event row as Chrome JSON.
 *
 * What Chrome JSON has a word for is said as it was: phase, time, category, name, ids of processes and threads in their
 * own spelling, arguments with their types. Times are microseconds with at most three decimals, exact, since a time is
 * a whole number of nanoseconds; cycles are written as they are. Where the row has a note of what the event said in
 * JSON (model/trace/json_notes.h), each member is taken from the note first and from the row only where the note does
 * not mention it.
 *
 * A binary trace has no complete events. A begin whose end says nothing by itself (no name, no arguments) is written as
 * one: that is how recorders end slices, and how complete events were converted; an end with a name stays an event.
 * Tracks that are no thread's are threads of their own in JSON, with ids that no system gives (OWN_IDS and up) and the
 * track's name; operations of an async group differ by their ids. What has no process stands in one with such an id.
 */
#include "write/chrome/chrome_event.h"

#include <string.h>

#include "base/text/json_text.h"

/* Ids of tracks that are no thread's: 32 bits, as Perfetto wants them. */
#define OWN_IDS 0xf0000000u

void pf_chrome_start(pf_chrome *c, const pf_trace *t, pf_budget *budget)
{
    *c = (pf_chrome){.t = t,
                     .budget = budget,
                     .events = pf_trace_events(t)->count,
                     .slices = pf_trace_slices(t)->count,
                     .tracks = pf_trace_tracks(t)->count};
    c->exact = pf_trace_input_count(t) > 0;
    for (size_t i = 0; i < pf_trace_input_count(t); i++) {
        c->exact = c->exact && strcmp(pf_trace_input(t, i)->format, "chrome-json") == 0;
    }
    c->from_json = c->exact || pf_trace_is_converted(t, false);
    pf_arena_init(&c->arena, budget);
}

void pf_chrome_free(pf_chrome *c)
{
    pf_arena_free(&c->arena);
    pf_json_samples_free(&c->samples);
    pf_release(c->budget, c->pid, c->processes * sizeof *c->pid);
    pf_buffer_free(&c->out);
    pf_buffer_free(&c->nesting);
}

/* What most events note. */
static const pf_origin NOTHING = {0};

/* ,"key":"text" unless there is no text. */
static void put_text_member(pf_chrome *c, const char *key, uint32_t string)
{
    pf_str text = pf_trace_string(c->t, string);
    if (text.ptr) {
        pf_chrome_put(c, key);
        pf_json_put_text(&c->out, text);
    }
}

/* ,"key":value of a JSON text; nothing if the text is empty or no JSON. */
static void put_json_member(pf_chrome *c, const char *key, pf_str json)
{
    size_t before = c->out.len;
    pf_chrome_put(c, key);
    if (!pf_json_put_value(&c->out, json, c->budget->limits.depth)) {
        c->out.len = before;
    }
}

void pf_chrome_put_noted(pf_chrome *c, const pf_origin *o, pf_member member, const char *key)
{
    if (o->member[member].form == PF_FORM_INTEGER) {
        pf_chrome_put(c, key);
        pf_buffer_decimal(&c->out, o->member[member].number);
    } else {
        put_json_member(c, key, o->member[member].text);
    }
}

/* Nanoseconds as microseconds, without zeros at the end of the fraction. */
void pf_chrome_put_ns(pf_chrome *c, int64_t v)
{
    if (pf_trace_time_unit(c->t) == PF_UNIT_CYCLE) {
        pf_chrome_put_int(c, v);
        return;
    }
    uint64_t magnitude = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
    unsigned rest = (unsigned)(magnitude % 1000);
    if (v < 0) {
        pf_chrome_put(c, "-");
    }
    pf_buffer_decimal(&c->out, magnitude / 1000);
    if (rest) {
        const char digits[4] = {'.', (char)('0' + rest / 100), (char)('0' + rest / 10 % 10), (char)('0' + rest % 10)};
        pf_buffer_put(&c->out, digits, rest % 10 ? 4 : rest % 100 ? 3 : 2);
    }
}

/* A number as the input spelled it; what JSON would not take for one (".5", "+1") as a text. */
static void put_number(pf_chrome *c, pf_str spelled)
{
    if (!pf_json_put_value(&c->out, spelled, 1)) {
        pf_json_put_text(&c->out, spelled);
    }
}

/* An id as the input spelled it. */
static void put_spelled(pf_chrome *c, pf_id_kind kind, uint32_t text, int64_t number)
{
    pf_str spelled = pf_trace_string(c->t, text);
    if (kind == PF_ID_TEXT) {
        pf_json_put_text(&c->out, spelled.ptr ? spelled : PF_STR(""));
    } else if (kind == PF_ID_REAL && spelled.len) {
        put_number(c, spelled);
    } else {
        pf_chrome_put_int(c, number);
    }
}

static inline void put_id(pf_chrome *c, const char *key, pf_id_kind kind, uint32_t text, int64_t number)
{
    if (kind != PF_ID_ABSENT) {
        pf_chrome_put(c, key);
        put_spelled(c, kind, text, number);
    }
}

static void put_pid(pf_chrome *c, uint32_t upid)
{
    const pf_processes *p = pf_trace_processes(c->t);
    put_id(c, ",\"pid\":", p->kind[upid], p->text[upid], c->pid ? c->pid[upid] : p->pid[upid]);
}

static void put_tid(pf_chrome *c, uint32_t utid)
{
    const pf_threads *th = pf_trace_threads(c->t);
    pf_str said;
    if (pf_trace_said_tid(c->t, utid, &said) && said.ptr) {
        if (said.len && said.ptr[0] != '"') {
            pf_chrome_put(c, ",\"tid\":");
            put_number(c, said);
        } else {
            put_json_member(c, ",\"tid\":", said);
        }
        return;
    }
    put_id(c, ",\"tid\":", th->kind[utid], th->text[utid], th->tid[utid]);
}

void pf_chrome_put_tid_of(pf_chrome *c, uint32_t row)
{
    static const char member[] = ",\"tid\":";
    uint32_t utid = pf_trace_tracks(c->t)->utid[pf_trace_events(c->t)->track[row]];
    size_t start = c->out.len, prefix = sizeof member - 1;
    if (utid != PF_NONE) {
        put_tid(c, utid);
    }
    if (!c->out.failed && c->out.len >= start + prefix) {
        c->out.len -= prefix;
        memmove(c->out.data + start, c->out.data + start + prefix, c->out.len - start);
    }
}

/* Whether JSON must show the track as a thread of its own. Tracks next to a thread are lanes of it in our conversions.
 */
static bool is_own_thread(const pf_chrome *c, uint32_t track)
{
    const pf_tracks *tr = pf_trace_tracks(c->t);
    pf_track_type type = tr->type[track];
    bool lane = type == PF_TRACK_THREAD_OVERLAP || (type == PF_TRACK_THREAD_EVENT && c->from_json);
    return type != PF_TRACK_THREAD_EXECUTION && !lane && !pf_track_type_is_counter(type);
}

void pf_chrome_put_place(pf_chrome *c, uint32_t track, pf_chrome_place as, const pf_origin *o)
{
    const pf_tracks *tr = pf_trace_tracks(c->t);
    if (!pf_chrome_put_said(c, o, PF_MEMBER_PID, ",\"pid\":")) {
        if (tr->upid[track] != PF_NONE) {
            put_pid(c, tr->upid[track]);
        } else if (as != PF_CHROME_AS_IT_IS) {
            pf_chrome_put(c, ",\"pid\":");
            pf_buffer_decimal(&c->out, OWN_IDS);
        }
    }
    if (pf_chrome_put_said(c, o, PF_MEMBER_TID, ",\"tid\":")) {
        return;
    }
    if (as == PF_CHROME_OWN_THREAD) {
        pf_chrome_put(c, ",\"tid\":");
        pf_buffer_decimal(&c->out, OWN_IDS + track);
    } else if (tr->utid[track] != PF_NONE) {
        put_tid(c, tr->utid[track]);
    }
}

void pf_chrome_begin(pf_chrome *c, char phase)
{
    pf_chrome_put(c, c->written++ ? ",\n{\"ph\":" : "\n{\"ph\":");
    const char quoted[] = {'"', phase, '"'};
    if (phase >= 'A' && phase <= 'z' && phase != '\\') {
        pf_buffer_put(&c->out, quoted, sizeof quoted);
    } else { /* a binary trace may have any number there */
        pf_json_put_text(&c->out, (pf_str){&phase, 1});
    }
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
    pf_chrome_begin(c, 'M');
    pf_chrome_put(c, ",\"name\":\"thread_name\"");
    pf_chrome_put_place(c, track, PF_CHROME_OWN_THREAD, &NOTHING);
    pf_chrome_put(c, ",\"args\":{\"name\":");
    pf_json_put_text(&c->out, name.ptr ? name : PF_STR("track"));
    pf_chrome_put(c, "}}");
}

/* The id of an async operation: the number of its track row, or the uuid that a binary trace gave it. */
static void put_async_id(pf_chrome *c, uint32_t track)
{
    const pf_tracks *tr = pf_trace_tracks(c->t);
    bool of_process = tr->upid[track] != PF_NONE;
    pf_chrome_put(c, of_process ? ",\"id2\":{\"local\":\"0x" : ",\"id\":\"0x");
    pf_buffer_hex(&c->out, tr->uuid[track] ? tr->uuid[track] : track);
    pf_chrome_put(c, of_process ? "\"}" : "\"");
}

static void put_bind_id(pf_chrome *c, uint64_t id, const char *directions)
{
    pf_chrome_put(c, ",\"bind_id\":\"0x");
    pf_buffer_hex(&c->out, id);
    pf_chrome_put(c, directions);
}

/* noted: ids and directions are in the note of the event. */
static void put_flow(pf_chrome *c, uint32_t row, bool noted)
{
    uint32_t i = pf_rows_seek(c->t->flow_refs.event, c->t->flow_refs.count, row, &c->flow_hint);
    for (; i < c->t->flow_refs.count && c->t->flow_refs.event[i] == row; i++) {
        long long id = (long long)c->t->flow_refs.id[i];
        pf_flow_kind kind = (pf_flow_kind)c->t->flow_refs.kind[i];
        if (noted) {
            pf_chrome_put(c, kind == PF_FLOW_END ? ",\"bp\":\"e\"" : "");
            continue;
        }
        switch (kind) {
        case PF_FLOW_START:
        case PF_FLOW_STEP:
        case PF_FLOW_END_NEXT:
            pf_chrome_put(c, ",\"id\":");
            pf_chrome_put_int(c, id);
            break;
        case PF_FLOW_END:
            pf_chrome_put(c, ",\"id\":");
            pf_chrome_put_int(c, id);
            pf_chrome_put(c, ",\"bp\":\"e\"");
            break;
        case PF_FLOW_BIND_START:
        case PF_FLOW_ARROW_FROM:
            put_bind_id(c, c->t->flow_refs.id[i], "\",\"flow_out\":true");
            break;
        case PF_FLOW_BIND_STEP:
        case PF_FLOW_FLOW:
            put_bind_id(c, c->t->flow_refs.id[i], "\",\"flow_in\":true,\"flow_out\":true");
            break;
        case PF_FLOW_BIND_END:
        case PF_FLOW_TERMINATE:
        case PF_FLOW_ARROW_TO:
            put_bind_id(c, c->t->flow_refs.id[i], "\",\"flow_in\":true");
            break;
        case PF_FLOW_GPU_STAGE:
        case PF_FLOW_GPU_AFTER:
        case PF_FLOW_GPU_SUBMIT:
        case PF_FLOW_GPU_AWAIT:
            break; /* Chrome's format has no form for GPU work */
        }
    }
}

static void put_thread_time(pf_chrome *c, uint32_t row, uint32_t slice, char phase, const pf_origin *o)
{
    const pf_slices *s = pf_trace_slices(c->t);
    uint32_t i = pf_rows_find(c->t->thread_times.event, c->t->thread_times.count, row, &c->thread_time_hint);
    bool has_row = i != PF_NONE;
    int64_t ts = has_row ? c->t->thread_times.ts[i] : INT64_MIN, dur = has_row ? c->t->thread_times.dur[i] : INT64_MIN;
    if (!pf_chrome_put_said(c, o, PF_MEMBER_TTS, ",\"tts\":") && ts != INT64_MIN) {
        pf_chrome_put_time(c, ",\"tts\":", ts);
    }
    if (has_row && dur == INT64_MIN && slice != PF_NONE && s->thread_dur) {
        dur = s->thread_dur[slice];
    }
    if (!pf_chrome_put_said(c, o, PF_MEMBER_TDUR, ",\"tdur\":") && phase == 'X' && dur != INT64_MIN) {
        pf_chrome_put_time(c, ",\"tdur\":", dur);
    }
}

/* The letter that says in JSON what the event is; 0: nothing by itself. */
static char letter_of(const pf_chrome *c, uint32_t row, uint32_t slice)
{
    const pf_events *e = pf_trace_events(c->t);
    const pf_tracks *tr = pf_trace_tracks(c->t);
    uint8_t phase = e->phase[row] & (uint8_t)~PF_PHASE_BAD_TS;
    bool paired = slice != PF_NONE && c->pair[slice];
    if (!c->exact && pf_track_is_async(tr, e->track[row])) {
        return phase == 'B' ? 'b' : phase == 'E' ? 'e' : phase == 'i' || phase == 'I' ? 'n' : (char)phase;
    }
    if (paired) {
        return phase == 'B' ? 'X' : 0;
    }
    return phase == PF_PHASE_STATE ? 0 : (char)phase; /* Chrome has no word for states */
}

/* A phase as the note says it: a letter, or a text. */
static void begin_as_said(pf_chrome *c, const pf_origin *o, char letter)
{
    if (o->member[PF_MEMBER_PHASE].form != PF_FORM_TEXT) {
        pf_chrome_begin(c, letter);
        return;
    }
    size_t before = c->out.len;
    pf_chrome_put(c, c->written++ ? ",\n{\"ph\":" : "\n{\"ph\":");
    if (!pf_json_put_value(&c->out, o->member[PF_MEMBER_PHASE].text, c->budget->limits.depth)) {
        c->out.len = before;
        c->written--;
        pf_chrome_begin(c, letter);
    }
}

/* Name and category; both ends of an operation say the same, unless JSON had it otherwise. */
static void put_names(pf_chrome *c, uint32_t row, uint32_t slice, const pf_origin *o)
{
    const pf_events *e = pf_trace_events(c->t);
    const pf_slices *s = pf_trace_slices(c->t);
    bool by_slice = slice != PF_NONE && !c->from_json && pf_track_is_async(pf_trace_tracks(c->t), e->track[row]);
    if (!pf_chrome_put_said(c, o, PF_MEMBER_NAME, ",\"name\":")) {
        put_text_member(c, ",\"name\":", by_slice ? pf_slice_name(s, slice) : e->name[row]);
    }
    if (!pf_chrome_put_said(c, o, PF_MEMBER_CATEGORY, ",\"cat\":")) {
        put_text_member(c, ",\"cat\":", by_slice ? pf_slice_category(s, slice) : e->category ? e->category[row] : 0);
    }
}

static void put_times(pf_chrome *c, uint32_t row, uint32_t slice, char letter, const pf_origin *o)
{
    const pf_events *e = pf_trace_events(c->t);
    bool silent = c->exact && letter == 'M' && e->ts[row] == 0;
    if (!pf_chrome_put_said(c, o, PF_MEMBER_TS, ",\"ts\":") && !(e->phase[row] & PF_PHASE_BAD_TS) && !silent) {
        pf_chrome_put_time(c, ",\"ts\":", e->ts[row]);
    }
    if (!pf_chrome_put_said(c, o, PF_MEMBER_DUR, ",\"dur\":") && letter == 'X') {
        int64_t dur = e->phase[row] == 'X' ? e->dur[row]
                      : slice != PF_NONE   ? pf_trace_slices(c->t)->dur[slice]
                                           : 0; /* an instant that was a complete event without length */
        if (dur >= 0) {
            pf_chrome_put_time(c, ",\"dur\":", dur);
        }
    }
}

/* Arguments and further members as note and row say them, and the end of the event. */
static pf_status put_rest(pf_chrome *c, const pf_origin *o, uint32_t row, pf_error *err)
{
    if (o->member[PF_MEMBER_ARGS].form == PF_FORM_INTEGER) {
        pf_chrome_put(c, ",\"args\":{}");
    } else if (!pf_chrome_put_said(c, o, PF_MEMBER_ARGS, ",\"args\":")) {
        PF_TRY(pf_chrome_put_args(c, row, err));
    }
    if (o->more.ptr) {
        pf_json_put_members(&c->out, o->more, c->budget->limits.depth);
    }
    pf_chrome_put(c, "}");
    return PF_OK;
}

/* The event as a whole; false if it cannot be written so. */
static bool put_whole(pf_chrome *c, const pf_origin *o)
{
    if (!o->whole.ptr) {
        return false;
    }
    size_t before = c->out.len;
    pf_chrome_put(c, c->written++ ? ",\n" : "\n");
    if (pf_json_put_value(&c->out, o->whole, c->budget->limits.depth)) {
        return true;
    }
    c->out.len = before;
    c->written--;
    return false;
}

pf_status pf_chrome_put_event(pf_chrome *c, uint32_t row, pf_error *err)
{
    const pf_events *e = pf_trace_events(c->t);
    const pf_tracks *tr = pf_trace_tracks(c->t);
    pf_str note = pf_trace_origin(c->t, row);
    pf_origin noted;
    const pf_origin *o = &NOTHING;
    if (note.ptr) {
        noted = pf_origin_read((const uint8_t *)note.ptr, note.len);
        o = &noted;
    }
    uint32_t slice = c->slice_of ? c->slice_of[row] : PF_NONE, track = e->track[row];
    char letter = letter_of(c, row, slice);
    letter = o->member[PF_MEMBER_PHASE].form == PF_FORM_INTEGER && letter
                 ? (char)(o->member[PF_MEMBER_PHASE].number & 0x7f)
                 : letter;
    bool instant = letter == 'i' || letter == 'I' || letter == 'R', async = pf_track_is_async(tr, track);
    bool own = !c->exact && !instant && !async && is_own_thread(c, track);
    if (letter == 0 || o->hidden || put_whole(c, o)) {
        return PF_OK;
    }
    if (own) {
        introduce(c, track);
    }
    begin_as_said(c, o, letter);
    put_names(c, row, slice, o);
    pf_chrome_put_place(c, track,
                        own                  ? PF_CHROME_OWN_THREAD
                        : async && !c->exact ? PF_CHROME_IN_A_PROCESS
                                             : PF_CHROME_AS_IT_IS,
                        o);
    put_times(c, row, slice, letter, o);
    put_thread_time(c, row, slice, letter, o);
    if (!pf_chrome_put_said(c, o, PF_MEMBER_ID, ",\"id\":") && async && !note.ptr) {
        put_async_id(c, track);
    }
    if (!pf_chrome_put_said(c, o, PF_MEMBER_SCOPE, ",\"s\":") && instant) {
        pf_chrome_put(c, tr->utid[track] != PF_NONE   ? ",\"s\":\"t\""
                         : tr->upid[track] != PF_NONE ? ",\"s\":\"p\""
                                                      : ",\"s\":\"g\"");
    }
    put_flow(c, row, note.ptr != NULL);
    return put_rest(c, o, row, err);
}
