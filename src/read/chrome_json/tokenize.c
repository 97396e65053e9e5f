/* tokenize.c - the outer structure of a document, and the way back after damage.
 *
 * A document is an array of events, or an object with such an array under "traceEvents" and other keys around it in any
 * order. The tokenizer is a state machine whose every step takes one whole piece (an event, a key, a token of a value
 * that is passed over) or, if the window ends inside the piece, nothing: it is then called again with a window that
 * starts there. So the result does not depend on where windows are cut.
 *
 * Damage: where an event stops being JSON, it is given up and the search for the next one starts behind its first byte,
 * because a text or a bracket that was never closed may have swallowed what follows. A brace is a candidate if a quote
 * follows it and if it stands where an element of an array may stand: behind a comma, a bracket or another object, or at
 * the start of a line. It is accepted if it reads as an object with a phase; one without (nested in the damaged event) is
 * passed over. Until an event was found again, closing brackets are not believed.
 *
 * A writer that died and a new run that appended to the same file leave several documents behind each other, whole or
 * not. The next one begins behind the end of the one before, or where an event should stand.
 *
 * Reading in vain costs patience: so many bytes at first, and every byte of the document earns some more. Who has none
 * left goes on at the offending byte and does not wait for the end of a long event. So hostile input cannot have the
 * rest of the file read again for each of its events: every byte is looked at a bounded number of times.
 */
#include "read/chrome_json/tokenize.h"

#include <string.h>

typedef struct cursor {
    pf_json_tokenizer *t;
    const pf_window *w;
    const uint8_t *p, *end, *limit;
    pf_json_piece *piece;
} cursor;

/* The largest value of an outer key that is kept. */
#define ENTRY_MAX (8 << 20)

/* Bytes that may be read in vain: at first, for each byte of the document, and always for an event. */
#define PATIENCE ((uint64_t)8 << 20)
#define PATIENCE_PER_BYTE 2
#define PATIENCE_LEAST 256

#define BYTE_ORDER_MARK "\xef\xbb\xbf"

/* What a step says: go on, leave with a result, or wait for more bytes. */
typedef enum step { STEP_ON, STEP_MORE, STEP_FULL, STEP_ENTRY } step;

static uint64_t offset_of(const cursor *c, const uint8_t *p)
{
    return c->w->offset + (uint64_t)(p - c->w->data);
}

static void fault(cursor *c, pf_stat_id id, const uint8_t *p)
{
    pf_json_fault(&c->piece->faults, id, offset_of(c, p));
}

static bool is_space(uint8_t b)
{
    return b == ' ' || b == '\n' || b == '\r' || b == '\t';
}

/* Bytes that may still be read in vain at an offset. */
static uint64_t patience_at(const pf_json_tokenizer *t, uint64_t offset)
{
    uint64_t earned = PATIENCE + PATIENCE_PER_BYTE * offset;
    return earned > t->vain ? earned - t->vain : 0;
}

static uint64_t patience(const cursor *c)
{
    return patience_at(c->t, offset_of(c, c->p));
}

/* Enters the search at `at`; what lies between `from` and it was read in vain. Where both are equal, an event may stand
 * right there. */
static void search_at(cursor *c, const uint8_t *from, const uint8_t *at)
{
    pf_json_tokenizer *t = c->t;
    const uint8_t *p = at;
    t->line_start = false;
    while (p > from && is_space(p[-1])) {
        t->line_start |= p[-1] == '\n';
        p--;
    }
    t->before = p > from ? p[-1] : ',';
    t->state = PF_JSON_LOST;
    c->p = at;
}

/* The same for something begun at `from` in which `at` cannot follow: the search goes over it once more. */
static void get_lost(cursor *c, const uint8_t *from, const uint8_t *at)
{
    uint64_t len = (uint64_t)(at - from);
    c->t->damage = offset_of(c, at);
    if (len > 1 && len <= patience(c)) {
        c->t->vain += len;
        at = from + 1;
    }
    search_at(c, from, at);
}

