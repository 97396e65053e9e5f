/* zstd: frames, damage, hostile headers, limits. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

static const char skippable[] = "\x50\x2a\x4d\x18\x05\0\0\0skip!", empty_skippable[] = "\x5f\x2a\x4d\x18\0\0\0";

/* Frames of many sizes with and without a length, an empty one and skippable ones among them. */
static void make_frames(pf_buffer *stored, pf_buffer *plain)
{
    static const size_t sizes[] = {1, 300000, 0, 70000, 2500000};
    pf_buffer_put(stored, skippable, sizeof skippable - 1);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char *noise = make_noise(sizes[i], (uint32_t)i + 1);
        add_frame(stored, noise, sizes[i], i % 2);
        pf_buffer_put(plain, noise, sizes[i]);
        free(noise);
        pf_buffer_put(stored, empty_skippable, sizeof empty_skippable);
    }
}

Test(zstd, frames_form_one_stream_whatever_the_windows_and_threads)
{
    pf_buffer stored = {0}, plain = {0};
    make_frames(&stored, &plain);
    static const size_t steps[] = {0, 1000, 65536, 262144, 300001};
    for (unsigned jobs = 1; jobs <= 2; jobs++) {
        for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
            for (unsigned keep = 1; keep <= 3; keep += 2) {
                pf_read_options o = pf_read_options_default();
                o.jobs = jobs;
                drained d;
                drain(&d, &stored, &o, steps[i], keep);
                cr_expect_eq(d.status, PF_OK);
                cr_expect(is_all(&d, plain.data, plain.len), "jobs %u step %zu keep %u", jobs, steps[i], keep);
                cr_expect_str_eq(d.input.compression, "zstd");
                cr_expect_eq(d.input.plain_bytes, plain.len);
                cr_expect_eq(faults(&d), 0);
                drained_free(&d);
            }
        }
    }
    pf_buffer_free(&stored);
    pf_buffer_free(&plain);
}

/* A window of a few bytes ends in the middle of blocks, also of the last one of a frame. */
Test(zstd, tiny_windows)
{
    enum { LEN = 2 * BLOCK + 77 };
    char *noise = make_noise(LEN, 8);
    memset(noise + BLOCK, ' ', BLOCK);
    pf_buffer stored = {0}, plain = {0};
    static const size_t lens[] = {LEN, 2 * BLOCK, BLOCK, 1, 0, 15};
    for (size_t i = 0; i < sizeof lens / sizeof *lens; i++) {
        add_frame(&stored, noise, lens[i], i % 2);
        pf_buffer_put(&plain, noise, lens[i]);
        add_frame(&stored, noise + BLOCK, lens[i] < BLOCK ? lens[i] : BLOCK, i % 2);
        pf_buffer_put(&plain, noise + BLOCK, lens[i] < BLOCK ? lens[i] : BLOCK);
        pf_buffer_put(&stored, "\x28\xb5\x2f\xfd\0\0\x7b\0\0x", 10); /* 15 times x, no checksum */
        pf_buffer_text(&plain, "xxxxxxxxxxxxxxx");
    }
    for (size_t step = 1; step < 20; step++) {
        drained d;
        drain_both(&d, &stored, NULL, step);
        cr_expect(is_all(&d, plain.data, plain.len), "step %zu: %zu bytes", step, d.plain.len);
        cr_expect_eq(faults(&d), 0);
        drained_free(&d);
    }
    free(noise);
    pf_buffer_free(&stored);
    pf_buffer_free(&plain);
}

/* Blocks of a frame without a length: where the content begins and ends, by walking the block headers. */
typedef struct blocks {
    size_t count, begin[16], end[16];
    bool raw[16]; /* not compressed: each byte of it counts */
} blocks;

static blocks find_blocks(const uint8_t *frame)
{
    blocks b = {0};
    size_t at = 6;
    bool last = false;
    while (!last) {
        uint32_t header = frame[at] | (uint32_t)frame[at + 1] << 8 | (uint32_t)frame[at + 2] << 16;
        unsigned type = (header >> 1) & 3;
        last = header & 1;
        b.raw[b.count] = type == 0;
        b.begin[b.count] = at + 3;
        at += 3 + (type == 1 ? 1 : header >> 3);
        b.end[b.count++] = at;
    }
    return b;
}

