/* analyze/support/cycles.h - the cycle that a row of names repeats: the loop body of a workload.
 *
 * A workload that iterates calls the same kernels in the same order again and again. Given the names as numbers, the
 * first prefix of the row is looked for that ends in the same sequence twice, with at most a third of the prefix left
 * over in front (what runs before the loop). That sequence is the cycle; then its further occurrences are counted.
 */
#pragma once

#include "postfetto/base.h"

/* symbols[first, first + length) and the same again directly after it. */
typedef struct pf_cycle {
    size_t first, length;
} pf_cycle;

/* The cycle of the shortest prefix that ends in one and has at least `least` symbols; of several cycles that end there
 * the longest. `hashes` has room for n + 1. Returns false if nothing repeats so. O(n log n). */
bool pf_cycle_find(const uint32_t *symbols, size_t n, size_t least, uint64_t *hashes, pf_cycle *out);

/* Where the cycle occurs from its first place on: each occurrence begins after the one before it has ended, as early as
 * it can; symbols that fit nowhere are passed over. `starts` has room for n / length, `borders` for the length.
 * Returns how many. O(n). */
size_t pf_cycle_occurrences(const uint32_t *symbols, size_t n, pf_cycle cycle, uint32_t *borders, uint32_t *starts);
