/* sides.c - the tables of rare things, over the side tables of the trace (model/sides.h). */
#include <string.h>

#include "query/columns.h"

#define SIDE(name, kind, set, place) ARRAY(name, kind, set, pf_sql_side, s.column[place])

const pf_sql_column pf_sql_machine_columns[13] = {
    ROW_NUMBER("id"),
    ZERO("raw_id"),
    SIDE("name", STRING, 0, PF_MACHINE_NAME),
    SIDE("sysname", STRING, 0, PF_MACHINE_SYSNAME),
    SIDE("release", STRING, 0, PF_MACHINE_RELEASE),
    SIDE("version", STRING, 0, PF_MACHINE_VERSION),
    SIDE("arch", STRING, 0, PF_MACHINE_ARCH),
    SIDE("num_cpus", INT64_OR_NULL, 0, PF_MACHINE_CPUS),
    SIDE("android_build_fingerprint", STRING, 0, PF_MACHINE_FINGERPRINT),
    SIDE("android_device_manufacturer", STRING, 0, PF_MACHINE_MANUFACTURER),
    SIDE("android_sdk_version", INT64_OR_NULL, 0, PF_MACHINE_SDK),
    SIDE("system_ram_bytes", INT64_OR_NULL, 0, PF_MACHINE_RAM_BYTES),
    SIDE("system_ram_gb", INT64_OR_NULL, 0, PF_MACHINE_RAM_GB),
};

const pf_sql_column pf_sql_state_columns[7] = {
    ROW_NUMBER("id"),
    SIDE("ts", INT64, PF_SQL_SORTED, PF_STATE_TS),
    SIDE("dur", INT64, 0, PF_STATE_DUR),
    SIDE("track_id", UINT32, PF_SQL_INDEX, PF_STATE_TRACK),
    SIDE("category", STRING, PF_SQL_INDEX, PF_STATE_CATEGORY),
    SIDE("value", STRING, PF_SQL_INDEX, PF_STATE_VALUE),
    ARRAY("arg_set_id", UINT32, ARG_SET, pf_sql_side, arg_set),
};

const pf_sql_column pf_sql_gpu_columns[11] = {
    ROW_NUMBER("id"),
    ROW_NUMBER("ugpu"),
    SIDE("gpu", INT64, 0, PF_GPU_NUMBER),
    SIDE("name", STRING, 0, PF_GPU_NAME),
    SIDE("vendor", STRING, 0, PF_GPU_VENDOR),
    SIDE("model", STRING, 0, PF_GPU_MODEL),
    SIDE("architecture", STRING, 0, PF_GPU_ARCHITECTURE),
    SIDE("uuid", STRING, 0, PF_GPU_UUID),
    SIDE("pci_bdf", STRING, 0, PF_GPU_PCI),
    ZERO("machine_id"),
    ARRAY("arg_set_id", UINT32, ARG_SET, pf_sql_side, arg_set),
};

const pf_sql_column pf_sql_gpu_group_columns[5] = {
    ROW_NUMBER("id"),
    SIDE("group_id", INT64, 0, PF_GPU_GROUP_ID),
    SIDE("track_id", UINT32, PF_SQL_INDEX, PF_GPU_GROUP_TRACK),
    SIDE("name", STRING, PF_SQL_INDEX, PF_GPU_GROUP_NAME),
    SIDE("description", STRING, 0, PF_GPU_GROUP_DESCRIPTION),
};

const pf_sql_column pf_sql_gpu_context_columns[4] = {
    ROW_NUMBER("id"),
    SIDE("context_id", INT64, 0, PF_GPU_CONTEXT_ID),
    SIDE("pid", INT64_OR_NULL, 0, PF_GPU_CONTEXT_PID),
    SIDE("api", STRING, 0, PF_GPU_CONTEXT_API),
};

const pf_sql_column pf_sql_vulkan_columns[15] = {
    ROW_NUMBER("id"),
    ARRAY("arg_set_id", UINT32, ARG_SET, pf_sql_side, arg_set),
    SIDE("source", STRING, 0, PF_VULKAN_SOURCE),
    SIDE("operation", STRING, 0, PF_VULKAN_OPERATION),
    SIDE("timestamp", INT64, 0, PF_VULKAN_TIMESTAMP),
    SIDE("upid", UINT32, PF_SQL_INDEX, PF_VULKAN_UPID),
    SIDE("device", INT64_OR_NULL, 0, PF_VULKAN_DEVICE),
    SIDE("device_memory", INT64_OR_NULL, 0, PF_VULKAN_DEVICE_MEMORY),
    SIDE("memory_type", INT64_OR_NULL, 0, PF_VULKAN_MEMORY_TYPE),
    SIDE("heap", INT64_OR_NULL, 0, PF_VULKAN_HEAP),
    SIDE("function_name", STRING, 0, PF_VULKAN_FUNCTION),
    SIDE("object_handle", INT64_OR_NULL, 0, PF_VULKAN_OBJECT),
    SIDE("memory_address", INT64_OR_NULL, 0, PF_VULKAN_ADDRESS),
    SIDE("memory_size", INT64_OR_NULL, 0, PF_VULKAN_SIZE),
    SIDE("scope", STRING, 0, PF_VULKAN_SCOPE),
};

