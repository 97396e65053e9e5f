/* read/chrome_json/apply/json_extras.c - what an event says beyond its row, for those who write it as JSON again
 * (model/trace/json_notes.h).
 *
 * Most events say nothing more, and a look at the record settles that. Where ids, phase or scope are not the row's, the
 * record is enough to note them. Anything else (members that nobody knows, values of an unexpected kind) was only
 * flagged when the event was read: then its text is walked once more, member by member, and what neither the row nor
 * the record has is noted as it is written.
 *
 * The id of a thread may be spelled in several ways: 0 or nothing stand for the main thread of a process. How the first
 * event on the thread spells it holds for all, and those that differ have it noted. Names and counters often come
 * without a thread id; they settle nothing.
 */
#include "base/str.h"
#include "base/text/number.h"
#include "model/trace/json_notes.h"
#include "read/chrome_json/apply/json_applier.h"

/* Whether a row that was found by the id, and is printed by its kind, text and number, is printed as the id is. */
static bool is_spelled(const pf_json_applier *a, const pf_json_id *id, uint8_t kind, uint32_t text, int64_t number)
{
    if (id->kind != kind) {
        return false;
    }
    pf_str said = pf_strings_get(&a->t->strings, text);
    return kind == PF_ID_INT    ? number == id->number
           : kind == PF_ID_REAL ? said.len == id->len && memcmp(said.ptr, id->ptr, id->len) == 0
                                : true;
}

/* The id as JSON, appended. */
static void put_spelling(pf_buffer *b, const pf_json_id *id)
{
    switch (id->kind) {
    case PF_JSON_ID_INT:
        pf_buffer_format(b, "%lld", (long long)id->number);
        break;
    case PF_JSON_ID_TEXT:
        pf_buffer_put(b, "\"", 1);
        pf_buffer_put(b, id->ptr, id->len);
        pf_buffer_put(b, "\"", 1);
        break;
    case PF_JSON_ID_REAL:
        pf_buffer_put(b, id->ptr, id->len);
        break;
    default:
        break;
    }
}

/* Phases of events on threads. */
static bool settles_spelling(uint8_t phase)
{
    return phase && strchr("XBEiIRstf", phase);
}

void pf_json_judge_spelling(pf_json_applier *a, const pf_json_record *r, pf_json_ids *ids)
{
    pf_trace *t = a->t;
    uint32_t upid = ids->thread.upid, utid = ids->thread.utid;
    pf_json_id pid = ids->pid, tid = ids->tid;
    pf_str said, text = {NULL, 0};
    pf_json_settle_digits(&pid);
    pf_json_settle_digits(&tid);
    ids->thread.odd = is_spelled(a, &pid, t->processes.kind[upid], t->processes.text[upid], t->processes.pid[upid])
                          ? 0
                          : PF_JSON_ODD_PID;
    if (!is_spelled(a, &tid, t->threads.kind[utid], t->threads.text[utid], t->threads.tid[utid])) {
        a->note.len = 0;
        put_spelling(&a->note, &tid);
        text = (pf_str){a->note.len ? a->note.data : "", a->note.len};
        if (a->note.failed) {
            pf_no_memory(a->err);
            return;
        }
    }
    ids->settled = pf_trace_said_tid(t, utid, &said);
    if (ids->settled) {
        bool equal = said.ptr && text.ptr ? pf_str_equal(said, text) : !said.ptr && !text.ptr;
        ids->thread.odd |= equal ? 0 : PF_JSON_ODD_TID;
    } else if (settles_spelling(r->phase)) {
        ids->settled = true;
        pf_trace_say_tid(t, utid, text, a->err);
    } else {
        ids->thread.odd |= PF_JSON_ODD_TID; /* what holds for all is not known yet */
    }
}

