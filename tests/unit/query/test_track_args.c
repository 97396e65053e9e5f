/* What tracks of every type are keyed by and come from, in Perfetto's order (trace_processor v55.3), and the columns of
 * tables that are made of others. */
#include <stdio.h>
#include <string.h>

#include "support.h"

#define DESCRIBED "source=descriptor,trace_id=@,is_root_in_scope=false"
#define ASYNC "source=chrome,trace_id_is_process_scoped="

/* Of a thread, of a process, or of neither; '@' stands for the uuid, '#' for the name. */
static const struct {
    pf_track_type type;
    char of;
    const char *event, *dimension, *source;
} TYPES[] = {
    {PF_TRACK_THREAD_EXECUTION, 't', "slice", "utid=1", "-"},
    {PF_TRACK_THREAD_EVENT, 't', "slice", "utid=1,track_uuid=@", DESCRIBED},
    {PF_TRACK_PROCESS_EVENT, 'p', "slice", "upid=1,track_uuid=@", DESCRIBED},
    {PF_TRACK_GLOBAL_EVENT, '-', "slice", "track_uuid=@", DESCRIBED},
    {PF_TRACK_THREAD_MERGED, 't', "slice", "utid=1,track_compressor_idx=0", DESCRIBED},
    {PF_TRACK_PROCESS_MERGED, 'p', "slice", "upid=1,track_compressor_idx=0", DESCRIBED},
    {PF_TRACK_GLOBAL_MERGED, '-', "slice", "track_compressor_idx=0", DESCRIBED},
    {PF_TRACK_THREAD_OVERLAP, 't', "slice", "utid=1,track_compressor_idx=0", "-"},
    {PF_TRACK_THREAD_COUNTER, 't', "counter", "utid=1,track_uuid=@", DESCRIBED},
    {PF_TRACK_PROCESS_COUNTER, 'p', "counter", "upid=1,track_uuid=@", DESCRIBED},
    {PF_TRACK_GLOBAL_COUNTER, '-', "counter", "track_uuid=@", DESCRIBED},
    {PF_TRACK_JSON_COUNTER, 'p', "counter", "upid=1,name=#", "-"},
    {PF_TRACK_JSON_COUNTER, '-', "counter", "name=#", "-"},
    {PF_TRACK_JSON_GLOBAL_INSTANTS, '-', "slice", "-", "source=chrome"},
    {PF_TRACK_JSON_PROCESS_INSTANTS, 'p', "slice", "upid=1", "source=chrome"},
    {PF_TRACK_LEGACY_ASYNC_GLOBAL, '-', "slice", "scope=-,name=#,track_compressor_idx=0", ASYNC "false,source_scope=-"},
    {PF_TRACK_LEGACY_ASYNC_PROCESS, 'p', "slice", "upid=1,scope=-,name=#,track_compressor_idx=0",
     ASYNC "true,source_scope=-"},
    {PF_TRACK_THREAD_STATE, 't', "state", "utid=1,track_uuid=@", DESCRIBED},
    {PF_TRACK_PROCESS_STATE, 'p', "state", "upid=1,track_uuid=@", DESCRIBED},
    {PF_TRACK_GLOBAL_STATE, '-', "state", "track_uuid=@", DESCRIBED},
    {PF_TRACK_GPU_RENDER_STAGE, '-', "slice", "-", "-"},
    {PF_TRACK_PROCESS_MEMORY, 'p', "counter", "upid=1", "-"},
    {PF_TRACK_THREAD_TIME, 't', "counter", "utid=1", "-"},
};
enum { TYPE_COUNT = sizeof TYPES / sizeof *TYPES };

static uint32_t add_track_of(pf_trace *t, pf_track_type type, char of, uint64_t uuid, const char *name)
{
    const pf_track_row row = {.type = type,
                              .name = add_text(t, name),
                              .upid = of == 'p' ? 1 : PF_NONE,
                              .utid = of == 't' ? 1 : PF_NONE,
                              .parent = PF_NONE,
                              .group = PF_NONE,
                              .uuid = uuid};
    uint32_t track = pf_trace_add_track(t, &row, NULL);
    t->tracks.used[track] = 1;
    return track;
}

