/* Options as data, at their edges: both sides of every limit, every message, every fault of a table, every type that is
 * stored. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "postfetto/author/option.h"

static bool takes(pf_option_type type, const char *within, const char *text)
{
    const pf_option o = {.name = "o", .type = type, .within = within, .choices = NULL};
    return pf_option_accepts(&o, text);
}

Test(option_edges, values_at_both_sides_of_limits)
{
    static const struct {
        pf_option_type type;
        const char *within, *text;
        bool good;
    } rows[] = {
        {PF_OPTION_REAL, "0.5..2.5", "0.5", true},
        {PF_OPTION_REAL, "0.5..2.5", "0.4999", false},
        {PF_OPTION_REAL, "0.5..2.5", "2.5", true},
        {PF_OPTION_REAL, "0.5..2.5", "2.5001", false},
        {PF_OPTION_REAL, ">0.5..", "0.5", false},
        {PF_OPTION_REAL, ">0.5..", "0.5001", true},
        {PF_OPTION_REAL, "..-1", "-1", true},
        {PF_OPTION_REAL, "..-1", "-0.5", false},
        {PF_OPTION_SIZE, "1K..2K", "1023", false},
        {PF_OPTION_SIZE, "1K..2K", "1024", true},
        {PF_OPTION_SIZE, "1K..2K", "2048", true},
        {PF_OPTION_SIZE, "1K..2K", "2049", false},
        {PF_OPTION_SIZE, ">1K..2K", "1K", false},
        {PF_OPTION_SIZE, ">1K..2K", "1025", true},
        {PF_OPTION_INT, "-3..4", "-3", true},
        {PF_OPTION_INT, "-3..4", "-4", false},
        {PF_OPTION_INT, "-3..4", "4", true},
        {PF_OPTION_INT, "-3..4", "5", false},
        {PF_OPTION_INT, ">-3..", "-3", false},
        {PF_OPTION_INT, ">-3..", "-2", true},
        {PF_OPTION_DURATION, "0..1s", "0", true},
        {PF_OPTION_DURATION, "0..1s", "1s", true},
        {PF_OPTION_DURATION, "0..1s", "1.000000001s", false},
        {PF_OPTION_DURATION, "1ms..", "1ms", true},
        {PF_OPTION_DURATION, "1ms..", "999999ns", false},
        {PF_OPTION_DURATION, ">1ms..", "1ms", false},
        {PF_OPTION_DURATION, ">1ms..", "1000001ns", true},
        /* what is too long to be a number at all: 31 characters are copied, 32 are not */
        {PF_OPTION_SIZE, NULL, "0000000000000000000000000000007", true},
        {PF_OPTION_SIZE, NULL, "00000000000000000000000000000007", false},
        /* durations: 19 digits in front of the point, nine after it, and what fits into 64 bits */
        {PF_OPTION_DURATION, NULL, "9223372036854775807ns", true},
        {PF_OPTION_DURATION, NULL, "9223372036854775808ns", false},
        {PF_OPTION_DURATION, NULL, "0000000000000000001ns", true},
        {PF_OPTION_DURATION, NULL, "00000000000000000001ns", false},
        {PF_OPTION_DURATION, NULL, "1.000000000s", true},
        {PF_OPTION_DURATION, NULL, "1.0000000000s", false},
        {PF_OPTION_DURATION, NULL, "0.0", true},
        {PF_OPTION_DURATION, NULL, "1.1", false},
        {PF_OPTION_DURATION, NULL, "0.5", false},
        {PF_OPTION_DURATION, NULL, ".", false},
        {PF_OPTION_DURATION, NULL, ".s", false},
        {PF_OPTION_DURATION, NULL, "1sec", false},
        {PF_OPTION_DURATION, NULL, "1m s", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_expect_eq(takes(rows[i].type, rows[i].within, rows[i].text), rows[i].good, "%s within %s", rows[i].text,
                     rows[i].within ? rows[i].within : "anything");
    }
    cr_expect_not(takes(PF_OPTION_INT, NULL, NULL), "no text is no value");
    cr_expect(takes(PF_OPTION_FLAG, NULL, NULL), "a flag needs none");
}

