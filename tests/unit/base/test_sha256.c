/* test_sha256.c - the examples of the standard, and every length around the end of a block against a hash of hashes
 * that Python's hashlib gave. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/hash.h"

static void expect_hash(const char *text, const char *expected)
{
    char hex[65];
    pf_sha256((const uint8_t *)text, strlen(text), hex);
    cr_expect_str_eq(hex, expected, "%s", text);
}

Test(sha256, examples_of_the_standard)
{
    expect_hash("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    expect_hash("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    expect_hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

Test(sha256, lengths_around_blocks)
{
    uint8_t bytes[200];
    char all[200 * 64], hex[65];
    for (unsigned i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)(i * 7);
    }
    for (unsigned i = 0; i < sizeof bytes; i++) {
        pf_sha256(bytes, i, hex);
        memcpy(all + 64 * i, hex, 64);
    }
    pf_sha256((const uint8_t *)all, sizeof all, hex);
    cr_expect_str_eq(hex, "ca07a79e06ea4c825585cbbf34308733cb36356746a5eec888d7f813ec003999");
}
