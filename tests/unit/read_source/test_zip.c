/* zip: the one file in an archive, damage, hostile records, what is refused. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEN 150000

/* The noise that all archives here hold, as stored by each method. */
typedef struct content {
    char *plain;
    pf_buffer deflated, frame, gzip, gzip_deflated;
} content;

static content make_content(void)
{
    content c = {.plain = make_noise(LEN, 5)};
    add_deflated(&c.deflated, c.plain, LEN);
    add_frame(&c.frame, c.plain, LEN, true);
    add_member(&c.gzip, c.plain, LEN / 3);
    add_member(&c.gzip, c.plain + LEN / 3, LEN - LEN / 3);
    add_deflated(&c.gzip_deflated, c.gzip.data, c.gzip.len);
    return c;
}

static void free_content(content *c)
{
    free(c->plain);
    pf_buffer_free(&c->deflated);
    pf_buffer_free(&c->frame);
    pf_buffer_free(&c->gzip);
    pf_buffer_free(&c->gzip_deflated);
}

static zipped make_file(const char *name, const void *bytes, size_t len)
{
    return (zipped){.name = name, .bytes = bytes, .len = len};
}

static zipped make_packed(const pf_buffer *packed, unsigned method, const void *plain, size_t plain_len)
{
    return (zipped){.name = "trace.json",
                    .bytes = packed->data,
                    .len = packed->len,
                    .method = method,
                    .plain = plain,
                    .plain_len = plain_len};
}

static zipped stored_file(const content *c)
{
    return make_file("trace.json", c->plain, LEN);
}

static zipped deflated_file(const content *c)
{
    return make_packed(&c->deflated, 8, c->plain, LEN);
}

static void expect_content(const content *c, const pf_buffer *zip, const char *what)
{
    static const size_t steps[] = {0, 1000, 65537};
    for (size_t i = 0; i < 3; i++) {
        drained d;
        drain_both(&d, zip, NULL, steps[i]);
        cr_expect_eq(d.status, PF_OK, "%s: %s", what, d.err.text);
        cr_expect(is_all(&d, c->plain, LEN), "%s: %zu bytes", what, d.plain.len);
        cr_expect_eq(faults(&d), 0, "%s", what);
        cr_expect_str_eq(d.input.compression, "zip");
        drained_free(&d);
    }
}

Test(zip, every_way_to_store_a_file)
{
    content c = make_content();
    zipped stored = stored_file(&c), deflated = deflated_file(&c);
    zipped frame = make_packed(&c.frame, 93, c.plain, LEN);
    zipped gzip = make_file("t.gz", c.gzip.data, c.gzip.len);
    zipped gzip_deflated = make_packed(&c.gzip_deflated, 8, c.gzip.data, c.gzip.len);
    zipped zstd = make_file("t.zst", c.frame.data, c.frame.len);
    const zipped *ways[] = {&stored, &deflated, &frame, &gzip, &gzip_deflated, &zstd};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        for (unsigned form = 0; form < 8; form++) {
            zipped f = *ways[i];
            f.flags = form & 1 ? 8 : 0; /* lengths after the bytes */
            f.wide = form & 2;
            pf_buffer zip = {0};
            char what[32];
            snprintf(what, sizeof what, "way %zu form %u", i, form);
            add_archive(&zip, &f, 1, form & 4, form & 4 ? "a comment" : "");
            expect_content(&c, &zip, what);
            pf_buffer_free(&zip);
        }
    }
    free_content(&c);
}

/* Appends a gzip member of `len` bytes: its header has as long a name as that takes. */
static void add_long_member(pf_buffer *b, size_t len, const void *plain, size_t plain_len)
{
    pf_buffer member = {0};
    add_member(&member, plain, plain_len);
    const size_t header = 10, filled = len - member.len - 1;
    member.data[3] |= 8; /* there is a name */
    pf_buffer_put(b, member.data, header);
    for (size_t i = 0; i < filled; i++) {
        pf_buffer_put(b, "n", 1);
    }
    pf_buffer_put(b, "", 1);
    pf_buffer_put(b, member.data + header, member.len - header);
    pf_buffer_free(&member);
}

/* Appends a zstd frame without content, of `len` bytes. */
static void add_skippable(pf_buffer *b, size_t len)
{
    const size_t rest = len - 8;
    const uint8_t header[8] = {0x50, 0x2a, 0x4d, 0x18, (uint8_t)rest, (uint8_t)(rest >> 8), (uint8_t)(rest >> 16), 0};
    pf_buffer_put(b, (const char *)header, sizeof header);
    for (size_t i = 0; i < rest; i++) {
        pf_buffer_put(b, "s", 1);
    }
}

