/* read/input/read_ahead.c - a ring of blocks between the unpacking thread and the reader.
 *
 * `made` and `used` count blocks; block i lies in slot i mod the ring's size. The thread fills slot `made` while fewer
 * than all slots are full, the reader holds slot `used` until the next one is its own. Nothing else is shared, so the
 * bytes delivered do not depend on who is faster.
 *
 * Blocks are read where they were unpacked. A packet or an event that lies across two of them is the reason why each
 * slot has room in front of its block: the few bytes that the reader did not take are put there, and the reader goes on
 * as if the two were one piece.
 *
 * Without a thread the ring has one slot, filled when its block is asked for.
 */
#include "read/input/source.h"

#include <string.h>

#include "base/files/file.h"
#include "base/thread.h"

#define SLOTS 3u

struct pf_ahead {
    pf_budget *budget;
    size_t bytes; /* of this allocation */
    pf_unpack *u;
    size_t room; /* of a block */
    unsigned slots;
    bool threaded;
    pf_worker worker;
    uint64_t made, used;
    bool holding; /* the reader holds block `used` */
    pf_ahead_block block[SLOTS];
    uint8_t memory[];
};

static uint8_t *slot_data(pf_ahead *a, size_t slot)
{
    return a->memory + slot * (PF_AHEAD_HEAD + a->room + PF_SLOP) + PF_AHEAD_HEAD;
}

static pf_ahead_block fill(pf_ahead *a, size_t slot)
{
    uint8_t *data = slot_data(a, slot);
    size_t len = pf_unpack_fill(a->u, data, a->room);
    return (pf_ahead_block){data, len, a->u->stored, a->u->end};
}

static void *unpack_blocks(void *arg)
{
    pf_ahead *a = arg;
    pf_codec_end end = PF_CODEC_RUNNING;
    while (end == PF_CODEC_RUNNING) {
        pthread_mutex_lock(&a->worker.lock);
        while (!a->worker.stop && a->made - a->used == a->slots) {
            pthread_cond_wait(&a->worker.moved, &a->worker.lock);
        }
        bool stop = a->worker.stop;
        size_t slot = a->made % a->slots;
        pthread_mutex_unlock(&a->worker.lock);
        if (stop) {
            break;
        }
        pf_ahead_block b = fill(a, slot);
        end = b.end;
        pthread_mutex_lock(&a->worker.lock);
        a->block[slot] = b;
        a->made++;
        pthread_cond_signal(&a->worker.moved);
        pthread_mutex_unlock(&a->worker.lock);
    }
    return NULL;
}

static pf_ahead *start_with(pf_unpack *u, size_t room, unsigned slots, pf_budget *budget)
{
    size_t bytes = sizeof(pf_ahead) + slots * (PF_AHEAD_HEAD + room + PF_SLOP);
    pf_ahead *a = pf_alloc(budget, bytes);
    if (a) {
        *a = (pf_ahead){.budget = budget, .bytes = bytes, .u = u, .room = room, .slots = slots};
    }
    return a;
}

pf_ahead *pf_ahead_start(pf_unpack *u, size_t bytes, bool thread, pf_budget *budget)
{
    pf_ahead *a = thread ? start_with(u, bytes, SLOTS, budget) : NULL;
    if (!a) {
        return start_with(u, bytes, 1, budget);
    }
    a->threaded = pf_worker_start(&a->worker, unpack_blocks, a);
    return a;
}

static pf_ahead_block next_made(pf_ahead *a, const uint8_t *rest, size_t len)
{
    pthread_mutex_lock(&a->worker.lock);
    uint64_t number = a->used + a->holding;
    while (a->made == number) {
        pthread_cond_wait(&a->worker.moved, &a->worker.lock);
    }
    pf_ahead_block b = a->block[number % a->slots];
    pthread_mutex_unlock(&a->worker.lock);
    if (len > 0) {
        memcpy(b.data - len, rest, len);
    }
    pthread_mutex_lock(&a->worker.lock);
    a->used = number;
    a->holding = true;
    pthread_cond_signal(&a->worker.moved);
    pthread_mutex_unlock(&a->worker.lock);
    return b;
}

pf_ahead_block pf_ahead_next(pf_ahead *a, const uint8_t *rest, size_t len)
{
    if (a->threaded) {
        return next_made(a, rest, len);
    }
    if (len > 0) {
        memmove(slot_data(a, 0) - len, rest, len);
    }
    return fill(a, 0);
}

void pf_ahead_stop(pf_ahead *a)
{
    if (!a) {
        return;
    }
    if (a->threaded) {
        pf_worker_stop(&a->worker);
    }
    pf_release(a->budget, a, a->bytes);
}
