/* read/tinygrad/pickle/pickle.h - reads a pickle without executing anything.
 *
 * A pickle is a program for a machine with a stack and a memo. This machine knows the opcodes that make data, of the
 * protocols 2 to 5; a class is a name, and calling one makes an object that holds the name and the arguments. Two calls
 * are data themselves: decimal.Decimal of a text, and _codecs.encode of a text as latin1, which is how protocol 2
 * writes bytes. Whatever is not known is an error with the opcode and its offset.
 *
 * Every length is compared with the bytes that are left before anything is done with it. Memory is that of the trace's
 * budget: per opcode at most one value and one place on the stack or in the memo; of an event only what later ones
 * share stays after it was handed over.
 */
#ifndef PF_READ_TINYGRAD_PICKLE_PICKLE_H
#define PF_READ_TINYGRAD_PICKLE_PICKLE_H

#include "read/tinygrad/pickle/pickle_values.h"

/* Reads the pickle at the beginning of the values' input. The items of a list at its top are handed to `item` as they
 * come, and then taken out of it, so that they can go; a value is to be read in the call only, or to be kept.
 * *list says whether there was one. Polls *cancel (may be NULL). PF_ERR_INPUT with an offset; PF_ERR_LIMIT,
 * PF_ERR_MEMORY, PF_ERR_CANCELLED, and what `item` returns. Where the input ends too early it is an error, v->truncated
 * says so, and the items that are complete have been handed over. *top (may be NULL) is the value that is left. */
typedef pf_status (*pf_pickle_item)(void *ctx, uint32_t value, pf_error *err);
pf_status pf_pickle_read(pf_pickle_values *v, pf_pickle_item item, void *ctx, const volatile int *cancel, bool *list,
                         uint32_t *top, pf_error *err);

#endif
