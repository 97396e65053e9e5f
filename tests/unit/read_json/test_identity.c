/* pid and tid: equal by value, first spelling kept (postfetto/trace.h, docs/reference/aie.md). */
#include "support.h"

#include <stdio.h>
#include <string.h>

/* The process rows of events that differ in their pid only. */
static void expect_pids_in(const char *a, const char *b, bool same, bool aie)
{
    char text[512];
    snprintf(text, sizeof text, "[{\"ph\":\"B\",\"ts\":1%s%s},{\"ph\":\"B\",\"ts\":2%s%s}]", *a ? ",\"pid\":" : "", a,
             *b ? ",\"pid\":" : "", b);
    pf_trace *t = aie ? load_aie(text) : load(text);
    cr_assert_eq(pf_trace_events(t)->count, 2);
    cr_expect_eq(upid_of(t, 0) == upid_of(t, 1), same, "%s and %s", a, b);
    pf_trace_free(t);
}

static void expect_pids(const char *a, const char *b, bool same)
{
    expect_pids_in(a, b, same, false);
    expect_pids_in(a, b, same, true);
}

Test(identity, processes_compare_by_value)
{
    expect_pids("2", "2", true);
    expect_pids("2", "2.0", true);
    expect_pids("2.0", "2", true);
    expect_pids("2", "20e-1", true);
    expect_pids("2", "3", false);
    expect_pids("0", "\"0\"", false);
    expect_pids_in("0", "", false, true);
    expect_pids_in("0", "", true, false);
    expect_pids_in("", "0.0", true, false);
    expect_pids_in("", "\"0\"", false, false);
    expect_pids("", "", true);
    expect_pids("", "null", true);
    expect_pids("1", "true", true);
    expect_pids("0", "false", true);
    expect_pids("-0", "0", true);
    expect_pids("\"a\"", "\"\\u0061\"", true);
    expect_pids("\"a\"", "\"A\"", false);
    expect_pids("\"\"", "\"a\"", false);
    expect_pids("0.5", "5e-1", true);
    expect_pids("0.5", "0.25", false);
    expect_pids("9223372036854775807", "9223372036854775806", false);
    expect_pids("10000000000000000000", "1e19", true);
    expect_pids("10000000000000000000", "20000000000000000000", false);
    expect_pids("-5", "-5", true);
    expect_pids_in("-5", "0", true, false);
    expect_pids_in("-5", "0", false, true);
    expect_pids("18446744073709551616", "0", false);
}

Test(identity, the_first_spelling_is_kept)
{
    pf_trace *t = load_aie(
        "[{\"ph\":\"B\",\"ts\":1,\"pid\":2.0},{\"ph\":\"B\",\"ts\":1,\"pid\":2},{\"ph\":\"B\",\"ts\":1,\"pid\":\"x\"},"
        "{\"ph\":\"B\",\"ts\":1},{\"ph\":\"B\",\"ts\":1,\"pid\":-9007199254740993}]");
    const pf_processes *p = pf_trace_processes(t);
    cr_expect_eq(p->kind[upid_of(t, 0)], PF_ID_REAL);
    cr_expect(string_is(t, p->text[upid_of(t, 0)], "2.0"));
    cr_expect_eq(p->pid[upid_of(t, 0)], 2);
    cr_expect_eq(p->kind[upid_of(t, 2)], PF_ID_TEXT);
    cr_expect(string_is(t, p->text[upid_of(t, 2)], "x"));
    cr_expect_geq(p->pid[upid_of(t, 2)], 1ll << 32);
    cr_expect_eq(p->kind[upid_of(t, 3)], PF_ID_ABSENT);
    cr_expect_eq(p->pid[upid_of(t, 4)], -9007199254740993);
    pf_trace_free(t);
}

