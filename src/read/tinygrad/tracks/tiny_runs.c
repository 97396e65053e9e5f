/* read/tinygrad/tracks/tiny_runs.c - which execution a kernel slice is. The host notes an execution when it submits
 * it, the device a range when it runs; nothing but device and name joins the two, so the n-th range of a name on a
 * device is the n-th execution of that name there. */
#include "read/tinygrad/tracks/tiny_tracks.h"

/* A device and a name, as the number of a queue: l->map. */
typedef struct queues {
    uint32_t count;
    uint32_t *next; /* by queue: the execution that is due, as row of tinygrad_run */
    uint32_t *last;
    uint32_t *after; /* by row of tinygrad_run - first_run: the execution after it in its queue */
    uint32_t first_run;
} queues;

/* The key of a device and a name without colours. */
static pf_status key_of(pf_tiny_tracks *l, uint32_t event, uint32_t name, uint64_t *key)
{
    uint32_t plain;
    PF_TRY(pf_tiny_plain_name(l, name, &plain));
    *key = (uint64_t)pf_tiny_event_ref(l, EVENT_DEVICE, event) << 32 | plain;
    return PF_OK;
}

static pf_status enqueue(pf_tiny_tracks *l, queues *q, uint32_t run)
{
    const pf_side_table *runs = l->p->table[PF_TINY_RUN];
    uint64_t key;
    PF_TRY(key_of(l, *pf_side_ref(runs, RUN_EVENT, run), *pf_side_ref(runs, RUN_KERNEL, run), &key));
    uint32_t n = pf_map_get(&l->map, key);
    if (n == PF_NONE) {
        n = q->count++;
        PF_TRY(pf_map_put(&l->map, key, n, l->p->err));
        q->next[n] = run;
    } else {
        q->after[q->last[n] - q->first_run] = run;
    }
    q->last[n] = run;
    q->after[run - q->first_run] = PF_NONE;
    return PF_OK;
}

static pf_status match(pf_tiny_tracks *l, queues *q, uint32_t event)
{
    uint64_t key;
    PF_TRY(key_of(l, event, pf_tiny_event_ref(l, EVENT_NAME, event), &key));
    uint32_t n = pf_map_get(&l->map, key);
    if (n == PF_NONE || q->next[n] == PF_NONE) {
        return PF_OK;
    }
    PF_TRY(pf_tiny_put(l->p, PF_TINY_EXECUTION, PF_CELLS(event, q->next[n])));
    q->next[n] = q->after[q->next[n] - q->first_run];
    return PF_OK;
}

pf_status pf_tiny_match_runs(pf_tiny_tracks *l)
{
    const pf_side_table *runs = l->p->table[PF_TINY_RUN];
    queues q = {.first_run = pf_tiny_first_of(runs, RUN_EVENT, l->first)};
    uint32_t count = runs->count - q.first_run;
    PF_TRY(PF_ARENA_NEW(&l->arena, q.next, 3 * (size_t)count, l->p->err));
    q.last = q.next + count;
    q.after = q.last + count;
    for (uint32_t i = 0; i < count; i++) {
        PF_TRY(enqueue(l, &q, q.first_run + i));
    }
    for (uint32_t i = l->first; count && i < l->first + l->count; i++) {
        uint32_t kind = pf_tiny_event_ref(l, EVENT_KIND, i);
        bool ranged = kind == l->p->kinds[PF_TINY_KIND_RANGE] || kind == l->p->kinds[PF_TINY_KIND_ENTRY];
        PF_TRY(ranged ? match(l, &q, i) : PF_OK);
    }
    return PF_OK;
}
