/* read/input/read_ahead.h - the plain bytes of a packed input as a run of blocks, unpacked ahead of the reader by a
 * thread of its own or, without one, when they are asked for. */
#ifndef PF_READ_INPUT_READ_AHEAD_H
#define PF_READ_INPUT_READ_AHEAD_H

#include "base/budget.h"
#include "read/input/unpack.h"

typedef struct pf_ahead pf_ahead;

/* Bytes in front of every block, where what is left of the one before it finds room. */
#define PF_AHEAD_HEAD ((size_t)64 << 10)

typedef struct pf_ahead_block {
    uint8_t *data; /* after its last byte PF_SLOP bytes are readable */
    size_t len;
    uint64_t stored;  /* stored bytes taken up to its end */
    pf_codec_end end; /* RUNNING, or why no block follows */
} pf_ahead_block;

/* `u` belongs to it until a block with another end than RUNNING has come, or pf_ahead_stop. Blocks have up to `bytes`
 * bytes. A thread that is refused, or memory for more than one block, is done without; NULL if there is no memory at
 * all. */
pf_ahead *pf_ahead_start(pf_unpack *u, size_t bytes, bool thread, pf_budget *budget);

/* Waits for the next block, puts `len` bytes (at most PF_AHEAD_HEAD) from `rest` right in front of its data, and takes
 * the block given before back: `rest` may point into that. Not to be called after the last block. */
pf_ahead_block pf_ahead_next(pf_ahead *a, const uint8_t *rest, size_t len);

/* Stops and joins the thread; legal at any time and on NULL. */
void pf_ahead_stop(pf_ahead *a);

#endif
