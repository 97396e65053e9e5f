/* output_options.c - what callers ask of outputs: that they are on the disk, how far they are, that they stop; reports
 * in batches, folders that cannot be made. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "support.h"

/* Every sync of the program comes by here. */
static unsigned syncs;

int fsync(int fd)
{
    syncs++;
    return (int)syscall(SYS_fsync, fd);
}

/* ---- sync -------------------------------------------------------------------------------------------------------- */

typedef struct story {
    unsigned files, announced, late; /* late: files that were synced after one was in place */
    char last[64];
} story;

static void note(void *ctx, const char *path, bool announced)
{
    static unsigned synced;
    story *s = ctx;
    synced = s->files ? synced : syncs;
    s->late += syncs != synced;
    s->files++;
    s->announced += announced;
    const char *slash = strrchr(path, '/');
    snprintf(s->last, sizeof s->last, "%s", slash ? slash + 1 : path);
    cr_expect_eq(access(path, F_OK), 0, "%s is in place when it is announced", path);
}

/* `count` reports, every third announced; one goes elsewhere at the end. */
static pf_findings *many_reports(unsigned count)
{
    pf_findings *f = pf_findings_new(NULL);
    for (unsigned i = 0; i < count; i++) {
        char name[32];
        int len = snprintf(name, sizeof name, "r%03u.json", i);
        pf_node *root = pf_node_root(f, PF_NODE_LIST);
        pf_node_add_int(f, root, (pf_str){NULL, 0}, i);
        pf_findings_report_json(f, (pf_str){name, (size_t)len}, root, i % 3 == 0);
    }
    const pf_report elsewhere = {.file = PF_STR("elsewhere.json"),
                                 .form = PF_REPORT_JSON,
                                 .root = pf_node_root(f, PF_NODE_LIST),
                                 .place = PF_PLACE_STDOUT};
    pf_findings_add_report(f, &elsewhere);
    return f;
}

static void expect_reports(unsigned count, bool sync)
{
    char *folder = test_folder(), *dir = test_path(folder, "reports"), last[32];
    pf_findings *f = many_reports(count);
    uint64_t written = 0;
    const pf_write_options o = {.sync = sync, .written = &written};
    story s = {0};
    pf_error err;
    syncs = 0;
    cr_assert_eq(pf_write_reports(f, dir, &o, note, &s, &err), PF_OK);
    cr_expect_eq(syncs, sync ? count : 0, "%u syncs of %u reports", syncs, count);
    cr_expect_eq(s.files, count);
    cr_expect_eq(s.announced, (count + 2) / 3);
    cr_expect_eq(test_entries(dir), count);
    snprintf(last, sizeof last, "r%03u.json", count - 1);
    cr_expect_str_eq(s.last, last);
    uint64_t digits = 0; /* a report is "[", a line with two blanks and the number, "]" */
    for (unsigned i = 0; i < count; i++) {
        digits += 6 + (i < 10 ? 1 : i < 100 ? 2 : 3);
    }
    cr_expect_eq(written, digits);
    if (count <= 64) {
        cr_expect_eq(s.late, 0, "all are synced before the first is put in place");
    }
    pf_findings_free(f);
    free(dir);
    test_folder_remove(folder);
}

Test(output_options, every_report_is_synced_if_asked_for)
{
    for (unsigned sync = 0; sync < 2; sync++) {
        expect_reports(1, sync);
        expect_reports(64, sync);
        expect_reports(65, sync);
        expect_reports(130, sync);
    }
}

Test(output_options, nothing_is_made_where_no_report_is_for_the_folder)
{
    char *folder = test_folder(), *dir = test_path(folder, "reports");
    pf_findings *f = many_reports(0);
    pf_error err;
    cr_assert_eq(pf_write_reports(f, dir, NULL, NULL, NULL, &err), PF_OK);
    cr_expect_eq(test_entries(folder), 0);
    pf_findings_free(f);
    free(dir);
    test_folder_remove(folder);
}

