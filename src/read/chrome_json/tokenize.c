/* tokenize.c - the outer structure of a document, and the way back after damage.
 *
 * A document is an array of events, or an object with such an array under "traceEvents" and other keys around it in any
 * order. The tokenizer is a state machine whose every step takes one whole piece (an event, a key, a token of a value
 * that is passed over) or, if the window ends inside the piece, nothing: it is then called again with a window that
 * starts there. So the result does not depend on where windows are cut.
 *
 * Damage: where an event stops being JSON, it is given up and the search for the next one starts at the offending byte.
 * A brace is a candidate if a quote follows it and if it stands where an element of an array may stand: behind a
 * comma, a bracket or another object, or at the start of a line. It is accepted if it reads as an object with a phase;
 * otherwise (an object nested in the damaged event) the search goes on behind what was read. Every byte is so looked
 * at a bounded number of times. Until an event was found again, closing brackets are not believed.
 */
#include "read/chrome_json/tokenize.h"

typedef struct cursor {
    pf_json_tokenizer *t;
    const pf_window *w;
    const uint8_t *p, *end;
    pf_json_batch *batch;
} cursor;

/* What a step says: go on, leave with a result, or wait for more bytes. */
typedef enum step { STEP_ON, STEP_MORE, STEP_FULL, STEP_ENTRY } step;

static uint64_t offset_of(const cursor *c, const uint8_t *p)
{
    return c->w->offset + (uint64_t)(p - c->w->data);
}

static void fault(cursor *c, pf_stat_id id, const uint8_t *p)
{
    pf_json_fault(&c->batch->faults, id, offset_of(c, p));
}

static bool is_space(uint8_t b)
{
    return b == ' ' || b == '\n' || b == '\r' || b == '\t';
}

/* Enters the search at `at`; what lies between `from` and it was read in vain. Where both are equal, an event may stand
 * right there. */
static void get_lost(cursor *c, const uint8_t *from, const uint8_t *at)
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