static void put_expected(pf_buffer *out, const char *form, unsigned uuid)
{
    for (; *form; form++) {
        if (*form == '@' || *form == '#') {
            pf_buffer_format(out, *form == '@' ? "%u" : "n%u", uuid);
        } else {
            pf_buffer_put(out, form, 1);
        }
    }
}

#define ARGS_IN(column)                                                                                                \
    "coalesce((SELECT group_concat(a.key || '=' || coalesce(a.display_value, '-')) FROM args a WHERE a.arg_set_id = "  \
    "t." column "), '-')"

Test(track_args, of_every_type)
{
    session s = {.t = pf_trace_new(NULL, PF_WANT_TABLES, NULL)};
    pf_buffer expected = {0};
    add_thread_track(s.t, 1, 1); /* process 1 and thread 1, whose track is the first */
    for (unsigned i = 0; i < TYPE_COUNT; i++) {
        char name[8];
        snprintf(name, sizeof name, "n%u", 100 + i);
        add_track_of(s.t, TYPES[i].type, TYPES[i].of, 100 + i, name);
        pf_buffer_format(&expected, "%u|%s|", i + 1, TYPES[i].event);
        put_expected(&expected, TYPES[i].dimension, 100 + i);
        pf_buffer_text(&expected, "|");
        put_expected(&expected, TYPES[i].source, 100 + i);
        pf_buffer_text(&expected, "\n");
    }
    pf_buffer_put(&expected, "", 1);
    cr_assert_eq(pf_trace_finish(s.t, NULL), PF_OK);
    cr_assert_eq(pf_query_open(s.t, &s.q, &s.err), PF_OK);
    EXPECT_ROWS(&s,
                "SELECT t.id, t.event_type, " ARGS_IN("dimension_arg_set_id") ", " ARGS_IN(
                    "source_arg_set_id") " FROM __intrinsic_track t WHERE id > 0 ORDER BY t.id",
                expected.data);
    EXPECT_ROWS(&s, "SELECT count(*), sum(utid) FROM thread_track WHERE id > 0", "4|4\n");
    EXPECT_ROWS(&s, "SELECT count(*), sum(upid) FROM process_track", "4|4\n");
    EXPECT_ROWS(&s, "SELECT count(*) FROM counter_track", "7\n");
    EXPECT_ROWS(&s, "SELECT count(*), sum(utid) FROM thread_counter_track", "2|2\n");
    EXPECT_ROWS(&s, "SELECT count(*), sum(upid) FROM process_counter_track", "3|3\n");
    EXPECT_ROWS(&s, "SELECT count(*) FROM state_track", "3\n");
    EXPECT_ROWS(&s, "SELECT count(*), sum(utid) FROM thread_state_track", "1|1\n");
    EXPECT_ROWS(&s, "SELECT count(*), sum(upid) FROM process_state_track", "1|1\n");
    pf_buffer_free(&expected);
    close_session(&s);
}

