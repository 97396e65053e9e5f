/* Exact decimals: every expectation was worked out by hand. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "json/fast/timestamp_cache.h"
#include "json/scan/words.h"

typedef struct decimal_case {
    const char *text;
    int shift;
    bool cut;
    bool ok;
    int64_t value;
} decimal_case;

static void check(const decimal_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const decimal_case *c = &cases[i];
        int64_t out = 0;
        bool ok = pf_json_scale_decimal((const uint8_t *)c->text, strlen(c->text), c->shift, c->cut, &out);
        cr_expect_eq(ok, c->ok, "%s", c->text);
        if (ok && c->ok) {
            cr_expect_eq(out, c->value, "%s gives %lld", c->text, (long long)out);
        }
    }
}

Test(decimal, microseconds_become_nanoseconds)
{
    static const decimal_case cases[] = {
        {"0", 3, false, true, 0},
        {"-0", 3, false, true, 0},
        {"123", 3, false, true, 123000},
        {"123.456", 3, false, true, 123456},
        {"5.1", 3, false, true, 5100},
        {"1700000000000000.123", 3, false, true, 1700000000000000123},
        {"9007199254740993.001", 3, false, true, 9007199254740993001},
        {"0.0004", 3, false, true, 0},
        {"0.0005", 3, false, true, 1},
        {"-0.0005", 3, false, true, -1},
        {"0.00049999999999999999999999", 3, false, true, 0},
        {"30.0005", 3, false, true, 30001},
        {"0.00005", 3, false, true, 0},
        {"1e3", 3, false, true, 1000000},
        {"1.5E+2", 3, false, true, 150000},
        {"12345e-3", 3, false, true, 12345},
        {"15e-4", 3, false, true, 2},
        {"14e-4", 3, false, true, 1},
        {"0.000000000001e12", 3, false, true, 1000},
        {"00012", 3, false, true, 12000},
        {"9223372036854775.807", 3, false, true, INT64_MAX},
        {"9223372036854775.8075", 3, false, false, 0},
        {"-9223372036854775.808", 3, false, true, INT64_MIN},
        {"-9223372036854775.8085", 3, false, false, 0},
        {"9223372036854776", 3, false, false, 0},
        {"1e400", 3, false, false, 0},
        {"1e999999999999999999999", 3, false, false, 0},
        {"0e999999999999999999999", 3, false, true, 0},
        {"1e-999999999999999999999", 3, false, true, 0},
    };
    check(cases, sizeof cases / sizeof *cases);
}

Test(decimal, cycles_are_cut_toward_zero)
{
    static const decimal_case cases[] = {
        {"46121.999", 0, true, true, 46121},
        {"-46121.999", 0, true, true, -46121},
        {"0.9999999999999999999999", 0, true, true, 0},
        {"9007199254740993", 0, true, true, 9007199254740993},
        {"9223372036854775807", 0, true, true, INT64_MAX},
        {"9223372036854775807.9", 0, true, true, INT64_MAX},
        {"-9223372036854775808", 0, true, true, INT64_MIN},
        {"9223372036854775808", 0, true, false, 0},
        {"1.5e1", 0, true, true, 15},
        {"1.59e1", 0, true, true, 15},
        {"922337203685477580.7e1", 0, true, true, INT64_MAX},
        {"1e18", 0, true, true, 1000000000000000000},
        {"1e19", 0, true, false, 0},
    };
    check(cases, sizeof cases / sizeof *cases);
}

Test(decimal, other_text_is_refused)
{
    static const char *const texts[] = {"",    "-",  "+5", ".5",  "5.",    "1e",    "1e+", "abc",      "100a", "0x1",
                                        "1 2", " 1", "1 ", "--1", "1.2.3", "1e2e3", "NaN", "Infinity", "1,2",  "1e1.5"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        int64_t out;
        cr_expect_not(pf_json_scale_decimal((const uint8_t *)texts[i], strlen(texts[i]), 3, false, &out), "%s",
                      texts[i]);
    }
}

Test(decimal, a_million_digits)
{
    enum { DIGITS = 1000000 };
    static char text[DIGITS + 2];
    memset(text, '0', sizeof text);
    text[0] = '7';
    text[1] = '.';
    text[DIGITS] = '9';
    int64_t out = 0;
    cr_expect(pf_json_scale_decimal((const uint8_t *)text, DIGITS + 1, 3, false, &out));
    cr_expect_eq(out, 7000);
}

Test(decimal, integer_text)
{
    static const struct {
        const char *text;
        bool ok;
        int64_t value;
    } cases[] = {{"62115", true, 62115},
                 {" 12 ", true, 12},
                 {"\t+12\n", true, 12},
                 {"-12", true, -12},
                 {"9223372036854775807", true, INT64_MAX},
                 {"9223372036854775808", false, 0},
                 {"12.0", false, 0},
                 {"1e3", false, 0},
                 {"1 2", false, 0},
                 {"+-1", false, 0},
                 {"- 1", false, 0},
                 {"", false, 0},
                 {"  ", false, 0},
                 {"+", false, 0},
                 {"soon", false, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t out = 0;
        bool ok = pf_json_integer_text((const uint8_t *)cases[i].text, strlen(cases[i].text), &out);
        cr_expect_eq(ok, cases[i].ok, "'%s'", cases[i].text);
        cr_expect(!ok || out == cases[i].value, "'%s' gives %lld", cases[i].text, (long long)out);
    }
}

/* Nothing is read after the text, which the sanitizers see. */
Test(decimal, integer_text_ends_where_its_length_says)
{
    uint8_t *text = malloc(3);
    int64_t out = 0;
    memset(text, ' ', 3);
    cr_expect(!pf_json_integer_text(text, 3, &out));
    memset(text, '1', 3);
    cr_expect(pf_json_integer_text(text, 2, &out) && out == 11);
    free(text);
}

