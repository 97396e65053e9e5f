/* query/session/views.c - tables that are other tables in another shape, as SQL, and the tables of data that the model
 * does not hold: they exist without rows, so that scripts which join them run. */
#include <string.h>

#include "query/session/session.h"

/* clang-format off: the lines are those of the SQL */
const char pf_sql_views[] =
    "CREATE VIEW slices AS\n"
    "  SELECT *\n"
    "  FROM slice;\n"
    "CREATE VIEW instant AS\n"
    "  SELECT ts, track_id, name, arg_set_id\n"
    "  FROM slice\n"
    "  WHERE dur = 0;\n"
    "CREATE VIEW track AS\n"
    "  SELECT id, name, type, dimension_arg_set_id, parent_id, source_arg_set_id, machine_id,\n"
    "         track_group_id\n"
    "  FROM __intrinsic_track;\n"
    "CREATE VIEW thread_track AS\n"
    "  SELECT id, name, type, parent_id, source_arg_set_id, machine_id, utid\n"
    "  FROM __intrinsic_track\n"
    "  WHERE event_type = 'slice' AND utid IS NOT NULL;\n"
    "CREATE VIEW process_track AS\n"
    "  SELECT id, name, type, parent_id, source_arg_set_id, machine_id, upid\n"
    "  FROM __intrinsic_track\n"
    "  WHERE event_type = 'slice' AND upid IS NOT NULL;\n"
    "CREATE VIEW counter_track AS\n"
    "  SELECT id, name, parent_id, type, dimension_arg_set_id, source_arg_set_id, machine_id,\n"
    "         counter_unit AS unit,\n"
    "         extract_arg(source_arg_set_id, 'description') AS description\n"
    "  FROM __intrinsic_track\n"
    "  WHERE event_type = 'counter';\n"
    "CREATE VIEW thread_counter_track AS\n"
    "  SELECT id, name, type, parent_id, source_arg_set_id, machine_id, counter_unit AS unit,\n"
    "         extract_arg(source_arg_set_id, 'description') AS description,\n"
    "         utid\n"
    "  FROM __intrinsic_track\n"
    "  WHERE event_type = 'counter' AND utid IS NOT NULL;\n"
    "CREATE VIEW process_counter_track AS\n"
    "  SELECT id, name, type, parent_id, source_arg_set_id, machine_id, counter_unit AS unit,\n"
    "         extract_arg(source_arg_set_id, 'description') AS description,\n"
    "         upid\n"
    "  FROM __intrinsic_track\n"
    "  WHERE event_type = 'counter' AND upid IS NOT NULL;\n"
    "CREATE VIEW cpu AS\n"
    "  SELECT ucpu AS id, ucpu, cpu, cluster_id, processor, machine_id, capacity, arg_set_id\n"
    "  FROM __intrinsic_cpu\n"
    "  ORDER BY ucpu;\n"
    "CREATE VIEW cpu_track AS\n"
    "  SELECT id, name, type, parent_id, source_arg_set_id, machine_id,\n"
    "         extract_arg(dimension_arg_set_id, 'cpu') AS cpu\n"
    "  FROM __intrinsic_track\n"
    "  WHERE event_type = 'slice' AND extract_arg(dimension_arg_set_id, 'cpu') IS NOT NULL;\n"
    "CREATE VIEW cpu_counter_track AS\n"
    "  SELECT id, name, type, parent_id, source_arg_set_id, machine_id, counter_unit AS unit,\n"
    "         extract_arg(source_arg_set_id, 'description') AS description,\n"
    "         extract_arg(dimension_arg_set_id, 'cpu') AS cpu\n"
    "  FROM __intrinsic_track\n"
    "  WHERE event_type = 'counter' AND extract_arg(dimension_arg_set_id, 'cpu') IS NOT NULL;\n"
    "CREATE VIEW state_track AS\n"
    "  SELECT id, name, parent_id, type, dimension_arg_set_id, source_arg_set_id, machine_id\n"
    "  FROM __intrinsic_track\n"
    "  WHERE event_type = 'state';\n"
    "CREATE VIEW thread_state_track AS\n"
    "  SELECT id, name, type, parent_id, source_arg_set_id, machine_id, utid\n"
    "  FROM __intrinsic_track\n"
    "  WHERE event_type = 'state' AND utid IS NOT NULL;\n"
    "CREATE VIEW process_state_track AS\n"
    "  SELECT id, name, type, parent_id, source_arg_set_id, machine_id, upid\n"
    "  FROM __intrinsic_track\n"
    "  WHERE event_type = 'state' AND upid IS NOT NULL;\n"
    "CREATE VIEW gpu_track AS\n"
    "  SELECT id, name, type, parent_id, source_arg_set_id, dimension_arg_set_id, machine_id,\n"
    "         type AS scope,\n"
    "         extract_arg(source_arg_set_id, 'description') AS description,\n"
    "         extract_arg(dimension_arg_set_id, 'context_id') AS context_id\n"
    "  FROM __intrinsic_track\n"
    "  WHERE type IN ('gpu_render_stage', 'vulkan_events', 'gpu_log');\n"
    "CREATE VIEW gpu_counter_track AS\n"
    "  SELECT id, name, type, parent_id, source_arg_set_id, machine_id, counter_unit AS unit,\n"
    "         extract_arg(source_arg_set_id, 'description') AS description,\n"
    "         extract_arg(dimension_arg_set_id, 'ugpu') AS ugpu,\n"
    "         extract_arg(dimension_arg_set_id, 'gpu') AS gpu_id\n"
    "  FROM __intrinsic_track\n"
    "  WHERE type IN ('gpu_counter', 'gpu_memory', 'process_gpu_memory');\n"
    "CREATE VIEW gpu_slice AS\n"
    "  SELECT s.id, s.ts, s.dur, s.track_id, s.category, s.name, s.depth, s.parent_id, s.arg_set_id,\n"
    "         extract_arg(s.arg_set_id, 'context_id') AS context_id,\n"
    "         extract_arg(s.arg_set_id, 'render_target') AS render_target,\n"
    "         extract_arg(s.arg_set_id, 'render_target_name') AS render_target_name,\n"
    "         extract_arg(s.arg_set_id, 'render_pass') AS render_pass,\n"
    "         extract_arg(s.arg_set_id, 'render_pass_name') AS render_pass_name,\n"
    "         extract_arg(s.arg_set_id, 'command_buffer') AS command_buffer,\n"
    "         extract_arg(s.arg_set_id, 'command_buffer_name') AS command_buffer_name,\n"
    "         extract_arg(s.arg_set_id, 'frame_id') AS frame_id,\n"
    "         extract_arg(s.arg_set_id, 'submission_id') AS submission_id,\n"
    "         extract_arg(s.arg_set_id, 'hw_queue_id') AS hw_queue_id,\n"
    "         extract_arg(s.arg_set_id, 'upid') AS upid,\n"
    "         extract_arg(s.arg_set_id, 'render_subpasses') AS render_subpasses,\n"
    "         extract_arg(s.arg_set_id, 'render_stage_category') AS render_stage_category\n"
    "  FROM gpu_track t\n"
    "    JOIN slice s ON s.track_id = t.id;\n"
    "CREATE VIEW counters AS\n"
    "  SELECT c.id, c.ts, c.track_id, c.value, c.arg_set_id, t.name, t.counter_unit AS unit\n"
    "  FROM counter c\n"
    "    JOIN __intrinsic_track t ON t.id = c.track_id\n"
    "  ORDER BY c.ts;\n"
    "CREATE VIEW thread_slice AS\n"
    "  SELECT s.id, s.ts, s.dur, s.category, s.name, s.track_id, t.name AS track_name,\n"
    "         thread.name AS thread_name, thread.utid, thread.tid, thread.is_main_thread,\n"
    "         process.name AS process_name, process.upid, process.pid, s.depth, s.parent_id, s.arg_set_id,\n"
    "         s.thread_ts, s.thread_dur\n"
    "  FROM slice s\n"
    "    JOIN thread_track t ON t.id = s.track_id\n"
    "    JOIN thread ON thread.utid = t.utid\n"
    "    LEFT JOIN process ON process.upid = thread.upid;\n"
    "CREATE VIEW process_slice AS\n"
    "  SELECT s.id, s.ts, s.dur, s.category, s.name, s.track_id, t.name AS track_name,\n"
    "         process.name AS process_name, process.upid, process.pid, s.depth, s.parent_id, s.arg_set_id,\n"
    "         s.thread_ts, s.thread_dur\n"
    "  FROM slice s\n"
    "    JOIN process_track t ON t.id = s.track_id\n"
    "    JOIN process ON process.upid = t.upid;\n"
    "CREATE VIEW thread_or_process_slice AS\n"
    "  SELECT id, ts, dur, category, name, track_id, track_name, thread_name, utid, tid, process_name,\n"
    "         upid, pid, depth, parent_id, arg_set_id\n"
    "  FROM thread_slice\n"
    "  UNION ALL\n"
    "  SELECT id, ts, dur, category, name, track_id, track_name, NULL, NULL, NULL, process_name, upid,\n"
    "         pid, depth, parent_id, arg_set_id\n"
    "  FROM process_slice;\n"
    "CREATE VIEW sched_slice AS\n"
    "  SELECT id, ts, dur, ucpu AS cpu, utid, end_state, priority, ucpu\n"
    "  FROM __intrinsic_sched_slice;\n"
    "CREATE VIEW sched AS\n"
    "  SELECT id, ts, dur, ucpu AS cpu, utid, end_state, priority, ucpu, ts + dur AS ts_end\n"
    "  FROM __intrinsic_sched_slice;\n"
    "CREATE VIEW ftrace_event AS\n"
    "  SELECT id, ts, name, ucpu AS cpu, utid, arg_set_id, common_flags, ucpu\n"
    "  FROM __intrinsic_ftrace_event;\n"
    "CREATE VIEW raw AS\n"
    "  SELECT *\n"
    "  FROM ftrace_event;\n"
    "CREATE VIEW thread_state AS\n"
    "  SELECT id, ts, dur, ucpu AS cpu, utid, state, io_wait, blocked_function, waker_utid, waker_id, irq_context,\n"
    "         ucpu\n"
    "  FROM __intrinsic_thread_state;\n"
    "CREATE VIEW expected_frame_timeline_slice AS\n"
    "  SELECT s.id, s.ts, s.dur, s.track_id, s.category, s.name, s.depth, s.parent_id, s.arg_set_id,\n"
    "         extract_arg(s.arg_set_id, 'Display frame token') AS display_frame_token,\n"
    "         extract_arg(s.arg_set_id, 'Surface frame token') AS surface_frame_token,\n"
    "         t.upid,\n"
    "         extract_arg(s.arg_set_id, 'Layer name') AS layer_name\n"
    "  FROM slice s JOIN process_track t ON t.id = s.track_id\n"
    "  WHERE t.type = 'android_expected_frame_timeline';\n"
    "CREATE VIEW actual_frame_timeline_slice AS\n"
    "  SELECT s.id, s.ts, s.dur, s.track_id, s.category, s.name, s.depth, s.parent_id, s.arg_set_id,\n"
    "         extract_arg(s.arg_set_id, 'Display frame token') AS display_frame_token,\n"
    "         extract_arg(s.arg_set_id, 'Surface frame token') AS surface_frame_token,\n"
    "         t.upid,\n"
    "         extract_arg(s.arg_set_id, 'Layer name') AS layer_name,\n"
    "         extract_arg(s.arg_set_id, 'Present type') AS present_type,\n"
    "         extract_arg(s.arg_set_id, 'On time finish') AS on_time_finish,\n"
    "         extract_arg(s.arg_set_id, 'GPU composition') AS gpu_composition,\n"
    "         extract_arg(s.arg_set_id, 'Jank type') AS jank_type,\n"
    "         extract_arg(s.arg_set_id, 'Jank severity type') AS jank_severity_type,\n"
    "         extract_arg(s.arg_set_id, 'Prediction type') AS prediction_type,\n"
    "         extract_arg(s.arg_set_id, 'Jank tag') AS jank_tag,\n"
    "         extract_arg(s.arg_set_id, 'Jank tag (experimental)') AS jank_tag_experimental,\n"
    "         extract_arg(s.arg_set_id, 'Jank Severity Score') AS jank_score,\n"
    "         extract_arg(s.arg_set_id, 'Latched unsignaled count') AS latched_unsignaled_count,\n"
    "         extract_arg(s.arg_set_id, 'Addressable unsignaled latch count') AS addressable_unsignaled_latch_count,\n"
    "         extract_arg(s.arg_set_id, 'Latched fence state') AS latched_fence_state\n"
    "  FROM slice s JOIN process_track t ON t.id = s.track_id\n"
    "  WHERE t.type = 'android_actual_frame_timeline';\n"
    "CREATE VIEW __intrinsic_track_event_callstacks AS\n"
    "  SELECT e.id, e.slice_id, s.track_id, e.callsite_id, e.end_callsite_id, e.weight\n"
    "  FROM __intrinsic_event_stack e\n"
    "    JOIN slice s ON s.id = e.slice_id\n"
    "  WHERE e.callsite_id IS NOT NULL OR e.end_callsite_id IS NOT NULL;\n";
