/* read/chrome_json/apply/json_apply.c - records to rows.
 *
 * Everything here happens in file order on one thread. What most events need was found before: a piece remembers the
 * string ids of its short texts and the rows of its threads, and a record refers to them by number.
 *
 * A dialect with rules of its own is recognised by the name that a process_name event gives. What was read before by
 * other rules would be wrong: the caller tokenizes again.
 */

#include "read/chrome_json/apply/json_applier.h"

/* The string id of a text that a record refers to. */
static inline uint32_t text_id(pf_json_applier *a, uint32_t ref, uint64_t offset)
{
    if (ref == 0) {
        return 0;
    }
    if (ref <= PF_JSON_TEXTS) {
        uint32_t *known = &a->piece->text_id[ref - 1];
        if (__builtin_expect(*known == 0, 0)) {
            const pf_json_known_text *k = &a->piece->text[ref - 1];
            uint32_t id = pf_strings_add(&a->t->strings, (const char *)k->words.w, k->len, a->err);
            *known = id == PF_NONE ? 0 : id;
            return id;
        }
        return *known;
    }
    pf_json_other_text *o = &a->piece->other[ref - PF_JSON_TEXTS - 1];
    if (o->id == 0) {
        uint32_t id = pf_json_intern(a, &o->text, offset);
        o->id = id == PF_NONE ? 0 : id;
        return id;
    }
    return o->id;
}

static bool phase_is_known(uint8_t phase)
{
    static const uint8_t known[256] = {
        ['B'] = 1, ['E'] = 1, ['X'] = 1, ['i'] = 1, ['C'] = 1, ['M'] = 1, ['b'] = 1, ['e'] = 1,
        ['n'] = 1, ['S'] = 1, ['T'] = 1, ['F'] = 1, ['p'] = 1, ['s'] = 1, ['t'] = 1, ['f'] = 1,
    };
    return known[phase];
}

static uint32_t add_instant_track(pf_json_applier *a, pf_track_type type, uint32_t upid)
{
    const pf_track_row row = {.type = type, .upid = upid, .utid = PF_NONE, .parent = PF_NONE, .group = PF_NONE};
    return pf_json_track(a, &row);
}

/* Instants of the scopes "global" and "process" have tracks of their own. */
static void instant_track(pf_json_applier *a, const pf_json_record *r, uint32_t upid, uint32_t *track)
{
    if (r->scope == 'g') {
        if (a->global_instants == PF_NONE) {
            a->global_instants = add_instant_track(a, PF_TRACK_JSON_GLOBAL_INSTANTS, PF_NONE);
        }
        *track = a->global_instants;
    } else if (r->scope == 'p') {
        *track = pf_map_get(&a->process_instants, upid);
        if (*track == PF_NONE) {
            *track = add_instant_track(a, PF_TRACK_JSON_PROCESS_INSTANTS, upid);
            pf_json_put(a, &a->process_instants, upid, *track);
        }
    }
}

/* Fills time, duration and phase; counts what is missing. */
static void judge_times(pf_json_applier *a, const pf_json_record *r, pf_event *e)
{
    e->phase = r->phase == 'I' || r->phase == 'R' ? 'i' : r->phase;
    if (!phase_is_known(e->phase)) {
        pf_trace_count(a->t, PF_STAT_JSON_UNKNOWN_PHASE, pf_json_offset(a->piece, r));
    }
    bool has_ts = r->flags & PF_JSON_HAS_TS, has_dur = r->flags & PF_JSON_HAS_DUR;
    if ((!has_ts && e->phase != 'M') || r->flags & PF_JSON_BAD_TIME) {
        pf_trace_count(a->t, PF_STAT_JSON_TOKENIZER_FAILURE, pf_json_offset(a->piece, r));
    }
    if (!has_ts) {
        e->phase |= e->phase == 'M' ? 0 : PF_PHASE_BAD_TS;
        return;
    }
    e->ts = r->ts;
    if (e->phase == 'X') {
        e->dur = has_dur ? r->dur : -1;
        if (e->dur < 0 && !(r->flags & PF_JSON_BAD_DUR)) {
            pf_trace_count(a->t, has_dur ? PF_STAT_SLICE_NEGATIVE_DURATION : PF_STAT_JSON_PARSER_FAILURE,
                           pf_json_offset(a->piece, r));
        }
        e->dur = e->dur < 0 ? -1 : e->dur;
    }
}

