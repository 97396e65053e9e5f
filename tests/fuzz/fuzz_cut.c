/* fuzz_cut.c - any bytes through pf_cut: no crash, no leak, no hang, and what it writes is a trace for us too.
 *
 * The middle byte chooses the window and what is selected. Input and output are files in memory; the cut sees its
 * output as standard output.
 */
#include "edited_file.h"
#include "postfetto/edit.h"

static pf_status cut(const char *path, unsigned choice)
{
    static const char *const patterns[] = {"*a*"};
    pf_cut_options o = pf_cut_options_default();
    const pf_read_options read = fuzz_read_options();
    const pf_write_options write = fuzz_write_options();
    pf_cut_result r = {.size = sizeof r};
    pf_error err;
    o.read = &read;
    o.write = &write;
    o.from = (pf_edit_time){choice & 1 ? PF_EDIT_FROM_START : PF_EDIT_NO_TIME, choice};
    o.to = (pf_edit_time){choice & 2 ? PF_EDIT_FROM_END : PF_EDIT_NO_TIME, choice / 2};
    o.min_dur = choice & 4 ? 5 : 0;
    o.track.keep = patterns;
    o.track.keep_count = choice / 8 & 1;
    o.category.drop = patterns;
    o.category.drop_count = choice / 16 & 1;
    empty_output();
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
        read_output();
    }
    close(fd);
    return 0;
}