#define THREAD_EVENTS                                                                                                  \
    "[{\"ph\":\"B\",\"ts\":1,\"pid\":5},{\"ph\":\"B\",\"ts\":1,\"pid\":5,\"tid\":5},"                                  \
    "{\"ph\":\"B\",\"ts\":1,\"pid\":5,\"tid\":0},{\"ph\":\"B\",\"ts\":1,\"pid\":0},"                                   \
    "{\"ph\":\"B\",\"ts\":1,\"pid\":6,\"tid\":5},{\"ph\":\"B\",\"ts\":1,\"pid\":5,\"tid\":\"5\"},"                     \
    "{\"ph\":\"B\",\"ts\":1,\"pid\":5,\"tid\":5.0},{\"ph\":\"B\",\"ts\":1,\"pid\":5,\"tid\":140737353873216},"         \
    "{\"ph\":\"B\",\"ts\":1,\"pid\":5,\"tid\":9223372036854775807},{\"ph\":\"B\",\"ts\":1,\"pid\":5,\"tid\":\"0\"}]"

static void expect_threads(const pf_trace *t)
{
    const pf_threads *h = pf_trace_threads(t);
    cr_expect_eq(utid_of(t, 0), utid_of(t, 1), "no tid means the main thread");
    cr_expect_eq(h->tid[utid_of(t, 3)], 0);
    cr_expect_neq(utid_of(t, 4), utid_of(t, 1));
    cr_expect_neq(utid_of(t, 5), utid_of(t, 1));
    cr_expect_eq(utid_of(t, 6), utid_of(t, 1));
    cr_expect_eq(h->tid[utid_of(t, 7)], 140737353873216);
    cr_expect_eq(h->tid[utid_of(t, 8)], INT64_MAX);
    cr_expect_eq(h->is_main[utid_of(t, 0)], 1);
    cr_expect_neq(utid_of(t, 9), utid_of(t, 1));
}

/* As in Perfetto: a process without an id is 0, and thread 0 is its main thread. */
Test(identity, what_is_absent_is_zero)
{
    static const char *const ids[] = {"", ",\"pid\":0", ",\"tid\":0", ",\"pid\":0,\"tid\":0",
                                      ",\"pid\":null,\"tid\":null"};
    enum { N = sizeof ids / sizeof *ids };
    for (size_t first = 0; first < N; first++) {
        pf_buffer text = {0};
        pf_buffer_text(&text, "[");
        for (size_t i = 0; i < N; i++) {
            pf_buffer_format(&text, "{\"ph\":\"B\",\"ts\":1%s},", ids[(first + i) % N]);
        }
        pf_trace *t = load_bytes(text.data, text.len, NULL, 0, NULL);
        cr_assert_eq(pf_trace_threads(t)->count, 2, "the idle thread and this one");
        cr_assert_eq(pf_trace_processes(t)->count, 2);
        cr_expect_eq(pf_trace_threads(t)->tid[1], 0);
        cr_expect_eq(pf_trace_threads(t)->is_main[1], 1);
        cr_expect_eq(pf_trace_processes(t)->pid[1], 0);
        for (uint32_t i = 0; i < N; i++) {
            cr_expect_eq(utid_of(t, i), 1);
        }
        pf_trace_free(t);
        pf_buffer_free(&text);
    }
    pf_trace *t = load("[{\"ph\":\"B\",\"ts\":1,\"pid\":1e30},{\"ph\":\"B\",\"ts\":1,\"tid\":7},"
                       "{\"ph\":\"B\",\"ts\":1,\"pid\":0,\"tid\":7}]");
    cr_expect_eq(pf_trace_threads(t)->is_main[utid_of(t, 0)], 1);
    cr_expect_eq(utid_of(t, 1), utid_of(t, 2));
    pf_trace_free(t);
}

Test(identity, threads)
{
    pf_trace *t = load(THREAD_EVENTS);
    expect_threads(t);
    cr_expect_eq(utid_of(t, 2), utid_of(t, 0), "thread 0 is the main thread");
    pf_trace_free(t);
}

