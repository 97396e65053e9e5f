/* json/fast/event_fast_avx2.c - the hot loop with one register of 32 bytes; built with the flags for that
 * (CMakeLists.txt) and called only where the processor has it. */
#if defined(__AVX2__)
#include <immintrin.h>

#define PF_JSON_OWN_KERNEL
#include "json/fast/byte_kernel.h"

static inline uint32_t kernel_stops(const uint8_t *p)
{
    __m256i v = _mm256_loadu_si256((const __m256i *)p);
    __m256i hit =
        _mm256_or_si256(_mm256_cmpeq_epi8(v, _mm256_set1_epi8('"')), _mm256_cmpeq_epi8(v, _mm256_set1_epi8('\\')));
    return (uint32_t)_mm256_movemask_epi8(hit);
}

static inline uint32_t kernel_blanks(const uint8_t *p)
{
    __m256i v = _mm256_loadu_si256((const __m256i *)p);
    __m256i hit =
        _mm256_or_si256(_mm256_cmpeq_epi8(v, _mm256_set1_epi8(' ')), _mm256_cmpeq_epi8(v, _mm256_set1_epi8('\n')));
    return (uint32_t)_mm256_movemask_epi8(hit);
}

static inline __m256i kinds_of(const uint8_t *p)
{
    __m256i v = _mm256_sub_epi8(_mm256_loadu_si256((const __m256i *)p), _mm256_set1_epi8('0'));
    return _mm256_max_epu8(v, _mm256_set1_epi8(9));
}

static inline uint32_t kernel_unlike(const uint8_t *p, const uint8_t *others)
{
    __m256i same = _mm256_cmpeq_epi8(kinds_of(p), _mm256_loadu_si256((const __m256i *)others));
    return ~(uint32_t)_mm256_movemask_epi8(same);
}

static inline void kernel_kinds(const uint8_t *p, uint8_t *out)
{
    _mm256_storeu_si256((__m256i *)out, kinds_of(p));
}

static inline bool kernel_same(const uint8_t *p, const uint8_t *bytes, const uint8_t *mask)
{
    __m256i differing = _mm256_setzero_si256();
    for (size_t i = 0; i < PF_JSON_SPAN && (i < 64 || mask[i]); i += 32) {
        __m256i v = _mm256_xor_si256(_mm256_loadu_si256((const __m256i *)(p + i)),
                                     _mm256_loadu_si256((const __m256i *)(bytes + i)));
        differing = _mm256_or_si256(differing, _mm256_and_si256(v, _mm256_loadu_si256((const __m256i *)(mask + i))));
    }
    return _mm256_testz_si256(differing, differing);
}

static inline bool kernel_text_is(const pf_json_known_text *k, const uint8_t *text, uint32_t len)
{
    static const uint8_t masks[2 * PF_JSON_SHORT_TEXT] = {[0 ... PF_JSON_SHORT_TEXT - 1] = 255};
    __m256i mask = _mm256_loadu_si256((const __m256i *)(masks + PF_JSON_SHORT_TEXT - len));
    __m256i v = _mm256_and_si256(_mm256_loadu_si256((const __m256i *)text), mask);
    v = _mm256_xor_si256(v, _mm256_loadu_si256((const __m256i *)&k->words));
    return _mm256_testz_si256(v, v) && k->len == len;
}

static inline uint32_t kernel_mix(uint64_t a, uint64_t b, uint64_t c)
{
    return (uint32_t)_mm_crc32_u64(_mm_crc32_u64((uint32_t)a, b), c);
}

static inline uint64_t line_feeds(const uint8_t *p)
{
    const __m256i feed = _mm256_set1_epi8('\n');
    __m256i low = _mm256_cmpeq_epi8(_mm256_loadu_si256((const __m256i *)p), feed);
    __m256i high = _mm256_cmpeq_epi8(_mm256_loadu_si256((const __m256i *)(p + 32)), feed);
    return (uint32_t)_mm256_movemask_epi8(low) | (uint64_t)(uint32_t)_mm256_movemask_epi8(high) << 32;
}

static inline const uint8_t *kernel_line_end(const uint8_t *p)
{
    uint64_t first = line_feeds(p + 32), second = line_feeds(p + 96);
    for (unsigned i = 160; __builtin_expect(!(first | second), 0) && i < PF_JSON_LINE; i += 128) {
        p += 128;
        first = line_feeds(p + 32);
        second = line_feeds(p + 96);
    }
    return first ? p + 32 + __builtin_ctzll(first) : p + 96 + __builtin_ctzll(second | 1ull << 63);
}

#define HOT_LOOP pf_json_read_events_avx2
#include "json/fast/event_fast.h"
#else
typedef int pf_json_no_avx2;
#endif
