/* base/threads/output_queue.c - a thread that compresses or writes the pieces of an output while the next are made.
 *
 * A ring of buffers: `put` and `done` count pieces, piece i lies in slot i mod SLOTS. The maker swaps its buffer with
 * that of a free slot, so no byte is copied; the thread works on slot `done` until it counts on. After an error the
 * thread passes over what is left, so that a maker never waits for ever. */
#include "base/thread.h"
#include "base/threads/threads.h"

#include <stdlib.h>

#define SLOTS 4u

struct pf_output_queue {
    pf_output_job job;
    void *ctx;
    pf_worker worker;
    pf_buffer slot[SLOTS];
    uint64_t put, done;
    pf_status failed;
};

static void *work(void *arg)
{
    pf_output_queue *q = arg;
    pthread_mutex_lock(&q->worker.lock);
    for (;;) {
        while (q->put == q->done && !q->worker.stop) {
            pthread_cond_wait(&q->worker.moved, &q->worker.lock);
        }
        if (q->put == q->done) {
            break;
        }
        pf_buffer *piece = &q->slot[q->done % SLOTS];
        pf_status st = q->failed;
        pthread_mutex_unlock(&q->worker.lock);
        st = st == PF_OK ? q->job(q->ctx, piece) : st;
        piece->len = 0;
        pthread_mutex_lock(&q->worker.lock);
        q->failed = st;
        q->done++;
        pthread_cond_broadcast(&q->worker.moved);
    }
    pthread_mutex_unlock(&q->worker.lock);
    return NULL;
}

pf_output_queue *pf_output_queue_start(pf_output_job job, void *ctx)
{
    pf_output_queue *q = calloc(1, sizeof *q);
    if (q) {
        q->job = job;
        q->ctx = ctx;
    }
    if (q && !pf_worker_start(&q->worker, work, q)) {
        free(q);
        q = NULL;
    }
    return q;
}

pf_status pf_output_queue_put(pf_output_queue *q, pf_buffer *piece)
{
    pthread_mutex_lock(&q->worker.lock);
    while (q->put - q->done == SLOTS) {
        pthread_cond_wait(&q->worker.moved, &q->worker.lock);
    }
    pf_buffer *slot = &q->slot[q->put % SLOTS];
    const pf_buffer empty = *slot;
    *slot = *piece;
    *piece = empty;
    q->put++;
    pf_status st = q->failed;
    pthread_cond_broadcast(&q->worker.moved);
    pthread_mutex_unlock(&q->worker.lock);
    return st;
}

pf_status pf_output_queue_settle(pf_output_queue *q)
{
    pthread_mutex_lock(&q->worker.lock);
    while (q->put != q->done) {
        pthread_cond_wait(&q->worker.moved, &q->worker.lock);
    }
    pf_status st = q->failed;
    pthread_mutex_unlock(&q->worker.lock);
    return st;
}

void pf_output_queue_stop(pf_output_queue *q)
{
    if (!q) {
        return;
    }
    pf_worker_stop(&q->worker);
    for (unsigned i = 0; i < SLOTS; i++) {
        pf_buffer_free(&q->slot[i]);
    }
    free(q);
}
