/* test_pickle_values.c - what becomes of a pickle's values: documents and times. */
#include "pickle_runs.h"

#include "base/buffer.h"
#include "read/tinygrad/profile/profile.h"

/* ---- values as a document ---------------------------------------------------------------------------------------- */

static void expect_plain(const char *code, size_t len, const char *expected)
{
    machine m;
    char *text;
    size_t size;
    run(&m, code, len, NULL, NULL);
    cr_assert_eq(m.status, PF_OK, "%s: %s", expected, m.err.text);
    cr_assert_eq(pf_tiny_plain_text(&m.v, m.top, &text, &size, &m.err), PF_OK, "%s", m.err.text);
    cr_expect(size == strlen(expected) && memcmp(text ? text : "", expected, size) == 0, "got %.*s\nnot %s", (int)size,
              text ? text : "", expected);
    free(text);
    finish(&m);
}

#define EXPECT_PLAIN(code, expected) expect_plain(code, sizeof(code) - 1, expected)

Test(plain_values, leaves)
{
    EXPECT_PLAIN("N.", "null");
    EXPECT_PLAIN("\x88.", "true");
    EXPECT_PLAIN("\x89.", "false");
    EXPECT_PLAIN("J\xff\xff\xff\xff.", "-1");
    EXPECT_PLAIN("\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x80\x00.", "9223372036854775808");
    EXPECT_PLAIN("G\x3f\xf8\x00\x00\x00\x00\x00\x00.", "1.5");
    EXPECT_PLAIN("\x8c\x03"
                 "abc.",
                 "\"abc\"");
    EXPECT_PLAIN("\x8c\x00.", "\"\"");
}

/* Keys are texts or integers, others are empty. Classes whose fields are not known are their name. */
Test(plain_values, containers)
{
    EXPECT_PLAIN("].", "[]");
    EXPECT_PLAIN("}.", "{}");
    EXPECT_PLAIN("}(K\x07K\x01\x8c\x01kK\x02NK\x03u.", "{\"7\": 1, \"k\": 2, \"\": 3}");
    EXPECT_PLAIN("](K\x01](K\x02K\x03"
                 "e}e.",
                 "[1, [2, 3], {}]");
    EXPECT_PLAIN("cm.n\nOther\n(K\x01tR.", "{\"object\": \"m.n.Other\"}");
    EXPECT_PLAIN("cm\nProfileX\n(K\x01K\x02tR.", "{\"object\": \"m.ProfileX\", \"args\": [1, 2]}");
    EXPECT_PLAIN("cm\nProfileX\n)R}(\x8c\x01"
                 "aK\x05"
                 "ub.",
                 "{\"object\": \"m.ProfileX\", \"a\": 5}");
    EXPECT_PLAIN("cm\nProfileX\n(K\x01tR}(\x8c\x01"
                 "aK\x05"
                 "ub.",
                 "{\"object\": \"m.ProfileX\", \"args\": [1], \"a\": 5}");
    EXPECT_PLAIN("cm\nProfile\n(K\x01tR.", "{\"object\": \"m.Profile\"}");
    EXPECT_PLAIN("cm\nDType\n(K\x01tR.", "{\"object\": \"m.DType\", \"args\": [1]}");
}

/* Decimals are texts, and bytes their length and SHA-256 (RFC 6234's examples). */
Test(plain_values, decimals_and_bytes)
{
    EXPECT_PLAIN(DECIMAL "\x8c\x05"
                         "-0.25\x85R.",
                 "{\"decimal\": \"-0.25\"}");
    EXPECT_PLAIN(DECIMAL "\x8c\x01"
                         "7\x85R.",
                 "{\"decimal\": \"7\"}");
    EXPECT_PLAIN(DECIMAL "\x8c\x04"
                         "1E+2\x85R.",
                 "{\"decimal\": \"1E+2\"}");
    EXPECT_PLAIN("C\x03"
                 "abc.",
                 "{\"bytes\": 3, \"sha256\": \"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\"}");
    EXPECT_PLAIN("C\x00.",
                 "{\"bytes\": 0, \"sha256\": \"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\"}");
    EXPECT_PLAIN("cm.n\nC\n.", "\"m.n.C\"");
}

/* Fields of some classes are shown, by the last part of their name; arguments come first, and may be objects
 * themselves. */