/* What a zip holds is decoded in pieces of 64 KiB: a member or frame inside may begin at any byte before the end of
 * one.
 */
Test(zip, a_member_inside_begins_anywhere)
{
    enum { PIECE = 65536, SMALL = 3000 };
    char *plain = make_noise(SMALL, 9);
    for (size_t before = 0; before < 24; before++) {
        for (int zstd = 0; zstd < 2; zstd++) {
            pf_buffer inside = {0}, zip = {0};
            if (zstd) {
                add_skippable(&inside, PIECE - before);
                add_frame(&inside, plain, SMALL, true);
            } else {
                add_long_member(&inside, PIECE - before, plain, SMALL / 2);
                add_member(&inside, plain + SMALL / 2, SMALL - SMALL / 2);
            }
            zipped f = make_file(zstd ? "t.zst" : "t.gz", inside.data, inside.len);
            add_archive(&zip, &f, 1, false, "");
            drained d;
            drain_both(&d, &zip, NULL, 1000);
            cr_expect_eq(d.status, PF_OK, "%zu %d: %s", before, zstd, d.err.text);
            cr_expect(is_all(&d, plain, SMALL), "%zu %d: %zu bytes", before, zstd, d.plain.len);
            cr_expect_eq(faults(&d), 0, "%zu %d", before, zstd);
            drained_free(&d);
            pf_buffer_free(&inside);
            pf_buffer_free(&zip);
        }
    }
    free(plain);
}

Test(zip, folders_and_resource_forks_do_not_count)
{
    content c = make_content();
    zipped files[] = {make_file("folder/", "", 0), deflated_file(&c), make_file("__MACOSX/._trace.json", "fork", 4)};
    pf_buffer zip = {0};
    add_archive(&zip, files, 3, false, "");
    expect_content(&c, &zip, "three entries");
    pf_buffer_free(&zip);
    free_content(&c);
}

static void expect_refused(const pf_buffer *zip, const char *words)
{
    drained d;
    drain_both(&d, zip, NULL, 0);
    cr_expect_eq(d.status, PF_ERR_INPUT, "%s", words);
    cr_expect_not_null(strstr(d.err.text, words), "'%s' does not say '%s'", d.err.text, words);
    drained_free(&d);
}

Test(zip, what_is_refused)
{
    const zipped folder = make_file("folder/", "", 0), one = make_file("a", "a", 1);
    zipped encrypted = make_file("a", "secret", 6), lzma = make_file("a", "packed", 6);
    encrypted.flags = 1;
    lzma.method = 14;
    const struct {
        zipped files[3];
        size_t count;
        const char *words;
    } archives[] = {
        {{one}, 0, "without a file"},    {{folder}, 1, "without a file"}, {{one, one}, 2, "2 files"},
        {{one, one, one}, 3, "3 files"}, {{encrypted}, 1, "encrypted"},   {{lzma}, 1, "method 14"},
    };
    for (size_t i = 0; i < sizeof archives / sizeof *archives; i++) {
        for (int wide = 0; wide < 2; wide++) {
            pf_buffer zip = {0};
            add_archive(&zip, archives[i].files, archives[i].count, wide, "");
            if (archives[i].count || !wide) {
                expect_refused(&zip, archives[i].words);
            }
            pf_buffer_free(&zip);
        }
    }
}

Test(zip, several_files_are_noticed_without_a_directory_too)
{
    const zipped files[] = {make_file("a", "content", 7), make_file("b", "content", 7)};
    pf_buffer zip = {0};
    add_archive(&zip, files, 2, false, "");
    zip.len -= 30;
    expect_refused(&zip, "2 files");
    pf_buffer_free(&zip);
}

/* ---- damage ------------------------------------------------------------------------------------------------------ */

Test(zip, wrong_checksums_and_lengths_are_counted_and_lose_nothing)
{
    content c = make_content();
    for (unsigned fault = 0; fault < 6; fault++) {
        zipped f = fault < 3 ? stored_file(&c) : deflated_file(&c);
        f.wrong_crc = fault % 3 == 0;
        f.plain = c.plain;
        f.plain_len = fault % 3 == 1 ? LEN - 1 : LEN;
        pf_buffer zip = {0};
        add_archive(&zip, &f, 1, false, "");
        if (fault % 3 == 2) { /* the directory claims a byte more is stored */
            size_t entry = 30 + strlen(f.name) + f.len;
            zip.data[entry + 20]++;
        }
        drained d;
        drain_both(&d, &zip, NULL, 0);
        cr_expect_eq(d.status, PF_OK);
        cr_expect_geq(d.plain.len, LEN);
        cr_expect_eq(memcmp(d.plain.data, c.plain, LEN), 0);
        cr_expect_eq(d.t->stat_count[PF_STAT_ZIP_DAMAGED], 1, "fault %u", fault);
        cr_expect_eq(faults(&d), 1);
        drained_free(&d);
        pf_buffer_free(&zip);
    }
    free_content(&c);
}

