/* test_export.c - the database that an export writes, opened by plain SQLite. */
#include <criterion/criterion.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/buffer.h"
#include "model/trace/trace.h"
#include "postfetto/export.h"

static int64_t ask(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *s = NULL;
    cr_assert_eq(sqlite3_prepare_v2(db, sql, -1, &s, NULL), SQLITE_OK, "%s: %s", sql, sqlite3_errmsg(db));
    cr_assert_eq(sqlite3_step(s), SQLITE_ROW);
    int64_t answer = sqlite3_column_int64(s, 0);
    sqlite3_finalize(s);
    return answer;
}

static pf_trace *trace_of(unsigned slices)
{
    pf_error err;
    pf_limits limits = pf_limits_default();
    pf_trace *t = pf_trace_new(&limits, PF_WANT_TABLES, &err);
    const pf_ident pid = {.kind = PF_ID_INT, .spelling = PF_ID_INT, .number = 7};
    uint32_t upid = pf_trace_process(t, &pid, &err), utid = pf_trace_thread(t, upid, &pid, &err);
    uint32_t name = pf_strings_add(&t->strings, "work", 4, &err);
    uint32_t track = pf_trace_thread_track(t, utid, &err);
    for (unsigned i = 0; i < slices; i++) {
        const pf_event e = {.ts = 10 * (i + 1), .dur = 5, .name = name, .track = track, .phase = 'X'};
        cr_assert_eq(pf_trace_add_event(t, &e, &err), PF_OK);
    }
    cr_assert_eq(pf_trace_finish(t, &err), PF_OK);
    return t;
}

