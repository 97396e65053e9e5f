/* Functions. Values are the reference engine's where it gives one, else by hand. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support.h"

Test(functions, percentile_and_median)
{
    session s = open_session();
    /* dur of the slices: 20 5 1 0 5 -1 */
    EXPECT_ROWS(&s, "SELECT median(dur), percentile(dur, 50), percentile(dur, 0), percentile(dur, 100) FROM slice",
                "3.0|3.0|-1.0|20.0\n");
    EXPECT_ROWS(&s, "SELECT percentile(dur, 90), percentile(dur, 40) FROM slice", "12.5|1.0\n");
    EXPECT_ROWS(&s, "SELECT name, median(dur) FROM slice GROUP BY name", "a|20.0\nb|5.0\ng|-1.0\ni|0.0\nx|1.0\n");
    EXPECT_ROWS(&s, "SELECT median(NULL), percentile(NULL, 50) FROM slice", "-|-\n");
    EXPECT_ROWS(&s, "SELECT median(dur) FROM slice WHERE 0", "-\n");
    cr_expect_str_eq(ask(&s, "SELECT percentile(dur, 101) FROM slice"), "error 1 0");
    cr_expect_str_eq(ask(&s, "SELECT percentile(dur, id) FROM slice"), "error 1 0");
    cr_expect_str_eq(ask(&s, "SELECT percentile(dur, 'x') FROM slice"), "error 1 0");
    cr_expect_str_eq(ask(&s, "SELECT median(name) FROM slice"), "error 1 0");
    close_session(&s);
}

Test(functions, numbers)
{
    session s = open_session();
    EXPECT_ROWS(&s, "SELECT ln(-1), sqrt(-1), ln(0), ln(NULL), exp(NULL), sqrt('x')", "-|-|-|-|-|-\n");
    EXPECT_ROWS(&s, "SELECT sqrt(2), exp(1), ln('2'), ln(1)",
                "1.4142135623730951|2.718281828459045|0.6931471805599453|0.0\n");
    EXPECT_ROWS(&s, "SELECT unhex('1f'), unhex('0x1F'), unhex('7fffffffffffffff'), unhex(NULL)",
                "31|31|9223372036854775807|-\n");
    cr_expect_str_eq(ask(&s, "SELECT unhex('zz')"), "error 1 0");
    cr_expect_str_eq(ask(&s, "SELECT unhex('')"), "error 1 0");
    cr_expect_str_eq(ask(&s, "SELECT unhex('ffffffffffffffff')"), "error 1 0");
    close_session(&s);
}

Test(functions, texts)
{
    session s = open_session();
    EXPECT_ROWS(&s, "SELECT reverse('abc'), reverse('a\xc3\xa4z'), reverse(''), reverse(NULL)",
                "cba|z\xc3\xa4"
                "a||-\n");
    EXPECT_ROWS(&s, "SELECT base64_encode(x'00ff'), base64_encode('hello'), base64_encode('abc'), base64_encode('')",
                "AP8=|aGVsbG8=|YWJj|\n");
    EXPECT_ROWS(&s,
                "SELECT base64_decode('aGVsbG8='), base64_decode('aGVsbG8'), hex(base64_decode('AP8=')), "
                "typeof(base64_decode('YWJj')), base64_decode(NULL)",
                "hello|hello|00FF|blob|-\n");
    cr_expect_str_eq(ask(&s, "SELECT base64_decode('a*bb')"), "error 1 0");
    cr_expect_str_eq(ask(&s, "SELECT base64_decode('a')"), "error 1 0");
    EXPECT_ROWS(&s, "SELECT to_timecode(1234567890123), to_timecode(NULL)", "00:20:34 567 890 123|-\n");
    cr_expect_str_eq(ask(&s, "SELECT to_timecode('noon')"), "error 1 0");
    cr_expect_not_null(strstr(s.err.text, "to_timecode needs a time (an integer)"));
    cr_expect_str_eq(ask(&s, "SELECT slice_is_ancestor('a', 1)"), "error 1 0");
    cr_expect_not_null(strstr(s.err.text, "slice_is_ancestor needs two slice ids (integers)"));
    cr_expect_str_eq(ask(&s, "SELECT slice_is_ancestor(0, 1.5)"), "error 1 0");
    EXPECT_ROWS(&s, "SELECT DISTINCT name FROM slice WHERE name GLOB '[ab]*' ORDER BY name", "a\nb\n");
    close_session(&s);
}

