/* write_trace.c - writes a Perfetto trace: a process with a thread, a row of kernels, an arrow and a counter.
 *
 *     cc write_trace.c $(pkg-config --cflags --libs postfetto) -o write_trace && ./write_trace out.pftrace
 */
#include <postfetto/postfetto.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    pf_builder *b = pf_builder_new(NULL);
    uint32_t process = pf_build_process(b, 42, PF_STR("trainer"));
    uint32_t host = pf_build_thread_track(b, pf_build_thread(b, process, 43, PF_STR("host")));
    uint32_t device = pf_build_track(
        b, &(pf_build_track_row){.of = PF_BUILD_PROCESS, .owner = process, .name = PF_STR("device kernels")});
    uint32_t memory = pf_build_track(b, &(pf_build_track_row){.of = PF_BUILD_PROCESS,
                                                              .owner = process,
                                                              .counter = true,
                                                              .name = PF_STR("memory"),
                                                              .unit = PF_STR("bytes")});
    for (int step = 0; step < 10; step++) {
        int64_t start = 1000000 + step * 100000; /* ns */
        pf_build_slice(b, host, start, 90000, PF_STR("step"));
        pf_build_arg_int(b, PF_STR("number"), step);
        pf_build_slice(b, host, start + 1000, 5000, PF_STR("launch"));
        pf_build_flow(b, (uint64_t)step + 1, false);
        pf_build_slice(b, device, start + 20000, 60000, PF_STR("matmul"));
        pf_build_flow(b, (uint64_t)step + 1, true);
        pf_build_arg_real(b, PF_STR("utilisation"), 0.5 + step * 0.05);
        pf_build_sample(b, memory, start, 1e6 * step);
    }
    pf_trace *trace = NULL;
    pf_error err;
    if (argc != 2 || !b || pf_builder_finish(b, &trace, &err) != PF_OK ||
        pf_convert_pftrace(trace, argv[1], NULL, &err) != PF_OK) {
        fprintf(stderr, "write_trace: %s\n", argc != 2 || !b ? "give the name of the file to be written" : err.text);
        return 1;
    }
    pf_trace_free(trace);
    pf_builder_free(b);
    return 0;
}
