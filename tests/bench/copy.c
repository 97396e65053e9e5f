/* bench_copy INPUT FOLDER [ROUNDS]: how fast the bytes of an input reach an output in FOLDER, the way `analyze -o`
 * sends them: copied inside the kernel, and written from the mapping. The mapping was read once before, as an import
 * does. No fsync. One JSON line with the medians of interleaved rounds. Name a folder on tmpfs, and an input there, to
 * leave the disk out of it. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/files/outfile.h"

#define STEP ((size_t)16 << 20)

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static uint64_t touch(const pf_file *in)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < in->size; i += 4096) {
        sum += in->data[i];
    }
    return sum;
}

/* Seconds of one copy; negative: it failed. */
static double copy(const pf_file *in, const char *target, bool kernel, pf_error *err)
{
    pf_outfile out;
    double before = now();
    pf_status st = pf_outfile_open(&out, target, err);
    for (size_t at = 0; st == PF_OK && at < in->size; at += STEP) {
        size_t step = in->size - at < STEP ? in->size - at : STEP;
        st = pf_outfile_copy(&out, in, at, step, kernel, err);
    }
    st = st == PF_OK ? pf_outfile_flush(&out, err) : st;
    double seconds = now() - before;
    pf_outfile_abort(&out);
    return st == PF_OK ? seconds : -1;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int fail(const pf_error *err)
{
    fprintf(stderr, "bench_copy: %s: %s\n", err->file, err->text);
    return 1;
}

int main(int argc, char **argv)
{
    enum { MOST = 99 };
    double seconds[2][MOST];
    char target[4096];
    int rounds = argc > 3 ? atoi(argv[3]) : 7;
    if (argc < 3 || rounds < 1 || rounds > MOST) {
        fprintf(stderr, "bench_copy INPUT FOLDER [ROUNDS]\n");
        return 2;
    }
    pf_budget budget;
    pf_file in;
    pf_error err = {0};
    pf_budget_init(&budget, NULL);
    snprintf(target, sizeof target, "%s/bench_copy.out", argv[2]);
    if (pf_file_open(&in, argv[1], true, &budget, &err) != PF_OK) {
        return fail(&err);
    }
    uint64_t sum = touch(&in);
    for (int i = 0; i < 2 * rounds; i++) {
        double one = copy(&in, target, i & 1, &err);
        if (one < 0) {
            return fail(&err);
        }
        seconds[i & 1][i / 2] = one;
    }
    for (int i = 0; i < 2; i++) {
        qsort(seconds[i], (size_t)rounds, sizeof **seconds, by_size);
    }
    double bytes = (double)in.size, mapping = seconds[0][rounds / 2], kernel = seconds[1][rounds / 2];
    printf("{\"bytes\": %zu, \"touched\": %llu, \"kernel_gb_per_s\": %.2f, \"mapping_gb_per_s\": %.2f}\n", in.size,
           (unsigned long long)sum, bytes / kernel / 1e9, bytes / mapping / 1e9);
    pf_file_close(&in);
    return 0;
}
