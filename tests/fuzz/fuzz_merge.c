/* fuzz_merge.c - any two inputs through pf_merge: no crash, no leak, no hang, and what it writes is a trace for us too,
 * as cuts are (fuzz_cut.c).
 *
 * The first byte chooses offsets and whether pids are one space, the second one where the first input ends. Inputs and
 * output are files in memory; the merge sees its output as standard output.
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

static pf_status merge(pf_merge_input *inputs, unsigned choice)
{
    pf_merge_options o = pf_merge_options_default();
    pf_read_options read = pf_read_options_default();
    pf_write_options write = pf_write_options_default();
    pf_merge_result r = {.size = sizeof r};
    pf_error err;
    read.limits.memory = MEMORY;
    read.limits.plain = 16u << 20;
    read.limits.hash_seed = 1; /* so that what is found is found again */
    read.jobs = 1;
    write.sync = false;
    write.jobs = 1;
    o.read = &read;
    o.write = &write;
    o.inputs = inputs;
    o.input_count = 2;
    o.merge_pids = choice & 1;
    inputs[0].offset_ns = choice & 2 ? 1000 : 0;
    inputs[1].offset_ns = choice & 4 ? -1 : 0;
    inputs[1].drift_ppb = choice & 8 ? 50000 : 0;
    if (ftruncate(STDOUT_FILENO, 0) < 0 || lseek(STDOUT_FILENO, 0, SEEK_SET) < 0) {
        abort();
    }
    return pf_merge("-", &o, &r, &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[2][32];
    int fd[2];
    size_t first = size > 2 ? 2 + (size - 2) * data[1] / 255 : size;
    fd[0] = memory_file(data + (size > 2 ? 2 : 0), first - (size > 2 ? 2 : 0));
    fd[1] = memory_file(data + first, size - first);
    pf_merge_input inputs[2] = {{.uncertainty_ns = -1}, {.uncertainty_ns = -1}};
    for (int i = 0; i < 2; i++) {
        snprintf(path[i], sizeof path[i], "/proc/self/fd/%d", fd[i]);
        inputs[i].path = path[i];
    }
    if (merge(inputs, size ? data[0] : 0) == PF_OK) {
        pf_trace *back = read_memory_file(STDOUT_FILENO, 8 * MEMORY, 1, NULL);
        if (!back) {
            abort();
        }
        pf_trace_free(back);
    }
    for (int i = 0; i < 2; i++) {
        pf_trace_free(inputs[i].trace);
        close(fd[i]);
    }
    return 0;
}
