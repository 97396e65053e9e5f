/* postfetto/base.h - what every other public header builds on: status codes, the error object, text views, limits.
 *
 * Ownership in one sentence: whoever creates an object frees it with the matching pf_*_free, and every such function
 * accepts NULL. Views (pf_str, table views) point into their owner and live as long as it does.
 *
 * The library never prints, never exits, never reads the environment and keeps no global state: two traces may be
 * used by two threads at the same time.
 */
#ifndef POSTFETTO_BASE_H
#define POSTFETTO_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define PF_API __attribute__((visibility("default")))
#else
#define PF_API
#endif

/* What went wrong, in the granularity that exit codes have (the command's exit code is in parentheses). */
typedef enum pf_status {
    PF_OK = 0,
    PF_ERR_USAGE,     /* a parameter is missing or makes no sense (2) */
    PF_ERR_INPUT,     /* the input cannot be read, is no trace, or lacks what the pass needs (3) */
    PF_ERR_DAMAGED,   /* the input is damaged and pf_read_options.strict was set (4) */
    PF_ERR_LIMIT,     /* one of pf_limits was exceeded (5) */
    PF_ERR_MEMORY,    /* the system refused memory (5) */
    PF_ERR_OUTPUT,    /* the output could not be written; nothing was left behind (6) */
    PF_ERR_CANCELLED, /* pf_read_options.cancel was set (130 or 143) */
    PF_ERR_INTERNAL   /* a bug in postfetto */
} pf_status;

/* "Unknown" for pf_error.offset and pf_error.packet. */
#define PF_NOWHERE UINT64_MAX

/* Details of a failure. Filled by the failing function, left alone on success. The text is one line that says what is
 * wrong and what to do; it contains neither the file name nor the position, which have their own fields. */
typedef struct pf_error { /* never grows */
    pf_status code;
    uint64_t offset; /* byte offset in the plain (decompressed) input, or PF_NOWHERE */
    uint64_t packet; /* index of the TracePacket, from 0, or PF_NOWHERE */
    char file[512];  /* the file concerned, as given by the caller; may be empty */
    char text[512];
} pf_error;

/* Fills *err (may be NULL) from a printf format and returns code, so that `return pf_fail(...)` reads well. */
PF_API pf_status pf_fail(pf_error *err, pf_status code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The same with a byte offset. */
PF_API pf_status pf_fail_at(pf_error *err, pf_status code, uint64_t offset, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Returns from the calling function, which returns a pf_status, where the call fails. Not for functions that have
 * something to release on the way out: there a status is kept, or the releasing is the caller's. */
#define PF_TRY(call)                                                                                                   \
    do {                                                                                                               \
        pf_status pf_try_status = (call);                                                                              \
        if (pf_try_status != PF_OK) {                                                                                  \
            return pf_try_status;                                                                                      \
        }                                                                                                              \
    } while (0)

/* Names the file of a failure, unless it is named already; legal with err NULL. */
PF_API void pf_error_in(pf_error *err, const char *path);

/* A view of text: not terminated, any bytes. ptr is NULL exactly where SQL would say NULL. */
typedef struct pf_str {
    const char *ptr;
    size_t len;
} pf_str;

/* A literal as such a view. */
#ifdef __cplusplus
#define PF_STR(literal) (pf_str{(literal), sizeof(literal) - 1})
#else
#define PF_STR(literal) ((pf_str){(literal), sizeof(literal) - 1})
#endif

/* The same for bytes that are no text. */
typedef struct pf_bytes {
    const uint8_t *ptr;
    size_t len;
} pf_bytes;

/* No row, no id, no track. */
#define PF_NONE UINT32_MAX

/* Upper bounds for untrusted input. Every growth goes through one of them; exceeding one gives PF_ERR_LIMIT with the
 * name of the flag in the text, except depth and keys, which drop the arguments of the one event and count it. */
typedef struct pf_limits {
    uint64_t memory; /* --max-memory: bytes of heap and columns owned by a trace, its findings and its writers */
    uint64_t input;  /* --max-input: bytes of one input as stored */
    uint64_t plain;  /* --max-plain: bytes of one input after decompression */
    uint64_t ratio;  /* --max-ratio: plain / stored bytes, tested beyond 64 MiB of plain bytes */
    uint64_t rows;   /* --max-rows: rows of any one table */
    uint32_t depth;  /* --max-depth: nesting of arguments inside one event */
    uint32_t keys;   /* --max-keys: argument values of one event */

    /* Hash tables are seeded, so that no file can slow them down: 0 = by a random number. Any other seed makes the
     * steps of a reading repeat, for instance those of a fuzzer; results never depend on it. */
    uint64_t hash_seed;
    uint64_t reserved[6]; /* 0; for limits to come: the struct does not grow */
} pf_limits;

/* memory 16 GiB, input 64 GiB, plain 256 GiB, ratio 1100 (deflate cannot exceed 1032), rows 4e9, depth 512, keys 65536.
 */
PF_API pf_limits pf_limits_default(void);

/* "0.1.0" */
PF_API const char *pf_version(void);

/* The optional parts built in, separated by blanks, for instance "zlib zstd zip sqlite". */
PF_API const char *pf_features(void);

#ifdef __cplusplus
}
#endif
#endif
