/* What plain scalars mean, form by form. The forms are those of YAML 1.1 as PyYAML's safe loader has them; what 64 bits
 * do not hold is kept as it is written. */
#include <math.h>

#include "model/documents/documents.h"
#include "support.h"

static const struct {
    const char *text;
    int64_t number;
} INTEGERS[] = {{"0", 0},
                {"-0", 0},
                {"+7", 7},
                {"12", 12},
                {"-12", -12},
                {"9", 9},
                {"1_000", 1000},
                {"1__0_", 10},
                {"9223372036854775807", INT64_MAX},
                {"-9223372036854775808", INT64_MIN},
                {"00", 0},
                {"07", 7},
                {"010", 8},
                {"-010", -8},
                {"+017", 15},
                {"0_7", 7},
                {"0x1f", 31},
                {"0xFF", 255},
                {"0xabcdef", 11259375},
                {"0xA_B", 171},
                {"-0x10", -16},
                {"+0x1", 1},
                {"0x7fffffffffffffff", INT64_MAX},
                {"-0x8000000000000000", INT64_MIN},
                {"0b0", 0},
                {"0b101", 5},
                {"-0b1_1", -3},
                {"1:30", 90},
                {"-1:30", -90},
                {"+1:30", 90},
                {"1:5", 65},
                {"1:05", 65},
                {"1:59", 119},
                {"1:0:0", 3600},
                {"12:30:45", 45045},
                {"-12:30:45", -45045},
                {"100:00", 6000},
                {"153722867280912930:07", INT64_MAX}};

static const struct {
    const char *text;
    double number;
} REALS[] = {{"1.", 1},          {"1.5", 1.5},        {"-1.5", -1.5},       {"+1.5", 1.5},       {".5", 0.5},
             {"0.0", 0},         {"09.5", 9.5},       {"1_0.2_5", 10.25},   {"1.5e+3", 1500},    {"1.5E+3", 1500},
             {"25.e-1", 2.5},    {"-1.5e+2", -150},   {"1.0e+10", 1e10},    {".inf", INFINITY},  {".Inf", INFINITY},
             {".INF", INFINITY}, {"+.inf", INFINITY}, {"-.inf", -INFINITY}, {"-.INF", -INFINITY}};

static const char *const LONG[] = {"9223372036854775808", "-9223372036854775809", "+9223372036854775808",
                                   "1000000000000000000000000000000"};

static const char *const TEXTS[] = {"a",
                                    "-",
                                    "+",
                                    "--1",
                                    "+-1",
                                    "12a",
                                    "a12",
                                    "1a",
                                    "08",
                                    "018",
                                    "09",
                                    "0o7",
                                    "0x",
                                    "0xg",
                                    "0x1g",
                                    "0X1",
                                    "0b",
                                    "0b2",
                                    "0b12",
                                    "0B1",
                                    "0x_",
                                    "0b_",
                                    "_1",
                                    "1:",
                                    ":1",
                                    "1:60",
                                    "1:99",
                                    "1:005",
                                    "1:5:",
                                    "1::5",
                                    "1:-5",
                                    "1:+5",
                                    "0:30",
                                    "1:a",
                                    "1:30:60",
                                    "1:60:30",
                                    "153722867280912930:08",
                                    "153722867280912931:00",
                                    "-153722867280912931:00",
                                    "1e5",
                                    "1.5e3",
                                    "1.5e",
                                    "1.5e+",
                                    "1.5e+x",
                                    "1.5e+1x",
                                    "1.5f+1",
                                    "1.5e1+",
                                    "1.5 ",
                                    "1.5x",
                                    ".",
                                    "+.",
                                    "..5",
                                    "1.2.3",
                                    "1..2",
                                    ".e+5",
                                    ".iNF",
                                    ".inF",
                                    ".in",
                                    ".infx",
                                    "-.nan",
                                    ".nAn",
                                    "inf",
                                    "nan",
                                    "nUll",
                                    "nul",
                                    "nulll",
                                    "~~",
                                    "y",
                                    "n",
                                    "Y",
                                    "yEs",
                                    "yess",
                                    "tRUE",
                                    "tru",
                                    "oN",
                                    "oFF",
                                    "of",
                                    "nO",
                                    "0x8000000000000000",
                                    "-0x8000000000000001",
                                    "9223372036854775_808",
                                    "1,5"};

static pf_node scalar(const char *text)
{
    pf_node n = {0};
    pf_yaml_scalar(text, strlen(text), &n);
    return n;
}

#define COUNT(list) (sizeof(list) / sizeof *(list))

Test(yaml_scalars, numbers)
{
    for (size_t i = 0; i < COUNT(INTEGERS); i++) {
        pf_node n = scalar(INTEGERS[i].text);
        cr_expect_eq(n.type, PF_NODE_INT, "%s", INTEGERS[i].text);
        cr_expect_eq(n.as.i, INTEGERS[i].number, "%s is %lld", INTEGERS[i].text, (long long)n.as.i);
    }
    for (size_t i = 0; i < COUNT(REALS); i++) {
        pf_node n = scalar(REALS[i].text);
        cr_expect_eq(n.type, PF_NODE_REAL, "%s", REALS[i].text);
        cr_expect_eq(n.as.d, REALS[i].number, "%s is %g", REALS[i].text, n.as.d);
    }
    static const char *const NANS[] = {".nan", ".NaN", ".NAN"};
    for (size_t i = 0; i < COUNT(NANS); i++) {
        pf_node n = scalar(NANS[i]);
        cr_expect(n.type == PF_NODE_REAL && isnan(n.as.d), "%s", NANS[i]);
    }
    for (size_t i = 0; i < COUNT(LONG); i++) {
        cr_expect_eq(scalar(LONG[i]).type, PF_NODE_RAW, "%s", LONG[i]);
    }
}

Test(yaml_scalars, words)
{
    static const char *const NULLS[] = {"", "~", "null", "Null", "NULL"};
    static const char *const YES[] = {"yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"};
    static const char *const NO[] = {"no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"};
    for (size_t i = 0; i < COUNT(NULLS); i++) {
        cr_expect_eq(scalar(NULLS[i]).type, PF_NODE_NULL, "%s", NULLS[i]);
    }
    for (size_t i = 0; i < COUNT(YES); i++) {
        pf_node yes = scalar(YES[i]), no = scalar(NO[i]);
        cr_expect(yes.type == PF_NODE_BOOL && yes.as.b, "%s", YES[i]);
        cr_expect(no.type == PF_NODE_BOOL && !no.as.b, "%s", NO[i]);
    }
    for (size_t i = 0; i < COUNT(TEXTS); i++) {
        cr_expect_eq(scalar(TEXTS[i]).type, PF_NODE_TEXT, "%s is of type %d", TEXTS[i], scalar(TEXTS[i]).type);
    }
    pf_node zero = {0};
    pf_yaml_scalar("1.5e+1\0", 7, &zero);
    cr_expect_eq(zero.type, PF_NODE_TEXT, "with a zero byte");
}

/* Reals have up to 127 bytes. */
Test(yaml_scalars, long_reals)
{
    char text[129] = "1.";
    memset(text + 2, '0', 126);
    pf_node n = {0};
    pf_yaml_scalar(text, 127, &n);
    cr_expect(n.type == PF_NODE_REAL && n.as.d == 1);
    pf_yaml_scalar(text, 128, &n);
    cr_expect_eq(n.type, PF_NODE_TEXT);
}