Test(output_options, one_report_is_synced_if_asked_for)
{
    char *folder = test_folder(), *path = test_path(folder, "one.json"), *missing = test_path(folder, "no/one.json");
    pf_findings *f = many_reports(1);
    uint64_t written = 5;
    pf_error err;
    const pf_write_options o = {.sync = false, .written = &written};
    syncs = 0;
    cr_assert_eq(pf_write_report(pf_findings_report(f, 0), path, NULL, &err), PF_OK);
    cr_expect_eq(syncs, 1, "the default");
    cr_assert_eq(pf_write_report(pf_findings_report(f, 0), path, &o, &err), PF_OK);
    cr_expect_eq(syncs, 1);
    cr_expect_eq(written, 12);
    cr_assert_eq(pf_write_report(pf_findings_report(f, 0), missing, &o, &err), PF_ERR_OUTPUT);
    cr_expect_eq(written, 12);
    cr_expect_eq(test_entries(folder), 1);
    pf_findings_free(f);
    free(missing);
    free(path);
    test_folder_remove(folder);
}

/* ---- names and folders ------------------------------------------------------------------------------------------- */

Test(output_options, names_of_reports_with_dots)
{
    static const char *const names[] = {".a", "a.", "...", "..a"};
    char *folder = test_folder();
    cr_assert_eq(chdir(folder), 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        pf_findings *f = pf_findings_new(NULL);
        pf_error err;
        pf_findings_report_json(f, (pf_str){names[i], strlen(names[i])}, pf_node_root(f, PF_NODE_LIST), false);
        cr_assert_eq(pf_write_reports(f, "", NULL, NULL, NULL, &err), PF_OK, "an empty folder is the current one");
        cr_expect_eq(access(names[i], F_OK), 0, "%s", names[i]);
        cr_expect_eq(test_entries(folder), i + 1);
        pf_findings_free(f);
    }
    test_folder_remove(folder);
}

static void expect_refused(const char *dir, const char *reason)
{
    pf_findings *f = many_reports(1);
    pf_error err;
    cr_assert_eq(pf_write_reports(f, dir, NULL, NULL, NULL, &err), PF_ERR_OUTPUT);
    cr_expect_str_eq(err.file, dir);
    cr_expect_not_null(strstr(err.text, reason), "%s", err.text);
    pf_findings_free(f);
}

Test(output_options, folders_that_cannot_be_made_say_why)
{
    char *folder = test_folder(), *file = test_path(folder, "file"), *below = test_path(folder, "file/below");
    fclose(fopen(file, "w"));
    expect_refused(file, "Not a directory");
    expect_refused(below, "Not a directory");
    expect_refused("/proc/no/folder", "No such file or directory");
    free(below);
    free(file);
    test_folder_remove(folder);
}

/* ---- conversions ------------------------------------------------------------------------------------------------- */

enum { EVENTS = 60000, PIECE = 512 << 10 };

static pf_trace *large_trace(void)
{
    pf_trace *t = test_trace("chrome-json", PF_WANT_EVENTS | PF_WANT_COUNTERS | PF_WANT_ARGS | PF_WANT_SLICES);
    uint32_t track = test_thread(t, 1, 2);
    char name[48];
    for (int i = 0; i < EVENTS; i++) {
        snprintf(name, sizeof name, "event number %d of many of them", i);
        test_add(t, 'i', i * INT64_C(1000), 0, track, name, "");
    }
    test_finish(t);
    return t;
}

typedef struct steps {
    unsigned calls;
    uint64_t bytes;
    double share, worst; /* worst: how far shares are from those of the bytes */
    uint64_t total;
} steps;

static void note_step(void *ctx, uint64_t bytes, double share)
{
    steps *s = ctx;
    double off = share - (double)bytes / (double)s->total;
    s->calls++;
    cr_expect_geq(bytes, s->bytes);
    cr_expect(share >= s->share && share <= 1, "%g after %g", share, s->share);
    s->worst = off * off > s->worst ? off * off : s->worst;
    s->bytes = bytes;
    s->share = share;
}