/* What a text says that is digits, perhaps with one point among them, counted in units of its last digit. */
static bool plain_number(const char *text, unsigned len, uint64_t *number)
{
    unsigned points = 0;
    *number = 0;
    for (unsigned i = 0; i < len; i++) {
        if (text[i] >= '0' && text[i] <= '9') {
            *number = *number * 10 + (uint64_t)(text[i] - '0');
        } else if (text[i] == '.') {
            points++;
        } else {
            return false;
        }
    }
    return points <= 1 && text[len - 1] != '.';
}

/* Times of every length with the point at every place: others that begin alike are read by the form of the first, and
 * whatever byte is changed, a text is refused or read right. */
Test(times, forms)
{
    unsigned taken = 0;
    for (unsigned len = 1; len <= 17; len++) {
        for (unsigned point = len < 4 ? 1 : len - 4; point <= len; point++) {
            char text[64] = ",,,,,,,,", *p = text + 8;
            memcpy(p, "1419117003301738264", len);
            if (point < len - 1) {
                p[point] = '.';
            }
            unsigned decimals = point < len - 1 ? len - point - 1 : 0;
            memcpy(p + len, "},\n{\"ph\":\"X\"", 13);
            uint64_t number;
            int64_t time;
            pf_json_form form = {0};
            cr_expect_null(pf_json_read_form((uint8_t *)p, &form, &time), "nothing looks like no form");
            cr_assert(plain_number(p, len, &number));
            pf_json_learn_form(&form, (uint8_t *)p, (uint8_t *)p + len, (int64_t)number * 10, 10);
            for (unsigned at = 0; at < len; at++) {
                for (unsigned byte = 1; byte < 256; byte++) {
                    char before = p[at];
                    p[at] = (char)byte;
                    const uint8_t *end = pf_json_read_form((uint8_t *)p, &form, &time);
                    if (end) {
                        taken++;
                        cr_expect(end == (uint8_t *)p + len && plain_number(p, len, &number) &&
                                      (p[point] == '.') == (decimals > 0) && time == (int64_t)number * 10,
                                  "%.*s as %lld", (int)len, p, (long long)time);
                    }
                    bool same_form = form.prefix && at >= form.prefix && before != '.' && byte >= '0' && byte <= '9';
                    cr_expect(end || !same_form, "%.*s", (int)len, p);
                    p[at] = before;
                }
            }
        }
    }
    cr_expect_gt(taken, 1000);
}