Test(functions, regexp)
{
    session s = open_session();
    EXPECT_ROWS(&s, "SELECT 'abc' REGEXP 'b', 'abc' REGEXP '^b', 'a1' REGEXP '[0-9]+', 'abc' REGEXP '(a|x)bc$'",
                "1|0|1|1\n");
    EXPECT_ROWS(&s, "SELECT NULL REGEXP 'a', 'a' REGEXP NULL, 'AbC' REGEXP 'abc', 5 REGEXP '5', 'a' REGEXP '\\d'",
                "-|-|0|1|0\n");
    EXPECT_ROWS(&s, "SELECT id FROM slice WHERE name REGEXP '^[a-b]$' ORDER BY id", "0\n1\n4\n");
    cr_expect_str_eq(ask(&s, "SELECT 'abc' REGEXP '('"), "error 1 0");
    cr_expect_not_null(strstr(s.err.text, "regexp: missing closing parenthesis"));
    close_session(&s);
}

/* Each needs just so many arguments. */
Test(functions, counts_of_arguments)
{
    static const struct {
        const char *name;
        int arguments;
    } FUNCTIONS[] = {{"trace_start", 0},
                     {"trace_end", 0},
                     {"trace_dur", 0},
                     {"extract_arg", 2},
                     {"slice_is_ancestor", 2},
                     {"regexp_extract", 2},
                     {"regexp_replace_simple", 3},
                     {"extract_metadata", 1},
                     {"extract_metadata_for_trace", 2},
                     {"reverse", 1},
                     {"str_split", 3},
                     {"unhex", 1},
                     {"base64_encode", 1},
                     {"base64_decode", 1},
                     {"to_timecode", 1},
                     {"ln", 1},
                     {"exp", 1},
                     {"sqrt", 1},
                     {"to_realtime", 1},
                     {"to_monotonic", 1},
                     {"abs_time_str", 1},
                     {"percentile", 2},
                     {"median", 1}};
    session s = open_session();
    for (size_t i = 0; i < sizeof FUNCTIONS / sizeof *FUNCTIONS; i++) {
        for (int given = 0; given < 5; given++) {
            char sql[96], expected[96];
            snprintf(sql, sizeof sql, "SELECT %s(%.*s)", FUNCTIONS[i].name, given ? 2 * given - 1 : 0, "1,1,1,1");
            snprintf(expected, sizeof expected, "wrong number of arguments to function %s()", FUNCTIONS[i].name);
            ask(&s, sql);
            cr_expect_eq(strcmp(s.err.text, expected) == 0, given != FUNCTIONS[i].arguments, "%s: %s", sql, s.err.text);
        }
    }
    close_session(&s);
}

