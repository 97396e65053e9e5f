/* Functions. Values are the reference engine's where it gives one, else by hand. */
#include <math.h>

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
