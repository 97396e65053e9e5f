/* json/document/resync.c - the way back after damage.
 *
 * Where an event stops being JSON, it is given up and the search for the next one starts after its first byte, because
 * a text or a bracket that was never closed may have swallowed what follows. A brace is a candidate if a quote follows
 * it and if it stands where an element of an array may stand: after a comma, a bracket or another object, or at the
 * start of a line. It is accepted if it reads as an object with a phase; one without (nested in the damaged event) is
 * passed over. Until an event was found again, closing brackets are not believed.
 *
 * Reading in vain costs patience: so many bytes at first, and every byte of the document earns some more. Who has none
 * left goes on at the offending byte and does not wait for the end of a long event. So hostile input cannot have the
 * rest of the file read again for each of its events: every byte is read a bounded number of times.
 */
#include <string.h>

#include "json/document/tokenize.h"

/* Bytes that may be read in vain: at first, for each byte of the document, and always for an event. */
#define PATIENCE ((uint64_t)8 << 20)
#define PATIENCE_PER_BYTE 2
#define PATIENCE_LEAST 256

/* Bytes that may still be read in vain at an offset. */
static uint64_t patience_at(const pf_json_tokenizer *t, uint64_t offset)
{
    uint64_t earned = PATIENCE + PATIENCE_PER_BYTE * offset;
    return earned > t->vain ? earned - t->vain : 0;
}

static uint64_t patience(const pf_json_cursor *c)
{
    return patience_at(c->t, pf_json_offset_of(c, c->p));
}

/* Enters the search at `at`; what lies between `from` and it was read in vain. Where both are equal, an event may stand
 * right there. */
static void search_at(pf_json_cursor *c, const uint8_t *from, const uint8_t *at)
{
    pf_json_tokenizer *t = c->t;
    const uint8_t *p = at;
    t->line_start = false;
    while (p > from && pf_json_is_space(p[-1])) {
        t->line_start |= p[-1] == '\n';
        p--;
    }
    t->before = p > from ? p[-1] : ',';
    t->state = PF_JSON_LOST;
    c->p = at;
}

void pf_json_get_lost(pf_json_cursor *c, const uint8_t *from, const uint8_t *at)
{
    uint64_t len = (uint64_t)(at - from);
    c->t->damage = pf_json_offset_of(c, at);
    if (len > 1 && len <= patience(c)) {
        c->t->vain += len;
        at = from + 1;
    }
    search_at(c, from, at);
}

uint64_t pf_json_longest_event(const pf_json_tokenizer *t, uint64_t offset)
{
    uint64_t longest = t->rules.longest;
    return patience_at(t, offset) > 0 || longest < PATIENCE_LEAST ? longest : PATIENCE_LEAST;
}

const uint8_t *pf_json_patience_end(const pf_json_cursor *c)
{
    uint64_t left = pf_json_longest_event(c->t, pf_json_offset_of(c, c->p));
    return left < (uint64_t)(c->end - c->p) ? c->p + left : c->end;
}

const uint8_t *pf_json_find_events_key(const uint8_t *p, const uint8_t *end)
{
    return p < end ? memmem(p, (size_t)(end - p), PF_JSON_EVENTS_KEY, sizeof PF_JSON_EVENTS_KEY - 1) : NULL;
}

bool pf_json_is_document(pf_json_cursor *c, const uint8_t *end)
{
    if (!pf_json_find_events_key(c->p, end)) {
        return false;
    }
    c->p++;
    c->t->object_form = true;
    c->t->nested = 0;
    c->t->state = PF_JSON_AT_KEY;
    return true;
}

/* A brace that may begin an event. */
static pf_json_step try_candidate(pf_json_cursor *c)
{
    pf_json_tokenizer *t = c->t;
    if (pf_json_is_full(c)) {
        return PF_JSON_STEP_FULL;
    }
    const uint8_t *p = c->p, *end = pf_json_patience_end(c);
    bool empty;
    pf_json_event e;
    pf_json_scan_result result = pf_json_read_event(&t->rules, &p, end, &e, &empty);
    if (result == PF_JSON_DONE && e.phase != 0) {
        pf_json_keep_event(c->piece, &e, empty);
        c->p = p;
        t->state = PF_JSON_IN_EVENTS;
        t->comma_due = true;
        t->has_events = true;
        return PF_JSON_STEP_ON;
    }
    if (result == PF_JSON_MORE) {
        if (end == c->end && !c->w->last) {
            return PF_JSON_STEP_MORE;
        }
        t->vain += (uint64_t)(end - c->p);
        if (end == c->end && !t->truncated) {
            pf_json_note_fault(c, PF_STAT_JSON_TRUNCATED, c->p);
            t->truncated = true;
        }
        p = c->p + 1;
    }
    if (pf_json_is_document(c, result == PF_JSON_MORE ? end : p)) {
        return PF_JSON_STEP_ON;
    }
    if (result == PF_JSON_DONE) {
        search_at(c, c->p, p);
    } else {
        /* Another damaged event, unless it is a part of the one before. */
        if (result == PF_JSON_BAD && pf_json_offset_of(c, p) > t->damage) {
            pf_json_note_fault(c, PF_STAT_JSON_SYNTAX, p);
        }
        pf_json_get_lost(c, c->p, p);
    }
    return PF_JSON_STEP_ON;
}

pf_json_step pf_json_search(pf_json_cursor *c)
{
    pf_json_tokenizer *t = c->t;
    for (; c->p < c->end; c->p++) {
        uint8_t b = *c->p;
        if (pf_json_is_space(b)) {
            t->line_start |= b == '\n';
            continue;
        }
        if (b == '{') {
            const uint8_t *next = pf_json_skip_space(c->p + 1, c->end);
            if (next == c->end && !pf_json_is_too_long(c, c->p)) {
                return PF_JSON_STEP_MORE;
            }
            if (next < c->end && *next == '"' &&
                (t->line_start || t->before == ',' || t->before == '[' || t->before == '}')) {
                return try_candidate(c);
            }
        }
        t->before = b;
        t->line_start = false;
    }
    return PF_JSON_STEP_MORE;
}
