/* base/hash.h - hashes of keys that an input may choose.
 *
 * Whoever knows a hash function can write a file whose keys all meet in one place of a table, where each look-up then
 * takes as many steps as there are keys. So every hash of such keys depends on a seed: another one for each budget,
 * unless the caller fixes it (pf_limits.hash_seed). Tables are never read in the order of their places, so no result
 * depends on the seed.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

__extension__ typedef unsigned __int128 pf_uint128;

/* A number that nobody can predict; never 0. */
uint64_t pf_hash_random_seed(void);

/* The next seed of a table whose places turned out to be badly spread. */
static inline uint64_t pf_hash_next_seed(uint64_t seed)
{
    seed = (seed ^ (seed >> 30)) * 0xbf58476d1ce4e5b9ull;
    seed = (seed ^ (seed >> 27)) * 0x94d049bb133111ebull;
    return seed ^ (seed >> 31);
}

/* Both halves of the product with a number that only the seed gives. */
static inline uint64_t pf_hash64(uint64_t seed, uint64_t key)
{
    pf_uint128 product = (pf_uint128)(key ^ seed) * ((seed << 32 | seed >> 32) ^ 0x9e3779b97f4a7c15ull);
    return (uint64_t)(product >> 64) ^ (uint64_t)product;
}

/* A hash of several numbers: hash = pf_hash_add(hash, number) for each, beginning with the seed. */
static inline uint64_t pf_hash_add(uint64_t hash, uint64_t number)
{
    return pf_hash64(hash, number) + 0x9e3779b97f4a7c15ull;
}

/* ---- sha256.c ---------------------------------------------------------------------------------------------------- */

/* SHA-256 (FIPS 180-4): names bytes that are too long to be shown. */

/* 64 hexadecimal digits and a NUL. */
void pf_sha256(const uint8_t *bytes, size_t len, char hex[65]);
