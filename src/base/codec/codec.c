/* base/codec/codec.c - zlib and zstd through one interface.
 *
 * A gzip file is one member after the other, a zstd file one frame after the other; their contents form one stream. A
 * member that breaks off or is damaged ends the stream, what was decoded before counts. Bytes after a member that do
 * not begin another one (zero padding of tapes and block devices, garbage) end it too.
 *
 * zlib hands out every byte up to the damage. zstd forgets what it wrote in the call that meets damage, and a call may
 * span many blocks. So it is fed one piece at a time: the header of a frame, the header of a block, the content of a
 * block. Its hint is the length of the piece plus, in front of a block header, the three bytes of that; and while
 * decoded bytes wait for room it is given no input. (The last byte of a frame it hands back until all of it is out.)
 * Each block before the damage is then out, and where the caller cuts input and output makes no difference.
 *
 * A gzip member that lies in memory as a whole is inflated by ISA-L. Where that meets anything that is not as it should
 * be, zlib reads the member again, past what is out already, and says what there is and how it ends. (zlib refuses some
 * damaged blocks as a whole whose first bytes ISA-L makes; they are out if the block is longer than the caller's room.)
 *
 * The window of a frame is memory that a header of a few bytes asks for, so it is read from the header here and charged
 * to the budget before zstd allocates it.
 */
#include "base/codec/codec.h"

#include <string.h>

#include "base/little_endian.h"

#define STEP_MAX ((size_t)1 << 30) /* zlib counts in 32 bits */
#define FRAME_HEADER_MAX 18u
#define BLOCK_HEADER 3u
#define WINDOW_DECODED ((uint64_t)1 << 31) /* the largest window that is decoded at all: zstd --long=31 */
#define ZSTD_OWN ((uint64_t)512 << 10)     /* a context and its block buffers, about */

bool pf_codec_is_gzip(const uint8_t *bytes, size_t len)
{
    return len >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b;
}

static bool is_skippable(const uint8_t *bytes)
{
    return (bytes[0] & 0xf0) == 0x50 && memcmp(bytes + 1, "\x2a\x4d\x18", 3) == 0;
}

bool pf_codec_is_zstd(const uint8_t *bytes, size_t len)
{
    return len >= 4 && (memcmp(bytes, "\x28\xb5\x2f\xfd", 4) == 0 || is_skippable(bytes));
}

static bool is_zstd_kind(pf_codec_kind kind)
{
    return kind == PF_CODEC_ZSTD || kind == PF_CODEC_FRAME;
}

static void init_zstd(pf_codec *c)
{
    c->zstd = ZSTD_createDStream();
    if (!c->zstd || ZSTD_isError(ZSTD_DCtx_setParameter(c->zstd, ZSTD_d_windowLogMax, 31))) {
        c->end = PF_CODEC_NO_MEMORY;
    }
    c->between = true;
}

void pf_codec_init(pf_codec *c, pf_codec_kind kind, uint64_t window_max, pf_budget *budget)
{
    static const int window_bits[] = {[PF_CODEC_DEFLATE] = -15, [PF_CODEC_ZLIB] = 15 + 32, [PF_CODEC_GZIP] = 15 + 16};
    *c = (pf_codec){.kind = kind, .window_max = window_max, .budget = budget, .between = kind == PF_CODEC_GZIP};
    if (is_zstd_kind(kind)) {
        init_zstd(c);
    } else if (kind != PF_CODEC_COPY && inflateInit2(&c->z, window_bits[kind]) != Z_OK) {
        c->end = PF_CODEC_NO_MEMORY;
    }
}

void pf_codec_free(pf_codec *c)
{
    if (is_zstd_kind(c->kind)) {
        ZSTD_freeDStream(c->zstd);
        pf_budget_release(c->budget, c->charged);
    } else if (c->kind != PF_CODEC_COPY) {
        inflateEnd(&c->z);
        pf_fast_gzip_free(c->fast, c->budget);
    }
}

