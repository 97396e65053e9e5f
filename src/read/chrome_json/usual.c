/* usual.c - records of begins, ends, complete events and arrows to rows.
 *
 * Most events of most files are of these phases, and all that their records refer to was met before: the strings of their
 * texts and the track of their thread are known. Then a row is written in a few steps, as long as the table has room. The
 * first record that is otherwise, or for which a column must grow or begin, ends the run; apply.c, which knows all cases,
 * takes it.
 */
#include "read/chrome_json/apply.h"

enum { AHEAD = 16 }; /* records from here to one whose text is fetched */

enum { UNUSUAL = PF_JSON_BAD_TIME | PF_JSON_HAS_TTS | PF_JSON_HAS_TDUR | PF_JSON_HAS_ATTR | PF_JSON_HAS_STACK };

/* What an event of the phase has to have; 0 for phases that are not taken here. */
static const uint16_t needed[256] = {
    ['B'] = PF_JSON_HAS_TS, ['E'] = PF_JSON_HAS_TS, ['X'] = PF_JSON_HAS_TS | PF_JSON_HAS_DUR,
    ['s'] = PF_JSON_HAS_TS, ['t'] = PF_JSON_HAS_TS, ['f'] = PF_JSON_HAS_TS,
};

static inline bool is_arrow(uint8_t phase)
{
    return phase >= 'f';
}

static inline bool is_usual(const pf_json_record *r)
{
    uint16_t need = needed[r->phase];
    return need && (r->flags & (need | UNUSUAL)) == need && (!r->rare || is_arrow(r->phase)) &&
           (r->phase != 'X' || r->dur >= 0);
}

/* The string id of a text of the record if it was found before. */
static inline bool known_id(const pf_json_piece *piece, uint32_t ref, uint32_t *id)
{
    if (ref <= PF_JSON_TEXTS) {
        *id = ref ? piece->text_id[ref - 1] : 0;
    } else {
        *id = piece->other[ref - PF_JSON_TEXTS - 1].text.escaped ? 0 : piece->other[ref - PF_JSON_TEXTS - 1].id;
    }
    return ref == 0 || *id != 0;
}

/* The flow of the arrow added last. In most files all arrows are of one kind (ids.c), and the end says what it binds to. */
static inline pf_status add_arrow(pf_json_applier *a, const pf_json_record *r, uint32_t name, uint32_t category,
                                  pf_error *err)
{
    pf_trace *t = a->t;
    uint64_t kind = (uint64_t)category << 32 | name, distance = (uint64_t)r->dur - a->arrows.least;
    if (r->rare != PF_JSON_ONLY_ID || !kind || kind != a->arrows.kind || distance >= PF_JSON_ARROWS_NUMBERED) {
        const pf_event e = {.name = name, .category = category};
        return pf_json_apply_flow(a, r, &e, err);
    }
    return pf_trace_add_event_flow(t, a->flow_base + pf_json_arrow_number(distance), pf_json_arrow_kind(r), err);
}

/* What hangs on the event row added last. */
static inline pf_status add_rest(pf_json_applier *a, const pf_json_record *r, uint32_t name, uint32_t category,
                                 pf_error *err)
{
    const uint8_t *args = a->piece->base + r->args;
    pf_status st = PF_OK;
    if (r->args_len && a->t->want & PF_WANT_ARGS) {
        st = a->stable ? pf_trace_add_lasting_args(a->t, args, r->args_len, a->decoder, 0, err)
                       : pf_trace_add_args(a->t, args, r->args_len, a->decoder, 0, true, err);
    }
    return is_arrow(r->phase) && a->t->want & PF_WANT_FLOWS && st == PF_OK ? add_arrow(a, r, name, category, err) : st;
}

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

pf_status pf_json_apply_usual(pf_json_applier *a, uint32_t *next, pf_error *err)
{
    const pf_json_piece *piece = a->piece;
    pf_trace *t = a->t;
    pf_status st = PF_OK;
    uint32_t i = *next, row = t->events.count, count = t->want & PF_WANT_ORIGINS ? i : piece->count;
    int64_t last = t->events.last_ts;
    bool in_order = t->events.in_order;
    for (; i < count && row < t->events.room && st == PF_OK; i++, row++) {
        const pf_json_record *r = &piece->record[i];
        if (i + AHEAD < count) {
            fetch(piece, &r[AHEAD]);
        }
        const pf_json_ids *ids = &piece->threads[r->thread];
        uint32_t name, category;
        if (!is_usual(r) || !ids->found || !known_id(piece, r->name, &name) ||
            !known_id(piece, r->category, &category) || (r->phase == 'X' && row >= t->events.dur_room) ||
            (category && row >= t->events.category_room)) {
            break;
        }
        t->events.ts[row] = r->ts;
        t->events.phase[row] = r->phase;
        t->events.name[row] = name;
        t->events.track[row] = ids->thread.track;
        if (r->phase == 'X') {
            t->events.dur[row] = r->dur;
            t->events.has_complete |= r->dur > 0;
        }
        if (category) {
            t->events.category[row] = category;
        }
        in_order &= r->ts >= last;
        last = r->ts;
        t->events.count = row + 1;
        if (r->args_len || is_arrow(r->phase)) {
            st = add_rest(a, r, name, category, err);
        }
    }
    t->events.last_ts = last;
    t->events.in_order = in_order;
    a->committed |= i > *next;
    *next = i;
    return st;
}