Test(zstd, cut_at_every_byte_all_whole_blocks_are_there)
{
    enum { LEN = 4 * BLOCK + 77 };
    char *noise = make_noise(LEN, 7);
    pf_buffer stored = {0};
    add_frame(&stored, noise, LEN, false);
    blocks b = find_blocks((const uint8_t *)stored.data);
    size_t whole = stored.len;
    cr_assert(b.count == 5 && !b.raw[0]);
    static const size_t steps[] = {0, 100, 1};
    for (size_t cut = 4; cut < whole; cut++) {
        size_t there = 0;
        for (size_t i = 0; i < b.count; i++) {
            size_t size = i + 1 < b.count ? BLOCK : LEN - i * BLOCK;
            there += cut >= b.end[i] ? size : b.raw[i] && cut > b.begin[i] ? cut - b.begin[i] : 0;
        }
        stored.len = cut;
        drained d;
        drain_both(&d, &stored, NULL, steps[cut % 3]);
        cr_expect_eq(d.status, PF_OK);
        cr_expect_eq(d.plain.len, there, "cut at %zu: %zu bytes, not %zu", cut, d.plain.len, there);
        cr_expect(is_prefix(&d, noise, LEN));
        cr_expect_eq(d.t->stat_count[PF_STAT_ZSTD_TRUNCATED], 1);
        cr_expect_eq(d.t->stat_offset[PF_STAT_ZSTD_TRUNCATED], there);
        cr_expect_eq(faults(&d), 1);
        drained_free(&d);
    }
    free(noise);
    pf_buffer_free(&stored);
}

Test(zstd, cut_between_frames)
{
    pf_buffer stored = {0};
    add_frame(&stored, "first", 5, true);
    size_t first = stored.len;
    add_frame(&stored, "second", 6, true);
    for (size_t cut = first; cut < first + 5; cut++) {
        stored.len = cut;
        drained d;
        drain_both(&d, &stored, NULL, 0);
        cr_expect(is_all(&d, "first", 5));
        cr_expect_eq(faults(&d), cut > first);
        cr_expect_eq(d.t->stat_count[PF_STAT_ZSTD_TRAILING], cut > first && cut < first + 4);
        cr_expect_eq(d.t->stat_count[PF_STAT_ZSTD_TRUNCATED], cut >= first + 4);
        drained_free(&d);
    }
    pf_buffer_free(&stored);
}

Test(zstd, damage_keeps_the_blocks_before_it)
{
    enum { LEN = 4 * BLOCK + 77 };
    char *noise = make_noise(LEN, 7);
    pf_buffer stored = {0};
    add_frame(&stored, noise, LEN, false);
    blocks b = find_blocks((const uint8_t *)stored.data);
    for (size_t i = 0; i + 1 < b.count; i++) {
        char kept = stored.data[b.end[i]];
        stored.data[b.end[i]] = (char)(kept | 6); /* block type 3 does not exist */
        for (size_t step = 0; step < 3000; step += 999) {
            drained d;
            drain_both(&d, &stored, NULL, step);
            cr_expect_eq(d.status, PF_OK);
            cr_expect_eq(d.plain.len, (i + 1) * BLOCK);
            cr_expect(is_prefix(&d, noise, LEN));
            cr_expect_eq(d.t->stat_count[PF_STAT_ZSTD_DAMAGED], 1);
            drained_free(&d);
        }
        stored.data[b.end[i]] = kept;
    }
    /* A wrong checksum loses nothing. */
    stored.data[stored.len - 1] ^= 1;
    drained d;
    drain_both(&d, &stored, NULL, 0);
    cr_expect(is_all(&d, noise, LEN));
    cr_expect_eq(d.t->stat_count[PF_STAT_ZSTD_DAMAGED], 1);
    drained_free(&d);
    free(noise);
    pf_buffer_free(&stored);
}

Test(zstd, every_changed_bit_is_noticed_or_changes_nothing)
{
    static const char text[] = "[{\"ph\":\"B\",\"name\":\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"}]";
    pf_buffer stored = {0};
    add_frame(&stored, text, sizeof text - 1, true);
    pf_buffer_put(&stored, skippable, sizeof skippable - 1);
    for (size_t bit = 4 * 8; bit < stored.len * 8; bit++) {
        stored.data[bit / 8] = (char)(stored.data[bit / 8] ^ 1 << bit % 8);
        drained d;
        drain_both(&d, &stored, NULL, 0);
        cr_expect_eq(d.status, PF_OK, "bit %zu", bit);
        cr_expect(faults(&d) == 1 || is_all(&d, text, sizeof text - 1), "bit %zu", bit);
        drained_free(&d);
        stored.data[bit / 8] = (char)(stored.data[bit / 8] ^ 1 << bit % 8);
    }
    pf_buffer_free(&stored);
}

Test(zstd, bytes_behind_the_last_frame)
{
    static const char zeros[600] = {0};
    static const size_t lens[] = {1, 3, 4, 600};
    for (size_t i = 0; i < sizeof lens / sizeof *lens; i++) {
        pf_buffer stored = {0};
        add_frame(&stored, "hello", 5, true);
        pf_buffer_put(&stored, zeros, lens[i]);
        drained d;
        drain_both(&d, &stored, NULL, 0);
        cr_expect(is_all(&d, "hello", 5));
        cr_expect_eq(d.t->stat_count[PF_STAT_ZSTD_TRAILING], 1);
        cr_expect_eq(faults(&d), 1);
        drained_free(&d);
        pf_buffer_free(&stored);
    }
}

