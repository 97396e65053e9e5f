/* json/fast/event_fast_plain.c - the hot loop for any machine: eight bytes at a time. A byte is zero if
 * adding 127 to its lower seven bits leaves the top bit clear and it was clear before; the top bits of eight bytes are
 * then gathered with one multiplication. */
#include "json/fast/byte_kernel.h"

static inline uint64_t zero_bytes(uint64_t w)
{
    uint64_t low = (w & 0x7f7f7f7f7f7f7f7full) + 0x7f7f7f7f7f7f7f7full;
    return ~(low | w | 0x7f7f7f7f7f7f7f7full);
}

/* Bit i set: byte i of the 32 at p is one that the words a and b repeat. */
static inline uint32_t either(const uint8_t *p, uint64_t a, uint64_t b)
{
    uint32_t found = 0;
    for (unsigned i = 0; i < 4; i++) {
        uint64_t w = pf_json_load8(p + 8 * i);
        uint64_t hit = zero_bytes(w ^ a) | zero_bytes(w ^ b);
        found |= (uint32_t)((hit >> 7) * 0x0102040810204080ull >> 56) << (8 * i);
    }
    return found;
}

static inline uint32_t kernel_stops(const uint8_t *p)
{
    return either(p, 0x2222222222222222ull, 0x5c5c5c5c5c5c5c5cull);
}

static inline uint32_t kernel_blanks(const uint8_t *p)
{
    return either(p, 0x2020202020202020ull, 0x0a0a0a0a0a0a0a0aull);
}

/* Eight bytes, of each digit only the upper half. */
static inline uint64_t kinds8(const uint8_t *p)
{
    uint64_t w = pf_json_load8(p), t = w ^ 0x3030303030303030ull, low = t & 0x7f7f7f7f7f7f7f7full;
    uint64_t digits = ~((low + 0x7676767676767676ull) | t) & 0x8080808080808080ull;
    return w & ~((digits >> 7) * 0xf);
}

static inline uint32_t kernel_unlike(const uint8_t *p, const uint8_t *others)
{
    uint32_t like = 0;
    for (unsigned i = 0; i < 4; i++) {
        uint64_t same = zero_bytes(kinds8(p + 8 * i) ^ pf_json_load8(others + 8 * i));
        like |= (uint32_t)((same >> 7) * 0x0102040810204080ull >> 56) << (8 * i);
    }
    return ~like;
}

static inline void kernel_kinds(const uint8_t *p, uint8_t *out)
{
    for (unsigned i = 0; i < 4; i++) {
        uint64_t w = kinds8(p + 8 * i);
        memcpy(out + 8 * i, &w, 8);
    }
}

#define HOT_LOOP pf_json_read_events_plain
#include "json/fast/event_fast.h"
