/* sinks.c - what is put into a sink is what its file holds, whatever the sizes it is put in, plain, as gzip members, as
 * zstd frames and as bundles of packets; when it looks whether it shall stop. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "output/sink.h"
#include "support.h"
#include "wire/cursor.h"

enum { KIB = 1024, PIECE = 512 * KIB, MIB = 1024 * KIB, TOTAL = 8 * MIB };

typedef struct bench {
    pf_sink sink;
    pf_trace *t;
    char *folder, *path;
    uint64_t written;
    volatile int cancel;
    pf_write_options o;
} bench;

static void start(bench *b, unsigned jobs)
{
    pf_error err;
    b->t = test_trace("perfetto", PF_WANT_EVENTS);
    b->folder = test_folder();
    b->path = test_path(b->folder, "out");
    b->written = 0;
    b->cancel = 0;
    b->o = (pf_write_options){.jobs = jobs, .written = &b->written, .cancel = &b->cancel};
    cr_assert_eq(pf_sink_open(&b->sink, b->t, b->path, &b->o, &err), PF_OK, "%s", err.text);
}

static void end(bench *b)
{
    free(b->path);
    test_folder_remove(b->folder);
    pf_trace_free(b->t);
}

/* Closes the sink; its file. */
static char *close_sink(bench *b, size_t *len)
{
    pf_error err;
    cr_assert_eq(pf_sink_close(&b->sink, PF_OK, &err), PF_OK, "%s", err.text);
    char *bytes = test_read(b->path, len);
    cr_expect_eq(b->written, *len);
    end(b);
    return bytes;
}

/* Bytes that compress to about a half. */
static uint8_t *some_bytes(size_t len)
{
    uint8_t *bytes = malloc(len);
    uint32_t state = 1;
    for (size_t i = 0; i < len; i++) {
        state = state * 1664525u + 1013904223u;
        bytes[i] = (uint8_t)(state >> 28);
    }
    return bytes;
}

typedef enum form { PLAIN, MEMBERS, FRAMES, FORMS } form;

static void begin(pf_sink *s, form f)
{
    cr_assert_eq(f == MEMBERS ? pf_sink_begin_member(s) : f == FRAMES ? pf_sink_begin_frame(s) : PF_OK, PF_OK);
}

static void finish(pf_sink *s, form f)
{
    cr_assert_eq(f == MEMBERS ? pf_sink_end_member(s) : f == FRAMES ? pf_sink_end_frame(s) : PF_OK, PF_OK);
}

/* What the file held before it was compressed; *parts: gzip members or zstd frames. */
static char *unpacked(form f, char *bytes, size_t len, size_t *plain, size_t *parts)
{
    *parts = 0;
    *plain = len;
    if (f == PLAIN) {
        return bytes;
    }
    char *out = f == MEMBERS ? test_inflate(bytes, len, plain) : malloc(TOTAL + 1);
    for (size_t at = 0, had = 0; f == FRAMES && at < len; ++*parts) {
        size_t size = ZSTD_findFrameCompressedSize(bytes + at, len - at);
        size_t got = ZSTD_decompress(out + had, TOTAL + 1 - had, bytes + at, size);
        cr_assert(!ZSTD_isError(size) && !ZSTD_isError(got));
        at += size;
        *plain = had += got;
    }
    free(bytes);
    return out;
}

Test(sinks, hold_what_was_put_in_any_sizes)
{
    static const size_t sizes[] = {1,         0,       63,  64 * KIB, PIECE - 1, PIECE,
                                   PIECE + 1, MIB - 1, MIB, MIB + 1,  2 * MIB,   2 * MIB + 1};
    uint8_t *bytes = some_bytes(TOTAL);
    for (unsigned round = 0; round < 2 * FORMS; round++) {
        form f = (form)(round / 2);
        bench b;
        start(&b, 1 + round % 2);
        size_t at = 0, len, plain, parts;
        begin(&b.sink, f);
        for (size_t i = 0; at < TOTAL; i++) {
            size_t step = sizes[i % (sizeof sizes / sizeof *sizes)];
            step = step < TOTAL - at ? step : TOTAL - at;
            cr_assert_eq(pf_sink_put(&b.sink, bytes + at, step), PF_OK);
            at += step;
            if (i == 5) { /* what follows is another member or frame */
                finish(&b.sink, f);
                begin(&b.sink, f);
            }
        }
        cr_expect_eq(b.sink.made, TOTAL);
        finish(&b.sink, f);
        char *file = close_sink(&b, &len);
        cr_expect(f == PLAIN || len < TOTAL * 3 / 4, "%zu bytes are not compressed", len);
        file = unpacked(f, file, len, &plain, &parts);
        cr_expect(plain == TOTAL && memcmp(file, bytes, TOTAL) == 0, "form %d holds %zu bytes", f, plain);
        cr_expect(f != FRAMES || parts == 2, "%zu frames", parts);
        free(file);
    }
    free(bytes);
}

