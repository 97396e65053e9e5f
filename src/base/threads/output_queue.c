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
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t moved;
    pf_buffer slot[SLOTS];
    uint64_t put, done;
    pf_status failed;
    bool stop;
};

static void *work(void *arg)
{
    pf_output_queue *q = arg;
    pthread_mutex_lock(&q->lock);
    for (;;) {
        while (q->put == q->done && !q->stop) {
            pthread_cond_wait(&q->moved, &q->lock);
        }
        if (q->put == q->done) {
            break;
        }
        pf_buffer *piece = &q->slot[q->done % SLOTS];
        pf_status st = q->failed;
        pthread_mutex_unlock(&q->lock);
        st = st == PF_OK ? q->job(q->ctx, piece) : st;
        piece->len = 0;
        pthread_mutex_lock(&q->lock);
        q->failed = st;
        q->done++;
        pthread_cond_broadcast(&q->moved);
    }
    pthread_mutex_unlock(&q->lock);
    return NULL;
}

static void release(pf_output_queue *q)
{
    for (unsigned i = 0; i < SLOTS; i++) {
        pf_buffer_free(&q->slot[i]);
    }
    pthread_cond_destroy(&q->moved);
    pthread_mutex_destroy(&q->lock);
    free(q);
}

pf_output_queue *pf_output_queue_start(pf_output_job job, void *ctx)
{
    pf_output_queue *q = calloc(1, sizeof *q);
    if (!q) {
        return NULL;
    }
    q->job = job;
    q->ctx = ctx;
    pthread_mutex_init(&q->lock, NULL);
    pthread_cond_init(&q->moved, NULL);
    if (!pf_thread_start(&q->thread, work, q)) {
        release(q);
        return NULL;
    }
    return q;
}

pf_status pf_output_queue_put(pf_output_queue *q, pf_buffer *piece)
{
    pthread_mutex_lock(&q->lock);
    while (q->put - q->done == SLOTS) {
        pthread_cond_wait(&q->moved, &q->lock);
    }
    pf_buffer *slot = &q->slot[q->put % SLOTS];
    const pf_buffer empty = *slot;
    *slot = *piece;
    *piece = empty;
    q->put++;
    pf_status st = q->failed;
    pthread_cond_broadcast(&q->moved);
    pthread_mutex_unlock(&q->lock);
    return st;
}

pf_status pf_output_queue_settle(pf_output_queue *q)
{
    pthread_mutex_lock(&q->lock);
    while (q->put != q->done) {
        pthread_cond_wait(&q->moved, &q->lock);
    }
    pf_status st = q->failed;
    pthread_mutex_unlock(&q->lock);
    return st;
}

void pf_output_queue_stop(pf_output_queue *q)
{
    if (!q) {
        return;
    }
    pthread_mutex_lock(&q->lock);
    q->stop = true;
    pthread_cond_broadcast(&q->moved);
    pthread_mutex_unlock(&q->lock);
    pthread_join(q->thread, NULL);
    release(q);
}
