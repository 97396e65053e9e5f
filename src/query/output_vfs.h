/* query/output_vfs.h - SQLite writes a new database into an open file, which a thread of its own fills. */
#pragma once

#include "postfetto/base.h"

typedef struct pf_output_vfs pf_output_vfs;

/* For the empty file `fd`, open for reading and writing; it stays the caller's. jobs 1: without a thread. NULL if
 * memory is refused. */
pf_output_vfs *pf_output_vfs_new(int fd, unsigned jobs);

/* The URI by which a connection with SQLITE_OPEN_URI attaches it, once. */
const char *pf_output_vfs_uri(const pf_output_vfs *v);

/* Everything is in the file: its size, or PF_ERR_OUTPUT. */
pf_status pf_output_vfs_settle(pf_output_vfs *v, uint64_t *size, pf_error *err);

/* After the connection is closed, or has detached it. NULL is legal. */
void pf_output_vfs_free(pf_output_vfs *v);
