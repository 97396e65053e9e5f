/* base/threads/crew.c - the ring of a crew.
 *
 * Pieces are numbered from 0; piece i lies in slot i mod the ring's size. Four counts say all:
 *
 *     released <= taken <= begun, taken <= put, begun <= put <= released + slots
 *
 * [taken, begun) is being worked on or ready, [begun, put) waits for somebody. Pieces are begun in order, so whoever is
 * free takes number `begun`. Only `begun`, `put`, the flags `ready` and `stop` are shared, all under one lock, which is
 * held for a few instructions twice per piece: pieces of a tenth of a millisecond and more make that cost nothing.
 * Nobody spins: helpers sleep while begun == put, the owner sleeps while piece `taken` is in another's hands and no
 * other piece is left to begin.
 */
#include "base/thread.h"
#include "base/threads/threads.h"

struct pf_crew {
    pf_budget *budget;
    pf_crew_job job;
    void *ctx;
    unsigned helpers, slots;
    size_t bytes;             /* of this allocation */
    uint64_t released, taken; /* the owner's */
    pthread_mutex_t lock;
    pthread_cond_t work;  /* a piece was put, or stop was set */
    pthread_cond_t ended; /* a helper finished a piece */
    uint64_t begun, put;
    bool stop;
    bool *ready; /* by slot; after `thread` in this allocation */
    pthread_t thread[];
};

/* Begins the next piece and works on it; the lock is held before and after. */
static void work_on_next(pf_crew *c)
{
    unsigned slot = (unsigned)(c->begun++ % c->slots);
    pthread_mutex_unlock(&c->lock);
    c->job(c->ctx, slot);
    pthread_mutex_lock(&c->lock);
    c->ready[slot] = true;
}

static void *help(void *arg)
{
    pf_crew *c = arg;
    pthread_mutex_lock(&c->lock);
    while (!c->stop) {
        if (c->begun == c->put) {
            pthread_cond_wait(&c->work, &c->lock);
            continue;
        }
        work_on_next(c);
        pthread_cond_signal(&c->ended);
    }
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

pf_crew *pf_crew_start(unsigned helpers, unsigned slots, pf_crew_job job, void *ctx, pf_budget *budget)
{
    size_t bytes = sizeof(pf_crew) + helpers * sizeof(pthread_t) + slots * sizeof(bool);
    pf_crew *c = slots ? pf_alloc_zero(budget, 1, bytes) : NULL;
    if (!c) {
        return NULL;
    }
    c->budget = budget;
    c->job = job;
    c->ctx = ctx;
    c->slots = slots;
    c->bytes = bytes;
    c->ready = (bool *)(c->thread + helpers);
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->work, NULL);
    pthread_cond_init(&c->ended, NULL);
    while (c->helpers < helpers && pf_thread_start(&c->thread[c->helpers], help, c)) {
        c->helpers++;
    }
    return c;
}

unsigned pf_crew_helpers(const pf_crew *c)
{
    return c->helpers;
}

unsigned pf_crew_room(const pf_crew *c)
{
    return c->slots - (unsigned)(c->put - c->released);
}

unsigned pf_crew_pending(const pf_crew *c)
{
    return (unsigned)(c->put - c->taken);
}

unsigned pf_crew_next(const pf_crew *c)
{
    return (unsigned)(c->put % c->slots);
}

void pf_crew_put(pf_crew *c)
{
    pthread_mutex_lock(&c->lock);
    c->ready[c->put % c->slots] = false;
    c->put++;
    pthread_mutex_unlock(&c->lock);
    pthread_cond_signal(&c->work);
}

/* Until piece `number`, which was begun or can be, is ready. */
static void wait_for(pf_crew *c, uint64_t number)
{
    while (!c->ready[number % c->slots]) {
        if (c->begun < c->put) {
            work_on_next(c);
        } else {
            pthread_cond_wait(&c->ended, &c->lock);
        }
    }
}

unsigned pf_crew_take(pf_crew *c)
{
    pthread_mutex_lock(&c->lock);
    wait_for(c, c->taken);
    pthread_mutex_unlock(&c->lock);
    return (unsigned)(c->taken++ % c->slots);
}

void pf_crew_release(pf_crew *c)
{
    c->released++;
}

void pf_crew_drop(pf_crew *c)
{
    pthread_mutex_lock(&c->lock);
    c->put = c->begun;
    while (c->taken < c->begun) {
        wait_for(c, c->taken++);
    }
    pthread_mutex_unlock(&c->lock);
    c->released = c->taken;
}

void pf_crew_stop(pf_crew *c)
{
    if (!c) {
        return;
    }
    pf_crew_drop(c);
    pthread_mutex_lock(&c->lock);
    c->stop = true;
    pthread_cond_broadcast(&c->work);
    pthread_mutex_unlock(&c->lock);
    for (unsigned i = 0; i < c->helpers; i++) {
        pthread_join(c->thread[i], NULL);
    }
    pthread_cond_destroy(&c->ended);
    pthread_cond_destroy(&c->work);
    pthread_mutex_destroy(&c->lock);
    pf_release(c->budget, c, c->bytes);
}
