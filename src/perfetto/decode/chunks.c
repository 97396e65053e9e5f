/* perfetto/decode/chunks.c - phase 1 on several threads.
 *
 * Where a packet begins is known only to whoever read all packets before it. A chunk in the middle of the bytes
 * therefore begins with a guess: the first byte from which a chain of CHAIN packets hangs together, tag, length, tag,
 * length. The guess is right nearly always, and it need not be: chunks are used in file order, and one is used only if
 * it begins exactly where the one before ended. Otherwise its bytes are read again from the right place, by the caller.
 * So rows do not depend on guesses, on the size of chunks, or on how many threads there are.
 *
 * A chunk fills one batch. What does not fit (packets of a few bytes) is read by the caller, too.
 */
#include "perfetto/decode/batch.h"

#include "base/threads/threads.h"
#include "perfetto/fields.h"
#include "wire/cursor.h"

#define CHAIN 24u
#define PACKET_MAX (16u << 20)

typedef struct chunk {
    size_t from, to; /* it takes the packets that begin there */
    size_t start;    /* where it began; == to if it found no packet */
    pf_decoded decoded;
    pf_rows *rows;
} chunk;

struct pf_chunks {
    pf_budget *budget;
    pf_crew *crew;
    unsigned slots; /* 0 without helpers */
    pf_rows_decoder decode;
    void (*digest)(pf_rows *rows); /* or NULL */
    size_t size;
    const uint8_t *bytes;
    size_t len;
    size_t at;      /* after the last row given to the caller */
    size_t planned; /* chunks up to here were put */
    size_t to;      /* end of the chunk in hand */
    bool holds;     /* a slot was taken and not released */
    pf_rows *own;   /* rows that the caller's thread makes */
    chunk chunk[];
};

/* Whether a packet may begin at p; *next is where it would end. */
static bool is_plausible(const uint8_t *p, const uint8_t *end, const uint8_t **next)
{
    uint64_t n = 0;
    if (end - p < 4 || *p != PF_TAG_BYTES(PF_F_TRACE_PACKET)) {
        return false;
    }
    p = pf_varint(p + 1, end, &n);
    if (!p || n == 0 || n > PACKET_MAX || p >= end || *p < 8 || (*p & 7) > PF_WIRE_FIXED32) {
        return false;
    }
    *next = (uint64_t)(end - p) < n ? end : p + n;
    return true;
}

/* The first place in [from, to) where packets seem to begin, or `to`. */
static size_t guess_start(const pf_chunks *c, size_t from, size_t to)
{
    const uint8_t *at = c->bytes + from, *until = c->bytes + to, *end = c->bytes + c->len;
    for (; at < until; at++) {
        at = memchr(at, PF_TAG_BYTES(PF_F_TRACE_PACKET), (size_t)(until - at));
        if (!at) {
            break;
        }
        const uint8_t *p = at;
        unsigned links = 0;
        while (links < CHAIN && p < end && is_plausible(p, end, &p)) {
            links++;
        }
        if (links == CHAIN || (links > 0 && p == end)) {
            return (size_t)(at - c->bytes);
        }
    }
    return to;
}

static pf_decoded decode(const pf_chunks *c, size_t from, size_t to, pf_rows *rows)
{
    pf_decoded d = c->decode(c->bytes + from, c->len - from, to - from, rows);
    if (c->digest) {
        c->digest(rows);
    }
    return d;
}

static void work(void *ctx, unsigned slot)
{
    const pf_chunks *c = ctx;
    chunk *k = &((pf_chunks *)ctx)->chunk[slot];
    k->start = k->from == 0 ? 0 : guess_start(c, k->from, k->to);
    k->decoded = (pf_decoded){.stop = PF_STOP_FULL};
    if (k->start < k->to) {
        k->decoded = decode(c, k->start, k->to, k->rows);
    }
}

