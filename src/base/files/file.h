/* base/files/file.h - a whole input as bytes: mapped or copied, always with PF_SLOP readable bytes of zero after its
 * end. A mapped file stays open, so that its bytes can be copied without passing through this process
 * (base/files/outfile.h). */
#pragma once

#include "base/budget.h"

/* Readable zero bytes after every input buffer: decoders may look ahead without asking. */
#define PF_SLOP 64

/* ---- spool.c: a file without a name for bytes that come once and are too many for memory ------------------------- */

typedef struct pf_spool {
    int fd; /* the caller's to close */
    size_t size;
} pf_spool;

/* False if no file can be made there. */
bool pf_spool_open(pf_spool *s, const char *folder);

/* Appends; returns how many bytes there was room for. */
size_t pf_spool_write(pf_spool *s, const void *bytes, size_t len);

/* Reads everything back; false with errno. */
bool pf_spool_read(const pf_spool *s, uint8_t *to);

/* ---- file.c ------------------------------------------------------------------------------------------------------ */

typedef struct pf_file {
    const uint8_t *data;
    size_t size;
    pf_budget *budget;
    size_t mapped_bytes; /* of the mapping, slop included */
    bool charged;        /* copied: its bytes count against the budget */
    bool is_open;        /* mapped: `fd` is the file, at no particular position */
    int fd;
} pf_file;

/* Opens path ("-" = standard input). map: map a regular file instead of copying it. Errors: PF_ERR_INPUT (cannot be
 * opened or read, is a folder), PF_ERR_LIMIT (--max-input), PF_ERR_MEMORY. */
pf_status pf_file_open(pf_file *f, const char *path, bool map, pf_budget *budget, pf_error *err);

/* The same, mapped; what cannot be mapped, such as a pipe, goes into a file without a name in `folder` if it is large,
 * and that is mapped. If there is no room in the folder it is copied into memory. */
pf_status pf_file_open_spooled(pf_file *f, const char *path, const char *folder, pf_budget *budget, pf_error *err);
void pf_file_close(pf_file *f);

/* Maps `size` bytes of a file that is open and stays the caller's; f has a budget and nothing else. PF_ERR_INTERNAL,
 * without a text: it cannot be mapped. */
pf_status pf_file_map_open(pf_file *f, int fd, size_t size, pf_error *err);

/* The bytes [from, to) are not needed soon: the pages of a mapped file leave the resident memory of the process. They
 * may still be read, they come back from the file. */
void pf_file_drop(const pf_file *f, size_t from, size_t to);

/* The same for all bytes of files whose mappings follow each other without a gap, in one call. */
void pf_files_drop(const pf_file *first, const pf_file *last);

/* Gives up the descriptor, the bytes stay: for callers that hold many files. */
void pf_file_release(pf_file *f);
