/* read/tinygrad/sqtt/sqtt_decode.c - the loop over the nibbles of a stream. */
#include "read/tinygrad/sqtt/sqtt_kinds.h"

#include "wire/cursor.h"

/* In nibbles: what is read of a packet; the most that a pair of packets and their windows take. */
enum { WINDOW = 16, PAIR = 52, LAYOUT_RDNA3 = 3, LAYOUT_RDNA4 = 4 };

/* The kind that a low byte stands for: the one with the most fixed bits. RDNA has a kind for what no other one is. */
static unsigned kind_of(unsigned family, unsigned byte)
{
    unsigned best = PF_SQTT_NOP;
    int most = -1;
    for (unsigned k = 0; k < PF_SQTT_KINDS; k++) {
        const pf_sqtt_kind *kind = &pf_sqtt_kinds[k];
        bool matches = (byte & ((1u << kind->fixed_bits) - 1)) == kind->fixed;
        if ((kind->families >> family & 1) && matches && kind->fixed_bits > most && k != PF_SQTT_NOP) {
            best = k;
            most = kind->fixed_bits;
        }
    }
    return best;
}

/* A delta of up to 9 bits is taken by the loop; wider ones by move_clock. */
static pf_sqtt_step step_of(unsigned k)
{
    const pf_sqtt_kind *kind = &pf_sqtt_kinds[k];
    const pf_sqtt_field *delta = &kind->field[0];
    uint64_t unused = kind->nibbles < WINDOW ? 64 - 4u * kind->nibbles : 0, shift = 0, mask = 0;
    if (kind->clock == PF_SQTT_CLOCK_DELTA && delta->name && strcmp(delta->name, "delta") == 0) {
        unsigned doublings = kind->unit == 4 ? 2 : 0;
        shift = delta->low - doublings;
        mask = ((1ull << (delta->high - delta->low + 1)) - 1) << doublings;
    }
    return (uint64_t)kind->nibbles << PF_SQTT_STEP_NIBBLES | unused << PF_SQTT_STEP_UNUSED |
           shift << PF_SQTT_STEP_SHIFT | (uint64_t)kind->extra << PF_SQTT_STEP_ADD | mask << PF_SQTT_STEP_MASK |
           (uint64_t)k << PF_SQTT_STEP_KIND | (uint64_t)(kind->clock != PF_SQTT_CLOCK_DELTA) << PF_SQTT_STEP_MORE;
}

static inline unsigned part(pf_sqtt_step s, unsigned at)
{
    return (unsigned)(s >> at) & 0xff;
}

void pf_sqtt_build_tables(pf_sqtt_tables *t)
{
    for (unsigned family = 0; family < PF_SQTT_FAMILIES; family++) {
        for (unsigned byte = 0; byte < 256; byte++) {
            t->step[family][byte] = step_of(kind_of(family, byte));
        }
    }
}

void pf_sqtt_start(pf_sqtt_decoder *d, const pf_sqtt_tables *tables, pf_bytes stream)
{
    *d = (pf_sqtt_decoder){.tables = tables, .data = stream.ptr, .end = (uint64_t)stream.len * 2};
}

bool pf_sqtt_is_marker(const pf_sqtt_packet *p, uint64_t *clock)
{
    const pf_sqtt_kind *kind = &pf_sqtt_kinds[p->kind];
    bool rdna4 = p->kind == PF_SQTT_TS_DELTA_OR_MARK_RDNA4;
    unsigned real_time = rdna4 ? 7 : 9;
    if (kind->clock != PF_SQTT_CLOCK_MARK || !(p->raw >> real_time & 1) || (p->raw >> 8 & 1)) {
        return false;
    }
    unsigned next;
    *clock = pf_sqtt_field_value(kind, 0, p->raw, &next);
    return true;
}

static int64_t plus(int64_t time, uint64_t delta)
{
    return (int64_t)((uint64_t)time + delta);
}

/* An absolute time of CDNA: the first says where the stream's zero is, later ones set the time. */
static void set_time(pf_sqtt_decoder *d, uint64_t raw)
{
    int64_t stamp = (int64_t)(raw >> 16);
    if (raw >> 4 & 0xfff) {
        return;
    }
    if (!d->has_zero) {
        d->zero = (int64_t)((uint64_t)stamp - (uint64_t)d->time);
        d->has_zero = true;
    } else {
        uint64_t since = (uint64_t)stamp - (uint64_t)d->zero;
        d->time = (int64_t)((since & ~(uint64_t)3) - 4);
    }
}