/* The window that the frame header asks for; 0 for a skippable frame and for a header that is not all there. */
static uint64_t frame_window(const uint8_t *header, size_t len)
{
    static const uint8_t id_bytes[] = {0, 1, 2, 4}, size_bytes[] = {1, 2, 4, 8};
    if (len < 6 || is_skippable(header)) {
        return 0;
    }
    unsigned descriptor = header[4];
    bool single_segment = descriptor & 0x20;
    if (!single_segment) {
        uint64_t base = (uint64_t)1 << (10 + (header[5] >> 3));
        return base + base / 8 * (header[5] & 7);
    }
    size_t at = 5 + id_bytes[descriptor & 3], bytes = size_bytes[descriptor >> 6];
    return at + bytes > len ? 0 : pf_little_number(header + at, bytes) + (bytes == 2 ? 256 : 0);
}

static void begin_frame(pf_codec *c)
{
    uint64_t window = frame_window(c->in + c->pos, c->len - c->pos);
    if (window > WINDOW_DECODED) {
        c->end = PF_CODEC_DAMAGED; /* nobody writes such frames: random bytes */
        return;
    }
    if (window > c->window_max) {
        c->end = PF_CODEC_RATIO;
        return;
    }
    uint64_t need = window + ZSTD_OWN;
    if (need > c->charged) {
        if (!pf_budget_charge(c->budget, need - c->charged)) {
            c->end = PF_CODEC_LIMITED;
            return;
        }
        c->charged = need;
    }
    c->hint = BLOCK_HEADER;
}

static void begin_gzip(pf_codec *c)
{
    if (!c->fast && c->final && !c->slow) {
        c->fast = pf_fast_gzip_new(c->budget);
    }
    c->slow = !c->fast;
    c->member = c->pos;
    c->made = c->repeat = 0;
    if (c->fast) {
        pf_fast_gzip_begin(c->fast);
    }
}

/* Between two members: is there another one? False if not, or if that is not known yet. */
static bool begin_member(pf_codec *c)
{
    bool zstd = is_zstd_kind(c->kind);
    size_t left = c->len - c->pos;
    if (!c->final && left < (zstd ? FRAME_HEADER_MAX : 2)) {
        return false;
    }
    if (left == 0) {
        c->end = c->ended ? PF_CODEC_COMPLETE : PF_CODEC_TRUNCATED;
    } else if (!(zstd ? pf_codec_is_zstd : pf_codec_is_gzip)(c->in + c->pos, left)) {
        c->end = c->ended ? PF_CODEC_TRAILING : PF_CODEC_DAMAGED;
    } else if (zstd) {
        begin_frame(c);
    } else if (inflateReset(&c->z) != Z_OK) {
        c->end = PF_CODEC_DAMAGED;
    } else {
        begin_gzip(c);
    }
    c->between = false;
    return c->end == PF_CODEC_RUNNING;
}

static void end_member(pf_codec *c)
{
    if (c->kind == PF_CODEC_GZIP || c->kind == PF_CODEC_ZSTD) {
        c->between = true;
        c->ended = true;
    } else {
        c->end = PF_CODEC_COMPLETE;
    }
}

/* ---- steps: each returns the bytes it made ------------------------------------------------------------------------
 */

static size_t step_copy(pf_codec *c, uint8_t *out, size_t room)
{
    size_t n = c->len - c->pos < room ? c->len - c->pos : room;
    if (n > 0) {
        memcpy(out, c->in + c->pos, n);
    }
    c->pos += n;
    if (c->pos == c->len && c->final) {
        c->end = PF_CODEC_COMPLETE;
    }
    return n;
}

static size_t step_zlib(pf_codec *c, uint8_t *out, size_t room);

/* zlib makes again what is out already, and goes on from there. */
static size_t repeat_slowly(pf_codec *c)
{
    uint8_t away[4096];
    size_t n = c->repeat < sizeof away ? (size_t)c->repeat : sizeof away;
    c->repeat -= step_zlib(c, away, n);
    return 0;
}

