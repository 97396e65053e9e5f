/* read/perfetto/apply/packet_kinds.c - packets that are no TrackEvent, by their kind: who takes them, and how many
 * there are.
 *
 * The kind of a packet is the field that its data is in. Such packets are rare, so each is looked up in its packet
 * again (the last occurrence of its field wins) and read either with the cursor, where it has two or three fields, or
 * as a protobuf-c struct. Packets are counted as they are applied, those that are not decoded too, so that a person
 * sees what a recording consists of. Field numbers from 256 on are counted together.
 */
#include "base/str.h"
#include "model/trace/findings_mark.h"
#include "perfetto/fields.h"
#include "read/perfetto/android/android.h"
#include "read/perfetto/apply/packet_apply.h"
#include "read/perfetto/descriptors/descriptors.h"
#include "read/perfetto/ftrace/ftrace.h"
#include "read/perfetto/gpu/packet_gpu.h"
#include "read/perfetto/system/system.h"
#include "trace_packet.pb-c.h"

/* The data field of the packet: the last one with the record's number. */
static pf_field find_data(const pf_record *r)
{
    return pf_cursor_last(pf_cursor_over(r->packet, r->packet_len), PF_TAG_BYTES(r->data));
}

/* Of findings that are left out, only where they came from is kept. */
static void set_attribute(pf_import *im, const Pf__Proto__TraceAttribute *a, bool left_out)
{
    const pf_str prefix = left_out ? PF_FINDINGS_ATTRIBUTE : PF_STR("trace_attribute.");
    const pf_str key = pf_text_of(a->key), text = a->has_string_value ? pf_text_of(a->string_value) : (pf_str){NULL, 0};
    if (!a->has_key || (!text.ptr && !a->has_long_value) ||
        (left_out && !pf_str_starts(key, PF_STR("postfetto.input")))) {
        return;
    }
    if (pf_str_is(key, "postfetto.time_unit") && pf_str_is(text, "cycle")) {
        im->input->unit = PF_UNIT_CYCLE;
    }
    im->input->converted |= !left_out && pf_str_is(key, "postfetto.source");
    im->input->converted_pairs |= !left_out && pf_str_is(key, "postfetto.complete");
    pf_import_set_metadata(im, pf_import_join(im, prefix, key), text, a->long_value);
}

static void take_attributes(pf_import *im, const pf_field *data, bool left_out)
{
    const Pf__Proto__TraceAttributes *m = pf_import_unpack(im, &pf__proto__trace_attributes__descriptor, data);
    for (size_t i = 0; m && i < m->n_attribute; i++) {
        set_attribute(im, m->attribute[i], left_out);
    }
}

static void take_all_attributes(pf_import *im, const pf_packet *p)
{
    take_attributes(im, &p->data, false);
}

void pf_import_left_out_attributes(pf_import *im, const pf_record *r)
{
    if (r->data == PF_F_PACKET_TRACE_ATTRIBUTES) {
        const pf_field data = find_data(r);
        take_attributes(im, &data, true);
    }
}

/* A row for each clock. One that cannot be converted stands at the time of the trace clock, if that is listed. */
static pf_status list_snapshot(pf_import *im, const pf_record *r, const pf_clock_reading *readings, size_t count,
                               uint32_t number)
{
    const pf_clock_reading *base = NULL;
    for (size_t i = 0; i < count; i++) {
        base = readings[i].clock.id == im->clocks.trace_id ? &readings[i] : base;
    }
    for (size_t i = 0; i < count; i++) {
        const pf_clock_reading *c = &readings[i];
        int64_t ts, value = (int64_t)(c->timestamp * (c->unit ? c->unit : 1));
        pf_clock_outcome outcome =
            pf_clocks_convert(&im->clocks, c->clock, c->incremental ? 0 : (int64_t)c->timestamp, &ts);
        PF_TRY(outcome == PF_CLOCK_NO_MEMORY ? pf_import_refuse(im, 1u << 12) : PF_OK);
        if (outcome != PF_CLOCK_OK && !base) {
            pf_import_count(im, r, PF_STAT_CLOCK_NO_PATH);
            continue;
        }
        const char *name = pf_clock_name(c->clock.id);
        PF_TRY(pf_trace_add_clock(im->t, outcome == PF_CLOCK_OK ? ts : (int64_t)base->timestamp, c->clock.id,
                                  (pf_str){name, name ? strlen(name) : 0}, value, number, im->err));
    }
    return PF_OK;
}