static inline __attribute__((always_inline)) pf_status store_event(pf_json_applier *a, const pf_json_record *r,
                                                                   const pf_event *e)
{
    pf_trace *t = a->t;
    PF_TRY(pf_trace_add_event(t, e, a->err));
    if (e->phase & PF_PHASE_BAD_TS || t->want & PF_WANT_OFFSETS) {
        PF_TRY(pf_trace_note_offset(t, pf_json_offset(a->piece, r), a->err));
    }
    if (r->args_len && (e->phase == 'M' || t->want & PF_WANT_ARGS)) {
        const uint8_t *args = a->piece->base + r->args;
        return a->lasting ? pf_trace_add_lasting_args(t, args, r->args_len, a->decoder, 0, a->err)
                          : pf_trace_add_args(t, args, r->args_len, a->decoder, 0, true, a->err);
    }
    return PF_OK;
}

/* The track of an event that does not go to its thread's. */
static void special_track(pf_json_applier *a, const pf_json_record *r, uint32_t upid, pf_event *e)
{
    if (e->phase == 'i') {
        instant_track(a, r, upid, &e->track);
    } else if (e->phase == 'b' || e->phase == 'e' || e->phase == 'n') {
        pf_json_async_track(a, r, upid, e);
    }
}

/* Thread clocks count on thread tracks only. An instant has no length, an end one of its own where it equals its begin.
 */
static void apply_thread_time(pf_json_applier *a, const pf_json_record *r, const pf_event *e)
{
    bool has_ts = r->flags & PF_JSON_HAS_TTS, has_dur = r->flags & PF_JSON_HAS_TDUR && e->phase == 'X';
    if ((!has_ts && !has_dur) || a->t->tracks.type[e->track] != PF_TRACK_THREAD_EXECUTION || a->err->code != PF_OK) {
        return;
    }
    const pf_json_rare *rare = pf_json_rare_of(a->piece, r);
    const pf_thread_time time = {.ts = has_ts ? rare->tts : INT64_MIN,
                                 .dur = has_dur           ? rare->tdur
                                        : e->phase == 'E' ? 0
                                                          : INT64_MIN,
                                 .instruction_count = INT64_MIN,
                                 .instruction_delta = INT64_MIN};
    pf_trace_add_thread_time(a->t, &time, a->err);
}

/* Samples, arrows and the thread clock of the event row added last. */
static void apply_rest(pf_json_applier *a, const pf_json_record *r, uint32_t upid, const pf_event *e)
{
    uint32_t want = a->t->want;
    switch (e->phase) {
    case 'C':
        if (want & PF_WANT_COUNTERS) {
            pf_json_apply_counter(a, r, upid, e->name);
        }
        return;
    case 's':
    case 't':
    case 'f':
        if (want & PF_WANT_FLOWS) {
            pf_json_apply_flow(a, r, e);
        }
        return;
    case 'B':
    case 'X':
    case 'b':
    case 'n':
        if (want & PF_WANT_FLOWS && r->rare) {
            pf_json_apply_bind(a, r);
        }
        break;
    case 'E':
    case 'i':
        break;
    case 'P':
        pf_json_apply_profile(a, r, upid);
        return;
    case 'T': /* a state of the thread */
        if (r->flags & PF_JSON_HAS_DUR && e->name && e->ts >= 0 && r->dur >= 0 && r->dur <= INT64_MAX - e->ts) {
            pf_trace_cover(a->t, e->ts, e->ts + r->dur);
        }
        return;
    default:
        return;
    }
    if (r->flags & (PF_JSON_HAS_TTS | PF_JSON_HAS_TDUR) && want & PF_WANT_SLICES) {
        apply_thread_time(a, r, e);
    }
}

/* Flags of what needs more than a row, arguments and a flow. */
enum {
    NOT_PLAIN = PF_JSON_BAD_TIME | PF_JSON_HAS_TTS | PF_JSON_HAS_TDUR | PF_JSON_OTHER_ARGS | PF_JSON_HAS_STACK |
                PF_JSON_ROUNDED_DUR
};

/* What a plain event of the phase has to have; 0 for phases that never are. */
static const uint16_t needed[256] = {
    ['B'] = PF_JSON_HAS_TS, ['E'] = PF_JSON_HAS_TS, ['X'] = PF_JSON_HAS_TS | PF_JSON_HAS_DUR,
    ['s'] = PF_JSON_HAS_TS, ['t'] = PF_JSON_HAS_TS, ['f'] = PF_JSON_HAS_TS,
};

static inline bool is_arrow(uint8_t phase)
{
    return phase == 's' || phase == 't' || phase == 'f';
}

/* Whether the event is a slice, one end of it or of an arrow, on the track of its thread and with nothing odd about it:
 * then there is nothing to judge, and nothing hangs on it but arguments and the flow of an arrow. */
