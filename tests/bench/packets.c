/* packets.c - times the decoder of AMD thread traces, on streams of its own making.
 *
 *     bench_packets rdna3|dense|rdna4|cdna MEGABYTES     decodes so many bytes into packets with times, in one thread
 *
 * The stream has 64 KiB, so that it stays in the cache as real ones do, and is decoded again and again; its kinds are
 * as frequent as in recorded traces of matrix products. Prints one line of JSON: seconds, bytes, packets.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "read/tinygrad/sqtt/sqtt_kinds.h"

enum { STREAM = 64 << 10, BATCH = 512, WEIGHTS = 12 };

typedef struct mix {
    const char *name;
    unsigned layout;
    struct {
        pf_sqtt_kind_id kind;
        unsigned weight; /* per cent */
    } part[WEIGHTS];
} mix;

static const mix mixes[] = {
    {"rdna3",
     3,
     {{PF_SQTT_NOP, 36},
      {PF_SQTT_ALUEXEC, 18},
      {PF_SQTT_VALUINST, 17},
      {PF_SQTT_INST, 6},
      {PF_SQTT_REG, 5},
      {PF_SQTT_VMEMEXEC, 5},
      {PF_SQTT_TS_WAVE_STATE, 4},
      {PF_SQTT_WAVERDY, 3},
      {PF_SQTT_TS_DELTA_SHORT, 2},
      {PF_SQTT_IMMEDIATE, 2},
      {PF_SQTT_WAVESTART, 1},
      {PF_SQTT_WAVEEND, 1}}},
    {"dense",
     3,
     {{PF_SQTT_VALUINST, 32},
      {PF_SQTT_ALUEXEC, 33},
      {PF_SQTT_NOP, 6},
      {PF_SQTT_INST, 10},
      {PF_SQTT_VMEMEXEC, 8},
      {PF_SQTT_IMMEDIATE, 4},
      {PF_SQTT_TS_DELTA_SHORT, 3},
      {PF_SQTT_REG, 1},
      {PF_SQTT_TS_WAVE_STATE, 1},
      {PF_SQTT_TS_DELTA_OR_MARK, 1},
      {PF_SQTT_WAVERDY, 1}}},
    {"rdna4",
     4,
     {{PF_SQTT_NOP, 41},
      {PF_SQTT_ALUEXEC, 9},
      {PF_SQTT_WAVEEND_RDNA4, 8},
      {PF_SQTT_WAVESTART_RDNA4, 8},
      {PF_SQTT_INST_RDNA4, 8},
      {PF_SQTT_VALUINST, 7},
      {PF_SQTT_REG, 5},
      {PF_SQTT_VMEMEXEC, 4},
      {PF_SQTT_TS_WAVE_STATE, 4},
      {PF_SQTT_IMMEDIATE, 3},
      {PF_SQTT_TS_DELTA_SHORT, 2},
      {PF_SQTT_TS_DELTA_OR_MARK_RDNA4, 1}}},
    {"cdna",
     0,
     {{PF_SQTT_CDNA_MISC, 77},
      {PF_SQTT_CDNA_ISSUE, 8},
      {PF_SQTT_CDNA_INST, 7},
      {PF_SQTT_CDNA_WAVESTART, 2},
      {PF_SQTT_CDNA_WAVEEND, 2},
      {PF_SQTT_CDNA_TIMESTAMP, 1},
      {PF_SQTT_CDNA_REG_CS, 2},
      {PF_SQTT_CDNA_REG, 1}}},
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state ^ *state >> 29;
}

/* Appends a packet of the kind whose other bits are random, but for those that would end the stream's meaning. */
static size_t put(uint8_t *stream, size_t at, pf_sqtt_kind_id id, uint64_t bits)
{
    const pf_sqtt_kind *kind = &pf_sqtt_kinds[id];
    uint64_t raw = id == PF_SQTT_NOP ? 0 : (bits >> kind->fixed_bits << kind->fixed_bits) | kind->fixed;
    for (unsigned i = 0; i < kind->nibbles; i++, at++) {
        stream[at / 2] |= (uint8_t)((raw >> (4 * i) & 15) << (at % 2 * 4));
    }
    return at;
}

static pf_sqtt_kind_id pick(const mix *m, unsigned percent)
{
    unsigned i = 0;
    for (unsigned sum = m->part[0].weight; sum <= percent && m->part[i + 1].weight; sum += m->part[i].weight) {
        i++;
    }
    return m->part[i].kind;
}

static void fill(uint8_t *stream, const mix *m)
{
    uint64_t state = 1;
    size_t at = put(stream, 0, PF_SQTT_LAYOUT_HEADER, (uint64_t)m->layout << 7);
    while (at + 32 < 2 * (size_t)STREAM) {
        unsigned percent = (unsigned)(next_random(&state) >> 33) % 100;
        at = put(stream, at, pick(m, percent), next_random(&state));
    }
}

static void measure(const mix *m, size_t megabytes)
{
    static uint8_t stream[STREAM];
    static pf_sqtt_tables tables;
    pf_sqtt_packet packets[BATCH];
    uint64_t count = 0;
    size_t rounds = megabytes * 1000000 / STREAM + 1;
    fill(stream, m);
    pf_sqtt_build_tables(&tables);
    double start = now();
    for (size_t i = 0; i < rounds; i++) {
        pf_sqtt_decoder d;
        pf_sqtt_start(&d, &tables, (pf_bytes){stream, STREAM});
        for (size_t n; (n = pf_sqtt_next(&d, packets, BATCH)) > 0;) {
            count += n;
        }
    }
    printf("{\"seconds\": %.9f, \"bytes\": %zu, \"packets\": %" PRIu64 "}\n", now() - start, rounds * STREAM, count);
}

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 3 && i < sizeof mixes / sizeof mixes[0]; i++) {
        if (strcmp(argv[1], mixes[i].name) == 0) {
            measure(&mixes[i], strtoul(argv[2], NULL, 10));
            return 0;
        }
    }
    fprintf(stderr, "usage: bench_packets rdna3|dense|rdna4|cdna MEGABYTES\n");
    return 2;
}
