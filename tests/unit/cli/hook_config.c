/* The keys of the hook's configuration: what they take, what is printed of them, where the file is looked for. */
#include <criterion/criterion.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/hook/config/hook_config.h"
#include "scratch.h"

static pf_hook_config config;
static pf_error error;

static void start(void)
{
    scratch_enter();
    pf_hook_config_init(&config);
    unsetenv("POSTFETTO_CONFIG");
}

static void finish(void)
{
    pf_hook_config_free(&config);
    scratch_leave();
}

TestSuite(hook_config, .init = start, .fini = finish);

static pf_status put(const char *name, const char *text)
{
    const pf_option *key = pf_hook_key_named(name);
    cr_assert_not_null(key, "%s", name);
    error = (pf_error){0};
    return pf_hook_config_set_text(&config, key, text, &error);
}

/* As an option of the command line. */
static void put_flag(const char *name, const char *text, bool first)
{
    pf_option_value value = {.s = {text, strlen(text)}};
    cr_assert_eq(pf_hook_config_set(&config, pf_hook_key_named(name), &value, first, &error), PF_OK);
}

static void expect_print(const char *wanted)
{
    pf_buffer b = {0};
    pf_hook_config_print(&config, &b);
    pf_buffer_put(&b, "", 1);
    cr_assert_str_eq(b.data, wanted, "%s", b.data);
    pf_buffer_free(&b);
}

#define NOTHING_SET                                                                                                    \
    "passes: []\nfail-if: []\nmatch: []\nenriched: yes\nhtml: yes\npictures: no\narchive: no\nnice: 0\ntimeout: "      \
    "0ms\nsettle: "                                                                                                    \
    "2000ms\nworkers: "                                                                                                \
    "1\nonce: no\n"                                                                                                    \
    "strict: no\n"

Test(hook_config, what_is_printed_by_default)
{
    expect_print("# no configuration file; defaults and flags\n" NOTHING_SET);
    config.file = strdup("/a/postfetto.yaml");
    expect_print("# from /a/postfetto.yaml\n" NOTHING_SET);
}

Test(hook_config, every_key_is_printed)
{
    static const char *const all[][2] = {
        {"passes", "aie --M 1 --match 'a b*' '--hwid=it'\\''s' --match=c"},
        {"pass", "gpu"},
        {"fail_if", "a\tb\"\\\x7f"},
        {"fail-if", "select 1"},
        {"match", "*.json"},
        {"out", "o"},
        {"in", "i"},
        {"enriched", "no"},
        {"html", "no"},
        {"archive", "yes"},
        {"keep", "slowest-step"},
        {"junit", "j.xml"},
        {"annotations", "github"},
        {"nice", "19"},
        {"timeout", "2m"},
        {"max_memory", "3K"},
        {"settle", "1500us"},
        {"workers", "64"},
        {"once", "yes"},
        {"strict", "on"},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        cr_assert_eq(put(all[i][0], all[i][1]), PF_OK, "%s: %s", all[i][0], error.text);
    }
    expect_print("# no configuration file; defaults and flags\n"
                 "passes:\n"
                 "  - name: 'aie'\n"
                 "    words:\n"
                 "      - '--M'\n"
                 "      - '1'\n"
                 "      - '--hwid=it''s'\n"
                 "    match:\n"
                 "      - 'a b*'\n"
                 "      - 'c'\n"
                 "  - name: 'gpu'\n"
                 "    words: []\n"
                 "    match: []\n"
                 "fail-if:\n"
                 "  - \"a\\x09b\\\"\\\\\\x7f\"\n"
                 "  - 'select 1'\n"
                 "match:\n"
                 "  - '*.json'\n"
                 "out: 'o'\n"
                 "in: 'i'\n"
                 "enriched: no\n"
                 "html: no\n"
                 "pictures: no\n"
                 "archive: yes\n"
                 "keep: 'slowest-step'\n"
                 "junit: 'j.xml'\n"
                 "annotations: 'github'\n"
                 "nice: 19\n"
                 "timeout: 120000ms\n"
                 "max-memory: 3072\n"
                 "settle: 2ms\n"
                 "workers: 64\n"
                 "once: yes\n"
                 "strict: yes\n");
}

