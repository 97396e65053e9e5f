/* inside.c - times what a process does after it has read a trace, with the public interface alone.
 *
 *     bench_inside query FILE SQL...      every statement once, its rows counted
 *     bench_inside annotate FILE OUT      a small overlay drawn in; OUT is not synced, and removed first
 *
 * Prints one line of JSON: the seconds of the reading and, in order, of each statement with its rows, or of the writing
 * with the bytes written.
 */
#include <stdio.h>
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

static pf_status take_columns(void *ctx, size_t count, const pf_str *names)
{
    (void)ctx, (void)count, (void)names;
    return PF_OK;
}

static pf_status take_row(void *ctx, size_t count, const pf_query_cell *cells)
{
    (void)count, (void)cells;
    ++*(unsigned long *)ctx;
    return PF_OK;
}

static pf_status run_queries(const pf_trace *t, char **sql, int count, pf_error *err)
{
    pf_query *q = NULL;
    pf_status st = pf_query_open(t, &q, err);
    printf(", \"queries\": [");
    for (int i = 0; st == PF_OK && i < count; i++) {
        unsigned long rows = 0;
        pf_query_sink sink = {&rows, take_columns, take_row};
        double start = now();
        st = pf_query_run(q, (pf_str){sql[i], strlen(sql[i])}, &sink, err);
        printf("%s{\"seconds\": %.6f, \"rows\": %lu}", i ? ", " : "", now() - start, rows);
    }
    printf("]");
    pf_query_free(q);
    return st;
}

static pf_status draw(pf_findings *f, const pf_trace *t, pf_error *err)
{
    const pf_overlay_track track = {.kind = PF_OVERLAY_SLICES, .parent = PF_NONE, .name = PF_STR("bench")};
    int64_t start, end;
    pf_trace_bounds(t, &start, &end);
    pf_overlay_slice(f, pf_overlay_add_track(f, &track), start, end - start, PF_STR("all"));
    return pf_findings_status(f, err);
}

static pf_status run_annotate(const pf_trace *t, const char *out, pf_error *err)
{
    uint64_t written = 0;
    pf_write_options o = pf_write_options_default();
    pf_findings *f = pf_findings_new(NULL);
    pf_status st = f ? draw(f, t, err) : pf_fail(err, PF_ERR_MEMORY, "out of memory");
    o.sync = false;
    o.written = &written;
    unlink(out);
    double start = now();
    st = st == PF_OK ? pf_write_enriched(t, f, out, &o, err) : st;
    printf(", \"write_seconds\": %.6f, \"bytes\": %llu", now() - start, (unsigned long long)written);
    pf_findings_free(f);
    return st;
}

int main(int argc, char **argv)
{
    bool query = argc > 3 && strcmp(argv[1], "query") == 0;
    if (!query && (argc != 4 || strcmp(argv[1], "annotate") != 0)) {
        fputs("usage: bench_inside query FILE SQL... | annotate FILE OUT\n", stderr);
        return 2;
    }
    pf_error err = {.offset = PF_NOWHERE};
    pf_trace *t = NULL;
    pf_read_options o = pf_read_options_default();
    o.map = true;
    double start = now();
    pf_status st = pf_read((const char *const *)&argv[2], 1, &o, &t, &err);
    printf("{\"read_seconds\": %.6f", now() - start);
    if (st == PF_OK) {
        st = query ? run_queries(t, argv + 3, argc - 3, &err) : run_annotate(t, argv[3], &err);
    }
    printf("}\n");
    if (st != PF_OK) {
        fprintf(stderr, "bench_inside: %s: %s\n", argv[2], err.text);
    }
    pf_trace_free(t);
    return st == PF_OK ? 0 : 1;
}
