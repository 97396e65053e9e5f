/* One trace while a hook works at it: names of outputs, lock, hash and key, whether the outputs are there already, how
 * a child ended, which passes are wanted and who judges thresholds. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "cli/common/command.h"
#include "cli/hook/config/hook_config.h"
#include "cli/hook/hook.h"
#include "cli/hook/hook_work.h"
#include "cli/thresholds/thresholds.h"
#include "scratch.h"

static pf_hook_config config;
static pf_hook_result result;
static pf_hook_work work;

static void begin(const char *path)
{
    pf_hook_report_free(&work.report);
    result = (pf_hook_result){.outcome = PF_HOOK_DONE};
    work = (pf_hook_work){.config = &config, .path = path, .lock_fd = -1, .result = &result};
    cr_assert(pf_hook_report_begin(&work.report));
}

static void start(void)
{
    scratch_enter();
    pf_hook_config_init(&config);
    begin("t.json");
}

static void finish(void)
{
    pf_hook_report_free(&work.report);
    pf_hook_config_free(&config);
    scratch_leave();
}

TestSuite(hook_work, .init = start, .fini = finish);

static void put(const char *key, const char *text)
{
    pf_error err = {0};
    cr_assert_eq(pf_hook_config_set_text(&config, pf_hook_key_named(key), text, &err), PF_OK, "%s", err.text);
}

Test(hook_work, names_of_outputs)
{
    static const struct {
        const char *path, *out, *folder, *base;
    } rows[] = {
        {"t.json", NULL, ".", "t.json"},     {"a/b/t.json", NULL, "a/b", "t.json"},  {"/t.json", NULL, "/", "t.json"},
        {"/a/t.json", NULL, "/a", "t.json"}, {"a/b/t.json", "o/p", "o/p", "t.json"}, {"t.json", "o", "o", "t.json"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char expected[64];
        begin(rows[i].path);
        config.out = rows[i].out ? strdup(rows[i].out) : NULL;
        cr_assert(pf_hook_make_names(&work));
        cr_expect_str_eq(work.folder, rows[i].folder, "%s: %s", rows[i].path, work.folder);
        cr_expect_str_eq(work.base, rows[i].base);
        const char *const names[][3] = {{work.json, "", ".report.json"}, {work.markdown, "", ".report.md"},
                                        {work.html, "", ".report.html"}, {work.enriched, "", ".enriched.pftrace"},
                                        {work.reports, "", ".reports"},  {work.lock, ".", ".postfetto-lock"}};
        for (size_t k = 0; k < 6; k++) {
            snprintf(expected, sizeof expected, "%s/%s%s%s", rows[i].folder, names[k][1], rows[i].base, names[k][2]);
            cr_expect_str_eq(names[k][0], expected, "%s", names[k][0]);
        }
        free(config.out);
        config.out = NULL;
    }
    begin("t.json");
}

Test(hook_work, a_lock_is_taken_once)
{
    pf_hook_result other_result = {.outcome = PF_HOOK_DONE};
    config.out = strdup("made/by/it");
    cr_assert(pf_hook_make_names(&work));
    pf_hook_work other = work;
    other.result = &other_result;
    cr_assert(pf_hook_take_lock(&work));
    cr_assert_eq(access("made/by/it/.t.json.postfetto-lock", F_OK), 0);
    cr_assert_not(pf_hook_take_lock(&other));
    cr_expect_eq(other_result.outcome, PF_HOOK_BUSY);
    cr_expect_str_eq(other_result.text, "another hook is working at it");
    cr_expect_eq(other.lock_fd, -1);
    pf_hook_leave_lock(&other);
    cr_expect_eq(access("made/by/it/.t.json.postfetto-lock", F_OK), 0, "it is not the other's");
    pf_hook_leave_lock(&work);
    cr_expect_neq(access("made/by/it/.t.json.postfetto-lock", F_OK), 0);
    cr_expect_eq(fcntl(work.lock_fd, F_GETFD), -1, "it is closed");
    cr_assert(pf_hook_take_lock(&other));
    pf_hook_leave_lock(&other);
}

Test(hook_work, folders_that_take_no_lock)
{
    static const char *const rows[][2] = {
        {"file/deep", "file/deep cannot be created: Not a directory; name another folder with --out"},
        {"file", "file cannot be created: Not a directory; name another folder with --out"},
    };
    scratch_write("file", "x");
    for (size_t i = 0; i < 2; i++) {
        begin("t.json");
        config.out = strdup(rows[i][0]);
        cr_assert(pf_hook_make_names(&work) && !pf_hook_take_lock(&work));
        cr_expect_eq(result.outcome, PF_HOOK_FAILED);
        cr_expect_eq(result.code, PF_CLI_OUTPUT);
        cr_expect_str_eq(result.text, rows[i][1], "%s", result.text);
        free(config.out);
        config.out = NULL;
    }
    begin("d/t.json");
    cr_assert(pf_hook_make_names(&work) && !pf_hook_take_lock(&work), "without --out no folder is made");
    cr_expect_neq(access("d", F_OK), 0);
    cr_expect_str_eq(result.text, "nothing can be written to d: No such file or directory; name a folder with --out");
}

/* XXH3 of "abc" and of nothing, with 128 bits: test vectors that xxhsum -H2 prints, too. */
Test(hook_work, the_hash_of_the_bytes)
{
    scratch_write("t.json", "abc");
    cr_assert(pf_hook_hash_input(&work));
    cr_expect_str_eq(work.report.hash, "06b05ab6733a618578af5f94892f3950", "%s", work.report.hash);
    cr_expect_eq(work.report.bytes, 3);
    begin("empty");
    scratch_write("empty", "");
    cr_assert(pf_hook_hash_input(&work));
    cr_expect_str_eq(work.report.hash, "99aa06d3014798d86001c324468d497f", "%s", work.report.hash);
    cr_expect_eq(work.report.bytes, 0);
    begin("/dev/null");
    cr_assert_not(pf_hook_hash_input(&work));
    cr_expect_eq(result.code, PF_CLI_INPUT);
    cr_expect_str_eq(result.text, "is not a regular file");
    begin("nowhere");
    cr_assert_not(pf_hook_hash_input(&work));
    cr_expect_eq(result.code, PF_CLI_INPUT);
    cr_expect_str_eq(result.text, "cannot be opened: No such file or directory");
}

