/* gzip: members, damage, threads, limits. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "base/codec/codec.h"

#define MEMBERS 5

/* Members of many sizes, an empty one among them. */
static void make_members(pf_buffer *stored, pf_buffer *plain)
{
    static const size_t sizes[MEMBERS] = {1, 300000, 0, 70000, 2500000};
    for (size_t i = 0; i < MEMBERS; i++) {
        char *noise = make_noise(sizes[i], (uint32_t)i + 1);
        add_member(stored, noise, sizes[i]);
        pf_buffer_put(plain, noise, sizes[i]);
        free(noise);
    }
}

static bool same(const pf_buffer *a, const pf_buffer *b, size_t len)
{
    return a->len == len && (len == 0 || memcmp(a->data, b->data, len) == 0);
}

Test(gzip, members_form_one_stream_whatever_the_windows_and_threads)
{
    pf_buffer stored = {0}, plain = {0};
    make_members(&stored, &plain);
    static const size_t steps[] = {0, 1000, 65536, 262144, 300001};
    for (unsigned jobs = 1; jobs <= 2; jobs++) {
        for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
            for (unsigned keep = 1; keep <= 3; keep += 2) {
                pf_read_options o = pf_read_options_default();
                o.jobs = jobs;
                drained d;
                drain(&d, &stored, &o, steps[i], keep);
                cr_expect_eq(d.status, PF_OK);
                cr_expect(same(&d.plain, &plain, plain.len), "jobs %u step %zu keep %u", jobs, steps[i], keep);
                cr_expect_str_eq(d.input.compression, "gzip");
                cr_expect_eq(d.input.plain_bytes, plain.len);
                for (size_t k = 0; k < PF_STAT_COUNT; k++) {
                    cr_expect_eq(d.t->stat_count[k], 0);
                }
                drained_free(&d);
            }
        }
    }
    pf_buffer_free(&stored);
    pf_buffer_free(&plain);
}

Test(gzip, a_truncated_stream_gives_what_is_there)
{
    pf_buffer stored = {0}, plain = {0};
    make_members(&stored, &plain);
    size_t whole = stored.len;
    for (size_t cut = 3; cut < whole; cut += whole / 37) {
        stored.len = cut;
        size_t lens[2];
        for (unsigned jobs = 1; jobs <= 2; jobs++) {
            pf_read_options o = pf_read_options_default();
            o.jobs = jobs;
            drained d;
            drain(&d, &stored, &o, 100000, 1);
            cr_expect_eq(d.status, PF_OK);
            cr_expect_eq(d.t->stat_count[PF_STAT_GZIP_TRUNCATED], 1, "cut at %zu", cut);
            cr_expect_eq(d.t->stat_offset[PF_STAT_GZIP_TRUNCATED], d.plain.len);
            cr_expect(d.plain.len < plain.len && (!d.plain.len || !memcmp(d.plain.data, plain.data, d.plain.len)));
            lens[jobs - 1] = d.plain.len;
            drained_free(&d);
        }
        cr_expect_eq(lens[0], lens[1]);
    }
    /* Most of a stream that lacks only its trailer is there. */
    stored.len = whole - 4;
    drained d;
    drain(&d, &stored, NULL, 0, 1);
    cr_expect_eq(d.plain.len, plain.len);
    cr_expect_eq(d.t->stat_count[PF_STAT_GZIP_TRUNCATED], 1);
    drained_free(&d);
    pf_buffer_free(&stored);
    pf_buffer_free(&plain);
}

Test(gzip, bytes_behind_the_last_member)
{
    static const char zeros[600] = {0};
    static const struct {
        const char *bytes;
        size_t len;
    } tails[] = {{zeros, 600}, {zeros, 1}, {"garbage", 7}, {"\x1f", 1}};
    for (size_t i = 0; i < sizeof tails / sizeof *tails; i++) {
        pf_buffer stored = {0};
        add_member(&stored, "hello", 5);
        pf_buffer_put(&stored, tails[i].bytes, tails[i].len);
        drained d;
        drain(&d, &stored, NULL, 0, 1);
        cr_expect_eq(d.status, PF_OK);
        cr_expect(d.plain.len == 5 && memcmp(d.plain.data, "hello", 5) == 0);
        cr_expect_eq(d.t->stat_count[PF_STAT_GZIP_TRAILING], 1);
        drained_free(&d);
        pf_buffer_free(&stored);
    }
}