Test(identity, threads_of_aie_are_slots)
{
    pf_trace *t = load_aie(THREAD_EVENTS);
    expect_threads(t);
    cr_expect_neq(utid_of(t, 2), utid_of(t, 0), "slot 0 is a thread of its own");
    cr_expect_eq(pf_trace_threads(t)->tid[utid_of(t, 2)], 0);
    pf_trace_free(t);
    /* The name of slot 0 comes before the name that gives the dialect away. */
    t = load("[{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":5,\"tid\":0,\"args\":{\"name\":\"slot\"}},"
             "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":5,\"args\":{\"name\":\"core_trace for tile1,2\"}},"
             "{\"ph\":\"B\",\"ts\":1,\"pid\":5,\"tid\":0},{\"ph\":\"B\",\"ts\":1,\"pid\":5,\"tid\":5}]");
    cr_expect_eq(pf_trace_threads(t)->tid[utid_of(t, 0)], 0);
    cr_expect_eq(utid_of(t, 2), utid_of(t, 0));
    cr_expect_neq(utid_of(t, 3), utid_of(t, 0));
    cr_expect(string_is(t, pf_trace_threads(t)->name[utid_of(t, 2)], "slot"));
    pf_trace_free(t);
}

Test(identity, many_threads_beyond_the_cache)
{
    pf_buffer b = {0};
    pf_buffer_text(&b, "[");
    enum { THREADS = 5000 };
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < THREADS; i++) {
            pf_buffer_format(&b, "{\"ph\":\"B\",\"ts\":1,\"pid\":%d,\"tid\":%d},", i % 7, 100000 + i);
        }
    }
    pf_trace *t = load_bytes(b.data, b.len, NULL, 0, NULL);
    cr_assert_eq(pf_trace_events(t)->count, 2 * THREADS);
    for (uint32_t i = 0; i < THREADS; i++) {
        cr_assert_eq(pf_trace_threads(t)->tid[utid_of(t, i)], 100000 + i);
        cr_assert_eq(pf_trace_processes(t)->pid[upid_of(t, i)], i % 7);
        cr_assert_eq(utid_of(t, i), utid_of(t, i + THREADS));
    }
    pf_buffer_free(&b);
    pf_trace_free(t);
}

/* Two of these are one double, and one fits into 63 bits; more events than a piece has records. */
Test(identity, ids_beyond_63_bits_are_remembered_by_their_spelling)
{
    static const char *const tids[] = {"15514734831341844875", "15514734831341844876", "9223372036854775807",
                                       "9223372036854775808",  "18446744073709551616", "\"15514734831341844875\"",
                                       "155147348313418448",   "00155147348313418448"};
    static const char *const rows[] = {"REAL", "REAL", "INT", "REAL", "REAL", "TEXT", "INT", "INT"};
    enum { TIDS = 8, EVENTS = 4096 };
    pf_buffer b = {0};
    pf_buffer_text(&b, "[");
    for (int i = 0; i < EVENTS; i++) {
        pf_buffer_format(&b,
                         "{\"attr\":{\"TS1\":\"%d\"},\"name\":\"n\",\"ph\":\"B\",\"pid\":0,\"tid\":%s,\"ts\":%d},\n", i,
                         tids[i % TIDS], i);
    }
    pf_trace *t = load_bytes(b.data, b.len, NULL, 0, NULL);
    const pf_threads *threads = pf_trace_threads(t);
    cr_assert_eq(pf_trace_events(t)->count, EVENTS);
    for (uint32_t i = 0; i < EVENTS; i++) {
        uint32_t utid = utid_of(t, i);
        const char *kind = threads->kind[utid] == PF_ID_TEXT  ? "TEXT"
                           : threads->kind[utid] == PF_ID_INT ? "INT"
                                                              : "REAL";
        cr_assert_str_eq(kind, rows[i % TIDS], "tid %s", tids[i % TIDS]);
        cr_assert_eq(utid, utid_of(t, i % TIDS), "event %u", i);
    }
    cr_expect_neq(utid_of(t, 0), utid_of(t, 1), "as doubles they are equal");
    cr_expect_eq(utid_of(t, 6), utid_of(t, 7));
    cr_expect_eq(threads->tid[utid_of(t, 2)], INT64_MAX);
    cr_expect_eq(threads->tid[utid_of(t, 6)], 155147348313418448);
    cr_expect(string_is(t, threads->text[utid_of(t, 0)], "15514734831341844875"));
    cr_expect(string_is(t, threads->text[utid_of(t, 4)], "18446744073709551616"));
    pf_buffer_free(&b);
    pf_trace_free(t);
}

