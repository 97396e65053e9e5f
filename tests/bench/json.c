/* json.c - made-up events as Chrome JSON, one event a line.
 *
 * The first half writes the events of the model with begins and ends. The second half is a profile like PyTorch's: one
 * thread runs operators, each with a few operators inside, each of which launches a kernel on a stream; all are
 * complete events with the arguments that PyTorch gives them. A group of an operator and what is inside is written in
 * the order of the starts, or, as some tracers do, in the order of the ends: then starts are out of order within the
 * thread. Or only the kernels are written, as profilers without the host's events do.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "sink.h"

static void put_ts(pf_buffer *o, uint64_t ns)
{
    pf_buffer_format(o, "%" PRIu64 ".%03u", ns / 1000, (unsigned)(ns % 1000));
}

static void put_header(pf_buffer *o, const char *unit)
{
    pf_buffer_format(o, "{\"displayTimeUnit\":\"%s\",\"traceEvents\":[\n", unit);
}

static void put_thread(pf_buffer *o, unsigned pid, unsigned tid, const char *name)
{
    pf_buffer_format(o, ",\n{\"ph\":\"M\",\"pid\":%u,\"tid\":%u,\"name\":\"thread_name\",\"args\":{\"name\":\"%s\"}}",
                     pid, tid, name);
}

void bench_json_begin(bench_sink *s, const bench_shape *shape)
{
    put_header(&s->out, "ns");
    for (unsigned p = 0; p < shape->processes; p++) {
        pf_buffer_format(&s->out,
                         "%s{\"ph\":\"M\",\"pid\":%u,\"name\":\"process_name\",\"args\":{\"name\":\"rank %u\"}}",
                         p ? ",\n" : "", bench_pid(p), p);
        for (unsigned t = 0; t < shape->threads; t++) {
            put_thread(&s->out, bench_pid(p), bench_tid(p, t), t + 1 < shape->threads ? "worker" : "stream");
        }
    }
}

static void put_arrow(pf_buffer *o, const bench_event *e, const char *phase, uint64_t id)
{
    pf_buffer_format(
        o, ",\n{\"ph\":%s,\"cat\":\"flow\",\"name\":\"dep\",\"id\":%" PRIu64 ",\"pid\":%u,\"tid\":%u,\"ts\":", phase,
        id, bench_pid(e->process), bench_tid(e->process, e->thread));
    put_ts(o, e->ts);
    pf_buffer_text(o, "}");
}

static void put_sample(pf_buffer *o, const bench_event *e)
{
    pf_buffer_format(o, ",\n{\"ph\":\"C\",\"name\":\"%s\",\"pid\":%u,\"ts\":", e->counter ? "load" : "mem_bytes",
                     bench_pid(e->process));
    put_ts(o, e->ts);
    if (e->counter) {
        pf_buffer_format(o, ",\"args\":{\"value\":%.6f}}", e->ratio);
    } else {
        pf_buffer_format(o, ",\"args\":{\"value\":%" PRIu64 "}}", e->bytes);
    }
}

void bench_json_put(bench_sink *s, const bench_event *e)
{
    static const char *const phases[] = {
        [BENCH_BEGIN] = "\"B\"", [BENCH_END] = "\"E\"", [BENCH_INSTANT] = "\"i\",\"s\":\"t\""};
    char name[32];
    pf_buffer *o = &s->out;
    if (e->phase == BENCH_SAMPLE) {
        put_sample(o, e);
    } else {
        pf_buffer_format(o,
                         ",\n{\"ph\":%s,\"cat\":\"%s\",\"name\":\"%s\",\"pid\":%u,\"tid\":%u,\"ts\":", phases[e->phase],
                         bench_categories[e->category], bench_name(e->name, name), bench_pid(e->process),
                         bench_tid(e->process, e->thread));
        put_ts(o, e->ts);
        if (e->args) {
            pf_buffer_format(o, ",\"args\":{\"bytes\":%" PRIu64 ",\"ratio\":%.6f,\"op\":\"%s\"}", e->bytes, e->ratio,
                             bench_ops[e->op]);
        }
        pf_buffer_text(o, "}");
    }
    if (e->flow_out) {
        put_arrow(o, e, "\"s\"", e->flow_out);
    }
    if (e->flow_in) {
        put_arrow(o, e, "\"f\",\"bp\":\"e\"", e->flow_in);
    }
    bench_sink_flush(s, false);
}

void bench_json_finish(bench_sink *s)
{
    pf_buffer_text(&s->out, "\n]}\n");
    bench_sink_flush(s, true);
}

/* ---- a profile like PyTorch's ------------------------------------------------------------------------------------ */

enum { PID = 4242, TID = 4243, STREAM = 7, INSIDE = 6, GAP = 400 };

/* Operators, launches and kernels inside one outer operator, and how long each takes. */
typedef struct group {
    uint64_t start, number;
    unsigned count;
    unsigned names[INSIDE];
    uint64_t starts[INSIDE], durs[INSIDE];
    uint64_t end;
} group;

static void put_complete(pf_buffer *o, const char *category, const char *name, unsigned pid, unsigned tid, uint64_t ts,
                         uint64_t dur)
{
    pf_buffer_format(o, ",\n{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":%u,\"tid\":%u,\"ts\":", category, name,
                     pid, tid);
    put_ts(o, ts);
    pf_buffer_text(o, ",\"dur\":");
    put_ts(o, dur);
}

static void put_operator(pf_buffer *o, unsigned name, uint64_t ts, uint64_t dur, uint64_t number)
{
    char text[32], full[48];
    snprintf(full, sizeof full, "aten::%s", bench_name(name, text));
    put_complete(o, "cpu_op", full, PID, TID, ts, dur);
    pf_buffer_format(o,
                     ",\"args\":{\"External id\":%" PRIu64 ",\"Sequence number\":%" PRIu64
                     ",\"Fwd thread id\":0,\"Record function id\":0,\"Ev Idx\":%" PRIu64 "}}",
                     number, number / 3, number);
}

