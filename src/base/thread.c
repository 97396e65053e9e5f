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
