/* See support.h. */
#include "support.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

static void squeeze(pf_buffer *b, const void *plain, size_t len, int window_bits)
{
    z_stream z = {0};
    cr_assert_eq(deflateInit2(&z, 6, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY), Z_OK);
    uLong bound = deflateBound(&z, len);
    Bytef *out = malloc(bound);
    z.next_in = (Bytef *)(uintptr_t)plain;
    z.avail_in = (uInt)len;
    z.next_out = out;
    z.avail_out = (uInt)bound;
    cr_assert_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
    pf_buffer_put(b, out, z.total_out);
    deflateEnd(&z);
    free(out);
}

void add_member(pf_buffer *b, const void *plain, size_t len)
{
    squeeze(b, plain, len, 15 + 16);
}

void add_deflated(pf_buffer *b, const void *plain, size_t len)
{
    squeeze(b, plain, len, -15);
}

void add_frame(pf_buffer *b, const void *plain, size_t len, bool sized)
{
    ZSTD_CCtx *z = ZSTD_createCCtx();
    cr_assert_not_null(z);
    ZSTD_CCtx_setParameter(z, ZSTD_c_windowLog, 10); /* a block is no larger than the window */
    ZSTD_CCtx_setParameter(z, ZSTD_c_checksumFlag, 1);
    if (sized) {
        ZSTD_CCtx_setPledgedSrcSize(z, len);
    }
    size_t room = ZSTD_compressBound(len) + 4 * (len / BLOCK) + 64;
    char *out = malloc(room);
    ZSTD_outBuffer to = {out, room, 0};
    size_t rest = 1;
    for (size_t at = 0; at < len; at += BLOCK) {
        ZSTD_inBuffer in = {(const char *)plain + at, len - at < BLOCK ? len - at : BLOCK, 0};
        rest = ZSTD_compressStream2(z, &to, &in, at + BLOCK < len ? ZSTD_e_flush : ZSTD_e_end);
        cr_assert_eq(rest, 0);
    }
    if (len == 0) {
        ZSTD_inBuffer none = {"", 0, 0};
        cr_assert_eq(ZSTD_compressStream2(z, &to, &none, ZSTD_e_end), 0);
    }
    pf_buffer_put(b, out, to.pos);
    free(out);
    ZSTD_freeCCtx(z);
}

/* ---- zip --------------------------------------------------------------------------------------------------------- */

static void put_number(pf_buffer *b, uint64_t v, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        char byte = i < 8 ? (char)(v >> 8 * i) : 0;
        pf_buffer_put(b, &byte, 1);
    }
}

/* Checksum to the length of the extra field: what a file's own header and its directory entry have in common. */
static void put_numbers(pf_buffer *b, const zipped *f, bool told)
{
    const void *plain = f->plain ? f->plain : f->bytes;
    size_t plain_len = f->plain ? f->plain_len : f->len;
    uint64_t crc = crc32(0, plain, (uInt)plain_len) ^ f->wrong_crc;
    put_number(b, told ? crc : 0, 4);
    put_number(b, f->wide ? UINT32_MAX : told ? f->len : 0, 4);
    put_number(b, f->wide ? UINT32_MAX : told ? plain_len : 0, 4);
    put_number(b, strlen(f->name), 2);
}

/* An extra field of another kind, then the zip64 one. */
static void put_wide(pf_buffer *b, const zipped *f, bool told)
{
    put_number(b, 0x5455, 2);
    put_number(b, 1, 2);
    put_number(b, 0, 1);
    put_number(b, 1, 2);
    put_number(b, 16, 2);
    put_number(b, told ? f->plain ? f->plain_len : f->len : 0, 8);
    put_number(b, told ? f->len : 0, 8);
}

#define WIDE_BYTES 25

static void put_file(pf_buffer *b, const zipped *f)
{
    bool told = !(f->flags & 8);
    pf_buffer_put(b, "PK\3\4", 4);
    put_number(b, 20, 2);
    put_number(b, f->flags, 2);
    put_number(b, f->method, 2);
    put_number(b, 0, 4);
    put_numbers(b, f, told);
    put_number(b, f->wide ? WIDE_BYTES : 0, 2);
    pf_buffer_text(b, f->name);
    if (f->wide) {
        put_wide(b, f, told);
    }
    pf_buffer_put(b, f->bytes, f->len);
    if (!told) {
        pf_buffer_put(b, "PK\7\10", 4);
        put_numbers(b, f, true);
        b->len -= 2; /* the length of the name is none of it */
    }
}

static void put_entry(pf_buffer *b, const zipped *f, size_t at)
{
    pf_buffer_put(b, "PK\1\2", 4);
    put_number(b, 20, 2);
    put_number(b, 20, 2);
    put_number(b, f->flags, 2);
    put_number(b, f->method, 2);
    put_number(b, 0, 4);
    put_numbers(b, f, true);
    put_number(b, f->wide ? WIDE_BYTES : 0, 2);
    put_number(b, 3, 2);
    put_number(b, 0, 2 + 2 + 4);
    put_number(b, at, 4);
    pf_buffer_text(b, f->name);
    if (f->wide) {
        put_wide(b, f, true);
    }
    pf_buffer_text(b, "why");
}