Test(gzip, damage_ends_the_stream)
{
    pf_buffer stored = {0};
    char *noise = make_noise(500000, 9);
    add_member(&stored, noise, 500000);
    size_t first = stored.len;
    add_member(&stored, "second", 6);
    stored.data[first / 2] ^= 0x55;
    for (unsigned jobs = 1; jobs <= 2; jobs++) {
        pf_read_options o = pf_read_options_default();
        o.jobs = jobs;
        drained d;
        drain(&d, &stored, &o, 0, 1);
        cr_expect_eq(d.status, PF_OK);
        cr_expect_eq(d.t->stat_count[PF_STAT_GZIP_DAMAGED], 1);
        cr_expect_gt(d.plain.len, 100000);
        cr_expect_eq(memcmp(d.plain.data, noise, 100000), 0);
        drained_free(&d);
    }
    /* A wrong checksum. */
    stored.len = 0;
    add_member(&stored, noise, 500000);
    stored.data[stored.len - 6] ^= 1;
    drained d;
    drain(&d, &stored, NULL, 0, 1);
    cr_expect_eq(d.plain.len, 500000);
    cr_expect_eq(d.t->stat_count[PF_STAT_GZIP_DAMAGED], 1);
    drained_free(&d);
    free(noise);
    pf_buffer_free(&stored);
}

Test(gzip, every_changed_byte_of_a_small_stream_ends_well)
{
    pf_buffer stored = {0};
    add_member(&stored, "[{\"ph\":\"B\"}]", 12);
    add_member(&stored, "x", 1);
    for (size_t i = 2; i < stored.len; i++) {
        for (int bit = 0; bit < 8; bit++) {
            stored.data[i] = (char)(stored.data[i] ^ 1 << bit);
            drained d;
            drain(&d, &stored, NULL, 0, 1);
            cr_expect_eq(d.status, PF_OK, "byte %zu bit %d", i, bit);
            drained_free(&d);
            stored.data[i] = (char)(stored.data[i] ^ 1 << bit);
        }
    }
    pf_buffer_free(&stored);
}

/* Everything that the codec makes of the bytes, by steps of `cap`. Only what is said to be whole from the beginning
 * goes the fast way (read/input/fast_gzip.c). */
static pf_codec_end decode(const pf_buffer *stored, bool whole, size_t cap, pf_buffer *out)
{
    pf_limits limits = pf_limits_default();
    pf_budget budget;
    pf_codec c;
    char *room = malloc(cap);
    pf_budget_init(&budget, &limits);
    pf_codec_init(&c, PF_CODEC_GZIP, PF_CODEC_WINDOW, &budget);
    c.in = (const uint8_t *)stored->data;
    c.len = stored->len;
    c.final = whole;
    while (c.end == PF_CODEC_RUNNING) {
        size_t made = pf_codec_fill(&c, (uint8_t *)room, cap);
        pf_buffer_put(out, room, made);
        c.final = c.final || made < cap;
    }
    pf_codec_end end = c.end;
    pf_codec_free(&c);
    cr_expect_eq(atomic_load(&budget.used), 0);
    free(room);
    return end;
}

