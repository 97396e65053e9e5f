/* base/thread.h - starting a thread that costs little address space.
 *
 * The system's default is 8 MiB of stack. Under `ulimit -v`, which batch systems set, that is taken from the trace; no
 * loop of ours recurses on its input, so a fixed small stack is enough.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>

/* False if the system refuses a thread; `thread` is undefined then. Otherwise it must be joined. */
bool pf_thread_start(pthread_t *thread, void *(*body)(void *), void *arg);

/* A thread, and what it and its owner meet under. `body` ends when it sees `stop`, which the lock guards. */
typedef struct pf_worker {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t moved;
    bool stop;
} pf_worker;

/* False if the system refuses the thread: nothing is to be stopped then. */
bool pf_worker_start(pf_worker *w, void *(*body)(void *), void *arg);
void pf_worker_stop(pf_worker *w); /* waits for its end */