/* More than one step of reading: the hash is that of the whole. */
Test(hook_work, the_hash_of_a_large_file)
{
    enum { BYTES = (1 << 20) + 5 };
    char *text = malloc(BYTES), whole[33];
    memset(text, 'a', BYTES);
    text[BYTES - 1] = 'b';
    FILE *f = fopen("t.json", "w");
    cr_assert(f && fwrite(text, 1, BYTES, f) == BYTES && fclose(f) == 0);
    cr_assert(pf_hook_hash_input(&work));
    cr_expect_eq(work.report.bytes, BYTES);
    XXH128_hash_t hash = XXH3_128bits(text, BYTES);
    snprintf(whole, sizeof whole, "%016" PRIx64 "%016" PRIx64, hash.high64, hash.low64);
    cr_expect_str_eq(work.report.hash, whole);
    free(text);
}

static void make_key(char key[33])
{
    cr_assert(pf_hook_make_key(&work));
    memcpy(key, work.report.key, 33);
    cr_expect_eq(strlen(key), 32);
}

/* What changes the outputs changes the key, and nothing else does. */
Test(hook_work, the_key_of_what_is_asked_for)
{
    static const struct {
        const char *key, *text;
        bool changes;
    } rows[] = {{"pass", "gpu", true},   {"fail-if", "1", true},         {"max-memory", "1G", true},
                {"timeout", "2m", true}, {"strict", "yes", true},        {"enriched", "no", true},
                {"html", "no", true},    {"keep", "slowest-step", true}, {"match", "*.json", false},
                {"nice", "3", false},    {"workers", "4", false},        {"settle", "9s", false},
                {"once", "yes", false},  {"junit", "j.xml", false},      {"annotations", "github", false},
                {"out", "o", false}};
    char first[33], key[33];
    work.base = "t.json";
    make_key(first);
    make_key(key);
    cr_expect_str_eq(key, first);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        pf_hook_config_free(&config);
        pf_hook_config_init(&config);
        put(rows[i].key, rows[i].text);
        make_key(key);
        cr_expect_eq(strcmp(key, first) != 0, rows[i].changes, "%s", rows[i].key);
    }
    pf_hook_config_free(&config);
    pf_hook_config_init(&config);
    memset(work.report.hash, 'a', 32);
    make_key(key);
    cr_expect_str_neq(key, first, "other bytes");
    memset(work.report.hash, 0, 33);
    work.base = "u.json";
    make_key(key);
    cr_expect_str_neq(key, first, "another name");
}

