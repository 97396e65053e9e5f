/* read/sniff.h - what a file is, by its first plain bytes. */
#ifndef PF_READ_SNIFF_H
#define PF_READ_SNIFF_H

#include "read/reader.h"

/* Bytes that are enough to recognise any format. */
#define PF_SNIFF_BYTES 4096

/* The reader for an input that begins with these bytes, or NULL with the reason in err (PF_ERR_INPUT): empty, a format
 * that is known and not read, or none that is known. */
const pf_reader *pf_sniff(const uint8_t *head, size_t len, pf_error *err);

#endif
