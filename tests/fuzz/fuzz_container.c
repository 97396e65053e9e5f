/* fuzz_container.c - any bytes as gzip, zstd or zip: no crash, no leak, no hang, no memory beyond the limit, and the
 * same bytes and counters however they are asked for.
 *
 * The middle byte chooses the windows, and whether the second reading unpacks on a thread of its own.
 */
#include <stdlib.h>
#include <string.h>

#include "read/input/source.h"

#define MEMORY ((uint64_t)32 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct result {
    pf_status status;
    uint64_t hash, plain;
    uint64_t counts[PF_STAT_COUNT];
} result;

static pf_status mix(void *ctx, const void *bytes, size_t len)
{
    uint64_t *h = ctx;
    const uint8_t *p = bytes;
    for (size_t i = 0; i < len; i++) {
        *h = (*h ^ p[i]) * 0x100000001b3ull;
    }
    return PF_OK;
}

/* Reads the input once through the window, and its plain bytes again. */
static result read_once(const uint8_t *bytes, size_t size, size_t step, unsigned jobs)
{
    pf_read_options o = {.limits = pf_limits_default(), .jobs = jobs};
    o.limits.memory = MEMORY;
    o.limits.hash_seed = 1; /* so that what is found is found again */
    o.limits.plain = 8u << 20;
    result r = {.status = PF_OK};
    pf_error err = {0};
    pf_trace *t = pf_trace_new(&o.limits, 0, &err);
    pf_input input = {.path = "fuzz", .stored = bytes, .stored_bytes = size};
    pf_source *s = NULL;
    pf_window w = {0};
    if (!t) {
        return (result){.status = PF_ERR_MEMORY};
    }
    r.status = pf_source_open(&s, t, &input, &o, &err);
    if (r.status == PF_OK) {
        pf_source_set_step(s, step);
    }
    while (r.status == PF_OK && !w.last) {
        r.status = pf_source_more(s, w.len, &w, &err);
        if (r.status == PF_OK) {
            mix(&r.hash, w.data, w.len);
        }
    }
    pf_source_close(s);
    r.plain = input.plain_bytes;
    memcpy(r.counts, t->stat_count, sizeof r.counts);
    uint64_t again = 0, now, peak;
    if (r.status == PF_OK && (pf_source_send(t, &input, mix, &again, &err) != PF_OK || again != r.hash)) {
        abort();
    }
    pf_trace_memory(t, &now, &peak);
    if (peak > MEMORY) {
        abort();
    }
    pf_trace_free(t);
    return r;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    uint8_t *bytes = malloc(size + PF_SLOP);
    if (!bytes) {
        return 0;
    }
    memcpy(bytes, data, size);
    memset(bytes + size, 0, PF_SLOP);
    uint8_t choice = data[size / 2];
    result a = read_once(bytes, size, 1u << 20, 1);
    result b = read_once(bytes, size, 1 + (size_t)(choice >> 1) * 37, 1 + (choice & 1));
    if (a.status == PF_OK && b.status == PF_OK &&
        (a.hash != b.hash || a.plain != b.plain || memcmp(a.counts, b.counts, sizeof a.counts) != 0)) {
        abort();
    }
    free(bytes);
    return 0;
}
