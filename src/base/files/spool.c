/* base/files/spool.c - files without a name. Where the file system knows no files without a name, one is made and
 * unlinked at once. */
#include "base/files/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

bool pf_spool_open(pf_spool *s, const char *folder)
{
    *s = (pf_spool){.fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600)};
    if (s->fd < 0) {
        char path[4096];
        int len = snprintf(path, sizeof path, "%s/postfetto-XXXXXX", folder);
        s->fd = len > 0 && (size_t)len < sizeof path ? mkostemp(path, O_CLOEXEC) : -1;
        if (s->fd >= 0) {
            unlink(path);
        }
    }
    return s->fd >= 0;
}

size_t pf_spool_write(pf_spool *s, const void *bytes, size_t len)
{
    const uint8_t *at = bytes;
    size_t done = 0;
    while (done < len) {
        ssize_t n = write(s->fd, at + done, len - done);
        if (n < 0 && errno != EINTR) {
            break;
        }
        done += n > 0 ? (size_t)n : 0;
    }
    s->size += done;
    return done;
}

bool pf_spool_read(const pf_spool *s, uint8_t *to)
{
    size_t done = 0;
    while (done < s->size) {
        ssize_t n = pread(s->fd, to + done, s->size - done, (off_t)done);
        if (n == 0 || (n < 0 && errno != EINTR)) {
            errno = n == 0 ? EIO : errno;
            return false;
        }
        done += n > 0 ? (size_t)n : 0;
    }
    return true;
}