#define KEY "0123456789abcdef0123456789abcdef"

Test(hook_work, outputs_that_are_there)
{
    static const struct {
        const char *report;
        bool markdown, drawn, done;
        int code;
        const char *text;
    } rows[] = {
        {"{\n  \"postfetto.key\": \"" KEY "\",\n  \"status\": \"done\",\n  \"enriched\": null\n}\n", true, false, true,
         0, "skipped: t.json.report.json is up to date"},
        {"{\n  \"postfetto.key\": \"" KEY "\",\n  \"status\": \"finding\",\n  \"enriched\": null\n}\n", true, false,
         true, 1, "skipped: t.json.report.json is up to date and has findings"},
        {"{\n  \"postfetto.key\": \"" KEY "\",\n  \"status\": \"failed\",\n  \"enriched\": null\n}\n", true, true,
         false, 0, ""},
        {"{\n  \"postfetto.key\": \"" KEY "\",\n  \"status\": \"done\",\n  \"enriched\": null\n}\n", false, true, false,
         0, ""},
        {"{\n  \"postfetto.key\": \"" KEY "\",\n  \"status\": \"done\",\n  \"enriched\": \"e\"\n}\n", true, false,
         false, 0, ""},
        {"{\n  \"postfetto.key\": \"" KEY "\",\n  \"status\": \"done\",\n  \"enriched\": \"e\"\n}\n", true, true, true,
         0, "skipped: t.json.report.json is up to date"},
        {"{\n  \"postfetto.key\": \"" KEY "\",\n  \"status\": \"done\",\n  \"enriched\": null,\n  \"html\": \"h\"\n}\n",
         true, true, false, 0, ""},
        {"{\n  \"postfetto.key\": \"" KEY
         "\",\n  \"status\": \"done\",\n  \"enriched\": null,\n  \"slowest_step\": null\n}\n",
         true, false, true, 0, "skipped: t.json.report.json is up to date"},
        {"{\n  \"postfetto.key\": \"" KEY
         "\",\n  \"status\": \"done\",\n  \"enriched\": null,\n  \"slowest_step\": \"p\"\n}\n",
         true, false, false, 0, ""},
        {"{\n  \"postfetto.key\": \"" KEY "0\",\n  \"status\": \"done\",\n  \"enriched\": null\n}\n", true, true, false,
         0, ""},
        {"{\n  \"postfetto.key\": \"1123456789abcdef0123456789abcdef\",\n  \"status\": \"done\",\n  \"enriched\": "
         "null\n}\n",
         true, true, false, 0, ""},
        {"{\n  \"status\": \"done\",\n  \"enriched\": null\n}\n", true, true, false, 0, ""},
        {"", true, true, false, 0, ""},
        {NULL, true, true, false, 0, ""},
    };
    cr_assert(pf_hook_make_names(&work));
    memcpy(work.report.key, KEY, 33);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        result = (pf_hook_result){.outcome = PF_HOOK_DONE};
        unlink(work.json), unlink(work.markdown), unlink(work.enriched);
        if (rows[i].report) {
            scratch_write(work.json, rows[i].report);
        }
        if (rows[i].markdown) {
            scratch_write(work.markdown, "");
        }
        if (rows[i].drawn) {
            scratch_write(work.enriched, "");
        }
        cr_expect_eq(pf_hook_is_done(&work), rows[i].done, "row %zu", i);
        cr_expect_eq(result.outcome, rows[i].done ? PF_HOOK_SKIPPED : PF_HOOK_DONE, "row %zu", i);
        cr_expect_eq(result.code, rows[i].code, "row %zu", i);
        cr_expect_str_eq(result.text, rows[i].text, "row %zu: %s", i, result.text);
    }
}

