/* sink.h - where made-up traces go: one growing buffer that is written out whenever it has a megabyte. */
#ifndef BENCH_SINK_H
#define BENCH_SINK_H

#include <stdio.h>

#include "base/buffer.h"
#include "model.h"

enum { BENCH_FLUSH = 1 << 20 };

typedef struct bench_sink {
    FILE *file;
    pf_buffer out;
    bool failed;
} bench_sink;

/* Writes the buffer out if it is full enough, or in any case. */
void bench_sink_flush(bench_sink *s, bool always);

typedef struct bench_binary bench_binary;

/* Binary Perfetto. NULL if out of memory; finish writes what is left and frees. */
bench_binary *bench_binary_new(bench_sink *s, const bench_shape *shape);
void bench_binary_put(bench_binary *b, const bench_event *e);
void bench_binary_finish(bench_binary *b);

/* A profile like PyTorch's: in the order of the starts or of the ends of events, or its kernels alone. */
typedef enum bench_torch_kind {
    BENCH_TORCH = 0,
    BENCH_TORCH_ENDS,
    BENCH_TORCH_KERNELS,
    BENCH_TORCH_KINDS
} bench_torch_kind;

/* Chrome JSON of the same events, and a profile like PyTorch's (complete events with arguments, arrows from launches to
 * kernels). */
void bench_json_begin(bench_sink *s, const bench_shape *shape);
void bench_json_put(bench_sink *s, const bench_event *e);
void bench_json_finish(bench_sink *s);
void bench_torch_write(bench_sink *s, uint64_t events, uint64_t seed, bench_torch_kind kind);

#endif
