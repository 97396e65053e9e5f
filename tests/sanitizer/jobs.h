/* jobs.h - one import by one thread and by several: what the programs for the thread sanitizer have in common. As
 * pf_read does, a helper is allowed from reading to the tables. */
#ifndef TESTS_SANITIZER_JOBS_H
#define TESTS_SANITIZER_JOBS_H

#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/buffer.h"
#include "read/support/reader.h"

/* A number that sums up what was read; 0 if that is wrong. */
typedef uint64_t (*sum_of_trace)(const pf_trace *t);

static bool gzip(const pf_buffer *plain, pf_buffer *packed)
{
    z_stream z = {0};
    size_t room = compressBound((uLong)plain->len) + 64;
    char *out = malloc(room);
    if (!out || deflateInit2(&z, 1, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
        free(out);
        return false;
    }
    z.next_in = (Bytef *)plain->data;
    z.avail_in = (uInt)plain->len;
    z.next_out = (Bytef *)out;
    z.avail_out = (uInt)room;
    bool done = deflate(&z, Z_FINISH) == Z_STREAM_END;
    pf_buffer_put(packed, out, room - z.avail_out);
    deflateEnd(&z);
    free(out);
    return done && !packed->failed;
}

/* 0 if reading fails. */
static uint64_t sum_up(const pf_buffer *bytes, const pf_reader *reader, sum_of_trace sum_of, unsigned jobs)
{
    pf_error err;
    pf_read_options o = pf_read_options_default();
    o.jobs = jobs;
    pf_trace *t = pf_trace_new(&o.limits, o.want, &err);
    pf_input input = {.path = "test", .stored = (const uint8_t *)bytes->data, .stored_bytes = bytes->len - PF_SLOP};
    pf_reading r = {.t = t, .input = &input, .o = &o};
    uint64_t sum = 0;
    if (t && jobs > 1) {
        pf_budget_help(&t->budget);
    }
    if (t && pf_source_open(&r.source, t, &input, &o, &err) == PF_OK &&
        pf_source_more(r.source, 0, &r.first, &err) == PF_OK && reader->read(&r, &err) == PF_OK &&
        pf_trace_finish(t, &err) == PF_OK) {
        sum = sum_of(t);
    }
    if (t) {
        pf_budget_end_help(&t->budget);
    }
    pf_source_close(r.source);
    pf_trace_free(t);
    return sum;
}

/* The exit status of a program: 0 if up to four threads read the same as one, from plain and from packed bytes. */
static int compare_jobs(pf_buffer *plain, const pf_reader *reader, sum_of_trace sum_of)
{
    static const char slop[PF_SLOP];
    pf_buffer packed = {0};
    bool good = !plain->failed && gzip(plain, &packed);
    pf_buffer_put(plain, slop, sizeof slop);
    pf_buffer_put(&packed, slop, sizeof slop);
    good &= !plain->failed && !packed.failed;
    uint64_t expected = good ? sum_up(plain, reader, sum_of, 1) : 0;
    for (unsigned jobs = 1; jobs <= 4 && expected; jobs++) {
        if (sum_up(plain, reader, sum_of, jobs) != expected || sum_up(&packed, reader, sum_of, jobs) != expected) {
            fprintf(stderr, "%u threads read something else\n", jobs);
            expected = 0;
        }
    }
    pf_buffer_free(plain);
    pf_buffer_free(&packed);
    return expected ? 0 : 1;
}

#endif
