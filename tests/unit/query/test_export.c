/* test_export.c - the database that an export writes, opened by plain SQLite. */
#include <criterion/criterion.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
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
    pf_trace *t = pf_trace_new(&limits, PF_WANT_ALL, &err);
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
