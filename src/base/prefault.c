/* base/prefault.c - see prefault.h.
 *
 * A page fault costs the writer more than the page itself, a range populated by one call about half of that, and one
 * populated by another thread nothing. The ranges wait in a small ring; one that was unmapped meanwhile gives an error
 * that nobody looks at, one that was mapped anew is populated for whoever has it now. A kernel that does not know the
 * call (before 5.14) lets the pages come one by one.
 */
#include "base/prefault.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/thread.h"

#define RING 64u
#define PAGE ((uintptr_t)4096)
#define WORTH (16u << 10) /* bytes */

struct pf_prefaulter {
    pf_worker worker;
    unsigned first, count;
    struct range {
        void *from;
        size_t bytes;
    } ring[RING];
};

void pf_touch(void *from, size_t bytes)
{
    uintptr_t start = (uintptr_t)from & ~(PAGE - 1), end = ((uintptr_t)from + bytes + PAGE - 1) & ~(PAGE - 1);
    if (bytes >= WORTH) {
        (void)madvise((void *)start, end - start, MADV_POPULATE_WRITE);
    }
}

size_t pf_untouch(void *from, size_t bytes)
{
    uintptr_t start = ((uintptr_t)from + PAGE - 1) & ~(PAGE - 1), end = ((uintptr_t)from + bytes) & ~(PAGE - 1);
    return start < end && madvise((void *)start, end - start, MADV_DONTNEED) == 0 ? end - start : 0;
}

static void *touch_all(void *arg)
{
    pf_prefaulter *t = arg;
    pthread_mutex_lock(&t->worker.lock);
    while (!t->worker.stop) {
        if (t->count == 0) {
            pthread_cond_wait(&t->worker.moved, &t->worker.lock);
            continue;
        }
        struct range r = t->ring[t->first];
        t->first = (t->first + 1) % RING;
        t->count--;
        pthread_mutex_unlock(&t->worker.lock);
        pf_touch(r.from, r.bytes);
        pthread_mutex_lock(&t->worker.lock);
    }
    pthread_mutex_unlock(&t->worker.lock);
    return NULL;
}

pf_prefaulter *pf_prefaulter_start(void)
{
    pf_prefaulter *t = calloc(1, sizeof *t);
    if (t && !pf_worker_start(&t->worker, touch_all, t)) {
        free(t);
        t = NULL;
    }
    return t;
}

void pf_prefaulter_stop(pf_prefaulter *t)
{
    if (t) {
        pf_worker_stop(&t->worker);
        free(t);
    }
}

void pf_prefaulter_add(pf_prefaulter *t, void *from, size_t bytes)
{
    pthread_mutex_lock(&t->worker.lock);
    if (t->count < RING) {
        t->ring[(t->first + t->count) % RING] = (struct range){from, bytes};
        t->count++;
        pthread_cond_signal(&t->worker.moved);
    }
    pthread_mutex_unlock(&t->worker.lock);
}
