/* Numbers <-> text. Expected spellings are Python's repr of the same doubles, written down by hand. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/number.h"

static void expect_real(double v, const char *text)
{
    char out[PF_NUMBER_MAX];
    size_t len = pf_format_real(v, out);
    cr_expect_str_eq(out, text);
    cr_expect_eq(len, strlen(text));
}

Test(number, reals_in_pythons_spelling)
{
    expect_real(0.0, "0.0");
    expect_real(-0.0, "-0.0");
    expect_real(73.0, "73.0");
    expect_real(140.27397260273972, "140.27397260273972");
    expect_real(0.1, "0.1");
    expect_real(1.0 / 3.0, "0.3333333333333333");
    expect_real(2.0 / 3.0, "0.6666666666666666");
    expect_real(0.0001, "0.0001");
    expect_real(0.00012345, "0.00012345");
    expect_real(0.00001, "1e-05");
    expect_real(1.5e-7, "1.5e-07");
    expect_real(1e15, "1000000000000000.0");
    expect_real(9999999999999998.0, "9999999999999998.0");
    expect_real(1e16, "1e+16");
    expect_real(1.2345e+22, "1.2345e+22");
    expect_real(5e-324, "5e-324");
    expect_real(1.7976931348623157e308, "1.7976931348623157e+308");
    expect_real(0x1p-44, "5.684341886080802e-14"); /* a power of two whose nearest 16 digits do not read back */
    expect_real(2.2250738585072014e-308, "2.2250738585072014e-308");
    expect_real(1.5e-323, "1.5e-323");
    expect_real(-2.5, "-2.5");
    expect_real(INFINITY, "inf");
    expect_real(-INFINITY, "-inf");
    expect_real(NAN, "nan");
}

Test(number, reals_read_back_to_the_same_double)
{
    uint64_t state = 88172645463325252ull;
    for (int i = 0; i < 200000; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        double v;
        memcpy(&v, &state, sizeof v);
        if (isfinite(v)) {
            char out[PF_NUMBER_MAX];
            pf_format_real(v, out);
            cr_assert_eq(strtod(out, NULL), v, "%s", out);
        }
    }
}

Test(number, integers_are_exact_or_refused)
{
    int64_t v;
    cr_expect(pf_parse_int("9223372036854775807", 19, &v) && v == INT64_MAX);
    cr_expect(pf_parse_int("-9223372036854775808", 20, &v) && v == INT64_MIN);
    cr_expect(pf_parse_int("+7", 2, &v) && v == 7);
    cr_expect_not(pf_parse_int("9223372036854775808", 19, &v));
    cr_expect_not(pf_parse_int("-9223372036854775809", 20, &v));
    cr_expect_not(pf_parse_int("", 0, &v));
    cr_expect_not(pf_parse_int("-", 1, &v));
    cr_expect_not(pf_parse_int("1 ", 2, &v));
    cr_expect_not(pf_parse_int("1.0", 3, &v));
}

Test(number, reals_are_whole_texts)
{
    double v;
    cr_expect(pf_parse_real("1.25", 4, &v) && v == 1.25);
    cr_expect(pf_parse_real("-1e3", 4, &v) && v == -1000.0);
    cr_expect(pf_parse_real("18446744073709551615", 20, &v) && v == 0x1p64);
    cr_expect(pf_parse_real("18446744073709551616", 20, &v) && v == 0x1p64);
    cr_expect(pf_parse_real("9007199254740993", 16, &v) && v == 9007199254740992.0, "a tie goes to even");
    cr_expect(pf_parse_real("15514734831341844875", 20, &v) && v == 15514734831341844480.0);
    cr_expect(pf_parse_real("007", 3, &v) && v == 7);
    cr_expect_not(pf_parse_real("1.25x", 5, &v));
    cr_expect_not(pf_parse_real("nan", 3, &v));
    cr_expect_not(pf_parse_real("inf", 3, &v));
    cr_expect_not(pf_parse_real("1e999", 5, &v));
    cr_expect_not(pf_parse_real("0x10", 4, &v));
    cr_expect_not(pf_parse_real("", 0, &v));
}

