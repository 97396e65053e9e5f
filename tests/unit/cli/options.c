/* The option parser and the suggestions of the command. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "cli/options/options.h"

typedef struct settings {
    bool quiet, verbose;
    const char *out, *form;
    uint64_t jobs, memory, depth;
} settings;

#define AT(field) offsetof(settings, field)

static const pf_option options[] = {
    {"quiet", 'q', PF_OPTION_FLAG, AT(quiet), NULL, NULL, NULL, "q"},
    {"verbose", 'v', PF_OPTION_FLAG, AT(verbose), NULL, NULL, NULL, "v"},
    {"output", 'o', PF_OPTION_PATH, AT(out), "OUT", NULL, NULL, "o"},
    {"form", 0, PF_OPTION_CHOICE, AT(form), NULL, "csv|json", NULL, "f"},
    {"jobs", 0, PF_OPTION_INT, AT(jobs), "N", NULL, NULL, "j", .within = "1.."},
    {"max-memory", 0, PF_OPTION_SIZE, AT(memory), "SIZE", NULL, NULL, "m"},
    {"max-depth", 0, PF_OPTION_SIZE, AT(depth), "N", NULL, NULL, "d", .within = "..4294967295"},
};

static const char *operands[16];
static settings parsed;
static pf_error error;
static pf_cli_parser parser;

/* Two readers with options of their own. */
static const pf_option first_reader[] = {{"tgt-a", 0, PF_OPTION_INT, 0, "N", NULL, NULL, "a"}};
static const pf_option second_reader[] = {{"tgt-flag", 0, PF_OPTION_FLAG, 0, NULL, NULL, NULL, "f"},
                                          {"tgt-b", 0, PF_OPTION_TEXT, 0, "WORD", NULL, NULL, "b"}};

static const pf_reader *reader_of_test(size_t i)
{
    static const pf_reader readers[] = {{.name = "first", .options = first_reader, .option_count = 1},
                                        {.name = "second", .options = second_reader, .option_count = 2}};
    return i < 2 ? &readers[i] : NULL;
}

#define PARSE(...)                                                                                                     \
    parse((const char *const[]){__VA_ARGS__}, (int)(sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *)))

static pf_status parse(const char *const *words, int count)
{
    char *argv[16];
    for (int i = 0; i < count; i++) {
        argv[i] = (char *)(uintptr_t)words[i];
    }
    parsed = (settings){0};
    error = (pf_error){0};
    parser = (pf_cli_parser){.command = "test", .operands = operands};
    pf_cli_parser_add(&parser, "Options", options, sizeof options / sizeof *options, &parsed);
    return pf_cli_parse(&parser, count, argv, &error);
}

Test(options, spellings_of_a_value)
{
    cr_assert_eq(PARSE("--output", "a", "in"), PF_OK);
    cr_assert_str_eq(parsed.out, "a");
    cr_assert_eq(PARSE("--output=b", "in"), PF_OK);
    cr_assert_str_eq(parsed.out, "b");
    cr_assert_eq(PARSE("-o", "c", "in"), PF_OK);
    cr_assert_str_eq(parsed.out, "c");
    cr_assert_eq(PARSE("-od", "in"), PF_OK);
    cr_assert_str_eq(parsed.out, "d");
    cr_assert_eq(PARSE("-qvo", "e", "in"), PF_OK);
    cr_assert_str_eq(parsed.out, "e");
    cr_assert(parsed.quiet && parsed.verbose);
    cr_assert_eq(parser.operand_count, 1);
    cr_assert_str_eq(operands[0], "in");
}

Test(options, the_last_one_counts)
{
    cr_assert_eq(PARSE("-o", "a", "--output=b"), PF_OK);
    cr_assert_str_eq(parsed.out, "b");
}

