/* write/file/file_hash.c - the fingerprint of an input: over its bytes as stored. */
#include "base/files/fingerprint.h"
#include "postfetto/write.h"

void pf_input_hash(const pf_input *in, char hex[33])
{
    pf_fingerprint(in->stored, in->stored ? (size_t)in->stored_bytes : 0, hex);
}