/* An integer is a real as well, for who wants one; a choice says its place. */
Test(option_edges, values_have_several_forms)
{
    pf_option_value v = {.set = false};
    pf_error err;
    const pf_option whole = {.name = "n", .type = PF_OPTION_INT};
    cr_assert_eq(pf_option_parse(&whole, "-12", &v, &err), PF_OK);
    cr_expect(v.set && v.i == -12 && v.d == -12 && !v.s.ptr);
    const pf_option choice = {.name = "c", .type = PF_OPTION_CHOICE, .choices = "one|two|three"};
    cr_assert_eq(pf_option_parse(&choice, "three", &v, &err), PF_OK);
    cr_expect(v.i == 2 && v.s.len == 5);
    cr_expect_str_eq(v.s.ptr, "three");
    cr_expect_eq(pf_option_parse(&choice, "thre", &v, &err), PF_ERR_USAGE);
    cr_expect_eq(pf_option_parse(&choice, "two|three", &v, &err), PF_ERR_USAGE);
    const pf_option set = {.name = "s", .type = PF_OPTION_SET, .choices = "one|two|three"};
    cr_assert_eq(pf_option_parse(&set, "two", &v, &err), PF_OK);
    cr_expect_eq(v.u, 2);
    cr_expect_str_eq(v.s.ptr, "two");
    cr_expect_eq(pf_option_parse(&set, "two,", &v, &err), PF_ERR_USAGE);
    cr_expect_eq(v.u, 2, "a refused value leaves the one before");
    const pf_option path = {.name = "p", .type = PF_OPTION_PATH}, text = {.name = "t", .type = PF_OPTION_TEXT};
    cr_assert_eq(pf_option_parse(&path, "a/b", &v, &err), PF_OK);
    cr_expect_str_eq(v.s.ptr, "a/b");
    cr_assert_eq(pf_option_parse(&text, "", &v, &err), PF_OK);
    cr_expect(v.s.ptr && v.s.len == 0);
}

