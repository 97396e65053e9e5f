/* write/columns/arrow/arrow_flat.h - flatbuffers, written front to back: what a table points to follows it, and the
 * place of the pointer is filled in then. */
#pragma once

#include "base/buffer.h"

/* A field of a table by its number: its size in bytes, 0 if it is absent, and its value; that of a pointer (4 bytes)
 * is not known yet. */
typedef struct pf_flat_field {
    uint8_t size;
    uint64_t value;
} pf_flat_field;

#define PF_FLAT_FIELDS_MAX 8u
#define PF_FLAT_ABSENT                                                                                                 \
    {                                                                                                                  \
        0, 0                                                                                                           \
    }
#define PF_FLAT_POINTER                                                                                                \
    {                                                                                                                  \
        4, 0                                                                                                           \
    }

/* A table with its vtable in front; `at` gets the places of its fields. `from` is a pointer to it, or PF_FLAT_ROOT for
 * the root of a buffer, which is empty. */
#define PF_FLAT_ROOT SIZE_MAX
void pf_flat_table(pf_buffer *b, size_t from, const pf_flat_field *fields, size_t count, size_t *at);

void pf_flat_string(pf_buffer *b, size_t from, const char *text);

/* A vector of `count` pointers, whose places are *first, *first + 4 and so on. */
void pf_flat_pointers(pf_buffer *b, size_t from, size_t count, size_t *first);

/* A vector of structs, aligned to 8: all of their bytes. */
void pf_flat_structs(pf_buffer *b, size_t from, const void *bytes, size_t size, size_t count);