/* A trace that is gone, with a report of its part; of anything else it is not so. */
Test(hook_work, a_part_that_was_kept)
{
    static const struct {
        const char *report;
        bool trace, part, kept;
        int code;
        const char *text;
    } rows[] = {
        {"{\"status\": \"done\", \"slowest_step\": \"p\"}", false, true, true, 0,
         "skipped: its slowest step is kept, ./p"},
        {"{\"status\": \"finding\", \"slowest_step\": \"p\"}", false, true, true, 1,
         "skipped: its slowest step is kept, ./p, and has findings"},
        {"{\"status\": \"done\", \"slowest_step\": \"p\"}", true, true, false, 0, ""},
        {"{\"status\": \"done\", \"slowest_step\": \"p\"}", false, false, false, 0, ""},
        {"{\"status\": \"done\", \"slowest_step\": null}", false, true, false, 0, ""},
        {"{\"status\": \"done\"}", false, true, false, 0, ""},
        {"{", false, true, false, 0, ""},
        {NULL, false, true, false, 0, ""},
    };
    cr_assert(pf_hook_make_names(&work));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        result = (pf_hook_result){.outcome = PF_HOOK_DONE};
        unlink(work.json), unlink(work.path), unlink("p");
        if (rows[i].report) {
            scratch_write(work.json, rows[i].report);
        }
        if (rows[i].trace) {
            scratch_write(work.path, "");
        }
        if (rows[i].part) {
            scratch_write("p", "");
        }
        cr_expect_eq(pf_hook_is_kept(&work), rows[i].kept, "row %zu", i);
        cr_expect_eq(result.outcome, rows[i].kept ? PF_HOOK_SKIPPED : PF_HOOK_DONE, "row %zu", i);
        cr_expect_eq(result.code, rows[i].code, "row %zu", i);
        cr_expect_str_eq(result.text, rows[i].text, "row %zu: %s", i, result.text);
    }
}

/* A child with this status and these messages: whether it is good enough, and what is noted. */
static void expect_judged(pf_hook_child child, const char *messages, int good, int code, const char *text)
{
    result = (pf_hook_result){.outcome = PF_HOOK_DONE};
    pf_buffer_text(&child.err, messages);
    cr_expect_eq(pf_hook_judge(&work, "check", &child, good), !*text, "%s", text);
    cr_expect_eq(result.outcome, *text ? PF_HOOK_FAILED : PF_HOOK_DONE);
    cr_expect_eq(result.code, code, "%d, not %d", result.code, code);
    cr_expect_str_eq(result.text, text, "%s", result.text);
    pf_buffer_free(&child.err);
}

Test(hook_work, how_a_child_ended)
{
    config.timeout = 1.5;
    expect_judged((pf_hook_child){.code = 0}, "", 0, 0, "");
    expect_judged((pf_hook_child){.code = 1}, "", 1, 0, "");
    expect_judged((pf_hook_child){.code = 1}, "a word", 0, 1, "a word");
    expect_judged((pf_hook_child){.code = 3}, "postfetto: t.json: is not a trace\n", 1, 3, "is not a trace");
    expect_judged((pf_hook_child){.code = 3}, "first\npostfetto: last one\n\n", 1, 3, "last one");
    expect_judged((pf_hook_child){.code = 3}, "t.json: x", 1, 3, "x");
    expect_judged((pf_hook_child){.code = 3}, "postfetto: t.jsonx: y", 1, 3, "t.jsonx: y");
    expect_judged((pf_hook_child){.code = 3}, "postfetto: u.json: y", 1, 3, "u.json: y");
    expect_judged((pf_hook_child){.code = 128}, "m", 1, 128, "m");
    expect_judged((pf_hook_child){.code = 139}, "m", 1, 70, "check was ended by signal 11");
    expect_judged((pf_hook_child){.code = 143, .timed_out = true}, "m", 1, 124,
                  "check was stopped after 1.5 s (--timeout)");
    expect_judged((pf_hook_child){.code = -1, .start_errno = EAGAIN}, "", 1, 5,
                  "check cannot be started: Resource temporarily unavailable");
    expect_judged((pf_hook_child){.code = 143, .cancelled = true, .timed_out = true}, "", 1, 0, "stopped by a signal");
}

