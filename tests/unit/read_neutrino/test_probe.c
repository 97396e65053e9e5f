/* test_probe.c - which files are taken for neutrino's by their first bytes: binary traces have no magic number. */
#include <criterion/criterion.h>
#include <string.h>

#include "postfetto/postfetto.h"

enum { WORDS = 12 }; /* a header of eight and a section header of four */

typedef struct row {
    uint32_t block, sections, offset;
    uint32_t words; /* that are there */
    const char *name;
    pf_probe probe;
} row;

/* Grid 2 x 1 x 1, the block's first dimension, no shared memory; the offset is that of the first section, which begins
 * after the headers: 32 bytes and 16 for each section. */
static pf_probe probe_of(const row *r)
{
    const uint32_t word[WORDS] = {2, 1, 1, r->block, 1, 1, 0, r->sections, 16, 32, r->offset, 0};
    uint8_t head[4 * WORDS];
    for (size_t i = 0; i < sizeof head; i++) {
        head[i] = (uint8_t)(word[i / 4] >> i % 4 * 8);
    }
    return pf_reader_find("neutrino")->probe(head, (size_t)4 * r->words, r->name, false);
}

Test(probe, headers_of_traces)
{
    static const row rows[] = {
        {32, 1, 48, WORDS, "a/some", PF_PROBE_SURE},      {1024, 1, 48, WORDS, "some", PF_PROBE_SURE},
        {1025, 1, 48, WORDS, "some", PF_PROBE_NO},        {32, 1, 47, WORDS, "some", PF_PROBE_NO},
        {32, 1, 64, WORDS, "some", PF_PROBE_NO},          {32, 0, 32, WORDS, "some", PF_PROBE_NO},
        {32, 1, 48, WORDS - 1, "some", PF_PROBE_NO},      {0, 1, 48, WORDS, "some", PF_PROBE_NO},
        {32, 1, 47, WORDS, "some.bin", PF_PROBE_MAYBE},   {32, 1, 48, WORDS, "some.bin", PF_PROBE_SURE},
        {32, 1, 47, WORDS, "x/some.dmat", PF_PROBE_SURE}, {32, 1, 47, WORDS, "x.bin/some", PF_PROBE_NO},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_expect_eq(probe_of(&rows[i]), rows[i].probe, "row %zu", i);
    }
}
