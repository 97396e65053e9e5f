/* read/input/fast_gzip.h - gzip members with ISA-L, which inflates about twice as fast as zlib.
 *
 * For members that are sound and lie in memory as a whole. What is wrong with others, and how far they go, zlib says
 * (codec.c), so that both give the same bytes and the same end. The library is loaded when the first member comes: its
 * start would take 200 KB of every command. Where ISA-L is not there, when postfetto is built
 * or when it runs, there is no fast way.
 */
#ifndef PF_READ_INPUT_FAST_GZIP_H
#define PF_READ_INPUT_FAST_GZIP_H

#include "base/budget.h"

typedef struct pf_fast_gzip pf_fast_gzip;

typedef enum pf_fast_state {
    PF_FAST_RUNNING = 0,
    PF_FAST_ENDED,   /* the member is complete, and its checksum is right */
    PF_FAST_GIVES_UP /* the member is damaged or cut; what this step made may be wrong */
} pf_fast_state;

/* NULL if memory was refused, or if the library is not there: nothing is lost but speed. */
pf_fast_gzip *pf_fast_gzip_new(pf_budget *budget);
void pf_fast_gzip_free(pf_fast_gzip *f, pf_budget *budget);

/* The next bytes belong to a new member. */
void pf_fast_gzip_begin(pf_fast_gzip *f);

/* Makes up to `room` bytes from in[*pos] on, where the member goes on; nothing follows in[len - 1]. */
pf_fast_state pf_fast_gzip_step(pf_fast_gzip *f, const uint8_t *in, size_t len, size_t *pos, uint8_t *out, size_t room,
                                size_t *made);

#endif