Test(number, sizes_have_suffixes)
{
    uint64_t v;
    cr_expect(pf_parse_size("64", &v) && v == 64);
    cr_expect(pf_parse_size("16K", &v) && v == 16384);
    cr_expect(pf_parse_size("2m", &v) && v == 2097152);
    cr_expect(pf_parse_size("3G", &v) && v == 3221225472ull);
    cr_expect_not(pf_parse_size("3T", &v));
    cr_expect_not(pf_parse_size("3GB", &v));
    cr_expect_not(pf_parse_size("-1", &v));
    cr_expect_not(pf_parse_size("", &v));
    cr_expect_not(pf_parse_size("99999999999999999999", &v));
    cr_expect_not(pf_parse_size("18014398509481984K", &v));
}

static void expect_like_perfetto(const char *text, double expected)
{
    double v;
    char out[PF_NUMBER_MAX];
    cr_assert(pf_parse_real_like_perfetto(text, strlen(text), &v), "%s", text);
    cr_expect_eq(v, expected, "%s: %.17g", text, v);
    pf_format_real_like_perfetto(v, out);
    cr_expect_str_eq(out, text);
}

/* The two odd values are what the engine recorded for these texts (corpus: catapult-thread-times,
 * devtools-blocking-time); the others are exact in both ways of reading. */
Test(number, reals_as_perfettos_importer_reads_them)
{
    expect_like_perfetto("10.944", 10.943999999999999);
    expect_like_perfetto("3.546", 3.5460000000000003);
    expect_like_perfetto("-0.5", -0.5);
    expect_like_perfetto("2.5e+30", 2.5e30);
    expect_like_perfetto("1.5e-07", 1.5e-7);
    double v;
    cr_expect(pf_parse_real_like_perfetto("0.00030637254901960784", 22, &v) && v == 0.00030637254901960784);
    cr_expect(pf_parse_real_like_perfetto("18446744073709551615", 20, &v) && v == 18446744073709551616.0);
    cr_expect_not(pf_parse_real_like_perfetto("1.5x", 4, &v));
}

Test(number, every_real_reads_back_as_perfetto_reads_it)
{
    uint64_t state = 88172645463325252ull;
    for (int i = 0; i < 20000; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        char text[32], out[PF_NUMBER_MAX];
        double v, back;
        snprintf(text, sizeof text, "%u.%0*u", (unsigned)(state >> 40) % 100000, 1 + i % 6,
                 (unsigned)(state & 0xff) % 10);
        cr_assert(pf_parse_real_like_perfetto(text, strlen(text), &v));
        size_t len = pf_format_real_like_perfetto(v, out);
        cr_assert(pf_parse_real_like_perfetto(out, len, &back) && back == v, "%s -> %s", text, out);
    }
}

/* The expectations are those of C's strtoull, which Perfetto's importer calls. */
Test(number, hexadecimal_texts)
{
    static const struct {
        const char *text;
        bool good;
        uint64_t value;
    } cases[] = {{"1a", true, 26},
                 {"0X1A", true, 26},
                 {"-1", true, UINT64_MAX},
                 {"-0x1", true, UINT64_MAX},
                 {" \t+f", true, 15},
                 {"8000000000000000", true, 1ull << 63},
                 {"00000000000000000001", true, 1},
                 {"11112222333344445", true, UINT64_MAX},
                 {"-fffffffffffffffff", true, UINT64_MAX},
                 {"0", true, 0},
                 {"", false, 0},
                 {"-", false, 0},
                 {"0x", false, 0},
                 {"1 ", false, 0},
                 {"1g", false, 0},
                 {"0x0x1", false, 0},
                 {"--1", false, 0},
                 {"\x11", false, 0},
                 {"\\u0031", false, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t v = 0;
        cr_expect_eq(pf_parse_hex(cases[i].text, strlen(cases[i].text), &v), cases[i].good, "%s", cases[i].text);
        cr_expect(!cases[i].good || v == cases[i].value, "%s: %lx", cases[i].text, (unsigned long)v);
    }
}