Test(zip, cut_at_every_byte)
{
    enum { SIZE = 1500 };
    char *noise = make_noise(SIZE, 11);
    pf_buffer deflated = {0};
    add_deflated(&deflated, noise, SIZE);
    for (unsigned form = 0; form < 8; form++) {
        zipped f = form & 1 ? make_packed(&deflated, 8, noise, SIZE) : make_file("trace.json", noise, SIZE);
        f.flags = form & 2 ? 8 : 0;
        f.wide = form & 4;
        pf_buffer zip = {0};
        add_archive(&zip, &f, 1, false, "");
        size_t begin = 30 + strlen(f.name) + (f.wide ? 25 : 0), end = begin + f.len, whole = zip.len;
        for (size_t cut = 4; cut < whole; cut++) {
            zip.len = cut;
            drained d;
            drain_both(&d, &zip, NULL, 0);
            if (cut < begin) {
                cr_expect_eq(d.status, PF_ERR_INPUT, "form %u cut %zu", form, cut);
                cr_expect_not_null(strstr(d.err.text, "truncated"));
            } else {
                cr_expect_eq(d.status, PF_OK, "form %u cut %zu", form, cut);
                cr_expect_eq(d.t->stat_count[PF_STAT_ZIP_TRUNCATED], 1, "form %u cut %zu", form, cut);
                cr_expect_eq(faults(&d), 1);
                /* A stored file without a length ends with the archive: records after it cannot be told apart. */
                size_t there = d.plain.len < SIZE ? d.plain.len : SIZE;
                cr_expect(there == 0 || memcmp(d.plain.data, noise, there) == 0);
                cr_expect(cut < end || there == SIZE, "form %u cut %zu", form, cut);
                cr_expect(form & 1 || cut >= end || there == cut - begin, "form %u cut %zu", form, cut);
            }
            drained_free(&d);
        }
        pf_buffer_free(&zip);
    }
    free(noise);
    pf_buffer_free(&deflated);
}

Test(zip, a_fault_inside_is_that_of_the_layer_inside)
{
    content c = make_content();
    zipped gzip = make_file("t.gz", c.gzip.data, c.gzip.len - 9);
    zipped zstd = make_file("t.zst", c.frame.data, c.frame.len - 5);
    pf_buffer zip = {0};
    drained d;
    add_archive(&zip, &gzip, 1, false, "");
    drain_both(&d, &zip, NULL, 0);
    cr_expect_eq(d.t->stat_count[PF_STAT_GZIP_TRUNCATED], 1);
    cr_expect_eq(faults(&d), 1);
    drained_free(&d);
    zip.len = 0;
    add_archive(&zip, &zstd, 1, false, "");
    drain_both(&d, &zip, NULL, 0);
    cr_expect_eq(d.t->stat_count[PF_STAT_ZSTD_TRUNCATED], 1);
    cr_expect_eq(faults(&d), 1);
    drained_free(&d);
    /* Cut outside: that explains it all. */
    zip.len = 60000;
    drain_both(&d, &zip, NULL, 0);
    cr_expect_eq(d.t->stat_count[PF_STAT_ZIP_TRUNCATED], 1);
    cr_expect_eq(faults(&d), 1);
    cr_expect(d.plain.len > 0 && is_prefix(&d, c.plain, LEN));
    drained_free(&d);
    pf_buffer_free(&zip);
    free_content(&c);
}

Test(zip, every_changed_bit_ends_well)
{
    static const char text[] = "[{\"ph\":\"B\",\"name\":\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"}]";
    pf_buffer deflated = {0}, zip = {0};
    add_deflated(&deflated, text, sizeof text - 1);
    zipped f = make_packed(&deflated, 8, text, sizeof text - 1);
    f.wide = true;
    add_archive(&zip, &f, 1, true, "comment");
    for (size_t bit = 4 * 8; bit < zip.len * 8; bit++) {
        zip.data[bit / 8] = (char)(zip.data[bit / 8] ^ 1 << bit % 8);
        drained d;
        drain_both(&d, &zip, NULL, 0);
        cr_expect(d.status == PF_OK || d.status == PF_ERR_INPUT, "bit %zu", bit);
        cr_expect(d.status != PF_OK || faults(&d) == 1 || is_all(&d, text, sizeof text - 1), "bit %zu", bit);
        drained_free(&d);
        zip.data[bit / 8] = (char)(zip.data[bit / 8] ^ 1 << bit % 8);
    }
    pf_buffer_free(&deflated);
    pf_buffer_free(&zip);
}