static step at_start(cursor *c)
{
    if (c->w->offset == 0 && c->p == c->w->data && c->end - c->p < 3 && !c->w->last) {
        return STEP_MORE;
    }
    if (c->w->offset == 0 && c->p == c->w->data && c->end - c->p >= 3 && memcmp(c->p, "\xef\xbb\xbf", 3) == 0) {
        c->p += 3;
    }
    c->p = pf_json_skip_space(c->p, c->end);
    if (c->p == c->end) {
        return STEP_MORE;
    }
    if (*c->p == '[' || *c->p == '{') {
        c->t->object_form = *c->p == '{';
        c->t->has_events = !c->t->object_form;
        c->t->state = c->t->object_form ? PF_JSON_AT_KEY : PF_JSON_IN_EVENTS;
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

/* An outer key and its value, taken as a whole. `start` is the value's first byte. */
static step take_entry(cursor *c, pf_json_text key, const uint8_t *start)
{
    pf_json_scan *scan = &c->t->scan;
    const uint8_t *p = start;
    pf_json_scan_start(scan);
    pf_json_scan_result result = pf_json_scan_value(scan, &p, c->end);
    if (result == PF_JSON_MORE) {
        return STEP_MORE;
    }
    if (result == PF_JSON_BAD) {
        fault(c, PF_STAT_JSON_SYNTAX, p);
        get_lost(c, start, p);
        return STEP_ON;
    }
    c->p = p;
    if ((size_t)(p - start) > UINT32_MAX || scan->deepest > c->t->rules.depth || scan->values > c->t->rules.keys) {
        return STEP_ON;
    }
    c->t->entries++;
    c->t->entry_key = key;
    c->t->entry = (pf_json_text){start, (uint32_t)(p - start), 0};
    return STEP_ENTRY;
}

/* Which outer values are kept: those that are no containers, and a few small ones that tell about the trace. */
static bool is_kept(const cursor *c, const uint8_t *key, size_t len, const uint8_t *value)
{
    static const char *const kept[] = {"metadata", "deviceProperties", "distributedInfo", "otherData",
                                       "viztracer_metadata"};
    if (c->t->entries >= c->t->rules.keys || key_is(key, len, "traceEvents") || key_is(key, len, "systemTraceEvents")) {
        return false;
    }
    bool named = *value != '{' && *value != '[';
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        named |= key_is(key, len, kept[i]);
    }
    return named;
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
        return STEP_MORE;
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
    if (len <= UINT32_MAX && is_kept(c, p + 1, len, value)) {
        return take_entry(c, (pf_json_text){p + 1, (uint32_t)len, 0}, value);
    }
    c->p = value;
    if (key_is(p + 1, len, "traceEvents")) {
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
    pf_json_scan_start(&c->t->scan);
    c->t->state = PF_JSON_IN_VALUE;
    return STEP_ON;
}

/* Passing over a value that nobody needs; can stop and go on between any two tokens. */
static step in_value(cursor *c)
{
    bool element = c->t->state == PF_JSON_IN_ELEMENT;
    switch (pf_json_scan_value(&c->t->scan, &c->p, c->end)) {
    case PF_JSON_MORE:
        return STEP_MORE;
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

/* An object with a phase is an event; one without is counted, an empty one is nothing. */
static bool keep_event(cursor *c, const pf_json_record *r, bool empty)
{
    if (r->phase != 0) {
        c->batch->count++;
        return true;
    }
    if (!empty) {
        pf_json_fault(&c->batch->faults, PF_STAT_JSON_TOKENIZER_FAILURE, r->offset);
    }
    return false;
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
        if (c->batch->count == PF_JSON_BATCH) {
            return STEP_FULL;
        }
        bool empty;
        pf_json_scan_result result = pf_json_read_event(&t->rules, c->w->data, c->w->offset, &p, c->end,
                                                        &c->batch->record[c->batch->count], &empty, &c->batch->faults);
        if (result == PF_JSON_MORE) {
            return c->w->last ? give_up_event(c) : STEP_MORE;
        }
        if (result == PF_JSON_BAD) {
            fault(c, PF_STAT_JSON_SYNTAX, p);
            get_lost(c, c->p, p);
            return STEP_ON;
        }
        keep_event(c, &c->batch->record[c->batch->count], empty);
        c->p = p;
        t->comma_due = true;
        return STEP_ON;
    }
    if (*p == ']') {
        c->p++;
        t->state = t->object_form ? PF_JSON_AT_KEY : PF_JSON_BEHIND;
        return STEP_ON;
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
    if (c->batch->count == PF_JSON_BATCH) {
        return STEP_FULL;
    }
    const uint8_t *p = c->p;
    bool empty;
    pf_json_record *r = &c->batch->record[c->batch->count];
    pf_json_faults before = c->batch->faults;
    pf_json_scan_result result =
        pf_json_read_event(&t->rules, c->w->data, c->w->offset, &p, c->end, r, &empty, &c->batch->faults);
    if (result == PF_JSON_MORE) {
        return STEP_MORE;
    }
    if (result == PF_JSON_DONE && r->phase != 0) {
        c->batch->count++;
        c->p = p;
        t->state = PF_JSON_IN_EVENTS;
        t->comma_due = true;
        t->has_events = true;
        return STEP_ON;
    }
    c->batch->faults = before;
    get_lost(c, c->p, p);
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
            if (next == c->end) {
                return STEP_MORE;
            }
            if (*next == '"' && (t->line_start || t->before == ',' || t->before == '[' || t->before == '}')) {
                return try_candidate(c);
            }
        }
        t->before = b;
        t->line_start = false;
    }
    return STEP_MORE;
}

static step behind(cursor *c)
{
    c->p = pf_json_skip_space(c->p, c->end);
    if (c->p == c->end) {
        return STEP_MORE;
    }
    fault(c, PF_STAT_JSON_SYNTAX, c->p);
    c->t->state = PF_JSON_AT_END;
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

pf_json_progress pf_json_tokenize(pf_json_tokenizer *t, const pf_window *w, size_t *pos, pf_json_batch *batch)
{
    cursor c = {.t = t, .w = w, .p = w->data + *pos, .end = w->data + w->len, .batch = batch};
    batch->count = 0;
    memset(&batch->faults, 0, sizeof batch->faults);
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
        return PF_JSON_BATCH_FULL;
    case STEP_ENTRY:
        return PF_JSON_ENTRY;
    default:
        return w->last ? PF_JSON_FINISHED : PF_JSON_WINDOW_USED;
    }
}