/* Whether what begins at `from` is longer than anything that is waited for. */
static bool is_too_long(const cursor *c, const uint8_t *from)
{
    return (uint64_t)(c->end - from) > c->t->rules.longest;
}

uint64_t pf_json_longest_event(const pf_json_tokenizer *t, uint64_t offset)
{
    uint64_t longest = t->rules.longest;
    return patience_at(t, offset) > 0 || longest < PATIENCE_LEAST ? longest : PATIENCE_LEAST;
}

/* How far an event begun at c->p may reach. */
static const uint8_t *patience_end(const cursor *c)
{
    uint64_t left = pf_json_longest_event(c->t, offset_of(c, c->p));
    return left < (uint64_t)(c->end - c->p) ? c->p + left : c->end;
}

/* ---- documents --------------------------------------------------------------------------------------------------- */

static const char EVENTS_KEY[] = "\"traceEvents\"";
#define EVENTS_KEY_LEN (sizeof EVENTS_KEY - 1)

static const uint8_t *find_events_key(const uint8_t *p, const uint8_t *end)
{
    return p < end ? memmem(p, (size_t)(end - p), EVENTS_KEY, EVENTS_KEY_LEN) : NULL;
}

/* Goes into the object whose opening brace is at `brace` as the outer one of a document. */
static void enter_object(cursor *c, const uint8_t *brace)
{
    c->p = brace + 1;
    c->t->object_form = true;
    c->t->has_keys = true;
    c->t->nested = 0;
    c->t->state = PF_JSON_AT_KEY;
}

/* Whether the object at c->p, of which [c->p, end) was read, is no event but another document. If so it is entered. */
static bool is_document(cursor *c, const uint8_t *end)
{
    if (!find_events_key(c->p, end)) {
        return false;
    }
    enter_object(c, c->p);
    return true;
}

/* A document that is nothing but events, one behind the other. Only looked for in its first bytes. */
static step bare_events(cursor *c)
{
    enum { LOOK = 1 << 16 };
    const uint8_t *p = c->p;
    const uint8_t *end = c->end - p > LOOK ? p + LOOK : c->end;
    if (end - p < LOOK && !c->w->last) {
        return STEP_MORE;
    }
    bool empty;
    pf_json_event e;
    if (pf_json_read_event(&c->t->rules, &p, end, &e, &empty) == PF_JSON_DONE && e.phase != 0) {
        fault(c, PF_STAT_JSON_SYNTAX, c->p);
        c->t->object_form = false;
        c->t->has_events = true;
        c->t->comma_due = false;
        c->t->state = PF_JSON_IN_EVENTS;
    } else {
        c->p++;
        c->t->object_form = true;
        c->t->state = PF_JSON_AT_KEY;
    }
    return STEP_ON;
}

static step at_start(cursor *c)
{
    if (c->w->offset == 0 && c->p == c->w->data && c->end - c->p < 3 && !c->w->last) {
        return STEP_MORE;
    }
    if (c->w->offset == 0 && c->p == c->w->data && c->end - c->p >= 3 && memcmp(c->p, BYTE_ORDER_MARK, 3) == 0) {
        c->p += 3;
    }
    c->p = pf_json_skip_space(c->p, c->end);
    if (c->p == c->end) {
        return STEP_MORE;
    }
    c->t->nested = 0;
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
        fault(c, PF_STAT_JSON_SYNTAX, c->p);
        get_lost(c, c->p, c->p);
    }
    return STEP_ON;
}

static bool key_is(const uint8_t *key, size_t len, const char *text)
{
    return len == strlen(text) && memcmp(key, text, len) == 0;
}

/* Whether a list follows the key at `p`. *unknown is set where that lies behind the window. */
static bool opens_events(const cursor *c, const uint8_t *p, bool *unknown)
{
    const uint8_t *q = pf_json_skip_space(p + EVENTS_KEY_LEN, c->end);
    bool colon = q < c->end && *q == ':';
    q = colon ? pf_json_skip_space(q + 1, c->end) : q;
    *unknown = q == c->end && !c->w->last;
    return colon && q < c->end && *q == '[';
}

