/* model.c - see model.h.
 *
 * Thirty-two events of one process follow each other before the next process has its turn. Each event is, by chance, an
 * instant, a sample of a counter, the end of the slice that was begun last on its thread, or a new begin; towards the
 * end only what is open is closed. Arrows wait in a ring: a begin on a worker starts one, the next begin on a stream
 * ends it.
 */
#include "model.h"

#include <stdio.h>
#include <stdlib.h>

enum { PENDING = 1024, TURN = 32 };

static const bench_shape shapes[] = {
    {.name = "interned", .processes = 4, .threads = 5, .args_every = 8, .counter_share = 4, .flow_every = 19},
    {.name = "annotated", .processes = 4, .threads = 5, .args_every = 1, .counter_share = 4, .flow_every = 19},
    {.name = "sequences", .processes = 128, .threads = 4, .split = BENCH_PER_THREAD, .args_every = 8, .flow_every = 19},
    {.name = "sequence", .processes = 4, .threads = 5, .split = BENCH_TOGETHER, .args_every = 8, .flow_every = 19},
    {.name = "async", .processes = 4, .threads = 32, .args_every = 8, .async = true},
    {.name = "counters", .processes = 4, .threads = 5, .counter_share = 100},
    {.name = "flows", .processes = 4, .threads = 3, .flow_every = 1},
    {.name = "disorder",
     .processes = 4,
     .threads = 5,
     .args_every = 8,
     .counter_share = 4,
     .flow_every = 19,
     .absolute = true,
     .delayed = true},
    {.name = "compressed",
     .processes = 4,
     .threads = 5,
     .args_every = 8,
     .counter_share = 4,
     .flow_every = 19,
     .compressed = true},
};

const char *const bench_categories[BENCH_CATEGORIES] = {"compute", "memory", "comm", "io", "runtime", "sched", "user"};
const char *const bench_ops[BENCH_OPS] = {"fused", "plain", "split", "retry"};

typedef struct frame {
    unsigned name, category;
    uint64_t id;
} frame;

typedef struct stack {
    unsigned depth;
    frame frames[BENCH_DEPTH];
} stack;

struct bench_model {
    const bench_shape *shape;
    uint64_t events, made, open, random, ts, slices, flows;
    uint64_t pending[PENDING];
    size_t first_pending, pendings;
    unsigned process, closing; /* threads below `closing` have nothing open any more */
    stack *stacks;
};

const bench_shape *bench_shape_at(size_t i)
{
    return i < sizeof shapes / sizeof *shapes ? &shapes[i] : NULL;
}

const bench_shape *bench_shape_find(const char *name)
{
    for (size_t i = 0; bench_shape_at(i); i++) {
        const char *a = shapes[i].name, *b = name;
        while (*a && *a == *b) {
            a++, b++;
        }
        if (*a == *b) {
            return &shapes[i];
        }
    }
    return NULL;
}

uint64_t bench_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

const char *bench_name(unsigned name, char buf[32])
{
    static const char *const verbs[] = {"Load", "Store",  "MatMul", "AllReduce", "Softmax", "Gather",
                                        "Wait", "Launch", "Copy",   "Norm",      "Scan",    "Sync"};
    static const char *const places[] = {"Embed", "Block", "Head", "Cache", "Queue", "Ring", "Tile", "Batch"};
    snprintf(buf, 32, "%s%s_%03u", verbs[name % 12], places[name / 12 % 8], name);
    return buf;
}

bench_model *bench_model_new(const bench_shape *shape, uint64_t events, uint64_t seed)
{
    bench_model *m = calloc(1, sizeof *m);
    if (!m) {
        return NULL;
    }
    m->shape = shape;
    m->events = events;
    m->random = seed;
    m->ts = BENCH_START;
    m->stacks = calloc((size_t)shape->processes * shape->threads, sizeof *m->stacks);
    if (!m->stacks) {
        free(m);
        return NULL;
    }
    return m;
}

void bench_model_free(bench_model *m)
{
    if (m) {
        free(m->stacks);
        free(m);
    }
}

static void end_slice(bench_model *m, bench_event *e, stack *s)
{
    const frame *f = &s->frames[--s->depth];
    m->open--;
    e->phase = BENCH_END;
    e->name = f->name;
    e->category = f->category;
    e->id = f->id;
}

/* Ends a slice of the first thread that has one. */
static void close_next(bench_model *m, bench_event *e)
{
    while (m->stacks[m->closing].depth == 0) {
        m->closing++;
    }
    e->process = m->closing / m->shape->threads;
    e->thread = m->closing % m->shape->threads;
    end_slice(m, e, &m->stacks[m->closing]);
}

static void begin_slice(bench_model *m, bench_event *e, stack *s, uint64_t dice)
{
    const bench_shape *shape = m->shape;
    e->phase = BENCH_BEGIN;
    e->id = ++m->slices;
    e->args = shape->args_every && m->slices % shape->args_every == 0;
    if (shape->flow_every && e->thread == shape->threads - 1) {
        if (m->pendings) {
            e->flow_in = m->pending[m->first_pending++ % PENDING];
            m->pendings--;
        }
    } else if (shape->flow_every && m->made % shape->flow_every == 0 && m->pendings < PENDING) {
        e->flow_out = ++m->flows;
        m->pending[(m->first_pending + m->pendings++) % PENDING] = e->flow_out;
    }
    e->op = (unsigned)(dice >> 60 & 3);
    s->frames[s->depth++] = (frame){e->name, e->category, e->id};
    m->open++;
}

bool bench_model_next(bench_model *m, bench_event *e)
{
    const bench_shape *shape = m->shape;
    if (m->made == m->events) {
        return false;
    }
    uint64_t dice = bench_random(&m->random), left = m->events - m->made;
    if (m->made % TURN == 0) {
        m->process = (unsigned)(m->made / TURN % shape->processes);
    }
    m->ts += 20 * (1 + (dice & 0xffff) * 59 / 0x10000);
    *e =
        (bench_event){.ts = m->ts, .process = m->process, .thread = (unsigned)((dice >> 16 & 0xffff) % shape->threads)};
    e->name = (unsigned)((dice >> 32 & 0xffff) % BENCH_NAMES);
    e->category = e->name % BENCH_CATEGORIES;
    e->bytes = dice >> 34;
    e->ratio = (double)(dice >> 44) / 1048576;
    stack *s = &m->stacks[e->process * shape->threads + e->thread];
    unsigned kind = (unsigned)((dice >> 48 & 0xfff) * 100 / 4096);
    if (left <= m->open) {
        close_next(m, e);
    } else if (kind < shape->counter_share) {
        e->phase = BENCH_SAMPLE;
        e->counter = kind & 1;
    } else if (kind < shape->counter_share + 3 || left <= m->open + 1) {
        e->phase = BENCH_INSTANT;
    } else if (s->depth && (kind > 53 || s->depth == BENCH_DEPTH)) {
        end_slice(m, e, s);
    } else {
        begin_slice(m, e, s, dice);
    }
    m->made++;
    return true;
}