Test(identity, negative_ids_count_as_zero_and_are_remembered)
{
    /* Perfetto takes -1 for 0, and thread 0 of process 5 for its main thread. */
    pf_trace *t = load("[{\"ph\":\"X\",\"ts\":1,\"dur\":9,\"pid\":0,\"tid\":0},"
                       "{\"ph\":\"X\",\"ts\":2,\"dur\":1,\"pid\":-1,\"tid\":0},"
                       "{\"ph\":\"X\",\"ts\":1,\"dur\":9,\"pid\":5,\"tid\":5},"
                       "{\"ph\":\"X\",\"ts\":2,\"dur\":1,\"pid\":5,\"tid\":-549452224},"
                       "{\"ph\":\"X\",\"ts\":3,\"dur\":1,\"pid\":5,\"tid\":-549452224},"
                       "{\"ph\":\"X\",\"ts\":4,\"dur\":1,\"pid\":5,\"tid\":15514734831341844875}]");
    const pf_events *e = pf_trace_events(t);
    const pf_slices *s = pf_trace_slices(t);
    const pf_tracks *tracks = pf_trace_tracks(t);
    cr_assert_eq(s->count, 6);
    cr_expect_eq(upid_of(t, 1), upid_of(t, 0));
    cr_expect_eq(utid_of(t, 3), utid_of(t, 2));
    cr_expect_neq(utid_of(t, 5), utid_of(t, 2), "ids beyond 2^63 stay apart");
    cr_expect_neq(e->track[3], e->track[2]);
    cr_expect_eq(e->track[4], e->track[3]);
    for (uint32_t i = 0; i < s->count; i++) {
        cr_expect(s->track[i] == e->track[0] || s->track[i] == e->track[2] || s->track[i] == e->track[5]);
    }
    cr_expect_eq(tracks->used[e->track[1]], 0);
    const pf_row_args *a = pf_trace_row_args(t);
    cr_assert_eq(a->count, 4);
    static const int64_t numbers[] = {-1, 0, 5, -549452224};
    for (uint32_t i = 0; i < 4; i++) {
        cr_expect_eq(a->row[i], e->track[i < 2 ? 1 : 3]);
        cr_expect(string_is(t, a->key[i], i % 2 ? "tid" : "pid"));
        cr_expect_eq(a->number[i], numbers[i]);
    }
    pf_trace_free(t);
}

Test(identity, texts_name_what_they_stand_for)
{
    pf_trace *t = load("[{\"ph\":\"X\",\"ts\":1,\"dur\":9,\"pid\":\"Spans\",\"tid\":\"PyTorch Profiler\"},"
                       "{\"ph\":\"M\",\"name\":\"process_sort_index\",\"pid\":\"Spans\",\"tid\":0,"
                       "\"args\":{\"sort_index\":-2}},"
                       "{\"ph\":\"M\",\"name\":\"process_sort_index\",\"pid\":\"Spans\",\"tid\":0,"
                       "\"args\":{\"sort_index\":3.0}}]");
    const pf_threads *threads = pf_trace_threads(t);
    cr_assert_eq(threads->count, 3, "idle, main, PyTorch Profiler");
    cr_expect_eq(utid_of(t, 1), utid_of(t, 2));
    cr_expect(string_is(t, threads->name[utid_of(t, 0)], "PyTorch Profiler"));
    cr_expect_eq(threads->is_main[utid_of(t, 0)], 0);
    cr_expect_eq(threads->is_main[utid_of(t, 1)], 1);
    cr_expect_eq(threads->name[utid_of(t, 1)], 0);
    const pf_row_args *a = pf_trace_row_args(t);
    cr_assert_eq(a->count, 1, "a later hint replaces the earlier one");
    cr_expect_eq(a->owner[0], PF_OWNER_PROCESS);
    cr_expect_eq(a->number[0], 3);
    cr_expect(string_is(t, a->key[0], "process_sort_index_hint"));
    pf_trace_free(t);
}
