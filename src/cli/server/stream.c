/* cli/server/stream.c - one thread makes an answer, another one sends it, and between them lies one piece.
 *
 * The HTTP library asks for bytes when its socket takes some; a query has rows when it finds them. So a query has a
 * thread of its own, which makes the next piece while the last one is sent, and then waits: an answer of any size needs
 * the memory of two pieces, and a client that does not read stops the query, first for a while, then for good. Who
 * sends looks at its socket while it waits, so that a query ends soon after its client.
 */
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>

#include "cli/server/server.h"

#define STALL_SECONDS 60
#define LOOK_MS 100

struct pf_stream {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    void (*make)(void *ctx, pf_stream *s);
    void *ctx;
    int socket;
    volatile int cancel; /* read by the maker without the lock */
    bool done;
    pf_buffer piece;
    size_t taken; /* bytes of it */
};

static struct timespec after_ms(long ms)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_sec += ms / 1000;
    t.tv_nsec += ms % 1000 * 1000000;
    if (t.tv_nsec >= 1000000000) {
        t.tv_sec++;
        t.tv_nsec -= 1000000000;
    }
    return t;
}

static void *run(void *arg)
{
    pf_stream *s = arg;
    s->make(s->ctx, s);
    pthread_mutex_lock(&s->lock);
    s->done = true;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

pf_stream *pf_stream_start(void (*make)(void *ctx, pf_stream *s), void *ctx, int socket)
{
    pf_stream *s = calloc(1, sizeof *s);
    pthread_condattr_t monotonic;
    if (!s) {
        return NULL;
    }
    s->make = make;
    s->ctx = ctx;
    s->socket = socket;
    pthread_mutex_init(&s->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&s->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    if (pthread_create(&s->thread, NULL, run, s) != 0) {
        free(s);
        return NULL;
    }
    return s;
}

static void give_up(pf_stream *s, int reason)
{
    if (s->cancel != PF_RPC_ABANDONED) {
        __atomic_store_n(&s->cancel, reason, __ATOMIC_RELAXED);
    }
}

pf_status pf_stream_send(void *stream, const void *bytes, size_t len)
{
    pf_stream *s = stream;
    const struct timespec until = after_ms(STALL_SECONDS * 1000L);
    pthread_mutex_lock(&s->lock);
    while (s->piece.len > 0 && s->cancel != PF_RPC_ABANDONED) {
        if (pthread_cond_timedwait(&s->changed, &s->lock, &until) != 0 && s->piece.len > 0) {
            give_up(s, PF_RPC_ABANDONED);
        }
    }
    bool wanted = s->cancel != PF_RPC_ABANDONED;
    if (wanted) {
        pf_buffer_put(&s->piece, bytes, len);
        pthread_cond_broadcast(&s->changed);
    }
    pthread_mutex_unlock(&s->lock);
    return !wanted ? PF_ERR_CANCELLED : s->piece.failed ? PF_ERR_MEMORY : PF_OK;
}

const volatile int *pf_stream_flag(const pf_stream *s)
{
    return &s->cancel;
}

void pf_stream_cancel(pf_stream *s, int reason)
{
    pthread_mutex_lock(&s->lock);
    give_up(s, reason);
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

static bool is_gone(int socket)
{
    struct pollfd p = {.fd = socket, .events = POLLRDHUP};
    return poll(&p, 1, 0) > 0;
}

ssize_t pf_stream_take(pf_stream *s, char *to, size_t room)
{
    pthread_mutex_lock(&s->lock);
    while (s->piece.len == 0 && !s->done && s->cancel != PF_RPC_ABANDONED) {
        const struct timespec look = after_ms(LOOK_MS);
        if (pthread_cond_timedwait(&s->changed, &s->lock, &look) != 0 && is_gone(s->socket)) {
            give_up(s, PF_RPC_ABANDONED);
        }
    }
    size_t left = s->piece.len - s->taken, len = left < room ? left : room;
    bool lost = len == 0 && (s->cancel == PF_RPC_ABANDONED || s->piece.failed);
    if (len) {
        memcpy(to, s->piece.data + s->taken, len);
    }
    s->taken += len;
    if (len == left) {
        s->piece.len = s->taken = 0;
        pthread_cond_broadcast(&s->changed);
    }
    pthread_mutex_unlock(&s->lock);
    return lost ? -1 : (ssize_t)len;
}

void pf_stream_free(pf_stream *s)
{
    pf_stream_cancel(s, PF_RPC_ABANDONED);
    pthread_join(s->thread, NULL);
    pthread_cond_destroy(&s->changed);
    pthread_mutex_destroy(&s->lock);
    pf_buffer_free(&s->piece);
    free(s);
}