/* A sink that is closed in the middle ends what was begun. */
Test(sinks, closing_ends_members_frames_and_bundles)
{
    uint8_t *bytes = some_bytes(1000);
    for (form f = MEMBERS; f < FORMS; f++) {
        bench b;
        size_t len, plain, parts;
        start(&b, 2);
        begin(&b.sink, f);
        cr_assert_eq(pf_sink_put(&b.sink, bytes, 1000), PF_OK);
        char *file = close_sink(&b, &len);
        file = unpacked(f, file, len, &plain, &parts);
        cr_expect(plain == 1000 && memcmp(file, bytes, 1000) == 0);
        free(file);
    }
    free(bytes);
}

/* ---- bundles ----------------------------------------------------------------------------------------------------- */

/* A packet of `len` bytes in all, 8 to 2^21. */
static void make_packet(pf_buffer *b, const uint8_t *filling, size_t len)
{
    size_t head = len < 2 + 128 ? 2 : len < 3 + 16384 ? 3 : 4;
    uint64_t size = len - head;
    uint8_t start[4] = {0x0a};
    for (size_t i = 1; i < head; i++) {
        start[i] = (uint8_t)((size >> 7 * (i - 1) & 0x7f) | (i + 1 < head ? 0x80 : 0));
    }
    b->len = 0;
    pf_buffer_put(b, (const char *)start, head);
    pf_buffer_put(b, (const char *)filling, len - head);
}

/* The packets inside, and how many of those in the file were bundles. */
static pf_buffer taken_apart(const char *bytes, size_t len, unsigned *bundles, unsigned *packets)
{
    pf_buffer out = {0};
    pf_cursor c = pf_cursor_over((const uint8_t *)bytes, len);
    pf_field packet, inner;
    *bundles = *packets = 0;
    for (const uint8_t *at = c.at; pf_cursor_next(&c, &packet) == PF_NEXT_FIELD; at = c.at, ++*packets) {
        pf_cursor content = pf_field_cursor(&packet);
        if (pf_cursor_next(&content, &inner) == PF_NEXT_FIELD && inner.tag == PF_TAG_BYTES(50)) {
            uLongf plain = TOTAL;
            char *room = pf_buffer_room(&out, plain);
            cr_assert_not_null(room);
            cr_assert_eq(uncompress((Bytef *)room, &plain, inner.bytes, inner.len), Z_OK);
            out.len += plain;
            ++*bundles;
        } else {
            pf_buffer_put(&out, (const char *)at, (size_t)(c.at - at));
        }
    }
    return out;
}

/* A bundle is made as soon as there is half a megabyte of whole packets, and of what is left. */
Test(sinks, bundles_are_half_a_megabyte_of_whole_packets)
{
    static const struct {
        size_t len, least;
        unsigned count, bundles, packets; /* in the file */
    } rows[] = {
        {100 * KIB, 0, 13, 3, 3}, {PIECE, 0, 2, 2, 2},  {PIECE - 1, 0, 2, 1, 1}, {PIECE - 1, 0, 3, 2, 2},
        {MIB + 5, 0, 2, 2, 2},    {1000, 0, 1, 1, 1},   {1000, 1000, 1, 1, 1},   {1000, 1001, 1, 0, 1},
        {500, 1001, 2, 0, 2},     {501, 1001, 2, 1, 1}, {8, 0, 1, 0, 1},         {1000, 0, 0, 0, 0},
    };
    uint8_t *filling = some_bytes(2 * MIB);
    for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
        size_t k = i / 2, len;
        pf_buffer packet = {0}, all = {0};
        bench b;
        unsigned bundles, packets;
        start(&b, 1 + i % 2);
        cr_expect(pf_sink_begin_bundles(&b.sink, rows[k].least));
        cr_expect_not(pf_sink_begin_bundles(&b.sink, 0), "they have begun");
        make_packet(&packet, filling, rows[k].len);
        cr_assert_eq(packet.len, rows[k].len);
        for (unsigned n = 0; n < rows[k].count; n++) {
            cr_assert_eq(pf_sink_put(&b.sink, packet.data, packet.len), PF_OK);
            pf_buffer_put(&all, packet.data, packet.len);
        }
        cr_expect_eq(pf_sink_end_bundles(&b.sink), PF_OK);
        char *file = close_sink(&b, &len);
        pf_buffer got = taken_apart(file, len, &bundles, &packets);
        cr_expect(got.len == all.len && (all.len == 0 || memcmp(got.data, all.data, all.len) == 0), "row %zu", k);
        cr_expect(bundles == rows[k].bundles && packets == rows[k].packets, "row %zu: %u of %u packets are bundles", k,
                  bundles, packets);
        pf_buffer_free(&packet);
        pf_buffer_free(&all);
        pf_buffer_free(&got);
        free(file);
    }
    free(filling);
}