Test(option_edges, messages_say_what_is_taken)
{
    static const struct {
        pf_option_type type;
        const char *within, *choices, *text, *message;
    } rows[] = {
        {PF_OPTION_INT, NULL, NULL, "x", "--o takes an integer of at most 64 bits, not 'x'"},
        {PF_OPTION_INT, "1..", NULL, "0", "--o takes an integer from 1 on, not '0'"},
        {PF_OPTION_INT, ">1..", NULL, "1", "--o takes an integer above 1, not '1'"},
        {PF_OPTION_INT, "1..22", NULL, "23", "--o takes an integer from 1 to 22, not '23'"},
        {PF_OPTION_INT, ">10..22", NULL, "10", "--o takes an integer above 10 up to 22, not '10'"},
        {PF_OPTION_INT, "..22", NULL, "23", "--o takes an integer up to 22, not '23'"},
        {PF_OPTION_REAL, NULL, NULL, "x", "--o takes a decimal number, not 'x'"},
        {PF_OPTION_REAL, "..1.5", NULL, "2", "--o takes a decimal number up to 1.5, not '2'"},
        {PF_OPTION_SIZE, NULL, NULL, "x", "--o takes a number, with K, M or G if you like, not 'x'"},
        {PF_OPTION_SIZE, "1K..", NULL, "7", "--o takes a number from 1K on, with K, M or G if you like, not '7'"},
        {PF_OPTION_DURATION, NULL, NULL, "7", "--o takes a time with its unit (1.5s, 200ms), not '7'"},
        {PF_OPTION_DURATION, "0..1s", NULL, "2s",
         "--o takes a time with its unit (1.5s, 200ms) from 0 to 1s, not '2s'"},
        {PF_OPTION_SET, NULL, "a|b", "c", "--o takes some of a|b, separated by commas, not 'c'"},
        {PF_OPTION_CHOICE, NULL, "a|b", "c", "--o takes one of a|b, not 'c'"},
        {PF_OPTION_PATH, NULL, NULL, "", "--o needs a value that is not empty"},
        {PF_OPTION_TEXT, NULL, NULL, NULL, "--o needs a value"},
        {PF_OPTION_INT, NULL, NULL, NULL, "--o needs a value"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const pf_option o = {.name = "o", .type = rows[i].type, .within = rows[i].within, .choices = rows[i].choices};
        pf_option_value v = {.set = false};
        pf_error err = {.text = ""};
        cr_expect_eq(pf_option_parse(&o, rows[i].text, &v, &err), PF_ERR_USAGE);
        cr_expect_str_eq(err.text, rows[i].message);
        cr_expect_not(v.set);
    }
}

Test(option_edges, defaults_are_values_that_nobody_gave)
{
    const pf_option options[] = {{.name = "a", .type = PF_OPTION_INT, .fallback = "-5"},
                                 {.name = "b", .type = PF_OPTION_INT, .fallback = ""},
                                 {.name = "c", .type = PF_OPTION_INT},
                                 {.name = "d", .type = PF_OPTION_INT, .fallback = "x"},
                                 {.name = "e", .type = PF_OPTION_TEXT, .fallback = "word"}};
    pf_option_value v[5];
    memset(v, 0xff, sizeof v);
    pf_option_defaults(options, 5, v);
    const int64_t whole[] = {-5, 0, 0, 0, 0};
    for (size_t i = 0; i < 5; i++) {
        cr_expect(!v[i].set && v[i].i == whole[i] && v[i].count == 0 && !v[i].all, "%zu", i);
        cr_expect_eq(v[i].s.len, i == 4 ? 4 : 0);
    }
}

Test(option_edges, required_options_that_are_missing_are_listed)
{
    const pf_option options[] = {{.name = "one", .traits = PF_OPTION_REQUIRED},
                                 {.name = "two"},
                                 {.name = "three", .traits = PF_OPTION_REQUIRED | PF_OPTION_HIDDEN},
                                 {.name = "four", .traits = PF_OPTION_REQUIRED}};
    pf_option_value v[4] = {{.set = false}};
    pf_error err = {.text = ""};
    v[3].set = true;
    cr_expect_eq(pf_options_complete(options, 4, v, &err), PF_ERR_USAGE);
    cr_expect_str_eq(err.text, "--one, --three");
    v[0].set = v[2].set = true;
    cr_expect_eq(pf_options_complete(options, 4, v, &err), PF_OK);
    /* more of them than the message holds: it is cut, and nothing else is written */
    pf_option many[64];
    pf_option_value none[64] = {{.set = false}};
    for (size_t i = 0; i < 64; i++) {
        many[i] = (pf_option){.name = "an-option", .traits = PF_OPTION_REQUIRED};
    }
    cr_expect_eq(pf_options_complete(many, 64, none, &err), PF_ERR_USAGE);
    cr_expect_eq(strlen(err.text), 299);
    cr_expect_eq(strncmp(err.text, "--an-option, --an-option, ", 26), 0);
}

Test(option_edges, every_type_has_its_member)
{
    struct {
        int64_t before, duration;
        uint64_t after, set;
        pf_option_value list;
        const char *choice, *path;
        bool flag, beside;
    } s = {.before = 1, .after = 2, .beside = true};
#define OFFSET(member) ((size_t)((const char *)&s.member - (const char *)&s))
    const pf_option rows[] = {
        {.name = "d", .type = PF_OPTION_DURATION, .offset = OFFSET(duration)},
        {.name = "s", .type = PF_OPTION_SET, .choices = "a|b|c", .offset = OFFSET(set)},
        {.name = "l", .type = PF_OPTION_INT, .traits = PF_OPTION_WORDS, .offset = OFFSET(list)},
        {.name = "c", .type = PF_OPTION_CHOICE, .choices = "a|b", .offset = OFFSET(choice)},
        {.name = "p", .type = PF_OPTION_PATH, .offset = OFFSET(path)},
        {.name = "f", .type = PF_OPTION_FLAG, .traits = PF_OPTION_REPEATABLE, .offset = OFFSET(flag)},
    };
    static const char *const texts[] = {"2us", "a,c", "11", "b", "x/y", NULL};
    pf_option_value v[6] = {{.set = false}};
    pf_error err;
    for (size_t i = 0; i < 6; i++) {
        cr_assert_eq(pf_option_parse(&rows[i], texts[i], &v[i], &err), PF_OK);
        pf_option_store(&rows[i], &v[i], &s);
    }
    cr_expect(s.before == 1 && s.after == 2 && s.beside);
    cr_expect(s.duration == 2000 && s.set == 5 && s.flag);
    cr_expect(s.list.i == 11 && s.list.count == 1 && s.list.all && s.list.all[0].i == 11);
    cr_expect_str_eq(s.choice, "b");
    cr_expect_str_eq(s.path, "x/y");
    pf_options_release(v, 6);
    cr_expect(!v[2].all && v[2].count == 0);
}

/* What is wrong with a table of this one row; "" if nothing is. */
static const char *fault_of(pf_option o)
{
    static pf_error err;
    err = (pf_error){.text = ""};
    pf_status st = pf_options_check(&o, 1, &err);
    cr_expect_eq(st, err.text[0] ? PF_ERR_INTERNAL : PF_OK);
    return err.text;
}

Test(option_edges, faults_of_a_row)
{
    static char words[4 * 65 + 1];
    for (int i = 0; i < 65; i++) { /* "w00|w01|..." */
        snprintf(words + (size_t)4 * (size_t)i, 5, "w%02d|", i);
    }
    words[4 * 65 - 1] = '\0';
    char fits[sizeof words];
    snprintf(fits, sizeof fits, "%.*s", 4 * 64 - 1, words);
#define NAME " a name is made of letters, digits, '-' and '_'"
#define CHOICES " the choices are 1 to 64 different words separated by '|'"
#define HELP " the help is one sentence without its full stop"
#define DEFAULT " the default is not a value of it"
    const struct {
        pf_option row;
        const char *fault;
    } rows[] = {
        {{.name = NULL, .help = "h"}, "option '' (row 0):" NAME},
        {{.name = "", .help = "h"}, "option '' (row 0):" NAME},
        {{.name = "_a", .help = "h"}, "option '_a' (row 0):" NAME},
        {{.name = "a.b", .help = "h"}, "option 'a.b' (row 0):" NAME},
        {{.name = "a/", .help = "h"}, "option 'a/' (row 0):" NAME},
        {{.name = "a:", .help = "h"}, "option 'a:' (row 0):" NAME},
        {{.name = "a@", .help = "h"}, "option 'a@' (row 0):" NAME},
        {{.name = "a[", .help = "h"}, "option 'a[' (row 0):" NAME},
        {{.name = "a`", .help = "h"}, "option 'a`' (row 0):" NAME},
        {{.name = "a{", .help = "h"}, "option 'a{' (row 0):" NAME},
        {{.name = "09-AZ_az", .help = "h"}, ""},
        {{.name = "0", .letter = '0', .help = "h"}, ""},
        {{.name = "z", .letter = 'z', .help = "h"}, ""},
        {{.name = "a", .letter = '?', .help = "h"}, "option 'a' (row 0): the short form is a letter or a digit"},
        {{.name = "a", .type = (pf_option_type)PF_OPTION_TYPES, .help = "h"},
         "option 'a' (row 0): the type is unknown"},
        {{.name = "a", .type = PF_OPTION_SET, .choices = fits, .help = "h"}, ""},
        {{.name = "a", .type = PF_OPTION_SET, .choices = words, .help = "h"}, "option 'a' (row 0):" CHOICES},
        {{.name = "a", .type = PF_OPTION_SET, .choices = "", .help = "h"}, "option 'a' (row 0):" CHOICES},
        {{.name = "a", .type = PF_OPTION_SET, .choices = "x||y", .help = "h"}, "option 'a' (row 0):" CHOICES},
        {{.name = "a", .type = PF_OPTION_SET, .choices = "xy|x", .help = "h"}, ""},
        {{.name = "a", .type = PF_OPTION_CHOICE, .choices = "x", .help = "h"}, ""},
        {{.name = "a", .type = PF_OPTION_TEXT, .choices = "x", .help = "h"},
         "option 'a' (row 0): only a choice or a set has choices"},
        {{.name = "a", .type = PF_OPTION_INT, .within = "..", .help = "h"},
         "option 'a' (row 0): the limits do not parse, or the type has none"},
        {{.name = "a", .type = PF_OPTION_INT, .within = "a..", .help = "h"},
         "option 'a' (row 0): the limits do not parse, or the type has none"},
        {{.name = "a", .type = PF_OPTION_INT, .within = "1..b", .help = "h"},
         "option 'a' (row 0): the limits do not parse, or the type has none"},
        {{.name = "a", .type = PF_OPTION_CHOICE, .choices = "x", .within = "1..", .help = "h"},
         "option 'a' (row 0): the limits do not parse, or the type has none"},
        {{.name = "a", .type = PF_OPTION_REAL, .within = ">1..", .help = "h"}, ""},
        {{.name = "a", .type = PF_OPTION_DURATION, .within = "..1s", .fallback = "1s", .help = "h"}, ""},
        {{.name = "a", .type = PF_OPTION_FLAG, .fallback = "1", .help = "h"}, "option 'a' (row 0):" DEFAULT},
        {{.name = "a", .type = PF_OPTION_FLAG, .fallback = "", .help = "h"}, ""},
        {{.name = "a", .type = PF_OPTION_SIZE, .fallback = "1T", .help = "h"}, "option 'a' (row 0):" DEFAULT},
        {{.name = "a", .type = PF_OPTION_SIZE, .fallback = "1G", .help = "h"}, ""},
        {{.name = "a", .traits = PF_OPTION_REQUIRED, .help = "h"},
         "option 'a' (row 0): it is required and has a default"},
        {{.name = "a", .type = PF_OPTION_INT, .traits = PF_OPTION_REQUIRED, .help = "h"}, ""},
        {{.name = "a", .type = PF_OPTION_INT, .traits = PF_OPTION_REQUIRED, .fallback = "", .help = "h"}, ""},
        {{.name = "a", .help = NULL}, "option 'a' (row 0):" HELP},
        {{.name = "a", .help = ""}, "option 'a' (row 0):" HELP},
        {{.name = "a", .help = "."}, "option 'a' (row 0):" HELP},
        {{.name = "a", .help = "what. it does"}, ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_expect_str_eq(fault_of(rows[i].row), rows[i].fault, "row %zu: %s", i, fault_of(rows[i].row));
    }
}

Test(option_edges, the_faulty_row_of_several_is_named)
{
    pf_error err;
    const pf_option names[] = {{.name = "a", .help = "h"}, {.name = "ab", .help = "h"}, {.name = "a", .help = "h"}};
    cr_expect_eq(pf_options_check(names, 2, &err), PF_OK);
    cr_expect_eq(pf_options_check(names, 3, &err), PF_ERR_INTERNAL);
    cr_expect_str_eq(err.text, "option 'a' (row 2): the name occurs twice");
    const pf_option letters[] = {{.name = "a", .letter = 'x', .help = "h"},
                                 {.name = "b", .letter = 'X', .help = "h"},
                                 {.name = "c", .help = "h"},
                                 {.name = "d", .help = "h"},
                                 {.name = "e", .letter = 'X', .help = "h"}};
    cr_expect_eq(pf_options_check(letters, 4, &err), PF_OK);
    cr_expect_eq(pf_options_check(letters, 5, &err), PF_ERR_INTERNAL);
    cr_expect_str_eq(err.text, "option 'e' (row 4): the letter occurs twice");
    cr_expect_eq(pf_options_find(letters, 5, "d", 1), 3);
    cr_expect_eq(pf_options_find(letters, 5, "d", 0), 5);
    cr_expect_eq(pf_options_find(letters, 3, "d", 1), 3);
    cr_expect_eq(pf_options_find_letter(letters, 5, 'X'), 1);
    cr_expect_eq(pf_options_find_letter(letters, 5, 'y'), 5);
    cr_expect_eq(pf_options_find_letter(letters, 5, 0), 5);
    const pf_option pass[] = {{.name = "f", .letter = 'z'}};
    cr_expect_eq(pf_options_check_apart(letters, 5, pass, 1, &err), PF_OK);
    const pf_option two[] = {{.name = "g"}, {.name = "f", .letter = 'x'}};
    cr_expect_eq(pf_options_check_apart(letters, 5, two, 2, &err), PF_ERR_INTERNAL);
    cr_expect_str_eq(err.text, "option --f: -x is one of the command already");
}

Test(option_edges, words_for_types_and_values)
{
    static const struct {
        const char *type, *word;
    } rows[PF_OPTION_TYPES] = {{"flag", ""},     {"integer", "N"}, {"real", "X"},
                               {"text", "TEXT"}, {"path", "FILE"}, {"choice", "a|b"},
                               {"set", "a|b"},   {"size", "SIZE"}, {"duration", "TIME"}};
    for (unsigned i = 0; i < PF_OPTION_TYPES; i++) {
        const pf_option o = {.name = "o", .type = (pf_option_type)i, .choices = "a|b"},
                        named = {.name = "o", .type = (pf_option_type)i, .value = "OUT", .choices = "a|b"};
        cr_expect_str_eq(pf_option_type_name((pf_option_type)i), rows[i].type);
        cr_expect_str_eq(pf_option_value_word(&o), rows[i].word);
        cr_expect_str_eq(pf_option_value_word(&named), "OUT");
    }
    cr_expect_str_eq(pf_option_type_name((pf_option_type)PF_OPTION_TYPES), "unknown");
}