static size_t step_fast(pf_codec *c, uint8_t *out, size_t room)
{
    size_t made = 0;
    switch (pf_fast_gzip_step(c->fast, c->in, c->len, &c->pos, out, room, &made)) {
    case PF_FAST_RUNNING:
        break;
    case PF_FAST_ENDED:
        end_member(c);
        break;
    case PF_FAST_GIVES_UP:
        c->slow = true;
        c->repeat = c->made;
        c->pos = c->member;
        return 0;
    }
    c->made += made;
    return made;
}

static size_t step_gzip(pf_codec *c, uint8_t *out, size_t room)
{
    return !c->slow ? step_fast(c, out, room) : c->repeat ? repeat_slowly(c) : step_zlib(c, out, room);
}

static size_t step_zlib(pf_codec *c, uint8_t *out, size_t room)
{
    size_t give = c->len - c->pos < STEP_MAX ? c->len - c->pos : STEP_MAX;
    room = room < STEP_MAX ? room : STEP_MAX;
    c->z.next_in = (Bytef *)(uintptr_t)(c->in + c->pos);
    c->z.avail_in = (uInt)give;
    c->z.next_out = out;
    c->z.avail_out = (uInt)room;
    int result = inflate(&c->z, Z_NO_FLUSH);
    size_t taken = give - c->z.avail_in, made = room - c->z.avail_out;
    c->pos += taken;
    if (result == Z_STREAM_END) {
        end_member(c);
    } else if (result == Z_MEM_ERROR) {
        c->end = PF_CODEC_NO_MEMORY;
    } else if ((result != Z_OK && result != Z_BUF_ERROR) || (taken == 0 && made == 0 && give > 0)) {
        c->end = PF_CODEC_DAMAGED;
    } else if (c->pos == c->len && made < room && c->final) {
        c->end = PF_CODEC_TRUNCATED;
    }
    return made;
}

static size_t step_zstd(pf_codec *c, uint8_t *out, size_t room)
{
    size_t left = c->len - c->pos;
    size_t piece = c->hint > BLOCK_HEADER ? c->hint - BLOCK_HEADER : c->hint;
    size_t give = c->full ? 0 : piece < left ? piece : left;
    ZSTD_inBuffer in = {c->in + c->pos, give, 0};
    ZSTD_outBuffer to = {out, room, 0};
    size_t result = ZSTD_decompressStream(c->zstd, &to, &in);
    bool flushing = c->full;
    if (ZSTD_isError(result)) {
        c->end = c->final && left == 0 ? PF_CODEC_TRUNCATED : PF_CODEC_DAMAGED;
        return 0;
    }
    c->pos += in.pos;
    c->hint = result;
    c->full = to.pos == room;
    if (result == 0) {
        c->full = false;
        end_member(c);
    } else if (to.pos == 0 && in.pos == 0 && give > 0) {
        c->end = PF_CODEC_DAMAGED;
    } else if (c->pos == c->len && c->final && !c->full && !flushing) {
        c->end = PF_CODEC_TRUNCATED;
    }
    return to.pos;
}

static size_t step(pf_codec *c, uint8_t *out, size_t room)
{
    return c->kind == PF_CODEC_COPY   ? step_copy(c, out, room)
           : is_zstd_kind(c->kind)    ? step_zstd(c, out, room)
           : c->kind == PF_CODEC_GZIP ? step_gzip(c, out, room)
                                      : step_zlib(c, out, room);
}

size_t pf_codec_fill(pf_codec *c, uint8_t *out, size_t cap)
{
    size_t done = 0;
    while (done < cap && c->end == PF_CODEC_RUNNING) {
        if (c->between && !begin_member(c)) {
            break;
        }
        bool waiting = c->full;
        size_t at = c->pos, made = step(c, out + done, cap - done);
        done += made;
        if (made == 0 && c->pos == at && c->pos == c->len && !c->final && !waiting && !c->between) {
            break;
        }
    }
    return done;
}
