/* read/chrome_json/apply/piece_ring.h - phase 1 on other threads, ahead of where the owner is. */
#pragma once

#include "base/threads/threads.h"
#include "json/document/tokenize.h"

typedef struct pf_json_ring pf_json_ring;

/* What was found from `from` on. */
typedef struct pf_json_ahead {
    const uint8_t *from, *limit; /* the first event that begins here or after, and all others before the limit */
    const uint8_t *start;        /* where that event was taken to begin; NULL: none was seen */
    const uint8_t *stop;         /* as pf_json_hot_loop returns */
    uint64_t vain;               /* the tokenizer's, when this was asked for */
    pf_json_piece *piece;
} pf_json_ahead;

/* For `helpers` threads. NULL if none is to be had: then read without. */
pf_json_ring *pf_json_ring_start(unsigned helpers, pf_budget *budget);

/* Pieces of `bytes` from now on, of the input that this window begins. Whether some of it were read ahead already: they
 * are the next ones; all others are forgotten. */
bool pf_json_ring_begin(pf_json_ring *r, const pf_json_tokenizer *t, const pf_window *w, size_t bytes);

/* Lets pieces be read from p on, or from where the last one ends if that is further, up to the end of the window.
 * Returns whether there would be room for more. */
bool pf_json_ring_fill(pf_json_ring *r, const pf_json_tokenizer *t, const pf_window *w, const uint8_t *p);

/* Lets pieces of the next input be read, from byte `from` on, once nothing of this one is left to put: `next` is all of
 * it, and stays where it is. It is taken to be read by the rules that this one is. */
void pf_json_ring_look_ahead(pf_json_ring *r, const pf_json_tokenizer *t, const pf_window *next, size_t from,
                             size_t bytes);

/* Where the oldest piece begins to look, NULL if there is none of this input. */
const uint8_t *pf_json_ring_next(const pf_json_ring *r);

/* Waits for the oldest piece; it is the caller's until released. */
const pf_json_ahead *pf_json_ring_take(pf_json_ring *r);
void pf_json_ring_release(pf_json_ring *r);

/* Forgets all pieces. */
void pf_json_ring_drop(pf_json_ring *r);

/* The same, but for pieces of the next input, at the end of this one. */
void pf_json_ring_leave(pf_json_ring *r);

void pf_json_ring_stop(pf_json_ring *r); /* legal on NULL */
