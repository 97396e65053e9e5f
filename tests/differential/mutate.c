/* tests/differential/mutate.c - damage that is the same every time.
 *
 * A mutation happens in the packet itself or in a message inside it, which is found by descending into fields at
 * random. One to three of: flipped bits, a byte replaced, a cut end, a range said twice, a varint stretched by a zero
 * group (a legal but longer spelling), a range removed, a byte set to a value that means something (a tag of a hot
 * field, a long varint), a number made too wide for its type, a field said twice. The lengths of the messages around it
 * are repaired, so that damage deep inside is reached; those within the mutated bytes are not.
 */
#include "diff.h"

#include "wire/cursor.h"
#include "wire/writer.h"

enum { DESCENT_MAX = 5 };

uint64_t diff_seed(uint64_t seed)
{
    return seed * 0x9e3779b97f4a7c15u + 0x1234567;
}

uint64_t diff_draw(uint64_t *state, uint64_t below)
{
    uint64_t x = *state;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    *state = x;
    return (x * 0x2545f4914f6cdd1du >> 11) % below;
}

static void copy_with(pf_buffer *out, const uint8_t *bytes, size_t len, size_t at, size_t skip, const void *insert,
                      size_t insert_len)
{
    out->len = 0;
    pf_buffer_put(out, bytes, at);
    pf_buffer_put(out, insert, insert_len);
    pf_buffer_put(out, bytes + at + skip, len - at - skip);
}

/* Makes the varint byte at or after `at` one byte longer without changing the value. */
static void stretch(pf_buffer *out, const uint8_t *bytes, size_t len, size_t at)
{
    while (at + 1 < len && bytes[at] >= 0x80) {
        at++;
    }
    const uint8_t longer[2] = {bytes[at] | 0x80, 0};
    copy_with(out, bytes, len, at, 1, longer, sizeof longer);
}

/* Picks one of the fields, by number if there are any of them; [*from, *to) are its tag and value. */
static bool pick_field(const uint8_t *bytes, size_t len, uint64_t *state, bool nested, pf_field *f, size_t *from,
                       size_t *to)
{
    uint64_t count = 0, chosen = UINT64_MAX;
    for (unsigned pass = 0; pass < 2; pass++) {
        pf_cursor c = pf_cursor_over(bytes, len);
        uint64_t seen = 0;
        *from = 0;
        for (; pf_cursor_next(&c, f) == PF_NEXT_FIELD; *from = (size_t)(c.at - bytes)) {
            bool fits = !nested || (pf_field_wire(f) == PF_WIRE_BYTES && f->len > 0);
            if (fits && seen++ == chosen) {
                *to = (size_t)(c.at - bytes);
                return true;
            }
        }
        count = seen;
        chosen = count ? diff_draw(state, count) : UINT64_MAX;
    }
    return false;
}

/* A number that does not fit its type, or a field once more. */
static void respell(pf_buffer *out, const uint8_t *bytes, size_t len, uint64_t *state)
{
    uint8_t text[2 * PF_VARINT_MAX], *p;
    size_t from, to;
    pf_field f;
    out->len = 0;
    if (!pick_field(bytes, len, state, false, &f, &from, &to)) {
        pf_buffer_put(out, bytes, len);
    } else if (pf_field_wire(&f) != PF_WIRE_VARINT) {
        copy_with(out, bytes, len, from, 0, bytes + from, to - from);
    } else {
        const uint64_t values[] = {f.value | UINT64_C(1) << 32,
                                   f.value | UINT64_C(1) << 63,
                                   f.value + 128,
                                   UINT64_MAX,
                                   UINT64_C(1) << 31,
                                   UINT64_C(1) << 32};
        p = pf_store_varint(text, f.tag);
        p = pf_store_varint(p, values[diff_draw(state, sizeof values / sizeof values[0])]);
        copy_with(out, bytes, len, from, diff_draw(state, 2) ? to - from : 0, text, (size_t)(p - text));
    }
}

static void mutate_once(pf_buffer *out, const uint8_t *bytes, size_t len, uint64_t *state)
{
    static const uint8_t telling[] = {0x00, 0x01, 0x7f, 0x80, 0xff, 0x08, 0x18, 0x1a, 0x22, 0x32, 0x48, 0x50,
                                      0x58, 0x5a, 0x62, 0x61, 0x65, 0x0b, 0x0c, 0xba, 0xf2, 0xc8, 0x82, 0xfa};
    size_t at = diff_draw(state, len), some = 1 + diff_draw(state, len - at < 24 ? len - at : 24);
    uint8_t byte;
    switch (diff_draw(state, 10)) {
    case 0:
    case 1:
        byte = bytes[at] ^ (uint8_t)(1u << diff_draw(state, 8));
        copy_with(out, bytes, len, at, 1, &byte, 1);
        break;
    case 2:
        byte = (uint8_t)diff_draw(state, 256);
        copy_with(out, bytes, len, at, 1, &byte, 1);
        break;
    case 3:
        copy_with(out, bytes, at + 1, at + 1, 0, NULL, 0);
        break;
    case 4:
        copy_with(out, bytes, len, at, 0, bytes + at, some);
        break;
    case 5:
        stretch(out, bytes, len, at);
        break;
    case 6:
        copy_with(out, bytes, len, at, len > some ? some : 0, NULL, 0);
        break;
    case 7:
    case 8:
        respell(out, bytes, len, state);
        break;
    default:
        byte = telling[diff_draw(state, sizeof telling)];
        copy_with(out, bytes, len, at, diff_draw(state, 2), &byte, 1);
    }
}

static bool mutate_bytes(pf_buffer *out, const uint8_t *bytes, size_t len, uint64_t *state)
{
    pf_buffer before = {0};
    mutate_once(out, bytes, len, state);
    for (uint64_t more = diff_draw(state, 3); more && out->len && !out->failed && !before.failed; more--) {
        before.len = 0;
        pf_buffer_put(&before, out->data, out->len);
        if (!before.failed) {
            mutate_once(out, (const uint8_t *)before.data, before.len, state);
        }
    }
    bool fine = !out->failed && !before.failed;
    pf_buffer_free(&before);
    return fine;
}

/* Puts what is in out into the place of a field of its parent. */
static bool wrap(pf_buffer *out, const uint8_t *parent, size_t len, const pf_field *f, size_t from, size_t to)
{
    pf_buffer whole = {0};
    pf_writer w;
    pf_writer_init(&w, &whole);
    pf_writer_raw(&w, parent, from);
    pf_writer_bytes(&w, pf_field_number(f), out->data, out->len);
    pf_writer_raw(&w, parent + to, len - to);
    bool fine = !w.failed;
    pf_writer_free(&w);
    pf_buffer_free(out);
    *out = whole;
    return fine;
}

bool diff_mutate(pf_buffer *out, const uint8_t *bytes, size_t len, uint64_t seed)
{
    struct {
        const uint8_t *parent;
        size_t len, from, to;
        pf_field f;
    } path[DESCENT_MAX], *step = path;
    uint64_t state = diff_seed(seed);
    while (step < path + DESCENT_MAX && diff_draw(&state, 4) &&
           pick_field(bytes, len, &state, true, &step->f, &step->from, &step->to)) {
        step->parent = bytes;
        step->len = len;
        bytes = step->f.bytes;
        len = step->f.len;
        step++;
    }
    bool fine = mutate_bytes(out, bytes, len, &state);
    while (fine && step-- > path) {
        fine = wrap(out, step->parent, step->len, &step->f, step->from, step->to);
    }
    return fine;
}
