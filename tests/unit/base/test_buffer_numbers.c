/* test_buffer_numbers.c - whole numbers appended to a buffer are those that printf writes; those read from bytes. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/little_endian.h"

static void expect(int64_t v)
{
    char want[64];
    pf_buffer b = {0};
    int len = snprintf(want, sizeof want, "%" PRId64 ",%" PRIu64 ",%" PRIx64, v, (uint64_t)v, (uint64_t)v);
    pf_buffer_int(&b, v);
    pf_buffer_put(&b, ",", 1);
    pf_buffer_decimal(&b, (uint64_t)v);
    pf_buffer_put(&b, ",", 1);
    pf_buffer_hex(&b, (uint64_t)v);
    cr_expect(b.len == (size_t)len && memcmp(b.data, want, b.len) == 0, "%s became %.*s", want, (int)b.len, b.data);
    pf_buffer_free(&b);
}

Test(buffer_numbers, are_those_that_printf_writes)
{
    const int64_t ends[] = {15, 16, 255, 256, 0xabcdef, 101, 1001,      909,       0,
                            1,  -1, 9,   10,  99,       100, INT64_MAX, INT64_MIN, INT64_MIN + 1};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        expect(ends[i]);
    }
    for (uint64_t power = 1, n = 0; n < 19; n++, power *= 10) {
        expect((int64_t)power);
        expect((int64_t)power - 1);
        expect(-(int64_t)power);
    }
}

Test(little_endian, bytes_from_the_lowest_on)
{
    static const uint8_t bytes[] = {0xff, 1, 2, 0x80, 3, 4, 5, 0xfe, 6};
    cr_expect_eq(pf_little_u32(bytes), 0x800201ffu);
    cr_expect_eq(pf_little_u64(bytes), 0xfe050403800201ffu);
    cr_expect_eq(pf_little_u32(bytes + 1), 0x03800201u, "wherever they lie");
}
