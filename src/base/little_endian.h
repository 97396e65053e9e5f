/* base/little_endian.h - numbers of files, whatever the order of bytes of the machine is. */
#pragma once

#include <stddef.h>
#include <stdint.h>

static inline uint32_t pf_little_u32(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* Of up to eight bytes. */
static inline uint64_t pf_little_number(const uint8_t *p, size_t len)
{
    uint64_t v = 0;
    for (size_t i = 0; i < len; i++) {
        v |= (uint64_t)p[i] << 8 * i;
    }
    return v;
}

static inline uint64_t pf_little_u64(const uint8_t *p)
{
    return pf_little_u32(p) | (uint64_t)pf_little_u32(p + 4) << 32;
}
