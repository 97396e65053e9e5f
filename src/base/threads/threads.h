/* base/threads/threads.h - threads that prepare pieces of work ahead of the one thread that uses them in order.
 *
 * A crew has a ring of slots. Its owner fills slot pf_crew_next with what a piece is about, puts it, and later takes
 * the pieces back in the order in which they were put, each after the crew's job was run on it: by a helper, or by the
 * owner itself where it would have to wait. So everything also works without a helper, and results cannot depend on who
 * was faster as long as the job looks at nothing but its slot and at what does not change meanwhile.
 *
 * All functions are the owner's; only the job is called by other threads. What the owner wrote before a put is seen by
 * the job, what the job wrote is seen by the owner after the take.
 */
#pragma once

#include <pthread.h>

#include "base/budget.h"
#include "base/buffer.h"

typedef struct pf_crew pf_crew;

/* Works on one slot. It must end by itself: nothing interrupts it. */
typedef void (*pf_crew_job)(void *ctx, unsigned slot);

/* NULL if memory was refused or `slots` is 0. Helpers that the system refuses are done without, as is helpers = 0. */
pf_crew *pf_crew_start(unsigned helpers, unsigned slots, pf_crew_job job, void *ctx, pf_budget *budget);

/* How many helpers there are. */
unsigned pf_crew_helpers(const pf_crew *c);

/* Slots that can be put, pieces that can be taken. A slot is in use from put to release. */
unsigned pf_crew_room(const pf_crew *c);
unsigned pf_crew_pending(const pf_crew *c);

/* The slot that the next put is about; only while there is room. */
unsigned pf_crew_next(const pf_crew *c);
void pf_crew_put(pf_crew *c);

/* The oldest piece that was put and not taken; only while one is pending. While somebody else works on it, the owner
 * works on pieces after it; it sleeps if there are none. */
unsigned pf_crew_take(pf_crew *c);

/* Gives the oldest slot that was taken back to the ring. */
void pf_crew_release(pf_crew *c);

/* Forgets all pieces and gives all slots back; waits for those being worked on, skips those that nobody began. */
void pf_crew_drop(pf_crew *c);

/* The same, then ends the threads. Legal at any time and on NULL. */
void pf_crew_stop(pf_crew *c);

/* ---- tasks.c ----------------------------------------------------------------------------------------------------- */

/* A task writes nothing that another one reads or writes: arenas are its own. */
typedef struct pf_task {
    pf_status (*run)(void *ctx, pf_error *err);
    void *ctx;
} pf_task;

/* Runs them with up to `jobs` threads, the caller's included; begins with the first. The error is that of the first
 * task in the list that has one. With one thread they run in their order, up to the first error. */
pf_status pf_tasks_run(const pf_task *tasks, unsigned count, unsigned jobs, pf_budget *budget, pf_error *err);

/* ---- output_queue.c ---------------------------------------------------------------------------------------------- */

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
