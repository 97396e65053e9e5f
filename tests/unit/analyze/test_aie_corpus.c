/* The aie pass against the corpus next to the repository: every expected file byte for byte, and the checked figures of
 * docs/reference/aie.md ("Nearest pairing"). Without the corpus these tests are skipped and say so. */
#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "aie_support.h"
#include "shared.h"

typedef struct aie_case {
    char trace[600], run_path[600], folder[600], options[600], expected[600];
} aie_case;

static void load_case(const char *name, aie_case *c)
{
    char path[500], line[2000], input[100] = "";
    *c = (aie_case){.options = ""};
    snprintf(path, sizeof path, "%s/%s/cmd.txt", aie_corpus(), name);
    FILE *f = fopen(path, "r");
    cr_assert_not_null(f, "%s", path);
    while (fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = '\0';
        char *value = strchr(line, '=');
        cr_assert_not_null(value, "%s: %s", path, line);
        *value++ = '\0';
        if (strcmp(line, "input") == 0) {
            snprintf(input, sizeof input, "%s", value);
        } else if (strcmp(line, "run_path") == 0) {
            snprintf(c->run_path, sizeof c->run_path, "%s", value);
        } else if (strstr(" M K N m k n row col hwid warmup iterations ", line)) {
            size_t len = strlen(c->options);
            snprintf(c->options + len, sizeof c->options - len, "%s=%s ", line, value);
        }
    }
    fclose(f);
    snprintf(c->trace, sizeof c->trace, "%s/%s/%s", aie_corpus(), name, input);
    snprintf(c->expected, sizeof c->expected, "%s/%s/expected", aie_corpus(), name);
    snprintf(c->folder, sizeof c->folder, "%s", c->run_path);
    *strrchr(c->folder, '/') = '\0';
}

static aie_run run_case(const aie_case *c, const char *more)
{
    char options[700];
    snprintf(options, sizeof options, "%s%s", c->options, more);
    aie_run r =
        run_file(c->trace, &(aie_setup){.input_path = c->run_path, .report_dir = c->folder, .options = options});
    cr_assert_eq(r.status, PF_OK, "%s: %s", c->trace, r.error.text);
    return r;
}

static void load(const char *folder, const char *name, pf_buffer *out)
{
    char path[1000], block[65536];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "rb");
    cr_assert_not_null(f, "%s is missing", path);
    for (size_t n; (n = fread(block, 1, sizeof block, f)) > 0;) {
        pf_buffer_put(out, block, n);
    }
    fclose(f);
    cr_assert_not(out->failed);
}

static void compare_file(const aie_case *c, const char *written, const char *name)
{
    pf_buffer expected = {0}, got = {0};
    load(c->expected, name, &expected);
    load(written, name, &got);
    cr_assert(expected.len == got.len && memcmp(expected.data, got.data, got.len) == 0, "%s: %s differs", c->trace,
              name);
    pf_buffer_free(&expected);
    pf_buffer_free(&got);
}

/* stdout.txt of the source is the list of announced reports. */
static void compare_announced(const aie_case *c, const aie_run *r)
{
    pf_buffer expected = {0}, got = {0};
    load(c->expected, "stdout.txt", &expected);
    for (size_t i = 0; i < pf_findings_report_count(r->findings); i++) {
        const pf_report *report = pf_findings_report(r->findings, i);
        if (report->announced) {
            pf_buffer_format(&got, "[write] %s/%.*s\n", c->folder, (int)report->file.len, report->file.ptr);
        }
    }
    cr_assert(expected.len == got.len && memcmp(expected.data, got.data, got.len) == 0, "%s: stdout differs", c->trace);
    pf_buffer_free(&expected);
    pf_buffer_free(&got);
}

static void check_case(const char *name)
{
    aie_case c;
    load_case(name, &c);
    aie_run r = run_case(&c, "");
    char folder[] = "/tmp/postfetto-reports-XXXXXX", command[100];
    cr_assert_not_null(mkdtemp(folder));
    pf_write_options wo = pf_write_options_default();
    wo.sync = false;
    cr_assert_eq(pf_write_reports(r.findings, folder, &wo, NULL, NULL, &r.error), PF_OK, "%s", r.error.text);

    DIR *d = opendir(c.expected);
    cr_assert_not_null(d);
    size_t files = 0;
    for (struct dirent *e; (e = readdir(d));) {
        if (e->d_name[0] != '.' && strcmp(e->d_name, "stdout.txt") != 0) {
            compare_file(&c, folder, e->d_name);
            files++;
        }
    }
    closedir(d);
    cr_assert_geq(files, 2, "%s: index.json and aggregate_perf.json at least", name);
    compare_announced(&c, &r);
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    cr_assert_eq(system(command), 0);
    end_run(&r);
}

Test(aie_corpus, every_case_byte_for_byte)
{
    if (!aie_corpus()) {
        SKIP_WITHOUT_CORPUS();
    }
    DIR *d = opendir(aie_corpus());
    size_t cases = 0;
    for (struct dirent *e; (e = readdir(d));) {
        if (e->d_name[0] != '.') {
            check_case(e->d_name);
            cases++;
        }
    }
    closedir(d);
    cr_assert_geq(cases, 1);
}