Test(hook_work, a_child_that_fails_without_a_word)
{
    pf_hook_child child = {.code = 3};
    pf_buffer_text(&child.err, "\n\n");
    cr_expect_not(pf_hook_judge(&work, "check", &child, 1));
    cr_expect_eq(result.code, 3);
    cr_expect_str_eq(result.text, "");
    pf_buffer_free(&child.err);
}

Test(hook_work, only_the_first_failure_is_noted)
{
    cr_assert_not(pf_hook_fail(&work, 3, "one %d", 1));
    cr_assert_not(pf_hook_fail(&work, 4, "two"));
    cr_expect_str_eq(result.text, "one 1");
    cr_expect_eq(result.code, 3);
    cr_expect_eq(result.outcome, PF_HOOK_FAILED);
}

/* The words of a list with a | after each. */
static void expect_words(const pf_hook_words *words, const char *wanted)
{
    pf_buffer b = {0};
    for (size_t i = 0; i < words->count; i++) {
        pf_buffer_format(&b, "%s|", words->word[i]);
    }
    pf_buffer_put(&b, "", 1);
    cr_expect_str_eq(b.data, wanted, "%s", b.data);
    pf_buffer_free(&b);
}

/* The same of a list of texts, or of names with their reasons. */
static void expect_texts(const pf_node *list, const char *wanted)
{
    pf_buffer b = {0};
    for (const pf_node *n = list->first; n; n = n->next) {
        for (const pf_node *text = n->type == PF_NODE_OBJECT ? n->first : n; text; text = text->next) {
            pf_buffer_format(&b, "%s|", text->as.s.ptr);
            if (n->type != PF_NODE_OBJECT) {
                break;
            }
        }
    }
    pf_buffer_put(&b, "", 1);
    cr_expect_str_eq(b.data, wanted, "%s", b.data);
    pf_buffer_free(&b);
}

static const pf_node *parse(const char *json)
{
    return pf_hook_printed(&work, &(pf_buffer){.data = (char *)(uintptr_t)json, .len = strlen(json)});
}

Test(hook_work, passes_that_fit)
{
    static const char text[] = "{\n  \"file\": \"gpu\",\n  \"passes\": [\n    \"aie\",\n    \"tinygrad\"\n  ],\n  "
                               "\"names\": [\n    \"aiu\"\n  ]\n}\n";
    const pf_node *info = parse(text);
    cr_expect(pf_hook_fits(info, "aie"));
    cr_expect(pf_hook_fits(info, "tinygrad"));
    static const char *const others[] = {"gpu", "aiu", "tiny", "ai", "", "tinygrad2"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        cr_expect_not(pf_hook_fits(info, others[i]), "%s", others[i]);
    }
    cr_expect_not(pf_hook_fits(parse("{\n  \"passes\": []\n}\n"), "aie"));
    cr_expect_not(pf_hook_fits(parse("{}\n"), "aie"));
    cr_expect_not(pf_hook_fits(parse("no document"), "aie"));
}

Test(hook_work, why_a_pass_does_not_run)
{
    static const char needs[] = "missing options: --M, --K, --N, --row, --col, --warmup, --iterations";
    work.report.info = parse("{\n  \"passes\": [\n    \"aie\",\n    \"gpu\"\n  ]\n}\n");
    put("pass", "gpu --match *.txt");
    put("pass", "aiu");
    put("pass", "aie");
    put("pass", "gpu --match t.*");
    put("pass", "aie --M 1 --K=2 --N 3 --row 1 --col 2 --warmup 1 --iterations 4");
    put("pass", "aie --M 1 --Kay=2 --N 3 --row 1 -col 2 --warmup 1 --iteration 4");
    static const bool wanted[] = {false, false, false, true, true, false};
    for (size_t i = 0; i < 6; i++) {
        cr_expect_eq(pf_hook_is_wanted(&work, &config.passes.at[i]), wanted[i], "%zu", i);
    }
    pf_buffer b = {0};
    pf_buffer_format(&b,
                     "gpu|the name of the trace does not match|aiu|does not fit this trace|aie|%s|aie|missing options: "
                     "--K, --col, --iterations|",
                     needs);
    pf_buffer_put(&b, "", 1);
    expect_texts(work.report.not_run, b.data);
    pf_buffer_free(&b);
    const pf_hook_passes made = pf_hook_default_passes(&work);
    cr_expect_eq(made.count, 2, "those that fit");
    for (size_t i = 0; i < made.count; i++) {
        cr_expect(pf_hook_fits(work.report.info, made.at[i].pass->name));
    }
}

