/* query/tables/views.c - tables that are other tables in another shape, as SQL, and the tables of data that the model
 * does not hold: they exist without rows, so that scripts which join them run. */
#include "query/session.h"

#define TRACK_OF "id, name, type, parent_id, source_arg_set_id, machine_id"
#define DESCRIPTION "extract_arg(source_arg_set_id, 'description') AS description"

#define ARG(key) " extract_arg(s.arg_set_id, '" key "') AS " key ","

const char pf_sql_views[] =
    "CREATE VIEW slices AS SELECT * FROM slice;"
    "CREATE VIEW instant AS SELECT ts, track_id, name, arg_set_id FROM slice WHERE dur = 0;"
    "CREATE VIEW track AS SELECT id, name, type, dimension_arg_set_id, parent_id, source_arg_set_id, machine_id,"
    " track_group_id FROM __intrinsic_track;"
    "CREATE VIEW thread_track AS SELECT " TRACK_OF ", utid FROM __intrinsic_track"
    " WHERE event_type = 'slice' AND utid IS NOT NULL;"
    "CREATE VIEW process_track AS SELECT " TRACK_OF ", upid FROM __intrinsic_track"
    " WHERE event_type = 'slice' AND upid IS NOT NULL;"
    "CREATE VIEW counter_track AS SELECT id, name, parent_id, type, dimension_arg_set_id, source_arg_set_id, "
    "machine_id,"
    " counter_unit AS unit, " DESCRIPTION " FROM __intrinsic_track WHERE event_type = 'counter';"
    "CREATE VIEW thread_counter_track AS SELECT " TRACK_OF ", counter_unit AS unit, " DESCRIPTION ", utid"
    " FROM __intrinsic_track WHERE event_type = 'counter' AND utid IS NOT NULL;"
    "CREATE VIEW process_counter_track AS SELECT " TRACK_OF ", counter_unit AS unit, " DESCRIPTION ", upid"
    " FROM __intrinsic_track WHERE event_type = 'counter' AND upid IS NOT NULL;"
    "CREATE VIEW state_track AS SELECT id, name, parent_id, type, dimension_arg_set_id, source_arg_set_id, machine_id"
    " FROM __intrinsic_track WHERE event_type = 'state';"
    "CREATE VIEW thread_state_track AS SELECT " TRACK_OF ", utid FROM __intrinsic_track"
    " WHERE event_type = 'state' AND utid IS NOT NULL;"
    "CREATE VIEW process_state_track AS SELECT " TRACK_OF ", upid FROM __intrinsic_track"
    " WHERE event_type = 'state' AND upid IS NOT NULL;"
    "CREATE VIEW gpu_track AS SELECT id, name, type, parent_id, source_arg_set_id, dimension_arg_set_id, machine_id,"
    " type AS scope, " DESCRIPTION ", extract_arg(dimension_arg_set_id, 'context_id') AS context_id"
    " FROM __intrinsic_track WHERE type IN ('gpu_render_stage', 'vulkan_events', 'gpu_log');"
    "CREATE VIEW gpu_counter_track AS SELECT " TRACK_OF ", counter_unit AS unit, " DESCRIPTION ","
    " extract_arg(dimension_arg_set_id, 'ugpu') AS ugpu, extract_arg(dimension_arg_set_id, 'gpu') AS gpu_id"
    " FROM __intrinsic_track WHERE type IN ('gpu_counter', 'gpu_memory', 'process_gpu_memory');"
    "CREATE VIEW gpu_slice AS SELECT s.id, s.ts, s.dur, s.track_id, s.category, s.name, s.depth, s.parent_id,"
    " s.arg_set_id, " ARG("context_id") ARG("render_target") ARG("render_target_name") ARG("render_pass")
        ARG("render_pass_name") ARG("command_buffer") ARG("command_buffer_name") ARG("frame_id") ARG("submission_id")
            ARG("hw_queue_id") ARG("upid")
                ARG("render_subpasses") " extract_arg(s.arg_set_id, 'render_stage_category') AS render_stage_category"
                                        " FROM gpu_track t JOIN slice s ON s.track_id = t.id;"
                                        "CREATE VIEW counters AS SELECT c.id, c.ts, c.track_id, c.value, c.arg_set_id, "
                                        "t.name, t.counter_unit AS unit"
                                        " FROM counter c JOIN __intrinsic_track t ON t.id = c.track_id ORDER BY c.ts;"
                                        "CREATE VIEW thread_slice AS SELECT s.id, s.ts, s.dur, s.category, s.name, "
                                        "s.track_id, t.name AS track_name,"
                                        " thread.name AS thread_name, thread.utid, thread.tid, thread.is_main_thread, "
                                        "process.name AS process_name,"
                                        " process.upid, process.pid, s.depth, s.parent_id, s.arg_set_id, s.thread_ts, "
                                        "s.thread_dur"
                                        " FROM slice s JOIN thread_track t ON t.id = s.track_id JOIN thread ON "
                                        "thread.utid = t.utid"
                                        " LEFT JOIN process ON process.upid = thread.upid;"
                                        "CREATE VIEW process_slice AS SELECT s.id, s.ts, s.dur, s.category, s.name, "
                                        "s.track_id, t.name AS track_name,"
                                        " process.name AS process_name, process.upid, process.pid, s.depth, "
                                        "s.parent_id, s.arg_set_id, s.thread_ts,"
                                        " s.thread_dur FROM slice s JOIN process_track t ON t.id = s.track_id JOIN "
                                        "process ON process.upid = t.upid;"
                                        "CREATE VIEW thread_or_process_slice AS SELECT id, ts, dur, category, name, "
                                        "track_id, track_name, thread_name, "
                                        "utid,"
                                        " tid, process_name, upid, pid, depth, parent_id, arg_set_id FROM thread_slice"
                                        " UNION ALL SELECT id, ts, dur, category, name, track_id, track_name, NULL, "
                                        "NULL, NULL, process_name, upid, pid,"
                                        " depth, parent_id, arg_set_id FROM process_slice;"
                                        "CREATE VIEW __intrinsic_track_event_callstacks AS SELECT e.id, e.slice_id, "
                                        "s.track_id, e.callsite_id, e.end_callsite_id, e.weight FROM "
                                        "__intrinsic_event_stack e JOIN slice s ON s.id = e.slice_id "
                                        "WHERE e.callsite_id IS NOT NULL OR e.end_callsite_id IS NOT NULL;";

const pf_sql_empty pf_sql_empties[] = {
    {"cpu", "id ucpu cpu cluster_id processor machine_id capacity arg_set_id"},
    {"cpu_track", "id name type parent_id source_arg_set_id machine_id cpu"},
    {"cpu_counter_track", "id name type parent_id source_arg_set_id machine_id unit description cpu"},
    {"sched", "id ts dur cpu utid end_state priority ucpu ts_end"},
    {"thread_state", "id ts dur cpu utid state io_wait blocked_function waker_utid waker_id irq_context ucpu"},
    {"__intrinsic_trace_import_logs", "id trace_id ts byte_offset stat_key arg_set_id"},
};
const size_t pf_sql_empty_count = sizeof pf_sql_empties / sizeof *pf_sql_empties;