Test(export, plain_sqlite_reads_tables_and_views)
{
    char folder[] = "/tmp/pf-export-XXXXXX", path[64];
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/t.sqlite", folder);
    pf_trace *t = trace_of(1);
    pf_error err;
    cr_assert_eq(pf_export_sqlite(t, path, NULL, &err), PF_OK, "%s", err.text);
    sqlite3 *db = NULL;
    cr_assert_eq(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    cr_assert_eq(ask(db, "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check = 'ok'"), 1);
    cr_assert_eq(ask(db, "SELECT count(*) FROM slice WHERE name = 'work' AND ts = 10 AND dur = 5"), 1);
    cr_assert_eq(ask(db, "SELECT pid FROM thread_slice"), 7);
    cr_assert_eq(ask(db, "SELECT end_ts FROM trace_bounds"), 15);
    cr_assert_eq(ask(db, "SELECT count(*) FROM flow"), 0);
    cr_assert_eq(ask(db, "SELECT count(*) FROM track t JOIN slices s ON s.track_id = t.id"), 1);
    static const char *const names[] = {"__intrinsic_gpu_context",
                                        "__intrinsic_trace_file",
                                        "__intrinsic_track",
                                        "__intrinsic_track_event_callstacks",
                                        "android_logs",
                                        "args",
                                        "clock_snapshot",
                                        "counter",
                                        "counter_track",
                                        "counters",
                                        "cpu",
                                        "cpu_counter_track",
                                        "cpu_track",
                                        "flow",
                                        "gpu",
                                        "gpu_counter_group",
                                        "gpu_counter_track",
                                        "gpu_slice",
                                        "gpu_track",
                                        "instant",
                                        "machine",
                                        "metadata",
                                        "process",
                                        "process_counter_track",
                                        "process_slice",
                                        "process_state_track",
                                        "process_track",
                                        "sched",
                                        "slice",
                                        "slices",
                                        "stack_profile_callsite",
                                        "stack_profile_frame",
                                        "stack_profile_mapping",
                                        "stack_profile_symbol",
                                        "state",
                                        "state_track",
                                        "stats",
                                        "thread",
                                        "thread_counter_track",
                                        "thread_or_process_slice",
                                        "thread_slice",
                                        "thread_state",
                                        "thread_state_track",
                                        "thread_track",
                                        "trace_bounds",
                                        "track",
                                        "vulkan_memory_allocations"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char sql[128];
        snprintf(sql, sizeof sql, "SELECT count(*) >= 0 FROM (SELECT * FROM \"%s\")", names[i]);
        cr_expect_eq(ask(db, sql), 1);
    }
    sqlite3_close(db);
    cr_assert_eq(remove(path), 0);
    cr_assert_eq(rmdir(folder), 0, "something else was left behind");
    pf_trace_free(t);
}

Test(export, a_target_that_cannot_be_written)
{
    pf_trace *t = trace_of(1);
    pf_error err;
    cr_assert_eq(pf_export_sqlite(t, "/nonexistent/folder/t.sqlite", NULL, &err), PF_ERR_OUTPUT);
    pf_trace_free(t);
}

Test(export, cancelled_leaves_nothing)
{
    char folder[] = "/tmp/pf-export-XXXXXX", path[64];
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/t.sqlite", folder);
    pf_trace *t = trace_of(1);
    pf_error err;
    volatile int cancel = 1;
    const pf_write_options o = {.cancel = &cancel};
    cr_assert_eq(pf_export_sqlite(t, path, &o, &err), PF_ERR_CANCELLED);
    cr_assert_eq(rmdir(folder), 0, "something was left behind");
    pf_trace_free(t);
}

static void read_all(const char *path, pf_buffer *b)
{
    char bytes[4096];
    FILE *f = fopen(path, "rb");
    cr_assert_not_null(f);
    for (size_t n; (n = fread(bytes, 1, sizeof bytes, f)) > 0;) {
        pf_buffer_put(b, bytes, n);
    }
    fclose(f);
}

/* With and without the thread that writes; more pages than SQLite keeps, so that they leave in several pieces. */
Test(export, the_same_bytes_with_any_jobs)
{
    char folder[] = "/tmp/pf-export-XXXXXX", path[64];
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/t.sqlite", folder);
    pf_trace *t = trace_of(60000);
    pf_buffer bytes[2] = {{0}};
    pf_error err;
    for (unsigned i = 0; i < 2; i++) {
        const pf_write_options o = {.jobs = i + 1};
        cr_assert_eq(pf_export_sqlite(t, path, &o, &err), PF_OK, "%s", err.text);
        read_all(path, &bytes[i]);
    }
    cr_expect_gt(bytes[0].len, 5u << 19);
    cr_expect(bytes[0].len == bytes[1].len && memcmp(bytes[0].data, bytes[1].data, bytes[0].len) == 0);
    pf_buffer_free(&bytes[0]);
    pf_buffer_free(&bytes[1]);
    unlink(path);
    rmdir(folder);
    pf_trace_free(t);
}

/* A disk that is full, or a quota: files of 64 KiB at most. With and without the thread that writes. */
Test(export, a_disk_that_becomes_full)
{
    char folder[] = "/tmp/pf-export-XXXXXX", path[64];
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/t.sqlite", folder);
    pf_trace *t = trace_of(60000);
    const struct rlimit most = {64 << 10, RLIM_INFINITY};
    signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &most), 0);
    for (unsigned jobs = 1; jobs <= 2; jobs++) {
        pf_error err = {0};
        const pf_write_options o = {.jobs = jobs};
        cr_expect_eq(pf_export_sqlite(t, path, &o, &err), PF_ERR_OUTPUT);
        cr_expect_not_null(strstr(err.text, "the database cannot be written: "), "%s", err.text);
        cr_expect_not_null(strstr(err.text, "; free some space there"), "%s", err.text);
        cr_expect_eq(access(path, F_OK), -1);
    }
    cr_expect_eq(rmdir(folder), 0, "something was left behind");
    pf_trace_free(t);
}

