/* read/chrome_json/apply/piece_ring.c - guessing where events begin.
 *
 * A thread that is to read from the middle of a document cannot know whether that lies in a text, in the args of an
 * event or between two events. It looks for what usually stands between events - a closing brace, a comma, an opening
 * brace, a quote - and takes the first such place at which an object with a phase can be read. From there on it reads
 * events as long as nothing is unusual.
 *
 * The owner, who reads in order, believes a piece only if it has itself arrived, between events of the array, at
 * exactly the byte where the piece begins; the records then are the ones that it would have read. Otherwise it reads on
 * by itself to where the next piece begins to look. It also must have the patience for long events that it had when the
 * piece was asked for (resync.c), or the piece might hold one that it would not have taken. So a wrong guess costs time
 * and nothing else, and what is read does not depend on the number of threads nor on the size of pieces.
 *
 * Where a capture is hundreds of files, the owner is alone at the end of each and at the begin of the next. So pieces
 * of the next file are asked for as soon as the last one of this file was; each knows its input by a count, and is
 * believed under the same conditions, and only by the rules that it was read with.
 */
#include "read/chrome_json/apply/piece_ring.h"

#include "base/prefault.h"

#define GUESSES 8 /* tried for one piece */

typedef struct job {
    pf_json_ahead ahead;
    pf_json_rules rules;
    const pf_json_kernel *kernel;
    const uint8_t *first, *end; /* bytes to look at */
    uint64_t offset;            /* of `first` */
    uint32_t input;             /* as the ring counts them */
    bool touched;               /* the memory of the piece that all pieces need was */
    pf_json_piece piece;
} job;

struct pf_json_ring {
    pf_budget *budget;
    pf_crew *crew;
    size_t bytes;
    const uint8_t *last;      /* limit of the newest piece of this input; NULL: none since the last drop */
    const uint8_t *next_last; /* the same of the next one */
    uint32_t input;           /* counts them */
    unsigned slots, oldest;
    job *jobs;
};

/* The last byte before p that is no blank, 0 if there is none from `first` on. */
static uint8_t byte_before(const uint8_t **p, const uint8_t *first)
{
    while (*p > first) {
        uint8_t b = *--*p;
        if (!pf_json_is_space(b)) {
            return b;
        }
    }
    return 0;
}

/* The next opening brace from p on that may begin an event. */
static const uint8_t *next_guess(const job *j, const uint8_t *p)
{
    for (; p < j->ahead.limit && (p = memchr(p, '{', (size_t)(j->ahead.limit - p))); p++) {
        const uint8_t *next = pf_json_skip_space(p + 1, j->end), *before = p;
        if (next < j->end && *next == '"' && byte_before(&before, j->first) == ',' &&
            byte_before(&before, j->first) == '}') {
            return p;
        }
    }
    return NULL;
}

static void read_ahead(void *ctx, unsigned slot)
{
    job *j = &((pf_json_ring *)ctx)->jobs[slot];
    pf_json_ahead *a = &j->ahead;
    a->start = NULL;
    if (!j->touched) { /* what is looked into before it is written would be mapped twice */
        pf_touch(j->piece.record, sizeof j->piece.record);
        pf_touch(j->piece.text, sizeof j->piece - offsetof(pf_json_piece, text));
        j->touched = true;
    }
    const uint8_t *p = next_guess(j, a->from);
    for (unsigned i = 0; p && i < GUESSES; i++) {
        pf_json_piece_start(&j->piece, p, j->offset + (uint64_t)(p - j->first));
        a->stop = j->kernel->read_events(&j->piece, &j->rules, p, p + 1, j->end);
        if (j->piece.count == 1) {
            a->start = p;
            if (a->stop < a->limit && *a->stop == '{') {
                a->stop = j->kernel->read_events(&j->piece, &j->rules, a->stop, a->limit, j->end);
            }
            return;
        }
        p = next_guess(j, p + 1);
    }
}

pf_json_ring *pf_json_ring_start(unsigned helpers, pf_budget *budget)
{
    unsigned slots = 2 * helpers + 3;
    if (helpers == 0 || slots * sizeof(job) > budget->limits.memory / 8) {
        return NULL;
    }
    pf_json_ring *r = pf_alloc_zero(budget, 1, sizeof *r);
    if (!r) {
        return NULL;
    }
    r->budget = budget;
    r->slots = slots;
    r->jobs = pf_alloc_zero(budget, slots, sizeof *r->jobs);
    r->crew = r->jobs ? pf_crew_start(helpers, slots, read_ahead, r, budget) : NULL;
    if (!r->crew || pf_crew_helpers(r->crew) == 0) {
        pf_json_ring_stop(r);
        return NULL;
    }
    return r;
}