static void put_id(pf_writer *w, pf_member member, const pf_json_id *written)
{
    pf_json_id settled = *written, *id = &settled;
    pf_json_settle_digits(id);
    if (id->kind == PF_JSON_ID_INT && id->number >= 0) {
        pf_origin_put_number(w, member, id->number);
    } else {
        pf_writer_begin(w, PF_ORIGIN_MEMBER + (uint32_t)member);
        put_spelling(w->out, id);
        pf_writer_end(w);
    }
}

/* Whether the row keeps the thread clock. */
static bool keeps_clock(const pf_json_applier *a, const pf_event *e)
{
    bool has_one = e->phase == 'X' || e->phase == 'B' || e->phase == 'E' || e->phase == 'i';
    return has_one && a->t->want & PF_WANT_SLICES && a->t->tracks.type[e->track] == PF_TRACK_THREAD_EXECUTION;
}

/* The letter of the scope that the track of an instant implies, 0 for other events. */
static uint8_t implied_scope(const pf_json_applier *a, const pf_event *e)
{
    if ((e->phase & ~PF_PHASE_BAD_TS) != 'i') {
        return 0;
    }
    uint8_t type = a->t->tracks.type[e->track];
    return type == PF_TRACK_JSON_GLOBAL_INSTANTS ? 'g' : type == PF_TRACK_JSON_PROCESS_INSTANTS ? 'p' : 't';
}

static bool is_flow(const pf_json_applier *a, const pf_event *e)
{
    const pf_trace *t = a->t;
    uint32_t n = t->flow_refs.count;
    return (e->phase == 's' || e->phase == 't' || e->phase == 'f') && n &&
           t->flow_refs.event[n - 1] == t->events.count - 1;
}

/* Whether the row says the duration of a complete event as it is written, as far as that is asked for. */
static bool is_exact_dur(const pf_json_applier *a, const pf_json_record *r)
{
    return !(a->t->want & PF_WANT_WRITTEN_DUR) ||
           (!(r->flags & PF_JSON_ROUNDED_DUR) && (uint64_t)r->dur <= PF_JSON_DUR_EXACT);
}

/* Whether the row and the record tell the event without a look at its text. */
static bool is_covered(const pf_json_applier *a, const pf_json_record *r, const pf_event *e)
{
    bool sized = r->flags & PF_JSON_HAS_DUR, clocked = r->flags & (PF_JSON_HAS_TTS | PF_JSON_HAS_TDUR);
    return !(r->flags & PF_JSON_ODD) && (!sized || (e->phase == 'X' && e->dur >= 0 && is_exact_dur(a, r))) &&
           (!clocked || (keeps_clock(a, e) && (e->phase == 'X' || !(r->flags & PF_JSON_HAS_TDUR)))) &&
           (!r->scope || r->scope == implied_scope(a, e)) &&
           (!(r->flags & PF_JSON_BIND_ENCLOSING) || (e->phase == 'f' && is_flow(a, e)));
}

/* Whether a value is what the row has room for: a text with something in it, or, if `number` is set, a number. */
static bool is_plain(pf_str value, bool number)
{
    char c = value.ptr[0];
    return c == '"' ? value.len > 2 || number : number && (c == '-' || (c >= '0' && c <= '9'));
}

/* The place that a key has in the row, PF_MEMBER_COUNT if it has none. */
static pf_member place_of(pf_str key)
{
    static const char *const keys[PF_MEMBER_COUNT] = {
        [PF_MEMBER_PHASE] = "ph",  [PF_MEMBER_TS] = "ts",   [PF_MEMBER_DUR] = "dur",   [PF_MEMBER_PID] = "pid",
        [PF_MEMBER_TID] = "tid",   [PF_MEMBER_ID] = "id",   [PF_MEMBER_NAME] = "name", [PF_MEMBER_CATEGORY] = "cat",
        [PF_MEMBER_ARGS] = "args", [PF_MEMBER_SCOPE] = "s", [PF_MEMBER_TTS] = "tts",   [PF_MEMBER_TDUR] = "tdur"};
    unsigned i = 0;
    while (i < PF_MEMBER_COUNT && !pf_str_is(key, keys[i])) {
        i++;
    }
    return (pf_member)i;
}