Test(gzip, the_fast_way_ends_as_the_slow_one_does)
{
    static const size_t caps[] = {1, 777, 200000, 1u << 20}; /* small ones while nothing is damaged */
    static const char words[] = "{\"ph\":\"X\",\"ts\":0123456789,}";
    char text[90000];
    pf_buffer stored = {0};
    for (size_t i = 0; i < sizeof text; i++) {
        text[i] = words[(i * i / 7 + i) % (sizeof words - 1)];
    }
    char *noise = make_noise(50000, 3);
    add_member(&stored, text, sizeof text);
    add_member(&stored, noise, 50000);
    add_member(&stored, text, 5);
    free(noise);
    size_t whole_len = stored.len;
    uint32_t random = 1;
    for (unsigned round = 0; round < 1500; round++) {
        size_t at = (random = random * 1664525 + 1013904223) % whole_len,
               cap = caps[round % 3 ? round / 3 % 2 + 2 : round / 3 % 4];
        char before = stored.data[at];
        if (round % 3 == 1) {
            stored.data[at] ^= (char)(1 << round % 8);
        } else if (round % 3 == 2) {
            stored.len = at;
        }
        pf_buffer fast = {0}, slow = {0};
        pf_codec_end fast_end = decode(&stored, true, cap, &fast), slow_end = decode(&stored, false, cap, &slow);
        cr_expect_eq(fast_end, slow_end, "round %u, at %zu", round, at);
        cr_expect(same(&fast, &slow, slow.len), "round %u, at %zu", round, at);
        pf_buffer_free(&fast);
        pf_buffer_free(&slow);
        stored.data[at] = before;
        stored.len = whole_len;
    }
    pf_buffer_free(&stored);
}

Test(gzip, closing_before_the_end_joins_the_thread)
{
    pf_buffer stored = {0};
    char *noise = make_noise(8000000, 3);
    add_member(&stored, noise, 8000000);
    expect_closed_early(&stored);
    free(noise);
    pf_buffer_free(&stored);
}

/* ---- limits ------------------------------------------------------------------------------------------------------ */

Test(gzip_limits, plain)
{
    pf_buffer stored = {0};
    char *noise = make_noise(3000000, 3);
    add_member(&stored, noise, 3000000);
    for (unsigned jobs = 1; jobs <= 2; jobs++) {
        pf_read_options o = pf_read_options_default();
        o.jobs = jobs;
        drained d;
        o.limits.plain = 3000000;
        drain(&d, &stored, &o, 0, 1);
        cr_expect_eq(d.status, PF_OK);
        drained_free(&d);
        o.limits.plain = 2999999;
        drain(&d, &stored, &o, 0, 1);
        cr_expect_eq(d.status, PF_ERR_LIMIT);
        cr_expect_not_null(strstr(d.err.text, "--max-plain"));
        drained_free(&d);
    }
    free(noise);
    pf_buffer_free(&stored);
}

Test(gzip_limits, ratio)
{
    /* 80 MB of zeros become about 80 KB: a ratio of about 1030. */
    enum { ZEROS = 80 << 20 };
    char *zeros = calloc(1, ZEROS);
    pf_buffer stored = {0};
    add_member(&stored, zeros, ZEROS);
    free(zeros);
    pf_read_options o = pf_read_options_default();
    drained d;
    drain(&d, &stored, &o, 0, 1);
    cr_expect_eq(d.status, PF_OK, "the default allows what deflate can do");
    drained_free(&d);
    o.limits.ratio = 500;
    drain(&d, &stored, &o, 0, 1);
    cr_expect_eq(d.status, PF_ERR_LIMIT);
    cr_expect_not_null(strstr(d.err.text, "--max-ratio"));
    cr_expect_leq(d.plain.len, 66u << 20);
    drained_free(&d);
    pf_buffer_free(&stored);
}

Test(gzip_limits, memory_of_an_unconsumed_rest)
{
    enum { ZEROS = 40 << 20 };
    char *zeros = calloc(1, ZEROS);
    pf_buffer stored = {0};
    add_member(&stored, zeros, ZEROS);
    free(zeros);
    pf_read_options o = pf_read_options_default();
    o.limits.memory = 16u << 20;
    drained d;
    drain(&d, &stored, &o, 0, 1);
    cr_expect_eq(d.status, PF_OK, "a window does not need the memory of the whole");
    drained_free(&d);
    drain(&d, &stored, &o, 0, 1000000000);
    cr_expect_eq(d.status, PF_ERR_LIMIT);
    cr_expect_not_null(strstr(d.err.text, "--max-memory"));
    drained_free(&d);
    pf_buffer_free(&stored);
}