Test(zip, lengths_that_lie_get_no_memory)
{
    /* Offsets of the zip64 numbers: plain and stored length in the entry, place and length of the directory. */
    zipped f = make_file("t", "content", 7);
    f.wide = true;
    pf_buffer zip = {0};
    add_archive(&zip, &f, 1, true, "");
    size_t entry = 31 + 25 + 7, end64 = entry + 46 + 1 + 25 + 3;
    const size_t places[] = {entry + 46 + 1 + 9, entry + 46 + 1 + 17, end64 + 40,
                             end64 + 48,         end64 + 56 + 8,      entry + 42};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        for (int high = 0; high < 2; high++) {
            char kept[8];
            size_t bytes = places[i] == entry + 42 ? 4 : 8;
            memcpy(kept, zip.data + places[i], bytes);
            memset(zip.data + places[i], 0xff, bytes);
            zip.data[places[i] + bytes - 1] = high ? (char)0xff : 0x7f;
            drained d;
            pf_read_options o = pf_read_options_default();
            o.limits.memory = 16u << 20;
            drain_both(&d, &zip, &o, 0);
            cr_expect_eq(d.status, PF_OK, "place %zu: %s", i, d.err.text);
            cr_expect_eq(d.t->stat_count[PF_STAT_ZIP_DAMAGED] + d.t->stat_count[PF_STAT_ZIP_TRUNCATED], 1, "place %zu",
                         i);
            cr_expect_geq(d.plain.len, 7, "place %zu", i);
            uint64_t now, peak;
            pf_trace_memory(d.t, &now, &peak);
            cr_expect_lt(peak, 8u << 20);
            drained_free(&d);
            memcpy(zip.data + places[i], kept, bytes);
        }
    }
    pf_buffer_free(&zip);
}

Test(zip_limits, plain_and_ratio)
{
    enum { ZEROS = 80 << 20 };
    char *zeros = calloc(1, ZEROS);
    pf_buffer deflated = {0}, zip = {0};
    add_deflated(&deflated, zeros, ZEROS);
    const zipped f = make_packed(&deflated, 8, zeros, ZEROS);
    add_archive(&zip, &f, 1, false, "");
    free(zeros);
    pf_read_options o = pf_read_options_default();
    drained d;
    drain_both(&d, &zip, &o, 0);
    cr_expect_eq(d.status, PF_OK);
    cr_expect_eq(faults(&d), 0);
    drained_free(&d);
    o.limits.ratio = 500;
    drain_both(&d, &zip, &o, 0);
    cr_expect_eq(d.status, PF_ERR_LIMIT);
    cr_expect_not_null(strstr(d.err.text, "--max-ratio"));
    drained_free(&d);
    o.limits.plain = ZEROS - 1;
    drain_both(&d, &zip, &o, 0);
    cr_expect_eq(d.status, PF_ERR_LIMIT);
    drained_free(&d);
    pf_buffer_free(&deflated);
    pf_buffer_free(&zip);
}

/* ---- the plain bytes once more ----------------------------------------------------------------------------------- */

static pf_status gather(void *ctx, const void *bytes, size_t len)
{
    pf_buffer_put(ctx, bytes, len);
    return PF_OK;
}

static pf_status refuse(void *ctx, const void *bytes, size_t len)
{
    return PF_ERR_OUTPUT;
}

Test(zip, the_plain_bytes_can_be_had_again)
{
    content c = make_content();
    zipped f = deflated_file(&c);
    pf_buffer zip = {0}, plain = {0};
    add_archive(&zip, &f, 1, false, "");
    pf_buffer_put(&plain, c.plain, LEN);
    const pf_buffer *ways[] = {&zip, &c.gzip, &c.frame, &plain};
    for (size_t i = 0; i < 4; i++) {
        drained d;
        drain_both(&d, ways[i], NULL, 0);
        pf_buffer again = {0};
        pf_error err = {0};
        cr_expect_eq(pf_source_send(d.t, &d.input, gather, &again, &err), PF_OK, "%s", err.text);
        cr_expect(is_all(&d, again.data, again.len));
        cr_expect_eq(again.len, LEN);
        cr_expect_eq(pf_source_send(d.t, &d.input, refuse, NULL, &err), PF_ERR_OUTPUT);
        cr_expect_eq(faults(&d), 0);
        pf_buffer_free(&again);
        drained_free(&d);
    }
    pf_buffer_free(&zip);
    pf_buffer_free(&plain);
    free_content(&c);
}