/* Whether a time in cycles was written otherwise than as the whole number that was read of it. */
static bool is_cut(const pf_json_applier *a, pf_str value, int64_t number)
{
    int64_t said;
    return a->dialect->unit == PF_UNIT_CYCLE && !(pf_parse_int(value.ptr, value.len, &said) && said == number);
}

/* Whether row or record tell a value that has a place in the row. */
static bool is_in_row(const pf_json_applier *a, const pf_json_record *r, const pf_event *e, pf_member member,
                      pf_str value)
{
    switch (member) {
    case PF_MEMBER_PHASE:
        return value.len == 3;
    case PF_MEMBER_TS:
        return r->flags & PF_JSON_HAS_TS && !is_cut(a, value, e->ts);
    case PF_MEMBER_DUR:
        return e->phase == 'X' && e->dur >= 0 && is_exact_dur(a, r) && !is_cut(a, value, e->dur);
    case PF_MEMBER_ARGS:
        return !(r->flags & PF_JSON_OTHER_ARGS) && (r->args_len || r->flags & (PF_JSON_ARGS_LOST | PF_JSON_ARGS_EMPTY));
    case PF_MEMBER_NAME:
    case PF_MEMBER_CATEGORY:
        return is_plain(value, false);
    case PF_MEMBER_SCOPE:
        return value.len == 3 && (uint8_t)value.ptr[1] == implied_scope(a, e);
    case PF_MEMBER_TTS:
        return r->flags & PF_JSON_HAS_TTS && keeps_clock(a, e);
    case PF_MEMBER_TDUR:
        return r->flags & PF_JSON_HAS_TDUR && e->phase == 'X' && keeps_clock(a, e);
    default:
        return is_plain(value, true);
    }
}

/* Whether a member without a place in the row follows from what else the row has. */
static bool is_implied(const pf_json_applier *a, const pf_json_record *r, const pf_event *e, const pf_json_member *m)
{
    return pf_str_is(m->key, "bp") && r->flags & PF_JSON_BIND_ENCLOSING && m->value.len == 3 && e->phase == 'f' &&
           is_flow(a, e);
}

static void take_text(const pf_json_applier *a, const pf_json_record *r, const pf_event *e, pf_writer *w)
{
    const uint8_t *start = a->piece->base + r->offset + 1, *p = start, *end = a->end;
    pf_json_member m;
    bool more = false;
    while (pf_json_next_member(&p, end, &m)) {
        pf_member place = place_of(m.key);
        more |= place == PF_MEMBER_COUNT && !is_implied(a, r, e, &m);
        if (place != PF_MEMBER_COUNT && !is_in_row(a, r, e, place, m.value)) {
            pf_origin_put_text(w, place, m.value);
        }
    }
    if (!more) {
        return;
    }
    pf_writer_begin(w, PF_ORIGIN_MORE);
    char before = '{';
    for (p = start; pf_json_next_member(&p, end, &m);) {
        if (place_of(m.key) == PF_MEMBER_COUNT && !is_implied(a, r, e, &m)) {
            pf_writer_raw(w, &before, 1);
            pf_writer_raw(w, "\"", 1);
            pf_writer_raw(w, m.key.ptr, m.key.len);
            pf_writer_raw(w, "\":", 2);
            pf_writer_raw(w, m.value.ptr, m.value.len);
            before = ',';
        }
    }
    pf_writer_raw(w, "}", 1);
    pf_writer_end(w);
}

static bool is_slice(const pf_json_record *r)
{
    return r->phase == 'B' || r->phase == 'E' || r->phase == 'X';
}

/* The note in a->note, if it says anything, becomes that of the row added last. */
static void add_note(pf_json_applier *a, pf_writer *w)
{
    bool failed = w->failed || a->note.failed;
    pf_writer_free(w);
    if (failed) {
        pf_no_memory(a->err);
    } else if (a->note.len) {
        pf_trace_add_origin(a->t, (const uint8_t *)a->note.data, a->note.len, true, a->err);
    }
}