Test(plain_values, objects)
{
    static const struct {
        const char *module, *name;
        bool shown;
    } classes[] = {{"m", "TracingKey", true}, {"m.n", "DType", true},   {"m", "Metadata", true},
                   {"m", "PMCSample", true},  {"m", "ProfileX", true},  {"m", "PMCSamples", false},
                   {"m", "PMCSampl", false},  {"DType", "C", false},    {"m", "XProfile", false},
                   {"m", "Profil", false},    {"m", "profileX", false}, {"ProfileX", "UOp", false}};
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        char code[128], expected[128];
        int len = snprintf(code, sizeof code, "c%s\n%s\n(K\x01]tR}\x8c\x01xNsb.", classes[i].module, classes[i].name);
        snprintf(expected, sizeof expected, "{\"object\": \"%s.%s\"%s}", classes[i].module, classes[i].name,
                 classes[i].shown ? ", \"args\": [1, []], \"x\": null" : "");
        expect_plain(code, (size_t)len, expected);
    }
    EXPECT_PLAIN("cm\nDType\n(cm\nDType\n(K\x01tR}\x8c\x01yK\x02sbK\x03tR}\x8c\x01x]K\x04"
                 "asb.",
                 "{\"object\": \"m.DType\", \"args\": [{\"object\": \"m.DType\", \"args\": [1], \"y\": 2}, 3], "
                 "\"x\": [4]}");
    EXPECT_PLAIN("}(\x88K\x01J\xff\xff\xff\xffK\x02\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x80\x00K\x03G\x00\x00\x00\x00"
                 "\x00\x00\x00\x00K\x04u.",
                 "{\"1\": 1, \"-1\": 2, \"\": 3, \"\": 4}");
}

static pf_status no_value(void *ctx, pf_str key, const pf_value *value)
{
    (void)key;
    (void)value;
    ++*(unsigned *)ctx;
    return PF_OK;
}

static pf_status no_container(void *ctx, pf_str key, bool list)
{
    (void)ctx, (void)key, (void)list;
    return PF_OK;
}

static pf_status no_end(void *ctx)
{
    (void)ctx;
    return PF_OK;
}

/* Every value takes one of the budget: of [1, [2, 3], {}] there are six, of which three are leaves. */
Test(plain_values, budget)
{
    static const char code[] = "](K\x01](K\x02K\x03"
                               "e}e.";
    for (uint64_t budget = 4; budget <= 8; budget++) {
        machine m;
        uint64_t left = budget;
        unsigned leaves = 0;
        const pf_arg_visitor visitor = {.ctx = &leaves, .value = no_value, .begin = no_container, .end = no_end};
        run(&m, code, sizeof code - 1, NULL, NULL);
        pf_status st = pf_tiny_plain_visit(&m.v, PF_STR("k"), m.top, &left, &visitor, &m.err);
        cr_expect_eq(st, budget < 6 ? PF_ERR_LIMIT : PF_OK, "%llu", (unsigned long long)budget);
        cr_expect_eq(leaves, budget == 4 ? 2 : 3);
        cr_expect(st != PF_OK || left == budget - 6, "%llu", (unsigned long long)left);
        cr_expect_eq(pf_tiny_plain_budget(&m.v), 1000000 + 100 * (6 + 5), "six values, five members");
        finish(&m);
    }
}

