/* read/tinygrad/pickle/pickle_scan.c - one look over the opcodes before the machine runs. It ends at whatever it does
 * not understand; the machine will say what is wrong there. It finds out two things, and both let values go early:
 *
 * Which entries of the memo are fetched. Python puts almost every value into the memo and fetches few of them again.
 *
 * Which items of the list at the top are complete. Items lie on the stack, above a mark, until APPENDS puts them into
 * the list; Python does that every thousand items, other programs may do it once for the whole list. An item is
 * complete at the opcode that begins the next one, provided that nothing reaches down to it between there and APPENDS.
 * The look follows the height of the stack above the first mark, sets a bit for the offset where an item begins, and
 * clears it when an opcode reaches the item before. Opcodes reach a few values at most, so the offsets of the last few
 * items will do; whatever goes further down clears the bits of the whole batch, and what cannot be followed ends the
 * matter: that costs memory, but no values. */
#include <string.h>

#include "read/tinygrad/pickle/pickle_machine.h"

/* What an opcode does to the stack: */
typedef enum effect {
    END = 0, /* of the pickle, or of what is known */
    NOTHING,
    PLAIN,  /* takes some values, leaves one or none */
    COPY,   /* leaves one value twice */
    DROP,   /* takes a value, or a mark where there is none above it */
    OPEN,   /* sets a mark */
    GATHER, /* makes one value of all above the mark */
    FILL,   /* puts all above the mark into the value below it */
    FORGET, /* takes all above the mark */
} effect;

typedef struct opcode {
    uint8_t fixed, counted, takes, leaves, effect;
} opcode;

static const opcode opcodes[256] = {
#define ROW(code, run, arg, fixed, counted, takes, leaves, effect) [code] = {fixed, counted, takes, leaves, effect},
    PF_PICKLE_OPCODES(ROW)};

/* Items of a batch whose beginnings are known, and items that may wait for APPENDS: a batch of Python's, and what one
 * item has on the stack. */
enum { RECENT = 16, BATCH = 1024 };

typedef struct scan {
    pf_pickle_values *v;
    size_t at;       /* the opcode */
    uint64_t marks;  /* that are open */
    uint64_t bottom; /* values below the first mark */
    uint64_t height; /* values above the first mark and below the second: items of a batch, if it is one */
    size_t opened;   /* where the second mark is */
    size_t from;     /* the first bit of the batch that may be set */
    uint64_t oldest; /* the first item whose beginning is known */
    size_t began[RECENT];
    bool lost; /* the stack is not followed any more */
    pf_error *err;
} scan;

static pf_status grow_bits(scan *s, pf_pickle_bits *bits, size_t byte)
{
    pf_budget *budget = s->v->budget;
    size_t most = s->v->input.len / 8 + 1;
    size_t bytes = byte < 512 ? 1024 : 2 * byte < most ? 2 * byte : most;
    uint8_t *more = pf_resize(budget, bits->bit, bits->bytes, bytes);
    PF_TRY(more ? PF_OK : pf_budget_refused(budget, bytes, s->err));
    memset(more + bits->bytes, 0, bytes - bits->bytes);
    bits->bit = more;
    bits->bytes = bytes;
    return PF_OK;
}

static pf_status set_bit(scan *s, pf_pickle_bits *bits, uint64_t at)
{
    size_t byte = (size_t)(at / 8);
    PF_TRY(byte < bits->bytes ? PF_OK : grow_bits(s, bits, byte));
    bits->bit[byte] |= (uint8_t)(1u << at % 8);
    return PF_OK;
}

static bool get_bit(const pf_pickle_bits *bits, uint64_t at)
{
    return at / 8 < bits->bytes && (bits->bit[at / 8] >> at % 8 & 1);
}

/* Bits [from, to). */
static void clear_bits(pf_pickle_bits *bits, size_t from, size_t to)
{
    for (size_t at = from; at < to && at / 8 < bits->bytes; at++) {
        bits->bit[at / 8] &= (uint8_t) ~(1u << at % 8);
    }
}

/* No item of the batch so far is known to be complete. */
static void clear_batch(scan *s)
{
    clear_bits(&s->v->complete, s->from, s->at);
    s->from = s->at;
    s->oldest = s->height;
}

static void lose(scan *s)
{
    clear_batch(s);
    s->lost = true;
}

/* An opcode reaches the item before this one, which therefore was not complete when this one began. */
static void forget_beginning(scan *s, uint64_t item)
{
    if (item < s->oldest) {
        clear_batch(s);
    } else {
        clear_bits(&s->v->complete, s->began[item % RECENT], s->began[item % RECENT] + 1);
    }
}

static pf_status begin_item(scan *s, size_t at)
{
    uint64_t item = s->height++;
    s->began[item % RECENT] = at;
    s->oldest = s->height > RECENT && s->oldest < s->height - RECENT ? s->height - RECENT : s->oldest;
    return item >= BATCH ? set_bit(s, &s->v->complete, at) : PF_OK;
}