void pf_json_note_origin(pf_json_applier *a, const pf_json_record *r, const pf_json_thread *who, const pf_event *e)
{
    const pf_json_id own = pf_json_id_of(a->piece, r), *id = &own;
    bool elsewhere = e->track != who->track;
    if (a->t->want & PF_WANT_NEW_SLICES && is_slice(r) && !elsewhere && !who->odd) {
        return;
    }
    bool covered = is_covered(a, r, e);
    bool renamed = (e->phase & ~PF_PHASE_BAD_TS) != r->phase, zero = r->phase == 'M' && r->flags & PF_JSON_HAS_TS;
    if (covered && !elsewhere && !renamed && !who->odd && id->kind == PF_JSON_ID_ABSENT && !(zero && e->ts == 0) &&
        !(r->flags & PF_JSON_ARGS_EMPTY)) {
        return;
    }
    pf_writer w;
    a->note.len = 0;
    pf_writer_init(&w, &a->note);
    if (renamed) {
        pf_origin_put_number(&w, PF_MEMBER_PHASE, r->phase);
    }
    if (who->odd & PF_JSON_ODD_PID || (elsewhere && a->t->tracks.upid[e->track] == PF_NONE)) {
        put_id(&w, PF_MEMBER_PID, &a->piece->threads[r->thread].pid);
    }
    if (who->odd & PF_JSON_ODD_TID || elsewhere) {
        put_id(&w, PF_MEMBER_TID, &a->piece->threads[r->thread].tid);
    }
    if (id->kind != PF_JSON_ID_ABSENT) {
        put_id(&w, PF_MEMBER_ID, id);
    }
    if (zero && e->ts == 0) {
        pf_origin_put_number(&w, PF_MEMBER_TS, 0);
    }
    if (r->flags & PF_JSON_ARGS_EMPTY) {
        pf_origin_put_number(&w, PF_MEMBER_ARGS, 0);
    }
    if (r->flags & PF_JSON_OTHER_ARGS) { /* no args, if the text has none */
        pf_origin_put_text(&w, PF_MEMBER_ARGS, PF_STR(""));
    }
    if (!covered) {
        take_text(a, r, e, &w);
    }
    add_note(a, &w);
}

void pf_json_note_dur(pf_json_applier *a, const pf_json_record *r, const pf_event *e)
{
    bool placed = e->phase & PF_PHASE_BAD_TS, known = r->flags & (PF_JSON_HAS_DUR | PF_JSON_BAD_DUR);
    const uint8_t *p = a->piece->base + r->offset + 1;
    pf_str text = {NULL, 0};
    pf_json_member m;
    pf_writer w;
    if (!known || (is_exact_dur(a, r) && !placed)) {
        return;
    }
    while (pf_json_next_member(&p, a->end, &m)) {
        text = place_of(m.key) == PF_MEMBER_DUR ? m.value : text;
    }
    a->note.len = 0;
    pf_writer_init(&w, &a->note);
    pf_origin_put_text(&w, PF_MEMBER_DUR, text);
    if (!placed && !(a->t->want & PF_WANT_OFFSETS)) {
        pf_trace_note_offset(a->t, pf_json_offset(a->piece, r), a->err);
    }
    add_note(a, &w);
}

void pf_json_keep_entry(pf_json_applier *a, const pf_json_text *key, const pf_json_text *value)
{
    pf_buffer *b = &a->note;
    b->len = 0;
    pf_buffer_text(b, "{\"");
    pf_buffer_put(b, key->ptr, key->len);
    pf_buffer_text(b, "\":");
    pf_buffer_put(b, value->ptr, value->len);
    pf_buffer_text(b, "}");
    if (b->failed) {
        pf_no_memory(a->err);
    } else {
        pf_trace_add_leftover(a->t, true, (pf_str){b->data, b->len}, PF_NONE, a->err);
    }
}