/* What is wrong with an argument, in the words of the message. */
Test(functions, wrong_arguments)
{
    static const char EXTRACT[] = "extract_arg needs an arg_set_id (an integer) and a key (a text)";
    static const char DELIMITER[] = "str_split needs a delimiter (a text that is not empty)";
    static const char FIELD[] = "str_split needs the number of a field (an integer from 0 on)";
    static const char HEX[] = "unhex needs a hexadecimal number below 2^63";
    static const char BASE64[] = "base64_decode needs base64 text";
    static const char PERCENT[] = "the second argument of percentile() must be a number from 0 to 100";
    static const char NUMBERS[] = "the values of percentile() and median() must be numbers";
    static const char *const CALLS[][2] = {
        {"extract_arg(1.0, 'x')", EXTRACT},
        {"extract_arg('1', 'x')", EXTRACT},
        {"extract_arg(1, NULL)", EXTRACT},
        {"extract_arg(1, x'61')", EXTRACT},
        {"slice_is_ancestor(x'00', 1)", "slice_is_ancestor needs two slice ids (integers)"},
        {"str_split('a', '', 0)", DELIMITER},
        {"str_split('a', NULL, 0)", DELIMITER},
        {"str_split('a', 1, 0)", DELIMITER},
        {"str_split('a', 'b', -1)", FIELD},
        {"str_split('a', 'b', 0.0)", FIELD},
        {"str_split('a', 'b', '0')", FIELD},
        {"str_split('a', 'b', NULL)", FIELD},
        {"unhex('/')", HEX},
        {"unhex(':')", HEX},
        {"unhex('@')", HEX},
        {"unhex('G')", HEX},
        {"unhex('`')", HEX},
        {"unhex('g')", HEX},
        {"unhex('1g1')", HEX},
        {"unhex('0x')", HEX},
        {"unhex('0xx')", HEX},
        {"unhex('1x2')", HEX},
        {"unhex('8000000000000000')", HEX},
        {"unhex('-1')", HEX},
        {"base64_decode('YWJjZ')", BASE64},
        {"base64_decode('YW=j')", BASE64},
        {"base64_decode('YW\xc3\xa4')", BASE64},
        {"base64_decode(x'59570041')", BASE64},
        {"to_timecode(1.0)", "to_timecode needs a time (an integer)"},
        {"to_realtime(1.0)", "to_realtime, to_monotonic and abs_time_str need a time (an integer)"},
        {"abs_time_str('1')", "to_realtime, to_monotonic and abs_time_str need a time (an integer)"},
        {"regexp('[', 'a')", "regexp: missing terminating ] for character class"},
        {"percentile(1, -0.5)", PERCENT},
        {"percentile(1, 100.5)", PERCENT},
        {"percentile(1, NULL)", PERCENT},
        {"percentile(1, x'35')", PERCENT},
        {"percentile('1', 5)", NUMBERS},
        {"median('1')", NUMBERS},
        {"median(x'31')", NUMBERS},
        {"percentile(dur, 10 + id) FROM slice", "the second argument of percentile() must be the same in all rows"}};
    session s = open_session();
    for (size_t i = 0; i < sizeof CALLS / sizeof *CALLS; i++) {
        char sql[128];
        snprintf(sql, sizeof sql, "SELECT %s", CALLS[i][0]);
        cr_expect_str_eq(ask(&s, sql), "error 1 0", "%s", sql);
        cr_expect_str_eq(s.err.text, CALLS[i][1], "%s: %s", sql, s.err.text);
    }
    close_session(&s);
}

/* The reference engine's numbers of parts and its NULLs. */
Test(functions, str_split)
{
    session s = open_session();
    EXPECT_ROWS(&s, "SELECT str_split('a.b.c', '.', 0), str_split('a.b.c', '.', 1), str_split('a.b.c', '.', 2)",
                "a|b|c\n");
    EXPECT_ROWS(&s, "SELECT str_split('a.b.c', '.', 3), str_split('abc', '.', 0), str_split('abc', '.', 1)",
                "-|abc|-\n");
    EXPECT_ROWS(&s, "SELECT str_split('a--b-c', '--', 0), str_split('a--b-c', '--', 1), str_split('a--', '--', 1)",
                "a|b-c|\n");
    EXPECT_ROWS(&s, "SELECT str_split('.a', '.', 0), str_split('', '.', 0), str_split('', '.', 1)", "||-\n");
    EXPECT_ROWS(&s, "SELECT str_split(NULL, '.', 0), str_split(5, '.', 0), str_split('a', 'abc', 0)", "-|-|a\n");
    close_session(&s);
}

/* The vectors of RFC 4648, and the two last digits. */
Test(functions, base64)
{
    static const char *const PAIRS[][2] = {{"", ""},
                                           {"f", "Zg=="},
                                           {"fo", "Zm8="},
                                           {"foo", "Zm9v"},
                                           {"foob", "Zm9vYg=="},
                                           {"fooba", "Zm9vYmE="},
                                           {"foobar", "Zm9vYmFy"},
                                           {"~~~", "fn5+"},
                                           {"???", "Pz8/"}};
    session s = open_session();
    for (size_t i = 0; i < sizeof PAIRS / sizeof *PAIRS; i++) {
        char sql[256], expected[64];
        snprintf(sql, sizeof sql,
                 "SELECT base64_encode('%s'), CAST(base64_decode('%s') AS TEXT), CAST(base64_decode(rtrim('%s', '=')) "
                 "AS TEXT)",
                 PAIRS[i][0], PAIRS[i][1], PAIRS[i][1]);
        snprintf(expected, sizeof expected, "%s|%s|%s\n", PAIRS[i][1], PAIRS[i][0], PAIRS[i][0]);
        EXPECT_ROWS(&s, sql, expected);
    }
    EXPECT_ROWS(&s, "SELECT base64_encode(NULL), length(base64_decode('====')), length(base64_decode('AA=='))",
                "-|0|1\n");
    EXPECT_ROWS(&s,
                "SELECT base64_encode(x'00108310518720928b30d38f41149351559761969b71d79f8218a39259a7a29aabb2dbafc31c"
                "b3d35db7e39ebbf3dfbf')",
                "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/\n");
    close_session(&s);
}

