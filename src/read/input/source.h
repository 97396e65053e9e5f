/* read/input/source.h - the plain bytes of one input as a sliding window, whatever it is stored as.
 *
 * A plain file is one window over the whole mapping (or copy); a packed one is unpacked in blocks, ahead by a
 * thread of its own (jobs >= 2, and not for a few kilobytes) or on demand, and the window slides over those. A reader
 * consumes whole packets or events and asks for more when it meets an incomplete one.
 */
#pragma once

#include "model/trace/trace.h"
#include "postfetto/author/reader.h"
#include "read/input/unpack.h"

typedef struct pf_source pf_source;

/* Opens the stored bytes of `input` (already in memory) for reading from the start; sniffs gzip, zstd and
 * zip. Damage of the packing is counted in the trace's stats, what was unpacked before it is delivered. Errors besides
 * memory: a zip that is refused (read/input/unpack.h). */
pf_status pf_source_open(pf_source **out, pf_trace *t, pf_input *input, const pf_read_options *o, pf_error *err);

/* Slides the window: the first `consumed` bytes of the current one are given up, at least one byte more is appended
 * unless the input ends (then window.last). The first call (consumed 0) gives the first window. Polls cancel, reports
 * progress, tests --max-plain and --max-ratio. An unconsumed rest counts against --max-memory. */
pf_status pf_source_more(pf_source *s, size_t consumed, pf_window *w, pf_error *err);

/* Bytes appended per step (at least as many as the unconsumed rest has); the default is a few MB. For tests. */
void pf_source_set_step(pf_source *s, size_t bytes);

size_t pf_source_step(const pf_source *s);

void pf_source_close(pf_source *s);

/* The plain_bytes of an input that was read, once more. A pf_plain_sender. */
pf_status pf_source_send(const pf_trace *t, const pf_input *input, pf_bytes_taker take, void *ctx, pf_error *err);

/* One gzip member or zstd frame of it. A pf_member_sender. */
pf_status pf_source_member(const pf_trace *t, const pf_input *input, pf_packed *m, pf_bytes_taker take, void *ctx,
                           pf_error *err);

/* Gathers all windows from `first` on into k->bytes. A plain file is where it is mapped. What is unpacked is in memory
 * or, if it is large, in a file without a name in `spool` (NULL: nowhere), which is mapped: its pages can leave memory,
 * and come back. If there is no room in the folder it is in memory. Also on failure k owns what there is. */
pf_status pf_whole_input(pf_trace *t, pf_source *s, pf_window first, const char *spool, pf_kept *k, pf_error *err);

/* ---- read_ahead.c ------------------------------------------------------------------------------------------------ */

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
