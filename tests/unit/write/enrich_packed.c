/* enrich_packed.c - findings drawn into traces that are stored as zstd or in a zip. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <zstd.h>

#include "support.h"

/* One packet: timestamp 1, sequence 5. */
static const uint8_t original[] = {0x0a, 0x04, 0x40, 0x01, 0x50, 0x05};
static const char archive[] = "PK: what the sender below unpacks";

static pf_trace *packed_trace(const void *stored, size_t len, const char *compression)
{
    pf_trace *t = test_trace("perfetto", PF_WANT_EVENTS | PF_WANT_SLICES);
    t->inputs->stored = stored;
    t->inputs->stored_bytes = len;
    t->inputs->compression = compression;
    t->inputs->max_sequence_id = 5;
    return t;
}

static pf_findings *one_slice(void)
{
    pf_findings *f = pf_findings_new(NULL);
    const pf_overlay_track track = {
        .kind = PF_OVERLAY_SLICES, .parent = PF_NONE, .anchor = PF_ANCHOR_GLOBAL, .name = PF_STR("kernels")};
    pf_overlay_slice(f, pf_overlay_add_track(f, &track), 100, 50, PF_STR("kernel"));
    return f;
}

/* The enriched file under that name. */
static char *enrich(const pf_trace *t, const char *name, size_t *len)
{
    char *folder = test_folder(), *path = test_path(folder, name);
    pf_findings *f = one_slice();
    pf_error err;
    cr_assert_eq(pf_write_enriched(t, f, path, NULL, &err), PF_OK, "%s", err.text);
    char *bytes = test_read(path, len);
    pf_findings_free(f);
    free(path);
    test_folder_remove(folder);
    return bytes;
}

/* The bytes are the original packet and ours, in this order. */
static void expect_both(const char *bytes, size_t len, bool ours_first)
{
    test_packets p = test_decode(bytes, len);
    cr_assert_gt(p.count, 3);
    const Pf__Proto__TracePacket *theirs = p.list[ours_first ? p.count - 1 : 0].envelope;
    cr_expect_eq(theirs->trusted_packet_sequence_id, 5);
    cr_expect_eq(theirs->timestamp, 1);
    size_t at = ours_first ? len - sizeof original : 0;
    cr_expect_eq(memcmp(bytes + at, original, sizeof original), 0);
    cr_expect_eq(test_event_count(&p), 2);
    cr_expect_str_eq(test_event(&p, 0)->name, "kernel");
    test_packets_free(&p);
}

/* Decompresses all frames. */
static char *unsqueeze(const char *bytes, size_t len, size_t *plain_len)
{
    enum { ROOM = 1 << 16 };
    char *plain = malloc(ROOM);
    *plain_len = ZSTD_decompress(plain, ROOM, bytes, len);
    cr_assert_not(ZSTD_isError(*plain_len), "%s", ZSTD_getErrorName(*plain_len));
    return plain;
}

Test(enrich_packed, a_zstd_input_gets_one_more_frame_whatever_the_name)
{
    char stored[64];
    size_t stored_len = ZSTD_compress(stored, sizeof stored, original, sizeof original, 3);
    static const char *const names[] = {"out.pftrace", "out.pftrace.gz"};
    for (size_t i = 0; i < 4; i++) {
        pf_trace *t = packed_trace(stored, stored_len, "zstd");
        bool first = i >= 2;
        if (first) {
            pf_trace_count(t, PF_STAT_ZSTD_TRUNCATED, 6);
        }
        test_finish(t);
        size_t len, plain_len;
        char *bytes = enrich(t, names[i % 2], &len);
        cr_assert_gt(len, stored_len);
        cr_expect_eq(memcmp(bytes + (first ? len - stored_len : 0), stored, stored_len), 0);
        cr_expect_eq(ZSTD_findFrameCompressedSize(bytes, len), first ? len - stored_len : stored_len);
        cr_expect_eq(ZSTD_findFrameCompressedSize(bytes + (first ? len - stored_len : stored_len),
                                                  first ? stored_len : len - stored_len),
                     first ? stored_len : len - stored_len);
        char *plain = unsqueeze(bytes, len, &plain_len);
        expect_both(plain, plain_len, first);
        free(plain);
        free(bytes);
        pf_trace_free(t);
    }
}

static pf_status send_original(const pf_trace *t, const pf_input *in, pf_bytes_taker take, void *ctx, pf_error *err)
{
    cr_expect_eq(in, pf_trace_input(t, 0));
    pf_status st = take(ctx, original, 2);
    return st == PF_OK ? take(ctx, original + 2, sizeof original - 2) : st;
}

static pf_status send_nothing(const pf_trace *t, const pf_input *in, pf_bytes_taker take, void *ctx, pf_error *err)
{
    return pf_fail(err, PF_ERR_INPUT, "it changed");
}

Test(enrich_packed, a_trace_in_a_zip_is_taken_out_of_it)
{
    for (unsigned round = 0; round < 4; round++) {
        bool gzip = round & 1, first = round & 2;
        pf_trace *t = packed_trace(archive, sizeof archive, "zip");
        t->send_plain = send_original;
        t->inputs->has_service_events = first;
        test_finish(t);
        size_t len, plain_len;
        char *bytes = enrich(t, gzip ? "out.pftrace.gz" : "out.pftrace", &len);
        if (gzip) {
            char *plain = test_inflate(bytes, len, &plain_len);
            expect_both(plain, plain_len, first);
            free(plain);
        } else {
            expect_both(bytes, len, first);
        }
        free(bytes);
        pf_trace_free(t);
    }
}

Test(enrich_packed, a_zip_that_cannot_be_unpacked_again_leaves_nothing_behind)
{
    char *folder = test_folder(), *path = test_path(folder, "out.pftrace");
    pf_trace *t = packed_trace(archive, sizeof archive, "zip");
    t->send_plain = send_nothing;
    test_finish(t);
    pf_findings *f = one_slice();
    pf_error err;
    cr_expect_eq(pf_write_enriched(t, f, path, NULL, &err), PF_ERR_INPUT);
    cr_expect_str_eq(err.text, "it changed");
    cr_expect_eq(test_entries(folder), 0);
    pf_findings_free(f);
    pf_trace_free(t);
    free(path);
    test_folder_remove(folder);
}
