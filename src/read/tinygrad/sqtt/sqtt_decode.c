/* read/tinygrad/sqtt/sqtt_decode.c - the loop over the nibbles of a stream. */
#include "read/tinygrad/sqtt/sqtt_decode.h"

#include <string.h>

#include "wire/cursor.h"

enum { WINDOW = 16 /* nibbles */, LAYOUT_RDNA3 = 3, LAYOUT_RDNA4 = 4 };

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
    pf_sqtt_step s = {(uint8_t)k, kind->nibbles, 0, kind->extra, 0, 0, kind->clock};
    s.unused = (uint8_t)(kind->nibbles < WINDOW ? 64 - 4 * kind->nibbles : 0);
    const pf_sqtt_field *delta = &kind->field[0];
    if (kind->clock == PF_SQTT_CLOCK_DELTA && delta->name && strcmp(delta->name, "delta") == 0) {
        unsigned doublings = kind->unit == 4 ? 2 : 0;
        s.shift = (uint8_t)(delta->low - doublings);
        s.mask = (uint16_t)(((1u << (delta->high - delta->low + 1)) - 1) << doublings);
    }
    return s;
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

static void switch_family(pf_sqtt_decoder *d, uint64_t raw)
{
    unsigned layout = pf_sqtt_bits(raw, 12, 7);
    if (layout == LAYOUT_RDNA4) {
        d->family = PF_SQTT_RDNA4;
    } else if (layout != LAYOUT_RDNA3) {
        d->family = PF_SQTT_CDNA;
    }
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
    unsigned next;
    switch (pf_sqtt_kinds[p->kind].clock) {
    case PF_SQTT_CLOCK_LAYOUT:
        switch_family(d, p->raw);
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

/* Takes one packet whose first 16 nibbles are in w. */
static inline void take(pf_sqtt_decoder *d, uint64_t w, pf_sqtt_packet *p)
{
    const pf_sqtt_step s = d->tables->step[d->family][w & 0xff];
    d->time = plus(d->time, (w >> s.shift & s.mask) + s.add);
    p->time = d->time;
    p->raw = w << s.unused >> s.unused;
    p->nibble = (uint32_t)d->at;
    p->kind = s.kind;
    p->family = d->family;
    d->at += s.nibbles;
    if (__builtin_expect(s.clock != PF_SQTT_CLOCK_DELTA, 0)) {
        move_clock(d, p);
    }
}

/* Windows that do not end with the stream: their ninth byte is there. */
static size_t take_inner(pf_sqtt_decoder *given, pf_sqtt_packet *out, size_t room)
{
    pf_sqtt_decoder d = *given;
    size_t n = 0;
    while (n < room && d.at + WINDOW < d.end) {
        const uint8_t *p = d.data + (d.at >> 1);
        unsigned odd = (unsigned)d.at & 1;
        uint64_t w = (pf_load64(p) >> (odd * 4)) | ((uint64_t)(p[8] & (0u - odd)) << 60);
        take(&d, w, &out[n++]);
    }
    *given = d;
    return n;
}

size_t pf_sqtt_next(pf_sqtt_decoder *d, pf_sqtt_packet *out, size_t room)
{
    size_t n = take_inner(d, out, room);
    if (n < room && d->at + WINDOW == d->end) {
        take(d, pf_load64(d->data + (d->at >> 1)), &out[n++]);
    }
    return n;
}
