/* read/input/unpack.c - one or two codecs in a row.
 *
 * A gzip or zstd file needs one codec over its bytes. A zip needs one over the bytes of its file; if what comes out is
 * gzip or zstd again, a second one reads that from a small buffer, which is filled whenever it runs dry. Whether there
 * is a second layer is found out by unpacking four bytes and starting over.
 *
 * The checksum and length of a zip's file are those of what the first codec makes. They are compared at its end; a
 * fault of the archive is reported even if the layer inside did not mind.
 */
#include "read/input/unpack.h"

#include <string.h>

#define BETWEEN ((size_t)64 << 10)

const char *pf_packing_name(pf_packing packing)
{
    static const char *const names[] = {"none", "gzip", "zstd", "zip"};
    return names[packing];
}

static pf_packing packing_of(const uint8_t *bytes, size_t len)
{
    return pf_codec_is_gzip(bytes, len)   ? PF_PACKING_GZIP
           : pf_codec_is_zstd(bytes, len) ? PF_PACKING_ZSTD
           : pf_zip_is(bytes, len)        ? PF_PACKING_ZIP
                                          : PF_PACKING_NONE;
}

static pf_codec_kind kind_of(pf_packing packing)
{
    return packing == PF_PACKING_GZIP ? PF_CODEC_GZIP : PF_CODEC_ZSTD;
}

/* A window is no larger than what it is a window on. */
static uint64_t window_max(const pf_budget *budget, size_t size)
{
    uint64_t ratio = budget->limits.ratio ? budget->limits.ratio : UINT64_MAX;
    uint64_t most = size > UINT64_MAX / ratio ? UINT64_MAX : size * ratio;
    return most > PF_CODEC_WINDOW ? most : PF_CODEC_WINDOW;
}

static void start_outer(pf_unpack *u, pf_codec_kind kind, const uint8_t *bytes, size_t size)
{
    pf_codec_init(&u->outer, kind, window_max(u->budget, size), u->budget);
    u->outer.in = bytes;
    u->outer.len = size;
    u->outer.final = true;
}

/* The layer inside the zip's file, by its first bytes. */
static pf_packing look_inside(pf_unpack *u, const uint8_t *bytes)
{
    uint8_t head[4];
    start_outer(u, u->member.kind, bytes, u->member.len);
    size_t len = pf_codec_fill(&u->outer, head, sizeof head);
    pf_codec_free(&u->outer);
    pf_packing inside = packing_of(head, len);
    return inside == PF_PACKING_ZIP ? PF_PACKING_NONE : inside;
}

static pf_status init_zip(pf_unpack *u, const uint8_t *stored, size_t size, pf_error *err)
{
    PF_TRY(pf_zip_find(&u->member, stored, size, err));
    const uint8_t *bytes = stored + u->member.at;
    u->inner_packing = look_inside(u, bytes);
    u->two_layers = u->inner_packing != PF_PACKING_NONE;
    if (u->two_layers) {
        u->between = pf_alloc(u->budget, BETWEEN);
        PF_TRY(u->between ? PF_OK : pf_budget_refused(u->budget, BETWEEN, err));
        pf_codec_init(&u->inner, kind_of(u->inner_packing), window_max(u->budget, u->member.len), u->budget);
        u->inner.in = u->between;
    }
    start_outer(u, u->member.kind, bytes, u->member.len);
    return PF_OK;
}

pf_status pf_unpack_init(pf_unpack *u, const uint8_t *stored, size_t size, pf_budget *budget, pf_error *err)
{
    *u = (pf_unpack){.packing = packing_of(stored, size), .budget = budget};
    u->faulty = u->packing;
    if (u->packing == PF_PACKING_ZIP) {
        return init_zip(u, stored, size, err);
    }
    if (u->packing != PF_PACKING_NONE) {
        start_outer(u, kind_of(u->packing), stored, size);
    }
    return PF_OK;
}

void pf_unpack_free(pf_unpack *u)
{
    pf_codec_free(&u->outer);
    if (u->two_layers) {
        pf_codec_free(&u->inner);
        pf_release(u->budget, u->between, BETWEEN);
    }
}

/* Why the zip's file ends: by its codec, by the archive, by its length and checksum. */
static pf_codec_end member_end(const pf_unpack *u)
{
    const pf_zip_member *m = &u->member;
    pf_codec_end end = u->outer.end;
    if (end != PF_CODEC_COMPLETE && end != PF_CODEC_TRAILING) {
        return end;
    }
    if (m->fault != PF_CODEC_COMPLETE || (m->checked && m->stored > m->len)) {
        return m->fault != PF_CODEC_COMPLETE ? m->fault : PF_CODEC_TRUNCATED;
    }
    bool right = !m->checked || (u->outer.pos == m->len && u->member_bytes == m->plain && u->member_crc == m->crc);
    return right ? PF_CODEC_COMPLETE : PF_CODEC_DAMAGED;
}

static size_t fill_outer(pf_unpack *u, uint8_t *out, size_t cap)
{
    size_t made = pf_codec_fill(&u->outer, out, cap);
    if (u->packing == PF_PACKING_ZIP) {
        u->member_crc = (uint32_t)crc32_z(u->member_crc, out, made);
        u->member_bytes += made;
    }
    u->stored = u->member.at + u->outer.pos;
    return made;
}

static void feed_inner(pf_unpack *u)
{
    pf_codec *c = &u->inner;
    size_t rest = c->len - c->pos;
    memmove(u->between, u->between + c->pos, rest); /* a few bytes */
    c->len = rest + fill_outer(u, u->between + rest, BETWEEN - rest);
    c->pos = 0;
    c->final = u->outer.end != PF_CODEC_RUNNING;
}

static size_t fill_inner(pf_unpack *u, uint8_t *out, size_t cap)
{
    size_t done = pf_codec_fill(&u->inner, out, cap);
    while (done < cap && u->inner.end == PF_CODEC_RUNNING) {
        feed_inner(u);
        done += pf_codec_fill(&u->inner, out + done, cap - done);
    }
    return done;
}

/* Which of two layers is to blame; a fault outside explains one inside. */
static void judge_layers(pf_unpack *u)
{
    u->faulty = u->two_layers ? u->inner_packing : u->packing;
    if (u->packing == PF_PACKING_ZIP && u->outer.end != PF_CODEC_RUNNING) {
        pf_codec_end end = member_end(u);
        if (end != PF_CODEC_COMPLETE || !u->two_layers) {
            u->end = end;
            u->faulty = PF_PACKING_ZIP;
        }
    }
}

size_t pf_unpack_fill(pf_unpack *u, uint8_t *out, size_t cap)
{
    size_t made = u->two_layers ? fill_inner(u, out, cap) : fill_outer(u, out, cap);
    u->end = u->two_layers ? u->inner.end : u->outer.end;
    if (u->end != PF_CODEC_RUNNING && u->end != PF_CODEC_NO_MEMORY && u->end != PF_CODEC_LIMITED &&
        u->end != PF_CODEC_RATIO) {
        judge_layers(u);
    }
    return made;
}