/* Thresholds of the trace alone go to nobody's pass; those over the tables of a pass to the first one that runs. */
Test(hook_work, who_judges)
{
    put("pass", "aie");
    put("pass", "gpu");
    put("pass", "aie");
    put("fail-if", "select count(*) > 3 from slice");
    put("fail-if", "select count(*) > 0 from aie_cores");
    put("fail-if", "0");
    bool running[] = {true, true, true};
    cr_assert(pf_hook_choose_judges(&work, &config.passes, running));
    cr_expect(work.judge[0] == 0 && work.judge[1] == 0 && work.judge[2] == 0);
    running[0] = false;
    cr_assert(pf_hook_choose_judges(&work, &config.passes, running));
    cr_expect(work.judge[0] == 1 && work.judge[1] == 2 && work.judge[2] == 1);
    running[1] = running[2] = false;
    cr_assert(pf_hook_choose_judges(&work, &config.passes, running));
    cr_expect(work.judge[0] == 3 && work.judge[1] == -1 && work.judge[2] == 3);
    expect_texts(work.report.findings,
                 "--fail-if 'select count(*) > 0 from aie_cores' measured nothing: no such table: "
                 "aie_cores; there are args, counter, counters, cpu, flow, gpu, instant, machine, metadata, process, "
                 "raw, sched, slice, slices, state, stats, thread, track and others (SELECT name FROM sqlite_master)|");
    cr_expect_eq(result.outcome, PF_HOOK_FINDING);
    cr_expect_eq(result.code, PF_CLI_FINDING);
    pf_hook_words words = {0};
    cr_expect_eq(pf_hook_add_thresholds(&work, &words, 3), 2);
    expect_words(&words, "--fail-if|select count(*) > 3 from slice|--fail-if|0|--hook-passed|");
    pf_hook_words_free(&words);
    put("junit", "j.xml");
    put("annotations", "github");
    cr_expect_eq(pf_hook_add_thresholds(&work, &words, -1), 1);
    expect_words(&words,
                 "--fail-if|select count(*) > 0 from aie_cores|--junit|j.xml|--annotations|github|--hook-passed|");
    pf_hook_words_free(&words);
    cr_expect_eq(pf_hook_add_thresholds(&work, &words, 2), 0);
    expect_words(&words, "");
    /* JUnit is one file: one judge writes it. */
    result = (pf_hook_result){.outcome = PF_HOOK_DONE};
    running[2] = true;
    put("fail-if", "select count(*) > 9 from slice");
    cr_expect(pf_hook_choose_judges(&work, &config.passes, running), "all go to one pass");
    put("fail-if", "select count(*) > 0 from gpu_summary");
    running[1] = true;
    pf_error err;
    cr_assert_eq(pf_hook_threshold_judge("select 1 from slice", &config.passes, running, &err), 1);
    cr_expect_not(pf_hook_choose_judges(&work, &config.passes, running));
    cr_expect_str_eq(result.text, "--junit takes the thresholds of one pass, these ask for tables of several", "%s",
                     result.text);
}

static const pf_node *lines_of(const char *text)
{
    return pf_hook_lines(&work, &(pf_buffer){.data = (char *)(uintptr_t)text, .len = strlen(text)});
}

Test(hook_work, what_is_noted_of_thresholds)
{
    pf_hook_note_findings(
        &work,
        lines_of("postfetto: --fail-if 'a' is true\nnothing of this\n--fail-if 'b' is true\n\npostfetto: other"));
    expect_texts(work.report.findings, "--fail-if 'a' is true|--fail-if 'b' is true|");
    cr_expect_eq(result.outcome, PF_HOOK_FINDING);
    cr_expect_eq(result.code, PF_CLI_FINDING);
    result = (pf_hook_result){.outcome = PF_HOOK_FAILED, .code = 5};
    pf_hook_note_findings(&work, lines_of("x --fail-if y"));
    expect_texts(work.report.findings, "--fail-if 'a' is true|--fail-if 'b' is true|x --fail-if y|");
    cr_expect_eq(result.outcome, PF_HOOK_FAILED, "a failure stays one");
    cr_expect_eq(result.code, 5);
    pf_hook_note_findings(&work, NULL);
}

