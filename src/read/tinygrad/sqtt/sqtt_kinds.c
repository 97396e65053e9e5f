/* read/tinygrad/sqtt/sqtt_kinds.c - the table of packet kinds, and values of their fields. */
#include "read/tinygrad/sqtt/sqtt_kinds.h"

#define R3 (1u << PF_SQTT_RDNA3)
#define R4 (1u << PF_SQTT_RDNA4)
#define RD (R3 | R4)
#define CD (1u << PF_SQTT_CDNA)
#define FIELD(name, high, low, shift, words)                                                                           \
    {                                                                                                                  \
        name, high, low, shift, words                                                                                  \
    }
#define F(name, high, low) FIELD(name, high, low, 0, PF_SQTT_NUMBER)
#define ALSO(name, high, low, shift) FIELD(name, high, low, shift, PF_SQTT_NUMBER)
#define WORD(name, high, low, words) FIELD(name, high, low, 0, words)
#define CU_CDNA F("sh", 5, 5), F("cu", 9, 6), F("wave", 13, 10), F("simd", 15, 14)

const pf_sqtt_kind pf_sqtt_kinds[PF_SQTT_KINDS] = {
#define KIND(name, ...) [PF_SQTT_##name] = {#name, __VA_ARGS__},
    PF_SQTT_KIND_LIST(KIND)};

static uint64_t piece(const pf_sqtt_field *f, uint64_t raw)
{
    unsigned width = f->high - f->low + 1u;
    return ((raw >> f->low) & (UINT64_MAX >> (64 - width))) << f->shift;
}

uint64_t pf_sqtt_field_value(const pf_sqtt_kind *kind, unsigned f, uint64_t raw, unsigned *next)
{
    const pf_sqtt_field *field = kind->field;
    uint64_t value = piece(&field[f], raw);
    unsigned at = f + 1;
    for (; at < PF_SQTT_FIELDS_MAX && field[at].name && field[at].shift; at++) {
        value |= piece(&field[at], raw);
    }
    *next = at;
    return value;
}
