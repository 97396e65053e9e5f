/* ahead.c - a ring of blocks between the unpacking thread and the reader.
 *
 * `made` and `used` count blocks; block i lies in slot i mod the ring's size. The thread fills slot `made` while fewer
 * than all slots are full, the reader holds slot `used` until it asks for the next. Nothing else is shared, so the
 * bytes delivered do not depend on who is faster.
 */
#include "read/ahead.h"

#include <pthread.h>

#define SLOTS 4
#define BLOCK ((size_t)256 << 10)

struct pf_ahead {
    pf_budget *budget;
    pf_unpack *u;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t moved;
    uint64_t made, used;
    bool holding; /* the reader holds block `used` */
    bool stop;
    pf_ahead_block block[SLOTS];
    uint8_t data[SLOTS][BLOCK];
};

static void *unpack_blocks(void *arg)
{
    pf_ahead *a = arg;
    pf_codec_end end = PF_CODEC_RUNNING;
    while (end == PF_CODEC_RUNNING) {
        pthread_mutex_lock(&a->lock);
        while (!a->stop && a->made - a->used == SLOTS) {
            pthread_cond_wait(&a->moved, &a->lock);
        }
        bool stop = a->stop;
        size_t slot = a->made % SLOTS;
        pthread_mutex_unlock(&a->lock);
        if (stop) {
            break;
        }
        size_t len = pf_unpack_fill(a->u, a->data[slot], BLOCK);
        end = a->u->end;
        pthread_mutex_lock(&a->lock);
        a->block[slot] = (pf_ahead_block){a->data[slot], len, a->u->stored, end};
        a->made++;
        pthread_cond_signal(&a->moved);
        pthread_mutex_unlock(&a->lock);
    }
    return NULL;
}

pf_ahead *pf_ahead_start(pf_unpack *u, pf_budget *budget)
{
    pf_ahead *a = pf_alloc(budget, sizeof *a);
    if (!a) {
        return NULL;
    }
    a->budget = budget;
    a->u = u;
    a->made = a->used = 0;
    a->holding = a->stop = false;
    pthread_mutex_init(&a->lock, NULL);
    pthread_cond_init(&a->moved, NULL);
    if (pthread_create(&a->thread, NULL, unpack_blocks, a) != 0) {
        pthread_cond_destroy(&a->moved);
        pthread_mutex_destroy(&a->lock);
        pf_release(budget, a, sizeof *a);
        return NULL;
    }
    return a;
}

pf_ahead_block pf_ahead_next(pf_ahead *a)
{
    pthread_mutex_lock(&a->lock);
    const pf_ahead_block *held = &a->block[a->used % SLOTS];
    if (a->holding && held->end != PF_CODEC_RUNNING) {
        pf_ahead_block last = {NULL, 0, held->stored, held->end};
        pthread_mutex_unlock(&a->lock);
        return last;
    }
    if (a->holding) {
        a->used++;
        a->holding = false;
        pthread_cond_signal(&a->moved);
    }
    while (a->made == a->used) {
        pthread_cond_wait(&a->moved, &a->lock);
    }
    pf_ahead_block b = a->block[a->used % SLOTS];
    a->holding = true;
    pthread_mutex_unlock(&a->lock);
    return b;
}

void pf_ahead_stop(pf_ahead *a)
{
    if (!a) {
        return;
    }
    pthread_mutex_lock(&a->lock);
    a->stop = true;
    pthread_cond_signal(&a->moved);
    pthread_mutex_unlock(&a->lock);
    pthread_join(a->thread, NULL);
    pthread_cond_destroy(&a->moved);
    pthread_mutex_destroy(&a->lock);
    pf_release(a->budget, a, sizeof *a);
}