Test(hook_work, lines_that_a_child_printed)
{
    expect_texts(lines_of(""), "");
    expect_texts(lines_of("\n"), "|");
    expect_texts(lines_of("a\n\nb"), "a||b|");
    expect_texts(lines_of("a\n"), "a|");
}

Test(hook_work, words_of_a_pass)
{
    pf_hook_words words = {0};
    cr_assert(pf_hook_make_names(&work));
    put("pass", "aie --M 1");
    const pf_hook_pass *runs[] = {&config.passes.at[0]};
    work.runs = runs;
    work.run_count = 1;
    pf_hook_pass_words(&work, &words, 0, 0, "f", false);
    expect_words(&words, "analyze|aie|--M|1|--no-progress|--json|--report|f|--html=./t.json.report.html|--|t.json|");
    pf_hook_words_free(&words);
    put("max-memory", "3K");
    pf_hook_pass_words(&work, &words, 0, 0, "f", true);
    expect_words(&words,
                 "analyze|aie|--M|1|--no-progress|--max-memory|3072|--json|--report|f|-o|./t.json.enriched.pftrace|"
                 "--html=./t.json.report.html|--|t.json|");
    pf_hook_words_free(&words);
}

Test(hook_work, reports_are_listed_by_name)
{
    cr_assert(pf_hook_make_names(&work));
    cr_assert(mkdir("r", 0777) == 0 && mkdir("r/folder", 0777) == 0);
    static const char *const names[] = {"r/b.json", "r/a.csv", "r/.hidden", "r/c.md", "r/B.txt"};
    for (size_t i = 0; i < 5; i++) {
        scratch_write(names[i], "x");
    }
    pf_node *list = pf_node_root(work.report.all, PF_NODE_LIST);
    cr_assert(pf_hook_list_reports(&work, list, "./r"));
    expect_texts(list, "r/B.txt|r/a.csv|r/b.json|r/c.md|");
    list = pf_node_root(work.report.all, PF_NODE_LIST);
    cr_assert(pf_hook_list_reports(&work, list, "./nowhere"));
    expect_texts(list, "");
}

Test(hook_work, thresholds_that_are_tried_first)
{
    pf_error err;
    cr_expect_eq(pf_hook_thresholds_check(&config, &err), PF_OK);
    put("fail-if", "select count(*) > 0 from aie_cores");
    cr_expect_eq(pf_hook_thresholds_check(&config, &err), PF_OK, "some pass has that table");
    put("pass", "gpu");
    cr_expect_eq(pf_hook_thresholds_check(&config, &err), PF_ERR_USAGE, "none of those that are configured");
    const char *said =
        "--fail-if 'select count(*) > 0 from aie_cores': no such table: aie_cores; there are gpu_devices, ";
    cr_expect_eq(strncmp(err.text, said, strlen(said)), 0, "%s", err.text);
    put("pass", "aie");
    cr_expect_eq(pf_hook_thresholds_check(&config, &err), PF_OK);
    put("fail-if", "select 1 from");
    cr_expect_eq(pf_hook_thresholds_check(&config, &err), PF_ERR_USAGE);
    for (size_t i = 0; i < 2; i++) {
        pf_hook_config_free(&config);
        pf_hook_config_init(&config);
        put(i ? "junit" : "annotations", i ? "j.xml" : "github");
        cr_expect_eq(pf_hook_thresholds_check(&config, &err), PF_ERR_USAGE);
        cr_expect_str_eq(err.text, "--annotations and --junit report thresholds; add --fail-if");
        put("fail-if", "0");
        cr_expect_eq(pf_hook_thresholds_check(&config, &err), PF_OK);
    }
}

/* ---- captures of several ranks ----------------------------------------------------------------------------------- */