Test(options, operands_and_dashes)
{
    cr_assert_eq(PARSE("a", "-q", "-", "--", "-v", "--output"), PF_OK);
    cr_assert_eq(parser.operand_count, 4);
    cr_assert_str_eq(operands[1], "-");
    cr_assert_str_eq(operands[2], "-v");
    cr_assert_str_eq(operands[3], "--output");
    cr_assert(parsed.quiet && !parsed.verbose && !parsed.out);
    cr_assert_eq(PARSE("-o", "-"), PF_OK);
    cr_assert_str_eq(parsed.out, "-");
    cr_assert_eq(PARSE("--output", "-v"), PF_OK, "a single dash is no known long option");
    cr_assert_str_eq(parsed.out, "-v");
}

Test(options, numbers)
{
    cr_assert_eq(PARSE("--jobs=3", "--max-memory", "2M", "--max-depth=1K"), PF_OK);
    cr_assert_eq(parsed.jobs, 3);
    cr_assert_eq(parsed.memory, 2097152);
    cr_assert_eq(parsed.depth, 1024);
    cr_assert_eq(PARSE("--max-depth=4G"), PF_ERR_USAGE, "does not fit 32 bits");
    cr_assert_eq(PARSE("--jobs=0"), PF_ERR_USAGE);
    cr_assert_eq(PARSE("--jobs=-1"), PF_ERR_USAGE);
    cr_assert_eq(PARSE("--jobs=3x"), PF_ERR_USAGE);
    cr_assert_eq(PARSE("--max-memory="), PF_ERR_USAGE);
}

Test(options, choices_compare_whole)
{
    cr_assert_eq(PARSE("--form", "json"), PF_OK);
    cr_assert_eq(PARSE("--form", "csv"), PF_OK);
    cr_assert_eq(PARSE("--form", "js"), PF_ERR_USAGE);
    cr_assert_eq(PARSE("--form", "csv|json"), PF_ERR_USAGE);
    cr_assert_eq(PARSE("--form="), PF_ERR_USAGE);
    cr_assert_str_eq(error.text, "--form takes one of csv|json, not ''");
}

Test(options, errors_say_what_to_do)
{
    cr_assert_eq(PARSE("--ouptut", "x"), PF_ERR_USAGE);
    cr_assert_str_eq(error.text, "unknown option '--ouptut'; did you mean '--output'?");
    cr_assert_eq(PARSE("--Quiet"), PF_ERR_USAGE);
    cr_assert_str_eq(error.text, "unknown option '--Quiet'; did you mean '--quiet'?");
    cr_assert_eq(PARSE("--out", "x"), PF_ERR_USAGE);
    cr_assert_str_eq(error.text, "unknown option '--out'; did you mean '--output'?");
    cr_assert_eq(PARSE("--zzz"), PF_ERR_USAGE);
    cr_assert_str_eq(error.text, "unknown option '--zzz'; 'postfetto test --help' lists the options");
    cr_assert_eq(PARSE("-x"), PF_ERR_USAGE);
    cr_assert_str_eq(error.text, "unknown option '-x'; 'postfetto test --help' lists the options");
    cr_assert_eq(PARSE("--output"), PF_ERR_USAGE);
    cr_assert_str_eq(error.text, "--output needs a value; 'postfetto test --help' says which");
    cr_assert_eq(PARSE("-o", "--quiet"), PF_ERR_USAGE);
    cr_assert_str_eq(error.text,
                     "--output needs a value, but '--quiet' follows; write --output=--quiet if that is the value");
    cr_assert_eq(PARSE("--output=--quiet"), PF_OK);
    cr_assert_eq(PARSE("--quiet=yes"), PF_ERR_USAGE);
    cr_assert_str_eq(error.text, "--quiet takes no value; leave out '=yes'");
}

