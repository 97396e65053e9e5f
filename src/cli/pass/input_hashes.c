/* cli/pass/input_hashes.c - a crew of one helper and one piece of work. The bytes of each input leave the resident
 * memory again after it. */
#include <stdatomic.h>
#include <stdlib.h>

#include "base/threads/threads.h"
#include "cli/pass/pass.h"
#include "model/trace/trace.h"

typedef char hash[33];

struct pf_cli_hashes {
    const pf_trace *t;
    pf_budget budget;
    pf_crew *crew;
    atomic_bool unwanted;
    bool done;
    size_t count;
    hash list[];
};

static void make(void *ctx, unsigned slot)
{
    pf_cli_hashes *h = ctx;
    for (size_t i = 0; i < h->count && !atomic_load_explicit(&h->unwanted, memory_order_relaxed); i++) {
        pf_trace_hash_input(h->t, i, h->list[i]);
    }
}

pf_cli_hashes *pf_cli_hashes_start(const pf_trace *t, bool threaded)
{
    size_t count = pf_trace_input_count(t);
    pf_cli_hashes *h = calloc(1, sizeof *h + count * sizeof(hash));
    if (h) {
        h->t = t;
        h->count = count;
        pf_budget_init(&h->budget, NULL);
        h->crew = pf_crew_start(threaded, 1, make, h, &h->budget);
    }
    if (!h || !h->crew) {
        pf_cli_hashes_free(h);
        return NULL;
    }
    pf_crew_put(h->crew);
    return h;
}

const char *pf_cli_hashes_at(pf_cli_hashes *h, size_t input)
{
    if (!h->done) {
        pf_crew_take(h->crew);
        h->done = true;
    }
    return h->list[input];
}

void pf_cli_hashes_free(pf_cli_hashes *h)
{
    if (h) {
        atomic_store_explicit(&h->unwanted, true, memory_order_relaxed);
        pf_crew_stop(h->crew);
        pf_budget_end(&h->budget);
        free(h);
    }
}
