/* model/trace/fault_counts.h - the kinds of recoverable faults. Names are Perfetto's where Perfetto has the same one.
 */
#ifndef PF_MODEL_TRACE_FAULT_COUNTS_H
#define PF_MODEL_TRACE_FAULT_COUNTS_H

#include "postfetto/trace.h"

/* Perfetto says of each counter whether the recording or the analysis is to blame. */
#define PF_OF_TRACE "trace"
#define PF_OF_ANALYSIS "analysis"

#define PF_LOSES true
#define PF_KEEPS false

/* X(id, name, severity, source, loss, description). The severity is that of Perfetto's engine, which calls some things
 * errors that lose nothing; the loss is ours: whether something that was recorded is missing from the tables because of
 * it. What this program does not decode is whole in the file and no loss. */
#define PF_STATS(X)                                                                                                    \
    X(JSON_TOKENIZER_FAILURE, "json_tokenizer_failure", PF_ERROR, PF_OF_TRACE, PF_LOSES,                               \
      "events without a phase or with unusable times")                                                                 \
    X(JSON_PARSER_FAILURE, "json_parser_failure", PF_ERROR, PF_OF_TRACE, PF_LOSES,                                     \
      "events whose phase lacks what it needs")                                                                        \
    X(JSON_SYNTAX, "postfetto_json_syntax", PF_ERROR, PF_OF_TRACE, PF_LOSES,                                           \
      "broken JSON skipped up to the next event")                                                                      \
    X(JSON_TRUNCATED, "postfetto_json_truncated", PF_DATA_LOSS, PF_OF_TRACE, PF_LOSES,                                 \
      "the document ends in the middle")                                                                               \
    X(JSON_ARGS_DROPPED, "postfetto_args_dropped", PF_ERROR, PF_OF_TRACE, PF_LOSES,                                    \
      "arguments beyond --max-depth or --max-keys")                                                                    \
    X(ARGS_DAMAGED, "postfetto_args_damaged", PF_DATA_LOSS, PF_OF_TRACE, PF_LOSES,                                     \
      "events whose arguments do not decode to their end")                                                             \
    X(JSON_BAD_VALUE, "postfetto_json_bad_value", PF_NOTICE, PF_OF_TRACE, PF_KEEPS,                                    \
      "values that are not JSON (NaN, Infinity, lone surrogates)")                                                     \
    X(JSON_DOCUMENTS, "postfetto_json_documents", PF_NOTICE, PF_OF_TRACE, PF_KEEPS,                                    \
      "further documents after the first; all were read, Perfetto reads one")                                          \
    X(JSON_ENTRY_DROPPED, "postfetto_json_entry_dropped", PF_NOTICE, PF_OF_TRACE, PF_LOSES,                            \
      "values besides the events that are too large or too many to keep")                                              \
    X(JSON_UNKNOWN_PHASE, "postfetto_json_unknown_phase", PF_INFO, PF_OF_TRACE, PF_KEEPS,                              \
      "events whose phase has no meaning here")                                                                        \
    X(CSV_ROW, "postfetto_csv_row_dropped", PF_ERROR, PF_OF_TRACE, PF_LOSES,                                           \
      "rows of a table whose start or duration is not a number of ns in 64 bits")                                      \
    X(PICKLE_TRUNCATED, "postfetto_pickle_truncated", PF_DATA_LOSS, PF_OF_TRACE, PF_LOSES,                             \
      "the pickle ends in the middle; the events before were read")                                                    \
    X(PICKLE_ITEMS, "postfetto_pickle_items_unknown", PF_NOTICE, PF_OF_TRACE, PF_KEEPS,                                \
      "items of a pickled list that are not a known event; they are kept as values")                                   \
    X(STREAM_CLOCK, "postfetto_stream_clock_unknown", PF_NOTICE, PF_OF_TRACE, PF_KEEPS,                                \
      "thread traces whose clock nothing says; a cycle is drawn as a nanosecond")                                      \
    X(RECORDS_CUT, "postfetto_records_cut", PF_DATA_LOSS, PF_OF_TRACE, PF_LOSES,                                       \
      "files of binary records that are truncated or whose header cannot be used")                                     \
    X(RECORDS_SPARE, "postfetto_records_spare", PF_NOTICE, PF_OF_TRACE, PF_KEEPS,                                      \
      "files of binary records with bytes after the last one")                                                         \
    X(GZIP_TRUNCATED, "postfetto_gzip_truncated", PF_DATA_LOSS, PF_OF_TRACE, PF_LOSES,                                 \
      "the compressed stream ends in the middle")                                                                      \
    X(GZIP_DAMAGED, "postfetto_gzip_damaged", PF_DATA_LOSS, PF_OF_TRACE, PF_LOSES,                                     \
      "the compressed stream is damaged; the rest is lost")                                                            \
    X(GZIP_TRAILING, "postfetto_gzip_trailing", PF_NOTICE, PF_OF_TRACE, PF_KEEPS,                                      \
      "bytes after the last gzip member were ignored")                                                                 \
    X(ZSTD_TRUNCATED, "postfetto_zstd_truncated", PF_DATA_LOSS, PF_OF_TRACE, PF_LOSES,                                 \
      "the zstd stream ends in the middle")                                                                            \
    X(ZSTD_DAMAGED, "postfetto_zstd_damaged", PF_DATA_LOSS, PF_OF_TRACE, PF_LOSES,                                     \
      "the zstd stream is damaged; the rest is lost")                                                                  \
    X(ZSTD_TRAILING, "postfetto_zstd_trailing", PF_NOTICE, PF_OF_TRACE, PF_KEEPS,                                      \
      "bytes after the last zstd frame were ignored")                                                                  \
    X(ZIP_TRUNCATED, "postfetto_zip_truncated", PF_DATA_LOSS, PF_OF_TRACE, PF_LOSES,                                   \
      "the zip archive ends in the middle")                                                                            \
    X(ZIP_DAMAGED, "postfetto_zip_damaged", PF_DATA_LOSS, PF_OF_TRACE, PF_LOSES,                                       \
      "the zip archive is damaged or a checksum is wrong")                                                             \
    X(PROTO_TRUNCATED, "postfetto_proto_truncated", PF_DATA_LOSS, PF_OF_TRACE, PF_LOSES,                               \
      "the last packet is incomplete")                                                                                 \
    X(PROTO_DAMAGED, "postfetto_proto_damaged", PF_DATA_LOSS, PF_OF_TRACE, PF_LOSES,                                   \
      "bytes that are not a packet; the rest is lost")                                                                 \
    X(PROTO_PACKET_DAMAGED, "postfetto_proto_packet_damaged", PF_DATA_LOSS, PF_OF_TRACE, PF_LOSES,                     \
      "packets that do not decode to their end, or are longer than 256 MiB - 1")                                       \
    X(PROTO_MIXED, "postfetto_proto_mixed_compression", PF_ERROR, PF_OF_TRACE, PF_KEEPS,                               \
      "changes between zlib and zstd packets; Perfetto refuses such a trace")                                          \
    X(PACKETS_NOT_DECODED, "postfetto_packets_not_decoded", PF_INFO, PF_OF_TRACE, PF_KEEPS,                            \
      "packets of data sources that are not decoded")                                                                  \
    X(OTHER_MACHINE, "postfetto_other_machine", PF_NOTICE, PF_OF_TRACE, PF_KEEPS,                                      \
      "packets of further machines than 257; they are not read")                                                       \
    X(OWN_FINDINGS, "postfetto_own_findings", PF_INFO, PF_OF_TRACE, PF_KEEPS,                                          \
      "packets and events that postfetto drew in earlier; they are left out")                                          \
    X(SLICE_NEGATIVE_DURATION, "slice_negative_duration", PF_ERROR, PF_OF_ANALYSIS, PF_LOSES,                          \
      "complete events with a negative duration")                                                                      \
    X(SLICE_SPILL, "slice_spill_overlapping_complete_event", PF_ERROR, PF_OF_ANALYSIS, PF_KEEPS,                       \
      "complete events put on an overlap lane")                                                                        \
    X(SLICE_MAX_DEPTH, "slice_max_depth_exceeded", PF_ERROR, PF_OF_ANALYSIS, PF_LOSES,                                 \
      "slices nested deeper than 512")                                                                                 \
    X(MISPLACED_END, "misplaced_end_event", PF_DATA_LOSS, PF_OF_ANALYSIS, PF_LOSES,                                    \
      "slices cut because an outer one ended first")                                                                   \
    X(NEGATIVE_TS, "trace_sorter_negative_timestamp_dropped", PF_ERROR, PF_OF_TRACE, PF_LOSES,                         \
      "events before time zero")                                                                                       \
    X(EVENT_NO_SEQUENCE, "track_event_missing_sequence_id", PF_ERROR, PF_OF_ANALYSIS, PF_LOSES,                        \
      "track events without a packet sequence")                                                                        \
    X(EVENT_NO_TIMESTAMP, "track_event_missing_timestamp", PF_ERROR, PF_OF_ANALYSIS, PF_LOSES,                         \
      "track events without a time")                                                                                   \
    X(EVENT_BAD_TIMESTAMP, "track_event_invalid_timestamp", PF_ERROR, PF_OF_ANALYSIS, PF_LOSES,                        \
      "track events before time zero")                                                                                 \
    X(DELTA_SKIPPED, "track_event_skipped_timestamp_delta_without_valid_state", PF_NOTICE, PF_OF_ANALYSIS, PF_LOSES,   \
      "events whose time counts from one that was lost")                                                               \
    X(THREAD_TIME_SKIPPED, "track_event_skipped_thread_time_delta_without_valid_state", PF_NOTICE, PF_OF_ANALYSIS,     \
      PF_LOSES, "events whose thread time counts from one that was lost")                                              \
    X(INSTRUCTIONS_SKIPPED, "track_event_skipped_thread_instruction_delta_without_valid_state", PF_NOTICE,             \
      PF_OF_ANALYSIS, PF_LOSES, "events whose instruction count counts from one that was lost")                        \
    X(UNKNOWN_EXTENSIONS, "unknown_extension_fields", PF_ERROR, PF_OF_TRACE, PF_KEEPS,                                 \
      "track events with extensions that are not known")                                                               \
    X(EXTRA_NO_TRACKS, "track_event_extra_counter_missing_track_uuids", PF_ERROR, PF_OF_ANALYSIS, PF_LOSES,            \
      "extra counter values without tracks")                                                                           \
    X(EXTRA_MISMATCH, "track_event_extra_counter_track_uuid_mismatch", PF_ERROR, PF_OF_ANALYSIS, PF_LOSES,             \
      "more extra counter values than tracks for them")                                                                \
    X(EXTRA_TOO_MANY, "track_event_extra_counter_exceeds_max", PF_ERROR, PF_OF_ANALYSIS, PF_LOSES,                     \
      "more than 8 extra counter values")                                                                              \
    X(EXTRA_BAD_TRACK, "track_event_extra_counter_invalid_track", PF_ERROR, PF_OF_ANALYSIS, PF_LOSES,                  \
      "extra counter values on no counter track")                                                                      \
    X(EVENT_ERRORS, "track_event_parser_errors", PF_INFO, PF_OF_ANALYSIS, PF_KEEPS, "track events with errors inside") \
    X(COUNTER_NO_TRACK, "track_event_counter_missing_track_uuid", PF_ERROR, PF_OF_ANALYSIS, PF_LOSES,                  \
      "counter events without a track")                                                                                \
    X(COUNTER_NO_VALUE, "track_event_counter_missing_value", PF_ERROR, PF_OF_ANALYSIS, PF_LOSES,                       \
      "counter events without a value")                                                                                \
    X(COUNTER_BAD_TRACK, "track_event_counter_invalid_track_uuid", PF_ERROR, PF_OF_ANALYSIS, PF_LOSES,                 \
      "counter events on no counter track")                                                                            \
    X(INTERNED_ERRORS, "interned_data_tokenizer_errors", PF_INFO, PF_OF_ANALYSIS, PF_KEEPS,                            \
      "interning ids that nothing defines")                                                                            \
    X(INTERNED_SKIPPED, "interned_data_skipped_incremental_state_invalid", PF_NOTICE, PF_OF_ANALYSIS, PF_LOSES,        \
      "interned data before valid incremental state")                                                                  \
    X(INTERNED_NO_SEQUENCE, "interned_data_missing_sequence_id", PF_ERROR, PF_OF_ANALYSIS, PF_LOSES,                   \
      "interned data without a packet sequence")                                                                       \
    X(PACKET_SKIPPED_STATE, "packet_skipped_seq_needs_incremental_state_invalid", PF_NOTICE, PF_OF_ANALYSIS, PF_LOSES, \
      "packets that need incremental state which was lost")                                                            \
    X(CLEARED_NO_SEQUENCE, "incremental_state_cleared_missing_sequence_id", PF_ERROR, PF_OF_ANALYSIS, PF_KEEPS,        \
      "state clears without a packet sequence")                                                                        \
    X(DROPPED_NO_SEQUENCE, "previous_packet_dropped_missing_sequence_id", PF_ERROR, PF_OF_ANALYSIS, PF_LOSES,          \
      "packet losses without a packet sequence")                                                                       \
    X(DEFAULTS_NO_SEQUENCE, "trace_packet_defaults_missing_sequence_id", PF_ERROR, PF_OF_ANALYSIS, PF_LOSES,           \
      "defaults without a packet sequence")                                                                            \
    X(THREAD_NO_SEQUENCE, "thread_descriptor_missing_sequence_id", PF_ERROR, PF_OF_ANALYSIS, PF_LOSES,                 \
      "thread descriptors without a packet sequence")                                                                  \
    X(THREAD_SKIPPED_STATE, "thread_descriptor_skipped_incremental_state_invalid", PF_NOTICE, PF_OF_ANALYSIS,          \
      PF_LOSES, "thread descriptors before valid incremental state")                                                   \
    X(TRACK_NO_UUID, "track_descriptor_missing_uuid", PF_ERROR, PF_OF_ANALYSIS, PF_LOSES,                              \
      "track descriptors without a uuid")                                                                              \
    X(TRACK_ROOT_PARENT, "track_descriptor_default_track_with_parent", PF_ERROR, PF_OF_ANALYSIS, PF_LOSES,             \
      "parents given to the default track")                                                                            \
    X(TRACK_ORDERING, "track_descriptor_invalid_child_ordering", PF_ERROR, PF_OF_ANALYSIS, PF_KEEPS,                   \
      "track descriptors of an unknown ordering")                                                                      \
    X(TRACK_CONFLICT, "track_descriptor_conflicting_reservation", PF_ERROR, PF_OF_ANALYSIS, PF_LOSES,                  \
      "track descriptors that contradict")                                                                             \
    X(TRACK_THREAD_NO_ID, "track_descriptor_thread_missing_pid_tid", PF_ERROR, PF_OF_ANALYSIS, PF_LOSES,               \
      "thread descriptors without ids")                                                                                \
    X(TRACK_PROCESS_NO_PID, "track_descriptor_process_missing_pid", PF_ERROR, PF_OF_ANALYSIS, PF_LOSES,                \
      "process descriptors without a pid")                                                                             \
    X(TRACK_HIERARCHY_MISSING, "track_hierarchy_missing_uuid", PF_INFO, PF_OF_ANALYSIS, PF_KEEPS,                      \
      "tracks whose parent is not described")                                                                          \
    X(TRACK_HIERARCHY_LOOP, "track_event_track_hierarchy_loop", PF_ERROR, PF_OF_ANALYSIS, PF_LOSES,                    \
      "tracks that are their own ancestor")                                                                            \
    X(TRACK_HIERARCHY_DEEP, "track_event_track_hierarchy_too_deep", PF_ERROR, PF_OF_ANALYSIS, PF_LOSES,                \
      "tracks nested deeper than 100")                                                                                 \
    X(FLOW_DUPLICATE, "flow_duplicate_id", PF_ERROR, PF_OF_TRACE, PF_LOSES, "flows that start twice with one id")      \
    X(FLOW_STEP_NO_START, "flow_step_without_start", PF_INFO, PF_OF_TRACE, PF_KEEPS, "flow steps without a start")     \
    X(FLOW_END_NO_START, "flow_end_without_start", PF_INFO, PF_OF_TRACE, PF_KEEPS, "flow ends without a start")        \
    X(FLOW_NO_SLICE, "flow_no_enclosing_slice", PF_ERROR, PF_OF_TRACE, PF_LOSES, "flow events outside of any slice")   \
    X(FLOW_WITHOUT_DIRECTION, "flow_without_direction", PF_ERROR, PF_OF_TRACE, PF_LOSES,                               \
      "slices with a flow id but no direction")                                                                        \
    X(FLOW_INVALID_ID, "flow_invalid_id", PF_ERROR, PF_OF_TRACE, PF_LOSES, "flow events without a usable id")          \
    X(GPU_COUNTER_SPEC, "gpu_counters_invalid_spec", PF_ERROR, PF_OF_ANALYSIS, PF_LOSES,                               \
      "GPU counters described twice or not at all")                                                                    \
    X(GPU_COUNTER_NO_TIMESTAMP, "gpu_counters_missing_timestamp", PF_ERROR, PF_OF_TRACE, PF_LOSES,                     \
      "GPU counter samples without a time")                                                                            \
    X(STACK_EMPTY, "stackprofile_empty_callstack", PF_ERROR, PF_OF_TRACE, PF_KEEPS, "call stacks without frames")      \
    X(STACK_NO_FRAME, "stackprofile_invalid_frame_id", PF_ERROR, PF_OF_TRACE, PF_LOSES,                                \
      "frames of call stacks that nothing defines")                                                                    \
    X(STACK_NO_STRING, "stackprofile_invalid_string_id", PF_ERROR, PF_OF_TRACE, PF_LOSES,                              \
      "strings of call stacks that nothing defines")                                                                   \
    X(CLOCK_INVALID_SNAPSHOT, "invalid_clock_snapshots", PF_ERROR, PF_OF_ANALYSIS, PF_LOSES,                           \
      "clock snapshots that contradict earlier ones")                                                                  \
    X(CLOCK_UNKNOWN, "clock_sync_failure_unknown_source_clock", PF_ERROR, PF_OF_ANALYSIS, PF_LOSES,                    \
      "times of clocks that no snapshot lists")                                                                        \
    X(CLOCK_NO_PATH, "clock_sync_failure_no_path", PF_ERROR, PF_OF_ANALYSIS, PF_LOSES,                                 \
      "times of clocks that nothing relates to the trace clock")                                                       \
    X(CLOCK_PACKET_LOSS, "clock_sync_failure_undeferrable_packet_loss", PF_DATA_LOSS, PF_OF_ANALYSIS, PF_LOSES,        \
      "packets dropped because their clock is unknown")                                                                \
    X(CONFIG_NO_FLUSH, "config_write_into_file_no_flush", PF_ERROR, PF_OF_TRACE, PF_KEEPS,                             \
      "recordings into a file without a flush period: their events may be far out of order")                           \
    X(CONFIG_DISCARD, "config_write_into_file_discard", PF_DATA_LOSS, PF_OF_TRACE, PF_KEEPS,                           \
      "buffers that stop when they are full, in a recording into a file")                                              \
    X(RANGE_NO_START, "track_event_range_of_interest_missing_start_us", PF_ERROR, PF_OF_ANALYSIS, PF_LOSES,            \
      "ranges of interest without a start")                                                                            \
    X(CHROME_METADATA_EMPTY, "empty_chrome_metadata", PF_ERROR, PF_OF_TRACE, PF_KEEPS,                                 \
      "Chrome metadata without a value")                                                                               \
    X(MEMINFO_UNKNOWN, "meminfo_unknown_keys", PF_ERROR, PF_OF_ANALYSIS, PF_LOSES, "unknown lines of /proc/meminfo")   \
    X(VMSTAT_UNKNOWN, "vmstat_unknown_keys", PF_ERROR, PF_OF_ANALYSIS, PF_LOSES, "unknown lines of /proc/vmstat")      \
    X(CPU_TIMES_NO_CPU, "invalid_cpu_times", PF_ERROR, PF_OF_ANALYSIS, PF_LOSES, "times of CPUs that are not named")   \
    X(PRESSURE_UNKNOWN, "psi_unknown_resource", PF_ERROR, PF_OF_ANALYSIS, PF_LOSES,                                    \
      "pressure of an unknown resource, with which the rest of its packet is lost")                                    \
    X(CPU_FEATURES_UNKNOWN, "cpu_info_unknown_cpu_features", PF_INFO, PF_OF_ANALYSIS, PF_KEEPS,                        \
      "features of CPUs that have no name here")                                                                       \
    X(CPU_INFO_EMPTY, "cpu_info_empty", PF_ERROR, PF_OF_ANALYSIS, PF_KEEPS, "descriptions of CPUs without any")        \
    X(FTRACE_BUNDLE, "ftrace_bundle_tokenizer_errors", PF_ERROR, PF_OF_ANALYSIS, PF_LOSES,                             \
      "ftrace events without a time, and bundles without a usable cpu or clock")                                       \
    X(FTRACE_MISSING_EVENT, "ftrace_missing_event_id", PF_INFO, PF_OF_ANALYSIS, PF_LOSES,                              \
      "ftrace events without a message")                                                                               \
    X(FTRACE_DESCRIPTOR, "ftrace_generic_descriptor_errors", PF_ERROR, PF_OF_ANALYSIS, PF_LOSES,                       \
      "ftrace events whose members nothing describes")                                                                 \
    X(FTRACE_EARLY, "ftrace_packet_before_tracing_start", PF_INFO, PF_OF_ANALYSIS, PF_KEEPS,                           \
      "ftrace events from before the recording")                                                                       \
    X(COMPACT_SCHED_ERRORS, "compact_sched_has_parse_errors", PF_ERROR, PF_OF_TRACE, PF_LOSES,                         \
      "compact lists of the scheduler that are damaged")                                                               \
    X(COMPACT_SWITCH_SKIPPED, "compact_sched_switch_skipped", PF_INFO, PF_OF_ANALYSIS, PF_KEEPS,                       \
      "first compact switches of cpus: who ran before is not known")                                                   \
    X(COMPACT_WAKING_SKIPPED, "compact_sched_waking_skipped", PF_INFO, PF_OF_ANALYSIS, PF_KEEPS,                       \
      "compact wakings in front of the first switch of their cpu")                                                     \
    X(MISMATCHED_SWITCH, "mismatched_sched_switch_tids", PF_ERROR, PF_OF_ANALYSIS, PF_LOSES,                           \
      "switches away from a thread that did not run: some are missing")                                                \
    X(TASK_STATE_INVALID, "task_state_invalid", PF_ERROR, PF_OF_ANALYSIS, PF_LOSES,                                    \
      "states of tasks that no kernel has")                                                                            \
    X(PROCESS_TRACKER, "process_tracker_errors", PF_ERROR, PF_OF_ANALYSIS, PF_LOSES,                                   \
      "threads that would belong to two processes")                                                                    \
    X(SYSTRACE_PARSE, "systrace_parse_failure", PF_ERROR, PF_OF_ANALYSIS, PF_LOSES,                                    \
      "lines of programs in ftrace that do not say a slice or a counter")                                              \
    X(TRUNCATED_WRITE, "truncated_sys_write_duration", PF_INFO, PF_OF_ANALYSIS, PF_KEEPS,                              \
      "calls that wrote a mark, which end in front of it")                                                             \
    X(RSS_NEGATIVE, "rss_stat_negative_size", PF_INFO, PF_OF_ANALYSIS, PF_LOSES, "negative sizes of memory")           \
    X(RSS_NO_THREAD, "rss_stat_unknown_thread_for_mm_id", PF_INFO, PF_OF_ANALYSIS, PF_LOSES,                           \
      "memory whose thread is not known")                                                                              \
    X(GENERIC_ORDER, "generic_task_state_invalid_order", PF_ERROR, PF_OF_ANALYSIS, PF_LOSES,                           \
      "states of tasks that cannot follow each other")                                                                 \
    X(RAIL_EMPTY, "power_rail_empty_packet", PF_ERROR, PF_OF_ANALYSIS, PF_KEEPS,                                       \
      "packets of power rails that measured nothing")                                                                  \
    X(RAIL_UNKNOWN, "power_rail_unknown_index", PF_ERROR, PF_OF_TRACE, PF_LOSES,                                       \
      "measurements of power rails that nothing describes")                                                            \
    X(PERF_SKIPPED, "perf_samples_skipped", PF_ERROR, PF_OF_ANALYSIS, PF_KEEPS, "samples of perf without a stack")     \
    X(PERF_NOT_QUEUED, "perf_samples_skipped_dataloss", PF_DATA_LOSS, PF_OF_TRACE, PF_KEEPS,                           \
      "samples of perf whose stack was lost")                                                                          \
    X(FRAME_ERRORS, "frame_timeline_event_parser_errors", PF_INFO, PF_OF_ANALYSIS, PF_LOSES,                           \
      "frames of Android with members that are missing or mean nothing")                                               \
    X(FRAME_UNPAIRED, "frame_timeline_unpaired_end_event", PF_INFO, PF_OF_ANALYSIS, PF_LOSES,                          \
      "ends of frames of Android that have not started")                                                               \
    X(FTRACE_SETUP, "ftrace_setup_errors", PF_NOTICE, PF_OF_TRACE, PF_KEEPS,                                           \
      "parts of ftrace that the recorder could not set up")                                                            \
    X(FTRACE_ZERO_LENGTH, "ftrace_abi_errors_skipped_zero_data_length", PF_INFO, PF_OF_ANALYSIS, PF_KEEPS,             \
      "empty events of ftrace")                                                                                        \
    X(SEQUENCE_LOSS, "postfetto_sequence_packet_loss", PF_DATA_LOSS, PF_OF_TRACE, PF_LOSES,                            \
      "packets that report a loss before them")