/* clang-format on */

const pf_sql_empty pf_sql_empties[] = {
    {"__intrinsic_trace_import_logs", "id trace_id ts byte_offset stat_key arg_set_id"},
};
const size_t pf_sql_empty_count = sizeof pf_sql_empties / sizeof *pf_sql_empties;

/* Those that only modules of the user's packages name: 2 KB of memory each. */
const pf_sql_empty pf_sql_module_empties[] = {
    {"package_list", "id package_name uid debuggable profileable_from_shell version_code"},
    {"__intrinsic_android_user_list", "id type android_user_id"},
    {"heap_graph_class", "id name deobfuscated_name location superclass_id classloader_id kind"},
    {"heap_graph_object", "id upid graph_sample_ts self_size native_size reference_set_id reachable heap_type type_id "
                          "root_type root_distance object_data_id"},
    {"heap_graph_object_data", "id field_set_id value_string array_element_type array_element_count array_data_id "
                               "array_data_hash"},
    {"heap_graph_reference",
     "id reference_set_id owner_id owned_id field_name field_type_name deobfuscated_field_name"},
    {"heap_graph_primitive", "id field_set_id field_name field_type bool_value byte_value char_value short_value "
                             "int_value long_value float_value double_value"},
    {"heap_profile_allocation", "id ts upid heap_name callsite_id count size"},
    {"perf_sample", "id ts utid cpu cpu_mode callsite_id unwind_error perf_session_id"},
    {"__intrinsic_android_input_event_dispatch", "id event_id arg_set_id vsync_id window_id base64_proto_id"},
    {"heap_graph", "id ts upid dump_reason heap_size truncated"},
    {"__intrinsic_android_network_packets",
     "id iface direction packet_transport packet_length packet_count socket_tag socket_tag_str socket_uid local_port "
     "remote_port packet_icmp_type packet_icmp_code packet_tcp_flags packet_tcp_flags_str"},
    {"__intrinsic_inputmethod_clients", "id ts arg_set_id base64_proto_id"},
    {"__intrinsic_winscope_rect", "id x y w h"},
    {"__intrinsic_surfaceflinger_transaction",
     "id snapshot_id arg_set_id base64_proto_id transaction_id pid uid layer_id display_id flags_id transaction_type"},
    {"__intrinsic_window_manager_shell_transition_participants",
     "id transition_id layer_id window_id mode flags start_display_id end_display_id start_rotation end_rotation "
     "start_abs_bounds_rect_id end_abs_bounds_rect_id"},
    {"__intrinsic_viewcapture", "id ts arg_set_id base64_proto_id package_name window_name"},
    {"__intrinsic_windowmanager", "id ts arg_set_id base64_proto_id focused_display_id has_invalid_elapsed_ts"},
    {"profiler_smaps", "id upid ts path path_trimmed aggregate_count is_deleted size_kb private_dirty_kb swap_kb "
                       "file_name start_address module_timestamp module_debugid module_debug_path protection_flags "
                       "private_clean_resident_kb shared_dirty_resident_kb shared_clean_resident_kb locked_kb "
                       "proportional_resident_kb rss_kb anonymous_kb pss_dirty_kb swap_pss_kb"},
    {"__intrinsic_inputmethod_manager_service", "id ts arg_set_id base64_proto_id"},
    {"__intrinsic_winscope_transform", "id dsdx dtdx tx dtdy dsdy ty"},
    {"__intrinsic_surfaceflinger_transaction_flag", "id flags_id flag"},
    {"__intrinsic_window_manager_shell_transition_protos", "id transition_id base64_proto_id"},
    {"__intrinsic_viewcapture_view", "id snapshot_id arg_set_id base64_proto_id node_id hashcode is_visible parent_id "
                                     "view_id class_name trace_rect_id"},
    {"__intrinsic_windowmanager_windowcontainer", "id snapshot_id arg_set_id base64_proto_id title token parent_token "
                                                  "child_index is_visible window_rect_id container_type name_override"},
    {"__intrinsic_inputmethod_service", "id ts arg_set_id base64_proto_id"},
    {"__intrinsic_winscope_trace_rect",
     "id rect_id group_id depth is_spy is_visible opacity transform_id border_width border_color"},
    {"__intrinsic_surfaceflinger_display", "id snapshot_id is_on is_virtual trace_rect_id display_id display_name"},
    {"__intrinsic_winscope_fill_region", "id trace_rect_id rect_id"},
    {"stack_sample", "id ts source task_context_id execution_context_id callsite_id session_id"},
    {"stack_sample_session", "id source timebase_unit cmdline"},
    {"stack_sample_async_context", "id name kind parent_id"},
    {"stack_sample_task_context", "id upid utid async_context_id"},
    {"stack_sample_execution_context", "id ucpu cpu_mode"},
    {"__intrinsic_heap_graph_java_oome_details",
     "id heap_graph_id allocation_size_bytes total_bytes_free free_bytes_until_oom error_msg"},
    {"__intrinsic_android_aflags", "id ts package name flag_namespace container value staged_value permission "
                                   "value_picked_from storage_backend type"},
    {"__intrinsic_android_cpu_per_uid_track", "id track_id uid cluster total_cpu_millis"},
    {"android_dumpstate", "id section service line"},
    {"__intrinsic_android_key_events",
     "id event_id ts arg_set_id base64_proto_id source action device_id display_id key_code"},
    {"__intrinsic_android_motion_events",
     "id event_id ts arg_set_id base64_proto_id source action device_id display_id"},
    {"heap_profile", "id ts ts_end dur upid heap_name"},
    {"__intrinsic_spe_record",
     "id ts utid exception_level instruction_frame_id operation data_virtual_address data_physical_address "
     "total_latency issue_latency translation_latency events_bitmask data_source"},
    {"instruments_sample", "id ts utid callsite_id cpu"},
    {"_linux_interrupt_mapping", "id irq_id name machine_id"},
    {"__intrinsic_jit_code",
     "id create_ts estimated_delete_ts utid start_address size function_name native_code_base64 "
     "jit_code_id"},
    {"__intrinsic_jit_frame", "id jit_code_id frame_id"},
    {"__intrinsic_v8_isolate", "id upid internal_isolate_id embedded_blob_code_start_address embedded_blob_code_size "
                               "code_range_base_address code_range_size shared_code_range "
                               "embedded_blob_code_copy_start_address"},
    {"__intrinsic_v8_js_script", "id v8_isolate_id internal_script_id script_type name source"},
    {"__intrinsic_v8_wasm_script", "id v8_isolate_id internal_script_id url wire_bytes_base64 source"},
    {"__intrinsic_v8_js_function", "id name v8_js_script_id is_toplevel kind line col"},
    {"__intrinsic_v8_js_code", "id jit_code_id v8_js_function_id tier bytecode_base64"},
    {"__intrinsic_v8_internal_code", "id jit_code_id v8_isolate_id function_name code_type"},
    {"__intrinsic_v8_wasm_code",
     "id jit_code_id v8_isolate_id v8_wasm_script_id function_name tier code_offset_in_module"},
    {"__intrinsic_v8_regexp_code", "id jit_code_id v8_isolate_id pattern"},
};
const size_t pf_sql_module_empty_count = sizeof pf_sql_module_empties / sizeof *pf_sql_module_empties;

void pf_sql_put_empties(pf_buffer *sql, const char *create, const pf_sql_empty *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        pf_buffer_format(sql, "%s \"%s\" AS SELECT ", create, list[i].name);
        for (const char *at = list[i].columns; *at;) {
            size_t len = strcspn(at, " ");
            pf_buffer_format(sql, "%sNULL AS \"%.*s\"", at == list[i].columns ? "" : ",", (int)len, at);
            at += len + (at[len] == ' ');
        }
        pf_buffer_text(sql, " WHERE 0;");
    }
}
