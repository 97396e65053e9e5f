/* write/columns/archive/archive_schemas.c - the tables that Perfetto's engine takes from an archive, as data. A release
 * that changes some of them is one more list. */
#include "write/columns/archive/archive_schemas.h"

#include <string.h>

static const pf_archive_table v58[] = {
    {"machine", "i raw_id,s name,s sysname,s release,s version,s arch,u? num_cpus,s android_build_fingerprint,"
                "s android_device_manufacturer,i? android_sdk_version,i? system_ram_bytes,i? system_ram_gb"},
    {"process", "i pid,s name,i? start_ts,i? end_ts,u? parent_upid,u? uid,u? android_appid,u? android_user_id,"
                "s cmdline,u? arg_set_id,u machine_id"},
    {"thread", "i tid,s name,i? start_ts,i? end_ts,u? upid,u? is_main_thread,u is_idle,u machine_id,u? arg_set_id"},
    {"track", "s name,u? parent_id,u? source_arg_set_id,u machine_id,s type,u? dimension_arg_set_id,"
              "u? track_group_id,s event_type,s counter_unit,u? utid,u? upid"},
    {"cpu", "u? cpu,u cluster_id,s processor,u machine_id,u? capacity,u? arg_set_id"},
    {"sched_slice", "i^ ts,i dur,u utid,s end_state,n priority,u ucpu"},
    {"thread_state",
     "i^ ts,i dur,u utid,s state,u? io_wait,s blocked_function,u? waker_utid,u? waker_id,u? irq_context,"
     "u? ucpu"},
    {"spurious_sched_wakeup", "i^ ts,i thread_state_id,u? irq_context,u utid,u waker_utid"},
    {"slice", "i^ ts,i dur,u track_id,s category,s name,u depth,u? parent_id,u? arg_set_id,i? thread_ts,"
              "i? thread_dur,i? thread_instruction_count,i? thread_instruction_delta"},
    {"counter", "i^ ts,u track_id,d value,u? arg_set_id"},
    {"state", "i^ ts,i dur,u track_id,s category,s value,u? arg_set_id"},
    {"flow", "u slice_out,u slice_in,i? trace_id,u? arg_set_id"},
    {"args", "u# arg_set_id,s flat_key,s key,i? int_value,s string_value,d? real_value,s value_type"},
    {"clock_snapshot", "i ts,i clock_id,s clock_name,i clock_value,u snapshot_id,u machine_id"},
    {"track_event_callstacks", "u slice_id,u track_id,u? callsite_id,u? end_callsite_id,d? weight"},
    {"stack_profile_callsite", "u depth,u? parent_id,u frame_id"},
    {"stack_profile_frame", "s name,u mapping,i rel_pc,u? symbol_set_id,s deobfuscated_name,s type=category"},
    {"stack_profile_mapping", "s build_id,i exact_offset,i start_offset,i start,i end,i load_bias,s name"},
    {"stack_profile_symbol", "u# symbol_set_id,s name,s source_file,u? line_number,u? inlined"},
    {"gpu", "u? gpu,u machine_id,s name,s vendor,s model,s architecture,s uuid,s pci_bdf,u? arg_set_id"},
    {"gpu_context", "u context_id,u? pid,s api"},
    {"gpu_counter_group", "n group_id,u track_id,s name,s description"},
    {"vulkan_memory_allocations", "u? arg_set_id,s source,s operation,i timestamp,u? upid,i? device,i? device_memory,"
                                  "u? memory_type,u? heap,s function_name,i? object_handle,i? memory_address,"
                                  "i? memory_size,s scope"},
    {"trace_diagnostics", "s key,s title,s description,s remediation,d confidence,u? trace_id"},
};

/* The newest first. */
static const pf_archive_release releases[] = {{"v58", v58, sizeof v58 / sizeof *v58}};
const char pf_archive_releases[] = "v58";

const pf_archive_release *pf_archive_release_named(const char *name)
{
    size_t i = 0, count = sizeof releases / sizeof *releases;
    while (name && i < count && strcmp(releases[i].name, name) != 0) {
        i++;
    }
    return i < count ? &releases[i] : NULL;
}

static pf_col_type type_of(char letter)
{
    static const char letters[] = "unids"; /* in the order of pf_col_type */
    return (pf_col_type)(strchr(letters, letter) - letters);
}

bool pf_archive_column_next(const char **columns, pf_archive_column *out)
{
    const char *at = *columns;
    if (*at == '\0') {
        return false;
    }
    size_t len = strcspn(at, ","), flags = strcspn(at, " ");
    const char *name = at + flags + 1, *end = at + len, *equal = memchr(name, '=', (size_t)(end - name));
    bool set = memchr(at, '#', flags), sorted = memchr(at, '^', flags);
    out->type = type_of(*at);
    out->nullable = out->type == PF_COL_TEXT || memchr(at, '?', flags);
    out->sort = set ? "set_id_sorted" : sorted ? "sorted" : "unsorted";
    out->name = (pf_str){name, (size_t)((equal ? equal : end) - name)};
    out->ours = equal ? (pf_str){equal + 1, (size_t)(end - equal - 1)} : out->name;
    *columns = end + (*end == ',');
    return true;
}
