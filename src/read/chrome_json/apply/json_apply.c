/* read/chrome_json/apply/json_apply.c - records to rows.
 *
 * Everything here happens in file order on one thread. What most events need was found before: a piece remembers the
 * string ids of its short texts and the rows of its threads, and a record refers to them by number.
 *
 * A dialect with rules of its own is recognised by the name that a process_name event gives. What was read before by
 * other rules would be wrong: the caller tokenizes again.
 */
#include "read/chrome_json/apply/json_apply.h"

#include "read/chrome_json/apply/json_parts.h"

/* The string id of a text that a record refers to. */
static inline uint32_t text_id(pf_json_applier *a, uint32_t ref, uint64_t offset, pf_error *err)
{
    if (ref == 0) {
        return 0;
    }
    if (ref <= PF_JSON_TEXTS) {
        uint32_t *known = &a->piece->text_id[ref - 1];
        if (__builtin_expect(*known == 0, 0)) {
            const pf_json_known_text *k = &a->piece->text[ref - 1];
            uint32_t id = pf_strings_add(&a->t->strings, (const char *)k->words.w, k->len, err);
            *known = id == PF_NONE ? 0 : id;
            return id;
        }
        return *known;
    }
    pf_json_other_text *o = &a->piece->other[ref - PF_JSON_TEXTS - 1];
    if (o->id == 0) {
        uint32_t id = pf_json_intern(a, &o->text, offset, err);
        o->id = id == PF_NONE ? 0 : id;
        return id;
    }
    return o->id;
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

static bool phase_is_known(uint8_t phase)
{
    static const uint8_t known[256] = {
        ['B'] = 1, ['E'] = 1, ['X'] = 1, ['i'] = 1, ['C'] = 1, ['M'] = 1, ['b'] = 1, ['e'] = 1,
        ['n'] = 1, ['S'] = 1, ['T'] = 1, ['F'] = 1, ['p'] = 1, ['s'] = 1, ['t'] = 1, ['f'] = 1,
    };
    return known[phase];
}

static pf_status add_instant_track(pf_json_applier *a, pf_track_type type, uint32_t upid, uint32_t *track,
                                   pf_error *err)
{
    pf_track_row row = {.type = type, .upid = upid, .utid = PF_NONE, .parent = PF_NONE, .group = PF_NONE};
    *track = pf_trace_add_track(a->t, &row, err);
    return *track == PF_NONE ? err->code : PF_OK;
}

/* Instants of the scopes "global" and "process" have tracks of their own. */
static pf_status instant_track(pf_json_applier *a, const pf_json_record *r, uint32_t upid, uint32_t *track,
                               pf_error *err)
{
    if (r->scope == 'g') {
        if (a->global_instants == PF_NONE) {
            return add_instant_track(a, PF_TRACK_JSON_GLOBAL_INSTANTS, PF_NONE, &a->global_instants, err) == PF_OK
                       ? (*track = a->global_instants, PF_OK)
                       : err->code;
        }
        *track = a->global_instants;
    } else if (r->scope == 'p') {
        uint32_t found = pf_map_get(&a->process_instants, upid);
        if (found == PF_NONE) {
            pf_status st = add_instant_track(a, PF_TRACK_JSON_PROCESS_INSTANTS, upid, &found, err);
            if (st != PF_OK) {
                return st;
            }
            if (!pf_map_set(&a->process_instants, upid, found)) {
                return pf_budget_refused(&a->t->budget, 1u << 12, err);
            }
        }
        *track = found;
    }
    return PF_OK;
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
                                                                   const pf_event *e, pf_error *err)
{
    pf_trace *t = a->t;
    pf_status st = pf_trace_add_event(t, e, err);
    if (st == PF_OK && (e->phase & PF_PHASE_BAD_TS || t->want & PF_WANT_OFFSETS)) {
        st = pf_trace_note_offset(t, pf_json_offset(a->piece, r), err);
    }
    if (st == PF_OK && r->args_len && (e->phase == 'M' || t->want & PF_WANT_ARGS)) {
        const uint8_t *args = a->piece->base + r->args;
        st = a->stable ? pf_trace_add_lasting_args(t, args, r->args_len, a->decoder, 0, err)
                       : pf_trace_add_args(t, args, r->args_len, a->decoder, 0, true, err);
    }
    return st;
}

/* The track of an event that does not go to its thread's. */
static pf_status special_track(pf_json_applier *a, const pf_json_record *r, uint32_t upid, pf_event *e, pf_error *err)
{
    switch (e->phase) {
    case 'i':
        return instant_track(a, r, upid, &e->track, err);
    case 'b':
    case 'e':
    case 'n':
        return pf_json_async_track(a, r, upid, e, err);
    default:
        return PF_OK;
    }
}

/* Thread clocks count on thread tracks only. An instant has no length, an end one of its own where it equals its begin.
 */
static pf_status apply_thread_time(pf_json_applier *a, const pf_json_record *r, const pf_event *e, pf_error *err)
{
    bool has_ts = r->flags & PF_JSON_HAS_TTS, has_dur = r->flags & PF_JSON_HAS_TDUR && e->phase == 'X';
    if ((!has_ts && !has_dur) || a->t->tracks.type[e->track] != PF_TRACK_THREAD_EXECUTION) {
        return PF_OK;
    }
    const pf_json_rare *rare = pf_json_rare_of(a->piece, r);
    const pf_thread_time time = {.ts = has_ts ? rare->tts : INT64_MIN,
                                 .dur = has_dur           ? rare->tdur
                                        : e->phase == 'E' ? 0
                                                          : INT64_MIN,
                                 .instruction_count = INT64_MIN,
                                 .instruction_delta = INT64_MIN};
    return pf_trace_add_thread_time(a->t, &time, err);
}

/* What hangs on the event row added last: samples, arrows, the thread clock. */
static pf_status apply_rest(pf_json_applier *a, const pf_json_record *r, uint32_t upid, const pf_event *e,
                            pf_error *err)
{
    uint32_t want = a->t->want;
    pf_status st = PF_OK;
    switch (e->phase) {
    case 'C':
        return want & PF_WANT_COUNTERS ? pf_json_apply_counter(a, r, upid, e->name, err) : PF_OK;
    case 's':
    case 't':
    case 'f':
        return want & PF_WANT_FLOWS ? pf_json_apply_flow(a, r, e, err) : PF_OK;
    case 'B':
    case 'X':
    case 'b':
    case 'n':
        if (want & PF_WANT_FLOWS && r->rare) {
            st = pf_json_apply_bind(a, r, err);
        }
        break;
    case 'E':
    case 'i':
        break;
    case 'P':
        return pf_json_apply_profile(a, r, upid, err);
    case 'T': /* a state of the thread */
        if (r->flags & PF_JSON_HAS_DUR && e->name && e->ts >= 0 && r->dur >= 0 && r->dur <= INT64_MAX - e->ts) {
            pf_trace_cover(a->t, e->ts, e->ts + r->dur);
        }
        return PF_OK;
    default:
        return PF_OK;
    }
    bool has_time = r->flags & (PF_JSON_HAS_TTS | PF_JSON_HAS_TDUR);
    return st == PF_OK && has_time && want & PF_WANT_SLICES ? apply_thread_time(a, r, e, err) : st;
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

static pf_status apply_any(pf_json_applier *a, const pf_json_record *r, const pf_json_thread *who, pf_event *e,
                           pf_error *err)
{
    judge_times(a, r, e);
    a->committed |= e->phase != 'M' || e->ts != 0;
    a->has_other_args |= (r->flags & PF_JSON_OTHER_ARGS) != 0;
    pf_status st = special_track(a, r, who->upid, e, err);
    st = st == PF_OK ? store_event(a, r, e, err) : st;
    st = st == PF_OK ? apply_rest(a, r, who->upid, e, err) : st;
    return st == PF_OK && r->flags & PF_JSON_HAS_STACK && a->t->want & PF_WANT_SLICES ? pf_json_note_stack(a, r, err)
                                                                                      : st;
}

static inline __attribute__((always_inline)) pf_status apply_plain(pf_json_applier *a, const pf_json_record *r,
                                                                   uint32_t name, uint32_t category, uint32_t track,
                                                                   pf_error *err)
{
    const pf_event e = {
        .ts = r->ts, .dur = r->dur, .name = name, .category = category, .track = track, .phase = r->phase};
    a->committed = true;
    pf_status st = store_event(a, r, &e, err);
    if (st == PF_OK && is_arrow(r->phase) && a->t->want & PF_WANT_FLOWS) {
        const pf_event arrow = {.name = name, .category = category};
        st = pf_json_apply_flow(a, r, &arrow, err);
    }
    return st;
}

static inline pf_status apply_record(pf_json_applier *a, const pf_json_record *r, pf_error *err)
{
    pf_json_ids *ids = &a->piece->threads[r->thread];
    uint64_t offset = pf_json_offset(a->piece, r);
    pf_status st = ids->found ? PF_OK : pf_json_find_thread(a, ids, offset, err);
    if (st == PF_OK && a->t->want & PF_WANT_ORIGINS && !ids->settled) {
        st = pf_json_judge_spelling(a, r, ids, err);
    }
    const pf_json_thread *who = &ids->thread;
    if (st == PF_OK && r->phase == 'M') {
        st = pf_json_apply_names(a, r, who, err);
        if (a->recognised) {
            return st;
        }
    }
    if (st != PF_OK) {
        return st;
    }
    uint32_t name = text_id(a, r->name, offset, err), category = text_id(a, r->category, offset, err);
    if (name == PF_NONE || category == PF_NONE) {
        return err->code;
    }
    if (is_plain(r) && !(a->t->want & PF_WANT_ORIGINS)) {
        return apply_plain(a, r, name, category, who->track, err);
    }
    pf_event e = {.name = name, .category = category, .track = who->track};
    st = apply_any(a, r, who, &e, err);
    if (st == PF_OK && a->t->want & PF_WANT_ORIGINS) {
        return pf_json_note_origin(a, r, who, &e, err);
    }
    bool written = a->t->want & PF_WANT_WRITTEN_DUR && r->phase == 'X';
    return st == PF_OK && written ? pf_json_note_dur(a, r, &e, err) : st;
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

pf_status pf_json_apply(pf_json_applier *a, uint32_t *next, pf_error *err)
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
        st = apply_record(a, r, err);
        if (a->recognised) {
            break;
        }
    }
    *next = (uint32_t)(r - piece->record);
    return st;
}
