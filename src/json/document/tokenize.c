/* json/document/tokenize.c - the state machine over a document, and its events.
 *
 * Every step takes one whole piece (an event, a key, a token of a value that is passed over) or, if the window ends
 * inside the piece, nothing: it is then called again with a window that starts there. So the result does not depend on
 * where windows are cut.
 *
 * The steps around the array of events are those of document_scan.c, the way back after damage is that of resync.c.
 */
#include "json/document/tokenize.h"

static pf_json_step after_element(pf_json_cursor *c)
{
    c->p = pf_json_skip_space(c->p, c->end);
    if (c->p == c->end) {
        return PF_JSON_STEP_MORE;
    }
    if (*c->p == ',' || *c->p == ']' || *c->p == '{') {
        c->t->state = PF_JSON_IN_EVENTS;
        c->t->comma_due = true;
    } else {
        pf_json_get_lost(c, c->p, c->p);
    }
    return PF_JSON_STEP_ON;
}

/* The last window ends inside an event. Usually that is the end of the file; but if a bracket was lost in the event,
 * whole events lie after it. */
static pf_json_step give_up_event(pf_json_cursor *c)
{
    pf_json_note_fault(c, PF_STAT_JSON_TRUNCATED, c->p);
    c->t->truncated = true;
    pf_json_get_lost(c, c->p, c->p + 1);
    return PF_JSON_STEP_ON;
}

/* The event at c->p is not complete before `end`. */
static pf_json_step lacks_end(pf_json_cursor *c, const uint8_t *end)
{
    bool impatient = end < c->end;
    if (!impatient && !c->w->last) {
        return PF_JSON_STEP_MORE;
    }
    c->t->vain += (uint64_t)(end - c->p);
    if (pf_json_is_document(c, end)) {
        return PF_JSON_STEP_ON;
    }
    if (!impatient) {
        return give_up_event(c);
    }
    pf_json_note_fault(c, PF_STAT_JSON_SYNTAX, c->p);
    pf_json_get_lost(c, c->p, c->p + 1);
    return PF_JSON_STEP_ON;
}

/* A list where an event should be: another document if an event may follow, else a value of no use. */
static pf_json_step at_list(pf_json_cursor *c)
{
    pf_json_tokenizer *t = c->t;
    const uint8_t *next = pf_json_skip_space(c->p + 1, c->end);
    if (next == c->end && !c->w->last && !pf_json_is_too_long(c, c->p)) {
        return PF_JSON_STEP_MORE;
    }
    pf_json_note_fault(c, PF_STAT_JSON_SYNTAX, c->p);
    if (next < c->end && (*next == '{' || *next == '[')) {
        t->nested++;
        t->comma_due = false;
        c->p++;
    } else {
        pf_json_scan_start(&t->scan);
        t->state = PF_JSON_IN_ELEMENT;
    }
    return PF_JSON_STEP_ON;
}

/* At the brace of an event: it and all that follow it as they should in one go; what is not like that, alone. */
static pf_json_step read_events(pf_json_cursor *c)
{
    pf_json_tokenizer *t = c->t;
    if (pf_json_is_full(c)) {
        return PF_JSON_STEP_FULL;
    }
    const uint8_t *end = pf_json_patience_end(c);
    t->rules.patience = pf_json_longest_event(t, pf_json_offset_of(c, c->p));
    const uint8_t *p = t->kernel->read_events(c->piece, &t->rules, c->p, c->limit, c->end);
    t->comma_due = true;
    if (p != c->p) {
        c->p = p;
        return PF_JSON_STEP_ON;
    }
    pf_json_event e;
    bool empty;
    pf_json_scan_result result = pf_json_read_event(&t->rules, &p, end, &e, &empty);
    if (result == PF_JSON_MORE) {
        return lacks_end(c, end);
    }
    if (result == PF_JSON_BAD || (e.phase == 0 && pf_json_find_events_key(c->p, p))) {
        pf_json_note_fault(c, PF_STAT_JSON_SYNTAX, result == PF_JSON_BAD ? p : c->p);
        if (!pf_json_is_document(c, p)) {
            pf_json_get_lost(c, c->p, p);
        }
        return PF_JSON_STEP_ON;
    }
    pf_json_keep_event(c->piece, &e, empty);
    c->p = p;
    return PF_JSON_STEP_ON;
}

