/* Inputs made in memory for the tests of the source window. */
#ifndef TEST_READ_SOURCE_SUPPORT_H
#define TEST_READ_SOURCE_SUPPORT_H

#include <criterion/criterion.h>

#include "base/buffer.h"
#include "read/input/source.h"

/* Appends a gzip member with the given content. */
void add_member(pf_buffer *b, const void *plain, size_t len);

/* Appends a zstd frame whose blocks hold BLOCK plain bytes each (the last one what is left), with a checksum. `sized`:
 * its header tells the length of the content. */
#define BLOCK 1024
void add_frame(pf_buffer *b, const void *plain, size_t len, bool sized);

/* A file in a zip archive. What is 0 or NULL is as it should be. */
typedef struct zipped {
    const char *name;
    const void *bytes; /* as stored */
    size_t len;
    unsigned method, flags;
    const void *plain; /* what the length and checksum are told of; NULL: bytes */
    size_t plain_len;
    bool wide;          /* the numbers stand in zip64 fields */
    uint32_t wrong_crc; /* mixed into the checksum */
} zipped;

/* Appends a whole archive; with `wide` it has a zip64 end record. */
void add_archive(pf_buffer *b, const zipped *files, size_t count, bool wide, const char *comment);

/* The raw deflate stream of the bytes. */
void add_deflated(pf_buffer *b, const void *plain, size_t len);

/* `len` bytes that compress only a little, always the same. */
char *make_noise(size_t len, uint32_t seed);

/* Opens the stored bytes (d->status) and reads them to their end, giving up `keep_every`-th parts of each window only
 * (1: all of it), and appends the plain bytes to *out. Returns the first failure. The trace holds the stats; the caller
 * frees it. */
typedef struct drained {
    pf_trace *t;
    pf_input input;
    pf_status status;
    pf_error err;
    pf_buffer plain;
} drained;
void drain(drained *d, const pf_buffer *stored, const pf_read_options *o, size_t step, unsigned keep_every);
void drained_free(drained *d);

/* Reads with one job and with two, with windows of `step` bytes, and expects the same of both; d holds the first. */
void drain_both(drained *d, const pf_buffer *stored, const pf_read_options *o, size_t step);

/* Closes a source of these bytes before its end, after none to three windows, and expects its memory back. */
void expect_closed_early(const pf_buffer *stored);

/* Whether the plain bytes are the first d->plain.len ones of `all`, or `len` of them at that. */
bool is_prefix(const drained *d, const void *all, size_t len);
bool is_all(const drained *d, const void *all, size_t len);

/* Sum of all counters. */
uint64_t faults(const drained *d);

#endif