static inline bool is_plain(const pf_json_record *r)
{
    uint16_t need = needed[r->phase];
    return need && (r->flags & (need | NOT_PLAIN)) == need && (!r->rare || is_arrow(r->phase)) &&
           (r->phase != 'X' || (uint64_t)r->dur <= PF_JSON_DUR_EXACT);
}

static pf_status apply_any(pf_json_applier *a, const pf_json_record *r, const pf_json_thread *who, pf_event *e)
{
    judge_times(a, r, e);
    a->committed |= e->phase != 'M' || e->ts != 0;
    a->has_other_args |= (r->flags & PF_JSON_OTHER_ARGS) != 0;
    special_track(a, r, who->upid, e);
    PF_TRY(a->err->code);
    PF_TRY(store_event(a, r, e));
    apply_rest(a, r, who->upid, e);
    if (r->flags & PF_JSON_HAS_STACK && a->t->want & PF_WANT_SLICES) {
        pf_json_note_stack(a, r);
    }
    return a->err->code;
}

static inline __attribute__((always_inline)) pf_status apply_plain(pf_json_applier *a, const pf_json_record *r,
                                                                   uint32_t name, uint32_t category, uint32_t track)
{
    const pf_event e = {
        .ts = r->ts, .dur = r->dur, .name = name, .category = category, .track = track, .phase = r->phase};
    a->committed = true;
    PF_TRY(store_event(a, r, &e));
    if (is_arrow(r->phase) && a->t->want & PF_WANT_FLOWS) {
        const pf_event arrow = {.name = name, .category = category};
        pf_json_apply_flow(a, r, &arrow);
        return a->err->code;
    }
    return PF_OK;
}

/* The rows of the record's process and thread, and what a metadata event says of them. */
static pf_status find_rows(pf_json_applier *a, const pf_json_record *r, pf_json_ids *ids)
{
    if (!ids->found) {
        pf_json_find_thread(a, ids, pf_json_offset(a->piece, r));
        PF_TRY(a->err->code);
    }
    if (a->t->want & PF_WANT_ORIGINS && !ids->settled) {
        pf_json_judge_spelling(a, r, ids);
        PF_TRY(a->err->code);
    }
    if (r->phase == 'M' && !a->names_known) {
        pf_json_apply_names(a, r, &ids->thread);
    }
    return a->err->code;
}

static inline pf_status apply_record(pf_json_applier *a, const pf_json_record *r)
{
    pf_json_ids *ids = &a->piece->threads[r->thread];
    uint64_t offset = pf_json_offset(a->piece, r);
    if (__builtin_expect(!ids->found || r->phase == 'M' || a->t->want & PF_WANT_ORIGINS, 0)) {
        PF_TRY(find_rows(a, r, ids));
        if (a->recognised) {
            return PF_OK;
        }
    }
    const pf_json_thread *who = &ids->thread;
    uint32_t name = text_id(a, r->name, offset), category = text_id(a, r->category, offset);
    if (name == PF_NONE || category == PF_NONE) {
        return a->err->code;
    }
    if (is_plain(r) && !(a->t->want & PF_WANT_ORIGINS)) {
        return apply_plain(a, r, name, category, who->track);
    }
    pf_event e = {.name = name, .category = category, .track = who->track};
    PF_TRY(apply_any(a, r, who, &e));
    if (a->t->want & PF_WANT_ORIGINS) {
        pf_json_note_origin(a, r, who, &e);
    } else if (a->t->want & PF_WANT_WRITTEN_DUR && r->phase == 'X') {
        pf_json_note_dur(a, r, &e);
    }
    return a->err->code;
}

enum { AHEAD = 16 }; /* records from here to one whose text is fetched */

/* Samples and long names are read from the text itself, which another processor may have read last. */
static inline void fetch(const pf_json_piece *piece, const pf_json_record *r)
{
    if (r->phase == 'C') {
        __builtin_prefetch(piece->base + r->args);
    } else if (r->name > PF_JSON_TEXTS) {
        const uint8_t *text = piece->other[r->name - PF_JSON_TEXTS - 1].text.ptr;
        __builtin_prefetch(text);
        __builtin_prefetch(text + 64);
    }
}

pf_status pf_json_apply(pf_json_applier *a, uint32_t *next)
{
    const pf_json_piece *piece = a->piece;
    const pf_json_record *r = piece->record + *next, *end = piece->record + piece->count;
    pf_status st = PF_OK;
    if (a->recognised) {
        return PF_OK;
    }
    for (; r < end && st == PF_OK; r++) {
        if (end - r > AHEAD) {
            fetch(piece, r + AHEAD);
        }
        st = apply_record(a, r);
        if (a->recognised) {
            break;
        }
    }
    *next = (uint32_t)(r - piece->record);
    return st;
}
