/* hot_plain.c - the hot loop for any machine: eight bytes at a time. A byte is zero if adding
 * 127 to its lower seven bits leaves the top bit clear and it was clear before; the top bits of eight bytes are then
 * gathered with one multiplication. */
#include "read/chrome_json/event.h"

static inline uint64_t zero_bytes(uint64_t w)
{
    uint64_t low = (w & 0x7f7f7f7f7f7f7f7full) + 0x7f7f7f7f7f7f7f7full;
    return ~(low | w | 0x7f7f7f7f7f7f7f7full);
}

static inline uint32_t hot_stops(const uint8_t *p)
{
    uint32_t found = 0;
    for (unsigned i = 0; i < 4; i++) {
        uint64_t w = pf_json_load8(p + 8 * i);
        uint64_t hit = zero_bytes(w ^ 0x2222222222222222ull) | zero_bytes(w ^ 0x5c5c5c5c5c5c5c5cull);
        found |= (uint32_t)((hit >> 7) * 0x0102040810204080ull >> 56) << (8 * i);
    }
    return found;
}

pf_json_hot_loop pf_json_read_events_plain;

#define HOT_STOPS hot_stops
#define HOT_LOOP pf_json_read_events_plain
#include "read/chrome_json/hot.h"
