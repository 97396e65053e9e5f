/* write/file/file_hash.c - the fingerprint of an input: XXH3-128 over its bytes as stored, printed most significant
 * digit first, the way xxhsum -H2 prints it. */
#include <xxhash.h>

#include "postfetto/write.h"

void pf_input_hash(const pf_input *in, char hex[33])
{
    static const char digits[] = "0123456789abcdef";
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits(in->stored, in->stored ? (size_t)in->stored_bytes : 0));
    for (size_t i = 0; i < sizeof canonical.digest; i++) {
        hex[2 * i] = digits[canonical.digest[i] >> 4];
        hex[2 * i + 1] = digits[canonical.digest[i] & 15];
    }
    hex[32] = '\0';
}
