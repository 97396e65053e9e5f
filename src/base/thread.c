/* base/thread.c - see thread.h. */
#include "base/thread.h"

#include <stddef.h>

/* Frames of a sanitizer's build included: those are several times larger. */
#define STACK ((size_t)1 << 20)

bool pf_thread_start(pthread_t *thread, void *(*body)(void *), void *arg)
{
    pthread_attr_t attr;
    if (pthread_attr_init(&attr) != 0) {
        return false;
    }
    bool started = pthread_attr_setstacksize(&attr, STACK) == 0 && pthread_create(thread, &attr, body, arg) == 0;
    pthread_attr_destroy(&attr);
    return started;
}

static void forget(pf_worker *w)
{
    pthread_cond_destroy(&w->moved);
    pthread_mutex_destroy(&w->lock);
}

bool pf_worker_start(pf_worker *w, void *(*body)(void *), void *arg)
{
    w->stop = false;
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->moved, NULL);
    bool started = pf_thread_start(&w->thread, body, arg);
    if (!started) {
        forget(w);
    }
    return started;
}

void pf_worker_stop(pf_worker *w)
{
    pthread_mutex_lock(&w->lock);
    w->stop = true;
    pthread_cond_broadcast(&w->moved);
    pthread_mutex_unlock(&w->lock);
    pthread_join(w->thread, NULL);
    forget(w);
}