/* The last field of a name counts, among the first 64; names are compared whole. */
Test(plain_values, fields)
{
    pf_buffer b = {0};
    machine m;
    pf_buffer_text(&b, "}(\x8c\x01"
                       "aK\x01\x8c\x02"
                       "abK\x02\x8c\x01"
                       "aK\x03K\x05K\x04");
    for (int i = 4; i < 70; i++) {
        char name[16];
        snprintf(name, sizeof name,
                 "\x8c\x03"
                 "f%02dK%c",
                 i, i);
        pf_buffer_text(&b, name);
    }
    pf_buffer_text(&b, "u.");
    run(&m, b.data, b.len, NULL, NULL);
    cr_assert_eq(m.status, PF_OK, "%s", m.err.text);
    static const struct {
        const char *name;
        int64_t value;
    } cases[] = {{"a", 3}, {"ab", 2}, {"abc", -1}, {"", -1}, {"f04", 4}, {"f63", 63}, {"f64", -1}, {"f6", -1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t found = pf_pickle_field(&m.v, m.top, cases[i].name);
        int64_t number = -1;
        cr_expect_eq(found == PF_NONE, cases[i].value < 0, "%s", cases[i].name);
        cr_expect_eq(found == PF_NONE || pf_pickle_int(&m.v, found, &number), true);
        cr_expect_eq(number, cases[i].value, "%s: %lld", cases[i].name, (long long)number);
    }
    cr_expect_eq(pf_pickle_field(&m.v, PF_NONE, "a"), PF_NONE);
    finish(&m);
    pf_buffer_free(&b);
}

/* 128 levels are shown; what is deeper, or holds itself, has no text. */
Test(plain_values, bounds)
{
    for (unsigned depth = 128; depth <= 129; depth++) {
        char code[400], expected[400];
        memset(code, ']', depth);
        memset(code + depth, 'a', depth - 1);
        code[2 * depth - 1] = '.';
        memset(expected, '[', depth);
        memset(expected + depth, ']', depth);
        expected[2 * depth] = 0;
        expect_plain(code, 2 * depth, depth == 128 ? expected : "");
    }
    EXPECT_PLAIN("]\x94h\x00"
                 "a.",
                 "");
    EXPECT_PLAIN("](K\x00\x94h\x00"
                 "2"
                 "e.",
                 "[0, 0, 0]");
}

/* ---- times ------------------------------------------------------------------------------------------------------- */

static pf_tiny_time tens(unsigned n)
{
    pf_tiny_time v = 1;
    while (n--) {
        v *= 10;
    }
    return v;
}

/* The value as a time in units of 10^-20 microseconds. */
static void expect_time(const char *code, size_t len, bool good, pf_tiny_time expected)
{
    machine m;
    pf_tiny_time t = -1;
    run(&m, code, len, NULL, NULL);
    cr_assert_eq(m.status, PF_OK, "%s", m.err.text);
    const pf_tiny_profile p = {.values = m.v};
    cr_expect_eq(pf_tiny_read_time(&p, m.top, &t), good, "%s", code);
    cr_expect(!good || t == expected, "%s: %lld", code, (long long)t);
    finish(&m);
}

#define EXPECT_TIME(code, expected) expect_time(code, sizeof(code) - 1, true, expected)
#define PICOSECONDS(n) ((pf_tiny_time)(n)*tens(14))
#define NO_TIME(code) expect_time(code, sizeof(code) - 1, false, 0)

/* The text as a decimal. */
static void expect_decimal(const char *text, bool good, pf_tiny_time expected)
{
    char code[128];
    int len = snprintf(code, sizeof code, DECIMAL "\x8c%c%s\x85R.", (int)strlen(text), text);
    expect_time(code, (size_t)len, good, expected);
}

Test(times, of_every_type)
{
    EXPECT_TIME("K\x05.", PICOSECONDS(5000000));
    EXPECT_TIME("G\x40\x04\x00\x00\x00\x00\x00\x00.", PICOSECONDS(2500000));
    EXPECT_TIME("G\xc0\x04\x00\x00\x00\x00\x00\x00.", PICOSECONDS(-2500000));
    NO_TIME("G\x7f\xf0\x00\x00\x00\x00\x00\x00."); /* infinite */
    NO_TIME("G\x7f\xf8\x00\x00\x00\x00\x00\x00."); /* not a number */
    NO_TIME("G\x43\x41\xc3\x79\x37\xe0\x80\x01."); /* 10^16 + 2 */
    EXPECT_TIME("G\x43\x41\xc3\x79\x37\xe0\x80\x00.", tens(36));
    NO_TIME("\x88.");
    NO_TIME("N.");
    NO_TIME("\x8c\x01"
            "1.");
    NO_TIME("\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x80\x00."); /* 2^63 */
    machine m;
    pf_tiny_time t = -1;
    run(&m, "N.", 2, NULL, NULL);
    const pf_tiny_profile p = {.values = m.v};
    cr_expect_not(pf_tiny_read_time(&p, PF_NONE, &t), "no value at all");
    cr_expect(t == 0);
    finish(&m);
}

Test(times, of_decimals_at_their_limits)
{
    static const struct {
        const char *text;
        bool good;
        int64_t expected;
        unsigned zeros; /* after it, in units of 10^-20 */
    } cases[] = {
        {"1E16", true, 1, 36},
        {"1.0E+16", true, 1, 36},
        {"-1E16", true, -1, 36},
        {"1E17", false, 0, 0},
        {"-1E17", false, 0, 0},
        {"1E19", false, 0, 0},
        {"10000000000000000", true, 1, 36},
        {"10000000000000001", false, 0, 0},
        {"-10000000000000001", false, 0, 0},
        {"10000000000000000.00000000000000000001", true, 1, 36}, /* the 37th digit is cut off */
        {"9999999999999999", true, 9999999999999999, 20},
        {"-9999999999999999", true, -9999999999999999, 20},
        {"9999999999999999.9", true, 99999999999999999, 19},
        {"0.00000000000000000001", true, 1, 0},
        {"-0.00000000000000000001", true, -1, 0},
        {"0.000000000000000000009", true, 0, 0},
        {"1E-20", true, 1, 0},
        {"9E-21", true, 0, 0},
        {"1E-58", true, 0, 0},
        {"1E-59", true, 0, 0},
        {"0E10000", true, 0, 0},
        {"0E100000", false, 0, 0},
        {"1E10000", false, 0, 0},
        {".5", true, 5, 19},
        {"5.", true, 5, 20},
        {"1E", false, 0, 0},
        {"1E+", false, 0, 0},
        {"1E-", false, 0, 0},
        {"1E1/", false, 0, 0},
        {"1E1:", false, 0, 0},
        {"E5", false, 0, 0},
        {"1.2.3", false, 0, 0},
        {".", false, 0, 0},
        {"-", false, 0, 0},
        {"+1", false, 0, 0},
        {"1/", false, 0, 0},
        {"1:", false, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char code[128];
        int len = snprintf(code, sizeof code, DECIMAL "\x8c%c%s\x85R.", (int)strlen(cases[i].text), cases[i].text);
        expect_time(code, (size_t)len, cases[i].good, cases[i].expected * tens(cases[i].zeros));
    }
}

Test(times, in_nanoseconds_and_microseconds)
{
    const pf_tiny_time ns = tens(17), most = INT64_MAX * ns, far = tens(36);
    const struct {
        pf_tiny_time time;
        int64_t ns;
    } whole[] = {
        {0, 0},           {ns - 1, 0},       {ns, 1}, {1 - ns, 0}, {-ns, -1}, {most, INT64_MAX}, {-most, -INT64_MAX},
        {far, INT64_MAX}, {-far, -INT64_MAX}};
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        cr_expect_eq(pf_tiny_ns(whole[i].time), whole[i].ns, "%zu", i);
    }
    const struct {
        pf_tiny_time time;
        double us;
    } real[] = {{0, 0},
                {1, 1e-20},
                {15 * tens(19), 1.5},
                {-25 * tens(15), -0.00025},
                {4025 * tens(18), 40.25},
                {123456789123456789 * tens(11), 123456789.123456789},
                {(pf_tiny_time)5000000001680000423 * tens(11) + 22091758300, 5000000001.680000423220917583},
                {99953467724844800, 0.000999534677248448},
                {-(pf_tiny_time)14876666869477557, -0.00014876666869477557}};
    for (size_t i = 0; i < sizeof real / sizeof *real; i++) {
        cr_expect_eq(pf_tiny_us(real[i].time), real[i].us, "%zu", i);
    }
}

Test(times, of_decimals)
{
    expect_decimal("12", true, 12 * tens(20));
    expect_decimal("-1.5", true, -15 * tens(19));
    expect_decimal("0.000000000000000000019", true, 1); /* what is below the unit is cut off */
    expect_decimal("1.25E+3", true, 1250 * tens(20));
    expect_decimal("1.25e3", true, 1250 * tens(20));
    expect_decimal("125E-2", true, 125 * tens(18));
    expect_decimal("1E-60", true, 0);
    expect_decimal("0E+50", true, 0);
    expect_decimal("123456789.12345678912345", true, 123456789123456789 * tens(11) + 12345 * tens(6));
    expect_decimal("5000000001.680000423220917583", true, 5000000001680000423 * tens(11) + 220917583 * tens(2));
    expect_decimal("1E+50", false, 0);
    expect_decimal("1E", false, 0);
    expect_decimal("1E+", false, 0);
    expect_decimal("1E+x", false, 0);
    expect_decimal("1E99999", false, 0);
    expect_decimal("E5", false, 0);
    expect_decimal("1.2.3", false, 0);
    expect_decimal(".", false, 0);
    expect_decimal("-", false, 0);
    expect_decimal("NaN", false, 0);
    expect_decimal("2000000000000000000", false, 0);
}