Test(options, the_first_operand_is_found_behind_options)
{
    char *argv[] = {(char[]){"--output"},   (char[]){"x"},         (char[]){"-qo"},  (char[]){"y"},   (char[]){"-oz"},
                    (char[]){"--form=csv"}, (char[]){"--unknown"}, (char[]){"pass"}, (char[]){"file"}};
    PARSE("-q");
    cr_assert_eq(pf_cli_first_operand(&parser, 9, argv), 7);
    cr_assert_eq(pf_cli_first_operand(&parser, 7, argv), 7, "there is none");
    cr_assert_eq(pf_cli_first_operand(&parser, 1, argv), 1);
    char *dashes[] = {(char[]){"-q"}, (char[]){"--"}, (char[]){"--quiet"}};
    cr_assert_eq(pf_cli_first_operand(&parser, 3, dashes), 2, "whatever it is");
    cr_assert_eq(pf_cli_first_operand(&parser, 2, dashes), 2, "there is none");
    char *aie[] = {(char[]){"--M"}, (char[]){"64"}, (char[]){"aie"}};
    cr_assert_eq(pf_cli_first_operand(&parser, 3, aie), 2, "--M is known to a pass as an option with a value");
}

/* What stands in front of the first operand: one word, or an option and its value. */
Test(options, letters_in_front_of_the_first_operand)
{
    static const struct {
        const char *word[3];
        int at;
    } rows[] = {
        {{"-", "x", "y"}, 0},
        {{"-q", "x", "y"}, 1},
        {{"-o", "x", "y"}, 2},
        {{"-qo", "x", "y"}, 2},
        {{"-oq", "x", "y"}, 1},
        {{"-oo", "x", "y"}, 1},
        {{"-qvo", "x", "y"}, 2},
        {{"-qv", "x", "y"}, 1},
        {{"-z", "x", "y"}, 1},
        {{"--output", "x", "y"}, 2},
        {{"--output=", "x", "y"}, 1},
        {{"--quiet", "x", "y"}, 1},
        {{"--iterations", "x", "y"}, 2},
        {{"--drop-empty", "x", "y"}, 1},
        {{"--nowhere", "x", "y"}, 1},
        {{"-q", "--output", "y"}, 3},
        {{"-q", "-v", "-q"}, 3},
        {{"--output", "--", "y"}, 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *argv[3];
        for (size_t k = 0; k < 3; k++) {
            argv[k] = (char *)(uintptr_t)rows[i].word[k];
        }
        PARSE("-q");
        int at = pf_cli_first_operand(&parser, 3, argv);
        cr_expect_eq(at < 3 ? at : 3, rows[i].at, "%s %s: %d", argv[0], argv[1], at);
    }
}

/* Options that take several words: up to the next option, or up to a word that they do not know. */
Test(options, several_words_of_one_option)
{
    static const pf_option many[] = {
        {"by", 0, PF_OPTION_TEXT, 0, "WORD", NULL, NULL, "b", .traits = PF_OPTION_WORDS},
        {"of", 'f', PF_OPTION_CHOICE, sizeof(pf_option_value), NULL, "one|two", NULL, "o", .traits = PF_OPTION_WORDS},
        {"quiet", 'q', PF_OPTION_FLAG, 0, NULL, NULL, NULL, "q"},
    };
    static const struct {
        const char *words, *by, *of, *operands;
    } rows[] = {
        {"x --by a b c", "a,b,c,", "", "x,"},
        {"--by a b -q c", "a,b,", "", "c,"},
        {"--by=a b -q", "a,b,", "", ""},
        {"--by a --by b", "a,b,", "", ""},
        {"--by a -- b", "a,", "", "b,"},
        {"--of one two three", "", "one,two,", "three,"},
        {"--of two x one", "", "two,", "x,one,"},
        {"-fone two -q two", "", "one,two,", "two,"},
        {"--of one --by one two", "one,two,", "one,", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        pf_option_value values[3] = {{.set = false}};
        char line[64], *argv[16], *rest = line;
        int argc = 0;
        snprintf(line, sizeof line, "%s", rows[i].words);
        for (char *word; (word = strtok_r(rest, " ", &rest));) {
            argv[argc++] = word;
        }
        parser = (pf_cli_parser){.command = "test", .operands = operands};
        pf_cli_parser_add_values(&parser, "Options", many, 3, values);
        cr_assert_eq(pf_cli_parse(&parser, argc, argv, &error), PF_OK, "%s: %s", rows[i].words, error.text);
        pf_buffer found[3] = {{0}};
        for (size_t k = 0; k < 2; k++) {
            for (size_t v = 0; v < values[k].count; v++) {
                pf_buffer_format(&found[k], "%s,", values[k].all[v].s.ptr);
            }
        }
        for (size_t k = 0; k < parser.operand_count; k++) {
            pf_buffer_format(&found[2], "%s,", operands[k]);
        }
        const char *const wanted[] = {rows[i].by, rows[i].of, rows[i].operands};
        for (size_t k = 0; k < 3; k++) {
            pf_buffer_put(&found[k], "", 1);
            cr_expect_str_eq(found[k].data, wanted[k], "%s: %s", rows[i].words, found[k].data);
            pf_buffer_free(&found[k]);
        }
        pf_cli_parser_release(&parser);
    }
    pf_option_value values[3] = {{.set = false}};
    char *wrong[] = {(char[]){"--of"}, (char[]){"three"}};
    parser = (pf_cli_parser){.command = "test", .operands = operands};
    pf_cli_parser_add_values(&parser, "Options", many, 3, values);
    cr_expect_eq(pf_cli_parse(&parser, 2, wrong, &error), PF_ERR_USAGE, "the first word must be one that it knows");
    pf_cli_parser_release(&parser);
}

/* Options of readers are known besides those of the command, are suggested, and are handed on in their order. */
Test(options, of_readers)
{
    static const struct {
        const char *word[4];
        const char *wanted, *said;
    } rows[] = {
        {{"--quiet", "x"}, "", NULL},
        {{"--tgt-a", "1", "x", "--tgt-flag"}, "tgt-a=1;tgt-flag=;", NULL},
        {{"--tgt-flag", "--tgt-b=word", "x"}, "tgt-flag=;tgt-b=word;", NULL},
        {{"--tgt-a", "one"}, NULL, ""},
        {{"--tgt-flag=1"}, NULL, "--tgt-flag takes no value; leave out '=1'"},
        {{"--tgt-flga"}, NULL, "unknown option '--tgt-flga'; did you mean '--tgt-flag'?"},
        {{"--tgt-a"}, NULL, "--tgt-a needs a value; 'postfetto test --help' says which"},
        {{"-o", "--tgt-b"},
         NULL,
         "--output needs a value, but '--tgt-b' follows; write --output=--tgt-b if that is the value"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        pf_reader_setting given[4] = {{0}};
        char *argv[4];
        int argc = 0;
        while (argc < 4 && rows[i].word[argc]) {
            argv[argc] = (char *)(uintptr_t)rows[i].word[argc];
            argc++;
        }
        error = (pf_error){0};
        parser = (pf_cli_parser){.command = "test", .operands = operands, .settings = given};
        pf_cli_parser_add_readers(&parser, reader_of_test);
        pf_cli_parser_add(&parser, "Options", options, sizeof options / sizeof *options, &parsed);
        cr_assert_eq(pf_cli_parser_check(&parser, &error), PF_OK, "%s", error.text);
        pf_status st = pf_cli_parse(&parser, argc, argv, &error);
        cr_expect_eq(st == PF_OK, rows[i].wanted != NULL, "row %zu: %s", i, error.text);
        if (rows[i].said && *rows[i].said) {
            cr_expect_str_eq(error.text, rows[i].said, "%s", error.text);
        }
        pf_buffer found = {0};
        for (size_t k = 0; k < parser.setting_count; k++) {
            pf_buffer_format(&found, "%s=%s;", given[k].name, given[k].value);
        }
        pf_buffer_put(&found, "", 1);
        cr_expect(!rows[i].wanted || strcmp(found.data, rows[i].wanted) == 0, "row %zu: %s", i, found.data);
        pf_buffer_free(&found);
    }
}

Test(options, pass_options_are_distinct_from_letters)
{
    const pf_pass *aie = pf_pass_find("aie");
    cr_assert_not_null(aie);
    pf_option_value values[32];
    cr_assert_leq(aie->option_count, 32);
    pf_pass_defaults(aie, values);
    char *argv[] = {(char[]){"--M"}, (char[]){"64"}, (char[]){"--m=-3"}, (char[]){"--drop-empty"}, (char[]){"f"}};
    parser = (pf_cli_parser){.command = "analyze", .operands = operands};
    pf_cli_parser_add(&parser, "Options", options, sizeof options / sizeof *options, &parsed);
    pf_cli_parser_add_values(&parser, "Options of aie", aie->options, aie->option_count, values);
    cr_assert_eq(pf_cli_parser_check(&parser, &error), PF_OK, "%s", error.text);
    cr_assert_eq(pf_cli_parse(&parser, 5, argv, &error), PF_OK);
    size_t seen = 0;
    for (size_t i = 0; i < aie->option_count; i++) {
        const char *name = aie->options[i].name;
        seen += values[i].set;
        if (strcmp(name, "M") == 0) {
            cr_assert_eq(values[i].i, 64);
        } else if (strcmp(name, "m") == 0) {
            cr_assert_eq(values[i].i, -3);
        } else if (strcmp(name, "drop-empty") == 0) {
            cr_assert(values[i].b);
        } else {
            cr_assert(!values[i].set, "%s was not given", name);
        }
    }
    cr_assert_eq(seen, 3);
}

/* Groups of one command share their names and letters. */
Test(options, groups_are_apart)
{
    static const pf_option again[] = {{"other", 0, PF_OPTION_FLAG, AT(quiet), NULL, NULL, NULL, "o"},
                                      {"jobs", 0, PF_OPTION_INT, AT(jobs), "N", NULL, NULL, "j"}};
    static const pf_option letter[] = {{"other", 'o', PF_OPTION_FLAG, AT(quiet), NULL, NULL, NULL, "o"}};
    for (size_t k = 0; k < 3; k++) {
        parser = (pf_cli_parser){.command = "test", .operands = operands};
        pf_cli_parser_add(&parser, "Options", options, sizeof options / sizeof *options, &parsed);
        if (k == 2) {
            pf_cli_parser_add(&parser, "More", letter, 1, &parsed);
        } else {
            pf_cli_parser_add(&parser, "More", again, 1 + k, &parsed);
        }
        cr_expect_eq(pf_cli_parser_check(&parser, &error) == PF_OK, k == 0, "%zu", k);
    }
    const pf_option twice[] = {again[0], again[0]};
    parser = (pf_cli_parser){.command = "test", .operands = operands};
    pf_cli_parser_add(&parser, "Options", twice, 2, &parsed);
    cr_expect_neq(pf_cli_parser_check(&parser, &error), PF_OK, "twice in one group");
}

Test(options, help_is_asked_for_before_a_double_dash_only)
{
    char *before[] = {(char[]){"x"}, (char[]){"-h"}};
    char *after[] = {(char[]){"--"}, (char[]){"--help"}};
    cr_assert(pf_cli_wants_help(2, before));
    cr_assert(!pf_cli_wants_help(2, after));
}

Test(suggest, distances)
{
    cr_assert_eq(pf_cli_edit_distance("", ""), 0);
    cr_assert_eq(pf_cli_edit_distance("", "abc"), 3);
    cr_assert_eq(pf_cli_edit_distance("abc", "abc"), 0);
    cr_assert_eq(pf_cli_edit_distance("abc", "acb"), 1, "neighbours swapped");
    cr_assert_eq(pf_cli_edit_distance("abc", "abd"), 1);
    cr_assert_eq(pf_cli_edit_distance("abc", "ab"), 1);
    cr_assert_eq(pf_cli_edit_distance("kitten", "sitting"), 3);
    cr_assert_eq(pf_cli_edit_distance("query", "qurey"), 1);
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The definition, without a table: the distance of the last `la` letters of a and the last `lb` of b. */
static size_t distance_by_definition(const char *a, size_t la, const char *b, size_t lb)
{
    if (la == 0 || lb == 0) {
        return la + lb;
    }
    size_t d = distance_by_definition(a + 1, la - 1, b + 1, lb - 1) + (a[0] != b[0]);
    d = least(d, distance_by_definition(a + 1, la - 1, b, lb) + 1);
    d = least(d, distance_by_definition(a, la, b + 1, lb - 1) + 1);
    if (la > 1 && lb > 1 && a[0] == b[1] && a[1] == b[0]) {
        d = least(d, distance_by_definition(a + 2, la - 2, b + 2, lb - 2) + 1);
    }
    return d;
}

/* All pairs of words of up to four letters a, b, c. */
Test(suggest, distances_by_their_definition)
{
    char word[121][5] = {{0}};
    size_t count = 1;
    for (size_t from = 0; from < 40; from++) {
        for (char letter = 'a'; letter <= 'c'; letter++) {
            memcpy(word[count], word[from], sizeof word[0]);
            word[count++][strlen(word[from])] = letter;
        }
    }
    cr_assert_eq(count, 121);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < count; k++) {
            size_t wanted = distance_by_definition(word[i], strlen(word[i]), word[k], strlen(word[k]));
            cr_assert_eq(pf_cli_edit_distance(word[i], word[k]), wanted, "%s %s", word[i], word[k]);
        }
    }
}

Test(suggest, words_up_to_a_length)
{
    char longest[65], other[65];
    memset(longest, 'a', 64);
    longest[64] = '\0';
    memcpy(other, longest, sizeof other);
    other[0] = 'b';
    cr_assert_eq(pf_cli_edit_distance(longest + 1, other + 1), 0);
    cr_assert_eq(pf_cli_edit_distance(longest, other + 1), 64 + 63, "not compared");
    cr_assert_eq(pf_cli_edit_distance(longest, longest), 0);
    other[1] = 'b';
    cr_assert_eq(pf_cli_edit_distance(longest + 1, other + 1), 1);
    char option[67] = "--";
    for (size_t len = 62; len <= 64; len++) {
        memset(option + 2, 'x', len);
        option[2 + len] = '\0';
        cr_assert_eq(PARSE(option), PF_ERR_USAGE);
        cr_assert_eq(strncmp(error.text, "unknown option '--xxx", 21), 0);
    }
}

Test(suggest, the_nearest_counts_and_a_beginning_is_as_near_as_one_edit)
{
    pf_cli_suggest s = pf_cli_suggest_start("iter");
    pf_cli_suggest_offer(&s, "iterations");
    pf_cli_suggest_offer(&s, "inter");
    cr_assert_str_eq(s.best, "iterations", "the first of equals");
    s = pf_cli_suggest_start("iter");
    pf_cli_suggest_offer(&s, "inter");
    pf_cli_suggest_offer(&s, "iterations");
    cr_assert_str_eq(s.best, "inter");
    s = pf_cli_suggest_start("conver");
    pf_cli_suggest_offer(&s, "cover");
    pf_cli_suggest_offer(&s, "convxyr");
    cr_assert_str_eq(s.best, "cover");
    pf_cli_suggest_offer(&s, "conver");
    cr_assert_str_eq(s.best, "conver");
    s = pf_cli_suggest_start("i");
    pf_cli_suggest_offer(&s, "info");
    cr_assert_null(s.best, "one letter is no beginning");
}

Test(suggest, only_what_may_be_meant)
{
    pf_cli_suggest s = pf_cli_suggest_start("x");
    pf_cli_suggest_offer(&s, "m");
    cr_assert_null(s.best, "one letter for another says nothing");
    s = pf_cli_suggest_start("cnovert");
    pf_cli_suggest_offer(&s, "check");
    pf_cli_suggest_offer(&s, "convert");
    pf_cli_suggest_offer(&s, "info");
    cr_assert_str_eq(s.best, "convert");
    s = pf_cli_suggest_start("it");
    pf_cli_suggest_offer(&s, "iterations");
    cr_assert_str_eq(s.best, "iterations", "a beginning");
    char long_word[200];
    memset(long_word, 'a', sizeof long_word - 1);
    long_word[sizeof long_word - 1] = '\0';
    s = pf_cli_suggest_start(long_word);
    pf_cli_suggest_offer(&s, "aaa");
    cr_assert_null(s.best);
}
