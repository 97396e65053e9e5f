/* analyze/support/pairs.c - greedy pairing of sorted begin and end times.
 *
 * Every walk here moves two indices forward only, so each is linear in the number of pulses. They differ in what they
 * do with surplus pulses:
 *   first end   a begin takes the first end after it. One surplus begin shifts every later pair by one.
 *   apart       the same, but begins inside the interval before are dropped, which repairs the shift.
 *   nearest     it is the exit that chooses, and it takes the last entry before it. A surplus entry or exit costs
 *               nothing beyond itself, and what was surplus or missing can be counted.
 */
#include "analyze/support/intervals.h"

static uint64_t distance(int64_t from, int64_t to)
{
    return (uint64_t)to - (uint64_t)from;
}

size_t pf_pair_first_end(const int64_t *begins, size_t nb, const int64_t *ends, size_t ne, pf_interval *out)
{
    size_t n = 0;
    for (size_t j = 0; n < nb && j < ne; j++) {
        if (ends[j] > begins[n]) {
            out[n] = (pf_interval){begins[n], ends[j]};
            n++;
        }
    }
    return n;
}

size_t pf_pair_apart(const int64_t *begins, size_t nb, const int64_t *ends, size_t ne, pf_interval *out)
{
    size_t n = 0, i = 0, j = 0;
    int64_t last_end = -1;
    while (i < nb && j < ne) {
        if (begins[i] <= last_end) {
            i++;
        } else if (ends[j] <= begins[i]) {
            j++;
        } else {
            out[n++] = (pf_interval){begins[i++], ends[j]};
            last_end = ends[j++];
        }
    }
    return n;
}

size_t pf_pulses_thin(int64_t *pulses, size_t n, uint64_t gap)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        int64_t t = pulses[i];
        if (kept == 0 || (t > pulses[kept - 1] && distance(pulses[kept - 1], t) >= gap)) {
            pulses[kept++] = t;
        }
    }
    return kept;
}

size_t pf_pair_nearest(const int64_t *entries, size_t nb, const int64_t *exits, size_t ne, uint64_t gap,
                       pf_interval *out, pf_pair_counts *counts)
{
    pf_pair_counts c = {0, 0, 0, 0};
    size_t n = 0, next = 0; /* entries before `next` belong to earlier exits */
    for (size_t j = 0; j < ne; j++) {
        int64_t e = exits[j];
        while (n && next < nb && entries[next] <= out[n - 1].end) {
            next++;
        }
        size_t first = next;
        while (next < nb && entries[next] < e) {
            next++;
        }
        if (first == next) {
            if (n && distance(out[n - 1].end, e) < gap) {
                c.duplicate_exits++;
            } else {
                c.lost_entries++;
            }
            continue;
        }
        size_t s = next - 1;
        while (s > first && distance(entries[s - 1], entries[s]) < gap) {
            s--;
        }
        c.duplicate_entries += next - 1 - s;
        c.lost_exits += s - first;
        out[n++] = (pf_interval){entries[s], e};
    }
    if (counts) {
        *counts = c;
    }
    return n;
}

size_t pf_pairs_window(pf_interval *pairs, size_t n, uint64_t lo, uint64_t hi)
{
    size_t inside = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t length = pf_interval_length(pairs[i]);
        inside += length >= lo && length <= hi;
    }
    if (inside == 0) {
        return n;
    }
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t length = pf_interval_length(pairs[i]);
        if (length >= lo && length <= hi) {
            pairs[kept++] = pairs[i];
        }
    }
    return kept;
}

pf_median pf_pairs_median(const pf_interval *pairs, size_t n, uint64_t *lengths, uint64_t *scratch)
{
    for (size_t i = 0; i < n; i++) {
        lengths[i] = pf_interval_length(pairs[i]);
    }
    pf_sort_lengths(lengths, n, scratch);
    return pf_median_of_sorted(lengths, n);
}
