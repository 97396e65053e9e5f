/* base/little_endian.h - numbers of files, whatever the order of bytes of the machine is. */
#ifndef PF_BASE_LITTLE_ENDIAN_H
#define PF_BASE_LITTLE_ENDIAN_H

#include <stdint.h>

static inline uint32_t pf_little_u32(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t pf_little_u64(const uint8_t *p)
{
    return pf_little_u32(p) | (uint64_t)pf_little_u32(p + 4) << 32;
}

#endif
