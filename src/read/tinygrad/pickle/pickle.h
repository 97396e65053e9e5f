/* read/tinygrad/pickle/pickle.h - reads a pickle without executing anything.
 *
 * A pickle is a program for a machine with a stack and a memo. This machine knows the opcodes that make data, of the
 * protocols 2 to 5; a class is a name, and calling one makes an object that holds the name and the arguments. Two calls
 * are data themselves: decimal.Decimal of a text, and _codecs.encode of a text as latin1, which is how protocol 2
 * writes bytes. Whatever is not known is an error with the opcode and its offset.
 *
 * Every length is compared with the bytes that are left before anything is done with it. Memory is that of the trace's
 * budget: per opcode at most one value and one place on the stack or in the memo, so that it grows with the input.
 */
#ifndef PF_READ_TINYGRAD_PICKLE_PICKLE_H
#define PF_READ_TINYGRAD_PICKLE_PICKLE_H

#include "read/tinygrad/pickle/pickle_values.h"

/* Reads the pickle at the beginning of `bytes`, which live as long as the trace; *top is the value that it leaves.
 * Polls *cancel (may be NULL). PF_ERR_INPUT with an offset; PF_ERR_LIMIT, PF_ERR_MEMORY, PF_ERR_CANCELLED. */
pf_status pf_pickle_read(pf_pickle_values *v, pf_bytes bytes, const volatile int *cancel, uint32_t *top, pf_error *err);

#endif