static void put_bytes(pf_buffer *b, const void *bytes, size_t len)
{
    b->len = 0;
    pf_buffer_put(b, bytes, len);
}

Test(zstd, headers_that_lie_get_no_memory)
{
    /* Magic, descriptor, then a window or a length; one raw last block "ok". */
    static const struct {
        const char *bytes;
        size_t len;
        bool damaged;
        bool limited; /* by --max-ratio */
    } files[] = {
        {"\x28\xb5\x2f\xfd\x00\x38\x11\0\0ok", 11, false, false}, /* 128 KiB */
        {"\x28\xb5\x2f\xfd\x00\x88\x11\0\0ok", 11, false, false}, /* 128 MiB */
        {"\x28\xb5\x2f\xfd\x00\x89\x11\0\0ok", 11, false, true},  /* an eighth more */
        {"\x28\xb5\x2f\xfd\x00\xff\x11\0\0ok", 11, true, false},  /* 3.75 TiB */
        {"\x28\xb5\x2f\xfd\x20\x02\x11\0\0ok", 11, false, false}, /* one segment of 2 bytes */
        {"\x28\xb5\x2f\xfd\xe0\xff\xff\xff\xff\xff\xff\xff\xff\x11\0\0ok", 18, true, false}, /* of 2^64 - 1 bytes */
        {"\x28\xb5\x2f\xfd\xa0\x01\0\0\x08\x11\0\0ok", 14, false, true},                     /* of 128 MiB and a byte */
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        pf_buffer stored = {0};
        put_bytes(&stored, files[i].bytes, files[i].len);
        drained d;
        drain_both(&d, &stored, NULL, 0);
        cr_expect_eq(d.status, files[i].limited ? PF_ERR_LIMIT : PF_OK, "file %zu", i);
        cr_expect_eq(d.t->stat_count[PF_STAT_ZSTD_DAMAGED], files[i].damaged, "file %zu", i);
        cr_expect(is_all(&d, "ok", files[i].damaged || files[i].limited ? 0 : 2), "file %zu", i);
        drained_free(&d);
        pf_buffer_free(&stored);
    }
}

Test(zstd_limits, the_window_counts_as_memory)
{
    pf_buffer stored = {0};
    put_bytes(&stored, "\x28\xb5\x2f\xfd\x00\x70\x11\0\0ok", 11); /* 16 MiB */
    pf_read_options o = pf_read_options_default();
    drained d;
    o.limits.memory = 12u << 20;
    drain_both(&d, &stored, &o, 0);
    cr_expect_eq(d.status, PF_ERR_LIMIT);
    cr_expect_not_null(strstr(d.err.text, "--max-memory"));
    drained_free(&d);
    o.limits.memory = 24u << 20;
    drain_both(&d, &stored, &o, 0);
    cr_expect_eq(d.status, PF_OK);
    uint64_t now, peak;
    pf_trace_memory(d.t, &now, &peak);
    cr_expect_gt(peak, 16u << 20);
    cr_expect_lt(now, 1u << 20, "what the window took is given back");
    drained_free(&d);
    pf_buffer_free(&stored);
}

Test(zstd_limits, plain_and_ratio)
{
    enum { ZEROS = 80 << 20 };
    char *zeros = calloc(1, ZEROS);
    pf_buffer stored = {0};
    add_frame(&stored, zeros, ZEROS, true);
    free(zeros);
    pf_read_options o = pf_read_options_default();
    drained d;
    drain_both(&d, &stored, &o, 0);
    cr_expect_eq(d.status, PF_OK);
    cr_expect_eq(d.plain.len, ZEROS);
    drained_free(&d);
    o.limits.ratio = 50;
    drain_both(&d, &stored, &o, 0);
    cr_expect_eq(d.status, PF_ERR_LIMIT);
    cr_expect_not_null(strstr(d.err.text, "--max-ratio"));
    cr_expect_leq(d.plain.len, 66u << 20);
    drained_free(&d);
    o.limits.plain = ZEROS - 1;
    o.limits.ratio = 0;
    drain_both(&d, &stored, &o, 0);
    cr_expect_eq(d.status, PF_ERR_LIMIT);
    cr_expect_not_null(strstr(d.err.text, "--max-plain"));
    drained_free(&d);
    pf_buffer_free(&stored);
}

Test(zstd, closing_before_the_end_gives_everything_back)
{
    pf_buffer stored = {0};
    char *noise = make_noise(8000000, 3);
    add_frame(&stored, noise, 8000000, true);
    expect_closed_early(&stored);
    free(noise);
    pf_buffer_free(&stored);
}
