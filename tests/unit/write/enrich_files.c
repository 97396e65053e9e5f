/* enrich_files.c - findings drawn into files that were read from disk: their bytes are copied from file to file. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "support.h"

#define PACKETS 50000u
#define PACKET 8u /* tag, length, timestamp of two bytes, sequence 5, flags */

static char *make_trace(size_t *len)
{
    *len = (size_t)PACKETS * PACKET;
    char *bytes = malloc(*len);
    for (unsigned i = 0; i < PACKETS; i++) {
        unsigned ts = 128 + i * 2654435761u % 16000;
        const uint8_t packet[PACKET] = {0x0a, 6, 0x40, (uint8_t)(ts | 0x80), (uint8_t)(ts >> 7), 0x50, 5, 0};
        memcpy(bytes + (size_t)i * PACKET, packet, PACKET);
    }
    return bytes;
}

static void put(const char *path, const char *bytes, size_t len)
{
    FILE *f = fopen(path, "wb");
    cr_assert_not_null(f);
    cr_assert_eq(fwrite(bytes, 1, len, f), len);
    cr_assert_eq(fclose(f), 0);
}

static pf_findings *one_slice(void)
{
    pf_findings *f = pf_findings_new(NULL);
    const pf_overlay_track track = {
        .kind = PF_OVERLAY_SLICES, .parent = PF_NONE, .anchor = PF_ANCHOR_GLOBAL, .name = PF_STR("kernels")};
    pf_overlay_slice(f, pf_overlay_add_track(f, &track), 100, 50, PF_STR("kernel"));
    return f;
}

static pf_trace *read_file(const char *path)
{
    pf_read_options o = pf_read_options_default();
    pf_trace *t = NULL;
    pf_error err;
    o.map = true;
    cr_assert_eq(pf_read(&path, 1, &o, &t, &err), PF_OK, "%s", err.text);
    return t;
}

/* The enriched file begins with the stored bytes and has something after them. */
static void expect_copied(const char *stored, size_t len, const char *compression)
{
    char *folder = test_folder(), *in = test_path(folder, "in"), *out = test_path(folder, "out");
    put(in, stored, len);
    pf_trace *t = read_file(in);
    cr_assert_str_eq(pf_trace_input(t, 0)->compression, compression);
    cr_assert(t->files->is_open);
    pf_findings *f = one_slice();
    pf_write_options o = pf_write_options_default();
    uint64_t written = 0;
    pf_error err;
    o.written = &written;
    cr_assert_eq(pf_write_enriched(t, f, out, &o, &err), PF_OK, "%s", err.text);
    size_t got_len;
    char *got = test_read(out, &got_len);
    cr_expect_gt(got_len, len);
    cr_expect_eq(written, got_len);
    cr_expect(memcmp(got, stored, len) == 0, "%s", compression);
    pf_trace_free(t);
    t = read_file(out);
    cr_expect_eq(pf_trace_slices(t)->count, 1, "%s", compression);
    pf_trace_free(t);
    pf_findings_free(f);
    free(got);
    free(in);
    free(out);
    test_folder_remove(folder);
}

Test(enrich_files, are_copied_as_they_are_stored)
{
    size_t len, room = 1 << 20;
    char *plain = make_trace(&len), *packed = malloc(room);
    expect_copied(plain, len, "none");

    z_stream z = {.next_in = (Bytef *)plain, .avail_in = (uInt)len, .next_out = (Bytef *)packed, .avail_out = 1 << 20};
    cr_assert_eq(deflateInit2(&z, 0, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    cr_assert_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
    cr_assert_gt(z.total_out, 300000);
    expect_copied(packed, z.total_out, "gzip");
    deflateEnd(&z);

    size_t squeezed = ZSTD_compress(packed, room, plain, len, 1);
    cr_assert_not(ZSTD_isError(squeezed));
    cr_assert_gt(squeezed, 70000);
    expect_copied(packed, squeezed, "zstd");
    free(plain);
    free(packed);
}

Test(enrich_files, a_file_that_became_shorter_leaves_no_output)
{
    char *folder = test_folder(), *in = test_path(folder, "in"), *out = test_path(folder, "out");
    size_t len;
    char *plain = make_trace(&len);
    const size_t left[] = {len - 1, 100000, 3, 0};
    pf_findings *f = one_slice();
    for (size_t i = 0; i < sizeof left / sizeof *left; i++) {
        put(in, plain, len);
        pf_trace *t = read_file(in);
        cr_assert_eq(truncate(in, (off_t)left[i]), 0);
        pf_error err;
        cr_expect_eq(pf_write_enriched(t, f, out, NULL, &err), PF_ERR_INPUT);
        cr_expect_not_null(strstr(err.text, "became shorter"), "%s", err.text);
        cr_expect_str_eq(err.file, in);
        cr_expect_eq(test_entries(folder), 1);
        pf_trace_free(t);
    }
    pf_findings_free(f);
    free(plain);
    free(in);
    free(out);
    test_folder_remove(folder);
}

Test(enrich_files, a_file_that_grew_is_copied_up_to_where_it_was_read)
{
    char *folder = test_folder(), *in = test_path(folder, "in"), *out = test_path(folder, "out");
    size_t len, got_len;
    char *plain = make_trace(&len);
    put(in, plain, len);
    pf_trace *t = read_file(in);
    FILE *more = fopen(in, "ab");
    cr_assert_not_null(more);
    cr_assert_geq(fputs("not yet read", more), 0);
    cr_assert_eq(fclose(more), 0);
    pf_findings *f = one_slice();
    pf_error err;
    cr_assert_eq(pf_write_enriched(t, f, out, NULL, &err), PF_OK, "%s", err.text);
    char *got = test_read(out, &got_len);
    cr_assert_gt(got_len, len);
    cr_expect(memcmp(got, plain, len) == 0);
    cr_expect_eq(got[len], 0x0a, "a packet of ours follows");
    pf_findings_free(f);
    pf_trace_free(t);
    free(got);
    free(plain);
    free(in);
    free(out);
    test_folder_remove(folder);
}
