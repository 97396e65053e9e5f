/* threads_json.c - importing JSON with threads under the thread sanitizer, plain and packed (then one more thread
 * unpacks). Every import must end with the same events. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/buffer.h"
#include "read/reader.h"

/* Events of many names and threads, some of them damaged, some of them looking like several. */
static void write_document(pf_buffer *b)
{
    pf_buffer_text(b, "{\"traceEvents\":[{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"args\":{\"name\":\"p\"}}");
    for (unsigned i = 0; i < 20000; i++) {
        pf_buffer_format(
            b,
            ",\n{\"ph\":\"X\",\"ts\":%u.%03u,\"dur\":%u,\"pid\":%u,\"tid\":%u,\"name\":\"name %u\",\"cat\":"
            "\"c%u\",\"args\":{\"list\":[{\"a\":%u},{\"b\":\"},{\\\"ph\\\":\"}]}}",
            i, i % 1000, i % 77, i % 5, i % 91, i % 300, i % 7, i);
        if (i % 5000 == 2500) {
            pf_buffer_text(b, ",{\"ph\":\"X\",\"name\":\"say \"hi\"\"}");
        }
    }
    pf_buffer_text(b, "],\"other\":1}");
}

static bool gzip(const pf_buffer *plain, pf_buffer *packed)
{
    z_stream z = {0};
    size_t room = plain->len + 1000;
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
    return done;
}

/* A number that sums up the events; 0 if reading fails. */
static uint64_t read_document(const pf_buffer *bytes, unsigned jobs)
{
    pf_error err;
    pf_read_options o = pf_read_options_default();
    o.jobs = jobs;
    pf_trace *t = pf_trace_new(&o.limits, o.want, &err);
    pf_input input = {.path = "test", .stored = (const uint8_t *)bytes->data, .stored_bytes = bytes->len - PF_SLOP};
    pf_source *s = NULL;
    pf_window first;
    bool again = false;
    uint64_t sum = 0;
    if (t && pf_source_open(&s, t, &input, &o, &err) == PF_OK && pf_source_more(s, 0, &first, &err) == PF_OK &&
        pf_reader_chrome_json.read(t, &input, s, first, &o, &again, &err) == PF_OK &&
        pf_trace_finish(t, &err) == PF_OK) {
        const pf_events *e = pf_trace_events(t);
        sum = e->count;
        for (uint32_t i = 0; i < e->count; i++) {
            sum = (sum * 31 + (uint64_t)e->ts[i]) * 31 + e->name[i];
            sum = (sum * 31 + e->track[i]) * 31 + e->category[i];
        }
    }
    pf_source_close(s);
    pf_trace_free(t);
    return sum;
}

int main(void)
{
    static const char slop[PF_SLOP];
    pf_buffer plain = {0}, packed = {0};
    write_document(&plain);
    bool good = gzip(&plain, &packed);
    pf_buffer_put(&plain, slop, sizeof slop);
    pf_buffer_put(&packed, slop, sizeof slop);
    good &= !plain.failed && !packed.failed;
    uint64_t expected = good ? read_document(&plain, 1) : 0;
    for (unsigned jobs = 1; jobs <= 4 && expected; jobs++) {
        if (read_document(&plain, jobs) != expected || read_document(&packed, jobs) != expected) {
            fprintf(stderr, "%u threads give other events\n", jobs);
            expected = 0;
        }
    }
    pf_buffer_free(&plain);
    pf_buffer_free(&packed);
    return expected ? 0 : 1;
}
