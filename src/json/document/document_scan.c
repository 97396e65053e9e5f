/* json/document/document_scan.c - the outer structure of a document.
 *
 * A document is an array of events, or an object with such an array under "traceEvents" and other keys around it in any
 * order. The values of these are kept as they are written, up to a size; larger ones are passed over without being
 * held, token by token (skip.c).
 *
 * A writer that died and a new run that appended to the same file leave several documents one after another, whole or
 * not. The next one begins after the end of the one before, or where an event should stand.
 */

#include "base/str.h"
#include "json/document/tokenize.h"

/* The largest value of an outer key that is kept. */
#define ENTRY_MAX (8 << 20)

#define BYTE_ORDER_MARK "\xef\xbb\xbf"

/* A document that is nothing but events, one after the other. Only looked for in its first bytes. */
static pf_json_step bare_events(pf_json_cursor *c)
{
    enum { LOOK = 1 << 16 };
    const uint8_t *p = c->p;
    const uint8_t *end = c->end - p > LOOK ? p + LOOK : c->end;
    if (end - p < LOOK && !c->w->last) {
        return PF_JSON_STEP_MORE;
    }
    bool empty;
    pf_json_event e;
    if (pf_json_read_event(&c->t->rules, &p, end, &e, &empty) == PF_JSON_DONE && e.phase != 0) {
        pf_json_note_fault(c, PF_STAT_JSON_SYNTAX, c->p);
        c->t->object_form = false;
        c->t->has_events = true;
        c->t->comma_due = false;
        c->t->state = PF_JSON_IN_EVENTS;
    } else {
        c->p++;
        c->t->object_form = true;
        c->t->state = PF_JSON_AT_KEY;
    }
    return PF_JSON_STEP_ON;
}

pf_json_step pf_json_at_start(pf_json_cursor *c)
{
    if (c->w->offset == 0 && c->p == c->w->data && c->end - c->p < 3 && !c->w->last) {
        return PF_JSON_STEP_MORE;
    }
    if (c->w->offset == 0 && c->p == c->w->data && c->end - c->p >= 3 && memcmp(c->p, BYTE_ORDER_MARK, 3) == 0) {
        c->p += 3;
    }
    c->p = pf_json_skip_space(c->p, c->end);
    if (c->p == c->end) {
        return PF_JSON_STEP_MORE;
    }
    if (*c->p == '{') {
        return bare_events(c);
    }
    if (*c->p == '[') {
        c->t->object_form = false;
        c->t->has_events = true;
        c->t->comma_due = false;
        c->t->state = PF_JSON_IN_EVENTS;
        c->p++;
    } else {
        pf_json_note_fault(c, PF_STAT_JSON_SYNTAX, c->p);
        pf_json_get_lost(c, c->p, c->p);
    }
    return PF_JSON_STEP_ON;
}

/* Whether a list follows the key at `p`. *unknown is set where that lies after the window. */
static bool opens_events(const pf_json_cursor *c, const uint8_t *p, bool *unknown)
{
    const uint8_t *q = pf_json_skip_space(p + (sizeof PF_JSON_EVENTS_KEY - 1), c->end);
    bool colon = q < c->end && *q == ':';
    q = colon ? pf_json_skip_space(q + 1, c->end) : q;
    *unknown = q == c->end && !c->w->last;
    return colon && q < c->end && *q == '[';
}

/* Goes on over the value of an outer key. A list of events inside means that a bracket was lost: then *events is its
 * key. */
static pf_json_scan_result scan_outer(pf_json_cursor *c, const uint8_t **at, const uint8_t **events)
{
    const pf_json_scan before = c->t->scan;
    const uint8_t *from = *at, *hit = from;
    pf_json_scan_result result = pf_json_scan_value(&c->t->scan, at, c->end);
    *events = NULL;
    while ((hit = pf_json_find_events_key(hit, *at))) {
        bool unknown;
        if (opens_events(c, hit, &unknown)) {
            *events = hit;
            return PF_JSON_MORE;
        }
        if (unknown) {
            c->t->scan = before;
            *at = from;
            return PF_JSON_MORE;
        }
        hit++;
    }
    return result;
}

/* Leaves the value of an outer key, in which more was found than should be there: an event list at `events`, or
 * nothing that ends. */
static pf_json_step leave_value(pf_json_cursor *c, const uint8_t *events)
{
    pf_json_note_fault(c, PF_STAT_JSON_SYNTAX, events ? events : c->p);
    if (events) {
        c->p = events;
        c->t->state = PF_JSON_AT_KEY;
    } else {
        pf_json_get_lost(c, c->p, c->p + 1);
    }
    return PF_JSON_STEP_ON;
}

static pf_json_step pass_over(pf_json_cursor *c, const uint8_t *value)
{
    c->p = value;
    pf_json_scan_start(&c->t->scan);
    c->t->state = PF_JSON_IN_VALUE;
    return PF_JSON_STEP_ON;
}