/* Packets that are put together are a bundle from so many bytes on, unless they are a part of one or of a member. */
Test(sinks, packets_that_are_a_bundle_together)
{
    static const struct {
        size_t least;
        bool begun;
        unsigned bundles;
    } rows[] = {{999, false, 1}, {1000, false, 1}, {1001, false, 0}, {1000, true, 1}, {1001, true, 1}};
    uint8_t *filling = some_bytes(1000);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        pf_buffer packet = {0};
        size_t len;
        unsigned bundles, packets;
        bench b;
        start(&b, 2);
        make_packet(&packet, filling, 1000);
        cr_expect(!rows[i].begun || pf_sink_begin_bundles(&b.sink, 0));
        cr_assert_eq(pf_sink_put_bundle(&b.sink, &packet, rows[i].least), PF_OK);
        char *file = close_sink(&b, &len);
        pf_buffer got = taken_apart(file, len, &bundles, &packets);
        cr_expect(bundles == rows[i].bundles && packets == 1, "row %zu: %u of %u", i, bundles, packets);
        cr_expect(got.len == packet.len && memcmp(got.data, packet.data, got.len) == 0);
        pf_buffer_free(&got);
        pf_buffer_free(&packet);
        free(file);
    }
    for (form f = MEMBERS; f < FORMS; f++) {
        bench b;
        pf_buffer packet = {0};
        size_t len, plain, parts;
        start(&b, 2);
        begin(&b.sink, f);
        cr_expect_not(pf_sink_begin_bundles(&b.sink, 0), "inside of what is compressed");
        make_packet(&packet, filling, 1000);
        cr_assert_eq(pf_sink_put_bundle(&b.sink, &packet, 0), PF_OK);
        char *file = close_sink(&b, &len);
        file = unpacked(f, file, len, &plain, &parts);
        cr_expect(plain == 1000 && memcmp(file, packet.data, 1000) == 0);
        pf_buffer_free(&packet);
        free(file);
    }
    free(filling);
}

/* ---- cancelling -------------------------------------------------------------------------------------------------- */

/* Asked for before the first byte, and then once in a megabyte. */
Test(sinks, look_once_in_a_megabyte_whether_to_stop)
{
    uint8_t *bytes = some_bytes(MIB);
    for (unsigned jobs = 1; jobs <= 2; jobs++) {
        pf_error err;
        bench b;
        start(&b, jobs);
        b.cancel = 1;
        cr_expect_eq(pf_sink_put(&b.sink, bytes, 0), PF_OK, "nothing is put");
        cr_expect_eq(pf_sink_put(&b.sink, bytes, 1), PF_ERR_CANCELLED);
        cr_expect_eq(pf_sink_put(&b.sink, bytes, 1), PF_ERR_CANCELLED, "errors stay");
        b.cancel = 0;
        cr_expect_eq(pf_sink_put(&b.sink, bytes, 1), PF_ERR_CANCELLED, "errors stay");
        cr_expect_eq(pf_sink_close(&b.sink, PF_OK, &err), PF_ERR_CANCELLED);
        cr_expect_str_eq(err.text, "cancelled");
        cr_expect_eq(test_entries(b.folder), 0);
        end(&b);
        start(&b, jobs);
        cr_expect_eq(pf_sink_put(&b.sink, bytes, 1), PF_OK);
        b.cancel = 1;
        cr_expect_eq(pf_sink_put(&b.sink, bytes, MIB - 1), PF_OK);
        cr_expect_eq(pf_sink_put(&b.sink, bytes, 1), PF_ERR_CANCELLED);
        cr_expect_eq(pf_sink_close(&b.sink, PF_OK, &err), PF_ERR_CANCELLED);
        cr_expect_eq(test_entries(b.folder), 0);
        end(&b);
        /* a writer that failed by itself leaves nothing either, and its own error */
        start(&b, jobs);
        cr_expect_eq(pf_sink_put(&b.sink, bytes, MIB), PF_OK);
        cr_expect_eq(pf_sink_close(&b.sink, PF_ERR_LIMIT, &err), PF_ERR_LIMIT);
        cr_expect_eq(test_entries(b.folder), 0);
        end(&b);
    }
    free(bytes);
}