Test(hook_config, words_of_a_flag)
{
    static const char *const yes[] = {"yes", "true", "on", "1"}, *const no[] = {"no", "false", "off", "0"};
    for (size_t i = 0; i < 4; i++) {
        cr_expect(put("once", yes[i]) == PF_OK && config.once, "%s", yes[i]);
        cr_expect(put("once", no[i]) == PF_OK && !config.once, "%s", no[i]);
        cr_expect(put("enriched", no[i]) == PF_OK && !config.enriched, "%s", no[i]);
        cr_expect(put("enriched", yes[i]) == PF_OK && config.enriched, "%s", yes[i]);
    }
    cr_assert_eq(put("strict", "maybe"), PF_ERR_USAGE);
    cr_assert_str_eq(error.text, "strict takes yes or no, not 'maybe'");
}

Test(hook_config, the_first_flag_of_a_list_replaces_what_the_file_said)
{
    cr_assert_eq(put("match", "a"), PF_OK);
    cr_assert_eq(put("match", "b"), PF_OK);
    cr_assert_eq(put("fail-if", "1"), PF_OK);
    cr_assert_eq(put("pass", "aie"), PF_OK);
    cr_assert_eq(put("out", "o"), PF_OK);
    cr_assert_eq(put("annotations", "github"), PF_OK);
    put_flag("match", "c", true);
    put_flag("match", "d", false);
    put_flag("pass", "gpu", true);
    put_flag("pass", "aie", false);
    put_flag("out", "p", true);
    put_flag("out", "q", false);
    put_flag("enriched", "no", true);
    put_flag("html", "no", true);
    expect_print(
        "# no configuration file; defaults and flags\n"
        "passes:\n"
        "  - name: 'gpu'\n    words: []\n    match: []\n"
        "  - name: 'aie'\n    words: []\n    match: []\n"
        "fail-if:\n  - '1'\nmatch:\n  - 'c'\n  - 'd'\nout: 'q'\nenriched: no\nhtml: no\npictures: no\narchive: "
        "no\nannotations: 'github'\n"
        "nice: 0\ntimeout: 0ms\nsettle: 2000ms\nworkers: 1\nonce: no\nstrict: no\n");
}

Test(hook_config, what_a_key_does_not_take)
{
    static const char *const rows[][3] = {
        {"pass", "", "pass: '' is not a pass and its options; a quote may be open"},
        {"pass", "aie 'x", "pass: 'aie 'x' is not a pass and its options; a quote may be open"},
        {"pass", "aei --M 1", "unknown pass 'aei'; 'postfetto analyze --list' shows the passes"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_assert_eq(put(rows[i][0], rows[i][1]), PF_ERR_USAGE);
        cr_assert_str_eq(error.text, rows[i][2], "%s", error.text);
    }
    cr_assert_eq(put("nice", "20"), PF_ERR_USAGE);
    cr_assert_eq(put("workers", "0"), PF_ERR_USAGE);
    cr_assert_eq(put("workers", "65"), PF_ERR_USAGE);
    cr_assert_eq(put("annotations", "gitlab"), PF_ERR_USAGE);
    expect_print("# no configuration file; defaults and flags\n" NOTHING_SET);
}

/* A --match without a glob is an option of the pass, which will refuse it. */
Test(hook_config, a_match_at_the_end_of_a_pass)
{
    cr_assert_eq(put("pass", "gpu --match"), PF_OK);
    cr_assert_eq(config.passes.at[0].match.count, 0);
    cr_assert_str_eq(config.passes.at[0].options.word[0], "--match");
}

Test(hook_config, names_of_keys)
{
    cr_assert_str_eq(pf_hook_key_named("max_memory")->name, "max-memory");
    cr_assert_str_eq(pf_hook_key_named("passes")->name, "pass");
    static const char *const unknown[] = {"", "max", "max-memory2", "max memory", "passe", "pass_"};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        cr_expect_null(pf_hook_key_named(unknown[i]), "%s", unknown[i]);
    }
}

