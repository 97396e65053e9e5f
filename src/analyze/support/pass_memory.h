/* analyze/support/pass_memory.h - arrays that live in the arena of a pass, and texts that findings keep. */
#pragma once

#include "base/arena.h"
#include "base/buffer.h"
#include "postfetto/findings.h"

/* n elements of `size` bytes; NULL and err filled if refused. Never NULL for n = 0. */
void *pf_pass_array(pf_arena *arena, size_t n, size_t size, pf_error *err);

/* The same to a pointer: PF_OK, or what was refused. */
#define PF_PASS_ARRAY(arena, n, base, err)                                                                             \
    (((base) = pf_pass_array((arena), (n), sizeof *(base), (err))) ? PF_OK : (err)->code)

/* The text of a buffer, which is freed, in the memory of the findings; {NULL, 0} and the findings failed if memory was
 * refused for either. */
pf_str pf_pass_keep_buffer(pf_findings *f, pf_buffer *b);

/* Appends a name to a sentence: a long one loses its middle. */
void pf_pass_put_name(pf_buffer *b, pf_str name);

#define PF_TEXT_ARG(s) (int)(s).len, (s).ptr /* for "%.*s" */