Test(hook_work, files_of_ranks_are_one_capture)
{
    static const char *const rows[][2] = {{"llama-5001-rank-0-job-12.json", "llama-5001-rank-N-job-N.json"},
                                          {"d/rank_3.json.gz", "d/rank_N.json.gz"},
                                          {"/rank12", "/rankN"},
                                          {"a.rank7.b-job_1-c", "a.rankN.b-job_N-c"},
                                          {"rank-0/job-1.json", NULL}, /* of the folder */
                                          {"a-job-1.json", NULL},
                                          {"frank-1.json", NULL},
                                          {"rank-1a.json", NULL},
                                          {"rank--1.json", NULL},
                                          {"ranks-1", NULL},
                                          {"", NULL}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char capture[PF_HOOK_PATH];
        bool is = pf_hook_capture_of(rows[i][0], true, capture);
        cr_expect_eq(is, rows[i][1] != NULL, "%s", rows[i][0]);
        cr_expect(!is || strcmp(capture, rows[i][1]) == 0, "%s: %s", rows[i][0], capture);
    }
    char *longest = calloc(PF_HOOK_PATH + 1, 1), capture[PF_HOOK_PATH];
    memset(longest, 'a', PF_HOOK_PATH);
    memcpy(longest, "rank-1-", 7);
    cr_expect_not(pf_hook_capture_of(longest, true, capture), "a path without room");
    longest[PF_HOOK_PATH - 1] = '\0';
    cr_expect(pf_hook_capture_of(longest, true, capture));
    free(longest);
    cr_expect(pf_hook_capture_of("job-7-rank-3.json", false, capture));
    cr_expect_str_eq(capture, "job-7-rank-N.json", "another job is another run");
}

Test(hook_work, several_jobs_are_for_passes_that_join_them)
{
    static const pf_pass ranks = {.joins_ranks = true}, jobs = {.joins_ranks = true, .joins_jobs = true}, none;
    pf_hook_words files = {0};
    pf_hook_words_put(&files, "job1-rank0.json", "job1-rank1.json");
    cr_expect(pf_hook_takes_ranks(&ranks, &files) && pf_hook_takes_ranks(&jobs, &files));
    cr_expect_not(pf_hook_takes_ranks(&none, &files));
    pf_hook_words_add(&files, "job2-rank1.json");
    cr_expect(pf_hook_takes_ranks(&jobs, &files) && !pf_hook_takes_ranks(&ranks, &files));
    pf_hook_words_free(&files);
}

static void expect_missing(const pf_hook_words *files, const char *wanted)
{
    pf_buffer text = {0};
    pf_hook_ranks_missing(files, &text);
    pf_buffer_put(&text, "", 1);
    cr_expect_str_eq(text.data, wanted, "%s", text.data);
    pf_buffer_free(&text);
}

Test(hook_work, ranks_of_a_capture_are_those_of_its_folder)
{
    pf_hook_words globs = {0}, files = {0};
    cr_assert(mkdir("d", 0777) == 0 && mkdir("d/e", 0777) == 0);
    static const char *const names[] = {
        "d/rank-2.json", "d/rank-10.json", "d/rank-1.json.gz", "d/e/rank-0.json", "d/rank-7.json.report.json",
        "rank-0.json"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        scratch_write(names[i], "x");
    }
    pf_hook_ranks_list(&globs, "d/rank-N.json", &files);
    cr_assert_eq(files.count, 2);
    cr_expect_str_eq(files.word[0], "d/rank-10.json");
    cr_expect_str_eq(files.word[1], "d/rank-2.json");
    expect_missing(&files, "no file of rank 0, 1, 3, 4, 5, 6, 7, 8 and others");
    pf_hook_words_free(&files);
    pf_hook_words_add(&globs, "*-2*");
    pf_hook_ranks_list(&globs, "d/rank-N.json", &files);
    cr_expect_eq(files.count, 1, "those that match");
    cr_expect_not(pf_hook_ranks_are_joined(&files), "one alone");
    expect_missing(&files, "no file of rank 0, 1");
    pf_hook_words_free(&files);
    pf_hook_words_free(&globs);
    pf_hook_ranks_list(&globs, "./rank-N.json", &files);
    cr_assert_eq(files.count, 1);
    cr_expect_str_eq(files.word[0], "rank-0.json");
    expect_missing(&files, "");
    pf_hook_words_free(&files);
}
