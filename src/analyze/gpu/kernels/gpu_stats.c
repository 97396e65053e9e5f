/* analyze/gpu/kernels/gpu_stats.c - see gpu_stats.h. */
#include "analyze/gpu/kernels/gpu_stats.h"

#include <string.h>

#include "analyze/support/order_stats.h"

static uint64_t capped(pf_wide v)
{
    return v > INT64_MAX ? INT64_MAX : (uint64_t)v;
}

static size_t rank_95(size_t n)
{
    return (size_t)(((pf_wide)n * 95 + 99) / 100) - 1;
}

gpu_stats pf_gpu_stats(uint64_t *lengths, size_t n, uint64_t *scratch)
{
    gpu_stats s = {.count = n};
    pf_wide total = 0;
    if (n == 0) {
        return s;
    }
    pf_sort_lengths(lengths, n, scratch);
    for (size_t i = 0; i < n; i++) {
        total += lengths[i];
    }
    pf_wide middle = (pf_wide)lengths[(n - 1) / 2] + lengths[n / 2];
    s.total = capped(total);
    s.mean = capped((total * 2 + n) / ((pf_wide)n * 2));
    s.median = capped((middle + 1) / 2);
    s.p95 = capped(lengths[rank_95(n)]);
    s.least = capped(lengths[0]);
    s.most = capped(lengths[n - 1]);
    return s;
}

/* a / b for b > 0, rounded to the nearest integer, halves up. */
static int64_t rounded(__int128 a, __int128 b)
{
    __int128 twice = a * 2 + b, q = twice / (b * 2);
    return (int64_t)(twice % (b * 2) < 0 ? q - 1 : q);
}

gpu_signed_stats pf_gpu_signed_stats(int64_t *values, size_t n, int64_t *scratch)
{
    gpu_signed_stats s = {.count = n};
    __int128 total = 0;
    if (n == 0) {
        return s;
    }
    pf_sort_times(values, n, scratch);
    for (size_t i = 0; i < n; i++) {
        total += values[i];
    }
    s.mean = rounded(total, (__int128)n);
    s.median = rounded((__int128)values[(n - 1) / 2] + values[n / 2], 2);
    s.p95 = values[rank_95(n)];
    s.least = values[0];
    s.most = values[n - 1];
    return s;
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
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
        if (is_digit(c)) {
            if (n == 0 || out[n - 1] != '#' || i == 0 || !is_digit(s.ptr[i - 1])) {
                out[n++] = '#';
            }
            continue;
        }
        out[n++] = c;
    }
    return n;
}
