/* read_and_sum.c - reads traces into one and sums the lengths of its slices by name.
 *
 *     cc read_and_sum.c $(pkg-config --cflags --libs postfetto) -o read_and_sum && ./read_and_sum rank0.json.gz
 * rank1.json.gz
 */
#include <postfetto/postfetto.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    pf_trace *trace = NULL;
    pf_error err;
    size_t files = argc > 1 ? (size_t)argc - 1 : 0;
    if (pf_read((const char *const *)argv + 1, files, NULL, &trace, &err) != PF_OK) {
        fprintf(stderr, "read_and_sum: %s: %s\n", err.file, err.text);
        return 1;
    }
    const pf_slices *slices = pf_trace_slices(trace);
    uint32_t names = 0;
    for (uint32_t i = 0; i < slices->count; i++) {
        uint32_t name = pf_slice_name(slices, i);
        names = name >= names ? name + 1 : names;
    }
    int64_t *sum = calloc(names + 1, sizeof *sum); /* by the number of the text */
    for (uint32_t i = 0; sum && i < slices->count; i++) {
        sum[pf_slice_name(slices, i)] += slices->dur[i] > 0 ? slices->dur[i] : 0; /* -1: never closed */
    }
    for (uint32_t name = 0; sum && name < names; name++) {
        pf_str text = pf_trace_string(trace, name);
        if (sum[name] > 0) {
            printf("%lld %.*s\n", (long long)sum[name], (int)text.len, text.ptr ? text.ptr : "");
        }
    }
    free(sum);
    pf_trace_free(trace);
    return 0;
}