static void take_snapshot(pf_import *im, const pf_packet *p)
{
    const Pf__Proto__ClockSnapshot *m = pf_import_unpack(im, &pf__proto__clock_snapshot__descriptor, &p->data);
    pf_clock_reading readings[PF_CLOCKS_PER_SNAPSHOT];
    size_t n = 0;
    if (!m) {
        return;
    }
    for (; n < m->n_clocks && n < PF_CLOCKS_PER_SNAPSHOT; n++) {
        const Pf__Proto__Clock *c = m->clocks[n];
        bool of_sequence = c->clock_id >= PF_CLOCK_SEQUENCE_FIRST && c->clock_id <= PF_CLOCK_SEQUENCE_LAST;
        readings[n] = (pf_clock_reading){.clock = {c->clock_id, of_sequence ? p->r->sequence : 0},
                                         .timestamp = c->timestamp,
                                         .unit = c->unit_multiplier_ns,
                                         .incremental = c->is_incremental};
    }
    uint32_t primary = m->primary_trace_clock > 0 ? (uint32_t)m->primary_trace_clock : 0;
    uint32_t number = im->clocks.snapshots;
    pf_clock_outcome outcome = pf_clocks_snapshot(&im->clocks, readings, n + (n < m->n_clocks), primary);
    if (outcome == PF_CLOCK_NO_MEMORY) {
        pf_import_refuse(im, 1u << 12);
    } else if (outcome == PF_CLOCK_INVALID) {
        pf_import_count(im, p->r, PF_STAT_CLOCK_INVALID_SNAPSHOT);
    } else {
        (void)list_snapshot(im, p->r, readings, n, number);
    }
}

/* Its stacks are not decoded. */
static void take_perf_sample(pf_import *im, const pf_packet *p)
{
    pf_import_cover_packet(im, p);
    pf_import_perf_sample(im, p);
}

typedef struct packet_kind {
    const char *name;
    void (*take)(pf_import *im, const pf_packet *p); /* NULL: there is nothing to take */
    enum {
        LATE = 0,
        EARLY,     /* takes effect before times and state matter */
        UNDECODED, /* its times count (undecoded_times.c), and little else */
        IN_ORDER,  /* takes effect in the order of time, in traces that have ftrace events */
        IN_TIME    /* the same in any trace */
    } use;
} packet_kind;

/* TracePacket.data by field number. */
static const packet_kind KINDS[PF_INVENTORY_FIELDS] = {
    [0] = {"(no data)", NULL, EARLY},
    [1] = {"ftrace_events", pf_ftrace_take},
    [2] = {"process_tree", pf_import_process_tree, IN_ORDER},
    [4] = {"inode_file_map"},
    [5] = {"chrome_events", pf_import_chrome_events},
    [6] = {"clock_snapshot", take_snapshot, EARLY},
    [7] = {"sys_stats", pf_import_sys_stats, IN_TIME},
    [9] = {"process_stats", pf_import_process_stats, IN_ORDER},
    [11] = {"track_event"},
    [33] = {"trace_config", pf_import_trace_config},
    [34] = {"ftrace_stats", pf_import_ftrace_stats, EARLY},
    [35] = {"trace_stats"},
    [36] = {"synchronization_marker", NULL, EARLY},
    [37] = {"profile_packet", pf_import_cover_packet, UNDECODED},
    [38] = {"battery", pf_import_battery},
    [39] = {"android_log", pf_import_android_log},
    [40] = {"power_rails", pf_import_power_rails},
    [43] = {"process_descriptor", pf_import_process_descriptor},
    [44] = {"thread_descriptor", pf_import_thread_descriptor},
    [45] = {"system_info", pf_import_system_info},
    [46] = {"trigger", pf_import_trigger},
    [47] = {"packages_list"},
    [48] = {"chrome_benchmark_metadata"},
    [49] = {"perfetto_metatrace"},
    [50] = {"compressed_packets"},
    [51] = {"chrome_metadata"},
    [52] = {"gpu_counter_event", pf_gpu_packet},
    [53] = {"gpu_render_stage_event", pf_gpu_packet},
    [54] = {"streaming_profile_packet", pf_import_cover_packet, UNDECODED},
    [56] = {"heap_graph"},
    [57] = {"graphics_frame_event"},
    [60] = {"track_descriptor", pf_import_track_descriptor},
    [61] = {"module_symbols"},
    [62] = {"vulkan_memory_event", pf_gpu_packet},
    [63] = {"gpu_log", pf_gpu_packet},
    [64] = {"deobfuscation_mapping"},
    [65] = {"vulkan_api_event", pf_gpu_packet},
    [66] = {"perf_sample", take_perf_sample, UNDECODED},
    [67] = {"cpu_info", pf_import_cpu_info, EARLY},
    [68] = {"smaps_packet"},
    [69] = {"service_event", pf_import_service_event, EARLY},
    [70] = {"initial_display_state", pf_import_display_state},
    [71] = {"gpu_mem_total_event", pf_gpu_packet},
    [72] = {"extension_descriptor"},
    [73] = {"memory_tracker_snapshot"},
    [74] = {"streaming_allocation"},
    [75] = {"streaming_free"},
    [76] = {"frame_timeline_event", pf_import_frame_timeline, IN_TIME},
    [77] = {"android_energy_estimation_breakdown"},
    [78] = {"ui_state", pf_import_ui_state},
    [82] = {"translation_table"},
    [83] = {"android_game_intervention_list"},
    [84] = {"statsd_atom"},
    [86] = {"android_system_property", pf_import_system_property},
    [88] = {"network_packet"},
    [89] = {"trace_uuid", pf_import_trace_uuid, EARLY},
    [90] = {"track_event_range_of_interest", pf_import_range_of_interest},
    [91] = {"entity_state_residency"},
    [92] = {"network_packet_bundle"},
    [93] = {"surfaceflinger_layers_snapshot"},
    [94] = {"surfaceflinger_transactions"},
    [95] = {"etw_events"},
    [96] = {"shell_transition"},
    [97] = {"shell_handler_mappings"},
    [99] = {"v8_js_code"},
    [100] = {"v8_internal_code"},
    [101] = {"v8_wasm_code"},
    [102] = {"v8_reg_exp_code"},
    [103] = {"v8_code_move"},
    [104] = {"protolog_message"},
    [105] = {"protolog_viewer_config"},
    [107] = {"remote_clock_sync", pf_import_clock_sync, EARLY},
    [109] = {"chrome_trigger", pf_import_trigger},
    [110] = {"pixel_modem_events"},
    [111] = {"pixel_modem_token_database"},
    [112] = {"winscope_extensions"},
    [113] = {"clone_snapshot_trigger", pf_import_trigger},
    [114] = {"bluetooth"},
    [115] = {"kernel_wakelock_data"},
    [116] = {"app_wakelock_bundle"},
    [117] = {"generic_kernel_task_state_event", pf_ftrace_take_generic},
    [118] = {"generic_kernel_cpu_freq_event", pf_ftrace_take_generic},
    [119] = {"cpu_per_uid_data"},
    [120] = {"generic_kernel_task_rename_event", pf_ftrace_take_generic},
    [121] = {"evdev_event"},
    [122] = {"generic_kernel_process_tree", pf_ftrace_take_generic},
    [123] = {"user_list"},
    [124] = {"trace_provenance"},
    [125] = {"protovms"},
    [126] = {"trace_attributes", take_all_attributes, EARLY},
    [127] = {"android_aflags"},
    [128] = {"gpu_info", pf_gpu_packet},
    [129] = {"generic_gpu_frequency_event"},
    [130] = {"interrupt_info"},
    [131] = {"art_process_metadata"},
    [132] = {"journald_event"},
    [133] = {"zstd_compressed_packets"},
    [134] = {"concurrent_session_event"},
    [135] = {"stack_sample"},
    [PF_INVENTORY_OTHER] = {"(extension)"},
};