typedef pf_status (*writer)(const pf_trace *t, const char *path, const pf_write_options *o, pf_error *err);

/* Every half a megabyte, and at last all of it; the same bytes whether another thread writes. What a Perfetto trace
 * says of itself, in front, is handed over at once. */
static void expect_progress(writer write)
{
    char *folder = test_folder(), *path = test_path(folder, "out"), *bytes[2];
    pf_trace *t = large_trace();
    size_t len[2] = {0};
    uint64_t written = 0;
    pf_error err;
    for (unsigned i = 0; i < 2; i++) {
        steps s = {.total = i ? len[0] : 1};
        const pf_write_options o = {
            .jobs = 2 - i, .progress = i ? note_step : NULL, .progress_ctx = &s, .written = &written};
        written = 0;
        cr_assert_eq(write(t, path, &o, &err), PF_OK);
        bytes[i] = test_read(path, &len[i]);
        cr_expect_eq(written, len[i]);
        if (i) {
            unsigned least = (unsigned)(len[0] / (PIECE + (128 << 10))), most = (unsigned)(len[0] / PIECE) + 2;
            cr_expect_geq(len[0], 3 * PIECE);
            cr_expect(s.calls >= least && s.calls <= most, "%u calls for %zu bytes", s.calls, len[0]);
            cr_expect_eq(s.bytes, len[0]);
            cr_expect_lt(s.worst, 0.01, "%g", s.worst);
        }
    }
    cr_expect_eq(len[0], len[1]);
    cr_expect_eq(memcmp(bytes[0], bytes[1], len[0]), 0);
    free(bytes[0]);
    free(bytes[1]);
    pf_trace_free(t);
    free(path);
    test_folder_remove(folder);
}

Test(output_options, conversions_say_how_far_they_are)
{
    expect_progress(pf_convert_pftrace);
    expect_progress(pf_convert_json);
}

static void cancel_now(void *ctx, uint64_t bytes, double share)
{
    (void)bytes, (void)share;
    *(volatile int *)ctx = 1;
}

/* Cancelled at the first half megabyte: the next poll, a megabyte from the first one, sees it. */
Test(output_options, conversions_stop_when_cancelled)
{
    char *folder = test_folder(), *path = test_path(folder, "out");
    pf_trace *t = large_trace();
    for (unsigned jobs = 1; jobs <= 2; jobs++) {
        volatile int cancel = 0;
        uint64_t written = 0;
        pf_error err;
        const pf_write_options o = {.jobs = jobs,
                                    .cancel = &cancel,
                                    .written = &written,
                                    .progress = cancel_now,
                                    .progress_ctx = (void *)(uintptr_t)&cancel};
        cr_expect_eq(pf_convert_json(t, path, &o, &err), PF_ERR_CANCELLED);
        cr_expect_str_eq(err.text, "cancelled");
        cr_expect(written >= PIECE && written <= 2 * PIECE + (128 << 10), "%llu", (unsigned long long)written);
        cr_expect_eq(test_entries(folder), 0);
    }
    pf_trace_free(t);
    free(path);
    test_folder_remove(folder);
}

Test(output_options, conversions_are_synced_unless_told_otherwise)
{
    char *folder = test_folder(), *path = test_path(folder, "out");
    pf_trace *t = large_trace();
    pf_error err;
    const pf_write_options o = {.sync = false};
    static const writer writers[] = {pf_convert_pftrace, pf_convert_json};
    for (size_t i = 0; i < 2; i++) {
        syncs = 0;
        cr_assert_eq(writers[i](t, path, &o, &err), PF_OK);
        cr_expect_eq(syncs, 0);
        cr_assert_eq(writers[i](t, path, NULL, &err), PF_OK);
        cr_expect_eq(syncs, 1);
    }
    pf_trace_free(t);
    free(path);
    test_folder_remove(folder);
}
