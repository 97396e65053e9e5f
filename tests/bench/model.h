/* model.h - the made-up program whose traces the bench reads: threads with nested slices, instants, counters, arrows.
 *
 * Events come out one by one, in time order, with unique times. A sink turns them into a format; what they say does not
 * depend on it. The same shape, number of events and seed always give the same events.
 */
#ifndef BENCH_MODEL_H
#define BENCH_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BENCH_NAMES = 192, BENCH_CATEGORIES = 7, BENCH_OPS = 4, BENCH_DEPTH = 7 };

/* Which packets share a sequence. */
typedef enum bench_split { BENCH_PER_PROCESS, BENCH_PER_THREAD, BENCH_TOGETHER } bench_split;

/* What a kind of trace is like. */
typedef struct bench_shape {
    const char *name;
    unsigned processes, threads; /* threads of each process; the last one is its stream, where arrows end */
    bench_split split;
    unsigned args_every;    /* every so manieth begin has arguments; 0 = none */
    unsigned counter_share; /* counter samples among 100 events */
    unsigned flow_every;    /* every so manieth event number may start an arrow; 0 = none */
    bool async;             /* slices lie on tracks of the process, not of threads */
    bool absolute;          /* times are not deltas to the last one of the sequence */
    bool delayed;           /* one event in 16 is written up to 64 events too late */
    bool compressed;        /* packets inside packets */
} bench_shape;

/* NULL if there is no such kind. */
const bench_shape *bench_shape_find(const char *name);
const bench_shape *bench_shape_at(size_t i); /* NULL after the last one */

typedef enum bench_phase { BENCH_BEGIN, BENCH_END, BENCH_INSTANT, BENCH_SAMPLE } bench_phase;

typedef struct bench_event {
    bench_phase phase;
    uint64_t ts; /* ns */
    unsigned process, thread;
    unsigned name, category;    /* all but SAMPLE */
    bool args;                  /* BEGIN */
    uint64_t bytes;             /* argument; value of counter 0 */
    double ratio;               /* argument; value of counter 1 */
    unsigned op;                /* argument */
    unsigned counter;           /* SAMPLE: 0 or 1 */
    uint64_t flow_out, flow_in; /* BEGIN; 0 = none */
    uint64_t id;                /* BEGIN, END: number of the slice */
} bench_event;

typedef struct bench_model bench_model;

/* NULL if out of memory. */
bench_model *bench_model_new(const bench_shape *shape, uint64_t events, uint64_t seed);
void bench_model_free(bench_model *m);
bool bench_model_next(bench_model *m, bench_event *e);

const char *bench_name(unsigned name, char buf[32]);
extern const char *const bench_categories[BENCH_CATEGORIES];
extern const char *const bench_ops[BENCH_OPS];

/* A small generator of random numbers (splitmix64). */
uint64_t bench_random(uint64_t *state);

#define BENCH_START UINT64_C(1000000000000)
static inline unsigned bench_pid(unsigned process)
{
    return 1000 + 1000 * process;
}
static inline unsigned bench_tid(unsigned process, unsigned thread)
{
    return bench_pid(process) + 1 + thread;
}

#endif
