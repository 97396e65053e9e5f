/* memory_file.h - fuzzed bytes as a file, for targets that go through the public interface. */
#ifndef TESTS_FUZZ_MEMORY_FILE_H
#define TESTS_FUZZ_MEMORY_FILE_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "postfetto/read.h"

#define MEMORY ((uint64_t)64 << 20)

static inline int memory_file(const uint8_t *data, size_t size)
{
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size) {
        abort();
    }
    return fd;
}

/* NULL if the file is no trace or too large. */
static inline pf_trace *read_memory_file(int fd, uint64_t memory, unsigned jobs, const char *dialect)
{
    char path[32];
    const char *paths[] = {path};
    pf_read_options o = pf_read_options_default();
    pf_error err;
    pf_trace *t = NULL;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    o.want |= PF_WANT_ORIGINS;
    o.limits.memory = memory;
    o.limits.hash_seed = 1; /* so that what is found is found again */
    o.limits.plain = 16u << 20;
    o.limits.depth = 64;
    o.limits.keys = 1000;
    o.jobs = jobs;
    o.dialect = dialect;
    return pf_read(paths, 1, &o, &t, &err) == PF_OK ? t : NULL;
}

#endif