bool pf_json_ring_begin(pf_json_ring *r, const pf_json_tokenizer *t, const pf_window *w, size_t bytes)
{
    const job *first = &r->jobs[r->oldest];
    r->input++;
    bool kept = pf_crew_pending(r->crew) > 0 && first->input == r->input && first->first == w->data &&
                first->rules.cycles == t->rules.cycles;
    if (kept) {
        r->last = r->next_last;
        r->next_last = NULL;
    } else {
        pf_json_ring_drop(r);
    }
    r->bytes = bytes;
    return kept;
}

static const uint8_t *put(pf_json_ring *r, const pf_json_tokenizer *t, const pf_window *w, const uint8_t *from,
                          size_t bytes, uint32_t input)
{
    job *j = &r->jobs[pf_crew_next(r->crew)];
    const uint8_t *end = w->data + w->len;
    if (j->input != input) {
        pf_json_piece_forget(&j->piece);
        j->input = input;
    }
    j->ahead.from = from;
    j->ahead.limit = (size_t)(end - from) < bytes ? end : from + bytes;
    j->ahead.piece = &j->piece;
    j->ahead.vain = t->vain;
    j->rules = t->rules;
    j->rules.patience = pf_json_longest_event(t, w->offset + (uint64_t)(from - w->data));
    j->kernel = t->kernel;
    j->first = w->data;
    j->end = end;
    if ((size_t)(j->end - j->ahead.limit) > bytes) {
        j->end = j->ahead.limit + bytes; /* a longer event is the owner's, who knows how much may be read in vain */
    }
    j->offset = w->offset;
    pf_crew_put(r->crew);
    return j->ahead.limit;
}

bool pf_json_ring_fill(pf_json_ring *r, const pf_json_tokenizer *t, const pf_window *w, const uint8_t *p)
{
    const uint8_t *end = w->data + w->len;
    const uint8_t *from = r->last && r->last > p ? r->last : p;
    if (from == p) { /* the owner begins at once with what lies before */
        from += (size_t)(end - p) < r->bytes ? (size_t)(end - p) : r->bytes;
    }
    if (pf_crew_room(r->crew) <= r->slots / 2) {
        return false; /* a few at once, so that nobody is woken for each */
    }
    while (pf_crew_room(r->crew) > 0 && (size_t)(end - from) >= (w->last ? 1 : r->bytes)) {
        from = r->last = put(r, t, w, from, r->bytes, r->input);
    }
    return pf_crew_room(r->crew) > 0;
}

void pf_json_ring_look_ahead(pf_json_ring *r, const pf_json_tokenizer *t, const pf_window *next, size_t from,
                             size_t bytes)
{
    const pf_json_tokenizer fresh = {.rules = t->rules, .kernel = t->kernel};
    const uint8_t *end = next->data + next->len;
    r->next_last = r->next_last ? r->next_last : next->data + from;
    while (pf_crew_room(r->crew) > 0 && r->next_last < end) {
        r->next_last = put(r, &fresh, next, r->next_last, bytes, r->input + 1);
    }
}

const uint8_t *pf_json_ring_next(const pf_json_ring *r)
{
    const job *j = &r->jobs[r->oldest];
    return pf_crew_pending(r->crew) > 0 && j->input == r->input ? j->ahead.from : NULL;
}

const pf_json_ahead *pf_json_ring_take(pf_json_ring *r)
{
    unsigned slot = pf_crew_take(r->crew);
    r->oldest = (slot + 1) % r->slots;
    return &r->jobs[slot].ahead;
}

void pf_json_ring_release(pf_json_ring *r)
{
    pf_crew_release(r->crew);
}

void pf_json_ring_drop(pf_json_ring *r)
{
    pf_crew_drop(r->crew);
    r->oldest = pf_crew_next(r->crew);
    r->last = r->next_last = NULL;
}

void pf_json_ring_leave(pf_json_ring *r)
{
    if (pf_json_ring_next(r)) {
        pf_json_ring_drop(r);
    }
}

void pf_json_ring_stop(pf_json_ring *r)
{
    if (r) {
        pf_crew_stop(r->crew);
        pf_release(r->budget, r->jobs, r->slots * sizeof *r->jobs);
        pf_release(r->budget, r, sizeof *r);
    }
}