Test(hook_config, names_of_traces)
{
    pf_hook_words globs = {0};
    cr_expect(pf_hook_matches(&globs, "a/b.json"));
    pf_hook_words_add(&globs, "*.txt");
    cr_expect_not(pf_hook_matches(&globs, "a/b.json"));
    pf_hook_words_add(&globs, "b.*");
    cr_expect(pf_hook_matches(&globs, "a/b.json"), "the name alone");
    cr_expect(pf_hook_matches(&globs, "b.json"));
    cr_expect_not(pf_hook_matches(&globs, "a/bb.json"), "the name as a whole");
    pf_hook_words_add(&globs, "a/?.json");
    cr_expect(pf_hook_matches(&globs, "a/c.json"), "with its folder");
    cr_expect_not(pf_hook_matches(&globs, "d/c.json"));
    pf_hook_words_free(&globs);
}

/* What is found for a folder, without the scratch folder in front, and what was passed over. */
static void expect_found(const char *folder, const char *wanted, const char *wanted_why)
{
    char root[PATH_MAX], why[PATH_MAX + 256];
    pf_buffer ignored = {0};
    char *found = pf_hook_config_find(folder, &ignored);
    cr_assert_not_null(realpath(".", root));
    if (wanted) {
        cr_assert_not_null(found, "%s", folder);
        cr_expect_str_eq(found + (strncmp(found, root, strlen(root)) == 0 ? strlen(root) : 0), wanted, "%s", found);
    } else {
        cr_expect_null(found, "%s", folder);
    }
    snprintf(why, sizeof why, "%s%s%s", wanted_why ? root : "", wanted_why ? wanted_why : "",
             wanted_why ? " and is not used; name it with --config if it is meant" : "");
    pf_buffer_put(&ignored, "", 1);
    cr_expect_str_eq(ignored.data, why, "%s", ignored.data);
    pf_buffer_free(&ignored);
    free(found);
}

Test(hook_config, where_a_file_is_looked_for)
{
    cr_assert(mkdir("a", 0777) == 0 && mkdir("a/b", 0777) == 0 && mkdir("a/b/c", 0777) == 0);
    expect_found("/", NULL, NULL);
    scratch_write("postfetto.yaml", "");
    cr_assert_eq(chmod("postfetto.yaml", 0644), 0);
    expect_found("a/b", "/postfetto.yaml", NULL);
    expect_found("nowhere", NULL, NULL);
    scratch_write("a/b/postfetto.yaml", "");
    cr_assert_eq(chmod("a/b/postfetto.yaml", 0644), 0);
    expect_found("a/b/c", "/a/b/postfetto.yaml", NULL);
    expect_found("a/b", "/a/b/postfetto.yaml", NULL);
    expect_found("a", "/postfetto.yaml", NULL);
    static const mode_t open_to_others[] = {0664, 0646};
    for (size_t i = 0; i < 2; i++) {
        cr_assert_eq(chmod("a/b/postfetto.yaml", open_to_others[i]), 0);
        expect_found("a/b/c", NULL, "/a/b/postfetto.yaml can be written by others");
    }
    cr_assert(unlink("a/b/postfetto.yaml") == 0 && mkdir("a/b/postfetto.yaml", 0755) == 0);
    expect_found("a/b/c", NULL, "/a/b/postfetto.yaml is not a regular file");
    setenv("POSTFETTO_CONFIG", "any/file", 1);
    expect_found("a/b/c", "any/file", NULL);
    setenv("POSTFETTO_CONFIG", "", 1);
    expect_found("a", "/postfetto.yaml", NULL);
}

/* root may give a file away; who is not root cannot try this. */
Test(hook_config, the_file_of_somebody_else)
{
    scratch_write("postfetto.yaml", "");
    cr_assert_eq(chmod("postfetto.yaml", 0644), 0);
    if (geteuid() == 0) {
        cr_assert_eq(chown("postfetto.yaml", 65534, 65534), 0);
        expect_found(".", NULL, "/postfetto.yaml belongs to somebody else");
        cr_assert(chown("postfetto.yaml", 0, 0) == 0 && chmod(".", 0755) == 0 && seteuid(65534) == 0);
        expect_found(".", "/postfetto.yaml", NULL);
        cr_assert_eq(seteuid(0), 0);
    }
}