/* Duplicate entries, duplicate exits, lost entries, lost exits of core `i` are the four numbers. */
static void expect_counts(const aie_run *r, size_t i, const int64_t expected[4])
{
    static const char *const keys[] = {"duplicate_entries", "duplicate_exits", "lost_entries", "lost_exits"};
    const pf_node *quality = report_named(r, "aie_quality.json");
    for (size_t k = 0; k < 4; k++) {
        char path[60];
        snprintf(path, sizeof path, "%zu/%s", i, keys[k]);
        cr_assert_eq(int_at(quality, path), expected[k], "core %zu: %s is %lld", i, keys[k],
                     (long long)int_at(quality, path));
    }
}

static aie_run run_named(const char *name, const char *more)
{
    aie_case c;
    load_case(name, &c);
    return run_case(&c, more);
}

Test(aie_corpus, nearest_restores_c13)
{
    if (!aie_corpus()) {
        SKIP_WITHOUT_CORPUS();
    }
    aie_run r = run_named("c13_glitch_collapse", "pairing=nearest");
    expect_counts(&r, 0, (const int64_t[]){14, 5, 0, 2});
    expect_counts(&r, 1, (const int64_t[]){16, 4, 1, 0});
    const char *const files[] = {"tile2,0.json", "tile3,0.json"};
    for (size_t i = 0; i < 2; i++) {
        const pf_node *core = report_named(&r, files[i]), *list = node_at(core, "iterations");
        size_t fives = 0, at = 0;
        for (const pf_node *it = list->first; it; it = it->next, at++) {
            int64_t kernels = int_at(it, "num_kernels");
            cr_assert(at == 0 ? kernels == 0 : kernels == 6 || kernels == 5, "%s: %lld", files[i], (long long)kernels);
            fives += kernels == 5;
        }
        cr_assert_eq(fives, i, "one kernel of tile3,0 lost its entry, none of tile2,0");
    }
    end_run(&r);
}

Test(aie_corpus, nearest_counts_of_c02_and_c03)
{
    if (!aie_corpus()) {
        SKIP_WITHOUT_CORPUS();
    }
    aie_run r = run_named("c02_duplicate_glitches", "pairing=nearest");
    expect_counts(&r, 0, (const int64_t[]){2, 1, 1, 1});
    expect_counts(&r, 1, (const int64_t[]){2, 1, 1, 1});
    end_run(&r);
    r = run_named("c03_missing_edges", "pairing=nearest");
    expect_counts(&r, 0, (const int64_t[]){0, 0, 4, 4});
    end_run(&r);
}

Test(aie_corpus, nearest_restores_large_1m)
{
    if (!aie_corpus()) {
        SKIP_WITHOUT_CORPUS();
    }
    aie_run r = run_named("large_1m", "pairing=nearest");
    const pf_node *quality = report_named(&r, "aie_quality.json");
    size_t glitched = 0;
    for (size_t i = 0; i < quality->children; i++) {
        char path[40];
        snprintf(path, sizeof path, "%zu/duplicate_entries", i);
        bool has = int_at(quality, path) != 0;
        expect_counts(&r, i, has ? (const int64_t[]){23, 0, 0, 0} : (const int64_t[]){0, 0, 0, 0});
        glitched += has;
    }
    cr_assert_eq(quality->children, 32);
    cr_assert_eq(glitched, 5);
    for (size_t i = 0; i < 32; i++) {
        const pf_node *list = node_at(pf_findings_report(r.findings, i)->root, "iterations");
        for (const pf_node *it = list->first; it; it = it->next) {
            int64_t kernels = int_at(it, "num_kernels");
            cr_assert(kernels == 0 || kernels == 72, "core %zu: %lld kernels", i, (long long)kernels);
        }
    }
    end_run(&r);
}

/* The kernels and counts of the nearest walk (cli.md: c13) are known under the default pairing, too, and where the two
 * disagree it says so on the terminal, in the report, and where the first kernel is. */
Test(aie_corpus, the_nearest_walk_runs_next_to_the_default)
{
    if (!aie_corpus()) {
        SKIP_WITHOUT_CORPUS();
    }
    aie_run r = run_named("c13_glitch_collapse", "");
    const pf_node *quality = report_named(&r, "aie_quality.json");
    static const char text[] =
        "6 kernels here, 36 with --pairing nearest: do not trust the numbers of this core; use --pairing nearest";
    expect_counts(&r, 0, (const int64_t[]){14, 5, 0, 2});
    expect_counts(&r, 1, (const int64_t[]){16, 4, 1, 0});
    cr_assert_eq(int_at(quality, "0/kernels"), 6);
    cr_assert_eq(int_at(quality, "0/kernels_nearest"), 36);
    cr_assert_eq(int_at(quality, "1/kernels_nearest"), 35);
    cr_assert(is_text(quality, "0/warnings/2/kind", "pairing"));
    cr_assert(is_text(quality, "0/warnings/2/text", text));
    cr_assert_str_eq(line_shown(&r, 2) + strlen("tile2,0: "), text);
    const pf_overlay_event *note = event_on(&r, track_named(&r, "tile2,0 notes"), 2);
    cr_assert(note->name.len == sizeof text - 1 && memcmp(note->name.ptr, text, sizeof text - 1) == 0);
    cr_assert_eq(note->ts, int_at(report_named(&r, "tile2,0.json"), "iterations/1/first_start"));
    end_run(&r);
}
