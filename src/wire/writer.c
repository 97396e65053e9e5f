/* wire/writer.c - the parts of the packet writer that are not worth inlining: growth, bytes, nesting.
 *
 * `open` remembers for every open message where its length byte lies. It starts as a few entries inside the writer and
 * moves to the heap only for nesting beyond them (deep arguments), so that a writer on the stack costs nothing.
 */
#include "wire/writer.h"

#include "base/list.h"

#include <stdlib.h>

#define FIRST_ROOM ((size_t)4096)

void pf_writer_init(pf_writer *w, pf_buffer *out)
{
    w->out = out;
    w->failed = out->failed;
    w->depth = 0;
    w->open_room = PF_WRITER_INLINE_DEPTH;
    w->open = w->inline_open;
}

void pf_writer_free(pf_writer *w)
{
    if (w->open != w->inline_open) {
        free(w->open);
        w->open = w->inline_open;
        w->open_room = PF_WRITER_INLINE_DEPTH;
    }
}

static void fail(pf_writer *w)
{
    w->failed = true;
    w->out->failed = true;
}

bool pf_writer_grow(pf_writer *w, size_t len)
{
    pf_buffer *b = w->out;
    size_t need = len > SIZE_MAX - b->len ? SIZE_MAX : b->len + len;
    if (b->failed || PF_LIST_ROOM(NULL, b->data, need < FIRST_ROOM ? FIRST_ROOM : need, b->cap, NULL) != PF_OK) {
        fail(w);
        return false;
    }
    return true;
}

void pf_writer_raw(pf_writer *w, const void *bytes, size_t len)
{
    if (len && pf_writer_room(w, len)) {
        memcpy(w->out->data + w->out->len, bytes, len);
        w->out->len += len;
    }
}

void pf_writer_bytes(pf_writer *w, uint32_t field, const void *bytes, size_t len)
{
    if (len > SIZE_MAX - 2 * PF_VARINT_MAX) {
        fail(w);
        return;
    }
    if (pf_writer_room(w, 2 * PF_VARINT_MAX + len)) {
        uint8_t *start = (uint8_t *)w->out->data + w->out->len;
        uint8_t *p = pf_store_varint(start, PF_TAG_BYTES(field));
        p = pf_store_varint(p, len);
        if (len) {
            memcpy(p, bytes, len);
        }
        w->out->len += (size_t)(p - start) + len;
    }
}

static bool deepen(pf_writer *w)
{
    size_t room = (size_t)w->open_room * 2;
    size_t *open = room > UINT32_MAX / 2 ? NULL : malloc(room * sizeof *open);
    if (!open) {
        fail(w);
        return false;
    }
    memcpy(open, w->open, w->depth * sizeof *open);
    pf_writer_free(w);
    w->open = open;
    w->open_room = (unsigned)room;
    return true;
}

void pf_writer_begin(pf_writer *w, uint32_t field)
{
    if (!pf_writer_room(w, PF_VARINT_MAX + 1) || (w->depth == w->open_room && !deepen(w))) {
        return;
    }
    uint8_t *start = (uint8_t *)w->out->data + w->out->len;
    uint8_t *p = pf_store_varint(start, PF_TAG_BYTES(field));
    w->out->len += (size_t)(p - start);
    w->open[w->depth++] = w->out->len;
    w->out->len++;
}

void pf_writer_end(pf_writer *w)
{
    if (w->failed) {
        return;
    }
    if (w->depth == 0) {
        fail(w);
        return;
    }
    size_t at = w->open[--w->depth];
    size_t len = w->out->len - at - 1;
    if (len < 0x80) {
        w->out->data[at] = (char)len;
        return;
    }
    uint8_t prefix[PF_VARINT_MAX];
    size_t prefix_len = (size_t)(pf_store_varint(prefix, len) - prefix);
    if (pf_writer_room(w, prefix_len - 1)) {
        char *p = w->out->data + at;
        memmove(p + prefix_len, p + 1, len);
        memcpy(p, prefix, prefix_len);
        w->out->len += prefix_len - 1;
    }
}