/* The packets whose effect on the time no table says. */
static void __attribute__((noinline)) move_clock(pf_sqtt_decoder *d, pf_sqtt_packet *p)
{
    uint64_t clock;
    unsigned next, layout = pf_sqtt_bits(p->raw, 12, 7);
    switch (pf_sqtt_kinds[p->kind].clock) {
    case PF_SQTT_CLOCK_LAYOUT:
        d->family = layout == LAYOUT_RDNA3 ? d->family : layout == LAYOUT_RDNA4 ? PF_SQTT_RDNA4 : PF_SQTT_CDNA;
        break;
    case PF_SQTT_CLOCK_ABSOLUTE:
        set_time(d, p->raw);
        break;
    default:
        if (!pf_sqtt_is_marker(p, &clock)) {
            d->time = plus(d->time, pf_sqtt_field_value(&pf_sqtt_kinds[p->kind], 0, p->raw, &next));
        }
        break;
    }
    p->time = d->time;
}

/* The 16 nibbles from `at` on. Nine bytes must be there, of which the last counts where `at` is odd. */
static inline uint64_t window_at(const uint8_t *data, uint64_t at)
{
    const uint8_t *p = data + (at >> 1);
    unsigned odd = (unsigned)at & 1;
    return (pf_load64(p) >> (odd * 4)) | ((uint64_t)(p[8] & (0u - odd)) << 60);
}

/* Writes down a packet with the bits w that begins at `at`; returns the time after it, but for what else it does. */
static inline int64_t put(pf_sqtt_step s, uint64_t w, uint64_t at, uint8_t family, int64_t time, pf_sqtt_packet *out)
{
    unsigned unused = part(s, PF_SQTT_STEP_UNUSED);
    uint64_t delta = (w >> part(s, PF_SQTT_STEP_SHIFT)) & (s >> PF_SQTT_STEP_MASK & 0xffff);
    out->time = plus(time, delta + part(s, PF_SQTT_STEP_ADD));
    out->raw = w << unused >> unused;
    out->nibble = (uint32_t)at;
    out->kind = (uint8_t)part(s, PF_SQTT_STEP_KIND);
    out->family = family;
    return out->time;
}

static inline bool does_more(pf_sqtt_step s)
{
    return __builtin_expect(s >> PF_SQTT_STEP_MORE != 0, 0);
}

/* Moves the clock by a packet whose effect no table says; returns the new time. */
static int64_t settle(pf_sqtt_decoder *d, int64_t time, pf_sqtt_packet *out)
{
    d->time = time;
    move_clock(d, out);
    return d->time;
}

/* One packet whose bits are w. */
static void take(pf_sqtt_decoder *d, uint64_t w, pf_sqtt_packet *out)
{
    const pf_sqtt_step s = d->tables->step[d->family][w & 0xff];
    d->time = put(s, w, d->at, d->family, d->time, out);
    d->at += part(s, PF_SQTT_STEP_NIBBLES);
    if (does_more(s)) {
        move_clock(d, out);
    }
}

/* Two packets a turn. What takes longest is to find where a packet begins, which its predecessor's low byte says; that
 * byte of the second is in the window of the first, or just after it, so that one load less is waited for. A packet
 * that changes the family ends the run of pairs. */
static size_t take_pairs(pf_sqtt_decoder *d, pf_sqtt_packet *out, size_t room)
{
    const uint8_t *const data = d->data, family = d->family;
    const pf_sqtt_step *const table = d->tables->step[family];
    uint64_t at = d->at;
    const uint64_t end = d->end;
    int64_t time = d->time;
    size_t n = 0;
    while (n + 2 <= room && at + PAIR < end && family == d->family) {
        uint64_t w = window_at(data, at);
        const pf_sqtt_step a = table[w & 0xff];
        unsigned bits = part(a, PF_SQTT_STEP_NIBBLES) * 4;
        uint64_t rest = bits < 64 ? w >> bits : window_at(data, at + WINDOW) >> (bits - 64);
        const pf_sqtt_step b = table[rest & 0xff];
        time = put(a, w, at, family, time, &out[n++]);
        at += part(a, PF_SQTT_STEP_NIBBLES);
        if (does_more(a)) {
            time = settle(d, time, &out[n - 1]);
            continue;
        }
        time = put(b, window_at(data, at), at, family, time, &out[n++]);
        at += part(b, PF_SQTT_STEP_NIBBLES);
        if (does_more(b)) {
            time = settle(d, time, &out[n - 1]);
        }
    }
    d->at = at;
    d->time = time;
    return n;
}

size_t pf_sqtt_next(pf_sqtt_decoder *d, pf_sqtt_packet *out, size_t room)
{
    size_t n = 0;
    for (size_t taken = 1; taken > 0; n += taken) {
        taken = take_pairs(d, out + n, room - n);
    }
    while (n < room && d->at + WINDOW < d->end) {
        take(d, window_at(d->data, d->at), &out[n++]);
    }
    if (n < room && d->at + WINDOW == d->end) {
        take(d, pf_load64(d->data + (d->at >> 1)), &out[n++]);
    }
    return n;
}
