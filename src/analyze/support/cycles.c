/* analyze/support/cycles.c - finding a cycle and its occurrences.
 *
 * A square is a sequence twice in a row: symbols[p, p+h) = symbols[p+h, p+2h). It counts if the rest in front of it is
 * small: p <= (p+2h)/3 - 1, which is p <= h-2. So, whatever p is, a square of half h covers the place h-1, and
 * symbol h-1 must equal symbol 2h-1. How far the two neighbourhoods agree to the left and to the right says at once
 * whether there is a square of that half, and where the first begins. Two pieces are compared by hashes of all
 * prefixes, and their agreement is found by bisection; a final look at the symbols excludes a false hash. Halves are
 * tried from the shortest on, and the search ends where a longer half could no longer end earlier.
 *
 * Occurrences are searched as Knuth, Morris and Pratt do: after a mismatch the longest border of what matched is kept.
 */
#include "analyze/support/cycles.h"

#include <string.h>

__extension__ typedef unsigned __int128 wide;

/* Hashes are modulo the prime 2^61 - 1. */
#define PRIME ((1ull << 61) - 1)
#define BASE 0x1A2B3C4D5E6F701ull

static uint64_t multiply(uint64_t a, uint64_t b)
{
    wide product = (wide)a * b;
    uint64_t folded = (uint64_t)(product & PRIME) + (uint64_t)(product >> 61);
    return folded >= PRIME ? folded - PRIME : folded;
}

static uint64_t power_of_base(size_t exponent)
{
    uint64_t result = 1, square = BASE;
    for (; exponent; exponent >>= 1) {
        if (exponent & 1) {
            result = multiply(result, square);
        }
        square = multiply(square, square);
    }
    return result;
}

static void hash_prefixes(const uint32_t *symbols, size_t n, uint64_t *hashes)
{
    hashes[0] = 0;
    for (size_t i = 0; i < n; i++) {
        hashes[i + 1] = (multiply(hashes[i], BASE) + symbols[i] + 1) % PRIME;
    }
}

static uint64_t hash_of(const uint64_t *hashes, size_t from, size_t length, uint64_t power)
{
    return (hashes[from + length] + PRIME - multiply(hashes[from], power)) % PRIME;
}

static bool pieces_equal(const uint64_t *hashes, size_t a, size_t b, size_t length)
{
    uint64_t power = power_of_base(length);
    return hash_of(hashes, a, length, power) == hash_of(hashes, b, length, power);
}

/* The longest agreement of at most `most` symbols: of the pieces from a and b on, or of those that end before them. */
static size_t agreement(const uint64_t *hashes, size_t a, size_t b, size_t most, bool backwards)
{
    size_t low = 0, high = most;
    while (low < high) {
        size_t middle = high - (high - low) / 2;
        size_t back = backwards ? middle : 0;
        if (pieces_equal(hashes, a - back, b - back, middle)) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

/* The first place p <= h-2 where a square of half h begins whose end is at least `least`; SIZE_MAX if there is none. */
static size_t first_square(const uint32_t *symbols, size_t n, const uint64_t *hashes, size_t h, size_t least)
{
    size_t a = h - 1, b = 2 * h - 1;
    if (b >= n || symbols[a] != symbols[b]) {
        return SIZE_MAX;
    }
    size_t left = agreement(hashes, a, b, a, true);
    size_t p = a - left;
    if (least > 2 * h && p < least - 2 * h) {
        p = least - 2 * h;
    }
    if (p + 2 > h || p + 2 * h > n || !pieces_equal(hashes, a, b, p + 1)) {
        return SIZE_MAX;
    }
    return memcmp(symbols + p, symbols + p + h, h * sizeof *symbols) == 0 ? p : SIZE_MAX;
}

bool pf_cycle_find(const uint32_t *symbols, size_t n, size_t least, uint64_t *hashes, pf_cycle *out)
{
    size_t best_end = SIZE_MAX;
    hash_prefixes(symbols, n, hashes);
    for (size_t h = 2; h <= n / 2 && 2 * h <= best_end; h++) {
        size_t p = first_square(symbols, n, hashes, h, least);
        if (p != SIZE_MAX && p + 2 * h <= best_end) {
            best_end = p + 2 * h;
            *out = (pf_cycle){p, h};
        }
    }
    return best_end != SIZE_MAX;
}

static void find_borders(const uint32_t *pattern, size_t length, uint32_t *borders)
{
    uint32_t border = 0;
    borders[0] = 0;
    for (size_t i = 1; i < length; i++) {
        while (border && pattern[i] != pattern[border]) {
            border = borders[border - 1];
        }
        border += pattern[i] == pattern[border];
        borders[i] = border;
    }
}

size_t pf_cycle_occurrences(const uint32_t *symbols, size_t n, pf_cycle cycle, uint32_t *borders, uint32_t *starts)
{
    const uint32_t *pattern = symbols + cycle.first;
    find_borders(pattern, cycle.length, borders);
    size_t found = 0;
    uint32_t matched = 0;
    for (size_t i = cycle.first; i < n; i++) {
        while (matched && symbols[i] != pattern[matched]) {
            matched = borders[matched - 1];
        }
        matched += symbols[i] == pattern[matched];
        if (matched == cycle.length) {
            starts[found++] = (uint32_t)(i + 1 - cycle.length);
            matched = 0;
        }
    }
    return found;
}