/* An outer key and its value, taken as a whole. `start` is the value's first byte. */
static pf_json_step take_entry(pf_json_cursor *c, pf_json_text key, const uint8_t *start)
{
    pf_json_scan *scan = &c->t->scan;
    const uint8_t *p = start, *events;
    pf_json_scan_start(scan);
    pf_json_scan_result result = scan_outer(c, &p, &events);
    if (events) {
        return leave_value(c, events);
    }
    if (result == PF_JSON_MORE && c->end - start <= ENTRY_MAX && !c->w->last) {
        return PF_JSON_STEP_MORE;
    }
    if (result == PF_JSON_BAD) {
        pf_json_note_fault(c, PF_STAT_JSON_SYNTAX, p);
        pf_json_get_lost(c, start, p);
        return PF_JSON_STEP_ON;
    }
    bool members = pf_str_is((pf_str){(const char *)key.ptr, key.len}, "metadata") && *start == '{';
    if (result == PF_JSON_MORE || p - start > ENTRY_MAX || (members && scan->values > c->t->rules.keys)) {
        pf_json_note_fault(c, PF_STAT_JSON_ENTRY_DROPPED, start);
        return pass_over(c, start);
    }
    c->p = p;
    c->t->entries++;
    c->t->entry_key = key;
    c->t->entry = (pf_json_text){start, (uint32_t)(p - start), false};
    return PF_JSON_STEP_ENTRY;
}

/* Which outer values are kept: all but the events, and the text of another trace that Chrome puts next to them. */
static bool is_kept(pf_json_cursor *c, const uint8_t *key, size_t len)
{
    const pf_str name = {(const char *)key, len};
    if (pf_str_is(name, "traceEvents") || pf_str_is(name, "systemTraceEvents")) {
        return false;
    }
    bool room = c->t->entries < c->t->rules.keys;
    if (!room) {
        pf_json_note_fault(c, PF_STAT_JSON_ENTRY_DROPPED, key);
    }
    return room;
}

pf_json_step pf_json_at_key(pf_json_cursor *c)
{
    const uint8_t *p = c->p;
    while (p < c->end && (pf_json_is_space(*p) || *p == ',')) {
        p++;
    }
    c->p = p;
    if (p == c->end) {
        return PF_JSON_STEP_MORE;
    }
    if (*p == '}') {
        c->p++;
        c->t->state = PF_JSON_AFTER;
        return PF_JSON_STEP_ON;
    }
    bool escaped = false;
    const uint8_t *q = *p == '"' ? pf_json_string_end(p + 1, c->end, &escaped) : p;
    if (!q) {
        return pf_json_is_too_long(c, p) ? leave_value(c, NULL) : PF_JSON_STEP_MORE;
    }
    const uint8_t *value = q > p ? pf_json_skip_space(q + 1, c->end) : p;
    if (value == c->end) {
        return PF_JSON_STEP_MORE;
    }
    if (q == p || *value != ':') {
        pf_json_note_fault(c, PF_STAT_JSON_SYNTAX, value);
        pf_json_get_lost(c, p, value);
        return PF_JSON_STEP_ON;
    }
    value = pf_json_skip_space(value + 1, c->end);
    if (value == c->end) {
        return PF_JSON_STEP_MORE;
    }
    size_t len = (size_t)(q - p - 1);
    c->t->has_keys = true;
    if (len <= UINT32_MAX && is_kept(c, p + 1, len)) {
        return take_entry(c, (pf_json_text){p + 1, (uint32_t)len, escaped}, value);
    }
    if (pf_str_is((pf_str){(const char *)p + 1, len}, "traceEvents")) {
        c->p = value;
        c->t->has_events = true;
        if (*value == '[') {
            c->p++;
            c->t->state = PF_JSON_IN_EVENTS;
            c->t->comma_due = false;
            return PF_JSON_STEP_ON;
        }
        pf_json_note_fault(c, PF_STAT_JSON_SYNTAX, value);
        if (*value == '{') {
            pf_json_get_lost(c, value, value);
            return PF_JSON_STEP_ON;
        }
    }
    return pass_over(c, value);
}

/* Passing over a value that nobody needs; can stop and go on between any two tokens. */
pf_json_step pf_json_in_value(pf_json_cursor *c)
{
    bool element = c->t->state == PF_JSON_IN_ELEMENT;
    const uint8_t *events;
    switch (scan_outer(c, &c->p, &events)) {
    case PF_JSON_MORE:
        return events || pf_json_is_too_long(c, c->p) ? leave_value(c, events) : PF_JSON_STEP_MORE;
    case PF_JSON_BAD:
        if (!element) {
            pf_json_note_fault(c, PF_STAT_JSON_SYNTAX, c->p);
        }
        pf_json_get_lost(c, c->p, c->p);
        return PF_JSON_STEP_ON;
    case PF_JSON_DONE:
        break;
    }
    c->t->state = element ? PF_JSON_AFTER_ELEMENT : PF_JSON_AT_KEY;
    return PF_JSON_STEP_ON;
}

/* After a document: blanks, or another document, or what else may hold events. */
pf_json_step pf_json_after(pf_json_cursor *c)
{
    c->p = pf_json_skip_space(c->p, c->end);
    bool mark = c->p < c->end && *c->p == 0xef;
    if (c->p == c->end || (mark && c->end - c->p < 3 && !c->w->last)) {
        return PF_JSON_STEP_MORE;
    }
    if (mark && c->end - c->p >= 3 && memcmp(c->p, BYTE_ORDER_MARK, 3) == 0) {
        c->p += 3;
        return PF_JSON_STEP_ON;
    }
    if (*c->p == '[' || *c->p == '{') {
        pf_json_note_fault(c, PF_STAT_JSON_DOCUMENTS, c->p);
        c->t->state = PF_JSON_AT_START;
    } else {
        pf_json_note_fault(c, PF_STAT_JSON_SYNTAX, c->p);
        pf_json_get_lost(c, c->p, c->p);
    }
    return PF_JSON_STEP_ON;
}
