/* Options as data: values of every type, limits, lists, and what is wrong with a table. */
#include <criterion/criterion.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "postfetto/author/option.h"

static pf_option_value value;
static pf_error error;

static pf_status parse(pf_option o, const char *text)
{
    value = (pf_option_value){.set = false};
    error = (pf_error){.text = ""};
    o.name = "o";
    return pf_option_parse(&o, text, &value, &error);
}

static void expect_duration(const char *text, int64_t ns)
{
    cr_assert_eq(parse((pf_option){.type = PF_OPTION_DURATION}, text), PF_OK, "%s: %s", text, error.text);
    cr_assert_eq(value.i, ns, "%s", text);
}

Test(options, durations_are_exact)
{
    expect_duration("0", 0);
    expect_duration("1ns", 1);
    expect_duration("1.5s", 1500000000);
    expect_duration("200ms", 200000000);
    expect_duration(".25us", 250);
    expect_duration("2m", 120000000000);
    expect_duration("1.5h", 5400000000000);
    expect_duration("106751d", 9223286400000000000);
    expect_duration("0.000000001s", 1);
    static const char *const wrong[] = {"", "5", "s", "1.5", "-1s", "1 s", "1.5ns", "106752d", "1e3s", "0.0000000001s"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        cr_assert_eq(parse((pf_option){.type = PF_OPTION_DURATION}, wrong[i]), PF_ERR_USAGE, "'%s'", wrong[i]);
    }
}

Test(options, sets_choices_and_sizes)
{
    const pf_option set = {.type = PF_OPTION_SET, .choices = "a|bb|c"};
    cr_assert_eq(parse(set, "c,a"), PF_OK);
    cr_assert_eq(value.u, 5);
    cr_assert_eq(parse(set, "a,,c"), PF_ERR_USAGE);
    cr_assert_eq(parse(set, "a|bb"), PF_ERR_USAGE);
    cr_assert_eq(parse((pf_option){.type = PF_OPTION_CHOICE, .choices = "a|bb|c"}, "bb"), PF_OK);
    cr_assert_eq(value.i, 1);
    cr_assert_eq(parse((pf_option){.type = PF_OPTION_SIZE}, "3K"), PF_OK);
    cr_assert_eq(value.u, 3072);
    cr_assert_eq(parse((pf_option){.type = PF_OPTION_PATH}, ""), PF_ERR_USAGE);
    cr_assert_eq(parse((pf_option){.type = PF_OPTION_TEXT}, ""), PF_OK);
}

Test(options, limits_are_written_as_values_are)
{
    const pf_option whole = {.type = PF_OPTION_INT, .within = "0..4"};
    cr_assert_eq(parse(whole, "4"), PF_OK);
    cr_assert_eq(parse(whole, "5"), PF_ERR_USAGE);
    cr_assert_str_eq(error.text, "--o takes an integer from 0 to 4, not '5'");
    cr_assert_eq(parse(whole, "-1"), PF_ERR_USAGE);
    cr_assert_eq(parse((pf_option){.type = PF_OPTION_REAL, .within = ">0.."}, "0"), PF_ERR_USAGE);
    cr_assert_eq(parse((pf_option){.type = PF_OPTION_REAL, .within = ">0.."}, "1e-300"), PF_OK);
    cr_assert_eq(parse((pf_option){.type = PF_OPTION_SIZE, .within = "..1K"}, "1025"), PF_ERR_USAGE);
    cr_assert_not_null(strstr(error.text, "up to 1K"));
    cr_assert_eq(parse((pf_option){.type = PF_OPTION_DURATION, .within = "1ms..1s"}, "999us"), PF_ERR_USAGE);
    cr_assert_eq(parse((pf_option){.type = PF_OPTION_DURATION, .within = "1ms..1s"}, "1000us"), PF_OK);
}

Test(options, lists_keep_all_values)
{
    const pf_option o = {.name = "o", .type = PF_OPTION_INT, .traits = PF_OPTION_REPEATABLE, .fallback = "7"};
    pf_option_value v;
    pf_option_defaults(&o, 1, &v);
    cr_assert_eq(v.count, 0);
    cr_assert_eq(v.i, 7);
    for (int i = 1; i <= 20; i++) {
        char text[8];
        snprintf(text, sizeof text, "%d", i);
        cr_assert_eq(pf_option_parse(&o, text, &v, &error), PF_OK);
    }
    cr_assert_eq(v.count, 20);
    cr_assert_eq(v.i, 20);
    cr_assert_eq(v.all[3].i, 4);
    cr_assert_eq(pf_option_parse(&o, "x", &v, &error), PF_ERR_USAGE);
    cr_assert_eq(v.count, 20, "a wrong value changes nothing");
    pf_options_release(&v, 1);
    const pf_option set = {.name = "s", .type = PF_OPTION_SET, .choices = "a|b|c", .traits = PF_OPTION_WORDS};
    pf_option_value bits = {.set = false};
    cr_assert_eq(pf_option_parse(&set, "a", &bits, &error), PF_OK);
    cr_assert_eq(pf_option_parse(&set, "c", &bits, &error), PF_OK);
    cr_assert_eq(bits.u, 5, "a set that is given in parts is their union");
    pf_options_release(&bits, 1);
}

