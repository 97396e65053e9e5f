/* base/files/outfile.h - an output that appears whole or not at all.
 *
 * A path's bytes go to an unnamed (O_TMPFILE) or hidden temporary file in the same folder; commit syncs and renames it
 * over the target, abort leaves the target as it was. Temporaries that a killed run left for the same target
 * are removed when the next run opens it (they are not locked any more). A target that exists keeps its mode; where it
 * is a symbolic link, what the link names is replaced. "-", names of open descriptors (/dev/stdout, /dev/fd/N), devices
 * and named pipes are written to directly.
 */
#pragma once

#include "base/files/file.h"

/* How names of temporaries end: ".NAME.<something>" and this. Whoever writes one holds a lock on it (flock). */
#define PF_OUTFILE_SUFFIX ".postfetto-tmp"

typedef struct pf_outfile {
    int fd;                   /* may be read, unless direct */
    bool direct;              /* standard output, a device or a pipe: written as it comes */
    bool named;               /* the temporary has a name that abort must remove */
    char *target, *temporary; /* malloc'd */
    uint8_t *buffer;          /* 64 KiB */
    size_t fill;
    uint64_t written; /* bytes handed in so far */
    pf_status failed; /* sticky */
    int failed_errno;
} pf_outfile;

/* Whether the path is written to directly. */
bool pf_outfile_is_stream(const char *path);
bool pf_outfile_is_standard(const char *path); /* "-" or another name of standard output */
bool pf_outfile_is_terminal(const char *path);

/* Errors: PF_ERR_OUTPUT with the reason and what to do. */
pf_status pf_outfile_open(pf_outfile *o, const char *path, pf_error *err);

/* Buffered; errors are sticky and reported by every later call. */
pf_status pf_outfile_write(pf_outfile *o, const void *bytes, size_t len, pf_error *err);

/* Writes at a place of a file that is not direct, at once; several threads may, at places of their own. They do not
 * mix with the functions above, but for commit and abort. */
pf_status pf_outfile_put_at(const pf_outfile *o, uint64_t at, const void *bytes, size_t len, pf_error *err);

/* Reads back bytes of a file that is not direct, which were put at a place or flushed. */
pf_status pf_outfile_get_at(const pf_outfile *o, uint64_t at, void *bytes, size_t len, pf_error *err);

/* As pf_outfile_write with `len` bytes of an input from `at` on; `inside`: by the kernel alone, if it can do that.
 * PF_ERR_INPUT: the file became shorter since it was opened. */
pf_status pf_outfile_copy(pf_outfile *o, const pf_file *in, size_t at, size_t len, bool inside, pf_error *err);

/* Whether a copy inside the kernel may be more than moving the bytes: the file system can let files share them. */
bool pf_outfile_may_share(const pf_outfile *o);

/* The first two steps of a commit, for callers that put several files in place together: flush ends the writing and
 * gives the buffer back, sync waits for the disk. */
pf_status pf_outfile_flush(pf_outfile *o, pf_error *err);
pf_status pf_outfile_sync(pf_outfile *o, pf_error *err);

/* Flushes, syncs if asked, renames. The object is closed afterwards whatever happens; on failure nothing is left. */
pf_status pf_outfile_commit(pf_outfile *o, bool sync, pf_error *err);
void pf_outfile_abort(pf_outfile *o); /* legal at any time, also after commit */
