/* base/files/spool.h - a file without a name for bytes that come once and are too many for memory. */
#ifndef PF_BASE_FILES_SPOOL_H
#define PF_BASE_FILES_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct pf_spool {
    int fd; /* the caller's to close */
    size_t size;
} pf_spool;

/* False if no file can be made there. */
bool pf_spool_open(pf_spool *s, const char *folder);

/* Appends; returns how many bytes there was room for. */
size_t pf_spool_write(pf_spool *s, const void *bytes, size_t len);

/* Reads everything back; false with errno. */
bool pf_spool_read(const pf_spool *s, uint8_t *to);

#endif