static pf_json_step in_events(pf_json_cursor *c)
{
    pf_json_tokenizer *t = c->t;
    const uint8_t *p = pf_json_skip_space(c->p, c->end);
    if (p < c->end && *p == ',' && t->comma_due) {
        t->comma_due = false;
        p = pf_json_skip_space(p + 1, c->end);
    }
    c->p = p;
    if (p == c->end) {
        return PF_JSON_STEP_MORE;
    }
    if (*p == '{') {
        return read_events(c);
    }
    if (*p == ']') {
        c->p++;
        t->comma_due = t->nested > 0;
        t->state = t->nested > 0 ? PF_JSON_IN_EVENTS : t->object_form ? PF_JSON_AT_KEY : PF_JSON_AFTER;
        t->nested -= t->nested > 0;
        return PF_JSON_STEP_ON;
    }
    if (*p == '[') {
        return at_list(c);
    }
    pf_json_note_fault(c, PF_STAT_JSON_SYNTAX, p);
    if (*p == ',') {
        c->p++;
        return PF_JSON_STEP_ON;
    }
    pf_json_scan_start(&t->scan);
    t->state = PF_JSON_IN_ELEMENT;
    return PF_JSON_STEP_ON;
}

/* The input is over: what is still open? An array needs no end, an object does. */
static void finish(pf_json_cursor *c)
{
    pf_json_tokenizer *t = c->t;
    bool open = t->state == PF_JSON_AT_KEY || t->state == PF_JSON_IN_VALUE || t->state == PF_JSON_IN_ELEMENT ||
                ((t->state == PF_JSON_IN_EVENTS || t->state == PF_JSON_AFTER_ELEMENT) && t->object_form);
    open |= t->state == PF_JSON_LOST && c->p < c->end;
    if (open && !t->truncated) {
        pf_json_note_fault(c, PF_STAT_JSON_TRUNCATED, c->p);
        t->truncated = true;
    }
    t->state = PF_JSON_AT_END;
    c->p = c->end;
}

static pf_json_step take_step(pf_json_cursor *c)
{
    switch (c->t->state) {
    case PF_JSON_AT_START:
        return pf_json_at_start(c);
    case PF_JSON_AT_KEY:
        return pf_json_at_key(c);
    case PF_JSON_IN_VALUE:
    case PF_JSON_IN_ELEMENT:
        return pf_json_in_value(c);
    case PF_JSON_IN_EVENTS:
        return in_events(c);
    case PF_JSON_AFTER_ELEMENT:
        return after_element(c);
    case PF_JSON_LOST:
        return pf_json_search(c);
    case PF_JSON_AFTER:
        return pf_json_after(c);
    case PF_JSON_AT_END:
        break;
    }
    c->p = c->end;
    return PF_JSON_STEP_MORE;
}

pf_json_step pf_json_tokenize(pf_json_tokenizer *t, const pf_window *w, size_t *pos, size_t limit, pf_json_piece *piece)
{
    const uint8_t *base = w->data + *pos;
    pf_json_cursor c = {.t = t, .w = w, .p = base, .end = w->data + w->len, .limit = w->data + limit, .piece = piece};
    pf_json_piece_start(piece, base, w->offset + *pos);
    pf_json_step s = PF_JSON_STEP_ON;
    while (s == PF_JSON_STEP_ON) {
        s = take_step(&c);
    }
    if (s == PF_JSON_STEP_MORE && w->last) {
        finish(&c);
        s = PF_JSON_STEP_FINISHED;
    }
    *pos = (size_t)(c.p - w->data);
    return s;
}
