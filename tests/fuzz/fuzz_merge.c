/* fuzz_merge.c - any two inputs through pf_merge: no crash, no leak, no hang, and what it writes is a trace for us too,
 * as cuts are (fuzz_cut.c).
 *
 * The first byte chooses offsets and whether pids are one space, the second one where the first input ends. Inputs and
 * output are files in memory; the merge sees its output as standard output.
 */
#include "edited_file.h"
#include "postfetto/edit.h"

static pf_status merge(pf_merge_input *inputs, unsigned choice)
{
    pf_merge_options o = pf_merge_options_default();
    const pf_read_options read = fuzz_read_options();
    const pf_write_options write = fuzz_write_options();
    pf_merge_result r = {.size = sizeof r};
    pf_error err;
    o.read = &read;
    o.write = &write;
    o.inputs = inputs;
    o.input_count = 2;
    o.merge_pids = choice & 1;
    inputs[0].offset_ns = choice & 2 ? 1000 : 0;
    inputs[1].offset_ns = choice & 4 ? -1 : 0;
    inputs[1].drift_ppb = choice & 8 ? 50000 : 0;
    empty_output();
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
        read_output();
    }
    for (int i = 0; i < 2; i++) {
        pf_trace_free(inputs[i].trace);
        close(fd[i]);
    }
    return 0;
}
