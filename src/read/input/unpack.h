/* read/input/unpack.h - the plain bytes of a stored input: gzip, zstd, or the one file in a zip, which may be gzip or
 * zstd itself. */
#pragma once

#include "base/codec/codec.h"

/* ---- zip.c: the one file in an archive --------------------------------------------------------------------------- */

typedef struct pf_zip_member {
    size_t at, len; /* its stored bytes; they end where the archive ends at the latest */
    pf_codec_kind kind;
    bool checked; /* crc, plain and stored are known */
    uint32_t crc;
    uint64_t plain, stored;
    pf_codec_end fault; /* COMPLETE; TRUNCATED: the archive has no directory; DAMAGED: its directory is wrong */
} pf_zip_member;

bool pf_zip_is(const uint8_t *bytes, size_t len);

/* Finds the file. PF_ERR_INPUT: there is none, there are several, it is encrypted or packed in a way that is not read.
 * Folders and the resource forks that macOS adds do not count. */
pf_status pf_zip_find(pf_zip_member *m, const uint8_t *zip, size_t size, pf_error *err);

/* ---- any of them ------------------------------------------------------------------------------------------------- */

typedef enum pf_packing { PF_PACKING_NONE = 0, PF_PACKING_GZIP, PF_PACKING_ZSTD, PF_PACKING_ZIP } pf_packing;

typedef struct pf_unpack {
    pf_packing packing;
    pf_packing faulty; /* the layer that `end` is about */
    pf_codec_end end;
    uint64_t stored; /* stored bytes taken */

    pf_codec outer; /* over the stored bytes */
    pf_codec inner; /* over what `outer` makes, if two_layers */
    bool two_layers;
    pf_packing inner_packing;
    uint8_t *between; /* what `outer` made and `inner` did not take yet */
    pf_zip_member member;
    uint64_t member_bytes; /* made by `outer`, with their checksum */
    uint32_t member_crc;
    pf_budget *budget;
} pf_unpack;

/* "none", "gzip", "zstd", "zip" */
const char *pf_packing_name(pf_packing packing);

/* How these bytes are stored; the members and frames are the caller's and outlive u. PF_PACKING_NONE: nothing is to be
 * unpacked and u needs not be freed. Errors: those of pf_zip_find; u needs not be freed then. */
pf_status pf_unpack_init(pf_unpack *u, const uint8_t *stored, size_t size, pf_budget *budget, pf_error *err);
void pf_unpack_free(pf_unpack *u);

/* Unpacks until `cap` bytes are there or u->end says why there are no more. Returns their number. */
size_t pf_unpack_fill(pf_unpack *u, uint8_t *out, size_t cap);
