/* pickles.h - bytes and fixtures as profiles of tinygrad. */
#ifndef TEST_READ_TINYGRAD_PICKLES_H
#define TEST_READ_TINYGRAD_PICKLES_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "postfetto/postfetto.h"

/* Reads a file as a profile with so many bytes of memory, 0: as many as by default; *t is NULL on failure. */
static inline pf_status read_limited(const char *path, uint64_t memory, pf_trace **t, pf_error *err)
{
    pf_read_options o = pf_read_options_default();
    o.limits.memory = memory ? memory : o.limits.memory;
    o.input_format = "tinygrad";
    o.want = PF_WANT_TABLES;
    *err = (pf_error){.offset = PF_NOWHERE};
    *t = NULL;
    return pf_read(&path, 1, &o, t, err);
}

static inline pf_status read_profile_file(const char *path, pf_trace **t, pf_error *err)
{
    return read_limited(path, 0, t, err);
}

static inline pf_status read_profile_within(const void *bytes, size_t len, uint64_t memory, pf_trace **t, pf_error *err)
{
    char path[64];
    int fd = memfd_create("profile", MFD_CLOEXEC);
    cr_assert(fd >= 0 && write(fd, bytes, len) == (ssize_t)len);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    pf_status st = read_limited(path, memory, t, err);
    close(fd);
    return st;
}

static inline pf_status read_profile_bytes(const void *bytes, size_t len, pf_trace **t, pf_error *err)
{
    return read_profile_within(bytes, len, 0, t, err);
}

static inline char *load_fixture(const char *name, size_t *len)
{
    char path[512];
    snprintf(path, sizeof path, PF_FIXTURES "/%s", name);
    FILE *f = fopen(path, "rb");
    cr_assert(f, "%s", path);
    char *data = malloc(1 << 16);
    *len = fread(data, 1, 1 << 16, f);
    fclose(f);
    cr_assert(*len > 0 && *len < 1 << 16);
    return data;
}

#endif
