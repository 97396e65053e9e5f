/* analyze/gpu/kernels/gpu_stats.c - lengths in numbers, and names without what differs between versions of one kernel.
 */
#include "analyze/gpu/kernels/gpu_kernels.h"
#include "analyze/support/order_stats.h"
#include "base/str.h"

static uint64_t capped(pf_wide v)
{
    return v > INT64_MAX ? INT64_MAX : (uint64_t)v;
}

static size_t rank_95(size_t n)
{
    return (size_t)(((pf_wide)n * 95 + 99) / 100) - 1;
}

/* The values in the middle and the one at 95 %. */
enum { RANK_LOW, RANK_HIGH, RANK_95, RANKS };

static void ranked(const uint64_t *a, size_t n, uint64_t least, uint64_t most, uint64_t *scratch, uint64_t out[RANKS])
{
    const size_t at[RANKS] = {(n - 1) / 2, n / 2, rank_95(n)};
    if (at[RANK_95] < at[RANK_HIGH]) { /* of one or two values */
        pf_values_at_ranks(a, n, least, most, at, RANK_95, out, scratch);
        out[RANK_95] = out[RANK_LOW];
    } else {
        pf_values_at_ranks(a, n, least, most, at, RANKS, out, scratch);
    }
}

gpu_stats pf_gpu_stats(const uint64_t *lengths, size_t n, uint64_t *scratch)
{
    gpu_stats s = {.count = n};
    pf_wide total = 0;
    uint64_t least = UINT64_MAX, most = 0, value[RANKS];
    if (n == 0) {
        return s;
    }
    for (size_t i = 0; i < n; i++) {
        total += lengths[i];
        least = lengths[i] < least ? lengths[i] : least;
        most = lengths[i] > most ? lengths[i] : most;
    }
    ranked(lengths, n, least, most, scratch, value);
    pf_wide middle = (pf_wide)value[RANK_LOW] + value[RANK_HIGH];
    s.total = capped(total);
    s.mean = capped((total * 2 + n) / ((pf_wide)n * 2));
    s.median = capped((middle + 1) / 2);
    s.p95 = capped(value[RANK_95]);
    s.least = capped(least);
    s.most = capped(most);
    return s;
}

/* a / b for b > 0, rounded to the nearest integer, halves up. */
static int64_t rounded(__int128 a, __int128 b)
{
    __int128 twice = a * 2 + b, q = twice / (b * 2);
    return (int64_t)(twice % (b * 2) < 0 ? q - 1 : q);
}

gpu_signed_stats pf_gpu_signed_stats(const int64_t *values, size_t n, int64_t *scratch)
{
    gpu_signed_stats s = {.count = n, .least = INT64_MAX, .most = INT64_MIN};
    uint64_t value[RANKS];
    __int128 total = 0;
    if (n == 0) {
        return (gpu_signed_stats){.count = 0};
    }
    for (size_t i = 0; i < n; i++) {
        total += values[i];
        s.least = values[i] < s.least ? values[i] : s.least;
        s.most = values[i] > s.most ? values[i] : s.most;
    }
    ranked((const uint64_t *)values, n, (uint64_t)s.least, (uint64_t)s.most, (uint64_t *)scratch, value);
    s.mean = rounded(total, (__int128)n);
    s.median = rounded((__int128)(int64_t)value[RANK_LOW] + (int64_t)value[RANK_HIGH], 2);
    s.p95 = (int64_t)value[RANK_95];
    return s;
}

/* Whether the bracket at i belongs to an operator: "->", "<=", "<<", or after the word "operator". */
static bool is_operator(pf_str s, size_t i)
{
    static const char word[] = "operator";
    size_t len = sizeof word - 1;
    bool arrow = s.ptr[i] == '>' && i > 0 && s.ptr[i - 1] == '-';
    bool named = i >= len && memcmp(s.ptr + i - len, word, len) == 0;
    bool second = i > len && s.ptr[i - 1] == s.ptr[i] && memcmp(s.ptr + i - len - 1, word, len) == 0;
    return arrow || named || second;
}

size_t pf_gpu_fold_name(pf_str s, char *out)
{
    size_t n = 0, depth = 0, outside = 0;
    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];
        bool bracket = (c == '<' || c == '>') && !is_operator(s, i);
        if (bracket && c == '<') {
            outside = depth++ == 0 ? n : outside;
        }
        depth -= bracket && c == '>' && depth > 0;
        bool inside = depth > 0 && !(bracket && c == '<' && depth == 1);
        if (inside) {
            continue;
        }
        if (pf_is_digit(c)) {
            if (n == 0 || out[n - 1] != '#' || i == 0 || !pf_is_digit(s.ptr[i - 1])) {
                out[n++] = '#';
            }
            continue;
        }
        out[n++] = c;
    }
    return n;
}
