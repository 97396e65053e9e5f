/* fuzz_cut.c - any bytes through pf_cut: no crash, no leak, no hang, and what it writes is a trace for us too.
 *
 * The middle byte chooses the window and what is selected. Input and output are files in memory; the cut sees its
 * output as standard output.
 */
#include "memory_file.h"
#include "postfetto/edit.h"

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

static pf_status cut(const char *path, unsigned choice)
{
    static const char *const patterns[] = {"*a*"};
    pf_cut_options o = pf_cut_options_default();
    pf_read_options read = pf_read_options_default();
    pf_write_options write = pf_write_options_default();
    pf_cut_result r = {.size = sizeof r};
    pf_error err;
    read.limits.memory = MEMORY;
    read.limits.plain = 16u << 20;
    read.limits.hash_seed = 1; /* so that what is found is found again */
    read.jobs = 1;
    write.sync = false;
    write.jobs = 1;
    o.read = &read;
    o.write = &write;
    o.from = (pf_edit_time){choice & 1 ? PF_EDIT_FROM_START : PF_EDIT_NO_TIME, choice};
    o.to = (pf_edit_time){choice & 2 ? PF_EDIT_FROM_END : PF_EDIT_NO_TIME, choice / 2};
    o.min_dur = choice & 4 ? 5 : 0;
    o.track.keep = patterns;
    o.track.keep_count = choice / 8 & 1;
    o.category.drop = patterns;
    o.category.drop_count = choice / 16 & 1;
    if (ftruncate(STDOUT_FILENO, 0) < 0 || lseek(STDOUT_FILENO, 0, SEEK_SET) < 0) {
        abort();
    }
    pf_status st = pf_cut(path, "-", &o, &r, &err);
    if (st == PF_OK) {
        pf_trace_free(r.input);
    }
    return st;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[32];
    int fd = memory_file(data, size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (cut(path, size ? data[size / 2] : 0) == PF_OK) {
        pf_trace *back = read_memory_file(STDOUT_FILENO, 8 * MEMORY, 1, NULL);
        if (!back) {
            abort();
        }
        pf_trace_free(back);
    }
    close(fd);
    return 0;
}
