/* query/session/memory.c - memory of SQLite's for what functions make, within the session's bound. */
#include "query/session/memory.h"

#include <string.h>

bool pf_sql_affords(pf_query *q, uint64_t bytes)
{
    if (q->cancel && __atomic_load_n(q->cancel, __ATOMIC_RELAXED)) {
        pf_fail(&q->failure, PF_ERR_CANCELLED, "cancelled");
        return false;
    }
    int64_t heap = sqlite3_memory_used() - q->heap_at_open;
    uint64_t used = q->data.budget->used + (heap > 0 ? (uint64_t)heap : 0), limit = q->data.budget->limits.memory;
    if (used <= limit && bytes <= limit - used) {
        return true;
    }
    pf_fail(&q->failure, PF_ERR_LIMIT,
            "the query needs more memory than --max-memory allows; raise it or ask for less");
    return false;
}

bool pf_sql_grow(pf_query *q, void **list, uint64_t count, uint64_t *room, size_t size)
{
    if (count < *room) {
        return true;
    }
    uint64_t wanted = *room ? 2 * *room : 16;
    void *larger = pf_sql_affords(q, wanted * size) ? sqlite3_realloc64(*list, wanted * size) : NULL;
    if (larger) {
        *list = larger;
        *room = wanted;
    }
    return larger != NULL;
}

void *pf_sql_zeros(pf_query *q, uint64_t count, size_t size)
{
    uint64_t bytes = (count ? count : 1) * size;
    void *zeros = pf_sql_affords(q, bytes) ? sqlite3_malloc64(bytes) : NULL;
    return zeros ? memset(zeros, 0, bytes) : NULL;
}

void *pf_sql_state(sqlite3_context *ctx, size_t size)
{
    void **state = sqlite3_aggregate_context(ctx, sizeof *state);
    if (state && !*state) {
        *state = pf_sql_zeros(pf_sql_session(ctx), 1, size);
    }
    if (!state || !*state) {
        sqlite3_result_error_nomem(ctx);
        return NULL;
    }
    return *state;
}

void *pf_sql_take_state(sqlite3_context *ctx)
{
    void **state = sqlite3_aggregate_context(ctx, 0), *taken = state ? *state : NULL;
    if (state) {
        *state = NULL;
    }
    return taken;
}

static void free_list(void *state)
{
    if (state) {
        void *list;
        memcpy(&list, state, sizeof list);
        sqlite3_free(list);
    }
    sqlite3_free(state);
}

void pf_sql_result_list(sqlite3_context *ctx, const char *tag)
{
    sqlite3_result_pointer(ctx, pf_sql_take_state(ctx), tag, free_list);
}
