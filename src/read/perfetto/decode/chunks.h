/* read/perfetto/decode/chunks.h - phase 1 ahead of phase 2: rows of a window, made by several threads. */
#ifndef PF_READ_PERFETTO_DECODE_CHUNKS_H
#define PF_READ_PERFETTO_DECODE_CHUNKS_H

#include "base/budget.h"
#include "read/perfetto/decode/batch.h"

typedef struct pf_chunks pf_chunks;

/* NULL if memory was refused. helpers = 0 is legal: everything is then done by the caller. */
pf_chunks *pf_chunks_new(unsigned helpers, pf_budget *budget);
void pf_chunks_free(pf_chunks *c);

/* Bytes per chunk; for tests. The default is PF_CHUNK_BYTES. */
void pf_chunks_set_size(pf_chunks *c, size_t bytes);
#define PF_CHUNK_BYTES (128u << 10)

/* Whether there are helpers. */
bool pf_chunks_have_helpers(const pf_chunks *c);

/* The bytes to be read next, from their start; after them PF_SLOP bytes are readable. What was left of the bytes
 * before is forgotten, and nobody looks at them any more (NULL, 0: so that they may go). */
void pf_chunks_begin(pf_chunks *c, const uint8_t *bytes, size_t len);

/* The next rows, in file order, as pf_rows_decode would give them for all bytes at once; d->consumed counts from the
 * end of the call before. PF_STOP_FULL: there may be more. After any other stop the caller begins anew. The rows are
 * valid until the next call. */
pf_rows *pf_chunks_next(pf_chunks *c, pf_decoded *d);

/* Passes over bytes after the last row (the answer to PF_STOP_SKIP) and goes on there. */
void pf_chunks_skip(pf_chunks *c, size_t bytes);

#endif
