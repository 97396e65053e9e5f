/* Configuration files of the hook: all ways to write a pass, lists and single values, and what is refused with its
 * line. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/hook/config/hook_config.h"
#include "scratch.h"

static pf_hook_config config;
static pf_error error;

static void finish(void)
{
    pf_hook_config_free(&config);
    scratch_leave();
}

TestSuite(hook_file, .init = scratch_enter, .fini = finish);

static pf_status load(const char *text)
{
    scratch_write("c.yaml", text);
    pf_hook_config_free(&config);
    pf_hook_config_init(&config);
    error = (pf_error){.offset = PF_NOWHERE, .packet = PF_NOWHERE};
    return pf_hook_config_load(&config, "c.yaml", &error);
}

/* The passes: name, options after a blank each, globs after a ~ each, and a | at the end. */
static void expect_passes(const char *yaml, const char *wanted)
{
    pf_buffer found = {0};
    cr_expect_eq(load(yaml), PF_OK, "%s: %s", yaml, error.text);
    for (size_t i = 0; i < config.passes.count; i++) {
        const pf_hook_pass *p = &config.passes.at[i];
        pf_buffer_text(&found, p->pass->name);
        for (size_t k = 0; k < p->options.count; k++) {
            pf_buffer_format(&found, " %s", p->options.word[k]);
        }
        for (size_t k = 0; k < p->match.count; k++) {
            pf_buffer_format(&found, "~%s", p->match.word[k]);
        }
        pf_buffer_text(&found, "|");
    }
    pf_buffer_put(&found, "", 1);
    cr_expect_str_eq(found.data, wanted, "%s: %s", yaml, found.data);
    pf_buffer_free(&found);
}

Test(hook_file, ways_to_write_a_pass)
{
    expect_passes("passes: gpu", "gpu|");
    expect_passes("pass: gpu --json\n", "gpu --json|");
    expect_passes("passes: [gpu, aie --M 1]", "gpu|aie --M 1|");
    expect_passes("passes: {gpu: }", "gpu|");
    expect_passes("passes:\n  aie: {M: 1, hwid: it's a}\n  gpu: {}\n", "aie --M=1 --hwid=it's a|gpu|");
    expect_passes("passes:\n  - aie: {drop-empty: yes}\n  - aie: {drop-empty: on, K: 2}\n  - aie: {drop-empty: true}\n",
                  "aie --drop-empty|aie --drop-empty --K=2|aie --drop-empty|");
    expect_passes("passes:\n  - aie: {drop-empty: no}\n  - aie: {drop-empty: off}\n  - aie: {drop-empty: false}\n",
                  "aie|aie|aie|");
    expect_passes("passes: {aie: {M: [1, 2]}}", "aie --M=1 --M=2|");
    expect_passes("passes: {name: aie}", "aie|");
    expect_passes("passes: {match: a*, name: aie, words: [--M, 1 2], options: {K: 3}}", "aie --M 1 2 --K=3~a*|");
    expect_passes("passes:\n  - {name: aie, match: [a, 'b c'], words: --N=4}\n", "aie --N=4~a~b c|");
}

Test(hook_file, lists_and_single_values)
{
    cr_assert_eq(load("match: one\nfail_if: [1, '2']\nnice: 3\nstrict: yes\n"), PF_OK);
    cr_assert_eq(config.match.count, 1);
    cr_assert_str_eq(config.match.word[0], "one");
    cr_assert_eq(config.fail_if.count, 2);
    cr_assert_str_eq(config.fail_if.word[0], "1");
    cr_assert_str_eq(config.fail_if.word[1], "2");
    cr_assert_eq(config.nice, 3);
    cr_assert(config.strict);
}

Test(hook_file, files_that_set_nothing)
{
    static const char *const empty[] = {"", "# a comment\n", "---\n", "''\n", "{}\n"};
    for (size_t i = 0; i < sizeof empty / sizeof *empty; i++) {
        cr_expect_eq(load(empty[i]), PF_OK, "%s", empty[i]);
        cr_expect_eq(config.passes.count, 0);
    }
}

Test(hook_file, what_is_refused)
{
    static const char *const rows[][2] = {
        {"nice: 1\nniec: 2\n", "line 2: unknown key 'niec'; 'postfetto hook --help' lists the keys as options"},
        {"[a]: 2\n", "line 1: unknown key '?'; 'postfetto hook --help' lists the keys as options"},
        {"text\n", "line 1: the file must be a mapping of keys to values"},
        {"- a\n", "line 1: the file must be a mapping of keys to values"},
        {"\nnice: [1, 2]\n", "line 2: a single value belongs here"},
        {"out: {a: b}\n", "line 1: a single value belongs here"},
        {"match: {a: b}\n", "line 1: a value or a list of values belongs here"},
        {"match:\n  - a\n  - [b]\n", "line 3: a single value belongs here"},
        {"strict: 3\n", "line 1: strict takes yes or no, not '3'"},
        {"\n\npasses: aei\n", "line 3: unknown pass 'aei'; 'postfetto analyze --list' shows the passes"},
        {"passes: [gpu, [gpu]]\n", "line 1: a pass is 'NAME OPTIONS' or a mapping with its name"},
        {"passes:\n  aei: {}\n", "line 2: unknown pass 'aei'; 'postfetto analyze --list' shows the passes"},
        {"passes:\n  [gpu]: {}\n", "line 2: unknown pass '?'; 'postfetto analyze --list' shows the passes"},
        {"passes:\n  - name: aei\n", "line 2: unknown pass 'aei'; 'postfetto analyze --list' shows the passes"},
        {"passes:\n  - name: [gpu]\n", "line 2: unknown pass '?'; 'postfetto analyze --list' shows the passes"},
        {"passes:\n  aie: 3\n", "line 2: options are a mapping of names to values"},
        {"passes:\n  aie:\n    M: 1\n    Q: 2\n",
         "line 4: 'Q' is not an option of aie; 'postfetto analyze aie --help' lists them"},
        {"passes: {aie: {[M]: 1}}\n", "line 1: '?' is not an option of aie; 'postfetto analyze aie --help' lists them"},
        {"passes: {aie: {drop-empty: maybe}}\n", "line 1: this option takes yes or no"},
        {"passes: {aie: {M: {a: b}}}\n", "line 1: a value or a list of values belongs here"},
        {"passes:\n  name: aie\n  option: {}\n",
         "line 3: a pass has no 'option'; it has name, options, words and match"},
        {"passes: {name: aie, [match]: a}\n", "line 1: a pass has no '?'; it has name, options, words and match"},
        {"passes: {name: aie, match: [[a]]}\n", "line 1: a single value belongs here"},
        {"passes: \"aie 'x\"\n", "line 1: pass: 'aie 'x' is not a pass and its options; a quote may be open"},
        {"nice: 1\npasses: [\n", "line 3: did not find expected node content"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_expect_eq(load(rows[i][0]), PF_ERR_USAGE, "%s", rows[i][0]);
        cr_expect_str_eq(error.text, rows[i][1], "%s: %s", rows[i][0], error.text);
    }
    cr_assert_eq(pf_hook_config_load(&config, "nowhere.yaml", &error), PF_ERR_INPUT);
    cr_assert_str_eq(error.text, "cannot be read: No such file or directory");
}