/* The track whose descriptor is that of its thread or process, or, without any, the one with the number 0. */
Test(track_args, roots)
{
    session s = {.t = pf_trace_new(NULL, PF_WANT_TABLES, NULL)};
    add_thread_track(s.t, 1, 1);
    s.t->processes.uuid[1] = 500;
    s.t->threads.uuid[1] = 501;
    static const struct {
        pf_track_type type;
        char of;
        uint64_t uuid;
    } TRACKS[] = {{PF_TRACK_THREAD_EVENT, 't', 501},  {PF_TRACK_THREAD_EVENT, 't', 500},
                  {PF_TRACK_THREAD_EVENT, 't', 0},    {PF_TRACK_PROCESS_EVENT, 'p', 500},
                  {PF_TRACK_PROCESS_EVENT, 'p', 501}, {PF_TRACK_PROCESS_EVENT, 'p', 0},
                  {PF_TRACK_GLOBAL_EVENT, '-', 500},  {PF_TRACK_GLOBAL_EVENT, '-', 0}};
    for (size_t i = 0; i < sizeof TRACKS / sizeof *TRACKS; i++) {
        add_track_of(s.t, TRACKS[i].type, TRACKS[i].of, TRACKS[i].uuid, NULL);
    }
    cr_assert_eq(pf_trace_finish(s.t, NULL), PF_OK);
    cr_assert_eq(pf_query_open(s.t, &s.q, &s.err), PF_OK);
    EXPECT_ROWS(&s, "SELECT id FROM track WHERE extract_arg(source_arg_set_id, 'is_root_in_scope') = 1 ORDER BY id",
                "1\n4\n8\n");
    close_session(&s);
}

/* The samples of a counter have the arguments of their events; of a JSON event the arguments are the samples. */
Test(track_args, of_counters)
{
    session s = {.t = pf_trace_new(NULL, PF_WANT_TABLES, NULL)};
    add_thread_track(s.t, 1, 1);
    uint32_t plain = add_track_of(s.t, PF_TRACK_GLOBAL_COUNTER, '-', 7, "c");
    uint32_t json = add_track_of(s.t, PF_TRACK_JSON_COUNTER, 'p', 8, "j");
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t track = i < 2 ? plain : json;
        add_event(s.t, track, 'C', 10 * i, 0, "c", NULL);
        add_args(s.t, i % 2 ? 2 : 5);
        cr_assert_eq(pf_trace_add_sample(s.t, 10 * i, i, track, i, NULL), PF_OK);
    }
    cr_assert_eq(pf_trace_add_sample(s.t, 50, 5, plain, PF_NONE, NULL), PF_OK);
    cr_assert_eq(pf_trace_finish(s.t, NULL), PF_OK);
    cr_assert_eq(pf_query_open(s.t, &s.q, &s.err), PF_OK);
    EXPECT_ROWS(&s, "SELECT c.ts, a.key, a.display_value FROM counter c LEFT JOIN args a USING (arg_set_id) ORDER BY 1",
                "0|debug.u|18446744073709551615\n10|args.x|1\n20|-|-\n30|-|-\n50|-|-\n");
    EXPECT_ROWS(&s, "SELECT extract_arg(arg_set_id, 'args.x') FROM counter WHERE ts = 10", "1\n");
    close_session(&s);
}

/* The columns of processes and threads that are made of others: Android's users have 100,000 uids each. */
Test(track_args, processes_and_threads)
{
    session s = {.t = pf_trace_new(NULL, PF_WANT_TABLES, NULL)};
    static const int64_t UIDS[] = {-1, 0, 99999, 100000, 1010123};
    for (int i = 0; i < 5; i++) {
        add_thread_track(s.t, 10 + i, i % 2 ? 10 + i : 90 + i);
        s.t->processes.uid[i + 1] = UIDS[i];
    }
    cr_assert_eq(pf_trace_finish(s.t, NULL), PF_OK);
    cr_assert_eq(pf_query_open(s.t, &s.q, &s.err), PF_OK);
    EXPECT_ROWS(&s, "SELECT upid, android_appid, android_user_id FROM process WHERE upid > 0",
                "1|-|-\n2|0|0\n3|99999|0\n4|0|1\n5|10123|10\n");
    EXPECT_ROWS(&s, "SELECT tid, is_main_thread, is_idle FROM thread WHERE tid BETWEEN 1 AND 99 AND is_main_thread = 0",
                "90|0|0\n92|0|0\n94|0|0\n");
    EXPECT_ROWS(&s, "SELECT utid, is_main_thread FROM thread WHERE is_idle = 1", "0|1\n");
    close_session(&s);
}
