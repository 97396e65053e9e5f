/* cli/pass/input_hashes.c - see input_hashes.h. The bytes of each input leave the resident memory again after it.
 */
#include "cli/pass/input_hashes.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/thread.h"
#include "model/trace/trace.h"
#include "postfetto/write.h"

typedef char hash[33];

struct pf_cli_hashes {
    const pf_trace *t;
    atomic_bool unwanted;
    bool threaded, done;
    pthread_t thread;
    size_t count;
    hash list[];
};

static void make(pf_cli_hashes *h)
{
    for (size_t i = 0; i < h->count && !atomic_load_explicit(&h->unwanted, memory_order_relaxed); i++) {
        pf_input_hash(pf_trace_input(h->t, i), h->list[i]);
        pf_trace_leave_input(h->t, i);
    }
}

static void *work(void *arg)
{
    make(arg);
    return NULL;
}

pf_cli_hashes *pf_cli_hashes_start(const pf_trace *t, bool threaded)
{
    size_t count = pf_trace_input_count(t);
    pf_cli_hashes *h = calloc(1, sizeof *h + count * sizeof(hash));
    if (h) {
        h->t = t;
        h->count = count;
        h->threaded = threaded && pf_thread_start(&h->thread, work, h);
    }
    return h;
}

static void wait_for_thread(pf_cli_hashes *h)
{
    if (h->threaded) {
        pthread_join(h->thread, NULL);
        h->threaded = false;
        h->done = true;
    }
}

const char *pf_cli_hashes_at(pf_cli_hashes *h, size_t input)
{
    wait_for_thread(h);
    if (!h->done) {
        make(h);
        h->done = true;
    }
    return h->list[input];
}

void pf_cli_hashes_free(pf_cli_hashes *h)
{
    if (h) {
        atomic_store_explicit(&h->unwanted, true, memory_order_relaxed);
        wait_for_thread(h);
        free(h);
    }
}