static const packet_kind *kind_of(uint32_t field)
{
    static const packet_kind note = {NULL, pf_import_leftover, EARLY};
    return field == PF_F_PACKET_ORIGIN ? &note : &KINDS[field < PF_INVENTORY_OTHER ? field : PF_INVENTORY_OTHER];
}

bool pf_import_early(pf_import *im, const pf_record *r)
{
    const packet_kind *k = kind_of(r->data);
    if (k->use == EARLY && k->take) {
        k->take(im, &(pf_packet){.r = r, .data = find_data(r)});
    }
    return k->use == EARLY;
}

pf_status pf_import_packet(pf_import *im, const pf_record *r, pf_sequence *q, const pf_moment *at)
{
    const packet_kind *k = kind_of(r->data);
    const pf_packet p = {r, find_data(r), q, at};
    bool later = k->use == IN_TIME ? pf_ftrace_begin(im) != NULL : k->use == IN_ORDER && im->ftrace;
    if (later) {
        pf_ftrace_put_off(im, &p, k->take);
    } else if (k->take) {
        k->take(im, &p);
    }
    if (!later && im->ftrace && r->data != PF_F_PACKET_FTRACE_EVENTS) {
        pf_ftrace_note_packet(im, at);
    }
    if (!k->take || k->use == UNDECODED) {
        pf_import_count(im, r, PF_STAT_PACKETS_NOT_DECODED);
    }
    return im->err->code;
}

void pf_import_list_packets(pf_import *im)
{
    const pf_inventory *v = &im->inventory;
    uint32_t kinds = 0, n = 0;
    for (uint32_t i = 0; i < PF_INVENTORY_FIELDS; i++) {
        kinds += v->packets[i] > 0;
    }
    im->input->sequences = im->sequences.count;
    pf_packet_kind *list = NULL;
    if (!kinds || pf_import_failed(im) || PF_ARENA_NEW(&im->t->arena, list, kinds, im->err) != PF_OK) {
        return;
    }
    for (uint32_t i = 0; i < PF_INVENTORY_FIELDS; i++) {
        if (v->packets[i] > 0) {
            list[n++] = (pf_packet_kind){i, KINDS[i].name ? KINDS[i].name : "(unknown)", v->packets[i], v->bytes[i]};
        }
    }
    im->input->packets = list;
    im->input->packet_kinds = n;
}
