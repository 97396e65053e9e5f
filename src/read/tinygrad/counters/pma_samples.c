/* read/tinygrad/counters/pma_samples.c - packets of samples. */
#include "read/tinygrad/counters/counters.h"

#include "wire/cursor.h"

enum { PACKET = 32, HEADER_AT = 4, BODY_AT = 8, CARRIED = PACKET - 4, LONG_FROM = 0xa04 };

static const char *const reason_names[PF_PMA_REASONS] = {
    [PF_PMA_OTHER] = "OTHER",
    [PF_PMA_NONE] = "NONE",
    [PF_PMA_MEMORY_THROTTLE] = "MEMORY_THROTTLE",
    [PF_PMA_MEMORY_DEPENDENCY] = "MEMORY_DEPENDENCY",
    [PF_PMA_CONSTANT_MEMORY] = "CONSTANT_MEMORY",
    [PF_PMA_SYNC] = "SYNC",
    [PF_PMA_INST_FETCH] = "INST_FETCH",
    [PF_PMA_EXEC_DEPENDENCY] = "EXEC_DEPENDENCY",
    [PF_PMA_PIPE_BUSY] = "PIPE_BUSY",
};

/* By key: 1 more than the reason. Keys that are not here are other reasons. */
#define IS(reason) (PF_PMA_##reason + 1)
static const uint8_t short_reasons[64] = {
    [1] = IS(MEMORY_THROTTLE),  [2] = IS(CONSTANT_MEMORY), [3] = IS(SYNC),
    [6] = IS(INST_FETCH),       [7] = IS(EXEC_DEPENDENCY), [9] = IS(MEMORY_DEPENDENCY),
    [10] = IS(EXEC_DEPENDENCY), [11] = IS(INST_FETCH),     [12] = IS(PIPE_BUSY),
    [15] = IS(MEMORY_THROTTLE), [18] = IS(NONE),
};
static const uint8_t long_reasons[64] = {
    [1] = IS(MEMORY_THROTTLE),
    [2] = IS(SYNC),
    [5] = IS(INST_FETCH),
    [6] = IS(EXEC_DEPENDENCY),
    [8] = IS(MEMORY_DEPENDENCY),
    [9] = IS(EXEC_DEPENDENCY),
    [10] = IS(INST_FETCH),
    [11] = IS(PIPE_BUSY),
    [14] = IS(MEMORY_THROTTLE),
    [15] = IS(PIPE_BUSY),
    [17] = IS(NONE),
};

static uint8_t reason_of(const uint8_t reasons[64], unsigned key)
{
    return reasons[key] ? reasons[key] - 1 : PF_PMA_OTHER;
}

const char *pf_pma_reason_name(pf_pma_reason reason)
{
    return reason_names[reason];
}

void pf_pma_start(pf_pma_decoder *d, pf_bytes stream, int64_t sm_version)
{
    memset(d, 0, sizeof *d);
    d->at = stream.ptr;
    d->end = stream.len ? stream.ptr + stream.len / PACKET * PACKET : stream.ptr;
    d->sample_bytes = sm_version >= LONG_FROM ? 9 : 8;
}

static unsigned bits(uint64_t v, unsigned high, unsigned low)
{
    return (unsigned)(v >> low) & ((1u << (high - low + 1)) - 1);
}

static pf_pma_sample short_sample(const uint8_t *bytes)
{
    uint64_t v = pf_load64(bytes);
    pf_pma_sample s = {.pc = (v & ((1ull << 45) - 1)) << 4,
                       .key = (uint8_t)bits(v, 49, 45),
                       .wave = (uint8_t)bits(v, 55, 50),
                       .active = v >> 62 & 1};
    s.reason = reason_of(short_reasons, s.key);
    return s;
}

static pf_pma_sample long_sample(const uint8_t *bytes)
{
    uint64_t v = pf_load64(bytes);
    unsigned last = bytes[8];
    pf_pma_sample s = {.pc = (v >> 8 & ((1ull << 53) - 1)) << 4,
                       .key = (uint8_t)bits(v, 5, 0),
                       .wave = (uint8_t)(bits(v, 7, 6) << 4 | bits(last, 7, 4)),
                       .active = last >> 3 & 1};
    s.reason = reason_of(long_reasons, s.key);
    return s;
}

/* Takes `len` bytes of a unit's stream. */
static unsigned feed(pf_pma_decoder *d, unsigned unit, const uint8_t *bytes, unsigned len, pf_pma_sample *out)
{
    pf_pma_rest *rest = &d->rest[unit];
    unsigned count = 0;
    for (unsigned i = 0; i < len; i++) {
        rest->bytes[rest->len++] = bytes[i];
        if (rest->len == d->sample_bytes) {
            pf_pma_sample s = d->sample_bytes == 9 ? long_sample(rest->bytes) : short_sample(rest->bytes);
            s.unit = (uint16_t)unit;
            out[count++] = s;
            rest->len = 0;
        }
    }
    return count;
}

bool pf_pma_next(pf_pma_decoder *d, pf_pma_sample out[PF_PMA_BATCH], unsigned *count)
{
    if (d->at == d->end) {
        return false;
    }
    const uint8_t *packet = d->at;
    d->at += PACKET;
    uint32_t header = (uint32_t)pf_load64(packet + HEADER_AT);
    unsigned len = bits(header, 4, 0), unit = bits(header, 15, 8) | bits(header, 27, 25) << 8;
    uint8_t carried[CARRIED];
    memcpy(carried, packet, HEADER_AT);
    memcpy(carried + HEADER_AT, packet + BODY_AT, PACKET - BODY_AT);
    if (header >> 28 & 1) {
        d->dropped++;
        d->rest[unit].len = 0;
    }
    *count = feed(d, unit, carried, len < CARRIED ? len : CARRIED, out);
    return true;
}