/* Wherever the memory limit strikes, it is said, nothing is left, and nothing is kept of the trace's budget. */
Test(export, every_refusal)
{
    char folder[] = "/tmp/pf-export-XXXXXX", path[64];
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/t.sqlite", folder);
    pf_trace *t = trace_of(100);
    uint64_t before, after, peak;
    unsigned refused = 0, fine = 0;
    pf_trace_memory(t, &before, &peak);
    for (uint64_t more = 0; fine < 2; more += more / 8 + 512) {
        pf_error err = {0};
        t->budget.limits.memory = before + more;
        pf_status st = pf_export_sqlite(t, path, NULL, &err);
        refused += st == PF_ERR_LIMIT;
        fine += st == PF_OK;
        cr_assert(st == PF_OK || (st == PF_ERR_LIMIT && strstr(err.text, "--max-memory")), "%d: %s", st, err.text);
        cr_expect_eq(access(path, F_OK), st == PF_OK ? 0 : -1);
        unlink(path);
        pf_trace_memory(t, &after, &peak);
        cr_assert_eq(before, after, "%llu bytes more", (unsigned long long)more);
    }
    cr_expect_gt(refused, 5);
    cr_expect_eq(rmdir(folder), 0, "something was left behind");
    pf_trace_free(t);
}

typedef struct progress {
    unsigned calls;
    double share;
    uint64_t bytes;
    bool back;
} progress;

static void note_progress(void *ctx, uint64_t bytes, double share)
{
    progress *p = ctx;
    p->back |= share < p->share || bytes < p->bytes;
    p->calls++;
    p->share = share;
    p->bytes = bytes;
}

/* Tables are one half of the work, indexes the other; the bytes are those of the file. */
Test(export, progress)
{
    char folder[] = "/tmp/pf-export-XXXXXX", path[64];
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/t.sqlite", folder);
    pf_trace *t = trace_of(30000);
    pf_buffer bytes = {0};
    uint64_t written = 100;
    progress p = {0};
    pf_error err;
    const pf_write_options o = {.jobs = 1, .progress = note_progress, .progress_ctx = &p, .written = &written};
    cr_assert_eq(pf_export_sqlite(t, path, &o, &err), PF_OK);
    read_all(path, &bytes);
    cr_expect_gt(p.calls, 3);
    cr_expect_not(p.back);
    cr_expect(p.share > 0.4 && p.share <= 0.5, "%f while indexes are made", p.share);
    cr_expect_eq(p.bytes, bytes.len);
    cr_expect_eq(written, bytes.len + 100, "added to what was there");
    pf_buffer_free(&bytes);
    unlink(path);
    rmdir(folder);
    pf_trace_free(t);
}

/* Standard output and pipes get the same bytes, out of a scratch file. */
Test(export, a_pipe_gets_the_same_bytes)
{
    char folder[] = "/tmp/pf-export-XXXXXX", path[64], pipe_path[64], command[256];
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/t.sqlite", folder);
    snprintf(pipe_path, sizeof pipe_path, "%s/pipe", folder);
    pf_trace *t = trace_of(30000); /* more than the megabyte that is copied at a time */
    pf_buffer bytes[2] = {{0}};
    pf_error err;
    cr_assert_eq(pf_export_sqlite(t, path, NULL, &err), PF_OK, "%s", err.text);
    read_all(path, &bytes[0]);
    snprintf(command, sizeof command, "mkfifo %s && (cat %s > %s &)", pipe_path, pipe_path, path);
    cr_assert_eq(system(command), 0);
    cr_assert_eq(pf_export_sqlite(t, pipe_path, NULL, &err), PF_OK, "%s", err.text);
    for (unsigned i = 0; i < 500 && bytes[1].len < bytes[0].len; i++) { /* until the other process has written it */
        bytes[1].len = 0;
        usleep(10000);
        read_all(path, &bytes[1]);
    }
    cr_expect_gt(bytes[0].len, 1u << 20);
    cr_expect_eq(bytes[0].len, bytes[1].len);
    cr_expect_eq(memcmp(bytes[0].data, bytes[1].data, bytes[0].len), 0);
    pf_buffer_free(&bytes[0]);
    pf_buffer_free(&bytes[1]);
    unlink(path);
    unlink(pipe_path);
    cr_expect_eq(rmdir(folder), 0, "something was left behind");
    pf_trace_free(t);
}
