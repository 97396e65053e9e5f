/* base/files/fingerprint.c - see fingerprint.h. */
#include "base/files/fingerprint.h"

#include <fcntl.h>
#include <fts.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

static void print(XXH128_hash_t hash, char hex[33])
{
    static const char digits[] = "0123456789abcdef";
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, hash);
    for (size_t i = 0; i < sizeof canonical.digest; i++) {
        hex[2 * i] = digits[canonical.digest[i] >> 4];
        hex[2 * i + 1] = digits[canonical.digest[i] & 15];
    }
    hex[32] = '\0';
}

void pf_fingerprint(const void *bytes, size_t len, char hex[33])
{
    print(XXH3_128bits(bytes, len), hex);
}

void pf_fingerprint_file(const pf_file *f, char hex[33])
{
    enum { PIECE = 4 << 20 };
    XXH3_state_t *state = f->size > PIECE ? XXH3_createState() : NULL;
    if (!state) {
        pf_fingerprint(f->data, f->size, hex);
        return;
    }
    XXH3_128bits_reset(state);
    for (size_t at = 0, to; at < f->size; at = to) {
        to = f->size - at > PIECE ? at + PIECE : f->size;
        XXH3_128bits_update(state, f->data + at, to - at);
        pf_file_drop(f, at, to);
    }
    print(XXH3_128bits_digest(state), hex);
    XXH3_freeState(state);
}

/* The path with its NUL, the bytes, their number: files and their limits cannot be taken for others. */
static void add_file(XXH3_state_t *state, const char *path, const char *name)
{
    enum { PIECE = 1 << 16 };
    char piece[PIECE];
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t n = 0;
    uint64_t bytes = 0;
    XXH3_128bits_update(state, name, strlen(name) + 1);
    while (fd >= 0 && (n = read(fd, piece, sizeof piece)) > 0) {
        XXH3_128bits_update(state, piece, (size_t)n);
        bytes += (uint64_t)n;
    }
    XXH3_128bits_update(state, &bytes, sizeof bytes);
    if (fd >= 0) {
        close(fd);
    }
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

void pf_fingerprint_folder(const char *path, char hex[33])
{
    char *roots[] = {(char *)(uintptr_t)path, NULL}; /* fts does not change it */
    FTS *walk = fts_open(roots, FTS_LOGICAL | FTS_NOCHDIR, by_name);
    XXH3_state_t *state = XXH3_createState();
    FTSENT *e;
    if (state) {
        XXH3_128bits_reset(state);
    }
    while (walk && state && (e = fts_read(walk))) {
        if (e->fts_info == FTS_F) {
            add_file(state, e->fts_accpath, e->fts_path + strlen(path));
        }
    }
    print(state ? XXH3_128bits_digest(state) : XXH3_128bits(NULL, 0), hex);
    XXH3_freeState(state);
    if (walk) {
        fts_close(walk);
    }
}