Test(functions, limits_of_numbers)
{
    session s = open_session();
    EXPECT_ROWS(&s, "SELECT unhex('0'), unhex('09afAF'), unhex('0X10'), unhex('0x7FFFFFFFFFFFFFFF'), unhex(10)",
                "0|634799|16|9223372036854775807|16\n");
    EXPECT_ROWS(&s, "SELECT unhex('00000000000000001'), unhex('0xA'), unhex('0a')", "1|10|10\n");
    EXPECT_ROWS(&s, "SELECT sqrt(0), sqrt(-1e-300), sqrt('4'), sqrt(x'34'), exp(0), exp(-1000), exp(1e6) > 1e308",
                "0.0|-|2.0|-|1.0|0.0|1\n");
    EXPECT_ROWS(&s, "SELECT ln(5e-324) < -744.4, ln(0.0), ln(-5e-324), ln('x'), exp('x')", "1|-|-|-|-\n");
    EXPECT_ROWS(&s, "SELECT to_timecode(0), to_timecode(360000000000000), to_timecode(3599999999999)",
                "00:00:00 000 000 000|100:00:00 000 000 000|00:59:59 999 999 999\n");
    EXPECT_ROWS(&s,
                "SELECT slice_is_ancestor(-1, 1), slice_is_ancestor(0, -1), slice_is_ancestor(6, 1), "
                "slice_is_ancestor(1, 6), slice_is_ancestor(5, 5), slice_is_ancestor(0, 1)",
                "-|-|-|-|0|1\n");
    close_session(&s);
}

/* More numbers than are kept at first (256), in no order; halfway between two; numbers that are no longer apart. */
Test(functions, percentiles_of_many)
{
    session s = open_session();
#define MANY "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) "
    EXPECT_ROWS(&s, MANY "SELECT median(i * 8 % 1001), percentile(i * 8 % 1001, 10), percentile(-i, 0.05) FROM n",
                "500.0|100.0|-999.5\n");
    EXPECT_ROWS(&s, MANY "SELECT count(*), percentile(i, 100), percentile(i, '50'), percentile(i, 0) FROM n",
                "1001|1000.0|500.0|0.0\n");
    EXPECT_ROWS(&s, "SELECT percentile(v, 25), percentile(v, 75), median(v) FROM (SELECT 4 AS v UNION SELECT 1.5)",
                "2.125|3.375|2.75\n");
    EXPECT_ROWS(&s, "SELECT median(v), percentile(v, 100) FROM (SELECT 3 AS v)", "3.0|3.0\n");
    EXPECT_ROWS(&s, "SELECT median(v) > 1e308 FROM (SELECT 9e999 AS v UNION ALL SELECT 9e999)", "1\n");
    EXPECT_ROWS(&s, "SELECT median(v), count(*) FROM (SELECT NULL AS v UNION ALL SELECT 2 UNION ALL SELECT 5)",
                "3.5|3\n");
    close_session(&s);
}

/* Bytes that only go on a character stay behind the one that begins it, also at either end. */
Test(functions, reverse_by_characters)
{
    session s = open_session();
    EXPECT_ROWS(&s, "SELECT hex(reverse(CAST(x'e282ac61' AS TEXT))), hex(reverse(CAST(x'8061bf' AS TEXT)))",
                "61E282AC|61BF80\n");
    EXPECT_ROWS(&s, "SELECT hex(reverse(CAST(x'c0c0' AS TEXT))), reverse(12), hex(reverse(CAST(x'7f41' AS TEXT)))",
                "C0C0|21|417F\n");
    close_session(&s);
}
