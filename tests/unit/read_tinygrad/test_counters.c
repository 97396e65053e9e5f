/* Counters beyond 64 bits, and samples whose bytes are spread over packets. */
#include <criterion/criterion.h>
#include <string.h>

#include "read/tinygrad/counters/counters.h"

Test(pmc_values, sums_may_exceed_64_bits)
{
    uint8_t blob[48];
    char text[PF_PMC_DIGITS];
    memset(blob, 0xff, sizeof blob);
    pf_pmc_counter c = {.offset = 8, .size = 32, .xcc = 1, .instances = 2, .se = 1, .sa = 1, .wgp = 2};
    pf_bytes values = pf_pmc_values((pf_bytes){blob, sizeof blob}, &c);
    cr_assert_eq(values.ptr, blob + 8);
    cr_assert_eq(values.len, 32);
    cr_assert_eq(pf_pmc_value(values, 3), UINT64_MAX);
    pf_pmc_print(pf_pmc_total(values), text);
    cr_assert_str_eq(text, "73786976294838206460"); /* 4 * (2^64 - 1) */
    pf_pmc_print(0, text);
    cr_assert_str_eq(text, "0");
}

Test(pmc_values, what_does_not_fit_has_no_values)
{
    uint8_t blob[32] = {0};
    const pf_pmc_counter good = {.offset = 0, .size = 32, .xcc = 2, .instances = 1, .se = 1, .sa = 1, .wgp = 2};
    pf_pmc_counter wrong[7];
    for (size_t i = 0; i < 7; i++) {
        wrong[i] = good;
    }
    wrong[0].offset = 8;
    wrong[1].offset = -8;
    wrong[2].size = 40;
    wrong[3].wgp = 3;
    wrong[4].se = -1;
    wrong[5].xcc = INT64_MAX;
    wrong[6].offset = INT64_MAX;
    cr_assert_eq(pf_pmc_values((pf_bytes){blob, sizeof blob}, &good).len, 32);
    for (size_t i = 0; i < 7; i++) {
        cr_assert_null(pf_pmc_values((pf_bytes){blob, sizeof blob}, &wrong[i]).ptr, "%zu", i);
    }
}

/* ---- samples ----------------------------------------------------------------------------------------------------- */

/* A packet of one unit with so many bytes of its stream. */
static void put_packet(uint8_t packet[32], unsigned unit, bool dropped, const uint8_t *bytes, unsigned len)
{
    memset(packet, 0xee, 32);
    uint32_t header = len | (unit & 255) << 8 | (unit >> 8) << 25 | (uint32_t)dropped << 28;
    for (unsigned i = 0; i < 4; i++) {
        packet[4 + i] = (uint8_t)(header >> (8 * i));
    }
    for (unsigned i = 0; i < len; i++) {
        packet[i < 4 ? i : i + 4] = bytes[i];
    }
}

static void short_sample(uint8_t out[8], uint64_t pc, unsigned key, unsigned wave, bool active)
{
    uint64_t v = pc >> 4 | (uint64_t)key << 45 | (uint64_t)wave << 50 | (uint64_t)active << 62;
    for (unsigned i = 0; i < 8; i++) {
        out[i] = (uint8_t)(v >> (8 * i));
    }
}

static unsigned collect(const uint8_t *stream, size_t len, int64_t sm_version, pf_pma_sample *out)
{
    static pf_pma_decoder d;
    pf_pma_sample batch[PF_PMA_BATCH];
    unsigned count = 0;
    pf_pma_start(&d, (pf_bytes){stream, len}, sm_version);
    for (unsigned n; pf_pma_next(&d, batch, &n);) {
        memcpy(out + count, batch, n * sizeof *batch);
        count += n;
    }
    return count;
}

/* Three samples of one unit in pieces of 11 and 13 bytes, with a packet of another unit between them. */
Test(pma_samples, pieces_are_put_together_by_unit)
{
    uint8_t bytes[24], other[8], stream[3 * 32 + 5];
    pf_pma_sample s[8];
    short_sample(bytes, 0x12340, 3, 5, true);
    short_sample(bytes + 8, 0x20, 18, 63, false);
    short_sample(bytes + 16, 0x1fffffffffff0, 31, 0, true);
    short_sample(other, 0x50, 9, 1, true);
    put_packet(stream, 0x7a3, false, bytes, 11);
    put_packet(stream + 32, 0x001, false, other, 8);
    put_packet(stream + 64, 0x7a3, false, bytes + 11, 13);
    cr_assert_eq(collect(stream, sizeof stream, 0x800, s), 4);
    cr_assert_eq(s[0].pc, 0x12340);
    cr_assert_eq(s[0].reason, PF_PMA_SYNC);
    cr_assert_eq(s[0].wave, 5);
    cr_assert(s[0].active);
    cr_assert_eq(pf_pma_gpc(&s[0]), 0x7a3 >> 5);
    cr_assert_eq(pf_pma_tpc(&s[0]), 1);
    cr_assert_eq(pf_pma_sm(&s[0]), 1);
    cr_assert_eq(s[1].unit, 1);
    cr_assert_eq(s[1].reason, PF_PMA_MEMORY_DEPENDENCY);
    cr_assert_eq(s[2].reason, PF_PMA_NONE);
    cr_assert_eq(s[2].wave, 63);
    cr_assert_eq(s[3].pc, 0x1fffffffffff0);
    cr_assert_eq(s[3].reason, PF_PMA_OTHER);
}

Test(pma_samples, what_was_begun_is_dropped)
{
    uint8_t bytes[16], stream[64];
    pf_pma_sample s[8];
    short_sample(bytes, 0x100, 1, 1, false);
    short_sample(bytes + 8, 0x200, 2, 2, false);
    put_packet(stream, 9, false, bytes, 5);
    put_packet(stream + 32, 9, true, bytes + 8, 8);
    cr_assert_eq(collect(stream, sizeof stream, 0x890, s), 1);
    cr_assert_eq(s[0].pc, 0x200);
    cr_assert_eq(s[0].reason, PF_PMA_CONSTANT_MEMORY);
}

/* From 0xa04 on samples have nine bytes: key, two bits of the warp, 53 of the counter, then four of the warp. */
Test(pma_samples, nine_bytes)
{
    uint8_t bytes[9] = {8 | 2 << 6, 0x34, 0x12, 0, 0, 0, 0, 0, 0x5 << 4 | 1 << 3}, stream[32];
    pf_pma_sample s[8];
    put_packet(stream, 0, false, bytes, 9);
    cr_assert_eq(collect(stream, sizeof stream, 0xa04, s), 1);
    cr_assert_eq(s[0].pc, 0x12340);
    cr_assert_eq(s[0].reason, PF_PMA_MEMORY_DEPENDENCY);
    cr_assert_eq(s[0].wave, 2 << 4 | 5);
    cr_assert(s[0].active);
    cr_assert_eq(collect(stream, sizeof stream, 0xa03, s), 1);
    cr_assert_neq(s[0].pc, 0x12340);
}
