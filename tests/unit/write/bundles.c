/* bundles.c - conversions whose packets are compressed inside the trace. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/buffer.h"
#include "model/trace/json_notes.h"
#include "support.h"
#include "wire/cursor.h"

enum { WANT = PF_WANT_EVENTS | PF_WANT_COUNTERS | PF_WANT_ARGS | PF_WANT_SLICES };

static pf_trace *events(int64_t count)
{
    pf_trace *t = test_trace("chrome-json", WANT);
    uint32_t a = test_thread(t, 7, 1);
    for (int64_t i = 0; i < count; i++) {
        char name[32];
        snprintf(name, sizeof name, "n%ld", (long)(i * 7919 % 1000));
        test_add(t, i % 2 ? 'E' : 'B', i, 0, a, name, NULL);
    }
    test_finish(t);
    return t;
}

static char *convert(const pf_trace *t, const char *name, bool compress, uint64_t *written, size_t *len)
{
    char *folder = test_folder(), *path = test_path(folder, name);
    pf_write_options o = pf_write_options_default();
    pf_error err;
    o.compress_packets = compress;
    o.written = written;
    cr_assert_eq(pf_convert_pftrace(t, path, &o, &err), PF_OK, "%s", err.text);
    char *bytes = test_read(path, len);
    free(path);
    test_folder_remove(folder);
    return bytes;
}

static void inflate_into(pf_buffer *out, const pf_field *packed)
{
    uLongf len = 4u << 20;
    Bytef *plain = malloc(len);
    cr_assert_eq(uncompress(plain, &len, packed->bytes, packed->len), Z_OK);
    pf_buffer_put(out, plain, len);
    free(plain);
}

/* The packets of a trace with the compressed ones taken apart; *bundles: how many of these there were. */
static pf_buffer unpack(const char *bytes, size_t len, unsigned *bundles)
{
    pf_buffer out = {0};
    pf_cursor c = pf_cursor_over((const uint8_t *)bytes, len);
    pf_field packet, inner;
    for (const uint8_t *at = c.at; pf_cursor_next(&c, &packet) == PF_NEXT_FIELD; at = c.at) {
        pf_cursor content = pf_field_cursor(&packet);
        if (pf_cursor_next(&content, &inner) == PF_NEXT_FIELD && inner.tag == PF_TAG_BYTES(50)) {
            cr_assert_eq(content.at, content.end, "a bundle has nothing else");
            inflate_into(&out, &inner);
            ++*bundles;
        } else {
            pf_buffer_put(&out, at, (size_t)(c.at - at));
        }
    }
    return out;
}

Test(bundles, hold_the_packets_of_a_plain_conversion)
{
    pf_trace *t = events(100000);
    size_t plain_len, len, again_len;
    uint64_t written = 0;
    unsigned bundles = 0;
    char *plain = convert(t, "o.pftrace", false, NULL, &plain_len),
         *packed = convert(t, "o.pftrace", true, &written, &len),
         *again = convert(t, "o.pftrace", true, NULL, &again_len);
    pf_buffer got = unpack(packed, len, &bundles);
    cr_assert_eq(written, len);
    cr_assert(got.len == plain_len && memcmp(got.data, plain, plain_len) == 0);
    cr_assert(len == again_len && memcmp(packed, again, len) == 0);
    cr_assert_eq(bundles, (plain_len + (512u << 10) - 1) / (512u << 10));
    cr_assert_geq(bundles, 2);
    cr_assert_lt(len * 3, plain_len);
    pf_buffer_free(&got);
    free(plain);
    free(packed);
    free(again);
    pf_trace_free(t);
}

Test(bundles, what_is_not_shorter_stays_as_it_is)
{
    pf_trace *t = events(0);
    size_t plain_len, len;
    char *plain = convert(t, "o.pftrace", false, NULL, &plain_len), *packed = convert(t, "o.pftrace", true, NULL, &len);
    cr_assert(len == plain_len && memcmp(packed, plain, len) == 0);
    free(plain);
    free(packed);
    pf_trace_free(t);
}

/* gzip sees the whole file: packets that are compressed already would only be in its way. */
Test(bundles, are_not_made_inside_gzip)
{
    pf_trace *t = events(1000);
    size_t plain_len, len;
    char *plain = convert(t, "o.pftrace.gz", false, NULL, &plain_len),
         *packed = convert(t, "o.pftrace.gz", true, NULL, &len);
    cr_assert(len == plain_len && memcmp(packed, plain, len) == 0);
    free(plain);
    free(packed);
    pf_trace_free(t);
}

/* Long attributes and members of a document are compressed, with the names of threads where events are packed; short
 * ones are not, and the events never. */
Test(bundles, hold_a_long_head)
{
    for (unsigned is_long = 0; is_long < 2; is_long++) {
        char member[4096] = "{\"deviceProperties\":[0";
        for (int i = 1; i < (is_long ? 1000 : 10); i++) {
            snprintf(member + strlen(member), sizeof member - strlen(member), ",%d", i % 100);
        }
        strcat(member, "]}");
        pf_trace *t = test_trace("chrome-json", WANT | PF_WANT_ORIGINS);
        pf_error err;
        uint32_t a = test_thread(t, 7, 1);
        test_add(t, 'M', 0, 0, a, "thread_name", NULL);
        test_args(t, "tworker args.name");
        test_add(t, is_long ? 'X' : 'B', 1, 5, a, "run", NULL);
        cr_assert_eq(pf_trace_add_leftover(t, true, (pf_str){member, strlen(member)}, PF_NONE, &err), PF_OK);
        test_finish(t);
        size_t len, gz_len, plain_len;
        unsigned bundles = 0, in_gzip = 0;
        char *bytes = convert(t, "o.pftrace", false, NULL, &len),
             *gz = convert(t, "o.pftrace.gz", false, NULL, &gz_len), *plain = test_inflate(gz, gz_len, &plain_len);
        pf_buffer got = unpack(bytes, len, &bundles), got_gz = unpack(plain, plain_len, &in_gzip);
        cr_assert_eq(bundles, is_long);
        cr_assert_eq(in_gzip, 0);
        cr_assert(got.len == plain_len && memcmp(got.data, plain, plain_len) == 0);
        cr_assert(memmem(got.data, got.len, member, strlen(member)));
        cr_assert_eq(memmem(bytes, len, member, strlen(member)) == NULL, is_long == 1);
        cr_assert(memmem(bytes, len, "run", 3));
        cr_assert(memmem(got.data, got.len, "worker", 6));
        cr_assert_eq(memmem(bytes, len, "worker", 6) == NULL, is_long == 1);
        pf_buffer_free(&got);
        pf_buffer_free(&got_gz);
        free(bytes);
        free(gz);
        free(plain);
        pf_trace_free(t);
    }
}
