/* threads_ahead.c - unpacking ahead of the reader: with a thread and without one the same bytes, ends and counts come,
 * for whole, cut and damaged streams, for readers that take everything, that leave much and that give up early. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "read/input/source.h"

#define PLAIN (9u << 20)

typedef struct result {
    pf_status status;
    uint64_t bytes, hash, damage;
} result;

/* Text that deflates to a third, in two members. */
static uint8_t *make_stored(size_t *len)
{
    uint8_t *plain = malloc(PLAIN), *stored = malloc(PLAIN);
    uint32_t state = 1;
    for (size_t i = 0; plain && i < PLAIN; i++) {
        state = state * 1664525u + 1013904223u;
        plain[i] = (uint8_t)(i % 3 ? 'a' + (state >> 30) : state >> 24);
    }
    *len = 0;
    for (size_t i = 0; plain && stored && i < 2; i++) {
        z_stream z = {.next_in = plain + i * (PLAIN / 2),
                      .avail_in = PLAIN / 2,
                      .next_out = stored + *len,
                      .avail_out = (uInt)(PLAIN - *len)};
        bool made = deflateInit2(&z, 1, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK &&
                    deflate(&z, Z_FINISH) == Z_STREAM_END;
        *len = made ? *len + z.total_out : 0;
        deflateEnd(&z);
    }
    free(plain);
    return stored;
}

static uint64_t mix(uint64_t hash, const uint8_t *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        hash = (hash ^ bytes[i]) * 0x100000001b3u;
    }
    return hash;
}

/* Reads all, leaving `keep` bytes of each window for the next; `most`: gives up after so many bytes. */
static result drain(const uint8_t *stored, size_t len, unsigned jobs, size_t keep, uint64_t most)
{
    pf_error err = {0};
    pf_read_options o = pf_read_options_default();
    o.jobs = jobs;
    result r = {.hash = 0xcbf29ce484222325u};
    pf_trace *t = pf_trace_new(&o.limits, PF_WANT_EVENTS, &err);
    pf_input in = {.path = "-", .stored = stored, .stored_bytes = len};
    pf_source *s = NULL;
    pf_window w = {0};
    size_t consumed = 0;
    r.status = t ? pf_source_open(&s, t, &in, &o, &err) : err.code;
    while (r.status == PF_OK && !w.last && r.bytes < most) {
        r.status = pf_source_more(s, consumed, &w, &err);
        consumed = w.last ? w.len : w.len > keep ? w.len - keep : 0;
        if (r.status == PF_OK) {
            r.hash = mix(r.hash, w.data, consumed);
            r.bytes += consumed;
        }
    }
    for (size_t i = 0; t && i < PF_STAT_COUNT; i++) {
        r.damage = r.damage * 31 + t->stat_count[i];
    }
    pf_source_close(s);
    pf_trace_free(t);
    return r;
}

static int compare(const char *what, const uint8_t *stored, size_t len, size_t keep, uint64_t most)
{
    result one = drain(stored, len, 1, keep, most), two = drain(stored, len, 2, keep, most);
    bool same = one.status == two.status && one.bytes == two.bytes && one.hash == two.hash && one.damage == two.damage;
    printf("%s %s, %zu kept: %llu bytes\n", same ? "ok" : "not ok", what, keep, (unsigned long long)one.bytes);
    return same ? 0 : 1;
}

int main(void)
{
    static const size_t keeps[] = {0, 1, 1000, 65536, 65537, 3000000};
    size_t len;
    int failed = 0;
    uint8_t *stored = make_stored(&len);
    if (!stored || len < PLAIN / 4) {
        printf("not ok: there is nothing to unpack\n");
        return 1;
    }
    for (size_t i = 0; i < sizeof keeps / sizeof *keeps; i++) {
        result whole = drain(stored, len, 2, keeps[i], UINT64_MAX);
        if (whole.status != PF_OK || whole.bytes != PLAIN || whole.damage != 0) {
            printf("not ok: %llu bytes came\n", (unsigned long long)whole.bytes);
            failed++;
        }
        failed += compare("a whole stream", stored, len, keeps[i], UINT64_MAX);
        failed += compare("a cut stream", stored, len - len / 3, keeps[i], UINT64_MAX);
        failed += compare("half a stream", stored, len, keeps[i], PLAIN / 2);
    }
    stored[len / 4 * 3] ^= 0x55;
    failed += drain(stored, len, 2, 0, UINT64_MAX).damage == 0;
    failed += compare("a damaged stream", stored, len, 0, UINT64_MAX);
    failed += compare("a damaged stream", stored, len, 100000, UINT64_MAX);
    free(stored);
    printf("%d failed\n", failed);
    return failed > 0;
}
