/* read/input/zip.h - the one file in a zip archive. */
#ifndef PF_READ_INPUT_ZIP_H
#define PF_READ_INPUT_ZIP_H

#include "read/input/codec.h"

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

#endif
