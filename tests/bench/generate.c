/* generate.c - makes large traces, fast and always the same.
 *
 *     bench_generate KIND EVENTS OUT [SEED]
 *
 * KIND is one of the shapes of model.c (a Perfetto trace; OUT ending in .json gives the same events as Chrome JSON), or
 * `torch`, `torch_ends` or `torch_kernels`: JSON like PyTorch's profiler's, in the order of the starts or of the ends
 * of events, or its kernels alone (EVENTS are lines then). OUT `-` is standard output. A gigabyte takes a few seconds.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sink.h"

enum { HELD = 4, LATEST = 64, HOLD_ONE_IN = 16 };

void bench_sink_flush(bench_sink *s, bool always)
{
    if (s->out.failed) {
        s->failed = true;
    }
    if (s->out.len && (always || s->out.len >= BENCH_FLUSH)) {
        s->failed |= fwrite(s->out.data, 1, s->out.len, s->file) != s->out.len;
        s->out.len = 0;
    }
}

/* Where events go: a Perfetto trace, or JSON if there is none. */
typedef struct target {
    bench_sink *sink;
    bench_binary *binary;
} target;

static void put(target t, const bench_event *e)
{
    if (t.binary) {
        bench_binary_put(t.binary, e);
    } else {
        bench_json_put(t.sink, e);
    }
}

/* Holds some events back, so that they come out too late. */
typedef struct delay {
    uint64_t random, now;
    uint64_t until[HELD]; /* 0 = free */
    bench_event held[HELD];
} delay;

static void put_delayed(delay *d, target t, const bench_event *e)
{
    uint64_t dice = bench_random(&d->random);
    unsigned slot = (unsigned)(dice >> 32) % HELD;
    d->now++;
    if (dice % HOLD_ONE_IN == 0 && d->until[slot] == 0) {
        d->held[slot] = *e;
        d->until[slot] = d->now + 1 + (dice >> 40) % LATEST;
    } else {
        put(t, e);
    }
    for (unsigned i = 0; i < HELD; i++) {
        if (d->until[i] && d->until[i] <= d->now) {
            put(t, &d->held[i]);
            d->until[i] = 0;
        }
    }
}

static void put_all(target t, const bench_shape *shape, bench_model *m, uint64_t seed)
{
    delay d = {.random = seed};
    bench_event e;
    while (!t.sink->failed && bench_model_next(m, &e)) {
        if (shape->delayed) {
            put_delayed(&d, t, &e);
        } else {
            put(t, &e);
        }
    }
    for (unsigned i = 0; i < HELD; i++) {
        if (d.until[i]) {
            put(t, &d.held[i]);
        }
    }
}

static void write_binary(bench_sink *s, const bench_shape *shape, bench_model *m, uint64_t seed)
{
    bench_binary *b = bench_binary_new(s, shape);
    if (!b) {
        s->failed = true;
        return;
    }
    put_all((target){s, b}, shape, m, seed);
    bench_binary_finish(b);
}

static void write_json(bench_sink *s, const bench_shape *shape, bench_model *m, uint64_t seed)
{
    bench_json_begin(s, shape);
    put_all((target){s, NULL}, shape, m, seed);
    bench_json_finish(s);
}

static bool ends_with(const char *text, const char *end)
{
    size_t len = strlen(text), end_len = strlen(end);
    return len >= end_len && strcmp(text + len - end_len, end) == 0;
}

static int usage(void)
{
    fputs("usage: bench_generate KIND EVENTS OUT [SEED]; kinds: torch torch_ends torch_kernels", stderr);
    for (size_t i = 0; bench_shape_at(i); i++) {
        fprintf(stderr, " %s", bench_shape_at(i)->name);
    }
    fputc('\n', stderr);
    return 2;
}

/* BENCH_TORCH_KINDS: none of them. */
static bench_torch_kind torch_kind(const char *name)
{
    static const char *const names[BENCH_TORCH_KINDS] = {"torch", "torch_ends", "torch_kernels"};
    unsigned kind = 0;
    while (kind < BENCH_TORCH_KINDS && strcmp(name, names[kind]) != 0) {
        kind++;
    }
    return (bench_torch_kind)kind;
}

int main(int argc, char **argv)
{
    if (argc < 4 || argc > 5) {
        return usage();
    }
    const bench_torch_kind torch = torch_kind(argv[1]);
    const bench_shape *shape = bench_shape_find(argv[1]);
    uint64_t events = strtoull(argv[2], NULL, 10), seed = argc == 5 ? strtoull(argv[4], NULL, 10) : 1;
    bench_model *m = shape ? bench_model_new(shape, events, seed) : NULL;
    if (torch == BENCH_TORCH_KINDS && !m) {
        return usage();
    }
    bool terminal = strcmp(argv[3], "-") == 0;
    bench_sink s = {.file = terminal ? stdout : fopen(argv[3], "wb")};
    if (!s.file) {
        fprintf(stderr, "bench_generate: %s: %s\n", argv[3], strerror(errno));
        bench_model_free(m);
        return 1;
    }
    if (torch != BENCH_TORCH_KINDS) {
        bench_torch_write(&s, events, seed, torch);
    } else if (ends_with(argv[3], ".json")) {
        write_json(&s, shape, m, seed);
    } else {
        write_binary(&s, shape, m, seed);
    }
    s.failed |= fclose(s.file) != 0;
    pf_buffer_free(&s.out);
    bench_model_free(m);
    if (s.failed) {
        fprintf(stderr, "bench_generate: %s could not be written\n", argv[3]);
    }
    return s.failed ? 1 : 0;
}
