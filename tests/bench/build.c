/* build.c - times the builder and the argument columns, with the public interface alone.
 *
 *     bench_build slices COUNT OUT    a trace of so many slices with two arguments each: built, written to OUT (not
 *                                     synced), and read again
 *     bench_build args FILE JOBS      argument columns of a PyTorch trace
 *
 * Prints one line of JSON with the seconds of each step. "arg_bytes" is what the arguments are in the file: bytes from
 * the brace that opens an args object to the one that closes it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "postfetto/postfetto.h"

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- slices ------------------------------------------------------------------------------------------------------ */

enum { KERNELS = 64, STREAMS = 8 };

static pf_trace *build(uint32_t count, pf_error *err)
{
    pf_builder *b = pf_builder_new(NULL);
    uint32_t process = b ? pf_build_process(b, 1, PF_STR("bench")) : PF_NONE, stream[STREAMS];
    char kernel[KERNELS][32];
    pf_trace *t = NULL;
    for (unsigned i = 0; i < KERNELS; i++) {
        snprintf(kernel[i], sizeof kernel[i], "kernel_%u", i);
    }
    for (unsigned i = 0; b && i < STREAMS; i++) {
        stream[i] = pf_build_thread_track(b, pf_build_thread(b, process, 100 + i, PF_STR("stream")));
    }
    for (uint32_t i = 0; b && i < count; i++) {
        const char *name = kernel[i % KERNELS];
        pf_build_slice(b, stream[i % STREAMS], (int64_t)i * 1000 + i % 7, 700 + i % 5000, (pf_str){name, strlen(name)});
        pf_build_arg_int(b, PF_STR("correlation"), i);
        pf_build_arg_real(b, PF_STR("occupancy"), (double)(i % 100) / 100);
    }
    if (!b) {
        pf_fail(err, PF_ERR_MEMORY, "out of memory");
    } else {
        pf_builder_finish(b, &t, err);
    }
    pf_builder_free(b);
    return t;
}

static pf_status run_slices(uint32_t count, const char *out, pf_error *err)
{
    uint64_t written = 0;
    pf_write_options wo = pf_write_options_default();
    pf_read_options ro = pf_read_options_default();
    wo.sync = false;
    wo.written = &written;
    unlink(out);
    double start = now();
    pf_trace *t = build(count, err);
    double built = now();
    pf_status st = t ? pf_convert_pftrace(t, out, &wo, err) : err->code;
    double wrote = now();
    pf_trace_free(t);
    double before = now();
    st = st == PF_OK ? pf_read(&out, 1, &ro, &t, err) : st;
    double after = now();
    if (st == PF_OK) {
        printf("{\"slices\": %u, \"bytes\": %llu, \"build_seconds\": %.6f, \"write_seconds\": %.6f, "
               "\"import_seconds\": %.6f}\n",
               pf_trace_slices(t)->count, (unsigned long long)written, built - start, wrote - built, after - before);
        pf_trace_free(t);
    }
    return st;
}

/* ---- argument columns -------------------------------------------------------------------------------------------- */

/* The bytes of the args objects of a JSON text: a plain walk that knows brackets and texts. */
static uint64_t args_bytes(const uint8_t *p, const uint8_t *end)
{
    static const char key[] = "\"args\":";
    uint64_t sum = 0;
    while (end - p > 16 && (p = memmem(p, (size_t)(end - p), key, sizeof key - 1)) != NULL) {
        int depth = 0;
        p += sizeof key - 1;
        p += *p == ' ';
        const uint8_t *from = p;
        for (; p < end; p++) {
            if (*p == '"') {
                for (p++; p < end && *p != '"'; p++) {
                    p += *p == '\\';
                }
            }
            depth += *p == '{' || *p == '[';
            depth -= *p == '}' || *p == ']';
            if (depth == 0) {
                break;
            }
        }
        sum += (uint64_t)(p - from) + 1;
    }
    return sum;
}

static pf_status run_args(const char *path, unsigned jobs, pf_error *err)
{
    static const pf_arg_key keys[] = {{"correlation", PF_ARG_INT, false},
                                      {"External id", PF_ARG_INT, false},
                                      {"bytes", PF_ARG_INT, false},
                                      {"stream", PF_ARG_INT, false},
                                      {"device", PF_ARG_INT, false}};
    enum { KEYS = sizeof keys / sizeof *keys, TIMES = 5 };
    const pf_arg_options o = {.jobs = jobs};
    pf_read_options ro = pf_read_options_default();
    pf_arg_columns *c = NULL;
    pf_trace *t = NULL;
    double best = 1e9;
    uint64_t found = 0;
    pf_status st = pf_read(&path, 1, &ro, &t, err);
    for (int i = 0; i < TIMES && st == PF_OK; i++) {
        double start = now();
        st = pf_arg_columns_read(t, NULL, 0, keys, KEYS, &o, &c, err);
        double seconds = now() - start;
        best = seconds < best ? seconds : best;
        for (size_t k = 0; k < KEYS && st == PF_OK && i == 0; k++) {
            found += pf_arg_column_at(c, k)->found;
        }
        pf_arg_columns_free(c);
    }
    if (st == PF_OK) {
        const pf_input *in = pf_trace_input(t, 0);
        uint64_t bytes =
            strcmp(in->compression, "none") == 0 ? args_bytes(in->stored, in->stored + in->stored_bytes) : 0;
        printf("{\"seconds\": %.6f, \"arg_bytes\": %llu, \"found\": %llu}\n", best, (unsigned long long)bytes,
               (unsigned long long)found);
        pf_trace_free(t);
    }
    return st;
}

int main(int argc, char **argv)
{
    pf_error err = {0};
    pf_status st = PF_ERR_USAGE;
    if (argc == 4 && strcmp(argv[1], "slices") == 0) {
        st = run_slices((uint32_t)strtoul(argv[2], NULL, 10), argv[3], &err);
    } else if (argc == 4 && strcmp(argv[1], "args") == 0) {
        st = run_args(argv[2], (unsigned)strtoul(argv[3], NULL, 10), &err);
    } else {
        pf_fail(&err, st, "bench_build slices COUNT OUT | args FILE JOBS");
    }
    if (st != PF_OK) {
        fprintf(stderr, "bench_build: %s\n", err.text);
    }
    return st == PF_OK ? 0 : 1;
}
