/* base/files/fingerprint.h - XXH3-128, printed most significant digit first, the way xxhsum -H2 prints it. */
#pragma once

#include "base/files/file.h"

/* Of bytes. */
void pf_fingerprint(const void *bytes, size_t len, char hex[33]);

/* Of a file. Pages of a mapped one leave the resident memory once they were read. */
void pf_fingerprint_file(const pf_file *f, char hex[33]);

/* Of all files in a folder: over their paths in it, sorted, each followed by what is in the file. What cannot be read
 * counts as empty. */
void pf_fingerprint_folder(const char *path, char hex[33]);
