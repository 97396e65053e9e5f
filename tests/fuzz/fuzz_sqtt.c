/* fuzz_sqtt.c - any bytes as a thread trace, with any bytes as the code it is of: no crash, no leak, no read beyond;
 * the same packets however many are asked for at a time; and any bytes as samples.
 *
 * The first byte says which instruction set, the second how much of the rest is code. */
#include <stdlib.h>
#include <string.h>

#include "read/tinygrad/counters/counters.h"
#include "read/tinygrad/sqtt/sqtt_trace.h"
#include "read/tinygrad/sqtt/sqtt_waves.h"

enum { BATCH = 64, SLICES = 200 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static pf_sqtt_tables tables;

static void require(bool condition)
{
    if (!condition) {
        abort();
    }
}

/* One by one: what the decoder keeps between calls is all that it needs. */
static void compare_batches(pf_bytes stream)
{
    pf_sqtt_packet many[BATCH], one;
    pf_sqtt_decoder a, b;
    pf_sqtt_start(&a, &tables, stream);
    pf_sqtt_start(&b, &tables, stream);
    for (size_t n; (n = pf_sqtt_next(&a, many, BATCH)) > 0;) {
        for (size_t i = 0; i < n; i++) {
            require(pf_sqtt_next(&b, &one, 1) == 1);
            require(one.time == many[i].time && one.raw == many[i].raw && one.kind == many[i].kind &&
                    one.nibble == many[i].nibble && one.family == many[i].family);
        }
    }
    require(pf_sqtt_next(&b, &one, 1) == 0);
}

static void take_all(pf_bytes stream, const pf_amd_code *code, pf_budget *budget)
{
    pf_sqtt_waves *w = malloc(sizeof *w);
    pf_sqtt_trace *t = malloc(sizeof *t);
    pf_sqtt_packet packets[BATCH];
    pf_sqtt_decoder d;
    require(pf_sqtt_waves_init(w, budget, NULL) == PF_OK);
    require(pf_sqtt_trace_init(t, budget, SLICES, NULL) == PF_OK);
    require(pf_sqtt_trace_restart(t, code, NULL) == PF_OK);
    pf_sqtt_start(&d, &tables, stream);
    for (size_t n; (n = pf_sqtt_next(&d, packets, BATCH)) > 0;) {
        require(pf_sqtt_waves_take(w, packets, n, NULL) == PF_OK);
        require(pf_sqtt_trace_take(t, packets, n, NULL) == PF_OK);
    }
    require(t->slices.count <= SLICES);
    for (uint32_t i = 0; i < t->slices.count; i++) {
        require(t->slices.row[i] < PF_SQTT_ROWS);
        require(t->slices.link[i] == PF_NONE || t->slices.link[i] < i);
        require(t->slices.instruction[i] == PF_NONE || code->size[t->slices.instruction[i]]);
    }
    pf_sqtt_trace_free(t);
    pf_sqtt_waves_free(w);
    free(t);
    free(w);
}

static void take_samples(pf_bytes stream, int64_t sm_version)
{
    pf_pma_decoder *d = malloc(sizeof *d);
    pf_pma_sample samples[PF_PMA_BATCH];
    pf_pma_start(d, stream, sm_version);
    for (unsigned n; pf_pma_next(d, samples, &n);) {
        require(n <= PF_PMA_BATCH);
        for (unsigned i = 0; i < n; i++) {
            require(samples[i].reason < PF_PMA_REASONS && samples[i].unit < PF_PMA_UNITS);
        }
    }
    free(d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pf_budget budget;
    pf_amd_code code;
    if (size < 2) {
        return 0;
    }
    if (tables.step[0][0] == 0) {
        pf_sqtt_build_tables(&tables);
    }
    size_t part = (size - 2) * data[1] / 256;
    uint8_t *object = malloc(part + 1), *stream = malloc(size - 2 - part + 1);
    memcpy(object, data + 2, part);
    memcpy(stream, data + 2 + part, size - 2 - part);
    pf_bytes bytes = {stream, size - 2 - part};
    pf_budget_init(&budget, NULL);
    require(pf_amd_code_open(&code, (pf_bytes){object, part}, (pf_amd_isa)(data[0] % 3), &budget, NULL) == PF_OK);
    compare_batches(bytes);
    take_all(bytes, &code, &budget);
    take_samples(bytes, data[0] & 64 ? 0xa04 : 0x800);
    pf_amd_code_free(&code);
    require(budget.used == 0);
    free(object);
    free(stream);
    return 0;
}