Test(options, values_are_stored_by_type)
{
    struct {
        bool flag;
        int64_t whole;
        double real;
        const char *text;
        uint64_t size;
    } s = {0};
    const pf_option rows[] = {{.name = "f", .type = PF_OPTION_FLAG, .offset = (size_t)((char *)&s.flag - (char *)&s)},
                              {.name = "i", .type = PF_OPTION_INT, .offset = (size_t)((char *)&s.whole - (char *)&s)},
                              {.name = "r", .type = PF_OPTION_REAL, .offset = (size_t)((char *)&s.real - (char *)&s)},
                              {.name = "t", .type = PF_OPTION_TEXT, .offset = (size_t)((char *)&s.text - (char *)&s)},
                              {.name = "z", .type = PF_OPTION_SIZE, .offset = (size_t)((char *)&s.size - (char *)&s)}};
    const char *const texts[] = {NULL, "-3", "2.5", "abc", "2M"};
    for (size_t i = 0; i < 5; i++) {
        pf_option_value v = {.set = false};
        cr_assert_eq(pf_option_parse(&rows[i], texts[i], &v, &error), PF_OK);
        pf_option_store(&rows[i], &v, &s);
    }
    cr_assert(s.flag && s.whole == -3 && s.real == 2.5 && s.size == 2097152);
    cr_assert_str_eq(s.text, "abc");
}

static void expect_fault(pf_option o, const char *part)
{
    o.help = o.help ? o.help : "h";
    error = (pf_error){.text = ""};
    cr_assert_eq(pf_options_check(&o, 1, &error), PF_ERR_INTERNAL, "%s", o.name);
    cr_assert_not_null(strstr(error.text, part), "'%s' lacks '%s'", error.text, part);
}

Test(options, tables_are_checked)
{
    expect_fault((pf_option){.name = "a b"}, "made of letters");
    expect_fault((pf_option){.name = "-a"}, "made of letters");
    expect_fault((pf_option){.name = "a", .letter = '-'}, "the short form");
    expect_fault((pf_option){.name = "a", .type = PF_OPTION_CHOICE}, "different words");
    expect_fault((pf_option){.name = "a", .type = PF_OPTION_SET, .choices = "x|y|x"}, "different words");
    expect_fault((pf_option){.name = "a", .type = PF_OPTION_INT, .choices = "x"}, "only a choice");
    expect_fault((pf_option){.name = "a", .type = PF_OPTION_INT, .fallback = "x"}, "the default is not a value");
    expect_fault((pf_option){.name = "a", .type = PF_OPTION_INT, .fallback = "5", .within = "..4"}, "the default");
    expect_fault((pf_option){.name = "a", .type = PF_OPTION_INT, .within = "4"}, "the limits do not parse");
    expect_fault((pf_option){.name = "a", .type = PF_OPTION_TEXT, .within = "1..2"}, "the limits do not parse");
    expect_fault((pf_option){.name = "a", .type = PF_OPTION_INT, .fallback = "1", .traits = PF_OPTION_REQUIRED},
                 "required and has a default");
    expect_fault((pf_option){.name = "a", .help = "ends in a stop."}, "without its full stop");
    const pf_option twice[] = {{.name = "a", .letter = 'x', .help = "h"}, {.name = "a", .help = "h"}};
    cr_assert_eq(pf_options_check(twice, 2, &error), PF_ERR_INTERNAL);
    const pf_option letters[] = {{.name = "a", .letter = 'x', .help = "h"}, {.name = "b", .letter = 'x', .help = "h"}};
    cr_assert_eq(pf_options_check(letters, 2, &error), PF_ERR_INTERNAL);
}

Test(options, nobody_shadows_a_command)
{
    const pf_option command[] = {{.name = "output", .letter = 'o', .help = "h"}, {.name = "json", .help = "h"}};
    pf_option name = {.name = "json", .help = "h"}, letter = {.name = "other", .letter = 'o', .help = "h"};
    cr_assert_eq(pf_options_check_apart(command, 2, &name, 1, &error), PF_ERR_INTERNAL);
    cr_assert_not_null(strstr(error.text, "--json"));
    cr_assert_eq(pf_options_check_apart(command, 2, &letter, 1, &error), PF_ERR_INTERNAL);
    cr_assert_not_null(strstr(error.text, "-o"));
}
