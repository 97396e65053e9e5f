/* read/perfetto/apply/inventory.c - how many packets of which kind an input has, and how many bytes they take.
 *
 * The kind of a packet is the field that its data is in. Packets are counted as they are applied, those that are not
 * decoded too, so that a person sees what a recording consists of. Field numbers from 256 on are counted together.
 */
#include "read/perfetto/apply/packet_apply.h"

/* Names of TracePacket.data by field number. */
static const char *const names[PF_INVENTORY_FIELDS] = {
    [0] = "(no data)",
    [1] = "ftrace_events",
    [2] = "process_tree",
    [4] = "inode_file_map",
    [5] = "chrome_events",
    [6] = "clock_snapshot",
    [7] = "sys_stats",
    [9] = "process_stats",
    [11] = "track_event",
    [33] = "trace_config",
    [34] = "ftrace_stats",
    [35] = "trace_stats",
    [36] = "synchronization_marker",
    [37] = "profile_packet",
    [38] = "battery",
    [39] = "android_log",
    [40] = "power_rails",
    [43] = "process_descriptor",
    [44] = "thread_descriptor",
    [45] = "system_info",
    [46] = "trigger",
    [47] = "packages_list",
    [48] = "chrome_benchmark_metadata",
    [49] = "perfetto_metatrace",
    [50] = "compressed_packets",
    [51] = "chrome_metadata",
    [52] = "gpu_counter_event",
    [53] = "gpu_render_stage_event",
    [54] = "streaming_profile_packet",
    [56] = "heap_graph",
    [57] = "graphics_frame_event",
    [60] = "track_descriptor",
    [61] = "module_symbols",
    [62] = "vulkan_memory_event",
    [63] = "gpu_log",
    [64] = "deobfuscation_mapping",
    [65] = "vulkan_api_event",
    [66] = "perf_sample",
    [67] = "cpu_info",
    [68] = "smaps_packet",
    [69] = "service_event",
    [70] = "initial_display_state",
    [71] = "gpu_mem_total_event",
    [72] = "extension_descriptor",
    [73] = "memory_tracker_snapshot",
    [74] = "streaming_allocation",
    [75] = "streaming_free",
    [76] = "frame_timeline_event",
    [77] = "android_energy_estimation_breakdown",
    [78] = "ui_state",
    [82] = "translation_table",
    [83] = "android_game_intervention_list",
    [84] = "statsd_atom",
    [86] = "android_system_property",
    [88] = "network_packet",
    [89] = "trace_uuid",
    [90] = "track_event_range_of_interest",
    [91] = "entity_state_residency",
    [92] = "network_packet_bundle",
    [93] = "surfaceflinger_layers_snapshot",
    [94] = "surfaceflinger_transactions",
    [95] = "etw_events",
    [96] = "shell_transition",
    [97] = "shell_handler_mappings",
    [99] = "v8_js_code",
    [100] = "v8_internal_code",
    [101] = "v8_wasm_code",
    [102] = "v8_reg_exp_code",
    [103] = "v8_code_move",
    [104] = "protolog_message",
    [105] = "protolog_viewer_config",
    [107] = "remote_clock_sync",
    [109] = "chrome_trigger",
    [110] = "pixel_modem_events",
    [111] = "pixel_modem_token_database",
    [112] = "winscope_extensions",
    [113] = "clone_snapshot_trigger",
    [114] = "bluetooth",
    [115] = "kernel_wakelock_data",
    [116] = "app_wakelock_bundle",
    [117] = "generic_kernel_task_state_event",
    [118] = "generic_kernel_cpu_freq_event",
    [119] = "cpu_per_uid_data",
    [120] = "generic_kernel_task_rename_event",
    [121] = "evdev_event",
    [122] = "generic_kernel_process_tree",
    [123] = "user_list",
    [124] = "trace_provenance",
    [125] = "protovms",
    [126] = "trace_attributes",
    [127] = "android_aflags",
    [128] = "gpu_info",
    [129] = "generic_gpu_frequency_event",
    [130] = "interrupt_info",
    [131] = "art_process_metadata",
    [132] = "journald_event",
    [133] = "zstd_compressed_packets",
    [134] = "concurrent_session_event",
    [135] = "stack_sample",
    [PF_INVENTORY_OTHER] = "(extension)",
};

static uint32_t count_kinds(const pf_inventory *v)
{
    uint32_t kinds = 0;
    for (size_t i = 0; i < PF_INVENTORY_FIELDS; i++) {
        kinds += v->packets[i] > 0;
    }
    return kinds;
}

void pf_import_list_packets(pf_import *im)
{
    const pf_inventory *v = &im->inventory;
    size_t bytes = (size_t)count_kinds(v) * sizeof(pf_packet_kind);
    im->input->sequences = im->sequences.count;
    pf_packet_kind *list = bytes && !pf_import_failed(im) ? pf_arena_alloc(&im->t->arena, bytes) : NULL;
    uint32_t n = 0;
    if (!list) {
        if (bytes) {
            pf_import_refuse(im, bytes);
        }
        return;
    }
    for (uint32_t i = 0; i < PF_INVENTORY_FIELDS; i++) {
        if (v->packets[i] > 0) {
            const char *name = names[i] ? names[i] : "(unknown)";
            list[n++] = (pf_packet_kind){i, name, v->packets[i], v->bytes[i]};
        }
    }
    im->input->packets = list;
    im->input->packet_kinds = n;
}
