/* json/fast/event_fast_sse2.c - the hot loop with two registers of sixteen bytes. */
#if defined(__SSE2__)
#include <emmintrin.h>

#include "json/fast/byte_kernel.h"

static inline uint32_t either16(const uint8_t *p, char a, char b)
{
    __m128i v = _mm_loadu_si128((const __m128i *)p);
    __m128i hit = _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8(a)), _mm_cmpeq_epi8(v, _mm_set1_epi8(b)));
    return (uint32_t)_mm_movemask_epi8(hit);
}

static inline uint32_t kernel_stops(const uint8_t *p)
{
    return either16(p, '"', '\\') | either16(p + 16, '"', '\\') << 16;
}

static inline uint32_t kernel_blanks(const uint8_t *p)
{
    return either16(p, ' ', '\n') | either16(p + 16, ' ', '\n') << 16;
}

static inline __m128i kinds16(const uint8_t *p)
{
    __m128i v = _mm_sub_epi8(_mm_loadu_si128((const __m128i *)p), _mm_set1_epi8('0'));
    return _mm_max_epu8(v, _mm_set1_epi8(9));
}

static inline uint32_t like16(const uint8_t *p, const uint8_t *kinds)
{
    return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(kinds16(p), _mm_loadu_si128((const __m128i *)kinds)));
}

static inline uint32_t kernel_unlike(const uint8_t *p, const uint8_t *others)
{
    return ~(like16(p, others) | like16(p + 16, others + 16) << 16);
}

static inline void kernel_kinds(const uint8_t *p, uint8_t *out)
{
    _mm_storeu_si128((__m128i *)out, kinds16(p));
    _mm_storeu_si128((__m128i *)(out + 16), kinds16(p + 16));
}

#define HOT_LOOP pf_json_read_events_sse2
#include "json/fast/event_fast.h"
#else
typedef int pf_json_no_sse2;
#endif
