/* pickle_runs.h - the machine of pickles on bytes, apart from the reader. */
#ifndef TEST_READ_TINYGRAD_PICKLE_RUNS_H
#define TEST_READ_TINYGRAD_PICKLE_RUNS_H

#include "pickles.h"
#include "read/tinygrad/pickle/pickle.h"

#define DECIMAL "cdecimal\nDecimal\n"

typedef struct machine {
    pf_budget budget;
    pf_arena arena;
    pf_pickle_values v;
    pf_status status;
    pf_error err;
    uint32_t top;
} machine;

static inline void run(machine *m, const char *code, size_t len, pf_pickle_item item, void *ctx)
{
    *m = (machine){.top = PF_NONE};
    pf_budget_init(&m->budget, NULL);
    pf_arena_init(&m->arena, &m->budget);
    const pf_bytes input = {(const uint8_t *)code, len};
    cr_assert_eq(pf_pickle_values_open(&m->v, input, &m->budget, &m->arena, &m->err), PF_OK);
    m->status = pf_pickle_read(&m->v, item, ctx, NULL, &m->top, &m->err);
}

static inline void finish(machine *m)
{
    pf_pickle_values_close(&m->v);
    pf_arena_free(&m->arena);
    cr_expect_eq(m->budget.used, 0);
}

#endif
