/* base/threads/output_queue.h - a thread that compresses or writes the pieces of an output while the next are made. */
#ifndef PF_BASE_THREADS_OUTPUT_QUEUE_H
#define PF_BASE_THREADS_OUTPUT_QUEUE_H

#include "base/buffer.h"

typedef struct pf_output_queue pf_output_queue;

/* What is done with a piece; never by two threads at once, and in the order in which pieces were put. */
typedef pf_status (*pf_output_job)(void *ctx, const pf_buffer *piece);

/* NULL if the system refuses memory or a thread: then the caller does the job itself. */
pf_output_queue *pf_output_queue_start(pf_output_job job, void *ctx);

/* Puts a piece, which leaves an empty buffer; waits while too many are under way. What a job before this one
 * returned, if that was an error. */
pf_status pf_output_queue_put(pf_output_queue *q, pf_buffer *piece);

/* Waits until all pieces are done with. What the job works on is the caller's again until the next put. */
pf_status pf_output_queue_settle(pf_output_queue *q);

void pf_output_queue_stop(pf_output_queue *q); /* settles first; NULL is legal */

#endif