const pf_sql_column pf_sql_frame_columns[7] = {
    ROW_NUMBER("id"),
    SIDE("name", STRING, PF_SQL_INDEX, PF_STACK_FRAME_NAME),
    SIDE("mapping", UINT32, PF_SQL_INDEX, PF_STACK_FRAME_MAPPING),
    SIDE("rel_pc", INT64_OR_NULL, 0, PF_STACK_FRAME_PC),
    SIDE("symbol_set_id", INT64_OR_NULL, 0, PF_STACK_FRAME_SYMBOLS),
    SIMPLE("deobfuscated_name", NULL_TEXT),
    SIDE("category", STRING, PF_SQL_INDEX, PF_STACK_FRAME_CATEGORY),
};

const pf_sql_column pf_sql_callsite_columns[4] = {
    ROW_NUMBER("id"),
    SIDE("depth", INT64, 0, PF_CALLSITE_DEPTH),
    SIDE("parent_id", UINT32, PF_SQL_INDEX, PF_CALLSITE_PARENT),
    SIDE("frame_id", UINT32, PF_SQL_INDEX, PF_CALLSITE_FRAME),
};

static void stack_weight(pf_query *q, uint32_t row, pf_query_cell *cell)
{
    int64_t bits = *pf_side_number(&q->sides[PF_SIDE_EVENT_STACK].s, PF_EVENT_STACK_WEIGHT, row);
    if (bits != INT64_MIN) {
        cell->type = PF_VALUE_REAL;
        memcpy(&cell->as.d, &bits, sizeof bits);
    }
}

const pf_sql_column pf_sql_event_stack_columns[5] = {
    ROW_NUMBER("id"),
    SIDE("slice_id", UINT32, PF_SQL_INDEX, PF_EVENT_STACK_SLICE),
    SIDE("callsite_id", UINT32, PF_SQL_INDEX, PF_EVENT_STACK_SITE),
    SIDE("end_callsite_id", UINT32, PF_SQL_INDEX, PF_EVENT_STACK_END_SITE),
    CALL_REAL("weight", stack_weight),
};

const pf_sql_column pf_sql_log_columns[6] = {
    ROW_NUMBER("id"),
    SIDE("ts", INT64, 0, PF_LOG_TS),
    SIDE("utid", UINT32, PF_SQL_INDEX, PF_LOG_UTID),
    SIDE("prio", INT64, 0, PF_LOG_PRIORITY),
    SIDE("tag", STRING, PF_SQL_INDEX, PF_LOG_TAG),
    SIDE("msg", STRING, PF_SQL_INDEX, PF_LOG_MESSAGE),
};

const pf_sql_column pf_sql_mapping_columns[8] = {
    ROW_NUMBER("id"),
    SIDE("build_id", STRING, PF_SQL_INDEX, PF_MAPPING_BUILD_ID),
    SIDE("exact_offset", INT64, 0, PF_MAPPING_EXACT_OFFSET),
    SIDE("start_offset", INT64, 0, PF_MAPPING_START_OFFSET),
    SIDE("start", INT64, 0, PF_MAPPING_START),
    SIDE("end", INT64, 0, PF_MAPPING_END),
    SIDE("load_bias", INT64, 0, PF_MAPPING_LOAD_BIAS),
    SIDE("name", STRING, PF_SQL_INDEX, PF_MAPPING_NAME),
};

const pf_sql_column pf_sql_symbol_columns[6] = {
    ROW_NUMBER("id"),
    SIDE("symbol_set_id", INT64, 0, PF_SYMBOL_SET),
    SIDE("name", STRING, PF_SQL_INDEX, PF_SYMBOL_NAME),
    SIDE("source_file", STRING, PF_SQL_INDEX, PF_SYMBOL_FILE),
    SIDE("line_number", INT64, 0, PF_SYMBOL_LINE),
    NULL_INT("inlined"),
};

pf_status pf_sql_open_side(pf_query *q, pf_sql_table *table, pf_error *err)
{
    pf_sql_side *side = &q->sides[table->spec->side];
    side->s = q->trace->sides[table->spec->side];
    table->base = side;
    table->rows = side->s.count;
    return PF_OK;
}

/* There is always a machine, even if nothing is known of it. */
pf_status pf_sql_open_machine(pf_query *q, pf_sql_table *table, pf_error *err)
{
    pf_status st = pf_sql_open_side(q, table, err);
    table->rows = 1;
    return st;
}