/* Goes on over the value of an outer key. A list of events inside means that a bracket was lost: then *events is its key. */
static pf_json_scan_result scan_outer(cursor *c, const uint8_t **at, const uint8_t **events)
{
    const pf_json_scan before = c->t->scan;
    const uint8_t *from = *at, *hit = from;
    pf_json_scan_result result = pf_json_scan_value(&c->t->scan, at, c->end);
    *events = NULL;
    while ((hit = find_events_key(hit, *at))) {
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
static step leave_value(cursor *c, const uint8_t *events)
{
    fault(c, PF_STAT_JSON_SYNTAX, events ? events : c->p);
    if (events) {
        c->p = events;
        c->t->state = PF_JSON_AT_KEY;
    } else {
        get_lost(c, c->p, c->p + 1);
    }
    return STEP_ON;
}

static step pass_over(cursor *c, const uint8_t *value)
{
    c->p = value;
    pf_json_scan_start(&c->t->scan);
    c->t->state = PF_JSON_IN_VALUE;
    return STEP_ON;
}

/* An outer key and its value, taken as a whole. `start` is the value's first byte. */
static step take_entry(cursor *c, pf_json_text key, const uint8_t *start)
{
    pf_json_scan *scan = &c->t->scan;
    const uint8_t *p = start, *events;
    pf_json_scan_start(scan);
    pf_json_scan_result result = scan_outer(c, &p, &events);
    if (events) {
        return leave_value(c, events);
    }
    if (result == PF_JSON_MORE && c->end - start <= ENTRY_MAX && !c->w->last) {
        return STEP_MORE;
    }
    if (result == PF_JSON_BAD) {
        fault(c, PF_STAT_JSON_SYNTAX, p);
        get_lost(c, start, p);
        return STEP_ON;
    }
    bool members = key_is(key.ptr, key.len, "metadata") && *start == '{';
    if (result == PF_JSON_MORE || p - start > ENTRY_MAX || (members && scan->values > c->t->rules.keys)) {
        fault(c, PF_STAT_JSON_ENTRY_DROPPED, start);
        return pass_over(c, start);
    }
    c->p = p;
    c->t->entries++;
    c->t->entry_key = key;
    c->t->entry = (pf_json_text){start, (uint32_t)(p - start), false};
    return STEP_ENTRY;
}

/* Which outer values are kept: all but the events, and the text of another trace that Chrome puts beside them. */
static bool is_kept(cursor *c, const uint8_t *key, size_t len)
{
    if (key_is(key, len, "traceEvents") || key_is(key, len, "systemTraceEvents")) {
        return false;
    }
    bool room = c->t->entries < c->t->rules.keys;
    if (!room) {
        fault(c, PF_STAT_JSON_ENTRY_DROPPED, key);
    }
    return room;
}

static step at_key(cursor *c)
{
    const uint8_t *p = c->p;
    while (p < c->end && (is_space(*p) || *p == ',')) {
        p++;
    }
    c->p = p;
    if (p == c->end) {
        return STEP_MORE;
    }
    if (*p == '}') {
        c->p++;
        c->t->state = PF_JSON_BEHIND;
        return STEP_ON;
    }
    bool escaped = false;
    const uint8_t *q = *p == '"' ? pf_json_string_end(p + 1, c->end, &escaped) : p;
    if (!q) {
        return is_too_long(c, p) ? leave_value(c, NULL) : STEP_MORE;
    }
    const uint8_t *value = q > p ? pf_json_skip_space(q + 1, c->end) : p;
    if (value == c->end) {
        return STEP_MORE;
    }
    if (q == p || *value != ':') {
        fault(c, PF_STAT_JSON_SYNTAX, value);
        get_lost(c, p, value);
        return STEP_ON;
    }
    value = pf_json_skip_space(value + 1, c->end);
    if (value == c->end) {
        return STEP_MORE;
    }
    size_t len = (size_t)(q - p - 1);
    c->t->has_keys = true;
    if (len <= UINT32_MAX && is_kept(c, p + 1, len)) {
        return take_entry(c, (pf_json_text){p + 1, (uint32_t)len, escaped}, value);
    }
    if (key_is(p + 1, len, "traceEvents")) {
        c->p = value;
        c->t->has_events = true;
        if (*value == '[') {
            c->p++;
            c->t->state = PF_JSON_IN_EVENTS;
            c->t->comma_due = false;
            return STEP_ON;
        }
        fault(c, PF_STAT_JSON_SYNTAX, value);
        if (*value == '{') {
            get_lost(c, value, value);
            return STEP_ON;
        }
    }
    return pass_over(c, value);
}

/* Passing over a value that nobody needs; can stop and go on between any two tokens. */
static step in_value(cursor *c)
{
    bool element = c->t->state == PF_JSON_IN_ELEMENT;
    const uint8_t *events;
    switch (scan_outer(c, &c->p, &events)) {
    case PF_JSON_MORE:
        return events || is_too_long(c, c->p) ? leave_value(c, events) : STEP_MORE;
    case PF_JSON_BAD:
        if (!element) {
            fault(c, PF_STAT_JSON_SYNTAX, c->p);
        }
        get_lost(c, c->p, c->p);
        return STEP_ON;
    case PF_JSON_DONE:
        break;
    }
    c->t->state = element ? PF_JSON_AFTER_ELEMENT : PF_JSON_AT_KEY;
    return STEP_ON;
}

static step after_element(cursor *c)
{
    c->p = pf_json_skip_space(c->p, c->end);
    if (c->p == c->end) {
        return STEP_MORE;
    }
    if (*c->p == ',' || *c->p == ']' || *c->p == '{') {
        c->t->state = PF_JSON_IN_EVENTS;
        c->t->comma_due = true;
    } else {
        get_lost(c, c->p, c->p);
    }
    return STEP_ON;
}

/* No event is begun at or behind the limit, or without room for it. */
static bool is_full(const cursor *c)
{
    return c->p >= c->limit || c->piece->count == PF_JSON_RECORDS;
}

/* The last window ends inside an event. Usually that is the end of the file; but if a bracket was lost in the event,
 * whole events lie behind it. */
static step give_up_event(cursor *c)
{
    fault(c, PF_STAT_JSON_TRUNCATED, c->p);
    c->t->truncated = true;
    get_lost(c, c->p, c->p + 1);
    return STEP_ON;
}

/* The event at c->p is not complete before `end`. */
static step lacks_end(cursor *c, const uint8_t *end)
{
    bool impatient = end < c->end;
    if (!impatient && !c->w->last) {
        return STEP_MORE;
    }
    c->t->vain += (uint64_t)(end - c->p);
    if (is_document(c, end)) {
        return STEP_ON;
    }
    if (!impatient) {
        return give_up_event(c);
    }
    fault(c, PF_STAT_JSON_SYNTAX, c->p);
    get_lost(c, c->p, c->p + 1);
    return STEP_ON;
}

/* A list where an event should be: another document if an event may follow, else a value of no use. */
static step at_list(cursor *c)
{
    pf_json_tokenizer *t = c->t;
    const uint8_t *next = pf_json_skip_space(c->p + 1, c->end);
    if (next == c->end && !c->w->last && !is_too_long(c, c->p)) {
        return STEP_MORE;
    }
    fault(c, PF_STAT_JSON_SYNTAX, c->p);
    if (next < c->end && (*next == '{' || *next == '[')) {
        t->nested++;
        t->comma_due = false;
        c->p++;
    } else {
        pf_json_scan_start(&t->scan);
        t->state = PF_JSON_IN_ELEMENT;
    }
    return STEP_ON;
}

/* At the brace of an event: it and all that follow it as they should in one go; what is not like that, alone. */
static step read_events(cursor *c)
{
    pf_json_tokenizer *t = c->t;
    if (is_full(c)) {
        return STEP_FULL;
    }
    const uint8_t *end = patience_end(c);
    t->rules.patience = pf_json_longest_event(t, offset_of(c, c->p));
    const uint8_t *p = t->kernel->read_events(c->piece, &t->rules, c->p, c->limit, c->end);
    t->comma_due = true;
    if (p != c->p) {
        c->p = p;
        return STEP_ON;
    }
    pf_json_event e;
    bool empty;
    pf_json_scan_result result = pf_json_read_event(&t->rules, &p, end, &e, &empty);
    if (result == PF_JSON_MORE) {
        return lacks_end(c, end);
    }
    if (result == PF_JSON_BAD || (e.phase == 0 && find_events_key(c->p, p))) {
        fault(c, PF_STAT_JSON_SYNTAX, result == PF_JSON_BAD ? p : c->p);
        if (!is_document(c, p)) {
            get_lost(c, c->p, p);
        }
        return STEP_ON;
    }
    pf_json_keep_event(c->piece, &e, empty);
    c->p = p;
    return STEP_ON;
}

static step in_events(cursor *c)
{
    pf_json_tokenizer *t = c->t;
    const uint8_t *p = pf_json_skip_space(c->p, c->end);
    if (p < c->end && *p == ',' && t->comma_due) {
        t->comma_due = false;
        p = pf_json_skip_space(p + 1, c->end);
    }
    c->p = p;
    if (p == c->end) {
        return STEP_MORE;
    }
    if (*p == '{') {
        return read_events(c);
    }
    if (*p == ']') {
        c->p++;
        t->comma_due = t->nested > 0;
        t->state = t->nested > 0 ? PF_JSON_IN_EVENTS : t->object_form ? PF_JSON_AT_KEY : PF_JSON_BEHIND;
        t->nested -= t->nested > 0;
        return STEP_ON;
    }
    if (*p == '[') {
        return at_list(c);
    }
    fault(c, PF_STAT_JSON_SYNTAX, p);
    if (*p == ',') {
        c->p++;
        return STEP_ON;
    }
    pf_json_scan_start(&t->scan);
    t->state = PF_JSON_IN_ELEMENT;
    return STEP_ON;
}

/* A brace that may begin an event. */
static step try_candidate(cursor *c)
{
    pf_json_tokenizer *t = c->t;
    if (is_full(c)) {
        return STEP_FULL;
    }
    const uint8_t *p = c->p, *end = patience_end(c);
    bool empty;
    pf_json_event e;
    pf_json_scan_result result = pf_json_read_event(&t->rules, &p, end, &e, &empty);
    if (result == PF_JSON_DONE && e.phase != 0) {
        pf_json_keep_event(c->piece, &e, empty);
        c->p = p;
        t->state = PF_JSON_IN_EVENTS;
        t->comma_due = true;
        t->has_events = true;
        return STEP_ON;
    }
    if (result == PF_JSON_MORE) {
        if (end == c->end && !c->w->last) {
            return STEP_MORE;
        }
        t->vain += (uint64_t)(end - c->p);
        if (end == c->end && !t->truncated) {
            fault(c, PF_STAT_JSON_TRUNCATED, c->p);
            t->truncated = true;
        }
        p = c->p + 1;
    }
    if (is_document(c, result == PF_JSON_MORE ? end : p)) {
        return STEP_ON;
    }
    if (result == PF_JSON_DONE) {
        search_at(c, c->p, p);
    } else {
        /* Another damaged event, unless it is a part of the one before. */
        if (result == PF_JSON_BAD && offset_of(c, p) > t->damage) {
            fault(c, PF_STAT_JSON_SYNTAX, p);
        }
        get_lost(c, c->p, p);
    }
    return STEP_ON;
}

static step search(cursor *c)
{
    pf_json_tokenizer *t = c->t;
    for (; c->p < c->end; c->p++) {
        uint8_t b = *c->p;
        if (is_space(b)) {
            t->line_start |= b == '\n';
            continue;
        }
        if (b == '{') {
            const uint8_t *next = pf_json_skip_space(c->p + 1, c->end);
            if (next == c->end && !is_too_long(c, c->p)) {
                return STEP_MORE;
            }
            if (next < c->end && *next == '"' &&
                (t->line_start || t->before == ',' || t->before == '[' || t->before == '}')) {
                return try_candidate(c);
            }
        }
        t->before = b;
        t->line_start = false;
    }
    return STEP_MORE;
}

/* Behind a document: blanks, or another document, or what else may hold events. */
static step behind(cursor *c)
{
    c->p = pf_json_skip_space(c->p, c->end);
    bool mark = c->p < c->end && *c->p == 0xef;
    if (c->p == c->end || (mark && c->end - c->p < 3 && !c->w->last)) {
        return STEP_MORE;
    }
    if (mark && c->end - c->p >= 3 && memcmp(c->p, BYTE_ORDER_MARK, 3) == 0) {
        c->p += 3;
        return STEP_ON;
    }
    if (*c->p == '[' || *c->p == '{') {
        fault(c, PF_STAT_JSON_DOCUMENTS, c->p);
        c->t->state = PF_JSON_AT_START;
    } else {
        fault(c, PF_STAT_JSON_SYNTAX, c->p);
        get_lost(c, c->p, c->p);
    }
    return STEP_ON;
}

/* The input is over: what is still open? An array needs no end, an object does. */
static void finish(cursor *c)
{
    pf_json_tokenizer *t = c->t;
    bool open = t->state == PF_JSON_AT_KEY || t->state == PF_JSON_IN_VALUE || t->state == PF_JSON_IN_ELEMENT ||
                ((t->state == PF_JSON_IN_EVENTS || t->state == PF_JSON_AFTER_ELEMENT) && t->object_form);
    open |= t->state == PF_JSON_LOST && c->p < c->end;
    if (open && !t->truncated) {
        fault(c, PF_STAT_JSON_TRUNCATED, c->p);
        t->truncated = true;
    }
    t->state = PF_JSON_AT_END;
    c->p = c->end;
}

static step take_step(cursor *c)
{
    switch (c->t->state) {
    case PF_JSON_AT_START:
        return at_start(c);
    case PF_JSON_AT_KEY:
        return at_key(c);
    case PF_JSON_IN_VALUE:
    case PF_JSON_IN_ELEMENT:
        return in_value(c);
    case PF_JSON_IN_EVENTS:
        return in_events(c);
    case PF_JSON_AFTER_ELEMENT:
        return after_element(c);
    case PF_JSON_LOST:
        return search(c);
    case PF_JSON_BEHIND:
        return behind(c);
    case PF_JSON_AT_END:
        break;
    }
    c->p = c->end;
    return STEP_MORE;
}

pf_json_progress pf_json_tokenize(pf_json_tokenizer *t, const pf_window *w, size_t *pos, size_t limit,
                                  pf_json_piece *piece)
{
    const uint8_t *base = w->data + *pos;
    cursor c = {.t = t, .w = w, .p = base, .end = w->data + w->len, .limit = w->data + limit, .piece = piece};
    pf_json_piece_start(piece, base, w->offset + *pos);
    step s = STEP_ON;
    while (s == STEP_ON) {
        s = take_step(&c);
    }
    if (s == STEP_MORE && w->last) {
        finish(&c);
    }
    *pos = (size_t)(c.p - w->data);
    switch (s) {
    case STEP_FULL:
        return PF_JSON_PIECE_FULL;
    case STEP_ENTRY:
        return PF_JSON_ENTRY;
    default:
        return w->last ? PF_JSON_FINISHED : PF_JSON_WINDOW_USED;
    }
}
