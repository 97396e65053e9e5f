/* read/ahead.h - unpacking on a thread of its own, a few blocks ahead of the reader. */
#ifndef PF_READ_AHEAD_H
#define PF_READ_AHEAD_H

#include "base/budget.h"
#include "read/unpack.h"

typedef struct pf_ahead pf_ahead;

typedef struct pf_ahead_block {
    const uint8_t *data;
    size_t len;
    uint64_t stored;  /* stored bytes taken up to its end */
    pf_codec_end end; /* RUNNING, or why no block follows */
} pf_ahead_block;

/* Starts the thread; `u` is its until a block with another end than RUNNING has come, or pf_ahead_stop. NULL without a
 * trace if memory or a thread was refused: then unpack on demand. */
pf_ahead *pf_ahead_start(pf_unpack *u, pf_budget *budget);

/* Waits for the next block; the one given before is handed back. Behind the last one: its `end` again, len 0. */
pf_ahead_block pf_ahead_next(pf_ahead *a);

/* Stops and joins the thread; legal at any time and on NULL. */
void pf_ahead_stop(pf_ahead *a);

#endif