/* Those that have a value, or one for each CPU, and no row of stats without one (pf_trace_add_stat_value). */
#define PF_STAT_MEASURED(X, id, name, severity, loss, description)                                                     \
    X(id##_BEGIN, name "_begin", PF_INFO, PF_OF_TRACE, PF_KEEPS, description ", at the begin")                         \
    X(id##_END, name "_end", PF_INFO, PF_OF_TRACE, PF_KEEPS, description ", at the end")                               \
    X(id##_DELTA, name "_delta", severity, PF_OF_TRACE, loss, description ", while it was recorded")
#define PF_STAT_VALUES(X)                                                                                              \
    PF_STAT_MEASURED(X, FTRACE_ENTRIES, "ftrace_cpu_entries", PF_INFO, PF_KEEPS, "events in the kernel's buffer")      \
    PF_STAT_MEASURED(X, FTRACE_OVERRUN, "ftrace_cpu_overrun", PF_INFO, PF_KEEPS, "old events that made place for new") \
    PF_STAT_MEASURED(X, FTRACE_COMMIT_OVERRUN, "ftrace_cpu_commit_overrun", PF_ERROR, PF_LOSES,                        \
                     "events that the kernel lost to nested writes")                                                   \
    PF_STAT_MEASURED(X, FTRACE_BYTES, "ftrace_cpu_bytes", PF_INFO, PF_KEEPS, "bytes in the kernel's buffer")           \
    PF_STAT_MEASURED(X, FTRACE_DROPPED, "ftrace_cpu_dropped_events", PF_ERROR, PF_LOSES,                               \
                     "events that the kernel had no place for")                                                        \
    PF_STAT_MEASURED(X, FTRACE_READ, "ftrace_cpu_read_events", PF_INFO, PF_KEEPS, "events that were read")             \
    X(FTRACE_OLDEST_BEGIN, "ftrace_cpu_oldest_event_ts_begin", PF_INFO, PF_OF_TRACE, PF_KEEPS, "ns, oldest event")     \
    X(FTRACE_OLDEST_END, "ftrace_cpu_oldest_event_ts_end", PF_INFO, PF_OF_TRACE, PF_KEEPS, "ns, oldest event")         \
    X(FTRACE_NOW_BEGIN, "ftrace_cpu_now_ts_begin", PF_INFO, PF_OF_TRACE, PF_KEEPS, "ns, when the recording began")     \
    X(FTRACE_NOW_END, "ftrace_cpu_now_ts_end", PF_INFO, PF_OF_TRACE, PF_KEEPS, "ns, when the recording ended")         \
    PF_STAT_MEASURED(X, KPROBE_HITS, "ftrace_kprobe_hits", PF_INFO, PF_KEEPS, "hits of kprobes")                       \
    PF_STAT_MEASURED(X, KPROBE_MISSES, "ftrace_kprobe_misses", PF_DATA_LOSS, PF_LOSES, "missed hits of kprobes")       \
    X(LOG_TOTAL, "android_log_num_total", PF_INFO, PF_OF_TRACE, PF_KEEPS, "messages of Android's log")                 \
    X(LOG_FAILED, "android_log_num_failed", PF_ERROR, PF_OF_TRACE, PF_LOSES, "messages of Android's log that failed")  \
    X(LOG_SKIPPED, "android_log_num_skipped", PF_INFO, PF_OF_TRACE, PF_KEEPS, "messages of Android's log left out")    \
    X(PERF_LOST, "perf_cpu_lost_records", PF_DATA_LOSS, PF_OF_TRACE, PF_LOSES, "samples of perf that the kernel lost") \
    X(PERF_STOPPED, "perf_guardrail_stop_ts", PF_DATA_LOSS, PF_OF_TRACE, PF_LOSES, "ns, when perf stopped itself")     \
    X(FTRACE_CPU_LOSS, "ftrace_cpu_has_data_loss", PF_DATA_LOSS, PF_OF_TRACE, PF_LOSES, "CPUs that lost ftrace events")

typedef enum pf_stat_id {
#define PF_STAT_ENUM(id, name, severity, source, loss, description) PF_STAT_##id,
    PF_STATS(PF_STAT_ENUM) PF_STAT_COUNTED,
    PF_STAT_LAST_COUNTED = PF_STAT_COUNTED - 1,
    PF_STAT_VALUES(PF_STAT_ENUM)
#undef PF_STAT_ENUM
        PF_STAT_COUNT
} pf_stat_id;

#endif
