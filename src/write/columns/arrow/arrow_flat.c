/* write/columns/arrow/arrow_flat.c - flatbuffers, written front to back. */
#include "write/columns/arrow/arrow_flat.h"

#include <string.h>

static void put_number(pf_buffer *b, uint64_t v, size_t size)
{
    char bytes[8];
    for (size_t i = 0; i < size; i++) {
        bytes[i] = (char)(v >> 8 * i);
    }
    pf_buffer_put(b, bytes, size);
}

/* Zeros until `ahead` more bytes end at a multiple of `alignment`. */
static void align(pf_buffer *b, size_t ahead, size_t alignment)
{
    while (!b->failed && (b->len + ahead) % alignment) {
        pf_buffer_put(b, "", 1);
    }
}

/* The pointer at `from` is to what comes next. */
static void point(pf_buffer *b, size_t from)
{
    uint32_t distance = (uint32_t)(b->len - from);
    for (size_t i = 0; i < 4 && !b->failed; i++) {
        b->data[from + i] = (char)(distance >> 8 * i);
    }
}

void pf_flat_table(pf_buffer *b, size_t from, const pf_flat_field *fields, size_t count, size_t *at)
{
    size_t offset[PF_FLAT_FIELDS_MAX] = {0}, size = 4, vtable = 4 + 2 * count;
    if (from == PF_FLAT_ROOT) {
        from = b->len;
        put_number(b, 0, 4);
    }
    for (size_t i = 0; i < count; i++) {
        if (fields[i].size) {
            size += (fields[i].size - size % fields[i].size) % fields[i].size;
            offset[i] = size;
            size += fields[i].size;
        }
    }
    align(b, vtable, 8);
    put_number(b, vtable, 2);
    put_number(b, size, 2);
    for (size_t i = 0; i < count; i++) {
        put_number(b, offset[i], 2);
    }
    point(b, from);
    size_t start = b->len;
    put_number(b, vtable, 4);
    for (size_t i = 0; i < count; i++) {
        while (!b->failed && fields[i].size && b->len < start + offset[i]) {
            pf_buffer_put(b, "", 1);
        }
        at[i] = b->len;
        put_number(b, fields[i].value, fields[i].size);
    }
}

void pf_flat_string(pf_buffer *b, size_t from, const char *text)
{
    size_t len = strlen(text);
    align(b, 0, 4);
    point(b, from);
    put_number(b, len, 4);
    pf_buffer_put(b, text, len + 1);
}

void pf_flat_pointers(pf_buffer *b, size_t from, size_t count, size_t *first)
{
    align(b, 0, 4);
    point(b, from);
    put_number(b, count, 4);
    *first = b->len;
    for (size_t i = 0; i < count; i++) {
        put_number(b, 0, 4);
    }
}

void pf_flat_structs(pf_buffer *b, size_t from, const void *bytes, size_t size, size_t count)
{
    align(b, 4, 8);
    point(b, from);
    put_number(b, count, 4);
    pf_buffer_put(b, bytes, size * count);
}
