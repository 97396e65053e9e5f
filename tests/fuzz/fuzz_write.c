/* fuzz_write.c - any bytes through the public interface: read, drawn into, converted, read again. No crash, no leak, no
 * hang, and what we write is a trace for us too, without damage, with as many slices as the input has.
 *
 * The middle byte chooses the number of threads and what is written. Inputs and outputs are files in memory: the
 * writers see theirs as standard output.
 */
#include <string.h>

#include "memory_file.h"
#include "postfetto/author/pass.h"
#include "postfetto/write.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* From here on standard output is a file in memory; libFuzzer itself writes to standard error. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    int fd = memfd_create("output", 0);
    if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0) {
        abort();
    }
    close(fd);
    return 0;
}

/* The pass with the shape of a small recording, and its findings drawn in. */
static pf_status draw(const pf_trace *t, const pf_write_options *o, pf_error *err)
{
    static const char *const given[][2] = {{"M", "8"},   {"K", "8"},      {"N", "8"},         {"row", "1"},
                                           {"col", "1"}, {"warmup", "1"}, {"iterations", "2"}};
    const pf_pass *pass = pf_pass_find("aie");
    pf_option_value *values = calloc(pass->option_count, sizeof *values);
    const pf_limits limits = {.memory = MEMORY, .hash_seed = 1};
    pf_findings *f = values ? pf_findings_new(&limits) : NULL;
    pf_status st = f ? PF_OK : PF_ERR_MEMORY;
    if (f) {
        pf_pass_defaults(pass, values);
        for (size_t i = 0; i < pass->option_count; i++) {
            for (size_t k = 0; k < sizeof given / sizeof *given; k++) {
                if (strcmp(pass->options[i].name, given[k][0]) == 0) {
                    st = st == PF_OK ? pf_pass_parse(pass, i, given[k][1], values, err) : st;
                }
            }
        }
        const pf_pass_context context = {.trace = t, .values = values, .input_path = "fuzz.json"};
        st = st == PF_OK ? pf_pass_run(pass, &context, f, err) : st;
    }
    st = st == PF_OK ? pf_write_enriched(t, f, "-", o, err) : st;
    pf_findings_free(f);
    free(values);
    return st;
}

static pf_status write_trace(const pf_trace *t, unsigned form, pf_error *err)
{
    pf_write_options o = pf_write_options_default();
    o.gzip = form == 1;
    o.compress_packets = form == 2;
    o.sync = false;
    if (ftruncate(STDOUT_FILENO, 0) < 0 || lseek(STDOUT_FILENO, 0, SEEK_SET) < 0) {
        abort();
    }
    return form == 4   ? draw(t, &o, err)
           : form == 3 ? pf_convert_json(t, "-", &o, err)
                       : pf_convert_pftrace(t, "-", &o, err);
}

/* Our output is a trace; as a Perfetto trace it has all slices (JSON has no place for some tracks), and its bytes are
 * without damage (ends without a begin and the like come out as they came in). */
static void compare(const pf_trace *t, const pf_trace *back, bool same_slices)
{
    bool good = back && (!same_slices || pf_trace_slices(back)->count == pf_trace_slices(t)->count);
    for (size_t i = 0; good && i < pf_trace_stat_count(back); i++) {
        pf_stat stat = pf_trace_stat(back, i);
        if (same_slices && stat.severity >= PF_DATA_LOSS && stat.count > 0 && strncmp(stat.name, "postfetto", 9) == 0) {
            fprintf(stderr, "%s: %llu\n", stat.name, (unsigned long long)stat.count);
            good = false;
        }
    }
    if (!good) {
        fprintf(stderr, "%u slices became %u\n", pf_trace_slices(t)->count, back ? pf_trace_slices(back)->count : 0);
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int fd = memory_file(data, size);
    unsigned choice = size ? data[size / 2] : 0, form = choice / 2 % 5;
    pf_error err;
    pf_trace *t = read_memory_file(fd, MEMORY, 1 + choice % 2, form == 4 ? "aie" : NULL);
    if (t && write_trace(t, form, &err) == PF_OK) {
        pf_trace *back = read_memory_file(STDOUT_FILENO, 8 * MEMORY, 2 - choice % 2, NULL);
        compare(t, back, form < 3);
        pf_trace_free(back);
    }
    pf_trace_free(t);
    close(fd);
    return 0;
}
