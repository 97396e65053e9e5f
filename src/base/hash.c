/* base/hash.c - a seed that a file cannot foresee: from the system, or, where it has none, from the clock and from
 * where the program lies in memory. */
#include "base/hash.h"

#include <sys/random.h>
#include <time.h>

uint64_t pf_hash_random_seed(void)
{
    uint64_t seed = 0;
    if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) != (ssize_t)sizeof seed) {
        struct timespec now = {0, 0};
        clock_gettime(CLOCK_MONOTONIC, &now);
        seed = pf_hash_next_seed((uint64_t)now.tv_nsec << 32 ^ (uint64_t)now.tv_sec ^ (uint64_t)(uintptr_t)&seed);
    }
    return seed ? seed : 1;
}