pf_chunks *pf_chunks_new(unsigned helpers, pf_budget *budget)
{
    unsigned slots = helpers ? 2 * helpers + 2 : 0;
    pf_chunks *c = pf_alloc_zero(budget, 1, sizeof *c + slots * sizeof *c->chunk);
    if (!c) {
        return NULL;
    }
    c->budget = budget;
    c->slots = slots;
    c->decode = pf_rows_choose();
    c->size = PF_CHUNK_BYTES;
    c->own = pf_rows_new(budget);
    bool whole = c->own != NULL;
    for (unsigned i = 0; i < slots && whole; i++) {
        c->chunk[i].rows = pf_rows_new(budget);
        whole = c->chunk[i].rows != NULL;
    }
    c->crew = whole && slots ? pf_crew_start(helpers, slots, work, c, budget) : NULL;
    if (!whole || (slots && !c->crew)) {
        pf_chunks_free(c);
        return NULL;
    }
    return c;
}

void pf_chunks_free(pf_chunks *c)
{
    if (!c) {
        return;
    }
    pf_crew_stop(c->crew);
    for (unsigned i = 0; i < c->slots; i++) {
        pf_rows_free(c->chunk[i].rows);
    }
    pf_rows_free(c->own);
    pf_release(c->budget, c, sizeof *c + c->slots * sizeof *c->chunk);
}

bool pf_chunks_have_helpers(const pf_chunks *c)
{
    return c->crew && pf_crew_helpers(c->crew) > 0;
}

void pf_chunks_set_digest(pf_chunks *c, void (*digest)(pf_rows *rows))
{
    c->digest = digest;
}

void pf_chunks_set_size(pf_chunks *c, size_t bytes)
{
    c->size = bytes ? bytes : 1;
}

void pf_chunks_begin(pf_chunks *c, const uint8_t *bytes, size_t len, bool stay)
{
    if (c->crew) {
        pf_crew_drop(c->crew);
    }
    for (unsigned i = 0; i < c->slots && !stay; i++) {
        pf_rows_renew(c->chunk[i].rows);
    }
    if (!stay) {
        pf_rows_renew(c->own);
    }
    c->holds = false;
    c->bytes = bytes;
    c->len = len;
    c->at = c->planned = 0;
    c->to = c->crew ? 0 : len;
}

static void plan(pf_chunks *c)
{
    while (c->planned < c->len && pf_crew_room(c->crew) > 0) {
        chunk *k = &c->chunk[pf_crew_next(c->crew)];
        k->from = c->planned;
        k->to = c->len - c->planned > c->size ? c->planned + c->size : c->len;
        c->planned = k->to;
        pf_crew_put(c->crew);
    }
}

/* Reads on at c->at, to the end of the chunk in hand. */
static pf_rows *read_on(pf_chunks *c, pf_decoded *d)
{
    *d = decode(c, c->at, c->to, c->own);
    c->at += d->consumed;
    return c->own;
}

pf_rows *pf_chunks_next(pf_chunks *c, pf_decoded *d)
{
    if (c->holds) {
        pf_crew_release(c->crew);
        c->holds = false;
    }
    if (c->at < c->to || !c->crew) {
        return read_on(c, d);
    }
    for (;;) {
        plan(c);
        if (pf_crew_pending(c->crew) == 0) {
            *d = (pf_decoded){.stop = PF_STOP_PARTIAL};
            c->own->count = 0;
            return c->own;
        }
        chunk *k = &c->chunk[pf_crew_take(c->crew)];
        c->to = k->to;
        if (k->start == c->at && k->start < k->to) {
            c->holds = true;
            *d = k->decoded;
            c->at += d->consumed;
            return k->rows;
        }
        pf_crew_release(c->crew);
        if (c->at < c->to) {
            return read_on(c, d);
        }
    }
}

void pf_chunks_skip(pf_chunks *c, size_t bytes)
{
    c->at += bytes;
}
