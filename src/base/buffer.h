/* base/buffer.h - growing text or bytes in plain malloc'd memory (results that the caller releases with free()). */
#pragma once

#include <string.h>

#include "postfetto/base.h"

typedef struct pf_buffer {
    char *data;
    size_t len, cap;
    bool failed; /* sticky: memory was refused */
} pf_buffer;

/* pf_buffer_put and pf_buffer_room where there is no room yet. */
void pf_buffer_put_grown(pf_buffer *b, const void *bytes, size_t len);
char *pf_buffer_room_grown(pf_buffer *b, size_t len);

/* Where the next `len` bytes (not 0) may be written, to be counted in b->len then; NULL if memory is refused. */
static inline char *pf_buffer_room(pf_buffer *b, size_t len)
{
    return b->failed || len > b->cap - b->len ? pf_buffer_room_grown(b, len) : b->data + b->len;
}

static inline void pf_buffer_put(pf_buffer *b, const void *bytes, size_t len)
{
    if (len == 0 || b->failed || len > b->cap - b->len) {
        pf_buffer_put_grown(b, bytes, len);
        return;
    }
    /* callers write f(x, text, print(text)), whose order cppcheck takes for fixed */
    /* cppcheck-suppress uninitvar */
    memcpy(b->data + b->len, bytes, len);
    b->len += len;
}

static inline void pf_buffer_text(pf_buffer *b, const char *text)
{
    pf_buffer_put(b, text, strlen(text));
}

void pf_buffer_decimal(pf_buffer *b, uint64_t v);
void pf_buffer_hex(pf_buffer *b, uint64_t v); /* small letters, no zeros in front */
void pf_buffer_int(pf_buffer *b, int64_t v);
void pf_buffer_format(pf_buffer *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
void pf_buffer_base64(pf_buffer *b, const void *bytes, size_t len);
void pf_buffer_quoted(pf_buffer *b, pf_str s, char quote); /* in quotes, those inside doubled: CSV, SQL */
void pf_buffer_free(pf_buffer *b);

/* Gives the text away, with a NUL after it; where memory was refused, *text is NULL. The buffer is empty afterwards. */
pf_status pf_buffer_give(pf_buffer *b, char **text, size_t *len, pf_error *err);