/* When the kernel of an operator starts, and for how long it runs. */
typedef struct kernel_time {
    uint64_t launch, start, length;
} kernel_time;

static kernel_time time_of_kernel(const group *g, unsigned i, uint64_t *stream_free)
{
    kernel_time k = {.launch = g->starts[i] + GAP, .length = 500 + g->durs[i] / 2};
    k.start = k.launch + 2000 > *stream_free ? k.launch + 2000 : *stream_free;
    *stream_free = k.start + k.length + GAP;
    return k;
}

static void put_kernel(pf_buffer *o, const group *g, unsigned i, const kernel_time *k)
{
    char text[32], full[96];
    uint64_t number = g->number + i;
    snprintf(full, sizeof full, "void at::native::%s<4, float>(int, float*)", bench_name(g->names[i], text));
    put_complete(o, "kernel", full, 0, STREAM, k->start, k->length);
    pf_buffer_format(o,
                     ",\"args\":{\"External id\":%" PRIu64 ",\"queued\":0,\"device\":0,\"context\":1,\"stream\":%u,"
                     "\"correlation\":%" PRIu64
                     ",\"registers per thread\":%u,\"shared memory\":0,\"blocks per SM\":%u.%u,"
                     "\"grid\":[%u,1,1],\"block\":[128,1,1],\"est. achieved occupancy %%\":%u}}",
                     number, STREAM, number, 16 + g->names[i] % 48, g->names[i] % 9, g->names[i] % 10,
                     1 + g->names[i] * 4, g->names[i] % 101);
}

/* The launch inside an operator and the kernel that it starts, with the arrow between them. */
static void put_launch(pf_buffer *o, const group *g, unsigned i, uint64_t *stream_free)
{
    const kernel_time k = time_of_kernel(g, i, stream_free);
    uint64_t number = g->number + i, dur = g->durs[i] - 2 * GAP;
    put_complete(o, "cuda_runtime", "cudaLaunchKernel", PID, TID, k.launch, dur);
    pf_buffer_format(o, ",\"args\":{\"External id\":%" PRIu64 ",\"cbid\":211,\"correlation\":%" PRIu64 "}}", number,
                     number);
    pf_buffer_format(o, ",\n{\"ph\":\"s\",\"id\":%" PRIu64 ",\"pid\":%u,\"tid\":%u,\"ts\":", number, PID, TID);
    put_ts(o, k.launch);
    pf_buffer_text(o, ",\"cat\":\"ac2g\",\"name\":\"ac2g\"}");
    put_kernel(o, g, i, &k);
    pf_buffer_format(o, ",\n{\"ph\":\"f\",\"id\":%" PRIu64 ",\"pid\":0,\"tid\":%u,\"ts\":", number, STREAM);
    put_ts(o, k.start);
    pf_buffer_text(o, ",\"cat\":\"ac2g\",\"name\":\"ac2g\",\"bp\":\"e\"}");
}

static group make_group(uint64_t start, uint64_t number, uint64_t *random)
{
    group g = {.start = start, .number = number, .count = 1 + (unsigned)(bench_random(random) % INSIDE)};
    uint64_t ts = start + GAP;
    for (unsigned i = 0; i < g.count; i++) {
        uint64_t dice = bench_random(random);
        g.names[i] = (unsigned)(dice % BENCH_NAMES);
        g.starts[i] = ts;
        g.durs[i] = 3 * GAP + (dice >> 32) % 20000;
        ts += g.durs[i] + GAP;
    }
    g.end = ts;
    return g;
}

static void put_group(pf_buffer *o, const group *g, bench_torch_kind kind, uint64_t *stream_free)
{
    bool by_end = kind == BENCH_TORCH_ENDS;
    if (kind == BENCH_TORCH_KERNELS) {
        for (unsigned i = 0; i < g->count; i++) {
            const kernel_time k = time_of_kernel(g, i, stream_free);
            put_kernel(o, g, i, &k);
        }
        return;
    }
    if (!by_end) {
        put_operator(o, g->names[0], g->start, g->end - g->start, g->number);
    }
    for (unsigned i = 0; i < g->count; i++) {
        if (!by_end) {
            put_operator(o, g->names[i], g->starts[i], g->durs[i], g->number + i);
        }
        put_launch(o, g, i, stream_free);
        if (by_end) {
            put_operator(o, g->names[i], g->starts[i], g->durs[i], g->number + i);
        }
    }
    if (by_end) {
        put_operator(o, g->names[0], g->start, g->end - g->start, g->number);
    }
}

void bench_torch_write(bench_sink *s, uint64_t events, uint64_t seed, bench_torch_kind kind)
{
    pf_buffer *o = &s->out;
    uint64_t random = seed, ts = BENCH_START, stream_free = BENCH_START, number = 1, made = 0;
    put_header(o, "ms");
    pf_buffer_format(o, "{\"ph\":\"M\",\"pid\":%u,\"name\":\"process_name\",\"args\":{\"name\":\"python\"}}", PID);
    put_thread(o, PID, TID, "thread 4243 (python)");
    put_thread(o, 0, STREAM, "stream 7 ");
    while (made < events && !s->failed) {
        group g = make_group(ts, number, &random);
        put_group(o, &g, kind, &stream_free);
        made += kind == BENCH_TORCH_KERNELS ? g.count : 1 + 5 * (uint64_t)g.count;
        number += g.count + 1;
        ts = g.end + GAP;
        bench_sink_flush(s, false);
    }
    bench_json_finish(s);
}