/* An opcode that takes `takes` of the items and leaves one or none of its own. */
static void take_items(scan *s, unsigned takes, unsigned leaves)
{
    uint64_t lowest = s->height - takes;
    for (uint64_t item = s->height - 1; item > lowest; item--) {
        forget_beginning(s, item);
    }
    if (leaves == 0) {
        forget_beginning(s, lowest);
    }
    s->height = lowest + leaves;
}

static pf_status move_plain(scan *s, const opcode *o)
{
    uint64_t *height = s->marks == 1 ? &s->height : &s->bottom;
    if (o->takes > *height) {
        lose(s);
    } else if (s->marks == 0) {
        s->bottom += o->leaves - (uint64_t)o->takes;
    } else if (o->takes == 0) {
        return begin_item(s, s->at);
    } else {
        take_items(s, o->takes, o->leaves);
    }
    return PF_OK;
}

static pf_status open_mark(scan *s)
{
    if (s->marks == 0) {
        s->from = s->at;
        s->height = s->oldest = 0;
    } else if (s->marks == 1) {
        s->opened = s->at;
    }
    s->marks++;
    return PF_OK;
}

static pf_status close_mark(scan *s, const opcode *o)
{
    bool batch = s->marks == 1 && s->bottom == 1 && o->effect == FILL;
    if (s->marks == 0 || (s->marks == 1 && o->takes > s->bottom) || (s->marks == 2 && o->takes > s->height)) {
        lose(s);
        return PF_OK;
    }
    if (s->marks == 1 && !batch) {
        clear_batch(s);
    }
    s->marks--;
    if (o->effect != GATHER) {
        return PF_OK;
    }
    s->bottom += s->marks == 0;
    return s->marks == 1 ? begin_item(s, s->opened) : PF_OK;
}

static pf_status follow(scan *s, const opcode *o)
{
    bool inside = s->marks > 1 && o->effect <= COPY; /* of an item */
    switch (s->lost || inside ? NOTHING : o->effect) {
    case PLAIN:
        return move_plain(s, o);
    case COPY: /* shares what the value holds, so nothing is known to be complete */
        lose(s);
        return PF_OK;
    case DROP: /* what a value further up was is not known, it may have been a mark */
        if (s->marks > 1) {
            lose(s);
            return PF_OK;
        }
        return move_plain(s, o);
    case OPEN:
        return open_mark(s);
    case GATHER:
    case FILL:
    case FORGET:
        return close_mark(s, o);
    default:
        return PF_OK;
    }
}

/* Where the argument of the opcode before `at` ends; beyond `len` where it is cut. */
static uint64_t argument_end(const uint8_t *bytes, size_t len, size_t at, uint8_t op)
{
    const opcode *o = &opcodes[op];
    if (op == 'c') { /* two lines of text */
        for (unsigned i = 0; i < 2; i++) {
            const uint8_t *end = memchr(bytes + at, '\n', len - at);
            at = end ? (size_t)(end - bytes) + 1 : len;
        }
        return at;
    }
    if (len - at < (size_t)o->fixed + o->counted) {
        return (uint64_t)len + 1;
    }
    uint64_t length = o->counted == 1 ? bytes[at] : o->counted ? pf_pickle_little_endian(bytes + at, o->counted) : 0;
    at += (size_t)o->fixed + o->counted;
    return length > len - at ? (uint64_t)len + 1 : at + length;
}

pf_status pf_pickle_scan(pf_pickle_values *v, pf_error *err)
{
    const uint8_t *bytes = v->input.ptr;
    size_t len = v->input.len;
    scan s = {.v = v, .err = err};
    while (s.at < len && opcodes[bytes[s.at]].effect != END) {
        uint8_t op = bytes[s.at];
        uint64_t end = argument_end(bytes, len, s.at + 1, op), index = len + 1;
        if (end > len) {
            break;
        }
        if (op == 'h' || op == 'j') {
            index = pf_pickle_little_endian(bytes + s.at + 1, op == 'h' ? 1 : 4);
        }
        PF_TRY(index <= len ? set_bit(&s, &v->fetched, index) : PF_OK); /* one beyond the file was never put */
        PF_TRY(follow(&s, &opcodes[op]));
        s.at = (size_t)end;
    }
    return PF_OK;
}

bool pf_pickle_is_fetched(const pf_pickle *p, uint64_t index)
{
    return get_bit(&p->v->fetched, index);
}

size_t pf_pickle_next_complete(const pf_pickle *p)
{
    const pf_pickle_bits *bits = &p->v->complete;
    size_t at = p->at + 1;
    while (at / 8 < bits->bytes && !get_bit(bits, at)) {
        at += at % 8 == 0 && bits->bit[at / 8] == 0 ? 8 : 1;
    }
    return at / 8 < bits->bytes ? at : SIZE_MAX;
}