void add_archive(pf_buffer *b, const zipped *files, size_t count, bool wide, const char *comment)
{
    size_t at[8];
    for (size_t i = 0; i < count; i++) {
        at[i] = b->len;
        put_file(b, &files[i]);
    }
    size_t directory = b->len;
    for (size_t i = 0; i < count; i++) {
        put_entry(b, &files[i], at[i]);
    }
    size_t end = b->len;
    if (wide) {
        pf_buffer_put(b, "PK\6\6", 4);
        put_number(b, 44, 8);
        put_number(b, 0, 2 + 2 + 4 + 4);
        put_number(b, count, 8);
        put_number(b, count, 8);
        put_number(b, end - directory, 8);
        put_number(b, directory, 8);
        pf_buffer_put(b, "PK\6\7", 4);
        put_number(b, 0, 4);
        put_number(b, end, 8);
        put_number(b, 1, 4);
    }
    pf_buffer_put(b, "PK\5\6", 4);
    put_number(b, 0, 4);
    put_number(b, wide ? UINT16_MAX : count, 2);
    put_number(b, wide ? UINT16_MAX : count, 2);
    put_number(b, wide ? UINT32_MAX : end - directory, 4);
    put_number(b, wide ? UINT32_MAX : directory, 4);
    put_number(b, strlen(comment), 2);
    pf_buffer_text(b, comment);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

char *make_noise(size_t len, uint32_t seed)
{
    char *p = malloc(len ? len : 1);
    for (size_t i = 0; i < len; i++) {
        seed = seed * 1664525u + 1013904223u;
        p[i] = (char)('a' + (seed >> 24) % 60);
    }
    return p;
}

void drain(drained *d, const pf_buffer *stored, const pf_read_options *o, size_t step, unsigned keep_every)
{
    pf_read_options options = o ? *o : pf_read_options_default();
    *d = (drained){0};
    d->t = pf_trace_new(&options.limits, options.want, &d->err);
    cr_assert_not_null(d->t);
    uint8_t *bytes = pf_arena_alloc(&d->t->arena, stored->len + PF_SLOP);
    cr_assert_not_null(bytes);
    if (stored->len) {
        memcpy(bytes, stored->data, stored->len);
    }
    memset(bytes + stored->len, 0, PF_SLOP);
    d->input = (pf_input){.path = "test", .stored = bytes, .stored_bytes = stored->len};
    pf_source *s = NULL;
    pf_window w;
    d->status = pf_source_open(&s, d->t, &d->input, &options, &d->err);
    if (d->status != PF_OK) {
        return;
    }
    if (step) {
        pf_source_set_step(s, step);
    }
    uint64_t offset = 0;
    size_t use = 0;
    do {
        size_t before = use;
        d->status = pf_source_more(s, use, &w, &d->err);
        offset += before;
        if (d->status == PF_OK) {
            cr_assert_eq(w.offset, offset);
            cr_assert(w.last || w.len > 0);
            use = w.last ? w.len : w.len / keep_every;
            pf_buffer_put(&d->plain, w.data, use);
        }
    } while (d->status == PF_OK && !w.last);
    cr_assert(d->status != PF_OK || w.offset + w.len == d->plain.len);
    pf_source_close(s);
    cr_assert_not(d->plain.failed);
}

void expect_closed_early(const pf_buffer *stored)
{
    for (int windows = 0; windows < 4; windows++) {
        pf_read_options o = pf_read_options_default();
        pf_error err;
        pf_trace *t = pf_trace_new(NULL, 0, &err);
        pf_input input = {.path = "test", .stored = (uint8_t *)stored->data, .stored_bytes = stored->len};
        pf_source *s = NULL;
        pf_window w;
        cr_assert_eq(pf_source_open(&s, t, &input, &o, &err), PF_OK);
        for (int i = 0; i < windows; i++) {
            cr_assert_eq(pf_source_more(s, i ? w.len : 0, &w, &err), PF_OK);
        }
        pf_source_close(s);
        uint64_t now, peak;
        pf_trace_memory(t, &now, &peak);
        cr_expect_lt(now, 1u << 20, "the source's buffers are gone");
        pf_trace_free(t);
    }
}

void drained_free(drained *d)
{
    pf_buffer_free(&d->plain);
    pf_trace_free(d->t);
}

bool is_prefix(const drained *d, const void *all, size_t len)
{
    return d->plain.len <= len && (d->plain.len == 0 || memcmp(d->plain.data, all, d->plain.len) == 0);
}

bool is_all(const drained *d, const void *all, size_t len)
{
    return d->plain.len == len && is_prefix(d, all, len);
}

uint64_t faults(const drained *d)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < PF_STAT_COUNT; i++) {
        sum += d->t->stat_count[i];
    }
    return sum;
}

void drain_both(drained *d, const pf_buffer *stored, const pf_read_options *o, size_t step)
{
    pf_read_options options = o ? *o : pf_read_options_default();
    drained other;
    options.jobs = 1;
    drain(d, stored, &options, step, 1);
    options.jobs = 2;
    drain(&other, stored, &options, step, 1);
    cr_expect_eq(d->status, other.status);
    cr_expect(d->status != PF_OK || is_all(d, other.plain.data, other.plain.len));
    cr_expect_eq(memcmp(d->t->stat_count, other.t->stat_count, sizeof d->t->stat_count), 0);
    cr_expect_eq(memcmp(d->t->stat_offset, other.t->stat_offset, sizeof d->t->stat_offset), 0);
    cr_expect_str_eq(d->input.compression, other.input.compression);
    drained_free(&other);
}
