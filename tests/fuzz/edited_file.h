/* edited_file.h - what the targets of edits share: output into a file in memory, small limits, and that what was
 * written is a trace for us too. */
#ifndef TESTS_FUZZ_EDITED_FILE_H
#define TESTS_FUZZ_EDITED_FILE_H

#include "memory_file.h"
#include "postfetto/write.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* From here on standard output is a file in memory; libFuzzer itself writes to standard error. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    int fd = memfd_create("output", 0);
    (void)argc, (void)argv;
    if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0) {
        abort();
    }
    close(fd);
    return 0;
}

static inline pf_read_options fuzz_read_options(void)
{
    pf_read_options o = pf_read_options_default();
    o.limits.memory = MEMORY;
    o.limits.plain = 16u << 20;
    o.limits.hash_seed = 1; /* so that what is found is found again */
    o.jobs = 1;
    return o;
}

static inline pf_write_options fuzz_write_options(void)
{
    pf_write_options o = pf_write_options_default();
    o.sync = false;
    o.jobs = 1;
    return o;
}

static inline void empty_output(void)
{
    if (ftruncate(STDOUT_FILENO, 0) < 0 || lseek(STDOUT_FILENO, 0, SEEK_SET) < 0) {
        abort();
    }
}

static inline void read_output(void)
{
    pf_trace *back = read_memory_file(STDOUT_FILENO, 8 * MEMORY, 1, NULL);
    if (!back) {
        abort();
    }
    pf_trace_free(back);
}

#endif
