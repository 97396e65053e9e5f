/* read/tinygrad/timeline/tiny_runs.c - which execution a kernel slice is. The host notes an execution when it submits
 * it, the device a range when it runs; nothing but device and name joins the two, so the n-th range of a name on a
 * device is the n-th execution of that name there. */
#include "read/tinygrad/timeline/tiny_timeline.h"

/* A device and a name, as the number of a queue. */
typedef struct queues {
    pf_map number_of; /* device and plain name -> queue */
    uint32_t count;
    uint32_t *next; /* by queue: the execution that is due, as row of tinygrad_run */
    uint32_t *last;
    uint32_t *after; /* by row of tinygrad_run - first_run: the execution after it in its queue */
    uint32_t first_run, runs;
} queues;

static uint64_t key_of(uint32_t device, uint32_t name)
{
    return (uint64_t)device << 32 | name;
}

static uint32_t device_of(const pf_tiny_timeline *l, uint32_t event)
{
    return *pf_side_ref(l->p->table[PF_TINY_EVENT], EVENT_DEVICE, event);
}

static pf_status enqueue(pf_tiny_timeline *l, queues *q, uint32_t run, pf_error *err)
{
    const pf_side_table *runs = l->p->table[PF_TINY_RUN];
    uint32_t name = *pf_side_ref(runs, RUN_KERNEL, run), plain;
    pf_status st = pf_tiny_plain_name(l, name, &plain, err);
    if (st != PF_OK) {
        return st;
    }
    uint64_t key = key_of(device_of(l, *pf_side_ref(runs, RUN_EVENT, run)), plain);
    uint32_t n = pf_map_get(&q->number_of, key);
    if (n == PF_NONE) {
        n = q->count++;
        if (!pf_map_set(&q->number_of, key, n)) {
            return pf_budget_refused(&l->t->budget, 0, err);
        }
        q->next[n] = run;
    } else {
        q->after[q->last[n] - q->first_run] = run;
    }
    q->last[n] = run;
    q->after[run - q->first_run] = PF_NONE;
    return PF_OK;
}

static pf_status match(pf_tiny_timeline *l, queues *q, uint32_t event, pf_error *err)
{
    pf_side_table *events = l->p->table[PF_TINY_EVENT];
    uint32_t plain, row;
    pf_status st = pf_tiny_plain_name(l, *pf_side_ref(events, EVENT_NAME, event), &plain, err);
    uint32_t n = st == PF_OK ? pf_map_get(&q->number_of, key_of(device_of(l, event), plain)) : PF_NONE;
    if (n == PF_NONE || q->next[n] == PF_NONE) {
        return st;
    }
    st = pf_tiny_add_row(l->p, PF_TINY_EXECUTION, &row, err);
    if (st == PF_OK) {
        pf_tiny_set_ref(l->p, PF_TINY_EXECUTION, EXECUTION_EVENT, row, event);
        pf_tiny_set_ref(l->p, PF_TINY_EXECUTION, EXECUTION_RUN, row, q->next[n]);
        l->run_of[event - l->first] = q->next[n];
        q->next[n] = q->after[q->next[n] - q->first_run];
    }
    return st;
}

static pf_status match_all(pf_tiny_timeline *l, queues *q, pf_error *err)
{
    const pf_side_table *events = l->p->table[PF_TINY_EVENT];
    pf_status st = PF_OK;
    for (uint32_t i = 0; st == PF_OK && i < q->runs; i++) {
        st = enqueue(l, q, q->first_run + i, err);
    }
    for (uint32_t i = 0; st == PF_OK && q->runs && i < l->count; i++) {
        uint32_t kind = *pf_side_ref(events, EVENT_KIND, l->first + i);
        bool ranged = kind == l->p->kinds[PF_TINY_RANGE] || kind == l->p->kinds[PF_TINY_ENTRY];
        st = ranged ? match(l, q, l->first + i, err) : PF_OK;
    }
    return st;
}

pf_status pf_tiny_match_runs(pf_tiny_timeline *l, pf_error *err)
{
    const pf_side_table *runs = l->p->table[PF_TINY_RUN];
    queues q = {.first_run = runs->count};
    while (q.first_run > 0 && *pf_side_ref(runs, RUN_EVENT, q.first_run - 1) >= l->first) {
        q.first_run--;
    }
    q.runs = runs->count - q.first_run;
    size_t room = q.runs, bytes = room * 3 * sizeof *q.next;
    q.next = pf_alloc(&l->t->budget, bytes);
    if (!q.next) {
        return pf_budget_refused(&l->t->budget, bytes, err);
    }
    q.last = q.next + room;
    q.after = q.last + room;
    pf_map_init(&q.number_of, &l->t->budget);
    pf_status st = match_all(l, &q, err);
    pf_map_free(&q.number_of);
    pf_release(&l->t->budget, q.next, bytes);
    return st;
}
